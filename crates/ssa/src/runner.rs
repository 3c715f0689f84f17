//! The pass runner, for the IR of this crate and for that of the back end. It selects the passes to run, gives them
//! fuel, verifies after each change, calls an observer, and decides which passes run again.
//!
//! A pass declares which kinds of facts it reads and which it changes ([`Fact`]). A pass runs again only if a kind
//! that it reads was changed after it last started. So passes do not depend on each other, and a list can hold any
//! passes.
//!
//! A pass may omit a kind that it reads, if with that kind it would run often but rarely find a change. This can
//! make the resulting code less optimised, but never wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::Fuel;

/// A kind of facts about code. A change of such a fact may give passes that read the kind new work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Fact {
    /// Which operations occur, and their modifiers.
    Arithmetic,
    /// Which values the instructions read.
    Operands,
    /// Moves, and vectors built from other values.
    Copies,
    /// Which values are constants.
    Constants,
    /// Booleans that select a branch or a value.
    Conditions,
    /// Conditionals and loops, their parameters and results, and jumps.
    ControlFlow,
    /// Numbers of iterations of loops.
    LoopCounts,
    /// The amount of code in regions.
    CodeSize,
    /// Loads, stores and other accesses, and their addresses.
    Memory,
    /// Variables, their loads and stores.
    Variables,
    /// Instructions whose results are unused.
    DeadCode,
    /// The last use of each value.
    Lifetimes,
    /// The register that holds each value.
    Registers,
    /// Conditions that instructions write to flag registers.
    Flags,
}

impl Fact {
    /// Every kind.
    pub const ALL: [Fact; 14] = [
        Fact::Arithmetic,
        Fact::Operands,
        Fact::Copies,
        Fact::Constants,
        Fact::Conditions,
        Fact::ControlFlow,
        Fact::LoopCounts,
        Fact::CodeSize,
        Fact::Memory,
        Fact::Variables,
        Fact::DeadCode,
        Fact::Lifetimes,
        Fact::Registers,
        Fact::Flags,
    ];
}

/// A set of kinds of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(u32);

impl Facts {
    /// All kinds.
    pub const ALL: Facts = Facts::of(&Fact::ALL);

    /// The set of these kinds.
    pub const fn of(facts: &[Fact]) -> Facts {
        let (mut bits, mut at) = (0, 0);
        while at < facts.len() {
            bits |= 1 << facts[at] as u32;
            at += 1;
        }
        Facts(bits)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the kind is in the set.
    pub const fn has(self, fact: Fact) -> bool {
        self.0 >> fact as u32 & 1 == 1
    }
}

/// A pass: its declarations, and a function of type `R`, which depends on the IR.
#[derive(Clone, Copy, Debug)]
pub struct Pass<R> {
    /// Name of the function, of its file, in traces and on the command line. Passes named `opt_*` may be skipped.
    pub name: &'static str,
    /// The kinds of facts whose change may give the pass work.
    pub reads: Facts,
    /// The kinds of facts that a change made by the pass may affect.
    pub changes: Facts,
    /// The function that does the work.
    pub run: R,
}

impl<R> Pass<R> {
    /// Whether the pass may be skipped.
    pub fn is_optional(&self) -> bool {
        self.name.starts_with("opt_")
    }
}

/// An IR that passes run on.
pub trait Ir {
    /// The error of the verifier: a broken rule.
    type Error;

    /// The fuel that the code holds, from which passes take units.
    fn fuel(&mut self) -> &mut Fuel;

    /// Checks all invariants that passes rely on.
    ///
    /// # Errors
    /// The first rule that is broken.
    fn verify(&self) -> Result<(), Self::Error>;
}

/// A pass left code that the verifier rejects. This is a defect of the pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {pass}: {error}")]
pub struct Broken<V> {
    /// Name of the pass.
    pub pass: &'static str,
    /// The broken rule.
    pub error: V,
}

/// Which passes run.
#[derive(Clone, Copy, Debug)]
pub struct Switches<'a> {
    /// Whether any `opt_*` pass runs.
    pub optimize: bool,
    /// Names of `opt_*` passes that do not run.
    pub disabled: &'a BTreeSet<String>,
    /// Whether the verifier runs after each pass that changed something.
    pub verify: bool,
}

