//! The slots and components that the code of a shader accesses.

use std::collections::BTreeMap;

use crate::ir::{InstId, InstKind, IoSlot, IoVar, Shader, Src, Stage, WriteMask};
use crate::passes::util::{Action, const_scalar, rewrite, walk};

/// Sets of components of 32 bits: for each slot, bit `i` is component `i`.
pub(super) type Cells = BTreeMap<IoSlot, u8>;

/// Which variables of a shader an access belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Inputs.
    Inputs,
    /// Outputs.
    Outputs,
}

impl Side {
    /// The declarations of a shader.
    pub(super) fn vars(self, shader: &Shader) -> &[IoVar] {
        match self {
            Side::Inputs => &shader.inputs,
            Side::Outputs => &shader.outputs,
        }
    }

    /// The declarations of a shader, to change them.
    pub(super) fn vars_mut(self, shader: &mut Shader) -> &mut Vec<IoVar> {
        match self {
            Side::Inputs => &mut shader.inputs,
            Side::Outputs => &mut shader.outputs,
        }
    }
}

/// An instruction that loads from slots or stores to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) inst: InstId,
    pub(super) side: Side,
    pub(super) store: bool,
    /// The first slot that it can access.
    pub(super) slot: IoSlot,
    /// Number of slots that it can access: more than 1 only with an index that is not known when compiling.
    pub(super) slots: u32,
    /// Whether the slot is selected by an index that is not known when compiling.
    pub(super) indexed: bool,
    /// The first component of the slot, in components of 32 bits.
    pub(super) comp: u8,
    /// Dwords of a component: 1 or 2.
    pub(super) dwords: u8,
    /// Of the loaded or stored components, those that are used.
    pub(super) used: u8,
}

impl Access {
    /// The components of 32 bits of each slot that are used.
    pub(super) fn cells(&self) -> u8 {
        (0..4).filter(|at| self.used >> at & 1 == 1).fold(0, |mask, at| mask | self.cells_of(at))
    }

    /// The components of 32 bits that component number `at` of the access has.
    pub(super) fn cells_of(&self, at: u8) -> u8 {
        let all = (1u32 << self.dwords) - 1;
        (all << (u32::from(self.comp) + u32::from(at * self.dwords)) & 0xf) as u8
    }

    /// All components of 32 bits from the first that is used to the last.
    pub(super) fn span(&self) -> u8 {
        let cells = u32::from(self.cells());
        match cells {
            0 => 0,
            _ => ((1 << (32 - cells.leading_zeros())) - (1 << cells.trailing_zeros())) as u8,
        }
    }

    /// The slots that it can access.
    pub(super) fn all_slots(&self) -> impl Iterator<Item = IoSlot> + use<> {
        let first = self.slot;
        (0..self.slots).filter_map(move |at| first.plus(at))
    }
}

/// The side, slot, index and first component of an access.
fn place(kind: &InstKind) -> Option<(Side, IoSlot, Option<Src>, u8)> {
    match *kind {
        InstKind::LoadInput { slot, index, comp, .. }
        | InstKind::Interpolate { slot, index, comp, .. } => {
            Some((Side::Inputs, slot, index, comp))
        }
        InstKind::LoadOutput { slot, index, comp, .. }
        | InstKind::StoreOutput { slot, index, comp, .. } => {
            Some((Side::Outputs, slot, index, comp))
        }
        _ => None,
    }
}

/// References to the slot, index and first component of an access.
pub(super) fn place_mut(kind: &mut InstKind) -> Option<(&mut IoSlot, &mut Option<Src>, &mut u8)> {
    match kind {
        InstKind::LoadInput { slot, index, comp, .. }
        | InstKind::Interpolate { slot, index, comp, .. }
        | InstKind::LoadOutput { slot, index, comp, .. }
        | InstKind::StoreOutput { slot, index, comp, .. } => Some((slot, index, comp)),
        _ => None,
    }
}

/// Number of slots from `slot` to the end of its variable. If several variables have the slot, the longest counts.
fn reach(shader: &Shader, side: Side, slot: IoSlot) -> u32 {
    let of = |var: &IoVar| var.index_of(slot).map(|at| var.slots() - at);
    side.vars(shader).iter().filter_map(of).max().unwrap_or(1)
}

