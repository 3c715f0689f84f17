//! What a driver needs besides the code, as plain structs.
//!
//! The structs have the content of `crestline_program::Metadata` (docs/metadata.md), and the sizes and codes that state
//! packets need. Enumerations are stored as `uint32_t`; each field names its enumeration. An array of `count` elements may
//! be NULL if `count` is 0. All pointers are valid until the program is released.

use std::ffi::c_char;

/// The value of fields that are absent.
pub const CRESTLINE_NONE: u32 = u32::MAX;

/// What a binding table entry is.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineSurface {
    /// A null surface.
    Null = 0,
    /// A storage buffer, as a raw surface.
    StorageBuffer = 1,
    /// The buffer of an atomic counter binding of OpenGL, as a raw surface.
    AtomicCounters = 2,
    /// The colour attachment `target`; a null surface if there is none.
    RenderTarget = 3,
    /// A uniform buffer: R32G32B32A32_FLOAT texels with a pitch of one byte.
    UniformBuffer = 4,
    /// The constant data of the program, like a uniform buffer.
    ConstantData = 5,
    /// A buffer with the numbers of workgroups: three dwords.
    NumWorkgroups = 6,
    /// A buffer with the contents `bytes`, like a uniform buffer.
    Literal = 7,
    /// A texel buffer.
    TexelBuffer = 8,
    /// A storage image or storage texel buffer.
    StorageImage = 9,
    /// An image that the sampler reads.
    SampledImage = 10,
    /// A surface that this version of the interface does not describe.
    Other = 11,
}

/// How a storage image is accessed through an entry.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineAccess {
    /// Read.
    Read = 0,
    /// Written.
    Write = 1,
    /// Both.
    ReadWrite = 2,
}

/// What bytes of the payload hold.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineContent {
    /// Push constants of the application, from byte `value` on.
    PushConstant = 0,
    /// The uniform buffer `resource`, from byte `value` on; 0 past its end.
    UniformBuffer = 1,
    /// Number of the thread in its workgroup.
    SubgroupId = 2,
    /// Three dwords that the code adds to the workgroup id.
    BaseWorkgroupId = 3,
    /// Three dwords: number of workgroups.
    NumWorkgroups = 4,
    /// Three dwords: invocations of a workgroup.
    LocalSize = 5,
    /// Three dwords: invocations of the dispatch.
    GlobalSize = 6,
    /// Three dwords that the code adds to global invocation ids.
    GlobalOffset = 7,
    /// Number of dimensions of the dispatch.
    WorkDimensions = 8,
    /// Number of the view.
    ViewIndex = 9,
    /// Number of control points of an input patch.
    PatchVertices = 10,
    /// Address of the buffer `resource`, a qword.
    BufferAddress = 11,
    /// Size of the buffer `resource` in bytes.
    BufferSize = 12,
    /// Address of the constant data, a qword.
    ConstantDataAddress = 13,
    /// Address of the private memory, a qword.
    PrivateMemoryAddress = 14,
    /// The parameter `value` (a `CrestlineImageParameter`) of the storage image `resource`.
    ImageParameter = 15,
    /// The contents `bytes`.
    Literal = 16,
    /// A content that this version of the interface does not describe.
    Other = 17,
}

/// A parameter of a storage image; docs/metadata.md describes each.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineImageParameter {
    /// Position of level and first layer.
    Offset = 0,
    /// Number of texels along each coordinate.
    Size = 1,
    /// Distances between texels, rows and slices.
    Stride = 2,
    /// Size of a tile.
    Tiling = 3,
    /// Address bits that change bit 6.
    Swizzling = 4,
    /// A parameter that this version of the interface does not describe.
    Other = 5,
}

/// What a slot of 16 bytes of a URB entry holds.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineVarying {
    /// Nothing.
    Padding = 0,
    /// The header of a vertex.
    Header = 1,
    /// The position.
    Position = 2,
    /// Clip and cull distances `value` to `value + 3`.
    ClipDistances = 3,
    /// The location `value`.
    Location = 4,
    /// The primitive id.
    PrimitiveId = 5,
    /// Half `value` of the patch header.
    PatchHeader = 6,
    /// The per-patch location `value`.
    Patch = 7,
    /// The point coordinate, in `CrestlineAttribute` only.
    PointCoord = 8,
    /// A content that this version of the interface does not describe.
    Other = 9,
}