/// A function that runs a pass of the list on the IR and returns whether it changed anything.
pub type Call<'a, I, R, E> = dyn Fn(&Pass<R>, &mut I) -> Result<bool, E> + 'a;

/// Runs passes. `R` is the type of [`Pass::run`], `E` the error type of passes and of the runner.
pub struct Runner<'a, I: Ir, R: 'static, E> {
    switches: Switches<'a>,
    fuel: Fuel,
    call: &'a Call<'a, I, R, E>,
    /// Called after each pass that changed something.
    observe: &'a mut dyn FnMut(&'static str, &I),
    /// The list to repeat after each `lower_*` pass that changed something, and the greatest number of rounds.
    everywhere: Option<(&'static [Pass<R>], u32)>,
    history: History,
}

impl<'a, I: Ir, R, E: From<Broken<I::Error>>> Runner<'a, I, R, E> {
    /// A runner that has not run any pass. `call` runs a pass. `observe` is called with the pass's name after each
    /// pass that changed something.
    pub fn new(
        switches: Switches<'a>,
        fuel: Fuel,
        call: &'a Call<'a, I, R, E>,
        observe: &'a mut dyn FnMut(&'static str, &I),
    ) -> Self {
        let history = History::default();
        Runner { switches, fuel, call, observe, everywhere: None, history }
    }

    /// After each `lower_*` pass that changes something, the runner will run this list with [`Runner::repeat`].
    pub fn repeat_everywhere(&mut self, list: &'static [Pass<R>], rounds: u32) {
        self.everywhere = Some((list, rounds));
    }

    /// Records the passes of a list as if they had just run. They run again only when facts that they read change.
    pub fn assume_run(&mut self, list: &[Pass<R>]) {
        list.iter().for_each(|pass| self.history.runs(pass));
    }

    /// The fuel that is left.
    pub fn into_fuel(self) -> Fuel {
        self.fuel
    }

    /// The fuel. Steps between passes read it.
    pub fn fuel(&self) -> &Fuel {
        &self.fuel
    }

    /// Calls the observer after a step that is not a pass, and verifies the code.
    ///
    /// # Errors
    /// Broken code.
    pub fn observe(&mut self, name: &'static str, ir: &I) -> Result<(), E> {
        (self.observe)(name, ir);
        if self.switches.verify {
            ir.verify().map_err(|error| Broken { pass: name, error })?;
        }
        Ok(())
    }

    /// Runs a pass, unless it is switched off, without fuel, or without work. Returns whether it changed anything.
    ///
    /// # Errors
    /// Those of the pass; broken code.
    pub fn run(&mut self, pass: &Pass<R>, ir: &mut I) -> Result<bool, E> {
        let call = self.call;
        self.run_as(pass, ir, |ir| call(pass, ir))
    }

    /// Does what [`Runner::run`] does, but calls `run` instead of the pass's own function.
    ///
    /// # Errors
    /// Those of the pass; broken code.
    pub fn run_as(
        &mut self,
        pass: &Pass<R>,
        ir: &mut I,
        run: impl FnOnce(&mut I) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let optional = pass.is_optional();
        let off = || !self.switches.optimize || self.switches.disabled.contains(pass.name);
        if optional && (self.fuel.is_empty() || off()) || !self.history.has_work(pass) {
            return Ok(false);
        }
        self.history.runs(pass);
        // Fuel limits optimisations only. A lowering pass must make all its changes, even if it uses the same rewrite
        // rules.
        let changed = if optional {
            self.fuel.enter(pass.name);
            *ir.fuel() = std::mem::take(&mut self.fuel);
            let changed = run(ir);
            self.fuel = std::mem::take(ir.fuel());
            changed?
        } else {
            run(ir)?
        };
        if changed {
            self.history.changes(pass);
            self.observe(pass.name, ir)?;
        }
        Ok(changed)
    }

    /// Runs each pass of a list, in order. Returns whether any changed anything.
    ///
    /// # Errors
    /// Those of the passes; broken code.
    pub fn once(&mut self, list: &[Pass<R>], ir: &mut I) -> Result<bool, E> {
        let mut changed = false;
        for pass in list {
            let now = self.run(pass, ir)?;
            changed |= now;
            if let (true, false, Some((list, rounds))) = (now, pass.is_optional(), self.everywhere)
            {
                self.repeat(list, rounds, ir)?;
            }
        }
        Ok(changed)
    }

    /// Runs the passes of a list in order, repeatedly, until a round changes nothing or `rounds` rounds are done.
    ///
    /// # Errors
    /// Those of the passes; broken code.
    pub fn repeat(&mut self, list: &[Pass<R>], rounds: u32, ir: &mut I) -> Result<(), E> {
        for _ in 0..rounds {
            if !self.once(list, ir)? {
                break;
            }
        }
        Ok(())
    }
}

