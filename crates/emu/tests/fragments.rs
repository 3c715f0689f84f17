//! Threads of fragment shaders: their payload and messages, with programs made instruction by instruction.

mod fragment_programs;

use crestline_device::SurfaceFormat;
use crestline_emu::{
    Area, Blend, BlendEquation, BlendFactor, BlendOp, CompareOp, CullMode, DepthFormat, DepthTest,
    DrawState, EmuError, Filter, Framebuffer, FramebufferError, ImageDimension, ImageShape, Kernel,
    Options, Problem, Report, Resources, Sampler, SlotValues, StencilOp, StencilTest, Topology,
};
use crestline_isa::message::{Bti, InterpolateAt, Message, RtSubtype, SamplerOp, SamplerSimd};
use crestline_isa::{Dst, Inst, Opcode, Region, Src, Type};
use crestline_program::{
    AttributeSource, Barycentric, BindingEntry, ColourOutput, ColourType, ComputedDepth,
    ResourceRef, SamplerEntry, Surface, Varying,
};
use fragment_programs::*;

const SIZE: [u32; 2] = [12, 6];

/// A triangle whose location 0 is the position in pixels, the column plus 100 times the row, and 1. It covers all pixels
/// but the lower right ones.
fn triangle() -> Vec<SlotValues> {
    [[0.0f32, 0.0], [16.0, 0.0], [0.0, 8.0]]
        .map(|[x, y]| {
            let value = [x, y, x + 100.0 * y, 1.0].map(f32::to_bits);
            vertex([x / 6.0 - 1.0, y / 3.0 - 1.0, 0.5, 1.0], value)
        })
        .to_vec()
}

/// Whether the triangle covers a pixel. No centre is on an edge.
fn covers(x: usize, y: usize) -> bool {
    (x as f32 + 0.5) / 16.0 + (y as f32 + 0.5) / 8.0 < 1.0
}

fn framebuffer() -> Framebuffer {
    let mut framebuffer = Framebuffer::new(SIZE).unwrap();
    framebuffer.clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, [0; 4]).unwrap();
    framebuffer
}

fn draw_on(
    kernel: &Kernel,
    framebuffer: &mut Framebuffer,
    state: &DrawState,
) -> Result<Report, EmuError> {
    let (resources, options) = (Resources::new(), Options::default());
    kernel.draw(state, &[triangle()], framebuffer, &resources, &options, None)
}

/// The pixels of attachment 0, row after row.
fn pixels(framebuffer: &Framebuffer) -> Vec<[f32; 4]> {
    let (_, texels) = framebuffer.colour(0).unwrap();
    let component = |texel: &[u8; 16], i: usize| {
        f32::from_le_bytes(std::array::from_fn(|byte| texel[4 * i + byte]))
    };
    let (texels, _) = texels.as_chunks::<16>();
    texels.iter().map(|texel| std::array::from_fn(|i| component(texel, i))).collect()
}

/// Draws the triangle, and checks that each pixel that it covers has the colour `expected`, and each other pixel 0.
fn check(kernel: &Kernel, expected: impl Fn(f32, f32) -> [f32; 4]) {
    let mut framebuffer = framebuffer();
    let report = draw_on(kernel, &mut framebuffer, &DrawState::new(SIZE)).unwrap();
    assert_eq!(report.diagnostics, []);
    for (i, pixel) in pixels(&framebuffer).iter().enumerate() {
        let (x, y) = (i % 12, i / 12);
        let expected = match covers(x, y) {
            true => expected(x as f32 + 0.5, y as f32 + 0.5),
            false => [0.0; 4],
        };
        assert_eq!(*pixel, expected, "pixel {x}, {y}");
    }
}

fn place(x: f32, y: f32) -> [f32; 4] {
    [x, y, x + 100.0 * y, 1.0]
}

fn mov(width: u8, register: u8, src: Src) -> Inst {
    inst(Opcode::Mov, width, register, Type::F, &[src])
}

