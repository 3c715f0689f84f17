//! Common subexpression elimination: equal computations get one value. It also moves constants to the start of the
//! function, one of each.
//!
//! ```text
//! %2 = iadd %0, %1
//! %3 = iadd %1, %0        removed; uses of %3 read %2
//! ```
//!
//! A value is visible until the end of its region, so a computation can replace each later equal one in its region
//! and the regions inside. Loads qualify if nothing can write the memory. Instructions whose result depends on the
//! invocations that execute them together do not qualify ([`Facts::may_merge`]).
//!
//! [`Facts::may_merge`]: crate::ir::Facts::may_merge

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable, hash_table};

use super::util::{Action, Context, Subst, reads, rewrite_after};
use crate::ir::{AluOp, Function, InstId, InstKind, RegionId, Shader, Src, Ty};

/// See the [module](self). Returns whether an instruction was removed or moved.
pub fn opt_cse(shader: &mut Shader) -> bool {
    let (moved, replaced) = if shader.func.fuel.is_limited() {
        gather_constants_as_one_change(&mut shader.func)
    } else {
        gather_constants(&mut shader.func)
    };
    let mut open = vec![false; shader.func.num_regions()];
    let mut seen = Seen::with_capacity(shader.func.region(shader.func.body()).insts.len());
    let mut trail: Vec<RegionId> = Vec::new();
    let merged = rewrite_after(&mut shader.func, replaced, |b, cx, inst| {
        // The enclosing regions of the current instruction, outermost first. Their results are visible here.
        let (region, depth) = (b.region(), cx.depth as usize);
        if trail.get(depth) != Some(&region) || trail.len() > depth + 1 {
            let keep = depth + usize::from(trail.get(depth) == Some(&region));
            for closed in trail.drain(keep.min(trail.len())..) {
                open[closed.index()] = false;
            }
            if keep == depth {
                trail.push(region);
                open[region.index()] = true;
            }
        }

        let Some(first) = seen.first_or_insert(b.func, inst, region, &open) else {
            return Action::Keep;
        };
        if !b.func.may_change(inst) {
            return Action::Keep;
        }
        Action::Replace(merge(b.func, first, inst))
    });
    moved | merged
}

/// The computations found so far, as a hash table. An entry does not store its key but computes it again if hashes are
/// equal, because a table of whole instructions would exceed the processor's caches.
struct Seen {
    hasher: DefaultHashBuilder,
    entries: HashTable<Entry>,
}

struct Entry {
    /// Hash of the computation's key.
    hash: u64,
    inst: InstId,
    /// The region of the instruction.
    parent: RegionId,
}

impl Seen {
    fn with_capacity(capacity: usize) -> Seen {
        Seen { hasher: Default::default(), entries: HashTable::with_capacity(capacity) }
    }

    /// Returns the computation equal to `inst` in an enclosing region. If there is none, returns `None` and records
    /// `inst`, if it may be merged, in place of an equal computation that is no longer visible.
    fn first_or_insert(
        &mut self,
        func: &Function,
        inst: InstId,
        region: RegionId,
        open: &[bool],
    ) -> Option<InstId> {
        let (hash, found) = if let Some(wanted) = AluKey::of(func, inst) {
            let hash = wanted.hash();
            let same = |entry: &Entry| {
                entry.hash == hash && AluKey::of(func, entry.inst).as_ref() == Some(&wanted)
            };
            (hash, self.entries.find_mut(hash, same))
        } else {
            let wanted = key(func, inst)?;
            let hash = self.hasher.hash_one(&wanted);
            let same = |entry: &Entry| {
                entry.hash == hash && key(func, entry.inst).as_ref() == Some(&wanted)
            };
            (hash, self.entries.find_mut(hash, same))
        };
        let new = Entry { hash, inst, parent: region };
        match found {
            Some(entry) if open[entry.parent.index()] => return Some(entry.inst),
            Some(closed) => *closed = new,
            None => {
                self.entries.insert_unique(hash, new, |entry| entry.hash);
            }
        }
        None
    }
}

