//! One machine instruction in typed form: physical registers only, no compiler IR.
//!
//! Units, everywhere: subregister offsets and immediate address offsets in **bytes**, strides
//! and widths in elements, execution sizes and channel groups in channels, branch targets in
//! bytes. The codec translates from and to each generation's own units.
//!
//! All types are plain data with public fields, so they can hold illegal combinations. The encoder
//! refuses those that the instruction format cannot hold; `validate` finds those that the hardware
//! forbids.

mod build;
mod operand;

pub use operand::{
    Dst, Imm, Place, Reg, Region, Src, SrcReg, Swizzle, VStride, WriteMask, imm_size,
};

use crate::tables::{AccessMode, CondMod, MathFn, Opcode, PredCtrl, Sfid, SyncFn, ThreadCtrl};

/// One instruction of the EU.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Operation.
    pub opcode: Opcode,
    /// Number of channels: 1, 2, 4, 8, 16 or 32.
    pub exec_size: u8,
    /// First channel of the dispatch mask this instruction works on: a multiple of 4 up to 28
    /// (quarter and nibble control). Before gen7 multiples of 8 only.
    pub group: u8,
    /// Align1 or Align16.
    pub access_mode: AccessMode,
    /// Whether the instruction ignores the execution mask (`WE_all`, NoMask).
    pub no_mask: bool,
    /// Predication.
    pub predicate: Predicate,
    /// Flag register read by the predicate and written by the conditional modifier. Written
    /// into the instruction even if neither is present.
    pub flag: Flag,
    /// Conditional modifier.
    pub cond_mod: CondMod,
    /// Whether the result is clamped to the destination's range.
    pub saturate: bool,
    /// Whether the result is also written to the accumulator (gen6 on).
    pub acc_wr_en: bool,
    /// `NoDDClr` (up to gen11): the hardware scoreboard does not clear the dependency on the
    /// destination when this instruction completes.
    pub no_dd_clear: bool,
    /// `NoDDChk` (up to gen11): the instruction does not wait for earlier writes of its
    /// destination.
    pub no_dd_check: bool,
    /// Thread control: thread switches and preemption at this instruction.
    pub thread_ctrl: ThreadCtrl,
    /// Breakpoint (`DebugCtrl`).
    pub breakpoint: bool,
    /// Software scoreboard (gen12 on).
    pub swsb: Swsb,
    /// SIMD16 compression (gen4 and gen5).
    pub compression: Compression,
    /// `MaskCtrlEx` bit (gen4.5 and gen5).
    pub mask_ctrl_ex: bool,
    /// Destination. [`Dst::null`] where the operation has none.
    pub dst: Dst,
    /// Sources; [`Src::None`] beyond those the operation has.
    pub srcs: [Src; 3],
    /// Fields that only instructions of the opcode's [form](Opcode::form) have.
    pub extra: Extra,
    /// Whether the instruction has the 64-bit encoding; the encoder of programs then writes that
    /// one.
    pub compacted: bool,
    /// Bits that the fields above do not represent: the exclusive or of the decoded bits and the
    /// bits that the encoder writes for the fields. Zero in instructions that this project
    /// generates.
    pub residue: u128,
    /// The residue of the 64-bit form of a compacted instruction: the exclusive or of the decoded
    /// 64 bits and the result of [`compact`](crate::compact::compact) for the expanded instruction
    /// (0 if it has no result). Not zero for 64-bit forms that the hardware accepts but compilers
    /// do not write.
    pub compact_residue: u64,
}

/// Predication of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// Which flag bits enable a channel.
    pub ctrl: PredCtrl,
    /// Whether the enable is inverted.
    pub inverse: bool,
}

impl Predicate {
    /// Not predicated.
    pub const NONE: Predicate = Predicate { ctrl: PredCtrl::None, inverse: false };
    /// Enabled by the channel's own flag bit.
    pub const NORMAL: Predicate = Predicate { ctrl: PredCtrl::Normal, inverse: false };
}

/// A 16-bit flag subregister: `f1.0` is `nr` 1, `subnr` 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Flag {
    /// Flag register, 0 or 1 (0 only before gen7).
    pub nr: u8,
    /// 16-bit half of the register, 0 or 1.
    pub subnr: u8,
}

/// SIMD16 compression control of gen4 and gen5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Compression {
    /// Not compressed. An instruction for channels 8 to 15 has [`Inst::group`] 8.
    #[default]
    None,
    /// A SIMD16 instruction, which the hardware runs as two halves of 8 channels.
    Compressed,
    /// Compressed; the destination message registers of the two halves are four apart. In the
    /// encoding, bit 7 of the destination's register number is set; the number in [`Inst::dst`]
    /// does not include this bit.
    Compr4,
}

/// Software scoreboard information of gen12 and gen12.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Swsb {
    /// Wait for the in-order instruction this many back, 1 to 7; 0 means no wait.
    pub distance: u8,
    /// Pipe the distance counts in (gen12.5); [`SwsbPipe::Implied`] on gen12.
    pub pipe: SwsbPipe,
    /// Scoreboard token, and the action on it.
    pub token: Option<SwsbToken>,
}

