//! Structured control flow: conditionals, loops, and the copies that carry values out of regions.
//!
//! A region that ends with `Break` or `Continue` does not come back, so what follows the conditional needs no `else`:
//! the other region is simply the code after it, and its values are the conditional's results without a copy. A
//! conditional with nothing but such an exit is a predicated instruction.
//!
//! Copies into registers of one element per channel obey the execution mask, so channels that wait elsewhere keep their
//! values. Copies into scalars do not; [`super::Uniform`] sees to it that no channel is waiting then.

use crestline_isa::{Opcode, PredCtrl, Predicate};
use crestline_ssa::ir::{InstId, InstKind, RegionId, Src, Srcs, Value};

use super::cond::Cond;
use super::operands::{Half, Homes};
use super::{SelectError, Selector};
use crate::ir::{Builder, File, Op, Operand};
use crate::select::{Class, breaks_of, same_value, yielded};

/// Registers for all components of one value.
type Registers = Homes;

/// A loop around the place of the walk.
pub(super) struct LoopFrame {
    params: Vec<Value>,
    /// Where results are copied to; `None` for those that are the very values given at each `Break`.
    results: Vec<Option<Registers>>,
    /// Conditionals open since the loop began.
    depth: u32,
}

/// What a `Yield` does with its values.
pub(super) enum Yield {
    /// Copies them to registers.
    Copy(Vec<Registers>),
    /// They are the results.
    Alias(Vec<Value>),
}

