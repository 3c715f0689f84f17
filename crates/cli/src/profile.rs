//! The document of `--profile`: how often the emulator executed each instruction.

use crestline::Device;
use crestline_emu::{Kernel, Profile, Report};
use crestline_isa::message::Descriptor;
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::{DescSrc, Inst};
use serde_json::{Value, json};

/// Version of the document. It changes if the meaning of a field does.
const VERSION: u32 = 1;

/// The kind of an instruction's message: its type, or the shared function if the descriptor is in a register.
fn message(inst: &Inst, device: &Device) -> Option<&'static str> {
    let send = inst.send()?;
    let (DescSrc::Imm(desc), ex_desc) = (send.desc, send.ex_desc.imm().unwrap_or(0)) else {
        return Some(send.sfid.name());
    };
    let decoded = Descriptor::decode(device.generation(), send.sfid, desc, ex_desc);
    Some(decoded.map_or(send.sfid.name(), |found| found.message.name()))
}

/// The document of a run.
pub(crate) fn document(
    profile: &Profile,
    report: &Report,
    kernel: &Kernel,
    device: &Device,
) -> Value {
    let row = |(inst, counts): (&Inst, &crestline_emu::InstructionCounts)| {
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
    let instructions: Vec<Value> = kernel
        .instructions()
        .iter()
        .zip(&profile.instructions)
        .filter(|(_, counts)| counts.executions > 0)
        .map(row)
        .collect();
    json!({
        "profile_version": VERSION,
        "target": device.platform().name(),
        "threads": report.threads,
        "instructions": instructions,
    })
}
