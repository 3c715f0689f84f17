//! Determines the stage and the entry point for which a GLSL or HLSL text is compiled.
//!
//! Neither language states the stage in the text, and HLSL does not state the entry point either.

use crestline_ssa::ir::Stage;

use super::source_error;
#[cfg(feature = "glslang")]
use crate::error::ErrorCode;
use crate::error::{FrontendError, Result, SourcePosition};

/// Per stage its name in `#pragma shader_stage` and its file extension.
const STAGES: [(&str, &str, Stage); 6] = [
    ("vertex", "vert", Stage::Vertex),
    ("tesscontrol", "tesc", Stage::TessControl),
    ("tesseval", "tese", Stage::TessEval),
    ("geometry", "geom", Stage::Geometry),
    ("fragment", "frag", Stage::Fragment),
    ("compute", "comp", Stage::Compute),
];

/// The stage `asked`, else that of the text's pragma, else that of the file name's extension, else compute.
pub(super) fn stage(name: &str, text: &str, asked: Option<Stage>) -> Result<Stage> {
    let said = pragma(name, text)?;
    Ok(asked.or(said).or_else(|| from_name(name)).unwrap_or(Stage::Compute))
}

/// The stage that the extension gives: `vert` in `a.vert` and in `a.vert.glsl`.
fn from_name(name: &str) -> Option<Stage> {
    let mut endings = name.rsplit(['.', '/', '\\']);
    let ending = endings.next()?;
    let ending = if matches!(ending, "glsl" | "hlsl") { endings.next()? } else { ending };
    STAGES.iter().find(|row| row.1 == ending).map(|row| row.2)
}

/// The stage of `#pragma shader_stage(STAGE)`. Pragmas that `#if` excludes count too, because the preprocessor has not
/// run yet.
fn pragma(name: &str, text: &str) -> Result<Option<Stage>> {
    let mut found: Option<(u32, Stage)> = None;
    if !text.contains("shader_stage") {
        return Ok(None);
    }
    for (line, text) in (1..).zip(without_comments(text).lines()) {
        let Some(stage) = pragma_argument(text) else { continue };
        let source_position = Some(SourcePosition { line, column: 0 });
        let fail = |message: &str| FrontendError { source_position, ..source_error(name, message) };
        let Some(row) = STAGES.iter().find(|row| row.0 == stage) else {
            let names = STAGES.map(|row| row.0).join(", ");
            return Err(fail(&format!("expected one of {names}, found {stage:?}")));
        };
        match found {
            Some((first, other)) if other != row.2 => {
                return Err(fail(&format!(
                    "expected the stage that line {first} gives, found {stage:?}"
                )));
            }
            _ => found = Some((line, row.2)),
        }
    }
    Ok(found.map(|(_, stage)| stage))
}

/// The text between the parentheses if the line is a `#pragma shader_stage(...)`.
fn pragma_argument(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
    let rest = rest.strip_prefix(char::is_whitespace)?.trim_start().strip_prefix("shader_stage")?;
    let rest = rest.trim_start().strip_prefix('(')?;
    Some(rest.split(')').next().unwrap_or_default().trim())
}

/// The length in bytes of the comment at the start of the text; `None` if the text does not start with a comment.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inner = text.strip_prefix("/*")?;
    Some(inner.find("*/").map_or(text.len(), |end| end + 4))
}

/// The text with each comment replaced by a space. Line breaks in comments remain, so line numbers do not change.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let Some(length) = comment(rest) else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
            continue;
        };
        let (comment, after) = rest.split_at(length);
        out.push(' ');
        out.extend(comment.chars().filter(|&c| c == '\n'));
        rest = after;
    }
    out
}

/// Whether the text is an identifier of GLSL and HLSL.
#[cfg(feature = "glslang")]
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a module compiled from HLSL contains the function `entry` of the source. glslang names it `@NAME(...` and
/// makes a wrapper function the entry point.
#[cfg(feature = "glslang")]
pub(super) fn calls_source_entry(words: &[u32], entry: &str) -> bool {
    const HEADER_WORDS: usize = 5;
    const OP_NAME: u32 = 5;
    let wanted = format!("@{entry}(");
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    while let [first, ..] = rest {
        let Some(inst) = rest.get(..(first >> 16).max(1) as usize) else { return false };
        if first & 0xffff == OP_NAME {
            let name = inst.iter().skip(2).flat_map(|word| word.to_le_bytes());
            if name.take(wanted.len()).eq(wanted.bytes()) {
                return true;
            }
        }
        rest = &rest[inst.len()..];
    }
    false
}

