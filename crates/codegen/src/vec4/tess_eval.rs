//! Tessellation evaluation shaders. Their pushed slots are consecutive in the payload, the same for both vertices.

use crestline_isa::{Swizzle, Type};
use crestline_ssa::ir::{InstKind, SysVal, Value};

use super::operands::{VECTOR_BYTES, ValueLocation};
use super::{SelectError, Selector};
use crate::ir::{GRF_BYTES, Operand, Region};
use crate::stage::{Access, Target, TessEvalIo};

/// Byte offsets in the payload: the tessellation coordinates, the patch's handle, the primitive id.
const COORDINATES: u32 = GRF_BYTES;
const HANDLE: u32 = GRF_BYTES + 12;
const PRIMITIVE: u32 = GRF_BYTES + 28;

/// The bits of the patch's handle in its dword.
const HANDLE_MASK: u32 = 0x1fff;

impl Selector<'_> {
    /// Selects a load of an input: from a pushed slot, or from the patch's URB entry.
    pub(super) fn tess_eval_input(
        &mut self,
        io: &TessEvalIo,
        kind: &InstKind,
        result: Value,
    ) -> Result<(), SelectError> {
        let (InstKind::LoadInput { comp, .. }, Some(target)) = (kind, Target::of(kind)) else {
            return Ok(());
        };
        let missing = SelectError::NotInLayout { what: "an input" };
        let access = io.input(self.shader, target, &|src| self.known_scalar(src));
        let access = access.ok_or(missing.clone())?;
        if access.slot().dwords_from(*comp).len() < self.dwords_of(result) {
            return Err(missing);
        }
        match access {
            Access::Pushed { offset, slot } => {
                let at = io.pushed + offset.constant * VECTOR_BYTES;
                self.pushed_slot(at, slot.dwords_from(*comp), result);
            }
            Access::Entry { handle, offset, slot } => {
                self.read_input(handle, &offset, slot, *comp, result)?;
            }
        }
        Ok(())
    }

    /// Makes dwords of a pushed slot, which both vertices share, the location of a value.
    pub(super) fn pushed_slot(&mut self, offset: u32, dwords: &[u8], result: Value) {
        let vector = Operand::uniform(offset, Type::Ud);
        if self.bits(result) == 64 {
            let first = dwords.first().map_or(0, |dword| dword / 2);
            let last = first + self.comps(result) as u8 - 1;
            let swizzle = Swizzle([0, 1, 2, 3].map(|i: u8| (first + i).min(last)));
            let location = vector.retype(Type::Df).with_region(Region::Swizzle(swizzle));
            return self.set_location(result, ValueLocation::Register(location));
        }
        self.set_dword_location(result, vector, dwords);
    }

    /// Number of dwords of a value.
    pub(super) fn dwords_of(&self, value: Value) -> usize {
        self.comps(value) * (self.bits(value) / 32).max(1) as usize
    }

    /// Makes these dwords of a vector, in this order, the location of a value.
    pub(super) fn set_dword_location(&mut self, result: Value, vector: Operand, dwords: &[u8]) {
        let at = |i: usize| {
            dwords.get(i).copied().unwrap_or_else(|| {
                self.faults.note("a value has more components than its slot");
                0
            })
        };
        if self.bits(result) == 64 {
            return self.set_vector_location(result, vector, at(0));
        }
        let last = self.comps(result) - 1;
        let at = |i: usize| at(i.min(last));
        let swizzle = Swizzle([0, 1, 2, 3].map(at));
        self.set_location(
            result,
            ValueLocation::Register(vector.with_region(Region::Swizzle(swizzle))),
        );
    }

    /// The handle of the patch's entry, as a scalar. The first call emits its computation in the prologue.
    pub(super) fn patch_handle(&mut self) -> Operand {
        if let Some(handle) = self.patch_handle {
            return handle;
        }
        let handle = self.out.scalar(Type::Ud);
        let given = Operand::grf(0, Type::Ud).with_stride(0).byte_offset(HANDLE);
        self.prologue(|b| _ = b.uniform().and(handle, given, Operand::imm_ud(HANDLE_MASK)));
        self.patch_handle = Some(handle);
        handle
    }

    /// Selects a built-in value.
    pub(super) fn tess_eval_sysval(
        &mut self,
        sysval: SysVal,
        result: Value,
    ) -> Result<(), SelectError> {
        match sysval {
            SysVal::TessCoord => self.payload_vector(result, COORDINATES, 0),
            SysVal::PrimitiveId => self.payload_scalar(result, PRIMITIVE),
            _ => return Err(SelectError::NotLowered { what: "a built-in" }),
        }
        Ok(())
    }

    /// Makes a dword of the payload, the same for both vertices, the location of a value.
    pub(super) fn payload_scalar(&mut self, result: Value, offset: u32) {
        let vector = Operand::uniform(offset - offset % VECTOR_BYTES, Type::Ud);
        let dword = (offset % VECTOR_BYTES / 4) as u8;
        self.set_dword_location(result, vector, &[dword]);
    }
}
