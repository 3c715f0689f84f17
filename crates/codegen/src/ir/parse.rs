//! The parser of the text form that [`Function`]'s `Display` prints.
//!
//! The text is untrusted. Every error has a line number and the text that was expected there.

use crestline_isa::message::MessageTextError;
use crestline_isa::{
    AccessMode, ArfKind, CondMod, MathFn, Opcode, PredCtrl, Predicate, Swizzle, SwsbPipe,
    SwsbToken, SyncFn, TokenMode, Type, WriteMask,
};

use super::{
    Block, Class, Effect, File, Flag, Function, GRF_BYTES, Inst, Message, Op, Operand, Region,
    Space, Vreg, VregInfo, Vregs,
};
use crate::target::MAX_REGISTERS;

/// A syntax error, with the text that was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found `{found}`")]
pub struct ParseError {
    /// Line number, from 1.
    pub line: usize,
    /// The text or value that was expected.
    pub expected: &'static str,
    /// The text at that position.
    pub found: String,
}

type Result<T> = std::result::Result<T, ParseError>;

/// Largest register number and size that the parser accepts, so that a short text cannot allocate much memory.
const MAX_VREGS: u32 = 1 << 20;
const MAX_BYTES: u32 = 1 << 16;

/// Parses a function.
///
/// # Errors
/// The first line that is not as printed.
pub fn parse(text: &str) -> Result<Function> {
    let mut function: Option<Function> = None;
    for (index, line) in text.lines().enumerate() {
        let mut cursor = Cursor { rest: line.trim(), line: index + 1 };
        if cursor.rest.is_empty() || cursor.rest.starts_with(';') {
            continue;
        }
        match &mut function {
            None => function = Some(header(&mut cursor)?),
            Some(function) => body_line(&mut cursor, function)?,
        }
    }
    function.ok_or(ParseError { line: 1, expected: "`function simd`", found: String::new() })
}

/// Parses the first line of a function.
fn header(c: &mut Cursor<'_>) -> Result<Function> {
    c.word("function simd", "`function simd`")?;
    let width = c.number("8, 16 or 32")?;
    if !matches!(width, 8 | 16 | 32) {
        return c.fail("8, 16 or 32");
    }
    let mut f = Function::new(width as u8);
    f.blocks.clear();
    c.word("payload", "`payload`")?;
    f.payload_registers = c.number("registers")?.min(MAX_REGISTERS);
    c.word("push", "`push`")?;
    f.push_bytes = c.number("bytes")?.min(MAX_BYTES);
    c.word("bytes at g", "`bytes at g`")?;
    f.push_register = c.number("a register")?.min(MAX_REGISTERS);
    c.word("scratch", "`scratch`")?;
    f.scratch_bytes = c.number("bytes")?;
    Ok(f)
}

/// Parses a line after the first: sizes of registers, a block label or an instruction.
fn body_line(c: &mut Cursor<'_>, f: &mut Function) -> Result<()> {
    if c.eat("registers") {
        return registers(c, &mut f.vregs);
    }
    if c.rest.starts_with('b') && c.rest.ends_with(':') && !c.rest.contains(' ') {
        f.blocks.push(Block::default());
        return Ok(());
    }
    let inst = inst(c)?;
    match f.blocks.last_mut() {
        Some(block) => block.insts.push(inst),
        None => return c.fail("a block label first"),
    }
    Ok(())
}

/// Parses the sizes of virtual registers and stores them in `vregs`.
fn registers(c: &mut Cursor<'_>, vregs: &mut Vregs) -> Result<()> {
    loop {
        let class = if c.eat("vf") {
            Class::Flag
        } else if c.eat("v") {
            Class::Grf
        } else {
            return c.fail("a register");
        };
        let number = c.number("a register number")?;
        if !c.eat(":") {
            return c.fail("`:` and a size in bytes");
        }
        let bytes = c.number("bytes")?;
        if number >= MAX_VREGS || bytes > MAX_BYTES || bytes == 0 {
            return c.fail("a smaller number or size");
        }
        let min_register =
            if c.eat("from g") { c.number("a register")?.min(MAX_REGISTERS) as u8 } else { 0 };
        let info = VregInfo { class, bytes, min_register, no_spill: c.eat("no_spill") };
        while vregs.len() <= number as usize {
            vregs.bytes(1);
        }
        if let Some(slot) = vregs.get_mut(Vreg(number)) {
            *slot = info;
        }
        if !c.eat(",") {
            return if c.rest.is_empty() { Ok(()) } else { c.fail("`,` or the line's end") };
        }
        if c.rest.is_empty() {
            return Ok(());
        }
    }
}

