//! `[test]`: the commands.

use super::{Reader, Section, Store, types};
use crate::error::{Place, Result, ScriptError};
use crate::lexer::{Kind, Number};
use crate::limits;
use crate::parse::{Parser, expect_tolerance, wrong};
use crate::script::{
    Action, Binding, Bound, Buffer, Check, Command, Comparator, Contents, Descriptor, PipelineKind,
    Stage, Work,
};
use crate::types::{Layout, Slot, Standard};
use std::sync::Arc;

/// The commands of a test.
const COMMANDS: &str = "a command: draw, compute, probe, relative probe, uniform, ssbo, patch parameter vertices, \
                        tolerance, clear, STAGE entrypoint, or a property of the pipeline";
/// The most values of a command.
const MAX_VALUES: usize = 1 << 16;
/// The largest index of a descriptor set.
const MAX_SET: u32 = 255;
/// The largest difference of components of colours that are equal, if the script sets none.
const TOLERANCE_WORDS: usize = 4;

/// The descriptor of a buffer.
pub(super) fn descriptor(set: u32, binding: u32, store: &Store) -> Binding {
    let kind = if store.uniform { Descriptor::Uniform } else { Descriptor::Storage };
    let elements = vec![Bound { buffer: Some(store.buffer), ..Bound::default() }];
    Binding { place: Place { line: 1, column: 1 }, set, binding, kind, elements }
}

impl Reader {
    /// `[test]`.
    pub(super) fn test(&mut self, section: &Section<'_>) -> Result<()> {
        let mut parser = Reader::parser(section);
        loop {
            let token = parser.lexer.next_word()?;
            let word = match token.kind {
                Kind::Word(word) | Kind::Quoted(word) => word,
                _ => return Ok(()),
            };
            self.commands_left = self.commands_left.checked_sub(1).ok_or_else(|| {
                let message = format!("the script has more than {} commands", limits::COMMANDS);
                ScriptError::new(token.place, message)
            })?;
            let action = self.command(&mut parser, token.place, word)?;
            parser.end_of_line()?;
            self.script
                .commands
                .extend(action.map(|action| Command { place: token.place, action }));
        }
    }

    /// Changes the state of the pipeline.
    fn changed(&mut self) {
        self.current = [None; 2];
    }

    fn command(
        &mut self,
        parser: &mut Parser<'_>,
        place: Place,
        word: &str,
    ) -> Result<Option<Action>> {
        Ok(match word {
            "draw" => Some(self.draw(parser, place)?),
            "compute" if parser.optional(&["entrypoint"])?.is_none() => {
                let grid = parser.grid()?;
                let pipeline = self.pipeline(place, PipelineKind::Compute)?;
                Some(Action::Run { pipeline, work: Work::Dispatch(grid) })
            }
            "compute" => self.entry(parser, place, Stage::Compute)?,
            "tessellation" => {
                let stages = [("control", Stage::TessControl), ("evaluation", Stage::TessEval)];
                let stage = parser.choose(&stages)?;
                parser.keyword("entrypoint")?;
                self.entry(parser, place, stage)?
            }
            "vertex" | "geometry" | "fragment" => {
                let (_, _, stage) =
                    Stage::NAMES.iter().find(|(name, _, _)| *name == word).expect("a stage");
                parser.keyword("entrypoint")?;
                self.entry(parser, place, *stage)?
            }
            "relative" => {
                parser.keyword("probe")?;
                Some(self.probe(parser, true)?)
            }
            "probe" => Some(self.probe(parser, false)?),
            "uniform" => Some(self.uniform(parser, place)?),
            "ssbo" => self.ssbo(parser, place)?,
            "patch" => {
                parser.keyword("parameter")?;
                parser.keyword("vertices")?;
                self.pipeline.patch_points = parser.within("a number of control points", 1, 32)?;
                self.changed();
                None
            }
            "tolerance" => {
                self.tolerance.clear();
                while !parser.is_line_end()? {
                    let (place, word) = parser.word("a tolerance")?;
                    let own =
                        expect_tolerance(word).filter(|_| self.tolerance.len() < TOLERANCE_WORDS);
                    self.tolerance
                        .push(own.ok_or_else(|| wrong(place, "one to four tolerances", word))?);
                }
                if !matches!(self.tolerance.len(), 1 | TOLERANCE_WORDS) {
                    return Err(ScriptError::new(place, "expected one or four tolerances"));
                }
                None
            }
            "clear" => Some(self.clear(parser, place)?),
            other => {
                if !self.property(parser, other)? {
                    return Err(wrong(place, COMMANDS, other));
                }
                self.changed();
                None
            }
        })
    }

