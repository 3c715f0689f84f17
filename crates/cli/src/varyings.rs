//! Varyings as JSON. The outputs of one stage in this form are the inputs of the next one.
//!
//! A document is an object with one of three lists:
//!
//! ```text
//! {"vertices": [VERTEX, ...]}
//! {"patches": [{"id": 0, "values": VERTEX, "vertices": [VERTEX, ...]}, ...]}
//! {"primitives": [{"invocations": [[{"values": VERTEX, "cut": false, "stream": 0}, ...]]}, ...]}
//! ```
//!
//! where VERTEX maps the names of varyings to four dwords as numbers, `null` where nothing was
//! written: `{"position": [0, 0, 0, 1065353216], "location 0": [1, null, null, null]}`. A number with a decimal point
//! or an exponent is a float: `1.0` is the dword 1065353216. An integer is the dword itself.

use crestline_emu::{Emitted, Patch, PrimitiveOutput, SlotValues};
use crestline_program::Varying;
use serde_json::{Map, Value, json};

/// The name of a varying.
pub(crate) fn name(varying: Varying) -> String {
    match varying {
        Varying::Header => "header".into(),
        Varying::Position => "position".into(),
        Varying::PrimitiveId => "primitive_id".into(),
        Varying::ClipDistances { first } => format!("clip_distances {first}"),
        Varying::Location { location } => format!("location {location}"),
        Varying::PatchHeader { half } => format!("patch_header {half}"),
        Varying::Patch { location } => format!("patch {location}"),
        other => other.to_string(),
    }
}

/// The varying with that name. The space in a name may be replaced by `.`.
pub(crate) fn parse(text: &str) -> Result<Varying, String> {
    let error = || {
        format!(
            "{text:?} is not a varying: expected header, position, primitive_id, clip_distances N, \
             location N, patch_header N or patch N"
        )
    };
    let (name, number) = text.split_once([' ', '.']).unwrap_or((text, ""));
    let number: Option<u32> = match number {
        "" => None,
        number => Some(number.parse().map_err(|_| error())?),
    };
    let small = |number: u32| u8::try_from(number).map_err(|_| error());
    match (name, number) {
        ("header", None) => Ok(Varying::Header),
        ("position", None) => Ok(Varying::Position),
        ("primitive_id", None) => Ok(Varying::PrimitiveId),
        ("clip_distances", Some(first)) => Ok(Varying::ClipDistances { first: small(first)? }),
        ("location", Some(location)) => Ok(Varying::Location { location }),
        ("patch_header", Some(half)) => Ok(Varying::PatchHeader { half: small(half)? }),
        ("patch", Some(location)) => Ok(Varying::Patch { location }),
        _ => Err(error()),
    }
}

/// A document of one of the three kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Document {
    Vertices(Vec<SlotValues>),
    Patches(Vec<Patch>),
    Primitives(Vec<PrimitiveOutput>),
}

impl Document {
    /// The document as text.
    pub(crate) fn to_json(&self) -> String {
        let value = match self {
            Document::Vertices(vertices) => json!({ "vertices": vertices_to_json(vertices) }),
            Document::Patches(patches) => {
                let patch = |patch: &Patch| {
                    json!({
                        "id": patch.id,
                        "values": values_to_json(&patch.values),
                        "vertices": vertices_to_json(&patch.vertices),
                    })
                };
                json!({ "patches": patches.iter().map(patch).collect::<Vec<_>>() })
            }
            Document::Primitives(primitives) => {
                let emitted = |emitted: &Emitted| {
                    let values = values_to_json(&emitted.values);
                    json!({ "values": values, "cut": emitted.cut, "stream": emitted.stream })
                };
                let invocations = |primitive: &PrimitiveOutput| {
                    let list = primitive.invocations.iter();
                    let list = list.map(|vertices| vertices.iter().map(emitted).collect());
                    json!({ "invocations": list.collect::<Vec<Value>>() })
                };
                json!({ "primitives": primitives.iter().map(invocations).collect::<Vec<_>>() })
            }
        };
        let mut text = format!("{value:#}");
        text.push('\n');
        text
    }

    /// Reads a document.
    pub(crate) fn parse(text: &str) -> Result<Document, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if let Some(vertices) = value.get("vertices") {
            return Ok(Document::Vertices(vertices_from_json(vertices)?));
        }
        if let Some(patches) = value.get("patches") {
            return list(patches, "patches")?
                .iter()
                .map(patch)
                .collect::<Result<_, _>>()
                .map(Document::Patches);
        }
        if let Some(primitives) = value.get("primitives") {
            return list(primitives, "primitives")?
                .iter()
                .map(primitive)
                .collect::<Result<_, _>>()
                .map(Document::Primitives);
        }
        Err("expected an object with `vertices`, `patches` or `primitives`".into())
    }

    /// All vertices of the document, in order.
    pub(crate) fn vertices(&self) -> Vec<&SlotValues> {
        match self {
            Document::Vertices(vertices) => vertices.iter().collect(),
            Document::Patches(patches) => {
                patches.iter().flat_map(|patch| &patch.vertices).collect()
            }
            Document::Primitives(primitives) => primitives
                .iter()
                .flat_map(|primitive| primitive.invocations.iter().flatten())
                .map(|emitted| &emitted.values)
                .collect(),
        }
    }
}

