//! Runs scripts with pipelines (`crestline_amber`) on lavapipe, and compares the contents of their buffers and images with
//! those of another engine.
//!
//! [`LavapipeEngine`] is an [`Engine`](crestline_amber::run::Engine) as the emulator is: it gets the same
//! SPIR-V, vertices and state.

mod compare;
mod engine;
mod judge;
mod state;

use std::path::PathBuf;

use crestline_amber::run::{Host, SourceError};
use crestline_frontend::{Source, TranslateOptions, to_spirv_with};

pub use compare::{Difference, Tolerance, compare};
pub use engine::LavapipeEngine;
pub use judge::{Expected, Verdict, judge};

/// The files beside a script, and the parsers of source languages.
#[derive(Debug, Clone)]
pub struct Folder {
    /// The folder of the script.
    pub path: PathBuf,
}

impl Host for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.path.join(path)).map_err(|error| format!("{path}: {error}"))
    }

    fn decode_png(&self, bytes: &[u8]) -> Result<(u32, u32, Vec<u8>), String> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(
            png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
        );
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let mut pixels = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
        let frame = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
        pixels.truncate(frame.buffer_size());
        match frame.color_type {
            png::ColorType::Rgba => Ok((frame.width, frame.height, pixels)),
            other => Err(format!("a picture of the colour type {other:?}")),
        }
    }

    fn to_spirv(
        &self,
        source: &Source<'_>,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<u32>, SourceError> {
        to_spirv_with(source, options).map_err(SourceError::from)
    }
}
