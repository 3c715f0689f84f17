//! Allocation of small and large programs.

mod checker;
mod pressure;
mod scratch;

use std::collections::BTreeSet;

use super::accesses::GRF_COUNT;
use super::*;
use crate::ir::{BlockId, Builder, Cfg, Function, GRF_BYTES, Inst, Op, Operand};
use crate::verify::verify;
use crestline_device::Platform;
use crestline_isa::message as isa;
use crestline_isa::{CondMod, Opcode, Type};

const FLAG: Flag = Flag::Fixed(0);

fn targets() -> [Target; 2] {
    [Target::of(Platform::Bdw), Target::of(Platform::Skl)]
}

fn allocate_ok(function: &Function, target: &Target) -> Allocation {
    verify(function).unwrap();
    let options = Options { may_spill: true, check: true, ..Default::default() };
    let found =
        allocate(function, target, options).unwrap_or_else(|e| panic!("{e}\nbefore:\n{function}"));
    verify(&found.function).unwrap();
    found
}

/// A program of SIMD width `width` in which `count` values are live at once and are then used in order.
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
    for target in targets() {
        let found = allocate_ok(&pressure(8, 100), &target);
        assert_eq!((found.spills, found.fills), (0, 0));
        let found = allocate_ok(&pressure(16, 50), &target);
        assert_eq!((found.spills, found.fills), (0, 0));
    }
}

#[test]
fn what_does_not_fit_is_spilled_and_still_right() {
    for target in targets() {
        for width in [8, 16, 32] {
            let found = allocate_ok(&pressure(width, 200), &target);
            assert!(found.spills > 0 && found.fills > 0);
            assert!(found.function.scratch_bytes > 0);
        }
    }
}

/// A program in which values are live through a loop with a `break` and a conditional whose arms both use many
/// registers.
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
    for target in targets() {
        for width in [8, 16, 32] {
            for count in [3, 12, 40, 150] {
                allocate_ok(&branchy(width, count), &target);
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
        let found = allocate_ok(&f, &targets()[1]);
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
    let found = allocate_ok(&f, &targets()[1]);
    // The payload, eight registers of values, and the pair that holds the sums.
    assert!(found.registers <= 1 + 8 + 2, "{} registers", found.registers);
}

#[test]
fn a_source_placed_after_the_wide_value_it_ends_in_is_not_half_overwritten() {
    let mut f = Function::new(16);
    f.payload_registers = 122;
    let wide = Operand::vgrf(f.vregs.bytes(5 * GRF_BYTES), Type::Ud);
    let source = f.lanes(Type::Ud, 1);
    let mut b = Builder::new(&mut f);
    // The header is placed first. For the source, there is room only where no value is live yet.
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
    let found = allocate_ok(&f, &targets()[1]);
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
    let found = allocate_ok(&f, &targets()[1]);
    let last = found.function.insts().last().unwrap();
    assert!(last.srcs[0].offset >= 112 * 32);
}

/// Random numbers, each less than the argument.
pub(crate) fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut random = fastrand::Rng::with_seed(seed);
    move |below: usize| random.usize(..below)
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
        let target = targets()[(seed % 2) as usize];
        let width = [8, 16, 32][(seed % 3) as usize];
        let values = [5, 20, 60, 120][(seed % 4) as usize];
        allocate_ok(&random(seed, width, values, 150), &target);
    }
}

#[test]
fn a_hundred_thousand_instructions_allocate_without_spills() {
    // A chain with a window of live values. A benchmark measures how the time grows with its length.
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
    let options = Options { may_spill: true, check: false, ..Default::default() };
    let allocated = allocate(&f, &targets()[1], options).unwrap();
    assert_eq!(allocated.spills, 0);
}

/// A program of SIMD width 8 in which `count` scalars are live at once.
fn scalars(count: usize) -> Function {
    let mut f = Function::new(8);
    f.payload_registers = 4;
    let mut b = Builder::new(&mut f);
    let values: Vec<Operand> = (0..count).map(|_| b.scalar(Type::Ud)).collect();
    for value in &values {
        b.uniform().mov(*value, Operand::grf(2, Type::Ud).with_stride(0));
    }
    let sum = b.lanes(Type::Ud, 1);
    b.mov(sum, Operand::imm_ud(0));
    for value in values {
        b.add(sum, sum, value);
    }
    b.mov(Operand::grf(120, Type::Ud), sum);
    f
}

#[test]
fn small_values_share_registers_only_without_room() {
    let starts = |count, apart| {
        let options = Options { check: true, apart, ..Options::default() };
        let found = allocate(&scalars(count), &targets()[1], options).expect("allocates");
        assert_eq!((found.spills, found.fills), (0, 0), "{count} values");
        let scalars = found.function.insts().filter(|inst| inst.exec_size == 1);
        let shifted = scalars.filter(|inst| inst.dst.offset % GRF_BYTES != 0).count();
        (shifted, found.registers)
    };
    assert_eq!(starts(60, true).0, 0);
    // Without room, or if it is not wanted, eight values share a register.
    assert!(starts(400, true).0 > 300);
    assert!(starts(60, false).0 > 40);
    // The number of registers in use at once counts bytes, so it does not depend on the places.
    assert_eq!(starts(60, true).1, starts(60, false).1);
}