fn vertices_to_json(vertices: &[SlotValues]) -> Vec<Value> {
    vertices.iter().map(values_to_json).collect()
}

fn values_to_json(values: &SlotValues) -> Value {
    let entry = |(varying, dwords): (Varying, [Option<u32>; 4])| (name(varying), json!(dwords));
    Value::Object(values.iter().map(entry).collect::<Map<_, _>>())
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("`{name}` is not a list"))
}

fn vertices_from_json(value: &Value) -> Result<Vec<SlotValues>, String> {
    list(value, "vertices")?.iter().map(values_from_json).collect()
}

/// Reads a VERTEX object.
fn values_from_json(value: &Value) -> Result<SlotValues, String> {
    let object = value.as_object().ok_or("a vertex is not an object")?;
    let mut values = SlotValues::new();
    for (name, dwords) in object {
        let bad = || {
            format!(
                "`{name}`: expected four values: a dword such as 7, a float such as 7.0, or null"
            )
        };
        let dwords = dwords.as_array().filter(|dwords| dwords.len() == 4).ok_or_else(bad)?;
        let mut slot = [None; 4];
        for (place, dword) in slot.iter_mut().zip(dwords) {
            *place = match dword {
                Value::Null => None,
                Value::Number(number) if number.is_f64() => {
                    let float = number.as_f64().map(|float| float as f32);
                    Some(float.filter(|float| float.is_finite()).ok_or_else(bad)?.to_bits())
                }
                dword => {
                    let dword = dword.as_u64().and_then(|dword| u32::try_from(dword).ok());
                    Some(dword.ok_or_else(bad)?)
                }
            };
        }
        values.set(parse(name)?, slot);
    }
    Ok(values)
}

/// Reads a primitive object.
fn primitive(value: &Value) -> Result<PrimitiveOutput, String> {
    let field = value.get("invocations").ok_or("a primitive has no `invocations`")?;
    let invocation = |value: &Value| list(value, "invocations")?.iter().map(emitted).collect();
    let invocations = list(field, "invocations")?.iter().map(invocation);
    Ok(PrimitiveOutput { invocations: invocations.collect::<Result<_, String>>()? })
}

/// Reads an emitted vertex.
fn emitted(value: &Value) -> Result<Emitted, String> {
    let field =
        |name: &str| value.get(name).ok_or_else(|| format!("an emitted vertex has no `{name}`"));
    let stream = field("stream")?.as_u64().and_then(|stream| u8::try_from(stream).ok());
    Ok(Emitted {
        values: values_from_json(field("values")?)?,
        cut: field("cut")?.as_bool().ok_or("the `cut` of a vertex is not true or false")?,
        stream: stream.ok_or("the `stream` of a vertex is not a number below 256")?,
    })
}

/// Reads a patch object.
fn patch(value: &Value) -> Result<Patch, String> {
    let field = |name: &str| value.get(name).ok_or_else(|| format!("a patch has no `{name}`"));
    let id = field("id")?.as_u64().and_then(|id| u32::try_from(id).ok());
    Ok(Patch {
        id: id.ok_or("the `id` of a patch is not a number below 2^32")?,
        values: values_from_json(field("values")?)?,
        vertices: vertices_from_json(field("vertices")?)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_point_are_floats() {
        let text = r#"{"vertices": [{"position": [1.0, -2.5e1, 7, null]}]}"#;
        let mut vertex = SlotValues::new();
        let floats = [1.0f32, -25.0].map(|float| Some(float.to_bits()));
        vertex.set(Varying::Position, [floats[0], floats[1], Some(7), None]);
        assert_eq!(Document::parse(text), Ok(Document::Vertices(vec![vertex])));
        let text = r#"{"vertices": [{"position": [1e39, 0, 0, 0]}]}"#;
        assert!(Document::parse(text).is_err());
    }

    #[test]
    fn documents_survive_the_round_trip() {
        let mut vertex = SlotValues::new().with(Varying::Position, [1, 2, 3, u32::MAX]);
        vertex.set(Varying::Location { location: 7 }, [Some(1), None, None, None]);
        let values = SlotValues::new().with(Varying::PatchHeader { half: 1 }, [0; 4]);
        let patch = Patch { id: 3, values, vertices: vec![vertex.clone()] };
        let emitted = Emitted { values: vertex.clone(), cut: true, stream: 2 };
        let primitive = PrimitiveOutput { invocations: vec![vec![emitted], vec![]] };
        let documents = [
            Document::Vertices(vec![vertex]),
            Document::Patches(vec![patch]),
            Document::Primitives(vec![primitive]),
        ];
        for document in documents {
            assert_eq!(Document::parse(&document.to_json()), Ok(document));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said = |text: &str| Document::parse(text).unwrap_err();
        assert!(said("{}").contains("`vertices`, `patches` or `primitives`"));
        assert!(said(r#"{"vertices": [{"positron": [0, 0, 0, 0]}]}"#).contains("\"positron\""));
        assert!(said(r#"{"vertices": [{"position": [0, 0, 0]}]}"#).contains("`position`"));
        assert!(said(r#"{"vertices": [{"position": [0, 0, 0, -1]}]}"#).contains("`position`"));
        assert!(said(r#"{"patches": [{"id": 0}]}"#).contains("`values`"));
        assert_eq!(parse("clip_distances.4"), Ok(Varying::ClipDistances { first: 4 }));
    }
}
