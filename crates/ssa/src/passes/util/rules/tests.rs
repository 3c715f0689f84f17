use super::*;
use crate::text::parse;
use crate::verify::verify;

/// The definitions in a body after rules were applied and dead code was removed. The body may read `%0`, an unknown
/// vector.
fn apply(rules: &'static [Rule], body: &str) -> String {
    let head = "compute \"t\" {\n local_size 1, 1, 1\n binding b0: ssbo set 0 binding 0 \"out\"\n";
    let first = "%0: 32x3 = sysval local_invocation_id\n";
    let mut shader = parse(&format!("{head}{first}{body}\nreturn\n}}")).unwrap();
    RuleSet::new(&[rules]).apply(&mut shader);
    crate::passes::opt_dce(&mut shader);
    verify(&shader).unwrap();
    shader.compact();
    let text = shader.to_string();
    let lines = text.lines().filter(|line| line.contains('='));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.skip(1).map(|line| words(line) + "\n").collect()
}

static TURNS: &[Rule] = rules! {
    (IMul a 2) => (IAdd a a);
    (ISub a b) => (IMul (IMul a b) 2);
    (IMul a a) => (INot a);
};

#[test]
fn what_a_rule_makes_has_rules_applied_to_it_inside_and_at_the_root() {
    let made = apply(TURNS, "%1: 32 = isub %0.x, %0.x\nstore ssbo b0, %1, %1, align 4");
    assert_eq!(made, "%1: 32 = inot %0.x\n%2: 32 = iadd %1, %1\n");
}

static EXACT: &[Rule] = rules! {
    (FMul (FNeg a) b) => (FSub (FRcp (FSqrt a)) (FAbs b));
    (FRcp (FSqrt a)) => (FRsq a);
    (FAbs a) -> a;
};

#[test]
fn what_takes_the_place_of_exact_operations_is_exact_and_nothing_else() {
    // Only the inner operation of the first product is exact. So all replacements of that product are exact, and
    // no rule that changes results applies to them.
    let made = apply(
        EXACT,
        "%1: 32 = fneg.exact %0.x
        %2: 32 = fmul %1, %0.y
        %3: 32 = fneg %0.x
        %4: 32 = fmul %3, %0.y
        store ssbo b0, %2, %4, align 4",
    );
    let expected = "%1: 32 = frsq.exact %0.x
        %2: 32 = fabs.exact %0.y
        %3: 32 = fsub.exact %1, %2
        %4: 32 = frsq %0.x
        %5: 32 = fsub %4, %0.y";
    assert_eq!(made, expected.replace("        ", "") + "\n");
}

static INNER: &[Rule] = rules! {
    (FAdd a b) => (FMul (FMin a b) (FAbs b));
    (FMin (FSqrt a) b) => (FMax a b);
};

#[test]
fn exactness_that_a_made_operation_takes_from_its_source_ends_with_it() {
    let made = apply(
        INNER,
        "%1: 32 = fsqrt.exact %0.x
        %2: 32 = fadd %1, %0.y
        store ssbo b0, %2, %2, align 4",
    );
    let expected = "%1: 32 = fmax.exact %0.x, %0.y\n%2: 32 = fabs %0.y\n%3: 32 = fmul %1, %2\n";
    assert_eq!(made, expected);
}

static ENDLESS: &[Rule] = rules! {
    (IAdd a b) => (IAdd (IMul b a) (IMul a b));
    (IMul a b) => (ISub (IAdd a b) (IAdd b a));
};

#[test]
fn rules_that_go_on_for_ever_end() {
    let made = apply(ENDLESS, "%1: 32 = iadd %0.x, %0.y\nstore ssbo b0, %1, %1, align 4");
    // Each rule adds at most two operations.
    assert!(made.lines().count() <= 1 + 2 * MAX_RULES, "{made}");
}
