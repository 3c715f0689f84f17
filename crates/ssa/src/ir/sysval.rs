//! System values, and operands of the instructions that only fragment shaders have.

use super::{InterpPlace, Src};

/// Values that the hardware or the driver provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SysVal {
    /// 32x3: index of the workgroup.
    WorkgroupId,
    /// 32x3: number of workgroups dispatched.
    NumWorkgroups,
    /// 32x3: size of the workgroup in invocations.
    WorkgroupSize,
    /// 32x3: index of the invocation in its workgroup.
    LocalInvocationId,
    /// 32: the same as one number: x + y * size.x + z * size.x * size.y.
    LocalInvocationIndex,
    /// 32x3: workgroup id * size + local id.
    GlobalInvocationId,
    /// 32: index of the subgroup (hardware thread) in its workgroup.
    SubgroupId,
    /// 32: number of subgroups in the workgroup.
    NumSubgroups,
    /// 32: number of invocations in a subgroup (the SIMD width).
    SubgroupSize,
    /// 32: index of the invocation in its subgroup (the channel).
    SubgroupInvocation,
    /// 32, vertex: number of the vertex. It is the index from the index buffer plus the base vertex, or in a draw call
    /// without indices the count plus the first vertex.
    VertexIndex,
    /// 32, vertex: number of the instance plus the base instance.
    InstanceIndex,
    /// 32, vertex: the number that an indexed draw call adds to indices, or the first vertex of a draw call without
    /// indices.
    BaseVertex,
    /// 32, vertex: number of the draw call's first instance.
    BaseInstance,
    /// 32, vertex: number of the draw call among the draw calls of one command.
    DrawIndex,
    /// 32, all stages but compute: number of the view that the draw call draws (multiview); 0 without views.
    ViewIndex,
    /// 32, tessellation and geometry: number of the input primitive or patch, counted per instance.
    PrimitiveId,
    /// 32, tessellation control and geometry: number of the invocation among those of one primitive or patch.
    InvocationId,
    /// 32x3, tessellation evaluation: u, v, w in the domain; w is 0 unless the domain is triangles.
    TessCoord,
    /// 32, tessellation: number of control points of the input patch.
    PatchVertices,
    /// 32x4, fragment: x and y in the framebuffer, depth, and 1 / w. Coordinates are of the pixel's centre, or of the sample if
    /// the shader runs once for each.
    FragCoord,
    /// 1, fragment: whether the primitive faces the viewer; true of points and lines.
    FrontFacing,
    /// 32x2, fragment: the position within the point primitive, from 0 to 1.
    PointCoord,
    /// 32, fragment: number of the sample. A shader that reads it runs once per sample.
    SampleId,
    /// 32x2, fragment: the position of the sample in the pixel, from 0 to 1. A shader that reads it runs once per sample.
    SamplePosition,
    /// 32, fragment: the samples of the pixel that the primitive covers, bit `i` is sample `i`. If the shader runs once
    /// per sample, only the bit of the invocation's own sample can be set.
    SampleMaskIn,
    /// 1, fragment: whether the primitive covers the whole pixel. Not beside [`SampleMaskIn`](SysVal::SampleMaskIn).
    FullyCovered,
    /// 1, fragment: whether the invocation was a helper when the shader began. `demote` does not change it, so
    /// passes may move it. [`InstKind::IsHelper`](super::InstKind::IsHelper) gives the current state.
    HelperInvocation,
}

/// A direction in the framebuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// To the right.
    X,
    /// Down.
    Y,
}

/// The two invocations of a quad (two by two pixels) whose difference a derivative is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DerivativeRule {
    /// As `Coarse` or as `Fine`; the choice is free.
    Any,
    /// The same two invocations for all four results.
    Coarse,
    /// Along x the two invocations of the invocation's row, along y those of its column.
    Fine,
}

/// The place in a pixel at which the weights of vertices are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaryPlace {
    /// A place that is known at compile time.
    Place(InterpPlace),
    /// The position of the sample with this number, 32-bit unsigned.
    AtSample(Src),
    /// The pixel's centre plus this offset, two 32-bit floats in pixels.
    AtOffset(Src),
}
