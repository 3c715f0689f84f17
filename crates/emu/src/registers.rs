//! The registers of one thread as one array.
//!
//! Positions are byte offsets. The array holds dwords, because most operands consist of dwords. General registers come
//! first, so the offset of `r7` byte 4 is 7 * 32 + 4. The architecture registers follow at fixed offsets. So operands
//! of both kinds are byte offsets that are known when a program is loaded. One bit per byte records whether the thread
//! has written the byte.

use crestline_isa::ArfKind;

/// Bytes of the general register file.
pub(crate) const GRF_END: usize = 128 * 32;
/// The null register. Its contents are zeros.
const NULL: usize = GRF_END;
/// a0: sixteen words.
pub(crate) const ADDRESS: usize = NULL + 256;
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
/// Registers that the emulator does not model: reads return what was written to them.
const OTHER: usize = TIMESTAMP + 32;
/// acc0 to acc9; from acc2 on they are the mme registers.
pub(crate) const ACCUMULATOR: usize = OTHER + 32;
/// End of the registers.
pub(crate) const LAST: usize = ACCUMULATOR + 10 * 32;
/// End of the array: a multiple of 64, with an unused 64-byte word at the end.
pub(crate) const END: usize = LAST.next_multiple_of(64) + 64;
const WORDS: usize = END / 64;

/// The value of dwords that were never written, chosen to be conspicuous and to be NaN in no
/// float type.
const POISON: u32 = 0xcdcd_cdcd;

/// For each mask of eight channels, the mask of the bytes of their packed dwords.
const SPREAD: [u32; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut lane = 0;
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set] |= 15 << (4 * lane);
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

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

/// A set of bytes of the register array that spans at most two neighbouring 64-byte words, or [`ByteSet::SPREAD`] for
/// a set that spans more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet {
    word: u16,
    masks: [u64; 2],
}

impl ByteSet {
    /// The set for bytes that span more than two words. It contains bytes of the unused last word, so
    /// [`Registers::is_written`] is always false for it.
    const SPREAD: ByteSet = ByteSet { word: WORDS as u16 - 2, masks: [0, u64::MAX] };

    /// The set of the `size` bytes from each offset on.
    pub(crate) fn of(offsets: impl Iterator<Item = usize> + Clone, size: usize) -> ByteSet {
        let Some(lowest) = offsets.clone().min() else { return ByteSet::default() };
        let word = lowest / 64;
        let mut masks = [0u64; 2];
        for offset in offsets {
            for byte in offset..offset + size {
                match masks.get_mut(byte / 64 - word) {
                    Some(mask) => *mask |= 1 << (byte % 64),
                    None => return ByteSet::SPREAD,
                }
            }
        }
        ByteSet { word: word as u16, masks }
    }

    /// Whether the set spans more than two words, so that its bytes are not known.
    pub(crate) fn is_spread(&self) -> bool {
        *self == ByteSet::SPREAD
    }
}

/// The register array, with one bit per byte that records whether the byte was written.
#[derive(Clone)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct Registers {
    words: Box<[u32; END / 4]>,
    written: [u64; WORDS],
    /// The flag bits that were written; f1 in the high half.
    flags_written: u64,
}

impl Registers {
    pub(crate) fn new() -> Registers {
        let mut registers =
            Registers { words: Box::new([POISON; END / 4]), written: [0; WORDS], flags_written: 0 };
        registers.reset();
        registers
    }

    /// Resets all registers to their state before the thread payload is written.
    pub(crate) fn reset(&mut self) {
        // Dwords that were never written have their initial value.
        for (dwords, written) in self.words.as_chunks_mut().0.iter_mut().zip(&mut self.written) {
            if *written != 0 {
                *dwords = [POISON; 16];
                *written = 0;
            }
        }
        debug_assert!(self.words.iter().all(|dword| *dword == POISON));
        self.flags_written = 0;
        for (start, end) in [(NULL, ADDRESS), (CHANNEL_ENABLE, ACCUMULATOR)] {
            self.words[start / 4..end / 4].fill(0);
            self.mark_written(start, end - start);
        }
    }

