//! Vertex shaders: attributes are registers of the payload.

use crestline_isa::{CondMod, Type};
use crestline_ssa::ir::{InstKind, SysVal, Value};

use super::entry::row_of;
use super::operands::Place;
use super::{SelectError, Selector};
use crate::interface::VertexIo;
use crate::ir::{GRF_BYTES, Op, Operand};

/// Components of the register of system values.
const FIRST_VERTEX: u8 = 0;
const FIRST_INSTANCE: u8 = 1;
const VERTEX: u8 = 2;
const INSTANCE: u8 = 3;

impl Selector<'_> {
    /// Reads an attribute.
    pub(super) fn vertex_input(
        &mut self,
        io: &VertexIo,
        kind: &InstKind,
        result: Value,
    ) -> Result<(), SelectError> {
        let InstKind::LoadInput { slot, index, comp, .. } = kind else { return Ok(()) };
        let place = |slot| io.inputs.get(&slot).copied();
        let missing = SelectError::NoPlace { what: "an attribute" };
        let first = place(*slot).ok_or(missing)?;
        let Some(index) = *index else {
            self.payload_vector(result, first, *comp);
            return Ok(());
        };
        let row = row_of(self.shader.input(*slot), *slot);
        let last = row.len() as u32 - 1;
        if let Some(index) = self.known_scalar(index) {
            self.payload_vector(result, first + index.min(last) * GRF_BYTES, *comp);
            return Ok(());
        }
        let index = self.index(index);
        let vector =
            self.payload_element(Operand::grf(0, Type::Ud).byte_offset(first), index, last);
        self.vector_home(result, vector, *comp);
        Ok(())
    }

    /// Register number `index` of those from `first` on, at most `last` further.
    pub(super) fn payload_element(&mut self, first: Operand, index: Operand, last: u32) -> Operand {
        let whole = super::operands::Lanes::first(4);
        let [clamped, bytes, value] =
            [(); 3].map(|()| Place { vector: self.vector(Type::Ud), lanes: whole });
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
        let missing = SelectError::NoPlace { what: "a vertex's number" };
        if sysval == SysVal::DrawIndex {
            self.payload_vector(result, io.draw_parameters.ok_or(missing)?, 0);
            return Ok(());
        }
        let place = io.system_values.ok_or(missing)?;
        match sysval {
            SysVal::BaseVertex => self.payload_vector(result, place, FIRST_VERTEX),
            SysVal::BaseInstance => self.payload_vector(result, place, FIRST_INSTANCE),
            SysVal::VertexIndex => self.payload_sum(result, place, [VERTEX, FIRST_VERTEX]),
            SysVal::InstanceIndex => self.payload_sum(result, place, [INSTANCE, FIRST_INSTANCE]),
            _ => return Err(SelectError::NotLowered { what: "a built-in" }),
        }
        Ok(())
    }

    /// The sum of two components of a payload register.
    fn payload_sum(&mut self, result: Value, place: u32, comps: [u8; 2]) {
        let sum = self.define(result);
        let [a, b] = comps.map(|comp| {
            let swizzle = crestline_isa::Swizzle([comp; 4]);
            let region = crate::ir::Region::Swizzle(swizzle);
            Operand::grf(0, Type::D).byte_offset(place).with_region(region)
        });
        self.b().add(sum.dst(Type::D), a, b);
    }
}
