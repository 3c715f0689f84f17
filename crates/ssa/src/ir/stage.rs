//! Properties of pipeline stages, and the slots through which stages pass data.

use super::{Shader, SysVal, Ty};

/// The pipeline stage in which a shader runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control (hull).
    TessControl,
    /// Tessellation evaluation (domain).
    TessEval,
    /// Geometry.
    Geometry,
    /// Fragment (pixel).
    Fragment,
    /// Compute.
    Compute,
}

/// All stages with their names, in the order of the enumeration.
pub(crate) const STAGE_NAMES: [(Stage, &str); 6] = [
    (Stage::Vertex, "vertex"),
    (Stage::TessControl, "tess_control"),
    (Stage::TessEval, "tess_eval"),
    (Stage::Geometry, "geometry"),
    (Stage::Fragment, "fragment"),
    (Stage::Compute, "compute"),
];

impl Stage {
    /// The name, such as `tess_control`; [`str::parse`] reads it.
    pub const fn name(self) -> &'static str {
        STAGE_NAMES[self as usize].1
    }

    /// The names of all stages, in the order of the pipeline.
    pub fn names() -> impl Iterator<Item = &'static str> {
        STAGE_NAMES.iter().map(|row| row.1)
    }
}

/// A text that names no stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown stage `{name}`: expected vertex, tess_control, tess_eval, geometry, fragment or compute"
)]
pub struct UnknownStage {
    /// The text.
    pub name: String,
}

impl std::str::FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(name: &str) -> Result<Stage, UnknownStage> {
        let row = STAGE_NAMES.iter().find(|row| row.1 == name);
        row.map(|row| row.0).ok_or_else(|| UnknownStage { name: name.to_owned() })
    }
}

/// A stage with the properties that only it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageInfo {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessControl(TessControlInfo),
    /// Tessellation evaluation.
    TessEval(TessEvalInfo),
    /// Geometry.
    Geometry(GeometryInfo),
    /// Fragment.
    Fragment(FragmentInfo),
    /// Compute.
    Compute(ComputeInfo),
}

/// Properties of compute shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeInfo {
    /// Invocations of a workgroup in x, y, z; each at least 1.
    pub local_size: [u32; 3],
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// The number of invocations of a subgroup that the shader requires; `None` if any number is right.
    pub subgroup_size: Option<u32>,
    /// The number of subgroups of a workgroup that the shader requires; `None` if any number is right.
    pub subgroups: Option<u32>,
    /// Whether each four invocations with consecutive indices are a quad, so that the shader may have derivatives and implicit levels
    /// of detail: bit 0 of the index is the column, bit 1 the row.
    pub quads: bool,
}

impl ComputeInfo {
    /// Workgroups of this size without shared memory, with subgroups of any size.
    pub const fn new(local_size: [u32; 3]) -> ComputeInfo {
        ComputeInfo {
            local_size,
            shared_bytes: 0,
            subgroup_size: None,
            subgroups: None,
            quads: false,
        }
    }

    /// Number of invocations of a workgroup. It saturates instead of overflowing.
    pub fn invocations(&self) -> u64 {
        self.local_size.iter().fold(1, |n, &size| n.saturating_mul(size.into()))
    }
}

/// Properties of tessellation control shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TessControlInfo {
    /// Control points of the output patch, 1 to [`MAX_PATCH_VERTICES`]. Each one has its own invocation.
    pub output_vertices: u32,
}

/// Properties of tessellation evaluation shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TessEvalInfo {
    /// The shape that the tessellator divides.
    pub domain: TessDomain,
    /// How tessellation levels are rounded.
    pub spacing: TessSpacing,
    /// Whether the vertices of triangles are in counter-clockwise order in the domain's u and v.
    pub ccw: bool,
    /// Whether the tessellator makes points instead of lines or triangles.
    pub point_mode: bool,
}

/// Properties of geometry shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometryInfo {
    /// The kind of input primitive.
    pub input: InputPrimitive,
    /// The kind of primitives that the emitted vertices form.
    pub output: OutputPrimitive,
    /// Greatest number of vertices that an invocation emits, in all streams together.
    pub max_vertices: u32,
    /// Invocations per input primitive, at least 1.
    pub invocations: u32,
}

/// What only fragment shaders have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentInfo {
    /// Whether depth and stencil tests come before the shader, so that it has no side effects where they fail.
    pub early_tests: bool,
    /// Whether the input sample mask has only samples that passed these tests. Needs `early_tests`.
    pub post_depth_coverage: bool,
    /// The relation, promised by the shader, of the depth that it writes to the depth of the primitive.
    pub depth: DepthMode,
    /// Whether the shader runs once for each sample, because its interface has an input that is interpolated at the
    /// sample, or the number or position of the sample.
    pub per_sample: bool,
    /// Whether helper invocations complete each 2x2 block of pixels, even if the shader reads nothing of its neighbours
    /// (`RequireFullQuadsKHR`).
    pub full_quads: bool,
    /// How critical sections are ordered; `None` if there are none.
    pub interlock: Option<Interlock>,
}