/// The error for an entry point that the HLSL text does not define, with the names of the functions that it defines.
#[cfg(feature = "glslang")]
pub(super) fn no_entry_point(entry: &str, text: &str) -> FrontendError {
    let functions = functions(text);
    let found = match functions.as_slice() {
        [] => "no function".to_owned(),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            format!("the functions {}", names.join(", "))
        }
    };
    FrontendError::new(ErrorCode::NoEntryPoint, format!("expected {entry:?}, found {found}"))
}

/// Names of the functions that a text defines outside of braces, at most 16, for messages. The preprocessor has not run
/// on the text.
#[cfg(feature = "glslang")]
fn functions(text: &str) -> Vec<&str> {
    const MAX: usize = 16;
    let mut names: Vec<&str> = Vec::new();
    let mut depth = 0u32;
    // `candidate` is the identifier before an open parenthesis, if a type precedes it. `closed` is set after the list
    // of parameters.
    let mut before: Option<&str> = None;
    let mut last: Option<&str> = None;
    let mut candidate: Option<&str> = None;
    let mut closed = false;
    for token in tokens(text) {
        match token {
            "(" | "[" => {
                if depth == 0 && token == "(" && before.is_some() {
                    candidate = last;
                    closed = false;
                }
                depth += 1;
            }
            ")" | "]" => {
                depth = depth.saturating_sub(1);
                closed = depth == 0;
            }
            "{" => {
                if let Some(name) = candidate.take().filter(|_| depth == 0 && closed)
                    && !names.contains(&name)
                {
                    names.push(name);
                }
                depth += 1;
            }
            "}" => depth = depth.saturating_sub(1),
            ";" | "=" if depth == 0 => candidate = None,
            _ => {}
        }
        let word = is_identifier(token) || token == ">";
        (before, last) = if word { (last, Some(token)) } else { (None, None) };
        if names.len() == MAX {
            break;
        }
    }
    names
}

/// The tokens of a text: identifiers, and each other character by itself. Comments and preprocessor lines are skipped.
#[cfg(feature = "glslang")]
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let next = rest.chars().next()?;
            let line = (next == '#').then(|| rest.find('\n').unwrap_or(rest.len()));
            let Some(skipped) = line.or_else(|| comment(rest)) else {
                let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let length = rest.find(|c| !word(c)).unwrap_or(rest.len()).max(next.len_utf8());
                let (token, after) = rest.split_at(length);
                rest = after;
                return Some(token);
            };
            rest = &rest[skipped..];
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stage_is_asked_for_or_in_the_text_or_in_the_name() {
        let found = |name, text, asked| stage(name, text, asked).map_err(|e| e.detail);
        let geometry = "#version 450\n # pragma  shader_stage ( geometry ) // vertex\n";
        assert_eq!(found("a.vert", "", None), Ok(Stage::Vertex));
        assert_eq!(found("b.vert/a.tesc.glsl", "", None), Ok(Stage::TessControl));
        assert_eq!(found("a.vert/glsl", "", None), Ok(Stage::Vertex));
        assert_eq!(found("a.glsl", "", None), Ok(Stage::Compute));
        assert_eq!(found("a.vert", geometry, None), Ok(Stage::Geometry));
        assert_eq!(found("a.vert", geometry, Some(Stage::TessEval)), Ok(Stage::TessEval));
        let commented = "/* x\n#pragma shader_stage(vertex)\n*/\n//#pragma shader_stage(vertex)\n";
        assert_eq!(found("a.glsl", commented, None), Ok(Stage::Compute));
        let twice = "#pragma shader_stage(vertex)\n#pragma shader_stage(compute)";
        let message = "a: expected the stage that line 1 gives, found \"compute\"";
        assert_eq!(found("a", twice, None), Err(message.into()));
        let unknown = found("a", "#pragma shader_stage(pixel)", None).unwrap_err();
        assert!(unknown.starts_with("a: expected one of vertex, "), "{unknown}");
        let place = stage("a", twice, None).unwrap_err().source_position;
        assert_eq!(place, Some(SourcePosition { line: 2, column: 0 }));
    }

    #[cfg(feature = "glslang")]
    #[test]
    fn functions_are_found_where_they_are_defined() {
        let text = "#define F(x) g(x)\nfloat4 declared(float x);\n\
            static const float table[2] = { f(1), 2 };\n\
            struct S { float method() { return 1; } };\n\
            // void commented() {}\n\
            Buffer<float4> made(uint x) { return f(x); }\n\
            [numthreads(8, 1, 1)] void CSMain(uint3 id : SV_DispatchThreadID) { if (a) { b(); } }\n\
            float4 PSMain(float4 at : SV_Position) : SV_Target { return at; }";
        assert_eq!(functions(text), ["made", "CSMain", "PSMain"]);
        assert!(functions("void f((((").is_empty() && functions("}}}])").is_empty());
    }
}
