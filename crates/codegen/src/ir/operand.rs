//! Operands (register file, byte offset, type, region, modifiers) and methods that derive one operand from another.
//!
//! An offset is a number of **bytes** in every file. Strides and widths count elements of the operand's type. The
//! methods work in the same way for sources and destinations and for all types.

use crestline_isa::{AccessMode, ArfKind, Swizzle, Type, WriteMask};

use super::Vreg;

/// Size of a general register, in bytes.
pub const GRF_BYTES: u32 = 32;

/// The register file of an operand, or the value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// The null register: reads are undefined, writes are dropped.
    Null,
    /// A virtual register; the offset counts from its first byte.
    Vgrf(Vreg),
    /// The general registers as one array; the offset counts from the first byte of g0.
    Grf,
    /// General registers addressed through the address register. Word `addr` of a0 contains a byte address, and the
    /// operand's offset is added to it. For [`Region::Indirect`] with width 1, each channel has its own word, from
    /// `addr` on. This file appears only after register allocation.
    Indirect {
        /// Word of a0.
        addr: u8,
    },
    /// All architecture registers of one kind as one array. A flag register takes 4 bytes, every other one 32: `acc1`
    /// has offset 32, `f1` has offset 4.
    Arf(ArfKind),
    /// The push constants; the offset counts from their first byte.
    Uniform,
    /// A constant: its bits, in the low bytes.
    Imm(u64),
}

/// The layout of the channels' elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// Channel `i` has element `i * stride`; stride 0 is one element for all channels.
    Stride(u8),
    /// `<vstride;width,hstride>`: channel `i` reads element
    /// `(i / width) * vstride + (i % width) * hstride`. Sources only.
    Rect {
        /// Elements from row to row.
        vstride: u8,
        /// Elements of a row.
        width: u8,
        /// Elements from column to column.
        hstride: u8,
    },
    /// `<width,hstride>` with one address per row ([`File::Indirect`] only).
    Indirect {
        /// Channels per address.
        width: u8,
        /// Elements from channel to channel of a row.
        hstride: u8,
    },
    /// Align16 source: channel `4 * v + c` reads component `swizzle[c]` of vector `v`. Vectors are four elements
    /// apart; in [`File::Uniform`], all channels read the same vector.
    Swizzle(Swizzle),
    /// The same as [`Region::Swizzle`] with another distance between vectors. Distance 0 is one vector for all
    /// channels; distance 2 is two-component vectors of doubles side by side.
    Vectors {
        /// Distance between vectors in elements.
        step: u8,
        /// The component that each channel of a vector reads.
        swizzle: Swizzle,
    },
    /// Align16 destination: channel `4 * v + c` writes component `c` of vector `v` if the mask contains `c`.
    Mask(WriteMask),
}

impl Region {
    /// Consecutive elements.
    pub const PACKED: Region = Region::Stride(1);
    /// One element for all channels.
    pub const SCALAR: Region = Region::Stride(0);
}

/// A source or destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Register file and number.
    pub file: File,
    /// Byte offset in the file's array or register (see [`File`]).
    pub offset: u32,
    /// Element type.
    pub ty: Type,
    /// Layout of the channels.
    pub region: Region,
    /// Whether the value is negated, after `abs`. For logic operations from gen8 on, it is bitwise complement.
    pub negate: bool,
    /// Whether the absolute value is read.
    pub abs: bool,
}

/// Error of [`Operand::horiz_offset`]: no operand describes the region that starts so many channels later.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operand {operand} cannot be moved by {channels} channels: {why}")]
pub struct OffsetError {
    /// The operand as printed.
    pub operand: String,
    /// The requested distance in channels.
    pub channels: u32,
    /// The reason.
    pub why: &'static str,
}

impl Operand {
    const fn new(file: File, offset: u32, ty: Type, region: Region) -> Operand {
        Operand { file, offset, ty, region, negate: false, abs: false }
    }

    /// The null register.
    pub const fn null(ty: Type) -> Operand {
        Operand::new(File::Null, 0, ty, Region::PACKED)
    }

    /// A virtual register from its first byte, consecutive elements.
    pub const fn vgrf(vreg: Vreg, ty: Type) -> Operand {
        Operand::new(File::Vgrf(vreg), 0, ty, Region::PACKED)
    }

    /// The first element of a virtual register, the same for all channels.
    pub const fn scalar(vreg: Vreg, ty: Type) -> Operand {
        Operand::new(File::Vgrf(vreg), 0, ty, Region::SCALAR)
    }

