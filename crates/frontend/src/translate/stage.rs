//! Reads the execution modes of an entry point into the [`StageInfo`] of its stage.

use crestline_ssa::ir::{
    ComputeInfo, DepthMode, FragmentInfo, GeometryInfo, InputPrimitive, Interlock, IoSlot,
    MAX_PATCH_VERTICES, OutputPrimitive, Shader, StageInfo, TessControlInfo, TessDomain,
    TessEvalInfo, TessSpacing,
};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};

use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Deco, EntryPoint, Globals, Inst, Module, Type};

/// The most invocations in a workgroup.
const MAX_INVOCATIONS: u64 = 4096;

/// Vertices that a geometry shader may emit (Vulkan: `maxGeometryOutputVertices` of these chips).
const MAX_GEOMETRY_VERTICES: u32 = 1024;

/// Invocations of a geometry shader for a primitive (Vulkan: `maxGeometryShaderInvocations` of these chips).
const MAX_GEOMETRY_INVOCATIONS: u32 = 32;

/// The stage of an entry point, with the parameters that its execution modes give.
pub(super) fn stage(
    module: &Module<'_>,
    globals: &Globals,
    entry: &EntryPoint,
) -> Result<StageInfo> {
    let stage = match entry.model {
        Some(ExecutionModel::Vertex) => StageInfo::Vertex,
        Some(ExecutionModel::TessellationControl) => {
            StageInfo::TessControl(tess_control(module, entry)?)
        }
        Some(ExecutionModel::TessellationEvaluation) => {
            StageInfo::TessEval(tess_eval(module, entry)?)
        }
        Some(ExecutionModel::Geometry) => StageInfo::Geometry(geometry(module, entry)?),
        Some(ExecutionModel::Fragment) => StageInfo::Fragment(fragment(module, globals, entry)?),
        Some(ExecutionModel::GLCompute) => {
            let local_size = local_size(module, globals, entry)?;
            let (subgroup_size, subgroups) = subgroups(module, globals, entry)?;
            StageInfo::Compute(ComputeInfo {
                subgroup_size,
                subgroups,
                quads: quads(module, entry, local_size)?.is_some(),
                ..ComputeInfo::new(local_size)
            })
        }
        other => {
            let detail = format!(
                "expected a vertex, tessellation, geometry, fragment or compute shader, found {} \"{}\"",
                named(other),
                entry.name
            );
            return Err(module.insts[entry.inst].error(ErrorCode::UnsupportedStage, detail));
        }
    };
    if let Some(inst) = modes(module, entry).find(|inst| !belongs(inst, &stage)) {
        let mode = ExecutionMode::from_u32(inst.word(1)?);
        let detail = format!(
            "expected an execution mode of {:?} shaders, found {}",
            stage.stage(),
            named(mode)
        );
        return Err(inst.error(ErrorCode::StageMode, detail));
    }
    Ok(stage)
}

/// The name of an enumerant for messages.
fn named(known: Option<impl std::fmt::Debug>) -> String {
    known.map_or_else(|| "an unknown one".to_owned(), |known| format!("{known:?}"))
}

