//! Splits vector arithmetic and derivatives into scalar ones, for back ends whose registers hold one component each:
//!
//! ```text
//! %2: 32x2 = fadd %0, %1      becomes    %3 = fadd %0.x, %1.x;  %4 = fadd %0.y, %1.y;  %2 = vec2 %3, %4
//! ```
//!
//! Loads, stores, packing operations and variables keep their vectors; parameters and results of regions are split.
//! The vectors built from the components are removed later, when
//! [`opt_copy_propagation`](super::opt_copy_propagation()) has replaced their uses.

use super::util::{Context, Subst, walk};
use crate::interp::alu::dot_order;
use crate::ir::{
    AluOp, Builder, Function, InstId, InstKind, RegionId, Shader, Src, Srcs, Ty, Value,
};

/// See the [module](self). Returns whether there was a vector to split.
pub fn lower_scalarize(shader: &mut Shader) -> bool {
    let body = shader.func.body();
    let mut pass = Pass { func: &mut shader.func, subst: Subst::default(), progress: false };
    pass.split_jumps();
    pass.region(body);
    pass.progress
}

struct Pass<'f> {
    func: &'f mut Function,
    subst: Subst,
    progress: bool,
}

impl Pass<'_> {
    /// Makes jumps and the initial values of loops pass components: first the scalars, then the components of the
    /// vectors.
    fn split_jumps(&mut self) {
        let mut jumps: Vec<(Context, InstId)> = Vec::new();
        walk(self.func, |cx, _, inst| jumps.push((*cx, inst)));
        for (cx, inst) in jumps {
            let kind = &self.func.inst(inst).kind;
            let fed = match kind {
                InstKind::Loop { body, .. } => &self.func.region(*body).params[..],
                kind => cx.fed(self.func, kind),
            };
            if !fed.iter().any(|&value| self.is_vector(value)) {
                continue;
            }
            let fed: Vec<usize> = fed.iter().map(|&value| self.func.ty(value).comps()).collect();
            if let InstKind::Yield(srcs)
            | InstKind::Break(srcs)
            | InstKind::Continue(srcs)
            | InstKind::Loop { init: srcs, .. } = self.func.kind_mut(inst)
            {
                let old = std::mem::take(srcs);
                let pairs = || old.iter().zip(&fed);
                srcs.extend(pairs().filter(|(_, n)| **n == 1).map(|(src, _)| *src));
                let vectors = pairs().filter(|(_, n)| **n > 1);
                srcs.extend(vectors.flat_map(|(src, &n)| (0..n).map(|c| src.select(c))));
            }
        }
    }

    fn is_vector(&self, value: Value) -> bool {
        self.func.ty(value).comps() > 1
    }

    /// Splits the parameters of a region and the instructions in it.
    fn region(&mut self, region: RegionId) {
        let insts = std::mem::take(&mut self.func.region_mut(region).insts);
        let params = self.func.region(region).params.clone();
        let vectors: Vec<bool> = params.iter().map(|&value| self.is_vector(value)).collect();
        self.func.retain_params(region, |i| !vectors[i]);
        self.split(region, &params, |func, ty| func.add_param(region, ty));
        for inst in insts {
            self.subst.apply(self.func, inst);
            self.func.set_loc_from(inst);
            match &self.func.inst(inst).kind {
                InstKind::Alu { .. } => self.alu(region, inst),
                InstKind::Derivative { .. } => self.derivative(region, inst),
                InstKind::Const(_) | InstKind::Undef => self.constant(region, inst),
                _ => {}
            }
            self.func.region_mut(region).insts.push(inst);
            let regions = self.func.inst(inst).kind.regions();
            if regions.len() != 0 {
                regions.for_each(|inner| self.region(inner));
                self.func.set_loc_from(inst);
                let results = self.func.inst(inst).results.clone();
                let vectors: Vec<bool> = results.iter().map(|&v| self.is_vector(v)).collect();
                self.func.retain_results(inst, |i| !vectors[i]);
                self.split(region, &results, |func, ty| func.add_result(inst, ty));
            }
        }
    }

    /// For each vector among `values`: adds a scalar for each component with `add`, and builds the vector from them
    /// at the end of `region`.
    fn split(
        &mut self,
        region: RegionId,
        values: &[Value],
        mut add: impl FnMut(&mut Function, Ty) -> Value,
    ) {
        for &value in values.iter() {
            let ty = self.func.ty(value);
            if ty.comps() > 1 {
                let comps: Srcs =
                    (0..ty.comps()).map(|_| Src::new(add(self.func, ty.scalar()))).collect();
                let whole = Builder::new(self.func, region).vec(&comps);
                self.subst.insert(value, whole.into());
                self.progress = true;
            }
        }
    }

    /// Inserts scalar operations before a vector operation, which becomes the vector of their results.
    fn alu(&mut self, region: RegionId, inst: InstId) {
        let data = self.func.inst(inst);
        let InstKind::Alu { op, srcs, exact } = data.kind.clone() else { return };
        let ty = self.func.ty(data.results[0]);
        let mut b = Builder::new(self.func, region);
        b.set_exact(exact);
        let kind = match op {
            AluOp::FDot2 | AluOp::FDot3 | AluOp::FDot4 => dot_product(&mut b, op, &srcs, exact),
            _ if ty.comps() > 1 && op.is_per_component() => {
                let comps = (0..ty.comps()).map(|c| {
                    let srcs: Srcs = srcs.iter().map(|s| s.select(c)).collect();
                    match op {
                        AluOp::Mov => srcs[0],
                        _ => b.alu_ty(op, ty.scalar(), &srcs).into(),
                    }
                });
                vector_of(comps.collect())
            }
            _ => return,
        };
        *self.func.kind_mut(inst) = kind;
        self.progress = true;
    }

    /// Replaces the derivative of a vector by a vector of the derivatives of its components.
    fn derivative(&mut self, region: RegionId, inst: InstId) {
        let data = self.func.inst(inst);
        let ty = self.func.ty(data.results[0]);
        let InstKind::Derivative { axis, rule, src } = data.kind else { return };
        if ty.comps() == 1 {
            return;
        }
        let mut b = Builder::new(self.func, region);
        let comps = (0..ty.comps()).map(|c| {
            let kind = InstKind::Derivative { axis, rule, src: src.select(c) };
            let made = b.inst(kind, &[ty.scalar()]);
            Src::new(b.func.inst(made).results[0])
        });
        *self.func.kind_mut(inst) = vector_of(comps.collect());
        self.progress = true;
    }

    /// Inserts scalar constants before a vector constant, which becomes the vector of them.
    fn constant(&mut self, region: RegionId, inst: InstId) {
        let data = self.func.inst(inst);
        let ty = self.func.ty(data.results[0]);
        if ty.comps() == 1 {
            return;
        }
        let bits = match data.kind {
            InstKind::Const(bits) => Some(bits),
            _ => None,
        };
        let mut b = Builder::new(self.func, region);
        let comps = (0..ty.comps()).map(|c| match bits {
            Some(bits) => Src::new(b.constant(ty.scalar(), [bits[c], 0, 0, 0])),
            None => Src::new(b.undef(ty.scalar())),
        });
        *self.func.kind_mut(inst) = vector_of(comps.collect());
        self.progress = true;
    }
}

