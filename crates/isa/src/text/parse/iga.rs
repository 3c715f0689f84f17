//! Parser of the `iga` syntax.

use super::cursor::Cursor;
use super::mesa::macro_region;
use super::number::Number;
use super::place::{EXEC_SIZES, HSTRIDES, RawPlace, VSTRIDES, WIDTHS, register_expected};
use super::scoreboard::scoreboard;
use super::{ParseError, Target, bfn};
use crate::inst::{
    Branch, DescSrc, Dpas, Dst, Extra, Flag, Imm, Inst, Place, Reg, Region, Send, Src, SrcReg,
    Swizzle, TokenMode, VStride, WriteMask,
};
use crate::tables::{
    AccessMode, ArfKind, CondMod, Form, MathFn, Opcode, PredCtrl, Sfid, SyncFn, ThreadCtrl, Type,
};
use crate::text::iga::{arf_name, arf_style, cond_name, math_name, sfid_name, vector_size};
use crestline_device::Gen;

type Result<T> = std::result::Result<T, ParseError>;

/// Parses one instruction up to the end of the line. Returns it with its JIP and UIP targets.
pub(super) fn instruction(
    c: &mut Cursor<'_>,
    generation: Gen,
) -> Result<(Inst, Option<Target>, Option<Target>)> {
    let mut parser = Parser { c, generation, inst: Inst::new(Opcode::Nop), jip: None, uip: None };
    parser.predicate()?;
    parser.operation()?;
    parser.operands()?;
    parser.options()?;
    if !parser.c.at_end() {
        return Err(parser.c.error("end of line"));
    }
    Ok((parser.inst, parser.jip, parser.uip))
}

/// The state of parsing one instruction.
struct Parser<'c, 't> {
    c: &'c mut Cursor<'t>,
    generation: Gen,
    inst: Inst,
    jip: Option<Target>,
    uip: Option<Target>,
}

impl Parser<'_, '_> {
    /// Parses `(W&~f0.0.any4h)`: NoMask and predicate, both optional.
    fn predicate(&mut self) -> Result<()> {
        if !self.c.eat("(") {
            return Ok(());
        }
        if self.c.eat_name("W") {
            self.inst.no_mask = true;
            if !self.c.eat("&") {
                return self.c.expect(")");
            }
        }
        self.inst.predicate.inverse = self.c.eat("~");
        self.inst.flag = self.flag()?;
        self.inst.predicate.ctrl = PredCtrl::Normal;
        if self.c.eat_joined(".") {
            let start = self.c.position();
            let name = self.c.name();
            let found = (2..16)
                .filter_map(|code| PredCtrl::from_bits(AccessMode::Align1, code))
                .find(|ctrl| ctrl.name() == name);
            self.inst.predicate.ctrl = found.ok_or_else(|| {
                self.c.go_back(start);
                self.c.error("a predicate control such as `any8h`")
            })?;
        }
        self.c.expect(")")
    }

    /// Parses a flag register such as `f0.1`.
    fn flag(&mut self) -> Result<Flag> {
        let nr = self.c.flag_number(self.generation)?;
        let subnr =
            if self.c.eat_joined(".") { self.c.decimal("a flag subregister", 1)? as u8 } else { 0 };
        Ok(Flag { nr, subnr })
    }

    /// Parses the operation with its function, execution size, channel group and conditional
    /// modifier.
    fn operation(&mut self) -> Result<()> {
        let generation = self.generation;
        let opcode = self.c.opcode(generation)?;
        self.inst.opcode = opcode;
        self.subfunction()?;
        let form = opcode.form();
        let sizeless = matches!(opcode, Opcode::Jmpi | Opcode::Wait | Opcode::Sync);
        if form == Form::Nullary {
            return Ok(());
        }
        if !sizeless {
            self.exec_size()?;
        }
        let three16 = form == Form::Three && generation <= Gen::Gen9;
        let macro16 = self.inst.is_macro() && generation <= Gen::Gen9;
        if three16 || macro16 {
            self.inst.access_mode = AccessMode::Align16;
        }
        self.cond_mod()
    }

