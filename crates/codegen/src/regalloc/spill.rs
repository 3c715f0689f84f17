//! Spilling: moves a virtual register to scratch space, with a fill before each read and a store after each write.
//!
//! For example, if v5 is spilled to scratch unit 8:
//!
//! ```text
//! add v5, v1, v2          add t1, v1, v2
//!                         send (store t1 to unit 8)
//! mul v3, v5, v5    ->    send (fill t2 from unit 8)
//!                         mul v3, t2, t2
//! ```
//!
//! The temporary registers have short live ranges and must not be spilled again.
//!
//! Scratch block messages address units of 32 bytes, relative to the scratch base in dword 5 of the header; g0 is
//! such a header. For units beyond the range of the message's offset field, the header is a copy of g0 with another
//! base, see [`window`]. Fills are unmasked (NoMask). A store is
//!
//! - masked like the write before it, if that writes one dword per channel at the channel's own position. Memory then
//!   keeps the data of disabled channels, as the register would. If a predicate or write mask disables further
//!   channels, a fill before the write loads their old data;
//! - unmasked after an unmasked write of whole registers;
//! - otherwise unmasked, with a fill before the write, so that bytes that the write leaves unchanged are stored with
//!   their old data.

use crate::target::Target;
use crestline_device::Pipeline;
use crestline_isa::message as isa;
use crestline_isa::{Opcode, Type, WriteMask};

use crate::ir::{
    Builder, Cfg, Effect, File, Function, GRF_BYTES, Inst, Message, Op, Operand, Origin, Region,
    Space, Vreg, VregInfo,
};

/// Number of 32-byte units that the 12-bit offset field can address.
const SCRATCH_UNITS: u32 = 1 << 12;

/// Byte offset of the scratch base in a header.
pub const HEADER_BASE: u32 = 20;

/// The base in a header is a number of kilobytes (PRM, "data port: message header"); this is one kilobyte in units.
const BASE_UNITS: u32 = (1 << 10) / GRF_BYTES;

/// Distance in units between two bases other than the thread's own. It is half of the addressable range, so a message
/// that starts before the next base ends within the range.
const WINDOW_UNITS: u32 = SCRATCH_UNITS / 2;
const _: () = assert!(WINDOW_UNITS.is_multiple_of(BASE_UNITS));

/// The base for a message of `registers` registers that starts at `unit`, as a distance in units from the thread's
/// scratch base; 0 if the thread's own base suffices.
pub fn window(unit: u32, registers: u32) -> u32 {
    if unit + registers <= SCRATCH_UNITS { 0 } else { unit - unit % WINDOW_UNITS }
}

/// A scratch block message that starts `unit` units from its base.
fn block(write: bool, unit: u32, registers: u32) -> isa::Message {
    debug_assert!(unit + registers <= SCRATCH_UNITS);
    let (registers, hword_offset) = (registers as u8, unit as u16);
    if write {
        isa::Message::ScratchBlockWrite {
            registers,
            dword_mode: true,
            invalidate: false,
            hword_offset,
        }
    } else {
        isa::Message::ScratchBlockRead {
            registers,
            dword_mode: false,
            invalidate: false,
            hword_offset,
        }
    }
}

/// The result of spilling.
#[derive(Clone, Debug, Default)]
pub struct Spilled {
    /// Number of messages that store.
    pub stores: u32,
    /// Number of messages that fill.
    pub fills: u32,
    /// For each block and each instruction in it: the instruction's index in the block before spilling, `None` if it
    /// is new.
    pub origins: Vec<Vec<Option<u32>>>,
}

/// For each virtual register, an estimate of the messages that would be executed if it were spilled. Each enclosing
/// loop multiplies the estimate by 10.
pub fn costs(function: &Function, cfg: &Cfg) -> Vec<f32> {
    let mut costs = vec![0.0; function.vregs.len()];
    for (index, block) in function.blocks.iter().enumerate() {
        let depth = cfg.loop_depth(crate::ir::BlockId::from_index(index));
        let weight = 10f32.powi(depth.min(6) as i32);
        for inst in &block.insts {
            for (i, src) in inst.srcs.iter().enumerate() {
                if let Some(vreg) = src.vreg() {
                    costs[vreg.index()] += weight * inst.size_read(i).div_ceil(GRF_BYTES) as f32;
                }
            }
            if let Some(vreg) = inst.dst.vreg() {
                costs[vreg.index()] += weight * inst.size_written().div_ceil(GRF_BYTES) as f32;
            }
        }
    }
    costs
}

