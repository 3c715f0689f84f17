//! The fixed functions of a draw call against lavapipe, over random states and vertices.

mod fragment_programs;
mod random_pictures;

use crestline_device::{CompareOp, SurfaceFormat};
use crestline_emu::{
    Area, Blend, BlendEquation, BlendFactor, BlendOp, CullMode, DepthFormat, DepthTest, DrawState,
    Framebuffer, FrontFace, LogicOp, PolygonMode, StencilOp, StencilTest, Topology, Viewport,
};
use crestline_judges::lavapipe::{DepthAttachment, RasterState, StencilAttachment};
use crestline_judges::pictures::{self, Rule};
use crestline_program::ColourType;
use fastrand::Rng;
use random_pictures::*;

const PIXELS: usize = 32 * 16;

/// The rule for values of [`colour`].
const RULE: Rule = Rule::Interpolated { range: Some(1.5) };

/// The corners of triangles in pixels, for those in front of the eye.
fn triangles(vertices: &[Vertex]) -> Vec<[[f64; 2]; 3]> {
    let corner = |position: [f32; 4]| {
        let [x, y, _, w] = position.map(f64::from);
        let [width, height] = SIZE.map(f64::from);
        [(x / w + 1.0) * width / 2.0, (y / w + 1.0) * height / 2.0]
    };
    let corners: Vec<_> = vertices.iter().map(|one| corner(one.0)).collect();
    corners.as_chunks::<3>().0.to_vec()
}

#[test]
fn triangles_cover_the_pixels_that_lavapipe_covers() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(1);
    let zeros = vec![0; 16 * PIXELS];
    for round in 0..300 {
        let perspective = round % 3 == 2;
        // Beyond the picture, lavapipe clips, and rounds the new corners. Inside there is nothing to leave out.
        let inside = round % 4 > 0;
        let count = if inside && round % 5 == 0 { 12 } else { 3 };
        let margin = if inside { 0 } else { 6 };
        let vertices: Vec<Vertex> = (0..count)
            .map(|_| {
                let w = if perspective { pick(&mut random, &[0.5, 1.0, 2.0]) } else { 1.0 };
                let steps = if inside { pick(&mut random, &[2, 16, 256]) } else { 256 };
                (place(&mut random, steps, margin, w), 1.0, colour(&mut random))
            })
            .collect();
        let mut state = DrawState::new(SIZE);
        let mut other = RasterState::default();
        state.topology = pick(
            &mut random,
            &[Topology::Triangles, Topology::TriangleStrip, Topology::TriangleFan],
        );
        other.topology = state.topology.word();
        state.cull =
            pick(&mut random, &[CullMode::None, CullMode::None, CullMode::Front, CullMode::Back]);
        other.cull = state.cull.word();
        if random.bool() {
            state.front_face = FrontFace::Clockwise;
            other.clockwise_front = true;
        }
        if random.bool() {
            let area = [random.u32(0..16), random.u32(0..8), random.u32(1..20), random.u32(1..12)];
            let [x, y, width, height] = area;
            state.scissor = Some(Area { x, y, width, height });
            other.scissor = Some([x, y, width.min(32 - x), height.min(16 - y)]);
        }
        let mut framebuffer = Framebuffer::new(SIZE).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
        emulate(
            ColourType::Float,
            pick(&mut random, &[8, 16]),
            &vertices,
            &state,
            &mut framebuffer,
        );
        let expected = judge.draw(&vertices, "rgba32f", &zeros, &other);
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        let edges = triangles(&vertices);
        let near = |x: usize, y: usize| !inside && pictures::near_edge(&edges, x, y);
        let result = pictures::compare(RULE, (32, 4), &expected, &found, near);
        if let Err(error) = result {
            panic!("round {round}: {error}\n{state:?}\n{vertices:?}");
        }
    }
}

