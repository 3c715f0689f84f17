//! The emulator's transform feedback against lavapipe's: the bytes of each buffer, for vertex and geometry shaders that
//! declare what is captured.

use crestline::{Options, Simd, compile_spirv};
use crestline_device::Device;
use crestline_emu::{
    Draw, FeedbackTarget, Kernel, Primitive, Resources, Topology, TransformFeedback,
};
use crestline_filetests::corpus::compile_source;
use crestline_filetests::stages::{MODES, Mode, mode_name};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::{self, DrawJob, Lavapipe, VertexStage};
use crestline_program::StageMetadata;

/// Vertices of an instance, and instances.
const VERTICES: u32 = 26;
const INSTANCES: u32 = 2;

const VERTEX: &str = "#version 450
    layout(xfb_buffer = 2, xfb_stride = 12) out;
    layout(xfb_buffer = 0, xfb_stride = 32) out;
    layout(location = 0, xfb_buffer = 0, xfb_offset = 4) out vec3 a;
    layout(location = 1, xfb_buffer = 2, xfb_offset = 8) flat out int b;
    out gl_PerVertex { layout(xfb_buffer = 0, xfb_offset = 16) vec4 gl_Position; };
    void main() {
        gl_Position = vec4(gl_VertexIndex, gl_InstanceIndex, 0.5, 1.0);
        a = vec3(gl_VertexIndex) * vec3(1.0, 2.0, 3.0);
        b = gl_VertexIndex * 7 + gl_InstanceIndex;
    }";

const POINTS: &str = "#version 450
    layout(location = 0) out int number;
    void main() {
        gl_Position = vec4(gl_VertexIndex);
        number = gl_VertexIndex;
    }";

const STRIPS: &str = "#version 450
    layout(points, invocations = 2) in;
    layout(triangle_strip, max_vertices = 12) out;
    layout(location = 0) in int number[];
    layout(location = 0, xfb_buffer = 1, xfb_stride = 20, xfb_offset = 4) out vec4 a;
    void main() {
        for (int i = 0; i < 2 + number[0] % 9; ++i) {
            a = vec4(number[0], i, gl_InvocationID, 0.25);
            gl_Position = a;
            EmitVertex();
            if (i == 4) EndPrimitive();
        }
    }";

const STREAMS: &str = "#version 450
    layout(points) in;
    layout(points, max_vertices = 9) out;
    layout(location = 0) in int number[];
    layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out vec4 a;
    layout(stream = 1, location = 1, xfb_buffer = 1, xfb_stride = 4, xfb_offset = 0) out flat int b;
    void main() {
        for (int i = 0; i < 1 + number[0] % 8; ++i) {
            if (i % 3 == 1) {
                b = number[0] * 100 + i;
                EmitStreamVertex(1);
            } else {
                a = vec4(number[0], i, 1.0, 2.0);
                gl_Position = a;
                EmitStreamVertex(0);
            }
        }
    }";

fn kernel(words: &[u32], (platform, simd): Mode) -> Kernel {
    let options = Options { verify: true, ..Options::new(platform).with_simd(simd) };
    let program = compile_spirv(words, &options).unwrap_or_else(|error| panic!("{error}"));
    Kernel::load(&program.code, program.metadata, &Device::new(platform)).unwrap()
}

/// The bytes that the emulator writes to each buffer.
fn capture(
    vertex: &Kernel,
    geometry: Option<&Kernel>,
    topology: Topology,
    size: usize,
) -> TransformFeedback {
    let (resources, options) = (Resources::new(), crestline_emu::Options::default());
    let draw = Draw { instances: INSTANCES, ..Draw::vertices(VERTICES) };
    let (vertices, _) = vertex.run_vertices(&draw, &resources, &options, None).unwrap();
    let lists: Vec<_> = vertices.chunks(VERTICES as usize).map(<[_]>::to_vec).collect();
    let target = || Some(FeedbackTarget { bytes: vec![0; size], written: 0 });
    let mut state =
        TransformFeedback { buffers: [(); 4].map(|()| target()), ..TransformFeedback::default() };
    let last = geometry.unwrap_or(vertex);
    let stage = &last.metadata().stage;
    let declared = TransformFeedback::of(stage).expect("the shader captures outputs");
    match (geometry, stage) {
        (Some(geometry), StageMetadata::Geometry(metadata)) => {
            let primitives = lists.iter().flat_map(|list| (0..).zip(list));
            let primitives: Vec<_> = primitives
                .map(|(id, vertex)| Primitive { vertices: vec![vertex.clone()], id })
                .collect();
            let (outputs, _) =
                geometry.run_primitives(&primitives, &resources, &options, None).unwrap();
            for output in outputs {
                state.capture_emitted(declared, metadata.output, &output.invocations);
            }
        }
        _ => state.capture(declared, topology, &lists),
    }
    state
}

