//! The arenas: values, instructions and regions of one function.

use smallvec::SmallVec;

use super::{Fuel, InstData, InstKind, Ty};

typed_index! {
    /// A value of a function.
    pub struct Value(pub(crate) u32), "%";
    /// An instruction of a function.
    pub struct InstId(pub(crate) u32), "i";
    /// A region of a function.
    pub struct RegionId(pub(crate) u32), "r";
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Result number `index` of an instruction.
    Result {
        /// The instruction.
        inst: InstId,
        /// Which of its results.
        index: u32,
    },
    /// Parameter number `index` of a region.
    Param {
        /// The region.
        region: RegionId,
        /// Which of its parameters.
        index: u32,
    },
}

/// A value's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: Ty,
    /// Its definition.
    pub def: ValueDef,
}

/// A list of instructions that run in order; the last, and only it, is a terminator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionData {
    /// Values that enter the region: of loop bodies and `continuing` regions.
    pub params: Vec<Value>,
    /// The instructions.
    pub insts: Vec<InstId>,
}

/// Code: arenas of values, instructions and regions, and the region that runs first.
///
/// Passes may leave unreachable entries in the arenas; only what is reachable from [`Function::body`] counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    values: Vec<ValueData>,
    insts: Vec<InstData>,
    regions: Vec<RegionData>,
    body: RegionId,
    /// The sizes of values made so far: each is a bit of its own.
    bit_sizes: u8,
    /// The changes that an optimisation may make; without a limit but while one runs that has one.
    pub fuel: Fuel,
}

impl Default for Function {
    fn default() -> Self {
        Function::new()
    }
}

impl Function {
    /// A function with an empty body.
    pub fn new() -> Function {
        let regions = vec![RegionData::default()];
        let body = RegionId::from_index(0);
        Function {
            values: Vec::new(),
            insts: Vec::new(),
            regions,
            body,
            bit_sizes: 0,
            fuel: Fuel::default(),
        }
    }

    /// Whether an optimisation may make one more change, to this instruction.
    #[inline]
    pub fn may_change(&mut self, inst: InstId) -> bool {
        !self.fuel.is_limited() || self.take_fuel(inst)
    }

    fn take_fuel(&mut self, inst: InstId) -> bool {
        let mut fuel = std::mem::take(&mut self.fuel);
        let may = fuel.take(|| self.describe(inst));
        self.fuel = fuel;
        may
    }

    /// An instruction in a few words, for messages: what it makes of what.
    pub fn describe(&self, inst: InstId) -> String {
        let data = self.inst(inst);
        let results: Vec<String> = data.results.iter().map(Value::to_string).collect();
        let made = if results.is_empty() { String::new() } else { results.join(", ") + " = " };
        let name = match &data.kind {
            InstKind::Alu { op, .. } => op.name().to_owned(),
            kind => {
                let name = format!("{kind:?}");
                let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
                name[..end].to_owned()
            }
        };
        let mut srcs = Vec::new();
        data.kind.for_each_src(|src| srcs.push(src.value.to_string()));
        format!("{made}{name} {}", srcs.join(", ")).trim_end().to_owned()
    }

    /// Makes room for so many instructions, with a value each.
    pub fn reserve(&mut self, insts: usize) {
        self.insts.reserve(insts);
        self.values.reserve(insts);
    }

    /// The outermost region; it ends with [`InstKind::Return`].
    pub fn body(&self) -> RegionId {
        self.body
    }