/// What an input slot of a vertex shader holds.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineVertexInput {
    /// The attribute `location`, from byte `offset` on.
    Attribute = 0,
    /// First vertex, first instance, vertex id, instance id.
    SystemValues = 1,
    /// Draw id, all ones if the draw call is indexed, 0, 0.
    DrawParameters = 2,
    /// A content that this version of the interface does not describe.
    Other = 3,
}

/// How threads of the geometry pipeline work on objects.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineDispatch {
    /// Two vertices, control points or domain points in a thread.
    Simd4x2 = 0,
    /// Eight vertices, control points, domain points, primitives or invocations in a thread.
    Simd8 = 1,
    /// Geometry shaders: one primitive in a thread.
    Single = 2,
    /// Geometry shaders: two invocations for one primitive in a thread.
    DualInstance = 3,
    /// Geometry shaders: two primitives in a thread.
    DualObject = 4,
}

/// Primitives that the tessellator makes.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineTessOutput {
    /// Points.
    Points = 0,
    /// Lines.
    Lines = 1,
    /// Triangles, clockwise as the hardware defines it.
    TrianglesCw = 2,
    /// Triangles, counter-clockwise as the hardware defines it.
    TrianglesCcw = 3,
}

/// Primitives that a geometry shader emits.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineGeometryOutput {
    /// Points.
    Points = 0,
    /// Line strips.
    LineStrip = 1,
    /// Triangle strips.
    TriangleStrip = 2,
}

/// A relocated number.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineRelocationValue {
    /// Bits 31:0 of the address of the constant data.
    ConstantDataAddressLow = 0,
    /// Bits 63:32 of the address of the constant data.
    ConstantDataAddressHigh = 1,
}

/// A rounding mode, with the codes of state packets (Rounding Mode).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineRounding {
    /// To the nearest, ties to even.
    NearestEven = 0,
    /// Up.
    Up = 1,
    /// Down.
    Down = 2,
    /// To zero.
    Zero = 3,
}

/// The type of a colour output.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrestlineColourType {
    /// Not known.
    Unknown = 0,
    /// Float.
    Float = 1,
    /// Signed integer.
    Int = 2,
    /// Unsigned integer.
    Uint = 3,
}

/// A resource of the shader's interface.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CrestlineResource {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Element of a descriptor array.
    pub element: u32,
}

/// A binding table entry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineBinding {
    /// Binding table index.
    pub index: u32,
    /// A constant of `CrestlineSurface`.
    pub surface: u32,
    /// The resource, for surfaces that have one.
    pub resource: CrestlineResource,
    /// Surface Format of RENDER_SURFACE_STATE; `CRESTLINE_NONE`: the format of the image, or none.
    pub format: u32,
    /// Storage images: a constant of `CrestlineAccess`; otherwise `CRESTLINE_NONE`.
    pub access: u32,
    /// Number of the colour attachment; `CRESTLINE_NONE` for other surfaces.
    pub target: u32,
    /// Contents of a literal buffer.
    pub bytes: *const u8,
    /// Number of bytes of the contents.
    pub byte_count: usize,
}

/// An entry of the sampler table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineSampler {
    /// Index in the table.
    pub index: u32,
    /// The sampler, or combined image sampler.
    pub resource: CrestlineResource,
}

/// Registers of 32 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CrestlineRegisters {
    /// The first register.
    pub first: u32,
    /// Number of registers; 0 if there are none.
    pub count: u32,
}

/// Bytes of the payload.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlinePayloadItem {
    /// Position in the register file: 32 * register + byte.
    pub offset: u32,
    /// Number of bytes.
    pub size: u32,
    /// A constant of `CrestlineContent`.
    pub content: u32,
    /// An offset or parameter, see `CrestlineContent`.
    pub value: u32,
    /// The resource, for contents that have one.
    pub resource: CrestlineResource,
    /// Contents of a literal.
    pub bytes: *const u8,
    /// Number of bytes of the contents.
    pub byte_count: usize,
}

/// Counts of the compiler for the code of an entry.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CrestlineStatistics {
    /// Instructions.
    pub instructions: u32,
    /// Messages.
    pub sends: u32,
    /// Loops.
    pub loops: u32,
    /// Messages that store spilled registers.
    pub spills: u32,
    /// Messages that load spilled registers.
    pub fills: u32,
    /// The largest number of registers in use at the same time.
    pub registers: u32,
    /// Estimated cycles of one thread.
    pub estimated_cycles: u64,
}

