//! Where a thread finds what it is given, and puts what it gives: the compiler's half of the contract with the driver.
//!
//! The stage's layout (in the `crestline` crate) decides, writes the same facts into the program's metadata, and hands
//! them to selection in this form.

use std::collections::BTreeMap;

use crestline_ssa::ir::{BindingId, ImageParam};

use crate::stage::StageIo;

/// Offsets of payload values and indices of surfaces.
///
/// An offset in the payload is a byte offset in the register file: 32 * register + byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Registers that hold payload when a thread starts, r0 included: r0 to r(n - 1).
    pub payload_registers: u32,
    /// The push constants.
    pub push_constants: Option<PushConstants>,
    /// Ranges of uniform buffers that lie in the payload too (vec4 mode only).
    pub pushed_buffers: BTreeMap<BindingId, PushConstants>,
    /// The dword that holds the thread's index in its workgroup.
    pub subgroup_id: Option<u32>,
    /// The dwords that hold buffer sizes in bytes, by binding and array element.
    pub buffer_sizes: BTreeMap<(BindingId, u32), u32>,
    /// The pairs of dwords that hold buffer addresses, likewise.
    pub buffer_addresses: BTreeMap<(BindingId, u32), u32>,
    /// The dwords that hold image parameters, one after another: the first of each parameter of each array element. Those
    /// of an array's elements lie at equal distances.
    pub image_params: BTreeMap<(BindingId, ImageParam, u32), u32>,
    /// First binding table index of each binding; the elements of an array follow.
    pub surfaces: BTreeMap<BindingId, u8>,
    /// First sampler index of each binding; the elements of an array follow.
    pub samplers: BTreeMap<BindingId, u8>,
    /// Binding table index of the three dwords that tell the number of workgroups.
    pub num_workgroups: Option<u8>,
    /// Binding table index of the program's constant data.
    pub const_data: Option<u8>,
    /// Inputs and outputs of a stage of the geometry pipeline.
    pub io: StageIo,
    /// Whether selection forgets where the results of arithmetic are: to test that it finds out.
    #[cfg(feature = "testing")]
    pub forgets: bool,
}

impl Interface {
    /// See `forgets`.
    pub(crate) const fn forgets(&self) -> bool {
        #[cfg(feature = "testing")]
        return self.forgets;
        #[cfg(not(feature = "testing"))]
        false
    }
}

/// A range of the push constant block or of a uniform buffer, as it lies in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushConstants {
    /// Byte in the payload where the range begins.
    pub offset: u32,
    /// First byte of the range in the block or buffer, a multiple of 4; in vec4 mode one of 16, as `offset` is.
    pub first: u32,
    /// Bytes of the range, a multiple of 4.
    pub bytes: u32,
}