/// Whether an execution mode is allowed in the stage. Modes that are not specific to a stage always are.
fn belongs(inst: &Inst<'_>, stage: &StageInfo) -> bool {
    use ExecutionMode as M;
    let (control, eval) =
        (matches!(stage, StageInfo::TessControl(_)), matches!(stage, StageInfo::TessEval(_)));
    let geometry = matches!(stage, StageInfo::Geometry(_));
    match inst.operands.get(1).copied().and_then(M::from_u32) {
        Some(
            M::LocalSize
            | M::LocalSizeId
            | M::SubgroupSize
            | M::SubgroupsPerWorkgroup
            | M::SubgroupsPerWorkgroupId
            | M::DerivativeGroupQuadsKHR
            | M::DerivativeGroupLinearKHR,
        ) => matches!(stage, StageInfo::Compute(_)),
        Some(
            M::SpacingEqual
            | M::SpacingFractionalEven
            | M::SpacingFractionalOdd
            | M::VertexOrderCw
            | M::VertexOrderCcw
            | M::PointMode
            | M::Quads
            | M::Isolines,
        ) => control || eval,
        Some(M::Xfb) => matches!(stage, StageInfo::Vertex) || eval || geometry,
        Some(M::Triangles) => control || eval || geometry,
        Some(M::OutputVertices) => control || eval || geometry,
        Some(
            M::Invocations
            | M::InputPoints
            | M::InputLines
            | M::InputLinesAdjacency
            | M::InputTrianglesAdjacency
            | M::OutputPoints
            | M::OutputLineStrip
            | M::OutputTriangleStrip,
        ) => geometry,
        Some(
            M::OriginUpperLeft
            | M::OriginLowerLeft
            | M::EarlyFragmentTests
            | M::DepthReplacing
            | M::DepthGreater
            | M::DepthLess
            | M::DepthUnchanged
            | M::PixelCenterInteger
            | M::PostDepthCoverage
            | M::RequireFullQuadsKHR
            | M::StencilRefReplacingEXT
            | M::PixelInterlockOrderedEXT
            | M::PixelInterlockUnorderedEXT
            | M::SampleInterlockOrderedEXT
            | M::SampleInterlockUnorderedEXT,
        ) => matches!(stage, StageInfo::Fragment(_)),
        _ => true,
    }
}

/// The value of the row whose mode the entry point has; `None` if it has none of these modes.
///
/// # Errors
/// If it has several of them with different values.
fn choice<T: Copy + PartialEq>(
    module: &Module<'_>,
    entry: &EntryPoint,
    rows: &[(ExecutionMode, T)],
) -> Result<Option<T>> {
    let mut found = None;
    for inst in modes(module, entry) {
        let mode = ExecutionMode::from_u32(inst.word(1)?);
        let Some(row) = rows.iter().find(|row| Some(row.0) == mode) else { continue };
        if found.is_some_and(|other| other != row.1) {
            let detail =
                format!("expected only one of several exclusive modes, found also {:?}", row.0);
            return Err(inst.error(ErrorCode::StageMode, detail));
        }
        found = Some(row.1);
    }
    Ok(found)
}

/// The operand of an execution mode, which must be in `range`; `None` if the entry point does not have the mode.
fn number(
    module: &Module<'_>,
    entry: &EntryPoint,
    mode: ExecutionMode,
    range: std::ops::RangeInclusive<u32>,
) -> Result<Option<u32>> {
    for inst in modes(module, entry) {
        if ExecutionMode::from_u32(inst.word(1)?) != Some(mode) {
            continue;
        }
        let number = inst.word(2)?;
        if !range.contains(&number) {
            let detail = format!("expected {mode:?} from {range:?}, found {number}");
            return Err(inst.error(ErrorCode::StageMode, detail));
        }
        return Ok(Some(number));
    }
    Ok(None)
}

fn missing(module: &Module<'_>, entry: &EntryPoint, what: &str) -> FrontendError {
    module.insts[entry.inst].error(ErrorCode::StageMode, format!("expected {what}, found none"))
}

fn tess_control(module: &Module<'_>, entry: &EntryPoint) -> Result<TessControlInfo> {
    let vertices = number(module, entry, ExecutionMode::OutputVertices, 1..=MAX_PATCH_VERTICES)?;
    let output_vertices = vertices.ok_or_else(|| missing(module, entry, "OutputVertices"))?;
    Ok(TessControlInfo { output_vertices })
}

