//! Layout of compute shaders: the contents of the payload registers, and the index of each surface.
//!
//! The payload has these registers in this order:
//!
//! - r0, which the hardware fills.
//! - The cross-thread registers, from r1 on, which are the same for all threads of a workgroup. They have, as far as
//!   the code reads them: a range of the push constants, buffer sizes (a dword each), buffer addresses (two dwords
//!   each), and image parameters.
//! - One per-thread register, only if the code reads it: dword 0 is the index of the thread in its workgroup.
//!
//! On a device without cross-thread registers (gen7), all of these dwords are in per-thread registers, and the index of
//! the thread comes first.

use crestline_codegen::interface::Interface;
use crestline_codegen::target::Target;
use crestline_program::{
    ComputeMetadata, Content, GRF_BYTES, PayloadItem, StageMetadata, ThreadPayload,
};
use crestline_ssa::ir::Shader;

use super::Layout;
use super::resources::{Demand, registers_between};
use super::unsupported;
use crate::CompileError;

/// Lays out the payload and binding table of an optimised shader.
///
/// # Errors
/// The shader is not a compute shader, or the payload, the binding table or the sampler table has no room.
pub(super) fn layout(shader: &Shader, target: &Target) -> Result<Layout, CompileError> {
    let compute = shader.compute().ok_or_else(|| unsupported(shader))?;
    let demand = Demand::of(shader)?;
    let mut interface = Interface::default();
    let mut items = Vec::new();
    let cross = target.has_cross_thread_constants();
    // The next free byte. A device without cross-thread registers puts the thread's index first.
    let mut next = GRF_BYTES;
    if demand.subgroup_id && !cross {
        interface.subgroup_id = Some(next);
        items.push(PayloadItem { offset: next, size: 4, content: Content::SubgroupId });
        next += 4;
    }
    demand.place_constants(shader, target, 4, &mut interface, &mut items, &mut next)?;
    let registers = |end: u32, first: u32| registers_between(first, end.div_ceil(GRF_BYTES));
    let mut payload = ThreadPayload::default();
    if cross {
        payload.cross_thread = registers(next, 1);
        if demand.subgroup_id {
            let first = next.div_ceil(GRF_BYTES);
            next = first * GRF_BYTES;
            interface.subgroup_id = Some(next);
            items.push(PayloadItem { offset: next, size: 4, content: Content::SubgroupId });
            next += 4;
            payload.per_thread = registers(next, first);
        }
    } else {
        payload.per_thread = registers(next, 1);
    }
    payload.items = items;
    interface.payload_registers = next.div_ceil(GRF_BYTES);
    let limit = target.registers.for_payload() * GRF_BYTES;
    if next > limit {
        return Err(CompileError::PushConstants { bytes: next - GRF_BYTES, limit });
    }
    let tables = demand.tables(shader, target, &mut interface)?;
    let stage = StageMetadata::Compute(ComputeMetadata {
        local_size: compute.local_size,
        shared_bytes: compute.shared_bytes,
        uses_barrier: demand.barrier,
    });
    Ok(Layout { interface, payload, tables, stage })
}
