//! The front end on fragment shaders in GLSL that only glslang compiles: what the IR has for each feature.

use crestline_filetests::corpus::compile_source;
use crestline_frontend::{Language, TranslateOptions, translate};
use crestline_ssa::passes::{Options, optimize};
use crestline_ssa::verify::verify;

/// The IR of a fragment shader, as text with single spaces. All passes must accept it.
fn glsl(source: &str) -> Result<String, String> {
    let source = format!("#version 460\n{source}");
    let words = compile_source("t.frag", Language::Glsl, &source).map_err(|e| e.to_string())?;
    let shader = translate(&words, &TranslateOptions::default()).map_err(|e| e.to_string())?;
    verify(&shader).unwrap();
    let mut optimized = shader.clone();
    optimize(&mut optimized, &Options::default(), &mut |name, shader| {
        verify(shader).unwrap_or_else(|error| panic!("after {name}: {error}\n{shader}"));
    })
    .unwrap();
    let text = shader.to_string();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn input_attachments_are_fetched_at_the_pixel() {
    let found = glsl(
        "layout(set = 1, binding = 2, input_attachment_index = 0) uniform subpassInput one;
        layout(set = 1, binding = 3, input_attachment_index = 1) uniform isubpassInputMS several;
        layout(set = 1, binding = 4, input_attachment_index = 2) uniform usubpassInput list[3];
        layout(location = 0) flat in int number;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = subpassLoad(one) + vec4(subpassLoad(several, number)) + vec4(subpassLoad(list[number]));
        }",
    )
    .unwrap();
    for part in [
        "binding b0: texture d2 set 1 binding 2 \"one\" readonly",
        "binding b1: texture d2 multisampled set 1 binding 3 \"several\" readonly",
        "binding b2: texture d2 set 1 binding 4 \"list\" count 3 readonly",
        "sysval frag_coord",
        "texture fetch b0, %",
        "texture fetch b1, %",
        ", sample %",
        "texture fetch b2[%",
    ] {
        assert!(found.contains(part), "{part}\n{found}");
    }
}

#[test]
fn multisampled_textures_are_fetched_and_queried() {
    let found = glsl(
        "layout(binding = 0) uniform sampler2DMS plain;
        layout(binding = 1) uniform isampler2DMSArray layers;
        layout(location = 0) out ivec4 colour;
        void main() {
            colour = texelFetch(layers, ivec3(1, 2, 3), 2) + ivec4(texelFetch(plain, ivec2(1), 1));
            colour += textureSamples(layers) + ivec4(textureSize(layers), 0);
        }",
    )
    .unwrap();
    for part in ["texture d2 array multisampled", "texture samples b1", "texture size b1"] {
        assert!(found.contains(part), "{part}\n{found}");
    }
    let stored = |body: &str| {
        glsl(&format!(
            "layout(binding = 0, rgba8) uniform image2DMS stored;
            layout(location = 0) out vec4 colour;
            void main() {{ {body} }}"
        ))
    };
    // Typed messages have no sample number, so the sampler reads them, and nothing writes them.
    let found = stored("colour = imageLoad(stored, ivec2(1), 1);").unwrap();
    assert!(found.contains("texture d2 multisampled"), "{found}");
    let error = stored("imageStore(stored, ivec2(1), 1, vec4(0.0));").unwrap_err();
    assert!(error.contains("found a multisampled image"), "{error}");
}

#[test]
fn inputs_are_interpolated_at_a_place() {
    let found = glsl(
        "layout(location = 0) in vec4 smooth_[2];
        layout(location = 2) noperspective in vec2 linear;
        layout(location = 3) flat in float flat_;
        layout(location = 4) flat in ivec2 numbers;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = interpolateAtCentroid(smooth_[numbers.x]);
            colour.xy += interpolateAtSample(linear, numbers.y);
            colour.x += interpolateAtOffset(linear.y, vec2(0.25, -0.5)) + interpolateAtCentroid(flat_);
        }",
    )
    .unwrap();
    for part in [
        "barycentric smooth centroid",
        "interpolate location 0, %",
        ", index %",
        "barycentric noperspective, sample %",
        "barycentric noperspective, offset %",
        "load_input location 3",
    ] {
        assert!(found.contains(part), "{part}\n{found}");
    }
}

