//! Merges loads of neighbouring dwords into loads of vectors, and stores likewise: up to four components.
//!
//! Offsets count as neighbours when they are constants, or the same value plus constants. A merged load stands where
//! the first of its parts stood, a merged store where the last did. Between the parts nothing may touch what they touch:
//! a store to any other binding might, since bindings may name the same buffer, and barriers, atomics and nested code
//! end all merging. Distance is limited, because merged values live longer.

use super::util::{const_scalar, walk};
use crate::ir::{
    Access, Align, AluOp, Builder, Function, InstId, InstKind, Memory, RegionId, Shader, Src, Ty,
    Value, WriteMask,
};

/// Instructions over which an access may move.
const REACH: usize = 64;
/// Components of a merged access.
const WIDEST: usize = 4;
/// Bytes of a component.
const DWORD: u32 = 4;

/// See the [module](self). Returns whether anything was merged.
pub fn opt_vectorize_memory(shader: &mut Shader) -> bool {
    let mut regions = vec![shader.func.body()];
    walk(&shader.func, |_, _, inst| regions.extend(shader.func.inst(inst).kind.regions()));
    let mut progress = false;
    for region in regions {
        let mut merges = Scan::new(&shader.func).region(region);
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
    /// Where it stands in the region.
    index: usize,
    /// Byte offset from the group's base.
    offset: u32,
    /// Number of components.
    comps: usize,
    align: Align,
}

/// Accesses of one kind with one base.
struct Group {
    store: bool,
    memory: Memory,
    access: Access,
    base: Option<Src>,
    parts: Vec<Part>,
}

/// Accesses that become one: parts in order of their offsets, without gaps.
struct Merge {
    store: bool,
    memory: Memory,
    access: Access,
    base: Option<Src>,
    parts: Vec<Part>,
    comps: usize,
}

struct Scan<'f> {
    func: &'f Function,
    open: Vec<Group>,
    merges: Vec<Merge>,
}

impl<'f> Scan<'f> {
    fn new(func: &'f Function) -> Scan<'f> {
        Scan { func, open: Vec::new(), merges: Vec::new() }
    }

    fn region(mut self, region: RegionId) -> Vec<Merge> {
        let insts = &self.func.region(region).insts;
        for (index, &inst) in insts.iter().enumerate() {
            self.close_if(|group| {
                group.parts.first().is_some_and(|part| index - part.index > REACH)
            });
            match &self.func.inst(inst).kind {
                InstKind::Load { memory, offset, align, access } => {
                    self.close_if(|g| g.store && may_alias(&g.memory, memory));
                    let comps = self.dwords(self.func.inst(inst).results[0]);
                    self.add(false, inst, index, (*memory, *access), *offset, comps, *align);
                }
                InstKind::Store { memory, offset, data, comps, mask, align, access } => {
                    let whole = *mask == WriteMask::all(usize::from(*comps));
                    let (base, at) = self.split(*offset);
                    let comps =
                        self.dwords(data.value).filter(|_| whole).map(|_| usize::from(*comps));
                    let ours =
                        |g: &Group| g.store && g.memory == *memory && same_base(g.base, base);
                    self.close_if(|g| {
                        may_alias(&g.memory, memory)
                            && !(g.access.readonly || ours(g) && !g.overlaps(at, comps))
                    });
                    self.add(true, inst, index, (*memory, *access), *offset, comps, *align);
                }
                InstKind::Atomic { memory, .. } => self.close_if(|g| may_alias(&g.memory, memory)),
                kind if kind.has_effect() => self.close_if(|_| true),
                _ => {}
            }
        }
        self.close_if(|_| true);
        self.merges
    }

    /// The number of components, if they are dwords.
    fn dwords(&self, value: Value) -> Option<usize> {
        let ty = self.func.ty(value);
        (ty.bits() == 8 * DWORD).then_some(ty.comps())
    }

    /// An offset as a base and a constant number of bytes.
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

    #[allow(clippy::too_many_arguments, reason = "what an access is made of")]
    fn add(
        &mut self,
        store: bool,
        inst: InstId,
        index: usize,
        (memory, access): (Memory, Access),
        offset: Src,
        comps: Option<usize>,
        align: Align,
    ) {
        let mergeable =
            !access.volatile && !matches!(memory, Memory::Scratch | Memory::PushConstant);
        let Some(comps) = comps.filter(|&comps| mergeable && comps < WIDEST) else { return };
        let (base, offset) = self.split(offset);
        let part = Part { inst, index, offset, comps, align };
        let fits = |g: &&mut Group| {
            g.store == store && g.memory == memory && g.access == access && same_base(g.base, base)
        };
        match self.open.iter_mut().find(fits) {
            Some(group) => group.parts.push(part),
            None => self.open.push(Group { store, memory, access, base, parts: vec![part] }),
        }
    }

    /// Ends the groups for which `ends` says so.
    fn close_if(&mut self, mut ends: impl FnMut(&Group) -> bool) {
        let mut i = 0;
        while i < self.open.len() {
            if ends(&self.open[i]) {
                let group = self.open.remove(i);
                group.merge_into(&mut self.merges);
            } else {
                i += 1;
            }
        }
    }
}

impl Group {
    /// Whether a part covers any of `comps` dwords (unknown: one) at `offset`.
    fn overlaps(&self, offset: u32, comps: Option<usize>) -> bool {
        let end = |offset: u32, comps: usize| u64::from(offset) + (comps as u64) * u64::from(DWORD);
        let last = end(offset, comps.unwrap_or(WIDEST));
        self.parts
            .iter()
            .any(|p| u64::from(p.offset) < last && u64::from(offset) < end(p.offset, p.comps))
    }

