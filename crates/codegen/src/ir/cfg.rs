//! Control flow between blocks, derived from the structured flow instructions.
//!
//! The graph has two kinds of edges. A single channel follows **logical** edges: at an `if` it enters one arm. The
//! thread as a whole also follows **physical** edges: if both arms have channels, it runs one arm after the other.
//! Channels that finished their arm, or left a loop, are disabled until the thread reaches the block where they
//! continue; they are *parked* at the start of that block.
//!
//! Example, with the blocks of `if` (0), the first arm (1), the second arm (2) and `endif` (3): the logical edges are
//! 0-1, 0-2, 1-3 and 2-3; the physical edge is 1-2. While block 2 runs, the channels of block 1 are parked at block
//! 3. Registers that parked channels need must not be overwritten meanwhile, which is why register allocation needs
//! both kinds of edges.

use crestline_isa::Opcode;
use smallvec::SmallVec;

use super::{BlockId, Function, Op};

/// The kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// A channel can follow this edge, and so can the thread.
    Logical,
    /// Only the thread follows this edge, to run code for other channels.
    Physical,
}

/// An edge to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The block that the edge leads to; in [`Cfg::preds`], the block that it comes from.
    pub to: BlockId,
    /// Logical or physical.
    pub kind: EdgeKind,
}

crestline_ssa::typed_index! {
    /// Number of a nesting level in [`Cfg`], below [`Cfg::level_count`].
    pub struct NodeId(u32), "level ";
}

/// A level of nesting: an arm of a conditional or the body of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    parent: Option<NodeId>,
    /// Blocks at whose start channels of this level can be parked while other channels run inside it.
    parked: SmallVec<[BlockId; 2]>,
}

/// Control flow of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cfg {
    succs: Vec<SmallVec<[Edge; 2]>>,
    preds: Vec<SmallVec<[Edge; 2]>>,
    levels: Vec<Option<NodeId>>,
    nodes: Vec<Node>,
    loop_depths: Vec<u32>,
    loops: Vec<(BlockId, BlockId)>,
    halt_target: Option<BlockId>,
    first_halt: Option<BlockId>,
}

/// Error: the flow instructions are not nested correctly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block {block}: {what}")]
pub struct FlowError {
    /// Index of the block.
    pub block: u32,
    /// What is wrong.
    pub what: &'static str,
}

/// A conditional or loop whose end is not reached yet.
enum Open {
    If { if_block: usize, node: NodeId, else_block: Option<usize> },
    Loop { header: usize, node: NodeId, breaks: Vec<usize>, conts: Vec<usize> },
}

