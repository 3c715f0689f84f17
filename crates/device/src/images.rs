//! Storage images: the surface formats that the compiler uses for them on each device, and the
//! limits of typed messages.
//!
//! Source: the typed message tables of the public manuals (volume "Data Port"), and assumptions of
//! public drivers. Facts about gen7 are those of Ivy Bridge and Bay Trail.

use crate::formats::Operation;
use crate::{ChannelKind, Device, Gen, Platform, SurfaceFormat};

/// The result of a typed read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypedRead {
    /// The channels of the texel, converted from the surface format.
    Converted,
    /// The 32 bits of memory that start at the texel.
    Dword,
    /// The bits of the texel without conversion, 32 per channel.
    Bits,
    /// Undefined.
    Undefined,
}

impl Device {
    /// The surface format with which a storage image of `format` is bound if a shader reads it.
    /// Writes then use this format too. [`SurfaceFormat::RAW`] if typed reads do not support texels
    /// of that size: the code then computes addresses itself.
    ///
    /// If typed reads convert `format`, the result is `format`. Otherwise it is a format of
    /// unsigned integers, which typed reads return unchanged: preferably one with the same
    /// channels, otherwise one with the same texel size. `R32_FLOAT` is always bound as `R32_UINT`,
    /// because atomics need an integer surface.
    pub fn image_surface_format(&self, format: SurfaceFormat) -> SurfaceFormat {
        use SurfaceFormat as F;
        let readable = |format: SurfaceFormat| format.can(Operation::TypedRead, self.generation());
        if format == F::R32_FLOAT {
            return F::R32_UINT;
        }
        if readable(format) {
            return format;
        }
        if let Some(twin) = format.unsigned_twin().filter(|&twin| readable(twin)) {
            return twin;
        }
        match format.info().bits {
            bits if u32::from(bits) > self.typed_read_bits() => F::RAW,
            8 => F::R8_UINT,
            16 => F::R16_UINT,
            32 => F::R32_UINT,
            64 => F::R16G16B16A16_UINT,
            _ => F::RAW,
        }
    }

    /// Maximum size in bits of texels that typed messages can read.
    fn typed_read_bits(&self) -> u32 {
        match self.generation() {
            generation if generation >= Gen::Gen9 => 128,
            generation if generation >= Gen::Gen75 => 64,
            _ => 32,
        }
    }

    /// The result of a typed read of a surface of `format`.
    pub fn typed_read(&self, format: SurfaceFormat) -> TypedRead {
        let narrow = matches!(format, SurfaceFormat::R8_UINT | SurfaceFormat::R16_UINT);
        if format.can(Operation::TypedRead, self.generation()) {
            TypedRead::Converted
        } else if narrow && self.narrow_typed_reads_are_dwords() {
            TypedRead::Dword
        } else if self.generation() >= Gen::Gen9
            && format.can(Operation::TypedWrite, self.generation())
        {
            TypedRead::Bits
        } else {
            TypedRead::Undefined
        }
    }

    /// Whether a typed read of a texel of 8 or 16 bits returns the 32 bits that start there.
    pub fn narrow_typed_reads_are_dwords(&self) -> bool {
        self.generation() == Gen::Gen7
    }

    /// Whether a typed atomic on a null surface writes memory at some address.
    pub fn typed_atomics_ignore_null_surfaces(&self) -> bool {
        self.generation() == Gen::Gen7
    }

    /// Whether an untyped access to a surface that is not `RAW` hangs.
    pub fn untyped_access_needs_raw_surface(&self) -> bool {
        self.generation() == Gen::Gen7
    }

    /// Whether the sampler reads the format. Bay Trail reads ETC2 and EAC, unlike other chips of gen7 (Mesa's `isl`).
    pub fn can_sample(&self, format: SurfaceFormat) -> bool {
        use crate::Codec::*;
        let is_etc = format.info().compression.is_some_and(|compression| {
            matches!(
                compression.codec,
                Etc2 | Etc2PunchThrough
                    | Etc2Alpha
                    | EacR11
                    | EacSignedR11
                    | EacRg11
                    | EacSignedRg11
            )
        });
        format.can(Operation::Sample, self.generation())
            || is_etc && self.platform() == Platform::Byt
    }

