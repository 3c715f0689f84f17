//! Tests of the library's public interface: programs, their metadata, errors, and options.

use std::num::NonZero;

use crestline::{
    CompileError, FuelReport, Input, Job, Language, Observer, Options, PassReport, Platform,
    Program, Simd, Source, compile, compile_all, compile_observed, compile_spirv,
};
use crestline_program::{Content, GrfRange, StageMetadata, Surface};
use crestline_ssa::ir::StageInfo;

/// A loop, shared memory, a barrier, two bindings, the number of workgroups.
const WGSL: &str = "
    @group(0) @binding(1) var<storage, read> a: array<u32>;
    @group(1) @binding(0) var<storage, read_write> b: array<u32>;
    var<workgroup> s: array<u32, 64>;
    @compute @workgroup_size(64) fn main(
        @builtin(local_invocation_index) i: u32,
        @builtin(workgroup_id) w: vec3<u32>,
        @builtin(num_workgroups) n: vec3<u32>,
    ) {
        s[i] = a[w.x * 64u + i];
        workgroupBarrier();
        var sum = n.x;
        for (var k = 0u; k <= i; k++) { sum += s[k] * 3u + (sum >> 7u); }
        b[w.x * 64u + i] = sum;
    }";

fn source(text: &str) -> Source<'_> {
    Source { name: "test.wgsl", language: Language::Wgsl, bytes: text.as_bytes() }
}

fn program(simd: Simd) -> Program {
    compile(&source(WGSL), &Options::new(Platform::Skl).with_simd(simd)).expect("compiles")
}

fn sized(size: u32) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) i: u32) {{ b[i] = i; }}"
    )
}

#[test]
fn the_metadata_says_what_the_code_uses() {
    let program = program(Simd::Simd16);
    let metadata = &program.metadata;
    assert_eq!(metadata.check(), Ok(()));
    let dispatch = metadata.dispatches.first();
    assert_eq!(dispatch.simd_width, 16);
    let StageMetadata::Compute(compute) = &metadata.stage else { panic!("a compute program") };
    assert_eq!((compute.local_size, compute.shared_bytes), ([64, 1, 1], 256));
    assert!(compute.uses_barrier);
    let surfaces: Vec<&Surface> = metadata.binding_table.iter().map(|e| &e.surface).collect();
    let place = |surface: &Surface| match surface {
        Surface::StorageBuffer { resource } => Some((resource.set, resource.binding)),
        _ => None,
    };
    assert_eq!(surfaces.iter().filter_map(|s| place(s)).collect::<Vec<_>>(), [(0, 1), (1, 0)]);
    assert!(surfaces.contains(&&Surface::NumWorkgroups));
    let items = &dispatch.payload.items;
    let per_thread = dispatch.payload.per_thread.expect("the thread's index");
    assert!(matches!(per_thread, GrfRange { count: 1, .. }));
    assert!(
        items.iter().any(|i| i.content == Content::SubgroupId && i.offset == per_thread.start())
    );
    let counted = program.statistics().expect("the compiler counts");
    assert!(counted.loops >= 1);
    assert_eq!(counted.spills + counted.fills, 0);
}

#[test]
fn a_workgroup_of_one_thread_needs_neither_index_nor_barrier() {
    let text = WGSL.replace("workgroup_size(64)", "workgroup_size(16)");
    let options = Options::new(Platform::Bdw).with_simd(Simd::Simd16);
    let program = compile(&source(&text), &options).expect("compiles");
    let StageMetadata::Compute(compute) = &program.metadata.stage else { panic!("compute") };
    assert!(!compute.uses_barrier);
}

#[test]
fn equal_input_gives_equal_programs() {
    assert_eq!(program(Simd::Simd8), program(Simd::Simd8));
}

