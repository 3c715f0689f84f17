//! Metadata of the stages between vertex fetch and rasterizer: vertex, tessellation control,
//! tessellation evaluation and geometry shaders.
//!
//! They pass data through entries of the URB (unified return buffer). An entry is an array of
//! *slots* of 16 bytes. The content of a slot is a [`Varying`]; a list of varyings is the layout of
//! an entry, slot 0 first. The entry of a vertex is a VUE (vertex URB entry). The entry of a patch
//! begins with the patch header.

use crate::json::{record, tagged, words};
use crate::{Feedback, GRF_BYTES, MetadataError};
use crestline_device::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bytes of a slot.
pub const SLOT_BYTES: u32 = 16;

/// Maximum number of slots of a layout: the size of the largest entry for one vertex in
/// 3DSTATE_URB.
const MAX_SLOTS: usize = 128;

/// Maximum size of an entry in bytes: 32 KB, for geometry shaders.
const MAX_ENTRY_BYTES: u32 = 32 << 10;

/// The content of a slot of a URB entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Varying {
    /// The header of a vertex: dword 0 is reserved, 1 is the layer, 2 the viewport index, 3 the
    /// point size (a float).
    Header,
    /// `gl_Position`.
    Position,
    /// Clip and cull distances 0 to 3 (`first` 0) or 4 to 7 (`first` 4).
    ClipDistances {
        /// The distance in dword 0: 0 or 4.
        first: u8,
    },
    /// A user-defined varying at a location. A vector of three or four doubles has two locations.
    Location {
        /// The location.
        location: u32,
    },
    /// The primitive id in dword 0.
    PrimitiveId,
    /// Half of the patch header: the tessellation levels, see `docs/metadata.md`.
    PatchHeader {
        /// 0 for dwords 0 to 3 of the header, 1 for dwords 4 to 7.
        half: u8,
    },
    /// A user-defined per-patch varying at a location.
    Patch {
        /// The location.
        location: u32,
    },
    /// No content.
    Padding,
}

impl std::fmt::Display for Varying {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Varying::Header => f.write_str("the vertex header"),
            Varying::Position => f.write_str("position"),
            Varying::ClipDistances { first } => {
                write!(f, "clip distances {first} to {}", first + 3)
            }
            Varying::Location { location } => write!(f, "location {location}"),
            Varying::PrimitiveId => f.write_str("primitive id"),
            Varying::PatchHeader { half } => write!(f, "patch header half {half}"),
            Varying::Patch { location } => write!(f, "patch location {location}"),
            Varying::Padding => f.write_str("padding"),
        }
    }
}

/// Assignment of a thread's channels to vertices or invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageDispatch {
    /// Two vertices, control points or domain points per thread: channels 0 to 3 are x, y, z
    /// and w of the first, 4 to 7 of the second (gen7 to gen9; Align16).
    Simd4x2,
    /// Eight vertices, control points or domain points, one per channel (gen8 on; Align1).
    Simd8,
}

impl StageDispatch {
    /// Number of objects (vertices, control points or domain points) of a thread.
    pub fn objects(self) -> u32 {
        match self {
            StageDispatch::Simd4x2 => 2,
            StageDispatch::Simd8 => 8,
        }
    }
}

/// Assignment of the channels of a geometry shader's thread to primitives or invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeometryDispatch {
    /// One primitive, in channels 0 to 3.
    Single,
    /// Two invocations of one primitive.
    DualInstance,
    /// Two primitives.
    DualObject,
    /// Eight primitives, or up to eight invocations of one (gen8 on).
    Simd8,
}

impl GeometryDispatch {
    /// Number of objects (primitives or invocations) of a thread.
    pub fn objects(self) -> u32 {
        match self {
            GeometryDispatch::Single => 1,
            GeometryDispatch::DualInstance | GeometryDispatch::DualObject => 2,
            GeometryDispatch::Simd8 => 8,
        }
    }
}

