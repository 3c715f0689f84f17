//! Names of memories and of instructions whose results differ between invocations, for reports to people.

use crate::ir::{BindingId, BindingKind, InstId, InstKind, IoSlot, IoVar, Memory, Shader};
use crate::text::sysval_word;

/// A memory by its kind, and the set, number and name of a binding: `storage buffer 0.1 "data"`.
pub fn memory_name(shader: &Shader, memory: &Memory) -> String {
    match memory {
        Memory::Ubo(resource) | Memory::Ssbo(resource) | Memory::Image(resource) => {
            binding_name(shader, resource.binding)
        }
        Memory::PushConstant => "push constants".to_owned(),
        Memory::Shared => "shared memory".to_owned(),
        Memory::Scratch => "scratch memory".to_owned(),
        Memory::ConstData => "constants of the program".to_owned(),
        Memory::Global(_) => "a buffer by its address".to_owned(),
    }
}

/// A binding by its kind, set, number and name.
fn binding_name(shader: &Shader, id: BindingId) -> String {
    let binding = shader.binding(id);
    let kind = match binding.kind {
        BindingKind::UniformBuffer => "uniform buffer",
        BindingKind::StorageBuffer => "storage buffer",
        BindingKind::AtomicCounters => "atomic counters",
        BindingKind::Image(_) => "storage image",
        BindingKind::Texture(_) => "texture",
        BindingKind::Sampler => "sampler",
    };
    named(&format!("{kind} {}.{}", binding.set, binding.binding), &binding.name)
}

fn named(what: &str, name: &str) -> String {
    if name.is_empty() { what.to_owned() } else { format!("{what} \"{name}\"") }
}

fn variable_name(what: &str, vars: &[IoVar], slot: IoSlot) -> String {
    let holds = |var: &&IoVar| {
        var.slot == slot
            || match (var.slot, slot) {
                (IoSlot::Location(first), IoSlot::Location(at))
                | (IoSlot::Patch(first), IoSlot::Patch(at)) => {
                    at.checked_sub(first).is_some_and(|number| number < var.slots())
                }
                _ => false,
            }
    };
    named(what, vars.iter().find(holds).map_or("", |var| &var.name))
}

/// What the results of an instruction are, if they differ between invocations by themselves
/// ([`Cause::Result`](crate::analysis::Cause::Result)): `local_invocation_id`, `input "uv"`.
pub fn origin_name(shader: &Shader, inst: InstId) -> String {
    match &shader.func.inst(inst).kind {
        InstKind::SysVal(value) => sysval_word(*value).to_owned(),
        InstKind::LoadInput { slot, .. } => variable_name("input", &shader.inputs, *slot),
        InstKind::LoadOutput { slot, .. } => variable_name("output", &shader.outputs, *slot),
        InstKind::Load { memory, .. } => memory_name(shader, memory),
        InstKind::Atomic { memory, .. } => {
            format!("an atomic on {}", memory_name(shader, memory))
        }
        InstKind::ImageAtomic { image, .. } => {
            format!("an atomic on {}", binding_name(shader, image.binding))
        }
        InstKind::LoadVar { var, .. } => named("variable", &shader.var(*var).name),
        InstKind::Interpolate { .. } => "an interpolated input".to_owned(),
        InstKind::Barycentric { .. } => "barycentric weights".to_owned(),
        InstKind::IsHelper => "whether the invocation is a helper".to_owned(),
        InstKind::AllKilled(_) => "whether the pixels are discarded".to_owned(),
        InstKind::Subgroup { .. } => "a subgroup operation".to_owned(),
        _ => "an instruction".to_owned(),
    }
}
