//! Structured control flow ([`Structured`]) in vec4 mode, with one vector register per value.

use crestline_isa::Type;
use crestline_ssa::ir::{RegionId, Shader, Src, Value};

use super::operands::{Form, Lanes, ValueLocation, VectorRegister};
use super::{Known, SelectError, Selector};
use crate::ir::{Builder, Op, Operand};
use crate::select::{Class, Cond, Copy, Frames, Structured};

impl<'a> Structured<'a> for Selector<'a> {
    type Registers = VectorRegister;
    type Known = Known;

    fn shader(&self) -> &'a Shader {
        self.shader
    }

    fn b(&mut self) -> Builder<'_> {
        Selector::b(self)
    }

    fn frames(&mut self) -> &mut Frames<VectorRegister> {
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
        self.known.clone()
    }

    fn remember(&mut self, known: Known) {
        self.known = known;
    }

    fn enter_loop(&mut self) {
        self.known = Known::default();
    }

    fn new_registers(&mut self, value: Value) -> VectorRegister {
        let register = self.new_register(value);
        self.share_registers(value, &register);
        register
    }

    fn share_registers(&mut self, value: Value, register: &VectorRegister) {
        self.set_location(value, ValueLocation::Register(register.src()));
    }

    fn alias_all(&mut self, value: Value, src: Src) {
        Selector::alias(self, value, src);
    }

    /// Sets a register hint if all components of a 32-bit value go to the register in order.
    fn hint(&mut self, src: Src, &register: &VectorRegister) {
        let ty = self.shader.func.ty(src.value);
        let whole = src.is_identity(ty.comps()) && register.lanes.channels().len() == ty.comps();
        if whole && ty.bits() == 32 {
            Selector::hint(self, src.value, register);
        }
    }

    fn stays(&self, _: Value, _: Src) -> bool {
        true
    }

    fn alike(&self, _: Value, _: Value) -> bool {
        true
    }

    /// Emits `undef` before the loop, which makes the register live from there on.
    fn reserve(&mut self, register: &VectorRegister) {
        let dst = register.dst(register.vector.ty);
        self.b().emit(Op::Undef, dst, &[]);
    }

    /// Emits one `sel` of vectors.
    fn pick(&mut self, cond: Src, [a, b]: [Src; 2], _: Value, &register: &VectorRegister) {
        let cond = self.cond(cond);
        let (lanes, mask) = (register.lanes, register.lanes.mask());
        let class = copy_class(register);
        let swap = self.is_constant(a, class) && !self.is_constant(b, class);
        let [a, b] = if swap { [b, a] } else { [a, b] };
        let a = self.src(lanes.spread(a), mask, class, Form::Register);
        let b = self.src(lanes.spread(b), mask, class, Form::Any);
        let cond = cond.inverse_if(swap);
        let dst = register.dst(a.ty);
        self.b().predicate(cond.flag, cond.predicate).sel(dst, a, b.retype(a.ty));
    }

    /// One copy of a vector, unless all components are in the register already.
    fn copies(&mut self, &register: &VectorRegister, src: Src) -> Vec<Copy> {
        let (lanes, mask) = (register.lanes, register.lanes.mask());
        let spread = lanes.spread(src);
        let there = (0..4).all(|lane| {
            mask >> lane & 1 == 0 || self.is_there(spread.select(lane), register, lane as u8)
        });
        if there {
            return Vec::new();
        }
        let operand = self.src(spread, mask, copy_class(register), Form::Any);
        vec![(register.dst(register.vector.ty), operand)]
    }

    fn can_be_predicated(&self, _: &Copy) -> bool {
        true
    }

    fn copy(&mut self, (dst, src): Copy, cond: Option<Cond>) {
        let mut b = Selector::b(self);
        let src = if src.ty.is_packed_vector() { src } else { src.retype(dst.ty) };
        match cond {
            Some(cond) => b.predicate(cond.flag, cond.predicate).mov(dst, src),
            None => b.mov(dst, src),
        };
    }

    fn saved(&mut self, register: Operand) -> Operand {
        let saved = VectorRegister { vector: self.vector(register.ty), lanes: Lanes::first(4) };
        let whole = VectorRegister { vector: register, lanes: Lanes::first(4) };
        self.b().mov(saved.dst(register.ty), whole.src());
        saved.vector
    }
}

/// The class as which values are copied: one without source modifiers, except for doubles, for which there is only
/// one type.
fn copy_class(register: VectorRegister) -> Class {
    if register.vector.ty == Type::Df { Class::Float } else { Class::Unsigned }
}
