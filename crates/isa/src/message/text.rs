//! Printer and parser of messages as text: the name of the variant, then its fields in order. A
//! field is `NAME=VALUE`; a flag is its name if it is set. Example: `untyped_atomic bti=2 op=add
//! simd=simd16 return_data`.
//!
//! The text depends only on the [`Message`], not on the generation. Listings of the back end
//! contain it.

use std::fmt;
use std::str::FromStr;

use super::Message;
use super::enums::*;
use crate::tables::MathFn;

/// Why a text is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{found}`")]
pub struct MessageTextError {
    /// What was expected.
    pub expected: &'static str,
    /// The text found instead, at most forty characters of it.
    pub found: String,
}

/// The part of a text that has not been read yet.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// Returns the error that `expected` was not found here.
    fn fail<T>(&self, expected: &'static str) -> Result<T, MessageTextError> {
        Err(MessageTextError { expected, found: self.0.chars().take(40).collect() })
    }

    /// Splits into the next word and the text behind it.
    fn split(&self) -> (&'a str, &'a str) {
        let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        (word, rest.trim_start())
    }

    /// Reads the next word if it is `expected`, and returns whether it is.
    fn eat(&mut self, expected: &str) -> bool {
        let (word, rest) = self.split();
        let found = word == expected;
        if found {
            self.0 = rest;
        }
        found
    }

    /// Reads `NAME=VALUE`; `read` parses the value.
    fn value<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, MessageTextError> {
        let (word, rest) = self.split();
        let text = word.strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
        let Some(text) = text else { return self.fail(name) };
        let Some(value) = read(text) else { return self.fail(name) };
        self.0 = rest;
        Ok(value)
    }
}

/// A type of message fields.
trait Field: Sized {
    /// Prints the field with a space in front; nothing for a flag that is not set.
    fn print(&self, name: &'static str, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Reads the field from the next word.
    fn parse(name: &'static str, words: &mut Words<'_>) -> Result<Self, MessageTextError>;
}

impl Field for bool {
    fn print(&self, name: &'static str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self { write!(f, " {name}") } else { Ok(()) }
    }

    fn parse(name: &'static str, words: &mut Words<'_>) -> Result<bool, MessageTextError> {
        Ok(words.eat(name))
    }
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Field for $ty {
            fn print(&self, name: &'static str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, " {name}={self}")
            }

            fn parse(name: &'static str, words: &mut Words<'_>) -> Result<$ty, MessageTextError> {
                words.value(name, |text| text.parse().ok())
            }
        }
    )*};
}

numbers!(u8 u16 u32);

impl Field for Bti {
    fn print(&self, name: &'static str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(name, f)
    }

    fn parse(name: &'static str, words: &mut Words<'_>) -> Result<Bti, MessageTextError> {
        u8::parse(name, words).map(Bti)
    }
}

/// The letters of the components, or `none`. A mask with other bits, which no message has, is
/// printed as a number.
impl Field for ChannelMask {
    fn print(&self, name: &'static str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {name}=")?;
        match self.0 {
            0 => f.write_str("none"),
            1..=15 => {
                let letters = "xyzw".chars().zip(0..).filter(|(_, bit)| self.0 >> bit & 1 == 1);
                letters.map(|(letter, _)| letter).try_for_each(|letter| write!(f, "{letter}"))
            }
            other => write!(f, "{other}"),
        }
    }

    fn parse(name: &'static str, words: &mut Words<'_>) -> Result<ChannelMask, MessageTextError> {
        words.value(name, |text| match text {
            "none" => Some(ChannelMask(0)),
            letters => {
                let bit = |letter| "xyzw".find(letter).map(|bit| 1 << bit);
                letters
                    .chars()
                    .try_fold(0, |mask, letter| Some(mask | bit(letter)?))
                    .map(ChannelMask)
            }
        })
    }
}

macro_rules! named {
    ($($ty:ident)*) => {$(
        impl Field for $ty {
            fn print(&self, name: &'static str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, " {name}={}", self.name())
            }

            fn parse(name: &'static str, words: &mut Words<'_>) -> Result<$ty, MessageTextError> {
                words.value(name, |text| $ty::ALL.iter().copied().find(|v| v.name() == text))
            }
        }
    )*};
}

