//! What each instruction costs on which unit of the hardware, and the estimated time of machine code.
//!
//! - [`rows`] has the figures: one row for each kind of arithmetic and each kind of message.
//! - [`cost`] computes the [`Cost`] of one instruction on a generation. Its input is a [`Work`], which the back end makes
//!   of its own instructions and [`walk`] of machine code.
//! - [`walk`] follows machine code from start to end with a model of an EU. It returns the cycles of one thread, the
//!   busy cycles of each unit, and what each instruction waited for, in sum and for each block.
//! - [`known_trips`] finds the numbers of trips that are in the code, for [`Trips`].
//! - [`graph`](graph()) has the blocks with their successors, [`messages`] the sizes of messages.
//!
//! The model is an in-order front end that waits for operands and for the unit that executes the instruction. It has one
//! thread; other threads, divergence and the contents of caches are not modelled. All times are in cycles of the EU.
//!
//! The code can be of any compiler:
//!
//! ```
//! use crestline_device::{Device, Platform};
//! use crestline_isa::{decode_program, text};
//! use crestline_timing::{Options, Unit, walk};
//!
//! let device = Device::new(Platform::Skl);
//! // Two moves: the second reads the result of the first, which is available 8 cycles after the issue of 2 cycles.
//! let code = "mov(8) g2<1>F g1<8,8,1>F { align1 1Q };\nmov(8) g3<1>F g2<8,8,1>F { align1 1Q };";
//! let insts = text::parse_program(code, device.generation(), text::Syntax::Mesa).unwrap();
//! let report = walk(insts.iter().enumerate().map(|(n, inst)| (16 * n, inst)), &device, &Options::default());
//! assert_eq!(report.cycles, 12);
//! assert_eq!(report.busy[Unit::Fpu], 4);
//! ```

#![deny(missing_docs)]

pub mod cost;
mod describe;
mod flow;
mod graph;
mod reader;
mod registers;
pub mod rows;
mod sequences;
mod trips;
mod unit;
mod walk;

pub use cost::{Cost, Work};
pub use graph::{GraphBlock, MessageSize, channels, graph, messages};
pub use trips::known_trips;
pub use unit::{PerUnit, Unit};
pub use walk::{Block, Cause, Counting, Loop, Options, Report, Step, Trips, walk, walk_code};
