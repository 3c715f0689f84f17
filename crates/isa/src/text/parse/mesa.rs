//! Parser of the `mesa` syntax.
//!
//! Of the description of a message, the parser uses the shared function, and `src1_len` if there is
//! `ex_bso`. It ignores the rest, which is also in the descriptor.

use super::cursor::Cursor;
use super::number::Number;
use super::place::{EXEC_SIZES, HSTRIDES, RawPlace, VSTRIDES, WIDTHS, register_expected};
use super::scoreboard::scoreboard;
use super::{ParseError, Target, bfn};
use crate::codec;
use crate::inst::{
    Branch, Compression, DescSrc, Dpas, Dst, Extra, Flag, Imm, Inst, Place, Predicate, Reg, Region,
    Send, Src, SrcReg, Swizzle, TokenMode, VStride, WriteMask,
};
use crate::tables::{
    AccessMode, ArfKind, CondMod, Form, MathFn, Opcode, PredCtrl, Sfid, SyncFn, ThreadCtrl, Type,
};
use crate::text::mesa::message::sfid_name;
use crestline_device::Gen;

type Result<T> = std::result::Result<T, ParseError>;

/// Parses one instruction, which may have several lines. Returns it with its JIP and UIP targets.
pub(super) fn instruction(
    c: &mut Cursor<'_>,
    generation: Gen,
) -> Result<(Inst, Option<Target>, Option<Target>)> {
    let mut parser =
        Parser { c, generation, inst: Inst::new(Opcode::Nop), flag: None, jip: None, uip: None };
    parser.predicate()?;
    parser.operation()?;
    // Parse the options before the operands: how operands are parsed depends on them.
    let operands = parser.c.position();
    let options = parser.c.rfind('{');
    if let Some(options) = options {
        parser.c.go_back(options);
        parser.options()?;
    }
    let end = parser.c.position();
    parser.c.go_back(operands);
    parser.operands()?;
    if let Some(options) = options {
        parser.c.skip_spaces();
        if parser.c.position() != options {
            // If there are other options before the last ones, a semicolon is missing between two
            // instructions.
            let joined = parser.c.eat("{") && parser.c.until("}").is_some();
            return Err(parser.c.error(if joined { "`;`" } else { "`{`" }));
        }
        parser.c.go_back(end);
    }
    if !parser.c.at_end() {
        return Err(parser.c.error("`;`"));
    }
    Ok((parser.inst, parser.jip, parser.uip))
}

/// The state of parsing one instruction.
struct Parser<'c, 't> {
    c: &'c mut Cursor<'t>,
    generation: Gen,
    inst: Inst,
    /// Flag register of the predicate, if there is one.
    flag: Option<Flag>,
    jip: Option<Target>,
    uip: Option<Target>,
}

impl Parser<'_, '_> {
    /// Parses `(+f0.0.any4h)`: the predicate, if there is one.
    fn predicate(&mut self) -> Result<()> {
        if !self.c.eat("(") {
            return Ok(());
        }
        let inverse = self.c.eat("-");
        if !inverse && !self.c.eat("+") {
            return Err(self.c.error("`+` or `-`"));
        }
        self.flag = Some(self.flag()?);
        let mut ctrl = PredCtrl::Normal;
        if self.c.eat_joined(".") {
            let start = self.c.position();
            let name = self.c.name();
            let codes = [AccessMode::Align1, AccessMode::Align16];
            let found = codes
                .into_iter()
                .flat_map(|mode| (2..16).filter_map(move |code| PredCtrl::from_bits(mode, code)))
                .find(|ctrl| ctrl.name() == name);
            ctrl = found.ok_or_else(|| {
                self.c.go_back(start);
                self.c.error("a predicate control such as `any8h`")
            })?;
        }
        self.inst.predicate = Predicate { ctrl, inverse };
        self.c.expect(")")
    }

    /// Parses a flag register such as `f0.1`.
    fn flag(&mut self) -> Result<Flag> {
        let nr = self.c.flag_number(self.generation)?;
        if !self.c.eat_joined(".") {
            return Err(self.c.error("a flag subregister"));
        }
        Ok(Flag { nr, subnr: self.c.decimal("a flag subregister", 1)? as u8 })
    }

