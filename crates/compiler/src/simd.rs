//! Which SIMD width a program gets: the rule that [`Simd::Auto`](crate::Simd::Auto) states.

use crestline_program::Program;
use crestline_ssa::ir::Shader;

use crate::{CompileError, Options};

/// SIMD widths that may be tried, ascending.
///
/// # Errors
/// [`CompileError::Workgroup`] if there is none.
pub(crate) fn allowed(shader: &Shader, options: &Options) -> Result<Vec<u8>, CompileError> {
    let invocations =
        shader.compute.local_size.iter().fold(1u64, |n, &size| n.saturating_mul(size.into()));
    let limit = options.device.limits().max_workgroup_threads;
    let asked = options.simd.channels();
    let widths: Vec<u8> = [8, 16, 32]
        .into_iter()
        .filter(|&width| asked.is_none_or(|asked| asked == width))
        .filter(|&width| invocations.div_ceil(width.into()) <= limit.into())
        .collect();
    if widths.is_empty() || invocations == 0 {
        let widths = asked.map_or("any SIMD width".to_owned(), |width| format!("SIMD{width}"));
        return Err(CompileError::Workgroup { invocations, limit, widths });
    }
    // A wider thread than the workgroup has only idle channels more.
    let enough = widths.iter().position(|&width| u64::from(width) >= invocations);
    Ok(match (asked, enough) {
        (None, Some(last)) => widths[..=last].to_vec(),
        _ => widths,
    })
}

/// Compiles at the widths that the rule above asks for, and picks.
///
/// # Errors
/// That of the first width tried; later ones may fail without harm. Where that needs more scratch
/// memory than a thread can have, narrower ones are tried.
pub(crate) fn choose(
    widths: &[u8],
    mut generate: impl FnMut(u8) -> Result<Program, CompileError>,
) -> Result<Program, CompileError> {
    let first = match widths {
        [only] => return generate(*only),
        _ if widths.contains(&16) => 16,
        _ => widths[0],
    };
    let program = match generate(first) {
        Err(error @ CompileError::Scratch { .. }) => {
            let narrower = widths.iter().filter(|&&width| width < first);
            return narrower.rev().find_map(|&width| generate(width).ok()).ok_or(error);
        }
        other => other?,
    };
    let spills = |p: &Program| p.statistics.spills + p.statistics.fills;
    if spills(&program) > 0 && widths.contains(&8) && first > 8 {
        return Ok(match generate(8) {
            Ok(narrow) if spills(&narrow) < spills(&program) => narrow,
            _ => program,
        });
    }
    let roomy = program.statistics.registers <= REGISTERS_FOR_WIDENING;
    if spills(&program) == 0 && roomy && widths.contains(&32) && first == 16 {
        return Ok(match generate(32) {
            Ok(wide) if spills(&wide) == 0 && pays(&wide, &program) => wide,
            _ => program,
        });
    }
    Ok(program)
}

/// Above this use of registers at SIMD16, twice the data will hardly fit.
const REGISTERS_FOR_WIDENING: u32 = 64;

/// Whether an invocation of `wide` (twice as many channels) costs at most nine tenths of one of `narrow`: fewer threads
/// hide less latency, so equal cost is not enough.
fn pays(wide: &Program, narrow: &Program) -> bool {
    let cost = |p: &Program| p.statistics.estimated_cycles.saturating_mul(10);
    cost(wide) <= cost(narrow) / 10 * 18
}
