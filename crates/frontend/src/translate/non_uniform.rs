//! The decoration `NonUniform`: invocations may select different elements of an array of descriptors in one access.
//!
//! Vulkan demands the decoration on the pointer or the resource of the access. glslang decorates the index too, and other producers
//! decorate only some of these. So any of them marks the whole binding.

use crestline_ssa::ir::Resource;

use super::Translator;
use super::pointer::Base;

impl Translator<'_, '_> {
    /// Marks the bindings of the resources at `base`.
    pub(super) fn mark_non_uniform(&mut self, base: &Base) {
        match base {
            Base::Mem(mem) | Base::Descriptors(mem) => {
                if let Some(resource) = mem.memory.resource() {
                    self.mark_resource(resource);
                }
            }
            Base::Texel(texel) => self.mark_resource(&texel.image),
            Base::Sampled { texture, sampler } => {
                self.mark_resource(texture);
                self.mark_resource(sampler);
            }
            // Those of a choice have the mark: a pointer that is a value may come from anywhere.
            Base::Choice(_)
            | Base::DescriptorChoice(_)
            | Base::Var { .. }
            | Base::Builtin { .. }
            | Base::Builtins(_)
            | Base::Kept(_)
            | Base::Slots(_) => {}
        }
    }

    /// Marks the binding of a resource.
    pub(super) fn mark_resource(&mut self, resource: &Resource) {
        self.shader.bindings[resource.binding.index()].non_uniform = true;
    }
}
