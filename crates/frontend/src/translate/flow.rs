//! Emits the structured control flow of a function ([`control`](crate::control)) as IR regions, and resolves phis.
//!
//! The IR has `if` and `loop` only, and a `break` leaves only the innermost loop. So labelled code becomes a loop that
//! runs once, in which an exit to the label is a `break`. An exit out of several loops sets a flag and breaks the
//! innermost one; after each loop, code tests the flag and continues the exit:
//!
//! ```text
//! loop A { loop B { if c { break A } } }
//!   ->  loop A { flag = false; loop B { if c { flag = true; break } }; if flag { break } }
//! ```
//!
//! Each phi becomes a private variable, which the edges to its block write.

use std::rc::Rc;

use crestline_ssa::ir::{Access, AluOp, Builder, InstKind, RegionId, Src, Ty, Value, VarId, VarTy};
use rspirv::spirv::Op;

use super::pointer::{Base, Pointer};
use super::value::Val;
use super::{IrLoop, LoopKey, ReturnSlot, SwitchValue, Translator};
use crate::control::{Cond, Exit, Node, RETURN, Search, completes};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::Inst;

/// The most steps of work per allowed instruction. Inlined code may result in no instructions, but translating it takes
/// time.
const MAX_STEPS: usize = 8;

/// Depth to which regions may nest after inlining, because later passes are recursive over regions.
const MAX_DEPTH: usize = 256;

impl Translator<'_, '_> {
    /// Emits nodes into the current region. The caller adds the region's terminator if there is none.
    pub(super) fn seq(&mut self, nodes: &[Node]) -> Result<()> {
        for node in nodes {
            self.node(node)?;
        }
        Ok(())
    }

    /// Emits one node of the control flow tree.
    fn node(&mut self, node: &Node) -> Result<()> {
        match node {
            Node::Block(block) => self.block(*block),
            Node::Edge { from, to } => self.edge(*from, *to),
            Node::Switch(block) => self.switch(*block),
            Node::If { cond, then, else_ } => {
                let cond = self.cond(*cond)?;
                self.if_(cond, |t| t.seq(then), |t| t.seq(else_))
            }
            Node::Labelled { label, body } => {
                let exit = Exit::Label(*label);
                self.looped(LoopKey::Once(exit), false, |t| t.seq(body), None)
            }
            Node::Loop { id, body, continuing } => {
                // If control cannot reach the body's end, no `continue` is added there, which would look like an
                // endless loop.
                let goes_round = completes(body);
                let run_body = |t: &mut Self| t.seq(body);
                self.looped(LoopKey::Loop(*id), goes_round, run_body, Some(continuing))
            }
            Node::ReturnValue(block) => self.return_value(*block),
            Node::Exit(exit) => self.exit(*exit),
        }
    }

