//! Reductions and scans, also over partitions, and the partition of a subgroup by equal values.

use crestline_ssa::ir::{AluOp, InstKind, SubgroupOp, SysVal, Ty, Value, identity};
use rspirv::spirv::{GroupOperation, Op};

use super::super::Translator;
use super::super::alu::described;
use super::super::builtin::Mask;
use crate::error::{ErrorCode, Result};
use crate::spirv::Inst;

/// The kind of operands of an operation that combines values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operands {
    Bool,
    Int,
    Float,
}

/// An opcode that combines values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    opcode: Op,
    op: AluOp,
    operands: Operands,
}

/// The opcodes. `OpGroup*` are the same operations, as long as their scope is the subgroup.
const ROWS: &[(Op, AluOp, Operands)] = {
    use Operands::{Bool, Float, Int};
    &[
        (Op::GroupNonUniformIAdd, AluOp::IAdd, Int),
        (Op::GroupNonUniformFAdd, AluOp::FAdd, Float),
        (Op::GroupNonUniformIMul, AluOp::IMul, Int),
        (Op::GroupNonUniformFMul, AluOp::FMul, Float),
        (Op::GroupNonUniformSMin, AluOp::IMin, Int),
        (Op::GroupNonUniformUMin, AluOp::UMin, Int),
        (Op::GroupNonUniformFMin, AluOp::FMin, Float),
        (Op::GroupNonUniformSMax, AluOp::IMax, Int),
        (Op::GroupNonUniformUMax, AluOp::UMax, Int),
        (Op::GroupNonUniformFMax, AluOp::FMax, Float),
        (Op::GroupNonUniformBitwiseAnd, AluOp::IAnd, Int),
        (Op::GroupNonUniformBitwiseOr, AluOp::IOr, Int),
        (Op::GroupNonUniformBitwiseXor, AluOp::IXor, Int),
        (Op::GroupNonUniformLogicalAnd, AluOp::IAnd, Bool),
        (Op::GroupNonUniformLogicalOr, AluOp::IOr, Bool),
        (Op::GroupNonUniformLogicalXor, AluOp::IXor, Bool),
        (Op::GroupIAdd, AluOp::IAdd, Int),
        (Op::GroupFAdd, AluOp::FAdd, Float),
        (Op::GroupFMin, AluOp::FMin, Float),
        (Op::GroupUMin, AluOp::UMin, Int),
        (Op::GroupSMin, AluOp::IMin, Int),
        (Op::GroupFMax, AluOp::FMax, Float),
        (Op::GroupUMax, AluOp::UMax, Int),
        (Op::GroupSMax, AluOp::IMax, Int),
        (Op::GroupIMulKHR, AluOp::IMul, Int),
        (Op::GroupFMulKHR, AluOp::FMul, Float),
        (Op::GroupBitwiseAndKHR, AluOp::IAnd, Int),
        (Op::GroupBitwiseOrKHR, AluOp::IOr, Int),
        (Op::GroupBitwiseXorKHR, AluOp::IXor, Int),
        (Op::GroupLogicalAndKHR, AluOp::IAnd, Bool),
        (Op::GroupLogicalOrKHR, AluOp::IOr, Bool),
        (Op::GroupLogicalXorKHR, AluOp::IXor, Bool),
        (Op::GroupIAddNonUniformAMD, AluOp::IAdd, Int),
        (Op::GroupFAddNonUniformAMD, AluOp::FAdd, Float),
        (Op::GroupFMinNonUniformAMD, AluOp::FMin, Float),
        (Op::GroupUMinNonUniformAMD, AluOp::UMin, Int),
        (Op::GroupSMinNonUniformAMD, AluOp::IMin, Int),
        (Op::GroupFMaxNonUniformAMD, AluOp::FMax, Float),
        (Op::GroupUMaxNonUniformAMD, AluOp::UMax, Int),
        (Op::GroupSMaxNonUniformAMD, AluOp::IMax, Int),
    ]
};

/// The row of an opcode; `None` if it does not combine values.
pub(super) fn row(opcode: Op) -> Option<Row> {
    let row = ROWS.iter().find(|row| row.0 == opcode);
    row.map(|&(opcode, op, operands)| Row { opcode, op, operands })
}

