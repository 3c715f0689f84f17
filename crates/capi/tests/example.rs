//! Compiles `examples/c/driver.c` with two C compilers, against the shared and the static library, runs it under
//! valgrind, and compares the packets that it prints with the metadata that it writes as JSON.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crestline_judges::c::{CTools, Compiler};
use serde_json::Value;

/// The folder with the libraries that Cargo has built for this test.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

/// A packet as the example prints it: its name and dwords.
type Packets = BTreeMap<String, Vec<u32>>;

fn packets(text: &str) -> Packets {
    let packet = |line: &str| {
        let mut words = line.split(' ');
        let name = words.next().unwrap().to_owned();
        (name, words.map(|word| u32::from_str_radix(word, 16).unwrap()).collect())
    };
    text.lines().map(packet).collect()
}

/// The fields that a platform's packets have, by packet and name: dword, highest and lowest bit.
fn fields(column: usize) -> Vec<(&'static str, &'static str, [usize; 3])> {
    let rows = include_str!("packets.txt").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let place = cells[2 + column];
        let (dword, bits) = place.strip_suffix(']')?.split_once('[')?;
        let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
        Some((cells[0], cells[1], [dword, high, low].map(|number| number.parse().unwrap())))
    };
    rows.filter_map(row).collect()
}

/// The value of a field. One of more than 32 bits is a pointer, whose upper dword must be 0.
fn read(packet: &[u32], [dword, high, low]: [usize; 3]) -> u32 {
    if high >= 32 {
        assert_eq!(packet[dword + 1], 0);
    }
    let bits = high.min(31) - low + 1;
    packet[dword] >> low & (u64::MAX >> (64 - bits)) as u32
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap_or(0) as u32
}

fn flag(value: &Value) -> u32 {
    u32::from(value.as_bool().unwrap_or(false))
}

/// The position of a value in a list; the end of the list if it is not there.
fn position(names: &[&str], value: &Value) -> u32 {
    names.iter().position(|name| value == name).unwrap_or(names.len()) as u32
}

/// The largest index of a table and one.
fn table(value: &Value) -> u32 {
    value.as_array().unwrap().iter().map(|entry| number(&entry["index"]) + 1).max().unwrap_or(0)
}

