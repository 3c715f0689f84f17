//! Keeps values of 8 and 16 bits in dwords, for a back end without registers of smaller sizes.
//!
//! After `lower_memory_sizes` and `lower_small_types`, such values are only moved, selected and converted. Each value
//! gets the type of a dword, with its bits in the low ones. The bits above are undefined; an operation that extends a
//! value clears or overwrites them. A shader that does anything else with small values is left alone, and instruction
//! selection reports the operation.

use super::util::{Action, rewrite, walk};
use crate::ir::{AluOp, Builder, Function, InstData, InstKind, Shader, Src, Ty, Value};

/// See the [module](self). Returns whether there were small values.
pub fn lower_small_values(shader: &mut Shader) -> bool {
    let func = &mut shader.func;
    let mut fits = true;
    walk(func, |_, _, id| {
        let inst = func.inst(id);
        let mut small = defined(func, inst).any(|value| is_small(func.ty(value)));
        inst.kind.for_each_src(|src| small |= is_small(func.ty(src.value)));
        fits &= !small || moves_or_converts(inst);
    });
    if !fits || small_values(func).is_empty() {
        return false;
    }
    rewrite(func, |b, _, id| {
        let inst = b.func.inst(id);
        let InstKind::Alu { op, srcs, .. } = &inst.kind else { return Action::Keep };
        let (op, src, to) = (*op, srcs[0], b.func.ty(inst.results[0]));
        let from = b.func.ty(src.value);
        if is_conversion(op) && (is_small(from) || is_small(to)) {
            Action::Replace(converted(b, op, src, from, to).into())
        } else {
            Action::Keep
        }
    });
    // The conversions built above define small values too, so the values are collected again.
    for value in small_values(func) {
        let dwords = Ty::X32.with_comps(func.ty(value).comps());
        func.set_ty(value, dwords);
    }
    true
}

fn is_small(ty: Ty) -> bool {
    matches!(ty.bits(), 8 | 16)
}

/// The results of an instruction and the parameters of its regions.
fn defined<'f>(func: &'f Function, inst: &'f InstData) -> impl Iterator<Item = Value> + 'f {
    let params = inst.kind.regions().flat_map(|region| &func.region(region).params);
    params.chain(&inst.results).copied()
}

/// All reachable values of 8 or 16 bits.
fn small_values(func: &Function) -> Vec<Value> {
    let mut small = Vec::new();
    walk(func, |_, _, id| {
        small.extend(defined(func, func.inst(id)).filter(|&value| is_small(func.ty(value))));
    });
    small
}

fn is_conversion(op: AluOp) -> bool {
    matches!(op, AluOp::I2I | AluOp::U2U | AluOp::F2F)
}

/// Whether an instruction may have small values as sources and results.
fn moves_or_converts(inst: &InstData) -> bool {
    match &inst.kind {
        InstKind::Alu { op, .. } => {
            is_conversion(*op)
                || matches!(
                    op,
                    AluOp::Mov | AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4 | AluOp::Select
                )
        }
        InstKind::Const(_)
        | InstKind::Undef
        | InstKind::If { .. }
        | InstKind::Loop { .. }
        | InstKind::Yield(_)
        | InstKind::Break(_)
        | InstKind::Continue(_) => true,
        _ => false,
    }
}

/// Builds a conversion on dwords. The result keeps the type `to` for now, since conversions of this result may follow.
fn converted(b: &mut Builder<'_>, op: AluOp, src: Src, from: Ty, to: Ty) -> Value {
    let comps = to.comps();
    let dwords = Ty::X32.with_comps(comps);
    let constant =
        |b: &mut Builder<'_>, value: u32| -> Src { b.constant(dwords, [value.into(); 4]).into() };
    match op {
        AluOp::F2F if from.bits() == to.bits() => b.alu_ty(AluOp::Mov, to, &[src]),
        AluOp::F2F => {
            let parts: Vec<Src> =
                (0..comps).map(|comp| half_converted(b, src.select(comp), to)).collect();
            let all = b.vec(&parts);
            b.alu_ty(AluOp::Mov, to, &[all.into()])
        }
        // The bits above are undefined, so nothing needs to be cleared.
        _ if to.bits() <= from.bits() => b.alu_ty(AluOp::Mov, to, &[src]),
        AluOp::U2U => {
            let mask = constant(b, u32::MAX >> (Ty::X32.bits() - from.bits()));
            b.alu_ty(AluOp::IAnd, to, &[src, mask])
        }
        _ => {
            let count = constant(b, Ty::X32.bits() - from.bits());
            let up = b.alu_ty(AluOp::IShl, dwords, &[src, count]);
            b.alu_ty(AluOp::IShr, to, &[up.into(), count])
        }
    }
}

/// Converts a float to a half float in the low bits of a dword, or a half float to a float, depending on `to`.
fn half_converted(b: &mut Builder<'_>, src: Src, to: Ty) -> Src {
    if to.bits() == Ty::X32.bits() {
        let floats = b.alu_ty(AluOp::UnpackHalf2x16, Ty::X32.with_comps(2), &[src]);
        return Src::comp(floats, 0);
    }
    let zero = b.imm(0);
    let pair = b.vec(&[src, zero.into()]);
    b.alu_ty(AluOp::PackHalf2x16, Ty::X32, &[pair.into()]).into()
}
