//! Tessellation control shaders.
//!
//! The payload is the header of the mode's threads (the handle of the patch entry, the primitive id and the thread number), the
//! handles of the input control points, then the constants. The code reads inputs from the URB.

use crestline_codegen::stage::{StageIo, TessControlIo, ThreadMode};
use crestline_codegen::target::Target;
use crestline_program::{GRF_BYTES, StageMetadata, TessControlMetadata};
use crestline_ssa::ir::{MAX_PATCH_VERTICES, Shader, StageInfo, SysVal, TessDomain, TessSpacing};

use super::Layout;
use super::entry::{entry_bytes, patch_entry, vertex_entry};
use super::resources::{Demand, declared};
use crate::CompileError;

/// Properties of a tessellation shader that its module does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linkage {
    /// Control points of an input patch: of an evaluation shader as many as the control shader makes.
    pub input_vertices: Option<u32>,
    /// The domain of the evaluation shader, on which the places of levels depend; quads, if it is not known.
    pub domain: Option<TessDomain>,
    /// The spacing of the evaluation shader. Before gen9, a control shader for quads with equal spacing must change levels
    /// that the tessellator cannot handle; it leaves them as they are if the spacing is not known.
    pub spacing: Option<TessSpacing>,
}

impl Linkage {
    /// The domain that levels are for.
    pub(crate) fn domain(self) -> TessDomain {
        self.domain.unwrap_or(TessDomain::Quads)
    }
}

/// Control points of a patch at most: the payload has no more handles.
const PATCH_VERTICES: u32 = 32;

/// Lays out the payload and entries of an optimised shader.
///
/// # Errors
/// When the payload or the binding table has no room, or a location is beyond the limit.
pub(super) fn layout(
    shader: &Shader,
    target: &Target,
    mode: &ThreadMode,
    linkage: Linkage,
) -> Result<Layout, CompileError> {
    let StageInfo::TessControl(info) = shader.stage else {
        return Err(super::unsupported(shader));
    };
    if let Some(vertices) = linkage.input_vertices
        && !(1..=PATCH_VERTICES).contains(&vertices)
    {
        return Err(CompileError::PatchVertices { vertices, limit: PATCH_VERTICES });
    }
    let demand = Demand::of(shader)?;
    if linkage.input_vertices.is_none() && demand.sysvals.contains(&SysVal::PatchVertices) {
        return Err(CompileError::UnknownPatchVertices);
    }
    // Room for all handles that a patch may have: `input_vertices` may be unknown.
    let first_constant = mode.tess_control_header + mode.handle_registers(MAX_PATCH_VERTICES);
    let (mut interface, payload, end) = demand.constants(shader, target, mode, first_constant)?;
    interface.payload_registers = end;
    let (inputs, input_varyings) = vertex_entry(&demand.inputs)?;
    // What is declared, as the stage behind does: used or not, it is in the entry.
    let outputs = declared(&shader.outputs);
    let (patch, patch_outputs) = patch_entry(&outputs, linkage.domain())?;
    let (vertex, vertex_outputs) = vertex_entry(&outputs)?;
    let slots = patch.num_slots + info.output_vertices * vertex.num_slots;
    let (output_vertices, input_vertices) = (info.output_vertices, linkage.input_vertices);
    let stage = StageMetadata::TessControl(TessControlMetadata {
        dispatch: mode.dispatch,
        input_vertices,
        output_vertices,
        inputs: input_varyings,
        patch_outputs,
        vertex_outputs,
        entry_bytes: entry_bytes(slots),
        // Threads meet before the first of them gives back the inputs.
        uses_barrier: output_vertices > mode.invocations
            && (demand.barrier || input_vertices.is_some()),
    });
    let handles = mode.tess_control_header * GRF_BYTES;
    let io = TessControlIo { output_vertices, input_vertices, handles, inputs, patch, vertex };
    interface.io = StageIo::TessControl(io);
    let tables = demand.tables(shader, target, &mut interface)?;
    Ok(Layout { interface, payload, tables, stage })
}
