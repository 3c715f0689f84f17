//! Compiles GLSL and HLSL to SPIR-V 1.5 for Vulkan 1.2 with glslang, on request with source lines.
//!
//! The crate `glslang` offers the same without lines. Its handles are private, so this crate calls the C interface
//! (`glslang_c_interface.h`) itself, and takes from `glslang` the initialisation of the process and the resource limits.
//!
//! ```
//! use crestline_glslang::{Input, Language, Stage, compile};
//!
//! let text = "#version 450\nvoid main() {}";
//! let input = Input {
//!     name: "empty.comp", text, language: Language::Glsl, stage: Stage::Compute, entry: "main", lines: true,
//! };
//! let words = compile(&input)?;
//! assert_eq!(words[0], 0x0723_0203);
//! # Ok::<(), crestline_glslang::Error>(())
//! ```

#![deny(missing_docs)]

use std::ffi::{CStr, CString, c_char};
use std::ptr::{NonNull, null, null_mut};

use glslang::Compiler;
use glslang::limits::{DEFAULT_LIMITS, ResourceLimits};
use glslang_sys as sys;

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL.
    Glsl,
    /// HLSL.
    Hlsl,
}

/// The stage of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessControl,
    /// Tessellation evaluation.
    TessEval,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute.
    Compute,
}

/// A shader to compile.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The name of the file, for lines in the module.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// Its language.
    pub language: Language,
    /// The stage.
    pub stage: Stage,
    /// The function where the shader starts. GLSL has only `main`.
    pub entry: &'a str,
    /// Whether the module says from which line of the text each instruction comes (`OpLine`).
    pub lines: bool,
}

/// Why a shader was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// glslang could not be initialised.
    #[error("glslang could not be initialised")]
    Absent,
    /// glslang refuses the text. Its messages, one per line.
    #[error("{0}")]
    Source(String),
    /// The text, name or entry point contains a zero byte, which would end it early.
    #[error("expected text without zero bytes")]
    ZeroByte,
}

/// Compiles a shader. Returns the words of the module.
///
/// # Errors
/// See [`Error`].
pub fn compile(input: &Input<'_>) -> Result<Vec<u32>, Error> {
    Compiler::acquire().ok_or(Error::Absent)?;
    let zero = |_| Error::ZeroByte;
    let name = CString::new(input.name).map_err(zero)?;
    let text = CString::new(input.text).map_err(zero)?;
    let entry = CString::new(input.entry).map_err(zero)?;
    let stage = input.stage.code();
    let asked = sys::glslang_input_t {
        language: match input.language {
            Language::Glsl => sys::glslang_source_t::GLSL,
            Language::Hlsl => sys::glslang_source_t::HLSL,
        },
        stage,
        client: sys::glslang_client_t::Vulkan,
        client_version: sys::glslang_target_client_version_t::Vulkan1_2,
        target_language: sys::glslang_target_language_t::SPIRV,
        target_language_version: sys::glslang_target_language_version_t::SPIRV1_5,
        code: text.as_ptr(),
        // The version of a GLSL text without `#version`.
        default_version: 100,
        default_profile: sys::glslang_profile_t::None,
        force_default_version_and_profile: 0,
        forward_compatible: 0,
        messages: sys::glslang_messages_t::DEFAULT,
        resource: limits(),
        callbacks: sys::glsl_include_callbacks_t {
            include_system: None,
            include_local: None,
            free_include_result: None,
        },
        callbacks_ctx: null_mut(),
    };
    let shader = Shader::new(&asked)?;
    // glslang does not choose an entry point for HLSL.
    if input.language == Language::Hlsl {
        shader.set_entry(&entry);
    }
    shader.parse(&asked)?;
    let program = Program::new()?;
    program.link(&shader)?;
    Ok(program.generate(stage, &name, input.lines))
}

impl Stage {
    fn code(self) -> sys::glslang_stage_t {
        match self {
            Stage::Vertex => sys::glslang_stage_t::Vertex,
            Stage::TessControl => sys::glslang_stage_t::TesselationControl,
            Stage::TessEval => sys::glslang_stage_t::TesselationEvaluation,
            Stage::Geometry => sys::glslang_stage_t::Geometry,
            Stage::Fragment => sys::glslang_stage_t::Fragment,
            Stage::Compute => sys::glslang_stage_t::Compute,
        }
    }
}

