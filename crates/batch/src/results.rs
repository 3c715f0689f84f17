//! Result files: a line of JSON for each row, or comma-separated values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::row::{Row, SCHEMA, VERSION};

/// The rows of a result file, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    rows: Vec<Row>,
}

/// What is wrong with a result file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultsError {
    /// The first line is another one.
    #[error(
        "line 1: expected {{\"schema\":\"{SCHEMA}\",\"version\":{VERSION},...}}, found {found}"
    )]
    Header {
        /// What the first line is.
        found: String,
    },
    /// A line is no row.
    #[error("line {line}: expected a row of version {VERSION}, found {found}")]
    Row {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        found: String,
    },
    /// Two files have different rows for the same code.
    #[error("two different rows for {module}, entry point `{entry}`, {target}, width {asked}")]
    Conflict {
        /// The module.
        module: String,
        /// The entry point.
        entry: String,
        /// The target.
        target: String,
        /// The width that was asked for.
        asked: String,
    },
}

/// The first line of a result file.
#[derive(Serialize, Deserialize)]
struct Header {
    schema: String,
    version: u32,
    tool: String,
}

impl Results {
    /// Sorts rows.
    pub fn of(mut rows: Vec<Row>) -> Results {
        rows.sort();
        rows.dedup();
        Results { rows }
    }

    /// The rows by module, entry point, stage, target and width.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows of several files in one.
    ///
    /// # Errors
    ///
    /// Two files have rows for the same module, entry point, target and asked width that differ.
    pub fn merge(parts: Vec<Results>) -> Result<Results, ResultsError> {
        let mut owners = BTreeMap::new();
        for part in &parts {
            let mut groups: BTreeMap<[&str; 5], Vec<&Row>> = BTreeMap::new();
            for row in &part.rows {
                groups.entry(row.key()).or_default().push(row);
            }
            for (key, rows) in groups {
                let first = owners.entry(key).or_insert_with(|| rows.clone());
                if *first != rows {
                    let [module, entry, _, target, asked] = key.map(str::to_owned);
                    return Err(ResultsError::Conflict { module, entry, target, asked });
                }
            }
        }
        Ok(Results::of(parts.into_iter().flat_map(|part| part.rows).collect()))
    }

    /// The modules that have rows, with the SHA-256 of their bytes.
    pub fn modules(&self) -> BTreeSet<(&str, &str)> {
        self.rows.iter().map(|row| (row.module.as_str(), row.hash.as_str())).collect()
    }
}

/// The file in which rows are collected until a batch is complete: the name of the result file with `.part` behind it.
pub fn part_of(results: &Path) -> PathBuf {
    let mut name = results.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// A result file: a line that names the schema and the `tool`, then a line for each row.
pub fn json_lines(rows: &[Row], tool: &str) -> String {
    let header = Header { schema: SCHEMA.to_owned(), version: VERSION, tool: tool.to_owned() };
    line_of(&header) + &row_lines(rows)
}

/// A line of JSON for each row.
pub fn row_lines(rows: &[Row]) -> String {
    rows.iter().map(line_of).collect()
}

/// A value as a line of JSON.
fn line_of(value: &impl Serialize) -> String {
    // Structures of texts and numbers have a JSON form.
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}

/// Reads what [`json_lines`] writes. If `is_part`, a last line without an end is left out: its writer was interrupted.
/// Returns the rows, the tool, and the number of bytes that were read.
///
/// # Errors
///
/// The text is no result file of this version.
pub fn from_json_lines(
    text: &str,
    is_part: bool,
) -> Result<(Results, String, usize), ResultsError> {
    let end = if is_part { text.rfind('\n').map_or(0, |end| end + 1) } else { text.len() };
    let mut lines = text[..end].lines().enumerate();
    let first = lines.next().map_or("", |(_, line)| line);
    let excerpt = |line: &str| format!("`{}`", line.chars().take(60).collect::<String>());
    let header: Header =
        serde_json::from_str(first).map_err(|_| ResultsError::Header { found: excerpt(first) })?;
    if header.schema != SCHEMA || header.version != VERSION {
        let found = format!("schema `{}`, version {}", header.schema, header.version);
        return Err(ResultsError::Header { found });
    }
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let row = serde_json::from_str(line).map_err(|error| ResultsError::Row {
            line: number + 1,
            found: format!("{}: {error}", excerpt(line)),
        })?;
        rows.push(row);
    }
    Ok((Results::of(rows), header.tool, end))
}