impl Cfg {
    /// Derives the control flow of a function.
    ///
    /// # Errors
    /// Flow instructions that are not nested, or not at the ends of their blocks.
    pub fn new(function: &Function) -> Result<Cfg, FlowError> {
        let count = function.blocks.len();
        let mut cfg = Cfg {
            succs: vec![SmallVec::new(); count],
            preds: vec![SmallVec::new(); count],
            levels: vec![None; count],
            nodes: Vec::new(),
            loop_depths: vec![0; count],
            loops: Vec::new(),
            halt_target: None,
            first_halt: None,
        };
        let mut open: Vec<Open> = Vec::new();
        let mut halts: Vec<usize> = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            let fail = |what| Err(FlowError { block: index as u32, what });
            let ops = || block.insts.iter().map(|inst| inst.op);
            if ops().skip(1).any(Op::starts_block) {
                return fail("an instruction that starts a block is not its first");
            }
            if ops().rev().skip(1).any(Op::ends_block) {
                return fail("an instruction that ends a block is not its last");
            }
            match ops().next() {
                Some(Op::Do) => {
                    let node = cfg.push_node(&open);
                    open.push(Open::Loop {
                        header: index,
                        node,
                        breaks: Vec::new(),
                        conts: Vec::new(),
                    });
                }
                Some(Op::Hw(Opcode::EndIf)) => {
                    let Some(Open::If { if_block, node, else_block }) = open.pop() else {
                        return fail("endif without if");
                    };
                    match else_block {
                        // Channels of the first arm are parked here while the second runs.
                        Some(else_block) => {
                            cfg.edge(else_block, index, EdgeKind::Logical);
                            cfg.nodes[node.index()].parked.push(BlockId::from_index(index));
                        }
                        None => {
                            cfg.edge(if_block, index, EdgeKind::Logical);
                            cfg.nodes[node.index()].parked.push(BlockId::from_index(index));
                        }
                    }
                }
                Some(Op::HaltTarget) => {
                    if !open.is_empty() || cfg.halt_target.is_some() {
                        return fail("halt_target must be single and outside all structures");
                    }
                    cfg.halt_target = Some(BlockId::from_index(index));
                    for halt in halts.drain(..) {
                        cfg.edge(halt, index, EdgeKind::Logical);
                    }
                }
                _ => {}
            }
            cfg.levels[index] = open.last().map(Open::node);
            cfg.loop_depths[index] =
                open.iter().filter(|o| matches!(o, Open::Loop { .. })).count() as u32;
            let last = block.insts.last();
            let predicated = last.is_some_and(super::Inst::is_predicated);
            let next = (index + 1 < count).then_some(index + 1);
            let through = |cfg: &mut Cfg, kind| match next {
                Some(next) => {
                    cfg.edge(index, next, kind);
                    Ok(())
                }
                None => Err(FlowError {
                    block: index as u32,
                    what: "control flow continues after the last block",
                }),
            };
            let conditional = if predicated { EdgeKind::Logical } else { EdgeKind::Physical };
            match last.map(|inst| inst.op) {
                Some(Op::Hw(Opcode::If)) => {
                    through(&mut cfg, EdgeKind::Logical)?;
                    let node = cfg.push_node(&open);
                    open.push(Open::If { if_block: index, node, else_block: None });
                }
                Some(Op::Hw(Opcode::Else)) => {
                    through(&mut cfg, EdgeKind::Physical)?;
                    let Some(Open::If { if_block, node, else_block: None }) = open.pop() else {
                        return fail("else without if");
                    };
                    cfg.edge(if_block, index + 1, EdgeKind::Logical);
                    cfg.nodes[node.index()].parked.push(BlockId::from_index(index + 1));
                    let node = cfg.push_node(&open);
                    open.push(Open::If { if_block, node, else_block: Some(index) });
                }
                Some(Op::Hw(Opcode::While)) => {
                    through(&mut cfg, conditional)?;
                    let Some(Open::Loop { header, node, breaks, conts }) = open.pop() else {
                        return fail("while without loop");
                    };
                    cfg.edge(index, header, EdgeKind::Logical);
                    for &block in &breaks {
                        cfg.edge(block, index + 1, EdgeKind::Logical);
                    }
                    for &block in &conts {
                        cfg.edge(block, index, EdgeKind::Logical);
                    }
                    let parked = &mut cfg.nodes[node.index()];
                    if predicated || !breaks.is_empty() {
                        parked.parked.push(BlockId::from_index(index + 1));
                    }
                    if !conts.is_empty() {
                        parked.parked.push(BlockId::from_index(index));
                    }
                    cfg.loops.push((BlockId::from_index(header), BlockId::from_index(index)));
                }
                Some(Op::Hw(opcode @ (Opcode::Break | Opcode::Cont))) => {
                    through(&mut cfg, conditional)?;
                    let innermost = open.iter_mut().rev().find_map(|o| match o {
                        Open::Loop { breaks, conts, .. } => Some((breaks, conts)),
                        Open::If { .. } => None,
                    });
                    match (innermost, opcode) {
                        (Some((breaks, _)), Opcode::Break) => breaks.push(index),
                        (Some((_, conts)), _) => conts.push(index),
                        (None, _) => return fail("break or cont outside a loop"),
                    }
                }
                Some(Op::Hw(Opcode::Halt)) => {
                    through(&mut cfg, conditional)?;
                    cfg.first_halt.get_or_insert(BlockId::from_index(index));
                    halts.push(index);
                }
                _ => {
                    if let Some(next) = next {
                        cfg.edge(index, next, EdgeKind::Logical);
                    }
                }
            }
        }
        let last = count.saturating_sub(1) as u32;
        if !open.is_empty() {
            return Err(FlowError { block: last, what: "a conditional or loop is not closed" });
        }
        if !halts.is_empty() {
            return Err(FlowError { block: last, what: "halt without halt_target after it" });
        }
        Ok(cfg)
    }

    /// Adds a level of nesting inside the innermost open one.
    fn push_node(&mut self, open: &[Open]) -> NodeId {
        let id = NodeId::from_index(self.nodes.len());
        self.nodes.push(Node { parent: open.last().map(Open::node), parked: SmallVec::new() });
        id
    }

    fn edge(&mut self, from: usize, to: usize, kind: EdgeKind) {
        self.succs[from].push(Edge { to: BlockId::from_index(to), kind });
        self.preds[to].push(Edge { to: BlockId::from_index(from), kind });
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.succs.len()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.succs.is_empty()
    }

    /// Edges out of a block.
    pub fn succs(&self, block: BlockId) -> &[Edge] {
        &self.succs[block.index()]
    }

    /// Edges into a block; [`Edge::to`] is the block they come from.
    pub fn preds(&self, block: BlockId) -> &[Edge] {
        &self.preds[block.index()]
    }

    /// Number of loops around a block.
    pub fn loop_depth(&self, block: BlockId) -> u32 {
        self.loop_depths[block.index()]
    }

    /// Every loop as the first and the last block of its body, inner loops first.
    pub fn loops(&self) -> &[(BlockId, BlockId)] {
        &self.loops
    }

    /// The innermost level of nesting that contains a block; `None` outside all conditionals and loops, where all
    /// channels of the thread are enabled except halted ones.
    pub fn level(&self, block: BlockId) -> Option<NodeId> {
        self.levels[block.index()]
    }

    /// The level of nesting around a level.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].parent
    }

    /// Number of levels of nesting. The [`NodeId`]s are the numbers below it; a parent has a lower one than its
    /// children.
    pub fn level_count(&self) -> usize {
        self.nodes.len()
    }

    /// All levels of nesting, parents before children.
    pub fn level_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Blocks at whose start channels are parked while others run inside a level. Those of the enclosing levels are
    /// not included.
    pub fn parked(&self, node: NodeId) -> &[BlockId] {
        &self.nodes[node.index()].parked
    }

    /// The block at which halted channels are parked, and the first block that halts channels.
    pub fn halt(&self) -> Option<(BlockId, BlockId)> {
        self.halt_target.zip(self.first_halt)
    }
}

