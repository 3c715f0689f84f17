//! The report as text.

use std::fmt::Write;

use crate::metrics::{number, title};
use crate::report::{
    Analysis, DivergentBranch, LineReport, PartCost, Place, SourceLine, StallKind, TripSource,
    UnmergedLoad, Value, WidthAttempt, WidthOutcome,
};

/// What the text shows besides the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// The most source lines, blocks and values that are shown.
    pub rows: usize,
    /// Whether each instruction is shown.
    pub instructions: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions { rows: 10, instructions: false }
    }
}

/// The text with a question mark for each control character.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// A table: columns are as wide as their widest cells. Columns of numbers are aligned to the right.
struct Table {
    rows: Vec<Vec<String>>,
    right: &'static [bool],
}

impl Table {
    fn new(right: &'static [bool], head: &[&str]) -> Table {
        Table { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()], right }
    }

    /// Prints the table, but leaves out the last column if none of the rows below the head has text in it.
    fn print_without_empty_end(mut self, out: &mut String) {
        let is_empty = |row: &Vec<String>| row.last().is_none_or(String::is_empty);
        if self.rows.iter().skip(1).all(is_empty) {
            self.rows.iter_mut().for_each(|row| _ = row.pop());
        }
        self.print(out);
    }

    fn print(&self, out: &mut String) {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.right.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let blanks = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
                line.push_str("  ");
                let (before, after) =
                    if self.right[column] { (blanks.as_str(), "") } else { ("", blanks.as_str()) };
                line.push_str(before);
                line.push_str(cell);
                line.push_str(after);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}

/// A line with a name and a text.
fn row(out: &mut String, name: &str, text: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{name:<14}{text}");
}

fn place(place: &Place) -> String {
    match &place.source {
        Some(source) => format!("{}:{}", printable(&source.file), source.line),
        None => format!("byte {:#x}", place.offset),
    }
}

/// A number with a noun, in the plural if necessary.
fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The text of an analysis.
pub fn text(analysis: &Analysis, options: TextOptions) -> String {
    let mut out = format!("{}\n", title(analysis));
    let out = &mut out;
    if let Some(stage) = &analysis.stage {
        row(out, "stage", stage);
    }
    if let Some(measured) = analysis.measured {
        let threads = counted(measured.threads, "thread");
        row(out, "measured", format!("{threads}, {} executed instructions", measured.instructions));
    }
    summary(out, analysis);
    widths(out, analysis);
    units(out, analysis);
    kinds(out, analysis);
    messages(out, analysis);
    loops(out, analysis);
    peak(out, analysis, options.rows);
    spills(out, analysis, options.rows);
    divergent(out, analysis, options.rows);
    unmerged(out, analysis, options.rows);
    lines(out, analysis, options.rows);
    blocks(out, analysis, options.rows);
    if options.instructions {
        instructions(out, analysis);
    }
    if !analysis.hints.is_empty() {
        out.push_str("\nhints\n");
        for hint in &analysis.hints {
            let at = hint.at.as_ref().map_or(String::new(), |at| format!("{}: ", place(at)));
            let _ = writeln!(out, "  {:<4}{at}{}", hint.id, hint.message);
        }
    }
    std::mem::take(out)
}

fn summary(out: &mut String, analysis: &Analysis) {
    let (code, cycles) = (&analysis.code, &analysis.cycles);
    let mut text = format!(
        "{} in {}, {} compacted ({} %)",
        counted(code.instructions, "instruction"),
        counted(code.bytes, "byte"),
        code.compacted,
        number(code.compacted_percent)
    );
    if code.undecoded > 0 {
        let _ = write!(text, ", {} undecoded", code.undecoded);
    }
    row(out, "code", text);
    let registers = &analysis.registers;
    let mut text = format!("{} of {} used", registers.used, registers.available);
    if let Some(peak) = &registers.peak {
        let _ = write!(text, ", at most {} at the same time ({})", peak.registers, place(&peak.at));
    }
    row(out, "registers", text);
    let spills = &analysis.spills;
    row(
        out,
        "spills",
        format!("{} stores, {} loads, {} bytes", spills.stores, spills.loads, spills.bytes),
    );
    let assumed = if cycles.is_assumed { " (with assumed trips of loops)" } else { "" };
    let each = cycles
        .per_invocation
        .map_or(String::new(), |each| format!(", {} for each invocation", number(each)));
    row(
        out,
        "cycles",
        format!(
            "{} of one thread, {} of them waiting; {} of an EU with {} threads{each}{assumed}",
            cycles.thread, cycles.stalled, cycles.eu, cycles.threads_per_eu
        ),
    );
    row(
        out,
        "paths",
        format!(
            "shortest {}, longest {}, chains {}",
            cycles.shortest_path, cycles.longest_path, cycles.chain
        ),
    );
    row(out, "bound by", &analysis.bound);
    if let Some(occupancy) = &analysis.occupancy {
        let groups = occupancy
            .workgroups
            .map_or(String::new(), |groups| format!(", {}", counted(groups.into(), "workgroup")));
        row(
            out,
            "occupancy",
            format!(
                "{} of {} threads of a subslice ({} %){groups}, limited by {}",
                occupancy.threads,
                occupancy.available,
                number(occupancy.percent),
                occupancy.limit
            ),
        );
    }
}

