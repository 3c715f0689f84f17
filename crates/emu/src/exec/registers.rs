//! The registers of one thread as one array of bytes.
//!
//! General registers come first, so the byte address of `r7` byte 4 is 7 * 32 + 4; the
//! architecture registers follow at fixed places. Operands of both kinds are therefore plain
//! byte offsets that are known when a program is loaded. One bit per byte tells whether it was
//! ever written in this thread.

use crestline_isa::ArfKind;

/// Bytes of the general register file.
pub(crate) const GRF_END: usize = 128 * 32;
/// What the null register reads: zeros.
const NULL: usize = GRF_END;
const ADDRESS: usize = NULL + 256;
/// f0 and f1, four bytes each.
pub(crate) const FLAG: usize = ADDRESS + 32;
const CHANNEL_ENABLE: usize = FLAG + 32;
/// sr0: four dwords; dword 2 and 3 are the dispatch and vector masks.
pub(crate) const STATE: usize = CHANNEL_ENABLE + 32;
/// cr0: float modes in dword 0.
pub(crate) const CONTROL: usize = STATE + 32;
/// n0, the barrier notification count.
pub(crate) const NOTIFICATION: usize = CONTROL + 32;
const IP: usize = NOTIFICATION + 32;
const TIMESTAMP: usize = IP + 32;
/// Registers nobody models: they hold what is written to them.
const OTHER: usize = TIMESTAMP + 32;
/// acc0 to acc9; from acc2 on they are the mme registers.
pub(crate) const ACCUMULATOR: usize = OTHER + 32;
/// End of the array; a multiple of 64.
pub(crate) const END: usize = (ACCUMULATOR + 10 * 32).next_multiple_of(64);
const WORDS: usize = END / 64;

/// The value of bytes that were never written, chosen to be conspicuous and to be NaN in no
/// float type.
const POISON: u8 = 0xcd;

/// Offset of an architecture register, or `None` if the emulator has no such register.
pub(crate) fn arf_offset(kind: ArfKind, number: u8) -> Option<usize> {
    let number = usize::from(number);
    match kind {
        ArfKind::Null => Some(NULL),
        ArfKind::Address if number == 0 => Some(ADDRESS),
        ArfKind::Accumulator if number < 10 => Some(ACCUMULATOR + number * 32),
        ArfKind::Flag if number < 2 => Some(FLAG + number * 4),
        ArfKind::ChannelEnable if number == 0 => Some(CHANNEL_ENABLE),
        ArfKind::State if number == 0 => Some(STATE),
        ArfKind::Control if number == 0 => Some(CONTROL),
        ArfKind::Notification if number == 0 => Some(NOTIFICATION),
        ArfKind::Ip if number == 0 => Some(IP),
        ArfKind::Timestamp if number == 0 => Some(TIMESTAMP),
        ArfKind::ThreadDep | ArfKind::StackPointer | ArfKind::MessageControl => Some(OTHER),
        _ => None,
    }
}

/// The name of the register that holds a byte, for messages: `r7.4`, offsets in bytes.
pub(crate) fn name_of(offset: usize) -> String {
    if offset < GRF_END {
        return format!("r{}.{}", offset / 32, offset % 32);
    }
    if offset >= ACCUMULATOR {
        let within = offset - ACCUMULATOR;
        return format!("acc{}.{}", within / 32, within % 32);
    }
    let places = [
        (OTHER, "other"),
        (TIMESTAMP, "tm0"),
        (IP, "ip"),
        (NOTIFICATION, "n0"),
        (CONTROL, "cr0"),
        (STATE, "sr0"),
        (CHANNEL_ENABLE, "ce0"),
        (FLAG + 4, "f1"),
        (FLAG, "f0"),
        (ADDRESS, "a0"),
        (NULL, "null"),
    ];
    let (start, name) =
        places.into_iter().find(|(start, _)| offset >= *start).unwrap_or((offset, "?"));
    format!("{name}.{}", offset - start)
}

/// A set of bytes of the register array that lie in two neighbouring 64-byte words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet {
    word: u16,
    masks: [u64; 2],
}

impl ByteSet {
    /// The set of `size` bytes from each offset, or `None` if they do not fit two words.
    pub(crate) fn of(offsets: impl Iterator<Item = usize> + Clone, size: usize) -> Option<ByteSet> {
        let Some(lowest) = offsets.clone().min() else { return Some(ByteSet::default()) };
        let word = (lowest / 64).min(WORDS - 2);
        let mut masks = [0u64; 2];
        for offset in offsets {
            for byte in offset..offset + size {
                let index = (byte / 64).checked_sub(word)?;
                *masks.get_mut(index)? |= 1 << (byte % 64);
            }
        }
        Some(ByteSet { word: word as u16, masks })
    }
}

/// The register array with its written bits.
#[derive(Clone)]
pub(crate) struct Registers {
    bytes: Box<[u8; END]>,
    written: [u64; WORDS],
}

impl Registers {
    pub(crate) fn new() -> Registers {
        let mut registers = Registers { bytes: Box::new([POISON; END]), written: [0; WORDS] };
        registers.reset();
        registers
    }

    /// Forgets everything, as at thread start before the payload arrives.
    pub(crate) fn reset(&mut self) {
        self.bytes.fill(POISON);
        self.written = [0; WORDS];
        for (start, end) in [(NULL, ADDRESS), (CHANNEL_ENABLE, ACCUMULATOR)] {
            self.bytes[start..end].fill(0);
            self.mark_written(start, end - start);
        }
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8; END] {
        &self.bytes
    }