/// A code entry: where threads may start.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineEntry {
    /// Channels of a thread.
    pub simd_width: u32,
    /// Bytes from the start of the code, a multiple of 64: Kernel Start Pointer.
    pub offset: u32,
    /// Fragment shaders: the number of the Kernel Start Pointer; otherwise `CRESTLINE_NONE`.
    pub kernel_start_slot: u32,
    /// Dispatch GRF Start Register: the first register after the fixed payload. 0 for compute shaders and where the
    /// hardware pushes nothing.
    pub dispatch_grf_start: u32,
    /// Constants that are the same in all threads.
    pub cross_thread: CrestlineRegisters,
    /// Constants of each thread of a workgroup.
    pub per_thread: CrestlineRegisters,
    /// Setup data of fragment shaders.
    pub setup: CrestlineRegisters,
    /// First register of the local invocation ids that the driver supplies.
    pub local_ids_first: u32,
    /// Registers of one dimension of these.
    pub local_ids_registers: u32,
    /// Number of dimensions of these; 0 if the driver supplies none.
    pub local_ids_dimensions: u32,
    /// Compute shaders: threads of a workgroup; otherwise 0.
    pub threads: u32,
    /// Compute shaders: Right Execution Mask of GPGPU_WALKER, the channels of the last thread; otherwise 0.
    pub right_mask: u32,
    /// Contents of the constants. Later items overwrite earlier ones; bytes without an item are 0.
    pub items: *const CrestlinePayloadItem,
    /// Number of items.
    pub item_count: usize,
    /// Counts of the compiler; NULL if there are none.
    pub statistics: *const CrestlineStatistics,
}

/// The content of a slot of a URB entry.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineSlot {
    /// A constant of `CrestlineVarying`.
    pub varying: u32,
    /// A location or number, see `CrestlineVarying`; otherwise 0.
    pub value: u32,
}

/// The layout of a URB entry: the contents of its slots of 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineLayout {
    /// The slots.
    pub slots: *const CrestlineSlot,
    /// Number of slots.
    pub count: usize,
}

/// A buffer of transform feedback.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineFeedbackBuffer {
    /// Its number, 0 to 3.
    pub buffer: u32,
    /// Surface Pitch of 3DSTATE_SO_BUFFER, in bytes.
    pub stride: u32,
    /// The stream whose vertices it gets.
    pub stream: u32,
}

/// Dwords that transform feedback captures.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineFeedbackCapture {
    /// Number of the buffer.
    pub buffer: u32,
    /// Byte offset in the record of a vertex.
    pub offset: u32,
    /// The content of the captured slot.
    pub slot: CrestlineSlot,
    /// First captured dword of the slot.
    pub first: u32,
    /// Number of captured dwords.
    pub count: u32,
}

/// Facts of stages that write vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineVertexOutput {
    /// The layout of a vertex.
    pub layout: CrestlineLayout,
    /// User Clip Distance Clip Test Enable Bitmask.
    pub clip_distances: u32,
    /// User Clip Distance Cull Test Enable Bitmask.
    pub cull_distances: u32,
    /// Buffers of transform feedback.
    pub feedback_buffers: *const CrestlineFeedbackBuffer,
    /// Number of these buffers.
    pub feedback_buffer_count: usize,
    /// What transform feedback captures.
    pub feedback_captures: *const CrestlineFeedbackCapture,
    /// Number of these captures.
    pub feedback_capture_count: usize,
}

/// Facts of a compute shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineCompute {
    /// Invocations of a workgroup in x, y and z.
    pub local_size: [u32; 3],
    /// Bytes of shared memory of a workgroup.
    pub shared_bytes: u32,
    /// The same, rounded up to a size that the hardware has.
    pub shared_size: u32,
    /// Whether the threads of a workgroup wait at barriers: Barrier Enable.
    pub uses_barrier: bool,
}

/// An input slot of a vertex shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineVertexSlot {
    /// A constant of `CrestlineVertexInput`.
    pub input: u32,
    /// Location of an attribute.
    pub location: u32,
    /// First byte of an attribute: 0 or 16.
    pub offset: u32,
}

/// Facts of a vertex shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineVertex {
    /// A constant of `CrestlineDispatch`.
    pub dispatch: u32,
    /// The first register of the inputs.
    pub first_input_register: u32,
    /// The input slots, which vertex fetch delivers.
    pub inputs: *const CrestlineVertexSlot,
    /// Number of input slots.
    pub input_count: usize,
    /// The vertices that the shader writes.
    pub output: CrestlineVertexOutput,
    /// Bytes of an output entry, a multiple of 64. The allocated entry must also hold the input slots.
    pub entry_bytes: u32,
}

