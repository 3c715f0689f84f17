//! Buffers, images and other memories, with bounds checks.

use std::collections::BTreeMap;

use super::{Image, InterpError};
use crate::ir::{Binding, BindingId, BindingKind, InstId, Shader};
use crestline_device::Sampler;

/// Identifies a bound resource by descriptor set, binding number and array element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferKey {
    /// Descriptor set.
    pub set: u32,
    /// Binding number in the set.
    pub binding: u32,
    /// Element of a descriptor array; 0 if the binding is no array.
    pub element: u32,
}

/// The resources that are bound to a shader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    /// Contents of buffers. A run changes storage buffers.
    pub buffers: BTreeMap<BufferKey, Vec<u8>>,
    /// Images. A run changes storage images. A texel buffer is an image of one row.
    pub images: BTreeMap<BufferKey, Image>,
    /// Samplers, including those combined with textures. A default sampler is used if one is missing.
    pub samplers: BTreeMap<BufferKey, Sampler>,
    /// Push constants. Reads beyond their end are out of bounds.
    pub push_constants: Vec<u8>,
    /// Addresses of buffers. A buffer with an address need not belong to a binding of the shader. The buffers must not
    /// overlap.
    pub addresses: BTreeMap<BufferKey, u64>,
}

impl Resources {
    /// Binds a buffer to a binding that is no array.
    pub fn bind(&mut self, set: u32, binding: u32, bytes: Vec<u8>) {
        self.buffers.insert(BufferKey { set, binding, element: 0 }, bytes);
    }

    /// Binds an image to a binding that is no array.
    pub fn bind_image(&mut self, set: u32, binding: u32, image: Image) {
        self.images.insert(BufferKey { set, binding, element: 0 }, image);
    }

    /// The image at a binding that is no array; `None` if there is none.
    pub fn image(&self, set: u32, binding: u32) -> Option<&Image> {
        self.images.get(&BufferKey { set, binding, element: 0 })
    }

    /// The contents of the buffer at a binding that is no array; `None` if there is none.
    pub fn buffer(&self, set: u32, binding: u32) -> Option<&[u8]> {
        self.buffers.get(&BufferKey { set, binding, element: 0 }).map(Vec::as_slice)
    }
}

/// An access out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The instruction.
    pub inst: InstId,
    /// The workgroup.
    pub group: [u32; 3],
    /// The invocation's index in its workgroup.
    pub invocation: u32,
    /// The byte offset of the component accessed; for an access by address outside all buffers, the address.
    pub offset: u64,
    /// The size of the memory in bytes; 0 outside all buffers.
    pub size: u64,
}

/// The memories that all workgroups access.
#[derive(Debug)]
pub(super) struct Memories {
    buffers: Vec<(BufferKey, Vec<u8>)>,
    images: Vec<(BufferKey, Image)>,
    samplers: BTreeMap<BufferKey, Sampler>,
    /// For each binding: its key, with element 0.
    places: Vec<BufferKey>,
    /// For each binding: the buffers or images of its elements, as indices into `buffers` or `images`.
    bindings: Vec<BTreeMap<u32, usize>>,
    /// The buffers with addresses, as indices into `buffers`, by address.
    addresses: BTreeMap<u64, usize>,
    push_constants: Vec<u8>,
    const_data: Vec<u8>,
}

