//! The number of slots of a type, and the declarations of inputs and outputs.
//!
//! Components of 8 and 16 bits take components of 32 bits of their slots, as in Vulkan ("Location and Component Assignment"), and
//! are converted between both sizes at each load and store. So all stages agree, vertex fetch and attachments convert as
//! for 32 bits, and floats of 16 bits can be interpolated.

use crestline_ssa::ir::{AluOp, Interpolation, IoSlot, IoVar, Ty};

use super::Compact;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::Type;
use crate::translate::Translator;

/// The most declarations of inputs, or of outputs. It exceeds the number of components that vertices, patches and
/// built-ins have together.
const MAX_DECLARATIONS: usize = 512;

impl Translator<'_, '_> {
    /// Number of slots of a value: one for each scalar, vector and column; two for three or four components of 64 bits.
    pub(super) fn slots_of(&self, id: u32) -> Result<u32> {
        let types = &self.globals.types;
        if let Some(leaf) = types.leaf(id) {
            return match leaf.bits() {
                8 | 16 | 32 => Ok(1),
                64 => Ok(leaf.comps().div_ceil(2) as u32),
                _ => Err(no_slots(&types.describe(id))),
            };
        }
        match types.expect(id)? {
            Type::Array { elem, count } | Type::Matrix { column: elem, count } => {
                Ok(self.slots_of(*elem)?.saturating_mul(*count))
            }
            Type::Struct { members } => self.slots_before(id, members.len() as u32),
            _ => Err(no_slots(&types.describe(id))),
        }
    }

    /// Number of slots of a structure's members before member number `member`.
    pub(super) fn slots_before(&self, id: u32, member: u32) -> Result<u32> {
        let Some(Type::Struct { members }) = self.globals.types.get(id) else { return Ok(0) };
        let mut slots = 0u32;
        for &part in members.iter().take(member as usize) {
            slots = slots.saturating_add(self.slots_of(part)?);
        }
        Ok(slots)
    }

    /// The type in a slot of a scalar or vector of this type.
    pub(super) fn slot_ty(ty: Ty) -> Ty {
        if matches!(ty.bits(), 8 | 16) { Ty::X32.with_comps(ty.comps()) } else { ty }
    }

    /// The operation that converts a scalar or vector of 8 or 16 bits to 32; `None` for other sizes.
    pub(super) fn widening(&self, id: u32) -> Option<AluOp> {
        match self.globals.types.scalar(id)? {
            Type::Float { bits: 16 } => Some(AluOp::F2F),
            Type::Int { bits: 8 | 16, signed: true } => Some(AluOp::I2I),
            Type::Int { bits: 8 | 16, signed: false } => Some(AluOp::U2U),
            _ => None,
        }
    }

    /// The declaration of a variable or a member of a block that starts at component `comp` of `slot`.
    pub(super) fn row(
        &self,
        slot: IoSlot,
        comp: u8,
        ty: u32,
        stream: u8,
        name: String,
    ) -> Result<IoVar> {
        let types = &self.globals.types;
        let slots = self.slots_of(ty)?;
        let mut element = ty;
        while let Some(Type::Array { elem, .. } | Type::Matrix { column: elem, .. }) =
            types.get(element)
        {
            element = *elem;
        }
        let leaf = types.leaf(element).map_or(Ty::X32.with_comps(4), Self::slot_ty);
        let dwords = leaf.comps() as u32 * (leaf.bits() / 32);
        let fits = u32::from(comp) + dwords <= 4 || comp == 0;
        if !fits || leaf.bits() == 64 && comp % 2 == 1 {
            let detail =
                format!("expected \"{name}\" to fit in a location from component {comp} on");
            return Err(FrontendError::new(ErrorCode::BadInterface, detail));
        }
        Ok(IoVar {
            name,
            slot,
            comp,
            ty: leaf,
            count: slots / dwords.div_ceil(4),
            stream,
            interp: None,
        })
    }

    /// Adds a declaration, unless it was added before: each access to a variable declares it.
    pub(super) fn declare(&mut self, output: bool, var: IoVar) -> Result<()> {
        let list = if output { &mut self.shader.outputs } else { &mut self.shader.inputs };
        if list.contains(&var) {
            return Ok(());
        }
        if list.len() >= MAX_DECLARATIONS {
            let detail = format!("expected at most {MAX_DECLARATIONS} inputs or outputs");
            return Err(FrontendError::new(ErrorCode::BadInterface, detail));
        }
        list.push(var);
        Ok(())
    }

    /// Declares an array with four scalars per slot: one vector per slot.
    pub(super) fn declare_compact(
        &mut self,
        output: bool,
        compact: &Compact,
        interp: Option<Interpolation>,
        name: &str,
    ) -> Result<()> {
        let (mut at, end) = (compact.start, compact.start + compact.count);
        while at < end {
            let comps = (4 - at % 4).min(end - at);
            if let Some(slot) = compact.slot.plus(at / 4) {
                let (comp, ty) = ((at % 4) as u8, Ty::X32.with_comps(comps as usize));
                let var =
                    IoVar { name: name.to_owned(), slot, comp, ty, count: 1, stream: 0, interp };
                self.declare(output, var)?;
            }
            at += comps;
        }
        Ok(())
    }
}

fn no_slots(found: &str) -> FrontendError {
    let detail = format!("expected an input or output of 8, 16, 32 or 64 bits, found {found}");
    FrontendError::new(ErrorCode::UnsupportedType, detail)
}
