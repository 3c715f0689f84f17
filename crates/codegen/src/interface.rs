//! The interface between a program and the driver: where a thread finds its inputs and which surfaces it uses.
//!
//! The stage layout in the `crestline` crate decides these positions. It writes them to the program's metadata for
//! the driver and passes them to instruction selection in this form.

use std::collections::BTreeMap;

use crestline_ssa::ir::{BindingId, ImageParam, Memory, Resource, SysVal};

use crate::stage::{FragmentStep, StageIo};

/// Offsets of values in the thread payload, and indices of surfaces and samplers.
///
/// An offset in the payload is a byte offset in the register file: 32 * register + byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Number of payload registers when a thread starts, r0 included: r0 to r(n - 1).
    pub payload_registers: u32,
    /// The range of the push constant block that is in the payload.
    pub push_constants: Option<PushConstants>,
    /// Ranges of uniform buffers that are in the payload too.
    pub pushed_buffers: BTreeMap<BindingId, Vec<PushConstants>>,
    /// Offset of the dword with the thread's index in its workgroup.
    pub subgroup_id: Option<u32>,
    /// Offsets of dwords with system values that are constants of a draw call.
    pub draw_values: BTreeMap<SysVal, u32>,
    /// Offsets of the dwords with buffer sizes in bytes, by binding and array element.
    pub buffer_sizes: BTreeMap<(BindingId, u32), u32>,
    /// Offsets of the pairs of dwords with buffer addresses, by binding and array element.
    pub buffer_addresses: BTreeMap<(BindingId, u32), u32>,
    /// Offsets of image parameters, by binding, parameter and array element. A parameter of several dwords has
    /// consecutive ones. The parameters of the elements of an array are at a constant distance.
    pub image_params: BTreeMap<(BindingId, ImageParam, u32), u32>,
    /// First binding table index of each binding; the elements of an array follow.
    pub surfaces: BTreeMap<BindingId, u8>,
    /// First sampler index of each binding; the elements of an array follow.
    pub samplers: BTreeMap<BindingId, u8>,
    /// Binding table index of the buffer with the number of workgroups (three dwords).
    pub num_workgroups: Option<u8>,
    /// Binding table index of the program's constant data.
    pub const_data: Option<u8>,
    /// Inputs and outputs of a stage other than compute.
    pub io: StageIo,
    /// For tests: whether selection deliberately loses the value locations of arithmetic results, which it must then
    /// detect.
    #[cfg(feature = "testing")]
    pub forgets: bool,
    /// For tests: the step of fragment shaders that selection deliberately leaves out.
    #[cfg(feature = "testing")]
    pub without: Option<FragmentStep>,
}

impl Interface {
    /// The range in the payload that has `bytes` bytes of a uniform buffer from byte `at` on, and the position of byte
    /// `at` in this range. `None` if they are not in the payload, or not in one range.
    pub(crate) fn pushed(
        &self,
        memory: &Memory,
        at: u32,
        bytes: u32,
    ) -> Option<(PushConstants, u32)> {
        let Memory::Ubo(Resource { binding, element: None }) = memory else { return None };
        self.pushed_buffers.get(binding)?.iter().find_map(|&range| {
            let at = at.checked_sub(range.first)?;
            (at.checked_add(bytes)? <= range.bytes).then_some((range, at))
        })
    }

    /// Whether selection does a step of fragment shaders; true without the `testing` feature.
    pub(crate) fn does(&self, step: FragmentStep) -> bool {
        #[cfg(feature = "testing")]
        return self.without != Some(step);
        #[cfg(not(feature = "testing"))]
        {
            let _ = step;
            true
        }
    }

    /// Whether the fault `forgets` is enabled; false without the `testing` feature.
    pub(crate) const fn forgets(&self) -> bool {
        #[cfg(feature = "testing")]
        return self.forgets;
        #[cfg(not(feature = "testing"))]
        false
    }
}

/// A range of the push constant block or of a uniform buffer that is in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushConstants {
    /// Byte offset in the payload at which the range begins.
    pub offset: u32,
    /// Byte offset in the block or buffer at which the range begins: a multiple of 4. In vec4 mode, `first` and
    /// `offset` are multiples of 16.
    pub first: u32,
    /// Size of the range in bytes, a multiple of 4.
    pub bytes: u32,
}
