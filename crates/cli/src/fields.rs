//! `crestline fields`: the bit fields of an instruction with their names.

use std::fmt::Write;
use std::path::Path;

use crestline_isa::codec::{FieldBits, explain_inst, explain_message};
use crestline_isa::message::DescriptorField;
use crestline_isa::text::{Syntax, print_bytes, print_inst};
use crestline_isa::{Gen, Inst};
use serde_json::{Value, json};

use crate::args;
use crate::code::Undecoded;
use crate::error::{Code, Failure, Origin};
use crate::files::Limit;
use crate::{code, files};

/// A field and its meaning.
struct Row {
    /// Bit ranges `hi:lo` of the full instruction, joined by `+`.
    bits: String,
    field: FieldBits,
    meaning: String,
}

/// Runs the command.
pub(crate) fn command(arguments: &args::Fields) -> Result<(), Failure> {
    let input = &arguments.input;
    let generation = input.target.generation();
    let bytes = files::read(&input.file, Limit::CODE)?;
    let file = files::shown(&input.file);
    let mut text = String::new();
    let mut documents = Vec::new();
    let mut found = false;
    let mut undecoded = Undecoded::default();
    for kernel in &code::of_input(&bytes, input)? {
        for (place, inst) in code::decode(kernel, generation) {
            let offset = place.start;
            if arguments.at.is_some_and(|at| at != offset) {
                continue;
            }
            found = true;
            let inst = match inst {
                Ok(inst) => inst,
                Err(error) => {
                    undecoded.add(1, Some(&error), false, |error| {
                        code::kernel_failure(error, kernel, &input.file)
                    })?;
                    if input.json {
                        documents.push(code::undecoded_row(kernel, &place, &error));
                    } else {
                        let line = print_bytes(&kernel.code[place], &error);
                        text.push_str(if text.is_empty() { "" } else { "\n" });
                        text.push_str(&format!("{offset:#06x}:\n    {line}\n"));
                    }
                    continue;
                }
            };
            let rows = rows(&inst, generation).map_err(|error| {
                let message = format!("byte {offset:#x}: {error}");
                Failure::new(Code::Decode, message).at(Origin::file(&file))
            })?;
            let message = explain_message(&inst, generation);
            let shown = print_inst(&inst, generation, Syntax::Mesa);
            if input.json {
                documents.push(json!({
                    "kernel": kernel.name,
                    "offset": offset,
                    "compacted": inst.compacted,
                    "text": shown,
                    "fields": rows.iter().map(document).collect::<Vec<_>>(),
                    "message": message.iter().map(message_document).collect::<Vec<_>>(),
                }));
            } else {
                text.push_str(if text.is_empty() { "" } else { "\n" });
                text.push_str(&table(offset, &inst, &shown, &rows));
                text.push_str(&message_table(&message));
            }
        }
    }
    if let Some(at) = arguments.at.filter(|_| !found) {
        let message = format!("no instruction starts at byte {at:#x}");
        return Err(Failure::new(Code::Decode, message).at(Origin::file(file)));
    }
    if input.json {
        files::write_json(
            "fields",
            json!({
                "target": input.target.name(),
                "generation": generation.name(),
                "instructions": documents,
            }),
        )?;
    } else {
        files::write(Path::new("-"), text.as_bytes())?;
    }
    undecoded.result()
}

/// The fields of an instruction in its full form, in the order of their bits.
fn rows(inst: &Inst, generation: Gen) -> Result<Vec<Row>, crestline_isa::CodecError> {
    let row = |(field, meaning): (FieldBits, String)| {
        let bits = field.ranges.iter().copied().map(range).collect::<Vec<_>>().join("+");
        Row { bits, field, meaning }
    };
    Ok(explain_inst(inst, generation)?.into_iter().map(row).collect())
}

fn range((hi, lo): (u32, u32)) -> String {
    if hi == lo { hi.to_string() } else { format!("{hi}:{lo}") }
}

/// The fields of a message as lines of text.
fn message_table(fields: &[DescriptorField]) -> String {
    let mut text = String::new();
    let width = fields.iter().map(|field| field.name.len()).max().unwrap_or(0);
    for field in fields {
        let bits = format!("{} {}", field.word.name(), range((field.hi, field.lo)));
        let line =
            format!("{bits:>13}  {:<width$}  {:#x}  {}", field.name, field.value, field.meaning);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A descriptor field as JSON.
fn message_document(field: &DescriptorField) -> Value {
    json!({
        "word": field.word.name(),
        "name": field.name,
        "bits": [field.hi, field.lo],
        "value": field.value,
        "meaning": field.meaning,
    })
}

/// The fields of an instruction as lines of text, after the line with its assembly.
fn table(offset: usize, inst: &Inst, shown: &str, rows: &[Row]) -> String {
    let form = if inst.compacted { ", expanded from its compacted form" } else { "" };
    let mut text = format!("{offset:#06x}{form}:\n    {shown}\n");
    let width = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (bits, name) = (width(|row| row.bits.len()), width(|row| row.field.name.len()));
    let values: Vec<String> = rows
        .iter()
        .map(|row| {
            if row.field.name.is_empty() {
                String::new()
            } else {
                format!("{:#x}", row.field.value)
            }
        })
        .collect();
    let value = values.iter().map(String::len).max().unwrap_or(0);
    for (row, shown) in rows.iter().zip(values) {
        let line = format!(
            "{:>bits$}  {:<name$}  {shown:>value$}  {}",
            row.bits, row.field.name, row.meaning
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A field of the encoding as JSON.
fn document(row: &Row) -> Value {
    json!({
        "name": row.field.name,
        "bits": row.field.ranges.iter().map(|(hi, lo)| json!([hi, lo])).collect::<Vec<_>>(),
        "value": row.field.value,
        "meaning": row.meaning,
    })
}
