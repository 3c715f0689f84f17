//! Tests that the reducer finds the few instructions that show a bug.

mod random;

use crestline_ssa::analysis::RegionTree;
use crestline_ssa::interp::{Options, Resources, run};
use crestline_ssa::ir::{AluOp, InstId, InstKind, Shader};
use crestline_ssa::reduce::reduce;

/// The contents of the buffers after a run. `None` if the shader does not end, which a reduced or broken shader may
/// not.
fn results(shader: &Shader, resources: &Resources) -> Option<Resources> {
    let mut resources = resources.clone();
    let options = Options { budget: 1 << 22, ..Options::default() };
    run(shader, &mut resources, [2, 1, 1], &options).ok()?;
    Some(resources)
}

/// A pass with a bug: it replaces differences by sums.
fn mistake(shader: &Shader) -> Shader {
    let mut shader = shader.clone();
    let insts: Vec<InstId> = RegionTree::new(&shader.func).insts().to_vec();
    for inst in insts {
        if let InstKind::Alu { op, .. } = shader.func.kind_mut(inst)
            && *op == AluOp::ISub
        {
            *op = AluOp::IAdd;
        }
    }
    shader
}

#[test]
fn a_mistake_in_a_random_shader_shrinks_to_a_few_instructions() {
    let mut shown = 0;
    for seed in 0..80 {
        let (shader, resources) = random::shader(seed);
        let mut fails = |shader: &Shader| {
            let (right, wrong) =
                (results(shader, &resources), results(&mistake(shader), &resources));
            right.zip(wrong).is_some_and(|(right, wrong)| right.buffers != wrong.buffers)
        };
        if !fails(&shader) {
            continue;
        }
        shown += 1;
        let small = reduce(&shader, &mut fails);
        assert!(fails(&small), "the mistake is gone");
        let left = RegionTree::new(&small.func).insts().len();
        let before = RegionTree::new(&shader.func).insts().len();
        assert!(left <= 20, "{left} of {before} instructions left:\n{small}");
    }
    assert!(shown >= 5, "{shown} shaders show the mistake");
}
