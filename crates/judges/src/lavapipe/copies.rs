//! Clears and copies of images.

use std::sync::PoisonError;

use ash::vk;
use crestline_device::Filter;

use super::images::BoundImage;
use super::objects::{CommandPool, MappedBuffer};
use super::{FENCE_LIMIT, Image, JobError, Lavapipe};

/// An image with its contents: level after level, each layer after layer.
#[derive(Debug, Clone)]
pub struct Copied {
    /// The shape.
    pub image: Image,
    /// The number of levels.
    pub levels: u32,
    /// The contents.
    pub contents: Vec<u8>,
}

/// A box of texels of a level, from the first corner to the second one, which is not part of it. In the source of a scaled
/// copy, a corner may be larger than the second one. The third coordinate is the slice or layer.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The level.
    pub level: u32,
    /// Both corners.
    pub corners: [[u32; 3]; 2],
}

/// An operation on images, which have numbers.
#[derive(Debug, Clone, Copy)]
pub enum Transfer {
    /// Clears a whole level to the bits of a colour.
    Clear {
        /// The image.
        image: usize,
        /// The level.
        level: u32,
        /// The colour.
        colour: [u32; 4],
    },
    /// Copies texels to another image.
    Copy {
        /// The images.
        images: [usize; 2],
        /// The parts, of the same size.
        parts: [Part; 2],
    },
    /// Scales texels.
    Blit {
        /// The images; both may be the same.
        images: [usize; 2],
        /// The parts.
        parts: [Part; 2],
        /// The filter.
        filter: Filter,
    },
}

/// The layers of a part, and its corners without them.
fn layers(image: &Image, part: &Part) -> (vk::ImageSubresourceLayers, [vk::Offset3D; 2]) {
    let flat = image.dimension != super::Dimension::D3;
    let [first, last] = part.corners.map(|corner| corner[2]);
    let (base, count) = if flat { (first, last - first) } else { (0, 1) };
    let layers = vk::ImageSubresourceLayers::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .mip_level(part.level)
        .base_array_layer(base)
        .layer_count(count);
    let corner = |number: usize| {
        let [x, y, z] = part.corners[number].map(u32::cast_signed);
        vk::Offset3D { x, y, z: if flat { number as i32 } else { z } }
    };
    (layers, [corner(0), corner(1)])
}

impl Lavapipe {
    /// Runs operations one after another. Returns the contents of all images.
    ///
    /// # Errors
    ///
    /// [`JobError::Interface`] for contents of another size than their image, otherwise the Vulkan call that failed.
    pub fn transfer(
        &self,
        images: &[Copied],
        operations: &[Transfer],
    ) -> Result<Vec<Vec<u8>>, JobError> {
        let copied = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let mut made = Vec::new();
        let mut buffers: Vec<MappedBuffer<'_>> = Vec::new();
        for Copied { image, levels, contents } in images {
            if image.bytes(*levels) != Some(contents.len()) {
                let message = format!("{} bytes are no image {image:?}", contents.len());
                return Err(JobError::Interface(message));
            }
            made.push(Some(BoundImage::copied(&self.device, &self.memory, *image, *levels)?));
            buffers.push(self.map(contents, copied)?);
        }
        let handle = |number: usize| made[number].as_ref().map(BoundImage::handle);
        let handle = |number: usize| handle(number).unwrap_or_default();
        let commands = CommandPool::new(&self.device, self.queue_family)?;
        let general = vk::ImageLayout::GENERAL;
        let device = &self.device;
        let recorded = commands.record_between(&buffers, &made, |commands| {
            for operation in operations {
                // SAFETY: the images are live until `submit_and_wait` has returned, and in this layout.
                unsafe {
                    self.barrier(commands);
                    match *operation {
                        Transfer::Clear { image, level, colour } => {
                            let range = vk::ImageSubresourceRange::default()
                                .aspect_mask(vk::ImageAspectFlags::COLOR)
                                .base_mip_level(level)
                                .level_count(1)
                                .layer_count(vk::REMAINING_ARRAY_LAYERS);
                            let colour = vk::ClearColorValue { uint32: colour };
                            let to = handle(image);
                            device.cmd_clear_color_image(commands, to, general, &colour, &[range]);
                        }
                        Transfer::Copy { images: [from, to], parts: [source, target] } => {
                            let (source_layers, [start, end]) =
                                layers(&images[from].image, &source);
                            let (target_layers, [origin, _]) = layers(&images[to].image, &target);
                            let side = |from: i32, to: i32| (to - from).cast_unsigned();
                            let copy = vk::ImageCopy::default()
                                .src_subresource(source_layers)
                                .src_offset(start)
                                .dst_subresource(target_layers)
                                .dst_offset(origin)
                                .extent(vk::Extent3D {
                                    width: side(start.x, end.x),
                                    height: side(start.y, end.y),
                                    depth: side(start.z, end.z),
                                });
                            let (from, to) = (handle(from), handle(to));
                            device.cmd_copy_image(commands, from, general, to, general, &[copy]);
                        }
                        Transfer::Blit { images: [from, to], parts: [source, target], filter } => {
                            let (source_layers, source) = layers(&images[from].image, &source);
                            let (target_layers, target) = layers(&images[to].image, &target);
                            let blit = vk::ImageBlit::default()
                                .src_subresource(source_layers)
                                .src_offsets(source)
                                .dst_subresource(target_layers)
                                .dst_offsets(target);
                            let filter = match filter {
                                Filter::Nearest => vk::Filter::NEAREST,
                                Filter::Linear => vk::Filter::LINEAR,
                            };
                            let (from, to) = (handle(from), handle(to));
                            device.cmd_blit_image(
                                commands,
                                from,
                                general,
                                to,
                                general,
                                &[blit],
                                filter,
                            );
                        }
                    }
                    self.barrier(commands);
                }
            }
        })?;
        // A panic while holding the lock leaves the queue itself intact.
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        commands.submit_and_wait(*queue, recorded, FENCE_LIMIT)?;
        drop(queue);
        Ok(buffers.iter().map(MappedBuffer::read).collect())
    }
}
