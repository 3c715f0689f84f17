//! Makes the plain structs of a program's metadata.

use std::any::Any;
use std::ffi::c_char;
use std::ptr;

use crestline::program::{
    AttributeSource, ColourType, ComputedDepth, Content, Dispatch, Distances, Domain, Feedback,
    FragmentMetadata, GeometryDispatch, GeometryMetadata, GeometryOutput, GrfRange, ImageAccess,
    ImageParameter, InputCoverage, RelocationEncoding, RelocationValue, ResourceRef, RoundingMode,
    Spacing, StageDispatch, Surface, TessControlMetadata, TessEvalMetadata, TessOutput, Varying,
    VertexInput, VertexMetadata,
};
use crestline::program::{ControlData, DenormalMode};
use crestline::{Device, Metadata, Program, StageMetadata};

use crate::error::c_string;
use crate::input::{CrestlineDomain, CrestlineSpacing, CrestlineStage};
use crate::metadata::*;

/// The plain structs of a program, and the memory that they point to.
#[derive(Debug)]
pub(crate) struct Flat {
    /// One element, in memory that does not move.
    metadata: *const CrestlineMetadata,
    _memory: Memory,
}

// SAFETY: all pointers lead to memory of `_memory` and of the program beside it, which nothing changes until they are
// dropped together.
unsafe impl Send for Flat {}
// SAFETY: as above.
unsafe impl Sync for Flat {}

impl Flat {
    /// The structs of a program. They may be used as long as the program, because they point to its byte strings.
    pub(crate) fn new(program: &Program) -> Flat {
        let mut memory = Memory::default();
        let metadata = metadata(&program.metadata, &mut memory);
        let metadata = memory.one(metadata);
        Flat { metadata, _memory: memory }
    }

    pub(crate) fn metadata(&self) -> *const CrestlineMetadata {
        self.metadata
    }
}

/// Arrays at addresses that do not change. (A vector may be moved: its elements are not.)
#[derive(Debug, Default)]
struct Memory {
    arrays: Vec<Box<dyn Any>>,
}

impl Memory {
    /// Keeps an array. Returns its address, NULL if it is empty, and the number of its elements.
    fn array<T: 'static>(&mut self, elements: impl IntoIterator<Item = T>) -> (*const T, usize) {
        let elements: Vec<T> = elements.into_iter().collect();
        if elements.is_empty() {
            return (ptr::null(), 0);
        }
        let found = (elements.as_ptr(), elements.len());
        self.arrays.push(Box::new(elements));
        found
    }

    fn one<T: 'static>(&mut self, element: T) -> *const T {
        self.array([element]).0
    }

    fn text(&mut self, text: &str) -> *const c_char {
        self.array(c_string(text).into_bytes_with_nul()).0.cast()
    }

    fn layout(&mut self, layout: &[Varying]) -> CrestlineLayout {
        let (slots, count) = self.array(layout.iter().map(slot));
        CrestlineLayout { slots, count }
    }
}

/// The address of bytes that the program has, NULL if there are none, and their number.
///
/// Not inlined: LLVM would merge the test with that of an `Option` around the bytes, and test the length of absent ones too.
/// That is harmless, but valgrind reports it.
#[inline(never)]
fn bytes(bytes: &[u8]) -> (*const u8, usize) {
    if bytes.is_empty() { (ptr::null(), 0) } else { (bytes.as_ptr(), bytes.len()) }
}

