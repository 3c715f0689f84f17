//! The stages of a draw call before rasterization: vertices to the strips that [`Kernel::draw`] takes.

use super::Failure;
use crate::error::Place;
use crate::limits;
use crate::script::{Pipeline, Stage, Topology};
use crestline_emu::{
    Draw, EmuError, Kernel, Options, Primitive, Report, Resources, SlotValues, Tessellation,
    Topology as Strips, strips,
};
use crestline_program::{GeometryOutput, StageMetadata};

/// The vertices that reach rasterization.
pub(super) struct Assembled {
    pub(super) topology: Strips,
    pub(super) strips: Vec<Vec<SlotValues>>,
    pub(super) report: Report,
}

/// The geometry stages of a draw call.
pub(super) struct Geometry<'a> {
    pub(super) place: Place,
    pub(super) pipeline: &'a Pipeline,
    pub(super) kernels: &'a [(Stage, Kernel)],
    pub(super) resources: &'a Resources,
    pub(super) options: &'a Options,
}

impl Geometry<'_> {
    fn kernel(&self, stage: Stage) -> Option<&Kernel> {
        self.kernels.iter().find(|(own, _)| *own == stage).map(|(_, kernel)| kernel)
    }

    fn failure(&self, stage: Stage, error: &EmuError) -> Failure {
        Failure::of_emulator(self.place, stage.name(), error)
    }

    /// Runs all stages before the fragment shader. `parts` are the lengths of the lists into which the restart index
    /// divides the vertices of an instance.
    pub(super) fn run(
        &self,
        draw: &Draw,
        topology: Topology,
        parts: &[usize],
    ) -> Result<Assembled, Failure> {
        let Some(vertex) = self.kernel(Stage::Vertex) else {
            return Err(Failure::script(self.place, "the pipeline has no vertex shader"));
        };
        let (mut rest, mut report) = vertex
            .run_vertices(draw, self.resources, self.options, None)
            .map_err(|error| self.failure(Stage::Vertex, &error))?;
        let mut lists = Vec::new();
        for _ in 0..draw.instances {
            for part in parts {
                let later = rest.split_off((*part).min(rest.len()));
                lists.push(std::mem::replace(&mut rest, later));
            }
        }
        let mut assembled =
            Assembled { topology: Strips::Points, strips: Vec::new(), report: Report::default() };
        let has_geometry = self.kernel(Stage::Geometry).is_some();
        let primitives = if topology == Topology::PatchList {
            let (topology, primitives) = self.tessellate(&lists, &mut report)?;
            assembled.topology = topology;
            primitives
        } else if has_geometry {
            let mut primitives = Vec::new();
            for list in &lists {
                // The primitive id starts at 0 in each instance.
                let first = if parts.len() > 1 { primitives.len() as u32 } else { 0 };
                primitives.extend(primitives_of(list, topology, first));
            }
            primitives
        } else {
            let (topology, keep) = without_adjacency(topology);
            assembled.topology = topology;
            assembled.strips = lists.into_iter().map(keep).collect();
            assembled.report = report;
            return Ok(assembled);
        };
        if let Some(geometry) = self.kernel(Stage::Geometry) {
            let (outputs, own) = geometry
                .run_primitives(&primitives, self.resources, self.options, None)
                .map_err(|error| self.failure(Stage::Geometry, &error))?;
            add(&mut report, own);
            if let StageMetadata::Geometry(metadata) = &geometry.metadata().stage {
                assembled.topology = match metadata.output {
                    GeometryOutput::Points => Strips::Points,
                    GeometryOutput::LineStrip => Strips::LineStrip,
                    GeometryOutput::TriangleStrip => Strips::TriangleStrip,
                };
            }
            let invocations = outputs.into_iter().flat_map(|output| output.invocations);
            assembled.strips = invocations.flat_map(strips).collect();
        } else {
            assembled.strips = primitives.into_iter().map(|primitive| primitive.vertices).collect();
        }
        assembled.report = report;
        Ok(assembled)
    }

    /// Runs the tessellation stages on patches. Returns the primitives and their kind.
    fn tessellate(
        &self,
        lists: &[Vec<SlotValues>],
        report: &mut Report,
    ) -> Result<(Strips, Vec<Primitive>), Failure> {
        let (Some(control), Some(eval)) =
            (self.kernel(Stage::TessControl), self.kernel(Stage::TessEval))
        else {
            let message = "PATCH_LIST needs a pipeline with both tessellation shaders";
            return Err(Failure::script(self.place, message));
        };
        let size = self.pipeline.patch_points.max(1) as usize;
        let mut patches = Vec::new();
        for list in lists {
            for (id, vertices) in (0..).zip(list.chunks_exact(size)) {
                patches.push(Primitive { vertices: vertices.to_vec(), id });
            }
        }
        let (patches, own) = control
            .run_patches(&patches, self.resources, self.options, None)
            .map_err(|error| self.failure(Stage::TessControl, &error))?;
        add(report, own);
        let StageMetadata::TessEval(metadata) = &eval.metadata().stage else {
            return Err(Failure::script(
                self.place,
                "the program is no tessellation evaluation shader",
            ));
        };
        let mut primitives: Vec<Primitive> = Vec::new();
        let mut topology = Strips::Triangles;
        let mut points = 0u64;
        for patch in &patches {
            let parts = Tessellation::new(metadata, &patch.values);
            points += parts.points.len() as u64;
            if points > limits::VERTICES {
                let message = format!("more than {} tessellated points", limits::VERTICES);
                return Err(Failure::script(self.place, message));
            }
            topology = match parts.size {
                1 => Strips::Points,
                2 => Strips::Lines,
                _ => Strips::Triangles,
            };
            if parts.points.is_empty() {
                continue;
            }
            let (vertices, own) = eval
                .run_points(patch, &parts.points, self.resources, self.options, None)
                .map_err(|error| self.failure(Stage::TessEval, &error))?;
            add(report, own);
            for indices in parts.indices.chunks_exact(parts.size) {
                let vertices = indices.iter().map(|index| vertices[*index as usize].clone());
                primitives.push(Primitive { vertices: vertices.collect(), id: patch.id });
            }
        }
        Ok((topology, primitives))
    }
}

