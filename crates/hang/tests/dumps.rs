//! Reads synthetic error states of every supported generation, in both forms of the text. The packets are written dword by dword,
//! with positions from the manuals and not from the tables under test.

use crestline_device::{Device, Platform};
use crestline_hang::{Dump, DumpError, Report};
use crestline_isa::{Dst, Extra, Inst, Opcode, Region, Send, Sfid, Src, Type, encode_into};

const BATCH: u64 = 0x1_0000;
const SECOND: u64 = 0x2_0000;
const CODE: u64 = 0x10_0000;
const DYNAMIC: u64 = 0x20_0000;

/// How buffers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Zlib,
    Plain,
    Words,
}

/// A platform of each generation.
const PLATFORMS: [Platform; 6] =
    [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl, Platform::Icl, Platform::Tgl];

/// Whether packets have 64-bit addresses: gen7 and gen7.5 have 32-bit ones.
fn is_wide(platform: Platform) -> bool {
    !matches!(platform, Platform::Ivb | Platform::Byt | Platform::Hsw)
}

/// A header with its length in the low byte, and dwords at positions; the others are zero.
fn packet(code: u32, dwords: usize, values: &[(usize, u32)]) -> Vec<u32> {
    let mut words = vec![0; dwords];
    words[0] = code | (dwords as u32 - 2);
    for (at, value) in values {
        words[*at] |= value;
    }
    words
}

fn state_base_address(platform: Platform) -> Vec<u32> {
    let [code, dynamic] = [CODE as u32 | 1, DYNAMIC as u32 | 1];
    match platform {
        Platform::Ivb | Platform::Hsw => packet(0x6101_0000, 10, &[(3, dynamic), (5, code)]),
        Platform::Bdw => packet(0x6101_0000, 16, &[(6, dynamic), (10, code)]),
        Platform::Skl => packet(0x6101_0000, 19, &[(6, dynamic), (10, code)]),
        _ => packet(0x6101_0000, 22, &[(6, dynamic), (10, code)]),
    }
}

fn vertex_state(platform: Platform, offset: u32) -> Vec<u32> {
    match is_wide(platform) {
        true => packet(0x7810_0000, 9, &[(1, offset), (7, 1)]),
        false => packet(0x7810_0000, 6, &[(1, offset), (5, 1)]),
    }
}

/// Widths 8 and 16: pointers 0 and 2.
fn fragment_state(platform: Platform, offsets: [u32; 2]) -> Vec<u32> {
    match is_wide(platform) {
        true => packet(0x7820_0000, 12, &[(1, offsets[0]), (10, offsets[1]), (6, 3)]),
        false => packet(0x7820_0000, 8, &[(1, offsets[0]), (7, offsets[1]), (4, 3)]),
    }
}

fn jump(platform: Platform, target: u64, flags: u32) -> Vec<u32> {
    let dwords = if is_wide(platform) { 3 } else { 2 };
    packet(0x1880_0000 | flags, dwords, &[(1, target as u32)])
}

fn walker(platform: Platform, index: u32) -> Vec<u32> {
    packet(0x7105_0000, if is_wide(platform) { 15 } else { 11 }, &[(1, index)])
}

fn primitive() -> Vec<u32> {
    packet(0x7b00_0000, 7, &[(1, 4), (2, 3), (4, 1)])
}

const END: u32 = 0x0500_0000;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Instructions that do nothing, then the end of the thread.
fn kernel(platform: Platform, nops: usize) -> Vec<u8> {
    let generation = platform.generation();
    let mut code = Vec::new();
    for _ in 0..nops {
        encode_into(&Inst::new(Opcode::Nop), generation, &mut code).expect("it encodes");
    }
    let send = Send { eot: true, ..Send::imm(Sfid::ThreadSpawner, 0x0200_0010, 0) };
    let payload = Src::grf(112, 0, Type::Ud, Region::packed(8));
    // From gen12 on each message has two payloads.
    let payloads = [payload, Src::null(Type::Ud)];
    let count = if Device::new(platform).has_software_scoreboard() { 2 } else { 1 };
    let inst = Inst::new(Opcode::Send)
        .with_exec_size(8)
        .with_dst(Dst::null(Type::Ud))
        .with_srcs(&payloads[..count])
        .with_extra(Extra::Send(send));
    encode_into(&inst, generation, &mut code).expect("it encodes");
    code
}

