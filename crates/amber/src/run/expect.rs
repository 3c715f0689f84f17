//! Checks of expectations.

use super::memory::{Memory, Stored, colour, is_integer};
use super::{Failure, FailureKind};
use crate::error::Place;
use crate::format::NumberKind;
use crate::lexer::Number;
use crate::script::{Check, Comparator, Script, Tolerance};
use crate::types::{Layout, Scalar, Slot, load};

/// The largest difference of equal values, if the script gives none: the rounding of decimal numbers.
const DEFAULT: f64 = 1e-6;
/// The largest difference of equal normalized components of a pixel, if the script gives none: half a step of 8 bits.
const DEFAULT_NORMALIZED: f64 = 0.002;
/// The bins of a histogram.
const BINS: usize = 256;

/// Why an expectation does not hold.
pub(super) enum Failed {
    /// The script is wrong.
    Script(String),
    /// Values differ: where and how, and the number of values that differ.
    Differs { first: String, count: u64, total: u64 },
}

impl Failed {
    pub(super) fn into_failure(self, script: &Script, place: Place, buffer: usize) -> Failure {
        let name = &script.buffers[buffer].name;
        match self {
            Failed::Script(message) => {
                Failure::script(place, format!("the buffer `{name}`: {message}"))
            }
            Failed::Differs { first, count, total } => {
                let message = format!("the expectation about `{name}` does not hold: {first}");
                let failure = Failure::new(FailureKind::Expectation, place, message);
                match (count, total) {
                    (_, 0 | 1) => failure,
                    _ => failure.with_note(format!("{count} of {total} differ")),
                }
            }
        }
    }
}

/// Checks an expectation about a buffer.
pub(super) fn check(
    script: &Script,
    memory: &Memory,
    buffer: usize,
    check: &Check,
) -> Result<(), Failed> {
    let stored = &memory.buffers[buffer];
    let own = &script.buffers[buffer].layout;
    match check {
        Check::Values { offset, comparator, tolerance, layout, values } => {
            let layout = layout.as_ref().unwrap_or(own);
            check_values(stored, layout, *offset, *comparator, tolerance, values)
        }
        Check::Pixels { origin, size, colour, scale, tolerance } => {
            check_pixels(stored, *origin, *size, colour, *scale, tolerance)
        }
        Check::Equal { other } => equal(stored, own, &memory.buffers[*other]),
        Check::Rmse { other, tolerance } => {
            let error = rmse(own, &stored.bytes, &memory.buffers[*other].bytes)?;
            within("the root of the mean squared error", error, *tolerance)
        }
        Check::Histogram { other, tolerance } => {
            let distance = histogram_distance(own, &stored.bytes, &memory.buffers[*other].bytes)?;
            within("the distance of the histograms", distance, *tolerance)
        }
    }
}

fn within(what: &str, value: f64, tolerance: f64) -> Result<(), Failed> {
    if value <= tolerance {
        return Ok(());
    }
    let first = format!("{what} is {value}, expected at most {tolerance}");
    Err(Failed::Differs { first, count: 1, total: 1 })
}

/// The tolerance of a component: a single one is for all components.
fn tolerance_of(tolerances: &[Tolerance], component: usize) -> Option<Tolerance> {
    match tolerances {
        [one] => Some(*one),
        several => several.get(component).copied(),
    }
}

/// The largest difference from an expected number.
fn largest(tolerance: Tolerance, expected: f64) -> f64 {
    match tolerance {
        Tolerance::Absolute(difference) => difference,
        Tolerance::Percent(percent) => (expected * percent / 100.0).abs(),
    }
}

/// The expected number with the precision of its type.
fn rounded(scalar: Scalar, number: Number) -> f64 {
    match (scalar.kind, scalar.encode(number)) {
        (NumberKind::Float | NumberKind::UFloat, Ok(bits)) => scalar.decode(bits).float,
        _ => number.float,
    }
}

