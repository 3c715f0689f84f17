//! Subgroup operations: the primitive operations that they become, and operands that are refused.

mod common;

use crestline_frontend::{ErrorCode, FrontendError, TranslateOptions, translate};
use crestline_ssa::ir::Shader;

const PREAMBLE: &str = include_str!("common/preamble.spvasm");

const GLOBALS: &str = "\
%uint4 = OpTypeVector %uint 4
%long = OpTypeInt 64 0
%scope = OpConstant %uint 3
%workgroup = OpConstant %uint 2
%four = OpConstant %uint 4
%three = OpConstant %uint 3
%ballot = OpUndef %uint4
%wide = OpUndef %long
";

/// A module whose function has the line between the load of a value and a store of a number.
fn module(line: &str) -> Vec<u32> {
    let body = format!(
        "%main = OpFunction %void None %fn\n%entry = OpLabel\n%p = OpAccessChain %ptr_uint %buffer %u0 %u0\n\
         %v = OpLoad %uint %p\n%c = OpIEqual %bool %v %u0\n%f = OpBitcast %float %v\n{line}\nOpReturn\nOpFunctionEnd"
    );
    common::assemble(&format!("{PREAMBLE}{GLOBALS}{body}"))
}

/// The text of the shader.
fn found(line: &str) -> String {
    let shader = translate(&module(line), &TranslateOptions::default());
    shader.unwrap_or_else(|error| panic!("{line}: {error}")).to_string()
}

#[test]
fn operations_become_primitive_ones() {
    for (line, parts) in [
        ("%r = OpGroupNonUniformElect %bool %scope", &["ballot", "find_lsb", "ieq"][..]),
        ("%r = OpGroupNonUniformAll %bool %scope %c", &["inot", "ballot", "ieq"]),
        ("%r = OpSubgroupAnyKHR %bool %c", &["ballot", "ine"]),
        ("%r = OpGroupNonUniformAllEqual %bool %scope %f", &["read_first", "feq", "ballot"]),
        ("%r = OpGroupNonUniformBallot %uint4 %scope %c", &["ballot", "vec4"]),
        ("%r = OpGroupNonUniformBallotBitCount %uint %scope 2 %ballot", &["bit_count"]),
        ("%r = OpGroupNonUniformShuffle %uint %scope %v %v", &["shuffle %"]),
        (
            "%r = OpGroupNonUniformShuffleXor %long %scope %wide %u1",
            &["unpack_64_low", "shuffle %"],
        ),
        ("%r = OpGroupNonUniformIAdd %uint %scope 0 %v", &["reduce iadd, %"]),
        ("%r = OpGroupNonUniformFMax %float %scope 1 %f", &["scan inclusive fmax, %"]),
        ("%r = OpGroupNonUniformUMin %uint %scope 2 %v", &["scan exclusive umin, %"]),
        ("%r = OpGroupNonUniformBitwiseOr %uint %scope 3 %v %four", &["reduce ior cluster 4, %"]),
        ("%r = OpGroupNonUniformLogicalXor %bool %scope 0 %c", &["ballot", "bit_count"]),
        ("%r = OpGroupNonUniformIAdd %long %scope 0 %wide", &["reduce iadd, %"]),
        ("%r = OpGroupNonUniformIMul %long %scope 0 %wide", &["loop", "shuffle %"]),
        ("%r = OpGroupIAdd %uint %scope 0 %v", &["reduce iadd, %"]),
        ("%r = OpGroupNonUniformQuadSwap %uint %scope %v %u1", &["ixor", "shuffle %"]),
    ] {
        let text = found(line);
        for part in parts {
            assert!(text.contains(part), "{line}: no {part:?} in\n{text}");
        }
    }
}

#[test]
fn other_scopes_types_and_operations_are_refused() {
    for (line, code) in [
        ("%r = OpGroupNonUniformElect %bool %workgroup", ErrorCode::Unsupported),
        ("%r = OpGroupIAdd %uint %workgroup 0 %v", ErrorCode::Unsupported),
        ("%r = OpGroupNonUniformElect %bool %v", ErrorCode::NotAConstant),
        ("%r = OpGroupNonUniformElect %uint %scope", ErrorCode::ResultType),
        ("%r = OpGroupNonUniformAll %bool %scope %v", ErrorCode::OperandType),
        ("%r = OpGroupNonUniformIAdd %float %scope 0 %f", ErrorCode::OperandType),
        ("%r = OpGroupNonUniformFAdd %uint %scope 0 %v", ErrorCode::OperandType),
        ("%r = OpGroupNonUniformIAdd %uint %scope 9 %v", ErrorCode::BadEnumerant),
        ("%r = OpGroupNonUniformIAdd %uint %scope 3 %v %three", ErrorCode::BadEnumerant),
        ("%r = OpGroupNonUniformInverseBallot %bool %scope %v", ErrorCode::OperandType),
        ("%r = OpGroupNonUniformShuffle %uint %scope %v %c", ErrorCode::OperandType),
    ] {
        let error = translate(&module(line), &TranslateOptions::default());
        assert_eq!(error.expect_err(line).code, code, "{line}");
    }
}

/// The translation of a module with this additional execution mode.
fn with_mode(mode: &str) -> Result<Shader, FrontendError> {
    let size = "OpExecutionMode %main LocalSize 1 1 1\n";
    let preamble = PREAMBLE.replace(size, &format!("{size}{mode}\n"));
    let body = "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
    let words = common::assemble(&format!("{preamble}{GLOBALS}{body}"));
    translate(&words, &TranslateOptions::default())
}

#[test]
fn execution_modes_require_subgroups() {
    let required = |mode: &str| {
        let shader = with_mode(mode).unwrap_or_else(|error| panic!("{mode}: {error}"));
        let compute = shader.compute().expect("a compute shader");
        (compute.subgroup_size, compute.subgroups)
    };
    assert_eq!(required("OpExecutionMode %main SubgroupSize 16"), (Some(16), None));
    assert_eq!(required("OpExecutionMode %main SubgroupsPerWorkgroup 4"), (None, Some(4)));
    assert_eq!(required("OpExecutionMode %main MaximallyReconvergesKHR"), (None, None));
    let by_id = "OpExecutionModeId %main SubgroupsPerWorkgroupId %four";
    assert_eq!(required(by_id), (None, Some(4)));
    let error = with_mode("OpExecutionMode %main SubgroupSize 0").expect_err("no subgroup");
    assert_eq!(error.code, ErrorCode::StageMode);
}
