//! The list of passes: their order, and what each reads and changes.

use std::collections::BTreeSet;

use crestline_device::Device;

use super::util::image::ImageStep;
use super::*;
use crate::ir::{AluOp, BindingKind, Fuel, InstKind, Shader, TessDomain};
use crate::runner::{self, Broken, Fact, Facts, Runner, Switches};
use crate::verify::{VerifyError, verify};

/// A pass of this crate: its function returns whether it changed anything.
pub type Pass = runner::Pass<fn(&mut Shader, &LowerOptions) -> bool>;

/// What a back end wants lowered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowerOptions {
    /// Registers hold one component: split vector arithmetic.
    pub scalarize: bool,
    /// Registers have 32 bits: memory is accessed by dwords and single elements, integers of other sizes and half floats
    /// are computed in 32 bits. Wants scalars.
    pub dwords: bool,
    /// No register or message is for 8 or 16 bits: such values are computed and kept in 32, and memory is accessed by
    /// whole dwords instead of single elements.
    pub small_in_dwords: bool,
    /// What is computed on doubles; `None` leaves all operations on them as they are.
    pub doubles: Option<Doubles>,
    /// Which system values are provided.
    pub system_values: SystemValues,
    /// The domain that a tessellation control shader's levels are for; `None` leaves them all. An evaluation shader has
    /// its own.
    pub tess_domain: Option<TessDomain>,
    /// Arithmetic operations that the back end has not, of 32 bits. Those that no pass can replace stay: their
    /// selection reports them.
    pub unsupported_ops: BTreeSet<AluOp>,
    /// The device by whose messages images are accessed; `None` leaves image accesses as they are.
    pub images: Option<Device>,
    /// A step that image lowerings leave out, which makes the shader wrong: for the test that every step is needed.
    #[cfg(feature = "testing")]
    pub without: Option<ImageStep>,
}

impl LowerOptions {
    /// The step that image lowerings leave out.
    pub(crate) const fn left_out(&self) -> Option<ImageStep> {
        #[cfg(feature = "testing")]
        return self.without;
        #[cfg(not(feature = "testing"))]
        None
    }
}

/// Arithmetic on doubles that a back end has, beside sums, products, comparisons, least and greatest, and conversions from
/// and to 32 bits. The rest is made of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doubles {
    /// Whether a sum with a product is rounded once.
    pub fused: bool,
}

/// How to run the list.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the back end wants.
    pub lower: LowerOptions,
    /// Names of `opt_` passes that are switched off. Lowering passes cannot be.
    pub disabled: BTreeSet<String>,
    /// How many changes `opt_` passes may make; then they stop.
    pub fuel: Fuel,
    /// Whether the shader has been through the list before and only what is lowered now gives `opt_` passes work: a
    /// second time with more system values known.
    pub resumed: bool,
    /// Whether the verifier follows each pass.
    pub verify: bool,
    /// Whether the `opt_` passes run after every single lowering pass instead of after each group of them: a test of
    /// the passes.
    pub optimize_everywhere: bool,
}

/// Rows of `pass`, `pass(options)`, `pass(field of options)`, and `pass if (field of options)`; then what must be in the
/// shader for the pass to have work, and the facts that it `reads` (those of a row without them are all) and `changes`.
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
    /// Each pass once, in order.
    Once(&'static [Pass]),
    /// [`CLEAN`], until none of its passes has work.
    Clean,
    /// Those passes of [`CLEAN`] that leave control flow as it is, once.
    CleanStraight,
}

/// The list: from what the front end made to what a back end takes.
static STEPS: &[Step] = &[
    // The work of these is best cleaned together with what else there is.
    Step::Once(passes![
        lower_system_values(system_values) changes arithmetic,
        lower_tess_levels(options) changes all,
    ]),
    Step::Clean,
    Step::Once(passes![
        lower_image_load(options) of images changes arithmetic,
        lower_image_store(options) of images changes arithmetic,
        lower_image_atomic(options) of images changes all,
        lower_image_size(options) of images changes arithmetic,
        lower_texture(options) of textures changes arithmetic,
    ]),
    Step::Clean,
    Step::Once(passes![
        lower_returns of regions changes all,
        lower_continue_constructs of regions changes [ControlFlow, DeadCode],
    ]),
    Step::Clean,
    Step::Once(passes![
        // Where vectors stay, registers can be indexed.
        lower_indirect_vars if (scalarize) of variables changes all,
        lower_vars_to_scratch of variables changes all,
        lower_divergent_descriptors changes all,
    ]),
    Step::Clean,
    Step::Once(passes![lower_scalarize if (scalarize) changes arithmetic]),
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
        lower_small_types(options) of odd_sizes changes arithmetic,
        lower_small_values if (small_in_dwords) of small_sizes changes arithmetic,
        lower_int64 if (dwords) of doubles changes all,
    ]),
    Step::Clean,
    Step::Once(passes![
        lower_trigonometry changes arithmetic,
        lower_float_ops(options) changes arithmetic,
        lower_bit_ops(options) changes arithmetic,
        lower_int_division(options) changes arithmetic,
    ]),
    Step::Clean,
    // These hide work from the others, so they come last, and what they leave is cleaned once. Regions stay as they are.
    Step::Once(passes![
        opt_vectorize_memory reads [Memory, Arithmetic] changes [Memory, Copies, DeadCode],
        opt_fuse_ffma(options) reads [Arithmetic] changes [Arithmetic, DeadCode],
    ]),
    Step::CleanStraight,
];

/// Passes that give each other work.
///
/// What some of them read and change is less than it could be, since they change almost every shader: `opt_algebraic`
/// may make constants of what it simplifies, for `opt_constant_folding`; `opt_if_flatten` joins code, for
/// `opt_vectorize_memory`. Those wait for the next change of another pass.
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
    opt_dce reads [DeadCode] changes [CodeSize],
];

/// What changes where arithmetic stands in the place of other things: it may also tell how often a loop runs.
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

/// Values of 64 bits.
fn doubles(shader: &Shader) -> bool {
    shader.func.may_have_bits(64)
}

/// Values of 8 or 16 bits.
fn small_sizes(shader: &Shader) -> bool {
    shader.func.may_have_bits(8 | 16)
}

/// Values of 8, 16 or 64 bits.
fn odd_sizes(shader: &Shader) -> bool {
    shader.func.may_have_bits(8 | 16 | 64)
}

/// Rounds of [`CLEAN`] after which its work counts as done: nothing needs so many, and no mistake runs for ever.
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

/// Optimises and lowers a shader for a back end: the whole list.
///
/// `after_pass` is called after each pass that changed something, with its name. Returns the fuel that is left, for what
/// comes after.
///
/// # Errors
/// A pass left broken code, if [`Options::verify`] asks.
pub fn optimize(
    shader: &mut Shader,
    options: &Options,
    after_pass: &mut dyn FnMut(&'static str, &Shader),
) -> Result<Fuel, Broken<VerifyError>> {
    let Options { disabled, verify, .. } = options;
    let switches = Switches { optimize: true, disabled, verify: *verify };
    let call = |pass: &Pass, shader: &mut Shader| Ok((pass.run)(shader, &options.lower));
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

/// Every pass, by name.
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
