//! What the back end knows of the device that it makes code for, decided once: registers, native operations, messages,
//! scoreboard, SIMD widths.
//!
//! A [`Target`] is its [`Device`] with what code generation makes of it: every capability and limit of the device can be
//! asked of the target. What is here beside them is a figure or a choice of the back end's own that more than one of its
//! parts goes by.

mod native;

use std::ops::Deref;

use crestline_device::{Device, Platform};
use crestline_isa::message::Bti;
use crestline_ssa::ir::AluOp;

pub(crate) use native::Mode;
pub use native::unsupported_operations;

/// The most general registers of any target: what operands of the back end's IR can name, g0 to g127.
pub const MAX_REGISTERS: u32 = 128;

/// The device that code is made for, as the back end sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    device: Device,
    /// General registers.
    pub registers: Registers,
    /// Messages to the shared functions.
    pub messages: MessageSet,
    /// Who keeps track of registers in flight.
    pub scoreboard: Scoreboard,
    /// Channels that a compute thread may have, ascending.
    pub simd_widths: &'static [u8],
}

/// General registers of a thread, 32 bytes each ([`GRF_BYTES`](crate::ir::GRF_BYTES)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// How many there are, at most [`MAX_REGISTERS`].
    pub count: u32,
    /// First register that the payload of an end-of-thread message may have (PRM, "send": the hardware gives the registers
    /// before it to the next thread).
    pub first_end_of_thread: u32,
}

impl Registers {
    /// One past the last register that a message's response may have: the last of all may not be written by a message
    /// whose payload it overlaps (PRM, "send", gen8 on), and no response takes it.
    pub const fn response_end(self) -> u32 {
        self.count.saturating_sub(1)
    }

    /// With fewer registers in use than these, scheduling looks at latency alone.
    pub const fn plenty(self) -> u32 {
        self.count * 7 / 16
    }

    /// Registers that can be in use at once and still be allocated, fragmentation allowed for.
    pub const fn allocatable(self) -> u32 {
        self.count * 7 / 8
    }

    /// A program that uses no more than these may be tried with twice the channels.
    pub const fn for_widening(self) -> u32 {
        self.count / 2
    }

    /// Registers that a shader's arrays may take in all.
    pub const fn for_arrays(self) -> u32 {
        self.count / 4
    }

    /// Registers that the payload of a thread may have: beyond half of them no program has room to work.
    pub const fn for_payload(self) -> u32 {
        self.count / 2
    }
}

/// The messages of a device, where their forms differ in more than one part of the back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSet {
    /// A message takes two ranges of registers (SENDS) rather than one.
    pub split_payloads: bool,
    /// Typed messages take a header.
    pub typed_header: bool,
    /// Untyped writes have a SIMD4x2 form.
    pub vector_writes: bool,
    /// Registers of the largest scratch block message.
    pub scratch_registers: u32,
    /// The binding table index that stands for scratch space and for memory at 64-bit addresses.
    pub stateless: Bti,
}

/// Who sees to it that an instruction waits for the registers that others before it have yet to read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoreboard {
    /// The hardware, for every register (up to gen11).
    Hardware {
        /// Instructions may say that a wait is not needed (NoDDClr, NoDDChk). The low-power parts forbid it beside
        /// operands of 64 bits.
        dependency_control: bool,
    },
    /// Each instruction says itself what it waits for (SWSB, gen12 on).
    Software {
        /// Arithmetic runs in several in-order pipes (gen12.5) rather than one.
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

    /// Whether one instruction does the operation on `bits` bits.
    pub(crate) fn is_native(&self, op: AluOp, bits: u32) -> bool {
        native::is_native(&self.device, op, bits)
    }

    /// Whether selection takes the operation with operands of `bits` bits: the device has it, and the mode selects it.
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