    /// A value's facts.
    pub fn value(&self, value: Value) -> &ValueData {
        &self.values[value.index()]
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> Ty {
        self.values[value.index()].ty
    }

    /// The types of all values made so far, by index.
    pub fn value_types(&self) -> impl Iterator<Item = Ty> {
        self.values.iter().map(|value| value.ty)
    }

    /// The instruction that defines the value, if none of the region parameters does.
    pub fn def(&self, value: Value) -> Option<&InstData> {
        match self.value(value).def {
            ValueDef::Result { inst, .. } => Some(self.inst(inst)),
            ValueDef::Param { .. } => None,
        }
    }

    /// An instruction.
    pub fn inst(&self, inst: InstId) -> &InstData {
        &self.insts[inst.index()]
    }

    /// An instruction's kind, to change operands in place. Results stay.
    pub fn kind_mut(&mut self, inst: InstId) -> &mut InstKind {
        &mut self.insts[inst.index()].kind
    }

    /// A region.
    pub fn region(&self, region: RegionId) -> &RegionData {
        &self.regions[region.index()]
    }

    /// A region, to reorder, add and remove instructions.
    pub fn region_mut(&mut self, region: RegionId) -> &mut RegionData {
        &mut self.regions[region.index()]
    }

    /// Whether the value is one of this function's.
    pub fn has_value(&self, value: Value) -> bool {
        value.index() < self.values.len()
    }

    /// Whether the instruction is one of this function's.
    pub fn has_inst(&self, inst: InstId) -> bool {
        inst.index() < self.insts.len()
    }

    /// Number of values made so far; a value's index is below it.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Number of instructions made so far; an instruction's index is below it.
    pub fn num_insts(&self) -> usize {
        self.insts.len()
    }

    /// Number of regions made so far; a region's index is below it.
    pub fn num_regions(&self) -> usize {
        self.regions.len()
    }

    /// Whether there may be an `If` or a `Loop`: there was one once.
    pub(crate) fn has_regions(&self) -> bool {
        self.regions.len() > 1
    }

    /// Whether `f` holds for an instruction made so far, reachable or not: a quick look, by which passes that concern
    /// few instructions find that they have no work.
    pub(crate) fn may_have(&self, f: impl FnMut(&InstData) -> bool) -> bool {
        self.insts.iter().any(f)
    }

    /// Whether a value with components of so many bits was ever made.
    pub(crate) fn may_have_bits(&self, bits: u32) -> bool {
        u32::from(self.bit_sizes) & bits != 0
    }

    /// Makes an empty region that nothing owns yet.
    pub fn add_region(&mut self) -> RegionId {
        self.regions.push(RegionData::default());
        RegionId::from_index(self.regions.len() - 1)
    }

    /// Adds a parameter to a region.
    pub fn add_param(&mut self, region: RegionId, ty: Ty) -> Value {
        let index = self.regions[region.index()].params.len() as u32;
        let value = self.add_value(ty, ValueDef::Param { region, index });
        self.regions[region.index()].params.push(value);
        value
    }

    /// Makes an instruction with results of the given types. It stands in no region yet.
    pub fn add_inst(&mut self, kind: InstKind, results: &[Ty]) -> InstId {
        let inst = InstId::from_index(self.insts.len());
        self.insts.push(InstData { kind, results: SmallVec::new() });
        for &ty in results {
            self.add_result(inst, ty);
        }
        inst
    }

    /// Gives a value another type. Its definition and all that reads it must fit.
    pub(crate) fn set_ty(&mut self, value: Value, ty: Ty) {
        self.bit_sizes |= ty.bits() as u8;
        self.values[value.index()].ty = ty;
    }

    /// Adds a result to an instruction: of `If` and `Loop`, whose results are found while their regions are built.
    pub fn add_result(&mut self, inst: InstId, ty: Ty) -> Value {
        let index = self.insts[inst.index()].results.len() as u32;
        let value = self.add_value(ty, ValueDef::Result { inst, index });
        self.insts[inst.index()].results.push(value);
        value
    }

    /// Keeps only the results of `inst` for which `keep` says so (by position), renumbering the rest.
    pub fn retain_results(&mut self, inst: InstId, mut keep: impl FnMut(usize) -> bool) {
        let old = std::mem::take(&mut self.insts[inst.index()].results);
        for (_, value) in old.into_iter().enumerate().filter(|(i, _)| keep(*i)) {
            let index = self.insts[inst.index()].results.len() as u32;
            self.values[value.index()].def = ValueDef::Result { inst, index };
            self.insts[inst.index()].results.push(value);
        }
    }

    /// Makes an existing result of another instruction the next result of `inst`. The other must be dropped.
    pub(crate) fn move_result(&mut self, value: Value, inst: InstId) {
        let index = self.insts[inst.index()].results.len() as u32;
        self.values[value.index()].def = ValueDef::Result { inst, index };
        self.insts[inst.index()].results.push(value);
    }

    /// Keeps only the parameters of `region` for which `keep` says so (by position), renumbering the rest.
    pub fn retain_params(&mut self, region: RegionId, mut keep: impl FnMut(usize) -> bool) {
        let old = std::mem::take(&mut self.regions[region.index()].params);
        for (_, value) in old.into_iter().enumerate().filter(|(i, _)| keep(*i)) {
            let index = self.regions[region.index()].params.len() as u32;
            self.values[value.index()].def = ValueDef::Param { region, index };
            self.regions[region.index()].params.push(value);
        }
    }

    /// The constant that a value is, component `i` in entry `i`, if it is one.
    pub fn as_const(&self, value: Value) -> Option<[u64; 4]> {
        match self.def(value)?.kind {
            InstKind::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether a value is a constant.
    pub(crate) fn is_const(&self, value: Value) -> bool {
        self.def(value).is_some_and(|def| matches!(def.kind, InstKind::Const(_)))
    }

    fn add_value(&mut self, ty: Ty, def: ValueDef) -> Value {
        self.bit_sizes |= ty.bits() as u8;
        self.values.push(ValueData { ty, def });
        Value::from_index(self.values.len() - 1)
    }
}
