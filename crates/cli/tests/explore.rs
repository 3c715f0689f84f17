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
        let mut child = Command::new(env!("CARGO_BIN_EXE_crestline"))
            .arg("explore")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
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
