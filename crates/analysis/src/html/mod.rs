//! The report as one HTML file, which loads nothing: source and code side by side, the pressure curve, the load of the
//! units, and the graph of blocks.
//!
//! All text comes from untrusted files, so [`escaped`] is applied to each text; numbers and names of units are our own.

mod drawings;

use std::fmt::Write;
use std::sync::Arc;

use crate::metrics::{number, title};
use crate::report::{Analysis, Document, InstructionReport, Place, SourceLine};
use crate::text::{
    divergence, names, obstacle, outcome, printable, relation, source_line, through,
};

/// The most instructions and source lines of a program that the page shows.
const MAX_ROWS: usize = 1 << 14;

/// A text with entities for the characters with a meaning in HTML, and question marks for control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The page for a document. `sources` has the names and texts of the sources, as far as they are known.
pub fn html(document: &Document, sources: &[(&str, &str)]) -> String {
    let mut out = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Crestline analysis</title>\n<style>\n",
    );
    out.push_str(include_str!("page.css"));
    out.push_str(
        "</style>\n</head>\n<body>\n<header><h1>Crestline analysis</h1>\
         <button id=\"theme\" type=\"button\">light / dark</button></header>\n",
    );
    for analysis in &document.programs {
        program(&mut out, analysis, sources);
    }
    out.push_str("<script>\n");
    out.push_str(include_str!("page.js"));
    out.push_str("</script>\n</body>\n</html>\n");
    out
}

/// Appends formatted text. Writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($arguments:tt)*) => { let _ = write!($out, $($arguments)*); };
}
use put;

fn card(out: &mut String, value: impl std::fmt::Display, name: &str) {
    put!(out, "<div class=\"card\"><b>{value}</b><span>{name}</span></div>\n");
}

fn program(out: &mut String, analysis: &Analysis, sources: &[(&str, &str)]) {
    put!(out, "<section>\n<h2>{}</h2>\n<div class=\"cards\">\n", escaped(&title(analysis)));
    let cycles = &analysis.cycles;
    card(out, cycles.eu, "cycles of a full EU");
    if let Some(each) = cycles.per_invocation {
        card(out, number(each), "cycles per invocation");
    }
    card(out, escaped(&analysis.bound), "bound by");
    let assumed =
        if cycles.is_assumed { "cycles of a thread, assumed trips" } else { "cycles of a thread" };
    card(out, cycles.thread, assumed);
    card(out, cycles.stalled, "of them waiting");
    card(
        out,
        format_args!("{} … {}", cycles.shortest_path, cycles.longest_path),
        "shortest, longest path",
    );
    let code = &analysis.code;
    card(out, code.instructions, "instructions");
    card(
        out,
        format_args!("{} ({} %)", code.bytes, number(code.compacted_percent)),
        "bytes (compacted)",
    );
    if let Some(peak) = &analysis.registers.peak {
        card(
            out,
            format_args!("{} / {}", peak.registers, analysis.registers.available),
            "registers at the peak",
        );
    }
    card(out, analysis.spills.stores + analysis.spills.loads, "spills");
    if let Some(occupancy) = &analysis.occupancy {
        card(out, format_args!("{} %", number(occupancy.percent)), "occupancy");
    }
    if let Some(measured) = &analysis.measured {
        card(out, measured.threads, "measured threads");
    }
    out.push_str("</div>\n");
    hints(out, analysis);
    let widths = analysis.widths.iter();
    let widths =
        widths.map(|each| vec![format!("SIMD{}", each.simd_width), escaped(&outcome(each))]);
    table(out, "Tried SIMD widths", &["width", "result"], widths);
    shader(out, analysis);
    out.push_str("<div class=\"columns\">\n<div>\n");
    drawings::units(out, analysis);
    messages(out, analysis);
    loops(out, analysis);
    values(out, analysis);
    out.push_str("</div>\n<div>\n");
    drawings::pressure(out, analysis);
    drawings::graph(out, analysis);
    out.push_str("</div>\n</div>\n");
    panes(out, analysis, sources);
    out.push_str("</section>\n");
}

