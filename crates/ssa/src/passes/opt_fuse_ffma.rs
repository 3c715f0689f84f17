//! Fuses a product and a sum into one operation that rounds once, if the product is used in sums only:
//! `fadd (fmul %a, %b), %c` becomes `ffma %a, %b, %c`. A product of variables may be in several such sums: the multiplication disappears,
//! and each sum is one instruction as before. Constants of operations with three sources need registers, so `2 * %a - 1`,
//! which needs two, becomes the interpolation from -1 to 1 by `%a` where the device has one: its constants differ in the sign only.
//!
//! The pass runs late, because more simplification rules apply to a separate product. Fusing changes the rounding, so
//! `exact` operations are not fused. Doubles are not fused if the device has no fused instruction for them.

use std::sync::LazyLock;

use super::LowerOptions;
use super::util::rules::{Match, Pat, Rule, RuleSet, letter, pat, rules};
use crate::analysis::{Divergence, Users, use_counts};
use crate::ir::{AluOp, Function, InstId, InstKind, Shader, Src, Ty};

/// See the [module](self). Returns whether a product was fused.
pub fn opt_fuse_ffma(shader: &mut Shader, options: &LowerOptions) -> bool {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[PRODUCTS]));
    static LINES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[SYMMETRIC_LINES]));
    let interpolates = !options.unsupported_ops.contains(&AluOp::FLrp);
    let lines = interpolates && LINES.apply_where(shader, &|_, ty| ty.bits() == 32);
    let fuses_doubles = options.doubles.is_none_or(|doubles| doubles.fused);
    let wanted = |_, ty: Ty| ty.bits() < 64 || fuses_doubles;
    RULES.apply_counting(shader, &wanted, uses_besides_sums) || lines
}

/// The number of uses of each value. A product that can be fused with each of its uses counts as used once. A product that is the same
/// in all invocations does not, because one instruction for one channel computes it.
fn uses_besides_sums(shader: &Shader) -> Vec<u32> {
    let func = &shader.func;
    let mut uses = use_counts(func);
    let divergence = Divergence::new(shader);
    let users = Users::new(func);
    let mut regions = vec![func.body()];
    while let Some(region) = regions.pop() {
        for &id in &func.region(region).insts {
            let inst = func.inst(id);
            regions.extend(inst.kind.regions());
            let InstKind::Alu { op: AluOp::FMul, srcs, exact: false } = &inst.kind else {
                continue;
            };
            let product = inst.results[0];
            // Half floats may have to be multiplied and added apart after all, because `mad` reads only packed ones.
            if uses[product.index()] < 2
                || func.ty(product).bits() == 16
                || !divergence.is_divergent(product)
                || srcs.iter().any(|src| func.as_const(src.value).is_some())
            {
                continue;
            }
            let mut negated = vec![];
            let in_sums = users.of(product).iter().all(|&user| match &func.inst(user).kind {
                InstKind::Alu { op: AluOp::FNeg, .. } => {
                    let value = func.inst(user).results[0];
                    negated.push(value);
                    users.of(value).iter().all(|&user| is_sum_with_product(func, user))
                }
                _ => is_sum_with_product(func, user),
            });
            if in_sums {
                for value in negated.into_iter().chain([product]) {
                    uses[value.index()] = 1;
                }
            }
        }
    }
    uses
}

/// Whether the instruction is a sum or difference of floats that may be fused with one of its sources, because that is the only
/// product in it, and no source is constant.
fn is_sum_with_product(func: &Function, inst: InstId) -> bool {
    let is_product = |src: &Src| {
        let mut def = func.def(src.value).map(|inst| &inst.kind);
        if let Some(InstKind::Alu { op: AluOp::FNeg, srcs, .. }) = def {
            def = func.def(srcs[0].value).map(|inst| &inst.kind);
        }
        matches!(def, Some(InstKind::Alu { op: AluOp::FMul, exact: false, .. }))
    };
    match &func.inst(inst).kind {
        InstKind::Alu { op: AluOp::FAdd | AluOp::FSub, srcs, exact: false } => {
            srcs.iter().all(|src| func.as_const(src.value).is_none())
                && srcs.iter().filter(|src| is_product(src)).count() == 1
        }
        _ => false,
    }
}

static SYMMETRIC_LINES: &[Rule] = rules! {
    (FAdd (FMul a [b]) [c]) -> (FLrp [c] (FNeg [c]) a) if is_symmetric(b, c);
};

/// Whether `b` is -2 `c`, and the product has no other use.
fn is_symmetric(m: &Match<'_>, b: usize, c: usize) -> bool {
    let single = |bits: u64| f32::from_bits(bits as u32);
    match (m.consts(b), m.consts(c)) {
        (Some(b), Some(c)) => {
            let mut pairs = b.iter().zip(&c);
            pairs.all(|(&b, &c)| single(b) == -2.0 * single(c)) && m.inner_used_once()
        }
        _ => false,
    }
}

static PRODUCTS: &[Rule] = rules! {
    (FAdd (FMul a b) c) -> (FFma a b c) if used_once();
    (FAdd (FNeg (FMul a b)) c) -> (FFma (FNeg a) b c) if used_once();
    (FSub (FMul a b) c) -> (FFma a b (FNeg c)) if used_once();
    (FSub c (FMul a b)) -> (FFma (FNeg a) b c) if used_once();
};

fn used_once(m: &Match<'_>) -> bool {
    m.inner_used_once()
}
