//! For the benchmark `benches/calls.py`: the time of a compilation without Python.

use std::hint::black_box;
use std::time::Instant;

use pyo3::prelude::*;

use crestline::{Options, Source, compile};

use crate::convert::{language, platform};
use crate::error::failed;

/// Compiles a shader through Rust. Returns the elapsed time in seconds.
#[pyfunction]
pub(crate) fn time_compile(source: &[u8], target: &str, language_name: &str) -> PyResult<f64> {
    let platform = platform(target).map_err(failed)?;
    let language = language(language_name).map_err(failed)?;
    let start = Instant::now();
    let source = Source { name: "shader", language, bytes: source };
    let program = compile(&source, &Options::new(platform));
    black_box(program.map_err(|error| failed(error.into()))?);
    Ok(start.elapsed().as_secs_f64())
}
