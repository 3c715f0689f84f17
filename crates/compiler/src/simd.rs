//! The choice of a program's SIMD widths, by the rules that [`Simd::Auto`](crate::Simd::Auto) describes.

use crestline_codegen::backend::BackendError;
use crestline_codegen::finish::FinishError;
use crestline_codegen::regalloc::AllocError;
use crestline_codegen::schedule::Estimate;
use crestline_codegen::target::Target;
use crestline_program::{Dispatch, ENTRY_ALIGNMENT, Program, StageMetadata, kernel_start_slot};
use crestline_ssa::ir::ComputeInfo;

use crate::{CompileError, Options, WidthResult};

/// The requirements on the subgroups of a shader, each with its sentence for errors.
struct Requirements<'a> {
    compute: Option<ComputeInfo>,
    options: &'a Options,
}

impl Requirements<'_> {
    /// The required numbers of invocations of a subgroup.
    fn sizes(&self) -> impl Iterator<Item = u32> {
        let of_shader = self.compute.and_then(|compute| compute.subgroup_size);
        self.options.subgroup_size.into_iter().chain(of_shader)
    }

    /// Whether subgroups of `width` invocations meet the requirements.
    fn allow(&self, width: u8) -> bool {
        let width = u64::from(width);
        self.sizes().all(|size| width == u64::from(size))
            && self.compute.is_none_or(|compute| {
                let invocations = compute.invocations();
                let count = compute.subgroups.map(u64::from);
                (!self.options.full_subgroups || invocations.is_multiple_of(width))
                    && count.is_none_or(|count| invocations.div_ceil(width) == count)
            })
    }

    /// The error that no width of `possible` meets the requirements.
    fn error(&self, possible: String) -> CompileError {
        let mut required: Vec<String> =
            self.sizes().map(|size| format!("subgroups of {size} invocations")).collect();
        if let Some(compute) = self.compute {
            let invocations = compute.invocations();
            if let Some(count) = compute.subgroups {
                required.push(format!("{count} subgroups of {invocations} invocations in all"));
            }
            if self.options.full_subgroups {
                required
                    .push(format!("full subgroups in a workgroup of {invocations} invocations"));
            }
        }
        CompileError::Subgroups { required: required.join(" and "), possible }
    }

    /// The widths that meet the requirements.
    ///
    /// # Errors
    /// [`CompileError::Subgroups`] if none of several does.
    fn filter(&self, widths: Vec<u8>) -> Result<Vec<u8>, CompileError> {
        let allowed: Vec<u8> = widths.iter().copied().filter(|&width| self.allow(width)).collect();
        if allowed.is_empty() && !widths.is_empty() {
            let widths: Vec<String> = widths.iter().map(u8::to_string).collect();
            return Err(self.error(format!("subgroups of {} invocations", widths.join(" or "))));
        }
        Ok(allowed)
    }
}

/// Checks the required size of subgroups of a vertex, tessellation or geometry shader, whose threads have eight invocations, or
/// two vertices at SIMD4x2 (`vec4`).
///
/// # Errors
/// [`CompileError::Subgroups`] if the size is another.
pub(crate) fn check_stage(vec4: bool, options: &Options) -> Result<(), CompileError> {
    let requirements = Requirements { compute: None, options };
    match vec4 {
        true if options.subgroup_size.is_some() => {
            Err(requirements.error("threads of two vertices (SIMD4x2)".to_owned()))
        }
        true => Ok(()),
        false => requirements.filter(vec![8]).map(|_| ()),
    }
}

