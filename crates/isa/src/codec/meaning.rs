//! Explains the fields of an instruction in words, for tools that list the bits of an encoding.

use std::fmt::Write;

use super::{CodecError, FieldBits};
use crate::inst::{
    DescSrc, Extra, Imm, Inst, Place, Reg, Region, Src, Swizzle, Swsb, SwsbPipe, TokenMode,
    imm_size,
};
use crate::message::{Descriptor, DescriptorField};
use crate::tables::{AccessMode, ArfKind, CondMod, PredCtrl, Type, TypeClass};
use crestline_device::Gen;

/// The fields of an instruction in its full form with their meanings, in the order of their bits. Unused bits have an
/// empty name.
///
/// # Errors
/// If the instruction does not encode.
pub fn explain_inst(inst: &Inst, generation: Gen) -> Result<Vec<(FieldBits, String)>, CodecError> {
    let mut fields = super::explain(super::encode(inst, generation)?, generation)?;
    fields.sort_by_key(|field| field.ranges.last().map(|range| range.1));
    let explained = fields.into_iter().map(|field| {
        let text = match (field.name, field.value) {
            ("", 0) => "not used, zero".to_owned(),
            ("", _) => "not used, but not zero".to_owned(),
            (name, value) => meaning(name, value, inst, generation),
        };
        (field, text)
    });
    Ok(explained.collect())
}

/// The fields of the descriptors of a message. Empty if the instruction sends none, if a descriptor is not an immediate,
/// or if the message is unknown.
pub fn explain_message(inst: &Inst, generation: Gen) -> Vec<DescriptorField> {
    let Some(send) = inst.send() else { return Vec::new() };
    let Some(desc) = send.desc.imm() else { return Vec::new() };
    let ex_desc = send.ex_desc.imm().unwrap_or(0);
    Descriptor::explain(generation, send.sfid, desc, ex_desc).unwrap_or_default()
}

/// Explains the value of a field in words. `name` and `value` are those that
/// [`explain`](super::explain) lists; `inst` is the result of [`decode`](super::decode) for the
/// same bits. Returns an empty string if there is no explanation.
pub fn meaning(name: &str, value: u64, inst: &Inst, generation: Gen) -> String {
    let form = ["A16_", "T16_", "T1_", "SENDS_", "SEND_"];
    let name = form.iter().find_map(|form| name.strip_prefix(form)).unwrap_or(name);
    let operands = ["DST_", "SRC0_", "SRC1_", "SRC2_"];
    let operand = operands.iter().position(|operand| name.starts_with(operand));
    match operand {
        Some(0) => destination(&name[4..], inst),
        Some(index) => source(&name[5..], &inst.srcs[index - 1]),
        None => None,
    }
    .or_else(|| whole(name, value, inst, generation))
    .unwrap_or_default()
}

/// Returns `yes` if `value` is true, otherwise `no`.
fn yes(value: bool, yes: &str, no: &str) -> Option<String> {
    Some(if value { yes } else { no }.to_owned())
}

