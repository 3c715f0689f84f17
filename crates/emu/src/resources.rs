//! Resources that a driver binds: buffers, images, samplers, push constants.

use crate::EmuError;
use crate::attribute::Attribute;
use crate::buffer::Buffer;
use crate::image::{ImageDimension, ImageShape, texel_offset};
use crate::layout::{Layout, Placement};
use crate::sampler::SamplerState;
use crestline_device::{Codec, Compression, Sampler};
use crestline_program::ResourceRef;
use std::collections::{BTreeMap, BTreeSet};

/// Maximal size of an image in bytes.
const IMAGE_LIMIT: u64 = 1 << 30;

/// Checks that an image with several samples has a shape that such images can have.
fn check_samples(resource: ResourceRef, shape: &ImageShape) -> Result<(), EmuError> {
    let flat = matches!(shape.dimension, ImageDimension::D2 | ImageDimension::D2Array);
    match shape.samples {
        1 => Ok(()),
        2 | 4 | 8 | 16 if flat && shape.levels == 1 => Ok(()),
        samples => Err(EmuError::ImageSamples { resource, samples }),
    }
}

/// Checks that an image of a compressed format has a shape that such images can have. ETC2 and ASTC have no images of
/// three dimensions (Vulkan, "Required Format Support").
fn check_compressed(resource: ResourceRef, shape: &ImageShape) -> Result<(), EmuError> {
    let format = shape.format;
    let Some(Compression { codec, .. }) = format.info().compression else { return Ok(()) };
    let is_bc = matches!(
        codec,
        Codec::Bc1
            | Codec::Bc1Opaque
            | Codec::Bc2
            | Codec::Bc3
            | Codec::Bc4
            | Codec::Bc4Signed
            | Codec::Bc5
            | Codec::Bc5Signed
            | Codec::Bc6
            | Codec::Bc6Signed
            | Codec::Bc7
    );
    let expected = match shape.dimension {
        ImageDimension::D1 | ImageDimension::D1Array => "two or more dimensions",
        ImageDimension::D3 if !is_bc => "two dimensions or a cube",
        _ if shape.samples != 1 => "one sample",
        _ => return Ok(()),
    };
    Err(EmuError::CompressedImage { resource, format, expected })
}

/// For each texel of an image with one level: its offset when packed, and its offset in memory.
fn places(shape: &ImageShape, placement: &Placement) -> impl Iterator<Item = (usize, usize)> {
    let level = shape.level(0);
    let [width, height, depth] = shape.level_size(0).map(u64::from);
    (0..width * height * depth).filter_map(move |i| {
        let at = [i % width, i / width % height, i / width / height];
        let packed = texel_offset(&level?, at.map(|c| c as i64), shape.format.bytes())?;
        Some((packed as usize, placement.texel_offset(at) as usize))
    })
}

/// An image with its memory.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) shape: ImageShape,
    /// Memory layout of its only level; `None` if all its levels are tightly packed.
    pub(crate) placement: Option<Placement>,
    pub(crate) memory: Buffer,
}

/// The resources of a dispatch.
#[derive(Debug, Default)]
pub struct Resources {
    buffers: BTreeMap<ResourceRef, Buffer>,
    images: BTreeMap<ResourceRef, Image>,
    unbound: BTreeSet<ResourceRef>,
    samplers: BTreeMap<ResourceRef, SamplerState>,
    attributes: BTreeMap<u32, Attribute>,
    indices: Option<Vec<u32>>,
    push_constants: Vec<u8>,
    addresses: BTreeMap<ResourceRef, u64>,
}

/// The first address that [`Resources::assign_addresses`] gives. Scratch memory, which is also relative to the base of
/// stateless memory, is below.
const FIRST_ADDRESS: u64 = 0x1000_0000;

