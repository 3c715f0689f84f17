//! `opt_split_registers`: splits a virtual register of several general registers into several virtual registers,
//! between general registers that no instruction accesses together.
//!
//! After wide instructions were split, the halves of a wide value are independent. As separate registers they can be
//! allocated, coalesced into payloads and copy-propagated separately.

use std::ops::Range;

use crate::target::Target;

use super::PassError;
use crate::ir::{Class, File, Function, GRF_BYTES, Operand, Vreg};

/// Splits virtual registers between general registers that no instruction accesses together. Returns whether the
/// function changed.
///
/// # Errors
/// None.
pub fn opt_split_registers(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let mut parts = Parts::new(function);
    for inst in function.insts() {
        for (index, src) in inst.srcs.iter().enumerate() {
            parts.join(src, || inst.size_read(index));
        }
        parts.join(&inst.dst, || inst.size_written());
    }
    let new = parts.split(function);
    if new.registers.is_empty() {
        return Ok(false);
    }
    for inst in function.insts_mut() {
        for operand in inst.srcs.iter_mut().chain([&mut inst.dst]) {
            if let Some((part, start)) = new.of(operand) {
                operand.file = File::Vgrf(part);
                operand.offset -= start;
            }
        }
    }
    Ok(true)
}

/// The new virtual registers of each split register.
struct NewRegisters {
    /// For each old virtual register, the start of its entries in `registers`, followed by the end of all. A register
    /// that is not split has no entries.
    starts: Vec<u32>,
    /// For each general register of an old virtual register: the new virtual register, and the byte offset of the
    /// latter in the old one.
    registers: Vec<(Vreg, u32)>,
}

impl NewRegisters {
    /// The new virtual register that contains an operand, and its byte offset in the old one. `None` if the register
    /// is not split. An operand of zero bytes may start at the end of its register, which no part contains; it stays
    /// unchanged.
    fn of(&self, operand: &Operand) -> Option<(Vreg, u32)> {
        let vreg = operand.vreg()?.index();
        let [start, end] = [vreg, vreg + 1].map(|at| self.starts[at] as usize);
        self.registers[start..end].get((operand.offset / GRF_BYTES) as usize).copied()
    }
}

/// For each boundary between two general registers of a virtual register, whether an instruction accesses both sides.
struct Parts {
    joined: Vec<bool>,
    /// For each virtual register, the start of its boundaries in `joined`, followed by the end of all.
    starts: Vec<usize>,
    /// Whether an instruction accesses the virtual register at all.
    used: Vec<bool>,
}

impl Parts {
    /// Boundaries of all virtual registers of a function, none of which an instruction joins yet.
    fn new(function: &Function) -> Parts {
        let mut starts = Vec::with_capacity(function.vregs.len() + 1);
        let mut end = 0;
        for (_, info) in function.vregs.iter() {
            starts.push(end);
            // A register with a required position is not split.
            if info.class == Class::Grf && info.min_register == 0 {
                end += (info.bytes.div_ceil(GRF_BYTES) as usize).saturating_sub(1);
            }
        }
        starts.push(end);
        Parts { joined: vec![false; end], starts, used: vec![false; function.vregs.len()] }
    }

    fn boundaries(&self, vreg: Vreg) -> Range<usize> {
        self.starts[vreg.index()]..self.starts[vreg.index() + 1]
    }

    /// Records that an instruction accesses `bytes` bytes from an operand's start on.
    fn join(&mut self, operand: &Operand, bytes: impl FnOnce() -> u32) {
        let Some(vreg) = operand.vreg() else { return };
        let boundaries = self.boundaries(vreg);
        if boundaries.is_empty() {
            return;
        }
        let bytes = bytes();
        if bytes == 0 {
            return;
        }
        let first = (operand.offset / GRF_BYTES) as usize;
        let last = ((operand.offset + bytes - 1) / GRF_BYTES) as usize;
        self.used[vreg.index()] = true;
        for at in boundaries.start + first..boundaries.end.min(boundaries.start + last) {
            self.joined[at] = true;
        }
    }

