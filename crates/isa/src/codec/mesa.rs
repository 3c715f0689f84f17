//! What Mesa's assembler writes where an operation leaves fields of operands unused, which the
//! hardware does not read: for text in its syntax, so that both assemblers give the same bytes.
//!
//! Source: the expected bytes of Mesa's public assembler tests, gen4 to gen12.5, all of which come
//! out. Branches of gen11 and later, which they do not contain, are left as the codec has them.

use super::fields;
use super::walk::Walk;
use super::{Result, encode, walk_layout};
use crate::inst::{Dst, Imm, Inst, Place, Reg, Region, Src, SrcReg, Swizzle, VStride, imm_size};
use crate::tables::{AccessMode, ArfKind, Form, Opcode, Type};
use crestline_device::Gen;

/// The bits behind the controls, where operands are.
const OPERANDS: u128 = u128::MAX << 32;

/// A residue that makes the unused bits of an instruction what Mesa's assembler writes; zero
/// where it writes what the codec does, or does not know the operation.
pub(crate) fn mesa_residue(inst: &Inst, generation: Gen) -> u128 {
    let plain = Inst { residue: 0, ..inst.clone() };
    let parts = encoded_and_owned(&plain, generation);
    let (Ok((bits, owned)), Some((theirs, mask))) = (parts, theirs(&plain, generation)) else {
        return 0;
    };
    (bits ^ theirs) & mask & !owned
}

/// The residue of a `jmpi` whose distance has type UD; the codec writes D.
pub(crate) fn unsigned_distance(generation: Gen) -> u128 {
    let code = |ty: Type| ty.imm_bits(generation).map_or(0, u128::from);
    (code(Type::D) ^ code(Type::Ud)) << src1_type(generation).unwrap_or(0)
}

/// The bits of an instruction, and those which belong to its fields.
fn encoded_and_owned(inst: &Inst, generation: Gen) -> Result<(u128, u128)> {
    let mut copy = inst.clone();
    let mut walk = Walk::encoder(generation);
    walk_layout(&mut walk, &mut copy)?;
    let owned = walk.owned();
    Ok((walk.encoded(0)?, owned))
}

/// Lowest bit of the type of source 1, where it is not part of the operand's bits.
fn src1_type(generation: Gen) -> Option<u32> {
    use fields::{Gen4, Gen8, Layout};
    match generation {
        Gen::Gen4 | Gen::Gen45 | Gen::Gen5 | Gen::Gen6 | Gen::Gen7 | Gen::Gen75 => {
            Some(Gen4::SRC1_TYPE.lowest_bit())
        }
        Gen::Gen8 | Gen::Gen9 | Gen::Gen11 => Some(Gen8::SRC1_TYPE.lowest_bit()),
        Gen::Gen12 | Gen::Gen125 => None,
    }
}

/// Bits as Mesa's assembler writes them, and which of them count unless a field has them.
fn theirs(inst: &Inst, generation: Gen) -> Option<(u128, u128)> {
    use fields::{Gen12, Layout};
    match inst.opcode.form() {
        Form::One => absent_source1(inst, generation),
        Form::Sync => Some((0, Gen12::DST_HSTRIDE.mask)),
        Form::Wait => {
            let Src::Reg(src) = inst.srcs[0] else { return None };
            let operands = [Src::Reg(src), Src::Reg(null(inst, Type::F))];
            operand_bits(inst, generation, inst.dst, operands)
        }
        _ => flow(inst, generation),
    }
}

/// Behind an immediate, source 1 has the type of source 0.
fn absent_source1(inst: &Inst, generation: Gen) -> Option<(u128, u128)> {
    let imm = inst.srcs[0].as_imm()?;
    let ty = if inst.opcode == Opcode::Dim { Type::F } else { imm.ty };
    let (code, lowest) = (ty.imm_bits(generation)?, src1_type(generation)?);
    let mask = if generation >= Gen::Gen8 { 15 } else { 7 };
    (imm_size(ty) < 8).then_some((u128::from(code) << lowest, mask << lowest))
}

/// The null register as Mesa has it: packed.
fn null(inst: &Inst, ty: Type) -> SrcReg {
    let region = match inst.access_mode {
        AccessMode::Align1 => Region::align1(8, 8, 1),
        AccessMode::Align16 => Region::Align16 { vstride: 4, swizzle: Swizzle::XYZW },
    };
    SrcReg::new(Place::NULL, ty, region)
}

