//! Compute: what the registers hold when a thread starts, and which surface has which index.
//!
//! The payload is r0, then the cross-thread registers (the same for all threads of a workgroup), then the per-thread
//! register:
//!
//! | registers | dwords |
//! | --- | --- |
//! | r0 | filled by the hardware |
//! | cross-thread, from r1 | the used range of the push constants, one dword for each buffer size asked for, then the image parameters asked for |
//! | per-thread | one register, only where the code asks: dword 0 is the index of the thread in its workgroup |
//!
//! Where a device has no cross-thread registers (gen7) the same dwords stand in the per-thread registers, after the
//! thread's index.
//!
//! The binding table lists the bindings that the code uses, by set and binding, arrays element by element; then a
//! surface of three dwords with the number of workgroups (a buffer, so that indirect dispatches work, whose size no CPU
//! knows); then the program's constant data.

use std::collections::{BTreeMap, BTreeSet};

use crestline_codegen::interface::{Interface, PushConstants};
use crestline_device::Device;
use crestline_program::{
    BindingEntry, ComputeMetadata, ConstantData, Content, DenormalMode, FloatMode, GRF_BYTES,
    GrfRange, ImageAccess, ImageParameter, Metadata, Payload, PayloadItem, ResourceRef,
    RoundingMode, StageMetadata, Surface, VERSION,
};
use crestline_ssa::ir::{
    BindingId, BindingKind, Function, ImageForm, ImageParam, InstData, InstKind, Memory, Resource,
    Scope, Shader, SurfaceFormat, SysVal, Value,
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
    /// Elements, and the number of components from the first on.
    image_params: BTreeMap<(BindingId, ImageParam), (BTreeSet<u32>, u32)>,
    images: BTreeMap<BindingId, ImageUse>,
    bindings: BTreeSet<BindingId>,
    barrier: bool,
}

/// What the code does with an image.
#[derive(Clone, Copy, Default)]
struct ImageUse {
    reads: bool,
    writes: bool,
    /// The surface's; `None` for the image's own.
    format: Option<SurfaceFormat>,
}

impl ImageUse {
    fn access(self) -> ImageAccess {
        match (self.reads, self.writes) {
            (true, false) => ImageAccess::Read,
            (false, true) => ImageAccess::Write,
            _ => ImageAccess::ReadWrite,
        }
    }
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
        for (&(id, param), (elements, comps)) in &demand.image_params {
            let binding = shader.binding(id);
            for &element in elements {
                let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
                interface.image_params.insert((id, param, element), place);
                let content = Content::ImageParameter { resource, parameter: parameter(param) };
                items.push(PayloadItem { offset: place, size: 4 * comps, content });
                place += 4 * comps;
            }
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
        let threads = shader.compute().local_size.iter().product::<u32>().div_ceil(simd);
        Metadata {
            version: VERSION,
            platform: device.platform(),
            entry_point: shader.name.clone(),
            simd_width: simd,
            stage: StageMetadata::Compute(ComputeMetadata {
                local_size: shader.compute().local_size,
                shared_bytes: shader.compute().shared_bytes,
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

/// Floating point state as the module asks for it: denormals are flushed unless they are to be preserved, but those of
/// halves and doubles preserved unless they are to be flushed. No arithmetic is slower for it, half floats in images keep
/// them, and the parts of double arithmetic done in software count on them.
fn float_mode(shader: &Shader) -> FloatMode {
    let controls = &shader.float_controls;
    let rounding = match controls.rounding_rtz >> 1 & 1 {
        1 => RoundingMode::Zero,
        _ => RoundingMode::NearestEven,
    };
    let kept = |bit: u8| match controls.denorm_flush >> bit & 1 {
        0 => DenormalMode::Preserve,
        _ => DenormalMode::Flush,
    };
    let single = match controls.denorm_preserve >> 1 & 1 {
        0 => DenormalMode::Flush,
        _ => DenormalMode::Preserve,
    };
    FloatMode { rounding, half: kept(0), single, double: kept(2) }
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
            InstKind::ImageLoad { image, form, .. } => {
                self.image(image, *form).reads = true;
            }
            InstKind::ImageStore { image, form, .. } => self.image(image, *form).writes = true,
            InstKind::ImageAtomic { image, form, .. } => {
                let uses = self.image(image, *form);
                (uses.reads, uses.writes) = (true, true);
            }
            InstKind::Load { memory: Memory::Image(image), .. } => {
                self.image(image, RAW).reads = true;
            }
            InstKind::Store { memory: Memory::Image(image), .. } => {
                self.image(image, RAW).writes = true;
            }
            InstKind::ImageParam { image, param, comp } => {
                let id = image.binding;
                let count = array_size(shader, id);
                let (elements, comps) = self.image_params.entry((id, *param)).or_default();
                *comps = (*comps).max(u32::from(*comp) + 1);
                match element(func, image) {
                    Some(element) => _ = elements.insert(element.min(count - 1)),
                    // Any of them: all, one after another.
                    None => elements.extend(0..count),
                }
            }
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
                let count = array_size(shader, id);
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

    fn image(&mut self, image: &Resource, form: ImageForm) -> &mut ImageUse {
        self.bindings.insert(image.binding);
        let uses = self.images.entry(image.binding).or_default();
        if let ImageForm::Surface(Some(format)) = form {
            uses.format = Some(format);
        }
        uses
    }

    fn memory(&mut self, shader: &Shader, memory: &Memory, offset: Option<u32>, bytes: u32) {
        match memory {
            Memory::Ubo(resource) | Memory::Ssbo(resource) | Memory::Image(resource) => {
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
            let count = array_size(shader, id);
            if surfaces.len() + count as usize > SURFACES {
                return Err(CompileError::BindingTable { limit: SURFACES as u32 });
            }
            interface.surfaces.insert(id, surfaces.len() as u8);
            for element in 0..count {
                let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
                surfaces.push(match binding.kind {
                    BindingKind::UniformBuffer => Surface::UniformBuffer { resource },
                    BindingKind::StorageBuffer => Surface::StorageBuffer { resource },
                    BindingKind::AtomicCounters => Surface::AtomicCounters { resource },
                    BindingKind::Image(_) => {
                        let uses = self.images.get(&id).copied().unwrap_or_default();
                        let (access, format) = (uses.access(), uses.format);
                        Surface::StorageImage { resource, access, format }
                    }
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

/// The form of an access to an image's memory.
const RAW: ImageForm = ImageForm::Surface(Some(SurfaceFormat::RAW));

fn parameter(param: ImageParam) -> ImageParameter {
    match param {
        ImageParam::Offset => ImageParameter::Offset,
        ImageParam::Size => ImageParameter::Size,
        ImageParam::Stride => ImageParameter::Stride,
        ImageParam::Tiling => ImageParameter::Tiling,
        ImageParam::Swizzling => ImageParameter::Swizzling,
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

/// Entries of a binding in the binding table.
fn array_size(shader: &Shader, id: BindingId) -> u32 {
    shader.binding(id).count.unwrap_or(1)
}
