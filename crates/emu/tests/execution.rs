//! Tests the effects of instructions that foreign code does not cover, and the guarantees of a dispatch.

mod common;

use common::*;
use crestline_emu::{EmuError, Kernel, Options, Report, Resources, Step};
use crestline_isa::message::{AtomicOp, Bti, Message, SimdMode};
use crestline_isa::validate::Validator;
use crestline_isa::{
    AccessMode, Branch, CondMod, Dst, Extra, Flag, Inst, Opcode, PredCtrl, Region, Src, Swizzle,
    Type, WriteMask, decode_program, encode_program,
};
use crestline_program::{Dispatch, ENTRY_ALIGNMENT};

/// Runs a program and returns what it leaves in r20.
fn result(mut program: Vec<Inst>) -> [u32; 8] {
    let mut all = addresses(30);
    all.append(&mut program);
    all.push(alu(Opcode::Mov, dst(31, Type::Ud), &[packed(20, Type::Ud)]).with_no_mask());
    all.push(write(Bti(0), 30).with_no_mask());
    all.extend(end());
    let (report, buffer) = run(all).expect("the program runs");
    assert_eq!(report.diagnostics, []);
    dwords(&buffer)[..8].try_into().unwrap()
}

/// Instructions that write the channel number to register `nr`.
fn channels(nr: u8) -> Vec<Inst> {
    vec![
        alu(Opcode::Mov, dst(nr + 1, Type::W), &[Src::imm(Type::V, 0x7654_3210)]),
        alu(Opcode::Mov, dst(nr, Type::D), &[packed(nr + 1, Type::W)]),
    ]
}

const F0: Flag = Flag { nr: 0, subnr: 0 };

/// Instructions that set f0.0 for the channels whose number is below `limit`.
fn flag_below(limit: i32) -> Vec<Inst> {
    let mut program = channels(10);
    program.push(
        alu(Opcode::Cmp, Dst::null(Type::D), &[packed(10, Type::D), Src::imm_d(limit)])
            .with_cond_mod(CondMod::L, F0),
    );
    program
}

#[test]
fn integer_sums_saturate_and_compare_with_all_their_bits() {
    let mut program = vec![
        mov_ud(20, 0),
        alu(Opcode::Mov, dst(10, Type::D), &[Src::imm_d(i32::MAX)]),
        // 2 * (2^31 - 1) is positive, though its low 32 bits are not.
        alu(Opcode::Add, dst(11, Type::D), &[packed(10, Type::D), packed(10, Type::D)])
            .with_cond_mod(CondMod::G, F0),
    ];
    let mut add = alu(Opcode::Add, dst(20, Type::D), &[packed(10, Type::D), packed(10, Type::D)])
        .with_predicate(PredCtrl::Normal, false, F0);
    add.saturate = true;
    program.push(add);
    assert_eq!(result(program), [i32::MAX as u32; 8]);
}

#[test]
fn a_negated_unsigned_source_is_negative() {
    let negated = packed(10, Type::Ud).negated();
    let program = vec![
        mov_ud(20, 0),
        mov_ud(10, 5),
        alu(Opcode::Cmp, Dst::null(Type::Ud), &[negated, Src::imm_ud(3)])
            .with_cond_mod(CondMod::L, F0),
        mov_ud(20, 1).with_predicate(PredCtrl::Normal, false, F0),
    ];
    assert_eq!(result(program), [1; 8]);
}

