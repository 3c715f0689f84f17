//! Replacement of values by sources.

use crate::ir::{Function, InstId, RegionId, Src, Value};

/// A map from values to the sources that replace them. A replacement may itself be replaced.
#[derive(Debug, Default)]
pub(crate) struct Subst {
    map: Vec<Option<Src>>,
}

impl Subst {
    /// Replaces `value` by `by`, which must read as many components as the value has.
    pub(crate) fn insert(&mut self, value: Value, by: Src) {
        if self.map.len() <= value.index() {
            self.map.resize(value.index() + 1, None);
        }
        self.map[value.index()] = Some(by);
    }

    /// The source after all replacements, with the swizzles composed.
    pub(crate) fn resolve(&self, mut src: Src) -> Src {
        while let Some(Some(by)) = self.map.get(src.value.index()) {
            src = by.then(src.swizzle);
        }
        src
    }

    /// Whether the value has a replacement.
    pub(crate) fn has(&self, value: Value) -> bool {
        self.map.get(value.index()).is_some_and(Option::is_some)
    }

    /// Whether the map has no replacements.
    pub(crate) fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Replaces values in the sources of one instruction.
    #[inline]
    pub(crate) fn apply(&self, func: &mut Function, inst: InstId) {
        if !self.is_empty() {
            func.kind_mut(inst).for_each_src_mut(|src| *src = self.resolve(*src));
        }
    }

    /// Replaces values in the sources of every reachable instruction.
    pub(crate) fn apply_everywhere(&self, func: &mut Function) {
        let body = func.body();
        self.apply_in(func, body);
    }

    /// Replaces values in the sources of every instruction of `region` and the regions in it.
    pub(crate) fn apply_in(&self, func: &mut Function, region: RegionId) {
        if self.is_empty() {
            return;
        }
        let mut regions = vec![region];
        while let Some(region) = regions.pop() {
            for i in 0..func.region(region).insts.len() {
                let inst = func.region(region).insts[i];
                self.apply(func, inst);
                if func.inst(inst).kind.owns_regions() {
                    regions.extend(func.inst(inst).kind.regions());
                }
            }
        }
    }
}