/// The domain, spacing, vertex order and point mode from the execution modes of a tessellation evaluation shader.
fn tess_eval(module: &Module<'_>, entry: &EntryPoint) -> Result<TessEvalInfo> {
    let domain = choice(
        module,
        entry,
        &[
            (ExecutionMode::Triangles, TessDomain::Triangles),
            (ExecutionMode::Quads, TessDomain::Quads),
            (ExecutionMode::Isolines, TessDomain::Isolines),
        ],
    )?;
    let spacing = choice(
        module,
        entry,
        &[
            (ExecutionMode::SpacingEqual, TessSpacing::Equal),
            (ExecutionMode::SpacingFractionalOdd, TessSpacing::FractionalOdd),
            (ExecutionMode::SpacingFractionalEven, TessSpacing::FractionalEven),
        ],
    )?;
    let order = [(ExecutionMode::VertexOrderCcw, true), (ExecutionMode::VertexOrderCw, false)];
    let point_mode = choice(module, entry, &[(ExecutionMode::PointMode, ())])?.is_some();
    Ok(TessEvalInfo {
        domain: domain.ok_or_else(|| missing(module, entry, "Triangles, Quads or Isolines"))?,
        spacing: spacing.unwrap_or(TessSpacing::Equal),
        ccw: choice(module, entry, &order)?.unwrap_or(true),
        point_mode,
    })
}

/// The primitives and counts from the execution modes of a geometry shader.
fn geometry(module: &Module<'_>, entry: &EntryPoint) -> Result<GeometryInfo> {
    let input = choice(
        module,
        entry,
        &[
            (ExecutionMode::InputPoints, InputPrimitive::Points),
            (ExecutionMode::InputLines, InputPrimitive::Lines),
            (ExecutionMode::InputLinesAdjacency, InputPrimitive::LinesAdjacency),
            (ExecutionMode::Triangles, InputPrimitive::Triangles),
            (ExecutionMode::InputTrianglesAdjacency, InputPrimitive::TrianglesAdjacency),
        ],
    )?;
    let output = choice(
        module,
        entry,
        &[
            (ExecutionMode::OutputPoints, OutputPrimitive::Points),
            (ExecutionMode::OutputLineStrip, OutputPrimitive::LineStrip),
            (ExecutionMode::OutputTriangleStrip, OutputPrimitive::TriangleStrip),
        ],
    )?;
    let vertices = 0..=MAX_GEOMETRY_VERTICES;
    let vertices = number(module, entry, ExecutionMode::OutputVertices, vertices)?;
    let invocations = 1..=MAX_GEOMETRY_INVOCATIONS;
    let invocations = number(module, entry, ExecutionMode::Invocations, invocations)?;
    let need = |what| move || missing(module, entry, what);
    Ok(GeometryInfo {
        input: input.ok_or_else(need("an execution mode for the type of the input primitives"))?,
        output: output
            .ok_or_else(need("an execution mode for the type of the output primitives"))?,
        max_vertices: vertices.ok_or_else(need("OutputVertices"))?,
        invocations: invocations.unwrap_or(1),
    })
}

/// Execution modes of fragment shaders that are not supported. Ignoring them would change what the shader does.
const REFUSED_FRAGMENT_MODES: &[ExecutionMode] = &[
    ExecutionMode::OriginLowerLeft,
    ExecutionMode::PixelCenterInteger,
    ExecutionMode::EarlyAndLateFragmentTestsAMD,
    ExecutionMode::StencilRefUnchangedFrontAMD,
    ExecutionMode::StencilRefGreaterFrontAMD,
    ExecutionMode::StencilRefLessFrontAMD,
    ExecutionMode::StencilRefUnchangedBackAMD,
    ExecutionMode::StencilRefGreaterBackAMD,
    ExecutionMode::StencilRefLessBackAMD,
    ExecutionMode::ShadingRateInterlockOrderedEXT,
    ExecutionMode::ShadingRateInterlockUnorderedEXT,
    ExecutionMode::NonCoherentColorAttachmentReadEXT,
    ExecutionMode::NonCoherentDepthAttachmentReadEXT,
    ExecutionMode::NonCoherentStencilAttachmentReadEXT,
];

/// Checks that a shader that writes the depth says so: without the mode `DepthReplacing` Vulkan does not allow it
/// (VUID-FragDepth-FragDepth-04216), and hardware may test the depth of the primitive before.
pub(super) fn check_depth(module: &Module<'_>, entry: &EntryPoint, shader: &Shader) -> Result<()> {
    let replaces = choice(module, entry, &[(ExecutionMode::DepthReplacing, ())])?.is_some();
    if shader.output(IoSlot::Depth).is_none() || replaces {
        return Ok(());
    }
    Err(missing(module, entry, "DepthReplacing, because the shader writes FragDepth"))
}