fn metadata(from: &Metadata, memory: &mut Memory) -> CrestlineMetadata {
    let device = Device::new(from.platform);
    let (entries, entry_count) = {
        let entries: Vec<_> =
            from.dispatches.iter().map(|dispatch| entry(dispatch, &from.stage, memory)).collect();
        memory.array(entries)
    };
    let (bindings, binding_count) =
        memory.array(from.binding_table.iter().map(|of| binding(of.index.into(), &of.surface)));
    let (samplers, sampler_count) =
        memory.array(from.samplers.iter().map(|of| CrestlineSampler {
            index: of.index.into(),
            resource: resource(of.resource),
        }));
    let (relocations, relocation_count) = memory.array(from.relocations.iter().map(|of| {
        let within = match of.encoding {
            RelocationEncoding::MovImmediate => 12,
            RelocationEncoding::Dword => 0,
        };
        let value = match of.value {
            RelocationValue::ConstantDataAddressLow => {
                CrestlineRelocationValue::ConstantDataAddressLow
            }
            RelocationValue::ConstantDataAddressHigh => {
                CrestlineRelocationValue::ConstantDataAddressHigh
            }
        };
        let offset = of.offset.saturating_add(within);
        CrestlineRelocation { offset, value: value as u32, delta: of.delta }
    }));
    let (constant_data, constant_data_size) =
        from.constant_data.as_ref().map_or((ptr::null(), 0), |data| bytes(&data.bytes));
    let pipeline = from.stage.pipeline();
    let rounding = match from.float_mode.rounding {
        RoundingMode::NearestEven => CrestlineRounding::NearestEven,
        RoundingMode::Up => CrestlineRounding::Up,
        RoundingMode::Down => CrestlineRounding::Down,
        RoundingMode::Zero => CrestlineRounding::Zero,
    };
    let mut made = CrestlineMetadata {
        size: size_of::<CrestlineMetadata>(),
        platform: memory.text(from.platform.name()),
        generation: from.platform.generation().verx10(),
        stage: CrestlineStage::Any as u32,
        entry_point: memory.text(&from.entry_point),
        entries,
        entry_count,
        bindings,
        binding_count,
        samplers,
        sampler_count,
        scratch_bytes: from.scratch_bytes,
        scratch_size: device.scratch_size(pipeline, from.scratch_bytes).unwrap_or(0),
        scratch_code: device.scratch_code(pipeline, from.scratch_bytes).unwrap_or(0),
        private_bytes_per_channel: from.private_bytes_per_channel,
        address_bits: from.address_bits.map_or(0, u32::from),
        constant_data,
        constant_data_size,
        constant_data_alignment: from.constant_data.as_ref().map_or(0, |data| data.alignment),
        relocations,
        relocation_count,
        rounding: rounding as u32,
        preserve_half_denormals: from.float_mode.half == DenormalMode::Preserve,
        preserve_single_denormals: from.float_mode.single == DenormalMode::Preserve,
        preserve_double_denormals: from.float_mode.double == DenormalMode::Preserve,
        compute: ptr::null(),
        vertex: ptr::null(),
        tess_control: ptr::null(),
        tess_eval: ptr::null(),
        geometry: ptr::null(),
        fragment: ptr::null(),
    };
    let stage = match &from.stage {
        StageMetadata::Compute(of) => {
            made.compute = memory.one(CrestlineCompute {
                local_size: of.local_size,
                shared_bytes: of.shared_bytes,
                shared_size: device.shared_memory_size(of.shared_bytes).unwrap_or(0),
                uses_barrier: of.uses_barrier,
            });
            CrestlineStage::Compute
        }
        StageMetadata::Vertex(of) => {
            let of = vertex(of, memory);
            made.vertex = memory.one(of);
            CrestlineStage::Vertex
        }
        StageMetadata::TessControl(of) => {
            let of = tess_control(of, memory);
            made.tess_control = memory.one(of);
            CrestlineStage::TessControl
        }
        StageMetadata::TessEval(of) => {
            let of = tess_eval(of, memory);
            made.tess_eval = memory.one(of);
            CrestlineStage::TessEval
        }
        StageMetadata::Geometry(of) => {
            let of = geometry(of, memory);
            made.geometry = memory.one(of);
            CrestlineStage::Geometry
        }
        StageMetadata::Fragment(of) => {
            let of = fragment(of, memory);
            made.fragment = memory.one(of);
            CrestlineStage::Fragment
        }
        _ => CrestlineStage::Any,
    };
    made.stage = stage as u32;
    made
}

