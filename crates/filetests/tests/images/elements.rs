//! Tests arrays of images in which each invocation selects an element.

use crestline_filetests::case::Case;
use crestline_filetests::corpus::{RunTest, compile_source};
use crestline_filetests::engine::{Emulator, Engine, Interpreter};
use crestline_frontend::Language;

/// A shader in which each invocation selects the elements of image arrays. Its comments are directives of a run test.
const ELEMENTS: &str = "#version 450
    //! dispatch 1 1 1
    //! image 0.0 = 2d 8x4x1 r32ui: u32 32 * bits
    //! image 0.0[1] = 2d 8x4x1 r32ui: u32 32 * bits
    //! image 0.0[2] = 2d 8x4x1 r32ui: u32 32 * bits
    //! image 0.1 = 1d 32x1x1 rgba8: u8 128 * bits
    //! image 0.1[1] = 1d 32x1x1 rgba8: u8 128 * bits
    //! texture 0.2 = 2d 4x4x1 r32f sampler=nearest:repeat: f32 16 * uniform 0 1
    //! texture 0.2[1] = 2d 8x2x1 r32f sampler=nearest:clamp: f32 16 * uniform 0 1
    //! texture 0.3 = 1d 8x1x1 rg32f: f32 16 * uniform 0 1
    //! texture 0.3[1] = 1d 4x1x1 rg32f: f32 8 * uniform 0 1
    //! image 0.7 = 1d 32x1x1 rgba32f: f32 128 * uniform 0 1
    //! image 0.7[1] = 1d 32x1x1 rgba32f: f32 128 * uniform 0 1
    //! sampler 0.4 = nearest:mirror
    //! sampler 0.4[1] = nearest:border:border=opaque_white
    //! sampler 0.4[2] = linear:clamp
    //! buffer 0.5 = zero 512
    //! buffer 0.6 = zero 512
    //! compare 0.1 = u8 abs 1
    //! compare 0.1[1] = u8 abs 1
    //! compare 0.5 = f32 abs 1e-5
    #extension GL_EXT_nonuniform_qualifier : require
    layout(local_size_x = 32) in;
    layout(set = 0, binding = 0, r32ui) uniform uimage2D counts[3];
    layout(set = 0, binding = 1, rgba8) uniform image1D colors[2];
    layout(set = 0, binding = 7, rgba32f) uniform image1D wides[2];
    layout(set = 0, binding = 2) uniform sampler2D planes[2];
    layout(set = 0, binding = 3) uniform texture1D lines[2];
    layout(set = 0, binding = 4) uniform sampler samplers[3];
    layout(set = 0, binding = 5) buffer Found { vec4 found[32]; };
    layout(set = 0, binding = 6) buffer Sizes { ivec4 sizes[32]; };
    void main() {
        int i = int(gl_LocalInvocationID.x);
        int third = i % 3, half_ = i / 3 % 2;
        ivec2 at = ivec2(i % 8, i / 8);
        uint old = imageLoad(counts[nonuniformEXT(third)], at).x;
        imageStore(counts[nonuniformEXT(third)], at, uvec4(old + 1u));
        imageAtomicXor(counts[nonuniformEXT((i + 1) % 3)], at, 0x55u);
        vec4 color = imageLoad(colors[nonuniformEXT(half_)], i);
        imageStore(colors[nonuniformEXT(half_)], i, 1.0 - color);
        vec4 wide = imageLoad(wides[nonuniformEXT(half_)], i);
        imageStore(wides[nonuniformEXT(half_)], i, wide.wzyx + 1.0);
        float t = (float(i) - 9.7) / 13.0;
        found[i].x = textureLod(planes[nonuniformEXT(half_)], vec2(t, 0.3), 0.0).x;
        found[i].yz = textureLod(
            sampler1D(lines[nonuniformEXT(half_)], samplers[nonuniformEXT(third)]), t, 0.0).xy;
        found[i].w = textureLod(sampler1D(lines[1], samplers[nonuniformEXT(third)]), t, 0.0).y;
        sizes[i].xy = imageSize(counts[nonuniformEXT(third)]);
        sizes[i].zw = textureSize(planes[nonuniformEXT(half_)], 0);
    }";

/// The expected results are the interpreter's: llvmpipe uses the first invocation's element for all invocations.
#[test]
fn elements_of_image_arrays_may_differ_between_invocations() {
    let spirv =
        compile_source("elements", Language::Glsl, ELEMENTS).unwrap_or_else(|e| panic!("{e}"));
    let case = Case::parse(ELEMENTS).expect("the directives are right");
    let test = RunTest { name: "elements".into(), source: ELEMENTS.into(), case, spirv };
    let expected = Interpreter.run(&test).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = Vec::new();
    for emulator in Emulator::all() {
        failures.extend(test.failures(&emulator, &expected));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