/// Error: the spilled registers need this many bytes of scratch space in all, more than a thread can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfScratch(pub u64);

/// Moves the given virtual registers to scratch space. Each gets a range of scratch units. Each instruction that uses
/// one gets a temporary register instead, with fills before and stores after the instruction.
///
/// # Errors
/// The device has less scratch space than needed.
pub fn spill(
    function: &mut Function,
    target: &Target,
    pipeline: Pipeline,
    vregs: &[Vreg],
) -> Result<Spilled, OutOfScratch> {
    let mut unit_of = vec![None; function.vregs.len()];
    let first = function.scratch_bytes.div_ceil(GRF_BYTES);
    let units = |vreg: &Vreg| function.vregs[*vreg].bytes.div_ceil(GRF_BYTES);
    let all = vregs.iter().fold(u64::from(first), |all, vreg| all + u64::from(units(vreg)));
    let bytes = all * u64::from(GRF_BYTES);
    if bytes > target.max_scratch_bytes(pipeline).into() {
        return Err(OutOfScratch(bytes));
    }
    let mut unit = first;
    for vreg in vregs {
        unit_of[vreg.index()] = Some(unit);
        unit += units(vreg);
    }
    function.scratch_bytes = unit * GRF_BYTES;
    let mut done = Spilled::default();
    let width = function.dispatch_width;
    for block in &mut function.blocks {
        let old = std::mem::take(&mut block.insts);
        let mut new = Vec::with_capacity(2 * old.len());
        let mut origins = Vec::with_capacity(2 * old.len());
        for (index, mut inst) in old.into_iter().enumerate() {
            let groups = spilled_operands(&inst, &unit_of);
            if groups.is_empty() {
                new.push(inst);
                origins.push(Some(index as u32));
                continue;
            }
            let mut after = Vec::new();
            for group in groups {
                let mut emit = Emit {
                    target,
                    before: Builder::list(&mut function.vregs, &mut new, width)
                        .from_origin(Origin::Spill),
                    after: &mut after,
                    done: &mut done,
                };
                emit.group(&mut inst, &group);
            }
            origins.resize(new.len(), None);
            new.push(inst);
            origins.push(Some(index as u32));
            new.append(&mut after);
            origins.resize(new.len(), None);
        }
        block.insts = new;
        done.origins.push(origins);
    }
    Ok(done)
}

/// One spilled register that an instruction uses, and the slots (32-byte parts) of it that the instruction accesses.
struct Group {
    vreg: Vreg,
    unit: u32,
    /// First slot and one past the last slot that any operand accesses.
    slots: (u32, u32),
    reads: Option<(u32, u32)>,
    writes: Option<(u32, u32)>,
}

/// First slot and one past the last slot of `bytes` bytes from an operand on.
fn slots_of(operand: &Operand, bytes: u32) -> (u32, u32) {
    (operand.offset / GRF_BYTES, (operand.offset + bytes.max(1)).div_ceil(GRF_BYTES))
}

/// The smallest range that contains both ranges.
fn hull(a: Option<(u32, u32)>, b: (u32, u32)) -> (u32, u32) {
    a.map_or(b, |a| (a.0.min(b.0), a.1.max(b.1)))
}

