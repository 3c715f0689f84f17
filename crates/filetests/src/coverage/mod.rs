//! The table of `docs/spirv-coverage.md`: which parts of SPIR-V the tests cover, in which stages and on which devices.
//!
//! * [`feature`] lists the features of a module: opcodes, capabilities, built-ins and so on,
//! * [`rows`] reads the features that real modules use (`tests/coverage/rows.tsv`),
//! * [`evidence`] collects the modules of judged tests, with the generations for which each compiles,
//! * [`refused`] reads the modules that the compiler must refuse (`tests/coverage/refused`),
//! * [`page`] writes the tables.

pub mod evidence;
pub mod feature;
pub mod page;
pub mod refused;
pub mod rows;

pub use evidence::Evidence;
pub use feature::{Feature, Kind};
pub use refused::Refused;
pub use rows::Row;

use crestline::Stage;

/// The stages in the order of the columns, with their names in `usage.tsv` and on the page.
pub const STAGES: [(Stage, &str, &str); 6] = [
    (Stage::Compute, "comp", "compute"),
    (Stage::Vertex, "vert", "vertex"),
    (Stage::TessControl, "tesc", "control"),
    (Stage::TessEval, "tese", "evaluation"),
    (Stage::Geometry, "geom", "geometry"),
    (Stage::Fragment, "frag", "fragment"),
];