/// Logical times at which passes started and facts changed.
#[derive(Debug, Default)]
struct History {
    /// The current time: it increases by one at each start of a pass and each change.
    now: u32,
    /// The time at which each pass last started, by name.
    began: BTreeMap<&'static str, u32>,
    /// The time at which each kind of facts last changed.
    changed: [u32; Fact::ALL.len()],
}

impl History {
    /// Records that the pass starts now.
    fn runs<R>(&mut self, pass: &Pass<R>) {
        self.now += 1;
        self.began.insert(pass.name, self.now);
    }

    /// Records that the pass made a change: all kinds that it may affect change now.
    fn changes<R>(&mut self, pass: &Pass<R>) {
        self.now += 1;
        for (at, &fact) in Fact::ALL.iter().enumerate() {
            if pass.changes.has(fact) {
                self.changed[at] = self.now;
            }
        }
    }

    /// Whether the pass never ran, or a kind that it reads changed after it last started.
    fn has_work<R>(&self, pass: &Pass<R>) -> bool {
        let Some(&began) = self.began.get(pass.name) else { return true };
        let mut kinds = Fact::ALL.iter().zip(self.changed);
        kinds.any(|(&fact, changed)| changed > began && pass.reads.has(fact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An IR for tests: the number of changes that each of two passes can still make, and a log of the passes that ran.
    #[derive(Default)]
    struct Numbers {
        left: [u32; 2],
        ran: Vec<&'static str>,
        fuel: Fuel,
    }

    impl Ir for Numbers {
        type Error = &'static str;

        fn fuel(&mut self) -> &mut Fuel {
            &mut self.fuel
        }

        fn verify(&self) -> Result<(), &'static str> {
            if self.left[0] == 13 { Err("13 is bad luck") } else { Ok(()) }
        }
    }

    type Run = fn(&mut Numbers) -> bool;

    const fn pass(name: &'static str, reads: &[Fact], changes: &[Fact], run: Run) -> Pass<Run> {
        Pass { name, reads: Facts::of(reads), changes: Facts::of(changes), run }
    }

    fn take(numbers: &mut Numbers, at: usize) -> bool {
        let some = numbers.left[at] > 0 && numbers.fuel.take(String::new);
        numbers.left[at] -= u32::from(some);
        some
    }

    /// Two passes whose changes make the other run, one that changes nothing, and one that reads a fact that nothing
    /// changes.
    static LIST: &[Pass<Run>] = &[
        pass("opt_a", &[Fact::Copies], &[Fact::Constants], |n| take(n, 0)),
        pass("opt_b", &[Fact::Constants], &[Fact::Copies], |n| take(n, 1)),
        pass("opt_look", &[Fact::Constants], &[], |_| false),
        pass("opt_else", &[Fact::Memory], &[Fact::Memory], |_| false),
    ];

    fn run(
        numbers: &mut Numbers,
        fuel: Fuel,
        disabled: &[&str],
        work: impl FnOnce(
            &mut Runner<'_, Numbers, Run, Broken<&'static str>>,
            &mut Numbers,
        ) -> Result<(), Broken<&'static str>>,
    ) -> (Result<(), Broken<&'static str>>, Fuel, Vec<&'static str>) {
        let disabled = disabled.iter().map(|&name| name.to_owned()).collect();
        let switches = Switches { optimize: true, disabled: &disabled, verify: true };
        let mut seen = Vec::new();
        let mut observe = |name, _: &Numbers| seen.push(name);
        let call = |pass: &Pass<Run>, numbers: &mut Numbers| {
            numbers.ran.push(pass.name);
            Ok((pass.run)(numbers))
        };
        let mut runner = Runner::new(switches, fuel, &call, &mut observe);
        let result = work(&mut runner, numbers);
        let fuel = runner.into_fuel();
        (result, fuel, seen)
    }

    #[test]
    fn a_pass_runs_again_only_after_what_it_reads_has_changed() {
        let mut numbers = Numbers { left: [2, 1], ..Numbers::default() };
        let (result, _, seen) =
            run(&mut numbers, Fuel::default(), &[], |r, n| r.repeat(LIST, 9, n));
        assert_eq!(result, Ok(()));
        let first = ["opt_a", "opt_b", "opt_look", "opt_else"];
        let second = ["opt_a", "opt_b", "opt_look"];
        assert_eq!(numbers.ran, [&first[..], &second[..]].concat());
        assert_eq!(seen, ["opt_a", "opt_b", "opt_a"]);
    }

    #[test]
    fn rounds_are_bounded_and_what_was_assumed_does_not_run() {
        let mut numbers = Numbers { left: [100, 100], ..Numbers::default() };
        run(&mut numbers, Fuel::default(), &[], |r, n| r.repeat(LIST, 3, n)).0.unwrap();
        assert_eq!(numbers.left, [97, 97]);
        numbers.ran.clear();
        let assumed = run(&mut numbers, Fuel::default(), &[], |r, n| {
            r.assume_run(LIST);
            r.repeat(LIST, 3, n)
        });
        assert!(assumed.0.is_ok() && numbers.ran.is_empty());
    }

    #[test]
    fn switches_and_fuel_stop_passes() {
        let mut numbers = Numbers { left: [5, 5], ..Numbers::default() };
        run(&mut numbers, Fuel::default(), &["opt_a"], |r, n| r.repeat(LIST, 9, n)).0.unwrap();
        assert_eq!(numbers.left, [5, 4]);
        let (_, fuel, _) = run(&mut numbers, Fuel::new(3), &[], |r, n| r.repeat(LIST, 9, n));
        assert_eq!((numbers.left, fuel.used(), fuel.is_empty()), ([3, 3], 3, true));
    }

    #[test]
    fn broken_code_names_the_pass() {
        let mut numbers = Numbers { left: [14, 1], ..Numbers::default() };
        let (result, _, _) = run(&mut numbers, Fuel::default(), &[], |r, n| r.repeat(LIST, 9, n));
        assert_eq!(result, Err(Broken { pass: "opt_a", error: "13 is bad luck" }));
    }

    /// A list can hold more passes than a machine word has bits.
    #[test]
    fn lists_may_be_long() {
        let names: Vec<&'static str> = (0..200).map(|i| &*format!("opt_{i}").leak()).collect();
        let reads = &[Fact::Copies];
        let mut list: Vec<Pass<Run>> =
            names.iter().map(|&name| pass(name, reads, &[], |_| false)).collect();
        list.push(LIST[1]);
        let mut numbers = Numbers { left: [0, 1], ..Numbers::default() };
        run(&mut numbers, Fuel::default(), &[], |r, n| r.repeat(&list, 9, n)).0.unwrap();
        // All passes run once. The last one changes `Copies`, so all others run again.
        assert_eq!(numbers.ran.len(), 201 + 200);
    }

    #[test]
    fn a_lowering_pass_may_be_followed_by_a_list_and_needs_no_fuel() {
        static LOWER: &[Pass<Run>] = &[pass("lower_c", &[], &[Fact::Copies], |n| {
            n.left[0] += 1;
            true
        })];
        let mut numbers = Numbers::default();
        let (result, _, seen) = run(&mut numbers, Fuel::default(), &[], |r, n| {
            r.repeat_everywhere(LIST, 9);
            r.once(LOWER, n).map(|_| ())
        });
        assert_eq!((result, numbers.left[0]), (Ok(()), 0));
        assert_eq!(seen, ["lower_c", "opt_a"]);
        let (_, _, seen) =
            run(&mut numbers, Fuel::new(0), &[], |r, n| r.once(LOWER, n).map(|_| ()));
        assert_eq!(seen, ["lower_c"]);
    }
}
