//! Parses regions and instructions.

use super::{ParseErrorKind, Parser, Result, Use, error_at, number};
use crate::float::{Round, f64_to_f16};
use crate::ir::{
    Access, Align, AluOp, BaryPlace, BindingId, DerivativeRule, ImageDim, ImageForm, InstId,
    InstKind, InterpPlace, MAX_DEPTH, Memory, MemorySemantics, PathStep, RegionId, Resource, Src,
    Srcs, SubgroupOp, TextureOp, TextureRead, TextureTy, Ty, Value, VarId, WriteMask,
};
use crate::text::lex::{Position, Token};
use crate::text::words::{ACCESS, Field, SEMANTICS, Word};

/// The names of operations other than arithmetic.
const KEYWORDS: &[&str] = &[
    "ballot",
    "read_first",
    "reduce",
    "scan",
    "shuffle",
    "const",
    "undef",
    "sysval",
    "load_var",
    "store_var",
    "load_input",
    "load_output",
    "store_output",
    "emit_vertex",
    "end_primitive",
    "load",
    "store",
    "atomic",
    "buffer_size",
    "image_load",
    "image_store",
    "image_atomic",
    "image_size",
    "image_param",
    "texture",
    "derivative",
    "demote",
    "is_helper",
    "clock",
    "barycentric",
    "interpolate",
    "all_killed",
    "interlock",
    "barrier",
    "if",
    "loop",
    "yield",
    "break",
    "continue",
    "return",
];

/// The options after the operands of a load or store.
struct Tail {
    align: Option<Align>,
    access: Access,
    mask: WriteMask,
}

/// The options after the slot of an input or output.
struct SlotTail {
    vertex: Option<Src>,
    index: Option<Src>,
    comp: u8,
    mask: WriteMask,
}

