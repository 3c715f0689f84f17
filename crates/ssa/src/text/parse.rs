//! Reads the text form. It checks what the text itself promises: words, numbers, names, swizzle lengths. Whether the
//! code makes sense is for the verifier to say.

use std::collections::HashMap;

use super::lex::{Lexer, Place, Token};
use super::words::{ACCESS, COMPONENTS, FLOAT_CONTROLS, Field, SEMANTICS, Word};
use crate::interp::float::{Round, f64_to_f16};
use crate::ir::{
    Access, Align, AluOp, Binding, BindingId, ComputeInfo, InstId, InstKind, MAX_DEPTH, Memory,
    MemorySemantics, PathStep, RegionId, Resource, Shader, Src, Srcs, Targets, Ty, Value, VarId,
    VarStorage, VarTy, Variable, WriteMask,
};

/// Why a text is no shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {kind}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong there.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What was expected.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A number does not fit.
    #[error("the number {number} does not fit {what}")]
    TooLarge {
        /// The number.
        number: String,
        /// What it was for.
        what: &'static str,
    },
    /// A value is defined twice.
    #[error("%{0} is defined a second time")]
    Redefined(String),
    /// A value is used and never defined.
    #[error("%{0} is never defined")]
    Undefined(String),
    /// A source has too few or too many components.
    #[error("expected {expected} components of %{name}, found {found}")]
    Components {
        /// The value's name.
        name: String,
        /// How many are read.
        expected: usize,
        /// How many the swizzle, or without one the value, has.
        found: usize,
    },
    /// Regions or types stand too deep in each other.
    #[error("nested more than {0} deep")]
    TooDeep(usize),
}

type Result<T> = std::result::Result<T, ParseError>;

/// Reads a shader in text form. Values, instructions and regions are numbered in order of appearance.
///
/// # Errors
/// The first place where the text departs from the form. The result may still fail verification.
pub fn parse(text: &str) -> Result<Shader> {
    let mut lexer = Lexer::new(text);
    let (token, place) = lexer.next();
    let mut parser = Parser {
        lexer,
        token,
        place,
        shader: Shader::new_compute(""),
        ops: AluOp::all().map(|op| (op.name(), op)).collect(),
        names: HashMap::new(),
        uses: Vec::new(),
        masked: Vec::new(),
    };
    parser.header()?;
    let body = parser.shader.func.body();
    parser.region(body, 1)?;
    if parser.token != Token::End {
        return Err(parser.expected("the end of the text"));
    }
    parser.resolve()?;
    Ok(parser.shader)
}

/// Structures and arrays of a variable stand at most so deep in each other.
const MAX_TYPE_DEPTH: usize = 64;

/// A source as written. While parsing, a source's value is the index of its use; [`Parser::resolve`] replaces it.
struct Use<'t> {
    name: &'t str,
    swizzle: Option<(usize, [u8; 4])>,
    place: Place,
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token<'t>,
    /// Of `token`.
    place: Place,
    shader: Shader,
    ops: HashMap<&'static str, AluOp>,
    names: HashMap<&'t str, Value>,
    uses: Vec<Use<'t>>,
    /// Per instruction whether a write mask was written.
    masked: Vec<bool>,
}

impl<'t> Parser<'t> {
    fn header(&mut self) -> Result<()> {
        self.shader.stage = self.enumerated()?;
        self.shader.name = self.string()?;
        self.shader.compute = ComputeInfo::default();
        self.sign('{')?;
        while let Token::Word(word) = self.token {
            match word {
                "local_size" => {
                    self.next();
                    for axis in 0..3 {
                        if axis > 0 {
                            self.sign(',')?;
                        }
                        self.shader.compute.local_size[axis] = self.u32()?;
                    }
                }
                "shared_bytes" => self.shader.compute.shared_bytes = self.setting()?,
                "push_constant_bytes" => self.shader.push_constant_bytes = self.setting()?,
                "scratch_bytes" => self.shader.scratch_bytes = self.setting()?,
                // The memory of that name is no header line: nothing starts a line with it.
                "const_data" => self.const_data()?,
                "binding" => self.binding()?,
                "var" => self.variable()?,
                _ => match FLOAT_CONTROLS.iter().find(|row| row.0 == word) {
                    Some((_, field)) => {
                        let mask = self.setting()?;
                        let mask = self.fit(u64::from(mask), "a mask of 8 bits")?;
                        *field(&mut self.shader.float_controls) = mask;
                    }
                    None => break,
                },
            }
        }
        Ok(())
    }

