//! The errors of passes.

use crestline_isa::message::DescriptorError;

use crate::ir::{FlowError, OffsetError, Operand};

/// Why a pass failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// Broken control flow.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// An operand cannot be split.
    #[error(transparent)]
    Offset(#[from] OffsetError),
    /// An operand that the pass cannot handle.
    #[error("{pass}: operand {operand} is not supported")]
    Operand {
        /// Name of the pass.
        pass: &'static str,
        /// The operand as printed.
        operand: String,
    },
    /// An instruction that the pass cannot handle.
    #[error("{pass}: {what}: {inst}")]
    Inst {
        /// Name of the pass.
        pass: &'static str,
        /// What is wrong with it.
        what: &'static str,
        /// The instruction as printed.
        inst: String,
    },
    /// A message that the device cannot encode.
    #[error(transparent)]
    Message(#[from] DescriptorError),
    /// A payload is longer than its length field allows.
    #[error("a payload of {registers} registers is too long: {inst}")]
    PayloadTooLong {
        /// Length of the payload in registers.
        registers: u32,
        /// The message as printed.
        inst: String,
    },
}

impl PassError {
    pub(crate) fn operand(pass: &'static str, operand: &Operand) -> PassError {
        PassError::Operand { pass, operand: operand.to_string() }
    }
}
