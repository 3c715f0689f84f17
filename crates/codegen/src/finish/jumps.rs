//! Branch targets.
//!
//! Offsets are in bytes from the start of the branching instruction. `JIP` is where the thread
//! goes when no channel is left to run here: the end of the innermost block, which is the next
//! `else`, `endif` or `halt` on the same level, or the `while` of the loop around. `UIP` is
//! where the branching channels wait.

use crate::target::Target;
use crestline_isa as isa;
use crestline_isa::{Extra, Opcode};

use crate::ir::{FlowError, Inst, Op};

/// Size of an instruction in bytes.
const INST_BYTES: i32 = 16;

/// What is known of flow instructions while the program is converted.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    /// Positions of flow instructions, in order, with what they are.
    marks: Vec<(usize, Op)>,
}

/// A structure that is open during the walk.
enum Open {
    If { at: usize, other: Option<usize> },
    Loop { start: usize, leaves: Vec<usize> },
}

impl Jumps {
    /// Notes an instruction that will be at `position` (or, emitting nothing, before it).
    pub(super) fn note(&mut self, position: usize, inst: &Inst) {
        if inst.op.is_flow() {
            self.marks.push((position, inst.op));
        }
    }

    /// Fills in the targets that the device's instructions have.
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

    /// Where the innermost block around a flow instruction ends: the position of what follows it
    /// on its level and may enable channels again.
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

/// Index of the flow instruction at a position.
fn index_of(marks: &[(usize, Op)], at: usize) -> usize {
    // A `do` emits nothing and so shares its position with what follows; the branch is the last.
    marks.partition_point(|(position, _)| *position <= at).saturating_sub(1)
}

fn set(insts: &mut [isa::Inst], at: usize, jip: Option<usize>, uip: Option<usize>) {
    let distance = |to: usize| (to as i64 - at as i64) as i32 * INST_BYTES;
    if let Some(isa::Inst { extra: Extra::Branch(branch), .. }) = insts.get_mut(at) {
        branch.jip = jip.map(distance);
        branch.uip = uip.map(distance);
    }
}
