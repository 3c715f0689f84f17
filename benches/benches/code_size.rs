//! Measures code quality: the number of instructions of our code for the oracle pack's 32-bit compute shaders, compared
//! with another compiler's code for the same shaders at the same SIMD width.

use crestline::{Options, Platform, Program, Simd};
use crestline_benches::is_test_run;
use crestline_isa::{Opcode, decode_program};
use crestline_judges::oracle::{Compiler, Oracle};

/// Shaders that are left out, because they use other types or messages than 32-bit buffer accesses.
const OTHER: &[&str] =
    &["f16_arith", "f64_arith", "int64_arith", "storage_8_16", "image_rw", "texture"];

fn simd(width: u32) -> Option<Simd> {
    match width {
        8 => Some(Simd::Simd8),
        16 => Some(Simd::Simd16),
        32 => Some(Simd::Simd32),
        _ => None,
    }
}

/// Number of instructions up to the end of the thread, without the padding after it.
fn instructions(code: &[u8], platform: Platform) -> Option<usize> {
    let insts = decode_program(code, platform.generation()).ok()?;
    let last = insts
        .iter()
        .rposition(|(_, inst)| !matches!(inst.opcode, Opcode::Nop | Opcode::Illegal))?;
    Some(last + 1)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

fn main() {
    if is_test_run() {
        return;
    }
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let cases = oracle.cases(Compiler::Mesa).expect("the pack is readable");
    let (mut our_total, mut their_total) = (0, 0);
    println!("| shader | target | SIMD | ours | theirs | ratio | spills | theirs |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for case in cases.iter().filter(|case| !OTHER.contains(&case.name.as_str())) {
        let spirv = words(
            &std::fs::read(case.directory.join("shader.spv")).expect("the pack has the module"),
        );
        for name in &case.variants {
            let target = name.split('.').next().unwrap_or_default();
            let Ok(platform) = target.parse::<Platform>() else { continue };
            if !crestline::TARGETS.contains(&platform) {
                continue;
            }
            let variant = case.variant(name).expect("the pack is readable");
            let width = variant.metadata.dispatches.first().simd_width;
            let Some(simd) = simd(width) else { continue };
            let theirs = instructions(&variant.code, platform).expect("foreign code decodes");
            let their_scratch = variant.metadata.scratch_bytes > 0;
            let compiled =
                crestline::compile_spirv(&spirv, &Options::new(platform).with_simd(simd));
            let program: Program = match compiled {
                Ok(program) => program,
                Err(error) => {
                    println!("| {} | {target} | {width} | {error} | {theirs} | | | |", case.name);
                    continue;
                }
            };
            let ours = instructions(&program.code, platform).expect("our code decodes");
            our_total += ours;
            their_total += theirs;
            let ratio = ours as f64 / theirs as f64;
            println!(
                "| {} | {target} | {width} | {ours} | {theirs} | {ratio:.2} | {} | {} |",
                case.name,
                program.statistics().expect("the compiler counts").spills,
                if their_scratch { "scratch" } else { "" }
            );
        }
    }
    println!(
        "| all | | | {our_total} | {their_total} | {:.2} | | |",
        our_total as f64 / their_total as f64
    );
}
