//! Types of buffer contents, and their layout in memory.
//!
//! Base alignments (Vulkan, "Offset and Stride Assignment"; GLSL, "Standard Uniform Block Layout"): a scalar has its size, a
//! vector of two twice and of three or four four times that of its component, an array that of its element, a matrix that of
//! an array of its columns, a structure the largest of its members. In `std140`, arrays and structures are aligned to
//! multiples of 16 bytes.

use crate::format::{Channel, Format, NumberKind};
use crate::lexer::Number;
use crate::limits;
use std::sync::Arc;

/// A layout rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Standard {
    /// `std140`.
    Std140,
    /// `std430`.
    #[default]
    Std430,
}

/// A number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// The kind.
    pub kind: NumberKind,
    /// The width in bits.
    pub bits: u8,
}

impl Scalar {
    /// Names of scalar types.
    const NAMES: &[(&str, Scalar)] = &{
        use NumberKind::{Float, Sint, Uint};
        const fn of(kind: NumberKind, bits: u8) -> Scalar {
            Scalar { kind, bits }
        }
        [
            ("int8", of(Sint, 8)),
            ("int16", of(Sint, 16)),
            ("int32", of(Sint, 32)),
            ("int64", of(Sint, 64)),
            ("uint8", of(Uint, 8)),
            ("uint16", of(Uint, 16)),
            ("uint32", of(Uint, 32)),
            ("uint64", of(Uint, 64)),
            ("float16", of(Float, 16)),
            ("float", of(Float, 32)),
            ("double", of(Float, 64)),
        ]
    };

    /// The scalar type with a name.
    pub fn parse(name: &str) -> Option<Scalar> {
        Scalar::NAMES.iter().find(|(own, _)| *own == name).map(|(_, scalar)| *scalar)
    }

    fn bytes(self) -> u64 {
        u64::from(self.bits / 8)
    }

    /// The stored bits of a number.
    ///
    /// # Errors
    /// The expected range, if the number does not fit.
    pub fn encode(self, number: Number) -> Result<u64, String> {
        let mask = u64::MAX >> (64 - u32::from(self.bits));
        match self.kind {
            NumberKind::Float => Ok(match self.bits {
                16 => half::f16::from_f64(number.float).to_bits().into(),
                32 => (number.float as f32).to_bits().into(),
                _ => number.float.to_bits(),
            }),
            NumberKind::UFloat => {
                // The five bits of the exponent are those of a half; the sign and the low bits of the fraction are missing.
                let half = half::f16::from_f64(number.float.max(0.0)).to_bits();
                Ok(u64::from(half >> (15 - self.bits)) & mask)
            }
            kind => {
                let bits = u32::from(self.bits);
                let low = if kind.is_signed() { -(1i128 << (bits - 1)) } else { 0 };
                // Bits of a signed number may be written as an unsigned one, and the other way round.
                let fits =
                    |value: &i128| (low.min(-(1i128 << (bits - 1)))..1i128 << bits).contains(value);
                let value = number.integer.filter(fits);
                let expected = || format!("expected an integer of {bits} bits");
                value.map(|value| value as u64 & mask).ok_or_else(expected)
            }
        }
    }

    /// The number that stored bits mean, without conversion of normalized formats.
    pub fn decode(self, stored: u64) -> Number {
        let bits = u32::from(self.bits);
        let stored = stored & u64::MAX >> (64 - bits);
        match self.kind {
            NumberKind::Float => {
                let float = match bits {
                    16 => half::f16::from_bits(stored as u16).to_f64(),
                    32 => f32::from_bits(stored as u32).into(),
                    _ => f64::from_bits(stored),
                };
                Number { float, integer: None }
            }
            NumberKind::UFloat => {
                let half = half::f16::from_bits((stored as u16) << (15 - bits));
                Number { float: half.to_f64(), integer: None }
            }
            kind if kind.is_signed() => {
                let unused = 64 - bits;
                Number::integer(((stored << unused).cast_signed() >> unused).into())
            }
            _ => Number::integer(stored.into()),
        }
    }
}