    /// Whether a virtual register will be split.
    fn is_split(&self, vreg: Vreg) -> bool {
        self.used[vreg.index()] && self.joined[self.boundaries(vreg)].contains(&false)
    }

    /// Creates the new virtual registers.
    fn split(&self, function: &mut Function) -> NewRegisters {
        let mut new =
            NewRegisters { starts: Vec::with_capacity(self.starts.len()), registers: Vec::new() };
        for vreg in (0..self.used.len() as u32).map(Vreg) {
            new.starts.push(new.registers.len() as u32);
            if !self.is_split(vreg) || !function.fuel.take(|| format!("register v{}", vreg.0)) {
                continue;
            }
            let info = function.vregs[vreg];
            let joined = &self.joined[self.boundaries(vreg)];
            let mut first = 0;
            for last in 0..=joined.len() {
                if joined.get(last).is_some_and(|joined| *joined) {
                    continue;
                }
                let start = first as u32 * GRF_BYTES;
                let bytes = ((last + 1) as u32 * GRF_BYTES).min(info.bytes) - start;
                let part = function.vregs.push(crate::ir::VregInfo { bytes, ..info });
                new.registers.extend((first..=last).map(|_| (part, start)));
                first = last + 1;
            }
        }
        new.starts.push(new.registers.len() as u32);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Op};
    use crate::verify::verify;
    use crestline_device::Platform;
    use crestline_isa::Type;

    #[test]
    fn halves_that_nothing_touches_together_part() {
        let mut f = Function::new(32);
        let (wide, whole) = (f.lanes(Type::F, 1), f.lanes(Type::F, 1));
        let mut b = Builder::new(&mut f);
        for half in [0, 64] {
            let group = (half / 4) as u8;
            b.exec(16).group(group).mov(wide.byte_offset(half), Operand::imm_f(1.0));
            b.exec(16).group(group).mov(whole.byte_offset(half), wide.byte_offset(half));
        }
        b.mov(Operand::null(Type::F), whole);
        assert_eq!(opt_split_registers(&mut f, &Target::of(Platform::Skl)), Ok(true));
        assert_eq!(verify(&f), Ok(()));
        let used: Vec<_> = f.insts().filter_map(|inst| inst.srcs[0].vreg()).collect();
        assert_ne!(used[0], used[1]);
        assert_eq!(f.vregs[used[0]].bytes, 64);
        assert_eq!(used[2], whole.vreg().unwrap());
        assert_eq!(opt_split_registers(&mut f, &Target::of(Platform::Skl)), Ok(false));
    }

    /// The operand reads no bytes, so it must neither cause a panic nor refer to another value.
    #[test]
    fn operands_without_bytes_at_the_end_of_their_value_stay() {
        let mut f = Function::new(16);
        let (first, last) = (f.lanes(Type::F, 1), f.lanes(Type::F, 1));
        let mut b = Builder::new(&mut f);
        for value in [first, last] {
            for half in [0, 32] {
                let value = value.byte_offset(half);
                b.exec(8).group((half / 4) as u8).mov(value, Operand::imm_f(1.0));
            }
            let range = Operand::imm_ud(0);
            let end = value.byte_offset(64);
            b.emit(Op::MovIndirect, Operand::grf(9, Type::F), &[end, range, range]);
        }
        assert_eq!(verify(&f), Ok(()));
        assert_eq!(opt_split_registers(&mut f, &Target::of(Platform::Skl)), Ok(true));
        assert_eq!(verify(&f), Ok(()));
        let ends = f.insts().filter(|inst| inst.op == Op::MovIndirect);
        let ends: Vec<_> = ends.map(|inst| (inst.srcs[0].vreg(), inst.srcs[0].offset)).collect();
        assert_eq!(ends, [(first.vreg(), 64), (last.vreg(), 64)]);
    }
}
