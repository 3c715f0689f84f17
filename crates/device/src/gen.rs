//! Hardware generations.
//!
//! The generation determines the instruction layout; the [`Platform`](crate::Platform) determines
//! limits and workarounds. Only `device` and `isa` compare generations. Other crates call the
//! capability methods of [`Device`](crate::Device).

use std::fmt;
use std::str::FromStr;

/// A generation of the EU instruction set, ordered by age.
///
/// The names follow the manuals: gen4 is the first i965, gen4.5 is G4x, gen7.5 is Haswell,
/// gen12 is "Xe-LP" (12.0) and gen12.5 is "Xe-HPG".
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Gen {
    /// i965 (Broadwater, Crestline).
    #[serde(rename = "gen4")]
    Gen4,
    /// G4x (Eaglelake, Cantiga).
    #[serde(rename = "gen4.5")]
    Gen45,
    /// Ironlake.
    #[serde(rename = "gen5")]
    Gen5,
    /// Sandy Bridge.
    #[serde(rename = "gen6")]
    Gen6,
    /// Ivy Bridge and Bay Trail.
    #[serde(rename = "gen7")]
    Gen7,
    /// Haswell.
    #[serde(rename = "gen7.5")]
    Gen75,
    /// Broadwell and Cherryview.
    #[serde(rename = "gen8")]
    Gen8,
    /// Skylake to Coffee Lake, Broxton, Gemini Lake.
    #[serde(rename = "gen9")]
    Gen9,
    /// Ice Lake and Elkhart Lake.
    #[serde(rename = "gen11")]
    Gen11,
    /// Tiger Lake, Rocket Lake, Alder Lake, DG1 (12.0).
    #[serde(rename = "gen12")]
    Gen12,
    /// DG2 (12.5).
    #[serde(rename = "gen12.5")]
    Gen125,
}

impl Gen {
    /// Every generation, oldest first.
    pub const ALL: [Gen; 11] = [
        Gen::Gen4,
        Gen::Gen45,
        Gen::Gen5,
        Gen::Gen6,
        Gen::Gen7,
        Gen::Gen75,
        Gen::Gen8,
        Gen::Gen9,
        Gen::Gen11,
        Gen::Gen12,
        Gen::Gen125,
    ];

    /// Ten times the version number: 75 for gen7.5, 120 for gen12, 125 for gen12.5.
    pub const fn verx10(self) -> u32 {
        match self {
            Gen::Gen4 => 40,
            Gen::Gen45 => 45,
            Gen::Gen5 => 50,
            Gen::Gen6 => 60,
            Gen::Gen7 => 70,
            Gen::Gen75 => 75,
            Gen::Gen8 => 80,
            Gen::Gen9 => 90,
            Gen::Gen11 => 110,
            Gen::Gen12 => 120,
            Gen::Gen125 => 125,
        }
    }

    /// The generation of a device with this version in Intel's compilers (`ocloc ids`), such as 9.0
    /// for Skylake and 12.55 for DG2. `None` for versions that this project does not support.
    pub const fn from_ip_version(major: u32, minor: u32) -> Option<Gen> {
        match (major, minor) {
            (8, _) => Some(Gen::Gen8),
            (9, _) => Some(Gen::Gen9),
            (11, _) => Some(Gen::Gen11),
            (12, 0..=49) => Some(Gen::Gen12),
            (12, 50..=59) => Some(Gen::Gen125),
            _ => None,
        }
    }

    /// The name, such as `gen7.5`.
    pub const fn name(self) -> &'static str {
        match self {
            Gen::Gen4 => "gen4",
            Gen::Gen45 => "gen4.5",
            Gen::Gen5 => "gen5",
            Gen::Gen6 => "gen6",
            Gen::Gen7 => "gen7",
            Gen::Gen75 => "gen7.5",
            Gen::Gen8 => "gen8",
            Gen::Gen9 => "gen9",
            Gen::Gen11 => "gen11",
            Gen::Gen12 => "gen12",
            Gen::Gen125 => "gen12.5",
        }
    }
}

impl fmt::Display for Gen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a name that is not a generation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown generation `{name}`: expected one of gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5"
)]
pub struct UnknownGen {
    /// The name as given.
    pub name: String,
}

impl FromStr for Gen {
    type Err = UnknownGen;

    /// Accepts [`Gen::name`] in any letter case, and `gen12.0` for gen12.
    fn from_str(name: &str) -> Result<Self, UnknownGen> {
        let lower = name.to_ascii_lowercase();
        if lower == "gen12.0" {
            return Ok(Gen::Gen12);
        }
        Gen::ALL
            .into_iter()
            .find(|generation| generation.name() == lower)
            .ok_or_else(|| UnknownGen { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_order_follows_the_version() {
        for generation in Gen::ALL {
            assert_eq!(generation.name().parse(), Ok(generation));
        }
        assert!(Gen::ALL.windows(2).all(|w| w[0] < w[1] && w[0].verx10() < w[1].verx10()));
        assert!("gen10".parse::<Gen>().is_err());
    }
}
