//! Machine code for any platform: the emulator loads what no rule of the validator refuses, or says that it does not know
//! it, and what it loads runs to its end, to an error or to the end of its budget. The first byte chooses the platform and
//! the SIMD width.

#![no_main]

use crestline_device::{Device, Platform, SurfaceFormat};
use crestline_emu::{
    EmuError, ImageDimension, ImageShape, Kernel, MemoryModel, Options, Resources, Sampler,
};
use crestline_isa::text::{Syntax, print_inst};
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::{Gen, decode_program};
use crestline_program::{
    BindingEntry, ComputeMetadata, Content, Dispatch, FloatMode, GrfRange, ImageAccess, LocalIds,
    Metadata, PayloadItem, ResourceRef, SamplerEntry, StageMetadata, Surface, ThreadPayload,
    VERSION,
};
use libfuzzer_sys::fuzz_target;

/// One of each generation that runs compute shaders, and those that differ from others of their generation.
const PLATFORMS: [Platform; 8] = [
    Platform::Ivb,
    Platform::Hsw,
    Platform::Bdw,
    Platform::Chv,
    Platform::Skl,
    Platform::Bxt,
    Platform::Icl,
    Platform::Tgl,
];

/// Instructions that one thread may execute: loops that never end are common.
const BUDGET: u64 = 2_000;

fn resource(binding: u32) -> ResourceRef {
    ResourceRef { set: 0, binding, element: 0 }
}

/// A compute program with something of each kind behind the lowest indices of its binding table.
fn metadata(platform: Platform, width: u32) -> Metadata {
    let format = SurfaceFormat::from_glsl("rgba8").expect("a GLSL format");
    let surfaces = [
        Surface::StorageBuffer { resource: resource(0) },
        Surface::UniformBuffer { resource: resource(1) },
        Surface::StorageImage {
            resource: resource(2),
            access: ImageAccess::ReadWrite,
            format: Some(format),
        },
        Surface::SampledImage { resource: resource(2), format: Some(format) },
        Surface::TexelBuffer { resource: resource(0), format },
    ];
    let entries = surfaces.into_iter().zip(0..);
    let ids = LocalIds { first: 1, dimensions: 3, registers_per_dimension: width.div_ceil(16) };
    let constants = GrfRange { first: 8, count: 1 };
    let payload = ThreadPayload {
        cross_thread: (platform.generation() > Gen::Gen7).then_some(constants),
        per_thread: Some(GrfRange { first: 1, count: 7 }),
        setup: None,
        local_ids: Some(ids),
        items: vec![PayloadItem {
            offset: constants.start() - 4,
            size: 4,
            content: Content::SubgroupId,
        }],
    };
    Metadata {
        version: VERSION,
        platform,
        entry_point: "main".into(),
        dispatches: Dispatch::at_start(width, payload).into(),
        stage: StageMetadata::Compute(ComputeMetadata {
            local_size: [2 * width, 1, 1],
            shared_bytes: 256,
            uses_barrier: true,
        }),
        binding_table: entries.map(|(surface, index)| BindingEntry { index, surface }).collect(),
        samplers: vec![SamplerEntry { index: 0, resource: resource(3) }],
        scratch_bytes: 2048,
        private_bytes_per_channel: 0,
        address_bits: None,
        lines: None,
        constant_data: None,
        relocations: vec![],
        float_mode: FloatMode::default(),
    }
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.set_buffer(resource(0), &[1; 64]);
    resources.set_buffer(resource(1), &[2; 64]);
    let shape = ImageShape {
        dimension: ImageDimension::D2,
        format: SurfaceFormat::from_glsl("rgba8").expect("a GLSL format"),
        width: 4,
        height: 4,
        depth: 1,
        levels: 1,
        samples: 1,
    };
    resources.set_image(resource(2), shape, &[3; 64]).expect("the image is small");
    resources.set_sampler(resource(3), Sampler::default());
    resources
}

fuzz_target!(|data: &[u8]| {
    let Some((first, code)) = data.split_first() else { return };
    // Nothing is to be learned from code whose size alone is refused.
    if code.is_empty() || code.len() % 8 != 0 {
        return;
    }
    let platform = PLATFORMS[usize::from(first & 0x1f) % PLATFORMS.len()];
    let width = [8, 16, 32][usize::from(first >> 6) % 3];
    let device = Device::new(platform);
    let generation = device.generation();
    let verdict = decode_program(code, generation).ok().map(|insts| {
        let findings = Validator::new(device).check_program(&insts);
        let refused = findings.iter().any(|finding| finding.rule.severity == Severity::Error);
        (insts, refused)
    });
    let kernel = match (Kernel::load(code, metadata(platform, width), &device), verdict) {
        (Ok(kernel), _) => kernel,
        (Err(EmuError::Illegal { instruction, message, .. }), Some((insts, false))) => {
            let text = print_inst(&insts[instruction].1, generation, Syntax::Mesa);
            panic!("{platform}: no rule refuses what the emulator does: {text}: {message}");
        }
        (Err(EmuError::Decode { message }), Some(_)) => {
            panic!("{platform}: the emulator does not decode what decodes: {message}");
        }
        (Err(EmuError::Metadata(error)), _) => panic!("{platform}: {error}"),
        (Err(_), _) => return,
    };
    let memory = match first & 0x20 {
        0 => MemoryModel::Strong,
        _ => MemoryModel::Weak { seed: 1 },
    };
    let options = Options { budget: BUDGET, host_threads: 1, memory, ..Options::default() };
    let _ = kernel.dispatch([1, 1, 1], &mut resources(), &options);
});
