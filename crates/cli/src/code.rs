//! Reads machine code from every container, and runs `crestline disasm` and `crestline validate`.

use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::thread;

use crestline::{Device, Platform};
use crestline_isa::text::{Disassembly, Prefix, Syntax, print_bytes, print_inst, unrepresentable};
use crestline_isa::validate::{Finding, Severity, Validator};
use crestline_isa::{Gen, Hole, Inst, ProgramError, decode_around, decode_each};
use crestline_program::{Container, ContainerError, Kernel, LineTable, Program, read_kernels};
use serde_json::{Value, json};

use crate::annotate;
use crate::args;
use crate::error::{Code, Failure, Origin};
use crate::error_state;
use crate::files::{self, Limit};
use crate::listing::{self, Part};

/// The kernels of a file for a platform; only the one with that name if `name` is given.
fn kernels<'a>(
    bytes: &'a [u8],
    path: &Path,
    target: Platform,
    name: Option<&str>,
    dwords: bool,
) -> Result<Vec<Kernel<'a>>, Failure> {
    let fail = |message: String| {
        Failure::new(Code::Container, message).at(Origin::file(files::shown(path)))
    };
    let container = match Container::detect(bytes) {
        Container::Hex if dwords => Container::Dwords,
        _ if dwords => return Err(fail("--dwords applies to hexadecimal text only".into())),
        container => container,
    };
    let mut kernels = read_kernels(bytes, container)
        .map_err(|error| container_failure(&error, &files::shown(path), bytes))?;
    let mut devices: Vec<String> = kernels.iter().map(|kernel| kernel.device.clone()).collect();
    devices.dedup();
    let fits = |kernel: &Kernel<'_>| match kernel.generation {
        Some(generation) => generation == target.generation(),
        None => kernel.device.is_empty(),
    };
    kernels.retain(fits);
    if kernels.is_empty() {
        let message = format!("the file has no code for {target}");
        return Err(fail(message).note(format!("it has code for {}", devices.join(", "))));
    }
    // An archive may have code for several devices of the generation. The first one is used.
    let device = kernels[0].device.clone();
    kernels.retain(|kernel| kernel.device == device);
    let Some(name) = name else { return Ok(kernels) };
    let known: Vec<String> = kernels.iter().map(|kernel| format!("{:?}", kernel.name)).collect();
    let known = known.join(", ");
    kernels.retain(|kernel| kernel.name == name);
    if kernels.is_empty() {
        return Err(
            fail(format!("the file has no kernel {name:?}")).note(format!("it has {known}"))
        );
    }
    Ok(kernels)
}

/// An error in a container, with its line if the container is text.
fn container_failure(error: &ContainerError, file: &str, bytes: &[u8]) -> Failure {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let origin = match *error {
        ContainerError::NotHex { line, column, .. } => Origin::column(file, text, line, column),
        ContainerError::HalfByte { line } | ContainerError::Dump { line, .. } => {
            Origin::line(file, text, line)
        }
        _ => Origin::file(file),
    };
    Failure::new(Code::Container, error).at(origin)
}

/// The kernels that a command's arguments select. `bytes` are the contents of the file.
pub(crate) fn of_input<'a>(
    bytes: &'a [u8],
    input: &args::Input,
) -> Result<Vec<Kernel<'a>>, Failure> {
    kernels(bytes, &input.file, input.target, input.kernel.as_deref(), input.dwords)
}

/// The only kernel of a file, or the one with that name. `bytes` are the contents of the file.
pub(crate) fn of<'a>(
    bytes: &'a [u8],
    path: &Path,
    target: Platform,
    name: Option<&str>,
    dwords: bool,
) -> Result<Kernel<'a>, Failure> {
    let mut kernels = kernels(bytes, path, target, name, dwords)?;
    match kernels.len() {
        1 => Ok(kernels.remove(0)),
        _ => {
            let several = kernels;
            let names: Vec<&str> = several.iter().map(|kernel| kernel.name.as_str()).collect();
            let message = format!("the file has {} kernels", several.len());
            Err(Failure::new(Code::Container, message)
                .at(Origin::file(files::shown(path)))
                .note(format!("they are {}", names.join(", ")))
                .help("--kernel NAME selects one"))
        }
    }
}