/// The content of a slot of a vertex shader's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum VertexInput {
    /// An attribute converted to four dwords; missing components are 0, 0, 0, 1. 64-bit
    /// attributes arrive raw, so three or four doubles need two slots.
    Attribute {
        /// The location.
        location: u32,
        /// First byte of the converted attribute: 0, or 16 for the second half of a 64-bit one.
        offset: u32,
    },
    /// First vertex, base instance, vertex id (counted from 0), instance id.
    SystemValues,
    /// Draw id, all ones if the draw call is indexed, 0, 0.
    DrawParameters,
}

/// Metadata of vertex shaders.
///
/// Thread payload (SIMD4x2): r0.0 and r0.1 are the URB handles of the output entries.
///
/// Thread payload (SIMD8): r0.0 to r0.2 are 0. r1 contains the URB handles of the output entries,
/// one dword per vertex.
///
/// In both, `payload.cross_thread` are the push constants, and the inputs start at
/// `first_input_register`. If fewer vertices are left than a thread can work on, its last channels
/// are disabled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VertexMetadata {
    /// Assignment of the channels.
    pub dispatch: StageDispatch,
    /// Register of the first input slot. SIMD4x2: a slot is one register, whose low half is for the
    /// first vertex. SIMD8: a slot is four registers: x, y, z and w of the eight vertices.
    pub first_input_register: u32,
    /// The input slots.
    pub inputs: Vec<VertexInput>,
    /// Layout of the output entry.
    pub outputs: Vec<Varying>,
    /// Size of the output entry in bytes, a multiple of 64.
    pub entry_bytes: u32,
    /// The clip and cull distances of the output vertices.
    #[serde(skip_serializing_if = "Distances::is_none")]
    pub distances: Distances,
    /// What transform feedback captures of the output vertices; absent if it captures nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
}

/// Metadata of tessellation control shaders.
///
/// Thread payload (single patch dispatch), the same for SIMD4x2 and SIMD8: r0.0 is the handle of
/// the patch entry, r0.1 the primitive id, r0.2 the instance number and barrier id (see
/// `docs/metadata.md`). r1 to r4 are the handles of the input control points, one dword each.
/// `payload.cross_thread` are the push constants, from r5 on; if `input_vertices` is given, they may
/// start at the first register without a handle. Thread `i` of a patch computes control
/// points `2 i` and `2 i + 1` (SIMD4x2) or `8 i` to `8 i + 7` (SIMD8, one per channel). All its
/// channels are enabled, even those whose control point does not exist: the code compares its
/// invocation with the number of output control points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TessControlMetadata {
    /// Assignment of the channels.
    pub dispatch: StageDispatch,
    /// Number of control points of an input patch that the code was compiled for; absent if the
    /// code works for any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_vertices: Option<u32>,
    /// Number of control points of the output patch.
    pub output_vertices: u32,
    /// Layout of an input control point's entry.
    pub inputs: Vec<Varying>,
    /// First part of the patch entry's layout: the patch header and per-patch varyings.
    pub patch_outputs: Vec<Varying>,
    /// Layout of one output control point. The control points follow the first part, one after
    /// another.
    pub vertex_outputs: Vec<Varying>,
    /// Size of the patch entry in bytes, a multiple of 64.
    pub entry_bytes: u32,
    /// Whether the program uses barriers, so that the driver must reserve one.
    pub uses_barrier: bool,
}

impl TessControlMetadata {
    /// Number of threads of a patch.
    pub fn threads(&self) -> u32 {
        self.output_vertices.div_ceil(self.dispatch.objects())
    }

    /// Number of slots of the patch entry.
    pub fn slots(&self) -> usize {
        self.patch_outputs.len() + self.vertex_outputs.len() * self.output_vertices as usize
    }
}

/// The shape that a tessellator divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Quads.
    Quads,
    /// Triangles.
    Triangles,
    /// Isolines.
    Isolines,
}

/// How tessellation levels are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// `equal_spacing`.
    Equal,
    /// `fractional_odd_spacing`.
    FractionalOdd,
    /// `fractional_even_spacing`.
    FractionalEven,
}