#[test]
fn batches_give_what_each_job_gives() {
    let shaders: Vec<String> = (1..10).map(|size| sized(size * 9)).collect();
    let mut jobs: Vec<Job<'_>> = shaders
        .iter()
        .map(|text| Job {
            input: Input::Source(source(text)),
            options: Options::new(Platform::Skl),
        })
        .collect();
    jobs[3].input = Input::Spirv(&[]);
    let alone = jobs.iter().map(|job| match job.input {
        Input::Source(source) => compile(&source, &job.options),
        Input::Spirv(words) => compile_spirv(words, &job.options),
    });
    let alone: Vec<_> = alone.map(|result| result.map_err(|error| error.to_string())).collect();
    assert!(alone.iter().enumerate().all(|(at, result)| result.is_err() == (at == 3)));
    for threads in [1, 4, 64] {
        let batch = compile_all(&jobs, NonZero::new(threads));
        let batch: Vec<_> =
            batch.into_iter().map(|r| r.map_err(|error| error.to_string())).collect();
        assert_eq!(batch, alone, "{threads} threads");
    }
    assert!(compile_all(&[], None).is_empty());
}

#[test]
fn widths_follow_the_workgroup() {
    let at = |size: u32, simd: Simd| {
        compile(&source(&sized(size)), &Options::new(Platform::Skl).with_simd(simd))
    };
    assert_eq!(at(4, Simd::Auto).expect("fits").metadata.dispatches.first().simd_width, 8);
    assert!(at(1024, Simd::Auto).expect("fits").metadata.dispatches.first().simd_width >= 16);
    assert_eq!(at(1024, Simd::Simd32).expect("fits").metadata.dispatches.first().simd_width, 32);
    let error = at(1024, Simd::Simd8).expect_err("128 threads");
    assert!(matches!(error, CompileError::Workgroup { invocations: 1024, .. }), "{error}");
    assert_eq!(error.code(), "E0903");
}

#[test]
fn widths_follow_the_required_subgroups() {
    let at = |size: u32, change: &dyn Fn(&mut Options)| {
        let mut options = Options::new(Platform::Skl);
        change(&mut options);
        let program = compile(&source(&sized(size)), &options)?;
        Ok::<u32, CompileError>(program.metadata.dispatches.first().simd_width)
    };
    for size in [8, 16, 32] {
        let found = at(4, &|options| options.subgroup_size = Some(size));
        assert_eq!(found, Ok(size), "even if a narrower thread holds the workgroup");
    }
    assert_eq!(at(24, &|options| options.full_subgroups = true), Ok(8));
    assert_eq!(at(48, &|options| options.full_subgroups = true), Ok(16));
    let both = |options: &mut Options| {
        (options.subgroup_size, options.full_subgroups) = (Some(32), true);
    };
    assert_eq!(at(64, &both), Ok(32));
    for (size, change) in [
        (48, &both as &dyn Fn(&mut Options)),
        (12, &|options| options.full_subgroups = true),
        (64, &|options| options.subgroup_size = Some(4)),
        (64, &|options| (options.subgroup_size, options.simd) = (Some(8), Simd::Simd16)),
    ] {
        let error = at(size, change).expect_err("not possible");
        assert!(matches!(error, CompileError::Subgroups { .. }), "{error}");
        assert_eq!(error.code(), "E0921");
    }
}

#[test]
fn the_front_ends_errors_keep_their_codes() {
    let error = compile(&source("fn main( {"), &Options::new(Platform::Skl)).expect_err("no WGSL");
    assert!(matches!(&error, CompileError::Frontend(e) if e.code.as_str() == error.code()));
}

