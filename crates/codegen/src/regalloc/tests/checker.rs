//! Tests that inject faults into allocations, which the checker must find.

use super::*;

/// Changes a correct allocation with `mutate` at every `step`th instruction where that applies. Returns the number of
/// faults and how many of them the checker found.
fn faults(
    function: &Function,
    target: &Target,
    step: usize,
    mut mutate: impl FnMut(&mut Allocation, usize, usize) -> bool,
) -> (usize, usize) {
    let good = allocate_ok(function, target);
    let (mut count, mut found) = (0, 0);
    for block in 0..good.function.blocks.len() {
        for index in (0..good.function.blocks[block].insts.len()).step_by(step) {
            let mut bad = good.clone();
            if !mutate(&mut bad, block, index) {
                continue;
            }
            count += 1;
            found +=
                usize::from(check::check(function, &bad.function, &bad.origins, target).is_err());
        }
    }
    (count, found)
}

#[test]
fn a_swapped_register_is_found() {
    for function in [branchy(16, 12), pressure(16, 80)] {
        let (count, found) = faults(&function, &targets()[1], 2, |bad, block, index| {
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
    for target in targets() {
        for function in [pressure(16, 100), branchy(16, 90)] {
            let held = Held::new(&allocate_ok(&function, &target).function);
            for response in [true, false] {
                let mut redundant = 0;
                let (count, found) = faults(&function, &target, 5, |bad, block, index| {
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

/// For the start of each block, which registers and spill slots have the same contents. The analysis is about whole
/// registers of the thread: it follows all edges, and a masked write ends the equality.
struct Held {
    starts: Vec<Option<HeldState>>,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct HeldState {
    /// Byte offset of a register, and first unit and number of units of spill space with the same contents.
    same: BTreeSet<(u32, u32, u32)>,
    /// Units of spill space to which something may have been stored.
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
                for edge in cfg.succs(BlockId::from_index(block)) {
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

    /// For a scratch message: whether it stores, the register, the first unit and the number of units.
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

    /// Whether a message is redundant: it fills a register that has the contents already, or from units to which
    /// nothing was stored, or stores contents that are there already.
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

/// Allocation and spilling use half of the true size of each write. The checker has its own model, so it must find
/// this.
#[test]
fn a_wrong_size_in_what_allocation_asks_is_found() {
    use crate::ir::inst::fault::HALVED;
    for target in targets() {
        for (width, count) in [(16, 100), (32, 60)] {
            let function = pressure(width, count);
            let options = Options { may_spill: true, check: true, ..Default::default() };
            assert!(allocate_ok(&function, &target).spills > 0);
            HALVED.set(true);
            let found = allocate(&function, &target, options).map(|_| ());
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
    for target in targets() {
        let before = pressure(16, 80);
        let good = allocate_ok(&before, &target);
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
                let found = check::check(&before, &bad, &good.origins, &target);
                assert!(found.is_err(), "damage {number} of message {which}:\n{bad}");
            }
        }
    }
}

#[test]
fn an_overlapping_live_range_is_found() {
    // Two values alive together are put in one place.
    let function = pressure(8, 20);
    let target = targets()[1];
    let good = allocate_ok(&function, &target);
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
        assert!(check::check(&function, &bad.function, &bad.origins, &target).is_err());
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
    let target = targets()[1];
    let good = allocate_ok(&f, &target);
    let place = good.function.blocks[0].insts[0].dst.offset;
    let mut bad = good;
    bad.function.blocks[1].insts[0].dst.offset = place;
    bad.function.blocks[1].insts[1].srcs[0].offset = place;
    assert!(check::check(&f, &bad.function, &bad.origins, &target).is_err());
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
    let target = targets()[1];
    let mut spilled = f.clone();
    let done =
        spill::spill(&mut spilled, &target, Pipeline::Compute, &[value.vreg().unwrap()]).unwrap();
    let good = allocate_ok(&spilled, &target);
    let mut origins = done.origins.clone();
    for (list, step) in origins.iter_mut().zip(&good.origins) {
        *list = step.iter().map(|at| list[(*at)? as usize]).collect();
    }
    check::check(&f, &good.function, &origins, &target).unwrap();
    let mut bad = good.function.clone();
    for inst in &mut bad.blocks[1].insts {
        if inst.message.is_some() {
            assert!(!inst.no_mask);
            inst.no_mask = true;
        }
    }
    assert!(check::check(&f, &bad, &origins, &target).is_err());
}

/// The second loop writes a value where the register still holds a value of the first loop, which some channels have
/// and others do not. Only the complete sets of defined values show which of the two the start of the loop has.
#[test]
fn old_content_of_a_register_does_not_hide_what_a_loop_writes() {
    let text = |registers: &str, first: &str, second: &str| {
        format!(
            "function simd8 payload 8 push 0 bytes at g1 scratch 0
            {registers}
            b0:
              do(8)
                (+f0.0) break(8)
            b1:
                mov(8) {first}<1>:D, g2<1>:D
                (+f0.0) if(8)
            b2:
                  add(8) g20<1>:D, {first}<1>:D, 0x1:D
            b3:
                endif(8)
            b4:
              while(8)
            b5:
              do(8)
                (-f0.0) mov(8) {second}<1>:D, g3<1>:D
                (-f0.0) break(8)
            b6:
                mov(8) g22<1>:D, 0x0:D
            b7:
              while(8)
            b8:
              mov(8) g21<1>:D, {second}<1>:D"
        )
    };
    let read = |text: String| crate::ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let before = read(text("registers v0:32, v1:32", "v0", "v1"));
    let after = read(text("", "g50", "g50"));
    for target in targets() {
        assert_eq!(check::check(&before, &after, &identity(&after), &target), Ok(()));
    }
}

/// Two instructions of four channels write all channels of a flag, whose earlier content does not matter then. One alone does
/// not, nor do two with another write between.
#[test]
fn two_halves_write_a_whole_flag() {
    let text = |registers: &str, flag: &str, middle: &str, group: u8| {
        format!(
            "function simd8 payload 8 push 0 bytes at g1 scratch 0
            {registers}
            b0:
              do(8)
                cmp.l.{flag}(4) null:DF, g2<0>:DF, g4<0>:DF {{nomask}}
                {middle}
                cmp.l.{flag}(4) null:DF, g2<0>:DF, g4<0>:DF {{group {group}, nomask}}
                (+{flag}) break(8)
            b1:
                (+{flag}) break(8)
            b2:
                cmp.z.f0.0(8) null:D, g6<1>:D, 0x0:D {{nomask}}
                (+f0.0) break(8)
            b3:
              while(8)
            b4:
              mov(8) g20<1>:D, 0x0:D"
        )
    };
    let other = "cmp.z.f0.0(8) null:D, g6<1>:D, 0x1:D {nomask}";
    let read = |text: String| crate::ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let found = |middle: &str, group| {
        let before = read(text("registers vf0:2", "vf0", middle, group));
        let after = read(text("", "f0.0", middle, group));
        targets().map(|t| check::check(&before, &after, &identity(&after), &t).is_ok())
    };
    assert!(found("", 4).iter().all(|ok| *ok));
    assert!(found("", 0).iter().all(|ok| !*ok));
    assert!(found(other, 4).iter().all(|ok| !*ok));
}

/// Allocation may use the flag for another value between the two halves, if it saves and loads what the first has written.
#[test]
fn a_flag_is_saved_between_two_halves_that_write_it() {
    let text =
        |registers: &str, [flag, other]: [&str; 2], [save, load]: [&str; 2], second: &str| {
            format!(
                "function simd8 payload 8 push 0 bytes at g1 scratch 0
            {registers}
            b0:
              do(8)
                cmp.l.{flag}(4) null:DF, g2<0>:DF, g4<0>:DF {{nomask}}
                {save}
                cmp.z.{other}(8) null:D, g6<1>:D, 0x1:D {{nomask}}
                (+{other}) mov(8) g20<1>:D, 0x0:D
                {load}
                {second}
                (+{flag}) break(8)
            b1:
              while(8)
            b2:
              mov(8) g21<1>:D, 0x0:D"
            )
        };
    let half =
        |flag: &str| format!("cmp.l.{flag}(4) null:DF, g2<0>:DF, g4<0>:DF {{group 4, nomask}}");
    let moves = ["mov(1) g50<0>:UD, f0<0>:UD {nomask}", "mov(1) f0<0>:UD, g50<0>:UD {nomask}"];
    let read = |text: String| crate::ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let found = |moves: [&str; 2], second: &dyn Fn(&str) -> String| {
        let before = text("registers vf0:2, vf1:2", ["vf0", "vf1"], ["", ""], &second("vf0"));
        let (before, after) =
            (read(before), read(text("", ["f0.0", "f0.0"], moves, &second("f0.0"))));
        let mut origins = identity(&after);
        let inserted = |index: &u32| matches!(index, 2 | 5);
        if !moves[0].is_empty() {
            let mut next = 0..;
            origins[0] = (0..after.blocks[0].insts.len() as u32)
                .map(|index| if inserted(&index) { None } else { next.next() })
                .collect();
        }
        targets().map(|t| check::check(&before, &after, &origins, &t).is_ok())
    };
    assert!(found(moves, &half).iter().all(|ok| *ok));
    // Without the moves, the second half adds to the other value.
    assert!(found(["", ""], &half).iter().all(|ok| !*ok));
    // The load has something else than what the first half has written.
    let other = [moves[0], "mov(1) f0<0>:UD, g51<0>:UD {nomask}"];
    assert!(found(other, &half).iter().all(|ok| !*ok));
}
