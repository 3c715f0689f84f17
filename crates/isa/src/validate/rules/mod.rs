//! The rules: one table per group.

mod conversion;
mod encoding;
mod flow;
mod indirect;
mod math;
mod message;
mod operands;
mod regions;
mod send;
mod state;
mod three;
mod wide;

use super::Rule;

/// The tables, in the order of the groups.
pub(super) static TABLES: &[&[Rule]] = &[
    encoding::RULES,
    operands::RULES,
    conversion::RULES,
    regions::RULES,
    indirect::RULES,
    wide::RULES,
    three::RULES,
    math::RULES,
    send::RULES,
    message::RULES,
    state::RULES,
    flow::RULES,
];

/// Declares a table of rules. Each row is `id severity from..=to [facts needed] "source" "sentence"
/// => check;`. A check is a closure `|context| bool`, or for a rule about whole programs `program
/// |insts, generation, found| ..`, see [`ProgramCheck`](super::ProgramCheck).
macro_rules! rules {
    ($($id:literal $severity:ident $from:ident..=$to:ident [$($fact:ident)*] $source:literal $text:literal
       => $($kind:ident)? |$($arg:ident),+| $check:expr;)+) => {
        pub(super) static RULES: &[$crate::validate::Rule] = &[
            $($crate::validate::Rule {
                id: $id,
                severity: $crate::validate::Severity::$severity,
                generations: crestline_device::Gen::$from..=crestline_device::Gen::$to,
                source: $source,
                text: $text,
                needs: $crate::validate::context::Facts::ANY$(.and($crate::validate::context::Facts::$fact))*,
                check: rules!(@check $($kind)? |$($arg),+| $check),
            },)+
        ];
    };
    (@check program |$($arg:ident),+| $check:expr) => { $crate::validate::Check::Program(|$($arg),+| $check) };
    (@check |$($arg:ident),+| $check:expr) => { $crate::validate::Check::Inst(|$($arg),+| $check) };
}

use rules;
