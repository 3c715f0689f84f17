//! The multisample control data of surfaces (MCS): in which slice of the surface the colour of each sample is stored.
//!
//! A surface whose texels have `n` samples consists of `n` slices. The control data of a texel contain the number of a
//! slice for each sample, sample 0 in the lowest bits. Samples of the same colour may share a slice. If all bits are
//! ones, the texel was cleared, and its colour is in no slice. (PRM, "Multisample Control Surface"; Mesa's formats
//! `MCS_2X` to `MCS_16X`.)
//!
//! For example, `0b11_10_01_00` are the control data of a texel of four samples in which sample `n` is in slice `n`.
//! The surfaces of the emulator always have this form ([`control_data`]): no samples share a slice, and no texel is
//! cleared. [`slice()`] accepts all forms, because a program may pass control data that it did not get from the
//! emulator.

/// The largest number of samples per texel whose control data fit in one dword.
pub(super) const ONE_DWORD_SAMPLES: u32 = 8;

/// The size of a slice number in bits, and the size of the control data of a texel in bits, for this number of samples.
fn bits(samples: u32) -> (u32, u32) {
    match samples {
        0..=1 => (0, 0),
        2 => (1, 8),
        3..=4 => (2, 8),
        5..=8 => (3, 32),
        _ => (4, 64),
    }
}

/// The control data of each texel of an emulated surface with this number of samples: slice `n` for sample `n`.
/// Surfaces with one sample have no control data; the result is 0 for them.
pub(super) fn control_data(samples: u32) -> u64 {
    let (width, _) = bits(samples);
    (0..samples).map(|sample| u64::from(sample) << (sample * width)).sum()
}

/// Decodes the control data `control` of a texel with this number of samples: the number of the slice that contains the
/// colour of `sample`. `None` if `sample` is not below `samples`, or if the control data mark the texel as cleared.
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
