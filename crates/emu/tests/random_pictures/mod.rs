//! Random vertices, and the judge of what is drawn with them.

#![allow(dead_code)]

use crate::fragment_programs::{copy, vertex};
use crestline_emu::{DrawState, Framebuffer, Options, Resources, SlotValues};
use crestline_judges::ask;
use crestline_judges::glslang::Glslang;
use crestline_judges::lavapipe::{
    Attachment, Lavapipe, RasterJob, RasterState, RasterVertex, Rasterized, VertexData,
};
use crestline_program::{ColourType, Varying};
use fastrand::Rng;

pub(crate) const SIZE: [u32; 2] = [32, 16];
/// A vertex: position, point size, value.
pub(crate) type Vertex = ([f32; 4], f32, [u32; 4]);

/// What lavapipe needs besides the state.
pub(crate) struct Judge {
    lavapipe: &'static Lavapipe,
    vertex: Vec<u32>,
    fragment: Vec<u32>,
    declaration: &'static str,
}

impl Judge {
    /// Judges the shader `colour = location 0`.
    pub(crate) fn new(ty: ColourType) -> Option<Judge> {
        let lavapipe = ask(Lavapipe::open())?;
        let glslang = ask(Glslang::find())?;
        let (declaration, out) = match ty {
            ColourType::Float => ("vec4", "vec4"),
            ColourType::Int => ("flat ivec4", "ivec4"),
            ColourType::Uint => ("flat uvec4", "uvec4"),
        };
        let data = VertexData::new(&[(0, declaration)], &[]);
        let fragment = format!(
            "#version 450\nlayout(location = 0) {} {out} a;\nlayout(location = 0) out {out} o;\n\
             void main() {{ o = a; }}\n",
            declaration.replace(out, "in")
        );
        Some(Judge {
            lavapipe,
            vertex: glslang.compile("vert", &data.shader).unwrap(),
            fragment: glslang.compile("frag", &fragment).unwrap(),
            declaration,
        })
    }

    pub(crate) fn draw(
        &self,
        vertices: &[Vertex],
        format: &'static str,
        contents: &[u8],
        state: &RasterState,
    ) -> Rasterized {
        self.draw_samples(1, vertices, format, contents, state)
    }

    /// Draws on pixels with a number of samples.
    pub(crate) fn draw_samples(
        &self,
        samples: u32,
        vertices: &[Vertex],
        format: &'static str,
        contents: &[u8],
        state: &RasterState,
    ) -> Rasterized {
        let all: Vec<_> = (vertices.iter())
            .map(|&(position, point_size, value)| RasterVertex {
                position,
                point_size,
                values: vec![value],
            })
            .collect();
        let data = VertexData::new(&[(0, self.declaration)], &all);
        let job = RasterJob {
            views: 0,
            vertex: &self.vertex,
            fragment: &self.fragment,
            vertices: data.count,
            size: SIZE,
            push: Vec::new(),
            buffers: vec![data.buffer],
            attachments: vec![Attachment { format, contents: contents.to_vec(), written: true }],
            samples,
        };
        self.lavapipe.rasterize_with(&job, state).unwrap()
    }
}

/// Draws with the emulator.
pub(crate) fn emulate(
    ty: ColourType,
    width: u8,
    vertices: &[Vertex],
    state: &DrawState,
    framebuffer: &mut Framebuffer,
) {
    let vertices = vertices.iter().map(|(position, size, value)| {
        let header = [0, 0, 0, size.to_bits()];
        vertex(*position, *value).with(Varying::Header, header)
    });
    let vertices: Vec<SlotValues> = vertices.collect();
    let report = copy(width, ty)
        .draw(state, &[vertices], framebuffer, &Resources::new(), &Options::strict(), None)
        .unwrap();
    assert_eq!(report.diagnostics, []);
}

/// A position at a multiple of 1/`steps` pixel, with that w.
pub(crate) fn place(random: &mut Rng, steps: i32, margin: i32, w: f32) -> [f32; 4] {
    let [x, y] = SIZE.map(|side| {
        let side = side as i32;
        let at = random.i32(-margin * steps..=(side + margin) * steps) as f32 / steps as f32;
        (2.0 * at / side as f32 - 1.0) * w
    });
    [x, y, random.f32() * w, w]
}

pub(crate) fn colour(random: &mut Rng) -> [u32; 4] {
    std::array::from_fn(|_| (random.f32() * 1.5 - 0.25).to_bits())
}

pub(crate) fn pick<T: Copy>(random: &mut Rng, all: &[T]) -> T {
    all[random.usize(0..all.len())]
}

/// Two triangles that cover everything.
pub(crate) fn everywhere(z: f32, values: [u32; 4]) -> Vec<Vertex> {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    corners.map(|[x, y]| ([x, y, z, 1.0], 1.0, values)).to_vec()
}