#[test]
fn triangles_are_clipped_where_lavapipe_clips_them() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(2);
    let zeros = vec![0; 16 * PIXELS];
    let (mut drawn, mut wrong) = (0, 0);
    for round in 0..200 {
        // Some vertices are behind the eye, or beyond the near or far plane.
        let vertices: Vec<Vertex> = (0..3)
            .map(|_| {
                let w = pick(&mut random, &[-0.75, 0.5, 1.0, 2.0]);
                let mut position = place(&mut random, 16, 2, w);
                position[2] = random.f32() * 3.0 - 1.0;
                (position, 1.0, [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits))
            })
            .collect();
        let state = DrawState::new(SIZE);
        let mut framebuffer = Framebuffer::new(SIZE).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
        emulate(ColourType::Float, 8, &vertices, &state, &mut framebuffer);
        let expected = judge.draw(&vertices, "rgba32f", &zeros, &RasterState::default());
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        // The edges that clipping makes are at positions of any kind, which both round differently.
        let differs = |i: &usize| expected[4 * i].round() != found[4 * i].round();
        let count = (0..PIXELS).filter(differs).count();
        assert!(count <= 4, "round {round}: {count} pixels differ\n{vertices:?}");
        wrong += count;
        drawn += found.iter().step_by(4).filter(|value| **value != 0.0).count();
    }
    assert!(drawn > 3_000, "{drawn} pixels are drawn");
    let most = (pictures::LEFT_OUT * f64::from(drawn as u32)) as usize;
    assert!(wrong <= most, "{wrong} of {drawn} pixels differ");
}

/// The formats that both can render to, with the judge's names and the codes of their components (0 for floats).
const FORMATS: &[(&str, SurfaceFormat, f64)] = &[
    ("rgba8", SurfaceFormat::R8G8B8A8_UNORM, 255.0),
    ("rgba8_srgb", SurfaceFormat::R8G8B8A8_UNORM_SRGB, 255.0),
    ("bgra8", SurfaceFormat::B8G8R8A8_UNORM, 255.0),
    ("bgra8_srgb", SurfaceFormat::B8G8R8A8_UNORM_SRGB, 255.0),
    ("rgba8_snorm", SurfaceFormat::R8G8B8A8_SNORM, 127.0),
    ("r8", SurfaceFormat::R8_UNORM, 255.0),
    ("rg8", SurfaceFormat::R8G8_UNORM, 255.0),
    ("b5g6r5", SurfaceFormat::B5G6R5_UNORM, 31.0),
    ("b5g5r5a1", SurfaceFormat::B5G5R5A1_UNORM, 31.0),
    ("rgb10_a2", SurfaceFormat::R10G10B10A2_UNORM, 1023.0),
    ("bgr10_a2", SurfaceFormat::B10G10R10A2_UNORM, 1023.0),
    ("rgba16", SurfaceFormat::R16G16B16A16_UNORM, 65535.0),
    ("rgba16f", SurfaceFormat::R16G16B16A16_FLOAT, 0.0),
    ("r16f", SurfaceFormat::R16_FLOAT, 0.0),
    ("rg16f", SurfaceFormat::R16G16_FLOAT, 0.0),
    ("r32f", SurfaceFormat::R32_FLOAT, 0.0),
    ("rg32f", SurfaceFormat::R32G32_FLOAT, 0.0),
    ("rgba32f", SurfaceFormat::R32G32B32A32_FLOAT, 0.0),
];

/// Reads the channels of texels as integers, or as floats.
fn channels(format: SurfaceFormat, texels: &[u8]) -> Vec<f64> {
    let mut values = Vec::new();
    for texel in texels.chunks(format.bytes() as usize) {
        let mut bytes = [0; 16];
        bytes[..texel.len()].copy_from_slice(texel);
        let bits = u128::from_le_bytes(bytes);
        for channel in format.info().channels.into_iter().flatten() {
            let raw = (bits >> channel.shift) as u64 & (u64::MAX >> (64 - channel.bits));
            let signed = (raw << (64 - channel.bits)).cast_signed() >> (64 - channel.bits);
            use crestline_device::ChannelKind::*;
            values.push(match (channel.kind, channel.bits) {
                (Float, 16) => f64::from(half(raw as u16)),
                (Float, _) => f64::from(f32::from_bits(raw as u32)),
                (Snorm | Sint, _) => signed as f64,
                _ => raw as f64,
            });
        }
    }
    values
}

