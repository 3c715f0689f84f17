//! Tests small SIMD4x2 programs: the payloads of vertex, tessellation and geometry threads, the effects of URB and
//! SIMD4x2 messages, and the diagnostics.

mod common;

use common::{BUFFER, alu, dst};
use crestline_device::{Device, Platform, SurfaceFormat};
use crestline_emu::{
    Attribute, Diagnostic, Draw, EmuError, ImageDimension, ImageShape, Kernel, Options, Primitive,
    Problem, Report, Resources, SlotValues,
};
use crestline_isa::message::{
    AtomicOp, Bti, ChannelMask, Descriptor, Message, SimdMode, SlotGroup, UrbLayout, UrbSwizzle,
};
use crestline_isa::{
    AccessMode, Dst, Extra, Inst, Opcode, Region, Send, Src, Swizzle, Type, WriteMask,
};
use crestline_program::{
    BindingEntry, Dispatch, Distances, FloatMode, ImageAccess, Metadata, ResourceRef,
    StageDispatch, StageMetadata, Surface, TessControlMetadata, ThreadPayload, VERSION, Varying,
    VertexInput, VertexMetadata,
};

const IMAGE: ResourceRef = ResourceRef { set: 0, binding: 1, element: 0 };
const LOCATION: Varying = Varying::Location { location: 0 };
const XYZW: WriteMask = WriteMask(15);
const X: WriteMask = WriteMask(1);

/// The platforms with SIMD4x2 threads whose URB messages have the same form.
const ALL: [Platform; 3] = [Platform::Ivb, Platform::Hsw, Platform::Bdw];

fn vec4(opcode: Opcode, register: u8, ty: Type, mask: WriteMask, srcs: &[Src]) -> Inst {
    let mut inst = alu(opcode, dst(register, ty).with_writemask(mask), srcs);
    inst.access_mode = AccessMode::Align16;
    inst
}

fn grf(register: u8, ty: Type) -> Src {
    Src::grf_align16(register, 0, ty, Swizzle::XYZW)
}

fn mov(register: u8, src: Src) -> Inst {
    vec4(Opcode::Mov, register, Type::Ud, XYZW, &[src])
}

fn scalar(register: u8, dword: u8) -> Src {
    Src::grf(register, 4 * dword, Type::Ud, Region::align1(0, 1, 0))
}

fn one(opcode: Opcode, register: u8, dword: u8, srcs: &[Src]) -> Inst {
    let dst = Dst::grf(register, 4 * dword, Type::Ud, 1);
    alu(opcode, dst, srcs).with_exec_size(1).with_no_mask()
}

fn send(
    platform: Platform,
    message: Message,
    payload: u8,
    (mlen, rlen): (u8, u8),
    response: Option<u8>,
) -> Inst {
    let header_present = !matches!(
        message,
        Message::UntypedRead { .. } | Message::UntypedWrite { .. } | Message::UntypedAtomic { .. }
    );
    let descriptor =
        Descriptor { mlen, ex_mlen: 0, rlen, header_present, surface_offset: 0, message };
    let generation = Device::new(platform).generation();
    let (sfid, desc, ex_desc) = descriptor.encode(generation).expect("the message fits");
    let dst = response.map_or(Dst::null(Type::Ud), |register| dst(register, Type::Ud));
    let mut inst = alu(Opcode::Send, dst.with_writemask(XYZW), &[grf(payload, Type::Ud)])
        .with_extra(Extra::Send(Send::imm(sfid, desc, ex_desc)));
    inst.access_mode = AccessMode::Align16;
    inst
}

fn urb_write(offset: u16, layout: UrbLayout) -> Message {
    Message::UrbWrite {
        layout,
        offset,
        swizzle: UrbSwizzle::Interleave,
        per_slot_offset: false,
        channel_mask: false,
        allocate: false,
        used: false,
        complete: false,
    }
}

fn urb_read(offset: u16, layout: UrbLayout) -> Message {
    Message::UrbRead {
        layout,
        offset,
        swizzle: UrbSwizzle::Interleave,
        per_slot_offset: false,
        complete: false,
    }
}

/// Instructions that write a header for URB messages to a register: r0 with the channel masks `masks`.
fn header(register: u8, masks: u32) -> Vec<Inst> {
    vec![
        mov(register, grf(0, Type::Ud)).with_no_mask(),
        one(Opcode::Or, register, 5, &[scalar(0, 5), Src::imm_ud(masks << 8)]),
    ]
}

