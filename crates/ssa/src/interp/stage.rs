//! Runs of vertex, tessellation and geometry shaders: slots in, slots or vertices out.

use std::collections::BTreeMap;

use super::code::SlotOp;
use super::{InterpError, Options, Report, Resources};
use crate::ir::{IoSlot, Shader, Stage, StageInfo, SysVal};

/// The slots of a vertex or patch; a component that nothing has written is `None`.
pub type Slots = BTreeMap<IoSlot, [Option<u32>; 4]>;

/// A primitive or patch; of vertex shaders a vertex alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Primitive {
    /// Its vertices or control points.
    pub vertices: Vec<Slots>,
    /// What belongs to the whole patch.
    pub patch: Slots,
}

/// An invocation: what it works on, and its system values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Which of the primitives.
    pub primitive: usize,
    /// The system values that differ between invocations or draw calls. Others are 0.
    pub sysvals: BTreeMap<SysVal, [u32; 3]>,
}

/// What a geometry shader did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// It emitted a vertex.
    Vertex {
        /// To this stream.
        stream: u8,
        /// The outputs of the stream.
        slots: Slots,
    },
    /// It ended the strip of a stream.
    EndPrimitive {
        /// The stream.
        stream: u8,
    },
}

/// What a stage gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Vertex and tessellation evaluation: a vertex per invocation.
    Vertices(Vec<Slots>),
    /// Tessellation control: a patch for each.
    Patches(Vec<Primitive>),
    /// Geometry: what each invocation emitted, in order.
    Emitted(Vec<Vec<Emitted>>),
}

/// Runs a vertex, tessellation or geometry shader.
///
/// Tessellation control shaders run once for each patch, with as many invocations as the output patch has control points:
/// `invocations` has one entry for each patch, and [`SysVal::InvocationId`] is counted. For all other stages it has an
/// entry for each invocation.
///
/// # Errors
/// As [`run`](super::run), and [`InterpError::Unsupported`] for other stages.
pub fn run_stage(
    shader: &Shader,
    resources: &mut Resources,
    primitives: &[Primitive],
    invocations: &[Invocation],
    options: &Options,
) -> Result<(Outputs, Report), InterpError> {
    let group = match shader.stage {
        StageInfo::Vertex | StageInfo::TessEval(_) | StageInfo::Geometry(_) => invocations.len(),
        StageInfo::TessControl(info) => info.output_vertices as usize,
        StageInfo::Fragment | StageInfo::Compute(_) => {
            return Err(InterpError::Unsupported("slots of this stage"));
        }
    };
    let mut io = StageIo {
        shader,
        primitives,
        invocations,
        per_patch: shader.stage.stage() == Stage::TessControl,
        group,
        current: vec![Slots::new(); invocations.len()],
        emitted: vec![Vec::new(); invocations.len()],
        patches: Vec::new(),
    };
    let mut grid = [1; 3];
    if io.per_patch {
        let patch = Primitive { vertices: vec![Slots::new(); group], patch: Slots::new() };
        io.patches = vec![patch; invocations.len()];
        grid[0] = u32::try_from(invocations.len()).unwrap_or(u32::MAX);
    }
    let report = super::run_in(shader, resources, grid, options, Some(&mut io))?;
    let outputs = match shader.stage.stage() {
        Stage::TessControl => Outputs::Patches(io.patches),
        Stage::Geometry => Outputs::Emitted(io.emitted),
        _ => Outputs::Vertices(io.current),
    };
    Ok((outputs, report))
}

/// The inputs and outputs of a run.
pub(super) struct StageIo<'a> {
    shader: &'a Shader,
    primitives: &'a [Primitive],
    invocations: &'a [Invocation],
    /// Whether a workgroup consists of the invocations of one patch, as in tessellation control stages.
    per_patch: bool,
    /// Invocations of a workgroup.
    group: usize,
    /// The outputs of each invocation, of stages that have such.
    current: Vec<Slots>,
    emitted: Vec<Vec<Emitted>>,
    patches: Vec<Primitive>,
}