/// How the critical sections of invocations that cover the same place are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interlock {
    /// Whether the order is that of the primitives. Otherwise there is some order.
    pub ordered: bool,
    /// Whether a place is a sample instead of a pixel.
    pub per_sample: bool,
}

/// How the depth that a fragment shader writes compares with the depth of the primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DepthMode {
    /// Any relation.
    #[default]
    Any,
    /// The written depth is at least the primitive's.
    Greater,
    /// The written depth is at most the primitive's.
    Less,
    /// The written depth is the primitive's.
    Unchanged,
}

/// How an input of a fragment shader follows from the values of the primitive's vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interpolation {
    /// The weights of the vertices.
    pub mode: InterpMode,
    /// The place in the pixel for which the weights are computed. Without effect if the mode is [`InterpMode::Flat`] or
    /// [`InterpMode::PerVertex`]; then it is [`InterpPlace::Centre`].
    pub place: InterpPlace,
}

impl Interpolation {
    /// Perspective-correct at the centre of the pixel.
    pub const SMOOTH: Interpolation =
        Interpolation { mode: InterpMode::Smooth, place: InterpPlace::Centre };
    /// The value of one vertex.
    pub const FLAT: Interpolation =
        Interpolation { mode: InterpMode::Flat, place: InterpPlace::Centre };
    /// The value of a vertex that each access names.
    pub const PER_VERTEX: Interpolation =
        Interpolation { mode: InterpMode::PerVertex, place: InterpPlace::Centre };
}

/// The weights of vertices in an interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterpMode {
    /// Perspective-correct.
    Smooth,
    /// Linear in the coordinates of the framebuffer.
    NoPerspective,
    /// Not interpolated: the value of the provoking vertex.
    Flat,
    /// Not interpolated: each access names a vertex of the primitive, whose value it gets unchanged.
    PerVertex,
}

/// The place in a pixel at which an input is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterpPlace {
    /// The centre.
    Centre,
    /// Any place that is inside both the pixel and the primitive.
    Centroid,
    /// The position of the invocation's sample. The shader runs once per sample.
    Sample,
}

/// Greatest number of control points of a patch (Vulkan: `maxTessellationPatchSize` of these chips).
pub const MAX_PATCH_VERTICES: u32 = 32;

/// Number of vertex streams of a geometry shader.
pub const MAX_STREAMS: u8 = 4;

/// The shape that a tessellator divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TessDomain {
    /// Triangles.
    Triangles,
    /// Quads.
    Quads,
    /// Isolines.
    Isolines,
}

/// How tessellation levels are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TessSpacing {
    /// To the next integer.
    Equal,
    /// To odd numbers of segments, two of which are shorter.
    FractionalOdd,
    /// To even numbers of segments, two of which are shorter.
    FractionalEven,
}

/// The input primitives of a geometry shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputPrimitive {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Lines, with the vertex before and the vertex after each.
    LinesAdjacency,
    /// Triangles.
    Triangles,
    /// Triangles, with the vertex beyond each edge.
    TrianglesAdjacency,
}

impl InputPrimitive {
    /// Vertices of a primitive.
    pub const fn vertices(self) -> u32 {
        match self {
            InputPrimitive::Points => 1,
            InputPrimitive::Lines => 2,
            InputPrimitive::LinesAdjacency => 4,
            InputPrimitive::Triangles => 3,
            InputPrimitive::TrianglesAdjacency => 6,
        }
    }
}

/// The primitives that the vertices of a geometry shader form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputPrimitive {
    /// Points.
    Points,
    /// Line strips.
    LineStrip,
    /// Triangle strips.
    TriangleStrip,
}

impl StageInfo {
    /// The stage without its properties.
    pub const fn stage(&self) -> Stage {
        match self {
            StageInfo::Vertex => Stage::Vertex,
            StageInfo::TessControl(_) => Stage::TessControl,
            StageInfo::TessEval(_) => Stage::TessEval,
            StageInfo::Geometry(_) => Stage::Geometry,
            StageInfo::Fragment(_) => Stage::Fragment,
            StageInfo::Compute(_) => Stage::Compute,
        }
    }
}

