//! Tests of the verifier: one case for each invariant, including those that only code made by a builder can break.

use crestline_ssa::ir::{AluOp, Builder, InstKind, MAX_DEPTH, Shader, Ty};
use crestline_ssa::text::parse;
use crestline_ssa::verify::{VerifyErrorKind, verify};

/// Each case follows a line `// expect: MESSAGE`; the message `ok` means that the shader is valid.
#[test]
fn broken_promises_are_named() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ssa/verify/cases.ssa");
    let text = std::fs::read_to_string(path).unwrap();
    let mut failed = Vec::new();
    let cases: Vec<_> = text.split("// expect: ").skip(1).collect();
    assert!(cases.len() > 50);
    for case in cases {
        let (expected, code) = case.split_once('\n').unwrap();
        let shader = parse(code).unwrap_or_else(|e| panic!("{e}\n{code}"));
        // Messages contain value numbers; the cases number their values in the same way.
        let found = verify(&shader).map_or_else(|e| e.to_string(), |()| "ok".to_owned());
        if found != expected {
            failed.push(format!("expected {expected}\n   found {found}\n{code}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_text_that_shows_everything_is_valid() {
    for name in ["everything", "fragment"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ssa/text");
        let text = std::fs::read_to_string(format!("{folder}/{name}.ssa")).unwrap();
        verify(&parse(&text).unwrap()).unwrap();
    }
}

#[test]
fn regions_and_instructions_have_one_owner() {
    let mut shader = Shader::new_compute("t");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    let cond = b.imm_b(true);
    let (inst, then, _) = b.if_(cond);
    b.switch_to(then);
    b.yield_(&[]);
    b.switch_to(body);
    b.return_();
    *shader.func.kind_mut(inst) = InstKind::If { cond: cond.into(), then, else_: then };
    let error = verify(&shader).unwrap_err();
    assert_eq!(error.kind, VerifyErrorKind::Shared(format!("region {then}")));
    *shader.func.kind_mut(inst) = InstKind::If { cond: cond.into(), then: body, else_: then };
    let error = verify(&shader).unwrap_err();
    assert_eq!(error.kind, VerifyErrorKind::Shared(format!("region {body}")));
    // The printer must end on such code too.
    assert!(shader.to_string().contains("not printable"));

    let mut shader = Shader::new_compute("t");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    let inst = b.inst(InstKind::Undef, &[Ty::X32]);
    b.insert(inst);
    b.return_();
    let error = verify(&shader).unwrap_err();
    assert_eq!(error.kind, VerifyErrorKind::Shared(format!("instruction {inst}")));
}

#[test]
fn ids_of_another_function_are_no_panic() {
    let mut other = Shader::new_compute("other");
    let body = other.func.body();
    let mut b = Builder::new(&mut other.func, body);
    let values: Vec<_> = (0..100).map(|i| b.imm(i)).collect();
    let far = *values.last().unwrap();
    let (_, region) = b.loop_(&[]);

    let mut shader = Shader::new_compute("t");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    b.inst(InstKind::alu(AluOp::INeg, [far.into()]), &[Ty::X32]);
    b.return_();
    let error = verify(&shader).unwrap_err();
    assert_eq!(error.kind, VerifyErrorKind::NotVisible(far));

    let mut shader = Shader::new_compute("t");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    b.inst(InstKind::Loop { init: Default::default(), body: region, continuing: None }, &[]);
    b.return_();
    let error = verify(&shader).unwrap_err();
    assert_eq!(error.kind, VerifyErrorKind::Missing(format!("region {region}")));
}

#[test]
fn depth_is_bounded() {
    let mut shader = Shader::new_compute("t");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    let mut regions = vec![body];
    for _ in 0..MAX_DEPTH {
        let (_, inner) = b.loop_(&[]);
        b.switch_to(inner);
        regions.push(inner);
    }
    for &region in &regions[1..] {
        b.switch_to(region);
        b.break_(&[]);
    }
    b.switch_to(body);
    b.return_();
    let error = verify(&shader).unwrap_err();
    assert_eq!(error.kind, VerifyErrorKind::TooDeep(MAX_DEPTH));
}

#[test]
fn constants_fit_their_type() {
    let mut shader = Shader::new_compute("t");
    let body = shader.func.body();
    let mut b = Builder::new(&mut shader.func, body);
    b.inst(InstKind::Const([1, 256, 0, 0]), &[Ty::X8.with_comps(2)]);
    b.return_();
    assert_eq!(verify(&shader).unwrap_err().kind, VerifyErrorKind::ConstBits(1));
}