/// What the metadata say about the fields of packets, for the programs of the example.
fn expected(column: usize, documents: [&Value; 3]) -> BTreeMap<(&'static str, &'static str), u32> {
    let [compute, vertex, fragment] = documents;
    let mut found = BTreeMap::new();
    let mut put = |packet, field, value: u32| {
        found.insert((packet, field), value);
    };
    let samplers = |of: &Value| table(&of["samplers"]).div_ceil(4).min(4);
    let rounding = |of: &Value| {
        position(&["nearest_even", "up", "down", "zero"], &of["float_mode"]["rounding"])
    };
    let gen8 = column >= 2;

    let entry = &compute["dispatches"][0];
    let (width, stage) = (number(&entry["simd_width"]), &compute["stage"]);
    let invocations = (0..3).map(|at| number(&stage["local_size"][at])).product::<u32>();
    let threads = invocations.div_ceil(width);
    let [cross, per] =
        ["cross_thread", "per_thread"].map(|of| number(&entry["payload"][of]["count"]));
    let constants = cross + per * threads;
    assert_eq!(number(&compute["scratch_bytes"]), 0);
    let shared = number(&stage["shared_bytes"]);
    assert!(invocations == 96 && (1..=1024).contains(&shared), "one code of a size is enough here");
    let descriptor = "INTERFACE_DESCRIPTOR_DATA";
    put(descriptor, "Kernel Start Pointer", (0x10000 + number(&entry["offset"])) >> 6);
    put(descriptor, "Sampler Count", samplers(compute));
    put(descriptor, "Binding Table Entry Count", table(&compute["binding_table"]));
    put(descriptor, "Constant URB Entry Read Length", per);
    put(descriptor, "Number of Threads in GPGPU Thread Group", threads);
    // 4 KB up to gen8, 1 KB from gen9 on: both have the code 1.
    put(descriptor, "Shared Local Memory Size", 1);
    put(descriptor, "Barrier Enable", flag(&stage["uses_barrier"]));
    put(descriptor, "Rounding Mode", rounding(compute));
    put(descriptor, "Cross-Thread Constant Data Read Length", cross);
    put("MEDIA_VFE_STATE", "Per Thread Scratch Space", 0);
    put("MEDIA_VFE_STATE", "CURBE Allocation Size", constants.next_multiple_of(2));
    put("MEDIA_CURBE_LOAD", "CURBE Total Data Length", (32 * constants).next_multiple_of(64));
    put("GPGPU_WALKER", "Thread Width Counter Maximum", threads - 1);
    put("GPGPU_WALKER", "Thread Height Counter Maximum", 0);
    put("GPGPU_WALKER", "Thread Depth Counter Maximum", 0);
    put("GPGPU_WALKER", "SIMD Size", width.ilog2() - 3);
    let last = invocations - (threads - 1) * width;
    put("GPGPU_WALKER", "Right Execution Mask", (1_u64 << last).wrapping_sub(1) as u32);
    put("GPGPU_WALKER", "Bottom Execution Mask", u32::MAX);

    let (entry, stage) = (&vertex["dispatches"][0], &vertex["stage"]);
    let inputs = stage["inputs"].as_array().unwrap().len() as u32;
    let first = entry["payload"]["cross_thread"].get("first");
    let first = number(first.unwrap_or(&stage["first_input_register"]));
    put("3DSTATE_VS", "Kernel Start Pointer", (0x20000 + number(&entry["offset"])) >> 6);
    put("3DSTATE_VS", "Binding Table Entry Count", table(&vertex["binding_table"]));
    put("3DSTATE_VS", "Sampler Count", samplers(vertex));
    put("3DSTATE_VS", "Per-Thread Scratch Space", 0);
    put("3DSTATE_VS", "Vertex URB Entry Read Offset", 0);
    put("3DSTATE_VS", "Vertex URB Entry Read Length", inputs.div_ceil(2));
    put("3DSTATE_VS", "Dispatch GRF Start Register For URB Data", first);
    put("3DSTATE_VS", "Enable", 1);
    put("3DSTATE_VS", "SIMD8 Dispatch Enable", u32::from(stage["dispatch"] == "simd8"));
    put(
        "3DSTATE_VS",
        "User Clip Distance Cull Test Enable Bitmask",
        number(&stage["distances"]["cull"]),
    );
    put(
        "3DSTATE_VS",
        "User Clip Distance Clip Test Enable Bitmask",
        number(&stage["distances"]["clip"]),
    );
    let units = number(&stage["entry_bytes"]).max(16 * inputs).div_ceil(64);
    put("3DSTATE_URB_VS", "VS URB Entry Allocation Size", units - 1);

    let outputs = stage["outputs"].as_array().unwrap();
    let stage = &fragment["stage"];
    let attributes = stage["attributes"].as_array().unwrap();
    let slots: Vec<usize> = attributes
        .iter()
        .map(|of| outputs.iter().position(|slot| *slot == of["source"]["varying"]).unwrap())
        .collect();
    let offset = slots.iter().min().unwrap() / 2;
    let length = (slots.iter().max().unwrap() + 1 - 2 * offset).div_ceil(2);
    put("3DSTATE_VS", "Vertex URB Entry Output Read Offset", offset as u32);
    put("3DSTATE_VS", "Vertex URB Entry Output Length", length as u32);
    put("3DSTATE_SBE", "Vertex URB Entry Read Offset", offset as u32);
    put("3DSTATE_SBE", "Vertex URB Entry Read Length", length as u32);
    put("3DSTATE_SBE", "Number of SF Output Attributes", attributes.len() as u32);
    put("3DSTATE_SBE", "Point Sprite Texture Coordinate Enable", 0);
    let flat = attributes.iter().enumerate().map(|(at, of)| flag(&of["flat"]) << at).sum();
    assert!(flat != 0, "one attribute is flat");
    put("3DSTATE_SBE", "Constant Interpolation Enable", flat);

    let ps = "3DSTATE_PS";
    let entries = fragment["dispatches"].as_array().unwrap();
    let in_slot = |slot: u32| entries.iter().find(|of| number(&of["kernel_start_slot"]) == slot);
    let start = |slot| in_slot(slot).map_or(0, |of| (0x30000 + number(&of["offset"])) >> 6);
    put(ps, "Kernel Start Pointer 0", start(0));
    put(ps, "Kernel Start Pointer 1", start(1));
    put(ps, "Kernel Start Pointer 2", start(2));
    let register = |slot| {
        in_slot(slot).map_or(0, |of| {
            let payload = &of["payload"];
            let first = payload["cross_thread"].get("first");
            number(first.unwrap_or(&payload["setup"]["first"]))
        })
    };
    put(ps, "Dispatch GRF Start Register For Constant/Setup Data 0", register(0));
    put(ps, "Dispatch GRF Start Register For Constant/Setup Data 1", register(1));
    put(ps, "Dispatch GRF Start Register For Constant/Setup Data 2", register(2));
    let enabled = |width| u32::from(entries.iter().any(|of| of["simd_width"] == width));
    put(ps, "8 Pixel Dispatch Enable", enabled(8));
    put(ps, "16 Pixel Dispatch Enable", enabled(16));
    put(ps, "32 Pixel Dispatch Enable", enabled(32));
    put(ps, "Rounding Mode", rounding(fragment));
    put(ps, "Binding Table Entry Count", table(&fragment["binding_table"]));
    put(ps, "Sampler Count", samplers(fragment));
    put(ps, "Vector Mask Enable", flag(&stage["vector_mask"]));
    put(ps, "Per Thread Scratch Space", 0);
    put(ps, "Position XY Offset Select", 3 * flag(&stage["position_offsets"]));
    put(ps, "Dual Source Blend Enable", flag(&stage["dual_source"]));
    put(ps, "oMask Present to RenderTarget", flag(&stage["output_sample_mask"]));
    put(ps, "Attribute Enable", u32::from(!attributes.is_empty()));
    let constants = entries[0]["payload"].get("cross_thread").is_some();
    put(ps, "Push Constant Enable", constants.into());
    let names = ["perspective_pixel", "perspective_centroid", "perspective_sample", "linear_pixel"];
    let modes = stage["barycentrics"].as_array().unwrap();
    let modes = modes.iter().map(|mode| 1 << position(&names, mode)).sum();
    put("3DSTATE_WM", "Barycentric Interpolation Mode", modes);
    put("3DSTATE_WM", "Early Depth/Stencil Control", 0);
    let coverage = position(&["off", "covered", "after_tests", "inner"], &stage["input_coverage"]);
    put("3DSTATE_WM", "Pixel Shader Uses Input Coverage Mask", coverage);
    put("3DSTATE_WM", "Multisample Dispatch Mode", 1 - flag(&stage["per_sample"]));
    let depth = ["off", "any", "greater_or_equal", "less_or_equal"];
    for packet in if gen8 { ["3DSTATE_PS_EXTRA"; 1] } else { ["3DSTATE_WM"] } {
        put(packet, "Pixel Shader Uses Source W", flag(&stage["source_w"]));
        put(packet, "Pixel Shader Uses Source Depth", flag(&stage["source_depth"]));
        put(packet, "Pixel Shader Computed Depth Mode", position(&depth, &stage["computed_depth"]));
        put(packet, "Pixel Shader Kills Pixel", flag(&stage["kills_pixels"]));
    }
    let extra = "3DSTATE_PS_EXTRA";
    put(extra, "Pixel Shader Has UAV", flag(&stage["side_effects"]));
    put(extra, "Pixel Shader Is Per Sample", flag(&stage["per_sample"]));
    put(extra, "Attribute Enable", u32::from(!attributes.is_empty()));
    put(extra, "oMask Present to Render Target", flag(&stage["output_sample_mask"]));
    put(extra, "Pixel Shader Valid", 1);
    put(extra, "Pixel Shader Pulls Bary", flag(&stage["pixel_interpolator"]));
    put(extra, "Pixel Shader Computes Stencil", flag(&stage["computed_stencil"]));
    found
}

