//! Compares our code for a folder of SPIR-V modules with a table of another compiler's figures.
//!
//! `cargo bench -p crestline-benches --bench peer_report -- PLATFORM MODULES TABLE` compiles each module of the folder
//! `MODULES` that has a row in `TABLE`. The rows have the columns of `../shared/peer`: platform, file name of the module, executable,
//! SIMD width (1 for SIMD4x2), instructions, messages, loops, cycles, spills, fills. A further column may name a file with
//! the machine code, relative to the table. Rows with machine code are also compared by bytes, by cycles of our model, and by
//! opcodes. `-- --each` prints a row for each executable, to compare two versions of our compiler.
//!
//! A figure of one executable is divided by its SIMD width (its channels). A ratio is ours divided by the other compiler's: the
//! geometric mean over executables, and the quotient of the sums. Spills and fills are only compared by their sums, since most
//! executables have none. An executable of a fragment shader is compared with ours of the same width. Instructions do not
//! include `nop`, because the figures of Mesa do not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crestline::{Platform, Program};
use crestline_benches::is_test_run;
use crestline_device::Device;
use crestline_isa::decode_each;
use crestline_timing::{Options, Trips, known_trips, walk};

/// How many of the worst modules are listed.
const WORST: usize = 20;
/// A module counts as much worse beyond this ratio of instructions per channel.
const MUCH_WORSE: f64 = 1.5;

/// The figures that are compared.
const NAMES: [&str; 4] = ["instructions", "bytes", "messages", "cycles"];

/// The figures of one executable.
#[derive(Clone, Default)]
struct Figures {
    /// The number of channels of a thread.
    channels: u32,
    /// In the order of [`NAMES`]; `None` if not known.
    counts: [Option<u64>; NAMES.len()],
    spills: u64,
    fills: u64,
    /// Loops of the machine code; `None` without machine code.
    loops: Option<usize>,
    /// Loops whose number of trips is known.
    known_loops: usize,
    /// Instructions by opcode; empty if not known.
    opcodes: BTreeMap<&'static str, u64>,
}

impl Figures {
    /// A figure for each channel.
    fn per_channel(&self, figure: usize) -> Option<f64> {
        Some(self.counts[figure]? as f64 / f64::from(self.channels.max(1)))
    }

    /// Sets what follows from the machine code, if it decodes.
    fn read_code(&mut self, code: &[u8], platform: Platform) {
        let device = Device::new(platform);
        let mut insts = Vec::new();
        let mut last = 0;
        for (range, inst) in decode_each(code, 0, device.generation()) {
            let Ok(inst) = inst else { break };
            *self.opcodes.entry(inst.opcode.name()).or_default() += 1;
            last = range.end;
            let ends = inst.send().is_some_and(|send| send.eot);
            insts.push((range.start, inst));
            if ends {
                break;
            }
        }
        self.counts[1] = Some(last as u64);
        let insts = || insts.iter().map(|(offset, inst)| (*offset, inst));
        let known = known_trips(insts(), &device);
        let trips = Trips::Loops { known, otherwise: Options::ASSUMED_TRIPS };
        let report = walk(insts(), &device, &Options { trips, ..Options::default() });
        self.counts[3] = Some(report.cycles);
        self.loops = Some(report.loops.iter().filter(|found| found.trips != Some(1)).count());
        self.known_loops =
            report.loops.iter().filter(|found| found.trips != Some(1) && !found.assumed).count();
    }
}

/// A row of the table.
struct Row {
    module: String,
    kind: String,
    figures: Figures,
}

/// The rows of a platform.
fn rows(table: &Path, platform: Platform) -> Vec<Row> {
    let text =
        std::fs::read_to_string(table).unwrap_or_else(|e| panic!("{}: {e}", table.display()));
    let mut rows = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, module, kind, width, counted @ ..] = &cells[..] else { continue };
        let number = |index: usize| counted.get(index).and_then(|cell| cell.parse::<u64>().ok());
        let (Ok(width), true) = (width.parse(), *name == platform.name()) else { continue };
        let mut figures = Figures {
            channels: width,
            counts: [number(0), None, number(1), None],
            spills: number(4).unwrap_or(0),
            fills: number(5).unwrap_or(0),
            loops: None,
            known_loops: 0,
            opcodes: BTreeMap::new(),
        };
        if let Some(file) = counted.get(6) {
            let path = table.with_file_name("").join(file);
            let code = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            figures.read_code(&code, platform);
        }
        rows.push(Row { module: (*module).to_owned(), kind: (*kind).to_owned(), figures });
    }
    rows
}