/// The divergent branches, and the loads that were not merged.
fn shader(out: &mut String, analysis: &Analysis) {
    let Some(shader) = &analysis.shader else { return };
    let branches = shader.divergent_branches.iter().map(|branch| {
        vec![
            escaped(&source_line(branch.source.as_ref())),
            branch.kind.name().to_owned(),
            escaped(&divergence(branch)),
            escaped(&through(branch)),
        ]
    });
    table(out, "Divergent branches", &["at", "kind", "because of", "by way of"], branches);
    let loads = shader.unmerged_loads.iter().map(|load| {
        vec![
            escaped(&source_line(load.source.as_ref())),
            format!("{} {}", relation(load), escaped(&source_line(load.first.as_ref()))),
            escaped(&load.memory),
            escaped(&obstacle(load)),
        ]
    });
    let names = ["load", "first load", "memory", "between them"];
    table(out, "Loads that were not merged", &names, loads);
}

fn place(place: &Place) -> String {
    match &place.source {
        Some(source) => format!("{}:{}", escaped(&source.file), source.line),
        None => format!("byte {:#x}", place.offset),
    }
}

fn hints(out: &mut String, analysis: &Analysis) {
    if analysis.hints.is_empty() {
        return;
    }
    out.push_str("<h3>Hints</h3>\n<ul class=\"hints\">\n");
    for hint in &analysis.hints {
        let at = hint.at.as_ref().map_or(String::new(), place);
        let (id, message) = (escaped(&hint.id), escaped(&hint.message));
        put!(out, "<li><b>{id}</b> {message} <span class=\"where\">{at}</span></li>\n");
    }
    out.push_str("</ul>\n");
}

