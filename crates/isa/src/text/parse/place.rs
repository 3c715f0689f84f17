//! Registers in text. The unit of the subregister number depends on the operand's type, which
//! follows later; so a register is first parsed to a [`RawPlace`].

use super::ParseError;
use super::cursor::Cursor;
use crate::inst::{Inst, Place, Reg, Region, SrcReg};
use crate::tables::Type;
use crate::text::elements;
use crestline_device::Gen;

/// Execution sizes.
pub(super) const EXEC_SIZES: &[u8] = &[1, 2, 4, 8, 16, 32];
/// Vertical strides of sources.
pub(super) const VSTRIDES: &[u8] = &[0, 1, 2, 4, 8, 16, 32];
/// Horizontal strides of sources.
pub(super) const HSTRIDES: &[u8] = &[0, 1, 2, 4];
/// Widths of sources.
pub(super) const WIDTHS: &[u8] = &[1, 2, 4, 8, 16];

/// A register whose subregister number has not been converted to bytes yet.
pub(super) struct RawPlace {
    pub(super) place: Place,
    /// Subregister in elements of the operand's type.
    pub(super) element: u32,
    /// Position of the subregister in the text, for errors; that of the register if it has none.
    element_at: usize,
    /// Extended precision register of the IEEE macros.
    pub(super) mme: Option<u8>,
}

/// What to expect in place of `found`, which is no register. `general` is the letter of general registers.
pub(super) fn register_expected(general: &str, found: &str) -> &'static str {
    let number = found.strip_prefix(general).unwrap_or_default();
    match (general, !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())) {
        ("g", true) => "a register up to `g127`",
        (_, true) => "a register up to `r127`",
        (_, false) => "a register",
    }
}

impl RawPlace {
    /// The place with its subregister in bytes.
    pub(super) fn typed(&self, ty: Type, c: &Cursor<'_>) -> Result<Place, ParseError> {
        self.at(self.element * u32::from(elements::subregister_unit(ty)), c)
    }

    /// The place with an offset of `bytes` in its register. Fails if that is beyond the register.
    fn at(&self, bytes: u32, c: &Cursor<'_>) -> Result<Place, ParseError> {
        match self.place {
            Place::Direct { reg, .. } => match u8::try_from(bytes) {
                Ok(sub) if sub < 32 => Ok(Place::Direct { reg, sub }),
                _ => Err(c.error_at(self.element_at, "a subregister inside the register")),
            },
            place => Ok(place),
        }
    }

    /// Parses the subregister or mme number of a register whose name, at position `at`, has been read. A dot that belongs to
    /// a write mask or a swizzle is left.
    pub(super) fn direct(
        c: &mut Cursor<'_>,
        generation: Gen,
        reg: Reg,
        at: usize,
    ) -> Result<RawPlace, ParseError> {
        if matches!(reg, Reg::Mrf(_)) && generation >= Gen::Gen7 {
            let expected = format!("a register of {generation} (message registers end with gen6)");
            return Err(c.error_at(at, &expected));
        }
        let place = Place::Direct { reg, sub: 0 };
        let mut raw = RawPlace { place, element: 0, element_at: at, mme: None };
        let before_dot = c.position();
        if !c.eat_joined(".") {
            return Ok(raw);
        }
        if c.eat_joined("nomme") {
            raw.mme = Some(8);
        } else if c.eat_joined("mme") {
            raw.mme = Some(c.decimal("an mme number", 7)? as u8);
        } else if c.peek().is_some_and(|c| c.is_ascii_digit()) {
            raw.element_at = c.here();
            raw.element = c.decimal("a subregister", 31)?;
        } else {
            c.go_back(before_dot);
        }
        Ok(raw)
    }

    /// Fails if the operand has an mme number and the operation is not a macro, or the other way round.
    pub(super) fn check_mme(&self, c: &mut Cursor<'_>, inst: &Inst) -> Result<(), ParseError> {
        if self.mme.is_some() == inst.is_macro() {
            return Ok(());
        }
        let expected = if self.mme.is_some() { "no mme number" } else { "an mme number" };
        Err(c.error(expected))
    }

    /// Parses an indirect register after `[`: address subregister and byte offset. `comma`: the
    /// syntax has a comma before the offset.
    pub(super) fn indirect(
        c: &mut Cursor<'_>,
        at: usize,
        comma: bool,
    ) -> Result<RawPlace, ParseError> {
        if !c.eat_name("a0") {
            return Err(c.error("`a0`"));
        }
        let addr = if c.eat_joined(".") { c.decimal("an address subregister", 15)? } else { 0 };
        let more = if comma { c.eat(",") } else { !matches!(c.peek(), Some(']')) };
        let number = c.here();
        let bytes = if more { c.integer("a byte offset")? } else { 0 };
        let offset = i16::try_from(bytes).ok().filter(|offset| (-512..512).contains(offset));
        let offset = offset.ok_or_else(|| c.error_at(number, "an offset from -512 to 511"))?;
        c.expect("]")?;
        let place = Place::Indirect { addr: addr as u8, offset };
        Ok(RawPlace { place, element: 0, element_at: at, mme: None })
    }

    /// Parses the type of source `n` of a systolic operation and returns the source. It has no
    /// region; the unit of its subregister number is one element.
    pub(super) fn systolic(
        self,
        c: &mut Cursor<'_>,
        generation: Gen,
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
                let ty = c.type_name(generation)?;
                (ty, self.typed(ty, c)?)
            }
        };
        Ok(SrcReg::new(place, ty, Region::SCALAR))
    }
}