fn write(text: &mut String, form: Form, heading: &str, address: u64, data: &[u8]) {
    text.push_str(&format!("{heading} = 0x{:08x} {:08x}\n", address >> 32, address as u32));
    if form == Form::Words {
        for (n, word) in data.as_chunks::<4>().0.iter().enumerate() {
            text.push_str(&format!("{:08x} :  {:08x}\n", 4 * n, u32::from_le_bytes(*word)));
        }
        return;
    }
    let mut data = data.to_vec();
    if form == Form::Zlib {
        data = miniz_oxide::deflate::compress_to_vec_zlib(&data, 6);
    }
    text.push(if form == Form::Zlib { ':' } else { '~' });
    data.resize(data.len().next_multiple_of(4), 0);
    for word in data.as_chunks::<4>().0 {
        match u32::from_le_bytes(*word) {
            0 => text.push('z'),
            word => text
                .extend((0..5).rev().map(|n| char::from(b'!' + (word / 85_u32.pow(n) % 85) as u8))),
        }
    }
    text.push('\n');
}

/// An error state with a batch and other buffers of user space.
fn error_state(form: Form, acthd: u64, batch: &[u32], buffers: &[(u64, Vec<u8>)]) -> String {
    let mut text =
        "GPU HANG: ecode 0xe757feff\nKernel: 5.4.0\nPCI ID: 0x1912\nEIR: 0x00000001\n".to_owned();
    text.push_str("rcs0 command stream:\n  IDLE?: no\n  HEAD:  0x00000010 [0x00000020]\n");
    text.push_str(&format!("  ACTHD: 0x{:08x} {:08x}\n", acthd >> 32, acthd as u32));
    text.push_str("  IPEHR: 0x7b000005\n  INSTDONE: 0xfffffffb\n  SC_INSTDONE: 0xffffffff\n");
    text.push_str("  SAMPLER_INSTDONE[0][0]: 0xffffffff\n  ROW_INSTDONE[0][1]: 0xfffeffff\n");
    write(&mut text, form, "rcs0 (submitted by test [1]) --- gtt_offset", BATCH, &bytes(batch));
    text.push_str("rcs0 --- 1 requests\n");
    for (address, data) in buffers {
        write(&mut text, form, "rcs0 --- user", *address, data);
    }
    // A buffer of the driver at the address of the code must not hide it.
    write(&mut text, form, "rcs0 --- ringbuffer", CODE, &[0xff; 64]);
    text
}

/// Kernels at their offsets, in a page.
fn code_page(platform: Platform, kernels: &[(usize, usize)]) -> Vec<u8> {
    let mut page = vec![0; 4096];
    for &(offset, nops) in kernels {
        let code = kernel(platform, nops);
        page[offset..offset + code.len()].copy_from_slice(&code);
    }
    page
}

fn stages<'r>(report: &'r Report<'_>) -> Vec<(&'r str, u64, bool, usize)> {
    let kernels = report.kernels.iter();
    let size = |code: Option<&[u8]>| code.map_or(0, <[u8]>::len);
    kernels.map(|k| (k.stage, k.address, k.marked, size(k.code))).collect()
}

