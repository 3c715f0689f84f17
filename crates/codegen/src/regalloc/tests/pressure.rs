//! Register pressure: its maximum, its estimate, and programs for which spilling is not allowed.

use super::*;
use crate::target::Registers;

#[test]
fn no_spill_means_no_spill() {
    let options = Options { may_spill: false, check: true, ..Default::default() };
    let too_many = pressure(16, 200);
    let target = targets()[1];
    let found = allocate(&too_many, &target, options);
    assert!(
        matches!(found, Err(AllocError::Pressure { registers, count: 128 }) if registers > 128),
        "{found:?}"
    );
    assert!(matches!(
        check_pressure_estimate(&too_many, &target, options),
        Err(AllocError::Pressure { .. })
    ));
    assert_eq!(
        check_pressure_estimate(&too_many, &target, Options { may_spill: true, ..options }),
        Ok(())
    );
    // Scheduling can halve what a program needs.
    assert_eq!(check_pressure_estimate(&pressure(16, 100), &target, options), Ok(()));
}

#[test]
fn a_target_with_fewer_registers_spills_more_and_uses_no_others() {
    let whole = targets()[1];
    let mut half = whole;
    half.registers = Registers { count: 64, first_end_of_thread: 48 };
    let mut f = pressure(16, 40);
    for inst in f.insts_mut().filter(|inst| inst.dst.file == File::Grf) {
        inst.dst.offset = 60 * GRF_BYTES;
    }
    assert_eq!(allocate_ok(&f, &whole).fills, 0);
    let found = allocate_ok(&f, &half);
    assert!(found.fills > 0 && found.registers <= 64, "{} fills", found.fills);
    let options = Options { may_spill: false, check: true, ..Default::default() };
    let refused = |found| matches!(found, Err(AllocError::Pressure { count: 64, .. }));
    assert!(refused(allocate(&f, &half, options).map(|_| ())));
    assert!(refused(check_pressure_estimate(&pressure(16, 80), &half, options)));
    // A program that needs the whole register file must be rejected by the checker for half of it.
    let found = allocate_ok(&f, &whole);
    let wrong = check::check(&f, &found.function, &found.origins, &half).unwrap_err();
    assert!(wrong.to_string().contains("beyond the last register"), "{wrong}");
}

#[test]
fn the_pressure_estimate_is_the_peak_of_straight_code() {
    for values in [5, 40, 200] {
        let f = pressure(16, values);
        let cfg = Cfg::new(&f).unwrap();
        let (estimate, peak) = (pressure_estimate(&f), peak(&f, &Liveness::new(&f, &cfg)));
        assert!(estimate <= peak && peak <= estimate + 4, "estimate {estimate}, peak {peak}");
    }
}

/// A value that is written before a loop and read at its start must survive the whole loop. The estimate does not
/// account for this.
#[test]
fn the_pressure_estimate_is_too_low_for_loops() {
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
    assert_eq!((pressure_estimate(&f), peak(&f, &known.liveness)), (10, 20));
}

/// Between two uses that are far apart, the estimate counts a value as live, as allocation does. But it counts the
/// parts of a value together, which allocation does not.
#[test]
fn the_pressure_estimate_is_too_high_for_values_in_parts() {
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
        (pressure_estimate(&f), peak(&f, &known.liveness))
    };
    assert_eq!(stretches(1), (10, 10));
    assert_eq!(stretches(2), (20, 1));
}