/// Converts a decoding error to a failure.
pub(crate) fn decode_failure(error: &ProgramError, file: &str) -> Failure {
    Failure::new(Code::Decode, error).at(Origin::file(file))
}

/// The code of a kernel. In a container with kernel names, padding is left out.
fn code<'a>(kernel: &'a Kernel<'_>) -> &'a [u8] {
    if kernel.name.is_empty() { &kernel.code } else { kernel.instructions() }
}

/// The code of a kernel up to the end of a range.
fn code_of<'a>(
    kernel: &'a Kernel<'_>,
    range: &args::CodeRange,
    path: &Path,
) -> Result<&'a [u8], Failure> {
    let code = code(kernel);
    if range.start > 0 && range.start >= code.len() {
        let (start, length) = (range.start, code.len());
        let message =
            format!("--start {start:#x} is beyond the end of the code, which has {length} bytes");
        return Err(in_kernel(Failure::new(Code::Decode, message), kernel, path));
    }
    let end = range.length.map_or(code.len(), |length| range.start.saturating_add(length));
    Ok(&code[..end.min(code.len())])
}

/// Decodes a kernel. Returns the byte range of each instruction, with the instruction or the reason why it does not
/// decode.
pub(crate) fn decode(
    kernel: &Kernel<'_>,
    generation: Gen,
) -> Vec<(Range<usize>, Result<Inst, ProgramError>)> {
    decode_each(code(kernel), 0, generation).collect()
}

/// Converts an error of decoding a kernel to a failure.
pub(crate) fn kernel_failure(error: &ProgramError, kernel: &Kernel<'_>, path: &Path) -> Failure {
    let failure = in_kernel(Failure::new(Code::Decode, error), kernel, path);
    if kernel.maybe_dwords { perhaps_dwords(failure) } else { failure }
}

/// Adds the hint that the hexadecimal text may consist of dwords.
pub(crate) fn perhaps_dwords(failure: Failure) -> Failure {
    failure
        .note("its groups of 8 digits were read as bytes in memory order")
        .help("--dwords reads each as a little-endian dword, as `od -t x4` prints them")
}

/// Adds the file and the kernel to a failure.
fn in_kernel(failure: Failure, kernel: &Kernel<'_>, path: &Path) -> Failure {
    let failure = failure.at(Origin::file(files::shown(path)));
    match kernel.name.as_str() {
        "" => failure,
        name => {
            failure.note(format!("in kernel {name:?}, {:#x} bytes into the file", kernel.offset))
        }
    }
}

/// The instructions that do not decode in the kernels of a file: their number, and the first error.
#[derive(Default)]
pub(crate) struct Undecoded {
    count: usize,
    first: Option<Failure>,
}

impl Undecoded {
    /// Adds the errors of a kernel: their number, and the first one. With `--strict` the first one ends the command.
    pub(crate) fn add(
        &mut self,
        count: usize,
        first: Option<&ProgramError>,
        strict: bool,
        failure: impl FnOnce(&ProgramError) -> Failure,
    ) -> Result<(), Failure> {
        self.count += count;
        let Some(first) = first.map(failure) else { return Ok(()) };
        if strict {
            return Err(first);
        }
        self.first.get_or_insert(first);
        Ok(())
    }

    /// The failure that ends the command, after everything else was printed.
    pub(crate) fn result(self) -> Result<(), Failure> {
        let Some(first) = self.first else { return Ok(()) };
        Err(match self.count {
            1 => first,
            count => {
                first.note(format!("{count} instructions do not decode; the first one is shown"))
            }
        })
    }
}

pub(crate) fn syntax(syntax: args::Syntax) -> Syntax {
    match syntax {
        args::Syntax::Mesa => Syntax::Mesa,
        args::Syntax::Iga => Syntax::Iga,
    }
}