#[test]
fn attributes_are_interpolated_at_simd8_and_simd16() {
    for width in [8, 16] {
        check(&copy(width, ColourType::Float), place);
    }
}

/// The shader `colour = location 0` at SIMD32: two writes, the second of the upper pixels.
fn wide() -> Vec<Inst> {
    let mut program = Vec::new();
    // r0; r1 and r2; four registers of coordinates for each half; the setup data.
    for (half, at) in [(0, 3), (1, 7)] {
        for component in 0..4 {
            let mut inst = interpolate(16, OUT + 2 * component, 11, component, at);
            inst.group = 16 * half;
            program.push(inst);
        }
        let last = half == 1;
        let write = Write { upper: last, last, ..Write::only(RtSubtype::Simd16, 8) };
        let mut write = write.inst();
        write.group = 16 * half;
        program.push(write);
    }
    program
}

#[test]
fn the_upper_pixels_of_simd32_have_their_own_payload_and_message() {
    let kernel = load(wide(), metadata(32, 11, stage(ColourType::Float)));
    check(&kernel, place);
}

#[test]
fn the_widest_entry_point_that_blocks_fill_runs() {
    let mut metadata = metadata(8, 4, stage(ColourType::Float));
    let mut second = metadata.dispatches.first().clone();
    second.simd_width = 16;
    second.kernel_start_slot = Some(2);
    let narrow = copy(8, ColourType::Float);
    let mut program = narrow.instructions().to_vec();
    // Entry points are at multiples of 64 bytes.
    while program.iter().map(Inst::size).sum::<u32>() % 64 != 0 {
        program.push(Inst::new(Opcode::Nop));
    }
    second.offset = program.iter().map(Inst::size).sum();
    second.payload.setup = Some(crestline_program::GrfRange { first: 6, count: 2 });
    metadata.dispatches.push(second);
    program.extend_from_slice(copy(16, ColourType::Float).instructions());
    let kernel = load(program, metadata);
    check(&kernel, place);
    let threads = |width| {
        let mut state = DrawState::new(SIZE);
        state.simd_width = width;
        draw_on(&kernel, &mut framebuffer(), &state).map(|report| report.threads)
    };
    let covered = |x: usize, y: usize| (0..4).any(|i| covers(x + i % 2, y + i / 2));
    let places = (0..6).step_by(2).flat_map(|y| (0..12).step_by(2).map(move |x| (x, y)));
    let blocks = places.filter(|(x, y)| covered(*x, *y)).count() as u64;
    assert_eq!(threads(Some(8)), Ok(blocks.div_ceil(2)));
    assert_eq!(threads(Some(16)), Ok(blocks.div_ceil(4)));
    assert_eq!(threads(None), Ok(blocks / 4 + (blocks % 4).div_ceil(2)));
    assert!(matches!(threads(Some(32)), Err(EmuError::StageInput(_))));
}

#[test]
fn the_payload_has_positions_depth_w_and_coverage() {
    let mut stage = stage(ColourType::Float);
    stage.barycentrics = vec![Barycentric::LinearPixel];
    stage.source_depth = true;
    stage.source_w = true;
    stage.position_offsets = true;
    stage.input_coverage = crestline_program::InputCoverage::Covered;
    // r2, r3: coordinates; r4: depth; r5: w; r6: offsets; r7: coverage.
    let byte = |sub| Src::grf(6, sub, Type::Ub, Region::align1(16, 8, 2));
    let program = vec![
        mov(8, OUT, packed(4, Type::F)),
        mov(8, OUT + 1, packed(5, Type::F)),
        mov(8, OUT + 2, byte(1)),
        mov(8, OUT + 3, packed(7, Type::Ud)),
        Write::only(RtSubtype::Simd8, 4).inst(),
    ];
    check(&load(program, metadata(8, 8, stage)), |_, _| [0.5, 1.0, 8.0, 1.0]);
}

