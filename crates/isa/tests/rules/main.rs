//! Tests every validation rule with code that keeps it and code that breaks it, for every
//! generation of the rule. The code is in `tests/isa/rules/ID.txt`, in the format that `cases.rs`
//! describes. A case lists all rules that its code breaks, so if a rule becomes too strict, the
//! cases of other rules fail.

mod assign;
mod cases;
mod page;

use cases::{Case, cases_of};
use crestline_device::Device;
use crestline_isa::validate::{Rule, Validator, rules};
use std::collections::BTreeSet;

/// What a case shows, if it shows something else than it says; `disabled` is a rule to leave out.
fn mismatch(case: &Case, rule: &Rule, disabled: &str) -> Option<String> {
    let place = format!("{}.txt:{}", rule.id, case.line);
    let program = match case.program() {
        Ok(program) => program,
        Err(error) => return Some(format!("{place}: {error}")),
    };
    let validator = Validator::new(Device::new(case.platform)).without(disabled);
    let mut found = BTreeSet::new();
    if rule.concerns_programs() {
        found.extend(validator.check_program(&program).iter().map(|finding| finding.rule.id));
    } else {
        for (_, inst) in &program {
            validator.check_inst(inst, |rule| {
                found.insert(rule.id);
            });
        }
    }
    let mut expected: BTreeSet<&str> = case.others.iter().map(String::as_str).collect();
    if case.fails {
        expected.insert(rule.id);
    }
    (found != expected)
        .then(|| format!("{place}: breaks {found:?} on {}, not {expected:?}", case.platform.name()))
}

#[test]
fn cases_break_the_rules_they_say() {
    let wrong: Vec<String> = rules()
        .flat_map(|rule| cases_of(rule).into_iter().map(move |case| (rule, case)))
        .filter_map(|(rule, case)| mismatch(&case, rule, ""))
        .collect();
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_is_kept_and_broken_on_each_of_its_generations() {
    let mut missing = Vec::new();
    for rule in rules() {
        let cases = cases_of(rule);
        for generation in rule.holds_for() {
            for (fails, verdict) in [(false, "passes"), (true, "fails")] {
                let shown = |c: &Case| c.fails == fails && c.platform.generation() == generation;
                if !cases.iter().any(shown) {
                    missing.push(format!("{}: nothing {verdict} on {generation}", rule.id));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The mutation test: a rule that is switched off for one generation is missed by a case.
#[test]
fn no_rule_can_be_switched_off_unnoticed() {
    for rule in rules() {
        let cases = cases_of(rule);
        for generation in rule.holds_for() {
            let noticed = cases
                .iter()
                .filter(|case| case.platform.generation() == generation)
                .any(|case| mismatch(case, rule, rule.id).is_some());
            assert!(noticed, "nothing notices that {} is off on {generation}", rule.id);
        }
    }
}

#[test]
fn no_file_is_for_no_rule() {
    let known: BTreeSet<String> = rules().map(|rule| format!("{}.txt", rule.id)).collect();
    for entry in std::fs::read_dir(cases::folder()).expect("the folder of cases") {
        let name = entry.expect("folder entry").file_name().into_string().expect("ASCII name");
        assert!(known.contains(&name), "{name} is no rule's");
    }
    assert_eq!(known.len(), rules().count(), "two rules share an id");
}

#[test]
fn the_page_of_rules_is_the_table() {
    page::check();
}