fn registers(range: Option<GrfRange>) -> CrestlineRegisters {
    range.map_or_else(CrestlineRegisters::default, |of| CrestlineRegisters {
        first: of.first,
        count: of.count,
    })
}

fn entry(from: &Dispatch, stage: &StageMetadata, memory: &mut Memory) -> CrestlineEntry {
    let payload = &from.payload;
    let pushed = match stage {
        StageMetadata::Vertex(of) => Some(of.first_input_register),
        StageMetadata::TessEval(of) => Some(of.first_input_register),
        StageMetadata::Geometry(of) => Some(of.first_input_register),
        StageMetadata::Fragment(_) => payload.setup.map(|range| range.first),
        _ => None,
    };
    let compute = match stage {
        StageMetadata::Compute(of) => Some(of),
        _ => None,
    };
    let start = payload.cross_thread.map(|range| range.first).or(pushed);
    let (items, item_count) = memory.array(payload.items.iter().map(|item| {
        let (content, value, of, literal) = content(&item.content);
        let (bytes, byte_count) = bytes(literal);
        CrestlinePayloadItem {
            offset: item.offset,
            size: item.size,
            content: content as u32,
            value,
            resource: resource(of),
            bytes,
            byte_count,
        }
    }));
    let statistics = from.statistics.as_ref().map(|of| CrestlineStatistics {
        instructions: of.instructions,
        sends: of.sends,
        loops: of.loops,
        spills: of.spills,
        fills: of.fills,
        registers: of.registers,
        estimated_cycles: of.estimated_cycles,
    });
    CrestlineEntry {
        simd_width: from.simd_width,
        offset: from.offset,
        kernel_start_slot: from.kernel_start_slot.map_or(CRESTLINE_NONE, u32::from),
        dispatch_grf_start: if compute.is_some() { 0 } else { start.unwrap_or(0) },
        cross_thread: registers(payload.cross_thread),
        per_thread: registers(payload.per_thread),
        setup: registers(payload.setup),
        local_ids_first: payload.local_ids.map_or(0, |ids| ids.first),
        local_ids_registers: payload.local_ids.map_or(0, |ids| ids.registers_per_dimension),
        local_ids_dimensions: payload.local_ids.map_or(0, |ids| ids.dimensions),
        threads: compute.map_or(0, |of| of.threads_per_group(from.simd_width)),
        right_mask: compute.map_or(0, |of| of.right_mask(from.simd_width)),
        items,
        item_count,
        statistics: statistics.map_or(ptr::null(), |of| memory.one(of)),
    }
}

fn resource(from: ResourceRef) -> CrestlineResource {
    CrestlineResource { set: from.set, binding: from.binding, element: from.element }
}

/// The kind, the value, the resource and the bytes of a content.
fn content(from: &Content) -> (CrestlineContent, u32, ResourceRef, &[u8]) {
    use CrestlineContent as C;
    let plain = |content| (content, 0, ResourceRef::default(), &[][..]);
    match from {
        Content::PushConstant { offset } => {
            (C::PushConstant, *offset, ResourceRef::default(), &[][..])
        }
        Content::UniformBuffer { resource, offset } => {
            (C::UniformBuffer, *offset, *resource, &[][..])
        }
        Content::SubgroupId => plain(C::SubgroupId),
        Content::BaseWorkgroupId => plain(C::BaseWorkgroupId),
        Content::NumWorkgroups => plain(C::NumWorkgroups),
        Content::LocalSize => plain(C::LocalSize),
        Content::GlobalSize => plain(C::GlobalSize),
        Content::GlobalOffset => plain(C::GlobalOffset),
        Content::WorkDimensions => plain(C::WorkDimensions),
        Content::ViewIndex => plain(C::ViewIndex),
        Content::PatchVertices => plain(C::PatchVertices),
        Content::BufferAddress { resource } => (C::BufferAddress, 0, *resource, &[][..]),
        Content::BufferSize { resource } => (C::BufferSize, 0, *resource, &[][..]),
        Content::ConstantDataAddress => plain(C::ConstantDataAddress),
        Content::PrivateMemoryAddress => plain(C::PrivateMemoryAddress),
        Content::ImageParameter { resource, parameter } => {
            let parameter = match parameter {
                ImageParameter::Offset => CrestlineImageParameter::Offset,
                ImageParameter::Size => CrestlineImageParameter::Size,
                ImageParameter::Stride => CrestlineImageParameter::Stride,
                ImageParameter::Tiling => CrestlineImageParameter::Tiling,
                ImageParameter::Swizzling => CrestlineImageParameter::Swizzling,
                _ => CrestlineImageParameter::Other,
            };
            (C::ImageParameter, parameter as u32, *resource, &[][..])
        }
        Content::Literal { bytes } => (C::Literal, 0, ResourceRef::default(), bytes),
        _ => plain(C::Other),
    }
}

