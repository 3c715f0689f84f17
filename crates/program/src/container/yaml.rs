//! Parses YAML to a tree whose nodes have lines and columns. `saphyr-parser` parses the text to
//! events. This module limits the depth, and refuses anchors and tags: with them a small text could
//! become a large tree.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::ContainerError;

/// Maximum depth of nested lists and maps; `.ze_info` needs five levels.
const MAX_DEPTH: usize = 32;

/// A value of a YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The value.
    pub value: Value,
}

/// The value of a [`Node`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The text of a scalar, and whether it was quoted. A quoted scalar is always a string.
    Scalar(String, bool),
    /// A list.
    List(Vec<Node>),
    /// A map in the order of the text.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The value of a key; `None` if this is not a map or does not have the key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// An error at this node.
    pub(super) fn error(&self, expected: &str) -> ContainerError {
        let found = match &self.value {
            Value::Scalar(text, _) => format!("{text:?}"),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a map".to_owned(),
        };
        error(self.line, self.column, format!("expected {expected}, found {found}"))
    }

    /// The entries of a list.
    pub(super) fn list(&self) -> Result<&[Node], ContainerError> {
        match &self.value {
            Value::List(nodes) => Ok(nodes),
            _ => Err(self.error("a list")),
        }
    }

    /// The text of a scalar.
    pub(super) fn text(&self) -> Result<&str, ContainerError> {
        match &self.value {
            Value::Scalar(text, _) => Ok(text),
            _ => Err(self.error("a string")),
        }
    }

    /// The number of a scalar.
    pub(super) fn number(&self) -> Result<u32, ContainerError> {
        self.text()?.parse().map_err(|_| self.error("a number of 32 bits"))
    }

    /// Converts the tree to JSON. Unquoted scalars become numbers, booleans or null if their text
    /// is one.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Scalar(text, true) => text.clone().into(),
            Value::Scalar(text, false) => match text.as_str() {
                "true" => true.into(),
                "false" => false.into(),
                "" | "~" | "null" => Json::Null,
                _ => text.parse::<i64>().map_or_else(|_| text.clone().into(), Json::from),
            },
            Value::List(nodes) => nodes.iter().map(Node::to_json).collect(),
            Value::Map(entries) => {
                Json::Object(entries.iter().map(|(key, n)| (key.clone(), n.to_json())).collect())
            }
        }
    }
}

fn error(line: usize, column: usize, message: String) -> ContainerError {
    ContainerError::ZeInfo { line, column, message }
}

fn at(span: Span, message: &str) -> ContainerError {
    error(span.start.line(), span.start.col() + 1, message.to_owned())
}

/// A list or map whose end has not been read yet.
struct Open {
    node: Node,
    /// For a map, the key whose value has not been read yet.
    key: Option<String>,
}

/// Parses the first document of a text.
pub(super) fn parse(text: &str) -> Result<Node, ContainerError> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|scan| {
            let place = scan.marker();
            error(place.line(), place.col() + 1, scan.info().to_owned())
        })?;
        let node = |value| Node { line: span.start.line(), column: span.start.col() + 1, value };
        let complete = match event {
            Event::Alias(_)
            | Event::Scalar(_, _, 1.., _)
            | Event::SequenceStart(1.., _)
            | Event::MappingStart(1.., _) => return Err(at(span, "anchors are not supported")),
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => return Err(at(span, "tags are not supported")),
            Event::Scalar(text, style, ..) => {
                node(Value::Scalar(text.into_owned(), style != ScalarStyle::Plain))
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == MAX_DEPTH => {
                return Err(at(span, "lists and maps are nested too deeply"));
            }
            Event::SequenceStart(..) => {
                open.push(Open { node: node(Value::List(Vec::new())), key: None });
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open { node: node(Value::Map(Vec::new())), key: None });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(done) => done.node,
                None => return Err(at(span, "a list or map ends that did not start")),
            },
            _ => continue,
        };
        let Some(outer) = open.last_mut() else { return Ok(complete) };
        match (&mut outer.node.value, outer.key.take()) {
            (Value::List(nodes), _) => nodes.push(complete),
            (Value::Map(entries), Some(key)) => entries.push((key, complete)),
            (Value::Map(_), None) => outer.key = Some(complete.text()?.to_owned()),
            (Value::Scalar(..), _) => return Err(at(span, "a scalar cannot contain values")),
        }
    }
    Err(error(1, 1, "expected a document, found none".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_keeps_order_places_and_quotes() {
        let tree = parse("---\nversion: '1.2'\nlist:\n  - a: 1\n    b: true\n  - x\n...\n");
        let tree = tree.expect("parses");
        let expected = serde_json::json!({"version": "1.2", "list": [{"a": 1, "b": true}, "x"]});
        assert_eq!(tree.to_json(), expected);
        let list = tree.get("list").expect("has the key").list().expect("is a list");
        assert_eq!((list[1].line, list[1].column), (6, 5));
        let message = list[1].number().unwrap_err().to_string();
        assert_eq!(message, ".ze_info, line 6 column 5: expected a number of 32 bits, found \"x\"");
    }

    #[test]
    fn hostile_text_is_refused_with_its_place() {
        for (text, expected) in [
            ("", "line 1 column 1: expected a document, found none"),
            ("a: &x 1\nb: *x", "line 1 column 4: anchors are not supported"),
            ("- !tag x", "line 1 column 3: tags are not supported"),
            (&"[".repeat(100), "line 1 column 33: lists and maps are nested too deeply"),
            (&"[".repeat(100_000), "line 1 column 256: recursion limit exceeded"),
            ("a: b: c", "line 1 column 5: "),
            ("[a]: b", "line 1 column 1: expected a string, found a list"),
        ] {
            let message = parse(text).expect_err("is refused").to_string();
            assert!(
                message.starts_with(&format!(".ze_info, {expected}")),
                "{message:?} {expected}"
            );
        }
    }
}
