//! Costs and register accesses of instructions, one after another.

use crestline_device::Device;
use crestline_isa::{ArfKind, Inst, Opcode, Place, Reg, Src};

use crate::Counting;
use crate::cost::{Cost, Work};
use crate::describe::describe;
use crate::registers::{Access, Slot, accesses};
use crate::sequences::{self, Sequence};

/// The state between the instructions of a program.
pub(crate) struct Reader<'d> {
    device: &'d Device,
    counting: Counting,
    /// Whether the program is SIMD4x2.
    vec4: bool,
    /// The bits of a message descriptor that the code builds in the address register, as far as they are in an immediate.
    descriptor: u32,
    /// The sequence around the current instruction, if it counts as one instruction.
    sequence: Option<Pending>,
    /// The accesses of the current instruction.
    pub(crate) touched: Vec<(Slot, Access)>,
}

/// The rest of a sequence.
struct Pending {
    sequence: Sequence,
    /// Registers that the instructions before read.
    reads: Vec<Slot>,
    /// Registers that the instructions before wrote: they are part of the sequence, so nothing waits for them.
    written: Vec<Slot>,
}

impl<'d> Reader<'d> {
    /// A reader of the program `insts`.
    pub(crate) fn new(insts: &[&Inst], device: &'d Device, counting: Counting) -> Reader<'d> {
        let vec4 = sequences::is_vec4(insts);
        Reader { device, counting, vec4, descriptor: 0, sequence: None, touched: Vec::new() }
    }

    /// The cost of an instruction that is never executed.
    pub(crate) fn skip(&mut self) -> Cost {
        self.touched.clear();
        self.sequence = None;
        Work::Nothing.cost(self.device.generation())
    }

    /// The cost of the first of `insts`, which are the rest of a block. All work of a sequence that counts as one
    /// instruction is at its last instruction.
    pub(crate) fn next(&mut self, insts: &[&Inst]) -> Cost {
        let (inst, generation) = (insts[0], self.device.generation());
        if self.sequence.is_none() && self.counting == Counting::Mesa {
            self.sequence = sequences::at(insts, self.device).map(|sequence| Pending {
                sequence,
                reads: Vec::new(),
                written: Vec::new(),
            });
        }
        let (mut work, lengths) = describe(inst, self.device, self.descriptor);
        let mesa = self.counting == Counting::Mesa;
        if mesa {
            let known = inst.send().and_then(|send| send.desc.imm()).unwrap_or(self.descriptor);
            sequences::adjust(inst, known, self.vec4, &mut work);
        }
        self.descriptor = descriptor_bits(inst, self.descriptor);
        let touched = &mut self.touched;
        touched.clear();
        if work != Work::Nothing {
            accesses(inst, self.device, lengths, &mut |slot, access| touched.push((slot, access)));
        }
        if mesa && !sequences::sees_payload(&work) {
            touched.retain(|(_, access)| *access != Access::Payload);
        }
        let Some(pending) = &mut self.sequence else { return work.cost(generation) };
        touched.retain(|(slot, access)| *access != Access::Read || !pending.written.contains(slot));
        pending.sequence.len -= 1;
        if pending.sequence.len > 0 {
            for (slot, access) in touched.drain(..) {
                match access {
                    Access::Write => pending.written.push(slot),
                    Access::Read | Access::Payload => pending.reads.push(slot),
                }
            }
            return Work::Nothing.cost(generation);
        }
        touched.extend(pending.reads.iter().map(|slot| (*slot, Access::Read)));
        let work = pending.sequence.work.unwrap_or(work);
        self.sequence = None;
        work.cost(generation)
    }
}

/// The bits of a descriptor in the address register after an instruction, if they were `known` before it.
pub(crate) fn descriptor_bits(inst: &Inst, known: u32) -> u32 {
    let Place::Direct { reg: Reg::Arf(ArfKind::Address, 0), sub: 0 } = inst.dst.place else {
        return known;
    };
    let immediate = inst.srcs.iter().find_map(Src::as_imm).map(|imm| imm.bits as u32);
    match (inst.opcode, immediate) {
        (Opcode::Or | Opcode::Mov | Opcode::Add, Some(bits)) => bits,
        _ => 0,
    }
}
