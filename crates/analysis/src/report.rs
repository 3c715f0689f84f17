//! The types of a report. Their JSON form is described by `docs/analysis.schema.json`, which is generated from them.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the JSON form. It increases if a field is removed or its meaning changes; new fields keep it.
pub const VERSION: u32 = 1;

/// Analyses of programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Version of this form of the document.
    pub analysis_version: u32,
    /// Version of the program that wrote it.
    pub crestline_version: String,
    /// One entry for each program and SIMD width.
    pub programs: Vec<Analysis>,
}

impl Document {
    /// A document of the current version.
    pub fn new(programs: Vec<Analysis>) -> Document {
        let crestline_version = env!("CARGO_PKG_VERSION").to_owned();
        Document { analysis_version: VERSION, crestline_version, programs }
    }

    /// The schema of the JSON form, as JSON text.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Document);
        // A schema has only strings as keys, so it always has a JSON form.
        serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
    }
}

/// The analysis of one code entry of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// The file that was analysed.
    pub file: String,
    /// The name of the entry point or kernel; empty if it is not known.
    pub name: String,
    /// The platform, such as `skl`.
    pub target: String,
    /// The stage, such as `compute`; absent if there is no metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Channels of a thread; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simd_width: Option<u32>,
    /// The run that replaced assumptions; absent if nothing was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// Sizes of the code.
    pub code: CodeSize,
    /// Instructions by kind, without kinds that do not occur.
    pub kinds: Vec<KindCount>,
    /// General registers.
    pub registers: Registers,
    /// Registers that were stored to memory because there were too few.
    pub spills: Spills,
    /// Messages by kind, in the order of their first occurrence.
    pub messages: Vec<MessageGroup>,
    /// Loops, in the order of the code.
    pub loops: Vec<LoopReport>,
    /// Times.
    pub cycles: Cycles,
    /// Units that do anything, in a fixed order.
    pub units: Vec<UnitLoad>,
    /// What limits the speed of an EU with all its threads in use: the name of a unit, or `latency` if all units are idle
    /// part of the time.
    pub bound: String,
    /// Threads that can run at the same time; absent if there is no metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occupancy: Option<Occupancy>,
    /// Source lines, hottest first; then code without a source line.
    pub lines: Vec<LineReport>,
    /// Basic blocks, in the order of the code.
    pub blocks: Vec<BlockReport>,
    /// Instructions, in the order of the code.
    #[serde(default)]
    pub instructions: Vec<InstructionReport>,
    /// The SIMD widths that the compiler tried, in the order of the attempts; empty for machine code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<WidthAttempt>,
    /// What the compiler knows about the shader before a SIMD width is chosen; absent for machine code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shader: Option<ShaderReport>,
    /// Advice.
    pub hints: Vec<Hint>,
}

/// A run on the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// Threads that ran.
    pub threads: u64,
    /// Instructions that all threads executed.
    pub instructions: u64,
}

/// Sizes of the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeSize {
    /// Bytes of the instructions.
    pub bytes: u64,
    /// Instructions.
    pub instructions: u64,
    /// Instructions in the compacted form, of 8 bytes.
    pub compacted: u64,
    /// Compacted instructions in percent of all.
    pub compacted_percent: f64,
    /// Bytes after the end of the thread that no branch leads to.
    pub padding_bytes: u64,
    /// Instructions that do not decode. They count as instructions without an effect.
    pub undecoded: u64,
}

/// A kind of instruction.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Copies and conversions.
    Move,
    /// Arithmetic with floats.
    Float,
    /// Arithmetic with integers.
    Integer,
    /// Logic, shifts and bit fields.
    Logic,
    /// Comparisons and selections.
    Compare,
    /// Extended math.
    Math,
    /// Flow control.
    Flow,
    /// Messages.
    Message,
    /// Waits, padding, and what does not decode.
    Other,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 9] = [
        Kind::Move,
        Kind::Float,
        Kind::Integer,
        Kind::Logic,
        Kind::Compare,
        Kind::Math,
        Kind::Flow,
        Kind::Message,
        Kind::Other,
    ];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Move => "move",
            Kind::Float => "float",
            Kind::Integer => "integer",
            Kind::Logic => "logic",
            Kind::Compare => "compare",
            Kind::Math => "math",
            Kind::Flow => "flow",
            Kind::Message => "message",
            Kind::Other => "other",
        }
    }
}

