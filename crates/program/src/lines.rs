//! The line table: which places of the source text the code comes from.

use crate::MetadataError;
use crate::json::{record, words};
use serde::{Deserialize, Serialize};

/// The most rows of a line table that a compiler should write. A document has at most 2^20 values, and a row with one
/// place has seven.
pub const MAX_LINE_ROWS: usize = 1 << 16;

/// For each instruction, the places of the source that it comes from, or the reason why it has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineTable {
    /// The names of the source files.
    pub files: Vec<String>,
    /// Rows in order of their offsets. A row is valid up to the offset of the next one, the last up to the end of
    /// the code. There is nothing known about code before the first row.
    pub rows: Vec<LineRow>,
}

/// Why some code exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineRow {
    /// The offset of the first instruction in the code, in bytes.
    pub offset: u32,
    /// The places of the source that the code implements, in order; none if there is a reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<SourcePlace>,
    /// Why the code has no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoPlace>,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SourcePlace {
    /// The file: an index into [`LineTable::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
}

/// Why code has no place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoPlace {
    /// It sets up the thread, or ends it.
    Setup,
    /// It loads constants that several instructions share.
    Constant,
    /// It stores or fills spilled registers.
    Spill,
    /// It makes the thread wait, because the hardware does not; or it fills a gap between code entries.
    Hazard,
    /// The compiler does not know the place.
    Unknown,
}

impl NoPlace {
    /// What the code does, in a few words.
    pub fn text(self) -> &'static str {
        match self {
            NoPlace::Setup => "thread set-up and end",
            NoPlace::Constant => "shared constants",
            NoPlace::Spill => "spilled registers",
            NoPlace::Hazard => "waits and padding",
            NoPlace::Unknown => "no known place",
        }
    }
}

impl LineTable {
    /// The row that is valid at a byte offset in the code.
    pub fn at(&self, offset: u32) -> Option<&LineRow> {
        let after = self.rows.partition_point(|row| row.offset <= offset);
        self.rows.get(after.checked_sub(1)?)
    }

    /// Appends the table of code that is appended at byte offset `offset`.
    pub fn append(&mut self, other: &LineTable, offset: u32) {
        let mut files = Vec::new();
        for name in &other.files {
            let known = self.files.iter().position(|file| file == name);
            files.push(known.unwrap_or_else(|| {
                self.files.push(name.clone());
                self.files.len() - 1
            }) as u32);
        }
        self.rows.extend(other.rows.iter().map(|row| {
            LineRow {
                offset: row.offset.saturating_add(offset),
                places: row
                    .places
                    .iter()
                    .map(|place| SourcePlace { file: files[place.file as usize], ..*place })
                    .collect(),
                reason: row.reason,
            }
        }));
    }

    /// Checks that rows are in order and that each has either places in listed files or a reason.
    pub(crate) fn check(&self) -> Result<(), MetadataError> {
        let mut least = 0;
        for (i, row) in self.rows.iter().enumerate() {
            let fail = |name: &str, reason: String| {
                Err(MetadataError::Field { field: format!("lines.rows[{i}].{name}"), reason })
            };
            if u64::from(row.offset) < least {
                let reason = format!("{}: expected at least {least}", row.offset);
                return fail("offset", reason);
            }
            least = u64::from(row.offset) + 1;
            if row.places.is_empty() == row.reason.is_none() {
                return fail("places", "expected either places or a reason".to_owned());
            }
            for (n, place) in row.places.iter().enumerate() {
                if place.file as usize >= self.files.len() {
                    let reason = format!(
                        "{}: expected less than {}, the number of files",
                        place.file,
                        self.files.len()
                    );
                    return fail(&format!("places[{n}].file"), reason);
                }
                if place.line == 0 {
                    return fail(&format!("places[{n}].line"), "0: lines start at 1".to_owned());
                }
            }
        }
        Ok(())
    }
}

record! {
    LineTable { files, rows }
    LineRow { offset, places: default, reason }
    SourcePlace { file, line, column: default }
}

words!(NoPlace);

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32) -> LineRow {
        let places = vec![SourcePlace { file: 0, line, column: 1 }];
        LineRow { offset: 16 * line, places, reason: None }
    }

    fn table() -> LineTable {
        LineTable { files: vec!["a.comp".to_owned()], rows: vec![place(1), place(3)] }
    }

    #[test]
    fn a_row_is_valid_up_to_the_next_one() {
        let table = table();
        let line = |offset| table.at(offset).map(|row| row.places[0].line);
        assert_eq!([0, 16, 40, 48, 4096].map(line), [None, Some(1), Some(1), Some(3), Some(3)]);
    }

    #[test]
    fn appended_rows_move_with_their_code() {
        let mut all = table();
        let mut other = table();
        other.files = vec!["b.comp".to_owned(), "a.comp".to_owned()];
        other.rows[1].places[0].file = 1;
        all.append(&other, 64);
        assert_eq!(all.files, ["a.comp", "b.comp"]);
        let rows: Vec<_> = all.rows.iter().map(|row| (row.offset, row.places[0].file)).collect();
        assert_eq!(rows, [(16, 0), (48, 0), (80, 1), (112, 0)]);
        all.check().unwrap();
    }

    #[test]
    fn wrong_tables_are_refused() {
        let fails = |change: fn(&mut LineTable), expected: &str| {
            let mut table = table();
            change(&mut table);
            let error = table.check().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        fails(|t| t.rows[1].offset = 16, "lines.rows[1].offset");
        fails(|t| t.rows[0].places.clear(), "either places or a reason");
        fails(|t| t.rows[0].reason = Some(NoPlace::Spill), "either places or a reason");
        fails(|t| t.rows[0].places[0].file = 1, "lines.rows[0].places[0].file");
        fails(|t| t.rows[0].places[0].line = 0, "lines start at 1");
    }
}
