//! The model of a script: what AmberScript and VkScript both are read into.
//!
//! Names are resolved: buffers, shaders, samplers and pipelines are indices into the lists of [`Script`].

use crate::error::Place;
use crate::format::Format;
use crate::lexer::Number;
use crate::types::{Layout, Type};
use crestline_device::{AddressMode, BorderColor, CompareOp, Filter};
use crestline_emu::{Blend, LogicOp, StencilTest};
use std::collections::BTreeMap;
use std::sync::Arc;

pub use crestline_emu::{CullMode, FrontFace, PolygonMode};

/// A script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The features of the device that it requires.
    pub features: Vec<(Place, String)>,
    /// The extensions that it requires.
    pub extensions: Vec<(Place, String)>,
    /// Its virtual files by path.
    pub files: BTreeMap<String, String>,
    /// Its shaders.
    pub shaders: Vec<Shader>,
    /// Its buffers and images.
    pub buffers: Vec<Buffer>,
    /// Its samplers.
    pub samplers: Vec<Sampler>,
    /// Its pipelines.
    pub pipelines: Vec<Pipeline>,
    /// Its commands in order.
    pub commands: Vec<Command>,
    /// Parts of the script that are valid, but that Crestline does not support. A script with such a part does not run.
    pub unsupported: Vec<(Place, String)>,
}

/// The stage of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessControl,
    /// Tessellation evaluation.
    TessEval,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute.
    Compute,
    /// A SPIR-V module with several stages.
    Multi,
}

impl Stage {
    /// Stages with their names in AmberScript and in VkScript.
    pub const NAMES: &[(&str, &str, Stage)] = &[
        ("vertex", "vertex", Stage::Vertex),
        ("tessellation_control", "tessellation control", Stage::TessControl),
        ("tessellation_evaluation", "tessellation evaluation", Stage::TessEval),
        ("geometry", "geometry", Stage::Geometry),
        ("fragment", "fragment", Stage::Fragment),
        ("compute", "compute", Stage::Compute),
        ("multi", "multi", Stage::Multi),
    ];

    /// The name in AmberScript.
    pub fn name(self) -> &'static str {
        Stage::NAMES.iter().find(|(_, _, stage)| *stage == self).map_or("", |(name, _, _)| name)
    }
}

/// The language of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// GLSL.
    Glsl,
    /// HLSL.
    Hlsl,
    /// SPIR-V assembly.
    SpirvAssembly,
    /// SPIR-V words in hexadecimal.
    SpirvHex,
    /// Binary SPIR-V.
    SpirvBinary,
    /// OpenCL C.
    OpenClC,
}

/// The text of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// The vertex shader that passes input 0 to the position.
    Passthrough,
    /// A text in the script, and the line of the script where it starts.
    Inline(String, u32),
    /// A virtual file.
    Virtual(String),
    /// A file beside the script.
    File(String),
}

/// A shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// Its name.
    pub name: String,
    /// Its place in the script.
    pub place: Place,
    /// Its stage.
    pub stage: Stage,
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: Text,
    /// The SPIR-V or Vulkan version to compile for, if given.
    pub target: Option<String>,
}

/// The dimension of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// One.
    D1,
    /// Two.
    D2,
    /// Three.
    D3,
}

/// The first contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// Zeros.
    Zero,
    /// These bytes; missing ones are zero.
    Bytes(Vec<u8>),
    /// All values are this one.
    Fill(Number),
    /// Value `i` is `start + i * step`.
    Series {
        /// The first value.
        start: Number,
        /// The difference of a value and the one before.
        step: Number,
    },
    /// The bytes of a file.
    Binary(String),
    /// The values in a text file.
    Text(String),
    /// The pixels of a PNG file.
    Png(String),
}

/// The shape of a buffer that is used as an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The format.
    pub format: Arc<Format>,
    /// The dimension.
    pub dimension: Dimension,
    /// Width, height and depth of level 0 in texels; `None` if the pipelines determine it.
    pub size: Option<[u32; 3]>,
    /// Its levels.
    pub levels: u32,
    /// Its samples.
    pub samples: u32,
}

/// A buffer or image.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Its place in the script.
    pub place: Place,
    /// The layout of its values.
    pub layout: Arc<Layout>,
    /// The type of its values, for error texts and vertex data.
    pub ty: Type,
    /// Its shape, if it is an image.
    pub image: Option<Image>,
    /// Its size in bytes; `None` for images, and for buffers whose size is that of a file.
    pub bytes: Option<u64>,
    /// Its first contents.
    pub contents: Contents,
}