fn binding(index: u32, from: &Surface) -> CrestlineBinding {
    use CrestlineSurface as S;
    let (surface, format) = match from {
        Surface::Null => (S::Null, None),
        Surface::StorageBuffer { .. } => (S::StorageBuffer, None),
        Surface::AtomicCounters { .. } => (S::AtomicCounters, None),
        Surface::RenderTarget { .. } => (S::RenderTarget, None),
        Surface::UniformBuffer { .. } => (S::UniformBuffer, None),
        Surface::ConstantData => (S::ConstantData, None),
        Surface::NumWorkgroups => (S::NumWorkgroups, None),
        Surface::Literal { .. } => (S::Literal, None),
        Surface::TexelBuffer { format, .. } => (S::TexelBuffer, Some(*format)),
        Surface::StorageImage { format, .. } => (S::StorageImage, *format),
        Surface::SampledImage { format, .. } => (S::SampledImage, *format),
        _ => (S::Other, None),
    };
    let access = match from {
        Surface::StorageImage { access: ImageAccess::Read, .. } => CrestlineAccess::Read as u32,
        Surface::StorageImage { access: ImageAccess::Write, .. } => CrestlineAccess::Write as u32,
        Surface::StorageImage { .. } => CrestlineAccess::ReadWrite as u32,
        _ => CRESTLINE_NONE,
    };
    let target = match from {
        Surface::RenderTarget { target } => (*target).into(),
        _ => CRESTLINE_NONE,
    };
    let (bytes, byte_count) = match from {
        Surface::Literal { bytes: contents } => bytes(contents),
        _ => (ptr::null(), 0),
    };
    CrestlineBinding {
        index,
        surface: surface as u32,
        resource: resource(from.resource().unwrap_or_default()),
        format: format.map_or(CRESTLINE_NONE, |format| format.info().code.into()),
        access,
        target,
        bytes,
        byte_count,
    }
}

fn slot(from: &Varying) -> CrestlineSlot {
    use CrestlineVarying as V;
    let (varying, value) = match *from {
        Varying::Padding => (V::Padding, 0),
        Varying::Header => (V::Header, 0),
        Varying::Position => (V::Position, 0),
        Varying::ClipDistances { first } => (V::ClipDistances, first.into()),
        Varying::Location { location } => (V::Location, location),
        Varying::PrimitiveId => (V::PrimitiveId, 0),
        Varying::PatchHeader { half } => (V::PatchHeader, half.into()),
        Varying::Patch { location } => (V::Patch, location),
        _ => (V::Other, 0),
    };
    CrestlineSlot { varying: varying as u32, value }
}

fn stage_dispatch(from: StageDispatch) -> u32 {
    let dispatch = match from {
        StageDispatch::Simd4x2 => CrestlineDispatch::Simd4x2,
        StageDispatch::Simd8 => CrestlineDispatch::Simd8,
    };
    dispatch as u32
}

