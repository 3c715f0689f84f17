//! The layout of a stage's payload follows the mode of its threads: the same shaders laid out for SIMD4x2 and for SIMD8, whose
//! numbers are those of the payloads of gen8 (the PRM's volumes on the 3D pipeline).

use crestline::stages::{Layout, Threads};
use crestline::{Device, Linkage, Platform};
use crestline_codegen::stage::{StageIo, ThreadMode};
use crestline_codegen::target::Target;
use crestline_codegen::{scalar, vec4};
use crestline_program::{Content, GeometryDispatch, GrfRange, StageMetadata};

const VERTEX: &str = "vertex \"main\" {
    push_constant_bytes 24
    input location 0: 32x4 \"place\"
    input location 1: 32x2 \"uv\"
    output position: 32x4 \"gl_Position\"

    %0: 32   = const 20
    %1: 32   = load push_constant, %0, align 4
    %2: 32x4 = load_input location 0
    %3: 32x2 = load_input location 1
    %4: 32   = sysval instance_index
    %5: 32x4 = vec4 %1.x, %2.x, %3.y, %4.x
               store_output position, %5
    return
}";

const TESS_CONTROL: &str = "tess_control \"main\" {
    push_constant_bytes 8
    output_vertices 4
    input position: 32x4 \"gl_Position\"
    output location 0: 32x4 \"points\"

    %0: 32   = sysval invocation_id
    %1: 32   = const 4
    %2: 32   = load push_constant, %1, align 4
    %3: 32x4 = load_input position, vertex %0
    %4: 32x4 = fmul %3, %2.xxxx
               store_output location 0, %4, vertex %0
    return
}";

const TESS_EVAL: &str = "tess_eval \"main\" {
    domain quads
    spacing equal
    ccw
    input patch 0: 32x4 \"color\"
    input patch 1: 32x4 \"light\"
    output position: 32x4 \"gl_Position\"

    %0: 32x3 = sysval tess_coord
    %1: 32x4 = load_input patch 1
    %2: 32x3 = fmul %0, %1.xyz
               store_output position, %2
    return
}";

/// An input vertex of eight slots: the header, the position, clip distances, four locations.
fn geometry(invocations: u32) -> String {
    format!(
        "geometry \"main\" {{
    input_primitive triangles_adjacency
    output_primitive triangle_strip
    max_vertices 3
    invocations {invocations}
    input location 3: 32x4 \"place\"
    output position: 32x4 \"gl_Position\"

    %0: 32   = sysval primitive_id
    %1: 32   = const 5
    %2: 32x4 = load_input location 3, vertex %1
    %3: 32x4 = vec4 %0.x, %2.y, %2.z, %2.w
               store_output position, %3
               emit_vertex 0
    return
}}"
    )
}

/// The layout of a shader on Broadwell, and the metadata of its stage.
fn layout_of(text: &str, mode: &ThreadMode) -> (Layout, StageMetadata) {
    let shader = crestline_ssa::text::parse(text).expect("a shader");
    let device = Device::new(Platform::Bdw);
    let layout =
        Layout::new(&shader, &Target::new(device), Threads::Mode(mode), Linkage::default());
    let layout = layout.expect("a layout");
    let metadata = layout.metadata(&shader, &device, mode.channels, 0);
    assert_eq!(metadata.dispatches.first().simd_width, mode.channels);
    (layout, metadata.stage)
}

/// The registers of constants, and the number of all registers.
fn registers(layout: &Layout) -> (Option<GrfRange>, u32) {
    (layout.payload.cross_thread, layout.interface.payload_registers)
}

const fn range(first: u32, count: u32) -> Option<GrfRange> {
    Some(GrfRange { first, count })
}

#[test]
fn vertex() {
    // Two attributes and one slot of system values.
    for (mode, constants, all) in
        [(&vec4::MODE, range(1, 1), 2 + 3), (&scalar::MODE, range(2, 1), 3 + 12)]
    {
        let (layout, stage) = layout_of(VERTEX, mode);
        assert_eq!(registers(&layout), (constants, all));
        let push = layout.interface.push_constants.expect("constants");
        // Byte 20 of the block, from a multiple of the mode's alignment on.
        let first = 20 / mode.constant_align * mode.constant_align;
        assert_eq!((push.offset, push.first), (mode.vertex_header * 32, first));
        let StageMetadata::Vertex(stage) = stage else { panic!("vertex") };
        assert_eq!(stage.dispatch, mode.dispatch);
        assert_eq!(stage.first_input_register, mode.vertex_header + 1);
    }
}