    /// Parses the name after the operation's dot: a math or sync function, a shared function, a
    /// truth table, or systolic parameters.
    fn subfunction(&mut self) -> Result<()> {
        let form = self.inst.opcode.form();
        let generation = self.generation;
        let dotted = self.c.eat_joined(".");
        let position = self.c.position();
        match form {
            Form::Math | Form::Sync | Form::Bfn | Form::Dpas => {}
            Form::Send if generation >= Gen::Gen12 => {}
            Form::BranchJip | Form::BranchJipUip => {
                let branch_ctrl = dotted && self.c.eat_name("b");
                if dotted && !branch_ctrl {
                    return Err(self.c.error("`b`"));
                }
                self.inst.extra = Extra::Branch(Branch { branch_ctrl, ..Branch::default() });
                return Ok(());
            }
            Form::Jmpi | Form::Call | Form::Ret | Form::MaskStack => {
                self.inst.extra = Extra::Branch(Branch::default());
            }
            _ => {}
        }
        if !dotted {
            return match form {
                Form::Math | Form::Sync | Form::Bfn | Form::Dpas => {
                    Err(self.c.error("a dot and the operation's function"))
                }
                Form::Send if generation >= Gen::Gen12 => {
                    Err(self.c.error("a dot and a shared function"))
                }
                _ => Ok(()),
            };
        }
        if form == Form::Bfn {
            self.inst.extra = Extra::Bfn(bfn::table(self.c)?);
            return Ok(());
        }
        let name = self.c.name();
        let extra = match form {
            Form::Math => MathFn::ALL
                .iter()
                .find(|f| math_name(**f) == name && f.bits(generation).is_some())
                .map(|f| Extra::Math(*f)),
            Form::Sync => SyncFn::from_name(name).map(Extra::Sync),
            Form::Send if generation >= Gen::Gen12 => Sfid::ALL
                .iter()
                .find(|s| sfid_name(**s) == name && s.bits(generation).is_some())
                .map(|s| Extra::Send(Send::imm(*s, 0, 0))),
            Form::Dpas => name.split_once('x').and_then(|(depth, repeat)| {
                let (depth, repeat) = (depth.parse().ok()?, repeat.parse().ok()?);
                Some(Extra::Dpas(Dpas { depth, repeat, src1_bits: 8, src2_bits: 8 }))
            }),
            _ => None,
        };
        self.inst.extra = extra.ok_or_else(|| {
            self.c.go_back(position);
            let expected = match form {
                Form::Math => format!("a math function of {generation}"),
                Form::Sync => "a function of `sync`".to_owned(),
                Form::Send => format!("a shared function of {generation}"),
                Form::Dpas => "depth and repeat count, such as `8x8`".to_owned(),
                _ => "a function of the operation".to_owned(),
            };
            self.c.error(&expected)
        })?;
        Ok(())
    }

    /// Parses `(8|M0)`: execution size and channel group.
    fn exec_size(&mut self) -> Result<()> {
        self.c.expect("(")?;
        self.inst.exec_size = self.c.one_of("an execution size", EXEC_SIZES)?;
        if self.c.eat("|") {
            if !self.c.eat("M") {
                return Err(self.c.error("`M` and the first channel"));
            }
            self.inst.group = self.c.one_of("a first channel", &[0, 4, 8, 12, 16, 20, 24, 28])?;
        }
        self.c.expect(")")
    }

    /// Parses `(lt)f0.0`: the conditional modifier and its flag, if there is one.
    fn cond_mod(&mut self) -> Result<()> {
        let start = self.c.position();
        if !self.c.eat("(") {
            return Ok(());
        }
        let name = self.c.name();
        if name == "eo" && self.inst.is_macro() {
            self.c.expect(")")?;
            self.inst.flag = self.flag()?;
            return Ok(());
        }
        let Some(cond) = CondMod::ALL[1..].iter().find(|cond| cond_name(**cond) == name) else {
            // This is `(sat)` or a list of tokens, which is part of the operands.
            self.c.go_back(start);
            return Ok(());
        };
        self.c.expect(")")?;
        self.inst.cond_mod = *cond;
        let flag = self.flag()?;
        if self.inst.predicate.ctrl != PredCtrl::None && flag != self.inst.flag {
            return Err(self.c.error("the flag register of the predicate"));
        }
        self.inst.flag = flag;
        Ok(())
    }