fn words(path: &Path) -> Option<Vec<u32>> {
    let bytes = std::fs::read(path).ok()?;
    Some(bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
}

/// Our figures that correspond to a row: those of the entry point with the same width, else of the first.
fn ours(program: &Program, row: &Row, platform: Platform) -> Option<Figures> {
    let dispatches = &program.metadata.dispatches;
    let same = |dispatch: &&crestline::program::Dispatch| {
        dispatch.statistics.as_ref().is_some_and(|s| s.simd_width == row.figures.channels)
    };
    let dispatch = match (dispatches.iter().find(same), dispatches.count()) {
        (Some(dispatch), _) => dispatch,
        (None, 1) => dispatches.first(),
        // The other compiler has a width that we do not have.
        (None, _) => return None,
    };
    let counted = dispatch.statistics.as_ref()?;
    let vec4 = row.figures.channels == 1;
    let mut figures = Figures {
        channels: if vec4 { 1 } else { counted.simd_width },
        counts: [Some(counted.instructions.into()), None, Some(counted.sends.into()), None],
        spills: counted.spills.into(),
        fills: counted.fills.into(),
        loops: None,
        known_loops: 0,
        opcodes: BTreeMap::new(),
    };
    let start = usize::try_from(dispatch.offset).ok()?;
    figures.read_code(program.code.get(start..)?, platform);
    let nops = figures.opcodes.get("nop").copied().unwrap_or(0);
    figures.counts[0] = figures.counts[0].map(|count| count.saturating_sub(nops));
    Some(figures)
}

/// One executable of both compilers.
struct Pair {
    name: String,
    project: String,
    ours: Figures,
    theirs: Figures,
}

impl Pair {
    fn ratio(&self, figure: usize) -> Option<f64> {
        let (ours, theirs) = (self.ours.per_channel(figure)?, self.theirs.per_channel(figure)?);
        // A figure of 0 would make the mean meaningless.
        (ours > 0.0 && theirs > 0.0).then(|| ours / theirs)
    }

    /// The opcodes with the greatest differences per channel, ours minus theirs, in instructions at our width.
    fn differences(&self) -> String {
        let scale = f64::from(self.ours.channels.max(1)) / f64::from(self.theirs.channels.max(1));
        differences([(&self.ours.opcodes, &self.theirs.opcodes, scale)].into_iter(), 6)
    }
}

/// The greatest differences of opcodes, as text. `scale` multiplies the other compiler's counts.
fn differences<'a>(
    pairs: impl Iterator<Item = (&'a BTreeMap<&'static str, u64>, &'a BTreeMap<&'static str, u64>, f64)>,
    most: usize,
) -> String {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (ours, theirs, scale) in pairs.filter(|(_, theirs, _)| !theirs.is_empty()) {
        ours.iter().for_each(|(op, &n)| *sums.entry(op).or_default() += n as f64);
        theirs.iter().for_each(|(op, &n)| *sums.entry(op).or_default() -= scale * n as f64);
    }
    let mut sums: Vec<(&str, f64)> = sums.into_iter().filter(|(_, n)| n.abs() >= 0.5).collect();
    sums.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let parts: Vec<String> =
        sums.iter().take(most).map(|(op, n)| format!("{op} {n:+.0}")).collect();
    parts.join(", ")
}

/// The geometric mean and the quotient of sums of one figure, with the number of pairs that have it.
fn summary<'a>(pairs: impl Iterator<Item = &'a Pair>, figure: usize) -> (f64, f64, usize) {
    let (mut logs, mut sums, mut count) = (0.0, [0.0; 2], 0);
    for pair in pairs {
        let (Some(ratio), Some(ours), Some(theirs)) =
            (pair.ratio(figure), pair.ours.per_channel(figure), pair.theirs.per_channel(figure))
        else {
            continue;
        };
        logs += ratio.ln();
        sums = [sums[0] + ours, sums[1] + theirs];
        count += 1;
    }
    ((logs / count.max(1) as f64).exp(), sums[0] / sums[1], count)
}

/// Prints a row of ratios for some pairs.
fn print_ratios<'a>(name: &str, pairs: impl Iterator<Item = &'a Pair> + Clone) {
    let means: Vec<String> = (0..NAMES.len())
        .map(|figure| {
            let (mean, sums, count) = summary(pairs.clone(), figure);
            if count == 0 { "- | -".to_owned() } else { format!("{mean:.3} | {sums:.3}") }
        })
        .collect();
    let count = |f: fn(&Pair) -> u64| pairs.clone().map(f).sum::<u64>();
    println!(
        "| {name} | {} | {} | {} | {} |",
        pairs.clone().count(),
        means.join(" | "),
        count(|p| p.ours.spills + p.ours.fills),
        count(|p| p.theirs.spills + p.theirs.fills),
    );
}

