//! Parses the truth table of `bfn`: a number, or an expression of the sources as `iga64` prints it.

use super::ParseError;
use super::cursor::Cursor;

type Result<T> = std::result::Result<T, ParseError>;

/// Maximum nesting of parentheses and complements.
const MAX_DEPTH: u32 = 64;

/// Parses a truth table: bit `s2*4 + s1*2 + s0` is the result for those source bits.
pub(super) fn table(c: &mut Cursor<'_>) -> Result<u8> {
    if !c.eat_joined("(") {
        let table = c.unsigned("a truth table")?;
        return u8::try_from(table).map_err(|_| c.error("a byte"));
    }
    let table = or(c, MAX_DEPTH)?;
    c.expect(")")?;
    Ok(table)
}

/// Parses an expression and returns its truth table. As in C, `&` has the highest precedence, then
/// `^`, then `|`.
fn or(c: &mut Cursor<'_>, depth: u32) -> Result<u8> {
    let mut table = xor(c, depth)?;
    while c.eat("|") {
        table |= xor(c, depth)?;
    }
    Ok(table)
}

/// Parses operands of `^`.
fn xor(c: &mut Cursor<'_>, depth: u32) -> Result<u8> {
    let mut table = and(c, depth)?;
    while c.eat("^") {
        table ^= and(c, depth)?;
    }
    Ok(table)
}

/// Parses operands of `&`.
fn and(c: &mut Cursor<'_>, depth: u32) -> Result<u8> {
    let mut table = term(c, depth)?;
    while c.eat("&") {
        table &= term(c, depth)?;
    }
    Ok(table)
}

/// Parses a source, a constant, a complement, or an expression in parentheses.
fn term(c: &mut Cursor<'_>, depth: u32) -> Result<u8> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(c.error("an expression that is nested less"));
    };
    if c.eat("~") {
        return Ok(!term(c, depth)?);
    }
    if c.eat("(") {
        let table = or(c, depth)?;
        c.expect(")")?;
        return Ok(table);
    }
    let start = c.position();
    match c.name() {
        "s0" => Ok(0xaa),
        "s1" => Ok(0xcc),
        "s2" => Ok(0xf0),
        "zeros" => Ok(0),
        "ones" => Ok(0xff),
        _ => {
            c.go_back(start);
            Err(c.error("`s0`, `s1`, `s2`, `zeros` or `ones`"))
        }
    }
}
