//! Clears and draw calls.

use super::emulator::Emulator;
use super::engine::ClearValues;
use super::geometry::Geometry;
use super::memory::{Memory, Stored};
use super::{Failure, FailureKind, resources};
use crate::error::Place;
use crate::format::{Component, Format, NumberKind};
use crate::limits;
use crate::requirements::{NO_DEPTH_BOUNDS, NO_VERTEX_FORMAT};
use crate::script::{Attachment, Image, Pipeline, Stage, Topology, VertexData, Work};
use crate::types::{Scalar, Slot, load, store};
use crestline_device::{Channel as SurfaceChannel, ChannelKind, SurfaceFormat};
use crestline_emu::{
    Attribute, AttributeFormat, ColourState, DepthBias, DepthFormat, DepthTest, Draw, DrawState,
    Framebuffer, FramebufferError, Kernel, Numbers, Report, Resources, TexelArea, VertexFormat,
    Viewport,
};
use std::ops::Range;

/// The vertices of a draw call.
struct Vertices {
    draw: Draw,
    topology: Topology,
    /// The lengths of the lists into which the restart index divides the vertices.
    parts: Vec<usize>,
}

/// The first byte and the number of bytes of a level of an image, and its width and height.
fn level(stored: &Stored, attachment: &Attachment) -> Option<(usize, usize, [u32; 2])> {
    let image = stored.image.as_ref()?;
    let [width, height, _] = image.size?;
    let side = |size: u32, level: u32| (size >> level).max(1);
    let texel = u64::from(image.format.bytes) * u64::from(image.samples);
    let bytes = |level| u64::from(side(width, level)) * u64::from(side(height, level)) * texel;
    let start: u64 = (0..attachment.level).map(bytes).sum();
    let size = [side(width, attachment.level), side(height, attachment.level)];
    Some((start as usize, bytes(attachment.level) as usize, size))
}

/// The area of a framebuffer of `part` pixels in an attachment of `whole` pixels, which may be larger. `texel` are the bytes of all
/// samples of a pixel.
fn area(texel: u32, whole: [u32; 2], part: [u32; 2]) -> TexelArea {
    TexelArea { texel, width: whole[0], origin: [0; 2], size: part }
}

/// The slots of depth and stencil in a texel of a format.
fn depth_slots(format: &Format) -> [Option<Slot>; 2] {
    [Component::Depth, Component::Stencil].map(|component| {
        let channel = format.channel(component)?;
        let scalar = Scalar { kind: channel.kind, bits: channel.bits };
        Some(Slot { bit: channel.shift.into(), scalar })
    })
}

/// The emulator's format of depth.
fn depth_format(slot: Slot) -> DepthFormat {
    match (slot.scalar.kind, slot.scalar.bits) {
        (NumberKind::Unorm, 16) => DepthFormat::Unorm16,
        (NumberKind::Unorm, _) => DepthFormat::Unorm24,
        _ => DepthFormat::Float32,
    }
}

/// An attachment of a pipeline, and the part of its buffer that the framebuffer covers.
struct Target<'m, 'p> {
    attachment: &'p Attachment,
    image: &'m Image,
    /// The bytes of the level.
    level: Range<usize>,
    area: TexelArea,
}

/// The attachments of a pipeline, and the number of samples of their pixels.
fn targets<'m, 'p>(
    memory: &'m Memory,
    pipeline: &'p Pipeline,
) -> Result<(u32, Vec<Target<'m, 'p>>), Failure> {
    let mut targets: Vec<Target<'_, '_>> = Vec::new();
    for attachment in pipeline.colours.iter().chain(&pipeline.depth_stencil) {
        let stored = &memory.buffers[attachment.buffer];
        let found = stored.image.as_ref().zip(level(stored, attachment));
        let (image, (start, bytes, size)) =
            found.ok_or_else(|| Failure::script(attachment.place, "the attachment has no size"))?;
        if size[0] < pipeline.size[0] || size[1] < pipeline.size[1] {
            let message = format!(
                "the attachment has {} by {} pixels, fewer than the framebuffer with {} by {}",
                size[0], size[1], pipeline.size[0], pipeline.size[1]
            );
            return Err(Failure::script(attachment.place, message));
        }
        if targets.first().is_some_and(|first| first.image.samples != image.samples) {
            let message = "the attachments have different numbers of samples";
            return Err(Failure::script(attachment.place, message));
        }
        let area = area(image.format.bytes * image.samples, size, pipeline.size);
        targets.push(Target { attachment, image, level: start..start + bytes, area });
    }
    Ok((targets.first().map_or(1, |target| target.image.samples), targets))
}

