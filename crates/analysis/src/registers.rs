//! Registers: the values at the peak of the pressure.

use crestline_isa::Inst;

use crate::access::{Accesses, REGISTERS};
use crate::lines::Lines;
use crate::liveness::Liveness;
use crate::report::{Peak, Registers, Value};

/// Reports on the registers of a program with byte offsets `offsets`.
pub(crate) fn report(
    insts: &[Inst],
    offsets: &[usize],
    accesses: &Accesses,
    liveness: Option<&Liveness>,
    lines: Lines<'_>,
    available: u32,
) -> Registers {
    let mut used = [false; REGISTERS];
    for index in 0..insts.len() {
        for bytes in accesses.reads(index).iter().chain(accesses.writes(index)) {
            used[usize::from(bytes.register)] = true;
        }
    }
    let peak = liveness.and_then(|found| {
        let at = found.peak?;
        Some(Peak {
            registers: found.pressure[at],
            at: lines.place(offsets[at]),
            values: values(at, offsets, accesses, &found.at_peak, lines),
        })
    });
    let used = used.into_iter().filter(|used| *used).count() as u32;
    Registers { used, available, peak, indirect: accesses.indirect }
}

/// The values in `registers` at instruction `at`. Registers with the same writer, or that have their contents from the
/// start and follow each other, are one value.
fn values(
    at: usize,
    offsets: &[usize],
    accesses: &Accesses,
    registers: &[u8],
    lines: Lines<'_>,
) -> Vec<Value> {
    let mut writer = [None; REGISTERS];
    for index in 0..=at {
        for bytes in accesses.writes(index) {
            writer[usize::from(bytes.register)] = Some(index);
        }
    }
    let mut reader = [None; REGISTERS];
    for index in (at..offsets.len()).rev() {
        for bytes in accesses.reads(index) {
            reader[usize::from(bytes.register)] = Some(index);
        }
    }
    let mut values: Vec<(Option<usize>, Option<usize>, Value)> = Vec::new();
    for &register in registers {
        let (written, read) = (writer[usize::from(register)], reader[usize::from(register)]);
        match values.last_mut() {
            Some((before, first_read, value))
                if *before == written && value.first + value.registers == u32::from(register) =>
            {
                value.registers += 1;
                *first_read = first_read.iter().copied().chain(read).min();
            }
            _ => {
                let value = Value {
                    registers: 1,
                    first: register.into(),
                    written: None,
                    read: None,
                    variables: vec![],
                };
                values.push((written, read, value));
            }
        }
    }
    let place = |index: Option<usize>| index.map(|index| lines.place(offsets[index]));
    let mut values: Vec<Value> = values
        .into_iter()
        .map(|(written, read, value)| {
            let written = place(written);
            let variables = lines.variables(&written);
            Value { written, read: place(read), variables, ..value }
        })
        .collect();
    values.sort_by_key(|value| (std::cmp::Reverse(value.registers), value.first));
    values
}
