//! Parses what comes before the code: sizes, constant data, bindings, inputs and outputs, variables.

use super::{ParseErrorKind, Parser, Result};
use crate::ir::{
    Binding, BindingKind, Capture, ComputeInfo, FeedbackBuffer, FragmentInfo, GeometryInfo,
    ImageTy, InputPrimitive, Interlock, InterpMode, InterpPlace, Interpolation, IoSlot, IoVar,
    OutputPrimitive, Stage, StageInfo, SurfaceFormat, TessControlInfo, TessDomain, TessEvalInfo,
    TessSpacing, TextureTy, VarStorage, VarTy, Variable,
};
use crate::text::lex::Token;
use crate::text::words::{FLOAT_CONTROLS, SLOTS, Word, slot_word};

/// Greatest nesting depth of the structures and arrays in a variable's type.
const MAX_TYPE_DEPTH: usize = 64;

impl<'t> Parser<'t> {
    /// Parses the stage, the name, and the lines before the code.
    pub(super) fn header(&mut self) -> Result<()> {
        self.shader.stage = stage_info(self.enumerated()?);
        self.shader.name = self.string()?;
        self.sign('{')?;
        while let Token::Word(word) = self.token {
            match word {
                "push_constant_bytes" => self.shader.push_constant_bytes = self.setting()?,
                "scratch_bytes" => self.shader.scratch_bytes = self.setting()?,
                // The memory `const_data` cannot be confused with this, since no line of code starts with it.
                "const_data" => self.const_data()?,
                "binding" => self.binding()?,
                "input" => {
                    let var = self.slots()?;
                    self.shader.inputs.push(var);
                }
                "output" => {
                    let var = self.slots()?;
                    self.shader.outputs.push(var);
                }
                "distances" => {
                    self.next();
                    self.word("clip")?;
                    self.shader.distances.clip = self.small("a mask of distances")?;
                    self.word("cull")?;
                    self.shader.distances.cull = self.small("a mask of distances")?;
                }
                "feedback" => self.feedback_buffer()?,
                "capture" => self.capture()?,
                "var" => self.variable()?,
                _ => match FLOAT_CONTROLS.iter().find(|row| row.0 == word) {
                    Some((_, field)) => {
                        let mask = self.setting()?;
                        let mask = self.fit(u64::from(mask), "a mask of 8 bits")?;
                        *field(&mut self.shader.float_controls) = mask;
                    }
                    None if self.stage_line(word)? => {}
                    None => break,
                },
            }
        }
        Ok(())
    }

    /// Parses a line that only this stage has. Returns false if it is none.
    fn stage_line(&mut self, word: &str) -> Result<bool> {
        let mut stage = self.shader.stage;
        match (&mut stage, word) {
            (StageInfo::Compute(info), "local_size") => {
                self.next();
                for (axis, size) in info.local_size.iter_mut().enumerate() {
                    if axis > 0 {
                        self.sign(',')?;
                    }
                    *size = self.u32()?;
                }
            }
            (StageInfo::Compute(info), "shared_bytes") => info.shared_bytes = self.setting()?,
            (StageInfo::Compute(info), "subgroup_size") => {
                info.subgroup_size = Some(self.setting()?);
            }
            (StageInfo::Compute(info), "quads") => info.quads = self.take_word(word),
            (StageInfo::Compute(info), "subgroups") => info.subgroups = Some(self.setting()?),
            (StageInfo::TessControl(info), "output_vertices") => {
                info.output_vertices = self.setting()?;
            }
            (StageInfo::TessEval(info), "domain") => info.domain = self.choice()?,
            (StageInfo::TessEval(info), "spacing") => info.spacing = self.choice()?,
            (StageInfo::TessEval(info), "ccw") => info.ccw = self.take_word(word),
            (StageInfo::TessEval(info), "point_mode") => info.point_mode = self.take_word(word),
            (StageInfo::Geometry(info), "input_primitive") => info.input = self.choice()?,
            (StageInfo::Geometry(info), "output_primitive") => info.output = self.choice()?,
            (StageInfo::Geometry(info), "max_vertices") => info.max_vertices = self.setting()?,
            (StageInfo::Geometry(info), "invocations") => info.invocations = self.setting()?,
            (StageInfo::Fragment(info), "early_tests") => info.early_tests = self.take_word(word),
            (StageInfo::Fragment(info), "post_depth_coverage") => {
                info.post_depth_coverage = self.take_word(word);
            }
            (StageInfo::Fragment(info), "depth") => info.depth = self.choice()?,
            (StageInfo::Fragment(info), "per_sample") => info.per_sample = self.take_word(word),
            (StageInfo::Fragment(info), "full_quads") => info.full_quads = self.take_word(word),
            (StageInfo::Fragment(info), "critical_sections") => {
                self.next();
                let per_sample = self.take_word("sample");
                if !per_sample {
                    self.word("pixel")?;
                }
                let ordered = self.take_word("ordered");
                info.interlock = Some(Interlock { ordered, per_sample });
            }
            _ => return Ok(false),
        }
        self.shader.stage = stage;
        Ok(true)
    }

