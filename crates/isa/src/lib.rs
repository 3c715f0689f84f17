//! The instruction set of Intel EUs: tables, codec, text, validation, semantics.
//!
//! [`Inst`] is one machine instruction in typed form.

#![deny(missing_docs)]

pub mod codec;
pub mod compact;
pub mod inst;
pub mod message;
mod program;
pub mod region;
pub mod semantics;
pub mod tables;
pub mod text;
pub mod validate;

pub use codec::{CodecError, decode, encode};
pub use crestline_device::{Gen, Platform};
pub use inst::{
    Branch, Compression, DescSrc, Dpas, Dst, Extra, Flag, Imm, Inst, Place, Predicate, Reg, Region,
    Send, Src, SrcReg, Swizzle, Swsb, SwsbPipe, SwsbToken, TokenMode, VStride, WriteMask, imm_size,
};
pub use program::{
    ProgramError, decode_at, decode_each, decode_program, encode_into, encode_program,
};
pub use tables::{
    AccessMode, ArfKind, CondMod, Form, MathFn, OpFlags, Opcode, PredCtrl, Sfid, SyncFn,
    ThreadCtrl, Type, TypeClass,
};
