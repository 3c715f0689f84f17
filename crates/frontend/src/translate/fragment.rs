//! Instructions that only fragment shaders have: derivatives, helper invocations.

use crestline_ssa::ir::{AluOp, Axis, DerivativeRule, InstKind, Src, Stage, Ty, Value};
use rspirv::spirv::Op;

use super::Translator;
use super::value::Val;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// The axes of a derivative instruction, and its rule; `None` for other instructions. With two axes, the result is the sum of
/// the absolute values of both derivatives.
fn derivative(op: Op) -> Option<(&'static [Axis], DerivativeRule)> {
    use DerivativeRule::{Any, Coarse, Fine};
    let (x, y, both): (&[Axis], &[Axis], &[Axis]) = (&[Axis::X], &[Axis::Y], &[Axis::X, Axis::Y]);
    Some(match op {
        Op::DPdx => (x, Any),
        Op::DPdy => (y, Any),
        Op::Fwidth => (both, Any),
        Op::DPdxFine => (x, Fine),
        Op::DPdyFine => (y, Fine),
        Op::FwidthFine => (both, Fine),
        Op::DPdxCoarse => (x, Coarse),
        Op::DPdyCoarse => (y, Coarse),
        Op::FwidthCoarse => (both, Coarse),
        _ => return None,
    })
}

/// Whether the instruction is translated here.
pub(super) fn is_fragment(op: Op) -> bool {
    derivative(op).is_some()
        || matches!(op, Op::DemoteToHelperInvocation | Op::IsHelperInvocationEXT)
}

impl Translator<'_, '_> {
    /// Checks that the shader is a fragment shader.
    pub(super) fn check_fragment(&self, inst: &Inst<'_>) -> Result<()> {
        let stage = self.shader.stage.stage();
        if stage == Stage::Fragment {
            return Ok(());
        }
        let detail = format!("expected a fragment shader, found a {stage:?} shader");
        Err(inst.error(ErrorCode::Unsupported, detail))
    }

    /// An instruction that only fragment shaders have.
    pub(super) fn op_fragment(&mut self, inst: &Inst<'_>) -> Result<()> {
        self.check_fragment(inst)?;
        let value = match (inst.op, derivative(inst.op)) {
            (_, Some((axes, rule))) => self.op_derivative(inst, axes, rule)?,
            (Op::DemoteToHelperInvocation, _) => {
                self.b().inst(InstKind::Demote, &[]);
                return Ok(());
            }
            _ => {
                if self.globals.types.leaf(inst.ty) != Some(Ty::BOOL) {
                    let detail = "expected a boolean as result";
                    return Err(inst.error(ErrorCode::ResultType, detail));
                }
                self.is_helper()
            }
        };
        self.bind(inst.result, Val::Leaf(value));
        Ok(())
    }

    /// Whether the invocation is a helper now.
    pub(super) fn is_helper(&mut self) -> Value {
        self.value_of(InstKind::IsHelper, Ty::BOOL)
    }

    fn op_derivative(
        &mut self,
        inst: &Inst<'_>,
        axes: &[Axis],
        rule: DerivativeRule,
    ) -> Result<Value> {
        let (_, operand) = self.operand(inst, 0)?;
        let source = self.leaf(inst, 0)?;
        let ty = self.shader.func.ty(source);
        if operand != inst.ty {
            let detail = format!("expected the operand's type %{operand}, found %{}", inst.ty);
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        if ty.bits() != 32 || !self.globals.types.is_float(inst.ty) {
            let found = self.globals.types.describe(inst.ty);
            let detail = format!("expected 32-bit floats, found {found}");
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let mut sum = None;
        for &axis in axes {
            let kind = InstKind::Derivative { axis, rule, src: Src::new(source) };
            let made = self.value_of(kind, ty);
            sum = Some(match (axes.len(), sum) {
                (1, _) => made,
                (_, None) => self.alu(AluOp::FAbs, &[made]),
                (_, Some(other)) => {
                    let this = self.alu(AluOp::FAbs, &[made]);
                    self.alu(AluOp::FAdd, &[other, this])
                }
            });
        }
        // There is at least one axis.
        Ok(sum.unwrap_or(source))
    }

    /// An instruction with one result.
    fn value_of(&mut self, kind: InstKind, ty: Ty) -> Value {
        let mut b = self.b();
        let made = b.inst(kind, &[ty]);
        b.func.inst(made).results[0]
    }
}
