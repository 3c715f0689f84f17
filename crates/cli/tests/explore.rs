//! Requests to the server of `crestline explore`: which it refuses, and what its documents contain.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A running server, which ends when this value is dropped.
struct Explorer {
    child: Child,
    host: String,
    token: String,
}

impl Explorer {
    fn start() -> Explorer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crestline"));
        command.arg("explore");
        Explorer::of(command)
    }

    /// Starts the server by a script of the shell, whose first argument is the program.
    #[cfg(unix)]
    fn start_by(script: &str) -> Explorer {
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_crestline")]);
        Explorer::of(command)
    }

    fn of(mut command: Command) -> Explorer {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary runs");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut url).expect("a URL");
        let rest = url.trim().strip_prefix("http://").expect("a URL");
        let (host, token) = rest.split_once('/').expect("a path");
        let token = token.trim_end_matches('/').to_owned();
        Explorer { child, host: host.to_owned(), token }
    }

    /// Sends bytes and returns the whole response.
    fn send(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("the server listens");
        // The server may refuse the request before it has read all of it, and close the connection.
        let _ = stream.write_all(request);
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        String::from_utf8(response).expect("UTF-8")
    }

    fn get(&self, path: &str, host: &str) -> String {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
    }

    fn post_with(&self, name: &str, fields: &str, body: &str) -> String {
        let (host, token, length) = (&self.host, &self.token, body.len());
        let head = format!(
            "POST /{token}/api/{name} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n{fields}\r\n"
        );
        self.send(format!("{head}{body}").as_bytes())
    }

    fn post(&self, name: &str, body: &Value) -> Value {
        let response =
            self.post_with(name, "Content-Type: application/json\r\n", &body.to_string());
        assert_eq!(status(&response), 200, "{response}");
        let (_, body) = response.split_once("\r\n\r\n").expect("a body");
        serde_json::from_str(body).expect("JSON")
    }

    fn compile(&self, source: &str, language: &str, target: &str) -> Value {
        let body = json!({
            "source": source, "language": language, "stage": "compute", "target": target, "width": "auto"
        });
        self.post("compile", &body)
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(response: &str) -> u16 {
    let status = response.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("no status: {response}"))
}

const DOUBLE: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] *= 2u; }
";

#[test]
fn only_its_own_page_is_served() {
    let explorer = Explorer::start();
    let (host, token) = (explorer.host.as_str(), explorer.token.as_str());
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    let page = explorer.get(&format!("/{token}/"), host);
    assert_eq!(status(&page), 200, "{page}");
    assert!(page.contains("Content-Security-Policy: default-src 'none'"), "{page}");
    assert!(!page.contains("Access-Control"), "{page}");
    let port = host.rsplit(':').next().expect("a port");
    let wrong = "0".repeat(token.len());
    for (path, host, expected) in [
        ("/".to_owned(), host, 403),
        (format!("/{wrong}/"), host, 403),
        (format!("/{token}0/"), host, 403),
        (format!("/{}/api/start", &token[1..]), host, 403),
        (format!("/{token}/"), "evil.example", 403),
        (format!("/{token}/"), &format!("evil.example:{port}"), 403),
        (format!("/{token}/../../etc/passwd"), host, 404),
        (format!("/{token}/api/other"), host, 404),
    ] {
        assert_eq!(status(&explorer.get(&path, host)), expected, "{path} {host}");
    }
    let foreign = "Content-Type: application/json\r\nOrigin: http://evil.example\r\n";
    assert_eq!(status(&explorer.post_with("compile", foreign, "{}")), 403);
    assert_eq!(status(&explorer.post_with("compile", "Content-Type: text/plain\r\n", "{}")), 415);
}

