//! The target device as the back end sees it: registers, native operations, messages, scoreboard, SIMD widths.
//!
//! A [`Target`] contains a [`Device`] and dereferences to it, so all capabilities and limits of the device are
//! available. The other fields are values that the back end derives from the device and uses in more than one module.

mod native;

use std::ops::Deref;

use crestline_device::{Device, Platform};
use crestline_isa::message::Bti;
use crestline_ssa::ir::AluOp;

pub(crate) use native::Mode;
pub use native::unsupported_operations;

/// The largest number of general registers of any target; the IR can name g0 to g127.
pub const MAX_REGISTERS: u32 = 128;

/// The device that code is generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    device: Device,
    /// General registers.
    pub registers: Registers,
    /// Messages to the shared functions.
    pub messages: MessageSet,
    /// Whether the hardware or the compiler tracks registers in flight.
    pub scoreboard: Scoreboard,
    /// SIMD widths of compute threads, ascending.
    pub simd_widths: &'static [u8],
}

/// General registers of a thread, 32 bytes each ([`GRF_BYTES`](crate::ir::GRF_BYTES)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Number of general registers, at most [`MAX_REGISTERS`].
    pub count: u32,
    /// First register that the payload of an end-of-thread message may start at. The hardware gives the registers
    /// below it to the next thread (PRM, "send").
    pub first_end_of_thread: u32,
}

impl Registers {
    /// One past the last register that a response may include. The last register of all must not be written by a
    /// message whose payload it overlaps (PRM, "send", gen8 on), so no response includes it.
    pub const fn response_end(self) -> u32 {
        self.count.saturating_sub(1)
    }

    /// Register pressure below which scheduling considers latency only.
    pub const fn plenty(self) -> u32 {
        self.count * 7 / 16
    }

    /// Largest register pressure for which allocation usually succeeds, with a reserve for fragmentation.
    pub const fn allocatable(self) -> u32 {
        self.count * 7 / 8
    }

    /// Largest number of registers that a program may use if the doubled SIMD width is to be tried.
    pub const fn for_widening(self) -> u32 {
        self.count / 2
    }

    /// Largest number of registers for all arrays of a shader.
    pub const fn for_arrays(self) -> u32 {
        self.count / 4
    }

    /// Largest number of payload registers. With more than half of all registers, no program would have enough left
    /// for its computation.
    pub const fn for_payload(self) -> u32 {
        self.count / 2
    }
}

/// Properties of a device's messages that more than one module needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSet {
    /// Whether a message can have two payloads (`sends`).
    pub split_payloads: bool,
    /// Whether typed messages need a header.
    pub typed_header: bool,
    /// Whether untyped writes have a SIMD4x2 form.
    pub vector_writes: bool,
    /// Size of the largest scratch block message, in registers.
    pub scratch_registers: u32,
    /// The largest number of channels of a message with 64-bit addresses, other than an atomic.
    pub address_channels: u8,
    /// The binding table index for stateless access: scratch space and memory at 64-bit addresses.
    pub stateless: Bti,
}

/// How instructions are made to wait for registers that earlier instructions have yet to read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoreboard {
    /// The hardware tracks all registers (up to gen11).
    Hardware {
        /// Whether instructions may state that a wait is not needed (NoDDClr, NoDDChk). Low-power parts do not allow
        /// it with 64-bit operands.
        dependency_control: bool,
    },
    /// Each instruction states what it waits for (SWSB, gen12 on).
    Software {
        /// Whether arithmetic runs in several in-order pipes (gen12.5) and not in one.
        several_pipes: bool,
    },
}

impl Target {
    /// The target of a device.
    pub fn new(device: Device) -> Target {
        let registers = Registers {
            count: device.limits().grf_count.min(MAX_REGISTERS),
            first_end_of_thread: device.first_eot_register(),
        };
        let non_coherent = device.has_non_coherent_stateless();
        let messages = MessageSet {
            split_payloads: device.has_split_send(),
            typed_header: device.typed_messages_need_header(),
            vector_writes: device.has_vec4_writes(),
            scratch_registers: device.max_scratch_block_registers(),
            address_channels: if device.has_wide_a64_messages() { 16 } else { 8 },
            stateless: if non_coherent { Bti::STATELESS_NON_COHERENT } else { Bti::STATELESS },
        };
        let scoreboard = if device.has_software_scoreboard() {
            Scoreboard::Software { several_pipes: device.has_several_in_order_pipes() }
        } else {
            Scoreboard::Hardware { dependency_control: !device.has_aligned_64bit_regions_only() }
        };
        Target { device, registers, messages, scoreboard, simd_widths: &[8, 16, 32] }
    }

    /// The target of a platform.
    pub fn of(platform: Platform) -> Target {
        Target::new(Device::new(platform))
    }

    /// The device.
    pub const fn device(&self) -> &Device {
        &self.device
    }

    /// Whether the device has one instruction for the operation on operands of `bits` bits.
    pub(crate) fn is_native(&self, op: AluOp, bits: u32) -> bool {
        native::is_native(&self.device, op, bits)
    }

    /// Whether instruction selection supports the operation with operands of `bits` bits in a mode, either as one
    /// instruction or as a sequence.
    pub(crate) fn selects(&self, mode: Mode, op: AluOp, bits: u32) -> bool {
        native::selects(&self.device, mode, op, bits)
    }
}

impl Deref for Target {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.device
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_has_a_target_whose_figures_fit_together() {
        for platform in Platform::ALL {
            let registers = Target::of(platform).registers;
            let Registers { count, first_end_of_thread } = registers;
            assert!(count <= MAX_REGISTERS && first_end_of_thread < count, "{platform:?}");
            assert!(registers.plenty() < registers.allocatable(), "{platform:?}");
            assert_eq!(count, Device::new(platform).limits().grf_count, "{platform:?}");
        }
    }

    #[test]
    fn the_scoreboard_is_software_from_gen12_on() {
        use Platform::{Bxt, Dg2, Icl, Ivb, Skl, Tgl};
        let kinds = [Ivb, Skl, Bxt, Icl, Tgl, Dg2].map(|platform| Target::of(platform).scoreboard);
        let hardware = |dependency_control| Scoreboard::Hardware { dependency_control };
        let software = |several_pipes| Scoreboard::Software { several_pipes };
        let expected = [
            hardware(true),
            hardware(true),
            hardware(false),
            hardware(true),
            software(false),
            software(true),
        ];
        assert_eq!(kinds, expected);
    }
}
