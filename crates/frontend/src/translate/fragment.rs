//! Instructions that only fragment shaders have: derivatives, helper invocations, critical sections, interpolation at a chosen
//! place.

use crestline_ssa::ir::{
    AluOp, Axis, BaryPlace, DerivativeRule, InstKind, InterpMode, InterpPlace, Src, Stage,
    StageInfo, Ty, Value,
};
use rspirv::spirv::{GlslStd450Op, Op};

use super::Translator;
use super::builtin::Builtin;
use super::glsl450::FIRST;
use super::pointer::{Base, Index};
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
        || matches!(
            op,
            Op::DemoteToHelperInvocation
                | Op::IsHelperInvocationEXT
                | Op::BeginInvocationInterlockEXT
                | Op::EndInvocationInterlockEXT
        )
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

    /// Checks that invocations form quads.
    pub(super) fn check_quads(&self, inst: &Inst<'_>) -> Result<()> {
        if self.shader.has_quads() {
            return Ok(());
        }
        let stage = self.shader.stage.stage();
        let detail = format!(
            "expected a fragment shader, or a compute shader with an execution mode such as DerivativeGroupQuadsKHR, \
             found Op{:?} in a {stage:?} shader",
            inst.op
        );
        Err(inst.error(ErrorCode::Unsupported, detail))
    }

    /// An instruction that only fragment shaders have, or a derivative.
    pub(super) fn op_fragment(&mut self, inst: &Inst<'_>) -> Result<()> {
        match derivative(inst.op) {
            Some(_) => self.check_quads(inst)?,
            None => self.check_fragment(inst)?,
        }
        let value = match (inst.op, derivative(inst.op)) {
            (_, Some((axes, rule))) => self.op_derivative(inst, axes, rule)?,
            (Op::DemoteToHelperInvocation, _) => {
                self.b().inst(InstKind::Demote, &[]);
                return Ok(());
            }
            (Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT, _) => {
                return self.op_interlock(inst);
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

    /// `OpBeginInvocationInterlockEXT` and `OpEndInvocationInterlockEXT`.
    fn op_interlock(&mut self, inst: &Inst<'_>) -> Result<()> {
        if !matches!(self.shader.stage, StageInfo::Fragment(info) if info.interlock.is_some()) {
            let detail = "expected an execution mode such as PixelInterlockOrderedEXT, found none";
            return Err(inst.error(ErrorCode::StageMode, detail));
        }
        let begins = inst.op == Op::BeginInvocationInterlockEXT;
        self.b().inst(InstKind::Interlock { begins }, &[]);
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

    /// `InterpolateAtCentroid`, `InterpolateAtSample` and `InterpolateAtOffset` of GLSL.std.450.
    pub(super) fn interpolate_at(&mut self, inst: &Inst<'_>, op: GlslStd450Op) -> Result<()> {
        self.check_fragment(inst)?;
        let pointer = self.pointer(inst, FIRST)?;
        let at = match op {
            GlslStd450Op::InterpolateAtCentroid => BaryPlace::Place(InterpPlace::Centroid),
            GlslStd450Op::InterpolateAtSample => {
                BaryPlace::AtSample(self.coordinate32(inst, FIRST + 1)?.into())
            }
            _ => {
                let offset = self.float32(inst, FIRST + 1)?;
                if self.shader.func.ty(offset).comps() != 2 {
                    let detail = "expected an offset of two components";
                    return Err(inst.error(ErrorCode::OperandType, detail));
                }
                BaryPlace::AtOffset(offset.into())
            }
        };
        let value = match &pointer.base {
            Base::Slots(slots) => {
                let found = self.interpolate_slots(slots, pointer.pointee, at);
                found.map_err(|e| e.at(inst.position()))?
            }
            Base::Builtin { builtin: Builtin::Barycentric(mode, _), comp } => {
                let whole = self.bary_coord(*mode, at);
                match *comp {
                    None => whole,
                    Some(Index::Const(comp)) => self.b().comp(whole, comp.min(2) as usize),
                    Some(Index::Dyn(comp)) => self.dynamic_comp(whole, comp),
                }
            }
            _ => return Err(inst.error(ErrorCode::OperandType, "expected a pointer to an input")),
        };
        self.bind_leaf(inst, value)
    }

    /// The weights of the second and third vertex at a place.
    pub(super) fn weights(&mut self, mode: InterpMode, at: BaryPlace) -> Value {
        self.value_of(InstKind::Barycentric { mode, at }, Ty::X32.with_comps(2))
    }

    /// The weights of all three vertices at a place.
    pub(super) fn bary_coord(&mut self, mode: InterpMode, at: BaryPlace) -> Value {
        let rest = self.weights(mode, at);
        let [second, third] = [0, 1].map(|comp| self.b().comp(rest, comp));
        let one = self.b().imm_f(1.0);
        let first = self.alu(AluOp::FSub, &[one, second]);
        let first = self.alu(AluOp::FSub, &[first, third]);
        self.b().vec(&[first.into(), second.into(), third.into()])
    }

    /// An instruction with one result.
    pub(super) fn value_of(&mut self, kind: InstKind, ty: Ty) -> Value {
        let mut b = self.b();
        let made = b.inst(kind, &[ty]);
        b.func.inst(made).results[0]
    }
}
