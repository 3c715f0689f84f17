//! Reads the test case from the comments at the start of a run-test shader.
//!
//! Every line that starts with `//!` is one directive (`;!` in SPIR-V assembly):
//!
//! ```text
//! //! dispatch 4 1 1                    workgroups in x, y, z; required
//! //! entry main                        entry point; default `main`
//! //! spec 3 = u32 10                   specialization constant by SpecId
//! //! push = f32 1 2; u32 3             push constant bytes
//! //! buffer 0.1 = f32 64 * iota 0 1    storage buffer at set 0 binding 1
//! //! buffer 0.1[2] = zero 16           the same for element 2 of a descriptor array
//! //! uniform 0.2 = f32 1 2 3 4         uniform buffer
//! //! address 0.1:16 = 0.2+8            place the address of buffer 0.2, plus 8 bytes, at byte 16 of buffer 0.1;
//! //!                                   `push:16` is a place in the push constants. Results have the bytes that
//! //!                                   the address replaced, unless the shader changes it
//! //! image 0.3 = 2d 8x4x1 rgba8: zero  storage image, its texels tightly packed; missing ones are 0
//! //! texture 0.4 = 2d 8x4x1 rgba8 levels=2 sampler=linear:clamp: zero 0
//! //!                                   image that is read through a sampler, its levels one after another;
//! //!                                   `samples=4` for four samples of each texel, one after another;
//! //!                                   `sampler` for a combined image and sampler, `depth` for depths to compare
//! //! sampler 0.5 = nearest:repeat      sampler, as `crestline run --sampler` takes it
//! //! compare 0.1 = f32 ulp 4           how to compare that buffer: see `compare`
//! //! expect 0.1 = u32 64 * iota 1 0    expected contents of that buffer, if lavapipe's are not used
//! //! unjudged WHY                      lavapipe cannot run it; buffers that change need an `expect`
//! //! simd 8 16                         SIMD widths to run at; default: all three
//! //! scratch 12000                     least scratch bytes per invocation; a chip whose threads have less at a
//! //!                                   width is not tested at that width
//! //! inactive                          channels may read values that inactive channels never wrote
//! //! also chv bxt                      chips to test in addition to the usual ones
//! ```
//!
//! [`crate::data`] describes the form of contents, [`crate::compare`] that of comparisons. A buffer without `compare`
//! is compared bit by bit, so a missing directive can only make a test stricter.

use crestline_device::{Platform, SurfaceFormat};
use crestline_judges::lavapipe::{
    Buffer, BufferKind, Dimension, Image, PlacedAddress, SpecConstant, Texture,
};

use crate::compare::Rule;
use crate::data;

/// All inputs of a run except the shader.
#[derive(Debug, Clone)]
pub struct Case {
    /// Workgroups in x, y and z.
    pub groups: [u32; 3],
    /// Entry point.
    pub entry: String,
    /// Specialization constants.
    pub spec: Vec<SpecConstant>,
    /// Push constant bytes.
    pub push: Vec<u8>,
    /// Buffers, in the order of the file.
    pub buffers: Vec<Buffer>,
    /// Addresses of buffers to place in buffers and push constants.
    pub addresses: Vec<PlacedAddress>,
    /// How to compare each buffer, in the same order.
    pub rules: Vec<Rule>,
    /// Indices of buffers for which lavapipe's result is not used, with the expected contents. The test's comments say
    /// why.
    pub expected: Vec<(usize, Vec<u8>)>,
    /// Whether lavapipe can run the shader. If not, buffers without an expectation must not change.
    pub judged: bool,
    /// SIMD widths to run at.
    pub widths: Vec<u32>,
    /// Bytes of scratch memory that an invocation needs at least.
    pub scratch: u32,
    /// Chips to run on in addition to those that run every test.
    pub also: Vec<Platform>,
    /// Whether an access outside of a buffer is an error.
    pub in_bounds: bool,
    /// Whether channels may read registers that inactive channels never wrote. Shuffles do so, and the values are not used.
    pub inactive: bool,
}

/// A directive that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct CaseError {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// The descriptor of a buffer: set, binding, element.
type DescriptorRef = (u32, u32, u32);

