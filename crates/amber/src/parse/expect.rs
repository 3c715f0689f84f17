//! `EXPECT`.

use super::{Object, Parser, wrong};
use crate::error::{Place, Result, ScriptError};
use crate::lexer::{Kind, Number};
use crate::limits;
use crate::script::{Action, Check, Comparator, Tolerance};

/// The most values of an expectation.
const MAX_VALUES: usize = 1 << 16;

impl Parser<'_> {
    /// The rest of `EXPECT`.
    pub(super) fn expect(&mut self) -> Result<Action> {
        let (place, buffer) = self.reference(Object::Buffer)?;
        let what = "IDX, EQ_BUFFER, RMSE_BUFFER or EQ_HISTOGRAM_EMD_BUFFER";
        let (word_place, word) = self.word(what)?;
        let check = match word {
            "IDX" => self.by_index(buffer)?,
            "EQ_BUFFER" => Check::Equal { other: self.other(place, buffer)? },
            "RMSE_BUFFER" => {
                let other = self.other(place, buffer)?;
                Check::Rmse { other, tolerance: self.limit()? }
            }
            "EQ_HISTOGRAM_EMD_BUFFER" => {
                let other = self.other(place, buffer)?;
                Check::Histogram { other, tolerance: self.limit()? }
            }
            other => return Err(wrong(word_place, what, other)),
        };
        Ok(Action::Expect { buffer, check })
    }

    /// The other buffer of a comparison, which must have values of the same types.
    fn other(&mut self, place: Place, buffer: usize) -> Result<usize> {
        let (other_place, other) = self.reference(Object::Buffer)?;
        if other == buffer {
            return Err(ScriptError::new(other_place, "a buffer cannot be compared with itself"));
        }
        let types = |index: usize| {
            let layout = &self.script.buffers[index].layout;
            layout.slots.iter().map(|slot| slot.scalar).collect::<Vec<_>>()
        };
        if types(other) != types(buffer) {
            let message = "the values of the two buffers have different types";
            return Err(ScriptError::new(place, message));
        }
        Ok(other)
    }

    /// `TOLERANCE NUMBER`.
    fn limit(&mut self) -> Result<f64> {
        self.keyword("TOLERANCE")?;
        self.float("a tolerance")
    }

    /// The rest of `EXPECT BUFFER IDX`.
    fn by_index(&mut self, buffer: usize) -> Result<Check> {
        let index_place = self.lexer.peek()?.place;
        let first = self.integer::<u64>("an index")?;
        if matches!(self.lexer.peek()?.kind, Kind::Word(word) if Number::parse(word).is_some()) {
            let second = self.integer::<u32>("a row of pixels")?;
            let first = u32::try_from(first).map_err(|_| {
                ScriptError::new(index_place, "expected a column of pixels, from 0 to 4294967295")
            })?;
            return self.pixels(index_place, buffer, [first, second]);
        }
        let mut tolerance = Vec::new();
        if self.optional(&["TOLERANCE"])?.is_some() {
            tolerance = self.tolerances()?;
        }
        let comparators: Vec<_> =
            Comparator::NAMES.iter().map(|(name, _, own)| (*name, *own)).collect();
        let place = self.lexer.peek()?.place;
        let comparator = self.choose(&comparators)?;
        if !tolerance.is_empty() && comparator != Comparator::Eq {
            return Err(ScriptError::new(place, "only EQ can have a TOLERANCE"));
        }
        let mut values = vec![self.number("a value")?];
        while !self.is_line_end()? {
            values.push(self.number("a value")?);
            if values.len() > MAX_VALUES {
                let message = format!("the expectation has more than {MAX_VALUES} values");
                return Err(ScriptError::new(place, message));
            }
        }
        Ok(Check::Values { offset: first, comparator, tolerance, layout: None, values })
    }

    /// The rest of `EXPECT BUFFER IDX X Y`.
    fn pixels(&mut self, place: Place, buffer: usize, origin: [u32; 2]) -> Result<Check> {
        if self.script.buffers[buffer].image.is_none() {
            let message =
                "an expectation with two indices needs an image or a buffer with a FORMAT";
            return Err(ScriptError::new(place, message));
        }
        self.keyword("SIZE")?;
        let size = [
            self.within("a width", 1, limits::IMAGE_SIDE)?,
            self.within("a height", 1, limits::IMAGE_SIDE)?,
        ];
        let mut tolerance = Vec::new();
        if self.optional(&["TOLERANCE"])?.is_some() {
            tolerance = self.tolerances()?;
        }
        let count = self.choose(&[("EQ_RGB", 3), ("EQ_RGBA", 4)])?;
        let colour =
            (0..count).map(|_| self.float("a component of a colour")).collect::<Result<_>>()?;
        if self.optional(&["TOLERANCE"])?.is_some() {
            tolerance = self.tolerances()?;
        }
        Ok(Check::Pixels { origin, size, colour, scale: 255.0, tolerance })
    }

    /// One to four numbers after `TOLERANCE`, with or without a percent sign.
    fn tolerances(&mut self) -> Result<Vec<Tolerance>> {
        let mut tolerances = Vec::new();
        loop {
            let token = self.lexer.peek()?;
            let Kind::Word(word) = token.kind else { break };
            let Some(tolerance) = tolerance(word) else { break };
            self.lexer.next()?;
            tolerances.push(tolerance);
            if tolerances.len() > 4 {
                return Err(ScriptError::new(token.place, "expected one to four tolerances"));
            }
        }
        if tolerances.is_empty() {
            let (place, word) = self.word("a tolerance")?;
            return Err(wrong(place, "a tolerance", word));
        }
        Ok(tolerances)
    }
}

/// Reads a number with or without a percent sign.
pub(crate) fn tolerance(word: &str) -> Option<Tolerance> {
    let valid = |number: &Number| number.float.is_finite() && number.float >= 0.0;
    let number = |word| Number::parse(word).filter(valid).map(|number| number.float);
    match word.strip_suffix('%') {
        Some(word) => number(word).map(Tolerance::Percent),
        None => number(word).map(Tolerance::Absolute),
    }
}
