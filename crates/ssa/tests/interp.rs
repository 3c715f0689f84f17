//! Runs the shaders of `tests/ssa/interp` in the interpreter. Comments at the top of each file give inputs and
//! expectations.

use std::collections::BTreeMap;

use crestline_ssa::interp::{BufferKey, Options, Resources, run};
use crestline_ssa::text::parse;

/// The inputs and expectations in a file's comments.
#[derive(Default)]
struct Case {
    grid: [u32; 3],
    subgroup: Option<u32>,
    budget: Option<u64>,
    resources: Resources,
    expected: BTreeMap<BufferKey, Vec<u8>>,
    error: Option<String>,
    out_of_bounds: u64,
}

/// Parses buffer contents: `zero BYTES`, or a type and numbers.
fn bytes(text: &str) -> Vec<u8> {
    let (ty, numbers) = text.split_once(' ').unwrap();
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    };
    match ty {
        "zero" => vec![0; number(numbers) as usize],
        "u32" => numbers.split(' ').flat_map(|n| (number(n) as u32).to_le_bytes()).collect(),
        "f32" => numbers.split(' ').flat_map(|n| n.parse::<f32>().unwrap().to_le_bytes()).collect(),
        _ => panic!("unknown type {ty}"),
    }
}

/// Parses a binding: `SET.BINDING` or `SET.BINDING[ELEMENT]`.
fn key(text: &str) -> BufferKey {
    let (set, rest) = text.split_once('.').unwrap();
    let (binding, element) = rest.split_once('[').unwrap_or((rest, "0]"));
    let element = element.trim_end_matches(']').parse().unwrap();
    BufferKey { set: set.parse().unwrap(), binding: binding.parse().unwrap(), element }
}

fn case(text: &str) -> Case {
    let mut case = Case::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("// ")) {
        let Some((command, rest)) = line.split_once(": ") else {
            continue;
        };
        let (word, name) = command.split_once(' ').unwrap_or((command, ""));
        match word {
            "grid" => {
                let sizes: Vec<_> = rest.split(", ").map(|n| n.parse().unwrap()).collect();
                case.grid = sizes.try_into().unwrap();
            }
            "subgroup" => case.subgroup = Some(rest.parse().unwrap()),
            "budget" => case.budget = Some(rest.parse().unwrap()),
            "bind" => drop(case.resources.buffers.insert(key(name), bytes(rest))),
            "push" => case.resources.push_constants = bytes(rest),
            "address" => {
                let address = u64::from_str_radix(rest.trim_start_matches("0x"), 16).unwrap();
                case.resources.addresses.insert(key(name), address);
            }
            "expect" => drop(case.expected.insert(key(name), bytes(rest))),
            "error" => case.error = Some(rest.to_owned()),
            "out_of_bounds" => case.out_of_bounds = rest.parse().unwrap(),
            _ => {}
        }
    }
    assert_ne!(case.grid, [0; 3], "a case needs a grid");
    case
}

#[test]
fn files_give_what_they_expect() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ssa/interp");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        let shader = parse(&text).unwrap_or_else(|e| panic!("{name}:{e}"));
        let case = case(&text);
        let sizes = case.subgroup.map_or(vec![1, 3, 8, 16, 32, 64], |size| vec![size]);
        for subgroup_size in sizes {
            let mut resources = case.resources.clone();
            let mut options = Options { subgroup_size, ..Options::default() };
            options.budget = case.budget.unwrap_or(options.budget);
            match (run(&shader, &mut resources, case.grid, &options), &case.error) {
                (Ok(report), None) => {
                    assert_eq!(report.out_of_bounds_count, case.out_of_bounds, "{name}");
                    assert_eq!(
                        report.workgroups,
                        case.grid.iter().map(|&n| u64::from(n)).product()
                    );
                    for (key, bytes) in &case.expected {
                        let words = |bytes: &[u8]| -> Vec<_> {
                            bytes
                                .chunks_exact(4)
                                .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
                                .collect()
                        };
                        let found = words(&resources.buffers[key]);
                        assert_eq!(
                            found,
                            words(bytes),
                            "{name}, subgroups of {subgroup_size}, {key:?}"
                        );
                    }
                }
                (Err(error), Some(expected)) => assert_eq!(&error.to_string(), expected, "{name}"),
                (result, _) => panic!("{name}: {result:?}"),
            }
            // The buffers must be back in `resources`, also after an error.
            assert_eq!(resources.buffers.len(), case.resources.buffers.len(), "{name}");
        }
        count += 1;
    }
    assert!(count >= 10);
}