    /// General register `nr` from its first byte, consecutive elements.
    pub const fn grf(nr: u32, ty: Type) -> Operand {
        Operand::new(File::Grf, nr * GRF_BYTES, ty, Region::PACKED)
    }

    /// The push constant at a byte offset, the same for all channels.
    pub const fn uniform(offset: u32, ty: Type) -> Operand {
        Operand::new(File::Uniform, offset, ty, Region::SCALAR)
    }

    /// The architecture registers of a kind from a byte offset on, consecutive elements.
    pub const fn arf(kind: ArfKind, offset: u32, ty: Type) -> Operand {
        Operand::new(File::Arf(kind), offset, ty, Region::PACKED)
    }

    /// A constant of any type, given by its bits.
    pub const fn imm(bits: u64, ty: Type) -> Operand {
        Operand::new(File::Imm(bits), 0, ty, Region::SCALAR)
    }

    /// A 32-bit unsigned constant.
    pub const fn imm_ud(value: u32) -> Operand {
        Operand::imm(value as u64, Type::Ud)
    }

    /// A 32-bit signed constant.
    pub const fn imm_d(value: i32) -> Operand {
        Operand::imm(value as u32 as u64, Type::D)
    }

    /// A 16-bit unsigned constant.
    pub const fn imm_uw(value: u16) -> Operand {
        Operand::imm(value as u64, Type::Uw)
    }

    /// A 32-bit float constant.
    pub fn imm_f(value: f32) -> Operand {
        Operand::imm(u64::from(value.to_bits()), Type::F)
    }

    /// The same bytes with another type. Strides of the region then count elements of the new type.
    #[must_use]
    pub const fn retype(mut self, ty: Type) -> Operand {
        self.ty = ty;
        self
    }

    /// The same start with another region.
    #[must_use]
    pub const fn with_region(mut self, region: Region) -> Operand {
        self.region = region;
        self
    }

    /// The same start with a stride, in elements.
    #[must_use]
    pub const fn with_stride(self, stride: u8) -> Operand {
        self.with_region(Region::Stride(stride))
    }

    /// The operand with `negate` inverted. A constant keeps the modifier; optimisation passes fold it.
    #[must_use]
    pub const fn negated(mut self) -> Operand {
        self.negate = !self.negate;
        self
    }

    /// The absolute value.
    #[must_use]
    pub const fn absolute(mut self) -> Operand {
        self.abs = true;
        self.negate = false;
        self
    }

    /// The operand without source modifiers.
    #[must_use]
    pub const fn without_modifiers(mut self) -> Operand {
        self.abs = false;
        self.negate = false;
        self
    }

    /// Whether the source has a modifier.
    pub const fn has_modifiers(&self) -> bool {
        self.negate || self.abs
    }

    /// Whether this is the null register.
    pub const fn is_null(&self) -> bool {
        matches!(self.file, File::Null)
    }

    /// Whether this is a constant.
    pub const fn is_imm(&self) -> bool {
        matches!(self.file, File::Imm(_))
    }

    /// The bits of a constant; `None` for other operands.
    pub const fn imm_bits(&self) -> Option<u64> {
        match self.file {
            File::Imm(bits) => Some(bits),
            _ => None,
        }
    }

    /// The virtual register; `None` for operands in other files.
    pub const fn vreg(&self) -> Option<Vreg> {
        match self.file {
            File::Vgrf(vreg) => Some(vreg),
            _ => None,
        }
    }

    /// Whether this is an architecture register of a kind.
    pub fn is_arf(&self, kind: ArfKind) -> bool {
        matches!(self.file, File::Arf(own) if own == kind)
    }

    /// Whether this is an architecture register of any kind.
    pub const fn is_any_arf(&self) -> bool {
        matches!(self.file, File::Arf(_))
    }

    /// Whether the bytes are in general registers, virtual or physical, at an offset known at compile time.
    pub const fn in_grf(&self) -> bool {
        matches!(self.file, File::Vgrf(_) | File::Grf)
    }

    /// Whether every channel reads the same element: constants, push constants, stride 0. Packed vector immediates
    /// count too, although their elements differ.
    pub fn is_scalar(&self) -> bool {
        match self.region {
            Region::Stride(stride) => stride == 0,
            Region::Rect { vstride, width, hstride } => {
                vstride == 0 && (width == 1 || hstride == 0)
            }
            // With a swizzle of one component, all channels read one element, but it need not be at the operand's
            // offset.
            _ => false,
        }
    }

