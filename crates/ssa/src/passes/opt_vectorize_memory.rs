//! Merges loads of neighbouring dwords into vector loads, and stores into vector stores, of up to four components:
//!
//! ```text
//! before:                             after:
//! %2 = load ssbo b0, %0               %4 = load ssbo b0, %0 (two components)
//! %3 = load ssbo b0, %0 + 4           %2 = mov %4.x;  %3 = mov %4.y
//! ```
//!
//! Offsets are comparable if they are constants, or the same value plus constants. A merged load is at the position
//! of the first of its parts, a merged store at that of the last. Between the parts no instruction may access the
//! same bytes in a conflicting way. Addresses and bindings that are `aliased` may refer to the same buffer. Barriers and nested regions end all merging. The distance is limited, because merged
//! values have longer live ranges.

use super::util::{const_scalar, walk};
use crate::analysis::{canonical, may_alias};
use crate::ir::{
    Access, Align, AluOp, Builder, DebugLoc, Function, InstId, InstKind, Memory, RegionId, Shader,
    Src, Ty, WriteMask,
};

/// Greatest number of instructions between the first and the last part of a merged access.
pub(crate) const REACH: usize = 64;
/// Greatest number of components of a merged access.
pub(crate) const WIDEST: usize = 4;
/// Bytes per dword.
const DWORD: u32 = 4;

/// See the [module](self). Returns whether anything was merged.
pub fn opt_vectorize_memory(shader: &mut Shader) -> bool {
    merge_accesses(shader, Sizes::Dwords)
}

/// Which accesses are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Those of components of 32 bits.
    Dwords,
    /// Those of components of 8 or 16 bits, if the first component starts a dword.
    Small,
}

/// Merges accesses to neighbouring components of the given sizes. Returns whether anything was merged.
pub(super) fn merge_accesses(shader: &mut Shader, sizes: Sizes) -> bool {
    let mut regions = vec![shader.func.body()];
    walk(&shader.func, |_, _, inst| regions.extend(shader.func.inst(inst).kind.regions()));
    let mut progress = false;
    for region in regions {
        let mut merges = Scan::new(&shader.func, sizes).region(region);
        merges.retain(|merge| shader.func.may_change(merge.parts[0].inst));
        progress |= !merges.is_empty();
        apply(&mut shader.func, region, merges);
    }
    progress
}

/// One access in a group.
#[derive(Clone, Copy)]
struct Part {
    inst: InstId,
    /// Position in the region.
    index: usize,
    /// Byte offset from the group's base.
    offset: u32,
    /// Type of the value.
    ty: Ty,
    align: Align,
}

impl Part {
    fn comps(&self) -> usize {
        self.ty.comps()
    }

    fn bytes(&self) -> u32 {
        self.ty.comps() as u32 * self.ty.comp_bytes()
    }
}

/// Accesses that may be merged: all loads or all stores, with the same memory, access flags, base and component size.
struct Group {
    store: bool,
    memory: Memory,
    access: Access,
    base: Option<Src>,
    /// Type of a component.
    unit: Ty,
    parts: Vec<Part>,
}

/// Accesses that become one. The parts are in order of their offsets, without gaps.
struct Merge {
    store: bool,
    memory: Memory,
    access: Access,
    base: Option<Src>,
    parts: Vec<Part>,
    /// Type of the merged value.
    ty: Ty,
}

/// The scan of a region for accesses to merge.
struct Scan<'f> {
    func: &'f Function,
    sizes: Sizes,
    /// Groups to which accesses may still be added.
    open: Vec<Group>,
    merges: Vec<Merge>,
}