    /// The rest of `STAGE entrypoint NAME`.
    fn entry(
        &mut self,
        parser: &mut Parser<'_>,
        place: Place,
        stage: Stage,
    ) -> Result<Option<Action>> {
        let (_, name) = parser.word("the name of an entry point")?;
        let attached = self.pipeline.shaders.iter_mut().find(|attached| attached.stage == stage);
        let attached = attached.ok_or_else(|| {
            ScriptError::new(place, format!("the script has no {} shader", stage.name()))
        })?;
        attached.entry = name.to_owned();
        self.changed();
        Ok(None)
    }

    /// The rest of `clear`.
    fn clear(&mut self, parser: &mut Parser<'_>, place: Place) -> Result<Action> {
        let option = parser.optional(&["color", "depth", "stencil"])?;
        let pipeline = self.pipeline(place, PipelineKind::Graphics)?;
        Ok(match option {
            Some((_, "color")) => {
                let mut colour = [0.0; 4];
                for component in &mut colour {
                    *component = parser.float("a component of a colour")? as f32;
                }
                let integers = colour.map(|component| component as i64 as u32);
                Action::ClearColour { pipeline, colour, integers }
            }
            Some((_, "depth")) => {
                Action::ClearDepth { pipeline, depth: parser.float("a depth")? as f32 }
            }
            Some(_) => Action::ClearStencil { pipeline, value: parser.integer("a stencil value")? },
            None => Action::Clear { pipeline },
        })
    }

    /// The rest of `draw`.
    fn draw(&mut self, parser: &mut Parser<'_>, place: Place) -> Result<Action> {
        let is_rectangle = parser.choose(&[("rect", true), ("arrays", false)])?;
        if is_rectangle {
            let (mut pixels, mut patches) = (false, false);
            while let Some((_, option)) = parser.optional(&["ortho", "patch"])? {
                pixels |= option == "ortho";
                patches |= option == "patch";
            }
            let origin = [parser.float("the left edge")?, parser.float("the upper edge")?];
            let size = [parser.float("a width")?, parser.float("a height")?];
            if self.pipeline.vertex_data.len() > 1 {
                let message = "draw rect needs a script with at most one attribute";
                return Err(ScriptError::new(place, message));
            }
            let work =
                Work::Rectangles { origin, size, cells: [1; 2], pixels, patches, grid: false };
            let pipeline = self.pipeline(place, PipelineKind::Graphics)?;
            return Ok(Action::Run { pipeline, work });
        }
        let (mut indexed, mut instanced) = (false, false);
        while let Some((_, option)) = parser.optional(&["indexed", "instanced"])? {
            indexed |= option == "indexed";
            instanced |= option == "instanced";
        }
        let topology = parser.choose(super::state::TOPOLOGIES)?;
        let first = parser.integer::<u32>("a first vertex")?;
        let count_place = parser.lexer.peek()?.place;
        let count = parser.integer::<u32>("a number of vertices")?;
        let mut instances = 1;
        if instanced && !parser.is_line_end()? {
            instances = parser.integer("a number of instances")?;
        }
        let total = u64::from(count) * u64::from(instances).max(1);
        if total > limits::VERTICES {
            let message = format!("{total} vertices: expected at most {}", limits::VERTICES);
            return Err(ScriptError::new(count_place, message));
        }
        let (first, vertex_offset) = match (indexed, i32::try_from(first)) {
            (true, Ok(offset)) => (0, offset),
            (true, Err(_)) => {
                return Err(ScriptError::new(place, "expected a first vertex below 2^31"));
            }
            (false, _) => (first, 0),
        };
        let count = Some(count);
        let pipeline = self.pipeline(place, PipelineKind::Graphics)?;
        let work = Work::Array {
            topology,
            indexed,
            first,
            count,
            first_instance: 0,
            instances,
            vertex_offset,
        };
        Ok(Action::Run { pipeline, work })
    }

    /// A binding: `BINDING` or `SET:BINDING`.
    fn binding(&mut self, parser: &mut Parser<'_>) -> Result<(u32, u32)> {
        let what = "BINDING or SET:BINDING";
        let (place, word) = parser.word(what)?;
        let (set, binding) = word.split_once(':').unwrap_or(("0", word));
        let set = set.parse().ok().filter(|set| *set <= MAX_SET);
        set.zip(binding.parse().ok()).ok_or_else(|| wrong(place, what, word))
    }

