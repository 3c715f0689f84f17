/* The path of a driver from shaders to state packets.
 *
 *     cc driver.c $(pkg-config --cflags --libs crestline) -o driver
 *     ./driver skl [FOLDER]
 *
 * Compiles a compute shader, a pipeline of a vertex and a fragment shader, and a pipeline with tessellation and a geometry
 * shader, and fills the packets that start them, from the metadata of the programs. Prints each packet as its dwords.
 * Writes the metadata as JSON to FOLDER, if given. The third pipeline is in GLSL: the library needs the feature `glslang`.
 *
 * The layouts of the packets are those of Intel's manuals ("Command Reference: Instructions", volume 2) for Ivy Bridge,
 * Haswell, Broadwell and Skylake. What follows from the application (addresses of buffers, attachments, numbers of
 * workgroups) is made up. */

#include <crestline.h>

#include <stdio.h>
#include <string.h>

static const char compute_text[] =
    "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
    "var<workgroup> sums: array<u32, 96>;\n"
    "@compute @workgroup_size(12, 8)\n"
    "fn main(@builtin(local_invocation_index) at: u32, @builtin(global_invocation_id) id: vec3<u32>) {\n"
    "    sums[at] = data[id.x + 64u * id.y];\n"
    "    workgroupBarrier();\n"
    "    data[id.x + 64u * id.y] = sums[95u - at];\n"
    "}\n";

static const char pipeline_text[] =
    "struct Vertex { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32>,\n"
    "                @location(1) @interpolate(flat) layer: u32, @location(2) colour: vec4<f32> }\n"
    "@group(0) @binding(0) var<uniform> transform: mat4x4<f32>;\n"
    "@vertex fn v(@location(0) p: vec3<f32>, @location(1) uv: vec2<f32>, @builtin(vertex_index) i: u32) -> Vertex {\n"
    "    return Vertex(transform * vec4(p, 1.0), uv, i & 3u, vec4(p.yzx, 1.0));\n"
    "}\n"
    "@group(0) @binding(1) var image: texture_2d_array<f32>;\n"
    "@group(0) @binding(2) var filtering: sampler;\n"
    "@fragment fn f(in: Vertex) -> @location(0) vec4<f32> {\n"
    "    let colour = textureSample(image, filtering, in.uv, in.layer) * in.colour;\n"
    "    if (colour.a < 0.5) { discard; }\n"
    "    return colour;\n"
    "}\n";

/* The stages between a vertex and a fragment shader. */
static const char control_text[] =
    "#version 450\n"
    "layout(vertices = 3) out;\n"
    "layout(location = 0) in vec2 uv[];\n"
    "layout(location = 0) out vec2 made[];\n"
    "layout(push_constant) uniform Levels { float outer; float inner; };\n"
    "void main() {\n"
    "    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
    "    made[gl_InvocationID] = uv[gl_InvocationID];\n"
    "    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = outer;\n"
    "    gl_TessLevelInner[0] = inner;\n"
    "}\n";

static const char evaluation_text[] =
    "#version 450\n"
    "layout(triangles, fractional_odd_spacing, ccw) in;\n"
    "layout(location = 0) in vec2 made[];\n"
    "layout(location = 0) out vec2 uv;\n"
    "void main() {\n"
    "    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position\n"
    "        + gl_TessCoord.z * gl_in[2].gl_Position;\n"
    "    uv = gl_TessCoord.x * made[0] + gl_TessCoord.y * made[1] + gl_TessCoord.z * made[2];\n"
    "}\n";

static const char geometry_text[] =
    "#version 450\n"
    "layout(triangles, invocations = 2) in;\n"
    "layout(triangle_strip, max_vertices = 6) out;\n"
    "layout(location = 0) in vec2 uv[];\n"
    "layout(location = 0) out vec2 place;\n"
    "layout(location = 1) flat out int id;\n"
    "void main() {\n"
    "    for (int n = 0; n < 6; n++) {\n"
    "        gl_Position = gl_in[n % 3].gl_Position;\n"
    "        place = uv[n % 3] * float(gl_InvocationID + 1);\n"
    "        id = gl_PrimitiveIDIn;\n"
    "        EmitVertex();\n"
    "        if (n == 2)\n"
    "            EndPrimitive();\n"
    "    }\n"
    "}\n";

static const char last_text[] =
    "#version 450\n"
    "layout(location = 0) in vec2 place;\n"
    "layout(location = 1) flat in int id;\n"
    "layout(location = 0) out vec4 colour;\n"
    "void main() { colour = vec4(place, float(id), 1.0); }\n";

