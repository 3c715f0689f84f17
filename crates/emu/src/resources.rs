//! What a driver would bind: buffers, images, samplers, push constants.

use crate::EmuError;
use crate::attribute::Attribute;
use crate::image::{Image, ImageShape, Sampler};
use crate::memory::Buffer;
use crestline_program::ResourceRef;
use std::collections::BTreeMap;

/// The resources of a dispatch.
#[derive(Debug, Default)]
pub struct Resources {
    buffers: BTreeMap<ResourceRef, Buffer>,
    images: BTreeMap<ResourceRef, Image>,
    samplers: BTreeMap<ResourceRef, Sampler>,
    attributes: BTreeMap<u32, Attribute>,
    push_constants: Vec<u8>,
}

impl Resources {
    /// No resources.
    pub fn new() -> Resources {
        Resources::default()
    }

    /// Binds a buffer with its contents; its size in bytes is the size of the surface.
    pub fn set_buffer(&mut self, resource: ResourceRef, contents: &[u8]) {
        self.buffers.insert(resource, Buffer::new(contents));
    }

    /// The contents of a buffer, `None` if it was never bound.
    pub fn buffer(&self, resource: ResourceRef) -> Option<Vec<u8>> {
        self.buffers.get(&resource).map(Buffer::to_bytes)
    }

    /// Binds an image with its contents, tightly packed as [`ImageShape`] says; missing bytes
    /// are zero, further ones are dropped.
    ///
    /// # Errors
    /// [`EmuError::ImageTooLarge`] above 1 GiB.
    pub fn set_image(
        &mut self,
        resource: ResourceRef,
        shape: ImageShape,
        contents: &[u8],
    ) -> Result<(), EmuError> {
        const LIMIT: u64 = 1 << 30;
        let size = shape.bytes();
        if size > LIMIT {
            return Err(EmuError::ImageTooLarge { resource, size });
        }
        let mut bytes = contents.to_vec();
        bytes.resize(size as usize, 0);
        self.images.insert(resource, Image { shape, memory: Buffer::new(&bytes) });
        Ok(())
    }

    /// The contents of an image, `None` if it was never bound.
    pub fn image(&self, resource: ResourceRef) -> Option<Vec<u8>> {
        self.images.get(&resource).map(|image| image.memory.to_bytes())
    }

    /// Binds a sampler, or the sampler of a combined image and sampler.
    pub fn set_sampler(&mut self, resource: ResourceRef, sampler: Sampler) {
        self.samplers.insert(resource, sampler);
    }

    /// Binds the vertex attribute of a location.
    pub fn set_attribute(&mut self, location: u32, attribute: Attribute) {
        self.attributes.insert(location, attribute);
    }

    /// The buffers bound, in order.
    pub fn buffers(&self) -> impl Iterator<Item = ResourceRef> {
        self.buffers.keys().copied()
    }

    /// Sets the bytes of the push constant block.
    pub fn set_push_constants(&mut self, bytes: &[u8]) {
        self.push_constants = bytes.to_vec();
    }

    pub(crate) fn get(&self, resource: ResourceRef) -> Option<&Buffer> {
        self.buffers.get(&resource)
    }

    pub(crate) fn get_image(&self, resource: ResourceRef) -> Option<&Image> {
        self.images.get(&resource)
    }

    pub(crate) fn get_sampler(&self, resource: ResourceRef) -> Option<Sampler> {
        self.samplers.get(&resource).copied()
    }

    pub(crate) fn get_attribute(&self, location: u32) -> Option<&Attribute> {
        self.attributes.get(&location)
    }

    pub(crate) fn push_constants(&self) -> &[u8] {
        &self.push_constants
    }
}