/// A slot of 16 bytes through which stages pass data, named as in the API. The back end decides where slots are in
/// memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IoSlot {
    /// `gl_Position`.
    Position,
    /// `gl_PointSize`, in component 0.
    PointSize,
    /// `gl_Layer`, in component 0.
    Layer,
    /// `gl_ViewportIndex`, in component 0.
    ViewportIndex,
    /// Clip distances followed by the cull distances: the four numbered `first` to `first + 3`.
    ClipDistances {
        /// 0 or 4.
        first: u8,
    },
    /// `gl_PrimitiveID` as an output, or as an input of fragment shaders, in component 0.
    PrimitiveId,
    /// A user-defined location. Vectors of three and four components of 64 bits have two locations, one for each half. For
    /// an output of a fragment shader: the number of the colour attachment.
    Location(u32),
    /// An output of fragment shaders: the second colour that blending combines with the colour attachment of this
    /// number
    /// (`index = 1` in GLSL).
    SecondColour(u32),
    /// An output of fragment shaders: the depth, in component 0.
    Depth,
    /// An output of fragment shaders: the reference value of the stencil test, in component 0.
    StencilRef,
    /// An output of fragment shaders, in component 0: a mask of the samples that may be written; bit `i` is sample `i`.
    SampleMask,
    /// A user-defined location of data that belongs to a whole patch.
    Patch(u32),
    /// `gl_TessLevelOuter`.
    TessLevelOuter,
    /// `gl_TessLevelInner`, in components 0 and 1.
    TessLevelInner,
}

impl IoSlot {
    /// Whether the slot is an output of fragment shaders and of no others.
    pub const fn is_fragment_output(self) -> bool {
        matches!(
            self,
            IoSlot::SecondColour(_) | IoSlot::Depth | IoSlot::StencilRef | IoSlot::SampleMask
        )
    }

    /// Whether the slot belongs to a whole patch instead of one of its vertices.
    pub const fn is_patch(self) -> bool {
        matches!(self, IoSlot::Patch(_) | IoSlot::TessLevelOuter | IoSlot::TessLevelInner)
    }

    /// The slot that is this many slots after this one; `None` if there is no such slot.
    pub fn plus(self, slots: u32) -> Option<IoSlot> {
        match (self, slots) {
            (slot, 0) => Some(slot),
            (IoSlot::Location(at), _) => at.checked_add(slots).map(IoSlot::Location),
            (IoSlot::Patch(at), _) => at.checked_add(slots).map(IoSlot::Patch),
            (IoSlot::SecondColour(at), _) => at.checked_add(slots).map(IoSlot::SecondColour),
            (IoSlot::ClipDistances { first: 0 }, 1) => Some(IoSlot::ClipDistances { first: 4 }),
            _ => None,
        }
    }

    /// The number of slots from this one to `other`; `None` if `other` is before it or of another kind.
    pub fn distance_to(self, other: IoSlot) -> Option<u32> {
        match (self, other) {
            (IoSlot::Location(from), IoSlot::Location(to))
            | (IoSlot::Patch(from), IoSlot::Patch(to))
            | (IoSlot::SecondColour(from), IoSlot::SecondColour(to)) => to.checked_sub(from),
            (IoSlot::ClipDistances { first: 0 }, IoSlot::ClipDistances { first: 4 }) => Some(1),
            _ => (self == other).then_some(0),
        }
    }
}

/// An input or output of a shader: elements of one type in consecutive slots, which a dynamic index can select.
///
/// Each element starts a new slot and takes two if necessary. Matrix columns and elements of nested arrays are
/// flattened to one sequence of elements. An array of structures is a sequence of `32x4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoVar {
    /// The name in the source, for messages and the text form.
    pub name: String,
    /// The first slot.
    pub slot: IoSlot,
    /// The component of its slot at which an element starts, counted in components of 32 bits.
    pub comp: u8,
    /// The type of an element.
    pub ty: Ty,
    /// Number of elements, at least 1.
    pub count: u32,
    /// The vertex stream of an output; 0 except in geometry shaders.
    pub stream: u8,
    /// How an input of a fragment shader is interpolated; `None` for all other variables.
    pub interp: Option<Interpolation>,
}

impl IoVar {
    /// Number of slots of one element: 1 or 2.
    pub fn element_slots(&self) -> u32 {
        let end = u32::from(self.comp) + self.ty.comps() as u32 * self.ty.comp_bytes().div_ceil(4);
        end.div_ceil(4)
    }

    /// Number of slots of all elements.
    pub fn slots(&self) -> u32 {
        self.element_slots().saturating_mul(self.count)
    }

    /// The 32-bit components that the variable uses in its slot number `at`: bit `i` is component `i`.
    pub fn components(&self, at: u32) -> u32 {
        let dwords = self.ty.comps() as u32 * (self.ty.bits() / 32);
        let all = ((1u32 << dwords) - 1) << self.comp;
        all >> (4 * (at % self.element_slots())) & 0xf
    }

    /// The number of this slot among the variable's slots; `None` if it is not one of them.
    pub fn index_of(&self, slot: IoSlot) -> Option<u32> {
        self.slot.distance_to(slot).filter(|&at| at < self.slots())
    }
}