static const char first_text[] =
    "#version 450\n"
    "layout(location = 0) in vec4 position;\n"
    "layout(location = 1) in vec2 place;\n"
    "layout(location = 0) out vec2 uv;\n"
    "void main() { gl_Position = position; uv = place; }\n";

/* What the driver has to know of the device (GT2). */
struct device {
    const char *platform;
    uint32_t vertex_threads;     /* of the device */
    uint32_t control_threads;    /* of the device */
    uint32_t evaluation_threads; /* of the device */
    uint32_t geometry_threads;   /* of the device */
    uint32_t pixel_threads;   /* gen7, gen7.5: of the device; gen8, gen9: of a pixel shader dispatcher */
    uint32_t compute_threads; /* of the device */
};

static const struct device devices[] = {
    { "ivb", 128, 128, 128, 128, 172, 64 },
    { "hsw", 280, 256, 280, 256, 204, 140 },
    { "bdw", 504, 504, 504, 504, 62, 168 },
    { "skl", 336, 336, 336, 336, 63, 168 },
};

/* A packet: its name and dwords. */
struct packet {
    const char *name;
    uint32_t length;
    uint32_t dword[16];
};

/* A packet with its header: command type and opcode in bits 31:16, number of dwords minus 2 in bits 7:0. Structures that
 * are no commands have the opcode 0. */
static struct packet packet(const char *name, uint32_t opcode, uint32_t length)
{
    struct packet made = { name, length, { 0 } };
    if (opcode != 0)
        made.dword[0] = opcode << 16 | (length - 2);
    return made;
}

static int overflowed;

/* Sets bits high:low of a dword. */
static void set(struct packet *packet, uint32_t dword, uint32_t high, uint32_t low, uint32_t value)
{
    uint32_t most = high - low == 31 ? UINT32_MAX : (1u << (high - low + 1)) - 1;
    if (dword >= packet->length || value > most) {
        fprintf(stderr, "%s: %u does not fit into dword %u, bits %u:%u\n", packet->name, value, dword, high, low);
        overflowed = 1;
        return;
    }
    packet->dword[dword] |= value << low;
}

static void print(const struct packet *packet)
{
    printf("%s", packet->name);
    for (uint32_t i = 0; i < packet->length; i++)
        printf(" %08x", packet->dword[i]);
    printf("\n");
}

/* Where the driver has put the programs, from Instruction Base Address on. A multiple of 64. */
enum {
    COMPUTE_HEAP = 0x10000,
    VERTEX_HEAP = 0x20000,
    FRAGMENT_HEAP = 0x30000,
    CONTROL_HEAP = 0x40000,
    EVALUATION_HEAP = 0x50000,
    GEOMETRY_HEAP = 0x60000
};
/* Where the scratch memory of the programs is, from General State Base Address on. A multiple of 1024. */
enum { SCRATCH_HEAP = 0x400000 };

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t greatest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Number of entries that the hardware may fetch early: the largest used index and one. */
static uint32_t binding_table_entries(const CrestlineMetadata *program)
{
    uint32_t count = 0;
    for (size_t i = 0; i < program->binding_count; i++)
        count = greatest(count, program->bindings[i].index + 1);
    return count;
}

/* The field Sampler Count: groups of four, at most four groups. */
static uint32_t sampler_count(const CrestlineMetadata *program)
{
    uint32_t count = 0;
    for (size_t i = 0; i < program->sampler_count; i++)
        count = greatest(count, program->samplers[i].index + 1);
    return least((count + 3) / 4, 4);
}

/* The dwords that all stages of the 3D pipeline have: tables, from dword `at` on, and scratch memory in the next dword. */
static void common(struct packet *packet, uint32_t at, const CrestlineMetadata *program)
{
    set(packet, at, 25, 18, binding_table_entries(program));
    set(packet, at, 29, 27, sampler_count(program));
    if (program->scratch_size != 0) {
        set(packet, at + 1, 3, 0, program->scratch_code);
        set(packet, at + 1, 31, 10, SCRATCH_HEAP >> 10);
    }
}

