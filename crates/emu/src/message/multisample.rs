//! The control data of multisampled surfaces.
//!
//! A surface has as many slices as samples. The control data of a texel have a number for each of its samples: the slice
//! with the sample's colour. Samples of the same colour may share a slice. If all bits are ones, the texel was cleared, and no
//! slice has its colour. (PRM, "Multisample Control Surface"; Mesa's formats `MCS_2X` to `MCS_16X`.)
//!
//! In the emulator no samples share a slice, and no texel is cleared: sample `n` is in slice `n`.

/// The most samples whose control data fit in one dword.
pub(super) const ONE_DWORD_SAMPLES: u32 = 8;

/// The bits of the number of a slice, and the bits of all control data of a texel.
fn bits(samples: u32) -> (u32, u32) {
    match samples {
        0..=1 => (0, 0),
        2 => (1, 8),
        3..=4 => (2, 8),
        5..=8 => (3, 32),
        _ => (4, 64),
    }
}

/// The control data of each texel of a surface with this number of samples; 0 for one sample, which needs none.
pub(super) fn control_data(samples: u32) -> u64 {
    let (width, _) = bits(samples);
    (0..samples).map(|sample| u64::from(sample) << (sample * width)).sum()
}

/// The slice with the colour of a sample; `None` if there is no such sample, or if the control data say that the texel was
/// cleared.
pub(super) fn slice(samples: u32, control: u64, sample: u32) -> Option<u32> {
    let (width, all) = bits(samples);
    if sample >= samples || all > 0 && control == u64::MAX >> (64 - all) {
        return None;
    }
    Some((control >> (sample * width)) as u32 & ((1 << width) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sample_has_its_own_slice() {
        assert_eq!(control_data(2), 0b10);
        assert_eq!(control_data(4), 0b11_10_01_00);
        assert_eq!(control_data(8), 0o7654_3210);
        assert_eq!(control_data(16), 0xfedc_ba98_7654_3210);
        for samples in [1, 2, 4, 8, 16] {
            let slices = (0..samples).map(|sample| slice(samples, control_data(samples), sample));
            let expected = (0..samples).map(Some);
            assert!(slices.eq(expected), "{samples}");
            assert_eq!(slice(samples, control_data(samples), samples), None);
        }
    }

    #[test]
    fn control_data_of_another_origin_are_decoded() {
        assert_eq!(slice(4, 0, 3), Some(0));
        assert_eq!(slice(8, 0o1234_5670, 7), Some(1));
        assert_eq!(slice(4, 0xff, 2), None);
        assert_eq!(slice(8, 0xff_ffff, 2), Some(7));
        assert_eq!(slice(16, u64::MAX, 2), None);
    }
}
