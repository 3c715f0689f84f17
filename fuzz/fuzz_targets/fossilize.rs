//! Fossilize databases: each module and pipeline is read or refused.

#![no_main]

use std::io::Cursor;

use crestline_fossilize::{Database, FozError, Kind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(mut database) = Database::read(Cursor::new(data)) else { return };
    for hash in database.modules().collect::<Vec<_>>() {
        match database.module(hash) {
            Ok(_) => {}
            // The list has it.
            Err(error @ FozError::Missing { .. }) => panic!("{error}"),
            Err(error) => assert!(error.to_string().len() < 4096),
        }
    }
    for kind in Kind::ALL {
        for hash in database.pipelines(kind).collect::<Vec<_>>() {
            match database.pipeline(kind, hash) {
                Ok(pipeline) => assert_eq!((pipeline.kind, pipeline.hash), (kind, hash)),
                Err(error @ FozError::Missing { .. }) => panic!("{error}"),
                Err(error) => assert!(error.to_string().len() < 4096),
            }
        }
    }
});
