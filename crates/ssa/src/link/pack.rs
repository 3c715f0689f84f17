//! Shrinks declarations between two stages to what is accessed, and moves components of locations to fewer slots.
//!
//! Components that an instruction accesses together form a *unit*, which moves as a whole. A unit in one slot becomes a
//! variable of its own. A variable that is indexed at run time, whose elements take two slots, or that transform feedback
//! captures, keeps its declaration: all its components, and all others in its slots, are one unit. Such a unit shares its
//! slots with no other, because the number of slots that an index can select follows from the variable at the slot. Other
//! units share a slot only if their components have the same size and the same interpolation.

use std::collections::BTreeMap;

use super::access::{Access, Side, accesses, place_mut};
use super::report::{Moved, Report, ends};
use super::unread::is_captured;
use super::{LOCATIONS, LinkStep, Options};
use crate::ir::{Interpolation, IoSlot, IoVar, Shader, Stage, Ty};

/// Components of a slot.
const COMPS: usize = 4;

/// Locations of vertices, or of patches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Locations,
    Patch,
}

impl Space {
    /// The number of a slot in this space.
    fn number(self, slot: IoSlot) -> Option<usize> {
        match (self, slot) {
            (Space::Locations, IoSlot::Location(at)) | (Space::Patch, IoSlot::Patch(at)) => {
                Some(at as usize).filter(|&at| at < LOCATIONS as usize)
            }
            _ => None,
        }
    }

    /// The slot with this number.
    fn slot(self, number: usize) -> IoSlot {
        match self {
            Space::Locations => IoSlot::Location(number as u32),
            Space::Patch => IoSlot::Patch(number as u32),
        }
    }
}

/// What components must have in common to share a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Class {
    bits: u32,
    interp: Option<Interpolation>,
    stream: u8,
}

/// Components that move together.
struct Unit {
    /// For each slot from the first on, the components.
    slots: Vec<u8>,
    /// The number of the first slot.
    first: usize,
    /// Whether it keeps its declarations, and its slots for itself.
    whole: bool,
    /// Whether it does not move.
    fixed: bool,
    class: Class,
    /// Where it moves: the number of the first slot, and by how many components.
    to: (usize, i8),
}

impl Unit {
    /// The first and the last component, over all slots.
    fn bounds(&self) -> (u32, u32) {
        let all = self.slots.iter().fold(0, |all, mask| all | u32::from(*mask));
        (all.trailing_zeros(), 31 - all.leading_zeros())
    }

    fn moves(&self) -> bool {
        self.to != (self.first, 0)
    }
}

/// The components of one space of an interface, in sets whose elements move together.
struct Sets {
    /// For each component, a component of the same set, or itself; `None` if nothing accesses it.
    parent: Vec<Option<usize>>,
}

impl Sets {
    fn new() -> Sets {
        Sets { parent: vec![None; LOCATIONS as usize * COMPS] }
    }

    fn add(&mut self, cell: usize) {
        self.parent[cell].get_or_insert(cell);
    }

    fn find(&self, mut cell: usize) -> Option<usize> {
        while let Some(parent) = self.parent[cell] {
            if parent == cell {
                return Some(cell);
            }
            cell = parent;
        }
        None
    }

    /// Adds all cells, and joins their sets. Returns whether that changed anything.
    fn join(&mut self, cells: &[usize]) -> bool {
        let mut changed = false;
        for &cell in cells {
            changed |= self.parent[cell].is_none();
            self.add(cell);
            if let (Some(first), Some(other)) = (self.find(cells[0]), self.find(cell))
                && first != other
            {
                // The root of a set is its first component.
                self.parent[first.max(other)] = Some(first.min(other));
                changed = true;
            }
        }
        changed
    }
}

/// The numbers of the components `mask` of slot number `slot`.
fn cells_of(slot: usize, mask: u8) -> impl Iterator<Item = usize> {
    (0..COMPS).filter(move |comp| mask >> comp & 1 == 1).map(move |comp| slot * COMPS + comp)
}

