//! The renderer's compute stages in order, each as a run test. The input of a stage is what lavapipe computed in the
//! stages before it.

use std::collections::BTreeMap;

use crestline_filetests::case::Case;
use crestline_filetests::compare::Rule;
use crestline_filetests::corpus::{self, RunTest};
use crestline_filetests::data;
use crestline_frontend::Language;
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image, Lavapipe, Texture};
use vello_shaders::{ComputeShader, SHADERS};

use crate::canonical;
use crate::scene::{self, ATLAS_SIDE, RAMP_WIDTH, SIDE, Scene};

/// A stage with its inputs and expected outputs.
pub(crate) struct Stage {
    pub(crate) test: RunTest,
    /// The renderer's name of each buffer, in the order of the test's buffers.
    pub(crate) names: Vec<&'static str>,
    /// The buffers afterwards.
    pub(crate) expected: Vec<Vec<u8>>,
}

impl Stage {
    /// The differences between an engine's results and lavapipe's, both in the form that does not depend on the order of
    /// atomics.
    pub(crate) fn differences(&self, found: &[Vec<u8>]) -> Vec<String> {
        let canonical = |buffers: &[Vec<u8>]| canonical::of(&self.test.name, &self.names, buffers);
        self.test.differences(&canonical(found), &canonical(&self.expected))
    }
}

/// Runs the whole pipeline, each stage on the results of `run` for the stages before; the pixels, of four bytes each.
pub(crate) fn draw(run: Run<'_>) -> Vec<u8> {
    let stages = picture(run, "drawn", &scene::picture(), true);
    let drawn = stages.into_iter().rfind(|stage| stage.test.name.ends_with(":fine_area"));
    let stage = drawn.expect("the last stages draw");
    let output = stage.names.iter().position(|name| *name == "output").expect("its picture");
    stage.expected[output].clone()
}

/// All stages of two pictures, and the variants that only huge pictures use.
pub(crate) fn run_all(lavapipe: &Lavapipe) -> Vec<Stage> {
    let run: Run<'_> =
        &|test| test.expected(lavapipe).unwrap_or_else(|error| panic!("{}: {error}", test.name));
    let mut stages = picture(run, "picture", &scene::picture(), true);
    stages.extend(picture(run, "clips", &scene::many_clips(), false));
    stages.extend(large_path_scan(run));
    stages
}

/// Runs a stage; its buffers afterwards.
type Run<'a> = &'a dyn Fn(&RunTest) -> Vec<Vec<u8>>;

type Groups = (u32, u32, u32);

/// The renderer's memory, and the stages that have run.
struct World<'a> {
    run: Run<'a>,
    label: &'static str,
    buffers: BTreeMap<&'static str, Vec<u8>>,
    done: Vec<Stage>,
}

impl World<'_> {
    /// Runs a shader on the named buffers, which are in the order of its bindings.
    fn run(&mut self, shader: &ComputeShader<'_>, names: &[&'static str], groups: Groups) {
        let buffers = names.iter().enumerate().map(|(binding, name)| Buffer {
            set: 0,
            binding: binding as u32,
            element: 0,
            kind: kind(name, self.buffers[name].len()),
            contents: self.buffers[name].clone(),
        });
        let source = without_race(&shader.wgsl.code);
        let test = RunTest {
            name: format!("{}:{}", self.label, shader.name),
            spirv: corpus::compile_source(&shader.name, Language::Wgsl, &source)
                .expect("the published shader compiles"),
            source,
            case: Case {
                groups: [groups.0, groups.1, groups.2],
                entry: "main".into(),
                spec: Vec::new(),
                push: Vec::new(),
                buffers: buffers.collect(),
                rules: names.iter().map(|name| rule(name)).collect(),
                widths: vec![8, 16, 32],
                also: Vec::new(),
                scratch: 0,
                // Some stages read beyond an array and then do not use the value.
                in_bounds: false,
                inactive: false,
                expected: Vec::new(),
                addresses: Vec::new(),
                judged: true,
            },
        };
        let expected = (self.run)(&test);
        for (name, bytes) in names.iter().zip(&expected) {
            self.buffers.insert(name, bytes.clone());
        }
        self.done.push(Stage { test, names: names.to_vec(), expected });
    }

    /// The first three words of the indirect dispatch buffer.
    fn indirect(&self) -> Groups {
        let word = |index: usize| {
            let bytes = &self.buffers["indirect"][4 * index..4 * index + 4];
            u32::from_le_bytes(bytes.try_into().expect("four bytes"))
        };
        (word(0), word(1), word(2))
    }
}

/// The shader with a barrier that its multisampling lacks. There, a fill clears shared memory from which other
/// invocations may still read results of the previous fill. Without the barrier, this is correct only if a subgroup is a
/// whole workgroup.
fn without_race(code: &str) -> String {
    const START: &str = "let even_odd = (fill.size_and_rule & 1u) != 0u;";
    match code.contains("fn fill_path_ms(") {
        true => code.replacen(START, &format!("workgroupBarrier();\n    {START}"), 1),
        false => code.to_owned(),
    }
}

