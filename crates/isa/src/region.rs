//! The bytes that each channel of a direct operand accesses, as numbers and as drawings. `crestline
//! region` prints them.
//!
//! Input is an operand of an [`Inst`](crate::Inst) or its text ([`OperandText`]); output is a
//! [`Footprint`].

use crate::inst::{Dst, Place, Region, Src, SrcReg, Swizzle};
use crate::tables::{AccessMode, Type};
use std::fmt::Write;
use std::str::FromStr;

/// Bytes of a general register.
const REG_BYTES: u32 = 32;

/// Number of general registers.
const GRFS: u32 = 128;

/// Maximum number of channels of an instruction.
const MAX_CHANNELS: u32 = 32;

/// Why the bytes of an operand cannot be computed from the instruction alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// The address is in a register.
    #[error("an indirect operand's bytes depend on the address register")]
    Indirect,
    /// The elements of a VxH region, or an Align16 region of 64-bit elements, whose bytes depend on the generation.
    #[error("only regions with strides, and Align16 regions of up to 32 bits, can be drawn")]
    NotStrides,
    /// Not an execution size.
    #[error("{0} is not a number of channels: expected 1, 2, 4, 8, 16 or 32")]
    ExecSize(u32),
    /// The operand extends beyond the last register.
    #[error("channel {channel} accesses r{register}, but the last register is r{}", GRFS - 1)]
    Beyond {
        /// First channel whose element is beyond the last register.
        channel: usize,
        /// Number of the register that the element would be in.
        register: u32,
    },
}

/// An operand parsed from text, in the notation of either syntax: `g4.2<8;4,2>:f`, `r4.2<8,4,2>F`.
/// With one stride, such as `g4<2>:w`, it is a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandText {
    /// General register.
    pub register: u32,
    /// Offset in the register, in bytes.
    pub sub: u32,
    /// Region. For a destination of stride n: `<n;1,0>`, which has the same bytes.
    pub region: Region,
    /// Element type.
    pub ty: Type,
}

/// Why a text is not an operand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: expected {expected}, found {found}")]
pub struct OperandTextError {
    /// Column in characters, from 1.
    pub column: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// What was found, quoted, or "the end".
    pub found: String,
}

/// A text and the position up to which it has been read, in bytes.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Returns the error that `expected` was not found at byte `at`.
    fn fail<T>(&self, at: usize, expected: &'static str) -> Result<T, OperandTextError> {
        let (before, rest) = self.text.split_at(at);
        let found = match rest {
            "" => "the end".to_owned(),
            rest => format!("`{rest}`"),
        };
        Err(OperandTextError { column: before.chars().count() + 1, expected, found })
    }

    /// Reads one character, which must be one of `any`.
    fn take(&mut self, any: &[char], expected: &'static str) -> Result<(), OperandTextError> {
        match self.text[self.at..].chars().next().filter(|c| any.contains(c)) {
            Some(found) => {
                self.at += found.len_utf8();
                Ok(())
            }
            None => self.fail(self.at, expected),
        }
    }

    /// Reads the longest run of characters that satisfy `such`.
    fn run(&mut self, such: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !such(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads a number, which must satisfy `allowed`.
    fn number(
        &mut self,
        allowed: impl Fn(u8) -> bool,
        expected: &'static str,
    ) -> Result<u8, OperandTextError> {
        let start = self.at;
        match self.run(|c| c.is_ascii_digit()).parse() {
            Ok(number) if allowed(number) => Ok(number),
            _ => self.fail(start, expected),
        }
    }
}

impl FromStr for OperandText {
    type Err = OperandTextError;

    fn from_str(text: &str) -> Result<OperandText, OperandTextError> {
        let mut scan = Scanner { text, at: 0 };
        scan.take(&['r', 'g'], "a general register (r or g)")?;
        let register = scan.number(|n| u32::from(n) < GRFS, "a register number below 128")?;
        let sub_at = scan.at + 1;
        let sub = match scan.take(&['.'], "a subregister") {
            Ok(()) => scan.number(|_| true, "a subregister number")?,
            Err(_) => 0,
        };
        scan.take(&['<'], "a region, such as <8;8,1>")?;
        const STRIDES: &str = "a stride of 0, 1, 2, 4, 8, 16 or 32";
        let first = scan.number(|n| n <= 32 && (n == 0 || n.is_power_of_two()), STRIDES)?;
        let region = if scan.take(&['>'], "the end of the region").is_ok() {
            Region::align1(first, 1, 0)
        } else {
            scan.take(&[';', ','], "`;` or the end of the region")?;
            let width =
                scan.number(|n| n <= 16 && n.is_power_of_two(), "a width of 1, 2, 4, 8 or 16")?;
            scan.take(&[','], "`,` and a horizontal stride")?;
            let hstride =
                scan.number(|n| matches!(n, 0 | 1 | 2 | 4), "a stride of 0, 1, 2 or 4")?;
            scan.take(&['>'], "the end of the region")?;
            Region::align1(first, width, hstride)
        };
        // The `mesa` syntax has no colon.
        let _ = scan.take(&[':'], "a type");
        let start = scan.at;
        let name = scan.run(|c| c.is_ascii_alphanumeric());
        let Some(ty) = Type::from_name(name).filter(|ty| !ty.is_packed_vector()) else {
            return scan.fail(start, "a type, such as f");
        };
        if scan.at != text.len() {
            return scan.fail(scan.at, "the end");
        }
        let sub = u32::from(sub) * ty.size();
        if sub >= REG_BYTES {
            return scan.fail(sub_at, "a subregister inside the register");
        }
        Ok(OperandText { register: register.into(), sub, region, ty })
    }
}

/// The bytes of an operand's elements, counted from the start of the operand's register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Offset of the first byte of each channel's element.
    pub offsets: Vec<u32>,
    /// Bytes per element.
    pub size: u32,
    /// The channels that access their element, one bit each: without those that a write mask excludes.
    pub enabled: u32,
}

