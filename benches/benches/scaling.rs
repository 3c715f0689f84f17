//! Measures compile time and peak memory against the size of the shader. Ten times the operations, loops, cases and so on should
//! take ten times as long, and the memory should not exceed 200 bytes per byte of SPIR-V plus 50 MB.
//!
//! The memory is that of another process, which runs this program with the argument `--peak`, reads the SPIR-V from its standard
//! input, compiles it, and prints its peak (only on Linux).

use std::fmt::Write;
use std::io::{Read, Write as _};
use std::process::{Command, Stdio};

use crestline::{Language, Options, Platform, Simd};
use crestline_benches::{is_test_run, milliseconds, shortest};
use crestline_filetests::corpus::compile_source;

/// A shader of about `operations` arithmetic operations. They depend on each other in eight chains, so that none is
/// dead, constant or equal to another.
fn shader(operations: usize) -> String {
    let mut text = String::from(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n\
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n",
    );
    for chain in 0..8 {
        writeln!(text, "var x{chain} = data[id.x + {chain}u];").expect("writing to a string");
    }
    for i in 0..operations / 4 {
        let (a, b, c) = (i % 8, (i + 3) % 8, (i * 5 + 1) % 8);
        writeln!(text, "x{a} = ((x{a} + x{b}) ^ (x{c} >> {}u)) * 3u;", i % 31 + 1)
            .expect("writing to a string");
    }
    text.push_str("data[id.x] = x0 ^ x1 ^ x2 ^ x3 ^ x4 ^ x5 ^ x6 ^ x7;\n}\n");
    text
}

/// A shader of `loops` loops, one after another. None can be unrolled: the bound of each depends on values of the one
/// before.
fn loops(loops: usize) -> String {
    let mut text = String::from(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n\
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
         var x = data[id.x];\n",
    );
    for i in 0..loops {
        let (limit, factor) = (i % 13 + 3, 2 * i + 3);
        writeln!(text, "for (var i = 0u; i < (x & {limit}u); i++) {{ x = x * {factor}u + i; }}")
            .expect("writing to a string");
    }
    text.push_str("data[id.x] = x;\n}\n");
    text
}

/// The start of a shader with an entry point that has the invocation's number in `i` and a value in `x`.
const START: &str = "\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> floats: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
let i = id.x;
var x = data[i];
";

/// The end of such a shader.
const END: &str = "data[i] = x;\n}\n";

/// A shader with a statement for each number below `count`.
fn repeated(count: usize, statement: impl Fn(usize) -> String) -> String {
    let body: String = (0..count).map(|k| statement(k) + "\n").collect();
    format!("{START}{body}{END}")
}

/// A kernel that an optimizer has unrolled: `steps` products of two values from memory, added to 16 sums.
fn unrolled(steps: usize) -> String {
    let sums: String = (0..16).map(|k| format!("var s{k} = 0.0;\n")).collect();
    let stores: String = (0..16).map(|k| format!("floats[i * 16u + {k}u] = s{k};\n")).collect();
    let start = format!("{START}{sums}");
    let steps: String = (0..steps)
        .map(|k| {
            let (sum, place) = (k % 16, k * 7 % 4096);
            format!("s{sum} += floats[i * 64u + {k}u] * floats[{place}u + (i & 15u)];\n")
        })
        .collect();
    format!("{start}{steps}{stores}{END}")
}

/// A switch with `cases` cases, all different.
fn switch(cases: usize) -> String {
    let cases: String = (0..cases)
        .map(|k| {
            let (factor, shift) = (2 * k + 3, k % 31 + 1);
            format!("case {k}u: {{ x = x * {factor}u + data[i + {k}u]; x ^= x >> {shift}u; data[i + {k}u] = x; }}\n")
        })
        .collect();
    format!("{START}switch x {{\n{cases}default: {{}}\n}}\n{END}")
}

