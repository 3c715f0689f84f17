//! Tests the SIMD8 URB messages in vertex programs, whose entries have 128 bytes: slots 0 to 7. The expected values are
//! computed by hand from the rules of the hardware.

mod common;
mod simd8_programs;

use common::{alu, mov_ud};
use crestline_device::{Device, Platform};
use crestline_emu::{Diagnostic, Draw, EmuError, Kernel, Options, Report, Resources};
use crestline_isa::message::{Descriptor, Message, UrbAtomicOp};
use crestline_isa::{CondMod, Dst, Extra, Inst, Opcode, Send, Src, Type};
use crestline_program::{Distances, StageDispatch, StageMetadata, VertexMetadata};
use simd8_programs::{
    ALL, OUT, Urb, binary, channels, compare, if_set, last, load, location, mov, reg, scalar, send,
};

fn kernel(platform: Platform, program: Vec<Inst>) -> Result<Kernel, EmuError> {
    let stage = StageMetadata::Vertex(VertexMetadata {
        distances: Distances::default(),
        feedback: None,
        dispatch: StageDispatch::Simd8,
        first_input_register: 2,
        inputs: vec![],
        outputs: (0..8).map(location).collect(),
        entry_bytes: 128,
    });
    load(program, platform, stage, None)
}

/// The dwords of an entry; `None` for those that nothing wrote.
type Entry = Vec<Option<u32>>;

/// Runs a program on `vertices` vertices, with the last message writing 9 to dword 31. Returns the entries.
fn run_on(
    platform: Platform,
    vertices: u32,
    mut program: Vec<Inst>,
) -> Result<(Vec<Entry>, Report), EmuError> {
    program.extend([mov(OUT, reg(1)), mov_ud(OUT + 1, 8 << 16)]);
    program.extend((2..6).map(|i| mov_ud(OUT + i, 9)));
    let mask = Urb { offset: 7, channel_mask: true, ..Urb::default() };
    program.push(last(mask.write(OUT, 6)));
    let draw = Draw::vertices(vertices);
    let (values, report) = kernel(platform, program)?.run_vertices(
        &draw,
        &Resources::new(),
        &Options::default(),
        None,
    )?;
    let entry =
        |values: &crestline_emu::SlotValues| (0..8).flat_map(|i| values.get(location(i))).collect();
    Ok((values.iter().map(entry).collect(), report))
}

fn run(program: Vec<Inst>) -> (Vec<Entry>, Report) {
    run_on(Platform::Skl, 8, program).unwrap()
}

/// An entry with some dwords, besides that of the last message.
fn entry(written: &[(usize, u32)]) -> Entry {
    let mut entry = vec![None; 32];
    entry[31] = Some(9);
    for (place, value) in written {
        entry[*place] = Some(*value);
    }
    entry
}

/// Writes `count` registers from r`first` on: 100 times the number of the register, plus the channel.
fn data(first: u8, count: u8) -> Vec<Inst> {
    let mut program = channels(10);
    program.extend(
        (0..count)
            .map(|i| binary(Opcode::Add, first + i, [reg(10), Src::imm_ud(100 * u32::from(i))])),
    );
    program
}

#[test]
fn a_data_register_is_a_dword_of_each_entry() {
    for platform in ALL {
        for count in 1..=8u8 {
            let mut program = data(31, count);
            program.push(mov(30, reg(1)));
            program.push(Urb::at(3).write(30, 1 + count));
            let (entries, report) = run_on(platform, 8, program).unwrap();
            assert_eq!(report.diagnostics, []);
            for (channel, found) in (0..).zip(&entries) {
                let written: Vec<_> =
                    (0..count as usize).map(|i| (12 + i, 100 * i as u32 + channel)).collect();
                assert_eq!(*found, entry(&written), "{platform} {count}");
            }
        }
    }
}

