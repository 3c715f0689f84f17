//! Prints assembly in columns. The printers of `isa` put one space between tokens; this module aligns the tokens of
//! successive lines. It only adds white space, so the text can still be assembled.

use std::io::{self, Write};

/// The greatest width of an operand's column in bytes. Longer operands do not widen it.
const MAX_COLUMN: usize = 28;

/// The end of the word at `start`: the next blank, line end, or the end of the text. Most of the time is spent here, so
/// it tests eight bytes at a time.
fn word_end(text: &[u8], start: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut at = start;
    while let Some(eight) = text[at..].first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        // The top bit of each byte up to the first blank is set only for that blank. Bits after it may be wrong because
        // of borrows.
        let found = eight.wrapping_sub(EACH * 0x21) & !eight & (EACH * 0x80);
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + text[at..].iter().position(|byte| *byte <= b' ').unwrap_or(text.len() - at)
}

/// The offset of the instruction in a line: after the comment at the line's start, if there is one. 0 for a line that
/// consists of a comment only.
fn behind_prefix(bytes: &[u8]) -> usize {
    if !bytes.starts_with(b"/* ") {
        return 0;
    }
    let line = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes, |end| &bytes[..end]);
    line.windows(3).position(|end| end == b"*/ ").map_or(0, |at| at + 3)
}

/// Splits the first line of a text into cells: the comment in front of the instruction (may be empty), the guard
/// (predicate or write enable, may be empty), the operation with its execution size, and the operands. Labels,
/// comments, `.bytes` and continuation lines have no cells, except for a comment in front. Returns the rest of the line
/// (options and comment), and the other lines.
fn cells<'a>(text: &'a str, cells: &mut Vec<&'a str>) -> (&'a str, &'a str) {
    let bytes = text.as_bytes();
    let word_end = |start: usize| word_end(bytes, start);
    let ends_line = |at: usize| bytes.get(at).is_none_or(|byte| *byte == b'\n');
    cells.clear();
    let mut start = behind_prefix(bytes);
    if start != 0 {
        cells.push(&text[..start - 1]);
    }
    let mut end = word_end(start);
    let label = ends_line(end) && bytes[..end].ends_with(b":");
    if end != start && !matches!(bytes[start], b'/' | b'.') && !label {
        if start == 0 {
            cells.push("");
        }
        let guarded = bytes[start] == b'(' && !ends_line(end);
        cells.push(if guarded { &text[start..end] } else { "" });
        if guarded {
            start = end + 1;
            end = word_end(start);
        }
        // In the `iga` syntax the execution size follows the operation: `mov (8|M0)`.
        if bytes[end..].starts_with(b" (") {
            let size_end = word_end(end + 1);
            if bytes[end..size_end].contains(&b'|') {
                end = size_end;
            }
        }
        cells.push(&text[start..end]);
        let ends_cells = |at: usize| {
            let rest = &bytes[at..];
            ends_line(at) || rest.starts_with(b" {") || rest.starts_with(b" //")
        };
        while !ends_cells(end) {
            start = end + 1;
            end = word_end(start);
            if start < end {
                cells.push(&text[start..end]);
            }
        }
        start = end;
    }
    while !ends_line(end) {
        end = word_end(end + 1);
    }
    let tail = &text[start..end];
    let rest = text.get(end + 1..).unwrap_or("");
    (if cells.is_empty() { tail.trim_end() } else { tail.trim() }, rest)
}

/// A part of a listing that was printed by one thread, or a whole listing.
pub(crate) struct Part {
    text: String,
    /// The width of each column, in bytes.
    widths: Vec<usize>,
}

impl Part {
    /// Measures the columns of a text.
    pub(crate) fn new(text: String) -> Part {
        let (mut widths, mut row) = (Vec::new(), Vec::new());
        let mut rest = text.as_str();
        while !rest.is_empty() {
            rest = cells(rest, &mut row).1;
            let lengths = row.iter().map(|cell| cell.len().min(MAX_COLUMN));
            widen(&mut widths, row.len(), lengths);
        }
        Part { text, widths }
    }
}

/// Widens columns to the widths `others`. There are at least `count` columns afterwards.
fn widen(widths: &mut Vec<usize>, count: usize, others: impl Iterator<Item = usize>) {
    widths.resize(widths.len().max(count), 0);
    for (width, other) in widths.iter_mut().zip(others) {
        *width = other.max(*width);
    }
}

