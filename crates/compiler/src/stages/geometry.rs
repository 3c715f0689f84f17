//! Geometry shaders: two primitives, or two invocations of one primitive, per thread.
//!
//! The payload is r0 with the handles of the output entries and the invocation numbers, r1 with the primitive ids if the code reads
//! them, then the constants, then the used slots of each input vertex. For two primitives a slot takes one register; for one primitive
//! two slots share a register. If one primitive has too many slots, only the first ones are pushed; the handles of the
//! vertices' entries are then in front of the constants, and the code reads the other slots through them.
//!
//! The output entry consists of the vertex count on devices that store it there, the control data, then the vertices. The control
//! data are one bit per vertex that ends a strip, or two bits per vertex with its stream.

use crestline_codegen::interface::Interface;
use crestline_codegen::stage::{GeometryIo, StageIo};
use crestline_codegen::target::Target;
use crestline_device::Device;
use crestline_program::{
    ControlData, GRF_BYTES, GeometryDispatch, GeometryMetadata, GeometryOutput, GrfRange, Metadata,
    SLOT_BYTES, StageMetadata, ThreadPayload,
};
use crestline_ssa::ir::{GeometryInfo, OutputPrimitive, Shader, StageInfo, SysVal};

use super::entry::{entry_bytes, vertex_entry};
use super::resources::{Demand, Tables, metadata};
use crate::CompileError;

/// Bytes of an output entry at most.
const ENTRY_BYTES: u32 = 32 << 10;

/// The layout of one geometry program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For selection.
    pub interface: Interface,
    /// For the driver.
    pub payload: ThreadPayload,
    /// For the driver.
    pub tables: Tables,
    /// For the driver.
    pub stage: GeometryMetadata,
}

impl Layout {
    /// Lays out the payload and entries of an optimised shader.
    ///
    /// # Errors
    /// When the payload, the output entry or the binding table has no room, or a location is beyond the limit.
    pub fn new(shader: &Shader, target: &Target) -> Result<Layout, CompileError> {
        let StageInfo::Geometry(info) = shader.stage else {
            return Err(super::unsupported(shader));
        };
        let demand = Demand::of(shader)?;
        let mut interface = Interface::default();
        let mut payload = ThreadPayload::default();
        let primitive_id = demand.sysvals.contains(&SysVal::PrimitiveId);
        let (inputs, input_varyings) = vertex_entry(&demand.inputs)?;
        let input_vertices = info.input.vertices();
        let slots = inputs.num_slots.next_multiple_of(2);
        let room = target.registers.for_payload();
        let dispatch = match slots * input_vertices {
            _ if info.invocations > 1 => GeometryDispatch::DualInstance,
            registers if registers <= room => GeometryDispatch::DualObject,
            _ => GeometryDispatch::Single,
        };
        let dual_object = dispatch == GeometryDispatch::DualObject;
        // Of one primitive, as many pairs of slots of each vertex as there is room for.
        let most = 2 * (room / input_vertices);
        let pushed_slots = if dual_object { slots } else { slots.min(most) };
        let registers = input_vertices * if dual_object { slots } else { pushed_slots / 2 };
        let mut first_constant = if primitive_id { 2 } else { 1 };
        let vertex_handles = (pushed_slots < slots).then_some(first_constant);
        first_constant += u32::from(vertex_handles.is_some());
        let mut next = first_constant * GRF_BYTES;
        let items = &mut payload.items;
        demand.place_constants(shader, target, 16, &mut interface, items, &mut next)?;
        demand.place_buffers(shader, &mut interface, items, &mut next);
        let first_input_register = next.div_ceil(GRF_BYTES);
        if first_input_register > first_constant {
            let count = first_input_register - first_constant;
            payload.cross_thread = Some(GrfRange { first: first_constant, count });
        }
        interface.payload_registers = first_input_register + registers;
        let (outputs, varyings) = vertex_entry(&demand.outputs)?;
        let streams = demand.streams;
        let control_bytes = control_bytes(info, streams, demand.ends_strips);
        let vertex_slots = outputs.num_slots.next_multiple_of(2);
        let vertices = info.max_vertices.saturating_mul(vertex_slots * SLOT_BYTES);
        // A register of its own.
        let count_bytes = if target.has_vertex_count_in_entry() { GRF_BYTES } else { 0 };
        let bytes = (count_bytes + control_bytes).saturating_add(vertices);
        if bytes > ENTRY_BYTES {
            return Err(CompileError::OutputEntry { bytes, limit: ENTRY_BYTES });
        }
        let stage = GeometryMetadata {
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
        };
        interface.io = StageIo::Geometry(GeometryIo {
            dual_object,
            input_vertices,
            inputs,
            primitive_id: primitive_id.then_some(GRF_BYTES),
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
        let tables = demand.tables(shader, &mut interface)?;
        Ok(Layout { interface, payload, tables, stage })
    }

    /// The program's metadata, with `scratch_bytes` of scratch memory per thread.
    pub fn metadata(&self, shader: &Shader, device: &Device, scratch_bytes: u32) -> Metadata {
        let stage = StageMetadata::Geometry(self.stage.clone());
        metadata(shader, device, stage, &self.payload, &self.tables, 8, scratch_bytes)
    }
}

/// Bytes of control data, whole registers: none where every strip ends with the invocation, and for points.
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
