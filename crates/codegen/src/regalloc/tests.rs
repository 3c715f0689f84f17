//! Allocation of small and large programs, and faults that the checker must see.

use std::collections::BTreeSet;

use super::accesses::GRF_COUNT;
use super::*;
use crate::ir::{BlockId, Builder, Cfg, Function, GRF_BYTES, Inst, Op, Operand};
use crate::verify::verify;
use crestline_device::Platform;
use crestline_isa::message as isa;
use crestline_isa::{CondMod, Opcode, Type};

const FLAG: Flag = Flag::Fixed(0);

fn devices() -> [Device; 2] {
    [Device::new(Platform::Bdw), Device::new(Platform::Skl)]
}

fn allocate_ok(function: &Function, device: &Device) -> Allocation {
    verify(function).unwrap();
    let options = Options { may_spill: true, check: true };
    let found =
        allocate(function, device, options).unwrap_or_else(|e| panic!("{e}\nbefore:\n{function}"));
    verify(&found.function).unwrap();
    found
}

/// `count` values alive at once in a program of a width, then all used in order.
fn pressure(width: u8, count: usize) -> Function {
    let mut f = Function::new(width);
    f.payload_registers = 4;
    let values: Vec<Operand> = (0..count).map(|_| f.lanes(Type::F, 1)).collect();
    let sum = f.lanes(Type::F, 1);
    let mut b = Builder::new(&mut f);
    b.mov(sum, Operand::imm_f(0.0));
    for (index, value) in values.iter().enumerate() {
        b.mul(*value, Operand::grf(2, Type::F), Operand::imm_f(index as f32));
    }
    for value in values {
        b.add(sum, sum, value);
    }
    b.mov(Operand::grf(127 - u32::from(width / 8), Type::F), sum);
    f
}

#[test]
fn what_fits_is_not_spilled() {
    for device in devices() {
        let found = allocate_ok(&pressure(8, 100), &device);
        assert_eq!((found.spills, found.fills), (0, 0));
        let found = allocate_ok(&pressure(16, 50), &device);
        assert_eq!((found.spills, found.fills), (0, 0));
    }
}

#[test]
fn what_does_not_fit_is_spilled_and_still_right() {
    for device in devices() {
        for width in [8, 16, 32] {
            let found = allocate_ok(&pressure(width, 200), &device);
            assert!(found.spills > 0 && found.fills > 0);
            assert!(found.function.scratch_bytes > 0);
        }
    }
}

/// Sums that move the scratch base in a header: place and added bytes.
fn moved_bases(function: &Function) -> Vec<(usize, u32)> {
    let moves = |inst: &&Inst| inst.op == Op::Hw(Opcode::Add) && inst.exec_size == 1;
    let bytes = |inst: &Inst| inst.srcs[1].imm_bits().unwrap() as u32;
    let insts = function.insts().enumerate();
    insts.filter(|(_, inst)| moves(inst)).map(|(at, inst)| (at, bytes(inst))).collect()
}

#[test]
fn headers_reach_scratch_space_that_messages_cannot_name() {
    for platform in [Platform::Hsw, Platform::Bdw, Platform::Skl] {
        let device = Device::new(platform);
        let function = pressure(16, 2400);
        let found = allocate_ok(&function, &device);
        assert!(found.function.scratch_bytes > 128 << 10);
        let moves = moved_bases(&found.function);
        assert!(moves.iter().all(|(_, bytes)| [128 << 10].contains(bytes)), "{moves:?}");
        // Each is needed: to the base of another kilobyte belong other values.
        for (at, bytes) in [moves[0], moves[moves.len() / 2], moves[moves.len() - 1]] {
            let mut bad = found.clone();
            let inst = bad.function.insts_mut().nth(at).unwrap();
            inst.srcs[1] = Operand::imm_ud(bytes - 1024);
            let checked = check::check(&function, &bad.function, &bad.origins, &device);
            assert!(checked.is_err(), "{platform}: base {at}");
        }
    }
}

#[test]
fn a_program_without_much_scratch_space_needs_no_other_base() {
    for device in devices() {
        assert_eq!(moved_bases(&allocate_ok(&pressure(16, 1000), &device).function), []);
    }
}