    /// Opens `region` and makes it the current one. Returns the previous one, for [`Translator::leave`].
    pub(super) fn enter(&mut self, region: RegionId) -> Result<RegionId> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let detail = format!("expected at most {MAX_DEPTH} levels after inlining");
            return Err(FrontendError::new(ErrorCode::Nesting, detail));
        }
        let outer = std::mem::replace(&mut self.region, region);
        self.set_active(region, true);
        Ok(outer)
    }

    /// Closes the current region; `outer` becomes the current one.
    pub(super) fn leave(&mut self, outer: RegionId) {
        self.depth -= 1;
        self.set_active(self.region, false);
        self.region = outer;
    }

    /// Whether the current region has its terminator.
    fn is_ended(&self) -> bool {
        let func = &self.shader.func;
        func.region(self.region).insts.last().is_some_and(|&i| func.inst(i).kind.is_terminator())
    }

    /// Appends an `if`; `then` and `else_` emit its sides.
    pub(super) fn if_(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self) -> Result<()>,
        else_: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (_, yes, no) = self.b().if_(cond);
        let outer = self.enter(yes)?;
        then(self)?;
        if !self.is_ended() {
            self.b().yield_(&[]);
        }
        self.leave(outer);
        let outer = self.enter(no)?;
        else_(self)?;
        if !self.is_ended() {
            self.b().yield_(&[]);
        }
        self.leave(outer);
        Ok(())
    }

    /// Appends an IR loop, whose body `body` emits: a loop of the shader, or code that runs once and that a `break`
    /// leaves. At the end of the body the loop continues if `goes_round` is set, else it is left. `continuing` is the
    /// code of the continue construct. Exits from inside the loop that leave an outer construct are continued after it.
    pub(super) fn looped(
        &mut self,
        key: LoopKey,
        goes_round: bool,
        body: impl FnOnce(&mut Self) -> Result<()>,
        continuing: Option<&[Node]>,
    ) -> Result<()> {
        let (inst, region) = self.b().loop_(&[]);
        let index = self.shader.func.region(self.region).insts.len() - 1;
        self.frame().loops.push(IrLoop { key, flags: Vec::new() });
        let outer = self.enter(region)?;
        body(self)?;
        if !self.is_ended() {
            if goes_round {
                self.b().continue_(&[]);
            } else {
                self.b().break_(&[]);
            }
        }
        self.leave(outer);
        if let Some(nodes) = continuing.filter(|nodes| !nodes.is_empty()) {
            let region = self.shader.func.add_region();
            let outer = self.enter(region)?;
            self.seq(nodes)?;
            if !self.is_ended() {
                self.b().continue_(&[]);
            }
            self.leave(outer);
            if let InstKind::Loop { continuing, .. } = self.shader.func.kind_mut(inst) {
                *continuing = Some(region);
            }
        }
        let flags = self.frame().loops.pop().map_or(Vec::new(), |l| l.flags);
        if flags.is_empty() {
            return Ok(());
        }
        // Flags of exits from inside this loop to an outer one: cleared before the loop, tested after it. The insertion
        // before the loop does not invalidate recorded positions (`Bound::pos`): no value was bound after the loop yet.
        let region = self.region;
        let mut b = Builder::at(&mut self.shader.func, region, index);
        let clear = b.imm_b(false);
        for &(_, flag) in &flags {
            b.store_var(flag, vec![], clear);
        }
        for (exit, flag) in flags {
            let taken = self.b().load_var(flag, vec![], Ty::BOOL);
            self.if_(taken, |t| t.exit(exit), |_| Ok(()))?;
        }
        Ok(())
    }

    /// Emits an exit. If the innermost loop is not the one to leave, it sets a flag and breaks the innermost loop.
    fn exit(&mut self, exit: Exit) -> Result<()> {
        let frame = self.frame();
        let wanted = match exit {
            Exit::Unreachable => return Ok(()),
            Exit::Kill(block) => return self.kill(block),
            Exit::Label(RETURN) if frame.ends => {
                self.b().return_();
                return Ok(());
            }
            Exit::Label(_) => LoopKey::Once(exit),
            Exit::Break(id) | Exit::Continue(id) => LoopKey::Loop(id),
        };
        match frame.loops.last_mut() {
            Some(innermost) if innermost.key == wanted => {
                match exit {
                    Exit::Continue(_) => self.b().continue_(&[]),
                    _ => self.b().break_(&[]),
                }
                Ok(())
            }
            Some(innermost) => {
                let known = innermost.flags.iter().find(|(e, _)| *e == exit).map(|&(_, v)| v);
                let flag = known.unwrap_or_else(|| self.new_flag(exit));
                let set = self.imm_bits(Ty::BOOL, [1, 0, 0, 0]);
                self.b().store_var(flag, vec![], set);
                self.b().break_(&[]);
                Ok(())
            }
            None => {
                let detail = format!("expected an enclosing construct for {exit:?}");
                Err(FrontendError::new(ErrorCode::Unstructured, detail))
            }
        }
    }

    /// Translates `OpKill` and `OpTerminateInvocation`: the invocation becomes a helper and returns from the shader, also
    /// from within calls. The derivatives of its neighbours are then undefined, which SPIR-V permits.
    fn kill(&mut self, block: usize) -> Result<()> {
        let inst = self.module.insts[self.frame().func.blocks[block].terminator];
        self.check_fragment(&inst)?;
        self.b().inst(InstKind::Demote, &[]);
        if self.frame().is_entry {
            self.b().return_();
            self.note_kill(self.region);
            return Ok(());
        }
        // The caller's code follows in the same region, but a `Return` must be the last instruction of its region.
        let always = self.imm_bits(Ty::BOOL, [1, 0, 0, 0]);
        let (_, then, else_) = self.b().if_(always);
        let mut b = Builder::new(&mut self.shader.func, then);
        b.return_();
        b.switch_to(else_);
        b.yield_(&[]);
        self.note_kill(then);
        Ok(())
    }

    /// Records the last instruction of a region as the `Return` of a kill.
    fn note_kill(&mut self, region: RegionId) {
        let last = self.shader.func.region(region).insts.last().copied();
        self.kills.extend(last.map(|inst| (inst, region)));
    }

    /// Adds a flag for `exit` to the innermost loop.
    fn new_flag(&mut self, exit: Exit) -> VarId {
        let flag = self.new_var(String::new(), VarTy::Vector(Ty::BOOL), None);
        if let Some(innermost) = self.frame().loops.last_mut() {
            innermost.flags.push((exit, flag));
        }
        flag
    }

    /// The value of a condition.
    fn cond(&mut self, cond: Cond) -> Result<Value> {
        match cond {
            Cond::Value(id) => {
                let (val, ty) = self.value(id)?;
                let value = self.as_leaf(&val, ty)?;
                if self.shader.func.ty(value) != Ty::BOOL {
                    let detail = format!("expected a boolean scalar as condition, found %{id}");
                    return Err(FrontendError::new(ErrorCode::OperandType, detail));
                }
                Ok(value)
            }
            Cond::Target { head, target } => {
                let switch = self.switch_value(head)?;
                let tree = self.frame().tree.clone();
                let found = &tree.switches[&head];
                match found.search {
                    Search::Targets => {
                        let target = self.imm(target as u32);
                        Ok(self.alu(AluOp::IEq, &[switch.compared, target]))
                    }
                    Search::Literals | Search::Offsets { .. } => {
                        Ok(self.any_equal(switch.selector, &found.literals[target]))
                    }
                }
            }
            Cond::Below { head, target } => {
                let switch = self.switch_value(head)?;
                let tree = self.frame().tree.clone();
                let start = match &tree.switches[&head].search {
                    Search::Offsets { starts, .. } => starts[target],
                    Search::Literals | Search::Targets => target as u64,
                };
                let ty = self.shader.func.ty(switch.compared);
                let start = self.imm_bits(ty, [start, 0, 0, 0]);
                Ok(self.alu(AluOp::ULt, &[switch.compared, start]))
            }
        }
    }

    fn switch_value(&mut self, head: usize) -> Result<SwitchValue> {
        self.frame().switches.get(&head).copied().ok_or_else(|| {
            FrontendError::new(ErrorCode::Unstructured, "expected the switch before its cases")
        })
    }

    /// Whether the selector is equal to one of the literals.
    fn any_equal(&mut self, selector: Value, literals: &[u64]) -> Value {
        let ty = self.shader.func.ty(selector);
        let mut any = None;
        for &literal in literals {
            let literal = self.imm_bits(ty, [literal & ty.mask(), 0, 0, 0]);
            let equal = self.alu(AluOp::IEq, &[selector, literal]);
            any = Some(match any {
                None => equal,
                Some(any) => self.alu(AluOp::IOr, &[any, equal]),
            });
        }
        any.unwrap_or_else(|| self.imm_bits(Ty::BOOL, [0; 4]))
    }

    /// Evaluates the selector of a switch, and what its conditions compare.
    fn switch(&mut self, head: usize) -> Result<()> {
        let inst = self.module.insts[self.frame().func.blocks[head].terminator];
        let selector = self.leaf(&inst, 0)?;
        let tree = self.frame().tree.clone();
        let switch = &tree.switches[&head];
        let compared = match switch.search {
            Search::Literals | Search::Offsets { first: 0, .. } => selector,
            Search::Offsets { first, .. } => {
                let ty = self.shader.func.ty(selector);
                let first = self.imm_bits(ty, [first, 0, 0, 0]);
                self.alu(AluOp::ISub, &[selector, first])
            }
            Search::Targets => {
                let mut chosen = self.imm(switch.default as u32);
                for (target, literals) in switch.literals.iter().enumerate() {
                    if target == switch.default || literals.is_empty() {
                        continue;
                    }
                    let hit = self.any_equal(selector, literals);
                    let this = self.imm(target as u32);
                    chosen = self.alu(AluOp::Select, &[hit, this, chosen]);
                }
                chosen
            }
        };
        self.frame().switches.insert(head, SwitchValue { selector, compared });
        self.check_budget()
    }

    /// Translates the instructions of a block. A phi is a load of its variable.
    fn block(&mut self, block: usize) -> Result<()> {
        let range = self.frame().func.blocks[block].insts.clone();
        let phis = phis(&self.module.insts[range.clone()]).count();
        for (index, number) in range.zip(0..) {
            let inst = self.module.insts[index];
            self.steps += 1;
            if inst.op == Op::Phi {
                self.set_loc(&inst);
                if number >= phis {
                    let detail = "expected phis before the other instructions of a block";
                    return Err(inst.error(ErrorCode::BadPhi, detail));
                }
                let var = self.phi_var(inst.result).map_err(|e| e.at(inst.position()))?;
                // The value must be loaded here: an edge may write the variable while the value is in use.
                let from = Pointer { base: Base::Var { var, path: vec![] }, pointee: inst.ty };
                let val = self.load(&from, Access::default()).map_err(|e| e.at(inst.position()))?;
                self.bind(inst.result, val);
            } else {
                self.inst(&inst).map_err(|e| e.at(inst.position()))?;
            }
            self.check_budget().map_err(|e| e.at(inst.position()))?;
        }
        // What follows implements the branch at the end of the block.
        let end = self.module.insts[self.frame().func.blocks[block].terminator];
        self.set_loc(&end);
        Ok(())
    }

    /// Assigns the phis of block `to` for a branch from `from`. All values are read before any phi's variable is
    /// written, because phis of the target may be among the values.
    fn edge(&mut self, from: usize, to: usize) -> Result<()> {
        let func = self.frame().func;
        let label = func.blocks[from].label;
        let mut moves = Vec::new();
        let module = self.module;
        for inst in phis(&module.insts[func.blocks[to].insts.clone()]) {
            if inst.op != Op::Phi {
                continue;
            }
            self.steps += 1;
            let pair = inst.operands.chunks_exact(2).find(|p| p[1] == label).ok_or_else(|| {
                inst.error(ErrorCode::BadPhi, format!("expected a value for block %{label}"))
            })?;
            let (val, ty) = self.value(pair[0]).map_err(|e| e.at(inst.position()))?;
            if ty != inst.ty {
                let detail = format!("expected a value of type %{}, found %{}", inst.ty, pair[0]);
                return Err(inst.error(ErrorCode::BadPhi, detail));
            }
            moves.push((*inst, val));
        }
        for (inst, val) in moves {
            let var = self.phi_var(inst.result).map_err(|e| e.at(inst.position()))?;
            self.store_var(var, &[], inst.ty, &val).map_err(|e| e.at(inst.position()))?;
        }
        Ok(())
    }

    /// The private variable of a phi, made on first use.
    fn phi_var(&mut self, id: u32) -> Result<VarId> {
        if let Some(&var) = self.frame().phis.get(&id) {
            return Ok(var);
        }
        let ty = self.module.def(id).map_or(0, |i| i.ty);
        match self.is_bulky(ty) {
            true => self.count_scalars(ty)?,
            false => self.check_parts(ty)?,
        }
        let shape = self.globals.types.var_ty(ty)?;
        let var = self.new_var(self.module.name(id).to_owned(), shape, None);
        self.frame().phis.insert(id, var);
        Ok(var)
    }

    /// Sets the result of the function to the value of the `OpReturnValue` that ends `block`.
    fn return_value(&mut self, block: usize) -> Result<()> {
        let inst = self.module.insts[self.frame().func.blocks[block].terminator];
        let (val, ty) = self.operand(&inst, 0)?;
        let declared = self.module.insts[self.frame().func.inst].ty;
        if ty != declared {
            let detail = format!("expected a value of type %{declared}, found %{ty}");
            return Err(inst.error(ErrorCode::BadCall, detail));
        }
        match self.frame().returns {
            // The function has only this return, so the caller can use the value.
            ReturnSlot::Bound(id) => self.bind(id, val),
            ReturnSlot::Var(var) => {
                self.store_var(var, &[], ty, &val).map_err(|e| e.at(inst.position()))?;
            }
            ReturnSlot::Nothing => {
                let detail = "expected no value from a function that returns void";
                return Err(inst.error(ErrorCode::BadCall, detail));
            }
        }
        Ok(())
    }

    /// Returns an error if the shader has too many instructions, or the translation has done too much work. Functions
    /// that append instructions call this, so that a hostile module cannot exhaust memory or time.
    pub(super) fn check_budget(&self) -> Result<()> {
        let (made, most) = (self.shader.func.num_insts(), self.max_insts);
        if made <= most && self.steps / MAX_STEPS <= most {
            return Ok(());
        }
        let detail = format!(
            "expected at most {most} instructions, and at most {} translation steps",
            most.saturating_mul(MAX_STEPS)
        );
        Err(FrontendError::new(ErrorCode::Budget, detail))
    }

    /// One operation on values whose types the caller has checked.
    pub(super) fn alu(&mut self, op: AluOp, srcs: &[Value]) -> Value {
        self.b().alu(op, srcs)
    }

    /// One operation with result type `ty`. A scalar operand is used for all components.
    pub(super) fn alu_splat(&mut self, op: AluOp, ty: Ty, srcs: &[Value]) -> Value {
        let srcs: Vec<Src> =
            srcs.iter()
                .map(|&v| {
                    if self.shader.func.ty(v).comps() == 1 { Src::comp(v, 0) } else { Src::new(v) }
                })
                .collect();
        self.b().alu_ty(op, ty, &srcs)
    }
}

