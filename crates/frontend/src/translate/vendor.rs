//! Integer instructions of `SPV_INTEL_shader_integer_functions2`, and the instruction sets of
//! `SPV_AMD_shader_trinary_minmax` and `SPV_AMD_gcn_shader`; the clock.

use crestline_ssa::ir::{AluOp, InstKind, Ty, Value};
use rspirv::spirv::Op;

use super::Translator;
use super::alu::described;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// Index of the operand word with the first argument of an extended instruction. The words before it are the set and the
/// instruction number.
const FIRST: usize = 2;

/// Whether [`Translator::op_vendor`] translates the opcode.
pub(super) fn is_vendor(op: Op) -> bool {
    matches!(
        op,
        Op::UCountLeadingZerosINTEL
            | Op::UCountTrailingZerosINTEL
            | Op::AbsISubINTEL
            | Op::AbsUSubINTEL
            | Op::IAddSatINTEL
            | Op::UAddSatINTEL
            | Op::IAverageINTEL
            | Op::UAverageINTEL
            | Op::IAverageRoundedINTEL
            | Op::UAverageRoundedINTEL
            | Op::ISubSatINTEL
            | Op::USubSatINTEL
            | Op::IMul32x16INTEL
            | Op::UMul32x16INTEL
    )
}

impl Translator<'_, '_> {
    /// Translates an instruction of `SPV_INTEL_shader_integer_functions2`.
    pub(super) fn op_vendor(&mut self, inst: &Inst<'_>) -> Result<()> {
        let value = match inst.op {
            Op::UCountLeadingZerosINTEL => {
                let x = self.dword_integers(inst, 0)?;
                let (ty, last) = (self.shader.func.ty(x), 31);
                let top = self.alu(AluOp::FindUMsb, &[x]);
                let last = self.imm_int(ty, last);
                // Without a bit that is set, the position is -1.
                self.alu(AluOp::ISub, &[last, top])
            }
            Op::UCountTrailingZerosINTEL => {
                let x = self.dword_integers(inst, 0)?;
                let low = self.alu(AluOp::FindLsb, &[x]);
                let bits = self.imm_int(self.shader.func.ty(x), 32);
                self.alu(AluOp::UMin, &[low, bits])
            }
            Op::IMul32x16INTEL | Op::UMul32x16INTEL => {
                let (x, y) = (self.dword_integers(inst, 0)?, self.leaf(inst, 1)?);
                let extend = if inst.op == Op::IMul32x16INTEL { AluOp::I2I } else { AluOp::U2U };
                let mut b = self.b();
                let low = if b.func.ty(y).bits() == 16 { y } else { b.convert(AluOp::U2U, 16, y) };
                let y = b.convert(extend, 32, low);
                if self.shader.func.ty(y) != self.shader.func.ty(x) {
                    let detail = "expected operands with the same number of components";
                    return Err(inst.error(ErrorCode::OperandType, detail));
                }
                self.alu(AluOp::IMul, &[x, y])
            }
            _ => {
                let values = self.equal_leaves(inst, 0)?;
                let ([x, y], false) = (&values[..], self.shader.func.ty(values[0]).is_bool())
                else {
                    return Err(inst.error(ErrorCode::OperandType, "expected two integers"));
                };
                self.integer_pair(inst.op, *x, *y)
            }
        };
        self.bind_leaf(inst, value)
    }

    /// Operand word `at`, which must have components of 32 bits.
    fn dword_integers(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let value = self.leaf(inst, at)?;
        let ty = self.shader.func.ty(value);
        if ty.bits() == 32 {
            return Ok(value);
        }
        let detail = format!("expected integers of 32 bits, found {}", described(ty));
        Err(inst.error(ErrorCode::OperandType, detail))
    }

