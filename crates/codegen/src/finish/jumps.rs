//! Targets of branches.
//!
//! Targets are byte offsets from the start of the branch instruction. `JIP` is where the thread continues if no
//! channel remains enabled: the end of the innermost block, that is, the next `else`, `endif` or `halt` on the same
//! level, or the `while` of the enclosing loop. `UIP` is where the channels that branch are enabled again.

use crate::target::Target;
use crestline_isa as isa;
use crestline_isa::{Extra, Opcode};

use crate::ir::{FlowError, Inst, Op};

/// Size of an instruction in bytes.
const INST_BYTES: i32 = 16;

/// The flow instructions of a program, collected during its conversion.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    /// Index among the machine instructions and operation of each flow instruction, in order. An operation without a
    /// machine instruction has the index of the next one.
    marks: Vec<(usize, Op)>,
}

/// A conditional or loop that is not closed yet.
enum Open {
    If { at: usize, other: Option<usize> },
    Loop { start: usize, leaves: Vec<usize> },
}

impl Jumps {
    /// Records a flow instruction whose machine instruction has index `position`.
    pub(super) fn note(&mut self, position: usize, inst: &Inst) {
        if inst.op.is_flow() {
            self.marks.push((position, inst.op));
        }
    }

    /// Sets the targets of all branches. It walks over the flow instructions with a stack of open conditionals and
    /// loops, and sets the targets of a branch at the end of the structure that contains it.
    pub(super) fn resolve(self, insts: &mut [isa::Inst], target: &Target) -> Result<(), FlowError> {
        let mut open: Vec<Open> = Vec::new();
        let mut halts: Vec<usize> = Vec::new();
        let fail = |at: usize, what| Err(FlowError { block: at as u32, what });
        for (index, &(at, op)) in self.marks.iter().enumerate() {
            match op {
                Op::Do => open.push(Open::Loop { start: at, leaves: Vec::new() }),
                Op::HaltTarget => {
                    for halt in halts.drain(..) {
                        let end = self.block_end(index_of(&self.marks, halt)).unwrap_or(at);
                        set(insts, halt, Some(end), Some(at));
                    }
                    set(insts, at, Some(at + 1), Some(at + 1));
                }
                Op::Hw(Opcode::If) => open.push(Open::If { at, other: None }),
                Op::Hw(Opcode::Else) => match open.last_mut() {
                    Some(Open::If { other, .. }) => *other = Some(at),
                    _ => return fail(at, "else without if"),
                },
                Op::Hw(Opcode::EndIf) => {
                    let Some(Open::If { at: first, other }) = open.pop() else {
                        return fail(at, "endif without if");
                    };
                    set(insts, first, Some(other.map_or(at, |other| other + 1)), Some(at));
                    if let Some(other) = other {
                        let two = isa::codec::has_uip(target.generation(), Opcode::Else);
                        set(insts, other, Some(at), two.then_some(at));
                    }
                    let end = self.block_end(index).unwrap_or(at + 1);
                    set(insts, at, Some(end), None);
                }
                Op::Hw(Opcode::While) => {
                    let Some(Open::Loop { start, leaves }) = open.pop() else {
                        return fail(at, "while without loop");
                    };
                    set(insts, at, Some(start), None);
                    for leave in leaves {
                        let end = self.block_end(index_of(&self.marks, leave)).unwrap_or(at);
                        set(insts, leave, Some(end), Some(at));
                    }
                }
                Op::Hw(Opcode::Break | Opcode::Cont) => {
                    let innermost = open.iter_mut().rev().find_map(|o| match o {
                        Open::Loop { leaves, .. } => Some(leaves),
                        Open::If { .. } => None,
                    });
                    match innermost {
                        Some(leaves) => leaves.push(at),
                        None => return fail(at, "break or cont outside a loop"),
                    }
                }
                Op::Hw(Opcode::Halt) => halts.push(at),
                _ => {}
            }
        }
        Ok(())
    }

    /// The end of the innermost block that contains a flow instruction: the index of the next instruction on its
    /// level that may enable channels again.
    fn block_end(&self, index: usize) -> Option<usize> {
        let mut depth = 0u32;
        for &(at, op) in &self.marks[index + 1..] {
            match op {
                Op::Hw(Opcode::If) | Op::Do => depth += 1,
                Op::Hw(Opcode::EndIf | Opcode::While) if depth > 0 => depth -= 1,
                Op::Hw(Opcode::EndIf | Opcode::While | Opcode::Else | Opcode::Halt)
                | Op::HaltTarget
                    if depth == 0 =>
                {
                    return Some(at);
                }
                _ => {}
            }
        }
        None
    }
}

/// Index in `marks` of the flow instruction at a position.
fn index_of(marks: &[(usize, Op)], at: usize) -> usize {
    // A `do` has the same position as the instruction after it; the branch comes last.
    marks.partition_point(|(position, _)| *position <= at).saturating_sub(1)
}

/// Sets the targets of the branch at index `at`.
fn set(insts: &mut [isa::Inst], at: usize, jip: Option<usize>, uip: Option<usize>) {
    let distance = |to: usize| (to as i64 - at as i64) as i32 * INST_BYTES;
    if let Some(isa::Inst { extra: Extra::Branch(branch), .. }) = insts.get_mut(at) {
        branch.jip = jip.map(distance);
        branch.uip = uip.map(distance);
    }
}
