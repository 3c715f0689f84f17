//! The parsed SPIR-V module: instructions, sections, types and constants. Parsing checks all rules that the translation
//! relies on.

mod capability;
mod constants;
mod fold;
mod lines;
mod module;
mod newer;
mod reader;
mod types;

pub(crate) use constants::{Const, Globals};
pub(crate) use lines::{SourceLine, assign as assign_lines};
pub(crate) use module::{Deco, EntryPoint, ExtSet, Func, Merge, Module};
pub(crate) use reader::{Inst, read as read_instructions};
pub(crate) use types::{ImageType, Type, Types};
