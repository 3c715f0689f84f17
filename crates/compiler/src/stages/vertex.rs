//! Vertex shaders: two vertices per thread.
//!
//! The payload is r0 with the handles of the two output entries, then the constants, then one register for each slot of the attributes
//! that the code reads, in the order of locations. Then follow, if the code reads them, first vertex, first instance, vertex id and
//! instance id in one register, and the draw id in another.

use crestline_codegen::interface::Interface;
use crestline_codegen::stage::{StageIo, VertexIo};
use crestline_codegen::target::Target;
use crestline_codegen::vec4;
use crestline_device::Device;
use crestline_program::{
    GRF_BYTES, GrfRange, Metadata, StageDispatch, StageMetadata, ThreadPayload, VertexInput,
    VertexMetadata,
};
use crestline_ssa::ir::{IoSlot, Shader, SysVal};

use super::entry::{entry_bytes, vertex_entry};
use super::resources::{Demand, Tables, metadata};
use crate::CompileError;

/// The layout of one vertex program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For selection.
    pub interface: Interface,
    /// For the driver.
    pub payload: ThreadPayload,
    /// For the driver.
    pub tables: Tables,
    /// For the driver.
    pub stage: VertexMetadata,
}

impl Layout {
    /// Lays out the payload and output entry of an optimised shader.
    ///
    /// # Errors
    /// When the payload or the binding table has no room, or a location is beyond the limit.
    pub fn new(shader: &Shader, target: &Target) -> Result<Layout, CompileError> {
        let demand = Demand::of(shader)?;
        let mut interface = Interface::default();
        let mut payload = ThreadPayload::default();
        let mut next = GRF_BYTES;
        let items = &mut payload.items;
        demand.place_constants(shader, target, 16, &mut interface, items, &mut next)?;
        demand.place_buffers(shader, &mut interface, items, &mut next);
        let first_input_register = next.div_ceil(GRF_BYTES);
        if first_input_register > 1 {
            payload.cross_thread = Some(GrfRange { first: 1, count: first_input_register - 1 });
        }
        let pushed = first_input_register * GRF_BYTES;
        let mut io = VertexIo { pushed, ..VertexIo::default() };
        let mut inputs = Vec::new();
        let next = |inputs: &mut Vec<VertexInput>, input| {
            inputs.push(input);
            inputs.len() as u32 - 1
        };
        for &slot in &demand.inputs {
            let Some(input) = attribute(shader, slot) else { continue };
            let pushed = next(&mut inputs, input);
            io.inputs.insert(slot, pushed);
        }
        let numbers =
            [SysVal::VertexIndex, SysVal::InstanceIndex, SysVal::BaseVertex, SysVal::BaseInstance];
        if numbers.iter().any(|number| demand.sysvals.contains(number)) {
            io.system_values = Some(next(&mut inputs, VertexInput::SystemValues));
        }
        if demand.sysvals.contains(&SysVal::DrawIndex) {
            io.draw_parameters = Some(next(&mut inputs, VertexInput::DrawParameters));
        }
        interface.payload_registers =
            first_input_register + vec4::input_registers(inputs.len() as u32);
        let limit = target.registers.for_payload();
        if interface.payload_registers > limit {
            let bytes = (interface.payload_registers - 1) * GRF_BYTES;
            return Err(CompileError::PushConstants { bytes, limit: limit * GRF_BYTES });
        }
        let (outputs, varyings) = vertex_entry(&demand.outputs)?;
        let stage = VertexMetadata {
            dispatch: StageDispatch::Simd4x2,
            first_input_register,
            inputs,
            entry_bytes: entry_bytes(outputs.num_slots),
            outputs: varyings,
        };
        io.outputs = outputs;
        interface.io = StageIo::Vertex(io);
        let tables = demand.tables(shader, &mut interface)?;
        Ok(Layout { interface, payload, tables, stage })
    }

    /// The program's metadata, with `scratch_bytes` of scratch memory per thread.
    pub fn metadata(&self, shader: &Shader, device: &Device, scratch_bytes: u32) -> Metadata {
        let stage = StageMetadata::Vertex(self.stage.clone());
        metadata(shader, device, stage, &self.payload, &self.tables, 8, scratch_bytes)
    }
}

/// What vertex fetch delivers for an input slot.
fn attribute(shader: &Shader, slot: IoSlot) -> Option<VertexInput> {
    let IoSlot::Location(location) = slot else { return None };
    let var = shader.input(slot)?;
    let half = var.index_of(slot)? % var.element_slots();
    Some(VertexInput::Attribute { location: location - half, offset: 16 * half })
}
