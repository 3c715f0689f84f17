//! Forms of the `mesa` syntax that Mesa's assembler reads: the counts of branches as the
//! instruction holds them, options of the older generations, and the bits of operands that an
//! operation does not have. Where `intel-gen4asm` knows a form, it judges what was understood.

use crestline_isa::text::{Syntax, parse_program, print_inst};
use crestline_isa::{Compression, Gen, Inst, Place, Reg, decode, decode_at, encode_into};
use crestline_judges::gen4asm::Gen4Asm;

fn parse(text: &str, generation: Gen) -> Inst {
    let parsed = parse_program(text, generation, Syntax::Mesa);
    let mut insts = parsed.unwrap_or_else(|errors| panic!("{generation} {text}: {}", errors[0]));
    assert_eq!(insts.len(), 1, "{text}");
    insts.remove(0)
}

fn bytes(inst: &Inst, generation: Gen) -> Vec<u8> {
    let mut out = Vec::new();
    encode_into(inst, generation, &mut out).expect("parsed instructions encode");
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Unused operands, by generation: text and bytes in memory order. The bits are those of Mesa's
/// assembler: on gen4 to gen7.5 the types and regions of the operands that it gives a branch, and
/// everywhere the type of the source that a move of an immediate lacks.
const UNUSED: &[(Gen, &str, &str)] = &[
    (Gen::Gen4, "while(8) Jump: -3 { align1 };", "2700600000001c0000340014600000fdff0000"),
];

#[test]
fn placeholder() {
    for (generation, text, _) in UNUSED {
        println!("{}", hex(&bytes(&parse(text, *generation), *generation)));
    }
}
