//! Makes an analysis.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crestline_device::Device;
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::{Inst, Opcode, decode_each};
use crestline_program::{Metadata, Program, StageMetadata};
use crestline_timing::{
    Cause, GraphBlock, MessageSize, Options, PerUnit, Report, Trips, Unit, graph, known_trips,
    messages, walk,
};

use crate::access::Accesses;
use crate::kind::kind;
use crate::lines::{Line, Lines};
use crate::liveness::{self, Liveness};
use crate::report::{
    Analysis, BlockReport, CodeSize, Cycles, InstructionReport, Kind, KindCount, LineReport,
    LoopReport, Measured, Occupancy, PartCost, ShaderReport, SourceLine, Stall, StallKind,
    TripSource, UnitCycles, UnitLoad, WidthAttempt,
};
use crate::{hints, paths, registers};

/// The most instructions that are analysed.
pub const MAX_INSTRUCTIONS: usize = 1 << 18;

/// Why code cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// The code is too long.
    #[error("the code has {found} instructions: expected at most {MAX_INSTRUCTIONS}")]
    TooLong {
        /// Number of instructions.
        found: usize,
    },
    /// The entry is not in the code.
    #[error("the entry at byte {entry:#x} is beyond the end of the code, which has {length} bytes")]
    NoEntry {
        /// Offset of the entry, in bytes.
        entry: usize,
        /// Bytes of the code.
        length: usize,
    },
    /// None of the instructions decodes.
    #[error("none of the {found} instructions decodes: {first}")]
    Undecodable {
        /// Number of instructions.
        found: usize,
        /// The error of the first one.
        first: String,
    },
}

/// The counts of a run.
#[derive(Clone, Copy, Debug)]
pub struct Measurement<'a> {
    /// Number of threads.
    pub threads: u64,
    /// Executions of each instruction of the code from its first byte on, in order. Instructions beyond the end of the slice
    /// were not executed.
    pub executions: &'a [u64],
    /// Bytes and cache lines that each instruction accessed, likewise.
    pub accessed: &'a [(u64, u64)],
}

/// A variable, and a line of the source that assigns it a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineVariable {
    /// The name of the file, as in the line table.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The name of the variable.
    pub name: String,
}

/// What is analysed.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The name of the kernel or entry point.
    pub name: &'a str,
    /// The code.
    pub code: &'a [u8],
    /// The part of the code to analyse, in bytes.
    pub part: Range<usize>,
    /// The device that the code is for.
    pub device: &'a Device,
    /// Channels of a thread, if known.
    pub simd_width: Option<u32>,
    /// The program's metadata, if there are any.
    pub metadata: Option<&'a Metadata>,
    /// The name and text of the source.
    pub source: Option<(&'a str, &'a str)>,
    /// The variables that lines of the source assign, ordered by file and line.
    pub variables: &'a [LineVariable],
    /// A run of the part.
    pub measured: Option<Measurement<'a>>,
    /// Whether the analysis has a report on each instruction.
    pub instructions: bool,
    /// The SIMD widths that the compiler tried.
    pub widths: &'a [WidthAttempt],
    /// What the compiler knows about the shader.
    pub shader: Option<&'a ShaderReport>,
    /// Ids of the rules for hints that are switched off.
    pub without_hints: &'a [String],
}

impl<'a> Input<'a> {
    /// All code of a file, about which nothing else is known.
    pub fn new(file: &'a str, code: &'a [u8], device: &'a Device) -> Input<'a> {
        Input {
            file,
            name: "",
            code,
            part: 0..code.len(),
            device,
            simd_width: None,
            metadata: None,
            source: None,
            variables: &[],
            measured: None,
            instructions: true,
            widths: &[],
            shader: None,
            without_hints: &[],
        }
    }
}

/// A decoded program with what the parts of a report need.
pub(crate) struct Context<'a> {
    pub(crate) input: &'a Input<'a>,
    pub(crate) insts: Vec<Inst>,
    /// Byte offsets in the code.
    pub(crate) offsets: Vec<usize>,
    pub(crate) messages: Vec<Option<MessageSize>>,
    pub(crate) times: Report,
    pub(crate) graph: Vec<GraphBlock>,
    pub(crate) liveness: Option<Liveness>,
    pub(crate) lines: Lines<'a>,
    /// The line of each instruction.
    pub(crate) line: Vec<Line>,
    /// All cycles of the walk: of one thread, or of all threads if the executions were measured.
    pub(crate) total: u64,
}

