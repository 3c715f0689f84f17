//! Tests the payloads of SIMD8 vertex, tessellation and geometry threads, with small programs. The expected values are
//! computed by hand from the rules of the hardware.

mod common;
mod simd8_programs;

use common::mov_ud;
use crestline_device::Platform;
use crestline_emu::{
    Attribute, Draw, EmuError, Options, Patch, Primitive, PrimitiveOutput, Report, Resources,
    SlotValues,
};
use crestline_isa::{ArfKind, CondMod, Inst, Opcode, Region, Src, Type};
use crestline_program::{
    ControlData, Domain, GeometryDispatch, GeometryMetadata, GeometryOutput, Spacing,
    StageDispatch, StageMetadata, TessControlMetadata, TessEvalMetadata, TessOutput, Varying,
    VertexInput, VertexMetadata,
};
use simd8_programs::{
    ALL, OUT, Urb, binary, channels, compare, if_set, last, load, location, mov, reg, scalar,
};

fn dwords(values: &SlotValues, varying: Varying) -> [u32; 4] {
    values.get(varying).map(|dword| dword.expect("all are written"))
}

/// A vertex program with push constants in r2, attribute 0 in r3 to r6, system values in r7 to r10.
fn vertex_stage() -> VertexMetadata {
    VertexMetadata {
        dispatch: StageDispatch::Simd8,
        first_input_register: 3,
        inputs: vec![VertexInput::Attribute { location: 0, offset: 0 }, VertexInput::SystemValues],
        outputs: vec![location(0), location(1), location(2)],
        entry_bytes: 64,
    }
}

#[test]
fn vertices_have_a_channel_each() {
    let mut resources = Resources::new();
    let numbers: Vec<u8> = (100..200u32).flat_map(u32::to_le_bytes).collect();
    resources.set_attribute(0, Attribute::packed("rgb32ui".parse().unwrap(), &numbers));
    let mut program = vec![];
    program.extend([mov(30, reg(1)), mov(OUT, reg(1))]);
    // Slot 0: the attribute. Slot 1: the system values.
    program.extend((0..8).map(|i| mov(31 + i, reg(3 + i))));
    program.push(Urb::at(0).write(30, 9));
    // Slot 2: constant 5 and r0.0 to r0.2.
    program.push(mov(OUT + 1, scalar(2, 5)));
    program.extend((0..3).map(|i| mov(OUT + 2 + i, scalar(0, i))));
    program.push(last(Urb::at(2).write(OUT, 5)));
    for platform in ALL {
        let stage = StageMetadata::Vertex(vertex_stage());
        let kernel = load(program.clone(), platform, stage, Some(2)).unwrap();
        // 38 vertices: five threads, the last with six channels.
        let draw = Draw { instances: 2, first_instance: 7, first_vertex: 2, ..Draw::vertices(19) };
        let options = Options::default();
        let (vertices, report) = kernel.run_vertices(&draw, &resources, &options, None).unwrap();
        assert_eq!((report.threads, report.diagnostics), (5, vec![]), "{platform}");
        assert_eq!(vertices.len(), 38);
        for (number, values) in vertices.iter().enumerate() {
            let (vertex, instance) = (number as u32 % 19, number as u32 / 19);
            let first = 100 + 3 * (vertex + 2);
            assert_eq!(dwords(values, location(0)), [first, first + 1, first + 2, 1]);
            assert_eq!(dwords(values, location(1)), [2, 7, vertex, instance]);
            assert_eq!(dwords(values, location(2)), [1005, 0, 0, 0]);
        }
    }
}

#[test]
fn channels_without_a_vertex_are_disabled() {
    // Each channel writes sr0.2, the mask of the thread.
    let mut program = vec![mov(OUT, reg(1))];
    let mask = Src::arf(ArfKind::State, 0, 8, Type::Ud, Region::align1(0, 1, 0));
    program.extend((1..5).map(|i| mov(OUT + i, mask)));
    program.push(last(Urb::at(0).write(OUT, 5)));
    let stage = VertexMetadata { inputs: vec![], outputs: vec![location(0)], ..vertex_stage() };
    let kernel = load(program, Platform::Skl, StageMetadata::Vertex(stage), None).unwrap();
    let (resources, options) = (Resources::new(), Options::default());
    let draw = Draw::vertices(11);
    let (vertices, _) = kernel.run_vertices(&draw, &resources, &options, None).unwrap();
    let masks: Vec<_> = vertices.iter().map(|values| dwords(values, location(0))[0]).collect();
    assert_eq!(masks, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 7, 7, 7]);
}

