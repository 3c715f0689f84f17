//! Reduces the arguments of sines and cosines to [-pi, pi], the range in which the hardware's instructions are
//! accurate.
//!
//! The nearest multiple of two pi is subtracted in two parts. The first part has so few bits that its product with
//! the number of turns is exact.

use super::util::{Action, rewrite};
use crate::ir::{AluOp, InstKind, Shader};

/// The first bits of two pi.
const TWO_PI_HIGH: f32 = 6.28125;
/// The remaining bits of two pi.
const TWO_PI_LOW: f32 = (2.0 * std::f64::consts::PI - TWO_PI_HIGH as f64) as f32;

/// See the [module](self). Returns whether there was a sine or cosine of 32 bits.
pub fn lower_trigonometry(shader: &mut Shader) -> bool {
    let turns = |op| matches!(op, AluOp::FSin | AluOp::FCos);
    if !shader.func.may_have(|inst| matches!(inst.kind, InstKind::Alu { op, .. } if turns(op))) {
        return false;
    }
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let InstKind::Alu { op, srcs, exact } = &data.kind else { return Action::Keep };
        let reduced = match op {
            AluOp::FSin => AluOp::FSinReduced,
            AluOp::FCos => AluOp::FCosReduced,
            _ => return Action::Keep,
        };
        let ty = b.func.ty(data.results[0]);
        if ty.bits() != 32 {
            return Action::Keep;
        }
        let (src, exact) = (srcs[0], *exact);
        b.set_exact(exact);
        let splat = |value: f32| [u64::from(value.to_bits()); 4];
        let turns = b.constant(ty, splat(std::f32::consts::FRAC_1_PI / 2.0));
        let turns = b.alu_ty(AluOp::FMul, ty, &[src, turns.into()]);
        let turns = b.alu(AluOp::FRoundEven, &[turns]);
        let mut rest = src;
        for part in [TWO_PI_HIGH, TWO_PI_LOW] {
            let part = b.constant(ty, splat(-part));
            rest = b.alu_ty(AluOp::FFma, ty, &[turns.into(), part.into(), rest]).into();
        }
        *b.func.kind_mut(inst) =
            InstKind::Alu { op: reduced, srcs: [rest].into_iter().collect(), exact };
        progress = true;
        Action::Keep
    });
    progress
}