/// A sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    /// Its name.
    pub name: String,
    /// Its place in the script.
    pub place: Place,
    /// The filter of magnification.
    pub magnify: Filter,
    /// The filter of minification, and between levels.
    pub minify: Filter,
    /// Addressing of each coordinate.
    pub address: [AddressMode; 3],
    /// The colour of the border.
    pub border: BorderColor,
    /// The smallest and the largest level of detail.
    pub lod: [f32; 2],
    /// Whether coordinates are 0 to 1.
    pub normalized: bool,
    /// The comparison; `None` if there is none.
    pub compare: Option<CompareOp>,
}

/// The kind of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PipelineKind {
    /// Compute.
    Compute,
    /// Graphics.
    Graphics,
}

/// A shader of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// The place of the command.
    pub place: Place,
    /// The shader.
    pub shader: usize,
    /// Its stage.
    pub stage: Stage,
    /// Its entry point.
    pub entry: String,
    /// Specialization constants: id and bits.
    pub specialization: Vec<(u32, u64)>,
    /// The subgroup size that it requires.
    pub subgroup_size: Option<SubgroupSize>,
    /// Whether all invocations of each subgroup of a compute shader must exist.
    pub full_subgroups: bool,
    /// Whether indices are clamped into their bounds (the pass `--graphics-robust-access` of SPIRV-Tools).
    pub robust_access: bool,
}

/// A required subgroup size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubgroupSize {
    /// The smallest size of the device.
    Min,
    /// The largest size of the device.
    Max,
    /// This size.
    Of(u32),
}

/// The viewport of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left edge and upper edge in pixels.
    pub origin: [f32; 2],
    /// Width and height in pixels.
    pub size: [f32; 2],
    /// The depths for z / w = 0 and 1.
    pub depth: [f32; 2],
}

/// The depth state of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// Whether the test is on.
    pub test: bool,
    /// Whether depths are written.
    pub write: bool,
    /// The comparison.
    pub compare: CompareOp,
    /// Whether depths are clamped.
    pub clamp: bool,
    /// The depths of the attachment for which fragments pass; `None` for all.
    pub bounds: Option<[f32; 2]>,
    /// The constant, clamp and slope of the depth bias.
    pub bias: Option<[f32; 3]>,
}

impl Default for Depth {
    fn default() -> Depth {
        Depth {
            test: false,
            write: false,
            compare: CompareOp::Less,
            clamp: false,
            bounds: None,
            bias: None,
        }
    }
}

/// An attachment of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The place of the command.
    pub place: Place,
    /// The buffer.
    pub buffer: usize,
    /// The location of the shader's output.
    pub location: u32,
    /// The level.
    pub level: u32,
}

/// How a descriptor makes a buffer accessible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Descriptor {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer.
    Storage,
    /// A uniform texel buffer.
    UniformTexel,
    /// A storage texel buffer.
    StorageTexel,
    /// A storage image.
    StorageImage,
    /// A sampled image.
    SampledImage,
    /// An image with a sampler.
    Combined,
    /// A sampler alone.
    Sampler,
}

/// An element of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// The buffer, unless it is a sampler alone.
    pub buffer: Option<usize>,
    /// The sampler.
    pub sampler: Option<usize>,
    /// The first byte of the buffer.
    pub offset: u64,
    /// The number of bytes; `None` up to the end.
    pub range: Option<u64>,
    /// The first level of an image.
    pub level: u32,
}

/// A descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The place of the command.
    pub place: Place,
    /// The descriptor set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// The kind.
    pub kind: Descriptor,
    /// Its elements.
    pub elements: Vec<Bound>,
}

/// A vertex attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexData {
    /// The place of the command.
    pub place: Place,
    /// The buffer.
    pub buffer: usize,
    /// The location.
    pub location: u32,
    /// One element per instance.
    pub per_instance: bool,
    /// The format; `None` for that of the buffer.
    pub format: Option<Arc<Format>>,
    /// The byte of the first element.
    pub offset: u64,
    /// Bytes from element to element; `None` for that of the format or the buffer.
    pub stride: Option<u32>,
}

