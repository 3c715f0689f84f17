//! Invariants of operations on the values of a subgroup.

use super::{Result, Verifier, VerifyErrorKind, expect_result};
use crate::ir::{Src, SubgroupOp, Ty, identity};

impl Verifier<'_> {
    /// Checks the operation, the size of its source and its result.
    pub(super) fn subgroup(&self, op: SubgroupOp, src: Src, result: Option<Ty>) -> Result<()> {
        let bits = match op {
            SubgroupOp::Ballot => 1,
            SubgroupOp::ReadFirst => 32,
            SubgroupOp::Reduce { op, .. } | SubgroupOp::Scan { op, .. } => {
                if identity(op, 32).is_none() {
                    let what = "the operation cannot combine the values of a subgroup";
                    return Err(VerifyErrorKind::Subgroup(what));
                }
                if self.shader.func.ty(src.value).bits() == 64 { 64 } else { 32 }
            }
        };
        if let SubgroupOp::Reduce { cluster, .. } = op
            && !(cluster == 0 || cluster.is_power_of_two())
        {
            return Err(VerifyErrorKind::Subgroup("the size of a cluster is no power of two"));
        }
        self.bits(0, src, bits)?;
        expect_result(result, if bits == 64 { Ty::X64 } else { Ty::X32 })
    }
}