impl Open {
    /// The level of nesting that the structure opens.
    fn node(&self) -> NodeId {
        match self {
            Open::If { node, .. } | Open::Loop { node, .. } => *node,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Flag, Operand};
    use crestline_isa::Type;

    const FLAG: Flag = Flag::Fixed(0);

    fn edges(cfg: &Cfg, block: u32) -> Vec<(u32, EdgeKind)> {
        cfg.succs(BlockId(block)).iter().map(|e| (e.to.0, e.kind)).collect()
    }

    #[test]
    fn conditionals_have_arms_and_parking_places() {
        let mut f = Function::new(8);
        let mut b = Builder::new(&mut f);
        b.if_(FLAG, false);
        b.mov(Operand::null(Type::F), Operand::imm_f(1.0));
        b.else_();
        b.mov(Operand::null(Type::F), Operand::imm_f(1.0));
        b.endif();
        let cfg = Cfg::new(&f).unwrap();
        assert_eq!(edges(&cfg, 0), [(1, EdgeKind::Logical), (2, EdgeKind::Logical)]);
        assert_eq!(edges(&cfg, 1), [(2, EdgeKind::Physical), (3, EdgeKind::Logical)]);
        assert_eq!(edges(&cfg, 2), [(3, EdgeKind::Logical)]);
        let then = cfg.level(BlockId(1)).unwrap();
        assert_eq!(cfg.parked(then), [BlockId(2)]);
        assert_eq!(cfg.parked(cfg.level(BlockId(2)).unwrap()), [BlockId(3)]);
        assert_eq!(cfg.level(BlockId(3)), None);
    }

    #[test]
    fn loops_go_round_and_out() {
        let mut f = Function::new(8);
        let mut b = Builder::new(&mut f);
        b.mov(Operand::null(Type::F), Operand::imm_f(1.0));
        b.do_();
        b.predicated(FLAG, false).flow(Opcode::Break);
        b.mov(Operand::null(Type::F), Operand::imm_f(1.0));
        b.while_();
        b.mov(Operand::null(Type::F), Operand::imm_f(1.0));
        let cfg = Cfg::new(&f).unwrap();
        assert_eq!(edges(&cfg, 1), [(2, EdgeKind::Logical), (4, EdgeKind::Logical)]);
        assert_eq!(edges(&cfg, 3), [(4, EdgeKind::Physical), (1, EdgeKind::Logical)]);
        assert_eq!(cfg.loops(), [(BlockId(1), BlockId(3))]);
        assert_eq!(cfg.loop_depth(BlockId(2)), 1);
        assert_eq!(cfg.loop_depth(BlockId(4)), 0);
        assert_eq!(cfg.parked(cfg.level(BlockId(2)).unwrap()), [BlockId(4)]);
    }

    #[test]
    fn broken_nesting_is_an_error() {
        let mut f = Function::new(8);
        Builder::new(&mut f).endif();
        assert!(Cfg::new(&f).is_err());
        let mut f = Function::new(8);
        Builder::new(&mut f).do_();
        assert!(Cfg::new(&f).is_err());
        let mut f = Function::new(8);
        let mut b = Builder::new(&mut f);
        b.flow(Opcode::Halt);
        b.mov(Operand::null(Type::F), Operand::imm_f(1.0));
        assert!(Cfg::new(&f).is_err());
    }
}
