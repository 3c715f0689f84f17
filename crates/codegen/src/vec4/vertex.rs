//! Vertex shaders: a pushed slot is a register of the payload, the low half for the first vertex.

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{InstKind, SysVal, Value};

use super::operands::VectorRegister;
use super::{SelectError, Selector};
use crate::ir::{GRF_BYTES, Op, Operand};
use crate::stage::{DynamicIndex, OffsetTerm, Target, VertexIdSource, VertexIo};

/// The byte in the payload of a pushed slot.
const fn pushed(io: &VertexIo, slot: u32) -> u32 {
    io.pushed + super::MODE.own_slots.registers(slot) * GRF_BYTES
}

impl Selector<'_> {
    /// Reads an attribute.
    pub(super) fn vertex_input(
        &mut self,
        io: &VertexIo,
        kind: &InstKind,
        result: Value,
    ) -> Result<(), SelectError> {
        let (InstKind::LoadInput { comp, .. }, Some(target)) = (kind, Target::of(kind)) else {
            return Ok(());
        };
        let offset = io.input(self.shader, target, &|src| self.known_scalar(src));
        let offset = offset.ok_or(SelectError::NotInLayout { what: "an attribute" })?;
        let first = pushed(io, offset.constant);
        let Some(&OffsetTerm { index: DynamicIndex { src, last }, .. }) = offset.terms.first()
        else {
            self.payload_vector(result, first, *comp);
            return Ok(());
        };
        let index = self.index(src);
        let vector =
            self.payload_element(Operand::grf(0, Type::Ud).byte_offset(first), index, last);
        self.set_vector_location(result, vector, *comp);
        Ok(())
    }

    /// Register number `index` of those from `first` on, at most `last` further.
    pub(super) fn payload_element(&mut self, first: Operand, index: Operand, last: u32) -> Operand {
        let whole = super::operands::Lanes::first(4);
        let [clamped, bytes, value] =
            [(); 3].map(|()| VectorRegister { vector: self.vector(Type::Ud), lanes: whole });
        let range = first.with_region(crate::ir::Region::Swizzle(crestline_isa::Swizzle::XYZW));
        let mut b = self.b();
        // Out of range is the last one, never another register.
        b.min_max(clamped.dst(Type::Ud), index, Operand::imm_ud(last), CondMod::L);
        b.shl(bytes.dst(Type::Ud), clamped.src(), Operand::imm_ud(GRF_BYTES.ilog2()));
        let size = Operand::imm_ud((last + 1) * GRF_BYTES);
        b.emit(Op::MovIndirect, value.dst(Type::Ud), &[range, bytes.src(), size]);
        value.vector
    }

    pub(super) fn vertex_sysval(
        &mut self,
        io: &VertexIo,
        sysval: SysVal,
        result: Value,
    ) -> Result<(), SelectError> {
        let number = io.number(sysval);
        let number = number.ok_or(SelectError::NotInLayout { what: "a built-in" })?;
        let VertexIdSource { slot, comp, plus } = number;
        match plus {
            None => self.payload_vector(result, pushed(io, slot), comp),
            Some(plus) => self.payload_sum(result, pushed(io, slot), [comp, plus]),
        }
        Ok(())
    }

    /// The sum of two components of a payload register.
    fn payload_sum(&mut self, result: Value, offset: u32, comps: [u8; 2]) {
        let sum = self.define(result);
        let [a, b] = comps.map(|comp| {
            let swizzle = crestline_isa::Swizzle([comp; 4]);
            let region = crate::ir::Region::Swizzle(swizzle);
            Operand::grf(0, Type::D).byte_offset(offset).with_region(region)
        });
        self.b().add(sum.dst(Type::D), a, b);
    }
}
