//! Layouts of URB entries: the slot of each varying. Except for the primitive id, the slot depends only on the varying
//! itself, so stages that are compiled separately agree on it. Linked stages may agree on entries without clip distances.
//!
//! A vertex entry has these slots. It ends with the last slot that has a varying; an unused slot before it is padding.
//!
//! - Slot 0: the vertex header, with layer (dword 1), viewport index (dword 2) and point size (dword 3).
//! - Slot 1: the position.
//! - Slots 2 and 3: the clip distances. The clipper expects them in these slots, so no other varying is there, unless linked
//!   stages agree that there are no clip distances ([`Vertex::Unclipped`]).
//! - From slot 4 on, in entries without clip distances from slot 2 on: the locations in order.
//! - After the last used location: the primitive id, if a geometry shader writes it.

use std::collections::BTreeSet;

use crestline_codegen::stage::{ThreadMode, VueMap, VueSlot};
use crestline_program::{
    Distances, Feedback, FeedbackBuffer, FeedbackCapture, SLOT_BYTES, Varying,
};
use crestline_ssa::ir::{IoSlot, Shader, TessDomain};

use crate::CompileError;
use crate::pipeline::internal;

/// Largest number of locations of a layout: 128 components (Vulkan: `maxVertexOutputComponents` and similar limits of
/// these devices).
const LOCATIONS: u32 = 32;

/// The kind of a vertex entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vertex {
    /// It has room for clip distances, used or not.
    Clipped,
    /// It has none.
    Unclipped,
}

impl Vertex {
    /// The kind of entry that linked stages agree on.
    pub(super) const fn of(without_clip_distances: bool) -> Vertex {
        if without_clip_distances { Vertex::Unclipped } else { Vertex::Clipped }
    }

    /// The slot of location 0.
    const fn first_location(self) -> u32 {
        match self {
            Vertex::Clipped => 4,
            Vertex::Unclipped => 2,
        }
    }
}

/// The slot of location 0 of a patch in a patch entry, after the two slots of the patch header.
const FIRST_PATCH_LOCATION: u32 = 2;

/// The size of an entry is a multiple of this number of bytes.
const ENTRY_UNIT: u32 = 64;

/// The layout of the entry of a vertex with the varyings in `slots`: as a map for instruction selection, and as the
/// list of the varying in each slot for the metadata.
///
/// # Errors
/// A location is [`LOCATIONS`] or more, or an entry without clip distances has some.
pub(super) fn vertex_entry(
    slots: &BTreeSet<IoSlot>,
    kind: Vertex,
) -> Result<(VueMap, Vec<Varying>), CompileError> {
    let mut vue_map = VueMap::default();
    let mut varyings = vec![Varying::Header, Varying::Position];
    let mut put = |slot: IoSlot, vue_slot: VueSlot, varying: Varying| {
        let index = vue_slot.slot as usize;
        if varyings.len() <= index {
            varyings.resize(index + 1, Varying::Padding);
        }
        varyings[index] = varying;
        vue_map.slots.insert(slot, vue_slot);
    };
    // The primitive id has the slot after the last used location.
    let behind = slots.iter().filter_map(|slot| match slot {
        IoSlot::Location(location) => Some(location + 1),
        _ => None,
    });
    let behind = kind.first_location() + behind.max().unwrap_or(0).min(LOCATIONS);
    for &slot in slots {
        match slot {
            IoSlot::Position => put(slot, VueSlot::whole(1), Varying::Position),
            IoSlot::Layer => put(slot, VueSlot::at(0, 1), Varying::Header),
            IoSlot::ViewportIndex => put(slot, VueSlot::at(0, 2), Varying::Header),
            IoSlot::PointSize => put(slot, VueSlot::at(0, 3), Varying::Header),
            IoSlot::ClipDistances { .. } if kind == Vertex::Unclipped => {
                return Err(internal(
                    "layout",
                    &"the stages agreed on entries without clip distances",
                ));
            }
            IoSlot::ClipDistances { first } => {
                let vue_slot = VueSlot::whole(2 + u32::from(first / 4));
                put(slot, vue_slot, Varying::ClipDistances { first });
            }
            IoSlot::Location(location) if location < LOCATIONS => {
                let vue_slot = VueSlot::whole(kind.first_location() + location);
                put(slot, vue_slot, Varying::Location { location });
            }
            IoSlot::Location(location) => {
                return Err(CompileError::Location { location, limit: LOCATIONS });
            }
            IoSlot::PrimitiveId => put(slot, VueSlot::at(behind, 0), Varying::PrimitiveId),
            // Varyings of a patch are in the patch entry.
            IoSlot::Patch(_) | IoSlot::TessLevelOuter | IoSlot::TessLevelInner => {}
            // Outputs of fragment shaders are not in URB entries.
            IoSlot::SecondColour(_) | IoSlot::Depth | IoSlot::StencilRef | IoSlot::SampleMask => {}
        }
    }
    vue_map.num_slots = varyings.len() as u32;
    Ok((vue_map, varyings))
}