/// `count` functions with early returns and loops, each called once.
fn functions(count: usize) -> String {
    let declared: String = (0..count)
        .map(|k| {
            let (mask, factor) = (k + 1, k + 3);
            format!(
                "fn f{k}(p: u32, b: u32) -> u32 {{ var a = p; if (a & {mask}u) == 0u {{ return b * {factor}u; }}\n\
                 for (var j = 0u; j < (b & 3u); j++) {{ a = a * 5u + j; }} return a ^ b; }}\n"
            )
        })
        .collect();
    declared + &repeated(count, |k| format!("x = f{k}(x, data[i + {k}u]);"))
}

/// `count` branches, one after another.
fn branches(count: usize) -> String {
    repeated(count, |k| {
        let (bit, factor) = (1 << (k % 20), 2 * k + 3);
        format!(
            "if (x & {bit}u) != 0u {{ x = x * {factor}u + i; data[i + {k}u] = x; }} else {{ x ^= x >> {}u; }}",
            k % 31
        )
    })
}

/// `count` nests of 40 branches and four loops.
fn nests(count: usize) -> String {
    const DEPTH: usize = 40;
    repeated(count, |k| {
        let mut nest = String::new();
        for level in 0..DEPTH {
            let head = match level % 10 {
                9 => format!("for (var a{level} = 0u; a{level} < (x & 3u); a{level}++)"),
                _ => format!("if (x & {}u) != 0u", 1 << (level % 20)),
            };
            writeln!(nest, "{head} {{ x = x * {}u + {k}u;", 2 * level + 3)
                .expect("writing to a string");
        }
        nest + "data[i] = x;" + &"}".repeat(DEPTH)
    })
}

/// The options of all compilations.
fn options() -> Options {
    let mut options = Options::new(Platform::Skl).with_simd(Simd::Simd8);
    options.verify = false;
    options
}

/// The peak memory in MiB of a process that compiles a module; `None` if it is not known.
fn peak(spirv: &[u32]) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let mut child = Command::new(program)
        .arg("--peak")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let bytes: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    child.stdin.take()?.write_all(&bytes).ok()?;
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Compiles the module on the standard input, and prints the peak memory of this process in MiB.
fn print_peak() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("a module");
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    crestline::compile_spirv(&words, &options()).expect("the shader compiles");
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    if let Some(kib) = kib {
        println!("{}", kib / 1024);
    }
}

/// Prints a row for each size: instructions, time, the ratio to the time of the previous, ten times smaller size, and the peak
/// memory with its limit.
fn table(unit: &str, sizes: [usize; 3], shader: fn(usize) -> String) {
    let options = options();
    println!("| {unit} | instructions | time | for ten times the {unit} | peak memory | limit |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut before: Option<f64> = None;
    for size in sizes {
        let source = shader(size);
        let spirv = compile_source("scaling.wgsl", Language::Wgsl, &source)
            .expect("the generator writes valid WGSL");
        let program = crestline::compile_spirv(&spirv, &options).expect("the shader compiles");
        let time = milliseconds(shortest(3, || crestline::compile_spirv(&spirv, &options)));
        let ratio = before.map_or_else(String::new, |before| format!("{:.1} x", time / before));
        let counted = program.statistics().expect("the compiler counts");
        let peak = peak(&spirv).map_or_else(String::new, |peak| format!("{peak} MiB"));
        let limit = (50_000_000 + 200 * 4 * spirv.len()) >> 20;
        println!(
            "| {size} | {} | {time:.1} ms | {ratio} | {peak} | {limit} MiB |",
            counted.instructions
        );
        before = Some(time);
    }
    println!();
}

fn main() {
    if is_test_run() {
        return;
    }
    if std::env::args().any(|argument| argument == "--peak") {
        return print_peak();
    }
    table("operations", [1_000, 10_000, 100_000], shader);
    table("loops", [50, 500, 5_000], loops);
    table("unrolled steps", [60, 600, 6_000], unrolled);
    table("cases", [50, 500, 5_000], switch);
    table("functions", [20, 200, 2_000], functions);
    table("branches", [100, 1_000, 10_000], branches);
    table("nests", [2, 20, 200], nests);
}