fn output(
    layout: &[Varying],
    distances: Distances,
    feedback: Option<&Feedback>,
    memory: &mut Memory,
) -> CrestlineVertexOutput {
    let buffers = feedback.map_or(&[][..], |feedback| &feedback.buffers);
    let captures = feedback.map_or(&[][..], |feedback| &feedback.captures);
    let (feedback_buffers, feedback_buffer_count) = memory.array(buffers.iter().map(|of| {
        CrestlineFeedbackBuffer { buffer: of.buffer, stride: of.stride, stream: of.stream }
    }));
    let (feedback_captures, feedback_capture_count) =
        memory.array(captures.iter().map(|of| CrestlineFeedbackCapture {
            buffer: of.buffer,
            offset: of.offset,
            slot: slot(&of.varying),
            first: of.first,
            count: of.count,
        }));
    CrestlineVertexOutput {
        layout: memory.layout(layout),
        clip_distances: distances.clip,
        cull_distances: distances.cull,
        feedback_buffers,
        feedback_buffer_count,
        feedback_captures,
        feedback_capture_count,
    }
}

fn vertex(from: &VertexMetadata, memory: &mut Memory) -> CrestlineVertex {
    use CrestlineVertexInput as I;
    let (inputs, input_count) = memory.array(from.inputs.iter().map(|input| {
        let (input, location, offset) = match *input {
            VertexInput::Attribute { location, offset } => (I::Attribute, location, offset),
            VertexInput::SystemValues => (I::SystemValues, 0, 0),
            VertexInput::DrawParameters => (I::DrawParameters, 0, 0),
            _ => (I::Other, 0, 0),
        };
        CrestlineVertexSlot { input: input as u32, location, offset }
    }));
    CrestlineVertex {
        dispatch: stage_dispatch(from.dispatch),
        first_input_register: from.first_input_register,
        inputs,
        input_count,
        output: output(&from.outputs, from.distances, from.feedback.as_ref(), memory),
        entry_bytes: from.entry_bytes,
    }
}

fn tess_control(from: &TessControlMetadata, memory: &mut Memory) -> CrestlineTessControl {
    CrestlineTessControl {
        dispatch: stage_dispatch(from.dispatch),
        input_vertices: from.input_vertices.unwrap_or(0),
        output_vertices: from.output_vertices,
        threads: from.threads(),
        inputs: memory.layout(&from.inputs),
        patch_outputs: memory.layout(&from.patch_outputs),
        vertex_outputs: memory.layout(&from.vertex_outputs),
        entry_bytes: from.entry_bytes,
        uses_barrier: from.uses_barrier,
    }
}

fn tess_eval(from: &TessEvalMetadata, memory: &mut Memory) -> CrestlineTessEval {
    let domain = match from.domain {
        Domain::Quads => CrestlineDomain::Quads,
        Domain::Triangles => CrestlineDomain::Triangles,
        Domain::Isolines => CrestlineDomain::Isolines,
    };
    let spacing = match from.spacing {
        Spacing::Equal => CrestlineSpacing::Equal,
        Spacing::FractionalOdd => CrestlineSpacing::FractionalOdd,
        Spacing::FractionalEven => CrestlineSpacing::FractionalEven,
    };
    let primitives = match from.output {
        TessOutput::Points => CrestlineTessOutput::Points,
        TessOutput::Lines => CrestlineTessOutput::Lines,
        TessOutput::TrianglesCw => CrestlineTessOutput::TrianglesCw,
        TessOutput::TrianglesCcw => CrestlineTessOutput::TrianglesCcw,
    };
    CrestlineTessEval {
        dispatch: stage_dispatch(from.dispatch),
        domain: domain as u32,
        spacing: spacing as u32,
        primitives: primitives as u32,
        patch_inputs: memory.layout(&from.patch_inputs),
        vertex_inputs: memory.layout(&from.vertex_inputs),
        first_input_register: from.first_input_register,
        pushed_slots: from.pushed_slots,
        output: output(&from.outputs, from.distances, from.feedback.as_ref(), memory),
        entry_bytes: from.entry_bytes,
    }
}

