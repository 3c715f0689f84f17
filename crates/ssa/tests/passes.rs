//! Tests each pass on pairs of shaders before and after it, in `tests/ssa/passes/PASS.ssa`.
//!
//! A file contains several cases. A case starts with a line `// run: PASS [PASS]... [on PLATFORM]` and a shader. The
//! result of the passes follows after `// expect:`; `// expect: unchanged` means that they change nothing.
//! `on PLATFORM` lowers images for that platform; `on vectors` lowers for registers that hold vectors of dwords or
//! doubles; `on halves` lowers for a device with half floats; `on sums` lowers for a device that adds 64-bit integers;
//! `on quads` lowers for a tessellator of quads that needs changed levels. `UPDATE_EXPECT=1` rewrites the expected results.

use std::fmt::Write;
use std::path::PathBuf;

use crestline_device::Device;
use crestline_ssa::ir::{AluOp, TessDomain};
use crestline_ssa::passes::{Doubles, LowerOptions, Options, SystemValues, all_passes, optimize};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;
use crestline_testing::golden;

fn options(target: &str) -> Options {
    let words = ["vectors", "halves", "sums", "quads"];
    let [vectors, halves, sums, quads] = words.map(|word| target == word);
    let images = target.parse().ok().map(Device::new);
    let system_values = SystemValues { subgroup_size: Some(16), ..SystemValues::default() };
    let unsupported_ops = [
        AluOp::FDiv,
        AluOp::FSign,
        AluOp::FLrp,
        AluOp::FLdexp,
        AluOp::ISign,
        AluOp::IMod,
        AluOp::UBitfieldExtract,
        AluOp::IBitfieldExtract,
        AluOp::BitfieldInsert,
        AluOp::UAddCarry,
        AluOp::USubBorrow,
    ];
    let lower = LowerOptions {
        scalarize: !vectors,
        subgroups: !vectors,
        dwords: !vectors,
        small_in_dwords: vectors,
        half_floats: halves,
        int64_sums: sums,
        addresses_32: true,
        doubles: Some(Doubles { fused: true }),
        system_values,
        tess_domain: Some(if quads { TessDomain::Quads } else { TessDomain::Triangles }),
        quad_levels: quads,
        unsupported_ops: unsupported_ops.into(),
        most_samples: Some(4),
        images,
        ..LowerOptions::default()
    };
    Options { lower, ..Options::default() }
}

/// Runs the passes of a case. Returns the text of the expectation that the result satisfies.
fn run(passes: &str, before: &str) -> String {
    let mut shader = parse(before).unwrap_or_else(|e| panic!("{e}\n{before}"));
    verify(&shader).unwrap_or_else(|e| panic!("{e}\n{before}"));
    let (passes, platform) = passes.split_once(" on ").unwrap_or((passes, ""));
    let options = options(platform.trim());
    let mut progress = false;
    for name in passes.split_whitespace() {
        if name == "optimize" {
            optimize(&mut shader, &options, &mut |name, shader| {
                progress = true;
                verify(shader).unwrap_or_else(|e| panic!("after {name}: {e}\n{shader}"));
            })
            .unwrap();
        } else {
            let pass = all_passes().find(|p| p.name == name);
            let pass = pass.unwrap_or_else(|| panic!("there is no pass {name}"));
            progress |= (pass.run)(&mut shader, &options.lower);
        }
        verify(&shader).unwrap_or_else(|e| panic!("after {name}: {e}\n{shader}"));
    }
    let mut original = parse(before).unwrap();
    original.compact();
    shader.compact();
    if progress {
        format!("// expect:\n{shader}")
    } else {
        assert_eq!(shader, original, "no progress, but a change");
        "// expect: unchanged\n".to_owned()
    }
}

#[test]
fn passes_do_what_the_files_say() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ssa/passes");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    golden::check(paths.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut out = String::new();
        for case in text.split_inclusive("// run: ") {
            let case = case.strip_suffix("// run: ").unwrap_or(case);
            if out.is_empty() && !case.contains('\n') {
                continue;
            }
            let (passes, rest) = case.split_once('\n').unwrap();
            let before = rest.split("// expect:").next().unwrap().trim_end();
            let _ = writeln!(out, "// run: {passes}\n{before}\n{}", run(passes, before));
        }
        (path, format!("{}\n", out.trim_end()))
    }));
}
