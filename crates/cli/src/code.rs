//! Machine code as it is: reading it from any container, `crestline disasm` and
//! `crestline validate`.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use crestline::{Device, Platform};
use crestline_isa::text::{Disassembly, Syntax, print_code, print_inst};
use crestline_isa::validate::{Finding, Severity, Validator};
use crestline_isa::{Gen, Inst, ProgramError, decode_program};
use crestline_program::{Container, Kernel, read_kernels};
use serde_json::{Value, json};

use crate::args;
use crate::error::{Code, Failure, Origin};
use crate::files;
use crate::listing::{self, Part};

/// Instructions with their byte offsets.
pub(crate) type Instructions = Vec<(usize, Inst)>;

/// The kernels of a file that are meant for a platform, or the one of them with a name.
pub(crate) fn kernels<'a>(
    bytes: &'a [u8],
    path: &Path,
    target: Platform,
    name: Option<&str>,
) -> Result<Vec<Kernel<'a>>, Failure> {
    let fail = |message: String| {
        Failure::new(Code::Container, message).at(Origin::file(files::shown(path)))
    };
    let mut kernels =
        read_kernels(bytes, Container::detect(bytes)).map_err(|error| fail(error.to_string()))?;
    let mut devices: Vec<String> = kernels.iter().map(|kernel| kernel.device.clone()).collect();
    devices.dedup();
    kernels.retain(|kernel| device_is(&kernel.device, target.generation()));
    if kernels.is_empty() {
        let message = format!("no code for {target}");
        return Err(fail(message).note(format!("it has code for {}", devices.join(", "))));
    }
    // An archive may have code for several devices of the generation: one is enough.
    let device = kernels[0].device.clone();
    kernels.retain(|kernel| kernel.device == device);
    let Some(name) = name else { return Ok(kernels) };
    let known: Vec<String> = kernels.iter().map(|kernel| format!("{:?}", kernel.name)).collect();
    let known = known.join(", ");
    kernels.retain(|kernel| kernel.name == name);
    if kernels.is_empty() {
        return Err(fail(format!("no kernel {name:?}")).note(format!("it has {known}")));
    }
    Ok(kernels)
}

/// Whether code for a device, as an archive spells it (`9.0.9`), is of a generation.
fn device_is(device: &str, generation: Gen) -> bool {
    let mut parts = device.split('.').map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => {
            Gen::from_ip_version(major, minor) == Some(generation)
        }
        _ => device.is_empty(),
    }
}

/// Reads the code of the only kernel of a file, or of the one with a name.
pub(crate) fn read(path: &Path, target: Platform, name: Option<&str>) -> Result<Vec<u8>, Failure> {
    let bytes = files::read(path)?;
    let kernels = kernels(&bytes, path, target, name)?;
    match kernels.as_slice() {
        [kernel] => Ok(kernel.code.to_vec()),
        several => {
            let names: Vec<&str> = several.iter().map(|kernel| kernel.name.as_str()).collect();
            let message = format!("the file has {} kernels", several.len());
            Err(Failure::new(Code::Container, message)
                .at(Origin::file(files::shown(path)))
                .note(format!("they are {}", names.join(", ")))
                .help("--kernel NAME chooses one"))
        }
    }
}

/// An error of decoding as a failure.
pub(crate) fn decode_failure(error: &ProgramError, file: &str) -> Failure {
    Failure::new(Code::Decode, error).at(Origin::file(file))
}

/// The code of a kernel; what pads it in a container with names is left out.
fn code<'a>(kernel: &'a Kernel<'_>) -> &'a [u8] {
    if kernel.name.is_empty() { &kernel.code } else { kernel.instructions() }
}

/// Decodes a kernel.
pub(crate) fn decode(
    kernel: &Kernel<'_>,
    path: &Path,
    generation: Gen,
) -> Result<Instructions, Failure> {
    let insts = decode_program(code(kernel), generation);
    insts.map_err(|error| kernel_failure(&error, kernel, path))
}

/// An error of decoding a kernel as a failure.
fn kernel_failure(error: &ProgramError, kernel: &Kernel<'_>, path: &Path) -> Failure {
    let failure = decode_failure(error, &files::shown(path));
    match kernel.name.as_str() {
        "" => failure,
        name => {
            failure.note(format!("in kernel {name:?}, {:#x} bytes into the file", kernel.offset))
        }
    }
}

pub(crate) fn syntax(syntax: args::Syntax) -> Syntax {
    match syntax {
        args::Syntax::Mesa => Syntax::Mesa,
        args::Syntax::Iga => Syntax::Iga,
    }
}

/// The assembly of a program.
pub(crate) fn listing(
    code: &[u8],
    device: &Device,
    dialect: args::Syntax,
) -> Result<String, ProgramError> {
    let generation = device.generation();
    Ok(listing::align(print_code(code, generation, syntax(dialect))?))
}

/// What is said above the code of a kernel with a name.
fn heading(kernel: &Kernel<'_>) -> String {
    let width = kernel.simd_width.map_or(String::new(), |width| format!(", SIMD{width}"));
    let (name, bytes) = (kernel.name.escape_debug(), kernel.instructions().len());
    format!("// kernel {name}: {bytes} bytes at {:#x}{width}\n", kernel.offset)
}