/// The part of a line that is not parsed yet.
struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Cursor<'a> {
    fn fail<T>(&self, expected: &'static str) -> Result<T> {
        Err(ParseError { line: self.line, expected, found: self.rest.chars().take(40).collect() })
    }

    /// If `text` is next, skips it and the blanks after it and returns true.
    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self, text: &str, expected: &'static str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.fail(expected) }
    }

    /// Skips and returns the characters that satisfy a condition, and skips the blanks after them.
    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    fn number(&mut self, expected: &'static str) -> Result<u32> {
        let digits = self.take(|c| c.is_ascii_digit());
        digits.parse().or_else(|_| self.fail(expected))
    }

    fn small(&mut self, expected: &'static str) -> Result<u8> {
        let value = self.number(expected)?;
        u8::try_from(value).or_else(|_| self.fail(expected))
    }

    /// Parses a hexadecimal number with the prefix `0x`.
    fn hex(&mut self, expected: &'static str) -> Result<u64> {
        if !self.eat("0x") {
            return self.fail(expected);
        }
        let digits = self.take(|c| c.is_ascii_hexdigit());
        u64::from_str_radix(digits, 16).or_else(|_| self.fail(expected))
    }

    fn name(&mut self) -> &'a str {
        self.take(|c| c.is_ascii_alphanumeric() || c == '_')
    }
}

/// Parses a flag register, virtual or physical.
fn flag(c: &mut Cursor<'_>) -> Result<Flag> {
    if c.eat("vf") {
        return Ok(Flag::Virtual(Vreg(c.number("a flag number")?)));
    }
    c.word("f", "a flag")?;
    let nr = c.small("0 or 1")?;
    c.word(".", "`.`")?;
    let sub = c.small("0 or 1")?;
    if nr > 1 || sub > 1 {
        return c.fail("a flag from f0.0 to f1.1");
    }
    Ok(Flag::Fixed(2 * nr + sub))
}

/// Parses an instruction: predicate, operation, modifiers, execution size, operands, and entries in braces.
fn inst(c: &mut Cursor<'_>) -> Result<Inst> {
    let mut inst = Inst::new(Op::Undef, 1, Operand::null(Type::Ud), &[]);
    if c.eat("(") {
        inst.predicate.inverse = c.eat("-");
        if !inst.predicate.inverse {
            c.word("+", "`+` or `-`")?;
        }
        inst.flag = flag(c)?;
        let ctrl = if c.eat(".") { pred_ctrl(c)? } else { PredCtrl::Normal };
        inst.predicate = Predicate { ctrl, inverse: inst.predicate.inverse };
        c.word(")", "`)`")?;
    }
    inst.op = op(c)?;
    while c.eat(".") {
        if let Op::Collect { headers } = &mut inst.op {
            *headers = c.small("a number of headers")?;
        } else {
            modifier(c, &mut inst)?;
        }
    }
    c.word("(", "`(` and the number of channels")?;
    inst.exec_size = c.small("a number of channels")?;
    c.word(")", "`)`")?;
    if !c.rest.is_empty() && !c.rest.starts_with('{') {
        inst.dst = operand(c, true)?;
        while c.eat(",") {
            let src = operand(c, false)?;
            inst.srcs.push(src);
        }
    }
    if inst.op.is_message() {
        c.word("{", "`{` and a message")?;
        inst.message = Some(Box::new(message(c)?));
        notes(c, &mut inst)?;
    } else if c.eat("{") {
        note(c, &mut inst)?;
        notes(c, &mut inst)?;
    }
    if c.rest.is_empty() { Ok(inst) } else { c.fail("the line's end") }
}

/// Parses the name of a predicate control.
fn pred_ctrl(c: &mut Cursor<'_>) -> Result<PredCtrl> {
    let name = c.name();
    let modes = [AccessMode::Align1, AccessMode::Align16];
    modes
        .into_iter()
        .flat_map(|mode| (2..16).filter_map(move |code| PredCtrl::from_bits(mode, code)))
        .find(|ctrl| ctrl.name() == name)
        .map_or_else(|| c.fail("a predicate control"), Ok)
}

