//! Measures how long the page of `crestline explore` waits for the code after a keystroke in a shader of 200 lines. The goal is
//! 100 ms, with the pause of 30 ms that the page makes before it asks.
//!
//! The child processes of the server run this program with the argument `--serve`.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crestline_benches::{is_test_run, milliseconds};
use crestline_explore::{Document, Server, Token};
use serde_json::json;

/// What the page waits for the next edit.
const PAUSE: Duration = Duration::from_millis(30);
/// The time between two keystrokes.
const TYPING: Duration = Duration::from_millis(150);
/// Lines of the shader.
const LINES: usize = 200;

/// A shader of compute kernels with loops and branches, of [`LINES`] lines. `value` is a number in it that changes.
fn glsl(value: usize) -> String {
    let mut text = format!(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(std430, binding = 0) buffer Data {{ float data[]; }};\n\
         float part(float x, uint n) {{ return sin(x * float(n)) + {value}.0; }}\nvoid main() {{\n\
         uint i = gl_GlobalInvocationID.x;\nfloat x = data[i];\nfloat y = data[i + 1u];\n"
    );
    let mut lines = text.lines().count();
    for n in 0.. {
        if lines + 6 > LINES - 2 {
            break;
        }
        let (next, more) = (n % 7 + 2, n % 5 + 1);
        write!(
            text,
            "for (uint k = 0u; k < (i & {next}u); k++) {{\n    x += part(y, k) * {more}.5;\n}}\nif (x > y) {{\n    \
             y = max(x - {next}.0, y * 0.5);\n}}\n"
        )
        .expect("writing to a string");
        lines += 6;
    }
    for n in lines..LINES - 2 {
        writeln!(text, "x = fract(x * {n}.0) + y;").expect("writing to a string");
    }
    text.push_str("data[i] = x + y;\n}\n");
    assert_eq!(text.lines().count(), LINES);
    text
}

/// The same in WGSL.
fn wgsl(value: usize) -> String {
    let mut text = format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
         fn part(x: f32, n: u32) -> f32 {{ return sin(x * f32(n)) + {value}.0; }}\n@compute @workgroup_size(64)\n\
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\nlet i = id.x;\nvar x = data[i];\nvar y = data[i + 1u];\n"
    );
    let mut lines = text.lines().count();
    for n in 0.. {
        if lines + 6 > LINES - 2 {
            break;
        }
        let (next, more) = (n % 7 + 2, n % 5 + 1);
        write!(
            text,
            "for (var k = 0u; k < (i & {next}u); k++) {{\n    x += part(y, k) * {more}.5;\n}}\nif (x > y) {{\n    \
             y = max(x - {next}.0, y * 0.5);\n}}\n"
        )
        .expect("writing to a string");
        lines += 6;
    }
    for n in lines..LINES - 2 {
        writeln!(text, "x = fract(x * {n}.0) + y;").expect("writing to a string");
    }
    text.push_str("data[i] = x + y;\n}\n");
    assert_eq!(text.lines().count(), LINES);
    text
}

/// Sends a request to compile, and returns the time until the whole answer is there.
fn ask(url: &str, source: &str, language: &str, target: &str) -> Duration {
    let (host, path) = url.trim_start_matches("http://").split_once('/').expect("a path");
    let body = json!({
        "source": source, "language": language, "stage": "compute", "target": target, "width": "auto"
    })
    .to_string();
    let start = Instant::now();
    let mut stream = TcpStream::connect(host).expect("the server listens");
    let head = format!(
        "POST /{path}api/compile HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    stream.write_all(body.as_bytes()).expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let time = start.elapsed();
    assert!(answer.contains("{\"compiled\":"), "{answer:.400}");
    time
}

fn main() {
    if std::env::args().any(|argument| argument == "--serve") {
        crestline_explore::prepare();
        let mut request = Vec::new();
        std::io::stdin().read_to_end(&mut request).expect("a request");
        std::io::stdout().write_all(&crestline_explore::answer(&request)).expect("a reader");
        return;
    }
    let document = Document {
        source: String::new(),
        language: "glsl".to_owned(),
        stage: "compute".to_owned(),
        target: "skl".to_owned(),
        width: "auto".to_owned(),
    };
    let start = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--serve");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    };
    let token = Token::new().expect("random bytes");
    let server = Server::bind(0, token, document, Box::new(start)).expect("a free port");
    let url = server.url();
    std::thread::spawn(move || server.run());
    let runs = if is_test_run() { 1 } else { 20 };
    println!("a keystroke in a shader of {LINES} lines, in ms with the pause of the page:");
    for (language, source) in [("glsl", glsl as fn(usize) -> String), ("wgsl", wgsl)] {
        for target in ["ivb", "hsw", "bdw", "skl"] {
            let mut times: Vec<Duration> = (0..=runs)
                .map(|value| {
                    std::thread::sleep(TYPING);
                    PAUSE + ask(&url, &source(value), language, target)
                })
                // The first request of all finds no process that waits.
                .skip(1)
                .collect();
            times.sort();
            println!(
                "{language} {target}: median {:.0}, longest {:.0}",
                milliseconds(times[times.len() / 2]),
                milliseconds(times[times.len() - 1])
            );
        }
    }
}
