//! Where results are computed before they have a place of their own: in the vector that is built of them, or in the
//! register that an output is written from. That saves the moves there.
//!
//! A value can go to its reader's place if both are in the same region, all of its components go there, and nothing
//! else is ever written to those components: then nobody can tell when it was put there.

use crestline_isa::Type;
use crestline_ssa::ir::{AluOp, Function, InstId, InstKind, RegionId, Src, Value};

use super::Selector;
use super::operands::{Lanes, Place};
use crate::select::Booleans;

/// Where a value should be computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// In the vector of another value: which of its components this one's are.
    Part(Value, Lanes),
    /// In a place of its own.
    Place(Place),
}

/// The wishes of a shader's vectors and outputs, by value. `output` tells the place of a store to an output, if nothing
/// else is stored there.
pub(super) fn wishes(
    func: &Function,
    booleans: &Booleans,
    output: &dyn Fn(InstId) -> Option<(Src, Place)>,
) -> Vec<Option<Want>> {
    let mut wishes = vec![None; func.num_values()];
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            stack.extend(func.inst(id).kind.regions());
        }
        region_wishes(func, booleans, output, region, &mut wishes);
    }
    wishes
}

/// Readers before what they read: a vector must know its own place first.
fn region_wishes(
    func: &Function,
    booleans: &Booleans,
    output: &dyn Fn(InstId) -> Option<(Src, Place)>,
    region: RegionId,
    wishes: &mut [Option<Want>],
) {
    let mut here = vec![false; func.num_values()];
    let insts = &func.region(region).insts;
    for &id in insts {
        let inst = func.inst(id);
        if let InstKind::Alu { op, .. } = &inst.kind
            && !matches!(op, AluOp::Unpack64To32 | AluOp::Unpack64Low | AluOp::Unpack64High)
        {
            inst.results.iter().for_each(|result| here[result.index()] = true);
        }
    }
    for &id in insts.iter().rev() {
        let inst = func.inst(id);
        let (parts, want): (Vec<Src>, Box<dyn Fn(Lanes) -> Want>) = match &inst.kind {
            InstKind::Alu { op: AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4, srcs, .. } => {
                let owner = inst.results[0];
                (srcs.to_vec(), Box::new(move |lanes| Want::Part(owner, lanes)))
            }
            _ => {
                let Some((data, place)) = output(id) else { continue };
                let parts = (0..place.lanes.places().len()).map(|i| data.select(i)).collect();
                let want =
                    move |lanes| Want::Place(Place { lanes: place.lanes.then(lanes), ..place });
                (parts, Box::new(want))
            }
        };
        for part in &parts {
            let value = part.value;
            let bits = func.ty(value).bits();
            let is_data = bits == 32 || bits == 1 && booleans.is_mask(value);
            if here[value.index()]
                && is_data
                && wishes[value.index()].is_none()
                && let Some(lanes) = placed(&parts, value, func.ty(value).comps())
            {
                wishes[value.index()] = Some(want(lanes));
            }
        }
    }
}

/// Where each component of `value` goes among the parts, if all do.
fn placed(parts: &[Src], value: Value, comps: usize) -> Option<Lanes> {
    let places: Option<Vec<u8>> = (0..comps as u8)
        .map(|comp| {
            let at = parts.iter().position(|p| p.value == value && p.swizzle[0] == comp);
            at.map(|at| at as u8)
        })
        .collect();
    Some(Lanes::of(&places?))
}

impl Selector<'_> {
    /// Whether the value has a place before it is computed.
    pub(super) fn is_wanted(&self, value: Value) -> bool {
        self.reserved[value.index()].is_some() || self.wanted[value.index()].is_some()
    }

    /// The place that a value should be computed in, if there is one.
    pub(super) fn wanted_place(&mut self, value: Value) -> Option<Place> {
        if self.reserved[value.index()].is_none() {
            let place = match self.wanted[value.index()]? {
                Want::Place(place) => place,
                Want::Part(owner, lanes) => {
                    let whole = self.whole(owner);
                    Place { lanes: whole.lanes.then(lanes), ..whole }
                }
            };
            self.reserved[value.index()] = Some(place);
        }
        self.reserved[value.index()]
    }

    /// The place of a vector, before all of it is there.
    fn whole(&mut self, owner: Value) -> Place {
        if let Some(place) = self.wanted_place(owner) {
            return place;
        }
        let place = Place { vector: self.vector(Type::Ud), lanes: Lanes::first(self.comps(owner)) };
        self.reserved[owner.index()] = Some(place);
        place
    }

    /// Lets a value be computed in a place, unless it has another.
    pub(super) fn hint(&mut self, value: Value, place: Place) {
        if !self.is_wanted(value) {
            self.wanted[value.index()] = Some(Want::Place(place));
        }
    }
}
