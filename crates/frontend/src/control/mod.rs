//! Merge instructions to a tree: the structured form of one function's blocks.
//!
//! 1. [`structure`](structure::structure) walks the blocks once and nests them by their merge instructions. Every
//!    branch that leaves a construct becomes an [`Exit`] that names what it leaves.
//! 2. [`tidy`](tidy::tidy) removes exits that control would take anyway, and moves what follows an `if` with one
//!    leaving side into its other side. What then still exits a label needs a loop that runs once.
//!
//! A block stands in the tree at most once, so the tree is no larger than the function.

mod structure;
mod tidy;

pub(crate) use structure::structure;

/// Names a place that follows a piece of code, so that the code can be left early.
pub(crate) type Label = u32;

/// The label at the end of the function.
pub(crate) const RETURN: Label = 0;

/// Names a loop of the function.
pub(crate) type LoopId = u32;

/// Nodes that run in order.
pub(crate) type Seq = Vec<Node>;

/// A branch that leaves one or more constructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// To the end of the labelled code.
    Label(Label),
    /// Out of a loop.
    Break(LoopId),
    /// To the continue target of a loop.
    Continue(LoopId),
    /// Control never gets here.
    Unreachable,
}

/// What an `if` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cond {
    /// A boolean by id.
    Value(u32),
    /// Whether the switch at the end of block `head` selects target number `target`.
    Target {
        /// Index of the block.
        head: usize,
        /// Index in [`Tree::switches`]' targets.
        target: usize,
    },
    /// Whether the number of the target that the switch selects is below `target`.
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
    /// The branch from one block to another that has phis: they get their values here.
    Edge {
        /// Index of the block that branches.
        from: usize,
        /// Index of the block with phis.
        to: usize,
    },
    /// The switch of a block finds its target.
    Switch(usize),
    /// Runs one of two sides.
    If {
        /// Which.
        cond: Cond,
        /// If true.
        then: Seq,
        /// If false.
        else_: Seq,
    },
    /// Code that [`Exit::Label`] can leave.
    Labelled {
        /// The label at its end.
        label: Label,
        /// The code.
        body: Seq,
    },
    /// A loop: `body`, then `continuing`, again and again until an [`Exit`] leaves it.
    Loop {
        /// Its name.
        id: LoopId,
        /// [`Exit::Continue`] or the end goes on with `continuing`.
        body: Seq,
        /// The end goes on with `body`.
        continuing: Seq,
    },
    /// Gives the function its result: the value of the `OpReturnValue` that ends the block.
    ReturnValue(usize),
    /// Leaves.
    Exit(Exit),
}

/// A switch: its distinct targets in the order of first mention, the default's last unless a literal shares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switch {
    /// Per target the literals that select it; the default's list may be empty.
    pub(crate) literals: Vec<Vec<u64>>,
    /// Which target is the default.
    pub(crate) default: usize,
    /// Whether a condition compares target numbers, so that the number must be computed.
    pub(crate) numbered: bool,
}

/// The structured form of a function.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The code; exits to [`RETURN`] leave it.
    pub(crate) body: Seq,
    /// Switches by index of the block that they end.
    pub(crate) switches: std::collections::HashMap<usize, Switch>,
    /// Number of `OpReturnValue`s in the tree.
    pub(crate) return_values: usize,
}

/// Whether any code in `seq` leaves by `exit`.
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

/// Whether control can reach the end of `seq` (and not only leave it).
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
