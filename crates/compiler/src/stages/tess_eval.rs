//! Tessellation evaluation shaders.
//!
//! The payload is the header of the mode's threads (handles, the points' coordinates, the primitive id), then the constants, then
//! the first slots of the patch entry, which all points share. The code reads slots beyond
//! [`ThreadMode::max_patch_registers`], and slots with a variable index, from the URB.

use crestline_codegen::stage::{PUSH_UNIT, StageIo, TessEvalIo, ThreadMode, VueMap};
use crestline_codegen::target::Target;
use crestline_program::{Domain, GRF_BYTES, Spacing, StageMetadata, TessEvalMetadata, TessOutput};
use crestline_ssa::ir::{Shader, StageInfo, SysVal, TessDomain, TessEvalInfo, TessSpacing};

use super::Layout;
use super::entry::{entry_bytes, patch_entry, vertex_entry};
use super::resources::{Demand, declared};
use crate::CompileError;

/// Lays out the payload and entries of an optimised shader.
///
/// # Errors
/// When the payload or the binding table has no room, or a location is beyond the limit.
pub(super) fn layout(
    shader: &Shader,
    target: &Target,
    mode: &ThreadMode,
) -> Result<Layout, CompileError> {
    let StageInfo::TessEval(info) = shader.stage else {
        return Err(super::unsupported(shader));
    };
    let demand = Demand::of(shader)?;
    // A known number has replaced the built-in value.
    if demand.sysvals.contains(&SysVal::PatchVertices) {
        return Err(CompileError::UnknownPatchVertices);
    }
    let (mut interface, payload, first_input_register) =
        demand.constants(shader, target, mode, mode.tess_eval_header)?;
    // What is declared, as the stage before does: used or not, it is in the entry.
    let inputs = declared(&shader.inputs);
    let (patch, patch_inputs) = patch_entry(&inputs, info.domain)?;
    let (vertex, vertex_inputs) = vertex_entry(&inputs)?;
    let limit = mode.shared_slots.slots(mode.max_patch_registers);
    let pushed_slots = pushed(&demand, &patch, &vertex, limit);
    interface.payload_registers = first_input_register + mode.shared_slots.registers(pushed_slots);
    let (outputs, varyings) = vertex_entry(&demand.outputs)?;
    let stage = StageMetadata::TessEval(TessEvalMetadata {
        dispatch: mode.dispatch,
        domain: domain(info.domain),
        spacing: spacing(info.spacing),
        output: output(info),
        patch_inputs,
        vertex_inputs,
        first_input_register,
        pushed_slots,
        entry_bytes: entry_bytes(outputs.num_slots),
        outputs: varyings,
    });
    let pushed = first_input_register * GRF_BYTES;
    interface.io = StageIo::TessEval(TessEvalIo { patch, vertex, pushed, pushed_slots, outputs });
    let tables = demand.tables(shader, target, &mut interface)?;
    Ok(Layout { interface, payload, tables, stage })
}

/// Slots to push: up to the last that the code reads at a place known now, at most `limit`.
fn pushed(demand: &Demand, patch: &VueMap, vertex: &VueMap, limit: u32) -> u32 {
    let slots = demand.known_inputs.iter().filter_map(|&(slot, number)| {
        let layout = if slot.is_patch() { patch } else { vertex };
        let first = if slot.is_patch() { 0 } else { patch.num_slots };
        let place = layout.slots.get(&slot)?.slot;
        Some(first + number * vertex.num_slots + place + 1)
    });
    let within = slots.filter(|&slots| slots <= limit);
    within.max().unwrap_or(0).next_multiple_of(PUSH_UNIT)
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