/// All components of a variable.
fn var_cells(space: Space, var: &IoVar) -> Vec<usize> {
    let slots = (0..var.slots().min(LOCATIONS))
        .filter_map(|at| Some((space.number(var.slot.plus(at)?)?, var.components(at) as u8)));
    slots.flat_map(|(slot, mask)| cells_of(slot, mask)).collect()
}

/// The components of an access, those between them included.
fn access_cells(space: Space, access: &Access) -> Vec<usize> {
    let slots = access.all_slots().filter_map(|slot| space.number(slot));
    slots.flat_map(|slot| cells_of(slot, access.span())).collect()
}

/// One space of the interface between two shaders.
struct Interface<'a> {
    space: Space,
    writer: &'a Shader,
    reader: &'a Shader,
    outputs: Vec<Access>,
    inputs: Vec<Access>,
    options: &'a Options,
}

impl Interface<'_> {
    fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.outputs.iter().chain(&self.inputs)
    }

    fn vars(&self) -> impl Iterator<Item = (Side, &IoVar)> {
        let outputs = self.writer.outputs.iter().map(|var| (Side::Outputs, var));
        let inputs = self.reader.inputs.iter().map(|var| (Side::Inputs, var));
        outputs.chain(inputs).filter(|(_, var)| self.space.number(var.slot).is_some())
    }

    /// Whether transform feedback captures a part of the output.
    fn captured(&self, side: Side, var: &IoVar) -> bool {
        let slots = (0..var.slots()).filter_map(|at| var.slot.plus(at));
        side == Side::Outputs
            && self.reader.stage.stage() == Stage::Fragment
            && slots.into_iter().any(|slot| is_captured(self.writer, slot, self.options))
    }

    /// Whether the variable keeps its declaration.
    fn stays_whole(&self, side: Side, var: &IoVar) -> bool {
        let indexed = |access: &Access| {
            access.indexed
                && access.side == side
                && access.all_slots().any(|slot| {
                    let own = var.index_of(slot).map_or(0, |at| var.components(at));
                    own as u8 & access.cells() != 0
                })
        };
        self.captured(side, var)
            || self.options.keeps(LinkStep::Arrays) && self.accesses().any(indexed)
            || self.options.keeps(LinkStep::Doubles) && var.element_slots() == 2
    }

    /// The units, in the order of their first components.
    fn units(&self) -> Vec<Unit> {
        let mut sets = Sets::new();
        let mut bits = BTreeMap::new();
        for access in self.accesses().filter(|access| access.used != 0) {
            let cells = access_cells(self.space, access);
            for &cell in &cells {
                let bits = bits.entry(cell).or_insert(u32::from(access.dwords) * 32);
                *bits |= u32::from(access.dwords) * 32;
            }
            if !cells.is_empty() {
                sets.join(&cells);
            }
        }
        let mut whole = vec![false; sets.parent.len()];
        loop {
            let mut changed = false;
            for (side, var) in self.vars() {
                let cells = var_cells(self.space, var);
                let accessed = cells.iter().any(|&cell| sets.parent[cell].is_some());
                if !accessed && !self.captured(side, var) {
                    continue;
                }
                if self.stays_whole(side, var) || cells.iter().any(|&cell| whole[cell]) {
                    changed |= sets.join(&cells);
                    changed |= cells.iter().any(|&cell| !std::mem::replace(&mut whole[cell], true));
                }
            }
            // What shares a slot with a whole unit, or belongs to one, belongs to it.
            for slot in 0..LOCATIONS as usize {
                let of_slot: Vec<usize> = (slot * COMPS..(slot + 1) * COMPS)
                    .filter(|&cell| sets.parent[cell].is_some())
                    .collect();
                if of_slot.iter().any(|&cell| whole[cell]) {
                    changed |= sets.join(&of_slot);
                }
            }
            let roots: Vec<Option<usize>> = (0..whole.len()).map(|cell| sets.find(cell)).collect();
            for cell in 0..whole.len() {
                let in_whole = |other: usize| whole[other] && roots[other] == roots[cell];
                if roots[cell].is_some() && !whole[cell] && (0..whole.len()).any(in_whole) {
                    whole[cell] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut units: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for cell in 0..sets.parent.len() {
            if let Some(root) = sets.find(cell) {
                units.entry(root).or_default().push(cell);
            }
        }
        units.values().map(|cells| self.unit(cells, whole[cells[0]], &bits)).collect()
    }

    /// The unit of these components, which are in ascending order.
    fn unit(&self, cells: &[usize], whole: bool, bits: &BTreeMap<usize, u32>) -> Unit {
        let (first, last) = (cells[0] / COMPS, cells[cells.len() - 1] / COMPS);
        let mut slots = vec![0; last - first + 1];
        cells.iter().for_each(|cell| slots[cell / COMPS - first] |= 1 << (cell % COMPS));
        let class = |cell: usize| {
            let (slot, comp) = (self.space.slot(cell / COMPS), (cell % COMPS) as u8);
            let own = |var: &&IoVar| {
                var.index_of(slot).is_some_and(|at| var.components(at) >> comp & 1 == 1)
            };
            let stream = self.writer.outputs.iter().find(own).map_or(0, |var| var.stream);
            let interp = self.reader.input_component(slot, comp).and_then(|var| var.interp);
            Class { bits: bits.get(&cell).copied().unwrap_or(0), interp, stream }
        };
        // A component that nothing accesses has no size.
        let accessed = |cell: &&usize| bits.contains_key(*cell);
        let class_of_first = class(*cells.iter().find(accessed).unwrap_or(&cells[0]));
        let mixed = cells.iter().filter(accessed).any(|&cell| class(cell) != class_of_first);
        let captured = self.vars().any(|(side, var)| {
            self.captured(side, var)
                && var_cells(self.space, var).iter().any(|cell| cells.contains(cell))
        });
        let known_size = matches!(class_of_first.bits, 32 | 64);
        let fixed = captured || !whole && (mixed || !known_size);
        Unit { slots, first, whole, fixed, class: class_of_first, to: (first, 0) }
    }
}

/// The slots that units have been given.
struct Places<'a> {
    used: Vec<u8>,
    class: Vec<Option<Class>>,
    options: &'a Options,
}

impl Places<'_> {
    /// Whether components of a class can share a slot with those of another.
    fn agree(&self, a: Class, b: Class) -> bool {
        (a.bits == b.bits || !self.options.keeps(LinkStep::Sizes))
            && (a.interp == b.interp || !self.options.keeps(LinkStep::Interpolation))
            && a.stream == b.stream
    }

    /// Whether the unit can move to this slot and by this number of components.
    fn fits(&self, unit: &Unit, slot: usize, by: i8) -> bool {
        let mut at = slot;
        unit.slots.iter().all(|&mask| {
            let (Some(&used), Some(class)) = (self.used.get(at), self.class.get(at)) else {
                return false;
            };
            at += 1;
            match unit.whole && self.options.keeps(LinkStep::Arrays) {
                true => used == 0,
                false => {
                    used & shifted(mask, by) == 0
                        && class.is_none_or(|class| self.agree(class, unit.class))
                }
            }
        })
    }

    fn put(&mut self, unit: &Unit) {
        let (slot, by) = unit.to;
        for (at, &mask) in unit.slots.iter().enumerate() {
            self.used[slot + at] |= match unit.whole && self.options.keeps(LinkStep::Arrays) {
                true => 0xf,
                false => shifted(mask, by),
            };
            self.class[slot + at] = Some(unit.class);
        }
    }
}

