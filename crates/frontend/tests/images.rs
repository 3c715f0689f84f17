//! Tests images and textures that the hardware cannot access: the error names the binding and its declaration.

mod common;

use crestline_frontend::{TranslateOptions, translate};

/// A module with one image variable and code that uses it. The code refers to the type as `%image` and to the loaded
/// image as `%loaded`. Image operands are numbers: 2 is a level, 8 a constant offset, 64 a sample.
fn module(image: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1
        OpName %picture \"picture\"
        OpDecorate %picture DescriptorSet 1
        OpDecorate %picture Binding 3
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %ulong = OpTypeInt 64 0
        %float = OpTypeFloat 32
        %uint2 = OpTypeVector %uint 2
        %uint3 = OpTypeVector %uint 3
        %float2 = OpTypeVector %float 2
        %float4 = OpTypeVector %float 4
        %uint4 = OpTypeVector %uint 4
        %u0 = OpConstant %uint 0
        %u9 = OpConstant %uint 9
        %f0 = OpConstant %float 0
        %at = OpConstantComposite %uint2 %u0 %u0
        %at3 = OpConstantComposite %uint3 %u0 %u0 %u0
        %far = OpConstantComposite %uint2 %u9 %u0
        %fat = OpConstantComposite %float2 %f0 %f0
        %texel = OpConstantComposite %float4 %f0 %f0 %f0 %f0
        %image = {image}
        %sampled = OpTypeSampledImage %image
        %ptr = OpTypePointer UniformConstant %image
        %ptr_sampled = OpTypePointer UniformConstant %sampled
        %ptr_texel = OpTypePointer Image %float
        %picture = OpVariable %ptr UniformConstant
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %loaded = OpLoad %image %picture
        {body}
        OpReturn
        OpFunctionEnd"
    )
}

fn message(image: &str, body: &str) -> String {
    let words = common::assemble(&module(image, body));
    match translate(&words, &TranslateOptions::default()) {
        Ok(shader) => panic!("it is accepted: {image} {body}\n{shader}"),
        Err(error) => error.to_string(),
    }
}

/// naga passes an array of textures to a function as a value.
#[test]
fn an_element_of_a_loaded_array_of_textures_is_that_texture() {
    let image = "OpTypeImage %float 2D 0 0 0 1 Unknown";
    let read = "%value = OpImageFetch %float4 %element %at 2 %u0";
    let translated = |load: &str| {
        let text = module(image, "")
            .replace("%picture = OpVariable %ptr ", "%picture = OpVariable %ptr_array ")
            .replace("%loaded = OpLoad %image %picture", &format!("{load}\n{read}"))
            .replace(
                "%main = OpFunction ",
                "%u3 = OpConstant %uint 3\n%u1 = OpConstant %uint 1\n\
                 %array = OpTypeArray %image %u3\n\
                 %ptr_array = OpTypePointer UniformConstant %array\n%main = OpFunction ",
            );
        // A variable comes after its type.
        let variable = "%picture = OpVariable %ptr_array UniformConstant\n";
        let text = text
            .replace(variable, "")
            .replace("%main = OpFunction ", &format!("{variable}%main = OpFunction "));
        let shader = translate(&common::assemble(&text), &TranslateOptions::default());
        shader.unwrap_or_else(|error| panic!("{error}")).to_string()
    };
    let element =
        translated("%place = OpAccessChain %ptr %picture %u1\n%element = OpLoad %image %place");
    let whole = translated(
        "%whole = OpLoad %array %picture\n%element = OpCompositeExtract %image %whole 1",
    );
    assert_eq!(whole, element);
}

/// DXC's optimizer leaves reads of undefined images.
#[test]
fn a_read_of_an_undefined_image_is_undefined() {
    let image = "OpTypeImage %float 2D 0 0 0 2 Rgba8";
    let body = "%undef = OpUndef %image\n%value = OpImageRead %float4 %undef %at\n\
                OpImageWrite %undef %at %texel\nOpImageWrite %loaded %at %value";
    let words = common::assemble(&module(image, body));
    let shader = translate(&words, &TranslateOptions::default()).expect("a valid module");
    let text = shader.to_string();
    assert_eq!(text.matches("image_store").count(), 1, "{text}");
    assert!(!text.contains("image_load"), "{text}");
    let found = message(image, "%value = OpImageRead %float4 %u0 %at");
    assert!(found.contains("found an integer"), "{found}");
}

#[test]
fn declarations_that_no_message_serves_are_refused() {
    let place = "\"picture\" at set 1 binding 3";
    for (image, expected) in [
        ("OpTypeImage %uint 2D 0 0 0 2 Rgba8", "an integer of 32 bits for rgba8"),
        ("OpTypeImage %float 2D 0 0 0 2 Rgba8ui", "a float of 32 bits for rgba8ui"),
        ("OpTypeImage %ulong 2D 0 0 0 2 R64ui", "found R64ui"),
        ("OpTypeImage %float 3D 0 0 1 2 Rgba16f", "two dimensions of a multisampled texture"),
        ("OpTypeImage %float 3D 0 0 1 1 Unknown", "two dimensions of a multisampled texture"),
        ("OpTypeImage %ulong 2D 0 0 0 1 Unknown", "an integer of 64 bits"),
    ] {
        let message = message(image, "");
        assert!(message.starts_with("E0311"), "{image}: {message}");
        assert!(message.contains(place) && message.contains(expected), "{image}: {message}");
    }
}

