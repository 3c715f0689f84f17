//! Is an instruction, and a program, legal on a device?
//!
//! One rule is one row: an id, a severity, the generations it holds for, where it comes from, one sentence to act
//! on, and the check. Rules look at the finished instruction through a `Context`, which derives
//! once what many of them ask: operand regions, execution type, registers touched.
//!
//! Rules that only describe what known compilers avoid are warnings; all others are errors. `docs/validation-rules.md`
//! lists them, `tests/isa/rules/` has the code that keeps and breaks each.
//!
//! A rule runs only on instructions that show the facts it needs (`Facts`): the first of them decide what its check may
//! ask, the later ones what it cannot be broken without, so that an everyday instruction meets few checks.
//!
//! The ids group the rules: `A` encoding, `B` operands, `C` conversion and destination stride, `D` regions, `E`
//! indirect addressing, `F` 64-bit data and dword multiplication, `G` mixed float, `H` packed immediates, `I` three
//! sources, `J` math, `K` messages, `L` accumulators, `M` dependency control and options, `N` flow control,
//! `O` systolic, `P` work-arounds.

mod context;
mod lengths;
mod program;
mod rules;

use std::ops::RangeInclusive;

use crestline_device::{Device, Gen};

use crate::inst::Inst;
use crate::tables::Opcode;
use context::{Context, Facts};
pub use program::Padding;

/// What breaking a rule means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Known compilers avoid this; whether the hardware minds is not public.
    Warning,
    /// The result is undefined, or the hardware hangs.
    Error,
}

/// What a rule looks at.
#[derive(Clone, Copy)]
enum Check {
    /// One instruction: `true` if it breaks the rule.
    Inst(fn(&Context<'_>) -> bool),
    /// A whole program.
    Program(ProgramCheck),
}

/// A check of instructions with their byte offsets, which calls back with the index of each that breaks the rule.
type ProgramCheck = fn(&[(usize, Inst)], Gen, &mut dyn FnMut(usize));

/// One rule.
pub struct Rule {
    /// Its id: a group letter and a number.
    pub id: &'static str,
    /// What breaking it means.
    pub severity: Severity,
    /// The generations it holds for.
    pub generations: RangeInclusive<Gen>,
    /// Where it comes from.
    pub source: &'static str,
    /// What must hold, in one sentence.
    pub text: &'static str,
    needs: Facts,
    check: Check,
}

impl Rule {
    /// The generations it holds for, in order.
    pub fn holds_for(&self) -> impl Iterator<Item = Gen> + use<> {
        let generations = self.generations.clone();
        Gen::ALL.into_iter().filter(move |generation| generations.contains(generation))
    }

    /// Whether it looks at a program as a whole, so that only [`Validator::check_program`] finds it broken.
    pub fn concerns_programs(&self) -> bool {
        matches!(self.check, Check::Program(_))
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {})", self.id, self.text, self.source)
    }
}

/// An instruction that breaks a rule.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Index of the instruction in the program.
    pub index: usize,
    /// Byte offset of the instruction in the program.
    pub offset: usize,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = match self.rule.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let Rule { id, text, source, .. } = self.rule;
        write!(
            f,
            "{severity}[{id}] at byte {:#x}, instruction {}: {text} ({source})",
            self.offset, self.index
        )
    }
}

/// Every rule, group by group.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::TABLES.iter().flat_map(|table| table.iter())
}

/// A check of one instruction.
type InstCheck = fn(&Context<'_>) -> bool;

/// The rules of one device, ready to run.
pub struct Validator {
    device: Device,
    /// Rules of single instructions, by the facts they need, so that facts are looked at once for all of them.
    groups: Vec<(Facts, Vec<(InstCheck, &'static Rule)>)>,
    /// Rules of whole programs.
    programs: Vec<(ProgramCheck, &'static Rule)>,
}

impl std::fmt::Debug for Validator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rules = self.groups.iter().flat_map(|(_, rules)| rules).map(|(_, rule)| rule.id);
        let rules = rules.chain(self.programs.iter().map(|(_, rule)| rule.id));
        write!(
            f,
            "Validator of {}: {}",
            self.device.platform().name(),
            rules.collect::<Vec<_>>().join(" ")
        )
    }
}

impl Validator {
    /// All rules that hold for the device's generation.
    pub fn new(device: Device) -> Validator {
        let generation = device.generation();
        let mut validator = Validator { device, groups: Vec::new(), programs: Vec::new() };
        for rule in rules().filter(|rule| rule.generations.contains(&generation)) {
            match rule.check {
                Check::Program(check) => validator.programs.push((check, rule)),
                Check::Inst(check) => {
                    let group = validator.groups.iter_mut().find(|(needs, _)| *needs == rule.needs);
                    match group {
                        Some((_, rules)) => rules.push((check, rule)),
                        None => validator.groups.push((rule.needs, vec![(check, rule)])),
                    }
                }
            }
        }
        validator
    }

    /// Without the rule of that id: to show that tests notice, or to accept what a user knows better.
    pub fn without(mut self, id: &str) -> Validator {
        for (_, rules) in &mut self.groups {
            rules.retain(|(_, rule)| rule.id != id);
        }
        self.programs.retain(|(_, rule)| rule.id != id);
        self
    }

    /// Calls `found` with every rule that one instruction breaks on its own; the rules that
    /// [concern programs](Rule::concerns_programs) are left out.
    #[inline]
    pub fn check_inst(&self, inst: &Inst, mut found: impl FnMut(&'static Rule)) {
        let context = Context::new(inst, &self.device);
        for (needs, rules) in &self.groups {
            if context.facts.contains(*needs) {
                for (broken, rule) in rules {
                    if broken(&context) {
                        found(rule);
                    }
                }
            }
        }
    }

    /// Every finding in a program, in program order: instructions with their byte offsets, as
    /// [`decode_program`](crate::decode_program) gives them.
    pub fn check_program(&self, insts: &[(usize, Inst)]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut add =
            |rule, index: usize| findings.push(Finding { rule, index, offset: insts[index].0 });
        let padding = Padding::of(insts.iter().map(|(_, inst)| inst));
        for (index, (_, inst)) in insts.iter().enumerate() {
            // Only `illegal` can be padding: asked first, as it is cheap.
            if inst.opcode != Opcode::Illegal || !padding.contains(index) {
                self.check_inst(inst, |rule| add(rule, index));
            }
        }
        for (check, rule) in &self.programs {
            check(insts, self.device.generation(), &mut |index| add(*rule, index));
        }
        findings.sort_by_key(|finding| finding.index);
        findings
    }
}
