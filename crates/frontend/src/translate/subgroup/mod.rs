//! Subgroup operations: votes, ballots, reads of other invocations' values, reductions and scans.
//!
//! The IR has four primitive operations on scalars ([`SubgroupOp`] and `Shuffle`). Ballots have 32 bits, because subgroups
//! have at most 32 invocations; votes and logical reductions are comparisons of ballots. Values of 64 bits are shuffled as two
//! halves, smaller values as 32 bits.
//!
//! In a fragment shader the operations of the IR also have the values of helper invocations, because these execute the same
//! instructions. A helper invocation takes part in the operations of its quad only (Vulkan leaves this open for the
//! others), so the others get a neutral value for it: otherwise an elected invocation could be one whose stores have no
//! effect. If all active invocations are helpers, all take part, so that a loop in which the invocations leave one after another ends.

mod combine;
mod swizzle;

use crestline_ssa::ir::{AluOp, InstKind, Src, Stage, SubgroupOp, SysVal, Ty, Value};
use rspirv::spirv::{GroupOperation, Op};

use super::Translator;
use super::alu::described;
use super::builtin::Mask;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// Number of invocations of a quad, which have consecutive numbers.
const QUAD: u32 = 4;

/// Whether [`Translator::op_subgroup`] translates the opcode.
pub(super) fn is_subgroup(op: Op) -> bool {
    combine::row(op).is_some()
        || matches!(
            op,
            Op::GroupNonUniformElect
                | Op::GroupNonUniformAll
                | Op::GroupNonUniformAny
                | Op::GroupNonUniformAllEqual
                | Op::GroupNonUniformBroadcast
                | Op::GroupNonUniformBroadcastFirst
                | Op::GroupNonUniformBallot
                | Op::GroupNonUniformInverseBallot
                | Op::GroupNonUniformBallotBitExtract
                | Op::GroupNonUniformBallotBitCount
                | Op::GroupNonUniformBallotFindLSB
                | Op::GroupNonUniformBallotFindMSB
                | Op::GroupNonUniformShuffle
                | Op::GroupNonUniformShuffleXor
                | Op::GroupNonUniformShuffleUp
                | Op::GroupNonUniformShuffleDown
                | Op::GroupNonUniformRotateKHR
                | Op::GroupNonUniformQuadBroadcast
                | Op::GroupNonUniformQuadSwap
                | Op::GroupNonUniformQuadAllKHR
                | Op::GroupNonUniformQuadAnyKHR
                | Op::GroupNonUniformPartitionEXT
                | Op::SubgroupBallotKHR
                | Op::SubgroupFirstInvocationKHR
                | Op::SubgroupReadInvocationKHR
                | Op::SubgroupAllKHR
                | Op::SubgroupAnyKHR
                | Op::SubgroupAllEqualKHR
                | Op::SubgroupShuffleINTEL
                | Op::SubgroupShuffleXorINTEL
                | Op::GroupAll
                | Op::GroupAny
                | Op::GroupBroadcast
        )
}