/// What is known of a kernel, as JSON; the caller adds what it found out.
fn about(kernel: &Kernel<'_>) -> serde_json::Map<String, Value> {
    let attributes = kernel.attributes.as_ref().map(|node| node.to_json());
    let fields = [
        ("name", json!(kernel.name)),
        ("offset", json!(kernel.offset)),
        ("bytes", json!(kernel.code.len())),
        ("simd_width", json!(kernel.simd_width)),
        ("attributes", json!(attributes)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A document about the kernels of a file.
fn document(target: Platform, kernels: Vec<Value>) -> serde_json::Map<String, Value> {
    let fields = [
        ("target", json!(target.name())),
        ("generation", json!(target.generation().name())),
        ("kernels", json!(kernels)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Prints machine code on all cores: long code in parts.
fn print(code: &[u8], generation: Gen, syntax: Syntax) -> Result<Vec<Part>, ProgramError> {
    /// Fewer instructions are not worth a thread.
    const LEAST: usize = 8192;
    let code = Disassembly::new(code, generation, syntax);
    let count = code.instructions();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let parts = (count / LEAST).clamp(1, cores);
    let print = |n: usize| code.print(count * n / parts..count * (n + 1) / parts).map(Part::new);
    thread::scope(|scope| {
        let others: Vec<_> = (1..parts).map(|n| scope.spawn(move || print(n))).collect();
        let first = print(0);
        let others = others.into_iter().map(|other| match other.join() {
            Ok(printed) => printed,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        // In the order of the code, so the first error is the one that is reported.
        std::iter::once(first).chain(others).collect()
    })
}

/// Runs `disasm`.
pub(crate) fn disassemble(arguments: &args::Disasm) -> Result<(), Failure> {
    let input = &arguments.input;
    let bytes = files::read(&input.file)?;
    let kernels = kernels(&bytes, &input.file, input.target, input.kernel.as_deref())?;
    let (generation, syntax) = (input.target.generation(), syntax(arguments.syntax));
    if input.json {
        let kernels = kernels.iter().map(|kernel| {
            let insts = decode(kernel, &input.file, generation)?;
            let rows = insts.iter().map(|(offset, inst)| {
                let bytes = &kernel.code[*offset..offset + inst.size() as usize];
                json!({
                    "offset": offset,
                    "bytes": crestline_program::write_hex(bytes).trim_end(),
                    "compacted": inst.compacted,
                    "text": print_inst(inst, generation, syntax),
                })
            });
            let mut document = about(kernel);
            document.insert("instructions".into(), rows.collect());
            Ok(Value::Object(document))
        });
        let kernels = kernels.collect::<Result<_, Failure>>()?;
        return files::write_json(&document(input.target, kernels).into());
    }
    // All is decoded before anything is printed: an error stands alone.
    let texts = kernels.iter().map(|kernel| {
        print(code(kernel), generation, syntax)
            .map_err(|error| kernel_failure(&error, kernel, &input.file))
    });
    let texts = texts.collect::<Result<Vec<_>, Failure>>()?;
    files::print(|out| {
        for (n, (kernel, text)) in kernels.iter().zip(&texts).enumerate() {
            if !kernel.name.is_empty() {
                if n != 0 {
                    out.write_all(b"\n")?;
                }
                out.write_all(heading(kernel).as_bytes())?;
            }
            listing::write(out, text)?;
        }
        Ok(())
    })
}

/// A number of things, in words.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn severity(finding: &Finding) -> &'static str {
    match finding.rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Runs `validate`: one line for each finding, and a failure if one is an error.
pub(crate) fn validate(arguments: &args::Validate) -> Result<(), Failure> {
    let input = &arguments.input;
    let bytes = files::read(&input.file)?;
    let kernels = kernels(&bytes, &input.file, input.target, input.kernel.as_deref())?;
    let generation = input.target.generation();
    let validator = Validator::new(Device::new(input.target));
    let validator = arguments.disable.iter().fold(validator, |v, rule| v.without(rule));
    let mut text = String::new();
    let mut documents = Vec::new();
    let (mut count, mut errors, mut warnings) = (0, 0, 0);
    for kernel in &kernels {
        let insts = decode(kernel, &input.file, generation)?;
        let findings = validator.check_program(&insts);
        count += insts.len();
        let wrong = findings.iter().filter(|f| f.rule.severity == Severity::Error).count();
        errors += wrong;
        warnings += findings.len() - wrong;
        if !kernel.name.is_empty() {
            text.push_str(&heading(kernel));
        }
        let shown =
            |finding: &Finding| print_inst(&insts[finding.index].1, generation, Syntax::Mesa);
        for finding in &findings {
            text.push_str(&format!("{finding}\n    {}\n", shown(finding)));
        }
        let rows = findings.iter().map(|finding| {
            json!({
                "rule": finding.rule.id,
                "severity": severity(finding),
                "sentence": finding.rule.text,
                "source": finding.rule.source,
                "index": finding.index,
                "offset": finding.offset,
                "text": shown(finding),
            })
        });
        let mut document = about(kernel);
        document.insert("findings".into(), rows.collect());
        documents.push(Value::Object(document));
    }
    if input.json {
        let mut document = document(input.target, documents);
        document.insert("errors".into(), errors.into());
        document.insert("warnings".into(), warnings.into());
        files::write_json(&document.into())?;
    } else {
        let parts = [(count, "instruction"), (errors, "error"), (warnings, "warning")];
        let parts = parts.map(|(number, thing)| counted(number, thing));
        text.push_str(&format!("{}\n", parts.join(", ")));
        files::write(Path::new("-"), text.as_bytes())?;
    }
    if errors == 0 {
        return Ok(());
    }
    let places = counted(errors, "place");
    let message = format!("the code breaks rules of {} in {places}", input.target);
    Err(Failure::new(Code::Invalid, message).at(Origin::file(files::shown(&input.file))))
}
