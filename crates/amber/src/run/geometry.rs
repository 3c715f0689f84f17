//! The stages of a draw call before rasterization: vertices to the strips that [`Kernel::draw`] takes.

use super::Failure;
use super::emulator::too_large;
use crate::error::Place;
use crate::limits;
use crate::script::{Pipeline, Stage, Topology};
use crestline_emu::{
    Draw, EmuError, Kernel, Options, Primitive, Report, Resources, SlotValues, Tessellation,
    Topology as Strips, strips,
};
use crestline_program::StageMetadata;

/// The vertices that geometry shaders may emit before the emitted ones are counted, unless a single primitive has more.
const EMITTED: u32 = 1 << 17;

/// The vertices that reach rasterization.
pub(super) struct Assembled {
    pub(super) topology: Strips,
    vertices: Vec<Vec<SlotValues>>,
    /// The vertices of all primitives, each by the numbers of its list and in its list; `None` if each list is a strip.
    order: Option<Vec<[u32; 2]>>,
    pub(super) report: Report,
}

impl Assembled {
    /// The vertices of each strip.
    pub(super) fn strips(&self) -> Vec<Vec<&SlotValues>> {
        match &self.order {
            None => self.vertices.iter().map(|strip| strip.iter().collect()).collect(),
            Some(order) => {
                let vertex = |[list, number]: &[u32; 2]| {
                    self.vertices.get(*list as usize)?.get(*number as usize)
                };
                vec![order.iter().filter_map(vertex).collect()]
            }
        }
    }
}

/// What the tessellation stages make of patches.
struct Tessellated {
    topology: Strips,
    /// The number of vertices of a primitive.
    size: usize,
    /// The points of each patch.
    points: Vec<Vec<SlotValues>>,
    /// The id of each patch.
    ids: Vec<u32>,
    /// See [`Assembled::order`].
    order: Vec<[u32; 2]>,
}

impl Tessellated {
    /// The primitives, for a geometry shader.
    fn primitives(&self) -> Vec<Primitive> {
        let primitive = |order: &[[u32; 2]]| {
            let vertices = order
                .iter()
                .map(|&[patch, point]| self.points[patch as usize][point as usize].clone());
            let id = order.first().map_or(0, |&[patch, _]| self.ids[patch as usize]);
            Primitive { vertices: vertices.collect(), id }
        };
        self.order.chunks_exact(self.size).map(primitive).collect()
    }
}

/// The geometry stages of a draw call.
pub(super) struct Geometry<'a> {
    pub(super) place: Place,
    pub(super) pipeline: &'a Pipeline,
    pub(super) kernels: &'a [(Stage, Kernel)],
    pub(super) resources: &'a Resources,
    pub(super) options: &'a Options,
    /// The bytes that the vertices of all stages may need.
    pub(super) room: u64,
}