/// A mask of components, moved by a number of components.
fn shifted(mask: u8, by: i8) -> u8 {
    if by < 0 { mask >> by.unsigned_abs() } else { mask << by.unsigned_abs() }
}

/// Chooses a place for each unit: first for those that do not move, then for large ones. Returns false, and leaves all
/// units in place, if that does not save a slot.
fn choose(units: &mut [Unit], options: &Options) -> bool {
    let count = LOCATIONS as usize;
    let mut places = Places { used: vec![0; count], class: vec![None; count], options };
    units.iter().filter(|unit| unit.fixed).for_each(|unit| places.put(unit));
    let mut order: Vec<usize> = (0..units.len()).filter(|&at| !units[at].fixed).collect();
    order.sort_by_key(|&at| {
        let (low, high) = units[at].bounds();
        (std::cmp::Reverse((units[at].slots.len(), high - low)), units[at].first, low)
    });
    for &at in &order {
        let unit = &units[at];
        let (low, high) = unit.bounds();
        let step = match unit.class.bits == 64 && options.keeps(LinkStep::Doubles) {
            true => 2,
            false => 1,
        };
        // A whole unit keeps its components: other declarations may begin at them.
        let starts = match unit.whole {
            true => low..low + 1,
            false => 0..4 - (high - low),
        };
        let place = (0..count).find_map(|slot| {
            let by = |start: u32| start as i8 - low as i8;
            let found = starts.clone().filter(|start| start % step == 0 || unit.whole);
            let found = found.map(by).find(|&by| places.fits(unit, slot, by))?;
            Some((slot, found))
        });
        let Some(place) = place else {
            units.iter_mut().for_each(|unit| unit.to = (unit.first, 0));
            return false;
        };
        units[at].to = place;
        places.put(&units[at]);
    }
    let cost = |place: fn(&Unit) -> usize| {
        let slots = units.iter().flat_map(|unit| place(unit)..place(unit) + unit.slots.len());
        let slots: std::collections::BTreeSet<usize> = slots.collect();
        (slots.last().map_or(0, |last| last + 1), slots.len())
    };
    let (old, new) = (cost(|unit| unit.first), cost(|unit| unit.to.0));
    let better = new.0 <= old.0 && new.1 <= old.1 && new != old;
    if !better {
        units.iter_mut().for_each(|unit| unit.to = (unit.first, 0));
    }
    better
}

