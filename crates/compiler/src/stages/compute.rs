//! Compute: what the registers hold when a thread starts, and which surface has which index.
//!
//! The payload is r0, then the cross-thread registers (the same for all threads of a workgroup), then the per-thread
//! register:
//!
//! | registers | dwords |
//! | --- | --- |
//! | r0 | filled by the hardware |
//! | cross-thread, from r1 | the used range of the push constants, then one dword for each buffer size asked for |
//! | per-thread | one register, only where the code asks: dword 0 is the index of the thread in its workgroup |
//!
//! Where a device has no cross-thread registers (gen7) the same dwords stand in the per-thread registers, after the
//! thread's index.
//!
//! The binding table lists the bindings that the code uses, by set and binding, arrays element by element; then a
//! surface of three dwords with the number of workgroups (a buffer, so that indirect dispatches work, whose size no CPU
//! knows); then the program's constant data.

use std::collections::BTreeSet;

use crestline_codegen::interface::{Interface, PushConstants};
use crestline_device::Device;
use crestline_program::{
    BindingEntry, ComputeMetadata, ConstantData, Content, DenormalMode, FloatMode, GRF_BYTES,
    GrfRange, Metadata, Payload, PayloadItem, ResourceRef, RoundingMode, StageMetadata, Surface,
    VERSION,
};
use crestline_ssa::ir::{
    BindingId, BindingKind, Function, InstData, InstKind, Memory, Resource, Scope, Shader, SysVal,
    Value,
};

use crate::CompileError;

/// Binding table indices from here on are the hardware's own.
const SURFACES: usize = 240;

/// The layout of one compute program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For selection.
    pub interface: Interface,
    /// For the driver.
    pub payload: Payload,
    /// For the driver.
    pub binding_table: Vec<BindingEntry>,
    /// Whether threads of a workgroup wait for one another.
    pub uses_barrier: bool,
}

/// What the code of a shader asks for.
#[derive(Default)]
struct Demand {
    /// First and one past last byte of push constants.
    push: Option<(u32, u32)>,
    subgroup_id: bool,
    num_workgroups: bool,
    const_data: bool,
    sizes: BTreeSet<(BindingId, u32)>,
    bindings: BTreeSet<BindingId>,
    barrier: bool,
}

impl Layout {
    /// Lays out the payload and binding table of an optimised shader.
    ///
    /// # Errors
    /// When the payload or the binding table has no room, or an array of descriptors has no bound.
    pub fn new(shader: &Shader, device: &Device) -> Result<Layout, CompileError> {
        let demand = Demand::of(shader)?;
        let mut interface = Interface::default();
        let mut items = Vec::new();
        let cross = device.has_cross_thread_constants();
        // The next free byte. A device without cross-thread registers puts the thread's index first.
        let mut place = GRF_BYTES;
        if demand.subgroup_id && !cross {
            interface.subgroup_id = Some(place);
            items.push(PayloadItem { offset: place, size: 4, content: Content::SubgroupId });
            place += 4;
        }
        if let Some((first, end)) = demand.push {
            let bytes = end - first;
            let limit = device.limits().max_push_bytes;
            if bytes > limit {
                return Err(CompileError::PushConstants { bytes, limit });
            }
            interface.push_constants = Some(PushConstants { place, first, bytes });
            let content = Content::PushConstant { offset: first };
            items.push(PayloadItem { offset: place, size: bytes, content });
            place += bytes;
        }
        for &(id, element) in &demand.sizes {
            let binding = shader.binding(id);
            let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
            interface.buffer_sizes.insert((id, element), place);
            let content = Content::BufferSize { resource };
            items.push(PayloadItem { offset: place, size: 4, content });
            place += 4;
        }
        let registers = |end: u32, first: u32| {
            let count = end.div_ceil(GRF_BYTES) - first;
            (count > 0).then_some(GrfRange { first, count })
        };
        let mut payload = Payload::default();
        if cross {
            payload.cross_thread = registers(place, 1);
            if demand.subgroup_id {
                let first = place.div_ceil(GRF_BYTES);
                place = first * GRF_BYTES;
                interface.subgroup_id = Some(place);
                items.push(PayloadItem { offset: place, size: 4, content: Content::SubgroupId });
                place += 4;
                payload.per_thread = registers(place, first);
            }
        } else {
            payload.per_thread = registers(place, 1);
        }
        payload.items = items;
        interface.payload_registers = place.div_ceil(GRF_BYTES);
        // Beyond half of the registers no program has room to work.
        let limit = device.limits().grf_count / 2 * GRF_BYTES;
        if place > limit {
            return Err(CompileError::PushConstants { bytes: place - GRF_BYTES, limit });
        }
        let binding_table = demand.surfaces(shader, &mut interface)?;
        Ok(Layout { interface, payload, binding_table, uses_barrier: demand.barrier })
    }

    /// The program's metadata at SIMD width `simd`, with `scratch_bytes` of scratch memory per thread.
    pub fn metadata(
        &self,
        shader: &Shader,
        device: &Device,
        simd: u32,
        scratch_bytes: u32,
    ) -> Metadata {
        let constant_data = (!shader.const_data.is_empty() && self.interface.const_data.is_some())
            .then(|| ConstantData { bytes: shader.const_data.clone(), alignment: 64 });
        let threads = shader.compute.local_size.iter().product::<u32>().div_ceil(simd);
        Metadata {
            version: VERSION,
            platform: device.platform(),
            entry_point: shader.name.clone(),
            simd_width: simd,
            stage: StageMetadata::Compute(ComputeMetadata {
                local_size: shader.compute.local_size,
                shared_bytes: shader.compute.shared_bytes,
                uses_barrier: self.uses_barrier && threads > 1,
            }),
            payload: self.payload.clone(),
            binding_table: self.binding_table.clone(),
            samplers: Vec::new(),
            scratch_bytes,
            private_bytes_per_channel: 0,
            constant_data,
            relocations: Vec::new(),
            float_mode: float_mode(shader),
        }
    }
}

