//! Throughput of decoding, encoding, printing, parsing, compaction and validation on the oracle
//! pack's code. Prints a table with the figures of the targets; `docs/performance.md` records one
//! run. How disassembly compares with `iga64` is for the command line's benchmark `disasm`.

use crestline_device::Device;
use crestline_isa::text::{Syntax, parse_program, print_code, print_program};
use crestline_isa::validate::Validator;
use crestline_isa::{Gen, Inst, Platform, decode, decode_program, encode};
use crestline_judges::oracle::Oracle;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The generation of the code.
const GENERATION: Gen = Gen::Gen9;

const MIB: usize = 1 << 20;

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
    print_code(code, GENERATION, syntax).expect("decodes")
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

fn main() {
    let code = match Oracle::find().map(|oracle| oracle.skylake_kernels(MIB)) {
        Ok(code) => code.expect("the pack has kernels"),
        Err(absent) => return println!("skipped: {absent}"),
    };
    single(&code);
    let subject = whole(&code);
    println!("{} instructions, {} bytes of {GENERATION} code", subject.instructions, subject.bytes);
}
