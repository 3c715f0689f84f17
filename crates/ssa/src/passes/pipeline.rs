//! The pass list, and what runs it: names, switches, fuel, an observer.

use std::collections::BTreeSet;

use crestline_device::Device;

use super::*;
use crate::ir::{AluOp, Shader};

/// A pass of the list.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name: of the function, the file and in traces.
    pub name: &'static str,
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
    /// What is computed on doubles; `None` leaves all operations on them as they are.
    pub doubles: Option<Doubles>,
    /// Which system values are provided.
    pub system_values: SystemValues,
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
    /// How many times `opt_` passes may change the shader; then they stop. `None` = as often as they do. Bisecting it
    /// finds the change that breaks a shader.
    pub fuel: Option<u64>,
    /// Whether the shader has been through the list before and only what is lowered now gives `opt_` passes work: a
    /// second time with more system values known.
    pub resumed: bool,
    /// Whether the `opt_` passes run after every single lowering pass instead of after each group of them: a test of
    /// the passes.
    pub optimize_everywhere: bool,
}

/// Rows of `pass`, `pass(options)`, `pass(field of options)`, and `pass if (field of options)`; then what it wakes.
macro_rules! passes {
    ($($name:ident $(($option:ident))? $(if ($when:ident))? $(wakes [$($woken:ident),*])?),+ $(,)?) => {
        &[$(Pass {
            name: stringify!($name),
            run: |shader, _options| {
                $(if !_options.$when {
                    return false;
                })?
                $name(shader $(, passes!(@ _options $option))?)
            },
            wakes: passes!(@wakes $([$($woken),*])?),
        }),+]
    };
    (@wakes) => { None };
    (@wakes [$($woken:ident),*]) => { Some(&[$(stringify!($woken)),*]) };
    (@ $options:ident options) => { $options };
    (@ $options:ident $option:ident) => { &$options.$option };
}

/// Passes that give each other work: run again and again until none is awake. What those that change almost every
/// shader do not wake waits for the next lowering.
static CLEAN: &[Pass] = passes![
    opt_scalar_replacement,
    opt_vars_to_ssa,
    opt_copy_propagation wakes [opt_constant_folding, opt_algebraic, opt_cse, opt_dce],
    opt_constant_folding wakes [
        opt_scalar_replacement, opt_vars_to_ssa, opt_algebraic, opt_dead_control_flow, opt_large_constants,
        opt_loop_unroll, opt_cse, opt_load_store_forwarding, opt_dce
    ],
    opt_algebraic wakes [
        opt_constant_folding, opt_algebraic, opt_dead_control_flow, opt_cse, opt_load_store_forwarding, opt_dce
    ],
    opt_trivial_params,
    opt_dead_control_flow,
    opt_if_flatten,
    opt_large_constants,
    opt_loop_unroll,
    opt_cse wakes [opt_algebraic, opt_trivial_params, opt_load_store_forwarding, opt_dce],
    opt_load_store_forwarding,
    opt_dce wakes [opt_algebraic, opt_if_flatten],
];

/// Passes that would hide work from [`CLEAN`]: once each, at the end.
static LATE: &[Pass] = passes![
    opt_vectorize_memory,
    opt_fuse_ffma(options),
    opt_copy_propagation,
    opt_constant_folding,
    opt_cse,
    opt_dce,
];

/// Passes that bring the shader into the form a back end takes, in order; [`CLEAN`] runs after each group that changed
/// something.
static LOWER: &[&[Pass]] = &[
    passes![
        lower_image_load(options),
        lower_image_store(options),
        lower_image_atomic(options),
        lower_image_size(options),
        lower_texture(options),
    ],
    passes![lower_returns, lower_system_values(system_values), lower_continue_constructs,],
    // Where vectors stay, registers can be indexed.
    passes![lower_indirect_vars if (scalarize), lower_vars_to_scratch, lower_divergent_descriptors],
    passes![lower_scalarize if (scalarize)],
    passes![
        lower_f64_formulas(options),
        lower_f64_conversions(options),
        lower_f64_rounding(options),
        lower_f64_scaling(options),
        lower_f64_division(options),
        lower_f64_roots(options),
        lower_f64_fma(options),
        lower_memory_sizes if (dwords),
        lower_small_types if (dwords),
        lower_int64 if (dwords),
    ],
    passes![
        lower_trigonometry,
        lower_float_ops(options),
        lower_bit_ops(options),
        lower_int_division(options),
    ],
];

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
) -> Option<u64> {
    let mut runner = Runner { options, fuel: options.fuel, after_pass, asleep: BTreeSet::new() };
    if options.resumed {
        runner.asleep.extend(CLEAN.iter().chain(LATE).map(|pass| pass.name));
    }
    runner.clean(shader);
    for group in LOWER {
        let mut lowered = false;
        for pass in *group {
            lowered |= runner.run(shader, pass);
            if lowered && options.optimize_everywhere {
                runner.clean(shader);
            }
        }
        if lowered {
            runner.clean(shader);
        }
    }
    for pass in LATE {
        runner.run(shader, pass);
    }
    runner.fuel
}

/// Every pass, by name.
pub fn all_passes() -> impl Iterator<Item = &'static Pass> {
    CLEAN.iter().chain(LOWER.iter().copied().flatten()).chain(LATE)
}

struct Runner<'o> {
    options: &'o Options,
    fuel: Option<u64>,
    after_pass: &'o mut dyn FnMut(&'static str, &Shader),
    /// Passes that have looked since something changed that may give them work.
    asleep: BTreeSet<&'static str>,
}

impl Runner<'_> {
    fn clean(&mut self, shader: &mut Shader) {
        for _ in 0..MAX_ROUNDS {
            let mut progress = false;
            for pass in CLEAN {
                progress |= self.run(shader, pass);
            }
            if !progress {
                return;
            }
        }
    }

    fn run(&mut self, shader: &mut Shader, pass: &Pass) -> bool {
        let optional = pass.name.starts_with("opt_");
        if optional && (self.fuel == Some(0) || self.options.disabled.contains(pass.name)) {
            return false;
        }
        if !self.asleep.insert(pass.name) {
            return false;
        }
        let progress = (pass.run)(shader, &self.options.lower);
        if progress {
            match pass.wakes {
                Some(woken) => self.asleep.retain(|name| !woken.contains(name)),
                None => self.asleep.clear(),
            }
            if optional && let Some(fuel) = &mut self.fuel {
                *fuel -= 1;
            }
            (self.after_pass)(pass.name, shader);
        }
        progress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
