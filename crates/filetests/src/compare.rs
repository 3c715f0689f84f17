//! Compares a buffer after runs of two engines.
//!
//! A rule is a list of element types, which repeats over the buffer, and the tolerance of the float elements. If
//! elements have different tolerances, the rule has several such groups:
//!
//! ```text
//! f32                        exact, but all NaNs are equal, and so are both zeros
//! f32 ulp 4                  up to 4 units in the last place apart
//! f32 abs 2^-11 rel 1e-4     or up to abs + rel * |expected| apart
//! u8 abs 1                   bytes, up to 1 apart: of integers only `abs` counts
//! f32 f32 f32 u32 ulp 2      a record of three floats and an integer
//! f32 skip                   a float, then four bytes that are not compared
//! u32 f32 abs 1e-3 bag       the records come in any order
//! 3 * f32 ulp 2; f32         a record of three floats with a tolerance and one that is exact
//! ```
//!
//! Tolerances follow from the precision that Vulkan requires ("Precision and Operation of SPIR-V Instructions"); each
//! test says how. If it allows an error of at most `e`, two results may differ by `2e`. A product whose sum may be
//! contracted to a fused operation adds half a unit in its last place.
//!
//! Subnormal numbers and zero are equal in every float comparison, because Vulkan allows a device to flush subnormals.

use crate::data::Scalar;

/// How to compare a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The record that repeats; empty for bit-by-bit comparison.
    record: Vec<(Element, Tolerance)>,
    bag: bool,
}

/// The largest allowed difference.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Tolerance {
    ulp: u64,
    abs: f64,
    rel: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Scalar(Scalar),
    /// Four bytes that are not compared.
    Skip,
}

impl Element {
    fn size(self) -> usize {
        match self {
            Element::Scalar(scalar) => scalar.size(),
            Element::Skip => 4,
        }
    }
}

impl Rule {
    /// The rule for comparison bit by bit.
    pub fn exact() -> Rule {
        Rule { record: Vec::new(), bag: false }
    }

    /// Reads a rule.
    ///
    /// # Errors
    ///
    /// A message with the word that is not understood.
    pub fn parse(text: &str) -> Result<Rule, String> {
        let mut rule = Rule::exact();
        for group in text.split(';') {
            rule.group(group)?;
        }
        if rule.record.is_empty() {
            return Err("a rule names at least one element type".into());
        }
        Ok(rule)
    }

    /// Bytes of a record; 0 for a rule that compares bit by bit.
    pub fn record_bytes(&self) -> usize {
        self.record.iter().map(|(element, _)| element.size()).sum()
    }

