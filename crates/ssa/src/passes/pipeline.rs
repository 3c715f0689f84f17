//! The list of passes: their order, and which facts each one reads and changes.

use std::collections::BTreeSet;

use crestline_device::Device;

use super::util::image::ImageStep;
use super::*;
use crate::ir::{AluOp, BindingKind, DebugLoc, Fuel, InstKind, Memory, Shader, TessDomain};
use crate::runner::{self, Broken, Fact, Facts, Runner, Switches};
use crate::verify::{VerifyError, verify};

/// A pass of this crate. Its function returns whether it changed anything.
pub type Pass = runner::Pass<fn(&mut Shader, &LowerOptions) -> bool>;

/// What to lower for a back end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerOptions {
    /// Split vector arithmetic into scalars, for registers that hold one component.
    pub scalarize: bool,
    /// Whether the back end has operations on subgroups.
    pub subgroups: bool,
    /// For registers of 32 bits: access memory in dwords and single elements, and compute integers of other sizes and
    /// half floats in 32 bits. Requires `scalarize`.
    pub dwords: bool,
    /// For devices without registers and messages for 8 and 16 bits: compute and keep such values in 32 bits, and
    /// access memory in whole dwords instead of single elements.
    pub small_in_dwords: bool,
    /// Whether the back end computes sums, products, minimums, maximums and comparisons of half floats, and joins and
    /// splits dwords of two 16-bit values.
    pub half_floats: bool,
    /// Whether the back end adds, subtracts and negates 64-bit integers, and extends dwords to them.
    pub int64_sums: bool,
    /// Whether messages with addresses have 32 bits of them instead of 64.
    pub addresses_32: bool,
    /// The arithmetic on doubles that the device has; `None` leaves all operations on doubles as they are.
    pub doubles: Option<Doubles>,
    /// The system values that the payload provides, and values known at compile time.
    pub system_values: SystemValues,
    /// The domain of the tessellation levels that a tessellation control shader writes; `None` keeps all levels. For an
    /// evaluation shader the domain of the shader itself is used.
    pub tess_domain: Option<TessDomain>,
    /// Whether a tessellation control shader must change inner levels of quads for the tessellator. The pass must run
    /// only once.
    pub quad_levels: bool,
    /// 32-bit arithmetic operations that the back end does not have. If no pass can replace one, it stays, and
    /// instruction selection reports it.
    pub unsupported_ops: BTreeSet<AluOp>,
    /// The most samples of a pixel, if messages to the pixel interpolator have one sample for all channels; `None` leaves
    /// weights at samples as they are.
    pub most_samples: Option<u32>,
    /// The device whose messages access images; `None` leaves image accesses as they are.
    pub images: Option<Device>,
    /// A step for the image lowerings to leave out, which makes the shader wrong. A test uses it to show that every
    /// step is needed.
    #[cfg(feature = "testing")]
    pub without: Option<ImageStep>,
}

impl LowerOptions {
    /// The step for the image lowerings to leave out, if any.
    pub(crate) const fn left_out(&self) -> Option<ImageStep> {
        #[cfg(feature = "testing")]
        return self.without;
        #[cfg(not(feature = "testing"))]
        None
    }
}

/// The arithmetic on doubles of a device, beyond sums, products, comparisons, minimum, maximum, and conversions from
/// and to 32 bits, which every device with doubles has. The `lower_f64_*` passes build all other operations from
/// these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doubles {
    /// Whether there is a multiply-add that rounds once.
    pub fused: bool,
}

/// How to run the list of passes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What to lower for the back end.
    pub lower: LowerOptions,
    /// Names of `opt_*` passes that do not run. Lowering passes cannot be switched off.
    pub disabled: BTreeSet<String>,
    /// The number of changes that `opt_*` passes may make.
    pub fuel: Fuel,
    /// Whether the shader has already been through the list. Then an `opt_*` pass runs only after a lowering made
    /// changes, such as when the list runs a second time with more system values known.
    pub resumed: bool,
    /// Whether the verifier runs after each pass that changed something.
    pub verify: bool,
    /// Whether the `opt_*` passes run after every lowering pass instead of after each group of them, as a test of the
    /// passes.
    pub optimize_everywhere: bool,
}

