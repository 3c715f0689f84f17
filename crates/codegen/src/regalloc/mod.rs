//! Register allocation: virtual registers and flags become physical ones.
//!
//! 1. [`flags`]: virtual flags get flag subregisters; what finds none moves to a general register.
//! 2. [`liveness`]: which bytes must survive where, disabled channels included, by the
//!    [`accesses`] of each instruction.
//! 3. `assign`: linear scan over live intervals, values contiguous.
//! 4. [`spill`]: what found no place moves to scratch space; then again from 2.
//! 5. [`check`]: an independent proof of the outcome, in debug builds and tests always.
//!
//! Afterwards no operand is virtual. Push constants must have become general registers before
//! ([`File::Uniform`] is refused).

pub mod assign;
pub mod check;
pub mod flags;
pub mod spill;

use crate::target::Target;
use crestline_isa::ArfKind;

use crate::analysis::accesses::{self, Slot};
use crate::analysis::liveness::{self, Liveness};
use crate::ir::{Cfg, Class, File, Flag, FlowError, Function, Operand, Vreg, Vregs};
use assign::{Strategy, assign, peak, pressure_estimate};
use check::{CheckError, Origins};

/// Rounds of spilling after which a program counts as impossible: each round spills something,
/// and real programs need a handful.
const MAX_ROUNDS: u32 = 100;

/// Why there is no allocation.
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
    /// More registers seem to be in use at once than there are, where spilling is not allowed. Of the program to
    /// allocate that is certain; what [`check_pressure_estimate`] says of a selected one is a guess, so another way may still allocate it.
    #[error("estimated register pressure is {registers} of {count} registers")]
    Pressure {
        /// How many.
        registers: u32,
        /// How many there are.
        count: u32,
    },
    /// Spilled registers need more scratch space than a thread can have.
    #[error(
        "the shader needs {bytes} bytes of scratch memory per thread: expected at most {limit}"
    )]
    OutOfScratch {
        /// Bytes that were asked for so far, the program's own included.
        bytes: u64,
        /// Bytes there are.
        limit: u32,
    },
    /// Spilling did not come to an end.
    #[error("register allocation did not succeed after {0} rounds of spilling")]
    Rounds(u32),
    /// A register has no place although the program names it.
    #[error("virtual register v{0} is used but has no register")]
    Unplaced(u32),
    /// A pass kept a result of the analysis that does not match the program: a defect of the pass.
    #[error("the kept analysis of {0} does not match the program")]
    Stale(&'static str),
    /// Push constants were not assigned registers before.
    #[error("an operand of the instruction is still a push constant: {0}")]
    Uniform(String),
    /// The outcome is wrong: a defect of the allocator.
    #[error("register allocation is wrong: {0}")]
    Wrong(#[from] CheckError),
}

impl AllocError {
    /// Whether the compiler is wrong, whatever the program.
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

/// Choices of the caller.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether spilling is allowed; without it the first spill is [`AllocError::Impossible`] or
    /// [`AllocError::Pressure`].
    pub may_spill: bool,
    /// Whether the checker runs also in release builds, and what is known before is compared with the program.
    pub check: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { may_spill: true, check: cfg!(debug_assertions) }
    }
}

/// A program on physical registers.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The program.
    pub function: Function,
    /// Where each instruction comes from.
    pub origins: Origins,
    /// General registers in use at once, at most, payload included.
    pub registers: u32,
    /// Scratch messages that store.
    pub spills: u32,
    /// Scratch messages that fill.
    pub fills: u32,
}

/// What is known of a program on virtual registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Its control flow.
    pub cfg: Cfg,
    /// Where its registers live.
    pub liveness: Liveness,
}

impl Analysis {
    /// Looks at a program.
    ///
    /// # Errors
    /// Broken control flow.
    pub fn new(function: &Function) -> Result<Analysis, FlowError> {
        let cfg = Cfg::new(function)?;
        let liveness = Liveness::new(function, &cfg);
        Ok(Analysis { cfg, liveness })
    }

    /// Compares with what the program says: all of it, or, where flags have become physical since, control flow and the
    /// intervals of what is no flag.
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

/// Whether a selected program seems not to find registers, before much work is spent on it. This is a guess
/// ([`pressure_estimate`] errs both ways): it may give up what would have been allocated, so it is only asked where
/// spilling is not allowed and a narrower program can take its place.
///
/// # Errors
/// [`AllocError::Pressure`], where spilling is not allowed.
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
        registers if registers > count => Err(AllocError::Pressure { registers, count }),
        _ => Ok(()),
    }
}

/// Allocates registers.
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

/// Allocates registers of a program of which `known` is known.
///
/// # Errors
/// See [`AllocError`]; [`AllocError::Stale`] only where it is checked.
pub fn allocate_analysed(
    function: Function,
    known: Analysis,
    target: &Target,
    options: Options,
) -> Result<Allocation, AllocError> {
    allocate_damaged(function, known, target, options, |_| {})
}

/// The same with an outcome that `damage` changes before it is checked: to test that the checker finds it.
///
/// # Errors
/// As [`allocate_analysed`].
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

/// Moves the last source that is a register behind the payload to the next register: damage that must be found.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn misplace(function: &mut Function) {
    let payload = function.payload_registers * crate::ir::GRF_BYTES;
    let sources = function.insts_mut().flat_map(|inst| &mut inst.srcs);
    if let Some(src) = sources.filter(|src| src.file == File::Grf && src.offset >= payload).last() {
        src.offset += crate::ir::GRF_BYTES;
    }
}

fn identity(function: &Function) -> Origins {
    let list = |count: usize| (0..count as u32).map(Some).collect();
    function.blocks.iter().map(|block| list(block.insts.len())).collect()
}

/// Origins in the first program, from those in an intermediate one.
fn compose(origins: &mut Origins, step: Origins) {
    for (first, step) in origins.iter_mut().zip(step) {
        *first = step.into_iter().map(|at| first[at? as usize]).collect();
    }
}

/// Gives what is known of the program, if flags are all that changed in it.
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
            if let Flag::Virtual(vreg) = inst.flag {
                inst.flag = Flag::Fixed(place(vreg)?);
            }
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

/// `known`: what is known of control flow and general registers, if anything is.
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
            let spread = scan(Strategy::Spread);
            if spread.spilled.is_empty() { spread } else { scan(dense) }
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
        let done = spill::spill(&mut result.function, target, &found.spilled).map_err(|e| {
            AllocError::OutOfScratch { bytes: e.0, limit: target.limits().max_scratch_bytes }
        })?;
        result.spills += done.stores;
        result.fills += done.fills;
        compose(&mut result.origins, done.origins);
    }
    Err(AllocError::Rounds(MAX_ROUNDS))
}

/// Writes the places into the operands, after which no register is virtual. One that is never read nor written has no
/// place.
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
