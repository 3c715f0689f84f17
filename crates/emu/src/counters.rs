//! Counters of draw calls and dispatches: occlusion and pipeline statistics (Vulkan, "Queries").

/// Counts of the work of a draw call or dispatch. Each stage counts its own work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The samples that passed all tests: of all primitives, also where they overlap. The result of an occlusion query,
    /// which with less precision is whether this is 0.
    pub samples_passed: u64,
    /// The vertices of the draw call, with their repetitions.
    pub input_vertices: u64,
    /// The primitives of the draw call. The caller counts them, for example with [`Topology::count`](crate::Topology::count).
    pub input_primitives: u64,
    /// Runs of the vertex shader. Each index counts, also one that appeared before.
    pub vertex_invocations: u64,
    /// Runs of the geometry shader.
    pub geometry_invocations: u64,
    /// The primitives of stream 0 that the geometry shader emitted.
    pub geometry_primitives: u64,
    /// The primitives that reached rasterization.
    pub clipping_invocations: u64,
    /// The primitives of which clipping and culling left a part. The edges and vertices that a polygon mode draws of a
    /// triangle are one primitive.
    pub clipping_primitives: u64,
    /// Runs of the fragment shader, without those of helper invocations.
    pub fragment_invocations: u64,
    /// The patches of the tessellation control shader.
    pub control_patches: u64,
    /// Runs of the tessellation evaluation shader.
    pub evaluation_invocations: u64,
    /// Runs of the compute shader.
    pub compute_invocations: u64,
}

impl Counters {
    /// Adds other counts.
    pub fn add(&mut self, other: &Counters) {
        let Counters {
            samples_passed,
            input_vertices,
            input_primitives,
            vertex_invocations,
            geometry_invocations,
            geometry_primitives,
            clipping_invocations,
            clipping_primitives,
            fragment_invocations,
            control_patches,
            evaluation_invocations,
            compute_invocations,
        } = other;
        self.samples_passed += samples_passed;
        self.input_vertices += input_vertices;
        self.input_primitives += input_primitives;
        self.vertex_invocations += vertex_invocations;
        self.geometry_invocations += geometry_invocations;
        self.geometry_primitives += geometry_primitives;
        self.clipping_invocations += clipping_invocations;
        self.clipping_primitives += clipping_primitives;
        self.fragment_invocations += fragment_invocations;
        self.control_patches += control_patches;
        self.evaluation_invocations += evaluation_invocations;
        self.compute_invocations += compute_invocations;
    }

    /// The counts with their names, in the order of the fields.
    pub fn rows(&self) -> [(&'static str, u64); 12] {
        [
            ("samples passed", self.samples_passed),
            ("input vertices", self.input_vertices),
            ("input primitives", self.input_primitives),
            ("vertex invocations", self.vertex_invocations),
            ("geometry invocations", self.geometry_invocations),
            ("geometry primitives", self.geometry_primitives),
            ("clipping invocations", self.clipping_invocations),
            ("clipping primitives", self.clipping_primitives),
            ("fragment invocations", self.fragment_invocations),
            ("control patches", self.control_patches),
            ("evaluation invocations", self.evaluation_invocations),
            ("compute invocations", self.compute_invocations),
        ]
    }
}
