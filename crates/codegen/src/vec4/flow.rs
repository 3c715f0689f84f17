//! Structured control flow: conditionals, loops, and the copies that carry values out of regions.
//!
//! A region that ends with `Break` or `Continue` does not come back, so what follows the conditional needs no `else`:
//! the other region is simply the code after it, and its values are the conditional's results without a copy. A
//! conditional with nothing but such an exit is a predicated instruction.
//!
//! Copies obey the execution mask, so vertices that wait elsewhere keep their values.

use crestline_isa::{Opcode, Type};
use crestline_ssa::ir::{InstId, InstKind, RegionId, Src, Srcs, Value};

use super::cond::Cond;
use super::operands::{Form, Home, Lanes, Place};
use super::{SelectError, Selector};
use crate::ir::{Op, Operand};
use crate::select::{Class, breaks_of, same_value, yielded};

/// A loop around the place of the walk.
pub(super) struct LoopFrame {
    params: Vec<Place>,
    /// Where results are copied to; `None` for those that are the very values given at each `Break`.
    results: Vec<Option<Place>>,
    /// Conditionals open since the loop began.
    depth: u32,
}

/// What a `Yield` does with its values.
pub(super) enum Yield {
    /// Copies them to registers.
    Copy(Vec<Place>),
    /// They are the results.
    Alias(Vec<Value>),
}

