//! Statistics of many shaders: which files are compiled ([`collect`]), which part of them on this machine ([`Shard`]), what was
//! compiled before ([`Cache`]), the rows of a result file ([`Row`], [`Results`]), and the differences between two ([`Report`]).
//!
//! This crate compiles nothing. `crestline batch` compiles each module in a child process and gives the rows to this crate.
//!
//! ```
//! use crestline_batch::{Outcome, Report, Results, Row};
//!
//! let row = |instructions| Row {
//!     module: "blur.comp".to_owned(),
//!     target: "skl".to_owned(),
//!     outcome: Outcome::Compiled,
//!     simd_width: 16,
//!     instructions,
//!     ..Row::default()
//! };
//! let old = Results::of(vec![row(40)]);
//! let new = Results::of(vec![row(30)]);
//! let report = Report::new(&old, &new);
//! assert_eq!(report.statistics[0].name, "instructions");
//! assert_eq!(report.statistics[0].mean_ratio, Some(0.75));
//! ```

#![deny(missing_docs)]

mod cache;
mod collect;
mod columns;
mod report;
mod results;
mod row;
mod shard;

pub use cache::{Cache, CacheError, Found, Key, hexadecimal};
pub use collect::{CollectError, EXTENSIONS, collect};
pub use columns::to_parquet;
pub use report::{Change, Compared, Place, Report};
pub use results::{Results, ResultsError, csv, from_json_lines, json_lines, part_of, row_lines};
pub use row::{Outcome, Row, SCHEMA, VERSION};
pub use shard::{Shard, ShardError};