/// Floating point state as the module asks for it: denormals are flushed unless they are to be preserved.
fn float_mode(shader: &Shader) -> FloatMode {
    let controls = &shader.float_controls;
    let denormals = |bit: u8| {
        if controls.denorm_preserve >> bit & 1 == 1 {
            DenormalMode::Preserve
        } else {
            DenormalMode::Flush
        }
    };
    let rounding = match controls.rounding_rtz >> 1 & 1 {
        1 => RoundingMode::Zero,
        _ => RoundingMode::NearestEven,
    };
    FloatMode { rounding, half: denormals(0), single: denormals(1), double: denormals(2) }
}

impl Demand {
    fn of(shader: &Shader) -> Result<Demand, CompileError> {
        let mut demand = Demand::default();
        let func = &shader.func;
        let mut stack = vec![func.body()];
        while let Some(region) = stack.pop() {
            for &inst in &func.region(region).insts {
                let inst = func.inst(inst);
                demand.add(shader, inst)?;
                stack.extend(inst.kind.regions());
            }
        }
        Ok(demand)
    }

    fn add(&mut self, shader: &Shader, inst: &InstData) -> Result<(), CompileError> {
        let func = &shader.func;
        match &inst.kind {
            InstKind::SysVal(SysVal::SubgroupId) => self.subgroup_id = true,
            InstKind::SysVal(SysVal::NumWorkgroups) => self.num_workgroups = true,
            InstKind::Load { memory, offset, .. } => {
                let bytes = inst.results.first().map_or(0, |&v| {
                    let ty = func.ty(v);
                    ty.comps() as u32 * ty.comp_bytes()
                });
                let offset = constant(func, offset.value, offset.swizzle[0]);
                self.memory(shader, memory, offset, bytes);
            }
            InstKind::Store { memory, .. } | InstKind::Atomic { memory, .. } => {
                self.memory(shader, memory, None, 0);
            }
            InstKind::BufferSize(resource) => {
                let id = resource.binding;
                let count = array_size(shader, id)?;
                match element(func, resource) {
                    Some(element) => _ = self.sizes.insert((id, element.min(count - 1))),
                    // Any of them: all, one after another.
                    None => self.sizes.extend((0..count).map(|element| (id, element))),
                }
            }
            InstKind::Barrier { execution: Some(Scope::Workgroup | Scope::Device), .. } => {
                self.barrier = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn memory(&mut self, shader: &Shader, memory: &Memory, offset: Option<u32>, bytes: u32) {
        match memory {
            Memory::Ubo(resource) | Memory::Ssbo(resource) => {
                self.bindings.insert(resource.binding);
            }
            Memory::ConstData => self.const_data = true,
            Memory::PushConstant => {
                // A range known only at run time may reach all of the block.
                let all = shader.push_constant_bytes.next_multiple_of(4);
                let (first, end) = match offset {
                    Some(first) => (first & !3, (first.saturating_add(bytes)).min(all)),
                    None => (0, all),
                };
                let end = end.next_multiple_of(4);
                if first < end {
                    let (f, e) = self.push.unwrap_or((first, end));
                    self.push = Some((f.min(first), e.max(end)));
                }
            }
            Memory::Shared | Memory::Scratch => {}
        }
    }

    fn surfaces(
        &self,
        shader: &Shader,
        interface: &mut Interface,
    ) -> Result<Vec<BindingEntry>, CompileError> {
        let mut surfaces = Vec::new();
        for &id in &self.bindings {
            let binding = shader.binding(id);
            let count = array_size(shader, id)?;
            if surfaces.len() + count as usize > SURFACES {
                return Err(CompileError::BindingTable { limit: SURFACES as u32 });
            }
            interface.surfaces.insert(id, surfaces.len() as u8);
            for element in 0..count {
                let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
                surfaces.push(match binding.kind {
                    BindingKind::UniformBuffer => Surface::UniformBuffer { resource },
                    BindingKind::StorageBuffer => Surface::StorageBuffer { resource },
                });
            }
        }
        let extra = [
            (self.num_workgroups, &mut interface.num_workgroups, Surface::NumWorkgroups),
            (self.const_data, &mut interface.const_data, Surface::ConstantData),
        ];
        for (wanted, index, surface) in extra {
            if wanted {
                if surfaces.len() == SURFACES {
                    return Err(CompileError::BindingTable { limit: SURFACES as u32 });
                }
                *index = Some(surfaces.len() as u8);
                surfaces.push(surface);
            }
        }
        let entry = |(index, surface)| BindingEntry { index: index as u8, surface };
        Ok(surfaces.into_iter().enumerate().map(entry).collect())
    }
}

fn constant(func: &Function, value: Value, comp: u8) -> Option<u32> {
    func.as_const(value).map(|bits| bits[comp as usize] as u32)
}

/// The array element that a resource names, where it is known: 0 for a binding that is no array.
fn element(func: &Function, resource: &Resource) -> Option<u32> {
    match resource.element {
        None => Some(0),
        Some(src) => constant(func, src.value, src.swizzle[0]),
    }
}

fn array_size(shader: &Shader, id: BindingId) -> Result<u32, CompileError> {
    let binding = shader.binding(id);
    match binding.count {
        None => Ok(1),
        Some(0) => Err(CompileError::UnboundedArray { set: binding.set, binding: binding.binding }),
        Some(count) => Ok(count),
    }
}
