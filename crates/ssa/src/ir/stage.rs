//! What belongs to a pipeline stage: its own facts, and the slots through which it gets and gives data.

use super::{Shader, SysVal, Ty};

/// The pipeline stage a shader runs in.
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

/// A stage with the facts that only it has.
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
    Fragment,
    /// Compute.
    Compute(ComputeInfo),
}

/// What only compute shaders have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeInfo {
    /// Invocations of a workgroup in x, y, z; each at least 1.
    pub local_size: [u32; 3],
    /// Bytes of shared memory.
    pub shared_bytes: u32,
}

impl ComputeInfo {
    /// Workgroups of that size without shared memory.
    pub const fn new(local_size: [u32; 3]) -> ComputeInfo {
        ComputeInfo { local_size, shared_bytes: 0 }
    }

    /// Invocations of a workgroup; the verifier of shaders refuses more than 32 bits say.
    pub fn invocations(&self) -> u64 {
        self.local_size.iter().fold(1, |n, &size| n.saturating_mul(size.into()))
    }
}

/// What only tessellation control shaders have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TessControlInfo {
    /// Control points of the output patch, each made by an invocation of its own: 1 to [`MAX_PATCH_VERTICES`].
    pub output_vertices: u32,
}

/// What only tessellation evaluation shaders have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TessEvalInfo {
    /// The shape that is divided.
    pub domain: TessDomain,
    /// How levels are rounded.
    pub spacing: TessSpacing,
    /// Whether triangles run counter-clockwise in the domain's u and v.
    pub ccw: bool,
    /// Whether points are made, not lines or triangles.
    pub point_mode: bool,
}

/// What only geometry shaders have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometryInfo {
    /// What an input primitive is.
    pub input: InputPrimitive,
    /// What the emitted vertices form.
    pub output: OutputPrimitive,
    /// Vertices that an invocation emits at most, in all streams.
    pub max_vertices: u32,
    /// Invocations per input primitive, at least 1.
    pub invocations: u32,
}

/// Control points of a patch at most (Vulkan: `maxTessellationPatchSize` of these chips).
pub const MAX_PATCH_VERTICES: u32 = 32;

/// Vertex streams of a geometry shader.
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
    /// To odd numbers of segments, two of them shorter.
    FractionalOdd,
    /// To even numbers of segments, two of them shorter.
    FractionalEven,
}

/// What a geometry shader gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputPrimitive {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Lines, and the vertex before and behind each.
    LinesAdjacency,
    /// Triangles.
    Triangles,
    /// Triangles, and the vertex beyond each edge.
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

/// What a geometry shader's vertices form.
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
    /// The stage without its facts.
    pub const fn stage(&self) -> Stage {
        match self {
            StageInfo::Vertex => Stage::Vertex,
            StageInfo::TessControl(_) => Stage::TessControl,
            StageInfo::TessEval(_) => Stage::TessEval,
            StageInfo::Geometry(_) => Stage::Geometry,
            StageInfo::Fragment => Stage::Fragment,
            StageInfo::Compute(_) => Stage::Compute,
        }
    }
}

/// A slot of 16 bytes through which stages hand each other data, by the name it has in the API.
///
/// How slots lie in memory is for the back end to say.
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
    /// Clip distances and behind the last of them the cull distances: those numbered `first` to `first + 3`.
    ClipDistances {
        /// 0 or 4.
        first: u8,
    },
    /// `gl_PrimitiveID` as an output, in component 0.
    PrimitiveId,
    /// A location of the shader's own. Vectors of three and four components of 64 bits have two, one for each half.
    Location(u32),
    /// A location of the shader's own data of a whole patch.
    Patch(u32),
    /// `gl_TessLevelOuter`.
    TessLevelOuter,
    /// `gl_TessLevelInner`, in components 0 and 1.
    TessLevelInner,
}

impl IoSlot {
    /// Whether the slot belongs to a whole patch, not to one of its vertices.
    pub const fn is_patch(self) -> bool {
        matches!(self, IoSlot::Patch(_) | IoSlot::TessLevelOuter | IoSlot::TessLevelInner)
    }

    /// The slot so many further on, if there is one.
    pub fn plus(self, slots: u32) -> Option<IoSlot> {
        match (self, slots) {
            (slot, 0) => Some(slot),
            (IoSlot::Location(at), _) => at.checked_add(slots).map(IoSlot::Location),
            (IoSlot::Patch(at), _) => at.checked_add(slots).map(IoSlot::Patch),
            (IoSlot::ClipDistances { first: 0 }, 1) => Some(IoSlot::ClipDistances { first: 4 }),
            _ => None,
        }
    }

