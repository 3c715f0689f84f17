//! The interpreter of the mid-level IR as an engine.

use std::collections::BTreeMap;

use crestline_judges::lavapipe::{BufferKind, VertexStage};
use crestline_ssa::interp::{
    Emitted, Invocation, Options, Outputs, Primitive, Resources, Slots, run_stage,
};
use crestline_ssa::ir::{Feedback, Shader, StageInfo, SysVal};
use crestline_ssa::link::{self, link};
use crestline_ssa::passes;
use crestline_ssa::verify::verify;

use super::pipeline::{Assembled, Engine, Point, fetch};
use super::{DrawCase, StageTest};
use crate::engine::{interpreter_key, interpreter_resources};

/// Runs shaders in the interpreter of the mid-level IR.
#[derive(Debug)]
pub struct StageInterpreter {
    name: &'static str,
    shaders: Vec<(VertexStage, Shader)>,
    resources: Resources,
    /// Number of control points of an input patch.
    patch_vertices: u32,
    /// The number of the view.
    view: u32,
    /// The number of the draw call.
    draw: u32,
}

impl StageInterpreter {
    /// The engine for the shaders of a test. `change` modifies each shader first, for instance by passes.
    ///
    /// # Errors
    ///
    /// The front end's message.
    pub fn new(
        test: &StageTest,
        name: &'static str,
        change: impl Fn(&mut Shader),
    ) -> Result<StageInterpreter, String> {
        let mut shaders = Vec::new();
        for (stage, _) in &test.modules {
            let mut shader = test.shader(*stage).map_err(|e| format!("{stage:?}: {e}"))?;
            change(&mut shader);
            shaders.push((*stage, shader));
        }
        Ok(StageInterpreter::of(test, name, shaders))
    }

    /// The engine for the linked shaders of a test. After linking, `change` modifies each shader.
    ///
    /// # Errors
    ///
    /// The front end's message, or that of linking.
    pub fn linked(
        test: &StageTest,
        name: &'static str,
        change: impl Fn(&mut Shader),
    ) -> Result<StageInterpreter, String> {
        let mut shaders = Vec::new();
        for (stage, _) in &test.modules {
            shaders.push(test.shader(*stage).map_err(|e| format!("{stage:?}: {e}"))?);
        }
        link(&mut shaders, &link::Options::default(), |_, shader| {
            let options = passes::Options { verify: true, ..passes::Options::default() };
            passes::clean(shader, &options, &mut |_, _| {}).map(|_| ())
        })
        .map_err(|error| error.to_string())?;
        for shader in &mut shaders {
            verify(shader).map_err(|error| error.to_string())?;
            change(shader);
        }
        let stages = test.modules.iter().map(|(stage, _)| *stage);
        Ok(StageInterpreter::of(test, name, stages.zip(shaders).collect()))
    }

    /// The engine for shaders.
    fn of(
        test: &StageTest,
        name: &'static str,
        shaders: Vec<(VertexStage, Shader)>,
    ) -> StageInterpreter {
        let case = &test.case;
        let resources = interpreter_resources(&case.resources);
        let patch_vertices = match case.topology {
            crestline_judges::lavapipe::Topology::Patches(n) => n,
            _ => 0,
        };
        StageInterpreter { name, shaders, resources, patch_vertices, view: 0, draw: 0 }
    }

    /// Runs a stage's shader for these primitives and invocations. An access out of bounds is an error.
    fn run(
        &mut self,
        stage: VertexStage,
        primitives: &[Primitive],
        invocations: &[Invocation],
    ) -> Result<Outputs, String> {
        let shader = self.shaders.iter().find(|(found, _)| *found == stage);
        let (_, shader) = shader.ok_or("no such stage")?;
        let mut invocations = invocations.to_vec();
        for invocation in &mut invocations {
            invocation.sysvals.insert(SysVal::ViewIndex, [self.view, 0, 0]);
        }
        let (outputs, report) =
            run_stage(shader, &mut self.resources, primitives, &invocations, &Options::default())
                .map_err(|error| format!("{stage:?}: {error}"))?;
        match report.out_of_bounds.first() {
            Some(access) => Err(format!("{stage:?}: an access out of bounds: {access:?}")),
            None => Ok(outputs),
        }
    }
}

/// An invocation for primitive number `primitive`, with these scalar system values.
fn invocation(primitive: usize, sysvals: &[(SysVal, u32)]) -> Invocation {
    let sysvals = sysvals.iter().map(|&(sysval, value)| (sysval, [value, 0, 0])).collect();
    Invocation { primitive, sysvals }
}