/// A number and a noun: `1 channel`, `2 channels`.
fn count(number: impl Into<u32>, thing: &str) -> String {
    let number = number.into();
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Explains the fields that are not part of an operand.
fn whole(name: &str, value: u64, inst: &Inst, generation: Gen) -> Option<String> {
    let set = value != 0;
    match name {
        "OPCODE" => Some(inst.opcode.name().to_owned()),
        "ACCESS_MODE" => {
            yes(inst.access_mode == AccessMode::Align16, "Align16: vectors", "Align1: regions")
        }
        "SWSB" => Some(scoreboard(inst.swsb)),
        "NO_DD_CLEAR" => yes(set, "destination dependency is not cleared", "as usual"),
        "NO_DD_CHECK" => yes(set, "destination dependency is not checked", "as usual"),
        "NIB_CTRL" | "QTR_CTRL" => {
            let first = u32::from(inst.group);
            Some(match u32::from(inst.exec_size) {
                0 | 1 => format!("channel {first} of the dispatch mask"),
                size => format!("channels {first} to {} of the dispatch mask", first + size - 1),
            })
        }
        "THREAD_CTRL" | "ATOMIC_CTRL" => Some(format!("{:?}", inst.thread_ctrl)),
        "PRED_CTRL" => Some(match inst.predicate.ctrl {
            PredCtrl::None => "not predicated".to_owned(),
            PredCtrl::Normal => "each channel by its own flag bit".to_owned(),
            ctrl => ctrl.name().to_owned(),
        }),
        "PRED_INV" => yes(set, "the predicate is inverted", "as it is"),
        "EXEC_SIZE" => Some(count(inst.exec_size, "channel")),
        "COND_MOD" => Some(match inst.cond_mod {
            CondMod::None => "none".to_owned(),
            cond => format!("{:?}", cond).to_lowercase(),
        }),
        "ACC_WR_EN" => yes(set, "also writes the accumulator", "no"),
        "COMPACT_CTRL" => yes(set, "64-bit form", "128-bit form"),
        "DEBUG_CTRL" => yes(set, "breakpoint", "no breakpoint"),
        "SATURATE" => yes(set, "the result is clamped", "no"),
        "MASK_CTRL" => yes(set, "all channels, whatever the mask", "enabled channels only"),
        "FLAG_REG_NR" | "FLAG_SUBREG_NR" => Some(format!("f{}.{}", inst.flag.nr, inst.flag.subnr)),
        "IMM32" | "IMM16" | "IMM16_COPY" | "IMM64" => {
            let imm = inst.srcs.iter().find_map(Src::as_imm)?;
            Some(immediate(imm))
        }
        "EXEC_TYPE" => yes(set, "float operands", "integer operands"),
        _ => particular(name, value, inst, generation),
    }
}

/// Explains the fields that only one form of instruction has.
fn particular(name: &str, value: u64, inst: &Inst, generation: Gen) -> Option<String> {
    match (&inst.extra, name) {
        (Extra::Branch(branch), "JIP" | "JUMP_COUNT" | "JMPI_OFFSET" | "CALL_OFFSET") => {
            Some(format!("{} bytes from here", branch.jip?))
        }
        (Extra::Branch(branch), "UIP") => Some(format!("{} bytes from here", branch.uip?)),
        (Extra::Branch(_), "POP_COUNT") => Some(format!("{value} mask stack entries")),
        (Extra::Math(function), "MATH_FC") => Some(function.name().to_owned()),
        (Extra::Sync(function), "SYNC_FC") => Some(function.name().to_owned()),
        (Extra::Send(send), "SFID") => Some(send.sfid.name().to_owned()),
        (Extra::Send(send), "EOT") => yes(send.eot, "ends the thread", "no"),
        (Extra::Send(send), "BASE_MRF") => Some(format!("payload from m{}", send.base_mrf)),
        (Extra::Send(send), "DESC_IMM") => {
            let (DescSrc::Imm(desc), ex) = (send.desc, send.ex_desc.imm().unwrap_or(0)) else {
                return None;
            };
            let message = Descriptor::decode(generation, send.sfid, desc, ex).ok()?;
            Some(format!(
                "{}, payload {}, response {}",
                message.message.name(),
                count(message.mlen, "register"),
                message.rlen
            ))
        }
        (Extra::Send(send), "EX_DESC_IMM") => {
            Some(format!("extended descriptor {:#010x}", send.ex_desc.imm()?))
        }
        (Extra::Send(_), "DESC_REG_SELECT" | "EX_DESC_REG_SELECT") => {
            yes(value != 0, "the descriptor is in a0", "the descriptor is an immediate")
        }
        _ => None,
    }
}

/// The value of an immediate with its type.
fn immediate(imm: &Imm) -> String {
    let shift = 64 - 8 * imm_size(imm.ty);
    let value = match imm.ty.class() {
        TypeClass::Float if imm.ty == Type::F => format!("{:?}", f32::from_bits(imm.bits as u32)),
        TypeClass::Float if imm.ty == Type::Df => format!("{:?}", f64::from_bits(imm.bits)),
        TypeClass::Signed => (((imm.bits << shift) as i64) >> shift).to_string(),
        TypeClass::Unsigned => imm.bits.to_string(),
        _ => format!("{:#x}", imm.bits),
    };
    format!("{value}:{}", imm.ty.name().to_lowercase())
}

/// Explains a software scoreboard.
fn scoreboard(swsb: Swsb) -> String {
    let mut out = String::new();
    if swsb.distance != 0 {
        let pipe = match swsb.pipe {
            SwsbPipe::Implied => "",
            SwsbPipe::All => " in all pipes",
            SwsbPipe::Float => " in the float pipe",
            SwsbPipe::Int => " in the integer pipe",
            SwsbPipe::Long => " in the 64-bit pipe",
        };
        let _ = write!(out, "waits for the instruction {} back{pipe}", swsb.distance);
    }
    if let Some(token) = swsb.token {
        let what = match token.mode {
            TokenMode::Set => "takes token",
            TokenMode::Src => "waits until sources were read: token",
            TokenMode::Dst => "waits until the result was written: token",
        };
        let comma = if out.is_empty() { "" } else { "; " };
        let _ = write!(out, "{comma}{what} {}", token.id);
    }
    if out.is_empty() { "no wait".to_owned() } else { out }
}

/// The name of a register.
fn register(reg: Reg) -> String {
    match reg {
        Reg::Grf(nr) => format!("r{nr}"),
        Reg::Mrf(nr) => format!("m{nr}"),
        Reg::Arf(ArfKind::Null, _) => "null".to_owned(),
        Reg::Arf(kind, nr) => format!("{}{nr}", kind.name()),
    }
}

/// Explains the fields of an operand's location. `name` is without the prefix of the operand.
fn place(name: &str, place: Place) -> Option<String> {
    match (name, place) {
        ("ADDR_MODE", _) => {
            yes(matches!(place, Place::Indirect { .. }), "addressed through a0", "direct")
        }
        ("REG_FILE", Place::Direct { reg: Reg::Arf(..), .. }) => {
            Some("architecture register".to_owned())
        }
        ("REG_FILE", Place::Direct { reg: Reg::Mrf(_), .. }) => Some("message register".to_owned()),
        ("REG_FILE", _) => Some("general register".to_owned()),
        ("REG_NR", Place::Direct { reg, .. }) => Some(register(reg)),
        (
            "SUBREG_NR" | "SUBREG_NR_16B" | "SUBREG_NR_4B" | "SUBREG_NR_8B",
            Place::Direct { sub, .. },
        ) => Some(format!("from byte {sub}")),
        ("IND_ADDR_SUBREG_NR", Place::Indirect { addr, .. }) => Some(format!("a0.{addr}")),
        ("IND_ADDR_IMM" | "IND_ADDR_IMM_16B", Place::Indirect { offset, .. }) => {
            Some(format!("{offset} bytes added"))
        }
        _ => None,
    }
}

/// Explains a field of the destination; `name` is without the prefix `DST_`.
fn destination(name: &str, inst: &Inst) -> Option<String> {
    let dst = &inst.dst;
    match name {
        "TYPE" => Some(format!(":{}", dst.ty.name().to_lowercase())),
        "HSTRIDE" => Some(format!("{} apart", count(dst.hstride, "element"))),
        "CHAN_EN" => {
            let letters = "xyzw".chars().enumerate();
            Some(
                letters
                    .filter(|(bit, _)| dst.writemask.0 >> bit & 1 != 0)
                    .map(|(_, c)| c)
                    .collect(),
            )
        }
        _ => place(name, dst.place),
    }
}

/// Explains a field of a source; `name` is without the prefix such as `SRC0_`.
fn source(name: &str, src: &Src) -> Option<String> {
    if name == "IS_IMM" {
        return yes(src.as_imm().is_some(), "immediate", "register");
    }
    let src = match src {
        Src::Reg(src) => src,
        Src::Imm(imm) => {
            return match name {
                "REG_FILE" => Some("immediate".to_owned()),
                "TYPE" => Some(format!(":{}", imm.ty.name().to_lowercase())),
                _ => None,
            };
        }
        Src::None => return Some("not used by the operation".to_owned()),
    };
    let swizzle = |Swizzle(components): Swizzle| {
        components.iter().map(|c| char::from(b"xyzw"[usize::from(*c & 3)])).collect()
    };
    match (name, src.region) {
        ("TYPE", _) => Some(format!(":{}", src.ty.name().to_lowercase())),
        ("NEGATE", _) => yes(src.negate, "negated", "as it is"),
        ("ABS", _) => yes(src.abs, "absolute value", "as it is"),
        ("SWIZZLE", Region::Align16 { swizzle: s, .. })
        | ("CHAN_SEL", Region::ThreeAlign16 { swizzle: s, .. }) => Some(swizzle(s)),
        ("REP_CTRL", Region::ThreeAlign16 { rep, .. }) => {
            yes(rep, "one element for all channels", "vectors")
        }
        ("VSTRIDE" | "WIDTH" | "HSTRIDE", region) => {
            let (vstride, width, hstride) = region.strides()?;
            Some(match name {
                "VSTRIDE" => format!("rows {} apart", count(vstride, "element")),
                "WIDTH" => format!("{} a row", count(width, "element")),
                _ => format!("{} apart in a row", count(hstride, "element")),
            })
        }
        _ => place(name, src.place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{decode, explain};

    /// `add(16) g120<1>F g4<8,8,1>F 1F` on Skylake.
    const ADD: u128 = 0x3f80_0000_3e8d_0080_2f00_3ae8_0080_0040;

    /// An untyped surface read on Skylake.
    const READ: u128 = 0x0420_5e00_0600_0180_2ea0_0268_0c80_0031;

    #[test]
    fn every_field_of_common_instructions_has_words() {
        for bits in [ADD, READ] {
            let inst = decode(bits, Gen::Gen9).expect("decodes");
            let quiet: Vec<&str> = explain(bits, Gen::Gen9)
                .expect("decodes")
                .iter()
                .filter(|field| !field.name.is_empty())
                .filter(|field| meaning(field.name, field.value, &inst, Gen::Gen9).is_empty())
                .map(|field| field.name)
                .collect();
            assert!(quiet.iter().all(|name| name.starts_with("RESERVED")), "{quiet:?} {inst:?}");
        }
    }

    #[test]
    fn values_are_told_in_units_of_the_manual() {
        let inst = decode(ADD, Gen::Gen9).expect("decodes");
        let say = |name, value| meaning(name, value, &inst, Gen::Gen9);
        assert_eq!(say("OPCODE", 0x40), "add");
        assert_eq!(say("EXEC_SIZE", 4), "16 channels");
        assert_eq!(say("SRC0_VSTRIDE", 4), "rows 8 elements apart");
        assert_eq!(say("SRC1_TYPE", 7), ":f");
        assert_eq!(say("IMM32", 0x3f80_0000), "1.0:f");
    }
}
