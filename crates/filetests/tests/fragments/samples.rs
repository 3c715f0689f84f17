//! Numbers of samples that lavapipe does not have: compiled code on the emulator must draw what the interpreter computes, which
//! lavapipe judges with four samples. Samples of textures must be those of the texture.

use crestline::{Options, Platform, Simd, compile_spirv};
use crestline_device::Device;
use crestline_filetests::corpus::compile_source;
use crestline_filetests::stages_page::PLATFORMS;
use crestline_frontend::{Language, TranslateOptions, translate};
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image, RasterJob, Texture};

use super::emulator::{self, WIDTHS};
use super::{Case, SIZE, cases, differences, dwords, job, positions, vertices};

/// Calls `each` for each device and each number of samples other than four that it has.
fn for_numbers(mut each: impl FnMut(Platform, u32)) {
    for platform in PLATFORMS {
        let device = Device::new(platform);
        for samples in [1, 2, 8, 16].into_iter().filter(|&samples| device.has_samples(samples)) {
            each(platform, samples);
        }
    }
}

#[test]
fn shaders_draw_the_same_with_any_number_of_samples() {
    let (mut drawn, mut failures) = (0, Vec::new());
    // The cases with buffers have a place for each of four samples.
    for case in cases().into_iter().filter(|case| case.samples.len() == 4 && case.buffer == 0) {
        let shader = translate(&case.spirv, &TranslateOptions::default()).unwrap();
        let vertices = vertices(&case.vertex, case.side);
        for_numbers(|platform, samples| {
            let name = format!("{} on {platform}, {samples} sample(s)", case.name);
            let case = Case { samples: positions(samples), ..case.clone() };
            let job = job(&case, &shader);
            for (simd, width) in WIDTHS {
                let options = emulator::options(platform, simd, &job);
                let program = match compile_spirv(&case.spirv, &options) {
                    Err(error) => {
                        let reason = emulator::unsupported(&case.name).expect("it compiles");
                        assert!(error.to_string().contains(reason), "{name}: {error}");
                        continue;
                    }
                    Ok(program) => program,
                };
                let found = emulator::draw(&case.spirv, &job, &vertices, &options, width, 0xf);
                match found {
                    Ok((found, _)) => {
                        drawn += 1;
                        let wrong = differences(&case, &shader, &vertices, &found);
                        failures.extend(wrong.into_iter().map(|e| format!("{name}, {simd}: {e}")));
                    }
                    // With 16 samples, SIMD32 computes samples only.
                    Err(error) => {
                        let refused = samples == 16
                            && simd == Simd::Simd32
                            && !emulator::of_fragment(&program).per_sample
                            && error.contains("no SIMD32 entry point for 16 samples");
                        if !refused {
                            failures.push(format!("{name}, {simd}: {error}"));
                        }
                    }
                }
            }
        });
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(drawn > 200 || std::env::var_os("CRESTLINE_ONLY").is_some(), "{drawn} pictures");
}

/// Each pixel has the sum of the samples of a texel with different factors, and the number of samples.
const SHADER: &str = "#version 450
    layout(set = 0, binding = 0) uniform sampler2DMS image;
    layout(location = 0) out vec4 colour;
    void main() {
        vec4 sum = vec4(0.0);
        for (int i = 0; i < textureSamples(image); i++) {
            sum += texelFetch(image, ivec2(gl_FragCoord.xy) / 2, i) * float(1 + i * i);
        }
        colour = sum + vec4(0.0, 0.0, textureSize(image).y, textureSamples(image));
    }";

#[test]
fn samples_of_textures_are_told_apart() {
    let spirv = compile_source("t.frag", Language::Glsl, SHADER).unwrap();
    let only = cases().into_iter().next().expect("a case");
    let shader = translate(&spirv, &TranslateOptions::default()).unwrap();
    let vertices = vertices(&only.vertex, 64.0);
    for samples in [1, 2, 4, 8, 16] {
        let size = [16, 18, 1];
        let image = Image { dimension: Dimension::D2, size, format: "rgba32f" };
        let kind = BufferKind::Texture(Texture { samples, ..Texture::new(image) });
        let texel = |x: u32, y: u32, sample: u32| [sample + 1, x, y, 16 * y + x + sample];
        let all = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
        let all = all.flat_map(|(x, y)| (0..samples).flat_map(move |sample| texel(x, y, sample)));
        let contents = all.flat_map(|value| (value as f32).to_le_bytes()).collect();
        let case = Case { samples: positions(1), side: 64.0, ..only.clone() };
        let job = RasterJob {
            views: 0,
            buffers: vec![Buffer { set: 0, binding: 0, element: 0, kind, contents }],
            ..job(&case, &shader)
        };
        for platform in PLATFORMS {
            for (simd, width) in WIDTHS {
                let options = Options::new(platform).with_simd(simd);
                let found = emulator::draw(&spirv, &job, &vertices, &options, width, 0xf);
                if !Device::new(platform).has_samples(samples) {
                    let error = found.expect_err("the device has no such surfaces");
                    assert!(error.contains("no surfaces with"), "{error}");
                    continue;
                }
                let found = dwords(&found.expect("it draws").0.attachments[0]);
                for (pixel, colour) in (0..).zip(found.as_chunks::<4>().0) {
                    let (x, y) = (pixel % SIZE / 2, pixel / SIZE / 2);
                    let sum = |i: usize| -> u32 {
                        let part = |sample| texel(x, y, sample)[i] * (1 + sample * sample);
                        (0..samples).map(part).sum()
                    };
                    let expected = [sum(0), sum(1), sum(2) + 18, sum(3) + samples];
                    let colour = colour.map(f32::from_bits);
                    let name = format!("{platform}, {simd}, {samples} samples: pixel {x}, {y}");
                    assert_eq!(colour, expected.map(|value| value as f32), "{name}");
                }
            }
        }
    }
}
