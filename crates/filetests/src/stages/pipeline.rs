//! The fixed functions between the stages, and the run of a whole draw call on an engine.

use crestline_judges::lavapipe::{Attribute, AttributeType, Captured, Topology, VertexStage};
use crestline_ssa::interp::{Emitted, Primitive, Slots};
use crestline_ssa::ir::{Feedback, IoSlot, IoVar, OutputPrimitive, Shader, StageInfo, TessDomain};
use crestline_ssa::link::check;

use super::{DrawCase, Expected, StageTest};

/// Runs the shaders of one test.
pub trait Engine {
    /// Its name in reports.
    fn name(&self) -> String;

    /// What transform feedback captures of the last stage's outputs, as its module declares it.
    ///
    /// # Errors
    ///
    /// See [`Engine::vertices`].
    fn feedback(&self) -> Result<Feedback, String>;

    /// Sets the numbers of the view and of the draw call that the next stages draw.
    fn set_draw(&mut self, view: u32, draw: u32);

    /// Runs the vertex shader. Returns the vertices instance by instance.
    ///
    /// # Errors
    ///
    /// Why there is no result.
    fn vertices(&mut self, case: &DrawCase) -> Result<Vec<Slots>, String>;

    /// Runs the tessellation control shader.
    ///
    /// # Errors
    ///
    /// See [`Engine::vertices`].
    fn patches(&mut self, patches: &[Assembled]) -> Result<Vec<Primitive>, String>;

    /// Runs the tessellation evaluation shader at points of a patch.
    ///
    /// # Errors
    ///
    /// See [`Engine::vertices`].
    fn points(&mut self, patch: &Assembled, points: &[Point]) -> Result<Vec<Slots>, String>;

    /// Runs the geometry shader. Returns the events of each invocation, primitive by primitive.
    ///
    /// # Errors
    ///
    /// See [`Engine::vertices`].
    fn primitives(&mut self, primitives: &[Assembled]) -> Result<Vec<Vec<Emitted>>, String>;

    /// The buffers after all stages, in the order of the case.
    ///
    /// # Errors
    ///
    /// See [`Engine::vertices`].
    fn buffers(&mut self, case: &DrawCase) -> Result<Vec<Vec<u8>>, String>;
}

/// A primitive or patch and its number.
#[derive(Debug, Clone)]
pub struct Assembled {
    /// Its vertices.
    pub primitive: Primitive,
    /// `gl_PrimitiveID`.
    pub id: u32,
}

/// A point of a domain: u, v, w.
pub type Point = [f32; 3];

/// The results of an engine.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The captured vertices of each stream.
    pub streams: Vec<Vec<u8>>,
    /// The buffers.
    pub buffers: Vec<Vec<u8>>,
    /// The vertices of stream 0, primitive by primitive, as the rasterizer gets them.
    pub vertices: Vec<Slots>,
    /// Number of vertices of a primitive.
    pub primitive_vertices: usize,
}

/// Runs a test on an engine. The tessellation evaluation shader runs at the points of `expected`.
///
/// # Errors
///
/// The engine's message, or an output that the shaders did not write.
pub fn run(
    test: &StageTest,
    engine: &mut dyn Engine,
    expected: &Expected,
) -> Result<Found, String> {
    let case = &test.case;
    for pair in test.modules.windows(2) {
        let (before, after) = (test.shader(pair[0].0)?, test.shader(pair[1].0)?);
        check(&before, &after).map_err(|error| error.to_string())?;
    }
    let last = test.modules.last().map(|(stage, _)| *stage).ok_or("no stage")?;
    let last = test.shader(last)?;
    let mut found = Found {
        streams: vec![Vec::new(); expected.drawn.streams.len()],
        primitive_vertices: primitive_size(case, &last),
        ..Found::default()
    };
    let views = if case.views.is_empty() { &[0] } else { &case.views[..] };
    for &view in views {
        for number in 0..case.draws {
            engine.set_draw(view, number);
            draw(test, engine, expected, &last, &mut found)?;
        }
    }
    found.buffers = engine.buffers(case)?;
    Ok(found)
}

