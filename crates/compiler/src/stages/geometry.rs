//! Layout of geometry shaders. A thread works on several primitives, or on several invocations of one primitive; the
//! [`ThreadMode`] decides which.
//!
//! The payload has these parts in this order:
//!
//! - the header of the thread mode: the handles of the output entries and the invocation numbers;
//! - the primitive ids, if the code reads them;
//! - the handles of the input vertices' entries, if some slots of the vertices are not pushed; the code reads these
//!   slots from the entries;
//! - the constants;
//! - the pushed slots of each input vertex: the first ones, as many as there is room for. The number of registers that
//!   a slot takes depends on whether the invocations of a thread work on different primitives.
//!
//! The output entry has the number of vertices on devices that store it there, then the control data, then the
//! vertices. The control data have either one bit for each vertex, which states whether the strip ends after it, or two
//! bits for each vertex with the number of its stream.

use crestline_codegen::stage::{GeometryIo, PUSH_UNIT, StageIo, ThreadMode};
use crestline_codegen::target::Target;
use crestline_program::{
    ControlData, GRF_BYTES, GeometryMetadata, GeometryOutput, SLOT_BYTES, StageMetadata,
};
use crestline_ssa::ir::{GeometryInfo, OutputPrimitive, Shader, StageInfo, SysVal};

use super::entry::{Vertex, distances, entry_bytes, feedback, output_entry, vertex_entry};
use super::resources::Demand;
use super::{Layout, Linkage};
use crate::CompileError;

/// Largest size of an output entry in bytes.
const ENTRY_BYTES: u32 = 32 << 10;

/// Lays out the payload and entries of an optimised shader.
///
/// # Errors
/// The shader is of another stage, the payload, the output entry or a table has no room, or a location is beyond the
/// limit.
pub(super) fn layout(
    shader: &Shader,
    target: &Target,
    mode: &ThreadMode,
    linkage: Linkage,
) -> Result<Layout, CompileError> {
    let StageInfo::Geometry(info) = shader.stage else {
        return Err(super::unsupported(shader));
    };
    let demand = Demand::of(shader)?;
    let primitive_id = demand.sysvals.contains(&SysVal::PrimitiveId);
    let (inputs, input_varyings) =
        vertex_entry(&demand.inputs, Vertex::of(linkage.inputs_without_clip_distances))?;
    let input_vertices = info.input.vertices();
    let slots = inputs.num_slots.next_multiple_of(PUSH_UNIT);
    let room = target.registers.for_payload().min(mode.max_geometry_registers);
    let dispatch = mode.geometry(info.invocations, input_vertices, slots, room);
    let own = ThreadMode::has_several_primitives(dispatch, info.invocations);
    let packing = mode.geometry_slots(own);
    // The number of slots of each vertex for which there is room.
    let most = match own || mode.pushes_shared_vertices {
        true => packing.slots(room / input_vertices) / PUSH_UNIT * PUSH_UNIT,
        false => 0,
    };
    let pushed_slots = slots.min(most);
    let registers = input_vertices * packing.registers(pushed_slots);
    let primitive_ids = primitive_id.then_some(mode.geometry_header);
    let mut first_constant = mode.geometry_header + u32::from(primitive_id);
    let vertex_handles = (pushed_slots < slots).then_some(first_constant);
    if vertex_handles.is_some() {
        first_constant += mode.geometry_handles(own, input_vertices);
    }
    let (mut interface, payload, first_input_register) =
        demand.constants(shader, target, mode, first_constant, registers)?;
    interface.payload_registers = first_input_register + registers;
    let (outputs, varyings) =
        output_entry(&demand.outputs, Vertex::of(linkage.outputs_without_clip_distances), mode)?;
    let streams = demand.streams;
    let control_bytes = control_bytes(info, streams, demand.ends_strips);
    let vertex_slots = outputs.num_slots.next_multiple_of(PUSH_UNIT);
    let vertices = info.max_vertices.saturating_mul(vertex_slots * SLOT_BYTES);
    // The number of vertices takes the size of a whole register.
    let count_bytes = if target.has_vertex_count_in_entry() { GRF_BYTES } else { 0 };
    let bytes = (count_bytes + control_bytes).saturating_add(vertices);
    if bytes > ENTRY_BYTES {
        return Err(CompileError::OutputEntry { bytes, limit: ENTRY_BYTES });
    }
    let stage = StageMetadata::Geometry(GeometryMetadata {
        distances: distances(shader, &varyings),
        feedback: feedback(shader, &outputs, &varyings),
        dispatch,
        input_vertices,
        invocations: info.invocations,
        primitive_id,
        vertex_handles,
        inputs: input_varyings,
        first_input_register,
        pushed_slots,
        output: output(info.output),
        count_bytes,
        control_bytes,
        control_data: if streams { ControlData::StreamId } else { ControlData::Cut },
        outputs: varyings,
        vertex_bytes: vertex_slots * SLOT_BYTES,
        entry_bytes: entry_bytes(bytes.div_ceil(SLOT_BYTES)).max(entry_bytes(1)),
    });
    interface.io = StageIo::Geometry(GeometryIo {
        dual_object: own,
        input_vertices,
        inputs,
        primitive_id: primitive_ids.map(|register| register * GRF_BYTES),
        pushed: first_input_register * GRF_BYTES,
        pushed_slots,
        handles: vertex_handles.map(|register| register * GRF_BYTES),
        max_vertices: info.max_vertices,
        count_bytes,
        control_bytes,
        streams,
        outputs,
        vertex_slots,
    });
    let tables = demand.tables(shader, target, &mut interface)?;
    Ok(Layout { interface, payload, tables, stage })
}

/// Size of the control data in bytes, rounded up to whole registers. 0 for points, and if every strip ends with the
/// invocation, unless vertices are emitted to several streams.
fn control_bytes(info: GeometryInfo, streams: bool, ends_strips: bool) -> u32 {
    let bits = match (streams, info.output) {
        (true, _) => 2,
        (false, OutputPrimitive::Points) => 0,
        (false, _) if ends_strips => 1,
        (false, _) => 0,
    };
    (info.max_vertices * bits).div_ceil(8).next_multiple_of(GRF_BYTES)
}

fn output(output: OutputPrimitive) -> GeometryOutput {
    match output {
        OutputPrimitive::Points => GeometryOutput::Points,
        OutputPrimitive::LineStrip => GeometryOutput::LineStrip,
        OutputPrimitive::TriangleStrip => GeometryOutput::TriangleStrip,
    }
}
