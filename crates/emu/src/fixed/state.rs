//! The state of the fixed functions in a draw call, with the names that Vulkan uses.

use crate::framebuffer::FramebufferError;
use crestline_device::CompareOp;
use crestline_program::MAX_COLOUR_TARGETS;

/// Declares an enumeration with a word for each value, for files and flags: `word` and `from_word` convert.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$row:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$row])* $variant,)+ }

        impl $name {
            /// Every value.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// The word of this value.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The value with a word; `None` if no value has it.
            pub fn from_word(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.word() == word)
            }
        }
    };
}

words! {
    /// The primitives that consecutive vertices form.
    Topology {
        /// Points.
        Points = "points",
        /// Separate lines.
        Lines = "lines",
        /// Separate lines, each between two adjacent vertices, which only a geometry shader gets.
        LinesAdjacency = "lines_adjacency",
        /// Connected lines.
        LineStrip = "line_strip",
        /// Connected lines, with an adjacent vertex before the first and after the last one.
        LineStripAdjacency = "line_strip_adjacency",
        /// Separate triangles.
        #[default]
        Triangles = "triangles",
        /// Separate triangles, with an adjacent vertex for each edge.
        TrianglesAdjacency = "triangles_adjacency",
        /// Triangles that share two vertices with the previous one.
        TriangleStrip = "triangle_strip",
        /// Triangles that share two vertices with the previous one, with adjacent vertices between them.
        TriangleStripAdjacency = "triangle_strip_adjacency",
        /// Triangles that share the first vertex.
        TriangleFan = "triangle_fan",
    }
}

words! {
    /// Which triangles are culled (not drawn).
    CullMode {
        /// None.
        #[default]
        None = "none",
        /// Front-facing triangles.
        Front = "front",
        /// Back-facing triangles.
        Back = "back",
        /// All triangles.
        All = "front_and_back",
    }
}

words! {
    /// How triangles are drawn. Clipping leaves out edges and vertices, but does not add any.
    PolygonMode {
        /// Filled.
        #[default]
        Fill = "fill",
        /// Their edges, as lines.
        Line = "line",
        /// Their vertices, as points.
        Point = "point",
    }
}

words! {
    /// The orientation of front-facing triangles, in a framebuffer whose y runs downwards.
    FrontFace {
        /// Counter-clockwise.
        #[default]
        CounterClockwise = "counter_clockwise",
        /// Clockwise.
        Clockwise = "clockwise",
    }
}

words! {
    /// The change of a value in the stencil attachment.
    StencilOp {
        /// The value does not change.
        #[default]
        Keep = "keep",
        /// The value becomes 0.
        Zero = "zero",
        /// The value becomes the reference.
        Replace = "replace",
        /// The value plus one; 255 stays 255.
        IncrementAndClamp = "increment_and_clamp",
        /// The value minus one; 0 stays 0.
        DecrementAndClamp = "decrement_and_clamp",
        /// All bits of the value are inverted.
        Invert = "invert",
        /// The value plus one; 255 becomes 0.
        IncrementAndWrap = "increment_and_wrap",
        /// The value minus one; 0 becomes 255.
        DecrementAndWrap = "decrement_and_wrap",
    }
}

words! {
    /// A factor by which blending multiplies a colour. The *source* is the output of the shader.
    BlendFactor {
        /// 0.
        Zero = "zero",
        /// 1.
        #[default]
        One = "one",
        /// The source's colour.
        SrcColor = "src_color",
        /// One minus the source's colour.
        OneMinusSrcColor = "one_minus_src_color",
        /// The attachment's colour.
        DstColor = "dst_color",
        /// One minus the attachment's colour.
        OneMinusDstColor = "one_minus_dst_color",
        /// The source's alpha.
        SrcAlpha = "src_alpha",
        /// One minus the source's alpha.
        OneMinusSrcAlpha = "one_minus_src_alpha",
        /// The attachment's alpha.
        DstAlpha = "dst_alpha",
        /// One minus the attachment's alpha.
        OneMinusDstAlpha = "one_minus_dst_alpha",
        /// The constant colour.
        ConstantColor = "constant_color",
        /// One minus the constant colour.
        OneMinusConstantColor = "one_minus_constant_color",
        /// The constant alpha.
        ConstantAlpha = "constant_alpha",
        /// One minus the constant alpha.
        OneMinusConstantAlpha = "one_minus_constant_alpha",
        /// For colours, the smaller one of the source's alpha and one minus the attachment's alpha; for alpha, 1.
        SrcAlphaSaturate = "src_alpha_saturate",
        /// The second source's colour.
        Src1Color = "src1_color",
        /// One minus the second source's colour.
        OneMinusSrc1Color = "one_minus_src1_color",
        /// The second source's alpha.
        Src1Alpha = "src1_alpha",
        /// One minus the second source's alpha.
        OneMinusSrc1Alpha = "one_minus_src1_alpha",
    }
}

