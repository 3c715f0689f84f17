//! Operands of an instruction.

use crate::tables::{ArfKind, Type};

/// A directly named register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reg {
    /// General register.
    Grf(u8),
    /// Message register (gen4 to gen6; an error in code for gen7 and later).
    Mrf(u8),
    /// Architecture register: kind and index (`acc1` is `Arf(Accumulator, 1)`).
    Arf(ArfKind, u8),
}

impl Reg {
    /// The null register.
    pub const NULL: Reg = Reg::Arf(ArfKind::Null, 0);
}

/// Location of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A named register.
    Direct {
        /// Register.
        reg: Reg,
        /// Offset in the register, in bytes, 0 to 31.
        sub: u8,
    },
    /// A general register addressed through a0.
    Indirect {
        /// 16-bit subregister of a0 that holds the byte address: 0 to 7, to 15 from gen8.
        addr: u8,
        /// Byte offset added to it, -512 to 511.
        offset: i16,
    },
}

impl Place {
    /// The null register.
    pub const NULL: Place = Place::Direct { reg: Reg::NULL, sub: 0 };

    /// Whether it is the null register.
    pub fn is_null(self) -> bool {
        matches!(self, Place::Direct { reg: Reg::Arf(ArfKind::Null, _), .. })
    }
}

/// Vertical stride of an Align1 source, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VStride {
    /// 0, 1, 2, 4, 8, 16 or 32 elements.
    Elements(u8),
    /// `VxH`: for indirect sources only. Each row (each channel if the width is 1) has its own
    /// address; the addresses are in consecutive subregisters of a0.
    VxH,
}

/// A source swizzle: which component (0 = x to 3 = w) each destination component reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Swizzle(pub [u8; 4]);

impl Swizzle {
    /// The identity, `.xyzw`.
    pub const XYZW: Swizzle = Swizzle([0, 1, 2, 3]);

    /// From the 8-bit code: two bits per component, x lowest.
    pub const fn from_bits(bits: u8) -> Swizzle {
        Swizzle([bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6])
    }

    /// The 8-bit code, or `None` if a component is above 3.
    pub fn bits(self) -> Option<u8> {
        let [x, y, z, w] = self.0;
        (x | y | z | w < 4).then_some(x | y << 2 | z << 4 | w << 6)
    }
}

/// A destination write mask: bit 0 enables x, bit 3 enables w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteMask(pub u8);

impl WriteMask {
    /// All four components.
    pub const XYZW: WriteMask = WriteMask(15);
}

/// How a source's elements are laid out from its starting byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// `<vstride;width,hstride>`, in elements.
    Align1 {
        /// Vertical stride: between rows.
        vstride: VStride,
        /// Elements in a row: 1, 2, 4, 8 or 16.
        width: u8,
        /// Horizontal stride: 0, 1, 2 or 4.
        hstride: u8,
    },
    /// Vectors of four components.
    Align16 {
        /// Vertical stride, in elements: 0 or 4, from gen7.5 also 2.
        vstride: u8,
        /// Swizzle.
        swizzle: Swizzle,
    },
    /// Source of an Align16 three-source instruction.
    ThreeAlign16 {
        /// RepCtrl: all channels read the element at the starting byte; the swizzle has no effect.
        rep: bool,
        /// Swizzle.
        swizzle: Swizzle,
    },
    /// Source of an Align1 three-source instruction (gen11 on), which has no width field.
    ThreeAlign1 {
        /// Vertical stride in elements; `None` for source 2, which has no such field.
        vstride: Option<u8>,
        /// Horizontal stride: 0, 1, 2 or 4.
        hstride: u8,
    },
}

impl Region {
    /// `<0;1,0>`: one element for all channels.
    pub const SCALAR: Region = Region::align1(0, 1, 0);

    /// `<vstride;width,hstride>`.
    pub const fn align1(vstride: u8, width: u8, hstride: u8) -> Region {
        Region::Align1 { vstride: VStride::Elements(vstride), width, hstride }
    }

