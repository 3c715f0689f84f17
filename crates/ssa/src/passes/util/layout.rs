//! Private variables as bytes in memory: components one after another, each aligned to its size.

use crate::ir::{Align, AluOp, Builder, PathStep, Src, Ty, VarTy};

/// Size and alignment of a variable in bytes; the size is a multiple of the alignment.
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

/// Where a part of a variable lies.
#[derive(Clone, Debug)]
pub(crate) struct PathOffset {
    /// Bytes from the start that are known now.
    pub(crate) fixed: u32,
    /// Indices known at run time, with the bytes from one to the next.
    pub(crate) scaled: Vec<(Src, u32)>,
    /// The scalar or vector there.
    pub(crate) leaf: Ty,
}

/// Where a path leads; `None` if it is no path of the type, or the type too large to have addresses.
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
    /// Computes the byte offset from the start of the memory in which the variable begins at `base`, a multiple of 16.
    pub(crate) fn offset(&self, b: &mut Builder<'_>, base: u32) -> (Src, Align) {
        let fixed = base.wrapping_add(self.fixed);
        let mut offset = Src::new(b.imm(fixed));
        let mut mul = 16;
        for &(index, stride) in &self.scaled {
            let by = b.imm(stride);
            let part = b.alu_ty(AluOp::IMul, Ty::X32, &[index, by.into()]);
            offset = b.alu_ty(AluOp::IAdd, Ty::X32, &[part.into(), offset]).into();
            mul = mul.min(1 << stride.trailing_zeros().min(4));
        }
        (offset, Align { mul, offset: fixed & (mul - 1) })
    }
}

/// The type in memory: booleans are numbers there.
pub(crate) fn in_memory(ty: Ty) -> Ty {
    if ty.is_bool() { Ty::X32.with_comps(ty.comps()) } else { ty }
}

/// The value of type `ty` that the form in memory stands for.
pub(crate) fn from_memory(b: &mut Builder<'_>, ty: Ty, value: Src) -> Src {
    if !ty.is_bool() {
        return value;
    }
    let zero = b.constant(in_memory(ty), [0; 4]);
    b.alu_ty(AluOp::INe, ty, &[value, zero.into()]).into()
}
