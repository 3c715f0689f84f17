//! Spilling to scratch space: the messages, the size of the space, and values that divergent control flow must
//! preserve.

use super::*;

/// The additions that move the scratch base in a header: the number of the instruction and the added bytes.
fn moved_bases(function: &Function) -> Vec<(usize, u32)> {
    let moves = |inst: &&Inst| inst.op == Op::Hw(Opcode::Add) && inst.exec_size == 1;
    let bytes = |inst: &Inst| inst.srcs[1].imm_bits().unwrap() as u32;
    let insts = function.insts().enumerate();
    insts.filter(|(_, inst)| moves(inst)).map(|(at, inst)| (at, bytes(inst))).collect()
}

#[test]
fn headers_reach_scratch_space_that_messages_cannot_name() {
    for platform in [Platform::Hsw, Platform::Bdw, Platform::Skl] {
        let target = Target::of(platform);
        let function = pressure(16, 2400);
        let found = allocate_ok(&function, &target);
        assert!(found.function.scratch_bytes > 128 << 10);
        let moves = moved_bases(&found.function);
        assert!(moves.iter().all(|(_, bytes)| [128 << 10].contains(bytes)), "{moves:?}");
        // Every addition is needed: with another base, the message would access other values.
        for (at, bytes) in [moves[0], moves[moves.len() / 2], moves[moves.len() - 1]] {
            let mut bad = found.clone();
            let inst = bad.function.insts_mut().nth(at).unwrap();
            inst.srcs[1] = Operand::imm_ud(bytes - 1024);
            let checked = check::check(&function, &bad.function, &bad.origins, &target);
            assert!(checked.is_err(), "{platform}: base {at}");
        }
    }
}

#[test]
fn a_program_without_much_scratch_space_needs_no_other_base() {
    for target in targets() {
        assert_eq!(moved_bases(&allocate_ok(&pressure(16, 1000), &target).function), []);
    }
}

#[test]
fn what_no_thread_has_room_for_is_an_error_with_the_bytes() {
    let (ivb, skl) = (Target::of(Platform::Ivb), Target::of(Platform::Skl));
    let options = Options { may_spill: true, check: true, ..Default::default() };
    let found = allocate(&pressure(8, 600), &ivb, options).map(|_| ());
    let Err(AllocError::OutOfScratch { bytes, limit }) = found else { panic!("{found:?}") };
    assert_eq!(limit, 12 << 10);
    // 600 registers, except those that stay in the register file.
    assert!((472 * 32..=600 * 32).contains(&bytes), "{bytes}");
    let mut full = pressure(8, 200);
    full.scratch_bytes = 2 << 20;
    let found = allocate(&full, &skl, options).map(|_| ());
    let Err(AllocError::OutOfScratch { bytes, limit }) = found else { panic!("{found:?}") };
    assert_eq!(limit, 2 << 20);
    assert!((limit.into()..limit as u64 + 200 * 32).contains(&bytes), "{bytes}");
}

/// A response for which no register is free takes that of the value with the lowest spill cost, but not g127.
#[test]
fn no_response_displaces_a_value_to_get_the_last_register() {
    let target = targets()[0];
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
    let found = assign(&f, &liveness, &cfg, target.registers, Strategy::Dense { spill: true });
    // One value had to be spilled, and the one with the lowest cost was in g127.
    assert_eq!(found.spilled.len(), 1);
    let place = found.places[response.vreg().unwrap().0 as usize];
    assert!(place.is_some_and(|place| place / GRF_BYTES < GRF_COUNT as u32 - 1), "{place:?}");
    allocate_ok(&f, &target);
}

/// Spills one value, allocates the rest and runs the checker on the whole.
fn spill_ok(function: &Function, value: Operand) -> Function {
    let target = targets()[1];
    let mut spilled = function.clone();
    let done =
        spill::spill(&mut spilled, &target, Pipeline::Compute, &[value.vreg().unwrap()]).unwrap();
    let good = allocate_ok(&spilled, &target);
    let mut origins = done.origins;
    for (list, step) in origins.iter_mut().zip(&good.origins) {
        *list = step.iter().map(|at| list[(*at)? as usize]).collect();
    }
    check::check(function, &good.function, &origins, &target)
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
