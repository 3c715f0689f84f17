//! `SAMPLER`.

use super::{Object, Parser};
use crate::error::{Place, Result};
use crate::script::Sampler;
use crestline_device::{AddressMode, BorderColor, CompareOp, Filter};

const FILTERS: &[(&str, Filter)] = &[("nearest", Filter::Nearest), ("linear", Filter::Linear)];
const ADDRESSES: &[(&str, AddressMode)] = &[
    ("repeat", AddressMode::Repeat),
    ("mirrored_repeat", AddressMode::Mirror),
    ("clamp_to_edge", AddressMode::Clamp),
    ("clamp_to_border", AddressMode::Border),
    ("mirrored_clamp_to_edge", AddressMode::MirrorOnce),
    ("mirror_clamp_to_edge", AddressMode::MirrorOnce),
];
const BORDERS: &[(&str, BorderColor)] = &[
    ("float_transparent_black", BorderColor::TransparentBlack),
    ("int_transparent_black", BorderColor::TransparentBlack),
    ("float_opaque_black", BorderColor::OpaqueBlack),
    ("int_opaque_black", BorderColor::OpaqueBlack),
    ("float_opaque_white", BorderColor::OpaqueWhite),
    ("int_opaque_white", BorderColor::OpaqueWhite),
];
const OPTIONS: &[&str] = &[
    "MAG_FILTER",
    "MIN_FILTER",
    "ADDRESS_MODE_U",
    "ADDRESS_MODE_V",
    "ADDRESS_MODE_W",
    "BORDER_COLOR",
    "MIN_LOD",
    "MAX_LOD",
    "NORMALIZED_COORDS",
    "UNNORMALIZED_COORDS",
    "COMPARE",
    "COMPARE_OP",
];

/// Comparisons with their names.
pub(super) fn comparisons() -> Vec<(&'static str, CompareOp)> {
    CompareOp::ALL.iter().map(|op| (op.word(), *op)).collect()
}

impl Parser<'_> {
    /// `SAMPLER NAME ...`.
    pub(super) fn sampler(&mut self, _: Place) -> Result<()> {
        let (place, name) = self.word("the name of the sampler")?;
        self.declare(Object::Sampler, place, name)?;
        let mut sampler = Sampler {
            name: name.to_owned(),
            place,
            magnify: Filter::Nearest,
            minify: Filter::Nearest,
            address: [AddressMode::Repeat; 3],
            border: BorderColor::TransparentBlack,
            lod: [0.0, 1.0],
            normalized: true,
            compare: None,
        };
        let (mut compares, mut op) = (false, CompareOp::Never);
        while let Some((_, option)) = self.optional(OPTIONS)? {
            match option {
                "MAG_FILTER" => sampler.magnify = self.choose(FILTERS)?,
                "MIN_FILTER" => sampler.minify = self.choose(FILTERS)?,
                "ADDRESS_MODE_U" => sampler.address[0] = self.choose(ADDRESSES)?,
                "ADDRESS_MODE_V" => sampler.address[1] = self.choose(ADDRESSES)?,
                "ADDRESS_MODE_W" => sampler.address[2] = self.choose(ADDRESSES)?,
                "BORDER_COLOR" => sampler.border = self.choose(BORDERS)?,
                "MIN_LOD" => sampler.lod[0] = self.float("a level of detail")? as f32,
                "MAX_LOD" => sampler.lod[1] = self.float("a level of detail")? as f32,
                "NORMALIZED_COORDS" => sampler.normalized = true,
                "UNNORMALIZED_COORDS" => sampler.normalized = false,
                "COMPARE" => compares = self.switch()?,
                _ => op = self.choose(&comparisons())?,
            }
        }
        self.end_of_line()?;
        if !sampler.normalized {
            sampler.lod = [0.0; 2];
        }
        sampler.compare = compares.then_some(op);
        self.script.samplers.push(sampler);
        Ok(())
    }
}