/// The instruction that builds a vector of two to four scalars.
fn vector_of(comps: Srcs) -> InstKind {
    InstKind::alu([AluOp::Vec2, AluOp::Vec3, AluOp::Vec4][comps.len() - 2], comps)
}

/// Builds a dot product as a chain of operations on components, except the last one, which is returned.
fn dot_product(b: &mut Builder<'_>, op: AluOp, srcs: &Srcs, exact: bool) -> InstKind {
    let comps = op.src_comps(0, 1);
    let ty = b.func.ty(srcs[0].value).scalar();
    let (x, y) = (srcs[0], srcs[1]);
    let mut order = dot_order(ty.bits(), comps);
    let first = order.next().unwrap_or(0);
    let mut sum: Src = b.alu_ty(AluOp::FMul, ty, &[x.select(first), y.select(first)]).into();
    let mut left = comps - 1;
    for c in order {
        left -= 1;
        let (op, terms) = if exact {
            let product = b.alu_ty(AluOp::FMul, ty, &[x.select(c), y.select(c)]);
            (AluOp::FAdd, Srcs::from_slice(&[sum, product.into()]))
        } else {
            (AluOp::FFma, Srcs::from_slice(&[x.select(c), y.select(c), sum]))
        };
        if left == 0 {
            return InstKind::Alu { op, srcs: terms, exact };
        }
        sum = b.alu_ty(op, ty, &terms).into();
    }
    InstKind::Alu { op: AluOp::Mov, srcs: Srcs::from_slice(&[sum]), exact: false }
}
