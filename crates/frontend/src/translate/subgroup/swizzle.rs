//! The extended instructions of SPV_AMD_shader_ballot.

use crestline_ssa::ir::{AluOp, SysVal, Ty, Value};

use super::super::Translator;
use super::super::alu::described;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// The operand word of the first operand of an extended instruction, after the set and the number.
const FIRST: usize = 2;

impl Translator<'_, '_> {
    /// Translates instruction `number` of the set `SPV_AMD_shader_ballot`.
    pub(in crate::translate) fn amd_ballot(&mut self, inst: &Inst<'_>, number: u32) -> Result<()> {
        const SWIZZLE: u32 = 1;
        const SWIZZLE_MASKED: u32 = 2;
        const WRITE: u32 = 3;
        const COUNT: u32 = 4;
        let value = match number {
            SWIZZLE => self.swizzle_in_quad(inst)?,
            SWIZZLE_MASKED => self.swizzle_masked(inst)?,
            WRITE => {
                let (input, written) = (self.leaf(inst, FIRST)?, self.leaf(inst, FIRST + 1)?);
                let number = self.lane_operand(inst, FIRST + 2)?;
                let (ty, found) = (self.shader.func.ty(input), self.shader.func.ty(written));
                if ty != found {
                    let detail = format!("expected {}, found {}", described(ty), described(found));
                    return Err(inst.error(ErrorCode::OperandType, detail));
                }
                let own = self.sysval(SysVal::SubgroupInvocation);
                let chosen = self.alu(AluOp::IEq, &[own, number]);
                self.alu_splat(AluOp::Select, ty, &[chosen, written, input])
            }
            COUNT => {
                let mask = self.leaf(inst, FIRST)?;
                let found = self.shader.func.ty(mask);
                if found != Ty::X64 {
                    let detail =
                        format!("expected an integer of 64 bits, found {}", described(found));
                    return Err(inst.error(ErrorCode::OperandType, detail));
                }
                let low = self.alu(AluOp::Unpack64Low, &[mask]);
                let before = self.low_subgroup_mask(super::Mask::Lt);
                let counted = self.alu(AluOp::IAnd, &[low, before]);
                self.alu(AluOp::BitCount, &[counted])
            }
            _ => {
                let detail = format!(
                    "expected an instruction of SPV_AMD_shader_ballot (1 to 4), found {number}"
                );
                return Err(inst.error(ErrorCode::UnsupportedExt, detail));
            }
        };
        self.bind_leaf(inst, value)
    }

    /// Operand word `at`, a vector of `comps` dwords.
    fn dwords(&mut self, inst: &Inst<'_>, at: usize, comps: usize) -> Result<Value> {
        let value = self.leaf(inst, at)?;
        let found = self.shader.func.ty(value);
        if found != Ty::X32.with_comps(comps) {
            let detail =
                format!("expected {comps} components of 32 bits, found {}", described(found));
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        Ok(value)
    }

    /// `SwizzleInvocationsAMD`: each invocation of a quad reads the one of the quad that its component of the offset names.
    fn swizzle_in_quad(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let value = self.leaf(inst, FIRST)?;
        let offsets = self.dwords(inst, FIRST + 1, super::QUAD as usize)?;
        let (first, own) = (self.first_of_quad(), self.sysval(SysVal::SubgroupInvocation));
        let last = self.imm(super::QUAD - 1);
        let place = self.alu(AluOp::IAnd, &[own, last]);
        let mut offset = self.b().comp(offsets, 0);
        for comp in 1..super::QUAD {
            let (next, number) = (self.b().comp(offsets, comp as usize), self.imm(comp));
            let chosen = self.alu(AluOp::IEq, &[place, number]);
            offset = self.alu(AluOp::Select, &[chosen, next, offset]);
        }
        let offset = self.alu(AluOp::IAnd, &[offset, last]);
        let lane = self.alu(AluOp::IOr, &[first, offset]);
        Ok(self.shuffle_or_zero(value, lane))
    }

    /// `SwizzleInvocationsMaskedAMD`: the number of the invocation that is read is the own one, and-ed, or-ed and xor-ed with
    /// the components of the mask.
    fn swizzle_masked(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let value = self.leaf(inst, FIRST)?;
        let masks = self.dwords(inst, FIRST + 1, 3)?;
        let mut lane = self.sysval(SysVal::SubgroupInvocation);
        for (comp, op) in [AluOp::IAnd, AluOp::IOr, AluOp::IXor].into_iter().enumerate() {
            let mask = self.b().comp(masks, comp);
            lane = self.alu(op, &[lane, mask]);
        }
        Ok(self.shuffle_or_zero(value, lane))
    }

    /// The value of invocation number `lane`; zero if that is not active.
    fn shuffle_or_zero(&mut self, value: Value, lane: Value) -> Value {
        let active = self.active_invocations();
        let is_active = self.bit(active, lane);
        let most = self.imm(32);
        let exists = self.alu(AluOp::ULt, &[lane, most]);
        let is_active = self.alu(AluOp::IAnd, &[is_active, exists]);
        let read = self.shuffle(value, lane, false);
        let ty = self.shader.func.ty(value);
        let zero = self.imm_bits(ty, [0; 4]);
        self.alu_splat(AluOp::Select, ty, &[is_active, read, zero])
    }
}
