//! The three-source formats: Align16 (gen6 to gen9), Align1 (gen11 on), and `bfn` and `dpas`
//! (gen12.5), whose formats are similar to Align1. Functions with `16` in their names are for
//! Align16, those with `1` for Align1.

use super::common::{
    File, cond_mod, controls, direct, flag_reg, hstride, opcode, reg_nr, shape, split,
};
use super::fields::{Field, Layout, Sources};
use super::walk::{Result, Walk};
use crate::inst::{Dpas, Extra, Imm, Inst, Place, Reg, Region, Src, SrcReg, Swizzle, WriteMask};
use crate::tables::{AccessMode, Type};
use crestline_device::Gen;

/// A three-source instruction in the format of its generation.
pub(super) fn three<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    if w.generation() <= Gen::Gen9 { align16::<L, _>(w, i) } else { align1::<L, _>(w, i) }
}

/// Register source `n`. Fails if the source is absent, an immediate or indirect.
fn source(i: &Inst, n: usize) -> Result<SrcReg> {
    match i.srcs[n] {
        Src::Reg(reg) if matches!(reg.place, Place::Direct { .. }) => Ok(reg),
        _ => shape(i, "needs three direct register sources"),
    }
}

/// A source to fill when decoding.
const NULL: SrcReg = SrcReg {
    place: Place::NULL,
    ty: Type::F,
    region: Region::SCALAR,
    negate: false,
    abs: false,
    mme: None,
};

/// The Align16 format.
fn align16<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::T16_NIB_CTRL)?;
    if i.access_mode != AccessMode::Align16 {
        return shape(i, "exists in Align16 only");
    }
    cond_mod::<L, _>(w, i)?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    flag_reg(w, i, L::T16_FLAG_REG_NR, L::T16_FLAG_SUBREG_NR)?;
    let is_macro = i.is_macro();
    let mut srcs = [NULL; 3];
    if E {
        srcs = [source(i, 0)?, source(i, 1)?, source(i, 2)?];
    }
    // Types: gen6 has F only. Later all sources share one type field; from gen8, one bit each for
    // sources 1 and 2 mixes F and HF.
    let mut src_ty = srcs[0].ty;
    if L::T16_SRC_TYPE.exists() {
        type16(w, L::T16_DST_TYPE, &mut i.dst.ty)?;
        type16(w, L::T16_SRC_TYPE, &mut src_ty)?;
    } else {
        let float = [i.dst.ty, srcs[0].ty, srcs[1].ty, srcs[2].ty] == [Type::F; 4];
        w.require(float, i.opcode.name(), "works on F only")?;
        i.dst.ty = Type::F;
        src_ty = Type::F;
    }
    srcs[0].ty = src_ty;
    for (n, field) in [(1, L::T16_SRC1_TYPE_HF), (2, L::T16_SRC2_TYPE_HF)] {
        type_hf(w, i, field, src_ty, &mut srcs[n].ty)?;
    }
    // Destination.
    let (mut reg, mut sub) = direct(i.dst.place);
    let mut f = split(reg).0;
    w.require(
        matches!(i.dst.place, Place::Direct { .. }) && i.dst.hstride == 1,
        i.opcode.name(),
        "needs a direct destination of stride 1",
    )?;
    if L::T16_DST_REG_FILE.exists() {
        let mut mrf = f == File::Mrf;
        w.flag(L::T16_DST_REG_FILE, &mut mrf)?;
        f = if mrf { File::Mrf } else { File::Grf };
    } else {
        w.require(f == File::Grf, i.opcode.name(), "needs a general register destination")?;
        f = File::Grf;
    }
    reg_nr(w, L::T16_DST_REG_NR, f, &mut reg)?;
    w.scaled(L::T16_DST_SUBREG_NR_4B, &mut sub, 4)?;
    i.dst.place = Place::Direct { reg, sub };
    if is_macro {
        mme(w, i, L::T16_DST_CHAN_EN, |i| &mut i.dst.mme)?;
    } else {
        w.byte(L::T16_DST_CHAN_EN, &mut i.dst.writemask.0)?;
    }
    src16::<L, 0, _>(w, i, &mut srcs[0])?;
    src16::<L, 1, _>(w, i, &mut srcs[1])?;
    src16::<L, 2, _>(w, i, &mut srcs[2])?;
    if !E {
        i.srcs = srcs.map(Src::Reg);
    }
    Ok(())
}

