//! Errors in scripts: each wrong script with its error, as a golden file (`UPDATE_EXPECT=1` rewrites it); and damaged
//! scripts, which must never panic.

use crestline_testing::{MUTATIONS, damage, golden, rounds};
use std::fmt::Write;
use std::path::Path;

/// Lines after `#!amber` with an error.
const WRONG: &[&str] = &[
    "RUM p 1 1 1",
    "SHADER vertex",
    "SHADER pixel p GLSL\nEND",
    "SHADER fragment x PASSTHROUGH",
    "SHADER compute x GLSL\nvoid main() {}",
    "SHADER multi m GLSL\nEND",
    "SHADER compute x SPIRV-BIN\nEND",
    "SHADER compute x GLSL VIRTUAL_FILE a.h",
    "VIRTUAL_FILE a\nEND\nVIRTUAL_FILE a\nEND",
    "STRUCT s\nEND",
    "STRUCT s\nfloat a\nfloat a\nEND",
    "STRUCT s\nfloat a ARRAY_STRIDE 4\nEND",
    "STRUCT s\nfloat[60000] a\nfloat[60000] b\nEND",
    "BUFFER b",
    "BUFFER b DATA_TYPE bool DATA 1 END",
    "BUFFER b DATA_TYPE uint8 DATA 1 256 END",
    "BUFFER b DATA_TYPE uint32 DATA 1 x END",
    "BUFFER b DATA_TYPE uint32 DATA 1 2",
    "BUFFER b DATA_TYPE uint32 SIZE 1 DATA 1 2 END",
    "BUFFER b DATA_TYPE uint32 SIZE 4000000000 FILL 0",
    "BUFFER b DATA_TYPE uint32 SIZE -1 FILL 0",
    "BUFFER b DATA_TYPE uint32 FILL 0",
    "BUFFER b DATA_TYPE uint32 SIZE 1 FILL 1.5",
    "BUFFER b FORMAT R9_UNORM",
    "BUFFER b FORMAT R8_UNORM SAMPLES 3",
    "BUFFER b FORMAT R8_UNORM MIP_LEVELS 16",
    "BUFFER b DATA_TYPE uint32 DATA 1 END\nBUFFER b DATA_TYPE uint32 DATA 1 END",
    "IMAGE x FORMAT R8_UNORM DIM_4D",
    "IMAGE x FORMAT R8_UNORM DIM_2D WIDTH 4",
    "IMAGE x FORMAT R8_UNORM DIM_3D WIDTH 16384 HEIGHT 16384 DEPTH 16384",
    "IMAGE x DATA_TYPE mat2x2<float> DIM_1D WIDTH 4",
    "SAMPLER s MAG_FILTER cubic",
    "SAMPLER s MIN_LOD inf",
    "PIPELINE compute p\nEND",
    "PIPELINE graphics p\nATTACH v\nEND",
    "PIPELINE compute p\nATTACH v\nEND",
    "PIPELINE compute p\nATTACH c",
    "PIPELINE compute p\nATTACH c SPECIALIZE 1 AS double 2\nEND",
    "PIPELINE compute p\nATTACH c\nBIND BUFFER d AS storage DESCRIPTOR_SET 0\nEND",
    "PIPELINE compute p\nATTACH c\nBIND BUFFER nothing AS storage DESCRIPTOR_SET 0 BINDING 0\nEND",
    "PIPELINE compute p\nATTACH c\nBIND BUFFER i AS color LOCATION 0\nEND",
    "PIPELINE graphics p\nATTACH v\nATTACH f\nBIND BUFFER d AS color LOCATION 0\nEND",
    "PIPELINE graphics p\nATTACH v\nATTACH f\nFRAMEBUFFER_SIZE 0 4\nEND",
    "PIPELINE graphics p\nATTACH v\nATTACH f\nDEPTH\nTEST yes\nEND\nEND",
    "PIPELINE graphics p\nATTACH v\nATTACH f\nVERTEX_DATA d LOCATION 0\nVERTEX_DATA d LOCATION 0\nEND",
    "DERIVE_PIPELINE q FROM p\nEND",
    "RUN g 1 1 1",
    "RUN k 65536 65536 65536",
    "RUN k DRAW_RECT POS 0 0 SIZE 1 1",
    "RUN g DRAW_ARRAY AS TRIANGLES",
    "RUN g DRAW_ARRAY AS POINT_LIST START_IDX 0 COUNT 4000000000",
    "RUN g DRAW_GRID POS 0 0 SIZE 1 1 CELLS 100000 100000",
    "CLEAR k",
    "CLEAR_COLOR g 256 0 0 0",
    "COPY d TO d",
    "COPY d TO i",
    "REPEAT 4000000000\nRUN k 1 1 1\nEND",
    "REPEAT 2\nREPEAT 2\nEND\nEND",
    "EXPECT d IDX 0 EQ",
    "EXPECT d IDX 0 ABOUT 1",
    "EXPECT d IDX 0 TOLERANCE 1 NE 1",
    "EXPECT d IDX 0 TOLERANCE EQ 1",
    "EXPECT d IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3",
    "EXPECT i IDX 0 0 SIZE 1 1 EQ_RGBA 1 2 3",
    "EXPECT d EQ_BUFFER d",
    "EXPECT d EQ_BUFFER i",
    "EXPECT d RMSE_BUFFER e",
    "EXPECT \"d IDX 0 EQ 1",
];