    /// Cuts the parts, by offset, into runs of at most [`WIDEST`] components.
    fn merge_into(mut self, merges: &mut Vec<Merge>) {
        self.parts.sort_by_key(|part| (part.offset, part.index));
        let mut run: Vec<Part> = Vec::new();
        let mut comps = 0;
        let mut flush = |run: &mut Vec<Part>, comps: usize| {
            let parts = std::mem::take(run);
            if parts.len() > 1 {
                let (store, memory) = (self.store, self.memory);
                let (access, base) = (self.access, self.base);
                merges.push(Merge { store, memory, access, base, parts, comps });
            }
        };
        for part in self.parts {
            let next =
                run.first().and_then(|first: &Part| first.offset.checked_add(comps as u32 * DWORD));
            if next != Some(part.offset) || comps + part.comps > WIDEST {
                flush(&mut run, comps);
                comps = 0;
            }
            run.push(part);
            comps += part.comps;
        }
        flush(&mut run, comps);
    }
}

/// Whether accesses to two memories may meet. Bindings may name the same buffer; the other memories are their own.
fn may_alias(a: &Memory, b: &Memory) -> bool {
    match (a, b) {
        (Memory::Ubo(_) | Memory::Ssbo(_), Memory::Ubo(_) | Memory::Ssbo(_)) => {
            !(a.is_read_only() && b.is_read_only())
        }
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

fn same_base(a: Option<Src>, b: Option<Src>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.value == b.value && a.swizzle[0] == b.swizzle[0],
        _ => false,
    }
}

/// Makes the merged accesses of a region.
fn apply(func: &mut Function, region: RegionId, merges: Vec<Merge>) {
    if merges.is_empty() {
        return;
    }
    let mut before: Vec<(usize, Vec<InstId>)> = Vec::new();
    let mut gone = vec![false; func.num_insts()];
    for merge in merges {
        let scratch = func.add_region();
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
    /// The offset of the first part, made anew: its own definition may stand too late.
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

    fn load(&self, b: &mut Builder<'_>) {
        let offset = self.offset(b);
        let ty = Ty::X32.with_comps(self.comps);
        let whole = b.load(self.memory, offset, self.parts[0].align, self.access, ty);
        let mut comp = 0;
        for part in &self.parts {
            let mut swizzle = [comp as u8; 4];
            for (i, s) in swizzle.iter_mut().enumerate().take(part.comps) {
                *s = (comp + i) as u8;
            }
            *b.func.kind_mut(part.inst) =
                InstKind::alu(AluOp::Mov, [Src { value: whole, swizzle }]);
            comp += part.comps;
        }
    }

    fn store(&self, b: &mut Builder<'_>) {
        let offset = self.offset(b);
        let mut comps = Vec::with_capacity(WIDEST);
        for part in &self.parts {
            if let InstKind::Store { data, .. } = b.func.inst(part.inst).kind {
                comps.extend((0..part.comps).map(|comp| data.select(comp)));
            }
        }
        let data = b.vec(&comps);
        b.store(self.memory, offset, data, self.parts[0].align, self.access);
    }
}
