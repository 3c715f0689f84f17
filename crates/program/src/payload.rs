//! The thread payload: the contents of registers when a thread starts.

use crate::ResourceRef;
use crate::json::{record, tagged, words};
use serde::{Deserialize, Serialize};

/// Bytes of one general register.
pub const GRF_BYTES: u32 = 32;

/// The contents of a thread's registers when it starts.
///
/// The hardware fills r0, in the same way for all programs of a stage. For compute:
/// r0.1, r0.6, r0.7 are the workgroup id, r0.5 the scratch base (bits 31:10) and the thread
/// id, r0.3 bits 3:0 the scratch size code, r0.2 the barrier id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ThreadPayload {
    /// Registers that hold the same constants in every thread of a workgroup, or of a draw
    /// call; absent if there are none (always for compute on gen7, which has only per-thread
    /// constants).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_thread: Option<GrfRange>,
    /// Registers whose contents may differ between threads. They may be before or after the
    /// cross-thread ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_thread: Option<GrfRange>,
    /// Setup data of the attributes of a fragment shader, two registers for each attribute: four blocks of 16 bytes, one
    /// for each component. Dwords 0 and 1 of a block are the factors of both barycentric coordinates, dword 3 is the value
    /// at the first vertex, or at the provoking vertex for flat attributes. Absent if there are no attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<GrfRange>,
    /// Local invocation ids that the driver supplies in the per-thread registers; absent if
    /// the code computes them from the subgroup id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_ids: Option<LocalIds>,
    /// The contents of bytes in the ranges above. If items overlap, later items overwrite earlier
    /// ones. Bytes that no item covers contain 0.
    pub items: Vec<PayloadItem>,
}

/// Whole general registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GrfRange {
    /// First register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
}

impl GrfRange {
    /// Byte offset of the first register in the register file.
    pub const fn start(&self) -> u32 {
        self.first * GRF_BYTES
    }

    /// Byte offset of the end of the last register.
    pub const fn end(&self) -> u32 {
        (self.first + self.count) * GRF_BYTES
    }
}

/// Local invocation ids in the payload, one unsigned word per channel and dimension.
///
/// Channel `c` of thread `t` is the invocation with the flat index `t * simd_width + c`;
/// x runs fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LocalIds {
    /// Register of the x ids; y and z follow.
    pub first: u32,
    /// Registers of one dimension: 1 up to SIMD16, 2 in SIMD32.
    pub registers_per_dimension: u32,
    /// Number of dimensions present, 1 to 3.
    pub dimensions: u32,
}

/// Bytes of the payload with one meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PayloadItem {
    /// Byte offset in the register file: 32 * register + byte.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// What the bytes hold.
    pub content: Content,
}

/// What payload bytes hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Bytes of the user's push constants, from this byte on.
    PushConstant {
        /// First byte in the push constant block.
        offset: u32,
    },
    /// Bytes of a uniform buffer, from this byte on. Bytes past its end hold 0.
    UniformBuffer {
        /// The buffer.
        resource: ResourceRef,
        /// First byte.
        offset: u32,
    },
    /// One dword: the index of the thread in its workgroup.
    SubgroupId,
    /// Three dwords (x, y, z) that the code adds to the workgroup id of r0. They are 0 if the ids
    /// in r0 already include the first workgroup id of the dispatch, as in the emulator.
    BaseWorkgroupId,
    /// Three dwords: the number of workgroups in each dimension.
    NumWorkgroups,
    /// Three dwords: invocations of a workgroup in each dimension.
    LocalSize,
    /// Three dwords: invocations of the whole dispatch in each dimension.
    GlobalSize,
    /// Three dwords: a vector that the code adds to global invocation ids.
    GlobalOffset,
    /// One dword: number of dimensions of the dispatch.
    WorkDimensions,
    /// One dword: the number of the view that the draw call draws (multiview), 0 without views. The
    /// driver draws once for each view.
    ViewIndex,
    /// One dword: number of control points of an input patch.
    PatchVertices,
    /// A qword: the address of a buffer.
    BufferAddress {
        /// The buffer.
        resource: ResourceRef,
    },
    /// One dword: the size of a buffer in bytes.
    BufferSize {
        /// The buffer.
        resource: ResourceRef,
    },
    /// A qword: the address of the constant data.
    ConstantDataAddress,
    /// A qword: the address of private memory, see
    /// [`private_bytes_per_channel`](crate::Metadata::private_bytes_per_channel).
    PrivateMemoryAddress,
    /// A parameter of a storage image whose texel addresses the code computes itself.
    ImageParameter {
        /// The image.
        resource: ResourceRef,
        /// The parameter.
        parameter: ImageParameter,
    },
    /// Fixed bytes.
    Literal {
        /// The bytes, as hex text in JSON.
        #[serde(serialize_with = "crate::hex::serialize")]
        bytes: Vec<u8>,
    },
}

/// A parameter of a storage image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageParameter {
    /// Two dwords: the start of the level and first layer, in texels and rows.
    Offset,
    /// Three dwords: the number of texels along each coordinate of the image. The layers of an
    /// array are its last coordinate (the second of one-dimensional arrays); the faces of cubes
    /// are layers. All are 0 for an image that is not bound.
    Size,
    /// Four dwords: the size of a texel in bytes; the distance between rows in texels; the distance
    /// between slices or layers, in texels and in rows. Before gen9 the slices of a 3D image may be
    /// side by side; otherwise they are below each other and the third dword is 0.
    Stride,
    /// Three dwords: log2 of a tile's width in texels, log2 of its height in rows, log2 of the
    /// number of 3D slices side by side. Linear: width and height are 0. X: 512 bytes by 8 rows. Y:
    /// 16 bytes by 32 rows, which is one of the columns that a Y tile consists of.
    Tiling,
    /// Two dwords, for memory controllers that exclusive-or higher address bits into bit 6 (up to
    /// gen7.5): by how many bits each of these bits is shifted right. 3 for bit 9, 4 for bit 10, 31
    /// or 255 for none.
    Swizzling,
}

record! {
    ThreadPayload { cross_thread, per_thread, setup, local_ids, items: default }
    GrfRange { first, count }
    LocalIds { first, registers_per_dimension, dimensions }
    PayloadItem { offset, size, content }
}

tagged! {
    Content {
        push_constant => PushConstant { offset },
        uniform_buffer => UniformBuffer { resource, offset },
        subgroup_id => SubgroupId,
        base_workgroup_id => BaseWorkgroupId,
        num_workgroups => NumWorkgroups,
        local_size => LocalSize,
        global_size => GlobalSize,
        global_offset => GlobalOffset,
        work_dimensions => WorkDimensions,
        view_index => ViewIndex,
        patch_vertices => PatchVertices,
        buffer_address => BufferAddress { resource },
        buffer_size => BufferSize { resource },
        constant_data_address => ConstantDataAddress,
        private_memory_address => PrivateMemoryAddress,
        image_parameter => ImageParameter { resource, parameter },
        literal => Literal { bytes: hex },
    }
}

words!(ImageParameter);
