//! The arguments of the flags of `crestline draw`.

use std::path::PathBuf;
use std::str::FromStr;

use crestline_device::{ChannelKind, CompareOp, SurfaceFormat};
use crestline_emu::{
    Area, Blend, BlendEquation, BlendFactor, BlendOp, DepthBias, DepthFormat, DepthTest, StencilOp,
    StencilTest, Viewport,
};

use super::args::expected;

/// Formats of colour attachments that have no name in GLSL.
const FORMATS: [(&str, SurfaceFormat); 7] = [
    ("srgb8_a8", SurfaceFormat::R8G8B8A8_UNORM_SRGB),
    ("bgra8", SurfaceFormat::B8G8R8A8_UNORM),
    ("sbgr8_a8", SurfaceFormat::B8G8R8A8_UNORM_SRGB),
    ("b5g6r5", SurfaceFormat::B5G6R5_UNORM),
    ("b5g5r5a1", SurfaceFormat::B5G5R5A1_UNORM),
    ("b4g4r4a4", SurfaceFormat::B4G4R4A4_UNORM),
    ("bgr10_a2", SurfaceFormat::B10G10R10A2_UNORM),
];

/// Reads `N=REST`, N being the number of a colour attachment.
fn target<'a>(text: &'a str, form: &str) -> Result<(u8, &'a str), String> {
    let bad = || format!("{text:?} is not {form}, N being 0 to 7");
    let (number, rest) = text.split_once('=').ok_or_else(bad)?;
    let number = number.parse().ok().filter(|number| *number < 8).ok_or_else(bad)?;
    Ok((number, rest))
}

/// Reads numbers that are separated by commas.
fn numbers<T: FromStr>(text: &str) -> Option<Vec<T>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// Reads a word of a list.
fn word<T: Copy>(text: &str, all: &'static [T], of: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|value| of(*value) == text);
    found.ok_or_else(|| format!("{text:?}: {}", expected(all.iter().map(|value| of(*value)))))
}

/// `--size WxH`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) [u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=16384).contains(side));
        let sides = text.split_once('x').and_then(|(w, h)| Some([side(w)?, side(h)?]));
        sides.map(Size).ok_or_else(|| format!("{text:?} is not WxH, both being 1 to 16384"))
    }
}

/// The first contents of an attachment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum First {
    /// A colour as the format's numbers: bits of floats, or integers.
    Clear([u32; 4]),
    File(PathBuf),
}

/// `--attachment N=FORMAT[:clear=R,G,B,A|:FILE]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) target: u8,
    pub(crate) format: SurfaceFormat,
    pub(crate) first: First,
}

impl FromStr for Attachment {
    type Err = String;

    fn from_str(text: &str) -> Result<Attachment, String> {
        const FORM: &str = "N=FORMAT[:clear=R,G,B,A|:FILE]";
        let (target, rest) = target(text, FORM)?;
        let (name, first) = match rest.split_once(':') {
            Some((name, first)) => (name, Some(first)),
            None => (rest, None),
        };
        let format = format(name)?;
        let first = match first {
            None => First::Clear(clear(format, "0,0,0,0")?),
            Some("") => return Err(format!("{text:?} is not {FORM}")),
            Some(first) => match first.strip_prefix("clear=") {
                Some(colour) => First::Clear(clear(format, colour)?),
                None => First::File(first.into()),
            },
        };
        Ok(Attachment { target, format, first })
    }
}

/// The format of a colour attachment.
fn format(name: &str) -> Result<SurfaceFormat, String> {
    let own = || FORMATS.iter().find(|row| row.0 == name).map(|row| row.1);
    SurfaceFormat::from_glsl(name).or_else(own).ok_or_else(|| {
        let own = FORMATS.map(|row| row.0).join(", ");
        format!("{name:?} is no format: expected a GLSL name such as rgba8 or r32ui, or {own}")
    })
}

/// Reads a colour in the numbers of a format.
fn clear(format: SurfaceFormat, text: &str) -> Result<[u32; 4], String> {
    let bad = || format!("{text:?} is no colour of {format}: expected four numbers");
    let channels = format.info().channels;
    let has = |kind| channels.iter().flatten().any(|channel| channel.kind == kind);
    let four = |numbers: Vec<u32>| <[u32; 4]>::try_from(numbers).ok();
    let colour = if has(ChannelKind::Uint) {
        numbers::<u32>(text).and_then(four)
    } else if has(ChannelKind::Sint) {
        numbers::<i32>(text)
            .and_then(|numbers| four(numbers.into_iter().map(i32::cast_unsigned).collect()))
    } else {
        numbers::<f32>(text)
            .and_then(|numbers| four(numbers.into_iter().map(f32::to_bits).collect()))
    };
    colour.ok_or_else(bad)
}

