//! Measures compile time against the size of the shader. Ten times the straight-line operations, or ten times the
//! loops, should take ten times as long.

use std::fmt::Write;

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

/// Prints a row for each size: instructions, time, and the ratio to the time of the previous, ten times smaller size.
fn table(unit: &str, sizes: [usize; 3], shader: fn(usize) -> String) {
    let mut options = Options::new(Platform::Skl).with_simd(Simd::Simd8);
    options.verify = false;
    println!("| {unit} | instructions | time | for ten times the {unit} |");
    println!("| ---: | ---: | ---: | ---: |");
    let mut before: Option<f64> = None;
    for size in sizes {
        let source = shader(size);
        let spirv = compile_source("scaling.wgsl", Language::Wgsl, &source)
            .expect("the generator writes valid WGSL");
        let program = crestline::compile_spirv(&spirv, &options).expect("the shader compiles");
        let time = milliseconds(shortest(3, || crestline::compile_spirv(&spirv, &options)));
        let ratio = before.map_or_else(String::new, |before| format!("{:.1} x", time / before));
        let counted = program.statistics().expect("the compiler counts");
        println!("| {size} | {} | {time:.1} ms | {ratio} |", counted.instructions);
        before = Some(time);
    }
    println!();
}

fn main() {
    if is_test_run() {
        return;
    }
    table("operations", [1_000, 10_000, 100_000], shader);
    table("loops", [50, 500, 5_000], loops);
}
