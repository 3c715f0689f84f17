//! Compares the messages of a program with a judge's disassembly: lengths and fields.
//!
//! The expected words and numbers come from the decoded message and from tables in this file, not from the encoder's
//! tables.

use crestline_device::{Gen, Platform};
use crestline_isa::message::{AtomicOp, Bti, Cache, ChannelMask, Descriptor, Message, SlotGroup};
use crestline_isa::{
    AccessMode, DescSrc, Inst, Region, Sfid, Src, WriteMask, decode_program, encode,
};
use crestline_judges::gen4asm::Gen4Asm;
use crestline_judges::iga::Iga;

/// A data-port message whose descriptor is an immediate.
struct Sent {
    inst: Inst,
    descriptor: Descriptor,
    /// The descriptor's bits.
    bits: u32,
    offset: usize,
}

/// The data-port messages of a program.
fn sent(code: &[u8], generation: Gen) -> Result<Vec<Sent>, String> {
    let insts = decode_program(code, generation).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (offset, inst) in insts {
        let Some(send) = inst.send() else { continue };
        let (DescSrc::Imm(bits), DescSrc::Imm(ex_desc)) = (send.desc, send.ex_desc) else {
            continue;
        };
        let ports = [Sfid::RenderCache, Sfid::DataCache0, Sfid::DataCache1];
        if !ports.contains(&send.sfid) {
            continue;
        }
        let descriptor = Descriptor::decode(generation, send.sfid, bits, ex_desc)
            .map_err(|error| format!("byte {offset:#x}: {error}"))?;
        all.push(Sent { inst, descriptor, bits, offset });
    }
    Ok(all)
}

/// The components of a mask as letters.
fn letters(mask: ChannelMask) -> String {
    "xyzw".chars().enumerate().filter(|(i, _)| mask.0 >> i & 1 == 1).map(|(_, c)| c).collect()
}

/// The terms of `iga64` for a slot group: in typed atomics, and in typed reads and writes.
fn slot_words(slots: SlotGroup) -> (&'static str, &'static str) {
    match slots {
        SlotGroup::High => ("typed_sgh", " (high slot group)"),
        _ => ("typed", ""),
    }
}

/// The term of `iga64` for an operation.
fn atomic_words(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::And => "logical AND",
        AtomicOp::Or => "logical OR",
        AtomicOp::Xor => "logical XOR",
        AtomicOp::Mov => "store",
        AtomicOp::Inc => "integer increment",
        AtomicOp::Dec => "integer decrement",
        AtomicOp::Add => "integer add",
        AtomicOp::Sub => "integer subtract",
        AtomicOp::Imax => "signed-integer max",
        AtomicOp::Imin => "signed-integer min",
        AtomicOp::Umax => "unsigned-integer max",
        AtomicOp::Umin => "unsigned-integer min",
        AtomicOp::CmpWr => "integer compare and swap",
        _ => "another",
    }
}

/// Bytes of an instruction that is not compacted.
const INST_BYTES: usize = 16;

/// The instruction in Align1 mode, with all channels: `iga64` does not read Align16. The descriptor has the same
/// meaning in both modes.
fn in_align1(inst: &Inst) -> Inst {
    let mut inst = Inst { access_mode: AccessMode::Align1, compacted: false, ..inst.clone() };
    inst.dst.writemask = WriteMask::XYZW;
    for src in &mut inst.srcs {
        if let Src::Reg(reg) = src
            && matches!(reg.region, Region::Align16 { .. })
        {
            reg.region = Region::packed(inst.exec_size);
        }
    }
    inst
}

/// Compares the data-port messages of gen7.5 and later with the text of `iga64`. Returns how many were compared.
///
/// # Errors
///
/// The first message that it reads otherwise.
pub fn judged_by_iga(iga: &Iga, platform: Platform, code: &[u8]) -> Result<usize, String> {
    let generation = platform.generation();
    let all = sent(code, generation)?;
    let mut alone = Vec::new();
    for Sent { inst, .. } in &all {
        let bits = encode(&in_align1(inst), generation).map_err(|error| error.to_string())?;
        alone.extend(bits.to_le_bytes());
    }
    let lines = iga.disassemble(platform.name(), &alone).map_err(|error| error.to_string())?;
    let mut judged = 0;
    for (i, Sent { descriptor, offset, .. }) in all.into_iter().enumerate() {
        let words = match &descriptor.message {
            Message::TypedRead { mask, slots, .. } => {
                let (_, group) = slot_words(*slots);
                format!("dc1; typed surface read{group} with {}", letters(*mask))
            }
            Message::TypedWrite { mask, slots, .. } => {
                let (_, group) = slot_words(*slots);
                format!("dc1; typed surface write{group} with {}", letters(*mask))
            }
            Message::UntypedRead { mask, .. } => {
                format!("dc1; untyped surface read with {}", letters(*mask))
            }
            Message::UntypedWrite { mask, .. } => {
                format!("dc1; untyped surface write with {}", letters(*mask))
            }
            Message::TypedAtomic { op, slots, .. } => {
                let ((name, group), op) = (slot_words(*slots), atomic_words(*op));
                let group = group.replace("high slot group", "slot group high");
                format!("dc1; {name} atomic 32-bit integer{group} {op}")
            }
            Message::MemoryFence { .. } => "dc0; synchronized global fence".to_owned(),
            _ => continue,
        };
        let Descriptor { mlen, ex_mlen, rlen, header_present, .. } = descriptor;
        let header = if header_present { "h" } else { "" };
        let ours = format!("wr:{mlen}{header}+{ex_mlen}, rd:{rlen}; hdc.{words}");
        let line = lines.iter().find(|line| line.offset as usize == INST_BYTES * i);
        let theirs = line.and_then(|line| line.text.split_once("//")).map_or("", |(_, t)| t.trim());
        let rest = theirs.strip_prefix(&ours);
        if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(';')) {
            return Err(format!("byte {offset:#x}: {ours:?}, iga64 says {theirs:?}"));
        }
        judged += 1;
    }
    Ok(judged)
}

