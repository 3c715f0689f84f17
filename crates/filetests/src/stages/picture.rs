//! Pictures of draw calls of several stages: lavapipe's, and the emulator's from the vertices that an engine found.

use crestline::{Options, Simd, compile_spirv};
use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{Class, DrawState, Framebuffer, Kernel, Problem, SurfaceName};
use crestline_frontend::Language;
use crestline_judges::lavapipe::{
    Attachment, Lavapipe, RasterInput, RasterJob, RasterState, Rasterized, Topology, VertexStage,
};

use super::{Found, Mode, StageTest, to_values};
use crate::corpus::compile_source;
use crate::engine::{bound_resources, emulator_key};

/// What attachments contain before.
const CLEAR: u8 = 0xcd;

/// The largest difference of interpolated values. Vertices have values below 1024, and the gradients of narrow triangles are
/// large.
const TOLERANCE: f32 = 0.05;

/// The fragment shader of a draw call and lavapipe's picture. Attachment 0 has floats, attachment 1 unsigned integers.
pub struct Picture {
    fragment: Vec<u32>,
    /// Width and height in pixels.
    size: u32,
    drawn: Rasterized,
}

impl Picture {
    /// Draws the picture in lavapipe with a fragment shader in GLSL. The topology of `state` is replaced by that of the draw
    /// call.
    ///
    /// # Errors
    ///
    /// The message of the front end or of lavapipe.
    pub fn new(
        test: &StageTest,
        lavapipe: &Lavapipe,
        source: &str,
        size: u32,
        mut state: RasterState,
    ) -> Result<Picture, String> {
        let fragment = compile_source("shader.frag", Language::Glsl, source)?;
        let case = &test.case;
        let module = |stage| test.module(stage).unwrap_or_default();
        let (topology, patch) = match case.topology {
            Topology::Points => ("points", 0),
            Topology::Lines => ("lines", 0),
            Topology::LinesAdjacency => ("lines_adjacency", 0),
            Topology::Triangles => ("triangles", 0),
            Topology::TrianglesAdjacency => ("triangles_adjacency", 0),
            Topology::Patches(vertices) => ("patches", vertices),
        };
        let stages = [VertexStage::TessControl, VertexStage::TessEval].map(module);
        let input = RasterInput {
            tessellation: (patch > 0).then_some((stages, patch)),
            geometry: test.module(VertexStage::Geometry),
            attributes: case.attributes.clone(),
            instances: case.instances,
            first_vertex: case.first_vertex,
            first_instance: case.first_instance,
        };
        let contents = vec![CLEAR; 16 * (size * size) as usize];
        let attachment = |format| Attachment { format, contents: contents.clone(), written: true };
        let job = RasterJob {
            vertex: module(VertexStage::Vertex),
            fragment: &fragment,
            vertices: case.vertices,
            size: [size; 2],
            push: case.resources.push.clone(),
            buffers: case.resources.buffers.clone(),
            attachments: vec![attachment("rgba32f"), attachment("rgba32ui")],
            views: 0,
            samples: 1,
        };
        state.topology = topology;
        let drawn = lavapipe.rasterize_through(&job, &input, &state);
        let drawn = drawn.map_err(|error| format!("lavapipe: {error}"))?;
        Ok(Picture { fragment, size, drawn })
    }

    /// Whether lavapipe changed no pixel.
    pub fn is_empty(&self) -> bool {
        self.drawn.attachments.iter().all(|texels| texels.iter().all(|byte| *byte == CLEAR))
    }

    /// Draws the vertices that an engine found in the emulator, and compares the attachments and the buffers. The topology of
    /// `state` is replaced by that of the vertices.
    ///
    /// # Errors
    ///
    /// The message of the compiler or the emulator, or the first difference.
    pub fn compare(
        &self,
        test: &StageTest,
        found: &Found,
        mode: Mode,
        mut state: DrawState,
    ) -> Result<(), String> {
        let mut options = Options::new(mode.0).with_simd(Simd::Auto);
        options.verify = true;
        let program = compile_spirv(&self.fragment, &options).map_err(|error| error.to_string())?;
        let kernel = Kernel::load(&program.code, program.metadata, &Device::new(mode.0))
            .map_err(|error| error.to_string())?;
        let mut buffers = test.case.resources.buffers.clone();
        for (buffer, contents) in buffers.iter_mut().zip(&found.buffers) {
            buffer.contents.clone_from(contents);
        }
        let resources = bound_resources(&buffers, &test.case.resources.push, None)?;
        let mut framebuffer =
            Framebuffer::new([self.size; 2]).map_err(|error| error.to_string())?;
        let formats = [SurfaceFormat::R32G32B32A32_FLOAT, SurfaceFormat::R32G32B32A32_UINT];
        for (number, format) in (0..).zip(formats) {
            let contents = vec![CLEAR; 16 * (self.size * self.size) as usize];
            framebuffer.set_colour(number, format, contents).map_err(|error| error.to_string())?;
        }
        state.topology = match found.primitive_vertices {
            1 => crestline_emu::Topology::Points,
            2 => crestline_emu::Topology::Lines,
            _ => crestline_emu::Topology::Triangles,
        };
        let strip = found.vertices.iter().map(to_values).collect();
        let options = crestline_emu::Options { budget: 50_000_000, ..Default::default() };
        let report = kernel
            .draw(&state, &[strip], &mut framebuffer, &resources, &options, None)
            .map_err(|error| error.to_string())?;
        let harmless = |problem: Problem| match problem {
            Problem::OutOfBounds { surface: SurfaceName::Image(_), .. } => true,
            problem => problem.class() == Class::UninitializedRead,
        };
        if let Some(wrong) = report.diagnostics.iter().find(|found| !harmless(found.problem)) {
            return Err(wrong.to_string());
        }
        for (number, expected) in (0..).zip(&self.drawn.attachments) {
            let found = framebuffer.colour(number).map_or(&[][..], |colour| colour.1);
            if let Some(difference) = self.difference(found, expected, number) {
                return Err(difference);
            }
        }
        for (buffer, expected) in test.case.resources.buffers.iter().zip(&self.drawn.buffers) {
            if resources.buffer(emulator_key(buffer)).as_ref() != Some(expected) {
                return Err(format!("buffer {}.{} differs", buffer.set, buffer.binding));
            }
        }
        Ok(())
    }

    /// The first component of an attachment that differs.
    fn difference(&self, found: &[u8], expected: &[u8], attachment: u8) -> Option<String> {
        let [found, expected] = [found, expected].map(|bytes| bytes.as_chunks::<4>().0);
        let differs = |at: &usize| {
            let [found, expected] = [found, expected].map(|dwords| dwords[*at]);
            let [a, b] = [found, expected].map(f32::from_le_bytes);
            let near = attachment == 0 && (a - b).abs() <= TOLERANCE;
            found != expected && !near
        };
        let count = (0..expected.len()).filter(differs).count();
        let at = (0..expected.len()).find(differs)?;
        let [found, expected] = [found, expected].map(|dwords| u32::from_le_bytes(dwords[at]));
        let [a, b] = [found, expected].map(f32::from_bits);
        let (width, pixel) = (self.size as usize, at / 4);
        let (component, x, y) = (at % 4, pixel % width, pixel / width);
        Some(format!(
            "component {component} of pixel ({x}, {y}) of attachment {attachment} is {found:#x} ({a}), expected {expected:#x} ({b}); {count} differ"
        ))
    }
}