#[test]
fn hostile_requests_are_refused() {
    let explorer = Explorer::start();
    let path = format!("/{}/api/compile", explorer.token);
    let head = format!("POST {path} HTTP/1.1\r\nHost: {}\r\n", explorer.host);
    for (request, expected) in [
        ("\0\r\n\r\n".to_owned(), 400),
        (format!("{head}Content-Length: 99999999999999999999999\r\n\r\n"), 413),
        (format!("{head}Content-Length: 1048577\r\n\r\n"), 413),
        (format!("{head}Content-Length: -1\r\n\r\n"), 400),
        (format!("{head}Content-Length: 0\r\nContent-Length: 0\r\n\r\n"), 400),
        (format!("{head}Transfer-Encoding: chunked\r\n\r\n"), 400),
        (format!("{head}{}\r\n", "A: b\r\n".repeat(65)), 431),
        (format!("GET /{}", "a".repeat(16 << 10)), 431),
        (format!("DELETE {path} HTTP/1.1\r\nHost: {}\r\n\r\n", explorer.host), 405),
    ] {
        assert_eq!(status(&explorer.send(request.as_bytes())), expected, "{request:.80}");
    }
    let found = explorer.post("compile", &json!({ "source": "", "other": [[[]]] }));
    assert_eq!(found["error"]["code"], "request", "{found}");
    let found = explorer.compile(DOUBLE, "cobol", "skl");
    assert_eq!(found["error"]["message"], "the language is unknown", "{found}");
    // The server still works.
    assert!(explorer.compile(DOUBLE, "glsl", "skl")["compiled"].is_object());
}

#[test]
fn code_and_fields_come_back() {
    let explorer = Explorer::start();
    for target in ["ivb", "skl"] {
        let found = explorer.compile(DOUBLE, "glsl", target);
        let compiled = &found["compiled"];
        let code = compiled["code"].as_str().unwrap_or_else(|| panic!("{found}"));
        let instructions = compiled["programs"][0]["instructions"].as_array().expect("a list");
        assert!(instructions.iter().any(|each| each["source"]["line"] == 4), "{found}");
        for each in instructions {
            let start = 2 * each["offset"].as_u64().expect("an offset") as usize;
            let length = if each["compacted"] == true { 16 } else { 32 };
            let bytes = &code[start..start + length];
            let fields = explorer.post("fields", &json!({ "target": target, "bytes": bytes }));
            assert_eq!(fields["compacted"], each["compacted"]);
            let rows = fields["fields"].as_array().expect("a list");
            assert!(rows.iter().any(|row| row["name"] == "OPCODE"), "{fields}");
            let is_send = each["text"].as_str().is_some_and(|text| text.starts_with("send"));
            assert_eq!(is_send, fields["message"] != json!([]), "{each} {fields}");
        }
    }
    let wrong = json!({ "target": "skl", "bytes": "zz" }).to_string();
    let response = explorer.post_with("fields", "Content-Type: application/json\r\n", &wrong);
    assert_eq!(status(&response), 400);
}

#[test]
fn errors_have_a_line() {
    let explorer = Explorer::start();
    let glsl = explorer.compile(&DOUBLE.replace("*= 2u", "*= missing"), "glsl", "skl");
    assert_eq!(glsl["error"]["line"], 4, "{glsl}");
    let wgsl = explorer.compile("@compute @workgroup_size(1)\nfn main() { x = 1; }", "wgsl", "skl");
    assert_eq!(wgsl["error"]["line"], 2, "{wgsl}");
}

#[test]
fn a_source_that_crashes_its_parser_ends_with_an_error() {
    let explorer = Explorer::start();
    let deep = format!("fn main() {{ let a = {}1{}; }}", "(".repeat(100_000), ")".repeat(100_000));
    let found = explorer.compile(&deep, "wgsl", "skl");
    assert!(found["error"]["message"].is_string(), "{found}");
    assert!(explorer.compile(DOUBLE, "glsl", "skl")["compiled"].is_object());
}

