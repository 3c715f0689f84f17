//! `lower_collect`: replaces each [`Op::Collect`] by one move per source.

use crate::target::Target;
use crestline_isa::Type;

use super::PassError;
use crate::ir::{Function, GRF_BYTES, Inst, Op};

/// Replaces each [`Op::Collect`] by moves. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn lower_collect(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let is_collect = |inst: &Inst| matches!(inst.op, Op::Collect { .. });
    Ok(function.rewrite(is_collect, |inst, b| {
        let Op::Collect { headers } = inst.op else { return false };
        let mut place = inst.dst.with_stride(1);
        for (index, part) in inst.srcs.iter().enumerate() {
            if index < usize::from(headers) {
                if !part.is_null() {
                    let mut whole = b.align1();
                    let mut whole = whole.no_mask();
                    let mut whole = whole.exec(8);
                    let part = part.retype(Type::Ud).with_stride(1);
                    whole.group(0).mov(place.retype(Type::Ud), part);
                }
                place = place.byte_offset(GRF_BYTES);
            } else {
                if !part.is_null() {
                    b.mov(place.retype(part.ty).as_dst(inst.access_mode), *part);
                }
                place = place.byte_offset(inst.part_bytes(part));
            }
        }
        true
    }))
}
