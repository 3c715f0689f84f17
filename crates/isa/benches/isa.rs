//! Throughput of decoding, encoding, printing, parsing, compaction and validation on the oracle
//! pack's code, beside `iga64` on the same bytes in the same run; and the memory of
//! disassembling files of several sizes. Prints a table with the figures of the targets;
//! `docs/performance.md` records one run.

use crestline_device::Device;
use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::validate::Validator;
use crestline_isa::{Gen, Inst, Platform, decode, decode_program, encode};
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The generation of the code.
const GENERATION: Gen = Gen::Gen9;

const MIB: usize = 1 << 20;

/// First argument of a process that only disassembles a file, as a tool would.
const DISASSEMBLE: &str = "--disassemble";

/// The pack's gen9 kernels, repeated to at least so many bytes, whole programs only.
fn code(bytes: usize) -> Option<Vec<u8>> {
    let shared = std::env::var_os("CRESTLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folder = shared.join("oracle/igc");
    let mut kernels = Vec::new();
    for case in std::fs::read_dir(folder).ok()? {
        let path = case.ok()?.path().join("skl/k.krn");
        kernels.extend(std::fs::read(path).ok());
    }
    kernels.sort();
    let mut out = Vec::new();
    while out.len() < bytes {
        for kernel in &kernels {
            // Padding would decode as illegal instructions.
            let end = kernel.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
            out.extend_from_slice(&kernel[..end.next_multiple_of(8)]);
        }
    }
    Some(out)
}

/// Shortest of several runs.
fn time<T>(mut work: impl FnMut() -> T) -> Duration {
    (0..7)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// What is measured on.
struct Subject {
    instructions: usize,
    bytes: usize,
}

impl Subject {
    /// Prints a row: how often the work is done, and how that compares with its target, in
    /// instructions a second.
    fn row(&self, name: &str, time: Duration, target: Option<f64>) {
        let seconds = time.as_secs_f64();
        let rate = self.instructions as f64 / seconds;
        let verdict = target.map_or(String::new(), |target| {
            let verdict = if rate >= target { "met" } else { "missed" };
            format!("   target {:.0} M inst/s: {verdict}", target / 1e6)
        });
        println!(
            "{name:36} {:8.2} M inst/s {:8.1} MiB/s {:8.2} ms{verdict}",
            rate / 1e6,
            self.bytes as f64 / seconds / MIB as f64,
            seconds * 1e3
        );
    }
}

fn disassemble(code: &[u8], syntax: Syntax) -> String {
    let insts = decode_program(code, GENERATION).expect("decodes");
    print_program(&insts, GENERATION, syntax)
}

/// The process that a tool would be: file to text on standard output; its peak memory in KiB
/// goes to standard error.
fn tool(file: &str) {
    let code = std::fs::read(file).expect("the file is there");
    let text = disassemble(&code, Syntax::Iga);
    std::io::stdout().write_all(text.as_bytes()).expect("a reader");
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    eprint!("{}", peak.unwrap_or("0").trim().trim_end_matches(" kB"));
}

/// Runs this program as that process: how long it took, and its peak memory in KiB.
fn run_tool(file: &Path) -> (Duration, u64) {
    let this = std::env::current_exe().expect("a running program");
    let start = Instant::now();
    let output = Command::new(this).arg(DISASSEMBLE).arg(file).output().expect("starts");
    let time = start.elapsed();
    (time, String::from_utf8_lossy(&output.stderr).parse().unwrap_or(0))
}

fn run_iga64(file: &Path) -> std::io::Result<usize> {
    let output = Command::new("iga64").args(["-d", "-p=9"]).arg(file).output()?;
    Ok(output.stdout.len())
}

/// Instructions one by one.
fn single(code: &[u8]) {
    let insts = decode_program(code, GENERATION).expect("decodes");
    let full: Vec<Inst> = insts.iter().map(|(_, inst)| inst.clone()).collect();
    let encoded = |inst: &Inst| encode(inst, GENERATION).expect("encodes");
    let bits: Vec<u128> = full.iter().map(encoded).collect();
    let subject = Subject { instructions: bits.len(), bytes: bits.len() * 16 };
    let decoding = || bits.iter().filter(|bits| decode(**bits, GENERATION).is_ok()).count();
    subject.row("decode", time(decoding), Some(10e6));
    let encoding = || full.iter().filter(|inst| encode(inst, GENERATION).is_ok()).count();
    subject.row("encode", time(encoding), Some(10e6));
    let compacting = || {
        let compact = |bits: &&u128| crestline_isa::compact::compact(**bits, GENERATION).is_some();
        bits.iter().filter(compact).count()
    };
    subject.row("compact", time(compacting), None);
}

/// Whole programs.
fn whole(code: &[u8]) -> Subject {
    let insts = decode_program(code, GENERATION).expect("decodes");
    let subject = Subject { instructions: insts.len(), bytes: code.len() };
    let decoding = || decode_program(code, GENERATION).map(|insts| insts.len());
    subject.row("decode program (compacted too)", time(decoding), None);
    let validator = Validator::new(Device::new(Platform::of_generation(GENERATION)));
    let validation = || validator.check_program(&insts).len();
    subject.row("validate program", time(validation), Some(3e6));
    for syntax in [Syntax::Iga, Syntax::Mesa] {
        let name = syntax.name();
        let printing = time(|| disassemble(code, syntax).len());
        subject.row(&format!("disassemble ({name})"), printing, None);
        let text = print_program(&insts, GENERATION, syntax);
        let parsing = time(|| parse_program(&text, GENERATION, syntax).is_ok());
        subject.row(&format!("assemble ({name})"), parsing, None);
    }
    subject
}

/// The same file through this project and through `iga64`, each as a process.
fn beside_iga64(subject: &Subject, code: &[u8], file: &Path) {
    std::fs::write(file, code).expect("temporary file");
    let inside = time(|| disassemble(code, Syntax::Iga).len());
    let process = (0..7).map(|_| run_tool(file).0).min().unwrap_or_default();
    subject.row("disassemble, process start included", process, None);
    if let Err(error) = run_iga64(file) {
        println!("iga64: {error}");
        return;
    }
    let start = Instant::now();
    let _ = black_box(run_iga64(file));
    let theirs = start.elapsed();
    subject.row("iga64 -d, process start included", theirs, None);
    let ratio = |ours: Duration| theirs.as_secs_f64() / ours.as_secs_f64();
    let verdict = |ratio: f64, target: f64| if ratio >= target { "met" } else { "missed" };
    for (name, ours, target) in [("included", process, 10.0), ("excluded", inside, 15.0)] {
        let (ratio, verdict) = (ratio(ours), verdict(ratio(ours), target));
        println!("times iga64, process start {name}: {ratio:.1}   target {target:.0}: {verdict}");
    }
}

/// Peak memory of disassembling a file, by its size.
fn memory(file: &Path) {
    for mib in [1, 4, 16] {
        let Some(code) = code(mib * MIB) else { return };
        std::fs::write(file, &code).expect("temporary file");
        let (_, peak) = run_tool(file);
        let each = peak as f64 / 1024.0 / (code.len() as f64 / MIB as f64);
        println!("{mib:2} MiB of code: peak {:7.1} MiB, {each:.1} for each", peak as f64 / 1024.0);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, first, file] = arguments.as_slice()
        && first == DISASSEMBLE
    {
        return tool(file);
    }
    let Some(code) = code(MIB) else {
        println!("skipped: no oracle pack");
        return;
    };
    let folder = std::env::temp_dir().join(format!("crestline-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary folder");
    let file = folder.join("code.krn");
    single(&code);
    let subject = whole(&code);
    println!("{} instructions, {} bytes of {GENERATION} code", subject.instructions, subject.bytes);
    beside_iga64(&subject, &code, &file);
    memory(&file);
    let _ = std::fs::remove_dir_all(&folder);
}