#[test]
fn horizontal_predicates_combine_aligned_groups() {
    let with = |ctrl, inverse| {
        let mut program = flag_below(3);
        program.push(mov_ud(20, 0));
        program.push(mov_ud(20, 1).with_predicate(ctrl, inverse, F0));
        result(program)
    };
    assert_eq!(with(PredCtrl::Any2H, false), [1, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(with(PredCtrl::All2H, false), [1, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(with(PredCtrl::Any4H, false), [1, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(with(PredCtrl::All4H, true), [1; 8]);
    assert_eq!(with(PredCtrl::Any8H, false), [1; 8]);
}

#[test]
fn align16_predicates_repeat_a_component_of_each_vector() {
    let with = |ctrl, inverse| {
        // x, y, z and w of the first vector are below 6, x and y of the second.
        let mut program = flag_below(6);
        program.push(mov_ud(20, 0));
        let mut mov = mov_ud(20, 1).with_predicate(ctrl, inverse, F0);
        mov.access_mode = AccessMode::Align16;
        mov.dst.writemask = WriteMask(0b0111);
        program.push(mov);
        result(program)
    };
    assert_eq!(with(PredCtrl::X, false), [1, 1, 1, 0, 1, 1, 1, 0]);
    assert_eq!(with(PredCtrl::Y, true), [0; 8]);
    assert_eq!(with(PredCtrl::Z, false), [1, 1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(with(PredCtrl::W, true), [0, 0, 0, 0, 1, 1, 1, 0]);
    assert_eq!(with(PredCtrl::Any4H, false), [1, 1, 1, 0, 1, 1, 1, 0]);
    assert_eq!(with(PredCtrl::All4H, false), [1, 1, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_group_of_channels_uses_its_own_masks() {
    let mut program = flag_below(6);
    program.push(mov_ud(20, 0));
    // Uses channels 4 to 7 of the masks, but writes the first four dwords of the register.
    program.push(mov_ud(20, 1).with_exec_size(4).with_group(4).with_predicate(
        PredCtrl::Normal,
        false,
        F0,
    ));
    assert_eq!(result(program), [1, 1, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn align16_swizzles_and_write_masks() {
    let mut program = channels(10);
    program.push(mov_ud(20, 9));
    let swizzled = Src::grf_align16(10, 0, Type::D, Swizzle([3, 2, 1, 0]));
    let mut mov = alu(Opcode::Mov, dst(20, Type::D).with_writemask(WriteMask(0b0101)), &[swizzled]);
    mov.access_mode = AccessMode::Align16;
    program.push(mov);
    assert_eq!(result(program), [3, 9, 1, 9, 7, 9, 5, 9]);
}

#[test]
fn regions_walk_rows_and_columns() {
    let mut program = channels(10);
    let transposed = Src::grf(10, 0, Type::D, Region::align1(1, 2, 4));
    program.push(alu(Opcode::Mov, dst(20, Type::D), &[transposed]).with_exec_size(8));
    assert_eq!(result(program), [0, 4, 1, 5, 2, 6, 3, 7]);
}

#[test]
fn channels_leave_a_loop_one_by_one_and_meet_behind_it() {
    // r20 counts rounds; channel c leaves before round c + 1.
    let flow =
        |opcode, branch| Inst::new(opcode).with_exec_size(8).with_extra(Extra::Branch(branch));
    let mut program = channels(10);
    program.push(mov_ud(20, 0));
    program.extend([
        alu(Opcode::Cmp, Dst::null(Type::D), &[packed(20, Type::D), packed(10, Type::D)])
            .with_cond_mod(CondMod::Ge, F0),
        flow(Opcode::Break, Branch::jip_uip(32, 32)).with_predicate(PredCtrl::Normal, false, F0),
        alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(1)]),
        flow(Opcode::While, Branch::jip(-48)),
        alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(100)]),
    ]);
    assert_eq!(result(program), [100, 101, 102, 103, 104, 105, 106, 107]);
}

/// Runs threads that each increment the buffer's first dword by an atomic and store its old value in their own dword.
fn tickets(host_threads: usize) -> (Report, Vec<u8>) {
    let atomic = Message::UntypedAtomic {
        bti: Bti(0),
        op: AtomicOp::Inc,
        simd: SimdMode::Simd8,
        return_data: true,
        word: false,
    };
    let group = Src::grf(0, 4, Type::Ud, Region::SCALAR);
    let mut program = vec![
        mov_ud(10, 0).with_exec_size(1),
        send(atomic, 10, (1, 1), Some(21), false).with_exec_size(1),
        alu(Opcode::Add, dst(20, Type::Ud), &[group, Src::imm_ud(1)]).with_exec_size(1),
        alu(Opcode::Shl, dst(20, Type::Ud), &[packed(20, Type::Ud), Src::imm_uw(2)])
            .with_exec_size(1),
        write(Bti(0), 20).with_exec_size(1),
    ];
    for inst in &mut program {
        inst.srcs = inst.srcs.map(|src| match src {
            Src::Reg(mut reg) => {
                reg.region = Region::SCALAR;
                Src::Reg(reg)
            }
            other => other,
        });
    }
    program.extend(end());
    let kernel = Kernel::from_instructions(program, metadata(), &device()).unwrap();
    let mut resources = Resources::new();
    resources.set_buffer(BUFFER, &[0; 4 * 65]);
    let options = Options { host_threads, ..Options::default() };
    let report = kernel.dispatch([64, 1, 1], &mut resources, &options).unwrap();
    (report, resources.buffer(BUFFER).unwrap())
}

#[test]
fn workgroups_take_tickets_in_order_whatever_the_host_does() {
    let expected: Vec<u32> = [64].into_iter().chain(0..64).collect();
    for host_threads in [0, 1, 7] {
        let (report, buffer) = tickets(host_threads);
        assert_eq!(dwords(&buffer), expected);
        assert_eq!(report.threads, 64);
    }
}

#[test]
fn reports_do_not_depend_on_the_number_of_host_threads() {
    // Group g writes dword g of a buffer that is too short for all groups.
    let group = Src::grf(0, 4, Type::Ud, Region::SCALAR);
    let mut program = vec![
        alu(Opcode::Shl, dst(20, Type::Ud), &[group, Src::imm_uw(2)]),
        alu(Opcode::Mov, dst(21, Type::Ud), &[group]),
        write(Bti(0), 20),
    ];
    program.extend(end());
    let kernel = Kernel::from_instructions(program, metadata(), &device()).unwrap();
    let run = |host_threads| {
        let mut resources = Resources::new();
        resources.set_buffer(BUFFER, &[0; 16]);
        let options = Options { host_threads, ..Options::default() };
        // Enough groups for several host threads.
        let report = kernel.dispatch([250, 200, 1], &mut resources, &options).unwrap();
        assert_eq!(report.threads, 50_000);
        (report, resources.buffer(BUFFER).unwrap())
    };
    let one = run(1);
    assert_eq!(one.0.diagnostics.len(), 1);
    assert_eq!(one.0.diagnostics[0].location.group, [4, 0, 0]);
    let strip = |report: Report| (report.instructions, report.sends, report.threads);
    for host_threads in [0, 3, 16] {
        let many = run(host_threads);
        assert_eq!(many.1, one.1);
        assert_eq!(many.0.diagnostics, one.0.diagnostics);
        assert_eq!(strip(many.0), strip(one.0.clone()));
    }
}

#[test]
fn a_trace_shows_each_instruction_with_what_it_changed() {
    let mut program = flag_below(2);
    program.push(mov_ud(20, 7).with_predicate(PredCtrl::Normal, false, F0));
    program.extend(end());
    let kernel = Kernel::from_instructions(program, metadata(), &device()).unwrap();
    let mut resources = Resources::new();
    resources.set_buffer(BUFFER, &[]);
    let mut steps = Vec::new();
    let mut trace = |step: &Step<'_>| {
        let changes: Vec<String> =
            step.changes.iter().map(|c| format!("{}={:x}", c.register, c.after)).collect();
        steps.push((step.instruction.opcode, step.channels, changes));
    };
    let options = Options::default();
    kernel.trace([1, 1, 1], &mut resources, &options, &mut trace).unwrap();
    let opcodes: Vec<&str> = steps.iter().map(|(opcode, ..)| opcode.name()).collect();
    assert_eq!(opcodes, ["mov", "mov", "cmp", "mov", "mov", "send"]);
    assert_eq!(steps[2].2, ["f0.0=cdcdcd03"]);
    assert_eq!(steps[3].1, 0b11);
    assert_eq!(steps[3].2, ["r20.0=7", "r20.4=7"]);
}

/// A flow control instruction of eight channels.
fn flow(opcode: Opcode, branch: Branch) -> Inst {
    Inst::new(opcode).with_exec_size(8).with_extra(Extra::Branch(branch))
}

#[test]
fn halted_channels_wait_for_the_final_halt() {
    let mut program = flag_below(3);
    program.push(mov_ud(20, 0));
    program.extend([
        flow(Opcode::Halt, Branch::jip_uip(32, 32)).with_predicate(PredCtrl::Normal, false, F0),
        alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(1)]),
        flow(Opcode::Halt, Branch::jip_uip(16, 16)),
        alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(10)]),
    ]);
    assert_eq!(result(program), [10, 10, 10, 11, 11, 11, 11, 11]);
}

#[test]
fn a_call_comes_back_with_the_channels_it_took() {
    // The hardware reads two dwords whatever the region is, even if the region leads beyond the register file.
    let regions = [Region::align1(2, 2, 1), Region::align1(4, 2, 2), Region::align1(32, 1, 0)];
    for (register, region) in regions.into_iter().flat_map(|region| [(25, region), (127, region)]) {
        let mut program = flag_below(5);
        program.push(mov_ud(20, 0));
        let mut call =
            flow(Opcode::Call, Branch::jip(48)).with_predicate(PredCtrl::Normal, false, F0);
        call.dst = Dst::grf(register, 0, Type::Ud, 1);
        let mut back = flow(Opcode::Ret, Branch::default());
        back.srcs[0] = Src::grf(register, 0, Type::Ud, region);
        program.extend([
            call,
            alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(100)]),
            Inst::new(Opcode::Jmpi).with_no_mask().with_extra(Extra::Branch(Branch::jip(48))),
            // The function.
            alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(1)]),
            back,
        ]);
        assert_eq!(result(program), [101, 101, 101, 101, 101, 100, 100, 100], "{region:?}");
    }
}

#[test]
fn gotos_send_channels_where_the_branch_control_says() {
    // On gen9, without branch control, the channels whose predicate is false jump.
    let mut program = flag_below(3);
    program.push(mov_ud(20, 0));
    program.extend([
        flow(Opcode::Goto, Branch::jip_uip(32, 32)).with_predicate(PredCtrl::Normal, false, F0),
        alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(1)]),
        flow(Opcode::Join, Branch::jip(16)),
        alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(10)]),
    ]);
    assert_eq!(result(program), [11, 11, 11, 10, 10, 10, 10, 10]);
    // With branch control, the channels whose predicate is true jump back.
    let mut program = channels(10);
    program.push(mov_ud(20, 0));
    let mut back = Branch::jip_uip(16, -32);
    back.branch_ctrl = true;
    program.extend([
        alu(Opcode::Add, dst(20, Type::D), &[packed(20, Type::D), Src::imm_d(1)]),
        alu(Opcode::Cmp, Dst::null(Type::D), &[packed(20, Type::D), packed(10, Type::D)])
            .with_cond_mod(CondMod::L, F0),
        flow(Opcode::Goto, back).with_predicate(PredCtrl::Normal, false, F0),
        flow(Opcode::Join, Branch::jip(16)),
    ]);
    assert_eq!(result(program), [1, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn the_accumulator_is_wider_than_its_register() {
    let accumulator = |ty| Dst::arf(crestline_isa::ArfKind::Accumulator, 0, 0, ty);
    let factor = |value| alu(Opcode::Mov, dst(10, Type::D), &[Src::imm_d(value)]);
    let mut mach =
        alu(Opcode::Mach, dst(20, Type::D), &[packed(10, Type::D), Src::imm_d(0x1234_5678)]);
    mach.acc_wr_en = true;
    let program = vec![
        factor(-3),
        alu(Opcode::Mul, accumulator(Type::D), &[packed(10, Type::D), Src::imm_uw(0x5678)]),
        mach,
    ];
    let high = (-3i64 * 0x1234_5678) >> 32;
    assert_eq!(result(program), [high as u32; 8]);
}

/// A program that stores a value and ends.
fn store(value: u32) -> Vec<Inst> {
    let mut program = addresses(2);
    program.extend([mov_ud(3, value), write(Bti(0), 2)]);
    program.extend(end());
    program
}

/// A program with two entry points, and the offset of the second. Threads that start at 0 store 1, those that start at
/// the second store 2.
fn two_entries() -> (Vec<Inst>, u32) {
    let mut program = store(1);
    while !bytes(&program).is_multiple_of(ENTRY_ALIGNMENT) {
        program.push(Inst::new(Opcode::Nop));
    }
    let second = bytes(&program);
    program.extend(store(2));
    (program, second)
}

fn bytes(program: &[Inst]) -> u32 {
    program.iter().map(Inst::size).sum()
}

#[test]
fn threads_start_at_the_entry_point() {
    let (program, second) = two_entries();
    for (offset, stored) in [(0, 1), (second, 2)] {
        let mut metadata = with_local_size(metadata(), 16);
        metadata.dispatches.first_mut().offset = offset;
        // Two threads and two groups: the emulator uses a thread for the second group again, from the entry point on.
        let kernel = Kernel::from_instructions(program.clone(), metadata, &device()).unwrap();
        let mut resources = Resources::new();
        resources.set_buffer(BUFFER, &[0; 32]);
        kernel.dispatch([2, 1, 1], &mut resources, &Options::strict()).unwrap();
        assert_eq!(dwords(&resources.buffer(BUFFER).unwrap()), [stored; 8]);
    }
}

#[test]
fn an_entry_point_is_an_instruction() {
    let (program, _) = two_entries();
    for offset in [8, bytes(&program), 1 << 20] {
        for second in [false, true] {
            let mut metadata = metadata();
            if second {
                let dispatch = metadata.dispatches.first().clone();
                metadata.dispatches.push(Dispatch { offset, ..dispatch });
            } else {
                metadata.dispatches.first_mut().offset = offset;
            }
            let error = Kernel::from_instructions(program.clone(), metadata, &device());
            assert_eq!(error.unwrap_err(), EmuError::EntryPoint { offset });
        }
    }
}

#[test]
fn what_fills_the_last_cache_line_is_not_loaded() {
    let mut program = addresses(2);
    program.extend([mov_ud(3, 5), write(Bti(0), 2)]);
    program.extend(end());
    let count = program.len();
    program.extend([Inst::new(Opcode::Illegal), Inst::new(Opcode::Illegal)]);
    let kernel = Kernel::from_instructions(program, metadata(), &device()).unwrap();
    assert_eq!(kernel.instructions().len(), count);
}

/// Two entry points in the layout that compilers use: the second starts at a multiple of 64 bytes, and zeros fill the
/// space between them. The first may have any length.
#[test]
fn padding_between_entry_points_is_not_loaded() {
    let generation = device().generation();
    let (first, second) = (store(1), store(2));
    for compacted in [0, 1] {
        // With a compacted instruction, the first ends in the middle of 16 bytes.
        let nop = Inst { compacted: true, ..Inst::new(Opcode::Nop) };
        let first = [vec![nop; compacted], first.clone()].concat();
        let mut code = encode_program(&first, generation).unwrap();
        assert_eq!(code.len() % 16, 8 * compacted);
        code.resize(code.len().next_multiple_of(64) + 64, 0);
        let offset = code.len() as u32;
        code.extend(encode_program(&second, generation).unwrap());
        code.resize(code.len().next_multiple_of(64), 0);
        for (start, stored) in [(0, 1), (offset, 2)] {
            let mut metadata = metadata();
            let dispatch = metadata.dispatches.first().clone();
            metadata.dispatches.push(Dispatch { offset, ..dispatch });
            metadata.dispatches.first_mut().offset = start;
            let kernel = Kernel::load(&code, metadata, &device()).unwrap();
            let mut resources = Resources::new();
            resources.set_buffer(BUFFER, &[0; 32]);
            kernel.dispatch([1, 1, 1], &mut resources, &Options::strict()).unwrap();
            assert_eq!(dwords(&resources.buffer(BUFFER).unwrap()), [stored; 8]);
        }
        // Threads cannot start in the padding.
        for padding in [offset - 64, offset - 16] {
            let mut metadata = metadata();
            let dispatch = metadata.dispatches.first().clone();
            metadata.dispatches.push(Dispatch { offset: padding, ..dispatch });
            assert!(Kernel::load(&code, metadata, &device()).is_err());
        }
    }
}

/// The validator and the emulator agree about jumps to the padding behind code, at the end of a program and between two
/// entry points. A jump to the padding's first byte, where the code ends, is valid, but executing it is an error.
#[test]
fn a_branch_leads_to_the_end_at_most() {
    let generation = device().generation();
    let validator = Validator::new(device());
    let end = end();
    for second in [false, true] {
        for (behind, legal) in [(0, true), (16, false), (32, false), (48, second), (56, false)] {
            let mut program = addresses(2);
            let jip = (16 + bytes(&end) + behind) as i32;
            let mut jump = Inst::new(Opcode::Jmpi);
            (jump.exec_size, jump.no_mask) = (1, true);
            jump.extra = Extra::Branch(Branch { jip: Some(jip), ..Branch::default() });
            program.push(jump);
            program.extend(end.clone());
            let mut code = encode_program(&program, generation).unwrap();
            code.extend([0; 48]);
            if second {
                code.extend(encode_program(&end, generation).unwrap());
            }
            let insts = decode_program(&code, generation).unwrap();
            let mut findings = validator.check_program(&insts).into_iter();
            assert_eq!(findings.all(|finding| finding.rule.id != "N12"), legal, "{behind}");
            let kernel = Kernel::load(&code, metadata(), &device());
            assert_eq!(kernel.is_ok(), legal, "{behind}: {:?}", kernel.err());
            if let (0, Ok(kernel)) = (behind, kernel) {
                let mut resources = Resources::new();
                resources.set_buffer(BUFFER, &[0; 32]);
                let error = kernel.dispatch([1, 1, 1], &mut resources, &Options::strict());
                assert!(error.unwrap_err().to_string().contains("past the end"));
            }
        }
    }
}
