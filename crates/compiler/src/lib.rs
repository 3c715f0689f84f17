//! An open shader compiler for Intel GPUs (Ivy Bridge to Skylake).
//!
//! ```
//! use crestline::{Language, Options, Platform, Source, compile};
//!
//! let wgsl = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
//!     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }";
//! let source = Source { name: "double.wgsl", language: Language::Wgsl, bytes: wgsl.as_bytes() };
//! let program = compile(&source, &Options::new(Platform::Skl))?;
//! println!("{} bytes at SIMD{}", program.code.len(), program.metadata.dispatches.first().simd_width);
//! # assert!(program.statistics().is_some_and(|counted| counted.instructions > 3));
//! # Ok::<(), crestline::CompileError>(())
//! ```
//!
//! [`compile`] takes a source text or a SPIR-V binary, [`compile_spirv`] the words of a SPIR-V module,
//! [`compile_shader`] a shader in the mid-level IR. [`compile_all`] compiles many shaders on several threads, [`link`] the
//! stages of a pipeline together. The
//! result is a [`Program`]: machine code, the metadata that a driver needs, and statistics. The functions with
//! `_observed` call an [`Observer`] after each pass. [`Simd::Auto`] describes how the SIMD width is chosen.

#![deny(missing_docs)]

mod arrays;
mod batch;
mod disassembly;
mod error;
mod findings;
mod lines;
mod link;
mod options;
mod passes;
mod pipeline;
mod simd;
pub mod stages;

use std::collections::BTreeSet;

use crestline_codegen::scalar;
use crestline_device::SurfaceFormat;
use crestline_frontend::{TranslateOptions, load, translate};
use crestline_ssa::ir::{BindingId, BindingKind};

pub use batch::{Input, Job, compile_all};
pub use crestline_analysis as analysis;
#[cfg(feature = "testing")]
pub use crestline_codegen::backend::Fault;
pub use crestline_codegen::select::ErrorPlace;
#[cfg(feature = "testing")]
pub use crestline_codegen::stage::FragmentStep;
pub use crestline_device::{Device, Platform};
pub use crestline_frontend::{FrontendError, Language, Source, UnknownLanguage};
pub use crestline_isa::text::Syntax;
pub use crestline_program as program;
pub use crestline_program::{Metadata, Program, StageMetadata, Statistics};
pub use crestline_ssa::ir::{
    Binding, InstKind, IoSlot, LastChange, Shader, Stage, TessDomain, TessSpacing, UnknownStage,
};
pub use disassembly::{DisassemblyError, disassemble};
pub use error::CompileError;
pub use findings::{line_variables, shader_report};
#[cfg(feature = "testing")]
pub use link::LinkStep;
pub use link::{
    Components, EntryLayout, LinkError, LinkOptions, Linked, LinkedStage, Moved, PipelineError,
    Report as LinkReport, Slots, check as check_link, link, link_shaders,
};
pub use options::{FuelReport, Ir, Observer, Options, PassReport, Simd, WidthReport, WidthResult};
pub use passes::{PassInfo, passes};
pub use stages::Linkage;

use pipeline::Pipeline;
use stages::{is_vec4, stage_name};

/// The platforms that the compiler supports. For all others it returns [`CompileError::Target`].
pub const TARGETS: &[Platform] = &[
    Platform::Ivb,
    Platform::Byt,
    Platform::Hsw,
    Platform::Bdw,
    Platform::Chv,
    Platform::Skl,
    Platform::Bxt,
    Platform::Kbl,
    Platform::Glk,
    Platform::Cfl,
];

/// Compiles one entry point of a shader in any source language.
///
/// # Errors
/// See [`CompileError`].
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Program, CompileError> {
    compile_observed(source, options, &mut ())
}

/// Does the same as [`compile`], and calls an observer after each pass.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_observed(
    source: &Source<'_>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Program, CompileError> {
    compile_shader_observed(load(source, &translation(options))?, options, observer)
}

/// Compiles one entry point of a SPIR-V module.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_spirv(words: &[u32], options: &Options) -> Result<Program, CompileError> {
    compile_spirv_observed(words, options, &mut ())
}

/// Does the same as [`compile_spirv`], and calls an observer after each pass.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_spirv_observed(
    words: &[u32],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Program, CompileError> {
    compile_shader_observed(translate(words, &translation(options))?, options, observer)
}

/// The options of the front end.
fn translation(options: &Options) -> TranslateOptions<'_> {
    TranslateOptions {
        entry: options.entry.as_deref(),
        stage: options.stage,
        spec: &options.specialization,
        image_formats: &options.image_formats,
        robust_access: options.robust_access,
        ..TranslateOptions::default()
    }
}

