//! The pass list, and what runs it: names, switches, fuel, an observer.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crestline_device::Device;

use super::*;
use crate::ir::{AluOp, BindingKind, Fuel, InstKind, Shader, TessDomain};

/// A pass of the list.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name: of the function, the file and in traces.
    pub name: &'static str,
    /// Whether there is in the shader what the pass is about, at a glance.
    pub concerns: fn(&Shader) -> bool,
    /// Runs it; returns whether it changed anything.
    pub run: fn(&mut Shader, &LowerOptions) -> bool,
    /// Names of the `opt_` passes that its changes may give work; `None`: all of them, itself too.
    pub wakes: Option<&'static [&'static str]>,
}

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
    pub lacks: BTreeSet<AluOp>,
    /// The device by whose messages images are accessed; `None` leaves image accesses as they are.
    pub images: Option<Device>,
    /// A step that image lowerings leave out, which makes the shader wrong: for the test that every step is needed.
    pub without: Option<ImageStep>,
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
    /// Whether the `opt_` passes run after every single lowering pass instead of after each group of them: a test of
    /// the passes.
    pub optimize_everywhere: bool,
}

/// Rows of `pass`, `pass(options)`, `pass(field of options)`, and `pass if (field of options)`; then what it is about,
/// and what it wakes.
macro_rules! passes {
    ($(
        $name:ident $(($option:ident))? $(if ($when:ident))? $(of $matter:ident)? $(wakes $woken:tt)?
    ),+ $(,)?) => {
        &[$(Pass {
            name: stringify!($name),
            concerns: passes!(@of $($matter)?),
            run: |shader, _options| {
                $(if !_options.$when {
                    return false;
                })?
                $name(shader $(, passes!(@ _options $option))?)
            },
            wakes: passes!(@wakes $($woken)?),
        }),+]
    };
    (@of) => { |_| true };
    (@of $matter:ident) => { $matter };
    (@wakes) => { None };
    (@wakes [$($woken:ident),*]) => { Some(&[$(stringify!($woken)),*]) };
    (@wakes $list:ident) => { Some($list) };
    (@ $options:ident options) => { $options };
    (@ $options:ident $option:ident) => { &$options.$option };
}

/// Passes that give each other work: run again and again until none is awake.
///
/// Those that change almost every shader do not wake all that their changes may concern: it waits for the next lowering,
/// or for [`LATE`], where in a first run all are awake that have not run since. In a run that is resumed all sleep at the
/// start, and what flattening an `if` leaves to `opt_vectorize_memory`, `opt_fuse_ffma`, folding and copy propagation
/// may never be done: gains missed, nothing wrong.
static CLEAN: &[Pass] = passes![
    opt_scalar_replacement of variables,
    opt_vars_to_ssa of variables,
    opt_copy_propagation wakes [opt_constant_folding, opt_algebraic, opt_cse, opt_dce],
    opt_constant_folding wakes [
        opt_scalar_replacement, opt_vars_to_ssa, opt_algebraic, opt_dead_control_flow, opt_large_constants,
        opt_loop_unroll, opt_cse, opt_load_store_forwarding, opt_dce
    ],
    opt_algebraic wakes [
        opt_copy_propagation, opt_dead_control_flow, opt_cse, opt_dce
    ],
    opt_trivial_params of regions,
    opt_dead_control_flow of regions,
    opt_if_flatten of regions wakes [
        opt_algebraic, opt_trivial_params, opt_dead_control_flow, opt_if_flatten, opt_loop_unroll, opt_cse,
        opt_load_store_forwarding, opt_dce
    ],
    opt_large_constants of variables,
    opt_loop_unroll of loops,
    opt_cse wakes [opt_dce],
    opt_load_store_forwarding,
    opt_dce wakes [opt_if_flatten, opt_loop_unroll],
];

/// Passes that would hide work from [`CLEAN`]: once each, at the end.
static LATE: &[Pass] = passes![
    opt_vectorize_memory wakes [opt_copy_propagation, opt_cse, opt_dce],
    opt_fuse_ffma(options) wakes [opt_cse, opt_dce],
    opt_copy_propagation,
    opt_constant_folding,
    opt_cse,
    opt_dce,
];

/// Passes whose work is best cleaned together with what they find: before the first run of [`CLEAN`].
static EARLY: &[Pass] = passes![
    lower_system_values(system_values) wakes ARITHMETIC,
    lower_tess_levels(options),
];

/// Passes that bring the shader into the form a back end takes, in order; [`CLEAN`] runs after each group that changed
/// something.
static LOWER: &[&[Pass]] = &[
    passes![
        lower_image_load(options) of images wakes ARITHMETIC,
        lower_image_store(options) of images wakes ARITHMETIC,
        lower_image_atomic(options) of images,
        lower_image_size(options) of images wakes ARITHMETIC,
        lower_texture(options) of textures wakes ARITHMETIC,
    ],
    passes![lower_returns of regions, lower_continue_constructs of regions wakes [opt_trivial_params, opt_dead_control_flow, opt_loop_unroll, opt_cse, opt_load_store_forwarding, opt_dce]],
    passes![
        // Where vectors stay, registers can be indexed.
        lower_indirect_vars if (scalarize) of variables,
        lower_vars_to_scratch of variables,
        lower_divergent_descriptors
    ],
    passes![lower_scalarize if (scalarize) wakes ARITHMETIC],
    passes![
        lower_f64_formulas(options) of doubles wakes ARITHMETIC,
        lower_f64_conversions(options) of doubles wakes ARITHMETIC,
        lower_f64_rounding(options) of doubles wakes ARITHMETIC,
        lower_f64_scaling(options) of doubles wakes ARITHMETIC,
        lower_f64_division(options) of doubles wakes ARITHMETIC,
        lower_f64_roots(options) of doubles wakes ARITHMETIC,
        lower_f64_fma(options) of doubles wakes ARITHMETIC,
        lower_memory_sizes(options) of odd_sizes,
        lower_small_types(options) of odd_sizes wakes ARITHMETIC,
        lower_small_values if (small_in_dwords) of small_sizes wakes ARITHMETIC,
        lower_int64 if (dwords) of doubles,
    ],
    passes![
        lower_trigonometry wakes ARITHMETIC,
        lower_float_ops(options) wakes ARITHMETIC,
        lower_bit_ops(options) wakes ARITHMETIC,
        lower_int_division(options) wakes ARITHMETIC,
    ],
];