/// For each value, the components that some reachable instruction reads; bit `i` is component `i`.
fn used_components(shader: &Shader) -> Vec<u8> {
    let func = &shader.func;
    let mut used = vec![0; func.num_values()];
    walk(func, |cx, _, inst| {
        shader.for_each_read(&cx.targets, inst, |src, comps| {
            for &comp in &src.swizzle[..comps.min(4)] {
                used[src.value.index()] |= 1 << comp;
            }
        });
    });
    used
}

/// The reachable accesses of a shader to one side, in program order. With `whole`, an index that is not known when
/// compiling can select all later slots of the variable; otherwise it counts as 0.
pub(super) fn accesses(shader: &Shader, wanted: Side, whole: bool) -> Vec<Access> {
    let used = used_components(shader);
    let func = &shader.func;
    let mut found = Vec::new();
    walk(func, |_, _, inst| {
        let data = func.inst(inst);
        let Some((side, slot, index, comp)) = place(&data.kind) else { return };
        if side != wanted {
            return;
        }
        let (value, used, store) = match &data.kind {
            InstKind::StoreOutput { data, mask, .. } => (data.value, mask.0, true),
            _ => (data.results[0], used[data.results[0].index()], false),
        };
        let indexed = index.is_some();
        let slots = if indexed && whole { reach(shader, side, slot) } else { 1 };
        let dwords = (func.ty(value).bits() / 32) as u8;
        found.push(Access { inst, side, store, slot, slots, indexed, comp, dwords, used });
    });
    found
}

/// The components that are loaded and used.
pub(super) fn loaded(shader: &Shader, side: Side, whole: bool) -> Cells {
    let mut cells = Cells::new();
    for access in accesses(shader, side, whole).iter().filter(|access| !access.store) {
        for slot in access.all_slots() {
            *cells.entry(slot).or_default() |= access.cells();
        }
    }
    cells
}

/// Brings accesses to outputs, and with `inputs` also those to inputs, into a normal form: an index that is known when
/// compiling is part of the slot; a load or store begins with the first component that is used; a load ends with the last
/// one; there are no loads without use.
pub(super) fn normalize(shader: &mut Shader, inputs: bool) {
    let fragment = shader.stage.stage() == Stage::Fragment;
    let wanted = |side| match side {
        Side::Inputs => inputs,
        Side::Outputs => !fragment,
    };
    let mut insts = Vec::new();
    walk(&shader.func, |_, _, inst| {
        let place = place(&shader.func.inst(inst).kind);
        insts.extend(place.filter(|place| wanted(place.0)).map(|place| (inst, place)));
    });
    for &(inst, (side, slot, index, _)) in &insts {
        let known = index.and_then(|index| const_scalar(&shader.func, index));
        let Some(known) = known else { continue };
        let last = u64::from(reach(shader, side, slot) - 1);
        if let Some(slot) = slot.plus(known.min(last) as u32)
            && let Some((to, index, _)) = place_mut(shader.func.kind_mut(inst))
        {
            (*to, *index) = (slot, None);
        }
    }
    let used = used_components(shader);
    for &(inst, _) in &insts {
        let func = &mut shader.func;
        let InstKind::StoreOutput { data, .. } = func.inst(inst).kind else { continue };
        let dwords = (func.ty(data.value).bits() / 32) as u8;
        if let InstKind::StoreOutput { data, comp, mask, .. } = func.kind_mut(inst)
            && mask.0 != 0
        {
            let unused = mask.0.trailing_zeros() as usize;
            data.swizzle.rotate_left(unused);
            *comp += dwords * unused as u8;
            *mask = WriteMask(mask.0 >> unused);
        }
    }
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let Some((side, _, _, _)) = place(&data.kind) else { return Action::Keep };
        let Some(&result) = data.results.first().filter(|_| wanted(side)) else {
            return Action::Keep;
        };
        let ty = b.func.ty(result);
        let used = used.get(result.index()).copied().unwrap_or(0);
        if used == 0 {
            return Action::Replace(b.undef(ty).into());
        }
        let (first, end) = (used.trailing_zeros() as usize, WriteMask(used).width());
        if end - first >= ty.comps() {
            return Action::Keep;
        }
        let mut kind = data.kind.clone();
        if let Some((_, _, comp)) = place_mut(&mut kind) {
            *comp += (first as u32 * (ty.bits() / 32)) as u8;
        }
        let load = b.inst(kind, &[ty.with_comps(end - first)]);
        let value = b.func.inst(load).results[0];
        let swizzle = std::array::from_fn(|at| at.clamp(first, end - 1).abs_diff(first) as u8);
        Action::Replace(Src { value, swizzle })
    });
}
