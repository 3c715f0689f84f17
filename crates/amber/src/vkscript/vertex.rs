//! `[vertex data]`: a row with the formats of the attributes, then a row for each vertex.

use super::{Reader, Section};
use crate::error::{Place, Result, ScriptError};
use crate::format::{Format, NumberKind};
use crate::lexer::{Kind, Number};
use crate::limits;
use crate::parse::wrong;
use crate::script::VertexData;
use crate::types::{Layout, Type, store};
use std::sync::Arc;

/// The largest location of an attribute.
const MAX_LOCATION: u32 = 31;
/// Component types of OpenGL: kind and bits.
const COMPONENTS: &[(&str, NumberKind, u8)] = &[
    ("byte", NumberKind::Sint, 8),
    ("ubyte", NumberKind::Uint, 8),
    ("short", NumberKind::Sint, 16),
    ("ushort", NumberKind::Uint, 16),
    ("int", NumberKind::Sint, 32),
    ("uint", NumberKind::Uint, 32),
    ("half", NumberKind::Float, 16),
    ("float", NumberKind::Float, 32),
    ("double", NumberKind::Float, 64),
];

/// An attribute and its values so far.
struct Column {
    location: u32,
    format: Arc<Format>,
    layout: Layout,
    bytes: Vec<u8>,
}

impl Column {
    /// Reads `LOCATION/FORMAT` or `LOCATION/GL_TYPE/GLSL_TYPE`.
    fn parse(place: Place, word: &str) -> Result<Column> {
        let unknown = || wrong(place, "LOCATION/FORMAT or LOCATION/GL_TYPE/GLSL_TYPE", word);
        let mut parts = word.split('/');
        let location = parts.next().and_then(|part| part.parse().ok());
        let location = location.filter(|location| *location <= MAX_LOCATION).ok_or_else(unknown)?;
        let format = match (parts.next(), parts.next(), parts.next()) {
            (Some(format), None, None) => Format::parse(format),
            (Some(component), Some(ty), None) => converted(component, ty),
            _ => None,
        };
        let format = Arc::new(format.ok_or_else(unknown)?);
        let layout = Layout::texels(&format);
        Ok(Column { location, format, layout, bytes: Vec::new() })
    }
}

/// The format of components of an OpenGL type that a shader reads as a GLSL type: integers of a float type are converted.
fn converted(component: &str, ty: &str) -> Option<Format> {
    let (_, kind, bits) = COMPONENTS.iter().find(|(name, _, _)| *name == component)?;
    let Type::Vector { scalar, rows } = super::types::parse(ty)? else { return None };
    let kind = match (kind, scalar.kind) {
        (NumberKind::Sint, NumberKind::Float) => NumberKind::Sscaled,
        (NumberKind::Uint, NumberKind::Float) => NumberKind::Uscaled,
        (kind, _) => *kind,
    };
    Format::plain(kind, *bits, rows)
}

impl Reader {
    /// `[vertex data]`.
    pub(super) fn vertex_data(&mut self, section: &Section<'_>) -> Result<()> {
        let mut parser = Reader::parser(section);
        let mut columns: Vec<Column> = Vec::new();
        let mut token = parser.lexer.next_word()?;
        while let Kind::Word(word) = token.kind {
            let column = Column::parse(token.place, word)?;
            if columns.iter().any(|other| other.location == column.location) {
                let message = format!("the location {} appears twice", column.location);
                return Err(ScriptError::new(token.place, message));
            }
            columns.push(column);
            token = parser.lexer.next()?;
        }
        if columns.is_empty() {
            return Err(ScriptError::new(section.place, "the section has no row with formats"));
        }
        let mut rows = 0;
        'rows: loop {
            for column in &mut columns {
                for number in 0..column.layout.slots.len() {
                    let first =
                        number == 0 && column.bytes.len() as u64 == rows * column.layout.stride;
                    let token = parser.lexer.next_word()?;
                    let word = match token.kind {
                        Kind::Word(word) => word,
                        _ if first && number == 0 => break 'rows,
                        other => {
                            return Err(crate::parse::expected(
                                token.place,
                                "a value of the row",
                                other,
                            ));
                        }
                    };
                    let value =
                        Number::parse(word).ok_or_else(|| wrong(token.place, "a number", word))?;
                    let slot = column.layout.slots[number];
                    let bits = slot.scalar.encode(value).map_err(|message| {
                        ScriptError::new(token.place, format!("the value `{word}`: {message}"))
                    })?;
                    if number == 0 {
                        let size = (rows + 1) * column.layout.stride;
                        column.bytes.resize(size as usize, 0);
                    }
                    let texel = &mut column.bytes[(rows * column.layout.stride) as usize..];
                    store(texel, slot, bits).expect("the format contains its channels");
                }
            }
            rows += 1;
            if rows > limits::VERTICES {
                let message = format!("the section has more than {} rows", limits::VERTICES);
                return Err(ScriptError::new(section.place, message));
            }
        }
        if columns.iter().any(|column| column.bytes.len() as u64 != rows * column.layout.stride) {
            return Err(ScriptError::new(section.place, "the last row has too few values"));
        }
        for column in columns {
            let name = format!("vertex data {}", column.location);
            let ty = Type::Format(Arc::clone(&column.format));
            let buffer = self.add_buffer(&name, section.place, ty, column.bytes)?;
            self.pipeline.vertex_data.push(VertexData {
                place: section.place,
                buffer,
                location: column.location,
                per_instance: false,
                format: Some(column.format),
                offset: 0,
                stride: None,
            });
        }
        Ok(())
    }
}