/// Compiles a shader in the mid-level IR.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_shader(shader: Shader, options: &Options) -> Result<Program, CompileError> {
    compile_shader_observed(shader, options, &mut ())
}

/// Does the same as [`compile_shader`], and calls an observer after each pass.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_shader_observed(
    mut shader: Shader,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Program, CompileError> {
    let stage = shader.stage.stage();
    let platform = options.device.platform();
    if !TARGETS.contains(&platform) {
        return Err(CompileError::Target { platform, stage: stage_name(stage) });
    }
    let vec4 = is_vec4(stage, &options.device, options.simd)?;
    if options.assume_image_formats {
        assume_formats(&mut shader, observer);
    }
    let pipeline = Pipeline::new(options, observer);
    let mut pipeline = if vec4 { pipeline.for_vec4() } else { pipeline };
    pipeline.accept(&shader)?;
    check_device(&shader, options)?;
    let result = if arrays::set_given(&mut shader, options) {
        run_with_open_arrays(&mut pipeline, &shader, options, vec4)
    } else {
        run(&mut pipeline, &mut shader, options, vec4)
    };
    pipeline.report_fuel();
    result
}

/// Compiles a shader with descriptor arrays that have no size, with the largest size for which the tables and the
/// payload have room: half as many elements after each failure.
fn run_with_open_arrays(
    pipeline: &mut Pipeline<'_>,
    shader: &Shader,
    options: &Options,
    vec4: bool,
) -> Result<Program, CompileError> {
    let mut size = arrays::largest(shader, &pipeline.target());
    loop {
        let mut sized = shader.clone();
        arrays::set_open(&mut sized, size);
        match run(pipeline, &mut sized, options, vec4) {
            Err(error) if size > 1 && arrays::fewer_may_help(&error) => size /= 2,
            result => return result,
        }
    }
}

/// Compiles a shader that has passed the checks.
fn run(
    pipeline: &mut Pipeline<'_>,
    shader: &mut Shader,
    options: &Options,
    vec4: bool,
) -> Result<Program, CompileError> {
    if vec4 {
        simd::check_stage(vec4, options)?;
        pipeline.optimize(shader, None)?;
        return pipeline.generate_vec4(shader);
    }
    let compute = match (shader.compute(), shader.stage.stage()) {
        (Some(compute), _) => compute,
        (None, Stage::Fragment) => return pipeline.generate_fragment(shader, options),
        (None, _) => {
            simd::check_stage(vec4, options)?;
            pipeline.optimize(shader, None)?;
            return Ok(pipeline.generate(shader, scalar::STAGE_CHANNELS, true)?.program);
        }
    };
    let target = pipeline.target();
    let widths = simd::allowed(compute, &target, options)?;
    pipeline.optimize(shader, None)?;
    simd::choose(&widths, &target, |simd, may_spill| pipeline.generate(shader, simd, may_spill))
}

/// The images that the shader reads without knowing their formats.
fn read_without_format(shader: &Shader) -> BTreeSet<BindingId> {
    let func = &shader.func;
    let mut found = BTreeSet::new();
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            if let InstKind::ImageLoad { image, .. } = kind
                && shader.image(image.binding).is_some_and(|ty| ty.format.is_none())
            {
                found.insert(image.binding);
            }
            stack.extend(kind.regions());
        }
    }
    found
}

/// Gives images that are read without a format one whose texels are read as they are: four components of 32 bits. The
/// conversion of floats and of integers is the same, none.
fn assume_formats(shader: &mut Shader, observer: &mut dyn Observer) {
    let mut places = BTreeSet::new();
    for id in read_without_format(shader) {
        let binding = &mut shader.bindings[id.index()];
        if let BindingKind::Image(ty) = &mut binding.kind {
            ty.format = Some(SurfaceFormat::R32G32B32A32_FLOAT);
            places.insert((binding.set, binding.binding));
        }
    }
    for (set, binding) in places {
        observer.image_format_assumed(set, binding);
    }
}

/// Checks limits of the device that are known before any pass runs.
fn check_device(shader: &Shader, options: &Options) -> Result<(), CompileError> {
    let device = &options.device;
    let (bytes, limit) = (shader.shared_bytes(), device.limits().max_shared_bytes);
    if bytes > limit {
        return Err(CompileError::SharedMemory { bytes, limit });
    }
    if let Some(&id) = read_without_format(shader).first() {
        let binding = shader.binding(id);
        return Err(CompileError::ImageFormat { set: binding.set, binding: binding.binding });
    }
    Ok(())
}
