//! The attachments of a draw call: colour, depth and stencil, with their formats and contents.

use crate::image::{ImageDimension, ImageShape};
use crate::samples;
use crate::texel::{decode, encode_colour, is_integer};
use crestline_device::{ChannelKind, SurfaceFormat};
use crestline_program::{ColourType, MAX_COLOUR_TARGETS};

/// The largest width and height of a framebuffer in pixels (gen7 to gen9).
const MAX_SIDE: u32 = 16384;
/// The largest number of samples of a framebuffer, over all pixels: that of the largest framebuffer with one sample per
/// pixel.
const MAX_SAMPLES: u64 = 1 << 28;
/// The largest number of layers of a framebuffer (gen7 to gen9: RENDER_SURFACE_STATE, `Depth`).
const MAX_LAYERS: u32 = 2048;
/// The largest size of an attachment in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Why attachments cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FramebufferError {
    /// The framebuffer has no pixels, or too many.
    #[error(
        "a framebuffer of {width} by {height} pixels: expected 1 to {MAX_SIDE} along each side"
    )]
    Size {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// A pixel cannot have this number of samples, or all pixels together have too many samples.
    #[error(
        "a framebuffer of {width} by {height} pixels with {samples} samples each: expected 1, 2, 4, 8 or 16, and at most 2^28 in total"
    )]
    Samples {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// The samples of a pixel.
        samples: u32,
    },
    /// The framebuffer has no layers, or too many.
    #[error(
        "a framebuffer of {layers} layers: expected 1 to {MAX_LAYERS}, and at most 2^28 samples in total"
    )]
    Layers {
        /// The layers.
        layers: u32,
    },
    /// There are more viewports than the hardware has.
    #[error("{count} viewports: expected at most {most}")]
    Viewports {
        /// The viewports.
        count: usize,
        /// The most that are possible.
        most: usize,
    },
    /// A format that the emulator cannot render to.
    #[error("attachment {target}: {format} is not a format of colour attachments")]
    Format {
        /// The attachment.
        target: u8,
        /// The format.
        format: SurfaceFormat,
    },
    /// An attachment number that is too large.
    #[error("attachment {target}: expected 0 to {}", MAX_COLOUR_TARGETS - 1)]
    Target {
        /// The attachment.
        target: u8,
    },
    /// An attachment whose contents do not have the framebuffer's size.
    #[error("attachment {target} has {given} bytes: expected {expected}")]
    Contents {
        /// The attachment.
        target: u8,
        /// Its bytes.
        given: usize,
        /// The bytes of the framebuffer in its format.
        expected: usize,
    },
    /// A depth or stencil attachment whose contents do not have the framebuffer's size.
    #[error("the {what} attachment has {given} values: expected {expected}")]
    PlainContents {
        /// `depth` or `stencil`.
        what: &'static str,
        /// Its values.
        given: usize,
        /// The samples of the framebuffer.
        expected: usize,
    },
    /// An attachment that is too large.
    #[error("attachment {target} has {size} bytes: expected at most {MAX_BYTES}")]
    TooLarge {
        /// The attachment.
        target: u8,
        /// Its bytes.
        size: u64,
    },
    /// The shader writes components of another type than the attachment has.
    #[error("attachment {target} has the format {format}, but the shader writes {}", values(*output))]
    Type {
        /// The attachment.
        target: u8,
        /// Its format.
        format: SurfaceFormat,
        /// The type of the shader's output.
        output: ColourType,
    },
    /// Blending of an attachment of integers.
    #[error("attachment {target} has the format {format}, which cannot be blended")]
    Blend {
        /// The attachment.
        target: u8,
        /// Its format.
        format: SurfaceFormat,
    },
    /// A viewport without pixels, or that is not finite.
    #[error(
        "a viewport of {width} by {height} pixels at {x}, {y}: expected finite numbers, a width above 0 and a height other than 0"
    )]
    Viewport {
        /// The left edge.
        x: f32,
        /// The upper edge.
        y: f32,
        /// The width.
        width: f32,
        /// The height.
        height: f32,
    },
    /// A depth or stencil test without an attachment.
    #[error("the {what} test is on, but there is no {what} attachment")]
    Missing {
        /// `depth` or `stencil`.
        what: &'static str,
    },
}

/// The name of the values of an output type, for error texts.
fn values(output: ColourType) -> &'static str {
    match output {
        ColourType::Float => "floats",
        ColourType::Int => "signed integers",
        ColourType::Uint => "unsigned integers",
    }
}

