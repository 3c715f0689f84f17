//! Hints: advice that follows from an analysis. Each rule is a row of [`HINTS`], from which `docs/hints.md` is made.

use crestline_isa::Opcode;
use crestline_timing::rows::MessageKind;

use crate::analyze::Context;
use crate::report::{Analysis, Hint, TripSource};

/// A rule for hints.
pub struct HintRule {
    /// The id, such as `H1`.
    pub id: &'static str,
    /// When the rule gives a hint.
    pub condition: &'static str,
    /// What can be done.
    pub advice: &'static str,
    check: fn(&Context<'_>, &Analysis) -> Vec<Found>,
}

/// What a rule found: a sentence, and the instruction.
type Found = (String, Option<usize>);

/// The most hints of one rule.
const MOST: usize = 8;

/// Registers from which on the pressure is high: a wider program would not fit, with 128 registers.
const HIGH_PRESSURE: u32 = 100;

/// The rules.
pub const HINTS: &[HintRule] = &[
    HintRule {
        id: "H1",
        condition: "Registers are stored to scratch memory.",
        advice: "Shorten the lives of values near the peak of the pressure, or use a narrower SIMD width.",
        check: spills,
    },
    HintRule {
        id: "H2",
        condition: "At least 100 of the 128 registers are in use at the same time.",
        advice: "The values at the peak are listed. Compute them later, or again, or keep them in shared memory.",
        check: pressure,
    },
    HintRule {
        id: "H3",
        condition: "A thread waits at least 32 cycles for one unit or result in a loop.",
        advice: "Load before the loop, or load for the next trip while this one computes.",
        check: waits_in_loops,
    },
    HintRule {
        id: "H4",
        condition: "An integer is divided.",
        advice: "Divide by constants or powers of two, or multiply by a reciprocal.",
        check: divisions,
    },
    HintRule {
        id: "H5",
        condition: "An atomic operation is in a loop.",
        advice: "Combine the values in the workgroup first, and use one atomic operation.",
        check: atomics,
    },
    HintRule {
        id: "H6",
        condition: "A barrier or fence is in a loop.",
        advice: "Let one trip do the work of several.",
        check: barriers,
    },
    HintRule {
        id: "H7",
        condition: "A number of trips is assumed.",
        advice: "Measure: `--measure` with the resources of a typical run.",
        check: assumed,
    },
    HintRule {
        id: "H8",
        condition: "The last thread of each workgroup of a compute shader has unused channels.",
        advice: "Choose a workgroup size that is a multiple of the SIMD width.",
        check: unused_channels,
    },
    HintRule {
        id: "H9",
        condition: "Less than half of the threads of a subslice can be in use.",
        advice: "Use less shared memory, or workgroups of another size.",
        check: occupancy,
    },
    HintRule {
        id: "H10",
        condition: "An operand's address differs between channels and is in a register.",
        advice: "Index arrays by values that are the same for all channels, or keep them in a buffer.",
        check: scattered,
    },
];

/// All hints about an analysis.
pub(crate) fn all(found: &Context<'_>, analysis: &Analysis) -> Vec<Hint> {
    let mut hints = Vec::new();
    let off = found.input.without_hints;
    for rule in HINTS.iter().filter(|rule| !off.iter().any(|id| id == rule.id)) {
        let mut last = None;
        let each = (rule.check)(found, analysis).into_iter().map(|(message, index)| {
            let at = index.map(|index| found.lines.place(found.offsets[index]));
            Hint { id: rule.id.to_owned(), message, at }
        });
        // One hint for each line of the source.
        let each = each.filter(|hint| {
            let source = hint.at.as_ref().and_then(|at| at.source.clone());
            source.is_none() || std::mem::replace(&mut last, source.clone()) != source
        });
        hints.extend(each.take(MOST));
    }
    hints
}

fn spills(found: &Context<'_>, analysis: &Analysis) -> Vec<Found> {
    let spills = &analysis.spills;
    if spills.stores + spills.loads == 0 {
        return Vec::new();
    }
    let peak = found.liveness.as_ref().and_then(|live| live.peak);
    let message = format!(
        "{} stores and {} loads of spilled registers move {} bytes",
        spills.stores, spills.loads, spills.bytes
    );
    vec![(message, peak)]
}

fn pressure(found: &Context<'_>, analysis: &Analysis) -> Vec<Found> {
    let peak = analysis.registers.peak.as_ref().filter(|peak| peak.registers >= HIGH_PRESSURE);
    let at = found.liveness.as_ref().and_then(|live| live.peak);
    let available = analysis.registers.available;
    let hint = |registers| (format!("{registers} of {available} registers are in use"), at);
    peak.map(|peak| hint(peak.registers)).into_iter().collect()
}

/// Indices of the instructions in loops, with their numbers.
fn in_loops<'a>(found: &'a Context<'_>) -> impl Iterator<Item = usize> + 'a {
    let mut loops = found.times.loops.iter().map(|each| each.insts.clone()).peekable();
    let mut end = 0;
    (0..found.insts.len()).filter(move |index| {
        while let Some(range) = loops.next_if(|range| range.start <= *index) {
            end = end.max(range.end);
        }
        *index < end
    })
}

fn waits_in_loops(found: &Context<'_>, _: &Analysis) -> Vec<Found> {
    let wait = |index: usize| found.times.steps[index].wait;
    let long = in_loops(found).filter(|&index| wait(index) >= 32);
    let mut long: Vec<usize> = long.collect();
    long.sort_by_key(|&index| std::cmp::Reverse(wait(index)));
    long.into_iter()
        .take(MOST)
        .map(|index| (format!("the thread waits {} cycles in each trip", wait(index)), Some(index)))
        .collect()
}

/// A hint for each instruction for which `check` returns a sentence.
fn each(
    indices: impl Iterator<Item = usize>,
    check: impl Fn(usize) -> Option<String>,
) -> Vec<Found> {
    indices.filter_map(|index| Some((check(index)?, Some(index)))).take(1 << 10).collect()
}

fn divisions(found: &Context<'_>, _: &Analysis) -> Vec<Found> {
    each(0..found.insts.len(), |index| {
        let function = found.insts[index].math().filter(|function| function.is_int())?;
        let name = function.name();
        Some(format!("{name} takes {} cycles", found.times.steps[index].cost.busy))
    })
}

fn message_in_loop(found: &Context<'_>, kinds: &[MessageKind], text: &str) -> Vec<Found> {
    each(in_loops(found), |index| {
        let kind = found.messages[index]?.kind;
        kinds.contains(&kind).then(|| format!("{text} is in a loop"))
    })
}

fn atomics(found: &Context<'_>, _: &Analysis) -> Vec<Found> {
    message_in_loop(found, &[MessageKind::Atomic, MessageKind::RenderAtomic], "an atomic operation")
}

fn barriers(found: &Context<'_>, _: &Analysis) -> Vec<Found> {
    let kinds = [MessageKind::Barrier, MessageKind::Fence, MessageKind::RenderFence];
    message_in_loop(found, &kinds, "a barrier or fence")
}

fn assumed(found: &Context<'_>, analysis: &Analysis) -> Vec<Found> {
    let loops = analysis.loops.iter().zip(&found.times.loops);
    loops
        .filter(|(report, _)| report.source == TripSource::Assumed)
        .map(|(report, each)| {
            (format!("{} trips of this loop are assumed", report.trips), Some(each.insts.start))
        })
        .collect()
}

fn unused_channels(found: &Context<'_>, _: &Analysis) -> Vec<Found> {
    let (Some(metadata), Some(width)) = (found.input.metadata, found.input.simd_width) else {
        return Vec::new();
    };
    let crestline_program::StageMetadata::Compute(compute) = &metadata.stage else {
        return Vec::new();
    };
    let rest = compute.invocations() % width.max(1);
    if rest == 0 {
        return Vec::new();
    }
    let threads = compute.threads_per_group(width);
    vec![(
        format!(
            "{} of the {} channels of a workgroup are unused",
            width - rest,
            u64::from(threads) * u64::from(width)
        ),
        None,
    )]
}

fn occupancy(_: &Context<'_>, analysis: &Analysis) -> Vec<Found> {
    let low = analysis.occupancy.as_ref().filter(|occupancy| occupancy.percent < 50.0);
    let message = |of: &crate::report::Occupancy| {
        format!(
            "{} of {} threads can be in use: the limit is {}",
            of.threads, of.available, of.limit
        )
    };
    low.map(|of| (message(of), None)).into_iter().collect()
}

fn scattered(found: &Context<'_>, _: &Analysis) -> Vec<Found> {
    each(0..found.insts.len(), |index| {
        let inst = &found.insts[index];
        let differs = inst.opcode == Opcode::Mov
            && inst.srcs.iter().any(|src| {
                src.as_reg().is_some_and(|src| {
                    matches!(src.place, crestline_isa::Place::Indirect { .. })
                        && src.region.strides().is_none()
                })
            });
        differs.then(|| "each channel reads a register of its own".to_owned())
    })
}