impl Case {
    /// Reads the directives of a shader's text.
    ///
    /// # Errors
    ///
    /// The first line that cannot be read, or line 1 when `dispatch` is missing.
    pub fn parse(source: &str) -> Result<Case, CaseError> {
        let mut case = Case::empty();
        let mut dispatched = false;
        for (index, line) in source.lines().enumerate() {
            let text = line.trim_start();
            let Some(text) = text.strip_prefix("//!").or_else(|| text.strip_prefix(";!")) else {
                continue;
            };
            let fail = |message| CaseError { line: index + 1, message };
            let (word, rest) =
                text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
            dispatched |= word == "dispatch";
            case.directive(word, rest.trim()).map_err(fail)?;
        }
        if !dispatched {
            let message = "no `//! dispatch X Y Z` directive".into();
            return Err(CaseError { line: 1, message });
        }
        Ok(case)
    }

    /// A case without resources.
    pub(crate) fn empty() -> Case {
        Case {
            groups: [0; 3],
            entry: "main".into(),
            spec: Vec::new(),
            push: Vec::new(),
            buffers: Vec::new(),
            addresses: Vec::new(),
            rules: Vec::new(),
            expected: Vec::new(),
            judged: true,
            widths: vec![8, 16, 32],
            scratch: 0,
            also: Vec::new(),
            in_bounds: true,
            inactive: false,
        }
    }

    /// Reads one directive.
    pub(crate) fn directive(&mut self, word: &str, rest: &str) -> Result<(), String> {
        match word {
            "dispatch" => {
                self.groups = numbers(rest)?
                    .try_into()
                    .map_err(|_| "dispatch takes three numbers".to_owned())?;
            }
            "entry" => self.entry = rest.to_owned(),
            "unjudged" if rest.is_empty() => return Err("`unjudged` says why".to_owned()),
            "unjudged" => self.judged = false,
            "spec" => {
                let (id, value) = assignment(rest)?;
                let id = id.parse().map_err(|_| format!("{id:?} is no SpecId"))?;
                self.spec.push(SpecConstant { id, value: data::bytes(value, 0)? });
            }
            "push" => self.push = data::bytes(assignment(rest)?.1, 0)?,
            "buffer" | "uniform" => {
                let kind = match word {
                    "buffer" => BufferKind::Storage,
                    _ => BufferKind::Uniform,
                };
                let (descriptor, description) = assignment(rest)?;
                let (set, binding, element) = parse_descriptor(descriptor)?;
                // Each buffer gets different random numbers, which are the same on every run.
                let seed = u64::from(set) << 40 | u64::from(binding) << 20 | u64::from(element);
                let contents = data::bytes(description, seed)?;
                self.buffers.push(Buffer { set, binding, element, kind, contents });
                self.rules.push(Rule::exact());
            }
            "image" => {
                let (descriptor, rest) = assignment(rest)?;
                let (set, binding, element) = parse_descriptor(descriptor)?;
                let (shape, description) =
                    rest.split_once(':').ok_or("expected `DIM WxHxD FORMAT: CONTENTS`")?;
                let (image, bytes) = parse_image(shape)?;
                let seed = u64::from(set) << 40 | u64::from(binding) << 20 | u64::from(element);
                let mut contents = data::bytes(description.trim(), seed)?;
                contents.resize(bytes, 0);
                let kind = BufferKind::Image(image);
                self.buffers.push(Buffer { set, binding, element, kind, contents });
                self.rules.push(Rule::exact());
            }
            "texture" => {
                let (descriptor, rest) = assignment(rest)?;
                let (set, binding, element) = parse_descriptor(descriptor)?;
                let (shape, description) =
                    rest.split_once(": ").ok_or("expected `DIM WxHxD FORMAT ...: CONTENTS`")?;
                let (texture, bytes) = parse_texture(shape)?;
                let seed = u64::from(set) << 40 | u64::from(binding) << 20 | u64::from(element);
                let mut contents = data::bytes(description.trim(), seed)?;
                contents.resize(bytes, 0);
                let kind = BufferKind::Texture(texture);
                self.buffers.push(Buffer { set, binding, element, kind, contents });
                self.rules.push(Rule::exact());
            }
            "sampler" => {
                let (descriptor, state) = assignment(rest)?;
                let (set, binding, element) = parse_descriptor(descriptor)?;
                let state = state.parse().map_err(|error| format!("{error}"))?;
                let (kind, contents) = (BufferKind::Sampler(state), Vec::new());
                self.buffers.push(Buffer { set, binding, element, kind, contents });
                self.rules.push(Rule::exact());
            }
            "address" => {
                let (place, of) = assignment(rest)?;
                let (of, plus) = of.split_once('+').unwrap_or((of, "0"));
                let number = |text: &str| {
                    text.trim().parse().map_err(|_| format!("{text:?} is no number of bytes"))
                };
                let (place, offset) =
                    place.split_once(':').ok_or("expected `BUFFER:BYTE = BUFFER`")?;
                let place = match place.trim() {
                    "push" => None,
                    buffer => Some(self.buffer(buffer)?),
                };
                let (offset, plus) = (number(offset)? as usize, number(plus)?);
                let target = self.buffer(of.trim())?;
                let room = place.map_or(self.push.len(), |i| self.buffers[i].contents.len());
                if offset.saturating_add(8) > room {
                    return Err(format!(
                        "an address at byte {offset} does not fit into {room} bytes"
                    ));
                }
                self.addresses.push(PlacedAddress { place, offset, target, plus });
            }
            "compare" => {
                let (descriptor, rule) = assignment(rest)?;
                let index = self.buffer(descriptor)?;
                self.rules[index] = Rule::parse(rule)?;
            }
            "expect" => {
                let (descriptor, description) = assignment(rest)?;
                self.expected.push((self.buffer(descriptor)?, data::bytes(description, 0)?));
            }
            "simd" => {
                self.widths = numbers(rest)?;
                if self.widths.is_empty() || self.widths.iter().any(|w| ![8, 16, 32].contains(w)) {
                    return Err("simd takes widths out of 8, 16 and 32".into());
                }
            }
            "scratch" => {
                self.scratch = rest.parse().map_err(|_| format!("{rest:?} is no number"))?;
            }
            "inactive" => self.inactive = true,
            "also" => {
                let names = rest.split_whitespace();
                let also: Result<_, _> = names.map(str::parse::<Platform>).collect();
                self.also = also.map_err(|error| error.to_string())?;
            }
            _ => {
                return Err(format!(
                    "{word:?} is no directive: expected dispatch, entry, spec, push, buffer, \
                     address, uniform, image, texture, sampler, compare, expect, simd, scratch, inactive or also"
                ));
            }
        }
        Ok(())
    }

