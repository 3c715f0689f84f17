//! What selection cannot do.

use crestline_isa::message::DescriptorError;

/// Why a shader cannot be selected for a device at a SIMD width.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// An operation on a bit size that this back end does not do yet.
    #[error("{op} on {bits}-bit values is not supported yet")]
    BitSize {
        /// The operation's name in the text form.
        op: &'static str,
        /// The bit size.
        bits: u32,
    },
    /// An instruction that a lowering pass should have replaced.
    #[error("{what} must be lowered before selection")]
    NotLowered {
        /// The instruction.
        what: &'static str,
    },
    /// A memory access that this back end does not do yet.
    #[error("{what} is not supported yet")]
    Memory {
        /// The access.
        what: &'static str,
    },
    /// An atomic of a size that no message has there: those of 64 bits take addresses (PRM of Skylake, volume 7,
    /// "A64 Untyped Atomic Integer Operation"), so they are for buffers, from gen8 on.
    #[error("the device has no atomics of {bits} bits on {what}")]
    AtomicSize {
        /// Bits of the number.
        bits: u32,
        /// What it works on.
        what: &'static str,
    },
    /// An atomic sum of floats: up to gen11 the data port has their least and greatest (PRM of Skylake, volume 7,
    /// "Untyped Atomic Float Operation").
    #[error("the device has no atomic sum of floats (AtomicFloat32AddEXT)")]
    AtomicFloatSum,
    /// The index into a descriptor array differs between invocations.
    #[error(
        "binding {set}.{binding}: a descriptor index that differs between invocations is not supported yet"
    )]
    DivergentDescriptor {
        /// Descriptor set.
        set: u32,
        /// Binding in the set.
        binding: u32,
    },
    /// The layout gives no place for something the code uses.
    #[error("the layout has no place for {what}")]
    NoPlace {
        /// What is missing.
        what: &'static str,
    },
    /// A message that the device does not have.
    #[error(transparent)]
    Message(#[from] DescriptorError),
}
