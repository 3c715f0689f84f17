//! The front end: it translates SPIR-V, WGSL, GLSL and HLSL to shaders of `crestline-ssa`.
//!
//! All languages pass through SPIR-V: [`to_spirv`] compiles a source language to SPIR-V, [`translate`] converts one
//! entry point of a module to a [`Shader`] with all calls inlined, and [`load`] does both. Modules are untrusted: the
//! translation checks all its assumptions, and each [`FrontendError`] contains the rule, the instruction and its word
//! offset.
//!
//! ```
//! use crestline_frontend::{Source, Language, TranslateOptions, to_spirv, translate};
//!
//! let wgsl = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
//!     @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }";
//! let source = Source { name: "double.wgsl", language: Language::Wgsl, bytes: wgsl.as_bytes() };
//! let words = to_spirv(&source)?;
//! let shader = translate(&words, &TranslateOptions::default())?;
//! assert_eq!(shader.compute().unwrap().local_size, [8, 1, 1]);
//! # Ok::<(), crestline_frontend::FrontendError>(())
//! ```

#![deny(missing_docs)]

mod assembly;
mod confine;
mod control;
mod error;
mod half;
mod ids;
mod layout;
mod limits;
mod origin;
mod source;
mod spirv;
mod translate;
mod variables;

use crestline_ssa::ir::{Shader, Stage, SurfaceFormat};

pub use assembly::{AssemblyError, assemble};
pub use error::{ErrorCode, FrontendError, ModulePosition, SourcePosition, named_line};
pub use origin::in_source;
pub use source::{
    Language, Override, OverrideKind, Source, UnknownLanguage, load, spirv_words, to_spirv,
    to_spirv_with, to_spirv_with_lines, wgsl_overrides,
};
pub use variables::{AssignedVariable, assigned_variables};

/// Selects the entry point to translate, and sets values and limits of the translation.
#[derive(Clone, Copy, Debug)]
pub struct TranslateOptions<'a> {
    /// The entry point's name; `None` takes the only one of the stage.
    pub entry: Option<&'a str>,
    /// The entry point's stage. `None` selects the compute entry point if one has that name, otherwise the only entry
    /// point that has it.
    pub stage: Option<Stage>,
    /// Values of specialization constants: `SpecId` and bits. Bits above the constant's size are ignored; a boolean is
    /// true unless all bits are 0.
    pub spec: &'a [(u32, u64)],
    /// Values of the WGSL `override`s that have no `@id`: name and bits (as in `spec`). Only [`to_spirv_with`] and
    /// [`load`] use them, because a SPIR-V module does not contain the names.
    pub named_spec: &'a [(&'a str, u64)],
    /// Formats of storage images that the shader declares without a format: set and binding, and the format.
    pub image_formats: &'a [((u32, u32), SurfaceFormat)],
    /// Whether SPIR-V that is made from source text contains line numbers; see [`to_spirv_with_lines`].
    pub lines: bool,
    /// Whether the shader declares outputs with locations that it never writes. Linking needs them: the next stage may
    /// declare inputs that match them, and reads undefined values then.
    pub unwritten_outputs: bool,
    /// Whether indices of arrays, matrices and vectors are clamped into their bounds, as signed numbers. The bounds of
    /// an array without a size are those of its buffer. So no access leaves a variable or buffer, and an index out of
    /// bounds accesses the first or last element.
    pub robust_access: bool,
    /// The most instructions that the shader may have after inlining.
    pub max_insts: usize,
}

impl Default for TranslateOptions<'_> {
    fn default() -> Self {
        TranslateOptions {
            entry: None,
            stage: None,
            spec: &[],
            named_spec: &[],
            image_formats: &[],
            lines: false,
            unwritten_outputs: false,
            robust_access: false,
            max_insts: 1 << 20,
        }
    }
}

/// The entry points of a SPIR-V module, in its order: the stage, and the name. The stage is `None` if no supported device has it.
///
/// # Errors
/// If the module breaks a rule that the translation relies on.
pub fn entry_points(words: &[u32]) -> Result<Vec<(Option<Stage>, String)>, FrontendError> {
    let module = spirv::Module::read(words)?;
    Ok(module.entry_points.iter().map(|entry| (entry.stage(), entry.name.clone())).collect())
}

/// Translates one entry point of a SPIR-V module.
///
/// # Errors
/// If the module breaks a rule that the translation relies on, or needs something that is not supported.
pub fn translate(words: &[u32], options: &TranslateOptions<'_>) -> Result<Shader, FrontendError> {
    let module = spirv::Module::read(words)?;
    let entry = module.entry_point(options.entry, options.stage)?;
    let globals = spirv::Globals::read(&module, options.spec)?;
    translate::translate_entry_point(&module, &globals, entry, options)
}
