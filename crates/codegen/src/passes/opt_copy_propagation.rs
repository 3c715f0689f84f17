//! `opt_copy_propagation`: replaces a source that was copied by the source of the copy, within a block.
//!
//! ```text
//! mov v2, v1             mov v2, v1
//! add v3, v2, v4   ->    add v3, v1, v4
//! ```
//!
//! A copy is an unpredicated move that changes no bits, or one that only negates or takes the absolute value. A later
//! instruction may read the copy's source if
//!
//! - it reads only bytes that the copy wrote, and a region of the copy's source describes the same elements;
//! - the copy wrote every channel that it reads. A NoMask copy wrote all channels. Another copy wrote the enabled
//!   channels, so the reading instruction must not be NoMask and must read each channel's own element;
//! - its result does not depend on whether a negated or absolute integer wrapped around (the copy wraps, a source
//!   modifier does not);
//! - it remains legal if it was legal.

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode, Type};
use crestline_ssa::ir::Fuel;

use super::by_register::ByRegister;
use super::{PassError, legal};
use crate::ir::{Class, File, Function, GRF_BYTES, Inst, Op, Operand, Region, Span, Vregs};

/// Replaces sources that were copied by the sources of the copies. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_copy_propagation(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let mut changed = false;
    let mut copies = Copies { by_dst: ByRegister::new(function), from: ByRegister::new(function) };
    let fuel = &mut function.fuel;
    for block in &mut function.blocks {
        copies.clear();
        for inst in &mut block.insts {
            if copies.reach(inst) && !is_prepared(inst, &function.vregs) {
                changed |= propagate_all(inst, |inst, index| {
                    propagate(inst, index, &copies, target, fuel)
                });
            }
            copies.kill(inst);
            if let Some(copy) = Copy::of(inst, &function.vregs) {
                copies.add(copy);
            }
        }
    }
    Ok(changed)
}

/// Calls `propagate` for each source; returns whether any was replaced. A constant may be swapped with the other
/// source; therefore, after a change, all sources are tried once more.
pub(super) fn propagate_all(
    inst: &mut Inst,
    mut propagate: impl FnMut(&mut Inst, usize) -> bool,
) -> bool {
    let mut round = || {
        let mut changed = false;
        for index in 0..inst.srcs.len() {
            changed |= propagate(inst, index);
        }
        changed
    };
    round() && {
        round();
        true
    }
}

/// Whether the payload of a message is exactly one virtual register. Then other sources would only have to be copied
/// there again.
fn is_prepared(inst: &Inst, vregs: &Vregs) -> bool {
    let Some((first, rest)) = inst.srcs.get(1..).and_then(<[Operand]>::split_first) else {
        return false;
    };
    let Some(vreg) = first.vreg().filter(|_| inst.op == Op::Message && !rest.is_empty()) else {
        return false;
    };
    let follows = |(number, part): (u32, &Operand)| {
        part.vreg() == Some(vreg) && part.offset == number * GRF_BYTES
    };
    (0..).zip(&inst.srcs[1..]).all(follows)
        && vregs[vreg].bytes == (inst.srcs.len() as u32 - 1) * GRF_BYTES
}

/// A move whose source can be read instead of its destination.
#[derive(Clone, Copy)]
struct Copy {
    dst: Operand,
    src: Operand,
    /// The bytes that the copy wrote.
    written: Span,
    /// The bytes that the copy read.
    read: Span,
    exec_size: u8,
    group: u8,
    no_mask: bool,
}

