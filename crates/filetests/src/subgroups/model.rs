//! The model: runs a program for subgroups of a given size.
//!
//! A subgroup runs in lockstep. A list of statements runs with a set of active lanes. After an `if`, the lanes of both lists are
//! active again, except those that left a loop or a function, started the next iteration, or ended. A loop runs until none of its
//! lanes is left; at the start of an iteration, the lanes are active that ended the one before or started the next one. These are
//! the rules of SPV_KHR_maximal_reconvergence for programs in which no case of a switch continues in the next one.

use super::numbers::{combined, from_bits, neutral, to_bits};
use super::{Binary, Combine, Elem, Expr, Extent, Leave, Op, Program, REPEATS, Stmt, VARIABLES};

/// The result for a lane whose operation reads a lane that is not active.
pub const NOTHING: u32 = 5;

/// Runs a program. Returns the final variables of all invocations, one invocation after another.
pub fn run(program: &Program, size: u32) -> Vec<u32> {
    let mut results = Vec::new();
    let mut first = 0;
    while first < program.invocations {
        let last = program.invocations.min(first + size);
        let lanes: Vec<Option<u32>> = (first..last).map(Some).collect();
        results.extend(run_subgroup(program, size, &lanes).into_iter().flatten());
        first += size;
    }
    results
}

/// Runs a program for one subgroup of `size` invocations. `ids` has the number of the invocation in each lane, or `None` for a lane
/// without an invocation; lanes after the last entry have none. Returns the final variables of each lane.
pub fn run_subgroup(program: &Program, size: u32, ids: &[Option<u32>]) -> Vec<[u32; VARIABLES]> {
    let variables = |id: u32| std::array::from_fn(|at| start(id, at as u32));
    let all = (0..).zip(ids).filter(|(_, id)| id.is_some()).fold(0, |all, (at, _)| all | 1 << at);
    let ids: Vec<u32> = ids.iter().map(|id| id.unwrap_or(0)).collect();
    let lanes = ids.iter().map(|&id| variables(id)).collect();
    let counters = vec![Vec::new(); ids.len()];
    let mut subgroup = Subgroup { size, ids, lanes, counters };
    subgroup.list(&program.body, all, &mut Left::default());
    subgroup.lanes
}

/// The value that variable `at` of invocation `id` starts with.
pub fn start(id: u32, at: u32) -> u32 {
    let mixed = (id.wrapping_mul(7) ^ at.wrapping_mul(0x51ed)).wrapping_mul(0x85eb_ca6b);
    mixed ^ (mixed >> 13)
}

/// The lanes that are not active any more.
#[derive(Default)]
struct Left {
    /// Those that left the innermost loop or switch.
    broken: u32,
    /// Those that wait for the end of the iteration of the innermost loop.
    continued: u32,
    /// Those that left the function.
    returned: u32,
}

struct Subgroup {
    size: u32,
    /// The number of the invocation of each lane.
    ids: Vec<u32>,
    lanes: Vec<[u32; VARIABLES]>,
    /// The counters of the open loops.
    counters: Vec<Vec<u32>>,
}

