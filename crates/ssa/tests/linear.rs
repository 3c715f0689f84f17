//! Time grows with the code, not with its square: five times the operations would take 25 times as long.
//!
//! Both shaders are larger than the caches, and the least of several runs counts, because times of a busy machine vary.
//! Exact figures are for the benchmarks.

use std::time::{Duration, Instant};

use crestline_ssa::analysis::{Divergence, uniform_in_subgroup};
use crestline_ssa::interp::{Options, Resources, run};
use crestline_ssa::ir::{AluOp, Builder, Shader, SysVal, Value};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;

/// So many operations: straight-line arithmetic, with an `If` and a `Loop` every hundred.
fn shader(operations: usize) -> Shader {
    let mut shader = Shader::new_compute("long");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    let id = b.sysval(SysVal::LocalInvocationIndex);
    let mut recent: Vec<Value> = vec![id; 8];
    for i in 0..operations {
        let (x, y) = (recent[i % 8], recent[(i * 5 + 3) % 8]);
        let value = match i % 100 {
            0 => {
                let cond = b.alu(AluOp::ULt, &[x, y]);
                let (inst, then, else_) = b.if_(cond);
                b.switch_to(then);
                let sum = b.alu(AluOp::IAdd, &[x, y]);
                b.yield_(&[sum]);
                b.switch_to(else_);
                b.yield_(&[y]);
                b.switch_to(body);
                b.func.add_result(inst, crestline_ssa::ir::Ty::X32)
            }
            50 => {
                let (inst, round) = b.loop_(&[x]);
                let param = b.func.region(round).params[0];
                b.switch_to(round);
                b.break_(&[param]);
                b.switch_to(body);
                b.func.add_result(inst, crestline_ssa::ir::Ty::X32)
            }
            n if n % 10 == 7 => b.imm(i as u32),
            _ => b.alu([AluOp::IAdd, AluOp::IXor, AluOp::FMul][i % 3], &[x, y]),
        };
        recent[i % 8] = value;
    }
    b.return_();
    shader
}

/// What is timed: it takes a shader and its text.
type Step<'a> = &'a dyn Fn(&Shader, &str);

fn least_time(mut work: impl FnMut()) -> Duration {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..3).map(|_| time(&mut work)).min().unwrap_or_default()
}

#[test]
fn five_times_the_code_takes_nothing_like_25_times_as_long() {
    let (short, long) = (shader(60_000), shader(300_000));
    let (short_text, long_text) = (short.to_string(), long.to_string());
    let options = Options::default();
    let steps: [(&str, Step); 6] = [
        ("verify", &|shader, _| verify(shader).unwrap()),
        ("print", &|shader, _| assert!(!shader.to_string().is_empty())),
        ("parse", &|_, text| drop(parse(text).unwrap())),
        ("compact", &|shader, _| shader.clone().compact()),
        ("divergence", &|shader, _| drop(Divergence::new(shader, uniform_in_subgroup))),
        ("interpret", &|shader, _| {
            let mut resources = Resources::default();
            run(shader, &mut resources, [1, 1, 1], &options).unwrap();
        }),
    ];
    for (name, step) in steps {
        let short = least_time(|| step(&short, &short_text));
        let long = least_time(|| step(&long, &long_text));
        println!("{name}: {short:?}, {long:?}");
        assert!(long < 15 * short.max(Duration::from_millis(1)), "{name}: {short:?}, {long:?}");
    }
}