/// The emulator's format of a colour attachment.
fn surface(target: &Target<'_, '_>) -> Result<SurfaceFormat, Failure> {
    target.image.format.surface().ok_or_else(|| {
        let what = format_args!("attachments with the format {}", target.image.format.name);
        Failure::unsupported(target.attachment.place, what)
    })
}

/// The framebuffer of a pipeline with the contents of its attachments.
fn framebuffer(
    memory: &Memory,
    place: Place,
    pipeline: &Pipeline,
    hidden_depth: &[u8],
) -> Result<Framebuffer, Failure> {
    let failure = |place, error: &dyn std::fmt::Display| Failure::script(place, error.to_string());
    let (samples, targets) = targets(memory, pipeline)?;
    let mut framebuffer = Framebuffer::with_samples(pipeline.size, samples)
        .map_err(|error| failure(place, &error))?;
    for target in &targets {
        let attachment = target.attachment;
        let stored = &memory.buffers[attachment.buffer];
        let texels = target.area.extract(&stored.bytes[target.level.clone()]);
        if target.image.format.is_depth_stencil() {
            set_depth_stencil(&mut framebuffer, &target.image.format, &texels)
                .map_err(|error| failure(attachment.place, &error))?;
            continue;
        }
        framebuffer
            .set_colour(attachment.location as u8, surface(target)?, texels)
            .map_err(|error| failure(attachment.place, &error))?;
    }
    if pipeline.depth_stencil.is_none() && !hidden_depth.is_empty() {
        let format = hidden_format();
        set_depth_stencil(&mut framebuffer, &format, hidden_depth)
            .map_err(|error| failure(place, &error))?;
    }
    Ok(framebuffer)
}

/// A cleared sample of a colour attachment.
fn colour_sample(target: &Target<'_, '_>, clear: &ClearValues) -> Result<Vec<u8>, Failure> {
    let integers = super::memory::is_integer(&target.image.format);
    let colour = if integers { clear.integers } else { clear.colour.map(f32::to_bits) };
    let number = target.attachment.location as u8;
    let format = surface(target)?;
    let failure =
        |error: FramebufferError| Failure::script(target.attachment.place, error.to_string());
    let mut one = Framebuffer::new([1, 1]).map_err(failure)?;
    one.clear_colour(number, format, colour).map_err(failure)?;
    Ok(one.colour(number).map(|(_, texel)| texel.to_vec()).unwrap_or_default())
}

/// A cleared sample of a depth and stencil attachment.
fn depth_sample(format: &Format, clear: &ClearValues) -> Result<Vec<u8>, FramebufferError> {
    let mut one = Framebuffer::new([1, 1])?;
    if let Some(slot) = depth_slots(format)[0] {
        one.clear_depth(depth_format(slot), clear.depth);
    }
    one.clear_stencil(clear.stencil);
    let mut sample = vec![0; format.bytes as usize];
    take_depth_stencil(&one, format, &mut sample);
    Ok(sample)
}

/// The format of the depth and stencil attachment of pipelines that have none.
fn hidden_format() -> Format {
    Format::parse("D32_SFLOAT_S8_UINT").expect("the format's name is right")
}

/// Whether texels of a format consist of a dword that a slot describes, and of nothing else.
fn is_dword(format: &Format, slot: Slot) -> bool {
    format.bytes == 4 && slot.bit == 0 && slot.scalar.bits == 32
}