/// The distance from the end of a buffer to the next one is at least this, so that an access somewhat beyond the end of a
/// buffer is in no buffer. Also the alignment of the addresses.
pub(crate) const ADDRESS_GAP: u64 = 0x1_0000;

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
    /// [`EmuError::ImageTooLarge`] above 1 GiB, [`EmuError::ImageSamples`] for a number of samples that no such image has,
    /// [`EmuError::CompressedImage`] for a shape that no image of a compressed format has.
    pub fn set_image(
        &mut self,
        resource: ResourceRef,
        shape: ImageShape,
        contents: &[u8],
    ) -> Result<(), EmuError> {
        check_samples(resource, &shape)?;
        check_compressed(resource, &shape)?;
        let size = shape.bytes();
        if size > IMAGE_LIMIT {
            return Err(EmuError::ImageTooLarge { resource, size });
        }
        let mut bytes = contents.to_vec();
        bytes.resize(size as usize, 0);
        let memory = Buffer::new(&bytes);
        self.images.insert(resource, Image { shape, placement: None, memory });
        Ok(())
    }

    /// Binds an image of one level with the memory layout `layout`. The contents are
    /// tightly packed nevertheless, here and in [`image`](Self::image).
    ///
    /// # Errors
    /// [`EmuError::ImageTooLarge`] above 1 GiB of contents or memory, [`EmuError::ImageSamples`] for several samples,
    /// [`EmuError::CompressedImage`] for a compressed format.
    pub fn set_image_in(
        &mut self,
        resource: ResourceRef,
        shape: ImageShape,
        layout: Layout,
        contents: &[u8],
    ) -> Result<(), EmuError> {
        let shape = ImageShape { levels: 1, ..shape };
        if shape.samples != 1 {
            return Err(EmuError::ImageSamples { resource, samples: shape.samples });
        }
        if shape.format.info().compression.is_some() {
            let (format, expected) = (shape.format, "an image without tiling");
            return Err(EmuError::CompressedImage { resource, format, expected });
        }
        let placement = Placement::new(&shape, layout);
        let size = placement.bytes().max(shape.bytes());
        if size > IMAGE_LIMIT {
            return Err(EmuError::ImageTooLarge { resource, size });
        }
        // The bytes between texels are not zero, so that reads of them are visible in results.
        let mut bytes = vec![0xa5; placement.bytes() as usize];
        let texel = shape.format.bytes() as usize;
        for (packed, placed) in places(&shape, &placement) {
            let source = contents.get(packed..packed + texel).unwrap_or(&[]);
            bytes[placed..placed + texel].fill(0);
            bytes[placed..placed + source.len()].copy_from_slice(source);
        }
        let (placement, memory) = (Some(placement), Buffer::new(&bytes));
        self.images.insert(resource, Image { shape, placement, memory });
        Ok(())
    }

    /// Binds a null surface instead of an image.
    pub fn set_unbound_image(&mut self, resource: ResourceRef) {
        self.unbound.insert(resource);
    }

    /// The contents of an image, `None` if it was never bound.
    pub fn image(&self, resource: ResourceRef) -> Option<Vec<u8>> {
        let Image { shape, placement, memory } = self.images.get(&resource)?;
        let memory = memory.to_bytes();
        let Some(placement) = placement else { return Some(memory) };
        let mut contents = vec![0; shape.bytes() as usize];
        let texel = shape.format.bytes() as usize;
        for (packed, placed) in places(shape, placement) {
            contents[packed..packed + texel].copy_from_slice(&memory[placed..placed + texel]);
        }
        Some(contents)
    }

    /// Binds a sampler, or the sampler of a combined image and sampler.
    pub fn set_sampler(&mut self, resource: ResourceRef, sampler: Sampler) {
        self.samplers.insert(resource, sampler.into());
    }

    /// Like [`set_sampler`](Self::set_sampler), with all the state of a sampler.
    pub fn set_sampler_state(&mut self, resource: ResourceRef, state: SamplerState) {
        self.samplers.insert(resource, state);
    }

    /// Binds the vertex attribute of a location.
    pub fn set_attribute(&mut self, location: u32, attribute: Attribute) {
        self.attributes.insert(location, attribute);
    }

    /// Binds the index buffer of indexed draw calls: the index of each vertex.
    pub fn set_indices(&mut self, indices: Vec<u32>) {
        self.indices = Some(indices);
    }

    /// Places each buffer at an address of 32 bits, in order, for programs that access memory by addresses. Without this,
    /// the addresses of buffers have more than 32 bits.
    ///
    /// # Errors
    /// [`EmuError::AddressSpace`] if the buffers do not fit below 4 GiB.
    pub fn assign_addresses(&mut self) -> Result<(), EmuError> {
        let mut next = FIRST_ADDRESS;
        self.addresses.clear();
        for (&resource, buffer) in &self.buffers {
            self.addresses.insert(resource, next);
            next = (next + buffer.len() as u64 + ADDRESS_GAP).next_multiple_of(ADDRESS_GAP);
        }
        if next > 1 << 32 {
            self.addresses.clear();
            return Err(EmuError::AddressSpace { bytes: next });
        }
        Ok(())
    }

    /// The address of a buffer, once [`assign_addresses`](Self::assign_addresses) has placed it.
    pub fn address(&self, resource: ResourceRef) -> Option<u64> {
        self.addresses.get(&resource).copied()
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

    pub(crate) fn is_unbound(&self, resource: ResourceRef) -> bool {
        self.unbound.contains(&resource)
    }

    pub(crate) fn get_sampler(&self, resource: ResourceRef) -> Option<SamplerState> {
        self.samplers.get(&resource).copied()
    }

    pub(crate) fn get_attribute(&self, location: u32) -> Option<&Attribute> {
        self.attributes.get(&location)
    }

    pub(crate) fn indices(&self) -> Option<&[u32]> {
        self.indices.as_deref()
    }

    pub(crate) fn push_constants(&self) -> &[u8] {
        &self.push_constants
    }
}