impl<'f> Scan<'f> {
    fn new(func: &'f Function, sizes: Sizes) -> Scan<'f> {
        Scan { func, sizes, open: Vec::new(), merges: Vec::new() }
    }

    /// Collects the accesses of a region that can be merged. A conflicting access closes the groups that it conflicts
    /// with.
    fn region(mut self, region: RegionId) -> Vec<Merge> {
        let insts = &self.func.region(region).insts;
        for (index, &inst) in insts.iter().enumerate() {
            self.close_if(|group| {
                group.parts.first().is_some_and(|part| index - part.index > REACH)
            });
            match &self.func.inst(inst).kind {
                InstKind::Load { memory, offset, align, access } => {
                    self.close_if(|g| {
                        g.store && conflict((&g.memory, g.access), (memory, *access))
                    });
                    let ty = self.func.ty(self.func.inst(inst).results[0]);
                    let memory = canonical(*memory);
                    self.add(false, inst, index, (memory, *access), *offset, ty, *align);
                }
                InstKind::Store { memory, offset, data, comps, mask, align, access } => {
                    let memory = &canonical(*memory);
                    let whole = *mask == WriteMask::all(usize::from(*comps));
                    let (base, at) = self.split(*offset);
                    let ty = self.func.ty(data.value).with_comps(usize::from(*comps));
                    let bytes = ty.comps() as u32 * ty.comp_bytes();
                    let ours =
                        |g: &Group| g.store && g.memory == *memory && same_base(g.base, base);
                    // Loads that guarantee read-only memory do not conflict, nor do stores to other bytes at the same
                    // base.
                    self.close_if(|g| {
                        conflict((&g.memory, g.access), (memory, *access))
                            && !(g.access.readonly || ours(g) && !g.overlaps(at, bytes))
                    });
                    if whole {
                        self.add(true, inst, index, (*memory, *access), *offset, ty, *align);
                    }
                }
                InstKind::Atomic { memory, access, .. } => {
                    self.close_if(|g| conflict((&g.memory, g.access), (memory, *access)));
                }
                kind if kind.has_effect() => self.close_if(|_| true),
                _ => {}
            }
        }
        self.close_if(|_| true);
        self.merges
    }

    /// Whether accesses to values of a type are merged.
    fn takes(&self, ty: Ty) -> bool {
        match self.sizes {
            Sizes::Dwords => ty.bits() == 8 * DWORD,
            Sizes::Small => matches!(ty.bits(), 8 | 16),
        }
    }

    /// Splits an offset into a variable base and a constant number of bytes.
    fn split(&self, offset: Src) -> (Option<Src>, u32) {
        if let Some(bytes) = const_scalar(self.func, offset) {
            return (None, bytes as u32);
        }
        if let Some(inst) = self.func.def(offset.value)
            && let InstKind::Alu { op: AluOp::IAdd, srcs, .. } = &inst.kind
        {
            let comp = usize::from(offset.swizzle[0]);
            let (a, b) = (srcs[0].select(comp), srcs[1].select(comp));
            for (base, bytes) in [(a, b), (b, a)] {
                if let Some(bytes) = const_scalar(self.func, bytes) {
                    return (Some(base), bytes as u32);
                }
            }
        }
        (Some(offset.select(0)), 0)
    }

    /// Adds an access to the group that it fits, or to a new group. Volatile accesses, wide accesses and accesses of
    /// other sizes are left alone.
    #[allow(clippy::too_many_arguments, reason = "what an access is made of")]
    fn add(
        &mut self,
        store: bool,
        inst: InstId,
        index: usize,
        (memory, access): (Memory, Access),
        offset: Src,
        ty: Ty,
        align: Align,
    ) {
        let mergeable =
            !access.volatile && !matches!(memory, Memory::Scratch | Memory::PushConstant);
        if !mergeable || !self.takes(ty) || ty.comps() >= WIDEST {
            return;
        }
        let (base, offset) = self.split(offset);
        let part = Part { inst, index, offset, ty, align };
        let unit = ty.scalar();
        let fits = |g: &&mut Group| {
            g.store == store
                && g.memory == memory
                && g.access == access
                && g.unit == unit
                && same_base(g.base, base)
        };
        match self.open.iter_mut().find(fits) {
            Some(group) => group.parts.push(part),
            None => {
                self.open.push(Group { store, memory, access, base, unit, parts: vec![part] });
            }
        }
    }

    /// Closes the groups for which `ends` returns true, and merges their accesses.
    fn close_if(&mut self, mut ends: impl FnMut(&Group) -> bool) {
        let mut i = 0;
        while i < self.open.len() {
            if ends(&self.open[i]) {
                let group = self.open.remove(i);
                group.merge_into(&mut self.merges, self.sizes);
            } else {
                i += 1;
            }
        }
    }
}

impl Group {
    /// Whether a part covers any of `bytes` bytes at `offset`.
    fn overlaps(&self, offset: u32, bytes: u32) -> bool {
        let end = |offset: u32, bytes: u32| u64::from(offset) + u64::from(bytes);
        let last = end(offset, bytes);
        self.parts
            .iter()
            .any(|p| u64::from(p.offset) < last && u64::from(offset) < end(p.offset, p.bytes()))
    }