/// Analyses each code entry of a program. `source` is the name and text of the shader; `configure` may change the input of
/// the entry with that number, for example add a measurement.
///
/// # Errors
/// See [`AnalysisError`].
pub fn analyze_program<'a>(
    file: &'a str,
    program: &'a Program,
    device: &'a Device,
    source: Option<(&'a str, &'a str)>,
    mut configure: impl FnMut(usize, &mut Input<'a>),
) -> Result<Vec<Analysis>, AnalysisError> {
    let metadata = &program.metadata;
    let starts: Vec<usize> =
        metadata.dispatches.iter().map(|dispatch| dispatch.offset as usize).collect();
    let entries = metadata.dispatches.iter().enumerate().map(|(number, dispatch)| {
        let start = dispatch.offset as usize;
        let end = starts.iter().copied().filter(|other| *other > start).min();
        let mut input = Input::new(file, &program.code, device);
        input.name = &metadata.entry_point;
        input.part = start..end.unwrap_or(program.code.len());
        input.simd_width = Some(dispatch.simd_width);
        input.metadata = Some(metadata);
        input.source = source;
        configure(number, &mut input);
        analyze(&input)
    });
    entries.collect()
}

/// Analyses code.
///
/// # Errors
/// See [`AnalysisError`].
pub fn analyze(input: &Input<'_>) -> Result<Analysis, AnalysisError> {
    let (device, length) = (input.device, input.code.len());
    let Range { start: entry, end } = input.part.clone();
    let Some(code) = input.code.get(..end.min(length)).filter(|code| entry <= code.len()) else {
        return Err(AnalysisError::NoEntry { entry, length });
    };
    let (mut insts, mut offsets) = (Vec::new(), Vec::new());
    let (mut undecoded, mut first) = (0usize, None);
    for (at, inst) in decode_each(code, entry, device.generation()) {
        if insts.len() == MAX_INSTRUCTIONS {
            return Err(AnalysisError::TooLong { found: (length - entry).div_ceil(16) });
        }
        offsets.push(at.start);
        insts.push(inst.unwrap_or_else(|error| {
            undecoded += 1;
            first.get_or_insert_with(|| error.to_string());
            Inst { compacted: at.len() <= 8, ..Inst::new(Opcode::Illegal) }
        }));
    }
    if let Some(first) = first.filter(|_| undecoded == insts.len()) {
        return Err(AnalysisError::Undecodable { found: insts.len(), first });
    }
    let messages = messages(&insts, device);
    let accesses = Accesses::new(&insts, &messages, device);
    let located = || offsets.iter().copied().zip(&insts);
    let graph = graph(located());
    let mut options = Options {
        dispatch_width: input.simd_width.and_then(|width| u8::try_from(width).ok()),
        ..Options::default()
    };
    options.trips = match &input.measured {
        Some(measured) => Trips::Measured(measured.executions),
        None => Trips::Loops {
            known: known_trips(located(), device),
            otherwise: Options::ASSUMED_TRIPS,
        },
    };
    let times = walk(located(), device, &options);
    let table = input.metadata.and_then(|metadata| metadata.lines.as_ref());
    let files: Vec<Arc<str>> =
        table.iter().flat_map(|table| &table.files).map(|file| Arc::from(&**file)).collect();
    let text: Vec<&str> = input.source.map_or(Vec::new(), |(_, text)| text.lines().collect());
    let source = input.source.map(|(name, _)| (name, &*text));
    let lines = Lines { table, files: &files, source, variables: input.variables };
    let line = offsets.iter().map(|&offset| lines.line(offset)).collect();
    let liveness = liveness::analyse(&graph, &accesses);
    let total = times.cycles;
    let found =
        Context { input, insts, offsets, messages, times, graph, liveness, lines, line, total };
    let mut analysis = report(&found, &accesses, undecoded as u64);
    analysis.hints = hints::all(&found, &analysis);
    Ok(analysis)
}

