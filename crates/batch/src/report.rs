//! Differences between two result files.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::row::{Outcome, Row};
use crate::{Results, SCHEMA, VERSION};

/// A statistic: its name, its value, and whether it is divided by the number of channels.
type Statistic = (&'static str, fn(&Row) -> u64, bool);

/// What is compared. Code of another width does more or less work per instruction, so that most statistics count per channel.
const STATISTICS: [Statistic; 8] = [
    ("instructions", |row| row.instructions.into(), true),
    ("bytes", |row| row.bytes, true),
    ("sends", |row| row.sends.into(), true),
    ("loops", |row| row.loops.into(), false),
    ("spills", |row| row.spills.into(), false),
    ("fills", |row| row.fills.into(), false),
    ("registers", |row| row.registers.into(), false),
    ("cycles", |row| row.cycles, true),
];

/// The most rows of the lists of the worst and the best.
const LISTED: usize = 20;

/// What changed between two result files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The name of the schema: `crestline-batch-report`.
    pub schema: String,
    /// The version of the schema.
    pub version: u32,
    /// Number of pairs of rows that were compared.
    pub compared: usize,
    /// Each statistic over all pairs.
    pub statistics: Vec<Compared>,
    /// Entry points that had code and have none any more.
    pub lost: Vec<Place>,
    /// Entry points that had no code and have some.
    pub won: Vec<Place>,
    /// Number of entry points of one file only: old and new.
    pub unmatched: [usize; 2],
}

/// A statistic over all pairs of rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The statistic.
    pub name: &'static str,
    /// Whether values are divided by the number of channels in ratios.
    pub per_channel: bool,
    /// Geometric mean of new divided by old, over the pairs in which neither is 0; `None` if there are none.
    pub mean_ratio: Option<f64>,
    /// The sum over the old rows.
    pub old_sum: u64,
    /// The sum over the new rows.
    pub new_sum: u64,
    /// Number of pairs with a lower value.
    pub improved: usize,
    /// Number of pairs with a higher value.
    pub worse: usize,
    /// The pairs that changed most for the worse, the worst first, at most 20.
    pub worst: Vec<Change>,
}

/// An entry point's code for a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The module.
    pub module: String,
    /// The entry point.
    pub entry: String,
    /// The target.
    pub target: String,
    /// The width that was asked for.
    pub asked: String,
}

/// A statistic of an entry point before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Which code.
    pub place: Place,
    /// The old number of channels per thread.
    pub old_width: u32,
    /// The new number of channels per thread.
    pub new_width: u32,
    /// The old value.
    pub old: u64,
    /// The new value.
    pub new: u64,
    /// New divided by old, per channel where the statistic is; `None` if the old value is 0.
    pub ratio: Option<f64>,
}

