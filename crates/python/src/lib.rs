//! The module `crestline._native`. The package `crestline` (folder `python`) wraps it and describes its interface; see
//! `docs/python.md`.
//!
//! Functions that compile or run release Python's global lock, so that several threads of Python may call them at the same
//! time. PyO3 turns a panic into the exception `PanicException`.

#[cfg(feature = "bench")]
mod bench;
mod convert;
mod error;
mod run;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crestline::analysis::{Document, Input, analyze, analyze_program};
use crestline::{Device, Job, Options, Program, Source, Syntax};
use crestline_isa::decode_around;
use crestline_isa::validate::{Severity, Validator};

use convert::{language, platform, simd, stage};
use error::{Failure, argument, failed};

/// A compiled program: machine code and metadata. It does not change.
#[pyclass(frozen, name = "Program", module = "crestline._native")]
struct PyProgram {
    program: Program,
}

#[pymethods]
impl PyProgram {
    /// The machine code, relocations not applied.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.program.code)
    }

    /// Code and metadata as a JSON text.
    fn to_json(&self) -> String {
        self.program.to_json()
    }

    /// The metadata as a JSON text.
    fn metadata_json(&self) -> String {
        self.program.metadata.to_json()
    }

    /// The name of the platform.
    #[getter]
    fn platform(&self) -> &'static str {
        self.program.metadata.platform.name()
    }

    /// The name of the stage.
    #[getter]
    fn stage(&self) -> &'static str {
        self.program.metadata.stage.name()
    }

    /// An analysis of all code entries, as a JSON text.
    fn analyze(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let device = Device::new(self.program.metadata.platform);
            let found = analyze_program("program", &self.program, &device, None, |_, _| {});
            document(found.map_err(Failure::from)?)
        })
        .map_err(failed)
    }
}

fn document(analyses: Vec<crestline::analysis::Analysis>) -> Result<String, Failure> {
    serde_json::to_string(&Document::new(analyses)).map_err(|e| argument(e.to_string()))
}

/// The arguments of a compilation.
struct Request {
    name: String,
    language: crestline::Language,
    bytes: Vec<u8>,
    options: Options,
}

impl Request {
    #[allow(clippy::too_many_arguments, reason = "the arguments of the Python function")]
    fn new(
        source: Vec<u8>,
        target: &str,
        language_name: &str,
        name: &str,
        entry: Option<String>,
        stage_name: Option<&str>,
        simd_name: &str,
        specialization: Vec<(u32, u64)>,
        robust_access: bool,
    ) -> Result<Request, Failure> {
        let mut options = Options::new(platform(target)?);
        options.entry = entry;
        options.stage = stage_name.map(stage).transpose()?;
        options.simd = simd(simd_name)?;
        options.specialization = specialization;
        options.robust_access = robust_access;
        let language = language(language_name)?;
        Ok(Request { name: name.to_owned(), language, bytes: source, options })
    }

    fn source(&self) -> Source<'_> {
        Source { name: &self.name, language: self.language, bytes: &self.bytes }
    }

    fn job(&self) -> Job<'_> {
        Job { input: crestline::Input::Source(self.source()), options: self.options.clone() }
    }
}

/// Compiles one entry point of a shader.
#[pyfunction]
#[pyo3(signature = (source, target, language, name, entry, stage, simd, specialization, robust_access))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the Python function")]
fn compile(
    py: Python<'_>,
    source: Vec<u8>,
    target: &str,
    language: &str,
    name: &str,
    entry: Option<String>,
    stage: Option<&str>,
    simd: &str,
    specialization: Vec<(u32, u64)>,
    robust_access: bool,
) -> PyResult<PyProgram> {
    let request = Request::new(
        source,
        target,
        language,
        name,
        entry,
        stage,
        simd,
        specialization,
        robust_access,
    );
    let request = request.map_err(failed)?;
    let compiled = py.detach(|| crestline::compile(&request.source(), &request.options));
    let program = compiled.map_err(|error| failed(error.into()))?;
    Ok(PyProgram { program })
}

/// A shader of a pipeline: source, language, name, entry, stage.
type Shader = (Vec<u8>, String, String, Option<String>, Option<String>);

