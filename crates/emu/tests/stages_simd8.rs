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
use crestline_isa::{ArfKind, Inst, Region, Src, Type};
use crestline_program::{
    GeometryMetadata, StageMetadata, TessEvalMetadata, Varying, VertexMetadata,
};
use simd8_programs::stages::{
    control_program, control_stage, eval_program, eval_stage, finish, geometry_stage,
    invocations_program, point, primitives_program, vertex_program, vertex_stage,
};
use simd8_programs::{ALL, OUT, Urb, last, load, location, mov, reg};

fn dwords(values: &SlotValues, varying: Varying) -> [u32; 4] {
    values.get(varying).map(|dword| dword.expect("all are written"))
}

#[test]
fn vertices_have_a_channel_each() {
    let mut resources = Resources::new();
    let numbers: Vec<u8> = (100..200u32).flat_map(u32::to_le_bytes).collect();
    resources.set_attribute(0, Attribute::packed("rgb32ui".parse().unwrap(), &numbers));
    let program = vertex_program();
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

#[test]
fn points_have_a_channel_each() {
    let program = eval_program();
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

/// Vertex `v` of primitive `p` has the number `100 p + v`. Location 2 is the number plus 0.5 million.
fn primitives(count: u32) -> Vec<Primitive> {
    let vertex = |number: u32| point(number).with(location(2), [number + 500_000; 4]);
    (0..count)
        .map(|p| Primitive { vertices: (0..3).map(|v| vertex(100 * p + v)).collect(), id: p + 60 })
        .collect()
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
    let program = primitives_program();
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
            // A list of triangles has the code 4.
            let second = dwords(&vertices[0].values, location(1));
            assert_eq!(second, [1001, 0, 0, 4 << 16]);
            if let Some(second) = vertices.get(1) {
                assert_eq!(second.values.get(location(0)), [Some(77), None, None, None]);
                assert!(!second.cut);
            }
        }
    }
}

#[test]
fn invocations_of_a_primitive_share_its_inputs() {
    let program = invocations_program();
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
    assert_eq!(refused(geometry(1, 7, |stage| stage.pushed_slots = 3), None), "stage.pushed_slots");
    assert_eq!(refused(geometry(2, 7, |stage| stage.pushed_slots = 1), None), "stage.pushed_slots");
    // The hardware needs pushed slots or handles, and a place for the vertex count.
    let bare = geometry(1, 7, |stage| (stage.vertex_handles, stage.pushed_slots) = (None, 0));
    assert_eq!(refused(bare, None), "stage.vertex_handles");
    assert_eq!(refused(geometry(1, 7, |stage| stage.count_bytes = 0), None), "stage.count_bytes");
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
    let odd = TessEvalMetadata { pushed_slots: 1, ..eval_stage() };
    assert_eq!(refused(StageMetadata::TessEval(odd), None), "stage.pushed_slots");
    // 17 handles are in three registers.
    assert_eq!(
        refused(StageMetadata::TessControl(control_stage(11)), Some(3)),
        "dispatches[0].payload.cross_thread"
    );
}