/// Makes a list of passes from rows. A row names the pass, then in this order:
///
/// - `(options)` or `(field)`: the pass takes all of [`LowerOptions`], or a reference to that field;
/// - `if (field)`: the pass runs only if that field of the options is true;
/// - `of condition`: a function of the shader; the pass runs only if it returns true;
/// - `reads [...]`: the kinds of facts it reads (all, if omitted), and `changes`, those it changes.
macro_rules! passes {
    ($(
        $name:ident $(($option:ident))? $(if ($when:ident))? $(of $matter:ident)?
        $(reads [$($read:ident),+])? changes $changed:tt
    ),+ $(,)?) => {
        &[$(Pass {
            name: stringify!($name),
            reads: passes!(@facts $([$($read),+])?),
            changes: passes!(@facts $changed),
            run: |shader, _options| {
                $(if !_options.$when {
                    return false;
                })?
                $(if !$matter(shader) {
                    return false;
                })?
                $name(shader $(, passes!(@ _options $option))?)
            },
        }),+]
    };
    (@facts) => { Facts::ALL };
    (@facts all) => { Facts::ALL };
    (@facts arithmetic) => { ARITHMETIC };
    (@facts [$($fact:ident),+]) => { Facts::of(&[$(Fact::$fact),+]) };
    (@ $options:ident options) => { $options };
    (@ $options:ident $option:ident) => { &$options.$option };
}

