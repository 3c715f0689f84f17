//! Tests with unusual shaders: deep, wide, and slow to analyse. Each one compiles, or is rejected with the right error.

use std::fmt::Write;

use crestline::{Language, Options, Platform, Simd, Source, compile};

/// A shader around statements on `a: u32`, the data and the invocation's index `i`.
fn wgsl(statements: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> d: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let i = id.x; var a = d[i];
            {statements}
            d[i] = a;
        }}"
    )
}

/// `count` texts one after another.
fn repeat(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut all, k| {
        let _ = write!(all, "{}", text(k));
        all
    })
}

/// Compiles at SIMD8, all checks on; the error's code if it is refused.
fn outcome(name: &str, statements: &str) -> Result<(), String> {
    let text = wgsl(statements);
    let source = Source { name, language: Language::Wgsl, bytes: text.as_bytes() };
    let mut options = Options::new(Platform::Skl).with_simd(Simd::Simd8);
    options.verify = true;
    compile(&source, &options).map(drop).map_err(|error| error.code().to_owned())
}

#[test]
fn many_conditionals_one_after_another() {
    let text = repeat(600, |k| {
        format!(
            "if ((a >> {}u) & 1u) != 0u {{ a += d[i + {k}u]; }} else {{ a ^= d[i * {k}u]; }}\n",
            k % 31
        )
    });
    assert_eq!(outcome("many_ifs", &text), Ok(()));
}

#[test]
fn many_returns() {
    let text = repeat(300, |k| format!("if a == {k}u {{ return; }} a += d[i + {k}u];\n"));
    assert_eq!(outcome("returns", &text), Ok(()));
}

#[test]
fn values_that_become_divergent_one_round_after_another() {
    let count = 300;
    let mut text = repeat(count, |k| format!("var x{k} = {k}u;\n"));
    text += "for (var k = 0u; k < d[0]; k++) {";
    text += &repeat(count - 1, |k| format!("x{k} = x{} + 1u;\n", k + 1));
    let _ = write!(text, "x{} = a; }}", count - 1);
    text += &repeat(count, |k| format!("a += x{k};\n"));
    assert_eq!(outcome("chain", &text), Ok(()));
}

#[test]
fn many_loops_one_after_another() {
    let text = repeat(200, |k| {
        format!(
            "for (var k = 0u; k < (a & 15u); k++) {{ if d[k] == a {{ break; }} a += d[k];
            if (a & 7u) == {}u {{ continue; }} a ^= 5u; }}\n",
            k % 8
        )
    });
    assert_eq!(outcome("many_loops", &text), Ok(()));
}

#[test]
fn deep_loops() {
    let open = repeat(24, |k| {
        format!("for (var k{k} = 0u; k{k} < (a & 15u); k{k}++) {{ a += k{k} * d[k{k}];\n")
    });
    assert_eq!(outcome("deep_loops", &(open + &"}".repeat(24))), Ok(()));
}

#[test]
fn a_switch_of_many_cases() {
    let cases = repeat(300, |k| format!("case {}u: {{ a += d[{k}]; }}\n", 3 * k));
    assert_eq!(outcome("switch", &format!("switch a {{ {cases} default: {{}} }}")), Ok(()));
}
