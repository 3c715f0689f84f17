//! Replaces scalar and vector variables by values; no load or store of them remains.
//!
//! One traversal of the code keeps the current value of every variable. An `If` gets a result for each variable that
//! is stored in it, a loop gets a parameter and a result; [`opt_dce`](super::opt_dce()) removes those that are not
//! used:
//!
//! ```text
//! if %c { store_var v0, %1; yield } else { yield }
//! %2 = load_var v0
//! ```
//!
//! becomes `%2 = if %c { yield %1 } else { yield %0 }`, if `%0` is the value before. A vector component selected at
//! run time becomes a chain of selects.

use std::rc::Rc;

use super::util::{Subst, prepend, walk};
use crate::ir::{
    AluOp, Builder, InstId, InstKind, PathStep, RegionId, Shader, Src, Srcs, Ty, Value, VarId,
    VarTy, WriteMask,
};

/// See the [module](self). Returns whether a load or store was removed.
pub fn opt_vars_to_ssa(shader: &mut Shader) -> bool {
    let mut types = vec![None; shader.vars.len()];
    for (ty, var) in types.iter_mut().zip(&shader.vars) {
        if let VarTy::Vector(leaf) = var.ty {
            *ty = Some(leaf);
        }
    }
    if shader.func.fuel.is_limited() {
        take_variables(shader, &mut types);
    }
    if types.iter().all(Option::is_none) {
        return false;
    }
    let body = shader.func.body();
    let mut pass = Pass {
        current: vec![None; types.len()],
        stored: vec![Vec::new(); shader.func.num_regions()],
        subst: Subst::default(),
        entry: Vec::new(),
        undo: Vec::new(),
        progress: false,
        types,
        shader,
    };
    if !pass.find_stores(body) {
        return false;
    }
    pass.region(body, &Around::default());
    let Pass { entry, progress, .. } = pass;
    prepend(&mut shader.func, entry);
    progress
}

/// Takes fuel for each variable that is accessed, and removes from `types` those for which no fuel is left.
fn take_variables(shader: &mut Shader, types: &mut [Option<Ty>]) {
    let mut named = vec![false; types.len()];
    walk(&shader.func, |_, _, inst| {
        if let InstKind::LoadVar { var, .. } | InstKind::StoreVar { var, .. } =
            shader.func.inst(inst).kind
        {
            named[var.index()] = true;
        }
    });
    for ((ty, var), named) in types.iter_mut().zip(&shader.vars).zip(named) {
        let change = named && ty.is_some();
        if change && !shader.func.fuel.take(|| format!("variable {:?}", var.name)) {
            *ty = None;
        }
    }
}

struct Pass<'s> {
    shader: &'s mut Shader,
    /// The type of each variable that is replaced by values.
    types: Vec<Option<Ty>>,
    /// The current value of each variable; `None` for its initial value.
    current: Vec<Option<Value>>,
    /// The previous value of each variable that was stored, in order, to restore it at the end of a region.
    undo: Vec<(VarId, Option<Value>)>,
    /// The variables stored in each region, sorted.
    stored: Vec<Vec<VarId>>,
    subst: Subst,
    /// Initial values, made when needed, to be inserted at the start of the function.
    entry: Vec<InstId>,
    progress: bool,
}

/// The variables whose values each kind of jump passes.
#[derive(Clone, Default)]
struct Around {
    /// For `Yield`: the variables stored in the enclosing `If`.
    if_vars: Rc<[VarId]>,
    /// For `Break` and `Continue`: the variables stored in the enclosing loop.
    loop_vars: Rc<[VarId]>,
}