/// The SIMD widths that may be tried, in ascending order.
///
/// # Errors
/// [`CompileError::Workgroup`] if the device can run the workgroup at no width; [`CompileError::Subgroups`] if none of the
/// remaining widths has the required subgroups.
pub(crate) fn allowed(
    compute: ComputeInfo,
    target: &Target,
    options: &Options,
) -> Result<Vec<u8>, CompileError> {
    let invocations = compute.invocations();
    let limit = target.limits().max_workgroup_threads;
    let asked = options.simd.channels();
    let widths: Vec<u8> = target
        .simd_widths
        .iter()
        .copied()
        .filter(|&width| asked.is_none_or(|asked| asked == width))
        .filter(|&width| invocations.div_ceil(width.into()) <= limit.into())
        .collect();
    if widths.is_empty() || invocations == 0 {
        let widths = options.simd.to_string();
        return Err(CompileError::Workgroup { invocations, limit, widths });
    }
    let requirements = Requirements { compute: Some(compute), options };
    let widths = requirements.filter(widths)?;
    // Widths beyond the first that holds the whole workgroup would only add unused channels.
    let enough = widths.iter().position(|&width| u64::from(width) >= invocations);
    Ok(match (asked, enough) {
        (None, Some(last)) => widths[..=last].to_vec(),
        _ => widths,
    })
}

/// A compiled program, and the estimate by which widths are compared.
pub(crate) struct Attempt {
    pub(crate) program: Program,
    pub(crate) estimate: Estimate,
}

/// Compiles at the widths that the rule of [`Simd::Auto`](crate::Simd::Auto) tries, and returns the best program.
/// `generate` compiles at a width; its second argument is whether registers may be spilled.
///
/// # Errors
/// The error of the widest program that may spill.
pub(crate) fn choose(
    widths: &[u8],
    target: &Target,
    mut generate: impl FnMut(u8, bool) -> Result<Attempt, CompileError>,
) -> Result<Program, CompileError> {
    // The number of threads that an EU runs at the same time.
    let threads = u64::from(target.limits().threads_per_eu);
    let first = match widths {
        [only] => *only,
        _ if widths.contains(&16) => 16,
        _ => widths[0],
    };
    let narrower = widths.iter().copied().find(|&width| width < first);
    let attempt = match (generate(first, narrower.is_none()), narrower) {
        (Err(error), Some(narrower)) if needs_narrower(&error) => {
            return generate(narrower, true).map(|attempt| attempt.program);
        }
        (attempt, _) => attempt?,
    };
    let Attempt { program, estimate } = attempt;
    let roomy = program.statistics().is_some_and(|counted| {
        counted.registers <= target.registers.for_widening() && counted.spills + counted.fills == 0
    });
    let widens = widths.contains(&32) && first == 16 && roomy;
    let narrow = time(&estimate, threads);
    if widens && may_pay(threads.saturating_mul(estimate.busiest_widened), narrow) {
        return match generate(32, false) {
            Ok(wide) if is_faster(time(&wide.estimate, threads), narrow) => Ok(wide.program),
            // Another width would hide this bug of the compiler.
            Err(error) if error.is_defect() => Err(error),
            _ => Ok(program),
        };
    }
    Ok(program)
}

/// The SIMD widths that may be tried for a fragment shader, in ascending order. `narrow` states whether the shader has
/// an output that only messages of eight channels can write.
///
/// # Errors
/// [`CompileError::Threads`] if a width was requested that the shader cannot have; [`CompileError::Subgroups`] if no width
/// has the required subgroups.
pub(crate) fn allowed_for_fragments(
    narrow: bool,
    target: &Target,
    options: &Options,
) -> Result<Vec<u8>, CompileError> {
    let (asked, platform) = (options.simd, target.device().platform());
    let widths = target.simd_widths.iter().copied().filter(|&width| !narrow || width == 8);
    let widths: Vec<u8> =
        widths.filter(|&width| asked.channels().is_none_or(|asked| asked == width)).collect();
    if widths.is_empty() {
        let expected = "SIMD8 for a second colour or a stencil value";
        return Err(CompileError::Threads { stage: "fragment", platform, asked, expected });
    }
    Requirements { compute: None, options }.filter(widths)
}

