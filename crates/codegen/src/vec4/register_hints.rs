//! Register hints: a component of a vector is computed directly in the vector's register, and a value that is stored
//! to an output in the register from which the output is written. This saves moves.
//!
//! ```text
//! mul v1.x, v2.x, v3.x
//! add v4.x, v5.x, v6.x
//! mov v7.x, v1.x              mul v7.x, v2.x, v3.x
//! mov v7.y, v4.x        ->    add v7.y, v5.x, v6.x
//! ```
//!
//! A value can be computed there if it is defined in the region of the vector or store, if all of its components are
//! moved there, and if nothing else writes these components. Then the time at which they are written does not matter.

use crestline_isa::Type;
use crestline_ssa::ir::{AluOp, Function, InstId, InstKind, RegionId, Src, Value};

use super::Selector;
use super::operands::{Lanes, VectorRegister};
use crate::select::Booleans;

/// Where a value should be computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum RegisterHint {
    /// In the register of another value, which is a vector, in these of its components.
    Part(Value, Lanes),
    /// In this register.
    Register(VectorRegister),
}

/// Computes the hint of each value. `output` returns the value and the register of a store to an output, if no other
/// store writes there.
pub(super) fn register_hints(
    func: &Function,
    booleans: &Booleans,
    output: &dyn Fn(InstId) -> Option<(Src, VectorRegister)>,
) -> Vec<Option<RegisterHint>> {
    let mut hints = vec![None; func.num_values()];
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            stack.extend(func.inst(id).kind.regions());
        }
        region_hints(func, booleans, output, region, &mut hints);
    }
    hints
}

/// Computes the hints for the values of a region. Instructions are visited in reverse, because the hint of a vector
/// must be known before those of its components.
fn region_hints(
    func: &Function,
    booleans: &Booleans,
    output: &dyn Fn(InstId) -> Option<(Src, VectorRegister)>,
    region: RegionId,
    hints: &mut [Option<RegisterHint>],
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
        let (parts, want): (Vec<Src>, Box<dyn Fn(Lanes) -> RegisterHint>) = match &inst.kind {
            InstKind::Alu { op: AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4, srcs, .. } => {
                let owner = inst.results[0];
                (srcs.to_vec(), Box::new(move |lanes| RegisterHint::Part(owner, lanes)))
            }
            _ => {
                let Some((data, register)) = output(id) else { continue };
                let parts = (0..register.lanes.channels().len()).map(|i| data.select(i)).collect();
                let want = move |lanes| {
                    RegisterHint::Register(VectorRegister {
                        lanes: register.lanes.then(lanes),
                        ..register
                    })
                };
                (parts, Box::new(want))
            }
        };
        for part in &parts {
            let value = part.value;
            let bits = func.ty(value).bits();
            let is_data = bits == 32 || bits == 1 && booleans.is_mask(value);
            if here[value.index()]
                && is_data
                && hints[value.index()].is_none()
                && let Some(lanes) = placed(&parts, value, func.ty(value).comps())
            {
                hints[value.index()] = Some(want(lanes));
            }
        }
    }
}

/// The channel to which each component of `value` goes, if `parts` contains all of its components.
fn placed(parts: &[Src], value: Value, comps: usize) -> Option<Lanes> {
    let channels: Option<Vec<u8>> = (0..comps as u8)
        .map(|comp| {
            let at = parts.iter().position(|p| p.value == value && p.swizzle[0] == comp);
            at.map(|at| at as u8)
        })
        .collect();
    Some(Lanes::of(&channels?))
}

impl Selector<'_> {
    /// Whether the value has a register or a hint before it is computed.
    pub(super) fn has_hint(&self, value: Value) -> bool {
        self.reserved[value.index()].is_some() || self.hints[value.index()].is_some()
    }

    /// The register in which a value should be computed, if there is a hint. Allocates the register of the vector, if
    /// necessary.
    pub(super) fn hinted_register(&mut self, value: Value) -> Option<VectorRegister> {
        if self.reserved[value.index()].is_none() {
            let register = match self.hints[value.index()]? {
                RegisterHint::Register(register) => register,
                RegisterHint::Part(owner, lanes) => {
                    let whole = self.whole(owner);
                    VectorRegister { lanes: whole.lanes.then(lanes), ..whole }
                }
            };
            self.reserved[value.index()] = Some(register);
        }
        self.reserved[value.index()]
    }

    /// The register of a vector, allocated before the vector is complete.
    fn whole(&mut self, owner: Value) -> VectorRegister {
        if let Some(register) = self.hinted_register(owner) {
            return register;
        }
        let register = VectorRegister {
            vector: self.vector(Type::Ud),
            lanes: Lanes::first(self.comps(owner)),
        };
        self.reserved[owner.index()] = Some(register);
        register
    }

    /// Sets the hint of a value, unless it has one.
    pub(super) fn hint(&mut self, value: Value, register: VectorRegister) {
        if !self.has_hint(value) {
            self.hints[value.index()] = Some(RegisterHint::Register(register));
        }
    }
}
