//! Assembly text in both syntaxes: it parses or is refused at a place inside, and what parses
//! prints to text that parses to the same program. The first byte chooses generation and
//! syntax.

#![no_main]

use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::{Gen, Inst};
use libfuzzer_sys::fuzz_target;

/// A program as text.
fn print(insts: &[Inst], generation: Gen, syntax: Syntax) -> String {
    let mut offset = 0;
    let located: Vec<(usize, Inst)> = insts
        .iter()
        .map(|inst| {
            let at = offset;
            offset += inst.size() as usize;
            (at, inst.clone())
        })
        .collect();
    print_program(&located, generation, syntax)
}

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let generation = Gen::ALL[usize::from(first & 0x7f) % Gen::ALL.len()];
    let syntax = if first & 0x80 == 0 { Syntax::Mesa } else { Syntax::Iga };
    let insts = match parse_program(text, generation, syntax) {
        Ok(insts) => insts,
        Err(errors) => {
            let lines = text.lines().count().max(1);
            assert!(!errors.is_empty());
            for error in errors {
                assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error}");
            }
            return;
        }
    };
    let once = print(&insts, generation, syntax);
    let back = parse_program(&once, generation, syntax).unwrap_or_else(|errors| {
        let line = once.lines().nth(errors[0].line - 1).unwrap_or_default();
        panic!("{generation} {}: what is printed parses: {}\n{line}", syntax.name(), errors[0])
    });
    assert_eq!(print(&back, generation, syntax), once, "{generation} {}", syntax.name());
});
