//! The `.bits` line in front of an instruction, with bits that its text does not determine: `.bits
//! [93:91]=0x7 word[5:4]=0x1 ;`.
//!
//! A range is one of the full instruction; after `word`, it is one of the 64 bits of a compacted
//! instruction.

use super::parse::parse_program;
use super::{Syntax, print_inst};
use crate::codec::{decode, encode};
use crate::compact::compact;
use crate::inst::Inst;
use crate::program::encode_into;
use crestline_device::Gen;
use std::fmt::Write;

/// A range of bits and their value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    /// Whether the range is one of the 64 bits of a compacted instruction.
    pub(super) word: bool,
    pub(super) hi: u32,
    pub(super) lo: u32,
    pub(super) value: u128,
}

impl Bits {
    /// The bits of the range.
    fn mask(&self) -> u128 {
        u128::MAX >> (127 - (self.hi - self.lo)) << self.lo
    }

    /// Returns `bits` with the range set to the value.
    fn put(&self, bits: u128) -> u128 {
        bits & !self.mask() | self.value << self.lo
    }
}

/// Prints the `.bits` line of an instruction, if its text alone assembles to other bits.
pub(super) fn print(out: &mut String, inst: &Inst, generation: Gen, syntax: Syntax) {
    let text = print_inst(inst, generation, syntax);
    let read = parse_program(&text, generation, syntax);
    let read = read.ok().and_then(|insts| encode(insts.first()?, generation).ok());
    let (Some(read), Ok(bits)) = (read, encode(inst, generation)) else {
        out.push_str("// the next instruction has no text that is read\n");
        return;
    };
    let mut line = String::new();
    runs(&mut line, "", read ^ bits, bits);
    let word = u128::from(compact(bits, generation).unwrap_or(0) ^ inst.compact_residue);
    runs(&mut line, "word", inst.compact_residue.into(), word);
    if !line.is_empty() {
        let _ = writeln!(out, ".bits{line} ;");
    }
}

/// Prints `NAME[HI:LO]=VALUE` for each run of set bits in `differ`; the values are those in `bits`.
fn runs(out: &mut String, name: &str, mut differ: u128, bits: u128) {
    while differ != 0 {
        let lo = differ.trailing_zeros();
        // Numbers in the text have at most 64 bits.
        let width = (differ >> lo).trailing_ones().min(64);
        let run = Bits { word: false, hi: lo + width - 1, lo, value: 0 }.mask();
        // Writing to a string cannot fail.
        let _ = write!(out, " {name}[{}:{lo}]={:#x}", lo + width - 1, (bits & run) >> lo);
        differ &= !run;
    }
}

/// Returns `inst` with the bits of the `.bits` line in front of it.
///
/// # Errors
/// If the result does not decode or encode, or is another operation or has other branch targets.
/// The text says what was expected.
pub(super) fn apply(inst: Inst, bits: &[Bits], generation: Gen) -> Result<Inst, String> {
    let error = |why: &dyn std::fmt::Display| format!("bits of this instruction ({why})");
    let (words, full): (Vec<&Bits>, Vec<&Bits>) = bits.iter().partition(|bits| bits.word);
    let encoded = encode(&inst, generation).map_err(|why| error(&why))?;
    let changed = full.iter().fold(encoded, |all, bits| bits.put(all));
    let mut out = decode(changed, generation).map_err(|why| error(&why))?;
    let branches = |inst: &Inst| inst.branch().map(|branch| (branch.jip, branch.uip));
    if out.opcode != inst.opcode {
        return Err(error(&format!("they make it {}", out.opcode.name())));
    }
    if branches(&out) != branches(&inst) {
        return Err(error(&"they change its targets"));
    }
    out.compacted = inst.compacted;
    if !words.is_empty() && !out.compacted {
        return Err(error(&"it is not compacted"));
    }
    let canonical = u128::from(compact(changed, generation).unwrap_or(0));
    let word = words.iter().fold(canonical, |all, bits| bits.put(all));
    out.compact_residue = (word ^ canonical) as u64;
    encode_into(&out, generation, &mut Vec::new()).map_err(|why| error(&why))?;
    Ok(out)
}
