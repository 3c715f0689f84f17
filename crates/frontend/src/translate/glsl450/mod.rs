//! Translates the instructions of the extended set GLSL.std.450.
//!
//! A table lists the instructions that are one IR operation. The others are composed of several IR operations, with the
//! precision that the Vulkan specification requires for 32-bit floats.

mod geometry;
mod pack;
mod parts;
mod trig;

use crestline_ssa::ir::{AluOp, Value};
use rspirv::spirv::GlslStd450Op as G;

use super::Translator;
use super::value::Val;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;
use crate::translate::alu::described;

/// Index of the operand word with the first argument. The words before it are the set and the instruction number.
pub(super) const FIRST: usize = 2;

/// Instructions that are one IR operation. The operands have the result's type, or the sizes that the operation's row
/// requires.
const DIRECT: &[(G, AluOp)] = &[
    // GLSL.std.450 lets the implementation choose how `Round` rounds halves.
    (G::Round, AluOp::FRoundEven),
    (G::RoundEven, AluOp::FRoundEven),
    (G::Trunc, AluOp::FTrunc),
    (G::FAbs, AluOp::FAbs),
    (G::SAbs, AluOp::IAbs),
    (G::FSign, AluOp::FSign),
    (G::SSign, AluOp::ISign),
    (G::Floor, AluOp::FFloor),
    (G::Ceil, AluOp::FCeil),
    (G::Fract, AluOp::FFract),
    (G::Sin, AluOp::FSin),
    (G::Cos, AluOp::FCos),
    (G::Pow, AluOp::FPow),
    (G::Exp2, AluOp::FExp2),
    (G::Log2, AluOp::FLog2),
    (G::Sqrt, AluOp::FSqrt),
    (G::InverseSqrt, AluOp::FRsq),
    (G::FMin, AluOp::FMin),
    (G::UMin, AluOp::UMin),
    (G::SMin, AluOp::IMin),
    (G::FMax, AluOp::FMax),
    (G::UMax, AluOp::UMax),
    (G::SMax, AluOp::IMax),
    (G::NMin, AluOp::FMin),
    (G::NMax, AluOp::FMax),
    (G::FMix, AluOp::FLrp),
    (G::Fma, AluOp::FFma),
    (G::PackHalf2x16, AluOp::PackHalf2x16),
    (G::UnpackHalf2x16, AluOp::UnpackHalf2x16),
    (G::PackDouble2x32, AluOp::Pack64From32),
    (G::UnpackDouble2x32, AluOp::Unpack64To32),
    (G::FindILsb, AluOp::FindLsb),
    (G::FindSMsb, AluOp::FindIMsb),
    (G::FindUMsb, AluOp::FindUMsb),
];

/// Instructions that SPIR-V does not allow on 64-bit floats.
const NOT_OF_DOUBLES: &[G] = &[
    G::Radians,
    G::Degrees,
    G::Sin,
    G::Cos,
    G::Tan,
    G::Asin,
    G::Acos,
    G::Atan,
    G::Sinh,
    G::Cosh,
    G::Tanh,
    G::Asinh,
    G::Acosh,
    G::Atanh,
    G::Atan2,
    G::Pow,
    G::Exp,
    G::Log,
    G::Exp2,
    G::Log2,
];

