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