/// Adds the counts of a stage.
pub(super) fn add(total: &mut Report, own: Report) {
    total.instructions += own.instructions;
    total.simd8_instructions += own.simd8_instructions;
    total.sends += own.sends;
    total.threads += own.threads;
    total.diagnostics.extend(own.diagnostics);
}

/// A function that leaves vertices out of a list.
type Keep = fn(Vec<SlotValues>) -> Vec<SlotValues>;

/// The topology without adjacent vertices, and the function that leaves these out of a list.
fn without_adjacency(topology: Topology) -> (Strips, Keep) {
    /// The elements of each group of `size`, or of all, whose position is in `kept`.
    fn groups<const N: usize>(
        list: Vec<SlotValues>,
        size: usize,
        kept: [usize; N],
    ) -> Vec<SlotValues> {
        let groups = list.chunks_exact(size);
        groups.flat_map(|group| kept.iter().map(|i| group[*i].clone())).collect()
    }
    match topology {
        Topology::PointList | Topology::PatchList => (Strips::Points, |list| list),
        Topology::LineList => (Strips::Lines, |list| list),
        Topology::LineStrip => (Strips::LineStrip, |list| list),
        Topology::TriangleList => (Strips::Triangles, |list| list),
        Topology::TriangleStrip => (Strips::TriangleStrip, |list| list),
        Topology::TriangleFan => (Strips::TriangleFan, |list| list),
        Topology::LineListAdjacency => (Strips::Lines, |list| groups(list, 4, [1, 2])),
        Topology::LineStripAdjacency => (Strips::LineStrip, |list| {
            let count = list.len().saturating_sub(2);
            list.into_iter().skip(1).take(count).collect()
        }),
        Topology::TriangleListAdjacency => (Strips::Triangles, |list| groups(list, 6, [0, 2, 4])),
        Topology::TriangleStripAdjacency => (Strips::TriangleStrip, |list| {
            // A strip of n triangles has 2n + 4 vertices.
            let triangles = list.len().saturating_sub(4) / 2;
            let count = if triangles == 0 { 0 } else { triangles + 2 };
            list.into_iter().step_by(2).take(count).collect()
        }),
    }
}

/// The primitives of a list of vertices, as a geometry shader gets them (Vulkan, "Primitive Topologies").
fn primitives_of(list: &[SlotValues], topology: Topology, first: u32) -> Vec<Primitive> {
    let n = list.len();
    let indices: Vec<Vec<usize>> = match topology {
        Topology::PointList | Topology::PatchList => (0..n).map(|i| vec![i]).collect(),
        Topology::LineList => (0..n / 2).map(|i| vec![2 * i, 2 * i + 1]).collect(),
        Topology::LineStrip => (1..n).map(|i| vec![i - 1, i]).collect(),
        Topology::LineListAdjacency => (0..n / 4).map(|i| (4 * i..4 * i + 4).collect()).collect(),
        Topology::LineStripAdjacency => (3..n).map(|i| (i - 3..=i).collect()).collect(),
        Topology::TriangleList => (0..n / 3).map(|i| (3 * i..3 * i + 3).collect()).collect(),
        Topology::TriangleStrip => (2..n)
            .map(|i| if i % 2 == 0 { vec![i - 2, i - 1, i] } else { vec![i - 2, i, i - 1] })
            .collect(),
        Topology::TriangleFan => (2..n).map(|i| vec![i - 1, i, 0]).collect(),
        Topology::TriangleListAdjacency => {
            (0..n / 6).map(|i| (6 * i..6 * i + 6).collect()).collect()
        }
        Topology::TriangleStripAdjacency => strip_with_adjacency(n),
    };
    let vertices = |indices: Vec<usize>| indices.into_iter().map(|i| list[i].clone()).collect();
    (first..)
        .zip(indices)
        .map(|(id, indices)| Primitive { vertices: vertices(indices), id })
        .collect()
}

/// The six vertices of each triangle of a strip with adjacent vertices (Vulkan, "Triangle Strips With Adjacency").
fn strip_with_adjacency(count: usize) -> Vec<Vec<usize>> {
    let triangles = count.saturating_sub(4) / 2;
    let triangle = |i: usize| {
        let last = i + 1 == triangles;
        match (i, triangles) {
            (0, 1) => vec![0, 1, 2, 5, 4, 3],
            (0, _) => vec![0, 1, 2, 6, 4, 3],
            (i, _) if i % 2 == 1 => {
                let after = if last { 2 * i + 5 } else { 2 * i + 6 };
                vec![2 * i + 2, 2 * i - 2, 2 * i, 2 * i + 3, 2 * i + 4, after]
            }
            (i, _) => {
                let after = if last { 2 * i + 5 } else { 2 * i + 6 };
                vec![2 * i, 2 * i - 2, 2 * i + 2, after, 2 * i + 4, 2 * i + 3]
            }
        }
    };
    (0..triangles).map(triangle).collect()
}
