//! What can run a run test: each engine turns the same module and the same buffers into the
//! buffers afterwards.

use crestline_frontend::{TranslateOptions, translate};
use crestline_judges::lavapipe::SpecConstant;
use crestline_ssa::interp;
use crestline_ssa::ir::Shader;

use crate::corpus::RunTest;

/// Something that runs shaders.
pub trait Engine {
    /// Its name in reports: `ssa`, `skl at SIMD16`.
    fn name(&self) -> String;

    /// Runs a test and returns all its buffers in the order of the case.
    ///
    /// # Errors
    ///
    /// A message when the shader is refused or the run is stopped.
    fn run(&self, test: &RunTest) -> Result<Vec<Vec<u8>>, String>;
}

/// Translates the test's module by the front end.
///
/// # Errors
///
/// The front end's message.
pub fn shader(test: &RunTest) -> Result<Shader, String> {
    let spec: Vec<(u32, u64)> = test.case.spec.iter().map(spec_bits).collect();
    let options = TranslateOptions {
        entry: Some(&test.case.entry),
        spec: &spec,
        ..TranslateOptions::default()
    };
    translate(&test.spirv, &options).map_err(|error| error.to_string())
}

/// A specialization constant as the front end takes it: its bits, zero extended.
pub fn spec_bits(constant: &SpecConstant) -> (u32, u64) {
    let mut bits = [0; 8];
    bits[..constant.value.len()].copy_from_slice(&constant.value);
    (constant.id, u64::from_le_bytes(bits))
}

/// The interpreter of the middle's form.
#[derive(Debug, Clone, Copy)]
pub struct Interpreter;

impl Engine for Interpreter {
    fn name(&self) -> String {
        "ssa".into()
    }

    fn run(&self, test: &RunTest) -> Result<Vec<Vec<u8>>, String> {
        interpret(&shader(test)?, test)
    }
}

/// Runs a shader in the middle's form on a test's buffers.
///
/// # Errors
///
/// The interpreter's message, or the first access out of bounds.
pub fn interpret(shader: &Shader, test: &RunTest) -> Result<Vec<Vec<u8>>, String> {
    let key = |buffer: &crestline_judges::lavapipe::Buffer| interp::BufferKey {
        set: buffer.set,
        binding: buffer.binding,
        element: buffer.element,
    };
    let buffers = &test.case.buffers;
    let mut resources = interp::Resources {
        buffers: buffers.iter().map(|buffer| (key(buffer), buffer.contents.clone())).collect(),
        push_constants: test.case.push.clone(),
    };
    let options = interp::Options::default();
    let report = interp::run(shader, &mut resources, test.case.groups, &options)
        .map_err(|error| error.to_string())?;
    if test.case.in_bounds
        && let Some(access) = report.out_of_bounds.first()
    {
        return Err(format!("an access out of bounds: {access:?}"));
    }
    Ok(buffers
        .iter()
        .map(|buffer| resources.buffers.remove(&key(buffer)).unwrap_or_default())
        .collect())
}