/// The value of a finite half.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-24),
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Random texels that are numbers in every format.
fn texels(random: &mut Rng, format: SurfaceFormat) -> Vec<u8> {
    let mut framebuffer = Framebuffer::new([1, 1]).unwrap();
    let mut all = Vec::new();
    for _ in 0..PIXELS {
        framebuffer.clear_colour(0, format, colour(random)).unwrap();
        all.extend_from_slice(framebuffer.colour(0).unwrap().1);
    }
    all
}

/// The linear value of a component of 8 bits in sRGB.
fn linear(code: f64) -> f64 {
    let value = code / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Compares texels: normalized ones within the number of codes, floats by their relative difference. Lavapipe approximates
/// the conversion of sRGB to linear colours, so for dark ones the difference of the linear colours counts.
fn same_texels(
    format: SurfaceFormat,
    codes: f64,
    expected: &[u8],
    found: &[u8],
) -> Result<(), String> {
    let pairs = channels(format, expected).into_iter().zip(channels(format, found));
    for (i, (expected, found)) in pairs.enumerate() {
        let allowed = match codes {
            0.0 => expected.abs().max(1.0) / 1024.0,
            _ => pictures::CODES,
        };
        let mut difference = (expected - found).abs();
        if format.info().srgb && i % 4 < 3 {
            difference = difference.min(255.0 * (linear(expected) - linear(found)).abs());
        }
        // NaN is not expected.
        if difference > allowed || difference.is_nan() {
            return Err(format!("channel {i} is {found}, expected {expected}"));
        }
    }
    Ok(())
}

#[test]
fn blending_is_that_of_lavapipe() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(3);
    let factors: Vec<BlendFactor> = (BlendFactor::ALL.iter().copied())
        .filter(|factor| !factor.word().contains("src1"))
        .collect();
    for round in 0..600 {
        let &(name, format, codes) = &FORMATS[round % FORMATS.len()];
        let equation = |random: &mut Rng| BlendEquation {
            source: pick(random, &factors),
            destination: pick(random, &factors),
            op: pick(random, BlendOp::ALL),
        };
        let blend = Blend { colour: equation(&mut random), alpha: equation(&mut random) };
        let constants = [0; 4].map(|_| random.f32());
        let mut state = DrawState::new(SIZE);
        state.blend_constants = constants;
        state.colours[0].write_mask = random.u8(1..16);
        let words = |one: BlendEquation| [one.source.word(), one.destination.word(), one.op.word()];
        let mut other = RasterState {
            write_masks: vec![state.colours[0].write_mask],
            constants,
            ..RasterState::default()
        };
        // Lavapipe blends signed bytes in 8 bits, and is 2 codes off.
        if name != "rgba8_snorm" && random.u8(0..4) > 0 {
            state.colours[0].blend = Some(blend);
            let ([a, b, c], [d, e, f]) = (words(blend.colour), words(blend.alpha));
            other.blends = vec![Some([a, b, c, d, e, f])];
        }
        let before = texels(&mut random, format);
        let mut framebuffer = Framebuffer::new(SIZE).unwrap();
        framebuffer.set_colour(0, format, before.clone()).unwrap();
        let vertices = everywhere(0.5, colour(&mut random));
        emulate(ColourType::Float, 16, &vertices, &state, &mut framebuffer);
        let expected = judge.draw(&vertices, name, &before, &other);
        let found = framebuffer.colour(0).unwrap().1;
        let result = same_texels(format, codes, &expected.attachments[0], found);
        if let Err(error) = result {
            panic!("round {round}, {name}: {error}\n{:?}\n{constants:?}", state.colours[0]);
        }
    }
}