/// Whether a comparison of a number in memory and an expected one holds.
fn holds(
    comparator: Comparator,
    scalar: Scalar,
    found: Number,
    expected: Number,
    tolerance: Option<Tolerance>,
) -> bool {
    if let (Some(found), Some(expected), None) = (found.integer, expected.integer, tolerance) {
        // Bits of a signed number may be written as an unsigned one, and the other way round.
        let same = scalar.encode(expected_number(expected)).ok()
            == scalar.encode(expected_number(found)).ok();
        return match comparator {
            Comparator::Eq => same,
            Comparator::Ne => !same,
            Comparator::Lt => found < expected,
            Comparator::Le => found <= expected,
            Comparator::Gt => found > expected,
            Comparator::Ge => found >= expected,
        };
    }
    let (a, b) = (found.float, expected.float);
    let exact = rounded(scalar, expected);
    let difference = tolerance.map_or(DEFAULT, |tolerance| largest(tolerance, b));
    let same = a == exact || (a - b).abs() <= difference || a.is_nan() && b.is_nan();
    match comparator {
        Comparator::Eq => same,
        Comparator::Ne => !same,
        Comparator::Lt => a < exact,
        Comparator::Le => a <= exact,
        Comparator::Gt => a > exact,
        Comparator::Ge => a >= exact,
    }
}

fn expected_number(value: i128) -> Number {
    Number::integer(value)
}

fn shown(number: Number) -> String {
    match number.integer {
        Some(integer) => integer.to_string(),
        None => number.float.to_string(),
    }
}

fn check_values(
    stored: &Stored,
    layout: &Layout,
    offset: u64,
    comparator: Comparator,
    tolerances: &[Tolerance],
    values: &[Number],
) -> Result<(), Failed> {
    let (mut first, mut count) = (None, 0);
    for (index, expected) in (0..).zip(values) {
        let slot = layout.slot(index).and_then(|slot| {
            Some(Slot { bit: slot.bit.checked_add(offset.checked_mul(8)?)?, ..slot })
        });
        let found = slot.and_then(|slot| Some((slot, load(&stored.bytes, slot)?)));
        let Some((slot, bits)) = found else {
            return Err(Failed::Script(format!(
                "value {index} from byte {offset} on is outside of its {} bytes",
                stored.bytes.len()
            )));
        };
        let found = slot.scalar.decode(bits);
        let component = (index % u64::from(layout.rows.max(1))) as usize;
        let tolerance = tolerance_of(tolerances, component);
        if !holds(comparator, slot.scalar, found, *expected, tolerance) {
            count += 1;
            first.get_or_insert_with(|| {
                format!(
                    "value {index} at byte {}: found {}, expected {}{}",
                    slot.bit / 8,
                    shown(found),
                    match comparator {
                        Comparator::Eq => String::new(),
                        other => format!("{} ", other.name()),
                    },
                    shown(*expected)
                )
            });
        }
    }
    match first {
        None => Ok(()),
        Some(first) => Err(Failed::Differs { first, count, total: values.len() as u64 }),
    }
}

fn check_pixels(
    stored: &Stored,
    [left, top]: [u32; 2],
    [width, height]: [u32; 2],
    expected: &[f64],
    scale: f64,
    tolerances: &[Tolerance],
) -> Result<(), Failed> {
    let no_image = || Failed::Script("it is no image with a size".into());
    let image = stored.image.as_ref().ok_or_else(no_image)?;
    let [all_width, all_height, _] = image.size.ok_or_else(no_image)?;
    let fits =
        |first: u32, count: u32, all: u32| first.checked_add(count).is_some_and(|end| end <= all);
    if !fits(left, width, all_width) || !fits(top, height, all_height) {
        return Err(Failed::Script(format!(
            "the area of {width} by {height} pixels at {left}, {top} exceeds the image of {all_width} by {all_height}"
        )));
    }
    // Integers are compared as they are.
    let scale = if is_integer(&image.format) { 1.0 } else { scale };
    let (mut first, mut count) = (None, 0);
    for y in top..top + height {
        for x in left..left + width {
            for sample in 0..image.samples {
                let texel = stored.texel(image, [x, y], sample).ok_or_else(no_image)?;
                let found = colour(&image.format, texel).map(|component| component * scale);
                let differs =
                    expected.iter().zip(found).enumerate().any(|(number, (expected, found))| {
                        let most = match tolerance_of(tolerances, number) {
                            Some(tolerance) => largest(tolerance, *expected),
                            None => DEFAULT_NORMALIZED * scale,
                        };
                        // The difference of two decimal fractions may exceed the tolerance by rounding.
                        let difference = (expected - found).abs();
                        difference.is_nan() || difference > most + DEFAULT
                    });
                if differs {
                    count += 1;
                    first.get_or_insert_with(|| {
                        let list = |colour: &[f64]| {
                            let all: Vec<String> = colour
                                .iter()
                                .map(|component| ((component * 1e4).round() / 1e4).to_string())
                                .collect();
                            all.join(" ")
                        };
                        let found = list(&found[..expected.len()]);
                        format!("the pixel at {x}, {y}: found {found}, expected {}", list(expected))
                    });
                }
            }
        }
    }
    let total = u64::from(width) * u64::from(height) * u64::from(image.samples);
    match first {
        None => Ok(()),
        Some(first) => Err(Failed::Differs { first, count, total }),
    }
}

