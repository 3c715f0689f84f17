//! Litmus tests: shaders in which two threads of a workgroup communicate through memory. Under weak memory, no seed may
//! give a result that the fences forbid. Without any one of the fences, some seed must give such a result: this shows
//! that the emulator detects a missing fence, and that every fence is necessary.
//!
//! Each invocation of the first thread has a partner in the second thread. The two share an `x` and a `y`, which are 0
//! at first.

use crestline::{Options, Simd, compile_spirv};
use crestline_device::{Device, Platform, SurfaceFormat};
use crestline_emu::{Class, ImageDimension, ImageShape, Kernel, MemoryModel, Policy, Resources};
use crestline_filetests::corpus::compile_source;
use crestline_frontend::Language;
use crestline_isa::message::{Cache, Descriptor, Message};
use crestline_isa::{DescSrc, Inst, Opcode};
use crestline_program::ResourceRef;

/// Seeds to try.
const SEEDS: u64 = 150;

const PLATFORMS: [Platform; 4] = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];

/// The kind of memory of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    Buffer,
    Shared,
    /// An image of that format.
    Image(&'static str),
}

/// An image with four dwords per texel, which Ivy Bridge accesses by untyped messages.
const RAW: &str = "rgba32ui";

impl Storage {
    /// The declaration of a variable at that binding.
    fn declaration(self, name: &str, binding: u32, channels: u32) -> String {
        let layout = format!("set = 0, binding = {binding}");
        match self {
            Storage::Buffer => {
                format!("layout({layout}) coherent buffer B{name} {{ uint {name}[]; }};\n")
            }
            Storage::Shared => format!("shared uint {name}[{channels}];\n"),
            Storage::Image(format) => {
                format!("layout({layout}, {format}) coherent uniform uimage1D {name};\n")
            }
        }
    }

    fn load(self, name: &str) -> String {
        match self {
            Storage::Image(_) => format!("imageLoad({name}, int(lane)).x"),
            _ => format!("{name}[lane]"),
        }
    }

    fn store(self, name: &str) -> String {
        match self {
            Storage::Image(_) => format!("imageStore({name}, int(lane), uvec4(1));"),
            _ => format!("{name}[lane] = 1;"),
        }
    }

    /// Whether a fence for `cache` orders accesses to this kind of memory.
    fn is_fenced_by(self, cache: Cache, device: &Device) -> bool {
        let render = match self {
            Storage::Buffer | Storage::Shared => false,
            Storage::Image(format) => {
                let format = SurfaceFormat::from_glsl(format).expect("GLSL's");
                let typed = device.image_surface_format(format) != SurfaceFormat::RAW;
                typed && device.has_separate_typed_fence()
            }
        };
        (cache == Cache::Render) == render
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    /// Write x, write y; read y, read x.
    MessagePassing,
    /// Write x, read y; write y, read x.
    StoreBuffering,
    /// Write x; barrier; read x.
    Barrier,
}

impl Pattern {
    const ALL: [Pattern; 3] = [Pattern::MessagePassing, Pattern::StoreBuffering, Pattern::Barrier];

    fn shader(self, x: Storage, y: Storage, channels: u32) -> String {
        let storage = |place| match place {
            Storage::Buffer => "gl_StorageSemanticsBuffer",
            Storage::Shared => "gl_StorageSemanticsShared",
            Storage::Image(_) => "gl_StorageSemanticsImage",
        };
        let about = format!("{} | {}, gl_SemanticsAcquireRelease", storage(x), storage(y));
        let fence = format!("memoryBarrier(gl_ScopeWorkgroup, {about});");
        let barrier = format!("controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, {about});");
        let [load_x, load_y] = [x.load("x"), y.load("y")];
        let [store_x, store_y] = [x.store("x"), y.store("y")];
        let body = match self {
            Pattern::MessagePassing => format!(
                "if (first) {{ {store_x} {fence} {store_y} }}\n\
                 else {{ uint b = {load_y}; {fence} found[lane] = uvec2({load_x}, b); }}"
            ),
            Pattern::StoreBuffering => format!(
                "if (first) {{ {store_x} {fence} found[lane].x = {load_y}; }}\n\
                 else {{ {store_y} {fence} found[lane].y = {load_x}; }}"
            ),
            Pattern::Barrier => format!(
                "if (first) {{ {store_x} }}\n{barrier}\n\
                 if (!first) {{ found[lane] = uvec2({load_x}, 1); }}"
            ),
        };
        let size = 2 * channels;
        let declarations =
            [x.declaration("x", 0, channels), y.declaration("y", 1, channels)].concat();
        format!(
            "#version 450\n#extension GL_KHR_memory_scope_semantics : require\n\
             layout(local_size_x = {size}) in;\n{declarations}\
             layout(set = 0, binding = 2) buffer Found {{ uvec2 found[]; }};\n\
             void main() {{\n\
             bool first = gl_LocalInvocationIndex < {channels};\n\
             uint lane = gl_LocalInvocationIndex % {channels};\n{body}\n}}\n"
        )
    }

    /// Whether the fences forbid this pair of results.
    fn forbids(self, [x, y]: [u32; 2]) -> bool {
        match self {
            Pattern::MessagePassing | Pattern::Barrier => (x, y) == (0, 1),
            Pattern::StoreBuffering => (x, y) == (0, 0),
        }
    }

