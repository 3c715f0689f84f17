//! Computes sizes, offsets and strides of types in memory, in bytes.
//!
//! The decorations of the module give the layout of buffers and push constants (std140, std430 or scalar), and of
//! shared memory that the module declares with a layout ([`Rules::Explicit`]). Other shared memory gets the layout of
//! this module ([`Rules::Natural`]): a scalar or a vector of 2 or 4 components is aligned to its size, a vector of 3 to
//! the size of a component, an array or structure to the largest alignment of its parts.

use rspirv::spirv::Decoration;

use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Globals, Module, Type};

/// Which rules give the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// The decorations of the SPIR-V module: `Offset`, `ArrayStride`, `MatrixStride`, `RowMajor`.
    Explicit,
    /// The rules of this Rust module; see its description.
    Natural,
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixLayout {
    /// Bytes from one column to the next, or from row to row if `row_major`.
    pub(crate) stride: u32,
    /// Whether the components of a row are contiguous, instead of those of a column.
    pub(crate) row_major: bool,
}

/// Computes the layout of types of one SPIR-V module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'m, 'w> {
    /// The module.
    pub(crate) module: &'m Module<'w>,
    /// Its types.
    pub(crate) globals: &'m Globals,
}

impl Layout<'_, '_> {
    /// Bytes from one element of an array type to the next.
    pub(crate) fn array_stride(&self, array: u32, elem: u32, rules: Rules) -> Result<u32> {
        match rules {
            Rules::Natural => {
                let (size, align) = (self.size(elem, rules, None)?, self.align(elem)?);
                fit(u64::from(size).next_multiple_of(u64::from(align)))
            }
            Rules::Explicit => self
                .module
                .decoration_word(array, Decoration::ArrayStride)?
                .ok_or_else(|| missing(format!("an ArrayStride of array type %{array}"))),
        }
    }

    /// Byte offset of a structure member.
    pub(crate) fn member_offset(&self, structure: u32, member: u32, rules: Rules) -> Result<u32> {
        match rules {
            Rules::Explicit => self
                .module
                .member_word(structure, member, Decoration::Offset)?
                .ok_or_else(|| missing(format!("an Offset of member {member} of %{structure}"))),
            Rules::Natural => {
                let mut offset = 0u64;
                for index in 0..=member {
                    let ty = self.globals.types.part(structure, index).unwrap_or(0);
                    offset = offset.next_multiple_of(u64::from(self.align(ty)?));
                    if index < member {
                        offset += u64::from(self.size(ty, rules, None)?);
                    }
                }
                fit(offset)
            }
        }
    }

    /// The layout of the matrices in a structure member; `None` if the member has no `MatrixStride`.
    pub(crate) fn member_matrix(
        &self,
        structure: u32,
        member: u32,
    ) -> Result<Option<MatrixLayout>> {
        let stride = self.module.member_word(structure, member, Decoration::MatrixStride)?;
        let decorations = self.module.member_decorations(structure, member);
        let row_major = decorations.iter().any(|d| d.kind == Decoration::RowMajor);
        Ok(stride.map(|stride| MatrixLayout { stride, row_major }))
    }

    /// The layout of a matrix with columns of type `column`; `declared` is the layout that the decorations give.
    pub(crate) fn matrix(
        &self,
        column: u32,
        rules: Rules,
        declared: Option<MatrixLayout>,
    ) -> Result<MatrixLayout> {
        match (rules, declared) {
            (Rules::Explicit, Some(layout)) => Ok(layout),
            (Rules::Explicit, None) => Err(missing("a MatrixStride of the member".into())),
            (Rules::Natural, _) => {
                let stride = self.array_stride(0, column, rules)?;
                Ok(MatrixLayout { stride, row_major: false })
            }
        }
    }

    /// Bytes from the start of a value to the end of its last part. A runtime array has size 0.
    pub(crate) fn size(&self, ty: u32, rules: Rules, matrix: Option<MatrixLayout>) -> Result<u32> {
        let types = &self.globals.types;
        if let Some(leaf) = types.leaf(ty) {
            return Ok(leaf.comp_bytes() * leaf.comps() as u32);
        }
        match types.expect(ty)? {
            Type::Matrix { column, count } => {
                let layout = self.matrix(*column, rules, matrix)?;
                let column = types.leaf(*column).ok_or_else(|| missing("a column type".into()))?;
                let (lines, length) = if layout.row_major {
                    (column.comps() as u32, *count)
                } else {
                    (*count, column.comps() as u32)
                };
                let last = u64::from(length * column.comp_bytes());
                fit(u64::from(layout.stride) * u64::from(lines - 1) + last)
            }
            Type::Array { elem, count } => {
                let stride = self.array_stride(ty, *elem, rules)?;
                let last = self.size(*elem, rules, matrix)?;
                fit(u64::from(stride).saturating_mul(u64::from(count - 1)) + u64::from(last))
            }
            Type::Struct { members } => {
                let mut end = 0u64;
                // Natural offsets are summed here: a call of `member_offset` per member would take quadratic time.
                for (index, &member) in members.iter().enumerate() {
                    let offset = match rules {
                        Rules::Explicit => {
                            u64::from(self.member_offset(ty, index as u32, rules)?)
                        }
                        Rules::Natural => end.next_multiple_of(u64::from(self.align(member)?)),
                    };
                    let matrix = self.member_matrix(ty, index as u32)?;
                    end = end.max(offset + u64::from(self.size(member, rules, matrix)?));
                }
                fit(end)
            }
            Type::RuntimeArray { .. } => Ok(0),
            other => Err(FrontendError::new(
                ErrorCode::UnsupportedType,
                format!("expected numbers in memory, found {}", other.describe()),
            )),
        }
    }

    /// Alignment in bytes of a type under [`Rules::Natural`].
    pub(crate) fn align(&self, ty: u32) -> Result<u32> {
        let types = &self.globals.types;
        if let Some(leaf) = types.leaf(ty) {
            let comps = if leaf.comps() == 3 { 1 } else { leaf.comps() as u32 };
            return Ok(leaf.comp_bytes() * comps);
        }
        match types.expect(ty)? {
            Type::Matrix { column: part, .. }
            | Type::Array { elem: part, .. }
            | Type::RuntimeArray { elem: part } => self.align(*part),
            Type::Struct { members } => {
                members.iter().try_fold(1, |align, &m| Ok(align.max(self.align(m)?)))
            }
            other => Err(FrontendError::new(
                ErrorCode::UnsupportedType,
                format!("expected numbers in memory, found {}", other.describe()),
            )),
        }
    }
}

/// A size or offset as 32 bits.
///
/// # Errors
/// [`ErrorCode::TooLarge`] if it does not fit.
pub(crate) fn fit(bytes: u64) -> Result<u32> {
    u32::try_from(bytes).map_err(|_| {
        let detail = format!("expected fewer than 2^32 bytes, found {bytes}");
        FrontendError::new(ErrorCode::TooLarge, detail)
    })
}

fn missing(what: String) -> FrontendError {
    FrontendError::new(ErrorCode::MissingLayout, format!("expected {what}"))
}
