//! The formats of vertex attributes in memory.

use crate::texel::channel_value;
use crestline_device::{Channel, ChannelKind};
use std::fmt;
use std::str::FromStr;

/// How stored numbers become the components of an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// As the channel's kind says.
    #[default]
    Stored,
    /// Integers become floats of the same value (`USCALED` and `SSCALED`).
    Scaled,
    /// Signed integers are multiples of 2^-16 (`SFIXED`).
    Fixed,
}

/// A format whose elements vertex fetch converts to four 32-bit components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexFormat {
    /// Red, green, blue and alpha, as they are in memory; `None` for components that are not there.
    channels: [Option<Channel>; 4],
    bits: u16,
    numbers: Numbers,
}

/// The error for a name that is not an attribute format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "attribute format `{0}`: expected one like rgba32f, rg16i, r8ui, rgba8, rgba64f or R10G10B10A2_SSCALED"
)]
pub struct AttributeFormatError(pub(super) String);

/// The kinds of numbers in the names of the manuals.
const KINDS: [(&str, ChannelKind, Numbers); 9] = [
    ("UNORM", ChannelKind::Unorm, Numbers::Stored),
    ("SNORM", ChannelKind::Snorm, Numbers::Stored),
    ("UINT", ChannelKind::Uint, Numbers::Stored),
    ("SINT", ChannelKind::Sint, Numbers::Stored),
    ("FLOAT", ChannelKind::Float, Numbers::Stored),
    ("UFLOAT", ChannelKind::UFloat, Numbers::Stored),
    ("USCALED", ChannelKind::Uint, Numbers::Scaled),
    ("SSCALED", ChannelKind::Sint, Numbers::Scaled),
    ("SFIXED", ChannelKind::Sint, Numbers::Fixed),
];

/// Whether a channel can have this many bits.
fn is_possible(kind: ChannelKind, bits: u8, numbers: Numbers) -> bool {
    match (kind, numbers) {
        (ChannelKind::Float, _) => matches!(bits, 16 | 32 | 64),
        (ChannelKind::UFloat, _) => matches!(bits, 10 | 11),
        (_, Numbers::Fixed) => bits == 32,
        _ => (1..=32).contains(&bits),
    }
}

impl VertexFormat {
    /// A format of these channels, whose elements have this many bits. `None` if they are no format that vertex fetch can
    /// read: no channel, a channel outside of the element, or of an impossible size.
    pub fn new(channels: [Option<Channel>; 4], bits: u16, numbers: Numbers) -> Option<Self> {
        let fits = |channel: &Channel| {
            is_possible(channel.kind, channel.bits, numbers)
                && u16::from(channel.shift) + u16::from(channel.bits) <= bits
        };
        let possible = channels.iter().flatten().all(fits) && channels.iter().any(Option::is_some);
        let whole = bits.is_multiple_of(8) && bits <= 256;
        (possible && whole).then_some(VertexFormat { channels, bits, numbers })
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        u32::from(self.bits) / 8
    }

    /// Whether vertex fetch reads the format on devices without `Device::has_all_vertex_formats`, too. These devices lack three
    /// integers of 8 or 16 bits, fixed-point numbers, and most formats with components of 10 bits.
    pub fn is_on_all_devices(self) -> bool {
        let channels: Vec<Channel> = self.channels.iter().flatten().copied().collect();
        let is_integer = |channel: &Channel| {
            self.numbers == Numbers::Stored
                && matches!(channel.kind, ChannelKind::Uint | ChannelKind::Sint)
        };
        match channels.as_slice() {
            _ if self.numbers == Numbers::Fixed => false,
            [first, _, _] if first.bits <= 16 => !is_integer(first),
            [red, .., alpha] if red.bits == 10 => {
                let kinds = (red.kind, alpha.kind, self.numbers);
                red.shift == 0
                    && matches!(
                        kinds,
                        (ChannelKind::Unorm | ChannelKind::Uint, _, Numbers::Stored)
                            | (ChannelKind::Snorm, ChannelKind::Unorm, _)
                    )
            }
            _ => true,
        }
    }

    /// Whether the components are dwords one after another, which are not converted.
    fn is_whole_dwords(self) -> bool {
        let mut channels = self.channels.iter().enumerate();
        self.numbers == Numbers::Stored
            && channels.all(|(i, channel)| match channel {
                Some(channel) => {
                    channel.bits == 32
                        && usize::from(channel.shift) == 32 * i
                        && matches!(
                            channel.kind,
                            ChannelKind::Float | ChannelKind::Uint | ChannelKind::Sint
                        )
                }
                None => usize::from(self.bits) <= 32 * i,
            })
    }