/// Compiles a fragment shader at each width that a driver would use: SIMD8, which may spill; SIMD16, if it does not
/// spill; SIMD32, if it is estimated to be faster per channel than SIMD16 by the rule of
/// [`Simd::Auto`](crate::Simd::Auto). A shader that runs once for each sample gets the widest of them only, because the
/// hardware takes no more (PRM, 3DSTATE_PS, "Dispatch Enable").
///
/// # Errors
/// The error of the narrowest width, or a defect at any width.
pub(crate) fn choose_all(
    widths: &[u8],
    target: &Target,
    mut generate: impl FnMut(u8, bool) -> Result<Attempt, CompileError>,
) -> Result<Vec<Attempt>, CompileError> {
    let threads = u64::from(target.limits().threads_per_eu);
    let mut found: Vec<Attempt> = Vec::new();
    for &width in widths {
        let Some(narrower) = found.last() else {
            found.push(generate(width, true)?);
            continue;
        };
        let counted = narrower.program.statistics();
        let spills = counted.is_none_or(|counted| counted.spills + counted.fills > 0);
        let roomy = counted.is_some_and(|c| c.registers <= target.registers.for_widening());
        // SIMD32 needs a reason; SIMD16 is nearly always faster than SIMD8.
        let before = time(&narrower.estimate, threads);
        let widened = threads.saturating_mul(narrower.estimate.busiest_widened);
        if spills || width == 32 && !(roomy && may_pay(widened, before)) {
            break;
        }
        match generate(width, false) {
            Ok(wide) if width < 32 || is_faster(time(&wide.estimate, threads), before) => {
                found.push(wide);
            }
            Ok(_) => break,
            Err(error) if needs_narrower(&error) => break,
            Err(error) => return Err(error),
        }
    }
    let once_per_sample = |attempt: &Attempt| match &attempt.program.metadata.stage {
        StageMetadata::Fragment(fragment) => fragment.per_sample,
        _ => false,
    };
    if found.first().is_some_and(once_per_sample) {
        found.drain(..found.len() - 1);
    }
    Ok(found)
}

/// Joins programs that differ in the SIMD width only to one program with a code entry for each. Entries start at
/// multiples of [`ENTRY_ALIGNMENT`]; `nop` is the code of an instruction that fills the space between them.
pub(crate) fn join(attempts: Vec<Attempt>, nop: &[u8]) -> Option<Program> {
    let mut programs = attempts.into_iter().map(|attempt| attempt.program);
    let mut joined = programs.next()?;
    for program in programs {
        let Program { mut code, metadata } = program;
        while !joined.code.len().is_multiple_of(ENTRY_ALIGNMENT as usize) {
            joined.code.extend_from_slice(nop);
        }
        let offset = joined.code.len() as u32;
        joined.code.append(&mut code);
        for dispatch in metadata.dispatches.iter() {
            joined.metadata.dispatches.push(Dispatch { offset, ..dispatch.clone() });
        }
        if let (Some(all), Some(more)) = (&mut joined.metadata.lines, &metadata.lines) {
            all.append(more, offset);
        }
        let scratch = &mut joined.metadata.scratch_bytes;
        *scratch = (*scratch).max(metadata.scratch_bytes);
    }
    let dispatches: Vec<Dispatch> = joined.metadata.dispatches.into();
    let widths: Vec<u32> = dispatches.iter().map(|dispatch| dispatch.simd_width).collect();
    let numbered = dispatches.into_iter().map(|dispatch| Dispatch {
        kernel_start_slot: Some(kernel_start_slot(dispatch.simd_width, &widths)),
        ..dispatch
    });
    joined.metadata.dispatches = numbered.collect::<Vec<_>>().try_into().ok()?;
    Some(joined)
}