    /// Parses all operands of the instruction.
    fn operands(&mut self) -> Result<()> {
        match self.inst.opcode.form() {
            Form::Nullary | Form::MaskStack => Ok(()),
            Form::Jmpi | Form::BranchJip | Form::BranchJipUip => self.targets(),
            Form::Call => {
                let raw = self.place()?;
                self.inst.dst = Dst::new(raw.typed(Type::D, self.c)?, Type::D, 1);
                self.targets()
            }
            Form::Ret => self.target_register(),
            Form::Send | Form::Sends => self.message(),
            Form::Sync => self.sync(),
            Form::Wait => {
                self.source(0)?;
                if let Src::Reg(src) = &self.inst.srcs[0] {
                    self.inst.dst = Dst::new(src.place, src.ty, 1);
                }
                Ok(())
            }
            form => {
                self.destination()?;
                let count = match form {
                    Form::One => 1,
                    Form::Math => self.inst.math().map_or(1, MathFn::sources),
                    Form::Two => 2,
                    _ => 3,
                };
                for n in 0..count {
                    self.source(n)?;
                }
                if self.inst.opcode == Opcode::Movi && self.generation >= Gen::Gen11 {
                    self.optional_source()?;
                }
                Ok(())
            }
        }
    }

    /// Parses an optional source 1. A null source of zero bits counts as no source.
    fn optional_source(&mut self) -> Result<()> {
        if matches!(self.c.peek(), None | Some('{')) {
            return Ok(());
        }
        self.source(1)?;
        let zero = Type::from_reg_bits(self.generation, 0).unwrap_or(Type::Ud);
        let absent = Src::Reg(SrcReg::new(Place::NULL, zero, Region::SCALAR));
        if self.inst.srcs[1] == absent {
            self.inst.srcs[1] = Src::None;
        }
        Ok(())
    }

    /// Parses the targets of a branch: labels, distances or a register.
    fn targets(&mut self) -> Result<()> {
        let start = self.c.position();
        let name = self.c.peek_name();
        let is_call = self.inst.opcode.form() == Form::Call;
        let takes_register =
            matches!(self.inst.opcode, Opcode::Jmpi | Opcode::Brd | Opcode::Brc) || is_call;
        let register = name.starts_with('r')
            && name.len() > 1
            && name[1..].bytes().all(|b| b.is_ascii_digit());
        if takes_register && register {
            self.c.go_back(start);
            return self.target_register();
        }
        self.jip = Some(self.target()?);
        let more = !matches!(self.c.peek(), None | Some('{'));
        if more {
            self.uip = Some(self.target()?);
        }
        Ok(())
    }

    /// Parses a label, or a distance in bytes.
    fn target(&mut self) -> Result<Target> {
        let at = self.c.here();
        if matches!(self.c.peek(), Some('-' | '0'..='9')) {
            let bytes = self.c.integer("a distance in bytes")?;
            let bytes = i32::try_from(bytes);
            // On gen7.5 `iga64` prints a type behind the distance of brd.
            if self.inst.opcode == Opcode::Brd && self.c.eat_joined(":") {
                self.c.type_name(self.generation)?;
            }
            return bytes.map(Target::Number).map_err(|_| self.c.error_at(at, "32 bits"));
        }
        match self.c.name() {
            "" => Err(self.c.error("a label or a distance in bytes")),
            name => Ok(Target::Label { name: name.to_owned(), at }),
        }
    }

    /// Parses a register as a branch target. Type and region are those that assemblers encode.
    fn target_register(&mut self) -> Result<()> {
        let raw = self.place()?;
        let place = raw.typed(Type::D, self.c)?;
        let (ty, region) = match self.inst.opcode {
            _ if self.generation >= Gen::Gen12 => (Type::Ub, Region::SCALAR),
            Opcode::Ret => (Type::D, Region::align1(2, 2, 1)),
            _ => (Type::D, Region::SCALAR),
        };
        self.inst.srcs[0] = Src::Reg(SrcReg::new(place, ty, region));
        Ok(())
    }

    /// Parses the operand of `sync`: null, a list of tokens, or a source.
    fn sync(&mut self) -> Result<()> {
        if self.c.eat_name("null") {
            return Ok(());
        }
        if self.c.eat("(") {
            let mut mask = 0;
            loop {
                self.c.expect("$")?;
                mask |= 1 << self.c.decimal("a token", 31)?;
                if !self.c.eat(",") {
                    break;
                }
            }
            self.c.expect(")")?;
            self.inst.srcs[0] = Src::imm(Type::Ud, mask);
            return Ok(());
        }
        self.source(0)
    }

