//! Changes inner tessellation levels of quads that the tessellator of some devices cannot handle.
//!
//! With equal spacing, these tessellators add wrong points along the edges of a quad if all three levels along one axis
//! (two outer, one inner) are 1, and those along the other axis are greater and round up to the same integer (PRM of
//! Broadwell, vol 7, note to the layouts of the patch header). The PRM also describes the remedy: if any level is
//! greater than 1, each inner level of at most 1 becomes 2.
//!
//! Any invocation of the patch may store levels, so they are final only after all invocations have stored theirs. The
//! pass adds this code at the end of a tessellation control shader (the barrier only if there are several invocations):
//!
//! ```text
//! barrier
//! if invocation_id == 0 {
//!     greatest = max of all outer and inner levels
//!     inner = inner <= 1 and greatest > 1 ? 2 : inner, for each component
//! }
//! ```
//!
//! The shader must have no returns in regions, so that all invocations reach the end of the body.

use super::LowerOptions;
use crate::ir::{
    AluOp, Builder, InstKind, IoSlot, MemorySemantics, Scope, Shader, Src, StageInfo, SysVal,
    TessDomain, Ty, Value,
};

/// Number of outer and of inner levels of quads.
const LEVELS: [usize; 2] = [4, 2];

/// Adds the code that changes inner levels to a tessellation control shader for quads, if the options request it and
/// the shader declares outer and inner levels as outputs. Returns whether the shader was changed. See the
/// [module](self).
pub fn lower_quad_levels(shader: &mut Shader, options: &LowerOptions) -> bool {
    let StageInfo::TessControl(info) = shader.stage else { return false };
    let slots = [IoSlot::TessLevelOuter, IoSlot::TessLevelInner];
    let stored = slots.iter().all(|&slot| shader.output(slot).is_some());
    if !options.quad_levels || options.tess_domain != Some(TessDomain::Quads) || !stored {
        return false;
    }
    let func = &mut shader.func;
    let body = func.body();
    let end = func.region(body).insts.len().saturating_sub(1);
    let mut b = Builder::at(func, body, end);
    if info.output_vertices > 1 {
        let (execution, memory) = (Some(Scope::Workgroup), Scope::Workgroup);
        let semantics = MemorySemantics::default();
        b.inst(InstKind::Barrier { execution, memory, semantics }, &[]);
    }
    let number = b.sysval(SysVal::InvocationId);
    let zero = b.imm(0);
    let first = b.alu(AluOp::IEq, &[number, zero]);
    let (_, then, else_) = b.if_(first);
    b.switch_to(else_);
    b.yield_(&[]);
    b.switch_to(then);
    let mut levels: Vec<Value> = Vec::new();
    for (slot, count) in slots.into_iter().zip(LEVELS) {
        let load = InstKind::LoadOutput { slot, vertex: None, index: None, comp: 0 };
        let load = b.inst(load, &[Ty::X32.with_comps(count)]);
        let all = b.func.inst(load).results[0];
        levels.extend((0..count).map(|comp| b.comp(all, comp)));
    }
    let (one, two) = (b.imm_f(1.0), b.imm_f(2.0));
    let greatest = levels.iter().copied().reduce(|a, c| b.alu(AluOp::FMax, &[a, c]));
    let several = b.alu(AluOp::FLt, &[one, greatest.unwrap_or(one)]);
    let inner: Vec<Src> = levels[LEVELS[0]..]
        .iter()
        .map(|&level| {
            let small = b.alu(AluOp::FGe, &[one, level]);
            let wrong = b.alu(AluOp::IAnd, &[small, several]);
            b.alu(AluOp::Select, &[wrong, two, level]).into()
        })
        .collect();
    let inner = b.vec(&inner);
    b.store_output(IoSlot::TessLevelInner, 0, inner);
    b.yield_(&[]);
    true
}