/// Parses an operation: its name and, for some, a function after a dot.
fn op(c: &mut Cursor<'_>) -> Result<Op> {
    let name = c.name();
    Ok(match name {
        "math" => {
            c.word(".", "`.` and a math function")?;
            let function = match c.name() {
                "intdiv" => Some(MathFn::IntQuot),
                "intdivmod" => Some(MathFn::IntDiv),
                name => MathFn::from_name(name),
            };
            Op::Math(function.map_or_else(|| c.fail("a math function"), Ok)?)
        }
        "sync" => {
            c.word(".", "`.` and what to wait for")?;
            Op::Sync(SyncFn::from_name(c.name()).map_or_else(|| c.fail("nop, allrd or allwr"), Ok)?)
        }
        "do" => Op::Do,
        "halt_target" => Op::HaltTarget,
        "undef" => Op::Undef,
        "collect" => Op::Collect { headers: 0 },
        "message" => Op::Message,
        "send" => Op::Send,
        "mov_indirect" => Op::MovIndirect,
        "mov_indirect_dst" => Op::MovIndirectDst,
        "shuffle" => Op::Shuffle,
        "broadcast" => Op::Broadcast,
        "find_live_channel" => Op::FindLiveChannel,
        "live_channels" => Op::LiveChannels,
        "mul_high" => Op::MulHigh,
        "await" => Op::Await,
        name => Op::Hw(Opcode::from_name(name).map_or_else(|| c.fail("an operation"), Ok)?),
    })
}

/// Parses `.sat`, or a conditional modifier and its flag register.
fn modifier(c: &mut Cursor<'_>, inst: &mut Inst) -> Result<()> {
    let name = c.name();
    if name == "sat" {
        inst.saturate = true;
        return Ok(());
    }
    inst.cond_mod = CondMod::from_name(name)
        .filter(|cond_mod| *cond_mod != CondMod::None)
        .map_or_else(|| c.fail("`sat` or a conditional modifier"), Ok)?;
    if inst.writes_flag() {
        c.word(".", "`.` and a flag")?;
        inst.flag = flag(c)?;
    }
    Ok(())
}

/// Parses an operand. `dst` states whether it is a destination, where components after a dot are a write mask.
fn operand(c: &mut Cursor<'_>, dst: bool) -> Result<Operand> {
    let negate = c.eat("-");
    let abs = c.eat("|");
    let (file, mut offset) = file(c)?;
    if c.eat("+") {
        offset = offset.saturating_add(c.number("a byte offset")?);
    }
    let default = if matches!(file, File::Imm(_)) { Region::SCALAR } else { Region::PACKED };
    let region = region(c, dst)?.unwrap_or(default);
    if abs {
        c.word("|", "`|`")?;
    }
    c.word(":", "`:` and a type")?;
    let ty = Type::from_name(c.name()).map_or_else(|| c.fail("a type"), Ok)?;
    Ok(Operand { file, offset, ty, region, negate, abs })
}

/// Parses the register file and number of an operand; returns the file and the byte offset of the register.
fn file(c: &mut Cursor<'_>) -> Result<(File, u32)> {
    if c.rest.starts_with("0x") {
        return Ok((File::Imm(c.hex("a constant")?), 0));
    }
    if c.eat("null") {
        return Ok((File::Null, 0));
    }
    if c.eat("g[a0.") {
        let addr = c.small("a word of a0")?;
        c.word("]", "`]`")?;
        return Ok((File::Indirect { addr }, 0));
    }
    let letters = c.rest.find(|ch: char| !ch.is_ascii_alphabetic()).unwrap_or(c.rest.len());
    let (name, rest) = c.rest.split_at(letters);
    c.rest = rest;
    let number = |c: &mut Cursor<'_>, size: u32| -> Result<u32> {
        let nr = c.number("a register number")?;
        nr.checked_mul(size).map_or_else(|| c.fail("a smaller number"), Ok)
    };
    match name {
        "u" => Ok((File::Uniform, 0)),
        "v" | "vf" => Ok((File::Vgrf(Vreg(c.number("a register number")?)), 0)),
        "g" => Ok((File::Grf, number(c, GRF_BYTES)?)),
        _ => {
            let kind = ArfKind::from_name(name).map_or_else(|| c.fail("a register"), Ok)?;
            let size = if kind == ArfKind::Flag { 4 } else { GRF_BYTES };
            Ok((File::Arf(kind), number(c, size)?))
        }
    }
}

