//! An open shader compiler for Intel GPUs of the i965 line.

#![deny(missing_docs)]

mod error;
mod options;
mod pipeline;
mod simd;
pub mod stages;

use crestline_program::Program;
use crestline_ssa::ir::{Shader, Stage};

pub use crestline_device::{Device, Platform};
pub use error::CompileError;
pub use options::{Ir, Observer, Options, PassReport, Simd};

use pipeline::{Pipeline, stage_name};

/// Compiles a shader in the middle's form.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_shader(shader: Shader, options: &Options) -> Result<Program, CompileError> {
    compile_shader_observed(shader, options, &mut ())
}

/// As [`compile_shader`], with an observer of all passes.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_shader_observed(
    mut shader: Shader,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Program, CompileError> {
    if shader.stage != Stage::Compute {
        return Err(CompileError::Stage { stage: stage_name(shader.stage) });
    }
    let widths = simd::allowed(&shader, options)?;
    let mut pipeline = Pipeline::new(options, observer);
    pipeline.optimize(&mut shader, None)?;
    simd::choose(&widths, |simd| pipeline.generate(&shader, simd))
}
