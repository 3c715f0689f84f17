//! Capabilities and decorations of modules that have no code on these devices. The capabilities are in groups with one name each.

use rspirv::spirv::{Capability as C, Decoration, ExecutionModel as M, Op};

use super::reader::Inst;
use crate::error::{ErrorCode, Result};

/// A group of capabilities that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Refused {
    /// What the module is or needs, as errors show it.
    what: &'static str,
    /// Whether the group only adds stages: then entry points of other stages in the same module can be compiled.
    stages: bool,
}

const KERNEL: Refused = Refused { what: "an OpenCL kernel", stages: false };
const RAY_TRACING: Refused = Refused { what: "ray tracing", stages: true };
const RAY_QUERY: Refused = Refused { what: "ray queries", stages: false };
const MESH: Refused = Refused { what: "task and mesh shaders", stages: true };
const MATRICES: Refused = Refused { what: "cooperative matrices or vectors", stages: false };
const SPARSE: Refused = Refused { what: "sparse residency", stages: false };
const UNTYPED: Refused = Refused { what: "untyped pointers", stages: false };
const TENSORS: Refused = Refused { what: "tensors", stages: false };
const IMAGE_LEVELS: Refused = Refused { what: "levels of detail of storage images", stages: false };

/// The refused group of a capability; `None` if modules with the capability are translated.
fn refused(capability: C) -> Option<Refused> {
    Some(match capability {
        C::Kernel | C::Addresses => KERNEL,
        C::RayTracingKHR
        | C::RayTracingNV
        | C::RayTracingProvisionalKHR
        | C::RayTracingMotionBlurNV
        | C::RayTraversalPrimitiveCullingKHR => RAY_TRACING,
        C::RayQueryKHR | C::RayQueryProvisionalKHR => RAY_QUERY,
        C::MeshShadingNV | C::MeshShadingEXT => MESH,
        C::CooperativeMatrixNV | C::CooperativeMatrixKHR | C::CooperativeVectorNV => MATRICES,
        C::SparseResidency => SPARSE,
        C::UntypedPointersKHR => UNTYPED,
        C::TensorsARM => TENSORS,
        C::ImageReadWriteLodAMD => IMAGE_LEVELS,
        _ => return None,
    })
}

/// Decorations that change what a shader does, and that the translation does not read.
const REFUSED_DECORATIONS: &[Decoration] = &[
    Decoration::PassthroughNV,
    Decoration::OverrideCoverageNV,
    Decoration::ViewportRelativeNV,
    Decoration::SecondaryViewportRelativeNV,
];

/// Refuses modules with a capability or decoration that has no code on these devices. A module that also has entry points of
/// other stages may have capabilities that only add stages.
pub(super) fn check(insts: &[Inst<'_>]) -> Result<()> {
    let of = |op| insts.iter().filter(move |inst| inst.op == op);
    let is_known = |inst: &Inst<'_>| {
        let model = inst.operands.first().and_then(|&number| M::from_u32(number));
        matches!(
            model,
            Some(
                M::Vertex
                    | M::TessellationControl
                    | M::TessellationEvaluation
                    | M::Geometry
                    | M::Fragment
                    | M::GLCompute
            )
        )
    };
    for inst in of(Op::Capability) {
        let Some(name) = C::from_u32(inst.word(0)?) else { continue };
        let Some(Refused { what, stages }) = refused(name) else { continue };
        if stages && of(Op::EntryPoint).any(is_known) {
            continue;
        }
        let detail = format!(
            "expected a shader that these devices can run, found {what} (capability {name:?})"
        );
        return Err(inst.error(ErrorCode::UnsupportedModel, detail));
    }
    for (op, at) in [(Op::Decorate, 1), (Op::MemberDecorate, 2)] {
        for inst in of(op) {
            let found = inst.operands.get(at).copied().and_then(Decoration::from_u32);
            if let Some(name) = found.filter(|name| REFUSED_DECORATIONS.contains(name)) {
                let detail = format!("expected a supported decoration, found {name:?}");
                return Err(inst.error(ErrorCode::Unsupported, detail));
            }
        }
    }
    Ok(())
}