/// An mme register number; `of` returns the operand's [`SrcReg::mme`] or `Dst::mme`.
fn mme<const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    field: Field,
    of: impl Fn(&mut Inst) -> &mut Option<u8>,
) -> Result<()> {
    let mut number = of(i).unwrap_or(0);
    w.require(of(i).is_some(), i.opcode.name(), "needs mme registers")?;
    w.byte(field, &mut number)?;
    *of(i) = Some(number);
    Ok(())
}

/// A type field of the Align16 format.
fn type16<const E: bool>(w: &mut Walk<E>, field: Field, ty: &mut Type) -> Result<()> {
    let generation = w.generation();
    w.code(
        field,
        "three-source type",
        ty,
        |ty| ty.three_align16_bits(generation).map(u64::from),
        |code| Type::from_three_align16_bits(generation, code as u8),
    )
}

/// The half-float bit of source 1 or 2, which decides between HF and F if the type field is one of
/// these.
///
/// For a type field of HF, gen9 requires the bit set for HF and clear for F. On gen8 it is clear
/// then: only CHV has mixed floats.
fn type_hf<const E: bool>(
    w: &mut Walk<E>,
    i: &Inst,
    field: Field,
    src_ty: Type,
    ty: &mut Type,
) -> Result<()> {
    let mixable = matches!(src_ty, Type::F | Type::Hf);
    if !field.exists() || !mixable {
        w.require(*ty == src_ty, i.opcode.name(), "needs sources of one type")?;
        *ty = src_ty;
        return Ok(());
    }
    if w.generation() == Gen::Gen8 && src_ty == Type::Hf {
        w.require(*ty == src_ty, i.opcode.name(), "needs sources of one type")?;
        *ty = src_ty;
        w.fixed(field, 0);
        return Ok(());
    }
    w.require(matches!(*ty, Type::F | Type::Hf), i.opcode.name(), "mixes only F and HF")?;
    let mut half = *ty == Type::Hf;
    w.flag(field, &mut half)?;
    *ty = if half { Type::Hf } else { Type::F };
    Ok(())
}

/// A source of the Align16 format.
fn src16<L: Sources, const N: usize, const E: bool>(
    w: &mut Walk<E>,
    i: &Inst,
    src: &mut SrcReg,
) -> Result<()> {
    let f = &L::T16_SRC[N];
    let is_macro = i.is_macro();
    let (mut reg, mut sub) = direct(src.place);
    let is_grf = matches!(reg, Reg::Grf(_));
    w.require(is_grf, i.opcode.name(), "needs general register sources")?;
    let (mut rep, mut swizzle) = match src.region {
        Region::ThreeAlign16 { rep, swizzle } => (rep, swizzle),
        _ if E => return shape(i, "needs three-source Align16 regions"),
        _ => (false, Swizzle::XYZW),
    };
    w.flag(f.negate, &mut src.negate)?;
    w.flag(f.abs, &mut src.abs)?;
    w.flag(f.rep_ctrl, &mut rep)?;
    if is_macro {
        // The swizzle field holds the mme number: the selectors of x and y are the number, those of
        // z and w are zero.
        let mut number = u64::from(src.mme.unwrap_or(0));
        w.require(src.mme.is_some() && number < 16, i.opcode.name(), "needs mme registers")?;
        w.uint(f.chan_sel, &mut number)?;
        src.mme = Some((number & 15) as u8);
        if !E && number > 15 {
            return shape(i, "has component selectors in a macro");
        }
    } else {
        w.code(
            f.chan_sel,
            "swizzle",
            &mut swizzle,
            |s| s.bits().map(u64::from),
            |code| Some(Swizzle::from_bits(code as u8)),
        )?;
        src.mme = None;
    }
    let mut half = sub & 2 != 0;
    w.flag(f.subreg_nr_bit1, &mut half)?;
    sub &= !2;
    w.scaled(f.subreg_nr_4b, &mut sub, 4)?;
    sub |= u8::from(half) << 1;
    reg_nr(w, f.reg_nr, File::Grf, &mut reg)?;
    src.place = Place::Direct { reg, sub };
    src.region = Region::ThreeAlign16 { rep, swizzle };
    Ok(())
}

