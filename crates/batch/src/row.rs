//! The rows of a result file.

use crestline_program::Statistics;
use serde::{Deserialize, Serialize};

/// The name of the schema in the first line of a result file.
pub const SCHEMA: &str = "crestline-batch";

/// The version of the schema. It grows when a field changes its meaning or disappears.
pub const VERSION: u32 = 1;

/// What became of an entry point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It has code.
    #[default]
    Compiled,
    /// The compiler gave an error.
    Refused,
    /// The compiler took too much time or memory, or its process ended.
    GivenUp,
}

impl Outcome {
    /// The name in result files.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Compiled => "compiled",
            Outcome::Refused => "refused",
            Outcome::GivenUp => "given_up",
        }
    }
}

/// The code of one SIMD width of one entry point for one target, or the reason why there is none.
///
/// Rows are ordered by module, entry point, stage, target, and width.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The module's file with `/` between folders, as collected.
    pub module: String,
    /// The entry point; empty if the module was refused before its entry points were known.
    pub entry: String,
    /// The stage: `vertex`, `tess_control`, `tess_eval`, `geometry`, `fragment`, `compute`, or empty.
    pub stage: String,
    /// The target, such as `skl`.
    pub target: String,
    /// The width that was asked for: `auto`, `8`, `16`, `32` or `4x2`.
    pub asked: String,
    /// Number of channels per thread; 0 if there is no code.
    pub simd_width: u32,
    /// SHA-256 of the module's bytes in hexadecimal digits.
    pub hash: String,
    /// What became of the entry point.
    pub outcome: Outcome,
    /// The code of the error, such as `E0702`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The error in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Number of instructions; a compacted instruction counts as one.
    pub instructions: u32,
    /// Size of the code in bytes.
    pub bytes: u64,
    /// Number of messages of every kind.
    pub sends: u32,
    /// Number of loops.
    pub loops: u32,
    /// Number of messages that store a spilled value.
    pub spills: u32,
    /// Number of messages that load a spilled value.
    pub fills: u32,
    /// Highest number of general registers (32 bytes each) in use at the same time.
    pub registers: u32,
    /// Estimated cycles of one thread, with ten iterations for each loop.
    pub cycles: u64,
}

impl Row {
    /// The row with the statistics of an entry point's code of `bytes` bytes.
    #[must_use]
    pub fn with(self, statistics: &Statistics, bytes: u64) -> Row {
        let Statistics {
            simd_width,
            instructions,
            sends,
            loops,
            spills,
            fills,
            registers,
            estimated_cycles,
        } = *statistics;
        Row {
            outcome: Outcome::Compiled,
            simd_width,
            instructions,
            bytes,
            sends,
            loops,
            spills,
            fills,
            registers,
            cycles: estimated_cycles,
            ..self
        }
    }

    /// The row of an entry point without code.
    #[must_use]
    pub fn without(self, outcome: Outcome, error: Option<&str>, message: &str) -> Row {
        let (error, message) = (error.map(str::to_owned), Some(message.to_owned()));
        Row { outcome, error, message, ..self }
    }

    /// What a row of another result file must have in common with this one to be compared with it, apart from the width.
    pub(crate) fn key(&self) -> [&str; 5] {
        [&self.module, &self.entry, &self.stage, &self.target, &self.asked]
    }
}
