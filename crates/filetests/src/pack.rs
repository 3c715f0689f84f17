//! Runs programs with the resources of a case of the oracle pack.

use crestline_device::{Filter, Sampler, SurfaceFormat};
use crestline_emu::{ImageDimension, ImageShape, Kernel, Options, Resources};
use crestline_judges::oracle::Case;

/// Runs a program with the case's resources and compares the results with those that the pack expects.
///
/// # Errors
/// The case cannot be bound, the program does not run to its end, or the first resource that differs.
pub fn runs_as_expected(case: &Case, kernel: &Kernel) -> Result<(), String> {
    let mut resources = Resources::new();
    for resource in &case.resources {
        let Some(layout) = &resource.image else {
            resources.set_buffer(resource.resource, &resource.contents);
            continue;
        };
        let format = SurfaceFormat::from_glsl(&layout.format)
            .ok_or_else(|| format!("image format {}", layout.format))?;
        let (dimension, width, height) = (ImageDimension::D2, layout.width, layout.height);
        let shape =
            ImageShape { dimension, format, width, height, depth: 1, levels: 1, samples: 1 };
        resources
            .set_image(resource.resource, shape, &resource.contents)
            .map_err(|error| error.to_string())?;
    }
    for sampler in &case.samplers {
        let filter = if sampler.linear { Filter::Linear } else { Filter::Nearest };
        let state = Sampler { filter, normalized: sampler.normalized, ..Sampler::default() };
        resources.set_sampler(sampler.resource, state);
    }
    resources.set_push_constants(&case.push_constants);
    kernel
        .dispatch(case.grid, &mut resources, &Options::default())
        .map_err(|error| error.to_string())?;
    for resource in &case.resources {
        let Some(expected) = &resource.expected else { continue };
        let found = match resource.image {
            None => resources.buffer(resource.resource),
            Some(_) => resources.image(resource.resource),
        };
        let differs = |error| format!("{}: {error}", resource.resource);
        expected.compare(&found.unwrap_or_default()).map_err(differs)?;
    }
    Ok(())
}