/// The assembly text of a program. Comments show the source lines, if the program has a line table; `source` is the
/// name and text of the shader.
pub(crate) fn listing(
    program: &Program,
    dialect: args::Syntax,
    source: Option<(&str, &str)>,
) -> Result<String, ProgramError> {
    let lines = program.metadata.lines.as_ref();
    let comments = lines.map_or(Vec::new(), |lines| annotate::comments(lines, source));
    let generation = program.metadata.platform.generation();
    let code = Disassembly::new(&program.code, generation, syntax(dialect));
    let code = code.with_comments(&comments);
    let printed = code.print(0..code.instructions());
    match printed.error {
        None => Ok(listing::align(printed.text)),
        Some(error) => Err(error),
    }
}

/// The assembly text of a program with the directives `.file` and `.loc` of GNU's assembler.
pub(crate) fn located(program: &Program, dialect: args::Syntax) -> Result<String, ProgramError> {
    let none = LineTable::default();
    let lines = program.metadata.lines.as_ref().unwrap_or(&none);
    let generation = program.metadata.platform.generation();
    let directives = annotate::directives(lines);
    let code = Disassembly::new(&program.code, generation, syntax(dialect));
    let code = code.with_comments(&directives);
    let printed = code.print(0..code.instructions());
    if let Some(error) = printed.error {
        return Err(error);
    }
    let mut text = annotate::files(lines);
    for line in listing::align(printed.text).lines() {
        // The text has no other comments than the directives.
        text.push_str(line.trim_start().strip_prefix("// ").unwrap_or(line));
        text.push('\n');
    }
    Ok(text)
}

/// The line above the code of a kernel with a name.
fn heading(kernel: &Kernel<'_>) -> String {
    let width = kernel.simd_width.map_or(String::new(), |width| format!(", SIMD{width}"));
    let (name, bytes) = (kernel.name.escape_debug(), kernel.instructions().len());
    format!("// kernel {name}: {bytes} bytes at {:#x}{width}\n", kernel.offset)
}

/// The properties of a kernel as JSON. The caller adds the results of the command.
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

/// The text of machine code, in parts.
struct PrintedParts {
    parts: Vec<Part>,
    /// Number of instructions that the syntax cannot represent.
    unrepresentable: usize,
    /// Number of instructions that do not decode.
    undecoded: usize,
    /// The error of the first instruction that does not decode.
    error: Option<ProgramError>,
}

/// Prints machine code. Long code is divided into parts, which are printed on all cores.
fn print(code: &Disassembly<'_>) -> PrintedParts {
    /// The least number of instructions for which a thread is worthwhile.
    const LEAST: usize = 8192;
    let count = code.instructions();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let parts = (count / LEAST).clamp(1, cores);
    let print = |n: usize| {
        let printed = code.print(count * n / parts..count * (n + 1) / parts);
        PrintedParts {
            parts: vec![Part::new(printed.text)],
            unrepresentable: printed.unrepresentable,
            undecoded: printed.undecoded,
            error: printed.error,
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..parts).map(|n| scope.spawn(move || print(n))).collect();
        let mut all = print(0);
        // The parts are joined in the order of the code, so the first error is the one that is kept.
        for other in others {
            let other = match other.join() {
                Ok(printed) => printed,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all.parts.extend(other.parts);
            all.unrepresentable += other.unrepresentable;
            all.undecoded += other.undecoded;
            all.error = all.error.or(other.error);
        }
        all
    })
}

/// The aligned text of machine code in the form that the arguments ask for.
pub(crate) fn text(code: &[u8], arguments: &args::Disasm) -> String {
    let prefix = Prefix { offset: arguments.offsets, bytes: arguments.bytes };
    let generation = arguments.input.target.generation();
    let code = Disassembly::new(code, generation, syntax(arguments.syntax)).with_prefix(prefix);
    let code = code.with_raw_bits(arguments.raw_bits);
    listing::align(code.print(0..code.instructions()).text)
}

