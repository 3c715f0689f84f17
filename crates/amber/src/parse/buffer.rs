//! `STRUCT`, `BUFFER` and `IMAGE`.

use super::{Object, Parser, expected, wrong};
use crate::error::{Place, Result, ScriptError};
use crate::format::Format;
use crate::lexer::{Kind, Number};
use crate::limits;
use crate::script::{Buffer, Contents, Dimension, Image};
use crate::types::{Layout, Member, Standard, Struct, Type, store};
use std::sync::Arc;

/// Dimensions of images with their names.
const DIMENSIONS: &[(&str, Dimension)] =
    &[("DIM_1D", Dimension::D1), ("DIM_2D", Dimension::D2), ("DIM_3D", Dimension::D3)];
/// The most levels of an image.
const MAX_LEVELS: u32 = 15;

impl Image {
    /// The number of texels of all levels and samples; `None` if the size is not known.
    pub fn texels(&self) -> Option<u64> {
        let size = self.size?;
        let level = |level: u32| {
            let side = |size: u32| u64::from((size >> level).max(1));
            let depth = if self.dimension == Dimension::D3 { side(size[2]) } else { 1 };
            let height = if self.dimension == Dimension::D1 { 1 } else { side(size[1]) };
            side(size[0]) * height * depth
        };
        Some((0..self.levels).map(level).sum::<u64>() * u64::from(self.samples))
    }

    /// The number of bytes of all levels and samples; `None` if the size is not known.
    pub fn bytes(&self) -> Option<u64> {
        self.texels()?.checked_mul(self.format.bytes.into())
    }
}

impl<'a> Parser<'a> {
    /// `STRUCT NAME`.
    pub(super) fn structure(&mut self, start: Place) -> Result<()> {
        let (name_place, name) = self.word("the name of the structure")?;
        if Type::parse(name).is_some() || name.contains(['[', '<']) {
            return Err(ScriptError::new(
                name_place,
                format!("`{name}` cannot be the name of a structure"),
            ));
        }
        let mut of = Struct { name: name.to_owned(), stride: None, members: Vec::new() };
        if self.optional(&["STRIDE"])?.is_some() {
            of.stride = Some(self.integer("a number of bytes")?);
        }
        self.end_of_line()?;
        while let Some((place, type_name)) = self.line_of_block(start)? {
            let mut ty = self.ty(place, type_name)?;
            let (member_place, member) = self.word("the name of the member")?;
            if of.members.iter().any(|other| other.name == member) {
                let message = format!("the structure has two members `{member}`");
                return Err(ScriptError::new(member_place, message));
            }
            let mut offset = None;
            while let Some((place, option)) =
                self.optional(&["OFFSET", "ARRAY_STRIDE", "MATRIX_STRIDE"])?
            {
                let bytes = self.integer("a number of bytes")?;
                let fits = match option {
                    "OFFSET" => {
                        offset = Some(bytes);
                        true
                    }
                    option => ty.set_stride(bytes, option == "ARRAY_STRIDE"),
                };
                if !fits {
                    let message = format!("{option} does not fit a member of type `{type_name}`");
                    return Err(ScriptError::new(place, message));
                }
            }
            self.end_of_line()?;
            of.members.push(Member { name: member.to_owned(), ty, offset });
            // A structure within structures could have exponentially many values.
            let whole = Type::Struct(Arc::new(of.clone()));
            self.layout(place, &whole, Standard::Std430)?;
        }
        if of.members.is_empty() {
            return Err(ScriptError::new(name_place, "the structure has no members"));
        }
        if self.structs.insert(name, Arc::new(of)).is_some() {
            let message = format!("the structure `{name}` is declared twice");
            return Err(ScriptError::new(name_place, message));
        }
        Ok(())
    }

    /// `BUFFER NAME ...`.
    pub(super) fn buffer(&mut self, start: Place) -> Result<()> {
        let (place, name) = self.word("the name of the buffer")?;
        self.declare(Object::Buffer, place, name)?;
        let buffer = match self.choose(&[("DATA_TYPE", true), ("FORMAT", false)])? {
            true => self.data_buffer(start, place, name)?,
            false => self.format_buffer(place, name)?,
        };
        self.script.buffers.push(buffer);
        Ok(())
    }

