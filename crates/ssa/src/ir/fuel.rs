//! A limit on the number of changes that optimisation passes make.

/// A number of changes that may still be made. Bisecting this limit finds the change that breaks a program.
///
/// It is stored in the function ([`Function::fuel`](super::Function::fuel)), where passes take one unit before each
/// change. The default is unlimited and does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fuel(Option<Box<Tank>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tank {
    /// Changes that may still be made.
    left: u64,
    /// Changes made so far.
    used: u64,
    /// The pass that is running.
    pass: &'static str,
    last: Option<LastChange>,
}

/// The last change that the limit allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// The pass that made it.
    pub pass: &'static str,
    /// The changed instruction, variable or block, as it was before the change.
    pub what: String,
}

impl Fuel {
    /// A limit of this many changes.
    pub fn new(changes: u64) -> Fuel {
        Fuel(Some(Box::new(Tank { left: changes, ..Tank::default() })))
    }

    /// Whether there is a limit. Without one, changes are not counted.
    pub fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    /// Whether no more changes are allowed.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_some_and(|tank| tank.left == 0)
    }

    /// Number of changes made so far; 0 without a limit.
    pub fn used(&self) -> u64 {
        self.0.as_ref().map_or(0, |tank| tank.used)
    }

    /// The last change that was allowed; `None` before the limit is reached.
    pub fn last_change(&self) -> Option<&LastChange> {
        self.0.as_ref()?.last.as_ref()
    }

    /// Sets the name of the pass that makes the following changes.
    pub fn enter(&mut self, pass: &'static str) {
        if let Some(tank) = &mut self.0 {
            tank.pass = pass;
        }
    }

    /// Takes one unit. Returns false if none is left: the change must not be made then. `what` describes the change;
    /// it is called only for the last unit.
    #[inline]
    pub fn take(&mut self, what: impl FnOnce() -> String) -> bool {
        match &mut self.0 {
            None => true,
            Some(tank) => tank.take(what),
        }
    }
}

impl Tank {
    /// Takes one unit; see [`Fuel::take`].
    fn take(&mut self, what: impl FnOnce() -> String) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.used += 1;
        if self.left == 0 {
            self.last = Some(LastChange { pass: self.pass, what: what() });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_change_is_told_and_no_other_is_made() {
        let mut fuel = Fuel::new(2);
        fuel.enter("opt_a");
        assert!(fuel.take(|| unreachable!("not at the limit")));
        fuel.enter("opt_b");
        assert!(fuel.take(|| "x".into()));
        assert!(!fuel.take(|| unreachable!("beyond the limit")) && fuel.is_empty());
        assert_eq!(fuel.used(), 2);
        assert_eq!(fuel.last_change(), Some(&LastChange { pass: "opt_b", what: "x".into() }));
        let mut unlimited = Fuel::default();
        assert!(unlimited.take(|| unreachable!("no limit")) && unlimited == Fuel::default());
    }
}
