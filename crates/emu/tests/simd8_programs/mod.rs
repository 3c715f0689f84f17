//! Small SIMD8 programs of the stages before the rasterizer, instruction by instruction.

#![allow(dead_code)]

pub(crate) mod stages;

use crate::common::{alu, dst, packed};
use crestline_device::{Device, Platform};
use crestline_emu::{EmuError, Kernel};
use crestline_isa::message::{Descriptor, Message, UrbLayout, UrbSwizzle};
use crestline_isa::{CondMod, Dst, Extra, Flag, Inst, Opcode, PredCtrl, Region, Send, Src, Type};
use crestline_program::{
    Content, Dispatch, FloatMode, GrfRange, Metadata, PayloadItem, StageMetadata, ThreadPayload,
    VERSION, Varying,
};

/// The platforms with SIMD8 threads that the emulator runs.
pub(crate) const ALL: [Platform; 7] = [
    Platform::Bdw,
    Platform::Chv,
    Platform::Skl,
    Platform::Bxt,
    Platform::Kbl,
    Platform::Glk,
    Platform::Cfl,
];

/// The first register of payloads of messages that end a thread.
pub(crate) const OUT: u8 = 112;

pub(crate) const fn location(location: u32) -> Varying {
    Varying::Location { location }
}

/// The fields of a URB message that tests vary.
#[derive(Clone, Copy, Default)]
pub(crate) struct Urb {
    pub(crate) offset: u16,
    pub(crate) per_slot_offset: bool,
    pub(crate) channel_mask: bool,
}

impl Urb {
    pub(crate) fn at(offset: u16) -> Urb {
        Urb { offset, ..Urb::default() }
    }

    /// A write of `registers` payload registers from r`payload` on.
    pub(crate) fn write(self, payload: u8, registers: u8) -> Inst {
        send(self.message(), payload, (registers, 0), None)
    }

    /// The message of a write.
    pub(crate) fn message(self) -> Message {
        Message::UrbWrite {
            layout: UrbLayout::Simd8,
            offset: self.offset,
            swizzle: UrbSwizzle::None,
            per_slot_offset: self.per_slot_offset,
            channel_mask: self.channel_mask,
            allocate: false,
            used: false,
            complete: false,
        }
    }

    /// A read of `count` registers to r`response`.
    pub(crate) fn read(self, payload: u8, registers: u8, response: u8, count: u8) -> Inst {
        let message = Message::UrbRead {
            layout: UrbLayout::Simd8,
            offset: self.offset,
            swizzle: UrbSwizzle::None,
            per_slot_offset: self.per_slot_offset,
            complete: false,
        };
        send(message, payload, (registers, count), Some(response))
    }
}

/// Descriptors of URB messages are the same on gen8 and gen9.
pub(crate) fn send(
    message: Message,
    payload: u8,
    (mlen, rlen): (u8, u8),
    response: Option<u8>,
) -> Inst {
    let descriptor =
        Descriptor { mlen, ex_mlen: 0, rlen, header_present: true, surface_offset: 0, message };
    let generation = Device::new(Platform::Bdw).generation();
    let (sfid, desc, ex_desc) = descriptor.encode(generation).expect("the message fits");
    let dst = response.map_or(Dst::null(Type::Ud), |register| dst(register, Type::Ud));
    alu(Opcode::Send, dst, &[packed(payload, Type::Ud)])
        .with_extra(Extra::Send(Send::imm(sfid, desc, ex_desc)))
}

/// Ends the thread with a message.
pub(crate) fn last(mut inst: Inst) -> Inst {
    if let Extra::Send(send) = &mut inst.extra {
        send.eot = true;
    }
    inst
}

/// `mov` of eight channels.
pub(crate) fn mov(to: u8, src: Src) -> Inst {
    alu(Opcode::Mov, dst(to, Type::Ud), &[src])
}

/// A register with a dword for each channel.
pub(crate) fn reg(register: u8) -> Src {
    packed(register, Type::Ud)
}

/// A dword for all channels.
pub(crate) fn scalar(register: u8, dword: u8) -> Src {
    Src::grf(register, 4 * dword, Type::Ud, Region::align1(0, 1, 0))
}

/// Writes the number of the channel to a register; changes the register after it.
pub(crate) fn channels(register: u8) -> Vec<Inst> {
    vec![
        alu(Opcode::Mov, dst(register + 1, Type::W), &[Src::imm(Type::V, 0x7654_3210)]),
        alu(Opcode::Mov, dst(register, Type::Ud), &[packed(register + 1, Type::W)]),
    ]
}

pub(crate) fn binary(opcode: Opcode, to: u8, srcs: [Src; 2]) -> Inst {
    alu(opcode, dst(to, Type::Ud), &srcs)
}

/// The flag that comparisons set.
const FLAG: Flag = Flag { nr: 0, subnr: 0 };

/// Sets the flag of each channel in which the comparison holds.
pub(crate) fn compare(condition: CondMod, left: Src, right: Src) -> Inst {
    alu(Opcode::Cmp, Dst::null(Type::Ud), &[left, right]).with_cond_mod(condition, FLAG)
}

/// Executes the instruction only in channels whose flag is set.
pub(crate) fn if_set(inst: Inst) -> Inst {
    inst.with_predicate(PredCtrl::Normal, false, FLAG)
}

/// Metadata of a stage. If `constants` is a register, it holds eight dwords: 1000, 1001, ...
pub(crate) fn metadata(
    platform: Platform,
    stage: StageMetadata,
    constants: Option<u32>,
) -> Metadata {
    let mut payload = ThreadPayload::default();
    if let Some(first) = constants {
        payload.cross_thread = Some(GrfRange { first, count: 1 });
        let bytes = (1000..1008u32).flat_map(u32::to_le_bytes).collect();
        let content = Content::Literal { bytes };
        payload.items.push(PayloadItem { offset: first * 32, size: 32, content });
    }
    Metadata {
        version: VERSION,
        platform,
        entry_point: "test".into(),
        dispatches: Dispatch::at_start(8, payload).into(),
        stage,
        binding_table: vec![],
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

/// Loads a program.
pub(crate) fn load(
    program: Vec<Inst>,
    platform: Platform,
    stage: StageMetadata,
    constants: Option<u32>,
) -> Result<Kernel, EmuError> {
    let metadata = metadata(platform, stage, constants);
    Kernel::from_instructions(program, metadata, &Device::new(platform))
}
