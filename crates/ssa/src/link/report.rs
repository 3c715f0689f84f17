//! What linking changed.

use std::collections::BTreeMap;

use super::access::Cells;
use crate::ir::{IoSlot, IoVar, Shader, Stage};

/// Components of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The stage that declares it.
    pub stage: Stage,
    /// The variable's name.
    pub name: String,
    /// The slot, as the stage declares it.
    pub slot: IoSlot,
    /// The components of the slot, in components of 32 bits: bit `i` is component `i`.
    pub mask: u8,
}

/// A variable whose place changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The stage that writes it.
    pub stage: Stage,
    /// The variable's name in that stage.
    pub name: String,
    /// The slot and component at which it started.
    pub from: (IoSlot, u8),
    /// The slot and component at which it starts now.
    pub to: (IoSlot, u8),
}

/// The number of slots of locations between two stages: those up to the last one that is used, patch locations included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The stage that writes them.
    pub before: Stage,
    /// The stage that reads them.
    pub after: Stage,
    /// The number before linking.
    pub from: u32,
    /// The number after linking.
    pub to: u32,
}

/// What linking changed, in the order of the pipeline. Slots are those before linking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Outputs that are not written any more, because nothing reads them.
    pub removed: Vec<Components>,
    /// Inputs that became constants.
    pub constants: Vec<Components>,
    /// Inputs that became undefined, because the stage before does not write them.
    pub undefined: Vec<Components>,
    /// Variables that moved to other components or slots.
    pub moved: Vec<Moved>,
    /// The slots between each two stages.
    pub slots: Vec<Slots>,
    /// The stages.
    stages: Vec<Before>,
}

/// A stage before linking, and its changed components.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Before {
    stage: Stage,
    inputs: Vec<IoVar>,
    outputs: Vec<IoVar>,
    removed: Cells,
    constants: Cells,
    undefined: Cells,
}

/// The variables to which components belong.
fn named(stage: Stage, vars: &[IoVar], cells: &Cells) -> Vec<Components> {
    let mut found = Vec::new();
    for (&slot, &mask) in cells {
        for var in vars {
            let own = var.index_of(slot).map_or(0, |at| var.components(at)) as u8 & mask;
            if own != 0 {
                found.push(Components { stage, name: var.name.clone(), slot, mask: own });
            }
        }
    }
    found
}

/// Number of slots up to the last location, and up to the last patch location.
pub(super) fn ends<'a>(vars: impl IntoIterator<Item = &'a IoVar>) -> [u32; 2] {
    vars.into_iter().fold([0; 2], |[locations, patch], var| match var.slot {
        IoSlot::Location(first) => [locations.max(first + var.slots()), patch],
        IoSlot::Patch(first) => [locations, patch.max(first + var.slots())],
        _ => [locations, patch],
    })
}

impl Report {
    /// A report about shaders that have not been changed.
    pub(super) fn of(shaders: &[Shader]) -> Report {
        let stages = shaders.iter().map(|shader| Before {
            stage: shader.stage.stage(),
            inputs: shader.inputs.clone(),
            outputs: shader.outputs.clone(),
            removed: BTreeMap::new(),
            constants: BTreeMap::new(),
            undefined: BTreeMap::new(),
        });
        Report { stages: stages.collect(), ..Report::default() }
    }

    /// Whether linking changed nothing.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty()
            && self.constants.is_empty()
            && self.undefined.is_empty()
            && self.moved.is_empty()
    }

    /// Records that shader number `at` does not write components any more.
    pub(super) fn removes(&mut self, at: usize, slot: IoSlot, mask: u8) {
        *self.stages[at].removed.entry(slot).or_default() |= mask;
    }

    /// Records that inputs of shader number `at` became constant or undefined.
    pub(super) fn replaces(&mut self, at: usize, slot: IoSlot, mask: u8, undefined: bool) {
        let stage = &mut self.stages[at];
        let cells = if undefined { &mut stage.undefined } else { &mut stage.constants };
        *cells.entry(slot).or_default() |= mask;
    }

    /// Completes the lists. `shaders` are the linked shaders.
    pub(super) fn finish(&mut self, shaders: &[Shader]) {
        for stage in &self.stages {
            self.removed.extend(named(stage.stage, &stage.outputs, &stage.removed));
            self.constants.extend(named(stage.stage, &stage.inputs, &stage.constants));
            self.undefined.extend(named(stage.stage, &stage.inputs, &stage.undefined));
        }
        for (old, new) in self.stages.windows(2).zip(shaders.windows(2)) {
            let sum = |ends: [u32; 2]| ends[0] + ends[1];
            self.slots.push(Slots {
                before: old[0].stage,
                after: old[1].stage,
                from: sum(ends(&old[0].outputs)),
                to: sum(ends(&new[0].outputs)),
            });
        }
    }
}