impl<'t> Parser<'t> {
    /// Parses instructions up to and including the `}` that ends the region.
    pub(super) fn region(&mut self, region: RegionId, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep(MAX_DEPTH)));
        }
        while !self.take_sign('}') {
            self.inst(region, depth)?;
        }
        Ok(())
    }

    /// Parses an instruction and appends it to `region`.
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
        for (name, position, ty) in results {
            let value = self.shader.func.add_result(inst, ty);
            self.define(name, position, value)?;
        }
        let kind = self.operation(inst, first, depth)?;
        *self.shader.func.kind_mut(inst) = kind;
        Ok(())
    }

    /// Parses the name and type of a definition.
    fn definition(&mut self) -> Result<(&'t str, Position, Ty)> {
        let position = self.position;
        let Token::Value(name) = self.token else {
            return Err(self.expected("a value to define"));
        };
        self.next();
        self.sign(':')?;
        Ok((name, position, self.ty()?))
    }

    /// Binds a name to a value.
    fn define(&mut self, name: &'t str, position: Position, value: Value) -> Result<()> {
        match self.names.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(error_at(position, ParseErrorKind::Redefined(name.to_owned()))),
        }
    }

    /// Parses the name of an arithmetic operation.
    fn alu_op(&mut self) -> Result<AluOp> {
        let op = match self.token {
            Token::Word(word) => self.ops.get(word).copied(),
            _ => None,
        };
        let Some(op) = op else { return Err(self.expected("an arithmetic operation")) };
        self.next();
        Ok(op)
    }

    /// Parses an operation and its operands. `ty` is the type of the first result.
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
            "load_input" | "load_output" => {
                let slot = self.slot()?;
                let SlotTail { vertex, index, comp, .. } = self.slot_tail(inst)?;
                match word {
                    "load_input" => InstKind::LoadInput { slot, vertex, index, comp },
                    _ => InstKind::LoadOutput { slot, vertex, index, comp },
                }
            }
            "store_output" => {
                let slot = self.slot()?;
                self.sign(',')?;
                let data = self.src()?;
                let SlotTail { vertex, index, comp, mask } = self.slot_tail(inst)?;
                InstKind::StoreOutput { slot, data, vertex, index, comp, mask }
            }
            "emit_vertex" => InstKind::EmitVertex { stream: self.small("a stream")? },
            "end_primitive" => InstKind::EndPrimitive { stream: self.small("a stream")? },
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
            "image_load" => {
                let (image, coord, dims) = self.texel()?;
                let (_, form, access) = self.image_tail()?;
                InstKind::ImageLoad { image, coord, dims, form, access }
            }
            "image_store" => {
                let (image, coord, dims) = self.texel()?;
                self.sign(',')?;
                let data = self.src()?;
                let (_, form, access) = self.image_tail()?;
                InstKind::ImageStore { image, coord, dims, data, form, access }
            }
            "image_atomic" => {
                let op = self.enumerated()?;
                let (image, coord, dims) = self.texel()?;
                self.sign(',')?;
                let data = self.src()?;
                let (compare, form, access) = self.image_tail()?;
                InstKind::ImageAtomic { image, op, coord, dims, data, compare, form, access }
            }
            "image_size" => InstKind::ImageSize(self.resource()?),
            "image_param" => {
                let image = self.resource()?;
                self.sign(',')?;
                let param = self.enumerated()?;
                let comp = self.u64()?;
                InstKind::ImageParam { image, param, comp: self.fit(comp, "a component")? }
            }
            "texture" => self.texture()?,
            "derivative" => {
                let axis = self.enumerated()?;
                let rule = match self.token {
                    Token::Word(_) => self.enumerated()?,
                    _ => DerivativeRule::Any,
                };
                self.sign(',')?;
                InstKind::Derivative { axis, rule, src: self.src()? }
            }
            "demote" => InstKind::Demote,
            "is_helper" => InstKind::IsHelper,
            "clock" => InstKind::Clock,
            "barycentric" => self.barycentric()?,
            "interpolate" => {
                let slot = self.slot()?;
                self.sign(',')?;
                let weights = self.src()?;
                let SlotTail { index, comp, .. } = self.slot_tail(inst)?;
                InstKind::Interpolate { slot, weights, index, comp }
            }
            "all_killed" => InstKind::AllKilled(self.src()?),
            "ballot" => InstKind::Subgroup { op: SubgroupOp::Ballot, src: self.src()? },
            "read_first" => InstKind::Subgroup { op: SubgroupOp::ReadFirst, src: self.src()? },
            "reduce" => {
                let op = self.alu_op()?;
                let cluster = match self.take_word("cluster") {
                    true => {
                        let cluster = self.u64()?;
                        self.fit(cluster, "the size of a cluster")?
                    }
                    false => 0,
                };
                self.sign(',')?;
                InstKind::Subgroup { op: SubgroupOp::Reduce { op, cluster }, src: self.src()? }
            }
            "scan" => {
                let inclusive = self.take_word("inclusive");
                if !inclusive {
                    self.word("exclusive")?;
                }
                let op = self.alu_op()?;
                self.sign(',')?;
                InstKind::Subgroup { op: SubgroupOp::Scan { op, inclusive }, src: self.src()? }
            }
            "shuffle" => {
                let quad = self.take_word("quad");
                if quad {
                    self.sign(',')?;
                }
                let src = self.src()?;
                self.sign(',')?;
                InstKind::Shuffle { src, lane: self.src()?, quad }
            }
            "interlock" => {
                let begins = self.take_word("begin");
                if !begins {
                    self.word("end")?;
                }
                InstKind::Interlock { begins }
            }
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

    /// Parses a loop after the word `loop`.
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

    /// Parses a region parameter.
    fn param(&mut self, region: RegionId) -> Result<()> {
        let (name, position, ty) = self.definition()?;
        let value = self.shader.func.add_param(region, ty);
        self.define(name, position, value)
    }

    /// Parses the components of a constant: numbers, `true` and `false`, and numbers with a point, which are floats
    /// of the type's size.
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

    /// Parses a component of a constant. Returns its bits.
    fn component(&mut self, ty: Ty) -> Result<u64> {
        let position = self.position;
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
                    return Err(error_at(position, ParseErrorKind::TooLarge { number, what }));
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

    /// Parses the options of a load or store.
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

    /// Parses the options of an access to a slot.
    fn slot_tail(&mut self, inst: InstId) -> Result<SlotTail> {
        let mut tail = SlotTail { vertex: None, index: None, comp: 0, mask: WriteMask(0) };
        while self.take_sign(',') {
            if self.take_word("comp") {
                tail.comp = self.small("a component")?;
            } else if self.take_word("mask") {
                tail.mask = self.mask(inst)?;
            // Sources are numbered in the order of the text, and `vertex` is numbered first.
            } else if tail.index.is_none() && tail.vertex.is_none() && self.take_word("vertex") {
                tail.vertex = Some(self.src()?);
            } else if tail.index.is_none() && self.take_word("index") {
                tail.index = Some(self.src()?);
            } else {
                return Err(self.expected("`vertex`, then `index`, `comp` or `mask`"));
            }
        }
        Ok(tail)
    }

    /// Parses the weights of vertices after the word `barycentric`.
    fn barycentric(&mut self) -> Result<InstKind> {
        let mode = self.enumerated()?;
        if self.take_sign(',') {
            let at = if self.take_word("sample") {
                BaryPlace::AtSample(self.src()?)
            } else {
                self.word("offset")?;
                BaryPlace::AtOffset(self.src()?)
            };
            return Ok(InstKind::Barycentric { mode, at });
        }
        let place = match self.token {
            Token::Word(word) => InterpPlace::from_word(word),
            _ => None,
        };
        if place.is_some() {
            self.next();
        }
        let at = BaryPlace::Place(place.unwrap_or(InterpPlace::Centre));
        Ok(InstKind::Barycentric { mode, at })
    }

    /// Parses an image and coordinates. Also returns the number of coordinates, which follows from the image's type.
    fn texel(&mut self) -> Result<(Resource, Src, u8)> {
        let image = self.resource()?;
        self.sign(',')?;
        let dims = self.shader.image(image.binding).map_or(1, |ty| ty.coords());
        Ok((image, self.src()?, dims as u8))
    }

    /// Parses a texture read after the word `texture`.
    fn texture(&mut self) -> Result<InstKind> {
        const WANTED: &str = "`fetch`, `sample`, `gather`, `size`, `samples` or `lod`";
        let Token::Word(word) = self.token else {
            return Err(self.expected(WANTED));
        };
        let op = match word {
            "fetch" => TextureOp::Fetch,
            "sample" => TextureOp::Sample,
            "size" => TextureOp::Size,
            "samples" => TextureOp::Samples,
            "lod" => TextureOp::Lod,
            "gather" => TextureOp::Gather(0),
            _ => return Err(self.expected(WANTED)),
        };
        self.next();
        let op = match op {
            TextureOp::Gather(_) => {
                let comp = self.u64()?;
                TextureOp::Gather(self.fit(comp, "a component")?)
            }
            _ => op,
        };
        let texture = self.resource()?;
        let ty = self.shader.texture(texture.binding);
        let ty = ty.unwrap_or(TextureTy::new(ImageDim::D1));
        let mut read = TextureRead::new(op, ty, texture, None);
        while self.take_sign(',') {
            if matches!(self.token, Token::Value(_)) && read.coord.is_none() {
                read.coord = Some(self.src()?);
            } else if self.take_word("sampler") {
                read.sampler = Some(self.resource()?);
            } else if self.take_word("sample") {
                read.sample = Some(self.src()?);
            } else if self.take_word("implicit") {
                read.implicit = true;
            } else if self.take_word(if read.implicit { "bias" } else { "level" }) {
                read.level = Some(self.src()?);
            } else if self.take_word("least") {
                read.min_level = Some(self.src()?);
            } else if self.take_word("compare") {
                read.compare = Some(self.src()?);
            } else if self.take_word("gradients") {
                let x = self.src()?;
                self.sign(',')?;
                read.gradients = Some([x, self.src()?]);
            } else if self.take_word("offset") {
                if matches!(self.token, Token::Value(_)) {
                    read.offset_at_run_time = Some(self.src()?);
                } else {
                    read.offset = [self.offset()?, self.offset()?, self.offset()?];
                }
            } else {
                self.word("as")?;
                read.form = self.enumerated()?;
            }
        }
        Ok(InstKind::Texture(Box::new(read)))
    }

    /// Parses a number of texels, with an optional minus sign.
    fn offset(&mut self) -> Result<i8> {
        let negative = self.take_sign('-');
        let number = self.u64()?;
        let number: i8 = self.fit(number, "an offset in texels")?;
        Ok(if negative { -number } else { number })
    }

    /// Parses the options of an image access: a value to compare with, a form, flags.
    fn image_tail(&mut self) -> Result<(Option<Src>, ImageForm, Access)> {
        let (mut compare, mut form, mut access) = (None, ImageForm::Shader, Access::default());
        while self.take_sign(',') {
            if matches!(self.token, Token::Value(_)) && compare.is_none() {
                compare = Some(self.src()?);
            } else if self.take_word("as") {
                form = ImageForm::Surface(self.format()?);
            } else {
                self.flag(ACCESS, &mut access, "a value, `as` and a format, or a flag")?;
            }
        }
        Ok((compare, form, access))
    }

    /// The alignment, or an error if there is none.
    fn demand_align(&self, align: Option<Align>) -> Result<Align> {
        align.ok_or_else(|| self.expected("`, align` and a number of bytes"))
    }

    /// Parses a write mask, and records that the instruction has one.
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

    /// Parses the memory of an access.
    fn memory(&mut self) -> Result<Memory> {
        let Token::Word(word) = self.token else {
            return Err(self.expected("a memory"));
        };
        let memory = match word {
            "push_constant" => Memory::PushConstant,
            "shared" => Memory::Shared,
            "scratch" => Memory::Scratch,
            "const_data" => Memory::ConstData,
            "global" => {
                self.next();
                return Ok(Memory::Global(self.src()?));
            }
            "ubo" | "ssbo" | "image" => {
                self.next();
                let resource = self.resource()?;
                return Ok(match word {
                    "ubo" => Memory::Ubo(resource),
                    "ssbo" => Memory::Ssbo(resource),
                    _ => Memory::Image(resource),
                });
            }
            _ => return Err(self.expected("a memory")),
        };
        self.next();
        Ok(memory)
    }

    /// Parses a binding and, for a descriptor array, an element.
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

    /// Parses the path to a part of a variable.
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

    /// Parses sources separated by commas; none if the next token is not a source.
    fn srcs(&mut self) -> Result<Srcs> {
        let mut srcs = Srcs::new();
        // A definition starts with a value too. A value is a source if no `:` follows.
        if matches!(self.token, Token::Value(_)) && !self.at_definition() {
            srcs.push(self.src()?);
            while self.take_sign(',') {
                srcs.push(self.src()?);
            }
        }
        Ok(srcs)
    }

    /// Whether a `:` follows the current token.
    fn at_definition(&self) -> bool {
        self.lexer.peek_sign(':')
    }

    /// Parses a source. Its value is the index of its entry in `uses` until [`Parser::resolve`] replaces it.
    fn src(&mut self) -> Result<Src> {
        let position = self.position;
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
        self.uses.push(Use { name, swizzle, position });
        let value = Value::from_index(self.uses.len() - 1);
        Ok(Src { value, swizzle: swizzle.map_or(Src::IDENTITY, |(_, comps)| comps) })
    }

    /// Parses a flag and sets its field.
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
}

/// The bits of a float of the given size, rounded to nearest even from its text.
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