    /// Sorts the parts by offset, and merges runs of neighbours of at most [`WIDEST`] components.
    fn merge_into(mut self, merges: &mut Vec<Merge>, sizes: Sizes) {
        self.parts.sort_by_key(|part| (part.offset, part.index));
        let mut run: Vec<Part> = Vec::new();
        let mut comps = 0;
        let mut flush = |run: &mut Vec<Part>, comps: usize| {
            let parts = std::mem::take(run);
            let aligned = |part: &Part| sizes == Sizes::Dwords || part.align.bytes() >= DWORD;
            if parts.len() > 1 && aligned(&parts[0]) {
                let (store, memory) = (self.store, self.memory);
                let (access, base, ty) = (self.access, self.base, self.unit.with_comps(comps));
                merges.push(Merge { store, memory, access, base, parts, ty });
            }
        };
        let size = self.unit.comp_bytes();
        for part in self.parts {
            let next =
                run.first().and_then(|first: &Part| first.offset.checked_add(comps as u32 * size));
            // A run of small components starts where a dword starts.
            let starts = sizes == Sizes::Small && part.align.bytes() >= DWORD;
            let apart = starts && run.first().is_some_and(|first| first.align.bytes() < DWORD);
            if next != Some(part.offset) || comps + part.comps() > WIDEST || apart {
                flush(&mut run, comps);
                comps = 0;
            }
            comps += part.comps();
            run.push(part);
        }
        flush(&mut run, comps);
    }
}

/// Whether accesses to two memories may access the same bytes. A uniform buffer may be part of a buffer that is written
/// through a binding or by address.
pub(crate) fn conflict((x, to_x): (&Memory, Access), (y, to_y): (&Memory, Access)) -> bool {
    match (x, y) {
        (Memory::Ssbo(_), Memory::Ssbo(_)) => may_alias((x, to_x), (y, to_y)),
        (
            Memory::Ubo(_) | Memory::Ssbo(_) | Memory::Global(_),
            Memory::Ubo(_) | Memory::Ssbo(_) | Memory::Global(_),
        ) => !(x.is_read_only() && y.is_read_only()),
        _ => std::mem::discriminant(x) == std::mem::discriminant(y),
    }
}

/// Whether two bases are the same component of the same value.
fn same_base(a: Option<Src>, b: Option<Src>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.value == b.value && a.swizzle[0] == b.swizzle[0],
        _ => false,
    }
}

/// Inserts the merged accesses of a region. Merged loads are replaced by moves, merged stores are removed.
fn apply(func: &mut Function, region: RegionId, merges: Vec<Merge>) {
    if merges.is_empty() {
        return;
    }
    let mut before: Vec<(usize, Vec<InstId>)> = Vec::new();
    let mut gone = vec![false; func.num_insts()];
    for merge in merges {
        let scratch = func.add_region();
        func.loc = merge.parts.iter().fold(DebugLoc::NONE, |loc, part| {
            let more = func.loc_of(part.inst);
            func.debug.merge(loc, more)
        });
        let mut b = Builder::new(func, scratch);
        let at = if merge.store {
            merge.parts.iter().for_each(|part| gone[part.inst.index()] = true);
            merge.store(&mut b);
            merge.parts.iter().map(|part| part.index).max()
        } else {
            merge.load(&mut b);
            merge.parts.iter().map(|part| part.index).min()
        };
        let made = std::mem::take(&mut func.region_mut(scratch).insts);
        before.push((at.unwrap_or(0), made));
    }
    func.loc = DebugLoc::NONE;
    before.sort_by_key(|(at, _)| *at);
    let old = std::mem::take(&mut func.region_mut(region).insts);
    let mut new = Vec::with_capacity(old.len());
    let mut before = before.into_iter().peekable();
    for (index, inst) in old.into_iter().enumerate() {
        while let Some((_, made)) = before.next_if(|(at, _)| *at == index) {
            new.extend(made);
        }
        if !gone.get(inst.index()).is_some_and(|&gone| gone) {
            new.push(inst);
        }
    }
    func.region_mut(region).insts = new;
}

impl Merge {
    /// The offset of the first part, computed again because its own definition may come later in the code.
    fn offset(&self, b: &mut Builder<'_>) -> Src {
        let bytes = self.parts[0].offset;
        match self.base {
            None => b.imm(bytes).into(),
            Some(base) if bytes == 0 => base,
            Some(base) => {
                let bytes = b.imm(bytes);
                b.alu_ty(AluOp::IAdd, Ty::X32, &[base, bytes.into()]).into()
            }
        }
    }

    /// Makes the merged load, and turns the parts into moves of its components.
    fn load(&self, b: &mut Builder<'_>) {
        let offset = self.offset(b);
        let whole = b.load(self.memory, offset, self.parts[0].align, self.access, self.ty);
        let mut comp = 0;
        for part in &self.parts {
            let mut swizzle = [comp as u8; 4];
            for (i, s) in swizzle.iter_mut().enumerate().take(part.comps()) {
                *s = (comp + i) as u8;
            }
            *b.func.kind_mut(part.inst) =
                InstKind::alu(AluOp::Mov, [Src { value: whole, swizzle }]);
            comp += part.comps();
        }
    }

    /// Makes the merged store.
    fn store(&self, b: &mut Builder<'_>) {
        let offset = self.offset(b);
        let mut comps = Vec::with_capacity(WIDEST);
        for part in &self.parts {
            if let InstKind::Store { data, .. } = b.func.inst(part.inst).kind {
                comps.extend((0..part.comps()).map(|comp| data.select(comp)));
            }
        }
        let data = b.vec(&comps);
        b.store(self.memory, offset, data, self.parts[0].align, self.access);
    }
}
