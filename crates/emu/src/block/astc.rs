//! ASTC blocks of two dimensions, with low dynamic range.

use super::bits;
use crestline_isa::semantics::{Half, Rounding};

mod endpoints;
mod integers;

use endpoints::endpoints;
use integers::{Range, Source};

/// The colour of a block that breaks the rules: opaque magenta.
const ERROR: [f32; 4] = [1.0, 0.0, 1.0, 1.0];

/// What the lowest eleven bits of a block say about its weights.
struct Weights {
    /// Columns and rows of the grid of weights.
    grid: [u32; 2],
    /// Whether each place of the grid has two weights.
    is_dual: bool,
    range: Range,
}

/// The ranges of weights by the number in a block's mode, less 2; first those of low precision.
const WEIGHT_RANGES: [[u32; 6]; 2] = [[2, 3, 4, 5, 6, 8], [10, 12, 16, 20, 24, 32]];

impl Weights {
    /// Reads the mode of a block; `None` if it is reserved.
    fn new(block: u128) -> Option<Weights> {
        let field = |first, count| bits(block, first, count);
        let (a, b) = (field(5, 2), field(7, 2));
        let (mut is_dual, mut is_precise) = (field(10, 1) == 1, field(9, 1) == 1);
        let number;
        let grid;
        if field(0, 2) != 0 {
            number = field(0, 2) << 1 | field(4, 1);
            grid = match field(2, 2) {
                0 => [b + 4, a + 2],
                1 => [b + 8, a + 2],
                2 => [a + 2, b + 8],
                _ if b < 2 => [a + 2, b + 6],
                _ => [b, a + 2],
            };
        } else {
            number = field(2, 2) << 1 | field(4, 1);
            grid = match (b, a) {
                (0, _) => [12, a + 2],
                (1, _) => [a + 2, 12],
                (2, _) => {
                    (is_dual, is_precise) = (false, false);
                    [a + 6, field(9, 2) + 6]
                }
                (_, 0) => [6, 10],
                (_, 1) => [10, 6],
                _ => return None,
            };
        }
        let range = WEIGHT_RANGES[usize::from(is_precise)].get(number.checked_sub(2)? as usize)?;
        Some(Weights { grid, is_dual, range: Range::of(*range) })
    }

    fn count(&self) -> u32 {
        self.grid[0] * self.grid[1] * (1 + u32::from(self.is_dual))
    }
}

/// The texel at a column and row of a block.
pub(super) fn texel(block: u128, size: [u32; 2], at: [u32; 2], srgb: bool) -> [f32; 4] {
    let colour = match bits(block, 0, 9) {
        0x1fc => constant(block),
        _ => interpolated(block, size, at, srgb),
    };
    colour.map_or(ERROR, |colour| {
        colour.map(|value| match (srgb, value) {
            (true, _) => (value >> 8) as f32 / 255.0,
            (false, 0xffff) => 1.0,
            (false, _) => Half::from_f32(value as f32 / 65536.0, Rounding::Zero).to_f32(),
        })
    })
}

/// The colour of a block of one colour, as fractions of 65535; `None` if the block is reserved or has a high dynamic range.
fn constant(block: u128) -> Option<[u32; 4]> {
    let edge = |number: u32| bits(block, 12 + 13 * number, 13);
    let edges = [0, 1, 2, 3].map(edge);
    let is_everywhere = edges == [0x1fff; 4];
    let is_area = edges[0] < edges[1] && edges[2] < edges[3];
    let is_sound = bits(block, 9, 3) == 0b110 && (is_everywhere || is_area);
    is_sound.then(|| [0, 1, 2, 3].map(|channel| bits(block, 64 + 16 * channel, 16)))
}