/// The dwords of a control point or vertex in tests: 10 times its number, and numbers that follow.
fn point(number: u32) -> SlotValues {
    let first = number * 10;
    SlotValues::new()
        .with(location(0), [first, first + 1, first + 2, first + 3])
        .with(location(1), [first + 4, first + 5, first + 6, first + 7])
}

fn control_stage(output_vertices: u32) -> TessControlMetadata {
    TessControlMetadata {
        dispatch: StageDispatch::Simd8,
        input_vertices: Some(17),
        output_vertices,
        inputs: vec![location(0), location(1)],
        patch_outputs: vec![Varying::PatchHeader { half: 0 }, Varying::PatchHeader { half: 1 }],
        vertex_outputs: vec![location(3)],
        entry_bytes: 256,
        uses_barrier: false,
    }
}

/// Thread 1 writes r0.1 and constant 2 to the patch header. Each channel writes a control point: its number, the first
/// dwords of the control points `channel` and 16, the last dword of control point `channel`. If `compares` is not set,
/// channels without a control point write, too.
fn control_program(compares: bool) -> Vec<Inst> {
    let mut program = channels(20);
    // The number of the invocation: 8 * r0.2 bits 23:17 + channel.
    program.extend([
        binary(Opcode::Shr, 22, [scalar(0, 2), Src::imm_ud(17)]),
        binary(Opcode::Shl, 23, [reg(22), Src::imm_ud(3)]),
        binary(Opcode::Add, 24, [reg(23), reg(20)]),
        mov(25, reg(1)),
        Urb::at(0).read(25, 1, 40, 8),
        mov(26, scalar(3, 0)),
        Urb::at(0).read(26, 1, 50, 1),
        // Handle, offset, mask: dwords 0 and 1.
        mov(60, scalar(0, 0)),
        mov(61, Src::imm_ud(0)),
        mov(62, Src::imm_ud(3 << 16)),
        mov(63, scalar(0, 1)),
        mov(64, scalar(5, 2)),
        compare(CondMod::G, reg(22), Src::imm_ud(0)),
    ]);
    let both = Urb { offset: 0, per_slot_offset: true, channel_mask: true };
    program.push(if_set(both.write(60, 5)));
    program.extend([
        mov(OUT, scalar(0, 0)),
        mov(OUT + 1, reg(24)),
        mov(OUT + 2, reg(24)),
        mov(OUT + 3, reg(40)),
        mov(OUT + 4, reg(50)),
        mov(OUT + 5, reg(47)),
        compare(CondMod::L, reg(24), Src::imm_ud(11)),
    ]);
    let own = Urb { offset: 2, per_slot_offset: true, channel_mask: false };
    let write = last(own.write(OUT, 6));
    program.push(if compares { if_set(write) } else { write });
    program
}

fn control(compares: bool, platform: Platform) -> (Vec<Patch>, Report) {
    let stage = StageMetadata::TessControl(control_stage(11));
    let kernel = load(control_program(compares), platform, stage, Some(5)).unwrap();
    let patches: Vec<_> = (0..3)
        .map(|id| Primitive { vertices: (0..17).map(|i| point(i + 100 * id)).collect(), id })
        .collect();
    kernel.run_patches(&patches, &Resources::new(), &Options::default(), None).unwrap()
}

#[test]
fn control_points_have_a_channel_each() {
    for platform in ALL {
        let (patches, report) = control(true, platform);
        assert_eq!((report.threads, report.diagnostics), (6, vec![]), "{platform}");
        for (id, patch) in (0..).zip(&patches) {
            let header = patch.values.get(Varying::PatchHeader { half: 0 });
            assert_eq!(header, [Some(id), Some(1002), None, None]);
            assert_eq!(patch.vertices.len(), 11);
            for (number, values) in (0..).zip(&patch.vertices) {
                let own = 10 * (number % 8 + 100 * id);
                let expected = [number, own, 10 * (16 + 100 * id), own + 7];
                assert_eq!(dwords(values, location(3)), expected, "{platform} {id} {number}");
            }
        }
    }
}

#[test]
fn channels_without_a_control_point_are_enabled() {
    // An entry has 16 slots: two of the header, 11 of control points, three of padding. The channels of control points
    // 14 and 15 write outside of it.
    let (patches, report) = control(false, Platform::Bdw);
    assert_eq!(patches[0].vertices.len(), 11);
    let [diagnostic] = &report.diagnostics[..] else { panic!("{:?}", report.diagnostics) };
    assert_eq!(
        diagnostic.problem.to_string(),
        "writes 4 bytes at 0x100 of URB entry 0x140, which has 256 bytes"
    );
    // Four dwords of two channels, in three patches.
    assert_eq!((diagnostic.location.channel, diagnostic.count), (Some(6), 24));
}