    /// All dwords, in the order of their offsets.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32; END / 4] {
        &self.words
    }

    #[inline(always)]
    pub(crate) fn words_mut(&mut self) -> &mut [u32; END / 4] {
        &mut self.words
    }

    /// `N` dwords from an offset that is a multiple of 4. Decoding has checked that the operand is inside the array.
    #[inline(always)]
    pub(crate) fn packed<const N: usize>(&self, offset: usize) -> [u32; N] {
        match self.words[offset / 4..].first_chunk() {
            Some(words) => *words,
            None => [POISON; N],
        }
    }

    /// Copies `N` dwords from an offset that is a multiple of 4. Decoding has checked that the operand is inside the array.
    #[inline(always)]
    pub(crate) fn copy_packed<const N: usize>(&self, offset: usize, to: &mut [u32; N]) {
        if let Some(words) = self.words[offset / 4..].first_chunk() {
            *to = *words;
        }
    }

    /// `size` bytes (1, 2, 4 or 8) from an offset as a number. Decoding has checked that the operand is inside the
    /// array.
    #[inline(always)]
    pub(crate) fn bits(&self, offset: usize, size: usize) -> u64 {
        let (word, shift) = (offset / 4, offset % 4 * 8);
        let low = u64::from(self.words[word]);
        if shift + 8 * size <= 32 {
            return low >> shift & u64::MAX >> (64 - 8 * size);
        }
        let mut bits = u128::from(low) | u128::from(self.words[word + 1]) << 32;
        if shift + 8 * size > 64 {
            bits |= u128::from(self.words[word + 2]) << 64;
        }
        (bits >> shift) as u64 & u64::MAX >> (64 - 8 * size)
    }

    #[inline(always)]
    pub(crate) fn u32(&self, offset: usize) -> u32 {
        self.bits(offset, 4) as u32
    }

    /// Writes the low `size` bytes (1, 2, 4 or 8) of a number and marks them written.
    #[inline(always)]
    pub(crate) fn set(&mut self, offset: usize, size: usize, value: u64) {
        let (word, shift) = (offset / 4, offset % 4 * 8);
        if shift == 0 && size >= 4 {
            self.words[word] = value as u32;
            if size == 8 {
                self.words[word + 1] = (value >> 32) as u32;
            }
        } else {
            let mask = u128::from(u64::MAX >> (64 - 8 * size)) << shift;
            let value = u128::from(value) << shift & mask;
            for part in 0..3 {
                let (mask, value) = ((mask >> (32 * part)) as u32, (value >> (32 * part)) as u32);
                if mask != 0 {
                    let word = &mut self.words[word + part];
                    *word = *word & !mask | value;
                }
            }
        }
        // An element crosses a 64-byte word only if the program's operand is misaligned.
        if offset % 64 + size <= 64 {
            self.written[offset / 64] |= (u64::MAX >> (64 - size)) << (offset % 64);
        } else {
            self.mark_written(offset, size);
        }
    }

    /// Writes bytes and marks them written.
    pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) {
        let (dwords, rest) = bytes.as_chunks::<4>();
        if !offset.is_multiple_of(4) || !rest.is_empty() {
            for (i, byte) in bytes.iter().enumerate() {
                self.set(offset + i, 1, u64::from(*byte));
            }
            return;
        }
        for (word, bytes) in self.words[offset / 4..].iter_mut().zip(dwords) {
            *word = u32::from_le_bytes(*bytes);
        }
        self.mark_written(offset, bytes.len());
    }

    /// Writes dwords from an offset that is a multiple of 4, and marks them written.
    pub(crate) fn write_dwords(&mut self, offset: usize, dwords: &[u32]) {
        self.words[offset / 4..][..dwords.len()].copy_from_slice(dwords);
        self.mark_written(offset, 4 * dwords.len());
    }

    /// Marks the dwords of the channels in `mask` as written. Channel 0 is at `offset` (a multiple of 4), the others
    /// follow.
    #[inline(always)]
    pub(crate) fn mark_lanes(&mut self, offset: usize, mask: u32) {
        for group in 0..4 {
            let lanes = mask >> (8 * group) & 0xff;
            if lanes == 0 {
                continue;
            }
            let offset = offset + 32 * group;
            let bytes = u128::from(SPREAD[lanes as usize]) << (offset % 64);
            self.written[offset / 64] |= bytes as u64;
            if bytes >> 64 != 0 {
                self.written[offset / 64 + 1] |= (bytes >> 64) as u64;
            }
        }
    }

    /// Whether the dwords of the channels in `mask` were all written. Channel 0 is at `offset` (a multiple of 4), the others
    /// follow.
    #[inline(always)]
    pub(crate) fn lanes_written(&self, offset: usize, mask: u32) -> bool {
        (0..4).all(|group| {
            let lanes = mask >> (8 * group) & 0xff;
            let offset = offset + 32 * group;
            let bytes = u128::from(SPREAD[lanes as usize]) << (offset % 64);
            let (low, high) = (bytes as u64, (bytes >> 64) as u64);
            lanes == 0
                || self.written[offset / 64] & low == low
                    && (high == 0 || self.written[offset / 64 + 1] & high == high)
        })
    }

    /// Writes the dwords of the channels in `mask` (of the first eight), and marks them written. Channel 0 is at `offset` (a
    /// multiple of 4), the others follow.
    #[inline(always)]
    pub(crate) fn set_lanes(&mut self, offset: usize, mask: u32, values: &[u32; 8]) {
        let Some(words) = self.words[offset / 4..].first_chunk_mut::<8>() else { return };
        if mask & 0xff == 0xff {
            *words = *values;
        } else {
            for (lane, word) in words.iter_mut().enumerate() {
                if mask >> lane & 1 == 1 {
                    *word = values[lane];
                }
            }
        }
        self.mark_lanes(offset, mask & 0xff);
    }

    /// Makes an aligned dword count as never written.
    pub(crate) fn forget(&mut self, offset: usize) {
        self.words[offset / 4] = POISON;
        self.written[offset / 64] &= !(0xf << (offset % 64));
    }

    /// Marks `size` bytes from an offset as written.
    pub(crate) fn mark_written(&mut self, offset: usize, size: usize) {
        let mut byte = offset;
        while byte < offset + size {
            let length = (64 - byte % 64).min(offset + size - byte);
            self.written[byte / 64] |= (u64::MAX >> (64 - length)) << (byte % 64);
            byte += length;
        }
    }

    /// Whether all bytes of a set were written; false for a set that spans more than two words.
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

    /// Whether `size` bytes (at most 8) from an offset were all written.
    #[inline(always)]
    pub(crate) fn all_written(&self, offset: usize, size: usize) -> bool {
        let (word, bit) = (offset / 64, offset % 64);
        if bit + size <= 64 {
            let mask = (u64::MAX >> (64 - size)) << bit;
            self.written[word] & mask == mask
        } else {
            self.first_unwritten(offset, size).is_none()
        }
    }

    /// The first byte of a range that was never written; `None` if all were.
    pub(crate) fn first_unwritten(&self, offset: usize, size: usize) -> Option<usize> {
        (offset..offset + size).find(|byte| self.written[byte / 64] >> (byte % 64) & 1 == 0)
    }

    /// The subset of the flag bits `bits` that was never written.
    #[inline(always)]
    pub(crate) fn unwritten_flags(&self, bits: u64) -> u64 {
        bits & !self.flags_written
    }

    /// Updates the record of written flag bits after an instruction wrote a flag register as its destination.
    pub(crate) fn refresh_flags_written(&mut self) {
        for byte in 0..8 {
            if self.written[FLAG / 64] >> (FLAG % 64 + byte) & 1 == 1 {
                self.flags_written |= 0xff << (8 * byte);
            }
        }
    }

    /// The flag registers: f0 in the low half, f1 in the high half.
    #[inline(always)]
    pub(crate) fn flags(&self) -> u64 {
        u64::from(self.words[FLAG / 4]) | u64::from(self.words[FLAG / 4 + 1]) << 32
    }

    /// Replaces the flag bits of `mask` by those of `value`.
    #[inline(always)]
    pub(crate) fn set_flags(&mut self, value: u64, mask: u64) {
        let merged = self.flags() & !mask | value & mask;
        self.words[FLAG / 4] = merged as u32;
        self.words[FLAG / 4 + 1] = (merged >> 32) as u32;
        if mask & !self.flags_written != 0 {
            self.flags_written |= mask;
            for byte in 0..8 {
                let written = u64::from(mask >> (8 * byte) & 0xff != 0);
                self.written[FLAG / 64] |= written << (FLAG % 64 + byte);
            }
        }
    }

    #[inline(always)]
    /// The value of an address subregister.
    pub(crate) fn address(&self, subregister: usize) -> u16 {
        self.bits(ADDRESS + 2 * subregister, 2) as u16
    }

    /// The offset in the array of an address subregister.
    pub(crate) fn address_offset(subregister: usize) -> usize {
        ADDRESS + 2 * subregister
    }

    pub(crate) fn set_state(&mut self, offset: usize, value: u32) {
        self.set(offset, 4, value.into());
    }

    /// Sets ce0, from which programs read the channel enables.
    pub(crate) fn set_channel_enable(&mut self, value: u32) {
        self.set_state(CHANNEL_ENABLE, value);
    }

    /// Sets ip, in bytes, and the timestamp register.
    pub(crate) fn set_ip_and_time(&mut self, ip: u32, time: u64) {
        self.set_state(IP, ip);
        self.set(TIMESTAMP, 8, time);
    }
}

