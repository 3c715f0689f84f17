//! Compares the contents of the buffers and images of two engines.

use crestline_amber::format::NumberKind;
use crestline_amber::run::Memory;
use crestline_amber::script::Script;
use crestline_amber::types::{Layout, Scalar, load};
use crestline_judges::pictures::{CODES, FILTERED, INTERPOLATED};

/// The largest differences of equal values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Whether shaders filter textures: then normalized values may differ by more.
    pub filtered: bool,
}

/// What differs in a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The name of the buffer.
    pub buffer: String,
    /// The number of its first value that differs, counted from 0, the value expected and the value found.
    pub first: (u64, f64, f64),
    /// The number of values that differ.
    pub count: u64,
    /// The number of values.
    pub total: u64,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference { buffer, first: (number, expected, found), count, total } = self;
        write!(
            f,
            "value {number} of `{buffer}` is {found}, expected {expected}; {count} of {total} differ"
        )
    }
}

/// The largest difference of a normalized number, in steps of its type.
fn steps(scalar: Scalar, tolerance: Tolerance) -> f64 {
    let most = 2f64.powi(scalar.bits.into()) - 1.0;
    match tolerance.filtered {
        true => (FILTERED * most).max(CODES),
        false => CODES,
    }
}

/// The distance of a float from the next one of its type, for types of at most 16 bits: attachments with such formats may round
/// in either direction.
fn code(scalar: Scalar, value: f64) -> f64 {
    let fraction = match scalar.bits {
        16 => 10,
        11 => 6,
        10 => 5,
        _ => return 0.0,
    };
    value.abs() * 2f64.powi(-fraction)
}

/// Compares a buffer. Integers must be equal; normalized numbers and floats have the tolerances of pictures.
///
/// # Errors
/// The difference.
pub fn compare(
    script: &Script,
    number: usize,
    expected: &Memory,
    found: &Memory,
    tolerance: Tolerance,
) -> Result<(), Difference> {
    let buffer = &script.buffers[number];
    let [expected, found] = [expected, found].map(|memory| &memory.buffers[number]);
    let layout = match &expected.image {
        Some(image) => Layout::texels(&image.format),
        None => Layout::clone(&buffer.layout),
    };
    let slots = || (0..).map_while(|number| Some((number, layout.slot(number)?)));
    let is_float = |kind| matches!(kind, NumberKind::Float | NumberKind::UFloat);
    let (mut low, mut high) = (f64::MAX, f64::MIN);
    for (_, slot) in slots() {
        let Some(bits) = load(&expected.bytes, slot) else { break };
        let float = slot.scalar.decode(bits).float;
        if is_float(slot.scalar.kind) && float.is_finite() {
            (low, high) = (low.min(float), high.max(float));
        }
    }
    // The range of floats, but at least their size: rounding depends on it.
    let range = (high - low).max(high.abs()).max(low.abs()).max(f64::MIN_POSITIVE);
    let mut first = None;
    let (mut count, mut total) = (0, 0);
    for (number, slot) in slots() {
        let (Some(a), Some(b)) = (load(&expected.bytes, slot), load(&found.bytes, slot)) else {
            break;
        };
        total += 1;
        let [a, b] = [a, b].map(|bits| slot.scalar.decode(bits).float);
        let allowed = match slot.scalar.kind {
            kind if is_float(kind) => (INTERPOLATED * range).max(code(slot.scalar, a)),
            NumberKind::Unorm | NumberKind::Srgb | NumberKind::Snorm => {
                steps(slot.scalar, tolerance)
            }
            _ => 0.0,
        };
        let same = a == b || a.is_nan() && b.is_nan();
        if !same && (a - b).abs() > allowed {
            first.get_or_insert((number, a, b));
            count += 1;
        }
    }
    if expected.bytes.len() != found.bytes.len() {
        let lengths = [expected, found].map(|stored| stored.bytes.len() as f64);
        first.get_or_insert((total, lengths[0], lengths[1]));
    }
    match first {
        None => Ok(()),
        Some(first) => Err(Difference { buffer: buffer.name.clone(), first, count, total }),
    }
}
