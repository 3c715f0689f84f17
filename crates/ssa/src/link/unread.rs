//! Removes stores to outputs that nothing reads.

use super::access::{Cells, Side, accesses, loaded};
use super::report::Report;
use super::{LinkStep, Options};
use crate::ir::{InstKind, IoSlot, Shader, Stage, WriteMask};

/// The components of the outputs of `writer` that something reads: the code of `reader` and of the writer itself, the
/// fixed functions, transform feedback. `None` if everything counts as read.
fn needed(writer: &Shader, reader: Option<&Shader>, options: &Options) -> Option<Cells> {
    let stage = writer.stage.stage();
    let next = reader.map(|reader| reader.stage.stage());
    if stage == Stage::Fragment
        || next.is_none() && !options.no_fragment_shader && options.keeps(LinkStep::OpenEnd)
    {
        return None;
    }
    let whole = options.keeps(LinkStep::Indices);
    let mut cells = match reader {
        Some(reader) => loaded(reader, Side::Inputs, whole),
        None => Cells::new(),
    };
    if options.keeps(LinkStep::OwnLoads) {
        for (slot, own) in loaded(writer, Side::Outputs, whole) {
            *cells.entry(slot).or_default() |= own;
        }
    }
    let last = next.is_none_or(|next| next == Stage::Fragment);
    for slot in writer.outputs.iter().flat_map(|var| (0..var.slots()).map(|at| var.slot.plus(at))) {
        let Some(slot) = slot else { continue };
        let fixed = options.keeps(LinkStep::FixedFunctions)
            && match slot {
                IoSlot::Position
                | IoSlot::PointSize
                | IoSlot::Layer
                | IoSlot::ViewportIndex
                | IoSlot::ClipDistances { .. } => last,
                IoSlot::TessLevelOuter | IoSlot::TessLevelInner => true,
                _ => false,
            };
        if fixed || last && is_captured(writer, slot, options) {
            cells.insert(slot, 0xf);
        }
    }
    Some(cells)
}

/// Whether transform feedback captures a part of a slot of `writer`, the last stage before the rasterizer: the shader or the
/// options say so.
pub(super) fn is_captured(writer: &Shader, slot: IoSlot, options: &Options) -> bool {
    let declared = writer.feedback.captures.iter().any(|capture| capture.slot == slot);
    (declared || options.captured.contains(&slot)) && options.keeps(LinkStep::Captured)
}

/// Removes stores of `writer`, shader number `at`, to components that nothing reads. Returns whether there were any.
pub(super) fn remove(
    writer: &mut Shader,
    reader: Option<&Shader>,
    options: &Options,
    at: usize,
    report: &mut Report,
) -> bool {
    let Some(needed) = needed(writer, reader, options) else { return false };
    let mut changed = false;
    for access in accesses(writer, Side::Outputs, true).iter().filter(|access| access.store) {
        let read = |slot| needed.get(&slot).copied().unwrap_or(0);
        let read = access.all_slots().fold(0, |mask, slot| mask | read(slot));
        let unread = (0..4)
            .filter(|&comp| access.used >> comp & 1 == 1 && access.cells_of(comp) & read == 0);
        let unread = unread.fold(0, |mask, comp| mask | 1 << comp);
        if unread == 0 {
            continue;
        }
        changed = true;
        for slot in access.all_slots() {
            report.removes(at, slot, access.cells() & !read);
        }
        if let InstKind::StoreOutput { mask, .. } = writer.func.kind_mut(access.inst) {
            *mask = WriteMask(mask.0 & !unread);
        }
    }
    if changed {
        drop_empty_stores(writer);
    }
    changed
}

/// Removes stores without components.
fn drop_empty_stores(shader: &mut Shader) {
    let func = &mut shader.func;
    let mut regions = vec![func.body()];
    while let Some(region) = regions.pop() {
        let mut insts = std::mem::take(&mut func.region_mut(region).insts);
        insts.retain(|&inst| {
            let kind = &func.inst(inst).kind;
            regions.extend(kind.regions());
            !matches!(kind, InstKind::StoreOutput { mask: WriteMask(0), .. })
        });
        func.region_mut(region).insts = insts;
    }
}
