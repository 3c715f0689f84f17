//! Constructors for the common forms of instructions and operands.

use super::{
    Branch, Compression, DescSrc, Dst, Extra, Flag, Imm, Inst, Place, Predicate, Reg, Region, Send,
    Src, SrcReg, Swizzle, Swsb, WriteMask,
};
use crate::tables::{AccessMode, ArfKind, CondMod, Opcode, PredCtrl, Sfid, ThreadCtrl, Type};

impl Inst {
    /// An instruction of one channel with null destination and no sources; Align1, not
    /// predicated, nothing set.
    pub fn new(opcode: Opcode) -> Inst {
        Inst {
            opcode,
            exec_size: 1,
            group: 0,
            access_mode: AccessMode::Align1,
            no_mask: false,
            predicate: Predicate::NONE,
            flag: Flag::default(),
            cond_mod: CondMod::None,
            saturate: false,
            acc_wr_en: false,
            no_dd_clear: false,
            no_dd_check: false,
            thread_ctrl: ThreadCtrl::Normal,
            breakpoint: false,
            swsb: Swsb::default(),
            compression: Compression::None,
            mask_ctrl_ex: false,
            dst: Dst::null(Type::Ud),
            srcs: [Src::None; 3],
            extra: Extra::None,
            compacted: false,
            residue: 0,
            compact_residue: 0,
        }
    }

    /// Sets the execution size, in channels.
    pub fn with_exec_size(mut self, channels: u8) -> Inst {
        self.exec_size = channels;
        self
    }

    /// Sets the channel group: the first channel of the dispatch mask that the instruction works
    /// on.
    pub fn with_group(mut self, first_channel: u8) -> Inst {
        self.group = first_channel;
        self
    }

    /// Sets NoMask: the instruction ignores the execution mask.
    pub fn with_no_mask(mut self) -> Inst {
        self.no_mask = true;
        self
    }

    /// Sets the destination.
    pub fn with_dst(mut self, dst: Dst) -> Inst {
        self.dst = dst;
        self
    }

    /// Sets the sources; ignores those after the third.
    pub fn with_srcs(mut self, srcs: &[Src]) -> Inst {
        for (slot, src) in self.srcs.iter_mut().zip(srcs) {
            *slot = *src;
        }
        self
    }

    /// Sets the fields that only instructions of this form have.
    pub fn with_extra(mut self, extra: Extra) -> Inst {
        self.extra = extra;
        self
    }

    /// Sets the predicate and the flag subregister that it reads.
    pub fn with_predicate(mut self, ctrl: PredCtrl, inverse: bool, flag: Flag) -> Inst {
        self.predicate = Predicate { ctrl, inverse };
        self.flag = flag;
        self
    }

    /// Sets the conditional modifier and the flag subregister that it writes.
    pub fn with_cond_mod(mut self, cond_mod: CondMod, flag: Flag) -> Inst {
        self.cond_mod = cond_mod;
        self.flag = flag;
        self
    }
}

impl Branch {
    /// A branch with one target, in bytes from the start of the branch.
    pub fn jip(jip: i32) -> Branch {
        Branch { jip: Some(jip), ..Branch::default() }
    }

    /// A branch with two targets, in bytes from the start of the branch.
    pub fn jip_uip(jip: i32, uip: i32) -> Branch {
        Branch { jip: Some(jip), uip: Some(uip), ..Branch::default() }
    }
}

impl Send {
    /// A message with immediate descriptors.
    pub fn imm(sfid: Sfid, desc: u32, ex_desc: u32) -> Send {
        Send {
            sfid,
            desc: DescSrc::Imm(desc),
            ex_desc: DescSrc::Imm(ex_desc),
            eot: false,
            base_mrf: 0,
            src1_len: 0,
            fusion_ctrl: false,
            ex_bso: false,
            cps_lod_comp: false,
        }
    }
}

impl Dst {
    /// A destination at a place, with a horizontal stride in elements.
    pub fn new(place: Place, ty: Type, hstride: u8) -> Dst {
        Dst { place, ty, hstride, writemask: WriteMask::XYZW, mme: None }
    }

    /// The null register.
    pub fn null(ty: Type) -> Dst {
        Dst::new(Place::NULL, ty, 1)
    }