/// Runs a draw call of one view, and appends its vertices and what is captured of each stream. `last` is the last shader.
fn draw(
    test: &StageTest,
    engine: &mut dyn Engine,
    expected: &Expected,
    last: &Shader,
    found: &mut Found,
) -> Result<(), String> {
    let case = &test.case;
    let vertices = engine.vertices(case)?;
    let mut primitives = assemble(case, &vertices);
    if case.has(VertexStage::TessEval) {
        if case.has(VertexStage::TessControl) {
            let patches = engine.patches(&primitives)?;
            for (primitive, patch) in primitives.iter_mut().zip(patches) {
                primitive.primitive = patch;
            }
        }
        let size = primitive_size(case, &test.shader(VertexStage::TessEval)?);
        primitives = evaluate(engine, &primitives, &expected.points, size)?;
    }
    let feedback = engine.feedback()?;
    // The stream whose vertices are captured in an element of `streams`.
    let stream_of = |number: usize| match case.feedback {
        0 => Some(number),
        _ => feedback.buffers.get(&(number as u8)).map(|buffer| buffer.stream.into()),
    };
    if case.has(VertexStage::Geometry) {
        let StageInfo::Geometry(info) = last.stage else { return Err("no geometry shader".into()) };
        for emitted in engine.primitives(&primitives)? {
            found.vertices.extend(divided(&emitted, 0, info.output).into_iter().cloned());
            for (number, out) in found.streams.iter_mut().enumerate() {
                let Some(stream) = stream_of(number) else { continue };
                let vertices = divided(&emitted, stream, info.output);
                capture(case, &feedback, number, &vertices, last, out)?;
            }
        }
    } else {
        for primitive in &primitives {
            found.vertices.extend(primitive.primitive.vertices.iter().cloned());
        }
        for (number, out) in found.streams.iter_mut().enumerate() {
            for primitive in &primitives {
                let vertices: Vec<&Slots> = primitive.primitive.vertices.iter().collect();
                capture(case, &feedback, number, &vertices, last, out)?;
            }
        }
    }
    Ok(())
}

/// Runs the vertex and tessellation control shaders of a draw call. Returns the patches for the tessellator.
///
/// # Errors
///
/// The engine's message.
pub fn patches(test: &StageTest, engine: &mut dyn Engine) -> Result<Vec<Primitive>, String> {
    let vertices = engine.vertices(&test.case)?;
    engine.patches(&assemble(&test.case, &vertices))
}

/// Groups vertices to primitives. Primitive numbers start anew for each instance.
fn assemble(case: &DrawCase, vertices: &[Slots]) -> Vec<Assembled> {
    let size = match case.topology {
        Topology::Points => 1,
        Topology::Lines => 2,
        Topology::LinesAdjacency => 4,
        Topology::Triangles => 3,
        Topology::TrianglesAdjacency => 6,
        Topology::Patches(n) => n.max(1) as usize,
    };
    let instances = vertices.chunks(case.vertices as usize);
    let of_instance = |vertices: &[Slots]| -> Vec<Assembled> {
        (0..)
            .zip(vertices.chunks_exact(size))
            .map(|(id, vertices)| {
                let primitive = Primitive { vertices: vertices.to_vec(), patch: Slots::new() };
                Assembled { primitive, id }
            })
            .collect()
    };
    instances.flat_map(of_instance).collect()
}

/// Number of vertices of each primitive after a shader of a draw call.
fn primitive_size(case: &DrawCase, shader: &Shader) -> usize {
    match (shader.stage, case.topology) {
        (StageInfo::TessEval(info), _) if info.point_mode => 1,
        (StageInfo::TessEval(info), _) if info.domain == TessDomain::Isolines => 2,
        (StageInfo::TessEval(_), _) => 3,
        (StageInfo::Geometry(info), _) => match info.output {
            OutputPrimitive::Points => 1,
            OutputPrimitive::LineStrip => 2,
            OutputPrimitive::TriangleStrip => 3,
        },
        (_, Topology::Points) => 1,
        (_, Topology::Lines) => 2,
        (_, _) => 3,
    }
}

/// Runs the evaluation shader at the points at which lavapipe ran it. Returns primitives of `size` vertices in
/// lavapipe's order.
fn evaluate(
    engine: &mut dyn Engine,
    patches: &[Assembled],
    expected: &[(usize, Point)],
    size: usize,
) -> Result<Vec<Assembled>, String> {
    let mut points: Vec<Vec<Point>> = vec![Vec::new(); patches.len()];
    let mut order = Vec::new();
    for &(patch, point) in expected {
        let of_patch = points.get_mut(patch).ok_or("the judge names a patch that there is not")?;
        order.push((patch, of_patch.len()));
        of_patch.push(point);
    }
    let mut values = Vec::new();
    for (patch, points) in patches.iter().zip(&points) {
        values.push(engine.points(patch, points)?);
    }
    let primitive = |(id, places): (u32, &[(usize, usize)])| {
        let vertices = places.iter().map(|&(patch, point)| values[patch][point].clone()).collect();
        Assembled { primitive: Primitive { vertices, patch: Slots::new() }, id }
    };
    Ok((0..).zip(order.chunks(size)).map(primitive).collect())
}

/// The vertices of a stream that transform feedback captures: strips are divided into separate lines and triangles.
fn divided(emitted: &[Emitted], stream: usize, output: OutputPrimitive) -> Vec<&Slots> {
    let size = match output {
        OutputPrimitive::Points => 1,
        OutputPrimitive::LineStrip => 2,
        OutputPrimitive::TriangleStrip => 3,
    };
    let (mut vertices, mut strip): (_, Vec<&Slots>) = (Vec::new(), Vec::new());
    for event in emitted {
        match event {
            Emitted::Vertex { stream: of, slots } if usize::from(*of) == stream => {
                strip.push(slots);
                if let Some(first) = strip.len().checked_sub(size) {
                    let mut last: Vec<&Slots> = strip[first..].to_vec();
                    // Every second triangle of a strip has the opposite orientation.
                    if size == 3 && first % 2 == 1 {
                        last.swap(1, 2);
                    }
                    vertices.extend(last);
                }
            }
            Emitted::EndPrimitive { stream: of } if usize::from(*of) == stream => strip.clear(),
            _ => {}
        }
    }
    vertices
}

