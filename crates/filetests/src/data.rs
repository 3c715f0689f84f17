//! Makes buffer contents from a short description. They are the same on every machine and in every run.
//!
//! A description is a list of segments separated by `;`:
//!
//! ```text
//! u32 1 2 0xff            values
//! f32 64 * uniform -1 1   64 pseudo-random values from the range
//! i32 64 * iota 5 -1      5, 4, 3, ...
//! u32 64 * fill 7         64 times 7
//! u32 64 * bits           pseudo-random bits (of a float type: random finite, normal numbers)
//! f32 64 * edges          edge values of the type, repeated
//! zero 256                256 bytes of zero
//! ```

use std::fmt;

/// The most bytes of a buffer, so that a typing error does not exhaust memory.
const MAX_BYTES: usize = 64 << 20;

/// A scalar type of buffer data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the types")]
pub enum Scalar {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
}

impl Scalar {
    /// The type of that name.
    pub fn parse(name: &str) -> Option<Scalar> {
        Some(match name {
            "u8" => Scalar::U8,
            "i8" => Scalar::I8,
            "u16" => Scalar::U16,
            "i16" => Scalar::I16,
            "u32" => Scalar::U32,
            "i32" => Scalar::I32,
            "f32" => Scalar::F32,
            "u64" => Scalar::U64,
            "i64" => Scalar::I64,
            "f64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Scalar::U8 | Scalar::I8 => 1,
            Scalar::U16 | Scalar::I16 => 2,
            Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
            Scalar::U64 | Scalar::I64 | Scalar::F64 => 8,
        }
    }

    /// Appends one value given as text: decimal, `0x` hexadecimal bits, or a float.
    fn push_text(self, text: &str, out: &mut Vec<u8>) -> Result<(), String> {
        let bad = || format!("{text:?} is not a value of type {self}");
        if let Some(digits) = text.strip_prefix("0x") {
            let bits = u64::from_str_radix(digits, 16).map_err(|_| bad())?;
            let size = self.size();
            if size < 8 && bits >> (8 * size) != 0 {
                return Err(bad());
            }
            out.extend(&bits.to_le_bytes()[..size]);
            return Ok(());
        }
        match self {
            Scalar::U8 => out.extend(text.parse::<u8>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::I8 => out.extend(text.parse::<i8>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::U16 => out.extend(text.parse::<u16>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::I16 => out.extend(text.parse::<i16>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::U32 => out.extend(text.parse::<u32>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::I32 => out.extend(text.parse::<i32>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::F32 => out.extend(text.parse::<f32>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::U64 => out.extend(text.parse::<u64>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::I64 => out.extend(text.parse::<i64>().map_err(|_| bad())?.to_le_bytes()),
            Scalar::F64 => out.extend(text.parse::<f64>().map_err(|_| bad())?.to_le_bytes()),
        }
        Ok(())
    }

    /// Appends a number. For an integer type it is rounded down, and reduced modulo the type's range.
    fn push_number(self, value: f64, out: &mut Vec<u8>) {
        match self {
            Scalar::F32 => out.extend((value as f32).to_le_bytes()),
            Scalar::F64 => out.extend(value.to_le_bytes()),
            _ => out.extend(&(value.floor() as i128 as u64).to_le_bytes()[..self.size()]),
        }
    }

    /// Appends pseudo-random bits. For a float type they are a finite, normal number of any magnitude.
    fn push_bits(self, random: &mut Random, out: &mut Vec<u8>) {
        let bits = random.next();
        match self {
            Scalar::F32 => {
                let exponent = 1 + (bits >> 32) as u32 % 254;
                let rest = bits as u32 & 0x807f_ffff;
                out.extend((rest | exponent << 23).to_le_bytes());
            }
            Scalar::F64 => {
                let exponent = 1 + random.next() % 2046;
                let rest = bits & 0x800f_ffff_ffff_ffff;
                out.extend((rest | exponent << 52).to_le_bytes());
            }
            _ => out.extend(&bits.to_le_bytes()[..self.size()]),
        }
    }

    /// Edge values of the type. There are no subnormal floats: Vulkan allows a device to flush them, so engines may
    /// differ.
    fn edges(self) -> Vec<f64> {
        match self {
            Scalar::F32 => {
                let max = f64::from(f32::MAX);
                let least = f64::from(f32::MIN_POSITIVE);
                let mut values = vec![0.0, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 1e-3, 8388607.5];
                values.extend([16777216.0, 2147483648.0, 1e30, max, least, f64::INFINITY]);
                values.iter().flat_map(|&value| [value, -value]).collect()
            }
            Scalar::F64 => [0.0, 0.5, 1.0, 1.5, 2.5, 1e-300, 1e300, f64::MAX, f64::INFINITY]
                .iter()
                .flat_map(|&value| [value, -value])
                .collect(),
            _ => {
                let bits = 8 * self.size() as i32;
                let top = 2f64.powi(bits - 1);
                vec![0.0, 1.0, -1.0, 2.0, -2.0, 7.0, 31.0, 32.0, 255.0, top - 1.0, top, top + 1.0]
            }
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Scalar::U8 => "u8",
            Scalar::I8 => "i8",
            Scalar::U16 => "u16",
            Scalar::I16 => "i16",
            Scalar::U32 => "u32",
            Scalar::I32 => "i32",
            Scalar::F32 => "f32",
            Scalar::U64 => "u64",
            Scalar::I64 => "i64",
            Scalar::F64 => "f64",
        };
        f.write_str(name)
    }
}

/// A pseudo-random number generator (splitmix64: a counter and a mixing function).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator whose sequence depends on `seed` only.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "an endless sequence is no iterator here")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be 0. The slight bias of the remainder does not matter in tests.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number of `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `items`, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Makes the bytes of a description. The pseudo-random parts depend on `seed`.
///
/// # Errors
///
/// A message with the wrong word and what was expected instead.
pub fn bytes(description: &str, seed: u64) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut random = Random::new(seed);
    for segment in description.split(';') {
        push_segment(segment.trim(), &mut random, &mut out)?;
        if out.len() > MAX_BYTES {
            return Err(format!("more than {MAX_BYTES} bytes"));
        }
    }
    Ok(out)
}

/// Appends the bytes of one segment of a description.
fn push_segment(segment: &str, random: &mut Random, out: &mut Vec<u8>) -> Result<(), String> {
    let words: Vec<&str> = segment.split_whitespace().collect();
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("{text:?} is no number"));
    let count = |text: &str, size: usize| match text.parse::<usize>() {
        Ok(count) if count.saturating_mul(size) <= MAX_BYTES => Ok(count),
        Ok(_) => Err(format!("{text} elements are more than {MAX_BYTES} bytes")),
        Err(_) => Err(format!("{text:?} is no count")),
    };
    match words[..] {
        [] => Err("an empty segment: expected a type and values, or zero and a size".into()),
        ["zero", size] => {
            out.resize(out.len() + count(size, 1)?, 0);
            Ok(())
        }
        [name, ref rest @ ..] => {
            let scalar = Scalar::parse(name)
                .ok_or_else(|| format!("{name:?} is no type (u8 ... i64, f32, f64) nor zero"))?;
            match *rest {
                [n, "*", "uniform", low, high] => {
                    let (low, high) = (number(low)?, number(high)?);
                    for _ in 0..count(n, scalar.size())? {
                        scalar.push_number(low + random.unit() * (high - low), out);
                    }
                }
                [n, "*", "iota", start, step] => {
                    let (start, step) = (number(start)?, number(step)?);
                    for index in 0..count(n, scalar.size())? {
                        scalar.push_number(start + step * index as f64, out);
                    }
                }
                [n, "*", "fill", value] => {
                    for _ in 0..count(n, scalar.size())? {
                        scalar.push_text(value, out)?;
                    }
                }
                [n, "*", "bits"] => {
                    for _ in 0..count(n, scalar.size())? {
                        scalar.push_bits(random, out);
                    }
                }
                [n, "*", "edges"] => {
                    let edges = scalar.edges();
                    for index in 0..count(n, scalar.size())? {
                        scalar.push_number(edges[index % edges.len()], out);
                    }
                }
                [_, "*", ..] => {
                    return Err(format!(
                        "{:?}: expected uniform LOW HIGH, iota START STEP, fill VALUE, bits or edges",
                        rest[2..].join(" ")
                    ));
                }
                [] => return Err(format!("no values after {name}")),
                _ => {
                    for value in rest {
                        scalar.push_text(value, out)?;
                    }
                }
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(description: &str) -> Vec<u32> {
        let bytes = bytes(description, 1).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
    }

    #[test]
    fn segments_follow_each_other() {
        assert_eq!(words("u32 1 0xff; i32 3 * iota 5 -3; zero 4"), [1, 255, 5, 2, !0, 0]);
        assert_eq!(words("f32 1 -0.5; u32 2 * fill 7"), [0x3f80_0000, 0xbf00_0000, 7, 7]);
        assert_eq!(bytes("u8 1 2; i16 -1", 0).unwrap(), [1, 2, 255, 255]);
    }

    #[test]
    fn random_values_depend_on_the_seed_alone_and_keep_their_range() {
        let one = bytes("f32 256 * uniform -1 1", 7).unwrap();
        assert_eq!(one, bytes("f32 256 * uniform -1 1", 7).unwrap());
        assert_ne!(one, bytes("f32 256 * uniform -1 1", 8).unwrap());
        let values = one.as_chunks::<4>().0.iter().map(|&word| f32::from_le_bytes(word));
        assert!(values.clone().all(|value| (-1.0..1.0).contains(&value)));
        assert!(values.clone().any(|value| value < -0.5) && values.clone().any(|v| v > 0.5));
        for value in words("f32 1000 * bits").into_iter().map(f32::from_bits) {
            assert!(value.is_normal(), "{value}");
        }
    }

    #[test]
    fn edges_hold_the_extremes() {
        let edges = words("i32 12 * edges");
        assert!(edges.contains(&0x8000_0000) && edges.contains(&0x7fff_ffff));
        assert!(edges.contains(&u32::MAX));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "empty segment"),
            ("u33 1", "\"u33\" is no type"),
            ("u8 256", "\"256\" is not a value of type u8"),
            ("u8 0x100", "\"0x100\" is not a value"),
            ("u32 4 * wobble", "\"wobble\": expected uniform"),
            ("u32 99999999999 * bits", "more than"),
            ("zero x", "\"x\" is no count"),
            ("u32", "no values after u32"),
        ] {
            let error = bytes(text, 0).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
