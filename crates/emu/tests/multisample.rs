//! The fixed functions of a draw call for pixels with several samples: against lavapipe, which has four, and against a plain
//! model of coverage for other numbers.

mod fragment_programs;
mod random_pictures;

use crestline_device::{CompareOp, SurfaceFormat};
use crestline_emu::{
    Area, Blend, BlendEquation, BlendFactor, BlendOp, DepthFormat, DepthTest, DrawState, EmuError,
    Framebuffer, FramebufferError, ImageDimension, ImageShape, Options, Resources, StencilOp,
    StencilTest, Topology, Viewport,
};
use crestline_isa::message::{Bti, Message, RtSubtype, SamplerOp, SamplerSimd};
use crestline_isa::{Opcode, Src, Type};
use crestline_judges::lavapipe::{DepthAttachment, RasterState, StencilAttachment};
use crestline_judges::pictures::{self, Rule};
use crestline_program::{Barycentric, BindingEntry, ColourType, ResourceRef, Surface};
use fastrand::Rng;
use fragment_programs::*;
use random_pictures::*;

/// The samples of all pixels.
const FOUR: usize = 4 * 32 * 16;

/// The rule for values of [`colour`] at the centres of pixels, which may be outside of a triangle.
const RULE: Rule = Rule::Interpolated { range: Some(6.0) };

fn framebuffer(samples: u32, format: SurfaceFormat) -> Framebuffer {
    let mut framebuffer = Framebuffer::with_samples(SIZE, samples).unwrap();
    framebuffer.clear_colour(0, format, [0; 4]).unwrap();
    framebuffer
}

#[test]
fn triangles_cover_the_samples_that_lavapipe_covers() {
    let Some(judge) = Judge::new(ColourType::Uint) else { return };
    let mut random = Rng::with_seed(21);
    let zeros = vec![0; 16 * FOUR];
    let mut parts = 0;
    for round in 0..300 {
        let count = if round % 5 == 0 { 12 } else { 3 };
        let vertices: Vec<Vertex> = (0..count)
            .map(|_| {
                let w = if round % 3 == 2 { pick(&mut random, &[0.5, 1.0, 2.0]) } else { 1.0 };
                let steps = pick(&mut random, &[2, 8, 16, 256]);
                (place(&mut random, steps, 0, w), 1.0, [random.u32(1..), 2, 3, 4])
            })
            .collect();
        let mut state = DrawState::new(SIZE);
        let mut other = RasterState::default();
        state.topology = pick(
            &mut random,
            &[Topology::Triangles, Topology::TriangleStrip, Topology::TriangleFan],
        );
        other.topology = state.topology.word();
        // A scissor has no judge here: with several samples, lavapipe 22.3 draws samples of pixels outside of it.
        if random.u8(0..3) == 0 {
            state.sample_mask = random.u16(1..16);
            other.sample_mask = state.sample_mask.into();
        }
        let mut framebuffer = framebuffer(4, SurfaceFormat::R32G32B32A32_UINT);
        emulate(ColourType::Uint, pick(&mut random, &[8, 16]), &vertices, &state, &mut framebuffer);
        let expected = judge.draw_samples(4, &vertices, "rgba32ui", &zeros, &other);
        let (found, expected) = (framebuffer.colour(0).unwrap().1, &expected.attachments[0]);
        let (found, expected) = (found.chunks(16), expected.chunks(16));
        let mut wrong = (0..).zip(found.clone().zip(expected)).filter(|(_, (a, b))| a != b);
        if let Some((sample, (found, expected))) = wrong.next() {
            panic!(
                "round {round}: sample {sample} is {found:?}, expected {expected:?}; {} more differ\n{state:?}\n{vertices:?}",
                wrong.count()
            );
        }
        let drawn: Vec<bool> = found.map(|texel| texel[4] != 0).collect();
        parts += drawn.as_chunks::<4>().0.iter().filter(|all| all.contains(&!all[0])).count();
    }
    assert!(parts > 1000, "{parts} pixels are covered in part");
}

