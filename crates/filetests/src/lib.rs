//! Runs the data tests in `tests/`: one module for each kind of file, one Rust file in this crate's `tests/` for each
//! test command.
//!
//! * [`case`] reads the `//!` directives at the head of a run-test shader,
//! * [`coverage`] compares the parts of SPIR-V that the tests use with those that real modules use,
//! * [`data`] makes buffer contents from descriptions,
//! * [`compare`] compares the results of two engines,
//! * [`corpus`] finds and compiles the shaders of `tests/run/`,
//! * [`engine`] runs them in the interpreter and the emulator,
//! * [`fragment_states`] has the shaders of the test of that name,
//! * [`gen7_text`] compares our text of gen7 code with a judge's,
//! * [`stages`] runs the draw calls of `tests/stages/`,
//! * [`random`], [`random_wide`] and [`random_pointers`] generate random shaders,
//! * [`scripts`] runs scripts with pipelines on lavapipe,
//! * [`subgroups`] generates programs with subgroup operations, and has a model of them,
//! * [`transplant`] makes shaders of other stages of the shaders of `tests/run/`.

pub mod case;
pub mod compare;
pub mod corpus;
pub mod coverage;
pub mod data;
pub mod engine;
pub mod fragment_states;
pub mod gen7_text;
pub mod messages;
pub mod opaque;
pub mod pack;
pub mod random;
pub mod random_fragments;
pub mod random_pipelines;
pub mod random_pointers;
pub mod random_wide;
pub mod real;
pub mod scripts;
pub mod stages;
pub mod stages_page;
pub mod subgroups;
pub mod transplant;

/// The root of the repository, which contains `tests/`.
pub fn repository() -> &'static std::path::Path {
    static ROOT: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    ROOT.get_or_init(|| {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        crates.ancestors().nth(2).expect("this crate lies two levels below the root").to_owned()
    })
}
