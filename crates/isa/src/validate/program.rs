//! Where a program's code ends.

use crate::inst::Inst;
use crate::tables::Opcode;

/// How many instructions of a program the rules look at: up to and with the last message that ends the thread, if
/// nothing but `illegal` follows: the zeros that fill a kernel's last cache lines, which no thread reaches.
pub fn without_padding<'a>(
    insts: impl DoubleEndedIterator<Item = &'a Inst> + ExactSizeIterator,
) -> usize {
    let all = insts.len();
    let last = insts.enumerate().rfind(|(_, inst)| inst.opcode != Opcode::Illegal);
    match last {
        Some((last, inst)) if inst.send().is_some_and(|send| send.eot) => last + 1,
        _ => all,
    }
}
