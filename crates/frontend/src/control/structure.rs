//! Nests the blocks of a function by their merge instructions. The first step of [`control`](super).
//!
//! The builder follows branches from the entry block. It keeps a stack of [`Frame`]s: the constructs around the code
//! being built. A branch to a block that ends a construct of the stack (merge block, continue target, loop header)
//! becomes an [`Exit`]; any other branch continues with the target block in the same sequence.
//!
//! Optimizers also write blocks that several branches of a construct enter although no merge instruction names them, for instance if
//! they declare a merge block that cannot be reached. The builder starts again after it has found such a *join*: the nearest block
//! that dominates the join then gets a construct that ends at the join.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use rspirv::spirv::Op;

use super::dominators::{Dominators, literal_words, selector_bits, successors};
use super::{Cond, Exit, Label, LoopId, Node, RETURN, Search, Seq, Switch, Tree, tidy};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{Func, Globals, Inst, Merge, Module};

/// Depth to which constructs may nest, because walks over the tree are recursive.
const MAX_DEPTH: usize = 128;

/// Switches with more targets than this are translated to a binary search.
const LINEAR_TARGETS: usize = 5;

/// A construct around the code being built, with the blocks that end it.
#[derive(Debug)]
enum Frame {
    /// A selection: a branch to `merge` exits to `label`.
    Selection { merge: usize, label: Label },
    /// The target blocks of a switch and their labels: a branch from one case to another falls through.
    Targets(HashMap<usize, Label>),
    /// The body of a loop: blocks by index.
    Body { id: LoopId, header: usize, merge: usize, cont: usize },
    /// The continue construct of a loop: a branch to the header exits to `label`, the construct's end.
    Continuing { id: LoopId, header: usize, merge: usize, label: Label },
}

/// The most builds of a function after the first.
const MAX_BUILDS: usize = 16;

/// The joins that no merge instruction names, by the block that dominates them, and whether they come before the merge block that
/// this block names: then their constructs are inside of that one. The joins are in reverse order.
type Joins = HashMap<(usize, bool), Vec<usize>>;

struct Builder<'m, 'w> {
    module: &'m Module<'w>,
    globals: &'m Globals,
    func: &'m Func,
    joins: &'m Joins,
    /// The block that is entered by several branches, if that is why the build failed.
    entered_again: Option<usize>,
    frames: Vec<Frame>,
    /// Per block, whether the tree contains it already.
    placed: Vec<bool>,
    /// Per label, whether an exit goes to it.
    reached: Vec<bool>,
    /// Per loop, whether there are exits that break it, and that continue it.
    loops: Vec<(bool, bool)>,
    /// Number of calls of `walk` in progress.
    depth: usize,
    tree: Tree,
}

/// Returns the structured form of `func`.
pub(crate) fn structure(module: &Module<'_>, globals: &Globals, func: &Func) -> Result<Tree> {
    if func.blocks.is_empty() {
        let detail = "expected a body, found a declaration";
        return Err(module.insts[func.inst].error(ErrorCode::BadFunction, detail));
    }
    let (result, again) = build(module, globals, func, &Joins::new());
    let Some(again) = again else { return result };
    let dominators = Dominators::of(module, globals, func);
    let mut joins = Joins::new();
    let mut wanted = unnamed_joins(module, globals, func, &dominators);
    if !wanted.contains(&again) {
        wanted.push(again);
    }
    for _ in 0..MAX_BUILDS {
        for join in std::mem::take(&mut wanted) {
            let Some(head) = dominators.immediate(join) else { continue };
            let merge = func.blocks[head]
                .merge
                .map(|(Merge::Loop(merge, _) | Merge::Selection(merge))| merge);
            let merge = merge.and_then(|label| func.by_label.get(&label).copied());
            let before = |merge| dominators.is_before(join, merge);
            let known = joins.entry((head, merge.is_some_and(before))).or_default();
            if known.contains(&join) {
                return result;
            }
            known.push(join);
            known.sort_by_key(|&block| std::cmp::Reverse(dominators.position[block]));
        }
        let (result, again) = build(module, globals, func, &joins);
        let Some(join) = again else { return result };
        wanted.push(join);
    }
    build(module, globals, func, &joins).0
}

