//! `lower_math_hazards`: inserts a `nop` after `pow` and `fdiv` if the next instruction writes two registers. Some
//! generations do not support that sequence (PRM, "extended math", workarounds).
//!
//! Runs when the order of instructions is final.

use crate::target::Target;
use crestline_isa::{MathFn, Opcode, Type};

use super::PassError;
use crate::ir::{Function, GRF_BYTES, Inst, Op, Operand, Origin};

/// Inserts a `nop` between instructions that must not follow each other. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn lower_math_hazards(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    if !target.has_pow_successor_hazard() {
        return Ok(false);
    }
    let mut changed = false;
    for block in &mut function.blocks {
        if !block.insts.iter().any(is_slow) {
            continue;
        }
        let old = std::mem::take(&mut block.insts);
        let mut old = old.into_iter().peekable();
        while let Some(inst) = old.next() {
            let hazard = is_slow(&inst) && old.peek().is_none_or(writes_two_registers);
            block.insts.push(inst);
            if hazard {
                let nop = Inst::new(Op::Hw(Opcode::Nop), 1, Operand::null(Type::Ud), &[]);
                let nop = Inst { origin: Origin::Hazard, ..nop };
                block.insts.push(nop);
                changed = true;
            }
        }
    }
    Ok(changed)
}

fn is_slow(inst: &Inst) -> bool {
    matches!(inst.op, Op::Math(MathFn::Pow | MathFn::Fdiv))
}

fn writes_two_registers(inst: &Inst) -> bool {
    inst.dst.in_grf() && inst.dst.offset % GRF_BYTES + inst.size_written() > GRF_BYTES
}