/// A request to run, with the fields of `more`.
fn request(source: &str, stage: &str, more: &Value) -> Value {
    let mut request = json!({
        "program": {
            "source": source, "language": "glsl", "stage": stage, "target": "skl", "width": "8"
        },
    });
    let fields = more.as_object().expect("an object").clone();
    request.as_object_mut().expect("an object").extend(fields);
    request
}

/// The dwords of hex digits.
fn dwords(digits: &Value) -> Vec<u32> {
    let digits = digits.as_str().expect("hex digits");
    let dword = |at: usize| u32::from_str_radix(&digits[at..at + 8], 16).expect("hex digits");
    (0..digits.len() / 8).map(|n| dword(8 * n).swap_bytes()).collect()
}

#[test]
fn a_thread_is_stepped_forwards_and_backwards() {
    let explorer = Explorer::start();
    let run = |more: Value| explorer.post("run", &request(DOUBLE, "compute", &more))["ran"].take();
    let at = |count: u64| run(json!({ "stop": { "executed": count } }));
    let (start, one) = (at(0), at(1));
    assert_eq!(start["reason"], "step", "{start}");
    assert_eq!(start["moment"]["executed"], 0);
    assert_eq!(start["moment"]["thread"], json!({ "group": [0, 0, 0], "index": 0 }));
    assert_eq!(start["moment"]["dispatched"], 0xff);
    assert_ne!(start["moment"]["general"], one["moment"]["general"]);
    // A step back is a run that ends earlier.
    assert_eq!(at(0)["moment"], start["moment"]);
    let end = run(json!({ "stop": { "breakpoint": { "from": 0, "offsets": [] } } }));
    assert_eq!((&end["reason"], &end["moment"]["ended"]), (&json!("thread_end"), &json!(true)));
    let total = end["moment"]["executed"].as_u64().expect("a count");
    let last = at(total - 1);
    assert_eq!(last["reason"], "step", "{last}");
    // The last instruction ends the thread; the one before it wrote memory.
    let buffer = dwords(&last["resources"][0]["hex"]);
    assert_eq!(buffer[..9], [0, 2, 4, 6, 8, 10, 12, 14, 8], "only the first thread has run");
    let all = run(json!({ "stop": "end" }));
    assert_eq!(all["reason"], "end");
    assert_eq!(all["threads"].as_array().expect("a list").len(), 8);
    let doubled: Vec<u32> = (0..64).map(|n| 2 * n).collect();
    assert_eq!(dwords(&all["resources"][0]["hex"])[..65], [&doubled[..], &[64]].concat());
    // A breakpoint at the last instruction of the second thread.
    let place = json!({ "group": [0, 0, 0], "index": 1 });
    let stop = json!({ "breakpoint": { "from": 0, "offsets": [last["moment"]["offset"]] } });
    let second = run(json!({ "thread": place, "stop": stop }));
    assert_eq!((&second["reason"], &second["moment"]["thread"]), (&json!("breakpoint"), &place));
    assert_eq!(second["moment"]["executed"], total - 1);
}

