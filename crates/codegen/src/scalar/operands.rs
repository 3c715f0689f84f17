//! Where values are, and how an instruction reads them.

use crestline_isa::Type;
use crestline_ssa::ir::{AluOp, InstData, InstKind, Src, Ty, Value};

use super::Selector;
use crate::ir::{Operand, Region};
use crate::select::{Class, modify};

/// A dword of a component. A value of 8 or 16 bits is in the low bits of its dword, and the rest is any bits; one of 64
/// bits has two dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The low dword, or the only one.
    Low,
    /// The high dword of 64 bits.
    High,
}

impl Half {
    /// Index of a component's dword among a value's places.
    pub(super) fn place(self, comp: usize) -> usize {
        comp + if self == Half::High { 4 } else { 0 }
    }
}

/// The places of a value's dwords, see [`Half::place`].
pub(super) type Homes = [Option<Operand>; 8];

/// A source with its modifiers unresolved: what [`Selector::peel`] finds.
#[derive(Clone, Copy)]
pub(super) struct Peeled {
    pub(super) src: Src,
    pub(super) negate: bool,
    pub(super) abs: bool,
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
        let mut operand = self.low_part(self.read(peeled.src), ty);
        if let Some(bits) = operand.imm_bits() {
            return Operand::imm(modify(bits, ty, peeled.negate, peeled.abs), ty);
        }
        operand.negate = peeled.negate;
        operand.abs = peeled.abs;
        operand
    }

    /// Looks through instructions that a source modifier of `class` can stand for.
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

    /// The first component of a source as it lies: its dword, of 64 bits the low one.
    ///
    /// Every value has a home before it is read: definitions come first in a verified shader, and booleans that are
    /// only compared in flags are never read as data (see [`super::cond::data_booleans`]).
    pub(super) fn read(&self, src: Src) -> Operand {
        self.read_half(src, Half::Low)
    }

    /// A dword of the first component of a source.
    pub(super) fn read_half(&self, src: Src, half: Half) -> Operand {
        let home = self.homes[src.value.index()][half.place(usize::from(src.swizzle[0]))];
        home.unwrap_or_else(|| {
            self.faults.note("a value is read before it has a place");
            Operand::imm_ud(0)
        })
    }

    /// Part `index` of every element of an operand, as type `ty`.
    pub(super) fn part(&self, operand: Operand, ty: Type, index: u32) -> Operand {
        operand.subscript(ty, index).unwrap_or_else(|| {
            self.faults.note("an element has no such part");
            operand
        })
    }

    /// The low bits of a dword that are a value of type `ty`. There are no constants of bytes: those are extended to words.
    fn low_part(&self, dword: Operand, ty: Type) -> Operand {
        if ty.size() >= Type::Ud.size() {
            return dword.retype(ty);
        }
        match (dword.imm_bits(), ty) {
            (Some(bits), Type::B) => Operand::imm(u64::from(bits as i8 as i16 as u16), Type::W),
            (Some(bits), Type::Ub) => Operand::imm(bits & 0xff, Type::Uw),
            (Some(bits), _) => Operand::imm(bits & 0xffff, ty),
            (None, _) => self.part(dword.retype(Type::Ud), ty, 0),
        }
    }

    /// Gives a component of a value its place.
    pub(super) fn set_home(&mut self, value: Value, comp: usize, operand: Operand) {
        self.set_half(value, comp, Half::Low, operand);
    }

    /// Gives a dword of a component its place.
    pub(super) fn set_half(&mut self, value: Value, comp: usize, half: Half, operand: Operand) {
        let computes = |inst: &InstData| matches!(inst.kind, InstKind::Alu { .. });
        if self.interface.forgets && self.shader.func.def(value).is_some_and(computes) {
            return;
        }
        self.homes[value.index()][half.place(comp)] = Some(operand);
    }

    /// Gives a component of a value the place of a component of another.
    pub(super) fn alias(&mut self, value: Value, comp: usize, src: Src) {
        for half in [Half::Low, Half::High] {
            let home = self.homes[src.value.index()][half.place(usize::from(src.swizzle[0]))];
            self.homes[value.index()][half.place(comp)] = home;
        }
    }

    /// A new register for component `comp` of `value`, or the one its reader wants it in; the destination operand.
    pub(super) fn define(&mut self, value: Value, comp: usize, class: Class) -> Operand {
        let ty = class.ty(self.bits(value));
        let wanted = if comp == 0 { self.wanted[value.index()] } else { None };
        let place = wanted.unwrap_or_else(|| self.new_register(value));
        self.set_home(value, comp, place);
        self.low_part(place, ty)
    }

    /// A register for one component of a value (a dword of it, of 64 bits): an element per channel, or one for the
    /// thread.
    pub(super) fn new_register(&mut self, value: Value) -> Operand {
        let ty = if self.bits(value) == 1 { Type::D } else { Type::Ud };
        if self.uniform.is(value) { self.out.scalar(ty) } else { self.out.lanes(ty, 1) }
    }

    /// Constants are immediates of their readers.
    pub(super) fn constant(&mut self, result: Option<Value>, bits: &[u64; 4]) {
        let Some(value) = result else { return };
        let ty = self.shader.func.ty(value);
        for (comp, &bits) in bits.iter().enumerate().take(ty.comps()) {
            self.set_home(value, comp, immediate(bits, ty));
            if ty.bits() == 64 {
                self.set_half(value, comp, Half::High, Operand::imm_ud((bits >> 32) as u32));
            }
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
    Operand::imm_ud(bits as u32)
}

/// Whether an operand holds one element for the thread rather than one per channel.
pub(super) fn is_thread_scalar(operand: &Operand) -> bool {
    operand.is_imm() || matches!(operand.region, Region::Stride(0))
}