#[test]
fn each_channel_has_an_offset_in_slots() {
    // The slot is 1 + channel / 2.
    let mut program = data(32, 2);
    program.push(mov(30, reg(1)));
    program.push(binary(Opcode::Shr, 31, [reg(10), Src::imm_ud(1)]));
    let message = Urb { offset: 1, per_slot_offset: true, channel_mask: false };
    program.push(message.write(30, 4));
    let (entries, report) = run(program);
    assert_eq!(report.diagnostics, []);
    for (channel, found) in (0u32..).zip(&entries) {
        let first = 4 * (1 + channel as usize / 2);
        assert_eq!(*found, entry(&[(first, channel), (first + 1, 100 + channel)]));
    }
}

#[test]
fn each_channel_has_a_mask_of_data_registers() {
    // Channel c writes only register c, at bit 16 + c. The bits below and above are not used.
    let mut program = data(32, 8);
    program.extend([
        mov(30, reg(1)),
        mov_ud(40, 0x0001_0000),
        binary(Opcode::Shl, 41, [reg(40), reg(10)]),
        binary(Opcode::Or, 31, [reg(41), Src::imm_ud(0xff00_ffff)]),
    ]);
    let message = Urb { offset: 0, per_slot_offset: false, channel_mask: true };
    program.push(message.write(30, 10));
    let (entries, report) = run(program);
    assert_eq!(report.diagnostics, []);
    for (channel, found) in (0u32..).zip(&entries) {
        assert_eq!(*found, entry(&[(channel as usize, 101 * channel)]));
    }
}

#[test]
fn masks_follow_offsets() {
    // Channel c writes register 1 to the second dword of slot c % 4 + 2.
    let mut program = data(33, 3);
    program.push(mov(30, reg(1)));
    program.push(binary(Opcode::And, 31, [reg(10), Src::imm_ud(3)]));
    program.push(mov_ud(32, 2 << 16));
    let message = Urb { offset: 2, per_slot_offset: true, channel_mask: true };
    program.push(message.write(30, 6));
    let (entries, report) = run(program);
    assert_eq!(report.diagnostics, []);
    for (channel, found) in (0u32..).zip(&entries) {
        assert_eq!(*found, entry(&[(4 * (channel as usize % 4 + 2) + 1, 100 + channel)]));
    }
}

#[test]
fn disabled_channels_write_and_read_nothing() {
    // Only channels below 3 write. Only channels below 2 read, and add 1.
    let mut program = data(31, 1);
    program.extend([
        mov(30, reg(1)),
        compare(CondMod::L, reg(10), Src::imm_ud(3)),
        if_set(Urb::at(0).write(30, 2)),
        mov_ud(40, 50),
        compare(CondMod::L, reg(10), Src::imm_ud(2)),
        if_set(Urb::at(0).read(30, 1, 40, 1)),
        binary(Opcode::Add, 31, [reg(40), Src::imm_ud(1)]),
        Urb::at(1).write(30, 2),
    ]);
    let (entries, report) = run_on(Platform::Bdw, 5, program).unwrap();
    assert_eq!(report.diagnostics, []);
    assert_eq!(entries[0], entry(&[(0, 0), (4, 1)]));
    assert_eq!(entries[1], entry(&[(0, 1), (4, 2)]));
    assert_eq!(entries[2], entry(&[(0, 2), (4, 51)]));
    assert_eq!(entries[3], entry(&[(4, 51)]));
    assert_eq!(entries[4], entry(&[(4, 51)]));
    assert_eq!(entries.len(), 5);
}