#[test]
fn colours_are_those_of_the_centres_of_pixels() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(22);
    let zeros = vec![0; 16 * FOUR];
    for round in 0..100 {
        let mut state = DrawState::new(SIZE);
        let add = BlendEquation {
            source: BlendFactor::SrcAlpha,
            destination: BlendFactor::OneMinusSrcAlpha,
            op: BlendOp::Add,
        };
        state.colours[0].blend = Some(Blend { colour: add, alpha: add });
        let words = ["src_alpha", "one_minus_src_alpha", "add"];
        let [a, b, c] = words;
        let other =
            RasterState { blends: vec![Some([a, b, c, a, b, c])], ..RasterState::default() };
        let vertices: Vec<Vertex> =
            (0..9).map(|_| (place(&mut random, 2, 0, 1.0), 1.0, colour(&mut random))).collect();
        let mut framebuffer = framebuffer(4, SurfaceFormat::R32G32B32A32_FLOAT);
        emulate(ColourType::Float, 16, &vertices, &state, &mut framebuffer);
        let expected = judge.draw_samples(4, &vertices, "rgba32f", &zeros, &other);
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        // Thin triangles have large values at centres outside of them.
        let far = |x: usize, y: usize| {
            expected[4 * (y * 128 + x)..][..4].iter().any(|value| value.abs() > 3.0)
        };
        let result = pictures::compare(RULE, (128, 4), &expected, &found, far);
        if let Err(error) = result {
            panic!("round {round}: {error}\n{vertices:?}");
        }
    }
}

#[test]
fn alpha_chooses_the_samples_that_lavapipe_chooses() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(27);
    let zeros = vec![0; 16 * FOUR];
    let mut partly = 0;
    for round in 0..60 {
        let mut vertices = Vec::new();
        for number in 1..=3 {
            // Alpha is not near a multiple of 1/4.
            let alpha = (random.i32(-2..6) as f32 + 0.125 + random.f32() * 0.75) / 4.0;
            let value = [number as f32, 2.0, 3.0, alpha].map(f32::to_bits);
            vertices.extend((0..3).map(|_| (place(&mut random, 16, 0, 1.0), 1.0, value)));
        }
        let mut state = DrawState::new(SIZE);
        state.alpha_to_coverage = true;
        state.depth = Some(DepthTest { compare: CompareOp::Less, write: true });
        let mut framebuffer = framebuffer(4, SurfaceFormat::R32G32B32A32_FLOAT);
        framebuffer.clear_depth(DepthFormat::Float32, 1.0);
        emulate(ColourType::Float, 16, &vertices, &state, &mut framebuffer);
        let contents = 1.0f32.to_le_bytes().repeat(FOUR);
        let (compare, write) = (CompareOp::Less, true);
        let other = RasterState {
            alpha_to_coverage: true,
            depth: Some(DepthAttachment { format: "d32", contents, compare, write }),
            ..RasterState::default()
        };
        let expected = judge.draw_samples(4, &vertices, "rgba32f", &zeros, &other);
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        let numbers = |all: &[f64]| all.iter().step_by(4).map(|n| n.round()).collect::<Vec<_>>();
        let (found, expected) = (numbers(&found), numbers(&expected));
        let wrong = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
        // Depths that are nearly equal may pass or fail.
        assert!(wrong <= FOUR / 100, "round {round}: {wrong} samples differ");
        partly += found.chunks(4).filter(|all| all[0] != all[3]).count();
    }
    assert!(partly > 2000, "{partly} pixels are written in part");
}

