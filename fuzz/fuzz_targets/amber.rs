//! Scripts: they are read or refused with a place inside, in bounded memory. A script that is read and has no shaders and no
//! files also runs: its buffers are filled, copied and checked.

#![no_main]

use crestline::{Platform, Source};
use crestline_amber::run::{Host, Settings, SourceError, run};
use crestline_frontend::TranslateOptions;
use libfuzzer_sys::fuzz_target;

/// No files, no shaders.
struct Nothing;

impl Host for Nothing {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("there are no files".to_owned())
    }

    fn decode_png(&self, _: &[u8]) -> Result<(u32, u32, Vec<u8>), String> {
        Err("there are no pictures".to_owned())
    }

    fn to_spirv(&self, _: &Source<'_>, _: &TranslateOptions<'_>) -> Result<Vec<u32>, SourceError> {
        Err(SourceError { message: "there are no shaders".to_owned(), position: None })
    }
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match crestline_amber::parse(&text) {
        Ok(script) => {
            let bytes: u64 = script.buffers.iter().filter_map(|buffer| buffer.bytes).sum();
            // A run of large buffers takes too long for a fuzzer.
            if bytes < 1 << 20 && script.buffers.iter().all(|buffer| buffer.image.is_none()) {
                run(
                    &script,
                    &Nothing,
                    &Settings { budget: 1 << 10, ..Settings::new(Platform::Skl) },
                );
            }
        }
        Err(error) => assert!(error.place.line as usize <= text.lines().count() + 1),
    }
});