#[test]
fn a_header_passes_positions_and_the_pixel_mask() {
    let mut program: Vec<Inst> =
        (0..4).map(|component| interpolate(8, OUT + 2 + component, 4, component, 2)).collect();
    let raw = |register| Src::grf(register, 0, Type::Ud, Region::packed(8));
    for register in 0..2 {
        let copy = inst(Opcode::Mov, 8, OUT + register, Type::Ud, &[raw(register)]);
        program.push(copy.with_no_mask());
    }
    let write = Write { header: true, ..Write::only(RtSubtype::Simd8, 6) };
    let mut masked = program.clone();
    program.push(write.inst());
    check(&load(program.clone(), metadata(8, 4, stage(ColourType::Float))), place);
    // Without the upper left pixel of each block, as if it were discarded.
    let mask = Src::imm_ud(0xeeee_eeee);
    let dst = Dst::grf(OUT + 1, 28, Type::Ud, 1);
    masked.push(
        Inst::new(Opcode::And)
            .with_exec_size(1)
            .with_no_mask()
            .with_dst(dst)
            .with_srcs(&[scalar(1, 28, Type::Ud), mask]),
    );
    masked.push(write.inst());
    check(&load(masked, metadata(8, 4, stage(ColourType::Float))), |x, y| {
        if x % 2.0 < 1.0 && y % 2.0 < 1.0 { [0.0; 4] } else { place(x, y) }
    });
    // Another position is reported.
    let at = program.len() - 1;
    let wrong = Inst::new(Opcode::Mov)
        .with_exec_size(1)
        .with_no_mask()
        .with_dst(Dst::grf(OUT + 1, 8, Type::Ud, 1))
        .with_srcs(&[Src::imm_ud(6)]);
    program.insert(at, wrong);
    let kernel = load(program, metadata(8, 4, stage(ColourType::Float)));
    let report = draw_on(&kernel, &mut framebuffer(), &DrawState::new(SIZE)).unwrap();
    assert_eq!(report.diagnostics[0].problem, Problem::PixelHeader);
}

#[test]
fn a_thread_without_a_last_write_is_reported() {
    let kernel = copy(8, ColourType::Float);
    let mut program = kernel.instructions().to_vec();
    program.pop();
    let mut write = Write { last: false, ..Write::only(RtSubtype::Simd8, 4) }.inst();
    if let crestline_isa::Extra::Send(send) = &mut write.extra {
        send.eot = true;
    }
    program.push(write);
    let kernel = load(program, kernel.metadata().clone());
    let report = draw_on(&kernel, &mut framebuffer(), &DrawState::new(SIZE)).unwrap();
    let problems: Vec<_> = report.diagnostics.iter().map(|found| found.problem).collect();
    assert_eq!(problems, [Problem::NoLastPixelWrite]);
}

#[test]
fn payloads_must_have_what_the_state_says() {
    let mut deep = stage(ColourType::Float);
    deep.computed_depth = ComputedDepth::Any;
    let program = copy(8, ColourType::Float).instructions().to_vec();
    let kernel = load(program.clone(), metadata(8, 4, deep.clone()));
    let error = draw_on(&kernel, &mut framebuffer(), &DrawState::new(SIZE)).unwrap_err();
    assert!(error.to_string().contains("which needs 5 and 0"), "{error}");
    // The other way round: the depth is sent, but the state has none.
    let mut program = program;
    program.pop();
    program.push(mov(8, OUT + 4, Src::imm_f(0.25)));
    program.push(Write::only(RtSubtype::Simd8, 5).inst());
    let kernel = load(program.clone(), metadata(8, 4, stage(ColourType::Float)));
    let report = draw_on(&kernel, &mut framebuffer(), &DrawState::new(SIZE)).unwrap();
    let expected = Problem::PixelPayload { given: 5, expected: 4 };
    assert_eq!(report.diagnostics[0].problem, expected);
    // Both agree: the computed depth is tested and written.
    let kernel = load(program, metadata(8, 4, deep));
    let mut framebuffer = framebuffer();
    framebuffer.clear_depth(DepthFormat::Float32, 0.5);
    let mut state = DrawState::new(SIZE);
    state.depth = Some(DepthTest { compare: CompareOp::Less, write: true });
    let report = draw_on(&kernel, &mut framebuffer, &state).unwrap();
    assert_eq!(report.diagnostics, []);
    assert_eq!((framebuffer.depths().unwrap()[0], pixels(&framebuffer)[0][0]), (0.25, 0.5));
}

