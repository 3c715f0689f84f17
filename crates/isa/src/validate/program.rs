//! Instructions with their places in a program.

use crate::inst::Inst;
use crate::tables::Opcode;

/// An instruction and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Byte offset from the start of the program.
    pub offset: u32,
    /// The instruction.
    pub inst: Inst,
}

impl Located {
    /// Places instructions one after the other from offset 0.
    pub fn sequence(insts: impl IntoIterator<Item = Inst>) -> Vec<Located> {
        let mut offset = 0;
        insts
            .into_iter()
            .map(|inst| {
                let located = Located { offset, inst };
                offset += located.inst.size();
                located
            })
            .collect()
    }
}

/// The program up to and with the last message that ends the thread, if nothing but `illegal` follows: the zeros that
/// fill a kernel's last cache lines, which no thread reaches.
pub(super) fn without_padding(insts: &[Located]) -> &[Located] {
    let end =
        insts.iter().rposition(|l| l.inst.opcode != Opcode::Illegal).map_or(0, |last| last + 1);
    let ends_thread = insts[..end].last().is_some_and(|l| l.inst.send().is_some_and(|s| s.eot));
    if ends_thread { &insts[..end] } else { insts }
}
