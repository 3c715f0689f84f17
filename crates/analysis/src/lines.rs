//! Source lines of instructions.

use std::sync::Arc;

use crestline_program::{LineTable, NoPlace};

use crate::analyze::LineVariable;
use crate::report::{Place, SourceLine};

/// What the line table contains about an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Line {
    /// The index of a file, and a line.
    At(u32, u32),
    /// The code has no place. The number is that of the reason in [`REASONS`].
    None(usize),
    /// There is no line table, or it has no row.
    Missing,
}

/// The most variables of one line that a report names.
const MAX_VARIABLES: usize = 4;

/// The reasons, in the order of reports.
const REASONS: [NoPlace; 5] =
    [NoPlace::Setup, NoPlace::Constant, NoPlace::Spill, NoPlace::Hazard, NoPlace::Unknown];

/// The lines of a program.
#[derive(Clone, Copy)]
pub(crate) struct Lines<'a> {
    pub(crate) table: Option<&'a LineTable>,
    /// The names of the table's files.
    pub(crate) files: &'a [Arc<str>],
    /// The name of the source, and its lines.
    pub(crate) source: Option<(&'a str, &'a [&'a str])>,
    /// The variables that lines assign, ordered by file and line.
    pub(crate) variables: &'a [LineVariable],
}

impl Lines<'_> {
    /// The line at a byte offset. Code of several lines counts for the last one: that of the instruction itself if
    /// others were merged into it.
    pub(crate) fn line(&self, offset: usize) -> Line {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let Some(row) = self.table.and_then(|table| table.at(offset)) else { return Line::Missing };
        match (row.places.last(), row.reason) {
            (Some(place), _) => Line::At(place.file, place.line),
            (None, Some(reason)) => {
                Line::None(REASONS.iter().position(|&known| known == reason).unwrap_or(4))
            }
            (None, None) => Line::Missing,
        }
    }

    /// The source line of a [`Line`].
    pub(crate) fn source_line(&self, line: Line) -> Option<SourceLine> {
        let Line::At(file, line) = line else { return None };
        let file = self.files.get(file as usize)?.clone();
        Some(SourceLine { file, line })
    }

    /// Why a line is missing, in words.
    pub(crate) fn reason(line: Line) -> Option<&'static str> {
        match line {
            Line::None(number) => REASONS.get(number).map(|reason| reason.text()),
            _ => None,
        }
    }

    /// The place at a byte offset.
    pub(crate) fn place(&self, offset: usize) -> Place {
        Place { offset: offset as u64, source: self.source_line(self.line(offset)) }
    }

    /// The names of the variables that the lines of some places assign. Lines of which each assigns many say nothing about a
    /// value.
    pub(crate) fn variables<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for line in places.into_iter().filter_map(|place| place.source.as_ref()) {
            let key = (&*line.file, line.line);
            let first = self.variables.partition_point(|found| (&*found.file, found.line) < key);
            let here = self.variables.get(first..).unwrap_or_default();
            let here = here.iter().take_while(|found| (&*found.file, found.line) == key);
            for variable in here.take(MAX_VARIABLES) {
                if !names.contains(&variable.name) {
                    names.push(variable.name.clone());
                }
            }
        }
        names
    }

    /// The text of a line, without blanks around it.
    pub(crate) fn text(&self, line: &SourceLine) -> Option<&str> {
        let (name, lines) = self.source?;
        let number = (line.line as usize).checked_sub(1)?;
        (name == &*line.file).then(|| lines.get(number)).flatten().map(|line| line.trim())
    }
}
