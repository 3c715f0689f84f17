//! The last step of parsing: replaces names by values, checks numbers of components, and sets default write masks.

use super::{ParseErrorKind, Parser, Result, Use, error_at};
use crate::ir::{InstId, InstKind, Targets, Value, WriteMask};

impl<'t> Parser<'t> {
    /// Replaces uses by values. Then checks the number of components of each source, and sets write masks and
    /// component counts that the text omits.
    pub(super) fn resolve(&mut self) -> Result<()> {
        let mut values = Vec::with_capacity(self.uses.len());
        for used in &self.uses {
            let value = self.names.get(used.name).copied();
            let undefined = || ParseErrorKind::Undefined(used.name.to_owned());
            values.push(value.ok_or_else(|| error_at(used.position, undefined()))?);
        }
        let func = &mut self.shader.func;
        let count = |used: &Use, value: Value, func: &crate::ir::Function| {
            used.swizzle.map_or(func.ty(value).comps(), |(count, _)| count)
        };
        // The uses of instruction `i`, in the order of its sources, are `order[starts[i]..starts[i + 1]]`.
        let mut order = Vec::with_capacity(self.uses.len());
        let mut starts = Vec::with_capacity(func.num_insts() + 1);
        for inst in (0..func.num_insts()).map(InstId::from_index) {
            starts.push(order.len());
            let first = order.len();
            let kind = func.kind_mut(inst);
            kind.for_each_src_mut(|src| {
                order.push(src.value.index());
                src.value = values[src.value.index()];
            });
            if let InstKind::StoreOutput { data, .. } = *kind
                && !self.masked[inst.index()]
            {
                let found = count(&self.uses[order[first]], data.value, func);
                if let InstKind::StoreOutput { mask, .. } = func.kind_mut(inst) {
                    *mask = WriteMask::all(found);
                }
            }
            let kind = func.kind_mut(inst);
            if let InstKind::Store { data, .. } = *kind {
                let used = order.last().map_or(0, |&last| last);
                let found = count(&self.uses[used], data.value, func);
                if let InstKind::Store { comps, mask, .. } = func.kind_mut(inst) {
                    *comps = found as u8;
                    if !self.masked[inst.index()] {
                        *mask = WriteMask::all(found);
                    }
                }
            }
        }
        let mut todo = vec![(self.shader.func.body(), Targets::default())];
        while let Some((region, targets)) = todo.pop() {
            for at in 0..self.shader.func.region(region).insts.len() {
                let inst = self.shader.func.region(region).insts[at];
                let mut uses = order[starts[inst.index()]..].iter();
                let mut wrong = None;
                let mut last = 1;
                self.shader.for_each_read(&targets, inst, |src, expected| {
                    let used = &self.uses[*uses.next().expect("both walks see all sources")];
                    let found = count(used, src.value, &self.shader.func);
                    if found != expected && wrong.is_none() {
                        let name = used.name.to_owned();
                        let kind = ParseErrorKind::Components { name, expected, found };
                        wrong = Some(error_at(used.position, kind));
                    }
                    last = expected;
                });
                if let Some(error) = wrong {
                    return Err(error);
                }
                let kind = self.shader.func.kind_mut(inst);
                if let InstKind::StoreVar { mask, .. } = kind
                    && !self.masked[inst.index()]
                {
                    *mask = WriteMask::all(last);
                }
                let inside = |(i, region)| (region, targets.inside(inst, kind, i));
                todo.extend(kind.regions().enumerate().map(inside));
            }
        }
        self.shader.canonicalise_swizzles();
        Ok(())
    }
}
