//! Compiles back-end IR and runs it on the emulator. The test gives the contents of the input registers, and chooses
//! the registers whose contents are its results.

use crestline_codegen::backend::{self, Options as BackendOptions};
use crestline_codegen::finish::finish;
use crestline_codegen::ir::{Builder, Effect, Function, Message, Operand, Space};
use crestline_codegen::target::Target;
use crestline_codegen::{pipeline, regalloc, surface};
use crestline_device::{Device, Platform};
use crestline_emu::{Kernel, Options, Resources};
use crestline_isa::message::{Bti, Message as Kind, OwordBlock};
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::{Inst, Type};
use crestline_program::{
    BindingEntry, ComputeMetadata, Content, Dispatch, FloatMode, GrfRange, Metadata, PayloadItem,
    ResourceRef, StageMetadata, Surface, ThreadPayload, VERSION,
};

/// Bytes of a general register.
pub(crate) const GRF: usize = 32;
const BUFFER: ResourceRef = ResourceRef { set: 0, binding: 0, element: 0 };

/// A SIMD4x2 function whose registers from g1 on contain `inputs`, as push constants.
pub(crate) fn function(inputs: &[u8]) -> Function {
    let mut function = Function::new(8);
    function.payload_registers = 1 + inputs.len().div_ceil(GRF) as u32;
    function.push_bytes = inputs.len() as u32;
    function
}

/// Appends messages that write pairs of registers to the result buffer, the first pair at pair `at` of the buffer.
pub(crate) fn save(b: &mut Builder<'_>, device: &Device, at: usize, pairs: &[Operand]) {
    let mut b = b.align1();
    let mut b = b.no_mask();
    // The hardware writes a block of more than one register under the execution mask of sixteen channels.
    let mut b = b.exec(16);
    let mut b = b.group(0);
    for (index, parts) in pairs.chunks(2).enumerate() {
        let kind = if parts.len() == 1 { OwordBlock::Four } else { OwordBlock::Eight };
        let header = Operand::vgrf(b.vregs().bytes(GRF as u32), Type::Ud);
        b.exec(8).mov(header, Operand::grf(0, Type::Ud));
        let owords = 4 * (at + 2 * index) as u32;
        b.uniform().mov(header.byte_offset(8), Operand::imm_ud(owords));
        let kind = Kind::OwordBlockWrite { bti: Bti(0), size: kind };
        let message = Message {
            kind,
            headers: 1,
            first: 1,
            lengths: [0; 2],
            response: 0,
            eot: false,
            check: false,
            effect: Effect::Write,
            space: Space::Global,
        };
        message.supported(device.generation()).expect("a block message");
        let mut all = vec![header];
        all.extend(parts.iter().map(|part| part.retype(Type::Ud).with_stride(1)));
        let null = Operand::null(Type::Ud);
        b.message(message, null, null, &all);
    }
}

/// Appends the message that ends the thread.
pub(crate) fn end(b: &mut Builder<'_>, device: &Device) {
    surface::end_thread(b, &Target::new(*device)).expect("the message that ends a thread");
}

/// Compiles with the whole back end. If `everywhere` is set, the optimisations also run after each lowering.
pub(crate) fn compile(function: &Function, device: &Device, everywhere: bool) -> Vec<Inst> {
    let optimize_everywhere = everywhere;
    let options = BackendOptions { verify: true, optimize_everywhere, ..BackendOptions::default() };
    let compiled =
        backend::generate(function.clone(), &Target::new(*device), options, &mut |_, _| {});
    compiled.unwrap_or_else(|error| panic!("{error}\n{function}")).insts
}

