//! Runs draw calls of vertex, tessellation and geometry shaders through engines.
//!
//! The fixed functions between the stages are here, once for all engines: vertex fetch, assembly of primitives and
//! patches, and the division of strips into the primitives that transform feedback captures. The tessellator is that of
//! lavapipe: its evaluation shader outputs the points at which it ran, and the engines run their shaders at these
//! points.

mod case;
mod emulator;
mod interpreter;
mod picture;
mod pipeline;

use std::path::Path;

use crestline::{Platform, Simd};
use crestline_frontend::{Language, TranslateOptions, translate};
use crestline_judges::lavapipe::{
    Attribute, AttributeType, Capture, Captured, DrawJob, Drawn, JobError, Lavapipe, VertexStage,
};
use crestline_ssa::ir::Shader;

pub use case::{DrawCase, Output};
pub use emulator::{MODES, Mode, StageEmulator, compile_stage, link_stages, mode_name, to_values};
pub use interpreter::StageInterpreter;
pub use picture::Picture;
pub use pipeline::{Engine, Found, Point, patches, run};

use crate::case::CaseError;
use crate::corpus::{LoadError, compile_source};

/// Bytes of a point as an evaluation shader outputs it: u, v, w and the patch's number, all floats.
const POINT_BYTES: u32 = 16;

/// The results of lavapipe for a draw call.
#[derive(Debug)]
pub struct Expected {
    /// The captured outputs, and the buffers.
    pub drawn: Drawn,
    /// The patch and the point of each vertex that the tessellator makes, primitive by primitive.
    pub points: Vec<(usize, Point)>,
}

/// A file of `tests/stages/`.
#[derive(Debug)]
pub struct StageTest {
    /// File name without its folder.
    pub name: String,
    /// What it tests: the comment before the shaders.
    pub about: String,
    /// The draw call.
    pub case: DrawCase,
    /// The module of each stage, in the order of the pipeline.
    pub modules: Vec<(VertexStage, Vec<u32>)>,
    /// The module of the vertex shader that lavapipe runs instead.
    pub twin: Option<Vec<u32>>,
}

/// All files of `tests/stages/` whose name contains the value of `CRESTLINE_ONLY`, sorted by name.
///
/// # Errors
///
/// All tests that cannot be loaded, one line each.
pub fn stage_tests() -> Result<Vec<StageTest>, String> {
    let only = std::env::var("CRESTLINE_ONLY").unwrap_or_default();
    let folder = crate::repository().join("tests/stages");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "glsl"))
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    paths.sort();
    let (mut tests, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        match load(&path) {
            Ok(test) => tests.push(test),
            Err(error) => errors.push(error.to_string()),
        }
    }
    if errors.is_empty() { Ok(tests) } else { Err(errors.join("\n")) }
}

/// The file extension of a stage.
pub fn extension(stage: VertexStage) -> &'static str {
    match stage {
        VertexStage::Vertex => "vert",
        VertexStage::TessControl => "tesc",
        VertexStage::TessEval => "tese",
        VertexStage::Geometry => "geom",
    }
}

/// Reads a draw call's file and compiles its shaders.
fn load(path: &Path) -> Result<StageTest, LoadError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    StageTest::parse(&name, &text).map_err(|error| match error {
        ParseError::Case(source) => LoadError::Case { path: path.to_owned(), source },
        ParseError::Shader(message) => LoadError::Shader { path: path.to_owned(), message },
    })
}

/// The error of [`StageTest::parse`].
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// A line that cannot be read.
    #[error("{0}")]
    Case(CaseError),
    /// The front end's message about a shader.
    #[error("{0}")]
    Shader(String),
}

impl StageTest {
    /// Whether a mode has the messages that the test needs: SIMD4x2 has none with 64-bit addresses.
    pub fn runs_in(&self, mode: Mode) -> bool {
        self.case.resources.addresses.is_empty() || mode != (Platform::Bdw, Simd::Simd4x2)
    }

    /// Reads a draw call and compiles its shaders.
    ///
    /// # Errors
    ///
    /// A line that cannot be read, or the front end's message about a shader.
    pub fn parse(name: &str, text: &str) -> Result<StageTest, ParseError> {
        let case = DrawCase::parse(text).map_err(ParseError::Case)?;
        let mut modules = Vec::new();
        for (stage, source) in &case.shaders {
            let name = format!("shader.{}", extension(*stage));
            let words =
                compile_source(&name, Language::Glsl, source).map_err(ParseError::Shader)?;
            modules.push((*stage, words));
        }
        let compile = |source| compile_source("twin.vert", Language::Glsl, source);
        let twin = case.twin.as_deref().map(compile).transpose().map_err(ParseError::Shader)?;
        let before = text.lines().take_while(|line| !line.starts_with("//@ "));
        let comments: Vec<&str> = before.filter_map(|line| line.strip_prefix("// ")).collect();
        Ok(StageTest { name: name.to_owned(), about: comments.join(" "), case, modules, twin })
    }

    /// Translates a stage's shader with the front end.
    ///
    /// # Errors
    ///
    /// The front end's message.
    pub fn shader(&self, stage: VertexStage) -> Result<Shader, String> {
        let module = self.module(stage).ok_or("no such stage")?;
        translate(module, &TranslateOptions::default()).map_err(|error| error.to_string())
    }

    /// A stage's module.
    pub fn module(&self, stage: VertexStage) -> Option<&[u32]> {
        self.modules.iter().find(|(found, _)| *found == stage).map(|(_, words)| &words[..])
    }