    /// For an Align16 source, its swizzle and the distance between vectors in elements; otherwise `None`.
    pub fn vectors(&self) -> Option<(Swizzle, u32)> {
        match self.region {
            Region::Swizzle(swizzle) if self.file == File::Uniform => Some((swizzle, 0)),
            Region::Swizzle(swizzle) => Some((swizzle, 4)),
            Region::Vectors { step, swizzle } => Some((swizzle, step.into())),
            _ => None,
        }
    }

    /// Converts the operand to a source of an instruction with access mode `mode`. In Align16, consecutive elements
    /// become the swizzle `.xyzw`, and a destination with a write mask becomes a source that reads all components.
    /// `None` if the access mode has no such region.
    pub fn as_source(self, mode: AccessMode) -> Option<Operand> {
        let placed = self.in_grf() || self.file == File::Uniform;
        let whole = Region::Swizzle(Swizzle::XYZW);
        match (mode, self.region) {
            _ if !placed => Some(self),
            (AccessMode::Align16, Region::Mask(_)) => Some(self.with_region(whole)),
            (AccessMode::Align16, Region::Swizzle(_) | Region::Vectors { .. }) => Some(self),
            (AccessMode::Align16, Region::SCALAR) if self.ty.size() >= 4 => Some(self),
            (AccessMode::Align16, _) => {
                let aligned = self.is_packed() && self.offset.is_multiple_of(16);
                aligned.then(|| self.with_region(whole))
            }
            (AccessMode::Align1, Region::Stride(_) | Region::Rect { .. }) => Some(self),
            (AccessMode::Align1, _) => self.is_packed().then(|| self.with_region(Region::PACKED)),
        }
    }

    /// Whether this source reads, in each channel of `channels`, the element that the same channel wrote to `dst`.
    /// `channels` are the channels of each vector that read the source.
    pub fn is_result(&self, dst: &Operand, channels: WriteMask) -> bool {
        let in_place = match (dst.region, self.vectors()) {
            (Region::Mask(mask), Some((Swizzle(swizzle), 4))) => {
                let own = |c: u8| channels.0 >> c & 1 == 0 || swizzle[usize::from(c)] == c;
                channels.0 & !mask.0 == 0 && (0..4).all(own)
            }
            (region, _) => region == self.region,
        };
        self.file == dst.file && self.offset == dst.offset && in_place
    }

    /// The operand as a packed destination of an instruction with access mode `mode`.
    #[must_use]
    pub fn as_dst(self, mode: AccessMode) -> Operand {
        match mode {
            AccessMode::Align1 => self.with_region(Region::PACKED),
            AccessMode::Align16 => self.with_region(Region::Mask(WriteMask::XYZW)),
        }
    }

    /// The operand with another swizzle; regions without a swizzle are unchanged.
    #[must_use]
    pub fn with_swizzle(self, swizzle: Swizzle) -> Operand {
        match self.region {
            Region::Swizzle(_) => self.with_region(Region::Swizzle(swizzle)),
            Region::Vectors { step, .. } => self.with_region(Region::Vectors { step, swizzle }),
            _ => self,
        }
    }

    /// The write mask of an Align16 destination; all components for other operands.
    pub fn write_mask(&self) -> WriteMask {
        match self.region {
            Region::Mask(mask) => mask,
            _ => WriteMask::XYZW,
        }
    }

    /// Whether the channels are consecutive elements.
    pub fn is_packed(&self) -> bool {
        match self.region {
            Region::Stride(stride) => stride == 1,
            Region::Rect { vstride, width, hstride } => {
                hstride == 1 && vstride == width || width == 1 && vstride == 1
            }
            _ => self.is_whole_vectors(),
        }
    }

    /// Whether this is an Align16 operand with consecutive elements: `.xyzw` of vectors without gaps between them.
    fn is_whole_vectors(&self) -> bool {
        self.region == Region::Mask(WriteMask::XYZW) || self.vectors() == Some((Swizzle::XYZW, 4))
    }

    /// The constant distance from channel to channel over `exec_size` channels, in elements; `None` if it is not
    /// constant.
    pub fn linear_stride(&self, exec_size: u8) -> Option<u8> {
        match self.region {
            Region::Stride(stride) => Some(stride),
            Region::Rect { vstride, width: 1, .. } => Some(vstride),
            Region::Rect { vstride, width, hstride } => {
                (exec_size <= width || vstride == width * hstride).then_some(hstride)
            }
            _ => self.is_whole_vectors().then_some(1),
        }
    }