#[test]
fn tess_control() {
    // The handles of 32 control points are in r1 to r4.
    for mode in [&vec4::MODE, &scalar::MODE] {
        let (layout, _) = layout_of(TESS_CONTROL, mode);
        assert_eq!(registers(&layout), (range(5, 1), 6));
        let StageIo::TessControl(io) = &layout.interface.io else { panic!("control") };
        assert_eq!(io.handles, 32);
    }
    // Four control points are two SIMD4x2 threads. Before gen8 they meet before the first one releases the inputs, whose number is
    // in the payload if the compiler does not get it.
    let shader = crestline_ssa::text::parse(TESS_CONTROL).expect("a shader");
    for (platform, releases) in [(Platform::Hsw, true), (Platform::Bdw, false)] {
        for input_vertices in [Some(3), None] {
            let linkage = Linkage { input_vertices, ..Linkage::default() };
            let target = Target::new(Device::new(platform));
            let layout = Layout::new(&shader, &target, Threads::Mode(&vec4::MODE), linkage);
            let layout = layout.expect("a layout");
            let StageMetadata::TessControl(stage) = layout.stage else { panic!("control") };
            assert_eq!(stage.uses_barrier, releases);
            let mut items = layout.payload.items.iter();
            let counted = items.any(|item| item.content == Content::PatchVertices);
            assert_eq!(counted, releases && input_vertices.is_none());
        }
    }
}

#[test]
fn tess_eval() {
    // The patch header, two slots, and `patch 1` behind it in slot 3.
    for (mode, first, pushed) in [(&vec4::MODE, 2, 4), (&scalar::MODE, 5, 4)] {
        let (layout, stage) = layout_of(TESS_EVAL, mode);
        assert_eq!(registers(&layout), (None, first + pushed / 2));
        let StageMetadata::TessEval(stage) = stage else { panic!("evaluation") };
        assert_eq!((stage.dispatch, stage.first_input_register), (mode.dispatch, first));
        assert_eq!(stage.pushed_slots, pushed);
    }
    // A mode of one register has no room for slot 3.
    let narrow = ThreadMode { max_patch_registers: 1, ..scalar::MODE };
    let (layout, stage) = layout_of(TESS_EVAL, &narrow);
    assert_eq!(registers(&layout), (None, 5));
    let StageMetadata::TessEval(stage) = stage else { panic!("evaluation") };
    assert_eq!(stage.pushed_slots, 0);
}

#[test]
fn geometry_of_different_primitives() {
    let (two, stage) = layout_of(&geometry(1), &vec4::MODE);
    let StageMetadata::Geometry(stage) = stage else { panic!("geometry") };
    assert_eq!((stage.dispatch, stage.pushed_slots), (GeometryDispatch::DualObject, 8));
    // r0, the primitive ids, eight slots of six vertices.
    assert_eq!(registers(&two), (None, 2 + 6 * 8));

    let (eight, stage) = layout_of(&geometry(1), &scalar::MODE);
    let StageMetadata::Geometry(stage) = stage else { panic!("geometry") };
    // In 24 registers, six vertices of four registers have no room for a pair of slots. A register has the handles of one
    // vertex of each primitive.
    assert_eq!((stage.dispatch, stage.pushed_slots), (GeometryDispatch::Simd8, 0));
    assert_eq!((stage.vertex_handles, stage.first_input_register), (Some(3), 3 + 6));
    assert_eq!(registers(&eight), (None, 3 + 6));
    let StageIo::Geometry(io) = &eight.interface.io else { panic!("geometry") };
    assert_eq!((io.primitive_id, io.handles, io.dual_object), (Some(64), Some(96), true));

    // With twice the room, a pair of slots is pushed.
    let mode = ThreadMode { max_geometry_registers: 48, ..scalar::MODE };
    let (eight, stage) = layout_of(&geometry(1), &mode);
    let StageMetadata::Geometry(stage) = stage else { panic!("geometry") };
    assert_eq!((stage.vertex_handles, stage.first_input_register), (Some(3), 3 + 6));
    assert_eq!((stage.pushed_slots, registers(&eight)), (2, (None, 3 + 6 + 6 * 2 * 4)));
}

#[test]
fn geometry_of_one_primitive() {
    let (layout, stage) = layout_of(&geometry(2), &vec4::MODE);
    let StageMetadata::Geometry(stage) = stage else { panic!("geometry") };
    assert_eq!((stage.dispatch, stage.pushed_slots), (GeometryDispatch::DualInstance, 8));
    assert_eq!(registers(&layout), (None, 2 + 6 * 4));

    // At SIMD8 nothing is pushed; one register has the handles of all six vertices.
    let (eight, stage) = layout_of(&geometry(2), &scalar::MODE);
    let StageMetadata::Geometry(stage) = stage else { panic!("geometry") };
    assert_eq!((stage.dispatch, stage.pushed_slots), (GeometryDispatch::Simd8, 0));
    assert_eq!((stage.vertex_handles, registers(&eight)), (Some(3), (None, 4)));
    let StageIo::Geometry(io) = &eight.interface.io else { panic!("geometry") };
    assert!(!io.dual_object);
}