    /// The buffer of a binding, which is made if it is new.
    fn store(&mut self, place: Place, at: (u32, u32), uniform: bool) -> Result<&mut Store> {
        let count = self.script.buffers.len();
        if count >= limits::OBJECTS {
            let message = format!("the script has more than {} buffers", limits::OBJECTS);
            return Err(ScriptError::new(place, message));
        }
        let (set, binding) = at;
        let store = self.stores.entry(at).or_insert_with(|| {
            let name = format!("{} {set}:{binding}", if uniform { "uniform ubo" } else { "ssbo" });
            self.script.buffers.push(untyped(&name, place));
            Store { buffer: count, uniform, bytes: 0 }
        });
        if store.uniform != uniform {
            let message =
                format!("the binding {set}:{binding} is both a uniform and a storage buffer");
            return Err(ScriptError::new(place, message));
        }
        Ok(store)
    }

    /// The layout of a type.
    fn layout(&mut self, parser: &mut Parser<'_>, standard: Standard) -> Result<Arc<Layout>> {
        let (place, name) = parser.word(types::EXPECTED)?;
        let ty = types::parse(name).ok_or_else(|| wrong(place, types::EXPECTED, name))?;
        ty.layout(standard).map(Arc::new).map_err(|message| ScriptError::new(place, message))
    }

    /// The values up to the end of the line, at least one item.
    fn values(parser: &mut Parser<'_>, layout: &Layout) -> Result<Vec<(Place, Number)>> {
        let mut values = Vec::new();
        while !parser.is_line_end()? || values.is_empty() {
            let place = parser.lexer.peek()?.place;
            values.push((place, parser.number("a value")?));
            if values.len() > MAX_VALUES {
                let message = format!("the command has more than {MAX_VALUES} values");
                return Err(ScriptError::new(place, message));
            }
        }
        if !values.len().is_multiple_of(layout.slots.len()) {
            let (place, _) = values[0];
            let message =
                format!("{} values: expected a multiple of {}", values.len(), layout.slots.len());
            return Err(ScriptError::new(place, message));
        }
        Ok(values)
    }

    /// The slots of values from a byte on, and the end in bytes.
    fn placed(
        values: &[(Place, Number)],
        layout: &Layout,
        offset: u64,
    ) -> Result<(Vec<(Slot, u64)>, u64)> {
        let mut end = 0;
        let mut slots = Vec::new();
        for (index, (place, value)) in (0..).zip(values) {
            let slot = layout.slot(index).and_then(|slot| {
                let bit = slot.bit.checked_add(offset.checked_mul(8)?)?;
                end = bit.checked_add(slot.scalar.bits.into())?.div_ceil(8);
                Some(Slot { bit, ..slot })
            });
            let slot = slot.filter(|_| end <= limits::BUFFER_BYTES).ok_or_else(|| {
                let message = format!("a buffer has at most {} bytes", limits::BUFFER_BYTES);
                ScriptError::new(*place, message)
            })?;
            let bits = slot.scalar.encode(*value).map_err(|text| ScriptError::new(*place, text))?;
            slots.push((slot, bits));
        }
        Ok((slots, end))
    }

    /// The rest of `uniform`.
    fn uniform(&mut self, parser: &mut Parser<'_>, place: Place) -> Result<Action> {
        let at = match parser.optional(&["ubo"])? {
            Some(_) => Some(self.binding(parser)?),
            None => None,
        };
        let standard = if at.is_some() { Standard::Std140 } else { Standard::Std430 };
        let layout = self.layout(parser, standard)?;
        let offset = parser.integer::<u64>("an offset in bytes")?;
        let values = Reader::values(parser, &layout)?;
        let (values, end) = Reader::placed(&values, &layout, offset)?;
        let store = match at {
            Some(at) => self.store(place, at, true)?,
            None => {
                let count = self.script.buffers.len();
                self.push_constants.get_or_insert_with(|| {
                    self.script.buffers.push(untyped("push constants", place));
                    Store { buffer: count, uniform: true, bytes: 0 }
                })
            }
        };
        store.bytes = store.bytes.max(end);
        Ok(Action::Write { buffer: store.buffer, values })
    }

