//! Source languages are parsed in a child process.
//!
//! The parsers of WGSL, GLSL and HLSL belong to other projects (`naga`, `glslang`), and sources are untrusted. The
//! program therefore starts itself again with the command [`COMMAND`]. It passes the source to the child on standard
//! input, and gets SPIR-V or an error from the child's standard output. The child first limits its own memory and time
//! ([`limit`]). So if a source makes a parser crash or use too much, the user gets an error with the name of the parser
//! and the limit. The limits of memory and stack give the same result on every machine. The limit of time only ends a
//! parser that does not terminate in practice.
//!
//! A request is one line of JSON, then the source. An answer is one byte, then words or an error as JSON.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crestline::{Language, Source, Stage};
use crestline_frontend::{
    ErrorCode, FrontendError, Override, OverrideKind, SourcePosition, TranslateOptions,
    to_spirv_with, wgsl_overrides,
};
use serde_json::{Value, json};

use crate::error::{Code, Failure};
use crate::files::Limit;

/// The first argument of a process that reads one source.
pub(crate) const COMMAND: &str = "read-one-source";

/// The most memory of a parser's process in bytes, including its stack.
#[cfg(unix)]
const MEMORY_BYTES: u64 = 2 << 30;
/// The most processor time of a parser's process in seconds.
#[cfg(unix)]
const PROCESSOR_SECONDS: u64 = 60;
/// The most time until the result, for systems that do not limit processor time and for processes that make no
/// progress.
const PATIENCE: Duration = Duration::from_secs(600);
/// The most bytes of a result.
const ANSWER_BYTES: u64 = 256 << 20;
/// The most bytes of a process's standard error that are kept.
const SAID_BYTES: u64 = 4096;

// The first byte of a result: SPIR-V words, an error, or `override` declarations follow.
const WORDS: u8 = 0;
const ERROR: u8 = 1;
const OVERRIDES: u8 = 2;

const KINDS: [(&str, OverrideKind); 4] = [
    ("bool", OverrideKind::Bool),
    ("sint", OverrideKind::Sint),
    ("uint", OverrideKind::Uint),
    ("float", OverrideKind::Float),
];

/// The name of a value in a table.
fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> Option<&'static str> {
    table.iter().find(|row| row.1 == *value).map(|row| row.0)
}

