//! The entry points of a program.

use crate::json::{Node, Read, record};
use crate::{MetadataError, Statistics, ThreadPayload};
use serde::Serialize;

/// Alignment of entry points in bytes. Kernel start pointers have no bits 5:0.
pub const ENTRY_ALIGNMENT: u32 = 64;

/// One entry point of a program.
///
/// All entry points of a program do the same work for the same resources. They differ in how many channels a thread has
/// and in the contents of its registers at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dispatch {
    /// Number of channels of a thread: 8, 16 or 32. Stages of the geometry pipeline always have 8.
    pub simd_width: u32,
    /// Start of the threads, in bytes from the start of the code; a multiple of [`ENTRY_ALIGNMENT`].
    pub offset: u32,
    /// Number of the kernel start pointer that the driver sets to the offset: 0, 1 or 2 for KSP0 to
    /// KSP2 of `3DSTATE_PS`. Only for fragment shaders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel_start_slot: Option<u8>,
    /// Contents of the registers when a thread starts.
    pub payload: ThreadPayload,
    /// Statistics of the compiler about the code of this entry point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
}

impl Dispatch {
    /// An entry point at the start of the code, without statistics.
    pub fn at_start(simd_width: u32, payload: ThreadPayload) -> Dispatch {
        Dispatch { simd_width, offset: 0, kernel_start_slot: None, payload, statistics: None }
    }
}

/// The entry points of a program, at least one. A driver that uses only one entry point uses the
/// first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "Vec<Dispatch>")]
pub struct Dispatches {
    first: Dispatch,
    rest: Vec<Dispatch>,
}

impl Dispatches {
    /// The first entry point, for drivers that use only one.
    pub fn first(&self) -> &Dispatch {
        &self.first
    }

    /// The first entry point, mutable.
    pub fn first_mut(&mut self) -> &mut Dispatch {
        &mut self.first
    }

    /// All entry points in order.
    pub fn iter(&self) -> impl Iterator<Item = &Dispatch> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// Adds an entry point.
    pub fn push(&mut self, dispatch: Dispatch) {
        self.rest.push(dispatch);
    }

    /// Number of entry points, at least 1.
    pub fn count(&self) -> usize {
        1 + self.rest.len()
    }
}

impl From<Dispatch> for Dispatches {
    fn from(first: Dispatch) -> Dispatches {
        Dispatches { first, rest: Vec::new() }
    }
}

/// The error for an empty list of entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected at least one entry point")]
pub struct NoDispatch;

impl TryFrom<Vec<Dispatch>> for Dispatches {
    type Error = NoDispatch;

    fn try_from(dispatches: Vec<Dispatch>) -> Result<Dispatches, NoDispatch> {
        let mut rest = dispatches.into_iter();
        let first = rest.next().ok_or(NoDispatch)?;
        Ok(Dispatches { first, rest: rest.collect() })
    }
}

impl From<Dispatches> for Vec<Dispatch> {
    fn from(Dispatches { first, rest }: Dispatches) -> Vec<Dispatch> {
        std::iter::once(first).chain(rest).collect()
    }
}

record! {
    Dispatch { simd_width, offset: default, kernel_start_slot, payload, statistics }
}

impl Read for Dispatches {
    fn read(node: Node<'_>) -> Result<Dispatches, MetadataError> {
        let dispatches: Vec<Dispatch> = Read::read(node)?;
        dispatches.try_into().map_err(|_| node.expected("at least one entry point"))
    }
}