    /// General register `nr` from byte `sub`.
    pub fn grf(nr: u8, sub: u8, ty: Type, hstride: u8) -> Dst {
        Dst::new(Place::Direct { reg: Reg::Grf(nr), sub }, ty, hstride)
    }

    /// Architecture register from byte `sub`, with stride 1.
    pub fn arf(kind: ArfKind, nr: u8, sub: u8, ty: Type) -> Dst {
        Dst::new(Place::Direct { reg: Reg::Arf(kind, nr), sub }, ty, 1)
    }

    /// Register addressed by 16-bit subregister `addr` of a0 plus a byte offset.
    pub fn indirect(addr: u8, offset: i16, ty: Type, hstride: u8) -> Dst {
        Dst::new(Place::Indirect { addr, offset }, ty, hstride)
    }

    /// Sets the write mask (Align16).
    pub fn with_writemask(mut self, mask: WriteMask) -> Dst {
        self.writemask = mask;
        self
    }
}

impl SrcReg {
    /// A source at a place.
    pub fn new(place: Place, ty: Type, region: Region) -> SrcReg {
        SrcReg { place, ty, region, negate: false, abs: false, mme: None }
    }
}

impl Src {
    /// General register `nr` from byte `sub`.
    pub fn grf(nr: u8, sub: u8, ty: Type, region: Region) -> Src {
        Src::Reg(SrcReg::new(Place::Direct { reg: Reg::Grf(nr), sub }, ty, region))
    }

    /// General register in Align16 mode with vertical stride 4.
    pub fn grf_align16(nr: u8, sub: u8, ty: Type, swizzle: Swizzle) -> Src {
        Src::grf(nr, sub, ty, Region::Align16 { vstride: 4, swizzle })
    }

    /// Architecture register from byte `sub`.
    pub fn arf(kind: ArfKind, nr: u8, sub: u8, ty: Type, region: Region) -> Src {
        Src::Reg(SrcReg::new(Place::Direct { reg: Reg::Arf(kind, nr), sub }, ty, region))
    }

    /// The null register.
    pub fn null(ty: Type) -> Src {
        Src::Reg(SrcReg::new(Place::NULL, ty, Region::SCALAR))
    }

    /// Register addressed by 16-bit subregister `addr` of a0 plus a byte offset.
    pub fn indirect(addr: u8, offset: i16, ty: Type, region: Region) -> Src {
        Src::Reg(SrcReg::new(Place::Indirect { addr, offset }, ty, region))
    }

    /// Immediate of a type from its bits; see [`Imm::bits`].
    pub fn imm(ty: Type, bits: u64) -> Src {
        Src::Imm(Imm { ty, bits })
    }

    /// 32-bit float immediate.
    pub fn imm_f(value: f32) -> Src {
        Src::imm(Type::F, u64::from(value.to_bits()))
    }

    /// 64-bit float immediate.
    pub fn imm_df(value: f64) -> Src {
        Src::imm(Type::Df, value.to_bits())
    }

    /// Signed 32-bit immediate.
    pub fn imm_d(value: i32) -> Src {
        Src::imm(Type::D, u64::from(value.cast_unsigned()))
    }

    /// Unsigned 32-bit immediate.
    pub fn imm_ud(value: u32) -> Src {
        Src::imm(Type::Ud, u64::from(value))
    }

    /// Signed 16-bit immediate.
    pub fn imm_w(value: i16) -> Src {
        Src::imm(Type::W, u64::from(value.cast_unsigned()))
    }

    /// Unsigned 16-bit immediate.
    pub fn imm_uw(value: u16) -> Src {
        Src::imm(Type::Uw, u64::from(value))
    }

    /// Toggles the negation of a register source. Immediates have no modifiers and are unchanged.
    pub fn negated(mut self) -> Src {
        if let Src::Reg(reg) = &mut self {
            reg.negate = !reg.negate;
        }
        self
    }

    /// Makes a register source the absolute value of the register. Immediates are unchanged.
    pub fn absolute(mut self) -> Src {
        if let Src::Reg(reg) = &mut self {
            reg.abs = true;
            reg.negate = false;
        }
        self
    }
}