/// The byte offset in the register of a direct operand.
fn direct(place: Place) -> Result<u32, RegionError> {
    match place {
        Place::Direct { sub, .. } => Ok(u32::from(sub)),
        Place::Indirect { .. } => Err(RegionError::Indirect),
    }
}

/// Returns `exec_size` if it is a valid number of channels.
fn channels(exec_size: u32) -> Result<u32, RegionError> {
    if exec_size.is_power_of_two() && exec_size <= MAX_CHANNELS {
        Ok(exec_size)
    } else {
        Err(RegionError::ExecSize(exec_size))
    }
}

impl Footprint {
    /// The bytes of a region from byte `sub`. Align1, `<vstride;width,hstride>`: element `i` is at row `i / width`, column
    /// `i % width`. Align16: it is at row `i / 4`, in the column that the swizzle gives for component `i % 4`; rows have four
    /// elements.
    ///
    /// # Errors
    /// If the region has no fixed elements (VxH, Align16 with 64-bit elements), or `exec_size` is not a number of channels.
    pub fn of_region(
        region: Region,
        ty: Type,
        sub: u32,
        exec_size: u32,
    ) -> Result<Footprint, RegionError> {
        let size = ty.size();
        let rows = |vstride: u8, swizzle: Swizzle| {
            let component = move |i: u32| u32::from(swizzle.0[(i % 4) as usize]);
            move |i: u32| (i / 4) * u32::from(vstride) + component(i)
        };
        let element: Box<dyn Fn(u32) -> u32> = match region {
            Region::Align16 { .. } | Region::ThreeAlign16 { rep: false, .. } if size > 4 => {
                return Err(RegionError::NotStrides);
            }
            Region::Align16 { vstride, swizzle } => Box::new(rows(vstride, swizzle)),
            Region::ThreeAlign16 { rep: true, .. } => Box::new(|_| 0),
            Region::ThreeAlign16 { rep: false, swizzle } => Box::new(rows(4, swizzle)),
            Region::Align1 { .. } | Region::ThreeAlign1 { .. } => {
                let (vstride, width, hstride) = region.strides().ok_or(RegionError::NotStrides)?;
                let width = width.max(1);
                Box::new(move |i| (i / width) * vstride + (i % width) * hstride)
            }
        };
        let offsets = (0..channels(exec_size)?).map(|i| sub + element(i) * size).collect();
        Ok(Footprint { offsets, size, enabled: u32::MAX })
    }

    /// The bytes of an operand written as text.
    ///
    /// # Errors
    /// If `exec_size` is not a number of channels, or an element is beyond the last register.
    pub fn of_text(operand: &OperandText, exec_size: u32) -> Result<Footprint, RegionError> {
        let out = Footprint::of_region(operand.region, operand.ty, operand.sub, exec_size)?;
        let last = |offset: &u32| operand.register + (offset + out.size - 1) / REG_BYTES;
        match out.offsets.iter().map(last).enumerate().find(|(_, register)| *register >= GRFS) {
            None => Ok(out),
            Some((channel, register)) => Err(RegionError::Beyond { channel, register }),
        }
    }

    /// The bytes a source reads.
    ///
    /// # Errors
    /// As [`Footprint::of_region`]; also if the source is indirect, an immediate or absent.
    pub fn of_source(src: &Src, exec_size: u32) -> Result<Footprint, RegionError> {
        let SrcReg { place, ty, region, .. } = src.as_reg().ok_or(RegionError::NotStrides)?;
        Footprint::of_region(*region, *ty, direct(*place)?, exec_size)
    }

