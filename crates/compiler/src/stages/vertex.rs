//! Layout of vertex shaders.
//!
//! The payload has the header of the thread mode, then the constants, then the pushed slots. The [`ThreadMode`] decides
//! how many registers a slot takes. The pushed slots are, as far as the code reads them:
//!
//! - the attributes, in the order of their locations;
//! - a slot with first vertex, first instance, vertex id and instance id;
//! - a slot with the draw id.

use crestline_codegen::stage::{StageIo, ThreadMode, VertexIo};
use crestline_codegen::target::Target;
use crestline_program::{GRF_BYTES, StageMetadata, VertexInput, VertexMetadata};
use crestline_ssa::ir::{IoSlot, Shader, SysVal};

use super::entry::{Vertex, distances, entry_bytes, feedback, output_entry};
use super::resources::Demand;
use super::{Layout, Linkage};
use crate::CompileError;

/// Lays out the payload and output entry of an optimised shader.
///
/// # Errors
/// The payload, the binding table or the sampler table has no room, or a location is beyond the limit.
pub(super) fn layout(
    shader: &Shader,
    target: &Target,
    mode: &ThreadMode,
    linkage: Linkage,
) -> Result<Layout, CompileError> {
    let demand = Demand::of(shader)?;
    let mut io = VertexIo::default();
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
    let registers = mode.own_slots.registers(inputs.len() as u32);
    let (mut interface, payload, first_input_register) =
        demand.constants(shader, target, mode, mode.vertex_header, registers)?;
    io.pushed = first_input_register * GRF_BYTES;
    interface.payload_registers = first_input_register + registers;
    let limit = mode.max_vertex_registers.min(target.registers.count);
    let registers = interface.payload_registers;
    if registers > limit {
        return Err(CompileError::Payload { stage: "vertex", registers, limit });
    }
    let (outputs, varyings) =
        output_entry(&demand.outputs, Vertex::of(linkage.outputs_without_clip_distances), mode)?;
    let stage = StageMetadata::Vertex(VertexMetadata {
        distances: distances(shader, &varyings),
        feedback: feedback(shader, &outputs, &varyings),
        dispatch: mode.dispatch,
        first_input_register,
        inputs,
        entry_bytes: entry_bytes(outputs.num_slots),
        outputs: varyings,
    });
    io.outputs = outputs;
    interface.io = StageIo::Vertex(io);
    let tables = demand.tables(shader, target, &mut interface)?;
    Ok(Layout { interface, payload, tables, stage })
}

/// The data that vertex fetch must write to the pushed slot of an input slot; `None` if the slot is not an attribute.
/// An attribute of three or four 64-bit components has two slots, of which the second begins at byte 16 of the
/// attribute.
fn attribute(shader: &Shader, slot: IoSlot) -> Option<VertexInput> {
    let IoSlot::Location(location) = slot else { return None };
    let var = shader.input(slot)?;
    let half = var.index_of(slot)? % var.element_slots();
    Some(VertexInput::Attribute { location: location - half, offset: 16 * half })
}
