//! The contents of the buffers and images of a script.

use super::{Failure, Host};
use crate::format::{Component, Format, NumberKind};
use crate::lexer::Number;
use crate::limits;
use crate::parse::Writer;
use crate::script::{Buffer, Contents, Image, Script};
use crate::types::{Layout, Slot, load, store};

/// A buffer or image with its contents.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// The contents. The samples of a texel follow one another, the levels of an image too.
    pub bytes: Vec<u8>,
    /// The shape with its size, if it is an image.
    pub image: Option<Image>,
}

/// All buffers and images, in the order of the script.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The contents of each.
    pub buffers: Vec<Stored>,
}

/// The sizes that pipelines give to images without a size: first as attachments, else as descriptors.
fn sizes(script: &Script) -> Vec<Option<[u32; 3]>> {
    let mut sizes = vec![None; script.buffers.len()];
    let mut set = |buffer: usize, level: u32, [width, height]: [u32; 2]| {
        let size = [width << level, height << level, 1];
        sizes[buffer].get_or_insert(size);
    };
    for pipeline in &script.pipelines {
        let depth = pipeline.depth_stencil.iter();
        for attachment in pipeline.colours.iter().chain(depth).chain(&pipeline.resolves) {
            set(attachment.buffer, attachment.level, pipeline.size);
        }
    }
    for pipeline in &script.pipelines {
        for element in pipeline.bindings.iter().flat_map(|binding| &binding.elements) {
            if let Some(buffer) = element.buffer {
                set(buffer, element.level, pipeline.size);
            }
        }
    }
    sizes
}

impl Memory {
    /// Allocates and fills all buffers.
    ///
    /// # Errors
    /// If they are too large, or a file cannot be read.
    pub fn new(script: &Script, host: &dyn Host) -> Result<Memory, Failure> {
        let mut memory = Memory::default();
        let mut left = limits::BUFFER_BYTES;
        for (buffer, size) in script.buffers.iter().zip(sizes(script)) {
            let stored = Stored::new(buffer, size, host, &mut left)
                .map_err(|message| Failure::script(buffer.place, message))?;
            memory.buffers.push(stored);
        }
        Ok(memory)
    }

    /// Copies a buffer to another. An image without a size gets that of the source.
    ///
    /// # Errors
    /// If they have different sizes or formats.
    pub fn copy(&mut self, from: usize, to: usize) -> Result<(), String> {
        let source = self.buffers[from].clone();
        let target = &mut self.buffers[to];
        match (&source.image, &mut target.image) {
            (Some(from), Some(to)) => {
                if from.format != to.format {
                    return Err(format!(
                        "the images have different formats: {} and {}",
                        from.format.name, to.format.name
                    ));
                }
                if to.size.is_none() {
                    *to = from.clone();
                } else if (from.size, from.levels, from.samples) != (to.size, to.levels, to.samples)
                {
                    return Err("the images have different sizes".to_owned());
                }
            }
            _ if source.bytes.len() != target.bytes.len() => {
                return Err(format!(
                    "the buffers have different sizes: {} and {} bytes",
                    source.bytes.len(),
                    target.bytes.len()
                ));
            }
            _ => {}
        }
        target.bytes = source.bytes;
        Ok(())
    }

    /// Replaces values. Values beyond the buffer are left out.
    pub fn write(&mut self, buffer: usize, values: &[(Slot, u64)]) {
        for (slot, bits) in values {
            store(&mut self.buffers[buffer].bytes, *slot, *bits);
        }
    }