/// Facts of a tessellation control shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineTessControl {
    /// A constant of `CrestlineDispatch`.
    pub dispatch: u32,
    /// Control points of an input patch; 0 if the code is for any number.
    pub input_vertices: u32,
    /// Control points of an output patch.
    pub output_vertices: u32,
    /// Threads of a patch: Instance Count is one less.
    pub threads: u32,
    /// The layout of an input control point.
    pub inputs: CrestlineLayout,
    /// The layout of the first part of the patch entry.
    pub patch_outputs: CrestlineLayout,
    /// The layout of an output control point in the patch entry.
    pub vertex_outputs: CrestlineLayout,
    /// Bytes of the patch entry, a multiple of 64.
    pub entry_bytes: u32,
    /// Whether the threads of a patch wait at barriers.
    pub uses_barrier: bool,
}

/// Facts of a tessellation evaluation shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineTessEval {
    /// A constant of `CrestlineDispatch`.
    pub dispatch: u32,
    /// A constant of `CrestlineDomain`.
    pub domain: u32,
    /// A constant of `CrestlineSpacing`.
    pub spacing: u32,
    /// A constant of `CrestlineTessOutput`.
    pub primitives: u32,
    /// The layout of the first part of the patch entry.
    pub patch_inputs: CrestlineLayout,
    /// The layout of a control point in the patch entry.
    pub vertex_inputs: CrestlineLayout,
    /// The first register of the pushed slots.
    pub first_input_register: u32,
    /// Slots of the patch entry that the hardware pushes, an even number.
    pub pushed_slots: u32,
    /// The vertices that the shader writes.
    pub output: CrestlineVertexOutput,
    /// Bytes of an output entry, a multiple of 64.
    pub entry_bytes: u32,
}

/// Facts of a geometry shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineGeometry {
    /// A constant of `CrestlineDispatch`.
    pub dispatch: u32,
    /// Vertices of an input primitive.
    pub input_vertices: u32,
    /// Invocations for each primitive: Instance Control is one less.
    pub invocations: u32,
    /// Include Primitive ID.
    pub primitive_id: bool,
    /// The register of the handles of input vertices; `CRESTLINE_NONE` if there are none (Include Vertex Handles).
    pub vertex_handles: u32,
    /// The layout of an input vertex.
    pub inputs: CrestlineLayout,
    /// The first register of the pushed slots.
    pub first_input_register: u32,
    /// Slots of each input vertex that the hardware pushes, an even number.
    pub pushed_slots: u32,
    /// A constant of `CrestlineGeometryOutput`.
    pub primitives: u32,
    /// Bytes of the vertex count at the start of an output entry.
    pub count_bytes: u32,
    /// Bytes of the control data, a multiple of 32.
    pub control_bytes: u32,
    /// Control Data Format: 0 for cut bits, 1 for stream ids.
    pub control_data: u32,
    /// Bytes from a vertex to the next, a multiple of 32.
    pub vertex_bytes: u32,
    /// The vertices that the shader writes.
    pub output: CrestlineVertexOutput,
    /// Bytes of an output entry, a multiple of 64.
    pub entry_bytes: u32,
}

/// An attribute of a fragment shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineAttribute {
    /// What the slot of the entry of the stage before holds, or the point coordinate.
    pub source: CrestlineSlot,
    /// Constant Interpolation Enable.
    pub flat: bool,
}

/// A colour output of a fragment shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineColourOutput {
    /// Number of the attachment.
    pub target: u32,
    /// Written components, a bit each.
    pub components: u32,
    /// A constant of `CrestlineColourType`.
    pub ty: u32,
}

