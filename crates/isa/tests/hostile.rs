//! Tests with damaged input: decoders and parsers return errors with a position, and never panic.

mod common;

use common::random::{Random, Wish, inst};
use crestline_isa::text::{Syntax, parse_program, print_inst, print_program};
use crestline_isa::{AccessMode, Gen, ProgramError, decode_at, decode_program, encode};

#[test]
fn random_bytes_decode_or_say_where_they_do_not() {
    let mut random = Random::new(11);
    for generation in Gen::ALL {
        for _ in 0..3000 {
            let bytes: Vec<u8> = (0..16).map(|_| random.next() as u8).collect();
            if let Ok(inst) = decode_at(&bytes, 0, generation) {
                print_inst(&inst, generation, Syntax::Mesa);
                print_inst(&inst, generation, Syntax::Iga);
            }
            let cut = &bytes[..random.below(16) as usize];
            let _ = decode_program(cut, generation);
        }
    }
}

#[test]
fn a_truncated_instruction_is_named_with_its_offset() {
    let mut code = 0x7e_u128.to_le_bytes().to_vec();
    code.extend([1, 2, 3]);
    let error = decode_program(&code, Gen::Gen9).expect_err("truncated");
    assert_eq!(error, ProgramError::Truncated { offset: 16, left: 3 });
    assert_eq!(error.to_string(), "byte 0x10: the code ends within an instruction (3 bytes left)");
}

/// Printed instructions with single characters deleted, doubled or replaced.
#[test]
fn damaged_text_parses_or_says_where_it_does_not() {
    let mut random = Random::new(12);
    let alphabet: Vec<char> = "({<[.:;,|&~-+@$0x9rgfaW \u{e9}\n}]>)".chars().collect();
    for syntax in [Syntax::Iga, Syntax::Mesa] {
        for generation in Gen::ALL {
            let wish = Wish { generation, mode: AccessMode::Align1 };
            for _ in 0..1500 {
                let inst = inst(&mut random, wish);
                if encode(&inst, generation).is_err() {
                    continue;
                }
                let mut text: Vec<char> = print_inst(&inst, generation, syntax).chars().collect();
                let at = random.below(text.len() as u64) as usize;
                match random.below(3) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, random.pick(&alphabet)),
                    _ => text[at] = random.pick(&alphabet),
                }
                let text: String = text.into_iter().collect();
                if let Err(errors) = parse_program(&text, generation, syntax) {
                    let lines = text.lines().count().max(1);
                    for error in errors {
                        assert!((1..=lines).contains(&error.line), "{error} in {text:?}");
                        assert!(error.column >= 1, "{error} in {text:?}");
                    }
                }
            }
        }
    }
}

fn errors(text: &str, syntax: Syntax) -> Vec<String> {
    let errors = parse_program(text, Gen::Gen9, syntax).expect_err("has errors");
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn parse_errors_point_at_the_token_and_go_on() {
    let text = "\
        mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n\
        frob (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n\
        add (7|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f\n\
        add (8|M0) r1.0<1>:x r2.0<8;8,1>:f r3.0<8;8,1>:f\n\
        add (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n\
        mov (8|M0) r1.0<1>:w 70000:w\n\
        while (8|M0) nowhere\n\
        mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f {Fast}\n\
        mov (8|M0) r1.0<1>:f r2.9<8;8,1>:f\n";
    assert_eq!(
        errors(text, Syntax::Iga),
        [
            "2:1: expected an operation of gen9, found `frob`",
            "3:6: expected an execution size (1, 2, 4, 8, 16, 32), found `7`",
            "4:20: expected a type of gen9, found `x`",
            "5:35: expected a register, found end of line",
            "6:22: expected a value of type w, found `70000`",
            "7:14: expected a label defined in the text, found `nowhere`",
            "8:37: expected an instruction option of gen9, found `Fast`",
            "9:25: expected a subregister inside the register, found `9`",
        ]
    );
    let text = "mov(8) g1<1>F g2<8,8,1>F { align1 1Q };\nmov(8) g1<1>F m2<8,8,1>F { align1 1Q };\n";
    assert_eq!(
        errors(text, Syntax::Mesa),
        ["2:15: expected a register of gen9 (message registers end with gen6), found `m2`"]
    );
    let text = "a: nop\na: nop\n";
    assert_eq!(
        errors(text, Syntax::Iga),
        ["2:1: expected a label that is not defined yet, found `a`"]
    );
}

#[test]
fn a_print_of_a_parsed_program_is_the_program() {
    let text = "L0:\n(W) mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\nloop: // a comment\n\
                add (8|M0) r1.0<1>:f r1.0<8;8,1>:f 1.0:f /* and another */\n\
                (f0.0) while (8|M0) loop\n";
    let insts = parse_program(text, Gen::Gen9, Syntax::Iga).expect("parses");
    let mut offset = 0;
    let located: Vec<_> = insts
        .into_iter()
        .map(|inst| {
            let at = offset;
            offset += inst.size() as usize;
            (at, inst)
        })
        .collect();
    assert_eq!(
        print_program(&located, Gen::Gen9, Syntax::Iga),
        "L0:\n(W) mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\nL16:\n\
         add (8|M0) r1.0<1>:f r1.0<8;8,1>:f 1.0:f\n(f0.0) while (8|M0) L16\nL48:\n"
    );
}
