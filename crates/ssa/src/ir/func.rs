//! The arenas: values, instructions and regions of one function.

use smallvec::SmallVec;

use super::{DebugLoc, DebugLocs, Fuel, InstData, InstKind, Ty};

typed_index! {
    /// A value of a function.
    pub struct Value(pub(crate) u32), "%";
    /// An instruction of a function.
    pub struct InstId(pub(crate) u32), "i";
    /// A region of a function.
    pub struct RegionId(pub(crate) u32), "r";
}

/// The definition of a value.
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

/// The type and definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: Ty,
    /// Its definition.
    pub def: ValueDef,
}

/// A list of instructions that run in order. The last one, and no other, is a terminator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionData {
    /// Values that a jump to the region passes. Only `body` and `continuing` regions of loops have parameters.
    pub params: Vec<Value>,
    /// The instructions.
    pub insts: Vec<InstId>,
}

/// Code: arenas of values, instructions and regions, and the region where execution starts.
///
/// Passes may leave unreachable entries in the arenas; only code reachable from [`Function::body`] has a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    values: Vec<ValueData>,
    insts: Vec<InstData>,
    /// The location of each instruction; entries for the last instructions are absent if they have none.
    locs: Vec<DebugLoc>,
    regions: Vec<RegionData>,
    body: RegionId,
    /// Bitwise or of the bit sizes of all values made so far; each size (1, 8, 16, 32, 64) is a power of two.
    bit_sizes: u8,
    /// The number of changes that the running optimisation pass may make. Unlimited, except while an `opt_*` pass runs
    /// under a limit.
    pub fuel: Fuel,
    /// The places in the source that the instructions come from.
    pub debug: DebugLocs,
    /// The location that new instructions get. The front end sets it for each instruction that it translates, and a
    /// pass for each instruction that it visits.
    pub loc: DebugLoc,
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
            locs: Vec::new(),
            regions,
            body,
            bit_sizes: 0,
            fuel: Fuel::default(),
            debug: DebugLocs::default(),
            loc: DebugLoc::NONE,
        }
    }

    /// Whether the running optimisation may change this instruction. Takes one unit of fuel if there is a limit.
    #[inline]
    pub fn may_change(&mut self, inst: InstId) -> bool {
        !self.fuel.is_limited() || self.take_fuel(inst)
    }

    /// Takes one unit of fuel for a change of this instruction. Returns false if none is left.
    fn take_fuel(&mut self, inst: InstId) -> bool {
        let mut fuel = std::mem::take(&mut self.fuel);
        let may = fuel.take(|| self.describe(inst));
        self.fuel = fuel;
        may
    }

    /// A short description of an instruction for messages: `results = operation sources`.
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

    /// Reserves space for this many instructions with one result each.
    pub fn reserve(&mut self, insts: usize) {
        self.insts.reserve(insts);
        self.values.reserve(insts);
    }

    /// The outermost region; it ends with [`InstKind::Return`].
    pub fn body(&self) -> RegionId {
        self.body
    }

    /// The type and definition of a value.
    pub fn value(&self, value: Value) -> &ValueData {
        &self.values[value.index()]
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Ty {
        self.values[value.index()].ty
    }

    /// The types of all values made so far, by index.
    pub fn value_types(&self) -> impl Iterator<Item = Ty> {
        self.values.iter().map(|value| value.ty)
    }

    /// The instruction that defines the value; `None` if the value is a region parameter.
    pub fn def(&self, value: Value) -> Option<&InstData> {
        match self.value(value).def {
            ValueDef::Result { inst, .. } => Some(self.inst(inst)),
            ValueDef::Param { .. } => None,
        }
    }

    /// The instruction with this id.
    pub fn inst(&self, inst: InstId) -> &InstData {
        &self.insts[inst.index()]
    }

    /// The places in the source that an instruction comes from.
    pub fn loc_of(&self, inst: InstId) -> DebugLoc {
        self.locs.get(inst.index()).copied().unwrap_or_default()
    }

    /// Sets where an instruction comes from.
    pub(crate) fn set_loc(&mut self, inst: InstId, loc: DebugLoc) {
        if self.locs.len() <= inst.index() {
            if loc.is_none() {
                return;
            }
            self.locs.resize(inst.index() + 1, DebugLoc::NONE);
        }
        self.locs[inst.index()] = loc;
    }

    /// Sets the location of new instructions to that of `inst`, which the caller replaces or copies.
    pub(crate) fn set_loc_from(&mut self, inst: InstId) {
        self.loc = self.loc_of(inst);
    }

    /// Adds the places of `from`, which the caller removes in favour of `kept`, to those of `kept`.
    pub(crate) fn merge_loc(&mut self, kept: InstId, from: InstId) {
        let (a, b) = (self.loc_of(kept), self.loc_of(from));
        if a != b {
            let loc = self.debug.merge(a, b);
            self.set_loc(kept, loc);
        }
    }

    /// The kind of an instruction, to change its operands in place. The results stay the same.
    pub fn kind_mut(&mut self, inst: InstId) -> &mut InstKind {
        &mut self.insts[inst.index()].kind
    }

    /// The region with this id.
    pub fn region(&self, region: RegionId) -> &RegionData {
        &self.regions[region.index()]
    }

    /// The region with this id, to reorder, add and remove instructions.
    pub fn region_mut(&mut self, region: RegionId) -> &mut RegionData {
        &mut self.regions[region.index()]
    }

    /// Whether the id is in range for this function.
    pub fn has_value(&self, value: Value) -> bool {
        value.index() < self.values.len()
    }

    /// Whether the id is in range for this function.
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

    /// Whether a region other than the body was ever made. If not, there is no `If` and no `Loop`.
    pub(crate) fn has_regions(&self) -> bool {
        self.regions.len() > 1
    }

    /// Whether `f` holds for any instruction made so far, reachable or not. A cheap test with which a pass that
    /// concerns few instructions can return early.
    pub(crate) fn may_have(&self, f: impl FnMut(&InstData) -> bool) -> bool {
        self.insts.iter().any(f)
    }

    /// Whether a value of one of these bit sizes was ever made. `bits` is a bitwise or of sizes, such as `8 | 16`.
    pub fn may_have_bits(&self, bits: u32) -> bool {
        u32::from(self.bit_sizes) & bits != 0
    }

    /// Makes an empty region that no instruction owns yet.
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

    /// Makes an instruction with results of the given types. It is not in any region yet.
    pub fn add_inst(&mut self, kind: InstKind, results: &[Ty]) -> InstId {
        let inst = InstId::from_index(self.insts.len());
        self.insts.push(InstData { kind, results: SmallVec::new() });
        self.set_loc(inst, self.loc);
        for &ty in results {
            self.add_result(inst, ty);
        }
        inst
    }

    /// Changes the type of a value. The caller must make its definition and all its uses fit the new type.
    pub(crate) fn set_ty(&mut self, value: Value, ty: Ty) {
        self.bit_sizes |= ty.bits() as u8;
        self.values[value.index()].ty = ty;
    }

    /// Adds a result to an instruction. `If` and `Loop` get their results this way, after their regions are built.
    pub fn add_result(&mut self, inst: InstId, ty: Ty) -> Value {
        let index = self.insts[inst.index()].results.len() as u32;
        let value = self.add_value(ty, ValueDef::Result { inst, index });
        self.insts[inst.index()].results.push(value);
        value
    }

    /// Keeps only those results of `inst` for whose position `keep` returns true, and renumbers them.
    pub fn retain_results(&mut self, inst: InstId, mut keep: impl FnMut(usize) -> bool) {
        let old = std::mem::take(&mut self.insts[inst.index()].results);
        for (_, value) in old.into_iter().enumerate().filter(|(i, _)| keep(*i)) {
            let index = self.insts[inst.index()].results.len() as u32;
            self.values[value.index()].def = ValueDef::Result { inst, index };
            self.insts[inst.index()].results.push(value);
        }
    }

    /// Makes an existing result of another instruction the next result of `inst`. The caller must remove the other
    /// instruction.
    pub(crate) fn move_result(&mut self, value: Value, inst: InstId) {
        let index = self.insts[inst.index()].results.len() as u32;
        self.values[value.index()].def = ValueDef::Result { inst, index };
        self.insts[inst.index()].results.push(value);
    }

    /// Keeps only those parameters of `region` for whose position `keep` returns true, and renumbers them.
    pub fn retain_params(&mut self, region: RegionId, mut keep: impl FnMut(usize) -> bool) {
        let old = std::mem::take(&mut self.regions[region.index()].params);
        for (_, value) in old.into_iter().enumerate().filter(|(i, _)| keep(*i)) {
            let index = self.regions[region.index()].params.len() as u32;
            self.values[value.index()].def = ValueDef::Param { region, index };
            self.regions[region.index()].params.push(value);
        }
    }

    /// If the value is a constant: its components, component `i` in entry `i`.
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

    /// Makes a value. The caller adds it to the results or parameters of its definition.
    fn add_value(&mut self, ty: Ty, def: ValueDef) -> Value {
        self.bit_sizes |= ty.bits() as u8;
        self.values.push(ValueData { ty, def });
        Value::from_index(self.values.len() - 1)
    }
}
