//! [`Padding`]: the instructions that only fill the space behind the end of code.

use crate::inst::Inst;
use crate::tables::Opcode;
use std::ops::Range;

/// The padding in a program: runs of `illegal` instructions directly behind a message that ends the
/// thread. These are the zeros that fill the last cache lines of a kernel, and those between its
/// entry points. No thread executes them, because branches to them are not allowed (rule N12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// Ranges of instruction numbers, in order.
    runs: Vec<Range<usize>>,
}

impl Padding {
    /// Finds the padding among the instructions of a program.
    pub fn of<'a>(insts: impl IntoIterator<Item = &'a Inst>) -> Padding {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut ended = false;
        for (index, inst) in insts.into_iter().enumerate() {
            if inst.opcode != Opcode::Illegal {
                ended = inst.send().is_some_and(|send| send.eot);
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.end == index => run.end += 1,
                _ if ended => runs.push(index..index + 1),
                _ => {}
            }
            ended = false;
        }
        Padding { runs }
    }

    /// The runs as ranges of instruction numbers, in order.
    pub fn runs(&self) -> &[Range<usize>] {
        &self.runs
    }

    /// Whether instruction number `index` is padding.
    pub fn contains(&self, index: usize) -> bool {
        self.run_of(index).is_some()
    }

    /// Whether instruction number `index` may be a branch target: it is not padding, or it is the
    /// first of a run, where the code in front of it ends.
    pub fn may_be_target(&self, index: usize) -> bool {
        self.run_of(index).is_none_or(|run| run.start == index)
    }

    /// The run of padding that contains instruction number `index`.
    fn run_of(&self, index: usize) -> Option<&Range<usize>> {
        let behind = self.runs.partition_point(|run| run.end <= index);
        self.runs.get(behind).filter(|run| run.start <= index)
    }
}
