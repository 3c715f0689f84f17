//! Throughput of decoding, encoding, validation, printing, parsing and compaction on the oracle pack's code,
//! beside `iga64` on the same bytes. Prints a table; `docs/performance.md` records one run.

use crestline_device::{Device, Platform};
use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::validate::Validator;
use crestline_isa::{Gen, Inst, decode_program, encode};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// The pack's gen9 kernels, repeated to at least a MiB, whole programs only.
fn code() -> Option<Vec<u8>> {
    let shared = std::env::var_os("CRESTLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let folder = shared.join("oracle/igc");
    let mut kernels = Vec::new();
    for case in std::fs::read_dir(folder).ok()? {
        let path = case.ok()?.path().join("skl/k.krn");
        kernels.extend(std::fs::read(path).ok());
    }
    kernels.sort();
    let mut out = Vec::new();
    while out.len() < 1 << 20 {
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

fn report(name: &str, count: usize, bytes: usize, time: Duration) {
    let seconds = time.as_secs_f64();
    println!(
        "{name:32} {:8.2} M inst/s {:8.1} MiB/s {:8.2} ms",
        count as f64 / seconds / 1e6,
        bytes as f64 / seconds / (1 << 20) as f64,
        seconds * 1e3
    );
}

fn main() {
    let Some(code) = code() else {
        println!("skipped: no oracle pack");
        return;
    };
    let generation = Gen::Gen9;
    let insts = decode_program(&code, generation).expect("decodes");
    let full: Vec<Inst> = insts.iter().map(|(_, inst)| inst.clone()).collect();
    let (count, bytes) = (insts.len(), code.len());
    let bits: Vec<u128> =
        full.iter().map(|inst| encode(inst, generation).expect("encodes")).collect();
    println!("{count} instructions, {bytes} bytes of gen9 code");
    let decode_all =
        || bits.iter().filter(|bits| crestline_isa::decode(**bits, generation).is_ok()).count();
    report("decode", count, bits.len() * 16, time(decode_all));
    let encode_all = || full.iter().filter(|inst| encode(inst, generation).is_ok()).count();
    report("encode", count, bits.len() * 16, time(encode_all));
    let program = time(|| decode_program(&code, generation).map(|insts| insts.len()));
    report("decode program (compacted too)", count, bytes, program);
    let compact = time(|| {
        bits.iter()
            .filter(|bits| crestline_isa::compact::compact(**bits, generation).is_some())
            .count()
    });
    report("compact", count, bits.len() * 16, compact);
    let validator = Validator::new(Device::new(Platform::of_generation(generation)));
    let validate = || {
        let mut found = 0;
        full.iter().for_each(|inst| validator.check_inst(inst, |_| found += 1));
        found
    };
    report("validate", count, bits.len() * 16, time(validate));
    let validate_program = || validator.check_program(&insts).len();
    report("validate program", count, bytes, time(validate_program));
    for syntax in [Syntax::Iga, Syntax::Mesa] {
        let disassemble = || {
            let insts = decode_program(&code, generation).expect("decodes");
            print_program(&insts, generation, syntax).len()
        };
        report(&format!("disassemble ({})", syntax.name()), count, bytes, time(disassemble));
        let text = print_program(&insts, generation, syntax);
        let parse = time(|| parse_program(&text, generation, syntax).is_ok());
        report(&format!("assemble ({})", syntax.name()), count, bytes, parse);
    }
    let folder = std::env::temp_dir().join(format!("crestline-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary folder");
    let file = folder.join("code.krn");
    std::fs::write(&file, &code).expect("temporary file");
    let iga64 = || {
        std::process::Command::new("iga64")
            .args(["-d", "-p=9"])
            .arg(&file)
            .output()
            .map(|out| out.stdout.len())
    };
    match iga64() {
        Ok(_) => {
            let start = Instant::now();
            let _ = black_box(iga64());
            report("iga64 -d (with process start)", count, bytes, start.elapsed());
        }
        Err(error) => println!("iga64: {error}"),
    }
    let _ = std::fs::remove_dir_all(&folder);
}