    /// The same distance as [`linear_stride`](Self::linear_stride) in bytes.
    pub fn byte_stride(&self, exec_size: u8) -> Option<u32> {
        self.linear_stride(exec_size).map(|stride| u32::from(stride) * self.ty.size())
    }

    /// Byte offset of a channel's element from the operand's own start. In Align16 regions, four channels are one
    /// vector. For an indirect region, whose address is not known, the result is 0.
    pub fn channel_offset(&self, channel: u32) -> u32 {
        let element = match self.region {
            Region::Stride(stride) => channel * u32::from(stride),
            Region::Rect { vstride, width, hstride } => {
                let width = u32::from(width).max(1);
                channel / width * u32::from(vstride) + channel % width * u32::from(hstride)
            }
            Region::Indirect { .. } => 0,
            Region::Swizzle(_) | Region::Vectors { .. } => {
                let (Swizzle(components), step) = self.vectors().unwrap_or((Swizzle::XYZW, 4));
                channel / 4 * step + u32::from(components[channel as usize % 4])
            }
            Region::Mask(_) => channel,
        };
        element * self.ty.size()
    }

    /// Bytes from the operand's start to the end of the last element of `exec_size` channels, gaps included. Disabled
    /// channels count too.
    #[inline]
    pub fn region_bytes(&self, exec_size: u8) -> u32 {
        let channels = u32::from(exec_size.max(1));
        match (self.file, self.region) {
            (File::Null, _) => 0,
            (_, Region::Stride(stride)) => {
                ((channels - 1) * u32::from(stride) + 1) * self.ty.size()
            }
            _ => self.other_region_bytes(channels),
        }
    }

    /// [`region_bytes`](Self::region_bytes) for all regions but [`Region::Stride`].
    fn other_region_bytes(&self, channels: u32) -> u32 {
        match self.region {
            Region::Swizzle(_) | Region::Vectors { .. } => {
                let (Swizzle(components), step) = self.vectors().unwrap_or((Swizzle::XYZW, 4));
                let last = components.into_iter().max().map_or(0, u32::from);
                ((channels.div_ceil(4) - 1) * step + last + 1) * self.ty.size()
            }
            Region::Mask(_) => channels.div_ceil(4) * 4 * self.ty.size(),
            Region::Rect { width, .. } => {
                let last_row = channels - 1;
                let last_column = u32::from(width).max(1).min(channels) - 1;
                self.channel_offset(last_row).max(self.channel_offset(last_column)) + self.ty.size()
            }
            Region::Stride(_) | Region::Indirect { .. } => {
                self.channel_offset(channels - 1) + self.ty.size()
            }
        }
    }

    /// For a value of several components, each `width` channels wide and laid out as this operand: the distance from
    /// one component to the next, in bytes.
    pub fn component_bytes(&self, width: u8) -> u32 {
        match self.region {
            Region::Stride(stride) => {
                (u32::from(width) * u32::from(stride)).max(1) * self.ty.size()
            }
            Region::Rect { .. } | Region::Indirect { .. } => self.region_bytes(width),
            Region::Swizzle(_) | Region::Vectors { .. } => {
                let step = self.vectors().map_or(4, |(_, step)| step);
                (u32::from(width.div_ceil(4)) * step).max(4) * self.ty.size()
            }
            Region::Mask(_) => u32::from(width).max(4) * self.ty.size(),
        }
    }

    /// The operand with `bytes` added to its offset. Constants and null are unchanged.
    #[must_use]
    pub const fn byte_offset(mut self, bytes: u32) -> Operand {
        if !matches!(self.file, File::Null | File::Imm(_)) {
            self.offset += bytes;
        }
        self
    }

    /// Component number `components` of a value `width` channels wide, if the operand is its component 0. Constants
    /// and null are unchanged; the components of a scalar are consecutive elements.
    #[must_use]
    pub fn component(self, width: u8, components: u32) -> Operand {
        self.byte_offset(components * self.component_bytes(width))
    }

