//! `RUN`, `CLEAR`, `COPY`, `REPEAT` and the commands that set clear values.

use super::{Object, Parser, wrong};
use crate::error::{Place, Result, ScriptError, one_of};
use crate::limits;
use crate::script::{Action, Command, PipelineKind, Topology, Work};

/// The commands that a script runs.
const COMMANDS: &[&str] =
    &["RUN", "CLEAR", "CLEAR_COLOR", "CLEAR_DEPTH", "CLEAR_STENCIL", "COPY", "EXPECT", "REPEAT"];
/// The commands that declare something.
const DECLARATIONS: &[&str] = &[
    "SHADER",
    "VIRTUAL_FILE",
    "STRUCT",
    "BUFFER",
    "IMAGE",
    "SAMPLER",
    "PIPELINE",
    "DERIVE_PIPELINE",
    "DEVICE_FEATURE",
    "DEVICE_EXTENSION",
    "INSTANCE_EXTENSION",
    "SET",
];

impl Parser<'_> {
    /// A command that the script runs, of which the first word is read; outside of `REPEAT`.
    pub(super) fn action(&mut self, place: Place, word: &str) -> Result<Option<Command>> {
        let action = match word {
            "REPEAT" => self.repeat(place)?,
            word => match self.repeated(place, word)? {
                Some(action) => action,
                None => {
                    let all = one_of(DECLARATIONS.iter().chain(COMMANDS));
                    return Err(wrong(place, &all, word));
                }
            },
        };
        Ok(Some(Command { place, action }))
    }

    /// A command that can be inside of `REPEAT`; `None` for another word.
    fn repeated(&mut self, place: Place, word: &str) -> Result<Option<Action>> {
        let action = match word {
            "RUN" => self.run()?,
            "CLEAR" => Action::Clear { pipeline: self.graphics()? },
            "CLEAR_COLOR" => {
                let pipeline = self.graphics()?;
                let mut integers = [0; 4];
                for component in &mut integers {
                    *component = self.within("a component of a colour", 0, 255)?;
                }
                let colour = integers.map(|component| component as f32 / 255.0);
                Action::ClearColour { pipeline, colour, integers }
            }
            "CLEAR_DEPTH" => {
                let pipeline = self.graphics()?;
                Action::ClearDepth { pipeline, depth: self.float("a depth")? as f32 }
            }
            "CLEAR_STENCIL" => {
                let pipeline = self.graphics()?;
                Action::ClearStencil { pipeline, value: self.integer("a stencil value")? }
            }
            "COPY" => {
                let (_, from) = self.reference(Object::Buffer)?;
                self.keyword("TO")?;
                let (to_place, to) = self.reference(Object::Buffer)?;
                if from == to {
                    return Err(ScriptError::new(to_place, "a buffer cannot be copied to itself"));
                }
                let [source, target] = [from, to].map(|index| &self.script.buffers[index]);
                if source.image.is_some() != target.image.is_some() {
                    let message = "source and target must both be buffers or both be images";
                    return Err(ScriptError::new(to_place, message));
                }
                Action::Copy { from, to }
            }
            "EXPECT" => self.expect()?,
            _ => return Ok(None),
        };
        self.end_of_line()?;
        self.take_commands(place, 1)?;
        Ok(Some(action))
    }

    /// `REPEAT COUNT`.
    fn repeat(&mut self, start: Place) -> Result<Action> {
        let count = self.integer::<u32>("a number of repetitions")?;
        self.end_of_line()?;
        let mut commands = Vec::new();
        while let Some((place, word)) = self.line_of_block(start)? {
            let action = self.repeated(place, word)?.ok_or_else(|| {
                let inside = COMMANDS.iter().filter(|word| **word != "REPEAT");
                wrong(place, &format!("{} or END", one_of(inside)), word)
            })?;
            commands.push(Command { place, action });
        }
        self.take_commands(start, u64::from(count).saturating_mul(commands.len().max(1) as u64))?;
        Ok(Action::Repeat { count, commands })
    }

    /// The name of a graphics pipeline.
    fn graphics(&mut self) -> Result<usize> {
        let (place, pipeline) = self.reference(Object::Pipeline)?;
        match self.script.pipelines[pipeline].kind {
            PipelineKind::Graphics => Ok(pipeline),
            PipelineKind::Compute => Err(ScriptError::new(place, "expected a graphics pipeline")),
        }
    }

    /// The rest of `RUN`.
    fn run(&mut self) -> Result<Action> {
        // Times are not measured.
        self.optional(&["TIMED_EXECUTION"])?;
        let (place, pipeline) = self.reference(Object::Pipeline)?;
        let kind = self.script.pipelines[pipeline].kind;
        let draw = self.optional(&["DRAW_RECT", "DRAW_GRID", "DRAW_ARRAY"])?;
        let work = match (kind, draw) {
            (PipelineKind::Compute, None) => Work::Dispatch(self.grid()?),
            (PipelineKind::Graphics, Some((_, "DRAW_ARRAY"))) => self.array()?,
            (PipelineKind::Graphics, Some((_, word))) => {
                if self.script.pipelines[pipeline].vertex_data.len() > 1 {
                    let message = format!("{word} needs a pipeline with at most one VERTEX_DATA");
                    return Err(ScriptError::new(place, message));
                }
                self.rectangles(word == "DRAW_GRID")?
            }
            (PipelineKind::Compute, Some((place, _))) => {
                return Err(ScriptError::new(
                    place,
                    "a compute pipeline needs numbers of workgroups",
                ));
            }
            (PipelineKind::Graphics, None) => {
                let (place, word) = self.word("DRAW_RECT, DRAW_GRID or DRAW_ARRAY")?;
                return Err(wrong(place, "DRAW_RECT, DRAW_GRID or DRAW_ARRAY", word));
            }
        };
        Ok(Action::Run { pipeline, work })
    }

    /// Numbers of workgroups along x, y and z.
    pub(crate) fn grid(&mut self) -> Result<[u32; 3]> {
        let place = self.lexer.peek()?.place;
        let mut grid = [0; 3];
        for side in &mut grid {
            *side = self.integer("a number of workgroups")?;
        }
        let total = grid.iter().fold(1u64, |total, side| total.saturating_mul((*side).into()));
        if total > limits::WORKGROUPS {
            let message = format!("{total} workgroups: expected at most {}", limits::WORKGROUPS);
            return Err(ScriptError::new(place, message));
        }
        Ok(grid)
    }

    /// The rest of `DRAW_RECT` or `DRAW_GRID`.
    fn rectangles(&mut self, grid: bool) -> Result<Work> {
        self.keyword("POS")?;
        let origin = [self.float("the left edge")?, self.float("the upper edge")?];
        self.keyword("SIZE")?;
        let size = [self.float("a width")?, self.float("a height")?];
        let mut cells = [1; 2];
        if grid {
            let place = self.keyword("CELLS")?;
            cells = [self.integer("a number of columns")?, self.integer("a number of rows")?];
            let count = cells.map(u64::from).iter().product::<u64>();
            if !(1..=limits::CELLS).contains(&count) {
                let message = format!("{count} cells: expected 1 to {}", limits::CELLS);
                return Err(ScriptError::new(place, message));
            }
        }
        Ok(Work::Rectangles { origin, size, cells, pixels: true, patches: false, grid })
    }

    /// The rest of `DRAW_ARRAY`.
    fn array(&mut self) -> Result<Work> {
        self.keyword("AS")?;
        let topology = self.choose(Topology::NAMES)?;
        let indexed = self.optional(&["INDEXED"])?.is_some();
        let options = ["START_IDX", "COUNT", "START_INSTANCE", "INSTANCE_COUNT"];
        let (mut first, mut count, mut first_instance, mut instances) = (0, None, 0, 1);
        while let Some((_, option)) = self.optional(&options)? {
            let place = self.lexer.peek()?.place;
            let number = self.integer::<u32>("a number")?;
            match option {
                "START_IDX" => first = number,
                "COUNT" => count = Some(number),
                "START_INSTANCE" => first_instance = number,
                _ => instances = number,
            }
            let total = u64::from(count.unwrap_or(1)) * u64::from(instances).max(1);
            if total > limits::VERTICES {
                let message = format!("{total} vertices: expected at most {}", limits::VERTICES);
                return Err(ScriptError::new(place, message));
            }
        }
        let vertex_offset = 0;
        Ok(Work::Array {
            topology,
            indexed,
            first,
            count,
            first_instance,
            instances,
            vertex_offset,
        })
    }
}
