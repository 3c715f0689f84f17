//! Layouts of the compacted forms: which bits are copied and which are replaced by a table index.
//!
//! Source: the "compact instruction formats" of the public PRMs, confirmed by iga64 for gen7.5
//! and later.

use super::tables::*;
use super::{COMPACT_BIT, IMM_MASK};
use crestline_device::Gen;

/// A range of bits `(lo, width)`.
type Range = (u32, u32);

/// A range of bits that both forms contain: its lowest bit in the compacted form, its lowest bit in
/// the full form, and its width.
pub(super) struct Copied {
    pub(super) compact: u32,
    pub(super) full: u32,
    pub(super) width: u32,
}

/// A table: the field of the compacted form that holds the index, and the full-form bits of each
/// index.
pub(super) struct Table {
    /// Name for messages.
    pub(super) name: &'static str,
    /// Index field.
    pub(super) index: Range,
    /// The bits of the full form that the table defines.
    pub(super) mask: u128,
    /// The full-form bits of each index.
    pub(super) entries: &'static [u128],
    /// Set of indices (one bit each) whose entry has no equal entry before it. Compaction chooses
    /// these. `first_beside_imm` is the same for [`Table::mask_beside_imm`].
    first: u32,
    first_beside_imm: u32,
}

impl Table {
    /// The bits of the full form that the table defines in an instruction with an immediate, which
    /// occupies some of the table's bits.
    pub(super) const fn mask_beside_imm(&self) -> u128 {
        self.mask & !IMM_MASK
    }

    /// Whether `index` is the first of the indices with equal entries, which compaction chooses.
    pub(super) fn is_first(&self, index: u64, beside_imm: bool) -> bool {
        // The immediate occupies all bits of this table; the index field holds part of the
        // immediate.
        let displaced = beside_imm && self.mask_beside_imm() == 0;
        let first = if beside_imm { self.first_beside_imm } else { self.first };
        displaced || first >> index & 1 != 0
    }
}

/// The set of indices whose entries differ from every earlier entry in at least one bit of the
/// mask.
const fn first(entries: &[u128], mask: u128) -> u32 {
    let mut out = 0;
    let mut index = 0;
    while index < entries.len() {
        let mut earlier = 0;
        while earlier < index && (entries[earlier] ^ entries[index]) & mask != 0 {
            earlier += 1;
        }
        if earlier == index {
            out |= 1 << index;
        }
        index += 1;
    }
    out
}

/// The layout of the compacted form of one kind of instruction.
pub(super) struct Form {
    pub(super) copied: &'static [Copied],
    pub(super) tables: &'static [Table],
    /// The bits of the compacted form that have a function: fields and the compaction bit.
    pub(super) used: u64,
    /// Layout of an immediate; `None` if the form cannot have one.
    pub(super) imm: Option<ImmLayout>,
}

impl Form {
    const fn new(
        copied: &'static [Copied],
        tables: &'static [Table],
        imm: Option<ImmLayout>,
    ) -> Form {
        let mut used = 1 << COMPACT_BIT;
        let mut n = 0;
        while n < copied.len() {
            used |= (u64::MAX >> (64 - copied[n].width)) << copied[n].compact;
            n += 1;
        }
        n = 0;
        while n < tables.len() {
            let (lo, width) = tables[n].index;
            used |= (u64::MAX >> (64 - width)) << lo;
            n += 1;
        }
        Form { copied, tables, used, imm }
    }
}

/// Layout of the immediate in the compacted form.
#[derive(Clone, Copy)]
pub(super) enum ImmLayout {
    /// 13 bits, sign extended: bits 39:35 above bits 63:56 (gen6 to gen11).
    Signed13,
    /// 12 bits, expanded by type: bits 63:56 above bits 55:52 (gen12).
    Typed12,
}

const fn copied(compact: u32, full: u32, width: u32) -> Copied {
    Copied { compact, full, width }
}