words! {
    /// How blending combines the source and the attachment's colour, each multiplied by its factor.
    BlendOp {
        /// Their sum.
        #[default]
        Add = "add",
        /// The source minus the attachment.
        Subtract = "subtract",
        /// The attachment minus the source.
        ReverseSubtract = "reverse_subtract",
        /// The smaller one; the factors are not used.
        Min = "min",
        /// The larger one; the factors are not used.
        Max = "max",
    }
}

words! {
    /// A logical operation on the stored bits of the source (s) and of the attachment (d).
    LogicOp {
        /// 0.
        Clear = "clear",
        /// s & d.
        And = "and",
        /// s & !d.
        AndReverse = "and_reverse",
        /// s.
        #[default]
        Copy = "copy",
        /// !s & d.
        AndInverted = "and_inverted",
        /// d.
        NoOp = "no_op",
        /// s ^ d.
        Xor = "xor",
        /// s | d.
        Or = "or",
        /// !(s | d).
        Nor = "nor",
        /// !(s ^ d).
        Equivalent = "equivalent",
        /// !d.
        Invert = "invert",
        /// s | !d.
        OrReverse = "or_reverse",
        /// !s.
        CopyInverted = "copy_inverted",
        /// !s | d.
        OrInverted = "or_inverted",
        /// !(s & d).
        Nand = "nand",
        /// All bits are 1.
        Set = "set",
    }
}

/// The transformation from normalized device coordinates to the framebuffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The left edge in pixels.
    pub x: f32,
    /// The upper edge in pixels; the lower one if the height is negative.
    pub y: f32,
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels. If it is negative, y runs upwards.
    pub height: f32,
    /// The depths for z / w = 0 and 1.
    pub depth: [f32; 2],
}

impl Viewport {
    /// The viewport that covers a framebuffer.
    pub fn covering([width, height]: [u32; 2]) -> Viewport {
        let [width, height] = [width as f32, height as f32];
        Viewport { x: 0.0, y: 0.0, width, height, depth: [0.0, 1.0] }
    }

    /// Checks that the viewport has pixels and finite numbers.
    ///
    /// # Errors
    /// [`FramebufferError::Viewport`].
    pub fn check(&self) -> Result<(), FramebufferError> {
        let Viewport { x, y, width, height, depth: [near, far] } = *self;
        let finite = [x, y, width, height, near, far].iter().all(|number| number.is_finite());
        if !finite || width <= 0.0 || height == 0.0 {
            return Err(FramebufferError::Viewport { x, y, width, height });
        }
        Ok(())
    }
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// The number of columns.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
}

/// The depth bias of triangles. The depth of a triangle changes by `constant * r + slope * m`. `m` is the larger change of
/// its depth per pixel along x and along y. `r` is two codes of a normalized depth format. For floats, it is the last bit
/// of the largest depth of the triangle's vertices (Vulkan, "Depth Bias").
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// The factor of `r`.
    pub constant: f32,
    /// The factor of `m`.
    pub slope: f32,
    /// The largest bias if this is positive, the smallest if it is negative; 0 for no limit.
    pub clamp: f32,
}

/// The depth test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthTest {
    /// The test passes if `depth of the fragment OP depth of the attachment`.
    pub compare: CompareOp,
    /// Whether fragments that pass write their depth.
    pub write: bool,
}

/// The stencil test of front-facing or of back-facing primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilTest {
    /// The test passes if `reference OP value of the attachment`, where only the bits in the read mask count.
    pub compare: CompareOp,
    /// The operation if the stencil test fails.
    pub fail: StencilOp,
    /// The operation if the stencil test passes and the depth test fails.
    pub depth_fail: StencilOp,
    /// The operation if both tests pass.
    pub pass: StencilOp,
    /// The bits that are compared.
    pub read_mask: u8,
    /// The bits that are written.
    pub write_mask: u8,
    /// The reference, unless the shader computes one.
    pub reference: u8,
}

impl Default for StencilTest {
    /// Always passes and changes nothing.
    fn default() -> StencilTest {
        StencilTest {
            compare: CompareOp::Always,
            fail: StencilOp::Keep,
            depth_fail: StencilOp::Keep,
            pass: StencilOp::Keep,
            read_mask: 0xff,
            write_mask: 0xff,
            reference: 0,
        }
    }
}