#[test]
fn depth_tests_are_those_of_lavapipe() {
    let Some(judge) = Judge::new(ColourType::Uint) else { return };
    let mut random = Rng::with_seed(23);
    let zeros = vec![0; 16 * FOUR];
    for round in 0..160 {
        use CompareOp::*;
        // Whether slanted depths are equal depends on how both round.
        let flat = round % 4 == 3;
        let ops: &[CompareOp] = match flat {
            true => CompareOp::ALL,
            false => &[Never, Less, LessOrEqual, Greater, GreaterOrEqual, Always],
        };
        let compare = pick(&mut random, ops);
        let write = random.u8(0..4) > 0;
        let vertices: Vec<Vertex> = (0..12)
            .map(|i| {
                let mut position = place(&mut random, 16, 0, 1.0);
                if flat {
                    position[2] = [0.4, 0.6, 0.4, 0.2][i / 3];
                }
                (position, 1.0, [random.u32(1..), 2, 3, 4])
            })
            .collect();
        let mut state = DrawState::new(SIZE);
        state.depth = Some(DepthTest { compare, write });
        state.viewport = Viewport { depth: [0.75, 0.125], ..state.viewport };
        let mut framebuffer = framebuffer(4, SurfaceFormat::R32G32B32A32_UINT);
        framebuffer.clear_depth(DepthFormat::Float32, 0.5);
        emulate(ColourType::Uint, 16, &vertices, &state, &mut framebuffer);
        let contents = 0.5f32.to_le_bytes().repeat(FOUR);
        let other = RasterState {
            viewport: Some([0.0, 0.0, 32.0, 16.0, 0.75, 0.125]),
            depth: Some(DepthAttachment { format: "d32", contents, compare, write }),
            ..RasterState::default()
        };
        let expected = judge.draw_samples(4, &vertices, "rgba32ui", &zeros, &other);
        let texels = framebuffer.colour(0).unwrap().1.chunks(16);
        let pairs = texels.zip(expected.attachments[0].chunks(16));
        // Depths that are nearly equal may pass or fail.
        let most = if flat { 0 } else { FOUR / 100 };
        let count = pairs.filter(|(found, expected)| found != expected).count();
        assert!(count <= most, "round {round}, {compare:?}: {count} samples differ");
        let depths = framebuffer.depths().unwrap();
        let judged = pictures::floats(&expected.tested.unwrap());
        assert_eq!(depths.len(), judged.len());
        let wrong = (depths.iter().zip(&judged))
            .filter(|(found, expected)| (f64::from(**found) - **expected).abs() > 4e-5)
            .count();
        assert!(wrong <= most, "round {round}, {compare:?}: {wrong} depths differ");
    }
}

#[test]
fn stencil_tests_are_those_of_lavapipe() {
    let Some(judge) = Judge::new(ColourType::Uint) else { return };
    let mut random = Rng::with_seed(24);
    let zeros = vec![0; 16 * FOUR];
    for round in 0..100 {
        let vertices: Vec<Vertex> = (0..9)
            .map(|_| (place(&mut random, 16, 0, 1.0), 1.0, [random.u32(1..), 2, 3, 4]))
            .collect();
        let test = StencilTest {
            compare: pick(&mut random, CompareOp::ALL),
            fail: pick(&mut random, StencilOp::ALL),
            depth_fail: StencilOp::Keep,
            pass: pick(&mut random, StencilOp::ALL),
            read_mask: random.u8(..),
            write_mask: random.u8(..),
            reference: random.u8(0..4),
        };
        let first = random.u8(0..4);
        let mut state = DrawState::new(SIZE);
        state.stencil = Some([test; 2]);
        state.sample_mask = random.u16(8..16);
        let mut framebuffer = framebuffer(4, SurfaceFormat::R32G32B32A32_UINT);
        framebuffer.clear_stencil(first);
        emulate(ColourType::Uint, 8, &vertices, &state, &mut framebuffer);
        let other = RasterState {
            stencil: Some(StencilAttachment {
                contents: vec![first; FOUR],
                compare: test.compare,
                ops: [test.fail.word(), test.pass.word()],
                masks: [test.read_mask, test.write_mask],
                reference: test.reference,
            }),
            sample_mask: state.sample_mask.into(),
            ..RasterState::default()
        };
        let expected = judge.draw_samples(4, &vertices, "rgba32ui", &zeros, &other);
        assert_eq!(
            framebuffer.stencils().unwrap(),
            expected.tested.unwrap(),
            "round {round}: {test:?}"
        );
        assert_eq!(
            framebuffer.colour(0).unwrap().1,
            expected.attachments[0],
            "round {round}: {test:?}"
        );
    }
}

