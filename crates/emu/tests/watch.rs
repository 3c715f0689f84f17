//! A trace that looks at the state of a thread, and ends a run.

mod common;

use common::*;
use crestline_emu::{EmuError, ImageData, Kernel, Options, RegisterFile, Resources, State, Step};
use crestline_emu::{ImageDimension, ImageShape, Problem, Trace};
use crestline_isa::message::Bti;
use crestline_isa::{Inst, Opcode, Type};

/// Ends a run before the instruction with an index, or after a problem.
#[derive(Default)]
struct Watch {
    before: Option<usize>,
    at_problems: bool,
    found: Option<(u64, RegisterFile, bool)>,
    problem: Option<Problem>,
    ended: bool,
}

impl Trace for Watch {
    fn instruction(&mut self, _: &Step<'_>) {}

    fn compares_registers(&self) -> bool {
        false
    }

    fn before(&mut self, state: &State<'_>) -> bool {
        assert!(state.problem.is_none() && !state.ended());
        if self.before != Some(state.location.instruction) {
            return true;
        }
        self.found = Some((state.executed, state.registers(), state.active() == 0xff));
        false
    }

    fn after(&mut self, state: &State<'_>) -> bool {
        self.ended |= state.ended();
        self.problem = self.problem.or(state.problem.map(|found| found.problem));
        !(self.at_problems && state.problem.is_some())
    }
}

/// Writes the numbers of the channels to the buffer, then 7 to r20.
fn program() -> Vec<Inst> {
    let mut program = addresses(30);
    program.push(alu(Opcode::Mov, dst(31, Type::Ud), &[packed(30, Type::Ud)]));
    program.push(write(Bti(0), 30));
    program.push(mov_ud(20, 7));
    program.extend(end());
    program
}

fn watch(program: Vec<Inst>, watch: &mut Watch) -> (Option<EmuError>, Vec<u8>) {
    let kernel = Kernel::from_instructions(program, metadata(), &device()).expect("it loads");
    let mut resources = Resources::new();
    resources.set_buffer(BUFFER, &[0; 32]);
    let result = kernel.trace([1, 1, 1], &mut resources, &Options::default(), watch);
    (result.err(), resources.buffer(BUFFER).expect("it is bound"))
}

#[test]
fn a_run_ends_before_an_instruction_with_the_memory_of_that_moment() {
    let written: Vec<u32> = (0..8).map(|n| 4 * n).collect();
    for (instruction, expected) in [(4, vec![0; 8]), (5, written)] {
        let mut at = Watch { before: Some(instruction), ..Watch::default() };
        let (error, buffer) = watch(program(), &mut at);
        assert!(matches!(error, Some(EmuError::Stopped(l)) if l.instruction == instruction));
        assert_eq!(dwords(&buffer), expected);
        let (executed, registers, all_active) = at.found.expect("a state");
        assert_eq!(executed, instruction as u64);
        assert!(all_active);
        assert_eq!(dwords(&registers.general[32 * 31..32 * 32])[3], 12);
        assert!(registers.written[32 * 31] && !registers.written[32 * 20]);
        assert_eq!(dwords(&registers.general[32 * 20..32 * 21]), [0xcdcd_cdcd; 8]);
        assert!(!at.ended);
    }
}

#[test]
fn a_run_without_a_stop_shows_the_end_of_the_thread() {
    let mut all = Watch::default();
    assert_eq!(watch(program(), &mut all).0, None);
    assert!(all.ended && all.problem.is_none());
}

#[test]
fn a_problem_is_shown_after_its_instruction() {
    let mut program = program();
    // r40 was never written.
    program.insert(4, alu(Opcode::Mov, dst(41, Type::Ud), &[packed(40, Type::Ud)]));
    let mut at = Watch { at_problems: true, ..Watch::default() };
    let (error, buffer) = watch(program, &mut at);
    assert!(matches!(error, Some(EmuError::Stopped(l)) if l.instruction == 4), "{error:?}");
    assert!(matches!(at.problem, Some(Problem::UninitializedRead { .. })), "{:?}", at.problem);
    assert_eq!(dwords(&buffer), [0; 8]);
}

#[test]
fn pictures_of_images_have_four_bytes_for_each_pixel() {
    use crestline_device::SurfaceFormat::*;
    let picture = |format, bytes: &[u8], layer| {
        let shape = ImageShape {
            dimension: ImageDimension::D2Array,
            format,
            width: 2,
            height: 1,
            depth: 2,
            levels: 1,
            samples: 1,
        };
        ImageData::new(shape, bytes.to_vec()).expect("an image").picture(layer)
    };
    let unorm = [10, 20, 30, 40, 50, 60, 70, 80, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(picture(R8G8B8A8_UNORM, &unorm, 0), Some(unorm[..8].to_vec()));
    assert_eq!(picture(R8G8B8A8_UNORM_SRGB, &unorm, 1), Some(unorm[8..].to_vec()));
    assert_eq!(picture(R8G8B8A8_UNORM, &unorm, 2), None);
    assert_eq!(picture(R8_UNORM, &[9, 200, 0, 0], 0), Some(vec![9, 9, 9, 255, 200, 200, 200, 255]));
    let sint: Vec<u8> = [-1i32, 300, 0, 7].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(picture(R32_SINT, &sint, 0), Some(vec![0, 0, 0, 1, 255, 255, 255, 1]));
}