#[test]
fn resources_have_the_contents_of_the_request() {
    let explorer = Explorer::start();
    let resources =
        json!([{ "name": "0.0", "bytes": 300, "fill": "values", "values": "5 7", "from": 4 }]);
    let more = json!({ "stop": "end", "resources": resources });
    let ran = explorer.post("run", &request(DOUBLE, "compute", &more));
    let buffer = &ran["ran"]["resources"][0];
    assert_eq!(buffer["bytes"], 300, "{ran}");
    assert_eq!(dwords(&buffer["hex"])[..2], [14, 0]);
    for (wrong, message) in [
        (json!([{ "name": "0.0", "fill": "values", "values": "x" }]), "expected a number"),
        (json!([{ "name": "0.0", "bytes": 1u32 << 30 }]), "more than"),
        (json!([{ "name": "0.0", "fill": "dust" }]), "unknown variant"),
    ] {
        let more = json!({ "stop": "end", "resources": wrong });
        let found = explorer.post("run", &request(DOUBLE, "compute", &more));
        let said = found["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains(message), "{found}");
    }
    let more = json!({ "stop": "end", "grid": [70_000, 70_000, 1] });
    let found = explorer.post("run", &request(DOUBLE, "compute", &more));
    assert!(
        found["error"]["message"].as_str().is_some_and(|m| m.contains("workgroups")),
        "{found}"
    );
}

#[test]
fn images_are_pictures() {
    const STORE: &str = "#version 450
layout(local_size_x = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D image;
void main() { imageStore(image, ivec2(gl_GlobalInvocationID.xy), vec4(1, 0, 0, 1)); }
";
    const PAINT: &str = "#version 450
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(place, 0, 1); }
";
    let explorer = Explorer::start();
    let image = json!([{ "name": "0.0", "size": [8, 2, 1], "fill": "zero" }]);
    let more = json!({ "stop": "end", "grid": [1, 2, 1], "resources": image });
    let store = explorer.post("run", &request(STORE, "compute", &more));
    let (width, height, pixels) = picture(&store["ran"]["resources"][0]["png"]);
    assert_eq!((width, height), (8, 2), "{store}");
    assert_eq!(pixels, [255, 0, 0].repeat(16));
    let more = json!({ "stop": "end", "size": [16, 4] });
    let paint = explorer.post("run", &request(PAINT, "fragment", &more));
    let attachment = &paint["ran"]["resources"][0];
    assert_eq!(
        (&attachment["kind"], &attachment["name"]),
        (&json!("colour attachment"), &json!("0"))
    );
    let (width, height, pixels) = picture(&attachment["png"]);
    assert_eq!((width, height), (16, 4));
    // Red grows from left to right, green from top to bottom, in steps of the pixels' centres.
    let expected = |x: f32, y: f32| [(255.0 * x).round() as u8, (255.0 * y).round() as u8, 0];
    assert_eq!(pixels[..3], expected(0.5 / 16.0, 0.5 / 4.0));
    assert_eq!(pixels[3 * 63..], expected(15.5 / 16.0, 3.5 / 4.0));
    let other = explorer.post("run", &request("", "vertex", &json!({ "stop": "end" })));
    assert!(other["error"].is_object(), "{other}");
}

/// The pixels of a PNG file in base64.
fn picture(text: &Value) -> (u32, u32, Vec<u8>) {
    let text = text.as_str().expect("a picture");
    let value = |c: u8| DIGITS.iter().position(|known| *known == c);
    let values: Vec<usize> = text.bytes().filter_map(value).collect();
    let bytes: Vec<u8> = values
        .chunks(4)
        .flat_map(|group| {
            let bits = (0..4).fold(0u32, |bits, n| bits << 6 | *group.get(n).unwrap_or(&0) as u32);
            bits.to_be_bytes()[1..group.len()].to_vec()
        })
        .collect();
    let mut reader =
        png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    (info.width, info.height, pixels)
}

#[test]
fn a_diagnostic_ends_a_run() {
    let explorer = Explorer::start();
    let small = json!([{ "name": "0.0", "bytes": 16 }]);
    let run = |more: Value| explorer.post("run", &request(DOUBLE, "compute", &more))["ran"].take();
    let ends = json!({ "breakpoint": { "from": 0, "offsets": [] } });
    let more = json!({ "stop": ends, "resources": small, "diagnostics": true });
    let first = run(more);
    assert_eq!((&first["reason"], &first["seen"]), (&json!("diagnostic"), &json!(1)), "{first}");
    assert!(first["message"].as_str().is_some_and(|m| m.contains("0.0") || m.contains("index")));
    // The next run goes past it.
    let more = json!({ "stop": ends, "resources": small, "diagnostics": true, "skip": 1 });
    let second = run(more);
    assert_ne!(second["moment"]["executed"], first["moment"]["executed"], "{second}");
    let more = json!({ "stop": ends, "resources": small });
    assert_eq!(run(more)["reason"], "thread_end");
}

#[test]
fn an_endless_loop_ends_and_can_be_cancelled() {
    const ENDLESS: &str = "#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() { while (data[0] < 1000000u) { data[1] += 1u; } }
";
    let explorer = Explorer::start();
    let body = request(ENDLESS, "compute", &json!({ "stop": "end", "grid": [4, 1, 1] }));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| explorer.post("run", &body));
        // The run may not have started when the first of these requests comes.
        while !run.is_finished() {
            explorer.post("cancel", &json!({}));
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let found = run.join().expect("an answer");
        let said = found["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("cancelled"), "{found}");
    });
    // The server still works.
    assert!(explorer.compile(DOUBLE, "glsl", "skl")["compiled"].is_object());
    // A step in the loop does not need its end.
    let body = request(ENDLESS, "compute", &json!({ "stop": { "executed": 500 } }));
    let found = explorer.post("run", &body);
    assert_eq!(found["ran"]["moment"]["executed"], 500, "{found}");
}