#[test]
fn draws_show_the_kernels_of_the_packet_that_hung() {
    for platform in PLATFORMS {
        for form in [Form::Zlib, Form::Plain, Form::Words] {
            let mut batch = state_base_address(platform);
            batch.extend(vertex_state(platform, 0));
            batch.extend(fragment_state(platform, [0x100, 0x200]));
            batch.extend(primitive());
            batch.extend([0, 0]);
            batch.extend(jump(platform, SECOND, 0));
            let mut second = vertex_state(platform, 0x300);
            let place = SECOND + 4 * second.len() as u64;
            second.extend(primitive());
            second.extend(vertex_state(platform, 0x400));
            second.extend(primitive());
            second.push(END);
            let page =
                code_page(platform, &[(0, 1), (0x100, 2), (0x200, 3), (0x300, 4), (0x400, 5)]);
            let buffers = [(SECOND, bytes(&second)), (CODE, page)];
            // The command streamer is inside the packet.
            let text = error_state(form, place + 8, &batch, &buffers);
            let dump = Dump::read(text.as_bytes()).expect("an error state");
            let report = Report::new(&dump, platform).expect("a report");
            let expected = [
                ("fragment SIMD16", CODE + 0x200, true, 64),
                ("fragment SIMD8", CODE + 0x100, true, 48),
                ("vertex", CODE, false, 32),
                ("vertex", CODE + 0x300, true, 80),
                ("vertex", CODE + 0x400, false, 96),
            ];
            assert_eq!(stages(&report), expected, "{platform} {form:?}\n{report}");
            let ring = &report.rings[0];
            assert_eq!(ring.stopped, None);
            assert_eq!(ring.ipehr_packet, Some("3DPRIMITIVE"));
            let here: Vec<_> = ring.packets.iter().filter(|packet| packet.here).collect();
            assert_eq!(here.len(), 1);
            assert_eq!((here[0].address, here[0].name), (place, Some("3DPRIMITIVE")));
            let busy: Vec<_> = ring.units.iter().map(|unit| unit.not_done.join(" ")).collect();
            assert_eq!(busy, ["VS", "", "", "EU00 SS0"], "{platform}");
        }
    }
}

#[test]
fn dispatches_show_the_kernel_of_their_descriptor() {
    for platform in PLATFORMS {
        let mut batch = state_base_address(platform);
        batch.extend(packet(0x7002_0000, 4, &[(2, 64), (3, 0x40)]));
        let place = BATCH + 4 * batch.len() as u64;
        batch.extend(walker(platform, 1));
        batch.push(END);
        let mut dynamic = vec![0; 4096];
        dynamic[0x60..0x64].copy_from_slice(&0x80_u32.to_le_bytes());
        let page = code_page(platform, &[(0x80, 7)]);
        let buffers = [(DYNAMIC, dynamic), (CODE, page)];
        let text = error_state(Form::Zlib, place, &batch, &buffers);
        let dump = Dump::read(text.as_bytes()).expect("an error state");
        let report = Report::new(&dump, platform).expect("a report");
        assert_eq!(stages(&report), [("compute", CODE + 0x80, true, 128)], "{platform}\n{report}");
    }
}

#[test]
fn an_absent_buffer_is_named() {
    let mut batch = vertex_state(Platform::Skl, 0x40);
    batch.extend(primitive());
    batch.extend(jump(Platform::Skl, 0x5_0000, 0));
    let text = error_state(Form::Plain, BATCH, &batch, &[]);
    let dump = Dump::read(text.as_bytes()).expect("an error state");
    let report = Report::new(&dump, Platform::Skl).expect("a report");
    let stopped = report.rings[0].stopped.as_deref();
    assert_eq!(stopped, Some("the error state has no buffer at 0x50000"));
    let kernel = &report.kernels[0];
    assert_eq!((kernel.has_base, kernel.address, kernel.code), (false, 0x40, None));
}

#[test]
fn loops_end() {
    for (flags, reason) in [(0, "is a loop"), (1 << 22, "nested batches")] {
        let batch = jump(Platform::Skl, BATCH, flags);
        let text = error_state(Form::Plain, BATCH, &batch, &[]);
        let dump = Dump::read(text.as_bytes()).expect("an error state");
        let report = Report::new(&dump, Platform::Skl).expect("a report");
        let stopped = report.rings[0].stopped.as_deref().expect("it stopped");
        assert!(stopped.contains(reason), "{stopped}");
    }
}

