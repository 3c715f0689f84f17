//! Tests that every part of the crate handles the deepest code that the verifier accepts, within a thread's stack.

use crestline_ssa::analysis::{Divergence, RegionTree};
use crestline_ssa::interp::{Options, Resources, run};
use crestline_ssa::ir::{
    Access, Align, AluOp, Binding, BindingId, BindingKind, Builder, ComputeInfo, MAX_DEPTH, Memory,
    Resource, Shader, StageInfo, SysVal, Ty, Value,
};
use crestline_ssa::passes::{self, LowerOptions, all_passes, optimize};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;

/// A shader with `If`s, and a loop at every `loops_every`th level, nested as deep as allowed. Each level adds one to
/// the result.
fn deep(loops_every: usize) -> Shader {
    let mut shader = Shader::new_compute("deep");
    shader.stage = StageInfo::Compute(ComputeInfo::new([4, 1, 1]));
    shader.bindings.push(Binding {
        set: 0,
        binding: 0,
        kind: BindingKind::StorageBuffer,
        count: None,
        name: "out".into(),
        readonly: false,
        non_uniform: false,
    });
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    let id = b.sysval(SysVal::LocalInvocationIndex);
    let zero = b.imm(0);
    let one = b.imm(1);
    let sum = nest(&mut b, id, one, zero, 1, loops_every);
    let (two, memory) = (b.imm(2), Memory::Ssbo(Resource { binding: BindingId(0), element: None }));
    let at = b.alu(AluOp::IShl, &[id, two]);
    b.store(memory, at, sum, Align::to(4), Access::default());
    b.return_();
    shader
}

fn nest(
    b: &mut Builder<'_>,
    id: Value,
    one: Value,
    sum: Value,
    depth: usize,
    every: usize,
) -> Value {
    if depth == MAX_DEPTH {
        return sum;
    }
    let region = b.region();
    if depth.is_multiple_of(every) {
        let (inst, round) = b.loop_(&[sum]);
        let param = b.func.region(round).params[0];
        b.switch_to(round);
        let inner = nest(b, id, one, param, depth + 1, every);
        b.break_(&[inner]);
        b.switch_to(region);
        return b.func.add_result(inst, Ty::X32);
    }
    let level = b.imm(depth as u32 % 4);
    let cond = b.alu(AluOp::UGe, &[id, level]);
    let (inst, then, else_) = b.if_(cond);
    b.switch_to(then);
    let more = b.alu(AluOp::IAdd, &[sum, one]);
    let inner = nest(b, id, one, more, depth + 1, every);
    b.yield_(&[inner]);
    b.switch_to(else_);
    b.yield_(&[sum]);
    b.switch_to(region);
    b.func.add_result(inst, Ty::X32)
}

fn results(shader: &Shader) -> Vec<u8> {
    let mut resources = Resources::default();
    resources.bind(0, 0, vec![0; 16]);
    run(shader, &mut resources, [1, 1, 1], &Options::default()).unwrap();
    resources.buffer(0, 0).unwrap().to_vec()
}

#[test]
fn the_deepest_code_passes_everything() {
    for loops_every in [usize::MAX, 3] {
        let mut shader = deep(loops_every);
        verify(&shader).unwrap();
        let expected = results(&shader);
        assert_ne!(expected, [0; 16]);
        shader.compact();
        assert_eq!(parse(&shader.to_string()).unwrap(), shader);
        let last = *RegionTree::new(&shader.func).insts().last().unwrap();
        assert!(!Divergence::new(&shader).parts(last));
        let lower = LowerOptions { scalarize: true, ..LowerOptions::default() };
        for pass in all_passes() {
            let mut shader = shader.clone();
            (pass.run)(&mut shader, &lower);
            verify(&shader).unwrap_or_else(|e| panic!("{}: {e}", pass.name));
            assert!(results(&shader) == expected, "{}", pass.name);
        }
        let options = passes::Options { lower, ..Default::default() };
        optimize(&mut shader, &options, &mut |name, after| {
            verify(after).unwrap_or_else(|e| panic!("{name}: {e}"));
        })
        .unwrap();
        assert_eq!(results(&shader), expected);
    }
}
