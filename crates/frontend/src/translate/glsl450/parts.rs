//! Instructions that split or compose floats: `Modf`, `Frexp`, `Ldexp`.

use crestline_ssa::ir::{AluOp, Ty, Value};
use rspirv::spirv::GlslStd450Op as G;

use super::super::Translator;
use super::super::value::Val;
use super::super::width::Narrow;
use super::FIRST;
use crate::error::{ErrorCode, Result};
use crate::spirv::{Inst, Type};

/// Mantissa bits and exponent bias of a float of `bits` bits.
const fn format(bits: u32) -> (u32, u64) {
    match bits {
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023),
    }
}

impl Translator<'_, '_> {
    /// Binds two results. With `structure`, the result is a structure of both; otherwise it is the first, and the
    /// second is stored through the pointer in the second argument.
    fn bind_pair(&mut self, inst: &Inst<'_>, structure: bool, pair: [Value; 2]) -> Result<()> {
        let found = pair.map(|v| Some(self.shader.func.ty(v)));
        if structure {
            let types = &self.globals.types;
            let members = [0, 1].map(|i| types.part(inst.ty, i).and_then(|t| types.leaf(t)));
            if members != found || !matches!(types.get(inst.ty), Some(Type::Struct { .. })) {
                let detail = "expected a structure of the two results";
                return Err(inst.error(ErrorCode::ResultType, detail));
            }
            self.bind(inst.result, Val::Parts(pair.map(Val::Leaf).into()));
            return Ok(());
        }
        let pointer = self.pointer(inst, FIRST + 1)?;
        if self.globals.types.leaf(pointer.pointee) != found[1] {
            let detail = "expected a pointer to a number like the result";
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        self.store(&pointer, &Val::Leaf(pair[1]), Default::default())?;
        self.bind_leaf(inst, pair[0])
    }

    /// `Modf`: fraction and whole part, both with the sign of the argument.
    pub(super) fn modf(&mut self, inst: &Inst<'_>, op: G) -> Result<()> {
        let x = self.leaf(inst, FIRST)?;
        let ty = self.need_float(inst, x)?;
        let whole = self.alu(AluOp::FTrunc, &[x]);
        let difference = self.alu(AluOp::FSub, &[x, whole]);
        // For an infinity the difference is NaN, but the fraction must be 0.
        let (zero, infinity) = (self.imm_float(ty, 0.0), self.imm_float(ty, f64::INFINITY));
        let magnitude = self.alu(AluOp::FAbs, &[x]);
        let endless = self.alu(AluOp::FEq, &[magnitude, infinity]);
        let fraction = self.alu(AluOp::Select, &[endless, zero, difference]);
        self.bind_pair(inst, op == G::ModfStruct, [fraction, whole])
    }

    /// `Frexp`: significand in [0.5, 1), and exponent.
    pub(super) fn frexp(&mut self, inst: &Inst<'_>, op: G) -> Result<()> {
        let x = self.leaf(inst, FIRST)?;
        let ty = self.need_float(inst, x)?;
        let (significand, mut exponent) =
            if ty.bits() == 64 { self.frexp_double(x) } else { self.frexp_bits(x) };
        // The exponent may be declared with another size than 32 bits.
        let wanted = match op {
            G::FrexpStruct => self.globals.types.part(inst.ty, 1),
            _ => Some(self.pointer(inst, FIRST + 1)?.pointee),
        };
        if let Some(wanted) = wanted.and_then(|t| self.globals.types.leaf(t))
            && wanted.bits() != 32
            && !wanted.is_bool()
        {
            exponent = self.b().convert(AluOp::I2I, wanted.bits(), exponent);
        }
        self.bind_pair(inst, op == G::FrexpStruct, [significand, exponent])
    }

    /// Significand and exponent from the bits of a 16-bit or 32-bit float. Denormals count as zero.
    fn frexp_bits(&mut self, x: Value) -> (Value, Value) {
        let ty = self.shader.func.ty(x);
        let (mantissa_bits, bias) = format(ty.bits());
        let exponent_bits = ty.bits() - 1 - mantissa_bits;
        let exponent_mask = ((1u64 << exponent_bits) - 1) << mantissa_bits;
        let counts = Ty::X32.with_comps(ty.comps());

        let mask = self.imm_int(ty, exponent_mask);
        let field = self.alu(AluOp::IAnd, &[x, mask]);
        let none = self.imm_int(ty, 0);
        let is_zero = self.alu(AluOp::IEq, &[field, none]);
        let shift = self.imm_int(counts, u64::from(mantissa_bits));
        let biased = self.alu(AluOp::UShr, &[field, shift]);
        let biased =
            if ty.bits() == 32 { biased } else { self.b().convert(AluOp::U2U, 32, biased) };
        let offset = self.imm_int(counts, bias - 1);
        let exponent = self.alu(AluOp::ISub, &[biased, offset]);
        let no_exponent = self.imm_int(counts, 0);
        let exponent = self.alu(AluOp::Select, &[is_zero, no_exponent, exponent]);

        let keep = self.imm_int(ty, !exponent_mask);
        let kept = self.alu(AluOp::IAnd, &[x, keep]);
        let half = self.imm_float(ty, 0.5);
        let scaled = self.alu(AluOp::IOr, &[kept, half]);
        let significand = self.alu(AluOp::Select, &[is_zero, x, scaled]);
        (significand, exponent)
    }

    /// Significand and exponent of a double. Denormals are scaled to normal numbers first.
    fn frexp_double(&mut self, x: Value) -> (Value, Value) {
        const RAISED: i32 = 54;
        let ty = self.shader.func.ty(x);
        let counts = Ty::X32.with_comps(ty.comps());
        let size = self.alu(AluOp::FAbs, &[x]);
        let (least, zero) = (self.imm_float(ty, f64::MIN_POSITIVE), self.imm_float(ty, 0.0));
        let tiny = self.alu(AluOp::FLt, &[size, least]);
        let raised = self.scaled(x, 2f64.powi(RAISED));
        let normal = self.alu(AluOp::Select, &[tiny, raised, x]);
        let (low, high) =
            (self.alu(AluOp::Unpack64Low, &[normal]), self.alu(AluOp::Unpack64High, &[normal]));

        let (mantissa_bits, bias) = format(64);
        let shift = self.imm_int(counts, u64::from(mantissa_bits - 32));
        let mask = self.imm_int(counts, 0x7ff);
        let field = self.alu(AluOp::UShr, &[high, shift]);
        let field = self.alu(AluOp::IAnd, &[field, mask]);
        let offset = self.imm_int(counts, bias - 1);
        let raised = self.imm_int(counts, bias - 1 + RAISED as u64);
        let offset = self.alu(AluOp::Select, &[tiny, raised, offset]);
        let exponent = self.alu(AluOp::ISub, &[field, offset]);
        let none = self.imm_int(counts, 0);
        let is_zero = self.alu(AluOp::FEq, &[x, zero]);
        let exponent = self.alu(AluOp::Select, &[is_zero, none, exponent]);

        let keep = self.imm_int(counts, 0x800f_ffff);
        let half = self.imm_int(counts, 0.5f64.to_bits() >> 32);
        let kept = self.alu(AluOp::IAnd, &[high, keep]);
        let scaled = self.alu(AluOp::IOr, &[kept, half]);
        let scaled = self.alu(AluOp::Pack64FromHalves, &[low, scaled]);
        (self.alu(AluOp::Select, &[is_zero, x, scaled]), exponent)
    }

    /// `Ldexp`: a number times two to the power of an integer of any width. An exponent that does not fit in 32 bits is
    /// clamped, which does not change the result (zero or infinity).
    pub(super) fn ldexp(&mut self, inst: &Inst<'_>) -> Result<()> {
        let x = self.leaf(inst, FIRST)?;
        let exponent = self.int32(inst, FIRST + 1, Narrow::Signed)?;
        let ty = self.result_leaf(inst)?;
        let value = self.checked(inst, AluOp::FLdexp, &[x, exponent], ty)?;
        self.bind(inst.result, Val::Leaf(value));
        Ok(())
    }
}