/// In-order pipe of a register distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SwsbPipe {
    /// The pipe of this instruction (gen12: the only one).
    #[default]
    Implied,
    /// All in-order pipes.
    All,
    /// Float pipe.
    Float,
    /// Integer pipe.
    Int,
    /// 64-bit pipe.
    Long,
}

/// Scoreboard token and what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SwsbToken {
    /// Action.
    pub mode: TokenMode,
    /// Token 0 to 15.
    pub id: u8,
}

/// What an instruction does with its scoreboard token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenMode {
    /// Allocate it for this out-of-order instruction.
    Set,
    /// Wait until the token's owner has read its sources.
    Src,
    /// Wait until the token's owner has written its destination.
    Dst,
}

/// Fields that only one form of instruction has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Extra {
    /// Nothing.
    None,
    /// Math function.
    Math(MathFn),
    /// Sync function.
    Sync(SyncFn),
    /// Branch targets.
    Branch(Branch),
    /// Message.
    Send(Send),
    /// Truth table of `bfn`: bit `s2*4 + s1*2 + s0` is the result for those source bits.
    Bfn(u8),
    /// Systolic parameters of `dpas` and `dpasw`.
    Dpas(Dpas),
}

/// Targets of a flow control instruction, in **bytes relative to the start of this instruction**.
///
/// The codec translates them from and to the units of the hardware, and `jmpi` up to gen11 from and
/// to distances that count from the next instruction. The one exception is `calla`, whose target is
/// an absolute byte address.
///
/// If the target is in a register, `jip` is `None` and the register is source 0. The `endif` of
/// gen4 and gen5 pops the mask stack and does not jump; its `jip` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Branch {
    /// Jump target (JIP; the single target of `jmpi`, `call`, `calla`; the jump count of
    /// gen4-6).
    pub jip: Option<i32>,
    /// Update target (UIP), in the operations that have one.
    pub uip: Option<i32>,
    /// `BranchCtrl` bit (gen8 on).
    pub branch_ctrl: bool,
    /// Mask stack entries to pop (gen4 and gen5), 0 to 15.
    pub pop_count: u8,
}

/// The message of a `send`: shared function, descriptors and options.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Send {
    /// Shared function. On gen9 and gen11, if [`Send::ex_desc`] is a register, its bits 3:0 select
    /// the function and assemblers write [`Sfid::Null`] here.
    pub sfid: Sfid,
    /// Message descriptor, without function id and end-of-thread bit.
    pub desc: DescSrc,
    /// Extended message descriptor (gen9 on; immediate 0 before).
    pub ex_desc: DescSrc,
    /// Whether this ends the thread.
    pub eot: bool,
    /// First message register of the payload (gen4 and gen5, 0 to 15).
    pub base_mrf: u8,
    /// Number of registers in the second payload, for [`Send::ex_bso`]. It has a field of its own
    /// on gen12.5 with a register [`Send::ex_desc`]; otherwise it is 0 here and the extended
    /// descriptor holds the number.
    pub src1_len: u8,
    /// Serialise the fused EU pair (gen12 on).
    pub fusion_ctrl: bool,
    /// The extended descriptor register holds a bindless surface offset (gen12.5).
    pub ex_bso: bool,
    /// Coarse pixel LOD compensation (gen12.5).
    pub cps_lod_comp: bool,
}

/// Where a message descriptor comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescSrc {
    /// An immediate.
    Imm(u32),
    /// A dword of the address register `a0`.
    Reg {
        /// Index of the dword in a0. Always 0 for message descriptors; 0 to 7 for extended ones.
        dword: u8,
    },
}

impl DescSrc {
    /// The immediate value, if it is one.
    pub fn imm(self) -> Option<u32> {
        match self {
            DescSrc::Imm(value) => Some(value),
            DescSrc::Reg { .. } => None,
        }
    }
}

/// Parameters of a systolic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dpas {
    /// Systolic depth: 1, 2, 4 or 8.
    pub depth: u8,
    /// Repeat count, 1 to 8.
    pub repeat: u8,
    /// Bits per element of source 1: 8, 4, 2 or 1.
    pub src1_bits: u8,
    /// Bits per element of source 2.
    pub src2_bits: u8,
}

impl Inst {
    /// The branch part, if it is a flow control instruction.
    pub fn branch(&self) -> Option<&Branch> {
        match &self.extra {
            Extra::Branch(branch) => Some(branch),
            _ => None,
        }
    }

    /// The message part, if it is a send.
    pub fn send(&self) -> Option<&Send> {
        match &self.extra {
            Extra::Send(send) => Some(send),
            _ => None,
        }
    }

    /// The math function, if it is a `math` instruction.
    pub fn math(&self) -> Option<MathFn> {
        match self.extra {
            Extra::Math(function) => Some(function),
            _ => None,
        }
    }

    /// Size in memory, in bytes: 8 if compacted, 16 otherwise.
    pub fn size(&self) -> u32 {
        if self.compacted { 8 } else { 16 }
    }

    /// Whether the operation uses the extended precision (mme) numbers of its operands:
    /// `madm`, `math invm`, `math rsqrtm`.
    pub fn is_macro(&self) -> bool {
        self.opcode == Opcode::Madm || self.math().is_some_and(MathFn::is_macro)
    }
}
