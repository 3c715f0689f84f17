//! Tests Align16 code of the back end. The validator, `intel-gen4disasm` and the emulator check the code.

mod conversions;
mod doubles;
mod harness;
mod indirect;
mod plain;
mod scalar_indirect;
