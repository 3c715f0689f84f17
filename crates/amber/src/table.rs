//! The table of commands, from which `docs/amber.md` is generated.

/// How far Crestline supports a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It runs.
    Full,
    /// It runs, except for what the text says.
    Except(&'static str),
    /// The script fails with E1203 and this text.
    Error(&'static str),
    /// The script is skipped.
    Skip,
}

/// Where a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Outside of all blocks.
    Script,
    /// In a pipeline.
    Pipeline,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The form of the command.
    pub form: &'static str,
    /// Where it stands.
    pub level: Level,
    /// An example, which a test reads.
    pub example: &'static str,
    /// How far it is supported.
    pub support: Support,
}

const fn row(form: &'static str, level: Level, example: &'static str, support: Support) -> Row {
    Row { form, level, example, support }
}

use Level::{Pipeline, Script};
use Support::{Error, Except, Full, Skip};

const KERNEL: &str = "arguments of OpenCL kernels";

/// The commands of AmberScript.
pub const COMMANDS: &[Row] = &[
    row(
        "DEVICE_FEATURE NAME",
        Script,
        "DEVICE_FEATURE sampleRateShading",
        Except("see the lists of features"),
    ),
    row(
        "DEVICE_EXTENSION NAME, INSTANCE_EXTENSION NAME",
        Script,
        "DEVICE_EXTENSION VK_KHR_storage_buffer_storage_class",
        Except("see the lists of features"),
    ),
    row(
        "SET ENGINE_DATA fence_timeout_ms N",
        Script,
        "SET ENGINE_DATA fence_timeout_ms 1000",
        Full,
    ),
    row("VIRTUAL_FILE PATH ... END", Script, "VIRTUAL_FILE a/b.h\nint x;\nEND", Full),
    row("SHADER vertex NAME PASSTHROUGH", Script, "SHADER vertex v PASSTHROUGH", Full),
    row(
        "SHADER STAGE NAME GLSL ... END",
        Script,
        "SHADER compute c2 GLSL\nvoid main() {}\nEND",
        Full,
    ),
    row(
        "SHADER STAGE NAME HLSL ... END",
        Script,
        "SHADER compute c2 HLSL\nvoid main() {}\nEND",
        Full,
    ),
    row(
        "SHADER STAGE NAME SPIRV-ASM ... END",
        Script,
        "SHADER multi c2 SPIRV-ASM TARGET_ENV spv1.3\nEND",
        Full,
    ),
    row(
        "SHADER STAGE NAME SPIRV-HEX ... END",
        Script,
        "SHADER compute c2 SPIRV-HEX\n0x07230203\nEND",
        Full,
    ),
    row(
        "SHADER STAGE NAME SPIRV-BIN FILE PATH",
        Script,
        "SHADER compute c2 SPIRV-BIN FILE a.spv",
        Full,
    ),
    row(
        "SHADER STAGE NAME OPENCL-C ... END",
        Script,
        "SHADER compute c2 OPENCL-C\nEND",
        Error("shaders in OpenCL C"),
    ),
    row("SHADER of a ray tracing stage", Script, "SHADER miss m GLSL\nEND", Skip),
    row(
        "STRUCT NAME [STRIDE N] ... END",
        Script,
        "STRUCT s STRIDE 16\nfloat a OFFSET 4\nuint8[4] b ARRAY_STRIDE 2\nEND",
        Full,
    ),
    row(
        "BUFFER NAME DATA_TYPE TYPE [STD140 | STD430] [SIZE N] DATA | FILL | SERIES_FROM | FILE",
        Script,
        "BUFFER b2 DATA_TYPE mat2x3<float> STD140 SIZE 2 FILL 1.5",
        Full,
    ),
    row(
        "BUFFER NAME FORMAT FORMAT [MIP_LEVELS N] [SAMPLES N] [FILE PNG PATH]",
        Script,
        "BUFFER b2 FORMAT R8G8B8A8_UNORM MIP_LEVELS 2",
        Except("formats that the emulator cannot render to or read from"),
    ),
    row(
        "IMAGE NAME FORMAT FORMAT | DATA_TYPE TYPE DIM_1D | DIM_2D | DIM_3D ...",
        Script,
        "IMAGE b2 FORMAT R32_SFLOAT DIM_3D WIDTH 2 HEIGHT 3 DEPTH 4 FILL 0.0",
        Full,
    ),
    row(
        "SAMPLER NAME ...",
        Script,
        "SAMPLER s MAG_FILTER linear ADDRESS_MODE_U mirrored_clamp_to_edge",
        Full,
    ),
    row("ACCELERATION_STRUCTURE ...", Script, "ACCELERATION_STRUCTURE BOTTOM_LEVEL x", Skip),
    row(
        "PIPELINE compute | graphics NAME ... END",
        Script,
        "PIPELINE compute p2\nATTACH c\nEND",
        Full,
    ),
    row("PIPELINE ray_tracing NAME ... END", Script, "PIPELINE ray_tracing p2", Skip),
    row("DERIVE_PIPELINE NAME FROM PARENT ... END", Script, "DERIVE_PIPELINE p2 FROM p\nEND", Full),
    row(
        "ATTACH SHADER [TYPE STAGE] [ENTRY_POINT NAME] [SPECIALIZE ID AS TYPE VALUE]",
        Pipeline,
        "ATTACH v ENTRY_POINT main SPECIALIZE 1 AS float 2.5",
        Full,
    ),
    row(
        "SHADER_OPTIMIZATION SHADER ... END",
        Pipeline,
        "SHADER_OPTIMIZATION v\n--merge-return\nEND",
        Except("passes other than `--graphics-robust-access` have no effect"),
    ),
    row("COMPILE_OPTIONS SHADER ... END", Pipeline, "COMPILE_OPTIONS v\n-x\nEND", Full),
    row("SUBGROUP SHADER ... END", Pipeline, "SUBGROUP v\nREQUIRED_SIZE 8\nEND", Full),
    row("FRAMEBUFFER_SIZE W H", Pipeline, "FRAMEBUFFER_SIZE 16 16", Full),
    row(
        "VIEWPORT X Y SIZE W H [MIN_DEPTH D] [MAX_DEPTH D]",
        Pipeline,
        "VIEWPORT 0 0 SIZE 8 8 MIN_DEPTH 0.5",
        Full,
    ),
    row("POLYGON_MODE fill | line | point", Pipeline, "POLYGON_MODE line", Full),
    row("PATCH_CONTROL_POINTS N", Pipeline, "PATCH_CONTROL_POINTS 4", Full),
    row(
        "DEPTH ... END",
        Pipeline,
        "DEPTH\nTEST on\nBOUNDS min 0 max 1\nBIAS constant 0 clamp 0 slope 0\nEND",
        Except("BOUNDS that reject depths: the script is skipped"),
    ),
    row("STENCIL FACE ... END", Pipeline, "STENCIL front\nTEST on\nREFERENCE 3\nEND", Full),
    row(
        "BLEND ... END",
        Pipeline,
        "BLEND\nSRC_COLOR_FACTOR src_alpha\nCOLOR_OP max\nEND",
        Except("the operations of VK_EXT_blend_operation_advanced: the script is skipped"),
    ),
    row(
        "BIND BUFFER NAME AS color LOCATION N [BASE_MIP_LEVEL N]",
        Pipeline,
        "BIND BUFFER i AS color LOCATION 0",
        Full,
    ),
    row("BIND BUFFER NAME AS depth_stencil", Pipeline, "BIND BUFFER z AS depth_stencil", Full),
    row("BIND BUFFER NAME AS resolve", Pipeline, "BIND BUFFER i AS resolve", Full),
    row("BIND BUFFER NAME AS push_constant", Pipeline, "BIND BUFFER b AS push_constant", Full),
    row(
        "BIND BUFFER | BUFFER_ARRAY NAME... AS uniform | storage | uniform_dynamic | storage_dynamic ...",
        Pipeline,
        "BIND BUFFER_ARRAY b b AS storage_dynamic DESCRIPTOR_SET 0 BINDING 1 OFFSET 0 4 DESCRIPTOR_RANGE 4 4",
        Full,
    ),
    row(
        "BIND BUFFER | BUFFER_ARRAY NAME... AS uniform_texel_buffer | storage_texel_buffer ...",
        Pipeline,
        "BIND BUFFER b AS storage_texel_buffer DESCRIPTOR_SET 0 BINDING 1",
        Full,
    ),
    row(
        "BIND BUFFER | BUFFER_ARRAY NAME... AS storage_image | sampled_image ...",
        Pipeline,
        "BIND BUFFER i AS storage_image DESCRIPTOR_SET 0 BINDING 1 BASE_MIP_LEVEL 0",
        Except("multisampled storage images"),
    ),
    row(
        "BIND BUFFER | BUFFER_ARRAY NAME... AS combined_image_sampler SAMPLER NAME... ...",
        Pipeline,
        "BIND BUFFER i AS combined_image_sampler SAMPLER n DESCRIPTOR_SET 0 BINDING 1",
        Full,
    ),
    row(
        "BIND SAMPLER | SAMPLER_ARRAY NAME... ...",
        Pipeline,
        "BIND SAMPLER n DESCRIPTOR_SET 0 BINDING 1",
        Full,
    ),
    row("BIND ... KERNEL ...", Pipeline, "BIND BUFFER b KERNEL ARG_NAME a", Error(KERNEL)),
    row("SET KERNEL ...", Pipeline, "SET KERNEL ARG_NAME a AS int32 3", Error(KERNEL)),
    row(
        "VERTEX_DATA BUFFER LOCATION N [RATE vertex | instance] [FORMAT F] [OFFSET N] [STRIDE N]",
        Pipeline,
        "VERTEX_DATA b LOCATION 0 RATE instance OFFSET 4",
        Except("formats that the emulator cannot fetch, such as 64-bit integers"),
    ),
    row("INDEX_DATA BUFFER", Pipeline, "INDEX_DATA b", Full),
    row(
        "RUN [TIMED_EXECUTION] PIPELINE X Y Z",
        Script,
        "RUN k 1 1 1",
        Except("times are not measured"),
    ),
    row(
        "RUN [TIMED_EXECUTION] PIPELINE DRAW_RECT POS X Y SIZE W H",
        Script,
        "RUN p DRAW_RECT POS 0 0 SIZE 8 8",
        Full,
    ),
    row(
        "RUN [TIMED_EXECUTION] PIPELINE DRAW_GRID POS X Y SIZE W H CELLS C R",
        Script,
        "RUN p DRAW_GRID POS 0 0 SIZE 8 8 CELLS 2 2",
        Full,
    ),
    row(
        "RUN [TIMED_EXECUTION] PIPELINE DRAW_ARRAY AS TOPOLOGY [INDEXED] ...",
        Script,
        "RUN p DRAW_ARRAY AS LINE_STRIP_WITH_ADJACENCY INDEXED START_IDX 1 COUNT 4 INSTANCE_COUNT 2",
        Full,
    ),
    row("CLEAR PIPELINE", Script, "CLEAR p", Full),
    row("CLEAR_COLOR PIPELINE R G B A", Script, "CLEAR_COLOR p 1 2 3 255", Full),
    row("CLEAR_DEPTH PIPELINE D", Script, "CLEAR_DEPTH p 0.5", Full),
    row("CLEAR_STENCIL PIPELINE N", Script, "CLEAR_STENCIL p 3", Full),
    row("COPY BUFFER TO BUFFER", Script, "COPY b TO o", Full),
    row("REPEAT N ... END", Script, "REPEAT 3\nRUN k 1 1 1\nEND", Full),
    row(
        "EXPECT BUFFER IDX N [TOLERANCE T...] EQ | NE | LT | LE | GT | GE VALUE...",
        Script,
        "EXPECT b IDX 4 TOLERANCE 1% EQ 2",
        Full,
    ),
    row(
        "EXPECT BUFFER IDX X Y SIZE W H EQ_RGB | EQ_RGBA ... [TOLERANCE T...]",
        Script,
        "EXPECT i IDX 0 0 SIZE 1 1 EQ_RGBA 1 2 3 4 TOLERANCE 1 1 1 0",
        Full,
    ),
    row("EXPECT BUFFER EQ_BUFFER BUFFER", Script, "EXPECT b EQ_BUFFER o", Full),
    row(
        "EXPECT BUFFER RMSE_BUFFER BUFFER TOLERANCE T",
        Script,
        "EXPECT b RMSE_BUFFER o TOLERANCE 0.1",
        Full,
    ),
    row(
        "EXPECT BUFFER EQ_HISTOGRAM_EMD_BUFFER BUFFER TOLERANCE T",
        Script,
        "EXPECT i EQ_HISTOGRAM_EMD_BUFFER j TOLERANCE 0.1",
        Except("channels that do not have 8 bits"),
    ),
    row("DEBUG ... END", Script, "DEBUG p 1\nEND", Error("debugger scripts")),
];

/// A script to which a row's example can be added: declarations, and the end of an open graphics pipeline if `level` is
/// [`Level::Pipeline`].
pub fn script_with(row: &Row) -> String {
    let before = "#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f GLSL\nEND\nSHADER compute c GLSL\nEND\n\
        SAMPLER n\nBUFFER b DATA_TYPE uint32 DATA 1 2 3 4 END\nBUFFER o DATA_TYPE uint32 DATA 1 2 3 4 END\n\
        IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 8 HEIGHT 8\nIMAGE j FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 8 HEIGHT 8\n\
        IMAGE z FORMAT D32_SFLOAT DIM_2D WIDTH 8 HEIGHT 8\nPIPELINE compute k\nATTACH c\nEND\n\
        PIPELINE graphics p\nATTACH v\nATTACH f\n";
    // The examples that declare the vertex shader again need another name.
    let example = row.example.replace("SHADER vertex v ", "SHADER vertex w ");
    match row.level {
        Level::Pipeline => format!("{before}{example}\nEND\n"),
        Level::Script => format!("{before}END\n{}\n", example.replace("SAMPLER s ", "SAMPLER m ")),
    }
}