/// The values of two buffers in pairs, with their number and type.
fn pairs<'a>(
    layout: &'a Layout,
    first: &'a [u8],
    second: &'a [u8],
) -> impl Iterator<Item = (u64, Slot, u64, u64)> + 'a {
    (0..).map_while(move |index| {
        let slot = layout.slot(index)?;
        Some((index, slot, load(first, slot)?, load(second, slot)?))
    })
}

/// Checks that two buffers have the same size.
fn same_size(first: &[u8], second: &[u8]) -> Result<(), Failed> {
    if first.len() == second.len() {
        return Ok(());
    }
    let first = format!("it has {} bytes, the other buffer {}", first.len(), second.len());
    Err(Failed::Differs { first, count: 1, total: 1 })
}

fn equal(stored: &Stored, layout: &Layout, other: &Stored) -> Result<(), Failed> {
    same_size(&stored.bytes, &other.bytes)?;
    let (mut first, mut count, mut total) = (None, 0, 0);
    for (index, slot, found, expected) in pairs(layout, &stored.bytes, &other.bytes) {
        total += 1;
        if found != expected {
            count += 1;
            first.get_or_insert_with(|| {
                let [found, expected] =
                    [found, expected].map(|bits| shown(slot.scalar.decode(bits)));
                let at = place_of(stored, slot);
                format!("value {index} at {at}: found {found}, the other buffer has {expected}")
            });
        }
    }
    match first {
        None => Ok(()),
        Some(first) => Err(Failed::Differs { first, count, total }),
    }
}

/// The byte of a slot, or the pixel for an image of one level.
fn place_of(stored: &Stored, slot: Slot) -> String {
    let byte = slot.bit / 8;
    match &stored.image {
        Some(image) if image.levels == 1 && image.samples == 1 && image.size.is_some() => {
            let [width, height, _] = image.size.unwrap_or([1; 3]).map(u64::from);
            let texel = byte / u64::from(image.format.bytes);
            let (x, y, z) = (texel % width, texel / width % height, texel / width / height);
            if z == 0 { format!("the pixel {x}, {y}") } else { format!("the texel {x}, {y}, {z}") }
        }
        _ => format!("byte {byte}"),
    }
}

fn rmse(layout: &Layout, first: &[u8], second: &[u8]) -> Result<f64, Failed> {
    same_size(first, second)?;
    let (mut sum, mut count) = (0.0, 0u64);
    for (_, slot, a, b) in pairs(layout, first, second) {
        let difference = slot.scalar.decode(a).float - slot.scalar.decode(b).float;
        sum += difference * difference;
        count += 1;
    }
    Ok((sum / count.max(1) as f64).sqrt())
}

/// The largest distance of the histograms of a channel. The values of a channel with 8 bits fall into [`BINS`] bins. The
/// distance is the work of moving values between bins, as a part of the values and of the width of the histogram.
fn histogram_distance(layout: &Layout, first: &[u8], second: &[u8]) -> Result<f64, Failed> {
    same_size(first, second)?;
    if layout.slots.iter().any(|slot| slot.scalar.bits != 8) {
        let message = "a histogram needs a format with channels of 8 bits";
        return Err(Failed::Script(message.into()));
    }
    let channels = layout.slots.len();
    let mut differences = vec![[0i64; BINS]; channels];
    let mut count = 0u64;
    for (index, _, a, b) in pairs(layout, first, second) {
        let channel = (index % channels as u64) as usize;
        differences[channel][a as usize & 0xff] += 1;
        differences[channel][b as usize & 0xff] -= 1;
        count += 1;
    }
    let values = (count / channels.max(1) as u64).max(1);
    let distance = |bins: &[i64; BINS]| {
        let mut moved = 0i64;
        let work: i64 = bins
            .iter()
            .map(|difference| {
                moved += difference;
                moved.abs()
            })
            .sum();
        work as f64 / values as f64 / BINS as f64
    };
    Ok(differences.iter().map(distance).fold(0.0, f64::max))
}
