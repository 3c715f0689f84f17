//! What selection cannot do.

use std::cell::Cell;

use crestline_isa::message::DescriptorError;
use crestline_ssa::ir::{BindingId, InstId, InstKind, IoSlot, Memory, Shader};

use crate::ir::Function;

/// Why a shader cannot be selected for a device at a SIMD width.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// An operation on a bit size that this back end does not do yet.
    #[error("{op} on {bits}-bit values is not supported yet")]
    BitSize {
        /// The operation's name in the text form.
        op: &'static str,
        /// The bit size.
        bits: u32,
    },
    /// An instruction that a lowering pass should have replaced.
    #[error("{what} must be lowered before selection")]
    NotLowered {
        /// The instruction.
        what: &'static str,
    },
    /// A memory access that this back end does not do yet.
    #[error("{what} is not supported yet")]
    Memory {
        /// The access.
        what: &'static str,
    },
    /// An atomic of a size that no message has there: those of 64 bits take addresses (PRM of Skylake, volume 7,
    /// "A64 Untyped Atomic Integer Operation"), so they are for buffers, from gen8 on.
    #[error("the device has no {bits}-bit atomics on {what}")]
    AtomicSize {
        /// Bits of the number.
        bits: u32,
        /// What it works on.
        what: &'static str,
    },
    /// An atomic sum of floats: up to gen11 the data port has their least and greatest (PRM of Skylake, volume 7,
    /// "Untyped Atomic Float Operation").
    #[error("the device has no atomic addition of floats (AtomicFloat32AddEXT)")]
    AtomicFloatSum,
    /// The index into a descriptor array differs between invocations.
    #[error(
        "binding {set}.{binding}: a descriptor index that differs between invocations is not supported yet"
    )]
    DivergentDescriptor {
        /// Descriptor set.
        set: u32,
        /// Binding in the set.
        binding: u32,
    },
    /// The layout gives no place for something the code uses.
    #[error("the payload layout does not contain {what}")]
    NotInLayout {
        /// What is missing.
        what: &'static str,
    },
    /// A mistake of this compiler, as a part of it found out about itself.
    #[error("{what}")]
    Defect {
        /// What is wrong.
        what: &'static str,
    },
    /// A message that the device does not have.
    #[error(transparent)]
    Message(#[from] DescriptorError),
    /// Any of the others, with the name of what the instruction works on.
    #[error("{error}: {thing}")]
    Of {
        /// What the instruction works on, as the source names it.
        thing: String,
        /// What cannot be done.
        error: Box<SelectError>,
    },
}

impl SelectError {
    /// The same error with the name of what an instruction works on, unless it has a name already.
    pub(crate) fn naming(self, shader: &Shader, id: InstId) -> SelectError {
        match (&self, thing(shader, &shader.func.inst(id).kind)) {
            (SelectError::Of { .. } | SelectError::DivergentDescriptor { .. }, _) | (_, None) => {
                self
            }
            // It may be what the error is about.
            (_, Some(thing)) if self.to_string().contains(&thing) => self,
            (_, Some(thing)) => SelectError::Of { thing, error: Box::new(self) },
        }
    }
}

/// What an instruction works on; nothing for arithmetic and control flow.
fn thing(shader: &Shader, kind: &InstKind) -> Option<String> {
    Some(match kind {
        InstKind::SysVal(sysval) => format!("built-in {sysval}"),
        InstKind::LoadInput { slot, .. } => {
            slot_name("input", shader.input(*slot).map(|var| &var.name), *slot)
        }
        InstKind::LoadOutput { slot, .. } | InstKind::StoreOutput { slot, .. } => {
            slot_name("output", shader.output(*slot).map(|var| &var.name), *slot)
        }
        InstKind::Load { memory, .. }
        | InstKind::Store { memory, .. }
        | InstKind::Atomic { memory, .. } => match memory {
            Memory::Ubo(resource) | Memory::Ssbo(resource) | Memory::Image(resource) => {
                binding_name(shader, resource.binding)
            }
            Memory::PushConstant => "push constants".into(),
            Memory::Shared => "shared memory".into(),
            Memory::Scratch => "private memory".into(),
            Memory::ConstData => "constant data".into(),
        },
        InstKind::BufferSize(resource)
        | InstKind::ImageSize(resource)
        | InstKind::ImageLoad { image: resource, .. }
        | InstKind::ImageStore { image: resource, .. }
        | InstKind::ImageAtomic { image: resource, .. }
        | InstKind::ImageParam { image: resource, .. } => binding_name(shader, resource.binding),
        InstKind::Texture(read) => binding_name(shader, read.texture.binding),
        InstKind::LoadVar { var, .. } | InstKind::StoreVar { var, .. } => {
            let name = shader.vars.get(var.index()).map_or("", |var| &var.name);
            format!("variable {name:?}")
        }
        _ => return None,
    })
}

fn slot_name(way: &str, name: Option<&String>, slot: IoSlot) -> String {
    match name {
        Some(name) => format!("{way} {name:?}, {slot}"),
        None => format!("{way} {slot}"),
    }
}

fn binding_name(shader: &Shader, binding: BindingId) -> String {
    let binding = shader.binding(binding);
    format!("{:?} at set {} binding {}", binding.name, binding.set, binding.binding)
}

impl SelectError {
    /// Whether the compiler is wrong, whatever the program.
    pub fn is_defect(&self) -> bool {
        match self {
            SelectError::NotLowered { .. }
            | SelectError::NotInLayout { .. }
            | SelectError::Defect { .. } => true,
            SelectError::BitSize { .. }
            | SelectError::Memory { .. }
            | SelectError::AtomicSize { .. }
            | SelectError::AtomicFloatSum
            | SelectError::DivergentDescriptor { .. }
            | SelectError::Message(_) => false,
            SelectError::Of { error, .. } => error.is_defect(),
        }
    }
}

/// What selection finds wrong with itself where it can only go on: the end of it is an error then.
#[derive(Debug, Default)]
pub(crate) struct Faults(Cell<Option<&'static str>>);

impl Faults {
    /// Notes one; the first stays.
    pub(crate) fn note(&self, what: &'static str) {
        self.0.set(self.0.get().or(Some(what)));
    }

    /// Refuses what was selected if something is wrong with it.
    pub(crate) fn check(&self, function: &Function) -> Result<(), SelectError> {
        match self.0.get().or(function.vregs.fault()) {
            Some(what) => Err(SelectError::Defect { what }),
            None => Ok(()),
        }
    }
}
