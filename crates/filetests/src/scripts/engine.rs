//! The engine that runs scripts on lavapipe.

use std::collections::BTreeMap;
use std::rc::Rc;

use crestline_amber::Place;
use crestline_amber::format::{Component, Format, NumberKind};
use crestline_amber::run::{
    ClearValues, Engine, Failure, FailureKind, Host, Memory, RunStatistics, Stored,
    rectangle_vertices, spirv,
};
use crestline_amber::script::{
    Attachment, Bound, Descriptor, Dimension, Pipeline, Script, Stage, Topology, VertexData, Work,
};
use crestline_amber::types::{Scalar, Slot, load, store};
use crestline_judges::lavapipe::session::{
    self, Descriptor as BoundDescriptor, DrawCall, Graphics, Module, Session, Shape, Target,
    Vertices, vk,
};
use crestline_judges::lavapipe::{JobError, Lavapipe};

use super::state;

/// The copies of a buffer of the script. At least one of them is valid; the memory of the engine is one, too.
#[derive(Clone, Copy, Debug)]
struct Copies {
    /// Whether the bytes in the engine's memory are valid.
    host: bool,
    /// The buffer in the device, and whether it is valid.
    buffer: Option<(usize, bool)>,
    /// The image in the device, and whether it is valid.
    image: Option<(usize, bool)>,
}

/// A graphics pipeline in the device: the pipeline of the script, the topology, and whether there are rectangles.
type PipelineKey = (usize, i32, bool);

/// The vertices of a draw call, their primitives, and for each location format, stride, and whether it is per instance.
struct Input {
    vertices: Vertices,
    topology: Topology,
    attributes: Vec<(u32, vk::Format, u32, bool)>,
}

/// The engine; it has the first contents of the script's buffers at the start.
pub struct LavapipeEngine<'a> {
    script: &'a Script,
    host: &'a dyn Host,
    /// The objects of the device.
    pub session: Session,
    memory: Memory,
    copies: Vec<Copies>,
    /// The depth and stencil attachments of pipelines that test, but have none, by name.
    hidden: BTreeMap<String, usize>,
    modules: BTreeMap<(usize, Stage, String), Rc<Vec<u32>>>,
    pipelines: BTreeMap<PipelineKey, usize>,
    samplers: BTreeMap<usize, usize>,
    /// Buffers of indices and of the vertices of rectangles, by their contents.
    constants: BTreeMap<Vec<u8>, usize>,
}

fn failed(place: Place) -> impl Fn(JobError) -> Failure {
    move |error| Failure::new(FailureKind::Run, place, error.to_string())
}

/// A part of the script that lavapipe does not support, or this engine.
fn unsupported(place: Place, what: impl std::fmt::Display) -> Failure {
    Failure::new(FailureKind::Unsupported, place, format!("lavapipe's engine: {what}"))
}

/// The aspects of a format, each with its slot in a texel and its bytes in a copy. Colours are copied as they are.
fn aspects(format: &Format) -> Vec<(vk::ImageAspectFlags, Slot, u32)> {
    let rows = [
        (Component::Depth, vk::ImageAspectFlags::DEPTH),
        (Component::Stencil, vk::ImageAspectFlags::STENCIL),
    ];
    let slot = |(component, aspect)| {
        let channel = format.channel(component)?;
        let scalar = Scalar { kind: channel.kind, bits: channel.bits };
        let bytes = u32::from(channel.bits).next_power_of_two() / 8;
        Some((aspect, Slot { bit: channel.shift.into(), scalar }, bytes))
    };
    rows.into_iter().filter_map(slot).collect()
}

/// Whether a pipeline tests without an attachment for it.
fn needs_hidden(pipeline: &Pipeline) -> bool {
    (pipeline.depth.test || pipeline.stencil.is_some()) && pipeline.depth_stencil.is_none()
}