/// Declarations after the line with the error's command would hide its place, so they are before it.
const DECLARATIONS: &str = "#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f GLSL\nEND\nSHADER compute c GLSL\nEND\n\
    BUFFER d DATA_TYPE uint32 DATA 1 END\nBUFFER e DATA_TYPE uint32 DATA 1 END\n\
    IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 4 HEIGHT 4\n\
    PIPELINE compute k\nATTACH c\nEND\nPIPELINE graphics g\nATTACH v\nATTACH f\nEND\n";

/// Whole scripts in the older form with an error.
const WRONG_VKSCRIPT: &[&str] = &[
    "",
    "compute 1 1 1",
    "[pixel shader]",
    "[fragment shader passthrough]",
    "[vertex shader]\n[vertex shader]",
    "[require]\nframebuffer R9_UNORM",
    "[require]\nfbsize 0 1",
    "[require]\ndepthstencil R8_UNORM",
    "[require]\n?",
    "[vertex data]",
    "[vertex data]\n0/R8_UNORM 0/R8_UNORM\n1 2",
    "[vertex data]\n0/R8G8_UNORM\n1 2\n3",
    "[vertex data]\n0/float/vec9\n1",
    "[vertex data]\n0/R8_UNORM\n300",
    "[indices]\n1 -2",
    "[test]\nfly",
    "[test]\ncompute 1 1 1",
    "[test]\nclear",
    "[compute shader]\n[test]\ncompute 1 1",
    "[compute shader]\n[test]\nssbo 0 subdata vec3 0 1 2",
    "[compute shader]\n[test]\nssbo 0 subdata float 18446744073709551615 1",
    "[compute shader]\n[test]\nssbo 0 99999999999",
    "[compute shader]\n[test]\nssbo 0 4\nuniform ubo 0 int 0 1",
    "[compute shader]\n[test]\nprobe ssbo int 0 0 <> 1",
    "[compute shader]\n[test]\ntolerance 1 2",
    "[compute shader]\n[test]\nfragment entrypoint x",
    "[vertex shader passthrough]\n[test]\nprobe rect rgba (0, 0, 1) (1, 1, 1, 1)",
    "[vertex shader passthrough]\n[test]\nprobe rgb (-5, 0) (1, 1, 1)",
    "[vertex shader passthrough]\n[test]\ndraw arrays TRIANGLES 0 3",
    "[vertex shader passthrough]\n[test]\ndepthCompareOp VK_COMPARE_OP_LESSER",
    "[vertex shader passthrough]\n[test]\ncolorWriteMask VK_COLOR_COMPONENT_X_BIT",
];

