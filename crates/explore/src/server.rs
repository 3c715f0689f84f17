//! The server: it accepts connections and answers requests.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::answer::Task;
use crate::guard::{Token, is_own_host, is_own_origin};
use crate::http::{self, Request, Response};
use crate::worker::{StartWorker, Worker};
use crate::{fields, page};

/// The most connections at the same time.
const CONNECTIONS: usize = 32;
/// The most time in which the browser must take a part of a response.
const TAKING: Duration = Duration::from_secs(10);

/// What the editor shows first.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// The source; SPIR-V as base64.
    pub source: String,
    /// `glsl`, `wgsl`, `hlsl` or `spirv`.
    pub language: String,
    /// `auto`, or a stage as `crestline::Stage` names it, in lower case with underscores.
    pub stage: String,
    /// The name of a platform.
    pub target: String,
    /// `auto`, or the number of channels.
    pub width: String,
}

/// The server of one page.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// The state that all connections use.
struct Shared {
    port: u16,
    token: Token,
    document: Document,
    compiler: Worker,
    runner: Worker,
    connections: AtomicUsize,
}

impl Server {
    /// Listens on a port of the loopback interface; port 0 is any free port.
    ///
    /// # Errors
    /// If the port is in use.
    pub fn bind(
        port: u16,
        token: Token,
        document: Document,
        start: Box<StartWorker>,
    ) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let start: Arc<StartWorker> = Arc::from(start);
        let shared = Shared {
            port,
            token,
            document,
            compiler: Worker::new(Arc::clone(&start)),
            runner: Worker::new(start),
            connections: AtomicUsize::new(0),
        };
        Ok(Server { listener, shared: Arc::new(shared) })
    }

    /// The address that the server listens on.
    ///
    /// # Errors
    /// If the operating system does not know it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The URL of the page, with the token.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.shared.port, self.shared.token.text())
    }

    /// Answers requests until the process ends.
    pub fn run(&self) {
        self.shared.compiler.prepare();
        for stream in self.listener.incoming() {
            let Ok(mut stream) = stream else {
                // Without a free file descriptor, accepting fails at once; the pause keeps the loop from taking a core.
                thread::sleep(Duration::from_millis(10));
                continue;
            };
            let _ = stream.set_write_timeout(Some(TAKING));
            let shared = Arc::clone(&self.shared);
            if shared.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
                shared.connections.fetch_sub(1, Ordering::SeqCst);
                let _ = Response::text(503, "too many connections").write(&mut stream);
                continue;
            }
            thread::spawn(move || {
                let counted = Counted(shared);
                counted.0.serve(&mut stream);
            });
        }
    }
}

/// A connection that is counted until this value is dropped.
struct Counted(Arc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    /// Reads a request and writes the response. If writing fails, the browser has closed the connection.
    fn serve(&self, stream: &mut TcpStream) {
        let response = match http::read(stream) {
            Ok(request) => self.respond(&request),
            Err(Some(response)) => response,
            Err(None) => return,
        };
        let _ = response.write(stream);
    }

    /// The response to a request.
    fn respond(&self, request: &Request) -> Response {
        if !request.host.as_deref().is_some_and(|host| is_own_host(host, self.port)) {
            return Response::text(403, "the field Host does not name this server");
        }
        if request.origin.as_deref().is_some_and(|origin| !is_own_origin(origin, self.port)) {
            return Response::text(403, "the request comes from another page");
        }
        let path = request.path.strip_prefix('/').unwrap_or_default();
        let (token, name) = path.split_once('/').unwrap_or((path, ""));
        if !self.token.is(token) {
            return Response::text(
                403,
                "the token is wrong: open the URL that the program printed",
            );
        }
        match (request.method.as_str(), name.strip_prefix("api/")) {
            ("GET", None) => {
                page::file(name).unwrap_or_else(|| Response::text(404, "there is no such file"))
            }
            ("GET", Some("start")) => self.start(),
            ("POST", Some(name)) => {
                if request.content_type.as_deref() != Some("application/json") {
                    return Response::text(415, "expected application/json");
                }
                self.post(name, &request.body)
            }
            ("GET", Some(_)) => Response::text(404, "there is no such document"),
            _ => Response::text(405, "expected GET or POST"),
        }
    }

    /// The document to show first, and the platforms.
    fn start(&self) -> Response {
        let targets: Vec<&str> = crestline::TARGETS.iter().map(|target| target.name()).collect();
        let document = json!({ "document": self.document, "targets": targets });
        Response::json(document.to_string().into_bytes())
    }

    /// The answer of a child process.
    fn ask(&self, worker: &Worker, task: Task, body: &[u8]) -> Response {
        match worker.ask([task.line().as_bytes(), body].concat()) {
            Ok(answer) => Response::json(answer),
            Err(error) => {
                let error = json!({ "code": "worker", "message": error.to_string() });
                Response::json(json!({ "error": error }).to_string().into_bytes())
            }
        }
    }

    fn post(&self, name: &str, body: &[u8]) -> Response {
        match name {
            "compile" => self.ask(&self.compiler, Task::Compile, body),
            "run" => self.ask(&self.runner, Task::Run, body),
            "cancel" => {
                self.compiler.cancel();
                self.runner.cancel();
                Response::json(b"{}".to_vec())
            }
            "fields" => match fields::fields(body) {
                Ok(fields) => Response::json(fields.to_string().into_bytes()),
                Err(error) => Response::text(400, &error),
            },
            _ => Response::text(404, "there is no such document"),
        }
    }
}
