//! The words of the text form that represent enumeration values and fields, one row each. Printer and parser use them.

use crate::ir::{
    Access, AtomicOp, Axis, DepthMode, DerivativeRule, FloatControls, ImageDim, ImageParam,
    InputPrimitive, InterpMode, InterpPlace, IoSlot, MemorySemantics, OutputPrimitive, STAGE_NAMES,
    Scope, Stage, SysVal, TessDomain, TessSpacing, TextureForm,
};

/// A type whose values are written as one word.
pub(super) trait Word: Sized + Copy + 'static {
    /// A name for the kind of word, for error messages.
    const WHAT: &'static str;
    /// Every value with its word.
    fn all() -> &'static [(Self, &'static str)];
    /// The word of a value.
    fn word(self) -> &'static str;
    /// The value of a word; `None` if no value has this word.
    fn from_word(word: &str) -> Option<Self> {
        Self::all().iter().find(|row| row.1 == word).map(|row| row.0)
    }
}

macro_rules! words {
    ($($ty:ident, $what:literal { $($variant:ident = $word:literal,)+ })+) => {
        $(impl Word for $ty {
            const WHAT: &'static str = $what;
            fn all() -> &'static [(Self, &'static str)] {
                &[$(($ty::$variant, $word)),+]
            }
            fn word(self) -> &'static str {
                match self { $($ty::$variant => $word),+ }
            }
        })+
    };
}

impl Word for Stage {
    const WHAT: &'static str = "a stage";

    fn all() -> &'static [(Stage, &'static str)] {
        &STAGE_NAMES
    }

    fn word(self) -> &'static str {
        self.name()
    }
}

words! {
    ImageDim, "the dimensions of an image" {
        D1 = "d1",
        D2 = "d2",
        D3 = "d3",
        Cube = "cube",
        Buffer = "buffer",
    }
    ImageParam, "a parameter of an image" {
        Offset = "offset",
        Size = "size",
        Stride = "stride",
        Tiling = "tiling",
        Swizzling = "swizzling",
    }
    TextureForm, "a form of a texture read" {
        Shader = "shader",
        Message = "message",
    }
    AtomicOp, "an atomic operation" {
        IAdd = "iadd",
        IMin = "imin",
        IMax = "imax",
        UMin = "umin",
        UMax = "umax",
        And = "and",
        Or = "or",
        Xor = "xor",
        Exchange = "exchange",
        CompareExchange = "compare_exchange",
        FAdd = "fadd",
        FMin = "fmin",
        FMax = "fmax",
    }
    Scope, "a scope" {
        Invocation = "invocation",
        Subgroup = "subgroup",
        Workgroup = "workgroup",
        Device = "device",
    }
    SysVal, "a system value" {
        WorkgroupId = "workgroup_id",
        NumWorkgroups = "num_workgroups",
        WorkgroupSize = "workgroup_size",
        LocalInvocationId = "local_invocation_id",
        LocalInvocationIndex = "local_invocation_index",
        GlobalInvocationId = "global_invocation_id",
        SubgroupId = "subgroup_id",
        NumSubgroups = "num_subgroups",
        SubgroupSize = "subgroup_size",
        SubgroupInvocation = "subgroup_invocation",
        VertexIndex = "vertex_index",
        InstanceIndex = "instance_index",
        BaseVertex = "base_vertex",
        BaseInstance = "base_instance",
        DrawIndex = "draw_index",
        ViewIndex = "view_index",
        PrimitiveId = "primitive_id",
        InvocationId = "invocation_id",
        TessCoord = "tess_coord",
        PatchVertices = "patch_vertices",
        FragCoord = "frag_coord",
        FrontFacing = "front_facing",
        PointCoord = "point_coord",
        SampleId = "sample_id",
        SamplePosition = "sample_position",
        SampleMaskIn = "sample_mask_in",
        FullyCovered = "fully_covered",
        HelperInvocation = "helper_invocation",
    }
    Axis, "an axis" {
        X = "x",
        Y = "y",
    }
    DerivativeRule, "a rule for derivatives" {
        Any = "any",
        Coarse = "coarse",
        Fine = "fine",
    }
    DepthMode, "a promise about the depth" {
        Any = "any",
        Greater = "greater",
        Less = "less",
        Unchanged = "unchanged",
    }
    InterpMode, "an interpolation" {
        Smooth = "smooth",
        NoPerspective = "noperspective",
        Flat = "flat",
        PerVertex = "per_vertex",
    }
    InterpPlace, "a place of an interpolation" {
        Centre = "centre",
        Centroid = "centroid",
        Sample = "sample",
    }
    TessDomain, "a domain" {
        Triangles = "triangles",
        Quads = "quads",
        Isolines = "isolines",
    }
    TessSpacing, "a spacing" {
        Equal = "equal",
        FractionalOdd = "fractional_odd",
        FractionalEven = "fractional_even",
    }
    InputPrimitive, "an input primitive" {
        Points = "points",
        Lines = "lines",
        LinesAdjacency = "lines_adjacency",
        Triangles = "triangles",
        TrianglesAdjacency = "triangles_adjacency",
    }
    OutputPrimitive, "an output primitive" {
        Points = "points",
        LineStrip = "line_strip",
        TriangleStrip = "triangle_strip",
    }
}

