//! One machine instruction in typed form: physical registers only, no compiler IR.
//!
//! Units, everywhere: subregister offsets and immediate address offsets in **bytes**, strides
//! and widths in elements, execution sizes and channel groups in channels, branch targets in
//! bytes. The codec translates from and to each generation's own units.
//!
//! Everything is plain data with public fields; whether a combination is legal is the
//! business of the encoder (does it fit?) and of `validate` (is it allowed?).

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
    /// Destination dependency is not cleared (up to gen11).
    pub no_dd_clear: bool,
    /// Destination dependency is not checked (up to gen11).
    pub no_dd_check: bool,
    /// Thread control.
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
    /// What is particular to the operation's form.
    pub extra: Extra,
    /// Whether the instruction is, or is to be, encoded in 64 bits.
    pub compacted: bool,
    /// Difference between the instruction's bits and those the encoder makes of the fields
    /// above: bits the typed form does not model. Zero in instructions made by this project.
    pub residue: u128,
    /// The same for the 64-bit form of a compacted instruction: difference between the bits found
    /// and those that [`compact`](crate::compact::compact) makes of the expansion (all zeros
    /// where it makes none). Forms that hardware reads and compilers do not write have one.
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
    /// Half of it, 0 or 1.
    pub subnr: u8,
}

/// SIMD16 compression control of gen4 and gen5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Compression {
    /// Not compressed; the second half is [`Inst::group`] 8.
    #[default]
    None,
    /// A SIMD16 instruction split in two halves.
    Compressed,
    /// Compressed, with destination message registers four apart. Bit 7 of the register's number
    /// says so in the instruction, and is not part of the number here.
    Compr4,
}

/// Software scoreboard information of gen12 and gen12.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Swsb {
    /// Wait for the in-order instruction this many back, 1 to 7; 0 means no wait.
    pub distance: u8,
    /// Pipe the distance counts in (gen12.5); [`SwsbPipe::Implied`] on gen12.
    pub pipe: SwsbPipe,
    /// Scoreboard token action.
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

/// What only one form of instruction has.
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

/// Targets of a flow control instruction, in **bytes relative to the start of this
/// instruction**, whatever the hardware counts: other units, and `jmpi` up to gen11 from the
/// next instruction, are translated. `calla`, which the hardware takes as absolute, is the one
/// exception and holds the absolute byte address.
///
/// Instructions whose target is in a register have `jip` `None` and the register as source 0.
/// The `endif` of gen4 and gen5 only pops; its distance is 0.
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

/// A message: where it goes and what it asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Send {
    /// Shared function. With a register [`Send::ex_desc`] on gen9 and gen11 assemblers write
    /// [`Sfid::Null`] here and the function is bits 3:0 of the register.
    pub sfid: Sfid,
    /// Message descriptor, without function id and end-of-thread bit.
    pub desc: DescSrc,
    /// Extended message descriptor (gen9 on; immediate 0 before).
    pub ex_desc: DescSrc,
    /// Whether this ends the thread.
    pub eot: bool,
    /// First message register of the payload (gen4 and gen5, 0 to 15).
    pub base_mrf: u8,
    /// Registers in the second payload where the instruction has a field for it beside the
    /// extended descriptor (gen12.5 with [`Send::ex_bso`]); 0 elsewhere.
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
    /// The address register: `a0` at a subregister counted in dwords.
    Reg {
        /// Dword of a0; 0 for message descriptors.
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
