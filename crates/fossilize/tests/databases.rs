//! Reads databases that a writer of the tests makes, whole and damaged.

use std::io::Cursor;

use crestline_fossilize::{Database, FozError, Kind, Pipeline, Stage, StageKind};
use crestline_testing::fossilize::{Form, Writer, stage, tag};
use crestline_testing::{MUTATIONS, damage, rounds};
use serde_json::json;

const FORMS: [Form; 3] = [Form::Stored, Form::Deflated, Form::Unchecked];

/// Words of each size as varint.
const WORDS: [u32; 8] = [0x0723_0203, 0, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 28, u32::MAX];

fn open(bytes: &[u8]) -> Result<Database<Cursor<&[u8]>>, FozError> {
    Database::read(Cursor::new(bytes))
}

fn example(form: Form) -> Vec<u8> {
    let mut writer = Writer::new(form);
    writer.entry(0, 1, br#"{"version":6,"applicationInfo":{}}"#);
    writer.module(0x10, &WORDS);
    writer.module(0xfedc_ba98_7654_3210, &[]);
    writer.compute(0x20, &stage(0x20, "main", 0x10, &[(0, 7), (3, u32::MAX)]));
    writer.graphics(
        0x30,
        &[
            stage(0x1, "vs", 0x10, &[]),
            stage(0x10, "ps", 0x10, &[(1, 1)]),
            stage(0x80, "ms", 0, &[]),
        ],
    );
    writer.finish()
}

#[test]
fn modules_and_pipelines_are_read_as_they_were_written() {
    for form in FORMS {
        let bytes = example(form);
        let mut database = open(&bytes).unwrap();
        assert!(!database.is_truncated());
        assert_eq!(database.modules().collect::<Vec<_>>(), [0x10, 0xfedc_ba98_7654_3210]);
        assert_eq!(database.module(0x10).unwrap(), WORDS);
        assert_eq!(database.module(0xfedc_ba98_7654_3210).unwrap(), [0; 0]);
        assert_eq!(database.pipelines(Kind::Compute).collect::<Vec<_>>(), [0x20]);
        let of = |kind, entry: &str, module, constants: &[(u32, u64)]| Stage {
            kind,
            entry: entry.to_owned(),
            module,
            specialization: constants.to_vec(),
        };
        let compute = of(StageKind::Compute, "main", 0x10, &[(0, 7), (3, u32::MAX.into())]);
        let expected = Pipeline { kind: Kind::Compute, hash: 0x20, stages: vec![compute] };
        assert_eq!(database.pipeline(Kind::Compute, 0x20).unwrap(), expected);
        let stages = vec![
            of(StageKind::Vertex, "vs", 0x10, &[]),
            of(StageKind::Fragment, "ps", 0x10, &[(1, 1)]),
            of(StageKind::Other(0x80), "ms", 0, &[]),
        ];
        let expected = Pipeline { kind: Kind::Graphics, hash: 0x30, stages };
        assert_eq!(database.pipeline(Kind::Graphics, 0x30).unwrap(), expected);
    }
}

#[test]
fn a_last_entry_that_is_cut_off_is_left_out() {
    let whole = example(Form::Stored);
    let mut short = Writer::new(Form::Stored);
    short.entry(0, 1, br#"{"version":6,"applicationInfo":{}}"#);
    short.module(0x10, &WORDS);
    let first = short.finish().len();
    for cut in [1, 55, 56, 60] {
        let database = open(&whole[..first + cut]).unwrap();
        assert!(database.is_truncated());
        assert_eq!(database.modules().collect::<Vec<_>>(), [0x10]);
    }
    assert!(!open(&whole[..first]).unwrap().is_truncated());
    assert!(matches!(open(&whole[..15]), Err(FozError::Magic)));
}

#[test]
fn older_modules_are_in_base64() {
    let mut writer = Writer::new(Form::Deflated);
    let module = |code: &str, size: u64| json!({ "flags": 0, "code": code, "codeSize": size });
    let entry = |name: &str, module| {
        json!({ "version": 5, "shaderModules": { name: module } }).to_string().into_bytes()
    };
    writer.entry(tag::MODULE, 1, &entry("1", module("AwIjBwAAAQA=", 8)));
    writer.entry(tag::MODULE, 2, &entry("2", module("AwIjBwAAAQA=", 12)));
    writer.entry(tag::MODULE, 3, &entry("3", module("!", 4)));
    let bytes = writer.finish();
    let mut database = open(&bytes).unwrap();
    assert_eq!(database.module(1).unwrap(), [0x0723_0203, 0x0001_0000]);
    for hash in [2, 3] {
        let error = database.module(hash).unwrap_err();
        assert!(error.to_string().contains("expected SPIR-V of"), "{error}");
    }
}

#[test]
fn what_is_wrong_is_an_error() {
    let head = |version: u8| [&b"\x81FOSSILIZEDB\0\0\0"[..], &[version]].concat();
    assert!(matches!(open(&head(4)), Err(FozError::Version { found: 4 })));
    assert!(matches!(open(&head(7)), Err(FozError::Version { found: 7 })));
    assert!(matches!(open(b"PK\x03\x04 something else"), Err(FozError::Magic)));
    assert!(open(&head(5)).is_ok());
    let whole = example(Form::Stored);
    let mut bytes = whole.clone();
    bytes[16] = b'x';
    assert!(matches!(open(&bytes), Err(FozError::Name { offset: 16 })));
    // The flags, the checksum and the size of the first entry, in a database whose only entry is a module.
    let mut writer = Writer::new(Form::Deflated);
    writer.module(9, &WORDS);
    let module = writer.finish();
    let changed = |at: usize, value: u32| {
        let mut bytes = module.clone();
        bytes[16 + 40 + at..][..4].copy_from_slice(&value.to_le_bytes());
        open(&bytes).unwrap().module(9).unwrap_err()
    };
    assert!(matches!(changed(4, 3), FozError::Flags { hash: 9, flags: 3 }));
    assert!(matches!(changed(8, 1), FozError::Checksum { hash: 9, expected: 1, .. }));
    assert!(matches!(changed(12, 100), FozError::Deflate { hash: 9, bytes: 100 }));
    assert!(matches!(changed(12, 1 << 30), FozError::Size { hash: 9, .. }));
    let mut database = open(&whole).unwrap();
    assert!(matches!(database.module(5), Err(FozError::Missing { hash: 5, .. })));
}

#[test]
fn wrong_payloads_are_errors() {
    let hash = 0x20;
    let compute = |stage: serde_json::Value| {
        let mut writer = Writer::new(Form::Stored);
        writer.compute(hash, &stage);
        let bytes = writer.finish();
        let mut database = open(&bytes).unwrap();
        database.pipeline(Kind::Compute, hash)
    };
    let good = stage(0x20, "main", 1, &[(0, 5)]);
    assert!(compute(good.clone()).is_ok());
    let with = |pointer: &str, value: serde_json::Value| {
        let mut stage = good.clone();
        *stage.pointer_mut(pointer).unwrap() = value;
        compute(stage).unwrap_err().to_string()
    };
    let entry = "/specializationInfo/mapEntries/0";
    for (pointer, value, expected) in [
        ("/module".to_owned(), json!("xyz"), "the module `xyz` is no hash"),
        ("/module".to_owned(), json!(7), "invalid type"),
        (format!("{entry}/offset"), json!(1), "4 bytes at 1 of 4 bytes"),
        (format!("{entry}/offset"), json!(u64::MAX), "of 4 bytes"),
        (format!("{entry}/size"), json!(0), "0 bytes at 0"),
        (format!("{entry}/size"), json!(u64::MAX), "of 4 bytes"),
        ("/specializationInfo/dataSize".to_owned(), json!(5), "the database says 5"),
        ("/specializationInfo/data".to_owned(), json!("A"), "specialization data"),
    ] {
        let error = with(&pointer, value);
        assert!(error.contains(expected), "{pointer}: {error}");
    }
    let module = |json: serde_json::Value| {
        let mut writer = Writer::new(Form::Stored);
        let mut payload = json.to_string().into_bytes();
        payload.extend([0, 1, 2, 3]);
        writer.entry(tag::MODULE, 1, &payload);
        let bytes = writer.finish();
        let mut database = open(&bytes).unwrap();
        database.module(1).map_err(|error| error.to_string())
    };
    let of = |offset: u64, size: u64, code: u64| {
        module(json!({ "version": 6, "shaderModules": {
            "1": { "varintOffset": offset, "varintSize": size, "codeSize": code } } }))
    };
    assert_eq!(of(0, 3, 12), Ok(vec![1, 2, 3]));
    assert_eq!(of(1, 2, 8), Ok(vec![2, 3]));
    for (offset, size, code) in
        [(0, 3, 8), (0, 3, 16), (0, 4, 16), (2, u64::MAX, 8), (0, 3, u64::MAX - 3), (0, 3, 10)]
    {
        assert!(of(offset, size, code).is_err(), "{offset} {size} {code}");
    }
    assert!(
        module(json!({ "version": 9, "shaderModules": {} })).unwrap_err().contains("version 9")
    );
    assert!(
        module(json!({ "version": 6, "shaderModules": {} })).unwrap_err().contains("of its hash")
    );
    // Deep nesting, where it is skipped and where it is parsed.
    for json in ["{\"version\":6,\"x\":", "{\"version\":6,\"shaderModules\":{\"1\":"] {
        let mut writer = Writer::new(Form::Deflated);
        writer.entry(tag::MODULE, 1, (json.to_owned() + &"[".repeat(1_000_000)).as_bytes());
        let bytes = writer.finish();
        assert!(matches!(open(&bytes).unwrap().module(1), Err(FozError::Entry { .. })));
    }
}

/// A megabyte of zeros inflates to a gigabyte, but the database does not say so.
#[test]
fn a_payload_does_not_inflate_beyond_its_size() {
    let mut writer = Writer::new(Form::Deflated);
    writer.entry(tag::MODULE, 1, &vec![b' '; 32 << 20]);
    let mut bytes = writer.finish();
    bytes[16 + 52..][..4].copy_from_slice(&1000_u32.to_le_bytes());
    let error = open(&bytes).unwrap().module(1).unwrap_err();
    assert!(matches!(error, FozError::Deflate { bytes: 1000, .. }), "{error}");
}

#[test]
fn damaged_databases_give_values_or_errors() {
    let mut random = fastrand::Rng::with_seed(21);
    let mut errors = 0;
    for round in 0..rounds(MUTATIONS, 3000) {
        // Without checksums the damage reaches the parsers of payloads.
        let mut bytes = example([Form::Unchecked, Form::Stored, Form::Deflated][round % 3]);
        let count = random.usize(1..4);
        damage::flip_bits(&mut bytes, count, &mut random);
        let Ok(mut database) = open(&bytes) else {
            errors += 1;
            continue;
        };
        for hash in database.modules().collect::<Vec<_>>() {
            errors += usize::from(database.module(hash).is_err());
        }
        for kind in Kind::ALL {
            for hash in database.pipelines(kind).collect::<Vec<_>>() {
                errors += usize::from(database.pipeline(kind, hash).is_err());
            }
        }
    }
    assert!(errors > 100, "{errors} errors");
}
