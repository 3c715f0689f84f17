//! Tests of the schedulers: which orders they must change and which they must not.

use super::*;
use crate::ir::{Builder, Effect, Function, Message, Op, Operand, Space};
use crate::regalloc::tests::{numbers, random};
use crate::regalloc::{self, Analysis};
use crate::target::Target;
use crate::verify::verify;
use crestline_device::Platform;
use crestline_isa::message as isa;
use crestline_isa::{ArfKind, Type};

fn load(space: Space, effect: Effect) -> Message {
    let (bti, simd, mask) = (isa::Bti(0), isa::SimdMode::Simd8, isa::ChannelMask(1));
    Message {
        kind: match effect {
            Effect::Write => isa::Message::UntypedWrite { bti, simd, mask },
            _ => isa::Message::UntypedRead { bti, simd, mask },
        },
        headers: 0,
        first: 1,
        lengths: [1, 0],
        response: if effect == Effect::Write { 0 } else { 32 },
        eot: false,
        check: false,
        effect,
        space,
    }
}

fn send(b: &mut Builder<'_>, dst: Operand, payload: Operand, message: Message) {
    let null = Operand::null(Type::Ud);
    b.emit(Op::Send, dst, &[null, payload, null]).message = Some(Box::new(message));
}

fn late(f: &mut Function) -> Vec<String> {
    verify(f).unwrap();
    opt_schedule_late(f, &Target::of(Platform::Skl)).unwrap();
    verify(f).unwrap();
    f.insts().map(|inst| format!("{} {}", inst.op.name(), inst.dst)).collect()
}

#[test]
fn independent_work_fills_a_loads_latency() {
    let mut f = Function::new(8);
    let g = |nr| Operand::grf(nr, Type::Ud);
    let mut b = Builder::new(&mut f);
    send(&mut b, g(10), g(2), load(Space::Global, Effect::Read));
    b.add(g(11), g(10), g(10));
    b.add(g(12), g(3), g(3));
    b.add(g(13), g(4), g(4));
    let cycles = |f: &Function| {
        let target = Target::of(Platform::Skl);
        estimate(&crate::finish::finish(f, &target).unwrap().0, 8, &target).cycles
    };
    let before = cycles(&f);
    assert_eq!(late(&mut f), ["send g10<1>:UD", "add g12<1>:UD", "add g13<1>:UD", "add g11<1>:UD"]);
    assert!(cycles(&f) <= before);
}

#[test]
fn stores_barriers_and_accumulators_keep_their_order() {
    let mut f = Function::new(8);
    let g = |nr| Operand::grf(nr, Type::Ud);
    let acc = Operand::arf(ArfKind::Accumulator, 0, Type::Ud);
    let mut b = Builder::new(&mut f);
    send(&mut b, Operand::null(Type::Ud), g(2), load(Space::Global, Effect::Write));
    send(&mut b, g(10), g(2), load(Space::Global, Effect::Read));
    send(&mut b, Operand::null(Type::Ud), g(2), load(Space::None, Effect::Barrier));
    send(&mut b, g(11), g(2), load(Space::Shared, Effect::Read));
    b.mul(acc, g(3), g(4));
    b.mach(g(20), g(3), g(4)).acc_wr_en = true;
    b.mul(acc, g(5), g(6));
    b.mach(g(21), g(5), g(6)).acc_wr_en = true;
    let order = late(&mut f);
    let at = |what: &str| order.iter().position(|line| line == what).unwrap();
    assert!(at("send null:UD") < at("send g10<1>:UD"));
    assert!(at("send g10<1>:UD") < at("send g11<1>:UD"));
    assert!(at("mach g20<1>:UD") < at("mach g21<1>:UD"));
    let muls: Vec<usize> =
        order.iter().enumerate().filter(|(_, l)| *l == "mul acc0<1>:UD").map(|(i, _)| i).collect();
    assert!(muls[0] < at("mach g20<1>:UD") && at("mach g20<1>:UD") < muls[1]);
}

