//! The division of an operation on doubles into instructions by component.
//!
//! The hardware reads a vector of doubles as two rows of 16 bytes: x and y, then z and w. For each component of a
//! swizzle, what matters is whether it reads the first row of the source (`v` in the table: x or y) or the second
//! (`^`: z or w), and which double of that row. The table's rows are the source rows that components x and y read;
//! its columns are those that components z and w read:
//!
//! |    | vv | v^  | ^v  | ^^ |
//! |----|----|-----|-----|----|
//! | vv | A  | B   | B   | A  |
//! | v^ | Cy | Dyz | B   | B  |
//! | ^v | Cx | B   | Dxw | B  |
//! | ^^ | E  | Cz  | Cw  | A  |
//!
//! An instruction applies one pattern to both rows, so components x and z can be in one instruction only if they read
//! the same double of their rows; likewise y and w. An instruction reads either the two rows one after the other or
//! the same row twice, so components z and w cannot read an earlier row than x and y. No instruction can write
//! exactly x and y or exactly z and w. For a full write mask this results in the following divisions. `+` marks the
//! swizzles of a class in which the pairs of components agree, `-` the others:
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
//! With several sources, or fewer enabled components, another division can be better than that of the class. There
//! are at most fifteen divisions, so [`cheapest`] tries all.

use crestline_isa::WriteMask;

/// The number of instructions of a division, and the write mask of each part.
pub(super) type Division = (u32, Vec<WriteMask>);

/// The division of the components in `mask` with the lowest cost; of divisions with equal cost, one with the fewest
/// parts. `cost` returns the cost of a part, `None` if it is not possible as an instruction. `None` if no division is
/// possible.
pub(super) fn cheapest(
    mask: WriteMask,
    cost: &impl Fn(WriteMask) -> Option<u32>,
) -> Option<Division> {
    if mask.0 == 0 {
        return Some((0, Vec::new()));
    }
    let first = mask.0 & mask.0.wrapping_neg();
    let others = mask.0 & !first;
    // The parts that can contain the first component.
    let parts = (0..16u8).rev().filter(|set| set & !others == 0).map(|set| WriteMask(set | first));
    let divisions = parts.filter_map(|part| {
        let own = cost(part)?;
        let (rest, mut all) = cheapest(WriteMask(mask.0 & !part.0), cost)?;
        all.insert(0, part);
        Some((own + rest, all))
    });
    divisions.min_by_key(|(cost, parts)| (*cost, parts.len()))
}