    /// A word, then a number.
    fn setting(&mut self) -> Result<u32> {
        self.next();
        self.u32()
    }

    fn const_data(&mut self) -> Result<()> {
        self.next();
        let digits = match self.token {
            Token::Number(text) => text.strip_prefix("0x"),
            _ => None,
        };
        let digits =
            digits.filter(|d| d.len() % 2 == 0 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(digits) = digits else {
            return Err(self.expected("`0x` and two hexadecimal digits for each byte"));
        };
        let nibble = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
        let bytes = digits.as_bytes().chunks_exact(2).map(|b| nibble(b[0]) << 4 | nibble(b[1]));
        self.shader.const_data.extend(bytes);
        self.next();
        Ok(())
    }

    fn binding(&mut self) -> Result<()> {
        self.next();
        self.numbered('b', self.shader.bindings.len())?;
        self.sign(':')?;
        let kind = self.enumerated()?;
        self.word("set")?;
        let set = self.u32()?;
        self.word("binding")?;
        let binding = self.u32()?;
        let name = self.string()?;
        let count = if self.take_word("count") { Some(self.u32()?) } else { None };
        let readonly = self.take_word("readonly");
        self.shader.bindings.push(Binding { set, binding, kind, count, name, readonly });
        Ok(())
    }

    fn variable(&mut self) -> Result<()> {
        self.next();
        self.numbered('v', self.shader.vars.len())?;
        self.sign(':')?;
        let ty = self.var_ty(0)?;
        let name = self.string()?;
        let init = if self.take_word("init") {
            let mut init = vec![self.u64()?];
            while self.take_sign(',') {
                init.push(self.u64()?);
            }
            Some(init)
        } else {
            None
        };
        self.shader.vars.push(Variable { name, ty, storage: VarStorage::Private, init });
        Ok(())
    }

    fn var_ty(&mut self, depth: usize) -> Result<VarTy> {
        if depth > MAX_TYPE_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep(MAX_TYPE_DEPTH)));
        }
        let mut ty = if self.take_sign('{') {
            let mut members = vec![self.var_ty(depth + 1)?];
            while self.take_sign(',') {
                members.push(self.var_ty(depth + 1)?);
            }
            self.sign('}')?;
            VarTy::Struct(members)
        } else {
            VarTy::Vector(self.ty()?)
        };
        let mut arrays = depth;
        while self.take_sign('[') {
            arrays += 1;
            if arrays > MAX_TYPE_DEPTH {
                return Err(self.error(ParseErrorKind::TooDeep(MAX_TYPE_DEPTH)));
            }
            ty = VarTy::Array(Box::new(ty), self.u32()?);
            self.sign(']')?;
        }
        Ok(ty)
    }

    /// Instructions up to the `}` that ends the region, which is taken.
    fn region(&mut self, region: RegionId, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep(MAX_DEPTH)));
        }
        while !self.take_sign('}') {
            self.inst(region, depth)?;
        }
        Ok(())
    }

    fn inst(&mut self, region: RegionId, depth: usize) -> Result<()> {
        let mut results = Vec::new();
        if matches!(self.token, Token::Value(_)) {
            loop {
                results.push(self.definition()?);
                if !self.take_sign(',') {
                    break;
                }
            }
            self.sign('=')?;
        }
        let inst = self.shader.func.add_inst(InstKind::Undef, &[]);
        self.shader.func.region_mut(region).insts.push(inst);
        self.masked.push(false);
        let first = results.first().map(|r| r.2);
        for (name, place, ty) in results {
            let value = self.shader.func.add_result(inst, ty);
            self.define(name, place, value)?;
        }
        let kind = self.operation(inst, first, depth)?;
        *self.shader.func.kind_mut(inst) = kind;
        Ok(())
    }

    fn definition(&mut self) -> Result<(&'t str, Place, Ty)> {
        let place = self.place;
        let Token::Value(name) = self.token else {
            return Err(self.expected("a value to define"));
        };
        self.next();
        self.sign(':')?;
        Ok((name, place, self.ty()?))
    }

    fn define(&mut self, name: &'t str, place: Place, value: Value) -> Result<()> {
        match self.names.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(error_at(place, ParseErrorKind::Redefined(name.to_owned()))),
        }
    }

    /// An operation and its operands; `ty` is the type of its first result.
    fn operation(&mut self, inst: InstId, ty: Option<Ty>, depth: usize) -> Result<InstKind> {
        let Token::Word(word) = self.token else {
            return Err(self.expected("an instruction or `}`"));
        };
        if let Some(&op) = self.ops.get(word) {
            self.next();
            let exact = self.take_sign('.');
            if exact {
                self.word("exact")?;
            }
            return Ok(InstKind::Alu { op, srcs: self.srcs()?, exact });
        }
        if !KEYWORDS.contains(&word) {
            return Err(self.expected("an instruction or `}`"));
        }
        self.next();
        Ok(match word {
            "const" => self.constant(ty)?,
            "undef" => InstKind::Undef,
            "sysval" => InstKind::SysVal(self.enumerated()?),
            "load_var" => InstKind::LoadVar { var: self.var()?, path: self.path()? },
            "store_var" => {
                let (var, path) = (self.var()?, self.path()?);
                self.sign(',')?;
                let (data, mut mask) = (self.src()?, WriteMask(0));
                while self.take_sign(',') {
                    self.word("mask")?;
                    mask = self.mask(inst)?;
                }
                InstKind::StoreVar { var, path, data, mask }
            }
            "load" => {
                let memory = self.memory()?;
                self.sign(',')?;
                let offset = self.src()?;
                let tail = self.tail(inst)?;
                let align = self.demand_align(tail.align)?;
                InstKind::Load { memory, offset, align, access: tail.access }
            }
            "store" => {
                let memory = self.memory()?;
                self.sign(',')?;
                let offset = self.src()?;
                self.sign(',')?;
                let data = self.src()?;
                let Tail { align, access, mask } = self.tail(inst)?;
                let align = self.demand_align(align)?;
                InstKind::Store { memory, offset, data, comps: 0, mask, align, access }
            }
            "atomic" => {
                let op = self.enumerated()?;
                let memory = self.memory()?;
                self.sign(',')?;
                let offset = self.src()?;
                self.sign(',')?;
                let data = self.src()?;
                let mut compare = None;
                let mut access = Access::default();
                while self.take_sign(',') {
                    if matches!(self.token, Token::Value(_)) && compare.is_none() {
                        compare = Some(self.src()?);
                    } else {
                        self.flag(ACCESS, &mut access, "a flag")?;
                    }
                }
                InstKind::Atomic { memory, op, offset, data, compare, access }
            }
            "buffer_size" => InstKind::BufferSize(self.resource()?),
            "barrier" => {
                let execution = if self.take_word("execution") {
                    let scope = self.enumerated()?;
                    self.sign(',')?;
                    Some(scope)
                } else {
                    None
                };
                self.word("memory")?;
                let memory = self.enumerated()?;
                let mut semantics = MemorySemantics::default();
                while self.take_sign(',') {
                    self.flag(SEMANTICS, &mut semantics, "a flag of a barrier")?;
                }
                InstKind::Barrier { execution, memory, semantics }
            }
            "if" => {
                let cond = self.src()?;
                self.sign('{')?;
                let then = self.shader.func.add_region();
                self.region(then, depth + 1)?;
                self.word("else")?;
                self.sign('{')?;
                let else_ = self.shader.func.add_region();
                self.region(else_, depth + 1)?;
                InstKind::If { cond, then, else_ }
            }
            "loop" => self.loop_(depth)?,
            "yield" => InstKind::Yield(self.srcs()?),
            "break" => InstKind::Break(self.srcs()?),
            "continue" => InstKind::Continue(self.srcs()?),
            _ => InstKind::Return,
        })
    }

    fn loop_(&mut self, depth: usize) -> Result<InstKind> {
        let body = self.shader.func.add_region();
        let mut init = Srcs::new();
        if self.take_sign('(') {
            loop {
                self.param(body)?;
                self.sign('=')?;
                init.push(self.src()?);
                if !self.take_sign(',') {
                    break;
                }
            }
            self.sign(')')?;
        }
        self.sign('{')?;
        self.region(body, depth + 1)?;
        let mut continuing = None;
        if self.take_word("continuing") {
            let region = self.shader.func.add_region();
            continuing = Some(region);
            if self.take_sign('(') {
                loop {
                    self.param(region)?;
                    if !self.take_sign(',') {
                        break;
                    }
                }
                self.sign(')')?;
            }
            self.sign('{')?;
            self.region(region, depth + 1)?;
        }
        Ok(InstKind::Loop { init, body, continuing })
    }

    fn param(&mut self, region: RegionId) -> Result<()> {
        let (name, place, ty) = self.definition()?;
        let value = self.shader.func.add_param(region, ty);
        self.define(name, place, value)
    }

    /// Components: numbers, `true` and `false`, and numbers with a point, which become floats of the type's size.
    fn constant(&mut self, ty: Option<Ty>) -> Result<InstKind> {
        let ty = ty.unwrap_or(Ty::X32);
        let mut bits = [0; 4];
        for (i, bits) in bits.iter_mut().enumerate().take(ty.comps()) {
            if i > 0 {
                self.sign(',')?;
            }
            *bits = self.component(ty)?;
        }
        Ok(InstKind::Const(bits))
    }

    fn component(&mut self, ty: Ty) -> Result<u64> {
        let place = self.place;
        let negative = self.take_sign('-');
        let (token, bits) = match self.token {
            Token::Word(word @ ("true" | "false")) if ty.is_bool() && !negative => {
                (word, Some(u64::from(word == "true")))
            }
            Token::Number(text) if text.contains('.') && ty.bits() >= 16 => {
                let number = text.parse::<f64>().ok().map(|x| if negative { -x } else { x });
                (text, number.map(|x| float_bits(x, text, negative, ty.bits())))
            }
            Token::Number(text) => {
                let fits = |n: &u64| match negative {
                    true => *n <= ty.mask() / 2 + 1,
                    false => *n <= ty.mask(),
                };
                let signed = |n: u64| if negative { n.wrapping_neg() & ty.mask() } else { n };
                let Some(number) = number(text) else {
                    return Err(self.expected("a number"));
                };
                let Some(number) = Some(number).filter(fits) else {
                    let number = text.to_owned();
                    let what = "a component of the type";
                    return Err(error_at(place, ParseErrorKind::TooLarge { number, what }));
                };
                (text, Some(signed(number)))
            }
            _ => ("", None),
        };
        match bits {
            Some(bits) if !token.is_empty() => {
                self.next();
                Ok(bits)
            }
            _ => Err(self.expected("a number")),
        }
    }

    fn tail(&mut self, inst: InstId) -> Result<Tail> {
        let mut tail = Tail { align: None, access: Access::default(), mask: WriteMask(0) };
        while self.take_sign(',') {
            if self.take_word("align") {
                let mul = self.u32()?;
                let offset = if self.take_sign('+') { self.u32()? } else { 0 };
                tail.align = Some(Align { mul, offset });
            } else if self.take_word("mask") {
                tail.mask = self.mask(inst)?;
            } else {
                self.flag(ACCESS, &mut tail.access, "`align`, `mask` or a flag")?;
            }
        }
        Ok(tail)
    }

    fn demand_align(&self, align: Option<Align>) -> Result<Align> {
        align.ok_or_else(|| self.expected("`, align` and a number of bytes"))
    }

    fn mask(&mut self, inst: InstId) -> Result<WriteMask> {
        self.masked[inst.index()] = true;
        if let Token::Number(_) = self.token {
            let mask = self.u64()?;
            return Ok(WriteMask(self.fit(mask, "a write mask")?));
        }
        let Some(mask) = self.components() else {
            return Err(self.expected("components of a write mask"));
        };
        let (count, comps) = mask;
        let mask = comps[..count].iter().fold(0, |mask, comp| mask | 1 << comp);
        self.next();
        Ok(WriteMask(mask))
    }

    /// The token as one to four letters out of `xyzw`.
    fn components(&self) -> Option<(usize, [u8; 4])> {
        let Token::Word(word) = self.token else {
            return None;
        };
        let mut comps = [0; 4];
        for (i, letter) in word.chars().enumerate() {
            *comps.get_mut(i)? = COMPONENTS.iter().position(|&c| c == letter)? as u8;
        }
        let count = word.len();
        let last = comps[count - 1];
        comps[count..].fill(last);
        Some((count, comps))
    }

    fn memory(&mut self) -> Result<Memory> {
        let Token::Word(word) = self.token else {
            return Err(self.expected("a memory"));
        };
        let memory = match word {
            "push_constant" => Memory::PushConstant,
            "shared" => Memory::Shared,
            "scratch" => Memory::Scratch,
            "const_data" => Memory::ConstData,
            "ubo" | "ssbo" => {
                self.next();
                let resource = self.resource()?;
                let ubo = word == "ubo";
                return Ok(if ubo { Memory::Ubo(resource) } else { Memory::Ssbo(resource) });
            }
            _ => return Err(self.expected("a memory")),
        };
        self.next();
        Ok(memory)
    }

    fn resource(&mut self) -> Result<Resource> {
        let binding = BindingId(self.id('b', "a binding")?);
        let element = if self.take_sign('[') {
            let src = self.src()?;
            self.sign(']')?;
            Some(src)
        } else {
            None
        };
        Ok(Resource { binding, element })
    }

    fn var(&mut self) -> Result<VarId> {
        Ok(VarId(self.id('v', "a variable")?))
    }

    /// A letter and a number in one word.
    fn id(&mut self, letter: char, what: &str) -> Result<u32> {
        let id = match self.token {
            Token::Word(word) => word.strip_prefix(letter).and_then(|n| n.parse().ok()),
            _ => None,
        };
        let Some(id) = id else {
            return Err(self.expected(what));
        };
        self.next();
        Ok(id)
    }

    fn numbered(&mut self, letter: char, number: usize) -> Result<()> {
        self.word(&format!("{letter}{number}"))
    }

    fn path(&mut self) -> Result<Vec<PathStep>> {
        let mut path = Vec::new();
        while self.take_sign('[') {
            path.push(match self.token {
                Token::Value(_) => PathStep::Dyn(self.src()?),
                _ => PathStep::Const(self.u32()?),
            });
            self.sign(']')?;
        }
        Ok(path)
    }

    /// Sources with commas between; none if no value follows.
    fn srcs(&mut self) -> Result<Srcs> {
        let mut srcs = Srcs::new();
        // A definition starts like a source: only after a comma, or where an operation takes sources, is it one.
        if matches!(self.token, Token::Value(_)) && !self.at_definition() {
            srcs.push(self.src()?);
            while self.take_sign(',') {
                srcs.push(self.src()?);
            }
        }
        Ok(srcs)
    }

    /// Whether the value at hand is followed by `:`.
    fn at_definition(&self) -> bool {
        self.lexer.peek_sign(':')
    }

    fn src(&mut self) -> Result<Src> {
        let place = self.place;
        let Token::Value(name) = self.token else {
            return Err(self.expected("a value"));
        };
        self.next();
        let mut swizzle = None;
        if self.take_sign('.') {
            swizzle = self.components();
            if swizzle.is_none() {
                return Err(self.expected("one to four components out of `xyzw`"));
            }
            self.next();
        }
        self.uses.push(Use { name, swizzle, place });
        let value = Value::from_index(self.uses.len() - 1);
        Ok(Src { value, swizzle: swizzle.map_or(Src::IDENTITY, |(_, comps)| comps) })
    }

    fn flag<T>(&mut self, flags: &[Field<T, bool>], of: &mut T, what: &str) -> Result<()> {
        let row = match self.token {
            Token::Word(word) => flags.iter().find(|row| row.0 == word),
            _ => None,
        };
        let Some((_, field)) = row else {
            return Err(self.expected(what));
        };
        *field(of) = true;
        self.next();
        Ok(())
    }

    fn enumerated<T: Word>(&mut self) -> Result<T> {
        let value = match self.token {
            Token::Word(word) => T::from_word(word),
            _ => None,
        };
        let Some(value) = value else {
            let words: Vec<_> = T::all().iter().map(|row| row.1).collect();
            return Err(self.expected(&format!("{} ({})", T::WHAT, words.join(", "))));
        };
        self.next();
        Ok(value)
    }

    /// `32x4`: bits and components.
    fn ty(&mut self) -> Result<Ty> {
        let ty = match self.token {
            Token::Number(text) => {
                let (bits, comps) = text.split_once('x').unwrap_or((text, "1"));
                let sizes = bits.parse().ok().zip(comps.parse().ok());
                sizes.and_then(|(bits, comps)| Ty::new(bits, comps).ok())
            }
            _ => None,
        };
        let Some(ty) = ty else {
            return Err(self.expected("a type (`1`, `8`, `16`, `32` or `64`, and `x2` to `x4`)"));
        };
        self.next();
        Ok(ty)
    }

    fn string(&mut self) -> Result<String> {
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Text(text) => {
                self.next();
                Ok(text)
            }
            other => {
                self.token = other;
                Err(self.expected("a string"))
            }
        }
    }

    fn u64(&mut self) -> Result<u64> {
        let number = match self.token {
            Token::Number(text) => number(text),
            _ => None,
        };
        let Some(number) = number else {
            return Err(self.expected("a number"));
        };
        self.next();
        Ok(number)
    }

    fn u32(&mut self) -> Result<u32> {
        let number = match self.token {
            Token::Number(text) => number(text).and_then(|n| u32::try_from(n).ok()),
            _ => None,
        };
        let Some(number) = number else {
            return Err(self.expected("a number of 32 bits"));
        };
        self.next();
        Ok(number)
    }

    fn fit<T: TryFrom<u64>>(&self, number: u64, what: &'static str) -> Result<T> {
        let too_large = |_| ParseErrorKind::TooLarge { number: number.to_string(), what };
        T::try_from(number).map_err(|e| self.error(too_large(e)))
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("{sign:?}"))) }
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let found = self.token == Token::Sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.token == Token::Word(word);
        if found {
            self.next();
        }
        found
    }

    fn next(&mut self) {
        (self.token, self.place) = self.lexer.next();
    }

    fn expected(&self, expected: &str) -> ParseError {
        let found = self.token.to_string();
        self.error(ParseErrorKind::Expected { expected: expected.to_owned(), found })
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        error_at(self.place, kind)
    }

    /// Replaces uses by values, then checks the number of components of each and sets what follows from them.
    fn resolve(&mut self) -> Result<()> {
        let mut values = Vec::with_capacity(self.uses.len());
        for used in &self.uses {
            let value = self.names.get(used.name).copied();
            let undefined = || ParseErrorKind::Undefined(used.name.to_owned());
            values.push(value.ok_or_else(|| error_at(used.place, undefined()))?);
        }
        let func = &mut self.shader.func;
        let count = |used: &Use, value: Value, func: &crate::ir::Function| {
            used.swizzle.map_or(func.ty(value).comps(), |(count, _)| count)
        };
        // Which uses the sources of an instruction are, in their order: uses[starts[i]..starts[i + 1]] for number i.
        let mut order = Vec::with_capacity(self.uses.len());
        let mut starts = Vec::with_capacity(func.num_insts() + 1);
        for inst in (0..func.num_insts()).map(InstId::from_index) {
            starts.push(order.len());
            let kind = func.kind_mut(inst);
            kind.for_each_src_mut(|src| {
                order.push(src.value.index());
                src.value = values[src.value.index()];
            });
            if let InstKind::Store { data, .. } = *kind {
                let used = order.last().map_or(0, |&last| last);
                let found = count(&self.uses[used], data.value, func);
                if let InstKind::Store { comps, mask, .. } = func.kind_mut(inst) {
                    *comps = found as u8;
                    if !self.masked[inst.index()] {
                        *mask = WriteMask::all(found);
                    }
                }
            }
        }
        let mut todo = vec![(self.shader.func.body(), Targets::default())];
        while let Some((region, targets)) = todo.pop() {
            for at in 0..self.shader.func.region(region).insts.len() {
                let inst = self.shader.func.region(region).insts[at];
                let mut uses = order[starts[inst.index()]..].iter();
                let mut wrong = None;
                let mut last = 1;
                self.shader.for_each_read(&targets, inst, |src, expected| {
                    let used = &self.uses[*uses.next().expect("both walks see all sources")];
                    let found = count(used, src.value, &self.shader.func);
                    if found != expected && wrong.is_none() {
                        let name = used.name.to_owned();
                        let kind = ParseErrorKind::Components { name, expected, found };
                        wrong = Some(error_at(used.place, kind));
                    }
                    last = expected;
                });
                if let Some(error) = wrong {
                    return Err(error);
                }
                let kind = self.shader.func.kind_mut(inst);
                if let InstKind::StoreVar { mask, .. } = kind
                    && !self.masked[inst.index()]
                {
                    *mask = WriteMask::all(last);
                }
                let inside = |(i, region)| (region, targets.inside(inst, kind, i));
                todo.extend(kind.regions().into_iter().enumerate().map(inside));
            }
        }
        self.shader.canonicalise_swizzles();
        Ok(())
    }
}

/// What may follow the operands of a load or store.
struct Tail {
    align: Option<Align>,
    access: Access,
    mask: WriteMask,
}

/// Operations that are no arithmetic.
const KEYWORDS: &[&str] = &[
    "const",
    "undef",
    "sysval",
    "load_var",
    "store_var",
    "load",
    "store",
    "atomic",
    "buffer_size",
    "barrier",
    "if",
    "loop",
    "yield",
    "break",
    "continue",
    "return",
];

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A float as bits of the given size, rounded to nearest even from its text.
fn float_bits(x: f64, text: &str, negative: bool, bits: u32) -> u64 {
    match bits {
        16 => u64::from(f64_to_f16(x, Round::NearestEven)),
        32 => {
            let x = text.parse::<f32>().unwrap_or(x.abs() as f32);
            u64::from(if negative { -x } else { x }.to_bits())
        }
        _ => x.to_bits(),
    }
}

fn error_at(place: Place, kind: ParseErrorKind) -> ParseError {
    ParseError { line: place.line, column: place.column, kind }
}