/// The kind of resource of a binding with that name.
fn kind(name: &str, bytes: usize) -> BufferKind {
    let image = |width, height| Image {
        dimension: Dimension::D2,
        size: [width, height, 1],
        format: "rgba8",
    };
    let texture = |image| BufferKind::Texture(Texture::new(image));
    match name {
        "config" => BufferKind::Uniform,
        "output" => BufferKind::Image(image(SIDE, SIDE)),
        "gradients" => texture(image(RAMP_WIDTH, bytes as u32 / 4 / RAMP_WIDTH)),
        "atlas" => texture(image(ATLAS_SIDE, ATLAS_SIDE)),
        _ => BufferKind::Storage,
    }
}

/// The rule for comparing buffers of that name: floats have a tolerance.
fn rule(name: &str) -> Rule {
    let text = match name {
        // Path index, padding, two points.
        "lines" => "u32 skip f32 f32 f32 f32 abs 2e-3 rel 1e-4 bag",
        "segments" => "f32 abs 2e-3 rel 1e-4",
        // Gradient transforms are stored among integers; their bits are floats of ordinary size.
        "info_bin_data" => "f32 abs 1e-5 rel 1e-4",
        "clip_bboxes" | "draw_bboxes" => "f32 abs 1e-3",
        // Colours: coverage is a float that becomes a byte. That of an upright edge is a quotient of differences of
        // coordinates, whose divisor is about 1e-6: half an ulp of a coordinate below 1 is 3% of it.
        "output" | "blend_spill" => "u8 abs 8",
        _ => return Rule::exact(),
    };
    Rule::parse(text).expect("the rule is well formed")
}

fn picture(run: Run<'_>, label: &'static str, scene: &Scene, whole: bool) -> Vec<Stage> {
    let (gpu, sizes) = (&scene.config.gpu, &scene.config.buffer_sizes);
    let zero = |bytes: u32| vec![0; bytes as usize];
    let buffers = BTreeMap::from([
        ("config", bytemuck::bytes_of(gpu).to_vec()),
        ("scene", scene.packed.clone()),
        ("path_reduced", zero(sizes.path_reduced.size_in_bytes())),
        ("path_monoids", zero(sizes.path_monoids.size_in_bytes())),
        ("path_bboxes", zero(sizes.path_bboxes.size_in_bytes())),
        ("bump", zero(sizes.bump_alloc.size_in_bytes())),
        ("lines", zero(gpu.lines_size * 24)),
        ("draw_reduced", zero(sizes.draw_reduced.size_in_bytes())),
        ("draw_monoids", zero(sizes.draw_monoids.size_in_bytes())),
        ("info_bin_data", zero((gpu.layout.bin_data_start + gpu.binning_size) * 4)),
        ("clip_inps", zero(sizes.clip_inps.size_in_bytes())),
        ("clip_bics", zero(sizes.clip_bics.size_in_bytes())),
        ("clip_els", zero(sizes.clip_els.size_in_bytes())),
        ("clip_bboxes", zero(sizes.clip_bboxes.size_in_bytes())),
        ("draw_bboxes", zero(sizes.draw_bboxes.size_in_bytes())),
        ("bin_headers", zero(sizes.bin_headers.size_in_bytes())),
        ("paths", zero(sizes.paths.size_in_bytes())),
        ("tiles", zero(gpu.tiles_size * 8)),
        ("indirect", zero(sizes.indirect_count.size_in_bytes())),
        ("seg_counts", zero(gpu.seg_counts_size * 8)),
        ("ptcl", zero(gpu.ptcl_size * 4)),
        ("segments", zero(gpu.segments_size * 24)),
        ("blend_spill", zero(gpu.blend_size * 4)),
        ("output", zero(SIDE * SIDE * 4)),
        ("gradients", scene.ramps.clone()),
        ("atlas", scene.atlas.clone()),
        ("masks8", vello_encoding::make_mask_lut()),
        ("masks16", bytemuck::cast_slice(&vello_encoding::make_mask_lut_16()).to_vec()),
    ]);
    let mut world = World { run, label, buffers, done: Vec::new() };
    let (s, groups) = (SHADERS, &scene.config.workgroup_counts);
    world.run(&s.pathtag_reduce, &["config", "scene", "path_reduced"], groups.path_reduce);
    world.run(
        &s.pathtag_scan_small,
        &["config", "scene", "path_reduced", "path_monoids"],
        groups.path_scan,
    );
    world.run(&s.bbox_clear, &["config", "path_bboxes"], groups.bbox_clear);
    world.run(
        &s.flatten,
        &["config", "scene", "path_monoids", "path_bboxes", "bump", "lines"],
        groups.flatten,
    );
    world.run(&s.draw_reduce, &["config", "scene", "draw_reduced"], groups.draw_reduce);
    world.run(
        &s.draw_leaf,
        &[
            "config",
            "scene",
            "draw_reduced",
            "path_bboxes",
            "draw_monoids",
            "info_bin_data",
            "clip_inps",
        ],
        groups.draw_leaf,
    );
    if groups.clip_reduce.0 > 0 {
        let names = ["clip_inps", "path_bboxes", "clip_bics", "clip_els"];
        world.run(&s.clip_reduce, &names, groups.clip_reduce);
    }
    world.run(
        &s.clip_leaf,
        &[
            "config",
            "clip_inps",
            "path_bboxes",
            "clip_bics",
            "clip_els",
            "draw_monoids",
            "clip_bboxes",
        ],
        groups.clip_leaf,
    );
    if !whole {
        return world.done;
    }
    world.run(
        &s.binning,
        &[
            "config",
            "draw_monoids",
            "path_bboxes",
            "clip_bboxes",
            "draw_bboxes",
            "bump",
            "info_bin_data",
            "bin_headers",
        ],
        groups.binning,
    );
    world.run(
        &s.tile_alloc,
        &["config", "scene", "draw_bboxes", "bump", "paths", "tiles"],
        groups.tile_alloc,
    );
    world.run(&s.path_count_setup, &["bump", "indirect"], groups.path_count_setup);
    world.run(
        &s.path_count,
        &["config", "bump", "lines", "paths", "tiles", "seg_counts"],
        world.indirect(),
    );
    world.run(&s.backdrop_dyn, &["config", "bump", "paths", "tiles"], groups.backdrop);
    // The variant for a single path treats the tiles as one rectangle of rows as wide as the picture.
    let tiles = world.buffers["tiles"].clone();
    world.run(&s.backdrop, &["config", "tiles"], (gpu.height_in_tiles, 1, 1));
    world.buffers.insert("tiles", tiles);
    world.run(
        &s.coarse,
        &[
            "config",
            "scene",
            "draw_monoids",
            "bin_headers",
            "info_bin_data",
            "paths",
            "tiles",
            "bump",
            "ptcl",
        ],
        groups.coarse,
    );
    world.run(&s.path_tiling_setup, &["bump", "indirect", "ptcl"], groups.path_tiling_setup);
    world.run(
        &s.path_tiling,
        &["bump", "seg_counts", "lines", "paths", "tiles", "segments"],
        world.indirect(),
    );
    // Each kind of anti-aliasing draws the whole picture.
    let pixels = [
        "config",
        "segments",
        "ptcl",
        "info_bin_data",
        "blend_spill",
        "output",
        "gradients",
        "atlas",
    ];
    let with = |masks| [&pixels[..], &[masks]].concat();
    world.run(&s.fine_area, &pixels, groups.fine);
    world.run(&s.fine_msaa8, &with("masks8"), groups.fine);
    world.run(&s.fine_msaa16, &with("masks16"), groups.fine);
    world.done
}

