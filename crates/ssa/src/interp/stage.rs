//! Runs of all stages but compute. Inputs are slots; outputs are slots or emitted vertices.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::code::SlotOp;
use super::{InterpError, Options, Report, Resources};
use crate::ir::{InterpPlace, IoSlot, Shader, Stage, StageInfo, SysVal};

/// Invocations of a quad.
const QUAD: usize = 4;

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

/// The primitive that a fragment shader runs for: what weights of vertices and values of vertices follow from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FragmentPrimitive {
    /// The slots of its one, two or three vertices.
    pub vertices: Vec<Slots>,
    /// For each of them, the place in the framebuffer in pixels (x and y), and 1 / w.
    pub corners: Vec<[f32; 3]>,
    /// The positions of the samples in a pixel, from 0 to 1.
    pub samples: Vec<[f32; 2]>,
}

impl FragmentPrimitive {
    /// The weights of the second and third vertex at a place in the framebuffer.
    fn weights(&self, [x, y]: [f64; 2], perspective: bool) -> [f32; 2] {
        let corner = |i: usize| self.corners.get(i).map(|corner| corner.map(f64::from));
        let Some(first) = corner(0) else { return [0.0; 2] };
        let from = |[x, y, _]: [f64; 3]| [x - first[0], y - first[1]];
        let here = from([x, y, 0.0]);
        let linear = match (corner(1), corner(2)) {
            (Some(second), Some(third)) => {
                let (b, c) = (from(second), from(third));
                let area = |b: [f64; 2], c: [f64; 2]| b[0] * c[1] - b[1] * c[0];
                let whole = area(b, c);
                [area(here, c) / whole, area(b, here) / whole]
            }
            (Some(second), None) => {
                let b = from(second);
                let dot = |a: [f64; 2]| a[0] * b[0] + a[1] * b[1];
                [dot(here) / dot(b), 0.0]
            }
            _ => [0.0; 2],
        };
        if !perspective {
            return linear.map(|weight| weight as f32);
        }
        let share = |i: usize, weight: f64| weight * corner(i).map_or(0.0, |corner| corner[2]);
        let parts = [share(1, linear[0]), share(2, linear[1])];
        let sum = share(0, 1.0 - linear[0] - linear[1]) + parts[0] + parts[1];
        parts.map(|part| (part / sum) as f32)
    }
}

/// A place in the pixel of an invocation.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Place(InterpPlace),
    /// The position of the sample with this number.
    Sample(u32),
    /// The centre plus this offset, in pixels.
    Offset([f32; 2]),
}

/// An invocation of a fragment shader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FragmentInvocation {
    /// Its inputs, already interpolated.
    pub inputs: Slots,
    /// The system values that differ between invocations or draw calls; a boolean is 0 or 1. Others are 0, and
    /// [`SysVal::HelperInvocation`] follows from `helper`.
    pub sysvals: BTreeMap<SysVal, [u32; 4]>,
    /// Whether it is a helper from the start: it computes only values for the derivatives of its quad.
    pub helper: bool,
    /// Its primitive. Without one, weights and values of vertices are undefined.
    pub primitive: Option<Arc<FragmentPrimitive>>,
}

/// The result of an invocation of a fragment shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Its outputs. Those of a helper must be ignored.
    pub outputs: Slots,
    /// Whether it is a helper at the end: from the start, or because the shader discarded it.
    pub helper: bool,
}

