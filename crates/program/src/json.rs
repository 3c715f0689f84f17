//! Reads JSON documents into Rust types. Errors contain the path of the value, what was expected
//! and what was found.
//!
//! A document is first parsed to [`Json`]. Then [`Read`] converts values to types; [`Node`] is a
//! value with its path. [`record!`], [`tagged!`] and [`words!`] implement [`Read`] from a list of
//! fields; the Rust compiler rejects a list that lacks a field. Serde writes the documents.

use crate::MetadataError;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt;

/// A JSON value. The keys of an object are unique and in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a text.
    ///
    /// # Errors
    /// [`MetadataError::Json`].
    pub(crate) fn parse(text: &str) -> Result<Json, MetadataError> {
        serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message = match error.classify() {
                serde_json::error::Category::Eof => {
                    "the text ends before the JSON is complete".to_owned()
                }
                _ => {
                    let text = error.to_string();
                    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
                }
            };
            MetadataError::Json { line, column, message }
        })
    }

    /// The value of a key; `None` if this is not an object or does not have the key.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => find(entries, key),
            _ => None,
        }
    }
}

/// The value of a key among the entries of an object.
fn find<'a>(entries: &'a [(String, Json)], key: &str) -> Option<&'a Json> {
    entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// A short description of the value, for errors.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Maximum number of characters of a text that are shown.
        const SHOWN: usize = 40;
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(number) => write!(f, "{number}"),
            Json::Text(text) if text.chars().count() > SHOWN => {
                write!(f, "{:?}...", text.chars().take(SHOWN).collect::<String>())
            }
            Json::Text(text) => write!(f, "{text:?}"),
            Json::List(values) => write!(f, "a list of {}", values.len()),
            Json::Object(_) => f.write_str("an object"),
        }
    }
}

/// Maximum number of values in a document. The code of a program is one value.
const MOST_VALUES: usize = 1 << 20;

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        Any(&Cell::new(0)).deserialize(deserializer)
    }
}

/// Deserialises any value, and counts the values of the document in the cell.
#[derive(Clone, Copy)]
struct Any<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Any<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.0.set(self.0.get() + 1);
        if self.0.get() > MOST_VALUES {
            return Err(de::Error::custom(format!("expected at most {MOST_VALUES} values")));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        let number = serde_json::Number::from_f64(value);
        number.map(Json::Number).ok_or_else(|| E::custom("expected a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        let mut known = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(self)?;
            if !known.insert(key.clone()) {
                let key = Json::Text(key);
                return Err(de::Error::custom(format!("the field {key} stands twice")));
            }
            entries.push((key, value));
        }
        Ok(Json::Object(entries))
    }
}

/// The path of a value in its document.
#[derive(Clone, Copy)]
enum JsonPath<'a> {
    Root,
    Field(&'a JsonPath<'a>, &'a str),
    Element(&'a JsonPath<'a>, usize),
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonPath::Root => Ok(()),
            JsonPath::Field(JsonPath::Root, name) => f.write_str(name),
            JsonPath::Field(outer, name) => write!(f, "{outer}.{name}"),
            JsonPath::Element(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}

/// A value with its path. `json` is `None` if the document has no value at the path.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    json: Option<&'a Json>,
    path: JsonPath<'a>,
    /// Whether the object has a `kind` field, which [`Node::kind`] has already read.
    tagged: bool,
}