/// The null register as one element.
fn null_scalar(inst: &Inst, ty: Type) -> SrcReg {
    let region = match inst.access_mode {
        AccessMode::Align1 => Region::SCALAR,
        AccessMode::Align16 => Region::Align16 { vstride: 0, swizzle: Swizzle::XYZW },
    };
    SrcReg::new(Place::NULL, ty, region)
}

/// The instruction pointer.
fn ip(inst: &Inst) -> SrcReg {
    let place = Place::Direct { reg: Reg::Arf(ArfKind::Ip, 0), sub: 0 };
    let region = match (inst.access_mode, inst.exec_size) {
        (AccessMode::Align1, 1) => Region::SCALAR,
        (AccessMode::Align1, _) => {
            Region::Align1 { vstride: VStride::Elements(4), width: 1, hstride: 0 }
        }
        (AccessMode::Align16, _) => Region::Align16 { vstride: 4, swizzle: Swizzle::XYZW },
    };
    SrcReg::new(place, Type::Ud, region)
}

fn imm(ty: Type) -> Src {
    Src::Imm(Imm { ty, bits: 0 })
}

/// The operands that branches do not have.
fn flow(inst: &Inst, generation: Gen) -> Option<(u128, u128)> {
    use Opcode::*;
    use fields::{Gen6, Gen8, Layout};
    let op = inst.opcode;
    let nothing = Dst::new(Place::NULL, Type::D, 1);
    let pointer = Dst::new(ip(inst).place, Type::Ud, 1);
    let (null, scalar, ip) =
        (|ty| Src::Reg(null(inst, ty)), Src::Reg(null_scalar(inst, Type::D)), Src::Reg(ip(inst)));
    let bits = |dst, srcs| operand_bits(inst, generation, dst, srcs);
    match generation {
        Gen::Gen4 | Gen::Gen45 | Gen::Gen5 => match op {
            If | Iff | Else | While | Break | Cont => bits(pointer, [ip, imm(Type::D)]),
            EndIf => bits(nothing, [null(Type::D), imm(Type::D)]),
            Do => bits(Dst::new(Place::NULL, Type::F, 1), [null(Type::F), null(Type::F)]),
            _ => None,
        },
        Gen::Gen6 | Gen::Gen7 | Gen::Gen75 if matches!(op, Break | Halt) => {
            bits(nothing, [null(Type::D), imm(Type::D)])
        }
        Gen::Gen6 | Gen::Gen7 | Gen::Gen75 if op == Cont => bits(pointer, [ip, imm(Type::D)]),
        Gen::Gen6 => {
            let source = match op {
                If => scalar,
                Else | EndIf | While => null(Type::D),
                _ => return None,
            };
            // The destination is an immediate word, a part of which is the distance.
            let (value, mask) = bits(Dst::new(Place::NULL, Type::W, 1), [source, source])?;
            Some((value | Gen6::DST_REG_FILE.mask, mask))
        }
        Gen::Gen7 | Gen::Gen75 => match op {
            If => bits(nothing, [scalar, imm(Type::W)]),
            Else | EndIf | While => bits(nothing, [null(Type::D), imm(Type::W)]),
            _ => None,
        },
        Gen::Gen8 | Gen::Gen9 => match op {
            If | Else | While | Break | Halt => bits(nothing, [imm(Type::D), Src::None]),
            Cont => bits(pointer, [imm(Type::D), Src::None]),
            EndIf => {
                let (value, mask) = bits(nothing, [imm(Type::D), Src::None])?;
                let unset =
                    Gen8::DST_TYPE.mask | Gen8::DST_HSTRIDE.mask | Gen8::A16_DST_CHAN_EN.mask;
                Some((value & !unset, mask))
            }
            _ => None,
        },
        Gen::Gen11 | Gen::Gen12 | Gen::Gen125 => None,
    }
}

/// The bits of operands in the two-source formats, as those of an `add` or `mov` with them.
fn operand_bits(
    inst: &Inst,
    generation: Gen,
    dst: Dst,
    [src0, src1]: [Src; 2],
) -> Option<(u128, u128)> {
    let opcode = if src1 == Src::None { Opcode::Mov } else { Opcode::Add };
    let access_mode = inst.access_mode;
    let base = Inst { access_mode, exec_size: inst.exec_size, ..Inst::new(opcode) };
    let mut model = Inst { dst, srcs: [src0, src1, Src::None], ..base };
    model.residue = mesa_residue(&model, generation);
    Some((encode(&model, generation).ok()?, OPERANDS))
}
