//! Tests each diagnostic and each error with a program that causes it, and a similar program that does not.

mod common;

use common::*;
use crestline_device::{Device, Platform};
use crestline_emu::{Class, EmuError, Kernel, Options, Policy, Problem, Resources, SurfaceName};
use crestline_isa::message::Bti;
use crestline_isa::{
    ArfKind, Branch, CondMod, Dst, Extra, Flag, Inst, Opcode, PredCtrl, Region, Src, Type, VStride,
};
use crestline_program::{BindingEntry, Content, MetadataError, PayloadItem, ResourceRef, Surface};

/// The only diagnostic of a program that ends with [`end`].
fn diagnose(mut program: Vec<Inst>) -> (Problem, usize, Option<u8>) {
    program.extend(end());
    let (report, _) = run(program).expect("warnings do not stop a program");
    assert_eq!(report.diagnostics.len(), 1, "{:#?}", report.diagnostics);
    let diagnostic = report.diagnostics[0];
    (diagnostic.problem, diagnostic.location.instruction, diagnostic.location.channel)
}

fn clean(mut program: Vec<Inst>) {
    program.extend(end());
    let (report, _) = run(program).expect("the program runs");
    assert_eq!(report.diagnostics, []);
}

fn fails(program: Vec<Inst>) -> EmuError {
    run(program).expect_err("the program is refused")
}

#[test]
fn a_register_never_written_is_reported_with_its_channel() {
    let half = alu(Opcode::Mov, dst(9, Type::Ud), &[Src::imm_ud(1)]).with_exec_size(4);
    let reader = alu(Opcode::Mov, dst(11, Type::F), &[packed(9, Type::D)]);
    let (problem, instruction, channel) = diagnose(vec![half.clone(), reader.clone()]);
    assert_eq!(problem, Problem::UninitializedRead { register: 9 * 32 + 16 });
    assert_eq!((instruction, channel), (1, Some(4)));
    assert_eq!(problem.to_string(), "reads r9.16, which was never written");
    clean(vec![half, reader.with_exec_size(4)]);
}

#[test]
fn a_flag_never_written_is_reported() {
    let flag = Flag { nr: 1, subnr: 0 };
    let mov = mov_ud(9, 1).with_predicate(PredCtrl::Normal, false, flag);
    let (problem, ..) = diagnose(vec![mov.clone()]);
    assert_eq!(problem.to_string(), "reads f1.0, which was never written");
    let compare = alu(Opcode::Cmp, Dst::null(Type::Ud), &[packed(1, Type::Ud), Src::imm_ud(0)])
        .with_cond_mod(CondMod::Z, flag);
    clean(vec![compare, mov]);
}

#[test]
fn an_access_outside_of_a_surface_reads_zero_and_is_reported() {
    let mut program = addresses(10);
    program.push(mov_ud(12, 7));
    // The buffer has 64 bytes: offset 40 leaves room for six channels.
    program.push(alu(Opcode::Add, dst(14, Type::D), &[packed(10, Type::D), Src::imm_w(40)]));
    program.push(read(Bti(0), 14, 12));
    program.push(alu(Opcode::Mov, dst(11, Type::Ud), &[packed(12, Type::Ud)]));
    program.push(write(Bti(0), 10));
    program.extend(end());
    let (report, buffer) = run_on(program, metadata(), &[1; 64], &Options::default()).unwrap();
    let expected = [[0x0101_0101; 6].as_slice(), &[0; 2]].concat();
    assert_eq!(dwords(&buffer)[..8], expected);
    let diagnostic = report.diagnostics[0];
    assert_eq!(report.diagnostics.len(), 1);
    assert_eq!(diagnostic.count, 2);
    assert_eq!(diagnostic.location.channel, Some(6));
    let surface = SurfaceName::Index(0);
    let expected = Problem::OutOfBounds { surface, address: 64, size: 4, limit: 64, write: false };
    assert_eq!(diagnostic.problem, expected);
}