    /// Skips a word, and parses a word of an enumeration.
    fn choice<T: Word>(&mut self) -> Result<T> {
        self.next();
        self.enumerated()
    }

    /// Parses the declaration of an input or output.
    fn slots(&mut self) -> Result<IoVar> {
        self.next();
        let slot = self.slot()?;
        let comp = if self.take_word("comp") { self.small("a component")? } else { 0 };
        self.sign(':')?;
        let ty = self.ty()?;
        let mut count = 1;
        if self.take_sign('[') {
            count = self.u32()?;
            self.sign(']')?;
        }
        let name = self.string()?;
        let stream = if self.take_word("stream") { self.small("a stream")? } else { 0 };
        let interp = self.interpolation()?;
        Ok(IoVar { name, slot, comp, ty, count, stream, interp })
    }

    /// Parses the declaration of a transform feedback buffer.
    fn feedback_buffer(&mut self) -> Result<()> {
        self.next();
        let number = self.small("a buffer")?;
        self.word("stride")?;
        let stride = self.u32()?;
        let stream = if self.take_word("stream") { self.small("a stream")? } else { 0 };
        self.shader.feedback.buffers.insert(number, FeedbackBuffer { stride, stream });
        Ok(())
    }

    /// Parses a captured part of an output.
    fn capture(&mut self) -> Result<()> {
        self.next();
        let buffer = self.small("a buffer")?;
        self.word("offset")?;
        let offset = self.u32()?;
        self.sign(':')?;
        let slot = self.slot()?;
        self.word("comp")?;
        let comp = self.small("a component")?;
        self.word("comps")?;
        let comps = self.small("a number of components")?;
        self.shader.feedback.captures.push(Capture { buffer, offset, slot, comp, comps });
        Ok(())
    }

