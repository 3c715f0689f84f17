//! What the checker itself knows of instructions: nothing here is shared with allocation or spilling.

use crestline_device::Device;
use crestline_isa::message::{self as isa, Descriptor};

use crate::ir::{GRF_BYTES, Inst};

/// What a scratch block message does, read from the bits of its descriptor.
pub(super) struct ScratchBlock {
    /// Stores rather than fills.
    pub(super) write: bool,
    /// First unit of 32 bytes from the base in the header.
    pub(super) unit: u32,
    /// Registers transferred.
    pub(super) registers: u32,
}

/// The scratch block message of an instruction as the data port will read it.
///
/// # Errors
/// What it is instead, or which length does not fit.
pub(super) fn scratch_block(inst: &Inst, device: &Device) -> Result<ScratchBlock, String> {
    let message = inst.message.as_ref().ok_or("an inserted message has no description")?;
    let generation = device.generation();
    let bits = message.descriptor().encode(generation);
    let (sfid, desc, ex_desc) = bits.map_err(|error| format!("an inserted message: {error}"))?;
    let read = Descriptor::decode(generation, sfid, desc, ex_desc);
    let read = read.map_err(|error| format!("an inserted message: {error}"))?;
    let (write, registers, unit) = match read.message {
        isa::Message::ScratchBlockRead { registers, hword_offset, .. } => {
            (false, registers, hword_offset)
        }
        isa::Message::ScratchBlockWrite { registers, hword_offset, .. } => {
            (true, registers, hword_offset)
        }
        _ => return Err("an inserted message is no scratch block".into()),
    };
    let (payload, response) = if write { (1 + registers, 0) } else { (1, registers) };
    if read.mlen + read.ex_mlen != payload || read.rlen != response || !read.header_present {
        return Err("a scratch block's lengths are not those of its registers".into());
    }
    if message.response != u32::from(response) * GRF_BYTES {
        return Err("a scratch block writes another number of registers than it returns".into());
    }
    Ok(ScratchBlock { write, unit: unit.into(), registers: registers.into() })
}