static void compute(const CrestlineMetadata *program, const struct device *device)
{
    const CrestlineEntry *entry = &program->entries[0];
    const CrestlineCompute *compute = program->compute;
    uint32_t generation = program->generation;
    int gen8 = generation >= 80;
    uint32_t constants = entry->cross_thread.count + entry->per_thread.count * entry->threads;

    struct packet vfe = packet("MEDIA_VFE_STATE", 0x7000, gen8 ? 9 : 8);
    if (program->scratch_size != 0) {
        set(&vfe, 1, 3, 0, program->scratch_code);
        set(&vfe, 1, 31, 10, SCRATCH_HEAP >> 10);
    }
    set(&vfe, gen8 ? 3 : 2, 31, 16, device->compute_threads - 1);
    set(&vfe, gen8 ? 3 : 2, 15, 8, gen8 ? 2 : 0);
    set(&vfe, gen8 ? 3 : 2, 7, 7, 1);
    if (!gen8)
        set(&vfe, 2, 2, 2, 1);
    set(&vfe, gen8 ? 5 : 4, 31, 16, gen8 ? 2 : 0);
    set(&vfe, gen8 ? 5 : 4, 15, 0, (constants + 1) & ~1u);
    print(&vfe);

    struct packet descriptor = packet("INTERFACE_DESCRIPTOR_DATA", 0, 8);
    uint32_t shift = gen8 ? 1 : 0; /* gen8 has 48-bit kernel start pointers */
    set(&descriptor, 0, 31, 6, (COMPUTE_HEAP + entry->offset) >> 6);
    set(&descriptor, 2 + shift, 4, 2, sampler_count(program));
    set(&descriptor, 3 + shift, 4, 0, least(binding_table_entries(program), 31));
    set(&descriptor, 4 + shift, 31, 16, entry->per_thread.count);
    set(&descriptor, 5 + shift, gen8 ? 9 : 7, 0, entry->threads);
    uint32_t code = 0; /* of the size of shared memory */
    if (compute->shared_size != 0 && generation >= 90)
        for (code = 1; compute->shared_size > 1024u << (code - 1);)
            code++;
    else
        code = compute->shared_size / 4096;
    set(&descriptor, 5 + shift, 20, 16, code);
    set(&descriptor, 5 + shift, 21, 21, compute->uses_barrier && entry->threads > 1);
    set(&descriptor, 5 + shift, 23, 22, program->rounding);
    if (generation >= 75)
        set(&descriptor, 6 + shift, 7, 0, entry->cross_thread.count);
    print(&descriptor);

    struct packet curbe = packet("MEDIA_CURBE_LOAD", 0x7001, 4);
    set(&curbe, 2, 16, 0, (constants * 32 + 63) & ~63u);
    print(&curbe);

    struct packet walker = packet("GPGPU_WALKER", 0x7105, gen8 ? 15 : 11);
    uint32_t size = gen8 ? 4 : 2;
    set(&walker, size, 5, 0, entry->threads - 1);
    set(&walker, size, 31, 30, entry->simd_width / 16);
    set(&walker, gen8 ? 7 : 4, 31, 0, 5); /* 5 by 4 by 3 workgroups */
    set(&walker, gen8 ? 10 : 6, 31, 0, 4);
    set(&walker, gen8 ? 12 : 8, 31, 0, 3);
    set(&walker, gen8 ? 13 : 9, 31, 0, entry->right_mask);
    set(&walker, gen8 ? 14 : 10, 31, 0, 0xffffffff);
    print(&walker);
}

/* The push constants of a stage. From Haswell on, drivers use buffer 3 first: buffer 0 alone needs a flush. */
static void constants(const char *name, uint32_t opcode, const CrestlineMetadata *program)
{
    struct packet made = packet(name, opcode, program->generation >= 80 ? 11 : 7);
    uint32_t registers = program->entries[0].cross_thread.count;
    if (program->generation == 70)
        set(&made, 1, 15, 0, registers);
    else
        set(&made, 2, 31, 16, registers);
    print(&made);
}

/* The slots of a vertex that the rasterizer reads, in pairs. */
struct read {
    uint32_t offset;
    uint32_t length;
};

static int same(CrestlineSlot a, CrestlineSlot b)
{
    return a.varying == b.varying && a.value == b.value;
}

/* The slot of the vertex from which an attribute comes; the number of slots if there is none. */
static uint32_t source_slot(const CrestlineLayout *layout, CrestlineSlot wanted)
{
    uint32_t at = 0;
    while (at < layout->count && !same(layout->slots[at], wanted))
        at++;
    return at;
}

