//! The thread payload, from the metadata alone.

use crate::exec::thread::Thread;
use crate::image::ImageShape;
use crate::load::CONSTANT_DATA_ADDRESS;
use crate::{EmuError, Options, Resources};
use crestline_program::{ComputeMetadata, Content, ImageParameter, Metadata, ResourceRef};
use std::collections::BTreeMap;

/// The bytes of the payload that are the same in all threads of a dispatch, and those that
/// differ.
pub(super) struct Payload<'a> {
    metadata: &'a Metadata,
    compute: ComputeMetadata,
    /// Register offset and bytes.
    fixed: Vec<(usize, Vec<u8>)>,
    /// Offsets of dwords that hold the subgroup id.
    subgroup_ids: Vec<usize>,
    scratch_code: u32,
}

/// What payload contents depend on.
pub(super) struct Inputs<'a> {
    pub(super) grid: [u32; 3],
    pub(super) options: &'a Options,
    pub(super) resources: &'a Resources,
    pub(super) addresses: &'a BTreeMap<ResourceRef, u64>,
    pub(super) private_base: u64,
}

fn dwords(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

impl<'a> Payload<'a> {
    pub(super) fn new(
        metadata: &'a Metadata,
        compute: ComputeMetadata,
        scratch_code: u32,
        inputs: &Inputs<'_>,
    ) -> Result<Payload<'a>, EmuError> {
        let mut payload = Payload {
            metadata,
            compute,
            fixed: Vec::new(),
            subgroup_ids: Vec::new(),
            scratch_code,
        };
        let ranges = [metadata.payload.cross_thread, metadata.payload.per_thread];
        for range in ranges.into_iter().flatten() {
            let size = (range.end() - range.start()) as usize;
            payload.fixed.push((range.start() as usize, vec![0; size]));
        }
        for item in &metadata.payload.items {
            if matches!(item.content, Content::SubgroupId) {
                payload.subgroup_ids.push(item.offset as usize);
            }
            let mut bytes = content(&item.content, item.size as usize, compute, inputs)?;
            bytes.resize(item.size as usize, 0);
            payload.fixed.push((item.offset as usize, bytes));
        }
        Ok(payload)
    }

    /// Writes the payload of a thread.
    pub(super) fn write(&self, t: &mut Thread, group: [u32; 3], subgroup: u32) {
        let r0 = [
            0,
            group[0],
            // The barrier id: one group at a time has it.
            0,
            self.scratch_code,
            0,
            t.scratch_base | t.thread_id,
            group[1],
            group[2],
        ];
        write(t, 0, &dwords(&r0));
        for (offset, bytes) in &self.fixed {
            write(t, *offset, bytes);
        }
        for &offset in &self.subgroup_ids {
            write(t, offset, &subgroup.to_le_bytes());
        }
        self.write_local_ids(t, subgroup);
    }

    fn write_local_ids(&self, t: &mut Thread, subgroup: u32) {
        let Some(ids) = self.metadata.payload.local_ids else { return };
        let width = self.metadata.simd_width;
        let [x, y, _] = self.compute.local_size;
        for dimension in 0..ids.dimensions {
            let registers = ids.registers_per_dimension;
            let start = (ids.first + dimension * registers) as usize * 32;
            let values: Vec<u8> = (0..width)
                .flat_map(|lane| {
                    let flat = subgroup * width + lane;
                    let id = match dimension {
                        0 => flat % x,
                        1 => flat / x % y,
                        _ => flat / x / y,
                    };
                    (id as u16).to_le_bytes()
                })
                .collect();
            write(t, start, &values);
        }
    }
}

fn write(t: &mut Thread, offset: usize, bytes: &[u8]) {
    t.registers.write(offset, bytes);
}

/// The bytes of one payload item.
fn content(
    content: &Content,
    size: usize,
    compute: ComputeMetadata,
    inputs: &Inputs<'_>,
) -> Result<Vec<u8>, EmuError> {
    let options = inputs.options;
    let address = |resource: &ResourceRef| {
        inputs.addresses.get(resource).copied().ok_or_else(|| EmuError::MissingResource {
            resource: *resource,
            needed_for: "a buffer address in the payload".into(),
        })
    };
    Ok(match content {
        Content::PushConstant { offset } => {
            let given = inputs.resources.push_constants();
            let start = *offset as usize;
            match given.get(start..start + size) {
                Some(bytes) => bytes.to_vec(),
                None => {
                    let needed = start + size;
                    return Err(EmuError::ShortPushConstants { given: given.len(), needed });
                }
            }
        }
        // Filled in per thread.
        Content::SubgroupId => vec![0; 4],
        Content::BaseWorkgroupId => dwords(&[0; 3]),
        Content::NumWorkgroups => dwords(&inputs.grid),
        Content::LocalSize => dwords(&compute.local_size),
        Content::GlobalSize => {
            let size: [u32; 3] =
                std::array::from_fn(|i| inputs.grid[i].wrapping_mul(compute.local_size[i]));
            dwords(&size)
        }
        Content::GlobalOffset => dwords(&options.global_offset),
        Content::WorkDimensions => {
            let dimensions = (1..=3).rev().find(|&n| inputs.grid[n - 1] > 1).unwrap_or(1);
            dwords(&[dimensions as u32])
        }
        Content::BufferAddress { resource } => address(resource)?.to_le_bytes().to_vec(),
        Content::BufferSize { resource } => match inputs.resources.get(*resource) {
            Some(buffer) => dwords(&[buffer.len() as u32]),
            None => {
                return Err(EmuError::MissingResource {
                    resource: *resource,
                    needed_for: "a buffer size in the payload".into(),
                });
            }
        },
        Content::ConstantDataAddress => CONSTANT_DATA_ADDRESS.to_le_bytes().to_vec(),
        Content::PrivateMemoryAddress => inputs.private_base.to_le_bytes().to_vec(),
        Content::Literal { bytes } => bytes.clone(),
        Content::ImageParameter { resource, parameter } => {
            let image =
                inputs.resources.get_image(*resource).ok_or_else(|| EmuError::MissingResource {
                    resource: *resource,
                    needed_for: "an image parameter in the payload".into(),
                })?;
            dwords(&image_parameter(&image.shape, *parameter))
        }
        other => {
            return Err(EmuError::Unsupported {
                instruction: 0,
                offset: 0,
                what: format!("payload content {other:?}"),
            });
        }
    })
}

/// A parameter of an image, whose memory is linear.
fn image_parameter(shape: &ImageShape, parameter: ImageParameter) -> Vec<u32> {
    let texel = shape.format.bytes();
    match parameter {
        ImageParameter::Offset => vec![0, 0],
        ImageParameter::Size => vec![shape.width, shape.height, shape.depth],
        ImageParameter::Stride => vec![texel, texel.wrapping_mul(shape.width), 1, shape.height],
        ImageParameter::Tiling => vec![0, 0, 0],
        ImageParameter::Swizzling => vec![255, 255],
        _ => Vec::new(),
    }
}
