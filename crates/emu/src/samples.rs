//! The numbers of samples that a pixel can have, and the positions of the samples in the pixel.

/// The numbers of samples that a pixel can have.
pub(crate) const COUNTS: [u32; 5] = [1, 2, 4, 8, 16];

/// The largest number of samples of a pixel.
pub(crate) const MOST: usize = 16;

/// Sample positions are multiples of 1 / `STEPS` of the side of a pixel.
pub(crate) const STEPS: u32 = 16;

/// The positions of the samples in sixteenths of a pixel from its upper left corner, x and y: Vulkan's standard sample
/// locations, which drivers program into 3DSTATE_MULTISAMPLE and 3DSTATE_SAMPLE_PATTERN. For one sample, and for a
/// number that is not in [`COUNTS`], the result is the centre of the pixel.
pub(crate) const fn positions(samples: u32) -> &'static [[u8; 2]] {
    match samples {
        2 => &[[12, 12], [4, 4]],
        4 => &[[6, 2], [14, 6], [2, 10], [10, 14]],
        8 => &[[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]],
        16 => &[
            [9, 9],
            [7, 5],
            [5, 10],
            [12, 7],
            [3, 6],
            [10, 13],
            [13, 11],
            [11, 3],
            [6, 14],
            [8, 1],
            [4, 2],
            [2, 12],
            [0, 8],
            [15, 4],
            [14, 15],
            [1, 0],
        ],
        _ => &[[8, 8]],
    }
}

/// The position of sample number `sample` in a pixel with `samples` samples, in pixels from its upper left corner; the
/// centre if the pixel has no such sample.
pub(crate) fn position(samples: u32, sample: u8) -> [f64; 2] {
    let found = positions(samples).get(usize::from(sample));
    found.map_or([0.5; 2], |place| place.map(|at| f64::from(at) / f64::from(STEPS)))
}

/// The mask of all samples of a pixel: bit `i` is sample `i`.
pub(crate) fn all(samples: u32) -> u16 {
    (u32::MAX >> (32 - samples.clamp(1, MOST as u32))) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_and_each_column_has_one_sample() {
        for samples in COUNTS {
            let places = positions(samples);
            assert_eq!(places.len(), samples as usize);
            for axis in 0..2 {
                let mut strips: Vec<u32> =
                    places.iter().map(|place| u32::from(place[axis]) * samples / STEPS).collect();
                strips.sort_unstable();
                assert_eq!(strips, (0..samples).collect::<Vec<_>>());
            }
            assert_eq!(all(samples).count_ones(), samples);
        }
    }
}
