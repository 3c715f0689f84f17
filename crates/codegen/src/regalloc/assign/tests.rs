//! Comparison of a scan's summary per register ([`Held`]) with the tracks.

use super::*;
use crate::regalloc::Analysis;
use crate::regalloc::tests::{numbers, random};
use crate::target::Target;
use crestline_device::Platform;

const STRATEGIES: [Strategy; 3] =
    [Strategy::Apart, Strategy::Spread, Strategy::Dense { spill: true }];

/// Checks that no place that the summary excludes is free. Returns the number of excluded places: registers and
/// units.
fn excluded(scan: &Scan<'_>, vreg: Vreg, interval: Interval) -> [usize; 2] {
    let slots = scan.liveness.slots.of(vreg);
    let count = slots.len();
    if scan.bytes(vreg) >= GRF_BYTES {
        let open = scan.held.open(&scan.liveness.intervals[slots]);
        let closed = (0..=GRF_COUNT - count).filter(|base| open >> base & 1 == 0);
        let closed: Vec<usize> = closed.collect();
        for base in &closed {
            assert!(!scan.fits(vreg, *base as u32 * GRF_BYTES), "v{} fits g{base}", vreg.0);
        }
        return [closed.len(), 0];
    }
    let open = scan.held.open(&[interval]);
    let mut found = [0; 2];
    for (number, register) in scan.registers.iter().enumerate() {
        for unit in 0..UNITS {
            let is_closed = open >> number & 1 == 0;
            let is_taken = scan.held.now.units[number] >> unit & 1 == 1;
            if is_closed || is_taken {
                assert!(!register.units_free(unit..unit + 1, interval), "g{number} unit {unit}");
            }
            found[0] += usize::from(is_closed);
            found[1] += usize::from(is_taken);
        }
    }
    found
}

/// Scans a program, evicts a random value from time to time, and counts the places that the summary excludes.
fn scan(
    function: &Function,
    strategy: Strategy,
    mut next: impl FnMut(usize) -> usize,
) -> [usize; 2] {
    let Analysis { cfg, liveness } = Analysis::new(function).unwrap();
    let file = Target::of(Platform::Skl).registers;
    let mut scan = Scan::new(function, &liveness, &cfg, file, strategy);
    let mut found = [0; 2];
    for position in 0..positions(&liveness) as u32 {
        scan.held.advance(position);
        for (vreg, info) in function.vregs.iter() {
            let interval = liveness.vreg(vreg);
            if info.class != Class::Grf || interval.is_empty() || interval.start != position {
                continue;
            }
            let left_out = excluded(&scan, vreg, interval);
            found = [found[0] + left_out[0], found[1] + left_out[1]];
            scan.place(vreg, interval);
            if next(4) == 0 {
                // The evicted value may be dead, live, or have parts whose intervals have not started.
                scan.evict(Vreg(next(function.vregs.len()) as u32));
            }
        }
    }
    found
}

#[test]
fn what_is_held_now_never_fits() {
    let mut found = [0; 2];
    for seed in 0..48 {
        let width = [8, 16, 32][(seed % 3) as usize];
        let values = [20, 60, 120, 200][(seed % 4) as usize];
        let function = random(seed, width, values, 100);
        for strategy in STRATEGIES {
            let left_out = scan(&function, strategy, numbers(seed));
            found = [found[0] + left_out[0], found[1] + left_out[1]];
        }
    }
    assert!(found.iter().all(|count| *count > 10_000), "{found:?}");
}

/// Short values with random starts, some with parts that start later, so that places are reused often.
#[test]
fn what_is_held_now_never_fits_short_values() {
    use crate::ir::Builder;
    use crestline_isa::Type;
    let mut found = [0; 2];
    for seed in 0..24 {
        let mut next = numbers(seed);
        let mut function = Function::new(8);
        function.payload_registers = 20;
        let mut alive: Vec<Operand> = Vec::new();
        let mut b = Builder::new(&mut function);
        for _ in 0..400 {
            if alive.len() > next(60) {
                let value = alive.swap_remove(next(alive.len()));
                b.exec(1).mov(Operand::null(value.ty), value.with_stride(0));
            }
            if next(5) == 0 {
                b.mov(Operand::null(Type::F), Operand::grf(next(20) as u32, Type::F));
            }
            let parts = 1 + next(4) as u32;
            let value = match next(3) {
                0 => b.scalar([Type::Uw, Type::Ud, Type::Df][next(3)]),
                _ => b.lanes(Type::F, parts),
            };
            if value.is_scalar() {
                b.uniform().mov(value, Operand::imm(0, value.ty));
                alive.push(value);
            } else {
                // The parts of the value start and end at different times.
                let bytes = parts * GRF_BYTES;
                let first = next(parts as usize) as u32 * GRF_BYTES;
                b.mov(value.byte_offset(first), Operand::imm_f(0.0));
                let other = value.byte_offset((first + GRF_BYTES) % bytes);
                alive.extend([value.byte_offset(first), other]);
            }
        }
        for strategy in STRATEGIES {
            let left_out = scan(&function, strategy, numbers(seed + 100));
            found = [found[0] + left_out[0], found[1] + left_out[1]];
        }
    }
    assert!(found.iter().all(|count| *count > 10_000), "{found:?}");
}