/// Whether an error means that the device has too few registers or too little scratch memory at this width, or that the
/// code is too long, so that half as many channels may work.
fn needs_narrower(error: &CompileError) -> bool {
    matches!(
        error,
        CompileError::Scratch { .. }
            | CompileError::Payload { .. }
            | CompileError::Backend(BackendError::Finish(FinishError::Far { .. }))
            | CompileError::Backend(BackendError::Alloc(
                AllocError::Impossible { .. } | AllocError::Pressure { .. }
            ))
    )
}

/// What came of an attempt, for the observer.
pub(crate) fn result<'a>(
    attempt: &'a Result<Attempt, CompileError>,
    target: &Target,
) -> WidthResult<'a> {
    match attempt {
        Ok(Attempt { program, estimate }) => {
            let counted = program.statistics().copied().unwrap_or_default();
            WidthResult::Compiled {
                registers: counted.registers,
                spills: counted.spills + counted.fills,
                cycles: time(estimate, target.limits().threads_per_eu.into()),
            }
        }
        Err(CompileError::Backend(BackendError::Alloc(AllocError::Pressure {
            registers,
            count,
        }))) => WidthResult::Registers { needed: *registers, available: *count },
        Err(error) => WidthResult::Refused(error),
    }
}

/// Estimated number of cycles in which an EU that runs `threads` threads completes all of them. It is the greater of
/// the time of a single thread with its waits, and the work of the busiest unit, which all threads share.
fn time(estimate: &Estimate, threads: u64) -> u64 {
    estimate.cycles.max(threads.saturating_mul(estimate.busiest))
}

/// Whether a program with twice the channels is worth compiling: whether the lower bound `wide` of its cycles is at least a
/// tenth less per channel than `narrow`. A smaller gain is not worth twice the code, and less than the error of the model.
fn may_pay(wide: u64, narrow: u64) -> bool {
    wide.saturating_mul(10) <= narrow.saturating_mul(18)
}

/// Whether a program with twice the channels that takes `wide` cycles is faster per channel than one that takes `narrow`
/// cycles.
fn is_faster(wide: u64, narrow: u64) -> bool {
    wide < narrow.saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_device::Platform;

    /// A program with only a SIMD width.
    fn attempt(width: u8) -> Attempt {
        let text = crestline_program::EXAMPLE;
        let mut metadata = crestline_program::Metadata::from_json(text).unwrap();
        let statistics = crestline_program::Statistics {
            simd_width: width.into(),
            registers: 128,
            ..Default::default()
        };
        metadata.dispatches.first_mut().statistics = Some(statistics);
        let program = Program { code: Vec::new(), metadata };
        Attempt { program, estimate: Estimate::default() }
    }

    /// What is taken and what was tried, where SIMD16 fails so.
    fn without_simd16(widths: &[u8], error: AllocError) -> (Option<u32>, Vec<(u8, bool)>) {
        let mut tried = Vec::new();
        let found = choose(widths, &Target::of(Platform::Skl), |width, may_spill| {
            tried.push((width, may_spill));
            match width {
                16 => Err(CompileError::Backend(BackendError::Alloc(error.clone()))),
                _ => Ok(attempt(width)),
            }
        });
        (found.ok().and_then(|program| Some(program.statistics()?.simd_width)), tried)
    }

    #[test]
    fn what_has_too_much_pressure_at_simd16_is_compiled_at_simd8() {
        let pressure = AllocError::Pressure { registers: 200, count: 128 };
        for error in [pressure.clone(), AllocError::Impossible { vreg: 1, bytes: 64 }] {
            let found = without_simd16(&[8, 16, 32], error);
            assert_eq!(found, (Some(8), vec![(16, false), (8, true)]));
        }
        // With nothing narrower SIMD16 may spill; and other errors are no matter of width.
        assert_eq!(without_simd16(&[16, 32], pressure), (None, vec![(16, true)]));
        let found = without_simd16(&[8, 16, 32], AllocError::Rounds(100));
        assert_eq!(found, (None, vec![(16, false)]));
    }
}
