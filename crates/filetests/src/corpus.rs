//! Finds the shaders of `tests/run/`, and compiles them to SPIR-V.

use std::path::{Path, PathBuf};

use crestline_frontend::{Language, Source, to_spirv};
use crestline_judges::lavapipe::{BufferKind, Job, JobError, Lavapipe};
use crestline_judges::spirv::SpirvTools;
use crestline_ssa::ir::{Binding, BindingKind};

use crate::case::{Case, CaseError};
use crate::engine::{self, Engine, Failure};

/// One run test.
#[derive(Clone, Debug)]
pub struct RunTest {
    /// File name without folder. It is the test's name in reports.
    pub name: String,
    /// The shader's text.
    pub source: String,
    /// Its inputs and how results are compared.
    pub case: Case,
    /// The module.
    pub spirv: Vec<u32>,
}

/// Why a run test could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A directive is wrong.
    #[error("{path}: {source}")]
    Case {
        /// The shader.
        path: PathBuf,
        /// The directive's error.
        source: CaseError,
    },
    /// The shader does not compile to SPIR-V.
    #[error("{path}: {message}")]
    Shader {
        /// The shader.
        path: PathBuf,
        /// The front end's message.
        message: String,
    },
}

/// The paths of all run tests, sorted by name.
///
/// # Errors
///
/// [`LoadError::Io`] when the folder cannot be read.
pub fn run_test_paths() -> Result<Vec<PathBuf>, LoadError> {
    let folder = crate::repository().join("tests/run");
    let io = |source| LoadError::Io { path: folder.clone(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if is_run_test(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Loads every run test whose name contains the value of `CRESTLINE_ONLY` (all when unset).
///
/// # Errors
///
/// All tests that cannot be loaded, one line each.
pub fn run_tests() -> Result<Vec<RunTest>, String> {
    let only = std::env::var("CRESTLINE_ONLY").unwrap_or_default();
    let paths = run_test_paths().map_err(|error| error.to_string())?;
    let (mut tests, mut errors) = (Vec::new(), Vec::new());
    for path in paths.iter().filter(|path| path.to_string_lossy().contains(&only)) {
        match load(path) {
            Ok(test) => tests.push(test),
            Err(error) => errors.push(error.to_string()),
        }
    }
    if errors.is_empty() { Ok(tests) } else { Err(errors.join("\n")) }
}

/// Loads one run test.
///
/// # Errors
///
/// See [`LoadError`].
pub fn load(path: &Path) -> Result<RunTest, LoadError> {
    let source = std::fs::read_to_string(path)
        .map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
    let case =
        Case::parse(&source).map_err(|source| LoadError::Case { path: path.to_owned(), source })?;
    let spirv = compile(path, &source)
        .map_err(|message| LoadError::Shader { path: path.to_owned(), message })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let test = RunTest { name, source, case, spirv };
    check_kinds(&test).map_err(|message| LoadError::Shader { path: path.to_owned(), message })?;
    Ok(test)
}

/// Checks that the case binds the kind of resource that the shader declares. A Vulkan driver may rely on that: lavapipe
/// crashes otherwise.
fn check_kinds(test: &RunTest) -> Result<(), String> {
    let shader = engine::shader(test)?;
    for buffer in &test.case.buffers {
        let at = |found: &&Binding| (found.set, found.binding) == (buffer.set, buffer.binding);
        let Some(binding) = shader.bindings.iter().find(at) else { continue };
        let fits = matches!(
            (&binding.kind, &buffer.kind),
            (BindingKind::UniformBuffer, BufferKind::Uniform)
                | (BindingKind::StorageBuffer | BindingKind::AtomicCounters, BufferKind::Storage)
                | (BindingKind::Image(_), BufferKind::Image(_))
                | (BindingKind::Texture(_), BufferKind::Texture(_))
                | (BindingKind::Sampler, BufferKind::Sampler(_))
        );
        if !fits {
            return Err(format!(
                "the case binds another kind of resource at {}.{} than the shader's {:?}",
                buffer.set, buffer.binding, binding.kind
            ));
        }
    }
    Ok(())
}

fn is_run_test(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["wgsl", "comp", "spvasm"].iter().any(|e| ending == *e))
}

/// Compiles a shader file to SPIR-V: with our front end, or with `spirv-as` if it is SPIR-V assembly.
fn compile(path: &Path, source: &str) -> Result<Vec<u32>, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    if extension == "spvasm" {
        let tools = SpirvTools::find().map_err(|absent| absent.to_string())?;
        return tools.assemble(source).map_err(|error| error.to_string());
    }
    let language = Language::from_extension(&extension).map_err(|error| error.to_string())?;
    compile_source(&path.to_string_lossy(), language, source)
}

/// Compiles a shader in a source language to SPIR-V with our front end.
///
/// # Errors
///
/// The front end's message.
pub fn compile_source(name: &str, language: Language, source: &str) -> Result<Vec<u32>, String> {
    to_spirv(&Source { name, language, bytes: source.as_bytes() })
        .map_err(|error| error.to_string())
}

/// The name and SPIR-V of every fragment shader of `tests/fragments`, in the order of names.
///
/// # Errors
///
/// The front end's message, or that of the file system.
pub fn fragment_shaders() -> Result<Vec<(String, Vec<u32>)>, String> {
    let folder = crate::repository().join("tests/fragments");
    let entries = std::fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "frag"));
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let spirv = compile_source(&name, Language::Glsl, &text)?;
            Ok((name, spirv))
        })
        .collect()
}

