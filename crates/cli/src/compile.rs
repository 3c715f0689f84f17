//! `crestline compile`, and the compilation in `crestline run`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use crestline::{
    Device, FuelReport, Ir, LastChange, Observer, PassInfo, PassReport, Program, WidthReport,
    WidthResult, compile_spirv_observed, shader_report,
};
use crestline_analysis::{ShaderReport, WidthAttempt, WidthOutcome};
use crestline_program::write_hex;

use crate::args::{self, Emit};
use crate::error::{Code, Failure, warn};
use crate::progress::Progress;
use crate::source::Shader;
use crate::{code, files};

/// Runs the command.
pub(crate) fn command(arguments: &args::Compile) -> Result<(), Failure> {
    if arguments.source.list_passes {
        return list_passes();
    }
    let mut watcher = Watcher::new(&arguments.source);
    let emit = arguments.emit.unwrap_or_else(|| emit_of(&arguments.output));
    watcher.keep_ssa = emit == Emit::Ssa;
    watcher.keep_codegen = emit == Emit::Codegen;
    let shader = Shader::load(&arguments.source)?;
    let program =
        program_of(&shader, &arguments.source, None, arguments.patch_vertices, &mut watcher)?;
    let width = program.metadata.dispatches.first().simd_width;
    let bytes = match emit {
        Emit::Asm => code::listing(&program, arguments.syntax, shader.text())
            .map_err(|error| code::decode_failure(&error, "the compiled program"))?
            .into_bytes(),
        Emit::Loc => code::located(&program, arguments.syntax)
            .map_err(|error| code::decode_failure(&error, "the compiled program"))?
            .into_bytes(),
        Emit::Bin => program.code,
        Emit::Hex => write_hex(&program.code).into_bytes(),
        Emit::Zebin => {
            let fail = |error| Failure::new(Code::Container, error);
            program.to_zebin().map_err(fail)?
        }
        Emit::Json => {
            let mut text = program.to_json();
            text.push('\n');
            text.into_bytes()
        }
        Emit::Ssa => watcher.last_ssa.into_bytes(),
        Emit::Codegen => watcher.last_codegen.remove(&width).unwrap_or_default().into_bytes(),
    };
    files::write(&arguments.output, &bytes)
}

/// The output format for a file name.
fn emit_of(output: &Path) -> Emit {
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("bin") => Emit::Bin,
        Some("hex") => Emit::Hex,
        Some("json") => Emit::Json,
        Some("zebin" | "elf") => Emit::Zebin,
        Some("ssa") => Emit::Ssa,
        _ => Emit::Asm,
    }
}

/// Prints the passes in the order in which they first run.
pub(crate) fn list_passes() -> Result<(), Failure> {
    let row = |pass: PassInfo| {
        let half = if pass.mid_end { "mid-end" } else { "back end" };
        let optional = if pass.optional { "--skip-pass" } else { "" };
        let line = format!("{:<28}{half:<10}{optional}", pass.name);
        format!("{}\n", line.trim_end())
    };
    let text: String = crestline::passes().map(row).collect();
    files::write("-".as_ref(), text.as_bytes())
}

/// Compiles a shader. `bound` are the resources of the run, `patch_vertices` the number of vertices of an input patch.
/// Prints the output of `-v` and `--print-after` on standard error.
pub(crate) fn program(
    source: &args::Source,
    bound: Option<&args::Bindings>,
    patch_vertices: Option<u32>,
    watcher: &mut Watcher<'_>,
) -> Result<Program, Failure> {
    program_of(&Shader::load(source)?, source, bound, patch_vertices, watcher)
}

/// Does the same as [`program`] for a shader that was read before.
pub(crate) fn program_of(
    shader: &Shader,
    source: &args::Source,
    bound: Option<&args::Bindings>,
    patch_vertices: Option<u32>,
    watcher: &mut Watcher<'_>,
) -> Result<Program, Failure> {
    shader.check_link(source)?;
    let mut options = shader.options(source, bound)?;
    options.patch.input_vertices = patch_vertices;
    // A run needs the true format: that of the bound image.
    options.assume_image_formats = bound.is_none();
    let progress = Progress::start("compiling");
    let result = compile_spirv_observed(&shader.spirv, &options, watcher);
    drop(progress);
    result.map_err(|error| shader.failure(&error))
}

