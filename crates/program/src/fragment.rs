//! Metadata of fragment shaders: what the thread payload contains, what the shader outputs, and the state that a driver
//! must set for it. `docs/metadata.md` names the state for each field.

use crate::json::{record, tagged, words};
use crate::{Dispatch, Dispatches, MetadataError, Varying};
use crestline_device::Device;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Maximum number of attributes: `Number of SF Output Attributes` in 3DSTATE_SBE.
pub const MAX_ATTRIBUTES: usize = 32;

/// Size in bytes of the setup data of one component of an attribute.
pub const COMPONENT_BYTES: u32 = 16;

/// Size in bytes of the setup data of an attribute: four components.
pub const ATTRIBUTE_BYTES: u32 = 4 * COMPONENT_BYTES;

/// Number of colour attachments that a fragment shader can write.
pub const MAX_COLOUR_TARGETS: u8 = 8;

/// A set of barycentric coordinates that the hardware computes for each pixel. The order is that of the bits of
/// `Barycentric Interpolation Mode` in 3DSTATE_WM, and of the registers in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Barycentric {
    /// Perspective-correct, at the centre of the pixel.
    PerspectivePixel,
    /// Perspective-correct, at a place inside both the pixel and the primitive.
    PerspectiveCentroid,
    /// Perspective-correct, at the position of the sample.
    PerspectiveSample,
    /// Linear in the framebuffer, at the centre of the pixel.
    LinearPixel,
    /// Linear in the framebuffer, at a place inside both the pixel and the primitive.
    LinearCentroid,
    /// Linear in the framebuffer, at the position of the sample.
    LinearSample,
}

impl Barycentric {
    /// The number of the set's bit in `Barycentric Interpolation Mode`.
    pub const fn bit(self) -> u32 {
        self as u32
    }
}

/// The source of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttributeSource {
    /// A slot of the vertices' URB entries.
    Varying {
        /// The content of the slot.
        varying: Varying,
    },
    /// `gl_PointCoord` (`Point Sprite Texture Coordinate Enable` of 3DSTATE_SBE).
    PointCoord,
}

/// An attribute: four components that the hardware interpolates between the vertices of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Where the values of the vertices come from.
    pub source: AttributeSource,
    /// Whether the value is that of the provoking vertex (`Constant Interpolation Enable` of 3DSTATE_SBE).
    pub flat: bool,
}

/// The type of the components of a colour output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColourType {
    /// Floats. Normalised formats have this type, too.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
}

/// A colour output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ColourOutput {
    /// Number of the colour attachment: the output's location.
    pub target: u8,
    /// The components that the shader writes: bit `i` is component `i`.
    pub components: u8,
    /// The type of the components, if the compiler supplies it. The attachment must have a format of this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ty: Option<ColourType>,
}

/// How the depth that a shader computes relates to the depth of the primitive (`Pixel Shader Computed
/// Depth Mode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputedDepth {
    /// The shader computes no depth.
    #[default]
    Off,
    /// Any depth.
    Any,
    /// At least the depth of the primitive.
    GreaterOrEqual,
    /// At most the depth of the primitive.
    LessOrEqual,
}

/// The sample mask in the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputCoverage {
    /// The payload has none.
    #[default]
    Off,
    /// The samples that the primitive covers.
    Covered,
    /// The samples that the primitive covers and that passed the depth and stencil tests.
    AfterTests,
    /// All samples if the primitive covers the whole pixel, else none (inner conservative coverage).
    Inner,
}

/// Metadata of fragment shaders.
///
/// Thread payload of a code entry with `simd_width` channels, in this order:
///
/// * r0 and r1, for SIMD32 also r2: what the hardware delivers to all fragment shaders;
/// * for each 16 channels (SIMD8: for the 8 channels) one after another, what these fields request: the barycentric
///   coordinates of `barycentrics`, `source_depth`, `source_w`, `position_offsets`, `input_coverage`;
/// * `payload.cross_thread`: the push constants;
/// * `payload.setup`: the setup data of `attributes`, two registers for each attribute.
///
/// `Dispatch GRF Start Register` is the first register of `payload.cross_thread`, or of `payload.setup` if there are no
/// push constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FragmentMetadata {
    /// The barycentric coordinates in the payload, in ascending order.
    pub barycentrics: Vec<Barycentric>,
    /// Whether the payload has the depth of the primitive.
    pub source_depth: bool,
    /// Whether the payload has the clip coordinate w of the primitive.
    pub source_w: bool,
    /// Whether the payload has the position of the sample in the pixel (`Position XY Offset Select` is
    /// `POSOFFSET_SAMPLE`).
    pub position_offsets: bool,
    /// The sample mask in the payload.
    pub input_coverage: InputCoverage,
    /// The attributes in the order of the setup data.
    pub attributes: Vec<Attribute>,
    /// The colour outputs, in ascending order of attachments. If there are none, the binding table has a null surface at
    /// the index of the render-target write that ends the thread.
    pub colour_outputs: Vec<ColourOutput>,
    /// Whether the render-target writes of attachments other than 0 contain the alpha of attachment 0, too. Alpha to
    /// coverage then uses this alpha for all attachments. Without it, alpha to coverage uses the alpha that each
    /// attachment is written with.
    pub source0_alpha: bool,
    /// Whether output 0 has a second colour for blending.
    pub dual_source: bool,
    /// The depth that the shader computes.
    pub computed_depth: ComputedDepth,
    /// Whether the shader computes the reference value of the stencil test.
    pub computed_stencil: bool,
    /// Whether the shader computes a sample mask.
    pub output_sample_mask: bool,
    /// Whether the shader can discard pixels.
    pub kills_pixels: bool,
    /// Whether depth and stencil tests must come before the shader.
    pub early_tests: bool,
    /// Whether the shader runs once for each sample.
    pub per_sample: bool,
    /// Whether the code is correct only for framebuffers with one sample per pixel.
    pub one_sample: bool,
    /// Whether the shader writes buffers or images, so that it must run even if nothing uses its colours.
    pub side_effects: bool,
    /// Whether the shader requests barycentric coordinates by messages to the pixel interpolator.
    pub pixel_interpolator: bool,
    /// Whether the channels of all pixels of a 2x2 block are enabled if one of the pixels is covered (`Vector Mask
    /// Enable`).
    pub vector_mask: bool,
}