#[test]
fn second_level_batches_return() {
    let mut batch = jump(Platform::Skl, SECOND, 1 << 22);
    batch.push(END);
    let text = error_state(Form::Zlib, BATCH, &batch, &[(SECOND, bytes(&[0, 0, END]))]);
    let dump = Dump::read(text.as_bytes()).expect("an error state");
    let report = Report::new(&dump, Platform::Skl).expect("a report");
    let packets: Vec<_> = report.rings[0].packets.iter().map(|p| (p.address, p.dwords)).collect();
    assert_eq!(packets, [(BATCH, 3), (SECOND, 2), (SECOND + 8, 1), (BATCH + 12, 1)]);
    assert_eq!(report.rings[0].stopped, None);
}

#[test]
fn errors_have_their_line() {
    let text = error_state(Form::Words, BATCH, &[0, END], &[]);
    let read = |text: &str| Dump::read(text.as_bytes()).map(|_| ());
    assert_eq!(read(&text), Ok(()));
    let line =
        |part: &str| text.lines().position(|l| l.starts_with(part)).expect("it is there") + 1;
    let gap = text.replace("00000004 :", "00000008 :");
    assert_eq!(read(&gap), Err(DumpError::Offset { line: line("00000004 :"), expected: 4 }));
    let number = text.replace("IPEHR: 0x7b000005", "IPEHR: 0xg");
    let after = "IPEHR".to_owned();
    assert_eq!(read(&number), Err(DumpError::Number { line: line("  IPEHR"), after }));
    let text = error_state(Form::Zlib, BATCH, &[0, END], &[]);
    let line = text.lines().position(|l| l.starts_with(':')).expect("a buffer") + 1;
    let damaged = text.replacen("\n:", "\n:!!!!!", 1);
    assert_eq!(read(&damaged), Err(DumpError::Inflate { line }));
    let character = text.replacen("\n:", "\n:!!~!!", 1);
    assert!(
        matches!(read(&character), Err(DumpError::Ascii85 { line: l, column: 4, .. }) if l == line)
    );
}

#[test]
fn another_generation_is_refused() {
    let text = format!("Platform: HASWELL\n{}", error_state(Form::Plain, BATCH, &[END], &[]));
    let dump = Dump::read(text.as_bytes()).expect("an error state");
    assert!(Report::new(&dump, Platform::Hsw).is_ok());
    let wanted = Platform::Skl;
    let error = Report::new(&dump, wanted).map(|_| ()).expect_err("another generation");
    assert_eq!(error, DumpError::OtherPlatform { line: 1, found: Platform::Hsw, wanted });
    let error = Report::new(&dump, Platform::Snb).map(|_| ()).expect_err("no tables");
    assert_eq!(error, DumpError::Unsupported(Platform::Snb.generation()));
}

#[test]
fn shortened_and_changed_text_is_read_or_refused() {
    let mut batch = state_base_address(Platform::Skl);
    batch.extend(fragment_state(Platform::Skl, [0x100, 0x200]));
    batch.extend(primitive());
    let page = code_page(Platform::Skl, &[(0x100, 2), (0x200, 3)]);
    for form in [Form::Plain, Form::Zlib] {
        let text = error_state(form, BATCH, &batch, &[(CODE, page[..1024].to_vec())]).into_bytes();
        for at in 0..text.len() {
            let mut changed = text.clone();
            changed[at] = changed[at].wrapping_add(13);
            for text in [&text[..at], &changed] {
                if let Ok(dump) = Dump::read_with_limit(text, 1 << 20) {
                    let report = Report::new(&dump, Platform::Skl).expect("gen9 is supported");
                    assert!(!report.to_string().is_empty());
                }
            }
        }
    }
}