impl Engine for StageInterpreter {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn feedback(&self) -> Result<Feedback, String> {
        let last = self.shaders.last().ok_or("no stage")?;
        Ok(last.1.feedback.clone())
    }

    fn set_draw(&mut self, view: u32, draw: u32) {
        (self.view, self.draw) = (view, draw);
    }

    fn vertices(&mut self, case: &DrawCase) -> Result<Vec<Slots>, String> {
        let (mut primitives, mut invocations) = (Vec::new(), Vec::new());
        for instance in 0..case.instances {
            for vertex in 0..case.vertices {
                let (vertex, instance) =
                    (vertex + case.first_vertex, instance + case.first_instance);
                let mut slots = Slots::new();
                for attribute in &case.attributes {
                    let element = if attribute.per_instance { instance } else { vertex };
                    fetch(attribute, element, &mut slots);
                }
                invocations.push(invocation(
                    primitives.len(),
                    &[
                        (SysVal::VertexIndex, vertex),
                        (SysVal::InstanceIndex, instance),
                        (SysVal::BaseVertex, case.first_vertex),
                        (SysVal::BaseInstance, case.first_instance),
                        (SysVal::DrawIndex, self.draw),
                    ],
                ));
                primitives.push(Primitive { vertices: vec![slots], patch: Slots::new() });
            }
        }
        match self.run(VertexStage::Vertex, &primitives, &invocations)? {
            Outputs::Vertices(vertices) => Ok(vertices),
            _ => Err("a vertex shader gives vertices".into()),
        }
    }

    fn patches(&mut self, patches: &[Assembled]) -> Result<Vec<Primitive>, String> {
        let primitives: Vec<_> = patches.iter().map(|patch| patch.primitive.clone()).collect();
        let count = self.patch_vertices;
        let number = |(i, patch): (usize, &Assembled)| {
            invocation(i, &[(SysVal::PrimitiveId, patch.id), (SysVal::PatchVertices, count)])
        };
        let invocations: Vec<_> = patches.iter().enumerate().map(number).collect();
        match self.run(VertexStage::TessControl, &primitives, &invocations)? {
            Outputs::Patches(patches) => Ok(patches),
            _ => Err("a tessellation control shader gives patches".into()),
        }
    }

    fn points(&mut self, patch: &Assembled, points: &[Point]) -> Result<Vec<Slots>, String> {
        let count = patch.primitive.vertices.len() as u32;
        let invocations: Vec<_> = points
            .iter()
            .map(|point| {
                let mut sysvals = BTreeMap::new();
                sysvals.insert(SysVal::TessCoord, point.map(f32::to_bits));
                sysvals.insert(SysVal::PrimitiveId, [patch.id, 0, 0]);
                sysvals.insert(SysVal::PatchVertices, [count, 0, 0]);
                Invocation { primitive: 0, sysvals }
            })
            .collect();
        let primitives = [patch.primitive.clone()];
        match self.run(VertexStage::TessEval, &primitives, &invocations)? {
            Outputs::Vertices(vertices) => Ok(vertices),
            _ => Err("a tessellation evaluation shader gives vertices".into()),
        }
    }

    fn primitives(&mut self, primitives: &[Assembled]) -> Result<Vec<Vec<Emitted>>, String> {
        let count = self.shaders.iter().find_map(|(_, shader)| match shader.stage {
            StageInfo::Geometry(info) => Some(info.invocations),
            _ => None,
        });
        let inputs: Vec<_> = primitives.iter().map(|p| p.primitive.clone()).collect();
        let invocations: Vec<_> = primitives
            .iter()
            .enumerate()
            .flat_map(|(i, primitive)| {
                (0..count.unwrap_or(1)).map(move |number| {
                    let id = (SysVal::PrimitiveId, primitive.id);
                    invocation(i, &[id, (SysVal::InvocationId, number)])
                })
            })
            .collect();
        match self.run(VertexStage::Geometry, &inputs, &invocations)? {
            Outputs::Emitted(emitted) => Ok(emitted),
            _ => Err("a geometry shader emits vertices".into()),
        }
    }

    fn buffers(&mut self, case: &DrawCase) -> Result<Vec<Vec<u8>>, String> {
        let contents = case.resources.buffers.iter().map(|buffer| match buffer.kind {
            BufferKind::Image(_) | BufferKind::Texture(_) => {
                self.resources.images.get(&interpreter_key(buffer)).map(|image| image.bytes.clone())
            }
            _ => self.resources.buffers.get(&interpreter_key(buffer)).cloned(),
        });
        Ok(contents.map(Option::unwrap_or_default).collect())
    }
}