fn geometry(from: &GeometryMetadata, memory: &mut Memory) -> CrestlineGeometry {
    let dispatch = match from.dispatch {
        GeometryDispatch::Single => CrestlineDispatch::Single,
        GeometryDispatch::DualInstance => CrestlineDispatch::DualInstance,
        GeometryDispatch::DualObject => CrestlineDispatch::DualObject,
        GeometryDispatch::Simd8 => CrestlineDispatch::Simd8,
    };
    let primitives = match from.output {
        GeometryOutput::Points => CrestlineGeometryOutput::Points,
        GeometryOutput::LineStrip => CrestlineGeometryOutput::LineStrip,
        GeometryOutput::TriangleStrip => CrestlineGeometryOutput::TriangleStrip,
    };
    CrestlineGeometry {
        dispatch: dispatch as u32,
        input_vertices: from.input_vertices,
        invocations: from.invocations,
        primitive_id: from.primitive_id,
        vertex_handles: from.vertex_handles.unwrap_or(CRESTLINE_NONE),
        inputs: memory.layout(&from.inputs),
        first_input_register: from.first_input_register,
        pushed_slots: from.pushed_slots,
        primitives: primitives as u32,
        count_bytes: from.count_bytes,
        control_bytes: from.control_bytes,
        control_data: match from.control_data {
            ControlData::Cut => 0,
            ControlData::StreamId => 1,
        },
        vertex_bytes: from.vertex_bytes,
        output: output(&from.outputs, from.distances, from.feedback.as_ref(), memory),
        entry_bytes: from.entry_bytes,
    }
}

fn fragment(from: &FragmentMetadata, memory: &mut Memory) -> CrestlineFragment {
    let (attributes, attribute_count) = memory.array(from.attributes.iter().map(|of| {
        let source = match &of.source {
            AttributeSource::Varying { varying } => slot(varying),
            AttributeSource::PointCoord => {
                CrestlineSlot { varying: CrestlineVarying::PointCoord as u32, value: 0 }
            }
            _ => CrestlineSlot { varying: CrestlineVarying::Other as u32, value: 0 },
        };
        CrestlineAttribute { source, flat: of.flat }
    }));
    let (colour_outputs, colour_output_count) =
        memory.array(from.colour_outputs.iter().map(|of| {
            let ty = match of.ty {
                None => CrestlineColourType::Unknown,
                Some(ColourType::Float) => CrestlineColourType::Float,
                Some(ColourType::Int) => CrestlineColourType::Int,
                Some(ColourType::Uint) => CrestlineColourType::Uint,
            };
            CrestlineColourOutput {
                target: of.target.into(),
                components: of.components.into(),
                ty: ty as u32,
            }
        }));
    CrestlineFragment {
        barycentric_modes: from.barycentrics.iter().fold(0, |modes, of| modes | 1 << of.bit()),
        source_depth: from.source_depth,
        source_w: from.source_w,
        position_offsets: from.position_offsets,
        input_coverage: match from.input_coverage {
            InputCoverage::Off => 0,
            InputCoverage::Covered => 1,
            InputCoverage::AfterTests => 2,
            InputCoverage::Inner => 3,
        },
        attributes,
        attribute_count,
        colour_outputs,
        colour_output_count,
        source0_alpha: from.source0_alpha,
        dual_source: from.dual_source,
        computed_depth_mode: match from.computed_depth {
            ComputedDepth::Off => 0,
            ComputedDepth::Any => 1,
            ComputedDepth::GreaterOrEqual => 2,
            ComputedDepth::LessOrEqual => 3,
        },
        computed_stencil: from.computed_stencil,
        output_sample_mask: from.output_sample_mask,
        kills_pixels: from.kills_pixels,
        early_tests: from.early_tests,
        per_sample: from.per_sample,
        one_sample: from.one_sample,
        side_effects: from.side_effects,
        pixel_interpolator: from.pixel_interpolator,
        vector_mask: from.vector_mask,
    }
}
