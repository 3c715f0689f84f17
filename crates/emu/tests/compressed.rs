//! Tests gen7 instructions that write two registers, which execute as two halves, and gen7 doubles, which are pairs of
//! dwords.

mod common;

use common::*;
use crestline_device::{Device, Platform};
use crestline_emu::{Kernel, Options, Resources, Step};
use crestline_isa::{AccessMode, Dst, Inst, Opcode, Region, Src, SrcReg, Swizzle, Type, WriteMask};
use crestline_program::GrfRange;
use std::collections::BTreeMap;

const ALL: [Platform; 3] = [Platform::Ivb, Platform::Hsw, Platform::Skl];

/// The dwords of general registers that an instruction changes, by number: r60.0 is 480. Before the instruction, r10 to
/// r13 contain 100, 101, ..., and the first `channels` channels of a SIMD16 thread are active.
fn changes(platform: Platform, channels: u32, instruction: Inst) -> BTreeMap<usize, u32> {
    let mut program = Vec::new();
    for dword in 0..32 {
        let dst = Dst::grf(10 + dword / 8, dword % 8 * 4, Type::Ud, 1);
        let value = Src::imm_ud(100 + u32::from(dword));
        program.push(alu(Opcode::Mov, dst, &[value]).with_exec_size(1).with_no_mask());
    }
    let probe = program.len();
    program.push(instruction);
    program.extend(end());
    let mut metadata = with_local_size(metadata(), channels);
    metadata.platform = platform;
    let dispatch = metadata.dispatches.first_mut();
    dispatch.simd_width = 16;
    dispatch.payload.cross_thread = None;
    dispatch.payload.per_thread = Some(GrfRange { first: 1, count: 1 });
    let device = Device::new(platform);
    let kernel = Kernel::from_instructions(program, metadata, &device).expect("the program loads");
    let mut resources = Resources::new();
    resources.set_buffer(BUFFER, &[0; 64]);
    let mut changed = BTreeMap::new();
    let mut trace = |step: &Step<'_>| {
        for change in step.changes.iter().filter(|_| step.location.instruction == probe) {
            let (register, byte) = change.register.split_once('.').expect("a register and a byte");
            let register: usize = register.trim_start_matches('r').parse().expect("a number");
            let byte: usize = byte.parse().expect("a number");
            changed.insert(register * 8 + byte / 4, change.after);
        }
    };
    let options = Options::default();
    kernel.trace([1, 1, 1], &mut resources, &options, &mut trace).expect("the program runs");
    changed
}

fn mov(exec_size: u8, dst: Dst, src: Src) -> Inst {
    Inst::new(Opcode::Mov).with_exec_size(exec_size).with_dst(dst).with_srcs(&[src])
}

/// A source at r10 with a region.
fn r10(ty: Type, region: (u8, u8, u8)) -> Src {
    Src::grf(10, 0, ty, Region::align1(region.0, region.1, region.2))
}

/// A source at r10 with doubles in an Align16 region; the swizzle selects dwords.
fn doubles(vstride: u8, swizzle: [u8; 4]) -> Src {
    let Src::Reg(SrcReg { place, .. }) = r10(Type::Df, (0, 1, 0)) else { unreachable!() };
    let region = Region::Align16 { vstride, swizzle: Swizzle(swizzle) };
    Src::Reg(SrcReg::new(place, Type::Df, region))
}

fn align16(exec_size: u8, mask: u8, src: Src) -> Inst {
    let dst = dst(60, Type::Df).with_writemask(WriteMask(mask));
    let mut mov = mov(exec_size, dst, src);
    mov.access_mode = AccessMode::Align16;
    mov
}

/// Values by dword, counted from r60.0, as [`changes`] returns them.
fn at(values: &[(usize, u32)]) -> BTreeMap<usize, u32> {
    values.iter().map(|(dword, value)| (480 + dword, *value)).collect()
}

#[test]
fn whole_registers_show_nothing() {
    let expected: Vec<_> = (0..16).map(|i| (i, 100 + i as u32)).collect();
    for platform in ALL {
        let whole = mov(16, dst(60, Type::Ud), r10(Type::Ud, (8, 8, 1)));
        assert_eq!(changes(platform, 16, whole), at(&expected), "{platform}");
    }
}

#[test]
fn the_second_half_reads_after_the_first_has_written() {
    for platform in ALL {
        let shift = mov(16, dst(11, Type::Ud), r10(Type::Ud, (8, 8, 1)));
        let changed = changes(platform, 16, shift);
        assert_eq!(changed[&(11 * 8)], 100, "{platform}");
        let second = if platform == Platform::Skl { 108 } else { 100 };
        assert_eq!(changed[&(12 * 8)], second, "{platform}");
    }
}