impl Translator<'_, '_> {
    /// Translates a subgroup operation.
    pub(super) fn op_subgroup(&mut self, inst: &Inst<'_>) -> Result<()> {
        if let Some(row) = combine::row(inst.op) {
            return self.op_combine(inst, row);
        }
        // The operand word of the first value: the first word of most instructions is the scope.
        let scoped = !matches!(
            inst.op,
            Op::SubgroupBallotKHR
                | Op::SubgroupFirstInvocationKHR
                | Op::SubgroupReadInvocationKHR
                | Op::SubgroupAllKHR
                | Op::SubgroupAnyKHR
                | Op::SubgroupAllEqualKHR
                | Op::SubgroupShuffleINTEL
                | Op::SubgroupShuffleXorINTEL
                | Op::GroupNonUniformQuadAllKHR
                | Op::GroupNonUniformQuadAnyKHR
                | Op::GroupNonUniformPartitionEXT
        );
        if scoped {
            self.check_subgroup_scope(inst)?;
        }
        let at = usize::from(scoped);
        let value = match inst.op {
            Op::GroupNonUniformElect => self.elect(),
            Op::GroupNonUniformAll | Op::SubgroupAllKHR | Op::GroupAll => {
                let condition = self.boolean(inst, at)?;
                self.all(condition)
            }
            Op::GroupNonUniformAny | Op::SubgroupAnyKHR | Op::GroupAny => {
                let condition = self.boolean(inst, at)?;
                self.any(condition)
            }
            Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => self.all_equal(inst, at)?,
            Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => {
                let condition = self.boolean(inst, at)?;
                let low = self.ballot(condition);
                self.whole_ballot(low)
            }
            Op::GroupNonUniformInverseBallot => {
                let ballot = self.low_ballot(inst, at)?;
                let lane = self.sysval(SysVal::SubgroupInvocation);
                self.bit(ballot, lane)
            }
            Op::GroupNonUniformBallotBitExtract => {
                let ballot = self.low_ballot(inst, at)?;
                let index = self.lane_operand(inst, at + 1)?;
                self.bit(ballot, index)
            }
            Op::GroupNonUniformBallotBitCount => self.ballot_bit_count(inst)?,
            Op::GroupNonUniformBallotFindLSB => {
                let ballot = self.low_ballot(inst, at)?;
                self.alu(AluOp::FindLsb, &[ballot])
            }
            Op::GroupNonUniformBallotFindMSB => {
                let ballot = self.low_ballot(inst, at)?;
                let all = self.all_invocations();
                let own = self.alu(AluOp::IAnd, &[ballot, all]);
                self.alu(AluOp::FindUMsb, &[own])
            }
            Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => {
                let value = self.leaf(inst, at)?;
                self.read_first(value)
            }
            Op::GroupNonUniformBroadcast | Op::SubgroupReadInvocationKHR | Op::GroupBroadcast => {
                let value = self.leaf(inst, at)?;
                let index = self.lane_operand(inst, at + 1)?;
                // The number is the same for all active invocations, but need not be computed from uniform values.
                let index = self.first_number(index);
                self.shuffle(value, index, false)
            }
            Op::GroupNonUniformPartitionEXT => self.partition(inst)?,
            _ => self.op_exchange(inst, at)?,
        };
        self.bind_leaf(inst, value)
    }

    /// Translates an operation that reads the value of another invocation. `at` is the operand word of the value.
    fn op_exchange(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let own = self.sysval(SysVal::SubgroupInvocation);
        if matches!(inst.op, Op::GroupNonUniformQuadAllKHR | Op::GroupNonUniformQuadAnyKHR) {
            let condition = self.boolean(inst, at)?;
            return Ok(self.quad_vote(condition, inst.op == Op::GroupNonUniformQuadAllKHR));
        }
        let value = self.leaf(inst, at)?;
        let number = self.lane_operand(inst, at + 1)?;
        let quad = self.shader.stage.stage() == Stage::Fragment;
        Ok(match inst.op {
            Op::GroupNonUniformShuffle | Op::SubgroupShuffleINTEL => {
                self.shuffle(value, number, false)
            }
            Op::GroupNonUniformShuffleXor | Op::SubgroupShuffleXorINTEL => {
                let lane = self.alu(AluOp::IXor, &[own, number]);
                self.shuffle(value, lane, false)
            }
            Op::GroupNonUniformShuffleUp => {
                let lane = self.alu(AluOp::ISub, &[own, number]);
                self.shuffle(value, lane, false)
            }
            Op::GroupNonUniformShuffleDown => {
                let lane = self.alu(AluOp::IAdd, &[own, number]);
                self.shuffle(value, lane, false)
            }
            Op::GroupNonUniformRotateKHR => {
                let last = match inst.operands.len() > at + 2 {
                    true => {
                        let cluster = self.cluster(inst, at + 2)?;
                        self.imm(cluster - 1)
                    }
                    false => {
                        let size = self.sysval(SysVal::SubgroupSize);
                        let one = self.imm(1);
                        self.alu(AluOp::ISub, &[size, one])
                    }
                };
                let sum = self.alu(AluOp::IAdd, &[own, number]);
                let inside = self.alu(AluOp::IAnd, &[sum, last]);
                let outside = self.alu(AluOp::INot, &[last]);
                let first = self.alu(AluOp::IAnd, &[own, outside]);
                let lane = self.alu(AluOp::IOr, &[first, inside]);
                self.shuffle(value, lane, false)
            }
            Op::GroupNonUniformQuadBroadcast => {
                let first = self.first_of_quad();
                let last = self.imm(QUAD - 1);
                let inside = self.alu(AluOp::IAnd, &[number, last]);
                let lane = self.alu(AluOp::IOr, &[first, inside]);
                self.shuffle(value, lane, quad)
            }
            _ => {
                // Direction 0 is the horizontal neighbour, 1 the vertical one, 2 the diagonal one.
                let one = self.imm(1);
                let flipped = self.alu(AluOp::IAdd, &[number, one]);
                let last = self.imm(QUAD - 1);
                let flipped = self.alu(AluOp::IAnd, &[flipped, last]);
                let lane = self.alu(AluOp::IXor, &[own, flipped]);
                self.shuffle(value, lane, quad)
            }
        })
    }

