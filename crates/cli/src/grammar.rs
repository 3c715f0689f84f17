//! Parsers of single command line arguments: descriptors, buffers, images, samplers, numbers.
//!
//! Each type implements [`FromStr`], so `clap` prints the error together with the flag. Every message says what was
//! expected.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crestline_device::SurfaceFormat;
use crestline_emu::{MemoryModel, Tiling};

/// The error of an argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct GrammarError(String);

fn fail<T>(message: impl Into<String>) -> Result<T, GrammarError> {
    Err(GrammarError(message.into()))
}

fn number<T: FromStr>(text: &str, what: &str) -> Result<T, GrammarError> {
    text.parse().or_else(|_| fail(format!("{text:?} is not {what}")))
}

/// Splits `text` at the first `separator`. `form` is the form of the whole argument, for the message.
fn split<'a>(
    text: &'a str,
    separator: char,
    form: &str,
) -> Result<(&'a str, &'a str), GrammarError> {
    text.split_once(separator).map_or_else(|| fail(format!("{text:?} is not {form}")), Ok)
}

/// A number of bytes, decimal or with `0x`.
pub(crate) fn offset(text: &str) -> Result<usize, GrammarError> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => usize::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    parsed.map_or_else(|| fail(format!("{text:?} is not a number of bytes")), Ok)
}

/// A descriptor: `SET.BINDING` or `SET.BINDING[ELEMENT]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DescriptorRef {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    pub(crate) element: u32,
}

impl FromStr for DescriptorRef {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<DescriptorRef, GrammarError> {
        const FORM: &str = "SET.BINDING or SET.BINDING[ELEMENT]";
        let bad = || GrammarError(format!("{text:?} is not {FORM}"));
        let (descriptor, element) = match text.split_once('[') {
            Some((descriptor, element)) => (descriptor, element.strip_suffix(']').ok_or_else(bad)?),
            None => (text, "0"),
        };
        let (set, binding) = split(descriptor, '.', FORM)?;
        let number = |text: &str| text.parse().map_err(|_| bad());
        Ok(DescriptorRef {
            set: number(set)?,
            binding: number(binding)?,
            element: number(element)?,
        })
    }
}

impl fmt::Display for DescriptorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.set, self.binding)?;
        if self.element > 0 {
            write!(f, "[{}]", self.element)?;
        }
        Ok(())
    }
}

/// The source of a buffer's initial contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Contents {
    /// `zero:BYTES`.
    Zero(usize),
    /// A file, or `-` for standard input.
    File(PathBuf),
}

impl FromStr for Contents {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Contents, GrammarError> {
        match text.strip_prefix("zero:") {
            Some(bytes) => match number(bytes, "a number of bytes")? {
                bytes if (1..=MAX_BUFFER_BYTES).contains(&bytes) => Ok(Contents::Zero(bytes)),
                bytes => fail(format!("{bytes} bytes: expected 1 to {MAX_BUFFER_BYTES}")),
            },
            None if text.is_empty() => fail("no file after `=`"),
            None => Ok(Contents::File(text.into())),
        }
    }
}

/// `--bind PLACE=FILE` or `--bind PLACE=zero:BYTES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bind {
    pub(crate) descriptor: DescriptorRef,
    pub(crate) contents: Contents,
}

/// The largest buffer that `zero:BYTES` makes.
pub(crate) const MAX_BUFFER_BYTES: usize = 1 << 30;

impl FromStr for Bind {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Bind, GrammarError> {
        let (descriptor, source) = split(text, '=', "PLACE=FILE or PLACE=zero:BYTES")?;
        Ok(Bind { descriptor: descriptor.parse()?, contents: source.parse()? })
    }
}

/// Where `--address` places an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the push constants.
    Push,
    /// In a buffer.
    Buffer(DescriptorRef),
}

