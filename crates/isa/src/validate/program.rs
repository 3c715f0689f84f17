//! Instructions with their places in a program.

use crate::inst::Inst;

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