/// The word for a field of `T`, and a function that returns the field.
pub(super) type Field<T, F> = (&'static str, fn(&mut T) -> &mut F);

/// The flags of an access.
pub(super) const ACCESS: &[Field<Access, bool>] = &[
    ("coherent", |a| &mut a.coherent),
    ("volatile", |a| &mut a.volatile),
    ("readonly", |a| &mut a.readonly),
    ("restrict", |a| &mut a.restrict),
    ("aliased", |a| &mut a.aliased),
];

/// The flags of a barrier.
pub(super) const SEMANTICS: &[Field<MemorySemantics, bool>] = &[
    ("acquire", |s| &mut s.acquire),
    ("release", |s| &mut s.release),
    ("buffer", |s| &mut s.buffer),
    ("image", |s| &mut s.image),
    ("shared", |s| &mut s.shared),
    ("output", |s| &mut s.output),
];

/// The masks of float controls.
pub(super) const FLOAT_CONTROLS: &[Field<FloatControls, u8>] = &[
    ("denorm_preserve", |c| &mut c.denorm_preserve),
    ("denorm_flush", |c| &mut c.denorm_flush),
    ("signed_zero_inf_nan_preserve", |c| &mut c.signed_zero_inf_nan_preserve),
    ("rounding_rte", |c| &mut c.rounding_rte),
    ("rounding_rtz", |c| &mut c.rounding_rtz),
];

/// The letters of components.
pub(super) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The word of a slot, and the number after it if the kind of slot has one.
pub(super) fn slot_word(slot: IoSlot) -> (&'static str, Option<u32>) {
    match slot {
        IoSlot::Position => ("position", None),
        IoSlot::PointSize => ("point_size", None),
        IoSlot::Layer => ("layer", None),
        IoSlot::ViewportIndex => ("viewport_index", None),
        IoSlot::ClipDistances { first } => ("clip_distances", Some(first.into())),
        IoSlot::PrimitiveId => ("primitive_id", None),
        IoSlot::Location(at) => ("location", Some(at)),
        IoSlot::Patch(at) => ("patch", Some(at)),
        IoSlot::SecondColour(at) => ("second_colour", Some(at)),
        IoSlot::Depth => ("depth", None),
        IoSlot::StencilRef => ("stencil_ref", None),
        IoSlot::SampleMask => ("sample_mask", None),
        IoSlot::TessLevelOuter => ("tess_level_outer", None),
        IoSlot::TessLevelInner => ("tess_level_inner", None),
    }
}

/// One slot of each kind, with number 0. The parser searches their words.
pub(super) const SLOTS: [IoSlot; 14] = [
    IoSlot::Position,
    IoSlot::PointSize,
    IoSlot::Layer,
    IoSlot::ViewportIndex,
    IoSlot::ClipDistances { first: 0 },
    IoSlot::PrimitiveId,
    IoSlot::Location(0),
    IoSlot::Patch(0),
    IoSlot::SecondColour(0),
    IoSlot::Depth,
    IoSlot::StencilRef,
    IoSlot::SampleMask,
    IoSlot::TessLevelOuter,
    IoSlot::TessLevelInner,
];
