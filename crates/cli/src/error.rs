//! Errors as text: a stable code, one sentence, the position, an excerpt of the source.
//!
//! ```text
//! error[E0803]: the program uses the buffer 0.1, but no --bind gives it
//! --> shader.wgsl
//!  = help: --bind 0.1=FILE or --bind 0.1=zero:BYTES
//! ```
//!
//! `annotate-snippets` makes the text. Names of files, messages and sources are not trusted. The library panics at a place
//! outside the source, cuts lines by their width on the screen (combining characters have none), and prints control
//! characters in notes and names of files as they are. So this file checks places, limits the length of lines and messages,
//! and replaces control characters.
//!
//! With `--json` each error or warning is a JSON object on a separate line:
//!
//! ```text
//! {"schema":"crestline-error","version":1,"severity":"error","code":"E0803","message":"...","file":"a.wgsl","line":null,"column":null,
//!  "notes":[{"kind":"help","text":"..."}]}
//! ```
//!
//! Codes E01xx to E07xx are those of the front end; this file adds the ones of the command
//! line. `docs/errors.md` explains each.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

/// Whether errors and warnings are JSON: asked once, on the command line.
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Makes errors and warnings of this process JSON.
pub(crate) fn use_json() {
    AS_JSON.store(true, Relaxed);
}

/// Tells of something that does not end the program.
pub(crate) fn warn(message: impl fmt::Display) {
    let parts = Parts { message: short(&message.to_string()), ..Parts::default() };
    if AS_JSON.load(Relaxed) {
        eprintln!("{}", parts.json("warning"));
    } else {
        anstream::eprintln!("{}", parts.text(Level::WARNING, &Renderer::styled()));
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
    file: String,
    /// The line's number, from 1, where it is known.
    line: Option<usize>,
    /// The column in characters, from 1, where it is known.
    column: Option<usize>,
    /// The line's text, if the file has such a line.
    excerpt: Option<Excerpt>,
}

/// What is shown of a line.
#[derive(Debug, Clone)]
struct Excerpt {
    /// The text, without characters that control a terminal.
    text: String,
    /// The byte of `text` at which the error lies.
    mark: Option<usize>,
    /// Whether `text` has the characters of the line up to the mark, each at its column.
    has_columns: bool,
}

/// The most characters of a line that are shown. Of a longer line only the surroundings of the column are shown.
const MOST_COLUMNS: usize = 1000;

/// The most lines of a message or note that are shown.
const MOST_LINES: usize = 100;

/// Characters shown before and after a column of a line that has more than [`MOST_COLUMNS`].
const SURROUNDINGS: usize = 60;

impl Origin {
    /// A whole file.
    pub(crate) fn file(file: impl Into<String>) -> Origin {
        Origin { file: file.into(), line: None, column: None, excerpt: None }
    }

    /// A line of a text, from 1.
    pub(crate) fn line(file: impl Into<String>, text: &str, line: usize) -> Origin {
        let excerpt = line_of(text, line).map(|line| Excerpt {
            text: visible(&first_columns(line)),
            mark: None,
            has_columns: true,
        });
        Origin { file: file.into(), line: Some(line), column: None, excerpt }
    }

    /// A column of a line of a text, both from 1; columns are characters.
    pub(crate) fn column(
        file: impl Into<String>,
        text: &str,
        line: usize,
        column: usize,
    ) -> Origin {
        Origin::in_line(file, line_of(text, line), line, column)
    }

    /// A column of a line with a number, both from 1, if the line's text is known.
    pub(crate) fn in_line(
        file: impl Into<String>,
        text: Option<&str>,
        line: usize,
        column: usize,
    ) -> Origin {
        let excerpt = text.map(|text| Excerpt::around(text, column));
        Origin { file: file.into(), line: Some(line), column: Some(column), excerpt }
    }

    /// A column of a line of a text, both from 1, the column in bytes; the column 0 is the line as a whole.
    pub(crate) fn byte_column(
        file: impl Into<String>,
        text: &str,
        line: usize,
        column: usize,
    ) -> Origin {
        let Some(bytes) = column.checked_sub(1) else { return Origin::line(file, text, line) };
        let before = line_of(text, line).and_then(|line| line.get(..bytes));
        let column = before.map_or(column, |before| before.chars().count() + 1);
        Origin::column(file, text, line, column)
    }

    /// The groups of the text, in the terms of the library: the title and the place. The first group has the title.
    fn groups(&self, level: &Level<'static>, title: Group<'static>) -> Vec<Group<'static>> {
        let path = visible(&self.file).replace(['\n', '\t'], " ");
        let (Some(line), Some(Excerpt { text, mark, has_columns })) = (self.line, &self.excerpt)
        else {
            return vec![title.element(self.place(path))];
        };
        let snippet = Snippet::source(text.clone()).line_start(line);
        match *mark {
            None => {
                let path = format!("{path}:{line}");
                let whole = AnnotationKind::Visible.span(0..text.len());
                vec![title.element(snippet.path(path).annotation(whole))]
            }
            Some(mark) => {
                let snippet = snippet.annotation(AnnotationKind::Primary.span(mark..mark));
                if *has_columns {
                    return vec![title.element(snippet.path(path))];
                }
                // The library would count the columns of the excerpt.
                let place = title.element(self.place(path));
                vec![place, Group::with_level(level.clone()).element(snippet)]
            }
        }
    }

    /// The place without the text.
    fn place(&self, path: String) -> annotate_snippets::Origin<'static> {
        let mut place = annotate_snippets::Origin::path(path);
        if let Some(line) = self.line {
            place = place.line(line);
        }
        if let Some(column) = self.column {
            place = place.char_column(column);
        }
        place
    }
}