/// Moves the bits of each entry to the ranges `[hi, lo]` of the full form; the most significant
/// bits of an entry go to the first range.
const fn spread<const N: usize>(entries: [u64; N], ranges: &[[u32; 2]]) -> [u128; N] {
    let mut out = [0; N];
    let mut n = 0;
    while n < N {
        let mut rest = entries[n];
        let mut r = ranges.len();
        while r > 0 {
            r -= 1;
            let [hi, lo] = ranges[r];
            let width = hi - lo + 1;
            out[n] |= ((rest & (u64::MAX >> (64 - width))) as u128) << lo;
            rest >>= width;
        }
        assert!(rest == 0, "a table entry is wider than its ranges");
        n += 1;
    }
    out
}

/// The bits of all ranges.
const fn mask(ranges: &[[u32; 2]]) -> u128 {
    spread([u64::MAX >> (64 - width(ranges))], ranges)[0]
}

/// The number of bits of all ranges.
const fn width(ranges: &[[u32; 2]]) -> u32 {
    let mut total = 0;
    let mut r = 0;
    while r < ranges.len() {
        total += ranges[r][0] - ranges[r][1] + 1;
        r += 1;
    }
    total
}

macro_rules! table {
    ($name:literal, $hi:literal : $lo:literal, $entries:ident, $ranges:expr) => {
        Table {
            name: $name,
            index: ($lo, $hi - $lo + 1),
            mask: mask($ranges),
            entries: const { &spread($entries, $ranges) },
            first: first(&spread($entries, $ranges), mask($ranges)),
            first_beside_imm: first(&spread($entries, $ranges), mask($ranges) & !IMM_MASK),
        }
    };
}

// Ranges of the full form that a table defines, those of the most significant entry bits first.
const CONTROL_4: &[[u32; 2]] = &[[31, 31], [23, 8]];
const CONTROL_7: &[[u32; 2]] = &[[90, 89], [31, 31], [23, 8]];
const CONTROL_8: &[[u32; 2]] = &[[33, 31], [23, 12], [10, 9], [34, 34], [8, 8]];
const CONTROL_12: &[[u32; 2]] =
    &[[95, 92], [34, 34], [33, 33], [32, 32], [31, 31], [28, 28], [27, 24], [23, 22], [21, 16]];
const DATATYPE_4: &[[u32; 2]] = &[[63, 61], [46, 32]];
const DATATYPE_8: &[[u32; 2]] = &[[63, 61], [94, 89], [46, 35]];
const DATATYPE_12: &[[u32; 2]] = &[
    [98, 98],
    [91, 88],
    [66, 66],
    [50, 50],
    [49, 48],
    [47, 47],
    [46, 46],
    [43, 40],
    [39, 36],
    [35, 35],
];
const SUBREG_4: &[[u32; 2]] = &[[100, 96], [68, 64], [52, 48]];
const SUBREG_12: &[[u32; 2]] = &[[103, 99], [71, 67], [55, 51]];
const SRC0_4: &[[u32; 2]] = &[[88, 77]];
const SRC0_12: &[[u32; 2]] = &[[87, 84], [83, 81], [80, 80], [65, 64], [45, 44]];
const SRC1_4: &[[u32; 2]] = &[[120, 109]];
const SRC1_12: &[[u32; 2]] = &[[121, 120], [119, 116], [115, 113], [112, 112], [97, 96]];
const THREE_CONTROL_8: &[[u32; 2]] = &[[36, 32], [28, 8]];
const THREE_SOURCE_8: &[[u32; 2]] =
    &[[126, 125], [105, 104], [84, 84], [83, 83], [114, 107], [93, 86], [72, 65], [55, 37]];