/// Instructions that write r115 as the only slot of the output and end the vertex thread.
fn write_output(platform: Platform) -> Vec<Inst> {
    let mut program = header(114, 0xff);
    let mut write = send(platform, urb_write(0, UrbLayout::Oword), 114, (2, 0), None);
    if let Extra::Send(send) = &mut write.extra {
        send.eot = true;
    }
    program.push(write);
    program
}

fn metadata(platform: Platform, stage: StageMetadata) -> Metadata {
    let buffer = Surface::StorageBuffer { resource: BUFFER };
    let format = Some(SurfaceFormat::R32_UINT);
    let image = Surface::StorageImage { resource: IMAGE, access: ImageAccess::ReadWrite, format };
    Metadata {
        version: VERSION,
        platform,
        entry_point: "test".into(),
        dispatches: Dispatch::at_start(8, ThreadPayload::default()).into(),
        stage,
        binding_table: vec![
            BindingEntry { index: 0, surface: buffer },
            BindingEntry { index: 1, surface: image },
        ],
        samplers: vec![],
        scratch_bytes: 0,
        private_bytes_per_channel: 0,
        address_bits: None,
        lines: None,
        constant_data: None,
        relocations: vec![],
        float_mode: FloatMode::default(),
    }
}

/// Inputs: attribute 0 in r1, system values in r2. Output: one slot.
fn vertex_stage() -> StageMetadata {
    StageMetadata::Vertex(VertexMetadata {
        distances: Distances::default(),
        feedback: None,
        dispatch: StageDispatch::Simd4x2,
        first_input_register: 1,
        inputs: vec![VertexInput::Attribute { location: 0, offset: 0 }, VertexInput::SystemValues],
        outputs: vec![LOCATION],
        entry_bytes: 64,
    })
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.set_buffer(BUFFER, &[0; 64]);
    let shape = ImageShape {
        dimension: ImageDimension::D2,
        format: SurfaceFormat::R32_UINT,
        width: 4,
        height: 4,
        depth: 1,
        levels: 1,
        samples: 1,
    };
    resources.set_image(IMAGE, shape, &[]).expect("a small image");
    let numbers: Vec<u8> = (10..20u32).flat_map(u32::to_le_bytes).collect();
    let format = "rg32ui".parse().expect("a format");
    resources.set_attribute(0, Attribute::packed(format, &numbers));
    resources
}

/// The dwords of a slot; `None` for those that nothing wrote.
type Slot = [Option<u32>; 4];

/// Runs a vertex program that leaves its result in r115. Returns the result of each vertex, and the report.
fn draw(
    platform: Platform,
    program: Vec<Inst>,
    draw: &Draw,
    resources: &Resources,
) -> Result<(Vec<Slot>, Report), EmuError> {
    draw_with(platform, program, draw, resources, &Options::default())
}

fn draw_with(
    platform: Platform,
    mut program: Vec<Inst>,
    draw: &Draw,
    resources: &Resources,
    options: &Options,
) -> Result<(Vec<Slot>, Report), EmuError> {
    program.extend(write_output(platform));
    let metadata = metadata(platform, vertex_stage());
    let kernel = Kernel::from_instructions(program, metadata, &Device::new(platform))?;
    let (vertices, report) = kernel.run_vertices(draw, resources, options, None)?;
    Ok((vertices.iter().map(|values| values.get(LOCATION)).collect(), report))
}

fn values(results: &[Slot]) -> Vec<[u32; 4]> {
    results.iter().map(|slot| slot.map(|dword| dword.expect("all are written"))).collect()
}

#[test]
fn vertices_get_their_attributes_and_leave_their_outputs() {
    for platform in ALL {
        let call = Draw { first_vertex: 1, ..Draw::vertices(3) };
        let program = vec![mov(115, grf(1, Type::Ud))];
        let (results, report) = draw(platform, program, &call, &resources()).unwrap();
        assert_eq!(values(&results), [[12, 13, 0, 1], [14, 15, 0, 1], [16, 17, 0, 1]]);
        assert_eq!((report.threads, report.diagnostics), (2, vec![]), "{platform}");
    }
}

