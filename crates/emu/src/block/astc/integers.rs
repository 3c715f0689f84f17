//! Sequences of integers of a small range ("Integer Sequence Encoding"), and what they stand for.

use crate::block::bits;

/// The base of the digit that an integer has above its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digit {
    None,
    Trit,
    Quint,
}

/// A range of integers: bits, and a digit above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    digit: Digit,
    bits: u32,
}

/// The sizes of ranges of colours, the largest first.
const COLOUR_RANGES: [u32; 17] =
    [256, 192, 160, 128, 96, 80, 64, 48, 40, 32, 24, 20, 16, 12, 10, 8, 6];

/// The most values of colours in a block.
const MAX_COLOURS: u32 = 18;

impl Range {
    /// The range with that many integers: a power of two, or three or five times one.
    pub(super) const fn of(size: u32) -> Range {
        let bits = size.trailing_zeros();
        let digit = match size >> bits {
            3 => Digit::Trit,
            5 => Digit::Quint,
            _ => Digit::None,
        };
        Range { digit, bits }
    }

    /// The largest range of `count` values of colours that fit into that many bits; `None` if no range fits.
    pub(super) fn of_colours(count: u32, space: u32) -> Option<Range> {
        let ranges = COLOUR_RANGES.into_iter().filter(|_| count <= MAX_COLOURS);
        ranges.map(Range::of).find(|range| range.bits(count) <= space)
    }

    /// The bits of a sequence.
    pub(super) fn bits(self, count: u32) -> u32 {
        let digits = match self.digit {
            Digit::None => 0,
            Digit::Trit => (8 * count).div_ceil(5),
            Digit::Quint => (7 * count).div_ceil(3),
        };
        self.bits * count + digits
    }

    /// The value of 0 to 255 that an integer of a colour stands for.
    pub(super) fn colour(self, value: Value) -> u32 {
        // For each number of bits: the weight of the digit, and the pattern of the bits but the lowest.
        let trits = [
            (0, ""),
            (204, ""),
            (93, "b000b0bb0"),
            (44, "cb000cbcb"),
            (22, "dcb000dcb"),
            (11, "edcb000ed"),
            (5, "fedcb000f"),
        ];
        let quints = [
            (0, ""),
            (113, ""),
            (54, "b0000bb00"),
            (26, "cb0000cbc"),
            (13, "dcb0000dc"),
            (6, "edcb0000e"),
            (0, ""),
        ];
        let (weight, pattern) = match self.digit {
            Digit::None => return replicated(value.low, self.bits, 8),
            Digit::Trit => trits[self.bits.min(6) as usize],
            Digit::Quint => quints[self.bits.min(6) as usize],
        };
        let all = if value.low & 1 == 1 { 0x1ff } else { 0 };
        let mixed = (value.digit * weight + spread(value.low, pattern)) ^ all;
        all & 0x80 | mixed >> 2
    }

