//! The instruction set of Intel EUs: tables, codec, text, validation, semantics.
//!
//! [`Inst`] is a machine instruction in typed form. The modules work on it:
//!
//! * [`tables`]: operations, types and codes of each generation,
//! * [`mod@inst`]: the typed form of an instruction, its operands and options,
//! * [`codec`]: encoding to 128 bits and decoding,
//! * [`compact`]: the 64-bit compacted forms,
//! * [`message`]: message descriptors as typed messages,
//! * [`text`]: printers and parsers of Mesa's and Intel's assembly syntax,
//! * [`validate`]: rules of the hardware that encoding alone does not check,
//! * [`region`]: the bytes that each channel of an operand accesses,
//! * [`semantics`]: the result of each operation on plain values.
//!
//! [`decode_program`] and [`encode_program`] work on sequences of full and compacted instructions.
//!
//! Facts come from Intel's Programmer's Reference Manuals (PRM), and were compared with other
//! assemblers and compilers; `docs/isa-notes.md` lists what the manuals leave open.

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
    Hole, Instructions, ProgramError, decode_around, decode_at, decode_each, decode_program,
    encode_into, encode_program,
};
pub use tables::{
    AccessMode, ArfKind, CondMod, Form, MathFn, OpFlags, Opcode, PredCtrl, Sfid, SyncFn,
    ThreadCtrl, Type, TypeClass,
};
