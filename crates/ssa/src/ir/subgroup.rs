//! Operations that combine the values of the invocations of a subgroup.

use super::{AluOp, Class};

/// How the values of the active invocations of a subgroup are combined. The invocations that execute the instruction
/// together are *active*; values of the others have no influence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubgroupOp {
    /// Which invocations have a true source: a boolean becomes 32 bits, of which bit `i` is set if invocation `i` is active
    /// and its source is true.
    Ballot,
    /// The 32-bit value of the active invocation with the least number.
    ReadFirst,
    /// Combines the values of all active invocations in the own cluster, in any order.
    Reduce {
        /// The operation, one with an [`identity`].
        op: AluOp,
        /// Number of consecutive invocations of a cluster, a power of two; 0 if the whole subgroup is one cluster. A
        /// cluster that is larger than the subgroup is the whole subgroup.
        cluster: u8,
    },
    /// Combines the values of the active invocations with a lesser number, and the own value if `inclusive` is set. If
    /// there are none, the result is the identity.
    Scan {
        /// The operation, one with an [`identity`].
        op: AluOp,
        /// Whether the own value is one of those combined.
        inclusive: bool,
    },
}

/// The value that does not change another value when `op` combines both, for `bits` bits. `None` if the operation cannot
/// combine the values of a subgroup. The identity of a sum of floats is positive zero, as SPIR-V defines it.
pub fn identity(op: AluOp, bits: u32) -> Option<u64> {
    let all = u64::MAX >> (64 - bits.clamp(1, 64));
    let class = op.row().result.class;
    let sized = match class {
        Class::Float => matches!(bits, 16 | 32 | 64),
        _ => (8..=64).contains(&bits),
    };
    if !sized {
        return None;
    }
    let float = |half: u16, single: f32, double: f64| match bits {
        16 => u64::from(half),
        32 => u64::from(single.to_bits()),
        _ => double.to_bits(),
    };
    Some(match op {
        AluOp::IAdd | AluOp::IOr | AluOp::IXor | AluOp::UMax => 0,
        AluOp::IMul => 1,
        AluOp::IAnd | AluOp::UMin => all,
        AluOp::IMin => all >> 1,
        AluOp::IMax => (all >> 1) + 1,
        AluOp::FAdd => 0,
        AluOp::FMul => float(0x3c00, 1.0, 1.0),
        AluOp::FMin => float(0x7c00, f32::INFINITY, f64::INFINITY),
        AluOp::FMax => float(0xfc00, f32::NEG_INFINITY, f64::NEG_INFINITY),
        _ => return None,
    })
}
