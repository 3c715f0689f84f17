//! Encoding and decoding of descriptors: the errors, and the fields that all messages have.

use super::walk::{DescriptorField, Walk, Word};
use super::{Descriptor, Message};
use crate::tables::Sfid;
use crestline_device::Gen;

/// Why a message does not encode or a descriptor does not decode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// A value does not fit its field.
    #[error("{field} is {value}, which does not fit in {bits} bits")]
    TooWide {
        /// Field.
        field: &'static str,
        /// Value.
        value: u32,
        /// Width of the field.
        bits: u32,
    },
    /// A named value has no code in this message.
    #[error("{field} cannot be {value} in this message on {generation}")]
    NoCode {
        /// Field.
        field: &'static str,
        /// Value, as Rust's debug output shows it.
        value: String,
        /// Generation.
        generation: Gen,
    },
    /// A code is reserved in this message.
    #[error("{field} has the reserved code {code} (descriptor {word}, bit {bit})")]
    BadCode {
        /// Field.
        field: &'static str,
        /// Code found.
        code: u32,
        /// `desc` or `ex_desc`.
        word: &'static str,
        /// Lowest bit of the field.
        bit: u32,
    },
    /// The generation has no such message or shared function.
    #[error("{message} does not exist on {generation}")]
    NoMessage {
        /// Message or shared function.
        message: &'static str,
        /// Generation.
        generation: Gen,
    },
    /// The message type is not assigned.
    #[error("{sfid} on {generation} has no message type {code}")]
    UnknownMessage {
        /// Shared function.
        sfid: &'static str,
        /// Generation.
        generation: Gen,
        /// Message type code.
        code: u32,
    },
    /// Bits are set that belong to no field.
    #[error("{word} has bits {bits:#010x} set, which {message} does not use")]
    StrayBits {
        /// `desc` or `ex_desc`.
        word: &'static str,
        /// The bits.
        bits: u32,
        /// Message.
        message: &'static str,
    },
}

pub(super) type Result<T> = std::result::Result<T, DescriptorError>;

/// Bits 5 and 3:0 of the extended descriptor. Software that builds extended descriptors in a
/// register may repeat the end-of-thread bit and the function id there.
const EX_DESC_REPEATED: u32 = 0x2f;

impl Descriptor {
    /// Decodes the descriptor and extended descriptor of a message.
    ///
    /// Ignores bits 5 and 3:0 of `ex_desc`: software that builds extended descriptors in a register
    /// may repeat the end-of-thread bit and the function id there.
    ///
    /// # Errors
    /// If the generation lacks the shared function or the message, a control has a reserved code,
    /// or a bit is set that belongs to no field of the message.
    pub fn decode(generation: Gen, sfid: Sfid, desc: u32, ex_desc: u32) -> Result<Descriptor> {
        let mut walk = Walk::decoder(generation, [desc, ex_desc & !EX_DESC_REPEATED]);
        Descriptor::read(&mut walk, sfid)
    }

    /// Lists the fields of a message's descriptors, in the order of words and of lowest bits.
    ///
    /// # Errors
    /// As [`Descriptor::decode`].
    pub fn explain(
        generation: Gen,
        sfid: Sfid,
        desc: u32,
        ex_desc: u32,
    ) -> Result<Vec<DescriptorField>> {
        let mut walk = Walk::decoder(generation, [desc, ex_desc & !EX_DESC_REPEATED]);
        walk.trace = Some(Vec::new());
        Descriptor::read(&mut walk, sfid)?;
        let mut fields = walk.trace.unwrap_or_default();
        fields.sort_by_key(|field| (field.word as u32, field.lo));
        Ok(fields)
    }

    /// Decodes with `walk`, which holds the descriptors.
    fn read(walk: &mut Walk, sfid: Sfid) -> Result<Descriptor> {
        // In assembly text the function may be one that the generation lacks.
        if sfid.bits(walk.generation).is_none() {
            let (message, generation) = (sfid.name(), walk.generation);
            return Err(DescriptorError::NoMessage { message, generation });
        }
        let desc = walk.words[Word::Desc as usize];
        let mut out = Descriptor {
            mlen: 0,
            ex_mlen: 0,
            rlen: 0,
            header_present: false,
            surface_offset: 0,
            message: Message::recognise(walk.generation, sfid, desc)?,
        };
        out.walk(walk)?;
        for word in [Word::Desc, Word::Ex] {
            let bits = walk.words[word as usize] & !walk.claimed[word as usize];
            if bits != 0 {
                let message = out.message.name();
                return Err(DescriptorError::StrayBits { word: word.name(), bits, message });
            }
        }
        Ok(out)
    }

    /// Encodes the message: returns shared function, descriptor and extended descriptor.
    ///
    /// # Errors
    /// If a value does not fit its field or the generation lacks the message or a control.
    pub fn encode(&self, generation: Gen) -> Result<(Sfid, u32, u32)> {
        let sfid = self.message.sfid(generation)?;
        let mut copy = self.clone();
        let mut walk = Walk::encoder(generation);
        copy.walk(&mut walk)?;
        let [desc, ex_desc] = walk.words;
        Ok((sfid, desc, ex_desc))
    }

    /// Visits every field, which decodes or encodes it: the lengths first, then the fields of the
    /// message.
    fn walk(&mut self, w: &mut Walk) -> Result<()> {
        let generation = w.generation;
        if generation < Gen::Gen5 {
            w.num("message length", Word::Desc, 23, 20, &mut self.mlen)?;
            w.num("response length", Word::Desc, 19, 16, &mut self.rlen)?;
            if w.encode {
                w.absent("omitted header", !self.header_present)?;
            }
            self.header_present = true;
        } else {
            w.num("message length", Word::Desc, 28, 25, &mut self.mlen)?;
            w.num("response length", Word::Desc, 24, 20, &mut self.rlen)?;
            if self.message.is_lsc() {
                w.absent("header", self.header_present)?;
            } else {
                w.flag("header present", 19, &mut self.header_present)?;
            }
        }
        match generation {
            Gen::Gen9 | Gen::Gen11 => {
                w.num("second message length", Word::Ex, 9, 6, &mut self.ex_mlen)?;
            }
            Gen::Gen12 | Gen::Gen125 => {
                w.num("second message length", Word::Ex, 10, 6, &mut self.ex_mlen)?;
            }
            _ => w.absent("second message length", self.ex_mlen != 0)?,
        }
        let owns_offset = self.message.is_lsc()
            || generation >= Gen::Gen11
                && matches!(self.message, Message::RenderTargetWrite { .. });
        if generation >= Gen::Gen9 && !owns_offset {
            w.bits("surface offset", Word::Ex, 31, 12, &mut self.surface_offset)?;
        } else {
            w.absent("surface offset", self.surface_offset != 0)?;
        }
        self.message.walk(w)
    }
}
