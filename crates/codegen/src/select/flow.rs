//! Selection of structured control flow: conditionals, loops, and the copies that carry values out of regions.
//!
//! Region results and loop parameters have registers. At the end of a region, its values are copied to them. If one
//! region of a conditional ends with `Break` or `Continue`, no `else` is needed: the other region is the code after
//! the conditional, and its values are the conditional's results without a copy. If such a region contains nothing
//! else, it becomes a predicated `break` or `cont`:
//!
//! ```text
//! if c { Break(x) } else { Yield(y) }    ->    (+f0.0) mov result, x
//!                                              (+f0.0) break
//! ```
//!
//! Copies have the current channel enables, so they do not change the registers of disabled channels. A mode that
//! emits other copies must ensure this itself.

use crestline_isa::Opcode;
use crestline_ssa::ir::{InstId, InstKind, RegionId, Shader, Src, Srcs, Value};
use hashbrown::HashMap;

use super::copies::{Copy, Step, in_order};
use super::{Cond, SelectError, breaks_of, same_value, yielded};
use crate::ir::{Builder, File, Operand};

/// The loops and conditionals around the instruction that is being selected.
#[derive(Debug)]
pub(crate) struct Frames<R> {
    loops: Vec<LoopFrame<R>>,
    yields: Vec<Yield<R>>,
}

/// A loop around the current instruction.
#[derive(Debug)]
struct LoopFrame<R> {
    params: Vec<R>,
    /// The registers to which `Break` copies results; `None` for a result that is the same value at each `Break` and
    /// is not copied.
    results: Vec<Option<R>>,
    /// Number of open conditionals inside the loop.
    depth: u32,
}

/// How a `Yield` passes its values on.
#[derive(Clone, Debug)]
enum Yield<R> {
    /// It copies them to these registers.
    Copy(Vec<R>),
    /// Its values become these results without a copy.
    Alias(Vec<Value>),
}

impl<R> Frames<R> {
    /// The state outside of all regions.
    pub(crate) fn new() -> Frames<R> {
        Frames { loops: Vec::new(), yields: Vec::new() }
    }

    /// Whether the current instruction is outside of all regions.
    pub(crate) fn is_outside(&self) -> bool {
        self.loops.is_empty() && self.yields.is_empty()
    }
}