    /// Whether the pattern needs the fence for `cache` in the first or `second` thread. `alone` is set if the thread
    /// has no other fence.
    fn needs(
        self,
        second: bool,
        alone: bool,
        cache: Cache,
        [x, y]: [Storage; 2],
        device: &Device,
    ) -> bool {
        match self {
            // The second read must execute after the first one has its result. Waiting for any fence ensures that.
            Pattern::MessagePassing if second => alone,
            // The write of x must be complete before the write of y or the barrier.
            Pattern::MessagePassing | Pattern::Barrier => x.is_fenced_by(cache, device),
            // A thread's write must be complete before it reads.
            Pattern::StoreBuffering if second => y.is_fenced_by(cache, device),
            Pattern::StoreBuffering => x.is_fenced_by(cache, device),
        }
    }
}

fn binding(binding: u32) -> ResourceRef {
    ResourceRef { set: 0, binding, element: 0 }
}

/// The first seed for which an invocation gets a result that the fences forbid.
fn forbidden(
    kernel: &Kernel,
    pattern: Pattern,
    places: [Storage; 2],
    channels: u32,
) -> Option<u64> {
    (0..SEEDS).find(|&seed| {
        let mut resources = Resources::new();
        for (i, place) in (0..).zip(places) {
            match place {
                Storage::Buffer => {
                    resources.set_buffer(binding(i), &vec![0; 4 * channels as usize])
                }
                Storage::Shared => {}
                Storage::Image(format) => {
                    let shape = ImageShape {
                        dimension: ImageDimension::D1,
                        format: SurfaceFormat::from_glsl(format).expect("GLSL's"),
                        width: channels,
                        height: 1,
                        depth: 1,
                        levels: 1,
                        samples: 1,
                    };
                    resources.set_image(binding(i), shape, &[]).expect("a small image");
                }
            }
        }
        resources.set_buffer(binding(2), &vec![0; 8 * channels as usize]);
        // The program without a fence still waits on the register that the fence would have written.
        let options = crestline_emu::Options {
            memory: MemoryModel::Weak { seed },
            ..crestline_emu::Options::strict().with_policy(Class::UninitializedRead, Policy::Ignore)
        };
        kernel.dispatch([1, 1, 1], &mut resources, &options).expect("the program runs");
        let found = resources.buffer(binding(2)).expect("bound");
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four"));
        let mut pairs = found.chunks(8).map(|pair| [word(&pair[..4]), word(&pair[4..])]);
        pairs.any(|pair| pattern.forbids(pair))
    })
}

/// The cache of a fence message; `None` for other instructions.
fn fence(inst: &Inst, device: &Device) -> Option<Cache> {
    let send = inst.send()?;
    let (DescSrc::Imm(desc), DescSrc::Imm(ex_desc)) = (send.desc, send.ex_desc) else {
        return None;
    };
    let descriptor = Descriptor::decode(device.generation(), send.sfid, desc, ex_desc).ok()?;
    match descriptor.message {
        Message::MemoryFence { cache, .. } => Some(cache),
        _ => None,
    }
}

/// The failures of a litmus test on a chip.
fn failures(pattern: Pattern, places: [Storage; 2], platform: Platform, simd: Simd) -> Vec<String> {
    let channels = simd.channels().map_or(8, u32::from);
    let name = format!("{pattern:?} {places:?} on {platform} at {simd:?}");
    let source = pattern.shader(places[0], places[1], channels);
    let spirv = compile_source("litmus", Language::Glsl, &source)
        .unwrap_or_else(|e| panic!("{e}\n{source}"));
    let program = compile_spirv(&spirv, &Options::new(platform).with_simd(simd))
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let device = Device::new(platform);
    let kernel = Kernel::load(&program.code, program.metadata.clone(), &device)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut failures = Vec::new();
    if let Some(seed) = forbidden(&kernel, pattern, places, channels) {
        failures.push(format!("{name}: fails with seed {seed}"));
    }
    let instructions = kernel.instructions();
    let fences: Vec<(usize, Cache)> =
        (0..).zip(instructions).filter_map(|(i, inst)| Some((i, fence(inst, &device)?))).collect();
    let sites = if pattern == Pattern::Barrier { 1 } else { 2 };
    // Barriers do not order memory that the shader does not access, which is y here.
    let accessed = if pattern == Pattern::Barrier { &places[..1] } else { &places[..] };
    let images = accessed.iter().any(|place| matches!(place, Storage::Image(_)));
    let each = if images && device.has_separate_typed_fence() { 2 } else { 1 };
    if fences.len() != sites * each {
        failures.push(format!("{name}: {} fences, expected {}", fences.len(), sites * each));
    }
    for (number, &(at, cache)) in fences.iter().enumerate() {
        let mut mutated = instructions.to_vec();
        mutated[at] = Inst::new(Opcode::Nop);
        let kernel = Kernel::from_instructions(mutated, program.metadata.clone(), &device)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let fails = forbidden(&kernel, pattern, places, channels).is_some();
        let needed = pattern.needs(number >= each, each == 1, cache, places, &device);
        if fails != needed {
            let what = if needed { "is not missed" } else { "is missed" };
            failures.push(format!("{name}: fence {number} of the {cache:?} cache {what}"));
        }
    }
    failures
}

#[test]
fn fences_order_memory_and_every_one_is_needed() {
    let (typed, raw) = (Storage::Image("r32ui"), Storage::Image(RAW));
    let pairs = [
        [Storage::Buffer, Storage::Buffer],
        [Storage::Shared, Storage::Shared],
        [typed, typed],
        [raw, raw],
        [typed, Storage::Buffer],
        [Storage::Buffer, typed],
        [Storage::Shared, Storage::Buffer],
        [raw, Storage::Shared],
    ];
    let mut all = Vec::new();
    for places in pairs {
        for pattern in Pattern::ALL {
            for platform in PLATFORMS {
                for simd in [Simd::Simd8, Simd::Simd16] {
                    all.extend(failures(pattern, places, platform, simd));
                }
            }
        }
    }
    assert!(all.is_empty(), "{} failures\n{}", all.len(), all.join("\n"));
}
