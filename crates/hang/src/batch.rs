//! Walks over a batch, packet by packet, and follows its jumps into other buffers.

use std::collections::{BTreeMap, BTreeSet};

use crate::tables::{self, Packet};
use crate::{Buffer, Dump};

/// The most packets of a batch that are read. Batches of drivers have some thousands.
const MAX_PACKETS: usize = 1 << 16;

/// The most dwords of a packet that are kept. No field lies behind them.
const KEPT_DWORDS: usize = 64;

/// The most no-ops that are counted as one step.
const MAX_NOOPS: usize = 1 << 12;

/// The most nested calls: the hardware has three levels of batches, from gen11 on.
const MAX_CALLS: usize = 3;

/// Addresses have 48 bits; the bits above repeat bit 47.
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/// The buffers of user space, by engine and address.
pub(crate) struct Memory<'d> {
    buffers: BTreeMap<(&'d str, u64), &'d Buffer>,
}

impl<'d> Memory<'d> {
    pub(crate) fn new(dump: &'d Dump) -> Memory<'d> {
        let mut buffers = BTreeMap::new();
        for buffer in dump.buffers.iter().filter(|buffer| buffer.is_of_user()) {
            let address = buffer.address & ADDRESS_BITS;
            buffers.entry((buffer.engine.as_str(), address)).or_insert(buffer);
        }
        Memory { buffers }
    }

    /// The buffer of an engine at an address, and the bytes from there to the end of the buffer.
    pub(crate) fn at(&self, engine: &str, address: u64) -> Option<(&'d Buffer, &'d [u8])> {
        let address = address & ADDRESS_BITS;
        let (&(owner, start), &buffer) = self.buffers.range(..=(engine, address)).next_back()?;
        let offset = usize::try_from(address - start.min(address)).ok()?;
        let bytes = buffer.bytes.get(offset..).filter(|bytes| !bytes.is_empty())?;
        (owner == engine).then_some((buffer, bytes))
    }
}

/// A packet of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The address of its header.
    pub(crate) address: u64,
    /// Its row; `None` if no packet has this header.
    pub(crate) packet: Option<&'static Packet>,
    /// Its first dwords, as far as the fields need them and the buffer has them.
    pub(crate) words: Vec<u32>,
    /// Number of its dwords; successive no-ops are one step.
    pub(crate) dwords: usize,
}

impl Step {
    /// The name, or an empty text.
    pub(crate) fn name(&self) -> &'static str {
        self.packet.map_or("", |packet| packet.name)
    }

    /// A field by its name.
    pub(crate) fn field(&self, name: &str, column: usize) -> Option<u64> {
        let field = self.packet?.fields().find(|field| field.name == name)?;
        field.value(&self.words, column)
    }

    /// Whether an address lies in it.
    pub(crate) fn contains(&self, address: u64) -> bool {
        let bytes = 4 * self.dwords as u64;
        address.checked_sub(self.address).is_some_and(|offset| offset < bytes)
    }
}

/// What a walk found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    /// The packets in the order of their execution.
    pub(crate) steps: Vec<Step>,
    /// Why the walk ended, if it did not reach the end of the batch.
    pub(crate) stopped: Option<String>,
}

/// Walks over a batch that starts at an address.
pub(crate) fn walk(memory: &Memory<'_>, engine: &str, start: u64, column: usize) -> Walk {
    let mut walk = Walk::default();
    let mut address = start & ADDRESS_BITS;
    let mut returns: Vec<u64> = Vec::new();
    // A jump without a return to the same place is an endless loop.
    let mut jumps = BTreeSet::new();
    walk.stopped = loop {
        let Some((_, bytes)) = memory.at(engine, address) else {
            break Some(format!("the error state has no buffer at {address:#x}"));
        };
        let (words, _) = bytes.as_chunks::<4>();
        let Some(&header) = words.first() else {
            break Some(format!("the buffer ends at {address:#x}"));
        };
        let header = u32::from_le_bytes(header);
        if walk.steps.len() == MAX_PACKETS {
            break Some(format!("only {MAX_PACKETS} packets are shown"));
        }
        let packet = tables::packet(header, column);
        let length = tables::length(header, packet);
        let shown = words
            .iter()
            .take(length.min(KEPT_DWORDS))
            .map(|&word| u32::from_le_bytes(word))
            .collect();
        let is_noop = |word: &&[u8; 4]| **word == [0; 4];
        let dwords = match header {
            0 => words.iter().take(MAX_NOOPS).take_while(is_noop).count(),
            _ => length,
        };
        let step = Step { address, packet, words: shown, dwords };
        let next = address + 4 * dwords as u64;
        let name = step.name();
        let target = step.field("Batch Buffer Start Address", column);
        let is_call = step.field("Second Level Batch Buffer", column) == Some(1);
        let is_conditional = step.field("Predication Enable", column) == Some(1);
        let is_whole = words.len() >= length;
        walk.steps.push(step);
        if !is_whole {
            break Some(format!("the buffer ends within the packet at {address:#x}"));
        }
        address = match (name, target) {
            ("MI_BATCH_BUFFER_END", _) => match returns.pop() {
                Some(back) => back,
                None => break None,
            },
            // The value of the predicate is not known.
            ("MI_BATCH_BUFFER_START", Some(_)) if is_conditional => next,
            ("MI_BATCH_BUFFER_START", Some(target)) if is_call => {
                if returns.len() == MAX_CALLS {
                    break Some(format!("more than {MAX_CALLS} nested batches at {address:#x}"));
                }
                returns.push(next);
                target & ADDRESS_BITS
            }
            ("MI_BATCH_BUFFER_START", Some(target)) => {
                if !jumps.insert((address, returns.clone())) {
                    break Some(format!("the batch is a loop: {address:#x} jumps back"));
                }
                target & ADDRESS_BITS
            }
            _ => next,
        };
    };
    walk
}