fn report(found: &Context<'_>, accesses: &Accesses, undecoded: u64) -> Analysis {
    let input = found.input;
    let Context { insts, offsets, times, lines, .. } = found;
    let threads = input.measured.map_or(1, |measured| measured.threads.max(1));
    let cycles = cycles(found, threads);
    let units = units(found, threads, cycles.eu);
    Analysis {
        file: input.file.to_owned(),
        name: input.name.to_owned(),
        target: input.device.platform().name().to_owned(),
        stage: input.metadata.map(|metadata| metadata.stage.name().to_owned()),
        simd_width: input.simd_width,
        measured: input.measured.map(|measured| Measured {
            threads: measured.threads,
            instructions: times.steps.iter().map(|step| step.weight).fold(0, u64::saturating_add),
        }),
        code: code_size(found, undecoded),
        kinds: kinds(found),
        registers: registers::report(
            insts,
            offsets,
            accesses,
            found.liveness.as_ref(),
            *lines,
            input.device.limits().grf_count,
        ),
        spills: crate::messages::spills(
            insts,
            offsets,
            accesses,
            &times.steps,
            input.device,
            *lines,
        ),
        messages: crate::messages::groups(
            insts,
            &found.messages,
            &times.steps,
            input.device,
            input.measured.as_ref(),
        ),
        loops: loops(found),
        bound: bound(&units),
        cycles,
        units,
        occupancy: occupancy(input),
        lines: line_reports(found),
        blocks: block_reports(found),
        instructions: if input.instructions { instructions(found) } else { Vec::new() },
        widths: input.widths.to_vec(),
        shader: input.shader.cloned(),
        hints: Vec::new(),
    }
}

/// A part of a whole in percent, with one decimal.
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { tenths(part as f64 * 100.0 / whole as f64) }
}

/// A number with one decimal.
fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn code_size(found: &Context<'_>, undecoded: u64) -> CodeSize {
    let mut size = CodeSize { undecoded, ..CodeSize::default() };
    for block in &found.graph {
        for inst in &found.insts[block.insts.clone()] {
            let bytes = u64::from(inst.size());
            if block.is_dead {
                size.padding_bytes += bytes;
                continue;
            }
            size.bytes += bytes;
            size.instructions += 1;
            size.compacted += u64::from(inst.compacted);
        }
    }
    size.compacted_percent = percent(size.compacted, size.instructions);
    size
}

fn kinds(found: &Context<'_>) -> Vec<KindCount> {
    let mut counts = Kind::ALL.map(|kind| KindCount { kind, instructions: 0, executions: 0 });
    for index in live(found) {
        let count = &mut counts[kind(&found.insts[index]) as usize];
        count.instructions += 1;
        count.executions = count.executions.saturating_add(found.times.steps[index].weight);
    }
    counts.into_iter().filter(|count| count.instructions > 0).collect()
}

/// The indices of all instructions but padding.
fn live(found: &Context<'_>) -> impl Iterator<Item = usize> {
    found.graph.iter().filter(|block| !block.is_dead).flat_map(|block| block.insts.clone())
}

fn cycles(found: &Context<'_>, threads: u64) -> Cycles {
    let times = &found.times;
    let threads_per_eu = found.input.device.limits().threads_per_eu;
    let thread = found.total.div_ceil(threads);
    let busiest = u64::from(threads_per_eu).saturating_mul(times.busy.max()).div_ceil(threads);
    let eu = thread.max(busiest);
    let (shortest_path, longest_path) = paths::bounds(&found.graph, &times.blocks);
    let stalled = times.steps.iter().map(|step| step.wait.saturating_mul(step.weight));
    let invocations = |width: u32| f64::from(width) * f64::from(threads_per_eu);
    Cycles {
        thread,
        eu,
        threads_per_eu,
        per_invocation: found.input.simd_width.map(|w| tenths(eu as f64 / invocations(w))),
        stalled: stalled.fold(0, u64::saturating_add).div_ceil(threads),
        chain: times.chain.div_ceil(threads),
        shortest_path,
        longest_path: longest_path.div_ceil(threads),
        is_assumed: times.is_assumed(),
    }
}

fn units(found: &Context<'_>, threads: u64, eu: u64) -> Vec<UnitLoad> {
    let times = &found.times;
    let per_eu = u64::from(found.input.device.limits().threads_per_eu);
    let load = |(unit, executions): (Unit, u64)| {
        let busy = times.busy[unit];
        UnitLoad {
            unit: unit.name().to_owned(),
            executions,
            busy,
            percent: percent(busy.saturating_mul(per_eu) / threads, eu),
        }
    };
    times.counts.iter().filter(|(_, executions)| *executions > 0).map(load).collect()
}

