//! Tessellation evaluation shaders: eight domain points of one patch per thread. The pushed slots are consecutive in
//! the payload, and all points share them.

use crestline_isa::Type;
use crestline_program::SLOT_BYTES;
use crestline_ssa::ir::{InstKind, SysVal, Value};

use super::super::sysvals::payload;
use super::super::{SelectError, Selector};
use super::lanes;
use crate::ir::{Effect, GRF_BYTES};
use crate::stage::{Access, Target, TessEvalIo};

/// Byte offset in the payload of the handles of the output entries.
pub(super) const HANDLES: u32 = 4 * GRF_BYTES;

/// Byte offset in the payload of the first of three registers with the coordinates: x, y and z of each point.
const COORDINATES: u32 = GRF_BYTES;

/// Byte offset in the payload of the primitive id.
const PRIMITIVE: u32 = 4;

impl Selector<'_> {
    /// Selects a load of an input: from a pushed slot, or from the patch's entry.
    pub(super) fn tess_eval_input(
        &mut self,
        io: &TessEvalIo,
        kind: &InstKind,
        result: Value,
    ) -> Result<(), SelectError> {
        let (InstKind::LoadInput { comp, .. }, Some(target)) = (kind, Target::of(kind)) else {
            return Ok(());
        };
        let access = io.input(self.shader, target, &|src| self.known_scalar(src));
        match access.ok_or(SelectError::NotInLayout { what: "an input" })? {
            Access::Pushed { offset, slot } => {
                let place = io.pushed + offset.constant * SLOT_BYTES;
                let dword = |at: u8| payload(place + u32::from(at) * Type::Ud.size());
                self.locate_slot(result, slot.dwords_from(*comp), dword)
            }
            Access::Entry { offset, slot, .. } => {
                let handles = self.patch_handles();
                let address = self.address(handles, &offset);
                self.read_slot(address, slot, *comp, Effect::Pure, result)
            }
        }
    }

    /// Selects a built-in value. Returns whether it is one of tessellation evaluation shaders.
    pub(super) fn tess_eval_sysval(
        &mut self,
        sysval: SysVal,
        result: Value,
    ) -> Result<bool, SelectError> {
        match sysval {
            SysVal::TessCoord => {
                for comp in 0..3 {
                    self.locate(result, comp, lanes(COORDINATES + comp as u32 * GRF_BYTES));
                }
            }
            SysVal::PrimitiveId => self.locate(result, 0, payload(PRIMITIVE)),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