fn set_depth_stencil(
    framebuffer: &mut Framebuffer,
    format: &Format,
    texels: &[u8],
) -> Result<(), crestline_emu::FramebufferError> {
    let [depth, stencil] = depth_slots(format);
    let values = |slot: Slot| {
        texels.chunks_exact(format.bytes as usize).map(move |texel| load(texel, slot).unwrap_or(0))
    };
    if let Some(slot) = depth {
        // Most depth formats are such; a loop without branches takes a fraction of the time.
        let depths = match is_dword(format, slot) {
            true => texels.as_chunks().0.iter().map(|texel| u32::from_le_bytes(*texel)).collect(),
            false => values(slot).map(|bits| bits as u32).collect(),
        };
        framebuffer.set_depth(depth_format(slot), depths)?;
    }
    if let Some(slot) = stencil {
        framebuffer.set_stencil(values(slot).map(|bits| bits as u8).collect())?;
    }
    Ok(())
}

/// Stores the depths and stencil values of a framebuffer in texels of a format.
fn take_depth_stencil(framebuffer: &Framebuffer, format: &Format, texels: &mut [u8]) {
    let [depth, stencil] = depth_slots(format);
    let size = format.bytes as usize;
    if let (Some(slot), Some(depths)) = (depth, framebuffer.stored_depths()) {
        if is_dword(format, slot) {
            for (texel, depth) in texels.as_chunks_mut().0.iter_mut().zip(depths) {
                *texel = depth.to_le_bytes();
            }
        } else {
            for (texel, depth) in texels.chunks_exact_mut(size).zip(depths) {
                store(texel, slot, (*depth).into());
            }
        }
    }
    if let (Some(slot), Some(values)) = (stencil, framebuffer.stencils()) {
        for (texel, value) in texels.chunks_exact_mut(size).zip(values) {
            store(texel, slot, (*value).into());
        }
    }
}

