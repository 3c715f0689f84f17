//! Builds small programs for tests, instruction by instruction.

#![allow(dead_code)]

use crestline_device::{Device, Platform};
use crestline_emu::{EmuError, Kernel, Options, Report, Resources};
use crestline_isa::message::{Bti, ChannelMask, Descriptor, GatewayFn, Message, SimdMode};
use crestline_isa::{DescSrc, Dst, Extra, Inst, Opcode, Region, Send, Src, Type};
use crestline_program::{
    BindingEntry, ComputeMetadata, Dispatch, FloatMode, GrfRange, Metadata, ResourceRef,
    StageMetadata, Surface, ThreadPayload, VERSION,
};

/// The buffer that tests bind at index 0.
pub(crate) const BUFFER: ResourceRef = ResourceRef { set: 0, binding: 0, element: 0 };

/// Metadata of a SIMD8 program on Skylake: one thread, r1 is zero, one storage buffer.
pub(crate) fn metadata() -> Metadata {
    let cross_thread = Some(GrfRange { first: 1, count: 1 });
    let payload = ThreadPayload { cross_thread, ..ThreadPayload::default() };
    Metadata {
        version: VERSION,
        platform: Platform::Skl,
        entry_point: "test".into(),
        dispatches: Dispatch::at_start(8, payload).into(),
        stage: StageMetadata::Compute(ComputeMetadata {
            local_size: [8, 1, 1],
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
    }
}

/// Changes the workgroup's number of invocations along x.
pub(crate) fn with_local_size(mut metadata: Metadata, x: u32) -> Metadata {
    let StageMetadata::Compute(compute) = &mut metadata.stage else { unreachable!() };
    compute.local_size = [x, 1, 1];
    metadata
}

pub(crate) fn device() -> Device {
    Device::new(Platform::Skl)
}

/// Loads a program and runs one workgroup of it on a buffer. Returns the report and the buffer afterwards.
pub(crate) fn run_on(
    program: Vec<Inst>,
    metadata: Metadata,
    buffer: &[u8],
    options: &Options,
) -> Result<(Report, Vec<u8>), EmuError> {
    let kernel = Kernel::from_instructions(program, metadata, &device())?;
    let mut resources = Resources::new();
    resources.set_buffer(BUFFER, buffer);
    let report = kernel.dispatch([1, 1, 1], &mut resources, options)?;
    Ok((report, resources.buffer(BUFFER).unwrap()))
}

/// Runs a program with standard metadata and options.
pub(crate) fn run(program: Vec<Inst>) -> Result<(Report, Vec<u8>), EmuError> {
    run_on(program, metadata(), &[0; 64], &Options::default())
}

/// An instruction of eight channels.
pub(crate) fn alu(opcode: Opcode, dst: Dst, srcs: &[Src]) -> Inst {
    Inst::new(opcode).with_exec_size(8).with_dst(dst).with_srcs(srcs)
}

pub(crate) fn packed(nr: u8, ty: Type) -> Src {
    Src::grf(nr, 0, ty, Region::packed(8))
}

pub(crate) fn dst(nr: u8, ty: Type) -> Dst {
    Dst::grf(nr, 0, ty, 1)
}

/// `mov` of an immediate to eight channels.
pub(crate) fn mov_ud(nr: u8, value: u32) -> Inst {
    alu(Opcode::Mov, dst(nr, Type::Ud), &[Src::imm_ud(value)])
}

/// Instructions that write 4 * channel to register `nr`; they also change the register after it.
pub(crate) fn addresses(nr: u8) -> Vec<Inst> {
    vec![
        alu(Opcode::Mov, dst(nr, Type::W), &[Src::imm(Type::V, 0x7654_3210)]),
        alu(Opcode::Mov, dst(nr + 1, Type::D), &[packed(nr, Type::W)]),
        alu(Opcode::Shl, dst(nr, Type::D), &[packed(nr + 1, Type::D), Src::imm_w(2)]),
    ]
}

/// A message with its payload from register `payload` on and its response from register `response` on.
pub(crate) fn send(
    message: Message,
    payload: u8,
    (mlen, rlen): (u8, u8),
    response: Option<u8>,
    eot: bool,
) -> Inst {
    let descriptor =
        Descriptor { mlen, ex_mlen: 0, rlen, header_present: false, surface_offset: 0, message };
    let (sfid, desc, ex_desc) = descriptor.encode(device().generation()).unwrap();
    let mut send = Send::imm(sfid, desc, ex_desc);
    send.eot = eot;
    let dst = response.map_or(Dst::null(Type::Ud), |nr| dst(nr, Type::Ud));
    alu(Opcode::Send, dst, &[packed(payload, Type::Ud)]).with_extra(Extra::Send(send))
}

/// Reads a dword per channel from the surface at `bti`. The byte addresses are in register `payload`.
pub(crate) fn read(bti: Bti, payload: u8, response: u8) -> Inst {
    let message = Message::UntypedRead { bti, simd: SimdMode::Simd8, mask: ChannelMask(1) };
    send(message, payload, (1, 1), Some(response), false)
}

/// Writes a dword per channel. The byte addresses are in register `payload`, the data in the register after it.
pub(crate) fn write(bti: Bti, payload: u8) -> Inst {
    let message = Message::UntypedWrite { bti, simd: SimdMode::Simd8, mask: ChannelMask(1) };
    send(message, payload, (2, 0), None, false)
}

/// The barrier message.
pub(crate) fn barrier() -> Inst {
    send(Message::Gateway { function: GatewayFn::Barrier, notify: 0 }, 0, (1, 0), None, false)
        .with_no_mask()
}

/// `wait n0`.
pub(crate) fn wait() -> Inst {
    Inst::new(Opcode::Wait).with_no_mask()
}

/// The instructions that end a thread.
pub(crate) fn end() -> Vec<Inst> {
    vec![
        alu(Opcode::Mov, dst(127, Type::Ud), &[packed(0, Type::Ud)]).with_no_mask(),
        send(
            Message::ThreadSpawner { spawn: false, child: false, keep_urb: true },
            127,
            (1, 0),
            None,
            true,
        )
        .with_no_mask(),
    ]
}

/// Makes a message take its descriptor from a0.0, so that it is not known before execution.
pub(crate) fn dynamic(mut inst: Inst) -> Inst {
    if let Extra::Send(send) = &mut inst.extra {
        send.desc = DescSrc::Reg { dword: 0 };
    }
    inst
}

/// The dwords of a buffer.
pub(crate) fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}