/// The blocks that several branches enter from before, and that no merge instruction or switch names.
fn unnamed_joins(
    module: &Module<'_>,
    globals: &Globals,
    func: &Func,
    dominators: &Dominators,
) -> Vec<usize> {
    let mut named = vec![false; func.blocks.len()];
    for (at, block) in func.blocks.iter().enumerate() {
        let labels = match block.merge {
            Some(Merge::Loop(merge, cont)) => {
                named[at] = true;
                [Some(merge), Some(cont)]
            }
            Some(Merge::Selection(merge)) => [Some(merge), None],
            None => [None, None],
        };
        for label in labels.into_iter().flatten() {
            if let Some(&merge) = func.by_label.get(&label) {
                named[merge] = true;
            }
        }
        if module.insts[block.terminator].op == Op::Switch {
            successors(module, globals, func, at)
                .into_iter()
                .for_each(|target| named[target] = true);
        }
    }
    (0..func.blocks.len()).filter(|&block| !named[block] && dominators.entries[block] > 1).collect()
}

/// Builds the structured form with these joins. On failure, returns also the block that is entered again, if that is the reason.
fn build(
    module: &Module<'_>,
    globals: &Globals,
    func: &Func,
    joins: &Joins,
) -> (Result<Tree>, Option<usize>) {
    let mut builder = Builder {
        module,
        globals,
        func,
        joins,
        entered_again: None,
        frames: Vec::new(),
        placed: vec![false; func.blocks.len()],
        reached: vec![false],
        loops: Vec::new(),
        depth: 0,
        tree: Tree { body: Vec::new(), switches: HashMap::new(), return_values: 0 },
    };
    match builder.walk(0) {
        Ok(body) => {
            builder.tree.body = tidy::tidy(body, RETURN);
            (Ok(builder.tree), None)
        }
        Err(error) => (Err(error), builder.entered_again),
    }
}

