//! Register hints: a result is computed in the register of the vector that is built of it, or in the register that an
//! output is written from. That saves the moves there.
//!
//! A value can go to its reader's register if both are in the same region, all of its components go there, and nothing
//! else is ever written to those components: then it does not matter when it was put there.

use crestline_isa::Type;
use crestline_ssa::ir::{AluOp, Function, InstId, InstKind, RegionId, Src, Value};

use super::Selector;
use super::operands::{Lanes, VectorRegister};
use crate::select::Booleans;

/// Where a value should be computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum RegisterHint {
    /// In the vector of another value: which of its components this one's are.
    Part(Value, Lanes),
    /// In this register.
    Register(VectorRegister),
}

/// The hints of a shader's vectors and outputs, by value. `output` tells the register of a store to an output, if nothing
/// else is stored there.
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

/// Readers before what they read: a vector must know its own register first.
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

/// Where each component of `value` goes among the parts, if all do.
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
    /// Whether the value has a register, or a hint, before it is computed.
    pub(super) fn has_hint(&self, value: Value) -> bool {
        self.reserved[value.index()].is_some() || self.hints[value.index()].is_some()
    }

    /// The register that a value should be computed in, if there is one.
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

    /// The register of a vector, before all of it is there.
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

    /// Lets a value be computed in a register, unless it has another.
    pub(super) fn hint(&mut self, value: Value, register: VectorRegister) {
        if !self.has_hint(value) {
            self.hints[value.index()] = Some(RegisterHint::Register(register));
        }
    }
}
