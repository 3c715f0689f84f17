//! BPTC: blocks of bytes (BC7) and of half floats (BC6H).

use super::bits;
use super::bptc_tables::{
    ANCHORS_OF_THREE, ANCHORS_OF_TWO, BYTE_MODES, ByteMode, FLOAT_MODES, FloatMode, Lowest, THREE,
    TWO, WEIGHTS,
};
use crestline_isa::semantics::Half;

/// Reads a block from its lowest bit up.
struct Reader {
    block: u128,
    position: u32,
}

impl Reader {
    fn take(&mut self, count: u32) -> u32 {
        let value = bits(self.block, self.position, count);
        self.position += count;
        value
    }
}

/// The subset of a texel.
fn subset(subsets: u32, partition: u32, texel: u32) -> usize {
    let partition = partition as usize & 63;
    match subsets {
        2 => usize::from(TWO[partition] >> texel & 1),
        3 => (THREE[partition] >> (2 * texel) & 3) as usize,
        _ => 0,
    }
}

/// Whether a texel is the anchor of a subset, so that its code lacks the highest bit, which is zero.
fn is_anchor(subsets: u32, partition: u32, texel: u32) -> bool {
    let partition = partition as usize & 63;
    let others = match subsets {
        2 => [ANCHORS_OF_TWO[partition], 0],
        3 => ANCHORS_OF_THREE.map(|anchors| anchors[partition]),
        _ => [0, 0],
    };
    texel == 0 || others.iter().any(|&other| u32::from(other) == texel)
}

/// The weight of the second endpoint at a texel, for codes of `width` bits that start at bit `first`.
fn weight(
    block: u128,
    first: u32,
    width: u32,
    (subsets, partition): (u32, u32),
    texel: u32,
) -> u32 {
    let anchors = (0..texel).filter(|&other| is_anchor(subsets, partition, other)).count() as u32;
    let own = width - u32::from(is_anchor(subsets, partition, texel));
    let code = bits(block, first + width * texel - anchors, own);
    WEIGHTS[width as usize - 2][code as usize]
}

/// The number of bits of all codes of `width` bits.
fn code_bits(width: u32, subsets: u32) -> u32 {
    16 * width - subsets
}

/// A texel of a block of bytes. A block without a mode is transparent black.
pub(super) fn bytes(block: u128, texel: u32) -> [u8; 4] {
    let number = block.trailing_zeros();
    let Some(mode) = BYTE_MODES.get(number as usize) else { return [0; 4] };
    let mut reader = Reader { block, position: number + 1 };
    let partition = reader.take(mode.partition_bits);
    let rotation = reader.take(mode.rotation_bits);
    let selection = reader.take(mode.selection_bits);
    let endpoints = endpoints(&mut reader, mode);
    let subset = 2 * subset(mode.subsets, partition, texel);
    let (first, second) = (endpoints[subset], endpoints[subset + 1]);
    let start = reader.position;
    let parts = (mode.subsets, partition);
    let mut weights = [weight(block, start, mode.code_bits, parts, texel); 2];
    if mode.second_bits != 0 {
        let start = start + code_bits(mode.code_bits, mode.subsets);
        weights[1] = weight(block, start, mode.second_bits, parts, texel);
    }
    if selection == 1 {
        weights.swap(0, 1);
    }
    let mut result: [u8; 4] = std::array::from_fn(|i| {
        let weight = weights[usize::from(i == 3)];
        ((first[i] * (64 - weight) + second[i] * weight + 32) >> 6) as u8
    });
    if rotation != 0 {
        result.swap(rotation as usize - 1, 3);
    }
    result
}

/// The endpoints of a block of bytes: two for each subset, with eight bits for each channel.
fn endpoints(reader: &mut Reader, mode: &ByteMode) -> [[u32; 4]; 6] {
    let mut endpoints = [[0; 4]; 6];
    let count = 2 * mode.subsets as usize;
    let widths = [mode.colour_bits, mode.colour_bits, mode.colour_bits, mode.alpha_bits];
    for (channel, width) in widths.into_iter().enumerate() {
        for endpoint in &mut endpoints[..count] {
            endpoint[channel] = reader.take(width);
        }
    }
    let mut lowest = 0;
    for (number, endpoint) in endpoints[..count].iter_mut().enumerate() {
        if mode.lowest == Lowest::Endpoint || mode.lowest == Lowest::Subset && number % 2 == 0 {
            lowest = reader.take(1);
        }
        for (value, mut width) in endpoint.iter_mut().zip(widths) {
            if width == 0 {
                *value = 255;
                continue;
            }
            if mode.lowest != Lowest::None {
                *value = *value << 1 | lowest;
                width += 1;
            }
            *value = *value << (8 - width) | *value >> (2 * width - 8);
        }
    }
    endpoints
}

