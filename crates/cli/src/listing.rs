//! Assembly in columns. The printers of `isa` put one space between tokens; for people the same
//! tokens stand under each other. Only white space is added, so the text still assembles.

/// The widest operand that others are aligned to, in characters.
const MAX_COLUMN: usize = 28;

/// An instruction's line taken apart.
struct Cells<'a> {
    /// Predicate or write enable.
    guard: &'a str,
    /// Operation with its execution size.
    head: &'a str,
    operands: Vec<&'a str>,
    /// Options and comment.
    tail: &'a str,
}

/// Bytes of the group in parentheses that a text starts with; 0 if it does not.
fn group(text: &str) -> usize {
    text.find(')').filter(|_| text.starts_with('(')).map_or(0, |end| end + 1)
}

/// Takes an instruction apart; `None` for labels, comments and second lines.
fn cells(line: &str) -> Option<Cells<'_>> {
    let label = line.ends_with(':') && !line.contains(' ');
    if line.is_empty() || line.starts_with([' ', '/']) || label {
        return None;
    }
    let (guard, rest) = line.split_at(group(line));
    let rest = rest.trim_start();
    let tail = [rest.find(" {"), rest.find(" //")].into_iter().flatten().min();
    let (rest, tail) = rest.split_at(tail.unwrap_or(rest.len()));
    let operation = rest.find(' ').unwrap_or(rest.len());
    // The `iga` syntax has the execution size behind the operation: `mov (8|M0)`.
    let size = rest.get(operation + 1..).map_or(0, group);
    let size = if rest[operation..].contains('|') { size } else { 0 };
    let head = if size == 0 { operation } else { operation + 1 + size };
    let (head, rest) = rest.split_at(head);
    Some(Cells { guard, head, operands: rest.split_whitespace().collect(), tail: tail.trim() })
}

fn widen(width: &mut usize, text: &str) {
    *width = (*width).max(text.chars().count().min(MAX_COLUMN));
}

/// Aligns a listing.
pub(crate) fn align(text: &str) -> String {
    let lines: Vec<(&str, Option<Cells<'_>>)> =
        text.lines().map(|line| (line, cells(line))).collect();
    let (mut guard, mut head, mut operands) = (0, 0, Vec::new());
    for cells in lines.iter().filter_map(|(_, cells)| cells.as_ref()) {
        widen(&mut guard, cells.guard);
        widen(&mut head, cells.head);
        operands.resize(operands.len().max(cells.operands.len()), 0);
        for (width, operand) in operands.iter_mut().zip(&cells.operands) {
            widen(width, operand);
        }
    }
    let mut out = String::with_capacity(text.len() * 2);
    for (line, cells) in lines {
        let start = out.len();
        match cells {
            None => out.push_str(line),
            Some(cells) => {
                let mut put = |text: &str, width: usize| {
                    out.push_str(text);
                    let missing = width.saturating_sub(text.chars().count());
                    out.extend(std::iter::repeat_n(' ', missing + usize::from(width != 0)));
                };
                put(cells.guard, guard);
                put(cells.head, head);
                let shown = cells.operands.iter().copied().chain(std::iter::repeat(""));
                operands.iter().zip(shown).for_each(|(width, operand)| put(operand, *width));
                out.push_str(cells.tail);
            }
        }
        let end = start + out[start..].trim_end().len();
        out.truncate(end);
        out.push('\n');
    }
    out
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
        assert_eq!(align(text), expected);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&align(text)), words(text));
    }

    #[test]
    fn second_lines_stay_and_nothing_gets_lost() {
        let text = "\nLABEL0:\nmov(8) g1<1>F g2<8,8,1>F { align1 1Q };\nsend(8) g1<1>W g2<0,1,0>UD 0x1\n    \
                    sampler MsgDesc: (x) { align1 1Q };\n";
        let expected = "\nLABEL0:\nmov(8)  g1<1>F g2<8,8,1>F      { align1 1Q };\n\
                        send(8) g1<1>W g2<0,1,0>UD 0x1\n    sampler MsgDesc: (x) { align1 1Q };\n";
        assert_eq!(align(text), expected);
    }
}