/// The unit that is busy all the time if all threads of an EU are in use.
fn bound(units: &[UnitLoad]) -> String {
    // Numbers are rounded to a tenth, so a full load is at least this.
    let full = units.iter().filter(|unit| unit.percent >= 99.9);
    let first = full.max_by_key(|unit| unit.busy);
    first.map_or("latency", |unit| &unit.unit).to_owned()
}

fn loops(found: &Context<'_>) -> Vec<LoopReport> {
    let (times, offsets) = (&found.times, &found.offsets);
    // The ends of the loops around the current one; loops are sorted by their starts, outer loops first.
    let mut around: Vec<usize> = Vec::new();
    let mut reports = Vec::with_capacity(times.loops.len());
    for (number, each) in times.loops.iter().enumerate() {
        // Loops of hostile code can overlap without one being inside the other.
        around.retain(|end| *end > each.insts.start && *end >= each.insts.end);
        let depth = around.len() as u32;
        around.push(each.insts.end);
        // The depth of nesting of useful code is small; this bounds the work for other code.
        if number >= 1 << 12 {
            break;
        }
        let weight = |index: usize| times.steps.get(index).map_or(0, |step| step.weight);
        let runs = weight(each.insts.start);
        let (trips, source) = match (each.trips, each.assumed) {
            (Some(trips), true) => (trips as f64, TripSource::Assumed),
            (Some(trips), false) => (trips as f64, TripSource::Known),
            (None, _) => {
                let entries = match each.insts.start.checked_sub(1) {
                    Some(before) => weight(before),
                    None => found.input.measured.map_or(1, |measured| measured.threads),
                };
                (tenths(runs as f64 / entries.max(1) as f64), TripSource::Measured)
            }
        };
        let all = times.steps[each.insts.clone()]
            .iter()
            .fold(0u64, |sum, step| sum.saturating_add(step.cycles.saturating_mul(step.weight)));
        let last = each.insts.end - 1;
        reports.push(LoopReport {
            at: found.lines.place(offsets[each.insts.start]),
            end: (offsets[last] + found.insts[last].size() as usize) as u64,
            depth,
            trips,
            source,
            cycles: tenths(all as f64 / runs.max(1) as f64),
        });
    }
    reports
}

fn occupancy(input: &Input<'_>) -> Option<Occupancy> {
    let limits = input.device.limits();
    let (metadata, width) = (input.metadata?, input.simd_width?);
    let per_subslice = limits.threads_per_eu * limits.eus_per_subslice;
    let StageMetadata::Compute(compute) = &metadata.stage else {
        return Some(Occupancy {
            threads: per_subslice,
            available: per_subslice,
            percent: 100.0,
            workgroups: None,
            limit: "threads".to_owned(),
        });
    };
    let available = limits.max_cs_threads;
    let group = compute.threads_per_group(width).max(1);
    let by_threads = available / group;
    let shared = input.device.shared_memory_size(compute.shared_bytes)?;
    let by_memory = limits.max_shared_bytes.checked_div(shared).unwrap_or(u32::MAX);
    let workgroups = by_threads.min(by_memory);
    let threads = workgroups * group;
    Some(Occupancy {
        threads,
        available,
        percent: percent(threads.into(), available.into()),
        workgroups: Some(workgroups),
        limit: if by_memory < by_threads { "shared memory" } else { "threads" }.to_owned(),
    })
}

/// A cost that is summed up.
#[derive(Default)]
struct Sum {
    cost: PartCost,
    busy: PerUnit<u64>,
}

impl Sum {
    fn add(&mut self, found: &Context<'_>, index: usize) {
        let (step, cost) = (&found.times.steps[index], &mut self.cost);
        let times = |number: u64| number.saturating_mul(step.weight);
        cost.instructions += 1;
        cost.executions = cost.executions.saturating_add(step.weight);
        cost.cycles = cost.cycles.saturating_add(times(step.cycles));
        cost.stalled = cost.stalled.saturating_add(times(step.wait));
        if let Some(unit) = step.cost.unit {
            self.busy[unit] = self.busy[unit].saturating_add(times(step.cost.busy.into()));
        }
        if let Some(size) = &found.messages[index] {
            let (sent, returned) = crate::messages::moved(size, false);
            cost.messages = cost.messages.saturating_add(step.weight);
            cost.message_bytes = cost.message_bytes.saturating_add(times(sent + returned));
        }
        cost.pressure = cost.pressure.max(pressure(found, index));
    }