impl Copy {
    /// The copy that an instruction is, if its source can be read instead of its destination.
    fn of(inst: &Inst, vregs: &Vregs) -> Option<Copy> {
        if !inst.is_mov() || inst.is_predicated() || inst.saturate || inst.writes_flag() {
            return None;
        }
        let (dst, src) = (inst.dst, inst.srcs[0]);
        let written = inst.span_written();
        let read = if src.is_imm() { Span::of(&src, 0) } else { inst.span_read(0) };
        let is_grf = |o: &Operand| o.vreg().is_none_or(|v| vregs[v].class == Class::Grf);
        let same = src.ty == dst.ty && !src.ty.is_packed_vector();
        let raw = same || legal::keeps_bits(dst.ty, src.ty);
        // Some instructions negate an unsigned source with more than 32 bits.
        let modified =
            !src.has_modifiers() || same && (src.ty.is_float() || src.ty.is_signed_int());
        let from = matches!(src.file, File::Vgrf(_) | File::Grf | File::Uniform | File::Imm(_));
        let step = dst.linear_stride(inst.exec_size);
        let to = dst.vreg().is_some() && (inst.exec_size == 1 || matches!(step, Some(1..)));
        let own = dst.file == src.file && written.overlaps(&read);
        let ok = raw && modified && from && to && !own && is_grf(&dst) && is_grf(&src);
        ok.then_some(Copy {
            dst,
            src,
            written,
            read,
            exec_size: inst.exec_size,
            group: inst.group,
            no_mask: inst.no_mask,
        })
    }
}

/// The copies that are valid at this point of the block, by destination register.
struct Copies {
    by_dst: ByRegister<Copy>,
    /// For each source register, the destinations of copies from it.
    from: ByRegister<File>,
}

impl Copies {
    fn add(&mut self, copy: Copy) {
        self.from.push(copy.src.file, copy.dst.file);
        self.by_dst.push(copy.dst.file, copy);
    }

    fn clear(&mut self) {
        self.by_dst.clear();
        self.from.clear();
    }

    /// Whether any source may be in a register that was copied to.
    fn reach(&self, inst: &Inst) -> bool {
        inst.srcs.iter().any(|src| !self.by_dst.is_empty(src.file))
    }

    /// Removes the copies whose source or destination an instruction overwrites.
    fn kill(&mut self, inst: &Inst) {
        let file = inst.dst.file;
        let indirect = matches!(file, File::Indirect { .. });
        if self.by_dst.is_empty(file) && self.from.is_empty(file) && !indirect {
            return;
        }
        let written = inst.span_written();
        self.by_dst.retain(written.file, |copy| !copy.written.overlaps(&written));
        if matches!(written.file, File::Indirect { .. }) {
            self.clear();
            return;
        }
        let by_dst = &mut self.by_dst;
        self.from.retain(written.file, |dst| {
            by_dst.retain(*dst, |copy| !copy.read.overlaps(&written));
            by_dst.of(*dst).any(|copy| copy.src.file == written.file)
        });
    }
}

/// Tries to replace source `index` by the source of a copy; returns whether it did.
fn propagate(
    inst: &mut Inst,
    index: usize,
    copies: &Copies,
    target: &Target,
    fuel: &mut Fuel,
) -> bool {
    let src = inst.srcs[index];
    if copies.by_dst.is_empty(src.file) || !reads_by_region(inst, index) {
        return false;
    }
    let read = inst.span_read(index);
    let mut list = copies.by_dst.of(src.file);
    let Some(copy) = list.find(|copy| read.overlaps(&copy.written)) else { return false };
    if !read.is_contained_in(&copy.written) {
        return false;
    }
    let Some(new) = source_through(inst, &src, copy) else { return false };
    let Some(new) = new.as_source(inst.access_mode) else { return false };
    // `opt_cse` makes such copies, so that elements are packed once. Reading the elements where they are not packed would undo that.
    let copies = inst.is_mov()
        && inst.access_mode == AccessMode::Align1
        && inst.dst.ty == src.ty
        && inst.dst.is_packed()
        && src.is_packed();
    if copies && !new.is_packed() && !new.is_scalar() {
        return false;
    }
    let Some(changed) = with_source(inst, index, new) else { return false };
    if !stays_legal(inst, &changed, target) || !fuel.take(|| inst.to_string()) {
        return false;
    }
    *inst = changed;
    true
}

