//! Fragment shaders: their interface, their instructions, and what is refused.

mod common;

use crestline_frontend::{ErrorCode, Language, Source, TranslateOptions, to_spirv, translate};
use crestline_ssa::ir::{
    DepthMode, FragmentInfo, InstKind, Interlock, InterpMode, InterpPlace, Interpolation, IoSlot,
    Shader, StageInfo, SysVal,
};
use crestline_ssa::passes::{Options, optimize};
use crestline_ssa::verify::verify;

/// A module with one fragment shader. `head`: execution modes and decorations; `globals`: types and variables; `body`: its
/// only block, the terminator included.
fn module(head: &str, globals: &str, body: &str) -> Vec<u32> {
    common::assemble(&format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %in %out
        {head}
        %void = OpTypeVoid
        %bool = OpTypeBool
        %float = OpTypeFloat 32
        %double = OpTypeFloat 64
        %uint = OpTypeInt 32 0
        %vec2 = OpTypeVector %float 2
        %vec4 = OpTypeVector %float 4
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u2 = OpConstant %uint 2
        %f1 = OpConstant %float 1.0
        %fn = OpTypeFunction %void
        {globals}
        %main = OpFunction %void None %fn
        %entry = OpLabel
        {body}
        OpFunctionEnd"
    ))
}

const UPPER_LEFT: &str = "OpExecutionMode %main OriginUpperLeft\n";

/// An input of the type, loaded.
fn input(decorations: &str, ty: &str) -> Vec<u32> {
    let head = format!("{UPPER_LEFT}{decorations}");
    let globals = format!("{ty}\n%ptr = OpTypePointer Input %ty\n%in = OpVariable %ptr Input");
    module(&head, &globals, "%x = OpLoad %ty %in\nOpReturn")
}

/// An output of the type, stored.
fn output(decorations: &str, ty: &str) -> Vec<u32> {
    let head = format!("{UPPER_LEFT}{decorations}");
    let globals = format!(
        "{ty}\n%null = OpConstantNull %ty\n%ptr = OpTypePointer Output %ty\n%out = OpVariable %ptr Output"
    );
    module(&head, &globals, "OpStore %out %null\nOpReturn")
}

/// Translates, verifies, and runs all passes.
fn shader(words: &[u32]) -> Shader {
    let shader = translate(words, &TranslateOptions::default()).unwrap();
    verify(&shader).unwrap();
    let mut optimized = shader.clone();
    optimize(&mut optimized, &Options::default(), &mut |name, shader| {
        verify(shader).unwrap_or_else(|error| panic!("after {name}: {error}\n{shader}"));
    })
    .unwrap();
    shader
}

fn refused(words: &[u32]) -> (ErrorCode, String) {
    let error = translate(words, &TranslateOptions::default()).unwrap_err();
    (error.code, error.detail)
}