/// A type of a buffer's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A texel of a format.
    Format(Arc<Format>),
    /// A vector of one to four scalars.
    Vector {
        /// Its component.
        scalar: Scalar,
        /// Its components.
        rows: u8,
    },
    /// A matrix.
    Matrix {
        /// Its component.
        scalar: Scalar,
        /// Its columns.
        columns: u8,
        /// Its rows.
        rows: u8,
        /// Bytes from column to column, if given.
        stride: Option<u32>,
    },
    /// An array; without a count it has as many elements as the data.
    Array {
        /// Its element.
        element: Box<Type>,
        /// Its elements.
        count: Option<u32>,
        /// Bytes from element to element, if given.
        stride: Option<u32>,
    },
    /// A structure.
    Struct(Arc<Struct>),
}

/// A structure type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Bytes from one to the next, if given.
    pub stride: Option<u32>,
    /// The members.
    pub members: Vec<Member>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its offset in bytes, if given.
    pub offset: Option<u32>,
}

/// A number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its lowest bit in an item.
    pub bit: u64,
    /// Its type.
    pub scalar: Scalar,
}

/// The places of the numbers of an item, and the distance of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The numbers of an item.
    pub slots: Vec<Slot>,
    /// Bytes from the start of an item to the start of the next one.
    pub stride: u64,
    /// The components of a vector or of a column, if all values are in vectors or columns of that size; else 1.
    pub rows: u8,
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

impl Type {
    /// Reads a type without the structures of a script: a scalar, `vec3<float>`, `mat2x3<float>`, a format, or an array
    /// of these (`float[]`, `float[4]`).
    pub fn parse(name: &str) -> Option<Type> {
        if let Some((element, count)) = array_suffix(name)? {
            let element = Type::parse(element)?;
            if matches!(element, Type::Format(_)) {
                return None;
            }
            return Some(Type::Array { element: Box::new(element), count, stride: None });
        }
        if let Some(scalar) = Scalar::parse(name) {
            return Some(Type::Vector { scalar, rows: 1 });
        }
        if let Some((outer, inner)) = name.strip_suffix('>').and_then(|name| name.split_once('<')) {
            let scalar = Scalar::parse(inner)?;
            let size = |digit: &str| digit.parse().ok().filter(|size| (2..=4).contains(size));
            if let Some(rows) = outer.strip_prefix("vec") {
                return Some(Type::Vector { scalar, rows: size(rows)? });
            }
            let (columns, rows) = outer.strip_prefix("mat")?.split_once('x')?;
            let (columns, rows) = (size(columns)?, size(rows)?);
            return Some(Type::Matrix { scalar, columns, rows, stride: None });
        }
        Format::parse(name).map(|format| Type::Format(Arc::new(format)))
    }

    /// Base alignment in bytes.
    fn alignment(&self, standard: Standard) -> u64 {
        let wide = |alignment| match standard {
            Standard::Std140 => round_up(alignment, 16),
            Standard::Std430 => alignment,
        };
        match self {
            Type::Format(_) => 1,
            Type::Vector { scalar, rows } => {
                scalar.bytes() * [1, 1, 2, 4, 4][usize::from(*rows & 7).min(4)]
            }
            Type::Matrix { scalar, rows, .. } => {
                wide(Type::Vector { scalar: *scalar, rows: *rows }.alignment(standard))
            }
            Type::Array { element, .. } => wide(element.alignment(standard)),
            Type::Struct(of) => {
                let members = of.members.iter().map(|member| member.ty.alignment(standard));
                wide(members.max().unwrap_or(1))
            }
        }
    }

