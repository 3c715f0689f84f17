//! `opt_coalesce_results`: lets a message write its result directly to the register to which its parts are copied, which is usually the
//! payload of another message.
//!
//! ```text
//! send v1, ... (4 registers)          send v9+32, ... (4 registers)
//! mov v9+32, v1                 ->    mov v9+128, 1.0
//! mov v9+64, v1+32
//! mov v9+96, v1+64
//! mov v9+128, 1.0
//! ```
//!
//! All uses of the result's register must be in the block of the `send`, and all copies of it must keep the distances between
//! its parts. The other parts of the destination that the message now writes too must be written later, or not at all. Other
//! reads of the result read the destination instead.

use hashbrown::HashMap;

use crate::target::Target;

use super::opt_register_coalesce::{NamedIn, for_mentions, whole_copy};
use super::{PassError, legal};
use crate::ir::{Class, File, Function, GRF_BYTES, Inst, Op, Span, Vreg, Vregs};

/// Removes copies of the parts of messages' results. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_coalesce_results(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    if !function.insts().any(|inst| whole_copy(inst).is_some()) {
        return Ok(false);
    }
    let named_in = NamedIn::all(function);
    let mut changed = false;
    for (number, block) in (0..).zip(&mut function.blocks) {
        // For each register that only this block uses: the indices of the instructions that use it.
        let mut mentions: HashMap<Vreg, Vec<usize>> = HashMap::new();
        for (at, inst) in block.insts.iter().enumerate() {
            for_mentions(inst, |vreg| {
                if named_in[vreg.index()] == NamedIn::Block(number) {
                    let list = mentions.entry(vreg).or_default();
                    if list.last() != Some(&at) {
                        list.push(at);
                    }
                }
            });
        }
        let mut dead = vec![false; block.insts.len()];
        for at in 0..block.insts.len() {
            let Some(plan) = plan(&block.insts, at, &function.vregs, &mentions, target) else {
                continue;
            };
            if !function.fuel.take(|| block.insts[at].to_string()) {
                continue;
            }
            let list = mentions.remove(&plan.from).unwrap_or_default();
            for &index in &list {
                let inst = &mut block.insts[index];
                *inst = rename(inst, plan.from, plan.to, plan.shift);
            }
            plan.copies.iter().for_each(|&copy| dead[copy] = true);
            if let Some(merged) = mentions.get_mut(&plan.to) {
                merged.extend(list);
                merged.sort_unstable();
                merged.dedup();
                merged.retain(|&index| !dead[index]);
            }
            changed = true;
        }
        let mut dead = dead.into_iter();
        block.insts.retain(|_| !dead.next().unwrap_or(false));
    }
    Ok(changed)
}

/// How to write the result of a message to another register.
struct Plan {
    from: Vreg,
    to: Vreg,
    /// Byte offset in `to` of the first byte of the result.
    shift: u32,
    /// The indices of the copies.
    copies: Vec<usize>,
}

/// Decides whether instruction `at` is a message whose result can be written to the register to which it is copied.
fn plan(
    insts: &[Inst],
    at: usize,
    vregs: &Vregs,
    mentions: &HashMap<Vreg, Vec<usize>>,
    target: &Target,
) -> Option<Plan> {
    let send = &insts[at];
    let from = send.dst.vreg().filter(|_| send.op == Op::Send && send.dst.offset == 0)?;
    let old = vregs.get(from)?;
    if send.predicate_disables() || send.size_written() != old.bytes {
        return None;
    }
    let uses = mentions.get(&from)?;
    let (&[first, second], others) = uses.split_first_chunk()?;
    if first != at || insts[second].dst.vreg() == Some(from) {
        return None;
    }
    let (dst, src) = whole_copy(&insts[second])?;
    let to = dst.vreg().filter(|&to| to != from)?;
    let (new, uses_of_to) = (vregs.get(to)?, mentions.get(&to)?);
    let shift = dst.offset.checked_sub(src.offset)?;
    let fits = shift.is_multiple_of(GRF_BYTES)
        && shift + old.bytes <= new.bytes
        && old.class == Class::Grf
        && new.class == Class::Grf
        && old.min_register <= new.min_register;
    if !fits {
        return None;
    }
    let mut copies = Vec::new();
    // The bytes of `to` that must keep the result from the message to the last use of the result.
    let mut kept: Vec<Span> = Vec::new();
    for &index in [second].iter().chain(others) {
        let inst = &insts[index];
        let place = |source: usize| {
            let read = inst.span_read(source);
            Span { file: File::Vgrf(to), start: read.start + shift, end: read.end + shift }
        };
        let copy = whole_copy(inst).filter(|(dst, src)| {
            let in_place = dst.vreg() == Some(to) && dst.offset == src.offset + shift;
            in_place && same_channels(inst, send)
        });
        if copy.is_some() {
            copies.push(index);
            kept.push(place(0));
            continue;
        }
        if inst.dst.vreg() == Some(from) {
            return None;
        }
        let reads = (0..inst.srcs.len()).filter(|&source| inst.srcs[source].vreg() == Some(from));
        kept.extend(reads.map(place));
        let renamed = rename(inst, from, to, shift);
        if legal::is_legal(inst, target) && !legal::is_legal(&renamed, target) {
            return None;
        }
    }
    let last = *uses.last()?;
    let result = Span { file: File::Vgrf(to), start: shift, end: shift + old.bytes };
    let stays_right = uses_of_to.iter().filter(|index| !copies.contains(index)).all(|&index| {
        let inst = &insts[index];
        let writes = inst.span_written();
        let reads = (0..inst.srcs.len()).any(|source| inst.span_read(source).overlaps(&result));
        if index <= at {
            // What the register held before would be lost.
            return !reads && (!writes.overlaps(&result) || inst.op == Op::Undef);
        }
        index > last || !reads && !kept.iter().any(|span| writes.overlaps(span))
    });
    stays_right.then_some(Plan { from, to, shift, copies })
}

/// Whether a copy is executed for the channels of the message.
fn same_channels(copy: &Inst, send: &Inst) -> bool {
    (copy.no_mask, copy.exec_size, copy.group) == (send.no_mask, send.exec_size, send.group)
}

/// The instruction with register `from` replaced by the bytes of `to` from `shift` on.
fn rename(inst: &Inst, from: Vreg, to: Vreg, shift: u32) -> Inst {
    let mut inst = inst.clone();
    for operand in inst.srcs.iter_mut().chain([&mut inst.dst]) {
        if operand.vreg() == Some(from) {
            operand.file = File::Vgrf(to);
            operand.offset += shift;
        }
    }
    inst
}
