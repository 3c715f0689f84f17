//! The validator: checks whether instructions and programs are legal on a device.
//!
//! Each rule is a row of a table: an id, a severity, generations, a source, the rule in one
//! sentence, and a check function. The check of an instruction gets a `Context`, which contains
//! facts that many checks need, computed once: operand regions, execution type, registers accessed.
//!
//! Rules that only describe what known compilers avoid are warnings; all others are errors.
//! `docs/validation-rules.md` lists them. `tests/isa/rules/` contains code that keeps each rule and
//! code that breaks it.
//!
//! A row also lists the facts (`Facts`) that an instruction must have for the check to run. Some
//! are necessary for the check function to be valid (for example, that there is a second source).
//! Others are conditions without which the rule cannot be broken; they only save time, since most
//! instructions have few facts.

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

/// The consequence of breaking a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Known compilers avoid this; it is not public whether the hardware has a problem with it.
    Warning,
    /// The result is undefined, or the hardware hangs.
    Error,
}

/// The check function of a rule.
#[derive(Clone, Copy)]
enum Check {
    /// One instruction: `true` if it breaks the rule.
    Inst(fn(&Context<'_>) -> bool),
    /// A whole program.
    Program(ProgramCheck),
}

/// A check of a program: instructions with their byte offsets. It calls the function with the index
/// of each instruction that breaks the rule.
type ProgramCheck = fn(&[(usize, Inst)], Gen, &mut dyn FnMut(usize));

/// One rule.
pub struct Rule {
    /// Id: a group letter and a number.
    pub id: &'static str,
    /// Severity.
    pub severity: Severity,
    /// The generations it holds for.
    pub generations: RangeInclusive<Gen>,
    /// Source, such as a manual.
    pub source: &'static str,
    /// The rule, in one sentence.
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

    /// Whether it is a rule for whole programs, which only [`Validator::check_program`] checks.
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

/// All rules, group by group.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::TABLES.iter().flat_map(|table| table.iter())
}

/// A check of one instruction: returns `true` if it breaks the rule.
type InstCheck = fn(&Context<'_>) -> bool;

/// The rules of one device, ready to run.
pub struct Validator {
    device: Device,
    /// Rules for single instructions, grouped by the facts they need, so that the facts are
    /// compared once per group.
    groups: Vec<(Facts, Vec<(InstCheck, &'static Rule)>)>,
    /// Rules for whole programs.
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
    /// A validator with all rules for the device's generation.
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

    /// Removes the rule with an id: for tests, and for users who know that a rule does not apply to
    /// their code.
    pub fn without(mut self, id: &str) -> Validator {
        for (_, rules) in &mut self.groups {
            rules.retain(|(_, rule)| rule.id != id);
        }
        self.programs.retain(|(_, rule)| rule.id != id);
        self
    }

    /// Calls `found` with every rule that the instruction breaks. Does not check rules for [whole
    /// programs](Rule::concerns_programs).
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

    /// Checks a program, whose instructions have byte offsets as from
    /// [`decode_program`](crate::decode_program). Returns the findings in program order.
    pub fn check_program(&self, insts: &[(usize, Inst)]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut add =
            |rule, index: usize| findings.push(Finding { rule, index, offset: insts[index].0 });
        let padding = Padding::of(insts.iter().map(|(_, inst)| inst));
        for (index, (_, inst)) in insts.iter().enumerate() {
            // Padding instructions are not checked. Only `illegal` can be padding; comparing the
            // opcode first is fast.
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