    /// Adds the slots from byte `at` on to `slots`. Returns the size in bytes, without padding at the end of a vector.
    fn place(&self, at: u64, standard: Standard, slots: &mut Vec<Slot>) -> Result<u64, String> {
        if slots.len() as u64 > limits::TYPE_VALUES {
            return Err(format!("the type has more than {} values", limits::TYPE_VALUES));
        }
        match self {
            Type::Format(format) => {
                slots.extend(format.channels.iter().filter_map(|channel| {
                    let Channel { kind, bits, shift, component } = *channel;
                    let scalar = Scalar { kind, bits };
                    let used = component != crate::format::Component::Unused;
                    used.then_some(Slot { bit: at * 8 + u64::from(shift), scalar })
                }));
                Ok(format.bytes.into())
            }
            Type::Vector { scalar, rows } => {
                for row in 0..u64::from(*rows) {
                    slots.push(Slot { bit: (at + row * scalar.bytes()) * 8, scalar: *scalar });
                }
                Ok(scalar.bytes() * u64::from(*rows))
            }
            Type::Matrix { scalar, columns, rows, stride } => {
                let column = Type::Vector { scalar: *scalar, rows: *rows };
                let stride = stride.map_or(self.alignment(standard), u64::from);
                for number in 0..u64::from(*columns) {
                    column.place(at + number * stride, standard, slots)?;
                }
                Ok(stride * u64::from(*columns))
            }
            Type::Array { element, count, stride } => {
                let stride = match stride {
                    Some(stride) => u64::from(*stride),
                    None => {
                        let size = element.place(0, standard, &mut Vec::new())?;
                        round_up(size, self.alignment(standard))
                    }
                };
                let count = u64::from(count.unwrap_or(1));
                for number in 0..count {
                    element.place(at.saturating_add(number * stride), standard, slots)?;
                }
                Ok(stride * count)
            }
            Type::Struct(of) => {
                let mut end = at;
                for member in &of.members {
                    let start = match member.offset {
                        Some(offset) => at + u64::from(offset),
                        None => at + round_up(end - at, member.ty.alignment(standard)),
                    };
                    end = end.max(start + member.ty.place(start, standard, slots)?);
                }
                Ok(match of.stride {
                    Some(stride) => u64::from(stride).max(end - at),
                    None => round_up(end - at, self.alignment(standard)),
                })
            }
        }
    }

    /// The layout of items of the type that follow one another.
    ///
    /// # Errors
    /// The limit, if the type has too many values.
    pub fn layout(&self, standard: Standard) -> Result<Layout, String> {
        let mut slots = Vec::new();
        let size = self.place(0, standard, &mut slots)?;
        let stride = round_up(size, self.alignment(standard)).max(1);
        Ok(Layout { slots, stride, rows: self.rows() })
    }

    /// The components of a vector or of a column.
    fn rows(&self) -> u8 {
        match self {
            Type::Format(format) => format.channels.len() as u8,
            Type::Vector { rows, .. } | Type::Matrix { rows, .. } => *rows,
            Type::Array { element, .. } => element.rows(),
            Type::Struct(_) => 1,
        }
    }

    /// The format with the same numbers without padding: for images and vertex data.
    pub fn format(&self) -> Option<Arc<Format>> {
        match self {
            Type::Format(format) => Some(Arc::clone(format)),
            Type::Vector { scalar, rows } => {
                Format::plain(scalar.kind, scalar.bits, *rows).map(Arc::new)
            }
            Type::Array { element, count: None, .. } => element.format(),
            _ => None,
        }
    }

    /// Sets the distance of the elements of an array, or of the columns of a matrix.
    pub(crate) fn set_stride(&mut self, bytes: u32, of_array: bool) -> bool {
        match self {
            Type::Array { stride, .. } if of_array => *stride = Some(bytes),
            Type::Array { element, .. } => return element.set_stride(bytes, of_array),
            Type::Matrix { stride, .. } if !of_array => *stride = Some(bytes),
            _ => return false,
        }
        true
    }
}

