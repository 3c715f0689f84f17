//! Metadata: it is read or refused, and what is read survives being written.

#![no_main]

use crestline_program::Metadata;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(metadata) = Metadata::from_json(text) else { return };
    let written = metadata.to_json();
    match Metadata::from_json(&written) {
        Ok(again) => assert_eq!(again, metadata, "{written}"),
        Err(error) => panic!("{error}: {written}"),
    }
});
