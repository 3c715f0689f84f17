//! The binding table and the sampler table: the resources that indices in messages select.

use crate::MetadataError;
use crate::json::{Node, Read, record, tagged, words};
use crestline_device::SurfaceFormat;
use serde::{Deserialize, Serialize};

/// A resource of the shader's interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ResourceRef {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Element of a descriptor array; 0 for a single descriptor.
    pub element: u32,
}

impl std::fmt::Display for ResourceRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.set, self.binding)?;
        if self.element != 0 {
            write!(f, "[{}]", self.element)?;
        }
        Ok(())
    }
}

/// One entry of the binding table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BindingEntry {
    /// Binding table index (BTI), 0 to 239. The hardware reserves the others.
    pub index: u8,
    /// Content of the surface state at this index.
    pub surface: Surface,
}

/// Content of a binding table entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Surface {
    /// A null surface: reads give 0, writes are dropped.
    Null,
    /// A storage buffer as a raw surface whose size is the size of the buffer.
    StorageBuffer {
        /// The buffer.
        resource: ResourceRef,
    },
    /// The atomic counters of an OpenGL binding: a buffer as a raw surface, like a storage buffer.
    /// In OpenGL, the binding numbers of atomic counters are independent of those of storage
    /// buffers. The set is 0.
    AtomicCounters {
        /// The buffer.
        resource: ResourceRef,
    },
    /// A colour attachment of a fragment shader. Null if the attachment is not bound.
    RenderTarget {
        /// The number of the attachment.
        target: u8,
    },
    /// A uniform buffer. For data port messages it contains raw bytes. For sampler `ld` messages it
    /// contains R32G32B32A32_FLOAT texels with a pitch of one byte, so `u` is a byte offset.
    UniformBuffer {
        /// The buffer.
        resource: ResourceRef,
    },
    /// The program's [constant data](crate::Metadata::constant_data), accessible like a
    /// uniform buffer.
    ConstantData,
    /// Three dwords: the number of workgroups in x, y and z.
    NumWorkgroups,
    /// A buffer with fixed contents that the driver derives from the pipeline,
    /// accessible like a uniform buffer.
    Literal {
        /// The contents, as hex text in JSON.
        #[serde(serialize_with = "crate::hex::serialize")]
        bytes: Vec<u8>,
    },
    /// A texel buffer, read or written through typed messages or the sampler.
    TexelBuffer {
        /// The buffer.
        resource: ResourceRef,
        /// The format of the surface state.
        format: SurfaceFormat,
    },
    /// A storage image, or a storage texel buffer. An image that is read with one format and
    /// written with another has two entries.
    ///
    /// If no image is bound, the surface is null. With format `RAW` it is instead a buffer of one
    /// dword with any contents, because gen7 hangs on untyped accesses to other surfaces. The image
    /// parameters are then 0.
    StorageImage {
        /// The image.
        resource: ResourceRef,
        /// Kind of accesses through this entry.
        access: ImageAccess,
        /// The format of the surface state. `RAW`: the surface is a buffer of the whole image
        /// memory, and the code computes addresses in it from the image parameters of the payload.
        /// Absent: the format that the image was created with; the shader writes the image without
        /// a declared format.
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<SurfaceFormat>,
    },
    /// An image read through the sampler.
    SampledImage {
        /// The image.
        resource: ResourceRef,
        /// The format of the surface state; if absent, the format of the image.
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<SurfaceFormat>,
    },
}

impl Surface {
    /// The resource of the shader's interface; `None` for other surfaces.
    pub fn resource(&self) -> Option<ResourceRef> {
        match self {
            Surface::StorageBuffer { resource }
            | Surface::AtomicCounters { resource }
            | Surface::UniformBuffer { resource }
            | Surface::TexelBuffer { resource, .. }
            | Surface::StorageImage { resource, .. }
            | Surface::SampledImage { resource, .. } => Some(*resource),
            Surface::Null
            | Surface::ConstantData
            | Surface::NumWorkgroups
            | Surface::RenderTarget { .. }
            | Surface::Literal { .. } => None,
        }
    }
}

/// Kind of accesses through a storage image entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageAccess {
    /// Read only.
    Read,
    /// Written only.
    Write,
    /// Read, written or used by atomics.
    ReadWrite,
}

/// One entry of the sampler state table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SamplerEntry {
    /// Index in the sampler state table, as sampler messages use it.
    pub index: u8,
    /// The sampler, or the combined image and sampler.
    pub resource: ResourceRef,
}

record! {
    ResourceRef { set, binding, element: default }
    BindingEntry { index, surface }
    SamplerEntry { index, resource }
}

tagged! {
    Surface {
        null => Null,
        storage_buffer => StorageBuffer { resource },
        atomic_counters => AtomicCounters { resource },
        render_target => RenderTarget { target },
        uniform_buffer => UniformBuffer { resource },
        constant_data => ConstantData,
        num_workgroups => NumWorkgroups,
        literal => Literal { bytes: hex },
        texel_buffer => TexelBuffer { resource, format },
        storage_image => StorageImage { resource, access, format },
        sampled_image => SampledImage { resource, format },
    }
}

words!(ImageAccess);

impl Read for SurfaceFormat {
    fn read(node: Node<'_>) -> Result<SurfaceFormat, MetadataError> {
        let text = node.text().map_err(|_| node.expected("the name of a surface format"))?;
        text.parse().map_err(|_| node.expected("the name of a surface format"))
    }
}