#[test]
fn a_write_outside_of_a_surface_is_dropped() {
    let mut program = addresses(10);
    program.push(alu(Opcode::Add, dst(14, Type::D), &[packed(10, Type::D), Src::imm_w(64)]));
    program.push(mov_ud(15, 7));
    program.push(write(Bti(0), 14));
    program.extend(end());
    let (report, buffer) = run(program).unwrap();
    assert_eq!(buffer, [0; 64]);
    assert_eq!(report.diagnostics[0].count, 8);
    let text = report.diagnostics[0].to_string();
    let expected =
        "writes 4 bytes at 0x40 of the buffer 0.0 (binding table index 0), which has 64 bytes";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn reports_name_the_resource() {
    let element = ResourceRef { set: 1, binding: 2, element: 3 };
    let mut program = addresses(10);
    program.push(alu(Opcode::Add, dst(14, Type::D), &[packed(10, Type::D), Src::imm_w(64)]));
    program.push(read(Bti(7), 14, 12));
    program.extend(end());
    let mut metadata = metadata();
    let surface = Surface::StorageBuffer { resource: element };
    metadata.binding_table = vec![BindingEntry { index: 7, surface }];
    let kernel = Kernel::from_instructions(program, metadata, &device()).unwrap();
    let mut resources = Resources::new();
    resources.set_buffer(element, &[0; 64]);
    let expected = "reads 4 bytes at 0x40 of the buffer 1.2[3] (binding table index 7)";
    // In the report, and in the error that stops the program with strict options.
    let report = kernel.dispatch([1, 1, 1], &mut resources, &Options::default()).unwrap();
    assert_eq!(report.diagnostics[0].resource, Some(element));
    let text = report.diagnostics[0].to_string();
    assert!(text.contains(expected), "{text}");
    let error = kernel.dispatch([1, 1, 1], &mut resources, &Options::strict()).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

/// The size of a buffer need not be a multiple of 4 bytes (docs/metadata.md).
#[test]
fn the_last_dword_of_a_buffer_may_be_there_in_part() {
    let bytes = [1, 1, 1, 1, 2, 2];
    let run = |address| {
        let mut program = vec![mov_ud(14, address), mov_ud(15, 0x0807_0605), read(Bti(0), 14, 12)];
        program.push(write(Bti(0), 14));
        program.extend(end());
        let (report, buffer) = run_on(program, metadata(), &bytes, &Options::default()).unwrap();
        (report.diagnostics.len(), buffer)
    };
    assert_eq!(run(4), (0, vec![1, 1, 1, 1, 5, 6]));
    assert_eq!(run(8), (2, bytes.to_vec()));
}

#[test]
fn an_unbound_surface_is_reported() {
    let mut program = addresses(10);
    program.push(read(Bti(3), 10, 12));
    assert_eq!(diagnose(program).0, Problem::Unbound { index: 3 });
}

#[test]
fn a_misaligned_address_is_reported() {
    let program = vec![mov_ud(10, 2), read(Bti(0), 10, 12)];
    assert_eq!(diagnose(program).0, Problem::Misaligned { address: 2, alignment: 4 });
}

fn set_address(value: u16) -> Inst {
    Inst::new(Opcode::Mov)
        .with_no_mask()
        .with_dst(Dst::arf(ArfKind::Address, 0, 0, Type::Uw))
        .with_srcs(&[Src::imm_uw(value)])
}

#[test]
fn an_indirect_operand_outside_of_the_registers_is_reported() {
    let indirect = |offset| {
        let region = Region::Align1 { vstride: VStride::Elements(8), width: 8, hstride: 1 };
        alu(Opcode::Mov, dst(20, Type::F), &[Src::indirect(0, offset, Type::D, region)])
    };
    let r127 = alu(Opcode::Mov, dst(127, Type::Ud), &[Src::imm_ud(1)]);
    let (problem, _, channel) = diagnose(vec![r127, set_address(4064), indirect(16)]);
    assert_eq!((problem, channel), (Problem::RegisterRange { address: 4096 }, Some(4)));
    let r126 = alu(Opcode::Mov, dst(126, Type::Ud), &[Src::imm_ud(1)]);
    clean(vec![r126, set_address(4096), indirect(-64)]);
}

#[test]
fn a_row_of_an_indirect_operand_that_leaves_its_register_is_reported() {
    let rows = |width, hstride| {
        let region = Region::Align1 { vstride: VStride::VxH, width, hstride };
        alu(Opcode::Mov, dst(20, Type::F), &[Src::indirect(0, 4, Type::D, region)])
    };
    let program = |address: u16, inst| {
        let words = set_address(address).with_exec_size(2);
        let registers =
            [10, 11].map(|nr| alu(Opcode::Mov, dst(nr, Type::Ud), &[Src::imm_ud(nr.into())]));
        [registers.to_vec(), vec![words, inst]].concat()
    };
    clean(program(320 + 12, rows(4, 1)));
    clean(program(320, rows(4, 2)));
    clean(program(320 + 24, rows(4, 0)));
    let crosses = Problem::RowCrossing { address: 320 + 20 };
    assert_eq!(diagnose(program(320 + 16, rows(4, 1))).0, crosses);
    let crosses = Problem::RowCrossing { address: 320 + 8 };
    assert_eq!(diagnose(program(320 + 4, rows(4, 2))).0, crosses);
}

#[test]
fn channels_that_never_rejoin_are_reported() {
    let flag = Flag::default();
    let mut program = addresses(10);
    program.push(
        alu(Opcode::Cmp, Dst::null(Type::D), &[packed(10, Type::D), Src::imm_w(8)])
            .with_cond_mod(CondMod::L, flag),
    );
    // The `if` jumps to an `endif` behind the end of the thread.
    let skip = Branch::jip_uip(16 * 3, 16 * 3);
    program.push(
        Inst::new(Opcode::If)
            .with_exec_size(8)
            .with_predicate(PredCtrl::Normal, false, flag)
            .with_extra(Extra::Branch(skip)),
    );
    program.extend(end());
    program.push(
        Inst::new(Opcode::EndIf).with_exec_size(8).with_extra(Extra::Branch(Branch::jip(16))),
    );
    program.extend(end());
    let (report, _) = run(program).unwrap();
    assert_eq!(report.diagnostics.len(), 1);
    assert_eq!(report.diagnostics[0].problem, Problem::LostChannels { channels: 0xfc });
}

#[test]
fn an_end_of_thread_payload_in_low_registers_is_reported() {
    let mut program = end();
    program[1].srcs[0] = packed(5, Type::Ud);
    program[0].dst = dst(5, Type::Ud);
    let (report, _) = run(program).unwrap();
    assert_eq!(report.diagnostics[0].problem, Problem::EotPayload { register: 5, first: 112 });
}

#[test]
fn a_policy_makes_a_diagnostic_an_error_or_nothing() {
    let mut program = vec![alu(Opcode::Mov, dst(11, Type::F), &[packed(9, Type::D)])];
    program.extend(end());
    let strict = run_on(program.clone(), metadata(), &[], &Options::strict()).unwrap_err();
    let EmuError::Diagnostic(diagnostic) = strict else { panic!("{strict}") };
    assert_eq!(diagnostic.problem.class(), Class::UninitializedRead);
    let ignoring = Options::default().with_policy(Class::UninitializedRead, Policy::Ignore);
    let (report, _) = run_on(program, metadata(), &[], &ignoring).unwrap();
    assert_eq!(report.diagnostics, []);
}

#[test]
fn an_endless_loop_exceeds_its_budget() {
    let around = Inst::new(Opcode::Jmpi).with_no_mask().with_extra(Extra::Branch(Branch::jip(0)));
    let options = Options { budget: 1000, ..Options::default() };
    let error = run_on(vec![around], metadata(), &[], &options).unwrap_err();
    assert!(matches!(error, EmuError::Budget(location, 1000) if location.instruction == 0));
}

/// Runs a workgroup of two threads. Unless `barrier_in_all` is set, the second skips the barrier.
fn threads_of_a_group(barrier_in_all: bool) -> Result<(), EmuError> {
    let flag = Flag::default();
    let mut program = Vec::new();
    if !barrier_in_all {
        // The thread id in r0.5 distinguishes the threads.
        let id = Src::grf(0, 20, Type::Ud, Region::SCALAR);
        program.push(
            alu(Opcode::And, Dst::null(Type::Ud), &[id, Src::imm_ud(1)])
                .with_no_mask()
                .with_cond_mod(CondMod::Nz, flag),
        );
        program.push(
            Inst::new(Opcode::Jmpi)
                .with_no_mask()
                .with_predicate(PredCtrl::Normal, false, flag)
                .with_extra(Extra::Branch(Branch::jip(16 * 3))),
        );
    }
    program.push(barrier());
    program.push(wait());
    program.extend(end());
    run_on(program, with_local_size(metadata(), 16), &[], &Options::strict()).map(|_| ())
}

#[test]
fn a_barrier_that_a_thread_misses_is_an_error() {
    let error = threads_of_a_group(false).unwrap_err();
    assert!(
        matches!(error, EmuError::MissedBarrier(location, 1) if location.thread == 0),
        "{error}"
    );
    threads_of_a_group(true).expect("all threads meet");
}

#[test]
fn a_count_of_notifications_that_the_program_wrote_does_no_harm() {
    let n0 = Dst::arf(ArfKind::Notification, 0, 0, Type::Ud);
    let write = Inst::new(Opcode::Mov).with_no_mask().with_dst(n0);
    let mut program = vec![write.with_srcs(&[Src::imm_ud(u32::MAX)]), barrier(), wait()];
    program.extend(end());
    run_on(program, with_local_size(metadata(), 16), &[], &Options::default()).expect("it ends");
}

#[test]
fn waiting_for_nothing_is_an_error() {
    let mut program = vec![wait()];
    program.extend(end());
    assert!(matches!(fails(program), EmuError::EndlessWait(_)));
}

#[test]
fn running_past_the_end_is_an_error() {
    assert!(matches!(fails(vec![mov_ud(9, 1)]), EmuError::PastTheEnd(_)));
}

#[test]
fn a_jump_into_an_instruction_is_refused() {
    let jump =
        |to| Inst::new(Opcode::Jmpi).with_no_mask().with_extra(Extra::Branch(Branch::jip(to)));
    let error = fails(vec![jump(8), mov_ud(9, 1)]);
    assert!(matches!(error, EmuError::Illegal { instruction: 0, .. }), "{error}");
    let by_register = Inst::new(Opcode::Jmpi)
        .with_no_mask()
        .with_srcs(&[Src::grf(1, 0, Type::D, Region::SCALAR)])
        .with_extra(Extra::Branch(Branch::default()));
    let add = alu(Opcode::Mov, dst(1, Type::D), &[Src::imm_d(8)]);
    assert!(matches!(fails(vec![add, by_register]), EmuError::JumpTarget(_, 40)));
}

#[test]
fn a_message_register_is_refused() {
    let mut inst = mov_ud(9, 1);
    inst.dst = Dst::new(
        crestline_isa::Place::Direct { reg: crestline_isa::Reg::Mrf(3), sub: 0 },
        Type::Ud,
        1,
    );
    assert!(fails(vec![inst]).to_string().contains("message register m3"));
}

#[test]
fn an_operand_beyond_the_register_file_is_refused() {
    let wide = alu(Opcode::Mov, dst(127, Type::Df), &[Src::imm_df(1.0)]);
    assert!(matches!(fails(vec![wide]), EmuError::Illegal { .. }));
}

#[test]
fn a_message_longer_than_the_register_file_is_refused() {
    assert!(matches!(fails(vec![write(Bti(0), 127)]), EmuError::Illegal { .. }));
}

#[test]
fn what_is_not_supported_is_named() {
    let inst = alu(Opcode::Dp4, dst(9, Type::Df), &[packed(1, Type::Df), packed(1, Type::Df)]);
    let error = fails(vec![inst]).to_string();
    assert!(error.contains("dp4 of DF, DF to DF is not supported"), "{error}");
}

#[test]
fn a_descriptor_from_a_register_is_checked_when_sent() {
    let program = vec![set_address(0xffff), dynamic(read(Bti(0), 1, 9))];
    let error = fails(program);
    assert!(matches!(error, EmuError::Message(..)), "{error}");
}

#[test]
fn what_the_metadata_names_must_be_supplied() {
    let kernel = Kernel::from_instructions(end(), metadata(), &device()).unwrap();
    let error = kernel.dispatch([1, 1, 1], &mut Resources::new(), &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "resource 0.0 is not supplied: binding table index 0");
    let mut address = metadata();
    let resource = ResourceRef { set: 4, binding: 2, element: 0 };
    let content = Content::BufferAddress { resource };
    address.dispatches.first_mut().payload.items.push(PayloadItem { offset: 32, size: 8, content });
    let error = run_on(end(), address, &[], &Options::default()).unwrap_err();
    assert!(matches!(error, EmuError::MissingResource { .. }));
}

#[test]
fn short_push_constants_are_refused() {
    let mut short = metadata();
    let content = Content::PushConstant { offset: 4 };
    short.dispatches.first_mut().payload.items.push(PayloadItem { offset: 32, size: 8, content });
    let error = run_on(end(), short, &[], &Options::default()).unwrap_err();
    assert_eq!(error, EmuError::ShortPushConstants { given: 0, needed: 12 });
}

#[test]
fn impossible_grids_platforms_and_metadata_are_refused() {
    let kernel = Kernel::from_instructions(end(), metadata(), &device()).unwrap();
    let grid = [u32::MAX; 3];
    let error = kernel.dispatch(grid, &mut Resources::new(), &Options::default()).unwrap_err();
    assert_eq!(error, EmuError::GridTooLarge(grid));
    let bdw = Device::new(Platform::Bdw);
    let error = Kernel::from_instructions(end(), metadata(), &bdw).unwrap_err();
    assert!(matches!(error, EmuError::Platform { .. }));
    let mut other = metadata();
    other.version = 9;
    let error = Kernel::from_instructions(end(), other, &device()).unwrap_err();
    assert_eq!(error, EmuError::Metadata(MetadataError::Version { found: 9 }));
}

#[test]
fn an_empty_grid_runs_nothing() {
    let kernel = Kernel::from_instructions(end(), metadata(), &device()).unwrap();
    let mut resources = Resources::new();
    resources.set_buffer(BUFFER, &[]);
    let report = kernel.dispatch([0, 7, 1], &mut resources, &Options::default()).unwrap();
    assert_eq!((report.threads, report.instructions), (0, 0));
}

/// Instructions that write the two halves of r9 with dependency control, and one that reads r9.
fn group() -> Vec<Inst> {
    let half = |sub, value| {
        let dst = Dst::grf(9, sub, Type::Ud, 1);
        alu(Opcode::Mov, dst, &[Src::imm_ud(value)]).with_exec_size(4)
    };
    let mut program = vec![half(0, 1), mov_ud(10, 3), half(16, 2)];
    program[0].no_dd_clear = true;
    program[2].no_dd_check = true;
    program.push(alu(Opcode::Mov, dst(11, Type::Ud), &[packed(9, Type::Ud)]));
    program
}

#[test]
fn groups_of_writes_protect_what_is_not_checked() {
    clean(group());
    // If one bit of dependency control is wrong, the diagnostic names the instruction at which this matters.
    let broken = |change: fn(&mut Vec<Inst>)| {
        let mut program = group();
        change(&mut program);
        let (problem, instruction, _) = diagnose(program);
        (problem, instruction)
    };
    let unchecked = Problem::UncheckedWrite { register: 9 };
    assert_eq!(broken(|program| program[0].no_dd_clear = false), (unchecked, 2));
    let unfinished = Problem::UnfinishedGroup { register: 9 };
    assert_eq!(broken(|program| program[2].no_dd_check = false), (unfinished, 2));
    assert_eq!(broken(|program| program[2].no_dd_clear = true), (unfinished, 3));
    // A write outside of the group does not protect the group's register.
    let other = Problem::UncheckedWrite { register: 10 };
    assert_eq!(broken(|program| program[1].no_dd_check = true), (other, 1));
    assert_eq!(
        unchecked.to_string(),
        "does not wait for r9 (NoDDChk), but no earlier instruction left its dependency set (NoDDClr)"
    );
}

#[test]
fn groups_of_writes_end_with_straight_code() {
    let mut program = group();
    let jump = Branch { jip: Some(16), ..Branch::default() };
    program.insert(2, Inst::new(Opcode::Jmpi).with_no_mask().with_extra(Extra::Branch(jump)));
    let (problem, instruction, _) = diagnose(program);
    assert_eq!((problem, instruction), (Problem::UncheckedWrite { register: 9 }, 3));
}
