//! Gives equal computations one value, and constants one place: the start of the function.
//!
//! Dominance is scoping, so a computation serves every later equal one for as long as its region is open. Loads count
//! where nothing can write the memory.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{HashMap, HashTable, hash_table};

use super::util::{Action, Context, Subst, prepend, reads, rewrite};
use crate::ir::{AluOp, Function, InstId, InstKind, RegionId, Shader, Src, Srcs, Ty, Value};

/// See the [module](self). Returns whether an instruction went or moved.
pub fn opt_cse(shader: &mut Shader) -> bool {
    let moved = gather_constants(&mut shader.func);
    let mut open = vec![false; shader.func.num_regions()];
    let mut seen = Seen::with_capacity(shader.func.region(shader.func.body()).insts.len());
    let mut trail: Vec<RegionId> = Vec::new();
    let merged = rewrite(&mut shader.func, |b, cx, inst| {
        // The trail is the path of regions down to this one.
        let region = b.region();
        for closed in trail.drain((cx.depth as usize).min(trail.len())..) {
            open[closed.index()] = false;
        }
        trail.push(region);
        open[region.index()] = true;

        let Some(first) = seen.first_or_insert(b.func, inst, region, &open) else {
            return Action::Keep;
        };
        if is_exact(b.func, inst) {
            make_exact(b.func, first);
        }
        Action::Replace(Src::new(b.func.inst(first).results[0]))
    });
    moved | merged
}

/// Computations met so far. An entry is small and its key is computed again where hashes are equal: tables of whole
/// instructions would not fit the caches.
struct Seen {
    hasher: hashbrown::DefaultHashBuilder,
    entries: HashTable<Entry>,
}

struct Entry {
    hash: u64,
    inst: InstId,
    home: RegionId,
}

impl Seen {
    fn with_capacity(capacity: usize) -> Seen {
        Seen { hasher: Default::default(), entries: HashTable::with_capacity(capacity) }
    }

    /// The computation equal to `inst` in an open region, or `None`, and from now on that is `inst` if it may serve
    /// others.
    fn first_or_insert(
        &mut self,
        func: &Function,
        inst: InstId,
        region: RegionId,
        open: &[bool],
    ) -> Option<InstId> {
        let wanted = key(func, inst)?;
        let hash = self.hasher.hash_one(&wanted);
        let same = |entry: &Entry| {
            entry.hash == hash && key(func, entry.inst).is_some_and(|key| key == wanted)
        };
        match self.entries.entry(hash, same, |entry| entry.hash) {
            hash_table::Entry::Occupied(entry) if open[entry.get().home.index()] => {
                Some(entry.get().inst)
            }
            hash_table::Entry::Occupied(mut closed) => {
                *closed.get_mut() = Entry { hash, inst, home: region };
                None
            }
            hash_table::Entry::Vacant(place) => {
                place.insert(Entry { hash, inst, home: region });
                None
            }
        }
    }
}

/// What equal computations have in common.
#[derive(PartialEq)]
enum Key {
    Alu(AluOp, Ty, Srcs),
    Other(InstKind, Ty),
}

impl Hash for Key {
    // What is hashed most as a few numbers.
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Key::Alu(op, ty, srcs) => {
                let ty = u64::from(ty.bits()) << 8 | ty.comps() as u64;
                state.write_u64((*op as u64) << 16 | ty);
                srcs.iter().for_each(|src| src.hash(state));
            }
            Key::Other(kind, ty) => (kind, ty).hash(state),
        }
    }
}

/// The key of a computation, or `None` if it must stay by itself.
fn key(func: &Function, inst: InstId) -> Option<Key> {
    let data = func.inst(inst);
    match &data.kind {
        InstKind::Alu { op, srcs, .. } => {
            let ty = func.ty(data.results[0]);
            let row = op.row();
            let mut srcs = Srcs::from_slice(srcs);
            for (i, src) in srcs.iter_mut().enumerate() {
                forget_unread(src, op.src_comps(i, ty.comps()));
            }
            let order = |src: &Src| (src.value, src.swizzle);
            if row.commutative && order(&srcs[0]) > order(&srcs[1]) {
                srcs.swap(0, 1);
            }
            return Some(Key::Alu(*op, ty, srcs));
        }
        InstKind::SysVal(_)
        | InstKind::LoadInput { .. }
        | InstKind::BufferSize(_)
        | InstKind::ImageSize(_)
        | InstKind::ImageParam { .. }
        // Nothing in a dispatch writes what the sampler unit reads.
        | InstKind::Texture(_) => {}
        InstKind::ImageLoad { access, .. } if !access.volatile && access.readonly => {}
        InstKind::Load { memory, access, .. }
            if !access.volatile && (access.readonly || memory.is_read_only()) => {}
        _ => return None,
    }
    let counts = reads(func, &[], &Context::default(), inst);
    let mut kind = data.kind.clone();
    let mut i = 0;
    kind.for_each_src_mut(|src| {
        forget_unread(src, counts[i]);
        i += 1;
    });
    Some(Key::Other(kind, func.ty(data.results[0])))
}

/// Entries of a swizzle beyond those read mean nothing: makes them equal.
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

/// A constant, or an undefined value.
#[derive(PartialEq, Eq)]
struct Constant {
    ty: Ty,
    bits: Option<[u64; 4]>,
}

impl Hash for Constant {
    // As one number, which keeps all bits of small components apart.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [x, y, z, w] = self.bits.unwrap_or_default();
        let bits = x ^ y.rotate_left(16) ^ z.rotate_left(32) ^ w.rotate_left(48);
        state.write_u64(bits ^ u64::from(self.ty.bits()) << 56);
    }
}

/// Moves constants and undefined values to the start of the function, one of each.
fn gather_constants(func: &mut Function) -> bool {
    let mut first: HashMap<Constant, Value> = HashMap::with_capacity(64);
    let mut gathered = Vec::new();
    let mut subst = Subst::default();
    let mut sorted = true;
    let mut regions = vec![func.body()];
    while let Some(region) = regions.pop() {
        let mut list = std::mem::take(&mut func.region_mut(region).insts);
        let mut at_start = region == func.body();
        list.retain(|&inst| {
            let data = func.inst(inst);
            let bits = match data.kind {
                InstKind::Const(bits) => Some(bits),
                InstKind::Undef => None,
                _ => {
                    at_start = false;
                    regions.extend(data.kind.regions());
                    return true;
                }
            };
            let value = data.results[0];
            match first.entry(Constant { ty: func.ty(value), bits }) {
                hashbrown::hash_map::Entry::Occupied(kept) => {
                    subst.insert(value, Src::new(*kept.get()));
                    sorted = false;
                }
                hashbrown::hash_map::Entry::Vacant(new) => {
                    new.insert(value);
                    gathered.push(inst);
                    sorted &= at_start;
                }
            }
            false
        });
        func.region_mut(region).insts = list;
    }
    subst.apply_everywhere(func);
    prepend(func, gathered);
    !sorted
}