#[test]
fn errors_are_those_of_the_golden_file() {
    let mut text = String::new();
    let first = DECLARATIONS.lines().count() as u32;
    for wrong in WRONG {
        let script = format!("{DECLARATIONS}{wrong}\n");
        let error = crestline_amber::parse(&script).expect_err(wrong);
        // Lines count from the wrong one.
        let line = i64::from(error.place.line) - i64::from(first);
        let _ = write!(text, "{wrong}\n--- {line}:{} {error}\n\n", error.place.column);
    }
    for wrong in WRONG_VKSCRIPT {
        let error = crestline_amber::parse(wrong).expect_err(wrong);
        let _ = write!(text, "{wrong}\n--- {} {error}\n\n", error.place);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors.txt");
    golden::check([(path, text)]);
}

/// The model of a script of each form.
#[test]
fn models_are_those_of_the_golden_files() {
    let amber = "#!amber\nDEVICE_FEATURE shaderInt16\nSTRUCT s\nint16 a\nvec2<float> b\nEND\n\
        SHADER compute c GLSL\nvoid main() {}\nEND\nBUFFER d DATA_TYPE s STD140 DATA 1 2.5 -3 END\n\
        SAMPLER n MIN_FILTER linear MAX_LOD 4\nPIPELINE compute p\nATTACH c SPECIALIZE 2 AS int32 -1\n\
        BIND BUFFER d AS uniform DESCRIPTOR_SET 1 BINDING 2 DESCRIPTOR_OFFSET 16 DESCRIPTOR_RANGE 8\nEND\n\
        REPEAT 3\nRUN p 1 2 3\nEXPECT d IDX 8 TOLERANCE 1% 2 EQ 2.5 -3\nEND\n";
    let older = "[vertex shader passthrough]\n[require]\nlogicOp\nVK_A\nfbsize 4 2\n[vertex data]\n\
        0/R8G8_SNORM\n-1 2\n[indices]\n0\n[test]\nlogicOp VK_LOGIC_OP_XOR\ndraw arrays indexed POINT_LIST 3 1\n\
        tolerance 1\nprobe all rgb 0 0.5 1\nuniform ivec2 4 7 8\n";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    golden::check([("model.txt", amber), ("model_vkscript.txt", older)].map(|(file, text)| {
        let script = crestline_amber::parse(text).expect("a right script");
        (folder.join(file), format!("{text}---\n{script:#?}\n"))
    }));
}

#[test]
fn scripts_are_bounded() {
    let long = format!("#!amber\n{}", "#".repeat(crestline_amber::limits::SCRIPT_BYTES));
    assert!(crestline_amber::parse(&long).is_err());
    let nested: String = (1..40).map(|n| format!("STRUCT s{n}\ns{}[8] a\nEND\n", n - 1)).collect();
    let error = crestline_amber::parse(&format!("#!amber\nSTRUCT s0\nfloat a\nEND\n{nested}"));
    assert!(error.unwrap_err().message.contains("65536"));
}

#[test]
fn damaged_scripts_do_not_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/amber");
    let mut random = fastrand::Rng::with_seed(17);
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.is_file())
        .collect();
    entries.sort();
    let (mut whole, mut refused) = (0, 0);
    for path in entries {
        let text = std::fs::read_to_string(&path).expect("a readable script");
        let Ok(_) = crestline_amber::parse(&text) else { panic!("{}", path.display()) };
        for _ in 0..rounds(MUTATIONS, 200) {
            let damaged = match random.bool() {
                true => damage::scramble(&text, &mut random),
                false => damage::change_digits(&text, 4, &mut random),
            };
            match crestline_amber::parse(&damaged) {
                Ok(_) => whole += 1,
                Err(error) => {
                    refused += 1;
                    assert!(error.place.line >= 1 && error.place.column >= 1);
                    assert!(error.place.line as usize <= damaged.lines().count() + 1);
                }
            }
        }
    }
    assert!(whole > 100 && refused > 100, "{whole} {refused}");
}