#[test]
fn what_no_thread_has_room_for_is_an_error_with_the_bytes() {
    let (ivb, skl) = (Device::new(Platform::Ivb), Device::new(Platform::Skl));
    let options = Options { may_spill: true, check: true };
    let found = allocate(&pressure(8, 600), &ivb, options).map(|_| ());
    let Err(AllocError::OutOfScratch { bytes, limit }) = found else { panic!("{found:?}") };
    assert_eq!(limit, 12 << 10);
    // 600 registers, but for those that stay in the file.
    assert!((472 * 32..=600 * 32).contains(&bytes), "{bytes}");
    let mut full = pressure(8, 200);
    full.scratch_bytes = 2 << 20;
    let found = allocate(&full, &skl, options).map(|_| ());
    let Err(AllocError::OutOfScratch { bytes, limit }) = found else { panic!("{found:?}") };
    assert_eq!(limit, 2 << 20);
    assert!((limit.into()..limit as u64 + 200 * 32).contains(&bytes), "{bytes}");
}

/// A response that finds no free register takes that of the cheapest value, but for g127.
#[test]
fn no_response_displaces_a_value_to_get_the_last_register() {
    let device = devices()[0];
    let mut f = Function::new(8);
    f.payload_registers = 4;
    let count = GRF_COUNT - 1; // All but g2.
    let values: Vec<Operand> = (0..count).map(|_| f.lanes(Type::D, 1)).collect();
    let (last, busy) = values.split_last().unwrap();
    let response = f.lanes(Type::D, 1);
    let mut b = Builder::new(&mut f);
    for value in &values {
        b.mov(*value, Operand::grf(2, Type::D));
    }
    let (bti, simd, mask) = (isa::Bti(0), isa::SimdMode::Simd8, isa::ChannelMask(1));
    let message = crate::ir::Message {
        kind: isa::Message::UntypedRead { bti, simd, mask },
        headers: 0,
        first: 1,
        lengths: [1, 0],
        response: GRF_BYTES,
        eot: false,
        check: false,
        effect: crate::ir::Effect::Read,
        space: crate::ir::Space::Global,
    };
    let none = Operand::null(Type::Ud);
    b.emit(crate::ir::Op::Send, response, &[none, busy[0], none]).message = Some(Box::new(message));
    for value in busy.iter().rev().chain(busy) {
        b.add(*value, *value, response);
    }
    b.mov(*last, *last);
    for value in &values {
        b.mov(Operand::grf(2, Type::D), *value);
    }
    let cfg = Cfg::new(&f).unwrap();
    let liveness = Liveness::new(&f, &cfg);
    let found = assign(&f, &liveness, &cfg, Strategy::Dense { spill: true });
    // Some value had to go, and the cheapest was in g127.
    assert_eq!(found.spilled.len(), 1);
    let place = found.places[response.vreg().unwrap().0 as usize];
    assert!(place.is_some_and(|place| place / GRF_BYTES < GRF_COUNT as u32 - 1), "{place:?}");
    allocate_ok(&f, &device);
}

#[test]
fn no_spill_means_no_spill() {
    let options = Options { may_spill: false, check: true };
    let crowded = pressure(16, 200);
    let found = allocate(&crowded, &devices()[1], options);
    assert!(
        matches!(found, Err(AllocError::Crowded { registers }) if registers > 128),
        "{found:?}"
    );
    assert!(matches!(foresee(&crowded, options), Err(AllocError::Crowded { .. })));
    assert_eq!(foresee(&crowded, Options { may_spill: true, ..options }), Ok(()));
    assert_eq!(foresee(&pressure(8, 20), options), Ok(()));
}

#[test]
fn a_glance_sees_the_peak_of_straight_code() {
    for values in [5, 40, 200] {
        let f = pressure(16, values);
        let cfg = Cfg::new(&f).unwrap();
        let (glance, peak) = (peak_at_a_glance(&f), peak(&f, &Liveness::new(&f, &cfg)));
        assert!(glance <= peak && peak <= glance + 4, "{glance} at a glance, {peak} in truth");
    }
}

