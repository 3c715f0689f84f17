//! Filters: bits that say quickly that a rule cannot match, from the definitions of the sources.

use crate::ir::{AluOp, Function, InstKind, Src};

/// The definition of a source, as far as filters need it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A constant: the first component that is read, and the bit size.
    Const {
        first: u64,
        bits: u32,
    },
    Alu(AluOp),
    Other,
}

/// Filter bit of constants.
pub(super) const CONSTANT: u64 = 1;
/// Filter bit of constants whose first component is an integer or float zero.
pub(super) const ZERO: u64 = 2;

/// Filter bit of an operation. The 62 bits are shared by all operations, so different operations may have the same bit.
pub(super) fn operation(op: AluOp) -> u64 {
    4 << (op as u32 % 62)
}

impl Source {
    /// The filter bits of the definition.
    pub(super) fn kind(self) -> u64 {
        match self {
            Source::Const { first, bits } if first == 0 || first == 1 << (bits - 1) => {
                CONSTANT | ZERO
            }
            Source::Const { .. } => CONSTANT,
            Source::Alu(op) => operation(op),
            Source::Other => 0,
        }
    }

    /// Classifies the definition of a source.
    pub(super) fn new(func: &Function, src: Src) -> Source {
        match func.def(src.value).map(|inst| &inst.kind) {
            Some(InstKind::Const(comps)) => {
                let first = comps[usize::from(src.swizzle[0])];
                Source::Const { first, bits: func.ty(src.value).bits() }
            }
            Some(InstKind::Alu { op, .. }) => Source::Alu(*op),
            _ => Source::Other,
        }
    }
}

/// The filter bits of all sources of those operations that define the root's sources. The swizzles at the root
/// determine which components are read, so every constant vector gets the bit of zeros.
pub(super) fn inner_kinds(func: &Function, srcs: &[Src]) -> u64 {
    let mut kinds = 0;
    for src in srcs {
        if let Some(InstKind::Alu { srcs, .. }) = func.def(src.value).map(|inst| &inst.kind) {
            for &src in srcs {
                let kind = Source::new(func, src).kind();
                kinds |= kind;
                if kind & CONSTANT != 0 && func.ty(src.value).comps() > 1 {
                    kinds |= ZERO;
                }
            }
        }
    }
    kinds
}
