//! Tessellation evaluation shaders: the patch entry's first slots are in the payload, both points' alike; what lies
//! beyond, or is asked for by index, is read from the URB.

use crestline_isa::{Swizzle, Type};
use crestline_ssa::ir::{InstKind, Src, SysVal, Value};

use super::operands::{Form, Home, Lanes, Place, VECTOR_BYTES};
use super::urb::Entries;
use super::{SelectError, Selector};
use crate::interface::{EntryPlace, TessEvalIo};
use crate::ir::{Effect, GRF_BYTES, Operand, Region};
use crate::select::Class;

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
        let InstKind::LoadInput { slot, vertex, index, comp } = kind else { return Ok(()) };
        let missing = SelectError::NoPlace { what: "an input" };
        let layout = if slot.is_patch() { &io.patch } else { &io.vertex };
        let place = *layout.places.get(slot).ok_or(missing)?;
        let stride = io.vertex.slots;
        let first = if slot.is_patch() { 0 } else { io.patch.slots } + place.slot;
        let dwords = &place.dwords[usize::from(*comp).min(3)..];
        // What is known of the slot, and what is not.
        let mut slot = first;
        let mut dynamic = Vec::new();
        for (src, scale) in [(*vertex, stride), (*index, 1)] {
            match src.map(|src| (src, self.known_scalar(src))) {
                None => {}
                Some((_, Some(known))) => {
                    slot = slot.saturating_add(known.saturating_mul(scale));
                }
                Some((src, None)) => dynamic.push((src, scale)),
            }
        }
        if dynamic.is_empty() && slot < io.pushed_slots {
            self.pushed_slot(io.pushed + slot * VECTOR_BYTES, dwords, result);
            return Ok(());
        }
        let distance = self.weighted_sum(&dynamic);
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

    /// The value is these dwords of a vector, in this order.
    pub(super) fn dwords_home(&mut self, result: Value, vector: Operand, dwords: &[u8]) {
        if self.bits(result) == 64 {
            return self.vector_home(result, vector, dwords.first().copied().unwrap_or(0));
        }
        let last = self.comps(result) - 1;
        let at = |i: usize| dwords.get(i.min(last)).copied().unwrap_or(0);
        let swizzle = Swizzle([0, 1, 2, 3].map(at));
        self.set_home(result, Home::Place(vector.with_region(Region::Swizzle(swizzle))));
    }

    /// The sum of scalars, each so many times, in the first component of a register.
    pub(super) fn weighted_sum(&mut self, terms: &[(Src, u32)]) -> Option<Operand> {
        let mut sum: Option<Place> = None;
        for &(src, scale) in terms {
            let part = Place { vector: self.vector(Type::Ud), lanes: Lanes::first(1) };
            let operand = self.src(src.select(0), 1, Class::Unsigned, Form::Register);
            let dst = part.dst(Type::Ud);
            let mut b = self.b();
            if scale.is_power_of_two() {
                b.shl(dst, operand, Operand::imm_ud(scale.ilog2()));
            } else {
                b.mul(dst, operand, Operand::imm_ud(scale));
            }
            if let Some(sum) = sum {
                b.add(dst, part.src(), sum.src());
            }
            sum = Some(part);
        }
        sum.map(|place| place.vector)
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
        self.dwords_home(result, vector, &EntryPlace::at(0, dword).dwords);
    }
}
