//! Names of languages, stages, widths, formats and platforms.

use crestline::{Language, Platform, Simd, Stage};
use crestline_device::SurfaceFormat;

use crate::error::{Failure, argument};

/// The value with a name of a list.
fn named<T: Copy>(what: &str, name: &str, all: &[(&str, T)]) -> Result<T, Failure> {
    let found = all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        argument(format!("{what} {name:?}: expected one of {}", names.join(", ")))
    })
}

pub(crate) fn platform(name: &str) -> Result<Platform, Failure> {
    name.parse().map_err(|error| argument(format!("target: {error}")))
}

pub(crate) fn language(name: &str) -> Result<Language, Failure> {
    name.parse().map_err(|error| argument(format!("language: {error}")))
}

pub(crate) fn stage(name: &str) -> Result<Stage, Failure> {
    name.parse().map_err(|error| argument(format!("stage: {error}")))
}

pub(crate) fn simd(name: &str) -> Result<Simd, Failure> {
    let all = [
        ("auto", Simd::Auto),
        ("8", Simd::Simd8),
        ("16", Simd::Simd16),
        ("32", Simd::Simd32),
        ("4x2", Simd::Simd4x2),
    ];
    named("simd", name, &all)
}

/// A format of images, by the name that GLSL gives it (`rgba8`).
pub(crate) fn format(name: &str) -> Result<SurfaceFormat, Failure> {
    let found = SurfaceFormat::from_glsl(name).or_else(|| SurfaceFormat::from_sampled(name));
    found.ok_or_else(|| argument(format!("format {name:?}: expected a name such as rgba8")))
}
