//! The SPIR-V module: instructions, sections, types and constants, checked as far as the translation relies on them.

mod constants;
mod fold;
mod module;
mod reader;
mod types;

pub(crate) use constants::{Const, Globals};
pub(crate) use module::{Deco, EntryPoint, ExtSet, Func, Merge, Module};
pub(crate) use reader::{Inst, read as read_instructions};
pub(crate) use types::{ImageType, Type, Types};