/// Whether the instruction reads source `index` channel by channel through its region.
fn reads_by_region(inst: &Inst, index: usize) -> bool {
    match inst.op {
        // `pln` and `line` read four coefficients at once.
        Op::Hw(Opcode::Pln | Opcode::Line) => false,
        op if legal::has_regions(op) => true,
        Op::MulHigh => true,
        Op::Collect { headers } => index >= usize::from(headers),
        Op::Message => {
            let headers = inst.message.as_ref().map_or(0, |m| usize::from(m.headers));
            index == 0 || index > headers
        }
        Op::MovIndirect | Op::MovIndirectDst => index == 1,
        _ => false,
    }
}

/// The elements that a source reads, as an operand in the copy's source; without the modifiers of `src`. `None` if no
/// region reads them.
///
/// The copy wrote its channel `i` at `i * step` bytes from the start of its destination. The source starts `distance`
/// bytes from there, so it begins with channel `distance / step` of the copy.
fn source_through(inst: &Inst, src: &Operand, copy: &Copy) -> Option<Operand> {
    let size = copy.dst.ty.size();
    let distance = src.offset - copy.dst.offset;
    let step = if copy.exec_size == 1 { size } else { copy.dst.byte_stride(copy.exec_size)? };
    let scalar_read = src.is_scalar() || inst.exec_size == 1;
    // A masked copy wrote the elements of enabled channels only, so the instruction must be masked too, and each
    // channel must read its own element.
    if !copy.no_mask {
        let own = src.byte_stride(inst.exec_size) == Some(step)
            && i64::from(distance / step) == i64::from(inst.group) - i64::from(copy.group);
        if inst.no_mask || !own {
            return None;
        }
    }
    let typed = copy.src.has_modifiers();
    if typed && src.ty != copy.dst.ty {
        return None;
    }
    if src.ty.size() != size {
        return part_through(inst, src, copy, distance, step);
    }
    if !distance.is_multiple_of(size) || !distance.is_multiple_of(step) {
        return None;
    }
    let first = distance / step;
    let from = Operand { ty: src.ty, ..copy.src };
    if copy.src.is_scalar() {
        return (!(copy.src.is_imm() && copy.src.ty.is_packed_vector())).then_some(from);
    }
    let start = from.byte_offset(from.channel_offset(first));
    if scalar_read {
        return Some(start.with_stride(0));
    }
    let channel_step = src.byte_stride(inst.exec_size)?;
    if !channel_step.is_multiple_of(step) {
        return None;
    }
    let stride = from.linear_stride(copy.exec_size);
    match (channel_step / step, stride) {
        (times, Some(stride)) => {
            let stride = u8::try_from(times * u32::from(stride)).ok()?;
            Some(start.with_stride(stride))
        }
        // Any other region is usable only without a change of its stride.
        (1, None) if first == 0 || from.horiz_offset(first).is_ok() => {
            from.horiz_offset(first).ok()
        }
        _ => None,
    }
}

/// The same as [`source_through`] for a source whose elements have another size than those of the copy, such as the
/// low words of copied dwords. It reads a part of the element if the copy's source is a scalar, or the same bytes if
/// both sides of the copy have the same layout.
fn part_through(
    inst: &Inst,
    src: &Operand,
    copy: &Copy,
    distance: u32,
    step: u32,
) -> Option<Operand> {
    let size = copy.dst.ty.size();
    if copy.src.has_modifiers() {
        return None;
    }
    if copy.src.is_scalar() && src.ty.size() < size {
        let in_element = distance % step;
        let single = src.is_scalar()
            || src.byte_stride(inst.exec_size).is_some_and(|s| s.is_multiple_of(step));
        let whole = in_element.is_multiple_of(src.ty.size());
        let element = Operand { region: Region::SCALAR, ..copy.src };
        return (single && whole)
            .then(|| element.subscript(src.ty, in_element / src.ty.size()))
            .flatten();
    }
    let alike =
        copy.src.in_grf() && copy.src.is_packed() && copy.dst.is_packed() && copy.exec_size > 1;
    alike.then(|| Operand {
        file: copy.src.file,
        offset: copy.src.offset + distance,
        ..src.without_modifiers()
    })
}

