//! The resources of a run: the memory of the script as the emulator binds it, and back.

use super::Failure;
use super::compile::is_image;
use super::memory::{Memory, Stored};
use crate::error::Place;
use crate::format::{Component, Format};
use crate::script::{Binding, Bound, Buffer, Descriptor, Dimension, Pipeline, Sampler, Script};
use crate::types::{Scalar, Slot, load};
use crestline_device::{Filter, SurfaceFormat};
use crestline_emu::{ImageDimension, ImageShape, Resources, SamplerState};
use crestline_program::{Content, Metadata, ResourceRef};
use std::sync::Arc;

/// Binds the buffers, images, samplers and push constants of a pipeline.
pub(super) fn bind(
    script: &Script,
    memory: &Memory,
    place: Place,
    pipeline: &Pipeline,
    metadata: &[&Metadata],
) -> Result<Resources, Failure> {
    let mut resources = Resources::new();
    for binding in &pipeline.bindings {
        for (element, bound) in (0..).zip(&binding.elements) {
            let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
            if let Some(sampler) = bound.sampler {
                let state = sampler_state(&script.samplers[sampler]);
                resources.set_sampler_state(resource, state);
            }
            let Some(index) = bound.buffer else { continue };
            let (buffer, stored) = (&script.buffers[index], &memory.buffers[index]);
            if is_image(binding.kind) {
                let (shape, start) = shape(buffer, stored, binding.kind, bound)
                    .map_err(|error| error.into_failure(binding.place, buffer))?;
                let bytes = stored.bytes.get(start..).unwrap_or(&[]);
                let depths = stored.image.as_ref().and_then(|image| depths(&image.format, bytes));
                let exchanged = is_exchanged(stored, binding.kind).then(|| exchange(bytes));
                let bytes = exchanged.as_deref().or(depths.as_deref()).unwrap_or(bytes);
                resources
                    .set_image(resource, shape, bytes)
                    .map_err(|error| Failure::of_emulator(binding.place, &buffer.name, &error))?;
            } else {
                let range = range(stored, bound).ok_or_else(|| {
                    let message = format!(
                        "the descriptor {}.{} exceeds the buffer `{}`, which has {} bytes",
                        binding.set,
                        binding.binding,
                        buffer.name,
                        stored.bytes.len()
                    );
                    Failure::script(binding.place, message)
                })?;
                resources.set_buffer(resource, &stored.bytes[range]);
            }
        }
    }
    let mut push =
        pipeline.push_constants.map_or(Vec::new(), |index| memory.buffers[index].bytes.clone());
    let needed = push_constants(metadata);
    if needed > push.len() as u64 && pipeline.push_constants.is_none() {
        let message = format!(
            "the pipeline `{}` has no push constants, but its shaders read {needed} bytes",
            pipeline.name
        );
        return Err(Failure::script(place, message));
    }
    // Whole registers are read, which the layout of the shader's block need not fill.
    push.resize(push.len().max(needed as usize).next_multiple_of(4), 0);
    resources.set_push_constants(&push);
    Ok(resources)
}

/// The bytes of push constants that programs read.
fn push_constants(metadata: &[&Metadata]) -> u64 {
    let dispatches = metadata.iter().flat_map(|metadata| metadata.dispatches.iter());
    let items = dispatches.flat_map(|dispatch| &dispatch.payload.items);
    let end = |item: &crestline_program::PayloadItem| match item.content {
        Content::PushConstant { offset } => u64::from(offset) + u64::from(item.size),
        _ => 0,
    };
    items.map(end).max().unwrap_or(0)
}

/// Whether shaders can write through a descriptor.
fn can_write(binding: &Binding) -> bool {
    matches!(
        binding.kind,
        Descriptor::Storage | Descriptor::StorageTexel | Descriptor::StorageImage
    )
}