    /// The bytes a destination writes. Align16 has no stride, and the write mask excludes components of each row of four
    /// elements.
    ///
    /// # Errors
    /// If the destination is indirect, an Align16 one of 64-bit elements, or `exec_size` not a number of channels.
    pub fn of_destination(
        dst: &Dst,
        mode: AccessMode,
        exec_size: u32,
    ) -> Result<Footprint, RegionError> {
        let (sub, size) = (direct(dst.place)?, dst.ty.size());
        let (stride, components) = match mode {
            AccessMode::Align1 => (u32::from(dst.hstride), 0xf),
            AccessMode::Align16 if size > 4 => return Err(RegionError::NotStrides),
            AccessMode::Align16 => (1, u32::from(dst.writemask.0 & 0xf)),
        };
        let offsets = (0..channels(exec_size)?).map(|i| sub + i * stride * size).collect();
        Ok(Footprint { offsets, size, enabled: components * 0x1111_1111 })
    }

    /// Number of registers from the operand's register to the last one accessed.
    pub fn registers(&self) -> u32 {
        self.offsets.iter().max().map_or(0, |last| (last + self.size - 1) / REG_BYTES + 1)
    }

    /// The channels whose element contains `byte`, lowest first.
    fn channels_at(&self, byte: u32) -> Vec<usize> {
        let holds = |at: &u32| (*at..at + self.size).contains(&byte);
        let all = 0..self.offsets.len();
        all.filter(|n| self.enabled >> n & 1 == 1 && holds(&self.offsets[*n])).collect()
    }

    /// The text of a byte's cell: the channel that accesses the byte, `..` for no channel, or the
    /// lowest channel followed by `+` for several.
    fn cell(&self, byte: u32) -> String {
        match self.channels_at(byte).as_slice() {
            [] => "..".to_owned(),
            [only] => format!("{only:2}"),
            [first, ..] => format!("{first}+"),
        }
    }

    /// Draws the registers as text: one line per register, one cell per byte, byte 0 at the left.
    /// `first_register` is the number of the operand's register.
    pub fn draw(&self, first_register: u32) -> String {
        let mut out = String::from("byte ");
        for byte in 0..REG_BYTES {
            let _ = write!(out, " {byte:2}");
        }
        out.push('\n');
        for register in 0..self.registers() {
            let _ = write!(out, "r{:<4}", first_register + register);
            for byte in 0..REG_BYTES {
                let _ = write!(out, " {:>2}", self.cell(register * REG_BYTES + byte));
            }
            out.push('\n');
        }
        out
    }

