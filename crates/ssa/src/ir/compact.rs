//! The canonical form of a shader: numbering in the order of the text form, no unreachable entries.

use super::{Function, InstId, InstKind, RegionId, Shader, Src, Targets, Value};

impl Shader {
    /// Brings the function into canonical form. The arenas then hold only what is reachable, numbered in the order in
    /// which the text form shows it. Swizzle entries without a meaning repeat the last one that has a meaning.
    ///
    /// Two shaders whose canonical forms are equal print equally, and parsing the text gives the canonical form.
    /// The shader must be valid.
    pub fn compact(&mut self) {
        self.canonicalise_swizzles();
        let mut old = std::mem::take(&mut self.func);
        let debug = std::mem::take(&mut old.debug);
        let mut copy =
            Copy { values: vec![None; old.num_values()], new: Function::new(), old: &old };
        let body = copy.new.body();
        copy.region(old.body(), body);
        let Copy { values, mut new, .. } = copy;
        for inst in (0..new.num_insts()).map(InstId::from_index) {
            new.kind_mut(inst).for_each_src_mut(|src| {
                if let Some(value) = values[src.value.index()] {
                    src.value = value;
                }
            });
        }
        new.debug = debug;
        self.func = new;
    }

    /// Sets the swizzle entries that no operation uses: the whole swizzle to the identity if the source reads the
    /// whole value in order, else each unused entry to the last used entry.
    pub(crate) fn canonicalise_swizzles(&mut self) {
        let mut swizzles = Vec::new();
        let mut todo = vec![(self.func.body(), Targets::default())];
        while let Some((region, targets)) = todo.pop() {
            for at in 0..self.func.region(region).insts.len() {
                let inst = self.func.region(region).insts[at];
                swizzles.clear();
                self.for_each_read(&targets, inst, |src, comps| {
                    swizzles.push(src.canonical(comps, self.func.ty(src.value).comps()));
                });
                let kind = self.func.kind_mut(inst);
                let mut new = swizzles.iter();
                kind.for_each_src_mut(|src| {
                    *src = *new.next().expect("both walks see all sources")
                });
                let inside = |(i, region)| (region, targets.inside(inst, kind, i));
                todo.extend(kind.regions().enumerate().map(inside));
            }
        }
    }
}

impl Src {
    /// The source with its unused swizzle entries set to canonical values. `comps` components of it are read; its
    /// value has `own` components.
    pub(crate) fn canonical(self, comps: usize, own: usize) -> Src {
        if comps == own && self.is_identity(comps) {
            return Src::new(self.value);
        }
        let mut swizzle = self.swizzle;
        let last = swizzle[comps.clamp(1, 4) - 1];
        swizzle.iter_mut().skip(comps).for_each(|entry| *entry = last);
        Src { swizzle, ..self }
    }
}

struct Copy<'a> {
    old: &'a Function,
    new: Function,
    /// For each old value: the new value, once its definition was copied.
    values: Vec<Option<Value>>,
}

impl Copy<'_> {
    /// Copies the parameters and instructions of region `from`, recursively, to the new region `to`. Sources still
    /// name old values; [`Shader::compact`] replaces them afterwards.
    fn region(&mut self, from: RegionId, to: RegionId) {
        for &param in &self.old.region(from).params {
            let new = self.new.add_param(to, self.old.ty(param));
            self.values[param.index()] = Some(new);
        }
        for &inst in &self.old.region(from).insts {
            let new = self.new.add_inst(InstKind::Undef, &[]);
            self.new.set_loc(new, self.old.loc_of(inst));
            self.new.region_mut(to).insts.push(new);
            for &result in &self.old.inst(inst).results {
                let value = self.new.add_result(new, self.old.ty(result));
                self.values[result.index()] = Some(value);
            }
            let mut kind = self.old.inst(inst).kind.clone();
            kind.for_each_region_mut(|region| {
                let from = *region;
                *region = self.new.add_region();
                self.region(from, *region);
            });
            *self.new.kind_mut(new) = kind;
        }
    }
}
