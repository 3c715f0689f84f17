//! The parser of AmberScript.
//!
//! Each module reads a group of commands: [`shader`], [`buffer`], [`sampler`], [`pipeline`] with [`bind`] and [`state`],
//! [`command`] and [`expect`].

mod bind;
mod buffer;
mod command;
mod expect;
mod pipeline;
mod sampler;
mod shader;
mod state;

pub(crate) use buffer::Writer;
pub(crate) use expect::tolerance as expect_tolerance;

use crate::error::{Place, Result, ScriptError, one_of};
use crate::lexer::{Kind, Lexer, Number, Token};
use crate::limits;
use crate::script::Script;
use crate::types::{Layout, Standard, Struct, Type, array_suffix};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads an AmberScript.
pub(crate) fn script(text: &str) -> Result<Script> {
    let mut parser = Parser::new(Lexer::new(text));
    while parser.command()? {}
    Ok(parser.script)
}

/// The kinds of named objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Object {
    Shader,
    Buffer,
    Sampler,
    Pipeline,
}

impl Object {
    fn name(self) -> &'static str {
        match self {
            Object::Shader => "shader",
            Object::Buffer => "buffer",
            Object::Sampler => "sampler",
            Object::Pipeline => "pipeline",
        }
    }
}

/// The state of the parser.
pub(crate) struct Parser<'a> {
    pub(crate) lexer: Lexer<'a>,
    pub(crate) script: Script,
    names: BTreeMap<(Object, &'a str), usize>,
    structs: BTreeMap<&'a str, Arc<Struct>>,
    /// The commands that the script may still run.
    commands_left: u64,
    /// The bytes that buffers may still have.
    pub(crate) bytes_left: u64,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(lexer: Lexer<'a>) -> Parser<'a> {
        Parser {
            lexer,
            script: Script::default(),
            names: BTreeMap::new(),
            structs: BTreeMap::new(),
            commands_left: limits::COMMANDS,
            bytes_left: limits::BUFFER_BYTES,
        }
    }

    /// Reads a command outside of all blocks. False at the end of the script.
    fn command(&mut self) -> Result<bool> {
        let Token { place, kind } = self.lexer.next_word()?;
        let word = match kind {
            Kind::Word(word) => word,
            Kind::EndOfScript => return Ok(false),
            other => return Err(expected(place, "a command", other)),
        };
        match word {
            "SHADER" => self.shader(place)?,
            "VIRTUAL_FILE" => self.virtual_file(place)?,
            "STRUCT" => self.structure(place)?,
            "BUFFER" => self.buffer(place)?,
            "IMAGE" => self.image(place)?,
            "SAMPLER" => self.sampler(place)?,
            "PIPELINE" => return self.pipeline(place),
            "DERIVE_PIPELINE" => self.derive_pipeline(place)?,
            "DEVICE_FEATURE" => {
                let (place, name) = self.word("the name of a feature")?;
                self.script.features.push((place, name.to_owned()));
                self.end_of_line()?;
            }
            "DEVICE_EXTENSION" | "INSTANCE_EXTENSION" => {
                let (place, name) = self.word("the name of an extension")?;
                self.script.extensions.push((place, name.to_owned()));
                self.end_of_line()?;
            }
            "SET" => self.engine_data()?,
            "ACCELERATION_STRUCTURE" => {
                self.ray_tracing(place);
                return Ok(false);
            }
            "DEBUG" => {
                self.unsupported(place, "debugger scripts");
                self.skip_to_end(place)?;
            }
            _ => {
                let command = self.action(place, word)?;
                self.script.commands.extend(command);
            }
        }
        Ok(true)
    }

    /// `SET ENGINE_DATA fence_timeout_ms VALUE`: the emulator has no fences.
    fn engine_data(&mut self) -> Result<()> {
        self.keyword("ENGINE_DATA")?;
        let (place, name) = self.word("fence_timeout_ms")?;
        if name != "fence_timeout_ms" {
            return Err(wrong(place, "fence_timeout_ms", name));
        }
        self.integer::<u32>("a number of milliseconds")?;
        self.end_of_line()
    }

    /// Notes that the script needs ray tracing. The rest of the script is not read.
    pub(crate) fn ray_tracing(&mut self, place: Place) {
        self.script
            .features
            .push((place, "RayTracingPipelineFeaturesKHR.rayTracingPipeline".into()));
    }

    /// Notes a part of the script that Crestline does not support.
    pub(crate) fn unsupported(&mut self, place: Place, what: &str) {
        self.script.unsupported.push((place, what.to_owned()));
    }

    /// Skips the lines of a block up to its `END`.
    fn skip_to_end(&mut self, place: Place) -> Result<()> {
        self.rest_of_line()?;
        self.lexer.raw_lines(place)?;
        Ok(())
    }

    /// Skips the rest of the line.
    pub(crate) fn rest_of_line(&mut self) -> Result<()> {
        while !matches!(self.lexer.next()?.kind, Kind::EndOfLine | Kind::EndOfScript) {}
        Ok(())
    }

    /// The next word of the line, of any form.
    pub(crate) fn word(&mut self, what: &str) -> Result<(Place, &'a str)> {
        let Token { place, kind } = self.lexer.next()?;
        match kind {
            Kind::Word(word) | Kind::Quoted(word) => Ok((place, word)),
            other => Err(expected(place, what, other)),
        }
    }

    /// The next word of the line, which is consumed only if it is one of `words`.
    pub(crate) fn optional(&mut self, words: &[&str]) -> Result<Option<(Place, &'a str)>> {
        match self.lexer.peek()? {
            Token { place, kind: Kind::Word(word) } if words.contains(&word) => {
                self.lexer.next()?;
                Ok(Some((place, word)))
            }
            _ => Ok(None),
        }
    }

    /// Whether the line has no further words.
    pub(crate) fn is_line_end(&self) -> Result<bool> {
        Ok(matches!(self.lexer.peek()?.kind, Kind::EndOfLine | Kind::EndOfScript))
    }

    pub(crate) fn keyword(&mut self, keyword: &str) -> Result<Place> {
        let (place, word) = self.word(&format!("`{keyword}`"))?;
        if word == keyword { Ok(place) } else { Err(wrong(place, &format!("`{keyword}`"), word)) }
    }

    pub(crate) fn end_of_line(&mut self) -> Result<()> {
        let Token { place, kind } = self.lexer.next()?;
        match kind {
            Kind::EndOfLine | Kind::EndOfScript => Ok(()),
            other => Err(expected(place, "the end of the line", other)),
        }
    }

    /// The next line of a block: its first word, or `None` if it is `END`.
    pub(crate) fn line_of_block(&mut self, start: Place) -> Result<Option<(Place, &'a str)>> {
        let Token { place, kind } = self.lexer.next_word()?;
        match kind {
            Kind::Word("END") => {
                self.end_of_line()?;
                Ok(None)
            }
            Kind::Word(word) => Ok(Some((place, word))),
            Kind::EndOfScript => {
                Err(ScriptError::new(start, "the block has no END before the end of the script"))
            }
            other => Err(expected(place, "a command or END", other)),
        }
    }

    /// A number.
    pub(crate) fn number(&mut self, what: &str) -> Result<Number> {
        let (place, word) = self.word(what)?;
        Number::parse(word).ok_or_else(|| wrong(place, what, word))
    }

    /// A finite number.
    pub(crate) fn float(&mut self, what: &str) -> Result<f64> {
        let place = self.lexer.peek()?.place;
        let number = self.number(what)?.float;
        let finite = number.is_finite() && (number as f32).is_finite();
        finite.then_some(number).ok_or_else(|| {
            ScriptError::new(place, format!("expected {what}, a finite number, found {number}"))
        })
    }

    /// An integer in the range of its type.
    pub(crate) fn integer<T: TryFrom<i128> + Bounds>(&mut self, what: &str) -> Result<T> {
        let (place, word) = self.word(what)?;
        let integer = Number::parse(word).and_then(|number| number.integer);
        integer.and_then(|integer| T::try_from(integer).ok()).ok_or_else(|| {
            let (low, high) = T::BOUNDS;
            wrong(place, &format!("{what}, an integer from {low} to {high}"), word)
        })
    }

    /// An integer in a range.
    pub(crate) fn within(&mut self, what: &str, low: u32, high: u32) -> Result<u32> {
        let (place, word) = self.word(what)?;
        let integer = Number::parse(word).and_then(|number| number.integer);
        let fits = |value: &u32| (low..=high).contains(value);
        integer
            .and_then(|integer| u32::try_from(integer).ok())
            .filter(fits)
            .ok_or_else(|| wrong(place, &format!("{what}, an integer from {low} to {high}"), word))
    }

    /// `on` or `off`.
    pub(crate) fn switch(&mut self) -> Result<bool> {
        let (place, word) = self.word("on or off")?;
        match word {
            "on" => Ok(true),
            "off" => Ok(false),
            other => Err(wrong(place, "on or off", other)),
        }
    }

    /// A word of a list.
    pub(crate) fn choose<T: Copy>(&mut self, list: &[(&'static str, T)]) -> Result<T> {
        let what = one_of(list.iter().map(|(name, _)| name));
        let (place, word) = self.word(&what)?;
        let found = list.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| wrong(place, &what, word))
    }

    /// Declares a named object, whose index is the number of objects of its kind.
    pub(crate) fn declare(&mut self, object: Object, place: Place, name: &'a str) -> Result<()> {
        let count = match object {
            Object::Shader => self.script.shaders.len(),
            Object::Buffer => self.script.buffers.len(),
            Object::Sampler => self.script.samplers.len(),
            Object::Pipeline => self.script.pipelines.len(),
        };
        let kind = object.name();
        if count >= limits::OBJECTS {
            let message = format!("the script has more than {} {kind}s", limits::OBJECTS);
            return Err(ScriptError::new(place, message));
        }
        if self.names.insert((object, name), count).is_some() {
            let message = format!("the {kind} `{name}` is declared twice");
            return Err(ScriptError::new(place, message));
        }
        Ok(())
    }

    /// A reference to an object that was declared before.
    pub(crate) fn reference(&mut self, object: Object) -> Result<(Place, usize)> {
        let what = format!("the name of a {}", object.name());
        let (place, name) = self.word(&what)?;
        Ok((place, self.lookup(object, place, name)?))
    }

    /// The index of an object that was declared before.
    pub(crate) fn lookup(&self, object: Object, place: Place, name: &'a str) -> Result<usize> {
        self.names.get(&(object, name)).copied().ok_or_else(|| {
            ScriptError::new(
                place,
                format!("there is no {} `{name}` before this line", object.name()),
            )
        })
    }

    /// The type with a name.
    pub(crate) fn ty(&self, place: Place, name: &'a str) -> Result<Type> {
        if let Some(found) = Type::parse(name) {
            return Ok(found);
        }
        let (element, count) = match array_suffix(name) {
            Some(Some((element, count))) => (element, Some(count)),
            _ => (name, None),
        };
        let found = self.structs.get(element).map(|found| Type::Struct(Arc::clone(found)));
        let element = found.ok_or_else(|| {
            let what = "a type such as uint32, vec3<float>, mat2x3<float>, float[], an image format \
                        or the name of a structure";
            wrong(place, what, name)
        })?;
        Ok(match count {
            None => element,
            Some(count) => Type::Array { element: Box::new(element), count, stride: None },
        })
    }

    /// The layout of a type.
    pub(crate) fn layout(&self, place: Place, ty: &Type, standard: Standard) -> Result<Layout> {
        ty.layout(standard).map_err(|message| ScriptError::new(place, message))
    }

    /// Takes bytes of the limit for all buffers.
    pub(crate) fn take_bytes(&mut self, place: Place, bytes: Option<u64>) -> Result<u64> {
        let left = bytes.and_then(|bytes| Some((bytes, self.bytes_left.checked_sub(bytes)?)));
        let (bytes, left) = left.ok_or_else(|| {
            let message =
                format!("the buffers of the script have more than {} bytes", limits::BUFFER_BYTES);
            ScriptError::new(place, message)
        })?;
        self.bytes_left = left;
        Ok(bytes)
    }

    /// Takes commands of the limit for all commands.
    pub(crate) fn take_commands(&mut self, place: Place, count: u64) -> Result<()> {
        let left = self.commands_left.checked_sub(count);
        self.commands_left = left.ok_or_else(|| {
            let message = format!(
                "the script runs more than {} commands, with their repetitions",
                limits::COMMANDS
            );
            ScriptError::new(place, message)
        })?;
        Ok(())
    }
}

/// The range of an integer type.
pub(crate) trait Bounds {
    /// The smallest and the largest value.
    const BOUNDS: (i128, i128);
}

impl Bounds for u32 {
    const BOUNDS: (i128, i128) = (0, u32::MAX as i128);
}

impl Bounds for u64 {
    const BOUNDS: (i128, i128) = (0, u64::MAX as i128);
}

impl Bounds for i32 {
    const BOUNDS: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);
}

impl Bounds for u8 {
    const BOUNDS: (i128, i128) = (0, 255);
}

/// The error for a token that was not expected.
pub(crate) fn expected(place: Place, what: &str, found: Kind<'_>) -> ScriptError {
    ScriptError::new(place, format!("expected {what}, found {}", found.shown()))
}

/// The error for a word that was not expected.
pub(crate) fn wrong(place: Place, what: &str, found: &str) -> ScriptError {
    expected(place, what, Kind::Word(found))
}