/// The formats of colour attachments: those that Vulkan requires, and further ones that gen7 to gen9 render to.
const RENDERABLE: &[SurfaceFormat] = {
    use SurfaceFormat::*;
    &[
        B5G6R5_UNORM,
        B5G5R5A1_UNORM,
        B4G4R4A4_UNORM,
        R8_UNORM,
        R8_SNORM,
        R8_UINT,
        R8_SINT,
        R8G8_UNORM,
        R8G8_SNORM,
        R8G8_UINT,
        R8G8_SINT,
        R8G8B8A8_UNORM,
        R8G8B8A8_UNORM_SRGB,
        R8G8B8A8_SNORM,
        R8G8B8A8_UINT,
        R8G8B8A8_SINT,
        B8G8R8A8_UNORM,
        B8G8R8A8_UNORM_SRGB,
        R10G10B10A2_UNORM,
        R10G10B10A2_UINT,
        B10G10R10A2_UNORM,
        R11G11B10_FLOAT,
        R16_UNORM,
        R16_SNORM,
        R16_UINT,
        R16_SINT,
        R16_FLOAT,
        R16G16_UNORM,
        R16G16_SNORM,
        R16G16_UINT,
        R16G16_SINT,
        R16G16_FLOAT,
        R16G16B16A16_UNORM,
        R16G16B16A16_SNORM,
        R16G16B16A16_UINT,
        R16G16B16A16_SINT,
        R16G16B16A16_FLOAT,
        R32_UINT,
        R32_SINT,
        R32_FLOAT,
        R32G32_UINT,
        R32G32_SINT,
        R32G32_FLOAT,
        R32G32B32A32_UINT,
        R32G32B32A32_SINT,
        R32G32B32A32_FLOAT,
    ]
};

/// A colour attachment: the format, and the texels row after row. There is a texel for each sample of a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Colour {
    pub(crate) format: SurfaceFormat,
    pub(crate) texels: Vec<u8>,
}

/// The format of a depth attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthFormat {
    /// 16 bits, normalized.
    Unorm16,
    /// 24 bits, normalized.
    Unorm24,
    /// 32-bit floats.
    Float32,
}

impl DepthFormat {
    /// The unit of the constant of the depth bias, where the largest depth of a primitive's vertices has the magnitude
    /// `most` (Vulkan, "Depth Bias"). For normalized formats, Vulkan permits one to two codes. Mesa's drivers for the
    /// hardware and its software renderer take two.
    pub(crate) fn bias_unit(self, most: f64) -> f64 {
        match self {
            DepthFormat::Unorm16 => 2.0 / f64::from(0xffff),
            DepthFormat::Unorm24 => 2.0 / f64::from(0xff_ffff),
            DepthFormat::Float32 => {
                let exponent = ((most as f32).to_bits() >> 23 & 0xff) as i32 - 127;
                2f64.powi(exponent - 23)
            }
        }
    }

    /// The stored form of a depth, which is clamped to 0..1. Stored forms compare in the order of the depths.
    pub(crate) fn encode(self, depth: f32) -> u32 {
        let depth = if depth.is_nan() { 0.0 } else { depth.clamp(0.0, 1.0) };
        let scaled = |most: u32| (f64::from(depth) * f64::from(most)).round_ties_even() as u32;
        match self {
            DepthFormat::Unorm16 => scaled(0xffff),
            DepthFormat::Unorm24 => scaled(0xff_ffff),
            // The bits of floats that are not negative have the order of the floats.
            DepthFormat::Float32 => (depth + 0.0).to_bits(),
        }
    }

    /// The depth of a stored form.
    pub(crate) fn decode(self, stored: u32) -> f32 {
        let scaled = |most: u32| (f64::from(stored) / f64::from(most)) as f32;
        match self {
            DepthFormat::Unorm16 => scaled(0xffff),
            DepthFormat::Unorm24 => scaled(0xff_ffff),
            DepthFormat::Float32 => f32::from_bits(stored),
        }
    }
}

/// A depth attachment: the format, and the stored depths, one for each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Depth {
    pub(crate) format: DepthFormat,
    pub(crate) stored: Vec<u32>,
}

/// Some rows of the attachments, which a host thread can change while others change other rows. The rows of all layers are
/// numbered one after another.
pub(crate) struct Rows<'a> {
    /// The number of the first row.
    first: u32,
    /// The number of rows of a layer.
    height: u32,
    /// The width of the framebuffer in pixels.
    width: u32,
    samples: u32,
    pub(crate) colours: [Option<ColourRows<'a>>; MAX_COLOUR_TARGETS as usize],
    pub(crate) depth: Option<DepthRows<'a>>,
    pub(crate) stencil: Option<&'a mut [u8]>,
}