#[test]
fn system_values_count_from_zero() {
    let call = Draw { first_vertex: 5, instances: 2, first_instance: 3, ..Draw::vertices(3) };
    let program = vec![mov(115, grf(2, Type::Ud))];
    let (results, _) = draw(Platform::Hsw, program, &call, &resources()).unwrap();
    let expected: Vec<[u32; 4]> = (0..6).map(|vertex| [5, 3, vertex % 3, vertex / 3]).collect();
    assert_eq!(values(&results), expected);
}

#[test]
fn instances_have_attributes_of_their_own() {
    let mut resources = resources();
    let numbers: Vec<u8> = (10..20u32).flat_map(u32::to_le_bytes).collect();
    let mut attribute = Attribute::packed("r32ui".parse().unwrap(), &numbers);
    attribute.per_instance = true;
    resources.set_attribute(0, attribute);
    let call = Draw { instances: 2, first_instance: 4, ..Draw::vertices(2) };
    let program = vec![mov(115, grf(1, Type::Ud))];
    let (results, _) = draw(Platform::Ivb, program, &call, &resources).unwrap();
    let first: Vec<u32> = values(&results).iter().map(|slot| slot[0]).collect();
    assert_eq!(first, [14, 14, 15, 15]);
}

#[test]
fn channel_masks_and_enables_limit_what_is_written() {
    for platform in ALL {
        // First a write of x and y of the first vertex and y of the second, then one with all channel masks zero.
        let mut program = vec![mov(115, Src::imm_ud(1)), mov(117, Src::imm_ud(2))];
        program.extend(header(116, 0b0010_0011));
        program.push(send(platform, urb_write(0, UrbLayout::Hword), 116, (2, 0), None));
        program.extend(header(114, 0));
        let metadata = metadata(platform, vertex_stage());
        let mut end = send(platform, urb_write(0, UrbLayout::Oword), 114, (1, 0), None);
        if let Extra::Send(send) = &mut end.extra {
            send.eot = true;
        }
        program.push(end);
        let kernel = Kernel::from_instructions(program, metadata, &Device::new(platform)).unwrap();
        let call = Draw::vertices(2);
        let (vertices, _) =
            kernel.run_vertices(&call, &resources(), &Options::default(), None).unwrap();
        assert_eq!(vertices[0].get(LOCATION), [Some(2), Some(2), None, None], "{platform}");
        assert_eq!(vertices[1].get(LOCATION), [None, Some(2), None, None], "{platform}");
    }
}

/// The only diagnostic of a vertex program, and its channel.
fn diagnose(program: Vec<Inst>) -> (String, Option<u8>) {
    let (_, report) = draw(Platform::Hsw, program, &Draw::vertices(2), &resources()).unwrap();
    assert_eq!(report.diagnostics.len(), 1, "{:?}", report.diagnostics);
    let diagnostic = &report.diagnostics[0];
    (diagnostic.problem.to_string(), diagnostic.location.channel)
}

#[test]
fn urb_accesses_outside_of_an_entry_are_reported() {
    let platform = Platform::Hsw;
    let with = |message, lengths, response| {
        let mut program = vec![mov(115, Src::imm_ud(1)), mov(117, Src::imm_ud(2))];
        program.extend(header(116, 0x01));
        program.push(send(platform, message, 116, lengths, response));
        program
    };
    // An entry has four slots: owords 0 to 3.
    let (problem, channel) = diagnose(with(urb_write(4, UrbLayout::Oword), (2, 0), None));
    assert_eq!(problem, "writes 4 bytes at 0x40 of URB entry 0x140, which has 64 bytes");
    assert_eq!(channel, Some(0));
    let (problem, _) = diagnose(with(urb_read(2, UrbLayout::Hword), (1, 1), Some(20)));
    assert_eq!(problem, "reads 4 bytes at 0x40 of URB entry 0x140, which has 64 bytes");
    // A handle that the thread did not receive.
    let mut program = with(urb_read(0, UrbLayout::Oword), (1, 1), Some(20));
    program.insert(4, one(Opcode::Mov, 116, 0, &[Src::imm_ud(7)]));
    let (problem, _) = diagnose(program);
    assert_eq!(problem, "reads 4 bytes at 0x0 of URB entry 0x7, which has 0 bytes");
}

#[test]
fn what_no_stage_wrote_is_not_read_unnoticed() {
    let mut program = vec![mov(20, Src::imm_ud(5))];
    program.extend(header(116, 0xff));
    program.push(send(Platform::Hsw, urb_read(0, UrbLayout::Oword), 116, (1, 1), Some(20)));
    program.push(mov(115, grf(20, Type::Ud)));
    let (problem, channel) = diagnose(program);
    assert_eq!((problem.as_str(), channel), ("reads r20.0, which was never written", Some(0)));
}

