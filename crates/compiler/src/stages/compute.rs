//! Compute shaders: the contents of the registers at the start of a thread, and the index of each surface.
//!
//! The payload is r0, then the cross-thread registers (the same for all threads of a workgroup), then the per-thread register:
//!
//! | registers | dwords |
//! | --- | --- |
//! | r0 | filled by the hardware |
//! | cross-thread, from r1 | the used range of the push constants, one dword for each buffer size that the code reads, then the image parameters that it reads |
//! | per-thread | one register, only if the code reads it: dword 0 is the index of the thread in its workgroup |
//!
//! On a device without cross-thread registers (gen7) these dwords are in the per-thread registers, after the thread's index.

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
/// When the shader is none of compute, the payload or the binding table has no room, or an array of descriptors has no bound.
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