/// glslang's default limits on resources.
fn limits() -> *const sys::glslang_resource_t {
    static LIMITS: ResourceLimits = DEFAULT_LIMITS;
    // `ResourceLimits` is `repr(transparent)` around this type.
    const { assert!(size_of::<ResourceLimits>() == size_of::<sys::glslang_resource_t>()) };
    (&raw const LIMITS).cast()
}

/// The text at a pointer that glslang returned; empty if it is null.
///
/// # Safety
/// The pointer is null or points to a text that ends with a zero byte and does not change during the call.
unsafe fn message(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees it.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A shader of glslang. It contains a pointer to the field `code` of the input, so [`Shader::parse`] needs the same
/// input, which must not have moved; the lifetime of the borrow ensures that.
struct Shader<'a> {
    handle: NonNull<sys::glslang_shader_t>,
    _input: &'a sys::glslang_input_t,
}

impl<'a> Shader<'a> {
    fn new(input: &'a sys::glslang_input_t) -> Result<Shader<'a>, Error> {
        // SAFETY: all pointers in the input are valid or null, and the process is initialised.
        let handle = unsafe { sys::glslang_shader_create(input) };
        Ok(Shader { handle: NonNull::new(handle).ok_or(Error::Absent)?, _input: input })
    }

    fn set_entry(&self, name: &CStr) {
        // SAFETY: the handle is valid, and glslang copies the names.
        unsafe {
            sys::glslang_shader_set_entry_point(self.handle.as_ptr(), name.as_ptr());
            sys::glslang_shader_set_source_entry_point(self.handle.as_ptr(), name.as_ptr());
        }
    }

    fn parse(&self, input: &'a sys::glslang_input_t) -> Result<(), Error> {
        let handle = self.handle.as_ptr();
        // SAFETY: the handle and the input are valid; the second call needs the result of the first.
        let parsed = unsafe {
            sys::glslang_shader_preprocess(handle, input) != 0
                && sys::glslang_shader_parse(handle, input) != 0
        };
        if parsed {
            return Ok(());
        }
        // SAFETY: the handle is valid, and the text belongs to it.
        Err(Error::Source(unsafe { message(sys::glslang_shader_get_info_log(handle)) }))
    }
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is valid, and nothing uses it afterwards.
        unsafe { sys::glslang_shader_delete(self.handle.as_ptr()) }
    }
}

/// A program of glslang: one shader, linked.
struct Program {
    handle: NonNull<sys::glslang_program_t>,
}

impl Program {
    fn new() -> Result<Program, Error> {
        // SAFETY: the process is initialised.
        let handle = unsafe { sys::glslang_program_create() };
        Ok(Program { handle: NonNull::new(handle).ok_or(Error::Absent)? })
    }

    fn link(&self, shader: &Shader<'_>) -> Result<(), Error> {
        let rules = sys::glslang_messages_t::VULKAN_RULES.0 | sys::glslang_messages_t::SPV_RULES.0;
        let handle = self.handle.as_ptr();
        // SAFETY: both handles are valid, and the shader lives longer than the program's last use of it: `compile` drops
        // the program first.
        let linked = unsafe {
            sys::glslang_program_add_shader(handle, shader.handle.as_ptr());
            sys::glslang_program_link(handle, rules) != 0
        };
        if linked {
            return Ok(());
        }
        // SAFETY: the handle is valid, and the text belongs to it.
        Err(Error::Source(unsafe { message(sys::glslang_program_get_info_log(handle)) }))
    }

