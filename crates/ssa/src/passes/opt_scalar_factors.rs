//! Multiplies the scalar factors of a vector with each other first:
//!
//! ```text
//! before:                          after:
//! %3: 32x3 = fmul %0, %1.xxx       %3: 32 = fmul %1, %2
//! %4: 32x3 = fmul %3, %2.xxx       %4: 32x3 = fmul %0, %3.xxx
//! ```
//!
//! A quotient by a scalar is treated likewise. A scalar factor of a vector of which only dot products are computed is a
//! factor of these:
//!
//! ```text
//! before:                          after:
//! %3: 32x3 = fmul %0, %1.xxx       %3: 32 = fdot3 %0, %2
//! %4: 32 = fdot3 %3, %2            %4: 32 = fmul %3, %1
//! ```
//!
//! The order of products changes their rounding, so the pass leaves operations that are exact. One of the factors must be a
//! constant of ordinary size: the product of two others is more likely to overflow, or to become 0, where the original
//! products do not. A factor of a dot product may also be a reciprocal square root, which makes the vector's length 1.

use super::util::{Action, const_scalar, rewrite, walk};
use crate::analysis::use_counts;
use crate::ir::{AluOp, Builder, Function, InstData, InstId, InstKind, Shader, Src, Ty};

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
    let uses = Uses::new(&shader.func);
    rewrite(&mut shader.func, |b, _, inst| {
        let replacement = product(b, inst, &uses).or_else(|| dot(b, inst, &uses));
        replacement.map_or(Action::Keep, Action::Replace)
    })
}

/// The uses of each value before the pass.
struct Uses {
    all: Vec<u32>,
    /// The uses by dot products that are not exact.
    by_dots: Vec<u32>,
}

impl Uses {
    fn new(func: &Function) -> Uses {
        let mut by_dots = vec![0; func.num_values()];
        walk(func, |_, _, inst| {
            if let InstKind::Alu { op, srcs, exact: false } = &func.inst(inst).kind
                && is_dot(*op)
            {
                srcs.iter().for_each(|src| by_dots[src.value.index()] += 1);
            }
        });
        Uses { all: use_counts(func), by_dots }
    }
}

/// The replacement of a product with a scalar, if the vector is such a product too.
fn product(b: &mut Builder<'_>, inst: InstId, uses: &Uses) -> Option<Src> {
    let outer = scaled(b.func, b.func.inst(inst))?;
    let inner = scaled(b.func, b.func.def(outer.vector.value)?)?;
    let once = uses.all.get(outer.vector.value.index()).is_none_or(|&count| count == 1);
    let ordinary = [&inner, &outer].iter().any(|scaled| is_ordinary(b.func, scaled.factor));
    if !once || !ordinary || inner.op != AluOp::FMul || !b.func.may_change(inst) {
        return None;
    }
    let ty = b.func.ty(b.func.inst(inst).results[0]);
    let factor = b.alu_ty(outer.op, ty.with_comps(1), &[inner.factor, outer.factor]);
    let vector = inner.vector.then(outer.vector.swizzle);
    let splat = Src { value: factor, swizzle: [0; 4] };
    Some(b.alu_ty(AluOp::FMul, ty, &[vector, splat]).into())
}

/// The replacement of a dot product of one or two vectors that are scaled for dot products only.
fn dot(b: &mut Builder<'_>, inst: InstId, uses: &Uses) -> Option<Src> {
    let InstKind::Alu { op, srcs, exact: false } = &b.func.inst(inst).kind else { return None };
    let op = *op;
    if !is_dot(op) || srcs[0].value == srcs[1].value {
        return None;
    }
    let mut vectors = [srcs[0], srcs[1]];
    let mut factors = Vec::new();
    for vector in &mut vectors {
        let count = |of: &[u32]| of.get(vector.value.index()).copied();
        let (Some(all), Some(by_dots)) = (count(&uses.all), count(&uses.by_dots)) else { continue };
        let Some(scaled) = b.func.def(vector.value).and_then(|def| scaled(b.func, def)) else {
            continue;
        };
        // Each dot product gets a product with a scalar, in place of those of the components.
        let fewer = all == by_dots && (all as usize) < op.src_comps(0, 1);
        let ordinary = is_ordinary(b.func, scaled.factor) || makes_unit(b.func, scaled.factor);
        if scaled.op == AluOp::FMul && fewer && ordinary {
            *vector = scaled.vector.then(vector.swizzle);
            factors.push(scaled.factor);
        }
    }
    if factors.is_empty() || !b.func.may_change(inst) {
        return None;
    }
    let mut result = b.alu_ty(op, Ty::X32, &vectors);
    for factor in factors {
        result = b.alu_ty(AluOp::FMul, Ty::X32, &[result.into(), factor]);
    }
    Some(result.into())
}

fn is_dot(op: AluOp) -> bool {
    matches!(op, AluOp::FDot2 | AluOp::FDot3 | AluOp::FDot4)
}

/// Whether a factor is a reciprocal square root.
fn makes_unit(func: &Function, factor: Src) -> bool {
    let def = func.def(factor.value);
    def.is_some_and(|def| matches!(def.kind, InstKind::Alu { op: AluOp::FRsq, .. }))
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
