//! Layout of tessellation control shaders.
//!
//! The payload has the header of the thread mode (the handle of the patch entry, the primitive id and the number of the
//! thread), then the handles of the input control points, then the constants. No input is in the payload; the code
//! reads inputs from URB entries.

use crestline_codegen::stage::{StageIo, TessControlIo, ThreadMode};
use crestline_codegen::target::Target;
use crestline_program::{GRF_BYTES, StageMetadata, TessControlMetadata};
use crestline_ssa::ir::{MAX_PATCH_VERTICES, Shader, StageInfo, SysVal, TessDomain, TessSpacing};

use super::Layout;
use super::entry::{Vertex, entry_bytes, patch_entry, vertex_entry};
use super::resources::{Demand, declared};
use crate::CompileError;

/// Properties of other stages or of the pipeline that a shader depends on, but that its own module does not contain. All but
/// the last two are for tessellation shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linkage {
    /// Number of control points of an input patch, if it is known. For an evaluation shader, this is the number that
    /// the control shader writes.
    pub input_vertices: Option<u32>,
    /// The domain of the evaluation shader. A control shader writes the tessellation levels to positions that depend on
    /// it. Quads are assumed if it is not known.
    pub domain: Option<TessDomain>,
    /// The spacing of the evaluation shader. Before gen9, a control shader for quads with equal spacing must change
    /// levels that the tessellator cannot handle; it leaves them as they are if the spacing is not known.
    pub spacing: Option<TessSpacing>,
    /// Whether the stage before was compiled for entries without clip distances, which begin their locations in slot 2
    /// instead of 4. Stages that are linked agree on this; all others have room for clip distances.
    pub inputs_without_clip_distances: bool,
    /// The same of this stage's own outputs: whether the stage after it expects such entries.
    pub outputs_without_clip_distances: bool,
}

impl Linkage {
    /// The domain for which the tessellation levels are laid out.
    pub(crate) fn domain(self) -> TessDomain {
        self.domain.unwrap_or(TessDomain::Quads)
    }
}

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
    let (mut interface, payload, end) = demand.constants(shader, target, mode, first_constant)?;
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
