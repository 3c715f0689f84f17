//! Atomic operations of messages.

use crestline_isa::message::{AtomicOp as IntegerOp, FloatAtomicOp};
use crestline_ssa::ir::AtomicOp;

use super::SelectError;
use crate::surface::Atomic;

/// The operation of an atomic message, and whether the message takes the operand. `known` is the operand's value, if
/// it is constant: an addition of 1 or -1 becomes an increment or decrement without an operand.
///
/// # Errors
/// No message has the operation.
pub(crate) fn atomic_operation(
    op: AtomicOp,
    known: Option<u32>,
) -> Result<(Atomic, bool), SelectError> {
    let integer = match op {
        AtomicOp::IAdd if known == Some(1) => return Ok((Atomic::Integer(IntegerOp::Inc), false)),
        AtomicOp::IAdd if known == Some(u32::MAX) => {
            return Ok((Atomic::Integer(IntegerOp::Dec), false));
        }
        AtomicOp::IAdd => IntegerOp::Add,
        AtomicOp::IMin => IntegerOp::Imin,
        AtomicOp::IMax => IntegerOp::Imax,
        AtomicOp::UMin => IntegerOp::Umin,
        AtomicOp::UMax => IntegerOp::Umax,
        AtomicOp::And => IntegerOp::And,
        AtomicOp::Or => IntegerOp::Or,
        AtomicOp::Xor => IntegerOp::Xor,
        AtomicOp::Exchange => IntegerOp::Mov,
        AtomicOp::CompareExchange => IntegerOp::CmpWr,
        AtomicOp::FMin => return Ok((Atomic::Float(FloatAtomicOp::Fmin), true)),
        AtomicOp::FMax => return Ok((Atomic::Float(FloatAtomicOp::Fmax), true)),
        AtomicOp::FAdd => return Err(SelectError::AtomicFloatSum),
    };
    Ok((Atomic::Integer(integer), true))
}
