//! For the benchmark `benches/calls.py`: the time of a compilation without Python.

use std::hint::black_box;

use pyo3::prelude::*;

use crestline::{Options, Source, compile};

use crate::convert::{language, platform};
use crate::error::failed;

/// Compiles a shader through Rust. Returns the elapsed time in seconds, by the clock of the benchmark, Python's `perf_counter`:
/// libraries of this project read no clock.
#[pyfunction]
pub(crate) fn time_compile(
    py: Python<'_>,
    source: &[u8],
    target: &str,
    language_name: &str,
) -> PyResult<f64> {
    let clock = py.import("time")?.getattr("perf_counter")?;
    let now = || clock.call0()?.extract::<f64>();
    let platform = platform(target).map_err(failed)?;
    let language = language(language_name).map_err(failed)?;
    let start = now()?;
    let source = Source { name: "shader", language, bytes: source };
    let program = compile(&source, &Options::new(platform));
    black_box(program.map_err(|error| failed(error.into()))?);
    Ok(now()? - start)
}