named! {
    SimdMode SamplerSimd SlotGroup Cache OwordBlock ByteSize A64Element A64Block AtomicOp FloatAtomicOp SamplerOp
    RtSubtype GatewayFn PortOp UrbLayout UrbSwizzle UrbAtomicOp InterpolateAt LscSpace LscOp LscAddrSize LscDataSize
    LscSurface LscScope LscFlush MathFn
}

/// Generates printer and parser from one list of variants. The Rust compiler rejects the list if a
/// variant or field is missing.
macro_rules! messages {
    ($($text:literal $variant:ident { $($field:ident),* })*) => {
        impl fmt::Display for Message {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Message::$variant { $($field),* } => {
                        f.write_str($text)?;
                        $(Field::print($field, stringify!($field), f)?;)*
                        Ok(())
                    })*
                    Message::Committed(inner) => write!(f, "committed {inner}"),
                    Message::Scaled(inner) => write!(f, "scaled {inner}"),
                }
            }
        }

        fn variant(words: &mut Words<'_>) -> Result<Message, MessageTextError> {
            let (name, rest) = words.split();
            let message = match name {
                $($text => {
                    words.0 = rest;
                    Message::$variant { $($field: Field::parse(stringify!($field), words)?),* }
                })*
                _ => return words.fail("a message"),
            };
            Ok(message)
        }

        /// The names of the variants in text.
        #[cfg(test)]
        const NAMES: &[&str] = &[$($text),*];
    };
}

messages! {
    "oword_block_read" OwordBlockRead { cache, bti, size, unaligned, invalidate }
    "oword_block_write" OwordBlockWrite { bti, size }
    "oword_dual_block_read" OwordDualBlockRead { cache, bti, four, invalidate }
    "oword_dual_block_write" OwordDualBlockWrite { bti, four }
    "dword_scattered_read" DwordScatteredRead { cache, bti, simd, invalidate }
    "dword_scattered_write" DwordScatteredWrite { bti, simd }
    "byte_scattered_read" ByteScatteredRead { bti, simd, size }
    "byte_scattered_write" ByteScatteredWrite { bti, simd, size }
    "untyped_read" UntypedRead { bti, simd, mask }
    "untyped_write" UntypedWrite { bti, simd, mask }
    "untyped_atomic" UntypedAtomic { bti, op, simd, return_data, word }
    "untyped_atomic_float" UntypedAtomicFloat { bti, op, simd, return_data, half }
    "atomic_counter" AtomicCounter { bti, op, simd, return_data }
    "typed_read" TypedRead { bti, slots, mask }
    "typed_write" TypedWrite { bti, slots, mask }
    "typed_atomic" TypedAtomic { bti, op, slots, return_data }
    "media_block_read" MediaBlockRead { cache, bti, line_stride }
    "media_block_write" MediaBlockWrite { cache, bti, line_stride }
    "a64_scattered_read" A64ScatteredRead { bti, element, count, simd }
    "a64_scattered_write" A64ScatteredWrite { bti, element, count, simd }
    "a64_untyped_read" A64UntypedRead { bti, simd, mask }
    "a64_untyped_write" A64UntypedWrite { bti, simd, mask }
    "a64_atomic" A64Atomic { bti, op, qword, return_data, word }
    "a64_atomic_float" A64AtomicFloat { bti, op, return_data, half }
    "a64_block_read" A64BlockRead { bti, block, size, invalidate }
    "a64_block_write" A64BlockWrite { bti, block, size }
    "scratch_block_read" ScratchBlockRead { registers, dword_mode, invalidate, hword_offset }
    "scratch_block_write" ScratchBlockWrite { registers, dword_mode, invalidate, hword_offset }
    "memory_fence" MemoryFence { cache, bti, commit, l1_flush, l3_flush }
    "render_target_write" RenderTargetWrite {
        bti, subtype, upper_slots, last, per_sample, coarse, half, commit, rt_index, src0_alpha,
        null_rt
    }
    "render_target_read" RenderTargetRead { bti, simd8, upper_slots, per_sample }
    "math" Math { function, signed, partial, saturate, scalar }
    "sample" Sample { op, bti, sampler, simd, half_return }
    "sample_gen4" SampleGen4 { msg_type, bti, sampler, return_format }
    "urb_write" UrbWrite {
        layout, offset, swizzle, per_slot_offset, channel_mask, allocate, used, complete
    }
    "urb_read" UrbRead { layout, offset, swizzle, per_slot_offset, complete }
    "urb_atomic" UrbAtomic { op, offset, per_slot_offset }
    "urb_ff_sync" UrbFfSync { allocate, used, complete }
    "urb_fence" UrbFence {}
    "gateway" Gateway { function, notify }
    "thread_spawner" ThreadSpawner { spawn, child, keep_urb }
    "interpolate" Interpolate { at, data, upper_slots, linear, coarse, simd16 }
    "lsc" Lsc { space, op, addr, data, vector, transpose, cache, surface, bti, offset }
    "lsc_fence" LscFence { space, addr, scope, flush, route_to_lsc }
    "qword_scattered_read" QwordScatteredRead { bti, simd, count, legacy }
    "qword_scattered_write" QwordScatteredWrite { bti, simd, count, legacy }
    "hword_block_write" HwordBlockWrite { bti, size }
    "typed_read_status" TypedReadStatus { bti, slots, mask }
    "typed_atomic_word" TypedAtomicWord { bti, op, slots, return_data }
    "atomic_counter_word" AtomicCounterWord { bti, op, simd, return_data }
    "a64_atomic_4x2" A64Atomic4x2 { bti, op, qword, return_data }
    "a64_atomic_float_4x2" A64AtomicFloat4x2 { bti, op, return_data }
    "port" Port { op, cache, bti, control, commit }
    "motion_estimation" MotionEstimation {
        bti, search_path, lut_subindex, kind, stream_out, stream_in
    }
    "refinement" Refinement { bti, kind }
    "bindless_spawn" BindlessSpawn { simd16 }
    "trace_ray" TraceRay { simd16 }
    "null" Null { function, high }
}