    /// The operand for an instruction that starts `channels` channels later: it begins with the element of that
    /// channel. Scalars, uniforms, constants and null are unchanged.
    ///
    /// # Errors
    /// The region is indirect, or the distance is not a whole number of rows (rectangular regions), of vectors
    /// (Align16) or of repetitions (packed vector constants).
    pub fn horiz_offset(self, channels: u32) -> Result<Operand, OffsetError> {
        let refuse = |why| Err(OffsetError { operand: self.to_string(), channels, why });
        if channels == 0 {
            return Ok(self);
        }
        match (self.file, self.region) {
            (File::Imm(_), _) if self.ty == Type::Vf && !channels.is_multiple_of(4) => {
                refuse("a VF constant repeats every 4 channels")
            }
            (File::Imm(_), _)
                if matches!(self.ty, Type::V | Type::Uv) && !channels.is_multiple_of(8) =>
            {
                refuse("a V or UV constant repeats every 8 channels")
            }
            (File::Null | File::Imm(_) | File::Uniform, _) => Ok(self),
            (_, Region::Rect { width, .. })
                if self.linear_stride(u8::MAX).is_none()
                    && !channels.is_multiple_of(u32::from(width)) =>
            {
                refuse("the distance is not a multiple of the row's width")
            }
            (_, Region::Indirect { .. }) => refuse("the region is indirect"),
            (_, Region::Swizzle(_) | Region::Vectors { .. } | Region::Mask(_)) => {
                if channels.is_multiple_of(4) {
                    let step = self.vectors().map_or(4, |(_, step)| step);
                    Ok(self.byte_offset(channels / 4 * step * self.ty.size()))
                } else {
                    refuse("the distance is not a multiple of a vector")
                }
            }
            _ => Ok(self.byte_offset(self.channel_offset(channels))),
        }
    }

    /// Part `index` of each element, if every element is an array of smaller elements of type `ty`: the low (0) or
    /// high (1) dword of each qword, and so on. `None` if the size of `ty` does not divide the element's size, if the
    /// part is out of range, if no region has the required stride, or for an immediate with modifiers or of a packed vector
    /// type.
    pub fn subscript(self, ty: Type, index: u32) -> Option<Operand> {
        let (old, new) = (self.ty.size(), ty.size());
        if new > old || old % new != 0 || (index + 1) * new > old {
            return None;
        }
        let factor = old / new;
        if let File::Imm(bits) = self.file {
            let shifted = bits >> (8 * new * index);
            let mask = if new >= 8 { u64::MAX } else { (1u64 << (8 * new)) - 1 };
            return (!self.has_modifiers() && !self.ty.is_packed_vector())
                .then(|| Operand::imm(shifted & mask, ty));
        }
        let scale = |elements: u8| u8::try_from(u32::from(elements) * factor).ok();
        let region = match self.region {
            Region::Stride(stride) => Region::Stride(scale(stride)?),
            Region::Rect { vstride, width, hstride } => {
                Region::Rect { vstride: scale(vstride)?, width, hstride: scale(hstride)? }
            }
            _ if factor == 1 => self.region,
            _ => return None,
        };
        Some(Operand { region, ty, ..self.byte_offset(index * new) })
    }
}

