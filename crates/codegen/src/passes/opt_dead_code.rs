//! `opt_dead_code`: removes instructions whose results are not used, unused flag writes, unused components of vectors
//! and unused destinations. The response of a sampler message ends behind the last component that is used, on devices
//! on which a shorter response leaves out components.
//!
//! The pass walks backwards through the blocks and tracks which bytes are live. Liveness is that of a single channel
//! (along logical edges, see [`liveness`](crate::analysis::liveness)): a masked write ends the live range of what it
//! overwrites.

use crate::target::Target;
use crestline_isa::message::{Message as Kind, SamplerOp, SamplerSimd};
use crestline_isa::{ArfKind, CondMod, Opcode, WriteMask};
use crestline_ssa::ir::Fuel;

use super::legal::align16::TORN_MASKS;
use super::{PassError, legal};
use crate::analysis::accesses::{Access, Accesses, FLAG_COUNT, GRF_COUNT, Slot, SlotMap, accesses};
use crate::ir::{
    BlockId, Cfg, EdgeKind, File, Function, GRF_BYTES, Inst, Op, Operand, Region, Vreg,
};

/// Removes instructions, flag writes, components and destinations that are not used. Returns whether the function
/// changed.
///
/// # Errors
/// Broken control flow.
pub fn opt_dead_code(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let cfg = Cfg::new(function)?;
    let slots = SlotMap::new(function);
    let accesses = Accesses::new(function, &slots);
    let mut state = State::new(&cfg, &slots, &accesses);
    state.shortens = target.device().short_sampler_responses_leave_out_components();
    state.number = function.inst_count();
    // Indices of removed instructions of a block, in descending order.
    let mut dead = Vec::new();
    let mut changed = false;
    for index in (0..function.blocks.len()).rev() {
        state.look_round(function, index);
        let block = &mut function.blocks[index];
        state.enter(index);
        for (at, inst) in block.insts.iter_mut().enumerate().rev() {
            state.number -= 1;
            match state.visit(inst, &mut function.fuel) {
                Verdict::Dead => dead.push(at),
                Verdict::Changed => changed = true,
                Verdict::Same => {}
            }
        }
        state.leave(index);
        if !dead.is_empty() {
            changed = true;
            let mut at = 0;
            block.insts.retain(|_| {
                let dies = dead.pop_if(|dead| *dead == at).is_some();
                at += 1;
                !dies
            });
        }
    }
    let shortened = std::mem::take(&mut state.shortened);
    if !shortened.is_empty() {
        shrink(function, &shortened);
    }
    Ok(changed)
}

/// Takes the bytes behind the last one that an instruction accesses from virtual registers.
fn shrink(function: &mut Function, vregs: &[Vreg]) {
    let mut ends = vec![0; function.vregs.len()];
    for inst in function.insts() {
        let read = (0..inst.srcs.len()).map(|index| inst.span_read(index));
        for span in read.chain([inst.span_written()]) {
            if let File::Vgrf(vreg) = span.file {
                ends[vreg.index()] = span.end.max(ends[vreg.index()]);
            }
        }
    }
    for &vreg in vregs {
        if let Some(info) = function.vregs.get_mut(vreg) {
            info.bytes = ends[vreg.index()].next_multiple_of(GRF_BYTES).min(info.bytes);
        }
    }
}

enum Verdict {
    Same,
    Changed,
    Dead,
}

/// A set of live bytes: a mask per slot. Clearing takes time proportional to the number of slots added, not of all
/// slots.
struct Bytes {
    of: Vec<u32>,
    added: Vec<Slot>,
}

impl Bytes {
    fn new(slots: usize) -> Bytes {
        Bytes { of: vec![0; slots], added: Vec::new() }
    }

    /// Empties the set and stores the slots that had live bytes in `slots`.
    fn take(&mut self, slots: &mut Vec<Slot>) {
        let added = self.added.drain(..);
        slots.clear();
        slots.extend(added.filter(|slot| std::mem::take(&mut self.of[*slot]) != 0));
    }

    fn add(&mut self, slot: Slot, bytes: u32) {
        if self.of[slot] == 0 {
            self.added.push(slot);
        }
        self.of[slot] |= bytes;
    }

    fn remove(&mut self, slot: Slot, bytes: u32) {
        self.of[slot] &= !bytes;
    }

    fn has_any(&self, slot: Slot, bytes: u32) -> bool {
        self.of[slot] & bytes != 0
    }
}

