//! Layouts of URB entries. The slot of a varying depends only on the varying itself, so stages that are compiled separately agree.
//!
//! A vertex entry consists of the header, the position, both slots of clip distances even if there are none (the clipper expects them at
//! these slots), then the locations in order. The header's dwords are layer (1), viewport index (2) and point size (3).

use std::collections::BTreeSet;

use crestline_codegen::stage::{VueMap, VueSlot};
use crestline_program::{SLOT_BYTES, Varying};
use crestline_ssa::ir::{IoSlot, TessDomain};

use crate::CompileError;

/// Maximal number of locations of a layout. Vulkan requires 32 for outputs, and these devices support no more.
const LOCATIONS: u32 = 32;

/// The first slot of the shader's own varyings.
const FIRST_LOCATION: u32 = 4;

/// The first slot of a patch's own varyings.
const FIRST_PATCH_LOCATION: u32 = 2;

/// Entries are a multiple of this in size.
const ENTRY_UNIT: u32 = 64;

/// The entry of a vertex with these varyings, for the code and for the driver.
///
/// # Errors
/// A location beyond the limit.
pub(super) fn vertex_entry(
    slots: &BTreeSet<IoSlot>,
) -> Result<(VueMap, Vec<Varying>), CompileError> {
    let mut vue_map = VueMap::default();
    let mut varyings = vec![Varying::Header, Varying::Position];
    // The id has the slot behind all locations, and is the last in order of slots.
    let mut put = |slot: IoSlot, vue_slot: VueSlot, varying: Varying| {
        let index = vue_slot.slot as usize;
        if varyings.len() <= index {
            varyings.resize(index + 1, Varying::Padding);
        }
        varyings[index] = varying;
        vue_map.slots.insert(slot, vue_slot);
    };
    let behind = slots.iter().filter_map(|slot| match slot {
        IoSlot::Location(location) => Some(location + 1),
        _ => None,
    });
    let behind = FIRST_LOCATION + behind.max().unwrap_or(0).min(LOCATIONS);
    for &slot in slots {
        match slot {
            IoSlot::Position => put(slot, VueSlot::whole(1), Varying::Position),
            IoSlot::Layer => put(slot, VueSlot::at(0, 1), Varying::Header),
            IoSlot::ViewportIndex => put(slot, VueSlot::at(0, 2), Varying::Header),
            IoSlot::PointSize => put(slot, VueSlot::at(0, 3), Varying::Header),
            IoSlot::ClipDistances { first } => {
                let vue_slot = VueSlot::whole(2 + u32::from(first / 4));
                put(slot, vue_slot, Varying::ClipDistances { first });
            }
            IoSlot::Location(location) if location < LOCATIONS => {
                let vue_slot = VueSlot::whole(FIRST_LOCATION + location);
                put(slot, vue_slot, Varying::Location { location });
            }
            IoSlot::Location(location) => {
                return Err(CompileError::Location { location, limit: LOCATIONS });
            }
            IoSlot::PrimitiveId => put(slot, VueSlot::at(behind, 0), Varying::PrimitiveId),
            // What belongs to a patch is in its own entry.
            IoSlot::Patch(_) | IoSlot::TessLevelOuter | IoSlot::TessLevelInner => {}
            // Outputs of fragment shaders are in no entry.
            IoSlot::SecondColour(_) | IoSlot::Depth | IoSlot::StencilRef | IoSlot::SampleMask => {}
        }
    }
    vue_map.num_slots = varyings.len() as u32;
    Ok((vue_map, varyings))
}

/// The first part of a patch entry: the patch header, then what belongs to the patch, by location. Where levels are in
/// the header depends on the domain (docs/metadata.md).
///
/// # Errors
/// A location beyond the limit.
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
            // Levels that the domain has not have no place; `lower_tess_levels` has removed all accesses to them.
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

/// The size of an entry of so many slots, which messages write two at a time.
pub(super) fn entry_bytes(slots: u32) -> u32 {
    (slots * SLOT_BYTES).next_multiple_of(ENTRY_UNIT)
}