    /// Checks that the scope in the first operand word is the subgroup.
    fn check_subgroup_scope(&mut self, inst: &Inst<'_>) -> Result<()> {
        const SUBGROUP: u32 = 3;
        match self.const_word(inst, 0)? {
            SUBGROUP => Ok(()),
            found => {
                let detail = format!("expected the scope Subgroup ({SUBGROUP}), found {found}");
                Err(inst.error(ErrorCode::Unsupported, detail))
            }
        }
    }

    /// Operand word `at`, which must be a boolean.
    fn boolean(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let value = self.leaf(inst, at)?;
        let found = self.shader.func.ty(value);
        match found == Ty::BOOL {
            true => Ok(value),
            false => {
                let detail = format!("expected a boolean, found {}", described(found));
                Err(inst.error(ErrorCode::OperandType, detail))
            }
        }
    }

    /// Operand word `at`, the number of an invocation or a difference of numbers, as 32 bits.
    fn lane_operand(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let value = self.leaf(inst, at)?;
        let found = self.shader.func.ty(value);
        if found.is_bool() || found.comps() != 1 {
            let detail = format!("expected an integer, found {}", described(found));
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        Ok(match found.bits() {
            32 => value,
            _ => self.b().convert(AluOp::U2U, 32, value),
        })
    }

    /// Operand word `at`: a cluster's size, a constant power of two.
    fn cluster(&mut self, inst: &Inst<'_>, at: usize) -> Result<u32> {
        let size = self.const_word(inst, at)?;
        if !size.is_power_of_two() {
            let detail = format!("expected a power of two as size of a cluster, found {size}");
            return Err(inst.error(ErrorCode::BadEnumerant, detail));
        }
        Ok(size)
    }

    /// The low dword of the ballot in operand word `at`, which must be a vector of four dwords.
    fn low_ballot(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let value = self.leaf(inst, at)?;
        let found = self.shader.func.ty(value);
        if found != Ty::X32.with_comps(4) {
            let detail = format!("expected four components of 32 bits, found {}", described(found));
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        Ok(self.b().comp(value, 0))
    }

    /// A ballot as a vector of four dwords.
    fn whole_ballot(&mut self, low: Value) -> Value {
        let zero = Src::new(self.imm(0));
        self.b().vec(&[low.into(), zero, zero, zero])
    }

    /// Whether the invocation takes part in operations on the subgroup; `None` if every active invocation does.
    fn takes_part(&mut self) -> Option<Value> {
        if self.shader.stage.stage() != Stage::Fragment {
            return None;
        }
        let helper = self.is_helper();
        let real = self.alu(AluOp::INot, &[helper]);
        let all = self.all_ballot(real);
        let zero = self.imm(0);
        let none = self.alu(AluOp::IEq, &[all, zero]);
        Some(self.alu(AluOp::IOr, &[real, none]))
    }

    /// Which active invocations that take part have a true condition, one bit each.
    fn ballot(&mut self, condition: Value) -> Value {
        let counted = match self.takes_part() {
            Some(part) => self.alu(AluOp::IAnd, &[condition, part]),
            None => condition,
        };
        self.all_ballot(counted)
    }

    /// Which active invocations, helpers included, have a true condition, one bit each.
    fn all_ballot(&mut self, condition: Value) -> Value {
        let kind = InstKind::Subgroup { op: SubgroupOp::Ballot, src: condition.into() };
        self.value_of(kind, Ty::X32)
    }

    /// Which invocations are active, one bit each.
    fn active_invocations(&mut self) -> Value {
        let always = self.imm_bits(Ty::BOOL, [1, 0, 0, 0]);
        self.ballot(always)
    }

    /// Whether a bit of a dword is set; the number of the bit counts modulo 32.
    fn bit(&mut self, bits: Value, number: Value) -> Value {
        let shifted = self.alu(AluOp::UShr, &[bits, number]);
        let one = self.imm(1);
        let bit = self.alu(AluOp::IAnd, &[shifted, one]);
        self.is_not_zero(bit)
    }

    /// Whether 32 bits are not all zero.
    fn is_not_zero(&mut self, bits: Value) -> Value {
        let zero = self.imm(0);
        self.alu(AluOp::INe, &[bits, zero])
    }

    /// Whether the invocation is the active one with the least number.
    fn elect(&mut self) -> Value {
        let active = self.active_invocations();
        let first = self.alu(AluOp::FindLsb, &[active]);
        let own = self.sysval(SysVal::SubgroupInvocation);
        self.alu(AluOp::IEq, &[own, first])
    }

    /// Whether a condition is true in all active invocations.
    fn all(&mut self, condition: Value) -> Value {
        let not = self.alu(AluOp::INot, &[condition]);
        let others = self.ballot(not);
        let zero = self.imm(0);
        self.alu(AluOp::IEq, &[others, zero])
    }

    /// Whether a condition is true in some active invocation.
    fn any(&mut self, condition: Value) -> Value {
        let ballot = self.ballot(condition);
        self.is_not_zero(ballot)
    }

    /// Whether a condition is true in all (or some) invocations of the quad. A fragment shader exchanges values of all
    /// invocations of the quad, so that helper invocations count.
    fn quad_vote(&mut self, condition: Value, all: bool) -> Value {
        if self.shader.stage.stage() != Stage::Fragment {
            let first = self.first_of_quad();
            let counted = if all { self.alu(AluOp::INot, &[condition]) } else { condition };
            let ballot = self.ballot(counted);
            let shifted = self.alu(AluOp::UShr, &[ballot, first]);
            let mask = self.imm((1 << QUAD) - 1);
            let own = self.alu(AluOp::IAnd, &[shifted, mask]);
            let some = self.is_not_zero(own);
            return if all { self.alu(AluOp::INot, &[some]) } else { some };
        }
        let op = if all { AluOp::IAnd } else { AluOp::IOr };
        let own = self.sysval(SysVal::SubgroupInvocation);
        let mut joined = condition;
        for step in [1, 2] {
            let step = self.imm(step);
            let lane = self.alu(AluOp::IXor, &[own, step]);
            let other = self.shuffle(joined, lane, true);
            joined = self.alu(op, &[joined, other]);
        }
        joined
    }

    /// Whether a value is the same in all active invocations. Floats are compared as numbers.
    fn all_equal(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let (_, ty) = self.operand(inst, at)?;
        let value = self.leaf(inst, at)?;
        let first = self.read_first(value);
        let equal = if self.globals.types.is_float(ty) { AluOp::FEq } else { AluOp::IEq };
        let each = self.alu(equal, &[value, first]);
        let mut same = self.b().comp(each, 0);
        for comp in 1..self.shader.func.ty(each).comps() {
            let next = self.b().comp(each, comp);
            same = self.alu(AluOp::IAnd, &[same, next]);
        }
        Ok(self.all(same))
    }

    /// `OpGroupNonUniformBallotBitCount`: the number of bits that are set in a ballot, among those of all invocations of
    /// the subgroup, up to the own one, or before it.
    fn ballot_bit_count(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let mask = match GroupOperation::from_u32(inst.word(1)?) {
            Some(GroupOperation::Reduce) => None,
            Some(GroupOperation::InclusiveScan) => Some(Mask::Le),
            Some(GroupOperation::ExclusiveScan) => Some(Mask::Lt),
            _ => {
                let detail = "expected Reduce, InclusiveScan or ExclusiveScan";
                return Err(inst.error(ErrorCode::BadEnumerant, detail));
            }
        };
        let ballot = self.low_ballot(inst, 2)?;
        let counted = match mask {
            None => self.all_invocations(),
            Some(mask) => self.low_subgroup_mask(mask),
        };
        let own = self.alu(AluOp::IAnd, &[ballot, counted]);
        Ok(self.alu(AluOp::BitCount, &[own]))
    }

    /// The number of the first invocation of the quad.
    fn first_of_quad(&mut self) -> Value {
        let own = self.sysval(SysVal::SubgroupInvocation);
        let mask = self.imm(!(QUAD - 1));
        self.alu(AluOp::IAnd, &[own, mask])
    }

    /// The 32-bit value of the active invocation with the least number, of those that take part.
    fn first_number(&mut self, number: Value) -> Value {
        if let Some(part) = self.takes_part() {
            let active = self.all_ballot(part);
            let lane = self.alu(AluOp::FindLsb, &[active]);
            let kind = InstKind::Shuffle { src: number.into(), lane: lane.into(), quad: false };
            return self.value_of(kind, Ty::X32);
        }
        self.b().read_first(number)
    }

    /// The value of the active invocation with the least number.
    fn read_first(&mut self, value: Value) -> Value {
        self.exchanged(value, |t, dword| t.first_number(dword))
    }

    /// The value of the invocation with number `lane`; `quad` if it is always in the own quad.
    fn shuffle(&mut self, value: Value, lane: Value, quad: bool) -> Value {
        self.exchanged(value, |t, dword| {
            let kind = InstKind::Shuffle { src: dword.into(), lane: lane.into(), quad };
            t.value_of(kind, Ty::X32)
        })
    }

    /// Converts each component of a value to dwords, applies `exchange` to each dword, and converts the results back.
    fn exchanged(&mut self, value: Value, exchange: impl Fn(&mut Self, Value) -> Value) -> Value {
        self.each_component(value, |t, one| match t.shader.func.ty(one).bits() {
            1 => {
                let dword = t.b().convert(AluOp::B2I, 32, one);
                let dword = exchange(t, dword);
                t.is_not_zero(dword)
            }
            32 => exchange(t, one),
            64 => {
                let halves = [AluOp::Unpack64Low, AluOp::Unpack64High].map(|half| {
                    let dword = t.alu(half, &[one]);
                    exchange(t, dword)
                });
                t.alu(AluOp::Pack64FromHalves, &halves)
            }
            bits => {
                let dword = t.b().convert(AluOp::U2U, 32, one);
                let dword = exchange(t, dword);
                t.b().convert(AluOp::U2U, bits, dword)
            }
        })
    }

    /// Applies `each` to each component of a value. Returns the vector of the results.
    fn each_component(
        &mut self,
        value: Value,
        mut each: impl FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let comps = self.shader.func.ty(value).comps();
        if comps == 1 {
            return each(self, value);
        }
        let results: Vec<Src> = (0..comps)
            .map(|comp| {
                let one = self.b().comp(value, comp);
                each(self, one).into()
            })
            .collect();
        self.b().vec(&results)
    }
}