/// Compiles the shaders of a pipeline together.
#[pyfunction]
#[pyo3(signature = (shaders, target, simd))]
fn link(
    py: Python<'_>,
    shaders: Vec<Shader>,
    target: &str,
    simd: &str,
) -> PyResult<Vec<PyProgram>> {
    let requests = shaders.into_iter().map(|(source, language, name, entry, stage)| {
        let stage = stage.as_deref();
        Request::new(source, target, &language, &name, entry, stage, simd, Vec::new(), false)
    });
    let requests = requests.collect::<Result<Vec<_>, Failure>>().map_err(failed)?;
    let linked = py.detach(|| {
        let jobs: Vec<Job<'_>> = requests.iter().map(Request::job).collect();
        crestline::link(&jobs, &crestline::LinkOptions::default())
    });
    let mut stages = linked.map_err(|error| failed(error.into()))?.stages;
    stages.sort_by_key(|stage| stage.job);
    Ok(stages.into_iter().map(|stage| PyProgram { program: stage.program }).collect())
}

/// Reads a program from its JSON text.
#[pyfunction]
fn program_from_json(text: &str) -> PyResult<PyProgram> {
    let program = Program::from_json(text).map_err(|error| failed(error.into()))?;
    program.metadata.check_code(&program.code).map_err(|error| failed(error.into()))?;
    Ok(PyProgram { program })
}

/// Disassembles machine code.
#[pyfunction]
fn disassemble(py: Python<'_>, code: Vec<u8>, target: &str, syntax: &str) -> PyResult<String> {
    let platform = platform(target).map_err(failed)?;
    let syntax = match syntax {
        "mesa" => Syntax::Mesa,
        "iga" => Syntax::Iga,
        other => return Err(failed(argument(format!("syntax {other:?}: expected mesa or iga")))),
    };
    let printed = py.detach(|| crestline::disassemble(&code, platform, syntax));
    printed.map_err(|error| failed(error.into()))
}

/// A finding: severity, byte offset, rule, sentence.
type Finding = (&'static str, usize, &'static str, String);

/// Checks machine code against the rules of the hardware.
#[pyfunction]
fn validate(py: Python<'_>, code: Vec<u8>, target: &str) -> PyResult<Vec<Finding>> {
    let platform = platform(target).map_err(failed)?;
    Ok(py.detach(|| {
        let (insts, holes) = decode_around(&code, 0, platform.generation());
        let hole = |offset: usize| holes.binary_search_by_key(&offset, |(at, _)| at.start).is_ok();
        let found = Validator::new(Device::new(platform)).check_program(&insts);
        let broken = found.iter().filter(|finding| !hole(finding.offset)).map(|finding| {
            let severity = match finding.rule.severity {
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            (severity, finding.offset, finding.rule.id, finding.rule.text.to_owned())
        });
        let undecoded =
            holes.iter().map(|(at, error)| ("undecoded", at.start, "", error.to_string()));
        let mut rows: Vec<Finding> = broken.chain(undecoded).collect();
        rows.sort_by_key(|row| row.1);
        rows
    }))
}

/// Analyses machine code. Returns a JSON text.
#[pyfunction]
fn analyze_code(
    py: Python<'_>,
    code: Vec<u8>,
    target: &str,
    simd_width: Option<u32>,
) -> PyResult<String> {
    let device = Device::new(platform(target).map_err(failed)?);
    if !matches!(simd_width, None | Some(4 | 8 | 16 | 32)) {
        return Err(failed(argument("simd_width: expected 4, 8, 16, 32 or None".to_owned())));
    }
    py.detach(|| {
        let mut input = Input::new("code", &code, &device);
        input.simd_width = simd_width;
        document(vec![analyze(&input).map_err(Failure::from)?])
    })
    .map_err(failed)
}

/// The names of the platforms that the compiler supports.
#[pyfunction]
fn targets() -> Vec<&'static str> {
    crestline::TARGETS.iter().map(|target| target.name()).collect()
}

/// The compiled part of the package crestline.
#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CrestlineError", module.py().get_type::<error::CrestlineError>())?;
    module.add_class::<PyProgram>()?;
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_function(wrap_pyfunction!(link, module)?)?;
    module.add_function(wrap_pyfunction!(program_from_json, module)?)?;
    module.add_function(wrap_pyfunction!(disassemble, module)?)?;
    module.add_function(wrap_pyfunction!(validate, module)?)?;
    module.add_function(wrap_pyfunction!(analyze_code, module)?)?;
    module.add_function(wrap_pyfunction!(targets, module)?)?;
    module.add_function(wrap_pyfunction!(run::dispatch, module)?)?;
    module.add_function(wrap_pyfunction!(run::amber, module)?)?;
    #[cfg(feature = "bench")]
    module.add_function(wrap_pyfunction!(bench::time_compile, module)?)?;
    Ok(())
}
