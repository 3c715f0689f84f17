//! Layout of tessellation control shaders.
//!
//! The payload has the header of the thread mode (the handle of the patch entry, the primitive id and the number of the
//! thread), then the handles of the input control points, then the constants. No input is in the payload; the code
//! reads inputs from URB entries.

use crestline_codegen::stage::{StageIo, TessControlIo, ThreadMode};
use crestline_codegen::target::Target;
use crestline_program::{GRF_BYTES, StageMetadata, TessControlMetadata};
use crestline_ssa::ir::{MAX_PATCH_VERTICES, Shader, StageInfo, SysVal};

use super::entry::{Vertex, entry_bytes, patch_entry, vertex_entry};
use super::resources::{Demand, declared};
use super::{Layout, Linkage};
use crate::CompileError;

/// Largest number of control points of a patch. The payload does not have room for more handles.
const PATCH_VERTICES: u32 = 32;

/// Lays out the payload and entries of an optimised shader.
///
/// # Errors
/// The shader is of another stage, the number of input control points is invalid or needed but not known, the payload
/// or a table has no room, or a location is beyond the limit.
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
    let mut demand = Demand::of(shader)?;
    if target.releases_patch_inputs() && linkage.input_vertices.is_none() {
        demand.sysvals.insert(SysVal::PatchVertices);
    }
    // The payload has registers for the largest number of handles, because `input_vertices` may be unknown.
    let first_constant = mode.tess_control_header + mode.handle_registers(MAX_PATCH_VERTICES);
    let (mut interface, payload, end) =
        demand.constants(shader, target, mode, first_constant, 0)?;
    interface.payload_registers = end;
    let (inputs, input_varyings) =
        vertex_entry(&demand.inputs, Vertex::of(linkage.inputs_without_clip_distances))?;
    // The entry has all declared outputs, used or not. The evaluation shader's layout has all its declared inputs too,
    // so both stages agree on the slots.
    let outputs = declared(&shader.outputs);
    let (patch, patch_outputs) = patch_entry(&outputs, linkage.domain())?;
    let (vertex, vertex_outputs) =
        vertex_entry(&outputs, Vertex::of(linkage.outputs_without_clip_distances))?;
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
        // Before gen8, the first thread of a patch releases the input entries, after a barrier at which it waits until
        // all threads have read them.
        uses_barrier: output_vertices > mode.invocations
            && (demand.barrier || target.releases_patch_inputs()),
    });
    let handles = mode.tess_control_header * GRF_BYTES;
    let io = TessControlIo { output_vertices, input_vertices, handles, inputs, patch, vertex };
    interface.io = StageIo::TessControl(io);
    let tables = demand.tables(shader, target, &mut interface)?;
    Ok(Layout { interface, payload, tables, stage })
}
