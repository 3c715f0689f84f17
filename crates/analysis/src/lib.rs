//! Reports on machine code of any compiler: what it costs, which registers it needs, what its messages move, and which
//! source lines that is for.
//!
//! [`analyze`] makes an [`Analysis`] of code, with metadata or without; [`analyze_program`] makes one for each code entry
//! of a [`Program`]. The times are those of the model of [`crestline_timing`], the pressure is a liveness analysis of the
//! machine code. With a [`Measurement`] the executions of a run replace assumed trips of loops.
//!
//! ```
//! use crestline_analysis::{Input, analyze};
//! use crestline_device::{Device, Platform};
//! use crestline_isa::{encode_program, text};
//!
//! let device = Device::new(Platform::Skl);
//! let code = "mov(8) g2<1>F g1<8,8,1>F { align1 1Q };\nmul(8) g3<1>F g2<8,8,1>F g1<8,8,1>F { align1 1Q };";
//! let insts = text::parse_program(code, device.generation(), text::Syntax::Mesa).unwrap();
//! let bytes = encode_program(&insts, device.generation()).unwrap();
//! let analysis = analyze(&Input::new("two.bin", &bytes, &device))?;
//! assert_eq!(analysis.code.instructions, 2);
//! assert_eq!(analysis.registers.peak.unwrap().registers, 3);
//! # Ok::<(), crestline_analysis::AnalysisError>(())
//! ```

#![deny(missing_docs)]

mod access;
mod analyze;
mod hints;
mod html;
mod kind;
mod lines;
mod liveness;
mod messages;
mod metrics;
mod paths;
mod registers;
mod report;
mod text;

pub use analyze::{
    AnalysisError, Input, LineVariable, MAX_INSTRUCTIONS, Measurement, analyze, analyze_program,
};
pub use crestline_program::Program;
pub use hints::{HINTS, HintRule};
pub use html::html;
pub use metrics::{
    Budget, BudgetError, Change, METRICS, Metric, changes, comparison, counterpart, csv,
    metric_named, number, title,
};
pub use report::{
    Analysis, BlockReport, BranchKind, CodeSize, Cycles, DivergentBranch, Document, Hint,
    InstructionReport, Kind, KindCount, LineReport, LoopReport, Measured, MessageGroup,
    ObstacleKind, Occupancy, PartCost, Peak, Place, Registers, ShaderReport, SourceLine, SpillSlot,
    Spills, Stall, StallKind, TripSource, UnitCycles, UnitLoad, UnmergedLoad, VERSION, Value,
    WidthAttempt, WidthOutcome,
};
pub use text::{TextOptions, text};
