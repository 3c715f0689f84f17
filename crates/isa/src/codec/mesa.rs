//! The bits that Mesa's assembler writes to operand fields that an operation does not use. The
//! hardware ignores them. For text in Mesa's syntax the assembler of this crate writes them too, as
//! a residue, so that both assemblers produce the same bytes.
//!
//! Source: the expected bytes of Mesa's public assembler tests, gen4 to gen12.5; all of them are
//! reproduced. The tests contain no branches of gen11 and later; these keep the bits that the codec
//! writes.

use super::fields;
use super::walk::Walk;
use super::{Result, encode, walk_layout};
use crate::inst::{Dst, Imm, Inst, Place, Reg, Region, Src, SrcReg, Swizzle, VStride, imm_size};
use crate::tables::{AccessMode, ArfKind, Form, Opcode, Type};
use crestline_device::Gen;

/// Bits 127:32, which contain the operand fields.
const OPERANDS: u128 = u128::MAX << 32;

/// Returns the residue with which an instruction encodes to the bits that Mesa's assembler writes.
/// Zero if the codec writes the same bits, if the instruction does not encode, or if nothing is
/// known about the operation.
pub(crate) fn mesa_residue(inst: &Inst, generation: Gen) -> u128 {
    let plain = Inst { residue: 0, ..inst.clone() };
    let parts = encoded_and_owned(&plain, generation);
    let (Ok((bits, owned)), Some((theirs, mask))) = (parts, theirs(&plain, generation)) else {
        return 0;
    };
    (bits ^ theirs) & mask & !owned
}

/// The residue of a `jmpi` whose distance has type UD: the difference to type D, which the codec
/// writes. 0 from gen12 on, where this module does not change the type.
pub(crate) fn unsigned_distance(generation: Gen) -> u128 {
    let code = |ty: Type| ty.imm_bits(generation).map_or(0, u128::from);
    src1_type(generation).map_or(0, |at| (code(Type::D) ^ code(Type::Ud)) << at)
}

/// Returns the encoding of an instruction, and a mask of the bits that belong to its fields.
fn encoded_and_owned(inst: &Inst, generation: Gen) -> Result<(u128, u128)> {
    let mut copy = inst.clone();
    let mut walk = Walk::encoder(generation);
    walk_layout(&mut walk, &mut copy)?;
    let owned = walk.owned();
    Ok((walk.encoded(0)?, owned))
}

/// Position of the type field of source 1; `None` from gen12, where this module does not change it.
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

/// Returns bits that Mesa's assembler writes, and a mask of the bits that are known. The mask may
/// include fields of the instruction, which [`mesa_residue`] removes. `None` if nothing is known.
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

/// The bits for a one-source operation with an immediate of at most 32 bits: the type field of
/// source 1 contains the type of source 0.
fn absent_source1(inst: &Inst, generation: Gen) -> Option<(u128, u128)> {
    let imm = inst.srcs[0].as_imm()?;
    let ty = if inst.opcode == Opcode::Dim { Type::F } else { imm.ty };
    let (code, lowest) = (ty.imm_bits(generation)?, src1_type(generation)?);
    let mask = if generation >= Gen::Gen8 { 15 } else { 7 };
    (imm_size(ty) < 8).then_some((u128::from(code) << lowest, mask << lowest))
}

/// The null register as a packed source.
fn null(inst: &Inst, ty: Type) -> SrcReg {
    let region = match inst.access_mode {
        AccessMode::Align1 => Region::align1(8, 8, 1),
        AccessMode::Align16 => Region::Align16 { vstride: 4, swizzle: Swizzle::XYZW },
    };
    SrcReg::new(Place::NULL, ty, region)
}

/// The null register as a scalar source.
fn null_scalar(inst: &Inst, ty: Type) -> SrcReg {
    let region = match inst.access_mode {
        AccessMode::Align1 => Region::SCALAR,
        AccessMode::Align16 => Region::Align16 { vstride: 0, swizzle: Swizzle::XYZW },
    };
    SrcReg::new(Place::NULL, ty, region)
}

/// The instruction pointer as a source.
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

/// An immediate 0.
fn imm(ty: Type) -> Src {
    Src::Imm(Imm { ty, bits: 0 })
}

/// The bits for a branch: Mesa's assembler fills the unused operand fields with operands such as
/// null, `ip` and immediates.
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
            // The destination has the register file of immediates; its bits contain the distance.
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

/// The operand bits of the two-source format with these operands, and the mask [`OPERANDS`].
/// Computed by encoding an `add`, or a `mov` if there is no source 1.
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
