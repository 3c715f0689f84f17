//! `crestline disasm` beside `iga64` on the same file: a MiB of the oracle pack's Skylake kernels,
//! both as processes that write to a pipe, and our library's part alone; and the memory it takes by
//! the size of the file. Prints the figures of the targets; `docs/performance.md` records one run.

use crestline_isa::Gen;
use crestline_isa::text::{Syntax, print_code};
use crestline_judges::oracle::Oracle;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// The shortest of several runs, and what the last one made.
fn shortest<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut run = || {
        let start = Instant::now();
        let made = black_box(work());
        (start.elapsed(), made)
    };
    (0..6).fold(run(), |(shortest, _), _| {
        let (time, made) = run();
        (shortest.min(time), made)
    })
}

/// A disassembler, told what to read.
fn tool(program: &str, arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(file).stdout(Stdio::piped());
    command
}

fn crestline(file: &Path) -> Command {
    let arguments = ["disasm", "--target", "skl", "--syntax", "iga"];
    tool(env!("CARGO_BIN_EXE_crestline"), &arguments, file)
}

fn iga(file: &Path) -> Command {
    tool("iga64", &["-d", "-p=9"], file)
}

/// Words that a tool writes to its standard output.
fn words(mut command: Command) -> std::io::Result<usize> {
    let output = command.output()?;
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).split_whitespace().count())
}

/// Takes all that a tool writes and lets it go, so that only the tool's own work takes time.
fn drained(mut command: Command) -> std::io::Result<()> {
    let mut child = command.spawn()?;
    let mut stdout = child.stdout.take().expect("it is piped");
    let mut piece = vec![0; 1 << 16];
    while stdout.read(&mut piece)? != 0 {}
    child.wait().map(|_| ())
}

/// The most memory that `crestline disasm` used, in MiB: what the system says of the process when
/// all it can do is wait for its output to be read.
fn peak(file: &Path) -> Option<f64> {
    let mut child = crestline(file).spawn().ok()?;
    let mut stdout = child.stdout.take()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    let mut piece = vec![0; 1 << 16];
    while stdout.read(&mut piece).ok()? != 0 {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kib.unwrap_or(0.0) / 1024.0);
    }
    child.wait().ok()?;
    Some(peak)
}

fn main() {
    let oracle = match Oracle::find() {
        Ok(oracle) => oracle,
        Err(absent) => return println!("skipped: {absent}"),
    };
    let folder = std::env::temp_dir().join(format!("crestline-disasm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("code.krn");
    let code = oracle.skylake_kernels(MIB).expect("the pack has kernels");
    std::fs::write(&file, &code).expect("a temporary file");

    let (inside, _) = shortest(|| print_code(&code, Gen::Gen9, Syntax::Iga).expect("it decodes"));
    let (process, ended) = shortest(|| drained(crestline(&file)));
    ended.expect("it was built for this");
    let row = |name: &str, time: Duration| {
        let rate = code.len() as f64 / time.as_secs_f64() / MIB as f64;
        println!("{name:28} {rate:7.1} MiB/s {:8.2} ms", time.as_secs_f64() * 1e3);
    };
    row("library, one core", inside);
    row("crestline disasm", process);
    match (shortest(|| drained(iga(&file))), words(iga(&file))) {
        ((theirs, Ok(())), Ok(reference)) => {
            row("iga64 -d", theirs);
            let words = words(crestline(&file)).expect("it was built for this");
            println!("words of text: {words} and {reference}");
            for (name, ours, target) in [("excluded", inside, 15.0), ("included", process, 10.0)] {
                let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
                let verdict = if ratio >= target { "met" } else { "missed" };
                println!(
                    "times iga64, process start {name}: {ratio:.1}   target {target:.0}: {verdict}"
                );
            }
        }
        ((_, Err(error)), _) | (_, Err(error)) => println!("iga64: {error}"),
    }
    // Containers refuse code of more than 16 MiB.
    for mib in [1, 4, 12] {
        let code = oracle.skylake_kernels(mib * MIB).expect("the pack has kernels");
        std::fs::write(&file, &code).expect("a temporary file");
        let peak = peak(&file).unwrap_or_default();
        let each = peak / (code.len() as f64 / MIB as f64);
        println!("{mib:2} MiB of code: peak {peak:7.1} MiB, {each:.1} for each");
    }
    let _ = std::fs::remove_dir_all(&folder);
}
