//! The back end's pipeline: optimise, lower, schedule, allocate registers, finish.
//!
//! [`generate`] is the list of steps. After each step, an observer receives its name and the program, for traces and
//! verification.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::target::Target;
use crestline_device::Pipeline;
use crestline_isa as isa;
use crestline_ssa::ir::{DebugLocs, Fuel};
use crestline_ssa::runner::{self, Broken, Switches};

use crate::error::PassError;
use crate::finish::{FinishError, compact, finish};
use crate::ir::{Function, Origin};
use crate::passes::PassFn;
use crate::pipeline::{self, Pass};
use crate::regalloc::{self, AllocError, Allocation, Analysis};
use crate::schedule::{self, Estimate};
use crate::scoreboard::{self, check::ScoreboardError};
use crate::verify::{VerifyError, verify};

/// Why code generation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// A pass failed.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// A pass or instruction selection recorded an internal error.
    #[error("after {pass}: {what}")]
    Defect {
        /// Name of the pass.
        pass: &'static str,
        /// What is wrong.
        what: &'static str,
    },
    /// The IR is invalid after a pass: a defect of the pass.
    #[error("after {pass}: {error}")]
    Verify {
        /// Name of the pass.
        pass: &'static str,
        /// The broken rule.
        error: VerifyError,
    },
    /// Register allocation failed.
    #[error(transparent)]
    Alloc(#[from] AllocError),
    /// The scoreboard checker found that an instruction does not wait for a result that it needs.
    #[error("the scoreboard is wrong: {0}")]
    Scoreboard(#[from] ScoreboardError),
    /// An instruction cannot be encoded.
    #[error(transparent)]
    Finish(#[from] FinishError),
}

impl BackendError {
    /// Whether the error is a defect of the compiler and not a limit that the program exceeds. Errors of passes and
    /// of encoding are defects, because instruction selection or an earlier pass should not have made such
    /// instructions.
    pub fn is_defect(&self) -> bool {
        match self {
            BackendError::Alloc(error) => error.is_defect(),
            BackendError::Finish(FinishError::Far { .. }) => false,
            BackendError::Pass(_)
            | BackendError::Defect { .. }
            | BackendError::Verify { .. }
            | BackendError::Scoreboard(_)
            | BackendError::Finish(_) => true,
        }
    }
}

/// A fault to inject, for tests that check its detection.
#[cfg(feature = "testing")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Selection loses the value locations of arithmetic results
    /// ([`Interface::forgets`](crate::interface::Interface)).
    Locations,
    /// An operand gets a wrong register after allocation.
    Allocation,
    /// The last `mov` or `add` gets an execution size that breaks a rule of the hardware.
    Instruction,
}

/// Options of code generation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether registers may be spilled. If not, too high register pressure is an error, and the caller can try a
    /// smaller SIMD width.
    pub may_spill: bool,
    /// The part of the device that starts the threads, which limits their scratch space.
    pub pipeline: Pipeline,
    /// Whether the verifier runs after every pass, and the allocation checker after allocation. The analysis that
    /// scheduling hands to the allocator is then also compared with a fresh one.
    pub verify: bool,
    /// Whether the `opt_*` passes run.
    pub optimize: bool,
    /// Whether the optimisation passes also run after every single `lower_*` pass. This is a test of the passes: the
    /// program must remain correct.
    pub optimize_everywhere: bool,
    /// Names of `opt_*` passes that do not run.
    pub disabled: BTreeSet<String>,
    /// Limit on the number of changes that `opt_*` passes make.
    pub fuel: Fuel,
    /// A fault to inject, for tests.
    #[cfg(feature = "testing")]
    pub fault: Option<Fault>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            may_spill: true,
            pipeline: Pipeline::Compute,
            verify: cfg!(debug_assertions),
            optimize: true,
            optimize_everywhere: false,
            disabled: BTreeSet::new(),
            fuel: Fuel::default(),
            #[cfg(feature = "testing")]
            fault: None,
        }
    }
}

impl Options {
    fn allocation(&self) -> regalloc::Options {
        regalloc::Options {
            may_spill: self.may_spill,
            check: self.verify,
            pipeline: self.pipeline,
            // It is done for compaction.
            apart: self.optimize && !self.disabled.contains(COMPACT),
        }
    }

    /// The function that changes the result of allocation before the checker runs; without a fault, it does nothing.
    fn damage(&self) -> fn(&mut Function) {
        #[cfg(feature = "testing")]
        if self.fault == Some(Fault::Allocation) {
            return regalloc::misplace;
        }
        |_| {}
    }
}

/// Machine code with its statistics.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The instructions; those that have a compacted form are compacted.
    pub insts: Vec<isa::Inst>,
    /// The origin of each instruction.
    pub origins: Vec<Origin>,
    /// The places in the source to which the origins refer.
    pub debug: Arc<DebugLocs>,
    /// The largest number of general registers in use at once, payload included.
    pub registers: u32,
    /// Number of scratch messages that store spilled registers.
    pub spills: u32,
    /// Number of scratch messages that fill.
    pub fills: u32,
    /// Scratch space of a thread, in bytes.
    pub scratch_bytes: u32,
    /// Estimated execution time, with ten iterations for each loop.
    pub estimate: Estimate,
    /// The fuel of [`Options::fuel`] that is left.
    pub fuel: Fuel,
}

