//! The results of operations whose sources are all constants.

use smallvec::SmallVec;

use super::const_src;
use crate::interp::alu::eval_alu;
use crate::ir::{AluOp, Class, FloatControls, Function, Src, Ty};

/// The result of an operation whose sources are all constants; `None` if one is not, or if the float modes that the shader
/// requests may give another result: folding rounds to nearest even and keeps denormals.
pub(crate) fn fold(
    func: &Function,
    controls: FloatControls,
    op: AluOp,
    result: Ty,
    srcs: &[Src],
) -> Option<[u64; 4]> {
    // A fast path: for most operations this fails, and nothing needs to be copied.
    if !srcs.iter().all(|src| func.is_const(src.value)) {
        return None;
    }
    let mut consts = SmallVec::<[[u64; 4]; 4]>::new();
    for (i, &src) in srcs.iter().enumerate() {
        consts.push(const_src(func, src, op.src_comps(i, result.comps()))?);
    }
    let bits = func.ty(srcs.get(op.size_src())?.value).bits();
    // The program has one rounding mode, and half floats may have become floats of 32 bits before.
    if controls.rounding_rtz != 0 && rounds(op, bits, result.bits()) {
        return None;
    }
    let found = eval_alu(op, result, bits, &consts);
    if controls.denorm_flush != 0 {
        let row = op.row();
        let flushed = |class: Class, ty: Ty, comps: &[u64]| {
            class == Class::Float
                && controls.denorm_flush & size(ty) != 0
                && comps.iter().any(|&comp| is_denormal(ty, comp))
        };
        let mut operands = srcs.iter().zip(row.srcs).zip(&consts).enumerate();
        if flushed(row.result.class, result, &found[..result.comps()])
            || operands.any(|(i, ((src, operand), bits))| {
                let comps = op.src_comps(i, result.comps());
                flushed(operand.class, func.ty(src.value), &bits[..comps])
            })
        {
            return None;
        }
    }
    Some(found)
}

/// The bit of [`FloatControls`] for floats of a type.
fn size(ty: Ty) -> u8 {
    match ty.bits() {
        16 => 1,
        32 => 2,
        64 => 4,
        _ => 0,
    }
}

/// Whether the result of an operation depends on the rounding mode. `from` and `to` are the sizes of its sources and its result in
/// bits. `F2FRtz` has a mode of its own.
fn rounds(op: AluOp, from: u32, to: u32) -> bool {
    match op {
        AluOp::PackHalf2x16 | AluOp::FQuantize16 => true,
        AluOp::F2F => to < from,
        AluOp::FNeg
        | AluOp::FAbs
        | AluOp::FSat
        | AluOp::FSign
        | AluOp::FFloor
        | AluOp::FCeil
        | AluOp::FTrunc
        | AluOp::FRoundEven
        | AluOp::FMin
        | AluOp::FMax
        | AluOp::F2FRtz
        | AluOp::B2F => false,
        _ => op.row().result.class == Class::Float,
    }
}

/// Whether the bits of a float are those of a denormal.
fn is_denormal(ty: Ty, bits: u64) -> bool {
    let fraction = match ty.bits() {
        16 => 10,
        32 => 23,
        64 => 52,
        _ => return false,
    };
    let sign = 1 << (ty.bits() - 1);
    (1..1 << fraction).contains(&(bits & !sign))
}