impl SysVal {
    /// Whether the value exists in shaders of the stage.
    pub const fn exists_in(self, stage: Stage) -> bool {
        match self {
            SysVal::WorkgroupId
            | SysVal::NumWorkgroups
            | SysVal::WorkgroupSize
            | SysVal::LocalInvocationId
            | SysVal::LocalInvocationIndex
            | SysVal::GlobalInvocationId
            | SysVal::SubgroupId
            | SysVal::NumSubgroups => matches!(stage, Stage::Compute),
            SysVal::SubgroupSize | SysVal::SubgroupInvocation => true,
            SysVal::VertexIndex
            | SysVal::InstanceIndex
            | SysVal::BaseVertex
            | SysVal::BaseInstance
            | SysVal::DrawIndex => matches!(stage, Stage::Vertex),
            SysVal::ViewIndex => !matches!(stage, Stage::Compute),
            SysVal::PrimitiveId => {
                matches!(stage, Stage::TessControl | Stage::TessEval | Stage::Geometry)
            }
            SysVal::InvocationId => matches!(stage, Stage::TessControl | Stage::Geometry),
            SysVal::TessCoord => matches!(stage, Stage::TessEval),
            SysVal::PatchVertices => matches!(stage, Stage::TessControl | Stage::TessEval),
            SysVal::FragCoord
            | SysVal::FrontFacing
            | SysVal::PointCoord
            | SysVal::SampleId
            | SysVal::SamplePosition
            | SysVal::SampleMaskIn
            | SysVal::FullyCovered
            | SysVal::HelperInvocation => matches!(stage, Stage::Fragment),
        }
    }
}

impl Shader {
    /// Whether invocations form quads: in fragment shaders, and in compute shaders that require it.
    pub fn has_quads(&self) -> bool {
        self.stage.stage() == Stage::Fragment || self.compute().is_some_and(|info| info.quads)
    }

    /// The properties of a compute shader; `None` for other stages.
    pub const fn compute(&self) -> Option<ComputeInfo> {
        match self.stage {
            StageInfo::Compute(info) => Some(info),
            StageInfo::Vertex
            | StageInfo::TessControl(_)
            | StageInfo::TessEval(_)
            | StageInfo::Geometry(_)
            | StageInfo::Fragment(_) => None,
        }
    }

    /// The properties of a fragment shader; `None` for other stages.
    pub const fn fragment(&self) -> Option<FragmentInfo> {
        match self.stage {
            StageInfo::Fragment(info) => Some(info),
            StageInfo::Vertex
            | StageInfo::TessControl(_)
            | StageInfo::TessEval(_)
            | StageInfo::Geometry(_)
            | StageInfo::Compute(_) => None,
        }
    }

    /// Bytes of shared memory; 0 for stages other than compute.
    pub const fn shared_bytes(&self) -> u32 {
        match self.compute() {
            Some(compute) => compute.shared_bytes,
            None => 0,
        }
    }

    /// The declaration that the input slot belongs to. If several share the slot, the first.
    pub fn input(&self, slot: IoSlot) -> Option<&IoVar> {
        self.inputs.iter().find(|var| var.index_of(slot).is_some())
    }

    /// The declaration of the input that has this component of 32 bits of the slot.
    pub fn input_component(&self, slot: IoSlot, comp: u8) -> Option<&IoVar> {
        let has =
            |var: &&IoVar| var.index_of(slot).is_some_and(|at| var.components(at) >> comp & 1 == 1);
        self.inputs.iter().find(has)
    }

    /// The declaration that the output slot belongs to. If several share the slot, the first.
    pub fn output(&self, slot: IoSlot) -> Option<&IoVar> {
        self.outputs.iter().find(|var| var.index_of(slot).is_some())
    }

    /// Whether each vertex of a primitive or patch has its own value of the input slot.
    pub fn input_is_per_vertex(&self, slot: IoSlot) -> bool {
        match self.stage.stage() {
            Stage::TessControl | Stage::TessEval | Stage::Geometry => !slot.is_patch(),
            Stage::Fragment => (self.input(slot).and_then(|var| var.interp))
                .is_some_and(|interp| interp.mode == InterpMode::PerVertex),
            Stage::Vertex | Stage::Compute => false,
        }
    }

    /// Whether each vertex of a patch has its own value of the output slot.
    pub fn output_is_per_vertex(&self, slot: IoSlot) -> bool {
        self.stage.stage() == Stage::TessControl && !slot.is_patch()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_the_enumeration() {
        for (index, (stage, name)) in STAGE_NAMES.into_iter().enumerate() {
            assert_eq!(stage as usize, index);
            assert_eq!(stage.name(), name);
            assert_eq!(name.parse(), Ok(stage));
        }
        assert!("pixel".parse::<Stage>().is_err());
    }
}