    /// The module of the stage that was linked.
    fn generate(&self, stage: sys::glslang_stage_t, name: &CStr, lines: bool) -> Vec<u32> {
        let handle = self.handle.as_ptr();
        let mut options = sys::glslang_spv_options_t {
            generate_debug_info: lines,
            strip_debug_info: false,
            disable_optimizer: true,
            optimize_size: false,
            optimize_performance: false,
            disassemble: false,
            validate: false,
            emit_nonsemantic_shader_debug_info: false,
            emit_nonsemantic_shader_debug_source: false,
            compile_only: false,
            optimize_allow_expanded_id_bound: false,
            compiler_signature: null(),
            command_line_arguments: null(),
            current_working_directory: null(),
        };
        // SAFETY: the handle is valid, the program is linked and has a shader of this stage; glslang copies the name. The
        // buffer has the size that glslang reports.
        unsafe {
            if lines {
                sys::glslang_program_set_source_file(handle, stage, name.as_ptr());
            }
            sys::glslang_program_SPIRV_generate_with_options(handle, stage, &mut options);
            let mut words = vec![0; sys::glslang_program_SPIRV_get_size(handle)];
            sys::glslang_program_SPIRV_get(handle, words.as_mut_ptr());
            words
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the handle is valid, and nothing uses it afterwards.
        unsafe { sys::glslang_program_delete(self.handle.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() {
    data[gl_GlobalInvocationID.x] *= 2;
}
";

    fn input(text: &str, lines: bool) -> Input<'_> {
        let (language, stage) = (Language::Glsl, Stage::Compute);
        Input { name: "double.comp", text, language, stage, entry: "main", lines }
    }

    /// The operands of all instructions with an opcode.
    fn all(words: &[u32], opcode: u32) -> Vec<&[u32]> {
        let (mut found, mut rest) = (Vec::new(), &words[5..]);
        while let [first, ..] = rest {
            let (inst, next) = rest.split_at((first >> 16) as usize);
            if first & 0xffff == opcode {
                found.push(&inst[1..]);
            }
            rest = next;
        }
        found
    }

    const OP_STRING: u32 = 7;
    const OP_LINE: u32 = 8;

    #[test]
    fn a_module_has_lines_on_request() {
        let with = compile(&input(TEXT, true)).unwrap();
        let strings = all(&with, OP_STRING);
        let name = strings.iter().find(|words| words[0] == all(&with, OP_LINE)[0][0]).unwrap();
        let name: Vec<u8> = name[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(name.starts_with(b"double.comp\0"), "{name:?}");
        assert!(all(&with, OP_LINE).iter().any(|line| line[1] == 5));
        assert_eq!(all(&compile(&input(TEXT, false)).unwrap(), OP_LINE), [[0u32; 0]; 0]);
    }

    #[test]
    fn a_wrong_text_is_refused_with_its_line() {
        let text = TEXT.replace("*= 2", "*= oops");
        let Error::Source(message) = compile(&input(&text, true)).unwrap_err() else { panic!() };
        assert!(message.contains(":5: 'oops'"), "{message}");
    }

    #[test]
    fn a_shader_that_does_not_link_is_refused() {
        let text = "#version 450\nvoid f();\nvoid main() { f(); }";
        let Error::Source(message) = compile(&input(text, false)).unwrap_err() else { panic!() };
        assert!(message.contains("f("), "{message}");
    }

    #[test]
    fn hlsl_starts_at_the_given_function() {
        let text = "RWBuffer<uint> b; [numthreads(8,1,1)] void start(uint i : SV_GroupIndex) { b[i] = i; }";
        let input = Input { language: Language::Hlsl, entry: "start", ..input(text, true) };
        assert!(!all(&compile(&input).unwrap(), OP_LINE).is_empty());
    }

    #[test]
    fn zero_bytes_are_refused() {
        assert_eq!(compile(&input("a\0b", false)), Err(Error::ZeroByte));
        let named = Input { name: "a\0", ..input(TEXT, true) };
        assert_eq!(compile(&named), Err(Error::ZeroByte));
    }

    /// Many threads use the interface at the same time.
    #[test]
    fn threads_compile_side_by_side() {
        let expected = compile(&input(TEXT, true)).unwrap();
        std::thread::scope(|scope| {
            let compile = || (0..8).all(|_| compile(&input(TEXT, true)).unwrap() == expected);
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(compile)).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
        });
    }
}
