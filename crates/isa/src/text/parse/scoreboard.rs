//! Software scoreboard options (gen12 on), which both syntaxes write alike: `$3.dst`, `F@1`.

use super::ParseError;
use super::cursor::Cursor;
use crate::inst::{Swsb, SwsbPipe, SwsbToken, TokenMode};

/// Reads a token or a distance into `swsb`; whether there was one. `bare` is what a token without a suffix does.
///
/// # Errors
/// A number that does not fit its field.
pub(super) fn scoreboard(
    c: &mut Cursor<'_>,
    swsb: &mut Swsb,
    bare: TokenMode,
) -> Result<bool, ParseError> {
    if c.eat("$") {
        let id = c.decimal("a token", 15)? as u8;
        let mode = if c.eat_joined(".dst") {
            TokenMode::Dst
        } else if c.eat_joined(".src") {
            TokenMode::Src
        } else {
            bare
        };
        swsb.token = Some(SwsbToken { mode, id });
        return Ok(true);
    }
    for (name, pipe) in [
        ("@", SwsbPipe::Implied),
        ("A@", SwsbPipe::All),
        ("F@", SwsbPipe::Float),
        ("I@", SwsbPipe::Int),
        ("L@", SwsbPipe::Long),
    ] {
        if c.eat(name) {
            swsb.distance = c.decimal("a distance", 7)? as u8;
            swsb.pipe = pipe;
            return Ok(true);
        }
    }
    Ok(false)
}