/// Stores what a run wrote. If a buffer is bound more than once, the bytes that changed in each binding are stored.
pub(super) fn read_back(
    script: &Script,
    memory: &mut Memory,
    pipeline: &Pipeline,
    resources: &Resources,
) {
    let before = memory.clone_written(pipeline);
    for binding in &pipeline.bindings {
        if !can_write(binding) {
            continue;
        }
        for (element, bound) in (0..).zip(&binding.elements) {
            let resource = ResourceRef { set: binding.set, binding: binding.binding, element };
            let Some(index) = bound.buffer else { continue };
            let start = match is_image(binding.kind) {
                true => {
                    let stored = &memory.buffers[index];
                    match shape(&script.buffers[index], stored, binding.kind, bound) {
                        Ok((_, start)) => start,
                        Err(_) => continue,
                    }
                }
                false => bound.offset as usize,
            };
            let Some(after) = resources.buffer(resource).or_else(|| resources.image(resource))
            else {
                continue;
            };
            let after = match is_exchanged(&memory.buffers[index], binding.kind) {
                true => exchange(&after),
                false => after,
            };
            let Some(old) = before.iter().find(|(number, _)| *number == index) else { continue };
            let target = memory.buffers[index].bytes.iter_mut().zip(&old.1).skip(start);
            for ((byte, old), new) in target.zip(after) {
                if *old != new {
                    *byte = new;
                }
            }
        }
    }
}

impl Memory {
    /// Copies of the contents of the buffers that a pipeline can write, by their number.
    fn clone_written(&self, pipeline: &Pipeline) -> Vec<(usize, Vec<u8>)> {
        let written = pipeline.bindings.iter().filter(|binding| can_write(binding));
        let elements = written.flat_map(|binding| &binding.elements);
        let mut numbers: Vec<usize> = elements.filter_map(|bound| bound.buffer).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|number| (number, self.buffers[number].bytes.clone())).collect()
    }
}

/// The bytes of a buffer that a descriptor makes accessible.
fn range(stored: &Stored, bound: &Bound) -> Option<std::ops::Range<usize>> {
    let size = stored.bytes.len() as u64;
    let end = bound.range.map_or(Some(size), |range| bound.offset.checked_add(range))?;
    let valid = bound.offset < end && end <= size;
    valid.then_some(bound.offset as usize..end as usize)
}

/// Why a buffer cannot be an image.
enum ShapeError {
    Unsupported(String),
    Script(String),
}

impl ShapeError {
    fn into_failure(self, place: Place, buffer: &Buffer) -> Failure {
        match self {
            ShapeError::Unsupported(what) => Failure::unsupported(place, what),
            ShapeError::Script(message) => {
                Failure::script(place, format!("the buffer `{}`: {message}", buffer.name))
            }
        }
    }
}

/// The surface format of an image that shaders read. Depth is read as red; see [`depths`].
fn surface_format(format: &Format) -> Option<SurfaceFormat> {
    if !format.is_depth_stencil() {
        return format.surface();
    }
    match format.channel(Component::Depth)?.bits {
        16 => Some(SurfaceFormat::R16_UNORM),
        24 => Some(SurfaceFormat::R24_UNORM_X8_TYPELESS),
        _ => Some(SurfaceFormat::R32_FLOAT),
    }
}

/// The depths of texels as a surface without stencil values, which the hardware stores separately (from gen7 on). `None`
/// if the format has no depth.
fn depths(format: &Format, texels: &[u8]) -> Option<Vec<u8>> {
    let depth = format.channel(Component::Depth)?;
    let scalar = Scalar { kind: depth.kind, bits: depth.bits };
    let slot = Slot { bit: depth.shift.into(), scalar };
    let size = if depth.bits == 16 { 2 } else { 4 };
    let texels = texels.chunks_exact(format.bytes as usize);
    let one = |texel: &[u8]| load(texel, slot).unwrap_or(0).to_le_bytes();
    Some(texels.flat_map(|texel| one(texel).into_iter().take(size)).collect())
}