/// What is read at a loop's start and was written before it must survive all of the loop, which a glance does not see.
#[test]
fn a_glance_sees_too_little_of_loops() {
    let mut f = Function::new(8);
    let kept: Vec<Operand> = (0..10).map(|_| f.lanes(Type::F, 1)).collect();
    let made: Vec<Operand> = (0..10).map(|_| f.lanes(Type::F, 1)).collect();
    let mut b = Builder::new(&mut f);
    for value in &kept {
        b.mov(*value, Operand::imm_f(1.0));
    }
    b.do_();
    for value in &kept {
        b.mov(Operand::null(Type::F), *value);
    }
    for value in &made {
        b.mov(*value, Operand::imm_f(1.0));
    }
    for value in &made {
        b.mov(Operand::null(Type::F), *value);
    }
    b.predicated(FLAG, false).while_();
    b.mov(Operand::null(Type::F), Operand::imm_f(1.0));
    let known = Analysis::new(&f).unwrap();
    assert_eq!((peak_at_a_glance(&f), peak(&f, &known.liveness)), (10, 20));
}

/// Between two stretches of use a glance counts a value on, as the intervals of allocation do; but a value's parts it
/// counts together, which allocation does not.
#[test]
fn a_glance_sees_too_much_of_values_in_parts() {
    let stretches = |parts: u32| {
        let mut f = Function::new(8);
        let values: Vec<Operand> = (0..10).map(|_| f.lanes(Type::F, parts)).collect();
        let mut b = Builder::new(&mut f);
        for part in [0, parts - 1] {
            for value in &values {
                let value = value.byte_offset(part * GRF_BYTES);
                b.mov(value, Operand::imm_f(1.0));
                b.mov(Operand::null(Type::F), value);
            }
        }
        let known = Analysis::new(&f).unwrap();
        (peak_at_a_glance(&f), peak(&f, &known.liveness))
    };
    assert_eq!(stretches(1), (10, 10));
    assert_eq!(stretches(2), (20, 1));
}

/// Values live through a loop with breaks and a conditional with both arms busy.
fn branchy(width: u8, count: usize) -> Function {
    let mut f = Function::new(width);
    f.payload_registers = 6;
    let state: Vec<Operand> = (0..count).map(|_| f.lanes(Type::D, 1)).collect();
    let counter = f.scalar(Type::D);
    let mut b = Builder::new(&mut f);
    let input = Operand::grf(2, Type::D);
    for (index, value) in state.iter().enumerate() {
        b.add(*value, input, Operand::imm_d(index as i32));
    }
    b.uniform().mov(counter, Operand::imm_d(0));
    b.do_();
    let flag = b.flag();
    b.cmp(Operand::null(Type::D), state[0], CondMod::G, Operand::imm_d(100), flag);
    b.predicated(flag, false).flow(Opcode::Break);
    let flag = b.flag();
    b.cmp(Operand::null(Type::D), state[1], CondMod::L, counter, flag);
    b.if_(flag, false);
    for pair in state.windows(2) {
        let temp = b.lanes(Type::D, 1);
        b.mul(temp, pair[0], Operand::imm_d(3));
        b.add(pair[1], pair[1], temp);
    }
    b.else_();
    for pair in state.windows(2) {
        let temp = b.lanes(Type::D, 2);
        b.mov(temp, pair[1]);
        let second = temp.component(width, 1);
        b.xor(second, pair[0], temp);
        b.predicated(flag, true).mov(pair[0], second);
    }
    b.endif();
    b.uniform().add(counter, counter, Operand::imm_d(1));
    b.while_();
    for value in &state {
        b.add(state[0], state[0], *value);
    }
    b.mov(Operand::grf(120, Type::D), state[0]);
    f
}

#[test]
fn divergent_flow_keeps_what_waiting_channels_need() {
    for device in devices() {
        for width in [8, 16, 32] {
            for count in [3, 12, 40, 150] {
                allocate_ok(&branchy(width, count), &device);
            }
        }
    }
}

