//! The state of samplers that a driver sets, and its text form.

use std::fmt;
use std::str::FromStr;

/// The error for a text that is not a sampler state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSampler(String);

impl fmt::Display for UnknownSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownSampler {}

/// Declares an enumeration whose values have one word each in text.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident $expected:literal {
        $($(#[$row:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$row])* $variant,)+ }

        impl $name {
            /// Every value.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// The word in text.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }

        impl FromStr for $name {
            type Err = UnknownSampler;

            fn from_str(text: &str) -> Result<$name, UnknownSampler> {
                let found = $name::ALL.iter().copied().find(|one| one.word() == text);
                found.ok_or_else(|| UnknownSampler(format!(concat!("{:?} ", $expected), text)))
            }
        }
    };
}

words! {
    /// Filter for coordinates between texels, or between mipmap levels.
    Filter "is no filter: expected nearest or linear" {
        /// The nearest texel or level.
        #[default]
        Nearest = "nearest",
        /// The average of the adjacent texels or levels, weighted by their distance.
        Linear = "linear",
    }
}

words! {
    /// Texel that is read for coordinates outside the image.
    AddressMode "is no address mode: expected repeat, clamp, mirror, mirror_once or border" {
        /// The image repeats.
        Repeat = "repeat",
        /// The edge texel.
        #[default]
        Clamp = "clamp",
        /// The image repeats, every second time mirrored.
        Mirror = "mirror",
        /// The image and its mirror image on the side of negative coordinates, then the edge texel.
        MirrorOnce = "mirror_once",
        /// The colour of the border.
        Border = "border",
    }
}

words! {
    /// Comparison with a texel. It passes if `reference OP texel`.
    CompareOp "is no comparison: expected never, less, equal, less_or_equal, greater, not_equal, \
               greater_or_equal or always" {
        /// Never.
        #[default]
        Never = "never",
        /// Less.
        Less = "less",
        /// Equal.
        Equal = "equal",
        /// Less or equal.
        LessOrEqual = "less_or_equal",
        /// Greater.
        Greater = "greater",
        /// Not equal.
        NotEqual = "not_equal",
        /// Greater or equal.
        GreaterOrEqual = "greater_or_equal",
        /// Always.
        Always = "always",
    }
}

words! {
    /// The colour of [`AddressMode::Border`].
    BorderColor "is no border colour: expected transparent_black, opaque_black or opaque_white" {
        /// 0, 0, 0, 0.
        #[default]
        TransparentBlack = "transparent_black",
        /// 0, 0, 0, 1.
        OpaqueBlack = "opaque_black",
        /// 1, 1, 1, 1.
        OpaqueWhite = "opaque_white",
    }
}

impl BorderColor {
    /// Whether each component is 1 rather than 0.
    pub const fn ones(self) -> [bool; 4] {
        match self {
            BorderColor::TransparentBlack => [false; 4],
            BorderColor::OpaqueBlack => [false, false, false, true],
            BorderColor::OpaqueWhite => [true; 4],
        }
    }
}

/// The state of a sampler.
///
/// ```
/// use crestline_device::{CompareOp, Filter, Sampler};
/// let sampler: Sampler = "linear:clamp:mip=nearest:compare=less".parse()?;
/// assert_eq!((sampler.filter, sampler.compare), (Filter::Linear, Some(CompareOp::Less)));
/// # Ok::<(), crestline_device::UnknownSampler>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Filter between texels.
    pub filter: Filter,
    /// Filter between levels.
    pub mip: Filter,
    /// Handling of coordinates outside the image, for all coordinates.
    pub address: AddressMode,
    /// Coordinates are 0 to 1 rather than texels.
    pub normalized: bool,
    /// Comparison with the reference, for messages that compare; `None` if the sampler is not for
    /// comparisons.
    pub compare: Option<CompareOp>,
    /// The colour for [`AddressMode::Border`].
    pub border: BorderColor,
}

impl Default for Sampler {
    /// Nearest, clamped, normalized, transparent black.
    fn default() -> Sampler {
        Sampler {
            filter: Filter::Nearest,
            mip: Filter::Nearest,
            address: AddressMode::Clamp,
            normalized: true,
            compare: None,
            border: BorderColor::TransparentBlack,
        }
    }
}

impl FromStr for Sampler {
    type Err = UnknownSampler;

    /// Reads `FILTER:ADDRESS[:mip=FILTER][:compare=OP][:border=COLOUR]`.
    fn from_str(text: &str) -> Result<Sampler, UnknownSampler> {
        let mut parts = text.split(':');
        let (Some(filter), Some(address)) = (parts.next(), parts.next()) else {
            let form = "nearest|linear:repeat|clamp|mirror|mirror_once|border[:mip=FILTER][:compare=OP][:border=COLOUR]";
            return Err(UnknownSampler(format!("{text:?} is not {form}")));
        };
        let mut sampler =
            Sampler { filter: filter.parse()?, address: address.parse()?, ..Sampler::default() };
        for part in parts {
            match part.split_once('=') {
                Some(("mip", filter)) => sampler.mip = filter.parse()?,
                Some(("compare", op)) => sampler.compare = Some(op.parse()?),
                Some(("border", colour)) => sampler.border = colour.parse()?,
                _ => {
                    let expected = "expected mip=, compare= or border=";
                    return Err(UnknownSampler(format!("{part:?}: {expected}")));
                }
            }
        }
        Ok(sampler)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_or_refused_with_what_was_expected() {
        let sampler: Sampler = "linear:border:mip=linear:border=opaque_white".parse().unwrap();
        assert_eq!((sampler.filter, sampler.mip), (Filter::Linear, Filter::Linear));
        assert_eq!((sampler.address, sampler.border.ones()), (AddressMode::Border, [true; 4]));
        for (text, part) in [
            ("linear", "nearest|linear"),
            ("cubic:clamp", "\"cubic\" is no filter"),
            ("linear:around", "no address mode"),
            ("linear:clamp:lod=3", "expected mip="),
            ("linear:clamp:compare=lesser", "less_or_equal"),
            ("linear:clamp:border=red", "opaque_white"),
        ] {
            let error = text.parse::<Sampler>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
