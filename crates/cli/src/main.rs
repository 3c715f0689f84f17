//! The `crestline` command line.

fn main() {}
