//! Tables of packets and status registers, one row each with a column for every supported generation.

use crestline_device::Gen;

mod packets;
mod units;

pub(crate) use packets::INTERFACE_DESCRIPTOR;
pub use packets::PACKETS;
pub use units::REGISTERS;

/// Number of columns: gen7, gen7.5, gen8, gen9, gen11, gen12.
pub const COLUMNS: usize = 6;

/// The column of each generation, in the order of [`Gen::ALL`].
const COLUMN: [Option<usize>; Gen::ALL.len()] =
    [None, None, None, None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), None];

/// The column of a generation; `None` if the tables do not have it.
pub fn column(generation: Gen) -> Option<usize> {
    COLUMN[generation as usize]
}

/// The bits of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The dword in the packet, from 0.
    pub dword: u8,
    /// The highest bit, counted from bit 0 of that dword: 32 and above lie in the next dword.
    pub high: u8,
    /// The lowest bit.
    pub low: u8,
}

/// How a field is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One bit.
    Flag,
    /// A number.
    Number,
    /// An address or offset in bytes. The bits below the field are zero.
    Address,
    /// Bits without a meaning as a number.
    Hex,
}

/// A field of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name of the manuals.
    pub name: &'static str,
    /// How it is shown.
    pub kind: Kind,
    /// The bits, for each generation that has the field.
    pub bits: [Option<Bits>; COLUMNS],
}

impl Field {
    /// The value of the field in a packet, `None` if the packet or the generation does not have it. An address contains
    /// the zeros below the field.
    pub fn value(&self, words: &[u32], column: usize) -> Option<u64> {
        let Bits { dword, high, low } = (*self.bits.get(column)?)?;
        let first = u64::from(*words.get(usize::from(dword))?);
        // A 64-bit field may be half as long in a shorter form of the packet.
        let next = if high < 32 { None } else { words.get(usize::from(dword) + 1) };
        let value = first | u64::from(next.copied().unwrap_or_default()) << 32;
        let kept = value & (u64::MAX >> (63 - high));
        let shifted = kept >> low;
        Some(if self.kind == Kind::Address { shifted << low } else { shifted })
    }
}

/// A packet of the command streamer.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The value of the header's bits in `mask`.
    pub code: u32,
    /// The bits of the header that tell the packet.
    pub mask: u32,
    /// The name of the manuals.
    pub name: &'static str,
    /// Number of the header's low bits that hold the length in dwords, less 2. 0: the packet has one dword.
    pub length_bits: u8,
    /// The generations that have the packet.
    pub exists: [bool; COLUMNS],
    /// The fields that the tables have, in groups. Packets with equal fields share a group.
    pub fields: &'static [&'static [Field]],
}

impl Packet {
    /// All fields, in the order of the groups.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().copied().flatten()
    }
}

/// The packet that a header starts.
pub fn packet(header: u32, column: usize) -> Option<&'static Packet> {
    // Codes with the same bits in the mask are next to each other, whatever the mask.
    let start = PACKETS.partition_point(|row| row.code < header & row.mask);
    let rows = PACKETS.get(start..)?.iter();
    let mut same = rows.take_while(|row| row.code == header & row.mask);
    same.find(|row| row.exists.get(column) == Some(&true))
}

/// Number of dwords of the packet that a header starts, at least 1. Packets without a row have the length that the
/// header's type determines.
pub fn length(header: u32, packet: Option<&Packet>) -> usize {
    let bits = match packet {
        Some(packet) => packet.length_bits,
        // MI packets with an opcode below 16 have one dword.
        None => match header >> 29 {
            0 if header >> 23 < 16 => 0,
            0 => 6,
            2 | 3 => 8,
            _ => 0,
        },
    };
    match bits {
        0 => 1,
        bits => (header & ((1 << bits) - 1)) as usize + 2,
    }
}

/// A bit of a status register: 1 if the unit is done.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// The bit.
    pub bit: u8,
    /// The name of the unit in the manuals.
    pub name: &'static str,
    /// The generations that have it.
    pub exists: [bool; COLUMNS],
}

/// The units of a status register that were not done.
pub fn not_done(register: &str, value: u64, column: usize) -> Option<Vec<&'static str>> {
    let base = register.split('[').next().unwrap_or(register);
    let (_, units) = REGISTERS.iter().find(|(name, _)| *name == base)?;
    let is_busy =
        |unit: &&Unit| unit.exists.get(column) == Some(&true) && value >> unit.bit & 1 == 0;
    Some(units.iter().filter(is_busy).map(|unit| unit.name).collect())
}