/// Output of a tessellator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TessOutput {
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Triangles, clockwise in the hardware's orientation.
    TrianglesCw,
    /// Triangles, counter-clockwise in the hardware's orientation.
    TrianglesCcw,
}

/// Metadata of tessellation evaluation shaders.
///
/// Thread payload (SIMD4x2): r0.0 and r0.1 are the URB handles of the output entries. r1.0 to r1.2
/// are u, v, w of the first point, r1.4 to r1.6 those of the second. r1.3 is the handle of the
/// patch entry, r1.7 the primitive id.
///
/// Thread payload (SIMD8): r0.0 is the handle of the patch entry, r0.1 the primitive id, r0.2 is 0.
/// r1, r2 and r3 are u, v and w of the points, r4 the URB handles of the output entries, one dword
/// per point. Constants or pushed slots follow from r5 on.
///
/// In both, `payload.cross_thread` are the push constants. All points of a thread are of one patch.
/// If fewer points are left than a thread can work on, its last channels are disabled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TessEvalMetadata {
    /// Assignment of the channels.
    pub dispatch: StageDispatch,
    /// The domain.
    pub domain: Domain,
    /// Rounding of the levels.
    pub spacing: Spacing,
    /// Output of the tessellator.
    pub output: TessOutput,
    /// First part of the patch entry's layout.
    pub patch_inputs: Vec<Varying>,
    /// Layout of one control point in the patch entry.
    pub vertex_inputs: Vec<Varying>,
    /// First register of the pushed slots of the patch entry: two slots per register, slot 0
    /// first, the same for all channels.
    pub first_input_register: u32,
    /// Number of slots of the patch entry that are pushed, an even number. The code reads the
    /// others from the URB.
    pub pushed_slots: u32,
    /// Layout of the output entry.
    pub outputs: Vec<Varying>,
    /// Size of the output entry in bytes, a multiple of 64.
    pub entry_bytes: u32,
    /// The clip and cull distances of the output vertices.
    #[serde(skip_serializing_if = "Distances::is_none")]
    pub distances: Distances,
    /// What transform feedback captures of the output vertices; absent if it captures nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
}

/// The primitives that a geometry shader outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeometryOutput {
    /// Points.
    Points,
    /// Line strips.
    LineStrip,
    /// Triangle strips.
    TriangleStrip,
}

/// The control data of a geometry shader's output for each vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlData {
    /// One bit: the strip ends after the vertex.
    Cut,
    /// Two bits: the stream of the vertex.
    StreamId,
}

