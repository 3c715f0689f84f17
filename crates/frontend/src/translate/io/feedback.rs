//! Transform feedback: the outputs that the decorations `XfbBuffer`, `XfbStride` and `Offset` select, if the entry point has
//! the execution mode `Xfb`.
//!
//! A captured value is a sequence of components without gaps, except that 64-bit components are at multiples of 8 bytes.
//! The elements of an array of blocks are captured in consecutive buffers.

use std::collections::BTreeMap;

use crestline_ssa::ir::{Capture, FeedbackBuffer, PathStep};
use rspirv::spirv::{Decoration, ExecutionMode};

use super::outputs::{Leaf, Output};
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::{EntryPoint, Module, Type};
use crate::translate::Translator;
use crate::translate::stage::modes;

/// Whether the entry point captures outputs.
pub(in crate::translate) fn captures_outputs(
    module: &Module<'_>,
    entry: &EntryPoint,
) -> Result<bool> {
    for inst in modes(module, entry) {
        if inst.word(1)? == ExecutionMode::Xfb as u32 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn wrong(detail: String) -> FrontendError {
    FrontendError::new(ErrorCode::BadInterface, detail)
}

impl Translator<'_, '_> {
    /// Adds the captured parts of an output, whose scalars and vectors are `leaves`.
    pub(super) fn capture(&mut self, output: &Output, leaves: &[Leaf]) -> Result<()> {
        if !self.captures {
            return Ok(());
        }
        let name = self.module.name(output.id).to_owned();
        let block = self.block_of(output.ty);
        let block = self.is_block(block).then_some(block);
        let arrayed = matches!(self.globals.types.get(output.ty), Some(Type::Array { .. }));
        // The offset after the captured components of each variable, member or element.
        let mut ends: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for leaf in leaves {
            let mut path = leaf.path.iter().map(|step| match step {
                PathStep::Const(number) => *number,
                PathStep::Dyn(_) => 0,
            });
            let mut next = || path.next().unwrap_or(0);
            let element = if block.is_some() && arrayed { next() } else { 0 };
            let member = block.map(|block| (block, next()));
            let word = |kind| match member {
                Some((block, member)) => self.module.member_word(block, member, kind),
                None => self.module.decoration_word(output.id, kind),
            };
            let inherited = |kind| match word(kind)? {
                Some(word) => Ok::<_, FrontendError>(Some(word)),
                None => self.module.decoration_word(output.id, kind),
            };
            let buffer = inherited(Decoration::XfbBuffer)?;
            let (Some(offset), Some(buffer)) = (word(Decoration::Offset)?, buffer) else {
                continue;
            };
            let Some(stride) = inherited(Decoration::XfbStride)? else {
                return Err(wrong(format!("expected an XfbStride of {name:?}, found none")));
            };
            if leaf.widening.is_some() {
                let detail = format!("expected components of 32 or 64 bits in {name:?}");
                return Err(wrong(detail));
            }
            let buffer = u8::try_from(buffer.saturating_add(element)).unwrap_or(u8::MAX);
            let state = FeedbackBuffer { stride, stream: leaf.stream };
            if *self.shader.feedback.buffers.entry(buffer).or_insert(state) != state {
                let detail = format!(
                    "expected one stride and one stream of transform feedback buffer {buffer}"
                );
                return Err(wrong(detail));
            }
            let end =
                ends.entry((element, member.map_or(0, |(_, member)| member))).or_insert(offset);
            let dwords = leaf.ty.bits() / 32;
            *end = end.checked_next_multiple_of(4 * dwords).unwrap_or(u32::MAX);
            let total = leaf.ty.comps() as u32 * dwords;
            let mut done = 0;
            while done < total {
                let at = u32::from(leaf.comp) + done;
                let Some(slot) = leaf.slot.plus(at / 4) else { break };
                let comps = (4 - at % 4).min(total - done);
                let (comp, comps) = ((at % 4) as u8, comps as u8);
                let capture = Capture { buffer, offset: *end, slot, comp, comps };
                self.shader.feedback.captures.push(capture);
                done += u32::from(comps);
                *end = capture.end();
            }
        }
        Ok(())
    }

    /// Sorts and checks the captured parts of all outputs.
    pub(super) fn check_captures(&mut self) -> Result<()> {
        self.shader.feedback.normalize();
        self.shader.feedback.check(&self.shader).map_err(|(slot, what)| match slot {
            Some(slot) => wrong(format!("transform feedback of {slot}: {what}")),
            None => wrong(what.to_owned()),
        })
    }
}