#[test]
fn logical_operations_are_those_of_lavapipe() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(4);
    for op in LogicOp::ALL {
        for (name, format) in [
            ("rgba8", SurfaceFormat::R8G8B8A8_UNORM),
            ("rgba32f", SurfaceFormat::R32G32B32A32_FLOAT),
        ] {
            let before = texels(&mut random, format);
            let mut framebuffer = Framebuffer::new(SIZE).unwrap();
            framebuffer.set_colour(0, format, before.clone()).unwrap();
            // Codes that both round alike.
            let value = [0; 4].map(|_| (random.u8(..) as f32 / 255.0).to_bits());
            let vertices = everywhere(0.5, value);
            let mut state = DrawState::new(SIZE);
            state.logic_op = Some(*op);
            emulate(ColourType::Float, 8, &vertices, &state, &mut framebuffer);
            let other = RasterState { logic_op: Some(op.word()), ..RasterState::default() };
            let expected = judge.draw(&vertices, name, &before, &other);
            assert_eq!(
                framebuffer.colour(0).unwrap().1,
                expected.attachments[0],
                "{} of {name}",
                op.word()
            );
        }
    }
}

#[test]
fn integers_are_stored_as_lavapipe_stores_them() {
    use SurfaceFormat::*;
    let formats = [
        ("r8ui", R8_UINT),
        ("rg8ui", R8G8_UINT),
        ("rgba8ui", R8G8B8A8_UINT),
        ("r16ui", R16_UINT),
        ("rg16ui", R16G16_UINT),
        ("rgba16ui", R16G16B16A16_UINT),
        ("r32ui", R32_UINT),
        ("rg32ui", R32G32_UINT),
        ("rgba32ui", R32G32B32A32_UINT),
        ("rgb10_a2ui", R10G10B10A2_UINT),
        ("r8i", R8_SINT),
        ("rg8i", R8G8_SINT),
        ("rgba8i", R8G8B8A8_SINT),
        ("r16i", R16_SINT),
        ("rg16i", R16G16_SINT),
        ("rgba16i", R16G16B16A16_SINT),
        ("r32i", R32_SINT),
        ("rg32i", R32G32_SINT),
        ("rgba32i", R32G32B32A32_SINT),
    ];
    let mut random = Rng::with_seed(5);
    for ty in [ColourType::Int, ColourType::Uint] {
        let Some(judge) = Judge::new(ty) else { return };
        for (name, format) in formats {
            if name.ends_with("ui") != (ty == ColourType::Uint) {
                continue;
            }
            let before: Vec<u8> =
                (0..PIXELS * format.bytes() as usize).map(|_| random.u8(..)).collect();
            let mut framebuffer = Framebuffer::new(SIZE).unwrap();
            framebuffer.set_colour(0, format, before.clone()).unwrap();
            // Values that all formats can represent: the results for others are not defined.
            let value = match ty {
                ColourType::Uint => [200, 7, 130, 3],
                _ => [-100, 77, -1, 5].map(i32::cast_unsigned),
            };
            let vertices = everywhere(0.5, value);
            let mut state = DrawState::new(SIZE);
            state.colours[0].write_mask = 0b1011;
            emulate(ty, 16, &vertices, &state, &mut framebuffer);
            let other = RasterState { write_masks: vec![0b1011], ..RasterState::default() };
            let expected = judge.draw(&vertices, name, &before, &other);
            assert_eq!(framebuffer.colour(0).unwrap().1, expected.attachments[0], "{name}");
        }
    }
}