impl Report {
    /// Compares two result files. Rows belong together if module, entry point, stage, target and asked width are the same; of code
    /// with several widths those of the same width. Code of one width each is compared per channel.
    pub fn new(old: &Results, new: &Results) -> Report {
        let (old, new) = (groups(old), groups(new));
        let mut pairs = Vec::new();
        let (mut lost, mut won) = (Vec::new(), Vec::new());
        for (key, before) in &old {
            let Some(after) = new.get(key) else { continue };
            let has_code = |rows: &[&Row]| rows.iter().any(|row| row.outcome == Outcome::Compiled);
            match (has_code(before), has_code(after)) {
                (true, true) => match (&before[..], &after[..]) {
                    ([before], [after]) => pairs.push((*before, *after)),
                    _ => pairs.extend(before.iter().filter_map(|before| {
                        let width = before.simd_width;
                        let after = after.iter().find(|after| after.simd_width == width)?;
                        Some((*before, *after))
                    })),
                },
                (true, false) => lost.push(place(after[0])),
                (false, true) => won.push(place(after[0])),
                (false, false) => {}
            }
        }
        let alone = |from: &Groups<'_>, other: &Groups<'_>| {
            from.keys().filter(|key| !other.contains_key(*key)).count()
        };
        Report {
            schema: format!("{SCHEMA}-report"),
            version: VERSION,
            compared: pairs.len(),
            statistics: STATISTICS.iter().map(|statistic| compare(statistic, &pairs)).collect(),
            lost,
            won,
            unmatched: [alone(&old, &new), alone(&new, &old)],
        }
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        // Structures of texts and finite numbers have a JSON form.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The report in lines of aligned columns.
    pub fn to_text(&self) -> String {
        let table = self.table();
        let mut widths = [0; COLUMNS];
        for row in &table {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let mut text = format!("{} pairs of programs\n\n", self.compared);
        for row in &table {
            let mut line = format!("{:<1$}", row[0], widths[0]);
            for (cell, width) in row.iter().zip(widths).skip(1) {
                _ = write!(line, "  {cell:>width$}");
            }
            text += line.trim_end();
            text.push('\n');
        }
        text += &self.lists("", "  ");
        text
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("{} pairs of programs\n\n", self.compared);
        for (number, row) in self.table().iter().enumerate() {
            _ = writeln!(text, "| {} |", row.join(" | "));
            if number == 0 {
                _ = writeln!(text, "| --- |{}", " ---: |".repeat(COLUMNS - 1));
            }
        }
        text += &self.lists("### ", "- ");
        text
    }

    /// The table of statistics with its head.
    fn table(&self) -> Vec<[String; COLUMNS]> {
        let head = ["", "mean ratio", "old sum", "new sum", "sum ratio", "improved", "worse"];
        let mut rows = vec![head.map(str::to_owned)];
        for statistic in &self.statistics {
            let ratio = |ratio: Option<f64>| ratio.map_or("-".into(), |r| format!("{r:.3}"));
            let sums = (statistic.old_sum > 0)
                .then(|| statistic.new_sum as f64 / statistic.old_sum as f64);
            let unit = if statistic.per_channel { " per channel" } else { "" };
            rows.push([
                format!("{}{unit}", statistic.name),
                ratio(statistic.mean_ratio),
                statistic.old_sum.to_string(),
                statistic.new_sum.to_string(),
                ratio(sums),
                statistic.improved.to_string(),
                statistic.worse.to_string(),
            ]);
        }
        rows
    }

    /// The lists below the table. `title` and `item` start titles and lines.
    fn lists(&self, title: &str, item: &str) -> String {
        let mut text = String::new();
        for statistic in self.statistics.iter().filter(|statistic| !statistic.worst.is_empty()) {
            _ = writeln!(text, "\n{title}Worst by {}\n", statistic.name);
            for change in &statistic.worst {
                let Change { place, old_width, new_width, old, new, ratio } = change;
                let ratio = ratio.map_or("new".into(), |ratio| format!("{ratio:.3}"));
                let widths = if old_width == new_width {
                    format!("SIMD{old_width}")
                } else {
                    format!("SIMD{old_width} to SIMD{new_width}")
                };
                _ = writeln!(text, "{item}{ratio}  {old} to {new}  {widths}  {}", place.text());
            }
        }
        for (what, places) in [("No code any more", &self.lost), ("Code now", &self.won)] {
            if places.is_empty() {
                continue;
            }
            _ = writeln!(text, "\n{title}{what}: {}\n", places.len());
            for place in places.iter().take(LISTED) {
                _ = writeln!(text, "{item}{}", place.text());
            }
        }
        let [old, new] = self.unmatched;
        if old + new > 0 {
            _ = writeln!(text, "\n{old} programs only in the old file, {new} only in the new one");
        }
        text
    }
}

/// The columns of the table.
const COLUMNS: usize = 7;

impl Place {
    fn text(&self) -> String {
        let Place { module, entry, target, asked } = self;
        let asked = if asked == "auto" { String::new() } else { format!(" SIMD{asked}") };
        format!("{module} {entry} {target}{asked}")
    }
}

type Groups<'a> = BTreeMap<[&'a str; 5], Vec<&'a Row>>;

fn groups(results: &Results) -> Groups<'_> {
    let mut groups = Groups::new();
    for row in results.rows() {
        groups.entry(row.key()).or_default().push(row);
    }
    groups
}

fn place(row: &Row) -> Place {
    Place {
        module: row.module.clone(),
        entry: row.entry.clone(),
        target: row.target.clone(),
        asked: row.asked.clone(),
    }
}