#[test]
fn early_order_needs_fewer_registers_where_they_are_scarce() {
    // All values are computed first and then added up; only an interleaved order fits in the registers.
    let mut f = Function::new(16);
    f.payload_registers = 4;
    let values: Vec<Operand> = (0..90).map(|_| f.lanes(Type::F, 1)).collect();
    let sum = f.lanes(Type::F, 1);
    let mut b = Builder::new(&mut f);
    b.mov(sum, Operand::imm_f(0.0));
    for value in &values {
        b.mul(*value, Operand::grf(2, Type::F), Operand::imm_f(3.0));
    }
    for value in values {
        b.add(sum, sum, value);
    }
    b.mov(Operand::grf(120, Type::F), sum);
    let target = Target::of(Platform::Skl);
    let options = crate::regalloc::Options { may_spill: true, check: true, ..Default::default() };
    assert!(crate::regalloc::allocate(&f, &target, options).unwrap().spills > 0);
    assert!(opt_schedule_early(&mut f, &target).unwrap());
    verify(&f).unwrap();
    assert_eq!(crate::regalloc::allocate(&f, &target, options).unwrap().spills, 0);
}

#[test]
fn liveness_follows_the_early_order() {
    // Two loops whose body needs another order, with values that are live across the body and an early clobber.
    let mut f = Function::new(16);
    f.payload_registers = 4;
    let flag = crate::ir::Flag::Fixed(0);
    let values: Vec<Operand> = (0..12).map(|_| f.lanes(Type::F, 1)).collect();
    let mut b = Builder::new(&mut f);
    b.mov(values[0], Operand::grf(2, Type::F));
    for round in 0..2 {
        b.do_();
        for pair in values.windows(2) {
            b.mul(pair[1], pair[0], Operand::imm_f(3.0));
            b.exec(8).mov(pair[1].byte_offset(32), Operand::grf(2, Type::F));
        }
        b.emit(Op::Collect { headers: 0 }, values[round], &[values[11]]);
        b.add(values[2], values[3], values[4]);
        b.predicated(flag, false).while_();
    }
    b.mov(Operand::grf(120, Type::F), values[11]);
    let mut known = Analysis::new(&f).unwrap();
    assert!(schedule_analysed(&mut f, &mut known.liveness, &Target::of(Platform::Skl)));
    assert!(known == Analysis::new(&f).unwrap());
    // The allocator compares the liveness with a fresh one.
    let options = regalloc::Options { may_spill: true, check: true, ..Default::default() };
    let target = Target::of(Platform::Skl);
    assert!(regalloc::allocate_analysed(f.clone(), known.clone(), &target, options).is_ok());
    known.liveness.intervals.swap(crate::analysis::accesses::GRF_COUNT, 2);
    let stale = regalloc::allocate_analysed(f, known, &target, options);
    assert!(matches!(stale, Err(regalloc::AllocError::Stale("liveness"))), "{stale:?}");
}

#[test]
fn liveness_follows_random_programs() {
    let mut changed = 0;
    for seed in 0..60 {
        let width = [8, 16, 32][(seed % 3) as usize];
        let values = [5, 20, 60, 120][(seed % 4) as usize];
        let mut f = random(seed, width, values, 200);
        let mut known = Analysis::new(&f).unwrap();
        changed +=
            u32::from(schedule_analysed(&mut f, &mut known.liveness, &Target::of(Platform::Skl)));
        assert!(known == Analysis::new(&f).unwrap(), "{seed}");
    }
    assert!(changed > 30, "{changed}");
}

#[test]
fn any_order_is_made_in_place() {
    let mut next = numbers(1);
    for count in (0..40).chain([500]) {
        let mut f = Function::new(8);
        let mut b = Builder::new(&mut f);
        for index in 0..count {
            b.mov(Operand::grf(index as u32 % 128, Type::Ud), Operand::imm_ud(index as u32));
        }
        let old: Vec<Inst> = f.insts().cloned().collect();
        for _ in 0..8 {
            let mut order: Vec<usize> = (0..count).collect();
            (1..count).for_each(|at| order.swap(at, next(at + 1)));
            let expected: Vec<Inst> = order.iter().map(|from| old[*from].clone()).collect();
            let mut insts = old.clone();
            reorder(&mut insts, &order);
            assert_eq!(insts, expected, "{order:?}");
        }
    }
}

/// The dependency graph of a block: edges out of each instruction, number of edges into each, heights.
type Dependencies = (Vec<Vec<(u32, [u32; 2])>>, Vec<u32>, Vec<[u32; 2]>);

fn dependencies(dag: &Dag) -> Dependencies {
    let edges = |index| dag.succs.of(index).map(|edge| (edge.to, edge.latency)).collect();
    ((0..dag.preds.len()).map(edges).collect(), dag.preds.clone(), dag.height.clone())
}