    #[inline(always)]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; END] {
        &mut self.bytes
    }

    /// `N` bytes from an offset. Offsets come from operands that were checked when loading.
    #[inline(always)]
    pub(crate) fn get<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut value = [0; N];
        value.copy_from_slice(&self.bytes[offset..offset + N]);
        value
    }

    #[inline(always)]
    pub(crate) fn u32(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.get(offset))
    }

    /// Writes bytes and marks them written.
    #[inline(always)]
    pub(crate) fn set<const N: usize>(&mut self, offset: usize, value: [u8; N]) {
        self.bytes[offset..offset + N].copy_from_slice(&value);
        // An element never crosses a 64-byte word unless a program is misaligned.
        if offset % 64 + N <= 64 {
            self.written[offset / 64] |= (u64::MAX >> (64 - N)) << (offset % 64);
        } else {
            self.mark_written(offset, N);
        }
    }

    pub(crate) fn mark_written(&mut self, offset: usize, size: usize) {
        for byte in offset..offset + size {
            self.written[byte / 64] |= 1 << (byte % 64);
        }
    }

    /// Whether each byte of a set was written.
    #[inline(always)]
    pub(crate) fn is_written(&self, set: &ByteSet) -> bool {
        let word = usize::from(set.word);
        self.written[word] & set.masks[0] == set.masks[0]
            && self.written[word + 1] & set.masks[1] == set.masks[1]
    }

    #[inline(always)]
    pub(crate) fn mark_set(&mut self, set: &ByteSet) {
        let word = usize::from(set.word);
        self.written[word] |= set.masks[0];
        self.written[word + 1] |= set.masks[1];
    }

    /// The first byte of a range that was never written.
    pub(crate) fn first_unwritten(&self, offset: usize, size: usize) -> Option<usize> {
        (offset..offset + size).find(|byte| self.written[byte / 64] >> (byte % 64) & 1 == 0)
    }

    /// Whether each bit of a flag register mask lies in a written byte.
    #[inline(always)]
    pub(crate) fn flags_written(&self, bits: u64) -> bool {
        let written = self.written[FLAG / 64] >> (FLAG % 64);
        (0..8).all(|byte| bits >> (byte * 8) & 0xff == 0 || written >> byte & 1 == 1)
    }

    /// f0 in the low, f1 in the high half.
    #[inline(always)]
    pub(crate) fn flags(&self) -> u64 {
        u64::from_le_bytes(self.get(FLAG))
    }

    /// Replaces the flag bits of `mask` by those of `value`.
    #[inline(always)]
    pub(crate) fn set_flags(&mut self, value: u64, mask: u64) {
        let merged = self.flags() & !mask | value & mask;
        self.bytes[FLAG..FLAG + 8].copy_from_slice(&merged.to_le_bytes());
        let mut written = 0u64;
        for byte in 0..8 {
            written |= u64::from(mask >> (byte * 8) & 0xff != 0) << byte;
        }
        self.written[FLAG / 64] |= written << (FLAG % 64);
    }

    #[inline(always)]
    pub(crate) fn address(&self, subregister: usize) -> u16 {
        u16::from_le_bytes(self.get(ADDRESS + 2 * subregister))
    }

    /// The offset of an address subregister.
    pub(crate) fn address_offset(subregister: usize) -> usize {
        ADDRESS + 2 * subregister
    }

    pub(crate) fn set_state(&mut self, offset: usize, value: u32) {
        self.set(offset, value.to_le_bytes());
    }

    /// The channel enables that ce0 reads.
    pub(crate) fn set_channel_enable(&mut self, value: u32) {
        self.set_state(CHANNEL_ENABLE, value);
    }

    /// The instruction pointer in bytes, and the time.
    pub(crate) fn set_ip_and_time(&mut self, ip: u32, time: u64) {
        self.set_state(IP, ip);
        self.set(TIMESTAMP, time.to_le_bytes());
    }
}

/// Whether an offset lies in a register whose contents must be brought up to date before it
/// is read.
pub(crate) fn is_live_state(offset: usize) -> bool {
    (CHANNEL_ENABLE..STATE).contains(&offset) || (IP..OTHER).contains(&offset)
}

/// Whether an offset lies in cr0.
pub(crate) fn is_control(offset: usize) -> bool {
    (CONTROL..NOTIFICATION).contains(&offset)
}

/// Whether an offset lies in an accumulator.
pub(crate) fn is_accumulator(offset: usize) -> bool {
    (ACCUMULATOR..END).contains(&offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_bits_follow_the_bytes() {
        let mut registers = Registers::new();
        let set = ByteSet::of([60usize, 64].into_iter(), 4).unwrap();
        assert!(!registers.is_written(&set));
        registers.set(60, [1u8; 8]);
        assert!(registers.is_written(&set));
        assert_eq!(registers.first_unwritten(60, 9), Some(68));
        assert_eq!(ByteSet::of([0usize, 128].into_iter(), 4), None);
    }

    #[test]
    fn flags_are_written_bytewise() {
        let mut registers = Registers::new();
        assert!(!registers.flags_written(1));
        registers.set_flags(u64::MAX, 0xff << 16);
        assert!(registers.flags_written(0x80 << 16) && !registers.flags_written(0x8000_0000));
        assert_eq!(registers.flags() >> 16 & 0xff, 0xff);
        assert_eq!(name_of(FLAG + 2), "f0.2");
        assert_eq!(name_of(7 * 32 + 4), "r7.4");
    }
}