/// The JSON rows of machine code, also of bytes that do not decode.
pub(crate) fn instructions(code: &[u8], arguments: &args::Disasm) -> Vec<Value> {
    let generation = arguments.input.target.generation();
    let syntax = syntax(arguments.syntax);
    decode_each(code, 0, generation)
        .map(|(at, inst)| match inst {
            Ok(inst) => row(&inst, &at, code, generation, syntax),
            Err(error) => undecoded_bytes(code, &at, &error),
        })
        .collect()
}

/// Runs `disasm`.
pub(crate) fn disassemble(arguments: &args::Disasm) -> Result<(), Failure> {
    if arguments.error_state {
        return error_state::show(arguments);
    }
    let (input, range) = (&arguments.input, &arguments.range);
    let bytes = files::read(&input.file, Limit::CODE)?;
    let kernels = of_input(&bytes, input)?;
    let mut undecoded = Undecoded::default();
    if input.json {
        let kernels = kernels.iter().map(|kernel| disassembly(kernel, arguments, &mut undecoded));
        let kernels = kernels.collect::<Result<_, Failure>>()?;
        let mut document = document(input.target, kernels);
        document.insert("undecoded".into(), undecoded.count.into());
        files::write_json("disasm", document.into())?;
        return undecoded.result();
    }
    let (generation, syntax) = (input.target.generation(), syntax(arguments.syntax));
    let prefix = Prefix { offset: arguments.offsets, bytes: arguments.bytes };
    let mut unrepresentable = 0;
    // All text is made before any is written, so that with `--strict` only the error is output.
    let texts = kernels.iter().map(|kernel| {
        let code = code_of(kernel, range, &input.file)?;
        let code = Disassembly::starting_at(range.start, code, generation, syntax);
        let printed = print(&code.with_prefix(prefix).with_raw_bits(arguments.raw_bits));
        let (count, error) = (printed.undecoded, printed.error);
        undecoded.add(count, error.as_ref(), range.strict, |error| {
            kernel_failure(error, kernel, &input.file)
        })?;
        unrepresentable += printed.unrepresentable;
        Ok(printed.parts)
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
    })?;
    if unrepresentable > 0 {
        let (count, name) = (counted(unrepresentable, "instruction"), syntax.name());
        let other = match syntax {
            Syntax::Mesa => "",
            Syntax::Iga => "; --syntax mesa may have one",
        };
        crate::error::warn(format!(
            "the {name} syntax has no text for {count}, printed as .bytes{other}"
        ));
    }
    undecoded.result()
}

/// Bytes as hexadecimal text in memory order, for JSON documents.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The JSON row for bytes that do not decode.
pub(crate) fn undecoded_row(kernel: &Kernel<'_>, at: &Range<usize>, error: &ProgramError) -> Value {
    undecoded_bytes(&kernel.code, at, error)
}

fn undecoded_bytes(code: &[u8], at: &Range<usize>, error: &ProgramError) -> Value {
    json!({
        "offset": at.start,
        "bytes": hex(&code[at.clone()]),
        "error": error.to_string(),
    })
}

/// The JSON row of an instruction.
fn row(inst: &Inst, at: &Range<usize>, code: &[u8], generation: Gen, syntax: Syntax) -> Value {
    let mut row = json!({
        "offset": at.start,
        "bytes": hex(&code[at.clone()]),
        "compacted": inst.compacted,
        "text": print_inst(inst, generation, syntax),
    });
    if let (Some(why), Some(row)) = (unrepresentable(inst, generation, syntax), row.as_object_mut())
    {
        row.insert("unsaid".into(), format!("{} has {why}", syntax.name()).into());
    }
    row
}

/// The instructions of a kernel as JSON.
fn disassembly(
    kernel: &Kernel<'_>,
    arguments: &args::Disasm,
    undecoded: &mut Undecoded,
) -> Result<Value, Failure> {
    let (input, range) = (&arguments.input, &arguments.range);
    let (generation, syntax) = (input.target.generation(), syntax(arguments.syntax));
    let code = code_of(kernel, range, &input.file)?;
    let mut rows = Vec::new();
    for (at, inst) in decode_each(code, range.start, generation) {
        rows.push(match inst {
            Ok(inst) => row(&inst, &at, code, generation, syntax),
            Err(error) => {
                undecoded.add(1, Some(&error), range.strict, |error| {
                    kernel_failure(error, kernel, &input.file)
                })?;
                undecoded_row(kernel, &at, &error)
            }
        });
    }
    let mut document = about(kernel);
    document.insert("instructions".into(), rows.into());
    Ok(Value::Object(document))
}