/// Parses a region; `None` if the text has none.
fn region(c: &mut Cursor<'_>, dst: bool) -> Result<Option<Region>> {
    if c.eat(".") {
        let names: Vec<u8> = c
            .name()
            .bytes()
            .filter_map(|b| b"xyzw".iter().position(|n| *n == b).map(|at| at as u8))
            .collect();
        return match (dst, names.as_slice()) {
            (true, names) => {
                Ok(Some(Region::Mask(WriteMask(names.iter().fold(0, |mask, c| mask | 1 << c)))))
            }
            (false, &[x, y, z, w]) => Ok(Some(Region::Swizzle(Swizzle([x, y, z, w])))),
            (false, _) => c.fail("four components"),
        };
    }
    if !c.eat("<") {
        return Ok(None);
    }
    let first = c.small("a stride or width")?;
    let region = if c.eat(";") {
        let width = c.small("a width")?;
        c.word(",", "`,`")?;
        Region::Rect { vstride: first, width, hstride: c.small("a stride")? }
    } else if c.eat(",") {
        Region::Indirect { width: first, hstride: c.small("a stride")? }
    } else {
        Region::Stride(first)
    };
    c.word(">", "`>`")?;
    if let Region::Stride(step) = region
        && !dst
        && c.rest.starts_with('.')
        && let Some(Region::Swizzle(swizzle)) = self::region(c, dst)?
    {
        return Ok(Some(Region::Vectors { step, swizzle }));
    }
    Ok(Some(region))
}

/// Parses the message at the start of an instruction's braces.
fn message(c: &mut Cursor<'_>) -> Result<Message> {
    let text = c.rest.split([',', '}']).next().unwrap_or("");
    let kind = text.parse().map_err(|error: MessageTextError| {
        let MessageTextError { expected, found } = error;
        ParseError { line: c.line, expected, found }
    })?;
    c.rest = &c.rest[text.len()..];
    Ok(Message {
        kind,
        headers: 0,
        first: 1,
        lengths: [0; 2],
        response: 0,
        eot: false,
        check: false,
        effect: Effect::Pure,
        space: Space::None,
    })
}

/// Parses the remaining entries of an instruction's braces.
fn notes(c: &mut Cursor<'_>, inst: &mut Inst) -> Result<()> {
    while !c.eat("}") {
        c.word(",", "`,` or `}`")?;
        note(c, inst)?;
    }
    Ok(())
}

/// Parses one entry of an instruction's braces.
fn note(c: &mut Cursor<'_>, inst: &mut Inst) -> Result<()> {
    if scoreboard(c, inst)? {
        return Ok(());
    }
    let name = c.name();
    match name {
        "align16" => inst.access_mode = AccessMode::Align16,
        "nomask" => inst.no_mask = true,
        "accwren" => inst.acc_wr_en = true,
        "noddclr" => inst.no_dd_clear = true,
        "noddchk" => inst.no_dd_check = true,
        "group" => inst.group = c.small("a channel")?,
        _ => match &mut inst.message {
            Some(message) => return message_note(c, name, message),
            None => return c.fail("an instruction option"),
        },
    }
    Ok(())
}