fn fragment(module: &Module<'_>, globals: &Globals, entry: &EntryPoint) -> Result<FragmentInfo> {
    for inst in modes(module, entry) {
        let mode = ExecutionMode::from_u32(inst.word(1)?);
        if let Some(mode) = mode.filter(|mode| REFUSED_FRAGMENT_MODES.contains(mode)) {
            let detail = format!("expected a supported mode of fragment shaders, found {mode:?}");
            return Err(inst.error(ErrorCode::StageMode, detail));
        }
    }
    let has = |mode| Ok(choice(module, entry, &[(mode, ())])?.is_some());
    if !has(ExecutionMode::OriginUpperLeft)? {
        return Err(missing(module, entry, "OriginUpperLeft"));
    }
    let depth = choice(
        module,
        entry,
        &[
            (ExecutionMode::DepthGreater, DepthMode::Greater),
            (ExecutionMode::DepthLess, DepthMode::Less),
            (ExecutionMode::DepthUnchanged, DepthMode::Unchanged),
        ],
    )?;
    let post_depth_coverage = has(ExecutionMode::PostDepthCoverage)?;
    let interlock = choice(
        module,
        entry,
        &[
            (
                ExecutionMode::PixelInterlockOrderedEXT,
                Interlock { ordered: true, per_sample: false },
            ),
            (
                ExecutionMode::PixelInterlockUnorderedEXT,
                Interlock { ordered: false, per_sample: false },
            ),
            (
                ExecutionMode::SampleInterlockOrderedEXT,
                Interlock { ordered: true, per_sample: true },
            ),
            (
                ExecutionMode::SampleInterlockUnorderedEXT,
                Interlock { ordered: false, per_sample: true },
            ),
        ],
    )?;
    Ok(FragmentInfo {
        early_tests: post_depth_coverage || has(ExecutionMode::EarlyFragmentTests)?,
        post_depth_coverage,
        depth: depth.unwrap_or_default(),
        per_sample: is_per_sample(module, globals, entry)?,
        full_quads: has(ExecutionMode::RequireFullQuadsKHR)?,
        interlock,
    })
}