/// The instruction with another source, to which the modifiers of the old source are applied; `None` if it cannot
/// have it or nothing changes. A constant becomes the last source if the sources can be swapped.
pub(super) fn with_source(inst: &Inst, index: usize, new: Operand) -> Option<Inst> {
    // There are no immediates of bytes.
    if new.is_imm() && new.ty.size() == 1 {
        return None;
    }
    let old = inst.srcs[index];
    let mut changed = inst.clone();
    let mut source = new;
    if old.has_modifiers() || new.has_modifiers() {
        let logic = matches!(inst.op, Op::Hw(opcode) if opcode.is_logic());
        if new.has_modifiers() && (logic || !inst.op.allows_source_modifiers()) {
            return None;
        }
        if new.has_modifiers() && new.ty.is_signed_int() && !wraps(inst) {
            return None;
        }
        if new.is_imm() {
            source = fold_modifiers(new, &old, logic)?;
        } else if old.abs {
            source.abs = true;
            source.negate = old.negate;
        } else {
            source.negate = new.negate ^ old.negate;
        }
    }
    changed.srcs[index] = source;
    if source.is_imm() && index == 0 && inst.srcs.len() == 2 && !inst.srcs[1].is_imm() {
        if inst.op.commutative().is_some() {
            changed.srcs.swap(0, 1);
        } else if inst.op.predicate_selects() && inst.is_predicated() {
            changed.srcs.swap(0, 1);
            changed.predicate.inverse = !changed.predicate.inverse;
        }
    }
    (changed.srcs != inst.srcs).then_some(changed)
}

/// Whether the result of an integer instruction depends only on the low bits of its sources.
///
/// A source modifier computes with more bits than the type has: the negation and the absolute value of the least
/// integer are positive, whereas a move with the modifier wraps around. Comparisons, minima, right shifts and
/// conversions have different results for these two.
fn wraps(inst: &Inst) -> bool {
    let modular = matches!(inst.op, Op::Hw(Opcode::Mov | Opcode::Add | Opcode::Mul | Opcode::Sel));
    let integers = std::iter::once(&inst.dst).chain(&inst.srcs).all(|o| !o.ty.is_float());
    let narrows = inst.srcs.iter().all(|src| inst.dst.ty.size() <= src.ty.size());
    let tells = inst.saturate || inst.cond_mod != CondMod::None || inst.writes_accumulator();
    modular && integers && narrows && !tells
}

/// A constant with the modifiers of the source `reader` applied; `None` if its type is not supported. In a logic
/// instruction (`logic`), negation is complement.
fn fold_modifiers(imm: Operand, reader: &Operand, logic: bool) -> Option<Operand> {
    let bits = imm.imm_bits()?;
    let value = match imm.ty {
        Type::F => {
            let bits = bits as u32;
            let bits = if reader.abs { bits & 0x7fff_ffff } else { bits };
            u64::from(if reader.negate { bits ^ 0x8000_0000 } else { bits })
        }
        _ if logic && !reader.abs && imm.ty.size() == 4 => u64::from(!(bits as u32)),
        Type::D => {
            let value = bits as u32 as i32;
            let value = if reader.abs { value.wrapping_abs() } else { value };
            u64::from(if reader.negate { value.wrapping_neg() } else { value } as u32)
        }
        _ => return None,
    };
    Some(Operand::imm(value, imm.ty))
}

/// Whether an instruction after a change is as legal as before: no more illegal sources, no new illegal destination
/// and no lower limit on its channels.
pub(super) fn stays_legal(old: &Inst, new: &Inst, target: &Target) -> bool {
    let sources = |inst: &Inst| {
        (0..inst.srcs.len()).filter(|i| !legal::src_is_legal(inst, *i, target)).count()
    };
    if legal::has_regions(new.op) && new.srcs.iter().all(Operand::is_imm) && !new.is_mov() {
        return false;
    }
    sources(new) <= sources(old)
        && (legal::dst_is_legal(new, target) || !legal::dst_is_legal(old, target))
        && legal::max_exec_size(new, target) >= legal::max_exec_size(old, target)
}