#[test]
fn many_flags_move_to_general_registers() {
    for width in [8, 16, 32] {
        let mut f = Function::new(width);
        f.payload_registers = 6;
        let result = f.lanes(Type::D, 1);
        let mut b = Builder::new(&mut f);
        b.mov(result, Operand::imm_d(0));
        let flags: Vec<Flag> = (0..9).map(|_| b.flag()).collect();
        for (index, flag) in flags.iter().enumerate() {
            let limit = Operand::imm_d(index as i32);
            b.cmp(Operand::null(Type::D), Operand::grf(2, Type::D), CondMod::G, limit, *flag);
        }
        for (index, flag) in flags.iter().enumerate() {
            b.predicated(*flag, false).add(result, result, Operand::imm_d(1 << index));
        }
        b.mov(Operand::grf(120, Type::D), result);
        let found = allocate_ok(&f, &devices()[1]);
        assert!(found.function.insts().all(|inst| matches!(inst.flag, Flag::Fixed(_))));
        assert!(found.function.inst_count() > f.inst_count());
    }
}

#[test]
fn small_values_share_registers() {
    let mut f = Function::new(16);
    let values: Vec<Operand> = (0..64).map(|_| f.scalar(Type::D)).collect();
    let mut b = Builder::new(&mut f);
    for value in &values {
        b.uniform().mov(*value, Operand::imm_d(1));
    }
    for value in &values {
        b.add(Operand::grf(100, Type::D), *value, Operand::imm_d(1));
    }
    let found = allocate_ok(&f, &devices()[1]);
    // The payload, eight registers of values, and the pair that the sums go to.
    assert!(found.registers <= 1 + 8 + 2, "{} registers", found.registers);
}

#[test]
fn a_source_placed_after_the_wide_value_it_ends_in_is_not_half_overwritten() {
    let mut f = Function::new(16);
    f.payload_registers = 122;
    let wide = Operand::vgrf(f.vregs.bytes(5 * GRF_BYTES), Type::Ud);
    let source = f.lanes(Type::Ud, 1);
    let mut b = Builder::new(&mut f);
    // The header has its place first; of the rest, only where nothing lives yet is room for the source.
    b.exec(8).no_mask().mov(wide, Operand::grf(0, Type::Ud));
    b.mov(source, Operand::grf(2, Type::Ud));
    b.add(wide.byte_offset(3 * GRF_BYTES), source, Operand::imm_ud(1));
    b.mov(wide.byte_offset(GRF_BYTES), Operand::imm_ud(7));
    for register in 0..5 {
        b.exec(8).mov(Operand::null(Type::Ud), wide.byte_offset(register * GRF_BYTES));
    }
    for register in 2..122 {
        b.exec(8).mov(Operand::null(Type::Ud), Operand::grf(register, Type::Ud));
    }
    let found = allocate_ok(&f, &devices()[1]);
    let add = found.function.insts().find(|inst| inst.op == Op::Hw(Opcode::Add)).unwrap();
    let (dst, src) = (add.dst.offset, add.srcs[0].offset);
    assert!(dst == src || dst.abs_diff(src) >= 2 * GRF_BYTES, "{add}");
}

#[test]
fn end_of_thread_payloads_are_high() {
    let mut f = pressure(16, 50);
    let payload = f.vregs.bytes(32);
    if let Some(info) = f.vregs.get_mut(payload) {
        info.min_register = 112;
    }
    let payload = Operand::vgrf(payload, Type::Ud);
    let mut b = Builder::new(&mut f);
    b.exec(8).no_mask().mov(payload, Operand::grf(0, Type::Ud));
    b.exec(8).mov(Operand::null(Type::Ud), payload);
    let found = allocate_ok(&f, &devices()[1]);
    let last = found.function.insts().last().unwrap();
    assert!(last.srcs[0].offset >= 112 * 32);
}

/// Breaks an allocation at every `step`th instruction where `mutate` knows how; gives how many faults there
/// were and how many the checker found.
fn faults(
    function: &Function,
    device: &Device,
    step: usize,
    mut mutate: impl FnMut(&mut Allocation, usize, usize) -> bool,
) -> (usize, usize) {
    let good = allocate_ok(function, device);
    let (mut count, mut found) = (0, 0);
    for block in 0..good.function.blocks.len() {
        for index in (0..good.function.blocks[block].insts.len()).step_by(step) {
            let mut bad = good.clone();
            if !mutate(&mut bad, block, index) {
                continue;
            }
            count += 1;
            found +=
                usize::from(check::check(function, &bad.function, &bad.origins, device).is_err());
        }
    }
    (count, found)
}