/// Parses a register distance or a token of the software scoreboard; returns whether there was one.
fn scoreboard(c: &mut Cursor<'_>, inst: &mut Inst) -> Result<bool> {
    const PIPES: [(&str, SwsbPipe); 5] = [
        ("@", SwsbPipe::Implied),
        ("A@", SwsbPipe::All),
        ("F@", SwsbPipe::Float),
        ("I@", SwsbPipe::Int),
        ("L@", SwsbPipe::Long),
    ];
    if c.eat("$") {
        let id = c.small("a token, 0 to 15")?;
        if id > 15 {
            return c.fail("a token, 0 to 15");
        }
        let mode = match () {
            () if c.eat(".dst") => TokenMode::Dst,
            () if c.eat(".src") => TokenMode::Src,
            () => TokenMode::Set,
        };
        inst.swsb.token = Some(SwsbToken { mode, id });
    } else if let Some((_, pipe)) = PIPES.iter().find(|(name, _)| c.eat(name)) {
        let distance = c.small("a distance, 1 to 7")?;
        if !(1..=7).contains(&distance) {
            return c.fail("a distance, 1 to 7");
        }
        (inst.swsb.distance, inst.swsb.pipe) = (distance, *pipe);
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Parses an entry of a message's braces, which starts with `name`.
fn message_note(c: &mut Cursor<'_>, name: &str, m: &mut Message) -> Result<()> {
    match name {
        "first" => m.first = c.small("a number of parts")?,
        "headers" => m.headers = c.small("a number of parts")?,
        "mlen" => {
            m.lengths[0] = c.small("registers")?;
            c.word("+", "`+`")?;
            m.lengths[1] = c.small("registers")?;
        }
        "response" => m.response = c.number("bytes")?,
        "eot" => m.eot = true,
        "check" => m.check = true,
        "pure" | "read" | "write" | "barrier" => {
            m.effect = match name {
                "pure" => Effect::Pure,
                "read" => Effect::Read,
                "write" => Effect::Write,
                _ => Effect::Barrier,
            };
            m.space = match c.name() {
                "none" => Space::None,
                "global" => Space::Global,
                "shared" => Space::Shared,
                "scratch" => Space::Scratch,
                "urb" => Space::Urb,
                _ => return c.fail("a memory"),
            };
        }
        _ => return c.fail("an instruction option"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Builder;
    use crestline_isa::message as isa;

    #[test]
    fn what_is_printed_reads_back() {
        let mut f = Function::new(16);
        f.payload_registers = 3;
        f.push_bytes = 64;
        let (v, s) = (f.lanes(Type::F, 2), f.scalar(Type::D));
        let mut b = Builder::new(&mut f);
        let vf = b.flag();
        b.uniform().mov(s, Operand::uniform(12, Type::D).negated());
        b.cmp(Operand::null(Type::F), v.absolute(), CondMod::L, Operand::imm_f(1.0), vf);
        b.if_(vf, true);
        b.exec(8).group(8).mad(v.byte_offset(32), v, s.retype(Type::F), v).saturate = true;
        b.math(MathFn::IntQuot, v.retype(Type::D), &[v.retype(Type::D), s]);
        b.else_();
        let ddx = Region::Rect { vstride: 2, width: 2, hstride: 0 };
        b.predicated(Flag::Fixed(3), false).mov(v, Operand::grf(2, Type::F).with_region(ddx));
        let state = Operand::arf(ArfKind::State, 8, Type::Ud).with_stride(0);
        b.uniform().mov(s.retype(Type::Ud), state);
        b.endif();
        let message = Message {
            kind: isa::Message::UntypedRead {
                bti: isa::Bti(2),
                simd: isa::SimdMode::Simd16,
                mask: isa::ChannelMask(1),
            },
            headers: 1,
            first: 2,
            lengths: [0; 2],
            response: 64,
            eot: false,
            check: false,
            effect: Effect::Read,
            space: Space::Global,
        };
        b.message(message, v, Operand::null(Type::Ud), &[Operand::grf(0, Type::Ud), v]);
        let swizzle = Region::Swizzle(Swizzle([0, 1, 1, 3]));
        let mut vec4 = b.align16();
        vec4.exec(8).mov(v.with_region(Region::Mask(WriteMask(5))), v.with_region(swizzle));
        let text = f.to_string();
        let back = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(back.to_string(), text);
        assert_eq!(back.blocks.len(), f.blocks.len());
        for (old, new) in f.insts().zip(back.insts()) {
            assert_eq!(old, new);
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, expected) in [
            ("", 1, "`function simd`"),
            ("function simd12", 1, "8, 16 or 32"),
            (
                "function simd8 payload 1 push 0 bytes at g1 scratch 0\nmov(8) g1:F",
                2,
                "a block label first",
            ),
            (
                "function simd8 payload 1 push 0 bytes at g1 scratch 0\nb0:\n  frob(8) g1:F",
                3,
                "an operation",
            ),
            (
                "function simd8 payload 1 push 0 bytes at g1 scratch 0\nregisters v99999999:4",
                2,
                "a smaller number or size",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!((error.line, error.expected), (line, expected), "{text}");
        }
    }
}
