//! Structured control flow: conditionals, loops, and the copies that carry values out of regions.
//!
//! A region that ends with `Break` or `Continue` does not come back, so what follows the conditional needs no `else`:
//! the other region is simply the code after it, and its values are the conditional's results without a copy. A
//! conditional with nothing but such an exit is a predicated instruction.
//!
//! Copies obey the execution mask, so channels that wait elsewhere keep their values. A mode may have other copies, which
//! it then answers for.

use crestline_isa::Opcode;
use crestline_ssa::ir::{InstId, InstKind, RegionId, Shader, Src, Srcs, Value};
use hashbrown::HashMap;

use super::copies::{Copy, Step, in_order};
use super::{Cond, SelectError, breaks_of, same_value, yielded};
use crate::ir::{Builder, File, Operand};

/// Where the walk is: open loops, and what a `Yield` does.
#[derive(Debug)]
pub(crate) struct Frames<R> {
    loops: Vec<LoopFrame<R>>,
    yields: Vec<Yield<R>>,
}

/// A loop around the place of the walk.
#[derive(Debug)]
struct LoopFrame<R> {
    params: Vec<R>,
    /// Where results are copied to; `None` for those that are the very values given at each `Break`.
    results: Vec<Option<R>>,
    /// Conditionals open since the loop began.
    depth: u32,
}

/// What a `Yield` does with its values.
#[derive(Clone, Debug)]
enum Yield<R> {
    /// Copies them to registers.
    Copy(Vec<R>),
    /// They are the results.
    Alias(Vec<Value>),
}

impl<R> Frames<R> {
    /// Outside of all regions.
    pub(crate) fn new() -> Frames<R> {
        Frames { loops: Vec::new(), yields: Vec::new() }
    }

    /// Whether the walk is outside of all regions.
    pub(crate) fn is_outside(&self) -> bool {
        self.loops.is_empty() && self.yields.is_empty()
    }
}

/// What selection of structured control flow needs of a mode, and gives it.
pub(crate) trait Structured<'a> {
    /// The registers of a value.
    type Registers: Clone;
    /// What is known at a place of the code, and must be forgotten where other code may come from.
    type Known;

    fn shader(&self) -> &'a Shader;
    fn b(&mut self) -> Builder<'_>;
    fn frames(&mut self) -> &mut Frames<Self::Registers>;
    /// Selects a region's instructions, its terminator included.
    fn region(&mut self, region: RegionId) -> Result<(), SelectError>;
    /// Gives a constant its location.
    fn constant(&mut self, result: Option<Value>, bits: &[u64; 4]);
    /// The condition in a flag.
    fn cond(&mut self, src: Src) -> Cond;

    fn known(&self) -> Self::Known;
    fn remember(&mut self, known: Self::Known);
    /// Forgets what the code at the end of a loop may have changed.
    fn forget_flags(&mut self);

    /// New registers for a value, which are its location from now on.
    fn new_registers(&mut self, value: Value) -> Self::Registers;
    /// Makes registers that exist a value's location.
    fn share_registers(&mut self, value: Value, registers: &Self::Registers);
    /// Gives all of a value the location of another.
    fn alias_all(&mut self, value: Value, src: Src);
    /// Lets a value be computed in registers that it will be copied to, if that can be.
    fn hint(&mut self, src: Src, registers: &Self::Registers);
    /// Whether a result of a loop may stay where the value is that every `Break` gives for it.
    fn stays(&self, result: Value, src: Src) -> bool;
    /// Whether one's registers may serve the other, beside their types.
    fn alike(&self, a: Value, b: Value) -> bool;
    /// Has the registers of a loop's result from before the loop on: what channels take out at different times must have
    /// them all through it.
    fn reserve(&mut self, registers: &Self::Registers);
    /// One of two values, without code on either side.
    fn pick(&mut self, cond: Src, values: [Src; 2], result: Value, registers: &Self::Registers);

    /// What has to be copied so that registers hold a value.
    fn copies(&mut self, registers: &Self::Registers, src: Src) -> Vec<Copy>;
    /// Whether a copy may be predicated.
    fn can_be_predicated(&self, copy: &Copy) -> bool;
    /// Copies under the condition.
    fn copy(&mut self, copy: Copy, cond: Option<Cond>);
    /// A copy of a register that is about to be overwritten.
    fn saved(&mut self, register: Operand) -> Operand;

    /// Selects a conditional. Returns whether control comes back from it.
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

    /// Selects the region that remains after the other has left, as code after the conditional.
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

    /// Selects a region that leaves, for channels where the condition holds (does not, if `inverse`).
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

    /// The instruction and copies of a region that only leaves the loop or round, if they can be predicated.
    fn bare_exit(&mut self, region: RegionId) -> Option<(Opcode, Vec<Copy>)> {
        let (opcode, copies) = match self.trivial(region)? {
            InstKind::Break(srcs) => (Opcode::Break, self.break_copies(srcs)),
            InstKind::Continue(srcs) => (Opcode::Cont, self.continue_copies(srcs)),
            _ => return None,
        };
        copies.iter().all(|copy| self.can_be_predicated(copy)).then_some((opcode, copies))
    }

    /// The terminator of a region that has nothing but constants before it; the constants are given their locations.
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

    /// Selects a conditional both of whose regions come back.
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
        // A region without code gives its values before the conditional, and the other overwrites them.
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

    /// Lets what the region yields be computed in the result's register where it is defined in the region itself.
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

    fn open(&mut self, cond: Cond) {
        self.b().predicate(cond.flag, cond.predicate).flow(Opcode::If);
        if let Some(frame) = self.frames().loops.last_mut() {
            frame.depth += 1;
        }
    }

    fn close(&mut self) {
        self.b().endif();
        if let Some(frame) = self.frames().loops.last_mut() {
            frame.depth -= 1;
        }
    }

    /// Ends a region of a conditional.
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

    /// Selects a loop.
    fn loop_(&mut self, id: InstId, init: &[Src], body: RegionId) -> Result<(), SelectError> {
        let func = &self.shader().func;
        let params = func.region(body).params.clone();
        let results: Vec<Value> = func.inst(id).results.to_vec();
        let breaks = breaks_of(func, body);
        let registers: Vec<Self::Registers> =
            params.iter().map(|&param| self.new_registers(param)).collect();
        let copies = self.copies_to(&registers, init);
        self.copy_all(copies, None);
        // One value for all breaks stays where it is.
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
        self.forget_flags();
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

    /// For each result of a loop the parameter whose register it can share: one that some `Break` gives, which then
    /// needs no copy. A channel that leaves has no more use for its parameters. Nothing may be kept in a parameter's
    /// register besides: where a result stays in a register that is not known yet, there is no sharing.
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

    /// Leaves the innermost loop.
    fn break_(&mut self, srcs: &Srcs) {
        let copies = self.break_copies(srcs);
        self.copy_all(copies, None);
        self.b().flow(Opcode::Break);
    }

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

    /// Ends a round of the innermost loop: the parameters get their next values.
    fn continue_(&mut self, srcs: &Srcs) {
        let copies = self.continue_copies(srcs);
        self.copy_all(copies, None);
        // At the end of the body the round ends by itself.
        if self.frames().loops.last().is_some_and(|frame| frame.depth > 0) {
            self.b().flow(Opcode::Cont);
        }
    }

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

    /// Copies as if all at once: a register that another copy still reads is saved first.
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