static struct read rasterizer_reads(const CrestlineLayout *layout, const CrestlineFragment *fragment)
{
    uint32_t first = (uint32_t)layout->count, end = 0;
    for (size_t i = 0; i < fragment->attribute_count; i++) {
        uint32_t slot = source_slot(layout, fragment->attributes[i].source);
        if (slot < layout->count) {
            first = least(first, slot);
            end = greatest(end, slot + 1);
        }
    }
    if (end == 0)
        return (struct read){ 1, 1 };
    return (struct read){ first / 2, (end - first / 2 * 2 + 1) / 2 };
}

static void vertex(const CrestlineMetadata *program, struct read read, const struct device *device)
{
    const CrestlineEntry *entry = &program->entries[0];
    const CrestlineVertex *vertex = program->vertex;
    int gen8 = program->generation >= 80;
    uint32_t slots = (uint32_t)vertex->input_count;

    struct packet vs = packet("3DSTATE_VS", 0x7810, gen8 ? 9 : 6);
    set(&vs, 1, 31, 6, (VERTEX_HEAP + entry->offset) >> 6);
    common(&vs, gen8 ? 3 : 2, program);
    set(&vs, gen8 ? 6 : 4, 24, 20, entry->dispatch_grf_start);
    set(&vs, gen8 ? 6 : 4, 16, 11, greatest((slots + 1) / 2, 1));
    uint32_t last = gen8 ? 7 : 5;
    set(&vs, last, 0, 0, 1);
    set(&vs, last, 10, 10, 1);
    set(&vs, last, 31, program->generation == 70 ? 25 : 23, device->vertex_threads - 1);
    if (gen8) {
        set(&vs, last, 2, 2, vertex->dispatch == CRESTLINE_DISPATCH_SIMD8);
        set(&vs, 8, 7, 0, vertex->output.cull_distances);
        set(&vs, 8, 15, 8, vertex->output.clip_distances);
        set(&vs, 8, 20, 16, read.length);
        set(&vs, 8, 26, 21, read.offset);
    }
    print(&vs);

    /* An entry holds the inputs first, then the outputs; its size is in units of 64 bytes. */
    uint32_t units = (greatest(vertex->entry_bytes, 16 * slots) + 63) / 64;
    struct packet urb = packet("3DSTATE_URB_VS", 0x7830, 2);
    set(&urb, 1, 15, 0, 64);
    set(&urb, 1, 24, 16, units - 1);
    set(&urb, 1, 29, 25, 4);
    print(&urb);
    constants("3DSTATE_CONSTANT_VS", 0x7815, program);
}

static void fragment(const CrestlineMetadata *program, const struct device *device)
{
    const CrestlineFragment *fragment = program->fragment;
    uint32_t generation = program->generation;
    int gen8 = generation >= 80;

    struct packet ps = packet("3DSTATE_PS", 0x7820, gen8 ? 12 : 8);
    common(&ps, gen8 ? 3 : 2, program);
    set(&ps, gen8 ? 3 : 2, 15, 14, program->rounding);
    set(&ps, gen8 ? 3 : 2, 26, 26, program->preserve_single_denormals);
    set(&ps, gen8 ? 3 : 2, 30, 30, fragment->vector_mask);
    uint32_t enables = gen8 ? 6 : 4;
    static const uint32_t pointers[2][3] = { { 1, 6, 7 }, { 1, 8, 10 } };
    for (size_t i = 0; i < program->entry_count; i++) {
        const CrestlineEntry *entry = &program->entries[i];
        uint32_t slot = entry->kernel_start_slot, bit = entry->simd_width / 16;
        set(&ps, pointers[gen8][slot], 31, 6, (FRAGMENT_HEAP + entry->offset) >> 6);
        set(&ps, enables, bit, bit, 1);
        uint32_t low = 16 - 8 * slot;
        set(&ps, enables + 1, low + 6, low, entry->dispatch_grf_start);
    }
    set(&ps, enables, 4, 3, fragment->position_offsets ? 3 : 0);
    set(&ps, enables, 11, 11, program->entries[0].cross_thread.count != 0);
    if (generation == 70)
        set(&ps, enables, 31, 24, device->pixel_threads - 1);
    else
        set(&ps, enables, 31, 23, device->pixel_threads - (gen8 ? 0 : 1));
    if (!gen8) {
        set(&ps, enables, 7, 7, fragment->dual_source);
        set(&ps, enables, 9, 9, fragment->output_sample_mask);
        set(&ps, enables, 10, 10, fragment->attribute_count != 0);
        if (generation == 75) {
            set(&ps, enables, 5, 5, fragment->side_effects);
            set(&ps, enables, 19, 12, 0xff);
        }
    }
    print(&ps);

    struct packet wm = packet("3DSTATE_WM", 0x7814, gen8 ? 2 : 3);
    set(&wm, 1, 16, 11, fragment->barycentric_modes);
    set(&wm, 1, 22, 21, fragment->early_tests ? 2 : fragment->side_effects ? 1 : 0);
    set(&wm, 1, 31, 31, 1);
    if (!gen8) {
        set(&wm, 1, 10, 10, fragment->input_coverage != 0);
        set(&wm, 1, 19, 19, fragment->source_w);
        set(&wm, 1, 20, 20, fragment->source_depth);
        set(&wm, 1, 24, 23, fragment->computed_depth_mode);
        set(&wm, 1, 25, 25, fragment->kills_pixels);
        set(&wm, 1, 29, 29, fragment->colour_output_count != 0 || fragment->side_effects || fragment->kills_pixels);
        set(&wm, 2, 31, 31, !fragment->per_sample);
    }
    print(&wm);

    if (gen8) {
        struct packet extra = packet("3DSTATE_PS_EXTRA", 0x784f, 2);
        if (generation >= 90)
            set(&extra, 1, 1, 0, fragment->input_coverage == 2 ? 3 : fragment->input_coverage);
        else
            set(&extra, 1, 1, 1, fragment->input_coverage != 0);
        set(&extra, 1, 2, 2, fragment->side_effects);
        if (generation >= 90) {
            set(&extra, 1, 3, 3, fragment->pixel_interpolator);
            set(&extra, 1, 5, 5, fragment->computed_stencil);
        }
        set(&extra, 1, 6, 6, fragment->per_sample);
        set(&extra, 1, 8, 8, fragment->attribute_count != 0);
        set(&extra, 1, 23, 23, fragment->source_w);
        set(&extra, 1, 24, 24, fragment->source_depth);
        set(&extra, 1, 27, 26, fragment->computed_depth_mode);
        set(&extra, 1, 28, 28, fragment->kills_pixels);
        set(&extra, 1, 29, 29, fragment->output_sample_mask);
        set(&extra, 1, 31, 31, 1);
        print(&extra);
    }
    constants("3DSTATE_CONSTANT_PS", 0x7817, program);
}

