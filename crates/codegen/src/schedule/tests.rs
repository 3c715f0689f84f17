//! Orders the schedulers must and must not change.

use super::*;
use crate::ir::{Builder, Effect, Function, Message, Op, Operand, Space, verify};
use crestline_device::{Device, Platform};
use crestline_isa::{ArfKind, Sfid, Type};

fn load(space: Space, effect: Effect) -> Message {
    Message {
        sfid: Sfid::DataCache1,
        control: 0,
        ex_control: 0,
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
    opt_schedule_late(f, &Device::new(Platform::Skl)).unwrap();
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
    let before = estimate(&f).unwrap();
    assert_eq!(late(&mut f), ["send g10<1>:UD", "add g12<1>:UD", "add g13<1>:UD", "add g11<1>:UD"]);
    assert!(estimate(&f).unwrap().cycles <= before.cycles);
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
    // All values are made, then all are summed: only an interleaved order fits.
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
    let device = Device::new(Platform::Skl);
    let options = crate::regalloc::Options { may_spill: true, check: true };
    assert!(crate::regalloc::allocate(&f, &device, options).unwrap().spills > 0);
    assert!(opt_schedule_early(&mut f, &device).unwrap());
    verify(&f).unwrap();
    assert_eq!(crate::regalloc::allocate(&f, &device, options).unwrap().spills, 0);
}

#[test]
fn liveness_follows_the_early_order() {
    // Two loops around work that wants another order, with values that live across, and an early clobber.
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
    let mut known = crate::regalloc::Analysis::new(&f).unwrap();
    assert!(schedule_analysed(&mut f, &mut known.liveness));
    let fresh = crate::regalloc::Analysis::new(&f).unwrap().liveness;
    assert_eq!(known.liveness.intervals, fresh.intervals);
    for number in 0..f.inst_count() {
        let [known, fresh] =
            [&known.liveness, &fresh].map(|l| format!("{:?}", l.accesses.of(number)));
        assert_eq!(known, fresh);
    }
}