impl Emulator<'_> {
    /// Stores the attachments of a framebuffer, and the resolved ones.
    fn store(&mut self, index: usize, framebuffer: &Framebuffer) -> Result<(), Failure> {
        let script = self.script;
        let pipeline = &script.pipelines[index];
        let mut resolves = pipeline.resolves.iter();
        let mut colours: Vec<_> = pipeline.colours.iter().collect();
        colours.sort_by_key(|attachment| attachment.location);
        for attachment in colours {
            let target = attachment.location as u8;
            let Some((_, texels)) = framebuffer.colour(target) else { continue };
            self.put(pipeline.size, attachment, texels);
            if framebuffer.samples() > 1
                && let Some(resolve) = resolves.next()
            {
                let resolved = framebuffer.resolve(target).unwrap_or_default();
                self.check_resolve(attachment, resolve)?;
                self.put(pipeline.size, resolve, &resolved);
            }
        }
        if let Some(attachment) = &pipeline.depth_stencil {
            let stored = &mut self.memory.buffers[attachment.buffer];
            let place = level(stored, attachment);
            let format = stored.image.as_ref().map(|image| image.format.clone());
            if let (Some((start, bytes, whole)), Some(format)) = (place, format) {
                let texel = format.bytes * framebuffer.samples();
                let area = area(texel, whole, pipeline.size);
                let level = &mut stored.bytes[start..start + bytes];
                let mut texels = area.extract(level);
                take_depth_stencil(framebuffer, &format, &mut texels);
                area.insert(level, &texels);
            }
        } else if let Some(hidden) = self.hidden_depth.get_mut(&pipeline.name) {
            take_depth_stencil(framebuffer, &hidden_format(), hidden);
        }
        Ok(())
    }

    /// Replaces the texels of an attachment in the area of the framebuffer, which has `part` pixels.
    fn put(&mut self, part: [u32; 2], attachment: &Attachment, texels: &[u8]) {
        let stored = &mut self.memory.buffers[attachment.buffer];
        let place = level(stored, attachment);
        let texel = stored.image.as_ref().map(|image| image.format.bytes * image.samples);
        if let (Some((start, bytes, whole)), Some(texel)) = (place, texel) {
            area(texel, whole, part).insert(&mut stored.bytes[start..start + bytes], texels);
        }
    }

    /// Makes the depth and stencil attachment of a pipeline that tests, but has none.
    ///
    /// # Errors
    /// If these attachments of all pipelines are larger than buffers may be.
    fn prepare_hidden_depth(&mut self, place: Place, index: usize) -> Result<(), Failure> {
        let pipeline = &self.script.pipelines[index];
        let tests = pipeline.depth.test || pipeline.stencil.is_some();
        if tests && pipeline.depth_stencil.is_none() {
            let format = hidden_format();
            let samples = pipeline.colours.first().and_then(|attachment| {
                self.memory.buffers[attachment.buffer].image.as_ref().map(|image| image.samples)
            });
            let [width, height] = pipeline.size.map(u64::from);
            let bytes = width * height * u64::from(samples.unwrap_or(1) * format.bytes);
            let others = self.hidden_depth.iter().filter(|(name, _)| **name != pipeline.name);
            let others: u64 = others.map(|(_, texels)| texels.len() as u64).sum();
            if bytes + others > limits::BUFFER_BYTES {
                let message = format!(
                    "the depth attachments that the pipelines of the script test without having them are larger than {} bytes",
                    limits::BUFFER_BYTES
                );
                return Err(Failure::script(place, message));
            }
            let hidden = self.hidden_depth.entry(pipeline.name.clone()).or_default();
            hidden.resize(bytes as usize, 0);
        }
        Ok(())
    }

    fn hidden(&self, index: usize) -> &[u8] {
        self.hidden_depth.get(&self.script.pipelines[index].name).map_or(&[], Vec::as_slice)
    }

    /// Clears the attachments of a pipeline.
    pub(super) fn clear_attachments(
        &mut self,
        place: Place,
        index: usize,
        clear: &ClearValues,
    ) -> Result<(), Failure> {
        self.prepare_hidden_depth(place, index)?;
        let script = self.script;
        let pipeline = &script.pipelines[index];
        let failure = |error: FramebufferError| Failure::script(place, error.to_string());
        let (samples, targets) = targets(&self.memory, pipeline)?;
        Framebuffer::with_samples(pipeline.size, samples).map_err(failure)?;
        let mut fills = Vec::new();
        let mut resolved = Vec::new();
        for target in targets {
            let buffer = target.attachment.buffer;
            let sample = match target.image.format.is_depth_stencil() {
                true => depth_sample(&target.image.format, clear).map_err(failure)?,
                false => {
                    let sample = colour_sample(&target, clear)?;
                    resolved.push((target.attachment, sample.clone()));
                    sample
                }
            };
            let texel = sample.repeat(samples as usize);
            fills.push((buffer, target.level, target.area, texel));
        }
        for (buffer, level, area, texel) in fills {
            area.fill(&mut self.memory.buffers[buffer].bytes[level], &texel);
        }
        if samples > 1 {
            resolved.sort_by_key(|(attachment, _)| attachment.location);
            for ((attachment, sample), resolve) in resolved.iter().zip(&pipeline.resolves) {
                self.check_resolve(attachment, resolve)?;
                let stored = &mut self.memory.buffers[resolve.buffer];
                if let Some((start, bytes, whole)) = level(stored, resolve) {
                    let level = &mut stored.bytes[start..start + bytes];
                    area(sample.len() as u32, whole, pipeline.size).fill(level, sample);
                }
            }
        }
        if pipeline.depth_stencil.is_none()
            && let Some(hidden) = self.hidden_depth.get_mut(&pipeline.name)
        {
            let sample = depth_sample(&hidden_format(), clear).map_err(failure)?;
            for texel in hidden.chunks_exact_mut(sample.len()) {
                texel.copy_from_slice(&sample);
            }
        }
        Ok(())
    }

    /// Checks that an attachment can be resolved to another one.
    fn check_resolve(&self, from: &Attachment, to: &Attachment) -> Result<(), Failure> {
        let [source, target] = [from, to].map(|one| {
            let image = self.memory.buffers[one.buffer].image.as_ref();
            image.map(|image| (image.format.clone(), image.size))
        });
        if source != target {
            let message = "a resolve needs attachments of the same format and size";
            return Err(Failure::script(to.place, message));
        }
        Ok(())
    }

    /// Performs a draw call.
    pub(super) fn draw_vertices(
        &mut self,
        place: Place,
        index: usize,
        kernels: &[(Stage, Kernel)],
        work: &Work,
    ) -> Result<Report, Failure> {
        self.prepare_hidden_depth(place, index)?;
        let script = self.script;
        let pipeline = &script.pipelines[index];
        let state = state(place, pipeline)?;
        let metadata: Vec<_> = kernels.iter().map(|(_, kernel)| kernel.metadata()).collect();
        let memory = &self.memory;
        let mut bound = resources::bind(script, memory, place, pipeline, &metadata)?;
        let vertices = self.vertices(place, pipeline, work, &mut bound)?;
        let room = self.room(place, index)?;
        let geometry =
            Geometry { place, pipeline, kernels, resources: &bound, options: &self.options, room };
        let mut assembled = geometry.run(&vertices.draw, vertices.topology, &vertices.parts)?;
        let mut report = std::mem::take(&mut assembled.report);
        let fragment = kernels.iter().find(|(stage, _)| *stage == Stage::Fragment);
        if let Some((_, kernel)) = fragment.filter(|_| !pipeline.discards) {
            let last = kernels.iter().filter(|(stage, _)| *stage != Stage::Fragment);
            let last = last.max_by_key(|(stage, _)| *stage);
            let distances =
                last.map(|(_, kernel)| kernel.metadata().stage.distances()).unwrap_or_default();
            let state = DrawState {
                topology: assembled.topology,
                clip_distances: distances.clip as u8,
                cull_distances: distances.cull as u8,
                ..state
            };
            let memory = &self.memory;
            let mut framebuffer = framebuffer(memory, place, pipeline, self.hidden(index))?;
            let own = kernel
                .draw_shared(
                    &state,
                    &assembled.strips(),
                    &mut framebuffer,
                    &bound,
                    &self.options,
                    None,
                )
                .map_err(|error| Failure::of_emulator(place, "fragment", &error))?;
            report.add(own);
            self.store(index, &framebuffer)?;
        }
        resources::read_back(script, &mut self.memory, pipeline, &bound);
        Ok(report)
    }

    /// Binds the vertex data of a draw call.
    fn vertices(
        &self,
        place: Place,
        pipeline: &Pipeline,
        work: &Work,
        bound: &mut Resources,
    ) -> Result<Vertices, Failure> {
        match work {
            Work::Rectangles { .. } => Ok(rectangles(pipeline, work, bound)),
            Work::Array {
                topology,
                indexed,
                first,
                count,
                first_instance,
                instances,
                vertex_offset,
            } => {
                for data in &pipeline.vertex_data {
                    let attribute = self.attribute(data)?;
                    bound.set_attribute(data.location, attribute);
                }
                let mut draw = Draw {
                    instances: *instances,
                    first_instance: *first_instance,
                    indexed: *indexed,
                    ..Draw::vertices(0)
                };
                // The list of indices is made also if there is no instance.
                let check = |vertices: u32| match u64::from(vertices) * u64::from(*instances).max(1)
                {
                    0..=limits::VERTICES => Ok(()),
                    total => Err(Failure::script(
                        place,
                        format!("{total} vertices: expected at most {}", limits::VERTICES),
                    )),
                };
                let mut parts = Vec::new();
                if *indexed {
                    let (indices, restart) = self.indices(place, pipeline)?;
                    let indices = indices.get(*first as usize..).unwrap_or_default();
                    let count = count.unwrap_or(indices.len() as u32);
                    check(count)?;
                    // Indices beyond the buffer are 0.
                    let mut chosen = Vec::new();
                    let mut part = 0;
                    for number in 0..count {
                        let index = indices.get(number as usize).copied().unwrap_or(0);
                        if pipeline.restart && index == restart {
                            parts.push(std::mem::take(&mut part));
                        } else {
                            chosen.push(index);
                            part += 1;
                        }
                    }
                    parts.push(part);
                    draw.vertices = chosen.len() as u32;
                    draw.first_vertex = vertex_offset.cast_unsigned();
                    bound.set_indices(chosen);
                } else {
                    draw.vertices = match count {
                        Some(count) => *count,
                        None => self.all_vertices(place, pipeline)?.saturating_sub(*first),
                    };
                    draw.first_vertex = *first;
                    parts.push(draw.vertices as usize);
                }
                check(draw.vertices)?;
                Ok(Vertices { draw, topology: *topology, parts })
            }
            Work::Dispatch(_) => {
                Err(Failure::script(place, "a graphics pipeline cannot be dispatched"))
            }
        }
    }

    /// The number of vertices in the vertex data.
    fn all_vertices(&self, place: Place, pipeline: &Pipeline) -> Result<u32, Failure> {
        let data = pipeline.vertex_data.iter().find(|data| !data.per_instance);
        let data = data.ok_or_else(|| {
            Failure::script(place, "DRAW_ARRAY without COUNT needs a pipeline with VERTEX_DATA")
        })?;
        let attribute = self.attribute(data)?;
        Ok((attribute.bytes.len() as u32).checked_div(attribute.stride).unwrap_or(0))
    }

    /// A vertex attribute.
    fn attribute(&self, data: &VertexData) -> Result<Attribute, Failure> {
        let buffer = &self.script.buffers[data.buffer];
        let stored = &self.memory.buffers[data.buffer];
        let format = data.format.clone().or_else(|| buffer.ty.format()).ok_or_else(|| {
            let message = format!("the type of the buffer `{}` is no vertex format", buffer.name);
            Failure::script(data.place, message)
        })?;
        let own_stride = match (&data.format, &stored.image) {
            (None, None) => buffer.layout.stride as u32,
            // A format of a whole item leaves its padding.
            (Some(_), None) if buffer.layout.stride > u64::from(format.bytes) => {
                buffer.layout.stride as u32
            }
            _ => format.bytes,
        };
        let attribute_format = attribute_format(&format).ok_or_else(|| {
            Failure::unsupported(
                data.place,
                format_args!("vertex data with the format {}", format.name),
            )
        })?;
        if !self.device.has_all_vertex_formats() && !attribute_format.is_on_all_devices() {
            let message =
                format!("vertex data with the format {}: {NO_VERTEX_FORMAT}", format.name);
            return Err(Failure::new(FailureKind::Skipped, data.place, message));
        }
        Ok(Attribute {
            format: attribute_format,
            stride: data.stride.unwrap_or(own_stride),
            per_instance: data.per_instance,
            bytes: stored.bytes.get(data.offset as usize..).unwrap_or_default().to_vec(),
        })
    }

    /// The indices of the index buffer, and the index that restarts a primitive.
    fn indices(&self, place: Place, pipeline: &Pipeline) -> Result<(Vec<u32>, u32), Failure> {
        let Some((data_place, index)) = pipeline.index_data else {
            return Err(Failure::script(
                place,
                "an indexed draw call needs a pipeline with INDEX_DATA",
            ));
        };
        let layout = &self.script.buffers[index].layout;
        let scalar = layout.slots.first().map(|slot| slot.scalar);
        let bits = match scalar {
            Some(Scalar {
                kind: NumberKind::Uint | NumberKind::Sint,
                bits: bits @ (8 | 16 | 32),
            }) if layout.slots.len() == 1 => bits,
            _ => {
                let message = "an index buffer needs integers of 8, 16 or 32 bits";
                return Err(Failure::script(data_place, message));
            }
        };
        let bytes = &self.memory.buffers[index].bytes;
        let indices = (0..).map_while(|number| load(bytes, layout.slot(number)?));
        Ok((indices.map(|index| index as u32).collect(), u32::MAX >> (32 - bits)))
    }
}

