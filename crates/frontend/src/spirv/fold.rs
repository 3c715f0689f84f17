//! Evaluates `OpSpecConstantOp`, for every operation that the Shader capability allows in it.

use rspirv::spirv::Op;

use super::constants::{Const, Globals};
use super::reader::Inst;
use super::types::Type;
use crate::error::{ErrorCode, Result};

/// The value of an `OpSpecConstantOp`.
pub(crate) fn spec_constant_op(globals: &Globals, inst: &Inst<'_>) -> Result<Const> {
    let number = inst.word(0)?;
    let Some(op) = Op::from_u32(number) else {
        let detail = format!("expected an opcode, found {number}");
        return Err(inst.error(ErrorCode::UnknownOpcode, detail));
    };
    let operand = |index: usize| -> Result<&(u32, Const)> {
        let id = inst.word(index)?;
        globals.get(id).ok_or_else(|| {
            inst.error(ErrorCode::NotAConstant, format!("expected a constant, found %{id}"))
        })
    };
    match op {
        Op::CompositeExtract => {
            let (mut ty, mut value) = operand(1)?.clone();
            for &index in inst.rest(2) {
                ty = part(globals, inst, ty, index)?;
                value = value.part(index);
            }
            Ok(value)
        }
        Op::CompositeInsert => {
            let (object, (ty, base)) = (&operand(1)?.1, operand(2)?);
            insert(globals, inst, *ty, base, object, inst.rest(3))
        }
        Op::VectorShuffle => {
            let ((a, x), (b, y)) = (operand(1)?, operand(2)?);
            let split = globals.types.parts(*a).unwrap_or(0);
            let total = split + globals.types.parts(*b).unwrap_or(0);
            let pick = |&index: &u32| match index {
                u32::MAX => Ok(Const::Undef),
                i if i < split => Ok(x.part(i)),
                i if i < total => Ok(y.part(i - split)),
                i => Err(inst.error(
                    ErrorCode::BadIndex,
                    format!("expected a component below {total}, found {i}"),
                )),
            };
            Ok(Const::Composite(inst.rest(3).iter().map(pick).collect::<Result<_>>()?))
        }
        Op::CopyObject => Ok(operand(1)?.1.clone()),
        _ => {
            let sources: Vec<&(u32, Const)> =
                (1..inst.operands.len()).map(operand).collect::<Result<_>>()?;
            per_component(globals, inst, op, &sources)
        }
    }
}

/// The type of part `index` of the composite type `ty`.
fn part(globals: &Globals, inst: &Inst<'_>, ty: u32, index: u32) -> Result<u32> {
    globals.types.part(ty, index).ok_or_else(|| {
        let count = globals.types.parts(ty).unwrap_or(0);
        inst.error(ErrorCode::BadIndex, format!("expected an index below {count}, found {index}"))
    })
}

/// `base`, of type `ty`, with the part at `path` (a list of indices) replaced by `object`.
fn insert(
    globals: &Globals,
    inst: &Inst<'_>,
    ty: u32,
    base: &Const,
    object: &Const,
    path: &[u32],
) -> Result<Const> {
    let [first, rest @ ..] = path else { return Ok(object.clone()) };
    let inner = part(globals, inst, ty, *first)?;
    let count = globals.types.parts(ty).unwrap_or(0);
    if globals.types.leaves(ty) > 1 << 16 {
        return Err(
            inst.error(ErrorCode::TooManyParts, "expected at most 65536 parts in a constant")
        );
    }
    let mut parts: Vec<Const> = (0..count).map(|i| base.part(i)).collect();
    let slot = &mut parts[*first as usize];
    *slot = insert(globals, inst, inner, &slot.clone(), object, rest)?;
    Ok(Const::Composite(parts.into()))
}

/// Evaluates an operation for each component of the result.
fn per_component(
    globals: &Globals,
    inst: &Inst<'_>,
    op: Op,
    sources: &[&(u32, Const)],
) -> Result<Const> {
    let types = &globals.types;
    let count = types.parts(inst.ty);
    let mut bits = [0u32; 3];
    for (bits, (ty, _)) in bits.iter_mut().zip(sources) {
        *bits = match types.scalar(*ty) {
            Some(Type::Bool) => 1,
            Some(Type::Int { bits, .. } | Type::Float { bits }) => *bits,
            _ => return Err(unfoldable(inst, op)),
        };
    }
    let result_bits = match types.scalar(inst.ty) {
        Some(Type::Bool) => 1,
        Some(Type::Int { bits, .. } | Type::Float { bits }) => *bits,
        _ => return Err(unfoldable(inst, op)),
    };
    let one = |index: Option<u32>| -> Result<Const> {
        let mut args = [0u64; 3];
        for (arg, (ty, value)) in args.iter_mut().zip(sources) {
            *arg = match index.filter(|_| types.parts(*ty).is_some()) {
                Some(index) => value.part(index).bits(),
                None => value.bits(),
            };
        }
        let value = scalar(op, &args, &bits, sources.len(), result_bits)
            .ok_or_else(|| unfoldable(inst, op))?;
        Ok(Const::Scalar(value & (u64::MAX >> (64 - result_bits))))
    };
    match count {
        None => one(None),
        Some(count) => {
            Ok(Const::Composite((0..count).map(|i| one(Some(i))).collect::<Result<_>>()?))
        }
    }
}

