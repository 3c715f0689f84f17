//! Approximate costs of instructions, for passes that weigh executed code.

use crate::ir::AluOp;

/// The approximate cost of an operation with `comps` components, in simple instructions.
pub(crate) fn op_cost(op: AluOp, comps: usize) -> usize {
    use AluOp::*;
    let each = match op {
        Mov | Vec2 | Vec3 | Vec4 | FNeg | FAbs | INeg | INot => 0,
        FRcp | FRsq | FSqrt | FExp2 | FLog2 | FSin | FCos => 4,
        FDiv | FPow | IMulHigh | UMulHigh => 6,
        IDiv | UDiv | IRem | IMod | UMod => 16,
        FDot2 | FDot3 | FDot4 | FLdexp => 4,
        _ => 1,
    };
    each * if op.is_per_component() { comps } else { 1 }
}
