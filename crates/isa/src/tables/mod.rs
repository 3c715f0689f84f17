//! The facts of the instruction set, one row each, with a column per layout.

mod enums;
mod opcodes;
mod types;

pub use enums::{AccessMode, ArfKind, CondMod, MathFn, PredCtrl, Sfid, SyncFn, ThreadCtrl};
pub use opcodes::{Form, OpFlags, Opcode};
pub use types::{Type, TypeClass};

use crestline_device::Gen;

/// Position of a generation in [`Gen::ALL`], the column order of all tables.
pub(crate) const fn gen_index(generation: Gen) -> usize {
    generation as usize
}
