//! Writes the thread payload that the metadata describe.

use crate::kernel::CONSTANT_DATA_ADDRESS;
use crate::resources::Image;
use crate::thread::Thread;
use crate::{EmuError, Options, Resources};
use crestline_program::{Content, ImageParameter, ResourceRef};
use std::collections::BTreeMap;

/// The bytes of the payload that are the same in all threads of a dispatch.
pub(super) struct Payload {
    /// Register offset and bytes.
    fixed: Vec<(usize, Vec<u8>)>,
    /// Offsets of dwords that hold the subgroup id.
    subgroup_ids: Vec<usize>,
    scratch_code: u32,
}

/// The numbers of a dispatch or draw call that the payload may contain.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    /// Workgroups.
    pub(super) grid: [u32; 3],
    /// Invocations of a workgroup.
    pub(super) local_size: [u32; 3],
    /// Control points of an input patch; 0 if the stage has no patches.
    pub(super) patch_vertices: u32,
}

impl Counts {
    /// The numbers of a draw call whose input patches have `patch_vertices` control points.
    pub(super) const fn draw(patch_vertices: u32) -> Counts {
        Counts { grid: [1; 3], local_size: [1; 3], patch_vertices }
    }
}

/// The values on which payload contents depend.
pub(super) struct Inputs<'a> {
    pub(super) counts: Counts,
    pub(super) options: &'a Options,
    pub(super) resources: &'a Resources,
    pub(super) addresses: &'a BTreeMap<ResourceRef, u64>,
    pub(super) private_base: u64,
}

pub(super) fn dwords(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

impl Payload {
    pub(super) fn new(
        layout: &crestline_program::ThreadPayload,
        scratch_code: u32,
        inputs: &Inputs<'_>,
    ) -> Result<Payload, EmuError> {
        let (fixed, subgroup_ids) = (Vec::new(), Vec::new());
        let mut payload = Payload { fixed, subgroup_ids, scratch_code };
        let ranges = [layout.cross_thread, layout.per_thread];
        for range in ranges.into_iter().flatten() {
            let size = (range.end() - range.start()) as usize;
            payload.fixed.push((range.start() as usize, vec![0; size]));
        }
        for item in &layout.items {
            if matches!(item.content, Content::SubgroupId) {
                payload.subgroup_ids.push(item.offset as usize);
            }
            let mut bytes = content(&item.content, item.size as usize, inputs)?;
            bytes.resize(item.size as usize, 0);
            payload.fixed.push((item.offset as usize, bytes));
        }
        Ok(payload)
    }

    /// Writes r0 and the items that the metadata describe. `own` are the dwords of r0 that depend on the stage: 0, 1,
    /// 2, 6 and 7.
    pub(super) fn write(&self, t: &mut Thread, own: [u32; 5], thread: u32) {
        let [first, second, third, sixth, seventh] = own;
        let scratch = t.scratch_base | t.thread_id;
        let r0 = [first, second, third, self.scratch_code, 0, scratch, sixth, seventh];
        t.registers.write_dwords(0, &r0);
        for (offset, bytes) in &self.fixed {
            t.registers.write(*offset, bytes);
        }
        for &offset in &self.subgroup_ids {
            t.registers.write(offset, &thread.to_le_bytes());
        }
    }
}

/// The bytes of one payload item.
fn content(content: &Content, size: usize, inputs: &Inputs<'_>) -> Result<Vec<u8>, EmuError> {
    let (options, counts) = (inputs.options, &inputs.counts);
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
        Content::UniformBuffer { resource, offset } => {
            let buffer =
                inputs.resources.get(*resource).ok_or_else(|| EmuError::MissingResource {
                    resource: *resource,
                    needed_for: "a uniform buffer in the payload".into(),
                })?;
            let bytes = buffer.to_bytes();
            let start = (*offset as usize).min(bytes.len());
            bytes[start..].iter().copied().take(size).collect()
        }
        // `Payload::write` writes it per thread.
        Content::SubgroupId => vec![0; 4],
        Content::BaseWorkgroupId => dwords(&[0; 3]),
        Content::NumWorkgroups => dwords(&counts.grid),
        Content::LocalSize => dwords(&counts.local_size),
        Content::GlobalSize => {
            let size: [u32; 3] =
                std::array::from_fn(|i| counts.grid[i].wrapping_mul(counts.local_size[i]));
            dwords(&size)
        }
        Content::GlobalOffset => dwords(&options.global_offset),
        Content::WorkDimensions => {
            let dimensions = (1..=3).rev().find(|&n| counts.grid[n - 1] > 1).unwrap_or(1);
            dwords(&[dimensions as u32])
        }
        Content::ViewIndex => dwords(&[options.view_index]),
        Content::PatchVertices => dwords(&[counts.patch_vertices]),
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
            if inputs.resources.is_unbound(*resource) {
                return Ok(Vec::new());
            }
            let image =
                inputs.resources.get_image(*resource).ok_or_else(|| EmuError::MissingResource {
                    resource: *resource,
                    needed_for: "an image parameter in the payload".into(),
                })?;
            dwords(&image_parameter(image, *parameter))
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

/// The dwords of an image parameter. A tightly packed image has rows and slices without gaps.
fn image_parameter(image: &Image, parameter: ImageParameter) -> Vec<u32> {
    let [width, height, _] = image.shape.level_size(0);
    let packed = [image.shape.format.bytes(), width, 0, height];
    let placement = image.placement.as_ref();
    match parameter {
        ImageParameter::Size => image.shape.extent().to_vec(),
        ImageParameter::Offset => placement.map_or([0; 2], |p| p.start()).to_vec(),
        ImageParameter::Stride => placement.map_or(packed, |p| p.strides()).to_vec(),
        ImageParameter::Tiling => placement.map_or([0; 3], |p| p.tile_logs()).to_vec(),
        ImageParameter::Swizzling => placement.map_or([255; 2], |p| p.swizzle_shifts()).to_vec(),
        _ => Vec::new(),
    }
}
