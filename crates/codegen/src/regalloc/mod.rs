//! Register allocation: replaces virtual registers and virtual flags by physical ones.
//!
//! The input is a function whose push constants are already general registers ([`File::Uniform`] is refused). The
//! output is the same function without virtual operands, plus scratch messages for values that did not fit. The steps
//! are:
//!
//! 1. [`flags`] assigns flag subregisters to virtual flags. A flag that gets none moves to a general register.
//! 2. [`liveness`] computes a live interval for each 32-byte part of each virtual register, from the bytes that each
//!    instruction accesses ([`accesses`]). A value is also live while only disabled channels need it.
//! 3. `assign` is a linear scan over the live intervals. Each virtual register gets consecutive bytes.
//! 4. [`spill`] moves the registers for which step 3 found no place to scratch space. Then steps 2 to 4 repeat.
//! 5. [`check`] verifies the result without any data of the steps before. It runs in debug builds and tests, and in
//!    release builds on request.

pub mod assign;
pub mod check;
pub mod flags;
pub mod spill;

use crate::target::Target;
use crestline_device::Pipeline;
use crestline_isa::ArfKind;

use crate::analysis::accesses::{self, Slot};
use crate::analysis::liveness::{self, Liveness};
use crate::ir::{Cfg, Class, File, Flag, FlowError, Function, Operand, Vreg, Vregs};
use assign::{Strategy, assign, peak, pressure_estimate};
use check::{CheckError, Origins};

/// Limit on the rounds of spilling, after which allocation fails. Each round spills at least one register, and real
/// programs need only a few rounds.
const MAX_ROUNDS: u32 = 100;

/// Why register allocation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllocError {
    /// Broken control flow.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// There is no free range of registers for a value even after everything else was spilled.
    #[error("no free register range for v{vreg} ({bytes} bytes)")]
    Impossible {
        /// Number of the register.
        vreg: u32,
        /// Its size.
        bytes: u32,
    },
    /// Spilling is not allowed, and the program needs more registers at once than the device has. For the program
    /// that is being allocated this is certain. For a selected program that [`check_pressure_estimate`] rejects it is
    /// an estimate, so allocation might still succeed.
    #[error("estimated register pressure is {registers} of {count} registers")]
    Pressure {
        /// Registers that the program needs.
        registers: u32,
        /// Registers that the device has.
        count: u32,
    },
    /// Spilled registers need more scratch space than a thread can have.
    #[error(
        "the shader needs {bytes} bytes of scratch memory per thread: expected at most {limit}"
    )]
    OutOfScratch {
        /// Bytes that all spills up to now need, with the program's own scratch space.
        bytes: u64,
        /// Bytes that a thread can have.
        limit: u32,
    },
    /// Spilling did not end within `MAX_ROUNDS` rounds.
    #[error("register allocation did not succeed after {0} rounds of spilling")]
    Rounds(u32),
    /// An instruction uses a register to which none was assigned.
    #[error("virtual register v{0} is used but has no register")]
    Unplaced(u32),
    /// The control flow or liveness that a pass handed over does not match the program: a defect of that pass.
    #[error("the kept analysis of {0} does not match the program")]
    Stale(&'static str),
    /// An operand is still a push constant.
    #[error("an operand of the instruction is still a push constant: {0}")]
    Uniform(String),
    /// The checker found a wrong allocation: a defect of the allocator.
    #[error("register allocation is wrong: {0}")]
    Wrong(#[from] CheckError),
}

impl AllocError {
    /// Whether the error is a defect of the compiler and not a limit that the program exceeds.
    pub fn is_defect(&self) -> bool {
        match self {
            AllocError::Flow(_)
            | AllocError::Unplaced(_)
            | AllocError::Stale(_)
            | AllocError::Uniform(_)
            | AllocError::Wrong(_) => true,
            AllocError::Impossible { .. }
            | AllocError::Pressure { .. }
            | AllocError::OutOfScratch { .. }
            | AllocError::Rounds(_) => false,
        }
    }
}

/// Options of register allocation.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether spilling is allowed. If not, allocation fails with [`AllocError::Impossible`] or
    /// [`AllocError::Pressure`] when it would spill.
    pub may_spill: bool,
    /// Whether the checker runs and the given [`Analysis`] is compared with the program. The default is true in debug
    /// builds.
    pub check: bool,
    /// The part of the device that starts the threads, which limits their scratch space.
    pub pipeline: Pipeline,
    /// Whether small values get registers of their own where there is room ([`Strategy::Apart`]).
    pub apart: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            may_spill: true,
            check: cfg!(debug_assertions),
            pipeline: Pipeline::Compute,
            apart: true,
        }
    }
}

/// The result of register allocation.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The program on physical registers.
    pub function: Function,
    /// For each instruction, the instruction of the input that it comes from.
    pub origins: Origins,
    /// The largest number of general registers in use at once, payload included.
    pub registers: u32,
    /// Number of scratch messages that store spilled registers.
    pub spills: u32,
    /// Number of scratch messages that fill.
    pub fills: u32,
}