/// Shrinks the declarations between `writer` and `reader`, and packs their locations.
pub(super) fn pack(
    writer: &mut Shader,
    reader: &mut Shader,
    options: &Options,
    report: &mut Report,
) {
    for space in [Space::Locations, Space::Patch] {
        let of_space = |shader: &Shader, side| -> Vec<Access> {
            let all = accesses(shader, side, true).into_iter();
            all.filter(|access| space.number(access.slot).is_some()).collect()
        };
        let (outputs, inputs) = (of_space(writer, Side::Outputs), of_space(reader, Side::Inputs));
        let (units, new) = {
            let (writer, reader) = (&*writer, &*reader);
            let interface = Interface {
                space,
                writer,
                reader,
                outputs: outputs.clone(),
                inputs: inputs.clone(),
                options,
            };
            let mut units = interface.units();
            choose(&mut units, options);
            let new =
                [Side::Outputs, Side::Inputs].map(|side| declarations(&interface, &units, side));
            (units, new)
        };
        for unit in units.iter().filter(|unit| unit.moves()) {
            let (low, _) = (unit.slots[0].trailing_zeros() as u8, ());
            let from = space.slot(unit.first);
            let name = writer.outputs.iter().find(|var| {
                var.index_of(from).is_some_and(|at| var.components(at) >> low & 1 == 1)
            });
            report.moved.push(Moved {
                stage: writer.stage.stage(),
                name: name.map(|var| var.name.clone()).unwrap_or_default(),
                from: (from, low),
                to: (space.slot(unit.to.0), low.wrapping_add_signed(unit.to.1)),
            });
        }
        for (shader, accesses) in [(&mut *writer, outputs), (&mut *reader, inputs)] {
            accesses.iter().for_each(|access| relocate(shader, space, access, &units));
        }
        let [new_outputs, new_inputs] = new;
        for (shader, side, new) in
            [(&mut *writer, Side::Outputs, new_outputs), (&mut *reader, Side::Inputs, new_inputs)]
        {
            let vars = side.vars_mut(shader);
            vars.retain(|var| space.number(var.slot).is_none());
            vars.extend(new);
        }
    }
    for (shader, side) in [(&mut *writer, Side::Outputs), (&mut *reader, Side::Inputs)] {
        drop_unused_built_ins(shader, side);
        side.vars_mut(shader).sort_by_key(|var| (var.slot, var.comp));
    }
    let patch = writer.stage.stage() == Stage::TessControl;
    if patch && options.keeps(LinkStep::PatchEntry) {
        complete(&writer.outputs.clone(), &mut reader.inputs);
        complete(&reader.inputs.clone(), &mut writer.outputs);
    }
    debug_assert!(ends(&reader.inputs)[0] <= LOCATIONS);
}