fn eval_stage() -> TessEvalMetadata {
    TessEvalMetadata {
        dispatch: StageDispatch::Simd8,
        domain: Domain::Triangles,
        spacing: Spacing::Equal,
        output: TessOutput::TrianglesCcw,
        patch_inputs: vec![
            Varying::PatchHeader { half: 0 },
            Varying::PatchHeader { half: 1 },
            Varying::Patch { location: 0 },
        ],
        vertex_inputs: vec![location(0), location(1)],
        first_input_register: 6,
        pushed_slots: 4,
        outputs: vec![location(0), location(1), location(2)],
        entry_bytes: 64,
    }
}

#[test]
fn points_have_a_channel_each() {
    let mut program = vec![
        // u, v, w and the primitive id.
        mov(30, reg(4)),
        mov(31, reg(1)),
        mov(32, reg(2)),
        mov(33, reg(3)),
        mov(34, scalar(0, 1)),
        // Pushed: dword 1 of slot 2, dword 3 of slot 3, which is the first of vertex 0; a constant, and r0.2.
        mov(35, scalar(7, 1)),
        mov(36, scalar(7, 7)),
        mov(37, scalar(5, 7)),
        mov(38, scalar(0, 2)),
        Urb::at(0).write(30, 9),
        // Read by the handle of the patch: slot 8, the last of vertex 2.
        mov(40, scalar(0, 0)),
        Urb::at(8).read(40, 1, OUT + 1, 4),
        mov(OUT, reg(4)),
    ];
    program.push(last(Urb::at(2).write(OUT, 5)));
    let patch = Patch {
        values: SlotValues::new().with(Varying::Patch { location: 0 }, [70, 71, 72, 73]),
        vertices: (0..3).map(point).collect(),
        id: 9,
    };
    let points: Vec<_> = (0..13).map(|i| [i as f32, 0.5 - i as f32, 0.25]).collect();
    for platform in ALL {
        let stage = StageMetadata::TessEval(eval_stage());
        let kernel = load(program.clone(), platform, stage, Some(5)).unwrap();
        let (resources, options) = (Resources::new(), Options::default());
        let (values, report) =
            kernel.run_points(&patch, &points, &resources, &options, None).unwrap();
        assert_eq!((report.threads, report.diagnostics), (2, vec![]), "{platform}");
        assert_eq!(values.len(), 13);
        for (values, point) in values.iter().zip(&points) {
            let [u, v, w] = point.map(f32::to_bits);
            assert_eq!(dwords(values, location(0)), [u, v, w, 9]);
            assert_eq!(dwords(values, location(1)), [71, 3, 1007, 0]);
            assert_eq!(dwords(values, location(2)), [24, 25, 26, 27]);
        }
    }
}

/// A geometry program with primitive ids in r2 and handles from r3 on. Two slots of each vertex are pushed from
/// `first_input_register` on.
fn geometry_stage(invocations: u32, first_input_register: u32) -> GeometryMetadata {
    GeometryMetadata {
        dispatch: GeometryDispatch::Simd8,
        input_vertices: 3,
        invocations,
        primitive_id: true,
        vertex_handles: Some(3),
        inputs: vec![location(0), location(1), location(2)],
        first_input_register,
        pushed_slots: 2,
        output: GeometryOutput::TriangleStrip,
        count_bytes: 32,
        control_bytes: 32,
        control_data: ControlData::Cut,
        outputs: vec![location(0), location(1)],
        vertex_bytes: 32,
        entry_bytes: 192,
    }
}

/// Vertex `v` of primitive `p` has the number `100 p + v`. Location 2 is the number plus 0.5 million.
fn primitives(count: u32) -> Vec<Primitive> {
    let vertex = |number: u32| point(number).with(location(2), [number + 500_000; 4]);
    (0..count)
        .map(|p| Primitive { vertices: (0..3).map(|v| vertex(100 * p + v)).collect(), id: p + 60 })
        .collect()
}

/// Instructions that write the vertex count in r`count` and the control data in r`control`, and end the thread. The
/// mask of channels is in both cases that of the first dword.
fn finish(count: u8, control: u8) -> Vec<Inst> {
    vec![
        mov(30, reg(1)),
        mov(31, reg(control)),
        Urb::at(2).write(30, 2),
        mov(OUT, reg(1)),
        mov(OUT + 1, reg(count)),
        last(Urb::at(0).write(OUT, 2)),
    ]
}

