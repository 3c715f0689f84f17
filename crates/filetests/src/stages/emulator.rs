//! The engine that compiles shaders and runs them in the emulator.

use std::collections::BTreeSet;

use crestline::{
    CompileError, Input, Job, LinkOptions, LinkStep, Linkage, Linked, Options, Simd, compile_spirv,
    link,
};
use crestline_device::{Device, Platform};
use crestline_emu::{
    Attribute, Class, Diagnostic, Draw, Kernel, Patch, Problem, Report, Resources, SlotValues,
    SurfaceName, Tessellation,
};
use crestline_judges::lavapipe::{AttributeType, BufferKind, Captured, Topology, VertexStage};
use crestline_program::{FeedbackCapture, Program, StageMetadata, Varying};
use crestline_ssa::interp::{Emitted, Primitive, Slots};
use crestline_ssa::ir::{Capture, Feedback, FeedbackBuffer, IoSlot, StageInfo};

use super::pipeline::{Assembled, Engine, Point};
use super::{DrawCase, StageTest};
use crate::engine::{emulator_key, emulator_resources};

/// A platform and the width of its threads: [`Simd::Simd8`] or [`Simd::Simd4x2`].
pub type Mode = (Platform, Simd);

/// The modes in which the tests run: every generation, and both widths where it has both.
pub const MODES: [Mode; 5] = [
    (Platform::Ivb, Simd::Simd4x2),
    (Platform::Hsw, Simd::Simd4x2),
    (Platform::Bdw, Simd::Simd4x2),
    (Platform::Bdw, Simd::Simd8),
    (Platform::Skl, Simd::Simd8),
];

/// Runs compiled shaders.
pub struct StageEmulator {
    mode: Mode,
    kernels: Vec<(VertexStage, Kernel)>,
    resources: Resources,
    options: crestline_emu::Options,
    /// The number of the draw call.
    draw: u32,
}

impl StageEmulator {
    /// Compiles the shaders of a test, each by itself.
    ///
    /// # Errors
    ///
    /// The compiler's message or the emulator's.
    pub fn new(test: &StageTest, mode: Mode) -> Result<StageEmulator, String> {
        let mut programs = Vec::new();
        for (stage, words) in &test.modules {
            let program = compile_stage(test, *stage, words, mode)?
                .map_err(|error| format!("{stage:?}: {error}"))?;
            programs.push((*stage, program));
        }
        StageEmulator::of(test, mode, programs)
    }

    /// Compiles the shaders of a test together.
    ///
    /// # Errors
    ///
    /// The compiler's message or the emulator's.
    pub fn linked(test: &StageTest, mode: Mode) -> Result<StageEmulator, String> {
        StageEmulator::captured(test, mode, None, None)
    }

    /// Compiles the shaders of a test together. With a fragment shader, only those outputs of the last stage stay that the
    /// test captures or that this shader reads. A condition of linking may be left out.
    ///
    /// # Errors
    ///
    /// The compiler's message or the emulator's.
    pub fn captured(
        test: &StageTest,
        mode: Mode,
        fragment: Option<&[u32]>,
        without: Option<LinkStep>,
    ) -> Result<StageEmulator, String> {
        let linked = link_stages(test, mode, fragment, without)?;
        let stages = test.modules.iter().map(|(stage, _)| *stage);
        let programs = linked.stages.into_iter().map(|of| of.program);
        StageEmulator::of(test, mode, stages.zip(programs).collect())
    }

    /// The emulator for programs.
    fn of(
        test: &StageTest,
        mode: Mode,
        programs: Vec<(VertexStage, Program)>,
    ) -> Result<StageEmulator, String> {
        let mut kernels = Vec::new();
        for (stage, program) in programs {
            let kernel = Kernel::load(&program.code, program.metadata, &Device::new(mode.0))
                .map_err(|error| format!("{stage:?}: {error}"))?;
            kernels.push((stage, kernel));
        }
        let mut resources = emulator_resources(&test.case.resources, None)?;
        for attribute in &test.case.attributes {
            let channels = &"rgba"[..attribute.components as usize];
            let name = match attribute.ty {
                AttributeType::F32 => format!("{channels}32f"),
                AttributeType::I32 => format!("{channels}32i"),
                AttributeType::U32 => format!("{channels}32ui"),
                AttributeType::F64 => format!("{channels}64f"),
                AttributeType::Named(name) => name.to_owned(),
            };
            let format = name.parse().map_err(|error| format!("{error}"))?;
            let bytes = attribute.contents.clone();
            let (stride, per_instance) = (attribute.stride(), attribute.per_instance);
            resources.set_attribute(
                attribute.location,
                Attribute { format, stride, per_instance, bytes },
            );
        }
        let options = crestline_emu::Options { budget: 50_000_000, ..Default::default() };
        Ok(StageEmulator { mode, kernels, resources, options, draw: 0 })
    }