#[test]
fn untyped_messages_have_an_address_for_each_half() {
    let bti = Bti(0);
    let simd = SimdMode::Simd4x2;
    // Addresses 0 and 32; each vertex writes its attribute, reads it back and counts in w.
    let mut program = vec![
        mov(20, Src::imm_ud(0)),
        one(Opcode::Mov, 20, 4, &[Src::imm_ud(32)]),
        mov(21, grf(1, Type::Ud)),
        send(
            Platform::Hsw,
            Message::UntypedWrite { bti, simd, mask: ChannelMask(0b0111) },
            20,
            (2, 0),
            None,
        ),
        vec4(Opcode::Add, 20, Type::D, X, &[grf(20, Type::D), Src::imm_d(12)]),
        mov(21, Src::imm_ud(9)),
    ];
    let add =
        Message::UntypedAtomic { bti, op: AtomicOp::Add, simd, return_data: false, word: false };
    program.push(send(Platform::Hsw, add, 20, (2, 0), None));
    program.push(vec4(Opcode::Add, 20, Type::D, X, &[grf(20, Type::D), Src::imm_d(-12)]));
    let read = Message::UntypedRead { bti, simd, mask: ChannelMask(15) };
    program.push(send(Platform::Hsw, read, 20, (1, 1), Some(115)));
    let (results, report) = draw(Platform::Hsw, program, &Draw::vertices(2), &resources()).unwrap();
    assert_eq!(report.diagnostics, []);
    assert_eq!(values(&results), [[10, 11, 0, 9], [12, 13, 0, 9]]);
}

#[test]
fn typed_messages_have_coordinates_for_each_half() {
    let (bti, slots) = (Bti(1), SlotGroup::Simd4x2);
    // The texel of a vertex is (attribute - 10, 1).
    let mut program = vec![
        mov(20, Src::imm_ud(0)),
        one(Opcode::Mov, 20, 7, &[Src::imm_ud(0xff)]),
        mov(21, Src::imm_ud(0)),
        vec4(Opcode::Mov, 21, Type::D, WriteMask(2), &[Src::imm_d(1)]),
        vec4(Opcode::Add, 21, Type::D, X, &[grf(1, Type::D), Src::imm_d(-10)]),
        mov(22, grf(1, Type::Ud)),
    ];
    let write = Message::TypedWrite { bti, slots, mask: ChannelMask(1) };
    program.push(send(Platform::Hsw, write, 20, (3, 0), None));
    program.push(mov(22, Src::imm_ud(100)));
    let add = Message::TypedAtomic { bti, op: AtomicOp::Add, slots, return_data: false };
    program.push(send(Platform::Hsw, add, 20, (3, 0), None));
    let read = Message::TypedRead { bti, slots, mask: ChannelMask(15) };
    program.push(send(Platform::Hsw, read, 20, (2, 1), Some(115)));
    let resources = resources();
    let (results, report) = draw(Platform::Hsw, program, &Draw::vertices(2), &resources).unwrap();
    assert_eq!(report.diagnostics, []);
    assert_eq!(values(&results), [[110, 0, 0, 1], [112, 0, 0, 1]]);
    let image = common::dwords(&resources.image(IMAGE).unwrap());
    assert_eq!(image[4..8], [110, 0, 112, 0]);
}

#[test]
fn typed_reads_outside_give_zeros_and_either_alpha() {
    let (bti, slots) = (Bti(1), SlotGroup::Simd4x2);
    let read = Message::TypedRead { bti, slots, mask: ChannelMask(15) };
    // The texel of a vertex is (-1, 1).
    let program = vec![
        mov(20, Src::imm_ud(0)),
        one(Opcode::Mov, 20, 7, &[Src::imm_ud(0xff)]),
        mov(21, Src::imm_ud(1)),
        vec4(Opcode::Mov, 21, Type::D, X, &[Src::imm_d(-1)]),
        send(Platform::Hsw, read, 20, (2, 1), Some(115)),
    ];
    for alpha_one in [false, true] {
        let options = Options { alpha_one, ..Options::default() };
        let (call, resources) = (Draw::vertices(2), resources());
        let (results, report) =
            draw_with(Platform::Hsw, program.clone(), &call, &resources, &options).unwrap();
        let outside = |d: &Diagnostic| matches!(d.problem, Problem::OutOfBounds { .. });
        assert!(report.diagnostics.iter().all(outside), "{:?}", report.diagnostics);
        assert_eq!(values(&results), [[0, 0, 0, u32::from(alpha_one)]; 2]);
    }
}

