//! Tessellation control shaders: two control points of a patch per thread.
//!
//! The payload is r0 with the handle of the patch entry, the primitive id and the thread number, r1 to r4 with the handles of the input
//! control points, then the constants. The code reads inputs from the URB.

use crestline_codegen::interface::Interface;
use crestline_codegen::stage::{StageIo, TessControlIo};
use crestline_codegen::target::Target;
use crestline_device::Device;
use crestline_program::{
    GRF_BYTES, GrfRange, Metadata, StageDispatch, StageMetadata, TessControlMetadata, ThreadPayload,
};
use crestline_ssa::ir::{MAX_PATCH_VERTICES, Shader, StageInfo, TessDomain};

use super::entry::{entry_bytes, patch_entry, vertex_entry};
use super::resources::{Demand, Tables, declared, metadata};
use crate::CompileError;

/// The register of the first input control points' handles.
const HANDLES: u32 = 1;

/// Registers before the constants.
const HEADER_REGISTERS: u32 = HANDLES + MAX_PATCH_VERTICES * 4 / GRF_BYTES;

/// Properties of a tessellation shader that its module does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linkage {
    /// Control points of an input patch: of an evaluation shader as many as the control shader makes.
    pub input_vertices: Option<u32>,
    /// The domain of the evaluation shader, on which the places of levels depend; quads, if it is not known.
    pub domain: Option<TessDomain>,
}

impl Linkage {
    /// The domain that levels are for.
    pub(crate) fn domain(self) -> TessDomain {
        self.domain.unwrap_or(TessDomain::Quads)
    }
}

/// Control points of a patch at most: the payload has no more handles.
const PATCH_VERTICES: u32 = 32;

/// The layout of one tessellation control program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For selection.
    pub interface: Interface,
    /// For the driver.
    pub payload: ThreadPayload,
    /// For the driver.
    pub tables: Tables,
    /// For the driver.
    pub stage: TessControlMetadata,
}

impl Layout {
    /// Lays out the payload and entries of an optimised shader.
    ///
    /// # Errors
    /// When the payload or the binding table has no room, or a location is beyond the limit.
    pub fn new(shader: &Shader, target: &Target, linkage: Linkage) -> Result<Layout, CompileError> {
        let StageInfo::TessControl(info) = shader.stage else {
            return Err(super::unsupported(shader));
        };
        if let Some(vertices) = linkage.input_vertices
            && !(1..=PATCH_VERTICES).contains(&vertices)
        {
            return Err(CompileError::PatchVertices { vertices, limit: PATCH_VERTICES });
        }
        let demand = Demand::of(shader)?;
        let mut interface = Interface::default();
        let mut payload = ThreadPayload::default();
        let mut next = HEADER_REGISTERS * GRF_BYTES;
        let items = &mut payload.items;
        demand.place_constants(shader, target, 16, &mut interface, items, &mut next)?;
        demand.place_buffers(shader, &mut interface, items, &mut next);
        interface.payload_registers = next.div_ceil(GRF_BYTES);
        if interface.payload_registers > HEADER_REGISTERS {
            let count = interface.payload_registers - HEADER_REGISTERS;
            payload.cross_thread = Some(GrfRange { first: HEADER_REGISTERS, count });
        }
        let (inputs, input_varyings) = vertex_entry(&demand.inputs)?;
        // What is declared, as the stage behind does: used or not, it is in the entry.
        let outputs = declared(&shader.outputs);
        let (patch, patch_outputs) = patch_entry(&outputs, linkage.domain())?;
        let (vertex, vertex_outputs) = vertex_entry(&outputs)?;
        let slots = patch.num_slots + info.output_vertices * vertex.num_slots;
        let (output_vertices, input_vertices) = (info.output_vertices, linkage.input_vertices);
        let stage = TessControlMetadata {
            dispatch: StageDispatch::Simd4x2,
            input_vertices,
            output_vertices,
            inputs: input_varyings,
            patch_outputs,
            vertex_outputs,
            entry_bytes: entry_bytes(slots),
            // Threads meet before the first of them gives back the inputs.
            uses_barrier: output_vertices > 2 && (demand.barrier || input_vertices.is_some()),
        };
        let handles = HANDLES * GRF_BYTES;
        let io = TessControlIo { output_vertices, input_vertices, handles, inputs, patch, vertex };
        interface.io = StageIo::TessControl(io);
        let tables = demand.tables(shader, &mut interface)?;
        Ok(Layout { interface, payload, tables, stage })
    }

    /// The program's metadata, with `scratch_bytes` of scratch memory per thread.
    pub fn metadata(&self, shader: &Shader, device: &Device, scratch_bytes: u32) -> Metadata {
        let stage = StageMetadata::TessControl(self.stage.clone());
        metadata(shader, device, stage, &self.payload, &self.tables, 8, scratch_bytes)
    }
}
