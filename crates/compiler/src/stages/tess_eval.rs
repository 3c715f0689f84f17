//! Layout of tessellation evaluation shaders.
//!
//! The payload has the header of the thread mode (handles, the coordinates of the points, the primitive id), then the
//! constants, then the pushed slots: the first slots of the patch entry, in at most [`ThreadMode::max_patch_registers`]
//! registers. All points of a thread share them. The code reads other slots, and slots whose number is known at run
//! time only, from the patch entry.

use crestline_codegen::stage::{PUSH_UNIT, StageIo, TessEvalIo, ThreadMode, VueMap};
use crestline_codegen::target::Target;
use crestline_program::{Domain, GRF_BYTES, Spacing, StageMetadata, TessEvalMetadata, TessOutput};
use crestline_ssa::ir::{Shader, StageInfo, TessDomain, TessEvalInfo, TessSpacing};

use super::entry::{
    Vertex, distances, entry_bytes, feedback, output_entry, patch_entry, vertex_entry,
};
use super::resources::{Demand, declared};
use super::{Layout, Linkage};
use crate::CompileError;

/// Lays out the payload and entries of an optimised shader.
///
/// # Errors
/// The shader is of another stage, the number of control points is needed but not known, the push constants or a table
/// have no room, or a location is beyond the limit.
pub(super) fn layout(
    shader: &Shader,
    target: &Target,
    mode: &ThreadMode,
    linkage: Linkage,
) -> Result<Layout, CompileError> {
    let StageInfo::TessEval(info) = shader.stage else {
        return Err(super::unsupported(shader));
    };
    let demand = Demand::of(shader)?;
    // The entry has all declared inputs, used or not. The control shader's layout has all its declared outputs too, so
    // both stages agree on the slots.
    let inputs = declared(&shader.inputs);
    let (patch, patch_inputs) = patch_entry(&inputs, info.domain)?;
    let (vertex, vertex_inputs) =
        vertex_entry(&inputs, Vertex::of(linkage.inputs_without_clip_distances))?;
    let limit = mode.shared_slots.slots(mode.max_patch_registers);
    let pushed_slots = pushed(&demand, &patch, &vertex, limit);
    let registers = mode.shared_slots.registers(pushed_slots);
    let (mut interface, payload, first_input_register) =
        demand.constants(shader, target, mode, mode.tess_eval_header, registers)?;
    interface.payload_registers = first_input_register + registers;
    let (outputs, varyings) =
        output_entry(&demand.outputs, Vertex::of(linkage.outputs_without_clip_distances), mode)?;
    let stage = StageMetadata::TessEval(TessEvalMetadata {
        distances: distances(shader, &varyings),
        feedback: feedback(shader, &outputs, &varyings),
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

/// The number of slots to push. The hardware pushes slots from the first on. The last pushed one is the last slot among
/// the first `limit` that the code reads with an index and a control point that are known at compile time.
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

/// The primitives that the tessellator makes. Clockwise and counter-clockwise are exchanged, because the v coordinate
/// of the hardware has the opposite direction.
fn output(info: TessEvalInfo) -> TessOutput {
    match (info.point_mode, info.domain) {
        (true, _) => TessOutput::Points,
        (false, TessDomain::Isolines) => TessOutput::Lines,
        (false, _) if info.ccw => TessOutput::TrianglesCw,
        (false, _) => TessOutput::TrianglesCcw,
    }
}
