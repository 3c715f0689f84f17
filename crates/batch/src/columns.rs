//! Result files in Apache Parquet, which data frames and databases read column by column.

use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::row::{Row, SCHEMA, VERSION};

/// Rows of a row group, which is the unit in which a reader takes memory.
const GROUP_ROWS: usize = 100_000;

/// The values of a column.
enum Column {
    Text(fn(&Row) -> &str),
    /// A text that rows may not have.
    Optional(fn(&Row) -> Option<&str>),
    Number(fn(&Row) -> u64),
}

/// The columns, named as the fields of [`Row`].
const COLUMNS: &[(&str, Column)] = &[
    ("module", Column::Text(|row| &row.module)),
    ("entry", Column::Text(|row| &row.entry)),
    ("stage", Column::Text(|row| &row.stage)),
    ("target", Column::Text(|row| &row.target)),
    ("asked", Column::Text(|row| &row.asked)),
    ("simd_width", Column::Number(|row| row.simd_width.into())),
    ("hash", Column::Text(|row| &row.hash)),
    ("outcome", Column::Text(|row| row.outcome.name())),
    ("error", Column::Optional(|row| row.error.as_deref())),
    ("message", Column::Optional(|row| row.message.as_deref())),
    ("instructions", Column::Number(|row| row.instructions.into())),
    ("bytes", Column::Number(|row| row.bytes)),
    ("sends", Column::Number(|row| row.sends.into())),
    ("loops", Column::Number(|row| row.loops.into())),
    ("spills", Column::Number(|row| row.spills.into())),
    ("fills", Column::Number(|row| row.fills.into())),
    ("registers", Column::Number(|row| row.registers.into())),
    ("cycles", Column::Number(|row| row.cycles)),
];

/// The rows as a Parquet file: texts as `STRING`, numbers as `INT64`. The file's key-value metadata have `schema`, `version` and `tool`
/// as the first line of a `.jsonl` file has them.
///
/// # Errors
///
/// The library gives an error.
pub fn to_parquet(rows: &[Row], tool: &str) -> Result<Vec<u8>, ParquetError> {
    let fields = COLUMNS.iter().map(|(name, column)| match column {
        Column::Text(_) => format!("REQUIRED BYTE_ARRAY {name} (STRING);"),
        Column::Optional(_) => format!("OPTIONAL BYTE_ARRAY {name} (STRING);"),
        Column::Number(_) => format!("REQUIRED INT64 {name};"),
    });
    let message = format!("message rows {{ {} }}", fields.collect::<Vec<_>>().join(" "));
    let pair = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let properties = WriterProperties::builder()
        .set_created_by(tool.to_owned())
        .set_key_value_metadata(Some(vec![
            pair("schema", SCHEMA.to_owned()),
            pair("version", VERSION.to_string()),
            pair("tool", tool.to_owned()),
        ]))
        .build();
    let schema = Arc::new(parse_message_type(&message)?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    for rows in rows.chunks(GROUP_ROWS) {
        let mut group = writer.next_row_group()?;
        for (_, column) in COLUMNS {
            let Some(mut into) = group.next_column()? else { break };
            let texts = |texts: Vec<&str>| -> Vec<ByteArray> {
                texts.into_iter().map(ByteArray::from).collect()
            };
            match column {
                Column::Text(value) => {
                    let values = texts(rows.iter().map(value).collect());
                    into.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
                Column::Optional(value) => {
                    let levels: Vec<i16> =
                        rows.iter().map(|row| i16::from(value(row).is_some())).collect();
                    let values = texts(rows.iter().filter_map(value).collect());
                    into.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
                }
                Column::Number(value) => {
                    let number = |row| i64::try_from(value(row)).unwrap_or(i64::MAX);
                    let values: Vec<i64> = rows.iter().map(number).collect();
                    into.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
            }
            into.close()?;
        }
        group.close()?;
    }
    writer.into_inner()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;
    use crate::{Outcome, csv};

    #[test]
    fn columns_are_those_of_the_other_form() {
        let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.join(",") + "\n", csv(&[]));
    }

    #[test]
    fn files_are_read_by_the_library() {
        let compiled = Row {
            module: "ä/a.comp".to_owned(),
            entry: "main".to_owned(),
            target: "skl".to_owned(),
            simd_width: 16,
            instructions: 7,
            cycles: u64::MAX,
            ..Row::default()
        };
        let refused = Row { module: "b".to_owned(), ..Row::default() }.without(
            Outcome::Refused,
            Some("E0702"),
            "why",
        );
        let bytes = to_parquet(&[compiled, refused], "tool 1").unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let metadata = reader.metadata().file_metadata();
        assert_eq!((metadata.num_rows(), metadata.created_by()), (2, Some("tool 1")));
        let pairs = metadata.key_value_metadata().unwrap();
        assert!(
            pairs.iter().any(|pair| pair.key == "schema" && pair.value.as_deref() == Some(SCHEMA))
        );
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        let field = |row: usize, name: &str| {
            rows[row].get_column_iter().find(|(found, _)| *found == name).unwrap().1.clone()
        };
        assert_eq!(field(0, "module"), Field::Str("ä/a.comp".to_owned()));
        assert_eq!(field(0, "instructions"), Field::Long(7));
        assert_eq!(field(0, "cycles"), Field::Long(i64::MAX));
        assert_eq!(field(0, "error"), Field::Null);
        assert_eq!(field(0, "outcome"), Field::Str("compiled".to_owned()));
        assert_eq!(field(1, "outcome"), Field::Str("refused".to_owned()));
        assert_eq!(field(1, "message"), Field::Str("why".to_owned()));
        // A file without rows can be read too.
        let empty = SerializedFileReader::new(bytes::Bytes::from(to_parquet(&[], "").unwrap()));
        assert_eq!(empty.unwrap().metadata().file_metadata().num_rows(), 0);
    }
}