/* How the rasterizer finds the attributes of the fragment shader in a vertex. */
static void attributes(const CrestlineLayout *layout, const CrestlineMetadata *program, struct read read)
{
    const CrestlineFragment *fragment = program->fragment;
    uint32_t generation = program->generation;
    int gen8 = generation >= 80;
    struct packet sbe = packet("3DSTATE_SBE", 0x781f, generation >= 90 ? 6 : gen8 ? 4 : 14);
    struct packet swizzles = packet("3DSTATE_SBE_SWIZ", 0x7851, 11);
    struct packet *details = gen8 ? &swizzles : &sbe;
    uint32_t first = gen8 ? 1 : 2;

    set(&sbe, 1, gen8 ? 10 : 9, gen8 ? 5 : 4, read.offset);
    set(&sbe, 1, 15, 11, read.length);
    set(&sbe, 1, 21, 21, 1);
    set(&sbe, 1, 27, 22, (uint32_t)fragment->attribute_count);
    if (gen8)
        set(&sbe, 1, 29, 28, 3);
    for (uint32_t i = 0; i < fragment->attribute_count; i++) {
        const CrestlineAttribute *attribute = &fragment->attributes[i];
        uint32_t slot = source_slot(layout, attribute->source);
        if (attribute->source.varying == CRESTLINE_VARYING_POINT_COORD)
            set(&sbe, gen8 ? 2 : 10, i, i, 1);
        else if (slot == layout->count && i < 16)
            set(details, first + i / 2, i % 2 * 16 + 15, i % 2 * 16 + 12, 15); /* not written: 0 */
        else if (i < 16)
            set(details, first + i / 2, i % 2 * 16 + 4, i % 2 * 16, slot - 2 * read.offset);
        set(&sbe, gen8 ? 3 : 11, i, i, attribute->flat);
        if (generation >= 90)
            set(&sbe, 4 + i / 16, i % 16 * 2 + 1, i % 16 * 2, 3); /* XYZW */
    }
    print(&sbe);
    if (gen8)
        print(&swizzles);
}

/* The entries of a stage: their number, and their size in units of 64 bytes. */
static void entries(const char *name, uint32_t opcode, uint32_t count, uint32_t bytes, uint32_t start)
{
    struct packet urb = packet(name, opcode, 2);
    set(&urb, 1, 15, 0, count);
    set(&urb, 1, 24, 16, (bytes + 63) / 64 - 1);
    set(&urb, 1, 29, 25, start);
    print(&urb);
}