/// Appends the first line of a text, aligned. Returns the other lines. `row` is scratch space for the line's cells.
fn put_line<'a>(
    out: &mut String,
    widths: &[usize],
    row: &mut Vec<&'a str>,
    text: &'a str,
) -> &'a str {
    let (tail, rest) = cells(text, row);
    // Pending blanks: written only if more text follows in the line.
    let mut blanks = 0;
    // A single cell is the comment in front of a line that is no instruction.
    if let [prefix] = row[..] {
        put(out, &mut blanks, prefix);
        blanks = 1;
    } else if !row.is_empty() {
        let row = row.iter().copied().chain(std::iter::repeat(""));
        for (width, cell) in widths.iter().zip(row) {
            put(out, &mut blanks, cell);
            blanks += width.saturating_sub(cell.len()) + usize::from(*width != 0);
        }
    }
    put(out, &mut blanks, tail);
    out.push('\n');
    rest
}

/// Aligns a listing.
pub(crate) fn align(text: String) -> String {
    let Part { text, widths } = Part::new(text);
    let mut out = String::with_capacity(text.len() * 2);
    let (mut row, mut rest) = (Vec::new(), text.as_str());
    while !rest.is_empty() {
        rest = put_line(&mut out, &widths, &mut row, rest);
    }
    out
}

/// Writes the parts of a listing, aligned. The text is written in pieces, so that it is never in memory as a whole, and
/// a program that reads it can work at the same time.
///
/// # Errors
/// Errors of the writer.
pub(crate) fn write(out: &mut dyn Write, parts: &[Part]) -> io::Result<()> {
    const PIECE: usize = 64 << 10;
    let mut widths = Vec::new();
    for part in parts {
        widen(&mut widths, part.widths.len(), part.widths.iter().copied());
    }
    let mut row = Vec::new();
    let mut piece = String::with_capacity(2 * PIECE);
    for part in parts {
        let mut rest = part.text.as_str();
        while !rest.is_empty() {
            rest = put_line(&mut piece, &widths, &mut row, rest);
            if piece.len() >= PIECE {
                out.write_all(piece.as_bytes())?;
                piece.clear();
            }
        }
    }
    out.write_all(piece.as_bytes())
}

/// Appends the pending blanks and a text, unless the text is empty.
fn put(out: &mut String, blanks: &mut usize, text: &str) {
    const BLANKS: &str = "                                ";
    if text.is_empty() {
        return;
    }
    while *blanks != 0 {
        let some = (*blanks).min(BLANKS.len());
        out.push_str(&BLANKS[..some]);
        *blanks -= some;
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_stand_under_each_other() {
        let text = "L0:\n(W) mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f {Compacted}\n\
                    cmp (16|M0) (lt)f0.0 null<1>:d r10.0<8;8,1>:ud // why\nnop\n";
        let expected = "L0:\n\
            (W) mov (8|M0)  r1.0<1>:f r2.0<8;8,1>:f                 {Compacted}\n\
            \x20   cmp (16|M0) (lt)f0.0  null<1>:d     r10.0<8;8,1>:ud // why\n\
            \x20   nop\n";
        assert_eq!(align(text.to_owned()), expected);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&align(text.to_owned())), words(text));
    }

    #[test]
    fn parts_share_their_columns() {
        let lines = ["mov (8|M0) r1 r2\n", "(W) add (16|M16) r100.0 r2 0x1 {Compacted}\n"];
        let mut written = Vec::new();
        let parts = lines.map(|line| Part::new(line.to_owned()));
        write(&mut written, &parts).expect("memory takes it");
        assert_eq!(String::from_utf8(written).expect("it is text"), align(lines.concat()));
    }

    #[test]
    fn comments_in_front_are_a_column() {
        let text = "L0:\n/* 0x0000 */ (W) mov (8|M0) r1 r2\n/* 0x0010 */ .bytes 7f // why not\n\
                    /* 0x10018 */ nop\n/* all of it */\n";
        let expected = "L0:\n/* 0x0000 */  (W) mov (8|M0) r1 r2\n/* 0x0010 */ .bytes 7f // why not\n\
                        /* 0x10018 */     nop\n/* all of it */\n";
        assert_eq!(align(text.to_owned()), expected);
        assert_eq!(align(".bytes 7f // why\nnop\n".to_owned()), ".bytes 7f // why\nnop\n");
    }

    #[test]
    fn second_lines_stay_and_nothing_gets_lost() {
        let text = "\nLABEL0:\nmov(8) g1<1>F g2<8,8,1>F { align1 1Q };\nsend(8) g1<1>W g2<0,1,0>UD 0x1\n    \
                    sampler MsgDesc: (x) { align1 1Q };\n";
        let expected = "\nLABEL0:\nmov(8)  g1<1>F g2<8,8,1>F      { align1 1Q };\n\
                        send(8) g1<1>W g2<0,1,0>UD 0x1\n    sampler MsgDesc: (x) { align1 1Q };\n";
        assert_eq!(align(text.to_owned()), expected);
    }
}
