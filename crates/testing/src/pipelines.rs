//! Scripts with small pipelines whose numbers are hostile: indices beyond buffers, attachments of the wrong size, huge counts,
//! strange states, endless repeats.

use std::fmt::Write;

/// A vertex shader with a position, and a colour from a storage buffer at the number of the vertex.
const VERTEX: &str = "\
OpCapability Shader
%1 = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %4 \"main\" %13 %17 %28 %34
OpMemberDecorate %11 0 BuiltIn Position
OpMemberDecorate %11 1 BuiltIn PointSize
OpMemberDecorate %11 2 BuiltIn ClipDistance
OpMemberDecorate %11 3 BuiltIn CullDistance
OpDecorate %11 Block
OpDecorate %17 Location 0
OpDecorate %28 Location 0
OpDecorate %29 ArrayStride 16
OpMemberDecorate %30 0 NonWritable
OpMemberDecorate %30 0 Offset 0
OpDecorate %30 BufferBlock
OpDecorate %32 DescriptorSet 0
OpDecorate %32 Binding 0
OpDecorate %34 BuiltIn VertexIndex
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%6 = OpTypeFloat 32
%7 = OpTypeVector %6 4
%8 = OpTypeInt 32 0
%9 = OpConstant %8 1
%10 = OpTypeArray %6 %9
%11 = OpTypeStruct %7 %6 %10 %10
%12 = OpTypePointer Output %11
%13 = OpVariable %12 Output
%14 = OpTypeInt 32 1
%15 = OpConstant %14 0
%16 = OpTypePointer Input %7
%17 = OpVariable %16 Input
%19 = OpTypePointer Output %7
%21 = OpConstant %14 1
%22 = OpConstant %8 3
%23 = OpTypePointer Input %6
%26 = OpTypePointer Output %6
%28 = OpVariable %19 Output
%29 = OpTypeRuntimeArray %7
%30 = OpTypeStruct %29
%31 = OpTypePointer Uniform %30
%32 = OpVariable %31 Uniform
%33 = OpTypePointer Input %14
%34 = OpVariable %33 Input
%36 = OpTypePointer Uniform %7
%4 = OpFunction %2 None %3
%5 = OpLabel
%18 = OpLoad %7 %17
%20 = OpAccessChain %19 %13 %15
OpStore %20 %18
%24 = OpAccessChain %23 %17 %22
%25 = OpLoad %6 %24
%27 = OpAccessChain %26 %13 %21
OpStore %27 %25
%35 = OpLoad %14 %34
%37 = OpAccessChain %36 %32 %15 %35
%38 = OpLoad %7 %37
OpStore %28 %38
OpReturn
OpFunctionEnd
";

/// A fragment shader that also stores to a buffer at the pixel's column.
const FRAGMENT: &str = "\
OpCapability Shader
%1 = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %4 \"main\" %16 %26 %27
OpExecutionMode %4 OriginUpperLeft
OpDecorate %7 ArrayStride 4
OpMemberDecorate %8 0 Offset 0
OpDecorate %8 BufferBlock
OpDecorate %10 DescriptorSet 0
OpDecorate %10 Binding 1
OpDecorate %16 BuiltIn FragCoord
OpDecorate %26 Location 0
OpDecorate %27 Location 0
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%6 = OpTypeInt 32 0
%7 = OpTypeRuntimeArray %6
%8 = OpTypeStruct %7
%9 = OpTypePointer Uniform %8
%10 = OpVariable %9 Uniform
%11 = OpTypeInt 32 1
%12 = OpConstant %11 0
%13 = OpTypeFloat 32
%14 = OpTypeVector %13 4
%15 = OpTypePointer Input %14
%16 = OpVariable %15 Input
%17 = OpConstant %6 0
%18 = OpTypePointer Input %13
%22 = OpConstant %6 1
%23 = OpTypePointer Uniform %6
%25 = OpTypePointer Output %14
%26 = OpVariable %25 Output
%27 = OpVariable %15 Input
%4 = OpFunction %2 None %3
%5 = OpLabel
%19 = OpAccessChain %18 %16 %17
%20 = OpLoad %13 %19
%21 = OpConvertFToU %6 %20
%24 = OpAccessChain %23 %10 %12 %21
OpStore %24 %22
%28 = OpLoad %14 %27
OpStore %26 %28
OpReturn
OpFunctionEnd
";

