//! Parses software scoreboard options (gen12 on), which are the same in both syntaxes: `$3.dst`,
//! `F@1`.

use super::ParseError;
use super::cursor::Cursor;
use crate::codec::swsb_exists;
use crate::inst::{Inst, SwsbPipe, SwsbToken, TokenMode};
use crate::tables::Opcode;
use crestline_device::Gen;

const PIPES: [(&str, SwsbPipe); 5] = [
    ("@", SwsbPipe::Implied),
    ("A@", SwsbPipe::All),
    ("F@", SwsbPipe::Float),
    ("I@", SwsbPipe::Int),
    ("L@", SwsbPipe::Long),
];

/// Parses a token or a distance, sets it in `inst`, and returns whether there was one. `inst` must
/// already have its opcode. `bare` is the action of a token without a suffix.
///
/// # Errors
/// If a number does not fit its field, there is a second token or distance, or the operation cannot
/// have this scoreboard.
pub(super) fn scoreboard(
    c: &mut Cursor<'_>,
    inst: &mut Inst,
    generation: Gen,
    bare: TokenMode,
) -> Result<bool, ParseError> {
    let start = c.here();
    let swsb = &mut inst.swsb;
    if c.eat("$") {
        if swsb.token.is_some() {
            return Err(c.error_at(start, "no second token"));
        }
        let id = c.decimal("a token", 15)? as u8;
        let mode = if c.eat_joined(".dst") {
            TokenMode::Dst
        } else if c.eat_joined(".src") {
            TokenMode::Src
        } else {
            bare
        };
        swsb.token = Some(SwsbToken { mode, id });
    } else if let Some((_, pipe)) = PIPES.iter().find(|(name, _)| c.eat(name)) {
        if swsb.distance != 0 {
            return Err(c.error_at(start, "no second distance"));
        }
        swsb.distance = c.decimal("a distance", 7)? as u8;
        swsb.pipe = *pipe;
    } else {
        return Ok(false);
    }
    // On gen12.5, the distance of a message that also has a token counts in all pipes, and the pipe
    // is not encoded.
    if inst.opcode.is_send() && swsb.token.is_some() && swsb.pipe == SwsbPipe::All {
        swsb.pipe = SwsbPipe::Implied;
    }
    if swsb_exists(inst.opcode, *swsb, generation) {
        return Ok(true);
    }
    let both = if inst.opcode.is_send() || matches!(inst.opcode, Opcode::Math | Opcode::Dpas) {
        "@1,$3"
    } else {
        "@1,$3.dst"
    };
    let expected = format!(
        "a distance or token that `{}` can have on {generation} (both together only as `{both}`)",
        inst.opcode.name()
    );
    Err(c.error_at(start, &expected))
}
