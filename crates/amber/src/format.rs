//! Image formats with their Vulkan names, such as `R8G8B8A8_UNORM`.
//!
//! A name is a list of channels with their bits, the kind of numbers, and `PACK` with the bits of a word. Without `PACK`
//! the first channel is at the lowest address, with it in the highest bits (Vulkan, "Format Definition").

use crestline_device::{ChannelKind, SurfaceFormat};

/// How the bits of a channel or scalar are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberKind {
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
    /// Float of 16, 32 or 64 bits.
    Float,
    /// Float without a sign, of 10 or 11 bits.
    UFloat,
    /// Unsigned normalized.
    Unorm,
    /// Unsigned normalized, and sRGB for colours.
    Srgb,
    /// Signed normalized.
    Snorm,
    /// Unsigned integer that vertex fetch converts to a float.
    Uscaled,
    /// Signed integer that vertex fetch converts to a float.
    Sscaled,
}

impl NumberKind {
    /// The kind and its name in formats.
    const NAMES: &[(&str, NumberKind)] = &[
        ("UINT", NumberKind::Uint),
        ("SINT", NumberKind::Sint),
        ("SFLOAT", NumberKind::Float),
        ("UFLOAT", NumberKind::UFloat),
        ("UNORM", NumberKind::Unorm),
        ("SRGB", NumberKind::Srgb),
        ("SNORM", NumberKind::Snorm),
        ("USCALED", NumberKind::Uscaled),
        ("SSCALED", NumberKind::Sscaled),
    ];

    /// Whether the stored bits are a signed integer.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, NumberKind::Sint | NumberKind::Snorm | NumberKind::Sscaled)
    }
}

/// The use of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// Component number of a colour: red, green, blue, alpha.
    Colour(u8),
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
    /// Not used.
    Unused,
}

/// A channel of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Its use.
    pub component: Component,
    /// Its kind of numbers.
    pub kind: NumberKind,
    /// Its width in bits.
    pub bits: u8,
    /// Its lowest bit in a texel.
    pub shift: u16,
}

/// A format: its channels in the order of its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// The name.
    pub name: String,
    /// The channels.
    pub channels: Vec<Channel>,
    /// Bytes of a texel.
    pub bytes: u32,
}

/// The channels of a group such as `R8G8` or `X8`, without a kind.
fn group(text: &str) -> Option<Vec<(Component, u8)>> {
    let mut channels = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let component = match letter {
            'R' => Component::Colour(0),
            'G' => Component::Colour(1),
            'B' => Component::Colour(2),
            'A' => Component::Colour(3),
            'D' => Component::Depth,
            'S' => Component::Stencil,
            'X' => Component::Unused,
            _ => return None,
        };
        rest = &rest[1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let bits = rest[..digits].parse().ok().filter(|bits| (1..=64).contains(bits))?;
        rest = &rest[digits..];
        channels.push((component, bits));
    }
    (!channels.is_empty() && channels.len() <= 4).then_some(channels)
}

impl Format {
    /// The format with a name; `None` if no format of Vulkan's simple formats has that name.
    pub fn parse(name: &str) -> Option<Format> {
        let kind_of = |part: &str| NumberKind::NAMES.iter().find(|(name, _)| *name == part);
        let (mut channels, mut waiting, mut packed): (Vec<Channel>, Vec<_>, _) = Default::default();
        for part in name.split('_') {
            if let Some(word) = part.strip_prefix("PACK") {
                packed = Some(word.parse::<u16>().ok().filter(|bits| matches!(bits, 8 | 16 | 32))?);
            } else if let Some((_, kind)) = kind_of(part) {
                if waiting.is_empty() {
                    return None;
                }
                let channel =
                    |(component, bits)| Channel { component, kind: *kind, bits, shift: 0 };
                channels.extend(waiting.drain(..).map(channel));
            } else {
                waiting.extend(group(part)?);
            }
        }
        let total: u16 = channels.iter().map(|channel| u16::from(channel.bits)).sum();
        if !waiting.is_empty() || channels.is_empty() || channels.len() > 4 {
            return None;
        }
        if packed.is_some_and(|bits| bits != total) || !total.is_multiple_of(8) {
            return None;
        }
        let wrong = |channel: &Channel| match channel.kind {
            NumberKind::Float => !matches!(channel.bits, 16 | 32 | 64),
            NumberKind::UFloat => !matches!(channel.bits, 10 | 11),
            NumberKind::Uint | NumberKind::Sint => false,
            _ => channel.bits > 32,
        };
        if channels.iter().any(wrong) {
            return None;
        }
        let mut shift = 0;
        let mut place = |channel: &mut Channel| {
            channel.shift = shift;
            shift += u16::from(channel.bits);
        };
        match packed {
            Some(_) => channels.iter_mut().rev().for_each(place),
            None => channels.iter_mut().for_each(&mut place),
        }
        Some(Format { name: name.to_owned(), channels, bytes: u32::from(total) / 8 })
    }

