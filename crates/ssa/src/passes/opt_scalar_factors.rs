//! Multiplies the scalar factors of a vector with each other first:
//!
//! ```text
//! before:                          after:
//! %3: 32x3 = fmul %0, %1.xxx       %3: 32 = fmul %1, %2
//! %4: 32x3 = fmul %3, %2.xxx       %4: 32x3 = fmul %0, %3.xxx
//! ```
//!
//! A quotient by a scalar is treated likewise. The order of products changes their rounding, so the pass leaves operations
//! that are exact. One of the factors must be a constant of ordinary size: the product of two others might overflow, or
//! become 0, where the original products do not.

use super::util::{Action, const_scalar, rewrite};
use crate::analysis::use_counts;
use crate::ir::{AluOp, Function, InstData, InstKind, Shader, Src};

/// The largest magnitude of a constant factor; its inverse is the smallest.
const LARGEST: f32 = (1 << 20) as f32;

/// See the [module](self). Returns whether an operation was replaced.
pub fn opt_scalar_factors(shader: &mut Shader) -> bool {
    // Bit 1 stands for 32 bits.
    if shader.float_controls.signed_zero_inf_nan_preserve & 2 != 0
        || !shader.func.may_have(|inst| scaled(&shader.func, inst).is_some())
    {
        return false;
    }
    let uses = use_counts(&shader.func);
    rewrite(&mut shader.func, |b, _, inst| {
        let Some(outer) = scaled(b.func, b.func.inst(inst)) else { return Action::Keep };
        let Some(inner) = b.func.def(outer.vector.value).and_then(|def| scaled(b.func, def)) else {
            return Action::Keep;
        };
        let once = uses.get(outer.vector.value.index()).is_none_or(|&count| count == 1);
        let ordinary = [&inner, &outer].iter().any(|scaled| is_ordinary(b.func, scaled.factor));
        if !once || !ordinary || inner.op != AluOp::FMul || !b.func.may_change(inst) {
            return Action::Keep;
        }
        let ty = b.func.ty(b.func.inst(inst).results[0]);
        let factor = b.alu_ty(outer.op, ty.with_comps(1), &[inner.factor, outer.factor]);
        let vector = inner.vector.then(outer.vector.swizzle);
        let splat = Src { value: factor, swizzle: [0; 4] };
        Action::Replace(b.alu_ty(AluOp::FMul, ty, &[vector, splat]).into())
    })
}

/// A product of a vector and a scalar, or a quotient.
struct Scaled {
    op: AluOp,
    vector: Src,
    /// The scalar, as the first component of the source.
    factor: Src,
}

/// The vector and the scalar of a product or quotient of 32-bit floats that is not exact.
fn scaled(func: &Function, inst: &InstData) -> Option<Scaled> {
    let InstKind::Alu { op, srcs, exact: false } = &inst.kind else { return None };
    let &[result] = &inst.results[..] else { return None };
    let ty = func.ty(result);
    let comps = ty.comps();
    if !matches!(op, AluOp::FMul | AluOp::FDiv) || ty.bits() != 32 || comps < 2 {
        return None;
    }
    let (x, y) = (srcs[0], srcs[1]);
    let (vector, factor) = match (splat(func, x, comps), splat(func, y, comps)) {
        (None, Some(factor)) => (x, factor),
        (Some(factor), None) if *op == AluOp::FMul => (y, factor),
        _ => return None,
    };
    Some(Scaled { op: *op, vector, factor })
}

/// The component that a source reads for each of `comps` components, if it is one.
fn splat(func: &Function, src: Src, comps: usize) -> Option<Src> {
    let first = src.select(0);
    let read = &src.swizzle[..comps];
    let equal = |&comp: &u8| {
        let constant = |at: u8| func.as_const(src.value).map(|bits| bits[usize::from(at)]);
        comp == read[0] || constant(comp).is_some_and(|bits| Some(bits) == constant(read[0]))
    };
    read.iter().all(equal).then_some(first)
}

/// Whether a factor is a constant of ordinary size.
fn is_ordinary(func: &Function, factor: Src) -> bool {
    const_scalar(func, factor).is_some_and(|bits| {
        let magnitude = f32::from_bits(bits as u32).abs();
        (1.0 / LARGEST..=LARGEST).contains(&magnitude)
    })
}