/// `--address PLACE:BYTE=BUFFER[+BYTES]`: the address of a buffer in the push constants or in another buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) place: Place,
    /// The byte offset of the address in the place.
    pub(crate) offset: usize,
    pub(crate) target: DescriptorRef,
    /// Bytes to add to the address.
    pub(crate) plus: u64,
}

impl FromStr for Address {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Address, GrammarError> {
        const FORM: &str = "push:BYTE=BUFFER[+BYTES] or BUFFER:BYTE=BUFFER[+BYTES]";
        let (place, target) = split(text, '=', FORM)?;
        let (place, byte) = split(place, ':', FORM)?;
        let (target, plus) = target.split_once('+').unwrap_or((target, "0"));
        let place = match place {
            "push" => Place::Push,
            buffer => Place::Buffer(buffer.parse()?),
        };
        let (byte, plus) = (offset(byte)?, offset(plus)?);
        Ok(Address { place, offset: byte, target: target.parse()?, plus: plus as u64 })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Push => write!(f, "push:{}={}", self.offset, self.target)?,
            Place::Buffer(buffer) => write!(f, "{buffer}:{}={}", self.offset, self.target)?,
        }
        if self.plus > 0 {
            write!(f, "+{}", self.plus)?;
        }
        Ok(())
    }
}

/// `--descriptors SET.BINDING=COUNT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptors {
    pub(crate) descriptor: DescriptorRef,
    /// At least 1.
    pub(crate) count: u32,
}

impl FromStr for Descriptors {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Descriptors, GrammarError> {
        let (descriptor, count) = split(text, '=', "SET.BINDING=COUNT")?;
        let (descriptor, count) = (descriptor.parse()?, number(count, "a number of descriptors")?);
        if count == 0 {
            return fail(format!("{text:?}: expected at least one descriptor"));
        }
        Ok(Descriptors { descriptor, count })
    }
}

/// `--image-format SET.BINDING=FORMAT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImageFormat {
    pub(crate) descriptor: DescriptorRef,
    pub(crate) format: SurfaceFormat,
}

impl FromStr for ImageFormat {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<ImageFormat, GrammarError> {
        let (descriptor, name) = split(text, '=', "SET.BINDING=FORMAT")?;
        let Some(format) = SurfaceFormat::from_glsl(name) else {
            return fail(format!(
                "{name:?} is no format of storage images: expected a name of GLSL such as rgba8"
            ));
        };
        Ok(ImageFormat { descriptor: descriptor.parse()?, format })
    }
}

/// `--out PLACE=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Out {
    pub(crate) descriptor: DescriptorRef,
    pub(crate) file: PathBuf,
}

impl FromStr for Out {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Out, GrammarError> {
        let (descriptor, file) = split(text, '=', "PLACE=FILE")?;
        if file.is_empty() {
            return fail("no file after `=`");
        }
        Ok(Out { descriptor: descriptor.parse()?, file: file.into() })
    }
}

/// `--png PLACE=WIDTHxHEIGHT:FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Png {
    pub(crate) descriptor: DescriptorRef,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) file: PathBuf,
}

impl FromStr for Png {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Png, GrammarError> {
        const FORM: &str = "PLACE=WIDTHxHEIGHT:FILE";
        let (descriptor, rest) = split(text, '=', FORM)?;
        let (size, file) = split(rest, ':', FORM)?;
        let (width, height) = split(size, 'x', FORM)?;
        let side = |text| match number::<u32>(text, "a number of pixels")? {
            pixels if (1..=1 << 15).contains(&pixels) => Ok(pixels),
            pixels => fail(format!("{pixels} pixels: expected 1 to 32768")),
        };
        if file.is_empty() {
            return fail("no file after `:`");
        }
        Ok(Png {
            descriptor: descriptor.parse()?,
            width: side(width)?,
            height: side(height)?,
            file: file.into(),
        })
    }
}

/// The element types of `--print` and `--spec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    /// 32 bits in hexadecimal.
    X32,
}

