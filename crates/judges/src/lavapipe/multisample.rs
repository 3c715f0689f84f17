//! Fills images that have several samples per texel, which copies cannot do: a compute shader stores each sample.

use super::images::BoundImage;
use super::objects::{DescriptorPool, MappedBuffer, Pipeline, PipelineParts};
use super::{Buffer, BufferKind, Dimension, Job, JobError, Lavapipe, Texture};
use crate::glslang::Glslang;

/// Stores each sample; the samples of a texel follow one another in the buffer.
const SHADER: &str = "#version 450
    layout(local_size_x = 1) in;
    layout(set = 0, binding = 0) readonly buffer Samples { vec4 samples[]; };
    layout(set = 0, binding = 1, rgba32f) writeonly uniform image2DMS image;
    void main() {
        ivec3 at = ivec3(gl_GlobalInvocationID);
        int texel = at.y * imageSize(image).x + at.x;
        imageStore(image, at.xy, at.z, samples[texel * imageSamples(image) + at.z]);
    }";

/// What fills one image.
pub(super) struct Fill<'d> {
    lavapipe: &'d Lavapipe,
    /// The descriptors of the shader, and the memory of each.
    bound: Vec<Buffer>,
    buffers: [MappedBuffer<'d>; 2],
    parts: PipelineParts<'d>,
    /// The image's place in the list of the job.
    image: usize,
    /// Workgroups of the shader: one for each sample.
    pub(super) groups: [u32; 3],
}

impl<'d> Fill<'d> {
    /// What fills those of the images that have several samples.
    ///
    /// # Errors
    ///
    /// If `glslangValidator` is absent or the image has another shape than the shader's, otherwise the Vulkan call that
    /// failed.
    pub(super) fn all(lavapipe: &'d Lavapipe, all: &[Buffer]) -> Result<Vec<Fill<'d>>, JobError> {
        let mut fills = Vec::new();
        for (image, buffer) in all.iter().enumerate() {
            match buffer.kind {
                BufferKind::Texture(texture) if texture.samples > 1 => {
                    fills.push(Fill::new(lavapipe, texture, &buffer.contents, image)?);
                }
                _ => {}
            }
        }
        Ok(fills)
    }

    fn new(
        lavapipe: &'d Lavapipe,
        texture: Texture,
        contents: &[u8],
        image: usize,
    ) -> Result<Fill<'d>, JobError> {
        let shape = texture.image;
        if (shape.dimension, shape.format, texture.levels) != (Dimension::D2, "rgba32f", 1) {
            let message = format!("{shape:?} cannot be filled with several samples");
            return Err(JobError::Interface(message));
        }
        let refused = |error: &dyn std::fmt::Display| JobError::Interface(error.to_string());
        let glslang = Glslang::find().map_err(|absent| refused(&absent.reason))?;
        let spirv = glslang.compile("comp", SHADER).map_err(|error| refused(&error))?;
        let binding =
            |binding, kind| Buffer { set: 0, binding, element: 0, kind, contents: Vec::new() };
        let bound = vec![binding(0, BufferKind::Storage), binding(1, BufferKind::Image(shape))];
        let buffers = [
            lavapipe.map(contents, BufferKind::Storage.usage())?,
            lavapipe.map(&[], BufferKind::Image(shape).usage())?,
        ];
        let parts = PipelineParts::new(&lavapipe.device, &job(&spirv, &bound), &spirv)?;
        let groups = [shape.size[0], shape.size[1], texture.samples];
        Ok(Fill { lavapipe, bound, buffers, parts, image, groups })
    }

    /// The pipeline of the shader.
    pub(super) fn pipeline(&self) -> Result<Pipeline<'_>, JobError> {
        Pipeline::new(&self.parts, &job(&[], &self.bound))
    }

    /// The descriptors of the shader; `images` are those of the job.
    pub(super) fn descriptors(
        &self,
        images: &[Option<BoundImage<'_>>],
    ) -> Result<DescriptorPool<'d>, JobError> {
        let (device, layouts) = (&self.lavapipe.device, &self.parts.layouts);
        let shown = [None, images[self.image].as_ref()];
        DescriptorPool::new(device, layouts, &self.bound, &self.buffers, &shown)
    }
}

/// A dispatch of the shader.
fn job<'a>(spirv: &'a [u32], bound: &[Buffer]) -> Job<'a> {
    let buffers = bound.to_vec();
    Job { spirv, entry: "main", spec: Vec::new(), push: Vec::new(), buffers, groups: [1; 3] }
}