/// What arithmetic that stands in the place of other things gives work: it may also tell how often a loop runs.
static ARITHMETIC: &[&str] = &[
    "opt_copy_propagation",
    "opt_constant_folding",
    "opt_algebraic",
    "opt_loop_unroll",
    "opt_cse",
    "opt_dce",
    "opt_vectorize_memory",
    "opt_fuse_ffma",
];

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
const MAX_ROUNDS: usize = 24;

/// Optimises and lowers a shader for a back end: the whole list.
///
/// `after_pass` is called after each pass that changed something, with its name. Returns the fuel that is left, for what
/// comes after.
pub fn optimize(
    shader: &mut Shader,
    options: &Options,
    after_pass: &mut dyn FnMut(&'static str, &Shader),
) -> Fuel {
    let mut runner = Runner { options, fuel: options.fuel.clone(), after_pass, asleep: 0 };
    if options.resumed {
        let optional = LISTS.clean.iter().chain(&LISTS.late);
        runner.asleep = optional.fold(0, |names, row| names | row.name);
    }
    for row in &LISTS.early {
        runner.run(shader, row);
    }
    runner.clean(shader);
    for group in &LISTS.lower {
        let mut lowered = false;
        for row in group {
            lowered |= runner.run(shader, row);
            if lowered && options.optimize_everywhere {
                runner.clean(shader);
            }
        }
        if lowered {
            runner.clean(shader);
        }
    }
    for row in &LISTS.late {
        runner.run(shader, row);
    }
    runner.fuel
}

/// A row of a list, with names as bits.
struct Row {
    pass: &'static Pass,
    name: u64,
    /// Names of the passes to wake.
    wakes: u64,
}

/// The most names that are bits of one number.
const MAX_NAMES: usize = u64::BITS as usize;

struct Lists {
    early: Vec<Row>,
    clean: Vec<Row>,
    lower: Vec<Vec<Row>>,
    late: Vec<Row>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let names: BTreeSet<&str> = all_passes().map(|pass| pass.name).collect();
    debug_assert!(names.len() <= MAX_NAMES);
    let bit = |name: &str| names.iter().position(|&n| n == name).map_or(0, |at| 1 << at);
    let rows = |list: &'static [Pass]| -> Vec<Row> {
        let row = |pass: &'static Pass| {
            let wakes = pass.wakes.map_or(u64::MAX, |list| list.iter().fold(0, |n, w| n | bit(w)));
            Row { pass, name: bit(pass.name), wakes }
        };
        list.iter().map(row).collect()
    };
    Lists {
        early: rows(EARLY),
        clean: rows(CLEAN),
        lower: LOWER.iter().map(|group| rows(group)).collect(),
        late: rows(LATE),
    }
});

/// Every pass, by name.
pub fn all_passes() -> impl Iterator<Item = &'static Pass> {
    EARLY.iter().chain(CLEAN).chain(LOWER.iter().copied().flatten()).chain(LATE)
}

struct Runner<'o> {
    options: &'o Options,
    fuel: Fuel,
    after_pass: &'o mut dyn FnMut(&'static str, &Shader),
    /// Passes that have looked since something changed that may give them work.
    asleep: u64,
}

impl Runner<'_> {
    fn clean(&mut self, shader: &mut Shader) {
        for _ in 0..MAX_ROUNDS {
            let mut progress = false;
            for row in &LISTS.clean {
                progress |= self.run(shader, row);
            }
            if !progress {
                return;
            }
        }
    }

    fn run(&mut self, shader: &mut Shader, row: &Row) -> bool {
        if self.asleep & row.name != 0 {
            return false;
        }
        let pass = row.pass;
        let optional = pass.name.starts_with("opt_");
        if optional && (self.fuel.is_empty() || self.options.disabled.contains(pass.name)) {
            return false;
        }
        if !(pass.concerns)(shader) {
            return false;
        }
        self.asleep |= row.name;
        // Lowering is never limited, by whatever rules it works.
        if optional {
            self.fuel.enter(pass.name);
            shader.func.fuel = std::mem::take(&mut self.fuel);
        }
        let progress = (pass.run)(shader, &self.options.lower);
        if optional {
            self.fuel = std::mem::take(&mut shader.func.fuel);
        }
        if progress {
            self.asleep &= !row.wakes;
            (self.after_pass)(pass.name, shader);
        }
        progress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bits_of_one_number() {
        let names: BTreeSet<&str> = all_passes().map(|pass| pass.name).collect();
        assert!(names.len() <= MAX_NAMES, "{}", names.len());
    }

    #[test]
    fn only_passes_that_run_again_are_woken() {
        let named = |list: &'static [Pass], name| list.iter().any(|pass| pass.name == name);
        for pass in all_passes() {
            for &woken in pass.wakes.unwrap_or_default() {
                assert!(named(CLEAN, woken) || named(LATE, woken), "{} wakes {woken}", pass.name);
            }
        }
    }
}
