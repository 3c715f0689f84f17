//! `opt_cse`: replaces an instruction by a copy of an earlier result in the same block, if both compute the same.
//!
//! The earlier instruction must have computed all channels that the later one needs: both have the same channels and
//! NoMask setting. No instruction between them may change the sources or the result of the earlier one.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode};
use hashbrown::{DefaultHashBuilder, HashTable};

use super::by_register::ByRegister;
use super::{PassError, legal};
use crate::ir::{Effect, File, Function, Inst, Op};

/// Replaces instructions that compute an earlier result again by copies of it. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_cse(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let mut changed = false;
    let mut known = Known {
        hasher: DefaultHashBuilder::default(),
        table: HashTable::new(),
        by_register: ByRegister::new(function),
    };
    for block in &mut function.blocks {
        known.clear();
        for at in 0..block.insts.len() {
            let (before, rest) = block.insts.split_at_mut(at);
            let inst = &mut rest[0];
            let hash = candidate(inst).then(|| known.hasher.hash_one(Key(inst)));
            let earlier = hash.and_then(|hash| known.find(hash, inst, before));
            let result = earlier.and_then(|at| before[at].dst.as_source(inst.access_mode));
            if let Some(result) = result
                && function.fuel.take(|| inst.to_string())
            {
                if let Some(at) = earlier
                    && before[at].origin != inst.origin
                {
                    let debug = Arc::make_mut(&mut function.debug);
                    before[at].origin = before[at].origin.merged(inst.origin, debug);
                }
                inst.op = Op::Hw(Opcode::Mov);
                inst.srcs = [result].as_slice().into();
                inst.saturate = false;
                inst.acc_wr_en = false;
                inst.message = None;
                changed = true;
            }
            known.kill(inst, before);
            if let Some(hash) = hash
                && !reads_own_result(inst)
            {
                known.add(hash, inst, at);
            }
        }
    }
    Ok(changed)
}

fn reads_own_result(inst: &Inst) -> bool {
    (0..inst.srcs.len()).any(|index| inst.dst_overlaps_src(index))
}

/// Whether the result of the instruction depends on its sources only, and it has no effect other than its
/// destination.
fn candidate(inst: &Inst) -> bool {
    let pure_message = inst.op == Op::Message
        && inst.message.as_ref().is_some_and(|m| {
            m.effect == Effect::Pure
                && !m.eot
                && inst.size_written() == inst.dst.region_bytes(inst.exec_size)
        });
    let computes = legal::has_regions(inst.op) || inst.op == Op::MulHigh || pure_message;
    computes
        && (!inst.is_mov() || rearranges(inst))
        && !inst.is_predicated()
        && inst.cond_mod == CondMod::None
        && inst.dst.vreg().is_some()
        && !inst.writes_accumulator()
        && !inst.reads_accumulator()
        && inst.srcs.iter().all(|src| {
            matches!(
                src.file,
                File::Vgrf(_) | File::Grf | File::Uniform | File::Imm(_) | File::Null
            )
        })
}

/// Whether a `mov` converts elements, or reads elements at other distances than it writes them. The result of such a `mov` is worth keeping:
/// `opt_copy_propagation` leaves a packed copy of it alone.
fn rearranges(inst: &Inst) -> bool {
    let (dst, src) = (&inst.dst, &inst.srcs[0]);
    inst.access_mode == AccessMode::Align1
        && !src.is_imm()
        && !src.is_scalar()
        && (dst.ty != src.ty || dst.is_packed() != src.is_packed())
}

/// Equal keys mean equal results: compares all fields of a [`candidate`] except the position of its destination and
/// the flag, which it does not use.
struct Key<'i>(&'i Inst);

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Only fields that usually differ are hashed.
        let inst = self.0;
        (inst.op, inst.dst.ty).hash(state);
        for src in &inst.srcs {
            state.write_u64(match src.file {
                File::Vgrf(vreg) => u64::from(vreg.0) << 32 | u64::from(src.offset),
                File::Imm(bits) => bits,
                _ => u64::from(src.offset),
            });
        }
        if let Some(message) = &inst.message {
            message.kind.hash(state);
        }
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Key<'_>) -> bool {
        let (one, other) = (self.0, other.0);
        (one.dst.ty, one.dst.region) == (other.dst.ty, other.dst.region) && one.computes_as(other)
    }
}

/// Results that are valid at this point of a block. An entry is the index of the instruction that computed the
/// result.
struct Known {
    hasher: DefaultHashBuilder,
    table: HashTable<Entry>,
    /// The entries that a write to a register may invalidate; some may be removed from `table` already.
    by_register: ByRegister<Entry>,
}

#[derive(Clone, Copy, PartialEq)]
struct Entry {
    hash: u64,
    at: usize,
}

impl Known {
    fn clear(&mut self) {
        self.table.clear();
        self.by_register.clear();
    }

    /// The index of the instruction in `before` that computes the same as `inst`.
    fn find(&self, hash: u64, inst: &Inst, before: &[Inst]) -> Option<usize> {
        let same = |entry: &Entry| entry.hash == hash && Key(&before[entry.at]) == Key(inst);
        self.table.find(hash, same).map(|entry| entry.at)
    }

    /// Adds the result of the instruction with index `at`.
    fn add(&mut self, hash: u64, inst: &Inst, at: usize) {
        let entry = Entry { hash, at };
        for operand in inst.srcs.iter().chain([&inst.dst]) {
            self.by_register.push(operand.file, entry);
        }
        self.table.insert_unique(hash, entry, |entry| entry.hash);
    }

    /// Removes the results that an instruction makes invalid, because it writes their sources or destinations.
    fn kill(&mut self, inst: &Inst, before: &[Inst]) {
        let written = inst.span_written();
        if matches!(written.file, File::Indirect { .. }) {
            self.clear();
            return;
        }
        let table = &mut self.table;
        self.by_register.retain(written.file, |entry| {
            let known = &before[entry.at];
            let hit = known.span_written().overlaps(&written)
                || (0..known.srcs.len()).any(|i| known.span_read(i).overlaps(&written));
            if hit && let Ok(found) = table.find_entry(entry.hash, |other| other == entry) {
                found.remove();
            }
            !hit
        });
    }
}