    /// Parses a register with its subregister or mme number, up to the region.
    fn place(&mut self) -> Result<RawPlace> {
        let at = self.c.here();
        let start = self.c.position();
        let name = self.c.name();
        if name == "r" && self.c.eat_joined("[") {
            return RawPlace::indirect(self.c, at, true);
        }
        let Some(reg) = self.register(name) else {
            self.c.go_back(start);
            return Err(self.c.error(register_expected("r", name)));
        };
        RawPlace::direct(self.c, self.generation, reg, at)
    }

    /// The register with a name; `None` if there is none.
    fn register(&self, name: &str) -> Option<Reg> {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[letters.len()..];
        let number = || digits.parse::<u8>().ok();
        match letters {
            "r" => number().filter(|nr| *nr < 128).map(Reg::Grf),
            "m" => number().map(Reg::Mrf),
            "mme" => {
                let first = if self.generation >= Gen::Gen12 { 8 } else { 2 };
                Some(Reg::Arf(ArfKind::Accumulator, number().filter(|nr| *nr < 8)? + first))
            }
            _ => {
                let kind = ArfKind::ALL.iter().find(|kind| arf_name(**kind) == letters)?;
                if !arf_style(*kind).0 {
                    return digits.is_empty().then_some(Reg::Arf(*kind, 0));
                }
                let nr = if digits.is_empty() { 0 } else { number()? };
                (nr < 16).then_some(Reg::Arf(*kind, nr))
            }
        }
    }

    /// Parses the destination with saturation, stride, write mask and type.
    fn destination(&mut self) -> Result<()> {
        if self.c.eat("(") {
            if !self.c.eat_name("sat") {
                return Err(self.c.error("`sat` or a condition such as `lt`"));
            }
            self.c.expect(")")?;
            self.inst.saturate = true;
        }
        let raw = self.place()?;
        let mut hstride = 1;
        if self.c.eat("<") {
            hstride = self.c.one_of("a stride", HSTRIDES)?;
            self.c.expect(">")?;
        }
        let mut writemask = WriteMask::XYZW;
        if self.c.eat_joined(".") {
            writemask = self.writemask()?;
        }
        self.c.expect(":")?;
        let type_at = self.c.here();
        let ty = self.c.type_name(self.generation)?;
        let mut place = raw.typed(ty, self.c)?;
        let three16 =
            self.inst.opcode.form() == Form::Three && self.inst.access_mode == AccessMode::Align16;
        if three16 && ty.three_align16_bits(self.generation).is_none() {
            let expected = format!("a type that `{}` can have", self.inst.opcode.name());
            return Err(self.c.error_at(type_at, &expected));
        }
        if let Place::Direct { reg, sub } = place
            && three16
            && self.inst.exec_size == 1
            && !self.inst.is_macro()
        {
            // As `iga64`: an operation of one channel is encoded as a vector of four (two for DF)
            // with one component enabled. A double is a pair of components.
            let component = sub % vector_size(ty) / ty.size() as u8;
            place = Place::Direct { reg, sub: sub / vector_size(ty) * vector_size(ty) };
            (self.inst.exec_size, writemask) = match ty {
                Type::Df => (2, WriteMask(3 << (2 * component))),
                _ => (4, WriteMask(1 << component)),
            };
        }
        self.inst.dst = Dst { place, ty, hstride, writemask, mme: raw.mme };
        raw.check_mme(self.c, &self.inst)
    }

    /// Parses the components of a write mask.
    fn writemask(&mut self) -> Result<WriteMask> {
        let text = self.c.take_while(|c| "xyzw".contains(c));
        if text.is_empty() {
            return Err(self.c.error("a write mask"));
        }
        let mask = "xyzw".chars().enumerate().filter(|(_, c)| text.contains(*c));
        Ok(WriteMask(mask.map(|(bit, _)| 1 << bit).sum()))
    }

