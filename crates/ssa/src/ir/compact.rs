//! Renumbers everything in the order of the text form and drops what is unreachable.

use super::{Function, InstId, InstKind, RegionId, Shader, Src, Targets, Value};

impl Shader {
    /// Brings the function into canonical form: arenas hold what is reachable and nothing else, numbered in the order
    /// in which the text form shows it, and swizzle entries that do not count repeat the last one that does.
    ///
    /// Two shaders whose canonical forms are equal print equally, and parsing the text gives the canonical form.
    /// The shader must be valid.
    pub fn compact(&mut self) {
        self.canonicalise_swizzles();
        let old = std::mem::take(&mut self.func);
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
        self.func = new;
    }

    /// Sets swizzle entries that do not count: to the identity where the whole value is read in order, else to the
    /// last entry that counts.
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
    /// The same source read by `comps` components out of the `own` of its value, with the entries beyond set by rule.
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
    /// The new value of each old one that has been met.
    values: Vec<Option<Value>>,
}

impl Copy<'_> {
    fn region(&mut self, from: RegionId, to: RegionId) {
        for &param in &self.old.region(from).params {
            let new = self.new.add_param(to, self.old.ty(param));
            self.values[param.index()] = Some(new);
        }
        for &inst in &self.old.region(from).insts {
            let new = self.new.add_inst(InstKind::Undef, &[]);
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
