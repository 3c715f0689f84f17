//! `crestline region`: the bytes that each channel of an operand accesses.

use std::path::Path;

use crestline_isa::region::{Footprint, OperandText};
use serde_json::json;

use crate::args;
use crate::error::{Code, Failure, Origin};
use crate::files;

/// Bytes of a general register.
const REGISTER_BYTES: u32 = crestline_program::GRF_BYTES;

/// Runs the command.
pub(crate) fn command(arguments: &args::Region) -> Result<(), Failure> {
    let text = &arguments.operand;
    let operand: OperandText =
        text.parse().map_err(|error: crestline_isa::region::OperandTextError| {
            let message = format!("expected {}, found {}", error.expected, error.found);
            let origin = Origin::column("<operand>", text, 1, error.column);
            Failure::new(Code::Region, message).at(origin)
        })?;
    let footprint = Footprint::of_text(&operand, arguments.exec)
        .map_err(|error| Failure::new(Code::Region, error))?;
    if let Some(path) = &arguments.svg {
        files::write(path, footprint.svg(operand.register).as_bytes())?;
    }
    if arguments.json {
        return files::write_json("region", document(&operand, &footprint));
    }
    let drawing = footprint.draw(operand.register) + &summary(&operand, &footprint);
    files::write(Path::new("-"), drawing.as_bytes())
}

/// Distinct bytes touched.
fn touched(footprint: &Footprint) -> usize {
    let bytes = |at: &u32| *at..at + footprint.size;
    let all: std::collections::BTreeSet<u32> = footprint.offsets.iter().flat_map(bytes).collect();
    all.len()
}

fn summary(operand: &OperandText, footprint: &Footprint) -> String {
    let (first, count) = (operand.register, footprint.registers());
    let registers = match count {
        1 => format!("r{first}"),
        _ => format!("r{first} to r{}", first + count - 1),
    };
    format!(
        "{} channels of {} bytes touch {} bytes of {registers}\n",
        footprint.offsets.len(),
        footprint.size,
        touched(footprint)
    )
}

fn document(operand: &OperandText, footprint: &Footprint) -> serde_json::Value {
    let channel = |(channel, at): (usize, &u32)| {
        json!({
            "channel": channel,
            "register": operand.register + at / REGISTER_BYTES,
            "byte": at % REGISTER_BYTES,
        })
    };
    json!({
        "register": operand.register,
        "type": operand.ty.name().to_lowercase(),
        "element_bytes": footprint.size,
        "registers": footprint.registers(),
        "touched_bytes": touched(footprint),
        "channels": footprint.offsets.iter().enumerate().map(channel).collect::<Vec<_>>(),
    })
}