/// Compiles with the lowering passes and register allocation, without optimisations, so that every instruction of the
/// function stays. If `check` is set, the allocation is verified.
pub(crate) fn lower(mut function: Function, device: &Device, check: bool) -> Vec<Inst> {
    let target = &Target::new(*device);
    let run = |list: &[pipeline::Pass], function: &mut Function| {
        for pass in list {
            (pass.run)(function, target)
                .unwrap_or_else(|error| panic!("{}: {error}\n{function}", pass.name));
        }
    };
    run(pipeline::LOWER, &mut function);
    let options = regalloc::Options { may_spill: true, check, ..Default::default() };
    let mut allocated = regalloc::allocate(&function, target, options)
        .unwrap_or_else(|error| panic!("{error}\n{function}"));
    run(pipeline::LOWER_ALLOCATED, &mut allocated.function);
    let finished = finish(&allocated.function, target);
    finished.unwrap_or_else(|error| panic!("{error}\n{function}")).0
}

/// Checks that the code breaks no rule of the validator with severity "error", and neither of two warnings about
/// doubles.
pub(crate) fn validate(insts: &[Inst], device: &Device) {
    let mut at = 0;
    let placed: Vec<(usize, Inst)> = insts
        .iter()
        .map(|inst| {
            let start = at;
            at += inst.size() as usize;
            (start, inst.clone())
        })
        .collect();
    let found = Validator::new(*device).check_program(&placed);
    let serious = found.iter().find(|finding| {
        finding.rule.severity == Severity::Error || ["D19", "D32"].contains(&finding.rule.id)
    });
    if let Some(finding) = serious {
        panic!("{finding}: {:?}", insts[finding.index]);
    }
}

/// Runs one thread with `channels` enabled channels and returns the bytes of `pairs` pairs of result registers.
pub(crate) fn execute(
    insts: Vec<Inst>,
    device: &Device,
    inputs: &[u8],
    channels: u32,
    pairs: usize,
) -> Vec<u8> {
    validate(&insts, device);
    let count = inputs.len().div_ceil(GRF).max(1) as u32;
    let payload = ThreadPayload {
        per_thread: Some(GrfRange { first: 1, count }),
        items: vec![PayloadItem {
            offset: GRF as u32,
            size: inputs.len() as u32,
            content: Content::PushConstant { offset: 0 },
        }],
        ..ThreadPayload::default()
    };
    let metadata = Metadata {
        version: VERSION,
        platform: device.platform(),
        entry_point: "test".into(),
        dispatches: Dispatch::at_start(8, payload).into(),
        stage: StageMetadata::Compute(ComputeMetadata {
            local_size: [channels, 1, 1],
            shared_bytes: 0,
            uses_barrier: false,
        }),
        binding_table: vec![BindingEntry {
            index: 0,
            surface: Surface::StorageBuffer { resource: BUFFER },
        }],
        samplers: vec![],
        scratch_bytes: 0,
        private_bytes_per_channel: 0,
        address_bits: None,
        lines: None,
        constant_data: None,
        relocations: vec![],
        float_mode: FloatMode::default(),
    };
    let kernel = Kernel::from_instructions(insts, metadata, device)
        .unwrap_or_else(|error| panic!("{}: {error}", device.platform()));
    let mut resources = Resources::new();
    resources.set_push_constants(inputs);
    resources.set_buffer(BUFFER, &vec![0; pairs * 2 * GRF]);
    let options = Options { host_threads: 1, ..Options::strict() };
    kernel
        .dispatch([1, 1, 1], &mut resources, &options)
        .unwrap_or_else(|error| panic!("{}: {error}", device.platform()));
    resources.buffer(BUFFER).expect("the results")
}

/// Pseudo-random numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// The platforms with Align16 that are tested: gen7, gen7.5 and gen8.
pub(crate) const PLATFORMS: [Platform; 3] = [Platform::Ivb, Platform::Hsw, Platform::Bdw];

/// The instructions as text, one line each.
pub(crate) fn listing(insts: &[Inst], device: &Device) -> String {
    let line = |inst: &Inst| print_inst(inst, device.generation(), Syntax::Mesa) + "\n";
    insts.iter().map(line).collect()
}
