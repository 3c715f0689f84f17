//! Sizes of descriptor arrays that a shader declares without a size.

use crestline_codegen::target::Target;
use crestline_program::MAX_COLOUR_TARGETS;
use crestline_ssa::ir::{Binding, BindingKind, Shader, Stage};

use crate::stages::SURFACES;
use crate::{CompileError, Options};

/// Surfaces that the compiler itself may add to the binding table: the number of workgroups, and constant data.
const OWN_SURFACES: u32 = 2;

/// Whether nothing gives the array a size.
fn is_open(binding: &Binding, options: &Options) -> bool {
    binding.count == Some(0) && given(binding, options).is_none()
}

/// The size that the options give, if any.
fn given(binding: &Binding, options: &Options) -> Option<u32> {
    options.descriptor_counts.get(&(binding.set, binding.binding)).copied().filter(|&n| n > 0)
}

/// Sets the size of the arrays for which the options have one. Returns whether others are left.
pub(crate) fn set_given(shader: &mut Shader, options: &Options) -> bool {
    for binding in shader.bindings.iter_mut().filter(|binding| binding.count == Some(0)) {
        if let size @ Some(_) = given(binding, options) {
            binding.count = size;
        }
    }
    shader.bindings.iter().any(|binding| is_open(binding, options))
}

/// Sets the size of all arrays that have none.
pub(crate) fn set_open(shader: &mut Shader, size: u32) {
    for binding in shader.bindings.iter_mut().filter(|binding| binding.count == Some(0)) {
        binding.count = Some(size);
    }
}

/// The number of elements that each array without a size can have if all get equally many: what the binding table and
/// the sampler table have left, divided by the number of these arrays; at least 1.
pub(crate) fn largest(shader: &Shader, target: &Target) -> u32 {
    let is_sampler = |binding: &&Binding| matches!(binding.kind, BindingKind::Sampler);
    let share = |bindings: &mut dyn Iterator<Item = &Binding>, entries: u32| {
        let (mut taken, mut open) = (0u32, 0);
        for binding in bindings {
            match binding.count {
                Some(0) => open += 1,
                count => taken = taken.saturating_add(count.unwrap_or(1)),
            }
        }
        entries.saturating_sub(taken).checked_div(open).unwrap_or(u32::MAX)
    };
    let attachments =
        if shader.stage.stage() == Stage::Fragment { u32::from(MAX_COLOUR_TARGETS) } else { 0 };
    let surfaces = SURFACES as u32 - OWN_SURFACES - attachments;
    let surfaces = share(&mut shader.bindings.iter().filter(|b| !is_sampler(b)), surfaces);
    let samplers = share(&mut shader.bindings.iter().filter(is_sampler), target.max_samplers());
    surfaces.min(samplers).max(1)
}

/// Whether arrays with fewer elements may avoid the error: a table or the payload is full.
pub(crate) fn fewer_may_help(error: &CompileError) -> bool {
    matches!(
        error,
        CompileError::BindingTable { .. }
            | CompileError::Samplers { .. }
            | CompileError::PushConstants { .. }
            | CompileError::Payload { .. }
    )
}
