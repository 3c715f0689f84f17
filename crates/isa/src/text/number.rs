//! Prints numbers as C does, like both reference disassemblers.

use std::fmt::Write;

/// Prints a decimal number. Most numbers in assembly are small; for these it does not use the
/// slower general formatting.
#[inline]
pub(super) fn push(out: &mut String, number: impl Into<i64>) {
    let number = number.into();
    if !(0..1000).contains(&number) {
        let _ = write!(out, "{number}");
        return;
    }
    for (least, unit) in [(100, 100), (10, 10), (0, 1)] {
        if number >= least {
            out.push(char::from(b'0' + (number / unit % 10) as u8));
        }
    }
}

/// Prints a hexadecimal number with the prefix `0x` and at least `width` digits, in upper case.
pub(super) fn hex(out: &mut String, number: impl Into<u64>, width: u32) {
    let number = number.into();
    out.push_str("0x");
    let count = (u64::BITS - number.leading_zeros()).div_ceil(4).max(width).max(1);
    for at in (0..count).rev() {
        let digit = (number >> (4 * at) & 15) as u8;
        out.push(char::from(if digit < 10 { b'0' + digit } else { b'A' - 10 + digit }));
    }
}

/// The mantissa, as text with a decimal point and without sign, and the exponent of a number in
/// scientific notation.
fn scientific(value: f64, digits_after_point: usize) -> (String, i32) {
    let text = format!("{:.*e}", digits_after_point, value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// Prints an exponent: `e`, the sign, and at least two digits.
fn exponent(out: &mut String, exponent: i32) {
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "e{sign}{:02}", exponent.abs());
}

/// The text of a number as `%e` of C prints it: one digit, a point, six digits, and an exponent of
/// at least two digits.
pub(super) fn c_e(value: f64) -> String {
    let (mantissa, exp) = scientific(value, 6);
    let mut out = String::new();
    if value.is_sign_negative() {
        out.push('-');
    }
    out.push_str(&mantissa);
    exponent(&mut out, exp);
    out
}

/// The text of a number as `%.Pg` of C prints it, for `P = precision`: `P` significant digits
/// without trailing zeros; in scientific notation if the exponent is below -4 or at least `P`.
pub(super) fn c_g(value: f64, precision: usize) -> String {
    let (mantissa, exp) = scientific(value, precision - 1);
    let mut out = String::new();
    if value.is_sign_negative() {
        out.push('-');
    }
    let precision = precision as i32;
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if exp < -4 || exp >= precision {
        out.push_str(&trim(&mantissa));
        exponent(&mut out, exp);
    } else {
        let after_point = (precision - 1 - exp).max(0) as usize;
        out.push_str(&trim(&format!("{:.*}", after_point, value.abs())));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_c_does() {
        for (value, g, e) in [
            (0.1, "0.1", "1.000000e-01"),
            (1.0, "1", "1.000000e+00"),
            (-1000.0, "-1000", "-1.000000e+03"),
            (1e6, "1e+06", "1.000000e+06"),
            (100_000.0, "100000", "1.000000e+05"),
            (0.0001, "0.0001", "1.000000e-04"),
            (0.00001, "1e-05", "1.000000e-05"),
            (1.4013e-45, "1.4013e-45", "1.401300e-45"),
            (999_999.5, "1e+06", "9.999995e+05"),
            (-0.0, "-0", "-0.000000e+00"),
        ] {
            assert_eq!(c_g(value, 6), g);
            assert_eq!(c_e(value), e);
        }
        let mut text = String::new();
        for number in [0, 7, -10, 2_147_483_647, i64::MIN] {
            push(&mut text, number);
            text.push(' ');
        }
        assert_eq!(text, "0 7 -10 2147483647 -9223372036854775808 ");
        let mut text = String::new();
        for (number, width) in [(0, 1), (0x4c0, 1), (0xbeef, 8), (u64::MAX, 8), (0, 0)] {
            hex(&mut text, number, width);
            text.push(' ');
        }
        assert_eq!(text, "0x0 0x4C0 0x0000BEEF 0xFFFFFFFFFFFFFFFF 0x0 ");
    }
}
