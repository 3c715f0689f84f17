//! Tests of the divergence analysis, uses and the region tree, on shaders in the text form.

mod random;

use crestline_ssa::analysis::{Divergence, RegionTree, Registers, Users, use_counts};
use crestline_ssa::interp::{self, InterpError};
use crestline_ssa::ir::{InstKind, Shader, Storages, Value};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;

/// In the file, a comment `// div` marks each definition that is expected to be divergent, and `// parts` marks each
/// `If` and `Loop` at which invocations separate.
#[test]
fn divergence_is_where_it_is_marked() {
    assert!(marks_hold("divergence.ssa", Divergence::new) >= 10);
}

/// A back end for tests: texels are read per channel, and parameters that leave loops do not stay in scalar registers.
struct Texels;

impl Registers for Texels {
    fn come_apart(&self, kind: &InstKind) -> bool {
        kind.facts().reads.intersects(Storages::TEXELS)
    }

    fn shared(&self, _: &InstKind) -> bool {
        false
    }

    fn stays(&self, _: Value) -> bool {
        false
    }
}

/// Checks the same marks for the analysis of scalar registers.
#[test]
fn registers_are_scalar_where_it_is_marked() {
    assert!(marks_hold("registers.ssa", |shader| Divergence::in_registers(shader, &Texels)) >= 4);
}

/// Checks the marks in a file. Returns the number of shaders in it.
fn marks_hold(file: &str, analyse: impl Fn(&Shader) -> Divergence) -> usize {
    let path = format!("{}/../../tests/ssa/analysis/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for case in text.split("\n\n\n") {
        let shader = parse(case).unwrap_or_else(|e| panic!("{e}\n{case}"));
        verify(&shader).unwrap_or_else(|e| panic!("{e}\n{case}"));
        let divergence = analyse(&shader);
        let func = &shader.func;
        let tree = RegionTree::new(func);
        // There is one mark for each line that defines values or owns regions, in the order of the lines.
        let mut expected = Vec::new();
        for line in case.lines() {
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            let owns_regions = ["if ", "loop"].iter().any(|word| code.trim().starts_with(word));
            if code.contains(" = ") || owns_regions {
                expected.push(comment.trim().to_owned());
            }
        }
        let mut found = Vec::new();
        for &inst in tree.insts() {
            let data = func.inst(inst);
            let regions = data.kind.regions();
            if data.results.is_empty() && regions.len() == 0 {
                continue;
            }
            let mut words = Vec::new();
            let params = regions.flat_map(|r| &func.region(r).params);
            for &value in data.results.iter().chain(params) {
                if divergence.is_divergent(value) {
                    words.push(format!("div {value}"));
                }
            }
            if divergence.parts(inst) {
                words.push("parts".to_owned());
            }
            found.push(words.join(", "));
        }
        assert_eq!(found, expected, "{case}");
        count += 1;
    }
    count
}

/// Values that the analysis calls uniform are uniform when random shaders run, and false claims are detected.
#[test]
fn claims_of_uniformity_hold_when_shaders_run() {
    let mut uniform = 0;
    let mut refuted = 0;
    for seed in 0..400 {
        let (shader, resources) = random::shader(seed);
        let divergence = Divergence::new(&shader);
        let tree = RegionTree::new(&shader.func);
        let run = |divergence: Divergence| {
            let divergence = Some(divergence);
            let options = interp::Options { subgroup_size: 8, divergence, ..Default::default() };
            interp::run(&shader, &mut resources.clone(), [2, 1, 1], &options)
        };
        run(divergence.clone()).unwrap_or_else(|e| panic!("{e}\n{shader}"));
        for &inst in tree.insts() {
            for &value in &shader.func.inst(inst).results {
                uniform += usize::from(divergence.is_uniform(value));
                // Claims that one of the divergent values is uniform. Most of these claims are false.
                if divergence.is_divergent(value)
                    && (value.index() + seed as usize).is_multiple_of(16)
                {
                    let mut claim = divergence.clone();
                    claim.claim_uniform(value);
                    match run(claim) {
                        Err(InterpError::NotUniform { value: found, .. }) => {
                            assert_eq!(found, value);
                            refuted += 1;
                        }
                        other => drop(other.unwrap()),
                    }
                }
            }
        }
    }
    assert!(uniform > 10_000 && refuted > 500, "{uniform} uniform, {refuted} refuted");
}

#[test]
fn uses_are_counted_and_listed() {
    let shader = parse(
        "compute \"t\" { local_size 1, 1, 1
            %0: 32x2 = undef
            %1: 32 = iadd %0.x, %0.y
            %2: 1 = ieq %1, %1
            if %2 {
                store shared, %1, %0, align 4
                yield
            } else {
                yield
            }
            return
        }",
    )
    .unwrap();
    assert_eq!(use_counts(&shader.func), [3, 3, 1]);
    let users = Users::new(&shader.func);
    let tree = RegionTree::new(&shader.func);
    let values: Vec<_> = tree.insts().iter().flat_map(|&i| &shader.func.inst(i).results).collect();
    let kinds = |i: usize| -> Vec<_> { users.of(*values[i]).iter().map(|i| i.index()).collect() };
    assert_eq!(kinds(0), [1, 1, 4]);
    assert_eq!(kinds(1), [2, 2, 4]);
    assert_eq!(kinds(2), [3]);
}

#[test]
fn the_tree_knows_loops_and_depths() {
    let shader = parse(
        "compute \"t\" { local_size 1, 1, 1
            loop {
                %0: 1 = undef
                if %0 {
                    break
                } else {
                    yield
                }
                continue
            } continuing {
                continue
            }
            return
        }",
    )
    .unwrap();
    let func = &shader.func;
    let tree = RegionTree::new(func);
    assert_eq!(tree.insts().len(), func.num_insts());
    let body = func.body();
    let looped = tree.insts()[0];
    let regions: Vec<_> = func.inst(looped).kind.regions().collect();
    let [round, continuing] = regions[..] else { panic!("two regions") };
    for region in [round, continuing] {
        let info = tree.region(region).unwrap();
        assert_eq!(info.parent, Some((looped, body)));
        assert_eq!((info.innermost_loop, info.depth, info.loop_depth), (Some(looped), 1, 1));
        assert!(tree.contains(body, region) && !tree.contains(region, body));
    }
    let branch = tree.insts()[2];
    assert_eq!(tree.region_of(branch), Some(round));
    let then = func.inst(branch).kind.regions().next().unwrap();
    assert_eq!(tree.region(then).unwrap().depth, 2);
    assert!(tree.contains(round, then) && !tree.contains(continuing, then));
}