    /// The rest of `ssbo`.
    fn ssbo(&mut self, parser: &mut Parser<'_>, place: Place) -> Result<Option<Action>> {
        let at = self.binding(parser)?;
        if parser.optional(&["subdata"])?.is_none() {
            let size_place = parser.lexer.peek()?.place;
            let bytes = parser.integer::<u64>("a number of bytes")?;
            if bytes > limits::BUFFER_BYTES {
                let message = format!("a buffer has at most {} bytes", limits::BUFFER_BYTES);
                return Err(ScriptError::new(size_place, message));
            }
            let store = self.store(place, at, false)?;
            store.bytes = store.bytes.max(bytes);
            return Ok(None);
        }
        let layout = self.layout(parser, Standard::Std430)?;
        let offset = parser.integer::<u64>("an offset in bytes")?;
        let values = Reader::values(parser, &layout)?;
        let (values, end) = Reader::placed(&values, &layout, offset)?;
        let store = self.store(place, at, false)?;
        store.bytes = store.bytes.max(end);
        Ok(Some(Action::Write { buffer: store.buffer, values }))
    }

    /// The rest of `probe`.
    fn probe(&mut self, parser: &mut Parser<'_>, relative: bool) -> Result<Action> {
        let what = "rect, all, ssbo, rgb or rgba";
        let (place, word) = parser.word(what)?;
        if word == "ssbo" && !relative {
            return self.probe_ssbo(parser, place);
        }
        let colours = [("rgb", 3), ("rgba", 4)];
        let (area, count) = match word {
            "all" if !relative => (0, parser.choose(&colours)?),
            "rect" => (4, parser.choose(&colours)?),
            "rgb" => (2, 3),
            "rgba" => (2, 4),
            other => return Err(wrong(place, what, other)),
        };
        let place = parser.lexer.peek()?.place;
        let [width, height] = self.size;
        let mut sides = [0.0, 0.0, f64::from(width), f64::from(height)];
        if area == 2 {
            (sides[2], sides[3]) = (1.0, 1.0);
        }
        for (number, side) in sides.iter_mut().take(area).enumerate() {
            *side = parser.float("a coordinate")?;
            if relative {
                *side *= f64::from(if number % 2 == 0 { width } else { height });
            }
        }
        let colour =
            (0..count).map(|_| parser.float("a component of a colour")).collect::<Result<_>>()?;
        // Coordinates are rounded to whole pixels.
        let sides = sides.map(|side| side.round());
        if sides.iter().any(|side| !(0.0..=f64::from(limits::IMAGE_SIDE)).contains(side)) {
            let message =
                format!("expected coordinates of pixels from 0 to {}", limits::IMAGE_SIDE);
            return Err(ScriptError::new(place, message));
        }
        let [x, y, w, h] = sides.map(|side| side as u32);
        let buffer = self.pipeline.colours[0].buffer;
        let check = Check::Pixels {
            origin: [x, y],
            size: [w, h],
            colour,
            scale: 1.0,
            tolerance: self.tolerance.clone(),
        };
        Ok(Action::Expect { buffer, check })
    }

    /// The rest of `probe ssbo`.
    fn probe_ssbo(&mut self, parser: &mut Parser<'_>, place: Place) -> Result<Action> {
        let layout = self.layout(parser, Standard::Std430)?;
        let at = self.binding(parser)?;
        let offset = parser.integer::<u64>("an offset in bytes")?;
        let mut comparators: Vec<_> =
            Comparator::NAMES.iter().map(|(_, name, own)| (*name, (*own, false))).collect();
        comparators.push(("~=", (Comparator::Eq, true)));
        let (comparator, fuzzy) = parser.choose(&comparators)?;
        let values = Reader::values(parser, &layout)?;
        let tolerance = if fuzzy { self.tolerance.clone() } else { Vec::new() };
        let buffer = self.store(place, at, false)?.buffer;
        let values = values.into_iter().map(|(_, value)| value).collect();
        let check = Check::Values { offset, comparator, tolerance, layout: Some(layout), values };
        Ok(Action::Expect { buffer, check })
    }
}

/// A buffer whose type and size commands determine.
fn untyped(name: &str, place: Place) -> Buffer {
    let ty = types::parse("uint8_t").expect("the type's name is right");
    let layout = ty.layout(Standard::Std430).expect("the type has one value");
    Buffer {
        name: name.to_owned(),
        place,
        layout: Arc::new(layout),
        ty,
        image: None,
        bytes: Some(4),
        contents: Contents::Zero,
    }
}