    /// The rest of `BUFFER NAME DATA_TYPE`.
    fn data_buffer(&mut self, start: Place, place: Place, name: &str) -> Result<Buffer> {
        let (type_place, type_name) = self.word("a type")?;
        let ty = self.ty(type_place, type_name)?;
        let mut standard = Standard::Std430;
        if let Some((_, word)) = self.optional(&["STD140", "STD430"])? {
            standard = if word == "STD140" { Standard::Std140 } else { Standard::Std430 };
        }
        let layout = self.layout(type_place, &ty, standard)?;
        let mut items = None;
        if self.optional(&["SIZE"])?.is_some() {
            items = Some(self.integer::<u32>("a number of items")?);
        } else if self.optional(&["WIDTH"])?.is_some() {
            let width = self.within("a width", 1, limits::IMAGE_SIDE)?;
            self.keyword("HEIGHT")?;
            items = Some(width * self.within("a height", 1, limits::IMAGE_SIDE)?);
        }
        let size = items.map(|items| u64::from(items).checked_mul(layout.stride));
        let size = size.map(|size| self.take_bytes(place, size)).transpose()?;
        let (contents, used) = self.initializer(start, &layout, size)?;
        let bytes = match (&contents, size) {
            (_, Some(size)) => Some(size),
            (Contents::Bytes(_), None) => Some(used),
            (Contents::Text(_) | Contents::Binary(_), None) => None,
            _ => {
                return Err(ScriptError::new(place, "the buffer has neither SIZE nor DATA"));
            }
        };
        let name = name.to_owned();
        Ok(Buffer { name, place, layout: Arc::new(layout), ty, image: None, bytes, contents })
    }

    /// The rest of `BUFFER NAME FORMAT`.
    fn format_buffer(&mut self, place: Place, name: &str) -> Result<Buffer> {
        let format = self.format()?;
        let mut image =
            Image { format, dimension: Dimension::D2, size: None, levels: 1, samples: 1 };
        let mut contents = Contents::Zero;
        self.image_options(&mut image)?;
        if self.optional(&["FILE"])?.is_some() {
            self.keyword("PNG")?;
            contents = Contents::Png(self.word("the name of a file")?.1.to_owned());
        }
        self.end_of_line()?;
        let layout = Arc::new(Layout::texels(&image.format));
        let ty = Type::Format(Arc::clone(&image.format));
        Ok(Buffer {
            name: name.to_owned(),
            place,
            layout,
            ty,
            image: Some(image),
            bytes: None,
            contents,
        })
    }

    /// `MIP_LEVELS` and `SAMPLES`.
    fn image_options(&mut self, image: &mut Image) -> Result<()> {
        while let Some((_, option)) = self.optional(&["MIP_LEVELS", "SAMPLES"])? {
            if option == "MIP_LEVELS" {
                image.levels = self.within("a number of levels", 1, MAX_LEVELS)?;
                continue;
            }
            let place = self.lexer.peek()?.place;
            image.samples = self.within("a number of samples", 1, 64)?;
            if !image.samples.is_power_of_two() {
                let message =
                    format!("expected 1, 2, 4, 8, 16, 32 or 64 samples, found `{}`", image.samples);
                return Err(ScriptError::new(place, message));
            }
        }
        Ok(())
    }

    /// The name of an image format.
    pub(crate) fn format(&mut self) -> Result<Arc<Format>> {
        let what = "an image format such as R8G8B8A8_UNORM";
        let (place, name) = self.word(what)?;
        Format::parse(name).map(Arc::new).ok_or_else(|| wrong(place, what, name))
    }

    /// `IMAGE NAME ...`.
    pub(super) fn image(&mut self, start: Place) -> Result<()> {
        let (place, name) = self.word("the name of the image")?;
        self.declare(Object::Buffer, place, name)?;
        let (ty, format) = match self.choose(&[("DATA_TYPE", true), ("FORMAT", false)])? {
            true => {
                let (type_place, type_name) = self.word("a type")?;
                let ty = self.ty(type_place, type_name)?;
                let format = ty.format().ok_or_else(|| {
                    wrong(type_place, "a scalar, a vector or an image format", type_name)
                })?;
                (ty, format)
            }
            false => {
                let format = self.format()?;
                (Type::Format(Arc::clone(&format)), format)
            }
        };
        let mut image =
            Image { format, dimension: Dimension::D2, size: None, levels: 1, samples: 1 };
        self.image_options(&mut image)?;
        image.dimension = self.choose(DIMENSIONS)?;
        self.image_options(&mut image)?;
        let mut size = [1; 3];
        let sides = [("WIDTH", "a width"), ("HEIGHT", "a height"), ("DEPTH", "a depth")];
        let count = 1 + image.dimension as usize;
        for ((keyword, what), side) in sides.into_iter().zip(&mut size).take(count) {
            self.keyword(keyword)?;
            *side = self.within(what, 1, limits::IMAGE_SIDE)?;
        }
        self.image_options(&mut image)?;
        image.size = Some(size);
        let layout = Layout::texels(&image.format);
        let bytes = self.take_bytes(place, image.bytes())?;
        let contents = match self.is_line_end()? {
            true => {
                self.end_of_line()?;
                Contents::Zero
            }
            false => self.initializer(start, &layout, Some(bytes))?.0,
        };
        let (name, layout) = (name.to_owned(), Arc::new(layout));
        let image = Some(image);
        self.script.buffers.push(Buffer {
            name,
            place,
            layout,
            ty,
            image,
            bytes: Some(bytes),
            contents,
        });
        Ok(())
    }