impl Geometry<'_> {
    fn kernel(&self, stage: Stage) -> Option<&Kernel> {
        self.kernels.iter().find(|(own, _)| *own == stage).map(|(_, kernel)| kernel)
    }

    /// The number of control points of a patch.
    fn patch_size(&self) -> usize {
        self.pipeline.patch_points.max(1) as usize
    }

    fn failure(&self, stage: Stage, error: &EmuError) -> Failure {
        Failure::of_emulator(self.place, stage.name(), error)
    }

    /// Checks that there is room for this many vertices and points of the tessellator.
    fn check_room(&self, vertices: u64, points: u64) -> Result<(), Failure> {
        let needed = vertices * limits::VERTEX_BYTES + points * limits::POINT_BYTES;
        match needed > self.room {
            true => Err(too_large(self.place, limits::MEMORY_BYTES - self.room + needed)),
            false => Ok(()),
        }
    }

    /// Runs a geometry shader on primitives, some of them at a time, so that the vertices that it emits cannot need more than
    /// the room. Returns its strips.
    fn emit(
        &self,
        geometry: &Kernel,
        primitives: &[Primitive],
        report: &mut Report,
    ) -> Result<Vec<Vec<SlotValues>>, Failure> {
        let read: usize = primitives.iter().map(|primitive| primitive.vertices.len()).sum();
        let mut all: Vec<Vec<SlotValues>> = Vec::new();
        let mut emitted = 0u64;
        let most = match &geometry.metadata().stage {
            StageMetadata::Geometry(metadata) => {
                let vertices = metadata.entry_bytes / metadata.vertex_bytes.max(1);
                vertices.saturating_mul(metadata.invocations).max(1)
            }
            _ => 1,
        };
        for primitives in primitives.chunks((EMITTED / most).max(1) as usize) {
            let (outputs, own) = geometry
                .run_primitives(primitives, self.resources, self.options, None)
                .map_err(|error| self.failure(Stage::Geometry, &error))?;
            report.add(own);
            let invocations = outputs.into_iter().flat_map(|output| output.invocations);
            for strip in invocations.flat_map(strips) {
                emitted += strip.len() as u64;
                all.push(strip);
            }
            self.check_room(read as u64 + emitted, 0)?;
        }
        Ok(all)
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
        self.check_room(u64::from(draw.vertices) * u64::from(draw.instances), 0)?;
        let (vertices, mut report) = vertex
            .run_vertices(draw, self.resources, self.options, None)
            .map_err(|error| self.failure(Stage::Vertex, &error))?;
        // Empty parts form no primitive. Without them the number of lists is at most the number of vertices.
        let parts: Vec<usize> = parts.iter().copied().filter(|part| *part > 0).collect();
        let (mut lists, mut vertices): (Vec<Vec<_>>, _) = (Vec::new(), vertices.into_iter());
        if !parts.is_empty() {
            for _ in 0..draw.instances {
                lists.extend(parts.iter().map(|part| vertices.by_ref().take(*part).collect()));
            }
        }
        let mut assembled = Assembled {
            topology: Strips::Points,
            vertices: Vec::new(),
            order: None,
            report: Report::default(),
        };
        let has_geometry = self.kernel(Stage::Geometry).is_some();
        let count = |list: &Vec<SlotValues>| match strips_of(topology) {
            Some(topology) => topology.count(list.len()),
            None => list.len() / self.patch_size(),
        };
        report.counters.input_primitives = lists.iter().map(|list| count(list) as u64).sum();
        let primitives = match strips_of(topology) {
            None => {
                let tessellated = self.tessellate(&lists, parts.len(), &mut report)?;
                assembled.topology = tessellated.topology;
                if !has_geometry {
                    assembled.vertices = tessellated.points;
                    assembled.order = Some(tessellated.order);
                    assembled.report = report;
                    return Ok(assembled);
                }
                tessellated.primitives()
            }
            Some(topology) if has_geometry => {
                let mut primitives = Vec::new();
                // The primitive id starts at 0 in each instance.
                for instance in lists.chunks(parts.len().max(1)) {
                    let own = instance.iter().flat_map(|list| {
                        topology.primitives(list.len()).map(move |indices| {
                            indices.into_iter().map(|i| list[i].clone()).collect::<Vec<_>>()
                        })
                    });
                    primitives
                        .extend((0..).zip(own).map(|(id, vertices)| Primitive { vertices, id }));
                }
                primitives
            }
            Some(topology) => {
                assembled.topology = topology;
                assembled.vertices = lists;
                assembled.report = report;
                return Ok(assembled);
            }
        };
        if let Some(geometry) = self.kernel(Stage::Geometry) {
            assembled.vertices = self.emit(geometry, &primitives, &mut report)?;
            if let StageMetadata::Geometry(metadata) = &geometry.metadata().stage {
                assembled.topology = Strips::of_output(metadata.output);
            }
        }
        assembled.report = report;
        Ok(assembled)
    }

    /// Runs the tessellation stages on the patches of `lists`; each instance has `parts` of them. A primitive has the id of its patch, as the tessellator of the hardware passes it on. Vulkan would
    /// have the primitives counted, as lavapipe does.
    fn tessellate(
        &self,
        lists: &[Vec<SlotValues>],
        parts: usize,
        report: &mut Report,
    ) -> Result<Tessellated, Failure> {
        let (Some(control), Some(eval)) =
            (self.kernel(Stage::TessControl), self.kernel(Stage::TessEval))
        else {
            let message = "PATCH_LIST needs a pipeline with both tessellation shaders";
            return Err(Failure::script(self.place, message));
        };
        let size = self.patch_size();
        let mut patches = Vec::new();
        for instance in lists.chunks(parts.max(1)) {
            let own = instance.iter().flat_map(|list| list.chunks_exact(size));
            patches.extend(
                (0..).zip(own).map(|(id, vertices)| Primitive { vertices: vertices.to_vec(), id }),
            );
        }
        let (patches, own) = control
            .run_patches(&patches, self.resources, self.options, None)
            .map_err(|error| self.failure(Stage::TessControl, &error))?;
        report.add(own);
        let StageMetadata::TessEval(metadata) = &eval.metadata().stage else {
            return Err(Failure::script(
                self.place,
                "the program is no tessellation evaluation shader",
            ));
        };
        let mut topology = Strips::Triangles;
        let mut points = 0u64;
        let mut parts = Vec::new();
        for patch in &patches {
            let own = Tessellation::new(metadata, &patch.values);
            points += own.points.len() as u64;
            if points > limits::VERTICES {
                let message = format!("more than {} tessellated points", limits::VERTICES);
                return Err(Failure::script(self.place, message));
            }
            self.check_room(0, points)?;
            topology = match own.size {
                1 => Strips::Points,
                2 => Strips::Lines,
                _ => Strips::Triangles,
            };
            parts.push(own);
        }
        let work: Vec<_> =
            patches.iter().zip(&parts).map(|(p, own)| (p, &own.points[..])).collect();
        let (outputs, own) = eval
            .run_patch_points(&work, self.resources, self.options, None)
            .map_err(|error| self.failure(Stage::TessEval, &error))?;
        report.add(own);
        let ids = patches.iter().map(|patch| patch.id).collect();
        let size = parts.first().map_or(1, |parts| parts.size.max(1));
        let mut order = Vec::with_capacity(parts.iter().map(|parts| parts.indices.len()).sum());
        for (patch, parts) in (0..).zip(&parts) {
            order.extend(parts.indices.iter().map(|index| [patch, *index]));
        }
        Ok(Tessellated { topology, size, points: outputs, ids, order })
    }
}

/// The emulator's topology; `None` for patches.
fn strips_of(topology: Topology) -> Option<Strips> {
    Some(match topology {
        Topology::PointList => Strips::Points,
        Topology::LineList => Strips::Lines,
        Topology::LineListAdjacency => Strips::LinesAdjacency,
        Topology::LineStrip => Strips::LineStrip,
        Topology::LineStripAdjacency => Strips::LineStripAdjacency,
        Topology::TriangleList => Strips::Triangles,
        Topology::TriangleListAdjacency => Strips::TrianglesAdjacency,
        Topology::TriangleStrip => Strips::TriangleStrip,
        Topology::TriangleStripAdjacency => Strips::TriangleStripAdjacency,
        Topology::TriangleFan => Strips::TriangleFan,
        Topology::PatchList => return None,
    })
}
