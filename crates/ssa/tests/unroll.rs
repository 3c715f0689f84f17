//! Which loops `opt_loop_unroll` copies: it weighs what unrolling removes against what it copies.

use crestline_ssa::ir::{InstKind, Shader};
use crestline_ssa::passes::opt_loop_unroll::opt_loop_unroll;
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;

/// A loop of `rounds` rounds: each adds `folding` operations on the counter and `kept` operations on a loaded value.
fn looped(rounds: usize, folding: usize, kept: usize, more: &str) -> Shader {
    let mut body = String::new();
    for n in 0..folding {
        let from = if n == 0 { "%i".to_owned() } else { format!("%f{}", n - 1) };
        body += &format!("        %f{n}: 32 = imul {from}, %i\n");
    }
    for n in 0..kept {
        let from = if n == 0 { "%s".to_owned() } else { format!("%k{}", n - 1) };
        body += &format!("        %k{n}: 32 = iadd {from}, %x\n");
    }
    let (last, fold) = (kept - 1, folding - 1);
    let text = format!(
        "compute \"main\" {{
    local_size 64, 1, 1
    binding b0: ssbo set 0 binding 0 \"data\"
    %zero: 32 = const 0
    %one: 32 = const 1
    %most: 32 = const {rounds}
    %at: 32 = sysval local_invocation_index
    %x: 32 = load ssbo b0, %at, align 1
    %r: 32 = loop (%i: 32 = %zero, %s: 32 = %zero) {{
        %end: 1 = uge %i, %most
        if %end {{
            break %s
        }} else {{
            yield
        }}
{body}{more}        %sum: 32 = iadd %k{last}, %f{fold}
        %next: 32 = iadd %i, %one
        continue %next, %sum
    }}
    store ssbo b0, %at, %r, align 1
    return
}}"
    );
    let shader = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&shader).unwrap_or_else(|e| panic!("{e}\n{text}"));
    shader
}

/// Whether the pass unrolls the loop. The result is valid, and only a loop that runs once is left.
fn unrolls(mut shader: Shader) -> bool {
    let unrolled = opt_loop_unroll(&mut shader);
    verify(&shader).unwrap_or_else(|e| panic!("{e}\n{shader}"));
    let func = &shader.func;
    let counted = func.region(func.body()).insts.iter().any(
        |&inst| matches!(&func.inst(inst).kind, InstKind::Loop { init, .. } if !init.is_empty()),
    );
    assert_eq!(unrolled, !counted, "{shader}");
    unrolled
}

#[test]
fn small_loops_are_unrolled_whatever_they_compute() {
    assert!(unrolls(looped(10, 1, 6, "")));
}

#[test]
fn larger_loops_are_unrolled_if_much_of_them_becomes_constant() {
    assert!(unrolls(looped(25, 8, 10, "")));
    // Nothing but the counter goes away.
    assert!(!unrolls(looped(20, 1, 22, "")));
    // The copies would be too many.
    assert!(!unrolls(looped(30, 20, 30, "")));
}

#[test]
fn accesses_count_more_than_arithmetic() {
    let loads: String =
        (0..3).map(|n| format!("        %l{n}: 32 = load ssbo b0, %k{n}, align 1\n")).collect();
    assert!(unrolls(looped(25, 3, 6, "")));
    assert!(!unrolls(looped(25, 3, 6, &loads)));
}

#[test]
fn loops_with_branches_keep_the_small_limit() {
    let branch = "        %c: 1 = ult %x, %k0
        if %c {
            store ssbo b0, %at, %k1, align 1
            yield
        } else {
            yield
        }
";
    assert!(!unrolls(looped(25, 8, 10, branch)));
}