/// Metadata of geometry shaders.
///
/// Thread payload (SIMD4x2), in this order:
///
/// * r0.0 and r0.1: the URB handles of the two objects' output entries, with the invocation in bits
///   31:27;
/// * r1: the primitive ids (low and high half), if `primitive_id` is set;
/// * the handles of the input vertices, if there are `vertex_handles`;
/// * `payload.cross_thread`: the push constants;
/// * from `first_input_register` on, the pushed slots of each input vertex. For dual object, a slot
///   is one register, whose low half is for the first object; otherwise a register contains two
///   slots.
///
/// Thread payload (SIMD8), in this order. The channels of a thread are eight primitives if
/// `invocations` is 1, and otherwise invocations of one primitive (thread `i` computes invocations
/// `8 i` to `8 i + 7`):
///
/// * r0.0 and r0.1 are 0. r0.2 is not: bits 21:16 are the topology (a 3DPRIM code), and the others
///   are undefined;
/// * r1: the URB handles of the output entries, one dword per channel, with the invocation in bits
///   31:27;
/// * r2: the primitive ids, one dword per channel, if `primitive_id` is set;
/// * the handles of the input vertices' entries, if there are `vertex_handles`. For one invocation,
///   a register per vertex, one dword per channel; for more, one dword per vertex, so that up to
///   eight vertices need one register;
/// * `payload.cross_thread`: the push constants;
/// * from `first_input_register` on, the pushed slots of each input vertex. For one invocation, a
///   slot is four registers: x, y, z and w of the eight primitives. For more, a register contains
///   two slots, the same for all channels.
///
/// In both, the last channels of a thread are disabled if it has fewer objects.
///
/// An output entry contains the vertex count (`count_bytes`), the control data (`control_bytes`)
/// and the vertices, `vertex_bytes` each. If `count_bytes` is 0 (gen7), header dword 2 of the
/// end-of-thread message contains the vertex counts of both objects. Otherwise (gen8 on), dword 0 of
/// the entry is the vertex count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GeometryMetadata {
    /// Assignment of the channels.
    pub dispatch: GeometryDispatch,
    /// Number of vertices of an input primitive.
    pub input_vertices: u32,
    /// Number of invocations per primitive.
    pub invocations: u32,
    /// Whether r1 (SIMD8: r2) contains the primitive ids.
    pub primitive_id: bool,
    /// Register of the handles of the input vertices' entries, for code that reads slots that are
    /// not pushed. It is the first register after those that the payload has before it: r0, the
    /// output handles (SIMD8) and the primitive ids. Absent if the payload has no handles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertex_handles: Option<u32>,
    /// Layout of an input vertex's entry.
    pub inputs: Vec<Varying>,
    /// Register of the first pushed slot.
    pub first_input_register: u32,
    /// Number of slots of each input vertex that are pushed, from slot 0 on; an even number. The
    /// code reads the others from the URB.
    pub pushed_slots: u32,
    /// The primitives that the output vertices form.
    pub output: GeometryOutput,
    /// Size in bytes of the vertex count at the start of the output entry: 0 on gen7, 32 from gen8
    /// on.
    pub count_bytes: u32,
    /// Size of the control data in bytes, a multiple of 32.
    pub control_bytes: u32,
    /// Kind of control data.
    pub control_data: ControlData,
    /// Layout of an output vertex.
    pub outputs: Vec<Varying>,
    /// Distance between vertices in bytes, a multiple of 32.
    pub vertex_bytes: u32,
    /// Size of the output entry in bytes, a multiple of 64.
    pub entry_bytes: u32,
    /// The clip and cull distances of the output vertices.
    #[serde(skip_serializing_if = "Distances::is_none")]
    pub distances: Distances,
    /// What transform feedback captures of the output vertices; absent if it captures nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
}

/// The error for a field of the stage.
pub(crate) fn field(name: &str, reason: String) -> MetadataError {
    MetadataError::Field { field: format!("stage.{name}"), reason }
}

/// Checks that a layout, which may consist of several parts, has at most [`MAX_SLOTS`] slots, and
/// contains only varyings that exist, each at most once except padding.
fn check_layout(name: &str, layout: &[&[Varying]]) -> Result<(), MetadataError> {
    let mut seen = BTreeSet::new();
    let count: usize = layout.iter().map(|part| part.len()).sum();
    if count > MAX_SLOTS {
        return Err(field(name, format!("{count} slots: expected at most {MAX_SLOTS}")));
    }
    for varying in layout.iter().copied().flatten() {
        let possible = match varying {
            Varying::ClipDistances { first } => matches!(first, 0 | 4),
            Varying::PatchHeader { half } => *half < 2,
            _ => true,
        };
        if !possible || *varying != Varying::Padding && !seen.insert(varying) {
            let reason = format!("{varying}: expected varyings that exist, each at most once");
            return Err(field(name, reason));
        }
    }
    Ok(())
}

/// Checks that the size of an entry in bytes is possible on the hardware, and at least `needed`.
fn check_entry(bytes: u32, needed: u64) -> Result<(), MetadataError> {
    if !bytes.is_multiple_of(64) || bytes > MAX_ENTRY_BYTES || u64::from(bytes) < needed {
        let reason = format!(
            "{bytes}: expected a multiple of 64, at least {needed} and at most {MAX_ENTRY_BYTES}"
        );
        return Err(field("entry_bytes", reason));
    }
    Ok(())
}