/// The colour of a texel as fractions of 65535; `None` if the block is reserved or has a high dynamic range.
fn interpolated(block: u128, size: [u32; 2], at: [u32; 2], srgb: bool) -> Option<[u32; 4]> {
    let weights = Weights::new(block)?;
    let weight_bits = weights.range.bits(weights.count());
    let fits = weights.grid[0] <= size[0] && weights.grid[1] <= size[1];
    if !fits || weights.count() > 64 || !(24..=96).contains(&weight_bits) {
        return None;
    }
    let parts = bits(block, 11, 2) + 1;
    if parts == 4 && weights.is_dual {
        return None;
    }
    // What remains above the colours, from the highest bit down: weights, modes of endpoints, and the channel of the second weights.
    let mut end = 128 - weight_bits;
    let (modes, start) = if parts == 1 {
        ([bits(block, 13, 4); 4], 17)
    } else {
        (endpoint_modes(block, parts, &mut end), 29)
    };
    let mut second_channel = 4;
    if weights.is_dual {
        end -= 2;
        second_channel = bits(block, end, 2) as usize;
    }
    let part = match parts {
        1 => 0,
        _ => partition(bits(block, 13, 10), parts, size, at),
    };
    let lengths = modes.map(|mode| 2 * (mode / 4 + 1));
    let count: u32 = lengths[..parts as usize].iter().sum();
    let range = Range::of_colours(count, end.checked_sub(start)?)?;
    let first: u32 = lengths[..part].iter().sum();
    let source = Source { bits: block >> start, count };
    let values: [i32; 8] = std::array::from_fn(|i| match (i as u32) < lengths[part] {
        true => range.colour(source.value(range, first + i as u32)).cast_signed(),
        false => 0,
    });
    let ends = endpoints(modes[part], values)?;
    let factors = [0, 1].map(|plane| weight(block, &weights, size, at, plane));
    Some(std::array::from_fn(|channel| {
        let weight = factors[usize::from(channel == second_channel)];
        let [low, high] = ends.map(|end| match srgb {
            true => end[channel] << 8 | 0x80,
            false => end[channel] << 8 | end[channel],
        });
        (low * (64 - weight) + high * weight + 32) >> 6
    }))
}

/// The modes of the endpoints of several parts. `end` is the first bit above them, and becomes the first of their higher bits.
fn endpoint_modes(block: u128, parts: u32, end: &mut u32) -> [u32; 4] {
    let common = bits(block, 23, 2);
    if common == 0 {
        return [bits(block, 25, 4); 4];
    }
    // Four of the bits are below the colours, the others below the weights.
    let others = 3 * parts - 4;
    *end -= others;
    let modes = bits(block, 25, 4) | bits(block, *end, others) << 4;
    std::array::from_fn(|part| {
        let part = part as u32 % parts;
        let class = common - 1 + (modes >> part & 1);
        4 * class + (modes >> (parts + 2 * part) & 3)
    })
}

/// The weight of the second endpoint at a texel, in 64ths: bilinear between the places of the grid.
fn weight(block: u128, weights: &Weights, size: [u32; 2], at: [u32; 2], plane: u32) -> u32 {
    let planes = 1 + u32::from(weights.is_dual);
    let plane = plane.min(planes - 1);
    let place = [0, 1].map(|axis| {
        let scale = (1024 + size[axis] / 2) / (size[axis] - 1);
        (scale * at[axis] * (weights.grid[axis] - 1) + 32) >> 6
    });
    let [x, y] = place.map(|place| place >> 4);
    let [right, below] = place.map(|place| place & 15);
    let both = (right * below + 8) >> 4;
    let corners = [
        (0, 0, 16 + both - right - below),
        (1, 0, right - both),
        (0, 1, below - both),
        (1, 1, both),
    ];
    // Weights are stored from the highest bit down.
    let source = Source { bits: block.reverse_bits(), count: weights.count() };
    let mut sum = 8;
    for (column, row, factor) in corners {
        if factor != 0 {
            let number = (y + row) * weights.grid[0] + x + column;
            let value = source.value(weights.range, number * planes + plane);
            sum += factor * weights.range.weight(value);
        }
    }
    sum >> 4
}

/// The part of a block that a texel is in, from a hash of the partition's number.
fn partition(number: u32, parts: u32, size: [u32; 2], [x, y]: [u32; 2]) -> usize {
    let scale = if size[0] * size[1] < 31 { 2 } else { 1 };
    let (x, y) = (x * scale, y * scale);
    let seed = number + (parts - 1) * 1024;
    let hash = hashed(seed);
    let wide = if parts == 3 { 6 } else { 5 };
    let narrow = if seed & 2 != 0 { 4 } else { 5 };
    let shifts = if seed & 1 != 0 { [narrow, wide] } else { [wide, narrow] };
    let factor = |part: u32, axis: u32| {
        let nibble = hash >> (8 * part + 4 * axis) & 15;
        (nibble * nibble) >> shifts[axis as usize]
    };
    let level = |part: u32| {
        let offset = hash >> [14, 10, 6, 2][part as usize];
        match part < parts {
            true => (factor(part, 0) * x + factor(part, 1) * y).wrapping_add(offset) & 63,
            false => 0,
        }
    };
    let levels = [0, 1, 2, 3].map(level);
    // The first of the highest ones.
    let most = levels.into_iter().max().unwrap_or(0);
    levels.iter().position(|&level| level == most).unwrap_or(0)
}

/// The specification's hash of a partition's number.
fn hashed(seed: u32) -> u32 {
    let mut p = seed;
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^ p >> 17
}
