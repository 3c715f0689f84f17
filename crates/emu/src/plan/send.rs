//! The plan of a SEND: the message, and the registers that it reads and writes.

use crestline_device::Gen;
use crestline_isa::Sfid;
use crestline_isa::message::Descriptor;

/// A SEND.
#[derive(Clone, Debug)]
pub(crate) struct Send {
    pub(crate) sfid: Sfid,
    /// The message, if its descriptor is an immediate.
    pub(crate) descriptor: Option<Descriptor>,
    /// The dword of a0 that contains the descriptor, if it is not an immediate.
    pub(crate) descriptor_register: Option<u8>,
    pub(crate) ex_desc: u32,
    pub(crate) generation: Gen,
    /// Byte offsets of the first and second payload.
    pub(crate) payload: [usize; 2],
    /// Byte offset of the response.
    pub(crate) response: Option<usize>,
    pub(crate) ends_thread: bool,
    /// The lowest register at which the payload of a thread's last message may start.
    pub(crate) first_eot_register: u32,
    /// Whether the parameters of the sampler's `ld` have the level before the second coordinate.
    pub(crate) level_precedes_v: bool,
}

impl Send {
    /// Byte offset and size in bytes of the payloads. The size is 0 if the descriptor is in a register, because it is
    /// not known before execution.
    pub(crate) fn payloads(&self) -> [(usize, usize); 2] {
        let lengths = self.descriptor.as_ref().map_or([0; 2], |d| [d.mlen, d.ex_mlen]);
        [0, 1].map(|i| (self.payload[i], usize::from(lengths[i]) * 32))
    }

    /// Byte offset and size in bytes of the response. The size is 0 if the descriptor is in a register.
    pub(crate) fn response_bytes(&self) -> Option<(usize, usize)> {
        let length = self.descriptor.as_ref().map_or(0, |descriptor| descriptor.rlen);
        self.response.map(|start| (start, usize::from(length) * 32))
    }
}