fn print_report(pairs: &[Pair], each: bool) {
    let heads: Vec<String> = NAMES.iter().map(|name| format!("{name} | sum")).collect();
    println!("| project | executables | {} | spills and fills | theirs |", heads.join(" | "));
    println!("| --- |{}", " ---: |".repeat(2 * NAMES.len() + 3));
    let mut projects: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        projects.entry(&pair.project).or_default().push(pair);
    }
    for (project, pairs) in &projects {
        print_ratios(project, pairs.iter().copied());
    }
    // A loop whose trips are not known counts ten times, so its cycles do not compare with those of an unrolled loop.
    let fewer = |ours, theirs: Option<_>| theirs.is_some() && ours < theirs;
    let (few, many): (Vec<&Pair>, Vec<&Pair>) =
        pairs.iter().partition(|pair| (pair.ours.loops, pair.theirs.loops) == (Some(0), Some(0)));
    print_ratios("no loops", few.iter().copied());
    let equal = many.iter().copied().filter(|pair| pair.ours.loops == pair.theirs.loops);
    print_ratios("as many loops", equal);
    let less = many.iter().copied().filter(|pair| fewer(pair.ours.loops, pair.theirs.loops));
    print_ratios("fewer loops than theirs", less);
    let more = many.iter().copied().filter(|pair| fewer(pair.theirs.loops, pair.ours.loops));
    print_ratios("more loops than theirs", more);
    print_ratios("all", pairs.iter());
    let much = pairs.iter().filter(|pair| pair.ratio(0) > Some(MUCH_WORSE)).count();
    let narrower = pairs.iter().filter(|pair| pair.ours.channels < pair.theirs.channels).count();
    println!("\n{much} executables are above {MUCH_WORSE}, {narrower} have fewer channels.");
    let opcodes = pairs.iter().map(|pair| {
        let scale = f64::from(pair.ours.channels.max(1)) / f64::from(pair.theirs.channels.max(1));
        (&pair.ours.opcodes, &pair.theirs.opcodes, scale)
    });
    let loops = |figures: &Figures| (figures.known_loops, figures.loops.unwrap_or(0));
    let sum = |side: fn(&Pair) -> &Figures| {
        let each = pairs.iter().map(|pair| loops(side(pair)));
        each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let (ours, theirs) = (sum(|pair| &pair.ours), sum(|pair| &pair.theirs));
    println!(
        "Trips are known of {} of our {} loops, and of {} of their {}; the others count ten times.",
        ours.0, ours.1, theirs.0, theirs.1
    );
    println!("Opcodes, ours minus theirs: {}.\n", differences(opcodes, 40));
    let mut worst: Vec<&Pair> = pairs.iter().collect();
    worst.sort_by(|a, b| b.ratio(0).unwrap_or(0.0).total_cmp(&a.ratio(0).unwrap_or(0.0)));
    if !each {
        worst.truncate(WORST);
    }
    println!(
        "| executable | instructions per channel | ours | theirs | messages | cycles | loops | spills and fills | opcodes |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    for pair in worst {
        let counts = |figures: &Figures| {
            format!("{} at {}", figures.counts[0].unwrap_or(0), figures.channels)
        };
        println!(
            "| {} | {:.3} | {} | {} | {} / {} | {} / {} | {} / {} | {} / {} | {} |",
            pair.name,
            pair.ratio(0).unwrap_or(0.0),
            counts(&pair.ours),
            counts(&pair.theirs),
            pair.ours.counts[2].unwrap_or(0),
            pair.theirs.counts[2].unwrap_or(0),
            pair.ours.counts[3].unwrap_or(0),
            pair.theirs.counts[3].unwrap_or(0),
            pair.ours.loops.unwrap_or(0),
            pair.theirs.loops.unwrap_or(0),
            pair.ours.spills + pair.ours.fills,
            pair.theirs.spills + pair.theirs.fills,
            pair.differences(),
        );
    }
}

fn main() {
    if is_test_run() {
        return;
    }
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let (flags, arguments): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| argument.starts_with("--"));
    let [platform, modules, table] = arguments[..] else {
        println!("arguments: PLATFORM MODULES TABLE, and --each");
        return;
    };
    let platform: Platform = platform.parse().expect("a platform");
    let modules = PathBuf::from(modules);
    let rows = rows(Path::new(table), platform);
    let mut pairs = Vec::new();
    let mut failed = Vec::new();
    let mut compiled: Option<(&str, Option<Program>)> = None;
    for row in &rows {
        if compiled.as_ref().is_none_or(|(module, _)| *module != row.module) {
            let Some(words) = words(&modules.join(&row.module)) else { continue };
            let mut options = crestline::Options::new(platform);
            options.verify = false;
            let program = crestline::compile_spirv(&words, &options);
            if let Err(error) = &program {
                failed.push(format!("{}: {}", row.module, error.code()));
            }
            compiled = Some((&row.module, program.ok()));
        }
        let Some((_, Some(program))) = &compiled else { continue };
        let Some(ours) = ours(program, row, platform) else { continue };
        let (project, _) = row.module.split_once("__").unwrap_or((&row.module, ""));
        let name = format!("{} {}", row.module, row.kind);
        pairs.push(Pair { name, project: project.to_owned(), ours, theirs: row.figures.clone() });
    }
    print_report(&pairs, flags.iter().any(|flag| *flag == "--each"));
    println!("\n{} modules do not compile. {}", failed.len(), failed.join(", "));
}
