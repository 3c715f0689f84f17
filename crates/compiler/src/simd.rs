//! The choice of a program's SIMD width, by the rule that [`Simd::Auto`](crate::Simd::Auto) describes.

use crestline_codegen::backend::BackendError;
use crestline_codegen::regalloc::AllocError;
use crestline_codegen::schedule::Estimate;
use crestline_codegen::target::Target;
use crestline_program::Program;
use crestline_ssa::ir::ComputeInfo;

use crate::{CompileError, Options};

/// The SIMD widths that may be tried, in ascending order.
///
/// # Errors
/// [`CompileError::Workgroup`] if there are none.
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
    if widens && pays(threads.saturating_mul(estimate.busiest_widened), narrow) {
        return match generate(32, false) {
            Ok(wide) if pays(time(&wide.estimate, threads), narrow) => Ok(wide.program),
            // Another width would hide this bug of the compiler.
            Err(error) if error.is_defect() => Err(error),
            _ => Ok(program),
        };
    }
    Ok(program)
}

/// Whether an error means that the device has too few registers or too little scratch memory at this width, so that
/// half as many channels may work.
fn needs_narrower(error: &CompileError) -> bool {
    matches!(
        error,
        CompileError::Scratch { .. }
            | CompileError::Backend(BackendError::Alloc(
                AllocError::Impossible { .. } | AllocError::Pressure { .. }
            ))
    )
}

/// Estimated number of cycles in which an EU that runs `threads` threads completes all of them. It is the greater of
/// the time of a single thread with its waits, and the work of the busiest unit, which all threads share.
fn time(estimate: &Estimate, threads: u64) -> u64 {
    estimate.cycles.max(threads.saturating_mul(estimate.busiest))
}

/// Whether a program with twice the channels that takes `wide` cycles is at least a tenth faster per channel than one
/// that takes `narrow` cycles.
fn pays(wide: u64, narrow: u64) -> bool {
    wide.saturating_mul(10) <= narrow.saturating_mul(18)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_device::Platform;

    /// A program with only a SIMD width.
    fn attempt(width: u8) -> Attempt {
        let text = include_str!("../../../docs/metadata-example.json");
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