    /// The pixels of an image as red, green, blue and alpha of 8 bits each.
    ///
    /// # Errors
    /// If there is no such image of two dimensions.
    pub fn picture(&self, script: &Script, name: &str) -> Result<(u32, u32, Vec<u8>), String> {
        let index = script.buffers.iter().position(|buffer| buffer.name == name);
        let index = index.ok_or_else(|| format!("the script has no buffer `{name}`"))?;
        let missing = || format!("the buffer `{name}` is no image with two dimensions");
        let stored = self.buffers.get(index).ok_or_else(missing)?;
        let image = stored.image.as_ref().ok_or_else(missing)?;
        let [width, height, _] = image.size.ok_or_else(missing)?;
        let mut pixels = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0; 4];
                for sample in 0..image.samples {
                    let texel = stored.texel(image, [x, y], sample).ok_or_else(missing)?;
                    let colour = stored_colour(&image.format, texel);
                    for (sum, component) in sum.iter_mut().zip(colour) {
                        *sum += component / f64::from(image.samples);
                    }
                }
                pixels
                    .extend(sum.map(|component| (component.clamp(0.0, 1.0) * 255.0).round() as u8));
            }
        }
        Ok((width, height, pixels))
    }
}

impl Stored {
    fn new(
        buffer: &Buffer,
        size: Option<[u32; 3]>,
        host: &dyn Host,
        left: &mut u64,
    ) -> Result<Stored, String> {
        let mut image = buffer.image.clone();
        let mut png = None;
        if let Contents::Png(path) = &buffer.contents {
            let file = host.read(path)?;
            let (width, height, pixels) =
                host.decode_png(&file).map_err(|text| format!("{path}: {text}"))?;
            if let Some(image) = &mut image {
                image.size = Some([width, height, 1]);
            }
            png = Some(pixels);
        }
        if let Some(image) = &mut image {
            image.size = image.size.or(size);
        }
        let file = match &buffer.contents {
            Contents::Binary(path) | Contents::Text(path) => Some(host.read(path)?),
            _ => None,
        };
        let known = image.as_ref().map(|image| image.bytes().unwrap_or(0)).or(buffer.bytes);
        // The values of a text are decoded with the limit of all buffers.
        let size =
            known.or(file.as_ref().filter(|_| !is_text(buffer)).map(|file| file.len() as u64));
        *left = left.checked_sub(size.unwrap_or(0)).ok_or_else(|| {
            format!("the buffers of the script have more than {} bytes", limits::BUFFER_BYTES)
        })?;
        let mut bytes = vec![0; size.unwrap_or(0) as usize];
        match (&buffer.contents, file) {
            (Contents::Bytes(given), _) => copy_start(&mut bytes, given),
            (Contents::Fill(value), _) => fill(&buffer.layout, &mut bytes, |_| *value)?,
            (Contents::Series { start, step }, _) => {
                fill(&buffer.layout, &mut bytes, |index| series(*start, *step, index))?;
            }
            (Contents::Binary(_), Some(file)) => copy_start(&mut bytes, &file),
            (Contents::Text(path), Some(file)) => {
                let values = text_values(&buffer.layout, &file, known, *left)
                    .map_err(|message| format!("{path}: {message}"))?;
                match known {
                    Some(_) => copy_start(&mut bytes, &values),
                    None => bytes = values,
                }
            }
            (Contents::Png(_), _) => {
                let format = &buffer.layout;
                let colours = image.as_ref().map(|image| &image.format.channels);
                let pixels = png.unwrap_or_default();
                let channels = colours.ok_or("a buffer with a PNG file needs a FORMAT")?;
                if channels.iter().any(|channel| channel.bits != 8) {
                    return Err("a PNG file needs a format with channels of 8 bits".to_owned());
                }
                for (pixel, texel) in
                    pixels.chunks_exact(4).zip(bytes.chunks_exact_mut(format.stride as usize))
                {
                    for channel in channels {
                        if let Component::Colour(component) = channel.component {
                            texel[usize::from(channel.shift / 8)] = pixel[usize::from(component)];
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(Stored { bytes, image })
    }

    /// The bytes of a texel of level 0.
    pub(super) fn texel(&self, image: &Image, [x, y]: [u32; 2], sample: u32) -> Option<&[u8]> {
        let [width, height, _] = image.size?;
        if x >= width || y >= height {
            return None;
        }
        let pixel = u64::from(y) * u64::from(width) + u64::from(x);
        let texel = pixel * u64::from(image.samples) + u64::from(sample);
        let first = usize::try_from(texel * u64::from(image.format.bytes)).ok()?;
        self.bytes.get(first..first + image.format.bytes as usize)
    }
}

fn is_text(buffer: &Buffer) -> bool {
    matches!(buffer.contents, Contents::Text(_))
}

/// Copies as many bytes as fit.
fn copy_start(target: &mut [u8], source: &[u8]) {
    let count = target.len().min(source.len());
    target[..count].copy_from_slice(&source[..count]);
}

/// Sets all values.
fn fill(layout: &Layout, bytes: &mut [u8], value: impl Fn(u64) -> Number) -> Result<(), String> {
    for index in 0.. {
        let Some(slot) = layout.slot(index) else { break };
        let bits = slot.scalar.encode(value(index))?;
        if store(bytes, slot, bits).is_none() {
            break;
        }
    }
    Ok(())
}

/// Value number `index` of a series.
fn series(start: Number, step: Number, index: u64) -> Number {
    let integer =
        start.integer.zip(step.integer).map(|(start, step)| start + step * i128::from(index));
    Number { float: start.float + step.float * index as f64, integer }
}

/// The values of a text, separated by white space.
fn text_values(
    layout: &Layout,
    file: &[u8],
    known: Option<u64>,
    left: u64,
) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(file).map_err(|_| "the file is no text in UTF-8")?;
    let mut writer =
        Writer { layout, bytes: Vec::new(), count: 0, limit: Some(known.unwrap_or(left)) };
    for line in text.lines() {
        let content = line.split('#').next().unwrap_or_default();
        for word in content.split_whitespace() {
            let number =
                Number::parse(word).ok_or_else(|| format!("expected a number, found `{word}`"))?;
            writer.add(number).map_err(|message| format!("the value `{word}`: {message}"))?;
        }
    }
    Ok(writer.bytes)
}

/// Red, green, blue and alpha of a texel: normalized numbers from -1 to 1 and linear, others as they are; without depth
/// and stencil. Missing components are 0, 0, 0, 1.
pub(super) fn colour(format: &Format, texel: &[u8]) -> [f64; 4] {
    let mut colour = stored_colour(format, texel);
    for channel in &format.channels {
        if let (Component::Colour(component @ 0..3), NumberKind::Srgb) =
            (channel.component, channel.kind)
        {
            let value = &mut colour[usize::from(component)];
            *value = if *value <= 0.04045 {
                *value / 12.92
            } else {
                ((*value + 0.055) / 1.055).powf(2.4)
            };
        }
    }
    colour
}

/// Like [`colour`], but sRGB components as they are stored.
fn stored_colour(format: &Format, texel: &[u8]) -> [f64; 4] {
    let mut colour = [0.0, 0.0, 0.0, 1.0];
    for channel in &format.channels {
        let component = match channel.component {
            Component::Colour(component) => usize::from(component),
            // Depth is shown as red.
            Component::Depth => 0,
            _ => continue,
        };
        let scalar = crate::types::Scalar { kind: channel.kind, bits: channel.bits };
        let slot = Slot { bit: channel.shift.into(), scalar };
        let Some(bits) = load(texel, slot) else { continue };
        let value = scalar.decode(bits).float;
        let most = |bits: u32| (2f64.powi(bits as i32) - 1.0).max(1.0);
        colour[component] = match channel.kind {
            NumberKind::Unorm | NumberKind::Srgb => value / most(channel.bits.into()),
            NumberKind::Snorm => (value / most(u32::from(channel.bits) - 1)).max(-1.0),
            _ => value,
        };
    }
    colour
}

/// Whether the components of a format are integers.
pub(super) fn is_integer(format: &Format) -> bool {
    let colours = || {
        let is_colour = |component| matches!(component, Component::Colour(_));
        format.channels.iter().filter(move |channel| is_colour(channel.component))
    };
    colours().any(|channel| matches!(channel.kind, NumberKind::Uint | NumberKind::Sint))
}