/// The emulator's format of an attribute; `None` if the emulator has none.
fn attribute_format(format: &Format) -> Option<AttributeFormat> {
    if format.channels.iter().all(|channel| channel.bits == 64) {
        return Some(AttributeFormat::Doubles(format.channels.len() as u8));
    }
    let mut numbers = Numbers::Stored;
    let mut channels = [None; 4];
    for (i, place) in (0..).zip(&mut channels) {
        let Some(channel) = format.channel(Component::Colour(i)) else { continue };
        let kind = match channel.kind {
            NumberKind::Uint | NumberKind::Uscaled => ChannelKind::Uint,
            NumberKind::Sint | NumberKind::Sscaled => ChannelKind::Sint,
            NumberKind::Float => ChannelKind::Float,
            NumberKind::UFloat => ChannelKind::UFloat,
            NumberKind::Unorm => ChannelKind::Unorm,
            NumberKind::Snorm => ChannelKind::Snorm,
            // Vertex fetch has no sRGB formats.
            NumberKind::Srgb => return None,
        };
        if matches!(channel.kind, NumberKind::Uscaled | NumberKind::Sscaled) {
            numbers = Numbers::Scaled;
        }
        let shift = u8::try_from(channel.shift).ok()?;
        *place = Some(SurfaceChannel { kind, bits: channel.bits, shift });
    }
    let bits = u16::try_from(format.bytes * 8).ok()?;
    VertexFormat::new(channels, bits, numbers).map(AttributeFormat::Converted)
}