/// `--out-attachment N=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutAttachment {
    pub(crate) target: u8,
    pub(crate) file: PathBuf,
}

impl FromStr for OutAttachment {
    type Err = String;

    fn from_str(text: &str) -> Result<OutAttachment, String> {
        let (target, file) = target(text, "N=FILE")?;
        if file.is_empty() {
            return Err(format!("{text:?}: no file after `=`"));
        }
        Ok(OutAttachment { target, file: file.into() })
    }
}

/// `--depth-bias CONSTANT,SLOPE[,CLAMP]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bias(pub(crate) DepthBias);

impl FromStr for Bias {
    type Err = String;

    fn from_str(text: &str) -> Result<Bias, String> {
        let error = || format!("{text:?} is not CONSTANT,SLOPE[,CLAMP], all being finite numbers");
        let number = |text: &str| text.parse().ok().filter(|number: &f32| number.is_finite());
        let numbers: Option<Vec<f32>> = text.split(',').map(number).collect();
        match numbers.as_deref() {
            Some(&[constant, slope]) => Ok(Bias(DepthBias { constant, slope, clamp: 0.0 })),
            Some(&[constant, slope, clamp]) => Ok(Bias(DepthBias { constant, slope, clamp })),
            _ => Err(error()),
        }
    }
}

/// `--depth FORMAT[:clear=DEPTH]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cleared {
    pub(crate) format: DepthFormat,
    pub(crate) depth: f32,
}

impl FromStr for Cleared {
    type Err = String;

    fn from_str(text: &str) -> Result<Cleared, String> {
        let (name, depth) = text.split_once(":clear=").unwrap_or((text, "1"));
        let format = match name {
            "d16" => DepthFormat::Unorm16,
            "d24" => DepthFormat::Unorm24,
            "d32f" => DepthFormat::Float32,
            _ => return Err(format!("{name:?} is no depth format: expected d16, d24 or d32f")),
        };
        let depth = depth.parse().ok().filter(|depth| (0.0..=1.0).contains(depth));
        let depth = depth.ok_or_else(|| format!("{text:?}: expected a depth of 0 to 1"))?;
        Ok(Cleared { format, depth })
    }
}

fn compare(text: &str) -> Result<CompareOp, String> {
    word(text, CompareOp::ALL, CompareOp::word)
}

/// `--depth-test OP[:read]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DepthRule(pub(crate) DepthTest);

impl FromStr for DepthRule {
    type Err = String;

    fn from_str(text: &str) -> Result<DepthRule, String> {
        let (op, write) = match text.strip_suffix(":read") {
            Some(op) => (op, false),
            None => (text, true),
        };
        Ok(DepthRule(DepthTest { compare: compare(op)?, write }))
    }
}

/// `--stencil-test OP,REFERENCE,FAIL,DEPTH_FAIL,PASS[,READ_MASK,WRITE_MASK]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StencilRule(pub(crate) StencilTest);

impl FromStr for StencilRule {
    type Err = String;

    fn from_str(text: &str) -> Result<StencilRule, String> {
        let bad =
            || format!("{text:?} is not OP,REFERENCE,FAIL,DEPTH_FAIL,PASS[,READ_MASK,WRITE_MASK]");
        let parts: Vec<&str> = text.split(',').collect();
        let (&[op, reference, fail, depth_fail, pass], masks) =
            parts.split_first_chunk().ok_or_else(bad)?;
        let byte = |text: &str| text.parse().map_err(|_| bad());
        let [read_mask, write_mask] = match masks {
            [] => [0xff; 2],
            [read, write] => [byte(read)?, byte(write)?],
            _ => return Err(bad()),
        };
        let action = |text| word(text, StencilOp::ALL, StencilOp::word);
        Ok(StencilRule(StencilTest {
            compare: compare(op)?,
            reference: byte(reference)?,
            fail: action(fail)?,
            depth_fail: action(depth_fail)?,
            pass: action(pass)?,
            read_mask,
            write_mask,
        }))
    }
}

/// `--viewport X,Y,W,H[,NEAR,FAR]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct View(pub(crate) Viewport);

impl FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<View, String> {
        let numbers = numbers::<f32>(text).unwrap_or_default();
        let (&[x, y, width, height], depth) = numbers
            .split_first_chunk()
            .ok_or_else(|| format!("{text:?} is not X,Y,W,H[,NEAR,FAR]"))?;
        let depth = match *depth {
            [] => [0.0, 1.0],
            [near, far] => [near, far],
            _ => return Err(format!("{text:?} is not X,Y,W,H[,NEAR,FAR]")),
        };
        let viewport = Viewport { x, y, width, height, depth };
        viewport.check().map_err(|error| error.to_string())?;
        Ok(View(viewport))
    }
}