impl<'a> Selector<'a> {
    /// Selects a conditional. Returns whether control comes back from it.
    pub(super) fn if_(
        &mut self,
        id: InstId,
        cond: Src,
        then: RegionId,
        else_: RegionId,
    ) -> Result<bool, SelectError> {
        let func = &self.shader.func;
        let results: Vec<Value> = func.inst(id).results.to_vec();
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
            self.yields.push(Yield::Alias(results));
            self.region(region)?;
            self.yields.pop();
        } else {
            self.region(region)?;
        }
        Ok(())
    }

    /// Selects a region that leaves, for channels where the condition holds (does not, if `inverse`).
    fn leave(&mut self, cond: Src, inverse: bool, region: RegionId) -> Result<(), SelectError> {
        let cond = self.cond(cond);
        let cond = Cond { inverse: cond.inverse ^ inverse, ..cond };
        if let Some((opcode, copies)) = self.bare_exit(region) {
            self.copy_all(copies, Some(cond));
            self.b().predicated(cond.flag, cond.inverse).flow(opcode);
            return Ok(());
        }
        self.open(cond);
        let flags = self.flags.clone();
        let blocks = self.blocks.clone();
        self.region(region)?;
        self.flags = flags;
        self.blocks = blocks;
        self.close();
        Ok(())
    }

    /// The instruction and copies of a region that only leaves the loop or round, if they can be predicated: copies
    /// into scalars cannot, as the flag's bit of their channel may be that of a disabled one.
    fn bare_exit(&mut self, region: RegionId) -> Option<(Opcode, Vec<(Operand, Operand)>)> {
        let exit = self.trivial(region)?;
        let (opcode, copies) = match exit {
            InstKind::Break(srcs) => (Opcode::Break, self.break_copies(srcs)),
            InstKind::Continue(srcs) => (Opcode::Cont, self.continue_copies(srcs)),
            _ => return None,
        };
        copies.iter().all(|(dst, _)| !is_scalar(dst)).then_some((opcode, copies))
    }

    /// The terminator of a region that has nothing but constants before it; the constants are given their homes.
    fn trivial(&mut self, region: RegionId) -> Option<&'a InstKind> {
        let shader = self.shader;
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
        let values = [then, else_].map(|region| {
            yielded(&self.shader.func, region).map(<[Src]>::to_vec).unwrap_or_default()
        });
        let registers = self.result_registers(results);
        if trivial == [true, true] {
            return self.pick(cond, &values, results, &registers);
        }
        // A region without code gives its values before the conditional, and the other overwrites them.
        let (first, second, inverse) = match trivial {
            [true, false] => (else_, None, true),
            [false, true] => (then, None, false),
            _ => (then, Some(else_), false),
        };
        let cond = self.cond(cond);
        if second.is_none() {
            let copies = self.copies(&registers, &values[usize::from(!inverse)]);
            self.copy_all(copies, None);
        }
        self.open(Cond { inverse: cond.inverse ^ inverse, ..cond });
        self.arm(first, &registers)?;
        if let Some(second) = second {
            self.b().else_();
            self.arm(second, &registers)?;
        }
        self.close();
        Ok(())
    }

    /// Selects an arm of a conditional and the copies at its end.
    fn arm(&mut self, region: RegionId, registers: &[Registers]) -> Result<(), SelectError> {
        self.want(region, registers);
        let flags = self.flags.clone();
        let blocks = self.blocks.clone();
        self.yields.push(Yield::Copy(registers.to_vec()));
        self.region(region)?;
        self.yields.pop();
        self.flags = flags;
        self.blocks = blocks;
        Ok(())
    }

    /// Lets what the region yields be computed in the result's register where it is defined in the region itself.
    fn want(&mut self, region: RegionId, registers: &[Registers]) {
        let func = &self.shader.func;
        for (src, registers) in yielded(func, region).unwrap_or_default().iter().zip(registers) {
            let own = func.region(region).insts.iter().any(|&id| {
                let inst = func.inst(id);
                matches!(inst.kind, InstKind::Alu { .. })
                    && inst.results.first() == Some(&src.value)
            });
            let [Some(register), None, ..] = *registers else { continue };
            let ty = func.ty(src.value);
            let fits = ty.comps() == 1
                && ty.bits() <= 32
                && self.uniform.is(src.value) == is_scalar(&register);
            if own && fits && self.wanted[src.value.index()].is_none() {
                self.wanted[src.value.index()] = Some(register);
            }
        }
    }

    /// A conditional without code on either side: selections.
    fn pick(
        &mut self,
        cond: Src,
        values: &[Vec<Src>; 2],
        results: &[Value],
        registers: &[Registers],
    ) -> Result<(), SelectError> {
        for (index, &result) in results.iter().enumerate() {
            let cond = self.cond(cond);
            let whole = matches!(self.bits(result), 1 | 32);
            for (place, dst) in registers[index].iter().enumerate() {
                let Some(dst) = *dst else { continue };
                let [a, b] = [0, 1].map(|arm| {
                    let src = *values[arm].get(index)?;
                    Some(match whole {
                        true => self.src_comp(src, place, Class::Logic).retype(dst.ty),
                        false => self.dword(src, place).retype(dst.ty),
                    })
                });
                let (Some(a), Some(b)) = (a, b) else { continue };
                let [a, b] =
                    [a, b].map(|o| if o.has_modifiers() { self.plain(o, result) } else { o });
                let (a, b, swapped) = self.two_sources(a, b, true);
                let predicate =
                    Predicate { ctrl: PredCtrl::Normal, inverse: cond.inverse ^ swapped };
                self.b_for(result, |b_| _ = b_.predicate(cond.flag, predicate).sel(dst, a, b));
            }
        }
        Ok(())
    }

    /// The operand without its complement, which only bitwise operations understand.
    fn plain(&mut self, operand: Operand, like: Value) -> Operand {
        let dst = self.new_register(like).retype(operand.ty);
        self.b_for(like, |b| _ = b.not(dst, operand.without_modifiers()));
        dst
    }

    /// New registers for the results of a conditional or loop, set as their homes.
    fn result_registers(&mut self, results: &[Value]) -> Vec<Registers> {
        results.iter().map(|&result| self.registers(result)).collect()
    }

    fn registers(&mut self, value: Value) -> Registers {
        let mut registers = Homes::default();
        let ty = self.shader.func.ty(value);
        let halves: &[Half] = if ty.bits() == 64 { &[Half::Low, Half::High] } else { &[Half::Low] };
        for &half in halves {
            for comp in 0..ty.comps() {
                let operand = self.new_register(value);
                self.set_half(value, comp, half, operand);
                registers[half.place(comp)] = Some(operand);
            }
        }
        registers
    }

    /// The dword of a source that goes to number `place` of its reader's.
    fn dword(&self, src: Src, place: usize) -> Operand {
        let half = if place >= Half::High.place(0) { Half::High } else { Half::Low };
        self.read_half(src.select(place - half.place(0)), half)
    }

    fn open(&mut self, cond: Cond) {
        self.b().if_(cond.flag, cond.inverse);
        if let Some(frame) = self.loops.last_mut() {
            frame.depth += 1;
        }
    }

    fn close(&mut self) {
        self.b().endif();
        if let Some(frame) = self.loops.last_mut() {
            frame.depth -= 1;
        }
    }

    /// Ends a region of a conditional.
    pub(super) fn yield_(&mut self, srcs: &[Src]) {
        match self.yields.last() {
            Some(Yield::Copy(registers)) => {
                let copies = self.copies(&registers.clone(), srcs);
                self.copy_all(copies, None);
            }
            Some(Yield::Alias(results)) => {
                for (result, &src) in results.clone().into_iter().zip(srcs) {
                    for comp in 0..self.shader.func.ty(result).comps() {
                        self.alias(result, comp, src.select(comp));
                    }
                }
            }
            None => {}
        }
    }

    /// Selects a loop.
    pub(super) fn loop_(
        &mut self,
        id: InstId,
        init: &[Src],
        body: RegionId,
    ) -> Result<(), SelectError> {
        let func = &self.shader.func;
        let params = func.region(body).params.clone();
        let results: Vec<Value> = func.inst(id).results.to_vec();
        let breaks = breaks_of(func, body);
        let registers: Vec<Registers> = params.iter().map(|&param| self.registers(param)).collect();
        let copies = self.copies(&registers, init);
        self.copy_all(copies, None);
        // One value for all breaks stays where it is. A scalar would go on changing after a channel has left, so where
        // channels leave apart a uniform value is copied when they do.
        let kept: Vec<Option<Src>> = results
            .iter()
            .enumerate()
            .map(|(index, &result)| {
                same_value(&breaks, index).filter(|src| {
                    self.uniform.is(result) == self.uniform.is(src.value)
                        || func.as_const(src.value).is_some()
                })
            })
            .collect();
        let mut targets = Vec::with_capacity(results.len());
        let homes = self.result_homes(&breaks, &results, &params, &kept);
        for (index, &result) in results.iter().enumerate() {
            let param = homes[index].map(|param| registers[param]);
            if let Some(registers) = param {
                self.homes[result.index()] = registers;
            }
            targets.push(match (kept[index], param) {
                (Some(_), _) => None,
                (None, Some(registers)) => Some(registers),
                (None, None) => Some(self.registers(result)),
            });
        }
        // What channels take out at different times must have its register all through the loop.
        let fresh = targets.iter().zip(&homes).filter(|(_, param)| param.is_none());
        for register in fresh.flat_map(|(target, _)| target.iter().flatten().flatten()) {
            let (register, scalar) = (*register, is_scalar(register));
            let mut b = self.b();
            let mut b = if scalar { b.uniform() } else { b.no_mask() };
            b.emit(Op::Undef, register, &[]);
        }
        let outside = std::mem::take(&mut self.flags);
        let blocks = self.blocks.clone();
        self.b().do_();
        self.loops.push(LoopFrame { params, results: targets, depth: 0 });
        self.region(body)?;
        self.loops.pop();
        self.b().while_();
        self.flags = outside;
        self.blocks = blocks;
        for (&result, src) in results.iter().zip(kept) {
            if let Some(src) = src {
                for comp in 0..self.shader.func.ty(result).comps() {
                    self.alias(result, comp, src.select(comp));
                }
            }
        }
        Ok(())
    }

    /// For each result of a loop the parameter whose register it can share: one that some `Break` gives, which then
    /// needs no copy. A channel that leaves has no more use for its parameters. Nothing may be kept in a parameter's
    /// register besides: where a result stays in a register that is not known yet, there is no sharing.
    fn result_homes(
        &self,
        breaks: &[Srcs],
        results: &[Value],
        params: &[Value],
        kept: &[Option<Src>],
    ) -> Vec<Option<usize>> {
        let func = &self.shader.func;
        let param = |src: &Src| params.iter().position(|&param| param == src.value);
        let known = |src: &Src| param(src).is_some() || func.as_const(src.value).is_some();
        let mut homes = vec![None; results.len()];
        if !kept.iter().flatten().all(known) {
            return homes;
        }
        let mut taken: Vec<usize> = kept.iter().flatten().filter_map(param).collect();
        for (index, &result) in results.iter().enumerate().filter(|(i, _)| kept[*i].is_none()) {
            let given = breaks.iter().filter_map(|srcs| srcs.get(index));
            let alike = |src: &&Src| {
                src.is_identity(func.ty(result).comps())
                    && func.ty(src.value) == func.ty(result)
                    && self.uniform.is(src.value) == self.uniform.is(result)
            };
            let found = given.filter(alike).filter_map(param).find(|p| !taken.contains(p));
            taken.extend(found);
            homes[index] = found;
        }
        homes
    }

    /// Leaves the innermost loop.
    pub(super) fn break_(&mut self, srcs: &Srcs) {
        let copies = self.break_copies(srcs);
        self.copy_all(copies, None);
        self.b().flow(Opcode::Break);
    }

    fn break_copies(&self, srcs: &[Src]) -> Vec<(Operand, Operand)> {
        let Some(frame) = self.loops.last() else { return Vec::new() };
        let pairs = frame.results.iter().zip(srcs);
        let copied = pairs.filter_map(|(target, &src)| target.map(|t| (t, src)));
        copied.flat_map(|(target, src)| self.copies(&[target], &[src])).collect()
    }

    /// Ends a round of the innermost loop: the parameters get their next values.
    pub(super) fn continue_(&mut self, srcs: &Srcs) {
        let copies = self.continue_copies(srcs);
        self.copy_all(copies, None);
        // At the end of the body the round ends by itself.
        if self.loops.last().is_some_and(|frame| frame.depth > 0) {
            self.b().flow(Opcode::Cont);
        }
    }

    fn continue_copies(&self, srcs: &[Src]) -> Vec<(Operand, Operand)> {
        let Some(frame) = self.loops.last() else { return Vec::new() };
        let registers: Vec<Registers> =
            frame.params.iter().map(|param| self.homes[param.index()]).collect();
        self.copies(&registers, srcs)
    }

    /// Destination and source of each component to copy.
    fn copies(&self, registers: &[Registers], srcs: &[Src]) -> Vec<(Operand, Operand)> {
        let mut copies = Vec::new();
        for (registers, &src) in registers.iter().zip(srcs) {
            for (place, register) in registers.iter().enumerate() {
                let Some(dst) = *register else { continue };
                let src = self.dword(src, place);
                if !same_place(&dst, &src) {
                    copies.push((dst, src.retype(dst.ty)));
                }
            }
        }
        copies
    }

    /// Copies as if all at once: a register that another copy still reads is saved first.
    fn copy_all(&mut self, mut copies: Vec<(Operand, Operand)>, cond: Option<Cond>) {
        while !copies.is_empty() {
            let free = (0..copies.len()).find(|&i| {
                let file = copies[i].0.file;
                copies.iter().enumerate().all(|(j, (_, src))| j == i || src.file != file)
            });
            let index = free.unwrap_or(0);
            let (dst, src) = copies.swap_remove(index);
            if free.is_none() {
                let saved = self.saved(dst);
                for (_, other) in copies.iter_mut().filter(|(_, src)| src.file == dst.file) {
                    other.file = saved.file;
                }
            }
            let mut b = Builder::new(&mut self.out);
            let mut b = if is_scalar(&dst) { b.uniform() } else { b };
            match cond {
                Some(cond) => b.predicated(cond.flag, cond.inverse).mov(dst, src),
                None => b.mov(dst, src),
            };
        }
    }

    /// A copy of a whole register.
    fn saved(&mut self, register: Operand) -> Operand {
        if is_scalar(&register) {
            let saved = self.out.scalar(register.ty);
            self.b().uniform().mov(saved, register);
            saved
        } else {
            let saved = self.out.lanes(register.ty, 1);
            self.b().mov(saved, register);
            saved
        }
    }
}

fn is_scalar(operand: &Operand) -> bool {
    super::operands::is_thread_scalar(operand)
}

fn same_place(a: &Operand, b: &Operand) -> bool {
    a.file == b.file
        && a.offset == b.offset
        && a.region == b.region
        && !matches!(a.file, File::Imm(_))
}
