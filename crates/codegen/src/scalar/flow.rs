//! Structured control flow ([`Structured`]) in scalar mode, with registers of one element per channel and scalar
//! registers.
//!
//! Copies to scalar registers are NoMask. [`super::Uniform`] ensures that no disabled channel needs the old value
//! then.

use crestline_ssa::ir::{RegionId, Shader, Src, Value};
use smallvec::SmallVec;

use super::location::{RegisterHint, Storage, ValueLocation};
use super::{SelectError, Selector, blocks, cond};
use crate::ir::{Builder, File, Op, Operand};
use crate::select::{Class, Cond, Copy, Frames, Structured};

impl<'a> Structured<'a> for Selector<'a> {
    /// Registers are identified by the value whose location they are.
    type Registers = Value;
    type Known = (cond::FlagCache, blocks::BlockCache);

    fn shader(&self) -> &'a Shader {
        self.shader
    }

    fn b(&mut self) -> Builder<'_> {
        Builder::new(&mut self.out)
    }

    fn frames(&mut self) -> &mut Frames<Value> {
        &mut self.frames
    }

    fn region(&mut self, region: RegionId) -> Result<(), SelectError> {
        Selector::region(self, region)
    }

    fn constant(&mut self, result: Option<Value>, bits: &[u64; 4]) {
        Selector::constant(self, result, bits);
    }

    fn cond(&mut self, src: Src) -> Cond {
        Selector::cond(self, src)
    }

    fn known(&self) -> Self::Known {
        (self.flags.clone(), self.blocks.clone())
    }

    fn remember(&mut self, (flags, blocks): Self::Known) {
        self.flags = flags;
        self.blocks = blocks;
    }

    fn enter_loop(&mut self) {
        self.flags = cond::FlagCache::default();
    }

    /// Allocates a register per part, which is a dword or a packed word: all low dwords come first, then the high dwords of
    /// 64-bit components.
    fn new_registers(&mut self, value: Value) -> Value {
        let ty = self.shader.func.ty(value);
        let comps = ty.comps();
        let count = comps * Storage::of(ty).dwords();
        let registers: SmallVec<[Operand; 2]> =
            (0..count).map(|_| self.new_register(value)).collect();
        for comp in 0..comps {
            match registers.get(comp + comps) {
                Some(&high) => self.locate_dwords(value, comp, [registers[comp], high]),
                None => self.locate(value, comp, registers[comp]),
            }
        }
        value
    }

    fn share_registers(&mut self, value: Value, &registers: &Value) {
        self.alias_all(value, Src::new(registers));
    }

    fn alias_all(&mut self, value: Value, src: Src) {
        for comp in 0..self.shader.func.ty(value).comps() {
            self.alias(value, comp, src.select(comp));
        }
    }

    /// Sets a register hint if value and registers are one component of at most 32 bits, and both or neither are
    /// uniform.
    fn hint(&mut self, src: Src, &registers: &Value) {
        let func = &self.shader.func;
        let (ty, scalars) = (func.ty(src.value), func.ty(registers).comps() == 1);
        let location = self.locations.get(registers, 0);
        if let (true, Some(ValueLocation::Elements(register))) = (scalars, location) {
            let fits = ty.comps() == 1
                && ty.bits() <= 32
                && self.uniform.is(src.value) == register.is_uniform();
            let hint = &mut self.hints[src.value.index()];
            if fits && hint.is_none() {
                *hint = Some(RegisterHint(register));
            }
        }
    }

    /// A uniform value must be copied to a divergent result at each exit: its scalar register would continue to
    /// change after a channel has left the loop.
    fn stays(&self, result: Value, src: Src) -> bool {
        self.alike(result, src.value) || self.shader.func.as_const(src.value).is_some()
    }

    fn alike(&self, a: Value, b: Value) -> bool {
        self.uniform.is(a) == self.uniform.is(b)
    }

    /// Emits `undef` before the loop, which makes the registers live from there on.
    fn reserve(&mut self, &registers: &Value) {
        for (_, _, register) in self.parts_of(registers) {
            let mut b = Builder::new(&mut self.out);
            let mut b = if is_scalar(&register) { b.uniform() } else { b.no_mask() };
            b.emit(Op::Undef, register, &[]);
        }
    }

    /// Emits a `sel` for each dword.
    fn pick(&mut self, cond: Src, values: [Src; 2], result: Value, &registers: &Value) {
        let cond = self.cond(cond);
        let whole = matches!(self.bits(result), 1 | 32);
        for (index, comp, dst) in self.parts_of(registers) {
            let [a, b] = values.map(|src| match whole {
                true => self.src_comp(src, comp, Class::Logic).retype(dst.ty),
                false => self.read_part(src.select(comp), index).retype(dst.ty),
            });
            let [a, b] = [a, b].map(|o| if o.has_modifiers() { self.plain(o, result) } else { o });
            let (a, b, swapped) = self.two_sources(a, b, true);
            let cond = cond.inverse_if(swapped);
            self.b_for(result, |b_| _ = b_.predicate(cond.flag, cond.predicate).sel(dst, a, b));
        }
    }

    /// One copy for each part that is not in its register already.
    fn copies(&mut self, &registers: &Value, src: Src) -> Vec<Copy> {
        let mut copies = Vec::new();
        for (index, comp, dst) in self.parts_of(registers) {
            let src = self.read_part(src.select(comp), index);
            if !same_place(&dst, &src) {
                copies.push((dst, src.retype(dst.ty)));
            }
        }
        copies
    }

    /// Copies to scalar registers cannot be predicated: they use channel 0, and its bit in the flag may belong to a
    /// disabled channel.
    fn can_be_predicated(&self, (dst, _): &Copy) -> bool {
        !is_scalar(dst)
    }

    fn copy(&mut self, (dst, src): Copy, cond: Option<Cond>) {
        let mut b = Builder::new(&mut self.out);
        let mut b = if is_scalar(&dst) { b.uniform() } else { b };
        match cond {
            Some(cond) => b.predicate(cond.flag, cond.predicate).mov(dst, src),
            None => b.mov(dst, src),
        };
    }

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

impl Selector<'_> {
    /// The operand with its complement modifier computed. Only bitwise operations have this modifier.
    fn plain(&mut self, operand: Operand, like: Value) -> Operand {
        let dst = self.new_register(like).retype(operand.ty);
        self.b_for(like, |b| _ = b.not(dst, operand.without_modifiers()));
        dst
    }

    /// The parts of a value's registers (see [`Selector::read_part`]), each with its index in the component and the
    /// component's number. The low dwords of all components come first.
    fn parts_of(&mut self, value: Value) -> SmallVec<[(usize, usize, Operand); 4]> {
        let ty = self.shader.func.ty(value);
        let numbers = (0..Storage::of(ty).dwords())
            .flat_map(|index| (0..ty.comps()).map(move |comp| (index, comp)));
        let src = Src::new(value);
        numbers
            .map(|(index, comp)| (index, comp, self.read_part(src.select(comp), index)))
            .collect()
    }
}

/// Whether an operand has one element for the thread.
fn is_scalar(operand: &Operand) -> bool {
    super::operands::is_thread_scalar(operand)
}

/// Whether two operands are the same elements of the same register.
fn same_place(a: &Operand, b: &Operand) -> bool {
    a.file == b.file
        && a.offset == b.offset
        && a.region == b.region
        && !matches!(a.file, File::Imm(_))
}
