//! The errors of the verifier.

use crate::ir::{Align, InstId, IoSlot, RegionId, Ty, Value};

/// A broken invariant and its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}{kind}")]
pub struct VerifyError {
    /// The location.
    pub location: ErrorLocation,
    /// The broken invariant.
    pub kind: VerifyErrorKind,
}

/// The location of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorLocation {
    /// The region, if the error is in the code.
    pub region: Option<RegionId>,
    /// The instruction, if the error is in one, and its text.
    pub inst: Option<(InstId, String)>,
}

impl std::fmt::Display for ErrorLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.inst, self.region) {
            (Some((_, text)), _) => write!(f, "`{text}`: "),
            (None, Some(region)) => write!(f, "region {region}: "),
            (None, None) => Ok(()),
        }
    }
}

/// The invariant that a shader breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyErrorKind {
    /// A workgroup has no invocations.
    #[error("local_size is {0:?}: each must be at least 1")]
    LocalSize([u32; 3]),
    /// A property of the stage is invalid, or an instruction belongs to another stage.
    #[error("{0}")]
    Stage(&'static str),
    /// A slot is declared or accessed in a way that is not allowed.
    #[error("{slot}: {what}")]
    Slot {
        /// The slot.
        slot: IoSlot,
        /// What is required.
        what: &'static str,
    },
    /// Bindings are not sorted by set and number, or one occurs twice with the same kind and count.
    #[error("binding b{0} does not come after the one before it in set and number")]
    BindingOrder(usize),
    /// A variable has an array of no elements.
    #[error("variable v{0} has an array of no elements or a structure of no members")]
    EmptyVariable(usize),
    /// The number of a variable's initial values differs from the number of its scalars.
    #[error("variable v{var} has {expected} scalars and {found} first values")]
    InitCount {
        /// The variable.
        var: usize,
        /// The number of its scalars.
        expected: u64,
        /// The number of initial values.
        found: usize,
    },
    /// An id is out of range for its arena.
    #[error("there is no {0}")]
    Missing(String),
    /// An instruction or region has two owners.
    #[error("{0} occurs in the code twice")]
    Shared(String),
    /// Regions are nested too deep.
    #[error("nested more than {0} deep")]
    TooDeep(usize),
    /// A region's last instruction is no terminator.
    #[error("the region does not end with a terminator")]
    Unterminated,
    /// A terminator is not the last instruction.
    #[error("instructions follow the terminator")]
    AfterTerminator,
    /// A terminator has no target here.
    #[error("a terminator that may not end this region")]
    Misplaced,
    /// An operation on the values of a subgroup is not one of those that exist.
    #[error("{0}")]
    Subgroup(&'static str),
    /// A region that no jump passes values to has parameters.
    #[error("a region of `if`, or the outermost, has parameters")]
    Params,
    /// A value's definition and the instruction or region that lists the value do not match.
    #[error("{0} is not a result of the instruction that it names as its definition")]
    Definition(Value),
    /// A value is used at a place where it is not visible.
    #[error("{0} is used before its definition or outside its region")]
    NotVisible(Value),
    /// An instruction has too few or too many results.
    #[error("{found} results, expected {expected}")]
    ResultCount {
        /// The number that is required.
        expected: &'static str,
        /// The number that was found.
        found: usize,
    },
    /// A result has the wrong type.
    #[error("the result has type {found}, expected {expected}")]
    ResultType {
        /// The required type, or what is required of it.
        expected: String,
        /// The type that was found.
        found: Ty,
    },
    /// An instruction has too few or too many sources.
    #[error("{found} sources, expected {expected}")]
    SourceCount {
        /// The number that is required.
        expected: usize,
        /// The number that was found.
        found: usize,
    },
    /// A source has components of the wrong size.
    #[error("source {index} ({value}) has {found} bits, expected {expected}")]
    SourceBits {
        /// The number of the source, from 0.
        index: usize,
        /// Its value.
        value: Value,
        /// The required bit size.
        expected: String,
        /// The bit size that was found.
        found: u32,
    },
    /// A source reads a component that its value does not have.
    #[error("source {index} reads component {comp} of {value}, which has {comps}")]
    Swizzle {
        /// The number of the source, from 0.
        index: usize,
        /// Its value.
        value: Value,
        /// The component that is read, from 0.
        comp: u8,
        /// The number of components of the value.
        comps: usize,
    },
    /// A constant has bits that its type does not have.
    #[error("component {0} of the constant does not fit its type")]
    ConstBits(usize),
    /// A write mask selects no component, or one that the data does not have.
    #[error("the write mask {mask:#b} does not fit {comps} components")]
    Mask {
        /// The mask.
        mask: u8,
        /// The number of components of the data.
        comps: usize,
    },
    /// An alignment is not a power of two with an offset below it.
    #[error("align {}+{}: expected a power of two, and an offset below that power", .0.mul, .0.offset)]
    Align(Align),
    /// A path does not lead to a scalar or vector of the variable.
    #[error("the path does not lead to a scalar or vector of v{0}")]
    Path(u32),
    /// A memory is used in a way that its kind does not allow.
    #[error("{0}")]
    Memory(&'static str),
}