#[cfg(unix)]
#[test]
fn a_child_without_memory_ends_with_an_error() {
    // The child keeps a lower limit of memory that it inherits: here less than the stack of a parser.
    let explorer = Explorer::start_by("ulimit -d 200000; exec \"$0\" explore");
    for _ in 0..2 {
        let found = explorer.compile(DOUBLE, "glsl", "skl");
        assert!(found["error"]["message"].is_string(), "{found}");
    }
    let page = explorer.get(&format!("/{}/", explorer.token), &explorer.host);
    assert_eq!(status(&page), 200, "the server lives: {page}");
}

#[test]
fn spirv_is_taken_as_base64() {
    let explorer = Explorer::start();
    let ask = |source: &str| {
        let body = json!({
            "source": source, "language": "spirv", "stage": "auto", "target": "skl", "width": "auto"
        });
        explorer.post("compile", &body)
    };
    assert_eq!(ask("*")["error"]["message"], "expected SPIR-V as base64");
    let found = ask("AAAA");
    assert!(found["error"]["code"].as_str().is_some_and(|code| code.starts_with('E')), "{found}");
    let source = crestline::Source {
        name: "double.wgsl",
        language: crestline::Language::Wgsl,
        bytes: b"@compute @workgroup_size(8) fn main() {}",
    };
    let words = crestline_frontend::to_spirv(&source).expect("a module");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let found = ask(&base64(&bytes));
    assert_eq!(found["compiled"]["stage"], "compute", "{found}");
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64, without padding.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |n: usize| u32::from(*group.get(n).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = |n: usize| char::from(DIGITS[(bits >> (18 - 6 * n) & 63) as usize]);
        text.extend((0..=group.len()).map(digit));
    }
    text
}

#[test]
fn operands_have_pictures_of_their_registers() {
    let explorer = Explorer::start();
    let found = explorer.compile(DOUBLE, "glsl", "skl");
    let compiled = &found["compiled"];
    let code = compiled["code"].as_str().expect("hex digits");
    let instructions = compiled["programs"][0]["instructions"].as_array().expect("a list");
    let shift = instructions.iter().find(|each| {
        each["text"].as_str().is_some_and(|text| text.starts_with("shl") && !text.contains("1Q"))
    });
    let each = shift.or(instructions.first()).expect("an instruction");
    let start = 2 * each["offset"].as_u64().expect("an offset") as usize;
    let length = if each["compacted"] == true { 16 } else { 32 };
    let body = json!({ "target": "skl", "bytes": &code[start..start + length] });
    let fields = explorer.post("fields", &body);
    let operands = fields["operands"].as_array().expect("a list");
    assert!(!operands.is_empty(), "{each}");
    for operand in operands {
        assert!(operand["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")), "{operand}");
    }
}