/// Runs the path scan in three steps, which pictures of more than 65,536 words of path tags use, on pseudo-random sums
/// and tags.
fn large_path_scan(run: Run<'_>) -> Vec<Stage> {
    const GROUPS: u32 = 2;
    let words = 256 * GROUPS;
    let monoid = 5 * 4;
    let mut config = scene::picture().config.gpu;
    config.layout.path_tag_base = 0;
    let random = |text: String| data::bytes(&text, 5).expect("well formed");
    let buffers = BTreeMap::from([
        ("config", bytemuck::bytes_of(&config).to_vec()),
        ("scene", random(format!("u8 {} * uniform 0 128", 4 * words))),
        ("path_reduced", random(format!("u32 {} * uniform 0 1000", 5 * words))),
        ("path_reduced2", vec![0; 256 * monoid]),
        ("path_reduced_scan", vec![0; words as usize * monoid]),
        ("path_monoids", vec![0; words as usize * monoid]),
    ]);
    let mut world = World { run, label: "large", buffers, done: Vec::new() };
    let s = SHADERS;
    world.run(&s.pathtag_reduce2, &["path_reduced", "path_reduced2"], (GROUPS, 1, 1));
    world.run(
        &s.pathtag_scan1,
        &["path_reduced", "path_reduced2", "path_reduced_scan"],
        (GROUPS, 1, 1),
    );
    world.run(
        &s.pathtag_scan_large,
        &["config", "scene", "path_reduced_scan", "path_monoids"],
        (GROUPS, 1, 1),
    );
    world.done
}

/// Every shader of the crate.
pub(crate) fn every_shader() -> Vec<ComputeShader<'static>> {
    let s = SHADERS;
    vec![
        s.backdrop,
        s.backdrop_dyn,
        s.bbox_clear,
        s.binning,
        s.clip_leaf,
        s.clip_reduce,
        s.coarse,
        s.draw_leaf,
        s.draw_reduce,
        s.fine_area,
        s.fine_msaa16,
        s.fine_msaa8,
        s.flatten,
        s.path_count,
        s.path_count_setup,
        s.path_tiling,
        s.path_tiling_setup,
        s.pathtag_reduce,
        s.pathtag_reduce2,
        s.pathtag_scan1,
        s.pathtag_scan_large,
        s.pathtag_scan_small,
        s.tile_alloc,
    ]
}