static void control(const CrestlineMetadata *program, const struct device *device)
{
    const CrestlineEntry *entry = &program->entries[0];
    int gen8 = program->generation >= 80;

    struct packet hs = packet("3DSTATE_HS", 0x781b, gen8 ? 9 : 7);
    if (gen8)
        set(&hs, 2, 16, 8, device->control_threads - 1);
    else
        set(&hs, 1, program->generation == 70 ? 6 : 7, 0, device->control_threads - 1);
    set(&hs, 1, 25, 18, binding_table_entries(program));
    set(&hs, 1, 29, 27, sampler_count(program));
    set(&hs, 2, 3, 0, program->tess_control->threads - 1);
    set(&hs, 2, 29, 29, 1);
    set(&hs, 2, 31, 31, 1);
    set(&hs, 3, 31, 6, (CONTROL_HEAP + entry->offset) >> 6);
    if (program->scratch_size != 0) {
        set(&hs, gen8 ? 5 : 4, 3, 0, program->scratch_code);
        set(&hs, gen8 ? 5 : 4, 31, 10, SCRATCH_HEAP >> 10);
    }
    /* The code reads all control points by their handles: nothing is pushed. Dispatch Mode (gen9) 0: threads for one patch. */
    set(&hs, gen8 ? 7 : 5, 23, 19, entry->dispatch_grf_start);
    set(&hs, gen8 ? 7 : 5, 24, 24, 1);
    print(&hs);
    entries("3DSTATE_URB_HS", 0x7831, 32, program->tess_control->entry_bytes, 8);
    constants("3DSTATE_CONSTANT_HS", 0x7819, program);
}

static void evaluation(const CrestlineMetadata *program, const struct device *device)
{
    const CrestlineEntry *entry = &program->entries[0];
    const CrestlineTessEval *stage = program->tess_eval;
    uint32_t generation = program->generation;
    int gen8 = generation >= 80;

    struct packet te = packet("3DSTATE_TE", 0x781c, 4);
    static const uint32_t domains[] = { 0, 0, 1, 2 };  /* quads, triangles, isolines */
    static const uint32_t spacings[] = { 0, 0, 1, 2 }; /* integer, odd, even */
    set(&te, 1, 0, 0, 1);
    set(&te, 1, 5, 4, domains[stage->domain]);
    set(&te, 1, 9, 8, stage->primitives);
    set(&te, 1, 13, 12, spacings[stage->spacing]);
    set(&te, 2, 31, 0, 0x427c0000); /* 63.0 */
    set(&te, 3, 31, 0, 0x42800000); /* 64.0 */
    print(&te);

    struct packet ds = packet("3DSTATE_DS", 0x781d, generation >= 90 ? 11 : gen8 ? 9 : 6);
    set(&ds, 1, 31, 6, (EVALUATION_HEAP + entry->offset) >> 6);
    common(&ds, gen8 ? 3 : 2, program);
    set(&ds, gen8 ? 6 : 4, 17, 11, stage->pushed_slots / 2);
    set(&ds, gen8 ? 6 : 4, 24, 20, entry->dispatch_grf_start);
    uint32_t last = gen8 ? 7 : 5;
    set(&ds, last, 0, 0, 1);
    set(&ds, last, 2, 2, stage->domain == CRESTLINE_DOMAIN_TRIANGLES);
    set(&ds, last, 10, 10, 1);
    if (generation == 70)
        set(&ds, last, 31, 25, device->evaluation_threads - 1);
    else
        set(&ds, last, 29, 21, device->evaluation_threads - 1);
    if (gen8) {
        /* 1: threads for one patch at SIMD8. */
        set(&ds, last, generation >= 90 ? 4 : 3, 3, stage->dispatch == CRESTLINE_DISPATCH_SIMD8);
        set(&ds, 8, 7, 0, stage->output.cull_distances);
        set(&ds, 8, 15, 8, stage->output.clip_distances);
    }
    print(&ds);
    entries("3DSTATE_URB_DS", 0x7832, 64, stage->entry_bytes, 12);
    constants("3DSTATE_CONSTANT_DS", 0x781a, program);
}

