//! Copies between buffers and images that have several samples per texel, which Vulkan's copies cannot do: a compute shader
//! stores or reads each sample.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::images::BoundImage;
use super::objects::{DescriptorPool, MappedBuffer, Pipeline, PipelineParts};
use super::{Buffer, BufferKind, Dimension, Image, Job, JobError, Lavapipe, Texture};
use crate::glslang::Glslang;

/// Stores each sample. The samples of a texel follow one another in the buffer, each as four dwords. `#` is the format's prefix
/// of types, and `FORMAT` the format.
const STORE: &str = "#version 450
    layout(local_size_x = 1) in;
    layout(set = 0, binding = 0) readonly buffer Samples { #vec4 samples[]; };
    layout(set = 0, binding = 1, FORMAT) writeonly uniform #image2DMS image;
    void main() {
        ivec3 at = ivec3(gl_GlobalInvocationID);
        int texel = at.y * imageSize(image).x + at.x;
        imageStore(image, at.xy, at.z, samples[texel * imageSamples(image) + at.z]);
    }";

/// Reads each sample.
const READ: &str = "#version 450
    #extension GL_EXT_samplerless_texture_functions : require
    layout(local_size_x = 1) in;
    layout(set = 0, binding = 0) writeonly buffer Samples { #vec4 samples[]; };
    layout(set = 0, binding = 1) uniform #texture2DMS image;
    void main() {
        ivec3 at = ivec3(gl_GlobalInvocationID);
        int texel = at.y * textureSize(image).x + at.x;
        samples[texel * textureSamples(image) + at.z] = texelFetch(image, at.xy, at.z);
    }";

/// Bytes of a sample in the buffer.
const BYTES: usize = 16;

/// The copy of one image.
pub(super) struct Transfer<'d> {
    lavapipe: &'d Lavapipe,
    /// The descriptors of the shader, and the memory of each.
    bound: Vec<Buffer>,
    buffers: [MappedBuffer<'d>; 2],
    parts: PipelineParts<'d>,
    /// The image's place in the list of the job.
    image: usize,
    /// Bytes of a sample in the image.
    bytes: usize,
    /// Workgroups of the shader: one for each sample.
    groups: [u32; 3],
}

/// The descriptors and the pipeline of a copy.
pub(super) struct Ready<'t> {
    pipeline: Pipeline<'t>,
    descriptors: DescriptorPool<'t>,
    groups: [u32; 3],
}

impl Ready<'_> {
    /// Records the copy.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded, and the images of the job outlive its execution.
    pub(super) unsafe fn record(&self, commands: ash::vk::CommandBuffer) {
        // SAFETY: as the caller promises; the layout is that of the shader.
        unsafe { self.pipeline.dispatch(commands, &self.descriptors, self.groups) };
    }
}