/// The greatest number of sources of an arithmetic operation. A further source would be missing in the key.
const MAX_SRCS: usize = 4;

/// What equal computations have in common.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Key {
    Alu(AluKey),
    Other(InstKind, Ty),
}

impl Key {
    /// The key of an instruction; `None` if it must not be merged.
    pub(super) fn of(func: &Function, inst: InstId) -> Option<Key> {
        match AluKey::of(func, inst) {
            Some(alu) => Some(Key::Alu(alu)),
            None => key(func, inst).map(|(kind, ty)| Key::Other(kind, ty)),
        }
    }
}

/// Replaces the computation `inst` by the equal one `first`: what holds for one of them holds for `first` then. The caller
/// replaces the result.
pub(super) fn merge(func: &mut Function, first: InstId, inst: InstId) -> Src {
    if is_exact(func, inst) {
        make_exact(func, first);
    }
    func.merge_loc(first, inst);
    Src::new(func.inst(first).results[0])
}

/// What equal arithmetic operations have in common. The sources are encoded as numbers, 0 for absent ones.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct AluKey {
    op: AluOp,
    ty: Ty,
    srcs: [u64; MAX_SRCS],
}

impl AluKey {
    /// The key of an instruction; `None` if it is not arithmetic.
    #[inline]
    fn of(func: &Function, inst: InstId) -> Option<AluKey> {
        let data = func.inst(inst);
        let InstKind::Alu { op, srcs, .. } = &data.kind else { return None };
        debug_assert!(srcs.len() <= MAX_SRCS);
        let ty = func.ty(data.results[0]);
        let row = op.row();
        let mut key = AluKey { op: *op, ty, srcs: [0; MAX_SRCS] };
        for (i, (place, &src)) in key.srcs.iter_mut().zip(srcs).enumerate() {
            *place = read(src, op.src_comps(i, ty.comps()));
        }
        if row.commutative && key.srcs[0] > key.srcs[1] {
            key.srcs.swap(0, 1);
        }
        Some(key)
    }

    /// A hash of the key that is fast to compute.
    fn hash(&self) -> u64 {
        let ty = u64::from(self.ty.bits()) << 8 | self.ty.comps() as u64;
        let [a, b, c, d] = self.srcs;
        let hash = mix(mix((self.op as u64) << 16 | ty, a), b);
        // Most operations have at most two sources.
        if c == 0 { hash } else { mix(mix(hash, c), d) }
    }
}

/// Encodes a source of which the first `comps` components are read, as a number that is not 0.
fn read(src: Src, comps: usize) -> u64 {
    let swizzle = u32::from_le_bytes(src.swizzle) & u32::MAX >> (32 - 8 * comps);
    u64::from(swizzle) << 32 | (src.value.index() as u64 + 1)
}

/// Combines a hash with one more number. The result is well distributed in its low and high bits, both of which the
/// table uses.
fn mix(hash: u64, more: u64) -> u64 {
    // Avoids that a hash of 0 and a number of 0 give 0.
    let hash = hash.wrapping_add(0x517c_c1b7_2722_0a95);
    let product = u128::from(hash ^ more) * 0x9e37_79b9_7f4a_7c15;
    (product >> 64) as u64 ^ product as u64
}

/// The key of a computation other than arithmetic; `None` if it must not be merged.
fn key(func: &Function, inst: InstId) -> Option<(InstKind, Ty)> {
    let data = func.inst(inst);
    // `gather_constants` handles constants.
    if !data.kind.facts().may_merge() || constant(func, inst).is_some() {
        return None;
    }
    let counts = reads(func, &[], &Context::default(), inst);
    let mut kind = data.kind.clone();
    let mut i = 0;
    kind.for_each_src_mut(|src| {
        forget_unread(src, counts[i]);
        i += 1;
    });
    Some((kind, func.ty(data.results[0])))
}