#[test]
fn execution_modes_are_facts_of_the_stage() {
    let info = |modes: &str| {
        let modes: String =
            modes.split(' ').map(|mode| format!("OpExecutionMode %main {mode}\n")).collect();
        let shader = shader(&module(&modes, "", "OpReturn"));
        match shader.stage {
            StageInfo::Fragment(info) => info,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(info("OriginUpperLeft"), FragmentInfo::default());
    assert_eq!(
        info("OriginUpperLeft EarlyFragmentTests DepthReplacing DepthGreater"),
        FragmentInfo { early_tests: true, depth: DepthMode::Greater, ..FragmentInfo::default() }
    );
    assert_eq!(
        info("OriginUpperLeft PostDepthCoverage DepthReplacing DepthUnchanged"),
        FragmentInfo {
            early_tests: true,
            post_depth_coverage: true,
            depth: DepthMode::Unchanged,
            ..FragmentInfo::default()
        }
    );
    assert_eq!(
        info("OriginUpperLeft RequireFullQuadsKHR QuadDerivativesKHR"),
        FragmentInfo { full_quads: true, ..FragmentInfo::default() }
    );
    for (mode, ordered, per_sample) in
        [("PixelInterlockOrderedEXT", true, false), ("SampleInterlockUnorderedEXT", false, true)]
    {
        let interlock = Some(Interlock { ordered, per_sample });
        let expected = FragmentInfo { interlock, ..FragmentInfo::default() };
        assert_eq!(info(&format!("OriginUpperLeft {mode}")), expected);
    }
    for (modes, named) in [
        ("EarlyFragmentTests", "OriginUpperLeft"),
        ("OriginLowerLeft", "OriginLowerLeft"),
        ("OriginUpperLeft PixelCenterInteger", "PixelCenterInteger"),
        ("OriginUpperLeft ShadingRateInterlockOrderedEXT", "ShadingRateInterlockOrderedEXT"),
        (
            "OriginUpperLeft PixelInterlockOrderedEXT SampleInterlockOrderedEXT",
            "SampleInterlockOrderedEXT",
        ),
        ("OriginUpperLeft DepthGreater DepthLess", "DepthLess"),
        ("OriginUpperLeft LocalSize", "LocalSize"),
    ] {
        let modes: String =
            modes.split(' ').map(|mode| format!("OpExecutionMode %main {mode}\n")).collect();
        let modes = modes.replace("LocalSize", "LocalSize 1 1 1");
        let (code, detail) = refused(&module(&modes, "", "OpReturn"));
        assert_eq!(code, ErrorCode::StageMode, "{detail}");
        assert!(detail.contains(named), "{detail}");
    }
}

#[test]
fn decorations_say_how_inputs_are_interpolated() {
    let location = "OpDecorate %in Location 3\n";
    let of = |decorations: &str, ty: &str| {
        let shader = shader(&input(&format!("{location}{decorations}"), ty));
        assert_eq!(shader.inputs.len(), 1);
        assert_eq!(shader.inputs[0].slot, IoSlot::Location(3));
        shader.inputs[0].interp.unwrap()
    };
    let vec4 = "%ty = OpTypeVector %float 4";
    let uint = "%ty = OpTypeInt 32 1";
    assert_eq!(of("", vec4), Interpolation::SMOOTH);
    assert_eq!(of("OpDecorate %in Flat", vec4), Interpolation::FLAT);
    assert_eq!(of("OpDecorate %in Flat\nOpDecorate %in Centroid", uint), Interpolation::FLAT);
    assert_eq!(
        of("OpDecorate %in NoPerspective\nOpDecorate %in Sample", vec4),
        Interpolation { mode: InterpMode::NoPerspective, place: InterpPlace::Sample }
    );
    assert_eq!(
        of("OpDecorate %in Centroid", "%ty = OpTypeArray %vec4 %u2"),
        Interpolation { mode: InterpMode::Smooth, place: InterpPlace::Centroid }
    );
    for (decorations, ty, named) in [
        ("", uint, "Flat"),
        ("", "%ty = OpTypeVector %uint 2", "Flat"),
        ("", "%ty = OpTypeArray %double %u2", "Flat"),
        ("OpDecorate %in Flat\nOpDecorate %in NoPerspective", vec4, "NoPerspective"),
        ("OpDecorate %in Sample\nOpDecorate %in Centroid", vec4, "Centroid"),
        ("OpDecorate %in Index 2", vec4, "index"),
        ("OpDecorate %in Patch", vec4, "tessellation"),
    ] {
        let (code, detail) = refused(&input(&format!("{location}{decorations}"), ty));
        assert_eq!(code, ErrorCode::BadInterface, "{detail}");
        assert!(detail.contains(named), "{detail}");
    }
    assert_eq!(refused(&input("OpDecorate %in Flat", vec4)).0, ErrorCode::BadInterface);
    // A location that no hardware has.
    let far = "OpDecorate %in Location 32";
    assert_eq!(refused(&input(far, vec4)).0, ErrorCode::BadInterface);
}

#[test]
fn members_are_interpolated_each_in_its_way() {
    let members = "OpMemberDecorate %ty 0 Flat\nOpMemberDecorate %ty 1 NoPerspective\n";
    let struct_ty = "%ty = OpTypeStruct %uint %vec4 %vec2";
    for decorations in [
        "OpDecorate %in Location 4\n",
        "OpDecorate %in Location 4\nOpDecorate %ty Block\n",
        "OpDecorate %ty Block\nOpMemberDecorate %ty 0 Location 4\nOpMemberDecorate %ty 1 Location 5\nOpMemberDecorate %ty 2 Location 6\n",
    ] {
        let shader = shader(&input(&format!("{decorations}{members}"), struct_ty));
        let found: Vec<_> =
            shader.inputs.iter().map(|var| (var.slot, var.interp.unwrap().mode)).collect();
        let expected = [
            (IoSlot::Location(4), InterpMode::Flat),
            (IoSlot::Location(5), InterpMode::NoPerspective),
            (IoSlot::Location(6), InterpMode::Smooth),
        ];
        assert_eq!(found, expected, "{decorations}");
    }
    // In an array they share a declaration.
    let array = "%struct = OpTypeStruct %vec4 %vec2\n%ty = OpTypeArray %struct %u2";
    let flat = |members: &[u32]| -> String {
        let member = |i: &u32| format!("OpMemberDecorate %struct {i} Flat\n");
        "OpDecorate %in Location 0\n".to_owned() + &members.iter().map(member).collect::<String>()
    };
    let shader = shader(&input(&flat(&[0, 1]), array));
    assert_eq!((shader.inputs[0].slots(), shader.inputs[0].interp), (4, Some(Interpolation::FLAT)));
    let (code, detail) = refused(&input(&flat(&[1]), array));
    assert_eq!(code, ErrorCode::BadInterface, "{detail}");
    assert!(detail.contains("one interpolation"), "{detail}");
}

#[test]
fn built_in_inputs_are_values_or_slots() {
    for (name, ty, sysval) in [
        ("FragCoord", "%ty = OpTypeVector %float 4", SysVal::FragCoord),
        ("FrontFacing", "%ty = OpTypeBool", SysVal::FrontFacing),
        ("PointCoord", "%ty = OpTypeVector %float 2", SysVal::PointCoord),
        ("SampleId", "%ty = OpTypeInt 32 1", SysVal::SampleId),
        ("SamplePosition", "%ty = OpTypeVector %float 2", SysVal::SamplePosition),
        ("SampleMask", "%ty = OpTypeArray %uint %u1", SysVal::SampleMaskIn),
        // naga makes it a scalar.
        ("SampleMask", "%ty = OpTypeInt 32 0", SysVal::SampleMaskIn),
        ("HelperInvocation", "%ty = OpTypeBool", SysVal::HelperInvocation),
        ("FullyCoveredEXT", "%ty = OpTypeBool", SysVal::FullyCovered),
    ] {
        let shader = shader(&input(&format!("OpDecorate %in BuiltIn {name}"), ty));
        let func = &shader.func;
        let first = func.inst(func.region(func.body()).insts[0]);
        assert_eq!(first.kind, InstKind::SysVal(sysval));
        assert!(shader.inputs.is_empty());
    }
    for (name, ty, slot, mode) in [
        ("Layer", "%ty = OpTypeInt 32 1", IoSlot::Layer, InterpMode::Flat),
        ("ViewportIndex", "%ty = OpTypeInt 32 1", IoSlot::ViewportIndex, InterpMode::Flat),
        ("PrimitiveId", "%ty = OpTypeInt 32 1", IoSlot::PrimitiveId, InterpMode::Flat),
        (
            "ClipDistance",
            "%ty = OpTypeArray %float %u2",
            IoSlot::ClipDistances { first: 0 },
            InterpMode::Smooth,
        ),
    ] {
        let shader = shader(&input(&format!("OpDecorate %in BuiltIn {name}"), ty));
        assert_eq!(shader.inputs[0].slot, slot);
        assert_eq!(shader.inputs[0].interp.unwrap().mode, mode);
    }
    for (name, ty) in [
        ("FragCoord", "%ty = OpTypeVector %float 2"),
        ("FrontFacing", "%ty = OpTypeInt 32 0"),
        ("SampleMask", "%ty = OpTypeVector %uint 2"),
        ("SampleMask", "%ty = OpTypeArray %uint %u2"),
        ("Layer", "%ty = OpTypeVector %float 2"),
        ("Position", "%ty = OpTypeVector %float 4"),
        ("PointSize", "%ty = OpTypeFloat 32"),
        ("FragDepth", "%ty = OpTypeFloat 32"),
        ("VertexIndex", "%ty = OpTypeInt 32 0"),
        ("LocalInvocationIndex", "%ty = OpTypeInt 32 0"),
        ("BaryCoordKHR", "%ty = OpTypeVector %float 2"),
        ("FullyCoveredEXT", "%ty = OpTypeInt 32 0"),
    ] {
        let (code, detail) = refused(&input(&format!("OpDecorate %in BuiltIn {name}"), ty));
        assert_eq!(code, ErrorCode::UnsupportedBuiltin, "{detail}");
        assert!(detail.contains(name), "{detail}");
    }
}

#[test]
fn outputs_are_colours_and_built_ins() {
    let vec4 = "%ty = OpTypeVector %float 4";
    let slots = |decorations: &str, ty: &str| {
        let shader = shader(&output(decorations, ty));
        shader.outputs.iter().map(|var| var.slot).collect::<Vec<_>>()
    };
    assert_eq!(slots("OpDecorate %out Location 7", vec4), [IoSlot::Location(7)]);
    assert_eq!(
        slots("OpDecorate %out Location 0\nOpDecorate %out Index 1", vec4),
        [IoSlot::SecondColour(0)]
    );
    for (name, ty, slot) in [
        ("FragDepth", "%ty = OpTypeFloat 32", IoSlot::Depth),
        ("FragStencilRefEXT", "%ty = OpTypeInt 32 1", IoSlot::StencilRef),
        ("SampleMask", "%ty = OpTypeArray %uint %u1", IoSlot::SampleMask),
        ("SampleMask", "%ty = OpTypeInt 32 0", IoSlot::SampleMask),
    ] {
        let replaces = "OpExecutionMode %main DepthReplacing";
        let decorations = format!("{replaces}\nOpDecorate %out BuiltIn {name}");
        assert_eq!(slots(&decorations, ty), [slot]);
    }
    let (code, detail) =
        refused(&output("OpDecorate %out BuiltIn FragDepth", "%ty = OpTypeFloat 32"));
    assert_eq!(code, ErrorCode::StageMode);
    assert!(detail.contains("DepthReplacing"), "{detail}");
    for (decorations, ty, code) in [
        ("OpDecorate %out Location 8", vec4, ErrorCode::BadInterface),
        ("OpDecorate %out Location 0\nOpDecorate %out Index 2", vec4, ErrorCode::BadInterface),
        ("OpDecorate %out Location 0", "%ty = OpTypeVector %double 2", ErrorCode::BadInterface),
        ("OpDecorate %out BuiltIn Position", vec4, ErrorCode::UnsupportedBuiltin),
        ("OpDecorate %out BuiltIn FragDepth", vec4, ErrorCode::UnsupportedBuiltin),
        (
            "OpDecorate %out BuiltIn SampleMask",
            "%ty = OpTypeArray %uint %u2",
            ErrorCode::UnsupportedBuiltin,
        ),
        ("", vec4, ErrorCode::BadInterface),
    ] {
        let (found, detail) = refused(&output(decorations, ty));
        assert_eq!(found, code, "{decorations}: {detail}");
    }
}

/// The kinds of the instructions in the body's first regions, in text form.
fn text(words: &[u32]) -> String {
    shader(words).to_string()
}

#[test]
fn derivatives_and_helpers_are_instructions() {
    let location = format!("{UPPER_LEFT}OpDecorate %in Location 0\n");
    let globals = "%ptr = OpTypePointer Input %vec2\n%in = OpVariable %ptr Input";
    let found = |line: &str| {
        let body = format!("%a = OpLoad %vec2 %in\n{line}\nOpReturn");
        text(&module(&location, globals, &body))
    };
    assert!(found("%b = OpDPdxCoarse %vec2 %a").contains("derivative x coarse, %0"));
    assert!(found("%b = OpDPdy %vec2 %a").contains("derivative y, %0"));
    let width = found("%b = OpFwidthFine %vec2 %a");
    for part in ["derivative x fine, %0", "derivative y fine, %0", "fabs", "fadd"] {
        assert!(width.contains(part), "{width}");
    }
    assert!(found("OpDemoteToHelperInvocation").contains("demote"));
    assert!(found("%b = OpIsHelperInvocationEXT %bool").contains("is_helper"));
    for (line, code) in [
        ("%b = OpDPdx %float %a", ErrorCode::ResultType),
        ("%b = OpDPdx %uint %u1", ErrorCode::OperandType),
        ("%b = OpIsHelperInvocationEXT %uint", ErrorCode::ResultType),
    ] {
        let body = format!("%a = OpLoad %vec2 %in\n{line}\nOpReturn");
        assert_eq!(refused(&module(&location, globals, &body)).0, code, "{line}");
    }
}

#[test]
fn a_level_of_detail_is_implicit() {
    let location = format!(
        "{UPPER_LEFT}OpDecorate %in Location 0\nOpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0\n"
    );
    let globals = "%ptr = OpTypePointer Input %vec2
        %in = OpVariable %ptr Input
        %image = OpTypeImage %float 2D 0 0 0 1 0
        %sampled = OpTypeSampledImage %image
        %ptr_sampled = OpTypePointer UniformConstant %sampled
        %t = OpVariable %ptr_sampled UniformConstant";
    let words = |line: &str| {
        let body = format!("%a = OpLoad %vec2 %in\n%s = OpLoad %sampled %t\n%b = {line}\nOpReturn");
        module(&location, globals, &body)
    };
    let plain = text(&words("OpImageSampleImplicitLod %vec4 %s %a"));
    assert!(plain.contains(", implicit\n"), "{plain}");
    let biased = text(&words("OpImageSampleImplicitLod %vec4 %s %a 1 %f1"));
    assert!(biased.contains(", implicit, bias %"), "{biased}");
    let level = text(&words("OpImageSampleExplicitLod %vec4 %s %a 2 %f1"));
    assert!(level.contains(", level %") && !level.contains("implicit"), "{level}");
    for line in [
        "OpImageSampleImplicitLod %vec4 %s %a 2 %f1",
        "OpImageSampleImplicitLod %vec4 %s %a 4 %a %a",
    ] {
        assert_eq!(refused(&words(line)).0, ErrorCode::OperandType, "{line}");
    }
    // The lowest level.
    let least = text(&words("OpImageSampleImplicitLod %vec4 %s %a 128 %f1"));
    assert!(least.contains(", implicit, least %"), "{least}");
    let both = text(&words("OpImageSampleExplicitLod %vec4 %s %a 132 %a %a %f1"));
    assert!(both.contains(", least %") && both.contains(", gradients %"), "{both}");
    let query = text(&words("OpImageQueryLod %vec2 %s %a"));
    assert!(query.contains("texture lod b0, sampler b0, %"), "{query}");
    for line in [
        "OpImageSampleExplicitLod %vec4 %s %a 130 %f1 %f1",
        "OpImageSampleImplicitLod %vec4 %s %a 64 %u1",
    ] {
        assert_eq!(refused(&words(line)).0, ErrorCode::OperandType, "{line}");
    }
}

#[test]
fn a_volatile_read_follows_demotion() {
    let decoration = format!("{UPPER_LEFT}OpDecorate %in BuiltIn HelperInvocation\n");
    let globals = "%ptr = OpTypePointer Input %bool\n%in = OpVariable %ptr Input";
    let plain = text(&module(&decoration, globals, "%a = OpLoad %bool %in\nOpReturn"));
    assert!(plain.contains("sysval helper_invocation"), "{plain}");
    // The memory operand Volatile.
    let anew = text(&module(&decoration, globals, "%a = OpLoad %bool %in 1\nOpReturn"));
    assert!(anew.contains("is_helper"), "{anew}");
    let decoration = format!("{decoration}OpDecorate %in Volatile\n");
    let anew = text(&module(&decoration, globals, "%a = OpLoad %bool %in\nOpReturn"));
    assert!(anew.contains("is_helper"), "{anew}");
}

#[test]
fn a_killed_invocation_is_demoted_and_returns() {
    for kill in ["OpKill", "OpTerminateInvocation"] {
        let globals = "%ptr = OpTypePointer Input %bool\n%in = OpVariable %ptr Input";
        let head = format!("{UPPER_LEFT}OpDecorate %in BuiltIn FrontFacing\n");
        let branch = "%a = OpLoad %bool %in
            OpSelectionMerge %after None
            OpBranchConditional %a %yes %after
            %yes = OpLabel";
        let found =
            text(&module(&head, globals, &format!("{branch}\n{kill}\n%after = OpLabel\nOpReturn")));
        assert!(found.contains("demote") && found.contains("return"), "{found}");
        // In a function that is called, at its end and in a branch.
        for callee in
            [format!("{kill}\n"), format!("{branch}\n{kill}\n%after = OpLabel\nOpReturn\n")]
        {
            let body = format!(
                "%call = OpFunctionCall %void %callee
                %more = OpLoad %bool %in
                OpReturn
                OpFunctionEnd
                %callee = OpFunction %void None %fn
                %start = OpLabel
                {callee}"
            );
            let found = text(&module(&head, globals, &body));
            assert!(found.contains("demote") && found.contains("return"), "{found}");
        }
    }
}

#[test]
fn a_killed_invocation_serves_derivatives_that_follow() {
    let head =
        format!("{UPPER_LEFT}OpDecorate %in Location 0\nOpDecorate %front BuiltIn FrontFacing\n");
    let globals = "%ptr = OpTypePointer Input %vec2
        %in = OpVariable %ptr Input
        %ptr_bool = OpTypePointer Input %bool
        %front = OpVariable %ptr_bool Input";
    let kill = "%c = OpLoad %bool %front
        OpSelectionMerge %after None
        OpBranchConditional %c %yes %after
        %yes = OpLabel
        OpKill
        %after = OpLabel
        %a = OpLoad %vec2 %in";
    let plain = module(&head, globals, &format!("{kill}\n%d = OpDPdx %vec2 %a\nOpReturn"));
    assert_eq!(text(&plain).matches("return").count(), 1, "{}", text(&plain));
    let without = module(&head, globals, &format!("{kill}\nOpReturn"));
    assert_eq!(text(&without).matches("return").count(), 2);
    // The only way out of a loop may be that the invocation ends, so it leaves the loop when its whole quad has ended.
    let in_loop = module(
        &head,
        globals,
        &format!(
            "%d = OpDPdx %vec2 %u\nOpBranch %loop\n%loop = OpLabel
            OpLoopMerge %end %next None\nOpBranch %body\n%body = OpLabel\n{kill}
            OpBranch %next\n%next = OpLabel\nOpBranch %loop\n%end = OpLabel\nOpReturn"
        )
        .replace("%d = OpDPdx %vec2 %u", "%u = OpLoad %vec2 %in\n%d = OpDPdx %vec2 %u"),
    );
    let found = text(&in_loop);
    assert_eq!(found.matches("return").count(), 1, "{found}");
    assert!(found.contains("all_killed %"), "{found}");
}

#[test]
fn other_stages_have_none_of_it() {
    for body in [
        "%x = OpDPdx %float %f1\nOpReturn",
        "OpDemoteToHelperInvocation\nOpReturn",
        "%x = OpIsHelperInvocationEXT %bool\nOpReturn",
        "OpKill",
        "OpTerminateInvocation",
    ] {
        let words = common::assemble(&format!(
            "OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\"
            OpExecutionMode %main LocalSize 1 1 1
            %void = OpTypeVoid
            %bool = OpTypeBool
            %float = OpTypeFloat 32
            %f1 = OpConstant %float 1.0
            %fn = OpTypeFunction %void
            %main = OpFunction %void None %fn
            %entry = OpLabel
            {body}
            OpFunctionEnd"
        ));
        let (code, detail) = refused(&words);
        assert_eq!(code, ErrorCode::Unsupported, "{detail}");
        assert!(detail.contains("fragment shader"), "{detail}");
    }
}

#[test]
fn wgsl_fragment_shaders_translate() {
    let text = "struct In {
            @builtin(position) at: vec4f,
            @location(0) uv: vec2f,
            @location(1) @interpolate(flat) id: u32,
            @location(2) @interpolate(linear, centroid) c: vec3f,
            @builtin(front_facing) front: bool,
        }
        struct Out { @location(0) colour: vec4f, @builtin(frag_depth) depth: f32 }
        @fragment fn main(in: In) -> Out {
            if in.uv.x < 0.25 || !in.front { discard; }
            let d = dpdx(in.uv) + fwidthFine(in.uv);
            return Out(vec4f(d, f32(in.id), in.c.x), in.at.z);
        }";
    let words =
        to_spirv(&Source { name: "a.wgsl", language: Language::Wgsl, bytes: text.as_bytes() })
            .unwrap();
    let shader = shader(&words);
    assert_eq!(shader.inputs.len(), 3);
    assert_eq!(shader.outputs.len(), 2);
}