/// Reads a cell of a table of fields: `[dword high low]`, or `[]` if the generation does not have the field.
macro_rules! bits {
    ([]) => {
        None
    };
    ([$dword:literal $high:literal $low:literal]) => {
        Some(Bits { dword: $dword, high: $high, low: $low })
    };
}

/// A table of fields: name, kind, and for each generation the bits.
macro_rules! field_table {
    ($table:ident: $($name:literal $kind:ident $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt;)*) => {
        pub(crate) const $table: &[Field] = &[$(Field {
            name: $name,
            kind: Kind::$kind,
            bits: [bits!($a), bits!($b), bits!($c), bits!($d), bits!($e), bits!($f)],
        }),*];
    };
}

/// The table of packets: code, mask, name, bits of the length, a 1 for each generation that has it, and its
/// groups of fields.
macro_rules! packet_table {
    ($($code:literal $mask:literal $name:literal $length:literal [$($exists:literal)*] $($fields:ident)*;)*) => {
        /// The packets, in the order of their codes.
        pub const PACKETS: &[Packet] = &[$(Packet {
            code: $code,
            mask: $mask,
            name: $name,
            length_bits: $length,
            exists: [$($exists == 1),*],
            fields: &[$($fields),*],
        }),*];
    };
}

/// A table of units: bit, name, a 1 for each generation that has it.
macro_rules! unit_table {
    ($table:ident: $($bit:literal $name:literal [$($exists:literal)*];)*) => {
        const $table: &[Unit] = &[$(Unit { bit: $bit, name: $name, exists: [$($exists == 1),*] }),*];
    };
}

pub(crate) use {bits, field_table, packet_table, unit_table};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_sorted_and_unique() {
        for pair in PACKETS.windows(2) {
            assert!(pair[0].code <= pair[1].code, "{} {}", pair[0].name, pair[1].name);
        }
        for row in PACKETS {
            assert_eq!(row.code & !row.mask, 0, "{}", row.name);
            for column in (0..COLUMNS).filter(|&column| row.exists[column]) {
                let found = packet(row.code, column).expect("a row");
                assert_eq!(found.name, row.name, "column {column}");
            }
        }
    }

    #[test]
    fn fields_of_a_generation_do_not_overlap() {
        let tables = PACKETS.iter().map(|row| (row.name, row.fields));
        for (name, fields) in
            tables.chain([("INTERFACE_DESCRIPTOR_DATA", &[INTERFACE_DESCRIPTOR][..])])
        {
            for column in 0..COLUMNS {
                let mut taken: Vec<(usize, &str)> = Vec::new();
                for field in fields.iter().copied().flatten() {
                    let Some(Bits { dword, high, low }) = field.bits[column] else { continue };
                    assert!(low <= high && high < 64, "{name}: {}", field.name);
                    for bit in low..=high {
                        let bit = usize::from(dword) * 32 + usize::from(bit);
                        let other = taken.iter().find(|(at, _)| *at == bit);
                        assert!(other.is_none(), "{name}: {} and {other:?}", field.name);
                        taken.push((bit, field.name));
                    }
                }
            }
        }
    }

    #[test]
    fn lengths_follow_the_header() {
        let of = |header| length(header, packet(header, 3));
        assert_eq!(of(0), 1);
        assert_eq!(of(0x7b00_0005), 7);
        assert_eq!(of(0x6904_0300), 1);
        assert_eq!(of(0x7002_0002), 4);
        assert_eq!(of(0xe000_0000), 1);
    }

    #[test]
    fn a_clear_bit_is_a_unit_at_work() {
        let gen9 = column(Gen::Gen9).expect("supported");
        assert_eq!(not_done("INSTDONE", 0xffff_fffb, gen9), Some(vec!["VS"]));
        assert_eq!(not_done("ROW_INSTDONE[0][2]", 0xffff_fffd, gen9), Some(vec!["PSD"]));
        assert_eq!(not_done("INSTPM", 0, gen9), None);
        // Bit 20 is unused on gen7.
        assert_eq!(not_done("INSTDONE", !(1 << 20), 0), Some(vec![]));
    }
}