/// The Align1 format.
fn align1<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    cond_mod::<L, _>(w, i)?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)?;
    operands::<L, _>(w, i, true)
}

/// Boolean function: Align1, but the truth table has the bits of the conditional modifier and of
/// source modifiers.
pub(super) fn bfn<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    let mut table = match i.extra {
        Extra::Bfn(table) => table,
        _ if E => return shape(i, "needs a truth table"),
        _ => 0,
    };
    w.byte(L::BOOLEAN_FC, &mut table)?;
    i.extra = Extra::Bfn(table);
    w.require(i.cond_mod == crate::CondMod::None, "bfn", "has no conditional modifier")?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)?;
    operands::<L, _>(w, i, false)
}

/// Execution type: one bit that says whether all operands are floats or all are integers.
fn exec_type<L: Layout, const E: bool>(w: &mut Walk<E>, i: &Inst) -> Result<bool> {
    let mut float = i.dst.ty.is_float();
    w.flag(L::T1_EXEC_TYPE, &mut float)?;
    Ok(float)
}

/// A type field of the Align1 formats. `float` is the execution type, to which the codes are
/// relative.
fn type1<const E: bool>(w: &mut Walk<E>, field: Field, ty: &mut Type, float: bool) -> Result<()> {
    let generation = w.generation();
    w.code(
        field,
        "three-source type",
        ty,
        |ty| {
            let same_class = ty.is_float() == float;
            ty.three_align1_bits(generation).filter(|_| same_class).map(u64::from)
        },
        |code| Type::from_three_align1_bits(generation, code as u8, float),
    )
}

/// Register file of one bit: 1 means an architecture register on gen11, a general register from
/// gen12.
fn file1<const E: bool>(w: &mut Walk<E>, field: Field, value: &mut File) -> Result<()> {
    let inverted = w.generation() <= Gen::Gen11;
    w.code(
        field,
        "register file",
        value,
        |f| match f {
            File::Grf => Some(u64::from(!inverted)),
            File::Arf => Some(u64::from(inverted)),
            _ => None,
        },
        |bit| Some(if (bit != 0) != inverted { File::Grf } else { File::Arf }),
    )
}

/// The operands of the Align1 formats. `modifiers`: the sources have modifiers.
fn operands<L: Sources, const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    modifiers: bool,
) -> Result<()> {
    let float = exec_type::<L, _>(w, i)?;
    dst1::<L, _>(w, i, float)?;
    src1::<L, 0, _>(w, i, float, modifiers)?;
    src1::<L, 1, _>(w, i, float, modifiers)?;
    src1::<L, 2, _>(w, i, float, modifiers)
}

/// The destination of the Align1 formats.
fn dst1<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst, float: bool) -> Result<()> {
    let name = i.opcode.name();
    w.require(i.dst.writemask == WriteMask::XYZW, name, "has a write mask in Align16 only")?;
    w.require(matches!(i.dst.place, Place::Direct { .. }), name, "needs a direct destination")?;
    type1(w, L::T1_DST_TYPE, &mut i.dst.ty, float)?;
    let (mut reg, mut sub) = direct(i.dst.place);
    let mut f = split(reg).0;
    file1(w, L::T1_DST_REG_FILE, &mut f)?;
    reg_nr(w, L::T1_DST_REG_NR, f, &mut reg)?;
    if i.is_macro() {
        mme(w, i, L::T1_DST_MME_NR, |i| &mut i.dst.mme)?;
    } else if L::T1_DST_SUBREG_NR.exists() {
        w.byte(L::T1_DST_SUBREG_NR, &mut sub)?;
    } else {
        w.scaled(L::T1_DST_SUBREG_NR_8B, &mut sub, 8)?;
    }
    i.dst.place = Place::Direct { reg, sub };
    w.code(
        L::T1_DST_HSTRIDE,
        "horizontal stride",
        &mut i.dst.hstride,
        |n| match n {
            1 => Some(0),
            2 => Some(1),
            _ => None,
        },
        |code| Some(1 << code),
    )
}

