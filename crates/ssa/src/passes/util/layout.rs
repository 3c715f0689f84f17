//! The layout of private variables as bytes in memory: components in order, each aligned to its size.

use crate::ir::{Align, AluOp, Builder, PathStep, Src, Ty, VarTy};

/// Size and alignment of a variable in bytes. The size is a multiple of the alignment.
pub(crate) fn size_align(ty: &VarTy) -> (u64, u32) {
    match ty {
        VarTy::Vector(ty) => (u64::from(ty.comp_bytes()) * ty.comps() as u64, ty.comp_bytes()),
        VarTy::Array(element, count) => {
            let (size, align) = size_align(element);
            (size.saturating_mul(u64::from(*count)), align)
        }
        VarTy::Struct(members) => {
            let (mut end, mut most) = (0_u64, 1);
            for member in members {
                let (size, align) = size_align(member);
                end = end.next_multiple_of(u64::from(align)).saturating_add(size);
                most = most.max(align);
            }
            (end.next_multiple_of(u64::from(most)), most)
        }
    }
}

/// The position of a part of a variable.
#[derive(Clone, Debug)]
pub(crate) struct PathOffset {
    /// The constant part of the byte offset from the start of the variable.
    pub(crate) fixed: u32,
    /// Dynamic indices, each with the distance in bytes between consecutive elements.
    pub(crate) scaled: Vec<(Src, u32)>,
    /// The type of the scalar or vector at this position.
    pub(crate) leaf: Ty,
}

/// The position that a path selects. `None` if the path is not valid for the type, does not lead to a scalar or
/// vector, or the offset exceeds 32 bits.
pub(crate) fn path_offset(ty: &VarTy, path: &[PathStep]) -> Option<PathOffset> {
    let mut fixed = 0_u64;
    let mut scaled = Vec::new();
    let mut at = ty.clone();
    for step in path {
        let index = match step {
            PathStep::Const(index) => Some(*index),
            PathStep::Dyn(_) => None,
        };
        let below = at.step(index)?;
        if let (VarTy::Struct(members), Some(index)) = (&at, index) {
            let mut end = 0_u64;
            for member in &members[..index as usize] {
                let (size, align) = size_align(member);
                end = end.next_multiple_of(u64::from(align)).saturating_add(size);
            }
            let (_, align) = size_align(&below);
            fixed = fixed.checked_add(end.next_multiple_of(u64::from(align)))?;
        } else {
            let (stride, _) = size_align(&below);
            match step {
                PathStep::Const(index) => {
                    fixed = fixed.checked_add(stride.checked_mul(u64::from(*index))?)?;
                }
                PathStep::Dyn(src) => scaled.push((*src, u32::try_from(stride).ok()?)),
            }
        }
        at = below;
    }
    match at {
        VarTy::Vector(leaf) => Some(PathOffset { fixed: u32::try_from(fixed).ok()?, scaled, leaf }),
        _ => None,
    }
}

impl PathOffset {
    /// Builds the byte offset in a memory in which the variable starts at byte `base`, a multiple of 16. Returns it
    /// with its alignment.
    pub(crate) fn offset(&self, b: &mut Builder<'_>, base: u32) -> (Src, Align) {
        let fixed = base.wrapping_add(self.fixed);
        let strides = self.scaled.iter().map(|(_, stride)| 1 << stride.trailing_zeros().min(4));
        let mul = strides.fold(16, u32::min);
        (self.sum(b, fixed, 1), Align { mul, offset: fixed & (mul - 1) })
    }

    /// Builds the sum of `start` and the dynamic indices, each multiplied by its distance in units of `unit` bytes.
    pub(crate) fn sum(&self, b: &mut Builder<'_>, start: u32, unit: u32) -> Src {
        self.scaled.iter().fold(Src::new(b.imm(start)), |sum, &(index, stride)| {
            let by = b.imm(stride / unit);
            let part = b.alu_ty(AluOp::IMul, Ty::X32, &[index, by.into()]);
            b.alu_ty(AluOp::IAdd, Ty::X32, &[part.into(), sum]).into()
        })
    }
}

/// The type with which a value is stored in memory: booleans become 32-bit numbers.
pub(crate) fn in_memory(ty: Ty) -> Ty {
    if ty.is_bool() { Ty::X32.with_comps(ty.comps()) } else { ty }
}

/// Converts a value loaded from memory to type `ty`: for booleans, whether the number is not 0.
pub(crate) fn from_memory(b: &mut Builder<'_>, ty: Ty, value: Src) -> Src {
    if !ty.is_bool() {
        return value;
    }
    let zero = b.constant(in_memory(ty), [0; 4]);
    b.alu_ty(AluOp::INe, ty, &[value, zero.into()]).into()
}