impl<'w> Builder<'_, 'w> {
    /// Builds the code from block `start` on, up to a branch that leaves an enclosing construct.
    fn walk(&mut self, start: usize) -> Result<Seq> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let detail = format!("expected at most {MAX_DEPTH} levels of constructs");
            return Err(self.terminator_of(start).error(ErrorCode::Nesting, detail));
        }
        let mut seq = Vec::new();
        let mut next = Some(start);
        while let Some(block) = next {
            next = self.block(block, &mut seq)?;
        }
        self.depth -= 1;
        Ok(seq)
    }

    /// Appends one block, or the loop or selection that it heads. Returns the block that follows in the same sequence,
    /// if any.
    fn block(&mut self, block: usize, seq: &mut Seq) -> Result<Option<usize>> {
        if std::mem::replace(&mut self.placed[block], true) {
            self.entered_again = Some(block);
            let label = self.func.blocks[block].label;
            let detail = format!("expected a block that only one construct enters, found %{label}");
            return Err(self.terminator_of(block).error(ErrorCode::Unstructured, detail));
        }
        match self.func.blocks[block].merge {
            Some(Merge::Loop(merge, cont)) => {
                let (merge, cont) = (self.target(block, merge)?, self.target(block, cont)?);
                self.until_joins((block, false), seq, |t, seq| t.looped(block, merge, cont, seq))
            }
            Some(Merge::Selection(merge)) => {
                seq.push(Node::Block(block));
                let merge = self.target(block, merge)?;
                self.until_joins((block, false), seq, |t, seq| t.selection(block, merge, seq))
            }
            None => {
                seq.push(Node::Block(block));
                self.until_joins((block, false), seq, |t, seq| t.terminator(block, seq))
            }
        }
    }

    /// Appends what `build` appends, and encloses it in a construct for each join of `head` (see [`Joins`]). Returns the block that follows in the same sequence, if any.
    fn until_joins(
        &mut self,
        head: (usize, bool),
        seq: &mut Seq,
        build: impl FnOnce(&mut Self, &mut Seq) -> Result<Option<usize>>,
    ) -> Result<Option<usize>> {
        let Some(joins) = self.joins.get(&head) else { return build(self, seq) };
        let mut labels = Vec::new();
        for &merge in joins {
            let label = self.new_label();
            self.frames.push(Frame::Selection { merge, label });
            labels.push(label);
        }
        let mut body = Vec::new();
        let mut next = build(self, &mut body)?;
        for (&join, &label) in joins.iter().zip(&labels).rev() {
            if let Some(block) = next.take() {
                body.extend(self.walk(block)?);
            }
            self.frames.pop();
            body = vec![Node::Labelled { label, body }];
            next = self.reached[label as usize].then_some(join);
        }
        seq.append(&mut body);
        Ok(next)
    }

    /// Appends the loop with that header, merge block and continue target. Returns the merge block if the loop can be
    /// left and the merge block does not end an outer construct.
    fn looped(
        &mut self,
        header: usize,
        merge: usize,
        cont: usize,
        seq: &mut Seq,
    ) -> Result<Option<usize>> {
        let id = self.loops.len() as LoopId;
        self.loops.push((false, false));
        self.frames.push(Frame::Body { id, header, merge, cont });
        let mut body = vec![Node::Block(header)];
        let mut next =
            self.until_joins((header, true), &mut body, |t, body| t.terminator(header, body))?;
        if let Some(start) = next.take() {
            body.extend(self.walk(start)?);
        }
        self.frames.pop();
        let mut continuing = Vec::new();
        if cont != header && self.loops[id as usize].1 {
            let label = self.new_label();
            self.frames.push(Frame::Continuing { id, header, merge, label });
            let inner = self.walk(cont)?;
            continuing.push(Node::Labelled { label, body: inner });
            self.frames.pop();
        }
        seq.push(Node::Loop { id, body, continuing });
        if self.loops[id as usize].0 { Ok(self.land(merge, seq)) } else { Ok(None) }
    }

    /// Appends the selection that `head` starts; `merge` is its merge block. Returns the block that follows, if any.
    fn selection(&mut self, head: usize, merge: usize, seq: &mut Seq) -> Result<Option<usize>> {
        // If the merge block also ends an outer construct, the exits to that construct suffice.
        if self.resolve(merge).is_some() {
            return self.until_joins((head, true), seq, |t, seq| t.terminator(head, seq));
        }
        let label = self.new_label();
        self.frames.push(Frame::Selection { merge, label });
        let mut body = Vec::new();
        let next = self.until_joins((head, true), &mut body, |t, seq| t.terminator(head, seq))?;
        if let Some(next) = next {
            body.extend(self.walk(next)?);
        }
        self.frames.pop();
        seq.push(Node::Labelled { label, body });
        Ok(self.reached[label as usize].then_some(merge))
    }

    /// Appends the branch that ends a block. Returns the block that follows in the same sequence, if any.
    fn terminator(&mut self, block: usize, seq: &mut Seq) -> Result<Option<usize>> {
        let inst = self.terminator_of(block);
        match inst.op {
            Op::Branch => {
                let to = self.target(block, inst.word(0)?)?;
                Ok(self.go(block, to, seq))
            }
            Op::BranchConditional => {
                let yes = self.target(block, inst.word(1)?)?;
                let no = self.target(block, inst.word(2)?)?;
                if yes == no {
                    return Ok(self.go(block, yes, seq));
                }
                let cond = Cond::Value(inst.word(0)?);
                // If one side leaves a construct, the other side follows in the same sequence.
                match (self.resolve(yes).is_some(), self.resolve(no).is_some()) {
                    (true, false) => {
                        let then = self.arm(block, yes)?;
                        seq.push(Node::If { cond, then, else_: vec![] });
                        Ok(self.go(block, no, seq))
                    }
                    (false, true) => {
                        let else_ = self.arm(block, no)?;
                        seq.push(Node::If { cond, then: vec![], else_ });
                        Ok(self.go(block, yes, seq))
                    }
                    _ => {
                        let then = self.arm(block, yes)?;
                        let else_ = self.arm(block, no)?;
                        seq.push(Node::If { cond, then, else_ });
                        Ok(None)
                    }
                }
            }
            Op::Switch => {
                self.switch(block, &inst, seq)?;
                Ok(None)
            }
            Op::ReturnValue => {
                self.tree.return_values += 1;
                seq.extend([Node::ReturnValue(block), Node::Exit(Exit::Label(RETURN))]);
                Ok(None)
            }
            Op::Return => {
                seq.push(Node::Exit(Exit::Label(RETURN)));
                Ok(None)
            }
            Op::Unreachable => {
                seq.push(Node::Exit(Exit::Unreachable));
                Ok(None)
            }
            Op::Kill | Op::TerminateInvocation => {
                seq.push(Node::Exit(Exit::Kill(block)));
                Ok(None)
            }
            _ => {
                Err(inst
                    .error(ErrorCode::Unsupported, "expected a terminator that Crestline supports"))
            }
        }
    }

    /// Appends the branch from `from` to `to`. Returns `to`, or `None` if the branch leaves a construct.
    fn go(&mut self, from: usize, to: usize, seq: &mut Seq) -> Option<usize> {
        if self.has_phis(to) {
            seq.push(Node::Edge { from, to });
        }
        self.land(to, seq)
    }

    /// Appends an exit if `to` ends an enclosing construct; otherwise returns `to`, the block to continue with.
    fn land(&mut self, to: usize, seq: &mut Seq) -> Option<usize> {
        let Some(exit) = self.resolve(to) else { return Some(to) };
        match exit {
            Exit::Label(label) => self.reached[label as usize] = true,
            Exit::Break(id) => self.loops[id as usize].0 = true,
            Exit::Continue(id) => self.loops[id as usize].1 = true,
            Exit::Unreachable | Exit::Kill(_) => {}
        }
        seq.push(Node::Exit(exit));
        None
    }

    /// Builds one side of a branch: the code from `to` on.
    fn arm(&mut self, from: usize, to: usize) -> Result<Seq> {
        let mut seq = Vec::new();
        if let Some(next) = self.go(from, to, &mut seq) {
            seq.extend(self.walk(next)?);
        }
        Ok(seq)
    }

    /// The exit that a branch to `to` is, or `None` if `to` ends no enclosing construct. Inner constructs come first.
    fn resolve(&self, to: usize) -> Option<Exit> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Selection { merge, label } => (*merge == to).then_some(Exit::Label(*label)),
            Frame::Targets(targets) => targets.get(&to).map(|&label| Exit::Label(label)),
            Frame::Body { id, header, merge, cont } => {
                if *merge == to {
                    Some(Exit::Break(*id))
                } else if *cont == to || *header == to {
                    // A back edge from the body is valid only if the header is also the continue target: otherwise it
                    // would skip the continue construct. If it is, `continuing` is empty, so the edge is a `continue`.
                    (*cont == to || cont == header).then_some(Exit::Continue(*id))
                } else {
                    None
                }
            }
            Frame::Continuing { id, header, merge, label } => {
                if *merge == to {
                    Some(Exit::Break(*id))
                } else {
                    (*header == to).then_some(Exit::Label(*label))
                }
            }
        })
    }

    /// Appends a switch. Targets that fall through to each other form a group; the groups become a chain of `if`s, or a
    /// binary search if there are many groups or one has several targets. The search is over the selector if the literals
    /// are consecutive and those of each group are, and over target numbers otherwise.
    ///
    /// A group of target `a` that falls through to target `b` becomes
    ///
    /// ```text
    /// labelled b { if the selected target is b { } else { code of a, which may exit to b } }; code of b
    /// ```
    fn switch(&mut self, head: usize, inst: &Inst<'w>, seq: &mut Seq) -> Result<()> {
        let Some(bits) = selector_bits(self.module, self.globals, inst) else {
            return Err(inst.error(ErrorCode::OperandType, "expected an integer selector"));
        };
        let (blocks, mut switch) = self.switch_targets(head, inst, literal_words(bits))?;
        let labels: Vec<Label> = blocks.iter().map(|_| self.new_label()).collect();
        let inside: Vec<bool> = blocks.iter().map(|&b| self.resolve(b).is_none()).collect();
        let targets =
            (0..blocks.len()).filter(|&i| inside[i]).map(|i| (blocks[i], labels[i])).collect();
        self.frames.push(Frame::Targets(targets));
        let mut bodies = Vec::new();
        for (i, &block) in blocks.iter().enumerate() {
            let mut body = Vec::new();
            if inside[i] {
                body = self.walk(block)?;
            } else {
                self.land(block, &mut body);
            }
            bodies.push(body);
        }
        self.frames.pop();

        // `falls[i]`: the target that target `i` falls through to.
        let mut falls = vec![None; blocks.len()];
        let mut fallen_into = vec![false; blocks.len()];
        for (i, body) in bodies.iter().enumerate() {
            for label in own_labels(body, &labels) {
                let j = (label - labels[0]) as usize;
                if i == j || falls[i].is_some() || std::mem::replace(&mut fallen_into[j], true) {
                    return Err(inst.error(
                        ErrorCode::Unstructured,
                        "expected each case to fall through to at most one case, which no other case falls through to",
                    ));
                }
                falls[i] = Some(j);
            }
        }

        let mut groups = Vec::new();
        for first in (0..blocks.len()).filter(|&i| !fallen_into[i]) {
            let mut members = vec![first];
            while let Some(next) = falls[members[members.len() - 1]] {
                members.push(next);
            }
            groups.push(members);
        }
        if groups.iter().map(Vec::len).sum::<usize>() != blocks.len() {
            let detail =
                "expected a last case that falls through to no other, found a cycle of cases";
            return Err(inst.error(ErrorCode::Unstructured, detail));
        }
        if groups.iter().any(|g| g.len() > MAX_DEPTH) {
            let detail = format!("expected at most {MAX_DEPTH} cases that fall through");
            return Err(inst.error(ErrorCode::Nesting, detail));
        }
        // The group with the default is last, so it needs no comparison: control gets there if no literal matches.
        groups.sort_by_key(|g| g.contains(&switch.default));

        seq.push(Node::Switch(head));
        let mut grouped: Vec<Group> = Vec::new();
        for members in groups {
            let mut code = Vec::new();
            for (n, &target) in members.iter().enumerate() {
                let mut enter = Vec::new();
                if self.has_phis(blocks[target]) {
                    enter.push(Node::Edge { from: head, to: blocks[target] });
                }
                if n > 0 {
                    let cond = Cond::Target { head, target };
                    let choice = Node::If { cond, then: enter, else_: code };
                    enter = vec![Node::Labelled { label: labels[target], body: vec![choice] }];
                }
                // If the target is outside the switch, its body is only an exit. The edge before it assigns the phis.
                enter.append(&mut bodies[target]);
                code = enter;
            }
            grouped.push(Group { members, code });
        }
        if grouped.len() <= LINEAR_TARGETS && grouped.iter().all(|g| g.members.len() == 1) {
            seq.extend(linear(head, grouped));
        } else {
            match by_offsets(&switch, &mut grouped, u64::MAX >> (64 - bits)) {
                Some(offsets) => switch.search = offsets,
                None => {
                    switch.search = Search::Targets;
                    renumber(&mut switch, &mut grouped);
                }
            }
            seq.extend(search(head, grouped));
        }
        self.tree.switches.insert(head, switch);
        Ok(())
    }

    /// The distinct target blocks of a switch, and the literals that select each. A literal has `words` words.
    fn switch_targets(
        &self,
        head: usize,
        inst: &Inst<'w>,
        words: usize,
    ) -> Result<(Vec<usize>, Switch)> {
        let pairs = inst.rest(2).chunks_exact(words + 1);
        if !pairs.remainder().is_empty() {
            let detail = "expected a label after each literal";
            return Err(inst.error(ErrorCode::MissingOperand, detail));
        }
        let mut blocks: Vec<usize> = Vec::new();
        let mut index: HashMap<usize, usize> = HashMap::new();
        let mut switch = Switch::default();
        let mut add = |block: usize, literal: Option<u64>, switch: &mut Switch| {
            let target = *index.entry(block).or_insert_with(|| {
                blocks.push(block);
                switch.literals.push(vec![]);
                blocks.len() - 1
            });
            switch.literals[target].extend(literal);
            target
        };
        for pair in pairs {
            let literal = pair[..words].iter().rev().fold(0u64, |n, &w| n << 32 | u64::from(w));
            add(self.target(head, pair[words])?, Some(literal), &mut switch);
        }
        switch.default = add(self.target(head, inst.word(1)?)?, None, &mut switch);
        Ok((blocks, switch))
    }

    fn new_label(&mut self) -> Label {
        self.reached.push(false);
        (self.reached.len() - 1) as Label
    }

    /// Whether a block begins with phis.
    fn has_phis(&self, block: usize) -> bool {
        let range = self.func.blocks[block].insts.clone();
        let insts = self.module.insts[range].iter();
        // Phis are the first instructions of a block, apart from debug lines.
        insts
            .take_while(|i| matches!(i.op, Op::Phi | Op::Line | Op::NoLine))
            .any(|i| i.op == Op::Phi)
    }

    /// The index of the block with the id `label`. `block` contains the branch, which errors refer to.
    fn target(&self, block: usize, label: u32) -> Result<usize> {
        self.func.by_label.get(&label).copied().ok_or_else(|| self.missing(block, label))
    }

    fn missing(&self, block: usize, label: u32) -> FrontendError {
        let detail = format!("expected a block of the function, found %{label}");
        self.terminator_of(block).error(ErrorCode::MissingBlock, detail)
    }

    fn terminator_of(&self, block: usize) -> Inst<'w> {
        self.module.insts[self.func.blocks[block].terminator]
    }
}