/// The same for the stages between a vertex and a fragment shader, and the fragment shader after them.
fn expected_stages(
    column: usize,
    documents: [&Value; 4],
) -> BTreeMap<(&'static str, &'static str), u32> {
    let [control, evaluation, geometry, last] = documents;
    let mut found = BTreeMap::new();
    let mut put = |packet, field, value: u32| {
        found.insert((packet, field), value);
    };
    let start = |of: &Value, heap| (heap + number(&of["dispatches"][0]["offset"])) >> 6;
    let first = |of: &Value, otherwise: u32| {
        let constants = of["dispatches"][0]["payload"]["cross_thread"].get("first");
        constants.map_or(otherwise, number)
    };
    for (packet, of, heap) in [
        ("3DSTATE_HS", control, 0x40000),
        ("3DSTATE_DS", evaluation, 0x50000),
        ("3DSTATE_GS", geometry, 0x60000),
    ] {
        assert_eq!(number(&of["scratch_bytes"]), 0);
        put(packet, "Kernel Start Pointer", start(of, heap));
        put(packet, "Binding Table Entry Count", table(&of["binding_table"]));
        put(packet, "Sampler Count", table(&of["samplers"]).div_ceil(4).min(4));
        put(packet, "Per-Thread Scratch Space", 0);
        put(packet, "Enable", 1);
    }
    let allocation = |of: &Value| number(&of["stage"]["entry_bytes"]) / 64 - 1;

    let hs = "3DSTATE_HS";
    let stage = &control["stage"];
    put(hs, "Maximum Number of Threads", [128, 256, 504, 336][column] - 1);
    let points = if stage["dispatch"] == "simd8" { 8 } else { 2 };
    put(hs, "Instance Count", number(&stage["output_vertices"]).div_ceil(points) - 1);
    put(hs, "Vertex URB Entry Read Length", 0);
    // The levels are push constants, so that the register is that of the constants.
    let register = first(control, 0);
    assert!(register > 0, "the control shader has push constants");
    put(hs, "Dispatch GRF Start Register For URB Data", register);
    put(hs, "Include Vertex Handles", 1);
    put(hs, "Dispatch Mode", 0);
    put("3DSTATE_URB_HS", "HS URB Entry Allocation Size", allocation(control));

    let (te, ds) = ("3DSTATE_TE", "3DSTATE_DS");
    let stage = &evaluation["stage"];
    put(te, "TE Enable", 1);
    put(te, "TE Mode", 0);
    put(te, "TE Domain", position(&["quads", "triangles", "isolines"], &stage["domain"]));
    let outputs = ["points", "lines", "triangles_cw", "triangles_ccw"];
    put(te, "Output Topology", position(&outputs, &stage["output"]));
    let spacings = ["equal", "fractional_odd", "fractional_even"];
    put(te, "Partitioning", position(&spacings, &stage["spacing"]));
    put(te, "Maximum Tessellation Factor Odd", 63f32.to_bits());
    put(te, "Maximum Tessellation Factor Not Odd", 64f32.to_bits());
    put(ds, "Patch URB Entry Read Length", number(&stage["pushed_slots"]) / 2);
    let register = first(evaluation, number(&stage["first_input_register"]));
    put(ds, "Dispatch GRF Start Register For URB Data", register);
    put(ds, "Compute W Coordinate Enable", u32::from(stage["domain"] == "triangles"));
    put(ds, "Maximum Number of Threads", [128, 280, 504, 336][column] - 1);
    put(ds, "Dispatch Mode", u32::from(stage["dispatch"] == "simd8"));
    put(ds, "User Clip Distance Clip Test Enable Bitmask", number(&stage["distances"]["clip"]));
    put("3DSTATE_URB_DS", "DS URB Entry Allocation Size", allocation(evaluation));

    let gs = "3DSTATE_GS";
    let stage = &geometry["stage"];
    let register = first(geometry, number(&stage["first_input_register"]));
    put(gs, "Dispatch GRF Start Register For URB Data", register & 15);
    put(gs, "Vertex URB Entry Read Length", number(&stage["pushed_slots"]) / 2);
    put(gs, "Include Vertex Handles", u32::from(stage.get("vertex_handles").is_some()));
    // 3DPRIM_POINTLIST, 3DPRIM_LINESTRIP, 3DPRIM_TRISTRIP.
    let strips = ["points", "line_strip", "triangle_strip"];
    put(gs, "Output Topology", 2 * position(&strips, &stage["output"]) + 1);
    put(gs, "Output Vertex Size", number(&stage["vertex_bytes"]) / 16 - 1);
    put(gs, "Include Primitive ID", flag(&stage["primitive_id"]));
    let modes = ["single", "dual_instance", "dual_object", "simd8"];
    put(gs, "Dispatch Mode", position(&modes, &stage["dispatch"]));
    put(gs, "Instance Control", number(&stage["invocations"]) - 1);
    put(gs, "Control Data Header Size", number(&stage["control_bytes"]) / 32);
    put(gs, "Control Data Format", u32::from(stage["control_data"] == "stream_id"));
    put(gs, "Maximum Number of Threads", [128, 256, 504 / 2, 336][column] - 1);
    put(gs, "Expected Vertex Count", number(&stage["input_vertices"]));
    let outputs = stage["outputs"].as_array().unwrap();
    let attributes = last["stage"]["attributes"].as_array().unwrap();
    let slot = |of: &Value| outputs.iter().position(|slot| *slot == of["source"]["varying"]);
    let slots: Vec<usize> = attributes.iter().map(|of| slot(of).unwrap()).collect();
    let offset = slots.iter().min().unwrap() / 2;
    let length = (slots.iter().max().unwrap() + 1 - 2 * offset).div_ceil(2);
    put(gs, "Vertex URB Entry Output Length", length as u32);
    put(gs, "Vertex URB Entry Output Read Offset", offset as u32);
    put("3DSTATE_URB_GS", "GS URB Entry Allocation Size", allocation(geometry));
    found
}

