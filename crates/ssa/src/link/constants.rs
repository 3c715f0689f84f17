//! Replaces inputs by constants: those that have the same constant in every store of the stage before, and those that it
//! never writes.
//!
//! A component that some path does not write is undefined there, so it may be the constant of the other paths.

use std::collections::BTreeMap;

use super::access::{Side, accesses};
use super::report::Report;
use super::{LinkStep, Options};
use crate::ir::{
    AluOp, Function, InstId, InstKind, InterpMode, IoSlot, Shader, Src, Stage, Ty, Value,
};
use crate::passes::util::{Action, rewrite, walk};

/// Greatest number of instructions that are looked through for a constant.
const MAX_STEPS: usize = 16;

/// What is known about a component of 32 bits, over all stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// It is never written, or only undefined values.
    Undefined,
    /// These bits.
    Bits(u32),
    /// It can have several values.
    No,
}

impl Known {
    /// What is known if both are possible.
    fn or(self, other: Known) -> Known {
        match (self, other) {
            (Known::Undefined, known) | (known, Known::Undefined) => known,
            (Known::Bits(a), Known::Bits(b)) if a == b => self,
            _ => Known::No,
        }
    }
}

/// What is known about the components of each slot. Missing slots are undefined.
type Slots = BTreeMap<IoSlot, [Known; 4]>;

/// A component of a load: its number, and what is known about its low and its high dword.
type KnownComponent = (u8, Known, Known);

/// What is known about dword number `dword` of component `comp` of a source.
fn known(func: &Function, mut src: Src, mut comp: usize, dword: u32) -> Known {
    for _ in 0..MAX_STEPS {
        let at = usize::from(src.swizzle[comp]);
        let Some(def) = func.def(src.value) else { return Known::No };
        match &def.kind {
            InstKind::Const(bits) => return Known::Bits((bits[at] >> (32 * dword)) as u32),
            InstKind::Undef => return Known::Undefined,
            InstKind::Alu { op: AluOp::Mov, srcs, .. } => (src, comp) = (srcs[0], at),
            InstKind::Alu { op: AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4, srcs, .. } => {
                (src, comp) = (srcs[at], 0);
            }
            _ => return Known::No,
        }
    }
    Known::No
}

/// What is known about the outputs of a shader.
fn stored(writer: &Shader, options: &Options) -> Slots {
    let mut slots = Slots::new();
    for access in accesses(writer, Side::Outputs, options.keeps(LinkStep::Indices)) {
        let InstKind::StoreOutput { data, .. } = writer.func.inst(access.inst).kind else {
            continue;
        };
        for slot in access.all_slots() {
            let comps = slots.entry(slot).or_insert([Known::Undefined; 4]);
            for at in (0..4u8).filter(|at| access.used >> at & 1 == 1) {
                for dword in 0..access.dwords {
                    let cell = usize::from(access.comp + at * access.dwords + dword);
                    let found = known(&writer.func, data, usize::from(at), dword.into());
                    if let Some(known) = comps.get_mut(cell) {
                        *known = match options.keeps(LinkStep::AllStores) {
                            true => known.or(found),
                            false => found,
                        };
                    }
                }
            }
        }
    }
    slots
}

/// Whether a shader that reads these bits as an interpolated input reads them unchanged. Weights have rounding errors, so
/// infinite and denormal numbers and the sign of zero are excluded.
fn survives_interpolation(bits: u32) -> bool {
    bits == 0 || f32::from_bits(bits).is_normal()
}

/// What a shader reads in a component of an input slot.
fn read(
    (writer, reader): (&Shader, &Shader),
    slots: &Slots,
    (slot, comp): (IoSlot, u8),
    options: &Options,
) -> Known {
    let known = match slots.get(&slot) {
        Some(comps) => comps.get(usize::from(comp)).copied().unwrap_or(Known::No),
        None => Known::Undefined,
    };
    match slot {
        IoSlot::Location(_)
        | IoSlot::Patch(_)
        | IoSlot::Position
        | IoSlot::PointSize
        | IoSlot::ClipDistances { .. } => {}
        // Vulkan, "Built-In Variables": without a variable in the last stage before the rasterizer, layer and viewport are 0.
        IoSlot::Layer | IoSlot::ViewportIndex if writer.output(slot).is_none() => {
            return Known::Bits(0);
        }
        // On some devices the control shader changes levels after its last store (`lower_quad_levels`).
        IoSlot::TessLevelOuter | IoSlot::TessLevelInner if !options.keeps(LinkStep::Levels) => {}
        _ => return Known::No,
    }
    let Known::Bits(bits) = known else { return known };
    let interpolated = reader.stage.stage() == Stage::Fragment
        && reader.input_component(slot, comp).and_then(|var| var.interp).is_some_and(|interp| {
            matches!(interp.mode, InterpMode::Smooth | InterpMode::NoPerspective)
        });
    match interpolated && options.keeps(LinkStep::Interpolated) && !survives_interpolation(bits) {
        true => Known::No,
        false => known,
    }
}