/// Facts of a fragment shader; docs/metadata.md names the state of each.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineFragment {
    /// Barycentric Interpolation Mode.
    pub barycentric_modes: u32,
    /// Pixel Shader Uses Source Depth.
    pub source_depth: bool,
    /// Pixel Shader Uses Source W.
    pub source_w: bool,
    /// Position XY Offset Select: sample.
    pub position_offsets: bool,
    /// Input coverage: 0 off, 1 covered samples, 2 samples that passed the tests, 3 whole pixels.
    pub input_coverage: u32,
    /// The attributes.
    pub attributes: *const CrestlineAttribute,
    /// Number of attributes: Number of SF Output Attributes.
    pub attribute_count: usize,
    /// The colour outputs.
    pub colour_outputs: *const CrestlineColourOutput,
    /// Number of colour outputs.
    pub colour_output_count: usize,
    /// Messages have the alpha of attachment 0.
    pub source0_alpha: bool,
    /// Output 0 has a second colour.
    pub dual_source: bool,
    /// Pixel Shader Computed Depth Mode: 0 off, 1 on, 2 greater or equal, 3 less or equal.
    pub computed_depth_mode: u32,
    /// Pixel Shader Computes Stencil.
    pub computed_stencil: bool,
    /// oMask Present to Render Target.
    pub output_sample_mask: bool,
    /// Pixel Shader Kills Pixel.
    pub kills_pixels: bool,
    /// Tests come before the shader.
    pub early_tests: bool,
    /// Pixel Shader Is Per Sample.
    pub per_sample: bool,
    /// The code is right for one sample only.
    pub one_sample: bool,
    /// Pixel Shader Has UAV.
    pub side_effects: bool,
    /// Pixel Shader Pulls Bary.
    pub pixel_interpolator: bool,
    /// Vector Mask Enable.
    pub vector_mask: bool,
}

/// A number that the driver writes into the code.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineRelocation {
    /// Byte offset in the code of the 4 bytes to write, least significant byte first.
    pub offset: u32,
    /// A constant of `CrestlineRelocationValue`.
    pub value: u32,
    /// Added to the value, modulo 2^32.
    pub delta: i32,
}

/// Everything that a driver needs besides the code.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CrestlineMetadata {
    /// Number of bytes of this struct that the library has filled. A field beyond is not there.
    pub size: usize,
    /// The name of the platform, such as "skl".
    pub platform: *const c_char,
    /// Ten times the generation: 70, 75, 80 or 90 for compiled programs.
    pub generation: u32,
    /// A constant of `CrestlineStage`.
    pub stage: u32,
    /// The name of the entry point.
    pub entry_point: *const c_char,
    /// The code entries, at least one.
    pub entries: *const CrestlineEntry,
    /// Number of code entries.
    pub entry_count: usize,
    /// The binding table.
    pub bindings: *const CrestlineBinding,
    /// Number of entries of the binding table that the code uses.
    pub binding_count: usize,
    /// The sampler table.
    pub samplers: *const CrestlineSampler,
    /// Number of entries of the sampler table that the code uses.
    pub sampler_count: usize,
    /// Bytes of scratch memory that a thread needs.
    pub scratch_bytes: u32,
    /// The same, rounded up to a size that the hardware has.
    pub scratch_size: u32,
    /// Per-Thread Scratch Space: the code of `scratch_size`. 0 also means no scratch memory.
    pub scratch_code: u32,
    /// Bytes of private memory of a channel.
    pub private_bytes_per_channel: u32,
    /// Size of the addresses that the code uses: 32 or 64 bits; 0 if it uses none.
    pub address_bits: u32,
    /// Constants that the code reads.
    pub constant_data: *const u8,
    /// Number of bytes of the constants.
    pub constant_data_size: usize,
    /// Alignment of the address of the constants; 0 if there are none.
    pub constant_data_alignment: u32,
    /// Numbers that the driver writes into the code.
    pub relocations: *const CrestlineRelocation,
    /// Number of relocations.
    pub relocation_count: usize,
    /// A constant of `CrestlineRounding`: the rounding mode at thread start.
    pub rounding: u32,
    /// Whether denormals of 16 bits are preserved at thread start.
    pub preserve_half_denormals: bool,
    /// The same for 32 bits.
    pub preserve_single_denormals: bool,
    /// The same for 64 bits.
    pub preserve_double_denormals: bool,
    /// Facts of a compute shader; NULL for other stages.
    pub compute: *const CrestlineCompute,
    /// Facts of a vertex shader; NULL for other stages.
    pub vertex: *const CrestlineVertex,
    /// Facts of a tessellation control shader; NULL for other stages.
    pub tess_control: *const CrestlineTessControl,
    /// Facts of a tessellation evaluation shader; NULL for other stages.
    pub tess_eval: *const CrestlineTessEval,
    /// Facts of a geometry shader; NULL for other stages.
    pub geometry: *const CrestlineGeometry,
    /// Facts of a fragment shader; NULL for other stages.
    pub fragment: *const CrestlineFragment,
}
