//! Tables of the instruction set: opcodes, operand types and codes of the small fields. Each item
//! is one row; the row holds its code for every generation.

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
