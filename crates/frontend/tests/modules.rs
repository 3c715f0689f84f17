//! Tests forms of SPIR-V that compilers rarely emit. The modules are written by hand and run in the interpreter.

mod common;

use crestline_frontend::{TranslateOptions, translate};
use crestline_ssa::interp::{self, Resources};
use crestline_ssa::ir::{AluOp, InstKind, Shader};

const PREAMBLE: &str = include_str!("common/preamble.spvasm");

fn module(globals: &str, body: &str) -> Shader {
    shader(globals, body, &[])
}

fn shader(globals: &str, body: &str, spec: &[(u32, u64)]) -> Shader {
    let text = format!(
        "{PREAMBLE}\n{globals}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd"
    );
    let options = TranslateOptions { spec, ..TranslateOptions::default() };
    translate(&common::assemble(&text), &options).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs one workgroup on a buffer `input` at binding 0; the buffer afterwards.
fn run(shader: &Shader, input: &[u32]) -> Vec<u32> {
    let mut resources = Resources::default();
    resources.bind(0, 0, input.iter().flat_map(|w| w.to_le_bytes()).collect());
    interp::run(shader, &mut resources, [1, 1, 1], &interp::Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let bytes = resources.buffer(0, 0).expect("the buffer was bound");
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Statements that store `value` to element `index` of the buffer.
fn store(index: u32, value: &str) -> String {
    format!(
        "%at{index} = OpAccessChain %ptr_uint %buffer %u0 %k{index}\nOpStore %at{index} {value}\n"
    )
}

fn numbers(count: u32) -> String {
    (0..count).map(|i| format!("%k{i} = OpConstant %uint {i}\n")).collect()
}

#[test]
fn a_buffer_block_in_uniform_memory_is_a_storage_buffer() {
    let globals = "
        OpDecorate %old BufferBlock
        OpMemberDecorate %old 0 Offset 8
        OpDecorate %view DescriptorSet 0
        OpDecorate %view Binding 0
        %old = OpTypeStruct %uint
        %ptr_old = OpTypePointer Uniform %old
        %ptr_member = OpTypePointer Uniform %uint
        %view = OpVariable %ptr_old Uniform";
    let body = "
        %p = OpAccessChain %ptr_member %view %u0
        %q = OpAccessChain %ptr_uint %buffer %u0 %u1
        OpCopyMemory %p %q";
    let shader = module(globals, body);
    assert_eq!(shader.bindings.len(), 1, "two variables name one binding");
    assert_eq!(run(&shader, &[1, 22, 3]), [1, 22, 22]);
}

#[test]
fn specialization_reaches_array_lengths_sizes_and_operations() {
    let globals = "
        OpDecorate %width SpecId 7
        OpDecorate %flag SpecId 8
        OpExecutionModeId %main LocalSizeId %width %u1 %u1
        %width = OpSpecConstant %uint 3
        %flag = OpSpecConstantTrue %bool
        %two = OpConstant %uint 2
        %twice = OpSpecConstantOp %uint IMul %width %two
        %chosen = OpSpecConstantOp %uint Select %flag %twice %two
        %uint2 = OpTypeVector %uint 2
        %pair = OpSpecConstantComposite %uint2 %twice %chosen
        %swapped = OpSpecConstantOp %uint2 VectorShuffle %pair %pair 1 0
        %second = OpSpecConstantOp %uint CompositeExtract %swapped 1
        %list = OpTypeArray %uint %twice
        %ptr_list = OpTypePointer Private %list
        %values = OpVariable %ptr_list Private";
    let globals = format!("{}{globals}", numbers(3));
    let body = store(0, "%chosen") + &store(1, "%second") + &store(2, "%width");
    let found = shader(&globals, &body, &[]);
    assert_eq!(found.compute().unwrap().local_size, [3, 1, 1]);
    assert_eq!(run(&found, &[0; 3]), [6, 6, 3]);
    let found = shader(&globals, &body, &[(7, 5), (8, 0)]);
    assert_eq!(found.compute().unwrap().local_size, [5, 1, 1]);
    assert_eq!(run(&found, &[0; 3]), [2, 10, 5]);
}

#[test]
fn blocks_in_shared_memory_overlap() {
    let globals = format!(
        "{}
        OpDecorate %bytes Block
        OpMemberDecorate %bytes 0 Offset 0
        OpMemberDecorate %bytes 1 Offset 4
        OpDecorate %word Block
        OpMemberDecorate %word 0 Offset 4
        %bytes = OpTypeStruct %uint %uint
        %word = OpTypeStruct %uint
        %ptr_bytes = OpTypePointer Workgroup %bytes
        %ptr_word = OpTypePointer Workgroup %word
        %ptr_shared = OpTypePointer Workgroup %uint
        %a = OpVariable %ptr_bytes Workgroup
        %b = OpVariable %ptr_word Workgroup
        %n = OpConstant %uint 77",
        numbers(1)
    );
    let body = "
        %p = OpAccessChain %ptr_shared %a %u1
        OpStore %p %n
        %q = OpAccessChain %ptr_shared %b %u0
        %x = OpLoad %uint %q\n"
        .to_owned()
        + &store(0, "%x");
    let shader = module(&globals, &body);
    assert_eq!(shader.shared_bytes(), 8);
    assert_eq!(run(&shader, &[0]), [77]);
}

#[test]
fn booleans_in_shared_and_private_memory_keep_their_value() {
    let globals = format!(
        "{}
        %bool2 = OpTypeVector %bool 2
        %flags = OpTypeStruct %bool2 %bool
        %ptr_shared = OpTypePointer Workgroup %flags
        %ptr_flags = OpTypePointer Private %flags
        %ptr_flag = OpTypePointer Workgroup %bool
        %false = OpConstantFalse %bool
        %pair = OpConstantComposite %bool2 %false %true
        %initial = OpConstantComposite %flags %pair %false
        %shared = OpVariable %ptr_shared Workgroup
        %private = OpVariable %ptr_flags Private %initial",
        numbers(3)
    );
    let body = "
        %whole = OpLoad %flags %private
        OpStore %shared %whole
        %p = OpAccessChain %ptr_flag %shared %u0 %u1
        %b = OpLoad %bool %p
        %x = OpSelect %uint %b %u1 %u0
        %q = OpAccessChain %ptr_flag %shared %u1
        %c = OpLoad %bool %q
        %y = OpSelect %uint %c %u1 %u0\n"
        .to_owned()
        + &store(0, "%x")
        + &store(1, "%y");
    assert_eq!(run(&module(&globals, &body), &[9, 9]), [1, 0]);
}

#[test]
fn row_major_columns_are_gathered_and_scattered() {
    let globals = format!(
        "{}
        OpDecorate %matrices Block
        OpMemberDecorate %matrices 0 Offset 0
        OpMemberDecorate %matrices 0 RowMajor
        OpMemberDecorate %matrices 0 MatrixStride 8
        OpMemberDecorate %matrices 1 Offset 16
        OpMemberDecorate %matrices 1 ColMajor
        OpMemberDecorate %matrices 1 MatrixStride 12
        OpDecorate %view DescriptorSet 0
        OpDecorate %view Binding 0
        %mat = OpTypeMatrix %float2 2
        %matrices = OpTypeStruct %mat %mat
        %ptr_matrices = OpTypePointer StorageBuffer %matrices
        %ptr_mat = OpTypePointer StorageBuffer %mat
        %ptr_column = OpTypePointer StorageBuffer %float2
        %view = OpVariable %ptr_matrices StorageBuffer",
        numbers(2)
    );
    let body = "
        %p = OpAccessChain %ptr_mat %view %u0
        %m = OpLoad %mat %p
        %q = OpAccessChain %ptr_mat %view %u1
        OpStore %q %m
        %index = OpAccessChain %ptr_uint %buffer %u0 %u0
        %zero = OpLoad %uint %index
        %column = OpAccessChain %ptr_column %view %u0 %zero
        %v = OpCompositeExtract %float2 %m 1
        OpStore %column %v";
    // Rows (0, 2) and (1, 3) as bits; the stored copy has columns (0, 1) and (2, 3), 12 bytes apart.
    let found = run(&module(&globals, body), &[0, 2, 1, 3, 9, 9, 9, 9, 9]);
    assert_eq!(found, [2, 2, 3, 3, 0, 1, 9, 2, 3]);
}

#[test]
fn no_contraction_makes_arithmetic_exact() {
    let globals = "OpDecorate %strict NoContraction";
    let body = "
        %strict = OpFMul %float %f1 %f1
        %loose = OpFAdd %float %strict %f1";
    let shader = module(globals, body);
    let func = &shader.func;
    let exact: Vec<bool> = func
        .region(func.body())
        .insts
        .iter()
        .filter_map(|&i| match &func.inst(i).kind {
            InstKind::Alu { exact, .. } => Some(*exact),
            _ => None,
        })
        .collect();
    assert_eq!(exact, [true, false]);
}

#[test]
fn float_modes_are_handed_on() {
    let globals = "
        OpExecutionMode %main DenormPreserve 32
        OpExecutionMode %main RoundingModeRTE 16
        OpExecutionMode %main SignedZeroInfNanPreserve 64";
    let controls = module(globals, "").float_controls;
    assert_eq!(
        (controls.denorm_preserve, controls.rounding_rte, controls.signed_zero_inf_nan_preserve),
        (2, 1, 4)
    );
}

/// The error for a module with these global declarations.
fn refusal(globals: &str, body: &str) -> String {
    let text = format!(
        "{PREAMBLE}\n{globals}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd"
    );
    translate(&common::assemble(&text), &TranslateOptions::default()).unwrap_err().to_string()
}

#[test]
fn a_module_has_one_rounding_mode() {
    let two = "OpExecutionMode %main RoundingModeRTE 16\nOpExecutionMode %main RoundingModeRTZ 32";
    let error = refusal(two, "");
    assert!(error.starts_with("E0503") && error.contains("the same rounding mode"), "{error}");
}

/// Narrower conversions round toward zero because of a decoration, and those to half floats because of a mode.
#[test]
fn conversions_round_toward_zero() {
    let types = "
        %half = OpTypeFloat 16
        %single = OpTypeFloat 32
        %one = OpConstant %single 1
        %small = OpConstant %half 1";
    let body = "%a = OpFConvert %half %one\n%b = OpFConvert %single %small";
    let cut = |annotations: &str| {
        let shader = module(&format!("{annotations}\n{types}"), body);
        let ops = shader.func.region(shader.func.body()).insts.iter().filter_map(|&inst| {
            match shader.func.inst(inst).kind {
                InstKind::Alu { op: AluOp::F2F, .. } => Some(false),
                InstKind::Alu { op: AluOp::F2FRtz, .. } => Some(true),
                _ => None,
            }
        });
        ops.collect::<Vec<_>>()
    };
    assert_eq!(cut(""), [false, false]);
    let both = "OpDecorate %a FPRoundingMode RTZ\nOpDecorate %b FPRoundingMode RTZ";
    assert_eq!(cut(both), [true, false]);
    assert_eq!(cut("OpDecorate %a FPRoundingMode RTE"), [false, false]);
    assert_eq!(cut("OpExecutionMode %main RoundingModeRTZ 16"), [true, false]);
    assert_eq!(cut("OpExecutionMode %main RoundingModeRTZ 32"), [false, false]);
    let mixed = "OpExecutionMode %main RoundingModeRTZ 16\nOpDecorate %a FPRoundingMode RTE";
    for annotations in [mixed, "OpDecorate %a FPRoundingMode RTP"] {
        let error = refusal(&format!("{annotations}\n{types}"), body);
        assert!(error.starts_with("E0503"), "{error}");
    }
}

/// Numbers of other widths, and constants of these types. Constants of 64 bits are a low and a high word.
const WIDTHS: &str = "
    %long = OpTypeInt 64 1
    %ulong = OpTypeInt 64 0
    %short = OpTypeInt 16 1
    %byte = OpTypeInt 8 1
    %half = OpTypeFloat 16
    %double = OpTypeFloat 64
    %low5 = OpConstant %long 5 -2147483648
    %past32 = OpConstant %long 1 1
    %below = OpConstant %long 2147483646 -1
    %four = OpConstant %long 4 0
    %minus2 = OpConstant %long -2 -1
    %shortminus2 = OpConstant %short -2
    %byteminus2 = OpConstant %byte -2
    %h1 = OpConstant %half 0x3c00
    %d1 = OpConstant %double 0 0x3ff00000";

/// Instructions that store `ldexp(1.0, exponent)` to element `index`.
fn scaled(index: u32, exponent: &str) -> String {
    format!(
        "%x{index} = OpExtInst %float %glsl Ldexp %f1 {exponent}
        %y{index} = OpBitcast %uint %x{index}\n"
    ) + &store(index, &format!("%y{index}"))
}

#[test]
fn exponents_of_any_width_scale_by_what_they_are() {
    let globals = format!("{}{WIDTHS}", numbers(12));
    // Also with a number of 64 bits that is not a constant.
    let mut body = "
        %a = OpAccessChain %ptr_uint %buffer %u0 %k8
        %b = OpLoad %uint %a
        %c = OpUConvert %ulong %b
        %d = OpBitcast %long %c
        %e = OpIAdd %long %low5 %d\n"
        .to_owned();
    let exponents =
        ["%low5", "%below", "%four", "%minus2", "%shortminus2", "%byteminus2", "%past32", "%e"];
    for (index, exponent) in (0..).zip(exponents) {
        body += &scaled(index, exponent);
    }
    body += "
        %x8 = OpExtInst %half %glsl Ldexp %h1 %low5
        %w8 = OpFConvert %float %x8
        %y8 = OpBitcast %uint %w8
        %x9 = OpExtInst %double %glsl Ldexp %d1 %low5
        %w9 = OpFConvert %float %x9
        %y9 = OpBitcast %uint %w9
        %x10 = OpExtInst %half %glsl Ldexp %h1 %four
        %w10 = OpFConvert %float %x10
        %y10 = OpBitcast %uint %w10
        %x11 = OpExtInst %double %glsl Ldexp %d1 %minus2
        %w11 = OpFConvert %float %x11
        %y11 = OpBitcast %uint %w11\n";
    for index in 8..12 {
        body += &store(index, &format!("%y{index}"));
    }
    let found = run(&module(&globals, &body), &[0; 12]);
    let found: Vec<f32> = found.into_iter().map(f32::from_bits).collect();
    let inf = f32::INFINITY;
    assert_eq!(found, [0.0, 0.0, 16.0, 0.25, 0.25, 0.25, inf, 0.0, 0.0, 0.0, 16.0, 0.25]);
}

#[test]
fn indices_of_64_bits_outside_of_an_array_name_no_element_inside() {
    let globals = format!("{}{WIDTHS}", numbers(8));
    for index in ["%past32", "%low5", "%below"] {
        let body = format!(
            "%a = OpAccessChain %ptr_uint %buffer %u0 %k7
            %b = OpLoad %uint %a
            %c = OpUConvert %ulong %b
            %d = OpBitcast %long %c
            %e = OpIAdd %long {index} %d
            %p = OpAccessChain %ptr_uint %buffer %u0 %e
            OpStore %p %k5
            %f = OpIAdd %long %four %d
            %q = OpAccessChain %ptr_uint %buffer %u0 %f
            OpStore %q %k3"
        );
        assert_eq!(run(&module(&globals, &body), &[0; 8]), [0, 0, 0, 0, 3, 0, 0, 0], "{index}");
    }
}

#[test]
fn scopes_of_64_bits_are_refused() {
    let text = format!(
        "{PREAMBLE}{WIDTHS}\n%main = OpFunction %void None %fn\n%entry = OpLabel
        OpMemoryBarrier %past32 %u0\nOpReturn\nOpFunctionEnd"
    );
    let error = translate(&common::assemble(&text), &TranslateOptions::default())
        .expect_err("a scope has 32 bits");
    assert_eq!(error.code, crestline_frontend::ErrorCode::OperandType);
}

#[test]
fn uniform_and_storage_buffers_may_share_a_binding() {
    let globals = format!(
        "{}
        OpDecorate %bytes Block
        OpMemberDecorate %bytes 0 Offset 8
        OpDecorate %view DescriptorSet 0
        OpDecorate %view Binding 0
        OpDecorate %list DescriptorSet 0
        OpDecorate %list Binding 0
        %bytes = OpTypeStruct %uint
        %two = OpTypeArray %block %k2
        %ptr_bytes = OpTypePointer Uniform %bytes
        %ptr_byte = OpTypePointer Uniform %uint
        %ptr_two = OpTypePointer StorageBuffer %two
        %view = OpVariable %ptr_bytes Uniform
        %list = OpVariable %ptr_two StorageBuffer",
        numbers(3)
    );
    let body = "
        %p = OpAccessChain %ptr_byte %view %u0
        %x = OpLoad %uint %p
        %q = OpAccessChain %ptr_uint %list %u0 %u0 %u0
        OpStore %q %x
        %r = OpAccessChain %ptr_uint %buffer %u0 %u1
        OpStore %r %x";
    let shader = module(&globals, body);
    let places: Vec<_> = shader.bindings.iter().map(|b| (b.set, b.binding, b.count)).collect();
    assert_eq!(places.len(), 3, "{places:?}");
    assert!(places.iter().all(|place| (place.0, place.1) == (0, 0)), "{places:?}");
    crestline_ssa::verify::verify(&shader).expect("bindings may share a place");
    assert_eq!(run(&shader, &[1, 2, 33]), [33, 33, 33]);
}

/// Whether the load of a second storage buffer with these decorations is `readonly` and `aliased`, where the shader
/// writes the first one. The second one is an array of buffers at a place of its own, or at that of the first one.
fn load_of_another(decorations: &str, binding: u32) -> (bool, bool) {
    let globals = format!(
        "{}
        OpDecorate %other DescriptorSet 0
        OpDecorate %other Binding {binding}
        {decorations}
        %two = OpTypeArray %block %k2
        %ptr_two = OpTypePointer StorageBuffer %two
        %other = OpVariable %ptr_two StorageBuffer",
        numbers(3)
    );
    let body = "
        %p = OpAccessChain %ptr_uint %other %u0 %u0 %u1
        %x = OpLoad %uint %p
        %q = OpAccessChain %ptr_uint %buffer %u0 %u0
        OpStore %q %x";
    let shader = module(&globals, body);
    let func = &shader.func;
    let insts = func.region(func.body()).insts.iter();
    let mut access = insts.filter_map(|&inst| match func.inst(inst).kind {
        InstKind::Load { access, .. } => Some((access.readonly, access.aliased)),
        _ => None,
    });
    access.next_back().expect("a load")
}

#[test]
fn buffers_overlap_if_both_are_aliased_or_have_one_place() {
    assert_eq!(load_of_another("", 1), (true, false));
    assert_eq!(load_of_another("OpDecorate %buffer Aliased", 1), (true, false));
    let both = "OpDecorate %buffer Aliased\nOpDecorate %other Aliased";
    assert_eq!(load_of_another(both, 1), (false, true));
    assert_eq!(load_of_another(&format!("{both}\nOpDecorate %other Restrict"), 1), (true, true));
    assert_eq!(load_of_another("", 0), (false, true));
}

#[test]
fn parts_of_a_constant_vector_may_be_integers_of_another_sign() {
    let globals = format!(
        "{}
        %int = OpTypeInt 32 1
        %uint2 = OpTypeVector %uint 2
        %i7 = OpConstant %int -7
        %pair = OpConstantComposite %uint2 %i7 %k1",
        numbers(2)
    );
    let body = "
        %x = OpCompositeExtract %uint %pair 0
        %y = OpCompositeExtract %uint %pair 1\n"
        .to_owned()
        + &store(0, "%x")
        + &store(1, "%y");
    assert_eq!(run(&module(&globals, &body), &[0, 0]), [-7i32 as u32, 1]);
}

#[test]
fn names_that_are_no_text_do_not_matter() {
    let text = format!(
        "{PREAMBLE}\n%main = OpFunction %void None %fn\n%entry = OpLabel
        %p = OpAccessChain %ptr_uint %buffer %u0 %u0
        OpStore %p %u1
        OpReturn\nOpFunctionEnd"
    );
    let text = text.replacen("OpDecorate", "OpName %buffer \"aaaa\"\nOpDecorate", 1);
    let mut words = common::assemble(&text);
    let name = words.iter().position(|&word| word == u32::from_le_bytes(*b"aaaa")).expect("a name");
    words[name] = u32::from_le_bytes([b'a', 0xff, 0xc3, b'b']);
    let shader = translate(&words, &TranslateOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(shader.bindings[0].name, "a\u{fffd}\u{fffd}b");
}

/// Only outputs of tessellation control shaders and inputs of tessellation evaluation shaders can be per patch.
#[test]
fn an_input_of_a_control_shader_is_not_per_patch() {
    let text = |decoration: &str| {
        format!(
            "OpCapability Tessellation
             OpMemoryModel Logical GLSL450
             OpEntryPoint TessellationControl %main \"main\" %in
             OpExecutionMode %main OutputVertices 1
             OpDecorate %in Location 0
             {decoration}
             %void = OpTypeVoid
             %function = OpTypeFunction %void
             %float = OpTypeFloat 32
             %int = OpTypeInt 32 1
             %zero = OpConstant %int 0
             %count = OpConstant %int 32
             %array = OpTypeArray %float %count
             %pointer = OpTypePointer Input %array
             %element = OpTypePointer Input %float
             %in = OpVariable %pointer Input
             %main = OpFunction %void None %function
             %label = OpLabel
             %at = OpAccessChain %element %in %zero
             %value = OpLoad %float %at
             OpReturn
             OpFunctionEnd"
        )
    };
    let translated = |decoration: &str| {
        let words = crestline_frontend::assemble(&text(decoration), 0x1_0500).unwrap();
        crestline_frontend::translate(&words, &crestline_frontend::TranslateOptions::default())
    };
    translated("").unwrap();
    let error = translated("OpDecorate %in Patch").unwrap_err();
    assert!(error.to_string().contains("without Patch"), "{error}");
}

#[test]
fn built_ins_of_vertices_are_not_variables_of_patches() {
    let module = |builtin: &str| {
        common::assemble(&format!(
            "OpCapability Tessellation
            OpMemoryModel Logical GLSL450
            OpEntryPoint TessellationControl %main \"main\" %variable
            OpExecutionMode %main OutputVertices 3
            OpDecorate %variable BuiltIn {builtin}
            OpDecorate %variable Patch
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %uint = OpTypeInt 32 0
            %float = OpTypeFloat 32
            %zero = OpConstant %uint 0
            %four = OpConstant %uint 4
            %one = OpConstant %float 1
            %floats = OpTypeArray %float %four
            %ptr = OpTypePointer Output %floats
            %ptr_float = OpTypePointer Output %float
            %variable = OpVariable %ptr Output
            %main = OpFunction %void None %fn
            %entry = OpLabel
            %at = OpAccessChain %ptr_float %variable %zero
            OpStore %at %one
            OpReturn
            OpFunctionEnd"
        ))
    };
    let options = TranslateOptions::default();
    translate(&module("TessLevelOuter"), &options).expect("levels belong to patches");
    let error = translate(&module("ClipDistance"), &options).expect_err("distances do not");
    assert!(error.to_string().contains("an element per vertex for ClipDistance"), "{error}");
}

/// Some compilers make a variable for the result of a function without one, and values of structures without members.
#[test]
fn variables_without_contents_are_accepted() {
    let globals = format!(
        "{}
        %empty = OpTypeStruct
        %ptr_void = OpTypePointer Function %void
        %ptr_empty = OpTypePointer Function %empty",
        numbers(1)
    );
    let body = format!(
        "%nothing = OpVariable %ptr_void Function
        %e = OpVariable %ptr_empty Function
        %value = OpCompositeConstruct %empty
        OpStore %e %value
        {}",
        store(0, "%u1")
    );
    assert_eq!(run(&module(&globals, &body), &[7]), [1]);
}

/// Assembles a module with instructions that have the form of `SDotAccSat`, and gives them another opcode.
fn mixed_dots(opcode: u32, result: &str, body: &str) -> Vec<u32> {
    /// The opcode of `OpSDotAccSat`.
    const SHAPE: u32 = 4453;
    let text = format!(
        "{PREAMBLE}
        %half = OpTypeFloat 16
        %half2 = OpTypeVector %half 2
        %u2 = OpConstant %uint 2
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %at0 = OpAccessChain %ptr_uint %buffer %u0 %u0
        %at1 = OpAccessChain %ptr_uint %buffer %u0 %u1
        %at2 = OpAccessChain %ptr_uint %buffer %u0 %u2
        %word0 = OpLoad %uint %at0
        %word1 = OpLoad %uint %at1
        %word2 = OpLoad %uint %at2
        %x = OpBitcast %half2 %word0
        %y = OpBitcast %half2 %word1
        {body}
        %dot = OpSDotAccSat {result} %x %y %added
        %bits = OpBitcast %uint %found
        OpStore %at0 %bits
        OpReturn
        OpFunctionEnd"
    );
    // What is stored is the result itself, or a vector that contains it.
    let found = if result == "%half" {
        "%both = OpCompositeConstruct %half2 %dot %dot\n%bits = OpBitcast %uint %both"
    } else {
        "%bits = OpBitcast %uint %dot"
    };
    let text = text.replace("%bits = OpBitcast %uint %found", found);
    let mut words = common::assemble(&text);
    for word in &mut words {
        if *word == 6 << 16 | SHAPE {
            *word = 6 << 16 | opcode;
        }
    }
    words
}

#[test]
fn dot_products_of_halves_add_a_number() {
    let (x, y) = (u32::from_le_bytes([0, 0x3e, 0, 0xc1]), u32::from_le_bytes([0, 0x42, 0, 0x38]));
    let translated = |opcode, result: &str, body: &str| {
        translate(&mixed_dots(opcode, result, body), &TranslateOptions::default())
    };
    // x is (1.5, -2.5) and y is (3, 0.5).
    let wide = translated(6916, "%float", "%added = OpBitcast %float %word2").unwrap();
    let sum = f32::from_bits(run(&wide, &[x, y, 1e-3f32.to_bits()])[0]);
    assert_eq!(sum, 1.5f32.mul_add(3.0, (-2.5f32).mul_add(0.5, 1e-3)));
    let body = "%pair = OpBitcast %half2 %word2\n%added = OpCompositeExtract %half %pair 0";
    let narrow = translated(6917, "%half", body).unwrap();
    // 0.25 is added; 3.5 is 0x4300.
    assert_eq!(run(&narrow, &[x, y, 0x3400])[0], 0x4300_4300);
    let error = translated(6916, "%float", "%added = OpBitcast %half2 %word2").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("FDot2MixAcc32VALVE") && text.contains("the same to add"), "{text}");
}
