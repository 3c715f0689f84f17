//! Where a program's code ends.

use crate::inst::Inst;
use crate::tables::Opcode;

/// The program up to and with the last message that ends the thread, if nothing but `illegal` follows: the zeros that
/// fill a kernel's last cache lines, which no thread reaches.
pub(super) fn without_padding(insts: &[(usize, Inst)]) -> &[(usize, Inst)] {
    let end = insts
        .iter()
        .rposition(|(_, inst)| inst.opcode != Opcode::Illegal)
        .map_or(0, |last| last + 1);
    let ends_thread =
        insts[..end].last().is_some_and(|(_, inst)| inst.send().is_some_and(|s| s.eot));
    if ends_thread { &insts[..end] } else { insts }
}
