//! The parser of VkScript, the older form of scripts.
//!
//! A script has sections, each with a header in square brackets: shaders, required features, vertex data, indices, and
//! the commands of the test. Commands change the state of the pipeline; each command that runs gets the pipeline as it is
//! then.

mod state;
mod test;
mod types;
mod vertex;

use crate::error::{Place, Result, ScriptError};
use crate::format::Format;
use crate::lexer::{Kind, Lexer, Number};
use crate::limits;
use crate::parse::{Parser, wrong};
use crate::requirements;
use crate::script::{
    Attached, Attachment, Buffer, Contents, Dimension, Image, Language, Pipeline, PipelineKind,
    Script, Shader, Stage, Text,
};
use crate::types::{Layout, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Characters of the commands of a test that only separate words.
const SEPARATORS: &[char] = &['(', ')', ','];

/// A section: its header without brackets, its place, and the text below.
struct Section<'a> {
    place: Place,
    header: &'a str,
    text: &'a str,
    /// The line of the text.
    line: u32,
}

/// The header in a line, without brackets.
fn header(line: &str) -> Option<&str> {
    let line = line.split('#').next().unwrap_or_default().trim_end();
    line.strip_prefix('[')?.strip_suffix(']').map(str::trim)
}

/// Divides a text into its sections.
fn sections(text: &str) -> Result<Vec<Section<'_>>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let (mut at, mut number) = (0, 0);
    for line in text.split_inclusive('\n') {
        number += 1;
        let place = Place { line: number, column: 1 };
        match (header(line), sections.last_mut()) {
            (Some(header), _) => {
                if sections.len() >= limits::OBJECTS {
                    let message = format!("the script has more than {} sections", limits::OBJECTS);
                    return Err(ScriptError::new(place, message));
                }
                let start = at + line.len();
                sections.push(Section {
                    place,
                    header,
                    text: &text[start..start],
                    line: number + 1,
                });
            }
            (None, Some(last)) => {
                let start = at - last.text.len();
                last.text = &text[start..at + line.len()];
            }
            (None, None) => {
                let content = line.trim();
                if !content.is_empty() && !content.starts_with('#') {
                    let message = "expected a section such as [compute shader], or #!amber in the \
                                   first line of an AmberScript";
                    return Err(ScriptError::new(place, message));
                }
            }
        }
        at += line.len();
    }
    if sections.is_empty() {
        let message = "the script has no section such as [test]";
        return Err(ScriptError::new(Place { line: 1, column: 1 }, message));
    }
    Ok(sections)
}

/// Reads a VkScript.
pub(crate) fn script(text: &str) -> Result<Script> {
    let sections = sections(text)?;
    let mut reader = Reader::new();
    // The sizes and formats of attachments are known before the test, wherever their section is.
    let (first, last): (Vec<_>, Vec<_>) =
        sections.iter().partition(|section| section.header != "test");
    for section in first {
        reader.section(section)?;
    }
    reader.attach_buffers()?;
    for section in last {
        reader.test(section)?;
    }
    reader.finish()
}

/// What is known about a buffer of a descriptor.
struct Store {
    buffer: usize,
    uniform: bool,
    /// Bytes that are used or requested.
    bytes: u64,
}

/// The state of the reader.
struct Reader {
    script: Script,
    place: Place,
    size: [u32; 2],
    colour_format: Arc<Format>,
    depth_format: Option<Arc<Format>>,
    /// The state of the pipeline; the kind is not used.
    pipeline: Pipeline,
    /// The pipeline of each kind with the current state, if a command used it.
    current: [Option<usize>; 2],
    stores: BTreeMap<(u32, u32), Store>,
    push_constants: Option<Store>,
    tolerance: Vec<crate::script::Tolerance>,
    bytes_left: u64,
    commands_left: u64,
}

impl Reader {
    fn new() -> Reader {
        let place = Place { line: 1, column: 1 };
        let colour = Format::parse("B8G8R8A8_UNORM").expect("the format's name is right");
        Reader {
            script: Script::default(),
            place,
            size: [250, 250],
            colour_format: Arc::new(colour),
            depth_format: None,
            pipeline: Pipeline::new("pipeline", place, PipelineKind::Graphics),
            current: [None; 2],
            stores: BTreeMap::new(),
            push_constants: None,
            tolerance: Vec::new(),
            bytes_left: limits::BUFFER_BYTES,
            commands_left: limits::COMMANDS,
        }
    }