impl Memories {
    /// Moves the buffers and images that the shader uses out of `resources`. Fails if a binding that is no array has no
    /// resource.
    pub(super) fn bind(shader: &Shader, resources: &mut Resources) -> Result<Self, InterpError> {
        let mut memories = Memories {
            buffers: Vec::new(),
            images: Vec::new(),
            samplers: resources.samplers.clone(),
            places: Vec::new(),
            bindings: Vec::new(),
            addresses: BTreeMap::new(),
            push_constants: resources.push_constants.clone(),
            const_data: shader.const_data.clone(),
        };
        for binding in &shader.bindings {
            let first = BufferKey { set: binding.set, binding: binding.binding, element: 0 };
            memories.places.push(first);
            let (image, buffer) =
                (resources.images.contains_key(&first), resources.buffers.contains_key(&first));
            let here = |other: &&Binding| (other.set, other.binding) == (first.set, first.binding);
            let bound = match binding.kind {
                BindingKind::Sampler => true,
                // If several bindings of different kinds have the same set and number, only one of them needs a
                // resource.
                _ if image || buffer => {
                    is_image(binding.kind) == image
                        || shader.bindings.iter().filter(here).count() > 1
                }
                _ => false,
            };
            if binding.count.is_none() && !bound {
                let name = binding.name.clone();
                return Err(InterpError::MissingBinding {
                    set: binding.set,
                    binding: binding.binding,
                    name,
                });
            }
        }
        // Several bindings may refer to the same resource.
        let (mut images, mut buffers) = (BTreeMap::new(), BTreeMap::new());
        for binding in &shader.bindings {
            let key = |element| BufferKey { set: binding.set, binding: binding.binding, element };
            let last = if binding.count.is_some() { u32::MAX } else { 0 };
            if is_image(binding.kind) {
                let keys: Vec<_> =
                    resources.images.range(key(0)..=key(last)).map(|(k, _)| *k).collect();
                for key in keys {
                    if let Some(image) = resources.images.remove(&key) {
                        images.insert(key, memories.images.len());
                        memories.images.push((key, image));
                    }
                }
                let elements = images.range(key(0)..=key(last));
                memories.bindings.push(elements.map(|(key, &at)| (key.element, at)).collect());
                continue;
            }
            let keys: Vec<_> =
                resources.buffers.range(key(0)..=key(last)).map(|(k, _)| *k).collect();
            for key in keys {
                if let Some(bytes) = resources.buffers.remove(&key) {
                    buffers.insert(key, memories.buffers.len());
                    memories.buffers.push((key, bytes));
                }
            }
            let elements = buffers.range(key(0)..=key(last));
            memories.bindings.push(elements.map(|(key, &at)| (key.element, at)).collect());
        }
        for (key, &address) in &resources.addresses {
            if let Some(bytes) = resources.buffers.remove(key) {
                buffers.insert(*key, memories.buffers.len());
                memories.buffers.push((*key, bytes));
            }
            if let Some(&index) = buffers.get(key) {
                memories.addresses.insert(address, index);
            }
        }
        Ok(memories)
    }

    /// Moves the buffers and images back to `resources`.
    pub(super) fn unbind(self, resources: &mut Resources) {
        resources.buffers.extend(self.buffers);
        resources.images.extend(self.images);
    }

    /// The image at an element of a binding; `None` if none is bound.
    pub(super) fn image(&mut self, binding: BindingId, element: u32) -> Option<&mut Image> {
        let index = *self.bindings.get(binding.index())?.get(&element)?;
        self.images.get_mut(index).map(|(_, image)| image)
    }

    /// The sampler at an element of a binding; the default sampler if none is bound.
    pub(super) fn sampler(&self, binding: BindingId, element: u32) -> Sampler {
        let place = self.places.get(binding.index()).map(|&key| BufferKey { element, ..key });
        place.and_then(|key| self.samplers.get(&key)).copied().unwrap_or_default()
    }

    /// The buffer at an element of a binding; empty if none is bound.
    pub(super) fn buffer(&mut self, binding: BindingId, element: u32) -> &mut [u8] {
        let index = self.bindings.get(binding.index()).and_then(|b| b.get(&element));
        match index {
            Some(&index) => &mut self.buffers[index].1,
            None => &mut [],
        }
    }

    /// The buffer that contains an address, and the offset of the address in it; `None` if there is none.
    pub(super) fn global(&mut self, address: u64) -> Option<(&mut [u8], u64)> {
        let (&start, &index) = self.addresses.range(..=address).next_back()?;
        let bytes = &mut self.buffers.get_mut(index)?.1;
        let offset = address - start;
        (offset < bytes.len() as u64).then_some((bytes, offset))
    }

    pub(super) fn push_constants(&mut self) -> &mut [u8] {
        &mut self.push_constants
    }

    pub(super) fn const_data(&mut self) -> &mut [u8] {
        &mut self.const_data
    }
}

/// Whether a binding holds images rather than buffers.
fn is_image(kind: BindingKind) -> bool {
    matches!(kind, BindingKind::Image(_) | BindingKind::Texture(_))
}

/// The number of `size` (at most 8) bytes at `offset`; `None` out of bounds.
pub(super) fn read(bytes: &[u8], offset: u64, size: u32) -> Option<u64> {
    let mut number = [0; 8];
    number[..size as usize].copy_from_slice(range(bytes, offset, size).map(|r| &bytes[r])?);
    Some(u64::from_le_bytes(number))
}

/// Writes the low `size` (at most 8) bytes of a number at `offset`. `None`, without a change, out of bounds.
pub(super) fn write(bytes: &mut [u8], offset: u64, size: u32, number: u64) -> Option<()> {
    let range = range(bytes, offset, size)?;
    bytes[range].copy_from_slice(&number.to_le_bytes()[..size as usize]);
    Some(())
}

/// The range of `size` bytes at `offset`; `None` out of bounds.
fn range(bytes: &[u8], offset: u64, size: u32) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(size as usize)?;
    (end <= bytes.len()).then_some(start..end)
}
