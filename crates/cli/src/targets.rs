//! `crestline targets`: the limits and capabilities of each target.

use std::fmt::Write;

use crestline_device::{Device, Platform};

/// The table, one row for each platform.
pub(crate) fn table() -> String {
    let mut text = format!(
        "{:<6} {:<8} {:>8} {:>8} {:>8}  {}\n",
        "target", "gen", "threads", "group", "shared", "capabilities"
    );
    for platform in Platform::ALL {
        let device = Device::new(platform);
        let limits = device.limits();
        let capabilities = [
            ("align16", device.has_align16()),
            ("half", device.has_half_float()),
            ("int64", device.has_64bit_int()),
            ("float64", device.has_64bit_float()),
            ("a64", device.has_a64_messages()),
            ("split-send", device.has_split_send()),
            ("goto", device.has_goto()),
            ("scoreboard", device.has_software_scoreboard()),
        ];
        let named: Vec<&str> =
            capabilities.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<6} {:<8} {:>8} {:>8} {:>8}  {}",
            platform.name(),
            platform.generation().to_string(),
            limits.max_cs_threads,
            limits.max_workgroup_threads,
            limits.max_shared_bytes,
            named.join(" ")
        );
    }
    text.push_str(
        "\nthreads: compute threads of one subslice; group: threads of one workgroup; \
         shared: bytes of shared memory of one workgroup\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_has_a_row() {
        let table = table();
        for platform in Platform::ALL {
            assert!(table.lines().any(|line| line.starts_with(platform.name())), "{platform}");
        }
    }
}