/// A texel of a block of half floats. A block without a mode is opaque black.
pub(super) fn half_floats(block: u128, texel: u32, signed: bool) -> [f32; 4] {
    let width = if block & 2 == 0 { 2 } else { 5 };
    let code = bits(block, 0, width);
    let has_code = |mode: &&FloatMode| mode.code == code && (mode.code < 2) == (width == 2);
    let Some(mode) = FLOAT_MODES.iter().find(has_code) else { return [0.0, 0.0, 0.0, 1.0] };
    let mut reader = Reader { block, position: width };
    let mut endpoints = [[0u32; 3]; 4];
    for field in mode.fields.split(' ') {
        take_field(&mut reader, field, &mut endpoints);
    }
    let subsets = 1 + u32::from(mode.has_two_subsets);
    let partition = if mode.has_two_subsets { reader.take(5) } else { 0 };
    let endpoints = absolute(mode, endpoints, signed);
    let subset = 2 * subset(subsets, partition, texel);
    let width = if mode.has_two_subsets { 3 } else { 4 };
    let weight = weight(block, reader.position, width, (subsets, partition), texel) as i32;
    let mut result = [0.0, 0.0, 0.0, 1.0];
    for (channel, result) in result.iter_mut().enumerate().take(3) {
        let [first, second] = [subset, subset + 1]
            .map(|endpoint| unquantized(endpoints[endpoint][channel], mode.bits, signed));
        let value = (first * (64 - weight) + second * weight + 32) >> 6;
        *result = finished(value, signed).to_f32();
    }
    result
}

/// Reads a field of [`FLOAT_MODES`] into the endpoints.
fn take_field(reader: &mut Reader, field: &str, endpoints: &mut [[u32; 3]; 4]) {
    let name = field.as_bytes();
    let channel = match name[0] {
        b'r' => 0,
        b'g' => 1,
        _ => 2,
    };
    let value = &mut endpoints[usize::from(name[1] - b'0') & 3][channel];
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    let places = &field[3..];
    match (name[2], places.split_once('-')) {
        (b'.', _) => *value |= reader.take(1) << number(places),
        (_, Some((first, last))) => {
            for place in (number(last)..=number(first)).rev() {
                *value |= reader.take(1) << place;
            }
        }
        (_, None) => *value |= reader.take(number(places) + 1),
    }
}

/// `value` as a signed number of `width` bits.
fn extended(value: u32, width: u32) -> i32 {
    (value << (32 - width)).cast_signed() >> (32 - width)
}

/// The endpoints of a block of half floats, still quantized, after the differences are added.
fn absolute(mode: &FloatMode, endpoints: [[u32; 3]; 4], signed: bool) -> [[i32; 3]; 4] {
    let mut result = [[0; 3]; 4];
    for (number, endpoint) in endpoints.iter().enumerate() {
        for channel in 0..3 {
            let other = mode.other_bits[channel];
            let base = endpoints[0][channel];
            let value = match (number, mode.is_relative) {
                (0, _) | (_, false) => endpoint[channel],
                _ => {
                    let difference = extended(endpoint[channel], other).cast_unsigned();
                    base.wrapping_add(difference) & ((1 << mode.bits) - 1)
                }
            };
            result[number][channel] =
                if signed { extended(value, mode.bits) } else { value.cast_signed() };
        }
    }
    result
}

/// An endpoint's channel with 16 bits, or 15 bits and a sign.
fn unquantized(value: i32, width: u32, signed: bool) -> i32 {
    match signed {
        false if width >= 15 || value == 0 => value,
        false if value == (1 << width) - 1 => 0xffff,
        false => ((value << 16) + 0x8000) >> width,
        true if width >= 16 || value == 0 => value,
        true => {
            let magnitude = match value.abs() {
                most if most >= (1 << (width - 1)) - 1 => 0x7fff,
                some => ((some << 15) + 0x4000) >> (width - 1),
            };
            magnitude * value.signum()
        }
    }
}

/// The half float of an interpolated value.
fn finished(value: i32, signed: bool) -> Half {
    match signed {
        false => Half(((value * 31) >> 6) as u16),
        true => {
            let magnitude = ((value.abs() * 31) >> 5) as u16;
            Half(if value < 0 { magnitude | 0x8000 } else { magnitude })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_fill_the_block() {
        for mode in &FLOAT_MODES {
            let width = if mode.code < 2 { 2 } else { 5 };
            let mut reader = Reader { block: u128::MAX, position: width };
            let mut endpoints = [[0; 3]; 4];
            for field in mode.fields.split(' ') {
                take_field(&mut reader, field, &mut endpoints);
            }
            let used = if mode.has_two_subsets { 4 } else { 2 };
            for (number, endpoint) in endpoints.iter().enumerate() {
                for (channel, &value) in endpoint.iter().enumerate() {
                    let width = match number {
                        0 => mode.bits,
                        n if n < used => mode.other_bits[channel],
                        _ => 0,
                    };
                    assert_eq!(value, (1 << width) - 1, "mode {:b}", mode.code);
                }
            }
            let header = reader.position + if mode.has_two_subsets { 5 } else { 0 };
            assert_eq!(header, if mode.has_two_subsets { 82 } else { 65 }, "mode {:b}", mode.code);
        }
        for (number, mode) in BYTE_MODES.iter().enumerate() {
            let lowest = match mode.lowest {
                Lowest::None => 0,
                Lowest::Endpoint => 2 * mode.subsets,
                Lowest::Subset => mode.subsets,
            };
            let second = match mode.second_bits {
                0 => 0,
                width => code_bits(width, mode.subsets),
            };
            let bits = number as u32
                + 1
                + mode.partition_bits
                + mode.rotation_bits
                + mode.selection_bits
                + 2 * mode.subsets * (3 * mode.colour_bits + mode.alpha_bits)
                + lowest
                + code_bits(mode.code_bits, mode.subsets)
                + second;
            assert_eq!(bits, 128, "mode {number}");
        }
    }
}