/// Whether an offset is in a register that the executor updates only before an instruction that reads it: ce0, ip, tm0.
pub(crate) fn is_live_state(offset: usize) -> bool {
    (CHANNEL_ENABLE..STATE).contains(&offset) || (IP..OTHER).contains(&offset)
}

/// Whether an offset lies in a flag register.
pub(crate) fn is_flag(offset: usize) -> bool {
    (FLAG..CHANNEL_ENABLE).contains(&offset)
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
        let set = ByteSet::of([60usize, 64].into_iter(), 4);
        assert!(!registers.is_written(&set));
        registers.set(60, 8, u64::MAX);
        assert!(registers.is_written(&set));
        assert_eq!(registers.first_unwritten(60, 9), Some(68));
        assert!(ByteSet::of([0usize, 128].into_iter(), 4).is_spread());
    }

    #[test]
    fn elements_of_every_size_and_place_can_be_reached() {
        let mut registers = Registers::new();
        for size in [1, 2, 4, 8] {
            for offset in 100..108 {
                registers.set(96, 8, 0);
                registers.set(104, 8, 0);
                let value = 0x8877_6655_4433_2211 & u64::MAX >> (64 - 8 * size);
                registers.set(offset, size, value);
                assert_eq!(registers.bits(offset, size), value);
                assert_eq!(registers.bits(offset - 1, 1), 0);
                assert_eq!(
                    registers.bits(offset + size, 1),
                    if offset + size < 112 { 0 } else { 0xcd }
                );
            }
        }
        registers.mark_lanes(32 * 41 + 32, 0x0180);
        assert_eq!(registers.first_unwritten(32 * 42 + 28, 8), None);
        assert!(!registers.all_written(32 * 42 + 24, 8) && !registers.all_written(32 * 43 + 4, 4));
    }

    #[test]
    fn flags_are_written_bitwise() {
        let mut registers = Registers::new();
        assert_eq!(registers.unwritten_flags(1), 1);
        registers.set_flags(u64::MAX, 0xff << 16);
        assert_eq!(registers.unwritten_flags(0x180 << 16), 0x100 << 16);
        assert_eq!(registers.flags() >> 16 & 0xff, 0xff);
        assert_eq!(name_of(FLAG + 2), "f0.2");
        assert_eq!(name_of(7 * 32 + 4), "r7.4");
    }
}
