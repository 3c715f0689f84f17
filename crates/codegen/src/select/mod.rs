//! The part of instruction selection that both modes share, [scalar](crate::scalar) and [vec4](crate::vec4): control
//! flow, conditions in flags, the order of parallel copies, surface indices and the table of operations that are one
//! instruction.

mod atomic;
mod booleans;
mod class;
mod cond;
mod copies;
mod error;
mod flow;
mod memory;
mod recent;
mod regions;
mod rules;

pub(crate) use atomic::atomic_operation;
pub(crate) use booleans::{Booleans, comparison, mirrored, opposite};
pub(crate) use class::{Class, modify};
pub(crate) use cond::{Cond, Conditions, FlagCache, Test, compare_to_mask};
pub(crate) use copies::Copy;
pub use error::{ErrorPlace, SelectError};
pub(crate) use error::{Faults, check_texture_read, check_vector_texture_read};
pub(crate) use flow::{Frames, Structured};
pub(crate) use memory::{MemoryMessages, offset_of};
pub(crate) use recent::Recent;
pub(crate) use regions::{breaks_of, same_value, used_values, yielded};
pub(crate) use rules::{Rule, rule};