static void geometry(const CrestlineMetadata *program, struct read read, const struct device *device)
{
    const CrestlineEntry *entry = &program->entries[0];
    const CrestlineGeometry *stage = program->geometry;
    uint32_t generation = program->generation;
    int gen8 = generation >= 80;

    struct packet gs = packet("3DSTATE_GS", 0x7811, gen8 ? 10 : 7);
    set(&gs, 1, 31, 6, (GEOMETRY_HEAP + entry->offset) >> 6);
    common(&gs, gen8 ? 3 : 2, program);
    uint32_t reads = gen8 ? 6 : 4, last = gen8 ? 7 : 5;
    set(&gs, reads, 3, 0, entry->dispatch_grf_start & 15);
    if (generation >= 90)
        set(&gs, reads, 30, 29, entry->dispatch_grf_start >> 4);
    set(&gs, reads, 16, 11, stage->pushed_slots / 2);
    set(&gs, reads, 10, 10, stage->vertex_handles != CRESTLINE_NONE);
    static const uint32_t topologies[] = { 1, 3, 5 }; /* 3DPRIM_POINTLIST, LINESTRIP, TRISTRIP */
    set(&gs, reads, 22, 17, topologies[stage->primitives]);
    set(&gs, reads, 28, 23, stage->vertex_bytes / 16 - 1);
    uint32_t mode = 3;
    if (stage->dispatch != CRESTLINE_DISPATCH_SIMD8)
        mode = stage->dispatch - CRESTLINE_DISPATCH_SINGLE;
    set(&gs, last, 0, 0, 1);
    set(&gs, last, 2, 2, 1); /* Reorder Mode: trailing */
    set(&gs, last, 4, 4, stage->primitive_id);
    set(&gs, last, 10, 10, 1);
    set(&gs, last, 12, 11, mode);
    set(&gs, last, 19, 15, stage->invocations - 1);
    set(&gs, last, 23, 20, stage->control_bytes / 32);
    if (generation == 70) {
        set(&gs, 5, 24, 24, stage->control_data);
        set(&gs, 5, 31, 25, device->geometry_threads - 1);
    } else if (generation == 75) {
        set(&gs, 6, 31, 31, stage->control_data);
        set(&gs, 5, 31, 24, device->geometry_threads - 1);
    } else {
        set(&gs, 3, 5, 0, stage->input_vertices);
        set(&gs, 8, 31, 31, stage->control_data);
        if (generation == 80)
            set(&gs, 7, 31, 24, device->geometry_threads / 2 - 1); /* in pairs */
        else
            set(&gs, 8, 8, 0, device->geometry_threads - 1);
        set(&gs, 9, 7, 0, stage->output.cull_distances);
        set(&gs, 9, 15, 8, stage->output.clip_distances);
        set(&gs, 9, 20, 16, read.length);
        set(&gs, 9, 26, 21, read.offset);
    }
    print(&gs);
    entries("3DSTATE_URB_GS", 0x7833, 32, stage->entry_bytes, 16);
    constants("3DSTATE_CONSTANT_GS", 0x7816, program);
}

static int failed(CrestlineError *error)
{
    CrestlinePlace place;
    crestline_error_place(error, &place);
    fprintf(stderr, "%s: %s", crestline_error_code(error), crestline_error_message(error));
    if (place.kind == CRESTLINE_PLACE_KIND_SOURCE)
        fprintf(stderr, " (line %u)", place.line);
    fprintf(stderr, "\n");
    crestline_error_free(error);
    return 1;
}

/* Writes the metadata as JSON. */
static int store(const CrestlineProgram *program, const char *folder, const char *name)
{
    char path[1024];
    CrestlineText *text;
    CrestlineError *error;
    if (folder == NULL)
        return 0;
    if (crestline_program_json(program, &text, &error) != CRESTLINE_STATUS_OK)
        return failed(error);
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    FILE *file = fopen(path, "wb");
    size_t size = crestline_text_size(text);
    int bad = file == NULL || fwrite(crestline_text_data(text), 1, size, file) != size;
    if (file != NULL && fclose(file) != 0)
        bad = 1;
    crestline_text_free(text);
    return bad;
}

static int run_compute(const struct device *device, const char *folder)
{
    CrestlineSource source = { 0 };
    CrestlineOptions options = { 0 };
    CrestlineProgram *program;
    CrestlineError *error;

    source.language = CRESTLINE_LANGUAGE_WGSL;
    source.name = "compute.wgsl";
    source.bytes = (const uint8_t *)compute_text;
    source.size = sizeof compute_text - 1;
    options.size = sizeof options;
    options.platform = device->platform;
    if (crestline_compile(&source, &options, &program, &error) != CRESTLINE_STATUS_OK)
        return failed(error);
    compute(crestline_program_metadata(program), device);
    int bad = store(program, folder, "compute");
    crestline_program_free(program);
    return bad;
}