    /// The weight, in 64ths, that an integer stands for.
    pub(super) fn weight(self, value: Value) -> u32 {
        let trits = [(50, ""), (23, "b000b0b"), (11, "cb000cb")];
        let quints = [(28, ""), (13, "b0000b0"), (0, "")];
        let pick = |rows: [(u32, &'static str); 3]| rows[(self.bits.max(1) - 1).min(2) as usize];
        let (weight, pattern) = match (self.digit, self.bits) {
            (Digit::None, width) => return above_half(replicated(value.low, width, 6)),
            (Digit::Trit, 0) => return [0, 32, 64][value.digit.min(2) as usize],
            (Digit::Quint, 0) => return [0, 16, 32, 48, 64][value.digit.min(4) as usize],
            (Digit::Trit, _) => pick(trits),
            (Digit::Quint, _) => pick(quints),
        };
        let all = if value.low & 1 == 1 { 0x7f } else { 0 };
        let mixed = (value.digit * weight + spread(value.low, pattern)) ^ all;
        above_half(all & 0x20 | mixed >> 2)
    }
}

/// Weights above one half are one more, so that the greatest is 64.
fn above_half(weight: u32) -> u32 {
    if weight > 32 { weight + 1 } else { weight }
}

/// `value`, of `width` bits, repeated from the highest bit down in a number of `wide` bits.
fn replicated(value: u32, width: u32, wide: u32) -> u32 {
    (0..wide).fold(0, |sum, i| sum << 1 | value >> (width - 1 - i % width) & 1)
}

/// A number of the bits of `value`, highest first: `b` is bit 1, `c` bit 2, and so on, `0` is zero.
fn spread(value: u32, pattern: &str) -> u32 {
    let bit = |letter: u8| if letter == b'0' { 0 } else { value >> (letter - b'a') & 1 };
    pattern.bytes().fold(0, |sum, letter| sum << 1 | bit(letter))
}

/// An integer of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    digit: u32,
    low: u32,
}

/// A sequence of integers from the lowest bit up.
pub(super) struct Source {
    pub(super) bits: u128,
    pub(super) count: u32,
}

impl Source {
    /// The integer with a number. Bits beyond the end of the sequence are zero.
    pub(super) fn value(&self, range: Range, number: u32) -> Value {
        // Numbers of bits of a group's packed digits behind each integer.
        let parts: &[u32] = match range.digit {
            Digit::None => {
                return Value { digit: 0, low: bits(self.bits, range.bits * number, range.bits) };
            }
            Digit::Trit => &[2, 2, 1, 2, 1],
            Digit::Quint => &[3, 2, 2],
        };
        let length = parts.len() as u32;
        let packed_bits: u32 = parts.iter().sum();
        let end = range.bits(self.count);
        let mut position = number / length * (length * range.bits + packed_bits);
        let mut take = |count: u32| {
            let value = bits(self.bits, position, count.min(end.saturating_sub(position)));
            position += count;
            value
        };
        let (mut packed, mut low, mut filled) = (0, 0, 0);
        for (place, &part) in (0..).zip(parts) {
            let bits = take(range.bits);
            if place == number % length {
                low = bits;
            }
            packed |= take(part) << filled;
            filled += part;
        }
        let digits = match range.digit {
            Digit::Trit => trits(packed),
            _ => quints(packed),
        };
        Value { digit: digits[(number % length) as usize], low }
    }
}

/// The five digits of three in eight bits.
fn trits(packed: u32) -> [u32; 5] {
    let field = |first: u32, count: u32| packed >> first & ((1 << count) - 1);
    let (c, fourth, fifth) = if field(2, 3) == 7 {
        (field(5, 3) << 2 | field(0, 2), 2, 2)
    } else if field(5, 2) == 3 {
        (field(0, 5), field(7, 1), 2)
    } else {
        (field(0, 5), field(5, 2), field(7, 1))
    };
    let field = |first: u32, count: u32| c >> first & ((1 << count) - 1);
    let pair = |high: u32, low: u32| high << 1 | low & !high & 1;
    let [first, second, third] = if field(0, 2) == 3 {
        [pair(field(3, 1), field(2, 1)), field(4, 1), 2]
    } else if field(2, 2) == 3 {
        [field(0, 2), 2, 2]
    } else {
        [pair(field(1, 1), field(0, 1)), field(2, 2), field(4, 1)]
    };
    [first, second, third, fourth, fifth]
}

/// The three digits of five in seven bits.
fn quints(packed: u32) -> [u32; 5] {
    let field = |first: u32, count: u32| packed >> first & ((1 << count) - 1);
    if field(1, 2) == 3 && field(5, 2) == 0 {
        let low = field(0, 1);
        let third = if low == 1 { 4 } else { field(3, 2) };
        return [4, 4, third, 0, 0];
    }
    let (c, third) = match field(1, 2) {
        3 => (field(3, 2) << 3 | (!field(5, 2) & 3) << 1 | field(0, 1), 4),
        _ => (field(0, 5), field(5, 2)),
    };
    match c & 7 {
        5 => [c >> 3, 4, third, 0, 0],
        low => [low, c >> 3, third, 0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of digits has a code.
    #[test]
    fn codes_reach_all_digits() {
        let mut seen: Vec<_> = (0..256).map(trits).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 243);
        let mut seen: Vec<_> = (0..128).map(quints).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 125);
    }

    /// The values of each range are different, and reach from least to greatest.
    #[test]
    fn values_of_ranges_are_different() {
        let values = |size: u32, read: fn(Range, Value) -> u32| {
            let range = Range::of(size);
            let all = (0..size).map(|number| {
                let value =
                    Value { digit: number >> range.bits, low: number & ((1 << range.bits) - 1) };
                read(range, value)
            });
            let mut all: Vec<u32> = all.collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), size as usize);
            [all[0], all[size as usize - 1]]
        };
        for size in COLOUR_RANGES {
            assert_eq!(values(size, Range::colour), [0, 255]);
        }
        for size in super::super::WEIGHT_RANGES.into_iter().flatten() {
            assert_eq!(values(size, Range::weight), [0, 64]);
        }
    }
}
