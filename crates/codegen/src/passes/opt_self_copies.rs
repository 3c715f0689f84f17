//! `opt_self_copies`: removes copies whose source and destination were assigned the same register.

use crate::target::Target;

use super::{PassError, legal};
use crate::ir::{Function, Inst, Region};

/// Removes copies from a register to itself, after register allocation. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_self_copies(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let mut changed = false;
    for block in &mut function.blocks {
        let before = block.insts.len();
        let fuel = &mut function.fuel;
        block.insts.retain(|inst| !(is_self_copy(inst) && fuel.take(|| inst.to_string())));
        changed |= block.insts.len() < before;
    }
    Ok(changed)
}

/// Whether each channel writes the element that it reads.
fn is_self_copy(inst: &Inst) -> bool {
    if !legal::is_raw_move(inst) || inst.writes_flag() || inst.writes_accumulator() {
        return false;
    }
    let (dst, src) = (&inst.dst, &inst.srcs[0]);
    let same = dst.in_grf() && dst.file == src.file && dst.offset == src.offset;
    let in_order = match (dst.region, src.region) {
        (Region::Stride(to), Region::Stride(from)) => to == from || inst.exec_size == 1,
        (Region::Mask(mask), Region::Swizzle(swizzle)) => {
            (0..4).all(|i| mask.0 >> i & 1 == 0 || usize::from(swizzle.0[i]) == i)
        }
        _ => false,
    };
    same && in_order
}
