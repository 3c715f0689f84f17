//! `lower_conversions`: moves between types that the hardware converts in two steps only.

use crestline_device::Device;
use crestline_isa::Type;

use super::PassError;
use crate::ir::{Function, Inst};

/// Runs the pass.
///
/// # Errors
/// None.
pub fn lower_conversions(function: &mut Function, _device: &Device) -> Result<bool, PassError> {
    Ok(function.rewrite(|inst, b| {
        let Some(middle) = middle_type(&inst) else {
            b.push(inst);
            return false;
        };
        let value = b.lanes(middle, 1);
        let mut first = Inst { dst: value, ..inst.clone() };
        first.saturate = false;
        first.cond_mod = crestline_isa::CondMod::None;
        b.push(first);
        let mut second = inst;
        second.srcs[0] = value;
        b.push(second);
        true
    }))
}

/// The type between, if source and destination have no direct conversion: bytes and half floats
/// have none to or from 64 bits, and none between each other.
fn middle_type(inst: &Inst) -> Option<Type> {
    if !inst.is_mov() || inst.srcs[0].is_imm() {
        return None;
    }
    let (from, to) = (inst.srcs[0].ty, inst.dst.ty);
    let pair = |a: fn(Type) -> bool, b: fn(Type) -> bool| a(from) && b(to) || b(from) && a(to);
    let byte = |ty: Type| ty.size() == 1;
    let wide = |ty: Type| ty.size() == 8;
    let half = |ty: Type| ty == Type::Hf;
    if pair(byte, wide) {
        let signed = if byte(from) { from.is_signed_int() } else { to.is_signed_int() };
        return Some(if signed { Type::D } else { Type::Ud });
    }
    if pair(half, wide) {
        return Some(Type::F);
    }
    pair(byte, half).then_some(if half(from) {
        Type::D
    } else if from.is_signed_int() {
        Type::W
    } else {
        Type::Uw
    })
}
