//! Where values are, and how an instruction reads them.

use crestline_isa::Type;
use crestline_ssa::ir::{AluOp, InstKind, Src, Ty, Value};

use super::Selector;
use crate::ir::{Operand, Region};

/// How an instruction understands the bits of a source, which decides the type and the modifiers it can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Float: negation and absolute value flip and clear the sign bit.
    Float,
    /// Signed integer; no modifiers, since the hardware's negation has a 33rd bit.
    Signed,
    /// Unsigned integer; no modifiers.
    Unsigned,
    /// Integer modulo its size: sums and low products. Negation is exact there.
    Wrapping,
    /// Bits: negation means complement.
    Logic,
}

impl Class {
    /// The register type for `bits` bits: 8, 16, 32 or 64. Booleans are masks of 32.
    pub(super) fn ty(self, bits: u32) -> Type {
        use Class::{Float, Logic, Signed, Unsigned, Wrapping};
        match (self, bits) {
            (Float, 16) => Type::Hf,
            (Float, 64) => Type::Df,
            (Float, _) => Type::F,
            (Signed | Wrapping, 8) => Type::B,
            (Signed | Wrapping, 16) => Type::W,
            (Signed | Wrapping, 64) => Type::Q,
            (_, 1) | (Signed | Wrapping, _) => Type::D,
            (Unsigned | Logic, 8) => Type::Ub,
            (Unsigned | Logic, 16) => Type::Uw,
            (Unsigned | Logic, 64) => Type::Uq,
            (Unsigned | Logic, _) => Type::Ud,
        }
    }
}

/// A source with its modifiers unresolved: what [`Selector::peel`] finds.
#[derive(Clone, Copy)]
struct Peeled {
    src: Src,
    negate: bool,
    abs: bool,
}

