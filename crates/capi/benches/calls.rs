//! Measures what a call through C costs more than a call through Rust: the same shaders, alternately, in one run. Prints the
//! ratio of the sums of the shortest times; docs/performance.md gives the limit, 1.05.
//!
//! `cargo bench -p crestline-capi --bench calls`

use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crestline::{Language, Options, Platform, Source, compile};
use crestline_capi::*;

/// A shader of about as many operations.
fn shader(operations: usize) -> String {
    let mut text = String::from(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n\
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
         var x = data[id.x]; var y = data[id.x + 1u];\n",
    );
    for at in 0..operations / 4 {
        text.push_str(&format!("x = (x + y) ^ (y >> {}u); y = y * 3u + x;\n", at % 31 + 1));
    }
    text.push_str("data[id.x] = x ^ y;\n}\n");
    text
}

fn through_rust(text: &str) {
    let source = Source { name: "shader", language: Language::Wgsl, bytes: text.as_bytes() };
    black_box(compile(&source, &Options::new(Platform::Skl)).expect("the shader compiles"));
}

fn through_c(text: &str) {
    let source = CrestlineSource {
        language: CrestlineLanguage::Wgsl as u32,
        name: null(),
        bytes: text.as_ptr(),
        size: text.len(),
    };
    // SAFETY: all fields are numbers and pointers, for which zero bytes are valid.
    let zero: CrestlineOptions = unsafe { std::mem::zeroed() };
    let size = size_of::<CrestlineOptions>();
    let options = CrestlineOptions { size, platform: c"skl".as_ptr(), ..zero };
    let mut program = null_mut();
    // SAFETY: the pointers are valid or NULL, and the program is released once.
    unsafe {
        let status = crestline_compile(&source, &options, &raw mut program, null_mut());
        assert_eq!(status, CrestlineStatus::Ok);
        assert!(!black_box(crestline_program_metadata(program)).is_null());
        crestline_program_free(program);
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn main() {
    // `cargo test` runs the benchmark without this argument; there is nothing to measure then.
    let runs = if std::env::args().any(|argument| argument == "--bench") { 60 } else { 1 };
    println!("| operations | Rust, ms | C, ms | ratio |\n| ---: | ---: | ---: | ---: |");
    for operations in [4, 40, 400] {
        let text = shader(operations);
        let (mut rust, mut c) = (Duration::MAX, Duration::MAX);
        for _ in 0..runs {
            rust = rust.min(time(|| through_rust(&text)));
            c = c.min(time(|| through_c(&text)));
        }
        let [rust, c] = [rust, c].map(|time| time.as_secs_f64() * 1e3);
        println!("| {operations} | {rust:.3} | {c:.3} | {:.3} |", c / rust);
    }
}
