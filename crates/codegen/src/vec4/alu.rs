//! Selection of arithmetic: operations with one instruction come from the table of rules ([`crate::select`]); others
//! have a function each.

use crestline_isa::{CondMod, MathFn, Opcode, PredCtrl, Predicate, Type, WriteMask};
use crestline_ssa::ir::{AluOp, InstKind, Src, Srcs, Value};

use super::operands::{Form, Lanes, ValueLocation, VectorRegister, in_channel_order, swizzled};
use super::{SelectError, Selector};
use crate::ir::{Op, Operand, Region};
use crate::select::{Class, Rule, rule};
use crate::target::Mode;

impl Selector<'_> {
    /// Selects an arithmetic instruction.
    pub(super) fn alu(&mut self, op: AluOp, srcs: &Srcs, result: Value) -> Result<(), SelectError> {
        self.check_bits(op, srcs, result)?;
        match rule(op) {
            Rule::Components => self.components(op, srcs, result),
            _ if self.bits(result) == 1 && op != AluOp::Select => self.boolean(op, srcs, result),
            Rule::Hw(opcode, class) => self.hw(Op::Hw(opcode), class, class, srcs, result),
            Rule::Count(opcode, class) => {
                self.hw(Op::Hw(opcode), class, Class::Unsigned, srcs, result);
            }
            Rule::Math(function, class) => self.math(function, class, srcs, result),
            Rule::MinMax(cond_mod, class) => self.min_max(cond_mod, class, srcs, result),
            Rule::Convert(from, to) => self.convert(op, from, to, srcs[0], result),
            Rule::Boolean => self.boolean(op, srcs, result),
            Rule::Special => self.special(op, srcs, result)?,
        }
        Ok(())
    }

    /// Checks that the table of native operations contains the operand sizes. Booleans and 32 bits are not checked:
    /// the mid-end's lowering ensures them.
    fn check_bits(&self, op: AluOp, srcs: &[Src], result: Value) -> Result<(), SelectError> {
        let fits = |bits| matches!(bits, 1 | 32) || self.target.selects(Mode::Vec4, op, bits);
        // The table is for the float of a conversion. There are no 64-bit integers.
        let integer = match op {
            AluOp::I2F | AluOp::U2F => Some(srcs[0].value),
            AluOp::F2I | AluOp::F2U => Some(result),
            _ => None,
        };
        if integer.is_some_and(|value| self.bits(value) == 64) {
            return Err(SelectError::BitSize { op: op.name(), bits: 64 });
        }
        let values = srcs.iter().map(|src| src.value).chain([result]);
        match values.map(|v| self.bits(v)).find(|&bits| !fits(bits)) {
            Some(bits) => Err(SelectError::BitSize { op: op.name(), bits }),
            None => Ok(()),
        }
    }

    /// Selects an operation whose result consists of components of its sources. If they are not in one register, they
    /// are moved together.
    fn components(&mut self, op: AluOp, srcs: &Srcs, result: Value) {
        match op {
            AluOp::Mov if !self.has_hint(result) => self.alias(result, srcs[0]),
            AluOp::Mov => {
                let parts: Vec<Src> = (0..self.comps(result)).map(|c| srcs[0].select(c)).collect();
                self.build(&parts, result);
            }
            AluOp::Pack64From32 => self.pack_double(srcs[0], result),
            AluOp::Unpack64To32 => self.unpack_double(srcs[0], result),
            AluOp::Pack64FromHalves => self.join_halves([srcs[0], srcs[1]], result),
            AluOp::Unpack64Low => self.half_of(srcs[0], 0, result),
            AluOp::Unpack64High => self.half_of(srcs[0], 1, result),
            _ => {
                if !self.has_hint(result)
                    && let Some(location) = self.common_location(srcs)
                {
                    return self.set_location(result, location);
                }
                self.build(srcs, result);
            }
        }
    }

    /// The location of a vector whose components are all in one register or all constant; otherwise `None`.
    fn common_location(&self, parts: &[Src]) -> Option<ValueLocation> {
        let locations: Vec<ValueLocation> =
            parts.iter().map(|part| self.component_location(*part)).collect();
        let last = locations.len() - 1;
        match locations[0] {
            ValueLocation::Register(first) => {
                let mut swizzle = [0; 4];
                for (i, channel) in swizzle.iter_mut().enumerate() {
                    let ValueLocation::Register(part) = locations[i.min(last)] else { return None };
                    if (part.file, part.offset, part.ty) != (first.file, first.offset, first.ty) {
                        return None;
                    }
                    let crate::ir::Region::Swizzle(crestline_isa::Swizzle(old)) = part.region
                    else {
                        return None;
                    };
                    *channel = old[0];
                }
                let region = crate::ir::Region::Swizzle(crestline_isa::Swizzle(swizzle));
                Some(ValueLocation::Register(first.with_region(region)))
            }
            ValueLocation::Constant(_) => {
                let mut all = [0; 4];
                for (i, bits) in all.iter_mut().enumerate() {
                    let ValueLocation::Constant(part) = locations[i.min(last)] else { return None };
                    *bits = part[0];
                }
                Some(ValueLocation::Constant(all))
            }
        }
    }

    /// The location of one component, with a swizzle that reads it in all channels.
    fn component_location(&self, part: Src) -> ValueLocation {
        let comp = usize::from(part.swizzle[0]);
        match self.location(part.value) {
            ValueLocation::Register(register) => {
                ValueLocation::Register(swizzled(register, [comp as u8; 4]))
            }
            ValueLocation::Constant(bits) => ValueLocation::Constant([bits[comp]; 4]),
        }
    }

    /// Moves components to the channels of a result. Components of one value are moved by one instruction; those that
    /// are there already are not moved.
    fn build(&mut self, parts: &[Src], result: Value) {
        let register = self.define(result);
        let class = if self.bits(result) == 64 { Class::Float } else { Class::Unsigned };
        self.move_parts(parts, register, class);
    }

    /// Moves the first component of part `i` to the register's channel for component `i`, with one instruction per
    /// source value. Components that are there already are not moved.
    pub(super) fn move_parts(&mut self, parts: &[Src], register: VectorRegister, class: Class) {
        let channels = register.lanes.channels().to_vec();
        let mut left: Vec<(Src, u8)> = parts.iter().copied().zip(channels).collect();
        left.retain(|(part, to)| !self.is_there(*part, register, *to));
        let constant = |selector: &Self, part: &Src| {
            matches!(selector.location(part.value), ValueLocation::Constant(_))
        };
        // Constants of all values are moved together.
        let constants: Vec<(Src, u8)> =
            left.iter().copied().filter(|(part, _)| constant(self, part)).collect();
        left.retain(|(part, _)| !constant(self, part));
        while let Some(&(first, _)) = left.first() {
            let group: Vec<(Src, u8)> =
                left.iter().copied().filter(|(part, _)| part.value == first.value).collect();
            left.retain(|(part, _)| part.value != first.value);
            let mut src = first;
            src.swizzle = [first.swizzle[0]; 4];
            for (part, to) in &group {
                src.swizzle[usize::from(*to)] = part.swizzle[0];
            }
            let lanes = Lanes::of(&group.iter().map(|(_, to)| *to).collect::<Vec<u8>>());
            let part = VectorRegister { lanes, ..register };
            let operand = self.src(src, lanes.mask(), class, Form::Register);
            let dst = part.dst(operand.ty);
            self.b().mov(dst, operand);
        }
        if !constants.is_empty() {
            self.move_constants(&constants, register, class);
        }
    }

    /// Moves constants to their channels of a register.
    fn move_constants(&mut self, constants: &[(Src, u8)], register: VectorRegister, class: Class) {
        let mut by_channel = [None; 4];
        for (part, to) in constants {
            if let ValueLocation::Constant(bits) = self.location(part.value) {
                by_channel[usize::from(*to)] = Some(bits[usize::from(part.swizzle[0])]);
            }
        }
        let wide = class.ty(self.bits(constants[0].0.value)).size() == 8;
        let mut b = self.b();
        if wide {
            for (comp, bits) in by_channel.iter().enumerate() {
                let Some(bits) = *bits else { continue };
                let dst =
                    VectorRegister { lanes: Lanes::of(&[comp as u8]), ..register }.dst(Type::Df);
                b.mov(dst, Operand::imm(bits, Type::Df));
            }
        } else {
            super::consts::fill_channels(&mut b, register.vector, by_channel);
        }
    }

    /// Whether a component is already in channel `to` of a register.
    pub(super) fn is_there(&self, part: Src, register: VectorRegister, to: u8) -> bool {
        let there = |location: Operand| {
            let crate::ir::Region::Swizzle(crestline_isa::Swizzle(old)) = location.region else {
                return false;
            };
            location.file == register.vector.file
                && location.offset == register.vector.offset
                && old[usize::from(part.swizzle[0])] == to
        };
        matches!(self.location(part.value), ValueLocation::Register(location) if there(location))
    }

    /// The sources of an instruction as legal operands: each is spread to the channels of the result, and a constant
    /// is last.
    pub(super) fn sources(
        &mut self,
        op: Op,
        class: Class,
        srcs: &[Src],
        lanes: Lanes,
    ) -> Vec<Operand> {
        let spread: Vec<Src> = srcs.iter().map(|&src| lanes.spread(src)).collect();
        self.operands(op, class, &spread, lanes.mask(), op.commutative() == Some((0, 1)))
    }

    /// The operands for four-wide sources, with a constant last. `swap` states whether the first two sources may be
    /// swapped.
    fn operands(
        &mut self,
        op: Op,
        class: Class,
        srcs: &[Src],
        mask: u8,
        swap: bool,
    ) -> Vec<Operand> {
        let mut srcs = srcs.to_vec();
        if swap && self.is_constant(srcs[0], class) {
            srcs.swap(0, 1);
        }
        let last = srcs.len() - 1;
        let constants = matches!(op, Op::Hw(_));
        srcs.iter()
            .enumerate()
            .map(|(i, &src)| {
                let form = if i == last && constants { Form::Any } else { Form::Register };
                self.src(src, mask, class, form)
            })
            .collect()
    }

    /// Selects an operation that is one instruction. `from` and `to` are the classes of the sources and the result.
    fn hw(&mut self, op: Op, from: Class, to: Class, srcs: &[Src], result: Value) {
        let register = self.define(result);
        let operands = self.sources(op, from, srcs, register.lanes);
        let dst = register.dst(to.ty(self.bits(result)));
        self.b().emit(op, dst, &operands);
    }

    /// Selects extended math.
    fn math(&mut self, function: MathFn, class: Class, srcs: &[Src], result: Value) {
        let register = self.define(result);
        let operands = self.sources(Op::Math(function), class, srcs, register.lanes);
        let dst = register.dst(class.ty(self.bits(result)));
        self.b().math(function, dst, &operands);
    }

    /// Selects a minimum or maximum.
    fn min_max(&mut self, cond_mod: CondMod, class: Class, srcs: &[Src], result: Value) {
        let register = self.define(result);
        let spread: Vec<Src> = srcs.iter().map(|&src| register.lanes.spread(src)).collect();
        let sel = Op::Hw(Opcode::Sel);
        let operands = self.operands(sel, class, &spread, register.lanes.mask(), true);
        let dst = register.dst(class.ty(self.bits(result)));
        self.b().min_max(dst, operands[0], operands[1], cond_mod);
    }

    /// Selects a conversion, or a negation or absolute value. The source modifiers for the latter may be part of the
    /// operand already.
    fn convert(&mut self, op: AluOp, from: Class, to: Class, src: Src, result: Value) {
        if matches!(op, AluOp::I2I | AluOp::U2U) && self.bits(src.value) == self.bits(result) {
            return self.alias(result, src);
        }
        let register = self.define(result);
        let (src, mask) = (register.lanes.spread(src), register.lanes.mask());
        let modifies = matches!(op, AluOp::FNeg | AluOp::INeg | AluOp::FAbs);
        let form = if modifies { Form::Register } else { Form::Any };
        let operand = self.src(src, mask, from, form);
        let operand = match op {
            AluOp::FNeg | AluOp::INeg => operand.negated(),
            AluOp::FAbs => operand.absolute(),
            _ => operand,
        };
        let dst = register.dst(to.ty(self.bits(result)));
        self.b().mov(dst, operand);
    }

    /// Selects an operation whose rule is [`Rule::Special`].
    fn special(&mut self, op: AluOp, srcs: &[Src], result: Value) -> Result<(), SelectError> {
        match op {
            AluOp::Select => self.select(srcs, result),
            AluOp::FSub => self.subtract(Class::Float, srcs, result),
            AluOp::ISub => self.subtract(Class::Wrapping, srcs, result),
            AluOp::FFma => self.multiply_add([srcs[2], srcs[0], srcs[1]], result),
            AluOp::FLrp => {
                self.three(Opcode::Lrp, Class::Float, [srcs[2], srcs[1], srcs[0]], result);
            }
            AluOp::FDot2 => self.dot(Opcode::Dp2, 2, srcs, result),
            AluOp::FDot3 => self.dot(Opcode::Dp3, 3, srcs, result),
            AluOp::FDot4 => self.dot(Opcode::Dp4, 4, srcs, result),
            AluOp::FSat => {
                let (register, x) = self.unary(Class::Float, srcs[0], result);
                let dst = register.dst(x.ty);
                self.b().mov(dst, x).saturate = true;
            }
            AluOp::IAbs => {
                let (register, x) = self.unary(Class::Signed, srcs[0], result);
                let dst = register.dst(Type::D);
                self.b().mov(dst, x.absolute());
            }
            AluOp::B2F => self.convert_boolean(Class::Float, srcs[0], result),
            AluOp::B2I => self.convert_boolean(Class::Signed, srcs[0], result),
            AluOp::IMulHigh => self.hw(Op::MulHigh, Class::Signed, Class::Signed, srcs, result),
            AluOp::UMulHigh => {
                self.hw(Op::MulHigh, Class::Unsigned, Class::Unsigned, srcs, result);
            }
            AluOp::FindUMsb => self.find_msb(Opcode::Lzd, Class::Unsigned, srcs[0], result),
            AluOp::FindIMsb => self.find_msb(Opcode::Fbh, Class::Signed, srcs[0], result),
            AluOp::UBitfieldExtract => self.extract(Class::Unsigned, srcs, result),
            AluOp::IBitfieldExtract => self.extract(Class::Signed, srcs, result),
            AluOp::BitfieldInsert => self.insert(srcs, result),
            AluOp::PackHalf2x16 => self.pack_half(srcs[0], result),
            AluOp::UnpackHalf2x16 => self.unpack_half(srcs[0], result),
            AluOp::FQuantize16 => {
                let (register, x) = self.unary(Class::Float, srcs[0], result);
                let half = self.temporary(register, Type::Ud);
                self.halves_of(x, half);
                self.floats_of(half, register);
            }
            _ => return Err(SelectError::NotLowered { what: op.name() }),
        }
        Ok(())
    }

    /// Defines a result, and returns its register and its only source as a register operand.
    fn unary(&mut self, class: Class, src: Src, result: Value) -> (VectorRegister, Operand) {
        let register = self.define(result);
        let (src, mask) = (register.lanes.spread(src), register.lanes.mask());
        let operand = self.src(src, mask, class, Form::Register);
        (register, operand)
    }

    /// Selects a three-source instruction. Its sources must be in registers.
    fn three(&mut self, opcode: Opcode, class: Class, srcs: [Src; 3], result: Value) {
        let register = self.define(result);
        let mask = register.lanes.mask();
        let operands =
            srcs.map(|src| self.src(register.lanes.spread(src), mask, class, Form::Three));
        let dst = register.dst(class.ty(self.bits(result)));
        self.b().emit(Op::Hw(opcode), dst, &operands);
    }

    /// Selects `addend + a * b`. With two constants, a `mul` and an `add` can have them as immediates, which `mad`
    /// cannot.
    fn multiply_add(&mut self, [addend, a, b]: [Src; 3], result: Value) {
        let constants =
            [addend, a, b].into_iter().filter(|&src| self.is_constant(src, Class::Float)).count();
        if constants < 2 {
            return self.three(Opcode::Mad, Class::Float, [addend, a, b], result);
        }
        let register = self.define(result);
        let product = self.temporary(register, register.vector.ty);
        let (mul, ty) = (Op::Hw(Opcode::Mul), Class::Float.ty(self.bits(result)));
        let operands = self.sources(mul, Class::Float, &[a, b], register.lanes);
        self.b().emit(mul, product.dst(ty), &operands);
        let mask = register.lanes.mask();
        let addend = self.src(register.lanes.spread(addend), mask, Class::Float, Form::Any);
        self.b().add(register.dst(ty), in_channel_order(product).retype(ty), addend);
    }

    /// Selects a dot product of `comps` components.
    fn dot(&mut self, opcode: Opcode, comps: usize, srcs: &[Src], result: Value) {
        let register = self.define(result);
        let lanes = Lanes::first(comps);
        let sources: Vec<Src> = srcs.iter().map(|&src| last_repeats(src, comps)).collect();
        if self.bits(result) == 64 {
            return self.dot_of_doubles(register, lanes, &sources);
        }
        let dst = register.dst(Type::F);
        let with_point = |i: usize| Some([self.components_of_point(sources[i])?, sources[1 - i]]);
        if comps == 4
            && let Some(sources) = with_point(0).or_else(|| with_point(1))
        {
            let op = Op::Hw(Opcode::Dph);
            let operands = self.operands(op, Class::Float, &sources, lanes.mask(), false);
            self.b().emit(op, dst, &operands);
            return;
        }
        let op = Op::Hw(opcode);
        let operands = self.operands(op, Class::Float, &sources, lanes.mask(), true);
        self.b().emit(op, dst, &operands);
    }

    /// A source that reads the first three components of a vector, if they are in one register and the last component
    /// is the constant 1.0. `dph` reads a point so, and the vector itself may then be unused.
    fn components_of_point(&self, vector: Src) -> Option<Src> {
        const ONE: u64 = 0x3f80_0000;
        let InstKind::Alu { op: AluOp::Vec4, srcs: parts, .. } =
            &self.shader.func.def(vector.value)?.kind
        else {
            return None;
        };
        let [x, y, z, w] = vector.swizzle.map(|comp| parts[usize::from(comp)]);
        let ValueLocation::Constant(one) = self.component_location(w) else { return None };
        let together = [y, z].iter().all(|part| part.value == x.value);
        let in_register = matches!(self.component_location(x), ValueLocation::Register(_));
        let [x_comp, y_comp, z_comp] = [x, y, z].map(|part| part.swizzle[0]);
        let swizzle = [x_comp, y_comp, z_comp, z_comp];
        (one[0] == ONE && together && in_register).then_some(Src { value: x.value, swizzle })
    }

    /// Selects a dot product of doubles, for which there is no instruction: the products of the components are added
    /// up in order.
    fn dot_of_doubles(&mut self, register: VectorRegister, lanes: Lanes, sources: &[Src]) {
        let mul = Op::Hw(Opcode::Mul);
        let operands = self.operands(mul, Class::Float, sources, lanes.mask(), true);
        let products = VectorRegister { vector: self.vector(Type::Df), lanes };
        let mut sum = swizzled(products.src(), [0; 4]);
        self.b().emit(mul, products.dst(Type::Df), &operands);
        let count = lanes.channels().len() as u8;
        for comp in 1..count {
            let last = comp + 1 == count;
            let to = if last { register } else { self.temporary(register, Type::Df) };
            let product = swizzled(products.src(), [comp; 4]);
            self.b().add(to.dst(Type::Df), sum, product);
            sum = swizzled(to.src(), [0; 4]);
        }
    }

    /// Selects a subtraction, as an addition of the negated second source.
    fn subtract(&mut self, class: Class, srcs: &[Src], result: Value) {
        let register = self.define(result);
        let (lanes, mask) = (register.lanes, register.lanes.mask());
        let [a, b] = [lanes.spread(srcs[0]), lanes.spread(srcs[1])];
        let ty = class.ty(self.bits(result));
        if self.is_constant(a, class) {
            let b = self.src(b, mask, class, Form::Register).negated();
            let a = self.src(a, mask, class, Form::Any);
            self.b().add(register.dst(ty), b, a);
            return;
        }
        let a = self.src(a, mask, class, Form::Register);
        let b = self.negated(b, mask, class);
        self.b().add(register.dst(ty), a, b);
    }

    /// The negated source as an operand. A constant is negated at compile time.
    fn negated(&mut self, src: Src, mask: u8, class: Class) -> Operand {
        let peeled = self.peel(src, class);
        let ValueLocation::Constant(bits) = self.location(peeled.src.value) else {
            return self.src(src, mask, class, Form::Register).negated();
        };
        let ty = class.ty(self.bits(peeled.src.value));
        let bits = peeled.src.swizzle.map(|comp| {
            let bits = bits[usize::from(comp)];
            let bits = crate::select::modify(bits, ty, peeled.negate, peeled.abs);
            crate::select::modify(bits, ty, true, false)
        });
        self.constant_operand(bits, mask, ty, Form::Any)
    }

    /// Selects a `sel`: source 1 where the condition, source 0, is true, otherwise source 2. A constant becomes the
    /// last source.
    fn select(&mut self, srcs: &[Src], result: Value) {
        let register = self.define(result);
        let (lanes, mask) = (register.lanes, register.lanes.mask());
        let cond = self.cond(lanes.spread(srcs[0]));
        let srcs = [lanes.spread(srcs[1]), lanes.spread(srcs[2])];
        // Integer types preserve all bits; a float source modifier requires the float type.
        let float = srcs.iter().any(|&src| {
            let peeled = self.peel(src, Class::Float);
            peeled.negate || peeled.abs
        });
        let class = match self.bits(result) {
            1 => Class::Signed,
            64 => Class::Float,
            _ if float => Class::Float,
            _ => Class::Unsigned,
        };
        let swap = self.is_constant(srcs[0], class) && !self.is_constant(srcs[1], class);
        let [a, b] = if swap { [srcs[1], srcs[0]] } else { srcs };
        let a = self.src(a, mask, class, Form::Register);
        let b = self.src(b, mask, class, Form::Any);
        let cond = cond.inverse_if(swap);
        let dst = register.dst(class.ty(self.bits(result)));
        self.b().predicate(cond.flag, cond.predicate).sel(dst, a, b);
    }

    /// Converts a boolean mask to 1 or 0: the negation of all ones is 1.
    fn convert_boolean(&mut self, class: Class, src: Src, result: Value) {
        let (register, mask) = self.unary(Class::Signed, src, result);
        let dst = register.dst(class.ty(self.bits(result)));
        self.b().mov(dst, mask.negated());
    }

    /// Computes 31 minus the number of leading zeros (of leading ones, for a negative number). If there is no such
    /// bit, `lzd` returns 32; `fbh` returns all ones, so the minimum with 32 is taken.
    fn find_msb(&mut self, opcode: Opcode, class: Class, src: Src, result: Value) {
        let (register, x) = self.unary(class, src, result);
        let count = self.temporary(register, Type::Ud);
        let counted = in_channel_order(count);
        let mut b = self.b();
        b.emit(Op::Hw(opcode), count.dst(Type::Ud), &[x]);
        if opcode == Opcode::Fbh {
            b.min_max(count.dst(Type::Ud), counted, Operand::imm_ud(32), CondMod::L);
        }
        b.add(register.dst(Type::D), counted.retype(Type::D).negated(), Operand::imm_d(31));
    }

    /// The constant that a source has in all channels of `mask`, if it is the same in all of them.
    fn known(&self, src: Src, mask: u8) -> Option<u32> {
        let ValueLocation::Constant(bits) =
            self.location(self.peel(src, Class::Unsigned).src.value)
        else {
            return None;
        };
        let mut used = (0..4).filter(|i| mask >> i & 1 == 1);
        let first = bits[usize::from(src.swizzle[used.next()?])] as u32;
        used.all(|i| bits[usize::from(src.swizzle[i])] as u32 == first).then_some(first)
    }

    /// Extracts bits [offset, offset + width). The hardware takes the width modulo 32, so a width of 32 is handled
    /// separately.
    fn extract(&mut self, class: Class, srcs: &[Src], result: Value) {
        let all = Lanes::first(self.comps(result));
        let [offset, width] = [1, 2].map(|i| self.known(all.spread(srcs[i]), all.mask()));
        if width == Some(32) && !self.has_hint(result) {
            return self.alias(result, srcs[0]);
        }
        let register = self.define(result);
        let (lanes, mask, ty) = (register.lanes, register.lanes.mask(), class.ty(32));
        let dst = register.dst(ty);
        if let (Some(offset), Some(width), Class::Unsigned) = (offset, width, class) {
            // A field at the low end needs only a mask; a field at the high end needs only a shift.
            let ones = ((1u64 << width.min(32)) - 1) as u32;
            let x = lanes.spread(srcs[0]);
            if offset == 0 {
                let x = self.src(x, mask, class, Form::Register);
                self.b().and(dst, x, Operand::imm_ud(ones));
                return;
            }
            if offset + width == 32 {
                let x = self.src(x, mask, class, Form::Register);
                self.b().shr(dst, x, Operand::imm_ud(offset));
                return;
            }
        }
        let operands = [srcs[2], srcs[1], srcs[0]]
            .map(|src| self.src(lanes.spread(src), mask, class, Form::Three).retype(ty));
        if width.is_some_and(|width| width < 32) {
            self.b().emit(Op::Hw(Opcode::Bfe), dst, &operands);
            return;
        }
        let field = self.temporary(register, Type::Ud);
        self.b().emit(Op::Hw(Opcode::Bfe), field.dst(ty), &operands);
        self.whole_word(dst, operands[0], operands[2], in_channel_order(field).retype(ty));
    }

    /// Inserts a bit field: replaces `width` bits of `base` from bit `offset` on by the low bits of `field`. `bfi1`
    /// computes the mask of these bits, and `bfi2` inserts. The hardware takes the width modulo 32, so a width of 32
    /// is handled separately.
    fn insert(&mut self, srcs: &[Src], result: Value) {
        let all = Lanes::first(self.comps(result));
        let [offset, width] = [2, 3].map(|i| self.known(all.spread(srcs[i]), all.mask()));
        if width == Some(32) && !self.has_hint(result) {
            return self.alias(result, srcs[1]);
        }
        let register = self.define(result);
        let (lanes, mask) = (register.lanes, register.lanes.mask());
        let dst = register.dst(Type::Ud);
        let [base, field] =
            [0, 1].map(|i| self.src(lanes.spread(srcs[i]), mask, Class::Unsigned, Form::Three));
        let bfi2 = Op::Hw(Opcode::Bfi2);
        if let (Some(offset), Some(width)) = (offset, width) {
            let ones = ((1u64 << width.min(32)) - 1) << (offset & 31);
            let ones = [u64::from(ones as u32); 4];
            let ones = self.constant_operand(ones, mask, Type::Ud, Form::Three);
            self.b().emit(bfi2, dst, &[ones, field, base]);
            return;
        }
        let width = self.src(lanes.spread(srcs[3]), mask, Class::Unsigned, Form::Register);
        let offset = self.src(lanes.spread(srcs[2]), mask, Class::Unsigned, Form::Any);
        let [ones, merged] = [(); 2].map(|()| self.temporary(register, Type::Ud));
        let mut b = self.b();
        b.bfi1(ones.dst(Type::Ud), width, offset);
        b.emit(bfi2, merged.dst(Type::Ud), &[in_channel_order(ones), field, base]);
        self.whole_word(dst, width, field, in_channel_order(merged));
    }

    /// Selects `whole` where the width is 32 or more, otherwise `field`.
    fn whole_word(&mut self, dst: Operand, width: Operand, whole: Operand, field: Operand) {
        let mut b = self.b();
        let flag = b.flag();
        let null = Operand::null(Type::Ud).with_region(dst.region);
        b.cmp(null, width.retype(Type::Ud), CondMod::Ge, Operand::imm_ud(32), flag);
        let taken = Predicate { ctrl: PredCtrl::Normal, inverse: false };
        b.predicate(flag, taken).sel(dst, whole, field);
    }

    /// Packs two floats as half floats in a dword: converts them to the low words of two dwords, and joins these.
    fn pack_half(&mut self, src: Src, result: Value) {
        let register = self.define(result);
        let x = self.src(last_repeats(src, 2), 0b11, Class::Float, Form::Register);
        let halves = VectorRegister { vector: self.vector(Type::Ud), lanes: Lanes::first(2) };
        let high = self.temporary(register, Type::Ud);
        self.halves_of(x, halves);
        let mut b = self.b();
        b.shl(high.dst(Type::Ud), swizzled(halves.src(), [1; 4]), Operand::imm_ud(16));
        b.or(register.dst(Type::Ud), in_channel_order(high), swizzled(halves.src(), [0; 4]));
    }

    /// Unpacks two half floats from a dword.
    fn unpack_half(&mut self, src: Src, result: Value) {
        let register = self.define(result);
        let x = self.src(
            Src { swizzle: [src.swizzle[0]; 4], ..src },
            0xf,
            Class::Unsigned,
            Form::Register,
        );
        let halves = VectorRegister { vector: self.vector(Type::Ud), lanes: register.lanes };
        let channels = register.lanes.channels().to_vec();
        let part = |to: u8| VectorRegister { lanes: Lanes::of(&[to]), ..halves };
        let mut b = self.b();
        b.and(part(channels[0]).dst(Type::Ud), x, Operand::imm_ud(0xffff));
        b.shr(part(channels[1]).dst(Type::Ud), x, Operand::imm_ud(16));
        self.floats_of(halves, register);
    }

    /// Converts a vector of floats to half floats in the low words of dwords.
    fn halves_of(&mut self, x: Operand, halves: VectorRegister) {
        if self.target.has_half_conversion_instructions() {
            self.b().emit(Op::Hw(Opcode::F32To16), halves.dst(Type::Ud), &[x]);
            return;
        }
        // A move converts to half floats, but only in Align1; each half float is then in a dword of its own.
        let [floats, words] = [(); 2].map(|()| self.vector(Type::Ud));
        let whole = floats.retype(Type::F).with_region(Region::Mask(WriteMask::XYZW));
        self.b().mov(whole, x);
        let mut b = self.b();
        let mut b = b.align1();
        b.mov(words.retype(Type::Hf).with_stride(2), floats.retype(Type::F).with_stride(1));
        b.mov(halves.vector.with_stride(1), words.retype(Type::Uw).with_stride(2));
    }

    /// Converts half floats in the low words of dwords to floats in the same channels.
    fn floats_of(&mut self, halves: VectorRegister, register: VectorRegister) {
        let dst = register.dst(Type::F);
        if self.target.has_half_conversion_instructions() {
            self.b().emit(Op::Hw(Opcode::F16To32), dst, &[in_channel_order(halves)]);
            return;
        }
        let floats = VectorRegister { vector: self.vector(Type::Ud), ..register };
        let words = halves.vector.retype(Type::Hf).with_stride(2);
        self.b().align1().mov(floats.vector.retype(Type::F).with_stride(1), words);
        self.b().mov(dst, in_channel_order(floats).retype(Type::F));
    }
}

/// The source with its last component repeated in the channels beyond it.
fn last_repeats(src: Src, comps: usize) -> Src {
    let swizzle = std::array::from_fn(|i| src.swizzle[i.min(comps - 1)]);
    Src { value: src.value, swizzle }
}