impl Selector<'_> {
    /// Bits per component of a value.
    pub(super) fn bits(&self, value: Value) -> u32 {
        self.shader.func.ty(value).bits()
    }

    /// The first component of a source as an operand of class `class`, with the modifiers that the class can take.
    pub(super) fn src(&mut self, src: Src, class: Class) -> Operand {
        self.src_comp(src, 0, class)
    }

    /// Component `comp` of a source, likewise.
    pub(super) fn src_comp(&mut self, src: Src, comp: usize, class: Class) -> Operand {
        let peeled = self.peel(src.select(comp), class);
        let ty = class.ty(self.bits(peeled.src.value));
        let mut operand = self.read(peeled.src).retype(ty);
        if let Some(bits) = operand.imm_bits() {
            return Operand::imm(modify(bits, ty, peeled.negate, peeled.abs), ty);
        }
        operand.negate = peeled.negate;
        operand.abs = peeled.abs;
        operand
    }

    /// Looks through instructions that a source modifier of `class` can stand for.
    fn peel(&self, src: Src, class: Class) -> Peeled {
        let func = &self.shader.func;
        let mut peeled = Peeled { src, negate: false, abs: false };
        while let Some(inst) = func.def(peeled.src.value) {
            let InstKind::Alu { op, srcs, .. } = &inst.kind else { break };
            let inner = srcs[0].select(peeled.src.swizzle[0] as usize);
            match (class, op) {
                (_, AluOp::Mov) => {}
                (Class::Float, AluOp::FNeg) | (Class::Wrapping, AluOp::INeg) => {
                    peeled.negate ^= !peeled.abs;
                }
                (Class::Float, AluOp::FAbs) => peeled.abs = true,
                // A mask of all ones is -1.
                (Class::Wrapping, AluOp::B2I) if self.is_mask32(inst.results[0]) => {
                    peeled.negate ^= !peeled.abs;
                    peeled.src = inner;
                    break;
                }
                (Class::Logic, AluOp::INot)
                    if self.device.has_logic_not_modifier() && self.has_home(inner.value) =>
                {
                    peeled.negate = !peeled.negate;
                }
                _ => break,
            }
            peeled.src = inner;
        }
        peeled
    }

    fn is_mask32(&self, result: Value) -> bool {
        self.bits(result) == 32
    }

    /// Whether the value exists outside flags.
    fn has_home(&self, value: Value) -> bool {
        self.homes[value.index()][0].is_some()
    }

    /// The first component of a source as it lies.
    ///
    /// Every value has a home before it is read: definitions come first in a verified shader, and booleans that are
    /// only compared in flags are never read as data (see [`super::cond::data_booleans`]).
    pub(super) fn read(&self, src: Src) -> Operand {
        let comp = usize::from(src.swizzle[0]);
        let home = self.homes[src.value.index()][comp];
        debug_assert!(home.is_some(), "{} is read but has no home", src.value);
        home.unwrap_or(Operand::imm_ud(0))
    }

    /// Gives a component of a value its place.
    pub(super) fn set_home(&mut self, value: Value, comp: usize, operand: Operand) {
        self.homes[value.index()][comp] = Some(operand);
    }

    /// Gives a scalar value the place of a component of another.
    pub(super) fn alias(&mut self, value: Value, comp: usize, src: Src) {
        self.homes[value.index()][comp] =
            self.homes[src.value.index()][usize::from(src.swizzle[0])];
    }

    /// A new register for component `comp` of `value`, or the one its reader wants it in; the destination operand.
    pub(super) fn define(&mut self, value: Value, comp: usize, class: Class) -> Operand {
        let ty = class.ty(self.bits(value));
        let wanted = if comp == 0 { self.wanted[value.index()] } else { None };
        let place = wanted.unwrap_or_else(|| self.new_register(value));
        self.set_home(value, comp, place);
        place.retype(ty)
    }

    /// A register for one component of a value: an element per channel, or one for the thread.
    pub(super) fn new_register(&mut self, value: Value) -> Operand {
        let ty = Class::Logic.ty(self.bits(value));
        if self.uniform.is(value) { self.out.scalar(ty) } else { self.out.lanes(ty, 1) }
    }

    /// Constants are immediates of their readers.
    pub(super) fn constant(&mut self, result: Option<Value>, bits: &[u64; 4]) {
        let Some(value) = result else { return };
        let ty = self.shader.func.ty(value);
        for (comp, &bits) in bits.iter().enumerate().take(ty.comps()) {
            self.set_home(value, comp, immediate(bits, ty));
        }
    }

    /// The operand in a register: constants come from the pool.
    pub(super) fn in_register(&mut self, operand: Operand) -> Operand {
        match operand.imm_bits() {
            Some(bits) => self.pool.get(&mut self.out, bits as u32, operand.ty),
            None => operand,
        }
    }

    /// Makes the sources of a two-source instruction legal: only the last may be a constant. `swap` says whether they
    /// may change places. Returns the sources and whether they did.
    pub(super) fn two_sources(
        &mut self,
        a: Operand,
        b: Operand,
        swap: bool,
    ) -> (Operand, Operand, bool) {
        match (a.is_imm(), b.is_imm()) {
            (true, false) if swap => (b, a, true),
            (true, _) => (self.in_register(a), b, false),
            _ => (a, b, false),
        }
    }
}

/// A constant component as an operand; booleans are masks.
fn immediate(bits: u64, ty: Ty) -> Operand {
    if ty.is_bool() {
        return Operand::imm_d(-i32::from(bits & 1 == 1));
    }
    Operand::imm(bits, Class::Logic.ty(ty.bits()))
}

/// The bits of a constant after modifiers of its type.
fn modify(bits: u64, ty: Type, negate: bool, abs: bool) -> u64 {
    if !negate && !abs {
        return bits;
    }
    let size = 8 * ty.size();
    let mask = u64::MAX >> (64 - size);
    let sign = 1u64 << (size - 1);
    let value = match ty {
        Type::F | Type::Hf | Type::Df => {
            let value = if abs { bits & !sign } else { bits };
            if negate { value ^ sign } else { value }
        }
        Type::D | Type::W | Type::B | Type::Q => {
            let value = if abs && bits & sign != 0 { bits.wrapping_neg() } else { bits };
            if negate { value.wrapping_neg() } else { value }
        }
        _ => !bits,
    };
    value & mask
}

/// Whether an operand holds one element for the thread rather than one per channel.
pub(super) fn is_thread_scalar(operand: &Operand) -> bool {
    operand.is_imm() || matches!(operand.region, Region::Stride(0))
}