    /// The contents of a buffer, and the bytes that they need. `size` is the size of the buffer, if it is given.
    fn initializer(
        &mut self,
        start: Place,
        layout: &Layout,
        size: Option<u64>,
    ) -> Result<(Contents, u64)> {
        let options = "DATA, FILL, SERIES_FROM or FILE";
        if self.is_line_end()? && size.is_some() {
            self.end_of_line()?;
            return Ok((Contents::Zero, 0));
        }
        let (place, word) = self.word(options)?;
        let contents = match word {
            "DATA" => {
                let bytes = self.data(start, layout, size)?;
                let used = bytes.len() as u64;
                return Ok((Contents::Bytes(bytes), used));
            }
            "FILL" => Contents::Fill(self.checked_number(layout)?),
            "SERIES_FROM" => {
                let first = self.checked_number(layout)?;
                self.keyword("INC_BY")?;
                Contents::Series { start: first, step: self.number("a number")? }
            }
            "FILE" => {
                let kind = self.choose(&[("TEXT", 0), ("BINARY", 1), ("PNG", 2)])?;
                let name = self.word("the name of a file")?.1.to_owned();
                match kind {
                    0 => Contents::Text(name),
                    1 => Contents::Binary(name),
                    _ => Contents::Png(name),
                }
            }
            other => return Err(wrong(place, options, other)),
        };
        self.end_of_line()?;
        Ok((contents, 0))
    }

    /// A number that fits the first value of a layout.
    fn checked_number(&mut self, layout: &Layout) -> Result<Number> {
        let place = self.lexer.peek()?.place;
        let number = self.number("a number")?;
        if let Some(slot) = layout.slots.first() {
            slot.scalar.encode(number).map_err(|message| ScriptError::new(place, message))?;
        }
        Ok(number)
    }

    /// The values after `DATA` up to `END`.
    fn data(&mut self, start: Place, layout: &Layout, size: Option<u64>) -> Result<Vec<u8>> {
        let mut writer = Writer { layout, bytes: Vec::new(), count: 0, limit: size };
        loop {
            let token = self.lexer.next_word()?;
            let word = match token.kind {
                Kind::Word("END") => break,
                Kind::Word(word) => word,
                Kind::EndOfScript => {
                    return Err(ScriptError::new(
                        start,
                        "the DATA has no END before the end of the script",
                    ));
                }
                other => return Err(expected(token.place, "a number or END", other)),
            };
            let number =
                Number::parse(word).ok_or_else(|| wrong(token.place, "a number or END", word))?;
            let grown = writer.add(number).map_err(|message| {
                ScriptError::new(token.place, format!("the value `{word}`: {message}"))
            })?;
            if size.is_none() {
                self.take_bytes(token.place, Some(grown))?;
            }
        }
        self.end_of_line()?;
        Ok(writer.bytes)
    }
}

/// Writes numbers one after another to memory with a layout.
pub(crate) struct Writer<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) bytes: Vec<u8>,
    /// The number of values so far.
    pub(crate) count: u64,
    /// The most bytes.
    pub(crate) limit: Option<u64>,
}

impl Writer<'_> {
    /// Adds a number. Returns by how many bytes the memory grew.
    pub(crate) fn add(&mut self, number: Number) -> std::result::Result<u64, String> {
        let slot = self.layout.slot(self.count).ok_or("the type has no values")?;
        let bits = slot.scalar.encode(number)?;
        let before = self.bytes.len() as u64;
        let end = (slot.bit + u64::from(slot.scalar.bits)).div_ceil(8);
        if end > before {
            let wanted = (self.count / self.layout.slots.len() as u64 + 1) * self.layout.stride;
            let wanted = wanted.max(end);
            let limit = self.limit.unwrap_or(limits::BUFFER_BYTES);
            if wanted > limit {
                return Err(format!("the buffer has only {limit} bytes"));
            }
            self.bytes.resize(wanted as usize, 0);
        }
        store(&mut self.bytes, slot, bits).ok_or("the value is outside of the buffer")?;
        self.count += 1;
        Ok(self.bytes.len() as u64 - before)
    }
}
