//! Functions that tests of several crates share.
//!
//! Random numbers come from `fastrand` with a fixed seed, so that each run of a test does the same.

pub mod damage;
pub mod fossilize;
pub mod golden;
pub mod hostile;
pub mod pipelines;

/// The number in an environment variable, with which a developer can run more rounds of a test; `usual` if the variable
/// is not set or is not a number.
pub fn rounds(variable: &str, usual: usize) -> usize {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The environment variable with the number of damaged inputs that a test tries.
pub const MUTATIONS: &str = "CRESTLINE_MUTATIONS";