#[test]
fn reads_deliver_a_dword_of_each_entry_per_register() {
    for platform in ALL {
        // 16 dwords of each entry, then two reads of 8 and 3 registers: from slot 1, and from slot 1 + channel % 2.
        let mut program = data(31, 8);
        program.push(mov(30, reg(1)));
        program.push(Urb::at(0).write(30, 9));
        program.push(Urb::at(2).write(30, 9));
        program.push(Urb::at(1).read(30, 1, 50, 8));
        program.push(mov(60, reg(1)));
        program.push(binary(Opcode::And, 61, [reg(10), Src::imm_ud(1)]));
        let message = Urb { offset: 1, per_slot_offset: true, channel_mask: false };
        program.push(message.read(60, 2, 70, 3));
        // Dwords 4 and 11 of the first read, 2 of the second.
        program.push(mov(31, reg(50)));
        program.push(mov(32, reg(57)));
        program.push(mov(33, reg(72)));
        program.push(Urb::at(5).write(30, 4));
        let (entries, report) = run_on(platform, 8, program).unwrap();
        assert_eq!(report.diagnostics, []);
        for (channel, found) in (0u32..).zip(&entries) {
            // Slot 1 holds registers 4 to 7, slot 2 registers 0 to 3 of the second write.
            assert_eq!(found[20], Some(400 + channel), "{platform}");
            assert_eq!(found[21], Some(300 + channel));
            let from = if channel % 2 == 0 { 600 } else { 200 };
            assert_eq!(found[22], Some(from + channel));
        }
    }
}

#[test]
fn data_may_be_in_a_second_payload() {
    // Handles and masks in r30 and r31, data in r50 to r52.
    let mut program = data(50, 3);
    program.extend([mov(30, reg(1)), mov_ud(31, 5 << 16)]);
    let message = Urb { offset: 4, per_slot_offset: false, channel_mask: true }.message();
    let descriptor = Descriptor {
        mlen: 2,
        ex_mlen: 3,
        rlen: 0,
        header_present: true,
        surface_offset: 0,
        message,
    };
    let generation = Device::new(Platform::Skl).generation();
    let (sfid, desc, ex_desc) = descriptor.encode(generation).expect("the message fits");
    let send = alu(Opcode::Sends, Dst::null(Type::Ud), &[reg(30), reg(50)]);
    program.push(send.with_extra(Extra::Send(Send::imm(sfid, desc, ex_desc))));
    let (entries, report) = run(program);
    assert_eq!(report.diagnostics, []);
    for (channel, found) in (0u32..).zip(&entries) {
        assert_eq!(*found, entry(&[(16, channel), (18, 200 + channel)]));
    }
}

#[test]
fn channels_may_have_the_same_entry() {
    // All channels read dword 1 of vertex 5 and write to their own entries.
    let mut program = data(31, 2);
    program.extend([
        mov(30, reg(1)),
        Urb::at(0).write(30, 3),
        mov(40, scalar(1, 5)),
        Urb::at(0).read(40, 1, 41, 2),
        mov(31, reg(42)),
        Urb::at(1).write(30, 2),
    ]);
    let (entries, report) = run(program);
    assert_eq!(report.diagnostics, []);
    for (channel, found) in (0u32..).zip(&entries) {
        assert_eq!(*found, entry(&[(0, channel), (1, 100 + channel), (4, 105)]));
    }
}

/// The diagnostics of a program: text, first channel and count.
fn diagnose(program: Vec<Inst>) -> Vec<(String, Option<u8>, u64)> {
    let (_, report) = run(program);
    let row = |found: &Diagnostic| (found.problem.to_string(), found.location.channel, found.count);
    report.diagnostics.iter().map(row).collect()
}

#[test]
fn accesses_outside_of_an_entry_are_reported() {
    // Data registers 4 to 7 of a write to slot 7 are outside.
    let mut program = data(31, 8);
    program.push(mov(30, reg(1)));
    program.push(Urb::at(7).write(30, 9));
    let expected = "writes 4 bytes at 0x80 of URB entry 0x140, which has 128 bytes";
    assert_eq!(diagnose(program), [(expected.to_owned(), Some(0), 32)]);
    // Channel 7 has an offset with which a sum of 32 bits would be 2.
    let mut program = data(40, 1);
    program.push(mov(30, reg(1)));
    program.push(mov_ud(31, 0));
    program.push(compare(CondMod::G, reg(10), Src::imm_ud(6)));
    program.push(if_set(mov_ud(31, u32::MAX)));
    let message = Urb { offset: 3, per_slot_offset: true, channel_mask: false };
    program.push(message.read(30, 2, 50, 1));
    let expected = "reads 4 bytes at 0x1000000020 of URB entry 0x15c, which has 128 bytes";
    assert!(diagnose(program).contains(&(expected.to_owned(), Some(7), 1)));
    // A handle that the thread did not receive. Reads give 0.
    let mut program = vec![mov_ud(30, 7), Urb::at(0).read(30, 1, 41, 1), mov(40, reg(1))];
    program.push(Urb::at(0).write(40, 2));
    let (entries, report) = run(program.clone());
    assert_eq!(entries[3], entry(&[(0, 0)]));
    assert_eq!(report.diagnostics.len(), 1);
    let expected = "reads 4 bytes at 0x0 of URB entry 0x7, which has 0 bytes";
    assert_eq!(diagnose(program), [(expected.to_owned(), Some(0), 8)]);
}

