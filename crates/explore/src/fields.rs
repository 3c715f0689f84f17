//! The fields of one instruction.

use crestline::{Device, Platform};
use crestline_isa::codec::{explain_inst, explain_message};
use crestline_isa::region::Footprint;
use crestline_isa::{Inst, Place, Reg, decode_program};
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
    let device = Device::new(target);
    Ok(json!({
        "compacted": inst.compacted,
        "operands": operands(inst, &device),
        "fields": fields.collect::<Vec<_>>(),
        "message": message.collect::<Vec<_>>(),
    }))
}

/// Pictures of the registers that the operands access. Operands without a fixed region have none: the registers of
/// messages, indirect operands, and doubles where the execution size counts dwords.
fn operands(inst: &Inst, device: &Device) -> Vec<Value> {
    let sources = inst.srcs.iter().filter_map(|src| src.as_reg());
    let mut types = sources.map(|src| src.ty).chain([inst.dst.ty]);
    let doubles = types.any(|ty| ty.size() == 8);
    if inst.opcode.is_send() || doubles && device.df_exec_size_counts_dwords() {
        return Vec::new();
    }
    let channels = u32::from(inst.exec_size);
    let picture = |name: String, place: Place, footprint: Option<Footprint>| {
        let Place::Direct { reg: Reg::Grf(register), .. } = place else { return None };
        Some(json!({ "name": name, "svg": footprint?.svg(register.into()) }))
    };
    let written = Footprint::of_destination(&inst.dst, inst.access_mode, channels).ok();
    let mut pictures: Vec<Value> =
        picture("destination".to_owned(), inst.dst.place, written).into_iter().collect();
    for (number, src) in inst.srcs.iter().enumerate() {
        let Some(reg) = src.as_reg() else { continue };
        let read = Footprint::of_source(src, channels).ok();
        pictures.extend(picture(format!("source {number}"), reg.place, read));
    }
    pictures
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
