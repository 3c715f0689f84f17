//! Converts the blocks of one function to structured control flow: a tree of sequences, `if`s and loops.
//!
//! 1. [`structure`](structure::structure) visits the blocks once and nests them by their merge instructions. Every
//!    branch that leaves a construct becomes an [`Exit`] with the construct that it leaves.
//! 2. [`tidy`](tidy::tidy) removes exits that do not change where control goes. If one side of an `if` always leaves,
//!    it moves the code after the `if` into the other side. For each label to which exits then remain, the translation
//!    must make a loop that runs once (`translate/flow.rs`).
//!
//! Example: `if (c) return; a();` in a function with the blocks 0 (header), 1 (return), 2 (merge block, calls `a`):
//!
//! ```text
//! after 1:  block 0; labelled L { if c { exit RETURN } else { exit L } }; block 2; exit RETURN
//! after 2:  block 0; if c { } else { block 2 }
//! ```
//!
//! The tree contains a block at most once, so it is no larger than the function.

mod dominators;
mod structure;
mod tidy;

pub(crate) use structure::structure;

/// The number of a [`Node::Labelled`]. [`Exit::Label`] with this number continues after that node.
pub(crate) type Label = u32;

/// The label at the end of the function.
pub(crate) const RETURN: Label = 0;

/// The number of a loop of the function.
pub(crate) type LoopId = u32;

/// Nodes that run in order.
pub(crate) type Seq = Vec<Node>;

/// A branch that leaves one or more constructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// To the end of the code with that label.
    Label(Label),
    /// Out of a loop.
    Break(LoopId),
    /// To the continue target of a loop.
    Continue(LoopId),
    /// From `OpUnreachable`: control never gets here.
    Unreachable,
    /// From `OpKill` or `OpTerminateInvocation` at the end of the block of this index: discards the invocation.
    Kill(usize),
}

/// The condition of a [`Node::If`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cond {
    /// The boolean with this id.
    Value(u32),
    /// Whether the switch at the end of block `head` selects target number `target`.
    Target {
        /// Index of the block.
        head: usize,
        /// Index in [`Tree::switches`]' targets.
        target: usize,
    },
    /// Whether the target that the switch selects comes before `target` in the order of [`Search`].
    Below {
        /// Index of the block.
        head: usize,
        /// Index in [`Tree::switches`]' targets.
        target: usize,
    },
}

/// A piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// The instructions of a block, phis included.
    Block(usize),
    /// The branch from one block to another that has phis: the phis get their values here.
    Edge {
        /// Index of the block that branches.
        from: usize,
        /// Index of the block with phis.
        to: usize,
    },
    /// Evaluates the selector of the switch that ends this block. The conditions [`Cond::Target`] and [`Cond::Below`]
    /// refer to it.
    Switch(usize),
    /// Runs one of two sides.
    If {
        /// Selects the side.
        cond: Cond,
        /// Runs if the condition is true.
        then: Seq,
        /// Runs if the condition is false.
        else_: Seq,
    },
    /// Code that [`Exit::Label`] can leave.
    Labelled {
        /// The label at its end.
        label: Label,
        /// The code.
        body: Seq,
    },
    /// A loop: runs `body`, then `continuing`, repeatedly until an [`Exit`] leaves it.
    Loop {
        /// Its number.
        id: LoopId,
        /// After its end, or an [`Exit::Continue`], control continues with `continuing`.
        body: Seq,
        /// After its end control continues with `body`.
        continuing: Seq,
    },
    /// Sets the function's result: the value of the `OpReturnValue` that ends this block.
    ReturnValue(usize),
    /// Leaves one or more constructs.
    Exit(Exit),
}

/// A switch. Its targets are distinct blocks in the order in which the instruction names them; the default is the last,
/// unless a literal selects the same block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switch {
    /// Per target the literals that select it. The list of the default may be empty.
    pub(crate) literals: Vec<Vec<u64>>,
    /// The number of the default target.
    pub(crate) default: usize,
    /// What a [`Cond::Below`] compares.
    pub(crate) search: Search,
}

/// How the selected target of a switch is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Search {
    /// By comparisons with literals.
    #[default]
    Literals,
    /// By the number of the selected target, which must be computed from the literals.
    Targets,
    /// By the selector minus `first`. The literals of the targets other than the default are consecutive. So the difference is
    /// below their number exactly if the selector is one of them; any other selector selects the default.
    Offsets {
        /// The literal with offset 0.
        first: u64,
        /// For each target the least offset of the literals of its group of targets that fall through to each other; the number of
        /// literals for the default.
        starts: Vec<u64>,
    },
}

/// The structured form of a function.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The code. An exit to [`RETURN`] ends it.
    pub(crate) body: Seq,
    /// Switches by index of the block that they end.
    pub(crate) switches: std::collections::HashMap<usize, Switch>,
    /// Number of `OpReturnValue`s in the tree.
    pub(crate) return_values: usize,
}

/// Whether `seq` contains `exit`.
pub(crate) fn contains(seq: &[Node], exit: Exit) -> bool {
    any_exit(seq, &|e| e == exit)
}

/// Whether any exit in `seq` satisfies `wanted`.
pub(crate) fn any_exit(seq: &[Node], wanted: &impl Fn(Exit) -> bool) -> bool {
    seq.iter().any(|node| match node {
        Node::Exit(exit) => wanted(*exit),
        Node::If { then, else_, .. } => any_exit(then, wanted) || any_exit(else_, wanted),
        Node::Labelled { body, .. } => any_exit(body, wanted),
        Node::Loop { body, continuing, .. } => {
            any_exit(body, wanted) || any_exit(continuing, wanted)
        }
        Node::Block(_) | Node::Edge { .. } | Node::Switch(_) | Node::ReturnValue(_) => false,
    })
}

/// Whether control can reach the end of `seq` (as opposed to always leaving it by an exit).
pub(crate) fn completes(seq: &[Node]) -> bool {
    match seq.last() {
        None
        | Some(Node::Block(_) | Node::Edge { .. } | Node::Switch(_) | Node::ReturnValue(_)) => true,
        Some(Node::Exit(_)) => false,
        Some(Node::If { then, else_, .. }) => completes(then) || completes(else_),
        Some(Node::Labelled { label, body }) => {
            completes(body) || contains(body, Exit::Label(*label))
        }
        Some(Node::Loop { id, body, continuing }) => {
            contains(body, Exit::Break(*id)) || contains(continuing, Exit::Break(*id))
        }
    }
}