impl Excerpt {
    /// The surroundings of a column, from 1, which may lie behind the end of the line.
    fn around(line: &str, column: usize) -> Excerpt {
        let places = line.char_indices().map(|(at, _)| at).chain([line.len()]);
        let place = places.clone().nth(column.saturating_sub(1));
        let at = place.unwrap_or(line.len());
        let has_columns = place.is_some() && places.skip(1).nth(MOST_COLUMNS).is_none();
        let (start, end) = if has_columns {
            (0, line.len())
        } else {
            let start = line[..at].char_indices().nth_back(SURROUNDINGS - 1);
            let end = line[at..].char_indices().nth(SURROUNDINGS);
            (start.map_or(0, |(start, _)| start), end.map_or(line.len(), |(end, _)| at + end))
        };
        let mut text = if start > 0 { "..." } else { "" }.to_owned();
        text.push_str(&visible(&line[start..at]));
        let mark = Some(text.len());
        text.push_str(&visible(&line[at..end]));
        text.push_str(if end < line.len() { "..." } else { "" });
        Excerpt { text, mark, has_columns }
    }
}

/// A line of a text, from 1.
fn line_of(text: &str, line: usize) -> Option<&str> {
    text.lines().nth(line.checked_sub(1)?)
}

/// The text with a visible character for each that controls a terminal or the direction of writing, apart from tabs and
/// ends of lines.
fn visible(text: &str) -> String {
    let shown = |c| match c {
        '\t' | '\n' => c,
        '\0'..='\x1f' => {
            char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            char::REPLACEMENT_CHARACTER
        }
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// The first [`MOST_COLUMNS`] characters of a line.
fn first_columns(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(MOST_COLUMNS) {
        Some((end, _)) => format!("{}...", &line[..end]).into(),
        None => line.into(),
    }
}

/// The first [`MOST_LINES`] lines of a message, of each the first [`MOST_COLUMNS`] characters.
fn short(text: &str) -> String {
    let mut lines = text.lines();
    let mut shown: Vec<_> = lines.by_ref().take(MOST_LINES).map(first_columns).collect();
    match lines.count() {
        0 => {}
        more => shown.push(format!("... and {more} more lines").into()),
    }
    shown.join("\n")
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
    /// Code cannot be analysed, or a report cannot be read.
    Analysis,
    /// An error state of the i915 driver cannot be read.
    ErrorState,
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
    /// An attachment of a draw call is not possible, or does not fit the shader or the state.
    Attachment,
    /// A script with pipelines is wrong.
    Script,
    /// An expectation of a script does not hold.
    Expectation,
    /// Crestline does not support a part of a script.
    ScriptSupport,
    /// The hardware lacks what a script requires.
    ScriptSkipped,
    /// A shader of a script does not compile.
    ScriptShader,
    /// A program of a script does not run.
    ScriptRun,
    /// The inputs of a batch cannot be collected, or its part is not known.
    Batch,
    /// A result file of a batch is malformed, or contradicts another one.
    Results,
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
            Code::Attachment => "E0810",
            Code::TooLarge => "E0820",
            Code::Container => "E1001",
            Code::Metadata => "E1002",
            Code::Decode => "E1003",
            Code::Invalid => "E1004",
            Code::Assembly => "E1005",
            Code::Region => "E1006",
            Code::Analysis => "E1007",
            Code::ErrorState => "E1008",
            Code::Emulate => "E1101",
            Code::EmulatorLimit => "E1102",
            Code::Reported => "E1103",
            Code::Script => "E1201",
            Code::Expectation => "E1202",
            Code::ScriptSupport => "E1203",
            Code::ScriptSkipped => "E1204",
            Code::ScriptShader => "E1205",
            Code::ScriptRun => "E1206",
            Code::Batch => "E1301",
            Code::Results => "E1302",
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
            message: short(&message.to_string()),
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

    /// The sentence of the first error.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// The code of the first error.
    pub(crate) fn code(&self) -> &str {
        &self.0.code
    }

    /// Adds the place.
    pub(crate) fn at(mut self, origin: Origin) -> Failure {
        self.0.origin = Some(origin);
        self
    }

    /// Adds advice.
    pub(crate) fn help(mut self, text: impl fmt::Display) -> Failure {
        self.0.notes.push(("help", short(&text.to_string())));
        self
    }

    /// Adds a fact.
    pub(crate) fn note(self, text: impl fmt::Display) -> Failure {
        self.notes([text])
    }

    /// Adds facts.
    pub(crate) fn notes(mut self, texts: impl IntoIterator<Item: fmt::Display>) -> Failure {
        self.0.notes.extend(texts.into_iter().map(|text| ("note", short(&text.to_string()))));
        self
    }
}

impl Failure {
    /// Prints the errors, as text or as JSON.
    pub(crate) fn report(&self) {
        if AS_JSON.load(Relaxed) {
            eprintln!("{}", self.json());
        } else {
            // The stream removes the colours if it is no terminal.
            anstream::eprintln!("{}", self.text(&Renderer::styled()));
        }
    }

    /// The errors as text, with an empty line between two.
    fn text(&self, renderer: &Renderer) -> String {
        let first = self.0.text(Level::ERROR, renderer);
        let more = self.0.more.iter().map(|failure| failure.text(renderer));
        std::iter::once(first).chain(more).collect::<Vec<_>>().join("\n\n")
    }

    /// The errors as JSON, each an object on its own line.
    fn json(&self) -> String {
        let first = self.0.json("error").to_string();
        self.0.more.iter().fold(first, |lines, failure| format!("{lines}\n{}", failure.json()))
    }
}

impl Parts {
    /// The text that people read.
    fn text(&self, level: Level<'static>, renderer: &Renderer) -> String {
        let title = level.clone().primary_title(visible(&self.message));
        let title = match self.code.as_str() {
            "" => title,
            code => title.id(code.to_owned()),
        };
        let title = title.elements(Vec::<Element<'_>>::new());
        let mut groups = match &self.origin {
            Some(origin) => origin.groups(&level, title),
            None => vec![title],
        };
        let notes = self.notes.iter().map(|(kind, text)| {
            let level = if *kind == "help" { Level::HELP } else { Level::NOTE };
            level.message(visible(text.trim_end()))
        });
        if let Some(last) = groups.pop() {
            groups.push(last.elements(notes));
        }
        renderer.render(&groups)
    }

    /// What a program needs to show it.
    fn json(&self, severity: &str) -> Value {
        let origin = self.origin.as_ref();
        let notes: Vec<Value> =
            self.notes.iter().map(|(kind, text)| json!({ "kind": kind, "text": text })).collect();
        json!({
            "schema": "crestline-error",
            "version": crate::files::DOCUMENT_VERSION,
            "severity": severity,
            "code": (!self.code.is_empty()).then_some(&self.code),
            "message": self.message,
            "file": origin.map(|origin| &origin.file),
            "line": origin.and_then(|origin| origin.line),
            "column": origin.and_then(|origin| origin.column),
            "notes": notes,
        })
    }
}

/// The text without colours.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&Renderer::plain()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error at a column of a text's line, without its first line.
    fn at(text: &str, line: usize, column: usize) -> String {
        let origin = Origin::column("a", text, line, column);
        let shown = Failure::new(Code::Assembly, "why").at(origin).to_string();
        shown.strip_prefix("error[E1005]: why\n").expect("the title").to_owned()
    }

    #[test]
    fn an_error_shows_code_place_source_and_advice() {
        let source = "first\n\tlet x = y;\n";
        let failure = Failure::with_code("E0703", "no such name")
            .at(Origin::line("a.wgsl", source, 2))
            .note("known names:\nx\n")
            .help("declare it");
        assert_eq!(
            failure.to_string(),
            "error[E0703]: no such name\n --> a.wgsl:2\n  |\n2 |     let x = y;\n  |\n  \
             = note: known names:\n          x\n  = help: declare it"
        );
    }

    #[test]
    fn errors_of_one_run_show_their_columns() {
        let at = |column| Origin::column("a", "\tmov x", 1, column);
        let one = |column| Failure::new(Code::Assembly, "why").at(at(column));
        let expected = "error[E1005]: why\n --> a:1:2\n  |\n1 |     mov x\n  |     ^\n\n\
                        error[E1005]: why\n --> a:1:6\n  |\n1 |     mov x\n  |         ^";
        assert_eq!(Failure::all([one(2), one(6)]).to_string(), expected);
    }

    #[test]
    fn wide_characters_have_a_column_and_two_cells() {
        assert_eq!(at("漢字 x", 1, 4), " --> a:1:4\n  |\n1 | 漢字 x\n  |      ^");
    }

    #[test]
    fn columns_may_count_bytes() {
        let columns =
            [0, 1, 4, 5, 9].map(|column| Origin::byte_column("a", "漢x", 1, column).column);
        assert_eq!(columns, [None, Some(1), Some(2), Some(3), Some(9)]);
    }

    #[test]
    fn ends_of_lines_and_texts_are_marked() {
        assert_eq!(at("ab", 1, 3), " --> a:1:3\n  |\n1 | ab\n  |   ^");
        assert_eq!(at("ab\r\n\r\n", 1, 3), " --> a:1:3\n  |\n1 | ab\n  |   ^");
        assert_eq!(at("ab\n\n", 2, 1), " --> a:2:1\n  |\n2 |\n  | ^");
    }

    #[test]
    fn places_that_a_text_does_not_have_are_only_named() {
        assert_eq!(at("", 1, 1), "--> a:1:1");
        assert_eq!(at("ab\n", 2, 1), "--> a:2:1");
        assert_eq!(at("ab\n", 0, 0), "--> a:0:0");
        assert_eq!(at("ab\n", usize::MAX, usize::MAX), format!("--> a:{0}:{0}", usize::MAX));
        // Behind the end of the line: its last characters.
        assert_eq!(at("ab", 1, 9), " --> a:1:9\n  |\n  |\n1 | ab\n  |   ^");
        assert_eq!(
            at("ab", 1, usize::MAX),
            at("ab", 1, 9).replace(":9", &format!(":{}", usize::MAX))
        );
        let line = Failure::new(Code::Assembly, "why").at(Origin::line("a", "ab", 7)).to_string();
        assert_eq!(line, "error[E1005]: why\n--> a:7");
    }

    #[test]
    fn characters_that_control_a_terminal_are_replaced() {
        let bad = "a\x1b[31m\x07\u{9b}31m\u{85}\u{202e}\x7fb";
        let good = "a␛[31m␇\u{fffd}31m\u{fffd}\u{fffd}␡b";
        let failure = Failure::new(Code::Assembly, format!("found {bad}"))
            .at(Origin::column(format!("{bad}\n.asm"), bad, 1, 6))
            .note(format!("{bad}\nsecond\t|"));
        let column = "     ^";
        assert_eq!(
            failure.to_string(),
            format!(
                "error[E1005]: found {good}\n --> {good} .asm:1:6\n  |\n1 | {good}\n  | {column}\n  |\n  \
                 = note: {good}\n          second\t|"
            )
        );
    }

    /// A long line shows the surroundings of the column, whatever the width of its characters.
    #[test]
    fn long_lines_are_cut() {
        let mebi = 1 << 20;
        for c in ["x", "\t", "漢", "\u{301}", "\0", "👩\u{200d}"] {
            let line = c.repeat(mebi);
            for column in [1, 2, 500, 1001, mebi / 2, mebi, mebi + 1, mebi + 2, usize::MAX] {
                let shown = at(&line, 1, column);
                assert!(shown.contains(&format!("--> a:1:{column}\n")), "{c:?} {column}: {shown}");
                assert!(shown.contains('^'), "{c:?} {column}: {shown}");
                assert!(shown.len() < 1500, "{c:?} {column}: {} bytes", shown.len());
            }
            let origin = Origin::line("a", &line, 1);
            let shown = Failure::new(Code::Assembly, "why").at(origin).to_string();
            assert!(shown.len() < 10_000, "{c:?}: {} bytes", shown.len());
        }
        let (before, after) = ("x".repeat(60), "y".repeat(60));
        let text = format!("{}{before}{after}{}", "a".repeat(1000), "b".repeat(1000));
        let margin = " ".repeat(63);
        assert_eq!(
            at(&text, 1, 1061),
            format!(" --> a:1:1061\n  |\n  |\n1 | ...{before}{after}...\n  | {margin}^")
        );
    }

    #[test]
    fn long_messages_are_cut() {
        let line = "x".repeat(1 << 20);
        let many = "a line\n".repeat(10_000);
        let failure = Failure::new(Code::Assembly, &line).note(&many).help(&line).note(&many);
        let shown = failure.to_string();
        assert!(shown.len() < 10_000, "{} bytes", shown.len());
        assert!(shown.contains("x...\n") && shown.contains("... and 9900 more lines\n"), "{shown}");
        assert!(failure.json().len() < 10_000);
    }

    #[test]
    fn errors_as_json_are_a_line_each() {
        let one =
            Failure::new(Code::Assembly, "why").at(Origin::column("a", "mov x", 1, 5)).help("so");
        let text = Failure::all([one, Failure::new(Code::Read, "gone\nnow")]).json();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let first = json!({
            "schema": "crestline-error", "version": 1,
            "severity": "error", "code": "E1005", "message": "why", "file": "a", "line": 1,
            "column": 5, "notes": [{ "kind": "help", "text": "so" }],
        });
        let second = json!({
            "schema": "crestline-error", "version": 1,
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
        assert_eq!(failure.to_string(), "error[E0801]: gone\n--> a");
    }

    #[test]
    fn a_terminal_gets_colours() {
        let shown = Failure::new(Code::Read, "gone").text(&Renderer::styled());
        assert!(shown.contains("\x1b["), "{shown:?}");
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), "error[E0801]: gone");
    }
}
