//! The result of each operation, bit exact, for the value of one channel.
//!
//! The emulator calls these functions for every channel; the compiler folds constants with them.
//! This is the only implementation of the arithmetic for both. The functions work on numbers:
//! registers, regions, masks and encodings are the caller's.
//!
//! * [`mod@env`][]: rounding and denormal handling, as control register `cr0` sets them.
//! * [`soft`][]: exact arithmetic on unpacked floats of any format, with one rounding.
//! * [`half`][]: the 16-bit float.
//! * [`float`][]: arithmetic, rounding, minimum and maximum of 16, 32 and 64-bit floats.
//! * [`int`][]: integer operations on extended-precision intermediates.
//! * [`compare`][]: conditions.
//! * [`convert`][]: conversion between types, with saturation.
//! * [`math`][]: the functions of the shared math unit.
//! * [`mme`][]: the division and square root macro operations with their exponent extension.
//!
//! Sources: Intel PRM volume "3D-Media-GPGPU Engine", instruction reference (gen7 to gen9), and
//! vISA's public opcode descriptions. Tests also run kernels of two other compilers and compare the
//! results.

pub mod compare;
pub mod convert;
pub mod env;
pub mod float;
pub mod half;
pub mod int;
pub mod math;
pub mod mme;
pub mod soft;

pub use env::{FloatEnv, Rounding};
pub use float::Float;
pub use half::Half;