    /// Whether the memory controller may exclusive-or higher bits of tiled addresses into bit 6.
    pub fn may_swizzle_bit6(&self) -> bool {
        self.generation() <= Gen::Gen75 && self.platform() != Platform::Byt
    }
}

impl SurfaceFormat {
    /// The format with the same channels as unsigned integers; `None` if the table does not list
    /// it.
    fn unsigned_twin(self) -> Option<SurfaceFormat> {
        let channels = |format: SurfaceFormat| {
            format.info().channels.map(|channel| channel.map(|c| (c.bits, c.shift)))
        };
        let unsigned = |format: SurfaceFormat| {
            format.info().channels.iter().flatten().all(|c| c.kind == ChannelKind::Uint)
        };
        let all = SurfaceFormat::ALL.iter().copied();
        all.filter(|&twin| twin != SurfaceFormat::RAW && unsigned(twin))
            .find(|&twin| channels(twin) == channels(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Format in GLSL, and the surface formats on gen7; gen7.5 and gen8; gen9; gen11 and gen12. `=`
    /// is the format itself.
    const TABLE: &[(&str, [&str; 4])] = &[
        ("rgba32f", ["RAW", "RAW", "=", "="]),
        ("r32ui", ["=", "=", "=", "="]),
        ("r32f", ["R32_UINT", "R32_UINT", "R32_UINT", "R32_UINT"]),
        ("rgba16ui", ["RAW", "=", "=", "="]),
        ("rgba16f", ["RAW", "R16G16B16A16_UINT", "=", "="]),
        ("rg32i", ["RAW", "R16G16B16A16_UINT", "=", "="]),
        ("rgba8ui", ["R32_UINT", "=", "=", "="]),
        ("rgba8i", ["R32_UINT", "R8G8B8A8_UINT", "=", "="]),
        ("rg16f", ["R32_UINT", "R16G16_UINT", "=", "="]),
        ("rg8ui", ["R16_UINT", "=", "=", "="]),
        ("rg8i", ["R16_UINT", "R8G8_UINT", "=", "="]),
        ("r16ui", ["R16_UINT", "=", "=", "="]),
        ("r16f", ["R16_UINT", "R16_UINT", "=", "="]),
        ("r8i", ["R8_UINT", "R8_UINT", "=", "="]),
        ("rgb10_a2ui", ["R32_UINT", "R32_UINT", "R32_UINT", "R32_UINT"]),
        ("r11f_g11f_b10f", ["R32_UINT", "R32_UINT", "R32_UINT", "R32_UINT"]),
        ("rgba16_snorm", ["RAW", "R16G16B16A16_UINT", "R16G16B16A16_UINT", "="]),
        ("rgba8", ["R32_UINT", "R8G8B8A8_UINT", "R8G8B8A8_UINT", "="]),
        ("rg8_snorm", ["R16_UINT", "R8G8_UINT", "R8G8_UINT", "="]),
        ("r8", ["R8_UINT", "R8_UINT", "R8_UINT", "="]),
    ];

    #[test]
    fn surface_formats_follow_from_what_each_generation_reads() {
        use Platform::*;
        for (name, expected) in TABLE {
            let format = SurfaceFormat::from_glsl(name).expect(name);
            for (column, platforms) in
                [&[Ivb, Byt][..], &[Hsw, Bdw, Chv], &[Skl, Glk], &[Icl, Tgl]].iter().enumerate()
            {
                for &platform in *platforms {
                    let found = Device::new(platform).image_surface_format(format);
                    let expected = match expected[column] {
                        "=" => format,
                        name => name.parse().expect(name),
                    };
                    assert_eq!(found, expected, "{name} on {platform}");
                }
            }
        }
    }
}