/// The vertices of rectangles, each as two floats, and how they form primitives; `framebuffer` is its width and height. `None`
/// for other work.
pub fn rectangle_vertices(work: &Work, framebuffer: [u32; 2]) -> Option<(Vec<u8>, Topology)> {
    let Work::Rectangles { origin, size, cells, pixels, patches, grid } = work else {
        return None;
    };
    let mut bytes = Vec::new();
    let mut corner = |column: u32, row: u32| {
        for (axis, number) in [column, row].into_iter().enumerate() {
            let mut at = origin[axis] + size[axis] * f64::from(number) / f64::from(cells[axis]);
            if *pixels {
                at = 2.0 * at / f64::from(framebuffer[axis]) - 1.0;
            }
            bytes.extend((at as f32).to_le_bytes());
        }
    };
    let topology = if *grid {
        for row in 0..cells[1] {
            for column in 0..cells[0] {
                for (right, down) in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 0), (0, 1)] {
                    corner(column + right, row + down);
                }
            }
        }
        Topology::TriangleList
    } else {
        for (right, down) in [(0, 1), (0, 0), (1, 1), (1, 0)] {
            corner(right, down);
        }
        if *patches { Topology::PatchList } else { Topology::TriangleStrip }
    };
    Some((bytes, topology))
}

