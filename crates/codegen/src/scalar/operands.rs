//! Value locations, and the operands with which instructions read values.

use crestline_isa::Type;
use crestline_ssa::ir::{AluOp, InstData, InstKind, Src, Value};

use super::Selector;
use super::location::{Elements, RegisterHint, Storage, ValueLocation};
use crate::ir::{Operand, Region};
use crate::select::{Class, modify};

/// The result of [`Selector::peel`]: a source and the modifiers that apply to it.
#[derive(Clone, Copy)]
pub(super) struct Peeled {
    pub(super) src: Src,
    pub(super) negate: bool,
    pub(super) abs: bool,
}

impl Selector<'_> {
    /// Number of bits per component of a value.
    pub(super) fn bits(&self, value: Value) -> u32 {
        self.shader.func.ty(value).bits()
    }

    /// The first component of a source as an operand of class `class`, with the source modifiers that this class
    /// permits.
    pub(super) fn src(&mut self, src: Src, class: Class) -> Operand {
        self.src_comp(src, 0, class)
    }

    /// Component `comp` of a source as an operand of class `class`, with the source modifiers that this class
    /// permits.
    pub(super) fn src_comp(&mut self, src: Src, comp: usize, class: Class) -> Operand {
        let peeled = self.peel(src.select(comp), class);
        let ty = class.ty(self.bits(peeled.src.value));
        let mut operand = self.typed(peeled.src, ty);
        if let Some(bits) = operand.imm_bits() {
            return immediate(modify(bits, ty, peeled.negate, peeled.abs), ty);
        }
        operand.negate = peeled.negate;
        operand.abs = peeled.abs;
        operand
    }

    /// Looks through instructions that can be replaced by a source modifier of `class`. Returns the source behind
    /// them and the modifiers. Negations inside an absolute value have no effect.
    pub(super) fn peel(&self, src: Src, class: Class) -> Peeled {
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
                // A mask of all ones is -1, so the boolean as an integer is the negated mask.
                (Class::Wrapping, AluOp::B2I) if self.is_mask32(inst.results[0]) => {
                    peeled.negate ^= !peeled.abs;
                    peeled.src = inner;
                    break;
                }
                (Class::Logic, AluOp::INot)
                    if self.target.has_logic_not_modifier() && self.is_data(inner.value) =>
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

    /// Whether the value is stored in registers or is a constant, and is not computed in flags only.
    fn is_data(&self, value: Value) -> bool {
        !matches!(self.locations.get(value, 0), None | Some(ValueLocation::Flags))
    }

    /// The location of the first component of a source.
    ///
    /// Every value has a location before it is read: in a verified shader definitions come first, and booleans that
    /// are compared in flags only are never read as data (see [`crate::select::Booleans`]). If there is none, an
    /// internal error is recorded.
    pub(super) fn location(&self, src: Src) -> ValueLocation {
        let location = self.locations.get(src.value, usize::from(src.swizzle[0]));
        location.unwrap_or_else(|| {
            self.faults.note("a value is read before it has a location");
            ValueLocation::Constant(0, Storage::of(self.shader.func.ty(src.value)))
        })
    }

    /// The first component of a source as an immediate or as elements of type `ty`.
    fn typed(&self, src: Src, ty: Type) -> Operand {
        let operand = match self.location(src) {
            ValueLocation::Constant(bits, _) => Some(immediate(bits, ty)),
            ValueLocation::Elements(elements) => elements.operand(ty),
            ValueLocation::Dwords(_) | ValueLocation::Flags => None,
        };
        self.readable(operand)
    }

    /// Dword `index` of the first component of a source; dword 0 of a 64-bit component is the low one. A component of
    /// 8 or 16 bits is the low part of its dword, whose other bits are undefined; it is moved to such a dword if it is
    /// in another place.
    pub(super) fn read_dword(&mut self, src: Src, index: usize) -> Operand {
        let location = self.location(src);
        let (dword, small) = match location {
            ValueLocation::Elements(elements) => (elements.dword(index), elements.small()),
            _ => (location.dword(index), None),
        };
        let (None, Some(small)) = (dword, small) else { return self.readable(dword) };
        let scalar = is_thread_scalar(&small);
        let dword = if scalar { self.out.scalar(Type::Ud) } else { self.out.lanes(Type::Ud, 1) };
        let mut b = self.b();
        let mut b = if scalar { b.uniform() } else { b };
        b.mov(dword, small);
        dword
    }

    /// Whether the values of a component of `value` are packed words, unless a message or conversion wrote them.
    pub(super) fn has_words(&self, value: Value) -> bool {
        self.target.has_half_float() && self.bits(value) == 16
    }

    /// A part of the first component of a source as it is copied: dword `index`, or the word of a component of 16 bits
    /// if the device has half floats.
    pub(super) fn read_part(&mut self, src: Src, index: usize) -> Operand {
        if self.has_words(src.value) {
            return self.typed(src, Type::Uw);
        }
        self.read_dword(src, index)
    }

    /// The operand, or a recorded internal error if the location could not be read in the requested form.
    pub(super) fn readable(&self, operand: Option<Operand>) -> Operand {
        operand.unwrap_or_else(|| {
            self.faults.note("a value is read in a form that its location does not hold");
            Operand::imm_ud(0)
        })
    }

    /// Part `index` of each element of an operand, as type `ty`.
    pub(super) fn part(&self, operand: Operand, ty: Type, index: u32) -> Operand {
        operand.subscript(ty, index).unwrap_or_else(|| {
            self.faults.note("an element does not have the requested part");
            operand
        })
    }

    /// Makes an operand the location of a component of at most 32 bits.
    pub(super) fn locate(&mut self, value: Value, comp: usize, operand: Operand) {
        let storage = Storage::of(self.shader.func.ty(value));
        self.set_location(value, comp, ValueLocation::of(operand, storage));
    }

    /// Makes two dwords the location of a 64-bit component.
    pub(super) fn locate_dwords(&mut self, value: Value, comp: usize, dwords: [Operand; 2]) {
        self.set_location(value, comp, ValueLocation::of_dwords(dwords));
    }

    /// Sets the location of a component. `None` records an internal error.
    pub(super) fn set_location(
        &mut self,
        value: Value,
        comp: usize,
        location: Option<ValueLocation>,
    ) {
        let computes = |inst: &InstData| matches!(inst.kind, InstKind::Alu { .. });
        if self.interface.forgets() && self.shader.func.def(value).is_some_and(computes) {
            return;
        }
        if location.is_none() {
            self.faults.note("a value is written to an operand that cannot be a location");
        }
        self.locations.set(value, comp, location);
    }

    /// Gives a component of a value the location of a component of another value, or of the low part of its elements.
    pub(super) fn alias(&mut self, value: Value, comp: usize, src: Src) {
        let storage = Storage::of(self.shader.func.ty(value));
        let location = self.location(src).narrowed(storage);
        self.set_location(value, comp, location);
    }

    /// Records that a boolean has no register and is compared at its uses.
    pub(super) fn keep_in_flags(&mut self, value: Value) {
        self.set_location(value, 0, Some(ValueLocation::Flags));
    }

    /// Gives component `comp` of `value` a register: the one of the register hint, or a new one. Returns the
    /// destination operand.
    pub(super) fn define(&mut self, value: Value, comp: usize, class: Class) -> Operand {
        let ty = class.ty(self.bits(value));
        let hint = if comp == 0 { self.hints[value.index()] } else { None };
        let words = self.has_words(value);
        let register = match hint {
            Some(RegisterHint(elements)) if words => self.readable(elements.operand(Type::Uw)),
            Some(RegisterHint(elements)) => self.readable(elements.dword(0)),
            None => self.new_register(value),
        };
        self.locate(value, comp, register);
        let storage = Storage::of(self.shader.func.ty(value));
        let elements = Elements::at(register, storage);
        self.readable(elements.and_then(|elements| elements.operand(ty)))
    }

    /// Allocates a register for one component of a value, or for one dword of a 64-bit component. It has one element
    /// per channel, or one for the thread if the value is uniform.
    pub(super) fn new_register(&mut self, value: Value) -> Operand {
        match (self.has_words(value), self.uniform.is(value)) {
            (true, false) => self.out.lanes(Type::Uw, 1),
            (true, true) => self.new_dword(value).retype(Type::Uw),
            (false, _) => self.new_dword(value),
        }
    }

    /// Allocates a register as [`Selector::new_register`] does, but with a dword for a component of 8 or 16 bits.
    pub(super) fn new_dword(&mut self, value: Value) -> Operand {
        let ty = Storage::of(self.shader.func.ty(value)).dword();
        if self.uniform.is(value) { self.out.scalar(ty) } else { self.out.lanes(ty, 1) }
    }

    /// Sets the location of a constant: an immediate of each instruction that reads it.
    pub(super) fn constant(&mut self, result: Option<Value>, bits: &[u64; 4]) {
        let Some(value) = result else { return };
        let ty = self.shader.func.ty(value);
        for (comp, &bits) in bits.iter().enumerate().take(ty.comps()) {
            self.set_location(value, comp, Some(ValueLocation::constant(bits, ty)));
        }
    }

    /// The operand in a register: a constant comes from the pool.
    pub(super) fn in_register(&mut self, operand: Operand) -> Operand {
        match operand.imm_bits() {
            Some(bits) => self.pool.get(&mut self.out, bits as u32, operand.ty),
            None => operand,
        }
    }

    /// Makes the sources of a two-source instruction legal: only the last one may be a constant. `swap` states
    /// whether the sources may be swapped. Returns the sources, and whether they were swapped.
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

/// An immediate of type `ty`. There are no immediates of bytes, so a byte is extended to a word.
fn immediate(bits: u64, ty: Type) -> Operand {
    match ty {
        Type::B => Operand::imm(u64::from(bits as i8 as i16 as u16), Type::W),
        Type::Ub => Operand::imm(bits & 0xff, Type::Uw),
        _ if ty.size() == 2 => Operand::imm(bits & 0xffff, ty),
        _ if ty.size() == 4 => Operand::imm(bits & 0xffff_ffff, ty),
        _ => Operand::imm(bits, ty),
    }
}

/// Whether an operand has one element for the thread and not one per channel.
pub(super) fn is_thread_scalar(operand: &Operand) -> bool {
    operand.is_imm() || matches!(operand.region, Region::Stride(0))
}