/// The number (0 to 2) of the kernel start pointer in 3DSTATE_PS for the code entry with SIMD width `width`, if the
/// widths in `enabled` are enabled together (PRM, 3DSTATE_PS: Kernel Start Pointers; Mesa's driver uses the same
/// table).
pub fn kernel_start_slot(width: u32, enabled: &[u32]) -> u8 {
    match width {
        32 if enabled.len() > 1 => 1,
        16 if enabled.len() > 1 => 2,
        _ => 0,
    }
}

/// The error for a field of the stage.
fn field(name: &str, reason: String) -> MetadataError {
    MetadataError::Field { field: format!("stage.{name}"), reason }
}

impl FragmentMetadata {
    /// Checks that the fields are consistent with each other, the code entries and the device.
    pub(crate) fn check(
        &self,
        dispatches: &Dispatches,
        device: &Device,
    ) -> Result<(), MetadataError> {
        if !self.barycentrics.is_sorted_by(|a, b| a < b) {
            let reason = "expected each value at most once, in ascending order".to_owned();
            return Err(field("barycentrics", reason));
        }
        let count = self.attributes.len();
        if count > MAX_ATTRIBUTES {
            let reason = format!("{count} attributes: expected at most {MAX_ATTRIBUTES}");
            return Err(field("attributes", reason));
        }
        for output in &self.colour_outputs {
            if output.target >= MAX_COLOUR_TARGETS || !(1..=15).contains(&output.components) {
                let reason = format!(
                    "attachment {}, components {}: expected attachments 0 to {} and components 1 to 15",
                    output.target,
                    output.components,
                    MAX_COLOUR_TARGETS - 1
                );
                return Err(field("colour_outputs", reason));
            }
        }
        if !self.colour_outputs.is_sorted_by(|a, b| a.target < b.target) {
            let reason = "expected each attachment at most once, in ascending order".to_owned();
            return Err(field("colour_outputs", reason));
        }
        if self.computed_stencil && !device.has_computed_stencil() {
            let reason =
                format!("{} has no stencil value from the shader (gen9 on)", device.platform());
            return Err(field("computed_stencil", reason));
        }
        if self.input_coverage == InputCoverage::AfterTests && !device.has_coverage_after_tests() {
            let reason = format!("{} has no `after_tests` (gen9 on)", device.platform());
            return Err(field("input_coverage", reason));
        }
        // The state of the hardware has both since gen9.
        if self.input_coverage == InputCoverage::Inner && !device.has_coverage_after_tests() {
            let reason = format!("{} has no `inner` (gen9 on)", device.platform());
            return Err(field("input_coverage", reason));
        }
        if self.input_coverage == InputCoverage::AfterTests && !self.early_tests {
            let reason = "`after_tests` needs `early_tests`".to_owned();
            return Err(field("input_coverage", reason));
        }
        self.check_dispatches(dispatches)
    }

    /// Checks the widths and kernel start slots of the code entries, and the sizes of their setup data.
    fn check_dispatches(&self, dispatches: &Dispatches) -> Result<(), MetadataError> {
        let widths: Vec<u32> = dispatches.iter().map(|dispatch| dispatch.simd_width).collect();
        let distinct: BTreeSet<u32> = widths.iter().copied().collect();
        let fail = |index: usize, name: &str, reason: String| {
            Err(MetadataError::Field { field: format!("dispatches[{index}].{name}"), reason })
        };
        if distinct.len() < widths.len() {
            let reason = format!("{widths:?}: expected each SIMD width at most once");
            return Err(MetadataError::Field { field: "dispatches".to_owned(), reason });
        }
        for (index, Dispatch { simd_width, kernel_start_slot: slot, payload, .. }) in
            dispatches.iter().enumerate()
        {
            let expected = kernel_start_slot(*simd_width, &widths);
            if *slot != Some(expected) {
                let found = slot.map_or_else(|| "none".to_owned(), |slot| slot.to_string());
                let reason = format!(
                    "{found}: expected {expected} for SIMD{simd_width} among the widths {widths:?}"
                );
                return fail(index, "kernel_start_slot", reason);
            }
            let expected = 2 * self.attributes.len() as u32;
            let found = payload.setup.map_or(0, |setup| setup.count);
            if found != expected {
                let reason = format!(
                    "{found} registers: expected {expected}, two for each of the {} attributes",
                    self.attributes.len()
                );
                return fail(index, "payload.setup", reason);
            }
        }
        Ok(())
    }
}

tagged! {
    AttributeSource {
        varying => Varying { varying },
        point_coord => PointCoord,
    }
}

record! {
    Attribute { source, flat: default }
    ColourOutput { target, components, ty }
    FragmentMetadata {
        barycentrics: default, source_depth: default, source_w: default, position_offsets: default,
        input_coverage: default, attributes: default, colour_outputs: default, source0_alpha: default,
        dual_source: default,
        computed_depth: default, computed_stencil: default, output_sample_mask: default,
        kills_pixels: default, early_tests: default, per_sample: default, one_sample: default,
        side_effects: default,
        pixel_interpolator: default, vector_mask: default,
    }
}

words!(Barycentric, ColourType, ComputedDepth, InputCoverage);
