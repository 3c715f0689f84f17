//! Messages and spills.

use std::collections::BTreeMap;

use crestline_device::Device;
use crestline_isa::message::{Descriptor, Message};
use crestline_isa::{DescSrc, Inst};
use crestline_timing::{MessageSize, Step};

use crate::access::{Accesses, REGISTER_BYTES, REGISTERS};
use crate::analyze::Measurement;
use crate::lines::Lines;
use crate::report::{MessageGroup, Place, SpillSlot, Spills};

/// The descriptor of an instruction's message; `None` if the instruction has none or the descriptor is in a register.
pub(crate) fn descriptor(inst: &Inst, device: &Device) -> Option<Descriptor> {
    let send = inst.send()?;
    let DescSrc::Imm(desc) = send.desc else { return None };
    let ex_desc = send.ex_desc.imm().unwrap_or(0);
    Descriptor::decode(device.generation(), send.sfid, desc, ex_desc).ok()
}

/// Bytes that a message sends, without the header, and that it returns.
pub(crate) fn moved(size: &MessageSize, header: bool) -> (u64, u64) {
    let sent = (size.payload[0] + size.payload[1]).saturating_sub(header.into());
    (u64::from(sent * REGISTER_BYTES), u64::from(size.response * REGISTER_BYTES))
}

/// The messages of a program by kind.
pub(crate) fn groups(
    insts: &[Inst],
    sizes: &[Option<MessageSize>],
    steps: &[Step],
    device: &Device,
    measured: Option<&Measurement<'_>>,
) -> Vec<MessageGroup> {
    let mut groups: Vec<MessageGroup> = Vec::new();
    for (index, (inst, size)) in insts.iter().zip(sizes).enumerate() {
        let (Some(send), Some(size)) = (inst.send(), size) else { continue };
        let found = descriptor(inst, device);
        let function = send.sfid.name();
        let message = found.as_ref().map_or(function, |found| found.message.name());
        let (sent, returned) = moved(size, found.is_some_and(|found| found.header_present));
        let known = groups.iter().position(|group| {
            (group.message.as_str(), group.function.as_str()) == (message, function)
        });
        let at = known.unwrap_or_else(|| {
            groups.push(MessageGroup {
                message: message.to_owned(),
                function: function.to_owned(),
                instructions: 0,
                executions: 0,
                sent_bytes: 0,
                returned_bytes: 0,
                accessed_bytes: measured.map(|_| 0),
                accessed_lines: measured.map(|_| 0),
            });
            groups.len() - 1
        });
        let (group, weight) = (&mut groups[at], steps[index].weight);
        group.instructions += 1;
        group.executions = group.executions.saturating_add(weight);
        group.sent_bytes = group.sent_bytes.saturating_add(sent.saturating_mul(weight));
        group.returned_bytes = group.returned_bytes.saturating_add(returned.saturating_mul(weight));
        let add = |to: &mut Option<u64>, more: fn((u64, u64)) -> u64| {
            if let (Some(to), Some(measured)) = (to.as_mut(), measured) {
                let accessed = measured.accessed.get(index).copied().unwrap_or_default();
                *to = to.saturating_add(more(accessed));
            }
        };
        add(&mut group.accessed_bytes, |(bytes, _)| bytes);
        add(&mut group.accessed_lines, |(_, lines)| lines);
    }
    groups
}

/// A message of a spill.
struct Scratch {
    offset: u64,
    bytes: u64,
    stores: bool,
}

/// The access of scratch memory at a constant offset, if the instruction is one. Only compilers that spill use it.
fn scratch(inst: &Inst, device: &Device) -> Option<Scratch> {
    let bytes = |registers: u8| u64::from(registers) * u64::from(REGISTER_BYTES);
    let offset = |hwords: u16| u64::from(hwords) * u64::from(REGISTER_BYTES);
    match descriptor(inst, device)?.message {
        Message::ScratchBlockRead { registers, hword_offset, .. } => {
            Some(Scratch { offset: offset(hword_offset), bytes: bytes(registers), stores: false })
        }
        Message::ScratchBlockWrite { registers, hword_offset, .. } => {
            Some(Scratch { offset: offset(hword_offset), bytes: bytes(registers), stores: true })
        }
        _ => None,
    }
}

/// The spills of a program.
pub(crate) fn spills(
    insts: &[Inst],
    offsets: &[usize],
    accesses: &Accesses,
    steps: &[Step],
    device: &Device,
    lines: Lines<'_>,
) -> Spills {
    let found: Vec<(usize, Scratch)> = insts
        .iter()
        .enumerate()
        .filter_map(|(index, inst)| Some((index, scratch(inst, device)?)))
        .collect();
    let mut spills = Spills::default();
    if found.is_empty() {
        return spills;
    }
    let mut slots: BTreeMap<(u64, u64), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    // For each store, the last instruction before that writes the stored registers; for each load, the first
    // instruction behind that reads the loaded ones.
    let mut writer = [None; REGISTERS];
    let mut stores = found.iter().filter(|(_, scratch)| scratch.stores).peekable();
    for index in 0..insts.len() {
        if let Some((_, scratch)) = stores.next_if(|(at, _)| *at == index) {
            // The header is read too, but it is written at the start of the thread or just before.
            let payload = accesses.reads(index).iter().map(|bytes| bytes.register).rev();
            let count = (scratch.bytes / u64::from(REGISTER_BYTES)) as usize;
            let computed = payload.take(count).filter_map(|reg| writer[usize::from(reg)]).max();
            let slot = slots.entry((scratch.offset, scratch.bytes)).or_default();
            slot.0.extend(computed);
        }
        for bytes in accesses.writes(index) {
            writer[usize::from(bytes.register)] = Some(index);
        }
    }
    let mut reader = [None; REGISTERS];
    let mut loads = found.iter().rev().filter(|(_, scratch)| !scratch.stores).peekable();
    for index in (0..insts.len()).rev() {
        if let Some((_, scratch)) = loads.next_if(|(at, _)| *at == index) {
            let loaded = accesses.writes(index).iter().map(|bytes| bytes.register);
            let used = loaded.filter_map(|register| reader[usize::from(register)]).min();
            let slot = slots.entry((scratch.offset, scratch.bytes)).or_default();
            slot.1.extend(used);
        }
        for bytes in accesses.reads(index) {
            reader[usize::from(bytes.register)] = Some(index);
        }
    }
    for (index, scratch) in &found {
        let weight = steps[*index].weight;
        *(if scratch.stores { &mut spills.stores } else { &mut spills.loads }) += 1;
        spills.executions = spills.executions.saturating_add(weight);
        spills.bytes = spills.bytes.saturating_add(scratch.bytes.saturating_mul(weight));
    }
    let places = |mut indices: Vec<usize>| -> Vec<Place> {
        indices.sort_unstable();
        indices.dedup();
        indices.into_iter().map(|index| lines.place(offsets[index])).collect()
    };
    let slot = |((offset, bytes), (computed, used))| {
        let computed = places(computed);
        let variables = lines.variables(&computed);
        SpillSlot { offset, bytes, computed, used: places(used), variables }
    };
    spills.slots = slots.into_iter().map(slot).collect();
    spills
}