/// A part of the list.
enum Step {
    /// Runs each pass once, in order.
    Once(&'static [Pass]),
    /// Runs [`CLEAN`] repeatedly, until none of its passes has work.
    Clean,
    /// Runs once those passes of [`CLEAN`] that leave control flow as it is.
    CleanStraight,
}

/// The list, from the output of the front end to the input of the back end.
static STEPS: &[Step] = &[
    // These run before the first clean-up, which then handles their results with the rest of the code.
    Step::Once(passes![
        lower_system_values(system_values) changes arithmetic,
        lower_tess_levels(options) changes all,
    ]),
    Step::Clean,
    Step::Once(passes![
        // Its compare-exchanges on images are lowered with the others.
        lower_atomics(options) changes all,
        lower_image_load(options) of images changes arithmetic,
        lower_image_store(options) of images changes arithmetic,
        lower_image_atomic(options) of images changes all,
        lower_image_size(options) of images changes arithmetic,
        lower_texture(options) of textures changes arithmetic,
    ]),
    Step::Clean,
    Step::Once(passes![
        opt_barriers changes [Memory],
        lower_returns of regions changes all,
        lower_continue_constructs of regions changes [ControlFlow, DeadCode],
        // The levels must be changed behind all paths through the shader.
        lower_quad_levels(options) changes all,
    ]),
    Step::Clean,
    Step::Once(passes![
        opt_demote_arms of regions reads [ControlFlow] changes [ControlFlow, DeadCode],
        // With vectors, the back end can index registers.
        opt_few_values if (scalarize) of variables reads [Variables, Constants] changes all,
        lower_indirect_vars if (scalarize) of variables changes all,
    ]),
    // Variables without dynamic indices become values.
    Step::Clean,
    Step::Once(passes![
        lower_vars_to_scratch of variables changes all,
        lower_divergent_descriptors(options) changes all,
        lower_divergent_samples(most_samples) changes all,
    ]),
    Step::Clean,
    Step::Once(passes![
        // Copies are propagated before conversions of the elements are lowered.
        opt_pack_memory if (dwords) of small_sizes reads [Memory, Arithmetic]
            changes [Memory, Arithmetic, Copies, DeadCode],
        opt_scalar_factors if (scalarize) reads [Arithmetic, Copies] changes [Arithmetic, DeadCode],
        lower_scalarize if (scalarize) changes arithmetic,
    ]),
    Step::Clean,
    // Components of one vector may be equal.
    Step::Once(passes![opt_trivial_params of regions changes all]),
    Step::Clean,
    Step::Once(passes![
        lower_f64_formulas(options) of doubles changes arithmetic,
        lower_f64_conversions(options) of doubles changes arithmetic,
        lower_f64_rounding(options) of doubles changes arithmetic,
        lower_f64_scaling(options) of doubles changes arithmetic,
        lower_f64_division(options) of doubles changes arithmetic,
        lower_f64_roots(options) of doubles changes arithmetic,
        lower_f64_fma(options) of doubles changes arithmetic,
        lower_memory_sizes(options) of odd_sizes changes all,
        lower_addresses if (addresses_32) of addresses changes arithmetic,
        lower_small_types(options) of odd_sizes changes arithmetic,
        lower_small_values if (small_in_dwords) of small_sizes changes arithmetic,
        lower_int64(options) if (dwords) of doubles changes all,
    ]),
    Step::Clean,
    Step::Once(passes![
        lower_float_ops(options) changes arithmetic,
        lower_bit_ops(options) changes arithmetic,
        lower_int_division(options) changes arithmetic,
    ]),
    Step::Clean,
    // These come last because their results hide opportunities from other passes. One clean-up that keeps regions
    // follows.
    Step::Once(passes![
        opt_vectorize_memory reads [Memory, Arithmetic] changes [Memory, Copies, DeadCode],
        opt_fuse_ffma(options) reads [Arithmetic] changes [Arithmetic, DeadCode],
        lower_address_offsets(options) of addresses changes arithmetic,
    ]),
    Step::CleanStraight,
    // A product that moved could not become part of a multiply-add.
    Step::Once(passes![
        opt_hoist_common of regions reads [Arithmetic, ControlFlow, Memory]
            changes [ControlFlow, DeadCode],
        opt_loop_invariants of loops reads [Arithmetic, ControlFlow, Memory] changes [ControlFlow],
    ]),
    // Other rules move negations the other way.
    Step::Once(passes![
        opt_sink_negations reads [Arithmetic] changes [Arithmetic, Operands, DeadCode],
        opt_undefined_outputs reads [Arithmetic] changes [DeadCode],
    ]),
];

/// Passes that make further changes possible for each other.
///
/// Some of them declare fewer facts than they read or change, because they change almost every shader and the others
/// would run too often: `opt_algebraic` can make constants, which `opt_constant_folding` reads; `opt_if_flatten`
/// joins code, which `opt_vectorize_memory` reads. Such work waits until another pass causes the reader to run.
static CLEAN: &[Pass] = passes![
    opt_scalar_replacement of variables reads [Variables, Constants] changes all,
    opt_vars_to_ssa of variables reads [Variables, Constants] changes all,
    opt_copy_propagation reads [Copies] changes [Operands, DeadCode],
    opt_constant_folding reads [Operands] changes [Constants, DeadCode],
    opt_algebraic reads [Operands, Constants, ControlFlow]
        changes [Arithmetic, Copies, Conditions, DeadCode],
    opt_trivial_params of regions reads [ControlFlow] changes all,
    opt_dead_control_flow of regions reads [Constants, Conditions, ControlFlow] changes all,
    opt_if_flatten of regions reads [ControlFlow, CodeSize] changes [ControlFlow, CodeSize, DeadCode],
    opt_large_constants of variables reads [Variables, Constants] changes all,
    opt_loop_unroll of loops reads [LoopCounts, Constants, ControlFlow, CodeSize] changes all,
    opt_cse reads [Arithmetic, Operands, Constants, ControlFlow, Memory] changes [DeadCode],
    opt_load_store_forwarding reads [Memory, Constants, ControlFlow] changes all,
    opt_dead_stores reads [Memory, ControlFlow] changes [Memory, DeadCode, CodeSize],
    opt_dce reads [DeadCode] changes [CodeSize],
];

/// The facts that change if a pass replaces instructions by arithmetic. Loop counts are among them, since the number of
/// iterations may become computable.
const ARITHMETIC: Facts =
    Facts::of(&[Fact::Arithmetic, Fact::Operands, Fact::Copies, Fact::LoopCounts, Fact::DeadCode]);

fn variables(shader: &Shader) -> bool {
    !shader.vars.is_empty()
}

fn regions(shader: &Shader) -> bool {
    shader.func.has_regions()
}

fn loops(shader: &Shader) -> bool {
    shader.func.has_regions()
        && shader.func.may_have(|inst| matches!(inst.kind, InstKind::Loop { .. }))
}

fn images(shader: &Shader) -> bool {
    shader.bindings.iter().any(|binding| matches!(binding.kind, BindingKind::Image(_)))
}

fn textures(shader: &Shader) -> bool {
    shader.bindings.iter().any(|binding| matches!(binding.kind, BindingKind::Texture(_)))
}

/// Whether there may be values of 64 bits.
fn doubles(shader: &Shader) -> bool {
    shader.func.may_have_bits(64)
}

/// Whether memory is accessed by address.
fn addresses(shader: &Shader) -> bool {
    shader.func.may_have(|inst| match inst.kind {
        InstKind::Load { memory, .. }
        | InstKind::Store { memory, .. }
        | InstKind::Atomic { memory, .. } => matches!(memory, Memory::Global(_)),
        _ => false,
    })
}

/// Whether there may be values of 8 or 16 bits.
fn small_sizes(shader: &Shader) -> bool {
    shader.func.may_have_bits(8 | 16)
}

/// Whether there may be values of 8, 16 or 64 bits.
fn odd_sizes(shader: &Shader) -> bool {
    shader.func.may_have_bits(8 | 16 | 64)
}

/// Greatest number of rounds of [`CLEAN`]. No shader needs so many; the limit ends the compilation if two passes undo
/// each other's changes.
const MAX_ROUNDS: u32 = 24;

impl runner::Ir for Shader {
    type Error = VerifyError;