/// The invocations whose values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All of the own cluster, which has this size; 0 is the whole subgroup.
    Cluster(u32),
    /// Those up to the own one, or before it.
    Scan { inclusive: bool },
    /// Those in this ballot; of these, the ones up to the own one or before it, if there is a mask.
    Partition { ballot: Value, mask: Option<Mask> },
}

/// Whether an operation selects one of its operands by their order.
fn is_extreme(op: AluOp) -> bool {
    use AluOp::{FMax, FMin, IMax, IMin, UMax, UMin};
    matches!(op, IMin | IMax | UMin | UMax | FMin | FMax)
}

impl Translator<'_, '_> {
    /// Translates a reduction or scan. Operand words: scope, group operation, value, then the size of clusters or the
    /// ballot of the partition.
    pub(super) fn op_combine(&mut self, inst: &Inst<'_>, row: Row) -> Result<()> {
        self.check_subgroup_scope(inst)?;
        let (_, ty) = self.operand(inst, 2)?;
        let value = self.leaf(inst, 2)?;
        let (bool, float) = (self.shader.func.ty(value).is_bool(), self.globals.types.is_float(ty));
        let fits = match row.operands {
            Operands::Bool => bool,
            Operands::Int => !bool && !float,
            Operands::Float => float,
        };
        if !fits {
            let detail = format!(
                "expected operands that Op{:?} can combine, found {}",
                row.opcode,
                described(self.shader.func.ty(value))
            );
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let extent = match GroupOperation::from_u32(inst.word(1)?) {
            Some(GroupOperation::Reduce) => Extent::Cluster(0),
            Some(GroupOperation::InclusiveScan) => Extent::Scan { inclusive: true },
            Some(GroupOperation::ExclusiveScan) => Extent::Scan { inclusive: false },
            Some(GroupOperation::ClusteredReduce) => Extent::Cluster(self.cluster(inst, 3)?),
            Some(GroupOperation::PartitionedReduceEXT) => {
                Extent::Partition { ballot: self.low_ballot(inst, 3)?, mask: None }
            }
            Some(GroupOperation::PartitionedInclusiveScanEXT) => {
                Extent::Partition { ballot: self.low_ballot(inst, 3)?, mask: Some(Mask::Le) }
            }
            Some(GroupOperation::PartitionedExclusiveScanEXT) => {
                Extent::Partition { ballot: self.low_ballot(inst, 3)?, mask: Some(Mask::Lt) }
            }
            None => {
                let detail = format!("expected a group operation, found {}", inst.word(1)?);
                return Err(inst.error(ErrorCode::BadEnumerant, detail));
            }
        };
        // The primitive operations have 64 bits for bitwise operations only, as two halves.
        let bitwise = matches!(row.op, AluOp::IAnd | AluOp::IOr | AluOp::IXor);
        let wide = self.shader.func.ty(value).bits() == 64 && !bitwise;
        let combined = match extent {
            Extent::Partition { ballot, mask } => {
                self.combine_partition(row.op, value, ballot, mask)?
            }
            _ if wide && row.op == AluOp::IAdd => {
                self.each_component(value, |t, one| t.sum_of_wide(one, extent))
            }
            Extent::Cluster(_) if wide && is_extreme(row.op) => {
                self.each_component(value, |t, one| t.extreme_of_wide(row.op, one, extent))
            }
            Extent::Cluster(size) if wide => {
                let members = self.members_of_cluster(size);
                self.combine_partition(row.op, value, members, None)?
            }
            Extent::Scan { inclusive } if wide => {
                let all = self.imm(u32::MAX);
                let mask = if inclusive { Mask::Le } else { Mask::Lt };
                self.combine_partition(row.op, value, all, Some(mask))?
            }
            _ => self.each_component(value, |t, one| t.combine_one(row.op, one, extent)),
        };
        self.bind_leaf(inst, combined)
    }

    /// Combines the scalar values of the invocations of `extent`, which is no partition. Values of 64 bits must have a bitwise
    /// operation.
    fn combine_one(&mut self, op: AluOp, value: Value, extent: Extent) -> Value {
        let bits = self.shader.func.ty(value).bits();
        match bits {
            1 => self.combine_booleans(op, value, extent),
            8 | 16 => {
                let float = matches!(op, AluOp::FAdd | AluOp::FMul | AluOp::FMin | AluOp::FMax);
                let widen = match op {
                    _ if float => AluOp::F2F,
                    AluOp::IMin | AluOp::IMax => AluOp::I2I,
                    _ => AluOp::U2U,
                };
                let wide = self.b().convert(widen, 32, value);
                let mut wide = self.primitive(op, wide, extent);
                // The identity of 32 bits is not that of fewer bits.
                let exclusive = matches!(extent, Extent::Scan { inclusive: false });
                if exclusive && matches!(op, AluOp::IMin | AluOp::IMax) {
                    let first = identity(op, bits).unwrap_or(0);
                    let shift = 64 - bits;
                    let first = self.imm(((first << shift) as i64 >> shift) as u32);
                    wide = self.alu(op, &[wide, first]);
                }
                let narrow = if float { AluOp::F2F } else { AluOp::U2U };
                self.b().convert(narrow, bits, wide)
            }
            64 => {
                let halves = self.halves(value).map(|half| self.primitive(op, half, extent));
                self.alu(AluOp::Pack64FromHalves, &halves)
            }
            _ => self.primitive(op, value, extent),
        }
    }

    /// The sum of integers of 64 bits over `extent`, which is no partition. A subgroup has at most 32 invocations, so sums of
    /// parts of 27 bits have at most 32 bits.
    fn sum_of_wide(&mut self, value: Value, extent: Extent) -> Value {
        let [low, high] = self.halves(value);
        let [mask, of_low, upper, of_high] = [(1 << 27) - 1, 27, 5, 22].map(|n| self.imm(n));
        let first = self.alu(AluOp::IAnd, &[low, mask]);
        let rest = self.alu(AluOp::UShr, &[low, of_low]);
        let moved = self.alu(AluOp::IShl, &[high, upper]);
        let second = self.alu(AluOp::IOr, &[rest, moved]);
        let second = self.alu(AluOp::IAnd, &[second, mask]);
        let third = self.alu(AluOp::UShr, &[high, of_high]);
        let [first, second, third] =
            [first, second, third].map(|part| self.primitive(AluOp::IAdd, part, extent));
        // The sum is first + (second << 27) + (third << 54).
        let moved = self.alu(AluOp::IShl, &[second, of_low]);
        let low = self.alu(AluOp::IAdd, &[first, moved]);
        let carries = self.alu(AluOp::ULt, &[low, first]);
        let [one, zero] = [1, 0].map(|n| self.imm(n));
        let carry = self.alu(AluOp::Select, &[carries, one, zero]);
        let rest = self.alu(AluOp::UShr, &[second, upper]);
        let moved = self.alu(AluOp::IShl, &[third, of_high]);
        let high = self.alu(AluOp::IAdd, &[rest, moved]);
        let high = self.alu(AluOp::IAdd, &[high, carry]);
        self.alu(AluOp::Pack64FromHalves, &[low, high])
    }

    /// The least or greatest of the numbers of 64 bits in a cluster: first of their high halves, then of the low halves of those
    /// that have this high half.
    fn extreme_of_wide(&mut self, op: AluOp, value: Value, cluster: Extent) -> Value {
        let (integers, float) = match op {
            AluOp::FMin => (AluOp::IMin, true),
            AluOp::FMax => (AluOp::IMax, true),
            other => (other, false),
        };
        let mut keys = value;
        if float {
            // A number is chosen before a NaN.
            let ordered = self.alu(AluOp::FEq, &[value, value]);
            let neutral = self.imm_bits(Ty::X64, [identity(op, 64).unwrap_or(0), 0, 0, 0]);
            let number = self.alu(AluOp::Select, &[ordered, value, neutral]);
            keys = self.order_of_double(number);
        }
        let below = match integers {
            AluOp::IMin | AluOp::UMin => AluOp::UMin,
            _ => AluOp::UMax,
        };
        let [low, high] = self.halves(keys);
        let best = self.primitive(integers, high, cluster);
        let has_best = self.alu(AluOp::IEq, &[high, best]);
        let neutral = self.imm(identity(below, 32).unwrap_or(0) as u32);
        let low = self.alu(AluOp::Select, &[has_best, low, neutral]);
        let low = self.primitive(below, low, cluster);
        let found = self.alu(AluOp::Pack64FromHalves, &[low, best]);
        if float { self.order_of_double(found) } else { found }
    }

    /// Changes doubles to integers that have the same order if they are signed, and such integers back to doubles: of negative numbers
    /// all bits but the sign change.
    fn order_of_double(&mut self, value: Value) -> Value {
        let [low, high] = self.halves(value);
        let [last, rest] = [31, 0x7fff_ffff].map(|n| self.imm(n));
        let sign = self.alu(AluOp::IShr, &[high, last]);
        let low = self.alu(AluOp::IXor, &[low, sign]);
        let sign = self.alu(AluOp::IAnd, &[sign, rest]);
        let high = self.alu(AluOp::IXor, &[high, sign]);
        self.alu(AluOp::Pack64FromHalves, &[low, high])
    }

    /// The low and the high half of a value of 64 bits.
    fn halves(&mut self, value: Value) -> [Value; 2] {
        [AluOp::Unpack64Low, AluOp::Unpack64High].map(|half| self.alu(half, &[value]))
    }

    /// The ballot of all invocations of the own cluster of this size; 0 is the whole subgroup.
    fn members_of_cluster(&mut self, size: u32) -> Value {
        if !(1..=16).contains(&size) {
            return self.imm(u32::MAX);
        }
        let (own, mask) = (self.sysval(SysVal::SubgroupInvocation), self.imm(!(size - 1)));
        let first = self.alu(AluOp::IAnd, &[own, mask]);
        let members = self.imm((1 << size) - 1);
        self.alu(AluOp::IShl, &[members, first])
    }

    /// The instruction that combines values of 32 bits.
    fn primitive(&mut self, op: AluOp, value: Value, extent: Extent) -> Value {
        let op = match extent {
            // A larger cluster is the whole subgroup.
            Extent::Cluster(size) => {
                SubgroupOp::Reduce { op, cluster: if size > 32 { 0 } else { size as u8 } }
            }
            Extent::Scan { inclusive } => SubgroupOp::Scan { op, inclusive },
            Extent::Partition { .. } => return value,
        };
        let ty = self.shader.func.ty(value);
        let mut counted = value;
        if let Some(part) = self.takes_part()
            && let SubgroupOp::Reduce { op, .. } | SubgroupOp::Scan { op, .. } = op
        {
            let neutral = self.imm_bits(ty, [identity(op, ty.bits()).unwrap_or(0), 0, 0, 0]);
            counted = self.alu(AluOp::Select, &[part, value, neutral]);
        }
        self.value_of(InstKind::Subgroup { op, src: counted.into() }, ty)
    }

    /// Combines booleans: a conjunction is true if no invocation's value is false.
    fn combine_booleans(&mut self, op: AluOp, value: Value, extent: Extent) -> Value {
        let counted = match op {
            AluOp::IAnd => self.alu(AluOp::INot, &[value]),
            _ => value,
        };
        let mut ballot = self.ballot(counted);
        match extent {
            Extent::Cluster(size @ 1..=16) => {
                let own = self.sysval(SysVal::SubgroupInvocation);
                let mask = self.imm(!(size - 1));
                let first = self.alu(AluOp::IAnd, &[own, mask]);
                ballot = self.alu(AluOp::UShr, &[ballot, first]);
                let mask = self.imm((1 << size) - 1);
                ballot = self.alu(AluOp::IAnd, &[ballot, mask]);
            }
            Extent::Cluster(_) | Extent::Partition { .. } => {}
            Extent::Scan { inclusive } => {
                let mask = if inclusive { Mask::Le } else { Mask::Lt };
                let mask = self.low_subgroup_mask(mask);
                ballot = self.alu(AluOp::IAnd, &[ballot, mask]);
            }
        }
        self.joined(op, ballot)
    }

    /// The boolean that booleans combine to. `ballot` has the invocations with a true value; with a false value, if `op` is
    /// a conjunction.
    fn joined(&mut self, op: AluOp, ballot: Value) -> Value {
        match op {
            AluOp::IAnd => {
                let zero = self.imm(0);
                self.alu(AluOp::IEq, &[ballot, zero])
            }
            AluOp::IOr => self.is_not_zero(ballot),
            _ => {
                let (count, one) = (self.alu(AluOp::BitCount, &[ballot]), self.imm(1));
                let odd = self.alu(AluOp::IAnd, &[count, one]);
                self.is_not_zero(odd)
            }
        }
    }

    /// Combines the values of the active invocations in the ballot that each invocation has; of these, those up to the own
    /// one or before it, if there is a mask. A loop reads the value of each active invocation in turn.
    fn combine_partition(
        &mut self,
        op: AluOp,
        value: Value,
        ballot: Value,
        mask: Option<Mask>,
    ) -> Result<Value> {
        let ty = self.shader.func.ty(value);
        let counted = match mask {
            Some(mask) => {
                let mask = self.low_subgroup_mask(mask);
                self.alu(AluOp::IAnd, &[ballot, mask])
            }
            None => ballot,
        };
        if ty.is_bool() {
            return Ok(self.each_component(value, |t, one| {
                let wanted = match op {
                    AluOp::IAnd => t.alu(AluOp::INot, &[one]),
                    _ => one,
                };
                let found = t.ballot(wanted);
                let found = t.alu(AluOp::IAnd, &[found, counted]);
                t.joined(op, found)
            }));
        }
        let first = self.splat(ty, identity(op, ty.bits()).unwrap_or(0));
        self.over_active(first, |t, lane, combined| {
            let other = t.shuffle(value, lane, false);
            let with = t.alu(op, &[combined, other]);
            let member = t.bit(counted, lane);
            t.alu_splat(AluOp::Select, ty, &[member, with, combined])
        })
    }

    /// `OpGroupNonUniformPartitionEXT`: for each invocation, the ballot of the invocations with the same value.
    pub(super) fn partition(&mut self, inst: &Inst<'_>) -> Result<Value> {
        let (_, ty) = self.operand(inst, 0)?;
        let value = self.leaf(inst, 0)?;
        let float = self.globals.types.is_float(ty);
        let equal = if float { AluOp::FEq } else { AluOp::IEq };
        let none = self.imm(0);
        let low = self.over_active(none, |t, lane, found| {
            let other = t.shuffle(value, lane, false);
            let each = t.alu(equal, &[value, other]);
            let mut same = t.b().comp(each, 0);
            for comp in 1..t.shader.func.ty(each).comps() {
                let next = t.b().comp(each, comp);
                same = t.alu(AluOp::IAnd, &[same, next]);
            }
            let ballot = t.ballot(same);
            t.alu(AluOp::Select, &[same, ballot, found])
        })?;
        Ok(self.whole_ballot(low))
    }

    /// A loop over the active invocations in the order of their numbers. `step` computes the next result from the number of
    /// the invocation, which is uniform, and the result so far.
    fn over_active(
        &mut self,
        first: Value,
        step: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Result<Value> {
        let ty = self.shader.func.ty(first);
        let active = self.active_invocations();
        let (made, body) = self.b().loop_(&[active, first]);
        let result = self.shader.func.add_result(made, ty);
        let outer = self.enter(body)?;
        let params = self.shader.func.region(body).params.clone();
        let (left, so_far) = (params[0], params[1]);
        let zero = self.imm(0);
        let done = self.alu(AluOp::IEq, &[left, zero]);
        self.if_(
            done,
            |t| {
                t.b().break_(&[so_far]);
                Ok(())
            },
            |_| Ok(()),
        )?;
        let lane = self.alu(AluOp::FindLsb, &[left]);
        let next = step(self, lane, so_far);
        let one = self.imm(1);
        let below = self.alu(AluOp::ISub, &[left, one]);
        let left = self.alu(AluOp::IAnd, &[left, below]);
        self.b().continue_(&[left, next]);
        self.leave(outer);
        self.check_budget()?;
        Ok(result)
    }

    /// A constant with the same bits in each component.
    fn splat(&mut self, ty: Ty, bits: u64) -> Value {
        let comps = std::array::from_fn(|comp| if comp < ty.comps() { bits } else { 0 });
        self.imm_bits(ty, comps)
    }
}