fn run_geometry(
    program: &[Inst],
    platform: Platform,
    stage: GeometryMetadata,
    constants: u32,
    count: u32,
) -> Result<(Vec<PrimitiveOutput>, Report), EmuError> {
    let stage = StageMetadata::Geometry(stage);
    let kernel = load(program.to_vec(), platform, stage, Some(constants))?;
    kernel.run_primitives(&primitives(count), &Resources::new(), &Options::default(), None)
}

#[test]
fn primitives_have_a_channel_each() {
    // Handles in r3 to r5, constants in r6, pushed slots from r7: four registers per slot, eight per vertex.
    let mut program = vec![
        // Slot 2 of vertex 1 by its handle.
        mov(40, reg(4)),
        Urb::at(2).read(40, 1, 41, 1),
        // Vertex 0: the primitive id, dword 3 of slot 0 of vertex 0, dword 1 of slot 1 of vertex 2, location 2 of vertex 1.
        mov(50, reg(1)),
        mov(51, reg(2)),
        mov(52, reg(7 + 3)),
        mov(53, reg(7 + 16 + 4 + 1)),
        mov(54, reg(41)),
        // A constant, the invocation, r0.0, r0.2.
        mov(55, scalar(6, 1)),
        binary(Opcode::Shr, 56, [reg(1), Src::imm_ud(27)]),
        mov(57, scalar(0, 0)),
        mov(58, scalar(0, 2)),
        Urb::at(4).write(50, 9),
        // Vertex 1 has only its first dword.
        mov(60, reg(1)),
        mov_ud(61, 77),
        Urb::at(6).write(60, 2),
    ];
    // One vertex for primitives 60 to 67, two for the others; a strip ends after vertex 0 of odd primitives.
    program.extend([
        mov_ud(62, 1),
        compare(CondMod::G, reg(2), Src::imm_ud(67)),
        if_set(mov_ud(62, 2)),
        binary(Opcode::And, 63, [reg(2), Src::imm_ud(1)]),
    ]);
    program.extend(finish(62, 63));
    for platform in ALL {
        let stage = geometry_stage(1, 7);
        let (outputs, report) = run_geometry(&program, platform, stage, 6, 13).unwrap();
        assert_eq!((report.threads, report.diagnostics), (2, vec![]), "{platform}");
        assert_eq!(outputs.len(), 13);
        for (p, output) in (0..).zip(&outputs) {
            let [vertices] = &output.invocations[..] else { panic!("one invocation") };
            assert_eq!(vertices.len(), if p < 8 { 1 } else { 2 });
            assert_eq!((vertices[0].cut, vertices[0].stream), (p % 2 == 1, 0));
            let first = dwords(&vertices[0].values, location(0));
            assert_eq!(first, [60 + p, 1000 * p + 3, 1000 * p + 25, 500_001 + 100 * p]);
            assert_eq!(dwords(&vertices[0].values, location(1)), [1001, 0, 0, 0]);
            if let Some(second) = vertices.get(1) {
                assert_eq!(second.values.get(location(0)), [Some(77), None, None, None]);
                assert!(!second.cut);
            }
        }
    }
}

#[test]
fn invocations_of_a_primitive_share_its_inputs() {
    // Handles in r3, constants in r4, pushed slots from r5: two per register, a register per vertex.
    let mut program = vec![
        // Slot 2 of vertex 2 by its handle.
        mov(40, scalar(3, 2)),
        Urb::at(2).read(40, 1, 41, 1),
        mov(50, reg(1)),
        binary(Opcode::Shr, 51, [reg(1), Src::imm_ud(27)]),
        mov(52, reg(2)),
        // Dword 3 of slot 1 of vertex 1.
        mov(53, scalar(6, 7)),
        mov(54, reg(41)),
        Urb::at(4).write(50, 5),
        // Invocations below 9 emit one vertex, the others none.
        mov_ud(62, 0),
        compare(CondMod::L, reg(51), Src::imm_ud(9)),
        if_set(mov_ud(62, 1)),
        mov_ud(63, 0),
    ];
    program.extend(finish(62, 63));
    for platform in ALL {
        let stage = geometry_stage(11, 5);
        let (outputs, report) = run_geometry(&program, platform, stage, 4, 3).unwrap();
        assert_eq!((report.threads, report.diagnostics), (6, vec![]), "{platform}");
        assert_eq!(outputs.len(), 3);
        for (p, output) in (0..).zip(&outputs) {
            assert_eq!(output.invocations.len(), 11);
            for (invocation, vertices) in (0..).zip(&output.invocations) {
                assert_eq!(vertices.len(), usize::from(invocation < 9));
                let expected = [invocation, 60 + p, 1000 * p + 17, 500_002 + 100 * p];
                for vertex in vertices {
                    assert_eq!(dwords(&vertex.values, location(0)), expected);
                }
            }
        }
    }
}