/// Size of slots in bytes.
fn slot_bytes(slots: usize) -> u64 {
    slots as u64 * u64::from(SLOT_BYTES)
}

/// Checks that the device has threads with this assignment of channels.
fn check_dispatch(dispatch: StageDispatch, device: &Device) -> Result<(), MetadataError> {
    let known = match dispatch {
        StageDispatch::Simd4x2 => device.has_align16(),
        StageDispatch::Simd8 => device.has_simd8_vertex_threads(),
    };
    if known {
        return Ok(());
    }
    Err(field(
        "dispatch",
        format!("{dispatch:?}: {} does not support this kind of thread", device.platform()),
    ))
}

/// Checks that `registers` registers of pushed data from register `first` on are inside the register
/// file, and after the registers that the payload has before them: those below register `least`.
fn check_pushed(
    first: u32,
    registers: u64,
    least: u32,
    device: &Device,
) -> Result<(), MetadataError> {
    let limit = device.limits().grf_count;
    let least = if registers == 0 { 1 } else { least };
    if first < least || u64::from(first) + registers > limit.into() {
        let reason = format!(
            "{registers} registers from r{first}: expected registers within r{least} to r{}",
            limit - 1
        );
        return Err(field("first_input_register", reason));
    }
    Ok(())
}

/// Checks that the slots of an entry are pushed in pairs: a URB read length counts 32 bytes.
fn check_pairs(pushed_slots: u32) -> Result<(), MetadataError> {
    match pushed_slots.is_multiple_of(GRF_BYTES / SLOT_BYTES) {
        true => Ok(()),
        false => Err(field("pushed_slots", format!("{pushed_slots}: expected an even number"))),
    }
}

/// Which of the up to eight distances of an output vertex clip primitives, and which cull them: bit `i` of a mask is
/// distance `i`. Drivers set the masks in 3DSTATE_CLIP (up to gen7.5), or in the packet of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Distances {
    /// The clip distances.
    pub clip: u32,
    /// The cull distances.
    pub cull: u32,
}

impl Distances {
    /// Whether there are no distances.
    pub fn is_none(&self) -> bool {
        *self == Distances::default()
    }

    /// The mask of the distances that have slots in an output entry with this layout.
    pub fn in_slots(outputs: &[Varying]) -> u32 {
        let has = |first| outputs.contains(&Varying::ClipDistances { first });
        (if has(0) { 0xf } else { 0 }) | (if has(4) { 0xf0 } else { 0 })
    }

    fn check(self, outputs: &[Varying]) -> Result<(), MetadataError> {
        let Distances { clip, cull } = self;
        if clip & cull != 0 || (clip | cull) & !Distances::in_slots(outputs) != 0 {
            let reason =
                format!("masks {clip:#x} and {cull:#x}: expected different distances of `outputs`");
            return Err(field("distances", reason));
        }
        Ok(())
    }
}

/// Checks the transform feedback of a stage with `streams` streams and the layout `outputs`.
fn check_feedback(
    feedback: Option<&Feedback>,
    outputs: &[Varying],
    streams: u32,
) -> Result<(), MetadataError> {
    feedback.map_or(Ok(()), |feedback| feedback.check(outputs, streams))
}

impl VertexMetadata {
    /// Number of registers before the push constants: r0, and for SIMD8 the output handles.
    pub(crate) fn header_registers(&self) -> u32 {
        match self.dispatch {
            StageDispatch::Simd4x2 => 1,
            StageDispatch::Simd8 => 2,
        }
    }

    /// Checks that the fields are consistent with each other and the device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), MetadataError> {
        check_dispatch(self.dispatch, device)?;
        check_layout("outputs", &[&self.outputs])?;
        self.distances.check(&self.outputs)?;
        check_feedback(self.feedback.as_ref(), &self.outputs, 1)?;
        let per_slot = match self.dispatch {
            StageDispatch::Simd4x2 => 1,
            StageDispatch::Simd8 => 4,
        };
        let registers = self.inputs.len() as u64 * per_slot;
        check_pushed(self.first_input_register, registers, self.header_registers(), device)?;
        for input in &self.inputs {
            if let VertexInput::Attribute { offset, .. } = input
                && !matches!(offset, 0 | 16)
            {
                return Err(field("inputs", format!("offset {offset}: expected 0 or 16")));
            }
        }
        check_entry(self.entry_bytes, slot_bytes(self.outputs.len()))
    }
}