impl<'d> Transfer<'d> {
    /// The copies that fill those textures that have several samples.
    ///
    /// # Errors
    ///
    /// As of [`store`](Self::store).
    pub(super) fn to_textures(
        lavapipe: &'d Lavapipe,
        all: &[Buffer],
    ) -> Result<Vec<Transfer<'d>>, JobError> {
        let mut fills = Vec::new();
        for (image, buffer) in all.iter().enumerate() {
            match buffer.kind {
                BufferKind::Texture(texture) if texture.samples > 1 => {
                    let (shape, samples) = (texture.image, texture.samples);
                    if texture.levels != 1 {
                        return Err(JobError::Interface("several levels and samples".to_owned()));
                    }
                    fills.push(Transfer::store(lavapipe, shape, samples, &buffer.contents, image)?);
                }
                _ => {}
            }
        }
        Ok(fills)
    }

    /// The copy of a buffer to an image, which is at that place in the list of the job.
    ///
    /// # Errors
    ///
    /// If `glslangValidator` is absent or the image has another shape than the shader's, otherwise the Vulkan call that
    /// failed.
    pub(super) fn store(
        lavapipe: &'d Lavapipe,
        shape: Image,
        samples: u32,
        contents: &[u8],
        image: usize,
    ) -> Result<Transfer<'d>, JobError> {
        let shader = STORE.replace("FORMAT", shape.format);
        let second = BufferKind::Image(shape);
        Transfer::new(lavapipe, &shader, (shape, samples), contents, second, image)
    }

    /// The copy of an image to a buffer.
    ///
    /// # Errors
    ///
    /// As of [`store`](Self::store).
    pub(super) fn read(
        lavapipe: &'d Lavapipe,
        shape: Image,
        samples: u32,
        image: usize,
    ) -> Result<Transfer<'d>, JobError> {
        let texels = shape.size.iter().map(|side| *side as usize).product::<usize>();
        let contents = vec![0; texels * samples as usize * BYTES];
        let second = BufferKind::Texture(Texture { samples, ..Texture::new(shape) });
        Transfer::new(lavapipe, READ, (shape, samples), &contents, second, image)
    }

    fn new(
        lavapipe: &'d Lavapipe,
        shader: &str,
        (shape, samples): (Image, u32),
        contents: &[u8],
        second: BufferKind,
        image: usize,
    ) -> Result<Transfer<'d>, JobError> {
        let (prefix, bytes) = match (shape.dimension, shape.format) {
            (Dimension::D2, "rgba32f") => ("", BYTES),
            (Dimension::D2, "rgba32ui") => ("u", BYTES),
            (Dimension::D2, "d32") => ("", 4),
            (Dimension::D2, "s8") => ("u", 1),
            _ => {
                let message = format!("{shape:?} cannot have several samples");
                return Err(JobError::Interface(message));
            }
        };
        let shader: Vec<String> = (shader.lines())
            .map(|line| match line.trim_start().starts_with('#') {
                true => line.to_owned(),
                false => line.replace('#', prefix),
            })
            .collect();
        let spirv = compile(shader.join("\n"))?;
        let binding =
            |binding, kind| Buffer { set: 0, binding, element: 0, kind, contents: Vec::new() };
        let bound = vec![binding(0, BufferKind::Storage), binding(1, second)];
        let buffers = [
            lavapipe.map(contents, BufferKind::Storage.usage())?,
            lavapipe.map(&[], second.usage())?,
        ];
        let parts = PipelineParts::new(&lavapipe.device, &job(&spirv, &bound), &spirv)?;
        let groups = [shape.size[0], shape.size[1], samples];
        Ok(Transfer { lavapipe, bound, buffers, parts, image, bytes, groups })
    }

    /// Makes the pipeline of the shader and its descriptors; `images` are those of the job.
    pub(super) fn ready(&self, images: &[Option<BoundImage<'_>>]) -> Result<Ready<'_>, JobError> {
        let pipeline = Pipeline::new(&self.parts, &job(&[], &self.bound))?;
        let (device, layouts) = (&self.lavapipe.device, &self.parts.layouts);
        let shown = [None, images[self.image].as_ref()];
        let descriptors = DescriptorPool::new(device, layouts, &self.bound, &self.buffers, &shown)?;
        Ok(Ready { pipeline, descriptors, groups: self.groups })
    }

    /// The texels that a copy of an image has read: the samples of a texel follow one another.
    pub(super) fn texels(&self) -> Vec<u8> {
        let samples = self.buffers[0].read();
        samples.chunks(BYTES).flat_map(|sample| &sample[..self.bytes]).copied().collect()
    }
}

/// Compiles a shader, once in a process.
fn compile(shader: String) -> Result<Vec<u32>, JobError> {
    static DONE: Mutex<BTreeMap<String, Vec<u32>>> = Mutex::new(BTreeMap::new());
    let refused = |error: &dyn std::fmt::Display| JobError::Interface(error.to_string());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(spirv) = done.get(&shader) {
        return Ok(spirv.clone());
    }
    let glslang = Glslang::find().map_err(|absent| refused(&absent.reason))?;
    let spirv = glslang.compile("comp", &shader).map_err(|error| refused(&error))?;
    done.insert(shader, spirv.clone());
    Ok(spirv)
}

/// A dispatch of the shader.
fn job<'a>(spirv: &'a [u32], bound: &[Buffer]) -> Job<'a> {
    let buffers = bound.to_vec();
    Job {
        spirv,
        entry: "main",
        spec: Vec::new(),
        push: Vec::new(),
        buffers,
        addresses: Vec::new(),
        groups: [1; 3],
    }
}