impl Translator<'_, '_> {
    /// Translates one instruction of GLSL.std.450.
    pub(super) fn glsl450(&mut self, inst: &Inst<'_>, op: G) -> Result<()> {
        if NOT_OF_DOUBLES.contains(&op) && self.result_leaf(inst)?.bits() == 64 {
            let detail = format!("expected floats of at most 32 bits for {op:?}");
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        if let Some(&(_, op)) = DIRECT.iter().find(|row| row.0 == op) {
            let mut srcs = Vec::new();
            for at in 0..op.row().srcs.len() {
                srcs.push(self.leaf(inst, FIRST + at)?);
            }
            let ty = self.result_leaf(inst)?;
            let value = self.checked(inst, op, &srcs, ty)?;
            self.bind(inst.result, Val::Leaf(value));
            return Ok(());
        }
        match op {
            G::Determinant => {
                let value = self.determinant(inst, FIRST)?;
                return self.bind_leaf(inst, value);
            }
            G::MatrixInverse => {
                let columns = self.inverse(inst, FIRST)?;
                return self.bind_columns(inst, columns);
            }
            G::Modf | G::ModfStruct => return self.modf(inst, op),
            G::Frexp | G::FrexpStruct => return self.frexp(inst, op),
            G::Ldexp => return self.ldexp(inst),
            G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset => {
                return self.interpolate_at(inst, op);
            }
            G::Refract => return self.refract(inst),
            G::PackSnorm4x8 | G::PackUnorm4x8 | G::PackSnorm2x16 | G::PackUnorm2x16 => {
                return self.pack_norm(inst, op);
            }
            G::UnpackSnorm4x8 | G::UnpackUnorm4x8 | G::UnpackSnorm2x16 | G::UnpackUnorm2x16 => {
                return self.unpack_norm(inst, op);
            }
            _ => {}
        }
        let srcs = self.equal_leaves(inst, FIRST)?;
        let value = self.composed(inst, op, &srcs)?;
        self.bind_leaf(inst, value)
    }

    /// The result of an instruction that takes several IR operations and whose operands have one type.
    fn composed(&mut self, inst: &Inst<'_>, op: G, srcs: &[Value]) -> Result<Value> {
        let needed = match op {
            G::FClamp | G::UClamp | G::SClamp | G::NClamp | G::SmoothStep | G::FaceForward => 3,
            G::Step | G::Atan2 | G::Distance | G::Cross | G::Reflect => 2,
            _ => 1,
        };
        if srcs.len() != needed {
            let detail = format!("expected {needed} operands, found {}", srcs.len());
            return Err(inst.error(ErrorCode::MissingOperand, detail));
        }
        let x = srcs[0];
        match op {
            G::UClamp | G::SClamp => {
                if self.shader.func.ty(x).is_bool() {
                    return Err(inst.error(ErrorCode::OperandType, "expected integers"));
                }
                let unsigned = op == G::UClamp;
                let (min, max) =
                    if unsigned { (AluOp::UMin, AluOp::UMax) } else { (AluOp::IMin, AluOp::IMax) };
                let raised = self.alu(max, &[x, srcs[1]]);
                return Ok(self.alu(min, &[raised, srcs[2]]));
            }
            _ => {}
        }
        let ty = self.need_float(inst, x)?;
        Ok(match op {
            G::Radians => self.scaled(x, std::f64::consts::PI / 180.0),
            G::Degrees => self.scaled(x, 180.0 / std::f64::consts::PI),
            G::Exp => self.exp(x),
            G::Log => self.log(x),
            G::Tan => {
                let (sin, cos) = (self.alu(AluOp::FSin, &[x]), self.alu(AluOp::FCos, &[x]));
                self.alu(AluOp::FDiv, &[sin, cos])
            }
            G::Asin => self.asin(x),
            G::Acos => self.acos(x),
            G::Atan => self.atan(x),
            G::Atan2 => self.atan2(x, srcs[1]),
            G::Sinh | G::Cosh => self.sinh_cosh(x, op == G::Sinh),
            G::Tanh => self.tanh(x),
            G::Asinh => self.asinh(x),
            G::Acosh => self.acosh(x),
            G::Atanh => self.atanh(x),
            G::FClamp | G::NClamp => {
                let raised = self.alu(AluOp::FMax, &[x, srcs[1]]);
                self.alu(AluOp::FMin, &[raised, srcs[2]])
            }
            G::Step => {
                let reached = self.alu(AluOp::FGe, &[srcs[1], x]);
                self.b().convert(AluOp::B2F, ty.bits(), reached)
            }
            G::SmoothStep => self.smooth_step(srcs),
            G::Length => self.length(x),
            G::Distance => {
                let difference = self.alu(AluOp::FSub, &[x, srcs[1]]);
                self.length(difference)
            }
            G::Normalize => self.normalize(x),
            G::Cross if ty.comps() == 3 => self.cross(x, srcs[1]),
            G::FaceForward => self.face_forward(srcs),
            G::Reflect => self.reflect(x, srcs[1]),
            _ => {
                let detail =
                    format!("expected a supported instruction, found {op:?} of {}", described(ty));
                return Err(inst.error(ErrorCode::UnsupportedExt, detail));
            }
        })
    }

    /// `x` times a number.
    fn scaled(&mut self, x: Value, factor: f64) -> Value {
        let ty = self.shader.func.ty(x);
        let factor = self.imm_float(ty, factor);
        self.alu(AluOp::FMul, &[x, factor])
    }

    /// `x` plus a number.
    fn shifted(&mut self, x: Value, term: f64) -> Value {
        let ty = self.shader.func.ty(x);
        let term = self.imm_float(ty, term);
        self.alu(AluOp::FAdd, &[x, term])
    }

    /// A number minus `x`.
    fn less(&mut self, number: f64, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let number = self.imm_float(ty, number);
        self.alu(AluOp::FSub, &[number, x])
    }

    /// A polynomial in `x`, lowest coefficient first.
    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let ty = self.shader.func.ty(x);
        let mut terms = coefficients.iter().rev();
        let mut sum = self.imm_float(ty, terms.next().copied().unwrap_or(0.0));
        for &coefficient in terms {
            let coefficient = self.imm_float(ty, coefficient);
            sum = self.alu(AluOp::FFma, &[sum, x, coefficient]);
        }
        sum
    }
}