impl FromStr for Message {
    type Err = MessageTextError;

    fn from_str(text: &str) -> Result<Message, MessageTextError> {
        let mut words = Words(text.trim());
        // Only one level: the inner message is neither committed nor scaled.
        let outer = ["committed", "scaled"].into_iter().find(|outer| words.eat(outer));
        let message = variant(&mut words)?;
        if !words.0.is_empty() {
            return words.fail("the message's end");
        }
        Ok(match outer {
            Some("committed") => Message::Committed(Box::new(message)),
            Some(_) => Message::Scaled(Box::new(message)),
            None => message,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::message::Descriptor;
    use crate::tables::Sfid;
    use crestline_device::Gen;

    #[test]
    fn every_message_that_bits_can_be_reads_back_from_its_text() {
        let mut names = BTreeSet::new();
        let mut bits = fastrand::Rng::with_seed(1);
        for generation in Gen::ALL {
            for sfid in Sfid::ALL.iter().filter(|sfid| sfid.bits(generation).is_some()) {
                let mut random = || bits.u32(..1 << 29);
                for round in 0..20_000 {
                    // Some messages have few bits that may be set.
                    let desc = if round % 2 == 0 {
                        random()
                    } else {
                        (0..4).fold(!0, |bits, _| bits & random())
                    };
                    let Ok(found) = Descriptor::decode(generation, *sfid, desc, 0) else {
                        continue;
                    };
                    let text = found.message.to_string();
                    assert!(!text.contains([',', '{', '}']), "{text}");
                    assert_eq!(text.parse(), Ok(found.message), "{text}");
                    names.extend(text.split(' ').next().map(str::to_owned));
                }
            }
        }
        let all = NAMES.iter().copied().chain(["committed", "scaled"]);
        let missing: Vec<&str> = all.filter(|name| !names.contains(*name)).collect();
        assert!(missing.is_empty(), "no bits became {missing:?}");
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_place() {
        for (text, expected, found) in [
            ("", "a message", ""),
            ("frobnicate", "a message", "frobnicate"),
            ("0x5c02", "a message", "0x5c02"),
            ("untyped_read simd=simd8", "bti", "simd=simd8"),
            ("untyped_read bti=256 simd=simd8 mask=x", "bti", "bti=256 simd=simd8 mask=x"),
            ("untyped_read bti=2 simd=simd7 mask=x", "simd", "simd=simd7 mask=x"),
            ("untyped_read bti=2 simd=simd8 mask=q", "mask", "mask=q"),
            ("untyped_read bti=2 simd=simd8 mask=x y", "the message's end", "y"),
            ("scaled scaled urb_fence", "a message", "scaled urb_fence"),
        ] {
            let error = text.parse::<Message>().expect_err(text);
            assert_eq!((error.expected, error.found.as_str()), (expected, found), "{text}");
        }
    }
}