impl Fragment {
    /// The sample mask that the shader writes; all bits are set if it writes none, or an undefined one.
    pub fn sample_mask(&self) -> u32 {
        self.outputs.get(&IoSlot::SampleMask).and_then(|comps| comps[0]).unwrap_or(u32::MAX)
    }
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
        StageInfo::Fragment(_) | StageInfo::Compute(_) => {
            return Err(InterpError::Unsupported("slots of this stage"));
        }
    };
    let mut io = StageIo {
        shader,
        primitives,
        invocations,
        fragments: &[],
        demoted: Vec::new(),
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

/// Runs a fragment shader.
///
/// `invocations` has four entries for each quad: the upper left pixel, the upper right, the lower left, the lower right.
/// Subgroups are made of whole quads: their size must be a multiple of 4.
///
/// # Errors
/// As [`run`](super::run), [`InterpError::Quads`], and [`InterpError::Unsupported`] for other stages.
pub fn run_fragments(
    shader: &Shader,
    resources: &mut Resources,
    invocations: &[FragmentInvocation],
    options: &Options,
) -> Result<(Vec<Fragment>, Report), InterpError> {
    if shader.stage.stage() != Stage::Fragment {
        return Err(InterpError::Unsupported("other stages as fragment shaders"));
    }
    let (count, size) = (invocations.len(), options.subgroup_size as usize);
    if count % QUAD != 0 || size % QUAD != 0 {
        return Err(InterpError::Quads { invocations: count, subgroup_size: size });
    }
    let mut io = StageIo {
        shader,
        primitives: &[],
        invocations: &[],
        fragments: invocations,
        demoted: vec![false; count],
        per_patch: false,
        group: count,
        current: vec![Slots::new(); count],
        emitted: Vec::new(),
        patches: Vec::new(),
    };
    let report = super::run_in(shader, resources, [1; 3], options, Some(&mut io))?;
    let outputs = io.current.into_iter().zip(io.demoted).zip(invocations);
    let fragment = |((outputs, demoted), invocation): ((_, _), &FragmentInvocation)| Fragment {
        outputs,
        helper: demoted || invocation.helper,
    };
    Ok((outputs.map(fragment).collect(), report))
}

/// The inputs and outputs of a run.
pub(super) struct StageIo<'a> {
    shader: &'a Shader,
    primitives: &'a [Primitive],
    invocations: &'a [Invocation],
    /// The invocations of a fragment shader, for which `primitives` and `invocations` are empty.
    fragments: &'a [FragmentInvocation],
    /// For each of these, whether the shader has made it a helper.
    demoted: Vec<bool>,
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
        if let Some(fragment) = self.fragments.get(self.number(who)) {
            return match sysval {
                SysVal::HelperInvocation => fragment.helper.into(),
                _ => fragment.sysvals.get(&sysval).map_or(0, |comps| comps[comp]),
            };
        }
        if self.per_patch && sysval == SysVal::InvocationId {
            return who.local;
        }
        let invocation = self.invocations.get(self.number(who));
        invocation.and_then(|i| i.sysvals.get(&sysval)).map_or(0, |comps| comps[comp])
    }

    /// The slots of the vertex or patch that a load reads. A vertex number that is too large selects the last vertex.
    fn source(&self, who: Who, op: &SlotOp, vertex: Option<u32>) -> Option<&Slots> {
        if let Some(fragment) = self.fragments.get(self.number(who)) {
            let Some(vertex) = vertex else { return Some(&fragment.inputs) };
            let vertices = &fragment.primitive.as_ref()?.vertices;
            return vertices.get(vertex as usize).or(vertices.last());
        }
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

    /// The weights of the second and third vertex at a place in the pixel of a fragment shader's invocation; `None` if its
    /// primitive is not known.
    pub(super) fn weights(&self, who: Who, at: At, perspective: bool) -> Option<[f32; 2]> {
        let fragment = self.fragments.get(self.number(who))?;
        let primitive = fragment.primitive.as_ref()?;
        let sysval = |sysval| fragment.sysvals.get(&sysval).copied().unwrap_or_default();
        let sample =
            |number: u32| primitive.samples.get(number as usize).map(|at| at.map(f64::from));
        let centre = [0.5; 2];
        let within = match at {
            At::Place(InterpPlace::Centre) => centre,
            At::Place(InterpPlace::Sample) => sample(sysval(SysVal::SampleId)[0]).unwrap_or(centre),
            // The centre if the primitive covers all samples, else a sample that it covers.
            At::Place(InterpPlace::Centroid) => {
                let [covered, ..] = sysval(SysVal::SampleMaskIn);
                let all = (1u64 << primitive.samples.len().min(32)) - 1;
                match u64::from(covered) & all {
                    0 => centre,
                    some if some == all => centre,
                    some => sample(some.trailing_zeros()).unwrap_or(centre),
                }
            }
            At::Sample(number) => sample(number).unwrap_or(centre),
            At::Offset([x, y]) => [0.5 + f64::from(x), 0.5 + f64::from(y)],
        };
        let [x, y, ..] = sysval(SysVal::FragCoord).map(|bits| f64::from(f32::from_bits(bits)));
        let pixel = [x.floor(), y.floor()];
        Some(primitive.weights([pixel[0] + within[0], pixel[1] + within[1]], perspective))
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

    /// The helpers among the invocations from number `first` on, a bit each.
    pub(super) fn helpers(&self, first: u32, count: usize) -> u64 {
        let invocations = self.fragments.iter().skip(first as usize).take(count);
        invocations
            .enumerate()
            .fold(0, |mask, (i, fragment)| mask | u64::from(fragment.helper) << i)
    }

    /// Makes an invocation a helper.
    pub(super) fn demote(&mut self, who: Who) {
        let number = self.number(who);
        if let Some(demoted) = self.demoted.get_mut(number) {
            *demoted = true;
        }
    }

    /// Emits a vertex with the outputs of a stream, and makes those outputs undefined.
    pub(super) fn emit(&mut self, who: Who, stream: u8) {
        let number = self.number(who);
        let outputs = &self.shader.outputs;
        let of_stream = |slot: &IoSlot| {
            outputs.iter().any(|var| var.stream == stream && var.index_of(*slot).is_some())
        };
        let all = std::mem::take(&mut self.current[number]);
        let (slots, kept) = all.into_iter().partition(|(slot, _)| of_stream(slot));
        self.current[number] = kept;
        self.emitted[number].push(Emitted::Vertex { stream, slots });
    }

    /// Ends the strip of a stream.
    pub(super) fn end_primitive(&mut self, who: Who, stream: u8) {
        let number = self.number(who);
        self.emitted[number].push(Emitted::EndPrimitive { stream });
    }
}