/// Blending of colour or alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlendEquation {
    /// The source's factor.
    pub source: BlendFactor,
    /// The attachment's factor.
    pub destination: BlendFactor,
    /// The operation.
    pub op: BlendOp,
}

/// Blending of an attachment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blend {
    /// Red, green and blue.
    pub colour: BlendEquation,
    /// Alpha.
    pub alpha: BlendEquation,
}

/// The state of a colour attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColourState {
    /// Blending; `None` if the source replaces the attachment.
    pub blend: Option<Blend>,
    /// The components that are written: bit `i` is component `i`.
    pub write_mask: u8,
}

impl Default for ColourState {
    /// No blending; all components are written.
    fn default() -> ColourState {
        ColourState { blend: None, write_mask: 0xf }
    }
}

/// The state of the fixed functions.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawState {
    /// The primitives that the vertices form.
    pub topology: Topology,
    /// The viewport with number 0.
    pub viewport: Viewport,
    /// The pixels that primitives in viewport 0 can change; `None` for all.
    pub scissor: Option<Area>,
    /// The viewports with the numbers from 1 on, with their scissors. The provoking vertex of a primitive selects its
    /// viewport by `Varying::Header`; a number without a viewport selects viewport 0.
    pub more_viewports: Vec<(Viewport, Option<Area>)>,
    /// Which triangles are culled (not drawn).
    pub cull: CullMode,
    /// The orientation of front-facing triangles.
    pub front_face: FrontFace,
    /// How triangles are drawn.
    pub polygon_mode: PolygonMode,
    /// Whether depths beyond the near and far plane are clamped to the viewport's depth range, and primitives are not
    /// clipped at these planes.
    pub depth_clamp: bool,
    /// The depth bias of triangles; `None` for no bias.
    pub depth_bias: Option<DepthBias>,
    /// The depth bounds test: samples pass if the depth in the attachment is from the first to the second number. The
    /// result does not depend on the depth of the fragment. `None` if there is no test.
    pub depth_bounds: Option<[f32; 2]>,
    /// The clip distances that clip primitives: bit `i` is distance `i`.
    pub clip_distances: u8,
    /// The clip distances that cull primitives: bit `i` is distance `i`. A primitive is not drawn if one of these
    /// distances is negative at all its vertices.
    pub cull_distances: u8,
    /// Width of lines in pixels.
    pub line_width: f32,
    /// The depth test; `None` if depth is neither tested nor written.
    pub depth: Option<DepthTest>,
    /// The stencil tests of front-facing and back-facing primitives.
    pub stencil: Option<[StencilTest; 2]>,
    /// The state of each colour attachment.
    pub colours: [ColourState; MAX_COLOUR_TARGETS as usize],
    /// The samples that can change: bit `i` is sample `i`.
    pub sample_mask: u16,
    /// Whether the alpha of attachment 0 chooses samples: with `n` samples, sample `i` can change only if alpha is above `i / n`.
    /// Devices may choose other samples (Vulkan, "Multisample Coverage"). If the shader writes several attachments, its messages
    /// must contain that alpha.
    pub alpha_to_coverage: bool,
    /// The constant colour of blending.
    pub blend_constants: [f32; 4],
    /// The logical operation; `None` if there is none. A logical operation turns off blending for all attachments.
    pub logic_op: Option<LogicOp>,
    /// The SIMD width of all threads; `None` to choose among the entry points by the number of pixels.
    pub simd_width: Option<u32>,
}

impl DrawState {
    /// The state for triangles that may cover a whole framebuffer of this size, without culling, tests and blending.
    pub fn new(size: [u32; 2]) -> DrawState {
        DrawState {
            topology: Topology::Triangles,
            viewport: Viewport::covering(size),
            scissor: None,
            more_viewports: Vec::new(),
            cull: CullMode::None,
            front_face: FrontFace::CounterClockwise,
            polygon_mode: PolygonMode::Fill,
            depth_clamp: false,
            depth_bias: None,
            depth_bounds: None,
            clip_distances: 0,
            cull_distances: 0,
            line_width: 1.0,
            depth: None,
            stencil: None,
            colours: [ColourState::default(); MAX_COLOUR_TARGETS as usize],
            sample_mask: u16::MAX,
            alpha_to_coverage: false,
            blend_constants: [0.0; 4],
            logic_op: None,
            simd_width: None,
        }
    }
    /// The viewports with their scissors, by number.
    pub(super) fn viewports(&self) -> impl Iterator<Item = (&Viewport, Option<Area>)> {
        let more = self.more_viewports.iter().map(|(viewport, scissor)| (viewport, *scissor));
        std::iter::once((&self.viewport, self.scissor)).chain(more)
    }
}