/// For each value, the sets of components that a source of an instruction reads together.
fn read_together(shader: &Shader) -> BTreeMap<Value, Vec<u8>> {
    let mut reads: BTreeMap<Value, Vec<u8>> = BTreeMap::new();
    walk(&shader.func, |cx, _, inst| {
        shader.for_each_read(&cx.targets, inst, |src, comps| {
            let read = &src.swizzle[..comps.min(4)];
            let mask = read.iter().fold(0, |mask, comp| mask | 1u8 << comp);
            reads.entry(src.value).or_default().push(mask);
        });
    });
    reads
}

/// Replaces components of loads of `reader` that are known from the stores of `writer`, shader number `at`. Returns whether
/// there were any.
pub(super) fn replace(
    writer: &Shader,
    reader: &mut Shader,
    options: &Options,
    at: usize,
    report: &mut Report,
) -> bool {
    let slots = stored(writer, options);
    let whole = options.vectors && reader.stage.stage() != Stage::Fragment;
    let reads = if whole { read_together(reader) } else { BTreeMap::new() };
    // By instruction: its components that are used, and those of them that are known.
    let mut values: BTreeMap<InstId, (u8, Vec<KnownComponent>)> = BTreeMap::new();
    for access in accesses(reader, Side::Inputs, options.keeps(LinkStep::Indices)) {
        let mut comps = Vec::new();
        for comp in (0..4u8).filter(|comp| access.used >> comp & 1 == 1) {
            let mut halves = [Known::Undefined; 2];
            for (dword, half) in (0..access.dwords).zip(&mut halves) {
                let cell = access.comp + comp * access.dwords + dword;
                for slot in access.all_slots() {
                    let found = read((writer, reader), &slots, (slot, cell), options);
                    *half = half.or(found);
                }
            }
            if !halves.contains(&Known::No) {
                comps.push((comp, halves[0], halves[1]));
            }
        }
        let known = comps.iter().fold(0, |mask, (comp, ..)| mask | 1u8 << comp);
        let value = reader.func.inst(access.inst).results[0];
        let of_value = reads.get(&value).map_or(&[][..], |masks| masks);
        if of_value.iter().any(|mask| mask & known != 0 && mask & !known != 0) {
            continue;
        }
        for &(comp, low, high) in &comps {
            let undefined = (low, high) == (Known::Undefined, Known::Undefined);
            for slot in access.all_slots() {
                report.replaces(at + 1, slot, access.cells_of(comp), undefined);
            }
        }
        if !comps.is_empty() {
            values.insert(access.inst, (access.used, comps));
        }
    }
    if values.is_empty() {
        return false;
    }
    rewrite(&mut reader.func, |b, _, inst| {
        let Some((used, comps)) = values.get(&inst) else { return Action::Keep };
        let data = b.func.inst(inst);
        let (kind, ty) = (data.kind.clone(), b.func.ty(data.results[0]));
        let load = b.inst(kind, &[ty]);
        let load = b.func.inst(load).results[0];
        let scalar: Ty = ty.scalar();
        let part = |comp: usize| match used >> comp & 1 == 1 {
            true => Src::comp(load, comp),
            false => b.undef(scalar).into(),
        };
        let mut parts: Vec<Src> = (0..ty.comps()).map(part).collect();
        for &(comp, low, high) in comps {
            let bits = |known| match known {
                Known::Bits(bits) => u64::from(bits),
                _ => 0,
            };
            parts[usize::from(comp)] = match (low, high) {
                (Known::Undefined, Known::Undefined) => b.undef(scalar).into(),
                _ => b.constant(scalar, [bits(high) << 32 | bits(low), 0, 0, 0]).into(),
            };
        }
        match parts[..] {
            [part] => Action::Replace(part),
            _ => Action::Replace(b.vec(&parts).into()),
        }
    });
    true
}
