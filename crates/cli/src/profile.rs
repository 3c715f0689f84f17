//! The document of `--profile`: how often the emulator executed each instruction.

use crestline::Device;
use crestline_emu::{InstructionCounts, Kernel, Profile, Report};
use crestline_isa::message::Descriptor;
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::{DescSrc, Inst};
use serde_json::{Value, json};

/// Version of the documents. It changes if the meaning of a field does.
const VERSION: u32 = 1;

/// What the emulator counted in the threads of one program.
pub(crate) struct Counted<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) profile: &'a Profile,
    pub(crate) report: &'a Report,
}

/// The kind of an instruction's message: its type, or the shared function if the descriptor is in a register.
fn message(inst: &Inst, device: &Device) -> Option<&'static str> {
    let send = inst.send()?;
    let (DescSrc::Imm(desc), ex_desc) = (send.desc, send.ex_desc.imm().unwrap_or(0)) else {
        return Some(send.sfid.name());
    };
    let decoded = Descriptor::decode(device.generation(), send.sfid, desc, ex_desc);
    Some(decoded.map_or(send.sfid.name(), |found| found.message.name()))
}

impl Counted<'_> {
    /// The instructions that were executed, in order of the code.
    fn instructions(&self, device: &Device) -> Vec<Value> {
        let row = |(inst, counts): (&Inst, &InstructionCounts)| {
            let mut row = json!({
                "offset": counts.offset,
                "text": print_inst(inst, device.generation(), Syntax::Mesa),
                "executions": counts.executions,
                "channels": counts.channels,
            });
            if let Some(kind) = message(inst, device) {
                row["message"] = kind.into();
                row["bytes"] = counts.accessed.bytes.into();
                row["lines"] = counts.accessed.lines.into();
            }
            row
        };
        let counted = self.kernel.instructions().iter().zip(&self.profile.instructions);
        counted.filter(|(_, counts)| counts.executions > 0).map(row).collect()
    }
}

/// The document of a run of one program.
pub(crate) fn document(counted: &Counted<'_>, device: &Device) -> Value {
    json!({
        "profile_version": VERSION,
        "target": device.platform().name(),
        "threads": counted.report.threads,
        "instructions": counted.instructions(device),
    })
}

/// The document of a draw call: one entry for each shader stage that ran, in the order of the stages.
pub(crate) fn draw_document(stages: &[Counted<'_>], device: &Device) -> Value {
    let stage = |counted: &Counted<'_>| {
        json!({
            "stage": counted.kernel.metadata().stage.name(),
            "threads": counted.report.threads,
            "instructions": counted.instructions(device),
        })
    };
    json!({
        "profile_version": VERSION,
        "target": device.platform().name(),
        "stages": stages.iter().map(stage).collect::<Vec<Value>>(),
    })
}