/// Control flow and liveness of a program on virtual registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Its control flow graph.
    pub cfg: Cfg,
    /// The live intervals of its registers.
    pub liveness: Liveness,
}

impl Analysis {
    /// Analyses a program.
    ///
    /// # Errors
    /// Broken control flow.
    pub fn new(function: &Function) -> Result<Analysis, FlowError> {
        let cfg = Cfg::new(function)?;
        let liveness = Liveness::new(function, &cfg);
        Ok(Analysis { cfg, liveness })
    }

    /// Compares the analysis with a fresh one of the program. If `flags` is false, virtual flags have become physical
    /// since the analysis was made; then only control flow and the intervals of general registers are compared.
    fn check(&self, function: &Function, flags: bool) -> Result<(), AllocError> {
        let fresh = Analysis::new(function)?;
        let is_register = |slot: &Slot| !self.liveness.slots.is_flag(*slot);
        let interval =
            |slot: Slot| self.liveness.intervals.get(slot) == fresh.liveness.intervals.get(slot);
        let same = match flags {
            true => self.liveness == fresh.liveness,
            false => (0..self.liveness.slots.count()).filter(is_register).all(interval),
        };
        match () {
            () if self.cfg != fresh.cfg => Err(AllocError::Stale("control flow")),
            () if !same => Err(AllocError::Stale("liveness")),
            () => Ok(()),
        }
    }
}

/// Fails early, before much compile time is spent, for a selected program that needs far too many registers.
/// [`pressure_estimate`] can be too high or too low. Scheduling often halves the number of registers and rarely saves more,
/// so only programs beyond twice the registers of the target are rejected. This check only has an effect if spilling is
/// not allowed; the caller then compiles at a smaller SIMD width instead.
///
/// # Errors
/// [`AllocError::Pressure`], if spilling is not allowed and the estimate exceeds twice the registers of the target.
pub fn check_pressure_estimate(
    function: &Function,
    target: &Target,
    options: Options,
) -> Result<(), AllocError> {
    if options.may_spill {
        return Ok(());
    }
    let count = target.registers.count;
    match pressure_estimate(function) {
        registers if registers > 2 * count => Err(AllocError::Pressure { registers, count }),
        _ => Ok(()),
    }
}

/// Allocates registers for a function.
///
/// # Errors
/// See [`AllocError`].
pub fn allocate(
    function: &Function,
    target: &Target,
    options: Options,
) -> Result<Allocation, AllocError> {
    allocate_analysed(function.clone(), Analysis::new(function)?, target, options)
}

/// Allocates registers for a function whose control flow and liveness are `known`.
///
/// # Errors
/// See [`AllocError`]. [`AllocError::Stale`] is detected only with [`Options::check`].
pub fn allocate_analysed(
    function: Function,
    known: Analysis,
    target: &Target,
    options: Options,
) -> Result<Allocation, AllocError> {
    allocate_damaged(function, known, target, options, |_| {})
}

/// The same as [`allocate_analysed`], but `damage` changes the result before the checker runs. Tests use it to see
/// that the checker finds the damage.
///
/// # Errors
/// The same as for [`allocate_analysed`].
pub(crate) fn allocate_damaged(
    function: Function,
    known: Analysis,
    target: &Target,
    options: Options,
    damage: fn(&mut Function),
) -> Result<Allocation, AllocError> {
    let uniform = |inst: &&crate::ir::Inst| inst.srcs.iter().any(|s| s.file == File::Uniform);
    if let Some(inst) = function.insts().find(uniform) {
        return Err(AllocError::Uniform(inst.to_string()));
    }
    let before = options.check.then(|| function.clone());
    if options.check {
        known.check(&function, true)?;
    }
    let mut result =
        Allocation { origins: identity(&function), function, registers: 0, spills: 0, fills: 0 };
    let known = assign_flags(&mut result, known)?;
    if options.check
        && let Some(known) = &known
    {
        known.check(&result.function, false)?;
    }
    assign_registers(&mut result, known, target, options)?;
    damage(&mut result.function);
    if let Some(before) = before {
        check::check(&before, &result.function, &result.origins, target)?;
    }
    Ok(result)
}

/// Damage for tests: moves the last general register source behind the payload by one register. The checker must find
/// it.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn misplace(function: &mut Function) {
    let payload = function.payload_registers * crate::ir::GRF_BYTES;
    let sources = function.insts_mut().flat_map(|inst| &mut inst.srcs);
    if let Some(src) = sources.filter(|src| src.file == File::Grf && src.offset >= payload).last() {
        src.offset += crate::ir::GRF_BYTES;
    }
}

/// Origins of an unchanged function: each instruction comes from itself.
fn identity(function: &Function) -> Origins {
    let list = |count: usize| (0..count as u32).map(Some).collect();
    function.blocks.iter().map(|block| list(block.insts.len())).collect()
}