impl RunTest {
    /// The test in the form of a job for lavapipe.
    pub fn job(&self) -> Job<'_> {
        Job {
            spirv: &self.spirv,
            entry: &self.case.entry,
            spec: self.case.spec.clone(),
            push: self.case.push.clone(),
            buffers: self.case.buffers.clone(),
            addresses: self.case.addresses.clone(),
            groups: self.case.groups,
        }
    }

    /// The expected buffers: from the case's directives, else from lavapipe's run.
    ///
    /// # Errors
    ///
    /// What lavapipe refused.
    pub fn expected(&self, lavapipe: &Lavapipe) -> Result<Vec<Vec<u8>>, JobError> {
        let mut buffers = match self.case.judged {
            true => lavapipe.run(&self.job())?,
            false => self.case.buffers.iter().map(|buffer| buffer.contents.clone()).collect(),
        };
        for (index, contents) in &self.case.expected {
            buffers[*index].clone_from(contents);
        }
        Ok(buffers)
    }

    /// Compares an engine's results with the expected ones, buffer by buffer. Returns one line for each buffer that
    /// differs.
    pub fn differences(&self, found: &[Vec<u8>], expected: &[Vec<u8>]) -> Vec<String> {
        assert_eq!(found.len(), self.case.buffers.len(), "an engine returns every buffer");
        let buffers = self.case.buffers.iter().zip(&self.case.rules);
        buffers
            .zip(found.iter().zip(expected))
            .filter_map(|((buffer, rule), (found, expected))| {
                let difference = rule.difference(found, expected)?;
                Some(format!("buffer {}.{}: {difference}", buffer.set, buffer.binding))
            })
            .collect()
    }

    /// Runs the test on an engine. Returns one line per failure, with the names of the test and the engine. It is not a
    /// failure if the shader exceeds a limit of the chip.
    pub fn failures(&self, engine: &dyn Engine, expected: &[Vec<u8>]) -> Vec<String> {
        let wrong = match engine.run(self) {
            Ok(found) => self.differences(&found, expected),
            Err(Failure::Limit(_)) => Vec::new(),
            Err(Failure::Wrong(error)) => vec![error],
        };
        let (test, engine) = (&self.name, engine.name());
        wrong.into_iter().map(|text| format!("{test} on {engine}: {text}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_binds_another_kind_is_refused() {
        let source = "layout(binding = 0) uniform A { uint a; };\n\
            layout(binding = 1) buffer B { uint b; };\nvoid main() { b = a; }\n";
        for (kind, fits) in [("uniform", true), ("buffer", false)] {
            let case =
                format!("//! dispatch 1 1 1\n//! {kind} 0.0 = u32 1\n//! buffer 0.1 = u32 2\n");
            let source = format!("#version 450\n{source}");
            let test = RunTest {
                name: "kinds.comp".into(),
                case: Case::parse(&case).unwrap(),
                spirv: compile_source(
                    "kinds.comp",
                    Language::from_extension("comp").unwrap(),
                    &source,
                )
                .unwrap(),
                source,
            };
            assert_eq!(check_kinds(&test).is_ok(), fits, "{kind}");
        }
    }
}