/// Whether the interface has a variable that makes the shader run once per sample (Vulkan, "Sample Shading"): an input that
/// is interpolated at the sample, or the number or position of the sample.
fn is_per_sample(module: &Module<'_>, globals: &Globals, entry: &EntryPoint) -> Result<bool> {
    let is_sample = |decorations: &[Deco<'_>]| {
        decorations.iter().any(|deco| match (deco.kind, deco.args.first()) {
            (Decoration::Sample, _) => true,
            (Decoration::BuiltIn, Some(&number)) => {
                number == BuiltIn::SampleId as u32 || number == BuiltIn::SamplePosition as u32
            }
            _ => false,
        })
    };
    for &id in module.insts[entry.inst].after_string(2)? {
        let Some(variable) = module.def(id).filter(|inst| inst.op == Op::Variable) else {
            continue;
        };
        let Some(&Type::Pointer { class: StorageClass::Input, pointee }) =
            globals.types.get(variable.ty)
        else {
            continue;
        };
        let mut block = pointee;
        while let Some(Type::Array { elem, .. }) = globals.types.get(block) {
            block = *elem;
        }
        let members = match globals.types.get(block) {
            Some(Type::Struct { members }) => members.len() as u32,
            _ => 0,
        };
        let in_members = (0..members).any(|at| is_sample(module.member_decorations(block, at)));
        if is_sample(module.decorations(id)) || in_members {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The workgroup's size: that of the WorkgroupSize constant, else of the last mode `LocalSizeId` or `LocalSize`.
fn local_size(module: &Module<'_>, globals: &Globals, entry: &EntryPoint) -> Result<[u32; 3]> {
    let mut size = None;
    for inst in modes(module, entry) {
        match ExecutionMode::from_u32(inst.word(1)?) {
            Some(ExecutionMode::LocalSize) => {
                size = Some([inst.word(2)?, inst.word(3)?, inst.word(4)?]);
            }
            Some(ExecutionMode::LocalSizeId) => {
                let mut dims = [0; 3];
                for (dim, at) in dims.iter_mut().zip(2..) {
                    let value = globals.int(inst.word(at)?).map_err(|e| e.at(inst.position()))?;
                    *dim = u32::try_from(value).unwrap_or(u32::MAX);
                }
                size = Some(dims);
            }
            _ => {}
        }
    }
    if let Some((_, value)) = globals.workgroup_size.and_then(|id| globals.get(id)) {
        size = Some([0, 1, 2].map(|i| u32::try_from(value.part(i).bits()).unwrap_or(u32::MAX)));
    }
    let position = module.insts[entry.inst].position();
    let size = size.ok_or_else(|| {
        let detail = "expected LocalSize, LocalSizeId or a WorkgroupSize constant";
        FrontendError::new(ErrorCode::BadLocalSize, detail).at(position)
    })?;
    let total = size.iter().fold(1u64, |n, &d| n.saturating_mul(u64::from(d)));
    if total == 0 || total > MAX_INVOCATIONS {
        let detail = format!("expected 1 to {MAX_INVOCATIONS} invocations, found {size:?}");
        return Err(FrontendError::new(ErrorCode::BadLocalSize, detail).at(position));
    }
    Ok(size)
}

/// How the invocations of a workgroup form quads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quads {
    /// Two by two local ids.
    Square,
    /// Four invocations with consecutive indices.
    Linear,
}

/// How the invocations of a compute shader form quads; `None` if they do not.
pub(super) fn quads(
    module: &Module<'_>,
    entry: &EntryPoint,
    [x, y, z]: [u32; 3],
) -> Result<Option<Quads>> {
    let modes = [
        (ExecutionMode::DerivativeGroupQuadsKHR, Quads::Square),
        (ExecutionMode::DerivativeGroupLinearKHR, Quads::Linear),
    ];
    let found = choice(module, entry, &modes)?;
    // The product is small: the size of a workgroup is checked before.
    let expected = match found {
        Some(Quads::Square) if x % 2 != 0 || y % 2 != 0 => "even numbers of invocations in x and y",
        Some(Quads::Linear) if (x * y * z) % 4 != 0 => "a multiple of four invocations",
        _ => return Ok(found),
    };
    let detail = format!("expected {expected} for quads, found [{x}, {y}, {z}]");
    Err(module.insts[entry.inst].error(ErrorCode::StageMode, detail))
}

/// The required number of invocations of a subgroup and the required number of subgroups of a workgroup.
fn subgroups(
    module: &Module<'_>,
    globals: &Globals,
    entry: &EntryPoint,
) -> Result<(Option<u32>, Option<u32>)> {
    let numbers = 1..=u32::MAX;
    let size = number(module, entry, ExecutionMode::SubgroupSize, numbers.clone())?;
    let mut count = number(module, entry, ExecutionMode::SubgroupsPerWorkgroup, numbers)?;
    for inst in modes(module, entry) {
        if ExecutionMode::from_u32(inst.word(1)?) == Some(ExecutionMode::SubgroupsPerWorkgroupId) {
            let value = globals.int(inst.word(2)?).map_err(|e| e.at(inst.position()))?;
            count = Some(u32::try_from(value).unwrap_or(u32::MAX));
        }
    }
    Ok((size, count))
}

/// The execution modes of an entry point.
pub(super) fn modes<'a, 'w>(
    module: &'a Module<'w>,
    entry: &'a EntryPoint,
) -> impl Iterator<Item = &'a Inst<'w>> {
    module
        .modes
        .iter()
        .filter(|(function, _)| *function == entry.function)
        .map(|&(_, inst)| &module.insts[inst])
        .filter(|inst| matches!(inst.op, Op::ExecutionMode | Op::ExecutionModeId))
}
