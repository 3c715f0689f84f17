//! The resources of a program: which there are, and what they contain before and after a run.

use crestline_device::SurfaceFormat;
use crestline_emu::{Filter, ImageData, ImageDimension, ImageShape, Region, Resources, Sampler};
use crestline_program::{Content, Metadata, ResourceRef, Surface};
use serde::{Deserialize, Serialize};

use super::picture;
use crate::compile::{Problem, hex};

/// The size of a buffer that the request does not name, in bytes.
const DEFAULT_BYTES: u32 = 4096;
/// The side of an image that the request does not name, in texels.
const DEFAULT_SIDE: u32 = 64;
/// The most bytes of all resources.
const MOST_BYTES: u64 = 64 << 20;
/// The bytes of a buffer in an answer.
const WINDOW: usize = 4096;

/// What a resource contains before a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fill {
    /// Zeros.
    Zero,
    /// In buffers: dword n is n.
    #[default]
    Index,
    /// In buffers: floats from 0 to 1. In images: red grows along x, green along y, blue is a chequered pattern.
    Gradient,
    /// The numbers of `values`, as dwords; the rest is zero.
    Values,
}

/// A resource of a request.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setting {
    /// Set and binding, such as `0.1`, and the element of an array: `0.1[2]`.
    name: String,
    /// Bytes of a buffer.
    bytes: Option<u32>,
    /// Width, height, and depth or layers of an image.
    size: Option<[u32; 3]>,
    /// The format of an image, by its name in GLSL.
    format: Option<String>,
    fill: Option<Fill>,
    #[serde(default)]
    values: String,
    /// Whether a sampler filters linearly.
    linear: Option<bool>,
    /// The first byte, or the layer, that the answer has.
    #[serde(default)]
    from: u32,
}

/// A resource of an answer.
#[derive(Debug, Serialize)]
pub(crate) struct Contents {
    name: String,
    /// What the program uses it as.
    kind: &'static str,
    /// Bytes of a buffer or an image.
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fill: Option<Fill>,
    #[serde(skip_serializing_if = "Option::is_none")]
    linear: Option<bool>,
    /// The first byte of `hex`, or the layer of `png`.
    from: u32,
    /// Bytes of a buffer from `from` on as hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    /// A layer of an image as a PNG file in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    png: Option<String>,
}

impl Contents {
    /// An image.
    pub(crate) fn image(
        name: String,
        kind: &'static str,
        image: &ImageData,
        fill: Option<Fill>,
        from: u32,
    ) -> Contents {
        let shape = image.shape();
        Contents {
            name,
            kind,
            bytes: shape.bytes(),
            size: Some([shape.width, shape.height, shape.depth]),
            format: Some(format_name(shape.format)),
            fill,
            linear: None,
            from,
            hex: None,
            png: picture::png(image, from),
        }
    }
}

fn format_name(format: SurfaceFormat) -> String {
    format.glsl_name().unwrap_or(format.name()).to_owned()
}

/// What a resource is, with its settings.
enum What {
    Buffer,
    Image(ImageShape),
    Sampler { linear: bool },
}

struct Row {
    resource: ResourceRef,
    kind: &'static str,
    what: What,
    fill: Fill,
    from: u32,
}

/// The resources of a program, ready for a run.
pub(crate) struct Bound {
    pub(crate) resources: Resources,
    /// Bytes of push constants that the program reads.
    pub(crate) push_bytes: u32,
    rows: Vec<Row>,
}