/// Replaces origins in an intermediate program, given by `step`, by origins in the first program.
fn compose(origins: &mut Origins, step: Origins) {
    for (first, step) in origins.iter_mut().zip(step) {
        *first = step.into_iter().map(|at| first[at? as usize]).collect();
    }
}

/// Assigns flag registers. If no instruction was inserted, returns the given analysis, which still holds for general
/// registers.
fn assign_flags(
    result: &mut Allocation,
    mut known: Analysis,
) -> Result<Option<Analysis>, AllocError> {
    if result.function.vregs.iter().all(|(_, info)| info.class != Class::Flag) {
        return Ok(Some(known));
    }
    for round in 0..MAX_ROUNDS {
        let places = match flags::assign(&result.function, &known.liveness) {
            Err(moved) => {
                let step = flags::move_out(&mut result.function, &known.cfg, &moved);
                compose(&mut result.origins, step);
                known = Analysis::new(&result.function)?;
                continue;
            }
            Ok(places) => places,
        };
        let infos = result.function.vregs.clone();
        for inst in result.function.insts_mut() {
            let place = |vreg: Vreg| places[vreg.index()].ok_or(AllocError::Unplaced(vreg.0));
            // A flag without meaning may have no place: nothing else may use it.
            inst.flag = match inst.flag {
                Flag::Virtual(vreg) if inst.reads_flag() || inst.writes_flag() => {
                    Flag::Fixed(place(vreg)?)
                }
                Flag::Virtual(_) => Flag::Fixed(0),
                fixed => fixed,
            };
            for operand in inst.srcs.iter_mut().chain([&mut inst.dst]) {
                if let Some(vreg) = operand.vreg()
                    && infos[vreg].class == Class::Flag
                {
                    operand.file = File::Arf(ArfKind::Flag);
                    operand.offset += u32::from(place(vreg)?) * 2;
                }
            }
        }
        if round == 0 {
            return Ok(Some(known));
        }
        flags::clear_all(&mut result.function, &mut result.origins);
        return Ok(None);
    }
    Err(AllocError::Rounds(MAX_ROUNDS))
}

/// Assigns general registers and spills as needed. `known` is an analysis of the current function, if one is
/// available.
fn assign_registers(
    result: &mut Allocation,
    mut known: Option<Analysis>,
    target: &Target,
    options: Options,
) -> Result<(), AllocError> {
    for _ in 0..MAX_ROUNDS {
        let Analysis { cfg, liveness } = match known.take() {
            Some(known) => known,
            None => Analysis::new(&result.function)?,
        };
        let registers = peak(&result.function, &liveness);
        let count = target.registers.count;
        let too_many = registers > count;
        if too_many && !options.may_spill {
            return Err(AllocError::Pressure { registers, count });
        }
        let scan = |strategy| assign(&result.function, &liveness, &cfg, target.registers, strategy);
        let dense = Strategy::Dense { spill: options.may_spill };
        let found = if too_many {
            scan(dense)
        } else {
            let cyclic = [Strategy::Apart, Strategy::Spread].into_iter();
            let mut found = cyclic.skip(usize::from(!options.apart)).map(scan);
            let found = found.find(|found| found.spilled.is_empty());
            found.unwrap_or_else(|| scan(dense))
        };
        let stuck = found.spilled.first().filter(|_| !options.may_spill);
        if let Some(vreg) = found.impossible.or(stuck.copied()) {
            let bytes = result.function.vregs[vreg].bytes;
            return Err(AllocError::Impossible { vreg: vreg.0, bytes });
        }
        if found.spilled.is_empty() {
            apply(&mut result.function, &found.places);
            result.registers = registers;
            return Ok(());
        }
        let done = spill::spill(&mut result.function, target, options.pipeline, &found.spilled)
            .map_err(|e| AllocError::OutOfScratch {
                bytes: e.0,
                limit: target.max_scratch_bytes(options.pipeline),
            })?;
        result.spills += done.stores;
        result.fills += done.fills;
        compose(&mut result.origins, done.origins);
    }
    Err(AllocError::Rounds(MAX_ROUNDS))
}

/// Replaces virtual registers by the registers at `places`. A virtual register without a place becomes null: it is
/// live nowhere.
fn apply(function: &mut Function, places: &[Option<u32>]) {
    let place = |operand: &mut Operand| {
        if let Some(vreg) = operand.vreg() {
            match places[vreg.index()] {
                Some(place) => {
                    operand.file = File::Grf;
                    operand.offset += place;
                }
                None => (operand.file, operand.offset) = (File::Null, 0),
            }
        }
    };
    for inst in function.insts_mut() {
        inst.srcs.iter_mut().for_each(place);
        place(&mut inst.dst);
    }
    function.vregs = Vregs::default();
}

#[cfg(test)]
pub(crate) mod tests;