/// A function that is called after every step with the step's name and the program.
pub type Observer<'a> = dyn FnMut(&'static str, &Function) + 'a;

impl runner::Ir for Function {
    type Error = VerifyError;

    fn fuel(&mut self) -> &mut Fuel {
        &mut self.fuel
    }

    fn verify(&self) -> Result<(), VerifyError> {
        verify(self)
    }
}

impl From<Broken<VerifyError>> for BackendError {
    fn from(Broken { pass, error }: Broken<VerifyError>) -> BackendError {
        BackendError::Verify { pass, error }
    }
}

type Runner<'a> = runner::Runner<'a, Function, PassFn, BackendError>;

/// The name of the last step: compaction of the machine code. It works on encoded instructions, not on the IR, so an
/// observer does not see it.
const COMPACT: &str = "opt_compact";

/// Limit on the rounds of the optimisations.
const MAX_ROUNDS: u32 = 8;

/// The result of a pass, or an error if the pass recorded an internal error.
fn checked(
    pass: &Pass,
    function: &Function,
    changed: Result<bool, PassError>,
) -> Result<bool, BackendError> {
    let changed = changed?;
    match function.vregs.fault() {
        Some(what) => Err(BackendError::Defect { pass: pass.name, what }),
        None => Ok(changed),
    }
}

/// Schedules, and allocates registers for the scheduled order and for the order before, if they differ. The first result is that
/// of the scheduled order, unless only the other one succeeded.
///
/// # Errors
/// That of the order before if both fail; a defect at once, so that the other order does not hide it.
fn allocate(
    runner: &mut Runner<'_>,
    function: &mut Function,
    target: &Target,
    options: &Options,
) -> Result<(Allocation, Option<Allocation>), BackendError> {
    let damage = options.damage();
    let options = options.allocation();
    runner.once(pipeline::COALESCE, function)?;
    let mut known = Analysis::new(function).map_err(AllocError::Flow)?;
    let (mut scheduled, before) = (function.clone(), known.clone());
    // This is `opt_schedule_early`, in a variant that keeps the liveness for allocation.
    let changed = runner.run_as(&pipeline::SCHEDULE, &mut scheduled, |f| {
        let changed = schedule::schedule_analysed(f, &mut known.liveness, target);
        checked(&pipeline::SCHEDULE, f, Ok(changed))
    })?;
    let first = regalloc::allocate_damaged(scheduled, known, target, options, damage);
    if !changed {
        return Ok((first?, None));
    }
    if let Err(error) = &first
        && error.is_defect()
    {
        return Err(error.clone().into());
    }
    let function = std::mem::replace(function, Function::new(function.dispatch_width));
    let second = regalloc::allocate_damaged(function, before, target, options, damage);
    match (first, second) {
        (Err(_), second) => Ok((second?, None)),
        (Ok(first), Err(error)) if !error.is_defect() => Ok((first, None)),
        (Ok(first), second) => Ok((first, Some(second?))),
    }
}

/// A program on physical registers with its machine code, not compacted.
struct Candidate {
    allocated: Allocation,
    insts: Vec<isa::Inst>,
    origins: Vec<Origin>,
    estimate: Estimate,
}

impl Candidate {
    /// Runs the passes after allocation, and makes the machine code.
    ///
    /// # Errors
    /// See [`BackendError`].
    fn new(
        runner: &mut Runner<'_>,
        mut allocated: Allocation,
        target: &Target,
        verify: bool,
    ) -> Result<Candidate, BackendError> {
        let function = &mut allocated.function;
        runner.observe("regalloc", function)?;
        runner.once(pipeline::SCHEDULE_ALLOCATED, function)?;
        runner.once(pipeline::LOWER_ALLOCATED, function)?;
        if verify {
            scoreboard::check::check(function, target)?;
        }
        let (insts, origins) = finish(function, target)?;
        let estimate = schedule::estimate(&insts, function.dispatch_width, target);
        Ok(Candidate { allocated, insts, origins, estimate })
    }

    /// What makes a candidate worse: scratch messages, then the estimated cycles.
    fn cost(&self) -> (u32, u64) {
        (self.allocated.spills + self.allocated.fills, self.estimate.cycles)
    }
}