    /// An operation on two integers of any size.
    fn integer_pair(&mut self, op: Op, x: Value, y: Value) -> Value {
        match op {
            Op::AbsISubINTEL => {
                let [most, least] = [AluOp::IMax, AluOp::IMin].map(|op| self.alu(op, &[x, y]));
                self.alu(AluOp::ISub, &[most, least])
            }
            Op::AbsUSubINTEL => {
                let [most, least] = [AluOp::UMax, AluOp::UMin].map(|op| self.alu(op, &[x, y]));
                self.alu(AluOp::ISub, &[most, least])
            }
            Op::UAddSatINTEL => self.saturated_sum(x, y, false),
            Op::IAddSatINTEL => self.saturated_sum(x, y, true),
            Op::USubSatINTEL => {
                let most = self.alu(AluOp::UMax, &[x, y]);
                self.alu(AluOp::ISub, &[most, y])
            }
            Op::ISubSatINTEL => {
                let difference = self.alu(AluOp::ISub, &[x, y]);
                let signs = self.alu(AluOp::IXor, &[x, y]);
                self.signed_or_limit(x, difference, signs)
            }
            // The bits that both have count fully, the others half.
            Op::IAverageINTEL | Op::UAverageINTEL => {
                let both = self.alu(AluOp::IAnd, &[x, y]);
                let half = self.half_of_difference(op == Op::IAverageINTEL, x, y);
                self.alu(AluOp::IAdd, &[both, half])
            }
            _ => {
                let any = self.alu(AluOp::IOr, &[x, y]);
                let half = self.half_of_difference(op == Op::IAverageRoundedINTEL, x, y);
                self.alu(AluOp::ISub, &[any, half])
            }
        }
    }

    /// Half of the bits in which `x` and `y` differ, as a number.
    fn half_of_difference(&mut self, signed: bool, x: Value, y: Value) -> Value {
        let differ = self.alu(AluOp::IXor, &[x, y]);
        let one = self.imm_int(Ty::X32.with_comps(self.shader.func.ty(x).comps()), 1);
        self.alu(if signed { AluOp::IShr } else { AluOp::UShr }, &[differ, one])
    }

    /// `x + y`, limited to the numbers of the type.
    pub(super) fn saturated_sum(&mut self, x: Value, y: Value, signed: bool) -> Value {
        let sum = self.alu(AluOp::IAdd, &[x, y]);
        if signed {
            // The sum can exceed the limits only if the signs are equal.
            let signs = self.alu(AluOp::IXor, &[x, y]);
            let signs = self.alu(AluOp::INot, &[signs]);
            return self.signed_or_limit(x, sum, signs);
        }
        let over = self.alu(AluOp::ULt, &[sum, x]);
        let most = self.imm_int(self.shader.func.ty(x), u64::MAX);
        self.alu(AluOp::Select, &[over, most, sum])
    }

    /// `result`, or the limit on the side of `x` if the sign of `result` is not that of `x` where the top bit of `may`
    /// is set.
    fn signed_or_limit(&mut self, x: Value, result: Value, may: Value) -> Value {
        let ty = self.shader.func.ty(x);
        let zero = self.imm_int(ty, 0);
        let changed = self.alu(AluOp::IXor, &[x, result]);
        let over = self.alu(AluOp::IAnd, &[changed, may]);
        let over = self.alu(AluOp::ILt, &[over, zero]);
        let sign = self.imm_int(Ty::X32.with_comps(ty.comps()), u64::from(ty.bits() - 1));
        let sign = self.alu(AluOp::IShr, &[x, sign]);
        let most = self.imm_int(ty, u64::MAX >> (65 - ty.bits()));
        let limit = self.alu(AluOp::IXor, &[sign, most]);
        self.alu(AluOp::Select, &[over, limit, result])
    }

    /// An instruction of the set `SPV_AMD_shader_trinary_minmax`.
    pub(super) fn trinary_minmax(&mut self, inst: &Inst<'_>, number: u32) -> Result<()> {
        // Numbers 1 to 9: least, greatest and middle, each of floats, unsigned and signed integers.
        let rows =
            [(AluOp::FMin, AluOp::FMax), (AluOp::UMin, AluOp::UMax), (AluOp::IMin, AluOp::IMax)];
        let values = self.equal_leaves(inst, FIRST)?;
        let (1..=9, &[x, y, z]) = (number, &values[..]) else {
            let detail =
                format!("expected an instruction 1 to 9 with three operands, found {number}");
            return Err(inst.error(ErrorCode::UnsupportedExt, detail));
        };
        let index = (number - 1) as usize;
        let (min, max) = rows[index % 3];
        if min == AluOp::FMin {
            self.need_float(inst, x)?;
        }
        let value = match index / 3 {
            0 => self.of_three(min, x, y, z),
            1 => self.of_three(max, x, y, z),
            _ => {
                let (least, most) = (self.alu(min, &[x, y]), self.alu(max, &[x, y]));
                let upper = self.alu(min, &[most, z]);
                self.alu(max, &[least, upper])
            }
        };
        self.bind_leaf(inst, value)
    }

