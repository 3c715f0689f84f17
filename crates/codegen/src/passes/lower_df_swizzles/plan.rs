//! Which components of an operation on doubles go into one instruction.
//!
//! For a swizzle take, of each component, whether it reads the first row of the source (`v`: x or
//! y) or the second (`^`: z or w), and number it in its row. Rows below are what the first two
//! components read, columns what the last two read:
//!
//! |    | vv | v^  | ^v  | ^^ |
//! |----|----|-----|-----|----|
//! | vv | A  | B   | B   | A  |
//! | v^ | Cy | Dyz | B   | B  |
//! | ^v | Cx | B   | Dxw | B  |
//! | ^^ | E  | Cz  | Cw  | A  |
//!
//! The two rows of an instruction get one pattern, so components x and z (and y and w) can only
//! share one where they agree on the number. Both read rows one after another or both the same
//! row, so a component of the second row reads no earlier row than one of the first does. And no
//! instruction writes exactly x and y or exactly z and w. What follows for a full mask, where `+`
//! is a class's part whose pairs agree:
//!
//! | class | how many | instructions |
//! |-------|----------|--------------|
//! | A+ | 12 | all four components |
//! | A-, B | 36, 96 | xw, yz |
//! | C+ | 32 | the component named, the other three |
//! | C- | 32 | the component named, its diagonal opposite, the other two |
//! | D+ | 8 | xz, yw |
//! | D- | 24 | the two components named, the other two |
//! | E | 16 | x, y, z, w |
//!
//! With several sources or fewer components enabled the best division is not always that of a
//! class. There are at most fifteen, so [`cheapest`] looks at all.

use crestline_isa::WriteMask;

/// Instructions that a division needs, and its parts.
pub(super) type Division = (u32, Vec<WriteMask>);

/// The division of the components `mask` into parts that costs least, by what each part costs
/// (`None` if it cannot be an instruction); of equal ones one with few parts. `None` if there is
/// no division.
pub(super) fn cheapest(
    mask: WriteMask,
    cost: &impl Fn(WriteMask) -> Option<u32>,
) -> Option<Division> {
    if mask.0 == 0 {
        return Some((0, Vec::new()));
    }
    let first = mask.0 & mask.0.wrapping_neg();
    let others = mask.0 & !first;
    // The parts that the first component may be in.
    let parts = (0..16u8).rev().filter(|set| set & !others == 0).map(|set| WriteMask(set | first));
    let divisions = parts.filter_map(|part| {
        let own = cost(part)?;
        let (rest, mut all) = cheapest(WriteMask(mask.0 & !part.0), cost)?;
        all.insert(0, part);
        Some((own + rest, all))
    });
    divisions.min_by_key(|(cost, parts)| (*cost, parts.len()))
}