    /// Reads a group: `[N *] TYPE... [ulp N] [abs X] [rel X] [bag]`.
    fn group(&mut self, text: &str) -> Result<(), String> {
        let (count, text) = match text.split_once('*') {
            Some((count, rest)) => {
                let number = count.trim().parse::<usize>().ok().filter(|n| (1..=4096).contains(n));
                (number.ok_or_else(|| format!("{:?} is no number of times", count.trim()))?, rest)
            }
            None => (1, text),
        };
        let (mut elements, mut tolerance) = (Vec::new(), Tolerance::default());
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let mut value = || {
                let text = words.next().ok_or_else(|| format!("no number after {word}"))?;
                number(text).ok_or_else(|| format!("{text:?} after {word} is no number"))
            };
            match word {
                "ulp" => tolerance.ulp = value()? as u64,
                "abs" => tolerance.abs = value()?,
                "rel" => tolerance.rel = value()?,
                "bag" => self.bag = true,
                "skip" => elements.push(Element::Skip),
                name => {
                    let scalar = Scalar::parse(name)
                        .ok_or_else(|| format!("{name:?} is no type, skip, ulp, abs, rel, bag"))?;
                    elements.push(Element::Scalar(scalar));
                }
            }
        }
        for _ in 0..count {
            self.record.extend(elements.iter().map(|&element| (element, tolerance)));
        }
        Ok(())
    }

    /// The first difference between `found` and `expected`, in words; `None` if they agree.
    pub fn difference(&self, found: &[u8], expected: &[u8]) -> Option<String> {
        if found.len() != expected.len() {
            return Some(format!("{} bytes, expected {}", found.len(), expected.len()));
        }
        if self.record.is_empty() {
            let at = (0..found.len()).find(|&at| found[at] != expected[at])?;
            let word = at & !3;
            let show = |bytes: &[u8]| {
                let mut value = [0; 4];
                let part = &bytes[word..bytes.len().min(word + 4)];
                value[..part.len()].copy_from_slice(part);
                let bits = u32::from_le_bytes(value);
                format!("0x{bits:08x} ({bits}, {:?})", f32::from_bits(bits))
            };
            let count = (0..found.len())
                .step_by(4)
                .filter(|&at| {
                    let end = (at + 4).min(found.len());
                    found[at..end] != expected[at..end]
                })
                .count();
            return Some(format!(
                "byte {word}: {}, expected {} ({count} words differ)",
                show(found),
                show(expected)
            ));
        }
        if self.bag {
            self.difference_in_bag(found, expected)
        } else {
            self.difference_in_order(found, expected)
        }
    }

    /// Finds a matching record for each expected one. Greedy matching suffices, because tolerances are small compared
    /// with the differences between records.
    fn difference_in_bag(&self, found: &[u8], expected: &[u8]) -> Option<String> {
        let size = self.record.iter().map(|(element, _)| element.size()).sum();
        let mut free: Vec<&[u8]> = found.chunks(size).collect();
        let mut first = None;
        let mut count = 0;
        for (index, record) in expected.chunks(size).enumerate() {
            match free.iter().position(|other| self.difference_in_order(other, record).is_none()) {
                // Removal keeps the order, so that matches of equal runs are found at the start.
                Some(at) => drop(free.remove(at)),
                None => {
                    count += 1;
                    first.get_or_insert(index);
                }
            }
        }
        first.map(|index| format!("expected record {index} was not found ({count} in all)"))
    }

    /// The first difference between two buffers whose records are in the same order.
    fn difference_in_order(&self, found: &[u8], expected: &[u8]) -> Option<String> {
        let (mut at, mut index) = (0, 0);
        let mut first = None;
        let mut count = 0;
        while at < found.len() {
            let (element, tolerance) = self.record[index % self.record.len()];
            let end = (at + element.size()).min(found.len());
            if let Element::Scalar(scalar) = element {
                let (a, b) = (&found[at..end], &expected[at..end]);
                if let Some(difference) = tolerance.difference(scalar, a, b) {
                    count += 1;
                    first.get_or_insert_with(|| format!("byte {at}: {difference}"));
                }
            }
            at = end;
            index += 1;
        }
        first.map(|first| format!("{first} ({count} elements differ)"))
    }
}

/// Reads a number or a power such as `2^-11`.
fn number(text: &str) -> Option<f64> {
    match text.split_once('^') {
        Some((base, exponent)) => {
            Some(base.parse::<f64>().ok()?.powi(exponent.parse::<i32>().ok()?))
        }
        None => text.parse().ok(),
    }
}

impl Tolerance {
    /// The difference of an element, in words; `None` if it is within the tolerance.
    fn difference(self, scalar: Scalar, found: &[u8], expected: &[u8]) -> Option<String> {
        if found == expected {
            return None;
        }
        let (a, b, distance) = match (scalar, found.try_into(), expected.try_into()) {
            (Scalar::F32, Ok(a), Ok(b)) => {
                let (a, b) = (f32::from_le_bytes(a), f32::from_le_bytes(b));
                let distance = ulp_distance(order32(a), order32(b));
                let flush = |v: f32| if v.is_subnormal() { 0.0 } else { f64::from(v) };
                (flush(a), flush(b), distance)
            }
            (Scalar::F64, _, _) if found.len() == 8 => {
                let value = |bytes: &[u8]| {
                    f64::from_le_bytes(bytes.try_into().expect("the length was checked"))
                };
                let (a, b) = (value(found), value(expected));
                let distance = ulp_distance(order64(a), order64(b));
                let flush = |v: f64| if v.is_subnormal() { 0.0 } else { v };
                (flush(a), flush(b), distance)
            }
            _ if integers_apart(scalar, found, expected) as f64 <= self.abs => return None,
            _ => {
                let hex = |bytes: &[u8]| {
                    bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>()
                };
                return Some(format!("{scalar} 0x{}, expected 0x{}", hex(found), hex(expected)));
            }
        };
        let equal = a == b
            || (a.is_nan() && b.is_nan())
            || (a.is_finite() && b.is_finite())
                && (distance <= self.ulp || (a - b).abs() <= self.abs + self.rel * b.abs());
        (!equal).then(|| format!("{scalar} {a:e}, expected {b:e} ({distance} ulp apart)"))
    }
}