/// Source `N` of the Align1 formats: a register or, for sources 0 and 2, a 16-bit immediate.
fn src1<L: Sources, const N: usize, const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    float: bool,
    modifiers: bool,
) -> Result<()> {
    let f = &L::T1_SRC[N];
    let generation = w.generation();
    let gen11 = generation <= Gen::Gen11;
    let mut src = match i.srcs[N] {
        Src::Reg(reg) if matches!(reg.place, Place::Direct { .. }) => reg,
        Src::Imm(imm) => SrcReg { ty: imm.ty, ..NULL },
        _ if E => return shape(i, "needs three direct sources"),
        _ => NULL,
    };
    type1(w, f.ty, &mut src.ty, float)?;
    let (mut reg, mut sub) = direct(src.place);
    let mut reg_file = split(reg).0;
    let mut is_imm = matches!(i.srcs[N], Src::Imm(_));
    if gen11 {
        // The register file bit of sources 0 and 2 means an immediate, or for type NF the
        // accumulator; that of source 1 always means the accumulator.
        let mut other = is_imm || reg_file == File::Arf;
        w.require(
            !is_imm || (N != 1 && src.ty != Type::Nf),
            i.opcode.name(),
            "cannot have an immediate here",
        )?;
        w.flag(f.reg_file, &mut other)?;
        is_imm = other && N != 1 && src.ty != Type::Nf;
        let arf = other && !is_imm;
        w.require(
            arf == (reg_file == File::Arf) || is_imm,
            i.opcode.name(),
            "reads the accumulator as NF only",
        )?;
        reg_file = if arf { File::Arf } else { File::Grf };
    } else if f.is_imm.exists() {
        w.flag(f.is_imm, &mut is_imm)?;
    } else {
        w.require(!is_imm, i.opcode.name(), "cannot have an immediate here")?;
    }
    if is_imm {
        let mut bits = i.srcs[N].as_imm().map_or(0, |imm| imm.bits);
        if src.ty.size() != 2 {
            return shape(i, "takes 16-bit immediates only");
        }
        w.uint(f.imm16, &mut bits)?;
        i.srcs[N] = Src::Imm(Imm { ty: src.ty, bits });
        return Ok(());
    }
    if !gen11 {
        file1(w, f.reg_file, &mut reg_file)?;
    }
    if modifiers {
        w.flag(f.negate, &mut src.negate)?;
        w.flag(f.abs, &mut src.abs)?;
    }
    reg_nr(w, f.reg_nr, reg_file, &mut reg)?;
    if i.is_macro() {
        // On gen11 the number does not use the lowest bit of the subregister field.
        let shift = u8::from(gen11);
        w.require(src.mme.is_some(), i.opcode.name(), "needs mme registers")?;
        let mut number = src.mme.unwrap_or(0) << shift;
        w.byte(f.subreg_nr, &mut number)?;
        if !E && number & shift != 0 {
            return shape(i, "has a malformed mme number");
        }
        src.mme = Some(number >> shift);
    } else {
        w.byte(f.subreg_nr, &mut sub)?;
        src.mme = None;
    }
    src.place = Place::Direct { reg, sub };
    region1::<L, N, _>(w, i, &mut src.region)?;
    i.srcs[N] = Src::Reg(src);
    Ok(())
}

