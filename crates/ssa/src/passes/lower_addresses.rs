//! Replaces 64-bit addresses of memory accesses by their low dwords, for devices whose messages have addresses of 32
//! bits.
//!
//! ```text
//! before:                                 after:
//! %2 = iadd %0, %1 (64 bits)              %4 = iadd low half of %0, low half of %1
//! %3 = load global %2, %off, align 4      %3 = load global %4, %off, align 4
//! ```
//!
//! The low dword of a sum, difference or product depends on the low dwords of its operands only. So the pass repeats such
//! arithmetic in 32 bits: registers of some stages have no 64-bit integers.

use super::util::{Action, rewrite};
use crate::ir::{AluOp, Builder, InstKind, Memory, Shader, Src, Ty, Value};

/// Greatest number of operations that the pass looks through.
const MAX_STEPS: u32 = 8;

/// See the [module](self). Returns whether an address was replaced.
pub fn lower_addresses(shader: &mut Shader) -> bool {
    let mut replaced = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let (InstKind::Load { memory: Memory::Global(address), .. }
        | InstKind::Store { memory: Memory::Global(address), .. }
        | InstKind::Atomic { memory: Memory::Global(address), .. }) = b.func.inst(inst).kind
        else {
            return Action::Keep;
        };
        if b.func.ty(address.value).bits() == 64 {
            let low = low(b, address, MAX_STEPS);
            if let InstKind::Load { memory, .. }
            | InstKind::Store { memory, .. }
            | InstKind::Atomic { memory, .. } = b.func.kind_mut(inst)
            {
                *memory = Memory::Global(low);
            }
            replaced = true;
        }
        Action::Keep
    }) || replaced
}

/// The low dword of a 64-bit scalar. `steps` is the number of operations that may be looked through.
fn low(b: &mut Builder<'_>, src: Src, steps: u32) -> Src {
    let src = src.select(0);
    if let Some(InstKind::Alu { op, srcs, .. }) = b.func.def(src.value).map(|def| &def.kind)
        && steps > 0
    {
        let op = *op;
        let operands: Vec<Src> = srcs.iter().map(|operand| operand.then(src.swizzle)).collect();
        match (op, &operands[..]) {
            (AluOp::IAdd | AluOp::ISub | AluOp::IMul, &[x, y]) => {
                let both = [low(b, x, steps / 2), low(b, y, steps / 2)];
                return b.alu_ty(op, Ty::X32, &both).into();
            }
            (AluOp::Pack64FromHalves, &[half, _]) => return half.select(0),
            (AluOp::I2I | AluOp::U2U, &[x]) => {
                let bits = b.func.ty(x.value).bits();
                let x = x.select(0);
                return match bits {
                    32 => x,
                    64 => low(b, x, steps - 1),
                    _ => b.alu_ty(op, Ty::X32, &[x]).into(),
                };
            }
            _ => {}
        }
    }
    let low: Value = b.alu_ty(AluOp::Unpack64Low, Ty::X32, &[src]);
    low.into()
}