/// A table. Columns whose names start with `#` have numbers.
fn table(out: &mut String, heading: &str, names: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    put!(out, "<h3>{heading}</h3>\n<table>\n<tr>");
    let class = |name: &str| if name.starts_with('#') { " class=\"n\"" } else { "" };
    for name in names {
        put!(out, "<th{}>{}</th>", class(name), name.trim_start_matches('#'));
    }
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        for (cell, name) in row.iter().zip(names) {
            put!(out, "<td{}>{cell}</td>", class(name));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

fn messages(out: &mut String, analysis: &Analysis) {
    let names = ["message", "#in the code", "#executed", "#sent bytes", "#returned bytes"];
    let rows = analysis.messages.iter().map(|group| {
        let numbers =
            [group.instructions, group.executions, group.sent_bytes, group.returned_bytes];
        let name = [escaped(&group.message)];
        name.into_iter().chain(numbers.map(|number| number.to_string())).collect()
    });
    table(out, "Messages", &names, rows);
}

fn loops(out: &mut String, analysis: &Analysis) {
    let rows = analysis.loops.iter().take(64).map(|each| {
        let trips = format!("{} ({})", number(each.trips), each.source.name());
        vec![place(&each.at), trips, number(each.cycles)]
    });
    table(out, "Loops", &["at", "#trips", "#cycles of a trip"], rows);
}

fn values(out: &mut String, analysis: &Analysis) {
    let Some(peak) = &analysis.registers.peak else { return };
    let rows = peak.values.iter().take(16).map(|value| {
        vec![
            value.registers.to_string(),
            format!("g{}", value.first),
            value.written.as_ref().map_or("thread payload".to_owned(), place),
            value.read.as_ref().map_or(String::new(), place),
            names(&value.variables),
        ]
    });
    table(
        out,
        "Values at the peak",
        &["#registers", "first", "computed", "used next", "variables"],
        rows,
    );
    let rows = analysis.spills.slots.iter().take(16).map(|slot| {
        let places =
            |places: &[Place]| places.iter().take(4).map(place).collect::<Vec<_>>().join(", ");
        vec![
            slot.offset.to_string(),
            slot.bytes.to_string(),
            places(&slot.computed),
            places(&slot.used),
            names(&slot.variables),
        ]
    });
    let columns = ["#offset", "#bytes", "computed", "used after a load", "variables"];
    table(out, "Spilled values", &columns, rows);
}

/// The key that links rows of source and code: the numbers of the file and of the line.
fn key(files: &[&str], source: &SourceLine) -> String {
    let file = files.iter().position(|file| **file == *source.file).unwrap_or(files.len());
    format!("{file}:{}", source.line)
}

fn panes(out: &mut String, analysis: &Analysis, sources: &[(&str, &str)]) {
    if analysis.instructions.is_empty() {
        return;
    }
    let mut files: Vec<&str> = Vec::new();
    for source in analysis.lines.iter().filter_map(|line| line.source.as_ref()) {
        if !files.contains(&&*source.file) {
            files.push(&source.file);
        }
    }
    let shown: Vec<_> = sources.iter().filter(|(name, _)| files.contains(name)).collect();
    let single = if shown.is_empty() { " single" } else { "" };
    put!(out, "<h3>Source and code</h3>\n<div class=\"panes{single}\">\n");
    if !shown.is_empty() {
        source_pane(out, analysis, &files, &shown);
    }
    out.push_str(
        "<div class=\"pane code\">\n<div class=\"row head\"><span class=\"n\">issue</span>\
         <span class=\"n\">wait</span><span class=\"n\">runs</span><span class=\"n\">regs</span><span>code</span></div>\n",
    );
    let most =
        analysis.instructions.iter().map(|inst| inst.stall.map_or(0, |stall| stall.cycles)).max();
    let mut block = None;
    for inst in analysis.instructions.iter().take(MAX_ROWS) {
        let starts = block.replace(inst.block) != Some(inst.block);
        code_row(out, inst, &files, starts, most.unwrap_or(0));
    }
    out.push_str("</div>\n</div>\n");
}

/// The style of a cell whose background shows a part of a whole.
fn heat(part: u64, whole: u64) -> String {
    let strength = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    format!("class=\"n heat\" style=\"--h:{:.2}\"", strength * 0.75)
}

fn source_pane(out: &mut String, analysis: &Analysis, files: &[&str], sources: &[&(&str, &str)]) {
    out.push_str(
        "<div class=\"pane source\">\n<div class=\"row head\"><span class=\"n\">line</span>\
         <span class=\"n\">cycles</span><span>source</span></div>\n",
    );
    let cost = |file: &str, line: u32| {
        analysis.lines.iter().find(|report| {
            report.source.as_ref().is_some_and(|at| at.line == line && *at.file == *file)
        })
    };
    let most = analysis.lines.iter().map(|line| line.cost.cycles).max().unwrap_or(0);
    for (name, text) in sources {
        if sources.len() > 1 {
            put!(
                out,
                "<div class=\"row head\"><span></span><span></span><span>{}</span></div>\n",
                escaped(name)
            );
        }
        for (line, text) in (1..).zip(text.lines()).take(MAX_ROWS) {
            let (link, cycles, style) = match cost(name, line) {
                Some(report) => {
                    let source = SourceLine { file: Arc::from(*name), line };
                    let cycles = report.cost.cycles;
                    let link = format!(" data-k=\"{}\"", key(files, &source));
                    (link, cycles.to_string(), heat(cycles, most))
                }
                None => (String::new(), String::new(), "class=\"n\"".to_owned()),
            };
            let text = escaped(&text.replace('\t', "    "));
            put!(
                out,
                "<div class=\"row\"{link}><span class=\"n\">{line}</span><span {style}>{cycles}</span><span>{text}</span></div>\n"
            );
        }
    }
    out.push_str("</div>\n");
}

fn code_row(out: &mut String, inst: &InstructionReport, files: &[&str], starts: bool, most: u64) {
    let link = match &inst.source {
        Some(source) => format!(" data-k=\"{}\"", key(files, source)),
        None => String::new(),
    };
    let block = if starts { format!(" data-block=\"{}\"", inst.block) } else { String::new() };
    let class = if starts { "row block" } else { "row" };
    let wait = inst.stall.map_or(0, |stall| stall.cycles);
    let why = match inst.stall {
        Some(stall) => format!(" title=\"waits for {:#x}\"", stall.on),
        None => String::new(),
    };
    let shown = if wait == 0 { String::new() } else { wait.to_string() };
    put!(
        out,
        "<div class=\"{class}\"{link}{block} data-at=\"{:#x}\" data-n=\"{}\"><span class=\"n\">{}</span>\
         <span {}{why}>{shown}</span><span class=\"n\">{}</span><span class=\"n\">{}</span><span>{}</span></div>\n",
        inst.offset,
        inst.pressure,
        inst.issue,
        heat(wait, most),
        inst.executions,
        inst.pressure,
        escaped(&inst.text)
    );
}
