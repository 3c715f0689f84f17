//! Value locations in vec4 mode, and the operands with which instructions read and write values.
//!
//! A value with 32-bit components is one vector per vertex: one register for two vertices. Component `i` can be in
//! any of the four channels of the vector, so that a scalar can be computed directly in a component of a larger
//! vector. A value with 64-bit components has one register per vertex. Booleans that are used as data are masks of 32
//! bits.
//!
//! A *four-wide* source is an [`Src`] whose swizzle has a valid entry for each of the four channels of a vector,
//! whether or not the operation writes that channel.

use crestline_isa::{Swizzle, Type, WriteMask};
use crestline_ssa::ir::{AluOp, InstData, InstKind, Src, Value};

use super::Selector;
use crate::ir::{GRF_BYTES, Operand, Region};
use crate::select::{Class, modify};

/// The location of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueLocation {
    /// A register or push constant: the operand's swizzle maps component `i` to a component of the vector.
    Register(Operand),
    /// A constant, which becomes an operand of each instruction that reads it.
    Constant([u64; 4]),
}

/// The channel of a vector in which each component of a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    to: [u8; 4],
    count: u8,
}

impl Lanes {
    /// The first `count` channels, in order.
    pub(super) fn first(count: usize) -> Lanes {
        Lanes { to: Src::IDENTITY, count: count as u8 }
    }

    /// The given channels, in order.
    pub(super) fn of(channels: &[u8]) -> Lanes {
        let mut lanes = Lanes { to: [0; 4], count: channels.len() as u8 };
        lanes.to[..channels.len()].copy_from_slice(channels);
        lanes
    }

    /// The channel of each component.
    pub(super) fn channels(&self) -> &[u8] {
        &self.to[..usize::from(self.count)]
    }

    /// The mask of the channels.
    pub(super) fn mask(&self) -> u8 {
        self.channels().iter().fold(0, |mask, channel| mask | 1 << channel)
    }

    /// The composition of two mappings: component `i` goes to channel `self[inner[i]]`.
    pub(super) fn then(&self, inner: Lanes) -> Lanes {
        Lanes { to: inner.to.map(|channel| self.to[usize::from(channel)]), count: inner.count }
    }

    /// The four-wide source in which each channel reads the component that this mapping assigns to it. Other channels
    /// read the first component.
    pub(super) fn spread(&self, src: Src) -> Src {
        let mut swizzle = [src.swizzle[0]; 4];
        for (comp, &channel) in self.channels().iter().enumerate() {
            swizzle[usize::from(channel)] = src.swizzle[comp];
        }
        Src { value: src.value, swizzle }
    }

    /// The swizzle that reads the components in order.
    fn swizzle(&self) -> Swizzle {
        let last = self.to[usize::from(self.count.max(1)) - 1];
        let used = |i: usize| i < usize::from(self.count);
        Swizzle(std::array::from_fn(|i| if used(i) { self.to[i] } else { last }))
    }
}

/// A register and the channels of it in which a value is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorRegister {
    /// The whole vector: its offset is that of component 0, its type UD or DF.
    pub(super) vector: Operand,
    pub(super) lanes: Lanes,
}

impl VectorRegister {
    /// The register as a destination of type `ty`, with a write mask of its channels.
    pub(super) fn dst(&self, ty: Type) -> Operand {
        self.vector.retype(ty).with_region(Region::Mask(WriteMask(self.lanes.mask())))
    }

    /// The register as a source that reads the components in order.
    pub(super) fn src(&self) -> Operand {
        self.vector.with_region(Region::Swizzle(self.lanes.swizzle()))
    }
}

/// The kinds of operands that a source of an instruction can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Any: also a constant with the same value in all channels, or a packed vector of small floats.
    Any,
    /// Any except a constant.
    Register,
    /// A register with a vector per vertex, or one element for all channels.
    Three,
}

/// Size in bytes of a vector of four 32-bit components.
pub(super) const VECTOR_BYTES: u32 = 16;

