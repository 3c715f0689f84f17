//! Calls. The code of the callee is inlined at the call.

use std::collections::HashMap;
use std::rc::Rc;

use super::pointer::{Base, Pointer};
use super::value::Val;
use super::{Frame, LoopKey, ReturnSlot, Translator, flow::SharedTree};
use crate::control::{Exit, RETURN, contains, structure};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::ids::IdMap;
use crate::spirv::{Inst, Type};

/// The most nested calls. The nesting of their regions adds up.
const MAX_CALLS: usize = 64;

impl Translator<'_, '_> {
    /// `OpFunctionCall`.
    pub(super) fn op_call(&mut self, inst: &Inst<'_>) -> Result<()> {
        let function = inst.word(0)?;
        let mut args = Vec::new();
        for at in 1..inst.operands.len() {
            args.push(self.operand(inst, at)?);
        }
        if let Some(val) = self.call(inst, function, args)? {
            self.bind(inst.result, val);
        }
        Ok(())
    }

    /// Inlines a function with these arguments; `inst` is the call. Returns the result, or `None` for a void function.
    ///
    /// If there is code after the function and it has early returns, its body becomes a loop that runs once, and a
    /// return breaks it.
    pub(super) fn call(
        &mut self,
        inst: &Inst<'_>,
        function: u32,
        args: Vec<(Val, u32)>,
    ) -> Result<Option<Val>> {
        let module = self.module;
        let Some(func) = module.functions.get(&function) else {
            let detail = format!("expected a function, found %{function}");
            return Err(inst.error(ErrorCode::BadCall, detail));
        };
        if self.frames.iter().any(|f| f.function == function) {
            let detail = format!("expected no call of %{function} from within itself");
            return Err(inst.error(ErrorCode::Recursion, detail));
        }
        if self.frames.len() >= MAX_CALLS {
            let detail = format!("expected at most {MAX_CALLS} calls in progress");
            return Err(inst.error(ErrorCode::Nesting, detail));
        }
        self.check_args(inst, func.inst, &func.params, &args)?;

        self.steps += 1;
        self.check_budget().map_err(|e| e.at(inst.position()))?;
        let tree = self.tree(function)?;
        let result_ty = module.insts[func.inst].ty;
        let is_void = matches!(self.globals.types.get(result_ty), Some(Type::Void));
        let returns = match tree.return_values {
            0 => ReturnSlot::Nothing,
            _ if is_void => ReturnSlot::Nothing,
            1 => ReturnSlot::Bound(function),
            _ => {
                match self.is_bulky(result_ty) {
                    true => self.count_scalars(result_ty)?,
                    false => self.check_parts(result_ty)?,
                }
                let shape =
                    self.globals.types.var_ty(result_ty).map_err(|e| e.at(inst.position()))?;
                ReturnSlot::Var(self.new_var(String::new(), shape, None))
            }
        };
        let is_entry = self.frames.is_empty();
        self.frames.push(Frame {
            function,
            func,
            tree: tree.clone(),
            is_entry,
            ends: is_entry && !self.stores_at_end(),
            values: IdMap::default(),
            phis: IdMap::default(),
            switches: HashMap::new(),
            loops: Vec::new(),
            returns,
        });
        for (&param, (val, _)) in func.params.iter().zip(args) {
            self.bind(param, val);
        }
        let exit = Exit::Label(RETURN);
        if !self.frame().ends && contains(&tree.body, exit) {
            self.looped(LoopKey::Once(exit), false, |t| t.seq(&tree.body), None)?;
        } else {
            self.seq(&tree.body)?;
        }
        let result = match returns {
            ReturnSlot::Nothing if is_void => None,
            // A function without a return never ends, so its result is never used.
            ReturnSlot::Nothing => Some(Val::Const(crate::spirv::Const::Undef)),
            ReturnSlot::Bound(id) => Some(self.take_bound(id)?),
            // Only this call writes the variable, so the value can stay in it.
            ReturnSlot::Var(var) if self.is_bulky(result_ty) => {
                let base = Base::Var { var, path: vec![] };
                Some(Val::InMemory(Pointer { base, pointee: result_ty }.into()))
            }
            ReturnSlot::Var(var) => Some(self.load_var(var, &[], result_ty)?),
        };
        self.frames.pop();
        self.set_loc(inst);
        Ok(result)
    }

    /// Checks the number and types of the arguments and the result type against the function's declaration.
    fn check_args(
        &self,
        inst: &Inst<'_>,
        function: usize,
        params: &[u32],
        args: &[(Val, u32)],
    ) -> Result<()> {
        if params.len() != args.len() {
            let detail = format!("expected {} arguments, found {}", params.len(), args.len());
            return Err(inst.error(ErrorCode::BadCall, detail));
        }
        for (&param, (_, ty)) in params.iter().zip(args) {
            let declared = self.module.def(param).map_or(0, |p| p.ty);
            if declared != *ty {
                let detail = format!("expected an argument of type %{declared}, found %{ty}");
                return Err(inst.error(ErrorCode::BadCall, detail));
            }
        }
        let declared = self.module.insts[function].ty;
        if inst.ty != 0 && inst.ty != declared {
            let detail = format!("expected a result of type %{declared}, found %{}", inst.ty);
            return Err(inst.error(ErrorCode::BadCall, detail));
        }
        Ok(())
    }

    /// The structured control flow of a function, which all its calls share.
    fn tree(&mut self, function: u32) -> Result<SharedTree> {
        if let Some(tree) = self.trees.get(&function) {
            return Ok(tree.clone());
        }
        let Some(func) = self.module.functions.get(&function) else {
            let detail = format!("expected a function, found %{function}");
            return Err(FrontendError::new(ErrorCode::BadCall, detail));
        };
        let tree = Rc::new(structure(self.module, self.globals, func)?);
        self.trees.insert(function, tree.clone());
        Ok(tree)
    }
}