/// Some rows of a colour attachment.
pub(crate) struct ColourRows<'a> {
    pub(crate) format: SurfaceFormat,
    pub(crate) texels: &'a mut [u8],
}

/// Some rows of a depth attachment.
pub(crate) struct DepthRows<'a> {
    pub(crate) format: DepthFormat,
    pub(crate) stored: &'a mut [u32],
}

impl Rows<'_> {
    /// The number of samples of a pixel.
    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }

    /// The index of a sample of a layer among all samples of these rows.
    pub(crate) fn index(&self, layer: u32, [x, y]: [u32; 2], sample: u8) -> usize {
        let row = layer * self.height + y - self.first;
        let pixel = row as usize * self.width as usize + x as usize;
        pixel * self.samples as usize + usize::from(sample)
    }
}

/// The attachments of a draw call. All have the same size, the same number of samples and of layers. Contents are layer
/// after layer, each row after row. The samples of a pixel follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framebuffer {
    size: [u32; 2],
    layers: u32,
    samples: u32,
    pub(crate) colours: [Option<Colour>; MAX_COLOUR_TARGETS as usize],
    pub(crate) depth: Option<Depth>,
    pub(crate) stencil: Option<Vec<u8>>,
}

impl Framebuffer {
    /// A framebuffer without attachments whose pixels have one sample.
    ///
    /// # Errors
    /// [`FramebufferError::Size`].
    pub fn new(size: [u32; 2]) -> Result<Framebuffer, FramebufferError> {
        Framebuffer::with_samples(size, 1)
    }

    /// A framebuffer without attachments whose pixels have 1, 2, 4, 8 or 16 samples.
    ///
    /// # Errors
    /// [`FramebufferError::Size`] or [`FramebufferError::Samples`].
    pub fn with_samples(size: [u32; 2], samples: u32) -> Result<Framebuffer, FramebufferError> {
        let [width, height] = size;
        if size.iter().any(|side| !(1..=MAX_SIDE).contains(side)) {
            return Err(FramebufferError::Size { width, height });
        }
        let total = u64::from(width) * u64::from(height) * u64::from(samples);
        if !samples::COUNTS.contains(&samples) || total > MAX_SAMPLES {
            return Err(FramebufferError::Samples { width, height, samples });
        }
        let (colours, depth, stencil) = Default::default();
        Ok(Framebuffer { size, layers: 1, samples, colours, depth, stencil })
    }

    /// Like [`with_samples`](Self::with_samples), with several layers. The provoking vertex of a primitive selects its layer
    /// by `Varying::Header`. Primitives in layers that do not exist are not drawn.
    ///
    /// # Errors
    /// [`FramebufferError::Size`], [`FramebufferError::Samples`] or [`FramebufferError::Layers`].
    pub fn with_layers(
        size: [u32; 2],
        samples: u32,
        layers: u32,
    ) -> Result<Framebuffer, FramebufferError> {
        let one = Framebuffer::with_samples(size, samples)?;
        let total = one.all_samples() as u64 * u64::from(layers);
        if !(1..=MAX_LAYERS).contains(&layers) || total > MAX_SAMPLES {
            return Err(FramebufferError::Layers { layers });
        }
        Ok(Framebuffer { layers, ..one })
    }

    /// The number of layers.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// The number of samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The number of samples of all pixels of all layers.
    fn all_samples(&self) -> usize {
        let [width, height] = self.size.map(|side| side as usize);
        width * height * self.layers as usize * self.samples as usize
    }