/// A pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Its name.
    pub name: String,
    /// Its place in the script.
    pub place: Place,
    /// Its kind.
    pub kind: PipelineKind,
    /// Its shaders.
    pub shaders: Vec<Attached>,
    /// Width and height of the framebuffer in pixels.
    pub size: [u32; 2],
    /// The viewport; `None` for the whole framebuffer.
    pub viewport: Option<Viewport>,
    /// Colour attachments.
    pub colours: Vec<Attachment>,
    /// Depth and stencil attachment.
    pub depth_stencil: Option<Attachment>,
    /// The targets of resolves, in the order of the colour attachments with several samples.
    pub resolves: Vec<Attachment>,
    /// The buffer of push constants.
    pub push_constants: Option<usize>,
    /// Descriptors.
    pub bindings: Vec<Binding>,
    /// Vertex attributes.
    pub vertex_data: Vec<VertexData>,
    /// Index buffer.
    pub index_data: Option<(Place, usize)>,
    /// How polygons are drawn.
    pub polygon: PolygonMode,
    /// Control points of a patch.
    pub patch_points: u32,
    /// Depth state.
    pub depth: Depth,
    /// Whether the stencil test is on, and the tests of front and back.
    pub stencil: Option<[StencilTest; 2]>,
    /// Blending of all attachments.
    pub blend: Option<Blend>,
    /// The constant colour of blending. The forms of scripts have no command for it.
    pub blend_constants: [f32; 4],
    /// The logical operation.
    pub logic_op: Option<LogicOp>,
    /// Components that are written, as bits.
    pub write_mask: u8,
    /// Which triangles are not drawn.
    pub cull: CullMode,
    /// The orientation of front-facing triangles.
    pub front_face: FrontFace,
    /// Whether nothing is rasterized.
    pub discards: bool,
    /// Width of lines in pixels.
    pub line_width: f32,
    /// Whether the largest index restarts a primitive.
    pub restart: bool,
}

impl Pipeline {
    /// A pipeline with the defaults of the format.
    pub fn new(name: &str, place: Place, kind: PipelineKind) -> Pipeline {
        Pipeline {
            name: name.to_owned(),
            place,
            kind,
            shaders: Vec::new(),
            size: [250, 250],
            viewport: None,
            colours: Vec::new(),
            depth_stencil: None,
            resolves: Vec::new(),
            push_constants: None,
            bindings: Vec::new(),
            vertex_data: Vec::new(),
            index_data: None,
            polygon: PolygonMode::Fill,
            patch_points: 3,
            depth: Depth::default(),
            stencil: None,
            blend: None,
            blend_constants: [0.0; 4],
            logic_op: None,
            write_mask: 0xf,
            cull: CullMode::None,
            front_face: FrontFace::CounterClockwise,
            discards: false,
            line_width: 1.0,
            restart: false,
        }
    }
}

/// The primitives that vertices form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Points.
    PointList,
    /// Lines.
    LineList,
    /// Lines with adjacent vertices.
    LineListAdjacency,
    /// Connected lines.
    LineStrip,
    /// Connected lines with adjacent vertices.
    LineStripAdjacency,
    /// Triangles.
    TriangleList,
    /// Triangles with adjacent vertices.
    TriangleListAdjacency,
    /// Connected triangles.
    TriangleStrip,
    /// Connected triangles with adjacent vertices.
    TriangleStripAdjacency,
    /// Triangles around a vertex.
    TriangleFan,
    /// Patches.
    PatchList,
}

impl Topology {
    /// Topologies with their names in AmberScript.
    pub const NAMES: &[(&str, Topology)] = &[
        ("POINT_LIST", Topology::PointList),
        ("LINE_LIST", Topology::LineList),
        ("LINE_LIST_WITH_ADJACENCY", Topology::LineListAdjacency),
        ("LINE_STRIP", Topology::LineStrip),
        ("LINE_STRIP_WITH_ADJACENCY", Topology::LineStripAdjacency),
        ("TRIANGLE_LIST", Topology::TriangleList),
        ("TRIANGLE_LIST_WITH_ADJACENCY", Topology::TriangleListAdjacency),
        ("TRIANGLE_STRIP", Topology::TriangleStrip),
        ("TRIANGLE_STRIP_WITH_ADJACENCY", Topology::TriangleStripAdjacency),
        ("TRIANGLE_FAN", Topology::TriangleFan),
        ("PATCH_LIST", Topology::PatchList),
    ];
}

