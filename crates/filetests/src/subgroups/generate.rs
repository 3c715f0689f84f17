//! Makes random programs, and one program for each operation.

use super::{Binary, Combine, Elem, Expr, Extent, Leave, Op, Program, Stmt, VARIABLES};
use crate::data::Random;

/// Greatest depth of statements.
const DEPTH: usize = 3;

/// The operations that programs may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Only those that lavapipe has: no clusters, partitions and rotations. Its compiler ends the process at
    /// some reads of floats, and on hosts without AVX-512 at some of integers of 64 bits.
    pub common: bool,
    /// Also those of quads.
    pub quads: bool,
}

impl Choice {
    /// All operations.
    pub const ALL: Choice = Choice { common: false, quads: true };
    /// All operations that lavapipe has.
    pub const COMMON: Choice = Choice { common: true, quads: true };

    /// Whether the operation may occur.
    pub fn allows(self, op: &Op) -> bool {
        if !self.quads && matches!(op, Op::QuadBroadcast(..) | Op::QuadSwap(..)) {
            return false;
        }
        !self.common
            || match op {
                Op::Rotate(..) | Op::RotateCluster(..) | Op::Partition => false,
                Op::Combine(_, elem, extent) => {
                    let known =
                        matches!(extent, Extent::All | Extent::Inclusive | Extent::Exclusive);
                    known && *elem != Elem::F64
                }
                Op::AllEqual(elem)
                | Op::BroadcastFirst(elem)
                | Op::Broadcast(elem, _)
                | Op::Shuffle(elem, _) => !elem.is_float(),
                Op::ShuffleXor(elem, _)
                | Op::ShuffleUp(elem, _)
                | Op::ShuffleDown(elem, _)
                | Op::QuadBroadcast(elem, _)
                | Op::QuadSwap(elem, _) => {
                    !elem.is_float() && !matches!(elem, Elem::I64 | Elem::U64)
                }
                _ => true,
            }
    }
}

/// All operations, with some constants and with the operand `number` for numbers of lanes.
pub fn operations(number: &Expr) -> Vec<Op> {
    let mut ops = vec![
        Op::Elect,
        Op::All,
        Op::Any,
        Op::Ballot,
        Op::BitCount(Extent::All),
        Op::BitCount(Extent::Inclusive),
        Op::BitCount(Extent::Exclusive),
        Op::FindLsb,
        Op::FindMsb,
        Op::BitExtract(number.clone()),
        Op::Inverse,
        Op::Partition,
    ];
    for elem in Elem::ALL {
        ops.extend([
            Op::AllEqual(elem),
            Op::BroadcastFirst(elem),
            Op::Broadcast(elem, 3),
            Op::Broadcast(elem, 21),
            Op::Shuffle(elem, number.clone()),
            Op::ShuffleXor(elem, number.clone()),
            Op::ShuffleUp(elem, below_32(number.clone())),
            Op::ShuffleDown(elem, below_32(number.clone())),
            Op::Rotate(elem, 3),
            Op::RotateCluster(elem, 3, 4),
        ]);
        ops.extend([1, 2, 3, 4, 8, 12, 5, 16].map(|mask| Op::ShuffleXor(elem, Expr::Const(mask))));
        ops.extend([1, 2, 5].map(|by| Op::ShuffleUp(elem, Expr::Const(by))));
        ops.extend([1, 4].map(|by| Op::ShuffleDown(elem, Expr::Const(by))));
        ops.extend((0..4).map(|number| Op::QuadBroadcast(elem, number)));
        ops.extend((0..3).map(|direction| Op::QuadSwap(elem, direction)));
        for combine in Combine::ALL.into_iter().filter(|combine| combine.suits(elem)) {
            let extents = [
                Extent::All,
                Extent::Inclusive,
                Extent::Exclusive,
                Extent::Cluster(1),
                Extent::Cluster(2),
                Extent::Cluster(4),
                Extent::Cluster(8),
                Extent::Cluster(16),
                Extent::Cluster(32),
                Extent::Partition,
                Extent::PartitionInclusive,
                Extent::PartitionExclusive,
            ];
            ops.extend(extents.map(|extent| Op::Combine(combine, elem, extent)));
        }
    }
    ops
}

/// A value modulo 32.
fn below_32(value: Expr) -> Expr {
    binary(Binary::And, value, Expr::Const(31))
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// A program that runs operations one after another: for all invocations, for some of them, and in a loop that invocations leave
/// in different iterations.
pub fn each_of(ops: &[Op], invocations: u32) -> Program {
    let mut body = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let var = at % VARIABLES;
        let fresh = |salt: u32| {
            let id = binary(Binary::Mul, Expr::Id, Expr::Const(0x9e37_79b1 ^ salt));
            let id = binary(Binary::Xor, id, Expr::Const(salt << 7));
            binary(Binary::Shr, id, Expr::Const(5))
        };
        let other = (var + 1) % VARIABLES;
        let add = |var| {
            Stmt::Set(
                other,
                binary(
                    Binary::Add,
                    binary(Binary::Mul, Expr::Var(other), Expr::Const(3)),
                    Expr::Var(var),
                ),
            )
        };
        body.extend([Stmt::Op(var, op.clone(), fresh(at as u32)), add(var)]);
        let some = binary(Binary::And, fresh(77), Expr::Const(5));
        let inner = vec![Stmt::Op(var, op.clone(), fresh(at as u32 + 100)), add(var)];
        body.push(Stmt::If(some, inner, Vec::new()));
        let count = fresh(at as u32 + 3);
        let inner = vec![
            Stmt::Op(var, op.clone(), binary(Binary::Add, fresh(9), Expr::Counter(0))),
            add(var),
            Stmt::Leave(
                Leave::Break,
                binary(
                    Binary::Equal,
                    binary(Binary::And, Expr::Id, Expr::Const(3)),
                    Expr::Counter(0),
                ),
                vec![Stmt::Op(var, op.clone(), fresh(at as u32 + 55)), add(var)],
            ),
        ];
        body.push(Stmt::Loop(count, inner));
    }
    Program { invocations, body }
}

