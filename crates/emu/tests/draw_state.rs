//! Viewports, layers, depth bias, depth clamping, adjacency and counters of draw calls against lavapipe.

mod fragment_programs;
mod random_pictures;

use crestline_device::{CompareOp, SurfaceFormat};
use crestline_emu::{
    Area, CullMode, DepthBias, DepthFormat, DepthTest, DrawState, EmuError, Framebuffer,
    FramebufferError, Options, PolygonMode, Report, Resources, SlotValues, Topology, Viewport,
};
use crestline_judges::ask;
use crestline_judges::glslang::Glslang;
use crestline_judges::lavapipe::{
    Attachment, DepthAttachment, Lavapipe, RasterJob, RasterState, RasterVertex, Rasterized,
    VertexData,
};
use crestline_judges::pictures::{self, Rule};
use crestline_program::{ColourType, Varying};
use fastrand::Rng;
use fragment_programs::{copy, vertex};
use random_pictures::{SIZE, Vertex, colour, pick, place};

const PIXELS: usize = (SIZE[0] * SIZE[1]) as usize;
/// The rule for values of [`colour`].
const RULE: Rule = Rule::Interpolated { range: Some(1.5) };

/// A vertex with its layer and the number of its viewport.
type Placed = (Vertex, [u32; 2]);

/// The judge of draw calls whose vertices select layers and viewports.
struct Judge {
    lavapipe: &'static Lavapipe,
    vertex: Vec<u32>,
    fragment: Vec<u32>,
}

impl Judge {
    fn new() -> Option<Judge> {
        let lavapipe = ask(Lavapipe::open())?;
        let glslang = ask(Glslang::find())?;
        let data = VertexData::with_targets(&[(0, "vec4")], &[]);
        let fragment = "#version 450\nlayout(location = 0) in vec4 a;\n\
                        layout(location = 0) out vec4 o;\nvoid main() { o = a; }\n";
        Some(Judge {
            lavapipe,
            vertex: glslang.compile("vert", &data.shader).unwrap(),
            fragment: glslang.compile("frag", fragment).unwrap(),
        })
    }

    fn draw(&self, vertices: &[Placed], contents: Vec<u8>, state: &RasterState) -> Rasterized {
        let all: Vec<_> = (vertices.iter())
            .map(|&((position, point_size, value), targets)| {
                (RasterVertex { position, point_size, values: vec![value] }, targets)
            })
            .collect();
        let data = VertexData::with_targets(&[(0, "vec4")], &all);
        let job = RasterJob {
            views: 0,
            vertex: &self.vertex,
            fragment: &self.fragment,
            vertices: data.count,
            size: SIZE,
            push: Vec::new(),
            buffers: vec![data.buffer],
            attachments: vec![Attachment { format: "rgba32f", contents, written: true }],
            samples: 1,
        };
        self.lavapipe.rasterize_with(&job, state).unwrap()
    }
}

fn emulate(vertices: &[Placed], state: &DrawState, framebuffer: &mut Framebuffer) -> Report {
    let vertices = vertices.iter().map(|((position, size, value), [layer, viewport])| {
        let header = [0, *layer, *viewport, size.to_bits()];
        vertex(*position, *value).with(Varying::Header, header)
    });
    let vertices: Vec<SlotValues> = vertices.collect();
    let report = copy(8, ColourType::Float)
        .draw(state, &[vertices], framebuffer, &Resources::new(), &Options::strict(), None)
        .unwrap();
    assert_eq!(report.diagnostics, []);
    report
}

fn framebuffer(layers: u32) -> Framebuffer {
    let mut framebuffer = Framebuffer::with_layers(SIZE, 1, layers).unwrap();
    framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
    framebuffer
}

/// Triangles, each in a random layer and viewport.
fn triangles(random: &mut Rng, count: usize, layers: u32, viewports: u32) -> Vec<Placed> {
    let mut all = Vec::new();
    for _ in 0..count {
        let targets = [random.u32(0..layers), random.u32(0..viewports)];
        all.extend([(); 3].map(|()| ((place(random, 16, 0, 1.0), 1.0, colour(random)), targets)));
    }
    all
}