#[test]
fn a_computed_stencil_value_is_the_reference() {
    let mut marked = stage(ColourType::Float);
    marked.computed_stencil = true;
    // One byte for each channel after the colours, here the channel's number.
    let numbers = Src::imm(Type::V, 0x7654_3210);
    let mut program: Vec<Inst> =
        (0..4).map(|component| interpolate(8, OUT + component, 4, component, 2)).collect();
    program.push(inst(Opcode::Mov, 8, 20, Type::Uw, &[numbers]).with_no_mask());
    let bytes = inst(Opcode::Mov, 8, OUT + 4, Type::Ub, &[packed(20, Type::Uw)]);
    program.push(bytes.with_no_mask());
    program.push(Write::only(RtSubtype::Simd8, 5).inst());
    let kernel = load(program, metadata(8, 4, marked));
    let test = StencilTest { pass: StencilOp::Replace, reference: 99, ..StencilTest::default() };
    let mut state = DrawState::new(SIZE);
    state.stencil = Some([test; 2]);
    let mut framebuffer = framebuffer();
    framebuffer.clear_stencil(50);
    let report = draw_on(&kernel, &mut framebuffer, &state).unwrap();
    assert_eq!(report.diagnostics, []);
    // Two blocks of a thread.
    assert_eq!(framebuffer.stencils().unwrap()[..4], [0, 1, 4, 5]);
    assert_eq!(framebuffer.stencils().unwrap()[12..16], [2, 3, 6, 7]);
    assert_eq!(framebuffer.stencils().unwrap()[71], 50);
}

#[test]
fn implicit_levels_follow_from_the_differences_in_a_block() {
    let image = ResourceRef { set: 0, binding: 0, element: 0 };
    let sample = |op, lanes: u8, rlen| {
        let simd = SamplerSimd::Simd8;
        let kind = Message::Sample { op, bti: Bti(1), sampler: 0, simd, half_return: false };
        message(kind, 8, 20, (lanes, rlen), Some(OUT), false)
    };
    // u and v grow by 1 / 16 for each pixel; the image has 64 by 64 texels, so the level is 2.
    let place = |register, component| interpolate(8, register, 4, component, 2);
    let draw = |program: Vec<Inst>| {
        let mut metadata = metadata(8, 4, stage(ColourType::Float));
        let surface = Surface::SampledImage { resource: image, format: None };
        metadata.binding_table.push(BindingEntry { index: 1, surface });
        metadata.samplers.push(SamplerEntry { index: 0, resource: image });
        let kernel = load(program, metadata);
        let mut resources = Resources::new();
        let format = SurfaceFormat::R32_FLOAT;
        let shape = ImageShape {
            dimension: ImageDimension::D2,
            format,
            width: 64,
            height: 64,
            depth: 1,
            levels: 7,
            samples: 1,
        };
        // A texel is the number of its level.
        let level = |level: u32| vec![level as f32; (64usize >> level).pow(2)];
        let texels: Vec<u8> = (0..7).flat_map(level).flat_map(f32::to_le_bytes).collect();
        resources.set_image(image, shape, &texels).unwrap();
        resources.set_sampler(image, Sampler { mip: Filter::Linear, ..Sampler::default() });
        let vertices = triangle().into_iter().map(|vertex| {
            let position = vertex.get(Varying::Position);
            let [x, y] = [0, 1].map(|i| position[i].map(f32::from_bits).unwrap());
            let (x, y) = (6.0 * (x + 1.0), 3.0 * (y + 1.0));
            fragment_programs::vertex(
                position.map(|dword| dword.map(f32::from_bits).unwrap()),
                [x / 16.0, y / 16.0, 1.5, 0.0].map(f32::to_bits),
            )
        });
        let strips = [vertices.collect()];
        let mut framebuffer = framebuffer();
        let state = DrawState::new(SIZE);
        let options = Options::strict();
        kernel.draw(&state, &strips, &mut framebuffer, &resources, &options, None).unwrap();
        pixels(&framebuffer)
    };
    let end = || Write::only(RtSubtype::Simd8, 4).inst();
    let coordinates = || vec![place(20, 0), place(21, 1)];
    let with = |mut program: Vec<Inst>, op, lanes| {
        program.extend([sample(op, lanes, 4), end()]);
        draw(program)
    };
    let sampled = with(coordinates(), SamplerOp::Sample, 2);
    let queried = with(coordinates(), SamplerOp::Lod, 2);
    let biased = with(vec![place(20, 2), place(21, 0), place(22, 1)], SamplerOp::SampleB, 3);
    for i in (0..72).filter(|i| covers(i % 12, i / 12)) {
        assert_eq!((sampled[i][0], queried[i][..2].to_vec()), (2.0, vec![2.0, 2.0]), "{i}");
        assert_eq!(biased[i][0], 3.5, "{i}");
    }
}