/// Builds the graphs of a function's blocks with one builder, and each with a new builder: the results must be equal.
/// Returns the number of edges.
fn blocks_stand_alone(f: &Function) -> usize {
    let known = Analysis::new(f).unwrap().liveness;
    let mut builder = DagBuilder::new(&known.slots, &Target::of(Platform::Skl));
    let mut count = 0;
    for (block, first) in f.blocks.iter().zip(&known.block_starts) {
        let first = *first as usize;
        let found = dependencies(&builder.build(&block.insts, &known.accesses, first));
        let mut alone = DagBuilder::new(&known.slots, &Target::of(Platform::Skl));
        let alone = dependencies(&alone.build(&block.insts, &known.accesses, first));
        assert_eq!(found, alone, "{f}");
        count += found.0.iter().map(Vec::len).sum::<usize>();
    }
    count
}

#[test]
fn no_block_waits_for_what_another_touched() {
    for seed in 0..24 {
        assert!(blocks_stand_alone(&random(seed, 16, 10, 150)) > 100);
    }
}

#[test]
fn no_block_waits_for_the_memory_accumulator_or_address_of_another() {
    let mut f = Function::new(8);
    let value = f.lanes(Type::Ud, 1);
    let flag = crate::ir::Flag::Fixed(0);
    let g = |nr| Operand::grf(nr, Type::Ud);
    let acc = Operand::arf(ArfKind::Accumulator, 0, Type::Ud);
    let address = Operand::arf(ArfKind::Address, 0, Type::Uw);
    let mut b = Builder::new(&mut f);
    // An odd number of instructions, so that those of the next block have other indices.
    for round in 0..4 {
        send(&mut b, value, g(2), load(Space::Global, Effect::Read));
        send(&mut b, g(10), value, load(Space::Shared, Effect::Read));
        if round % 2 == 0 {
            b.add(value, value, acc);
            b.mov(g(12), address.retype(Type::Ud));
        }
        b.mul(acc, g(3), g(4));
        b.mach(g(20), g(3), g(4)).acc_wr_en = true;
        send(&mut b, Operand::null(Type::Ud), value, load(Space::Global, Effect::Write));
        b.mov(address, Operand::imm(0, Type::Uw));
        b.if_(flag, false);
        b.mov(value, g(10));
        b.endif();
        send(&mut b, Operand::null(Type::Ud), g(2), load(Space::None, Effect::Barrier));
    }
    assert!(blocks_stand_alone(&f) > 30);
}

/// The orders that the late scheduler chooses for an allocated function, checked against every candidate: the cycles of the
/// chosen orders and of each candidate in every block.
fn chosen_and_candidates(f: &Function, target: &Target) -> (u64, Vec<u64>) {
    let slots = crate::analysis::accesses::SlotMap::new(f);
    let accesses = crate::analysis::accesses::Accesses::new(f, &slots);
    let mut orders = Vec::new();
    opt_schedule_late::candidates(f, target, &slots, &accesses, &mut orders).cycles()
}

/// The estimate of the machine code.
fn cycles(f: &Function, target: &Target) -> u64 {
    let insts = crate::finish::finish(f, target).unwrap().0;
    estimate(&insts, f.dispatch_width, target).cycles
}

#[test]
fn no_candidate_is_faster_than_the_chosen_orders() {
    let target = Target::of(Platform::Skl);
    let options = crate::regalloc::Options { may_spill: true, check: false, ..Default::default() };
    let (mut faster, mut exact) = (0, 0);
    for seed in 0..60 {
        let width = [8, 16, 32][(seed % 3) as usize];
        let f = random(seed, width, [5, 20, 40][(seed / 3 % 3) as usize], 150);
        let Ok(allocated) = crate::regalloc::allocate(&f, &target, options) else { continue };
        let f = allocated.function;
        let (chosen, candidates) = chosen_and_candidates(&f, &target);
        assert!(candidates.iter().all(|cycles| chosen <= *cycles), "{chosen} {candidates:?}");
        faster += u32::from(candidates.iter().all(|cycles| chosen < *cycles));
        let before = cycles(&f, &target);
        // The old order is a candidate, so the model here can be compared with that of machine code.
        exact += u32::from(before == candidates[2]);
        let mut f = f;
        opt_schedule_late(&mut f, &target).unwrap();
        assert!(cycles(&f, &target) <= before, "{seed}");
    }
    assert!(faster > 5 && exact > 50, "{faster} {exact}");
}