/// A range of bytes in a register file, such as the bytes from an operand's first to its last element, gaps included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The file that the byte offsets count in.
    pub file: File,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `bytes` bytes from the start of an operand.
    pub const fn of(operand: &Operand, bytes: u32) -> Span {
        Span { file: operand.file, start: operand.offset, end: operand.offset + bytes }
    }

    /// Whether two spans have a byte in common. Null and constants overlap nothing; an indirect operand may overlap
    /// any general register.
    pub fn overlaps(&self, other: &Span) -> bool {
        let grf = |file| matches!(file, File::Grf | File::Vgrf(_) | File::Indirect { .. });
        match (self.file, other.file) {
            (File::Null | File::Imm(_), _) | (_, File::Null | File::Imm(_)) => false,
            (File::Indirect { .. }, file) | (file, File::Indirect { .. }) => grf(file),
            (a, b) => a == b && self.start < other.end && other.start < self.end,
        }
    }

    /// Whether every byte of this span is in the other.
    pub fn is_contained_in(&self, other: &Span) -> bool {
        match self.file {
            File::Null | File::Imm(_) | File::Indirect { .. } => false,
            file => file == other.file && self.start >= other.start && self.end <= other.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V: Vreg = Vreg(3);

    #[test]
    fn moves_do_not_depend_on_the_type() {
        for ty in [Type::Ub, Type::Hf, Type::F, Type::Df] {
            let packed = Operand::vgrf(V, ty);
            assert_eq!(packed.horiz_offset(8).unwrap().offset, 8 * ty.size());
            assert_eq!(packed.component(16, 2).offset, 32 * ty.size());
            assert_eq!(packed.byte_offset(12).offset, 12);
            let strided = packed.with_stride(2);
            assert_eq!(strided.horiz_offset(4).unwrap().offset, 8 * ty.size());
            assert_eq!(strided.component(8, 1).offset, 16 * ty.size());
        }
    }

    #[test]
    fn scalars_uniforms_constants_and_null_stay() {
        for op in [
            Operand::scalar(V, Type::F),
            Operand::uniform(16, Type::D),
            Operand::imm_f(1.0),
            Operand::null(Type::F),
        ] {
            assert_eq!(op.horiz_offset(8), Ok(op));
        }
        assert_eq!(Operand::imm_ud(3).byte_offset(4), Operand::imm_ud(3));
        assert_eq!(Operand::uniform(16, Type::D).component(8, 1).offset, 20);
    }

    #[test]
    fn what_cannot_be_expressed_is_an_error() {
        let rect = Region::Rect { vstride: 4, width: 2, hstride: 1 };
        let op = Operand::vgrf(V, Type::F).with_region(rect);
        assert!(op.horiz_offset(1).is_err());
        assert_eq!(op.horiz_offset(2).unwrap().offset, 16);
        let linear = Region::Rect { vstride: 4, width: 4, hstride: 1 };
        assert_eq!(op.with_region(linear).horiz_offset(1).unwrap().offset, 4);
        assert!(Operand::imm(0x30, Type::Vf).horiz_offset(2).is_err());
        assert!(Operand::imm(0x30, Type::V).horiz_offset(8).is_ok());
        let vec4 = op.with_region(Region::Mask(WriteMask::XYZW));
        assert!(vec4.horiz_offset(2).is_err());
        assert_eq!(vec4.horiz_offset(4).unwrap().offset, 16);
        assert_eq!(vec4.retype(Type::Df).horiz_offset(4).unwrap().offset, 32);
        for (step, offset) in [(0, 0), (2, 16), (4, 32)] {
            let vectors = Region::Vectors { step, swizzle: Swizzle::XYZW };
            let vectors = vec4.retype(Type::Df).with_region(vectors);
            assert_eq!(vectors.horiz_offset(4).unwrap().offset, offset);
            assert_eq!(vectors.region_bytes(8), offset + 32);
            assert_eq!(vectors.channel_offset(6), offset + 16);
        }
    }

    #[test]
    fn region_sizes_are_in_bytes_and_reach_the_last_element() {
        let op = Operand::vgrf(V, Type::F);
        assert_eq!(op.region_bytes(8), 32);
        assert_eq!(op.with_stride(2).region_bytes(8), 60);
        assert_eq!(op.with_stride(0).region_bytes(16), 4);
        let ddx = Region::Rect { vstride: 2, width: 2, hstride: 0 };
        assert_eq!(op.with_region(ddx).region_bytes(8), 28);
        let wide_rows = Region::Rect { vstride: 1, width: 8, hstride: 4 };
        assert_eq!(op.with_region(wide_rows).region_bytes(16), (1 + 28 + 1) * 4);
    }

    #[test]
    fn subscripts_address_parts_of_elements() {
        let op = Operand::vgrf(V, Type::Q);
        let high = op.subscript(Type::Ud, 1).unwrap();
        assert_eq!((high.offset, high.region), (4, Region::Stride(2)));
        let imm = Operand::imm(0x1_0000_0002, Type::Uq);
        assert_eq!(imm.subscript(Type::Ud, 1), Some(Operand::imm_ud(1)));
        assert_eq!(op.subscript(Type::Ud, 2), None);
    }

    #[test]
    fn overlap_and_containment_go_by_bytes_and_file() {
        let a = Operand::vgrf(V, Type::F);
        let b = Operand::vgrf(V, Type::Uw).byte_offset(16);
        let span = |operand: &Operand, bytes| Span::of(operand, bytes);
        assert!(span(&a, 32).overlaps(&span(&b, 16)));
        assert!(!span(&a, 16).overlaps(&span(&b, 16)));
        assert!(span(&b, 16).is_contained_in(&span(&a, 32)));
        assert!(!span(&a, 32).is_contained_in(&span(&b, 16)));
        assert!(!span(&a, 32).overlaps(&span(&Operand::vgrf(Vreg(4), Type::F), 32)));
        assert!(!span(&Operand::imm_ud(1), 4).overlaps(&span(&Operand::imm_ud(1), 4)));
    }
}
