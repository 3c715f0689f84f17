//! The lists of the back end's passes: their order, and the facts about the program that each reads and changes.
//! [`crate::backend`] runs the lists.

use crestline_ssa::runner::{self, Fact, Facts};

use crate::passes::*;
use crate::schedule::{opt_dependency_control, opt_schedule_early, opt_schedule_late};
use crate::scoreboard::lower_scoreboard;

/// A pass of this crate.
pub type Pass = runner::Pass<PassFn>;

/// A list of passes with the facts that each `reads` (all facts, if there is no `reads`) and `changes`. A pass runs
/// again only if a fact that it reads may have changed.
macro_rules! passes {
    ($($name:ident $(reads [$($read:ident),+])? changes $changed:tt),* $(,)?) => {
        &[$(Pass {
            name: stringify!($name),
            reads: passes!(@facts $([$($read),+])?),
            changes: passes!(@facts $changed),
            run: $name,
        }),*]
    };
    (@facts) => { Facts::ALL };
    (@facts all) => { Facts::ALL };
    (@facts [$($fact:ident),+]) => { Facts::of(&[$(Fact::$fact),+]) };
}

/// The optimisations. They run in this order until none of them changes anything.
///
/// Some read fewer facts than would be exact. For example, `opt_cmod_propagation` does not run again for instructions
/// that `opt_cse` makes equal. Such opportunities are rare.
pub const OPTIMIZE: &[Pass] = passes![
    opt_split_registers changes all,
    opt_copy_propagation reads [Copies, Registers] changes [Operands, DeadCode],
    opt_vector_copies reads [Copies, Operands, Lifetimes, Registers] changes all,
    opt_cse reads [Operands, Flags] changes [Copies, DeadCode],
    opt_cmod_propagation reads [Operands] changes [Flags, DeadCode],
    opt_saturate_propagation reads [Lifetimes] changes [Copies, DeadCode],
    opt_dead_code reads [DeadCode] changes [Lifetimes],
    opt_register_coalesce reads [Copies, Operands, Lifetimes] changes [Registers],
    opt_coalesce_results reads [Copies, Operands, Lifetimes] changes [Registers],
    opt_coalesce_vectors reads [Copies, Operands, Lifetimes, Registers, Flags] changes all,
];

/// The optimisations that run once on the selected program: those that find less after lowering, and those whose work
/// lowering would multiply. The other optimisations find as much after lowering.
pub const OPTIMIZE_SELECTED: &[Pass] =
    &[OPTIMIZE[1], OPTIMIZE[2], OPTIMIZE[4], OPTIMIZE[5], OPTIMIZE[7], OPTIMIZE[9]];

/// The lowering passes before register allocation, from selected operations to hardware instructions.
pub const LOWER: &[Pass] = passes![
    lower_uniforms changes all,
    lower_cross_channel changes all,
    lower_messages changes all,
    lower_collect changes all,
    lower_int_multiply changes all,
    lower_indirect_vectors changes all,
    lower_indirect_writes changes all,
    lower_df_immediates changes all,
    lower_df_conversions changes all,
    lower_conversions changes all,
    lower_df_swizzles changes all,
    lower_df_writemasks changes all,
    lower_simd_width changes all,
    lower_regioning changes all,
];

/// Passes that run once after those above, before scheduling. They create values with several definitions, which the
/// passes above do not handle, and they need the final positions of moves of constants.
pub const COALESCE: &[Pass] =
    passes![opt_coalesce_webs changes all, opt_pack_constants changes all];

/// The pass directly before register allocation. The back end calls a variant that keeps the analysis of the program
/// for the allocator, so this is no list.
pub const SCHEDULE: Pass = passes![opt_schedule_early changes all][0];

/// The passes directly after register allocation.
pub const SCHEDULE_ALLOCATED: &[Pass] = passes![
    opt_self_copies changes all,
    opt_schedule_late changes all,
    opt_dependency_control changes all,
];

/// The lowering passes after register allocation.
///
/// `lower_scoreboard` is last, because what it computes for an instruction depends on the instructions before it.
pub const LOWER_ALLOCATED: &[Pass] = passes![
    lower_mov_indirect changes all,
    lower_math_hazards changes all,
    lower_scoreboard changes all,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_is_named_as_its_function() {
        let all =
            [OPTIMIZE, LOWER, COALESCE, &[SCHEDULE], SCHEDULE_ALLOCATED, LOWER_ALLOCATED].concat();
        for pass in &all {
            assert!(
                pass.name.starts_with("opt_") || pass.name.starts_with("lower_"),
                "{}",
                pass.name
            );
        }
    }

    #[test]
    fn whatever_an_optimisation_changes_another_reads() {
        for pass in OPTIMIZE {
            assert!(!pass.reads.is_empty() && !pass.changes.is_empty(), "{}", pass.name);
            for fact in Fact::ALL.into_iter().filter(|&fact| pass.changes.has(fact)) {
                let read = OPTIMIZE.iter().any(|reader| reader.reads.has(fact));
                assert!(read || pass.changes == Facts::ALL, "{} changes {fact:?}", pass.name);
            }
        }
    }

    #[test]
    fn what_runs_on_selected_code_are_those_that_see_less_after_lowering() {
        let names: Vec<&str> = OPTIMIZE_SELECTED.iter().map(|pass| pass.name).collect();
        let expected = [
            "opt_copy_propagation",
            "opt_vector_copies",
            "opt_cmod_propagation",
            "opt_saturate_propagation",
            "opt_register_coalesce",
            "opt_coalesce_vectors",
        ];
        assert_eq!(names, expected);
    }
}