/// The rows as comma-separated values (RFC 4180) with a line of names.
pub fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "module,entry,stage,target,asked,simd_width,hash,outcome,error,message,instructions,bytes,sends,loops,spills,fills,\
         registers,cycles\n",
    );
    for row in rows {
        let outcome = line_of(&row.outcome);
        let (simd_width, cycles) = (row.simd_width.to_string(), row.cycles.to_string());
        let counts = [
            row.instructions.to_string(),
            row.bytes.to_string(),
            row.sends.to_string(),
            row.loops.to_string(),
            row.spills.to_string(),
            row.fills.to_string(),
            row.registers.to_string(),
        ];
        let words = [
            &row.module,
            &row.entry,
            &row.stage,
            &row.target,
            &row.asked,
            &simd_width,
            &row.hash,
            outcome.trim().trim_matches('"'),
            row.error.as_deref().unwrap_or_default(),
            row.message.as_deref().unwrap_or_default(),
        ];
        let cells = words.into_iter().map(cell).chain(counts).chain([cycles]);
        text += &cells.collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    text
}

/// A text as a cell.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    fn row(module: &str, target: &str, instructions: u32) -> Row {
        Row {
            module: module.to_owned(),
            entry: "main".to_owned(),
            target: target.to_owned(),
            simd_width: 16,
            instructions,
            ..Row::default()
        }
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let refused = row("b,\"c\"", "bdw", 0).without(
            Outcome::Refused,
            Some("E0702"),
            "two\nlines, and a comma",
        );
        let results = Results::of(vec![refused, row("a", "skl", 3)]);
        let text = json_lines(results.rows(), "tool 1");
        let read = from_json_lines(&text, false).unwrap();
        assert_eq!(read, (results.clone(), "tool 1".to_owned(), text.len()));
        // The last line is not complete.
        let cut = &text[..text.len() - 5];
        let (part, _, bytes) = from_json_lines(cut, true).unwrap();
        assert_eq!((part.rows(), &text[bytes - 1..bytes]), (&results.rows()[..1], "\n"));
        assert!(matches!(from_json_lines(cut, false), Err(ResultsError::Row { line: 3, .. })));
        let lines = csv(results.rows());
        assert!(lines.ends_with(
            "\"b,\"\"c\"\"\",main,,bdw,,16,,refused,E0702,\"two\nlines, and a comma\",0,0,0,0,0,0,0,0\n"
        ));
    }

    #[test]
    fn other_files_are_errors_with_their_line() {
        let text = json_lines(&[row("a", "skl", 3)], "tool");
        for wrong in ["", "{}", "module,entry\n", "[1,2,3]"] {
            let error = from_json_lines(wrong, false).unwrap_err();
            assert!(matches!(error, ResultsError::Header { .. }), "{error}");
        }
        let newer = text.replace("\"version\":1", "\"version\":2");
        let error = from_json_lines(&newer, false).unwrap_err().to_string();
        assert!(error.ends_with("found schema `crestline-batch`, version 2"), "{error}");
        let error = from_json_lines(&text.replace("\"module\"", "\"modul\""), false).unwrap_err();
        assert!(matches!(error, ResultsError::Row { line: 2, .. }), "{error}");
    }

    #[test]
    fn parts_are_merged_if_they_agree() {
        let of = |rows: &[Row]| Results::of(rows.to_vec());
        let (a, b) = (row("a", "skl", 3), row("b", "skl", 4));
        let both = Results::merge(vec![of(&[b.clone(), a.clone()]), of(std::slice::from_ref(&a))])
            .unwrap();
        assert_eq!(both.rows(), [a.clone(), b]);
        let error = Results::merge(vec![of(&[a]), of(&[row("a", "skl", 5)])]).unwrap_err();
        assert!(matches!(error, ResultsError::Conflict { .. }));
    }
}
