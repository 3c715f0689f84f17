//! Compares outputs with the expected ones of the pack.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Expected contents and how to compare with them.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The contents.
    pub bytes: Vec<u8>,
    pub(super) rule: CompareRule,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct CompareRule {
    r#type: String,
    mode: String,
    #[serde(default)]
    rtol: f64,
    #[serde(default)]
    atol: f64,
    #[serde(default)]
    ignore_zero_sign: bool,
}

impl Expected {
    /// Compares contents with the expected ones by the case's rule.
    ///
    /// # Errors
    /// The first element that differs, with both values.
    pub fn compare(&self, actual: &[u8]) -> Result<(), String> {
        let size = match self.rule.r#type.as_str() {
            "u8" => 1,
            "u16" | "f16" => 2,
            "u32" | "f32" => 4,
            "f64" => 8,
            other => return Err(format!("element type `{other}` is not known")),
        };
        if actual.len() != self.bytes.len() {
            return Err(format!("{} bytes instead of {}", actual.len(), self.bytes.len()));
        }
        let mut differences = BTreeMap::new();
        let pairs = actual.chunks_exact(size).zip(self.bytes.chunks_exact(size));
        for (index, (actual, expected)) in pairs.enumerate() {
            if !self.matches(actual, expected) {
                differences.insert(index, (hex(actual), hex(expected)));
            }
        }
        match differences.iter().next() {
            None => Ok(()),
            Some((index, (actual, expected))) => Err(format!(
                "{} of {} elements differ, first [{index}]: {actual} instead of {expected} ({})",
                differences.len(),
                self.bytes.len() / size,
                self.rule.r#type,
            )),
        }
    }

    /// Whether an element matches the expected one by the rule.
    fn matches(&self, actual: &[u8], expected: &[u8]) -> bool {
        if actual == expected {
            return true;
        }
        let rule = &self.rule;
        let zero = |bytes: &[u8]| match bytes.split_last() {
            Some((last, rest)) => last & 0x7f == 0 && rest.iter().all(|byte| *byte == 0),
            None => true,
        };
        if rule.ignore_zero_sign && zero(actual) && zero(expected) {
            return true;
        }
        let Some((a, e)) = float(&rule.r#type, actual).zip(float(&rule.r#type, expected)) else {
            return false;
        };
        match rule.mode.as_str() {
            "exact" => a == e || a.is_nan() && e.is_nan(),
            _ => (a - e).abs() <= rule.atol + rule.rtol * e.abs() || a.is_nan() && e.is_nan(),
        }
    }
}

/// The number that little-endian bytes represent, in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

fn float(ty: &str, bytes: &[u8]) -> Option<f64> {
    match ty {
        "f16" => Some(half(u16::from_le_bytes(bytes.try_into().ok()?))),
        "f32" => Some(f32::from_le_bytes(bytes.try_into().ok()?).into()),
        "f64" => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

/// The value of a 16-bit float.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match bits >> 10 & 31 {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(ty: &str, mode: &str, bytes: &[u8]) -> Expected {
        let rule = CompareRule {
            r#type: ty.into(),
            mode: mode.into(),
            rtol: 0.0,
            atol: 0.25,
            ignore_zero_sign: false,
        };
        Expected { bytes: bytes.to_vec(), rule }
    }

    #[test]
    fn comparison_follows_the_rule() {
        let one = 1.0f32.to_le_bytes();
        let near = 1.2f32.to_le_bytes();
        assert!(expected("f32", "tolerance", &one).compare(&near).is_ok());
        assert!(expected("f32", "exact", &one).compare(&near).is_err());
        let zeros = expected("f32", "exact", &0.0f32.to_le_bytes());
        assert!(zeros.compare(&(-0.0f32).to_le_bytes()).is_ok());
        let words = expected("u32", "exact", &[0; 8]);
        let error = words.compare(&[0, 0, 0, 0, 0, 1, 0, 0]).unwrap_err();
        assert!(error.contains("[1]: 0x00000100 instead of 0x00000000"), "{error}");
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc001), -2.001953125);
    }
}
