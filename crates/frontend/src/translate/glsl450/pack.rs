//! Conversion between floats and normalised integers that are packed into 32 bits.

use crestline_ssa::ir::{AluOp, Src, Ty};
use rspirv::spirv::GlslStd450Op as G;

use super::super::Translator;
use super::FIRST;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// A packed format: the number of components, the bits of each, and whether they are signed.
struct Format {
    comps: usize,
    bits: u32,
    signed: bool,
}

impl Format {
    /// The format that a pack or unpack instruction converts to or from.
    fn of(op: G) -> Format {
        match op {
            G::PackSnorm4x8 | G::UnpackSnorm4x8 => Format { comps: 4, bits: 8, signed: true },
            G::PackUnorm4x8 | G::UnpackUnorm4x8 => Format { comps: 4, bits: 8, signed: false },
            G::PackSnorm2x16 | G::UnpackSnorm2x16 => Format { comps: 2, bits: 16, signed: true },
            _ => Format { comps: 2, bits: 16, signed: false },
        }
    }

    fn ty(&self) -> Ty {
        Ty::X32.with_comps(self.comps)
    }

    /// The integer that represents 1.0.
    fn one(&self) -> f64 {
        f64::from((1u32 << (self.bits - u32::from(self.signed))) - 1)
    }
}

impl Translator<'_, '_> {
    /// `PackSnorm...` and `PackUnorm...`: clamps, scales, rounds and packs floats.
    pub(super) fn pack_norm(&mut self, inst: &Inst<'_>, op: G) -> Result<()> {
        let format = Format::of(op);
        let x = self.leaf(inst, FIRST)?;
        let found = self.shader.func.ty(x);
        if found != format.ty() {
            let detail = format!("expected {}, found {found}", format.ty());
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let clamped = if format.signed {
            let (least, most) = (self.imm_float(found, -1.0), self.imm_float(found, 1.0));
            let raised = self.alu(AluOp::FMax, &[x, least]);
            self.alu(AluOp::FMin, &[raised, most])
        } else {
            self.alu(AluOp::FSat, &[x])
        };
        let scaled = self.scaled(clamped, format.one());
        let rounded = self.alu(AluOp::FRoundEven, &[scaled]);
        let to_int = if format.signed { AluOp::F2I } else { AluOp::F2U };
        let ints = self.b().convert(to_int, 32, rounded);
        let mut packed = self.b().comp(ints, 0);
        if format.signed {
            let mask = self.imm((1 << format.bits) - 1);
            packed = self.alu(AluOp::IAnd, &[packed, mask]);
        }
        let width = self.imm(format.bits);
        for comp in 1..format.comps {
            let piece = self.b().comp(ints, comp);
            let at = self.imm(comp as u32 * format.bits);
            packed = self.alu(AluOp::BitfieldInsert, &[packed, piece, at, width]);
        }
        self.bind_leaf(inst, packed)
    }

    /// `UnpackSnorm...` and `UnpackUnorm...`. The least signed integer also gives -1.0.
    pub(super) fn unpack_norm(&mut self, inst: &Inst<'_>, op: G) -> Result<()> {
        let format = Format::of(op);
        let packed = self.leaf(inst, FIRST)?;
        let found = self.shader.func.ty(packed);
        if found != Ty::X32 {
            let detail = format!("expected one integer of 32 bits, found {found}");
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let (extract, to_float) = if format.signed {
            (AluOp::IBitfieldExtract, AluOp::I2F)
        } else {
            (AluOp::UBitfieldExtract, AluOp::U2F)
        };
        let width = self.imm(format.bits);
        let mut pieces = Vec::new();
        for comp in 0..format.comps {
            let at = self.imm(comp as u32 * format.bits);
            pieces.push(Src::new(self.alu(extract, &[packed, at, width])));
        }
        let ints = self.b().vec(&pieces);
        let floats = self.b().convert(to_float, 32, ints);
        let mut value = self.scaled(floats, 1.0 / format.one());
        if format.signed {
            let least = self.imm_float(format.ty(), -1.0);
            value = self.alu(AluOp::FMax, &[value, least]);
        }
        self.bind_leaf(inst, value)
    }
}