/// Targets of a switch that fall through to each other in order, and their code.
struct Group {
    members: Vec<usize>,
    code: Seq,
}

/// The subset of `labels`, which are consecutive, to which the code contains exits.
fn own_labels(seq: &[Node], labels: &[Label]) -> BTreeSet<Label> {
    let found = RefCell::new(BTreeSet::new());
    super::any_exit(seq, &|exit| {
        if let Exit::Label(label) = exit
            && labels.first().is_some_and(|&first| label >= first)
            && labels.last().is_some_and(|&last| label <= last)
        {
            found.borrow_mut().insert(label);
        }
        false
    });
    found.into_inner()
}

/// A chain of `if`s, one per group except the last, which is the final `else`.
fn linear(head: usize, groups: Vec<Group>) -> Seq {
    let mut chain: Option<Seq> = None;
    for group in groups.into_iter().rev() {
        chain = Some(match chain {
            None => group.code,
            Some(else_) => {
                let cond = Cond::Target { head, target: group.members[0] };
                vec![Node::If { cond, then: group.code, else_ }]
            }
        });
    }
    chain.unwrap_or_default()
}

/// Sorts the groups of a switch by their literals, so that a search can compare the selector; `None`, with the groups as they
/// were, if that is not possible. The default is the last group before and after. `mask` has the bits of the selector's type.
fn by_offsets(switch: &Switch, groups: &mut [Group], mask: u64) -> Option<Search> {
    let (default, others) = groups.split_last_mut()?;
    if default.members.len() > 1 {
        return None;
    }
    let literals = |group: &Group| -> Vec<u64> {
        let all = group.members.iter().flat_map(|&target| &switch.literals[target]);
        all.map(|literal| literal & mask).collect()
    };
    let mut all: Vec<u64> = others.iter().flat_map(literals).collect();
    all.sort_unstable();
    let count = all.len() as u64;
    let follows = |pair: &[u64]| pair[1].wrapping_sub(pair[0]) & mask == 1;
    let mut gaps = all.windows(2).enumerate().filter(|(_, pair)| !follows(pair));
    // Consecutive literals may start with negative ones, which are the greatest bit patterns.
    let first = match (gaps.next(), gaps.next()) {
        (None, _) => *all.first()?,
        (Some((gap, _)), None) if follows(&[*all.last()?, all[0]]) => all[gap + 1],
        _ => return None,
    };
    if count > mask {
        return None;
    }
    let mut starts = vec![count; switch.literals.len()];
    for group in others.iter() {
        let mut offsets: Vec<u64> =
            literals(group).iter().map(|literal| literal.wrapping_sub(first) & mask).collect();
        offsets.sort_unstable();
        if offsets.is_empty() || !offsets.windows(2).all(follows) {
            return None;
        }
        for &target in &group.members {
            starts[target] = offsets[0];
        }
    }
    others.sort_by_key(|group| starts[group.members[0]]);
    Some(Search::Offsets { first, starts })
}