fn unfoldable(inst: &Inst<'_>, op: Op) -> crate::error::FrontendError {
    inst.error(
        ErrorCode::ConstantFold,
        format!("expected an operation that SPIR-V allows here, with its number of operands, found Op{op:?}"),
    )
}

/// Evaluates one operation on scalars. `args` are zero extended, `bits` are their sizes and `count` is their number.
/// The bits of the result above `result_bits` are arbitrary.
///
/// A quotient or remainder of a division by 0 is 0: SPIR-V leaves it undefined, and modules contain such constants
/// where the default value of a size is 0.
///
/// `None` if the operation is not supported or has another number of operands.
fn scalar(op: Op, args: &[u64; 3], bits: &[u32; 3], count: usize, result_bits: u32) -> Option<u64> {
    let [a, b, c] = *args;
    let shift = u32::try_from(b).unwrap_or(u32::MAX);
    let truth = |t: bool| Some(u64::from(t));
    let needed = match op {
        Op::SConvert
        | Op::UConvert
        | Op::FConvert
        | Op::SNegate
        | Op::Not
        | Op::LogicalNot
        | Op::QuantizeToF16 => 1,
        Op::Select => 3,
        _ => 2,
    };
    if count != needed {
        return None;
    }
    let signed = |i: usize| (args[i] << (64 - bits[i])) as i64 >> (64 - bits[i]);
    let (sa, sb) = (signed(0), if count > 1 { signed(1) } else { 0 });
    match op {
        Op::SConvert => Some(sa as u64),
        Op::UConvert => Some(a),
        Op::FConvert => crate::half::convert(a, bits[0], result_bits),
        Op::QuantizeToF16 => Some(u64::from(crate::half::quantize(a as u32))),
        Op::SNegate => Some(a.wrapping_neg()),
        Op::Not => Some(!a),
        Op::IAdd => Some(a.wrapping_add(b)),
        Op::ISub => Some(a.wrapping_sub(b)),
        Op::IMul => Some(a.wrapping_mul(b)),
        Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod if b == 0 => Some(0),
        Op::UDiv => Some(a / b),
        Op::UMod => Some(a % b),
        Op::SDiv => Some(sa.wrapping_div(sb) as u64),
        Op::SRem => Some(sa.wrapping_rem(sb) as u64),
        Op::SMod => {
            let rem = sa.wrapping_rem(sb);
            Some(
                (if rem != 0 && (rem < 0) != (sb < 0) { rem.wrapping_add(sb) } else { rem }) as u64,
            )
        }
        Op::ShiftRightLogical => Some(if shift < bits[0] { a >> shift } else { 0 }),
        Op::ShiftRightArithmetic => Some((sa >> shift.min(63)) as u64),
        Op::ShiftLeftLogical => Some(if shift < bits[0] { a << shift } else { 0 }),
        Op::BitwiseOr | Op::LogicalOr => Some(a | b),
        Op::BitwiseXor => Some(a ^ b),
        Op::BitwiseAnd | Op::LogicalAnd => Some(a & b),
        Op::LogicalNot => truth(a == 0),
        Op::IEqual | Op::LogicalEqual => truth(a == b),
        Op::INotEqual | Op::LogicalNotEqual => truth(a != b),
        Op::Select => Some(if a != 0 { b } else { c }),
        Op::ULessThan => truth(a < b),
        Op::ULessThanEqual => truth(a <= b),
        Op::UGreaterThan => truth(a > b),
        Op::UGreaterThanEqual => truth(a >= b),
        Op::SLessThan => truth(sa < sb),
        Op::SLessThanEqual => truth(sa <= sb),
        Op::SGreaterThan => truth(sa > sb),
        Op::SGreaterThanEqual => truth(sa >= sb),
        _ => None,
    }
}