impl<'a> LavapipeEngine<'a> {
    /// An engine for a script.
    ///
    /// # Errors
    /// If the buffers of the script cannot be made.
    pub fn new(
        script: &'a Script,
        host: &'a dyn Host,
        lavapipe: &'static Lavapipe,
    ) -> Result<LavapipeEngine<'a>, Failure> {
        let memory = Memory::new(script, host)?;
        let copies = Copies { host: true, buffer: None, image: None };
        Ok(LavapipeEngine {
            script,
            host,
            session: Session::new(lavapipe),
            copies: vec![copies; memory.buffers.len()],
            memory,
            hidden: BTreeMap::new(),
            modules: BTreeMap::new(),
            pipelines: BTreeMap::new(),
            samplers: BTreeMap::new(),
            constants: BTreeMap::new(),
        })
    }

    /// The shape of a buffer as an image of the device.
    fn shape(&self, place: Place, stored: &Stored) -> Result<Shape, Failure> {
        let image = stored.image.as_ref();
        let image = image.ok_or_else(|| unsupported(place, "a buffer that is no image"))?;
        let format = state::vulkan_format(&image.format);
        let format = format.ok_or_else(|| unsupported(place, &image.format.name))?;
        let size = image.size.ok_or_else(|| unsupported(place, "an image without a size"))?;
        let ty = match image.dimension {
            Dimension::D1 => vk::ImageType::TYPE_1D,
            Dimension::D2 => vk::ImageType::TYPE_2D,
            Dimension::D3 => vk::ImageType::TYPE_3D,
        };
        Ok(Shape { format, ty, size, levels: image.levels, samples: image.samples })
    }

    /// Makes the bytes in the memory valid.
    fn fetch(&mut self, place: Place, number: usize) -> Result<(), Failure> {
        let copies = self.copies[number];
        if copies.host {
            return Ok(());
        }
        if let Some((buffer, true)) = copies.buffer {
            self.memory.buffers[number].bytes = self.session.read_buffer(buffer);
        } else if let Some((image, true)) = copies.image {
            let stored = &mut self.memory.buffers[number];
            let Some(format) = stored.image.as_ref().map(|image| image.format.clone()) else {
                return Ok(());
            };
            let parts = aspects(&format);
            if parts.is_empty() {
                let colour = vk::ImageAspectFlags::COLOR;
                let texels = self.session.read_image(image, colour, format.bytes);
                stored.bytes = texels.map_err(failed(place))?;
            }
            for (aspect, slot, bytes) in parts {
                let values =
                    self.session.read_image(image, aspect, bytes).map_err(failed(place))?;
                let texels = stored.bytes.chunks_exact_mut(format.bytes as usize);
                for (texel, value) in texels.zip(values.chunks_exact(bytes as usize)) {
                    let source = Slot { bit: 0, scalar: slot.scalar };
                    store(texel, slot, load(value, source).unwrap_or(0));
                }
            }
        }
        self.copies[number].host = true;
        Ok(())
    }

    /// The buffer of the device with the present contents. If the command writes it, the other copies are no longer valid.
    fn device_buffer(
        &mut self,
        place: Place,
        number: usize,
        written: bool,
    ) -> Result<usize, Failure> {
        let buffer = match self.copies[number].buffer {
            Some((buffer, true)) => buffer,
            made => {
                self.fetch(place, number)?;
                let bytes = &self.memory.buffers[number].bytes;
                match made {
                    Some((buffer, _)) => {
                        self.session.write_buffer(buffer, bytes);
                        buffer
                    }
                    None => self.session.buffer(bytes).map_err(failed(place))?,
                }
            }
        };
        let copies = &mut self.copies[number];
        copies.buffer = Some((buffer, true));
        if written {
            copies.host = false;
            copies.image = copies.image.map(|(image, _)| (image, false));
        }
        Ok(buffer)
    }

    /// As [`device_buffer`](Self::device_buffer), for images.
    fn device_image(
        &mut self,
        place: Place,
        number: usize,
        written: bool,
    ) -> Result<usize, Failure> {
        let image = match self.copies[number].image {
            Some((image, true)) => image,
            made => {
                self.fetch(place, number)?;
                let image = match made {
                    Some((image, _)) => image,
                    None => {
                        let shape = self.shape(place, &self.memory.buffers[number])?;
                        self.session.image(&shape).map_err(|error| unsupported(place, error))?
                    }
                };
                self.upload(place, number, image)?;
                image
            }
        };
        let copies = &mut self.copies[number];
        copies.image = Some((image, true));
        if written {
            copies.host = false;
            copies.buffer = copies.buffer.map(|(buffer, _)| (buffer, false));
        }
        Ok(image)
    }

    /// Copies the bytes in the memory to the image.
    fn upload(&mut self, place: Place, number: usize, image: usize) -> Result<(), Failure> {
        let stored = &self.memory.buffers[number];
        let Some(shape) = &stored.image else { return Ok(()) };
        // New images contain zeros, and several samples cannot be copied.
        if stored.bytes.iter().all(|byte| *byte == 0) && shape.samples > 1 {
            return Ok(());
        }
        let format = &shape.format;
        let parts = aspects(format);
        if parts.is_empty() {
            let (colour, bytes) = (vk::ImageAspectFlags::COLOR, format.bytes);
            let written = self.session.write_image(image, colour, bytes, &stored.bytes);
            written.map_err(failed(place))?;
        }
        for (aspect, slot, bytes) in parts {
            let texels = stored.bytes.chunks_exact(format.bytes as usize);
            let value = |texel| load(texel, slot).unwrap_or(0).to_le_bytes();
            let values: Vec<u8> =
                texels.flat_map(|texel| value(texel).into_iter().take(bytes as usize)).collect();
            self.session.write_image(image, aspect, bytes, &values).map_err(failed(place))?;
        }
        Ok(())
    }

    /// The attachments of a pipeline.
    fn target(&mut self, place: Place, pipeline: &Pipeline) -> Result<Target, Failure> {
        let mut target = Target { size: pipeline.size, ..Target::default() };
        for Attachment { place, buffer, location, level } in &pipeline.colours {
            let image = self.device_image(*place, *buffer, true)?;
            let location = *location as usize;
            target.colours.resize(target.colours.len().max(location + 1), None);
            target.colours[location] = Some((image, *level));
        }
        if let Some(attachment) = &pipeline.depth_stencil {
            let image = self.device_image(attachment.place, attachment.buffer, true)?;
            target.depth_stencil = Some((image, attachment.level));
        } else if needs_hidden(pipeline) {
            let samples = target.colours.iter().flatten().next();
            let samples = samples.map_or(1, |(image, _)| self.session.shape(*image).samples);
            let [width, height] = pipeline.size;
            let shape = Shape {
                format: vk::Format::D32_SFLOAT_S8_UINT,
                ty: vk::ImageType::TYPE_2D,
                size: [width, height, 1],
                levels: 1,
                samples,
            };
            let image = match self.hidden.get(&pipeline.name) {
                Some(image) => *image,
                None => {
                    let image = self.session.image(&shape).map_err(failed(place))?;
                    self.hidden.insert(pipeline.name.clone(), image);
                    image
                }
            };
            target.depth_stencil = Some((image, 0));
        }
        let attached = target.colours.iter().flatten().chain(&target.depth_stencil);
        for (image, level) in attached {
            let shape = self.session.shape(*image);
            let side = |axis: usize| (shape.size[axis] >> level).max(1);
            if side(0) < pipeline.size[0] || side(1) < pipeline.size[1] {
                return Err(Failure::script(
                    place,
                    "an attachment is smaller than the framebuffer",
                ));
            }
        }
        Ok(target)
    }

    /// Resolves the samples of the attachments.
    fn resolve(&mut self, pipeline: &Pipeline) -> Result<(), Failure> {
        let mut colours: Vec<_> = pipeline.colours.iter().collect();
        colours.sort_by_key(|attachment| attachment.location);
        let mut resolves = pipeline.resolves.iter();
        for attachment in colours {
            let image = self.device_image(attachment.place, attachment.buffer, false)?;
            if self.session.shape(image).samples == 1 {
                continue;
            }
            let Some(resolve) = resolves.next() else { break };
            let to = self.device_image(resolve.place, resolve.buffer, true)?;
            let resolved = self.session.resolve(image, (to, resolve.level), pipeline.size);
            resolved.map_err(failed(resolve.place))?;
        }
        Ok(())
    }

    /// The words of the shaders of a pipeline.
    fn modules(&mut self, pipeline: &Pipeline) -> Result<Vec<Rc<Vec<u32>>>, Failure> {
        let mut modules = Vec::new();
        for attached in &pipeline.shaders {
            let key = (attached.shader, attached.stage, attached.entry.clone());
            let module = match self.modules.get(&key) {
                Some(module) => Rc::clone(module),
                None => {
                    let module = Rc::new(spirv(self.script, self.host, attached)?);
                    self.modules.insert(key, Rc::clone(&module));
                    module
                }
            };
            modules.push(module);
        }
        Ok(modules)
    }

    /// The descriptors of a pipeline, with their slots.
    fn descriptors(
        &mut self,
        pipeline: &Pipeline,
    ) -> Result<(Vec<session::Slot>, Vec<BoundDescriptor>), Failure> {
        let (mut slots, mut descriptors) = (Vec::new(), Vec::new());
        let mut written = BTreeMap::new();
        for binding in &pipeline.bindings {
            slots.push(session::Slot {
                set: binding.set,
                binding: binding.binding,
                ty: state::descriptor(binding.kind),
                count: binding.elements.len() as u32,
            });
            for (element, bound) in (0..).zip(&binding.elements) {
                if let Some(buffer) = bound.buffer {
                    let is_image = matches!(
                        binding.kind,
                        Descriptor::StorageImage | Descriptor::SampledImage | Descriptor::Combined
                    );
                    let before = written.insert(buffer, is_image);
                    if before.is_some_and(|before| before != is_image) {
                        let what = "a buffer that is also bound as an image";
                        return Err(unsupported(binding.place, what));
                    }
                }
                descriptors.push(BoundDescriptor {
                    set: binding.set,
                    binding: binding.binding,
                    element,
                    bound: self.bound(binding.place, binding.kind, bound)?,
                });
            }
        }
        Ok((slots, descriptors))
    }

    fn bound(
        &mut self,
        place: Place,
        kind: Descriptor,
        bound: &Bound,
    ) -> Result<session::Bound, Failure> {
        let sampler = match bound.sampler {
            Some(number) => Some(self.sampler(place, number)?),
            None => None,
        };
        let Some(number) = bound.buffer else {
            let sampler = sampler.ok_or_else(|| unsupported(place, "an empty descriptor"))?;
            return Ok(session::Bound::Sampler(sampler));
        };
        let written = matches!(
            kind,
            Descriptor::Storage | Descriptor::StorageTexel | Descriptor::StorageImage
        );
        let stored = &self.memory.buffers[number];
        match kind {
            Descriptor::Uniform | Descriptor::Storage => {
                let size = stored.bytes.len() as u64;
                let range = bound.range.unwrap_or(size.saturating_sub(bound.offset));
                if range == 0 || bound.offset.checked_add(range).is_none_or(|end| end > size) {
                    return Err(Failure::script(place, "a descriptor exceeds its buffer"));
                }
                let buffer = self.device_buffer(place, number, written)?;
                Ok(session::Bound::Buffer { buffer, offset: bound.offset, range })
            }
            Descriptor::UniformTexel | Descriptor::StorageTexel => {
                let format = match &stored.image {
                    Some(image) => Some(image.format.clone()),
                    None => self.script.buffers[number].ty.format(),
                };
                let format = format.as_deref().and_then(state::vulkan_format);
                let format = format.ok_or_else(|| unsupported(place, "texels of this type"))?;
                let needed = match written {
                    true => vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER,
                    false => vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER,
                };
                if !self.session.features(format).buffer_features.contains(needed) {
                    return Err(unsupported(place, format_args!("texels of {format:?}")));
                }
                let buffer = self.device_buffer(place, number, written)?;
                Ok(session::Bound::Texels { buffer, format })
            }
            _ => {
                let image = self.device_image(place, number, written)?;
                let shape = self.session.shape(image);
                let needed = match written {
                    true => vk::FormatFeatureFlags::STORAGE_IMAGE,
                    false => vk::FormatFeatureFlags::SAMPLED_IMAGE,
                };
                let features = self.session.features(shape.format).optimal_tiling_features;
                if !features.contains(needed) {
                    let format = shape.format;
                    return Err(unsupported(place, format_args!("images of {format:?}")));
                }
                let level = bound.level.min(shape.levels - 1);
                let levels = if written { 1 } else { shape.levels - level };
                let aspect = match shape.aspects() {
                    both if both.contains(vk::ImageAspectFlags::DEPTH) => {
                        vk::ImageAspectFlags::DEPTH
                    }
                    one => one,
                };
                Ok(session::Bound::Image { image, level, levels, aspect, sampler })
            }
        }
    }

    fn sampler(&mut self, place: Place, number: usize) -> Result<usize, Failure> {
        if let Some(made) = self.samplers.get(&number) {
            return Ok(*made);
        }
        let info = state::sampler(&self.script.samplers[number]);
        let made = self.session.sampler(&info).map_err(failed(place))?;
        self.samplers.insert(number, made);
        Ok(made)
    }

    /// The push constants, up to a multiple of four bytes.
    fn push(&mut self, place: Place, pipeline: &Pipeline) -> Result<Vec<u8>, Failure> {
        let Some(buffer) = pipeline.push_constants else { return Ok(Vec::new()) };
        self.fetch(place, buffer)?;
        let mut push = self.memory.buffers[buffer].bytes.clone();
        push.resize(push.len().next_multiple_of(4), 0);
        if push.len() > 128 {
            return Err(unsupported(place, format_args!("{} bytes of push constants", push.len())));
        }
        Ok(push)
    }

    /// A buffer of the device with these contents.
    fn constant(&mut self, place: Place, bytes: Vec<u8>) -> Result<usize, Failure> {
        if let Some(buffer) = self.constants.get(&bytes) {
            return Ok(*buffer);
        }
        let buffer = self.session.buffer(&bytes).map_err(failed(place))?;
        self.constants.insert(bytes, buffer);
        Ok(buffer)
    }

    /// The vertices of a draw call.
    fn input(&mut self, place: Place, pipeline: &Pipeline, work: &Work) -> Result<Input, Failure> {
        if let Some((bytes, topology)) = rectangle_vertices(work, pipeline.size) {
            let count = (bytes.len() / 8) as u32;
            let buffer = self.constant(place, bytes)?;
            let buffers = vec![(buffer, 0)];
            let vertices = Vertices { buffers, count, instances: 1, ..Vertices::default() };
            let attributes = vec![(0, vk::Format::R32G32_SFLOAT, 8, false)];
            return Ok(Input { vertices, topology, attributes });
        }
        let Work::Array {
            topology,
            indexed,
            first,
            count,
            first_instance,
            instances,
            vertex_offset,
        } = work
        else {
            return Err(Failure::script(place, "a graphics pipeline cannot be dispatched"));
        };
        let mut vertices = Vertices {
            first: *first,
            first_instance: *first_instance,
            instances: *instances,
            ..Vertices::default()
        };
        let mut attributes = Vec::new();
        let mut all = None;
        for data in &pipeline.vertex_data {
            let (format, stride) = self.vertex_format(data)?;
            let buffer = self.device_buffer(data.place, data.buffer, false)?;
            vertices.buffers.push((buffer, data.offset));
            attributes.push((data.location, format, stride, data.per_instance));
            if !data.per_instance {
                let bytes = self.memory.buffers[data.buffer].bytes.len() as u32;
                let left = bytes.saturating_sub(data.offset as u32);
                all.get_or_insert(left.checked_div(stride).unwrap_or(0));
            }
        }
        if *indexed {
            let indices = self.indices(place, pipeline)?;
            let left = (indices.len() as u32).saturating_sub(*first);
            vertices.count = count.unwrap_or(left);
            let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
            vertices.indices = Some(self.constant(place, bytes)?);
            vertices.vertex_offset = *vertex_offset;
        } else {
            vertices.count = match (count, all) {
                (Some(count), _) => *count,
                (None, Some(all)) => all.saturating_sub(*first),
                (None, None) => return Err(Failure::script(place, "no vertices")),
            };
        }
        Ok(Input { vertices, topology: *topology, attributes })
    }

    /// The format of a vertex attribute, and the bytes from one element to the next.
    fn vertex_format(&self, data: &VertexData) -> Result<(vk::Format, u32), Failure> {
        let buffer = &self.script.buffers[data.buffer];
        let format = data.format.clone().or_else(|| buffer.ty.format());
        let format = format.ok_or_else(|| unsupported(data.place, "vertices of this type"))?;
        let vulkan = state::vulkan_format(&format)
            .filter(|vulkan| {
                let features = self.session.features(*vulkan).buffer_features;
                features.contains(vk::FormatFeatureFlags::VERTEX_BUFFER)
            })
            .ok_or_else(|| {
                unsupported(data.place, format_args!("vertices of the format {}", format.name))
            })?;
        let is_image = self.memory.buffers[data.buffer].image.is_some();
        let item = buffer.layout.stride as u32;
        let own = match data.format.is_some() && is_image {
            true => format.bytes,
            false => item.max(format.bytes),
        };
        Ok((vulkan, data.stride.unwrap_or(own)))
    }

    /// The indices of a pipeline as 32 bits each; the index that restarts a primitive becomes the largest.
    fn indices(&mut self, place: Place, pipeline: &Pipeline) -> Result<Vec<u32>, Failure> {
        let (_, buffer) =
            pipeline.index_data.ok_or_else(|| Failure::script(place, "no index buffer"))?;
        self.fetch(place, buffer)?;
        let layout = &self.script.buffers[buffer].layout;
        let bytes = &self.memory.buffers[buffer].bytes;
        let bits = layout.slots.first().map_or(32, |slot| slot.scalar.bits);
        let restart = u64::MAX >> (64 - u32::from(bits));
        let stored = (0..).map_while(|number| load(bytes, layout.slot(number)?));
        let wide = |index| match pipeline.restart && index == restart {
            true => u32::MAX,
            false => index as u32,
        };
        Ok(stored.map(wide).collect())
    }

    /// The graphics pipeline of the device.
    fn graphics(
        &mut self,
        place: Place,
        (index, pipeline): (usize, &Pipeline),
        input: &Input,
        target: &Target,
        slots: Vec<session::Slot>,
        push: u32,
    ) -> Result<usize, Failure> {
        let topology = state::topology(input.topology);
        let has_data = input.vertices.buffers.len() == pipeline.vertex_data.len();
        let key = (index, topology.as_raw(), has_data);
        if let Some(made) = self.pipelines.get(&key) {
            return Ok(*made);
        }
        let words = self.modules(pipeline)?;
        let shape = |session: &Session, attached: Option<(usize, u32)>| {
            attached.map(|(image, _)| session.shape(image))
        };
        let (mut colours, mut samples) = (Vec::new(), None);
        for colour in &target.colours {
            let shape = shape(&self.session, *colour);
            colours.push(shape.map_or(vk::Format::UNDEFINED, |shape| shape.format));
            samples = samples.or(shape.map(|shape| shape.samples));
        }
        let mut formats = [vk::Format::UNDEFINED; 2];
        if let Some(shape) = shape(&self.session, target.depth_stencil) {
            samples = samples.or(Some(shape.samples));
            let aspects = [vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL];
            for (format, aspect) in formats.iter_mut().zip(aspects) {
                if shape.aspects().contains(aspect) {
                    *format = shape.format;
                }
            }
        }
        let [width, height] = pipeline.size.map(|side| side as f32);
        let viewport = match &pipeline.viewport {
            Some(view) => vk::Viewport {
                x: view.origin[0],
                y: view.origin[1],
                width: view.size[0],
                height: view.size[1],
                min_depth: view.depth[0],
                max_depth: view.depth[1],
            },
            None => vk::Viewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 },
        };
        let has_fragment = pipeline.shaders.iter().any(|shader| shader.stage == Stage::Fragment);
        let discards = pipeline.discards || !has_fragment;
        let error = failed(place);
        let graphics = Graphics {
            modules: modules(pipeline, &words),
            slots,
            push,
            bindings: (0..)
                .zip(&input.attributes)
                .map(|(binding, (_, _, stride, per_instance))| vk::VertexInputBindingDescription {
                    binding,
                    stride: *stride,
                    input_rate: match per_instance {
                        true => vk::VertexInputRate::INSTANCE,
                        false => vk::VertexInputRate::VERTEX,
                    },
                })
                .collect(),
            attributes: (0..)
                .zip(&input.attributes)
                .map(|(binding, (location, format, ..))| vk::VertexInputAttributeDescription {
                    location: *location,
                    binding,
                    format: *format,
                    offset: 0,
                })
                .collect(),
            topology,
            restart: pipeline.restart && input.vertices.indices.is_some(),
            patch: pipeline.patch_points,
            viewport,
            size: pipeline.size,
            raster: state::raster(pipeline, discards).map_err(&error)?,
            samples: samples.unwrap_or(1),
            tests: state::tests(pipeline).map_err(&error)?,
            blends: vec![state::blend(pipeline).map_err(&error)?; target.colours.len()],
            constants: pipeline.blend_constants,
            logic_op: match pipeline.logic_op {
                Some(op) => Some(session::logic_op(op.word()).map_err(&error)?),
                None => None,
            },
            colours,
            depth: formats[0],
            stencil: formats[1],
        };
        let made = self.session.graphics(&graphics).map_err(&error)?;
        self.pipelines.insert(key, made);
        Ok(made)
    }
}

