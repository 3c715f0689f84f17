//! Sources of Align16 instructions: the start of their rows, and the swizzle of dwords.

use crestline_isa::{Region as IsaRegion, Swizzle};

use super::FinishError;
use super::operand::Placer;
use crate::ir::{File, Operand};
use crate::legal;
use crate::legal::align16::{self, DoubleRows};

impl Placer<'_> {
    /// Source `index` of an Align16 instruction: an operand that starts at its first row, and the region from there.
    pub(super) fn align16_source(&self, index: usize) -> Result<(Operand, IsaRegion), FinishError> {
        let src = self.inst.srcs[index];
        let illegal = || self.fail("the region is not an Align16 region", &src);
        let three = legal::is_three_source(self.inst.op);
        let channels = self.inst.channels_read(index);
        if !matches!(src.file, File::Grf | File::Indirect { .. }) {
            // Architecture registers are read as vectors without a change of their offset.
            let (swizzle, _) = src.vectors().ok_or_else(illegal)?;
            return Ok((src, IsaRegion::Align16 { vstride: 4, swizzle }));
        }
        let (offset, region) = if src.ty.size() == 8 {
            let rows = align16::double_rows(&src, channels).ok_or_else(illegal)?;
            (rows.base, self.double_region(&rows, three).ok_or_else(illegal)?)
        } else {
            let (offset, swizzle, one) = align16::dword_vectors(&src).ok_or_else(illegal)?;
            match (three, one) {
                (true, true) => {
                    let dword = align16::replicated_dword(&src, channels).ok_or_else(illegal)?;
                    (dword, IsaRegion::ThreeAlign16 { rep: true, swizzle: Swizzle::XYZW })
                }
                (true, false) => (offset, IsaRegion::ThreeAlign16 { rep: false, swizzle }),
                (false, one) => {
                    let vstride = if one { 0 } else { 4 };
                    (offset, IsaRegion::Align16 { vstride, swizzle })
                }
            }
        };
        Ok((Operand { offset, ..src }, region))
    }

    /// The hardware region that reads the two rows of a vector of doubles; `None` if there is none.
    fn double_region(&self, rows: &DoubleRows, three: bool) -> Option<IsaRegion> {
        let swizzle = rows.swizzle();
        if three {
            return (!rows.same).then_some(IsaRegion::ThreeAlign16 { rep: false, swizzle });
        }
        let vstride = match rows.same {
            true => 0,
            // On these devices, a row of two doubles counts as four dwords.
            false if self.target.df_exec_size_counts_dwords() => 4,
            false => 2,
        };
        Some(IsaRegion::Align16 { vstride, swizzle })
    }
}