#[test]
fn what_was_never_written_is_reported() {
    // A dword of the entry; it is reported when an instruction uses it.
    let program = vec![
        mov(30, reg(1)),
        Urb::at(0).read(30, 1, 31, 1),
        binary(Opcode::Add, 32, [reg(31), Src::imm_ud(1)]),
    ];
    assert_eq!(diagnose(program)[0].0, "reads r31.0, which was never written");
    // Handles, offsets, masks, data.
    for missing in 0..4 {
        let mut program = vec![];
        let values = [reg(1), Src::imm_ud(0), Src::imm_ud(1 << 16), Src::imm_ud(5)];
        for (register, value) in (30..).zip(values) {
            if register != 30 + missing {
                program.push(mov(register, value));
            }
        }
        let message = Urb { offset: 0, per_slot_offset: true, channel_mask: true };
        program.push(message.write(30, 4));
        let expected = format!("reads r{}.0, which was never written", 30 + missing);
        assert_eq!(diagnose(program)[0].0, expected);
    }
}

/// The error of a program.
fn fault(program: Vec<Inst>) -> String {
    run_on(Platform::Skl, 8, program).unwrap_err().to_string()
}

#[test]
fn messages_of_a_wrong_length_are_refused() {
    let all = Urb { offset: 0, per_slot_offset: true, channel_mask: true };
    let mut program: Vec<_> = (30..45).map(|i| mov(i, reg(1))).collect();
    let mut with = |message: Inst| {
        program.push(message);
        let error = fault(program.clone());
        program.pop();
        error
    };
    let error = with(all.write(30, 2));
    assert!(error.contains("URB write with 2 payload"), "{error}");
    let error = with(all.write(30, 3));
    assert!(error.contains("a SIMD8 URB write without data"), "{error}");
    let error = with(Urb::at(0).write(30, 1));
    assert!(error.contains("a SIMD8 URB write without data"), "{error}");
    let error = with(all.write(30, 12));
    assert!(error.contains("a SIMD8 URB message with 9 data registers"), "{error}");
    let error = with(Urb { per_slot_offset: true, ..Urb::default() }.read(30, 1, 50, 1));
    assert!(error.contains("URB read with 1 payload"), "{error}");
    let error = with(Urb::at(0).read(30, 1, 50, 9));
    assert!(error.contains("a SIMD8 URB message with 9 data registers"), "{error}");
    let mut wide = Urb::at(0).write(30, 3);
    wide.exec_size = 16;
    let error = with(wide);
    assert!(error.contains("a transposed or wide URB message"), "{error}");
}

#[test]
fn atomics_are_not_supported() {
    let message = Message::UrbAtomic { op: UrbAtomicOp::Inc, offset: 0, per_slot_offset: false };
    let program = vec![mov(30, reg(1)), send(message, 30, (1, 1), Some(40))];
    let error = fault(program);
    assert!(error.contains("URB atomic"), "{error}");
}

#[test]
fn gen7_has_no_messages_of_eight_entries() {
    let program = vec![last(Urb::at(0).write(OUT, 2))];
    let error = kernel(Platform::Hsw, program).unwrap_err().to_string();
    assert!(error.contains("stage.dispatch"), "{error}");
}