struct State<'a> {
    cfg: &'a Cfg,
    slots: &'a SlotMap,
    accesses: &'a Accesses,
    /// Slots that are live at the start of each block.
    live_in: Vec<Vec<Slot>>,
    /// For each block that ends an outermost loop, the first block of that loop.
    outermost: Vec<Option<BlockId>>,
    /// Number of the last visited instruction in layout order.
    number: usize,
    live: Bytes,
    acc: bool,
    address: bool,
    /// See [`State::needed_response`].
    shortens: bool,
    /// The destinations of messages whose responses became shorter.
    shortened: Vec<Vreg>,
}

impl<'a> State<'a> {
    fn new(cfg: &'a Cfg, slots: &'a SlotMap, accesses: &'a Accesses) -> State<'a> {
        let mut outermost = vec![None; cfg.len()];
        for (first, last) in cfg.loops().iter().filter(|(first, _)| cfg.loop_depth(*first) == 1) {
            outermost[last.index()] = Some(*first);
        }
        State {
            cfg,
            slots,
            accesses,
            outermost,
            live_in: vec![Vec::new(); cfg.len()],
            number: 0,
            live: Bytes::new(slots.count()),
            acc: false,
            address: false,
            shortens: false,
            shortened: Vec::new(),
        }
    }

    /// If the block `last` ends an outermost loop, computes which slots are live at the start of each block in that
    /// loop. One walk through the loop's blocks is needed for each level of nesting.
    fn look_round(&mut self, function: &Function, last: usize) {
        let Some(first) = self.outermost[last] else { return };
        let body = first.index()..=last;
        let depths = body.clone().map(|block| self.cfg.loop_depth(BlockId::from_index(block)));
        let number = self.number;
        for _ in 0..depths.max().unwrap_or(0) {
            self.number = number;
            for block in body.clone().rev() {
                self.enter(block);
                for inst in function.blocks[block].insts.iter().rev() {
                    self.number -= 1;
                    self.step(inst, self.accesses.of(self.number));
                }
                self.leave(block);
            }
        }
        self.number = number;
    }

    /// Sets the live bytes to those at the end of a block.
    fn enter(&mut self, block: usize) {
        (self.acc, self.address) = (false, false);
        let edges = self.cfg.succs(BlockId::from_index(block)).iter();
        for edge in edges.filter(|edge| edge.kind == EdgeKind::Logical) {
            for &slot in &self.live_in[edge.to.index()] {
                let is_fixed = slot < GRF_COUNT + FLAG_COUNT;
                let whole = if is_fixed { u32::MAX } else { self.slots.whole(slot) };
                self.live.add(slot, whole);
            }
        }
    }

    /// Stores the live slots at the start of a block.
    fn leave(&mut self, block: usize) {
        self.live.take(&mut self.live_in[block]);
    }

    /// Removes or changes the instruction before the last visited one, if possible, and updates liveness.
    fn visit(&mut self, inst: &mut Inst, fuel: &mut Fuel) -> Verdict {
        let touched = self.accesses.of(self.number);
        let mut dst_live = inst.dst.is_arf(ArfKind::Accumulator) && self.acc
            || inst.dst.is_arf(ArfKind::Address) && self.address
            // Physical general registers may be read after the end of the program.
            || matches!(inst.dst.file, File::Grf | File::Indirect { .. });
        let mut flag_live = false;
        for access in touched {
            if access.write && self.live.has_any(access.slot, access.bytes) {
                match is_flag_write(inst, access, self.slots) {
                    true => flag_live = true,
                    false => dst_live = true,
                }
            }
        }
        let acc_live = self.acc && inst.writes_accumulator();
        let mut verdict = Verdict::Same;
        if !inst.has_side_effects() && inst.op != Op::Hw(Opcode::Wait) {
            if !dst_live && !flag_live && !acc_live && fuel.take(|| inst.to_string()) {
                return Verdict::Dead;
            }
            if inst.writes_flag()
                && !flag_live
                && !is_comparison(inst)
                && fuel.take(|| inst.to_string())
            {
                inst.cond_mod = CondMod::None;
                verdict = Verdict::Changed;
            }
        }
        if let Some(mask) = self.needed_components(inst)
            && mask != inst.dst.write_mask()
            && fuel.take(|| inst.to_string())
        {
            inst.dst.region = Region::Mask(mask);
            verdict = Verdict::Changed;
        }
        if let (Some(vreg), Some(bytes)) = (inst.dst.vreg(), self.needed_response(inst))
            && fuel.take(|| inst.to_string())
            && let Some(message) = inst.message.as_mut()
        {
            message.response = bytes;
            self.shortened.push(vreg);
            verdict = Verdict::Changed;
        }
        if !dst_live && !inst.dst.is_null() && can_drop_dst(inst) && fuel.take(|| inst.to_string())
        {
            inst.dst = Operand::null(inst.dst.ty);
            verdict = Verdict::Changed;
        }
        match verdict {
            Verdict::Changed => {
                let mut now = Vec::new();
                accesses(self.slots, inst, &mut |access| now.push(access));
                self.step(inst, &now);
            }
            _ => self.step(inst, touched),
        }
        verdict
    }

    /// The components of a vector that are read later. `None` if the write mask must not change.
    fn needed_components(&self, inst: &Inst) -> Option<WriteMask> {
        let Region::Mask(mask) = inst.dst.region else { return None };
        inst.dst.vreg()?;
        if !legal::has_regions(inst.op) || inst.writes_flag() || inst.writes_accumulator() {
            return None;
        }
        let read = |component: u8| {
            let one = Region::Mask(WriteMask(1 << component));
            let only = Inst { dst: inst.dst.with_region(one), ..inst.clone() };
            let mut live = false;
            accesses(self.slots, &only, &mut |access| {
                live |=
                    access.write && access.kills && self.live.has_any(access.slot, access.bytes);
            });
            live
        };
        let needed = (0..4u8).filter(|c| mask.0 >> c & 1 == 1 && read(*c));
        let needed = WriteMask(needed.fold(0, |mask, component| mask | 1 << component));
        // The hardware misreads some write masks of doubles.
        (needed.0 != 0 && (inst.dst.ty.size() < 8 || !TORN_MASKS.contains(&needed)))
            .then_some(needed)
    }

    /// The size in bytes of the response of a sampler message up to the last component that is used, if that is less than the
    /// whole. Only messages without a header may be shortened, and no gathers and reads of control data.
    fn needed_response(&self, inst: &Inst) -> Option<u32> {
        let message = inst.message.as_ref().filter(|_| self.shortens)?;
        let Kind::Sample { op, simd, half_return: false, .. } = message.kind else { return None };
        let component = match simd {
            SamplerSimd::Simd8 => GRF_BYTES,
            SamplerSimd::Simd16 => 2 * GRF_BYTES,
            _ => return None,
        };
        // A lowered message whose descriptor another instruction computes has its length there.
        if inst.op == Op::Send && !inst.srcs.first().is_some_and(Operand::is_null) {
            return None;
        }
        let is_fixed = matches!(
            op,
            SamplerOp::Gather4
                | SamplerOp::Gather4C
                | SamplerOp::Gather4Po
                | SamplerOp::Gather4PoC
                | SamplerOp::LdMcs
                | SamplerOp::SampleInfo
        );
        if message.headers > 0
            || is_fixed
            || inst.is_predicated()
            || !inst.dst.offset.is_multiple_of(GRF_BYTES)
        {
            return None;
        }
        let first = self.slots.of(inst.dst.vreg()?).start + (inst.dst.offset / GRF_BYTES) as usize;
        let registers = (message.response / GRF_BYTES) as usize;
        let used =
            (0..registers).rev().find(|register| self.live.has_any(first + register, u32::MAX))?;
        let bytes = (used as u32 * GRF_BYTES / component + 1) * component;
        (bytes < message.response).then_some(bytes)
    }

    /// Moves the current point to before an instruction that stays and has the accesses `touched`.
    fn step(&mut self, inst: &Inst, touched: &[Access]) {
        if inst.writes_accumulator() && !inst.is_predicated() {
            self.acc = false;
        }
        self.acc |= inst.reads_accumulator();
        if inst.dst.is_arf(ArfKind::Address) {
            self.address = false;
        }
        self.address |= inst
            .srcs
            .iter()
            .chain([&inst.dst])
            .any(|operand| matches!(operand.file, File::Indirect { .. }))
            || inst.srcs.iter().any(|src| src.is_arf(ArfKind::Address));
        // An instruction reads before it writes, and the walk is backwards.
        for access in touched.iter().rev() {
            if !access.write {
                self.live.add(access.slot, access.bytes);
            } else if self.accesses.kills(inst, access) {
                self.live.remove(access.slot, access.bytes);
            }
        }
    }
}

fn is_flag_write(inst: &Inst, access: &Access, slots: &SlotMap) -> bool {
    inst.writes_flag() && slots.is_flag(access.slot) && !inst.dst.is_arf(ArfKind::Flag)
}

fn is_comparison(inst: &Inst) -> bool {
    matches!(inst.op, Op::Hw(Opcode::Cmp | Opcode::Cmpn))
}

/// Whether the destination may become null: the instruction writes a flag register too, and its format permits a null
/// destination.
fn can_drop_dst(inst: &Inst) -> bool {
    let in_vgrf = inst.dst.vreg().is_some();
    in_vgrf && inst.writes_flag() && legal::has_regions(inst.op) && !legal::is_three_source(inst.op)
}