impl TessControlMetadata {
    /// Number of registers that the payload has at least before the push constants: r0 and the
    /// handles of the input control points.
    pub(crate) fn header_registers(&self) -> u32 {
        1 + self.input_vertices.unwrap_or(32).div_ceil(8)
    }

    /// Checks that the fields are consistent with each other and the device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), MetadataError> {
        check_dispatch(self.dispatch, device)?;
        let vertices = [Some(self.output_vertices), self.input_vertices];
        for count in vertices.into_iter().flatten() {
            if !(1..=32).contains(&count) {
                let reason = format!("{count} control points: expected 1 to 32");
                return Err(field("output_vertices", reason));
            }
        }
        check_layout("inputs", &[&self.inputs])?;
        check_layout("patch_outputs", &[&self.patch_outputs, &self.vertex_outputs])?;
        check_entry(self.entry_bytes, slot_bytes(self.slots()))
    }
}

impl TessEvalMetadata {
    /// Number of registers before the push constants: r0, the coordinates, and for SIMD8 the output
    /// handles.
    pub(crate) fn header_registers(&self) -> u32 {
        match self.dispatch {
            StageDispatch::Simd4x2 => 2,
            StageDispatch::Simd8 => 5,
        }
    }

    /// Checks that the fields are consistent with each other and the device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), MetadataError> {
        check_dispatch(self.dispatch, device)?;
        check_layout("patch_inputs", &[&self.patch_inputs, &self.vertex_inputs])?;
        check_layout("outputs", &[&self.outputs])?;
        self.distances.check(&self.outputs)?;
        check_feedback(self.feedback.as_ref(), &self.outputs, 1)?;
        check_pairs(self.pushed_slots)?;
        let registers = u64::from(self.pushed_slots) / 2;
        check_pushed(self.first_input_register, registers, self.header_registers(), device)?;
        check_entry(self.entry_bytes, slot_bytes(self.outputs.len()))
    }
}

impl GeometryMetadata {
    /// Whether each channel of a thread works on a primitive of its own (SIMD8).
    pub fn has_primitive_per_channel(&self) -> bool {
        self.dispatch == GeometryDispatch::Simd8 && self.invocations == 1
    }

    /// Number of registers of pushed slots.
    fn pushed_registers(&self) -> u64 {
        let (vertices, slots) = (u64::from(self.input_vertices), u64::from(self.pushed_slots));
        match self.dispatch {
            GeometryDispatch::DualObject => vertices * slots,
            GeometryDispatch::Simd8 if self.invocations == 1 => vertices * slots * 4,
            _ => vertices * slots / 2,
        }
    }

    /// The first register of the handles of the input vertices.
    fn first_handle_register(&self) -> u32 {
        let outputs = u32::from(self.dispatch == GeometryDispatch::Simd8);
        1 + outputs + u32::from(self.primitive_id)
    }

    /// Number of registers before the push constants: r0, the output handles (SIMD8), the primitive
    /// ids, and the handles of the input vertices.
    pub(crate) fn header_registers(&self) -> u32 {
        let handles = match self.vertex_handles {
            None => 0,
            Some(_) if self.has_primitive_per_channel() => self.input_vertices,
            Some(_) => 1,
        };
        self.first_handle_register() + handles
    }

