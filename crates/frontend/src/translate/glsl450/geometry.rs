//! Geometric functions, and `SmoothStep`.

use crestline_ssa::ir::{AluOp, Src, Ty, Value};

use super::super::Translator;
use super::FIRST;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

impl Translator<'_, '_> {
    /// The length of a vector.
    pub(super) fn length(&mut self, x: Value) -> Value {
        if self.shader.func.ty(x).comps() == 1 {
            return self.alu(AluOp::FAbs, &[x]);
        }
        let square = self.dot(x, x);
        self.alu(AluOp::FSqrt, &[square])
    }

    /// The vector of length 1 in the direction of `x`.
    pub(super) fn normalize(&mut self, x: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let square = self.dot(x, x);
        let scale = self.alu(AluOp::FRsq, &[square]);
        self.alu_splat(AluOp::FMul, ty, &[x, scale])
    }

    /// The cross product of two vectors of three.
    pub(super) fn cross(&mut self, x: Value, y: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let (yzx, zxy) = ([1, 2, 0, 0], [2, 0, 1, 0]);
        let turned = |value, swizzle| Src { value, swizzle };
        let mut b = self.b();
        let plus = b.alu_ty(AluOp::FMul, ty, &[turned(x, yzx), turned(y, zxy)]);
        let minus = b.alu_ty(AluOp::FMul, ty, &[turned(x, zxy), turned(y, yzx)]);
        self.alu(AluOp::FSub, &[plus, minus])
    }

    /// `n` where `reference . incident` is negative, else `-n`; operands in the order n, incident, reference.
    pub(super) fn face_forward(&mut self, srcs: &[Value]) -> Value {
        let ty = self.shader.func.ty(srcs[0]);
        let dot = self.dot(srcs[2], srcs[1]);
        let zero = self.imm_float(ty.scalar(), 0.0);
        let facing = self.alu(AluOp::FLt, &[dot, zero]);
        let flipped = self.alu(AluOp::FNeg, &[srcs[0]]);
        self.alu_splat(AluOp::Select, ty, &[facing, srcs[0], flipped])
    }

    /// `incident - 2 * (n . incident) * n`.
    pub(super) fn reflect(&mut self, incident: Value, n: Value) -> Value {
        let ty = self.shader.func.ty(n);
        let dot = self.dot(n, incident);
        let twice = self.alu(AluOp::FAdd, &[dot, dot]);
        let part = self.alu_splat(AluOp::FMul, ty, &[n, twice]);
        self.alu(AluOp::FSub, &[incident, part])
    }

    /// `Refract`. The operands are the incident vector, the normal, and the scalar ratio of refractive indices.
    pub(super) fn refract(&mut self, inst: &Inst<'_>) -> Result<()> {
        let incident = self.leaf(inst, FIRST)?;
        let n = self.leaf(inst, FIRST + 1)?;
        let eta = self.leaf(inst, FIRST + 2)?;
        let ty = self.need_float(inst, incident)?;
        if self.shader.func.ty(n) != ty || self.shader.func.ty(eta) != ty.scalar() {
            let detail = format!("expected two vectors of {ty} and a scalar of the same size");
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let scalar = ty.scalar();
        let (zero, one) = (self.imm_float(scalar, 0.0), self.imm_float(scalar, 1.0));
        let dot = self.dot(n, incident);
        let dot_square = self.alu(AluOp::FMul, &[dot, dot]);
        let rest = self.alu(AluOp::FSub, &[one, dot_square]);
        let eta_square = self.alu(AluOp::FMul, &[eta, eta]);
        let lost = self.alu(AluOp::FMul, &[eta_square, rest]);
        let k = self.alu(AluOp::FSub, &[one, lost]);
        let total = self.alu(AluOp::FLt, &[k, zero]);
        let root = self.alu(AluOp::FSqrt, &[k]);
        let along = self.alu(AluOp::FMul, &[eta, dot]);
        let along = self.alu(AluOp::FAdd, &[along, root]);
        let through = self.alu_splat(AluOp::FMul, ty, &[incident, eta]);
        let bent = self.alu_splat(AluOp::FMul, ty, &[n, along]);
        let ray = self.alu(AluOp::FSub, &[through, bent]);
        let nothing = self.imm_float(ty, 0.0);
        let value = self.alu_splat(AluOp::Select, ty, &[total, nothing, ray]);
        self.bind_leaf(inst, value)
    }

    /// Hermite interpolation. The operands are the lower edge, the upper edge, and the argument.
    pub(super) fn smooth_step(&mut self, srcs: &[Value]) -> Value {
        let ty: Ty = self.shader.func.ty(srcs[2]);
        let from_edge = self.alu(AluOp::FSub, &[srcs[2], srcs[0]]);
        let width = self.alu(AluOp::FSub, &[srcs[1], srcs[0]]);
        let ratio = self.alu(AluOp::FDiv, &[from_edge, width]);
        let t = self.alu(AluOp::FSat, &[ratio]);
        let (two, three) = (self.imm_float(ty, -2.0), self.imm_float(ty, 3.0));
        let slope = self.alu(AluOp::FFma, &[t, two, three]);
        let square = self.alu(AluOp::FMul, &[t, t]);
        self.alu(AluOp::FMul, &[square, slope])
    }
}