/// The value of a name in a table.
fn value_of<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<T> {
    table.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// Why a source was not parsed.
pub(crate) enum Refusal {
    /// The source is refused.
    Source(FrontendError),
    /// The process cannot be started.
    Process(Failure),
}

impl From<FrontendError> for Refusal {
    fn from(error: FrontendError) -> Refusal {
        Refusal::Source(error)
    }
}

/// The SPIR-V words of a source. A child process parses it, unless it is SPIR-V already.
pub(crate) fn read(
    source: &Source<'_>,
    options: &TranslateOptions<'_>,
) -> Result<Vec<u32>, Refusal> {
    if source.language == Language::Spirv {
        return Ok(to_spirv_with(source, options)?);
    }
    let answer = ask(source, &header(source, options), WORDS)?;
    Ok(answer.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// The `override` declarations of a WGSL source, which a child process parses.
pub(crate) fn overrides(source: &Source<'_>) -> Result<Vec<Override>, Refusal> {
    let header = json!({ "language": "wgsl", "name": source.name, "overrides": true });
    let answer = ask(source, &header, OVERRIDES)?;
    let bad = || failed(source.language.reader(), "its result is malformed".to_owned());
    let rows: Vec<Value> = serde_json::from_slice(&answer).map_err(|_| bad())?;
    let row = |row: &Value| {
        Some(Override {
            key: row.get(0)?.as_str()?.to_owned(),
            kind: value_of(&KINDS, row.get(1)?.as_str()?)?,
            bits: row.get(2)?.as_u64()?.try_into().ok()?,
        })
    };
    Ok(rows.iter().map(row).collect::<Option<_>>().ok_or_else(bad)?)
}

/// Runs a child process on a source. Returns its result without the first byte, which must be `kind`.
fn ask(source: &Source<'_>, header: &Value, kind: u8) -> Result<Vec<u8>, Refusal> {
    let mut request = header.to_string().into_bytes();
    request.push(b'\n');
    request.extend_from_slice(source.bytes);
    let reader = source.language.reader();
    let mut process = Process::start().map_err(|error| {
        let message =
            format!("the child process that parses the source cannot be started: {error}");
        Refusal::Process(Failure::new(Code::Read, message))
    })?;
    let answer = process.answer(request);
    let (status, said) = process.end();
    match answer.as_deref() {
        Some([found, rest @ ..])
            if *found == kind && status.is_some_and(|status| status.success()) =>
        {
            Ok(rest.to_vec())
        }
        Some([ERROR, error @ ..]) => Err(parse_error(error)
            .unwrap_or_else(|| failed(reader, "its error is malformed".to_owned()))
            .into()),
        Some(_) => Err(cause(reader, status, &said).into()),
        None => {
            let detail = format!("{} seconds", PATIENCE.as_secs());
            Err(limited(reader, &detail).into())
        }
    }
}

/// The first line of a request: all parameters except the source.
fn header(source: &Source<'_>, options: &TranslateOptions<'_>) -> Value {
    json!({
        "language": source.language.name(),
        "name": source.name,
        "entry": options.entry,
        "stage": options.stage.map(Stage::name),
        "spec": options.spec,
        "named_spec": options.named_spec,
        "lines": options.lines,
    })
}

/// A child process that parses one source. It ends when this value is dropped.
struct Process {
    child: Child,
    /// The thread that reads its standard error, which returns the text.
    said: Option<thread::JoinHandle<Vec<u8>>>,
}

impl Process {
    /// Starts the child process, and a thread that reads its standard error.
    fn start() -> io::Result<Process> {
        let mut child = child()?.arg(COMMAND).spawn()?;
        let said = child.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut kept = Vec::new();
                // The rest is read and dropped, so that the process does not block on a full pipe.
                let _ = stderr.by_ref().take(SAID_BYTES).read_to_end(&mut kept);
                let _ = io::copy(&mut stderr, &mut io::sink());
                kept
            })
        });
        Ok(Process { child, said })
    }

    /// Writes the request and reads the result, which is empty or incomplete if the process died. `None` if it takes
    /// too long.
    fn answer(&mut self, request: Vec<u8>) -> Option<Vec<u8>> {
        let (stdin, stdout) = (self.child.stdin.take(), self.child.stdout.take());
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                // If the process has died, writing fails; its status gives the reason.
                let _ = stdin.write_all(&request);
            }
            let mut answer = Vec::new();
            if let Some(stdout) = stdout {
                let _ = stdout.take(ANSWER_BYTES).read_to_end(&mut answer);
            }
            // Sending fails if the receiver has stopped waiting.
            let _ = send.send(answer);
        });
        receive.recv_timeout(PATIENCE).ok()
    }

    /// Ends the process. Returns its status, if there is one, and its standard error.
    fn end(mut self) -> (Option<ExitStatus>, String) {
        // The process has closed its output, or took too long. Wait for its end, or kill it.
        let status = match self.child.try_wait() {
            Ok(Some(status)) => Some(status),
            _ => self.wait_or_kill(),
        };
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        (status, String::from_utf8_lossy(&said).into_owned())
    }

    /// Waits a short time for the process to end after it has closed its output; then kills it.
    fn wait_or_kill(&mut self) -> Option<ExitStatus> {
        let mut pause = Duration::from_micros(50);
        while pause < GRACE {
            thread::sleep(pause);
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            pause = pause.mul_f32(1.5);
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

/// The longest pause between two checks whether a process has ended after closing its output.
const GRACE: Duration = Duration::from_secs(5);

impl Drop for Process {
    fn drop(&mut self) {
        // Normally the process has ended before; then both calls do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// This program as a child process that limits its own memory, with pipes for all three streams.
pub(crate) fn child() -> io::Result<Command> {
    let mut command = Command::new(program()?);
    command
        // The allocator must not reserve memory in advance, because reserved memory counts for the limit.
        .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command)
}

/// The path of the running program, which may have been moved or replaced since it was started.
pub(crate) fn program() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() {
        Ok(running)
    } else {
        std::env::current_exe()
    }
}

fn failed(reader: &str, why: String) -> FrontendError {
    let detail = format!("the parser {reader} failed, which is a bug of {reader}: {why}");
    error(ErrorCode::ReaderFailed, detail)
}

fn limited(reader: &str, limit: &str) -> FrontendError {
    let detail = format!("the parser {reader} needs more than {limit}");
    error(ErrorCode::ReaderLimit, detail)
}

fn error(code: ErrorCode, detail: String) -> FrontendError {
    FrontendError { code, position: None, source_position: None, detail }
}

/// The error for a process that ended without a result.
#[cfg(unix)]
fn cause(reader: &str, status: Option<ExitStatus>, said: &str) -> FrontendError {
    use std::os::unix::process::ExitStatusExt;

    const SEGV: i32 = 11;
    const BUS: [i32; 2] = [7, 10];
    const XCPU: i32 = 24;
    let signal = status.and_then(|status| status.signal());
    if said.contains("overflowed its stack")
        || signal.is_some_and(|s| s == SEGV || BUS.contains(&s))
    {
        limited(reader, "the stack that it has")
    } else if said.contains("memory allocation of") || said.contains("bad_alloc") {
        let bytes = effective(rlimit::Resource::DATA, MEMORY_BYTES);
        limited(reader, &format!("{bytes} bytes of memory"))
    } else if signal == Some(XCPU) {
        let seconds = effective(rlimit::Resource::CPU, PROCESSOR_SECONDS);
        limited(reader, &format!("{seconds} seconds of processor time"))
    } else {
        unknown(reader, status, said)
    }
}

#[cfg(not(unix))]
fn cause(reader: &str, status: Option<ExitStatus>, said: &str) -> FrontendError {
    unknown(reader, status, said)
}

fn unknown(reader: &str, status: Option<ExitStatus>, said: &str) -> FrontendError {
    let status = status.map_or("no status".to_owned(), |status| status.to_string());
    match said.trim().lines().next() {
        Some(line) => failed(reader, format!("{status}: {line}")),
        None => failed(reader, status),
    }
}

/// The main function of the child process: parses one source, and writes the result to standard output.
pub(crate) fn serve() -> ExitCode {
    let answer = match limit().and_then(|()| request()) {
        Ok(answer) => answer,
        Err(error) => {
            let mut answer = vec![ERROR];
            let place = error.source_position.map(|place| [place.line, place.column]);
            let error = json!({
                "code": error.code.as_str(), "source_position": place, "detail": error.detail
            });
            answer.extend(error.to_string().into_bytes());
            answer
        }
    };
    let mut out = io::stdout().lock();
    match out.write_all(&answer).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Reads an error that [`serve`] has written.
fn parse_error(bytes: &[u8]) -> Option<FrontendError> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let code = value.get("code")?.as_str()?;
    let code = ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code)?;
    let number = |index: usize| value.get("source_position")?.get(index)?.as_u64()?.try_into().ok();
    let place = number(0).zip(number(1));
    Some(FrontendError {
        source_position: place.map(|(line, column)| SourcePosition { line, column }),
        ..error(code, value.get("detail")?.as_str()?.to_owned())
    })
}

/// Reads the request from standard input and parses the source. Returns the result with its first byte.
fn request() -> Result<Vec<u8>, FrontendError> {
    let bad =
        |why: &str| error(ErrorCode::ReaderFailed, format!("expected a request, found {why}"));
    let mut bytes = Vec::new();
    let most = Limit::SHADER.bytes() + (1 << 20);
    let read = io::stdin().lock().take(most).read_to_end(&mut bytes);
    read.map_err(|error| bad(&error.to_string()))?;
    let end = bytes.iter().position(|&c| c == b'\n').ok_or_else(|| bad("no line"))?;
    let header: Value = serde_json::from_slice(&bytes[..end]).map_err(|e| bad(&e.to_string()))?;
    let text = |key: &str| header.get(key).and_then(Value::as_str).ok_or_else(|| bad("no field"));
    let language = text("language")?.parse().map_err(|_| bad("an unknown language"))?;
    let source = Source { name: text("name")?, language, bytes: &bytes[end + 1..] };
    if header.get("overrides").is_some() {
        let row = |o: &Override| json!([o.key, name_of(&KINDS, &o.kind), o.bits]);
        let rows: Value = wgsl_overrides(&source)?.iter().map(row).collect();
        return Ok([vec![OVERRIDES], rows.to_string().into_bytes()].concat());
    }
    let list = |key: &str| header.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let bits = |pair: &Value| pair.get(1).and_then(Value::as_u64);
    let id = |pair: &Value| {
        let id = pair.get(0).and_then(Value::as_u64)?.try_into().ok()?;
        Some((id, bits(pair)?))
    };
    let spec: Vec<(u32, u64)> = list("spec").iter().filter_map(id).collect();
    let named = list("named_spec").iter();
    let named: Vec<(&str, u64)> =
        named.filter_map(|pair| Some((pair.get(0)?.as_str()?, bits(pair)?))).collect();
    let stage = header.get("stage").and_then(Value::as_str);
    let options = TranslateOptions {
        entry: header.get("entry").and_then(Value::as_str),
        stage: stage.and_then(|stage| stage.parse().ok()),
        spec: &spec,
        named_spec: &named,
        lines: header.get("lines").and_then(Value::as_bool) == Some(true),
        ..TranslateOptions::default()
    };
    let words = to_spirv_with(&source, &options)?;
    let words = words.iter().flat_map(|word| word.to_le_bytes());
    Ok(std::iter::once(WORDS).chain(words).collect())
}

/// Limits the memory and processor time of this process, and switches off core dumps. A lower limit that the process
/// has inherited is kept.
#[cfg(unix)]
fn limit() -> Result<(), FrontendError> {
    use rlimit::Resource;

    let limits =
        [(Resource::DATA, MEMORY_BYTES), (Resource::CPU, PROCESSOR_SECONDS), (Resource::CORE, 0)];
    for (resource, most) in limits {
        limit_resource(resource, most).map_err(|e| {
            let detail = format!("expected to limit {}, found {e}", resource.as_name());
            error(ErrorCode::ReaderFailed, detail)
        })?;
    }
    Ok(())
}

/// Limits a resource of this process. A lower limit that the process has inherited is kept.
#[cfg(unix)]
fn limit_resource(resource: rlimit::Resource, most: u64) -> io::Result<()> {
    let (soft, hard) = rlimit::getrlimit(resource)?;
    let soft = soft.min(most);
    // At the soft limit of processor time the process gets a signal, which shows the reason. At the hard limit, a second
    // later, it is killed.
    let later = if resource == rlimit::Resource::CPU { soft + 1 } else { soft };
    rlimit::setrlimit(resource, soft, hard.min(later))
}

/// Limits the memory of this process to a number of bytes, on systems that can.
pub(crate) fn limit_memory(bytes: u64) -> io::Result<()> {
    #[cfg(unix)]
    limit_resource(rlimit::Resource::DATA, bytes)?;
    #[cfg(not(unix))]
    let _ = bytes;
    Ok(())
}

/// The limit `most`, or the lower limit with which the program was started.
#[cfg(unix)]
fn effective(resource: rlimit::Resource, most: u64) -> u64 {
    rlimit::getrlimit(resource).map_or(most, |(soft, _)| soft.min(most))
}

/// On other systems there are only the front end's limits on the text.
#[cfg(not(unix))]
fn limit() -> Result<(), FrontendError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_survive_the_way() {
        let place = Some(SourcePosition { line: 3, column: 0 });
        let sent = FrontendError { source_position: place, ..failed("naga", "\"a\nb\"".into()) };
        let text = json!({ "code": "E0706", "source_position": [3, 0], "detail": sent.detail });
        assert_eq!(parse_error(text.to_string().as_bytes()), Some(sent));
        assert_eq!(parse_error(b"{}"), None);
        assert_eq!(parse_error(b"{\"code\": \"E9999\", \"detail\": \"\"}"), None);
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_that_ended_a_process_is_named() {
        use std::os::unix::process::ExitStatusExt;

        let cause = |signal, said| {
            let error = cause("naga", Some(ExitStatus::from_raw(signal)), said);
            format!("{} {}", error.code, error.detail)
        };
        assert!(cause(6, "memory allocation of 7 bytes failed").contains("2147483648 bytes"));
        assert!(cause(6, "what():  std::bad_alloc").starts_with("E0705"));
        assert!(cause(6, "thread 'naga' has overflowed its stack").contains("the stack"));
        assert!(cause(11, "").contains("the stack"));
        assert!(cause(24, "").contains("60 seconds of processor time"));
        assert!(cause(9, "").starts_with("E0706 the parser naga failed"));
        assert!(cause(6, "assertion failed\nmore").ends_with("assertion failed"));
    }
}