/// Compares a statistic of all pairs.
fn compare((name, value, per_channel): &Statistic, pairs: &[(&Row, &Row)]) -> Compared {
    let (mut logarithms, mut count) = (0.0, 0);
    let (mut old_sum, mut new_sum, mut improved) = (0u64, 0u64, 0);
    let mut worst = Vec::new();
    for (before, after) in pairs {
        let (old, new) = (value(before), value(after));
        old_sum = old_sum.saturating_add(old);
        new_sum = new_sum.saturating_add(new);
        let widths = [before, after].map(|row| f64::from(row.simd_width.max(1)));
        let scale = if *per_channel { widths[0] / widths[1] } else { 1.0 };
        let ratio = (old > 0).then(|| new as f64 * scale / old as f64);
        if let Some(ratio) = ratio.filter(|ratio| *ratio > 0.0) {
            logarithms += ratio.ln();
            count += 1;
        }
        let is_worse = ratio.map_or(new > 0, |ratio| ratio > 1.0);
        improved += usize::from(ratio.is_some_and(|ratio| ratio < 1.0));
        if is_worse {
            let (old_width, new_width) = (before.simd_width, after.simd_width);
            worst.push(Change { place: place(after), old_width, new_width, old, new, ratio });
        }
    }
    let worse = worst.len();
    // What was 0 before comes first, then by ratio.
    worst.sort_by(|a, b| {
        let of = |change: &Change| change.ratio.unwrap_or(f64::INFINITY);
        let by_value = || b.new.cmp(&a.new).then_with(|| a.place.cmp(&b.place));
        of(b).total_cmp(&of(a)).then_with(by_value)
    });
    worst.truncate(LISTED);
    let mean_ratio = (count > 0).then(|| (logarithms / f64::from(count)).exp());
    let (name, per_channel) = (*name, *per_channel);
    Compared { name, per_channel, mean_ratio, old_sum, new_sum, improved, worse, worst }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(module: &str, simd_width: u32, instructions: u32, spills: u32) -> Row {
        Row {
            module: module.to_owned(),
            entry: "main".to_owned(),
            target: "skl".to_owned(),
            asked: "auto".to_owned(),
            simd_width,
            instructions,
            spills,
            ..Row::default()
        }
    }

    fn of(report: &Report, name: &str) -> Compared {
        report.statistics.iter().find(|statistic| statistic.name == name).unwrap().clone()
    }

    #[test]
    fn code_of_different_widths_is_compared_per_channel() {
        let old = Results::of(vec![row("a", 16, 100, 0), row("b", 16, 100, 4)]);
        let new = Results::of(vec![row("a", 8, 100, 2), row("b", 32, 100, 4)]);
        let report = Report::new(&old, &new);
        let instructions = of(&report, "instructions");
        // Ratios of 2 and 1/2.
        assert!((instructions.mean_ratio.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!((instructions.improved, instructions.worse), (1, 1));
        assert_eq!(instructions.worst[0].place.module, "a");
        assert_eq!(instructions.worst[0].ratio, Some(2.0));
        let spills = of(&report, "spills");
        assert_eq!((spills.mean_ratio, spills.old_sum, spills.new_sum), (Some(1.0), 4, 6));
        assert_eq!((spills.worse, spills.worst[0].ratio), (1, None));
        assert_eq!(of(&report, "sends").mean_ratio, None);
    }

    #[test]
    fn programs_of_several_widths_are_compared_width_by_width() {
        let old = Results::of(vec![row("a", 8, 10, 0), row("a", 16, 12, 0)]);
        let new = Results::of(vec![row("a", 16, 6, 0), row("a", 32, 40, 0)]);
        let report = Report::new(&old, &new);
        assert_eq!((report.compared, of(&report, "instructions").mean_ratio), (1, Some(0.5)));
    }

    #[test]
    fn lost_and_won_programs_are_named() {
        let refused = |module| row(module, 0, 0, 0).without(Outcome::Refused, None, "no");
        let old = Results::of(vec![row("a", 8, 10, 0), refused("b"), row("c", 8, 1, 0)]);
        let new = Results::of(vec![refused("a"), row("b", 8, 10, 0), row("d", 8, 1, 0)]);
        let report = Report::new(&old, &new);
        let names = |places: &[Place]| places.iter().map(|p| p.module.clone()).collect::<Vec<_>>();
        assert_eq!((names(&report.lost), names(&report.won)), (vec!["a".into()], vec!["b".into()]));
        assert_eq!((report.compared, report.unmatched), (0, [1, 1]));
        let text = report.to_text();
        assert!(text.contains("\nNo code any more: 1\n\n  a main skl\n"), "{text}");
        assert!(text.ends_with("\n1 programs only in the old file, 1 only in the new one\n"));
        let parsed: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(parsed["schema"], "crestline-batch-report");
    }

    #[test]
    fn lists_have_the_worst_first_and_an_end() {
        let rows =
            |factor: u32| (0..40).map(move |i| row(&format!("m{i:02}"), 8, 10 + i * factor, 0));
        let old = Results::of(rows(0).collect());
        let report = Report::new(&old, &Results::of(rows(1).collect()));
        let worst = of(&report, "instructions").worst;
        assert_eq!((worst.len(), &worst[0].place.module[..]), (20, "m39"));
        let lines = report.to_markdown();
        assert!(lines.contains("| instructions per channel | "), "{lines}");
        assert!(
            lines.contains("### Worst by instructions\n\n- 4.900  10 to 49  SIMD8  m39 main skl\n")
        );
    }
}
