//! Tests large and hostile modules: time and memory stay bounded, and recursion fits the stack of a test's thread.

mod common;

use std::fmt::Write;

use crestline_frontend::{ErrorCode, FrontendError, TranslateOptions, translate};
use crestline_ssa::ir::Shader;
use crestline_ssa::verify::verify;

const PREAMBLE: &str = include_str!("common/preamble.spvasm");

fn run(globals: &str, body: &str) -> Result<Shader, FrontendError> {
    let text = format!(
        "{PREAMBLE}\n{globals}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd"
    );
    let shader = translate(&common::assemble(&text), &TranslateOptions::default())?;
    verify(&shader).unwrap_or_else(|e| panic!("{e}"));
    Ok(shader)
}

fn lines(range: std::ops::Range<usize>, line: impl Fn(usize) -> String) -> String {
    range.map(|i| line(i) + "\n").collect()
}

#[test]
fn deep_nesting_that_is_allowed_fits_the_stack() {
    let down = lines(0..120, |i| {
        format!(
            "OpSelectionMerge %m{i} None\nOpBranchConditional %true %t{i} %m{i}\n%t{i} = OpLabel"
        )
    });
    let up = lines(0..119, |i| format!("%m{} = OpLabel\nOpBranch %m{}", 119 - i, 118 - i));
    let shader = run("", &format!("{down}OpBranch %m119\n{up}%m0 = OpLabel"));
    assert!(shader.is_ok(), "{:?}", shader.err());
}

#[test]
fn many_early_returns_nest_no_deeper_than_allowed() {
    let guards = lines(0..1000, |i| {
        format!(
            "OpSelectionMerge %m{i} None\nOpBranchConditional %true %t{i} %m{i}\n%t{i} = OpLabel\nOpReturn\n%m{i} = OpLabel"
        )
    });
    let shader = run("", &guards);
    assert!(shader.is_ok(), "{:?}", shader.err());
}

#[test]
fn a_switch_of_many_cases_is_a_tree() {
    let mut body = "OpSelectionMerge %out None\nOpSwitch %u0 %out".to_owned();
    for i in 0..2000 {
        write!(body, " {i} %case{i}").expect("a string");
    }
    body += "\n";
    body += &lines(0..2000, |i| format!("%case{i} = OpLabel\nOpBranch %out"));
    let shader = run("", &format!("{body}%out = OpLabel"));
    assert!(shader.is_ok(), "{:?}", shader.err());
}

#[test]
fn calls_that_multiply_meet_the_budget_even_if_they_do_nothing() {
    let functions = lines(0..60, |i| {
        let call = match i {
            0 => String::new(),
            _ => format!(
                "%a{i} = OpFunctionCall %void %fun{0}\n%b{i} = OpFunctionCall %void %fun{0}\n",
                i - 1
            ),
        };
        format!(
            "%fun{i} = OpFunction %void None %fn\n%l{i} = OpLabel\n{call}OpReturn\nOpFunctionEnd"
        )
    });
    let error = run(&functions, "%r = OpFunctionCall %void %fun59").expect_err("2^60 calls");
    assert_eq!(error.code, ErrorCode::Budget, "{error}");
}

#[test]
fn types_nest_as_deep_as_the_universal_limits_allow() {
    let nested = |count: usize| {
        let arrays = lines(1..count, |i| format!("%p{i} = OpTypeArray %p{0} %u1", i - 1));
        let globals = format!(
            "%p0 = OpTypeArray %uint %u1\n{arrays}\
             %ptr = OpTypePointer Private %p{0}\n%var = OpVariable %ptr Private\n",
            count - 1
        );
        let ty = format!("%p{}", count - 1);
        run(&globals, &format!("%whole = OpLoad {ty} %var\nOpStore %var %whole"))
    };
    assert!(nested(254).is_ok(), "{:?}", nested(254).err());
    let error = nested(256).expect_err("256 levels");
    assert_eq!(error.code, ErrorCode::TypeNesting, "{error}");
}

#[test]
fn types_that_multiply_are_refused() {
    let pairs = "%p0 = OpTypeStruct %uint %uint\n".to_owned()
        + &lines(1..60, |i| format!("%p{i} = OpTypeStruct %p{0} %p{0}", i - 1));
    let error = run(&pairs, "").expect_err("2^60 members");
    assert_eq!(error.code, ErrorCode::TypeNesting, "{error}");
}
