//! The thread payload: what the registers hold when a thread starts.

use crate::ResourceRef;
use crate::json::{record, tagged, words};
use serde::{Deserialize, Serialize};

/// Bytes of one general register.
pub const GRF_BYTES: u32 = 32;

/// What a thread's registers hold when it starts.
///
/// r0 is filled by the hardware and the same for all programs of a stage. For compute:
/// r0.1, r0.6, r0.7 are the workgroup id, r0.5 the scratch base (bits 31:10) and the thread
/// id, r0.3 bits 3:0 the scratch size code, r0.2 the barrier id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ThreadPayload {
    /// Registers that hold the same constants in every thread of a workgroup, or of a draw
    /// call; absent if there are none (always for compute on gen7, which has only per-thread
    /// constants).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_thread: Option<GrfRange>,
    /// Registers whose contents differ from thread to thread. May stand before or after the
    /// cross-thread ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_thread: Option<GrfRange>,
    /// Local invocation ids that the driver supplies in the per-thread registers; absent if
    /// the code computes them from the subgroup id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_ids: Option<LocalIds>,
    /// What the bytes of the ranges above mean, later items over earlier ones. Bytes that no
    /// item covers hold 0.
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
    /// Offset of the first byte in the register file.
    pub const fn start(&self) -> u32 {
        self.first * GRF_BYTES
    }

    /// Offset of the byte after the last one.
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
    /// Place in the register file in bytes: 32 * register + byte.
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
    /// Three dwords: the workgroup id that the dispatch starts at.
    BaseWorkgroupId,
    /// Three dwords: the number of workgroups.
    NumWorkgroups,
    /// Three dwords: invocations of a workgroup in each dimension.
    LocalSize,
    /// Three dwords: invocations of the whole dispatch in each dimension.
    GlobalSize,
    /// Three dwords: what is added to global invocation ids.
    GlobalOffset,
    /// One dword: number of dimensions of the dispatch.
    WorkDimensions,
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
    /// A parameter of a storage image whose memory the code addresses itself.
    ImageParameter {
        /// The image.
        resource: ResourceRef,
        /// Which one.
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
    /// Two dwords: where the level and first layer begin, in texels and rows.
    Offset,
    /// Three dwords: the number of texels along each coordinate of the image. The layers of an
    /// array are its last coordinate (the second of one-dimensional arrays); the faces of cubes
    /// are layers. All are 0 for an image that is not bound.
    Size,
    /// Four dwords: bytes of a texel; texels from row to row; texels and rows from one slice or
    /// layer to the next. Before gen9 slices of a 3D image may lie side by side; otherwise they
    /// lie below each other and the third dword is 0.
    Stride,
    /// Three dwords: log2 of a tile's width in texels and height in rows, log2 of the number of
    /// 3D slices side by side. Linear: 0, 0. X: 512 bytes by 8 rows. Y: 16 bytes by 32 rows, the
    /// columns that its tiles are made of.
    Tiling,
    /// Two dwords: how far higher bits of the address are shifted right to be exclusive-ored
    /// into bit 6, where the memory controller does so (up to gen7.5): 3 for bit 9, 4 for bit
    /// 10, 31 or 255 for none.
    Swizzling,
}

record! {
    ThreadPayload { cross_thread, per_thread, local_ids, items: default }
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
        buffer_address => BufferAddress { resource },
        buffer_size => BufferSize { resource },
        constant_data_address => ConstantDataAddress,
        private_memory_address => PrivateMemoryAddress,
        image_parameter => ImageParameter { resource, parameter },
        literal => Literal { bytes: hex },
    }
}

words!(ImageParameter);