    /// Checks the register of the handles of the input vertices.
    fn check_handles(&self) -> Result<(), MetadataError> {
        let Some(first) = self.vertex_handles else {
            // With a read length of 0, 3DSTATE_GS must include vertex handles.
            if self.dispatch == GeometryDispatch::Simd8 && self.pushed_slots == 0 {
                let reason = "absent: expected a register, because no slots are pushed".to_owned();
                return Err(field("vertex_handles", reason));
            }
            return Ok(());
        };
        if self.dispatch == GeometryDispatch::DualObject {
            let reason = "dispatch `dual_object` has no handles of input vertices".to_owned();
            return Err(field("vertex_handles", reason));
        }
        let expected = self.first_handle_register();
        if first != expected {
            let reason = format!("r{first}: expected r{expected}, the register after those before");
            return Err(field("vertex_handles", reason));
        }
        Ok(())
    }

    /// Checks that the fields are consistent with each other and the device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), MetadataError> {
        check_dispatch(
            match self.dispatch {
                GeometryDispatch::Simd8 => StageDispatch::Simd8,
                _ => StageDispatch::Simd4x2,
            },
            device,
        )?;
        if !(1..=6).contains(&self.input_vertices) {
            let reason = format!("{}: expected 1 to 6", self.input_vertices);
            return Err(field("input_vertices", reason));
        }
        if !(1..=32).contains(&self.invocations) {
            return Err(field("invocations", format!("{}: expected 1 to 32", self.invocations)));
        }
        check_layout("inputs", &[&self.inputs])?;
        check_layout("outputs", &[&self.outputs])?;
        self.distances.check(&self.outputs)?;
        check_feedback(self.feedback.as_ref(), &self.outputs, 4)?;
        check_pairs(self.pushed_slots)?;
        self.check_handles()?;
        check_pushed(
            self.first_input_register,
            self.pushed_registers(),
            self.header_registers(),
            device,
        )?;
        let vertex = slot_bytes(self.outputs.len());
        if !self.vertex_bytes.is_multiple_of(GRF_BYTES) || u64::from(self.vertex_bytes) < vertex {
            let reason =
                format!("{}: expected a multiple of 32, at least {vertex}", self.vertex_bytes);
            return Err(field("vertex_bytes", reason));
        }
        for (name, bytes) in
            [("count_bytes", self.count_bytes), ("control_bytes", self.control_bytes)]
        {
            if !bytes.is_multiple_of(GRF_BYTES) {
                return Err(field(name, format!("{bytes}: expected a multiple of 32")));
            }
        }
        if self.dispatch == GeometryDispatch::Simd8 && self.count_bytes != GRF_BYTES {
            let reason = format!("{}: expected {GRF_BYTES} for SIMD8 threads", self.count_bytes);
            return Err(field("count_bytes", reason));
        }
        let before = u64::from(self.count_bytes) + u64::from(self.control_bytes);
        check_entry(self.entry_bytes, before)
    }
}

tagged! {
    Varying {
        header => Header,
        position => Position,
        clip_distances => ClipDistances { first },
        location => Location { location },
        primitive_id => PrimitiveId,
        patch_header => PatchHeader { half },
        patch => Patch { location },
        padding => Padding,
    }
}

tagged! {
    VertexInput {
        attribute => Attribute { location, offset: default },
        system_values => SystemValues,
        draw_parameters => DrawParameters,
    }
}

record! {
    Distances { clip: default, cull: default }
    VertexMetadata { dispatch, first_input_register, inputs: default, outputs, entry_bytes, distances: default, feedback }
    TessControlMetadata {
        dispatch, input_vertices, output_vertices, inputs, patch_outputs, vertex_outputs, entry_bytes,
        uses_barrier: default,
    }
    TessEvalMetadata {
        dispatch, domain, spacing, output, patch_inputs, vertex_inputs, first_input_register,
        pushed_slots, outputs, entry_bytes, distances: default, feedback,
    }
    GeometryMetadata {
        dispatch, input_vertices, invocations, primitive_id: default, vertex_handles, inputs,
        first_input_register, pushed_slots, output, count_bytes: default, control_bytes: default,
        control_data, outputs, vertex_bytes, entry_bytes, distances: default, feedback,
    }
}

words!(StageDispatch, GeometryDispatch, Domain, Spacing, TessOutput, GeometryOutput, ControlData);
