//! Whole draw calls on the emulator: compiled vertex, geometry and fragment shaders, with the fixed functions between and
//! after them. The pictures must be those of lavapipe, whether the stages are compiled alone or together.

use crestline::{Input, Job, LinkOptions, Options, Simd, Stage, compile_spirv, link};
use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{
    Class, Draw, DrawState, Framebuffer, Kernel, Primitive, Report, SlotValues, Topology,
};
use crestline_filetests::corpus::compile_source;
use crestline_filetests::engine::bound_resources;
use crestline_filetests::stages::{MODES, Mode, mode_name};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::{Attachment, Lavapipe, RasterInput, RasterJob, RasterState};
use crestline_program::{GeometryOutput, Program, StageMetadata};

/// Width and height of the picture.
const SIZE: u32 = 32;
/// The colour of the attachment before the draw call.
const CLEAR: [f32; 4] = [0.5, 0.25, 2.0, 0.75];
/// The greatest difference of a component.
const TOLERANCE: f32 = 1e-5;

struct Case {
    name: &'static str,
    /// The name of the topology in Vulkan, and the number of vertices of a primitive.
    topology: (&'static str, usize),
    vertices: u32,
    clip_distances: u8,
    cull_distances: u8,
    vertex: &'static str,
    geometry: Option<&'static str>,
    fragment: &'static str,
}

/// Functions of the vertex shaders: a place and a number that depend on the vertex. All corners of primitives are at multiples
/// of 1/256 of a pixel, so that rounding does not move them.
const PLACES: &str = "
    vec2 place(int i) { return vec2((i * 5) % 15 - 7, (i * 11) % 13 - 6) / 8.0 + vec2(0.015625, 0.03125); }
    float number(int i) { return float((i * 7) % 10) * 0.125; }
";

const CASES: &[Case] = &[
    Case {
        name: "triangles",
        topology: ("triangles", 3),
        vertices: 39,
        clip_distances: 0,
        cull_distances: 0,
        vertex: "layout(push_constant) uniform Push { vec4 scale; };
            layout(location = 0) out vec4 a;
            layout(location = 1) out flat ivec2 b;
            void main() {
                gl_Position = vec4(place(gl_VertexIndex) * scale.xy, 0.5, 1.0);
                gl_Position *= float(1 << gl_VertexIndex % 3);
                a = vec4(number(gl_VertexIndex), place(gl_VertexIndex + 1), scale.w);
                b = ivec2(gl_VertexIndex, gl_InstanceIndex + 5);
            }",
        geometry: None,
        fragment: "layout(location = 0) in vec4 a;
            layout(location = 1) in flat ivec2 b;
            layout(location = 0) out vec4 o;
            void main() { o = vec4(a.xyz + vec3(b.x), a.w + float(b.y)); }",
    },
    Case {
        name: "points of several sizes",
        topology: ("points", 1),
        vertices: 21,
        clip_distances: 0,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 a;
            void main() {
                gl_Position = vec4(place(gl_VertexIndex) * 0.875, 0.5, 1.0);
                gl_PointSize = 1.0 + number(gl_VertexIndex) * 8.0;
                a = vec4(float(gl_VertexIndex));
            }",
        geometry: None,
        fragment: "layout(location = 0) in vec4 a;
            layout(location = 0) out vec4 o;
            void main() { o = vec4(a.xy, gl_PointCoord); }",
    },
    Case {
        name: "clip distances",
        topology: ("triangles", 3),
        vertices: 27,
        clip_distances: 0b11_1111,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 a;
            out float gl_ClipDistance[6];
            void main() {
                gl_Position = vec4(place(gl_VertexIndex), 0.5, 1.0);
                for (int i = 0; i < 6; ++i) gl_ClipDistance[i] = 1.0;
                gl_ClipDistance[1] = 0.55 - gl_Position.x;
                gl_ClipDistance[5] = gl_Position.y + 0.6;
                a = vec4(number(gl_VertexIndex), gl_Position.xy, 1.0);
            }",
        geometry: None,
        fragment: "layout(location = 0) in vec4 a;
            layout(location = 0) out vec4 o;
            void main() { o = a; }",
    },
    Case {
        name: "cull distances",
        topology: ("triangles", 3),
        vertices: 27,
        clip_distances: 0,
        cull_distances: 0b11,
        vertex: "layout(location = 0) out vec4 a;
            out float gl_CullDistance[2];
            void main() {
                gl_Position = vec4(place(gl_VertexIndex), 0.5, 1.0);
                gl_CullDistance[0] = float(gl_VertexIndex % 9 - 4);
                gl_CullDistance[1] = 20.5 - float(gl_VertexIndex);
                a = vec4(number(gl_VertexIndex), gl_Position.xy, 1.0);
            }",
        geometry: None,
        fragment: "layout(location = 0) in vec4 a;
            layout(location = 0) out vec4 o;
            void main() { o = a; }",
    },
    Case {
        name: "strips of several lengths",
        topology: ("points", 1),
        vertices: 19,
        clip_distances: 0,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 a;
            void main() {
                gl_Position = vec4(place(gl_VertexIndex) * 0.875, 0.5, 1.0);
                a = vec4(number(gl_VertexIndex), place(gl_VertexIndex), 1.0);
            }",
        geometry: Some(
            "layout(points) in;
            layout(triangle_strip, max_vertices = 12) out;
            layout(location = 0) in vec4 a[];
            layout(location = 0) out vec4 b;
            void main() {
                int count = 3 + gl_PrimitiveIDIn % 10;
                for (int i = 0; i < count; ++i) {
                    gl_Position = gl_in[0].gl_Position;
                    gl_Position.xy += vec2(i % 4, i / 2 + (i & 1) * 2) * 0.125;
                    b = a[0] + vec4(i);
                    EmitVertex();
                    if (i % 4 == 3) EndPrimitive();
                }
            }",
        ),
        fragment: "layout(location = 0) in vec4 b;
            layout(location = 0) out vec4 o;
            void main() { o = b; }",
    },
    Case {
        name: "several invocations",
        topology: ("triangles", 3),
        vertices: 15,
        clip_distances: 0b1,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 a;
            void main() {
                gl_Position = vec4(place(gl_VertexIndex) * 0.625, 0.5, 1.0);
                a = vec4(number(gl_VertexIndex), place(gl_VertexIndex), 1.0);
            }",
        geometry: Some(
            "layout(triangles, invocations = 11) in;
            layout(triangle_strip, max_vertices = 3) out;
            layout(location = 0) in vec4 a[];
            layout(location = 0) out vec4 b;
            out float gl_ClipDistance[1];
            void main() {
                float shift = float(gl_InvocationID - 5) * 0.125;
                for (int i = 0; i < 3; ++i) {
                    gl_Position = gl_in[(i + gl_InvocationID) % 3].gl_Position;
                    gl_Position.x += shift;
                    gl_ClipDistance[0] = 0.3 - gl_Position.y;
                    b = a[i] + float(gl_InvocationID);
                    EmitVertex();
                }
            }",
        ),
        fragment: "layout(location = 0) in vec4 b;
            layout(location = 0) out vec4 o;
            void main() { o = b; }",
    },
    Case {
        name: "points of a geometry shader",
        topology: ("triangles", 3),
        vertices: 30,
        clip_distances: 0,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 a;
            void main() {
                gl_Position = vec4(place(gl_VertexIndex) * 0.75, 0.5, 1.0);
                a = vec4(number(gl_VertexIndex), place(gl_VertexIndex), 1.0);
            }",
        geometry: Some(
            "layout(triangles) in;
            layout(points, max_vertices = 3) out;
            layout(location = 0) in vec4 a[];
            layout(location = 0) out vec4 b;
            void main() {
                for (int i = 0; i < 3; ++i) {
                    if (i == 1 && (gl_PrimitiveIDIn & 1) == 0) continue;
                    gl_Position = gl_in[i].gl_Position;
                    gl_PointSize = 2.0 + float(i) * 2.0;
                    b = a[2 - i];
                    EmitVertex();
                }
            }",
        ),
        fragment: "layout(location = 0) in vec4 b;
            layout(location = 0) out vec4 o;
            void main() { o = vec4(b.xy, gl_PointCoord); }",
    },
    Case {
        name: "lines of a geometry shader",
        topology: ("points", 1),
        vertices: 25,
        clip_distances: 0,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 a;
            void main() {
                gl_Position = vec4(place(gl_VertexIndex) * 0.75, 0.5, 1.0);
                a = vec4(number(gl_VertexIndex), place(gl_VertexIndex), 1.0);
            }",
        geometry: Some(
            "layout(points) in;
            layout(line_strip, max_vertices = 9) out;
            layout(location = 0) in vec4 a[];
            layout(location = 0) out flat vec4 b;
            void main() {
                for (int i = 0; i < 1 + gl_PrimitiveIDIn % 9; ++i) {
                    gl_Position = gl_in[0].gl_Position + vec4(i & 2, i / 2, 0.0, 0.0) * 0.25;
                    b = a[0] + vec4(i);
                    EmitVertex();
                    if (i == 5) EndPrimitive();
                }
            }",
        ),
        fragment: "layout(location = 0) in flat vec4 b;
            layout(location = 0) out vec4 o;
            void main() { o = b; }",
    },
    Case {
        name: "varyings that linking changes",
        topology: ("triangles", 3),
        vertices: 39,
        clip_distances: 0,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 unread;
            layout(location = 1) out vec3 a;
            layout(location = 2) out flat ivec3 b;
            layout(location = 3) out float c;
            layout(location = 4) out flat int constants[3];
            layout(location = 7) out noperspective vec2 d;
            layout(location = 8) out flat dvec2 e;
            layout(location = 9) out mat3 m;
            layout(location = 12) out vec2 half_written;
            layout(location = 13) out flat float rows[4];
            layout(location = 17) out vec4 one;
            void main() {
                gl_Position = vec4(place(gl_VertexIndex), 0.5, 1.0);
                unread = gl_Position * 3.0;
                a = vec3(number(gl_VertexIndex), place(gl_VertexIndex + 1));
                b = ivec3(gl_VertexIndex, 7, gl_VertexIndex * 3);
                c = number(gl_VertexIndex + 3);
                constants = int[](4, 5, 6);
                d = place(gl_VertexIndex + 2);
                e = dvec2(number(gl_VertexIndex), 2.0);
                m = mat3(1.0) * number(gl_VertexIndex);
                m[1] = vec3(a.x, 0.25, c);
                half_written.y = a.y;
                for (int i = 0; i < 4; ++i) rows[i] = float(i + (gl_VertexIndex & 1));
                one = vec4(1.0, a.z, 1.0, 0.5);
            }",
        geometry: None,
        fragment: "layout(location = 1) in vec3 a;
            layout(location = 2) in flat ivec3 b;
            layout(location = 3) in float c;
            layout(location = 4) in flat int constants[3];
            layout(location = 7) in noperspective vec2 d;
            layout(location = 8) in flat dvec2 e;
            layout(location = 9) in mat3 m;
            layout(location = 12) in vec2 half_written;
            layout(location = 13) in flat float rows[4];
            layout(location = 17) in vec4 one;
            layout(location = 0) out vec4 o;
            void main() {
                int i = int(gl_FragCoord.x) & 3;
                o = vec4(a.xz + m[1].xy, float(b.x + b.y), c + d.x);
                o += vec4(rows[i], float(constants[i % 3]), float(e.x * e.y), half_written.y);
                o += one.zyxw * vec4(m[0].x, m[2].z, d.y, 1.0);
            }",
    },
    Case {
        name: "varyings through a geometry shader",
        topology: ("points", 1),
        vertices: 21,
        clip_distances: 0b1,
        cull_distances: 0,
        vertex: "layout(location = 0) out vec4 unread;
            layout(location = 1) out vec2 size;
            layout(location = 2) out Block { vec3 a; float b; vec4 c[2]; } block;
            layout(location = 6) out int number_of;
            out float gl_ClipDistance[2];
            void main() {
                gl_Position = vec4(place(gl_VertexIndex) * 0.875, 0.5, 1.0);
                gl_ClipDistance[0] = 1.0;
                gl_ClipDistance[1] = 2.0;
                gl_PointSize = 4.0;
                unread = gl_Position;
                size = vec2(0.25, 0.375);
                block.a = vec3(number(gl_VertexIndex), 1.0, 2.0);
                block.b = number(gl_VertexIndex + 1);
                block.c[0] = vec4(place(gl_VertexIndex), 0.0, 1.0);
                block.c[1] = vec4(1.0, place(gl_VertexIndex + 3), 1.0);
                number_of = gl_VertexIndex;
            }",
        geometry: Some(
            "layout(points) in;
            layout(triangle_strip, max_vertices = 4) out;
            layout(location = 1) in vec2 size[];
            layout(location = 2) in Block { vec3 a; float b; vec4 c[2]; } block[];
            layout(location = 6) in int number_of[];
            layout(location = 0) out vec2 uv;
            layout(location = 1) out vec4 colours[2];
            layout(location = 3) out flat int number_out;
            layout(location = 4) out flat int which;
            layout(location = 5) out vec3 unread;
            out float gl_ClipDistance[1];
            void main() {
                for (int i = 0; i < 4; ++i) {
                    vec2 corner = vec2(i & 1, i >> 1);
                    gl_Position = gl_in[0].gl_Position + vec4(corner * size[0], 0.0, 0.0);
                    gl_ClipDistance[0] = 0.7 - gl_Position.x * gl_in[0].gl_ClipDistance[0];
                    gl_Layer = 0;
                    gl_PrimitiveID = gl_PrimitiveIDIn + 3;
                    uv = corner;
                    colours[0] = block[0].c[i >> 1];
                    colours[1] = vec4(block[0].a, block[0].b);
                    number_out = number_of[0];
                    which = 2;
                    unread = colours[0].xyz;
                    EmitVertex();
                }
            }",
        ),
        fragment: "layout(location = 0) in vec2 uv;
            layout(location = 1) in vec4 colours[2];
            layout(location = 3) in flat int number_out;
            layout(location = 4) in flat int which;
            layout(location = 0) out vec4 o;
            void main() {
                vec4 part = which == 2 ? colours[1] : colours[0];
                o = vec4(uv, float(number_out), float(gl_PrimitiveID)) + part.wzyx + colours[0].xxyw;
            }",
    },
];

/// The modules of a case: vertex, geometry and fragment shader.
struct Modules {
    vertex: Vec<u32>,
    geometry: Option<Vec<u32>>,
    fragment: Vec<u32>,
}

impl Modules {
    fn new(case: &Case) -> Modules {
        let compile = |name: &str, functions: &str, body: &str| {
            let source = format!("#version 450\n{functions}{body}\n");
            compile_source(name, Language::Glsl, &source)
                .unwrap_or_else(|error| panic!("{}: {error}", case.name))
        };
        Modules {
            vertex: compile("t.vert", PLACES, case.vertex),
            geometry: case.geometry.map(|body| compile("t.geom", "", body)),
            fragment: compile("t.frag", "", case.fragment),
        }
    }
}

fn push_constants() -> Vec<u8> {
    [0.875f32, 0.75, 0.5, 3.0].iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The stages of a case as the emulator runs them.
struct Kernels {
    vertex: Kernel,
    geometry: Option<Kernel>,
    fragment: Kernel,
}

/// Options for a module of a case.
fn options((platform, simd): Mode) -> Options {
    Options { verify: true, ..Options::new(platform).with_simd(simd) }
}

impl Kernels {
    /// Compiles each stage alone.
    fn separate(modules: &Modules, mode: Mode) -> Result<Kernels, String> {
        let load = |words: &[u32], mode: Mode| {
            let program =
                compile_spirv(words, &options(mode)).map_err(|error| error.to_string())?;
            kernel(program, mode)
        };
        Ok(Kernels {
            vertex: load(&modules.vertex, mode)?,
            geometry: modules.geometry.as_ref().map(|words| load(words, mode)).transpose()?,
            fragment: load(&modules.fragment, (mode.0, Simd::Auto))?,
        })
    }

    /// Compiles the stages together.
    fn linked(modules: &Modules, mode: Mode) -> Result<Kernels, String> {
        let linked = link_case(modules, mode, &LinkOptions::default())?;
        let mut kernels = linked.stages.into_iter().map(|of| (of.stage, kernel(of.program, mode)));
        let mut take = |wanted: Stage| {
            let next = kernels.next().filter(|(stage, _)| *stage == wanted);
            next.map_or_else(|| Err(format!("no {wanted:?} shader")), |(_, kernel)| kernel)
        };
        let vertex = take(Stage::Vertex)?;
        let geometry = modules.geometry.is_some().then(|| take(Stage::Geometry)).transpose()?;
        Ok(Kernels { vertex, geometry, fragment: take(Stage::Fragment)? })
    }
}

/// Compiles the stages of a case together.
fn link_case(modules: &Modules, mode: Mode, of: &LinkOptions) -> Result<crestline::Linked, String> {
    let job = |words, mode| Job { input: Input::Spirv(words), options: options(mode) };
    let mut jobs = vec![job(&modules.vertex, mode)];
    jobs.extend(modules.geometry.iter().map(|words| job(words, mode)));
    jobs.push(job(&modules.fragment, (mode.0, Simd::Auto)));
    link(&jobs, of).map_err(|error| error.to_string())
}

fn kernel(program: Program, (platform, _): Mode) -> Result<Kernel, String> {
    Kernel::load(&program.code, program.metadata, &Device::new(platform))
        .map_err(|error| error.to_string())
}

/// Treats every diagnostic as an error, except those about undefined components of slots.
fn clean(report: &Report) -> Result<(), String> {
    let harmful = |class: Class| class != Class::UninitializedRead;
    match report.diagnostics.iter().find(|found| harmful(found.problem.class())) {
        Some(found) => Err(found.to_string()),
        None => Ok(()),
    }
}

/// The strips of a geometry shader's output, and the topology of these.
fn strips(
    kernel: &Kernel,
    primitives: &[Primitive],
) -> Result<(Vec<Vec<SlotValues>>, Topology), String> {
    let StageMetadata::Geometry(metadata) = &kernel.metadata().stage else {
        return Err("not a geometry shader".to_owned());
    };
    let topology = match metadata.output {
        GeometryOutput::Points => Topology::Points,
        GeometryOutput::LineStrip => Topology::LineStrip,
        GeometryOutput::TriangleStrip => Topology::TriangleStrip,
    };
    let resources = bound_resources(&[], &push_constants(), None)?;
    let (outputs, report) = kernel
        .run_primitives(primitives, &resources, &crestline_emu::Options::default(), None)
        .map_err(|error| format!("geometry: {error}"))?;
    clean(&report)?;
    let mut strips = Vec::new();
    for invocation in outputs.into_iter().flat_map(|output| output.invocations) {
        let mut strip = Vec::new();
        for vertex in invocation {
            strip.push(vertex.values);
            if vertex.cut {
                strips.push(std::mem::take(&mut strip));
            }
        }
        strips.push(strip);
    }
    Ok((strips, topology))
}

/// Draws with compiled code. Returns the attachment.
fn draw(case: &Case, kernels: &Kernels) -> Result<Vec<u8>, String> {
    let resources = bound_resources(&[], &push_constants(), None)?;
    let options = crestline_emu::Options::default();
    let (vertices, report) = kernels
        .vertex
        .run_vertices(&Draw::vertices(case.vertices), &resources, &options, None)
        .map_err(|error| format!("vertex: {error}"))?;
    clean(&report)?;
    let topology = match case.topology.0 {
        "points" => Topology::Points,
        _ => Topology::Triangles,
    };
    let (strips, topology) = match &kernels.geometry {
        None => (vec![vertices], topology),
        Some(kernel) => {
            let primitives: Vec<_> = (0..)
                .zip(vertices.chunks(case.topology.1))
                .map(|(id, vertices)| Primitive { vertices: vertices.to_vec(), id })
                .collect();
            strips(kernel, &primitives)?
        }
    };
    let state = DrawState {
        topology,
        clip_distances: case.clip_distances,
        cull_distances: case.cull_distances,
        ..DrawState::new([SIZE; 2])
    };
    let mut framebuffer = Framebuffer::new([SIZE; 2]).map_err(|error| error.to_string())?;
    framebuffer
        .clear_colour(0, SurfaceFormat::R32G32B32A32_FLOAT, CLEAR.map(f32::to_bits))
        .map_err(|error| error.to_string())?;
    let report = kernels
        .fragment
        .draw(&state, &strips, &mut framebuffer, &resources, &options, None)
        .map_err(|error| format!("fragment: {error}"))?;
    clean(&report)?;
    Ok(framebuffer.colour(0).map_or(Vec::new(), |colour| colour.1.to_vec()))
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// The first component that differs.
fn difference(found: &[f32], expected: &[f32]) -> Option<String> {
    let differs = |at: &usize| {
        let (found, expected) = (found[*at], expected[*at]);
        (found - expected).abs() > TOLERANCE * expected.abs().max(1.0)
    };
    let count = (0..found.len()).filter(differs).count();
    let at = (0..found.len()).find(differs)?;
    let [x, y] = [at / 4 % SIZE as usize, at / 4 / SIZE as usize];
    let (component, found, expected) = (at % 4, found[at], expected[at]);
    Some(format!(
        "component {component} of pixel ({x}, {y}) is {found}, expected {expected}; {count} differ"
    ))
}

#[test]
fn pictures_are_those_of_lavapipe() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut failures = Vec::new();
    let texel: Vec<u8> = CLEAR.iter().flat_map(|value| value.to_le_bytes()).collect();
    let contents = texel.repeat((SIZE * SIZE) as usize);
    for case in CASES {
        let modules = Modules::new(case);
        let job = RasterJob {
            views: 0,
            vertex: &modules.vertex,
            fragment: &modules.fragment,
            vertices: case.vertices,
            size: [SIZE; 2],
            push: push_constants(),
            buffers: Vec::new(),
            attachments: vec![Attachment {
                format: "rgba32f",
                contents: contents.clone(),
                written: true,
            }],
            samples: 1,
        };
        let state = RasterState { topology: case.topology.0, ..RasterState::default() };
        let input = RasterInput { geometry: modules.geometry.as_deref(), ..RasterInput::default() };
        let expected = lavapipe
            .rasterize_through(&job, &input, &state)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let drawn = expected.attachments[0].chunks(16).filter(|pixel| *pixel != texel).count();
        assert!(drawn > 100, "{}: {drawn} pixels", case.name);
        for mode in MODES {
            let compiled = [
                ("alone", Kernels::separate(&modules, mode)),
                ("linked", Kernels::linked(&modules, mode)),
            ];
            for (how, kernels) in compiled {
                let found = kernels.and_then(|kernels| draw(case, &kernels));
                let wrong = match &found {
                    Ok(found) => difference(&floats(found), &floats(&expected.attachments[0])),
                    Err(error) => Some(error.clone()),
                };
                let name = format!("{} on {}, {how}", case.name, mode_name(mode));
                failures.extend(wrong.map(|wrong| format!("{name}: {wrong}")));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
