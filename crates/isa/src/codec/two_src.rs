//! The two-source formats, Align1 and Align16. Operations with one source and `math` use them too.

use super::common::{
    File, cond_mod, controls, direct, file, flag_reg, has_mrf, hstride, indirect, math_fn, opcode,
    reg_nr, shape, split, vstride, width,
};
use super::fields::{Sources, SrcFields};
use super::walk::{Result, Walk};
use crate::inst::imm_size;
use crate::inst::{
    Compression, Extra, Imm, Inst, Place, Reg, Region, Src, SrcReg, Swizzle, VStride, WriteMask,
};
use crate::tables::{AccessMode, Form, MathFn, Opcode, Type};
use crestline_device::Gen;

/// Whether source 0 is a 64-bit immediate.
fn has_imm64(i: &Inst) -> bool {
    i.srcs[0].as_imm().is_some_and(|imm| imm_size(imm.ty) == 8)
}

/// Operations with one source.
pub(super) fn one<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    dst::<L, _>(w, i)?;
    src::<L, 0, _>(w, i, false)?;
    // From gen11 movi has a mask of bytes as an optional second source (iga64).
    if i.opcode == Opcode::Movi && w.generation() >= Gen::Gen11 && i.srcs[0].as_imm().is_none() {
        src::<L, 1, _>(w, i, true)?;
    } else {
        w.require(i.srcs[1] == Src::None, i.opcode.name(), "has one source")?;
    }
    finish::<L, _>(w, i)
}

/// Operations with two sources. An immediate source 0 occupies the bits of source 1.
pub(super) fn two<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    dst::<L, _>(w, i)?;
    src::<L, 0, _>(w, i, false)?;
    if i.srcs[0].as_imm().is_none() {
        src::<L, 1, _>(w, i, false)?;
    } else {
        w.require(i.srcs[1] == Src::None, i.opcode.name(), "cannot have an immediate source 0")?;
    }
    finish::<L, _>(w, i)
}

/// Math. The function has the bits of the conditional modifier.
pub(super) fn math<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    let mut function = i.math().unwrap_or(MathFn::Inv);
    w.require(i.math().is_some(), "math", "needs a function")?;
    math_fn::<L, _>(w, &mut function)?;
    i.extra = Extra::Math(function);
    dst::<L, _>(w, i)?;
    src::<L, 0, _>(w, i, false)?;
    if i.srcs[0].as_imm().is_none() {
        src::<L, 1, _>(w, i, true)?;
    }
    w.require(i.cond_mod == crate::CondMod::None, "math", "has no conditional modifier")?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)
}

/// Accumulator write, saturation, conditional modifier and flag register. On some generations a
/// 64-bit immediate occupies the bits of the last two; they must then have their default values.
fn finish<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    w.require(i.srcs[2] == Src::None, i.opcode.name(), "has at most two sources")?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    let imm64 = has_imm64(i);
    if imm64 && L::IMM64.mask & L::COND_MOD.mask != 0 {
        let none = i.cond_mod == crate::CondMod::None;
        w.require(
            none,
            i.opcode.name(),
            "cannot have a conditional modifier and a 64-bit immediate",
        )?;
    } else {
        cond_mod::<L, _>(w, i)?;
    }
    if imm64 && L::IMM64.mask & L::FLAG_SUBREG_NR.mask != 0 {
        let none = i.flag == crate::Flag::default();
        return w.require(none, i.opcode.name(), "cannot name a flag and a 64-bit immediate");
    }
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)
}