impl Element {
    const NAMES: [(&'static str, Element); 11] = [
        ("u8", Element::U8),
        ("i8", Element::I8),
        ("u16", Element::U16),
        ("i16", Element::I16),
        ("u32", Element::U32),
        ("i32", Element::I32),
        ("f32", Element::F32),
        ("u64", Element::U64),
        ("i64", Element::I64),
        ("f64", Element::F64),
        ("x32", Element::X32),
    ];

    /// Size in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 => 2,
            Element::U32 | Element::I32 | Element::F32 | Element::X32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// The text of one element. `bytes` must have [`Element::size`] bytes.
    pub(crate) fn show(self, bytes: &[u8]) -> String {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match self {
            Element::U8 | Element::U16 | Element::U32 | Element::U64 => bits.to_string(),
            Element::I8 => (bits as i8).to_string(),
            Element::I16 => (bits as i16).to_string(),
            Element::I32 => (bits as i32).to_string(),
            Element::I64 => (bits as i64).to_string(),
            Element::F32 => f32::from_bits(bits as u32).to_string(),
            Element::F64 => f64::from_bits(bits).to_string(),
            Element::X32 => format!("0x{bits:08x}"),
        }
    }
}

impl FromStr for Element {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Element, GrammarError> {
        let names = Element::NAMES.map(|(name, _)| name).join(" ");
        Element::NAMES.into_iter().find(|(name, _)| *name == text).map_or_else(
            || fail(format!("{text:?} is not a type: expected one of {names}")),
            |row| Ok(row.1),
        )
    }
}

/// `--print PLACE=TYPE` or `--print PLACE=TYPE:COUNT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Print {
    pub(crate) descriptor: DescriptorRef,
    pub(crate) element: Element,
    /// The number of elements to print; `None` for all.
    pub(crate) count: Option<usize>,
}

impl FromStr for Print {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Print, GrammarError> {
        let (descriptor, rest) = split(text, '=', "PLACE=TYPE or PLACE=TYPE:COUNT")?;
        let (element, count) = match rest.split_once(':') {
            Some((element, count)) => (element, Some(number(count, "a number of elements")?)),
            None => (rest, None),
        };
        Ok(Print { descriptor: descriptor.parse()?, element: element.parse()?, count })
    }
}

/// `--spec ID=VALUE`: an integer, a float (with a point or an exponent), `true` or `false`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spec {
    /// A number in decimal, or the name of an `override` of WGSL.
    pub(crate) key: String,
    pub(crate) value: SpecValue,
}

/// The value of a specialization constant as written. The type in the shader decides its width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SpecValue {
    Bool(bool),
    /// Wide enough for both signed and unsigned 64-bit values.
    Integer(i128),
    Float(f64),
}

impl FromStr for Spec {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Spec, GrammarError> {
        let (id, value) = split(text, '=', "ID=VALUE")?;
        let key = match id.parse::<u32>() {
            Ok(id) => id.to_string(),
            Err(_) if id.starts_with(|c: char| c.is_alphabetic() || c == '_') => id.to_owned(),
            Err(_) => {
                return fail(format!("{id:?} is not a specialization constant's id or name"));
            }
        };
        let digits = value.strip_prefix("0x").map(|digits| i128::from_str_radix(digits, 16));
        let value = match (value, digits) {
            ("true", _) => SpecValue::Bool(true),
            ("false", _) => SpecValue::Bool(false),
            (_, Some(Ok(bits))) if bits <= i128::from(u64::MAX) => SpecValue::Integer(bits),
            (_, Some(_)) => {
                return fail(format!("{value:?} is not a hexadecimal number of at most 64 bits"));
            }
            (text, None) => match text.parse::<i128>() {
                Ok(n) if (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&n) => {
                    SpecValue::Integer(n)
                }
                Ok(_) => return fail(format!("{text} does not fit in 64 bits")),
                Err(_) => SpecValue::Float(number(text, "an integer, a float, true or false")?),
            },
        };
        Ok(Spec { key, value })
    }
}

