//! Small fragment shaders, instruction by instruction.

#![allow(dead_code)]

use crestline_device::{Device, Platform};
use crestline_emu::{Kernel, SlotValues};
use crestline_isa::message::{Bti, Descriptor, Message, RtSubtype};
use crestline_isa::{Dst, Extra, Inst, Opcode, Region, Send, Src, Type};
use crestline_program::{
    Attribute, AttributeSource, Barycentric, BindingEntry, ColourOutput, ColourType, ComputedDepth,
    Dispatch, FloatMode, FragmentMetadata, GrfRange, InputCoverage, Metadata, StageMetadata,
    Surface, ThreadPayload, VERSION, Varying,
};

/// The first register of the payload of messages that end a thread, with room for 16 registers.
pub(crate) const OUT: u8 = 112;

/// A shader that reads location 0 and writes attachment 0, with perspective-correct coordinates.
pub(crate) fn stage(ty: ColourType) -> FragmentMetadata {
    let varying = Varying::Location { location: 0 };
    let flat = ty != ColourType::Float;
    FragmentMetadata {
        barycentrics: vec![Barycentric::PerspectivePixel],
        source_depth: false,
        source_w: false,
        position_offsets: false,
        input_coverage: InputCoverage::Off,
        attributes: vec![Attribute { source: AttributeSource::Varying { varying }, flat }],
        colour_outputs: vec![ColourOutput { target: 0, components: 15, ty: Some(ty) }],
        source0_alpha: false,
        dual_source: false,
        computed_depth: ComputedDepth::Off,
        computed_stencil: false,
        output_sample_mask: false,
        kills_pixels: false,
        early_tests: false,
        per_sample: false,
        one_sample: false,
        side_effects: false,
        pixel_interpolator: false,
        vector_mask: true,
    }
}

/// Metadata for Skylake of one entry point. `setup` is the first register of the setup data.
pub(crate) fn metadata(width: u32, setup: u32, stage: FragmentMetadata) -> Metadata {
    let count = 2 * stage.attributes.len() as u32;
    let setup = (count > 0).then_some(GrfRange { first: setup, count });
    let mut dispatch =
        Dispatch::at_start(width, ThreadPayload { setup, ..ThreadPayload::default() });
    dispatch.kernel_start_slot = Some(0);
    let targets = stage.colour_outputs.iter().map(|output| output.target);
    let binding_table = targets
        .map(|target| BindingEntry { index: target, surface: Surface::RenderTarget { target } });
    Metadata {
        version: VERSION,
        platform: Platform::Skl,
        entry_point: "test".into(),
        dispatches: dispatch.into(),
        binding_table: binding_table.collect(),
        stage: StageMetadata::Fragment(stage),
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

pub(crate) fn load(program: Vec<Inst>, metadata: Metadata) -> Kernel {
    Kernel::from_instructions(program, metadata, &Device::new(Platform::Skl)).unwrap()
}

/// One value for all channels: byte `sub` of a register.
pub(crate) fn scalar(register: u8, sub: u8, ty: Type) -> Src {
    Src::grf(register, sub, ty, Region::align1(0, 1, 0))
}

pub(crate) fn packed(register: u8, ty: Type) -> Src {
    Src::grf(register, 0, ty, Region::align1(8, 8, 1))
}

pub(crate) fn inst(opcode: Opcode, width: u8, register: u8, ty: Type, srcs: &[Src]) -> Inst {
    Inst::new(opcode).with_exec_size(width).with_dst(Dst::grf(register, 0, ty, 1)).with_srcs(srcs)
}

/// Interpolates component `component` of the attribute at register `setup` into `register`. The barycentric coordinates
/// are at r`at`.
pub(crate) fn interpolate(width: u8, register: u8, setup: u8, component: u8, at: u8) -> Inst {
    let place = scalar(setup + component / 2, component % 2 * 16, Type::F);
    inst(Opcode::Pln, width, register, Type::F, &[place, packed(at, Type::F)])
}

/// A message of a kind, with its payload from `payload` on.
pub(crate) fn message(
    message: Message,
    width: u8,
    payload: u8,
    (mlen, rlen): (u8, u8),
    response: Option<u8>,
    header: bool,
) -> Inst {
    let descriptor =
        Descriptor { mlen, ex_mlen: 0, rlen, header_present: header, surface_offset: 0, message };
    let generation = Device::new(Platform::Skl).generation();
    let (sfid, desc, ex_desc) = descriptor.encode(generation).unwrap();
    let dst = response.map_or(Dst::null(Type::Ud), |nr| Dst::grf(nr, 0, Type::Ud, 1));
    Inst::new(Opcode::Send)
        .with_exec_size(width)
        .with_dst(dst)
        .with_srcs(&[packed(payload, Type::Ud)])
        .with_extra(Extra::Send(Send::imm(sfid, desc, ex_desc)))
}

/// A render target write from `payload` on.
pub(crate) struct Write {
    pub(crate) target: u8,
    pub(crate) subtype: RtSubtype,
    pub(crate) upper: bool,
    pub(crate) last: bool,
    pub(crate) header: bool,
    pub(crate) payload: u8,
    pub(crate) registers: u8,
}

impl Write {
    /// The only write of a thread, without a header.
    pub(crate) fn only(subtype: RtSubtype, registers: u8) -> Write {
        Write {
            target: 0,
            subtype,
            upper: false,
            last: true,
            header: false,
            payload: OUT,
            registers,
        }
    }

    pub(crate) fn inst(&self) -> Inst {
        let wide = matches!(self.subtype, RtSubtype::Simd16 | RtSubtype::Simd16Replicated);
        let kind = Message::RenderTargetWrite {
            bti: Bti(self.target),
            subtype: self.subtype,
            upper_slots: self.upper,
            last: self.last,
            per_sample: false,
            coarse: false,
            half: false,
            commit: false,
            rt_index: 0,
            src0_alpha: false,
            null_rt: false,
        };
        let width = if wide { 16 } else { 8 };
        let mut inst = message(kind, width, self.payload, (self.registers, 0), None, self.header);
        inst.opcode = Opcode::Sendc;
        if let Extra::Send(send) = &mut inst.extra {
            send.eot = self.last;
        }
        inst
    }
}

/// The shader `colour = location 0` with threads of 8 or 16 pixels.
pub(crate) fn copy(width: u8, ty: ColourType) -> Kernel {
    let size = width / 8;
    let (at, setup) = (2, 2 + 2 * size);
    let mut program = Vec::new();
    for component in 0..4u8 {
        let register = OUT + component * size;
        program.push(match ty {
            ColourType::Float => interpolate(width, register, setup, component, at),
            _ => {
                let value = scalar(setup + component / 2, component % 2 * 16 + 12, Type::Ud);
                inst(Opcode::Mov, width, register, Type::Ud, &[value])
            }
        });
    }
    let subtype = if width == 16 { RtSubtype::Simd16 } else { RtSubtype::Simd8 };
    program.push(Write::only(subtype, 4 * size).inst());
    load(program, metadata(width.into(), setup.into(), stage(ty)))
}

/// A vertex with a position and the value of location 0.
pub(crate) fn vertex(position: [f32; 4], value: [u32; 4]) -> SlotValues {
    SlotValues::new()
        .with(Varying::Position, position.map(f32::to_bits))
        .with(Varying::Location { location: 0 }, value)
}
