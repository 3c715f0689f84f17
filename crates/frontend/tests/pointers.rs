//! Pointers as values: what is refused by name, and hostile modules whose translation must end.

mod common;

use crestline_frontend::{ErrorCode, TranslateOptions, translate};
use crestline_ssa::passes::{Options, clean};

/// Declarations of a compute shader whose push constants are a pointer to `%node`.
const HEAD: &str = "
    OpCapability Shader
    OpCapability Int64
    OpCapability PhysicalStorageBufferAddresses
    OpExtension \"SPV_KHR_physical_storage_buffer\"
    OpMemoryModel PhysicalStorageBuffer64 GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    OpMemberDecorate %node 0 Offset 0
    OpMemberDecorate %node 1 Offset 8
    OpMemberDecorate %push 0 Offset 0
    OpDecorate %push Block
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %ulong = OpTypeInt 64 0
    %int = OpTypeInt 32 1
    %float = OpTypeFloat 32
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    OpTypeForwardPointer %ptr PhysicalStorageBuffer
    %node = OpTypeStruct %ptr %uint
    %ptr = OpTypePointer PhysicalStorageBuffer %node
    %push = OpTypeStruct %ptr
    %ptr_push = OpTypePointer PushConstant %push
    %ptr_ptr = OpTypePointer PushConstant %ptr
    %ptr_next = OpTypePointer PhysicalStorageBuffer %ptr
    %ptr_uint = OpTypePointer PhysicalStorageBuffer %uint
    %pc = OpVariable %ptr_push PushConstant
";

/// The start of the function: `%p` is the pointer in the push constants.
const BODY: &str = "
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %place = OpAccessChain %ptr_ptr %pc %u0
    %p = OpLoad %ptr %place
";

/// Translates a module with these declarations and this code after those above. Lines that decorate are moved to their
/// place.
fn module(globals: &str, code: &str) -> Result<String, (ErrorCode, String)> {
    let (decorations, types): (Vec<&str>, Vec<&str>) =
        globals.lines().partition(|line| line.trim().starts_with("OpDecorate"));
    let last = "OpDecorate %push Block";
    let head = HEAD.replace(last, &format!("{last}\n{}", decorations.join("\n")));
    let types = types.join("\n");
    let text = format!("{head}{types}{BODY}{code}\nOpReturn\nOpFunctionEnd\n");
    let shader = translate(&common::assemble(&text), &TranslateOptions::default());
    shader.map(|s| s.to_string()).map_err(|error| (error.code, error.to_string()))
}

#[test]
fn a_long_chain_of_pointers_is_read_link_by_link() {
    let mut code = String::from("%v0 = OpCopyObject %ptr %p\n");
    for i in 0..200 {
        code += &format!(
            "%a{i} = OpAccessChain %ptr_next %v{i} %u0\n%v{} = OpLoad %ptr %a{i} Aligned 8\n",
            i + 1
        );
    }
    code += "%last = OpAccessChain %ptr_uint %v200 %u1\nOpStore %last %u1 Aligned 4\n";
    let text = module("", &code).expect("a valid module");
    assert_eq!(text.matches("load global").count(), 200, "{text}");
    assert!(text.contains("store global"), "{text}");
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    let cases = [
        // The distance between elements is not known.
        ("", "%a = OpPtrAccessChain %ptr %p %u1", ErrorCode::MissingLayout),
        ("", "%a = OpConvertPtrToU %float %p", ErrorCode::OperandType),
        ("", "%a = OpConvertUToPtr %ptr %p", ErrorCode::OperandType),
        ("", "%a = OpAccessChain %ptr_uint %p %u1\n%b = OpLoad %float %a", ErrorCode::ResultType),
    ];
    for (globals, code, expected) in cases {
        let (found, error) = module(globals, code).expect_err(code);
        assert_eq!(found, expected, "{code}: {error}");
    }
}

/// Offsets in instructions have 32 bits.
#[test]
fn a_constant_index_beyond_two_gigabytes_moves_the_address() {
    let globals = "OpDecorate %big ArrayStride 65536\n%n = OpConstant %uint 65536\n\
                   %big = OpTypeArray %uint %n\n%ptr_big = OpTypePointer PhysicalStorageBuffer %big\n\
                   %far = OpConstant %uint 40000\n";
    let code = "%c = OpBitcast %ptr_big %p\n%a = OpAccessChain %ptr_uint %c %far\n\
                OpStore %a %u0 Aligned 4";
    let text = module(globals, code).expect("a valid module");
    for needed in ["const 40000", "= imul", "store global"] {
        assert!(text.contains(needed), "{needed}:\n{text}");
    }
}

#[test]
fn a_type_cannot_contain_itself_by_a_forward_declaration() {
    let globals = "OpTypeForwardPointer %loop PhysicalStorageBuffer\n%loop = OpTypeStruct %loop\n";
    let (code, error) = module(globals, "").expect_err("a structure in itself");
    assert_eq!(code, ErrorCode::NotAType, "{error}");
    assert!(error.contains("OpTypeForwardPointer"), "{error}");
}

#[test]
fn null_and_undefined_pointers_are_translated() {
    let globals = "%null = OpConstantNull %ptr\n";
    let code = "%undef = OpUndef %ptr\n%a = OpAccessChain %ptr_uint %null %u1\n\
                %v = OpLoad %uint %a Aligned 4\n%b = OpAccessChain %ptr_uint %undef %u1\n\
                OpStore %b %v Aligned 3";
    let text = module(globals, code).expect("a valid module");
    assert!(text.contains("store global"), "{text}");
}

/// A pointer to one of two buffers that is kept in a variable: the optimiser finds out which.
#[test]
fn a_pointer_that_is_known_in_the_end_needs_no_choice() {
    let text = "
        OpCapability Shader
        OpCapability VariablePointers
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %array ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %a DescriptorSet 0
        OpDecorate %a Binding 0
        OpDecorate %b DescriptorSet 0
        OpDecorate %b Binding 1
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %u0 = OpConstant %uint 0
        %u5 = OpConstant %uint 5
        %array = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %array
        %ptr_block = OpTypePointer StorageBuffer %block
        %ptr_uint = OpTypePointer StorageBuffer %uint
        %ptr_ptr = OpTypePointer Function %ptr_uint
        %a = OpVariable %ptr_block StorageBuffer
        %b = OpVariable %ptr_block StorageBuffer
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %kept = OpVariable %ptr_ptr Function
        %at = OpAccessChain %ptr_uint %b %u0 %u5
        OpStore %kept %at
        %p = OpLoad %ptr_uint %kept
        %v = OpLoad %uint %p
        %to = OpAccessChain %ptr_uint %a %u0 %u0
        OpStore %to %v
        OpReturn
        OpFunctionEnd";
    let mut shader = translate(&common::assemble(text), &TranslateOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(shader.to_string().contains("if "), "{shader}");
    clean(&mut shader, &Options::default(), &mut |_, _| {}).unwrap_or_else(|e| panic!("{e}"));
    let text = shader.to_string();
    assert!(!text.contains("if ") && text.contains("load ssbo b1"), "{text}");
}