#[test]
fn a_sample_mask_discards_pixels() {
    let mut masked = stage(ColourType::Float);
    masked.output_sample_mask = true;
    // The mask comes before the colours: one word for each channel, here the channel's number.
    let numbers = Src::imm(Type::V, 0x7654_3210);
    let mut program = vec![inst(Opcode::Mov, 8, OUT, Type::Uw, &[numbers]).with_no_mask()];
    program.extend((0..4).map(|component| interpolate(8, OUT + 1 + component, 4, component, 2)));
    program.push(Write::only(RtSubtype::Simd8, 5).inst());
    check(&load(program, metadata(8, 4, masked)), |x, y| {
        // Odd channels are the right pixels of the blocks.
        if x % 2.0 > 1.0 { place(x, y) } else { [0.0; 4] }
    });
}

#[test]
fn two_colours_are_blended() {
    let mut dual = stage(ColourType::Float);
    dual.dual_source = true;
    let mut program: Vec<Inst> =
        (0..4).map(|component| interpolate(8, OUT + component, 4, component, 2)).collect();
    program.extend((0..4).map(|component| mov(8, OUT + 4 + component, Src::imm_f(0.25))));
    program.push(Write::only(RtSubtype::Simd8DualLow, 8).inst());
    let kernel = load(program, metadata(8, 4, dual));
    let equation = BlendEquation {
        source: BlendFactor::Src1Alpha,
        destination: BlendFactor::Zero,
        op: BlendOp::Add,
    };
    let mut state = DrawState::new(SIZE);
    state.colours[0].blend = Some(Blend { colour: equation, alpha: equation });
    let mut framebuffer = framebuffer();
    let report = draw_on(&kernel, &mut framebuffer, &state).unwrap();
    assert_eq!(report.diagnostics, []);
    assert_eq!(pixels(&framebuffer)[1], place(1.5, 0.5).map(|value| value / 4.0));
}