/// `--dispatch X,Y,Z`: numbers of workgroups. Missing parts are 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dispatch(pub(crate) [u32; 3]);

impl FromStr for Dispatch {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Dispatch, GrammarError> {
        let mut groups = [1; 3];
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 3 {
            return fail(format!("{text:?} has more than three parts: expected X,Y,Z"));
        }
        for (group, part) in groups.iter_mut().zip(parts) {
            *group = number(part, "a number of workgroups")?;
        }
        Ok(Dispatch(groups))
    }
}

/// The shape of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dim {
    D1,
    D2,
    D3,
    Cube,
    D1Array,
    D2Array,
    CubeArray,
    Buffer,
}

impl Dim {
    const NAMES: [(&'static str, Dim); 8] = [
        ("1d", Dim::D1),
        ("2d", Dim::D2),
        ("3d", Dim::D3),
        ("cube", Dim::Cube),
        ("1d_array", Dim::D1Array),
        ("2d_array", Dim::D2Array),
        ("cube_array", Dim::CubeArray),
        ("buffer", Dim::Buffer),
    ];

    /// The form of SIZE for this shape.
    fn size_form(self) -> &'static str {
        match self {
            Dim::D1 | Dim::Buffer => "W",
            Dim::D2 => "WxH",
            Dim::Cube => "WxH[x6]",
            Dim::D3 => "WxHxD",
            Dim::D1Array => "WxLAYERS",
            Dim::D2Array | Dim::CubeArray => "WxHxLAYERS",
        }
    }
}

/// `--image PLACE=DIM:SIZE:FORMAT:FILE[:levels=N][:samples=N][:tiling=x|y]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) descriptor: DescriptorRef,
    pub(crate) dim: Dim,
    /// Width, height, and depth or layers; 1 for sizes that the shape does not have.
    pub(crate) size: [u32; 3],
    pub(crate) format: SurfaceFormat,
    pub(crate) contents: Contents,
    pub(crate) levels: u32,
    pub(crate) samples: u32,
    pub(crate) tiling: Tiling,
}

impl FromStr for Image {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Image, GrammarError> {
        const FORM: &str = "PLACE=DIM:SIZE:FORMAT:FILE[:levels=N][:samples=N][:tiling=x|y]";
        let (descriptor, rest) = split(text, '=', FORM)?;
        let (dim, rest) = split(rest, ':', FORM)?;
        let (size, rest) = split(rest, ':', FORM)?;
        let (format, rest) = split(rest, ':', FORM)?;
        let (rest, tiling) = match rest.rsplit_once(":tiling=") {
            Some((rest, "x")) => (rest, Tiling::X),
            Some((rest, "y")) => (rest, Tiling::Y),
            Some((_, other)) => return fail(format!("{other:?} is not a tiling: expected x or y")),
            None => (rest, Tiling::Linear),
        };
        let (rest, samples) = match rest.rsplit_once(":samples=") {
            Some((rest, samples)) => (rest, number(samples, "a number of samples")?),
            None => (rest, 1),
        };
        let (file, levels) = match rest.rsplit_once(":levels=") {
            Some((file, levels)) => (file, number(levels, "a number of levels")?),
            None => (rest, 1),
        };
        if file.is_empty() {
            return fail(format!("no file: expected {FORM}"));
        }
        let names = Dim::NAMES.map(|(name, _)| name).join(" ");
        let dim = Dim::NAMES.into_iter().find(|(name, _)| *name == dim).map_or_else(
            || fail(format!("{dim:?} is not a dimension: expected one of {names}")),
            |row| Ok(row.1),
        )?;
        let format = image_format(format)?;
        let contents = file.parse()?;
        let size = parse_size(size, dim)?;
        let largest = size.into_iter().max().unwrap_or(1);
        if levels == 0 || levels > 32 - largest.leading_zeros() {
            return fail(format!(
                "an image whose largest side has {largest} texels cannot have {levels} levels"
            ));
        }
        if tiling != Tiling::Linear && (levels > 1 || matches!(dim, Dim::D1 | Dim::Buffer)) {
            return fail("a tiled image must have at least two dimensions and only one level");
        }
        let flat = matches!(dim, Dim::D2 | Dim::D2Array) && levels == 1 && tiling == Tiling::Linear;
        if samples != 1 && !(flat && matches!(samples, 2 | 4 | 8 | 16)) {
            return fail(
                "an image with 2, 4, 8 or 16 samples must be 2d or 2d_array, with one level and without tiling",
            );
        }
        let is_plain = samples == 1 && tiling == Tiling::Linear;
        let has_blocks = !matches!(dim, Dim::D1 | Dim::D1Array | Dim::Buffer);
        if format.info().compression.is_some() && !(is_plain && has_blocks) {
            return fail(
                "an image of a compressed format must be 2d, 3d, cube or an array of these, with one sample and without tiling",
            );
        }
        let descriptor = descriptor.parse()?;
        Ok(Image { descriptor, dim, size, format, contents, levels, samples, tiling })
    }
}