    fn of_three(&mut self, op: AluOp, x: Value, y: Value, z: Value) -> Value {
        let two = self.alu(op, &[x, y]);
        self.alu(op, &[two, z])
    }

    /// `OpReadClockKHR` and `TimeAMD`: a time as 64 bits, or as two halves.
    pub(super) fn op_clock(&mut self, inst: &Inst<'_>) -> Result<()> {
        let halves = self.value_of(InstKind::Clock, Ty::X32.with_comps(2));
        let wide = self.globals.types.leaf(inst.ty) == Some(Ty::X64);
        let time = match wide {
            true => {
                let [low, high] = [0, 1].map(|half| self.b().comp(halves, half));
                self.alu(AluOp::Pack64FromHalves, &[low, high])
            }
            false => halves,
        };
        self.bind_leaf(inst, time)
    }

    /// An instruction of the set `SPV_AMD_gcn_shader`: `CubeFaceIndexAMD` (1), `CubeFaceCoordAMD` (2) and `TimeAMD` (3).
    pub(super) fn gcn_shader(&mut self, inst: &Inst<'_>, number: u32) -> Result<()> {
        if number == 3 {
            return self.op_clock(inst);
        }
        let dir = self.leaf(inst, FIRST)?;
        if self.shader.func.ty(dir) != Ty::X32.with_comps(3) || !matches!(number, 1 | 2) {
            let detail = format!(
                "expected CubeFaceIndexAMD or CubeFaceCoordAMD of three floats, found instruction {number}"
            );
            return Err(inst.error(ErrorCode::UnsupportedExt, detail));
        }
        let [x, y, z] = [0, 1, 2].map(|c| self.b().comp(dir, c));
        let zero = self.imm_float(Ty::X32, 0.0);
        let [x_below, y_below, z_below] = [x, y, z].map(|c| self.alu(AluOp::FLt, &[c, zero]));
        let [ax, ay, az] = [x, y, z].map(|c| self.alu(AluOp::FAbs, &[c]));
        // The z axis takes precedence over y, and y over x.
        let (z_x, z_y) = (self.alu(AluOp::FGe, &[az, ax]), self.alu(AluOp::FGe, &[az, ay]));
        let is_z = self.alu(AluOp::IAnd, &[z_x, z_y]);
        let is_y = self.alu(AluOp::FGe, &[ay, ax]);
        let of_axis = |t: &mut Self, [x, y, z]: [Value; 3]| {
            let xy = t.alu(AluOp::Select, &[is_y, y, x]);
            t.alu(AluOp::Select, &[is_z, z, xy])
        };
        let value = if number == 1 {
            let face = |t: &mut Self, below, first: f64| {
                let [plus, minus] = [first, first + 1.0].map(|n| t.imm_float(Ty::X32, n));
                t.alu(AluOp::Select, &[below, minus, plus])
            };
            let faces =
                [face(self, x_below, 0.0), face(self, y_below, 2.0), face(self, z_below, 4.0)];
            of_axis(self, faces)
        } else {
            let [nx, ny, nz] = [x, y, z].map(|c| self.alu(AluOp::FNeg, &[c]));
            // The axes of the faces, from the table of cube map faces of Vulkan's specification.
            let x_s = self.alu(AluOp::Select, &[x_below, z, nz]);
            let z_s = self.alu(AluOp::Select, &[z_below, nx, x]);
            let y_t = self.alu(AluOp::Select, &[y_below, nz, z]);
            let s = of_axis(self, [x_s, x, z_s]);
            let t = of_axis(self, [ny, y_t, ny]);
            let size = of_axis(self, [ax, ay, az]);
            let (two, half) = (self.imm_float(Ty::X32, 2.0), self.imm_float(Ty::X32, 0.5));
            let size = self.alu(AluOp::FMul, &[size, two]);
            let [s, t] = [s, t].map(|c| {
                let scaled = self.alu(AluOp::FDiv, &[c, size]);
                self.alu(AluOp::FAdd, &[scaled, half])
            });
            self.b().vec(&[s.into(), t.into()])
        };
        self.bind_leaf(inst, value)
    }
}