    /// Parses the operation with its function, suffixes and execution size.
    fn operation(&mut self) -> Result<()> {
        let opcode = self.c.opcode(self.generation)?;
        self.inst.opcode = opcode;
        self.suffixes()?;
        self.function()?;
        self.suffixes()?;
        if opcode.form() != Form::Nullary {
            self.c.expect("(")?;
            self.inst.exec_size = self.c.one_of("an execution size", EXEC_SIZES)?;
            self.c.expect(")")?;
        }
        let cond = self.inst.cond_mod != CondMod::None;
        match self.flag {
            Some(flag) if cond && self.inst.flag != Flag::default() && self.inst.flag != flag => {
                Err(self.c.error("the flag register of the predicate"))
            }
            Some(flag) => {
                self.inst.flag = flag;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Parses any number of suffixes: `.sat`, `.breakpoint`, and the conditional modifier with its
    /// flag.
    fn suffixes(&mut self) -> Result<()> {
        while self.c.eat_joined(".") {
            let start = self.c.position();
            match self.c.name() {
                "sat" => self.inst.saturate = true,
                "breakpoint" => self.inst.breakpoint = true,
                name => {
                    let Some(cond) = CondMod::from_name(name) else {
                        self.c.go_back(start);
                        return Err(self.c.error("`sat` or a conditional modifier"));
                    };
                    self.inst.cond_mod = cond;
                    if self.c.rest_starts_with(".f") {
                        self.c.eat_joined(".");
                        self.inst.flag = self.flag()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Parses the function between the operation and its execution size: math or sync function,
    /// truth table, or systolic parameters.
    fn function(&mut self) -> Result<()> {
        let generation = self.generation;
        let start = self.c.position();
        self.inst.extra = match self.inst.opcode.form() {
            Form::Math => {
                let name = self.c.name();
                let found =
                    MathFn::ALL.iter().find(|f| f.name() == name && f.bits(generation).is_some());
                match found {
                    Some(function) => Extra::Math(*function),
                    None => {
                        self.c.go_back(start);
                        return Err(self.c.error("a math function"));
                    }
                }
            }
            Form::Sync => match SyncFn::from_name(self.c.name()) {
                Some(function) => Extra::Sync(function),
                None => {
                    self.c.go_back(start);
                    return Err(self.c.error("a sync function"));
                }
            },
            Form::Bfn => Extra::Bfn(bfn::table(self.c)?),
            Form::Dpas => {
                let name = self.c.name();
                let parsed = name.split_once('x').and_then(|(depth, repeat)| {
                    let (depth, repeat) = (depth.parse().ok()?, repeat.parse().ok()?);
                    Some(Dpas { depth, repeat, src1_bits: 8, src2_bits: 8 })
                });
                match parsed {
                    Some(dpas) => Extra::Dpas(dpas),
                    None => {
                        self.c.go_back(start);
                        return Err(self.c.error("systolic depth and repeat count such as `8x8`"));
                    }
                }
            }
            Form::Jmpi
            | Form::BranchJip
            | Form::BranchJipUip
            | Form::Call
            | Form::Ret
            | Form::MaskStack => Extra::Branch(Branch::default()),
            _ => Extra::None,
        };
        Ok(())
    }

    /// Parses all operands of the instruction. The options have been parsed already.
    fn operands(&mut self) -> Result<()> {
        match self.inst.opcode.form() {
            Form::Nullary => Ok(()),
            Form::Jmpi | Form::BranchJip | Form::BranchJipUip | Form::MaskStack => self.targets(),
            Form::Call => {
                self.destination()?;
                self.targets()
            }
            Form::Send | Form::Sends => self.message(),
            Form::Wait => {
                self.destination()?;
                let Dst { place, ty, writemask, .. } = self.inst.dst;
                let region = match self.inst.access_mode {
                    AccessMode::Align1 => Region::SCALAR,
                    AccessMode::Align16 => {
                        Region::Align16 { vstride: 0, swizzle: swizzle_of(writemask) }
                    }
                };
                self.inst.srcs[0] = Src::Reg(SrcReg::new(place, ty, region));
                Ok(())
            }
            Form::Sync => {
                self.source(0)?;
                if self.inst.srcs[0].as_reg().is_some_and(|reg| reg.place.is_null()) {
                    self.inst.srcs[0] = Src::None;
                }
                Ok(())
            }
            Form::Ret => self.source(0),
            form => {
                self.destination()?;
                let count = match form {
                    // From gen11 movi may have a second source.
                    Form::One if self.inst.opcode != Opcode::Movi => 1,
                    Form::One | Form::Math | Form::Two => 2,
                    _ => 3,
                };
                let optional = matches!(form, Form::One | Form::Math);
                for n in 0..count {
                    if n > 0 && optional && matches!(self.c.peek(), None | Some('{')) {
                        break;
                    }
                    self.source(n)?;
                }
                self.drop_absent_source();
                Ok(())
            }
        }
    }

    /// Removes source 1 of `math` if it is a null register whose bits are all zero.
    fn drop_absent_source(&mut self) {
        let zero = Type::from_reg_bits(self.generation, 0);
        let zero_region = match self.inst.access_mode {
            AccessMode::Align1 => Region::SCALAR,
            AccessMode::Align16 => Region::Align16 { vstride: 0, swizzle: Swizzle([0; 4]) },
        };
        let absent = self.inst.srcs[1].as_reg().is_some_and(|reg| {
            reg.place.is_null() && Some(reg.ty) == zero && reg.region == zero_region
        });
        if self.inst.math().is_some() && absent {
            self.inst.srcs[1] = Src::None;
        }
    }

    /// Parses the targets of a branch: labels, distances or a register; and a pop count.
    fn targets(&mut self) -> Result<()> {
        let mut pop = 0;
        let form = self.inst.opcode.form();
        if self.c.eat("JIP:") || self.c.eat("Jump:") {
            self.jip = Some(self.target()?);
            if self.c.eat("UIP:") {
                self.uip = Some(self.target()?);
            }
        } else if form == Form::Jmpi && matches!(self.c.peek(), Some('-' | '0'..='9')) {
            self.jip = Some(self.target()?);
            let at = self.c.here();
            match self.c.type_name(self.generation)? {
                Type::D => {}
                Type::Ud => self.inst.residue = codec::unsigned_distance(self.generation),
                _ => return Err(self.c.error_at(at, "a distance of type D or UD")),
            }
        } else if self.only_pops() {
            self.jip = Some(Target::Number(0));
        } else if form != Form::MaskStack {
            return self.source(0);
        }
        if self.c.eat("Pop:") {
            pop = self.c.decimal("a pop count", 15)? as u8;
        }
        if let Extra::Branch(branch) = &mut self.inst.extra {
            branch.pop_count = pop;
        }
        Ok(())
    }

    /// Whether the operation is an `endif` of gen4 or gen5, which has no distance.
    fn only_pops(&self) -> bool {
        self.inst.opcode == Opcode::EndIf && self.generation <= Gen::Gen5
    }

    /// Parses a label, or a distance in the units of the instruction.
    fn target(&mut self) -> Result<Target> {
        let at = self.c.here();
        if matches!(self.c.peek(), Some('-' | '0'..='9')) {
            let (unit, behind) = codec::scale(self.generation, self.inst.opcode);
            let units = self.c.integer("a distance in the units of the instruction")?;
            let bytes = units.checked_add(behind.into()).and_then(|n| n.checked_mul(unit.into()));
            let bytes = bytes.and_then(|bytes| i32::try_from(bytes).ok());
            return bytes.map(Target::Number).ok_or_else(|| self.c.error_at(at, "32 bits"));
        }
        match self.c.name() {
            "" => Err(self.c.error("a label or a distance")),
            name => Ok(Target::Label { name: name.to_owned(), at }),
        }
    }

    /// Parses a register with its subregister or mme number, up to the region.
    fn place(&mut self) -> Result<RawPlace> {
        let at = self.c.here();
        let start = self.c.position();
        // Do not read a whole name: the type of a payload follows the register directly, as in
        // `g4UD`.
        self.c.skip_spaces();
        let letters = self.c.take_while(|c| c.is_ascii_lowercase());
        if letters == "g" && self.c.eat_joined("[") {
            return RawPlace::indirect(self.c, at, false);
        }
        let digits = self.c.take_while(|c| c.is_ascii_digit());
        let Some(reg) = register(letters, digits) else {
            self.c.go_back(start);
            return Err(self.c.error(register_expected("g", &format!("{letters}{digits}"))));
        };
        RawPlace::direct(self.c, self.generation, reg, at)
    }

    /// Parses the destination with stride, write mask and type.
    fn destination(&mut self) -> Result<()> {
        let raw = self.place()?;
        let (mut hstride, mut writemask) = (1, WriteMask::XYZW);
        if raw.mme.is_none() {
            self.c.expect("<")?;
            hstride = self.c.one_of("a stride", HSTRIDES)?;
            self.c.expect(">")?;
            if self.c.eat_joined(".") {
                // An empty write mask is legal; its text is only the dot.
                let text = self.c.take_while(|c| "xyzw".contains(c));
                let mask = "xyzw".chars().enumerate().filter(|(_, c)| text.contains(*c));
                writemask = WriteMask(mask.map(|(bit, _)| 1 << bit).sum());
            }
        }
        let ty = self.c.type_name(self.generation)?;
        let place = raw.typed(ty, self.c)?;
        self.inst.dst = Dst { place, ty, hstride, writemask, mme: raw.mme };
        raw.check_mme(self.c, &self.inst)
    }

    /// Parses source `n`: a register with modifiers, region and type, or an immediate.
    fn source(&mut self, n: usize) -> Result<()> {
        let start = self.c.position();
        let negate = self.c.eat("-") || self.c.eat("~");
        if self.c.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.c.go_back(start);
            self.inst.srcs[n] = Src::Imm(self.immediate()?);
            return Ok(());
        }
        let abs = self.c.eat("(");
        if abs {
            if !self.c.eat_name("abs") {
                return Err(self.c.error("`abs`"));
            }
            self.c.expect(")")?;
        }
        let raw = self.place()?;
        if self.inst.opcode.form() == Form::Dpas {
            self.inst.srcs[n] =
                Src::Reg(raw.systolic(self.c, self.generation, &mut self.inst, n)?);
            return Ok(());
        }
        // Source 1 of a macro with one source is null and has no mme number.
        if !(raw.place.is_null() && raw.mme.is_none()) {
            raw.check_mme(self.c, &self.inst)?;
        }
        let region = match raw.mme {
            Some(_) => None,
            None => Some(self.region(n)?),
        };
        let ty = self.c.type_name(self.generation)?;
        let place = raw.typed(ty, self.c)?;
        let region = region.unwrap_or_else(|| macro_region(self.generation, &self.inst, n, ty));
        self.inst.srcs[n] = Src::Reg(SrcReg { place, ty, region, negate, abs, mme: raw.mme });
        Ok(())
    }

    /// Parses the region and swizzle of source `n`.
    fn region(&mut self, n: usize) -> Result<Region> {
        let three = matches!(self.inst.opcode.form(), Form::Three | Form::Bfn);
        let align16 = self.inst.access_mode == AccessMode::Align16;
        self.c.expect("<")?;
        if align16 && !three {
            let vstride = self.c.one_of("a stride", VSTRIDES)?;
            self.c.expect(">")?;
            return Ok(Region::Align16 { vstride, swizzle: self.swizzle()? });
        }
        let vstride = match self.c.eat_name("VxH") {
            true => VStride::VxH,
            false => VStride::Elements(self.c.one_of("a stride", VSTRIDES)?),
        };
        self.c.expect(",")?;
        let width = self.c.one_of("a width", WIDTHS)?;
        self.c.expect(",")?;
        let hstride = self.c.one_of("a stride", HSTRIDES)?;
        self.c.expect(">")?;
        match (three, align16, vstride) {
            (false, ..) => Ok(Region::Align1 { vstride, width, hstride }),
            (true, true, VStride::Elements(0)) => {
                Ok(Region::ThreeAlign16 { rep: true, swizzle: Swizzle([0; 4]) })
            }
            (true, true, _) => Ok(Region::ThreeAlign16 { rep: false, swizzle: self.swizzle()? }),
            (true, false, VStride::Elements(vstride)) => {
                Ok(Region::ThreeAlign1 { vstride: (n < 2).then_some(vstride), hstride })
            }
            (true, false, VStride::VxH) => Err(self.c.error("a region without VxH")),
        }
    }

    /// Parses an optional swizzle: one component for all, or four.
    fn swizzle(&mut self) -> Result<Swizzle> {
        if !self.c.eat_joined(".") {
            return Ok(Swizzle::XYZW);
        }
        self.c.swizzle()
    }

    /// Parses an immediate with its type. The type begins at the first upper-case letter:
    /// hexadecimal digits are lower case.
    fn immediate(&mut self) -> Result<Imm> {
        let at = self.c.here();
        let negative = self.c.eat("-");
        let digits = self.c.take_while(|c| !c.is_ascii_uppercase() && c.is_ascii_alphanumeric());
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).map(Number::Bits),
            None => digits.parse().map(Number::Integer),
        };
        let value = value.map_err(|_| self.c.error_at(at, "a number"))?;
        let mut ty = self.c.type_name(self.generation)?;
        if self.inst.opcode == Opcode::Dim && ty == Type::F {
            ty = Type::Df;
        }
        let bits = value.bits(ty, negative);
        let bits =
            bits.ok_or_else(|| self.c.error_at(at, &format!("a value of type {}", ty.name())))?;
        Ok(Imm { ty, bits })
    }

    /// Parses the operands of `send` and the description of the message.
    fn message(&mut self) -> Result<()> {
        let split = self.inst.opcode.form() == Form::Sends || self.generation >= Gen::Gen12;
        let mut send = Send::imm(Sfid::Null, 0, 0);
        if self.generation <= Gen::Gen5 {
            send.base_mrf = self.c.decimal("the first message register", 15)? as u8;
        }
        if split {
            let (place, ty) = self.payload()?;
            self.inst.dst = Dst::new(place, ty, 1);
            for n in 0..2 {
                let (place, ty) = self.payload()?;
                self.inst.srcs[n] = Src::Reg(SrcReg::new(place, ty, Region::SCALAR));
            }
            send.desc = self.descriptor()?;
            send.ex_desc = self.descriptor()?;
        } else {
            self.destination()?;
            self.source(0)?;
            send.desc = self.descriptor()?;
            if matches!(send.desc, DescSrc::Reg { .. }) {
                // The printer adds the dword of the instruction that would contain an immediate
                // descriptor.
                self.c.unsigned("the bits of the register operand")?;
            }
            if self.generation >= Gen::Gen9 {
                send.ex_desc = DescSrc::Imm(self.take_overlaid_region()?);
                if self.c.peek().is_some_and(|c| c.is_ascii_digit()) {
                    send.ex_desc = self.descriptor()?;
                }
            }
        }
        if let DescSrc::Imm(desc) = send.desc
            && !split
        {
            send.desc = DescSrc::Imm(desc & 0x7fff_ffff);
        }
        let named_function = match &mut send.desc {
            // The printed dword also contains the shared function.
            DescSrc::Imm(desc) if self.generation <= Gen::Gen45 => {
                let code = *desc >> 24 & 15;
                *desc &= !(15 << 24);
                // The function may be omitted.
                Some(code as u8).filter(|code| *code != 0)
            }
            _ => None,
        };
        let position = self.c.position();
        let name = self.c.until("MsgDesc:").map(str::trim);
        let found = Sfid::ALL
            .iter()
            .find(|sfid| Some(sfid_name(**sfid)) == name && sfid.bits(self.generation).is_some());
        let Some(sfid) = found else {
            self.c.go_back(position);
            return Err(self.c.error("a shared function and `MsgDesc:`"));
        };
        if named_function.is_some() && named_function != sfid.bits(self.generation) {
            self.c.go_back(position);
            return Err(self.c.error("the function of the descriptor's bits 27:24"));
        }
        send.sfid = *sfid;
        send.eot = matches!(&self.inst.extra, Extra::Send(send) if send.eot);
        // These are not in the descriptor.
        if let Some(options) = self.c.rfind('{') {
            let at = self.c.position();
            let description = self.c.take_to(options);
            let by_register = matches!(send.ex_desc, DescSrc::Reg { .. });
            if self.generation >= Gen::Gen125 && by_register && description.contains("ex_bso") {
                send.ex_bso = true;
                send.src1_len = src1_len(description)
                    .ok_or_else(|| self.c.error_at(at, "`src1_len = ` and a number up to 31"))?;
            }
        }
        self.inst.extra = Extra::Send(send);
        Ok(())
    }

    /// Converts the region of a payload to the extended descriptor whose bits are at the same place
    /// in a `send` of gen9 or gen11. The inverse of the printer's `overlaid_region`.
    fn take_overlaid_region(&mut self) -> Result<u32> {
        let Src::Reg(src) = &mut self.inst.srcs[0] else {
            return Err(self.c.error("a payload register before the descriptor"));
        };
        let region = std::mem::replace(&mut src.region, Region::SCALAR);
        let Region::Align1 { vstride: VStride::Elements(vstride), width, hstride } = region else {
            return Err(self.c.error("an Align1 region before the descriptor"));
        };
        let stride = |n: u8| if n == 0 { 0 } else { n.trailing_zeros() + 1 };
        let width = width.trailing_zeros();
        if width & 4 != 0 {
            self.inst.residue |= 1 << 84;
        }
        Ok(stride(vstride) << 24 | (width & 3) << 22 | stride(hstride) << 20)
    }

    /// Parses a payload: a register and its type.
    fn payload(&mut self) -> Result<(Place, Type)> {
        let raw = self.place()?;
        let ty = self.c.type_name(self.generation)?;
        Ok((raw.typed(ty, self.c)?, ty))
    }

    /// Parses a descriptor: a number, or a dword of a0.
    fn descriptor(&mut self) -> Result<DescSrc> {
        if !self.c.rest_starts_with("a0") {
            let value = self.c.unsigned("a descriptor")?;
            let value = u32::try_from(value).map_err(|_| self.c.error("32 bits"))?;
            return Ok(DescSrc::Imm(value));
        }
        self.c.eat("a0");
        let dword = if self.c.eat_joined(".") { self.c.decimal("a dword of a0", 7)? } else { 0 };
        // The region is always that of one dword.
        self.c.expect("<")?;
        self.c.take_while(|c| c != '>');
        self.c.expect(">")?;
        self.c.eat_joined(".x");
        match self.c.type_name(self.generation)? {
            Type::Ud => Ok(DescSrc::Reg { dword: dword as u8 }),
            _ => Err(self.c.error("type UD before this")),
        }
    }

    /// Parses the list of options.
    fn options(&mut self) -> Result<()> {
        self.c.expect("{")?;
        while !self.c.eat("}") {
            self.option()?;
            self.c.eat(",");
        }
        Ok(())
    }

    /// Parses one option, such as `@1` or `WE_all`.
    fn option(&mut self) -> Result<()> {
        if scoreboard(self.c, &mut self.inst, self.generation, TokenMode::Set)? {
            return Ok(());
        }
        let start = self.c.position();
        let name = self.c.name();
        let old = self.generation < Gen::Gen12;
        let inst = &mut self.inst;
        match name {
            "align1" => inst.access_mode = AccessMode::Align1,
            "align16" if self.generation <= Gen::Gen9 => inst.access_mode = AccessMode::Align16,
            "WE_all" => inst.no_mask = true,
            "nomask" if self.generation <= Gen::Gen5 => inst.no_mask = true,
            "NoDDClr" if old => inst.no_dd_clear = true,
            "NoDDChk" if old => inst.no_dd_check = true,
            "compacted" => inst.compacted = true,
            "atomic" => inst.thread_ctrl = ThreadCtrl::Atomic,
            "switch" => inst.thread_ctrl = ThreadCtrl::Switch,
            "nopreempt" => inst.thread_ctrl = ThreadCtrl::NoPreempt,
            "AccWrEnable" => inst.acc_wr_en = true,
            "MaskCtrlEx" => inst.mask_ctrl_ex = true,
            "sechalf" => inst.group = 8,
            "compr" => inst.compression = Compression::Compressed,
            "compr4" => inst.compression = Compression::Compr4,
            "BranchCtrl" => {
                if let Extra::Branch(branch) = &mut inst.extra {
                    branch.branch_ctrl = true;
                }
            }
            "EOT" if inst.opcode.is_send() => {
                let mut send = Send::imm(Sfid::Null, 0, 0);
                send.eot = true;
                inst.extra = Extra::Send(send);
            }
            _ => {
                let Some(group) = group(name) else {
                    self.c.go_back(start);
                    return Err(self
                        .c
                        .error(&format!("an instruction option of {}", self.generation)));
                };
                inst.group = group;
            }
        }
        Ok(())
    }
}

/// The length of the second payload in registers, from the description of a message with `ex_bso`.
fn src1_len(description: &str) -> Option<u8> {
    let (_, rest) = description.split_once("src1_len")?;
    let number = rest.trim_start().strip_prefix('=')?.trim_start();
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok().filter(|length| *length < 32)
}

/// The swizzle that selects the components of a write mask. For a component that is not in the
/// mask, it selects the one before it that is (or the first one).
fn swizzle_of(mask: WriteMask) -> Swizzle {
    let mut last = if mask.0 == 0 { 0 } else { mask.0.trailing_zeros() as u8 };
    Swizzle([0, 1, 2, 3].map(|component| {
        if mask.0 >> component & 1 != 0 {
            last = component;
        }
        last
    }))
}

/// The first channel of a channel group such as `2Q`, `1H` or `3N`.
fn group(name: &str) -> Option<u8> {
    let unit = match name.chars().last()? {
        'N' => 4,
        'Q' => 8,
        'H' => 16,
        _ => return None,
    };
    let number: u8 = name[..name.len() - 1].parse().ok()?;
    number.checked_sub(1)?.checked_mul(unit).filter(|group| *group < 32)
}

/// The register with this name and number; `None` if there is none.
fn register(letters: &str, digits: &str) -> Option<Reg> {
    let number = || digits.parse::<u8>().ok();
    match letters {
        "g" => number().filter(|nr| *nr < 128).map(Reg::Grf),
        "m" => number().map(Reg::Mrf),
        _ => {
            let kind = *ArfKind::ALL.iter().find(|kind| kind.name() == letters)?;
            match kind {
                ArfKind::Null | ArfKind::Ip => digits.is_empty().then_some(Reg::Arf(kind, 0)),
                _ => number().filter(|nr| *nr < 16).map(|nr| Reg::Arf(kind, nr)),
            }
        }
    }
}

/// The region that assemblers encode for the operands of the IEEE macros. The text has no region
/// there.
pub(super) fn macro_region(generation: Gen, inst: &Inst, n: usize, ty: Type) -> Region {
    let three = inst.opcode.form() == Form::Three;
    match (generation, three) {
        (Gen::Gen8 | Gen::Gen9, true) => {
            Region::ThreeAlign16 { rep: false, swizzle: Swizzle::XYZW }
        }
        (Gen::Gen8 | Gen::Gen9, false) => {
            let vstride = if ty == Type::Df { 2 } else { 4 };
            Region::Align16 { vstride, swizzle: Swizzle::XYZW }
        }
        (_, true) => Region::ThreeAlign1 { vstride: (n < 2).then_some(4), hstride: 1 },
        (Gen::Gen12 | Gen::Gen125, false) => Region::align1(1, 1, 0),
        _ => Region::align1(2, 2, 1),
    }
}
