//! Tessellation evaluation shaders: the patch entry's first slots are in the payload, both points' alike; what lies
//! beyond, or is asked for by index, is read from the URB.

use crestline_isa::{Swizzle, Type};
use crestline_ssa::ir::{InstKind, SysVal, Value};

use super::entry::row_of;
use super::operands::{Home, VECTOR_BYTES};
use super::tess_control::MOST_VERTICES;
use super::urb::{Entries, Term};
use super::{SelectError, Selector};
use crate::interface::TessEvalIo;
use crate::ir::{Effect, GRF_BYTES, Operand, Region};

/// Payload places: the coordinates, the patch's handle, the patch's number.
const COORDINATES: u32 = GRF_BYTES;
const HANDLE: u32 = GRF_BYTES + 12;
const PRIMITIVE: u32 = GRF_BYTES + 28;

/// The bits of a patch's handle.
const HANDLE_MASK: u32 = 0x1fff;

impl Selector<'_> {
    pub(super) fn tess_eval_input(
        &mut self,
        io: &TessEvalIo,
        kind: &InstKind,
        result: Value,
    ) -> Result<(), SelectError> {
        let InstKind::LoadInput { slot: named, vertex, index, comp } = kind else { return Ok(()) };
        let missing = SelectError::NoPlace { what: "an input" };
        let layout = if named.is_patch() { &io.patch } else { &io.vertex };
        let place = *layout.places.get(named).ok_or(missing.clone())?;
        let first = if named.is_patch() { 0 } else { io.patch.slots } + place.slot;
        let dwords = place.dwords_from(*comp);
        if dwords.len() < self.dwords_of(result) {
            return Err(missing);
        }
        let row = row_of(self.shader.input(*named), *named).len() as u32;
        let terms = [
            Term { src: *vertex, scale: io.vertex.slots, last: MOST_VERTICES - 1 },
            Term { src: *index, scale: 1, last: row - 1 },
        ];
        let (slot, distance) = self.entry_slot(first, &terms);
        if distance.is_none() && slot < io.pushed_slots {
            self.pushed_slot(io.pushed + slot * VECTOR_BYTES, dwords, result);
            return Ok(());
        }
        let handle = self.patch_handle();
        let entries = Entries { handles: handle, distance };
        let vector = self.read_entry(entries, slot, Effect::Pure)?;
        self.dwords_home(result, vector, dwords);
        Ok(())
    }

    /// The value is dwords of a slot in the payload that both vertices share.
    pub(super) fn pushed_slot(&mut self, place: u32, dwords: &[u8], result: Value) {
        let vector = Operand::uniform(place, Type::Ud);
        if self.bits(result) == 64 {
            let first = dwords.first().map_or(0, |dword| dword / 2);
            let last = first + self.comps(result) as u8 - 1;
            let swizzle = Swizzle([0, 1, 2, 3].map(|i: u8| (first + i).min(last)));
            let home = vector.retype(Type::Df).with_region(Region::Swizzle(swizzle));
            return self.set_home(result, Home::Place(home));
        }
        self.dwords_home(result, vector, dwords);
    }

    /// Dwords of a value.
    pub(super) fn dwords_of(&self, value: Value) -> usize {
        self.comps(value) * (self.bits(value) / 32).max(1) as usize
    }

    /// The value is these dwords of a vector, in this order.
    pub(super) fn dwords_home(&mut self, result: Value, vector: Operand, dwords: &[u8]) {
        let at = |i: usize| {
            dwords.get(i).copied().unwrap_or_else(|| {
                self.faults.note("a value has more components than its place");
                0
            })
        };
        if self.bits(result) == 64 {
            return self.vector_home(result, vector, at(0));
        }
        let last = self.comps(result) - 1;
        let at = |i: usize| at(i.min(last));
        let swizzle = Swizzle([0, 1, 2, 3].map(at));
        self.set_home(result, Home::Place(vector.with_region(Region::Swizzle(swizzle))));
    }

    /// The patch entry's handle, one for all.
    fn patch_handle(&mut self) -> Operand {
        if let Some(handle) = self.patch_handle {
            return handle;
        }
        let handle = self.out.scalar(Type::Ud);
        let given = Operand::grf(0, Type::Ud).with_stride(0).byte_offset(HANDLE);
        self.prologue(|b| _ = b.uniform().and(handle, given, Operand::imm_ud(HANDLE_MASK)));
        self.patch_handle = Some(handle);
        handle
    }

    pub(super) fn tess_eval_sysval(
        &mut self,
        sysval: SysVal,
        result: Value,
    ) -> Result<(), SelectError> {
        match sysval {
            SysVal::TessCoord => self.payload_vector(result, COORDINATES, 0),
            SysVal::PrimitiveId => self.payload_scalar(result, PRIMITIVE),
            SysVal::PatchVertices => {
                return Err(SelectError::NoPlace { what: "the number of a patch's vertices" });
            }
            _ => return Err(SelectError::NotLowered { what: "a built-in" }),
        }
        Ok(())
    }

    /// The value is a dword of the payload, for both vertices.
    pub(super) fn payload_scalar(&mut self, result: Value, place: u32) {
        let vector = Operand::uniform(place - place % VECTOR_BYTES, Type::Ud);
        let dword = (place % VECTOR_BYTES / 4) as u8;
        self.dwords_home(result, vector, &[dword]);
    }
}
