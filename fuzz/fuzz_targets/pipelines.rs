//! Small pipelines: the bytes choose the numbers and states of a script, which are often hostile. The script compiles and draws,
//! or ends with an error inside, in bounded time and memory.

#![no_main]

use crestline::{Platform, Source};
use crestline_amber::run::{Host, Settings, SourceError, run};
use crestline_frontend::TranslateOptions;
use crestline_testing::pipelines;
use libfuzzer_sys::fuzz_target;

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

fuzz_target!(|data: &[u8]| {
    let text = pipelines::script(data);
    let lines = text.lines().count();
    match crestline_amber::parse(&text) {
        Ok(script) => {
            let settings =
                Settings { budget: 1 << 12, work: 1 << 22, ..Settings::new(Platform::Skl) };
            if let Some(failure) = run(&script, &Nothing, &settings).failure {
                assert!((1..=lines).contains(&(failure.place.line as usize)));
            }
        }
        Err(error) => assert!(error.place.line as usize <= lines + 1),
    }
});