/// Selection of structured control flow. Each selection mode implements the first methods; the others are the same
/// for both.
pub(crate) trait Structured<'a> {
    /// The type of the registers of a value.
    type Registers: Clone;
    /// The type of cached facts about the current position, such as conditions in flags. They are not valid at
    /// positions that other code can reach.
    type Known;

    fn shader(&self) -> &'a Shader;
    fn b(&mut self) -> Builder<'_>;
    fn frames(&mut self) -> &mut Frames<Self::Registers>;
    /// Selects a region's instructions, its terminator included.
    fn region(&mut self, region: RegionId) -> Result<(), SelectError>;
    /// Sets the location of a constant.
    fn constant(&mut self, result: Option<Value>, bits: &[u64; 4]);
    /// Writes a condition to a flag.
    fn cond(&mut self, src: Src) -> Cond;

    /// The cached facts.
    fn known(&self) -> Self::Known;
    /// Replaces the cached facts.
    fn remember(&mut self, known: Self::Known);
    /// Discards the cached facts that code at the end of a loop may make invalid, or that would keep registers in use
    /// through the loop.
    fn enter_loop(&mut self);

    /// Allocates registers for a value and makes them its location.
    fn new_registers(&mut self, value: Value) -> Self::Registers;
    /// Makes existing registers the location of a value.
    fn share_registers(&mut self, value: Value, registers: &Self::Registers);
    /// Gives all components of a value the location of another value.
    fn alias_all(&mut self, value: Value, src: Src);
    /// Sets the register hint of a value: if possible, it is computed directly in the registers to which it will be
    /// copied.
    fn hint(&mut self, src: Src, registers: &Self::Registers);
    /// Whether a loop result can keep the location of the value that every `Break` passes for it.
    fn stays(&self, result: Value, src: Src) -> bool;
    /// Whether registers of one value can hold the other. The caller compares their types.
    fn alike(&self, a: Value, b: Value) -> bool;
    /// Defines the registers of a loop result before the loop. Channels leave the loop at different times, so the
    /// registers must keep their contents throughout the loop.
    fn reserve(&mut self, registers: &Self::Registers);
    /// Selects one of two values by a condition, without branches.
    fn pick(&mut self, cond: Src, values: [Src; 2], result: Value, registers: &Self::Registers);

    /// The copies that put a value into registers.
    fn copies(&mut self, registers: &Self::Registers, src: Src) -> Vec<Copy>;
    /// Whether a copy may be predicated.
    fn can_be_predicated(&self, copy: &Copy) -> bool;
    /// Emits a copy, predicated if there is a condition.
    fn copy(&mut self, copy: Copy, cond: Option<Cond>);
    /// Copies a register that is about to be overwritten; returns the copy.
    fn saved(&mut self, register: Operand) -> Operand;

    /// Selects a conditional. Returns whether the code after it is reachable. If both regions end with `Yield`, it
    /// becomes `if`, `else` and `endif` (see `join`). Otherwise only a region that leaves is inside the
    /// `if`, and the other one follows it.
    fn if_(
        &mut self,
        id: InstId,
        cond: Src,
        then: RegionId,
        else_: RegionId,
    ) -> Result<bool, SelectError> {
        let func = &self.shader().func;
        let results: Vec<Value> = func.inst(id).results.to_vec();
        let cond = cond.select(0);
        let comes_back = [then, else_].map(|region| yielded(func, region).is_some());
        match comes_back {
            [true, true] => self.join(cond, then, else_, &results)?,
            [false, _] => {
                self.leave(cond, false, then)?;
                self.go_on(else_, results, comes_back[1])?;
            }
            [true, false] => {
                self.leave(cond, true, else_)?;
                self.go_on(then, results, true)?;
            }
        }
        Ok(comes_back != [false, false])
    }

    /// Selects the region of a conditional that does not leave, as code after the conditional.
    fn go_on(
        &mut self,
        region: RegionId,
        results: Vec<Value>,
        comes_back: bool,
    ) -> Result<(), SelectError> {
        if comes_back {
            self.frames().yields.push(Yield::Alias(results));
            self.region(region)?;
            self.frames().yields.pop();
        } else {
            self.region(region)?;
        }
        Ok(())
    }

    /// Selects the region of a conditional that leaves a loop or an iteration, for channels in which the condition
    /// holds (does not hold, if `inverse`).
    fn leave(&mut self, cond: Src, inverse: bool, region: RegionId) -> Result<(), SelectError> {
        let cond = self.cond(cond).inverse_if(inverse);
        if let Some((opcode, copies)) = self.bare_exit(region) {
            self.copy_all(copies, Some(cond));
            self.b().predicate(cond.flag, cond.predicate).flow(opcode);
            return Ok(());
        }
        self.open(cond);
        let known = self.known();
        self.region(region)?;
        self.remember(known);
        self.close();
        Ok(())
    }

    /// The branch and the copies of a region that consists only of `Break` or `Continue`, if they can be predicated.
    fn bare_exit(&mut self, region: RegionId) -> Option<(Opcode, Vec<Copy>)> {
        let (opcode, copies) = match self.trivial(region)? {
            InstKind::Break(srcs) => (Opcode::Break, self.break_copies(srcs)),
            InstKind::Continue(srcs) => (Opcode::Cont, self.continue_copies(srcs)),
            _ => return None,
        };
        copies.iter().all(|copy| self.can_be_predicated(copy)).then_some((opcode, copies))
    }

    /// The terminator of a region that contains only constants before it. The constants get their locations.
    fn trivial(&mut self, region: RegionId) -> Option<&'a InstKind> {
        let shader = self.shader();
        let (last, rest) = shader.func.region(region).insts.split_last()?;
        for &id in rest {
            let inst = shader.func.inst(id);
            match &inst.kind {
                InstKind::Const(bits) => self.constant(inst.results.first().copied(), bits),
                InstKind::Undef => self.constant(inst.results.first().copied(), &[0; 4]),
                _ => return None,
            }
        }
        Some(&shader.func.inst(*last).kind)
    }

    /// Selects a conditional whose regions both end with `Yield`. If neither region has code, `sel` instructions
    /// select the results. If one has no code, its values are copied before an `if` without `else`. Otherwise both
    /// arms end with copies to the results' registers.
    fn join(
        &mut self,
        cond: Src,
        then: RegionId,
        else_: RegionId,
        results: &[Value],
    ) -> Result<(), SelectError> {
        let trivial = [then, else_].map(|region| self.trivial(region).is_some());
        let func = &self.shader().func;
        let values = [then, else_].map(|region| yielded(func, region).unwrap_or_default());
        let registers: Vec<Self::Registers> =
            results.iter().map(|&result| self.new_registers(result)).collect();
        if trivial == [true, true] {
            for (index, &result) in results.iter().enumerate() {
                let values = values.map(|values| values[index]);
                self.pick(cond, values, result, &registers[index]);
            }
            return Ok(());
        }
        // If one region has no code, its values are copied before the conditional, and the other region overwrites
        // them.
        let (first, second, inverse) = match trivial {
            [true, false] => (else_, None, true),
            [false, true] => (then, None, false),
            _ => (then, Some(else_), false),
        };
        let cond = self.cond(cond);
        if second.is_none() {
            let copies = self.copies_to(&registers, values[usize::from(!inverse)]);
            self.copy_all(copies, None);
        }
        self.open(cond.inverse_if(inverse));
        self.arm(first, &registers)?;
        if let Some(second) = second {
            self.b().else_();
            self.arm(second, &registers)?;
        }
        self.close();
        Ok(())
    }

    /// Selects an arm of a conditional and the copies at its end.
    fn arm(&mut self, region: RegionId, registers: &[Self::Registers]) -> Result<(), SelectError> {
        self.hint_results(region, registers);
        let known = self.known();
        self.frames().yields.push(Yield::Copy(registers.to_vec()));
        self.region(region)?;
        self.frames().yields.pop();
        self.remember(known);
        Ok(())
    }

    /// Sets register hints for the values that a region computes and yields.
    fn hint_results(&mut self, region: RegionId, registers: &[Self::Registers]) {
        let func = &self.shader().func;
        for (src, registers) in yielded(func, region).unwrap_or_default().iter().zip(registers) {
            let own = func.region(region).insts.iter().any(|&id| {
                let inst = func.inst(id);
                matches!(inst.kind, InstKind::Alu { .. })
                    && inst.results.first() == Some(&src.value)
            });
            if own {
                self.hint(*src, registers);
            }
        }
    }

    /// Opens a conditional for the channels in which a condition holds.
    fn open(&mut self, cond: Cond) {
        self.b().predicate(cond.flag, cond.predicate).flow(Opcode::If);
        if let Some(frame) = self.frames().loops.last_mut() {
            frame.depth += 1;
        }
    }

    /// Closes a conditional.
    fn close(&mut self) {
        self.b().endif();
        if let Some(frame) = self.frames().loops.last_mut() {
            frame.depth -= 1;
        }
    }

    /// Selects the `Yield` at the end of a conditional's region.
    fn yield_(&mut self, srcs: &[Src]) {
        match self.frames().yields.last().cloned() {
            Some(Yield::Copy(registers)) => {
                let copies = self.copies_to(&registers, srcs);
                self.copy_all(copies, None);
            }
            Some(Yield::Alias(results)) => {
                for (result, &src) in results.into_iter().zip(srcs) {
                    self.alias_all(result, src);
                }
            }
            None => {}
        }
    }

    /// Selects a loop: copies the initial values to the parameters' registers, then emits `do`, the body and `while`.
    /// `Continue` copies to the parameters' registers, `Break` to the results' registers. A result does not need
    /// registers of its own if every `Break` passes the same value, or if it can share those of a parameter.
    fn loop_(&mut self, id: InstId, init: &[Src], body: RegionId) -> Result<(), SelectError> {
        let func = &self.shader().func;
        let params = func.region(body).params.clone();
        let results: Vec<Value> = func.inst(id).results.to_vec();
        let breaks = breaks_of(func, body);
        let registers: Vec<Self::Registers> =
            params.iter().map(|&param| self.new_registers(param)).collect();
        let copies = self.copies_to(&registers, init);
        self.copy_all(copies, None);
        // A result for which all breaks pass the same value keeps that value's location, if possible.
        let kept: Vec<Option<Src>> = results
            .iter()
            .enumerate()
            .map(|(index, &result)| {
                same_value(&breaks, index).filter(|&src| self.stays(result, src))
            })
            .collect();
        let shared = self.shared_registers(&breaks, &results, &params, &kept);
        let mut targets = Vec::with_capacity(results.len());
        for (index, &result) in results.iter().enumerate() {
            targets.push(match (kept[index], shared[index]) {
                (Some(_), _) => None,
                (None, Some(param)) => {
                    self.share_registers(result, &registers[param]);
                    Some(registers[param].clone())
                }
                (None, None) => Some(self.new_registers(result)),
            });
        }
        for (target, _) in targets.iter().zip(&shared).filter(|(_, param)| param.is_none()) {
            target.iter().for_each(|registers| self.reserve(registers));
        }
        let outside = self.known();
        self.enter_loop();
        self.b().do_();
        self.frames().loops.push(LoopFrame { params: registers, results: targets, depth: 0 });
        self.region(body)?;
        self.frames().loops.pop();
        self.b().while_();
        self.remember(outside);
        for (&result, src) in results.iter().zip(kept) {
            if let Some(src) = src {
                self.alias_all(result, src);
            }
        }
        Ok(())
    }

    /// For each loop result, the index of a parameter whose registers it can share, so that a `Break` that passes
    /// this parameter needs no copy. A channel does not need the parameters after it has left. If another result
    /// keeps a location that is not known yet, that location might be in a parameter's registers, so nothing is
    /// shared.
    fn shared_registers(
        &self,
        breaks: &[Srcs],
        results: &[Value],
        params: &[Value],
        kept: &[Option<Src>],
    ) -> Vec<Option<usize>> {
        let func = &self.shader().func;
        let param = |src: &Src| params.iter().position(|&param| param == src.value);
        let known = |src: &Src| param(src).is_some() || func.as_const(src.value).is_some();
        let mut shared = vec![None; results.len()];
        if !kept.iter().flatten().all(known) {
            return shared;
        }
        let mut taken: Vec<usize> = kept.iter().flatten().filter_map(param).collect();
        for (index, &result) in results.iter().enumerate().filter(|(i, _)| kept[*i].is_none()) {
            let given = breaks.iter().filter_map(|srcs| srcs.get(index));
            let alike = |src: &&Src| {
                src.is_identity(func.ty(result).comps())
                    && func.ty(src.value) == func.ty(result)
                    && self.alike(src.value, result)
            };
            let found = given.filter(alike).filter_map(param).find(|p| !taken.contains(p));
            taken.extend(found);
            shared[index] = found;
        }
        shared
    }

    /// Selects a `Break`.
    fn break_(&mut self, srcs: &Srcs) {
        let copies = self.break_copies(srcs);
        self.copy_all(copies, None);
        self.b().flow(Opcode::Break);
    }

    /// The copies of a `Break` to the registers of the loop's results.
    fn break_copies(&mut self, srcs: &[Src]) -> Vec<Copy> {
        let results = self.frames().loops.last().map(|frame| frame.results.clone());
        if results.is_none() {
            self.b().fault("a break outside of loops");
        }
        let pairs = results.unwrap_or_default().into_iter().zip(srcs);
        pairs
            .flat_map(|(target, &src)| target.map_or(Vec::new(), |t| self.copies(&t, src)))
            .collect()
    }

    /// Selects a `Continue`: copies the next values of the parameters.
    fn continue_(&mut self, srcs: &Srcs) {
        let copies = self.continue_copies(srcs);
        self.copy_all(copies, None);
        // At the end of the loop's body, the next iteration starts without a branch.
        if self.frames().loops.last().is_some_and(|frame| frame.depth > 0) {
            self.b().flow(Opcode::Cont);
        }
    }

    /// The copies of a `Continue` to the registers of the loop's parameters.
    fn continue_copies(&mut self, srcs: &[Src]) -> Vec<Copy> {
        let params = self.frames().loops.last().map(|frame| frame.params.clone());
        if params.is_none() {
            self.b().fault("a continue outside of loops");
        }
        self.copies_to(&params.unwrap_or_default(), srcs)
    }

    fn copies_to(&mut self, registers: &[Self::Registers], srcs: &[Src]) -> Vec<Copy> {
        registers.iter().zip(srcs).flat_map(|(to, &src)| self.copies(to, src)).collect()
    }

    /// Emits copies with the effect of parallel copies: a register that a later copy reads is saved before it is
    /// overwritten.
    fn copy_all(&mut self, copies: Vec<Copy>, cond: Option<Cond>) {
        let mut saved: HashMap<File, File> = HashMap::new();
        let mut fresh = None;
        for step in in_order(&copies) {
            match step {
                Step::Save(at) => {
                    let register = copies[at].0;
                    fresh = Some((register.file, self.saved(register).file));
                }
                Step::Copy(at) => {
                    let (dst, mut src) = copies[at];
                    src.file = saved.get(&src.file).copied().unwrap_or(src.file);
                    saved.extend(fresh.take());
                    self.copy((dst, src), cond);
                }
            }
        }
    }
}
