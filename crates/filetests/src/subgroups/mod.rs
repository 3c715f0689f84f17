//! Random programs with subgroup operations, their text in GLSL, and a model that runs them.
//!
//! A program has some variables of 32 bits per invocation, and statements in structured control flow. [`glsl`] writes it as a
//! compute shader, [`graphics`] as a vertex, geometry or fragment shader in a script. [`model`] computes its result for subgroups of a given size, one lane after another. The model uses no code of
//! the compiler, the interpreter or the emulator.

pub mod generate;
pub mod glsl;
pub mod graphics;
pub mod model;
mod numbers;

/// Number of variables of each invocation.
pub const VARIABLES: usize = 4;

/// A value of 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Const(u32),
    /// A variable.
    Var(usize),
    /// The number of the invocation in the workgroup.
    Id,
    /// The number of the invocation in the subgroup.
    Lane,
    /// The counter of the loop with this depth; 0 is the outermost.
    Counter(usize),
    /// Two values combined.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// How two values of 32 bits are combined.
#[allow(missing_docs, reason = "the names of the variants say what they are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Mul,
    And,
    Xor,
    /// Shift right by the second value modulo 32.
    Shr,
    /// 1 if the first is less, else 0.
    Less,
    /// 1 if both are equal, else 0.
    Equal,
}

/// The type in which an operation gets a value.
#[allow(missing_docs, reason = "the names of the variants say what they are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Elem {
    /// All types.
    pub const ALL: [Elem; 12] = [
        Elem::Bool,
        Elem::I8,
        Elem::U8,
        Elem::I16,
        Elem::U16,
        Elem::I32,
        Elem::U32,
        Elem::I64,
        Elem::U64,
        Elem::F16,
        Elem::F32,
        Elem::F64,
    ];

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Elem::F16 | Elem::F32 | Elem::F64)
    }
}

/// An operation that combines values.
#[allow(missing_docs, reason = "the names of the variants say what they are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Combine {
    /// All operations.
    pub const ALL: [Combine; 7] = [
        Combine::Add,
        Combine::Mul,
        Combine::Min,
        Combine::Max,
        Combine::And,
        Combine::Or,
        Combine::Xor,
    ];

    /// Whether the operation exists for a type.
    pub fn suits(self, elem: Elem) -> bool {
        let bits = matches!(self, Combine::And | Combine::Or | Combine::Xor);
        match elem {
            Elem::Bool => bits,
            _ => !(bits && elem.is_float()),
        }
    }
}

/// The invocations whose values are combined.
#[allow(missing_docs, reason = "the names of the variants say what they are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    All,
    Inclusive,
    Exclusive,
    /// Clusters of this many invocations.
    Cluster(u32),
    /// The invocations with the same low two bits of the value.
    Partition,
    /// Of these, those up to the own one.
    PartitionInclusive,
    /// Of these, those before the own one.
    PartitionExclusive,
}

/// A subgroup operation.
#[allow(missing_docs, reason = "the names of the variants say what they are")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Elect,
    All,
    Any,
    AllEqual(Elem),
    Ballot,
    /// The number of bits of a ballot: of all, up to the own one, before it.
    BitCount(Extent),
    /// The lowest bit of a ballot that is set; 99 if there is none.
    FindLsb,
    FindMsb,
    /// The bit of a ballot with this number, modulo the size of the subgroup.
    BitExtract(Expr),
    /// The own bit of the value as a ballot.
    Inverse,
    BroadcastFirst(Elem),
    /// The value of an invocation with a constant number.
    Broadcast(Elem, u32),
    /// The value of any invocation. As in all following operations, the result is 5 if it is not active.
    Shuffle(Elem, Expr),
    ShuffleXor(Elem, Expr),
    ShuffleUp(Elem, Expr),
    ShuffleDown(Elem, Expr),
    Rotate(Elem, u32),
    RotateCluster(Elem, u32, u32),
    QuadBroadcast(Elem, u32),
    /// 0 horizontal, 1 vertical, 2 diagonal.
    QuadSwap(Elem, u32),
    Combine(Combine, Elem, Extent),
    /// The ballot of the invocations with the same low two bits.
    Partition,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Assigns a value.
    Set(usize, Expr),
    /// Assigns the result of an operation on a value.
    Op(usize, Op, Expr),
    /// Runs one of two lists: the first if the value is not 0.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Runs a list as often as the value modulo 8 says.
    Loop(Expr, Vec<Stmt>),
    /// Runs a list, and again while the value is not 0 for some active invocation, at most [`REPEATS`] times.
    Repeat(Vec<Stmt>, Expr),
    /// If the value is not 0, runs a list and then leaves a construct. The list belongs to the construct that is left:
    /// invocations that leave a loop in different iterations run it separately.
    Leave(Leave, Expr, Vec<Stmt>),
    /// Runs one of several lists: that with the number that the value modulo their count is.
    Switch(Expr, Vec<Vec<Stmt>>),
    /// Calls a function with this body. It has the same variables.
    Call(Vec<Stmt>),
}

/// The greatest number of times that [`Stmt::Repeat`] runs its list.
pub const REPEATS: u32 = 5;

/// How invocations leave a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// To the end of the innermost loop or switch.
    Break,
    /// To the end of the iteration of the innermost loop.
    Continue,
    /// To the end of the function. Outside of functions the invocation ends; its variables are stored before.
    Return,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Invocations of the workgroup.
    pub invocations: u32,
    /// The statements.
    pub body: Vec<Stmt>,
}