#[test]
fn the_pixel_interpolator_delivers_coordinates_at_offsets() {
    let mut pulls = stage(ColourType::Float);
    pulls.pixel_interpolator = true;
    let ask = |at, data, registers| {
        let kind = Message::Interpolate {
            at,
            data,
            upper_slots: false,
            linear: false,
            coarse: false,
            simd16: false,
        };
        message(kind, 8, 20, (registers, 2), Some(10), false)
    };
    let colours = || (0..4).map(|component| interpolate(8, OUT + component, 4, component, 10));
    let zero = mov(8, 20, Src::imm_f(0.0));
    // 3/16 of a pixel to the right, 1/2 upwards.
    let mut program = vec![zero.clone(), ask(InterpolateAt::Offset, 0x83, 1)];
    program.extend(colours());
    program.push(Write::only(RtSubtype::Simd8, 4).inst());
    let kernel = load(program, metadata(8, 4, pulls.clone()));
    check(&kernel, |x, y| place(x + 0.1875, y - 0.5));
    for at in [InterpolateAt::Sample, InterpolateAt::Centroid] {
        let mut program = vec![zero.clone(), ask(at, 0, 1)];
        program.extend(colours());
        program.push(Write::only(RtSubtype::Simd8, 4).inst());
        check(&load(program, metadata(8, 4, pulls.clone())), place);
    }
    let offset = |register, value: i32| {
        inst(Opcode::Mov, 8, register, Type::D, &[Src::imm_ud(value.cast_unsigned())])
    };
    let mut program = vec![offset(20, -4), offset(21, 2), ask(InterpolateAt::PerSlotOffset, 0, 2)];
    program.extend(colours());
    program.push(Write::only(RtSubtype::Simd8, 4).inst());
    check(&load(program, metadata(8, 4, pulls)), |x, y| place(x - 0.25, y + 0.125));
}