/// The instructions of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KindCount {
    /// The kind.
    pub kind: Kind,
    /// Instructions in the code.
    pub instructions: u64,
    /// Executions, with the trips of loops.
    pub executions: u64,
}

/// A place: in the code, and in the source if that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Byte offset in the code.
    pub offset: u64,
    /// The source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLine>,
}

/// A line of the source.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct SourceLine {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

/// General registers, of 32 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Registers {
    /// Different registers that the code accesses.
    pub used: u32,
    /// Registers that the code may use.
    pub available: u32,
    /// The highest pressure: registers in use at the same time. Absent if the flow of control is too entangled for the
    /// analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<Peak>,
    /// Instructions with an operand whose address is in a register. Their accesses are not part of the pressure.
    pub indirect: u32,
}

/// The highest pressure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Peak {
    /// Registers.
    pub registers: u32,
    /// The first instruction at which so many are in use.
    pub at: Place,
    /// The values in these registers, largest first.
    pub values: Vec<Value>,
}

/// Registers that were written together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    /// Number of registers in use.
    pub registers: u32,
    /// The first of them.
    pub first: u32,
    /// The last instruction before, in the order of the code, that writes one of them; absent for registers that have their
    /// contents when the thread starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Place>,
    /// The first instruction behind that reads one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Place>,
    /// The names of the variables that the line of `written` assigns. The value may be one of them, or a part of what they get.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
}

/// Spilled registers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spills {
    /// Messages that store registers to scratch memory.
    pub stores: u64,
    /// Messages that load registers from scratch memory.
    pub loads: u64,
    /// Executions of both, with the trips of loops.
    pub executions: u64,
    /// Bytes that the executions move.
    pub bytes: u64,
    /// The places in scratch memory, in the order of their offsets.
    pub slots: Vec<SpillSlot>,
}

/// A place in scratch memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpillSlot {
    /// Offset in bytes from the start of the thread's scratch memory.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// Where the stored values are computed.
    pub computed: Vec<Place>,
    /// Where loaded values are used first.
    pub used: Vec<Place>,
    /// The names of the variables that the lines of `computed` assign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
}

/// The messages of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageGroup {
    /// The name of the message, or of the shared function if the message is not known before the run.
    pub message: String,
    /// The shared function.
    pub function: String,
    /// Messages in the code.
    pub instructions: u64,
    /// Executions, with the trips of loops.
    pub executions: u64,
    /// Bytes of registers that the executions send, without headers.
    pub sent_bytes: u64,
    /// Bytes of registers that the executions return.
    pub returned_bytes: u64,
    /// Bytes of memory that the executions accessed, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessed_bytes: Option<u64>,
    /// Cache lines that the executions accessed, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessed_lines: Option<u64>,
}

/// Where a number of trips comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TripSource {
    /// From the code.
    Known,
    /// It is assumed.
    Assumed,
    /// From a run.
    Measured,
}

impl TripSource {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            TripSource::Known => "known",
            TripSource::Assumed => "assumed",
            TripSource::Measured => "measured",
        }
    }
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoopReport {
    /// The first instruction.
    pub at: Place,
    /// Byte offset behind the last instruction.
    pub end: u64,
    /// Number of loops around it.
    pub depth: u32,
    /// Trips of each entry into the loop; the mean if they were measured.
    pub trips: f64,
    /// Where that number comes from.
    pub source: TripSource,
    /// Cycles of one trip, with the loops inside.
    pub cycles: f64,
}