/// Appends the captured outputs of stream or feedback buffer `number` for each vertex. `last` is the shader that wrote them.
fn capture(
    case: &DrawCase,
    feedback: &Feedback,
    number: usize,
    vertices: &[&Slots],
    last: &Shader,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    if case.feedback > 0 {
        return vertices.iter().try_for_each(|slots| record(feedback, number as u8, slots, out));
    }
    for slots in vertices {
        for output in case.outputs.iter().filter(|output| output.stream == number) {
            let (slot, first) = place(case, output.what);
            for dword in 0..output.bytes / 4 {
                let (slots_on, at) = nth_dword(last.output(slot), slot, first, dword);
                let slot = slot.plus(slots_on).ok_or("an output that ends beyond its slots")?;
                let found = slots.get(&slot).and_then(|dwords| dwords[at as usize]);
                let what = output.what;
                let found = found.ok_or_else(|| format!("{what:?}: dword {dword} not written"))?;
                out.extend(found.to_le_bytes());
            }
        }
    }
    Ok(())
}

/// Appends the record of a vertex in feedback buffer `number`. Bytes that are not captured are 0.
fn record(feedback: &Feedback, number: u8, slots: &Slots, out: &mut Vec<u8>) -> Result<(), String> {
    let Some(buffer) = feedback.buffers.get(&number) else { return Ok(()) };
    let mut record = vec![0; buffer.stride as usize];
    for capture in feedback.captures.iter().filter(|capture| capture.buffer == number) {
        for at in 0..capture.comps {
            let dwords = slots.get(&capture.slot);
            let found = dwords.and_then(|dwords| dwords[usize::from(capture.comp + at)]);
            let found = found.ok_or_else(|| format!("{}: not written", capture.slot))?;
            let start = capture.offset as usize + 4 * usize::from(at);
            let place = record.get_mut(start..start + 4).ok_or("a capture beyond the stride")?;
            place.copy_from_slice(&found.to_le_bytes());
        }
    }
    out.extend(record);
    Ok(())
}

/// The position of dword number `dword` of an output that starts at dword `first` of a slot: number of slots after that
/// one, and dword in the slot. Elements of arrays and columns start at separate slots.
fn nth_dword(var: Option<&IoVar>, slot: IoSlot, first: u32, dword: u32) -> (u32, u32) {
    let element = match var {
        Some(var) if matches!(slot, IoSlot::Location(_)) => {
            let dwords = var.ty.comps() as u32 * var.ty.bits() / 32;
            dword / dwords * var.element_slots() * 4 + dword % dwords
        }
        _ => dword,
    };
    ((first + element) / 4, (first + element) % 4)
}

/// The slot of an output, and the dword in the slot at which it starts.
fn place(case: &DrawCase, what: Captured) -> (IoSlot, u32) {
    let clips = case.outputs.iter().find(|output| output.what == Captured::ClipDistance);
    match what {
        Captured::Location { location, component } => (IoSlot::Location(location), component),
        Captured::Position => (IoSlot::Position, 0),
        Captured::PointSize => (IoSlot::PointSize, 0),
        Captured::ClipDistance => (IoSlot::ClipDistances { first: 0 }, 0),
        Captured::CullDistance => {
            (IoSlot::ClipDistances { first: 0 }, clips.map_or(0, |output| output.bytes / 4))
        }
        Captured::PrimitiveId => (IoSlot::PrimitiveId, 0),
        Captured::Layer => (IoSlot::Layer, 0),
        Captured::ViewportIndex => (IoSlot::ViewportIndex, 0),
    }
}

/// Writes an attribute of a vertex or instance to its slots. Missing components are 0, 0, 0, 1.
pub(super) fn fetch(attribute: &Attribute, element: u32, slots: &mut Slots) {
    let stride = attribute.stride() as usize;
    let start = element as usize * stride;
    let bytes = attribute.contents.get(start..start + stride).unwrap_or_default();
    let mut dwords: Vec<u32> =
        bytes.as_chunks::<4>().0.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect();
    let one = match attribute.ty {
        AttributeType::F32 => 1f32.to_bits(),
        _ => 1,
    };
    if attribute.ty != AttributeType::F64 {
        dwords.extend(&[0, 0, 0, one][dwords.len()..]);
    }
    for (location, chunk) in (attribute.location..).zip(dwords.chunks(4)) {
        let slot = slots.entry(IoSlot::Location(location)).or_default();
        for (to, dword) in slot.iter_mut().zip(chunk) {
            *to = Some(*dword);
        }
    }
}