/// The resources that a program uses, each once, with its kind and the format of an image.
fn used(metadata: &Metadata) -> Vec<(ResourceRef, &'static str, Option<SurfaceFormat>)> {
    let mut used: Vec<(ResourceRef, &'static str, Option<SurfaceFormat>)> = Vec::new();
    for entry in &metadata.binding_table {
        let Some(resource) = entry.surface.resource() else { continue };
        let (kind, format) = match &entry.surface {
            Surface::StorageBuffer { .. } => ("storage buffer", None),
            Surface::UniformBuffer { .. } => ("uniform buffer", None),
            Surface::AtomicCounters { .. } => ("atomic counters", None),
            Surface::TexelBuffer { .. } => ("texel buffer", None),
            Surface::StorageImage { format, .. } => ("storage image", *format),
            Surface::SampledImage { format, .. } => ("sampled image", *format),
            _ => continue,
        };
        let format = format.filter(|format| *format != SurfaceFormat::RAW);
        match used.iter_mut().find(|(known, ..)| *known == resource) {
            Some((.., known)) => *known = known.or(format),
            None => used.push((resource, kind, format)),
        }
    }
    used.sort_by_key(|(resource, ..)| *resource);
    used
}

/// The numbers of a text as dwords: integers of either sign, hex numbers, and floats, which have a point or an exponent.
fn dwords(text: &str) -> Result<Vec<u8>, Problem> {
    let number = |word: &str| -> Option<u32> {
        if let Some(digits) = word.strip_prefix("0x") {
            return u32::from_str_radix(digits, 16).ok();
        }
        let signed = || word.parse::<i32>().ok().map(i32::cast_unsigned);
        let float = || word.parse::<f32>().ok().map(f32::to_bits);
        word.parse::<u32>().ok().or_else(signed).or_else(float)
    };
    let words = text.split([' ', ',', ';', '\n', '\t']).filter(|word| !word.is_empty());
    let mut bytes = Vec::new();
    for word in words {
        let bits = number(word)
            .ok_or_else(|| Problem::request(format!("expected a number, found {word:?}")))?;
        bytes.extend(bits.to_le_bytes());
    }
    Ok(bytes)
}

/// Makes the resources of a program.
pub(crate) fn bind(
    metadata: &Metadata,
    settings: &[Setting],
    push: &str,
) -> Result<Bound, Problem> {
    let default = Setting::default();
    let mut left = MOST_BYTES;
    let mut take = |bytes: u64| -> Result<(), Problem> {
        let rest = left.checked_sub(bytes);
        left = rest.ok_or_else(|| {
            Problem::request(format!("the resources have more than {MOST_BYTES} bytes"))
        })?;
        Ok(())
    };
    let emulator = |error: crestline_emu::EmuError| Problem::new("emulator", error.to_string());
    let mut resources = Resources::new();
    let mut rows = Vec::new();
    let setting = |resource: ResourceRef, kind: &str| {
        let name = resource.to_string();
        // A combined image and sampler has two settings with one name; a setting may also be for another program.
        let fits = |one: &&Setting| match kind {
            "sampler" => one.linear.is_some(),
            _ if kind.ends_with("image") => one.linear.is_none() && one.bytes.is_none(),
            _ => one.linear.is_none() && one.size.is_none() && one.format.is_none(),
        };
        let mut found = settings.iter().filter(|setting| setting.name == name);
        found.find(fits).unwrap_or(&default)
    };
    for (resource, kind, format) in used(metadata) {
        let given = setting(resource, kind);
        let image = kind.ends_with("image");
        let otherwise = if image { Fill::Gradient } else { Fill::Index };
        let fill = given.fill.unwrap_or(otherwise);
        let what = if image {
            let shape = shape(given, kind, format)?;
            take(shape.bytes())?;
            let bytes = texels(&shape, fill, &given.values)?;
            resources.set_image(resource, shape, &bytes).map_err(emulator)?;
            What::Image(shape)
        } else {
            let bytes = given.bytes.unwrap_or(DEFAULT_BYTES).max(4);
            take(bytes.into())?;
            resources.set_buffer(resource, &contents(bytes as usize, fill, &given.values)?);
            What::Buffer
        };
        rows.push(Row { resource, kind, what, fill, from: given.from });
    }
    for entry in &metadata.samplers {
        let linear = setting(entry.resource, "sampler").linear.unwrap_or(true);
        let filter = if linear { Filter::Linear } else { Filter::Nearest };
        resources.set_sampler(entry.resource, Sampler { filter, ..Sampler::default() });
        let what = What::Sampler { linear };
        let (resource, kind) = (entry.resource, "sampler");
        rows.push(Row { resource, kind, what, fill: Fill::Zero, from: 0 });
    }
    let items = metadata.dispatches.iter().flat_map(|dispatch| &dispatch.payload.items);
    let ends = items.map(|item| match item.content {
        Content::PushConstant { offset } => offset.saturating_add(item.size),
        _ => 0,
    });
    let push_bytes = ends.max().unwrap_or(0);
    let mut pushed = dwords(push)?;
    pushed.resize(pushed.len().max(push_bytes as usize).next_multiple_of(4), 0);
    resources.set_push_constants(&pushed);
    resources.assign_addresses().map_err(emulator)?;
    Ok(Bound { resources, push_bytes, rows })
}

fn shape(
    given: &Setting,
    kind: &str,
    format: Option<SurfaceFormat>,
) -> Result<ImageShape, Problem> {
    let named = |name: &str| {
        SurfaceFormat::from_glsl(name)
            .or_else(|| SurfaceFormat::from_sampled(name))
            .or_else(|| name.parse().ok())
            .filter(|format| format.info().compression.is_none())
            .ok_or_else(|| Problem::request(format!("the format {name:?} is unknown")))
    };
    let format = match (&given.format, format) {
        (Some(name), _) => named(name)?,
        (None, Some(format)) => format,
        (None, None) => SurfaceFormat::R8G8B8A8_UNORM,
    };
    let [width, height, depth] = given.size.unwrap_or([DEFAULT_SIDE, DEFAULT_SIDE, 1]);
    // The metadata do not say how many dimensions an image has: an image of one layer has two.
    let dimension = match depth {
        0 | 1 => ImageDimension::D2,
        _ if kind == "storage image" => ImageDimension::D3,
        _ => ImageDimension::D2Array,
    };
    let depth = depth.max(1);
    if [width, height, depth].iter().any(|side| !(1..=1 << 14).contains(side)) {
        return Err(Problem::request("the sides of an image have 1 to 16384 texels"));
    }
    Ok(ImageShape { dimension, format, width, height, depth, levels: 1, samples: 1 })
}

/// The bytes of a buffer.
fn contents(bytes: usize, fill: Fill, values: &str) -> Result<Vec<u8>, Problem> {
    let count = bytes.div_ceil(4) as u32;
    let mut made: Vec<u8> = match fill {
        Fill::Zero => Vec::new(),
        Fill::Index => (0..count).flat_map(u32::to_le_bytes).collect(),
        Fill::Gradient => {
            let part = |n: u32| n as f32 / (count - 1).max(1) as f32;
            (0..count).flat_map(|n| part(n).to_le_bytes()).collect()
        }
        Fill::Values => dwords(values)?,
    };
    made.resize(bytes, 0);
    Ok(made)
}

/// The bytes of an image.
fn texels(shape: &ImageShape, fill: Fill, values: &str) -> Result<Vec<u8>, Problem> {
    let zero = vec![0; shape.bytes() as usize];
    match fill {
        Fill::Zero => Ok(zero),
        Fill::Values => contents(zero.len(), fill, values),
        Fill::Index | Fill::Gradient => {
            let wrong = |error: crestline_emu::TransferError| Problem::request(error.to_string());
            let mut image = ImageData::new(*shape, zero).map_err(wrong)?;
            let integers = integers(shape.format);
            let [width, height, depth] = [shape.width, shape.height, shape.depth];
            for n in 0..width * height * depth {
                let [x, y, z] = [n % width, n / width % height, n / width / height];
                let part = |at: u32, side: u32| at as f32 / (side - 1).max(1) as f32;
                let colour = match fill {
                    Fill::Index => {
                        [n, x, y, 255].map(|n| if integers { n } else { (n as f32).to_bits() })
                    }
                    _ => {
                        let field = if (x / 8 + y / 8 + z).is_multiple_of(2) { 0.2 } else { 0.8 };
                        let floats = [part(x, width), part(y, height), field, 1.0];
                        floats.map(
                            |value| {
                                if integers { (value * 255.0) as u32 } else { value.to_bits() }
                            },
                        )
                    }
                };
                let region = Region { level: 0, origin: [x, y, z], size: [1; 3] };
                image.clear(&region, colour).map_err(wrong)?;
            }
            Ok(image.into_bytes())
        }
    }
}

/// Whether the channels of a format are integers.
fn integers(format: SurfaceFormat) -> bool {
    use crestline_device::ChannelKind;
    let channels = format.info().channels;
    let mut kinds = channels.iter().flatten().map(|channel| channel.kind);
    kinds.any(|kind| matches!(kind, ChannelKind::Uint | ChannelKind::Sint))
}

impl Bound {
    /// The resources with their contents of now.
    pub(crate) fn contents(&self) -> Result<Vec<Contents>, Problem> {
        self.rows.iter().map(|row| self.row(row)).collect()
    }

    fn row(&self, row: &Row) -> Result<Contents, Problem> {
        let Row { resource, kind, fill, from, .. } = *row;
        let name = resource.to_string();
        let none = Contents {
            name: name.clone(),
            kind,
            bytes: 0,
            size: None,
            format: None,
            fill: None,
            linear: None,
            from,
            hex: None,
            png: None,
        };
        Ok(match row.what {
            What::Buffer => {
                let bytes = self.resources.buffer(resource).unwrap_or_default();
                let start = (from as usize).min(bytes.len());
                let end = (start + WINDOW).min(bytes.len());
                Contents {
                    bytes: bytes.len() as u64,
                    fill: Some(fill),
                    hex: Some(hex(&bytes[start..end])),
                    ..none
                }
            }
            What::Image(shape) => {
                let bytes = self.resources.image(resource).unwrap_or_default();
                let image = ImageData::new(shape, bytes)
                    .map_err(|error| Problem::request(error.to_string()))?;
                Contents::image(name, kind, &image, Some(fill), from)
            }
            What::Sampler { linear } => Contents { linear: Some(linear), ..none },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dwords() {
        let read = |text| dwords(text).map_err(|problem| format!("{problem:?}"));
        let expected: Vec<u8> =
            [1, u32::MAX, 0xff, 1.5f32.to_bits()].iter().flat_map(|n| n.to_le_bytes()).collect();
        assert_eq!(read("1, -1\n0xff;1.5"), Ok(expected));
        assert_eq!(read(""), Ok(Vec::new()));
        assert!(read("1 x").is_err_and(|problem| problem.contains("found \\\"x\\\"")));
    }

    #[test]
    fn contents_fill_a_buffer() {
        let made = |fill, values| contents(10, fill, values).expect("numbers");
        assert_eq!(made(Fill::Index, ""), [0, 0, 0, 0, 1, 0, 0, 0, 2, 0]);
        assert_eq!(made(Fill::Values, "7"), [7, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(made(Fill::Values, "1 2 3 4"), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0]);
        assert_eq!(made(Fill::Gradient, "")[4..8], 0.5f32.to_le_bytes());
    }
}
