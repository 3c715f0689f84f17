//! Accesses elements of 8 and 16 bits in whole dwords, if registers have 32 bits:
//!
//! ```text
//! before:                                  after:
//! %1: 16x2 = load ssbo b0, %0, align 4     %2: 32   = load ssbo b0, %0, align 4
//!                                          %1: 16x2 = unpack_32_to_16 %2
//! ```
//!
//! There are messages for vectors of dwords, but not for vectors of smaller elements: `lower_memory_sizes` makes a
//! message for each element that this pass leaves. First, neighbouring elements are merged to vectors, as
//! `opt_vectorize_memory` does with dwords. Then the dwords that a vector fills are accessed as dwords. The vector must start at a
//! multiple of 4 bytes. Bytes that the shader does not access stay untouched.

use super::opt_vectorize_memory::{Sizes, merge_accesses};
use super::util::{Action, rewrite};
use crate::ir::{Access, Align, AluOp, Builder, InstKind, Memory, Shader, Src, Ty, WriteMask};

/// Bytes per dword.
const DWORD: u32 = 4;

/// See the [module](self). Returns whether an access was changed.
pub fn opt_pack_memory(shader: &mut Shader) -> bool {
    let merged = merge_accesses(shader, Sizes::Small);
    let mut packed = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        match data.kind {
            InstKind::Load { memory, offset, align, access } => {
                let ty = b.func.ty(data.results[0]);
                let Some(whole) = Whole::of(ty, &memory, align, access) else {
                    return Action::Keep;
                };
                if !b.func.may_change(inst) {
                    return Action::Keep;
                }
                packed = true;
                Action::Replace(whole.load(b, memory, offset, align, access))
            }
            InstKind::Store { memory, offset, data, comps, mask, align, access } => {
                let comps = usize::from(comps);
                let ty = b.func.ty(data.value).with_comps(comps);
                let whole = Whole::of(ty, &memory, align, access);
                let Some(whole) = whole.filter(|_| mask == WriteMask::all(comps)) else {
                    return Action::Keep;
                };
                if !b.func.may_change(inst) {
                    return Action::Keep;
                }
                packed = true;
                let dwords: Vec<Src> =
                    (0..whole.dwords).map(|dword| whole.pack(b, dword, data).into()).collect();
                let rest = ty.comps() - whole.elements();
                let first = b.vec(&dwords);
                if rest > 0 {
                    b.store(memory, offset, first, align, access);
                    let elements: Vec<Src> =
                        (whole.elements()..ty.comps()).map(|comp| data.select(comp)).collect();
                    let data = b.vec(&elements);
                    let (offset, align) = whole.behind(b, offset, align);
                    *b.func.kind_mut(inst) =
                        store(memory, offset, data.into(), rest, align, access);
                } else {
                    let comps = dwords.len();
                    *b.func.kind_mut(inst) =
                        store(memory, offset, first.into(), comps, align, access);
                }
                Action::Keep
            }
            _ => Action::Keep,
        }
    });
    merged || packed
}

/// A store of all components.
fn store(
    memory: Memory,
    offset: Src,
    data: Src,
    comps: usize,
    align: Align,
    access: Access,
) -> InstKind {
    let mask = WriteMask::all(comps);
    InstKind::Store { memory, offset, data, comps: comps as u8, mask, align, access }
}

/// The dwords that a vector of small elements fills.
struct Whole {
    /// Type of the vector.
    ty: Ty,
    /// Number of dwords, at least 1.
    dwords: usize,
}

impl Whole {
    /// The dwords of a vector in memory; `None` if there are none, or if the access must stay as it is. Push constants,
    /// scratch memory and the memory of images have messages for dwords only, which `lower_memory_sizes` uses.
    fn of(ty: Ty, memory: &Memory, align: Align, access: Access) -> Option<Whole> {
        let dwords = (ty.comps() as u32 * ty.comp_bytes() / DWORD) as usize;
        let others = matches!(memory, Memory::PushConstant | Memory::Scratch | Memory::Image(_));
        let fits = matches!(ty.bits(), 8 | 16) && dwords > 0 && align.bytes() >= DWORD;
        (fits && !others && !access.volatile).then_some(Whole { ty, dwords })
    }

    /// Number of elements per dword.
    fn per_dword(&self) -> usize {
        (DWORD / self.ty.comp_bytes()) as usize
    }

    /// Number of elements in the dwords.
    fn elements(&self) -> usize {
        self.dwords * self.per_dword()
    }

    /// The offset of the first byte behind the dwords, and its alignment.
    fn behind(&self, b: &mut Builder<'_>, offset: Src, align: Align) -> (Src, Align) {
        let bytes = self.dwords as u32 * DWORD;
        let step = b.imm(bytes);
        let offset = b.alu_ty(AluOp::IAdd, Ty::X32, &[offset.select(0), step.into()]);
        (offset.into(), align.plus(bytes))
    }

    /// Builds the load of the vector.
    fn load(
        &self,
        b: &mut Builder<'_>,
        memory: Memory,
        offset: Src,
        align: Align,
        access: Access,
    ) -> Src {
        let dwords = b.load(memory, offset, align, access, Ty::X32.with_comps(self.dwords));
        let unpack = if self.ty.bits() == 16 { AluOp::Unpack32To16 } else { AluOp::Unpack32To8 };
        let part = self.ty.with_comps(self.per_dword());
        let mut elements: Vec<Src> = Vec::with_capacity(self.ty.comps());
        for dword in 0..self.dwords {
            let parts = b.alu_ty(unpack, part, &[Src::comp(dwords, dword)]);
            elements.extend((0..self.per_dword()).map(|comp| Src::comp(parts, comp)));
        }
        let rest = self.ty.comps() - self.elements();
        if rest > 0 {
            let (offset, align) = self.behind(b, offset, align);
            let last = b.load(memory, offset, align, access, self.ty.with_comps(rest));
            elements.extend((0..rest).map(|comp| Src::comp(last, comp)));
        }
        b.vec(&elements).into()
    }

    /// Builds a dword of the vector `data`.
    fn pack(&self, b: &mut Builder<'_>, dword: usize, data: Src) -> crate::ir::Value {
        let pack = if self.ty.bits() == 16 { AluOp::Pack32From16 } else { AluOp::Pack32From8 };
        let first = dword * self.per_dword();
        let parts: Vec<Src> =
            (first..first + self.per_dword()).map(|comp| data.select(comp)).collect();
        let parts = b.vec(&parts);
        b.alu_ty(pack, Ty::X32, &[parts.into()])
    }
}