#[test]
fn a_swapped_register_is_found() {
    for function in [branchy(16, 12), pressure(16, 80)] {
        let (count, found) = faults(&function, &devices()[1], 2, |bad, block, index| {
            let inserted = bad.origins[block][index].is_none();
            let inst = &mut bad.function.blocks[block].insts[index];
            let Some(src) = inst.srcs.last_mut().filter(|s| s.file == File::Grf) else {
                return false;
            };
            if inserted {
                return false;
            }
            src.offset = if src.offset >= 100 * 32 { src.offset - 64 } else { src.offset + 64 };
            true
        });
        assert!(count > 10 && found == count, "{found} of {count} faults");
    }
}

#[test]
fn a_dropped_fill_or_store_is_found() {
    for device in devices() {
        for function in [pressure(16, 100), branchy(16, 90)] {
            let held = Held::new(&allocate_ok(&function, &device).function);
            for response in [true, false] {
                let mut redundant = 0;
                let (count, found) = faults(&function, &device, 5, |bad, block, index| {
                    let inst = &bad.function.blocks[block].insts[index];
                    if inst.message.as_ref().is_none_or(|m| (m.response != 0) != response) {
                        return false;
                    }
                    if held.brings_nothing_new(&bad.function, block, index) {
                        redundant += 1;
                        return false;
                    }
                    bad.function.blocks[block].insts.remove(index);
                    bad.origins[block].remove(index);
                    true
                });
                assert!(count > 3 && found == count, "{found} of {count} faults");
                assert!(redundant * 20 <= count, "{redundant} redundant messages beside {count}");
            }
        }
    }
}

/// Which registers hold the same as which spill space, at the start of each block. Of whole registers and the machine:
/// every edge counts, and masked writes end what was the same.
struct Held {
    starts: Vec<Option<HeldState>>,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct HeldState {
    /// Byte offset of a register, and first unit and number of units of spill space.
    same: BTreeSet<(u32, u32, u32)>,
    /// Units of spill space that something may have been stored in.
    stored: BTreeSet<u32>,
}

impl Held {
    fn new(function: &Function) -> Held {
        let cfg = Cfg::new(function).unwrap();
        let count = function.blocks.len();
        let mut held = Held { starts: vec![None; count] };
        held.starts[0] = Some(HeldState::default());
        let mut changed = true;
        while changed {
            changed = false;
            for block in 0..count {
                let Some(mut state) = held.starts[block].clone() else { continue };
                for inst in &function.blocks[block].insts {
                    held.step(&mut state, inst);
                }
                for edge in cfg.succs(BlockId(block as u32)) {
                    let start = &mut held.starts[edge.to.index()];
                    let met = start.as_ref().map_or(state.clone(), |other| HeldState {
                        same: &other.same & &state.same,
                        stored: &other.stored | &state.stored,
                    });
                    if start.as_ref() != Some(&met) {
                        *start = Some(met);
                        changed = true;
                    }
                }
            }
        }
        held
    }

    /// Whether it stores, the register, first unit and number of units of a scratch message.
    fn scratch(&self, inst: &Inst) -> Option<(bool, (u32, u32, u32))> {
        let message = inst.message.as_ref().filter(|m| m.space == crate::ir::Space::Scratch)?;
        let (store, unit, count) = match message.kind {
            isa::Message::ScratchBlockRead { hword_offset, registers, .. } => {
                (false, hword_offset.into(), registers.into())
            }
            isa::Message::ScratchBlockWrite { hword_offset, registers, .. } => {
                (true, hword_offset.into(), registers.into())
            }
            _ => return None,
        };
        let split = u32::from(message.lengths[1]) == count;
        let data = if split { inst.srcs[2] } else { inst.srcs[1].byte_offset(GRF_BYTES) };
        Some((store, (if store { data.offset } else { inst.dst.offset }, unit, count)))
    }

    fn step(&self, state: &mut HeldState, inst: &Inst) {
        let apart = |a: u32, n: u32, b: u32, m: u32| a + n <= b || b + m <= a;
        let (at, bytes) = (inst.dst.offset, inst.size_written());
        if inst.dst.file == File::Grf {
            state.same.retain(|&(place, _, count)| apart(at, bytes, place, count * GRF_BYTES));
        }
        if let Some((store, fact)) = self.scratch(inst) {
            if store {
                let (_, unit, count) = fact;
                let already = state.same.contains(&fact);
                state.same.retain(|&(_, u, n)| apart(unit, count, u, n));
                state.stored.extend(unit..unit + count);
                state.same.extend((already || inst.no_mask).then_some(fact));
            } else if inst.no_mask {
                state.same.insert(fact);
            }
        }
    }

