//! Source texts that exhaust the stack, memory or time of a parser without limits.
//!
//! Each is a compute shader with one statement, `d[0] = value`, where `d` is a buffer of `uint`.

/// A shader in WGSL.
pub fn wgsl(globals: &str, value: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> d: array<u32>;\n{globals}\n\
         @compute @workgroup_size(1) fn main() {{\n d[0] = {value}; }}\n"
    )
}

/// A shader in GLSL.
pub fn glsl(globals: &str, value: &str) -> String {
    format!(
        "#version 450\nlayout(set = 0, binding = 0) buffer B {{ uint d[]; }};\n{globals}\n\
         void main() {{\n d[0] = {value}; }}\n"
    )
}

/// A shader in HLSL.
pub fn hlsl(globals: &str, value: &str) -> String {
    format!(
        "RWStructuredBuffer<uint> d : register(u0);\n{globals}\n\
         [numthreads(1, 1, 1)] void main() {{\n d[0] = {value}; }}\n"
    )
}

/// A sum of `terms` terms.
pub fn sum(terms: usize) -> String {
    vec!["d[1]"; terms].join(" + ")
}

/// Texts before and after an inner expression that make an expression in each of the three languages.
pub const NESTED: &[(&str, &str)] =
    &[("(", ")"), ("-", ""), ("1u + ", ""), ("1u + (", ")"), ("d[", "]"), ("min(1u, ", ")")];

/// The expression `inside`, nested `count` times.
pub fn nest((before, after): (&str, &str), count: usize, inside: &str) -> String {
    format!("{}{inside}{}", before.repeat(count), after.repeat(count))
}

/// Globals: `first`, then `next(1)`, `next(2)`, ...; and an element of the last one, an array with `count` dimensions.
fn arrays(count: usize, first: &str, next: impl Fn(usize) -> String) -> (String, String) {
    let next: String = (1..count).map(|n| next(n) + "\n").collect();
    (format!("{first}\n{next}"), format!("a{}{}", count - 1, "[0]".repeat(count)))
}

/// A shader in WGSL with a constant of `2^count` elements.
pub fn wgsl_arrays(count: usize) -> String {
    let next = |n| format!("const a{n} = array(a{}, a{});", n - 1, n - 1);
    let (globals, value) = arrays(count, "const a0 = array(1u, 2u);", next);
    wgsl(&globals, &value)
}

/// A shader in GLSL with a constant of `2^count` elements.
pub fn glsl_arrays(count: usize) -> String {
    let next = |n: usize| {
        let dims = "[2]".repeat(n + 1);
        format!("const uint a{n}{dims} = uint{dims}(a{}, a{});", n - 1, n - 1)
    };
    let (globals, value) = arrays(count, "const uint a0[2] = uint[2](1u, 2u);", next);
    glsl(&globals, &value)
}

/// Macros that each use the previous one twice, joined by `join`; and a use of the last one, of `2^(count - 1)` terms.
pub fn macros(count: usize, join: &str) -> (String, String) {
    let line = |n: usize| format!("#define M{n} M{} {join} M{}\n", n - 1, n - 1);
    let lines: String = (1..count).map(line).collect();
    (format!("#define M0 d[1]\n{lines}"), format!("M{}", count - 1))
}