/// Which invocation accesses slots: the number of its workgroup, and its number within that workgroup.
#[derive(Clone, Copy)]
pub(super) struct Who {
    pub(super) group: u32,
    pub(super) local: u32,
}

impl StageIo<'_> {
    /// Invocations of a workgroup.
    pub(super) fn group(&self) -> usize {
        self.group
    }

    fn number(&self, who: Who) -> usize {
        (if self.per_patch { who.group } else { who.local }) as usize
    }

    /// A component of a system value of the stage; 0 if the run does not supply the value.
    pub(super) fn sysval(&self, who: Who, sysval: SysVal, comp: usize) -> u32 {
        if self.per_patch && sysval == SysVal::InvocationId {
            return who.local;
        }
        let invocation = self.invocations.get(self.number(who));
        invocation.and_then(|i| i.sysvals.get(&sysval)).map_or(0, |comps| comps[comp])
    }

    /// The slots that a read is of: of the last vertex for those that there are not.
    fn source(&self, who: Who, op: &SlotOp, vertex: Option<u32>) -> Option<&Slots> {
        let primitive = match op.output {
            true => self.patches.get(self.number(who))?,
            false => {
                let invocation = self.invocations.get(self.number(who))?;
                self.primitives.get(invocation.primitive)?
            }
        };
        match vertex {
            Some(vertex) => primitive.vertices.get(vertex as usize).or(primitive.vertices.last()),
            None if op.slot.is_patch() => Some(&primitive.patch),
            None => primitive.vertices.first(),
        }
    }

    /// A dword of what an access reads, number `at` from its first on; `None` if it is not there or was not written.
    pub(super) fn read(
        &self,
        who: Who,
        op: &SlotOp,
        vertex: Option<u32>,
        index: u32,
        at: usize,
    ) -> Option<u32> {
        let slot = op.at(index)?;
        let slots = self.source(who, op, vertex)?;
        slots.get(&slot).and_then(|dwords| *dwords.get(usize::from(op.first) + at)?)
    }

    /// Writes a dword, number `at` from the access's first on.
    pub(super) fn write(
        &mut self,
        who: Who,
        op: &SlotOp,
        vertex: Option<u32>,
        index: u32,
        (at, dword): (usize, u32),
    ) {
        let number = self.number(who);
        let Some(slot) = op.at(index) else { return };
        let slots = match (self.per_patch, vertex) {
            (false, _) => self.current.get_mut(number),
            (true, None) => self.patches.get_mut(number).map(|patch| &mut patch.patch),
            (true, Some(vertex)) => self.patches.get_mut(number).and_then(|patch| {
                let last = patch.vertices.len().checked_sub(1)?;
                patch.vertices.get_mut(last.min(vertex as usize))
            }),
        };
        let place = usize::from(op.first) + at;
        if let Some(dwords) = slots.map(|slots| slots.entry(slot).or_default())
            && let Some(written) = dwords.get_mut(place)
        {
            *written = Some(dword);
        }
    }

    /// Makes a vertex of the outputs of a stream.
    pub(super) fn emit(&mut self, who: Who, stream: u8) {
        let number = self.number(who);
        let outputs = &self.shader.outputs;
        let of_stream = |slot: &IoSlot| {
            outputs.iter().any(|var| var.stream == stream && var.index_of(*slot).is_some())
        };
        let mut slots = std::mem::take(&mut self.current[number]);
        let kept = slots.extract_if(.., |slot, _| !of_stream(slot)).collect();
        self.current[number] = kept;
        self.emitted[number].push(Emitted::Vertex { stream, slots });
    }

    /// Ends the strip of a stream.
    pub(super) fn end_primitive(&mut self, who: Who, stream: u8) {
        let number = self.number(who);
        self.emitted[number].push(Emitted::EndPrimitive { stream });
    }
}