    fn fuel(&mut self) -> &mut Fuel {
        &mut self.func.fuel
    }

    fn verify(&self) -> Result<(), VerifyError> {
        verify(self)
    }
}

/// Optimises and lowers a shader for a back end: runs the whole list.
///
/// `after_pass` is called after each pass that changed something, with its name. Returns the fuel that is left, for the
/// passes of the back end.
///
/// # Errors
/// The verifier rejects the code after a pass, if [`Options::verify`] is set.
pub fn optimize(
    shader: &mut Shader,
    options: &Options,
    after_pass: &mut dyn FnMut(&'static str, &Shader),
) -> Result<Fuel, Broken<VerifyError>> {
    let Options { disabled, verify, .. } = options;
    let switches = Switches { optimize: true, disabled, verify: *verify };
    let call = |pass: &Pass, shader: &mut Shader| Ok(run(pass, shader, options));
    let mut runner = Runner::new(switches, options.fuel.clone(), &call, after_pass);
    if options.resumed {
        for pass in all_passes().filter(|pass| pass.is_optional()) {
            runner.assume_run(std::slice::from_ref(pass));
        }
    }
    if options.optimize_everywhere {
        runner.repeat_everywhere(CLEAN, MAX_ROUNDS);
    }
    for step in STEPS {
        match step {
            Step::Once(list) => _ = runner.once(list, shader)?,
            Step::Clean => runner.repeat(CLEAN, MAX_ROUNDS, shader)?,
            Step::CleanStraight => {
                for pass in CLEAN.iter().filter(|pass| !pass.changes.has(Fact::ControlFlow)) {
                    runner.run(pass, shader)?;
                }
            }
        }
    }
    Ok(runner.into_fuel())
}

/// Runs one pass. Instructions for which the pass sets no location get none.
fn run(pass: &Pass, shader: &mut Shader, options: &Options) -> bool {
    shader.func.loc = DebugLoc::NONE;
    let changed = (pass.run)(shader, &options.lower);
    shader.func.loc = DebugLoc::NONE;
    changed
}

/// The error of [`clean`].
pub type CleanError = Broken<VerifyError>;

/// Runs the passes that make further changes possible for each other. They lower nothing, so the shader can be changed
/// further before [`optimize`]. Returns the fuel that is left.
///
/// # Errors
/// Those of [`optimize`].
pub fn clean(
    shader: &mut Shader,
    options: &Options,
    after_pass: &mut dyn FnMut(&'static str, &Shader),
) -> Result<Fuel, CleanError> {
    let Options { disabled, verify, .. } = options;
    let switches = Switches { optimize: true, disabled, verify: *verify };
    let call = |pass: &Pass, shader: &mut Shader| Ok(run(pass, shader, options));
    let mut runner = Runner::new(switches, options.fuel.clone(), &call, after_pass);
    runner.repeat(CLEAN, MAX_ROUNDS, shader)?;
    Ok(runner.into_fuel())
}

/// Every pass of the list, once.
pub fn all_passes() -> impl Iterator<Item = &'static Pass> {
    let mut cleaned = false;
    STEPS.iter().flat_map(move |step| match step {
        Step::Once(list) => *list,
        Step::Clean if !std::mem::replace(&mut cleaned, true) => CLEAN,
        Step::Clean | Step::CleanStraight => &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_pass_changes_another_reads() {
        for pass in all_passes() {
            assert!(!pass.reads.is_empty() && !pass.changes.is_empty(), "{}", pass.name);
            for fact in Fact::ALL.into_iter().filter(|&fact| pass.changes.has(fact)) {
                let read = CLEAN.iter().any(|reader| reader.reads.has(fact));
                assert!(read || pass.changes == Facts::ALL, "{} changes {fact:?}", pass.name);
            }
        }
    }
}