#[test]
fn weights_and_values_of_vertices_are_inputs() {
    let found = glsl(
        "#extension GL_EXT_fragment_shader_barycentric : require
        layout(location = 0) pervertexEXT in vec4 corners[3];
        layout(location = 1) pervertexEXT in uint numbers[3];
        layout(location = 2) in vec2 plain;
        layout(location = 0) out vec4 colour;
        void main() {
            colour = corners[0] * gl_BaryCoordEXT.x + corners[1] * gl_BaryCoordEXT.y;
            colour += corners[numbers[2]] * gl_BaryCoordNoPerspEXT.z + plain.xyxy;
        }",
    )
    .unwrap();
    for part in [
        "input location 0: 32x4 \"corners\" per_vertex",
        "input location 1: 32 \"numbers\" per_vertex",
        "input location 2: 32x2 \"plain\" smooth",
        "barycentric smooth\n",
        "barycentric noperspective\n",
        "load_input location 0, vertex %",
    ] {
        assert!(found.contains(part), "{part}\n{found}");
    }
}

#[test]
fn components_of_16_bits_have_32_in_slots() {
    let found = glsl(
        "#extension GL_EXT_shader_16bit_storage : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(location = 0) in f16vec3 half_;
        layout(location = 1) flat in i16vec2 small;
        layout(location = 2) flat in uint16_t word[2];
        layout(location = 0) out f16vec4 colour;
        layout(location = 1) out i16vec4 signed_;
        layout(location = 2) out u16vec2 unsigned_;
        void main() {
            colour = f16vec4(half_, half_[int(word[1])]);
            signed_ = i16vec4(small, small.yx);
            signed_[int(word[0])] = int16_t(3);
            unsigned_ = u16vec2(word[0], 7);
        }",
    )
    .unwrap();
    for part in [
        "input location 0: 32x3 \"half_\" smooth",
        "input location 1: 32x2 \"small\" flat",
        "input location 2: 32[2] \"word\" flat",
        "output location 0: 32x4",
        "output location 1: 32x4",
        "output location 2: 32x2",
        "16x3 = f2f %",
        "32x4 = f2f %",
        "32x4 = i2i %",
        "32x2 = u2u %",
    ] {
        assert!(found.contains(part), "{part}\n{found}");
    }
}

#[test]
fn sample_shading_and_critical_sections_are_facts() {
    for (line, expected) in [
        ("sample in vec2 a", true),
        ("in Block { vec2 x; sample vec2 a; }", true),
        ("in vec2 a", false),
    ] {
        let found = glsl(&format!(
            "layout(location = 0) {line}; layout(location = 0) out vec2 colour;
            void main() {{ colour = a; }}"
        ));
        let found = found.unwrap();
        assert_eq!(found.contains("\nper_sample\n"), expected, "{line}\n{found}");
    }
    let found = glsl(
        "layout(location = 0) out vec4 colour;
        void main() { if (gl_SampleID > 1) colour = vec4(1.0); }",
    );
    assert!(found.unwrap().contains("\nper_sample\n"));
    let found = glsl(
        "#extension GL_ARB_fragment_shader_interlock : require
        layout(pixel_interlock_ordered) in;
        layout(set = 0, binding = 0) coherent buffer B { uint count[]; };
        void main() {
            uint at = uint(gl_FragCoord.x);
            beginInvocationInterlockARB();
            count[at] = count[at] * 2u + 1u;
            endInvocationInterlockARB();
        }",
    )
    .unwrap();
    for part in ["critical_sections pixel ordered", "interlock begin", "interlock end"] {
        assert!(found.contains(part), "{part}\n{found}");
    }
}