    /// Parses source `n`: a register with modifiers, region and type, or an immediate.
    fn source(&mut self, n: usize) -> Result<()> {
        let start = self.c.position();
        let negate = self.c.eat("-") || self.c.eat("~");
        let word = self.c.peek_name();
        let number = word.starts_with(|c: char| c.is_ascii_digit())
            || matches!(word, "inf" | "qnan" | "snan" | "nan");
        if number {
            self.c.go_back(start);
            let imm = self.immediate()?;
            self.inst.srcs[n] = Src::Imm(imm);
            return Ok(());
        }
        let before = self.c.position();
        let mut abs = false;
        if self.c.eat("(") {
            if !self.c.eat_name("abs") {
                self.c.go_back(before);
                return Err(self.c.error("a register or an immediate"));
            }
            self.c.expect(")")?;
            abs = true;
        }
        let raw = self.place()?;
        if self.inst.opcode.form() == Form::Dpas {
            self.c.expect(":")?;
            self.inst.srcs[n] =
                Src::Reg(raw.systolic(self.c, self.generation, &mut self.inst, n)?);
            return Ok(());
        }
        let region = self.region()?;
        let mut swizzle = None;
        if self.c.eat_joined(".") {
            swizzle = Some(self.c.swizzle()?);
        }
        self.c.expect(":")?;
        let ty = self.c.type_name(self.generation)?;
        let place = raw.typed(ty, self.c)?;
        raw.check_mme(self.c, &self.inst)?;
        let (place, region) = match self.inst.is_macro() {
            true => (place, macro_region(self.generation, &self.inst, n, ty)),
            false => self.shape_region(n, place, ty, region, swizzle)?,
        };
        self.inst.srcs[n] = Src::Reg(SrcReg { place, ty, region, negate, abs, mme: raw.mme });
        Ok(())
    }

    /// Parses a region. Its form depends on the number of numbers and their separators.
    fn region(&mut self) -> Result<RawRegion> {
        if !self.c.eat("<") {
            return Ok(RawRegion::None);
        }
        let first = self.c.one_of("a stride or a width", VSTRIDES)?;
        let region = if self.c.eat(";") {
            let at = self.c.here();
            let second = self.c.one_of("a width or a stride", &VSTRIDES[..6])?;
            if self.c.eat(",") {
                let third = self.c.one_of("a stride", HSTRIDES)?;
                if !WIDTHS.contains(&second) {
                    return Err(self.c.error_at(at, "a width"));
                }
                RawRegion::Full(first, second, third)
            } else {
                RawRegion::Strides(first, second)
            }
        } else if self.c.eat(",") {
            RawRegion::VxH(first, self.c.one_of("a stride", HSTRIDES)?)
        } else {
            RawRegion::Stride(first)
        };
        self.c.expect(">")?;
        Ok(region)
    }

    /// Converts a parsed region to the region of the instruction's format. May change the place:
    /// see [`three_align16`].
    fn shape_region(
        &mut self,
        n: usize,
        place: Place,
        ty: Type,
        raw: RawRegion,
        swizzle: Option<Swizzle>,
    ) -> Result<(Place, Region)> {
        let three = matches!(self.inst.opcode.form(), Form::Three | Form::Bfn);
        let align16 = self.inst.access_mode == AccessMode::Align16;
        let region = match raw {
            RawRegion::Full(vstride, width, hstride) if !three => {
                Region::Align1 { vstride: VStride::Elements(vstride), width, hstride }
            }
            RawRegion::VxH(width, hstride) if !three => {
                Region::Align1 { vstride: VStride::VxH, width, hstride }
            }
            RawRegion::Strides(vstride, hstride) if three && n < 2 && !align16 => {
                Region::ThreeAlign1 { vstride: Some(vstride), hstride }
            }
            RawRegion::Stride(hstride) if three && n == 2 && !align16 => {
                Region::ThreeAlign1 { vstride: None, hstride }
            }
            RawRegion::Strides(..) | RawRegion::Stride(_) if three && align16 => {
                let scalar = matches!(raw, RawRegion::Strides(0, 0) | RawRegion::Stride(0));
                return Ok(three_align16(place, ty, scalar, swizzle));
            }
            _ => return Err(self.c.error("a region of the operand's form before the type")),
        };
        Ok((place, region))
    }

    /// Parses an immediate with its type.
    fn immediate(&mut self) -> Result<Imm> {
        let at = self.c.here();
        let negative = self.c.eat("-");
        let word = self.c.peek_name();
        let number = match word {
            "inf" => {
                self.c.name();
                Number::Infinity
            }
            "nan" => {
                self.c.name();
                Number::Nan { quiet: true, payload: 0 }
            }
            "qnan" | "snan" => {
                let quiet = self.c.name() == "qnan";
                let mut payload = 0;
                if self.c.eat("(") {
                    payload = self.c.unsigned("a payload")?;
                    self.c.expect(")")?;
                }
                Number::Nan { quiet, payload }
            }
            word if word.starts_with("0x") || word.starts_with("0X") => {
                Number::Bits(self.c.unsigned("a number")?)
            }
            _ => self.decimal_number()?,
        };
        self.c.expect(":")?;
        let ty = self.c.type_name(self.generation)?;
        let bits = number.bits(ty, negative);
        let bits = bits.ok_or_else(|| {
            self.c.error_at(at, &format!("a value of type {}", ty.name().to_lowercase()))
        })?;
        Ok(Imm { ty, bits })
    }

