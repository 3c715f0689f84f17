//! Tests of forms of the `mesa` syntax that Mesa's assembler accepts: branch distances in the units
//! of the encoding, options of old generations, and the bits of operands that an operation does not
//! have. Forms that `intel-gen4asm` also has are compared with its output.

use crestline_isa::text::{Syntax, parse_program, print_inst};
use crestline_isa::{Gen, Inst, decode, encode_into};
use crestline_judges::gen4asm::Gen4Asm;

fn parse(text: &str, generation: Gen) -> Inst {
    let parsed = parse_program(text, generation, Syntax::Mesa);
    let mut insts = parsed.unwrap_or_else(|errors| panic!("{generation} {text}: {}", errors[0]));
    assert_eq!(insts.len(), 1, "{text}");
    insts.remove(0)
}

fn hex(inst: &Inst, generation: Gen) -> String {
    let mut bytes = Vec::new();
    encode_into(inst, generation, &mut bytes).expect("parsed instructions encode");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Forms of both assemblers, with an instruction of each: generation, our text, theirs.
const JUDGED: &[(Gen, &str, &str)] = &[
    (Gen::Gen4, "(-f0.0) break(16) Jump: 9 Pop: 2 { align1 };", "(-f0) break (16) 9 2;"),
    (Gen::Gen4, "while(1) Jump: -7 { align1 switch };", "while (1) -7;"),
    (Gen::Gen4, "endif(1) Pop: 0 { align1 switch };", "endif;"),
    (Gen::Gen4, "do(1) { align1 };", "do;"),
    (Gen::Gen45, "(+f0.0) jmpi(1) 3D { align1 };", "(f0) jmpi 4;"),
    (Gen::Gen5, "(+f0.0) if(8) Jump: 22 { align1 switch };", "(f0) if (8) 11;"),
    (Gen::Gen5, "jmpi(1) Jump: -6 { align1 };", "jmpi -2;"),
    (Gen::Gen6, "jmpi(1) JIP: 10 { align1 };", "jmpi 6;"),
    (Gen::Gen7, "while(8) JIP: -14 { align1 };", "while (8) -7;"),
    (
        Gen::Gen4,
        "add(8) g3<1>F g4<8,8,1>F g5<8,8,1>F { align1 nomask };",
        "add (8) g3<1>F g4<8,8,1>F g5<8,8,1>F { align1 mask_disable };",
    ),
];

#[test]
fn forms_mean_what_another_assembler_reads() {
    let Some(tool) = crestline_judges::ask(Gen4Asm::find()) else { return };
    for (generation, ours, theirs) in JUDGED {
        let number = generation.name().trim_start_matches("gen");
        let rows = tool.assemble(number, &format!("{theirs}\n"));
        let rows = rows.unwrap_or_else(|error| panic!("{theirs}: {error}"));
        let row = rows[0].iter().rev().fold(0_u128, |all, word| all << 32 | u128::from(*word));
        let read = Inst { residue: 0, ..decode(row, *generation).expect("decodes") };
        assert_eq!(Inst { residue: 0, ..parse(ours, *generation) }, read, "{generation} {ours}");
    }
}

/// Bytes in memory order. What an operation leaves unused, and what only Mesa's assembler has,
/// was taken from the expected bytes of its public tests, with other registers and numbers.
const BYTES: &[(Gen, &str, &str)] = &[
    // Branches of gen4 and gen5 name the instruction pointer and an immediate D.
    (Gen::Gen4, "while(8) Jump: -3 { align1 };", "27006000001c003400146000fdff0000"),
    (Gen::Gen5, "cont(8) Jump: 6 Pop: 3 { align16 };", "29016000001c0f3404146e0006000300"),
    (Gen::Gen4, "endif(8) Pop: 3 { align1 switch };", "25806000841c002000008d0000000300"),
    (Gen::Gen45, "do(8) { align1 };", "260060009c73002000008d0000008d00"),
    (
        Gen::Gen5,
        "(+f0.0) jmpi(1) 0x00000006UD { align1 nomask };",
        "20020100000c00340014000006000000",
    ),
    (
        Gen::Gen5,
        "mul(16) m5<1>F g2<8,8,1>F g4<8,8,1>F { align1 compr4 };",
        "41208000be77a03040008d0080008d00",
    ),
    (
        Gen::Gen4,
        "send(8) 3 g9<1>F g8<8,8,1>F 0x01110001 math MsgDesc: inv mlen 1 rlen 1 { align1 };",
        "31006003bd0f202100018d0001001101",
    ),
    (
        Gen::Gen6,
        "send(8) g5<1>UD m3<4>F 0x04112003 dp_sampler MsgDesc: (3, 0, 2, 0) mlen 2 rlen 1 { align16 1Q };",
        "31016004c10faf2064006e0003201104",
    ),
    (Gen::Gen6, "(+f0.0) if(8) JIP: 4 { align1 1Q };", "220061008f1004000000000000000000"),
    (Gen::Gen6, "while(8) JIP: -6 { align1 1Q };", "270060008f10faff00008d0000008d00"),
    (Gen::Gen6, "cont(8) JIP: 2 UIP: 4 { align16 1Q };", "29016000001c0f3404146e0002000400"),
    (Gen::Gen7, "wait(1) n0<1>.yUD { align16 WE_all 1N };", "30030000007002320512050004006e00"),
    (Gen::Gen7, "else(16) JIP: 8 { align1 1H };", "24008000843c002000008d0008000000"),
    (Gen::Gen75, "break(8) JIP: 2 UIP: 6 { align1 1Q };", "28006000841c002000008d0002000600"),
    (
        Gen::Gen75,
        "dim(4) g6<1>.xDF 0x4000000000000000F { align16 WE_all 1N };",
        "0a034000f973c1200000000000000040",
    ),
    (Gen::Gen8, "mov(8) g7<1>F 0x40000000F { align1 1Q };", "01006000e83ee0200000003800000040"),
    (Gen::Gen8, "endif(16) JIP: 32 { align1 1H };", "25008000000e00000000000820000000"),
    (Gen::Gen9, "cont(8) JIP: 16 UIP: 48 { align1 1Q };", "29006000000e00343000000010000000"),
    (Gen::Gen9, "wait(1) n0.1<1>UD { align1 WE_all 1N };", "30000000040004320412003800008d00"),
    (
        Gen::Gen9,
        "mad(8) g5<1>F g3<4,4,1>F g2.3<0,1,0>F g4<4,4,1>F { align16 1Q };",
        "5b01600000001e05c83120c004200701",
    ),
    (
        Gen::Gen12,
        "sync nop(8) null<0,1,0>UB { align1 WE_all 1Q @2 };",
        "01020380000000000000000000000000",
    ),
    (
        Gen::Gen125,
        "send(8) nullUD g14UD g24UD 0x040350fc a0.1<0>UD dp data 1 MsgDesc: (write) mlen 2 \
         src1_len = 4 ex_bso rlen 0 { align1 1Q $5 };",
        "3145030080010200140ef8c12418d400",
    ),
];

#[test]
fn bytes_are_those_of_mesas_assembler() {
    for (generation, text, expected) in BYTES {
        let inst = parse(text, *generation);
        assert_eq!(&hex(&inst, *generation), expected, "{generation} {text}");
        // The text of it says the same.
        let printed = print_inst(&inst, *generation, Syntax::Mesa);
        assert_eq!(parse(&printed, *generation).extra, inst.extra, "{generation} {printed}");
    }
}