/// Whether an image is bound with red and blue exchanged: no shader can declare a storage image of the format
/// `B8G8R8A8_UNORM`, so it is bound as `R8G8B8A8_UNORM`.
fn is_exchanged(stored: &Stored, kind: Descriptor) -> bool {
    let image = stored.image.as_ref().filter(|_| kind == Descriptor::StorageImage);
    image.is_some_and(|image| image.format.surface() == Some(SurfaceFormat::B8G8R8A8_UNORM))
}

/// The texels with red and blue exchanged.
fn exchange(texels: &[u8]) -> Vec<u8> {
    texels.as_chunks::<4>().0.iter().flat_map(|[b, g, r, a]| [*r, *g, *b, *a]).collect()
}

/// The shape of a buffer as an image from a level on, and the first byte of that level.
fn shape(
    buffer: &Buffer,
    stored: &Stored,
    kind: Descriptor,
    bound: &Bound,
) -> Result<(ImageShape, usize), ShapeError> {
    let format = match &stored.image {
        Some(image) => Arc::clone(&image.format),
        None => {
            let format = buffer.ty.format();
            format.ok_or_else(|| ShapeError::Script("its type is no texel of an image".into()))?
        }
    };
    let surface = match is_exchanged(stored, kind) {
        true => Some(SurfaceFormat::R8G8B8A8_UNORM),
        false => surface_format(&format),
    };
    let surface = surface.ok_or_else(|| {
        ShapeError::Unsupported(format!("images with the format {}", format.name))
    })?;
    let is_texel_buffer = matches!(kind, Descriptor::UniformTexel | Descriptor::StorageTexel);
    let one_row = |texels: usize| {
        let (width, height, depth) = (texels as u32, 1, 1);
        ImageShape {
            dimension: ImageDimension::D1,
            format: surface,
            width,
            height,
            depth,
            levels: 1,
            samples: 1,
        }
    };
    let Some(image) = &stored.image else {
        let stride = buffer.layout.stride;
        if stride != u64::from(format.bytes) {
            return Err(ShapeError::Script(
                "its items have padding, which an image has not".into(),
            ));
        }
        if !is_texel_buffer {
            return Err(ShapeError::Script("it is no image: expected IMAGE or FORMAT".into()));
        }
        return Ok((one_row(stored.bytes.len() / format.bytes as usize), 0));
    };
    if is_texel_buffer {
        return Ok((one_row(stored.bytes.len() / format.bytes as usize), 0));
    }
    if image.samples != 1 && kind == Descriptor::StorageImage {
        return Err(ShapeError::Unsupported("multisampled storage images".into()));
    }
    let size = image.size.ok_or_else(|| ShapeError::Script("it has no size".into()))?;
    let dimension = match image.dimension {
        Dimension::D1 => ImageDimension::D1,
        Dimension::D2 => ImageDimension::D2,
        Dimension::D3 => ImageDimension::D3,
    };
    let whole = ImageShape {
        dimension,
        format: surface,
        width: size[0],
        height: size[1],
        depth: size[2],
        levels: image.levels,
        samples: image.samples,
    };
    let level = bound.level.min(image.levels - 1);
    let before = ImageShape { levels: level, ..whole };
    // Texels in memory may be larger than those of the surface.
    let texels = before.bytes() / u64::from(surface.bytes());
    let start = if level == 0 { 0 } else { (texels * u64::from(format.bytes)) as usize };
    let minify = |size: u32| (size >> level).max(1);
    let depth = if dimension == ImageDimension::D3 { minify(size[2]) } else { 1 };
    let levels = image.levels - level;
    let shape =
        ImageShape { width: minify(size[0]), height: minify(size[1]), depth, levels, ..whole };
    Ok((shape, start))
}

/// The emulator's state of a sampler.
fn sampler_state(sampler: &Sampler) -> SamplerState {
    SamplerState {
        magnify: sampler.magnify,
        minify: sampler.minify,
        mip: Filter::Nearest,
        address: sampler.address,
        normalized: sampler.normalized,
        compare: sampler.compare,
        border: sampler.border,
        lod: sampler.lod,
        anisotropy: 1.0,
    }
}