/// Clears the swizzle entries that are not read, so that they do not make sources unequal.
fn forget_unread(src: &mut Src, count: usize) {
    src.swizzle[count..].fill(0);
}

fn is_exact(func: &Function, inst: InstId) -> bool {
    matches!(func.inst(inst).kind, InstKind::Alu { exact: true, .. })
}

fn make_exact(func: &mut Function, inst: InstId) {
    if let InstKind::Alu { exact, .. } = func.kind_mut(inst) {
        *exact = true;
    }
}

/// For a constant, its components; for an undefined value, `Some(None)`; for other instructions, `None`.
fn constant(func: &Function, inst: InstId) -> Option<Option<[u64; 4]>> {
    match func.inst(inst).kind {
        InstKind::Const(bits) => Some(Some(bits)),
        InstKind::Undef => Some(None),
        _ => None,
    }
}

/// Does the same as [`gather_constants`] as a single change. If the fuel allows no more changes, restores the function.
fn gather_constants_as_one_change(func: &mut Function) -> (bool, Subst) {
    let before = func.clone();
    let (changed, subst) = gather_constants(func);
    if changed && !func.fuel.take(|| "all constants".to_owned()) {
        *func = before;
        return (false, Subst::default());
    }
    (changed, subst)
}

/// Moves constants and undefined values to the start of the function, and merges equal ones. Returns whether anything
/// changed, and the replacements of the removed values, which the caller must apply.
fn gather_constants(func: &mut Function) -> (bool, Subst) {
    // The seed is random. With a known hash function, an input could contain many constants with equal hashes.
    let seed = DefaultHashBuilder::default().hash_one(());
    // For each distinct constant: its hash, and the instruction that is kept.
    let mut first: HashTable<(u64, InstId)> = HashTable::with_capacity(64);
    let mut subst = Subst::default();
    let mut moved = Vec::new();
    // Number of constants that are already at the start of the body. They stay there.
    let mut at_start = 0;
    let mut regions = vec![func.body()];
    while let Some(region) = regions.pop() {
        let is_body = region == func.body();
        let mut leaving = 0;
        for (at, &inst) in func.region(region).insts.iter().enumerate() {
            let Some(bits) = constant(func, inst) else {
                let kind = &func.inst(inst).kind;
                if kind.owns_regions() {
                    regions.extend(kind.regions());
                }
                continue;
            };
            let value = func.inst(inst).results[0];
            let ty = func.ty(value);
            let mut hash = mix(seed, u64::from(ty.bits()) << 8 | ty.comps() as u64);
            for &comp in &bits.unwrap_or_default()[..ty.comps()] {
                hash = mix(hash, comp);
            }
            let same = |&(other, kept): &(u64, InstId)| {
                other == hash
                    && constant(func, kept) == Some(bits)
                    && func.ty(func.inst(kept).results[0]) == ty
            };
            match first.entry(hash, same, |entry| entry.0) {
                hash_table::Entry::Occupied(kept) => {
                    let kept = func.inst(kept.get().1).results[0];
                    subst.insert(value, Src::new(kept));
                    leaving += 1;
                }
                hash_table::Entry::Vacant(place) => {
                    place.insert((hash, inst));
                    if is_body && at == at_start + leaving {
                        at_start += 1;
                    } else {
                        moved.push(inst);
                        leaving += 1;
                    }
                }
            }
        }
        if leaving > 0 {
            let mut list = std::mem::take(&mut func.region_mut(region).insts);
            let mut stay = if is_body { at_start } else { 0 };
            list.retain(|&inst| {
                let leaves = constant(func, inst).is_some()
                    && (stay == 0 || subst.has(func.inst(inst).results[0]));
                stay -= usize::from(stay > 0 && !leaves);
                !leaves
            });
            func.region_mut(region).insts = list;
        }
    }
    let changed = !moved.is_empty() || !subst.is_empty();
    let body = func.body();
    func.region_mut(body).insts.splice(at_start..at_start, moved);
    (changed, subst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn keys_have_room_for_the_sources_of_every_operation() {
        for op in AluOp::all() {
            assert!(op.row().srcs.len() <= MAX_SRCS, "{op:?}");
        }
    }

    /// The body of a shader after constants are gathered, with words separated by single spaces.
    fn gathered(body: &str) -> String {
        let head =
            "compute \"t\" {\nlocal_size 1, 1, 1\nbinding b0: ssbo set 0 binding 0 \"out\"\n";
        let mut shader = parse(&format!("{head}{body}\nreturn\n}}")).unwrap();
        let original = shader.clone();
        let (changed, subst) = gather_constants(&mut shader.func);
        subst.apply_everywhere(&mut shader.func);
        crate::verify::verify(&shader).unwrap();
        assert_eq!(changed, shader != original);
        shader.compact();
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = shader.to_string();
        let lines: Vec<_> = text.lines().map(words).skip_while(|line| !line.is_empty()).collect();
        lines[1..lines.len() - 2].join("\n")
    }

    #[test]
    fn duplicates_among_the_leading_constants_go() {
        let made = gathered(
            "%0: 32 = const 1
            %1: 32 = const 1
            %2: 32 = const 2
            %3: 32 = const 1
            %4: 32 = iadd %1, %2
            store ssbo b0, %3, %4, align 4",
        );
        let expected = [
            "%0: 32 = const 1",
            "%1: 32 = const 2",
            "%2: 32 = iadd %0, %1",
            "store ssbo b0, %0, %2, align 4",
        ];
        assert_eq!(made, expected.join("\n"));
    }

    #[test]
    fn later_constants_follow_the_leading_ones() {
        let made = gathered(
            "%0: 32 = const 1
            %1: 32 = const 1
            %2: 32 = sysval local_invocation_index
            %3: 32 = const 2
            %4: 1 = ult %2, %1
            %5: 32 = const 1
            if %4 {
                %6: 32 = const 2
                %7: 32 = const 3
                store ssbo b0, %6, %7, align 4
                yield
            } else {
                yield
            }
            store ssbo b0, %3, %5, align 4",
        );
        let expected = [
            "%0: 32 = const 1",
            "%1: 32 = const 2",
            "%2: 32 = const 3",
            "%3: 32 = sysval local_invocation_index",
            "%4: 1 = ult %3, %0",
            "if %4 {",
            "store ssbo b0, %1, %2, align 4",
            "yield",
            "} else {",
            "yield",
            "}",
            "store ssbo b0, %1, %0, align 4",
        ];
        assert_eq!(made, expected.join("\n"));
    }

    #[test]
    fn undefined_values_are_one_of_each_type_and_no_zeros() {
        let made = gathered(
            "%0: 32 = const 0
            %1: 32 = undef
            %2: 32x2 = const 0, 0
            %3: 32x2 = undef
            %4: 32 = undef
            store ssbo b0, %0, %4, align 4
            store ssbo b0, %1, %3, align 4
            store ssbo b0, %1, %2, align 4",
        );
        let expected = [
            "%0: 32 = const 0",
            "%1: 32 = undef",
            "%2: 32x2 = const 0, 0",
            "%3: 32x2 = undef",
            "store ssbo b0, %0, %1, align 4",
            "store ssbo b0, %1, %3, align 4",
            "store ssbo b0, %1, %2, align 4",
        ];
        assert_eq!(made, expected.join("\n"));
    }

    #[test]
    fn constants_where_they_belong_stay() {
        let body = "%0: 32 = const 0\n%1: 32x2 = const 0, 1\nstore ssbo b0, %0, %1, align 4";
        assert_eq!(gathered(body), body);
    }
}