/// Builds the example in `folder`, and returns the path of the program.
fn build(tools: &CTools, compiler: Compiler, is_static: bool, folder: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (source, headers) = (root.join("../../examples/c/driver.c"), root.join("include"));
    let program = folder.join(format!("driver-{compiler:?}-{is_static}"));
    let text = |path: &Path| path.display().to_string();
    let mut arguments: Vec<String> =
        ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-g"].map(str::to_owned).into();
    arguments.extend([format!("-I{}", text(&headers)), text(&source), "-o".into(), text(&program)]);
    if is_static {
        arguments.push(text(&libraries().join("libcrestline_capi.a")));
        // With the feature `glslang`, which a build of the whole workspace enables, the library contains C++.
        arguments.extend(["-lstdc++", "-lpthread", "-ldl", "-lm"].map(str::to_owned));
    } else {
        arguments.extend([
            text(&folder.join("libcrestline.so.0")),
            format!("-Wl,-rpath,{}", text(folder)),
        ]);
    }
    tools.compile(compiler, folder, &arguments).unwrap();
    text(&program)
}

#[test]
fn the_packets_of_the_example_have_the_values_of_the_metadata() {
    let Some(tools) = crestline_judges::ask(CTools::find()) else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi-example");
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join("libcrestline.so.0");
    let _ = std::fs::remove_file(&library);
    std::os::unix::fs::symlink(libraries().join("libcrestline_capi.so"), &library).unwrap();
    let programs = [
        build(&tools, Compiler::Gcc, false, &folder),
        build(&tools, Compiler::Clang, false, &folder),
        build(&tools, Compiler::Gcc, true, &folder),
    ];
    for (column, target) in ["ivb", "hsw", "bdw", "skl"].into_iter().enumerate() {
        let outputs: Vec<String> = programs
            .iter()
            .map(|program| {
                let folder_name = folder.to_str().unwrap();
                let output = std::process::Command::new(program)
                    .args([target, folder_name])
                    .output()
                    .unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                String::from_utf8(output.stdout).unwrap()
            })
            .collect();
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{target}");
        let packets = packets(&outputs[0]);
        let document = |name: &str| {
            let text = std::fs::read_to_string(folder.join(name).with_extension("json")).unwrap();
            serde_json::from_str::<Value>(&text).unwrap()["metadata"].take()
        };
        let documents = ["compute", "vertex", "fragment"].map(document);
        let stages = ["control", "evaluation", "geometry", "last"].map(document);
        let mut expected = expected(column, documents.each_ref());
        expected.extend(expected_stages(column, stages.each_ref()));
        let mut compared = 0;
        for (packet, field, place) in fields(column) {
            // Fields of packets that a generation does not have are absent in the table.
            let found = read(&packets[packet], place);
            let wanted = expected.get(&(packet, field));
            let wanted = wanted.unwrap_or_else(|| panic!("no value for {packet}, {field}"));
            assert_eq!(found, *wanted, "{target}: {packet}, {field}");
            compared += 1;
        }
        assert!(compared > 100, "{target}: {compared} fields");
        // The attributes: each entry of the table selects the slot of its varying.
        let details = if column >= 2 {
            &packets["3DSTATE_SBE_SWIZ"][1..]
        } else {
            &packets["3DSTATE_SBE"][2..]
        };
        let offset =
            read(&packets["3DSTATE_SBE"], if column >= 2 { [1, 10, 5] } else { [1, 9, 4] });
        let outputs = documents[1]["stage"]["outputs"].as_array().unwrap();
        for (at, of) in documents[2]["stage"]["attributes"].as_array().unwrap().iter().enumerate() {
            let slot = 2 * offset + (details[at / 2] >> (16 * (at % 2)) & 31);
            assert_eq!(outputs[slot as usize], of["source"]["varying"], "{target}: attribute {at}");
        }
    }
}

#[test]
fn the_example_has_no_errors_of_memory() {
    let Some(tools) = crestline_judges::ask(CTools::find()) else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi-valgrind");
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join("libcrestline.so.0");
    let _ = std::fs::remove_file(&library);
    std::os::unix::fs::symlink(libraries().join("libcrestline_capi.so"), &library).unwrap();
    let program = build(&tools, Compiler::Gcc, false, &folder);
    for target in ["ivb", "skl"] {
        let printed = tools.run(&folder, &program, &[target, "."]).unwrap();
        assert!(printed.contains("GPGPU_WALKER"), "{printed}");
    }
}