/// Binds the vertices of rectangles at location 0.
fn rectangles(pipeline: &Pipeline, work: &Work, bound: &mut Resources) -> Vertices {
    let vertices = rectangle_vertices(work, pipeline.size);
    let (bytes, topology) = vertices.unwrap_or((Vec::new(), Topology::TriangleList));
    let format =
        Format::plain(NumberKind::Float, 32, 2).and_then(|format| attribute_format(&format));
    let count = bytes.len() / 8;
    if let Some(format) = format {
        bound.set_attribute(0, Attribute::packed(format, &bytes));
    }
    Vertices { draw: Draw::vertices(count as u32), topology, parts: vec![count] }
}

/// The state of the fixed functions.
fn state(place: Place, pipeline: &Pipeline) -> Result<DrawState, Failure> {
    let mut state = DrawState::new(pipeline.size);
    if let Some(view) = &pipeline.viewport {
        state.viewport = Viewport {
            x: view.origin[0],
            y: view.origin[1],
            width: view.size[0],
            height: view.size[1],
            depth: view.depth,
        };
    }
    state.depth_bias =
        pipeline.depth.bias.map(|[constant, clamp, slope]| DepthBias { constant, slope, clamp });
    if let Some([low, high]) = pipeline.depth.bounds
        && (low > 0.0 || high < 1.0)
    {
        let message = format!("the hardware lacks `depthBounds`: {NO_DEPTH_BOUNDS}");
        return Err(Failure::new(FailureKind::Skipped, place, message));
    }
    state.polygon_mode = pipeline.polygon;
    state.cull = pipeline.cull;
    state.front_face = pipeline.front_face;
    state.depth_clamp = pipeline.depth.clamp;
    state.line_width = pipeline.line_width;
    let depth = DepthTest { compare: pipeline.depth.compare, write: pipeline.depth.write };
    state.depth = pipeline.depth.test.then_some(depth);
    state.stencil = pipeline.stencil;
    state.colours = [ColourState { blend: pipeline.blend, write_mask: pipeline.write_mask }; 8];
    state.blend_constants = pipeline.blend_constants;
    state.logic_op = pipeline.logic_op;
    Ok(state)
}