/// `--scissor X,Y,W,H`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rectangle(pub(crate) Area);

impl FromStr for Rectangle {
    type Err = String;

    fn from_str(text: &str) -> Result<Rectangle, String> {
        match numbers::<u32>(text).as_deref() {
            Some(&[x, y, width, height]) => Ok(Rectangle(Area { x, y, width, height })),
            _ => Err(format!("{text:?} is not X,Y,W,H")),
        }
    }
}

/// `--blend N=SRC,DST,OP[,SRC,DST,OP]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlendState {
    pub(crate) target: u8,
    pub(crate) blend: Blend,
}

impl FromStr for BlendState {
    type Err = String;

    fn from_str(text: &str) -> Result<BlendState, String> {
        const FORM: &str = "N=SRC,DST,OP[,SRC,DST,OP]";
        let (target, rest) = target(text, FORM)?;
        let factor = |text: &str| word(text, BlendFactor::ALL, BlendFactor::word);
        let equation = |parts: &[&str]| match *parts {
            [source, destination, op] => Ok(BlendEquation {
                source: factor(source)?,
                destination: factor(destination)?,
                op: word(op, BlendOp::ALL, BlendOp::word)?,
            }),
            _ => Err(format!("{text:?} is not {FORM}")),
        };
        let parts: Vec<&str> = rest.split(',').collect();
        let (colour, alpha) = parts.split_at(parts.len().min(3));
        let colour = equation(colour)?;
        let alpha = if alpha.is_empty() { colour } else { equation(alpha)? };
        Ok(BlendState { target, blend: Blend { colour, alpha } })
    }
}

/// `--write-mask N=COMPONENTS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WriteMask {
    pub(crate) target: u8,
    pub(crate) mask: u8,
}

impl FromStr for WriteMask {
    type Err = String;

    fn from_str(text: &str) -> Result<WriteMask, String> {
        let (target, components) = target(text, "N=COMPONENTS")?;
        let bit = |component| "rgba".find(component).map(|bit| 1 << bit);
        let bits: Option<Vec<u8>> = components.chars().map(bit).collect();
        let bits = bits.ok_or_else(|| format!("{text:?}: expected letters of rgba"))?;
        Ok(WriteMask { target, mask: bits.into_iter().fold(0, |mask, bit| mask | bit) })
    }
}

/// `R,G,B,A`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Colour(pub(crate) [f32; 4]);

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Colour, String> {
        let colour = numbers(text).and_then(|numbers| numbers.try_into().ok());
        colour.map(Colour).ok_or_else(|| format!("{text:?} is not R,G,B,A"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attachments_are_read() {
        let one: Attachment = "3=rgba8:clear=0,0.5,-1,1".parse().unwrap();
        let colour = [0.0f32, 0.5, -1.0, 1.0].map(f32::to_bits);
        assert_eq!((one.target, one.first), (3, First::Clear(colour)));
        let one: Attachment = "0=r32i:clear=-1,0,0,0".parse().unwrap();
        assert_eq!(one.first, First::Clear([u32::MAX, 0, 0, 0]));
        let one: Attachment = "0=b5g6r5:a:b.bin".parse().unwrap();
        assert_eq!(one.first, First::File("a:b.bin".into()));
        for text in ["0", "8=rgba8", "0=rgbx", "0=rgba8:clear=1", "0=r32ui:clear=-1,0,0,0"] {
            assert!(text.parse::<Attachment>().is_err(), "{text}");
        }
    }

    #[test]
    fn states_are_read() {
        let View(view) = "1,2,30,-40".parse().unwrap();
        assert_eq!((view.height, view.depth), (-40.0, [0.0, 1.0]));
        let BlendState { blend, .. } = "1=src_alpha,one_minus_src_alpha,add".parse().unwrap();
        assert_eq!(blend.colour, blend.alpha);
        assert_eq!("0=ra".parse(), Ok(WriteMask { target: 0, mask: 9 }));
        assert_eq!("less:read".parse::<DepthRule>().map(|rule| rule.0.write), Ok(false));
        assert!("equal,7,keep,zero,replace,15,240".parse::<StencilRule>().is_ok());
        for text in ["0,0,0,4", "0,0,4", "0,0,nan,4", "0,0,1,1,0,1,2", "0,0,inf,1"] {
            assert!(text.parse::<View>().is_err(), "{text}");
        }
        assert!("0=rgbx".parse::<WriteMask>().is_err());
        assert!("0=one,one".parse::<BlendState>().is_err());
        assert!("equal,256,keep,zero,replace".parse::<StencilRule>().is_err());
    }
}