static int run_pipeline(const struct device *device, const char *folder)
{
    CrestlineSource source = { 0 };
    CrestlineOptions options[2];
    CrestlineShader shaders[2];
    CrestlineProgram *programs[2];
    CrestlineError *error;

    source.language = CRESTLINE_LANGUAGE_WGSL;
    source.name = "pipeline.wgsl";
    source.bytes = (const uint8_t *)pipeline_text;
    source.size = sizeof pipeline_text - 1;
    memset(options, 0, sizeof options);
    for (int i = 0; i < 2; i++) {
        options[i].size = sizeof options[i];
        options[i].platform = device->platform;
        options[i].stage = i == 0 ? CRESTLINE_STAGE_VERTEX : CRESTLINE_STAGE_FRAGMENT;
        shaders[i] = (CrestlineShader){ &source, &options[i] };
    }
    if (crestline_link(shaders, 2, NULL, programs, &error) != CRESTLINE_STATUS_OK)
        return failed(error);
    const CrestlineMetadata *before = crestline_program_metadata(programs[0]);
    const CrestlineMetadata *after = crestline_program_metadata(programs[1]);
    const CrestlineLayout *layout = &before->vertex->output.layout;
    struct read read = rasterizer_reads(layout, after->fragment);
    vertex(before, read, device);
    attributes(layout, after, read);
    fragment(after, device);
    int bad = store(programs[0], folder, "vertex") || store(programs[1], folder, "fragment");
    crestline_program_free(programs[0]);
    crestline_program_free(programs[1]);
    return bad;
}

/* A pipeline of all stages. Only the packets of those between the vertex and the fragment shader are printed. */
static int run_stages(const struct device *device, const char *folder)
{
    static const struct {
        CrestlineStage stage;
        const char *name;
        const char *text;
    } stages[] = {
        { CRESTLINE_STAGE_VERTEX, "first", first_text },
        { CRESTLINE_STAGE_TESS_CONTROL, "control", control_text },
        { CRESTLINE_STAGE_TESS_EVAL, "evaluation", evaluation_text },
        { CRESTLINE_STAGE_GEOMETRY, "geometry", geometry_text },
        { CRESTLINE_STAGE_FRAGMENT, "last", last_text },
    };
    enum { COUNT = sizeof stages / sizeof *stages };
    CrestlineSource sources[COUNT];
    CrestlineOptions options[COUNT];
    CrestlineShader shaders[COUNT];
    CrestlineProgram *programs[COUNT];
    CrestlineError *error;

    memset(sources, 0, sizeof sources);
    memset(options, 0, sizeof options);
    for (int i = 0; i < COUNT; i++) {
        sources[i].language = CRESTLINE_LANGUAGE_GLSL;
        sources[i].name = stages[i].name;
        sources[i].bytes = (const uint8_t *)stages[i].text;
        sources[i].size = strlen(stages[i].text);
        options[i].size = sizeof options[i];
        options[i].platform = device->platform;
        options[i].stage = stages[i].stage;
        shaders[i] = (CrestlineShader){ &sources[i], &options[i] };
    }
    if (crestline_link(shaders, COUNT, NULL, programs, &error) != CRESTLINE_STATUS_OK)
        return failed(error);
    const CrestlineMetadata *last = crestline_program_metadata(programs[3]);
    const CrestlineMetadata *after = crestline_program_metadata(programs[4]);
    control(crestline_program_metadata(programs[1]), device);
    evaluation(crestline_program_metadata(programs[2]), device);
    geometry(last, rasterizer_reads(&last->geometry->output.layout, after->fragment), device);
    int bad = 0;
    for (int i = 0; i < COUNT; i++) {
        bad |= i > 0 && store(programs[i], folder, stages[i].name);
        crestline_program_free(programs[i]);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const struct device *device = NULL;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (argc > 1 && strcmp(argv[1], devices[i].platform) == 0)
            device = &devices[i];
    if (device == NULL) {
        fprintf(stderr, "usage: driver ivb|hsw|bdw|skl [FOLDER]\n");
        return 2;
    }
    if (crestline_abi_version() != CRESTLINE_ABI_VERSION) {
        fprintf(stderr, "the library does not fit the header\n");
        return 1;
    }
    const char *folder = argc > 2 ? argv[2] : NULL;
    int bad = run_compute(device, folder) || run_pipeline(device, folder) || run_stages(device, folder);
    return bad || overflowed;
}