/// A control shader for patches of `output_vertices` points. Its only output is the first half of the patch header.
fn control_stage(output_vertices: u32) -> StageMetadata {
    StageMetadata::TessControl(TessControlMetadata {
        dispatch: StageDispatch::Simd4x2,
        input_vertices: Some(3),
        output_vertices,
        inputs: vec![LOCATION],
        patch_outputs: vec![Varying::PatchHeader { half: 0 }],
        vertex_outputs: vec![],
        entry_bytes: 64,
        uses_barrier: false,
    })
}

#[test]
fn threads_of_a_patch_know_their_number_and_share_the_entry() {
    for (platform, shift) in [(Platform::Ivb, 16), (Platform::Hsw, 17), (Platform::Bdw, 17)] {
        // Thread i writes component i: the sum of its number and the third control point's value.
        let mut program = vec![
            one(Opcode::Shr, 20, 0, &[scalar(0, 2), Src::imm_ud(shift)]),
            mov(21, Src::imm_ud(0)).with_no_mask(),
            one(Opcode::Mov, 21, 0, &[scalar(1, 2)]),
            one(Opcode::Mov, 21, 5, &[Src::imm_ud(0x0f00)]),
            send(platform, urb_read(0, UrbLayout::Oword), 21, (1, 1), Some(22)),
            mov(115, Src::imm_ud(0)),
            one(Opcode::Add, 115, 0, &[scalar(20, 0), scalar(22, 0)]),
            one(Opcode::Mov, 115, 1, &[scalar(115, 0)]),
        ];
        program.extend(header(114, 0));
        // The mask of component i, in bit 8 + i.
        program.push(one(Opcode::Mov, 23, 0, &[Src::imm_ud(0x100)]));
        program.push(one(Opcode::Shl, 114, 5, &[scalar(23, 0), scalar(20, 0)]));
        let mut end = send(platform, urb_write(0, UrbLayout::Oword), 114, (2, 0), None);
        if let Extra::Send(send) = &mut end.extra {
            send.eot = true;
        }
        program.push(end);
        let metadata = metadata(platform, control_stage(4));
        let kernel = Kernel::from_instructions(program, metadata, &Device::new(platform)).unwrap();
        let point = |value| SlotValues::new().with(LOCATION, [value, 0, 0, 0]);
        let patch = Primitive { vertices: vec![point(1), point(2), point(30)], id: 0 };
        let (patches, report) = kernel
            .run_patches(std::slice::from_ref(&patch), &resources(), &Options::default(), None)
            .unwrap();
        assert_eq!((report.threads, report.diagnostics), (2, vec![]), "{platform}");
        let header = patches[0].values.get(Varying::PatchHeader { half: 0 });
        assert_eq!(header, [Some(30), Some(31), None, None], "{platform}");

        let short = Primitive { vertices: vec![point(1)], ..patch };
        let error = kernel.run_patches(&[short], &resources(), &Options::default(), None);
        assert_eq!(
            error.unwrap_err().to_string(),
            "a patch of 1 control points: expected 3, 1 to 32"
        );
    }
}

#[test]
fn what_does_not_fit_the_stage_is_refused() {
    let program = write_output(Platform::Hsw);
    let metadata = metadata(Platform::Hsw, vertex_stage());
    let kernel = Kernel::from_instructions(program, metadata, &Device::new(Platform::Hsw)).unwrap();
    let options = Options::default();
    let error = kernel.dispatch([1, 1, 1], &mut resources(), &options).unwrap_err();
    assert_eq!(error, EmuError::Stage { expected: "compute", found: "vertex" });
    let error = kernel.run_primitives(&[], &resources(), &options, None).unwrap_err();
    assert_eq!(error, EmuError::Stage { expected: "geometry", found: "vertex" });
    let mut bare = Resources::new();
    bare.set_buffer(BUFFER, &[0; 64]);
    let error = kernel.run_vertices(&Draw::vertices(1), &bare, &options, None).unwrap_err();
    assert_eq!(error, EmuError::MissingAttribute { location: 0 });
}