/// The spilled registers that an instruction uses, each with the slots that it reads and writes.
fn spilled_operands(inst: &Inst, unit_of: &[Option<u32>]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut touch = |operand: &Operand, bytes: u32, write: bool| {
        let Some(vreg) = operand.vreg() else { return };
        let Some(unit) = unit_of.get(vreg.index()).copied().flatten() else { return };
        let slots = slots_of(operand, bytes);
        let at = groups.iter().position(|g| g.vreg == vreg).unwrap_or_else(|| {
            groups.push(Group { vreg, unit, slots, reads: None, writes: None });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.slots = hull(Some(group.slots), slots);
        let side = if write { &mut group.writes } else { &mut group.reads };
        *side = Some(hull(*side, slots));
    };
    for (index, src) in inst.srcs.iter().enumerate() {
        touch(src, inst.size_read(index), false);
    }
    touch(&inst.dst, inst.size_written(), true);
    groups
}

/// How a write to a spilled register is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Store {
    /// With the channel enables of the write.
    Masked,
    /// With the channel enables of the write, after a fill that loads the data of channels that its predicate or
    /// write mask disables.
    MaskedAfterFill,
    /// Whole registers, unmasked.
    Whole,
    /// Whole registers, unmasked, after a fill before the write.
    AfterFill,
}

/// How the write of an instruction must be stored; see the module's documentation.
fn store_kind(inst: &Inst) -> Store {
    let dst = &inst.dst;
    let whole_registers =
        dst.offset.is_multiple_of(GRF_BYTES) && inst.size_written().is_multiple_of(GRF_BYTES);
    let in_place = dst.region == Region::PACKED || matches!(dst.region, Region::Mask(_));
    let dwords = dst.ty.size() == 4 && in_place;
    let lanes = dwords && !inst.op.is_message() && matches!(inst.exec_size, 8 | 16);
    if whole_registers && lanes && !inst.no_mask && inst.op != Op::MovIndirectDst {
        // The predicate of `sel` does not disable channels.
        let some = inst.predicate_disables() || dst.write_mask() != WriteMask::XYZW;
        return if some { Store::MaskedAfterFill } else { Store::Masked };
    }
    let partial = inst.is_partial_write() && !inst.op.is_message() || inst.predicate_disables();
    if whole_registers && !partial && inst.no_mask { Store::Whole } else { Store::AfterFill }
}

struct Emit<'a, 'b> {
    target: &'a Target,
    before: Builder<'b>,
    after: &'a mut Vec<Inst>,
    done: &'a mut Spilled,
}

impl Emit<'_, '_> {
    /// Replaces one spilled register in an instruction by a temporary register. Emits a fill of the slots that the
    /// instruction reads, or that a store would otherwise change, before the instruction, and a store of the slots
    /// that it writes after it.
    fn group(&mut self, inst: &mut Inst, group: &Group) {
        // An undefined value is not stored: memory may hold data of other channels.
        let writes = group.writes.filter(|_| inst.op != Op::Undef);
        let store = writes.map(|slots| (slots, store_kind(inst)));
        // If the target has no split sends, the header must be in the register before the data, so the temporary has
        // one more register.
        let lead = u32::from(store.is_some() && !self.target.messages.split_payloads);
        let (first, end) = group.slots;
        let temp = self.before.vregs().push(VregInfo {
            class: crate::ir::Class::Grf,
            bytes: (end - first + lead) * GRF_BYTES,
            min_register: 0,
            no_spill: true,
        });
        // Byte offset in the temporary of slot `slot` of the spilled register.
        let place = |slot: u32| (slot - first + lead) * GRF_BYTES;
        let mut fill = group.reads;
        if let Some((slots, Store::AfterFill | Store::MaskedAfterFill)) = store {
            fill = Some(hull(fill, slots));
        }
        if let Some((from, to)) = fill {
            for (slot, registers) in chunks(from, to, self.target.messages.scratch_registers) {
                let dst = Operand::vgrf(temp, Type::Ud).byte_offset(place(slot));
                let (fill, base) = self.message(false, group.unit + slot, registers);
                let mut header = Operand::grf(0, Type::Ud);
                if base != 0 {
                    let own = self.header();
                    for inst in move_base(own, base) {
                        self.before.push(inst);
                    }
                    header = own;
                }
                let exec_size = if registers == 1 { 8 } else { 16 };
                let mut b = self.before.no_mask();
                let mut b = b.exec(exec_size);
                let mut b = b.group(0);
                let none = Operand::null(Type::Ud);
                b.emit(Op::Send, dst, &[none, header, none]).message = Some(fill);
                self.done.fills += 1;
            }
        }
        let rename = |operand: &mut Operand| {
            if operand.vreg() == Some(group.vreg) {
                operand.file = File::Vgrf(temp);
                operand.offset = operand.offset + lead * GRF_BYTES - first * GRF_BYTES;
            }
        };
        inst.srcs.iter_mut().for_each(rename);
        rename(&mut inst.dst);
        if let Some(((from, to), store)) = store {
            let masked = matches!(store, Store::Masked | Store::MaskedAfterFill);
            let most = if masked { 2 } else { self.target.messages.scratch_registers };
            for (slot, registers) in chunks(from, to, most) {
                let data = Operand::vgrf(temp, Type::Ud).byte_offset(place(slot));
                self.store(inst, data, group.unit + slot, registers, masked);
            }
        }
    }

    /// Adds a temporary register for a header.
    fn header(&mut self) -> Operand {
        let temp = self.before.vregs().push(VregInfo {
            class: crate::ir::Class::Grf,
            bytes: GRF_BYTES,
            min_register: 0,
            no_spill: true,
        });
        Operand::vgrf(temp, Type::Ud)
    }

    /// Appends a message that stores `registers` registers from `data` to scratch unit `unit`.
    fn store(&mut self, inst: &Inst, data: Operand, unit: u32, registers: u32, masked: bool) {
        let (mut message, base) = self.message(true, unit, registers);
        let none = Operand::null(Type::Ud);
        let g0 = Operand::grf(0, Type::Ud);
        let srcs = if self.target.messages.split_payloads {
            message.lengths = [1, registers as u8];
            let mut header = g0;
            if base != 0 {
                header = self.header();
                self.after.extend(move_base(header, base));
            }
            [none, header, data]
        } else {
            // The register before the data is free: it is the extra first one, or an earlier message has stored it.
            message.lengths = [1 + registers as u8, 0];
            let header = Operand { offset: data.offset - GRF_BYTES, ..data };
            self.after.extend(move_base(header, base));
            [none, header, none]
        };
        let exec_size = if registers == 1 { 8 } else { 16 };
        let mut send = Inst::new(Op::Send, exec_size, none, &srcs);
        send.origin = Origin::Spill;
        send.no_mask = !masked;
        send.group = if masked { inst.group } else { 0 };
        send.message = Some(message);
        self.after.push(send);
        self.done.stores += 1;
    }

    /// A fill or store message, and the distance in bytes from the thread's scratch base to the base that its header
    /// needs.
    fn message(&self, write: bool, unit: u32, registers: u32) -> (Box<Message>, u32) {
        let window = window(unit, registers);
        let message = Message {
            kind: block(write, unit - window, registers),
            headers: 1,
            first: 1,
            lengths: [1, 0],
            response: if write { 0 } else { registers * GRF_BYTES },
            eot: false,
            check: false,
            effect: if write { Effect::Write } else { Effect::Read },
            space: Space::Scratch,
        };
        (Box::new(message), window * GRF_BYTES)
    }
}

/// Instructions that copy g0 to `header` and add `bytes` to the scratch base in it.
fn move_base(header: Operand, bytes: u32) -> impl Iterator<Item = Inst> {
    let unmasked = |op, exec_size, dst, srcs: &[Operand]| {
        let mut inst = Inst::new(Op::Hw(op), exec_size, dst, srcs);
        inst.origin = Origin::Spill;
        inst.no_mask = true;
        inst
    };
    let g0 = Operand::grf(0, Type::Ud);
    let copy = unmasked(Opcode::Mov, 8, header, &[g0]);
    let add = (bytes != 0).then(|| {
        let base = |operand: Operand| operand.with_stride(0).byte_offset(HEADER_BASE);
        let dst = header.byte_offset(HEADER_BASE);
        unmasked(Opcode::Add, 1, dst, &[base(g0), Operand::imm_ud(bytes)])
    });
    [copy].into_iter().chain(add)
}

/// Splits the range `from..to` into pieces of a power of two of at most `most` registers; returns first register and
/// size of each.
fn chunks(mut from: u32, to: u32, most: u32) -> impl Iterator<Item = (u32, u32)> {
    std::iter::from_fn(move || {
        let left = to.checked_sub(from).filter(|left| *left != 0)?;
        let registers = (1 << left.ilog2()).min(most);
        let chunk = (from, registers);
        from += registers;
        Some(chunk)
    })
}