fn same(round: usize, expected: &Rasterized, found: &Framebuffer) {
    let expected = pictures::floats(&expected.attachments[0]);
    let found = pictures::floats(found.colour(0).unwrap().1);
    pictures::compare(RULE, (SIZE[0] as usize, 4), &expected, &found, |_, _| false)
        .unwrap_or_else(|error| panic!("round {round}: {error}"));
}

#[test]
fn vertices_select_the_viewport_and_scissor() {
    let Some(judge) = Judge::new() else { return };
    let mut random = Rng::with_seed(20);
    for round in 0..60 {
        let count = random.usize(1..8);
        // Positions in viewports of these sizes are at multiples of 1/256 of a pixel.
        let views: Vec<(Viewport, Option<Area>)> = (0..count)
            .map(|_| {
                let [width, height] =
                    [pick(&mut random, &[8.0, 16.0, 32.0]), pick(&mut random, &[8.0, 16.0])];
                let y = random.u32(0..8) as f32;
                let upwards = random.bool();
                let viewport = Viewport {
                    x: random.u32(0..16) as f32,
                    y: if upwards { y + height } else { y },
                    width,
                    height: if upwards { -height } else { height },
                    depth: [0.0, 1.0],
                };
                let scissor = random.bool().then(|| Area {
                    x: random.u32(0..12),
                    y: random.u32(0..6),
                    width: random.u32(1..20),
                    height: random.u32(1..10),
                });
                (viewport, scissor)
            })
            .collect();
        let vertices = triangles(&mut random, 8, 1, count as u32);
        let words = |(view, scissor): &(Viewport, Option<Area>)| {
            let Viewport { x, y, width, height, depth: [near, far] } = *view;
            let scissor = scissor.map(|area| [area.x, area.y, area.width, area.height]);
            ([x, y, width, height, near, far], scissor)
        };
        let (viewport, scissor) = words(&views[0]);
        let other = RasterState {
            viewport: Some(viewport),
            scissor,
            more_viewports: views[1..].iter().map(words).collect(),
            ..RasterState::default()
        };
        let mut state = DrawState::new(SIZE);
        (state.viewport, state.scissor) = views[0];
        state.more_viewports = views[1..].to_vec();
        let mut framebuffer = framebuffer(1);
        emulate(&vertices, &state, &mut framebuffer);
        same(round, &judge.draw(&vertices, vec![0; 16 * PIXELS], &other), &framebuffer);
    }
}

#[test]
fn vertices_select_the_layer() {
    let Some(judge) = Judge::new() else { return };
    let mut random = Rng::with_seed(21);
    for round in 0..40 {
        let layers = random.u32(1..7);
        let vertices = triangles(&mut random, 10, layers, 1);
        let compare = pick(&mut random, &[CompareOp::Less, CompareOp::Greater]);
        let mut framebuffer = framebuffer(layers);
        framebuffer.clear_depth(DepthFormat::Float32, 0.5);
        let mut state = DrawState::new(SIZE);
        state.depth = Some(DepthTest { compare, write: true });
        emulate(&vertices, &state, &mut framebuffer);
        let pixels = PIXELS * layers as usize;
        let contents = 0.5f32.to_le_bytes().repeat(pixels);
        let depth = DepthAttachment { format: "d32", contents, compare, write: true };
        let other = RasterState { depth: Some(depth), layers, ..RasterState::default() };
        let expected = judge.draw(&vertices, vec![0; 16 * pixels], &other);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        let colours = pictures::floats(&expected.attachments[0]);
        // Depths that are nearly equal may pass or fail.
        let differs =
            |i: &usize| (0..4).any(|c| (colours[4 * i + c] - found[4 * i + c]).abs() > 1e-3);
        let count = (0..pixels).filter(differs).count();
        assert!(count <= pixels / 100, "round {round}: {count} of {pixels} pixels differ");
        let used = found.iter().filter(|value| **value != 0.0).count();
        assert!(used > 0);
    }
}

