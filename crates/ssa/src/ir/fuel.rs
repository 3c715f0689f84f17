//! How many changes optimisations may still make.

/// A number of changes. Bisecting it finds the change that breaks a program.
///
/// It travels with the code ([`Function::fuel`](super::Function::fuel)), so that a pass can ask for each change that it is
/// about to make. The default has no limit and counts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fuel(Option<Box<Tank>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tank {
    left: u64,
    used: u64,
    pass: &'static str,
    last: Option<LastChange>,
}

/// The change at the limit: the last that was allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// The pass that made it.
    pub pass: &'static str,
    /// What it changed, as it was before: an instruction, a variable or a block.
    pub what: String,
}

impl Fuel {
    /// So many changes and no more.
    pub fn new(changes: u64) -> Fuel {
        Fuel(Some(Box::new(Tank { left: changes, ..Tank::default() })))
    }

    /// Whether changes are counted at all.
    pub fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    /// Whether no more changes are allowed.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_some_and(|tank| tank.left == 0)
    }

    /// Changes made so far; 0 without a limit.
    pub fn used(&self) -> u64 {
        self.0.as_ref().map_or(0, |tank| tank.used)
    }

    /// The change at the limit, once that is reached.
    pub fn last_change(&self) -> Option<&LastChange> {
        self.0.as_ref()?.last.as_ref()
    }

    /// Says which pass makes the changes that follow.
    pub fn enter(&mut self, pass: &'static str) {
        if let Some(tank) = &mut self.0 {
            tank.pass = pass;
        }
    }

    /// Takes one change out, unless none is left: whether it may be made. `what` says what changes, and is called at the
    /// limit only.
    #[inline]
    pub fn take(&mut self, what: impl FnOnce() -> String) -> bool {
        match &mut self.0 {
            None => true,
            Some(tank) => tank.take(what),
        }
    }
}

impl Tank {
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