/// What came of an attempt at a SIMD width, in words.
pub(crate) fn outcome(attempt: &WidthAttempt) -> String {
    let registers = attempt.registers.unwrap_or(0);
    let compiled = || {
        let each = attempt.cycles_per_invocation.map_or(String::new(), number);
        let spills = attempt.spills.unwrap_or(0);
        format!("{each} cycles for each invocation, {registers} registers, {spills} spills")
    };
    match attempt.outcome {
        WidthOutcome::Used => compiled(),
        WidthOutcome::NotFaster => format!("{}: not enough faster", compiled()),
        WidthOutcome::Registers => {
            format!("needs {registers} registers at the same time, more than there are")
        }
        WidthOutcome::Refused => printable(attempt.reason.as_deref().unwrap_or_default()),
    }
}

fn widths(out: &mut String, analysis: &Analysis) {
    let mut name = "widths";
    for attempt in &analysis.widths {
        let width = format!("SIMD{}", attempt.simd_width);
        row(out, std::mem::take(&mut name), format!("{width:<7}{}", outcome(attempt)));
    }
}

fn units(out: &mut String, analysis: &Analysis) {
    out.push_str("\nunits\n");
    let mut table =
        Table::new(&[false, true, true, true], &["unit", "executions", "busy", "% of a full EU"]);
    for unit in &analysis.units {
        table.rows.push(vec![
            unit.unit.clone(),
            unit.executions.to_string(),
            unit.busy.to_string(),
            number(unit.percent),
        ]);
    }
    table.print(out);
}

fn kinds(out: &mut String, analysis: &Analysis) {
    out.push_str("\ninstructions\n");
    let mut table = Table::new(&[false, true, true], &["kind", "in the code", "executed"]);
    for kind in &analysis.kinds {
        table.rows.push(vec![
            kind.kind.name().to_owned(),
            kind.instructions.to_string(),
            kind.executions.to_string(),
        ]);
    }
    table.print(out);
}

fn messages(out: &mut String, analysis: &Analysis) {
    if analysis.messages.is_empty() {
        return;
    }
    out.push_str("\nmessages\n");
    let mut table = Table::new(
        &[false, false, true, true, true, true, true],
        &[
            "message",
            "function",
            "in the code",
            "executed",
            "sent bytes",
            "returned bytes",
            "memory bytes",
        ],
    );
    for group in &analysis.messages {
        table.rows.push(vec![
            group.message.clone(),
            group.function.clone(),
            group.instructions.to_string(),
            group.executions.to_string(),
            group.sent_bytes.to_string(),
            group.returned_bytes.to_string(),
            group.accessed_bytes.map_or("-".to_owned(), |bytes| bytes.to_string()),
        ]);
    }
    table.print(out);
}

fn loops(out: &mut String, analysis: &Analysis) {
    if analysis.loops.is_empty() {
        return;
    }
    out.push_str("\nloops\n");
    let mut table = Table::new(
        &[false, true, true, false, true],
        &["at", "bytes", "trips", "", "cycles of a trip"],
    );
    for each in &analysis.loops {
        let mut at = "  ".repeat(each.depth as usize);
        at.push_str(&place(&each.at));
        table.rows.push(vec![
            at,
            format!("{:#x}-{:#x}", each.at.offset, each.end),
            number(each.trips),
            match each.source {
                TripSource::Known => "known",
                TripSource::Assumed => "assumed",
                TripSource::Measured => "measured",
            }
            .to_owned(),
            number(each.cycles),
        ]);
    }
    table.print(out);
}