/// The leading instructions of a block: phis, and debug lines between them.
fn phis<'a, 'w>(insts: &'a [Inst<'w>]) -> impl Iterator<Item = &'a Inst<'w>> {
    insts.iter().take_while(|i| matches!(i.op, Op::Phi | Op::Line | Op::NoLine))
}

/// The tree of a function, shared by all its calls.
pub(super) type SharedTree = Rc<crate::control::Tree>;

impl Translator<'_, '_> {
    /// Inserts the deferred stores, in one pass over each region that gets any.
    pub(super) fn place_deferred(&mut self) {
        let mut deferred = std::mem::take(&mut self.deferred);
        // The sort is stable, so stores for the same position stay in the order in which they were made.
        deferred.sort_by_key(|d| (d.region, d.pos));
        for group in deferred.chunk_by(|a, b| a.region == b.region) {
            let insts = &mut self.shader.func.region_mut(group[0].region).insts;
            let old = std::mem::take(insts);
            let mut stores = group.iter().peekable();
            for (pos, inst) in old.into_iter().enumerate() {
                while let Some(store) = stores.next_if(|d| d.pos <= pos) {
                    insts.push(store.inst);
                }
                insts.push(inst);
            }
            insts.extend(stores.map(|d| d.inst));
        }
    }

    /// The value that the only return of a function bound to the function's id.
    pub(super) fn take_bound(&mut self, id: u32) -> Result<Val> {
        Ok(self.value(id)?.0)
    }
}