    /// How many slots further on `other` is, if it is in the same row as this one and not before it.
    pub fn distance_to(self, other: IoSlot) -> Option<u32> {
        match (self, other) {
            (IoSlot::Location(from), IoSlot::Location(to))
            | (IoSlot::Patch(from), IoSlot::Patch(to)) => to.checked_sub(from),
            (IoSlot::ClipDistances { first: 0 }, IoSlot::ClipDistances { first: 4 }) => Some(1),
            _ => (self == other).then_some(0),
        }
    }
}

/// An input or output of a shader: elements of one type in a row of slots, which a dynamic index may move along.
///
/// Each element begins in a slot of its own and has two where it needs them. The columns of a matrix and the elements
/// of arrays in arrays are one row of elements; an array of structures is a row of `32x4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoVar {
    /// The name in the source, for people.
    pub name: String,
    /// The first slot.
    pub slot: IoSlot,
    /// Where in its slot an element begins, in components of 32 bits.
    pub comp: u8,
    /// The type of an element.
    pub ty: Ty,
    /// Number of elements, at least 1.
    pub count: u32,
    /// The stream that the output belongs to: not 0 only in geometry shaders.
    pub stream: u8,
}

impl IoVar {
    /// Slots of an element: 1 or 2.
    pub fn element_slots(&self) -> u32 {
        let end = u32::from(self.comp) + self.ty.comps() as u32 * self.ty.comp_bytes().div_ceil(4);
        end.div_ceil(4)
    }

    /// Slots of all elements.
    pub fn slots(&self) -> u32 {
        self.element_slots().saturating_mul(self.count)
    }

    /// The components of 32 bits that the variable has of its slot number `at`: bit `i` is component `i`.
    pub fn components(&self, at: u32) -> u32 {
        let dwords = self.ty.comps() as u32 * (self.ty.bits() / 32);
        let all = ((1u32 << dwords) - 1) << self.comp;
        all >> (4 * (at % self.element_slots())) & 0xf
    }

    /// Which of the variable's slots this is, if it is one.
    pub fn index_of(&self, slot: IoSlot) -> Option<u32> {
        self.slot.distance_to(slot).filter(|&at| at < self.slots())
    }
}

impl SysVal {
    /// Whether shaders of the stage have the value.
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
            SysVal::PrimitiveId => {
                matches!(stage, Stage::TessControl | Stage::TessEval | Stage::Geometry)
            }
            SysVal::InvocationId => matches!(stage, Stage::TessControl | Stage::Geometry),
            SysVal::TessCoord => matches!(stage, Stage::TessEval),
            SysVal::PatchVertices => matches!(stage, Stage::TessControl | Stage::TessEval),
        }
    }
}

impl Shader {
    /// What only compute has.
    pub const fn compute(&self) -> Option<ComputeInfo> {
        match self.stage {
            StageInfo::Compute(info) => Some(info),
            StageInfo::Vertex
            | StageInfo::TessControl(_)
            | StageInfo::TessEval(_)
            | StageInfo::Geometry(_)
            | StageInfo::Fragment => None,
        }
    }

    /// Bytes of shared memory: only compute has any.
    pub const fn shared_bytes(&self) -> u32 {
        match self.compute() {
            Some(compute) => compute.shared_bytes,
            None => 0,
        }
    }

    /// The declaration that the input slot belongs to: the first, where several share a slot.
    pub fn input(&self, slot: IoSlot) -> Option<&IoVar> {
        self.inputs.iter().find(|var| var.index_of(slot).is_some())
    }

    /// The declaration that the output slot belongs to: the first, where several share a slot.
    pub fn output(&self, slot: IoSlot) -> Option<&IoVar> {
        self.outputs.iter().find(|var| var.index_of(slot).is_some())
    }

    /// Whether the input slot has an instance for each vertex of a primitive or patch.
    pub fn input_is_per_vertex(&self, slot: IoSlot) -> bool {
        let arrays =
            matches!(self.stage.stage(), Stage::TessControl | Stage::TessEval | Stage::Geometry);
        arrays && !slot.is_patch()
    }

    /// Whether the output slot has an instance for each vertex of a patch.
    pub fn output_is_per_vertex(&self, slot: IoSlot) -> bool {
        self.stage.stage() == Stage::TessControl && !slot.is_patch()
    }
}
