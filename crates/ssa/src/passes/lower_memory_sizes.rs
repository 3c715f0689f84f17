//! Splits memory accesses to the sizes that a back end has messages for.
//!
//! - Where registers have 32 bits, an element of 64 bits is two dwords.
//! - An element of 8 or 16 bits is accessed by itself in buffers and shared memory, where there are messages for it. Push
//!   constants and scratch memory have dwords only.
//! - Where small values lie in dwords ([`LowerOptions::small_in_dwords`]), buffers and shared memory count as memory of
//!   dwords, too.
//!
//! In memory of dwords a load reads those that hold the elements, and shifts. A store replaces the bits of a dword: in
//! scratch memory by a load and a store, in memory that other invocations see by two atomics, one that clears bits and one
//! that sets them, since a neighbour's bits may change in between. Elements that fill a dword need neither.
//!
//! The last dword of a buffer may be there in part only. Its elements are accessed all the same: the size of a buffer's
//! surface is rounded up to dwords (docs/metadata.md), and atomics leave the bytes beyond as they are.

use super::LowerOptions;
use super::util::{Action, rewrite};
use crate::ir::{
    Access, Align, AluOp, AtomicOp, Builder, InstKind, Memory, Shader, Src, Ty, Value, WriteMask,
};

/// Bytes of a dword.
const DWORD: u32 = 4;

