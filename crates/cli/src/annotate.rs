//! Comments in assembly text that show from which source lines the code comes.

use crestline_program::{LineRow, LineTable};

/// The greatest length of a source line in a comment, in characters.
const SHOWN: usize = 100;

/// For each place in the code where the source line changes: its byte offset, and the comments to print there.
/// `source` is the name and text of the shader; lines of other files are shown without their text.
pub(crate) fn comments(lines: &LineTable, source: Option<(&str, &str)>) -> Vec<(usize, String)> {
    let text: Vec<&str> = source.map_or(Vec::new(), |(_, text)| text.lines().collect());
    let mut comments = Vec::new();
    let mut last = Vec::new();
    for row in &lines.rows {
        let now = described(row, lines, source.map_or("", |(name, _)| name), &text);
        if now != last {
            comments.extend(now.iter().map(|line| (row.offset as usize, line.clone())));
            last = now;
        }
    }
    comments
}

/// The directives `.file`, each with the number and the name of a source file.
pub(crate) fn files(lines: &LineTable) -> String {
    let quoted = |name: &String| {
        printable(name).map(|c| if matches!(c, '"' | '\\') { '?' } else { c }).collect::<String>()
    };
    let names = lines.files.iter().enumerate();
    names.map(|(number, name)| format!(".file {} \"{}\"\n", number + 1, quoted(name))).collect()
}

/// For each place in the code where the source line changes: its byte offset, and the directive `.loc` with the number of a file of
/// [`files`], a line and a column. Line 0 means that the code has no source line. Of several places the first counts.
pub(crate) fn directives(lines: &LineTable) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for row in &lines.rows {
        let directive = match row.places.first() {
            Some(place) => format!(".loc {} {} {}", place.file + 1, place.line, place.column),
            None if lines.files.is_empty() => continue,
            None => ".loc 1 0 0".to_owned(),
        };
        if found.last().is_none_or(|(_, last)| *last != directive) {
            found.push((row.offset as usize, directive));
        }
    }
    found
}

/// The comments for a row, one for each source line.
fn described(row: &LineRow, lines: &LineTable, name: &str, text: &[&str]) -> Vec<String> {
    if let Some(reason) = row.reason {
        return vec![format!("({})", reason.text())];
    }
    let mut found: Vec<String> = Vec::new();
    for place in &row.places {
        let file = lines.files.get(place.file as usize).map_or("", String::as_str);
        let mut comment: String = printable(file).collect();
        comment.push_str(&format!(":{}", place.line));
        let line = (file == name).then(|| text.get(place.line as usize - 1)).flatten();
        if let Some(line) = line {
            comment.push_str(": ");
            comment.extend(printable(line.trim()).take(SHOWN));
        }
        if found.last() != Some(&comment) {
            found.push(comment);
        }
    }
    found
}

/// The characters of a text, with a question mark in place of each control character.
fn printable(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| if c.is_control() { '?' } else { c })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_program::{NoPlace, SourcePlace};

    fn row(offset: u32, places: &[(u32, u32)], reason: Option<NoPlace>) -> LineRow {
        let place = |&(file, line): &(u32, u32)| SourcePlace { file, line, column: 1 };
        LineRow { offset, places: places.iter().map(place).collect(), reason }
    }

    #[test]
    fn a_directive_stands_where_the_line_changes() {
        let files_of = vec!["a.comp".to_owned(), "b\"\n.glsl".to_owned()];
        let rows = vec![
            row(0, &[], Some(NoPlace::Setup)),
            row(16, &[(0, 2)], None),
            row(32, &[(0, 2), (0, 2)], None),
            row(48, &[(1, 7), (0, 1)], None),
        ];
        let lines = LineTable { files: files_of, rows };
        assert_eq!(files(&lines), ".file 1 \"a.comp\"\n.file 2 \"b??.glsl\"\n");
        let expected = [(0, ".loc 1 0 0"), (16, ".loc 1 2 1"), (48, ".loc 2 7 1")];
        assert_eq!(directives(&lines), expected.map(|(offset, text)| (offset, text.to_owned())));
        assert_eq!(directives(&LineTable { files: Vec::new(), ..lines }).len(), 2);
    }

    #[test]
    fn a_comment_stands_where_the_line_changes() {
        let files = vec!["a.comp".to_owned(), "b.glsl".to_owned()];
        let rows = vec![
            row(0, &[], Some(NoPlace::Setup)),
            row(16, &[(0, 2)], None),
            row(32, &[(0, 2), (0, 2)], None),
            row(48, &[(0, 1), (1, 7)], None),
        ];
        let text = "void main() {\n    data[0] = '\u{7}';\r\n}";
        let found = comments(&LineTable { files, rows }, Some(("a.comp", text)));
        let expected = [
            (0, "(thread set-up and end)"),
            (16, "a.comp:2: data[0] = '?';"),
            (48, "a.comp:1: void main() {"),
            (48, "b.glsl:7"),
        ];
        assert_eq!(found, expected.map(|(offset, text)| (offset, text.to_owned())));
    }
}