    /// Parses a decimal integer or float without a sign.
    fn decimal_number(&mut self) -> Result<Number> {
        let text = {
            let whole = self.c.take_while(|c| c.is_ascii_digit());
            let mut text = whole.to_owned();
            if self.c.eat_joined(".") {
                text.push('.');
                text.push_str(self.c.take_while(|c| c.is_ascii_digit()));
            }
            if self.c.eat_joined("e") || self.c.eat_joined("E") {
                text.push('e');
                if self.c.eat_joined("-") {
                    text.push('-');
                } else {
                    self.c.eat_joined("+");
                }
                text.push_str(self.c.take_while(|c| c.is_ascii_digit()));
            }
            text
        };
        if let Ok(value) = text.parse::<u64>() {
            return Ok(Number::Integer(value));
        }
        match text.parse::<f64>() {
            Ok(_) => Ok(Number::Float(text)),
            Err(_) => Err(self.c.error("a number")),
        }
    }

    /// Parses the operands of `send`: destination, payloads and descriptors.
    fn message(&mut self) -> Result<()> {
        let typed = self.generation < Gen::Gen12;
        let split = self.inst.opcode.form() == Form::Sends || !typed;
        let dst = self.place()?;
        let mut hstride = 1;
        if typed && self.c.eat_joined("<") {
            hstride = self.c.one_of("a stride", HSTRIDES)?;
            self.c.expect(">")?;
        }
        let ty = self.message_type()?;
        self.inst.dst = Dst::new(dst.typed(Type::Ud, self.c)?, ty, hstride);
        let src0 = self.place()?;
        let region = self.message_region()?;
        let ty = self.message_type()?;
        let src = |place, ty, region| Src::Reg(SrcReg::new(place, ty, region));
        self.inst.srcs[0] = src(src0.typed(Type::Ud, self.c)?, ty, region);
        let mut length = 0;
        if split {
            let src1 = self.place()?;
            let region = self.message_region()?;
            if self.generation >= Gen::Gen125 && self.c.eat_joined(":") {
                length = self.c.decimal("a length in registers", 31)?;
            }
            self.inst.srcs[1] = src(src1.typed(Type::Ud, self.c)?, Type::Ud, region);
        }
        let mut send = match &self.inst.extra {
            Extra::Send(send) => send.clone(),
            _ => Send::imm(Sfid::Null, 0, 0),
        };
        send.ex_desc = self.descriptor(7)?;
        send.desc = self.descriptor(0)?;
        match send.ex_desc {
            DescSrc::Imm(ex_desc) if typed => {
                let sfid = Sfid::from_bits(self.generation, (ex_desc & 15) as u8);
                send.sfid = sfid.ok_or_else(|| self.c.error("a shared function in bits 3:0"))?;
                send.eot = ex_desc >> 5 & 1 != 0;
                send.ex_desc = DescSrc::Imm(ex_desc & !0x2f);
            }
            DescSrc::Imm(ex_desc) => send.ex_desc = DescSrc::Imm(ex_desc | length << 6),
            DescSrc::Reg { .. } => send.src1_len = length as u8,
        }
        self.inst.extra = Extra::Send(send);
        Ok(())
    }

    /// Parses the region of a payload. `iga64` has none here; the printer of this crate prints it
    /// if its bits are not the usual ones.
    fn message_region(&mut self) -> Result<Region> {
        if self.generation >= Gen::Gen12 {
            return Ok(Region::SCALAR);
        }
        match self.region()? {
            RawRegion::None => Ok(Region::SCALAR),
            RawRegion::Full(vstride, width, hstride) => {
                Ok(Region::Align1 { vstride: VStride::Elements(vstride), width, hstride })
            }
            RawRegion::VxH(width, hstride) => {
                Ok(Region::Align1 { vstride: VStride::VxH, width, hstride })
            }
            _ => Err(self.c.error("a region of three numbers before this")),
        }
    }

