//! Error states of the i915 driver: they are refused with a line, or give a report for every generation.

#![no_main]

use crestline_device::{Gen, Platform};
use crestline_hang::{Dump, DumpError, Report};
use libfuzzer_sys::fuzz_target;

/// The most bytes of all buffers.
const LIMIT: usize = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let dump = match Dump::read_with_limit(data, LIMIT) {
        Ok(dump) => dump,
        Err(error) => {
            let lines = data.split(|&byte| byte == b'\n').count();
            assert!(error.line().is_none_or(|line| (1..=lines).contains(&line)), "{error}");
            return;
        }
    };
    let bytes: usize = dump.buffers.iter().map(|buffer| buffer.bytes.len()).sum();
    assert!(bytes <= LIMIT, "{bytes} bytes");
    for generation in Gen::ALL {
        match Report::new(&dump, Platform::of_generation(generation)) {
            Ok(report) => {
                let marks =
                    report.rings.iter().map(|ring| ring.packets.iter().filter(|p| p.here).count());
                assert!(marks.into_iter().all(|count| count <= 1));
                assert!(!report.to_string().is_empty());
                assert!(report.kernels.iter().all(|kernel| !kernel.to_string().is_empty()));
            }
            Err(DumpError::Unsupported(_) | DumpError::OtherPlatform { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
});