/// The region of source `N` of the Align1 formats. Source 2 has no vertical stride.
fn region1<L: Sources, const N: usize, const E: bool>(
    w: &mut Walk<E>,
    i: &Inst,
    region: &mut Region,
) -> Result<()> {
    let f = &L::T1_SRC[N];
    let (mut vstride, mut h) = match *region {
        Region::ThreeAlign1 { vstride, hstride } => (vstride, hstride),
        _ if E => return shape(i, "needs three-source Align1 regions"),
        _ => (None, 0),
    };
    w.require(
        vstride.is_some() == f.vstride.exists(),
        i.opcode.name(),
        "has vertical strides for sources 0 and 1 only",
    )?;
    if f.vstride.exists() {
        // Code 1 is stride 2 on gen11, stride 1 from gen12.
        let second = if w.generation() <= Gen::Gen11 { 2 } else { 1 };
        let codes = [0, second, 4, 8];
        let mut v = vstride.unwrap_or(0);
        w.code(
            f.vstride,
            "vertical stride",
            &mut v,
            |v| codes.iter().position(|c| *c == v).map(|code| code as u64),
            |code| codes.get(code as usize).copied(),
        )?;
        vstride = Some(v);
    } else {
        vstride = None;
    }
    hstride(w, f.hstride, &mut h)?;
    *region = Region::ThreeAlign1 { vstride, hstride: h };
    Ok(())
}

/// Systolic dot product. The operands are registers without regions.
pub(super) fn dpas<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)?;
    let mut dpas = match i.extra {
        Extra::Dpas(dpas) => dpas,
        _ if E => return shape(i, "needs systolic parameters"),
        _ => Dpas { depth: 1, repeat: 1, src1_bits: 8, src2_bits: 8 },
    };
    w.code(
        L::DPAS_SYSTOLIC_DEPTH,
        "systolic depth",
        &mut dpas.depth,
        |n| (n.is_power_of_two() && n <= 8).then(|| u64::from(n.trailing_zeros())),
        |code| Some(1 << code),
    )?;
    w.code(
        L::DPAS_REPEAT_COUNT,
        "repeat count",
        &mut dpas.repeat,
        |n| (1..=8).contains(&n).then(|| u64::from(n) - 1),
        |code| Some(code as u8 + 1),
    )?;
    for (field, bits) in
        [(L::DPAS_SRC1_SUB_BYTE, &mut dpas.src1_bits), (L::DPAS_SRC2_SUB_BYTE, &mut dpas.src2_bits)]
    {
        w.code(
            field,
            "element bits",
            bits,
            |n| (n.is_power_of_two() && n <= 8).then(|| 3 - u64::from(n.trailing_zeros())),
            |code| Some(8 >> code),
        )?;
    }
    i.extra = Extra::Dpas(dpas);
    let float = exec_type::<L, _>(w, i)?;
    type1(w, L::T1_DST_TYPE, &mut i.dst.ty, float)?;
    let (mut reg, mut sub) = direct(i.dst.place);
    let mut f = split(reg).0;
    file1(w, L::T1_DST_REG_FILE, &mut f)?;
    reg_nr(w, L::T1_DST_REG_NR, f, &mut reg)?;
    w.require(sub == 0, i.opcode.name(), "needs a whole destination register")?;
    i.dst.place = Place::Direct { reg, sub: 0 };
    for (n, f) in L::T1_SRC.iter().enumerate() {
        let mut src = NULL;
        if E {
            src = source(i, n)?;
        }
        type1(w, f.ty, &mut src.ty, float)?;
        (reg, sub) = direct(src.place);
        let mut reg_file = split(reg).0;
        file1(w, f.reg_file, &mut reg_file)?;
        reg_nr(w, f.reg_nr, reg_file, &mut reg)?;
        if n == 2 {
            w.byte(f.subreg_nr, &mut sub)?;
        } else {
            w.require(sub == 0, i.opcode.name(), "needs whole registers for sources 0 and 1")?;
            sub = 0;
        }
        src.place = Place::Direct { reg, sub };
        if !E {
            src.region = Region::SCALAR;
        }
        i.srcs[n] = Src::Reg(src);
    }
    Ok(())
}