/// A type that can be read from JSON.
pub(crate) trait Read: Sized {
    fn read(node: Node<'_>) -> Result<Self, MetadataError>;
}

/// The field of an object that determines its other fields.
const KIND: &str = "kind";

impl<'a> Node<'a> {
    /// The root of a document.
    pub(crate) fn root(json: &'a Json) -> Node<'a> {
        Node { json: Some(json), path: JsonPath::Root, tagged: false }
    }

    /// The error that this value is not what was expected.
    pub(crate) fn expected(&self, what: impl fmt::Display) -> MetadataError {
        let found = self.json.map_or_else(|| "nothing".to_owned(), Json::to_string);
        self.instead(what, found)
    }

    /// The error that `expected` was expected here, and `found` was found.
    fn instead(&self, expected: impl fmt::Display, found: String) -> MetadataError {
        let path = self.path.to_string();
        MetadataError::Shape { path, expected: expected.to_string(), found }
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.json.is_none()
    }

    /// The fields of an object, in the order of `names`; nodes without a value for fields that are
    /// missing. Fails if this is not an object, or has other fields.
    pub(crate) fn fields<const N: usize>(
        &'a self,
        names: [&'static str; N],
    ) -> Result<[Node<'a>; N], MetadataError> {
        let Some(Json::Object(entries)) = self.json else {
            return Err(self.expected("an object"));
        };
        let known = |name: &str| names.contains(&name) || self.tagged && name == KIND;
        if let Some((name, _)) = entries.iter().find(|(name, _)| !known(name)) {
            let expected = match N {
                0 => "no further field".to_owned(),
                _ => format!("no field but {}", listed(&names)),
            };
            let found = Json::Text(name.clone());
            return Err(self.instead(expected, format!("the field {found}")));
        }
        Ok(names.map(|name| Node {
            json: find(entries, name),
            path: JsonPath::Field(&self.path, name),
            tagged: false,
        }))
    }

    /// The `kind` of an object, which must be one of `kinds`, and a node for reading its other
    /// fields.
    pub(crate) fn kind(
        &self,
        kinds: &[&'static str],
    ) -> Result<(&'static str, Node<'a>), MetadataError> {
        let Some(Json::Object(entries)) = self.json else {
            return Err(self.expected("an object with a `kind`"));
        };
        let node = Node {
            json: find(entries, KIND),
            path: JsonPath::Field(&self.path, KIND),
            tagged: false,
        };
        let found = match node.json {
            Some(Json::Text(text)) => kinds.iter().find(|kind| *kind == text),
            _ => None,
        };
        let kind = found.ok_or_else(|| node.expected(format!("one of {}", listed(kinds))))?;
        Ok((kind, Node { tagged: true, ..*self }))
    }

    /// The elements of a list.
    fn list(&'a self) -> Result<impl ExactSizeIterator<Item = Node<'a>>, MetadataError> {
        let Some(Json::List(values)) = self.json else {
            return Err(self.expected("a list"));
        };
        let path = &self.path;
        Ok(values.iter().enumerate().map(move |(index, value)| Node {
            json: Some(value),
            path: JsonPath::Element(path, index),
            tagged: false,
        }))
    }

    pub(crate) fn text(&self) -> Result<&'a str, MetadataError> {
        match self.json {
            Some(Json::Text(text)) => Ok(text),
            _ => Err(self.expected("a text")),
        }
    }

    /// The bytes of a hex text.
    pub(crate) fn hex(&self) -> Result<Vec<u8>, MetadataError> {
        let Some(Json::Text(text)) = self.json else {
            return Err(self.expected("bytes as hexadecimal text"));
        };
        crate::container::parse_hex(text)
            .map_err(|error| self.instead("bytes as hexadecimal text", error.to_string()))
    }

    /// A value that is one of several words in JSON, read with serde. The error lists the words.
    pub(crate) fn word<T: for<'de> Deserialize<'de>>(&self) -> Result<T, MetadataError> {
        let words = |error: &WordError| match error.0 {
            [] => "a known word".to_owned(),
            words => format!("one of {}", listed(words)),
        };
        let read = |text| T::deserialize(de::value::StrDeserializer::new(text));
        match self.json {
            Some(Json::Text(text)) => read(text).map_err(|error| self.expected(words(&error))),
            // Deserialise an invalid word for the error, which lists the words.
            _ => match read("") {
                Err(error) => Err(self.expected(words(&error))),
                Ok(value) => Ok(value),
            },
        }
    }
}

/// The names in quotes, separated by commas.
fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Serde's error for a text that is not one of the words of a type. Contains the words.
#[derive(Debug)]
struct WordError(&'static [&'static str]);

impl fmt::Display for WordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an unknown word")
    }
}

impl std::error::Error for WordError {}

impl de::Error for WordError {
    fn custom<T: fmt::Display>(_: T) -> WordError {
        WordError(&[])
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> WordError {
        WordError(expected)
    }
}

impl Read for bool {
    fn read(node: Node<'_>) -> Result<bool, MetadataError> {
        match node.json {
            Some(Json::Bool(value)) => Ok(*value),
            _ => Err(node.expected("true or false")),
        }
    }
}

impl Read for String {
    fn read(node: Node<'_>) -> Result<String, MetadataError> {
        node.text().map(str::to_owned)
    }
}

macro_rules! whole_numbers {
    ($($ty:ty),*) => {$(
        impl Read for $ty {
            fn read(node: Node<'_>) -> Result<$ty, MetadataError> {
                let whole = match node.json {
                    Some(Json::Number(number)) => number
                        .as_u64()
                        .and_then(|value| <$ty>::try_from(value).ok())
                        .or_else(|| <$ty>::try_from(number.as_i64()?).ok()),
                    _ => None,
                };
                let (least, most) = (<$ty>::MIN, <$ty>::MAX);
                whole.ok_or_else(|| node.expected(format!("a whole number from {least} to {most}")))
            }
        }
    )*};
}

whole_numbers!(u8, u32, u64, i32);

/// A missing value and null are `None`.
impl<T: Read> Read for Option<T> {
    fn read(node: Node<'_>) -> Result<Option<T>, MetadataError> {
        match node.json {
            None | Some(Json::Null) => Ok(None),
            Some(_) => T::read(node).map(Some),
        }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(node: Node<'_>) -> Result<Vec<T>, MetadataError> {
        node.list()?.map(T::read).collect()
    }
}

impl<T: Read, const N: usize> Read for [T; N] {
    fn read(node: Node<'_>) -> Result<[T; N], MetadataError> {
        let values: Vec<T> = node.list()?.map(T::read).collect::<Result<_, _>>()?;
        values.try_into().map_err(|_| node.expected(format!("a list of {N}")))
    }
}

/// Reads one field of a record. The word after the field's colon selects the way: see [`record!`].
macro_rules! read_field {
    ($node:ident) => {
        $crate::json::Read::read($node)?
    };
    ($node:ident default) => {
        if $node.is_missing() { Default::default() } else { $crate::json::Read::read($node)? }
    };
    ($node:ident hex) => {
        $node.hex()?
    };
}

/// `record! { Type { field, field: default, field: hex } }`: implements [`Read`] for a type from an
/// object with these fields. A `default` field may be missing; a `hex` field contains bytes as hex
/// text.
macro_rules! record {
    ($($name:ident { $($field:ident $(: $how:ident)?),* $(,)? })*) => {$(
        impl $crate::json::Read for $name {
            fn read(node: $crate::json::Node<'_>) -> Result<$name, $crate::MetadataError> {
                let [$($field),*] = node.fields([$(stringify!($field)),*])?;
                Ok($name { $($field: $crate::json::read_field!($field $($how)?)),* })
            }
        }
    )*};
}

/// `tagged! { Type { kind => Variant { field, ... }, kind => Variant(Record) } }`: implements
/// [`Read`] for an enumeration from an object; its field `kind` selects the variant.
macro_rules! tagged {
    (@read $node:ident, $name:ident, $variant:ident) => {{
        let [] = $node.fields([])?;
        Ok($name::$variant)
    }};
    (@read $node:ident, $name:ident, $variant:ident { $($field:ident $(: $how:ident)?),* }) => {{
        let [$($field),*] = $node.fields([$(stringify!($field)),*])?;
        Ok($name::$variant { $($field: $crate::json::read_field!($field $($how)?)),* })
    }};
    (@read $node:ident, $name:ident, $variant:ident ($record:ty)) => {
        <$record as $crate::json::Read>::read($node).map($name::$variant)
    };
    ($name:ident { $($kind:ident => $variant:ident $({ $($fields:tt)* })? $(($record:ty))?),* $(,)? }) => {
        impl $crate::json::Read for $name {
            fn read(node: $crate::json::Node<'_>) -> Result<$name, $crate::MetadataError> {
                let (kind, node) = node.kind(&[$(stringify!($kind)),*])?;
                $(if kind == stringify!($kind) {
                    return $crate::json::tagged!(@read node, $name, $variant $({ $($fields)* })? $(($record))?);
                })*
                Err(node.expected("a known kind"))
            }
        }
    };
}

/// `words! { Type, Type }`: implements [`Read`] for enumerations that are one word in JSON, which
/// their serde attributes define.
macro_rules! words {
    ($($name:ident),* $(,)?) => {$(
        impl $crate::json::Read for $name {
            fn read(node: $crate::json::Node<'_>) -> Result<$name, $crate::MetadataError> {
                node.word()
            }
        }
    )*};
}

pub(crate) use {read_field, record, tagged, words};
