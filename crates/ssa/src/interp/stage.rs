//! Runs of vertex, tessellation and geometry shaders. Inputs are slots; outputs are slots or emitted vertices.

use std::collections::BTreeMap;

use super::code::SlotOp;
use super::{InterpError, Options, Report, Resources};
use crate::ir::{IoSlot, Shader, Stage, StageInfo, SysVal};

/// The slots of a vertex or patch. A component that was never written is `None`.
pub type Slots = BTreeMap<IoSlot, [Option<u32>; 4]>;

/// The input of an invocation: a primitive or patch, or for vertex shaders a single vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Primitive {
    /// Its vertices or control points.
    pub vertices: Vec<Slots>,
    /// The slots of the whole patch.
    pub patch: Slots,
}

/// An invocation: its input and its system values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The number of its primitive in the list of inputs.
    pub primitive: usize,
    /// System values that differ between invocations or draw calls. Values that are missing are 0.
    pub sysvals: BTreeMap<SysVal, [u32; 3]>,
}

/// An action of a geometry shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// It emitted a vertex.
    Vertex {
        /// The stream.
        stream: u8,
        /// The outputs of the stream at that time.
        slots: Slots,
    },
    /// It ended the strip of a stream.
    EndPrimitive {
        /// The stream.
        stream: u8,
    },
}

/// The outputs of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Vertex and tessellation evaluation: one vertex per invocation.
    Vertices(Vec<Slots>),
    /// Tessellation control: one output patch per input patch.
    Patches(Vec<Primitive>),
    /// Geometry: the actions of each invocation, in order.
    Emitted(Vec<Vec<Emitted>>),
}

/// Runs a vertex, tessellation or geometry shader.
///
/// A tessellation control shader runs once for each patch, with as many invocations as the output patch has control
/// points. `invocations` then has one entry for each patch, and [`SysVal::InvocationId`] is set for each invocation.
/// For all other stages `invocations` has one entry for each invocation.
///
/// # Errors
/// Those of [`run`](super::run), and [`InterpError::Unsupported`] for other stages.
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
    /// Whether a workgroup consists of the invocations of one patch. This is so for tessellation control.
    per_patch: bool,
    /// Number of invocations of a workgroup.
    group: usize,
    /// The outputs of each invocation, for stages without output patches.
    current: Vec<Slots>,
    /// For geometry shaders: the actions of each invocation.
    emitted: Vec<Vec<Emitted>>,
    /// For tessellation control shaders: the output patches.
    patches: Vec<Primitive>,
}

/// Identifies an invocation: the number of its workgroup, and its number within the workgroup.
#[derive(Clone, Copy)]
pub(super) struct Who {
    pub(super) group: u32,
    pub(super) local: u32,
}

impl StageIo<'_> {
    /// Number of invocations of a workgroup.
    pub(super) fn group(&self) -> usize {
        self.group
    }

    /// The index of an invocation's entry in the lists of this run.
    fn number(&self, who: Who) -> usize {
        (if self.per_patch { who.group } else { who.local }) as usize
    }

    /// A component of a system value; 0 if the run does not supply it.
    pub(super) fn sysval(&self, who: Who, sysval: SysVal, comp: usize) -> u32 {
        if self.per_patch && sysval == SysVal::InvocationId {
            return who.local;
        }
        let invocation = self.invocations.get(self.number(who));
        invocation.and_then(|i| i.sysvals.get(&sysval)).map_or(0, |comps| comps[comp])
    }

    /// The slots of the vertex or patch that a load reads. A vertex number that is too large selects the last vertex.
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

    /// Dword number `at` of a load's data; `None` if the slot does not exist or was never written.
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

    /// Writes dword number `at` of a store's data.
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

    /// Emits a vertex with the outputs of a stream, and makes those outputs undefined.
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
