//! Runs programs in the emulator.

use crestline::Device;
use crestline_amber::run::{self, Host, Settings, SourceError};
use crestline_emu::{Filter, ImageDimension, ImageShape, Kernel, Options, Resources, Sampler};
use crestline_frontend::{Source, TranslateOptions};
use crestline_program::ResourceRef;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::PyProgram;
use crate::convert::{format, platform};
use crate::error::{Failure, argument, failed};

/// Set and binding of a resource.
type Key = (u32, u32);

/// The counts and diagnostics of a run: instructions, threads, messages, diagnostics.
type Counts = (u64, u64, u64, Vec<String>);

/// A resource after a run: set and binding, whether it is an image, and the bytes.
type Contents = Vec<(Key, bool, Vec<u8>)>;

/// Runs a grid of workgroups. `images` are bindings with dimensions, format, sizes and bytes; `samplers` bindings with
/// whether they filter linearly. Returns the contents of all resources, and counts.
#[pyfunction]
#[allow(
    clippy::type_complexity,
    clippy::too_many_arguments,
    reason = "the package gives the values names"
)]
pub(crate) fn dispatch<'py>(
    py: Python<'py>,
    program: &Bound<'py, PyProgram>,
    grid: [u32; 3],
    buffers: Vec<(Key, Vec<u8>)>,
    images: Vec<(Key, u32, String, [u32; 3], Vec<u8>)>,
    samplers: Vec<(Key, bool)>,
    push_constants: Vec<u8>,
    budget: u64,
) -> PyResult<(Vec<(Key, bool, Bound<'py, PyBytes>)>, Counts)> {
    let program = &program.get().program;
    let work = || -> Result<(Contents, Counts), Failure> {
        let resource = |(set, binding)| ResourceRef { set, binding, element: 0 };
        let mut resources = Resources::new();
        for (key, bytes) in &buffers {
            resources.set_buffer(resource(*key), bytes);
        }
        for (key, dimensions, format_name, [width, height, depth], bytes) in &images {
            let dimension = match dimensions {
                1 => ImageDimension::D1,
                2 => ImageDimension::D2,
                3 => ImageDimension::D3,
                other => return Err(argument(format!("{other} dimensions: expected 1, 2 or 3"))),
            };
            let format = format(format_name)?;
            let (width, height, depth) = (*width, *height, *depth);
            let shape =
                ImageShape { dimension, format, width, height, depth, levels: 1, samples: 1 };
            if shape.bytes() != bytes.len() as u64 {
                let (expected, found) = (shape.bytes(), bytes.len());
                let message =
                    format!("the image needs {expected} bytes, but the array has {found}");
                return Err(argument(message));
            }
            resources.set_image(resource(*key), shape, bytes)?;
        }
        for (key, linear) in &samplers {
            let filter = if *linear { Filter::Linear } else { Filter::Nearest };
            let sampler = Sampler { filter, ..Sampler::default() };
            resources.set_sampler(resource(*key), sampler);
        }
        resources.set_push_constants(&push_constants);
        resources.assign_addresses()?;
        let device = Device::new(program.metadata.platform);
        let kernel = Kernel::load(&program.code, program.metadata.clone(), &device)?;
        let options = Options { budget, ..Options::default() };
        let report = kernel.dispatch(grid, &mut resources, &options)?;
        let found_buffers = buffers
            .iter()
            .map(|(key, _)| (*key, false, resources.buffer(resource(*key)).unwrap_or_default()));
        let found_images = images
            .iter()
            .map(|(key, ..)| (*key, true, resources.image(resource(*key)).unwrap_or_default()));
        let contents = found_buffers.chain(found_images).collect();
        let diagnostics = report.diagnostics.iter().map(ToString::to_string).collect();
        Ok((contents, (report.instructions, report.threads, report.sends, diagnostics)))
    };
    let (contents, counts) = py.detach(work).map_err(failed)?;
    let bytes = |(key, image, bytes): (Key, bool, Vec<u8>)| (key, image, PyBytes::new(py, &bytes));
    Ok((contents.into_iter().map(bytes).collect(), counts))
}

/// A host whose scripts have no files.
struct NoFiles;

impl Host for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("a script run from Python has no files: {path}"))
    }

    fn decode_png(&self, _: &[u8]) -> Result<(u32, u32, Vec<u8>), String> {
        Err("a script run from Python has no pictures".to_owned())
    }

    fn to_spirv(
        &self,
        source: &Source<'_>,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<u32>, SourceError> {
        Ok(crestline_frontend::to_spirv_with(source, options)?)
    }
}

/// The pictures of a script: width, height and pixels.
type Pictures = Vec<(u32, u32, Vec<u8>)>;

/// Runs a script with shaders, pipelines and draw calls. Returns the number of expectations that hold, and for each name in
/// `pictures` width, height and pixels of four bytes.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "the package gives the values names")]
pub(crate) fn amber<'py>(
    py: Python<'py>,
    text: &str,
    target: &str,
    pictures: Vec<String>,
) -> PyResult<(u64, Vec<(u32, u32, Bound<'py, PyBytes>)>)> {
    let platform = platform(target).map_err(failed)?;
    let work = || -> Result<(u64, Pictures), Failure> {
        let script = crestline_amber::parse(text).map_err(|error| {
            let place = error.place;
            Failure::new("E1201", error.message).at(place.line, place.column)
        })?;
        let outcome = run::run(&script, &NoFiles, &Settings::new(platform));
        if let Some(failure) = &outcome.failure {
            let code = match failure.kind {
                run::FailureKind::Expectation => "E1202",
                run::FailureKind::Unsupported => "E1203",
                run::FailureKind::Run => "E1206",
                run::FailureKind::Skipped => "E1204",
                run::FailureKind::Shader => "E1205",
                run::FailureKind::Script => "E1201",
            };
            let place = failure.place;
            return Err(Failure::new(code, failure.message.clone()).at(place.line, place.column));
        }
        let picture = |name: &String| outcome.picture(&script, name).map_err(argument);
        let pictures = pictures.iter().map(picture).collect::<Result<_, Failure>>()?;
        Ok((outcome.expectations, pictures))
    };
    let (expectations, found) = py.detach(work).map_err(failed)?;
    let bytes =
        |(width, height, pixels): (u32, u32, Vec<u8>)| (width, height, PyBytes::new(py, &pixels));
    Ok((expectations, found.into_iter().map(bytes).collect()))
}