/// Divides `float[4]` into the element and the count; `Some(None)` if the name has no brackets, `None` if they are wrong.
#[allow(clippy::type_complexity, reason = "the result is used at once")]
pub(crate) fn array_suffix(name: &str) -> Option<Option<(&str, Option<u32>)>> {
    let Some(inside) = name.strip_suffix(']') else { return Some(None) };
    let (element, count) = inside.rsplit_once('[')?;
    // The outermost array is written first, so only one dimension is allowed.
    if element.contains('[') {
        return None;
    }
    match count {
        "" => Some(Some((element, None))),
        count => {
            let count = count.parse().ok().filter(|count| *count > 0)?;
            Some(Some((element, Some(count))))
        }
    }
}

impl Layout {
    /// The layout of texels of a format that follow one another.
    pub fn texels(format: &Format) -> Layout {
        let mut slots = Vec::new();
        for channel in &format.channels {
            if channel.component != crate::format::Component::Unused {
                let scalar = Scalar { kind: channel.kind, bits: channel.bits };
                slots.push(Slot { bit: channel.shift.into(), scalar });
            }
        }
        Layout { rows: slots.len() as u8, slots, stride: format.bytes.into() }
    }

    /// The place of value number `index`, which counts through all items: its lowest bit and its type.
    pub fn slot(&self, index: u64) -> Option<Slot> {
        let count = self.slots.len() as u64;
        let slot = self.slots.get(index.checked_rem(count)? as usize)?;
        let item = (index / count).checked_mul(self.stride)?.checked_mul(8)?;
        Some(Slot { bit: item.checked_add(slot.bit)?, scalar: slot.scalar })
    }
}

/// The bits of a slot in bytes; `None` if it is not inside.
#[inline]
pub fn load(bytes: &[u8], slot: Slot) -> Option<u64> {
    let first = usize::try_from(slot.bit / 8).ok()?;
    if slot.bit.is_multiple_of(8) && slot.scalar.bits == 32 {
        return Some(u32::from_le_bytes(*bytes.get(first..)?.first_chunk()?).into());
    }
    let last = usize::try_from((slot.bit + u64::from(slot.scalar.bits) - 1) / 8).ok()?;
    let mut value = 0u128;
    for (i, byte) in bytes.get(first..=last)?.iter().enumerate() {
        value |= u128::from(*byte) << (8 * i);
    }
    Some((value >> (slot.bit % 8)) as u64 & u64::MAX >> (64 - u32::from(slot.scalar.bits)))
}