    /// Runs the vertex and tessellation control shaders, and the emulator's tessellator. The result names the patch and the
    /// place of each vertex, primitive by primitive.
    ///
    /// # Errors
    ///
    /// The emulator's message, or a test without tessellation.
    pub fn tessellate(&mut self, test: &StageTest) -> Result<Vec<(usize, Point)>, String> {
        let patches = super::patches(test, self)?;
        let StageMetadata::TessEval(metadata) =
            &self.kernel(VertexStage::TessEval)?.metadata().stage
        else {
            return Err("no evaluation shader".to_owned());
        };
        let mut vertices = Vec::new();
        for (number, patch) in patches.iter().enumerate() {
            let all = Tessellation::new(metadata, &without_levels(&patch.patch));
            let point = |index: &u32| (number, all.points[*index as usize]);
            vertices.extend(all.indices.iter().map(point));
        }
        Ok(vertices)
    }

    fn kernel(&self, stage: VertexStage) -> Result<&Kernel, String> {
        let kernel = self.kernels.iter().find(|(found, _)| *found == stage);
        kernel.map(|(_, kernel)| kernel).ok_or_else(|| "no such stage".to_owned())
    }
}

/// The name of a mode.
pub fn mode_name((platform, simd): Mode) -> String {
    format!("{platform} {simd}")
}

/// Compiles a stage of a test, whose module is `words`.
///
/// # Errors
///
/// The front end's message about another stage of the test.
pub fn compile_stage(
    test: &StageTest,
    stage: VertexStage,
    words: &[u32],
    (platform, simd): Mode,
) -> Result<Result<Program, CompileError>, String> {
    let mut options = Options::new(platform).with_simd(simd);
    options.verify = true;
    options.patch = linkage(test, stage)?;
    Ok(compile_spirv(words, &options))
}

/// The slots that a test captures.
pub(super) fn captured_slots(test: &StageTest) -> BTreeSet<IoSlot> {
    let mut slots = BTreeSet::new();
    for output in &test.case.outputs {
        match output.what {
            Captured::Location { location, .. } => {
                // An element of an array or a double may take several slots.
                let last = test.modules.last().and_then(|(stage, _)| test.shader(*stage).ok());
                let var = last.as_ref().and_then(|last| last.output(IoSlot::Location(location)));
                let count = var.map_or(1, |var| var.slots());
                slots.extend((location..location + count).map(IoSlot::Location));
            }
            Captured::PrimitiveId => _ = slots.insert(IoSlot::PrimitiveId),
            _ => {}
        }
    }
    slots
}

/// Compiles the stages of a test together, with a fragment shader or without. Without one, another fragment shader could
/// follow, so all outputs of the last stage stay. A condition of linking may be left out.
///
/// # Errors
///
/// The compiler's message.
pub fn link_stages(
    test: &StageTest,
    (platform, simd): Mode,
    fragment: Option<&[u32]>,
    without: Option<LinkStep>,
) -> Result<Linked, String> {
    let mut jobs = Vec::new();
    for (stage, words) in &test.modules {
        let mut options = Options::new(platform).with_simd(simd);
        options.verify = true;
        options.patch = linkage(test, *stage)?;
        jobs.push(Job { input: Input::Spirv(words), options });
    }
    if let Some(words) = fragment {
        jobs.push(Job { input: Input::Spirv(words), options: Options::new(platform) });
    }
    // Without a fragment shader, the outputs stay because one may follow.
    let captured = fragment.map(|_| captured_slots(test)).unwrap_or_default();
    let options = LinkOptions { captured, without, ..LinkOptions::default() };
    link(&jobs, &options).map_err(|error| error.to_string())
}

/// Treats every diagnostic as an error, with two exceptions: the value of a slot that the shader does not set is
/// undefined but written, and texels out of bounds are defined.
fn clean(report: &Report) -> Result<(), String> {
    let harmless = |found: &&Diagnostic| match found.problem {
        Problem::OutOfBounds { surface: SurfaceName::Image(_), .. } => true,
        problem => problem.class() == Class::UninitializedRead,
    };
    match report.diagnostics.iter().find(|found| !harmless(found)) {
        Some(wrong) => Err(wrong.to_string()),
        None => Ok(()),
    }
}