    /// Divides the attachments into parts: each layer into parts of `height` rows, the last of which may have fewer.
    /// `None` for one part with all rows of all layers.
    pub(crate) fn split(&mut self, height: Option<u32>) -> impl Iterator<Item = Rows<'_>> {
        let ([width, rows], samples, layers) = (self.size, self.samples, self.layers);
        let (all, part, layers) = match height {
            Some(height) => (rows, height, layers),
            None => (rows * layers, rows * layers, 1),
        };
        let mut colours = self.colours.each_mut().map(|colour| {
            let Colour { format, texels } = colour.as_mut()?;
            Some((*format, texels.as_mut_slice()))
        });
        let mut depth =
            (self.depth.as_mut()).map(|Depth { format, stored }| (*format, stored.as_mut_slice()));
        let mut stencil = self.stencil.as_deref_mut();
        let parts = (0..layers).flat_map(move |layer| {
            let starts = (0..all).step_by(part as usize);
            starts.map(move |start| (layer * all + start, part.min(all - start)))
        });
        parts.map(move |(first, count)| {
            let count = count as usize * width as usize * samples as usize;
            Rows {
                first,
                height: rows,
                width,
                samples,
                colours: colours.each_mut().map(|colour| {
                    let (format, rest) = colour.as_mut()?;
                    let texels = split_off(rest, count * format.bytes() as usize);
                    Some(ColourRows { format: *format, texels })
                }),
                depth: (depth.as_mut()).map(|(format, rest)| DepthRows {
                    format: *format,
                    stored: split_off(rest, count),
                }),
                stencil: stencil.as_mut().map(|rest| split_off(rest, count)),
            }
        })
    }

    /// Adds or replaces a colour attachment with these texels, row after row. There is a texel for each sample of a
    /// pixel.
    ///
    /// # Errors
    /// [`FramebufferError`] for a number, format or size that is not possible.
    pub fn set_colour(
        &mut self,
        target: u8,
        format: SurfaceFormat,
        texels: Vec<u8>,
    ) -> Result<(), FramebufferError> {
        let all_samples = self.all_samples() as u64;
        let Some(place) = self.colours.get_mut(usize::from(target)) else {
            return Err(FramebufferError::Target { target });
        };
        if !RENDERABLE.contains(&format) {
            return Err(FramebufferError::Format { target, format });
        }
        let size = all_samples * u64::from(format.bytes());
        if size > MAX_BYTES {
            return Err(FramebufferError::TooLarge { target, size });
        }
        let (given, expected) = (texels.len(), size as usize);
        if given != expected {
            return Err(FramebufferError::Contents { target, given, expected });
        }
        *place = Some(Colour { format, texels });
        Ok(())
    }

    /// Adds or replaces a colour attachment whose texels all have the same colour. Its components are integers, or the
    /// bits of floats, depending on the format.
    ///
    /// # Errors
    /// As [`set_colour`](Self::set_colour).
    pub fn clear_colour(
        &mut self,
        target: u8,
        format: SurfaceFormat,
        colour: [u32; 4],
    ) -> Result<(), FramebufferError> {
        let bytes = u64::from(format.bytes()) * self.all_samples() as u64;
        if bytes > MAX_BYTES {
            return Err(FramebufferError::TooLarge { target, size: bytes });
        }
        let mut texel = vec![0; format.bytes() as usize];
        encode_colour(format, colour, &mut texel);
        self.set_colour(target, format, texel.repeat(self.all_samples()))
    }

    /// A colour attachment as pixels of four bytes: red, green, blue and alpha. Colours of sRGB formats are encoded as
    /// sRGB. If a pixel has several samples, the result is the average of their linear colours. `None` if there is no
    /// such attachment, or if its format has integers.
    pub fn picture(&self, target: u8) -> Option<Vec<u8>> {
        let (format, texels) = self.colour(target)?;
        if is_integer(format) {
            return None;
        }
        let shown = match format.info().srgb {
            true => SurfaceFormat::R8G8B8A8_UNORM_SRGB,
            false => SurfaceFormat::R8G8B8A8_UNORM,
        };
        let (size, samples) = (format.bytes() as usize, self.samples as usize);
        let mut picture = vec![0; 4 * self.all_samples() / samples];
        let pixels = texels.chunks_exact(size * samples);
        for (shown_pixel, pixel) in picture.chunks_exact_mut(4).zip(pixels) {
            let mut sum = [0f32; 4];
            for texel in pixel.chunks_exact(size) {
                for (sum, value) in sum.iter_mut().zip(decode(format, texel)) {
                    *sum += f32::from_bits(value);
                }
            }
            let average = sum.map(|sum| (sum / samples as f32).to_bits());
            encode_colour(shown, average, shown_pixel);
        }
        Some(picture)
    }

    /// A colour attachment with one sample for each pixel: the average of the linear colours of its samples, or their first
    /// for integers (Vulkan, "Render Pass Operations"). `None` if there is no such attachment.
    pub fn resolve(&self, target: u8) -> Option<Vec<u8>> {
        let (format, texels) = self.colour(target)?;
        let (size, samples) = (format.bytes() as usize, self.samples as usize);
        let mut resolved = Vec::with_capacity(texels.len() / samples);
        let bytes = matches!(format, SurfaceFormat::R8G8B8A8_UNORM | SurfaceFormat::B8G8R8A8_UNORM);
        let is_integer = is_integer(format);
        for pixel in texels.chunks_exact(size * samples) {
            let first = &pixel[..size];
            // The average of equal 8-bit numbers is the same 8-bit number, whatever the rounding of floats.
            let is_flat = bytes && pixel.chunks_exact(size).all(|texel| texel == first);
            if samples == 1 || is_flat || is_integer {
                resolved.extend_from_slice(first);
                continue;
            }
            let mut sum = [0f32; 4];
            for texel in pixel.chunks_exact(size) {
                for (sum, value) in sum.iter_mut().zip(decode(format, texel)) {
                    *sum += f32::from_bits(value);
                }
            }
            let mut texel = [0; 16];
            let average = sum.map(|sum| (sum / samples as f32).to_bits());
            encode_colour(format, average, &mut texel[..size]);
            resolved.extend_from_slice(&texel[..size]);
        }
        Some(resolved)
    }

    /// The format and the texels of a colour attachment; `None` if there is no such attachment.
    pub fn colour(&self, target: u8) -> Option<(SurfaceFormat, &[u8])> {
        let colour = self.colours.get(usize::from(target))?.as_ref()?;
        Some((colour.format, &colour.texels))
    }

    /// A colour attachment as an image, for example as the input attachment of a later draw call; `None` if there is no
    /// such attachment.
    pub fn image(&self, target: u8) -> Option<(ImageShape, &[u8])> {
        let (format, texels) = self.colour(target)?;
        let dimension = match self.layers {
            1 => ImageDimension::D2,
            _ => ImageDimension::D2Array,
        };
        let ([width, height], depth, samples) = (self.size, self.layers, self.samples);
        let shape = ImageShape { dimension, format, width, height, depth, levels: 1, samples };
        Some((shape, texels))
    }

    /// Adds or replaces the depth attachment, with the same depth everywhere.
    pub fn clear_depth(&mut self, format: DepthFormat, depth: f32) {
        self.depth = Some(Depth { format, stored: vec![format.encode(depth); self.all_samples()] });
    }

    /// The depths of all samples, row after row; `None` if there is no depth attachment.
    pub fn depths(&self) -> Option<Vec<f32>> {
        let Depth { format, stored } = self.depth.as_ref()?;
        Some(stored.iter().map(|stored| format.decode(*stored)).collect())
    }

    /// Adds or replaces the depth attachment with these stored depths, one for each sample, row after row. Normalized
    /// depths are integers, others the bits of floats.
    ///
    /// # Errors
    /// [`FramebufferError::PlainContents`] if there are not as many depths as samples.
    pub fn set_depth(
        &mut self,
        format: DepthFormat,
        stored: Vec<u32>,
    ) -> Result<(), FramebufferError> {
        self.check_count("depth", stored.len())?;
        self.depth = Some(Depth { format, stored });
        Ok(())
    }

    /// The stored depths of all samples, row after row; `None` if there is no depth attachment.
    pub fn stored_depths(&self) -> Option<&[u32]> {
        self.depth.as_ref().map(|depth| depth.stored.as_slice())
    }

    /// Adds or replaces the stencil attachment with these values, one for each sample, row after row.
    ///
    /// # Errors
    /// [`FramebufferError::PlainContents`] if there are not as many values as samples.
    pub fn set_stencil(&mut self, values: Vec<u8>) -> Result<(), FramebufferError> {
        self.check_count("stencil", values.len())?;
        self.stencil = Some(values);
        Ok(())
    }

    /// Checks that there is one value for each sample.
    fn check_count(&self, what: &'static str, given: usize) -> Result<(), FramebufferError> {
        let expected = self.all_samples();
        if given == expected {
            return Ok(());
        }
        Err(FramebufferError::PlainContents { what, given, expected })
    }

    /// Adds or replaces the stencil attachment, with the same value everywhere.
    pub fn clear_stencil(&mut self, value: u8) {
        self.stencil = Some(vec![value; self.all_samples()]);
    }

    /// The stencil values of all samples, row after row; `None` if there is no stencil attachment.
    pub fn stencils(&self) -> Option<&[u8]> {
        self.stencil.as_deref()
    }
}

/// Removes the first `count` elements, or all if there are fewer, from a slice, and returns them.
fn split_off<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let all = std::mem::take(rest);
    let (first, later) = all.split_at_mut(count.min(all.len()));
    *rest = later;
    first
}

/// Whether a shader's output of this type can be written to a format.
pub(crate) fn matches(format: SurfaceFormat, output: ColourType) -> bool {
    let signed =
        format.info().channels.iter().flatten().any(|channel| channel.kind == ChannelKind::Sint);
    match output {
        ColourType::Float => !is_integer(format),
        ColourType::Int => signed,
        ColourType::Uint => is_integer(format) && !signed,
    }
}