#[test]
fn uses_that_do_not_fit_the_image_are_refused() {
    let (storage, texture) =
        ("OpTypeImage %float 2D 0 0 0 2 Rgba8", "OpTypeImage %float 2D 0 0 0 1 Unknown");
    let cube = "OpTypeImage %float Cube 0 0 0 1 Unknown";
    let samples = "OpTypeImage %float 2D 0 0 1 2 Rgba8";
    let (multisampled, attachment) =
        ("OpTypeImage %float 2D 0 0 1 1 Unknown", "OpTypeImage %float SubpassData 0 0 0 2 Unknown");
    for (image, body, code, expected) in [
        (storage, "%x = OpImageRead %uint4 %loaded %at", "E0502", "components of the image's"),
        (storage, "%x = OpImageRead %float4 %loaded %u0", "E0501", "2 coordinates"),
        (storage, "%x = OpImageFetch %float4 %loaded %at", "E0501", "an image for a sampler"),
        (
            storage,
            "%x = OpImageTexelPointer %ptr_texel %picture %at %u0",
            "E0308",
            "set 1 binding 3",
        ),
        (texture, "%x = OpImageFetch %uint4 %loaded %at", "E0502", "components of the texture's"),
        (texture, "%x = OpImageFetch %float4 %loaded %u0", "E0501", "2 components"),
        (texture, "OpImageWrite %loaded %at %texel", "E0501", "a storage image"),
        (
            texture,
            "%x = OpImageSampleExplicitLod %float4 %loaded %fat 2 %f0",
            "E0501",
            "with a sampler",
        ),
        (texture, "%x = OpSampledImage %sampled %loaded %loaded", "E0501", "a sampler"),
        (texture, "%x = OpImageFetch %float4 %loaded %at 64 %u0", "E0501", "a multisampled image"),
        (multisampled, "%x = OpImageFetch %float4 %loaded %at", "E0501", "number of a sample"),
        (multisampled, "%x = OpImageFetch %float4 %loaded %at 66 %u0 %u0", "E0501", "no level"),
        (texture, "%x = OpImageQuerySamples %uint %loaded", "E0501", "a multisampled image"),
        (samples, "%x = OpImageRead %float4 %loaded %at", "E0501", "number of a sample"),
        (samples, "OpImageWrite %loaded %at %texel 64 %u0", "E0311", "found a multisampled image"),
        (
            samples,
            "%x = OpImageTexelPointer %ptr_texel %picture %at %u0",
            "E0311",
            "found a multisampled image",
        ),
        (attachment, "%x = OpImageRead %float4 %loaded %at", "E0503", "fragment shader"),
        (cube, "%x = OpImageFetch %float4 %loaded %at3", "E0311", "not a cube map"),
    ] {
        let message = message(image, body);
        assert!(message.starts_with(code), "{body}: {message}");
        assert!(message.contains(expected), "{body}: {message}");
    }
}

#[test]
fn coordinates_of_rectangles_count_texels() {
    let text = module("OpTypeImage %float Rect 0 0 0 1 Unknown", "")
        .replace("OpVariable %ptr ", "OpVariable %ptr_sampled ")
        .replace("OpLoad %image", "OpLoad %sampled");
    for (body, divisions) in [
        ("OpImageSampleExplicitLod %float4 %loaded %fat 2 %f0", 2),
        ("OpImageSampleExplicitLod %float4 %loaded %fat 4 %fat %fat", 6),
        ("OpImageGather %float4 %loaded %fat %u0", 2),
    ] {
        let text = text.replace("OpReturn\n", &format!("%x = {body}\nOpReturn\n"));
        let shader = translate(&common::assemble(&text), &TranslateOptions::default()).unwrap();
        let found = shader.to_string();
        assert!(found.contains("texture d2 "), "{found}");
        assert_eq!(found.matches("= fdiv %").count(), divisions, "{found}");
    }
    let fetch =
        module("OpTypeImage %float Rect 0 0 0 1 Unknown", "%x = OpImageFetch %float4 %loaded %at");
    let shader = translate(&common::assemble(&fetch), &TranslateOptions::default()).unwrap();
    assert!(!shader.to_string().contains("fdiv"), "{shader}");
}

#[test]
fn offsets_beyond_a_message_are_refused() {
    let text = module("OpTypeImage %float 2D 0 0 0 1 Unknown", "")
        .replace("OpVariable %ptr ", "OpVariable %ptr_sampled ")
        .replace("OpLoad %image", "OpLoad %sampled");
    for (body, code, expected) in [
        ("OpImageSampleExplicitLod %float4 %loaded %fat 10 %f0 %far", "E0501", "-8 to 7"),
        ("OpImageQueryLod %float2 %loaded %fat", "E0503", "OpImageQueryLod"),
    ] {
        let text = text.replace("OpReturn\n", &format!("%x = {body}\nOpReturn\n"));
        let error = translate(&common::assemble(&text), &TranslateOptions::default());
        let message = error.expect_err("it is refused").to_string();
        assert!(message.starts_with(code) && message.contains(expected), "{body}: {message}");
    }
    let gather = "%x = OpImageGather %float4 %loaded %fat %u0 8 %far\nOpReturn\n";
    let words = common::assemble(&text.replace("OpReturn\n", gather));
    let shader = translate(&words, &TranslateOptions::default()).expect("a gather has more room");
    assert!(shader.to_string().contains("texture gather 0 b0, sampler b0"), "{shader}");
}