/// Sets the bits of a slot in bytes; `None` if it is not inside.
#[inline]
pub fn store(bytes: &mut [u8], slot: Slot, bits: u64) -> Option<()> {
    let first = usize::try_from(slot.bit / 8).ok()?;
    if slot.bit.is_multiple_of(8) && slot.scalar.bits == 32 {
        *bytes.get_mut(first..)?.first_chunk_mut()? = (bits as u32).to_le_bytes();
        return Some(());
    }
    let last = usize::try_from((slot.bit + u64::from(slot.scalar.bits) - 1) / 8).ok()?;
    let shift = slot.bit % 8;
    let mask = u128::from(u64::MAX >> (64 - u32::from(slot.scalar.bits))) << shift;
    let value = u128::from(bits) << shift & mask;
    for (i, byte) in bytes.get_mut(first..=last)?.iter_mut().enumerate() {
        *byte = *byte & !(mask >> (8 * i)) as u8 | (value >> (8 * i)) as u8;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offsets of the values in bytes, and the stride.
    fn layout(ty: &Type, standard: Standard) -> (Vec<u64>, u64) {
        let layout = ty.layout(standard).unwrap();
        (layout.slots.iter().map(|slot| slot.bit / 8).collect(), layout.stride)
    }

    fn both(name: &str) -> [(Vec<u64>, u64); 2] {
        let ty = Type::parse(name).unwrap();
        [layout(&ty, Standard::Std140), layout(&ty, Standard::Std430)]
    }

    #[test]
    fn vectors_arrays_and_matrices() {
        let same =
            |offsets: &[u64], stride| [(offsets.to_vec(), stride), (offsets.to_vec(), stride)];
        assert_eq!(both("float"), same(&[0], 4));
        assert_eq!(both("vec3<float>"), same(&[0, 4, 8], 16));
        assert_eq!(both("vec3<int8>"), same(&[0, 1, 2], 4));
        assert_eq!(both("float[]"), [(vec![0], 16), (vec![0], 4)]);
        assert_eq!(both("vec2<int16>[]"), [(vec![0, 2], 16), (vec![0, 2], 4)]);
        let std140 = vec![0, 4, 16, 20];
        assert_eq!(both("mat2x2<float>"), [(std140, 32), (vec![0, 4, 8, 12], 16)]);
        assert_eq!(both("mat2x3<float>"), same(&[0, 4, 8, 16, 20, 24], 32));
        assert_eq!(both("R8G8B8_UNORM"), same(&[0, 1, 2], 3));
    }

    #[test]
    fn structures_align_their_members() {
        let member = |name: &str, ty| Member { name: name.into(), ty, offset: None };
        let of =
            |members| Type::Struct(Arc::new(Struct { name: "s".into(), stride: None, members }));
        let ty = |name| Type::parse(name).unwrap();
        let inner = of(vec![member("a", ty("int32")), member("b", ty("float"))]);
        let outer = of(vec![member("x", inner), member("y", ty("float"))]);
        assert_eq!(layout(&outer, Standard::Std140), (vec![0, 4, 16], 32));
        assert_eq!(layout(&outer, Standard::Std430), (vec![0, 4, 8], 12));
        let packed = of(vec![
            member("w", ty("int32")),
            member("x", ty("vec3<float>")),
            member("y", ty("float")),
        ]);
        assert_eq!(layout(&packed, Standard::Std430), (vec![0, 16, 20, 24, 28], 32));
        let matrix = of(vec![
            member("w", ty("int32")),
            member("x", ty("mat2x2<float>")),
            member("y", ty("float")),
        ]);
        assert_eq!(layout(&matrix, Standard::Std140), (vec![0, 16, 20, 32, 36, 48], 64));
        assert_eq!(layout(&matrix, Standard::Std430), (vec![0, 8, 12, 16, 20, 24], 32));
    }

    #[test]
    fn names_of_types_are_read_or_refused() {
        for name in [
            "vec5<float>",
            "vec2<bool>",
            "mat2<float>",
            "float[0]",
            "float[][2]",
            "R8_UNORM[]",
            "x",
            "",
        ] {
            assert_eq!(Type::parse(name), None, "{name}");
        }
        let huge = Type::parse("mat4x4<float>[4000000000]").unwrap();
        assert!(huge.layout(Standard::Std430).unwrap_err().contains("65536"));
    }

    #[test]
    fn numbers_survive_memory() {
        let mut bytes = [0; 12];
        for (scalar, bit, value, stored) in [
            (Scalar { kind: NumberKind::Sint, bits: 8 }, 8, -3.0, 0xfd),
            (Scalar { kind: NumberKind::Float, bits: 16 }, 16, 1.5, 0x3e00),
            (Scalar { kind: NumberKind::Float, bits: 32 }, 32, -2.5, 0xc020_0000),
            (Scalar { kind: NumberKind::UFloat, bits: 11 }, 75, 1.5, 0x3e0),
        ] {
            let number = Number { float: value, integer: Some(value as i128) };
            assert_eq!(scalar.encode(number), Ok(stored));
            let slot = Slot { bit, scalar };
            store(&mut bytes, slot, stored).unwrap();
            assert_eq!(load(&bytes, slot).map(|bits| scalar.decode(bits).float), Some(value));
        }
        let byte = Scalar { kind: NumberKind::Uint, bits: 8 };
        assert!(byte.encode(Number::integer(256)).is_err());
        assert_eq!(load(&bytes, Slot { bit: 96, scalar: byte }), None);
    }
}