#[test]
fn one_colour_is_written_to_all_pixels() {
    let mut program = Vec::new();
    for component in 0..4u8 {
        let dst = Dst::grf(OUT, 4 * component, Type::F, 1);
        let value = Src::imm_f(f32::from(component));
        program.push(
            Inst::new(Opcode::Mov)
                .with_exec_size(1)
                .with_no_mask()
                .with_dst(dst)
                .with_srcs(&[value]),
        );
    }
    program.push(Write::only(RtSubtype::Simd16Replicated, 1).inst());
    let kernel = load(program, metadata(16, 6, stage(ColourType::Float)));
    check(&kernel, |_, _| [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn point_coordinates_run_over_the_square() {
    let mut points = stage(ColourType::Float);
    points.attributes[0].source = AttributeSource::PointCoord;
    let program = copy(8, ColourType::Float).instructions().to_vec();
    let kernel = load(program, metadata(8, 4, points));
    let mut state = DrawState::new(SIZE);
    state.topology = Topology::Points;
    let header = [0, 0, 0, 4.0f32.to_bits()];
    let one = SlotValues::new()
        .with(Varying::Position, [0.0f32, 0.0, 0.5, 1.0].map(f32::to_bits))
        .with(Varying::Header, header);
    let mut framebuffer = framebuffer();
    let (resources, options) = (Resources::new(), Options::strict());
    kernel.draw(&state, &[vec![one]], &mut framebuffer, &resources, &options, None).unwrap();
    let pixels = pixels(&framebuffer);
    assert_eq!(pixels[12 + 4], [0.125, 0.125, 0.0, 1.0]);
    assert_eq!(pixels[4 * 12 + 7], [0.875, 0.875, 0.0, 1.0]);
    assert_eq!(pixels[12 + 8], [0.0; 4]);
}

#[test]
fn scissor_and_culling_leave_pixels_out() {
    let kernel = copy(16, ColourType::Float);
    let mut state = DrawState::new(SIZE);
    state.scissor = Some(Area { x: 3, y: 1, width: 2, height: 1 });
    let mut one = framebuffer();
    draw_on(&kernel, &mut one, &state).unwrap();
    let drawn: Vec<usize> = (0..72).filter(|i| pixels(&one)[*i][3] != 0.0).collect();
    assert_eq!(drawn, [12 + 3, 12 + 4]);
    state.cull = CullMode::All;
    let report = draw_on(&kernel, &mut framebuffer(), &state).unwrap();
    assert_eq!(report.threads, 0);
}

#[test]
fn inputs_that_do_not_fit_are_errors() {
    let kernel = copy(8, ColourType::Float);
    let state = DrawState::new(SIZE);
    let mut integers = Framebuffer::new(SIZE).unwrap();
    integers.clear_colour(0, SurfaceFormat::R32_UINT, [0; 4]).unwrap();
    let error = draw_on(&kernel, &mut integers, &state).unwrap_err();
    assert!(matches!(error, EmuError::Framebuffer(FramebufferError::Type { .. })), "{error}");
    let mut deep = state.clone();
    deep.depth = Some(DepthTest { compare: CompareOp::Less, write: true });
    let error = draw_on(&kernel, &mut framebuffer(), &deep).unwrap_err();
    assert!(matches!(error, EmuError::Framebuffer(FramebufferError::Missing { .. })), "{error}");
    let mut small = state.clone();
    small.viewport.width = 0.0;
    let error = draw_on(&kernel, &mut framebuffer(), &small).unwrap_err();
    assert!(matches!(error, EmuError::Framebuffer(FramebufferError::Viewport { .. })), "{error}");
    let bare = SlotValues::new().with(Varying::Position, [0; 4]);
    let (resources, options) = (Resources::new(), Options::default());
    let error =
        kernel.draw(&state, &[vec![bare; 3]], &mut framebuffer(), &resources, &options, None);
    assert!(matches!(error, Err(EmuError::StageInput(_))));
    assert_eq!(
        Framebuffer::new([0, 4]).unwrap_err(),
        FramebufferError::Size { width: 0, height: 4 }
    );
    let mut one = Framebuffer::new([16384, 16384]).unwrap();
    let format = SurfaceFormat::R32G32B32A32_FLOAT;
    let error = one.clear_colour(0, format, [0; 4]).unwrap_err();
    assert!(matches!(error, FramebufferError::TooLarge { .. }), "{error}");
    assert!(one.clear_colour(8, SurfaceFormat::R8_UNORM, [0; 4]).is_err());
    let error = one.clear_colour(0, SurfaceFormat::R9G9B9E5_SHAREDEXP, [0; 4]).unwrap_err();
    assert!(matches!(error, FramebufferError::Format { .. }), "{error}");
}

#[test]
fn a_payload_at_another_place_is_refused() {
    // The setup data cannot begin before the coordinates end.
    let program = copy(8, ColourType::Float).instructions().to_vec();
    let kernel = load(program, metadata(8, 3, stage(ColourType::Float)));
    let error = draw_on(&kernel, &mut framebuffer(), &DrawState::new(SIZE)).unwrap_err();
    assert!(error.to_string().contains("setup data"), "{error}");
}

#[test]
fn vertices_far_away_or_behind_are_no_problem() {
    let kernel = copy(8, ColourType::Float);
    let mut random = fastrand::Rng::with_seed(9);
    let (resources, options) = (Resources::new(), Options::default());
    for round in 0..3000 {
        let mut number = || match random.u8(0..6) {
            0 => 0.0,
            1 => f32::from_bits(random.u32(..)),
            2 => 1e30 * (random.f32() - 0.5),
            _ => 4.0 * (random.f32() - 0.5),
        };
        let vertices = (0..3).map(|_| vertex([number(), number(), number(), number()], [0; 4]));
        let vertices: Vec<SlotValues> = vertices.collect();
        let mut state = DrawState::new(SIZE);
        state.topology = Topology::ALL[round % Topology::ALL.len()];
        state.depth_clamp = round % 2 == 0;
        let mut framebuffer = framebuffer();
        kernel.draw(&state, &[vertices], &mut framebuffer, &resources, &options, None).unwrap();
    }
}

#[test]
fn two_outputs_go_to_two_attachments() {
    let mut two = stage(ColourType::Float);
    two.colour_outputs.push(ColourOutput { target: 1, components: 1, ty: Some(ColourType::Float) });
    let mut program: Vec<Inst> =
        (0..4).map(|component| interpolate(8, OUT + component, 4, component, 2)).collect();
    program.push(Write { last: false, ..Write::only(RtSubtype::Simd8, 4) }.inst());
    program.push(Write { target: 1, ..Write::only(RtSubtype::Simd8, 4) }.inst());
    let mut kernel = metadata(8, 4, two);
    assert_eq!(kernel.binding_table[1].index, Bti(1).0);
    kernel.entry_point = "two".into();
    let kernel = load(program, kernel);
    let mut framebuffer = framebuffer();
    framebuffer.clear_colour(1, SurfaceFormat::R8_UNORM, [0; 4]).unwrap();
    draw_on(&kernel, &mut framebuffer, &DrawState::new(SIZE)).unwrap();
    assert_eq!(framebuffer.colour(1).unwrap().1[0], 128);
    assert_eq!(pixels(&framebuffer)[0], place(0.5, 0.5));
}

#[test]
fn pictures_do_not_depend_on_host_threads() {
    let kernel = copy(16, ColourType::Float);
    let mut random = fastrand::Rng::with_seed(10);
    let size = [96, 64];
    let mut vertices = || {
        (0..120)
            .map(|_| {
                let place = [0; 2].map(|_| 2.0 * random.f32() - 1.0);
                let value = [0; 4].map(|_| random.f32().to_bits());
                vertex([place[0], place[1], 0.5, 1.0], value)
            })
            .collect::<Vec<_>>()
    };
    let strips = [vertices()];
    let mut state = DrawState::new(size);
    let equation = BlendEquation {
        source: BlendFactor::SrcAlpha,
        destination: BlendFactor::OneMinusSrcAlpha,
        op: BlendOp::Add,
    };
    state.colours[0].blend = Some(Blend { colour: equation, alpha: equation });
    let draw = |host_threads| {
        let mut framebuffer = Framebuffer::new(size).unwrap();
        framebuffer.clear_colour(0, SurfaceFormat::R16G16B16A16_FLOAT, [0; 4]).unwrap();
        let options = Options { host_threads, ..Options::default() };
        let resources = Resources::new();
        let report =
            kernel.draw(&state, &strips, &mut framebuffer, &resources, &options, None).unwrap();
        (report, framebuffer)
    };
    let one = draw(1);
    assert!(one.0.threads > 1000, "{} threads", one.0.threads);
    for host_threads in [2, 5] {
        assert_eq!(draw(host_threads), one);
    }
}

#[test]
fn depths_are_limited_instead_of_clipped() {
    let kernel = copy(8, ColourType::Float);
    // z is 2 at the right edge of the picture, and 1, the far plane, in its middle.
    let vertices = [[-1.0, -1.0, 0.0], [3.0, -1.0, 4.0], [-1.0, 3.0, 0.0f32]];
    let vertices = vertices.map(|[x, y, z]| vertex([x, y, z, 1.0], [1.0f32.to_bits(); 4]));
    let draw = |depth_clamp| {
        let mut state = DrawState::new(SIZE);
        state.depth_clamp = depth_clamp;
        state.viewport.depth = [0.0, 0.5];
        state.depth = Some(DepthTest { compare: CompareOp::Always, write: true });
        let mut framebuffer = framebuffer();
        framebuffer.clear_depth(DepthFormat::Float32, 1.0);
        let (resources, options) = (Resources::new(), Options::strict());
        let strips = [vertices.to_vec()];
        kernel.draw(&state, &strips, &mut framebuffer, &resources, &options, None).unwrap();
        framebuffer.depths().unwrap()
    };
    let (clipped, limited) = (draw(false), draw(true));
    for i in 0..72 {
        let beyond = i % 12 >= 6;
        assert_eq!((clipped[i] == 1.0, limited[i] == 0.5), (beyond, beyond), "{i}");
    }
}
