//! Bytes and words of dwords.
//!
//! A byte or word of a dword needs no shift and no mask: a source region reads it, and a `mov` extends it with zeros or
//! its sign, or converts it to a float. So `(x >> 8) & 0xff` is one instruction, and converting this byte to a
//! float is also one.

use crestline_isa::Type;
use crestline_ssa::ir::{AluOp, InstKind, Src, Value};

use super::Selector;
use super::location::ValueLocation;
use crate::ir::Operand;
use crate::select::Class;

/// Some bits of a component of 32 bits.
struct Field {
    src: Src,
    /// The first bit.
    first: u32,
    /// The number of bits, at least 1.
    width: u32,
    /// Whether the top bit is a sign.
    signed: bool,
}

impl Field {
    /// The type and the index of the byte or word that the field is.
    fn part(&self) -> Option<(Type, u32)> {
        let ty = match (self.width, self.signed) {
            (8, false) => Type::Ub,
            (8, true) => Type::B,
            (16, false) => Type::Uw,
            (16, true) => Type::W,
            _ => return None,
        };
        self.first.is_multiple_of(self.width).then_some((ty, self.first / self.width))
    }
}

impl Selector<'_> {
    /// Selects the extraction of a byte or word that would otherwise take two instructions, or one that reads constants in
    /// registers. Returns false for other operations.
    pub(super) fn extract_part(&mut self, op: AluOp, srcs: &[Src], result: Value) -> bool {
        let (AluOp::IAnd
        | AluOp::UShr
        | AluOp::IShr
        | AluOp::UBitfieldExtract
        | AluOp::IBitfieldExtract) = op
        else {
            return false;
        };
        if self.bits(result) != 32 {
            return false;
        }
        let Some(field) = self.field(op, srcs) else { return false };
        // A mask or a shift by itself is compacted more often than a `mov` with such a region.
        let shifts = matches!(op, AluOp::UShr | AluOp::IShr) && field.src.value == srcs[0].value;
        if shifts || field.first == 0 && !field.signed {
            return false;
        }
        let class = if field.signed { Class::Signed } else { Class::Unsigned };
        let Some(part) = self.part_operand(&field) else { return false };
        let dst = self.define(result, 0, class);
        self.b_for(result, |b| _ = b.mov(dst, part));
        true
    }

    /// If the source of a conversion is a byte or word of a dword, or the extension of one: the region to read instead.
    pub(super) fn converted_part(&mut self, class: Class, src: Src) -> Option<Operand> {
        let InstKind::Alu { op, srcs, .. } = &self.shader.func.def(src.value)?.kind else {
            return None;
        };
        let field = match op {
            AluOp::I2I | AluOp::U2U if self.bits(src.value) == 32 => {
                let signed = *op == AluOp::I2I;
                let part = srcs[0].select(src.swizzle[0].into());
                if !matches!(self.bits(part.value), 8 | 16) || signed && class != Class::Signed {
                    return None;
                }
                let class = if signed { Class::Signed } else { Class::Unsigned };
                return self.converted_part(class, part).or_else(|| Some(self.src(part, class)));
            }
            AluOp::I2I | AluOp::U2U => self.narrowed(class, src, srcs[0])?,
            _ => self.field(*op, srcs)?,
        };
        // The top bit of an unsigned part is not the sign of the dword, so both conversions read such a part equally.
        if field.signed && class != Class::Signed {
            return None;
        }
        self.part_operand(&field)
    }

    /// The field that an operation on 32 bits extracts, if the operation is one that does.
    fn field(&self, op: AluOp, srcs: &[Src]) -> Option<Field> {
        let (src, signed) = (*srcs.first()?, matches!(op, AluOp::IShr | AluOp::IBitfieldExtract));
        match op {
            AluOp::UBitfieldExtract | AluOp::IBitfieldExtract => {
                let (first, width) = (self.constant_of(srcs[1])?, self.constant_of(srcs[2])?);
                Some(Field { src, first, width, signed })
            }
            AluOp::IAnd => {
                let (src, mask) = self.split_constant(srcs)?;
                let width = low_mask_width(mask)?;
                let shifted =
                    self.inner(src).filter(|(op, ..)| matches!(op, AluOp::UShr | AluOp::IShr));
                if let Some((_, [inner, count])) = shifted
                    && let Some(first) = self.constant_of(count)
                    && first < 32
                    && first + width <= 32
                {
                    return Some(Field { src: inner, first, width, signed: false });
                }
                Some(Field { src, first: 0, width, signed: false })
            }
            AluOp::UShr | AluOp::IShr => {
                let first = self.constant_of(srcs[1]).filter(|first| (1..32).contains(first))?;
                match self.inner(src) {
                    Some((AluOp::IShl, [inner, count])) => {
                        let count = self.constant_of(count).filter(|&count| count <= first)?;
                        Some(Field { src: inner, first: first - count, width: 32 - first, signed })
                    }
                    Some((AluOp::IAnd, sources)) if !signed => {
                        let (inner, mask) = self.split_constant(&sources)?;
                        let width = low_mask_width(mask >> first)?;
                        Some(Field { src: inner, first, width, signed: false })
                    }
                    _ => Some(Field { src, first, width: 32 - first, signed }),
                }
            }
            _ => None,
        }
    }

    /// The field that is left of `whole`, a shifted dword, after its conversion to `src`, a byte or word.
    fn narrowed(&self, class: Class, src: Src, whole: Src) -> Option<Field> {
        let width = self.bits(src.value);
        let (AluOp::UShr | AluOp::IShr, [shifted, count]) =
            self.inner(whole.select(src.swizzle[0].into()))?
        else {
            return None;
        };
        if !matches!(width, 8 | 16) {
            return None;
        }
        let first = self.constant_of(count).filter(|&first| first <= 32 - width)?;
        Some(Field { src: shifted, first, width, signed: class == Class::Signed })
    }

    /// The operation with two sources that defines a source of 32 bits, and its sources.
    fn inner(&self, src: Src) -> Option<(AluOp, [Src; 2])> {
        match &self.shader.func.def(src.value)?.kind {
            InstKind::Alu { op, srcs, .. } if srcs.len() == 2 && self.bits(src.value) == 32 => {
                let comp = usize::from(src.swizzle[0]);
                Some((*op, [srcs[0].select(comp), srcs[1].select(comp)]))
            }
            _ => None,
        }
    }

    /// Splits two sources, one of which is a constant, into the other one and the constant.
    pub(super) fn split_constant(&self, srcs: &[Src]) -> Option<(Src, u32)> {
        let [a, b] = *srcs else { return None };
        let second = self.constant_of(b).map(|bits| (a, bits));
        second.or_else(|| self.constant_of(a).map(|bits| (b, bits)))
    }

    /// The low 32 bits of a source that is a constant.
    fn constant_of(&self, src: Src) -> Option<u32> {
        let comps = self.shader.func.as_const(src.value)?;
        Some(comps[usize::from(src.swizzle[0])] as u32)
    }

    /// The region of a field that is a byte or word of a value in a register.
    fn part_operand(&self, field: &Field) -> Option<Operand> {
        let (ty, index) = field.part()?;
        if self.bits(field.src.value) != 32 {
            return None;
        }
        let ValueLocation::Elements(elements) = self.location(field.src) else { return None };
        elements.operand(Type::Ud)?.subscript(ty, index)
    }
}

/// The number of bits of a mask of low bits; `None` if the number is none.
fn low_mask_width(mask: u32) -> Option<u32> {
    (mask != 0 && mask & mask.wrapping_add(1) == 0).then_some(mask.trailing_ones())
}
