//! Compares the instruction counts of the timing model with those of the emulator.

use crestline::{Options, Platform, Simd};
use crestline_device::Device;
use crestline_emu::{Kernel, Profile};
use crestline_filetests::corpus::run_tests;
use crestline_filetests::engine::{emulator_resources, spec_bits};
use crestline_isa::{Inst, Opcode, Sfid};
use crestline_program::StageMetadata;
use crestline_timing::{PerUnit, Trips, Unit, walk_code};

/// The unit of an instruction. For messages it follows from the shared function only: render targets, atomics and other
/// messages of a function have the same unit.
fn unit(inst: &Inst) -> Option<Unit> {
    match inst.opcode {
        Opcode::Wait | Opcode::Illegal => None,
        Opcode::Math => Some(Unit::Math),
        opcode if opcode.is_flow_control() => None,
        opcode if !opcode.is_send() => Some(Unit::Fpu),
        _ => match inst.send()?.sfid {
            Sfid::Sampler => Some(Unit::Sampler),
            Sfid::Gateway => Some(Unit::Gateway),
            Sfid::Urb => Some(Unit::Urb),
            Sfid::RenderCache => Some(Unit::RenderCache),
            Sfid::ConstantCache => Some(Unit::ConstantCache),
            Sfid::PixelInterpolator => Some(Unit::PixelInterpolator),
            Sfid::ThreadSpawner => Some(Unit::Spawner),
            Sfid::DpSamplerCache | Sfid::DataCache0 | Sfid::DataCache1 | Sfid::DataCache2 => {
                Some(Unit::DataCache)
            }
            other => panic!("a message to {other:?}"),
        },
    }
}

/// On straight-line programs the model's counts are those of the emulator for each thread. With the emulator's executions
/// instead of assumed trips they are equal for all programs.
#[test]
fn unit_counts_are_those_of_the_emulator() {
    let tests = run_tests().expect("the run tests load");
    let (mut straight, mut all) = (0, 0);
    for platform in [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl] {
        let device = Device::new(platform);
        for test in &tests {
            let mut options = Options::new(platform).with_simd(Simd::Simd8);
            options.entry = Some(test.case.entry.clone());
            options.specialization = test.case.spec.iter().map(spec_bits).collect();
            let Ok(program) = crestline::compile_spirv(&test.spirv, &options) else { continue };
            if !matches!(program.metadata.stage, StageMetadata::Compute(_)) {
                continue;
            }
            let kernel = Kernel::load(&program.code, program.metadata.clone(), &device)
                .expect("our code loads");
            let Ok(mut resources) = emulator_resources(&test.case, None) else { continue };
            let mut profile = Profile::default();
            let options = crestline_emu::Options::default();
            let report = kernel.trace(test.case.groups, &mut resources, &options, &mut profile);
            let Ok(report) = report else { continue };
            let executed: u64 = profile.executions().iter().sum();
            assert_eq!(executed, report.instructions, "{platform} {}", test.name);
            let mut counts: PerUnit<u64> = PerUnit::default();
            for (inst, counted) in kernel.instructions().iter().zip(&profile.instructions) {
                if let Some(unit) = unit(inst) {
                    counts[unit] += counted.executions;
                }
            }
            let name = format!("{platform} {}", test.name);
            if kernel.instructions().iter().all(|inst| inst.branch().is_none()) {
                let model = crestline_timing::Options::default();
                let found = walk_code(&program.code, 0, &device, &model).expect("it decodes");
                for (unit, count) in found.counts.iter() {
                    assert_eq!(count * report.threads, counts[unit], "{name}: {unit:?}");
                }
                straight += 1;
            }
            let executions = profile.executions();
            let model = crestline_timing::Options {
                trips: Trips::Measured(&executions),
                ..Default::default()
            };
            let found = walk_code(&program.code, 0, &device, &model).expect("it decodes");
            assert_eq!(found.counts, counts, "{name}");
            all += 1;
        }
    }
    println!("{straight} straight-line programs, {all} in all");
    assert!(straight > 100 && all > 300, "{straight} of {all}");
}

/// A profile counts bytes and cache lines of messages: a copy of dwords by threads of eight channels loads and stores 32 bytes
/// in one line with each message.
#[test]
fn bytes_and_lines_of_a_copy() {
    let source = "#version 450\nlayout(local_size_x = 16) in;\n\
                  layout(binding = 0) buffer A { uint a[]; }; layout(binding = 1) buffer B { uint b[]; };\n\
                  void main() { b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x]; }";
    let spirv =
        crestline_filetests::corpus::compile_source("copy.comp", crestline::Language::Glsl, source);
    let options = Options::new(Platform::Skl).with_simd(Simd::Simd8);
    let program =
        crestline::compile_spirv(&spirv.expect("it is valid"), &options).expect("compiles");
    let device = Device::new(Platform::Skl);
    let kernel = Kernel::load(&program.code, program.metadata, &device).expect("our code loads");
    let mut resources = crestline_emu::Resources::new();
    for binding in 0..2 {
        let resource = crestline_program::ResourceRef { set: 0, binding, element: 0 };
        resources.set_buffer(resource, &[0; 256]);
    }
    let mut profile = Profile::default();
    let options = crestline_emu::Options::default();
    kernel.trace([2, 1, 1], &mut resources, &options, &mut profile).expect("it runs");
    let accesses: Vec<_> = profile
        .instructions
        .iter()
        .filter(|counts| counts.accessed.bytes > 0)
        .map(|c| (c.executions, c.channels, c.accessed.bytes, c.accessed.lines))
        .collect();
    assert_eq!(accesses, [(4, 32, 128, 4); 2]);
}