/// Times in cycles of the EU.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cycles {
    /// One thread alone; the mean if it was measured.
    pub thread: u64,
    /// An EU with all its threads in use, until all of them have ended.
    pub eu: u64,
    /// Threads of an EU.
    pub threads_per_eu: u32,
    /// `eu` divided by the invocations of these threads; absent if the SIMD width is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_invocation: Option<f64>,
    /// Of `thread`, the cycles of waiting.
    pub stalled: u64,
    /// The longest chains of dependent instructions of each block, in sum: the time of a thread with any number of units.
    pub chain: u64,
    /// The shortest path from the start to the end, with one trip of each loop.
    pub shortest_path: u64,
    /// The longest path, with all trips of the loops.
    pub longest_path: u64,
    /// Whether the times depend on assumed numbers of trips.
    pub is_assumed: bool,
}

/// The load of a unit. If the executions were measured, the numbers are the sum of all threads, otherwise of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnitLoad {
    /// The unit.
    pub unit: String,
    /// Executed instructions or messages.
    pub executions: u64,
    /// Busy cycles.
    pub busy: u64,
    /// Busy cycles of a full EU in percent of its time.
    pub percent: f64,
}

/// Threads that can run at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Occupancy {
    /// Threads of a subslice that can be in use.
    pub threads: u32,
    /// Threads that a subslice has for this stage.
    pub available: u32,
    /// `threads` in percent of `available`.
    pub percent: f64,
    /// Workgroups that run at the same time on a subslice; absent for other stages than compute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workgroups: Option<u32>,
    /// What limits it: `threads`, `shared memory`.
    pub limit: String,
}

/// The code of a source line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineReport {
    /// The line; absent for code without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLine>,
    /// Why the code has no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'static, str>>,
    /// The text of the line, if the source is at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its cost.
    #[serde(flatten)]
    pub cost: PartCost,
}

/// The cost of a part of the code. If the executions were measured, the numbers are the sum of all threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartCost {
    /// Instructions in the code.
    pub instructions: u64,
    /// Executed instructions.
    pub executions: u64,
    /// Cycles from the issue of the instruction before, for all executions.
    pub cycles: u64,
    /// Cycles in percent of the whole program.
    pub percent: f64,
    /// Of the cycles, those of waiting.
    pub stalled: u64,
    /// Busy cycles by unit, only of units that do anything.
    pub busy: Vec<UnitCycles>,
    /// Executed messages.
    pub messages: u64,
    /// Bytes of registers that these messages move.
    pub message_bytes: u64,
    /// The highest pressure, in registers.
    pub pressure: u32,
}

/// Busy cycles of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnitCycles {
    /// The unit.
    pub unit: Cow<'static, str>,
    /// Cycles.
    pub cycles: u64,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockReport {
    /// The number of the block.
    pub block: u32,
    /// Byte offset of the first instruction.
    pub offset: u64,
    /// Byte offset behind the last instruction.
    pub end: u64,
    /// The blocks that can follow.
    pub successors: Vec<u32>,
    /// How often it runs.
    pub runs: u64,
    /// Cycles of one run.
    pub cycles_once: u64,
    /// The lines of the source that it implements, in order.
    pub lines: Vec<SourceLine>,
    /// Its cost.
    #[serde(flatten)]
    pub cost: PartCost,
}

/// What an instruction waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StallKind {
    /// A register that another instruction writes or still reads.
    Register,
    /// A unit that another instruction occupies.
    Unit,
}

/// A stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stall {
    /// Cycles.
    pub cycles: u64,
    /// What the instruction waits for.
    pub kind: StallKind,
    /// Byte offset of the other instruction.
    pub on: u64,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionReport {
    /// Byte offset in the code.
    pub offset: u64,
    /// Whether it is compacted.
    pub compacted: bool,
    /// Assembly text.
    pub text: String,
    /// The number of its block.
    pub block: u32,
    /// The kind.
    pub kind: Kind,
    /// The cycle of its issue if each instruction before it is executed once.
    pub issue: u64,
    /// Cycles from the issue of the instruction before.
    pub cycles: u64,
    /// The wait, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stall: Option<Stall>,
    /// The unit that executes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Cow<'static, str>>,
    /// Busy cycles of the unit.
    pub busy: u32,
    /// Executions.
    pub executions: u64,
    /// Registers in use; 0 if the pressure is not known.
    pub pressure: u32,
    /// The source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLine>,
    /// Why it has no source line, if it has none and the program has lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'static, str>>,
}

