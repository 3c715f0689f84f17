//! Multiply-adds of half floats.
//!
//! `mad` reads packed half floats only. A source that is a constant, a scalar or a half of each dword must be copied
//! first, and the copy serves all multiply-adds that read it. So a multiply-add becomes `mad` if its share of copies is
//! less than one instruction, and otherwise a product and a sum. An exact one is always `mad`, since it must stay
//! one operation; another one whose result is uniform never is, since its sources are scalars.

use crestline_isa::{Opcode, Type};
use crestline_ssa::ir::{AluOp, Function, InstKind, Src, Value};
use hashbrown::HashMap;

use super::Selector;
use crate::ir::Op;
use crate::select::Class;

/// For each component that multiply-adds of half floats read, the number of these reads.
pub(super) type FusedReads = HashMap<(Value, u8), u32>;

/// Counts the reads by multiply-adds of half floats.
pub(super) fn fused_reads(func: &Function) -> FusedReads {
    let mut reads = FusedReads::new();
    if !func.may_have_bits(16) {
        return reads;
    }
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            let kind = &func.inst(id).kind;
            stack.extend(kind.regions());
            let InstKind::Alu { op: AluOp::FFma, srcs, .. } = kind else { continue };
            for src in srcs.iter().filter(|src| func.ty(src.value).bits() == 16) {
                *reads.entry(place(func, *src)).or_default() += 1;
            }
        }
    }
    reads
}

/// The component that a source reads, behind copies, negations and absolute values.
fn place(func: &Function, mut src: Src) -> (Value, u8) {
    while let Some(InstKind::Alu { op, srcs, .. }) = func.def(src.value).map(|inst| &inst.kind)
        && let AluOp::FNeg | AluOp::FAbs | AluOp::Mov = op
    {
        src = srcs[0].select(src.swizzle[0].into());
    }
    (src.value, src.swizzle[0])
}

impl Selector<'_> {
    /// Selects the multiply-add `x * y + z` of half floats.
    pub(super) fn half_fma(&mut self, [x, y, z]: [Src; 3], result: Value) {
        let func = &self.shader.func;
        let exact = func
            .def(result)
            .is_some_and(|inst| matches!(inst.kind, InstKind::Alu { exact: true, .. }));
        let reads =
            [x, y, z].map(|src| self.fused_reads.get(&place(func, src)).copied().unwrap_or(1));
        let operands = [x, y, z].map(|src| self.src(src, Class::Float));
        let shares = operands.iter().zip(reads).map(|(operand, reads)| {
            if operand.is_packed() && operand.in_grf() { 0.0 } else { 1.0 / f64::from(reads) }
        });
        let fuses = exact || shares.sum::<f64>() < 1.0 && !self.uniform.is(result);
        let [x, y, z] = operands;
        if fuses {
            let operands = [z, x, y].map(|operand| self.in_register(operand));
            let dst = self.define(result, 0, Class::Float);
            return self.b_for(result, |b| _ = b.emit(Op::Hw(Opcode::Mad), dst, &operands));
        }
        let (x, y, _) = self.two_sources(x, y, true);
        let product = self.temporary(result, Type::Hf);
        self.b_for(result, |b| _ = b.mul(product, x, y));
        let (first, second, _) = self.two_sources(product, z, true);
        let dst = self.define(result, 0, Class::Float);
        self.b_for(result, |b| _ = b.add(dst, first, second));
    }
}