    /// Consecutive elements for an execution size: `<8;8,1>` for 8 channels and more,
    /// `<n;n,1>` for fewer, scalar for one channel.
    pub const fn packed(exec_size: u8) -> Region {
        match exec_size {
            0 | 1 => Region::SCALAR,
            2 => Region::align1(2, 2, 1),
            4 => Region::align1(4, 4, 1),
            _ => Region::align1(8, 8, 1),
        }
    }

    /// Whether all channels read the same element.
    pub fn is_scalar(self) -> bool {
        match self {
            Region::Align1 { vstride, width, hstride } => {
                vstride == VStride::Elements(0) && (width == 1 || hstride == 0)
            }
            Region::Align16 { .. } => false,
            Region::ThreeAlign16 { rep, .. } => rep,
            Region::ThreeAlign1 { vstride, hstride } => {
                hstride == 0 && vstride.is_none_or(|v| v == 0)
            }
        }
    }

    /// The region as `(vstride, width, hstride)` in elements, for both Align1 forms; `None` for
    /// Align16 and VxH regions.
    ///
    /// The three-source form has no width field. Its rows span one vertical stride each: the width
    /// is `vstride / hstride`. Source 2 has no vertical stride; its elements are `hstride` apart.
    pub fn strides(self) -> Option<(u32, u32, u32)> {
        let (vstride, width, hstride) = match self {
            Region::Align1 { vstride: VStride::Elements(v), width, hstride } => (v, width, hstride),
            Region::ThreeAlign1 { vstride: None, hstride } => (hstride, 1, 0),
            Region::ThreeAlign1 { vstride: Some(v), hstride: 0 } => (v, 1, 0),
            Region::ThreeAlign1 { vstride: Some(v), hstride } => (v, (v / hstride).max(1), hstride),
            _ => return None,
        };
        Some((u32::from(vstride), u32::from(width), u32::from(hstride)))
    }
}

/// Destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dst {
    /// Place. The null register discards the result.
    pub place: Place,
    /// Element type.
    pub ty: Type,
    /// Horizontal stride in elements: 1, 2 or 4 (three-source Align1: 1 or 2).
    pub hstride: u8,
    /// Write mask (Align16 only; [`WriteMask::XYZW`] in Align1).
    pub writemask: WriteMask,
    /// Extended precision register of the IEEE macros: 0 to 7, or 8 for none (`nomme`).
    /// `Some` exactly in instructions for which [`Inst::is_macro`](super::Inst::is_macro).
    pub mme: Option<u8>,
}

/// Source operand read from a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SrcReg {
    /// Place.
    pub place: Place,
    /// Element type.
    pub ty: Type,
    /// Region.
    pub region: Region,
    /// Negation, applied after `abs`; bitwise not in logic operations of gen8 and later.
    pub negate: bool,
    /// Absolute value.
    pub abs: bool,
    /// Extended precision register of the IEEE macros, as in [`Dst::mme`].
    pub mme: Option<u8>,
}

/// Immediate source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Imm {
    /// Type.
    pub ty: Type,
    /// Value: the low 16, 32 or 64 bits, depending on the type; higher bits are zero. Packed
    /// vectors have 32 bits. A 16-bit value appears once here, although the encoding repeats it.
    pub bits: u64,
}

/// Size in bytes of the value of an immediate of type `ty`: four for packed vectors, otherwise
/// [`Type::size`].
pub fn imm_size(ty: Type) -> u32 {
    if ty.is_packed_vector() { 4 } else { ty.size() }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// The operation has no such source.
    None,
    /// Register.
    Reg(SrcReg),
    /// Immediate.
    Imm(Imm),
}

impl Src {
    /// The register operand, if it is one.
    pub fn as_reg(&self) -> Option<&SrcReg> {
        match self {
            Src::Reg(reg) => Some(reg),
            _ => None,
        }
    }

    /// The immediate, if it is one.
    pub fn as_imm(&self) -> Option<&Imm> {
        match self {
            Src::Imm(imm) => Some(imm),
            _ => None,
        }
    }

    /// The operand's type; `None` if there is no operand.
    pub fn ty(&self) -> Option<Type> {
        match self {
            Src::None => None,
            Src::Reg(reg) => Some(reg.ty),
            Src::Imm(imm) => Some(imm.ty),
        }
    }
}
