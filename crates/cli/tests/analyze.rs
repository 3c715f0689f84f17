//! Compares measured analyses with the emulator's profile of the same run.

mod command;

use std::path::Path;

use command::crestline;
use crestline_judges::ocloc::Ocloc;
use serde_json::Value;

const SHADER: &str = "#version 450
layout(local_size_x = 24) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
shared uint part[24];
void main() {
    uint sum = 0u;
    for (uint n = 0u; n < gl_LocalInvocationID.x; n++) {
        sum += data[n] / (n + 3u);
        if (sum > 90u) {
            atomicAdd(part[n], sum);
        }
    }
    barrier();
    data[gl_GlobalInvocationID.x] = sum + part[gl_LocalInvocationID.x] + uint(sqrt(float(sum)));
}
";

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("was written");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn measured_totals_are_those_of_the_profile() {
    let folder = std::env::temp_dir().join(format!("crestline-analyze-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    std::fs::write(folder.join("a.comp"), SHADER).expect("an input file");
    for (target, simd) in [("ivb", "8"), ("hsw", "16"), ("bdw", "8"), ("skl", "16")] {
        let words = format!(
            "analyze a.comp --target {target} --simd {simd} --format json -o a.json --measure --dispatch 3 --bind 0.0=zero:288 --profile p.json"
        );
        crestline(&folder, &words);
        let (analysis, profile) = (read(&folder.join("a.json")), read(&folder.join("p.json")));
        let analysis = &analysis["programs"][0];
        assert_eq!(analysis["measured"]["threads"], profile["threads"], "{target}");
        // The sum over all elements of a list for which `such` holds.
        let sum = |list: &Value, field: &str, such: &dyn Fn(&Value) -> bool| -> u64 {
            let rows = list.as_array().expect("a list").iter();
            rows.filter(|row| such(row)).filter_map(|row| row[field].as_u64()).sum()
        };
        let (counted, all) = (&profile["instructions"], &|_: &Value| true);
        let executed = sum(counted, "executions", all);
        assert_eq!(analysis["measured"]["instructions"], executed, "{target}");
        assert_eq!(sum(&analysis["kinds"], "executions", all), executed, "{target}");
        let lines = sum(&analysis["lines"], "executions", all);
        assert_eq!((lines, sum(&analysis["blocks"], "executions", all)), (executed, executed));
        let is_message = |row: &Value| row["message"].is_string();
        for (ours, theirs) in
            [("executions", "executions"), ("accessed_bytes", "bytes"), ("accessed_lines", "lines")]
        {
            let found = sum(&analysis["messages"], ours, all);
            assert_eq!(found, sum(counted, theirs, &is_message), "{target} {ours}");
        }
        // Units of messages and of arithmetic: each instruction's unit, with the profile's executions.
        for unit in analysis["units"].as_array().expect("a list") {
            let name = &unit["unit"];
            let of_unit = |row: &Value| {
                let instructions = analysis["instructions"].as_array().expect("a list");
                instructions
                    .iter()
                    .any(|inst| inst["offset"] == row["offset"] && inst["unit"] == *name)
            };
            assert_eq!(unit["executions"], sum(counted, "executions", &of_unit), "{target} {name}");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

const KERNELS: &str =
    "kernel void scale(global float *data, float by) { data[get_global_id(0)] *= by; }
kernel void sum(global uint *data, local uint *part) {
    part[get_local_id(0)] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint n = 0; n < get_local_size(0); n++) { sum += part[n]; }
    data[get_global_id(0)] = sum;
}
";

/// Kernels of Intel's OpenCL compiler, in a zebin and in an archive of several devices.
#[test]
fn files_of_the_compute_runtime_are_analysed() {
    let Some(ocloc) = crestline_judges::ask(Ocloc::find()) else { return };
    let folder = std::env::temp_dir().join(format!("crestline-ocloc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let files = [
        ("kernels.zebin", ocloc.compile_zebin("skl", KERNELS), "skl"),
        ("kernels.ar", ocloc.compile("bdw,skl,tgllp", KERNELS, ""), "skl"),
        ("kernels.ar", ocloc.compile("bdw,skl,tgllp", KERNELS, ""), "tgl"),
    ];
    for (name, bytes, target) in files {
        std::fs::write(folder.join(name), bytes.expect("ocloc compiles")).expect("a file");
        let run = |words: &str| -> Value {
            let text = crestline(&folder, &format!("{words} {name} --target {target}"));
            serde_json::from_str(&text).expect("JSON")
        };
        let analysis = run("analyze --format json");
        let listing = run("disasm --json");
        let programs = analysis["programs"].as_array().expect("a list");
        let kernels = listing["kernels"].as_array().expect("a list");
        let of = |kernel: &str| {
            let named = |value: &&Value| value["name"] == kernel;
            let program = programs.iter().find(named).unwrap_or_else(|| panic!("no {kernel}"));
            (program, kernels.iter().find(named).expect("the kernel"))
        };
        for kernel in ["scale", "sum"] {
            let (program, listed) = of(kernel);
            let count = listed["instructions"].as_array().expect("a list").len();
            assert_eq!(program["code"]["instructions"], count, "{name} {kernel}");
            assert!(
                program["cycles"]["thread"].as_f64().is_some_and(|cycles| cycles > 0.0),
                "{program}"
            );
        }
        // Only one of the kernels has a loop; a barrier is a message to the gateway.
        let (scale, sum) = (of("scale").0, of("sum").0);
        assert_eq!(scale["loops"].as_array().map(Vec::len), Some(0), "{name}");
        assert!(sum["loops"].as_array().is_some_and(|loops| !loops.is_empty()), "{name}");
        let text = sum["messages"].to_string();
        assert!(text.contains("gateway"), "{name}: {text}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

const REASONS: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[4096]; uint other[]; };
layout(std430, binding = 1) buffer Limits { uint limit; };
void main() {
    uint i = gl_LocalInvocationID.x * 2u;
    uint first = data[i];
    uint most = limit;
    other[i] = first;
    uint second = data[i + 1u];
    if (gl_WorkGroupID.x == most) {
        atomicAdd(other[0], 3u);
    }
    uint bound = first + second;
    for (uint n = 0u; n < bound; n++) {
        other[i] += other[n] * n;
    }
}
";

/// The lines of the text that `analyze` prints under a heading.
fn under<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn the_reasons_for_divergent_branches_and_separate_loads_are_told() {
    let folder = std::env::temp_dir().join(format!("crestline-reasons-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    std::fs::write(folder.join("a.comp"), REASONS).expect("an input file");
    for target in ["ivb", "skl"] {
        let run = |format: &str| {
            let words = format!("analyze a.comp --target {target} --simd 8 --format {format}");
            crestline(&folder, &words)
        };
        let document: Value = serde_json::from_str(&run("json")).expect("JSON");
        let shader = &document["programs"][0]["shader"];
        let line = |value: &Value| value["line"].as_u64();
        // The condition of line 11 is the same for all invocations.
        let branches = shader["divergent_branches"].as_array().expect("a list");
        let loops: Vec<&Value> = branches.iter().filter(|each| each["kind"] == "loop").collect();
        assert_eq!(loops.len(), 1, "{shader}");
        assert!(branches.iter().all(|each| line(&each["source"]) != Some(11)), "{shader}");
        assert_eq!(loops[0]["origin"], "local_invocation_index");
        assert_eq!(line(&loops[0]["origin_source"]), Some(6), "{shader}");
        assert_eq!(line(&loops[0]["source"]), Some(15), "{shader}");
        let through = loops[0]["through"].as_array().expect("a list");
        assert!(through.iter().any(|each| line(each) == Some(14)), "{shader}");
        let loads = shader["unmerged_loads"].as_array().expect("a list");
        assert_eq!(loads.len(), 1, "{shader}");
        let load = &loads[0];
        assert_eq!((line(&load["first"]), line(&load["source"])), (Some(7), Some(10)));
        assert_eq!((&load["obstacle"], line(&load["between"])), (&"write".into(), Some(9)));
        assert!(load["written"].as_str().is_some_and(|text| text.contains("0.0")), "{load}");
        let text = run("text");
        let shown = under(&text, "divergent branches");
        assert!(shown.iter().any(|row| row.contains("local_invocation_index (line 6)")), "{text}");
        let shown = under(&text, "loads that were not merged");
        assert!(shown.iter().any(|row| row.contains("a.comp:10  next to  a.comp:7")), "{text}");
        let page = run("html");
        assert!(page.contains("Divergent branches") && page.contains("Loads that were not merged"));
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// The values at the peak of the pressure have the names of the variables that their lines assign; so have spilled values.
#[test]
fn values_have_the_names_of_variables() {
    let folder = std::env::temp_dir().join(format!("crestline-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let declared: String = (0..40)
        .map(|n| {
            format!("    vec4 value{n} = data[gl_LocalInvocationID.x + {n}u * step] * {n}.5;\n")
        })
        .collect();
    let sum: Vec<String> = (0..40).map(|n| format!("sin(value{n})")).collect();
    let text = format!(
        "#version 450\nlayout(local_size_x = 16) in;\nlayout(std430, binding = 0) buffer Data {{ vec4 data[]; }};\n\
         layout(push_constant) uniform Push {{ uint step; }};\nvoid main() {{\n{declared}    barrier();\n    data[0] = {};\n}}\n",
        sum.join(" + ")
    );
    std::fs::write(folder.join("a.comp"), text).expect("an input file");
    crestline(&folder, "analyze a.comp --target skl --simd 16 --format json -o a.json");
    let analysis = read(&folder.join("a.json"));
    let registers = &analysis["programs"][0]["registers"]["peak"]["values"];
    let slots = &analysis["programs"][0]["spills"]["slots"];
    for (list, place) in [(registers, "written"), (slots, "computed")] {
        let named = |row: &&Value| {
            row["variables"][0].as_str().is_some_and(|name| name.starts_with("value"))
        };
        let row = list.as_array().expect("a list").iter().find(named);
        let row = row.unwrap_or_else(|| panic!("no value with a name: {list}"));
        let place = if row[place].is_array() { &row[place][0] } else { &row[place] };
        let number: u64 =
            row["variables"][0].as_str().expect("a name")[5..].parse().expect("digits");
        assert_eq!(place["source"]["line"], number + 6, "{row}");
    }
    std::fs::remove_dir_all(folder).expect("the scratch folder");
}