#[test]
fn a_payload_without_ids_and_handles_is_shorter() {
    // Pushed slots from r2 on.
    let mut program = vec![mov(50, reg(1)), mov(51, reg(2)), mov(52, reg(2 + 8)), mov_ud(60, 1)];
    program.push(Urb::at(4).write(50, 3));
    program.push(mov_ud(61, 0));
    program.extend(finish(60, 61));
    let stage =
        GeometryMetadata { primitive_id: false, vertex_handles: None, ..geometry_stage(1, 2) };
    let stage = StageMetadata::Geometry(stage);
    let kernel = load(program, Platform::Bdw, stage, None).unwrap();
    let (resources, options) = (Resources::new(), Options::default());
    let (outputs, report) =
        kernel.run_primitives(&primitives(2), &resources, &options, None).unwrap();
    assert_eq!(report.diagnostics, []);
    let first = |p: usize| outputs[p].invocations[0][0].values.get(location(0));
    assert_eq!(first(0), [Some(0), Some(10), None, None]);
    assert_eq!(first(1), [Some(1000), Some(1010), None, None]);
}

/// The name of the field that makes metadata unfit for a stage.
fn refused(stage: StageMetadata, constants: Option<u32>) -> String {
    match load(vec![], Platform::Skl, stage, constants) {
        Err(EmuError::Metadata(crestline_program::MetadataError::Field { field, .. })) => field,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn metadata_that_contradicts_the_payload_is_refused() {
    let geometry = |invocations, first, change: fn(&mut GeometryMetadata)| {
        let mut stage = geometry_stage(invocations, first);
        change(&mut stage);
        StageMetadata::Geometry(stage)
    };
    // The handles of three vertices are in three registers, or in one.
    assert_eq!(refused(geometry(1, 6, |_| ()), Some(5)), "dispatches[0].payload.cross_thread");
    assert_eq!(refused(geometry(1, 5, |_| ()), None), "stage.first_input_register");
    assert_eq!(refused(geometry(2, 5, |_| ()), Some(3)), "dispatches[0].payload.cross_thread");
    assert_eq!(refused(geometry(2, 3, |_| ()), None), "stage.first_input_register");
    // The registers of the pushed slots: 14 * 3 * 4 of 128, and 14 * 3 / 2.
    assert_eq!(
        refused(geometry(1, 6, |stage| stage.pushed_slots = 14), None),
        "stage.first_input_register"
    );
    assert_eq!(
        refused(geometry(2, 108, |stage| stage.pushed_slots = 14), None),
        "stage.first_input_register"
    );
    assert_eq!(refused(geometry(0, 6, |_| ()), None), "stage.invocations");
    assert_eq!(refused(geometry(33, 6, |_| ()), None), "stage.invocations");
    // The handles follow the primitive ids.
    for register in [0, 2, 4, 5, 200] {
        let mut stage = geometry_stage(1, 7);
        stage.vertex_handles = Some(register);
        assert_eq!(refused(StageMetadata::Geometry(stage), None), "stage.vertex_handles");
    }
    assert_eq!(
        refused(geometry(1, 7, |stage| stage.primitive_id = false), None),
        "stage.vertex_handles"
    );
    let vertex = |first| {
        StageMetadata::Vertex(VertexMetadata { first_input_register: first, ..vertex_stage() })
    };
    assert_eq!(refused(vertex(1), None), "stage.first_input_register");
    assert_eq!(refused(vertex(121), None), "stage.first_input_register");
    assert_eq!(refused(vertex(3), Some(1)), "dispatches[0].payload.cross_thread");
    let eval = |first| {
        StageMetadata::TessEval(TessEvalMetadata { first_input_register: first, ..eval_stage() })
    };
    assert_eq!(refused(eval(4), None), "stage.first_input_register");
    assert_eq!(refused(eval(127), None), "stage.first_input_register");
    assert_eq!(refused(eval(6), Some(4)), "dispatches[0].payload.cross_thread");
    // 17 handles are in three registers.
    assert_eq!(
        refused(StageMetadata::TessControl(control_stage(11)), Some(3)),
        "dispatches[0].payload.cross_thread"
    );
}