/// The numbers of the lanes in a mask.
fn each(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

impl Subgroup {
    /// Runs statements for the lanes in `active`. Returns those that reach the end.
    fn list(&mut self, stmts: &[Stmt], mut active: u32, left: &mut Left) -> u32 {
        for stmt in stmts {
            if active == 0 {
                break;
            }
            active = self.stmt(stmt, active, left);
        }
        active
    }

    fn stmt(&mut self, stmt: &Stmt, active: u32, left: &mut Left) -> u32 {
        match stmt {
            Stmt::Set(var, value) => {
                let values: Vec<u32> = each(active).map(|lane| self.value(value, lane)).collect();
                for (lane, value) in each(active).zip(values) {
                    self.lanes[lane as usize][*var] = value;
                }
                active
            }
            Stmt::Op(var, op, value) => {
                let results: Vec<u32> =
                    each(active).map(|lane| self.op(op, value, lane, active)).collect();
                for (lane, result) in each(active).zip(results) {
                    self.lanes[lane as usize][*var] = result;
                }
                active
            }
            Stmt::If(cond, then, else_) => {
                let taken = self.chosen(cond, active);
                let a = self.list(then, taken, left);
                a | self.list(else_, active & !taken, left)
            }
            Stmt::Switch(selector, cases) => {
                let count = cases.len() as u32;
                let mut after = 0;
                let selected: Vec<(u32, u32)> =
                    each(active).map(|lane| (lane, self.value(selector, lane) % count)).collect();
                for (number, case) in cases.iter().enumerate() {
                    let lanes = selected.iter().filter(|(_, chosen)| *chosen == number as u32);
                    let lanes = lanes.fold(0, |mask, (lane, _)| mask | 1 << lane);
                    let mut own = Left::default();
                    after |= self.list(case, lanes, &mut own) | own.broken;
                    left.continued |= own.continued;
                    left.returned |= own.returned;
                }
                after
            }
            Stmt::Repeat(body, cond) => {
                self.counters.iter_mut().for_each(|counters| counters.push(0));
                let (mut inside, mut after) = (active, 0);
                for count in 1..=REPEATS {
                    let mut own = Left::default();
                    let end = self.list(body, inside, &mut own);
                    left.returned |= own.returned;
                    after |= own.broken;
                    inside = end | own.continued;
                    let again = count < REPEATS && self.chosen(cond, inside) != 0;
                    for lane in each(inside) {
                        *self.counters[lane as usize].last_mut().expect("a loop") += 1;
                    }
                    if !again {
                        break;
                    }
                }
                self.counters.iter_mut().for_each(|counters| _ = counters.pop());
                after | inside
            }
            Stmt::Call(body) => {
                let mut own = Left::default();
                self.list(body, active, &mut own) | own.returned
            }
            Stmt::Loop(count, body) => {
                let counts: Vec<u32> =
                    (0..self.lanes.len() as u32).map(|lane| self.value(count, lane) & 7).collect();
                self.counters.iter_mut().for_each(|counters| counters.push(0));
                let (mut inside, mut after) = (active, 0);
                while inside != 0 {
                    let depth = self.counters[0].len() - 1;
                    let done = each(inside)
                        .filter(|&lane| {
                            self.counters[lane as usize][depth] >= counts[lane as usize]
                        })
                        .fold(0, |mask, lane| mask | 1 << lane);
                    (inside, after) = (inside & !done, after | done);
                    let mut own = Left::default();
                    let end = self.list(body, inside, &mut own);
                    left.returned |= own.returned;
                    after |= own.broken;
                    inside = end | own.continued;
                    for lane in each(inside) {
                        self.counters[lane as usize][depth] += 1;
                    }
                }
                self.counters.iter_mut().for_each(|counters| _ = counters.pop());
                after
            }
            Stmt::Leave(how, cond, before) => {
                let chosen = self.chosen(cond, active);
                let leaving = self.list(before, chosen, left);
                match how {
                    Leave::Break => left.broken |= leaving,
                    Leave::Continue => left.continued |= leaving,
                    Leave::Return => left.returned |= leaving,
                }
                active & !chosen
            }
        }
    }

    /// The active lanes for which a value is not 0.
    fn chosen(&self, cond: &Expr, active: u32) -> u32 {
        each(active)
            .filter(|&lane| self.value(cond, lane) != 0)
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    fn value(&self, expr: &Expr, lane: u32) -> u32 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Var(var) => self.lanes[lane as usize][*var],
            Expr::Id => self.ids[lane as usize],
            Expr::Lane => lane,
            Expr::Counter(depth) => self.counters[lane as usize].get(*depth).copied().unwrap_or(0),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(a, lane), self.value(b, lane));
                match op {
                    Binary::Add => a.wrapping_add(b),
                    Binary::Mul => a.wrapping_mul(b),
                    Binary::And => a & b,
                    Binary::Xor => a ^ b,
                    Binary::Shr => a >> (b & 31),
                    Binary::Less => u32::from(a < b),
                    Binary::Equal => u32::from(a == b),
                }
            }
        }
    }

    /// The result of an operation on a value for a lane.
    fn op(&self, op: &Op, value: &Expr, lane: u32, active: u32) -> u32 {
        let of = |other: u32| self.value(value, other);
        let true_lanes = || self.chosen(value, active);
        // The value of another lane, converted to the type and back.
        let read = |elem: Elem, other: u32| match other < self.size && active >> other & 1 == 1 {
            true => to_bits(elem, from_bits(elem, of(other), None)),
            false => NOTHING,
        };
        match op {
            Op::Elect => u32::from(active.trailing_zeros() == lane),
            Op::All => u32::from(true_lanes() == active),
            Op::Any => u32::from(true_lanes() != 0),
            Op::AllEqual(elem) => {
                let own = from_bits(*elem, of(lane), None);
                u32::from(each(active).all(|other| from_bits(*elem, of(other), None) == own))
            }
            Op::Ballot => true_lanes(),
            Op::BitCount(extent) => (true_lanes() & extent_mask(*extent, lane)).count_ones(),
            Op::FindLsb => match true_lanes() {
                0 => 99,
                mask => mask.trailing_zeros(),
            },
            Op::FindMsb => match true_lanes() {
                0 => 99,
                mask => 31 - mask.leading_zeros(),
            },
            Op::BitExtract(number) => {
                let number = self.value(number, lane) % self.size;
                true_lanes() >> number & 1
            }
            Op::Inverse => of(lane) >> lane & 1,
            Op::BroadcastFirst(elem) => read(*elem, active.trailing_zeros()),
            Op::Broadcast(elem, number) => read(*elem, *number),
            Op::Shuffle(elem, number) => read(*elem, self.value(number, lane)),
            Op::ShuffleXor(elem, mask) => read(*elem, lane ^ self.value(mask, lane)),
            Op::ShuffleUp(elem, by) => read(*elem, lane.wrapping_sub(self.value(by, lane))),
            Op::ShuffleDown(elem, by) => read(*elem, lane.wrapping_add(self.value(by, lane))),
            Op::Rotate(elem, by) => read(*elem, (lane + by) % self.size),
            Op::RotateCluster(elem, by, cluster) => {
                let cluster = (*cluster).min(self.size);
                read(*elem, lane / cluster * cluster + (lane + by) % cluster)
            }
            Op::QuadBroadcast(elem, number) => read(*elem, lane / 4 * 4 + number),
            Op::QuadSwap(elem, direction) => read(*elem, lane ^ (direction + 1)),
            Op::Combine(combine, elem, extent) => {
                self.combine((*combine, *elem), *extent, value, lane, active)
            }
            Op::Partition => each(active)
                .filter(|&other| of(other) & 3 == of(lane) & 3)
                .fold(0, |mask, other| mask | 1 << other),
        }
    }

    /// The combined values of the lanes of an extent.
    fn combine(
        &self,
        (combine, elem): (Combine, Elem),
        extent: Extent,
        value: &Expr,
        lane: u32,
        active: u32,
    ) -> u32 {
        let of = |other: u32| self.value(value, other);
        let same = |other: u32| of(other) & 3 == of(lane) & 3;
        let first = neutral(combine, elem);
        let counts = |other: u32| match extent {
            Extent::Cluster(size) => other / size == lane / size,
            Extent::Partition => same(other),
            Extent::PartitionInclusive | Extent::PartitionExclusive => {
                same(other) && extent_mask(extent, lane) >> other & 1 == 1
            }
            _ => extent_mask(extent, lane) >> other & 1 == 1,
        };
        let all = each(active).filter(|&other| counts(other)).fold(first, |all, other| {
            combined(combine, elem, all, from_bits(elem, of(other), Some(combine)))
        });
        to_bits(elem, all)
    }
}

/// The lanes up to the own one, before it, or all.
fn extent_mask(extent: Extent, lane: u32) -> u32 {
    let before = (1u64 << lane) - 1;
    match extent {
        Extent::Inclusive | Extent::PartitionInclusive => (before << 1 | 1) as u32,
        Extent::Exclusive | Extent::PartitionExclusive => before as u32,
        Extent::All | Extent::Cluster(_) | Extent::Partition => u32::MAX,
    }
}
