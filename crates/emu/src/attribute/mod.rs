//! Vertex attributes in memory, as vertex fetch reads them.

mod format;

pub use format::{AttributeFormatError, Numbers, VertexFormat};

use std::fmt;
use std::str::FromStr;

/// The format of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeFormat {
    /// Converted to four 32-bit components.
    Converted(VertexFormat),
    /// One to four 64-bit components, which are not converted (`PASSTHRU`).
    Doubles(u8),
}

impl FromStr for AttributeFormat {
    type Err = AttributeFormatError;

    /// Reads GLSL's spelling of an image format, with three components and 64 bits allowed too, or a name of the manuals.
    fn from_str(name: &str) -> Result<AttributeFormat, AttributeFormatError> {
        let error = || AttributeFormatError(name.to_owned());
        if let Some(channels) = name.strip_suffix("_PASSTHRU") {
            let count = ["R64", "R64G64", "R64G64B64", "R64G64B64A64"]
                .into_iter()
                .position(|own| own == channels)
                .ok_or_else(error)?;
            return Ok(AttributeFormat::Doubles(count as u8 + 1));
        }
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Ok(AttributeFormat::Converted(name.parse()?));
        }
        let digits = name.find(|c: char| c.is_ascii_digit()).ok_or_else(error)?;
        let (channels, rest) = name.split_at(digits);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (bits, kind) = rest.split_at(end);
        if !matches!(channels, "r" | "rg" | "rgb" | "rgba") {
            return Err(error());
        }
        if (bits, kind) == ("64", "f") {
            return Ok(AttributeFormat::Doubles(channels.len() as u8));
        }
        let kind = match kind {
            "f" => "FLOAT",
            "i" => "SINT",
            "ui" => "UINT",
            "" => "UNORM",
            "_snorm" => "SNORM",
            _ => return Err(error()),
        };
        if !matches!(bits, "8" | "16" | "32") {
            return Err(error());
        }
        let channels: String =
            channels.chars().map(|c| format!("{}{bits}", c.to_ascii_uppercase())).collect();
        let format = format!("{channels}_{kind}").parse().map_err(|_| error())?;
        Ok(AttributeFormat::Converted(format))
    }
}

impl fmt::Display for AttributeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttributeFormat::Converted(format) => write!(f, "{format}"),
            AttributeFormat::Doubles(count) => write!(f, "{count} doubles"),
        }
    }
}

impl AttributeFormat {
    /// Whether vertex fetch reads the format on every device. See [`VertexFormat::is_on_all_devices`]. Doubles are read as pairs
    /// of dwords where the device does not have them.
    pub fn is_on_all_devices(self) -> bool {
        match self {
            AttributeFormat::Converted(format) => format.is_on_all_devices(),
            AttributeFormat::Doubles(_) => true,
        }
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        match self {
            AttributeFormat::Converted(format) => format.bytes(),
            AttributeFormat::Doubles(count) => u32::from(count) * 8,
        }
    }
}

/// A vertex attribute: elements of a format in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The format.
    pub format: AttributeFormat,
    /// Distance between elements in bytes.
    pub stride: u32,
    /// One element per instance rather than per vertex.
    pub per_instance: bool,
    /// The buffer. Elements outside are 0, 0, 0, 1.
    pub bytes: Vec<u8>,
}

impl Attribute {
    /// One element per vertex, tightly packed.
    pub fn packed(format: AttributeFormat, bytes: &[u8]) -> Attribute {
        let stride = format.bytes();
        Attribute { format, stride, per_instance: false, bytes: bytes.to_vec() }
    }

    /// Fetches an element: eight dwords, for two slots of four. An element outside of the buffer is 0, 0, 0, 1 in the
    /// format's kind of numbers; doubles are all 0.
    pub fn fetch(&self, element: u32) -> [u32; 8] {
        let size = self.format.bytes() as usize;
        let start = u64::from(element) * u64::from(self.stride);
        let bytes = usize::try_from(start)
            .ok()
            .and_then(|start| self.bytes.get(start..start.checked_add(size)?));
        let mut dwords = [0; 8];
        match self.format {
            AttributeFormat::Converted(format) => {
                let components = bytes.map_or(format.none(), |bytes| format.convert(bytes));
                dwords[..4].copy_from_slice(&components);
            }
            AttributeFormat::Doubles(_) => {
                let stored = bytes.unwrap_or_default().as_chunks::<4>().0;
                for (dword, bytes) in dwords.iter_mut().zip(stored) {
                    *dword = u32::from_le_bytes(*bytes);
                }
            }
        }
        dwords
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(format: &str, bytes: &[u8], element: u32) -> [u32; 8] {
        Attribute::packed(format.parse().unwrap(), bytes).fetch(element)
    }

    #[test]
    fn formats_are_read_by_name() {
        assert_eq!("rgb32f".parse::<AttributeFormat>().unwrap().bytes(), 12);
        assert_eq!("rgba64f".parse::<AttributeFormat>().unwrap().bytes(), 32);
        assert_eq!("rg8_snorm".parse::<AttributeFormat>().unwrap().bytes(), 2);
        assert_eq!("R64G64_PASSTHRU".parse(), Ok(AttributeFormat::Doubles(2)));
        for name in [
            "",
            "rgba",
            "32f",
            "bgra8",
            "rgba31f",
            "rgba32x",
            "r64ui",
            "R8",
            "R8_",
            "R_UINT",
            "R8R8_UINT",
            "R33_UINT",
            "R24_FLOAT",
            "R8_UINT_G8_USCALED",
            "R255G255B255A255_UINT",
            "Ä8_UINT",
            "R16_SFIXED",
        ] {
            assert!(name.parse::<AttributeFormat>().is_err(), "{name}");
        }
    }

    #[test]
    fn scaled_integers_become_floats() {
        let format = "R8G8_SSCALED".parse().unwrap();
        let dwords = Attribute::packed(format, &[5, 0xfe]).fetch(0);
        assert_eq!(dwords[..4], [5.0, -2.0, 0.0, 1.0].map(f32::to_bits));
        let none = Attribute::packed(format, &[5, 0xfe]).fetch(1);
        assert_eq!(none[..4], [0.0, 0.0, 0.0, 1.0].map(f32::to_bits));
    }

    #[test]
    fn missing_components_and_elements_are_filled() {
        let one = 1f32.to_bits();
        assert_eq!(fetch("rg32f", &[1; 16], 1), [0x0101_0101, 0x0101_0101, 0, one, 0, 0, 0, 0]);
        assert_eq!(fetch("rg32ui", &[1; 16], 2), [0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(fetch("r64f", &[7; 8], 0), [0x0707_0707, 0x0707_0707, 0, 0, 0, 0, 0, 0]);
    }
}