    fn end(self, total: u64) -> PartCost {
        let busy = self.busy.iter().filter(|(_, cycles)| *cycles > 0);
        let busy = busy
            .map(|(unit, cycles)| UnitCycles { unit: Cow::Borrowed(unit.name()), cycles })
            .collect();
        PartCost { percent: percent(self.cost.cycles, total), busy, ..self.cost }
    }
}

fn pressure(found: &Context<'_>, index: usize) -> u32 {
    found.liveness.as_ref().and_then(|live| live.pressure.get(index)).copied().unwrap_or(0)
}

fn line_reports(found: &Context<'_>) -> Vec<LineReport> {
    let mut sums: BTreeMap<Line, Sum> = BTreeMap::new();
    for index in live(found) {
        if found.line[index] != Line::Missing {
            sums.entry(found.line[index]).or_default().add(found, index);
        }
    }
    let report = |(line, sum): (Line, Sum)| {
        let source = found.lines.source_line(line);
        let text = source.as_ref().and_then(|source| found.lines.text(source)).map(str::to_owned);
        let reason = Lines::reason(line).map(Cow::Borrowed);
        LineReport { source, reason, text, cost: sum.end(found.total) }
    };
    let mut reports: Vec<LineReport> = sums.into_iter().map(report).collect();
    // The sort is stable: lines of equal cost stay in the order of the source.
    reports.sort_by_key(|line| (line.source.is_none(), std::cmp::Reverse(line.cost.cycles)));
    reports
}

fn block_reports(found: &Context<'_>) -> Vec<BlockReport> {
    let blocks = found.graph.iter().zip(&found.times.blocks).enumerate();
    let report = |(number, (node, block)): (usize, (&GraphBlock, &crestline_timing::Block))| {
        let last = node.insts.clone().next_back()?;
        let mut sum = Sum::default();
        let mut lines: Vec<SourceLine> = Vec::new();
        let mut before = Line::Missing;
        for index in node.insts.clone() {
            sum.add(found, index);
            let line = found.line[index];
            if std::mem::replace(&mut before, line) != line {
                lines.extend(found.lines.source_line(line));
            }
        }
        lines.sort_unstable();
        lines.dedup();
        Some(BlockReport {
            block: number as u32,
            offset: found.offsets[node.insts.start] as u64,
            end: (found.offsets[last] + found.insts[last].size() as usize) as u64,
            successors: node.successors.iter().map(|&next| next as u32).collect(),
            runs: block.weight,
            cycles_once: block.cycles,
            lines,
            cost: sum.end(found.total),
        })
    };
    blocks.filter(|(_, (node, _))| !node.is_dead).filter_map(report).collect()
}

fn instructions(found: &Context<'_>) -> Vec<InstructionReport> {
    let generation = found.input.device.generation();
    let mut reports = Vec::with_capacity(found.insts.len());
    let mut issue = 0u64;
    for (number, block) in found.graph.iter().enumerate().filter(|(_, block)| !block.is_dead) {
        for index in block.insts.clone() {
            let (inst, step) = (&found.insts[index], &found.times.steps[index]);
            issue = issue.saturating_add(step.cycles);
            let stall = |kind, on: usize| {
                let on = found.offsets.get(on).copied().unwrap_or(0) as u64;
                Some(Stall { cycles: step.wait, kind, on })
            };
            let stall = match step.cause {
                _ if step.wait == 0 => None,
                Cause::Order => None,
                Cause::Register(on) => stall(StallKind::Register, on),
                Cause::Unit(on) => stall(StallKind::Unit, on),
            };
            let line = found.line[index];
            reports.push(InstructionReport {
                offset: found.offsets[index] as u64,
                compacted: inst.compacted,
                text: one_line(&print_inst(inst, generation, Syntax::Mesa)),
                block: number as u32,
                kind: kind(inst),
                issue,
                cycles: step.cycles,
                stall,
                unit: step.cost.unit.map(|unit| Cow::Borrowed(unit.name())),
                busy: step.cost.busy,
                executions: step.weight,
                pressure: pressure(found, index),
                source: found.lines.source_line(line),
                reason: Lines::reason(line).map(Cow::Borrowed),
            });
        }
    }
    reports
}

/// A text with single blanks instead of line ends and runs of blanks, and none at the ends.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
