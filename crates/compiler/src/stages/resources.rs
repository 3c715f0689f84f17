//! The parts of the layout that all stages share. [`Demand::of`] collects the resources that the code uses. Its methods
//! then assign positions in the payload to constants (push constants, buffer sizes, buffer addresses, image parameters,
//! ranges of uniform buffers), and indices to surfaces and samplers.
//!
//! The binding table has these surfaces in this order, as far as the code uses them:
//!
//! - the colour attachments of a fragment shader, or a null surface if it writes none;
//! - the bindings by set and binding number, an array element by element;
//! - a surface of three dwords with the number of workgroups (a buffer, because the CPU does not have this number for
//!   indirect dispatches);
//! - the program's constant data.

use std::collections::{BTreeMap, BTreeSet};

use crestline_codegen::interface::{Interface, PushConstants};
use crestline_codegen::stage::ThreadMode;
use crestline_codegen::target::Target;
use crestline_device::Device;
use crestline_program::{
    BindingEntry, Content, DenormalMode, FloatMode, GRF_BYTES, GrfRange, ImageAccess,
    ImageParameter, PayloadItem, ResourceRef, RoundingMode, SamplerEntry, Surface, ThreadPayload,
};
use crestline_ssa::ir::{
    BindingId, BindingKind, Function, ImageForm, ImageParam, InstData, InstKind, IoSlot, IoVar,
    Memory, Resource, Scope, Shader, SurfaceFormat, SysVal, Value,
};

use super::buffers::BufferReads;
use crate::CompileError;

/// Largest number of surfaces. The hardware reserves the binding table indices from this number on.
pub(crate) const SURFACES: usize = 240;

/// The tables whose entries messages name by index.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The binding table.
    pub surfaces: Vec<BindingEntry>,
    /// The sampler state table.
    pub samplers: Vec<SamplerEntry>,
    /// Size of the addresses in memory that the code accesses memory at; `None` without such accesses.
    pub address_bits: Option<u32>,
}

/// The resources that the code of a shader uses.
#[derive(Default)]
pub(super) struct Demand {
    /// The range of the push constants that may be read: its first byte, and the byte after its last.
    push: Option<(u32, u32)>,
    pub(super) subgroup_id: bool,
    num_workgroups: bool,
    const_data: bool,
    sizes: BTreeSet<(BindingId, u32)>,
    addresses: BTreeSet<(BindingId, u32)>,
    /// Image parameters that are read: the elements of the binding, and the number of components from the first on.
    image_params: BTreeMap<(BindingId, ImageParam), (BTreeSet<u32>, u32)>,
    /// Size of the addresses by which memory is accessed.
    address_bits: Option<u32>,
    images: BTreeMap<BindingId, ImageUse>,
    bindings: BTreeSet<BindingId>,
    /// Bindings used as samplers, including combined image samplers.
    samplers: BTreeSet<BindingId>,
    /// Reads of uniform buffers at offsets known at compile time.
    buffers: BufferReads,
    pub(super) barrier: bool,
    /// Built-ins that are read.
    pub(super) sysvals: BTreeSet<SysVal>,
    /// Slots of inputs that may be read.
    pub(super) inputs: BTreeSet<IoSlot>,
    /// Slots of outputs that may be read or written.
    pub(super) outputs: BTreeSet<IoSlot>,
    /// Reads of inputs for which the slot and the vertex are known at compile time: the slot and the number of the
    /// vertex, which is 0 for inputs without one.
    pub(super) known_inputs: BTreeSet<(IoSlot, u32)>,
    /// Whether vertices are emitted to other streams than stream 0.
    pub(super) streams: bool,
    /// Whether the shader has an `EndPrimitive`, so that a strip may end before the invocation does.
    pub(super) ends_strips: bool,
}