const THREE_CONTROL_12: &[[u32; 2]] = &[
    [95, 92],
    [90, 88],
    [82, 80],
    [50, 50],
    [48, 48],
    [42, 40],
    [39, 39],
    [38, 36],
    [34, 34],
    [33, 33],
    [32, 32],
    [31, 31],
    [28, 28],
    [27, 24],
    [23, 23],
    [22, 22],
    [21, 16],
];
const THREE_CONTROL_125: &[[u32; 2]] = &[
    [95, 92],
    [90, 88],
    [82, 80],
    [50, 50],
    [49, 48],
    [42, 40],
    [39, 39],
    [38, 36],
    [34, 34],
    [33, 33],
    [32, 32],
    [31, 31],
    [28, 28],
    [27, 24],
    [23, 23],
    [22, 22],
    [21, 16],
];
const THREE_SOURCE_12: &[[u32; 2]] = &[
    [114, 114],
    [113, 112],
    [98, 98],
    [97, 96],
    [91, 91],
    [87, 86],
    [85, 84],
    [83, 83],
    [66, 66],
    [65, 64],
    [47, 47],
    [46, 46],
    [45, 44],
    [43, 43],
    [35, 35],
];
const THREE_SUBREG_12: &[[u32; 2]] = &[[119, 115], [103, 99], [71, 67], [55, 51]];

// Copied fields: opcode and debug control first, then those that differ between layouts.
const COPIED_4: &[Copied] = &[
    copied(0, 0, 7),
    copied(7, 30, 1),
    copied(23, 28, 1), // mask_ctrl_ex
    copied(24, 24, 4),
    copied(28, 89, 1), // flag subregister
    copied(40, 53, 8),
    copied(48, 69, 8),
    copied(56, 101, 8),
];
// The same positions as gen4.5, but bit 28 of the full form is acc_wr_en instead of mask_ctrl_ex.
const COPIED_6: &[Copied] = COPIED_4;
const COPIED_7: &[Copied] = &[
    copied(0, 0, 7),
    copied(7, 30, 1),
    copied(23, 28, 1), // acc_wr_en
    copied(24, 24, 4),
    copied(40, 53, 8),
    copied(48, 69, 8),
    copied(56, 101, 8),
];
const COPIED_12: &[Copied] = &[
    copied(0, 0, 7),
    copied(7, 30, 1),
    copied(8, 8, 8), // swsb
    copied(16, 56, 8),
    copied(40, 72, 8),
    copied(56, 104, 8),
];
const THREE_COPIED_8: &[Copied] = &[
    copied(0, 0, 7),
    copied(12, 56, 7),
    copied(28, 64, 1),
    copied(30, 30, 1),
    copied(31, 31, 1),
    copied(32, 85, 1),
    copied(33, 106, 1),
    copied(34, 73, 3),
    copied(37, 94, 3),
    copied(40, 115, 3),
    copied(43, 76, 7),
    copied(50, 97, 7),
    copied(57, 118, 7),
];
const THREE_COPIED_12: &[Copied] = &[
    copied(0, 0, 7),
    copied(7, 30, 1),
    copied(8, 8, 8),
    copied(16, 56, 8),
    copied(40, 72, 8),
    copied(56, 104, 8),
    copied(48, 120, 8),
];

macro_rules! two_src {
    ($name:ident, $copied:ident, $imm:expr,
     $control:ident $control_at:ident, $datatype:ident $datatype_at:ident,
     $subreg:ident $subreg_at:ident, $src0:ident, $src1:ident) => {
        static $name: Form = Form::new(
            $copied,
            const {
                &[
            table!("control", 12:8, $control, $control_at),
            table!("datatype", 17:13, $datatype, $datatype_at),
            table!("subregister", 22:18, $subreg, $subreg_at),
            table!("source 0", 34:30, $src0, SRC0_4),
            table!("source 1", 39:35, $src1, SRC1_4),
                ]
            },
            $imm,
        );
    };
}

macro_rules! two_src_12 {
    ($name:ident, $src0:ident, $src1:ident) => {
        static $name: Form = Form::new(
            COPIED_12,
            const {
                &[
            table!("control", 28:24, CONTROL_GEN12, CONTROL_12),
            table!("datatype", 34:30, DATATYPE_GEN12, DATATYPE_12),
            table!("subregister", 39:35, SUBREG_GEN12, SUBREG_12),
            table!("source 0", 51:48, $src0, SRC0_12),
            table!("source 1", 55:52, $src1, SRC1_12),
                ]
            },
            Some(ImmLayout::Typed12),
        );
    };
}