    /// Parses the type of an operand of `send`, which is optional: UD if there is none.
    fn message_type(&mut self) -> Result<Type> {
        if self.generation < Gen::Gen12 && self.c.eat_joined(":") {
            return self.c.type_name(self.generation);
        }
        Ok(Type::Ud)
    }

    /// Parses a descriptor: a number, or a dword of a0 up to `max_dword`.
    fn descriptor(&mut self, max_dword: u32) -> Result<DescSrc> {
        if self.c.eat_name("a0") {
            let dword = if self.c.eat_joined(".") {
                self.c.decimal("a dword of a0", max_dword)?
            } else {
                0
            };
            return Ok(DescSrc::Reg { dword: dword as u8 });
        }
        let value = self.c.unsigned("a descriptor")?;
        let value = u32::try_from(value).map_err(|_| self.c.error("32 bits"))?;
        Ok(DescSrc::Imm(value))
    }

    /// Parses the list of options, if there is one.
    fn options(&mut self) -> Result<()> {
        if !self.c.eat("{") {
            return Ok(());
        }
        loop {
            self.option()?;
            if !self.c.eat(",") {
                break;
            }
        }
        self.c.expect("}")
    }

    /// Parses one option, such as `$3.dst` or `NoDDClr`.
    fn option(&mut self) -> Result<()> {
        let allocates = matches!(self.inst.opcode.form(), Form::Send | Form::Math | Form::Dpas);
        let bare =
            if allocates || self.inst.swsb.distance == 0 { TokenMode::Set } else { TokenMode::Dst };
        if scoreboard(self.c, &mut self.inst, self.generation, bare)? {
            return Ok(());
        }
        let start = self.c.position();
        let old = self.generation < Gen::Gen12;
        match self.c.name() {
            "AccWrEn" => self.inst.acc_wr_en = true,
            "Align16" if self.generation <= Gen::Gen9 => {
                self.inst.access_mode = AccessMode::Align16;
            }
            "Atomic" => self.inst.thread_ctrl = ThreadCtrl::Atomic,
            "Breakpoint" => self.inst.breakpoint = true,
            "Compacted" => self.inst.compacted = true,
            "NoDDChk" if old => self.inst.no_dd_check = true,
            "NoDDClr" if old => self.inst.no_dd_clear = true,
            "NoPreempt" => self.inst.thread_ctrl = ThreadCtrl::NoPreempt,
            "Switch" => self.inst.thread_ctrl = ThreadCtrl::Switch,
            "EOT" | "Serialize" if !matches!(self.inst.extra, Extra::Send(_)) => {
                self.c.go_back(start);
                return Err(self.c.error("an option of this operation"));
            }
            name @ ("EOT" | "Serialize") => {
                if let Extra::Send(send) = &mut self.inst.extra {
                    send.eot |= name == "EOT";
                    send.fusion_ctrl |= name == "Serialize";
                }
            }
            _ => {
                self.c.go_back(start);
                return Err(self.c.error(&format!("an instruction option of {}", self.generation)));
            }
        }
        Ok(())
    }
}

/// A region in the text.
#[derive(Clone, Copy)]
enum RawRegion {
    None,
    /// `<a;b,c>`
    Full(u8, u8, u8),
    /// `<a,b>`
    VxH(u8, u8),
    /// `<a;b>`
    Strides(u8, u8),
    /// `<a>`
    Stride(u8),
}

/// The place and region of a source of an Align16 three-source operation. `scalar`: the text has
/// strides of 0. A replicated double is encoded as a swizzle that repeats a pair of components.
fn three_align16(
    place: Place,
    ty: Type,
    scalar: bool,
    swizzle: Option<Swizzle>,
) -> (Place, Region) {
    if let (true, Type::Df, Place::Direct { reg, sub }) = (scalar, ty, place) {
        let high = sub & 8 != 0;
        let swizzle = Swizzle(if high { [2, 3, 2, 3] } else { [0, 1, 0, 1] });
        let place = Place::Direct { reg, sub: sub & !8 };
        return (place, Region::ThreeAlign16 { rep: false, swizzle });
    }
    let swizzle = swizzle.unwrap_or(Swizzle::XYZW);
    (place, Region::ThreeAlign16 { rep: scalar, swizzle })
}
