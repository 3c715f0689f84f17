//! Decomposition of byte offsets into a variable base and a constant, and aliasing of memories.

use crate::ir::{Access, AluOp, Function, InstKind, Memory, Resource, Src, Value};

/// A 32-bit byte offset as a sum of a value that is not constant, if there is one, and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The value, and the number of one of its components.
    pub base: Option<(Value, u8)>,
    /// The constant in bytes, modulo 2^32.
    pub fixed: u32,
}

/// Greatest number of additions that [`Address::of`] looks through.
const MAX_STEPS: usize = 8;

impl Address {
    /// Decomposes a 32-bit scalar: collects the constants added to a value.
    #[must_use]
    pub fn of(func: &Function, offset: Src) -> Address {
        let mut at = offset.select(0);
        let mut fixed = 0_u32;
        for _ in 0..MAX_STEPS {
            if let Some(bits) = const_scalar(func, at) {
                return Address { base: None, fixed: fixed.wrapping_add(bits as u32) };
            }
            let Some((rest, bits)) = constant_term(func, at) else { break };
            fixed = fixed.wrapping_add(bits as u32);
            at = rest.select(0);
        }
        Address { base: Some((at.value, at.swizzle[0])), fixed }
    }
}

/// A 64-bit address as a sum of a value, given with the number of one of its components, and a constant in bytes.
#[must_use]
pub fn wide_address(func: &Function, address: Src) -> ((Value, u8), i64) {
    let mut at = address.select(0);
    let mut fixed = 0_i64;
    for _ in 0..MAX_STEPS {
        let Some((rest, bits)) = constant_term(func, at) else { break };
        fixed = fixed.wrapping_add(bits as i64);
        at = rest.select(0);
    }
    ((at.value, at.swizzle[0]), fixed)
}

/// The two terms of a scalar sum, if one of them is constant: the other one and the constant.
fn constant_term(func: &Function, sum: Src) -> Option<(Src, u64)> {
    let InstKind::Alu { op: AluOp::IAdd, srcs, .. } = &func.def(sum.value)?.kind else {
        return None;
    };
    let terms = [srcs[0].then(sum.swizzle), srcs[1].then(sum.swizzle)];
    match terms.map(|term| const_scalar(func, term)) {
        [_, Some(bits)] => Some((terms[0], bits)),
        [Some(bits), None] => Some((terms[1], bits)),
        [None, None] => None,
    }
}

/// The constant that a scalar source reads; `None` if its value is no constant.
pub(crate) fn const_scalar(func: &Function, src: Src) -> Option<u64> {
    func.as_const(src.value).map(|bits| bits[usize::from(src.swizzle[0])])
}

/// The memory with the swizzle of its array element or address made canonical, so that equal memories compare as equal.
pub(crate) fn canonical(memory: Memory) -> Memory {
    let element = |r: Resource| Resource { element: r.element.map(|src| src.select(0)), ..r };
    match memory {
        Memory::Ubo(r) => Memory::Ubo(element(r)),
        Memory::Ssbo(r) => Memory::Ssbo(element(r)),
        Memory::Image(r) => Memory::Image(element(r)),
        Memory::Global(address) => Memory::Global(address.select(0)),
        other => other,
    }
}

/// Whether a write to one of these memories may change the other. The accesses say what else refers to the memories.
pub(crate) fn may_alias((x, to_x): (&Memory, Access), (y, to_y): (&Memory, Access)) -> bool {
    let restrict = to_x.restrict || to_y.restrict;
    match (x, y) {
        (Memory::Ssbo(x), Memory::Ssbo(y)) | (Memory::Image(x), Memory::Image(y)) => {
            x.binding == y.binding || to_x.aliased && to_y.aliased && !restrict
        }
        (Memory::Global(_), Memory::Global(_)) => true,
        (Memory::Global(_), Memory::Ssbo(_)) | (Memory::Ssbo(_), Memory::Global(_)) => !restrict,
        (x, y) => x == y,
    }
}