/// The shaders of a pipeline for the device.
fn modules<'p>(pipeline: &'p Pipeline, words: &'p [Rc<Vec<u32>>]) -> Vec<Module<'p>> {
    let module = |(attached, words): (&'p crestline_amber::script::Attached, &'p Rc<Vec<u32>>)| {
        let constants = attached.specialization.iter();
        Module {
            stage: state::stage(attached.stage),
            spirv: words,
            entry: &attached.entry,
            // The forms of scripts have constants of 32 bits only.
            specialization: constants
                .map(|(id, bits)| (*id, (*bits as u32).to_le_bytes().to_vec()))
                .collect(),
        }
    };
    pipeline.shaders.iter().zip(words).map(module).collect()
}

impl Engine for LavapipeEngine<'_> {
    fn dispatch(
        &mut self,
        place: Place,
        index: usize,
        grid: [u32; 3],
    ) -> Result<RunStatistics, Failure> {
        let script = self.script;
        let pipeline = &script.pipelines[index];
        let push = self.push(place, pipeline)?;
        let (slots, descriptors) = self.descriptors(pipeline)?;
        let key = (index, -1, false);
        let made = match self.pipelines.get(&key) {
            Some(made) => *made,
            None => {
                let words = self.modules(pipeline)?;
                let modules = modules(pipeline, &words);
                let module = modules.first();
                let module = module.ok_or_else(|| Failure::script(place, "no compute shader"))?;
                let made = self.session.compute(module, &slots, push.len() as u32);
                let made = made.map_err(failed(place))?;
                self.pipelines.insert(key, made);
                made
            }
        };
        self.session.dispatch(made, &descriptors, &push, grid).map_err(failed(place))?;
        Ok(RunStatistics { place, pipeline: pipeline.name.clone(), ..RunStatistics::default() })
    }

    fn draw(&mut self, place: Place, index: usize, work: &Work) -> Result<RunStatistics, Failure> {
        let script = self.script;
        let pipeline = &script.pipelines[index];
        let push = self.push(place, pipeline)?;
        let input = self.input(place, pipeline, work)?;
        let (slots, descriptors) = self.descriptors(pipeline)?;
        let target = self.target(place, pipeline)?;
        let length = push.len() as u32;
        let own = (index, pipeline);
        let made = self.graphics(place, own, &input, &target, slots, length)?;
        let call = DrawCall {
            pipeline: made,
            descriptors: &descriptors,
            push: &push,
            vertices: &input.vertices,
        };
        self.session.render(&target, None, Some(&call)).map_err(failed(place))?;
        self.resolve(pipeline)?;
        Ok(RunStatistics { place, pipeline: pipeline.name.clone(), ..RunStatistics::default() })
    }

    fn clear(&mut self, place: Place, index: usize, values: &ClearValues) -> Result<(), Failure> {
        let script = self.script;
        let pipeline = &script.pipelines[index];
        let target = self.target(place, pipeline)?;
        let colour = |attached: &Option<(usize, u32)>| {
            let format = attached.map(|(image, _)| self.session.shape(image).format);
            let name = format!("{:?}", format.unwrap_or_default());
            match Format::parse(&name).is_some_and(|format| is_integer(&format)) {
                true => vk::ClearColorValue { uint32: values.integers },
                false => vk::ClearColorValue { float32: values.colour },
            }
        };
        let colours: Vec<_> = target.colours.iter().map(colour).collect();
        let tested =
            vk::ClearDepthStencilValue { depth: values.depth, stencil: values.stencil.into() };
        let cleared = self.session.render(&target, Some((&colours, tested)), None);
        cleared.map_err(failed(place))?;
        self.resolve(pipeline)
    }

    fn copy(&mut self, place: Place, from: usize, to: usize) -> Result<(), Failure> {
        self.fetch(place, from)?;
        self.fetch(place, to)?;
        self.memory.copy(from, to).map_err(|message| Failure::script(place, message))?;
        self.copies[to].buffer = self.copies[to].buffer.map(|(buffer, _)| (buffer, false));
        self.copies[to].image = self.copies[to].image.map(|(image, _)| (image, false));
        Ok(())
    }

    fn write(
        &mut self,
        place: Place,
        buffer: usize,
        values: &[(Slot, u64)],
    ) -> Result<(), Failure> {
        self.fetch(place, buffer)?;
        self.memory.write(buffer, values);
        self.copies[buffer].buffer = self.copies[buffer].buffer.map(|(buffer, _)| (buffer, false));
        self.copies[buffer].image = self.copies[buffer].image.map(|(image, _)| (image, false));
        Ok(())
    }

    fn memory(&mut self, place: Place, buffers: &[usize]) -> Result<&Memory, Failure> {
        for buffer in buffers {
            self.fetch(place, *buffer)?;
        }
        Ok(&self.memory)
    }
}

/// Whether the components of a format are integers.
fn is_integer(format: &Format) -> bool {
    let integer = |kind| matches!(kind, NumberKind::Uint | NumberKind::Sint);
    let is_colour = |component| matches!(component, Component::Colour(_));
    format.channels.iter().any(|c| is_colour(c.component) && integer(c.kind))
}