    /// Whether a message fills what its register holds already, or what nobody has stored, or stores what is there.
    fn brings_nothing_new(&self, function: &Function, block: usize, index: usize) -> bool {
        let insts = &function.blocks[block].insts;
        let Some(mut state) = self.starts[block].clone() else { return true };
        insts[..index].iter().for_each(|inst| self.step(&mut state, inst));
        let Some((store, fact)) = self.scratch(&insts[index]) else { return false };
        let (_, unit, count) = fact;
        let anything = (unit..unit + count).any(|unit| state.stored.contains(&unit));
        state.same.contains(&fact) || !store && !anything
    }
}

/// Allocation and spilling take every instruction to write half of what it writes: the checker has an opinion of its own.
#[test]
fn a_wrong_size_in_what_allocation_asks_is_found() {
    use crate::ir::inst::fault::HALVED;
    for device in devices() {
        for (width, count) in [(16, 100), (32, 60)] {
            let function = pressure(width, count);
            let options = Options { may_spill: true, check: true };
            assert!(allocate_ok(&function, &device).spills > 0);
            HALVED.set(true);
            let found = allocate(&function, &device, options).map(|_| ());
            HALVED.set(false);
            let Err(error) = found else { panic!("SIMD{width} was accepted") };
            assert!(matches!(error, AllocError::Wrong(CheckError::Inst { .. })), "{error}");
            assert!(error.is_defect());
        }
    }
}

/// A scratch message whose offset, length or direction is wrong is found, each one alone.
#[test]
fn a_wrong_scratch_message_is_found() {
    type Damage = fn(&mut crate::ir::Message);
    let damages: [Damage; 4] = [
        |message| match &mut message.kind {
            isa::Message::ScratchBlockRead { hword_offset, .. }
            | isa::Message::ScratchBlockWrite { hword_offset, .. } => *hword_offset ^= 1,
            _ => {}
        },
        |message| match &mut message.kind {
            isa::Message::ScratchBlockRead { registers, .. }
            | isa::Message::ScratchBlockWrite { registers, .. } => *registers ^= 3,
            _ => {}
        },
        |message| message.headers = 0,
        |message| {
            if let isa::Message::ScratchBlockRead { registers, hword_offset, .. } = message.kind {
                message.kind = isa::Message::ScratchBlockWrite {
                    registers,
                    dword_mode: true,
                    invalidate: false,
                    hword_offset,
                };
            } else {
                message.lengths[0] += 1;
            }
        },
    ];
    for device in devices() {
        let before = pressure(16, 80);
        let good = allocate_ok(&before, &device);
        let scratch = |inst: &Inst| {
            inst.message.as_ref().is_some_and(|m| m.space == crate::ir::Space::Scratch)
        };
        let count = good.function.insts().filter(|inst| scratch(inst)).count();
        assert!(count > 4);
        for (number, damage) in damages.iter().enumerate() {
            for which in 0..count {
                let mut bad = good.function.clone();
                let inst = bad.insts_mut().filter(|inst| scratch(inst)).nth(which).unwrap();
                damage(inst.message.as_mut().unwrap());
                let found = check::check(&before, &bad, &good.origins, &device);
                assert!(found.is_err(), "damage {number} of message {which}:\n{bad}");
            }
        }
    }
}

#[test]
fn an_overlapping_live_range_is_found() {
    // Two values alive together are put in one place.
    let function = pressure(8, 20);
    let device = devices()[1];
    let good = allocate_ok(&function, &device);
    let written: Vec<u32> = good.function.insts().skip(1).take(20).map(|i| i.dst.offset).collect();
    for pair in written.windows(2) {
        let mut bad = good.clone();
        for inst in bad.function.insts_mut() {
            for operand in inst.srcs.iter_mut().chain([&mut inst.dst]) {
                if operand.file == File::Grf && operand.offset == pair[1] {
                    operand.offset = pair[0];
                }
            }
        }
        assert!(check::check(&function, &bad.function, &bad.origins, &device).is_err());
    }
}

#[test]
fn clobbering_what_a_waiting_channel_needs_is_found() {
    let mut f = Function::new(8);
    f.payload_registers = 3;
    let (kept, temp) = (f.lanes(Type::D, 1), f.lanes(Type::D, 1));
    let mut b = Builder::new(&mut f);
    b.mov(kept, Operand::grf(2, Type::D));
    b.if_(FLAG, false);
    b.mov(temp, Operand::imm_d(5));
    b.mov(Operand::grf(120, Type::D), temp);
    b.else_();
    b.mov(Operand::grf(120, Type::D), kept);
    b.endif();
    let device = devices()[1];
    let good = allocate_ok(&f, &device);
    let place = good.function.blocks[0].insts[0].dst.offset;
    let mut bad = good;
    bad.function.blocks[1].insts[0].dst.offset = place;
    bad.function.blocks[1].insts[1].srcs[0].offset = place;
    assert!(check::check(&f, &bad.function, &bad.origins, &device).is_err());
}

#[test]
fn an_unmasked_store_of_masked_data_is_found() {
    // Inside a conditional, storing whole registers without the fill before loses the other
    // channels' part.
    let mut f = Function::new(8);
    f.payload_registers = 3;
    let value = f.lanes(Type::D, 1);
    let mut b = Builder::new(&mut f);
    b.mov(value, Operand::grf(2, Type::D));
    b.if_(FLAG, false);
    b.mov(value, Operand::imm_d(5));
    b.endif();
    b.mov(Operand::grf(120, Type::D), value);
    let device = devices()[1];
    let mut spilled = f.clone();
    let done = spill::spill(&mut spilled, &device, &[value.vreg().unwrap()]).unwrap();
    let good = allocate_ok(&spilled, &device);
    let mut origins = done.origins.clone();
    for (list, step) in origins.iter_mut().zip(&good.origins) {
        *list = step.iter().map(|at| list[(*at)? as usize]).collect();
    }
    check::check(&f, &good.function, &origins, &device).unwrap();
    let mut bad = good.function.clone();
    for inst in &mut bad.blocks[1].insts {
        if inst.message.is_some() {
            assert!(!inst.no_mask);
            inst.no_mask = true;
        }
    }
    assert!(check::check(&f, &bad, &origins, &device).is_err());
}

/// Spills one value, allocates the rest and checks the whole.
fn spill_ok(function: &Function, value: Operand) -> Function {
    let device = devices()[1];
    let mut spilled = function.clone();
    let done = spill::spill(&mut spilled, &device, &[value.vreg().unwrap()]).unwrap();
    let good = allocate_ok(&spilled, &device);
    let mut origins = done.origins;
    for (list, step) in origins.iter_mut().zip(&good.origins) {
        *list = step.iter().map(|at| list[(*at)? as usize]).collect();
    }
    check::check(function, &good.function, &origins, &device)
        .unwrap_or_else(|e| panic!("{e}\n{}", good.function));
    good.function
}

#[test]
fn predicated_writes_before_breaks_keep_what_left_the_loop() {
    let mut f = Function::new(16);
    f.payload_registers = 4;
    let value = f.lanes(Type::D, 1);
    let mut b = Builder::new(&mut f);
    b.no_mask().emit(crate::ir::Op::Undef, value, &[]);
    b.do_();
    b.predicated(FLAG, true).mov(value, Operand::grf(2, Type::D));
    b.predicated(FLAG, true).flow(Opcode::Break);
    b.predicated(FLAG, false).mov(value, Operand::imm_d(5));
    b.predicated(FLAG, false).flow(Opcode::Break);
    b.while_();
    b.mov(Operand::grf(120, Type::D), value);
    let after = spill_ok(&f, value);
    let stores = after.insts().filter(|i| i.message.is_some() && i.dst.file == File::Null);
    assert_eq!(stores.map(|store| store.no_mask).collect::<Vec<_>>(), [false, false]);
}

#[test]
fn nothing_undefined_is_stored_over_what_left_the_loop() {
    let mut f = Function::new(16);
    f.payload_registers = 4;
    let value = f.lanes(Type::D, 1);
    let mut b = Builder::new(&mut f);
    b.do_();
    b.no_mask().emit(crate::ir::Op::Undef, value, &[]);
    b.mov(value, Operand::grf(2, Type::D));
    b.predicated(FLAG, true).flow(Opcode::Break);
    b.while_();
    b.mov(Operand::grf(120, Type::D), value);
    let after = spill_ok(&f, value);
    assert_eq!(after.insts().filter(|inst| inst.message.is_some()).count(), 2);
}

/// Random numbers, each below what is asked for.
pub(crate) fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

/// A program of random straight and nested code.
pub(crate) fn random(seed: u64, width: u8, values: usize, length: usize) -> Function {
    let mut next = numbers(seed);
    let mut f = Function::new(width);
    f.payload_registers = 6;
    let mut pool: Vec<Operand> = Vec::new();
    for _ in 0..values {
        let ty = [Type::D, Type::F, Type::Uw, Type::Df][next(4)];
        pool.push(match next(5) {
            0 => f.scalar(ty),
            1 => f.lanes(ty, 2),
            _ => f.lanes(ty, 1),
        });
    }
    let mut b = Builder::new(&mut f);
    let mut open: Vec<bool> = Vec::new();
    let write = |b: &mut Builder<'_>, dst: Operand, src: Operand| {
        if dst.is_scalar() {
            let src = if src.is_imm() { src } else { src.with_stride(0) };
            b.uniform().mov(dst, src);
        } else {
            b.mov(dst, src);
        }
    };
    for value in &pool {
        write(&mut b, *value, Operand::grf(2, value.ty));
    }
    for _ in 0..length {
        let (x, y) = (pool[next(values)], pool[next(values)]);
        match next(12) {
            0 if open.len() < 4 => {
                let flag = b.flag();
                b.cmp(
                    Operand::null(Type::D),
                    Operand::grf(2, Type::D),
                    CondMod::G,
                    Operand::imm_d(3),
                    flag,
                );
                b.if_(flag, next(2) == 0);
                open.push(false);
            }
            1 if open.len() < 4 => {
                b.do_();
                open.push(true);
            }
            2 if open.last() == Some(&false) => {
                b.endif();
                open.pop();
            }
            3 if open.last() == Some(&true) => {
                b.predicated(FLAG, next(2) == 0).while_();
                open.pop();
            }
            4 if open.contains(&true) => {
                b.predicated(FLAG, false).flow([Opcode::Break, Opcode::Cont][next(2)]);
            }
            5 => {
                b.predicated(FLAG, true);
                if !x.is_scalar() {
                    b.predicated(FLAG, true).mov(x, y);
                }
            }
            6 if !x.is_scalar() && x.ty.size() == 4 && width >= 16 => {
                b.exec(8).group(8).mov(x.horiz_offset(8).unwrap(), y);
            }
            _ => write(&mut b, x, y),
        }
    }
    while let Some(is_loop) = open.pop() {
        if is_loop {
            b.predicated(FLAG, false).while_();
        } else {
            b.endif();
        }
    }
    for value in &pool {
        b.mov(Operand::grf(120, Type::D).retype(value.ty), *value);
    }
    f
}

#[test]
fn random_programs_allocate_and_check() {
    for seed in 0..60 {
        let device = devices()[(seed % 2) as usize];
        let width = [8, 16, 32][(seed % 3) as usize];
        let values = [5, 20, 60, 120][(seed % 4) as usize];
        allocate_ok(&random(seed, width, values, 150), &device);
    }
}

#[test]
fn a_hundred_thousand_instructions_allocate_without_spills() {
    // A chain with a window of live values. How the time grows is a benchmark's business.
    let chain = |length: usize| {
        let mut f = Function::new(16);
        let mut b = Builder::new(&mut f);
        let mut window: Vec<Operand> = Vec::new();
        for index in 0..length {
            let value = b.lanes(Type::F, 1);
            match window.get(index % 20) {
                Some(old) => b.add(value, *old, Operand::imm_f(1.0)),
                None => b.mov(value, Operand::imm_f(1.0)),
            };
            if window.len() < 20 {
                window.push(value);
            } else {
                window[index % 20] = value;
            }
        }
        f
    };
    let f = chain(100_000);
    let options = Options { may_spill: true, check: false };
    let allocated = allocate(&f, &devices()[1], options).unwrap();
    assert_eq!(allocated.spills, 0);
}