impl Selector<'_> {
    /// Number of bits per component of a value.
    pub(super) fn bits(&self, value: Value) -> u32 {
        self.shader.func.ty(value).bits()
    }

    /// Number of components of a value.
    pub(super) fn comps(&self, value: Value) -> usize {
        self.shader.func.ty(value).comps()
    }

    /// A four-wide source as an operand of class `class`, with the source modifiers that this class permits. Only the
    /// channels of `mask` must be valid.
    pub(super) fn src(&mut self, src: Src, mask: u8, class: Class, form: Form) -> Operand {
        let peeled = self.peel(src, class);
        let ty = class.ty(self.bits(peeled.src.value));
        match self.location(peeled.src.value) {
            ValueLocation::Register(register) => {
                let mut operand = at(register, peeled.src).retype(ty);
                operand.negate = peeled.negate;
                operand.abs = peeled.abs;
                if form == Form::Three { self.own_register(operand, mask) } else { operand }
            }
            ValueLocation::Constant(bits) => {
                let change = |bits| modify(bits, ty, peeled.negate, peeled.abs);
                let bits = peeled.src.swizzle.map(|comp| change(bits[usize::from(comp)]));
                self.constant_operand(bits, mask, ty, form)
            }
        }
    }

    /// A constant vector as an operand: an immediate if `form` permits it, otherwise a register of the pool.
    pub(super) fn constant_operand(
        &mut self,
        bits: [u64; 4],
        mask: u8,
        ty: Type,
        form: Form,
    ) -> Operand {
        if form == Form::Any {
            let mut used = (0..4).filter(|lane| mask >> lane & 1 == 1).map(|lane| bits[lane]);
            let first = used.next().unwrap_or(0);
            if used.all(|other| other == first) {
                return Operand::imm(first, ty);
            }
            if ty == Type::F
                && let Some(packed) = crate::ir::packed_floats(bits, mask)
            {
                return packed;
            }
        }
        self.pool.get(&mut self.out, bits, mask, ty)
    }

    /// Whether the source is a constant, after source modifiers are looked through.
    pub(super) fn is_constant(&self, src: Src, class: Class) -> bool {
        matches!(self.location(self.peel(src, class).src.value), ValueLocation::Constant(_))
    }

    /// Copies a vector that all channels share to a register with a vector per vertex, as three-source instructions
    /// require. If all channels read one element, no copy is needed. A vector of dwords is copied whole, so that
    /// other instructions can read other components of the copy.
    fn own_register(&mut self, operand: Operand, mask: u8) -> Operand {
        let Region::Swizzle(Swizzle([x, y, z, w])) = operand.region else { return operand };
        if operand.in_grf() {
            return operand;
        }
        if x == y && y == z && z == w && operand.ty.size() == 4 {
            return operand
                .byte_offset(u32::from(x) * operand.ty.size())
                .with_region(Region::SCALAR);
        }
        if operand.ty.size() == 8 {
            let copy = self.vector(operand.ty);
            let dst = copy.with_region(Region::Mask(WriteMask(mask)));
            self.b().mov(dst, operand.without_modifiers().retype(Type::Df));
            let read = copy.retype(operand.ty).with_region(Region::Swizzle(Swizzle::XYZW));
            return Operand { negate: operand.negate, abs: operand.abs, ..read };
        }
        let key = (operand.file, operand.offset);
        let copy = self.known.copies.get(&key).unwrap_or_else(|| {
            let copy = self.vector(Type::Ud);
            let whole = operand.without_modifiers().retype(Type::Ud);
            let whole = whole.with_region(Region::Swizzle(Swizzle::XYZW));
            self.b().mov(copy.with_region(Region::Mask(WriteMask::XYZW)), whole);
            self.known.copies.put(key, copy);
            copy
        });
        Operand { file: copy.file, offset: copy.offset, ..operand }
    }

    /// Looks through instructions that can be replaced by a source modifier of `class`. Returns the source behind
    /// them and the modifiers. Negations inside an absolute value have no effect.
    pub(super) fn peel(&self, src: Src, class: Class) -> Peeled {
        let func = &self.shader.func;
        let mut peeled = Peeled { src, negate: false, abs: false };
        while let Some(inst) = func.def(peeled.src.value) {
            let InstKind::Alu { op, srcs, .. } = &inst.kind else { break };
            let Some(&first) = srcs.first() else { break };
            let inner = first.then(peeled.src.swizzle);
            match (class, op) {
                (_, AluOp::Mov) => {}
                (Class::Float, AluOp::FNeg) | (Class::Wrapping, AluOp::INeg) => {
                    peeled.negate ^= !peeled.abs;
                }
                (Class::Float, AluOp::FAbs) => peeled.abs = true,
                // A mask of all ones is -1, so the boolean as an integer is the negated mask.
                (Class::Wrapping, AluOp::B2I) if self.bits(inst.results[0]) == 32 => {
                    peeled.negate ^= !peeled.abs;
                    peeled.src = inner;
                    break;
                }
                (Class::Logic, AluOp::INot)
                    if self.target.has_logic_not_modifier() && self.is_in_register(inner.value) =>
                {
                    peeled.negate = !peeled.negate;
                }
                _ => break,
            }
            peeled.src = inner;
        }
        peeled
    }

    /// The location of a value. Every value has one before it is read: in a verified shader definitions come first,
    /// and booleans that are compared in flags only are never read as data. If there is none, an internal error is
    /// recorded.
    pub(super) fn location(&self, value: Value) -> ValueLocation {
        let location = self.locations[value.index()];
        location.unwrap_or_else(|| {
            self.faults.note("a value is read before it has a location");
            ValueLocation::Constant([0; 4])
        })
    }

    fn is_in_register(&self, value: Value) -> bool {
        matches!(self.locations[value.index()], Some(ValueLocation::Register(_)))
    }

    /// Sets the location of a value.
    pub(super) fn set_location(&mut self, value: Value, location: ValueLocation) {
        let computes = |inst: &InstData| matches!(inst.kind, InstKind::Alu { .. });
        if self.interface.forgets() && self.shader.func.def(value).is_some_and(computes) {
            return;
        }
        self.locations[value.index()] = Some(location);
    }

    /// Makes the elements that a four-wide source reads the location of a value.
    pub(super) fn alias(&mut self, value: Value, src: Src) {
        let location = match self.location(src.value) {
            ValueLocation::Register(register) => ValueLocation::Register(at(register, src)),
            ValueLocation::Constant(bits) => {
                ValueLocation::Constant(src.swizzle.map(|comp| bits[usize::from(comp)]))
            }
        };
        self.set_location(value, location);
    }

    /// Allocates a register for one vector per vertex, with components of the size of `ty`.
    pub(super) fn vector(&mut self, ty: Type) -> Operand {
        let bytes = if ty.size() == 8 { 2 * GRF_BYTES } else { GRF_BYTES };
        Operand::vgrf(self.out.vregs.bytes(bytes), if ty.size() == 8 { Type::Df } else { Type::Ud })
    }

    /// Gives a result a register: the one of its hint, or a new one.
    pub(super) fn define(&mut self, value: Value) -> VectorRegister {
        let register = match self.hinted_register(value) {
            Some(register) => register,
            None => self.new_register(value),
        };
        self.set_location(value, ValueLocation::Register(register.src()));
        register
    }

    /// Allocates a register for a value.
    pub(super) fn new_register(&mut self, value: Value) -> VectorRegister {
        let wide = self.bits(value) == 64;
        let vector = self.vector(if wide { Type::Df } else { Type::Ud });
        VectorRegister { vector, lanes: Lanes::first(self.comps(value)) }
    }

    /// A register for an intermediate value with the same channels as `like`.
    pub(super) fn temporary(&mut self, like: VectorRegister, ty: Type) -> VectorRegister {
        VectorRegister { vector: self.vector(ty), lanes: like.lanes }
    }

    /// Sets the location of a constant: an operand of each instruction that reads it.
    pub(super) fn constant(&mut self, result: Option<Value>, bits: &[u64; 4]) {
        let Some(value) = result else { return };
        let ty = self.shader.func.ty(value);
        let last = bits[ty.comps() - 1];
        let bits = std::array::from_fn(|i| match (i < ty.comps(), ty.is_bool()) {
            (true, true) => {
                if bits[i] & 1 == 1 {
                    u64::from(u32::MAX)
                } else {
                    0
                }
            }
            (true, false) => bits[i],
            (false, _) => last,
        });
        self.set_location(value, ValueLocation::Constant(bits));
    }
}

/// The result of [`Selector::peel`]: a source and the modifiers that apply to it.
#[derive(Clone, Copy)]
pub(super) struct Peeled {
    pub(super) src: Src,
    pub(super) negate: bool,
    pub(super) abs: bool,
}

/// The operand with which a four-wide source reads the register of a value.
fn at(register: Operand, src: Src) -> Operand {
    match register.region {
        Region::Swizzle(Swizzle(location)) => {
            let swizzle = src.swizzle.map(|comp| location[usize::from(comp)]);
            register.with_region(Region::Swizzle(Swizzle(swizzle)))
        }
        _ => register,
    }
}

/// A four-wide operand with its channels permuted: channel `i` reads what channel `through[i]` read.
pub(super) fn swizzled(operand: Operand, through: [u8; 4]) -> Operand {
    match operand.region {
        Region::Swizzle(Swizzle(old)) => {
            let new = through.map(|channel| old[usize::from(channel)]);
            operand.with_region(Region::Swizzle(Swizzle(new)))
        }
        _ => operand,
    }
}

/// A register as a source in which each channel reads its own component.
pub(super) fn in_channel_order(register: VectorRegister) -> Operand {
    register.vector.with_region(Region::Swizzle(Swizzle::XYZW))
}