#[test]
fn depth_tests_are_those_of_lavapipe() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(6);
    let zeros = vec![0; 16 * PIXELS];
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
        let (format, name) = match round % 2 {
            0 => (DepthFormat::Float32, "d32"),
            _ => (DepthFormat::Unorm16, "d16"),
        };
        // Slanted triangles that cut each other, on a viewport of other depths.
        let vertices: Vec<Vertex> = (0..12)
            .map(|i| {
                let mut position = place(&mut random, 16, 0, 1.0);
                if flat {
                    position[2] = [0.4, 0.6, 0.4, 0.2][i / 3];
                }
                (position, 1.0, colour(&mut random))
            })
            .collect();
        let mut state = DrawState::new(SIZE);
        state.depth = Some(DepthTest { compare, write });
        state.viewport = Viewport { depth: [0.75, 0.125], ..state.viewport };
        let clear = 0.5f32;
        let mut framebuffer = Framebuffer::new(SIZE).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
        framebuffer.clear_depth(format, clear);
        emulate(ColourType::Float, 16, &vertices, &state, &mut framebuffer);
        let before = match format {
            DepthFormat::Unorm16 => 0x8000u16.to_le_bytes().repeat(PIXELS),
            _ => clear.to_le_bytes().repeat(PIXELS),
        };
        let depth = DepthAttachment { format: name, contents: before, compare, write };
        let other = RasterState {
            viewport: Some([0.0, 0.0, 32.0, 16.0, 0.75, 0.125]),
            depth: Some(depth),
            ..RasterState::default()
        };
        let expected = judge.draw(&vertices, "rgba32f", &zeros, &other);
        let colours = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        // Depths that are nearly equal may pass or fail.
        let differs =
            |i: usize| (0..4).any(|c| (colours[4 * i + c] - found[4 * i + c]).abs() > 1e-3);
        let count = (0..PIXELS).filter(|i| differs(*i)).count();
        let most = if flat { 0 } else { PIXELS / 100 };
        assert!(count <= most, "round {round}, {compare:?} {name}: {count} pixels differ");
        let depths = framebuffer.depths().unwrap();
        let tested = expected.tested.unwrap();
        let judged: Vec<f64> = match format {
            DepthFormat::Unorm16 => (tested.as_chunks::<2>().0.iter())
                .map(|bytes| f64::from(u16::from_le_bytes(*bytes)) / 65535.0)
                .collect(),
            _ => pictures::floats(&tested),
        };
        let wrong = (depths.iter().zip(&judged))
            .filter(|(found, expected)| (f64::from(**found) - **expected).abs() > 4e-5)
            .count();
        assert!(wrong <= most, "round {round}, {compare:?} {name}: {wrong} depths differ");
    }
}

#[test]
fn stencil_tests_are_those_of_lavapipe() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(7);
    let zeros = vec![0; 16 * PIXELS];
    for round in 0..200 {
        let vertices: Vec<Vertex> =
            (0..9).map(|_| (place(&mut random, 16, 0, 1.0), 1.0, colour(&mut random))).collect();
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
        let mut framebuffer = Framebuffer::new(SIZE).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
        framebuffer.clear_stencil(first);
        emulate(ColourType::Float, 8, &vertices, &state, &mut framebuffer);
        let other = RasterState {
            stencil: Some(StencilAttachment {
                contents: vec![first; PIXELS],
                compare: test.compare,
                ops: [test.fail.word(), test.pass.word()],
                masks: [test.read_mask, test.write_mask],
                reference: test.reference,
            }),
            ..RasterState::default()
        };
        let expected = judge.draw(&vertices, "rgba32f", &zeros, &other);
        assert_eq!(
            framebuffer.stencils().unwrap(),
            expected.tested.unwrap(),
            "round {round}: {test:?}"
        );
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        pictures::compare(RULE, (32, 4), &expected, &found, |_, _| false)
            .unwrap_or_else(|error| panic!("round {round}: {error}\n{test:?}"));
    }
}