#[derive(Default)]
struct Names(Vec<&'static str>);

impl Observer for Names {
    fn after_pass(&mut self, report: &PassReport<'_>) {
        self.0.push(report.name);
    }
}

#[test]
fn passes_can_be_watched_and_switched_off() {
    let mut options = Options::new(Platform::Skl).with_simd(Simd::Simd16);
    let seen = |options: &Options| {
        let mut names = Names::default();
        compile_observed(&source(WGSL), options, &mut names).expect("compiles");
        names.0
    };
    let all = seen(&options);
    for name in ["opt_dce", "select", "opt_copy_propagation", "regalloc"] {
        assert!(all.contains(&name), "{name} in {all:?}");
    }
    options.disabled = ["opt_copy_propagation", "opt_dead_code"].map(String::from).into();
    let fewer = seen(&options);
    assert!(!fewer.iter().any(|name| options.disabled.contains(*name)), "{fewer:?}");
}

#[test]
fn fuel_counts_the_changes_of_the_whole_pipeline() {
    #[derive(Default)]
    struct Seen(u64, Option<FuelReport>);
    impl Observer for Seen {
        fn after_pass(&mut self, report: &PassReport<'_>) {
            self.0 += u64::from(report.name.starts_with("opt_"));
        }
        fn fuel_used(&mut self, report: &FuelReport) {
            assert!(self.1.replace(report.clone()).is_none(), "told once");
        }
    }
    let mut options = Options::new(Platform::Skl).with_simd(Simd::Simd16);
    let mut compiled = |fuel: Option<u64>| {
        options.fuel = fuel;
        let mut seen = Seen::default();
        let program = compile_observed(&source(WGSL), &options, &mut seen).expect("compiles");
        (program.code, seen.0, seen.1)
    };
    let (code, passes, report) = compiled(None);
    assert_eq!(report, None);
    let (same, _, report) = compiled(Some(u64::MAX));
    let report = report.expect("told");
    assert!(same == code && report.last.is_none() && report.used > passes, "{report:?}");
    let total = report.used;
    let mut last = String::new();
    for fuel in 0..=total {
        // Every program on the way is verified and validated: these builds check by default.
        let (now, _, report) = compiled(Some(fuel));
        let report = report.expect("told");
        assert_eq!((report.limit, report.used), (fuel, fuel));
        let change = report.last.map(|last| last.pass).unwrap_or_default();
        assert_eq!(change.starts_with("opt_"), fuel > 0, "{change}");
        if fuel == total {
            assert!(now == code);
            last = change.to_owned();
            assert_eq!(report.simd, Some(16));
        }
    }
    assert_eq!(last, "opt_compact");
}

#[test]
fn a_broken_shader_is_an_error_in_release_builds_too() {
    let words = crestline_frontend::to_spirv(&source(WGSL)).expect("compiles");
    let mut shader = crestline_frontend::translate(&words, &Default::default()).expect("is read");
    let body = shader.func.body();
    shader.func.region_mut(body).insts.pop();
    let options = Options { verify: false, ..Options::new(Platform::Skl) };
    let error = crestline::compile_shader(shader, &options).expect_err("has no end");
    assert!(matches!(error, CompileError::Internal { pass: "frontend", .. }), "{error}");
}

#[test]
fn optimising_after_each_lowering_leaves_valid_code() {
    for simd in [Simd::Simd8, Simd::Simd16, Simd::Simd32] {
        let mut options = Options::new(Platform::Skl).with_simd(simd);
        options.optimize_everywhere = true;
        options.verify = true;
        compile(&source(WGSL), &options).expect("compiles and verifies");
    }
}

#[test]
fn errors_of_the_compiler_are_documented() {
    let docs = include_str!("../../../docs/errors-compiler.md");
    let errors = [
        CompileError::Target { platform: Platform::Icl, stage: "compute" },
        CompileError::Threads {
            stage: "vertex",
            platform: Platform::Bdw,
            asked: Simd::Simd8,
            expected: "SIMD4x2",
        },
        CompileError::Workgroup { invocations: 1, limit: 1, widths: String::new() },
        CompileError::SharedMemory { bytes: 1, limit: 1 },
        CompileError::Scratch { bytes: 1, limit: 1 },
        CompileError::PushConstants { bytes: 1, limit: 1 },
        CompileError::BindingTable { limit: 1 },
        CompileError::Samplers { limit: 1 },
        CompileError::ImageFormat { set: 0, binding: 0 },
        CompileError::Location { location: 32, limit: 32 },
        CompileError::OutputEntry { bytes: 1, limit: 1 },
        CompileError::Inputs { slots: 33, limit: 32 },
        CompileError::PatchVertices { vertices: 0, limit: 32 },
        CompileError::Internal { pass: "pass", message: String::new() },
    ];
    for error in errors {
        assert!(docs.contains(&format!("| {} |", error.code())), "{error}");
    }
}

#[test]
fn limits_of_the_device_are_errors() {
    let shared = WGSL.replace("array<u32, 64>", "array<u32, 20000>");
    let code = |text: &str, platform| {
        compile(&source(text), &Options::new(platform)).map_err(|e| e.code()).err()
    };
    assert_eq!(code(&shared, Platform::Skl), Some("E0904"));
    assert_eq!(code(WGSL, Platform::Tgl), Some("E0902"));
}

/// A shader that copies an array of a buffer to a private one, and that to another buffer.
fn copies(size: u32) -> String {
    format!(
        "struct Data {{ all: array<u32, {size}> }}
        @group(0) @binding(0) var<storage, read> a: Data;
        @group(0) @binding(1) var<storage, read_write> b: Data;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {{
            var c = a.all;
            c[i] = 1u;
            b.all = c;
        }}"
    )
}

#[test]
fn arrays_are_copied_in_loops() {
    let instructions = |size| {
        let program = compile(&source(&copies(size)), &Options::new(Platform::Skl));
        let program = program.unwrap_or_else(|e| panic!("{size}: {e}"));
        program.statistics().expect("the compiler counts").instructions
    };
    let few = instructions(1000);
    assert!(few < 200, "{few} instructions");
    assert_eq!([4096, 65536].map(instructions), [few; 2]);
}

#[test]
fn more_scratch_memory_than_a_thread_has_is_an_error_with_the_bytes() {
    let scratch = |text: &str, platform, simd| {
        let options = Options::new(platform).with_simd(simd);
        compile(&source(text), &options).map(|program| program.metadata.scratch_bytes)
    };
    // 65,536 dwords of eight channels are all that there is.
    let (most, beyond) = (copies(65536), copies(65537));
    assert_eq!(scratch(&most, Platform::Skl, Simd::Auto), Ok(2 << 20));
    let found = scratch(&most, Platform::Skl, Simd::Simd16);
    assert_eq!(found, Err(CompileError::Scratch { bytes: 4 << 20, limit: 2 << 20 }));
    let found = scratch(&beyond, Platform::Hsw, Simd::Auto);
    assert_eq!(found, Err(CompileError::Scratch { bytes: (2 << 20) + 128, limit: 2 << 20 }));
    let found = scratch(&copies(1 << 18), Platform::Skl, Simd::Auto);
    assert_eq!(found, Err(CompileError::Scratch { bytes: 8 << 20, limit: 2 << 20 }));
    // Spilled registers count as well.
    let line = |text: &dyn Fn(u32) -> String| (0..700).map(text).collect::<String>();
    let values = line(&|k| format!("let v{k} = a[i * 700u + {k}u];"));
    let sums = line(&|k| format!("sum = sum * 3u + v{};", (k * 37 + 11) % 700));
    let crowded = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {{
            {values} a[0] = 1u; var sum = 1u; {sums} a[i] = sum;
        }}",
    );
    let found = scratch(&crowded, Platform::Ivb, Simd::Auto);
    let Err(CompileError::Scratch { bytes, limit }) = found else { panic!("{found:?}") };
    assert_eq!(limit, 12 << 10);
    assert!((limit.into()..700 * 32).contains(&bytes), "{bytes}");
}