/// A random program. Equal seeds give equal programs.
pub fn program(seed: u64, choice: Choice) -> Program {
    let mut generator = Generator { random: Random::new(seed), choice, loops: 0, left: 30 };
    let invocations = *generator.random.pick(&[1, 7, 8, 13, 16, 29, 32, 40, 64, 75]);
    let body = generator.list(0, &[]);
    Program { invocations, body }
}

struct Generator {
    random: Random,
    choice: Choice,
    /// Number of open loops.
    loops: usize,
    /// Number of statements that may follow.
    left: usize,
}

impl Generator {
    /// Makes a list of statements, which may leave the constructs around it in the ways `leaves`.
    fn list(&mut self, depth: usize, leaves: &[Leave]) -> Vec<Stmt> {
        let count = 1 + self.random.below(if depth == 0 { 12 } else { 5 });
        (0..count).filter_map(|_| self.stmt(depth, leaves)).collect()
    }

    fn stmt(&mut self, depth: usize, leaves: &[Leave]) -> Option<Stmt> {
        self.left = self.left.checked_sub(1)?;
        let var = self.random.below(VARIABLES);
        let nested = depth < DEPTH;
        Some(match self.random.below(18) {
            0..=1 => Stmt::Set(var, self.expr(2)),
            2..=8 => Stmt::Op(var, self.op(), self.expr(1)),
            9..=11 if nested => {
                let cond = self.condition();
                let then = self.list(depth + 1, leaves);
                let else_ = match self.random.below(2) {
                    0 => Vec::new(),
                    _ => self.list(depth + 1, leaves),
                };
                Stmt::If(cond, then, else_)
            }
            12 if nested && self.loops < 2 => {
                let count = self.expr(1);
                self.loops += 1;
                let body = self.list(depth + 1, &[Leave::Break, Leave::Continue]);
                let cond = self.condition();
                self.loops -= 1;
                match self.random.below(3) {
                    0 => Stmt::Repeat(body, cond),
                    _ => Stmt::Loop(count, body),
                }
            }
            13 if nested => {
                let selector = self.expr(1);
                let count = 2 + self.random.below(3);
                let mut inside = vec![Leave::Break];
                inside.extend(leaves.iter().filter(|&&leave| leave == Leave::Continue));
                let cases = (0..count).map(|_| self.list(depth + 1, &inside)).collect();
                Stmt::Switch(selector, cases)
            }
            14..=15 if !leaves.is_empty() => {
                let how = *self.random.pick(leaves);
                self.leave(how, depth)
            }
            16 if depth > 0 && self.random.below(4) == 0 => self.leave(Leave::Return, depth),
            17 if nested && self.loops == 0 => Stmt::Call(self.list(depth + 1, &[Leave::Return])),
            _ => Stmt::Op(var, self.op(), self.expr(1)),
        })
    }

    /// A statement that leaves a construct.
    fn leave(&mut self, how: Leave, depth: usize) -> Stmt {
        let cond = self.condition();
        let before = match self.random.below(2) {
            0 if depth < DEPTH => self.list(depth + 1, &[]),
            _ => Vec::new(),
        };
        Stmt::Leave(how, cond, before)
    }

    /// A random operation that may occur.
    fn op(&mut self) -> Op {
        loop {
            let number = match self.random.below(8) {
                0 => self.expr(1),
                _ => below_32(self.expr(1)),
            };
            let ops = operations(&number);
            // Most operations combine values, so others are chosen first half of the time.
            let others = self.random.below(2) == 0;
            let ops: Vec<&Op> = ops
                .iter()
                .filter(|op| self.choice.allows(op) && others != matches!(op, Op::Combine(..)))
                .collect();
            if let Some(op) = ops.get(self.random.below(ops.len().max(1))) {
                return (*op).clone();
            }
        }
    }

    /// A value that is 0 for some invocations.
    fn condition(&mut self) -> Expr {
        let value = self.expr(1);
        let bits = *self.random.pick(&[1, 2, 5, 64]);
        binary(Binary::And, value, Expr::Const(bits))
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.random.below(2) == 0 {
            let op = *self.random.pick(&[
                Binary::Add,
                Binary::Mul,
                Binary::And,
                Binary::Xor,
                Binary::Shr,
                Binary::Less,
                Binary::Equal,
            ]);
            return binary(op, self.expr(depth - 1), self.expr(depth - 1));
        }
        match self.random.below(8) {
            0 => Expr::Const(self.random.below(40) as u32),
            1 => Expr::Id,
            2 => Expr::Lane,
            3 if self.loops > 0 => Expr::Counter(self.random.below(self.loops)),
            _ => Expr::Var(self.random.below(VARIABLES)),
        }
    }
}
