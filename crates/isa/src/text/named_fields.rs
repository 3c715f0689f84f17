//! Prints the fields of a message with their names, for messages that the other tools do not
//! describe.

use crate::message::{Descriptor, Message};
use crate::tables::Sfid;
use crestline_device::Gen;
use std::fmt::Write;

/// Prints `, NAME VALUE` for each field of the message, except lengths, header flag and the message
/// type, whose name is the message's name.
pub(super) fn named_fields(
    out: &mut String,
    generation: Gen,
    message: &Message,
    sfid: Sfid,
    (desc, ex_desc): (u32, u32),
) {
    const COMMON: [&str; 4] =
        ["message length", "response length", "header present", "second message length"];
    let fields = Descriptor::explain(generation, sfid, desc, ex_desc).unwrap_or_default();
    for field in fields {
        let name = field.name;
        let said = COMMON.contains(&name) || field.meaning == message.name();
        if said || name == "surface offset" && field.value == 0 {
            continue;
        }
        let _ = match field.meaning.as_str() {
            "" => write!(out, ", {name} {}", field.value),
            meaning => write!(out, ", {name} {meaning}"),
        };
    }
}
