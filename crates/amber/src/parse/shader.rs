//! `SHADER` and `VIRTUAL_FILE`.

use super::{Object, Parser, wrong};
use crate::error::{Place, Result, ScriptError, one_of};
use crate::limits;
use crate::script::{Language, Shader, Stage, Text};

/// Languages with their names.
const LANGUAGES: &[(&str, Language)] = &[
    ("GLSL", Language::Glsl),
    ("HLSL", Language::Hlsl),
    ("SPIRV-ASM", Language::SpirvAssembly),
    ("SPIRV-HEX", Language::SpirvHex),
    ("SPIRV-BIN", Language::SpirvBinary),
    ("OPENCL-C", Language::OpenClC),
];

/// The stages of ray tracing.
const RAY_STAGES: &[&str] =
    &["ray_generation", "any_hit", "closest_hit", "miss", "intersection", "callable"];

impl Parser<'_> {
    /// `SHADER STAGE NAME ...`.
    pub(super) fn shader(&mut self, start: Place) -> Result<()> {
        let names = || Stage::NAMES.iter().map(|(name, _, _)| *name);
        let (stage_place, stage) = self.word(&one_of(names()))?;
        let is_ray = RAY_STAGES.contains(&stage);
        if is_ray {
            self.ray_tracing(stage_place);
        }
        let found = Stage::NAMES.iter().find(|(name, _, _)| *name == stage);
        let stage = match found {
            Some((_, _, stage)) => *stage,
            None if is_ray => Stage::Multi,
            None => {
                return Err(wrong(
                    stage_place,
                    &one_of(names().chain(RAY_STAGES.iter().copied())),
                    stage,
                ));
            }
        };
        let (place, name) = self.word("the name of the shader")?;
        self.declare(Object::Shader, place, name)?;
        let mut shader = Shader {
            name: name.to_owned(),
            place,
            stage,
            language: Language::Glsl,
            text: Text::Passthrough,
            target: None,
        };
        if let Some((place, _)) = self.optional(&["PASSTHROUGH"])? {
            if stage != Stage::Vertex {
                return Err(ScriptError::new(place, "only a vertex shader can be PASSTHROUGH"));
            }
            self.end_of_line()?;
            self.script.shaders.push(shader);
            return Ok(());
        }
        let language_place = self.lexer.peek()?.place;
        shader.language = self.choose(LANGUAGES)?;
        if shader.language == Language::OpenClC {
            self.unsupported(language_place, "shaders in OpenCL C");
        }
        let is_text =
            matches!(shader.language, Language::Glsl | Language::Hlsl | Language::OpenClC);
        if stage == Stage::Multi && is_text && !is_ray {
            let message = "a `multi` shader must be SPIRV-ASM, SPIRV-HEX or SPIRV-BIN";
            return Err(ScriptError::new(language_place, message));
        }
        if self.optional(&["TARGET_ENV"])?.is_some() {
            let (_, target) = self.word("a target environment")?;
            shader.target = Some(target.to_owned());
        }
        match self.optional(&["VIRTUAL_FILE", "FILE"])? {
            Some((_, "FILE")) => {
                let (_, path) = self.word("the path of a file")?;
                shader.text = Text::File(path.to_owned());
                self.end_of_line()?;
            }
            Some(_) => {
                let (place, path) = self.word("the path of a virtual file")?;
                if !self.script.files.contains_key(path) {
                    let message = format!("there is no virtual file `{path}` before this line");
                    return Err(ScriptError::new(place, message));
                }
                shader.text = Text::Virtual(path.to_owned());
                self.end_of_line()?;
            }
            None if shader.language == Language::SpirvBinary => {
                let (place, word) = self.word("FILE")?;
                return Err(wrong(place, "FILE", word));
            }
            None => {
                self.end_of_line()?;
                let (text, line) = self.lexer.raw_lines(start)?;
                shader.text = Text::Inline(text.to_owned(), line);
                self.end_of_line()?;
            }
        }
        self.script.shaders.push(shader);
        Ok(())
    }

    /// `VIRTUAL_FILE PATH`.
    pub(super) fn virtual_file(&mut self, start: Place) -> Result<()> {
        let (place, path) = self.word("the path of the file")?;
        self.end_of_line()?;
        if self.script.files.len() >= limits::OBJECTS {
            let message = format!("the script has more than {} virtual files", limits::OBJECTS);
            return Err(ScriptError::new(place, message));
        }
        let (text, _) = self.lexer.raw_lines(start)?;
        self.end_of_line()?;
        if self.script.files.insert(path.to_owned(), text.to_owned()).is_some() {
            let message = format!("the virtual file `{path}` is declared twice");
            return Err(ScriptError::new(place, message));
        }
        Ok(())
    }
}