/// The properties of a draw call's other tessellation shaders that a stage is compiled with.
fn linkage(test: &StageTest, stage: VertexStage) -> Result<Linkage, String> {
    let mut linkage = Linkage::default();
    if let Topology::Patches(vertices) = test.case.topology {
        linkage.input_vertices = test.case.knows_patch.then_some(vertices);
        if stage == VertexStage::TessEval
            && test.case.knows_patch
            && let StageInfo::TessControl(info) = test.shader(VertexStage::TessControl)?.stage
        {
            linkage.input_vertices = Some(info.output_vertices);
        }
        if let StageInfo::TessEval(info) = test.shader(VertexStage::TessEval)?.stage {
            (linkage.domain, linkage.spacing) = (Some(info.domain), Some(info.spacing));
        }
    }
    Ok(linkage)
}

/// The varying of a slot of the mid-level IR. If the slot is only one dword of the varying, also the number of that
/// dword.
fn varying(slot: IoSlot) -> (Varying, Option<usize>) {
    match slot {
        IoSlot::Position => (Varying::Position, None),
        IoSlot::PointSize => (Varying::Header, Some(3)),
        IoSlot::Layer => (Varying::Header, Some(1)),
        IoSlot::ViewportIndex => (Varying::Header, Some(2)),
        IoSlot::ClipDistances { first } => (Varying::ClipDistances { first }, None),
        IoSlot::PrimitiveId => (Varying::PrimitiveId, None),
        IoSlot::Location(location) => (Varying::Location { location }, None),
        IoSlot::Patch(location) => (Varying::Patch { location }, None),
        // `with_levels` and `without_levels` handle the patch header.
        IoSlot::TessLevelOuter | IoSlot::TessLevelInner => (Varying::Padding, None),
        // Outputs of fragment shaders are no varyings.
        IoSlot::SecondColour(_) | IoSlot::Depth | IoSlot::StencilRef | IoSlot::SampleMask => {
            (Varying::Padding, None)
        }
    }
}

/// The transform feedback of the metadata in the form of the mid-level IR.
fn captured(feedback: &crestline_program::Feedback) -> Feedback {
    let header = [IoSlot::PointSize, IoSlot::Layer, IoSlot::ViewportIndex, IoSlot::PointSize];
    let place = |of: &FeedbackCapture| match of.varying {
        Varying::Position => (IoSlot::Position, of.first),
        Varying::ClipDistances { first } => (IoSlot::ClipDistances { first }, of.first),
        Varying::Location { location } => (IoSlot::Location(location), of.first),
        Varying::PrimitiveId => (IoSlot::PrimitiveId, of.first),
        _ => (header[of.first as usize % 4], 0),
    };
    let captures = feedback.captures.iter().map(|of| {
        let (slot, comp) = place(of);
        let (buffer, comp, comps) = (of.buffer as u8, comp as u8, of.count as u8);
        Capture { buffer, offset: of.offset, slot, comp, comps }
    });
    let buffers = feedback
        .buffers
        .iter()
        .map(|of| (of.buffer as u8, FeedbackBuffer { stride: of.stride, stream: of.stream as u8 }));
    Feedback { buffers: buffers.collect(), captures: captures.collect() }
}

/// Converts slots of the mid-level IR to the emulator's varyings.
pub fn to_values(slots: &Slots) -> SlotValues {
    let mut values = SlotValues::new();
    for (slot, dwords) in slots {
        match varying(*slot) {
            (varying, None) => values.set(varying, *dwords),
            (varying, Some(at)) => {
                let mut all = values.get(varying);
                all[at] = dwords[0];
                values.set(varying, all);
            }
        }
    }
    values
}

/// Converts the emulator's varyings to slots of the mid-level IR.
fn from_values(values: &SlotValues) -> Slots {
    let mut slots = Slots::new();
    for (varying, dwords) in values.iter() {
        let slot = match varying {
            Varying::Position => IoSlot::Position,
            Varying::ClipDistances { first } => IoSlot::ClipDistances { first },
            Varying::Location { location } => IoSlot::Location(location),
            Varying::Patch { location } => IoSlot::Patch(location),
            Varying::PrimitiveId => IoSlot::PrimitiveId,
            Varying::Header => {
                for (slot, at) in
                    [(IoSlot::Layer, 1), (IoSlot::ViewportIndex, 2), (IoSlot::PointSize, 3)]
                {
                    slots.insert(slot, [dwords[at], None, None, None]);
                }
                continue;
            }
            _ => continue,
        };
        slots.insert(slot, dwords);
    }
    slots
}

fn to_primitive(assembled: &Assembled) -> crestline_emu::Primitive {
    let vertices = assembled.primitive.vertices.iter().map(to_values).collect();
    crestline_emu::Primitive { vertices, id: assembled.id }
}

impl Engine for StageEmulator {
    fn name(&self) -> String {
        mode_name(self.mode)
    }

