//! Golden tests of instruction selection: `tests/codegen/select/*.ssa` holds shaders, each with the listing it is
//! selected to. `UPDATE_EXPECT=1` writes the listings.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crestline_codegen::interface::{Interface, PushConstants};
use crestline_codegen::stage::{StageIo, VertexIo, VueMap, VueSlot};
use crestline_codegen::target::Target;
use crestline_codegen::{scalar, vec4};
use crestline_device::Platform;
use crestline_ssa::ir::{BindingId, IoSlot, IoVar, Shader, Stage};
use crestline_ssa::text;
use crestline_testing::golden;

const EXPECT: &str = "// expect:";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/codegen/select")
}

/// An interface with everything in it: push constants in g1, the subgroup's index in g2, binding `i` at index `i`.
fn interface(shader: &Shader) -> Interface {
    let bindings = (0..shader.bindings.len()).map(|i| (BindingId::from_index(i), 4 * i as u8));
    Interface {
        payload_registers: 4,
        push_constants: Some(PushConstants { offset: 32, first: 0, bytes: 32 }),
        subgroup_id: Some(64),
        image_params: Default::default(),
        buffer_sizes: bindings.clone().map(|(id, i)| ((id, 0), 96 + u32::from(i))).collect(),
        samplers: bindings.clone().collect(),
        surfaces: bindings.collect(),
        num_workgroups: Some(100),
        const_data: Some(101),
        ..Interface::default()
    }
}

/// The interface of a vertex shader: inputs in order from g2 (at SIMD8 four registers each), position in slot 1, location `l` in slot `4 + l`.
fn vertex_interface(shader: &Shader, payload_registers: u32) -> Interface {
    let slots = |vars: &[IoVar]| -> Vec<IoSlot> {
        vars.iter().flat_map(|var| (0..var.slots()).filter_map(|n| var.slot.plus(n))).collect()
    };
    let inputs = slots(&shader.inputs).into_iter().zip(0..);
    let place = |slot| match slot {
        IoSlot::Location(location) => VueSlot::whole(4 + location),
        _ => VueSlot::whole(1),
    };
    let slots: BTreeMap<IoSlot, VueSlot> =
        slots(&shader.outputs).into_iter().map(|slot| (slot, place(slot))).collect();
    let outputs = VueMap { slots, num_slots: 8 };
    let io = VertexIo { inputs: inputs.collect(), pushed: 2 * 32, outputs, ..VertexIo::default() };
    Interface { payload_registers, io: StageIo::Vertex(io), ..interface(shader) }
}

/// What a case selects to: its header is `// run: PLATFORM WIDTH`, where the width `4x2` is two vertices per thread.
fn listing(case: &str) -> Result<String, String> {
    let header = case.lines().find_map(|line| line.strip_prefix("// run: ")).ok_or("no header")?;
    let (platform, width) = header.split_once(' ').ok_or("a platform and a width")?;
    let platform: Platform = platform.parse().map_err(|e| format!("{e}"))?;
    let shader = text::parse(case).map_err(|e| e.to_string())?;
    crestline_ssa::verify::verify(&shader).map_err(|e| e.to_string())?;
    let target = Target::of(platform);
    let selected = match width.trim() {
        "4x2" => vec4::select(&shader, &target, &vertex_interface(&shader, 8)),
        width => {
            let width: u8 = width.parse().map_err(|e| format!("{e}"))?;
            let interface = match shader.stage.stage() {
                Stage::Vertex => vertex_interface(&shader, 32),
                _ => interface(&shader),
            };
            scalar::select(&shader, &target, &interface, width)
        }
    };
    match selected {
        Ok(function) => {
            crestline_codegen::verify::verify(&function).map_err(|e| format!("{e}\n{function}"))?;
            Ok(function.to_string())
        }
        Err(error) => Ok(format!("error: {error}\n")),
    }
}

/// The sources of a file's cases: of each, the lines before [`EXPECT`]. The comments after it are the listing.
fn cases(text: &str) -> Vec<String> {
    let mut cases: Vec<String> = Vec::new();
    let mut expected = true;
    for line in text.lines() {
        if line.starts_with("// run: ") && (expected || cases.is_empty()) {
            cases.push(String::new());
            expected = false;
        }
        let Some(source) = cases.last_mut() else { continue };
        if line == EXPECT {
            expected = true;
        } else if !expected {
            source.push_str(line);
            source.push('\n');
        }
    }
    cases
}

#[test]
fn shaders_are_selected_as_the_files_say() {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.sort();
    golden::check(paths.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).expect("a readable case");
        let mut out = String::new();
        for source in cases(&text) {
            let listing = listing(&source).unwrap_or_else(|e| format!("failed: {e}\n"));
            writeln!(out, "{}\n{EXPECT}", source.trim_end()).expect("a string");
            for line in listing.trim_end().lines() {
                writeln!(out, "// {line}").expect("a string");
            }
            out.push('\n');
        }
        (path, out)
    }));
}

/// What selection would take for 0 is a mistake of its own: a value without a location.
#[test]
fn a_missing_location_is_a_defect() {
    let source = "compute \"main\" {
        local_size 8, 1, 1
        binding b0: ssbo set 0 binding 0 \"out\"
        %0: 32 = sysval subgroup_invocation
        %1: 32 = iadd %0, %0
        %2: 32 = imul %1, %1
        store ssbo b0, %1, %2, align 4
        return
    }";
    let shader = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    for forgets in [false, true] {
        let interface = Interface { forgets, ..interface(&shader) };
        let selected = scalar::select(&shader, &Target::of(Platform::Skl), &interface, 8);
        let defect = selected.err().filter(|error| error.is_defect()).map(|e| e.to_string());
        let expected = forgets.then(|| "a value is read before it has a location".to_owned());
        assert_eq!(defect, expected);
    }
}