    /// Runs the draw call in lavapipe.
    ///
    /// # Errors
    ///
    /// The error of lavapipe.
    pub fn expected(&self, lavapipe: &Lavapipe) -> Result<Expected, JobError> {
        let case = &self.case;
        let streams = case.outputs.iter().map(|output| output.stream + 1).max().unwrap_or(0);
        let mut captures = vec![Vec::new(); streams];
        for output in &case.outputs {
            captures[output.stream].push(Capture { what: output.what, bytes: output.bytes });
        }
        let views = case.views.iter().fold(0, |mask, view| mask | 1 << view);
        let drawn = self.draw(lavapipe, captures, views, |_| true)?;
        let Some(location) = case.points else { return Ok(Expected { drawn, points: Vec::new() }) };
        // A draw call without the geometry shader and without views captures the points of its input.
        let what = Captured::Location { location, component: 0 };
        let captures = vec![vec![Capture { what, bytes: POINT_BYTES }]];
        let before = |stage| stage != VertexStage::Geometry;
        let tessellated = self.draw(lavapipe, captures, 0, before)?;
        let point = |bytes: &[u8; POINT_BYTES as usize]| {
            let [u, v, w, patch] = std::array::from_fn(|i| {
                f32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * i + byte]))
            });
            (patch as usize, [u, v, w])
        };
        let points = tessellated.streams[0].as_chunks().0.iter().map(point).collect();
        Ok(Expected { drawn, points })
    }

    /// Runs the draw call with the views of a mask and the stages for which `wanted` is true.
    fn draw(
        &self,
        lavapipe: &Lavapipe,
        captures: Vec<Vec<Capture>>,
        views: u32,
        wanted: impl Fn(VertexStage) -> bool,
    ) -> Result<Drawn, JobError> {
        let case = &self.case;
        let stages = self.modules.iter().filter(|(stage, _)| wanted(*stage));
        let (vertex, twin) = (VertexStage::Vertex, self.twin.as_deref());
        let judged = |stage: VertexStage, words| twin.filter(|_| stage == vertex).unwrap_or(words);
        let attributes = match twin {
            Some(_) => case.attributes.iter().flat_map(split).collect(),
            None => case.attributes.clone(),
        };
        let feedback = if captures.is_empty() { case.feedback } else { 0 };
        lavapipe.draw(&DrawJob {
            stages: stages.map(|(stage, words)| (*stage, judged(*stage, words))).collect(),
            attributes,
            topology: case.topology,
            vertices: case.vertices,
            instances: case.instances,
            first_vertex: case.first_vertex,
            first_instance: case.first_instance,
            push: case.resources.push.clone(),
            buffers: case.resources.buffers.clone(),
            addresses: case.resources.addresses.clone(),
            captures,
            feedback,
            draws: case.draws,
            views,
        })
    }

    /// Compares an engine's results with those of lavapipe. Returns one line for each output and buffer that differs.
    pub fn differences(&self, found: &Found, expected: &Drawn) -> Vec<String> {
        let mut differences = Vec::new();
        let streams = expected.streams.len();
        if self.case.feedback > 0 {
            for (number, expected) in expected.streams.iter().enumerate() {
                let empty = Vec::new();
                let found = found.streams.get(number).unwrap_or(&empty);
                if found != expected {
                    differences
                        .push(format!("feedback buffer {number}: {}", unequal(found, expected)));
                }
            }
        }
        for stream in 0..streams {
            let outputs = || self.case.outputs.iter().filter(move |o| o.stream == stream);
            let stride: u32 = outputs().map(|output| output.bytes).sum();
            let mut offset = 0;
            for output in outputs() {
                let (start, end) = (offset as usize, (offset + output.bytes) as usize);
                offset += output.bytes;
                let column = |bytes: &[u8]| -> Vec<u8> {
                    bytes
                        .chunks(stride as usize)
                        .filter_map(|v| v.get(start..end))
                        .flatten()
                        .copied()
                        .collect()
                };
                let empty = Vec::new();
                let found = column(found.streams.get(stream).unwrap_or(&empty));
                let expected = column(&expected.streams[stream]);
                if let Some(difference) = output.rule.difference(&found, &expected) {
                    differences.push(format!("{:?} of stream {stream}: {difference}", output.what));
                }
            }
        }
        let buffers = self.case.resources.buffers.iter().zip(&self.case.resources.rules);
        for ((buffer, rule), (found, expected)) in
            buffers.zip(found.buffers.iter().zip(&expected.buffers))
        {
            if let Some(difference) = rule.difference(found, expected) {
                differences.push(format!("buffer {}.{}: {difference}", buffer.set, buffer.binding));
            }
        }
        differences
    }
}

/// An attribute of doubles as attributes of unsigned integers, one for each 16 bytes; other attributes as they are.
fn split(attribute: &Attribute) -> Vec<Attribute> {
    if attribute.ty != AttributeType::F64 {
        return vec![attribute.clone()];
    }
    let stride = attribute.stride() as usize;
    let part = |(location, first): (u32, usize)| {
        let end = stride.min(first + 16);
        let elements = attribute.contents.chunks_exact(stride);
        Attribute {
            location,
            ty: AttributeType::U32,
            components: (end - first) as u32 / 4,
            contents: elements.flat_map(|element| &element[first..end]).copied().collect(),
            ..attribute.clone()
        }
    };
    (attribute.location..).zip((0..stride).step_by(16)).map(part).collect()
}

/// The first dword that differs.
fn unequal(found: &[u8], expected: &[u8]) -> String {
    let (found, expected) = (found.as_chunks::<4>().0, expected.as_chunks::<4>().0);
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        Some(at) => {
            let [found, expected] = [found, expected].map(|dwords| u32::from_le_bytes(dwords[at]));
            format!("dword {at} is {found:#x}, expected {expected:#x}")
        }
        None => format!("{} dwords, expected {}", found.len(), expected.len()),
    }
}