    fn feedback(&self) -> Result<Feedback, String> {
        let (_, last) = self.kernels.last().ok_or("no stage")?;
        let feedback = match &last.metadata().stage {
            StageMetadata::Vertex(stage) => &stage.feedback,
            StageMetadata::TessEval(stage) => &stage.feedback,
            StageMetadata::Geometry(stage) => &stage.feedback,
            _ => &None,
        };
        Ok(feedback.as_ref().map(captured).unwrap_or_default())
    }

    fn set_draw(&mut self, view: u32, draw: u32) {
        self.options.view_index = view;
        self.draw = draw;
    }

    fn vertices(&mut self, case: &DrawCase) -> Result<Vec<Slots>, String> {
        let draw = Draw {
            vertices: case.vertices,
            instances: case.instances,
            first_vertex: case.first_vertex,
            first_instance: case.first_instance,
            draw_id: self.draw,
            indexed: false,
        };
        let kernel = self.kernel(VertexStage::Vertex)?;
        let (values, report) = kernel
            .run_vertices(&draw, &self.resources, &self.options, None)
            .map_err(|error| format!("vertex: {error}"))?;
        clean(&report)?;
        Ok(values.iter().map(from_values).collect())
    }

    fn patches(&mut self, patches: &[Assembled]) -> Result<Vec<Primitive>, String> {
        let kernel = self.kernel(VertexStage::TessControl)?;
        let inputs: Vec<_> = patches.iter().map(to_primitive).collect();
        let (patches, report) = kernel
            .run_patches(&inputs, &self.resources, &self.options, None)
            .map_err(|error| format!("tess_control: {error}"))?;
        clean(&report)?;
        Ok(patches
            .iter()
            .map(|patch| Primitive {
                vertices: patch.vertices.iter().map(from_values).collect(),
                patch: with_levels(&patch.values),
            })
            .collect())
    }

    fn points(&mut self, patch: &Assembled, points: &[Point]) -> Result<Vec<Slots>, String> {
        let kernel = self.kernel(VertexStage::TessEval)?;
        let patch = Patch {
            values: without_levels(&patch.primitive.patch),
            vertices: patch.primitive.vertices.iter().map(to_values).collect(),
            id: patch.id,
        };
        let (values, report) = kernel
            .run_points(&patch, points, &self.resources, &self.options, None)
            .map_err(|error| format!("tess_eval: {error}"))?;
        clean(&report)?;
        Ok(values.iter().map(from_values).collect())
    }

    fn primitives(&mut self, primitives: &[Assembled]) -> Result<Vec<Vec<Emitted>>, String> {
        let kernel = self.kernel(VertexStage::Geometry)?;
        let inputs: Vec<_> = primitives.iter().map(to_primitive).collect();
        let (outputs, report) = kernel
            .run_primitives(&inputs, &self.resources, &self.options, None)
            .map_err(|error| format!("geometry: {error}"))?;
        clean(&report)?;
        let mut emitted = Vec::new();
        for invocation in outputs.iter().flat_map(|output| &output.invocations) {
            let mut events = Vec::new();
            for vertex in invocation {
                let stream = vertex.stream;
                events.push(Emitted::Vertex { stream, slots: from_values(&vertex.values) });
                if vertex.cut {
                    events.push(Emitted::EndPrimitive { stream });
                }
            }
            emitted.push(events);
        }
        Ok(emitted)
    }

    fn buffers(&mut self, case: &DrawCase) -> Result<Vec<Vec<u8>>, String> {
        let contents = case.resources.buffers.iter().map(|buffer| match buffer.kind {
            BufferKind::Image(_) | BufferKind::Texture(_) => {
                self.resources.image(emulator_key(buffer))
            }
            _ => self.resources.buffer(emulator_key(buffer)),
        });
        Ok(contents.map(Option::unwrap_or_default).collect())
    }
}

/// The slots of a patch. The two halves of its header are stored as the tessellation level slots, without conversion.
fn with_levels(values: &SlotValues) -> Slots {
    let mut slots = from_values(values);
    slots.insert(IoSlot::TessLevelInner, values.get(Varying::PatchHeader { half: 0 }));
    slots.insert(IoSlot::TessLevelOuter, values.get(Varying::PatchHeader { half: 1 }));
    slots
}

/// The inverse of [`with_levels`].
fn without_levels(slots: &Slots) -> SlotValues {
    let mut values = SlotValues::new();
    for (slot, dwords) in slots {
        match *slot {
            IoSlot::TessLevelInner => values.set(Varying::PatchHeader { half: 0 }, *dwords),
            IoSlot::TessLevelOuter => values.set(Varying::PatchHeader { half: 1 }, *dwords),
            slot => values.set(varying(slot).0, *dwords),
        }
    }
    values
}
