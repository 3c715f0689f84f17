//! Errors as text: a stable code, one sentence, the position, an excerpt of the source.
//!
//! ```text
//! error[E0803]: the program uses the buffer 0.1, but no --bind gives it
//!   --> shader.wgsl
//!    = help: --bind 0.1=FILE or --bind 0.1=zero:BYTES
//! ```
//!
//! With `--json` each error or warning is a JSON object on a separate line:
//!
//! ```text
//! {"severity":"error","code":"E0803","message":"...","file":"a.wgsl","line":null,"column":null,"notes":[{"kind":"help","text":"..."}]}
//! ```
//!
//! Codes E01xx to E07xx are those of the front end; this file adds the ones of the command
//! line. `docs/errors.md` explains each.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::{Value, json};

/// Whether errors and warnings are JSON: asked once, on the command line.
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Makes errors and warnings of this process JSON.
pub(crate) fn use_json() {
    AS_JSON.store(true, Relaxed);
}

/// Tells of something that does not end the program.
pub(crate) fn warn(message: impl fmt::Display) {
    if AS_JSON.load(Relaxed) {
        let parts = Parts { message: message.to_string(), ..Parts::default() };
        eprintln!("{}", parts.json("warning"));
    } else {
        eprintln!("warning: {message}");
    }
}

/// An error in the input: ends the program with status 1.
#[derive(Debug)]
pub(crate) struct Failure(Box<Parts>);

#[derive(Debug, Default)]
struct Parts {
    code: String,
    message: String,
    origin: Option<Origin>,
    notes: Vec<(&'static str, String)>,
    /// Errors found in the same run, after this one.
    more: Vec<Failure>,
}

/// Where in the input an error lies.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The file's name, or `<stdin>`.
    pub(crate) file: String,
    /// The line's number, from 1, and its text, where they are known.
    pub(crate) line: Option<(usize, String)>,
    /// The column in characters, from 1, where it is known.
    pub(crate) column: Option<usize>,
}

/// The most characters of a line that are shown.
const MOST_COLUMNS: usize = 200;

impl Origin {
    /// A whole file.
    pub(crate) fn file(file: impl Into<String>) -> Origin {
        Origin { file: file.into(), line: None, column: None }
    }

    /// A line of a text, from 1.
    pub(crate) fn line(file: impl Into<String>, text: &str, line: usize) -> Origin {
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        // A line that no screen shows is cut.
        let shown = match shown.char_indices().nth(MOST_COLUMNS) {
            Some((end, _)) => format!("{}...", &shown[..end]),
            None => shown.to_owned(),
        };
        let line = Some((line, shown));
        Origin { file: file.into(), line, column: None }
    }

    /// Adds the column in the line, from 1, which is then marked.
    pub(crate) fn column(self, column: usize) -> Origin {
        Origin { column: Some(column), ..self }
    }
}

/// The codes of errors that arise in the command line itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// A file cannot be read.
    Read,
    /// A file cannot be written.
    Write,
    /// A resource that the program uses is not given.
    MissingResource,
    /// A resource is given that the program does not use, or twice.
    UnusedResource,
    /// A given resource has the wrong size.
    ResourceSize,
    /// An input, or all resources of a run, are larger than the limit.
    TooLarge,
    /// Machine code cannot be read from its container.
    Container,
    /// Metadata cannot be read.
    Metadata,
    /// Machine code cannot be decoded.
    Decode,
    /// Machine code breaks a rule of the hardware.
    Invalid,
    /// Assembly text cannot be assembled.
    Assembly,
    /// A region is not written as regions are.
    Region,
    /// The emulator refuses or stops the program.
    Emulate,
    /// The emulator does not know an instruction or message of the program.
    EmulatorLimit,
    /// The program ran, but not rightly, and `--strict` asks that this be an error.
    Reported,
    /// A specialization constant does not fit the shader.
    Specialization,
    /// What the program's stage takes is not given, or does not fit it.
    StageArgument,
    /// A shader reads what the stage before does not write.
    Link,
}

impl Code {
    fn as_str(self) -> &'static str {
        match self {
            Code::Read => "E0801",
            Code::Write => "E0802",
            Code::MissingResource => "E0803",
            Code::UnusedResource => "E0804",
            Code::ResourceSize => "E0805",
            Code::Specialization => "E0807",
            Code::StageArgument => "E0808",
            Code::Link => "E0809",
            Code::TooLarge => "E0820",
            Code::Container => "E1001",
            Code::Metadata => "E1002",
            Code::Decode => "E1003",
            Code::Invalid => "E1004",
            Code::Assembly => "E1005",
            Code::Region => "E1006",
            Code::Emulate => "E1101",
            Code::EmulatorLimit => "E1102",
            Code::Reported => "E1103",
        }
    }
}

impl Failure {
    /// An error with one of the command line's own codes.
    pub(crate) fn new(code: Code, message: impl fmt::Display) -> Failure {
        Failure::with_code(code.as_str(), message)
    }

    /// An error with the code of another room.
    pub(crate) fn with_code(code: impl Into<String>, message: impl fmt::Display) -> Failure {
        Failure(Box::new(Parts {
            code: code.into(),
            message: message.to_string(),
            origin: None,
            notes: Vec::new(),
            more: Vec::new(),
        }))
    }

