//! The fields of one instruction.

use crestline::Platform;
use crestline_isa::codec::{explain_inst, explain_message};
use crestline_isa::decode_program;
use serde::Deserialize;
use serde_json::{Value, json};

/// The bytes of an instruction, full-size or compacted, as hex digits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    target: String,
    bytes: String,
}

/// The fields of the instruction and of its message, with their bits, values and meanings. The error is a sentence.
pub(crate) fn fields(request: &[u8]) -> Result<Value, String> {
    let request: Request = serde_json::from_slice(request).map_err(|error| error.to_string())?;
    let target: Platform =
        request.target.parse().map_err(|_| "the target is unknown".to_owned())?;
    let generation = target.generation();
    let bytes = bytes(&request.bytes).ok_or("expected 8 or 16 bytes as hex digits")?;
    let insts = decode_program(&bytes, generation).map_err(|error| error.to_string())?;
    let [(_, inst)] = insts.as_slice() else {
        return Err(format!("expected one instruction, found {}", insts.len()));
    };
    let fields = explain_inst(inst, generation).map_err(|error| error.to_string())?;
    let fields = fields.into_iter().map(|(field, meaning)| {
        let value = format!("{:#x}", field.value);
        json!({ "name": field.name, "bits": field.ranges, "value": value, "meaning": meaning })
    });
    let message = explain_message(inst, generation).into_iter().map(|field| {
        let value = format!("{:#x}", field.value);
        json!({
            "word": field.word.name(),
            "name": field.name,
            "bits": [[field.hi, field.lo]],
            "value": value,
            "meaning": field.meaning,
        })
    });
    Ok(json!({
        "compacted": inst.compacted,
        "fields": fields.collect::<Vec<_>>(),
        "message": message.collect::<Vec<_>>(),
    }))
}

/// The bytes of 16 or 32 hex digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    if !matches!(digits.len(), 16 | 32) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pair = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.as_chunks::<2>().0.iter().map(pair).collect()
}