#[test]
fn lines_and_points_cover_the_samples_that_lavapipe_covers() {
    let Some(judge) = Judge::new(ColourType::Uint) else { return };
    let mut random = Rng::with_seed(25);
    let zeros = vec![0; 16 * FOUR];
    let (mut drawn, mut wrong) = (0, 0);
    for round in 0..200 {
        let mut state = DrawState::new(SIZE);
        state.topology =
            pick(&mut random, &[Topology::Points, Topology::Lines, Topology::LineStrip]);
        state.line_width = pick(&mut random, &[1.0, 2.0, 3.5]);
        let vertices: Vec<Vertex> = (0..4)
            .map(|_| {
                let size = pick(&mut random, &[1.0, 2.0, 3.0, 4.5]);
                (place(&mut random, 16, 0, 1.0), size, [random.u32(1..), 2, 3, 4])
            })
            .collect();
        let mut framebuffer = framebuffer(4, SurfaceFormat::R32G32B32A32_UINT);
        emulate(ColourType::Uint, 8, &vertices, &state, &mut framebuffer);
        let other = RasterState {
            topology: state.topology.word(),
            line_width: state.line_width,
            ..RasterState::default()
        };
        let expected = judge.draw_samples(4, &vertices, "rgba32ui", &zeros, &other);
        let found = framebuffer.colour(0).unwrap().1.chunks(16);
        drawn += found.clone().filter(|texel| texel[4] != 0).count();
        let pairs = found.zip(expected.attachments[0].chunks(16));
        let count = pairs.filter(|(found, expected)| found != expected).count();
        wrong += count;
        assert!(count <= 12, "round {round}: {count} samples differ\n{state:?}\n{vertices:?}");
    }
    let most = (pictures::LEFT_OUT * f64::from(drawn as u32)) as usize;
    assert!(wrong <= most, "{wrong} of {drawn} samples differ");
}