#[test]
fn primitives_of_a_layer_that_does_not_exist_are_not_drawn() {
    let mut random = Rng::with_seed(22);
    let mut vertices = triangles(&mut random, 3, 1, 1);
    for (_, targets) in &mut vertices {
        *targets = [2, 77];
    }
    let mut framebuffer = framebuffer(2);
    let before = framebuffer.clone();
    let report = emulate(&vertices, &DrawState::new(SIZE), &mut framebuffer);
    assert_eq!((framebuffer, report.counters.samples_passed), (before, 0));
    assert_eq!(
        Framebuffer::with_layers(SIZE, 1, 2049),
        Err(FramebufferError::Layers { layers: 2049 })
    );
    let error = |change: fn(&mut DrawState)| {
        let mut state = DrawState::new(SIZE);
        change(&mut state);
        let mut framebuffer = self::framebuffer(1);
        framebuffer.clear_depth(DepthFormat::Float32, 0.0);
        let (kernel, options) = (copy(8, ColourType::Float), Options::strict());
        kernel.draw(&state, &[], &mut framebuffer, &Resources::new(), &options, None).unwrap_err()
    };
    let many = error(|state| state.more_viewports = vec![(state.viewport, None); 16]);
    let expected = FramebufferError::Viewports { count: 17, most: 16 };
    assert_eq!(many, EmuError::Framebuffer(expected));
    // Skylake has no depth bounds test.
    assert_eq!(error(|state| state.depth_bounds = Some([0.0, 1.0])), EmuError::DepthBounds);
}

/// The depths that the judge stored.
fn depths(format: DepthFormat, tested: &[u8]) -> Vec<f64> {
    match format {
        DepthFormat::Unorm16 => (tested.as_chunks::<2>().0.iter())
            .map(|bytes| f64::from(u16::from_le_bytes(*bytes)) / 65535.0)
            .collect(),
        _ => pictures::floats(tested),
    }
}

#[test]
fn depth_bias_and_clamping_are_those_of_lavapipe() {
    let Some(judge) = Judge::new() else { return };
    let mut random = Rng::with_seed(23);
    let mut biased = 0;
    for round in 0..300 {
        let (format, name) = match round % 2 {
            0 => (DepthFormat::Float32, "d32"),
            _ => (DepthFormat::Unorm16, "d16"),
        };
        let mut state = DrawState::new(SIZE);
        state.depth_clamp = random.bool();
        state.viewport.depth = pick(&mut random, &[[0.0, 1.0], [0.25, 0.75], [0.875, 0.125]]);
        state.cull = pick(&mut random, &[CullMode::None, CullMode::Back]);
        state.polygon_mode =
            pick(&mut random, &[PolygonMode::Fill, PolygonMode::Fill, PolygonMode::Line]);
        let bias = DepthBias {
            constant: pick(&mut random, &[0.0, 3.0, -7.0, 1000.0]),
            slope: pick(&mut random, &[0.0, 1.0, -0.5, 2.5]),
            clamp: pick(&mut random, &[0.0, 0.0, 0.0625, -0.03125]),
        };
        state.depth_bias = (random.u8(0..4) > 0).then_some(bias);
        state.depth = Some(DepthTest { compare: CompareOp::Always, write: true });
        // One triangle, so that the order of triangles does not matter.
        let mut vertices = triangles(&mut random, 1, 1, 1);
        for ((position, ..), _) in &mut vertices {
            let beyond = if state.depth_clamp { 1.0 } else { 0.0 };
            position[2] = random.f32() * (1.0 + 2.0 * beyond) - beyond;
        }
        // Vulkan leaves open in which order the edges of a triangle are drawn, so these have the same depth.
        if state.polygon_mode == PolygonMode::Line {
            let depth = vertices[0].0.0[2];
            vertices.iter_mut().for_each(|((position, ..), _)| position[2] = depth);
        }
        let mut framebuffer = framebuffer(1);
        framebuffer.clear_depth(format, 0.0);
        emulate(&vertices, &state, &mut framebuffer);
        let texel = if format == DepthFormat::Unorm16 { 2 } else { 4 };
        let depth = DepthAttachment {
            format: name,
            contents: vec![0; texel * PIXELS],
            compare: CompareOp::Always,
            write: true,
        };
        let [near, far] = state.viewport.depth;
        let other = RasterState {
            viewport: Some([0.0, 0.0, SIZE[0] as f32, SIZE[1] as f32, near, far]),
            depth: Some(depth),
            depth_clamp: state.depth_clamp,
            depth_bias: state.depth_bias.map(|bias| [bias.constant, bias.slope, bias.clamp]),
            cull: state.cull.word(),
            polygon_mode: state.polygon_mode.word(),
            ..RasterState::default()
        };
        let expected = judge.draw(&vertices, vec![0; 16 * PIXELS], &other);
        let judged = depths(format, &expected.tested.unwrap());
        let found = framebuffer.depths().unwrap();
        let wrong: Vec<_> = (found.iter().zip(&judged))
            .map(|(found, expected)| (f64::from(*found), *expected))
            .filter(|(found, expected)| (found - expected).abs() > 4e-5)
            .collect();
        assert!(
            wrong.len() <= PIXELS / 100,
            "round {round}, {name}: {} depths differ: {:?}\n{state:?}\n{vertices:?}",
            wrong.len(),
            wrong[0]
        );
        biased +=
            usize::from(state.depth_bias.is_some() && found.iter().any(|depth| *depth != 0.0));
    }
    assert!(biased > 100, "{biased}");
}