/// The work of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Workgroups along x, y and z.
    Dispatch([u32; 3]),
    /// A grid of rectangles: its first corner, its size and its cells. Coordinates are pixels, or normalized device
    /// coordinates.
    Rectangles {
        /// Left and upper edge.
        origin: [f64; 2],
        /// Width and height.
        size: [f64; 2],
        /// Columns and rows.
        cells: [u32; 2],
        /// Whether coordinates are pixels.
        pixels: bool,
        /// Whether a rectangle is a patch of four control points.
        patches: bool,
        /// Whether the command draws a grid, which consists of separate triangles.
        grid: bool,
    },
    /// Vertices.
    Array {
        /// The primitives.
        topology: Topology,
        /// The index buffer is used.
        indexed: bool,
        /// The first vertex or index.
        first: u32,
        /// The number of vertices or indices; `None` for all from the first one on.
        count: Option<u32>,
        /// The first instance.
        first_instance: u32,
        /// The number of instances.
        instances: u32,
        /// A number added to each index.
        vertex_offset: i32,
    },
}

/// A comparison of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Comparator {
    /// Comparators with their names in AmberScript and in VkScript.
    pub const NAMES: &[(&str, &str, Comparator)] = &[
        ("EQ", "==", Comparator::Eq),
        ("NE", "!=", Comparator::Ne),
        ("LT", "<", Comparator::Lt),
        ("LE", "<=", Comparator::Le),
        ("GT", ">", Comparator::Gt),
        ("GE", ">=", Comparator::Ge),
    ];

    /// The name in AmberScript.
    pub fn name(self) -> &'static str {
        Comparator::NAMES.iter().find(|(_, _, own)| *own == self).map_or("", |(name, _, _)| name)
    }
}

/// The largest difference of equal numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// As a number.
    Absolute(f64),
    /// In percent of the expected number.
    Percent(f64),
}

/// What an expectation checks.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// Values from a byte on.
    Values {
        /// The byte.
        offset: u64,
        /// The comparison.
        comparator: Comparator,
        /// The tolerance of each component; empty for none.
        tolerance: Vec<Tolerance>,
        /// The layout of the values; `None` for that of the buffer.
        layout: Option<Arc<Layout>>,
        /// The values.
        values: Vec<Number>,
    },
    /// The pixels of an area of an image.
    Pixels {
        /// Left and upper edge.
        origin: [u32; 2],
        /// Width and height.
        size: [u32; 2],
        /// The expected components: red, green, blue and, if present, alpha.
        colour: Vec<f64>,
        /// The value of a normalized component 1.0 in `colour`: 255 or 1.
        scale: f64,
        /// The tolerance of each component, in the unit of `colour`; empty for the default.
        tolerance: Vec<Tolerance>,
    },
    /// The contents are those of another buffer.
    Equal {
        /// The other buffer.
        other: usize,
    },
    /// The root of the mean squared error is at most the tolerance.
    Rmse {
        /// The other buffer.
        other: usize,
        /// The tolerance.
        tolerance: f64,
    },
    /// The earth mover's distance of histograms is at most the tolerance.
    Histogram {
        /// The other buffer.
        other: usize,
        /// The tolerance.
        tolerance: f64,
    },
}

/// An action of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs a pipeline.
    Run {
        /// The pipeline.
        pipeline: usize,
        /// The work.
        work: Work,
    },
    /// Clears the attachments of a pipeline.
    Clear {
        /// The pipeline.
        pipeline: usize,
    },
    /// Sets the colour of clears.
    ClearColour {
        /// The pipeline.
        pipeline: usize,
        /// The colour; 1.0 is the largest value of a normalized component.
        colour: [f32; 4],
        /// The colour for attachments of integers.
        integers: [u32; 4],
    },
    /// Sets the depth of clears.
    ClearDepth {
        /// The pipeline.
        pipeline: usize,
        /// The depth.
        depth: f32,
    },
    /// Sets the stencil value of clears.
    ClearStencil {
        /// The pipeline.
        pipeline: usize,
        /// The value.
        value: u8,
    },
    /// Copies a buffer.
    Copy {
        /// The source.
        from: usize,
        /// The destination.
        to: usize,
    },
    /// Replaces bytes of a buffer.
    Write {
        /// The buffer.
        buffer: usize,
        /// The new values: their slots and bits.
        values: Vec<(crate::types::Slot, u64)>,
    },
    /// Checks a buffer.
    Expect {
        /// The buffer.
        buffer: usize,
        /// The check.
        check: Check,
    },
    /// Repeats commands.
    Repeat {
        /// How often.
        count: u32,
        /// The commands.
        commands: Vec<Command>,
    },
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The place of its first word.
    pub place: Place,
    /// What it does.
    pub action: Action,
}