#[test]
fn captured_bytes_are_those_of_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let compile = |text: &str, stage: &str| {
        compile_source(&format!("t.{stage}"), Language::Glsl, text).expect("the shader compiles")
    };
    let cases = [
        (VERTEX, None, lavapipe::Topology::Points, Topology::Points),
        (VERTEX, None, lavapipe::Topology::Lines, Topology::Lines),
        (VERTEX, None, lavapipe::Topology::LinesAdjacency, Topology::LinesAdjacency),
        (VERTEX, None, lavapipe::Topology::Triangles, Topology::Triangles),
        (VERTEX, None, lavapipe::Topology::TrianglesAdjacency, Topology::TrianglesAdjacency),
        (POINTS, Some(STRIPS), lavapipe::Topology::Points, Topology::Points),
        (POINTS, Some(STREAMS), lavapipe::Topology::Points, Topology::Points),
    ];
    for (number, (vertex, geometry, judged, topology)) in cases.into_iter().enumerate() {
        let vertex = compile(vertex, "vert");
        let geometry = geometry.map(|text| compile(text, "geom"));
        let mut stages = vec![(VertexStage::Vertex, vertex.as_slice())];
        stages.extend(geometry.as_deref().map(|words| (VertexStage::Geometry, words)));
        let job = DrawJob {
            stages,
            attributes: Vec::new(),
            topology: judged,
            vertices: VERTICES,
            instances: INSTANCES,
            first_vertex: 0,
            first_instance: 0,
            push: Vec::new(),
            buffers: Vec::new(),
            addresses: Vec::new(),
            captures: Vec::new(),
            feedback: 3,
            draws: 1,
            views: 0,
        };
        let expected = lavapipe.draw(&job).unwrap_or_else(|error| panic!("case {number}: {error}"));
        assert!(expected.streams.iter().any(|stream| stream.len() > 100), "case {number}");
        for mode in MODES {
            let vertex = kernel(&vertex, mode);
            let geometry = geometry.as_ref().map(|words| kernel(words, mode));
            let found = capture(&vertex, geometry.as_ref(), topology, 1 << 16);
            for (buffer, expected) in expected.streams.iter().enumerate() {
                let target = found.buffers[buffer].as_ref().unwrap();
                let name = format!("case {number}, buffer {buffer}, {}", mode_name(mode));
                assert_eq!(target.written, expected.len(), "{name}");
                assert!(target.bytes[..target.written] == expected[..], "{name}");
            }
        }
    }
}

/// A buffer that ends early gets the primitives that fit into it, and the second draw call continues after the first one.
#[test]
fn counters_continue_and_full_buffers_end_the_capture() {
    let words = compile_source("t.vert", Language::Glsl, VERTEX).expect("the shader compiles");
    let vertex = kernel(&words, (crestline::Platform::Skl, Simd::Auto));
    let whole = capture(&vertex, None, Topology::Triangles, 1 << 16);
    // Room for three triangles in the first buffer.
    let part = capture(&vertex, None, Topology::Triangles, 3 * 3 * 32 + 5);
    let [whole, part] = [&whole, &part].map(|state| state.buffers[0].as_ref().unwrap());
    assert_eq!(part.written, 3 * 3 * 32);
    assert_eq!(part.bytes[..part.written], whole.bytes[..part.written]);
    assert_eq!(part.bytes[part.written..], [0; 5]);
}