/// A compute shader with a loop whose count is in a buffer, and which stores far apart.
const COMPUTE: &str = "\
OpCapability Shader
%1 = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %4 \"main\" %11
OpExecutionMode %4 LocalSize 1 1 1
OpDecorate %11 BuiltIn GlobalInvocationId
OpDecorate %23 ArrayStride 4
OpMemberDecorate %24 0 Offset 0
OpDecorate %24 BufferBlock
OpDecorate %26 DescriptorSet 0
OpDecorate %26 Binding 0
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%6 = OpTypeInt 32 0
%7 = OpTypePointer Function %6
%9 = OpTypeVector %6 3
%10 = OpTypePointer Input %9
%11 = OpVariable %10 Input
%12 = OpConstant %6 0
%13 = OpTypePointer Input %6
%23 = OpTypeRuntimeArray %6
%24 = OpTypeStruct %23
%25 = OpTypePointer Uniform %24
%26 = OpVariable %25 Uniform
%27 = OpTypeInt 32 1
%28 = OpConstant %27 0
%29 = OpTypePointer Uniform %6
%32 = OpTypeBool
%35 = OpConstant %6 64
%39 = OpConstant %6 1
%45 = OpConstant %27 1
%4 = OpFunction %2 None %3
%5 = OpLabel
%8 = OpVariable %7 Function
%16 = OpVariable %7 Function
%14 = OpAccessChain %13 %11 %12
%15 = OpLoad %6 %14
OpStore %8 %15
OpStore %16 %12
OpBranch %17
%17 = OpLabel
OpLoopMerge %19 %20 None
OpBranch %21
%21 = OpLabel
%22 = OpLoad %6 %16
%30 = OpAccessChain %29 %26 %28 %28
%31 = OpLoad %6 %30
%33 = OpULessThan %32 %22 %31
OpBranchConditional %33 %18 %19
%18 = OpLabel
%34 = OpLoad %6 %8
%36 = OpIMul %6 %34 %35
%37 = OpLoad %6 %16
%38 = OpIAdd %6 %36 %37
%40 = OpAccessChain %29 %26 %28 %38
%41 = OpLoad %6 %40
%42 = OpIAdd %6 %41 %39
%43 = OpAccessChain %29 %26 %28 %38
OpStore %43 %42
OpBranch %20
%20 = OpLabel
%44 = OpLoad %6 %16
%46 = OpIAdd %6 %44 %45
OpStore %16 %46
OpBranch %17
%19 = OpLabel
OpReturn
OpFunctionEnd
";

/// Numbers as they are written in scripts: small ones, limits, and ones beyond them.
const COUNTS: &[&str] =
    &["0", "1", "3", "4", "7", "64", "65535", "1048576", "1048577", "4294967295"];
/// Widths and heights.
const SIDES: &[&str] = &["1", "2", "7", "16", "33", "250", "16384", "16385", "0"];
/// Numbers of viewports and other floats.
const FLOATS: &[&str] = &["0", "1", "-1", "0.5", "16", "1e9", "-1e30", "3.4e38", "1e-40"];
const FORMATS: &[&str] = &[
    "R8G8B8A8_UNORM",
    "R32G32B32A32_SFLOAT",
    "R8_UINT",
    "B10G11R11_UFLOAT_PACK32",
    "R16G16_SNORM",
    "D32_SFLOAT",
    "R64_SFLOAT",
];
const VERTEX_FORMATS: &[&str] = &[
    "R32G32B32A32_SFLOAT",
    "R8G8B8A8_SNORM",
    "R16G16B16A16_SFLOAT",
    "R64G64B64A64_SFLOAT",
    "R32_UINT",
    "A2B10G10R10_SSCALED_PACK32",
];
const DEPTHS: &[&str] =
    &["D32_SFLOAT_S8_UINT", "D16_UNORM", "R8_UNORM", "S8_UINT", "D24_UNORM_S8_UINT"];
const TOPOLOGIES: &[&str] = &[
    "POINT_LIST",
    "LINE_LIST",
    "LINE_STRIP",
    "LINE_STRIP_WITH_ADJACENCY",
    "TRIANGLE_LIST",
    "TRIANGLE_STRIP",
    "TRIANGLE_STRIP_WITH_ADJACENCY",
    "TRIANGLE_LIST_WITH_ADJACENCY",
    "TRIANGLE_FAN",
    "PATCH_LIST",
];

/// Choices from bytes; 0 after the last one.
struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl Choices<'_> {
    fn number(&mut self, count: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % count
    }

    fn of<'s>(&mut self, list: &[&'s str]) -> &'s str {
        list[self.number(list.len())]
    }

    /// An element near the start of a list, most of the time.
    fn usual<'s>(&mut self, list: &[&'s str]) -> &'s str {
        let byte = self.number(256);
        list[if byte < 192 { byte % list.len().min(4) } else { byte % list.len() }]
    }

    fn is_chosen(&mut self) -> bool {
        self.number(2) == 1
    }
}

