//! Platforms: the chips that a program can be compiled for.

use crate::Gen;
use std::fmt;
use std::str::FromStr;

/// A family of chips. The names are those of Mesa.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// i965 (gen4).
    I965,
    /// G4x (gen4.5).
    G4x,
    /// Ironlake (gen5).
    Ilk,
    /// Sandy Bridge (gen6).
    Snb,
    /// Ivy Bridge (gen7).
    Ivb,
    /// Bay Trail (gen7).
    Byt,
    /// Haswell (gen7.5).
    Hsw,
    /// Broadwell (gen8).
    Bdw,
    /// Cherryview (gen8).
    Chv,
    /// Skylake (gen9).
    Skl,
    /// Broxton (gen9).
    Bxt,
    /// Kaby Lake (gen9).
    Kbl,
    /// Gemini Lake (gen9).
    Glk,
    /// Coffee Lake (gen9).
    Cfl,
    /// Ice Lake (gen11).
    Icl,
    /// Elkhart Lake (gen11).
    Ehl,
    /// Tiger Lake (gen12).
    Tgl,
    /// Rocket Lake (gen12).
    Rkl,
    /// DG1 (gen12).
    Dg1,
    /// Alder Lake (gen12).
    Adl,
    /// DG2 (gen12.5).
    Dg2,
}

/// One row per platform, in the order of the enumeration: name, generation.
const ROWS: [(Platform, &str, Gen); 21] = [
    (Platform::I965, "i965", Gen::Gen4),
    (Platform::G4x, "g4x", Gen::Gen45),
    (Platform::Ilk, "ilk", Gen::Gen5),
    (Platform::Snb, "snb", Gen::Gen6),
    (Platform::Ivb, "ivb", Gen::Gen7),
    (Platform::Byt, "byt", Gen::Gen7),
    (Platform::Hsw, "hsw", Gen::Gen75),
    (Platform::Bdw, "bdw", Gen::Gen8),
    (Platform::Chv, "chv", Gen::Gen8),
    (Platform::Skl, "skl", Gen::Gen9),
    (Platform::Bxt, "bxt", Gen::Gen9),
    (Platform::Kbl, "kbl", Gen::Gen9),
    (Platform::Glk, "glk", Gen::Gen9),
    (Platform::Cfl, "cfl", Gen::Gen9),
    (Platform::Icl, "icl", Gen::Gen11),
    (Platform::Ehl, "ehl", Gen::Gen11),
    (Platform::Tgl, "tgl", Gen::Gen12),
    (Platform::Rkl, "rkl", Gen::Gen12),
    (Platform::Dg1, "dg1", Gen::Gen12),
    (Platform::Adl, "adl", Gen::Gen12),
    (Platform::Dg2, "dg2", Gen::Gen125),
];

impl Platform {
    /// Every platform, oldest first.
    pub const ALL: [Platform; ROWS.len()] = {
        let mut all = [Platform::I965; ROWS.len()];
        let mut i = 0;
        while i < ROWS.len() {
            all[i] = ROWS[i].0;
            i += 1;
        }
        all
    };

    /// The name on command lines and in metadata, such as `skl`.
    pub const fn name(self) -> &'static str {
        ROWS[self as usize].1
    }

    /// The generation of its instruction set.
    pub const fn generation(self) -> Gen {
        ROWS[self as usize].2
    }

    /// The platform that is used if only the generation is given: `gen9` means Skylake.
    pub fn of_generation(generation: Gen) -> Platform {
        match generation {
            Gen::Gen4 => Platform::I965,
            Gen::Gen45 => Platform::G4x,
            Gen::Gen5 => Platform::Ilk,
            Gen::Gen6 => Platform::Snb,
            Gen::Gen7 => Platform::Ivb,
            Gen::Gen75 => Platform::Hsw,
            Gen::Gen8 => Platform::Bdw,
            Gen::Gen9 => Platform::Skl,
            Gen::Gen11 => Platform::Icl,
            Gen::Gen12 => Platform::Tgl,
            Gen::Gen125 => Platform::Dg2,
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a target name that is neither a platform nor a generation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown target `{name}`: expected a platform (i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2) or a generation (such as gen7.5)"
)]
pub struct UnknownPlatform {
    /// The name as given.
    pub name: String,
}

impl FromStr for Platform {
    type Err = UnknownPlatform;

    /// Accepts the name of a platform, or of a generation for its
    /// [representative](Platform::of_generation). Ignores letter case.
    fn from_str(name: &str) -> Result<Self, UnknownPlatform> {
        let lower = name.to_ascii_lowercase();
        Platform::ALL
            .into_iter()
            .find(|platform| platform.name() == lower)
            .or_else(|| lower.parse().ok().map(Platform::of_generation))
            .ok_or_else(|| UnknownPlatform { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_enumeration_order() {
        for (index, row) in ROWS.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(row.1.parse(), Ok(row.0));
        }
    }

    #[test]
    fn a_generation_names_its_representative() {
        assert_eq!("gen7.5".parse(), Ok(Platform::Hsw));
        for generation in Gen::ALL {
            assert_eq!(Platform::of_generation(generation).generation(), generation);
        }
        assert!("gen10".parse::<Platform>().is_err());
    }
}
