//! The line table of a program.

use crestline_codegen::backend::Compiled;
use crestline_codegen::ir::Origin;

use crestline_program::{LineRow, LineTable, MAX_LINE_ROWS, NoPlace, SourcePlace};
use crestline_ssa::ir::DebugLocs;

use crate::pipeline::offsets;

/// The line table of code that starts at offset 0; `None` if the source has no lines.
pub(crate) fn table(compiled: &Compiled) -> Option<LineTable> {
    let debug = &*compiled.debug;
    if debug.is_empty() {
        return None;
    }
    let mut rows: Vec<LineRow> = Vec::new();
    let mut last = None;
    for (offset, &origin) in offsets(&compiled.insts).zip(&compiled.origins) {
        if last == Some(origin) {
            continue;
        }
        last = Some(origin);
        let row = row(debug, origin, offset as u32);
        // Different origins can give the same row.
        if rows.last().is_some_and(|last| (&last.places, last.reason) == (&row.places, row.reason))
        {
            continue;
        }
        if rows.len() + 1 == MAX_LINE_ROWS {
            let reason = Some(NoPlace::Unknown);
            rows.push(LineRow { places: Vec::new(), reason, ..row });
            break;
        }
        rows.push(row);
    }
    Some(LineTable { files: debug.files().to_vec(), rows })
}

fn row(debug: &DebugLocs, origin: Origin, offset: u32) -> LineRow {
    let mut places = Vec::new();
    let reason = match origin {
        Origin::Source(loc) => {
            places.extend(debug.places(loc).iter().map(|place| SourcePlace {
                file: place.file.index() as u32,
                line: place.line,
                column: place.column,
            }));
            places.is_empty().then_some(NoPlace::Unknown)
        }
        Origin::Setup => Some(NoPlace::Setup),
        Origin::Constant => Some(NoPlace::Constant),
        Origin::Spill => Some(NoPlace::Spill),
        Origin::Hazard => Some(NoPlace::Hazard),
    };
    LineRow { offset, places, reason }
}