/// The script that the bytes choose. It is read without an error more often than not.
pub fn script(bytes: &[u8]) -> String {
    let mut choose = Choices { bytes: bytes.iter() };
    let c = &mut choose;
    let mut text = String::from("#!amber\n");
    for (stage, shader) in [("vertex", VERTEX), ("fragment", FRAGMENT), ("compute", COMPUTE)] {
        let _ = write!(text, "SHADER {stage} {stage}_shader SPIRV-ASM\n{shader}END\n");
    }
    let samples = ["1", "1", "4", "8"][c.number(4)];
    let _ = write!(text, "IMAGE target FORMAT {} SAMPLES {samples}", c.usual(FORMATS));
    let _ = writeln!(text, " DIM_2D WIDTH {} HEIGHT {}", c.usual(SIDES), c.usual(SIDES));
    let _ = writeln!(text, "BUFFER tested FORMAT {} SAMPLES {samples}", c.usual(DEPTHS));
    let _ = writeln!(
        text,
        "BUFFER places DATA_TYPE float SIZE {} SERIES_FROM {} INC_BY {}",
        c.of(&["1", "16", "64"]),
        c.of(FLOATS),
        c.of(FLOATS)
    );
    let (kind, most) =
        [("uint8", "255"), ("uint16", "65535"), ("uint32", "4294967295")][c.number(3)];
    let _ = writeln!(
        text,
        "BUFFER numbers DATA_TYPE {kind} DATA 0 1 2 {most} 3 {} 2 1 END",
        c.of(&["0", "200", "255"])
    );
    let _ = writeln!(
        text,
        "BUFFER data DATA_TYPE uint32 SIZE {} FILL {}",
        c.of(&["1", "16", "1000"]),
        c.usual(COUNTS)
    );
    text.push_str("PIPELINE compute grid\nATTACH compute_shader\n");
    text.push_str("BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n");
    text.push_str("PIPELINE graphics scene\nATTACH vertex_shader\nATTACH fragment_shader\n");
    let _ = writeln!(text, "FRAMEBUFFER_SIZE {} {}", c.usual(SIDES), c.usual(SIDES));
    if c.is_chosen() {
        let _ = writeln!(
            text,
            "VIEWPORT {} {} SIZE {} {} MIN_DEPTH {} MAX_DEPTH {}",
            c.of(FLOATS),
            c.of(FLOATS),
            c.of(FLOATS),
            c.of(FLOATS),
            c.of(FLOATS),
            c.of(FLOATS)
        );
    }
    let _ = writeln!(text, "POLYGON_MODE {}", c.of(&["fill", "line", "point"]));
    let _ = writeln!(text, "PATCH_CONTROL_POINTS {}", c.of(&["1", "3", "32"]));
    let _ = writeln!(
        text,
        "BIND BUFFER target AS color LOCATION {}",
        c.of(&["0", "0", "0", "3", "31"])
    );
    if c.is_chosen() {
        text.push_str("BIND BUFFER tested AS depth_stencil\n");
    }
    if c.is_chosen() {
        let _ = writeln!(
            text,
            "DEPTH\nTEST on\nWRITE on\nCOMPARE_OP {}\nBIAS constant {} clamp {} slope {}\nEND",
            c.of(&["less", "always", "equal"]),
            c.of(FLOATS),
            c.of(FLOATS),
            c.of(FLOATS)
        );
    }
    if c.is_chosen() {
        let _ = writeln!(
            text,
            "STENCIL front_and_back\nTEST on\nPASS_OP {}\nREFERENCE 7\nEND",
            c.of(&["replace", "increment_and_wrap", "invert"])
        );
    }
    if c.is_chosen() {
        let _ = writeln!(
            text,
            "BLEND\nSRC_COLOR_FACTOR {}\nCOLOR_OP {}\nEND",
            c.of(&["src_alpha", "constant_color", "src1_color"]),
            c.of(&["add", "max", "min"])
        );
    }
    let _ = writeln!(
        text,
        "VERTEX_DATA places LOCATION 0 RATE {} FORMAT {} OFFSET {} STRIDE {}",
        c.of(&["vertex", "instance"]),
        c.of(VERTEX_FORMATS),
        c.usual(COUNTS),
        c.usual(COUNTS)
    );
    text.push_str("INDEX_DATA numbers\n");
    for (binding, buffer) in [(0, "data"), (1, "places")] {
        let _ = write!(text, "BIND BUFFER {buffer} AS storage DESCRIPTOR_SET 0 BINDING {binding}");
        if c.number(4) == 0 {
            let _ = write!(
                text,
                " DESCRIPTOR_OFFSET {} DESCRIPTOR_RANGE {}",
                c.of(COUNTS),
                c.of(COUNTS)
            );
        }
        text.push('\n');
    }
    text.push_str("END\n");
    let repeat = c.usual(&["1", "2", "7", "1000", "1048576", "4294967295"]);
    let _ = writeln!(text, "REPEAT {repeat}\nCLEAR scene");
    for _ in 0..c.number(4) {
        match c.number(4) {
            0 => {
                let _ = writeln!(
                    text,
                    "RUN grid {} {} {}",
                    c.usual(COUNTS),
                    c.usual(COUNTS),
                    c.usual(COUNTS)
                );
            }
            1 => {
                let _ = writeln!(
                    text,
                    "RUN scene DRAW_RECT POS {} {} SIZE {} {}",
                    c.of(FLOATS),
                    c.of(FLOATS),
                    c.of(FLOATS),
                    c.of(FLOATS)
                );
            }
            kind => {
                let indexed = if kind == 2 { " INDEXED" } else { "" };
                let _ = writeln!(
                    text,
                    "RUN scene DRAW_ARRAY AS {}{indexed} START_IDX {} COUNT {} START_INSTANCE {} INSTANCE_COUNT {}",
                    c.of(TOPOLOGIES),
                    c.usual(COUNTS),
                    c.usual(COUNTS),
                    c.usual(COUNTS),
                    c.usual(COUNTS)
                );
            }
        }
    }
    text.push_str("END\n");
    text
}
