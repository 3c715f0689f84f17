//! Small pipelines with hostile numbers: each script ends with a result or an error with a place, in bounded time and memory.
//! The fuzz target `pipelines` runs the same scripts.

use crestline::{Platform, Source};
use crestline_amber::run::{FailureKind, Host, Settings, SourceError, run};
use crestline_frontend::TranslateOptions;
use crestline_testing::{MUTATIONS, pipelines, rounds};

/// No files and no source compilers: the shaders are SPIR-V.
struct Nothing;

impl Host for Nothing {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("there are no files".to_owned())
    }

    fn decode_png(&self, _: &[u8]) -> Result<(u32, u32, Vec<u8>), String> {
        Err("there are no pictures".to_owned())
    }

    fn to_spirv(&self, _: &Source<'_>, _: &TranslateOptions<'_>) -> Result<Vec<u32>, SourceError> {
        Err(SourceError { message: "there are no source texts".to_owned(), position: None })
    }
}

#[test]
fn hostile_pipelines_end() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut read, mut whole) = (0, 0);
    for number in 0..rounds(MUTATIONS, 150) {
        let bytes: Vec<u8> = (0..80).map(|_| random.u8(..)).collect();
        let text = pipelines::script(&bytes);
        let lines = text.lines().count();
        let script = match crestline_amber::parse(&text) {
            Ok(script) => script,
            Err(error) => {
                assert!(error.place.line as usize <= lines + 1, "{text}");
                continue;
            }
        };
        read += 1;
        let platform = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl][number % 4];
        let settings = Settings { budget: 1 << 12, work: 1 << 22, ..Settings::new(platform) };
        match run(&script, &Nothing, &settings).failure {
            None => whole += 1,
            Some(failure) => {
                assert!(failure.place.line >= 1 && failure.place.line as usize <= lines, "{text}");
                assert_ne!(failure.kind, FailureKind::Shader, "{failure:?}");
            }
        }
    }
    assert!(read > 20 && whole > 5, "{read} {whole}");
}

/// The list of indices of a draw call is made also if there is no instance, so that it has a limit of its own.
#[test]
fn draw_calls_without_instances_have_bounded_lists() {
    let text = "#!amber
SHADER vertex place PASSTHROUGH
SHADER fragment color GLSL
void main() {}
END
BUFFER places DATA_TYPE float DATA 0 END
PIPELINE graphics scene
  ATTACH place
  ATTACH color
  VERTEX_DATA places LOCATION 0
  INDEX_DATA places
END
RUN scene DRAW_ARRAY AS POINT_LIST INDEXED INSTANCE_COUNT 0 COUNT 1048577
";
    let error = crestline_amber::parse(text).expect_err("too many vertices");
    assert_eq!(error.place.line, 13);
    assert_eq!(error.to_string(), "1048577 vertices: expected at most 1048576");
}

/// Typed messages have no samples (gen7 to gen9), so that a storage image cannot have several.
#[test]
fn multisampled_storage_images_are_refused_by_name() {
    let text = pipelines::script(&[]);
    let shaders = text.split("IMAGE target").next().unwrap_or_default();
    let text = format!(
        "{shaders}IMAGE target FORMAT R8G8B8A8_UNORM SAMPLES 4 DIM_2D WIDTH 4 HEIGHT 4 FILL 0
BUFFER data DATA_TYPE uint32 SIZE 4 FILL 0
PIPELINE compute grid
  ATTACH compute_shader
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER target AS storage_image DESCRIPTOR_SET 0 BINDING 1
END
RUN grid 1 1 1
"
    );
    let script = crestline_amber::parse(&text).expect("a valid script");
    let failure = run(&script, &Nothing, &Settings::new(Platform::Skl)).failure;
    let failure = failure.expect("the image is refused");
    assert_eq!(failure.kind, FailureKind::Unsupported);
    assert_eq!(failure.to_string(), "Crestline does not support multisampled storage images");
    assert_eq!(failure.place.line as usize, text.lines().count() - 2);
}

/// An instance without vertices needs no memory and no time.
#[test]
fn instances_without_vertices_draw_nothing() {
    let text = pipelines::script(&[]);
    let shaders = text.split("IMAGE target").next().unwrap_or_default();
    let text = format!(
        "{shaders}BUFFER target FORMAT R8G8B8A8_UNORM
BUFFER places DATA_TYPE float SIZE 64 FILL 0
BUFFER data DATA_TYPE uint32 SIZE 4 FILL 0
PIPELINE graphics scene
  ATTACH vertex_shader
  ATTACH fragment_shader
  FRAMEBUFFER_SIZE 4 4
  BIND BUFFER target AS color LOCATION 0
  VERTEX_DATA places LOCATION 0
  INDEX_DATA data
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 1
END
CLEAR_COLOR scene 0 0 0 0
CLEAR scene
RUN scene DRAW_ARRAY AS LINE_STRIP INDEXED COUNT 0 INSTANCE_COUNT 4294967295
EXPECT target IDX 0 0 SIZE 4 4 EQ_RGBA 0 0 0 0
"
    );
    let script = crestline_amber::parse(&text).expect("a valid script");
    let failure = run(&script, &Nothing, &Settings::new(Platform::Skl)).failure;
    assert!(failure.is_none(), "{failure:?}");
}