/// The layout of the entry of a vertex that the code of a stage writes. Its list says [`Varying::Padding`] for the vertex header
/// if the code does not write it.
///
/// # Errors
/// Those of [`vertex_entry`].
pub(super) fn output_entry(
    slots: &BTreeSet<IoSlot>,
    kind: Vertex,
    mode: &ThreadMode,
) -> Result<(VueMap, Vec<Varying>), CompileError> {
    let (vue_map, mut varyings) = vertex_entry(slots, kind)?;
    if !mode.always_writes_header && !vue_map.has_header() {
        varyings[0] = Varying::Padding;
    }
    Ok((vue_map, varyings))
}

/// The layout of the first part of a patch entry: the patch header, then the varyings of the patch in the order of
/// their locations. The positions of the tessellation levels in the header depend on the domain (docs/metadata.md).
///
/// # Errors
/// A location is [`LOCATIONS`] or more.
pub(super) fn patch_entry(
    slots: &BTreeSet<IoSlot>,
    domain: TessDomain,
) -> Result<(VueMap, Vec<Varying>), CompileError> {
    let mut vue_map = VueMap::default();
    let mut varyings = vec![Varying::PatchHeader { half: 0 }, Varying::PatchHeader { half: 1 }];
    for &slot in slots {
        let vue_slot = match (slot, domain) {
            (IoSlot::Patch(location), _) if location < LOCATIONS => {
                let slot = FIRST_PATCH_LOCATION + location;
                let index = slot as usize;
                varyings.resize(varyings.len().max(index + 1), Varying::Padding);
                varyings[index] = Varying::Patch { location };
                VueSlot::whole(slot)
            }
            (IoSlot::Patch(location), _) => {
                return Err(CompileError::Location { location, limit: LOCATIONS });
            }
            // Levels that the domain does not use are not in the header. `lower_tess_levels` has removed all accesses
            // to them.
            (IoSlot::TessLevelOuter, TessDomain::Quads) => VueSlot::of(1, &[3, 2, 1, 0]),
            (IoSlot::TessLevelOuter, TessDomain::Triangles) => VueSlot::of(1, &[3, 2, 1]),
            (IoSlot::TessLevelOuter, TessDomain::Isolines) => VueSlot::of(1, &[2, 3]),
            (IoSlot::TessLevelInner, TessDomain::Quads) => VueSlot::of(0, &[3, 2]),
            (IoSlot::TessLevelInner, TessDomain::Triangles) => VueSlot::of(1, &[0]),
            _ => continue,
        };
        vue_map.slots.insert(slot, vue_slot);
    }
    vue_map.num_slots = varyings.len() as u32;
    Ok((vue_map, varyings))
}

/// Which of the distances in an entry with this layout clip and which cull primitives.
pub(super) fn distances(shader: &Shader, varyings: &[Varying]) -> Distances {
    let crestline_ssa::ir::Distances { clip, cull } = shader.distances;
    let present = Distances::in_slots(varyings);
    Distances { clip: u32::from(clip) & present, cull: u32::from(cull) & present }
}

/// What transform feedback captures of vertices with the layout that [`vertex_entry`] gave; `None` if it captures nothing.
/// Outputs that the code does not write have undefined values, and are not captured.
pub(super) fn feedback(
    shader: &Shader,
    outputs: &VueMap,
    varyings: &[Varying],
) -> Option<Feedback> {
    let mut captures = Vec::new();
    for capture in &shader.feedback.captures {
        let Some(place) = outputs.slots.get(&capture.slot) else { continue };
        let dwords = place.dwords_from(capture.comp);
        let (Some(&first), Some(&varying)) = (dwords.first(), varyings.get(place.slot as usize))
        else {
            continue;
        };
        let count = usize::from(capture.comps).min(dwords.len()) as u32;
        let (buffer, offset) = (capture.buffer.into(), capture.offset);
        captures.push(FeedbackCapture { buffer, offset, varying, first: first.into(), count });
    }
    let buffers: Vec<FeedbackBuffer> = (shader.feedback.buffers.iter())
        .map(|(&buffer, of)| FeedbackBuffer {
            buffer: buffer.into(),
            stride: of.stride,
            stream: of.stream.into(),
        })
        .collect();
    (!buffers.is_empty()).then_some(Feedback { buffers, captures })
}

/// The size in bytes of an entry of `slots` slots, rounded up to [`ENTRY_UNIT`]. SIMD4x2 messages write slots in pairs,
/// so the size includes the slot after an odd last one.
pub(super) fn entry_bytes(slots: u32) -> u32 {
    (slots * SLOT_BYTES).next_multiple_of(ENTRY_UNIT)
}
