//! What a driver would bind: buffers, images, samplers, push constants.

use crate::memory::Buffer;
use crestline_program::ResourceRef;
use std::collections::BTreeMap;

/// The resources of a dispatch.
#[derive(Debug, Default)]
pub struct Resources {
    buffers: BTreeMap<ResourceRef, Buffer>,
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

    pub(crate) fn push_constants(&self) -> &[u8] {
        &self.push_constants
    }
}
