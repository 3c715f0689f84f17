//! Spilling: a register moves to scratch space, with a fill before each read and a store after
//! each write.
//!
//! Scratch block messages address 32-byte units from the base in dword 5 of their header, which g0
//! has. Units beyond those that the message can name are reached by a copy of g0 with another base,
//! see [`window`]. Fills are unmasked. A store is
//!
//! - masked like the write it follows, where that is a dword of each channel in place: then
//!   parked channels keep theirs in memory just as they would in the register. If a predicate
//!   or write mask disables further channels, a fill before the write gives those what they had;
//! - unmasked after an unmasked write of whole registers;
//! - else unmasked, with a fill before the write, so that what the write leaves alone is
//!   stored as it was.

use crate::target::Target;
use crestline_isa::message as isa;
use crestline_isa::{Opcode, Type, WriteMask};

use crate::ir::{
    Builder, Cfg, Effect, File, Function, GRF_BYTES, Inst, Message, Op, Operand, Region, Space,
    Vreg, VregInfo,
};

/// Units of 32 bytes that the 12-bit offset reaches.
const SCRATCH_UNITS: u32 = 1 << 12;

/// Bytes from the start of the header to the scratch base.
pub const HEADER_BASE: u32 = 20;

/// Units of which the base in a header can be a multiple: the base is a number of kilobytes (PRM, "data port: message
/// header").
const BASE_UNITS: u32 = (1 << 10) / GRF_BYTES;

/// Units from one base to the next where messages need others than the thread's own. Messages that begin before the
/// next base end within their reach.
const WINDOW_UNITS: u32 = SCRATCH_UNITS / 2;
const _: () = assert!(WINDOW_UNITS.is_multiple_of(BASE_UNITS));

/// Units from the thread's scratch base to the base of a message that begins at a unit.
pub fn window(unit: u32, registers: u32) -> u32 {
    if unit + registers <= SCRATCH_UNITS { 0 } else { unit - unit % WINDOW_UNITS }
}

/// A scratch block message that begins at a unit from its base.
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

/// What spilling did.
#[derive(Clone, Debug, Default)]
pub struct Spilled {
    /// Messages that store.
    pub stores: u32,
    /// Messages that fill.
    pub fills: u32,
    /// For each block and instruction now there: its index in the block before, `None` if new.
    pub origins: Vec<Vec<Option<u32>>>,
}

/// Estimated executed messages if each register were spilled: 10 times more for each loop
/// around.
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

/// What is spilled needs so many bytes of scratch space in all, more than a thread can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfScratch(pub u64);

/// Moves registers to scratch space.
///
/// # Errors
/// Scratch space beyond the device's limit.
pub fn spill(
    function: &mut Function,
    target: &Target,
    vregs: &[Vreg],
) -> Result<Spilled, OutOfScratch> {
    let mut unit_of = vec![None; function.vregs.len()];
    let first = function.scratch_bytes.div_ceil(GRF_BYTES);
    let units = |vreg: &Vreg| function.vregs[*vreg].bytes.div_ceil(GRF_BYTES);
    let all = vregs.iter().fold(u64::from(first), |all, vreg| all + u64::from(units(vreg)));
    let bytes = all * u64::from(GRF_BYTES);
    if bytes > target.limits().max_scratch_bytes.into() {
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
                    before: Builder::list(&mut function.vregs, &mut new, width),
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

/// The spilled register of an instruction and the registers' worth of it that are touched.
struct Group {
    vreg: Vreg,
    unit: u32,
    /// First and one past the last slot of the register that any operand touches.
    slots: (u32, u32),
    reads: Option<(u32, u32)>,
    writes: Option<(u32, u32)>,
}

fn slots_of(operand: &Operand, bytes: u32) -> (u32, u32) {
    (operand.offset / GRF_BYTES, (operand.offset + bytes.max(1)).div_ceil(GRF_BYTES))
}

fn hull(a: Option<(u32, u32)>, b: (u32, u32)) -> (u32, u32) {
    a.map_or(b, |a| (a.0.min(b.0), a.1.max(b.1)))
}

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

/// How a write is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Store {
    /// Under the write's own mask.
    Masked,
    /// Under the write's own mask, filled before for the channels its predicate disables.
    MaskedAfterFill,
    /// Whole registers.
    Whole,
    /// Whole registers, filled before the write.
    AfterFill,
}

fn store_kind(inst: &Inst) -> Store {
    let dst = &inst.dst;
    let whole_registers =
        dst.offset.is_multiple_of(GRF_BYTES) && inst.size_written().is_multiple_of(GRF_BYTES);
    let in_place = dst.region == Region::PACKED || matches!(dst.region, Region::Mask(_));
    let dwords = dst.ty.size() == 4 && in_place;
    let lanes = dwords && !inst.op.is_message() && matches!(inst.exec_size, 8 | 16);
    if whole_registers && lanes && !inst.no_mask && inst.op != Op::MovIndirectDst {
        // A selection is predicated, but writes every enabled channel.
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
    /// Gives one spilled register a short-lived stand-in around an instruction.
    fn group(&mut self, inst: &mut Inst, group: &Group) {
        // What is undefined now may still be another channel's value in memory.
        let writes = group.writes.filter(|_| inst.op != Op::Undef);
        let store = writes.map(|slots| (slots, store_kind(inst)));
        // A message without a second payload needs its header right before the data.
        let lead = u32::from(store.is_some() && !self.target.messages.split_payloads);
        let (first, end) = group.slots;
        let temp = self.before.vregs().push(VregInfo {
            class: crate::ir::Class::Grf,
            bytes: (end - first + lead) * GRF_BYTES,
            min_register: 0,
            no_spill: true,
        });
        // The stand-in's register for slot `s` of the spilled one.
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

    /// A register for a header.
    fn header(&mut self) -> Operand {
        let temp = self.before.vregs().push(VregInfo {
            class: crate::ir::Class::Grf,
            bytes: GRF_BYTES,
            min_register: 0,
            no_spill: true,
        });
        Operand::vgrf(temp, Type::Ud)
    }

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
            // What is before the data is free, or was stored by the message before this one.
            message.lengths = [1 + registers as u8, 0];
            let header = Operand { offset: data.offset - GRF_BYTES, ..data };
            self.after.extend(move_base(header, base));
            [none, header, none]
        };
        let exec_size = if registers == 1 { 8 } else { 16 };
        let mut send = Inst::new(Op::Send, exec_size, none, &srcs);
        send.no_mask = !masked;
        send.group = if masked { inst.group } else { 0 };
        send.message = Some(message);
        self.after.push(send);
        self.done.stores += 1;
    }

    /// The message, and the bytes from the thread's scratch base to the one in its header.
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

/// Copies g0 to a header, with a scratch base so many bytes further on.
fn move_base(header: Operand, bytes: u32) -> impl Iterator<Item = Inst> {
    let unmasked = |op, exec_size, dst, srcs: &[Operand]| {
        let mut inst = Inst::new(Op::Hw(op), exec_size, dst, srcs);
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

/// Splits a range of registers into powers of two of at most `most`.
fn chunks(mut from: u32, to: u32, most: u32) -> impl Iterator<Item = (u32, u32)> {
    std::iter::from_fn(move || {
        let left = to.checked_sub(from).filter(|left| *left != 0)?;
        let registers = (1 << left.ilog2()).min(most);
        let chunk = (from, registers);
        from += registers;
        Some(chunk)
    })
}