/// Destination.
pub(super) fn dst<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    let align16 = i.access_mode == AccessMode::Align16;
    let is_macro = i.is_macro();
    let mut dst = i.dst;
    w.require(
        dst.mme.is_some() == is_macro,
        i.opcode.name(),
        "must have mme registers if it is a macro, and only then",
    )?;
    w.code(
        L::DST_TYPE,
        "destination type",
        &mut dst.ty,
        |ty| ty.reg_bits(generation).map(u64::from),
        |code| Type::from_reg_bits(generation, code as u8),
    )?;
    let mut is_indirect = matches!(dst.place, Place::Indirect { .. });
    w.flag(L::DST_ADDR_MODE, &mut is_indirect)?;
    let mut mme = dst.mme.unwrap_or(0);
    if is_indirect {
        if generation < Gen::Gen12 {
            w.fixed(L::DST_REG_FILE, 1);
        }
        let (mut addr, mut offset) = indirect(dst.place);
        w.byte(L::DST_IND_ADDR_SUBREG_NR, &mut addr)?;
        if align16 {
            w.signed(L::A16_DST_IND_ADDR_IMM_16B, &mut offset, 16, 0)?;
            w.byte(L::A16_DST_CHAN_EN, &mut dst.writemask.0)?;
        } else {
            w.signed(L::DST_IND_ADDR_IMM, &mut offset, 1, 0)?;
        }
        // The offset is -512 to 511, so it fits.
        dst.place = Place::Indirect { addr, offset: offset as i16 };
    } else {
        let (mut reg, mut sub) = direct(dst.place);
        let mut f = split(reg).0;
        file(w, L::DST_REG_FILE, &mut f, has_mrf(generation))?;
        far_apart(w, i, &mut reg, |w, reg| reg_nr(w, L::DST_REG_NR, f, reg))?;
        match (align16, is_macro) {
            (false, false) => w.byte(L::DST_SUBREG_NR, &mut sub)?,
            (false, true) => w.byte(L::DST_SUBREG_NR, &mut mme)?,
            (true, false) => {
                w.scaled(L::A16_DST_SUBREG_NR_16B, &mut sub, 16)?;
                w.byte(L::A16_DST_CHAN_EN, &mut dst.writemask.0)?;
            }
            (true, true) => {
                w.scaled(L::A16_DST_SUBREG_NR_16B, &mut sub, 16)?;
                w.byte(L::A16_DST_CHAN_EN, &mut mme)?;
            }
        }
        dst.place = Place::Direct { reg, sub };
    }
    if align16 {
        // The manual asks for stride 1; assemblers write 0 in the macros.
        w.fixed(L::DST_HSTRIDE, u64::from(!is_macro));
        w.require(dst.hstride == 1, i.opcode.name(), "has destination stride 1 in Align16")?;
    } else {
        hstride(w, L::DST_HSTRIDE, &mut dst.hstride)?;
        w.require(
            dst.writemask == WriteMask::XYZW,
            i.opcode.name(),
            "has a write mask in Align16 only",
        )?;
    }
    dst.mme = is_macro.then_some(mme);
    i.dst = dst;
    Ok(())
}

/// Bit of a message register's number that means: the two halves of a compressed instruction write
/// registers four apart (gen4 and gen5; source: Mesa's code generator).
const COMPR4: u8 = 0x80;

/// Visits the number of a destination register with `number`. On gen4 and gen5, translates between
/// bit [`COMPR4`] of a message register's number and [`Compression::Compr4`].
fn far_apart<const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    reg: &mut Reg,
    number: impl Fn(&mut Walk<E>, &mut Reg) -> Result<()>,
) -> Result<()> {
    if w.generation() > Gen::Gen5 {
        return number(w, reg);
    }
    match (i.compression, &mut *reg) {
        (Compression::Compr4, Reg::Mrf(nr)) if *nr < COMPR4 => *nr |= COMPR4,
        (Compression::Compr4, _) => return shape(i, "with compr4 writes a message register"),
        (Compression::Compressed, Reg::Mrf(nr)) if *nr >= COMPR4 => {
            return shape(i, "is compr4 with bit 7 of the message register set");
        }
        _ => {}
    }
    number(w, reg)?;
    if let (false, Compression::Compressed, Reg::Mrf(nr @ COMPR4..)) = (E, i.compression, &mut *reg)
    {
        *nr &= !COMPR4;
        i.compression = Compression::Compr4;
    }
    Ok(())
}

/// The code of immediates among the register files up to gen11.
pub(super) const IMM_FILE: u64 = 3;

