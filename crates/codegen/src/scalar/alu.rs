//! Selection of arithmetic: operations with one instruction come from the table of rules; others have a function
//! each.

use crestline_isa::{CondMod, MathFn, Opcode, Type};
use crestline_ssa::ir::{AluOp, Src, Srcs, Value};
use smallvec::SmallVec;

use super::operands::is_thread_scalar;
use super::{SelectError, Selector, wide};
use crate::ir::{Builder, Op, Operand};
use crate::select::{Class, Cond, Rule, modify, rule};
use crate::target::Mode;

impl Selector<'_> {
    /// Selects an arithmetic instruction.
    pub(super) fn alu(&mut self, op: AluOp, srcs: &Srcs, result: Value) -> Result<(), SelectError> {
        self.check_bits(op, srcs, result)?;
        let double = srcs.iter().map(|src| src.value).chain([result]).any(|v| self.bits(v) == 64);
        match rule(op) {
            Rule::Components => self.components(op, srcs, result),
            _ if self.integer_position(op, srcs, result) => {}
            _ if self.extract_part(op, srcs, result) => {}
            _ if double && wide::is_integer(op) => self.compute_wide_integer(op, srcs, result),
            _ if double && self.bits(result) != 1 && op != AluOp::Select => {
                self.compute_double(op, srcs, result);
            }
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
        let values = srcs.iter().map(|src| src.value).chain([result]);
        let fits = |bits| matches!(bits, 1 | 32) || self.target.selects(Mode::Scalar, op, bits);
        match values.map(|v| self.bits(v)).find(|&bits| !fits(bits)) {
            Some(bits) => Err(SelectError::BitSize { op: op.name(), bits }),
            None => Ok(()),
        }
    }

    /// Selects an operation whose result consists of components of its sources: no instructions, only locations.
    fn components(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        match op {
            AluOp::Pack64From32 => {
                let dwords = [0, 1].map(|comp| self.read_dword(srcs[0].select(comp), 0));
                self.put_together(result, dwords);
            }
            AluOp::Pack64FromHalves => {
                let dwords = [0, 1].map(|i: usize| self.read_dword(srcs[i], 0));
                self.put_together(result, dwords);
            }
            AluOp::Unpack64Low | AluOp::Unpack64High => {
                let dword = self.read_dword(srcs[0], usize::from(op == AluOp::Unpack64High));
                self.locate(result, 0, dword);
            }
            AluOp::Unpack64To32 => {
                for comp in 0..2 {
                    let dword = self.read_dword(srcs[0], comp);
                    self.locate(result, comp, dword);
                }
            }
            AluOp::Unpack32To16 => {
                for half in 0..2 {
                    let location = self.location(srcs[0].select(0)).half(half);
                    self.set_location(result, half, location);
                }
            }
            AluOp::Mov => {
                for comp in 0..self.shader.func.ty(result).comps() {
                    self.alias(result, comp, srcs[0].select(comp));
                }
            }
            _ => {
                for (comp, &src) in srcs.iter().enumerate() {
                    self.alias(result, comp, src);
                }
            }
        }
    }

    /// Selects an operation that is one instruction. `from` and `to` are the classes of the sources and the result.
    fn hw(&mut self, op: Op, from: Class, to: Class, srcs: &[Src], result: Value) {
        let mut operands: SmallVec<[Operand; 2]> =
            srcs.iter().map(|&src| self.src(src, from)).collect();
        if let [a, b] = &mut operands[..] {
            (*a, *b, _) = self.two_sources(*a, *b, op.commutative() == Some((0, 1)));
        }
        let dst = self.define(result, 0, to);
        self.b_for(result, |b| _ = b.emit(op, dst, &operands));
    }

    /// Selects extended math, whose sources must be in registers.
    fn math(&mut self, function: MathFn, class: Class, srcs: &[Src], result: Value) {
        let mut operands = Vec::with_capacity(2);
        for &src in srcs {
            let operand = self.src(src, class);
            operands.push(self.in_register(operand));
        }
        let dst = self.define(result, 0, class);
        self.b_for(result, |b| _ = b.math(function, dst, &operands));
    }

    /// Selects a minimum or maximum.
    fn min_max(&mut self, cond_mod: CondMod, class: Class, srcs: &[Src], result: Value) {
        let (a, b) = (self.src(srcs[0], class), self.src(srcs[1], class));
        let (a, b, _) = self.two_sources(a, b, true);
        let dst = self.define(result, 0, class);
        self.b_for(result, |b_| _ = b_.min_max(dst, a, b, cond_mod));
    }

    /// Selects a conversion, or a negation or absolute value. The source modifiers for the latter may be part of the
    /// operand already.
    fn convert(&mut self, op: AluOp, from: Class, to: Class, src: Src, result: Value) {
        let mut operand = self.src(src, from);
        match op {
            AluOp::FNeg | AluOp::INeg => operand = negate(operand),
            AluOp::FAbs => operand = self.in_register(operand).absolute(),
            // A narrower integer is the low part of the same dword; the other bits of the dword are undefined.
            AluOp::I2I | AluOp::U2U if self.bits(src.value) >= self.bits(result) => {
                return self.alias(result, 0, src);
            }
            AluOp::I2F | AluOp::U2F | AluOp::I2I | AluOp::U2U if self.bits(result) == 32 => {
                operand = self.converted_part(from, src).unwrap_or(operand);
            }
            _ => {}
        }
        if to == Class::Float && self.has_words(result) {
            if self.bits(src.value) == 16 {
                let dst = self.define(result, 0, to);
                return self.b_for(result, |b| _ = b.mov(dst, operand));
            }
            let dword = self.temporary(result, Type::Ud);
            let half = self.part(dword, Type::Hf, 0);
            self.b_for(result, |b| _ = b.mov(half_dst(half), operand));
            return self.locate(result, 0, half);
        }
        let dst = self.define_dword(result, to);
        if to == Class::Float && self.bits(result) == 16 {
            let dword = self.temporary(result, Type::Ud);
            let half = self.part(dword, Type::Hf, 0);
            return self.b_for(result, |b| {
                b.mov(half_dst(half), operand);
                b.mov(dst, half.retype(Type::Uw));
            });
        }
        self.b_for(result, |b| _ = b.mov(dst, operand));
    }

    /// The destination of a conversion with a result of at most 32 bits: the whole dword that contains the result,
    /// because later reads may read the whole dword.
    fn define_dword(&mut self, result: Value, class: Class) -> Operand {
        if self.has_words(result) {
            let register = self.new_dword(result);
            self.locate(result, 0, register);
            return register.retype(class.ty(32));
        }
        let dst = self.define(result, 0, class);
        match self.bits(result) {
            8 | 16 => {
                let ty = if class == Class::Float { Type::Ud } else { class.ty(32) };
                self.read_dword(Src::new(result), 0).retype(ty)
            }
            _ => dst,
        }
    }

    /// Selects an operation whose rule is [`Rule::Special`].
    fn special(&mut self, op: AluOp, srcs: &[Src], result: Value) -> Result<(), SelectError> {
        match op {
            AluOp::Select => self.select(srcs, result),
            AluOp::FSub => self.subtract(Class::Float, srcs, result),
            AluOp::ISub => self.subtract(Class::Wrapping, srcs, result),
            AluOp::FFma if self.bits(result) == 16 => {
                self.half_fma([srcs[0], srcs[1], srcs[2]], result);
            }
            AluOp::FFma => {
                self.three(Opcode::Mad, Class::Float, [srcs[2], srcs[0], srcs[1]], result)
            }
            AluOp::FLrp => {
                self.three(Opcode::Lrp, Class::Float, [srcs[2], srcs[1], srcs[0]], result)
            }
            AluOp::FSat => {
                let x = self.src(srcs[0], Class::Float);
                let dst = self.define(result, 0, Class::Float);
                self.b_for(result, |b| b.mov(dst, x).saturate = true);
            }
            AluOp::IAbs => {
                let x = self.src(srcs[0], Class::Signed);
                let dst = self.define(result, 0, Class::Signed);
                self.b_for(result, |b| _ = b.mov(dst, x.absolute()));
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
            AluOp::PackHalf2x16 => self.pack_half(srcs[0], Class::Float, result),
            AluOp::Pack32From16 => self.pack_half(srcs[0], Class::Unsigned, result),
            AluOp::UnpackHalf2x16 => self.unpack_half(srcs[0], result),
            AluOp::FQuantize16 => {
                let x = self.src(srcs[0], Class::Float);
                let dst = self.define(result, 0, Class::Float);
                let dword = self.temporary(result, Type::Ud);
                let half = self.part(dword, Type::Hf, 0);
                self.b_for(result, |b| {
                    b.mov(half_dst(half), x);
                    b.mov(dst, half);
                });
            }
            _ => return Err(SelectError::NotLowered { what: op.name() }),
        }
        Ok(())
    }

    /// A register for an intermediate value: scalar if `result` is uniform, otherwise one element per channel.
    pub(super) fn temporary(&mut self, result: Value, ty: Type) -> Operand {
        if self.uniform.is(result) { self.out.scalar(ty) } else { self.out.lanes(ty, 1) }
    }

    /// Selects a three-source instruction. Its sources must be in registers.
    fn three(&mut self, opcode: Opcode, class: Class, srcs: [Src; 3], result: Value) {
        let operands = srcs.map(|src| {
            let operand = self.src(src, class);
            match (operand.ty, operand.imm_bits().map(|bits| f32::from_bits(bits as u32))) {
                // A constant and its negative share a register.
                (Type::F, Some(number)) if number.is_sign_negative() && !number.is_nan() => {
                    self.in_register(Operand::imm_f(-number)).negated()
                }
                _ => self.in_register(operand),
            }
        });
        let dst = self.define(result, 0, class);
        self.b_for(result, |b| _ = b.emit(Op::Hw(opcode), dst, &operands));
    }

    /// Selects a subtraction, as an addition of the negated second source.
    fn subtract(&mut self, class: Class, srcs: &[Src], result: Value) {
        let a = self.src(srcs[0], class);
        let b = negate(self.src(srcs[1], class));
        let (a, b, _) = self.two_sources(a, b, true);
        let dst = self.define(result, 0, class);
        self.b_for(result, |b_| _ = b_.add(dst, a, b));
    }

    /// Selects a `sel`: source 1 where the condition, source 0, is true, otherwise source 2. A constant becomes the
    /// last source.
    fn select(&mut self, srcs: &[Src], result: Value) {
        let cond = self.cond(srcs[0]);
        if !matches!(self.bits(result), 1 | 32) && !self.has_words(result) {
            return self.select_dwords(cond, srcs, result);
        }
        // Integer types preserve all bits; a float source modifier requires the float type.
        let float = [1, 2].into_iter().any(|i| {
            let operand = self.src(srcs[i], Class::Float);
            operand.has_modifiers()
        });
        let class = match self.bits(result) {
            1 => Class::Signed,
            _ if float => Class::Float,
            _ => Class::Unsigned,
        };
        let (a, b) = (self.src(srcs[1], class), self.src(srcs[2], class));
        let (a, b, swapped) = self.two_sources(a, b, true);
        let dst = self.define(result, 0, class);
        let cond = cond.inverse_if(swapped);
        self.b_for(result, |b_| _ = b_.predicate(cond.flag, cond.predicate).sel(dst, a, b));
    }

    /// Selects between values of sizes other than 1 and 32 bits, by whole dwords.
    fn select_dwords(&mut self, cond: Cond, srcs: &[Src], result: Value) {
        let wide = self.bits(result) == 64;
        let mut whole = None;
        let mut dwords: SmallVec<[Operand; 2]> = SmallVec::new();
        for index in 0..if wide { 2 } else { 1 } {
            let [a, b] = [1, 2].map(|i: usize| self.read_dword(srcs[i], index).retype(Type::Ud));
            let (a, b, swapped) = self.two_sources(a, b, true);
            let dst = if wide && self.doubles[result.index()] {
                let whole = *whole.get_or_insert_with(|| self.define_double(result));
                self.dword_in(whole, index)
            } else {
                self.new_register(result)
            };
            dwords.push(dst);
            let cond = cond.inverse_if(swapped);
            self.b_for(result, |b_| _ = b_.predicate(cond.flag, cond.predicate).sel(dst, a, b));
        }
        match dwords[..] {
            [dword] => self.locate(result, 0, dword),
            [low, high] if whole.is_none() => self.locate_dwords(result, 0, [low, high]),
            _ => {}
        }
    }

    /// Converts a boolean mask to 1 or 0: the negation of all ones is 1.
    /// A half float is the mask's low word and the bits of 1.
    fn convert_boolean(&mut self, class: Class, src: Src, result: Value) {
        let mask = self.src(src, Class::Signed);
        let mask = self.in_register(mask);
        if class == Class::Float && self.has_words(result) {
            const ONE: u16 = 0x3c00;
            let word = self.part(mask, Type::Uw, 0);
            let dst = self.define(result, 0, Class::Unsigned);
            return self.b_for(result, |b| _ = b.and(dst, word, Operand::imm_uw(ONE)));
        }
        let dst = self.define_dword(result, class);
        self.b_for(result, |b| _ = b.mov(dst, mask.negated()));
    }

    /// Computes 31 minus the number of leading zeros (of leading ones, for a negative number). If there is no such
    /// bit, `lzd` returns 32; `fbh` returns all ones, so the minimum with 32 is taken.
    fn find_msb(&mut self, opcode: Opcode, class: Class, src: Src, result: Value) {
        let x = self.src(src, class);
        let x = self.in_register(x);
        let dst = self.define(result, 0, Class::Signed);
        let count = self.temporary(result, Type::Ud);
        self.b_for(result, |b| {
            b.emit(Op::Hw(opcode), count, &[x]);
            if opcode == Opcode::Fbh {
                b.min_max(count, count, Operand::imm_ud(32), CondMod::L);
            }
            b.add(dst, count.retype(Type::D).negated(), Operand::imm_d(31));
        });
    }

    /// Extracts bits [offset, offset + width). The hardware takes the width modulo 32, so a width of 32 is handled
    /// separately.
    fn extract(&mut self, class: Class, srcs: &[Src], result: Value) {
        let x = self.src(srcs[0], class);
        let offset = self.src(srcs[1], Class::Unsigned);
        let width = self.src(srcs[2], Class::Unsigned);
        if width.imm_bits() == Some(32) {
            return self.alias(result, 0, srcs[0]);
        }
        let ty = class.ty(32);
        let dst = self.define(result, 0, class);
        if let (Some(offset), Some(width)) = (offset.imm_bits(), width.imm_bits())
            && class == Class::Unsigned
        {
            // A field at the low end needs only a mask; a field at the high end needs only a shift.
            if offset == 0 {
                let x = self.in_register(x);
                let mask = Operand::imm_ud(((1u64 << width.min(32)) - 1) as u32);
                return self.b_for(result, |b| _ = b.and(dst, x, mask));
            }
            if offset + width == 32 {
                let x = self.in_register(x);
                return self.b_for(result, |b| _ = b.shr(dst, x, Operand::imm_ud(offset as u32)));
            }
        }
        let operands = [width.retype(ty), offset.retype(ty), x].map(|o| self.in_register(o));
        if width.is_imm() {
            return self.b_for(result, |b| _ = b.emit(Op::Hw(Opcode::Bfe), dst, &operands));
        }
        let field = self.temporary(result, ty);
        let flag = self.b().flag();
        self.b_for(result, |b| {
            b.emit(Op::Hw(Opcode::Bfe), field, &operands);
            whole_word(b, dst, width, operands[2], field, flag);
        });
    }

    /// Inserts a bit field: replaces `width` bits of `base` from bit `offset` on by the low bits of `field`. `bfi1`
    /// computes the mask of these bits, and `bfi2` inserts. The hardware takes the width modulo 32, so a width of 32
    /// is handled separately.
    fn insert(&mut self, srcs: &[Src], result: Value) {
        let operands = [0, 1, 2, 3].map(|i| self.src(srcs[i], Class::Unsigned));
        let [base, field, offset, width] = operands;
        if width.imm_bits() == Some(32) {
            return self.alias(result, 0, srcs[1]);
        }
        let (base, field) = (self.in_register(base), self.in_register(field));
        if let (Some(offset), Some(width)) = (offset.imm_bits(), width.imm_bits()) {
            let mask = ((1u64 << width.min(32)) - 1) << (offset & 31);
            let mask = self.in_register(Operand::imm_ud(mask as u32));
            let dst = self.define(result, 0, Class::Unsigned);
            return self
                .b_for(result, |b| _ = b.emit(Op::Hw(Opcode::Bfi2), dst, &[mask, field, base]));
        }
        let width = self.in_register(width);
        let dst = self.define(result, 0, Class::Unsigned);
        let mask = self.temporary(result, Type::Ud);
        let merged = self.temporary(result, Type::Ud);
        let flag = self.b().flag();
        self.b_for(result, |b| {
            b.bfi1(mask, width, offset);
            b.emit(Op::Hw(Opcode::Bfi2), merged, &[mask, field, base]);
            whole_word(b, dst, width, field, merged, flag);
        });
    }

    /// Packs two floats as half floats in a dword, or two values of 16 bits if the class is unsigned.
    fn pack_half(&mut self, src: Src, class: Class, result: Value) {
        let halves = [0, 1].map(|comp| self.src_comp(src, comp, class));
        let dst = self.define(result, 0, Class::Unsigned);
        let ty = class.ty(16);
        let places = [0, 1].map(|index| half_dst(self.part(dst, ty, index)));
        self.b_for(result, |b| {
            for (place, half) in places.into_iter().zip(halves) {
                b.mov(place, half);
            }
        });
    }

    /// Unpacks two half floats from a dword.
    fn unpack_half(&mut self, src: Src, result: Value) {
        let x = self.src(src, Class::Unsigned);
        let x = self.in_register(x);
        for comp in 0..2 {
            let dst = self.define(result, comp, Class::Float);
            let half = self.part(x, Type::Hf, comp as u32);
            self.b_for(result, |b| _ = b.mov(dst, half));
        }
    }
}

/// Selects `whole` where the width is 32 or more, otherwise `field`.
fn whole_word(
    b: &mut Builder<'_>,
    dst: Operand,
    width: Operand,
    whole: Operand,
    field: Operand,
    flag: crate::ir::Flag,
) {
    let width = width.retype(Type::Ud);
    b.cmp(Operand::null(Type::Ud), width, CondMod::Ge, Operand::imm_ud(32), flag);
    b.predicated(flag, false).sel(dst, whole, field);
}

/// The destination of a conversion to half float. Each element must be in a dword of its own, so a scalar gets stride
/// 2.
fn half_dst(operand: Operand) -> Operand {
    if is_thread_scalar(&operand) { operand.with_stride(2) } else { operand }
}

/// The negated operand. A constant is negated at compile time.
fn negate(operand: Operand) -> Operand {
    match operand.imm_bits() {
        Some(bits) => Operand::imm(modify(bits, operand.ty, true, false), operand.ty),
        None => operand.negated(),
    }
}