/// Checks the system values of a three-dimensional grid against their definitions.
#[test]
fn system_values_follow_their_definitions() {
    let shader = parse(
        "compute \"ids\" { local_size 3, 2, 2
            binding b0: ssbo set 0 binding 0 \"out\"
            %wid: 32x3 = sysval workgroup_id
            %num: 32x3 = sysval num_workgroups
            %size: 32x3 = sysval workgroup_size
            %lid: 32x3 = sysval local_invocation_id
            %flat: 32 = sysval local_invocation_index
            %gid: 32x3 = sysval global_invocation_id
            %sid: 32 = sysval subgroup_id
            %subs: 32 = sysval num_subgroups
            %width: 32 = sysval subgroup_size
            %lane: 32 = sysval subgroup_invocation
            %a: 32 = imul %wid.z, %num.y
            %b: 32 = iadd %a, %wid.y
            %c: 32 = imul %b, %num.x
            %d: 32 = iadd %c, %wid.x
            %twelve: 32 = const 12
            %e: 32 = imul %d, %twelve
            %f: 32 = iadd %e, %flat
            %bytes: 32 = const 80
            %at: 32 = imul %f, %bytes
            store ssbo b0, %at, %wid, align 4
            %c12: 32 = const 12
            %at1: 32 = iadd %at, %c12
            store ssbo b0, %at1, %num, align 4
            %at2: 32 = iadd %at1, %c12
            store ssbo b0, %at2, %size, align 4
            %at3: 32 = iadd %at2, %c12
            store ssbo b0, %at3, %lid, align 4
            %at4: 32 = iadd %at3, %c12
            store ssbo b0, %at4, %gid, align 4
            %at5: 32 = iadd %at4, %c12
            %v: 32x4 = vec4 %sid, %subs, %width, %lane
            store ssbo b0, %at5, %v, align 4
            %c16: 32 = const 16
            %at6: 32 = iadd %at5, %c16
            store ssbo b0, %at6, %flat, align 4
            return
        }",
    )
    .unwrap();
    let grid = [2, 3, 2];
    for width in [1, 5, 8, 16] {
        let mut resources = Resources::default();
        resources.bind(0, 0, vec![0; 12 * 12 * 80]);
        let options = Options { subgroup_size: width, ..Options::default() };
        run(&shader, &mut resources, grid, &options).unwrap();
        let bytes = resources.buffer(0, 0).unwrap();
        let words: Vec<_> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        let mut records = words.chunks_exact(20);
        for group in 0..12 {
            let wid = [group % 2, group / 2 % 3, group / 6];
            for flat in 0..12u32 {
                let lid = [flat % 3, flat / 3 % 2, flat / 6];
                let gid = [wid[0] * 3 + lid[0], wid[1] * 2 + lid[1], wid[2] * 2 + lid[2]];
                let mut expected = Vec::new();
                expected.extend(wid);
                expected.extend(grid);
                expected.extend([3, 2, 2]);
                expected.extend(lid);
                expected.extend(gid);
                expected.extend([flat / width, 12u32.div_ceil(width), width, flat % width, flat]);
                assert_eq!(records.next().unwrap(), expected);
            }
        }
    }
}

/// Runs damaged shaders that are still valid: nothing panics, runs too long or takes much memory.
#[test]
fn damaged_shaders_do_not_panic() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut ran = 0;
    for folder in ["interp", "text"] {
        let folder = format!("{}/../../tests/ssa/{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let words: Vec<&str> = text.split_inclusive(' ').collect();
            for _ in 0..600 {
                // Words are exchanged as a whole, so that many texts can still be parsed.
                let mut changed = words.clone();
                for _ in 0..random.usize(1..=2) {
                    let at = random.usize(..words.len());
                    changed[at] = words[random.usize(..words.len())];
                }
                let digits: String = changed.concat();
                let Ok(shader) = parse(&digits) else {
                    continue;
                };
                let mut resources = Resources { push_constants: vec![7; 5], ..Default::default() };
                for binding in &shader.bindings {
                    resources.bind(binding.set, binding.binding, vec![1; 37]);
                }
                let options = Options {
                    budget: 20_000,
                    max_bytes: 1 << 24,
                    undef: u64::MAX,
                    ..Options::default()
                };
                ran += usize::from(run(&shader, &mut resources, [2, 1, 1], &options).is_ok());
            }
        }
    }
    assert!(ran > 300, "{ran} ran");
}