/// The format of an image, by its name in GLSL or the name that [`SurfaceFormat::from_sampled`] accepts.
fn image_format(name: &str) -> Result<SurfaceFormat, GrammarError> {
    SurfaceFormat::from_sampled(name).ok_or_else(|| {
        let sampled: Vec<&str> = SurfaceFormat::sampled_names()
            .filter(|name| {
                let format = SurfaceFormat::from_sampled(name);
                format.is_some_and(|format| format.info().compression.is_none())
            })
            .collect();
        GrammarError(format!(
            "{name:?} is not an image format: expected a GLSL name such as rgba8 or r32ui, or {}, or a compressed format such as bc7, etc2_rgba8 or astc_6x6_srgb",
            sampled.join(", ")
        ))
    })
}

/// Reads the SIZE of an image of shape `dim`.
fn parse_size(text: &str, dim: Dim) -> Result<[u32; 3], GrammarError> {
    let form = dim.size_form();
    let mut parts: Vec<&str> = text.split('x').collect();
    // The size of a cube may contain its six faces.
    if dim == Dim::Cube && parts.len() == 3 && parts[2] == "6" {
        parts.pop();
    }
    if parts.len() != form.trim_end_matches("[x6]").split('x').count() {
        return fail(format!("the size {text:?} is not {form}"));
    }
    let mut sides = [1; 3];
    for (index, part) in parts.into_iter().enumerate() {
        let side: u32 = number(part, "a number of texels")?;
        let limit = if dim == Dim::Buffer { 1 << 27 } else { 1 << 14 };
        if side == 0 || side > limit {
            return fail(format!("{side} texels: expected 1 to {limit}"));
        }
        // In a one-dimensional array the second number is the number of layers, which is the third size.
        sides[if dim == Dim::D1Array && index == 1 { 2 } else { index }] = side;
    }
    if matches!(dim, Dim::Cube | Dim::CubeArray) && sides[0] != sides[1] {
        return fail(format!(
            "the faces of a cube must be squares, found {}x{}",
            sides[0], sides[1]
        ));
    }
    if dim == Dim::CubeArray && sides[2] % 6 != 0 {
        return fail(format!("a cube array has {} layers: expected a multiple of 6", sides[2]));
    }
    Ok(sides)
}

/// `--sampler PLACE=FILTER:ADDRESS[:mip=FILTER][:compare=OP][:border=COLOUR]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sampler {
    pub(crate) descriptor: DescriptorRef,
    pub(crate) state: crestline_device::Sampler,
}

impl FromStr for Sampler {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Sampler, GrammarError> {
        const FORM: &str = "PLACE=nearest|linear:repeat|clamp|mirror|mirror_once|border[:mip=FILTER][:compare=OP][:border=COLOUR]";
        let (descriptor, state) = split(text, '=', FORM)?;
        let state = state.parse().or_else(|error| fail(format!("{error}")))?;
        Ok(Sampler { descriptor: descriptor.parse()?, state })
    }
}