impl Pass<'_> {
    /// Records which of the variables each region stores. Returns whether the region accesses any of them.
    fn find_stores(&mut self, region: RegionId) -> bool {
        let mut found = false;
        let mut stored = Vec::new();
        for i in 0..self.shader.func.region(region).insts.len() {
            let inst = self.shader.func.region(region).insts[i];
            match self.shader.func.inst(inst).kind {
                InstKind::LoadVar { var, .. } => found |= self.types[var.index()].is_some(),
                InstKind::StoreVar { var, .. } if self.types[var.index()].is_some() => {
                    found = true;
                    stored.push(var);
                }
                _ => {
                    for inner in self.shader.func.inst(inst).kind.regions() {
                        found |= self.find_stores(inner);
                        stored.extend_from_slice(&self.stored[inner.index()]);
                    }
                }
            }
        }
        stored.sort_unstable();
        stored.dedup();
        self.stored[region.index()] = stored;
        found
    }

    /// The variables that are stored in any region of `inst`.
    fn stored_in(&self, inst: InstId) -> Vec<VarId> {
        let regions = self.shader.func.inst(inst).kind.regions();
        let mut vars: Vec<VarId> =
            regions.flat_map(|r| self.stored[r.index()].iter().copied()).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Replaces the loads and stores in a region.
    fn region(&mut self, region: RegionId, around: &Around) {
        let insts = std::mem::take(&mut self.shader.func.region_mut(region).insts);
        for inst in insts {
            self.subst.apply(&mut self.shader.func, inst);
            self.shader.func.set_loc_from(inst);
            let kept = match self.shader.func.inst(inst).kind.clone() {
                InstKind::LoadVar { var, path } if self.is_value(var) => {
                    self.load(region, inst, var, &path);
                    false
                }
                InstKind::StoreVar { var, path, data, mask } if self.is_value(var) => {
                    self.store(region, var, &path, data, mask);
                    false
                }
                _ => true,
            };
            if !kept {
                self.progress = true;
                continue;
            }
            self.shader.func.region_mut(region).insts.push(inst);
            match self.shader.func.inst(inst).kind {
                InstKind::If { then, else_, .. } => self.if_(inst, then, else_, around),
                InstKind::Loop { body, continuing, .. } => self.loop_(inst, body, continuing),
                InstKind::Yield(_) => self.jump(inst, &around.if_vars),
                InstKind::Break(_) | InstKind::Continue(_) => self.jump(inst, &around.loop_vars),
                _ => {}
            }
        }
    }

    /// Whether the pass replaces the variable by values.
    fn is_value(&self, var: VarId) -> bool {
        self.types[var.index()].is_some()
    }

    /// The current value of a variable.
    fn get(&mut self, var: VarId) -> Value {
        let i = var.index();
        if let Some(value) = self.current[i] {
            return value;
        }
        let ty = self.types[i].unwrap_or(Ty::X32);
        let kind = match &self.shader.vars[i].init {
            Some(init) => {
                let mut bits = [0; 4];
                for (bits, &init) in bits.iter_mut().zip(init).take(ty.comps()) {
                    *bits = init & ty.mask();
                }
                InstKind::Const(bits)
            }
            None => InstKind::Undef,
        };
        let inst = self.shader.func.add_inst(kind, &[ty]);
        self.entry.push(inst);
        let value = self.shader.func.inst(inst).results[0];
        // Not on the undo list: this value is defined at the start of the function, so it stays valid everywhere.
        self.current[i] = Some(value);
        value
    }

    /// Sets the current value of a variable.
    fn set(&mut self, var: VarId, value: Value) {
        let old = self.current[var.index()].replace(value);
        self.undo.push((var, old));
    }

    /// Undoes all assignments since the undo list had `mark` entries.
    fn go_back(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((var, old)) = self.undo.pop() {
                self.current[var.index()] = old;
            }
        }
    }

    /// Replaces the result of a load by the variable's current value or a component of it.
    fn load(&mut self, region: RegionId, inst: InstId, var: VarId, path: &[PathStep]) {
        let value = self.get(var);
        let func = &mut self.shader.func;
        let result = func.inst(inst).results[0];
        let by = match path.first() {
            None => Src::new(value),
            Some(PathStep::Const(comp)) => Src::comp(value, *comp as usize),
            Some(PathStep::Dyn(index)) => {
                let mut b = Builder::new(func, region);
                let ty = b.func.ty(value);
                let mut picked = Src::comp(value, 0);
                for comp in 1..ty.comps() {
                    let is_it = is_comp(&mut b, *index, comp);
                    let next = Src::comp(value, comp);
                    picked = b.alu_ty(AluOp::Select, ty.scalar(), &[is_it, next, picked]).into();
                }
                picked
            }
        };
        self.subst.insert(result, by);
    }

    /// Computes the variable's value after a store.
    fn store(
        &mut self,
        region: RegionId,
        var: VarId,
        path: &[PathStep],
        data: Src,
        mask: WriteMask,
    ) {
        let old = self.get(var);
        let mut b = Builder::new(&mut self.shader.func, region);
        let ty = b.func.ty(old);
        let mut comps: Vec<Src> = (0..ty.comps()).map(|c| Src::comp(old, c)).collect();
        match path.first() {
            None => {
                for c in (0..ty.comps()).filter(|&c| mask.has(c)) {
                    comps[c] = data.select(c);
                }
            }
            Some(PathStep::Const(comp)) => comps[*comp as usize] = data.select(0),
            Some(PathStep::Dyn(index)) => {
                for (c, comp) in comps.iter_mut().enumerate() {
                    let is_it = is_comp(&mut b, *index, c);
                    let srcs = [is_it, data.select(0), *comp];
                    *comp = b.alu_ty(AluOp::Select, ty.scalar(), &srcs).into();
                }
            }
        }
        let whole = comps.iter().enumerate().all(|(c, s)| *s == Src::comp(comps[0].value, c));
        let new =
            if whole && b.func.ty(comps[0].value) == ty { comps[0].value } else { b.vec(&comps) };
        self.set(var, new);
    }

    /// Appends the current values of `vars` to the sources of a jump.
    fn jump(&mut self, inst: InstId, vars: &[VarId]) {
        let values: Srcs = vars.iter().map(|&var| Src::new(self.get(var))).collect();
        if let InstKind::Yield(srcs) | InstKind::Break(srcs) | InstKind::Continue(srcs) =
            self.shader.func.kind_mut(inst)
        {
            srcs.extend(values);
        }
    }

    /// Adds a result to `inst` for each of `vars`, which becomes the variable's current value.
    fn add_results(&mut self, inst: InstId, vars: &[VarId]) {
        for &var in vars {
            if let Some(ty) = self.types[var.index()] {
                let value = self.shader.func.add_result(inst, ty);
                self.set(var, value);
            }
        }
    }

    /// Adds a parameter to `region` for each of `vars`, which becomes the variable's current value.
    fn add_params(&mut self, region: RegionId, vars: &[VarId]) {
        for &var in vars {
            if let Some(ty) = self.types[var.index()] {
                let value = self.shader.func.add_param(region, ty);
                self.set(var, value);
            }
        }
    }

    /// Processes both regions of an `If`, and adds a result for each variable that one of them stores.
    fn if_(&mut self, inst: InstId, then: RegionId, else_: RegionId, around: &Around) {
        let if_vars = self.stored_in(inst).into();
        let around = Around { if_vars, loop_vars: Rc::clone(&around.loop_vars) };
        let mark = self.undo.len();
        for region in [then, else_] {
            self.region(region, &around);
            self.go_back(mark);
        }
        self.add_results(inst, &around.if_vars);
    }

    /// Processes the regions of a loop. Adds a parameter and a result for each variable that they store.
    fn loop_(&mut self, inst: InstId, body: RegionId, continuing: Option<RegionId>) {
        let loop_vars: Rc<[VarId]> = self.stored_in(inst).into();
        let first: Srcs = loop_vars.iter().map(|&var| Src::new(self.get(var))).collect();
        if let InstKind::Loop { init, .. } = self.shader.func.kind_mut(inst) {
            init.extend(first);
        }
        let around = Around { if_vars: Rc::default(), loop_vars };
        let mark = self.undo.len();
        for region in [Some(body), continuing].into_iter().flatten() {
            self.add_params(region, &around.loop_vars);
            self.region(region, &around);
            self.go_back(mark);
        }
        self.add_results(inst, &around.loop_vars);
    }
}

/// Whether a dynamic index equals `comp`.
fn is_comp(b: &mut Builder<'_>, index: Src, comp: usize) -> Src {
    let comp = b.imm(comp as u32);
    b.alu_ty(AluOp::IEq, Ty::BOOL, &[index, comp.into()]).into()
}