/// Generates machine code for a selected program.
///
/// # Errors
/// See [`BackendError`].
pub fn generate(
    mut function: Function,
    target: &Target,
    options: Options,
    observe: &mut Observer<'_>,
) -> Result<Compiled, BackendError> {
    let Options { optimize, ref disabled, verify, .. } = options;
    let switches = Switches { optimize, disabled, verify };
    let call = |pass: &Pass, function: &mut Function| {
        let changed = (pass.run)(function, target);
        checked(pass, function, changed)
    };
    let mut runner = Runner::new(switches, options.fuel.clone(), &call, observe);
    if options.optimize_everywhere {
        runner.repeat_everywhere(pipeline::OPTIMIZE, MAX_ROUNDS);
    }
    let function = &mut function;
    runner.observe("select", function)?;
    runner.once(pipeline::OPTIMIZE_SELECTED, function)?;
    regalloc::check_pressure_estimate(function, target, options.allocation())?;
    runner.once(pipeline::LOWER, function)?;
    runner.repeat(pipeline::OPTIMIZE, MAX_ROUNDS, function)?;
    let (first, other) = allocate(&mut runner, function, target, &options)?;
    let mut best = Candidate::new(&mut runner, first, target, verify)?;
    let mut fuel = runner.into_fuel();
    if let Some(other) = other {
        // The observer sees the passes of one order, and of the other one the result if it is taken.
        let mut unseen = |_, _: &Function| {};
        let mut runner = Runner::new(switches, fuel, &call, &mut unseen);
        let other = Candidate::new(&mut runner, other, target, verify)?;
        fuel = runner.into_fuel();
        if other.cost() < best.cost() {
            best = other;
            observe("regalloc", &best.allocated.function);
        }
    }
    let Candidate { allocated, mut insts, origins, estimate } = best;
    let function = &allocated.function;
    if optimize && !disabled.contains(COMPACT) {
        fuel.enter(COMPACT);
        if fuel.take(|| "the program".to_owned()) {
            insts = compact(&insts, target)?;
        }
    }
    #[cfg(feature = "testing")]
    if options.fault == Some(Fault::Instruction) {
        spoil(&mut insts);
    }
    Ok(Compiled {
        estimate,
        insts,
        origins,
        debug: function.debug.clone(),
        registers: allocated.registers,
        spills: allocated.spills,
        fills: allocated.fills,
        scratch_bytes: allocated.function.scratch_bytes,
        fuel,
    })
}

#[cfg(feature = "testing")]
/// Sets an execution size of 32 on the last `mov` or `add`, which is too large for a destination of two registers.
fn spoil(insts: &mut [isa::Inst]) {
    let computes =
        |inst: &&mut isa::Inst| matches!(inst.opcode, isa::Opcode::Mov | isa::Opcode::Add);
    if let Some(inst) = insts.iter_mut().rfind(computes) {
        inst.exec_size = 32;
    }
}

/// The names of all steps of [`generate`], in order. A pass that runs several times can occur more than once.
pub fn steps() -> impl Iterator<Item = &'static str> {
    let names = |list: &'static [Pass]| list.iter().map(|pass| pass.name);
    std::iter::once("select")
        .chain(names(pipeline::OPTIMIZE_SELECTED))
        .chain(names(pipeline::LOWER))
        .chain(names(pipeline::OPTIMIZE))
        .chain(names(pipeline::COALESCE))
        .chain([pipeline::SCHEDULE.name, "regalloc"])
        .chain(names(pipeline::SCHEDULE_ALLOCATED))
        .chain(names(pipeline::LOWER_ALLOCATED))
        .chain([COMPACT])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Operand};
    use crestline_device::Platform;
    use crestline_isa::Type;

    /// Straight code with a window of live values and every so often a constant and a copy.
    fn chain(length: usize) -> Function {
        let mut f = Function::new(16);
        f.payload_registers = 4;
        let mut b = Builder::new(&mut f);
        let mut window: Vec<Operand> = vec![Operand::grf(2, Type::F); 20];
        for index in 0..length {
            let value = b.lanes(Type::F, 1);
            let (x, y) = (window[index % 20], window[(index * 7 + 3) % 20]);
            match index % 5 {
                0 => b.mov(value, x),
                1 => b.mul(value, x, Operand::imm_f(index as f32)),
                2 => b.mad(value, x, y, x),
                _ => b.add(value, x, y),
            };
            window[(index * 3) % 20] = value;
        }
        for value in window {
            b.mov(Operand::grf(100, Type::F), value);
        }
        f
    }

    fn compile(f: &Function, options: Options) -> Compiled {
        let target = Target::of(Platform::Skl);
        generate(f.clone(), &target, options, &mut |_, _| {}).unwrap()
    }

    #[test]
    fn switches_and_fuel_stop_optimisations() {
        let f = chain(50);
        let all = compile(&f, Options::default()).insts;
        let none = compile(&f, Options { optimize: false, ..Options::default() }).insts;
        let empty = compile(&f, Options { fuel: Fuel::new(0), ..Options::default() }).insts;
        assert_eq!(none, empty);
        assert!(all.len() < none.len());
        let some = ["opt_copy_propagation", "opt_register_coalesce", "opt_coalesce_webs"];
        let disabled = some.map(String::from).into();
        let kept = compile(&f, Options { disabled, ..Options::default() }).insts;
        assert!(all.len() < kept.len());
    }
}