/// `--memory strong|weak[:SEED]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory(pub(crate) MemoryModel);

impl FromStr for Memory {
    type Err = GrammarError;

    fn from_str(text: &str) -> Result<Memory, GrammarError> {
        match text.split_once(':').map_or((text, "0"), |parts| parts) {
            ("strong", _) if text == "strong" => Ok(Memory(MemoryModel::Strong)),
            ("weak", seed) => {
                Ok(Memory(MemoryModel::Weak { seed: number(seed, "a seed: a number")? }))
            }
            _ => fail(format!("{text:?}: expected strong or weak[:SEED]")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error<T: FromStr<Err = GrammarError> + fmt::Debug>(text: &str) -> String {
        text.parse::<T>().unwrap_err().to_string()
    }

    #[test]
    fn descriptors_and_buffers() {
        let descriptor = |set, binding, element| DescriptorRef { set, binding, element };
        assert_eq!("1.2".parse(), Ok(descriptor(1, 2, 0)));
        assert_eq!("1.2[3]".parse(), Ok(descriptor(1, 2, 3)));
        assert_eq!(descriptor(1, 2, 3).to_string(), "1.2[3]");
        assert!(error::<DescriptorRef>("1.2[3").contains("SET.BINDING[ELEMENT]"));
        let bind: Bind = "0.1[2]=a=b.bin".parse().unwrap();
        assert_eq!(bind.contents, Contents::File("a=b.bin".into()));
        assert_eq!("0.1=zero:64".parse::<Bind>().unwrap().contents, Contents::Zero(64));
        assert!(error::<Bind>("0.1=zero:-1").contains("is not a number of bytes"));
        assert!(error::<Bind>("0.1=zero:99999999999").contains("expected 1 to"));
        assert!(error::<Bind>("0.1").contains("PLACE=FILE"));
        assert_eq!("0.1=-".parse::<Out>().unwrap().file, PathBuf::from("-"));
        let png: Png = "0.0=640x480:a.png".parse().unwrap();
        assert_eq!((png.width, png.height), (640, 480));
        assert!(error::<Png>("0.0=0x4:a").contains("expected 1 to 32768"));
    }

    #[test]
    fn values() {
        let print: Print = "0.1=f32:4".parse().unwrap();
        assert_eq!((print.element, print.count), (Element::F32, Some(4)));
        assert!(error::<Print>("0.1=f31").contains("expected one of u8"));
        assert_eq!(Element::I16.show(&[0xff, 0xff]), "-1");
        assert_eq!(Element::F32.show(&1.5f32.to_le_bytes()), "1.5");
        assert_eq!(Element::X32.show(&[1, 0, 0, 0]), "0x00000001");
        let value = |text: &str| text.parse::<Spec>().map(|spec| spec.value);
        assert_eq!(value("1=-3"), Ok(SpecValue::Integer(-3)));
        assert_eq!(value("1=0xff"), Ok(SpecValue::Integer(255)));
        assert_eq!(value("1=2.5"), Ok(SpecValue::Float(2.5)));
        assert_eq!(value("1=true"), Ok(SpecValue::Bool(true)));
        assert_eq!("007=1".parse::<Spec>().unwrap().key, "7");
        assert_eq!("count=1".parse::<Spec>().unwrap().key, "count");
        assert!(error::<Spec>("-1=1").contains("id or name"));
        assert!(error::<Spec>("1=x").contains("an integer, a float, true or false"));
        assert!(error::<Spec>("1=0x1ffffffffffffffff").contains("64 bits"));
        assert_eq!("4".parse(), Ok(Dispatch([4, 1, 1])));
        assert_eq!("4,5,6".parse(), Ok(Dispatch([4, 5, 6])));
        assert!(error::<Dispatch>("1,2,3,4").contains("more than three"));
    }

    #[test]
    fn images() {
        let image: Image = "0.1=2d:64x32:rgba8:a.bin:levels=3".parse().unwrap();
        assert_eq!((image.dim, image.size, image.levels), (Dim::D2, [64, 32, 1], 3));
        assert_eq!(image.format, SurfaceFormat::R8G8B8A8_UNORM);
        let tiled: Image = "0.1=2d:64x32:rgba8:zero:8192:tiling=y".parse().unwrap();
        assert_eq!(tiled.tiling, Tiling::Y);
        assert!(error::<Image>("0.1=1d:64:rgba8:a:tiling=x").contains("at least two"));
        let image: Image = "0.1=1d_array:8x5:r32ui:zero:160".parse().unwrap();
        assert_eq!((image.size, image.contents), ([8, 1, 5], Contents::Zero(160)));
        assert!("0.1=buffer:100000:r32f:a".parse::<Image>().is_ok());
        assert!(error::<Image>("0.1=2d:64:rgba8:a").contains("is not WxH"));
        assert!(error::<Image>("0.1=4d:64:rgba8:a").contains("expected one of 1d"));
        assert!(error::<Image>("0.1=cube:4x5:rgba8:a").contains("squares"));
        let cube: Image = "0.1=cube:8x8x6:rgba8:a".parse().unwrap();
        assert_eq!((cube.dim, cube.size), (Dim::Cube, [8, 8, 1]));
        assert!(error::<Image>("0.1=cube:8x8x5:rgba8:a").contains("is not WxH[x6]"));
        for (name, format) in [
            ("d16", SurfaceFormat::R16_UNORM),
            ("d32f", SurfaceFormat::R32_FLOAT),
            ("srgb8_a8", SurfaceFormat::R8G8B8A8_UNORM_SRGB),
            ("bgra8", SurfaceFormat::B8G8R8A8_UNORM),
            ("d24s8", SurfaceFormat::R24_UNORM_X8_TYPELESS),
            ("bc7_srgb", SurfaceFormat::BC7_UNORM_SRGB),
            ("astc_6x5", SurfaceFormat::ASTC_LDR_2D_6X5_FLT16),
        ] {
            let image: Image = format!("0.1=2d:4x4:{name}:a").parse().unwrap();
            assert_eq!(image.format, format, "{name}");
        }
        assert!(error::<Image>("0.1=cube_array:4x4x5:rgba8:a").contains("multiple of 6"));
        for text in
            ["1d:64:bc1:a", "buffer:64:bc1:a", "2d:4x4:bc1:a:samples=4", "2d:4x4:bc1:a:tiling=y"]
        {
            assert!(error::<Image>(&format!("0.1={text}")).contains("compressed format"), "{text}");
        }
        assert!(error::<Image>("0.1=2d:4x4:rgba9:a").contains("is not an image format"));
        assert!(error::<Image>("0.1=2d:4x4:rgba8:a:levels=4").contains("cannot have 4 levels"));
        assert!(error::<Image>("0.1=2d:4x4:rgba8:").contains("no file"));
    }

    #[test]
    fn memory_models() {
        assert_eq!("strong".parse(), Ok(Memory(MemoryModel::Strong)));
        assert_eq!("weak".parse(), Ok(Memory(MemoryModel::Weak { seed: 0 })));
        assert_eq!("weak:7".parse(), Ok(Memory(MemoryModel::Weak { seed: 7 })));
        assert!(error::<Memory>("strong:1").contains("weak[:SEED]"));
        assert!(error::<Memory>("weak:x").contains("a seed"));
    }

    #[test]
    fn samplers() {
        let sampler: Sampler = "0.2=linear:border:compare=less".parse().unwrap();
        assert_eq!(sampler.descriptor.to_string(), "0.2");
        assert_eq!(Ok(sampler.state), "linear:border:compare=less".parse());
        assert!(error::<Sampler>("0.2:linear").contains("nearest|linear"));
        assert!(error::<Sampler>("0.2=cubic:clamp").contains("no filter"));
    }
}