#[test]
fn topologies_draw_and_count_what_lavapipe_does() {
    let Some(judge) = Judge::new() else { return };
    let mut random = Rng::with_seed(24);
    for round in 0..90 {
        let mut state = DrawState::new(SIZE);
        state.topology = Topology::ALL[round % Topology::ALL.len()];
        let count = random.usize(6..20);
        let mut vertices = triangles(&mut random, 7, 1, 1);
        vertices.truncate(count);
        // Values of the whole draw call, because lavapipe may divide lines in another way.
        for ((_, size, value), _) in &mut vertices {
            (*size, *value) = (2.0, [1.0f32.to_bits(); 4]);
        }
        let mut framebuffer = framebuffer(1);
        let report = emulate(&vertices, &state, &mut framebuffer);
        let other =
            RasterState { topology: state.topology.word(), counts: true, ..RasterState::default() };
        let expected = judge.draw(&vertices, vec![0; 16 * PIXELS], &other);
        let colours = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        let count = colours.iter().zip(&found).filter(|(a, b)| a != b).count() / 4;
        let topology = state.topology.word();
        assert!(count <= 5, "round {round}, {topology}: {count} pixels differ");
        let counters = report.counters;
        let samples = expected.counts.samples.abs_diff(counters.samples_passed);
        assert!(samples <= 10, "{topology}: {samples}");
        // [input vertices, input primitives, vertex, geometry, geometry primitives, clipping, clipped, fragment, ...]
        let judged = expected.counts.statistics;
        let primitives = state.topology.count(vertices.len()) as u64;
        assert_eq!(judged[1], primitives, "{topology} of {} vertices", vertices.len());
        assert_eq!(counters.clipping_invocations, primitives);
        assert!(counters.clipping_primitives <= primitives);
        assert_eq!(counters.fragment_invocations, counters.samples_passed);
    }
}

#[test]
fn wide_lines_and_large_points_are_those_of_lavapipe() {
    let Some(judge) = Judge::new() else { return };
    let mut random = Rng::with_seed(25);
    let (mut drawn, mut wrong) = (0, 0);
    for _ in 0..150 {
        let mut state = DrawState::new(SIZE);
        state.topology =
            pick(&mut random, &[Topology::Points, Topology::Lines, Topology::LineStrip]);
        state.line_width = pick(&mut random, &[1.0, 1.5, 3.0, 7.25]);
        let size = pick(&mut random, &[1.0, 2.5, 9.0, 40.0]);
        // All primitives have the same colour: at the ends of lines the order of primitives would matter.
        let value = colour(&mut random);
        let mut vertices = triangles(&mut random, 1, 1, 1);
        vertices.iter_mut().for_each(|((_, own, all), _)| (*own, *all) = (size, value));
        let mut framebuffer = framebuffer(1);
        emulate(&vertices, &state, &mut framebuffer);
        let other = RasterState {
            topology: state.topology.word(),
            line_width: state.line_width,
            ..RasterState::default()
        };
        let expected = judge.draw(&vertices, vec![0; 16 * PIXELS], &other);
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        let differs =
            |i: &usize| (0..4).any(|c| (expected[4 * i + c] - found[4 * i + c]).abs() > 1e-3);
        wrong += (0..PIXELS).filter(differs).count();
        drawn += found.iter().step_by(4).filter(|value| **value != 0.0).count();
    }
    // The corners of slanted lines are at positions of any kind, which both round differently.
    assert!(wrong as f64 <= pictures::LEFT_OUT * drawn as f64, "{wrong} of {drawn} pixels differ");
}
