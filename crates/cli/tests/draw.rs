//! Tests `crestline exec` and `crestline run` for the stages of a draw call, with attributes as input and varyings as
//! output.

use crestline_isa::message::{Descriptor, Message, UrbLayout, UrbSwizzle};
use crestline_isa::{
    AccessMode, Dst, Extra, Gen, Inst, Opcode, Region, Send, Src, Swizzle, Type, WriteMask,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A scratch folder that goes away.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("crestline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a scratch folder");
        Scratch(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).expect("an input file");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn crestline(folder: &Path, words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crestline"))
        .args(words.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn align16(opcode: Opcode, register: u8, src: Src) -> Inst {
    let dst = Dst::grf(register, 0, Type::F, 1).with_writemask(WriteMask::XYZW);
    let mut inst = Inst::new(opcode).with_exec_size(8).with_dst(dst).with_srcs(&[src]);
    inst.access_mode = AccessMode::Align16;
    inst
}

/// Position is attribute 0, location 0 the same backwards. The header is zero.
fn shader() -> Vec<u8> {
    let attribute = |swizzle| Src::grf_align16(1, 0, Type::F, Swizzle(swizzle));
    let mut handles =
        align16(Opcode::Mov, 113, Src::grf_align16(0, 0, Type::F, Swizzle::XYZW)).with_no_mask();
    handles.dst.ty = Type::Ud;
    if let Src::Reg(source) = &mut handles.srcs[0] {
        source.ty = Type::Ud;
    }
    let scalar = Src::grf(0, 20, Type::Ud, Region::align1(0, 1, 0));
    let masks = Inst::new(Opcode::Or)
        .with_exec_size(1)
        .with_no_mask()
        .with_dst(Dst::grf(113, 20, Type::Ud, 1))
        .with_srcs(&[scalar, Src::imm_ud(0xff00)]);
    let message = Message::UrbWrite {
        layout: UrbLayout::Hword,
        offset: 0,
        swizzle: UrbSwizzle::Interleave,
        per_slot_offset: false,
        channel_mask: false,
        allocate: false,
        used: false,
        complete: true,
    };
    let descriptor = Descriptor {
        mlen: 5,
        ex_mlen: 0,
        rlen: 0,
        header_present: true,
        surface_offset: 0,
        message,
    };
    let (sfid, desc, ex_desc) = descriptor.encode(Gen::Gen75).expect("the message fits");
    let mut send = Send::imm(sfid, desc, ex_desc);
    send.eot = true;
    let mut write = align16(Opcode::Send, 0, Src::grf_align16(113, 0, Type::F, Swizzle::XYZW))
        .with_extra(Extra::Send(send));
    write.dst = Dst::null(Type::F).with_writemask(WriteMask::XYZW);
    let program = [
        align16(Opcode::Mov, 114, Src::imm_f(0.0)),
        align16(Opcode::Mov, 115, attribute([0, 1, 2, 3])),
        align16(Opcode::Mov, 116, attribute([3, 2, 1, 0])),
        align16(Opcode::Mov, 117, Src::imm_f(0.0)),
        handles,
        masks,
        write,
    ];
    crestline_isa::encode_program(&program, Gen::Gen75).expect("the program encodes")
}

const METADATA: &str = r#"{
  "version": 1, "platform": "hsw", "entry_point": "main", "simd_width": 8,
  "stage": {
    "kind": "vertex", "dispatch": "simd4x2", "first_input_register": 1,
    "inputs": [{ "kind": "attribute", "location": 0 }],
    "outputs": [
      { "kind": "header" }, { "kind": "position" },
      { "kind": "location", "location": 0 }, { "kind": "padding" }
    ],
    "entry_bytes": 64
  },
  "payload": {}, "binding_table": [], "samplers": []
}"#;

#[test]
fn a_vertex_shader_draws() {
    let scratch = Scratch::new("draw");
    scratch.write("code.bin", &shader());
    scratch.write("meta.json", METADATA.as_bytes());
    let floats = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    scratch.write("a.bin", &bytes);
    let output = crestline(
        &scratch.0,
        "exec code.bin --meta meta.json --target hsw --vertices 3 --attr 0=rg32f:a.bin \
         --print-varying position=f32 --print-varying location.0=f32:2 --out-varyings out.json",
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "position:\n     0: 1 2 0 1\n     1: 3 4 0 1\n     2: 5 6 0 1\n\
         location 0:\n     0: 1 0\n     1: 1 0\n     2: 1 0\n"
    );
    let text = std::fs::read_to_string(scratch.0.join("out.json")).expect("the output");
    let json: serde_json::Value = serde_json::from_str(&text).expect("the output is JSON");
    assert_eq!(json["vertices"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["vertices"][2]["position"][0], 5.0f32.to_bits());
    // A trace shows both threads, the second with one vertex.
    let output = crestline(
        &scratch.0,
        "exec code.bin --meta meta.json --target hsw --vertices 3 --attr 0=rg32f:a.bin --trace",
    );
    let trace = String::from_utf8_lossy(&output.stdout);
    assert!(trace.contains("0,0,0:0 0x0010 000000ff mov(8)"), "{trace}");
    assert!(trace.contains("1,0,0:0 0x0010 0000000f mov(8)"), "{trace}");
}

/// The example of `docs/command-line.md`.
#[test]
fn a_vertex_and_a_geometry_shader_are_compiled_and_draw() {
    let scratch = Scratch::new("spiral");
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let output = crestline(
        &scratch.0,
        &format!(
            "run {examples}/spiral.vert --target hsw --vertices 8 --out-varyings v.json \
             --print-varying location.0=f32:3"
        ),
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("location 0:\n     0: 1 0.5 0\n     1: 0.875 0.5 0.125\n"), "{text}");
    let output = crestline(
        &scratch.0,
        &format!(
            "run {examples}/spiral.geom --target hsw --in-varyings v.json --out-varyings g.json"
        ),
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = std::fs::read_to_string(scratch.0.join("g.json")).expect("the output");
    let json: serde_json::Value = serde_json::from_str(&text).expect("the output is JSON");
    assert_eq!(json["primitives"].as_array().map(Vec::len), Some(8));
    let mast = &json["primitives"][4]["invocations"][0];
    assert_eq!(mast[0]["values"]["position"][1], 0);
    assert_eq!(mast[1]["values"]["location 0"][2], 0.5f32.to_bits());
}

#[test]
fn a_vertex_shader_draws_the_same_at_each_width() {
    let scratch = Scratch::new("widths");
    let vertex = "#version 450
        layout(location = 0) out vec4 colour;
        void main() {
            int i = gl_VertexIndex;
            gl_Position = vec4(ivec2(i * 5 % 15 - 7, i * 11 % 13 - 6) / 8.0, 0.5, 1.0);
            gl_PointSize = 3.0 + float(i % 4);
            colour = vec4(i % 3, i % 5, i % 7, 8.0) / 8.0;
        }";
    let fragment = "#version 450
        layout(location = 0) in vec4 colour;
        layout(location = 0) out vec4 o;
        void main() { o = colour; }";
    scratch.write("v.vert", vertex.as_bytes());
    scratch.write("f.frag", fragment.as_bytes());
    for topology in ["points", "triangles"] {
        let pictures = ["hsw", "bdw", "skl"].map(|target| {
            let output = crestline(
                &scratch.0,
                &format!(
                    "draw --fragment f.frag --vertex v.vert --vertices 21 --topology {topology} \
                     --target {target} --size 32x32 --strict --attachment 0=rgba8 \
                     --out-attachment 0=a.bin"
                ),
            );
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{target}");
            std::fs::read(scratch.0.join("a.bin")).expect("an output")
        });
        let drawn = pictures[0].chunks(4).filter(|pixel| *pixel != [0; 4]).count();
        assert!(drawn > 100, "{drawn} pixels");
        assert!(pictures.iter().all(|picture| *picture == pictures[0]), "{topology}");
    }
}

/// A fragment shader whose only attachment gets the four components of location 0.
fn fragment_program(scratch: &Scratch) -> String {
    let components = ["g4", "g4.4", "g5", "g5.4"];
    let moves = components.iter().enumerate().map(|(i, setup)| {
        format!("pln(8) g{}<1>F {setup}<0,1,0>F g2<8,8,1>F {{ align1 1Q }};\n", 124 + i)
    });
    let end = "sendc(8) null<1>UW g124<0,1,0>UD 0x88031400\n    render MsgDesc: RT write SIMD8 \
               LastRT Surface = 0 mlen 4 rlen 0 { align1 1Q EOT };\n";
    scratch.write("f.asm", (moves.collect::<String>() + end).as_bytes());
    let output = crestline(&scratch.0, "asm f.asm --target skl -o f.hex");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let code = std::fs::read_to_string(scratch.0.join("f.hex")).expect("the code");
    let code: String = code.split_whitespace().collect();
    let metadata = r#"{
        "version": 2, "platform": "skl", "entry_point": "main",
        "dispatches": [{
            "simd_width": 8, "offset": 0, "kernel_start_slot": 0,
            "payload": { "setup": { "first": 4, "count": 2 }, "items": [] }
        }],
        "stage": {
            "kind": "fragment", "barycentrics": ["perspective_pixel"],
            "attributes": [{ "source": { "kind": "varying", "varying": { "kind": "location", "location": 0 } } }],
            "colour_outputs": [{ "target": 0, "components": 15, "ty": "float" }],
            "vector_mask": true
        },
        "binding_table": [{ "index": 0, "surface": { "kind": "render_target", "target": 0 } }],
        "samplers": []
    }"#;
    format!(r#"{{ "code": "{code}", "metadata": {metadata} }}"#)
}

/// A document of vertices: positions, and the values of location 0.
fn vertices(all: &[([f32; 4], [f32; 4])]) -> String {
    let vertex = |(position, colour): &([f32; 4], [f32; 4])| {
        let [position, colour] = [position, colour].map(|values| values.map(f32::to_bits));
        serde_json::json!({ "position": position, "location 0": colour })
    };
    serde_json::json!({ "vertices": all.iter().map(vertex).collect::<Vec<_>>() }).to_string()
}

#[test]
fn a_fragment_shader_draws() {
    let scratch = Scratch::new("picture");
    scratch.write("f.json", fragment_program(&scratch).as_bytes());
    // The upper left half of the picture, with alpha from 0 at the left to 1 at the right.
    let corners = [([-1.0, -1.0], 0.0), ([1.0, -1.0], 1.0), ([-1.0, 1.0], 0.0)];
    let corners = corners.map(|([x, y], a)| ([x, y, 0.25, 1.0], [1.0, 0.5, 0.0, a]));
    scratch.write("v.json", vertices(&corners).as_bytes());
    let output = crestline(
        &scratch.0,
        "draw --fragment f.json --in-varyings v.json --target skl --size 4x4 --strict \
         --attachment 0=rgba32f:clear=0,0,1,0.5 --depth d16 --depth-test less \
         --blend 0=src_alpha,one_minus_src_alpha,add,one,zero,add --write-mask 0=rga \
         --out-attachment 0=a.bin --out-attachment 0=a.png --out-depth d.bin",
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let floats = |name: &str| -> Vec<f32> {
        let bytes = std::fs::read(scratch.0.join(name)).expect("an output");
        bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
    };
    let colours = floats("a.bin");
    let pixel = |x: usize, y: usize| &colours[4 * (4 * y + x)..][..4];
    assert_eq!(pixel(0, 0), [0.125, 0.0625, 1.0, 0.125]);
    assert_eq!(pixel(2, 0), [0.625, 0.3125, 1.0, 0.625]);
    // Its centre is on the hypotenuse, which is no upper or left edge.
    assert_eq!(pixel(3, 0), [0.0, 0.0, 1.0, 0.5]);
    let depths = floats("d.bin");
    assert!((depths[0] - 0.25).abs() < 1e-4 && depths[15] == 1.0);
    let file = std::fs::File::open(scratch.0.join("a.png")).expect("a picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut pixels = vec![0; 64];
    reader.next_frame(&mut pixels).expect("the picture has pixels");
    assert_eq!(pixels[..4], [32, 16, 255, 32]);
}

#[test]
fn a_picture_has_the_averages_of_samples() {
    let scratch = Scratch::new("samples");
    scratch.write("f.json", fragment_program(&scratch).as_bytes());
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
    let corners = corners.map(|[x, y]| ([x, y, 0.25, 1.0], [1.0, 0.5, 0.0, 1.0]));
    scratch.write("v.json", vertices(&corners).as_bytes());
    let draw = |flags: &str| {
        let output = crestline(
            &scratch.0,
            &format!(
                "draw --fragment f.json --in-varyings v.json --target skl --size 4x4 --strict \
                 --attachment 0=r8 --out-attachment 0=a.bin --out-attachment 0=a.png {flags}"
            ),
        );
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let file = std::fs::File::open(scratch.0.join("a.png")).expect("a picture");
        let reader = png::Decoder::new(std::io::BufReader::new(file));
        let mut reader = reader.read_info().expect("a PNG");
        let mut pixels = vec![0; 64];
        reader.next_frame(&mut pixels).expect("the picture has pixels");
        (std::fs::read(scratch.0.join("a.bin")).expect("an output"), pixels)
    };
    let (texels, pixels) = draw("--samples 4");
    assert_eq!(texels.len(), 4 * 16);
    // The hypotenuse leaves two samples of the pixel at the upper right.
    assert_eq!(texels[8..16], [255, 255, 255, 255, 255, 0, 255, 0]);
    assert_eq!((pixels[0], pixels[4 * 3], pixels[4 * 15]), (255, 128, 0));
    let (texels, pixels) = draw("--samples 4 --sample-mask 0x3");
    assert_eq!(texels[8..16], [255, 255, 0, 0, 255, 0, 0, 0]);
    assert_eq!((pixels[0], pixels[4 * 3]), (128, 64));
}

#[test]
fn strips_of_a_geometry_shader_are_drawn() {
    let scratch = Scratch::new("strips");
    scratch.write("f.json", fragment_program(&scratch).as_bytes());
    let ones = [1.0f32.to_bits(); 4];
    let emitted = |x: f32, y: f32, cut: bool| {
        let position = [x, y, 0.0, 1.0].map(f32::to_bits);
        let values = serde_json::json!({ "position": position, "location 0": ones });
        serde_json::json!({ "values": values, "cut": cut, "stream": 0 })
    };
    let strip = |x: f32| {
        [
            emitted(x, -1.0, false),
            emitted(x + 0.5, -1.0, false),
            emitted(x, 1.0, false),
            emitted(x + 0.5, 1.0, true),
        ]
    };
    let all = [strip(-1.0), strip(0.5)].concat();
    let document = serde_json::json!({ "primitives": [{ "invocations": [all] }] });
    scratch.write("g.json", document.to_string().as_bytes());
    let output = crestline(
        &scratch.0,
        "draw --fragment f.json --in-varyings g.json --topology triangle_strip --target skl \
         --size 4x1 --attachment 0=r8 --out-attachment 0=a.bin",
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(std::fs::read(scratch.0.join("a.bin")).expect("an output"), [255, 0, 0, 255]);
}

/// A vertex and a fragment shader, for a draw call of `crestline draw`.
const TRIANGLE: [(&str, &str); 2] = [
    (
        "a.vert",
        "#version 450
        void main() {
            gl_Position = vec4(float(gl_VertexIndex & 1) * 4.0 - 1.0, float(gl_VertexIndex & 2) * 2.0 - 1.0, 0.0, 1.0);
        }",
    ),
    (
        "a.frag",
        "#version 450
        layout(location = 0) out vec4 colour;
        layout(std430, binding = 0) readonly buffer Colours { vec4 colours[]; };
        void main() { colour = colours[int(gl_FragCoord.x) & 1]; }",
    ),
];

/// The profile of a draw call counts both stages: each thread executes its first instruction once, and the picture is that of
/// the same call without a profile.
#[test]
fn a_draw_call_has_a_profile_of_each_stage() {
    let scratch = Scratch::new("draw-profile");
    for (name, text) in TRIANGLE {
        scratch.write(name, text.as_bytes());
    }
    for target in ["ivb", "hsw", "bdw", "skl"] {
        let command = format!(
            "draw --vertex a.vert --fragment a.frag --target {target} --vertices 3 --size 16x16 \
             --bind 0.0=zero:32 --attachment 0=rgba8"
        );
        for more in ["--out-attachment 0=plain", "--profile p.json --out-attachment 0=counted"] {
            let output = crestline(&scratch.0, &format!("{command} {more}"));
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let read = |name: &str| std::fs::read(scratch.0.join(name)).expect("was written");
        assert_eq!(read("plain"), read("counted"), "{target}");
        let profile: serde_json::Value = serde_json::from_slice(&read("p.json")).expect("JSON");
        let stages = profile["stages"].as_array().expect("a list");
        let names: Vec<_> = stages.iter().map(|stage| stage["stage"].as_str()).collect();
        assert_eq!(names, [Some("vertex"), Some("fragment")], "{target}");
        for stage in stages {
            let rows = stage["instructions"].as_array().expect("a list");
            assert!(stage["threads"].as_u64() > Some(0), "{target}");
            // Every thread ends with one message, so the executions of the last messages add up to the threads.
            let ends = rows
                .iter()
                .filter(|row| row["text"].as_str().is_some_and(|text| text.contains("EOT")));
            let ends: u64 = ends.filter_map(|row| row["executions"].as_u64()).sum();
            assert_eq!(Some(ends), stage["threads"].as_u64(), "{target} {}", stage["stage"]);
        }
        // A pixel loads 16 bytes.
        let rows = stages[1]["instructions"].as_array().expect("a list");
        let loaded: u64 = rows.iter().filter_map(|row| row["bytes"].as_u64()).sum();
        assert!(loaded >= 16 * 16 * 16, "{target}: {loaded} bytes");
    }
}