    /// A parser of the words of a section.
    fn parser<'a>(section: &Section<'a>) -> Parser<'a> {
        Parser::new(Lexer::with_separators(section.text, section.line, SEPARATORS))
    }

    /// Reads a section other than a test.
    fn section(&mut self, section: &Section<'_>) -> Result<()> {
        match section.header {
            "require" => self.require(section),
            "indices" => self.indices(section),
            "vertex data" => self.vertex_data(section),
            "comment" => Ok(()),
            header => self.shader(section, header),
        }
    }

    /// `[STAGE shader [passthrough | spirv | spirv hex | hlsl | glsl]]`.
    fn shader(&mut self, section: &Section<'_>, header: &str) -> Result<()> {
        let expected = "a section: require, vertex data, indices, comment, test, or STAGE shader with the \
                        stage vertex, tessellation control, tessellation evaluation, geometry, fragment or compute";
        let unknown = || wrong(section.place, expected, header);
        let (stage, kind) = header.split_once(" shader").ok_or_else(unknown)?;
        let mut stages = Stage::NAMES.iter().filter(|(_, _, stage)| *stage != Stage::Multi);
        let (_, _, stage) = stages.find(|(_, name, _)| *name == stage).ok_or_else(unknown)?;
        let inline = || Text::Inline(section.text.to_owned(), section.line);
        let (language, text) = match kind.trim() {
            "" | "glsl" => (Language::Glsl, inline()),
            "hlsl" => (Language::Hlsl, inline()),
            "spirv" => (Language::SpirvAssembly, inline()),
            "spirv hex" => (Language::SpirvHex, inline()),
            "passthrough" if *stage == Stage::Vertex => (Language::Glsl, Text::Passthrough),
            other => {
                let expected = "a kind of shader: nothing, spirv, spirv hex, or passthrough for vertex shaders";
                return Err(wrong(section.place, expected, other));
            }
        };
        let attached = Attached {
            place: section.place,
            shader: self.script.shaders.len(),
            stage: *stage,
            entry: "main".to_owned(),
            specialization: Vec::new(),
            subgroup_size: None,
            full_subgroups: false,
            robust_access: false,
        };
        if self.pipeline.shaders.iter().any(|other| other.stage == *stage) {
            let message = format!("the script has two {} shaders", stage.name());
            return Err(ScriptError::new(section.place, message));
        }
        let (name, place, target) = (stage.name().to_owned(), section.place, None);
        self.script.shaders.push(Shader { name, place, stage: *stage, language, text, target });
        self.pipeline.shaders.push(attached);
        self.pipeline.shaders.sort_by_key(|attached| attached.stage);
        Ok(())
    }

    /// `[require]`.
    fn require(&mut self, section: &Section<'_>) -> Result<()> {
        let mut parser = Reader::parser(section);
        loop {
            let token = parser.lexer.next_word()?;
            let word = match token.kind {
                Kind::Word(word) | Kind::Quoted(word) => word,
                _ => return Ok(()),
            };
            match word {
                "framebuffer" => self.colour_format = parser.format()?,
                "depthstencil" => {
                    let place = parser.lexer.peek()?.place;
                    let format = parser.format()?;
                    if !format.is_depth_stencil() {
                        return Err(ScriptError::new(
                            place,
                            "expected a format with depth or stencil",
                        ));
                    }
                    self.depth_format = Some(format);
                }
                "fbsize" => {
                    let mut side = |what| parser.within(what, 1, limits::IMAGE_SIDE);
                    self.size = [side("a width")?, side("a height")?];
                }
                "fence_timeout" => drop(parser.integer::<u32>("a number of milliseconds")?),
                name if requirements::is_feature(name) => {
                    self.script.features.push((token.place, name.to_owned()));
                }
                name if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                    self.script.extensions.push((token.place, name.to_owned()));
                }
                other => {
                    let what = "a feature, an extension, framebuffer, depthstencil, fbsize or fence_timeout";
                    return Err(wrong(token.place, what, other));
                }
            }
            parser.end_of_line()?;
        }
    }

    /// `[indices]`.
    fn indices(&mut self, section: &Section<'_>) -> Result<()> {
        let mut parser = Reader::parser(section);
        let mut bytes = Vec::new();
        loop {
            let token = parser.lexer.next_word()?;
            let Kind::Word(word) = token.kind else { break };
            let index = Number::parse(word).and_then(|number| number.integer);
            let index = index.and_then(|index| u32::try_from(index).ok());
            let index = index.ok_or_else(|| wrong(token.place, "an index", word))?;
            bytes.extend(index.to_le_bytes());
        }
        let ty = Type::parse("uint32").expect("the type's name is right");
        let buffer = self.add_buffer("indices", section.place, ty, bytes)?;
        self.pipeline.index_data = Some((section.place, buffer));
        Ok(())
    }

    /// Adds a buffer with these bytes.
    fn add_buffer(&mut self, name: &str, place: Place, ty: Type, bytes: Vec<u8>) -> Result<usize> {
        let layout = ty.layout(Default::default()).map_err(|text| ScriptError::new(place, text))?;
        self.take(place, bytes.len() as u64)?;
        self.script.buffers.push(Buffer {
            name: name.to_owned(),
            place,
            layout: Arc::new(layout),
            ty,
            image: None,
            bytes: Some(bytes.len() as u64),
            contents: Contents::Bytes(bytes),
        });
        Ok(self.script.buffers.len() - 1)
    }

    /// Takes bytes of the limit for all buffers.
    fn take(&mut self, place: Place, bytes: u64) -> Result<()> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| {
            let message =
                format!("the buffers of the script have more than {} bytes", limits::BUFFER_BYTES);
            ScriptError::new(place, message)
        })?;
        Ok(())
    }

    /// Adds the attachments.
    fn attach_buffers(&mut self) -> Result<()> {
        self.pipeline.size = self.size;
        let formats = [("framebuffer", Some(Arc::clone(&self.colour_format)), false)];
        let depth = [("depthstencil", self.depth_format.clone(), true)];
        for (name, format, is_depth) in formats.into_iter().chain(depth) {
            let Some(format) = format else { continue };
            let [width, height] = self.size;
            let image = Image {
                format: Arc::clone(&format),
                dimension: Dimension::D2,
                size: Some([width, height, 1]),
                levels: 1,
                samples: 1,
            };
            self.take(self.place, image.bytes().unwrap_or(u64::MAX))?;
            let buffer = self.script.buffers.len();
            self.script.buffers.push(Buffer {
                name: name.to_owned(),
                place: self.place,
                layout: Arc::new(Layout::texels(&format)),
                ty: Type::Format(format),
                bytes: image.bytes(),
                image: Some(image),
                contents: Contents::Zero,
            });
            let attachment = Attachment { place: self.place, buffer, location: 0, level: 0 };
            match is_depth {
                true => self.pipeline.depth_stencil = Some(attachment),
                false => self.pipeline.colours.push(attachment),
            }
        }
        Ok(())
    }

    /// The pipeline of a kind with the current state.
    fn pipeline(&mut self, place: Place, kind: PipelineKind) -> Result<usize> {
        let slot = usize::from(kind == PipelineKind::Compute);
        if let Some(index) = self.current[slot] {
            return Ok(index);
        }
        let is_compute = kind == PipelineKind::Compute;
        let mut pipeline = Pipeline { place, kind, ..self.pipeline.clone() };
        pipeline.shaders.retain(|attached| (attached.stage == Stage::Compute) == is_compute);
        let has = |stage| pipeline.shaders.iter().any(|attached| attached.stage == stage);
        // A draw call without a fragment shader runs the stages before it.
        let needed = [if is_compute { Stage::Compute } else { Stage::Vertex }];
        if let Some(stage) = needed.iter().find(|stage| !has(**stage)) {
            let message = format!("the script has no {} shader", stage.name());
            return Err(ScriptError::new(place, message));
        }
        if is_compute {
            pipeline.colours.clear();
            pipeline.depth_stencil = None;
            pipeline.vertex_data.clear();
        }
        let index = self.script.pipelines.len();
        if index >= limits::OBJECTS {
            let message =
                format!("the state of the pipeline changes more than {} times", limits::OBJECTS);
            return Err(ScriptError::new(place, message));
        }
        self.script.pipelines.push(pipeline);
        self.current[slot] = Some(index);
        Ok(index)
    }

    /// Adds the descriptors to all pipelines, and sets the sizes of their buffers.
    fn finish(mut self) -> Result<Script> {
        let stores = std::mem::take(&mut self.stores);
        let push = self.push_constants.take();
        for store in stores.values().chain(&push) {
            let buffer = &self.script.buffers[store.buffer];
            let place = buffer.place;
            self.take(place, store.bytes)?;
            self.script.buffers[store.buffer].bytes = Some(store.bytes.max(4));
        }
        for pipeline in &mut self.script.pipelines {
            pipeline.push_constants = push.as_ref().map(|store| store.buffer);
            for ((set, binding), store) in &stores {
                pipeline.bindings.push(test::descriptor(*set, *binding, store));
            }
        }
        Ok(self.script)
    }
}