/// Renumbers the targets in the order of their groups, so that each half of the groups is a range of numbers.
fn renumber(switch: &mut Switch, groups: &mut [Group]) {
    let order: Vec<usize> = groups.iter().flat_map(|g| g.members.iter().copied()).collect();
    let mut number = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old] = new;
    }
    switch.literals = order.iter().map(|&old| std::mem::take(&mut switch.literals[old])).collect();
    switch.default = number[switch.default];
    for group in groups {
        for member in &mut group.members {
            *member = number[*member];
        }
        renumber_seq(&mut group.code, &number, group.members.len());
    }
}

/// Renumbers the conditions of the fall-through chain at the start of the code of a group with `depth` targets.
fn renumber_seq(seq: &mut Seq, number: &[usize], depth: usize) {
    if depth < 2 {
        return;
    }
    if let Some(Node::Labelled { body, .. }) = seq.first_mut()
        && let Some(Node::If { cond: Cond::Target { target, .. }, else_, .. }) = body.first_mut()
    {
        *target = number[*target];
        renumber_seq(else_, number, depth - 1);
    }
}

/// A binary search for the group that contains the selected target.
fn search(head: usize, mut groups: Vec<Group>) -> Seq {
    if groups.len() < 2 {
        return groups.pop().map_or_else(Vec::new, |g| g.code);
    }
    let upper = groups.split_off(groups.len() / 2);
    let cond = Cond::Below { head, target: upper[0].members[0] };
    vec![Node::If { cond, then: search(head, groups), else_: search(head, upper) }]
}