/// Unit, message type and surface of a message on gen7 (PRM of Ivy Bridge, volume 4 part 1, "message type").
fn gen7_type(message: &Message) -> Option<(&'static str, u32, Bti)> {
    Some(match message {
        Message::TypedRead { bti, .. } => ("render", 5, *bti),
        Message::TypedAtomic { bti, .. } => ("render", 6, *bti),
        Message::TypedWrite { bti, .. } => ("render", 13, *bti),
        Message::UntypedRead { bti, .. } => ("data", 5, *bti),
        Message::UntypedAtomic { bti, .. } => ("data", 6, *bti),
        Message::UntypedWrite { bti, .. } => ("data", 13, *bti),
        Message::MemoryFence { cache: Cache::Data, bti, .. } => ("data", 7, *bti),
        Message::MemoryFence { cache: Cache::Render, bti, .. } => ("render", 7, *bti),
        _ => return None,
    })
}

/// Expected value and mask of bits 13:8 of a gen7 message: disabled components, operation, whether data return, and
/// channels (PRM of Ivy Bridge, volume 4 part 1, "message specific control").
fn gen7_control(descriptor: &Descriptor) -> Option<(u32, u32)> {
    let absent = |mask: &ChannelMask| u32::from(!mask.0 & 0xf);
    Some(match &descriptor.message {
        Message::TypedRead { mask, .. }
        | Message::TypedWrite { mask, .. }
        | Message::UntypedRead { mask, .. }
        | Message::UntypedWrite { mask, .. } => (absent(mask), 0xf),
        Message::TypedAtomic { op, return_data, .. }
        | Message::UntypedAtomic { op, return_data, .. } => {
            (*op as u32 | u32::from(*return_data) << 5, 0x2f)
        }
        Message::MemoryFence { commit, .. } => (u32::from(*commit) << 5, 0x20),
        _ => return None,
    })
}

/// Compares the data-port messages of gen7 with the text of `intel-gen4disasm`. Returns how many were compared.
///
/// # Errors
///
/// The first message that it reads otherwise.
pub fn judged_by_gen4disasm(judge: &Gen4Asm, code: &[u8]) -> Result<usize, String> {
    let all = sent(code, Gen::Gen7)?;
    let words = |sent: &Sent| {
        let bits = encode(&sent.inst, Gen::Gen7).map_err(|error| error.to_string())?;
        Ok(std::array::from_fn(|i| (bits >> (32 * i)) as u32))
    };
    let code: Vec<[u32; 4]> = all.iter().map(words).collect::<Result<_, String>>()?;
    let text = judge.disassemble("7", &code).map_err(|error| error.to_string())?;
    // The text has two lines per instruction: the instruction and its message.
    let lines: Vec<&String> = text.iter().filter(|line| line.contains(" mlen ")).collect();
    if lines.len() != all.len() {
        return Err(format!("{} messages, gen4disasm sees {}", all.len(), lines.len()));
    }
    let mut judged = 0;
    for (sent, line) in all.iter().zip(lines) {
        let (descriptor, bits) = (&sent.descriptor, sent.bits);
        let Some((unit, number, bti)) = gen7_type(&descriptor.message) else { continue };
        let wrong = |what: &str| {
            Err(format!(
                "byte {:#x}: {descriptor:?} ({bits:#x}), gen4disasm: {line:?}: {what}",
                sent.offset
            ))
        };
        if line.split_whitespace().next() != Some(unit) {
            return wrong("another unit");
        }
        let inside = line.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
        let Some((fields, lengths)) = inside else { return wrong("no fields") };
        // The numbers may follow a name that older generations use for the message type.
        let numbers: Vec<u32> = fields.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        let [surface, control, kind] = numbers[..] else { return wrong("no three numbers") };
        if (surface, kind) != (u32::from(bti.0), number) {
            return wrong("another surface or message type");
        }
        if let Some((expected, mask)) = gen7_control(descriptor)
            && control & mask != expected
        {
            return wrong("another control");
        }
        let expected = format!("mlen {} rlen {}", descriptor.mlen, descriptor.rlen);
        if !lengths.trim().starts_with(&format!("{expected} ")) {
            return wrong("other lengths");
        }
        judged += 1;
    }
    Ok(judged)
}