    /// Several errors as one; there must be at least one.
    pub(crate) fn all(errors: impl IntoIterator<Item = Failure>) -> Failure {
        let mut errors = errors.into_iter();
        let mut first = errors.next().unwrap_or_else(|| Failure::new(Code::Assembly, "no error"));
        first.0.more.extend(errors);
        first
    }

    /// Adds the place.
    pub(crate) fn at(mut self, origin: Origin) -> Failure {
        self.0.origin = Some(origin);
        self
    }

    /// Adds advice.
    pub(crate) fn help(mut self, text: impl fmt::Display) -> Failure {
        self.0.notes.push(("help", text.to_string()));
        self
    }

    /// Adds a fact.
    pub(crate) fn note(self, text: impl fmt::Display) -> Failure {
        self.notes([text])
    }

    /// Adds facts.
    pub(crate) fn notes(mut self, texts: impl IntoIterator<Item: fmt::Display>) -> Failure {
        self.0.notes.extend(texts.into_iter().map(|text| ("note", text.to_string())));
        self
    }
}

impl Failure {
    /// Prints the errors, as text or as JSON.
    pub(crate) fn report(&self) {
        if AS_JSON.load(Relaxed) {
            eprintln!("{}", self.json());
        } else {
            eprintln!("{self}");
        }
    }

    /// The errors as JSON, each an object on its own line.
    fn json(&self) -> String {
        let first = self.0.json("error").to_string();
        self.0.more.iter().fold(first, |lines, failure| format!("{lines}\n{}", failure.json()))
    }
}

impl Parts {
    /// What a program needs to show it.
    fn json(&self, severity: &str) -> Value {
        let origin = self.origin.as_ref();
        let notes: Vec<Value> =
            self.notes.iter().map(|(kind, text)| json!({ "kind": kind, "text": text })).collect();
        json!({
            "severity": severity,
            "code": (!self.code.is_empty()).then_some(&self.code),
            "message": self.message,
            "file": origin.map(|origin| &origin.file),
            "line": origin.and_then(|origin| Some(origin.line.as_ref()?.0)),
            "column": origin.and_then(|origin| origin.column),
            "notes": notes,
        })
    }
}

/// The first `count` characters of a line as white space of the same width.
fn blank(line: &str, count: usize) -> String {
    line.chars().take(count).map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.0.code, self.0.message)?;
        let mut gutter = 2;
        if let Some(origin) = &self.0.origin {
            write!(f, "\n  --> {}", origin.file)?;
            if let Some((line, text)) = &origin.line {
                write!(f, ":{line}")?;
                if let Some(column) = origin.column {
                    write!(f, ":{column}")?;
                }
                gutter = line.to_string().len() + 1;
                write!(f, "\n{:gutter$} |\n{line:>gutter$} | {text}\n{:gutter$} |", "", "")?;
                if let Some(column) = origin.column.filter(|&column| column <= MOST_COLUMNS) {
                    write!(f, " {}^", blank(text, column - 1))?;
                }
            }
        }
        for (kind, text) in &self.0.notes {
            let indent = format!("\n{:gutter$}         ", "");
            write!(f, "\n{:gutter$} = {kind}: {}", "", text.trim_end().replace('\n', &indent))?;
        }
        for failure in &self.0.more {
            write!(f, "\n\n{failure}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_code_place_source_and_advice() {
        let source = "first\n\tlet x = y;\n";
        let failure = Failure::with_code("E0703", "no such name")
            .at(Origin::line("a.wgsl", source, 2))
            .note("known names:\nx")
            .help("declare it");
        assert_eq!(
            failure.to_string(),
            "error[E0703]: no such name\n  --> a.wgsl:2\n   |\n 2 | \tlet x = y;\n   |\n   \
             = note: known names:\n           x\n   = help: declare it"
        );
    }

    #[test]
    fn errors_of_one_run_show_their_columns() {
        let at = |column| Origin::line("a", "\tmov x", 1).column(column);
        let one = |column| Failure::new(Code::Assembly, "why").at(at(column));
        let shown = Failure::all([one(2), one(6)]).to_string();
        let expected = "error[E1005]: why\n  --> a:1:2\n   |\n 1 | \tmov x\n   | \t^\n\n\
                        error[E1005]: why\n  --> a:1:6\n   |\n 1 | \tmov x\n   | \t    ^";
        assert_eq!(shown, expected);
    }

    #[test]
    fn errors_as_json_are_a_line_each() {
        let one = Failure::new(Code::Assembly, "why")
            .at(Origin::line("a", "mov x", 1).column(5))
            .help("so");
        let text = Failure::all([one, Failure::new(Code::Read, "gone\nnow")]).json();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let first = json!({
            "severity": "error", "code": "E1005", "message": "why", "file": "a", "line": 1,
            "column": 5, "notes": [{ "kind": "help", "text": "so" }],
        });
        let second = json!({
            "severity": "error", "code": "E0801", "message": "gone\nnow", "file": null,
            "line": null, "column": null, "notes": [],
        });
        assert_eq!(lines, [first, second]);
    }

    #[test]
    fn an_error_without_a_place_is_one_line() {
        let failure = Failure::new(Code::Read, "gone");
        assert_eq!(failure.to_string(), "error[E0801]: gone");
        let failure = failure.at(Origin::file("a"));
        assert_eq!(failure.to_string(), "error[E0801]: gone\n  --> a");
    }
}