/// Loops in loops, each with a number of rounds that is known, computing on the counters of those around: laid out
/// altogether they would be 16^depth rounds.
#[test]
fn nested_loops_are_not_laid_out_without_end() {
    let instructions = |depth: usize| {
        let mut text = String::from("var s = t;");
        for level in 0..depth {
            let around: String = (0..level).map(|at| format!(" ^ (i{at} << {at}u)")).collect();
            text = format!(
                "{text} for (var i{level} = 0u; i{level} < 16u; i{level}++) {{ s = (s ^ t{around} ^ (s >> 15u)) * 739982445u + i{level};"
            );
        }
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
            @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {{
                var a = 1u;
                for (var t = 0u; t < 40u; t++) {{ {text} {} a += s; }}
                b[i] = a;
            }}",
            "}".repeat(depth)
        );
        compile(&source(&text), &Options::new(Platform::Skl))
            .expect("compiles")
            .statistics()
            .expect("the compiler counts")
            .instructions
    };
    for depth in 1..=8 {
        let found = instructions(depth);
        assert!(found < 1000, "{found} instructions at depth {depth}");
    }
}

/// So many conditionals in each other, each with something behind the inner one.
fn nested(depth: u32) -> String {
    let mut body = "b[i] += 1u;".to_owned();
    for k in 0..depth {
        body = format!("if (b[i + {k}u] > {k}u) {{ {body} b[i + {k}u] = {k}u; }}");
    }
    format!(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let i = id.x;
            {body}
        }}"
    )
}