/// Whether a triangle covers a position, both in 1/256 pixel: by Vulkan's rule, a position on an edge belongs to the triangle if
/// the edge is a left one, or a horizontal one above it.
fn covers(corners: &[[i64; 2]; 3], at: [i64; 2]) -> bool {
    let cross = |a: [i64; 2], b: [i64; 2], c: [i64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let [a, b, c] = *corners;
    let orientation = cross(a, b, c).signum();
    orientation != 0
        && [(a, b, c), (b, c, a), (c, a, b)].into_iter().all(|(from, to, third)| {
            match cross(from, to, at) * orientation {
                // The triangle is on the right of a left edge, and below an upper one.
                0 if from[1] == to[1] => third[1] > from[1],
                0 => {
                    let [top, bottom] = if from[1] < to[1] { [from, to] } else { [to, from] };
                    cross(top, bottom, third) < 0
                }
                side => side > 0,
            }
        })
}

#[test]
fn two_eight_and_sixteen_samples_are_covered_by_their_positions() {
    let mut random = Rng::with_seed(26);
    for round in 0..120 {
        let samples = [1, 2, 4, 8, 16][round % 5];
        let vertices: Vec<Vertex> = (0..6)
            .map(|i| {
                let steps = pick(&mut random, &[2, 16, 16, 256]);
                (place(&mut random, steps, 0, 1.0), 1.0, [1 + i / 3, 2, 3, 4])
            })
            .collect();
        let mut state = DrawState::new(SIZE);
        state.sample_mask = random.u16(..);
        let [x, y, width, height] =
            [random.u32(0..16), random.u32(0..8), random.u32(1..40), random.u32(1..20)];
        state.scissor = Some(Area { x, y, width, height });
        let mut framebuffer = framebuffer(samples, SurfaceFormat::R32G32B32A32_UINT);
        emulate(ColourType::Uint, pick(&mut random, &[8, 16]), &vertices, &state, &mut framebuffer);
        let corner = |vertex: &Vertex| {
            let [x, y, ..] = vertex.0;
            [(x + 1.0) * 16.0 * 256.0, (y + 1.0) * 8.0 * 256.0].map(|at| at.round() as i64)
        };
        let corners: Vec<[i64; 2]> = vertices.iter().map(corner).collect();
        let (triangles, _) = corners.as_chunks::<3>();
        let texels = framebuffer.colour(0).unwrap().1.chunks(16);
        assert_eq!(texels.len(), 32 * 16 * samples as usize);
        for (i, texel) in texels.enumerate() {
            let (pixel, sample) = (i as i64 / i64::from(samples), i % samples as usize);
            let [u, v] = pictures::sample_positions(samples)[sample].map(i64::from);
            let at = [pixel % 32 * 256 + u * 16, pixel / 32 * 256 + v * 16];
            let inside = |at: i64, first: u32, size: u32| {
                (first..first + size).contains(&u32::try_from(at).unwrap())
            };
            let inside = inside(pixel % 32, x, width) && inside(pixel / 32, y, height);
            let last = triangles.iter().rposition(|corners| covers(corners, at));
            let expected = match state.sample_mask >> sample & 1 {
                1 if inside => last.map_or(0, |number| number + 1),
                _ => 0,
            };
            assert_eq!(usize::from(texel[0]), expected, "round {round}, {samples}: {at:?}");
        }
    }
}

#[test]
fn pictures_are_averages_of_samples() {
    let mut framebuffer = Framebuffer::with_samples([2, 1], 4).unwrap();
    let texels = [0, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 255, 0, 255];
    let all: Vec<u8> = texels.into_iter().chain([8, 16, 24, 32].repeat(4)).collect();
    framebuffer.set_colour(0, SurfaceFormat::R8G8B8A8_UNORM, all.clone()).unwrap();
    framebuffer.set_colour(1, SurfaceFormat::R8G8B8A8_UNORM_SRGB, all).unwrap();
    assert_eq!(framebuffer.picture(0).unwrap(), [191, 64, 0, 255, 8, 16, 24, 32]);
    // The average of linear colours.
    assert_eq!(framebuffer.picture(1).unwrap(), [225, 137, 0, 255, 8, 16, 24, 32]);
}

#[test]
fn numbers_of_samples_that_do_not_fit_are_errors() {
    for samples in [0, 3, 32] {
        let (width, height) = (4, 2);
        let expected = FramebufferError::Samples { width, height, samples };
        assert_eq!(Framebuffer::with_samples([width, height], samples), Err(expected));
    }
    assert!(Framebuffer::with_samples([16384; 2], 1).is_ok());
    assert!(Framebuffer::with_samples([16384; 2], 2).is_err());
    let program = || copy(8, ColourType::Float).instructions().to_vec();
    let vertices = [vertex([0.0, 0.0, 0.0, 1.0], [0; 4])];
    let draw = |kernel: &crestline_emu::Kernel, samples| {
        let mut framebuffer = framebuffer(samples, SurfaceFormat::R32G32B32A32_FLOAT);
        let (state, resources) = (DrawState::new(SIZE), Resources::new());
        let strips = [vertices.to_vec()];
        kernel.draw(&state, &strips, &mut framebuffer, &resources, &Options::strict(), None)
    };
    let error = |stage| {
        let kernel = load(program(), metadata(8, 4, stage));
        assert!(draw(&kernel, 1).is_ok());
        match draw(&kernel, 4) {
            Err(EmuError::StageInput(reason)) => reason,
            other => panic!("{other:?}"),
        }
    };
    let mut alone = stage(ColourType::Float);
    alone.one_sample = true;
    assert!(error(alone).contains("one sample"));
    let mut at_samples = stage(ColourType::Float);
    at_samples.barycentrics = vec![Barycentric::PerspectiveSample];
    assert!(error(at_samples).contains("once for each sample"));
}

#[test]
fn control_data_choose_the_slice() {
    let image = ResourceRef { set: 0, binding: 0, element: 0 };
    // A shader whose colour is a sample of the texel (1, 0).
    let draw = |samples: u32, sample: u32, own_control: bool, fetch| {
        let message = |op, first, parameters, response| {
            let (simd, bti) = (SamplerSimd::Simd8, Bti(1));
            let kind = Message::Sample { op, bti, sampler: 0, simd, half_return: false };
            message(kind, 8, first, (parameters, 4), Some(response), false)
        };
        let set = |register, value| inst(Opcode::Mov, 8, register, Type::Ud, &[Src::imm_ud(value)]);
        let copy = |register, from| {
            let control = if own_control { packed(from, Type::Ud) } else { Src::imm_ud(0) };
            inst(Opcode::Mov, 8, register, Type::Ud, &[control])
        };
        let wide = u8::from(fetch == SamplerOp::Ld2dmsW);
        let mut program = vec![
            set(20, 1),
            set(21, 0),
            message(SamplerOp::LdMcs, 20, 2, 40),
            set(30, sample),
            copy(31, 40),
            copy(32, 41),
            set(32 + wide, 1),
            set(33 + wide, 0),
            message(fetch, 30, 4 + wide, OUT),
        ];
        program.push(Write::only(RtSubtype::Simd8, 4).inst());
        let mut metadata = metadata(8, 4, stage(ColourType::Float));
        let surface = Surface::SampledImage { resource: image, format: None };
        metadata.binding_table.push(BindingEntry { index: 1, surface });
        let kernel = load(program, metadata);
        let shape = ImageShape {
            dimension: ImageDimension::D2,
            format: SurfaceFormat::R32_FLOAT,
            width: 2,
            height: 1,
            depth: 1,
            levels: 1,
            samples,
        };
        let mut resources = Resources::new();
        let texels = (0..2 * samples).map(|sample| sample as f32);
        let bytes: Vec<u8> = texels.flat_map(f32::to_le_bytes).collect();
        resources.set_image(image, shape, &bytes).unwrap();
        let mut framebuffer = Framebuffer::new([1, 1]).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R32_FLOAT, [0; 4]).unwrap();
        let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
        let strip = corners.map(|[x, y]| vertex([x, y, 0.5, 1.0], [0; 4])).to_vec();
        let (state, options) = (DrawState::new([1, 1]), Options::strict());
        kernel.draw(&state, &[strip], &mut framebuffer, &resources, &options, None)?;
        let bytes = framebuffer.colour(0).unwrap().1;
        Ok::<f32, EmuError>(f32::from_le_bytes(*bytes.first_chunk().unwrap()))
    };
    for samples in [2, 4, 8, 16] {
        for sample in 0..samples {
            let (wide, first) = (SamplerOp::Ld2dmsW, samples as f32);
            assert_eq!(draw(samples, sample, true, wide), Ok(first + sample as f32), "{samples}");
            // Without the control data, all samples are in the first slice.
            assert_eq!(draw(samples, sample, false, wide), Ok(first), "{samples}");
            if samples <= 8 {
                let found = draw(samples, sample, true, SamplerOp::Ld2dms);
                assert_eq!(found, Ok(first + sample as f32), "{samples}");
            }
        }
        assert_eq!(draw(samples, samples, true, SamplerOp::Ld2dmsW), Ok(0.0));
    }
    let error = draw(16, 0, true, SamplerOp::Ld2dms).unwrap_err().to_string();
    assert!(error.contains("ld2dms of a surface with 16 samples"), "{error}");
    let error = draw(4, 0, true, SamplerOp::LdLz).unwrap_err().to_string();
    assert!(error.contains("ld_lz of a multisampled surface"), "{error}");
}
