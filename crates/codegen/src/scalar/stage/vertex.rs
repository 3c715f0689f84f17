//! Vertex shaders: a pushed slot is four registers of the payload, with a component of eight vertices each.

use crestline_ssa::ir::{InstKind, SysVal, Value};

use super::super::{SelectError, Selector};
use super::{OWN_SLOT_BYTES, lanes};
use crate::ir::GRF_BYTES;
use crate::select::Class;
use crate::stage::{Target, VertexIdSource, VertexIo, VueSlot};

/// Byte offset in the payload of the handles of the output entries.
pub(super) const HANDLES: u32 = GRF_BYTES;

impl Selector<'_> {
    /// Selects a load of an attribute from its pushed slot.
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
        let reach = offset.terms.first().map_or(0, |term| term.index.last);
        let slots = offset.constant + reach + 1;
        let whole = VueSlot::whole(0);
        self.read_pushed(io.pushed, slots, &offset, whole.dwords_from(*comp), result)
    }

    /// Selects a built-in value. Returns whether it is one of vertex shaders.
    pub(super) fn vertex_sysval(
        &mut self,
        io: &VertexIo,
        sysval: SysVal,
        result: Value,
    ) -> Result<bool, SelectError> {
        let known = [
            SysVal::VertexIndex,
            SysVal::InstanceIndex,
            SysVal::BaseVertex,
            SysVal::BaseInstance,
            SysVal::DrawIndex,
        ];
        if !known.contains(&sysval) {
            return Ok(false);
        }
        let number = io.number(sysval).ok_or(SelectError::NotInLayout { what: "a built-in" })?;
        let VertexIdSource { slot, comp, plus } = number;
        let register =
            |comp: u8| lanes(io.pushed + slot * OWN_SLOT_BYTES + u32::from(comp) * GRF_BYTES);
        match plus {
            Some(plus) => {
                let sum = self.define(result, 0, Class::Unsigned);
                self.b().add(sum, register(comp), register(plus));
            }
            // All vertices of a draw call have the same value, and channel 0 of a thread always has a vertex. So the
            // location is element 0, which makes the value uniform.
            None => self.locate(result, 0, register(comp).with_stride(0)),
        }
        Ok(true)
    }
}