/// A SIMD width that the compiler tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WidthAttempt {
    /// The width, in channels.
    pub simd_width: u32,
    /// What came of it.
    pub outcome: WidthOutcome,
    /// Registers that the program uses, or that the shader needs at the same time if it cannot be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Messages that store or load spilled registers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spills: Option<u32>,
    /// Estimated cycles of an EU for each invocation, by which the compiler compares widths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_per_invocation: Option<f64>,
    /// Which limit is exceeded, if it is not that of registers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What came of an attempt to compile at a SIMD width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WidthOutcome {
    /// The program has code of this width.
    Used,
    /// The code of this width is not enough faster than narrower code.
    NotFaster,
    /// The shader needs more registers than a thread has.
    Registers,
    /// Another limit is exceeded.
    Refused,
}

/// What the compiler knows about an optimised shader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShaderReport {
    /// The branches at which invocations of a subgroup separate, in the order of the code.
    pub divergent_branches: Vec<DivergentBranch>,
    /// The loads that stayed apart from an earlier load although both fit into one message, in the order of the code.
    pub unmerged_loads: Vec<UnmergedLoad>,
}

/// A kind of branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BranchKind {
    /// Invocations take different sides.
    If,
    /// Invocations leave the loop in different iterations.
    Loop,
}

impl BranchKind {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            BranchKind::If => "if",
            BranchKind::Loop => "loop",
        }
    }
}

/// A branch at which invocations of a subgroup separate, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DivergentBranch {
    /// The kind.
    pub kind: BranchKind,
    /// The line of the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLine>,
    /// For a loop: the line of the condition under which an invocation leaves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<SourceLine>,
    /// What differs between the invocations in the first place, such as `local_invocation_id`.
    pub origin: String,
    /// The line at which it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_source: Option<SourceLine>,
    /// The lines by which the difference reaches the condition, from the origin on; at most the last eight.
    pub through: Vec<SourceLine>,
}

/// What keeps two loads apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleKind {
    /// A store or atomic between them may change the loaded bytes.
    Write,
    /// A barrier, or another instruction that loads must not pass, is between them.
    Order,
    /// A branch is between them.
    Branch,
    /// An access is volatile.
    Volatile,
    /// The second access is coherent: it must see what other invocations wrote after the first.
    Coherent,
    /// They are too far apart in the code.
    Distance,
    /// The accesses have different guarantees, such as `readonly`.
    Access,
}

impl ObstacleKind {
    /// What it says to a person.
    pub fn text(self) -> &'static str {
        match self {
            ObstacleKind::Write => "a write that may change the bytes",
            ObstacleKind::Order => "a barrier or another effect that loads must not pass",
            ObstacleKind::Branch => "a branch",
            ObstacleKind::Volatile => "an access is volatile",
            ObstacleKind::Coherent => "the access is coherent",
            ObstacleKind::Distance => "too much code between them",
            ObstacleKind::Access => "the accesses have different qualifiers",
        }
    }
}

/// A load that stayed apart from an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnmergedLoad {
    /// The memory, such as `storage buffer 0.1 "data"`.
    pub memory: String,
    /// The line of the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceLine>,
    /// The line of the earlier load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<SourceLine>,
    /// Whether both load the same bytes. Otherwise one starts where the other ends.
    pub again: bool,
    /// What keeps them apart.
    pub obstacle: ObstacleKind,
    /// The line of the obstacle, if it is an instruction between the loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between: Option<SourceLine>,
    /// The memory that the obstacle writes, if it writes any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

/// Advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hint {
    /// The rule, such as `H1`.
    pub id: String,
    /// What was found.
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
}