/// The difference of two integers.
fn integers_apart(scalar: Scalar, a: &[u8], b: &[u8]) -> u64 {
    let signed = matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
    let wide = |bytes: &[u8]| {
        let negative = signed && bytes.last().is_some_and(|&byte| byte >> 7 == 1);
        let mut wide = [if negative { 0xff } else { 0 }; 16];
        wide[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
        i128::from_le_bytes(wide)
    };
    u64::try_from(wide(a).abs_diff(wide(b))).unwrap_or(u64::MAX)
}

/// Maps floats to integers so that neighbours differ by one and both zeros are 0.
fn order32(value: f32) -> i64 {
    let bits = value.to_bits();
    let magnitude = i64::from(bits & 0x7fff_ffff);
    if bits >> 31 == 0 { magnitude } else { -magnitude }
}

fn order64(value: f64) -> i64 {
    let bits = value.to_bits();
    let magnitude = (bits & (u64::MAX >> 1)) as i64;
    if bits >> 63 == 0 { magnitude } else { -magnitude }
}

fn ulp_distance(a: i64, b: i64) -> u64 {
    a.abs_diff(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_may_be_near_enough() {
        let near = |text: &str, a: &[u8], b: &[u8]| Rule::parse(text).unwrap().difference(a, b);
        assert_eq!(near("u8 abs 1", &[7, 255], &[8, 254]), None);
        assert!(near("u8 abs 1", &[7, 255], &[8, 0]).is_some());
        assert_eq!(near("i16 abs 2", &[0xff, 0xff], &[1, 0]), None);
        assert!(near("u32 f32 abs 2e-3", &[1; 8], &[2, 1, 1, 1, 1, 1, 1, 1]).is_some());
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn agree(rule: &str, a: &[f32], b: &[f32]) -> bool {
        Rule::parse(rule).unwrap().difference(&floats(a), &floats(b)).is_none()
    }

    #[test]
    fn floats_are_compared_by_value() {
        let next = f32::from_bits(1f32.to_bits() + 1);
        assert!(agree("f32", &[0.0, f32::NAN, 1e-40], &[-0.0, -f32::NAN, 0.0]));
        assert!(!agree("f32", &[1.0], &[next]));
        assert!(agree("f32 ulp 1", &[1.0], &[next]));
        assert!(!agree("f32 ulp 1", &[1.0], &[f32::from_bits(1f32.to_bits() + 2)]));
        assert!(!agree("f32 ulp 100", &[f32::MAX], &[f32::INFINITY]));
        assert!(!agree("f32 ulp 100", &[f32::NAN], &[1.0]));
        assert!(agree("f32 abs 0.5", &[1.0], &[1.25]) && !agree("f32 abs 0.1", &[1.0], &[1.25]));
        assert!(agree("f32 rel 0.1", &[109.0], &[100.0]));
        assert!(agree("f32 abs 2^-2", &[1.0], &[1.25]) && !agree("f32 abs 2^-3", &[1.0], &[1.25]));
    }

    #[test]
    fn records_repeat_and_skip() {
        assert!(agree("f32 skip", &[1.0, 2.0, 3.0, 4.0], &[1.0, 9.0, 3.0, 9.0]));
        assert!(!agree("f32 skip", &[1.0, 2.0], &[2.0, 2.0]));
        assert!(agree("2 * f32 abs 1; f32", &[1.0, 2.0, 3.0], &[1.5, 1.5, 3.0]));
        assert!(!agree("2 * f32 abs 1; f32", &[1.0, 2.0, 3.0], &[1.5, 1.5, 3.5]));
        let rule = Rule::parse("f32 u32 ulp 1").unwrap();
        let difference = rule.difference(&[0, 0, 0, 0, 1, 0, 0, 0], &[0; 8]).unwrap();
        assert!(difference.starts_with("byte 4: u32 0x00000001, expected 0x00000000"));
    }

    #[test]
    fn records_of_a_bag_come_in_any_order() {
        assert!(agree("u32 bag", &[1.0, 2.0, 3.0], &[3.0, 1.0, 2.0]));
        assert!(!agree("u32 bag", &[1.0, 2.0, 3.0], &[3.0, 1.0, 1.0]));
        assert!(agree("f32 f32 abs 0.1 bag", &[1.0, 2.0, 1.0, 3.0], &[1.05, 3.0, 0.95, 2.0]));
        assert!(!agree("u32 u32 bag", &[1.0, 2.0, 3.0, 4.0], &[1.0, 4.0, 3.0, 2.0]));
    }

    #[test]
    fn exact_comparison_sees_every_bit() {
        let rule = Rule::exact();
        assert_eq!(rule.difference(&[1, 2, 3], &[1, 2, 3]), None);
        assert!(rule.difference(&floats(&[0.0]), &floats(&[-0.0])).is_some());
        assert!(rule.difference(&[0; 4], &[0; 8]).unwrap().contains("expected 8"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(Rule::parse("").is_err());
        assert!(Rule::parse("f31").unwrap_err().contains("f31"));
        assert!(Rule::parse("x * f32").unwrap_err().contains("times"));
        assert!(Rule::parse("f32 ulp").unwrap_err().contains("no number after ulp"));
    }
}
