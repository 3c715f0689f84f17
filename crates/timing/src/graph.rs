//! The graph of a program's blocks, and the sizes of its messages, for analyses beside [`walk`](crate::walk()).

use std::collections::BTreeMap;
use std::ops::Range;

use crestline_device::Device;
use crestline_isa::{Inst, Opcode, PredCtrl};

use crate::describe::describe;
use crate::flow::Flow;
use crate::reader::descriptor_bits;
use crate::rows::MessageKind;
use crate::{Work, registers};

/// A basic block with the blocks that a thread can execute after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBlock {
    /// Indices of the instructions.
    pub insts: Range<usize>,
    /// Indices of the blocks that can follow, ascending. A thread whose channels disagree about a branch executes both
    /// sides, so the second side of a branch can follow the first.
    pub successors: Vec<usize>,
    /// Whether the block follows the end of the thread and no branch leads to it: padding or constants.
    pub is_dead: bool,
}

/// The blocks of a program, in order of the code; they are the blocks of [`Report`](crate::Report).
///
/// A branch whose target is not known, or is no instruction, has only the next block as successor.
pub fn graph<'i>(code: impl IntoIterator<Item = (usize, &'i Inst)>) -> Vec<GraphBlock> {
    let (offsets, insts): (Vec<usize>, Vec<&Inst>) = code.into_iter().unzip();
    let flow = Flow::new(&insts, &offsets);
    let starts: BTreeMap<usize, usize> = flow
        .blocks
        .iter()
        .enumerate()
        .filter_map(|(number, block)| Some((*offsets.get(block.start)?, number)))
        .collect();
    let target = |at: usize, distance: Option<i32>| -> Option<usize> {
        let offset = i64::try_from(*offsets.get(at)?).ok()?.checked_add(distance?.into())?;
        starts.get(&usize::try_from(offset).ok()?).copied()
    };
    let count = flow.blocks.len();
    let blocks = flow.blocks.into_iter().zip(flow.dead).enumerate();
    blocks
        .map(|(number, (range, is_dead))| {
            let next = Some(number + 1).filter(|next| *next < count);
            let mut successors = Vec::new();
            if let Some(last) = range.end.checked_sub(1).filter(|last| range.contains(last)) {
                let inst = insts[last];
                let ends = inst.send().is_some_and(|send| send.eot);
                let always = inst.predicate.ctrl == PredCtrl::None;
                match (inst.branch(), inst.opcode) {
                    _ if ends => {}
                    (Some(branch), Opcode::Jmpi | Opcode::Ret | Opcode::Brd | Opcode::Goto) => {
                        let [jip, uip] = [branch.jip, branch.uip].map(|to| target(last, to));
                        successors.extend(jip.into_iter().chain(uip));
                        let stays = inst.opcode == Opcode::Goto;
                        successors.extend(next.filter(|_| !always || stays));
                    }
                    // The jump of an `endif` is taken only if no channel is left to execute what it skips.
                    (Some(branch), opcode) if opcode != Opcode::EndIf => {
                        let [jip, uip] = [branch.jip, branch.uip].map(|to| target(last, to));
                        successors.extend(jip.into_iter().chain(uip).chain(next));
                    }
                    _ => successors.extend(next),
                }
            }
            successors.sort_unstable();
            successors.dedup();
            GraphBlock { insts: range, successors, is_dead }
        })
        .collect()
}

/// The kind of a message and the registers, of 32 bytes, that it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSize {
    /// The kind.
    pub kind: MessageKind,
    /// Registers of the first and the second payload.
    pub payload: [u32; 2],
    /// Registers of the response.
    pub response: u32,
}

/// For each instruction, its message; `None` if it has none. A message whose descriptor is in a register that no
/// immediate sets has at least one register of payload.
pub fn messages(insts: &[Inst], device: &Device) -> Vec<Option<MessageSize>> {
    let mut descriptor = 0;
    let size = |inst: &Inst| {
        let (work, lengths) = describe(inst, device, descriptor);
        descriptor = descriptor_bits(inst, descriptor);
        match work {
            Work::Message { kind, .. } => {
                Some(MessageSize { kind, payload: lengths.payload, response: lengths.response })
            }
            _ => None,
        }
    };
    insts.iter().map(size).collect()
}

/// Number of channels of an instruction, in elements of its operands' types. It is half the execution size where the
/// device counts a double as two channels.
pub fn channels(inst: &Inst, device: &Device) -> u32 {
    registers::channels(inst, device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_device::Platform;
    use crestline_isa::text;

    #[test]
    fn the_second_side_of_a_branch_can_follow_the_first() {
        let device = Device::new(Platform::Skl);
        let code = "(+f0.0) if(8) JIP: L0 UIP: L1 { align1 1Q };\n\
                    mov(8) g2<1>F g1<8,8,1>F { align1 1Q };\n\
                    L0:\nelse(8) JIP: L1 UIP: L1 { align1 1Q };\n\
                    mov(8) g3<1>F g1<8,8,1>F { align1 1Q };\n\
                    L1:\nendif(8) JIP: L2 { align1 1Q };\n\
                    L2:\nnop ;";
        let insts = text::parse_program(code, device.generation(), text::Syntax::Mesa).unwrap();
        let blocks = graph(insts.iter().enumerate().map(|(n, inst)| (16 * n, inst)));
        let edges: Vec<_> = blocks.iter().map(|block| block.successors.clone()).collect();
        assert_eq!(edges[0], [1, 2, 4]);
        assert_eq!(edges[1], [2]);
        assert_eq!(edges[2], [3, 4]);
        assert_eq!(edges.last(), Some(&vec![]));
    }
}
