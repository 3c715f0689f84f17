//! The parts of compilation that depend on the pipeline stage: payload layout, binding table, metadata.

pub mod compute;
mod entry;
pub mod geometry;
mod resources;
pub mod tess_control;
pub mod tess_eval;
pub mod vertex;

use crestline_codegen::interface::Interface;
use crestline_codegen::target::Target;
use crestline_device::Device;
use crestline_program::Metadata;
use crestline_ssa::ir::{Shader, Stage};

use crate::{CompileError, Simd};

/// The layout of one program of any stage.
#[derive(Clone, Debug)]
pub enum Layout {
    /// Compute.
    Compute(compute::Layout),
    /// Vertex.
    Vertex(vertex::Layout),
    /// Tessellation control.
    TessControl(tess_control::Layout),
    /// Tessellation evaluation.
    TessEval(tess_eval::Layout),
    /// Geometry.
    Geometry(geometry::Layout),
}

impl Layout {
    /// Lays out an optimised shader.
    ///
    /// # Errors
    /// A stage without a back end, or what the stage has no room for.
    pub fn new(
        shader: &Shader,
        target: &Target,
        linkage: tess_control::Linkage,
    ) -> Result<Layout, CompileError> {
        Ok(match shader.stage.stage() {
            Stage::Compute => Layout::Compute(compute::Layout::new(shader, target)?),
            Stage::Vertex => Layout::Vertex(vertex::Layout::new(shader, target)?),
            Stage::TessControl => {
                Layout::TessControl(tess_control::Layout::new(shader, target, linkage)?)
            }
            Stage::TessEval => Layout::TessEval(tess_eval::Layout::new(shader, target)?),
            Stage::Geometry => Layout::Geometry(geometry::Layout::new(shader, target)?),
            Stage::Fragment => return Err(unsupported(shader)),
        })
    }

    /// For selection.
    pub fn interface(&self) -> &Interface {
        match self {
            Layout::Compute(layout) => &layout.interface,
            Layout::Vertex(layout) => &layout.interface,
            Layout::TessControl(layout) => &layout.interface,
            Layout::TessEval(layout) => &layout.interface,
            Layout::Geometry(layout) => &layout.interface,
        }
    }

    /// For the driver: of a program at SIMD width `simd`, with `scratch_bytes` of scratch memory per thread.
    pub fn metadata(
        &self,
        shader: &Shader,
        device: &Device,
        simd: u32,
        scratch_bytes: u32,
    ) -> Metadata {
        match self {
            Layout::Compute(layout) => layout.metadata(shader, device, simd, scratch_bytes),
            Layout::Vertex(layout) => layout.metadata(shader, device, scratch_bytes),
            Layout::TessControl(layout) => layout.metadata(shader, device, scratch_bytes),
            Layout::TessEval(layout) => layout.metadata(shader, device, scratch_bytes),
            Layout::Geometry(layout) => layout.metadata(shader, device, scratch_bytes),
        }
    }
}

/// Whether the stage's threads have two vertices, each a vector of four channels, rather than a channel for each
/// invocation.
///
/// # Errors
/// A stage without a back end on the device, or without one at that width.
pub fn is_vec4(stage: Stage, device: &Device, simd: Simd) -> Result<bool, CompileError> {
    let name = stage_name(stage);
    let wrong = |asked, expected| {
        Err(CompileError::Threads { stage: name, platform: device.platform(), asked, expected })
    };
    match (stage, simd) {
        (Stage::Compute, Simd::Simd4x2) => wrong(simd, "SIMD8, SIMD16 or SIMD32"),
        (Stage::Compute, _) => Ok(false),
        (Stage::Fragment, _) => Err(CompileError::Stage { stage: name }),
        _ if !device.has_simd4x2_vertex_threads() => {
            Err(CompileError::Target { platform: device.platform(), stage: name })
        }
        (_, Simd::Simd4x2) => Ok(true),
        (_, Simd::Auto) if !device.has_simd8_vertex_threads() => Ok(true),
        (_, Simd::Auto) => wrong(Simd::Simd8, "SIMD4x2"),
        _ => wrong(simd, "SIMD4x2"),
    }
}

/// The stage has no layout here.
fn unsupported(shader: &Shader) -> CompileError {
    CompileError::Stage { stage: stage_name(shader.stage.stage()) }
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