    /// The components of an element, which has as many bytes as the format: floats or integers. Missing components are
    /// 0, 0, 0, 1.
    pub(super) fn convert(self, bytes: &[u8]) -> [u32; 4] {
        let mut components = self.none();
        if self.is_whole_dwords() {
            for (component, dword) in components.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *component = u32::from_le_bytes(*dword);
            }
            return components;
        }
        for (component, channel) in components.iter_mut().zip(self.channels) {
            let Some(channel) = channel.filter(|one| one.kind != ChannelKind::Unused) else {
                continue;
            };
            let first = usize::from(channel.shift / 8);
            let mut window = [0; 16];
            for (byte, stored) in window.iter_mut().zip(bytes.iter().skip(first).take(9)) {
                *byte = *stored;
            }
            let bits = u128::from_le_bytes(window) >> (channel.shift % 8);
            let raw = bits as u64 & u64::MAX >> (64 - u32::from(channel.bits));
            let value = channel_value(channel, raw);
            *component = match (self.numbers, channel.kind) {
                (Numbers::Stored, _) => value,
                (Numbers::Scaled, ChannelKind::Sint) => (value.cast_signed() as f32).to_bits(),
                (Numbers::Scaled, _) => (value as f32).to_bits(),
                (Numbers::Fixed, _) => {
                    ((f64::from(value.cast_signed()) / 65536.0) as f32).to_bits()
                }
            };
        }
        components
    }

    /// The components of an element outside of the buffer: 0, 0, 0, 1.
    pub(super) fn none(self) -> [u32; 4] {
        let integer = |channel: &Channel| {
            self.numbers == Numbers::Stored
                && matches!(channel.kind, ChannelKind::Uint | ChannelKind::Sint)
        };
        let is_integer = self.channels.iter().flatten().any(integer);
        [0, 0, 0, if is_integer { 1 } else { 1f32.to_bits() }]
    }
}

impl FromStr for VertexFormat {
    type Err = AttributeFormatError;

    /// Reads a name of the manuals, such as `R10G10B10A2_SSCALED`: the channels from the lowest bit on with their bits,
    /// and the kind of their numbers, perhaps followed by further channels of another kind.
    fn from_str(name: &str) -> Result<VertexFormat, AttributeFormatError> {
        let error = || AttributeFormatError(name.to_owned());
        // The suffix says how a message of the sampler loads the format. It changes nothing for vertex fetch.
        let mut words = name.strip_suffix("_LD").unwrap_or(name).split('_');
        let mut channels = [None; 4];
        let (mut shift, mut numbers) = (0u16, None);
        while let Some(group) = words.next() {
            let word = words.next().ok_or_else(error)?;
            let row = KINDS.iter().find(|(own, ..)| *own == word).ok_or_else(error)?;
            let &(_, mut kind, how) = row;
            if group == "R11G11B10" {
                kind = ChannelKind::UFloat;
            }
            if numbers.is_some_and(|before| before != how) {
                return Err(error());
            }
            numbers = Some(how);
            let mut rest = group;
            while let Some(letter) = rest.chars().next() {
                let end =
                    rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| n + 1);
                let bits: u8 = rest[1..end].parse().map_err(|_| error())?;
                rest = &rest[end..];
                let place = "RGBAX".find(letter).ok_or_else(error)?;
                if let Some(channel) = channels.get_mut(place) {
                    let own =
                        Channel { kind, bits, shift: u8::try_from(shift).map_err(|_| error())? };
                    if channel.replace(own).is_some() || !is_possible(kind, bits, how) {
                        return Err(error());
                    }
                }
                shift += u16::from(bits);
            }
        }
        VertexFormat::new(channels, shift, numbers.unwrap_or_default()).ok_or_else(error)
    }
}

impl fmt::Display for VertexFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut channels: Vec<_> = ["R", "G", "B", "A"]
            .into_iter()
            .zip(self.channels)
            .filter_map(|(letter, channel)| Some((letter, channel?)))
            .collect();
        channels.sort_by_key(|(_, channel)| channel.shift);
        for (i, (letter, channel)) in channels.iter().enumerate() {
            write!(f, "{letter}{}", channel.bits)?;
            if channels.get(i + 1).is_none_or(|(_, next)| next.kind != channel.kind) {
                let kind = match channel.kind {
                    ChannelKind::UFloat => ChannelKind::Float,
                    kind => kind,
                };
                let is_own =
                    |row: &&(&str, ChannelKind, Numbers)| row.1 == kind && row.2 == self.numbers;
                let word = KINDS.iter().find(is_own).map_or("", |(word, ..)| *word);
                write!(f, "_{word}{}", if i + 1 == channels.len() { "" } else { "_" })?;
            }
        }
        Ok(())
    }
}