    /// The index of the buffer at a descriptor. An earlier line must have described it.
    fn buffer(&self, descriptor: &str) -> Result<usize, String> {
        let descriptor = parse_descriptor(descriptor)?;
        self.buffers
            .iter()
            .position(|buffer| (buffer.set, buffer.binding, buffer.element) == descriptor)
            .ok_or_else(|| format!("no buffer at {descriptor:?} before this line"))
    }
}

fn numbers(text: &str) -> Result<Vec<u32>, String> {
    text.split_whitespace()
        .map(|word| word.parse().map_err(|_| format!("{word:?} is no number")))
        .collect()
}

fn assignment(text: &str) -> Result<(&str, &str), String> {
    let (left, right) = text.split_once('=').ok_or("expected `NAME = VALUE`")?;
    Ok((left.trim(), right.trim()))
}

/// Reads `2d_array 8x4x3 rgba8`: an image, and the size of its texels in bytes.
fn parse_image(text: &str) -> Result<(Image, usize), String> {
    let [dimension, size, format] = text.split_whitespace().collect::<Vec<_>>()[..] else {
        return Err(format!("{text:?}: expected dimension, size and format"));
    };
    let dimension = match dimension {
        "1d" => Dimension::D1,
        "2d" => Dimension::D2,
        "3d" => Dimension::D3,
        "cube" => Dimension::Cube,
        "1d_array" => Dimension::D1Array,
        "2d_array" => Dimension::D2Array,
        "cube_array" => Dimension::CubeArray,
        "buffer" => Dimension::Buffer,
        _ => return Err(format!("{dimension:?} is no dimension")),
    };
    let numbers: Option<Vec<u32>> = size.split('x').map(|n| n.parse().ok()).collect();
    let size: [u32; 3] = numbers
        .and_then(|n| n.try_into().ok())
        .filter(|size: &[u32; 3]| size.iter().all(|&n| (1..=4096).contains(&n)))
        .ok_or_else(|| format!("{size:?}: expected WxHxD, each 1 to 4096"))?;
    let surface = SurfaceFormat::from_glsl(format);
    let (Some(surface), Some(format)) = (surface, surface.and_then(SurfaceFormat::glsl_name))
    else {
        return Err(format!("{format:?} is no image format"));
    };
    let bytes = size.iter().map(|&n| n as usize).product::<usize>() * surface.bytes() as usize;
    Ok((Image { dimension, size, format }, bytes))
}

