//! `crestline compile`, and the compiling part of `crestline run`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crestline::{Device, Ir, Observer, PassReport, Program, compile_spirv_observed};

use crate::args::{self, Emit};
use crate::error::{Code, Failure};
use crate::grammar::Bind;
use crate::progress::Progress;
use crate::source::Shader;
use crate::{code, files};

/// Runs the command.
pub(crate) fn command(arguments: &args::Compile) -> Result<(), Failure> {
    let mut watcher = Watcher::new(&arguments.source);
    watcher.keep_ssa = arguments.emit == Emit::Ssa;
    watcher.keep_codegen = arguments.emit == Emit::Codegen;
    let program = program(&arguments.source, &[], arguments.patch_vertices, &mut watcher)?;
    let width = program.metadata.dispatches.first().simd_width;
    let bytes = match arguments.emit {
        Emit::Asm => {
            let device = Device::new(arguments.source.target);
            code::listing(&program.code, &device, arguments.syntax)
                .map_err(|error| code::decode_failure(&error, "the compiled program"))?
                .into_bytes()
        }
        Emit::Bin => program.code,
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

/// Compiles a shader for a run with these buffers and so many vertices of an input patch, showing what the flags ask for
/// on standard error.
pub(crate) fn program(
    source: &args::Source,
    bound: &[Bind],
    patch_vertices: Option<u32>,
    watcher: &mut Watcher<'_>,
) -> Result<Program, Failure> {
    let shader = Shader::load(source)?;
    shader.check_link(source)?;
    let mut options = shader.options(source, bound)?;
    options.patch.input_vertices = patch_vertices;
    let progress = Progress::start("compiling");
    let result = compile_spirv_observed(&shader.spirv, &options, watcher);
    drop(progress);
    result.map_err(|error| shader.failure(&error, &options))
}

/// Follows the passes for `-v`, `--print-after` and `--emit`.
pub(crate) struct Watcher<'a> {
    verbose: bool,
    print_after: &'a [String],
    keep_ssa: bool,
    keep_codegen: bool,
    last_ssa: String,
    /// By SIMD width, since several are compiled before one is chosen.
    last_codegen: BTreeMap<u32, String>,
    /// When the pass before was reported.
    last: Instant,
    total: Duration,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(source: &'a args::Source) -> Watcher<'a> {
        Watcher {
            verbose: source.verbose,
            print_after: &source.print_after,
            keep_ssa: false,
            keep_codegen: false,
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
}