/// A number with a noun, in the plural if necessary.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn severity(finding: &Finding) -> &'static str {
    match finding.rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Runs `validate`: prints each finding, and fails if one is an error.
pub(crate) fn validate(arguments: &args::Validate) -> Result<(), Failure> {
    let (input, range) = (&arguments.input, &arguments.range);
    let bytes = files::read(&input.file, Limit::CODE)?;
    let kernels = of_input(&bytes, input)?;
    let generation = input.target.generation();
    let validator = Validator::new(Device::new(input.target));
    let validator = arguments.disable.iter().fold(validator, |v, rule| v.without(rule));
    let mut text = String::new();
    let mut documents = Vec::new();
    let mut undecoded = Undecoded::default();
    let (mut count, mut errors, mut warnings) = (0, 0, 0);
    for kernel in &kernels {
        let code = code_of(kernel, range, &input.file)?;
        let (insts, holes) = decode_around(code, range.start, generation);
        let first = holes.first().map(|(_, error)| error);
        undecoded.add(holes.len(), first, range.strict, |error| {
            kernel_failure(error, kernel, &input.file)
        })?;
        let mut findings = validator.check_program(&insts);
        let is_hole = |offset: usize| holes.binary_search_by_key(&offset, |(at, _)| at.start);
        findings.retain(|finding| is_hole(finding.offset).is_err());
        count += insts.len() - holes.len();
        let wrong = findings.iter().filter(|f| f.rule.severity == Severity::Error).count();
        errors += wrong;
        warnings += findings.len() - wrong;
        if !kernel.name.is_empty() {
            text.push_str(&heading(kernel));
        }
        let shown =
            |finding: &Finding| print_inst(&insts[finding.index].1, generation, Syntax::Mesa);
        let mut unshown = holes.iter().peekable();
        let put_hole = |text: &mut String, (at, error): &Hole| {
            let bytes = print_bytes(&code[at.clone()], error);
            text.push_str(&format!("undecoded at byte {:#x}\n    {bytes}\n", at.start));
        };
        for finding in &findings {
            while let Some(hole) = unshown.next_if(|(at, _)| at.start < finding.offset) {
                put_hole(&mut text, hole);
            }
            text.push_str(&format!("{finding}\n    {}\n", shown(finding)));
        }
        unshown.for_each(|hole| put_hole(&mut text, hole));
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
        let holes = holes.iter().map(|(at, error)| undecoded_row(kernel, at, error));
        document.insert("undecoded".into(), holes.collect());
        documents.push(Value::Object(document));
    }
    if input.json {
        let mut document = document(input.target, documents);
        document.insert("errors".into(), errors.into());
        document.insert("warnings".into(), warnings.into());
        document.insert("undecoded".into(), undecoded.count.into());
        files::write_json("validate", document.into())?;
    } else {
        let parts = [(count, "instruction"), (errors, "error"), (warnings, "warning")];
        let mut parts: Vec<String> =
            parts.iter().map(|(number, thing)| counted(*number, thing)).collect();
        if undecoded.count > 0 {
            parts.push(format!("{} undecoded", undecoded.count));
        }
        text.push_str(&format!("{}\n", parts.join(", ")));
        files::write(Path::new("-"), text.as_bytes())?;
    }
    if errors == 0 {
        return undecoded.result();
    }
    let places = counted(errors, "place");
    let message = format!("the code breaks rules of {} in {places}", input.target);
    let broken = Failure::new(Code::Invalid, message).at(Origin::file(files::shown(&input.file)));
    Err(Failure::all(undecoded.result().err().into_iter().chain([broken])))
}
