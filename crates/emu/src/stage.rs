//! Inputs and outputs of the stages of a draw call.

use crestline_program::Varying;

/// The values of a vertex, or the per-patch values of a patch: 16 bytes for each varying. A
/// dword that was not written is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotValues {
    /// In the order of the varyings. A vertex has few of them, so that a search in a list is faster than one in a map.
    slots: Vec<(Varying, [Option<u32>; 4])>,
}

impl SlotValues {
    /// No values.
    pub fn new() -> SlotValues {
        SlotValues::default()
    }

    /// No values, with room for this many varyings.
    pub(crate) fn with_room(slots: usize) -> SlotValues {
        SlotValues { slots: Vec::with_capacity(slots) }
    }

    /// With all four dwords of a varying.
    pub fn with(mut self, varying: Varying, dwords: [u32; 4]) -> SlotValues {
        self.set(varying, dwords.map(Some));
        self
    }

    /// With a varying of up to four floats; the others are not written.
    pub fn with_floats(mut self, varying: Varying, floats: &[f32]) -> SlotValues {
        self.set(varying, std::array::from_fn(|i| floats.get(i).map(|float| float.to_bits())));
        self
    }

    /// Sets the dwords of a varying.
    pub fn set(&mut self, varying: Varying, dwords: [Option<u32>; 4]) {
        let place = self.slots.partition_point(|(own, _)| *own < varying);
        match self.slots.get_mut(place) {
            Some((own, old)) if *own == varying => *old = dwords,
            _ => self.slots.insert(place, (varying, dwords)),
        }
    }

    /// The dwords of a varying: all `None` if the layout has no such varying.
    pub fn get(&self, varying: Varying) -> [Option<u32>; 4] {
        let slot = self.slots.iter().find(|(own, _)| *own == varying);
        slot.map_or([None; 4], |(_, dwords)| *dwords)
    }

    /// Whether a varying has a slot.
    pub(crate) fn has(&self, varying: Varying) -> bool {
        self.slots.iter().any(|(own, _)| *own == varying)
    }

    /// The varyings that have a slot, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Varying, [Option<u32>; 4])> {
        self.slots.iter().copied()
    }
}

/// The vertices of a draw call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Vertices of an instance.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    /// The first vertex of the draw call. It is added to the index of fetched attributes, not to the vertex id
    /// that the program sees.
    pub first_vertex: u32,
    /// The first instance of the draw call. It is added to the index of fetched attributes, not to the instance id.
    pub first_instance: u32,
    /// The draw call's number.
    pub draw_id: u32,
    /// Whether the draw call is indexed: the vertex ids are the indices of the index buffer, if there is one, and the
    /// program's draw parameters describe an indexed draw call.
    pub indexed: bool,
}

impl Draw {
    /// One instance of vertices from the first one on.
    pub fn vertices(vertices: u32) -> Draw {
        Draw {
            vertices,
            instances: 1,
            first_vertex: 0,
            first_instance: 0,
            draw_id: 0,
            indexed: false,
        }
    }
}

/// A patch or primitive as input of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Primitive {
    /// Its vertices or control points.
    pub vertices: Vec<SlotValues>,
    /// `gl_PrimitiveID`.
    pub id: u32,
}

/// A patch as output of a tessellation control shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// The per-patch values; the tessellation levels are in the patch header.
    pub values: SlotValues,
    /// The control points.
    pub vertices: Vec<SlotValues>,
    /// `gl_PrimitiveID`.
    pub id: u32,
}

/// A vertex that a geometry shader emitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// Its values.
    pub values: SlotValues,
    /// Whether the control data end the strip after this vertex. The last strip always ends.
    pub cut: bool,
    /// The stream.
    pub stream: u8,
}

/// The strips of stream 0 that an invocation of a geometry shader emitted. The last one is empty if the invocation ended
/// its last strip itself.
pub fn strips(emitted: Vec<Emitted>) -> Vec<Vec<SlotValues>> {
    strips_of_stream(emitted, 0)
}

/// Like [`strips`], for any stream.
pub(crate) fn strips_of_stream(emitted: Vec<Emitted>, wanted: u8) -> Vec<Vec<SlotValues>> {
    let mut strips = vec![Vec::new()];
    for Emitted { values, cut, stream } in emitted {
        if stream != wanted {
            continue;
        }
        if let Some(strip) = strips.last_mut() {
            strip.push(values);
        }
        if cut {
            strips.push(Vec::new());
        }
    }
    strips
}

/// The output of a geometry shader for one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrimitiveOutput {
    /// The emitted vertices of each invocation.
    pub invocations: Vec<Vec<Emitted>>,
}
