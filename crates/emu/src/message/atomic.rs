//! Atomic messages. The channels execute one after the other, in ascending order.

use super::stateless::{address, address_dwords, payload_dword};
use super::surface::{Surface, each_channel, with_address};
use super::untyped::align;
use super::{Call, World};
use crate::memory::Memory;
use crate::thread::Thread;
use crestline_isa::message::{AtomicOp, Bti, FloatAtomicOp, SimdMode};
use crestline_isa::semantics::Float;

/// An atomic operation.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Int(AtomicOp),
    Float(FloatAtomicOp),
}

impl Operation {
    /// Number of data operands in the payload.
    pub(super) fn operands(self) -> usize {
        match self {
            Operation::Int(op) => op.operands() as usize,
            Operation::Float(op) => op.operands() as usize,
        }
    }

    /// The new value and the value to return, for the old value, the operands `a` and `b`, and the size in bits.
    pub(super) fn apply(self, t: &Thread, old: u64, a: u64, b: u64, bits: u32) -> (u64, u64) {
        let signed = |value: u64| (value << (64 - bits)).cast_signed() >> (64 - bits);
        match self {
            Operation::Int(op) => {
                let new = match op {
                    AtomicOp::And => old & a,
                    AtomicOp::Or => old | a,
                    AtomicOp::Xor => old ^ a,
                    AtomicOp::Mov => a,
                    AtomicOp::Inc => old.wrapping_add(1),
                    AtomicOp::Dec | AtomicOp::PreDec => old.wrapping_sub(1),
                    AtomicOp::Add => old.wrapping_add(a),
                    AtomicOp::Sub => old.wrapping_sub(a),
                    AtomicOp::RevSub => a.wrapping_sub(old),
                    AtomicOp::Imax => {
                        if signed(a) > signed(old) {
                            a
                        } else {
                            old
                        }
                    }
                    AtomicOp::Imin => {
                        if signed(a) < signed(old) {
                            a
                        } else {
                            old
                        }
                    }
                    AtomicOp::Umax => old.max(a),
                    AtomicOp::Umin => old.min(a),
                    AtomicOp::CmpWr | AtomicOp::CmpWr2W => {
                        if old == a {
                            b
                        } else {
                            old
                        }
                    }
                };
                (new, if op == AtomicOp::PreDec { new } else { old })
            }
            Operation::Float(op) => {
                let [x, y] = [old, a].map(|bits| f32::from_bits(bits as u32));
                let new = match op {
                    FloatAtomicOp::Fmax => Float::to_bits(y.sel_ge(x, &t.env)),
                    FloatAtomicOp::Fmin => Float::to_bits(y.sel_l(x, &t.env)),
                    FloatAtomicOp::FcmpWr => {
                        if x == y {
                            b
                        } else {
                            old
                        }
                    }
                    // Loading refuses the other operations, which only later devices have.
                    _ => old,
                };
                (new, old)
            }
        }
    }
}

impl Operation {
    /// Applies the operation to a dword, which must exist. Returns the value to return to the thread.
    pub(super) fn update(
        self,
        t: &Thread,
        memory: &mut Memory<'_>,
        offset: u64,
        [a, b]: [u64; 2],
    ) -> u32 {
        let mut result = 0;
        memory.modify(offset, |[old]| {
            let (new, returned) = self.apply(t, old.into(), a, b, 32);
            result = returned as u32;
            [new as u32]
        });
        result
    }
}

/// Applies an operation to a dword or qword of a surface. Returns the value to return to the thread.
pub(super) fn update(
    t: &mut Thread,
    surface: &mut Surface<'_, '_>,
    at: u64,
    operation: Operation,
    [a, b]: [u64; 2],
    qword: bool,
    lane: usize,
) -> u64 {
    let size = if qword { 8 } else { 4 };
    let Some(offset) = surface.locate(t, at, size, Some(lane), true) else { return 0 };
    let mut result = 0;
    if qword {
        surface.memory.modify(offset, |[low, high]| {
            let old = u64::from(low) | u64::from(high) << 32;
            let (new, returned) = operation.apply(t, old, a, b, 64);
            result = returned;
            [new as u32, (new >> 32) as u32]
        });
    } else {
        result = operation.update(t, surface.memory, offset, [a, b]).into();
    }
    result
}

/// Atomics on a surface or on shared memory.
pub(super) fn untyped(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    operation: Operation,
    simd: SimdMode,
    return_data: bool,
) {
    let lanes = simd.lanes() as usize;
    let registers = lanes.div_ceil(8);
    let payload = call.header_registers() + (1 + operation.operands()) * registers;
    if !call.fits(t, payload, if return_data { registers } else { 0 }) {
        return;
    }
    let address = |t: &mut Thread, lane| {
        let at = call.dword(t, 0, lanes, lane);
        align(t, at.into(), lane)
    };
    each_channel(call, t, world, (bti, lanes), address, |t, surface, at, lane| {
        let mut operands = [0; 2];
        for (i, operand) in operands.iter_mut().enumerate().take(operation.operands()) {
            *operand = u64::from(call.dword(t, 1 + i, lanes, lane));
        }
        let old = update(t, surface, at, operation, operands, false, lane);
        if return_data {
            call.respond(t, lane, old as u32);
        }
    });
}

/// Atomics on 64-bit addresses. They always have eight channels.
pub(super) fn stateless(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    operation: Operation,
    qword: bool,
    return_data: bool,
) {
    const LANES: usize = 8;
    let width = if qword { 2 } else { 1 };
    let payload = call.header_registers() + LANES / 4 + operation.operands() * width;
    if !call.fits(t, payload, if return_data { width } else { 0 }) {
        return;
    }
    for lane in call.channels(LANES) {
        let at = address(call, t, lane);
        let at = align(t, at, lane);
        let mut operands = [0; 2];
        for (i, operand) in operands.iter_mut().enumerate().take(operation.operands()) {
            *operand = if qword {
                let first = address_dwords(LANES) + (i * LANES + lane) * 2;
                let [low, high] =
                    [first, first + 1].map(|dword| payload_dword(call, t, dword, lane));
                u64::from(low) | u64::from(high) << 32
            } else {
                payload_dword(call, t, address_dwords(LANES) + i * LANES + lane, lane).into()
            };
        }
        let old = with_address(t, world, at, |t, surface| {
            update(t, surface, at, operation, operands, qword, lane)
        });
        if return_data && qword {
            call.respond(t, 2 * lane, old as u32);
            call.respond(t, 2 * lane + 1, (old >> 32) as u32);
        } else if return_data {
            call.respond(t, lane, old as u32);
        }
    }
}
