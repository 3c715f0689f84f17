//! Assembly text in both syntaxes: it parses or is refused at a place inside, and what parses prints to text that parses to
//! the same program. Through either syntax an instruction keeps its meaning, or is refused. The first byte chooses
//! generation and syntax.

#![no_main]

use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::{Gen, Inst, decode_program, encode_program};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/isa/tests/common/meaning.rs"]
mod meaning;
use meaning::meaning;

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
    let Ok(code) = encode_program(&insts, generation) else { return };
    let located = decode_program(&code, generation).expect("what was encoded decodes");
    for syntax in [Syntax::Mesa, Syntax::Iga] {
        // There is no older hardware that the other syntax is defined for.
        if syntax == Syntax::Iga && generation < Gen::Gen75 {
            continue;
        }
        keeps_meaning(&located, generation, syntax);
    }
});

/// Each instruction prints to text that a parser of the syntax refuses, or that means the same.
fn keeps_meaning(located: &[(usize, Inst)], generation: Gen, syntax: Syntax) {
    for (_, inst) in located {
        let inst = Inst { compacted: false, compact_residue: 0, ..inst.clone() };
        let text = print_program(&[(0, inst.clone())], generation, syntax);
        let Ok(again) = parse_program(&text, generation, syntax) else { continue };
        let code = encode_program(&again, generation).expect("what parses encodes");
        let known = decode_program(&code, generation).expect("what was encoded decodes");
        assert_eq!(meaning(&known[0].1), meaning(&inst), "{generation} {}: {text}", syntax.name());
    }
}