/// Reads `2d 8x4x1 rgba8 levels=2 sampler=linear:clamp depth`: a texture, and the size of its texels in bytes.
fn parse_texture(text: &str) -> Result<(Texture, usize), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (shape, options) = words.split_at(words.len().min(3));
    let (image, bytes) = parse_image(&shape.join(" "))?;
    let mut texture = Texture::new(image);
    for option in options {
        match option.split_once('=') {
            Some(("levels", number)) => {
                let levels = number.parse().ok().filter(|n| (1..=12).contains(n));
                texture.levels =
                    levels.ok_or_else(|| format!("{number:?} is no number of levels"))?;
            }
            Some(("sampler", state)) => {
                texture.sampler = Some(state.parse().map_err(|error| format!("{error}"))?);
            }
            Some(("samples", "4")) => texture.samples = 4,
            None if *option == "depth" => texture.depth = true,
            _ => return Err(format!("{option:?}: expected levels=, samples=4, sampler= or depth")),
        }
    }
    let texels = |level: u32| {
        let [width, height, depth] = image.size;
        let half = |n: u32| ((n >> level).max(1)) as usize;
        let solid = image.dimension == Dimension::D3;
        half(width) * half(height) * if solid { half(depth) } else { depth as usize }
    };
    let texel = bytes / texels(0);
    let texels = (0..texture.levels).map(texels).sum::<usize>() * texture.samples as usize;
    Ok((texture, texels * texel))
}

/// Reads `SET.BINDING` or `SET.BINDING[ELEMENT]`.
fn parse_descriptor(text: &str) -> Result<DescriptorRef, String> {
    let bad = || format!("{text:?} is not SET.BINDING or SET.BINDING[ELEMENT]");
    let (descriptor, element) = match text.split_once('[') {
        Some((descriptor, element)) => (descriptor, element.strip_suffix(']').ok_or_else(bad)?),
        None => (text, "0"),
    };
    let (set, binding) = descriptor.split_once('.').ok_or_else(bad)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| bad());
    Ok((number(set)?, number(binding)?, number(element)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_fill_the_case() {
        let case = Case::parse(
            "//! dispatch 4 2 1\n//! spec 3 = u32 10\n//! push = f32 1\n\
             //! buffer 0.1 = u32 1 2\n//! uniform 1.0[2] = zero 16\n\
             //! compare 0.1 = f32 ulp 4\n//! simd 8 16\n#version 450\nvoid main() {}\n",
        )
        .unwrap();
        assert_eq!(case.groups, [4, 2, 1]);
        assert_eq!(case.spec[0].value, 10u32.to_le_bytes());
        assert_eq!(case.push, 1f32.to_le_bytes());
        assert_eq!(case.buffers[0].contents.len(), 8);
        assert_eq!((case.buffers[1].kind, case.buffers[1].element), (BufferKind::Uniform, 2));
        assert_ne!(case.rules[0], Rule::exact());
        assert_eq!(case.widths, [8, 16]);
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, line, part) in [
            ("void main() {}", 1, "no `//! dispatch"),
            ("\n//! dispatch 1 2", 2, "three numbers"),
            ("//! dispatch 1 1 1\n//! frob 1", 2, "\"frob\" is no directive"),
            ("//! buffer 0:1 = zero 4", 1, "not SET.BINDING"),
            ("//! compare 0.1 = f32 ulp 1", 1, "no buffer at"),
            ("//! simd 4", 1, "8, 16 and 32"),
        ] {
            let error = Case::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.message.contains(part), "{text:?}: {error}");
        }
    }
}