    /// Draws the registers as an SVG image with one colour per channel, otherwise as
    /// [`Footprint::draw`].
    pub fn svg(&self, first_register: u32) -> String {
        const CELL: u32 = 24;
        const LEFT: u32 = 48;
        let (width, height) = (LEFT + REG_BYTES * CELL, (self.registers() + 1) * CELL);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n"
        );
        let text = |out: &mut String, x: u32, y: u32, label: &str| {
            let (x, y) = (x + CELL / 2, y + CELL * 2 / 3);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{label}</text>");
        };
        for byte in 0..REG_BYTES {
            text(&mut out, LEFT + byte * CELL, 0, &byte.to_string());
        }
        for register in 0..self.registers() {
            let y = (register + 1) * CELL;
            text(&mut out, CELL / 2, y, &format!("r{}", first_register + register));
            for byte in 0..REG_BYTES {
                let x = LEFT + byte * CELL;
                let at = self.channels_at(register * REG_BYTES + byte);
                let fill = at.first().map_or("white".to_owned(), |channel| {
                    // Multiples of the golden angle: adjacent channels get clearly different hues.
                    format!("hsl({},70%,80%)", channel * 137 % 360)
                });
                let _ = writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" \
                     fill=\"{fill}\" stroke=\"grey\"/>"
                );
                if !at.is_empty() {
                    text(&mut out, x, y, self.cell(register * REG_BYTES + byte).trim());
                }
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::WriteMask;

    #[test]
    fn rows_and_columns() {
        let region = Region::align1(8, 4, 2);
        let out = Footprint::of_region(region, Type::F, 0, 8).expect("a region of strides");
        assert_eq!(out.offsets, [0, 8, 16, 24, 32, 40, 48, 56]);
        assert_eq!((out.size, out.registers()), (4, 2));
        let scalar = Footprint::of_region(Region::SCALAR, Type::Uw, 6, 4).expect("a scalar");
        assert_eq!(scalar.offsets, [6, 6, 6, 6]);
        let dst = Footprint::of_destination(&Dst::grf(1, 4, Type::W, 2), AccessMode::Align1, 4);
        assert_eq!(dst.expect("direct").offsets, [4, 8, 12, 16]);
    }

    #[test]
    fn swizzles_and_write_masks() {
        let region = Region::Align16 { vstride: 4, swizzle: Swizzle([1, 1, 3, 0]) };
        let read = |ty| Footprint::of_region(region, ty, 0, 8);
        assert_eq!(read(Type::F).expect("dwords").offsets, [4, 4, 12, 0, 20, 20, 28, 16]);
        assert_eq!(read(Type::Df), Err(RegionError::NotStrides));
        let repeated = Region::Align16 { vstride: 0, swizzle: Swizzle([2, 2, 2, 2]) };
        let repeated = Footprint::of_region(repeated, Type::F, 16, 8).expect("dwords");
        assert_eq!(repeated.offsets, [24; 8]);
        let three = Region::ThreeAlign16 { rep: true, swizzle: Swizzle::XYZW };
        let three = Footprint::of_region(three, Type::F, 8, 8).expect("one element");
        assert_eq!(three.offsets, [8; 8]);
        let mut dst = Dst::grf(1, 0, Type::F, 1);
        dst.writemask = WriteMask(0b0101);
        let dst = Footprint::of_destination(&dst, AccessMode::Align16, 8).expect("dwords");
        let row: Vec<String> = [" 0", "..", " 2", "..", " 4", "..", " 6", ".."]
            .iter()
            .flat_map(|cell| vec![(*cell).to_owned(); 4])
            .collect();
        assert!(dst.draw(1).ends_with(&format!("r1    {}\n", row.join(" "))), "{}", dst.draw(1));
    }

    #[test]
    fn operands_of_both_syntaxes_are_read() {
        let read = |text: &str| text.parse::<OperandText>();
        let expected =
            OperandText { register: 4, sub: 8, region: Region::align1(8, 4, 2), ty: Type::F };
        assert_eq!(read("g4.2<8;4,2>:f"), Ok(expected));
        assert_eq!(read("r4.2<8,4,2>F"), Ok(expected));
        let destination = read("g4<2>:w").expect("a destination");
        let bytes = Footprint::of_region(destination.region, destination.ty, 0, 4);
        assert_eq!(bytes.expect("strides").offsets, [0, 4, 8, 12]);
        for (text, expected) in [
            ("", "column 1: expected a general register (r or g), found the end"),
            ("x4", "column 1: expected a general register (r or g), found `x4`"),
            ("g128<1>:f", "column 2: expected a register number below 128, found `128<1>:f`"),
            ("g4.8<1>:f", "column 4: expected a subregister inside the register, found `8<1>:f`"),
            (
                "g4<3;1,0>:f",
                "column 4: expected a stride of 0, 1, 2, 4, 8, 16 or 32, found `3;1,0>:f`",
            ),
            ("g4<8;4,2:f", "column 9: expected the end of the region, found `:f`"),
            ("g4<8;4,2>:x", "column 11: expected a type, such as f, found `x`"),
            ("g4<8;4,2>:f\u{e9}", "column 12: expected the end, found `\u{e9}`"),
        ] {
            assert_eq!(read(text).expect_err("is refused").to_string(), expected);
        }
    }

    #[test]
    fn what_has_no_fixed_bytes_is_refused() {
        let indirect = Src::indirect(0, 0, Type::F, Region::packed(8));
        assert_eq!(Footprint::of_source(&indirect, 8), Err(RegionError::Indirect));
        let packed = Region::packed(8);
        assert_eq!(Footprint::of_region(packed, Type::F, 0, 3), Err(RegionError::ExecSize(3)));
        let last: OperandText = "g127<8;8,1>:f".parse().expect("an operand");
        assert!(Footprint::of_text(&last, 8).is_ok());
        let beyond = RegionError::Beyond { channel: 8, register: 128 };
        assert_eq!(Footprint::of_text(&last, 16), Err(beyond));
    }

    #[test]
    fn drawings_name_the_channel_of_each_byte() {
        let out = Footprint::of_region(Region::align1(4, 4, 1), Type::Df, 0, 4).expect("strides");
        let text = out.draw(4);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 2);
        assert!(rows[1].starts_with("r4     0  0  0  0  0  0  0  0  1"), "{text}");
        let shared = Footprint::of_region(Region::SCALAR, Type::W, 0, 8).expect("strides");
        assert!(shared.draw(0).contains("r0    0+ 0+ .. .."), "{}", shared.draw(0));
        assert_eq!(out.svg(4).matches("<rect").count(), 32);
    }
}
