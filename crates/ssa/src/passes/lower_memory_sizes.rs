//! Splits memory accesses into the sizes for which the back end has messages.
//!
//! - If registers have 32 bits, an element of 64 bits is accessed as two dwords.
//! - Elements of 8 or 16 bits in buffers and shared memory are accessed one at a time, since messages for them exist.
//!   Push constants and scratch memory have only messages for dwords.
//! - If small values are kept in dwords ([`LowerOptions::small_in_dwords`]), buffers and shared memory are accessed in
//!   dwords too.
//!
//! In memory with dword messages only, a load reads the dwords that contain the elements, and shifts. A store must
//! replace some bits of a dword. In scratch memory it uses a load and a store. In memory that other invocations can
//! access, it uses two atomics, one that clears bits and one that sets them, since another invocation may change
//! other bits at the same time. Elements that fill a whole dword need neither.
//!
//! The last dword of a buffer may be only partly inside the buffer. Its elements are accessed all the same: the size
//! of a buffer's surface is rounded up to dwords (docs/metadata.md), and atomics do not change the bytes beyond.

use super::LowerOptions;
use super::util::{Action, rewrite};
use crate::ir::{
    Access, Align, AluOp, AtomicOp, Builder, InstKind, Memory, Shader, Src, Ty, Value, WriteMask,
};

/// Bytes per dword.
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
                // The last part of the store replaces the instruction itself.
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

/// How an access is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sizes {
    /// Each element becomes two dwords.
    Pairs,
    /// Each element is accessed alone.
    Elements,
    /// The dwords that contain the elements are accessed.
    Parts,
}

impl Sizes {
    /// How to split an access; `None` if it need not be split.
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

/// The types of the results of a store, or of an atomic that implements a store.
fn results_of(kind: &InstKind) -> &'static [Ty] {
    if matches!(kind, InstKind::Atomic { .. }) { &[Ty::X32] } else { &[] }
}

/// The position and properties of an access.
struct MemoryAccess {
    memory: Memory,
    offset: Src,
    align: Align,
    access: Access,
    sizes: Sizes,
}

/// The position of consecutive bits in memory.
struct Bits {
    /// Byte offset of the dword.
    offset: Src,
    /// Position of the first bit in the dword.
    shift: Src,
}

impl MemoryAccess {
    /// The byte offset of the access plus `bytes`, which may be negative modulo 2^32.
    fn at(&self, b: &mut Builder<'_>, bytes: u32) -> Src {
        if bytes == 0 {
            return self.offset;
        }
        let bytes = b.imm(bytes);
        b.alu_ty(AluOp::IAdd, Ty::X32, &[self.offset, bytes.into()]).into()
    }

    /// Loads a value at the byte offset of the access plus `bytes`.
    fn load_at(&self, b: &mut Builder<'_>, bytes: u32, ty: Ty) -> Value {
        let offset = self.at(b, bytes);
        b.load(self.memory, offset, self.align.plus(bytes), self.access, ty)
    }

    /// Builds the load of a value of type `ty`.
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

    /// Loads 64-bit elements as dwords, two elements per load.
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

    /// Loads elements from consecutive dwords. The first element starts at byte `first` of a dword. Four elements are
    /// in at most three dwords.
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

    /// The element that starts at bit `shift` of a dword.
    fn part(&self, b: &mut Builder<'_>, dword: Src, shift: Src, ty: Ty) -> Src {
        let moved = b.alu_ty(AluOp::UShr, Ty::X32, &[dword, shift]);
        b.alu_ty(AluOp::U2U, ty.scalar(), &[moved.into()]).into()
    }

    /// At which byte of a dword the access starts, if the alignment shows it.
    fn first_byte(&self) -> Option<u32> {
        (self.align.mul >= DWORD).then_some(self.align.offset % DWORD)
    }

    /// The position of the element at the byte offset of the access plus `bytes`, computed at run time.
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

    /// Builds stores of the components `wanted` of type `ty`. The last one is returned instead of inserted.
    fn store(&self, b: &mut Builder<'_>, ty: Ty, wanted: &[(usize, Src)]) -> Option<InstKind> {
        let (mut last, mut rest) = (None, wanted);
        while let [(first, _), ..] = rest {
            if let Some(kind) = last {
                let results = results_of(&kind);
                b.inst(kind, results);
            }
            // Consecutive components before `next` are stored together.
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

    /// The first component after `first` that cannot be stored together with it.
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

    /// A store of the first `comps` components of `data`, at the byte offset of the access plus `bytes`.
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

    /// A store of one or two elements of 64 bits, as dwords.
    fn pair(&self, b: &mut Builder<'_>, ty: Ty, wanted: &[(usize, Src)]) -> InstKind {
        let mut dwords: Vec<Src> = Vec::with_capacity(4);
        for (_, src) in wanted {
            let halves = b.alu_ty(AluOp::Unpack64To32, Ty::X32.with_comps(2), &[*src]);
            dwords.extend([Src::comp(halves, 0), Src::comp(halves, 1)]);
        }
        let data = b.vec(&dwords);
        self.whole(b, wanted[0].0 as u32 * ty.comp_bytes(), data.into(), dwords.len())
    }

    /// A store of neighbouring elements in one dword.
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
        // Scratch memory belongs to one invocation, so the dword cannot change between the load and the store.
        let (memory, access, align) = (self.memory, self.access, Align::to(DWORD));
        let old = b.load(memory, offset, align, access, Ty::X32);
        let data = joined(b, ty, wanted);
        let bits = b.imm(bits);
        let srcs = [old.into(), data, shift, bits.into()];
        let data = b.alu_ty(AluOp::BitfieldInsert, Ty::X32, &srcs).into();
        InstKind::Store { memory, offset, data, comps: 1, mask: WriteMask::all(1), align, access }
    }

    /// Builds an atomic that clears bits of a dword, and returns the one that sets them to `data`.
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

/// The elements joined to one dword, the first in the lowest bits.
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