#[test]
fn the_second_half_has_the_next_eight_channels_and_the_next_source_register() {
    // Each half writes four dwords. Channels 4 and 5 are active, but gen7 uses channels 8 to 11 for the second half.
    let spread = mov(8, Dst::grf(60, 0, Type::Ud, 2), r10(Type::Ud, (8, 8, 1)));
    let first = [(0, 100), (2, 101), (4, 102), (6, 103)];
    let with = |rest: &[(usize, u32)]| at(&[&first[..], rest].concat());
    for platform in [Platform::Ivb, Platform::Hsw] {
        assert_eq!(changes(platform, 6, spread.clone()), with(&[]), "{platform}");
        let unmasked = changes(platform, 6, spread.clone().with_no_mask());
        assert_eq!(unmasked, with(&[(8, 108), (10, 109), (12, 110), (14, 111)]), "{platform}");
    }
    assert_eq!(changes(Platform::Skl, 6, spread), with(&[(8, 104), (10, 105)]));
}

#[test]
fn a_vertical_stride_of_zero_still_reaches_the_next_register_in_the_second_half() {
    // x of each row of two doubles, twice per row. Each half has two rows.
    let broadcast = align16(8, 15, doubles(0, [0, 1, 0, 1]));
    let pairs = |first: usize, value: u32| {
        (0..4).flat_map(move |i| [(first + 2 * i, value), (first + 2 * i + 1, value + 1)])
    };
    let expected: Vec<_> = pairs(0, 100).chain(pairs(8, 108)).collect();
    assert_eq!(changes(Platform::Hsw, 16, broadcast.clone()), at(&expected));
    let expected: Vec<_> = pairs(0, 100).chain(pairs(8, 100)).collect();
    assert_eq!(changes(Platform::Skl, 16, broadcast.clone()), at(&expected));
    // On Ivy Bridge, eight dwords are four doubles, so there is no second half.
    let expected: Vec<_> = pairs(0, 100).collect();
    assert_eq!(changes(Platform::Ivb, 16, broadcast), at(&expected));
}

#[test]
fn swizzles_and_write_masks_of_doubles() {
    // The swizzle exchanges the two doubles of each row.
    let swapped = align16(4, 15, doubles(2, [2, 3, 0, 1]));
    let expected: Vec<_> = (0..8).zip([102, 103, 100, 101, 106, 107, 104, 105]).collect();
    assert_eq!(changes(Platform::Hsw, 16, swapped), at(&expected));
    let masked = |mask| align16(4, mask, doubles(2, [0, 1, 2, 3]));
    let lanes = |lanes: &[usize]| {
        let dwords = lanes.iter().flat_map(|lane| [2 * lane, 2 * lane + 1]);
        at(&dwords.map(|dword| (dword, 100 + dword as u32)).collect::<Vec<_>>())
    };
    assert_eq!(changes(Platform::Hsw, 16, masked(0b0111)), lanes(&[0, 1, 2]));
    assert_eq!(changes(Platform::Hsw, 16, masked(0b1001)), lanes(&[0, 3]));
    // The hardware takes these two masks as masks of dwords.
    assert_eq!(changes(Platform::Hsw, 16, masked(0b0011)), lanes(&[0, 2]));
    assert_eq!(changes(Platform::Hsw, 16, masked(0b1100)), lanes(&[1, 3]));
}

#[test]
fn doubles_of_ivy_bridge_are_pairs_of_dwords() {
    let whole = mov(8, dst(60, Type::Df), r10(Type::Df, (8, 8, 1)));
    let expected: Vec<_> = (0..8).map(|i| (i, 100 + i as u32)).collect();
    assert_eq!(changes(Platform::Ivb, 16, whole), at(&expected));
    let scalar = mov(8, dst(60, Type::Df), r10(Type::Df, (0, 2, 1)));
    let expected: Vec<_> = (0..8).map(|i| (i, 100 + i as u32 % 2)).collect();
    assert_eq!(changes(Platform::Ivb, 16, scalar), at(&expected));
    // The region reads each integer twice. The result is in the first dword of each pair.
    let widened = mov(8, dst(60, Type::Df), r10(Type::Ud, (1, 2, 0)));
    let expected: Vec<_> = (0..4)
        .flat_map(|i| {
            let bits = (100.0 + i as f64).to_bits();
            [(2 * i, bits as u32), (2 * i + 1, (bits >> 32) as u32)]
        })
        .filter(|(_, value)| *value != 0xcdcd_cdcd)
        .collect();
    assert_eq!(changes(Platform::Ivb, 16, widened), at(&expected));
    let narrowed = mov(8, dst(60, Type::Ud), r10(Type::Df, (8, 8, 1)));
    let written: Vec<usize> = changes(Platform::Ivb, 16, narrowed).into_keys().collect();
    // The second dword of each channel is written too, with an undefined value.
    assert_eq!(written, (480..488).collect::<Vec<usize>>());
}