    /// A format of one to four channels of the same kind and size.
    pub fn plain(kind: NumberKind, bits: u8, count: u8) -> Option<Format> {
        let (suffix, _) = NumberKind::NAMES.iter().find(|(_, named)| *named == kind)?;
        let letters = ["R", "G", "B", "A"];
        let channels: String =
            letters.iter().take(count.into()).map(|letter| format!("{letter}{bits}")).collect();
        Format::parse(&format!("{channels}_{suffix}"))
    }

    /// Whether the format has depth or stencil.
    pub fn is_depth_stencil(&self) -> bool {
        let is = |component| matches!(component, Component::Depth | Component::Stencil);
        self.channels.iter().any(|channel| is(channel.component))
    }

    /// The channel of a component.
    pub fn channel(&self, component: Component) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.component == component)
    }

    /// The surface format of the hardware with the same colour channels; `None` if `crestline-device` lists none.
    pub fn surface(&self) -> Option<SurfaceFormat> {
        let channel = |i: u8| {
            let channel = self.channel(Component::Colour(i))?;
            let kind = match channel.kind {
                NumberKind::Uint => ChannelKind::Uint,
                NumberKind::Sint => ChannelKind::Sint,
                NumberKind::Float => ChannelKind::Float,
                NumberKind::UFloat => ChannelKind::UFloat,
                NumberKind::Unorm | NumberKind::Srgb => ChannelKind::Unorm,
                NumberKind::Snorm => ChannelKind::Snorm,
                NumberKind::Uscaled | NumberKind::Sscaled => return Some((None, 0, 0)),
            };
            Some((Some(kind), channel.bits, channel.shift))
        };
        let srgb = self.channels.iter().any(|channel| channel.kind == NumberKind::Srgb);
        let own: [_; 4] = std::array::from_fn(|i| channel(i as u8));
        let has = |format: &SurfaceFormat| {
            let info = format.info();
            let channels = info
                .channels
                .map(|channel| channel.map(|c| (Some(c.kind), c.bits, u16::from(c.shift))));
            channels == own && info.srgb == srgb && u32::from(info.bits) == self.bytes * 8
        };
        SurfaceFormat::ALL.iter().copied().filter(|_| !self.is_depth_stencil()).find(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let shifts = |name: &str| {
            let format = Format::parse(name).unwrap();
            (format.channels.iter().map(|c| c.shift).collect::<Vec<_>>(), format.bytes)
        };
        assert_eq!(shifts("R8G8B8A8_UNORM"), (vec![0, 8, 16, 24], 4));
        assert_eq!(shifts("A2B10G10R10_UINT_PACK32"), (vec![30, 20, 10, 0], 4));
        assert_eq!(shifts("X8_D24_UNORM_PACK32"), (vec![24, 0], 4));
        assert_eq!(shifts("D32_SFLOAT_S8_UINT"), (vec![0, 32], 5));
        assert_eq!(shifts("R64G64B64A64_SFLOAT"), (vec![0, 64, 128, 192], 32));
        for name in
            ["", "R8", "UNORM", "R8_UNORM_UNORM", "R9_UNORM", "R8G8_UNORM_PACK32", "Q8_UINT"]
        {
            assert_eq!(Format::parse(name), None, "{name}");
        }
    }

    #[test]
    fn surfaces_have_the_same_channels() {
        let surface = |name: &str| Format::parse(name).unwrap().surface();
        assert_eq!(surface("B8G8R8A8_UNORM"), Some(SurfaceFormat::B8G8R8A8_UNORM));
        assert_eq!(surface("A8B8G8R8_SRGB_PACK32"), Some(SurfaceFormat::R8G8B8A8_UNORM_SRGB));
        assert_eq!(surface("B10G11R11_UFLOAT_PACK32"), Some(SurfaceFormat::R11G11B10_FLOAT));
        assert_eq!(surface("R5G6B5_UNORM_PACK16"), Some(SurfaceFormat::B5G6R5_UNORM));
        assert_eq!(surface("D32_SFLOAT"), None);
        assert_eq!(surface("R8_USCALED"), None);
    }
}
