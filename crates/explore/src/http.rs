//! One HTTP/1.1 request on each connection, with limits of size and time. `httparse` parses the head.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::MAX_REQUEST_BYTES;

/// The most bytes of the request line and the header fields.
const HEAD_BYTES: usize = 16 << 10;
/// The most header fields.
const FIELDS: usize = 64;
/// The most time until a request has arrived.
const ARRIVAL: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) host: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// A response with one line of text.
    pub(crate) fn text(status: u16, text: &str) -> Response {
        let body = format!("{text}\n").into_bytes();
        Response { status, content_type: "text/plain; charset=utf-8", body }
    }

    /// A response with a JSON document.
    pub(crate) fn json(body: Vec<u8>) -> Response {
        Response { status: 200, content_type: "application/json", body }
    }

    /// Writes the response.
    pub(crate) fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            413 => "Content Too Large",
            415 => "Unsupported Media Type",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Error",
        };
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: default-src 'none'; \
             script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'\r\n\r\n",
            self.status,
            self.content_type,
            self.body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

/// Reads a request. The error is the response that refuses it; `None` if the connection ended or took too long.
pub(crate) fn read(stream: &mut TcpStream) -> Result<Request, Option<Response>> {
    let deadline = Instant::now() + ARRIVAL;
    let mut bytes = Vec::new();
    let (mut request, start, length) = loop {
        if let Some(parsed) = head(&bytes).map_err(Some)? {
            break parsed;
        }
        if bytes.len() >= HEAD_BYTES {
            return Err(Some(Response::text(431, "the head of the request is too long")));
        }
        more(stream, &mut bytes, deadline)?;
    };
    while bytes.len() < start + length {
        more(stream, &mut bytes, deadline)?;
    }
    request.body = bytes[start..start + length].to_vec();
    Ok(request)
}

/// Appends the next bytes of the stream.
fn more(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    deadline: Instant,
) -> Result<(), Option<Response>> {
    let left = deadline.saturating_duration_since(Instant::now());
    let mut buffer = [0; 4096];
    // A timeout of zero is an error.
    stream.set_read_timeout(Some(left)).map_err(|_| None)?;
    match stream.read(&mut buffer) {
        Ok(0) | Err(_) => Err(None),
        Ok(count) => {
            bytes.extend_from_slice(&buffer[..count]);
            Ok(())
        }
    }
}

/// Parses the head: the request without its body, the start of the body and its length. `None` if the head is incomplete.
fn head(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Response> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    let start = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(start)) if start <= HEAD_BYTES => start,
        Ok(httparse::Status::Partial) => return Ok(None),
        Ok(httparse::Status::Complete(_)) | Err(httparse::Error::TooManyHeaders) => {
            return Err(Response::text(431, "the head of the request is too long"));
        }
        Err(_) => return Err(Response::text(400, "the request is malformed")),
    };
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: parsed.path.unwrap_or_default().to_owned(),
        host: None,
        origin: None,
        content_type: None,
        body: Vec::new(),
    };
    let mut length = None;
    for field in parsed.headers.iter() {
        let malformed = || Response::text(400, "a header field is malformed or repeated");
        let value = std::str::from_utf8(field.value).map_err(|_| malformed())?.to_owned();
        let slot = match field.name.to_ascii_lowercase().as_str() {
            "host" => &mut request.host,
            "origin" => &mut request.origin,
            "content-type" => &mut request.content_type,
            "content-length" => &mut length,
            "transfer-encoding" => {
                return Err(Response::text(400, "expected a body with a Content-Length"));
            }
            _ => continue,
        };
        if slot.replace(value).is_some() {
            return Err(malformed());
        }
    }
    let length = match length {
        None => 0,
        Some(text) if !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()) => {
            text.parse().unwrap_or(usize::MAX)
        }
        Some(_) => return Err(Response::text(400, "Content-Length is no number")),
    };
    if length > MAX_REQUEST_BYTES {
        return Err(Response::text(413, "the body of the request is too long"));
    }
    Ok(Some((request, start, length)))
}