/// The names of variables as a cell of a table.
pub(crate) fn names(variables: &[String]) -> String {
    let names: Vec<String> = variables.iter().map(|name| printable(name).to_string()).collect();
    names.join(", ")
}

fn peak(out: &mut String, analysis: &Analysis, rows: usize) {
    let Some(peak) = &analysis.registers.peak else { return };
    let _ = writeln!(out, "\nvalues at the peak of {} registers", peak.registers);
    let mut table = Table::new(
        &[true, false, false, false, false],
        &["registers", "first", "computed", "used next", "variables"],
    );
    for Value { registers, first, written, read, variables } in peak.values.iter().take(rows) {
        table.rows.push(vec![
            registers.to_string(),
            format!("g{first}"),
            written.as_ref().map_or("thread payload".to_owned(), place),
            read.as_ref().map_or("-".to_owned(), place),
            names(variables),
        ]);
    }
    table.print_without_empty_end(out);
    rest(out, peak.values.len(), rows);
}

/// A line for the rows that are not shown.
fn rest(out: &mut String, all: usize, shown: usize) {
    if all > shown {
        let _ = writeln!(out, "  and {} more", all - shown);
    }
}

/// A line of the source as `file:line`, or a dash.
pub(crate) fn source_line(source: Option<&SourceLine>) -> String {
    source.map_or("-".to_owned(), |source| format!("{}:{}", printable(&source.file), source.line))
}

/// A line of the source in a sentence about another line: without the name of the file, if that is the same.
fn line_near(line: &SourceLine, other: Option<&SourceLine>) -> String {
    match other {
        Some(other) if other.file == line.file => format!("line {}", line.line),
        _ => source_line(Some(line)),
    }
}

/// Why a branch is divergent, in words.
pub(crate) fn divergence(branch: &DivergentBranch) -> String {
    let near = branch.source.as_ref();
    let mut text = printable(&branch.origin);
    if let Some(source) = &branch.origin_source {
        let _ = write!(text, " ({})", line_near(source, near));
    }
    if let Some(exit) = &branch.exit {
        let _ = write!(text, ", left at {}", line_near(exit, near));
    }
    text
}

/// The lines between the origin of a difference and the branch, in words: each once.
pub(crate) fn through(branch: &DivergentBranch) -> String {
    let near = branch.source.as_ref();
    let mut shown: Vec<&SourceLine> = Vec::new();
    for line in &branch.through {
        let is_end =
            [&branch.origin_source, &branch.source].iter().any(|end| end.as_ref() == Some(line));
        if !is_end && !shown.contains(&line) {
            shown.push(line);
        }
    }
    shown.into_iter().map(|line| line_near(line, near)).collect::<Vec<_>>().join(", ")
}

fn divergent(out: &mut String, analysis: &Analysis, rows: usize) {
    let Some(shader) = &analysis.shader else { return };
    let branches = &shader.divergent_branches;
    if branches.is_empty() {
        return;
    }
    out.push_str("\ndivergent branches\n");
    let mut table =
        Table::new(&[false, false, false, false], &["at", "", "because of", "by way of"]);
    for branch in branches.iter().take(rows) {
        table.rows.push(vec![
            source_line(branch.source.as_ref()),
            branch.kind.name().to_owned(),
            divergence(branch),
            through(branch),
        ]);
    }
    table.print(out);
    rest(out, branches.len(), rows);
}

/// What keeps two loads apart, in words.
pub(crate) fn obstacle(load: &UnmergedLoad) -> String {
    let mut text = load.obstacle.text().to_owned();
    if let Some(written) = &load.written {
        let _ = write!(text, ": {}", printable(written));
    }
    if let Some(between) = &load.between {
        let _ = write!(text, " ({})", line_near(between, load.source.as_ref()));
    }
    text
}

/// What two loads have to do with each other, in words.
pub(crate) fn relation(load: &UnmergedLoad) -> &'static str {
    if load.again { "same bytes" } else { "next to" }
}

fn unmerged(out: &mut String, analysis: &Analysis, rows: usize) {
    let Some(shader) = &analysis.shader else { return };
    let loads = &shader.unmerged_loads;
    if loads.is_empty() {
        return;
    }
    out.push_str("\nloads that were not merged\n");
    let mut table = Table::new(
        &[false, false, false, false, false],
        &["load", "", "first load", "memory", "between them"],
    );
    for load in loads.iter().take(rows) {
        table.rows.push(vec![
            source_line(load.source.as_ref()),
            relation(load).to_owned(),
            source_line(load.first.as_ref()),
            printable(&load.memory),
            obstacle(load),
        ]);
    }
    table.print(out);
    rest(out, loads.len(), rows);
}