/// Observes the passes for `-v`, `--print-after` and `--emit`.
pub(crate) struct Watcher<'a> {
    verbose: bool,
    print_after: &'a [String],
    threads_per_eu: u32,
    keep_ssa: bool,
    keep_codegen: bool,
    /// The SIMD widths that were tried.
    pub(crate) widths: Vec<WidthAttempt>,
    /// Whether a report on the optimised shader is wanted.
    pub(crate) wants_report: bool,
    /// The report, if it is wanted.
    pub(crate) report: Option<ShaderReport>,
    last_ssa: String,
    /// By SIMD width, because several widths are compiled before one is chosen.
    last_codegen: BTreeMap<u32, String>,
    /// The time at which the previous pass was reported.
    last: Instant,
    total: Duration,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(source: &'a args::Source) -> Watcher<'a> {
        Watcher {
            verbose: source.verbose,
            print_after: &source.print_after,
            threads_per_eu: Device::new(source.target).limits().threads_per_eu,
            keep_ssa: false,
            keep_codegen: false,
            widths: Vec::new(),
            wants_report: false,
            report: None,
            last_ssa: String::new(),
            last_codegen: BTreeMap::new(),
            last: Instant::now(),
            total: Duration::ZERO,
        }
    }
}

impl Observer for Watcher<'_> {
    fn after_pass(&mut self, report: &PassReport<'_>) {
        let time = self.last.elapsed();
        self.total += time;
        let width = report.simd.map_or(String::new(), |simd| format!(" SIMD{simd}"));
        if self.verbose {
            let (pass, total) = (time.as_secs_f64() * 1e3, self.total.as_secs_f64() * 1e3);
            eprintln!("{pass:>10.3} ms {total:>10.3} ms  {}{width}", report.name);
        }
        if self.print_after.iter().any(|pass| pass == "all" || pass == report.name) {
            eprintln!("; after {}{width}\n{}", report.name, report.ir);
        }
        match report.ir {
            Ir::Ssa(_) if self.keep_ssa && report.simd.is_none() => {
                self.last_ssa = report.ir.to_string();
            }
            Ir::Codegen(_) if self.keep_codegen => {
                let width = report.simd.map_or(0, u32::from);
                self.last_codegen.insert(width, report.ir.to_string());
            }
            _ => {}
        }
        self.last = Instant::now();
    }

    fn width_tried(&mut self, report: &WidthReport<'_>) {
        let mut attempt = WidthAttempt {
            simd_width: report.simd.into(),
            outcome: WidthOutcome::Refused,
            registers: None,
            spills: None,
            cycles_per_invocation: None,
            reason: None,
        };
        match report.result {
            WidthResult::Compiled { registers, spills, cycles } => {
                let threads = f64::from(self.threads_per_eu);
                let each = cycles as f64 / (threads * f64::from(report.simd));
                attempt.outcome = WidthOutcome::NotFaster;
                attempt.registers = Some(registers);
                attempt.spills = Some(spills);
                attempt.cycles_per_invocation = Some((each * 10.0).round() / 10.0);
            }
            WidthResult::Registers { needed, .. } => {
                attempt.outcome = WidthOutcome::Registers;
                attempt.registers = Some(needed);
            }
            WidthResult::Refused(error) => attempt.reason = Some(error.to_string()),
        }
        self.widths.push(attempt);
    }

    fn optimized(&mut self, shader: &crestline::Shader) {
        if self.wants_report {
            self.report = Some(shader_report(shader));
        }
    }

    fn image_format_assumed(&mut self, set: u32, binding: u32) {
        warn(format_args!(
            "the shader reads image {set}.{binding} without a format: compiled for four components of 32 bits; see --image-format"
        ));
    }

    fn fuel_used(&mut self, report: &FuelReport) {
        let FuelReport { limit, used, last, simd } = report;
        match last {
            Some(LastChange { pass, what }) => {
                let width = simd.map_or(String::new(), |simd| format!(" at SIMD{simd}"));
                eprintln!(
                    "fuel: {used} changes, all that were allowed; the last, by {pass}{width}: {what}"
                );
            }
            None if *limit == 0 => eprintln!("fuel: no changes were allowed"),
            None => eprintln!("fuel: {used} changes; {limit} were allowed"),
        }
    }
}