/// The declarations of one side of an interface after linking.
fn declarations(interface: &Interface<'_>, units: &[Unit], side: Side) -> Vec<IoVar> {
    let Interface { space, writer, reader, .. } = *interface;
    let mut new = Vec::new();
    for unit in units {
        let (slot, by) = unit.to;
        let own = |var: &IoVar| {
            let cells = var_cells(space, var);
            cells.iter().any(|cell| {
                let at = (cell / COMPS).checked_sub(unit.first);
                let mask = at.and_then(|at| unit.slots.get(at)).copied().unwrap_or(0);
                mask >> (cell % COMPS) & 1 == 1
            })
        };
        let shader = if side == Side::Outputs { writer } else { reader };
        let declared: Vec<&IoVar> = side.vars(shader).iter().filter(|var| own(var)).collect();
        if unit.whole {
            for var in declared {
                let Some(number) = space.number(var.slot) else { continue };
                let slot = space.slot(number - unit.first.min(number) + slot);
                new.push(IoVar { slot, ..var.clone() });
            }
            continue;
        }
        let Some(&var) = declared.first() else { continue };
        let (low, high) = unit.bounds();
        let comps = (high - low + 1) / (unit.class.bits / 32).max(1);
        let Ok(ty) = Ty::new(unit.class.bits, comps) else {
            new.extend(declared.into_iter().cloned());
            continue;
        };
        let interp = match reader.stage.stage() == Stage::Fragment && side == Side::Inputs {
            true => unit.class.interp,
            false => None,
        };
        new.push(IoVar {
            name: element_name(var, space.slot(unit.first)),
            slot: space.slot(slot),
            comp: (low as u8).wrapping_add_signed(by),
            ty,
            count: 1,
            stream: if side == Side::Outputs { unit.class.stream } else { 0 },
            interp,
        });
    }
    new
}

/// The name of an element of a variable, which becomes a variable of its own.
fn element_name(var: &IoVar, slot: IoSlot) -> String {
    match (var.count, var.index_of(slot)) {
        (2.., Some(at)) => format!("{}[{}]", var.name, at / var.element_slots()),
        _ => var.name.clone(),
    }
}

/// Moves an access with its unit.
fn relocate(shader: &mut Shader, space: Space, access: &Access, units: &[Unit]) {
    let Some(number) = space.number(access.slot) else { return };
    let span = access.span();
    let unit = units.iter().find(|unit| {
        let mask = number.checked_sub(unit.first).and_then(|at| unit.slots.get(at));
        mask.is_some_and(|mask| mask & span != 0)
    });
    if let Some(unit) = unit
        && let Some((slot, _, comp)) = place_mut(shader.func.kind_mut(access.inst))
    {
        *slot = space.slot(number - unit.first + unit.to.0);
        *comp = comp.wrapping_add_signed(unit.to.1);
    }
}

/// Removes declarations of built-ins that the shader does not access.
fn drop_unused_built_ins(shader: &mut Shader, side: Side) {
    let accessed: Vec<Access> = accesses(shader, side, true);
    side.vars_mut(shader).retain(|var| {
        matches!(var.slot, IoSlot::Location(_) | IoSlot::Patch(_))
            || accessed
                .iter()
                .any(|access| access.all_slots().any(|slot| var.index_of(slot).is_some()))
    });
}

/// Adds a declaration for each slot that only the other stage declares. The places of tessellation levels do not depend on
/// declarations.
fn complete(from: &[IoVar], to: &mut Vec<IoVar>) {
    let levels = |slot| matches!(slot, IoSlot::TessLevelOuter | IoSlot::TessLevelInner);
    for var in from.iter().filter(|var| !levels(var.slot)) {
        for at in 0..var.slots() {
            let Some(slot) = var.slot.plus(at) else { continue };
            if to.iter().all(|other| other.index_of(slot).is_none()) {
                let (name, ty) = (element_name(var, slot), Ty::X32);
                to.push(IoVar { name, slot, comp: 0, ty, count: 1, stream: 0, interp: None });
            }
        }
    }
    to.sort_by_key(|var| (var.slot, var.comp));
}