/// A value to copy: destination and source.
type Copy = (Place, Src);

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
        let cond = self.cond(cond).inverse_if(inverse);
        if let Some((opcode, copies)) = self.bare_exit(region) {
            self.copy_all(copies, Some(cond));
            self.b().predicate(cond.flag, cond.predicate).flow(opcode);
            return Ok(());
        }
        self.open(cond);
        let flags = self.flags.clone();
        self.region(region)?;
        self.flags = flags;
        self.close();
        Ok(())
    }

    /// The instruction and copies of a region that only leaves the loop or round.
    fn bare_exit(&mut self, region: RegionId) -> Option<(Opcode, Vec<Copy>)> {
        match self.trivial(region)? {
            InstKind::Break(srcs) => Some((Opcode::Break, self.break_copies(srcs))),
            InstKind::Continue(srcs) => Some((Opcode::Cont, self.continue_copies(srcs))),
            _ => None,
        }
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
        let places: Vec<Place> = results.iter().map(|&result| self.result_place(result)).collect();
        if trivial == [true, true] {
            for (index, &place) in places.iter().enumerate() {
                self.pick(cond, [values[0][index], values[1][index]], place);
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
            let values = &values[usize::from(!inverse)];
            self.copy_all(places.iter().copied().zip(values.iter().copied()).collect(), None);
        }
        self.open(cond.inverse_if(inverse));
        self.arm(first, &places)?;
        if let Some(second) = second {
            self.b().else_();
            self.arm(second, &places)?;
        }
        self.close();
        Ok(())
    }

    /// Selects an arm of a conditional and the copies at its end.
    fn arm(&mut self, region: RegionId, places: &[Place]) -> Result<(), SelectError> {
        self.want_results(region, places);
        let flags = self.flags.clone();
        self.yields.push(Yield::Copy(places.to_vec()));
        self.region(region)?;
        self.yields.pop();
        self.flags = flags;
        Ok(())
    }

    /// Lets what the region yields be computed in the result's register where it is defined in the region itself.
    fn want_results(&mut self, region: RegionId, places: &[Place]) {
        let func = &self.shader.func;
        for (src, &place) in yielded(func, region).unwrap_or_default().iter().zip(places) {
            let own = func.region(region).insts.iter().any(|&id| {
                let inst = func.inst(id);
                matches!(inst.kind, InstKind::Alu { .. })
                    && inst.results.first() == Some(&src.value)
            });
            let ty = func.ty(src.value);
            let whole = src.is_identity(ty.comps()) && place.lanes.places().len() == ty.comps();
            if own && whole && ty.bits() == 32 {
                self.want(src.value, place);
            }
        }
    }

    /// One of two values, without code on either side.
    fn pick(&mut self, cond: Src, [a, b]: [Src; 2], place: Place) {
        let cond = self.cond(cond);
        let (lanes, mask) = (place.lanes, place.lanes.mask());
        let class = self.copy_class(place);
        let swap = self.is_constant(a, class) && !self.is_constant(b, class);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        let a = self.src(lanes.spread(a), mask, class, Form::Register);
        let b = self.src(lanes.spread(b), mask, class, Form::Any);
        let cond = cond.inverse_if(swap);
        let dst = place.dst(a.ty);
        self.b().predicate(cond.flag, cond.predicate).sel(dst, a, b.retype(a.ty));
    }

    /// The class that values are copied as: no modifiers but of doubles, whose type has no other.
    fn copy_class(&self, place: Place) -> Class {
        if place.vector.ty == Type::Df { Class::Float } else { Class::Unsigned }
    }

    /// A new register for a result of a conditional or loop, or a parameter; its home.
    fn result_place(&mut self, value: Value) -> Place {
        let place = self.new_place(value);
        self.set_home(value, Home::Place(place.src()));
        place
    }

    fn open(&mut self, cond: Cond) {
        let inst = self.b().if_(cond.flag, cond.predicate.inverse).clone();
        if let Some(last) = self.out.blocks.last_mut().and_then(|block| block.insts.last_mut())
            && last.op == inst.op
        {
            last.predicate = cond.predicate;
        }
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
            Some(Yield::Copy(places)) => {
                let copies = places.iter().copied().zip(srcs.iter().copied()).collect();
                self.copy_all(copies, None);
            }
            Some(Yield::Alias(results)) => {
                for (result, &src) in results.clone().into_iter().zip(srcs) {
                    self.alias(result, src);
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
        let places: Vec<Place> = params.iter().map(|&param| self.new_place(param)).collect();
        self.copy_all(places.iter().copied().zip(init.iter().copied()).collect(), None);
        for (&param, place) in params.iter().zip(&places) {
            self.set_home(param, Home::Place(place.src()));
        }
        // One value for all breaks stays where it is.
        let kept: Vec<Option<Src>> =
            (0..results.len()).map(|index| same_value(&breaks, index)).collect();
        let homes = self.result_homes(&breaks, &results, &params, &kept);
        let mut targets = Vec::with_capacity(results.len());
        for (index, &result) in results.iter().enumerate() {
            let param = homes[index].map(|param| places[param]);
            targets.push(match (kept[index], param) {
                (Some(_), _) => None,
                (None, Some(place)) => {
                    self.set_home(result, Home::Place(place.src()));
                    Some(place)
                }
                (None, None) => {
                    let place = self.result_place(result);
                    // What vertices take out at different times must have its register all through the loop.
                    let dst = place.dst(place.vector.ty);
                    self.b().emit(Op::Undef, dst, &[]);
                    Some(place)
                }
            });
        }
        let outside = std::mem::take(&mut self.flags);
        self.b().do_();
        self.loops.push(LoopFrame { params: places, results: targets, depth: 0 });
        self.region(body)?;
        self.loops.pop();
        self.b().while_();
        self.flags = outside;
        for (&result, src) in results.iter().zip(kept) {
            if let Some(src) = src {
                self.alias(result, src);
            }
        }
        Ok(())
    }

    /// For each result of a loop the parameter whose register it can share: one that some `Break` gives, which then
    /// needs no copy. A vertex that leaves has no more use for its parameters. Nothing may be kept in a parameter's
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
                src.is_identity(func.ty(result).comps()) && func.ty(src.value) == func.ty(result)
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

    fn break_copies(&self, srcs: &[Src]) -> Vec<Copy> {
        let Some(frame) = self.loops.last() else { return Vec::new() };
        let pairs = frame.results.iter().zip(srcs);
        pairs.filter_map(|(target, &src)| target.map(|t| (t, src))).collect()
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

    fn continue_copies(&self, srcs: &[Src]) -> Vec<Copy> {
        let Some(frame) = self.loops.last() else { return Vec::new() };
        frame.params.iter().copied().zip(srcs.iter().copied()).collect()
    }

    /// Copies as if all at once: a register that another copy still reads is saved first.
    fn copy_all(&mut self, copies: Vec<Copy>, cond: Option<Cond>) {
        let mut moves: Vec<(Operand, Operand)> = Vec::with_capacity(copies.len());
        for (place, src) in copies {
            let (lanes, mask) = (place.lanes, place.lanes.mask());
            let spread = lanes.spread(src);
            let class = self.copy_class(place);
            let there = (0..4).all(|lane| {
                mask >> lane & 1 == 0 || self.is_there(spread.select(lane), place, lane as u8)
            });
            if !there {
                let operand = self.src(spread, mask, class, Form::Any);
                moves.push((place.dst(place.vector.ty), operand));
            }
        }
        while !moves.is_empty() {
            let free = (0..moves.len()).find(|&i| {
                let file = moves[i].0.file;
                moves.iter().enumerate().all(|(j, (_, src))| j == i || src.file != file)
            });
            let index = free.unwrap_or(0);
            let (dst, src) = moves.swap_remove(index);
            if free.is_none() {
                let saved = Place { vector: self.vector(dst.ty), lanes: Lanes::first(4) };
                let whole = Place { vector: dst, lanes: Lanes::first(4) };
                self.b().mov(saved.dst(dst.ty), whole.src());
                for (_, other) in moves.iter_mut().filter(|(_, src)| src.file == dst.file) {
                    other.file = saved.vector.file;
                }
            }
            let mut b = self.b();
            let src = if src.ty.is_packed_vector() { src } else { src.retype(dst.ty) };
            match cond {
                Some(cond) => b.predicate(cond.flag, cond.predicate).mov(dst, src),
                None => b.mov(dst, src),
            };
        }
    }
}
