//! The parts of compilation that depend on the pipeline stage. From an optimised shader, [`Layout::new`] decides which
//! registers of the thread payload have which data, what the entries of the binding table are, and which slots of URB
//! entries have which varyings. Instruction selection gets the result as an [`Interface`], the driver as metadata.
//!
//! - one module for each stage;
//! - `resources`: push constants, other constants in the payload, binding table and samplers, for all stages;
//! - `entry`: the layout of URB entries;
//! - `linkage`: what a stage is told about the stages around it.

mod buffers;
mod compute;
mod entry;
mod fragment;
mod geometry;
mod linkage;
mod resources;
mod tess_control;
mod tess_eval;
mod vertex;

use crestline_codegen::interface::Interface;
use crestline_codegen::stage::ThreadMode;
use crestline_codegen::target::Target;
use crestline_device::Device;
use crestline_program::{
    ConstantData, Dispatch, Metadata, StageMetadata, Surface, ThreadPayload, VERSION,
    kernel_start_slot,
};
use crestline_ssa::ir::{Shader, Stage};

pub use linkage::Linkage;
pub(crate) use resources::SURFACES;
pub use resources::Tables;
use resources::float_mode;

use crate::{CompileError, Simd};

/// The kind of threads for which a program is laid out.
#[derive(Clone, Copy, Debug)]
pub enum Threads<'a> {
    /// Compute shaders: a channel for each invocation. The value is the number of channels.
    Simd(u8),
    /// Fragment shaders: a channel for each invocation.
    Pixels {
        /// Number of channels.
        simd: u8,
        /// Whether the shader was compiled for framebuffers with one sample.
        one_sample: bool,
        /// Whether the code is for alpha to coverage.
        alpha_to_coverage: bool,
    },
    /// Stages of the geometry pipeline.
    Mode(&'a ThreadMode),
}

/// The layout of one program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The positions of inputs, outputs and resources, for instruction selection.
    pub interface: Interface,
    /// The payload registers that the driver fills, for the metadata.
    pub payload: ThreadPayload,
    /// The surfaces and samplers that messages name by index.
    pub tables: Tables,
    /// The metadata of the stage.
    pub stage: StageMetadata,
}

impl Layout {
    /// Lays out an optimised shader.
    ///
    /// # Errors
    /// The payload, a URB entry or a table has no room, a property of another stage is needed but not known, or the
    /// stage does not have such threads.
    pub fn new(
        shader: &Shader,
        target: &Target,
        threads: Threads<'_>,
        linkage: Linkage,
    ) -> Result<Layout, CompileError> {
        match (shader.stage.stage(), threads) {
            (Stage::Compute, Threads::Simd(_)) => compute::layout(shader, target),
            (Stage::Fragment, Threads::Pixels { simd, one_sample, alpha_to_coverage }) => {
                fragment::layout(shader, target, simd, one_sample, alpha_to_coverage)
            }
            (Stage::Vertex, Threads::Mode(mode)) => vertex::layout(shader, target, mode, linkage),
            (Stage::TessControl, Threads::Mode(mode)) => {
                tess_control::layout(shader, target, mode, linkage)
            }
            (Stage::TessEval, Threads::Mode(mode)) => {
                tess_eval::layout(shader, target, mode, linkage)
            }
            (Stage::Geometry, Threads::Mode(mode)) => {
                geometry::layout(shader, target, mode, linkage)
            }
            (_, Threads::Simd(_) | Threads::Pixels { .. } | Threads::Mode(_)) => {
                Err(unsupported(shader))
            }
        }
    }

    /// The description of the code entry at the start of the code, for SIMD width `simd`.
    fn dispatch(&self, simd: u32) -> Dispatch {
        let slot = matches!(self.stage, StageMetadata::Fragment(_))
            .then(|| kernel_start_slot(simd, &[simd]));
        Dispatch { kernel_start_slot: slot, ..Dispatch::at_start(simd, self.payload.clone()) }
    }

    /// The metadata of a program at SIMD width `simd`, with `scratch_bytes` of scratch memory per thread.
    pub fn metadata(
        &self,
        shader: &Shader,
        device: &Device,
        simd: u32,
        scratch_bytes: u32,
    ) -> Metadata {
        let mut stage = self.stage.clone();
        if let (StageMetadata::Compute(metadata), Some(info)) = (&mut stage, shader.compute()) {
            // In a workgroup of one thread, no barrier is emitted.
            metadata.uses_barrier &= info.invocations() > simd.into();
        }
        let surfaces = &self.tables.surfaces;
        let reads_data =
            surfaces.iter().any(|entry| matches!(entry.surface, Surface::ConstantData));
        let constant_data =
            reads_data.then(|| ConstantData { bytes: shader.const_data.clone(), alignment: 64 });
        Metadata {
            version: VERSION,
            platform: device.platform(),
            entry_point: shader.name.clone(),
            dispatches: self.dispatch(simd).into(),
            stage,
            binding_table: surfaces.clone(),
            samplers: self.tables.samplers.clone(),
            scratch_bytes,
            private_bytes_per_channel: 0,
            address_bits: self.tables.address_bits,
            constant_data,
            relocations: Vec::new(),
            float_mode: float_mode(shader),
            lines: None,
        }
    }
}

/// Whether the stage's threads are SIMD4x2, with two vertices of four channels each. Otherwise they have one channel
/// for each invocation. `simd` is the width that the options request.
///
/// # Errors
/// The device has no back end for the stage, or none at that width.
pub fn is_vec4(stage: Stage, device: &Device, simd: Simd) -> Result<bool, CompileError> {
    let platform = device.platform();
    let wrong = |expected| {
        Err(CompileError::Threads { stage: stage_name(stage), platform, asked: simd, expected })
    };
    if matches!(stage, Stage::Compute | Stage::Fragment) {
        return match simd {
            Simd::Simd4x2 => wrong("SIMD8, SIMD16 or SIMD32"),
            _ => Ok(false),
        };
    }
    let (eight, two) = (device.has_simd8_vertex_threads(), device.has_simd4x2_vertex_threads());
    match (simd, eight, two) {
        (_, false, false) => Err(CompileError::Target { platform, stage: stage_name(stage) }),
        (Simd::Auto | Simd::Simd8, true, _) => Ok(false),
        (Simd::Auto, false, true) | (Simd::Simd4x2, _, true) => Ok(true),
        (_, true, true) => wrong("SIMD8 or SIMD4x2"),
        (_, true, false) => wrong("SIMD8"),
        (_, false, true) => wrong("SIMD4x2"),
    }
}

/// The internal error for a kind of threads that the stage does not have.
fn unsupported(shader: &Shader) -> CompileError {
    let message = format!("{} shaders do not have such threads", stage_name(shader.stage.stage()));
    CompileError::Internal { pass: "layout", message }
}

/// The stage's name, for errors.
pub(crate) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::TessControl => "tessellation control",
        Stage::TessEval => "tessellation evaluation",
        Stage::Geometry => "geometry",
        Stage::Fragment => "fragment",
        Stage::Compute => "compute",
    }
}
