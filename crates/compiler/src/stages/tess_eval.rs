//! Tessellation evaluation shaders: two points of a patch per thread.
//!
//! The payload is r0 with the handles of the two output entries, r1 with the points' coordinates, the handle of the patch entry and the
//! primitive id, then the constants, then the first slots of the patch entry, two per register. The code reads slots beyond
//! `PUSHED_SLOTS`, and slots with a variable index, from the URB.

use crestline_codegen::interface::Interface;
use crestline_codegen::stage::{StageIo, TessEvalIo, VueMap};
use crestline_codegen::target::Target;
use crestline_device::Device;
use crestline_program::{
    Domain, GRF_BYTES, GrfRange, Metadata, Spacing, StageDispatch, StageMetadata, TessEvalMetadata,
    TessOutput, ThreadPayload,
};
use crestline_ssa::ir::{Shader, StageInfo, TessDomain, TessEvalInfo, TessSpacing};

use super::entry::{entry_bytes, patch_entry, vertex_entry};
use super::resources::{Demand, Tables, declared, metadata};
use crate::CompileError;

/// Slots of the patch entry in the payload at most.
const PUSHED_SLOTS: u32 = 64;

/// Registers before the constants.
const HEADER_REGISTERS: u32 = 2;

/// The layout of one tessellation evaluation program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For selection.
    pub interface: Interface,
    /// For the driver.
    pub payload: ThreadPayload,
    /// For the driver.
    pub tables: Tables,
    /// For the driver.
    pub stage: TessEvalMetadata,
}

impl Layout {
    /// Lays out the payload and entries of an optimised shader.
    ///
    /// # Errors
    /// When the payload or the binding table has no room, or a location is beyond the limit.
    pub fn new(shader: &Shader, target: &Target) -> Result<Layout, CompileError> {
        let StageInfo::TessEval(info) = shader.stage else {
            return Err(super::unsupported(shader));
        };
        let demand = Demand::of(shader)?;
        let mut interface = Interface::default();
        let mut payload = ThreadPayload::default();
        let mut place = HEADER_REGISTERS * GRF_BYTES;
        let items = &mut payload.items;
        demand.place_constants(shader, target, 16, &mut interface, items, &mut place)?;
        demand.place_buffers(shader, &mut interface, items, &mut place);
        let first_input_register = place.div_ceil(GRF_BYTES);
        if first_input_register > HEADER_REGISTERS {
            let count = first_input_register - HEADER_REGISTERS;
            payload.cross_thread = Some(GrfRange { first: HEADER_REGISTERS, count });
        }
        // What is declared, as the stage before does: used or not, it is in the entry.
        let inputs = declared(&shader.inputs);
        let (patch, patch_inputs) = patch_entry(&inputs, info.domain)?;
        let (vertex, vertex_inputs) = vertex_entry(&inputs)?;
        let pushed_slots = pushed(&demand, &patch, &vertex);
        interface.payload_registers = first_input_register + pushed_slots / 2;
        let (outputs, varyings) = vertex_entry(&demand.outputs)?;
        let stage = TessEvalMetadata {
            dispatch: StageDispatch::Simd4x2,
            domain: domain(info.domain),
            spacing: spacing(info.spacing),
            output: output(info),
            patch_inputs,
            vertex_inputs,
            first_input_register,
            pushed_slots,
            entry_bytes: entry_bytes(outputs.num_slots),
            outputs: varyings,
        };
        let pushed = first_input_register * GRF_BYTES;
        interface.io =
            StageIo::TessEval(TessEvalIo { patch, vertex, pushed, pushed_slots, outputs });
        let tables = demand.tables(shader, &mut interface)?;
        Ok(Layout { interface, payload, tables, stage })
    }

    /// The program's metadata, with `scratch_bytes` of scratch memory per thread.
    pub fn metadata(&self, shader: &Shader, device: &Device, scratch_bytes: u32) -> Metadata {
        let stage = StageMetadata::TessEval(self.stage.clone());
        metadata(shader, device, stage, &self.payload, &self.tables, 8, scratch_bytes)
    }
}

/// Slots to push: up to the last that the code reads at a place known now.
fn pushed(demand: &Demand, patch: &VueMap, vertex: &VueMap) -> u32 {
    let slots = demand.known_inputs.iter().filter_map(|&(slot, number)| {
        let layout = if slot.is_patch() { patch } else { vertex };
        let first = if slot.is_patch() { 0 } else { patch.num_slots };
        let place = layout.slots.get(&slot)?.slot;
        Some(first + number * vertex.num_slots + place + 1)
    });
    let within = slots.filter(|&slots| slots <= PUSHED_SLOTS);
    within.max().unwrap_or(0).next_multiple_of(2)
}

fn domain(domain: TessDomain) -> Domain {
    match domain {
        TessDomain::Triangles => Domain::Triangles,
        TessDomain::Quads => Domain::Quads,
        TessDomain::Isolines => Domain::Isolines,
    }
}

fn spacing(spacing: TessSpacing) -> Spacing {
    match spacing {
        TessSpacing::Equal => Spacing::Equal,
        TessSpacing::FractionalOdd => Spacing::FractionalOdd,
        TessSpacing::FractionalEven => Spacing::FractionalEven,
    }
}

/// The hardware's v runs the other way, so that its sense of rotation is the opposite one.
fn output(info: TessEvalInfo) -> TessOutput {
    match (info.point_mode, info.domain) {
        (true, _) => TessOutput::Points,
        (false, TessDomain::Isolines) => TessOutput::Lines,
        (false, _) if info.ccw => TessOutput::TrianglesCw,
        (false, _) => TessOutput::TrianglesCcw,
    }
}
