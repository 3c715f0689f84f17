//! Align16 through the back end: IR to code, judged by the validator, `intel-gen4disasm` and the
//! emulator.

mod conversions;
mod doubles;
mod harness;
mod indirect;
mod plain;
mod scalar_indirect;
