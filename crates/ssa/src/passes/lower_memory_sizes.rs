//! Splits memory accesses to what a back end with registers of 32 bits has: vectors of dwords, and single elements of 8
//! or 16 bits.
//!
//! - An element of 64 bits is two dwords.
//! - An element of 8 or 16 bits is accessed by itself in buffers and shared memory, where there are messages for it.
//!   Push constants and scratch memory have dwords only: a load shifts one, a store replaces bits of one, which no
//!   other invocation sees.

use super::util::{Action, rewrite};
use crate::ir::{
    Access, Align, AluOp, Builder, InstKind, Memory, Shader, Src, Ty, Value, WriteMask,
};

/// See the [module](self). Returns whether an access was split.
pub fn lower_memory_sizes(shader: &mut Shader) -> bool {
    let mut split = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        match &data.kind {
            InstKind::Load { memory, offset, align, access } => {
                let ty = b.func.ty(data.results[0]);
                if fits(ty, ty.comps(), memory) {
                    return Action::Keep;
                }
                let place =
                    Place { memory: *memory, offset: *offset, align: *align, access: *access };
                split = true;
                Action::Replace(place.load(b, ty).into())
            }
            InstKind::Store { memory, offset, data, comps, mask, align, access } => {
                let ty = b.func.ty(data.value);
                let comps = usize::from(*comps);
                if fits(ty, comps, memory) {
                    return Action::Keep;
                }
                let place =
                    Place { memory: *memory, offset: *offset, align: *align, access: *access };
                let wanted = (0..comps).filter(|&c| mask.has(c)).map(|c| (c, data.select(c)));
                let wanted: Vec<(usize, Src)> = wanted.collect();
                // The last piece takes the place of the whole.
                if let Some(last) = place.store(b, ty.scalar(), &wanted) {
                    *b.func.kind_mut(inst) = last;
                    split = true;
                }
                Action::Keep
            }
            _ => Action::Keep,
        }
    });
    split
}

/// Whether memory is reached by messages that serve elements of 8 and 16 bits.
fn has_small_elements(memory: &Memory) -> bool {
    !matches!(memory, Memory::PushConstant | Memory::Scratch)
}

/// Whether an access of so many components needs no splitting.
fn fits(ty: Ty, comps: usize, memory: &Memory) -> bool {
    match ty.bits() {
        64 => false,
        8 | 16 => comps == 1 && has_small_elements(memory),
        _ => true,
    }
}

/// Where an access begins, and what it promises.
struct Place {
    memory: Memory,
    offset: Src,
    align: Align,
    access: Access,
}

impl Place {
    /// The offset `bytes` further on.
    fn at(&self, b: &mut Builder<'_>, bytes: u32) -> Src {
        if bytes == 0 {
            return self.offset;
        }
        let bytes = b.imm(bytes);
        b.alu_ty(AluOp::IAdd, Ty::X32, &[self.offset, bytes.into()]).into()
    }

    fn load_at(&self, b: &mut Builder<'_>, bytes: u32, ty: Ty) -> Value {
        let offset = self.at(b, bytes);
        b.load(self.memory, offset, self.align.plus(bytes), self.access, ty)
    }

    fn load(&self, b: &mut Builder<'_>, ty: Ty) -> Value {
        let size = ty.comp_bytes();
        let mut parts: Vec<Src> = Vec::with_capacity(ty.comps());
        if ty.bits() == 64 {
            for first in (0..ty.comps()).step_by(2) {
                let count = (ty.comps() - first).min(2);
                let dwords = Ty::X32.with_comps(2 * count);
                let dwords = self.load_at(b, first as u32 * size, dwords);
                for pair in 0..count {
                    let pair = [2 * pair, 2 * pair + 1].map(|c| Src::comp(dwords, c));
                    let pair = b.vec(&pair);
                    parts.push(b.alu(AluOp::Pack64From32, &[pair]).into());
                }
            }
        } else {
            for comp in 0..ty.comps() as u32 {
                let part = if has_small_elements(&self.memory) {
                    self.load_at(b, comp * size, ty.scalar())
                } else {
                    let (dword, _, shift) = self.dword_of(b, comp * size);
                    let moved = b.alu(AluOp::UShr, &[dword, shift]);
                    b.convert(AluOp::U2U, ty.bits(), moved)
                };
                parts.push(part.into());
            }
        }
        b.vec(&parts)
    }

    /// The dword that holds the byte `bytes` further on, its offset, and the byte's position in bits.
    fn dword_of(&self, b: &mut Builder<'_>, bytes: u32) -> (Value, Value, Value) {
        let offset = self.at(b, bytes);
        let mut op = |op, x: Src, y: u32| {
            let y = b.imm(y);
            b.alu_ty(op, Ty::X32, &[x, y.into()])
        };
        let byte = op(AluOp::IAnd, offset, 3);
        let shift = op(AluOp::IShl, byte.into(), 3);
        let aligned = op(AluOp::IAnd, offset, !3);
        let dword = b.load(self.memory, aligned, Align::to(4), self.access, Ty::X32);
        (dword, aligned, shift)
    }

    /// Stores the components `wanted` of type `ty`; the last store is returned instead of made.
    fn store(&self, b: &mut Builder<'_>, ty: Ty, wanted: &[(usize, Src)]) -> Option<InstKind> {
        let together = if ty.bits() == 64 { 2 } else { 1 };
        let (mut last, mut rest) = (None, wanted);
        while let [(first, _), ..] = rest {
            if let Some(kind) = last {
                b.inst(kind, &[]);
            }
            // Neighbours go together.
            let run = rest.iter().zip(*first..*first + together).take_while(|(w, c)| w.0 == *c);
            let (now, later) = rest.split_at(run.count());
            last = Some(self.piece(b, ty, *first as u32 * ty.comp_bytes(), now));
            rest = later;
        }
        last
    }

    /// The store of neighbouring components at `bytes` further on.
    fn piece(&self, b: &mut Builder<'_>, ty: Ty, bytes: u32, wanted: &[(usize, Src)]) -> InstKind {
        let here = |b: &mut Builder<'_>, data: Src, comps: usize| InstKind::Store {
            memory: self.memory,
            offset: self.at(b, bytes),
            data,
            comps: comps as u8,
            mask: WriteMask::all(comps),
            align: self.align.plus(bytes),
            access: self.access,
        };
        let src = wanted[0].1;
        if ty.bits() == 64 {
            let mut dwords: Vec<Src> = Vec::with_capacity(4);
            for (_, src) in wanted {
                let halves = b.alu_ty(AluOp::Unpack64To32, Ty::X32.with_comps(2), &[*src]);
                dwords.extend([Src::comp(halves, 0), Src::comp(halves, 1)]);
            }
            let data = b.vec(&dwords);
            return here(b, data.into(), dwords.len());
        }
        if has_small_elements(&self.memory) {
            return here(b, src, 1);
        }
        let (old, offset, shift) = self.dword_of(b, bytes);
        let data = b.alu_ty(AluOp::U2U, Ty::X32, &[src]);
        let bits = b.imm(ty.bits());
        let data = b.alu(AluOp::BitfieldInsert, &[old, data, shift, bits]);
        InstKind::Store {
            memory: self.memory,
            offset: offset.into(),
            data: data.into(),
            comps: 1,
            mask: WriteMask::all(1),
            align: Align::to(4),
            access: self.access,
        }
    }
}