/// Register file of a source up to gen11. An indirect source is in the general registers, whatever
/// the field contains.
#[inline(always)]
pub(super) fn src_file<const E: bool>(
    w: &mut Walk<E>,
    f: &SrcFields,
    is_indirect: bool,
    reg_file: &mut File,
) -> Result<()> {
    if is_indirect || !E && w.peek(f.addr_mode) != 0 && w.peek(f.reg_file) != IMM_FILE {
        w.fixed(f.reg_file, 1);
        *reg_file = File::Grf;
        return Ok(());
    }
    file(w, f.reg_file, reg_file, has_mrf(w.generation()))
}

/// Source `N`. If it is `optional` and absent, it is encoded as zeros.
pub(super) fn src<L: Sources, const N: usize, const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    optional: bool,
) -> Result<()> {
    let f = &L::SRC[N];
    let generation = w.generation();
    if E && i.srcs[N] == Src::None {
        return if optional { Ok(()) } else { shape(i, "lacks a source") };
    }
    let mut reg =
        i.srcs[N].as_reg().copied().unwrap_or(SrcReg::new(Place::NULL, Type::Ud, Region::SCALAR));
    let mut is_imm = matches!(i.srcs[N], Src::Imm(_));
    let is_indirect = matches!(reg.place, Place::Indirect { .. });
    let mut reg_file = match (is_imm, is_indirect) {
        (true, _) => File::Imm,
        (_, true) => File::Grf,
        _ => split(direct(reg.place).0).0,
    };
    if f.is_imm.exists() {
        w.flag(f.is_imm, &mut is_imm)?;
    } else {
        src_file(w, f, is_indirect, &mut reg_file)?;
        is_imm = reg_file == File::Imm;
    }
    if is_imm {
        return imm::<L, N, _>(w, i);
    }
    register::<L, N, _>(w, i, &mut reg, reg_file)?;
    if !E {
        i.srcs[N] = if optional && is_zero(&reg, generation) { Src::None } else { Src::Reg(reg) };
    }
    Ok(())
}

/// A source that is known to be a register: type, modifiers, place and region.
pub(super) fn register<L: Sources, const N: usize, const E: bool>(
    w: &mut Walk<E>,
    i: &Inst,
    reg: &mut SrcReg,
    reg_file: File,
) -> Result<()> {
    let f = &L::SRC[N];
    let generation = w.generation();
    w.code(
        f.ty,
        "source type",
        &mut reg.ty,
        |ty| ty.reg_bits(generation).map(u64::from),
        |code| Type::from_reg_bits(generation, code as u8),
    )?;
    w.flag(f.negate, &mut reg.negate)?;
    w.flag(f.abs, &mut reg.abs)?;
    place_and_region::<L, N, _>(w, i, reg, reg_file)
}

/// Whether an operand is what zero bits decode to.
fn is_zero(src: &SrcReg, generation: Gen) -> bool {
    let region = match src.region {
        Region::Align16 { vstride, swizzle } => {
            vstride == 0 && (src.mme.is_some() || swizzle == Swizzle([0; 4]))
        }
        region => region == Region::SCALAR,
    };
    let plain = !src.negate && !src.abs && src.mme.unwrap_or(0) == 0;
    region && plain && src.place == Place::NULL && src.ty.reg_bits(generation) == Some(0)
}