#[test]
fn deep_conditionals_are_no_loops_and_cost_what_they_are() {
    let options = Options::new(Platform::Skl).with_simd(Simd::Simd8);
    let cost = |depth| {
        let program = compile(&source(&nested(depth)), &options).expect("compiles");
        let statistics = program.statistics().expect("one entry point");
        assert_eq!(statistics.loops, 0, "{depth} conditionals");
        statistics.estimated_cycles
    };
    let (some, more) = (cost(20), cost(100));
    assert!(more < some * 8, "{some} cycles for 20 conditionals, {more} for 100");
}

#[test]
fn constant_tables_cost_no_instructions_whatever_their_size() {
    let options = Options::new(Platform::Skl).with_simd(Simd::Simd8);
    let instructions = |entries: u32| {
        let numbers: Vec<String> =
            (0..entries).map(|i| format!("{}u", i.wrapping_mul(2_654_435_761))).collect();
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
            const table = array<u32, {entries}>({});
            @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                var t = table;
                b[id.x] = t[b[id.x]];
            }}",
            numbers.join(",")
        );
        let program = compile(&source(&text), &options).expect("compiles");
        program.statistics().expect("one entry point").instructions
    };
    assert_eq!(instructions(20_000), instructions(1_000));
}

#[test]
fn sample_masks_of_wgsl_are_scalars() {
    let text = "struct Out { @location(0) colour: vec4<f32>, @builtin(sample_mask) mask: u32 }
        @fragment fn main(@builtin(sample_mask) mask: u32) -> Out { return Out(vec4(1.0), mask & 5u); }";
    let program = compile(&source(text), &Options::new(Platform::Skl)).expect("compiles");
    let StageMetadata::Fragment(fragment) = &program.metadata.stage else { panic!("fragment") };
    assert!(fragment.output_sample_mask);
    let widths: Vec<u32> = program.metadata.dispatches.iter().map(|d| d.simd_width).collect();
    assert_eq!(widths[..2], [8, 16]);
    program.metadata.check().expect("consistent metadata");
    program.metadata.check_code(&program.code).expect("entries within the code");
}

/// `RequireFullQuadsKHR`: the driver must let helper invocations run.
#[test]
fn a_shader_that_requires_full_quads_has_helper_invocations() {
    let text = "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0); }";
    let words = crestline_frontend::to_spirv(&source(text)).expect("compiles");
    let shader = crestline_frontend::translate(&words, &Default::default()).expect("is read");
    let helpers = |full_quads: bool| {
        let mut shader = shader.clone();
        let StageInfo::Fragment(info) = &mut shader.stage else { panic!("fragment") };
        info.full_quads = full_quads;
        let program = crestline::compile_shader(shader, &Options::new(Platform::Skl));
        let metadata = program.expect("compiles").metadata;
        let StageMetadata::Fragment(fragment) = &metadata.stage else { panic!("fragment") };
        fragment.vector_mask
    };
    assert!(helpers(true) && !helpers(false));
}