fn spills(out: &mut String, analysis: &Analysis, rows: usize) {
    let slots = &analysis.spills.slots;
    if slots.is_empty() {
        return;
    }
    out.push_str("\nspilled values\n");
    let mut table = Table::new(
        &[true, true, false, false, false],
        &["offset", "bytes", "computed", "used after a load", "variables"],
    );
    let places = |places: &[Place]| {
        let mut shown: Vec<String> = places.iter().map(place).collect();
        shown.dedup();
        let more = shown.len().saturating_sub(4);
        shown.truncate(4);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if shown.is_empty() { "-".to_owned() } else { shown.join(", ") + &more }
    };
    for slot in slots.iter().take(rows) {
        table.rows.push(vec![
            slot.offset.to_string(),
            slot.bytes.to_string(),
            places(&slot.computed),
            places(&slot.used),
            names(&slot.variables),
        ]);
    }
    table.print_without_empty_end(out);
    rest(out, slots.len(), rows);
}

/// The cells of a cost.
fn cost(cost: &PartCost) -> [String; 6] {
    [
        cost.cycles.to_string(),
        number(cost.percent),
        cost.stalled.to_string(),
        cost.executions.to_string(),
        cost.message_bytes.to_string(),
        cost.pressure.to_string(),
    ]
}

fn lines(out: &mut String, analysis: &Analysis, rows: usize) {
    if analysis.lines.is_empty() {
        return;
    }
    out.push_str("\nsource lines\n");
    let mut table = Table::new(
        &[true, true, true, true, true, true, false, false],
        &["cycles", "%", "waiting", "executed", "bytes", "registers", "line", ""],
    );
    // Code without a line is always shown.
    let with_place = analysis.lines.iter().filter(|line| line.source.is_some());
    let all = with_place.clone().count();
    let without = analysis.lines.iter().filter(|line| line.source.is_none());
    for line in with_place.take(rows).chain(without) {
        let LineReport { source, reason, text, cost: of } = line;
        let mut cells: Vec<String> = cost(of).into();
        cells.push(match (source, reason) {
            (Some(source), _) => format!("{}:{}", printable(&source.file), source.line),
            (None, reason) => format!("({})", reason.as_deref().unwrap_or_default()),
        });
        let text: String = text.as_deref().unwrap_or_default().chars().take(80).collect();
        cells.push(printable(&text));
        table.rows.push(cells);
    }
    table.print(out);
    rest(out, all, rows);
}

fn blocks(out: &mut String, analysis: &Analysis, rows: usize) {
    out.push_str("\nblocks\n");
    let mut table = Table::new(
        &[true, true, true, true, true, true, true, false, false],
        &["block", "cycles", "%", "waiting", "executed", "bytes", "registers", "offsets", "next"],
    );
    let mut blocks: Vec<_> = analysis.blocks.iter().collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.cost.cycles));
    for block in blocks.iter().take(rows) {
        let mut cells = vec![block.block.to_string()];
        cells.extend(cost(&block.cost));
        cells.push(format!("{:#x}-{:#x}", block.offset, block.end));
        let next: Vec<String> = block.successors.iter().map(u32::to_string).collect();
        cells.push(next.join(" "));
        table.rows.push(cells);
    }
    table.print(out);
    rest(out, blocks.len(), rows);
}

fn instructions(out: &mut String, analysis: &Analysis) {
    out.push_str("\ncode\n");
    let mut table = Table::new(
        &[true, true, true, true, true, false, false],
        &["offset", "issue", "waits", "executed", "registers", "", "on"],
    );
    for inst in &analysis.instructions {
        let (waits, on) = match inst.stall {
            None => (String::new(), String::new()),
            Some(stall) => {
                let kind = match stall.kind {
                    StallKind::Register => "",
                    StallKind::Unit => "unit of ",
                };
                (stall.cycles.to_string(), format!("{kind}{:#x}", stall.on))
            }
        };
        table.rows.push(vec![
            format!("{:#x}", inst.offset),
            inst.issue.to_string(),
            waits,
            inst.executions.to_string(),
            inst.pressure.to_string(),
            printable(&inst.text),
            on,
        ]);
    }
    table.print(out);
}
