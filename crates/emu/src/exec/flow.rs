//! Flow control: the thread has one instruction pointer, and each channel has an instruction at which it waits.
//!
//! A channel is active while it follows the instruction pointer. A branch makes channels wait at an instruction; they
//! become active when the pointer arrives there. Only instructions that are the target of a branch can have waiting
//! channels, so only those check for them.

use crate::mask::lanes_of;
use crate::plan::{Branch, BranchKind, DestinationKind, Plan, SourceKind};
use crate::thread::{Fault, Thread};

impl Thread {
    /// Makes the channels active that wait at the current instruction.
    pub(crate) fn join(&mut self) {
        self.active |= self.waiting(self.ip);
    }

    /// The channels that wait at an instruction. All channels are compared, because the host does that faster than it
    /// finds those that wait.
    #[inline(always)]
    fn waiting(&self, at: usize) -> u32 {
        let mut here = 0;
        for (lane, place) in self.waiting_at.iter().enumerate() {
            here |= u32::from(*place as usize == at) << lane;
        }
        here & self.dispatched & !self.active
    }

    /// Makes channels wait at an instruction.
    fn wait(&mut self, channels: u32, at: usize) {
        for lane in lanes_of(channels & self.active) {
            self.waiting_at[lane] = at as u32;
        }
        self.active &= !channels;
    }

    /// Sets the instruction pointer. Active channels stay active; channels that wait at the instruction become active.
    fn go(&mut self, to: usize) {
        self.ip = to;
    }

    /// Executes the branch at the instruction pointer, as [`BranchKind`] describes. Most kinds then continue at the next
    /// instruction or, if no channel is active there, at the first target (JIP).
    pub(crate) fn branch(
        &mut self,
        plan: &Plan,
        branch: &Branch,
        index_of: &dyn Fn(i64) -> Option<usize>,
    ) {
        let here = self.ip;
        // `within`: the channels that execute the branch. `met`: those whose predicate holds.
        let within = plan.execution_mask(self);
        let met = match branch.kind {
            BranchKind::Jump | BranchKind::JumpRegister => plan.predicate_mask(self, 1),
            _ => plan.predicate_mask(self, within),
        } << plan.group;
        let within = within << plan.group;
        let next = here + 1;
        match branch.kind {
            BranchKind::If => {
                self.wait(within & !met, branch.jip);
                self.go_on_or(branch.jip);
            }
            BranchKind::Else => {
                self.wait(within, branch.uip);
                self.ip = next;
                self.join();
                self.go_on_from(next, branch.jip);
            }
            BranchKind::Join => self.go_on_or(branch.jip),
            BranchKind::Break => {
                self.wait(met, branch.uip + 1);
                self.go_on_or(branch.jip);
            }
            BranchKind::Leave => {
                self.wait(met, branch.uip);
                self.go_on_or(branch.jip);
            }
            BranchKind::While => {
                if met != 0 {
                    self.wait(within & !met, next);
                    self.go(branch.jip);
                } else {
                    self.go(next);
                }
            }
            BranchKind::Goto { taken_if, follow } => {
                let taken = if taken_if { met } else { within & !met };
                if follow && taken != 0 {
                    self.wait(within & !taken, next);
                    self.go(branch.uip);
                } else {
                    self.wait(taken, branch.uip);
                    self.go_on_or(branch.jip);
                }
            }
            BranchKind::Diverge => {
                self.wait(met, branch.jip);
                self.go_on_or(branch.jip);
            }
            BranchKind::Jump => self.go(if met != 0 { branch.jip } else { next }),
            BranchKind::JumpRegister => {
                self.ip = next;
                if met != 0 {
                    self.jump_register(plan, index_of);
                }
            }
            BranchKind::Call => {
                if met == 0 {
                    self.go(next);
                    return;
                }
                self.wait(within & !met, next);
                self.save_return(plan, index_of);
                self.go(branch.jip);
            }
            BranchKind::Return => self.go_back(plan, met, index_of),
        }
    }

    /// Continues at the next instruction if a channel is active there, else at `jip`.
    fn go_on_or(&mut self, jip: usize) {
        let next = self.ip + 1;
        self.go_on_from(next, jip);
    }

    /// Continues at `next` if a channel is active there, else at `jip`.
    fn go_on_from(&mut self, next: usize, jip: usize) {
        // Channels may wait at the instruction after the branch.
        let stays = self.active != 0 || self.waiting(next) != 0;
        self.ip = if stays { next } else { jip };
    }

    /// `jmpi` to the next instruction plus the source's value in bytes.
    fn jump_register(&mut self, plan: &Plan, index_of: &dyn Fn(i64) -> Option<usize>) {
        let [distance]: [i32; 1] = self.load(&plan.sources[0], 1);
        let to = i64::from(plan.offset) + i64::from(plan.size) + i64::from(distance);
        match index_of(to) {
            Some(index) => self.ip = index,
            None => self.fail(Fault::JumpTarget(to)),
        }
    }

    /// Saves the return address and the mask of active channels in the destination of `call`.
    fn save_return(&mut self, plan: &Plan, _: &dyn Fn(i64) -> Option<usize>) {
        if let DestinationKind::Packed(offset) = plan.destination.kind {
            let offset = usize::from(offset);
            let back = plan.offset + plan.size;
            self.registers.set(offset, 4, back.into());
            self.registers.set(offset + 4, 4, self.active.into());
        }
    }

    /// `ret`: the channels in `met` continue at the saved address. If others remain active, execution continues after
    /// `ret`, and those in `met` wait.
    fn go_back(&mut self, plan: &Plan, met: u32, index_of: &dyn Fn(i64) -> Option<usize>) {
        let offset = match plan.sources[0].kind {
            SourceKind::Scalar(offset) => usize::from(offset),
            _ => return,
        };
        self.report_unwritten_if_any(offset, 4);
        let to = i64::from(self.registers.u32(offset));
        let Some(index) = index_of(to) else {
            self.fail(Fault::JumpTarget(to));
            return;
        };
        if self.active & !met == 0 {
            self.go(index);
        } else {
            self.wait(met, index);
            self.go(self.ip + 1);
        }
    }
}