/// An immediate source.
fn imm<L: Sources, const N: usize, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let f = &L::SRC[N];
    let generation = w.generation();
    let mut imm = match i.srcs[N] {
        Src::Imm(imm) => imm,
        _ => Imm { ty: Type::Ud, bits: 0 },
    };
    let dim = i.opcode == Opcode::Dim;
    w.code(
        f.ty,
        "immediate type",
        &mut imm.ty,
        // The 64-bit immediate of dim has the type code of F.
        |ty| match ty {
            Type::Df if dim => Type::F.imm_bits(generation).map(u64::from),
            _ if dim => None,
            _ => ty.imm_bits(generation).map(u64::from),
        },
        |code| match Type::from_imm_bits(generation, code as u8) {
            Some(Type::F) if dim => Some(Type::Df),
            _ if dim => None,
            ty => ty,
        },
    )?;
    match imm_size(imm.ty) {
        8 if i.opcode.form() == Form::One && N == 0 => w.uint(L::IMM64, &mut imm.bits)?,
        8 => return shape(i, "cannot have a 64-bit immediate"),
        4 => w.uint(L::IMM32, &mut imm.bits)?,
        _ => {
            w.uint(L::IMM16, &mut imm.bits)?;
            w.fixed(L::IMM16_COPY, imm.bits);
        }
    }
    if !E {
        i.srcs[N] = Src::Imm(imm);
    }
    Ok(())
}

/// Register, address mode and region of a source. Up to gen11 the caller has visited the register
/// file, `reg_file`; from gen12 this function visits it.
fn place_and_region<L: Sources, const N: usize, const E: bool>(
    w: &mut Walk<E>,
    i: &Inst,
    src: &mut SrcReg,
    mut reg_file: File,
) -> Result<()> {
    let f = &L::SRC[N];
    let align16 = i.access_mode == AccessMode::Align16;
    let is_macro = i.is_macro();
    let mut mme = src.mme.unwrap_or(0);
    let mut is_indirect = matches!(src.place, Place::Indirect { .. });
    w.flag(f.addr_mode, &mut is_indirect)?;
    if is_indirect {
        let (mut addr, mut offset) = indirect(src.place);
        w.byte(f.ind_addr_subreg_nr, &mut addr)?;
        if align16 {
            w.signed(f.ind_addr_imm_16b, &mut offset, 16, 0)?;
        } else {
            w.signed(f.ind_addr_imm, &mut offset, 1, 0)?;
        }
        src.place = Place::Indirect { addr, offset: offset as i16 };
    } else {
        let (mut reg, mut sub) = direct(src.place);
        if f.is_imm.exists() {
            file(w, f.reg_file, &mut reg_file, false)?;
        }
        reg_nr(w, f.reg_nr, reg_file, &mut reg)?;
        match (align16, is_macro) {
            (false, false) => w.byte(f.subreg_nr, &mut sub)?,
            (false, true) => w.byte(f.subreg_nr, &mut mme)?,
            (true, false) => w.scaled(f.subreg_nr_16b, &mut sub, 16)?,
            (true, true) => {
                w.scaled(f.subreg_nr_16b, &mut sub, 16)?;
                w.byte(f.mme, &mut mme)?;
                w.fixed(f.mme_pad, 0);
            }
        }
        src.place = Place::Direct { reg, sub };
    }
    src.mme = is_macro.then_some(mme);
    if align16 {
        let (mut stride, mut swizzle) = match src.region {
            Region::Align16 { vstride, swizzle } => (VStride::Elements(vstride), swizzle),
            _ if E => return shape(i, "needs Align16 sources"),
            _ => (VStride::Elements(0), Swizzle::XYZW),
        };
        vstride(w, f.vstride, &mut stride)?;
        if !is_macro {
            w.code(
                f.swizzle,
                "swizzle",
                &mut swizzle,
                |s| s.bits().map(u64::from),
                |code| Some(Swizzle::from_bits(code as u8)),
            )?;
        }
        let VStride::Elements(vstride) = stride else {
            return shape(i, "cannot have a VxH region in Align16");
        };
        src.region = Region::Align16 { vstride, swizzle };
        return Ok(());
    }
    let (mut v, mut n, mut h) = match src.region {
        Region::Align1 { vstride, width, hstride } => (vstride, width, hstride),
        _ if E => return shape(i, "needs Align1 sources"),
        _ => (VStride::Elements(0), 1, 0),
    };
    vstride(w, f.vstride, &mut v)?;
    width(w, f.width, &mut n)?;
    hstride(w, f.hstride, &mut h)?;
    src.region = Region::Align1 { vstride: v, width: n, hstride: h };
    Ok(())
}