/// How the code accesses an image.
#[derive(Clone, Copy, Default)]
struct ImageUse {
    reads: bool,
    writes: bool,
    /// The format that the surface must have; `None` if it is the format of the image.
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

impl Demand {
    /// Collects the resources that a shader uses.
    ///
    /// # Errors
    /// None at present: the caller has given each descriptor array a size.
    pub(super) fn of(shader: &Shader) -> Result<Demand, CompileError> {
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

    /// Assigns positions in the payload, from byte `next` on, to the constants that are the same for all threads: push
    /// constants, buffer sizes, buffer addresses, image parameters and system values of the draw call. Both the offset of the push constants in the
    /// payload and the offset of the range in its block are multiples of `align` bytes. Afterwards `next` is the next
    /// free byte.
    ///
    /// # Errors
    /// The range of push constants is larger than the device allows.
    pub(super) fn place_constants(
        &self,
        shader: &Shader,
        device: &Device,
        align: u32,
        interface: &mut Interface,
        items: &mut Vec<PayloadItem>,
        next: &mut u32,
    ) -> Result<(), CompileError> {
        if let Some((first, end)) = self.push {
            // The range starts at a multiple of `align` in the block, like its copy in the payload.
            let first = first / align * align;
            *next = next.next_multiple_of(align);
            let bytes = end - first;
            let limit = device.limits().max_push_bytes;
            if bytes > limit {
                return Err(CompileError::PushConstants { bytes, limit });
            }
            interface.push_constants = Some(PushConstants { offset: *next, first, bytes });
            let content = Content::PushConstant { offset: first };
            items.push(PayloadItem { offset: *next, size: bytes, content });
            *next += bytes;
        }
        for &(id, element) in &self.sizes {
            let binding = shader.binding(id);
            let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
            interface.buffer_sizes.insert((id, element), *next);
            let content = Content::BufferSize { resource };
            items.push(PayloadItem { offset: *next, size: 4, content });
            *next += 4;
        }
        for &(id, element) in &self.addresses {
            let binding = shader.binding(id);
            let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
            interface.buffer_addresses.insert((id, element), *next);
            let content = Content::BufferAddress { resource };
            items.push(PayloadItem { offset: *next, size: 8, content });
            *next += 8;
        }
        for (&(id, param), (elements, comps)) in &self.image_params {
            let binding = shader.binding(id);
            for &element in elements {
                let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
                interface.image_params.insert((id, param, element), *next);
                let content = Content::ImageParameter { resource, parameter: parameter(param) };
                items.push(PayloadItem { offset: *next, size: 4 * comps, content });
                *next += 4 * comps;
            }
        }
        for (sysval, content) in [
            (SysVal::ViewIndex, Content::ViewIndex),
            (SysVal::PatchVertices, Content::PatchVertices),
        ] {
            if self.sysvals.contains(&sysval) {
                interface.draw_values.insert(sysval, *next);
                items.push(PayloadItem { offset: *next, size: 4, content });
                *next += 4;
            }
        }
        Ok(())
    }

    /// Assigns positions in the payload, from byte `next` on, to ranges of uniform buffers that are read at offsets
    /// known at compile time. `inputs` is the number of registers that the payload has after the constants. Messages
    /// read what is not in the payload.
    pub(super) fn place_buffers(
        &self,
        shader: &Shader,
        target: &Target,
        inputs: u32,
        interface: &mut Interface,
        items: &mut Vec<PayloadItem>,
        next: &mut u32,
    ) {
        let taken = next.div_ceil(GRF_BYTES) + inputs;
        let room = target.registers.for_payload().saturating_sub(taken);
        for range in self.buffers.best_ranges(room) {
            *next = next.next_multiple_of(GRF_BYTES);
            let binding = shader.binding(range.binding);
            let resource = ResourceRef { set: binding.set, binding: binding.binding, element: 0 };
            let (offset, first, bytes) = (*next, range.start(), range.bytes());
            let content = Content::UniformBuffer { resource, offset: first };
            items.push(PayloadItem { offset, size: bytes, content });
            let pushed = interface.pushed_buffers.entry(range.binding).or_default();
            pushed.push(PushConstants { offset, first, bytes });
            *next += bytes;
        }
    }

    /// Assigns positions in the payload, from register `first` on, to the constants of a vertex, tessellation or
    /// geometry shader, after which the payload has `inputs` registers. Returns an interface and a payload that have
    /// only these constants, and the first register after them.
    ///
    /// # Errors
    /// The range of push constants is larger than the device allows.
    pub(super) fn constants(
        &self,
        shader: &Shader,
        target: &Target,
        mode: &ThreadMode,
        first: u32,
        inputs: u32,
    ) -> Result<(Interface, ThreadPayload, u32), CompileError> {
        let mut interface = Interface::default();
        let mut payload = ThreadPayload::default();
        let mut next = first * GRF_BYTES;
        let (align, items) = (mode.constant_align, &mut payload.items);
        self.place_constants(shader, target, align, &mut interface, items, &mut next)?;
        self.place_buffers(shader, target, inputs, &mut interface, items, &mut next);
        let end = next.div_ceil(GRF_BYTES);
        payload.cross_thread = registers_between(first, end);
        Ok((interface, payload, end))
    }

    /// Adds the resources that an instruction uses, without those of its regions.
    fn add(&mut self, shader: &Shader, inst: &InstData) -> Result<(), CompileError> {
        let func = &shader.func;
        match &inst.kind {
            InstKind::SysVal(SysVal::SubgroupId | SysVal::LocalInvocationIndex) => {
                self.subgroup_id = true;
            }
            InstKind::SysVal(SysVal::NumWorkgroups) => self.num_workgroups = true,
            InstKind::SysVal(sysval) => _ = self.sysvals.insert(*sysval),
            InstKind::EmitVertex { stream } => self.streams |= *stream > 0,
            InstKind::EndPrimitive { .. } => self.ends_strips = true,
            InstKind::LoadInput { slot, vertex, index, .. } => {
                let vertex = vertex.map(|v| constant(func, v.value, v.swizzle[0]));
                if let (None, None | Some(Some(_))) = (index, vertex) {
                    self.known_inputs.insert((*slot, vertex.flatten().unwrap_or(0)));
                }
                self.inputs.extend(reached(shader.input(*slot), *slot, index.is_some()));
            }
            InstKind::LoadOutput { slot, index, .. }
            | InstKind::StoreOutput { slot, index, .. } => {
                self.outputs.extend(reached(shader.output(*slot), *slot, index.is_some()));
            }
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
                    // The element is known at run time only, so the payload has the parameters of all elements.
                    None => elements.extend(0..count),
                }
            }
            InstKind::Load { memory, offset, .. } => {
                let bytes = inst.results.first().map_or(0, |&v| {
                    let ty = func.ty(v);
                    ty.comps() as u32 * ty.comp_bytes()
                });
                let offset = constant(func, offset.value, offset.swizzle[0]);
                let dwords = inst.results.first().is_some_and(|&v| func.ty(v).bits() >= 32);
                self.memory(shader, memory, offset, bytes);
                if let (Memory::Ubo(Resource { binding, element: None }), Some(first), true) =
                    (memory, offset, dwords && bytes.is_multiple_of(4))
                {
                    self.buffers.add(*binding, first, bytes);
                }
            }
            // Messages of 64-bit atomics have memory addresses instead of surfaces, and the code compares the offset
            // with the size of the buffer.
            InstKind::Atomic { memory: Memory::Ssbo(resource), data, .. }
                if func.ty(data.value).bits() == 64 =>
            {
                let elements = elements(shader, resource);
                self.sizes.extend(elements.clone());
                self.addresses.extend(elements);
            }
            InstKind::Store { memory, .. } | InstKind::Atomic { memory, .. } => {
                self.memory(shader, memory, None, 0);
            }
            InstKind::BufferSize(resource) => self.sizes.extend(elements(shader, resource)),
            InstKind::Texture(read) => {
                self.bindings.insert(read.texture.binding);
                self.samplers.extend(read.sampler.map(|sampler| sampler.binding));
            }
            InstKind::Barrier { execution: Some(Scope::Workgroup | Scope::Device), .. } => {
                self.barrier = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a use of an image. Returns the record of its accesses, in which the caller sets the kind of access.
    fn image(&mut self, image: &Resource, form: ImageForm) -> &mut ImageUse {
        self.bindings.insert(image.binding);
        let uses = self.images.entry(image.binding).or_default();
        if let ImageForm::Surface(Some(format)) = form {
            uses.format = Some(format);
        }
        uses
    }

    /// Adds an access to memory: a read of `bytes` bytes at `offset` if the offset is constant, otherwise an access at
    /// an offset that is known at run time only, or a write.
    fn memory(&mut self, shader: &Shader, memory: &Memory, offset: Option<u32>, bytes: u32) {
        match memory {
            Memory::Ubo(resource) | Memory::Ssbo(resource) | Memory::Image(resource) => {
                self.bindings.insert(resource.binding);
            }
            Memory::ConstData => self.const_data = true,
            Memory::PushConstant => {
                // A read at an offset that is known at run time only may be anywhere in the block.
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
            Memory::Global(address) => {
                self.address_bits = Some(shader.func.ty(address.value).bits());
            }
            Memory::Shared | Memory::Scratch => {}
        }
    }

    /// The binding table and the sampler table. Also sets the indices of surfaces and samplers in the interface.
    ///
    /// # Errors
    /// The code uses more bindings or samplers than messages can name.
    pub(super) fn tables(
        &self,
        shader: &Shader,
        target: &Target,
        interface: &mut Interface,
    ) -> Result<Tables, CompileError> {
        let surfaces = self.surfaces(shader, interface, Vec::new())?;
        self.with_samplers(surfaces, shader, target, interface)
    }

    /// Whether the payload has constants other than ranges of uniform buffers.
    pub(super) fn has_constants(&self) -> bool {
        self.push.is_some()
            || !(self.sizes.is_empty() && self.addresses.is_empty() && self.image_params.is_empty())
    }

    /// The binding table and the sampler table of a fragment shader that writes the given colour attachments, and the
    /// binding table index of each attachment. The attachments are at the start of the binding table; if there are
    /// none, index 0 is a null surface.
    ///
    /// # Errors
    /// The code uses more bindings or samplers than messages can name.
    pub(super) fn fragment_tables(
        &self,
        shader: &Shader,
        target: &Target,
        interface: &mut Interface,
        attachments: &[u32],
    ) -> Result<(BTreeMap<u32, u8>, Tables), CompileError> {
        let mut surfaces: Vec<Surface> = attachments
            .iter()
            .map(|&number| Surface::RenderTarget { target: number as u8 })
            .collect();
        let targets = attachments.iter().zip(0..).map(|(&number, index)| (number, index)).collect();
        if surfaces.is_empty() {
            surfaces.push(Surface::Null);
        }
        let surfaces = self.surfaces(shader, interface, surfaces)?;
        Ok((targets, self.with_samplers(surfaces, shader, target, interface)?))
    }

    /// The tables with these surfaces.
    fn with_samplers(
        &self,
        surfaces: Vec<BindingEntry>,
        shader: &Shader,
        target: &Target,
        interface: &mut Interface,
    ) -> Result<Tables, CompileError> {
        let samplers = self.samplers(shader, target, interface)?;
        Ok(Tables { surfaces, samplers, address_bits: self.address_bits })
    }

    /// The sampler state table: the samplers that the code uses, by set and binding number, an array element by
    /// element.
    ///
    /// # Errors
    /// The code uses more samplers than the device allows.
    fn samplers(
        &self,
        shader: &Shader,
        target: &Target,
        interface: &mut Interface,
    ) -> Result<Vec<SamplerEntry>, CompileError> {
        let limit = target.max_samplers();
        let mut samplers = Vec::new();
        for &id in &self.samplers {
            let binding = shader.binding(id);
            let count = array_size(shader, id);
            if samplers.len() as u64 + u64::from(count) > u64::from(limit) {
                return Err(CompileError::Samplers { limit });
            }
            interface.samplers.insert(id, samplers.len() as u8);
            for element in 0..count {
                let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
                samplers.push(SamplerEntry { index: samplers.len() as u8, resource });
            }
        }
        Ok(samplers)
    }

    /// The binding table: `surfaces`, then the surfaces of the bindings that the code uses, the number of workgroups,
    /// and the constant data.
    ///
    /// # Errors
    /// There are more than [`SURFACES`] surfaces.
    fn surfaces(
        &self,
        shader: &Shader,
        interface: &mut Interface,
        mut surfaces: Vec<Surface>,
    ) -> Result<Vec<BindingEntry>, CompileError> {
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
                    BindingKind::Texture(_) => Surface::SampledImage { resource, format: None },
                    // No message names a sampler as a surface.
                    BindingKind::Sampler => Surface::Null,
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

/// The form of an image access that loads or stores the bytes of the image's memory, without a format conversion.
const RAW: ImageForm = ImageForm::Surface(Some(SurfaceFormat::RAW));

/// The name of an image parameter in the metadata.
fn parameter(param: ImageParam) -> ImageParameter {
    match param {
        ImageParam::Offset => ImageParameter::Offset,
        ImageParam::Size => ImageParameter::Size,
        ImageParam::Stride => ImageParameter::Stride,
        ImageParam::Tiling => ImageParameter::Tiling,
        ImageParam::Swizzling => ImageParameter::Swizzling,
    }
}

/// The low 32 bits of component `comp` of a value, if the value is constant.
fn constant(func: &Function, value: Value, comp: u8) -> Option<u32> {
    func.as_const(value).map(|bits| bits[comp as usize] as u32)
}

/// The array element that a resource names: 0 for a binding that is no array; `None` if it is known at run time only.
fn element(func: &Function, resource: &Resource) -> Option<u32> {
    match resource.element {
        None => Some(0),
        Some(src) => constant(func, src.value, src.swizzle[0]),
    }
}

/// The elements of a binding that a resource may name: one if the element is constant, otherwise all in order.
fn elements(
    shader: &Shader,
    resource: &Resource,
) -> impl Iterator<Item = (BindingId, u32)> + Clone + use<> {
    let id = resource.binding;
    let count = array_size(shader, id);
    let range = match element(&shader.func, resource) {
        Some(element) => element.min(count - 1)..element.min(count - 1) + 1,
        None => 0..count,
    };
    range.map(move |element| (id, element))
}

/// Number of elements of a binding: 1 if it is no array.
fn array_size(shader: &Shader, id: BindingId) -> u32 {
    shader.binding(id).count.unwrap_or(1)
}

/// The slots that an access can reach: `slot`, and if the access has an index, all later slots of the variable.
fn reached(var: Option<&IoVar>, slot: IoSlot, indexed: bool) -> Vec<IoSlot> {
    match var {
        Some(var) if indexed => {
            let from = var.index_of(slot).unwrap_or(0);
            (0..var.slots().saturating_sub(from)).filter_map(|n| slot.plus(n)).collect()
        }
        _ => vec![slot],
    }
}

/// The floating-point state of the program, from the execution modes of the module. The hardware has one rounding mode for
/// floats of all sizes (PRM, cr0). The frontend refuses modules that request different modes for different sizes. Without a mode, denormals of 32-bit
/// floats are flushed, and those of 16-bit and 64-bit floats are preserved. That is no slower, conversions of half
/// floats in images preserve denormals, and the software parts of 64-bit arithmetic depend on them.
pub(super) fn float_mode(shader: &Shader) -> FloatMode {
    let controls = &shader.float_controls;
    let rounding = match controls.rounding_rtz {
        0 => RoundingMode::NearestEven,
        _ => RoundingMode::Zero,
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

/// The registers from `first` to the one before `end`; `None` if there are none.
pub(super) fn registers_between(first: u32, end: u32) -> Option<GrfRange> {
    (end > first).then(|| GrfRange { first, count: end - first })
}

/// All slots of the declared variables `vars`, used or not.
pub(super) fn declared(vars: &[IoVar]) -> BTreeSet<IoSlot> {
    vars.iter().flat_map(|var| reached(Some(var), var.slot, true)).collect()
}