/// See the [module](self). Returns whether an access was split.
pub fn lower_memory_sizes(shader: &mut Shader, options: &LowerOptions) -> bool {
    if !options.dwords && !options.small_in_dwords {
        return false;
    }
    let mut split = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        match &data.kind {
            InstKind::Load { memory, offset, align, access } => {
                let ty = b.func.ty(data.results[0]);
                let Some(sizes) = Sizes::of(ty, ty.comps(), memory, options) else {
                    return Action::Keep;
                };
                let (memory, offset, align, access) = (*memory, *offset, *align, *access);
                let whole = MemoryAccess { memory, offset, align, access, sizes };
                split = true;
                Action::Replace(whole.load(b, ty).into())
            }
            InstKind::Store { memory, offset, data, comps, mask, align, access } => {
                let ty = b.func.ty(data.value);
                let comps = usize::from(*comps);
                let Some(sizes) = Sizes::of(ty, comps, memory, options) else {
                    return Action::Keep;
                };
                let wanted = (0..comps).filter(|&c| mask.has(c)).map(|c| (c, data.select(c)));
                let wanted: Vec<(usize, Src)> = wanted.collect();
                let (memory, offset, align, access) = (*memory, *offset, *align, *access);
                let whole = MemoryAccess { memory, offset, align, access, sizes };
                // The last piece takes the place of the whole.
                if let Some(last) = whole.store(b, ty.scalar(), &wanted) {
                    for &ty in results_of(&last) {
                        b.func.add_result(inst, ty);
                    }
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

/// What an access is split to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sizes {
    /// Two dwords for each element.
    Pairs,
    /// Accesses of single elements.
    Elements,
    /// Dwords that hold several elements.
    Parts,
}

impl Sizes {
    /// `None` for an access that is as it should be.
    fn of(ty: Ty, comps: usize, memory: &Memory, options: &LowerOptions) -> Option<Sizes> {
        let elements =
            !options.small_in_dwords && !matches!(memory, Memory::PushConstant | Memory::Scratch);
        match ty.bits() {
            64 => options.dwords.then_some(Sizes::Pairs),
            8 | 16 if !elements => Some(Sizes::Parts),
            8 | 16 => (comps > 1).then_some(Sizes::Elements),
            _ => None,
        }
    }
}

/// The results of a store or atomic that stands for a store.
fn results_of(kind: &InstKind) -> &'static [Ty] {
    if matches!(kind, InstKind::Atomic { .. }) { &[Ty::X32] } else { &[] }
}

/// Where an access begins, and what it promises.
struct MemoryAccess {
    memory: Memory,
    offset: Src,
    align: Align,
    access: Access,
    sizes: Sizes,
}

/// Bits of a dword in memory.
struct Bits {
    /// The dword's offset in bytes.
    offset: Src,
    /// The position of the first of them.
    shift: Src,
}

impl MemoryAccess {
    /// The offset `bytes` further on, or back.
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
        let comps = 0..ty.comps() as u32;
        let parts: Vec<Src> = match self.sizes {
            Sizes::Pairs => self.load_pairs(b, ty),
            Sizes::Elements => {
                comps.map(|comp| self.load_at(b, comp * size, ty.scalar()).into()).collect()
            }
            Sizes::Parts => match self.first_byte() {
                Some(first) => self.load_parts(b, ty, first),
                None => comps
                    .map(|comp| {
                        let Bits { offset, shift } = self.bits_of(b, comp * size);
                        let align = Align::to(DWORD);
                        let dword = b.load(self.memory, offset, align, self.access, Ty::X32);
                        self.part(b, dword.into(), shift, ty)
                    })
                    .collect(),
            },
        };
        b.vec(&parts)
    }

    fn load_pairs(&self, b: &mut Builder<'_>, ty: Ty) -> Vec<Src> {
        let mut parts = Vec::with_capacity(ty.comps());
        for first in (0..ty.comps()).step_by(2) {
            let count = (ty.comps() - first).min(2);
            let dwords = Ty::X32.with_comps(2 * count);
            let dwords = self.load_at(b, first as u32 * ty.comp_bytes(), dwords);
            for pair in 0..count {
                let pair = [2 * pair, 2 * pair + 1].map(|c| Src::comp(dwords, c));
                let pair = b.vec(&pair);
                parts.push(b.alu(AluOp::Pack64From32, &[pair]).into());
            }
        }
        parts
    }

    /// The elements of dwords, the first at byte `first` of a dword. At most three dwords hold four elements.
    fn load_parts(&self, b: &mut Builder<'_>, ty: Ty, first: u32) -> Vec<Src> {
        let bytes = ty.comps() as u32 * ty.comp_bytes();
        let dwords = Ty::X32.with_comps((first + bytes).div_ceil(DWORD) as usize);
        let dwords = self.load_at(b, first.wrapping_neg(), dwords);
        let element = |comp: u32| {
            let at = first + comp * ty.comp_bytes();
            let shift = b.imm(at % DWORD * 8);
            self.part(b, Src::comp(dwords, (at / DWORD) as usize), shift.into(), ty)
        };
        (0..ty.comps() as u32).map(element).collect()
    }

    /// The element at a position of a dword.
    fn part(&self, b: &mut Builder<'_>, dword: Src, shift: Src, ty: Ty) -> Src {
        let moved = b.alu_ty(AluOp::UShr, Ty::X32, &[dword, shift]);
        b.alu_ty(AluOp::U2U, ty.scalar(), &[moved.into()]).into()
    }

    /// Which byte of a dword the access begins with, if that is known.
    fn first_byte(&self) -> Option<u32> {
        (self.align.mul >= DWORD).then_some(self.align.offset % DWORD)
    }

    /// The bits of the element `bytes` further on.
    fn bits_of(&self, b: &mut Builder<'_>, bytes: u32) -> Bits {
        let offset = self.at(b, bytes);
        let mut op = |op, x: Src, y: u32| -> Src {
            let y = b.imm(y);
            b.alu_ty(op, Ty::X32, &[x, y.into()]).into()
        };
        let byte = op(AluOp::IAnd, offset, DWORD - 1);
        let shift = op(AluOp::IShl, byte, 3);
        Bits { offset: op(AluOp::IAnd, offset, !(DWORD - 1)), shift }
    }

    /// Stores the components `wanted` of type `ty`; the last store is returned instead of made.
    fn store(&self, b: &mut Builder<'_>, ty: Ty, wanted: &[(usize, Src)]) -> Option<InstKind> {
        let (mut last, mut rest) = (None, wanted);
        while let [(first, _), ..] = rest {
            if let Some(kind) = last {
                let results = results_of(&kind);
                b.inst(kind, results);
            }
            // Neighbours go together, up to here.
            let next = self.next_piece(ty, *first);
            let run = rest.iter().zip(*first..next).take_while(|(w, c)| w.0 == *c);
            let (now, later) = rest.split_at(run.count());
            last = Some(match self.sizes {
                Sizes::Pairs => self.pair(b, ty, now),
                Sizes::Elements => self.whole(b, *first as u32 * ty.comp_bytes(), now[0].1, 1),
                Sizes::Parts => self.parts(b, ty, now),
            });
            rest = later;
        }
        last
    }

    /// The first component that is not stored together with `first`.
    fn next_piece(&self, ty: Ty, first: usize) -> usize {
        match (self.sizes, self.first_byte()) {
            (Sizes::Pairs, _) => first + 2,
            (Sizes::Parts, Some(start)) => {
                let at = (start + first as u32 * ty.comp_bytes()) % DWORD;
                first + ((DWORD - at) / ty.comp_bytes()).max(1) as usize
            }
            _ => first + 1,
        }
    }

    /// The store of components of `data`.
    fn whole(&self, b: &mut Builder<'_>, bytes: u32, data: Src, comps: usize) -> InstKind {
        InstKind::Store {
            memory: self.memory,
            offset: self.at(b, bytes),
            data,
            comps: comps as u8,
            mask: WriteMask::all(comps),
            align: self.align.plus(bytes),
            access: self.access,
        }
    }

    /// The store of one or two elements of 64 bits.
    fn pair(&self, b: &mut Builder<'_>, ty: Ty, wanted: &[(usize, Src)]) -> InstKind {
        let mut dwords: Vec<Src> = Vec::with_capacity(4);
        for (_, src) in wanted {
            let halves = b.alu_ty(AluOp::Unpack64To32, Ty::X32.with_comps(2), &[*src]);
            dwords.extend([Src::comp(halves, 0), Src::comp(halves, 1)]);
        }
        let data = b.vec(&dwords);
        self.whole(b, wanted[0].0 as u32 * ty.comp_bytes(), data.into(), dwords.len())
    }

    /// The store of neighbouring elements of one dword.
    fn parts(&self, b: &mut Builder<'_>, ty: Ty, wanted: &[(usize, Src)]) -> InstKind {
        let bytes = wanted[0].0 as u32 * ty.comp_bytes();
        let bits = wanted.len() as u32 * ty.bits();
        if bits == Ty::X32.bits() {
            let data = joined(b, ty, wanted);
            return self.whole(b, bytes, data, 1);
        }
        let Bits { offset, shift } = match self.first_byte() {
            Some(start) => {
                let at = (start + bytes) % DWORD;
                let (offset, shift) = (self.at(b, bytes.wrapping_sub(at)), b.imm(8 * at));
                Bits { offset, shift: shift.into() }
            }
            None => self.bits_of(b, bytes),
        };
        if self.memory != Memory::Scratch {
            let data = joined(b, ty, wanted);
            return self.set_by_atomics(b, offset, data, shift, bits);
        }
        // No other invocation sees the dword between the load and the store.
        let (memory, access, align) = (self.memory, self.access, Align::to(DWORD));
        let old = b.load(memory, offset, align, access, Ty::X32);
        let data = joined(b, ty, wanted);
        let bits = b.imm(bits);
        let srcs = [old.into(), data, shift, bits.into()];
        let data = b.alu_ty(AluOp::BitfieldInsert, Ty::X32, &srcs).into();
        InstKind::Store { memory, offset, data, comps: 1, mask: WriteMask::all(1), align, access }
    }

    /// The atomic that sets bits of a dword, after one that clears them.
    fn set_by_atomics(
        &self,
        b: &mut Builder<'_>,
        offset: Src,
        data: Src,
        shift: Src,
        bits: u32,
    ) -> InstKind {
        let (memory, access) = (self.memory, self.access);
        let mask = b.imm(u32::MAX >> (Ty::X32.bits() - bits));
        let mask = b.alu_ty(AluOp::IShl, Ty::X32, &[mask.into(), shift]);
        let others = b.alu(AluOp::INot, &[mask]);
        let data = b.alu_ty(AluOp::IShl, Ty::X32, &[data, shift]).into();
        b.atomic(memory, AtomicOp::And, offset, others.into(), None, access, Ty::X32);
        InstKind::Atomic { memory, op: AtomicOp::Or, offset, data, compare: None, access }
    }
}

/// Elements one above the other in a dword.
fn joined(b: &mut Builder<'_>, ty: Ty, wanted: &[(usize, Src)]) -> Src {
    let mut all: Option<Src> = None;
    for (number, (_, src)) in wanted.iter().enumerate() {
        let part = b.alu_ty(AluOp::U2U, Ty::X32, &[*src]);
        all = Some(match all {
            None => part.into(),
            Some(all) => {
                let shift = b.imm(number as u32 * ty.bits());
                let part = b.alu(AluOp::IShl, &[part, shift]);
                b.alu_ty(AluOp::IOr, Ty::X32, &[all, part.into()]).into()
            }
        });
    }
    all.unwrap_or(wanted[0].1)
}
