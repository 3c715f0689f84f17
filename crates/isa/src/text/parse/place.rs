//! Registers as written, before the type that follows says what their subregister counts.

use super::ParseError;
use super::cursor::Cursor;
use crate::inst::{Inst, Place, Region, SrcReg};
use crate::tables::Type;
use crate::text::elements;

/// A place whose subregister is still counted in elements.
pub(super) struct RawPlace {
    pub(super) place: Place,
    /// Subregister in elements of the operand's type.
    pub(super) element: u32,
    /// Extended precision register of the IEEE macros.
    pub(super) mme: Option<u8>,
    /// Where it stands in the line, for errors.
    pub(super) column: usize,
}

impl RawPlace {
    /// The place with its subregister in bytes.
    pub(super) fn typed(&self, ty: Type, c: &Cursor<'_>) -> Result<Place, ParseError> {
        self.at(self.element * u32::from(elements::subregister_unit(ty)), c)
    }

    /// The place with so many bytes as its subregister.
    fn at(&self, bytes: u32, c: &Cursor<'_>) -> Result<Place, ParseError> {
        match self.place {
            Place::Direct { reg, .. } => match u8::try_from(bytes) {
                Ok(sub) if sub < 32 => Ok(Place::Direct { reg, sub }),
                _ => Err(c.error_at(self.column, "a subregister inside the register")),
            },
            place => Ok(place),
        }
    }

    /// Source `n` of a systolic operation, from its type on: no region, and for source 2 an
    /// offset counted in its elements.
    pub(super) fn systolic(
        self,
        c: &mut Cursor<'_>,
        inst: &mut Inst,
        n: usize,
    ) -> Result<SrcReg, ParseError> {
        let start = c.position();
        let (ty, place) = match elements::from_name(c.name()) {
            Some((ty, bits)) => {
                elements::set(inst, n, bits);
                (ty, self.at(self.element * u32::from(bits) / 8, c)?)
            }
            None => {
                c.go_back(start);
                let ty = c.type_name()?;
                (ty, self.typed(ty, c)?)
            }
        };
        Ok(SrcReg::new(place, ty, Region::SCALAR))
    }
}