    /// How an input of a fragment shader is interpolated, if the text says so.
    fn interpolation(&mut self) -> Result<Option<Interpolation>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        let Some(mode) = InterpMode::from_word(word) else { return Ok(None) };
        self.next();
        let place = match self.token {
            Token::Word(word) => InterpPlace::from_word(word),
            _ => None,
        };
        if place.is_some() {
            self.next();
        }
        Ok(Some(Interpolation { mode, place: place.unwrap_or(InterpPlace::Centre) }))
    }

    /// Parses a slot.
    pub(super) fn slot(&mut self) -> Result<IoSlot> {
        let slot = match self.token {
            Token::Word(word) => SLOTS.into_iter().find(|&slot| slot_word(slot).0 == word),
            _ => None,
        };
        let Some(slot) = slot else {
            return Err(self.expected("a slot such as `position` or `location 3`"));
        };
        self.next();
        Ok(match slot {
            IoSlot::Location(_) => IoSlot::Location(self.u32()?),
            IoSlot::Patch(_) => IoSlot::Patch(self.u32()?),
            IoSlot::SecondColour(_) => IoSlot::SecondColour(self.u32()?),
            IoSlot::ClipDistances { .. } => {
                IoSlot::ClipDistances { first: self.small("a number of a distance")? }
            }
            other => other,
        })
    }

    /// Parses a number below 256.
    pub(super) fn small(&mut self, what: &'static str) -> Result<u8> {
        let number = self.u64()?;
        self.fit(number, what)
    }

    /// Skips a word, and parses a number.
    fn setting(&mut self) -> Result<u32> {
        self.next();
        self.u32()
    }

    /// Parses a line of constant data.
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

    /// Parses the declaration of a binding.
    fn binding(&mut self) -> Result<()> {
        self.next();
        self.numbered('b', self.shader.bindings.len())?;
        self.sign(':')?;
        let kind = self.binding_kind()?;
        self.word("set")?;
        let set = self.u32()?;
        self.word("binding")?;
        let binding = self.u32()?;
        let name = self.string()?;
        let count = if self.take_word("count") { Some(self.u32()?) } else { None };
        let readonly = self.take_word("readonly");
        let non_uniform = self.take_word("nonuniform");
        let binding = Binding { set, binding, kind, count, name, readonly, non_uniform };
        self.shader.bindings.push(binding);
        Ok(())
    }

    /// Parses the kind of a binding.
    fn binding_kind(&mut self) -> Result<BindingKind> {
        if self.take_word("ubo") {
            return Ok(BindingKind::UniformBuffer);
        }
        if self.take_word("ssbo") {
            return Ok(BindingKind::StorageBuffer);
        }
        if self.take_word("counters") {
            return Ok(BindingKind::AtomicCounters);
        }
        if self.take_word("sampler") {
            return Ok(BindingKind::Sampler);
        }
        if self.take_word("texture") {
            let (dim, arrayed) = (self.enumerated()?, self.take_word("array"));
            let multisampled = self.take_word("multisampled");
            return Ok(BindingKind::Texture(TextureTy { dim, arrayed, multisampled }));
        }
        if !self.take_word("image") {
            return Err(self.expected("`ubo`, `ssbo`, `counters`, `image`, `texture` or `sampler`"));
        }
        let (dim, arrayed) = (self.enumerated()?, self.take_word("array"));
        Ok(BindingKind::Image(ImageTy { dim, arrayed, format: self.format()? }))
    }

    /// Parses a surface format, named as in the manuals, or `any`.
    pub(super) fn format(&mut self) -> Result<Option<SurfaceFormat>> {
        if self.take_word("any") {
            return Ok(None);
        }
        let format = match self.token {
            Token::Word(name) => name.parse().ok(),
            _ => None,
        };
        let Some(format) = format else {
            return Err(self.expected("`any` or a surface format such as R8G8B8A8_UNORM"));
        };
        self.next();
        Ok(Some(format))
    }

    /// Parses the declaration of a private variable.
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

    /// Parses the type of a variable.
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

    /// Parses a letter and the number of the next entry.
    fn numbered(&mut self, letter: char, number: usize) -> Result<()> {
        self.word(&format!("{letter}{number}"))
    }
}

/// The properties of a stage before the text sets them. If a necessary line is missing, the verifier rejects the
/// shader.
fn stage_info(stage: Stage) -> StageInfo {
    match stage {
        Stage::Vertex => StageInfo::Vertex,
        Stage::TessControl => StageInfo::TessControl(TessControlInfo { output_vertices: 0 }),
        Stage::TessEval => StageInfo::TessEval(TessEvalInfo {
            domain: TessDomain::Triangles,
            spacing: TessSpacing::Equal,
            ccw: false,
            point_mode: false,
        }),
        Stage::Geometry => StageInfo::Geometry(GeometryInfo {
            input: InputPrimitive::Triangles,
            output: OutputPrimitive::TriangleStrip,
            max_vertices: 0,
            invocations: 1,
        }),
        Stage::Fragment => StageInfo::Fragment(FragmentInfo::default()),
        // The verifier rejects this size, so the text must set it.
        Stage::Compute => StageInfo::Compute(ComputeInfo::new([0; 3])),
    }
}