macro_rules! three_src_12 {
    ($name:ident, $control:ident $control_at:ident, $source:ident) => {
        static $name: Form = Form::new(
            THREE_COPIED_12,
            const {
                &[
            table!("control", 28:24, $control, $control_at),
            table!("source", 34:30, $source, THREE_SOURCE_12),
            table!("subregister", 39:35, THREE_SUBREG_GEN12, THREE_SUBREG_12),
                ]
            },
            None,
        );
    };
}

const SIGNED13: Option<ImmLayout> = Some(ImmLayout::Signed13);

two_src!(GEN45_TWO, COPIED_4, None, CONTROL_GEN45 CONTROL_4, DATATYPE_GEN45 DATATYPE_4,
         SUBREG_GEN45 SUBREG_4, SRC0_INDEX_GEN45, SRC1_INDEX_GEN45);
two_src!(GEN6_TWO, COPIED_6, SIGNED13, CONTROL_GEN6 CONTROL_4, DATATYPE_GEN6 DATATYPE_4,
         SUBREG_GEN6 SUBREG_4, SRC0_INDEX_GEN6, SRC1_INDEX_GEN6);
two_src!(GEN7_TWO, COPIED_7, SIGNED13, CONTROL_GEN7 CONTROL_7, DATATYPE_GEN7 DATATYPE_4,
         SUBREG_GEN7 SUBREG_4, SRC0_INDEX_GEN7, SRC1_INDEX_GEN7);
two_src!(GEN8_TWO, COPIED_7, SIGNED13, CONTROL_GEN7 CONTROL_8, DATATYPE_GEN8 DATATYPE_8,
         SUBREG_GEN7 SUBREG_4, SRC0_INDEX_GEN7, SRC1_INDEX_GEN7);
two_src!(GEN11_TWO, COPIED_7, SIGNED13, CONTROL_GEN7 CONTROL_8, DATATYPE_GEN11 DATATYPE_8,
         SUBREG_GEN7 SUBREG_4, SRC0_INDEX_GEN7, SRC1_INDEX_GEN7);
two_src_12!(GEN12_TWO, SRC0_INDEX_GEN12, SRC1_INDEX_GEN12);
two_src_12!(GEN125_TWO, SRC0_INDEX_GEN125, SRC1_INDEX_GEN125);
three_src_12!(GEN12_THREE, THREE_CONTROL_GEN12 THREE_CONTROL_12, THREE_SOURCE_GEN12);
three_src_12!(GEN125_THREE, THREE_CONTROL_GEN125 THREE_CONTROL_125, THREE_SOURCE_GEN125);

static GEN8_THREE: Form = Form::new(
    THREE_COPIED_8,
    const {
        &[
            table!("control", 9:8, THREE_CONTROL_GEN8, THREE_CONTROL_8),
            table!("source", 11:10, THREE_SOURCE_GEN8, THREE_SOURCE_8),
        ]
    },
    None,
);

/// The compacted form of instructions with one or two sources, including math.
pub(super) fn two_src(generation: Gen) -> Option<&'static Form> {
    Some(match generation {
        Gen::Gen4 => return None,
        Gen::Gen45 | Gen::Gen5 => &GEN45_TWO,
        Gen::Gen6 => &GEN6_TWO,
        Gen::Gen7 | Gen::Gen75 => &GEN7_TWO,
        Gen::Gen8 | Gen::Gen9 => &GEN8_TWO,
        Gen::Gen11 => &GEN11_TWO,
        Gen::Gen12 => &GEN12_TWO,
        Gen::Gen125 => &GEN125_TWO,
    })
}

/// The compacted form of three-source instructions. Gen11 has none: its tables are those of the
/// Align16 format, which gen11 does not have.
pub(super) fn three_src(generation: Gen) -> Option<&'static Form> {
    match generation {
        Gen::Gen8 | Gen::Gen9 => Some(&GEN8_THREE),
        Gen::Gen12 => Some(&GEN12_THREE),
        Gen::Gen125 => Some(&GEN125_THREE),
        _ => None,
    }
}
