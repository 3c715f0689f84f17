//! What a stage is told about the stages around it.

use crestline_ssa::ir::{TessDomain, TessSpacing};

/// Properties of other stages or of the pipeline that a shader depends on, but that its own module does not contain. All but
/// the last two are for tessellation shaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linkage {
    /// Number of control points of an input patch, if it is known. For an evaluation shader, this is the number that
    /// the control shader writes.
    pub input_vertices: Option<u32>,
    /// The domain of the evaluation shader. A control shader writes the tessellation levels to positions that depend on
    /// it. Quads are assumed if it is not known.
    pub domain: Option<TessDomain>,
    /// The spacing of the evaluation shader. Before gen9, a control shader for quads with equal spacing must change
    /// levels that the tessellator cannot handle; it leaves them as they are if the spacing is not known.
    pub spacing: Option<TessSpacing>,
    /// Whether the stage before was compiled for entries without clip distances, which begin their locations in slot 2
    /// instead of 4. Stages that are linked agree on this; all others have room for clip distances.
    pub inputs_without_clip_distances: bool,
    /// The same of this stage's own outputs: whether the stage after it expects such entries.
    pub outputs_without_clip_distances: bool,
}

impl Linkage {
    /// The domain for which the tessellation levels are laid out.
    pub(crate) fn domain(self) -> TessDomain {
        self.domain.unwrap_or(TessDomain::Quads)
    }
}
