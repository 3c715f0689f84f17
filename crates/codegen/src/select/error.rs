//! Errors of instruction selection.

use std::cell::Cell;

use crestline_isa::message::DescriptorError;
use crestline_ssa::ir::{
    BindingId, InstId, InstKind, IoSlot, Memory, Shader, TextureOp, TextureRead,
};

use crate::ir::Function;
use crate::target::Target;

/// Why a shader cannot be selected for a device at a SIMD width.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The back end does not support the operation at this bit size.
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
    /// The back end does not support the memory access.
    #[error("{what} is not supported yet")]
    Memory {
        /// The access.
        what: &'static str,
    },
    /// No message has an atomic of this size for this kind of memory. 64-bit atomics address memory directly (PRM of
    /// Skylake, volume 7, "A64 Untyped Atomic Integer Operation"), so they exist for buffers only, from gen8 on.
    #[error("the device has no {bits}-bit atomics on {what}")]
    AtomicSize {
        /// Bits of the number.
        bits: u32,
        /// The memory.
        what: &'static str,
    },
    /// The device does not have what an instruction needs.
    #[error("the device has no {what}")]
    Absent {
        /// What is absent.
        what: &'static str,
    },
    /// Atomic addition of floats. Up to gen11, the data port has only minimum and maximum (PRM of Skylake, volume 7,
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
    /// The payload layout does not contain a value that the code uses.
    #[error("the payload layout does not contain {what}")]
    NotInLayout {
        /// What is missing.
        what: &'static str,
    },
    /// Selection detected an internal error.
    #[error("{what}")]
    Defect {
        /// What is wrong.
        what: &'static str,
    },
    /// The device does not have the message.
    #[error(transparent)]
    Message(#[from] DescriptorError),
    /// Another error, with the name of the variable or resource that the instruction accesses.
    #[error("{error}: {thing}")]
    Of {
        /// The variable or resource, as the source text names it.
        thing: String,
        /// The error.
        error: Box<SelectError>,
    },
    /// Another error, with the place in the source of the instruction at which selection failed.
    #[error("{error}")]
    At {
        /// The place.
        place: ErrorPlace,
        /// The error.
        error: Box<SelectError>,
    },
}

/// A place in a source text, by the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPlace {
    /// The name of the file, as the debug information of the module has it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

impl SelectError {
    /// Adds the place in the source of an instruction, if it is known and the error has none.
    pub(crate) fn at(self, shader: &Shader, id: InstId) -> SelectError {
        let debug = &shader.func.debug;
        let place = match (&self, debug.places(shader.func.loc_of(id)).first()) {
            (SelectError::At { .. }, _) | (_, None) => return self,
            (_, Some(place)) => place,
        };
        let file = debug.files().get(place.file.index()).cloned().unwrap_or_default();
        let place = ErrorPlace { file, line: place.line, column: place.column };
        SelectError::At { place, error: Box::new(self) }
    }

    /// The place in the source at which selection failed, if it is known.
    pub fn place(&self) -> Option<&ErrorPlace> {
        match self {
            SelectError::At { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Adds the name of the variable or resource that an instruction accesses, unless the error contains a name
    /// already.
    pub(crate) fn naming(self, shader: &Shader, id: InstId) -> SelectError {
        match (&self, thing(shader, &shader.func.inst(id).kind)) {
            (
                SelectError::Of { .. }
                | SelectError::At { .. }
                | SelectError::DivergentDescriptor { .. },
                _,
            )
            | (_, None) => self,
            // The error text may already contain the name.
            (_, Some(thing)) if self.to_string().contains(&thing) => self,
            (_, Some(thing)) => SelectError::Of { thing, error: Box::new(self) },
        }
    }
}

/// Checks that the device has a message of eight or more channels for a read.
///
/// # Errors
/// [`SelectError::Memory`] with the name of what it does not have.
pub(crate) fn check_texture_read(target: &Target, read: &TextureRead) -> Result<(), SelectError> {
    let what = match (read.min_level, read.compare, read.gradients) {
        (Some(_), ..) if !target.has_least_levels() => {
            return Err(SelectError::Absent { what: "least level of detail of texture reads" });
        }
        // The message has more parameters than registers.
        (Some(_), Some(_), Some(_)) => "a least level of detail of a comparison with gradients",
        _ => return Ok(()),
    };
    Err(SelectError::Memory { what })
}

/// Checks that there is a SIMD4x2 message for a read.
///
/// # Errors
/// [`SelectError::Memory`] with the name of what there is not.
pub(crate) fn check_vector_texture_read(read: &TextureRead) -> Result<(), SelectError> {
    let what = match (read.op, read.min_level) {
        (TextureOp::Lod, _) => "a query of the level of detail",
        (_, Some(_)) => "a least level of detail of a texture read",
        _ => return Ok(()),
    };
    Err(SelectError::Memory { what })
}

/// The name of the variable or resource that an instruction accesses; `None` for arithmetic and control flow.
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
            Memory::Global(_) => "a physical storage buffer".into(),
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

/// The name of an input or output for error messages; `way` is "input" or "output".
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
    /// Whether the error is a defect of the compiler and not a limit of the device or the back end.
    pub fn is_defect(&self) -> bool {
        match self {
            SelectError::NotLowered { .. }
            | SelectError::NotInLayout { .. }
            | SelectError::Defect { .. } => true,
            SelectError::BitSize { .. }
            | SelectError::Memory { .. }
            | SelectError::AtomicSize { .. }
            | SelectError::AtomicFloatSum
            | SelectError::Absent { .. }
            | SelectError::DivergentDescriptor { .. }
            | SelectError::Message(_) => false,
            SelectError::Of { error, .. } | SelectError::At { error, .. } => error.is_defect(),
        }
    }
}

/// Collects an internal error at places that cannot return one. At its end, selection then fails.
#[derive(Debug, Default)]
pub(crate) struct Faults(Cell<Option<&'static str>>);

impl Faults {
    /// Records an error. Only the first is kept.
    pub(crate) fn note(&self, what: &'static str) {
        self.0.set(self.0.get().or(Some(what)));
    }

    /// Returns an error if one was recorded here or in the function.
    pub(crate) fn check(&self, function: &Function) -> Result<(), SelectError> {
        match self.0.get().or(function.vregs.fault()) {
            Some(what) => Err(SelectError::Defect { what }),
            None => Ok(()),
        }
    }
}