#[test]
fn polygon_modes_draw_the_edges_and_vertices_that_lavapipe_draws() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(10);
    let zeros = vec![0; 16 * PIXELS];
    let (mut drawn, mut wrong) = (0, 0);
    for round in 0..300 {
        let mut state = DrawState::new(SIZE);
        state.polygon_mode = pick(&mut random, &[PolygonMode::Line, PolygonMode::Point]);
        state.line_width = pick(&mut random, &[1.0, 2.0]);
        state.cull =
            pick(&mut random, &[CullMode::None, CullMode::Front, CullMode::Back, CullMode::All]);
        state.front_face = pick(&mut random, &[FrontFace::Clockwise, FrontFace::CounterClockwise]);
        // Vulkan leaves open in which order the edges of a triangle are drawn, so its vertices have the same colour.
        let mut vertices: Vec<Vertex> = Vec::new();
        for _ in 0..3 {
            let value = colour(&mut random);
            let size = pick(&mut random, &[1.0, 2.0, 3.0]);
            vertices.extend([(); 3].map(|()| (place(&mut random, 16, 0, 1.0), size, value)));
        }
        let mut framebuffer = Framebuffer::new(SIZE).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
        emulate(ColourType::Float, 8, &vertices, &state, &mut framebuffer);
        let other = RasterState {
            polygon_mode: state.polygon_mode.word(),
            cull: state.cull.word(),
            clockwise_front: state.front_face == FrontFace::Clockwise,
            line_width: state.line_width,
            ..RasterState::default()
        };
        let expected = judge.draw(&vertices, "rgba32f", &zeros, &other);
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        let differs =
            |i: &usize| (0..4).any(|c| (expected[4 * i + c] - found[4 * i + c]).abs() > 2e-3);
        let count = (0..PIXELS).filter(differs).count();
        wrong += count;
        drawn += found.chunks(4).filter(|pixel| pixel.iter().any(|value| *value != 0.0)).count();
        assert!(count <= 5, "round {round}: {count} pixels differ\n{state:?}\n{vertices:?}");
    }
    let most = (pictures::LEFT_OUT * f64::from(drawn as u32)) as usize;
    assert!(wrong <= most, "{wrong} of {drawn} pixels differ");
}

#[test]
fn lines_and_points_cover_the_pixels_that_lavapipe_covers() {
    let Some(judge) = Judge::new(ColourType::Float) else { return };
    let mut random = Rng::with_seed(8);
    let zeros = vec![0; 16 * PIXELS];
    let (mut drawn, mut wrong) = (0, 0);
    for round in 0..300 {
        let mut state = DrawState::new(SIZE);
        state.topology =
            pick(&mut random, &[Topology::Points, Topology::Lines, Topology::LineStrip]);
        state.line_width = pick(&mut random, &[1.0, 2.0, 3.5]);
        let vertices: Vec<Vertex> = (0..4)
            .map(|_| {
                let size = pick(&mut random, &[1.0, 2.0, 3.0, 4.5]);
                (place(&mut random, 16, 0, 1.0), size, colour(&mut random))
            })
            .collect();
        let mut framebuffer = Framebuffer::new(SIZE).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
        emulate(ColourType::Float, 8, &vertices, &state, &mut framebuffer);
        let other = RasterState {
            topology: state.topology.word(),
            line_width: state.line_width,
            ..RasterState::default()
        };
        let expected = judge.draw(&vertices, "rgba32f", &zeros, &other);
        let expected = pictures::floats(&expected.attachments[0]);
        let found = pictures::floats(framebuffer.colour(0).unwrap().1);
        let differs =
            |i: &usize| (0..4).any(|c| (expected[4 * i + c] - found[4 * i + c]).abs() > 2e-3);
        let count = (0..PIXELS).filter(differs).count();
        wrong += count;
        drawn += found.chunks(4).filter(|pixel| pixel.iter().any(|value| *value != 0.0)).count();
        assert!(count <= 3, "round {round}: {count} pixels differ\n{state:?}\n{vertices:?}");
    }
    let most = (pictures::LEFT_OUT * f64::from(drawn as u32)) as usize;
    assert!(wrong <= most, "{wrong} of {drawn} pixels differ");
}
