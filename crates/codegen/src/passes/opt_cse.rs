//! `opt_cse`: an instruction that computes what an earlier one of its block already did becomes a
//! copy of that result.
//!
//! The earlier one must have computed all channels the later one wants: unmasked, or under the
//! same mask. Neither its sources nor its result may have changed since.

use std::collections::HashMap;

use crestline_device::Device;
use crestline_isa::{CondMod, Opcode};

use super::{PassError, legal};
use crate::ir::{Effect, File, Function, Inst, Op, Operand};

/// Runs the pass.
///
/// # Errors
/// None.
pub fn opt_cse(function: &mut Function, _device: &Device) -> Result<bool, PassError> {
    let mut changed = false;
    for block in &mut function.blocks {
        let mut known = Known::default();
        for inst in &mut block.insts {
            let key = candidate(inst).then(|| key_of(inst));
            if let Some(earlier) = key.as_ref().and_then(|key| known.find(key)) {
                let mut copy = inst.clone();
                copy.op = Op::Hw(Opcode::Mov);
                copy.srcs = [earlier.dst].as_slice().into();
                copy.saturate = false;
                copy.acc_wr_en = false;
                copy.message = None;
                *inst = copy;
                changed = true;
            }
            known.kill(inst);
            if let Some(key) = key
                && !inst.is_mov()
                && !reads_own_result(inst)
            {
                known.add(key, inst);
            }
        }
    }
    Ok(changed)
}

fn reads_own_result(inst: &Inst) -> bool {
    (0..inst.srcs.len()).any(|index| inst.dst_overlaps_src(index))
}

/// Whether the instruction is a function of its sources alone, with a plain result.
fn candidate(inst: &Inst) -> bool {
    let pure_message = inst.op == Op::Message
        && inst.message.as_ref().is_some_and(|m| {
            m.effect == Effect::Pure
                && !m.eot
                && inst.size_written() == inst.dst.region_bytes(inst.exec_size)
        });
    let computes = legal::has_regions(inst.op) || inst.op == Op::MulHigh || pure_message;
    computes
        && !inst.is_mov()
        && !inst.is_predicated()
        && inst.cond_mod == CondMod::None
        && inst.dst.vreg().is_some()
        && !inst.writes_accumulator()
        && !inst.reads_accumulator()
        && inst.srcs.iter().all(|src| {
            matches!(
                src.file,
                File::Vgrf(_) | File::Grf | File::Uniform | File::Imm(_) | File::Null
            )
        })
}

/// The instruction with what does not matter for its value taken out.
fn key_of(inst: &Inst) -> Inst {
    let mut key = inst.clone();
    key.dst = Operand { region: inst.dst.region, ..Operand::null(inst.dst.ty) };
    key.flag = crate::ir::Flag::Fixed(0);
    key
}

/// Results that hold at this point.
#[derive(Default)]
struct Known {
    by_key: HashMap<Inst, Inst>,
    /// Keys that a change of a file may invalidate.
    by_file: HashMap<File, Vec<Inst>>,
}

impl Known {
    fn find(&self, key: &Inst) -> Option<Inst> {
        self.by_key.get(key).cloned()
    }

    fn add(&mut self, key: Inst, inst: &Inst) {
        for operand in inst.srcs.iter().chain([&inst.dst]) {
            if operand.in_grf() {
                self.by_file.entry(operand.file).or_default().push(key.clone());
            }
        }
        self.by_key.insert(key, inst.clone());
    }

    fn kill(&mut self, inst: &Inst) {
        let written = inst.span_written();
        if matches!(written.file, File::Indirect { .. }) {
            *self = Known::default();
            return;
        }
        let Some(keys) = self.by_file.get_mut(&written.file) else { return };
        keys.retain(|key| {
            let Some(known) = self.by_key.get(key) else { return false };
            let hit = known.span_written().overlaps(&written)
                || (0..known.srcs.len()).any(|i| known.span_read(i).overlaps(&written));
            if hit {
                self.by_key.remove(key);
            }
            !hit
        });
    }
}
