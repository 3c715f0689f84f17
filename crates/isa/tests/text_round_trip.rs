//! Tests that printed text parses to the same instructions.

mod common;

use common::random::{Random, Wish, inst, with_targets_inside};
use common::{pack, programs};
use crestline_isa::text::{Disassembly, Syntax, parse_program, print_program};
use crestline_isa::{
    AccessMode, CondMod, Extra, Flag, Gen, Inst, Opcode, PredCtrl, Region, Src, SrcReg, Swizzle,
    decode_program, encode, encode_program,
};

/// Random programs of full instructions, as many as given.
fn program(random: &mut Random, wish: Wish, len: usize) -> Vec<(usize, Inst)> {
    let mut out = Vec::new();
    while out.len() < len {
        let inst = inst(random, wish);
        if encode(&inst, wish.generation).is_ok() {
            let inst = with_targets_inside(&inst, out.len(), len);
            out.push((out.len() * 16, inst));
        }
    }
    out
}

fn round_trip(syntax: Syntax, wish: Wish, programs: usize) {
    let generation = wish.generation;
    let mut random = Random::new(u64::from(generation.verx10()) + 7);
    for _ in 0..programs {
        let insts = program(&mut random, wish, 50);
        let text = print_program(&insts, generation, syntax);
        let back = match parse_program(&text, generation, syntax) {
            Ok(back) => back,
            Err(errors) => {
                let line = text.lines().nth(errors[0].line - 1).unwrap_or("");
                panic!("{generation} {}: {}\n{line}", syntax.name(), errors[0]);
            }
        };
        assert_eq!(back.len(), insts.len());
        for ((_, ours), theirs) in insts.iter().zip(back) {
            let line = crestline_isa::text::print_inst(ours, generation, syntax);
            let (ours, theirs) = (sayable(ours, syntax), sayable(&theirs, syntax));
            assert_eq!(theirs, ours, "{generation} {}: {line}", syntax.name());
        }
    }
}

#[test]
fn iga_text_parses_to_the_same_instructions() {
    for generation in [Gen::Gen75, Gen::Gen8, Gen::Gen9, Gen::Gen11, Gen::Gen12, Gen::Gen125] {
        round_trip(Syntax::Iga, Wish { generation, mode: AccessMode::Align1 }, 60);
    }
}

/// Some of them are printed by their other name, `mme0` to `mme7`.
#[test]
fn every_accumulator_has_a_name_that_parses() {
    for generation in [Gen::Gen75, Gen::Gen8, Gen::Gen9, Gen::Gen11, Gen::Gen12, Gen::Gen125] {
        for number in 0..16 {
            let text = format!("mov (8|M0) r1.0<1>:f acc{number}.0<8;8,1>:f");
            let insts = parse_program(&text, generation, Syntax::Iga).unwrap();
            let printed = print_program(&[(0, insts[0].clone())], generation, Syntax::Iga);
            assert_eq!(parse_program(&printed, generation, Syntax::Iga), Ok(insts), "{printed}");
        }
    }
}

#[test]
fn mesa_text_parses_to_the_same_instructions() {
    for generation in Gen::ALL {
        round_trip(Syntax::Mesa, Wish { generation, mode: AccessMode::Align1 }, 40);
        if generation <= Gen::Gen9 {
            round_trip(Syntax::Mesa, Wish { generation, mode: AccessMode::Align16 }, 40);
        }
    }
}

/// Foreign programs: all but what text cannot say (residues) survives.
fn foreign_round_trip(syntax: Syntax) {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut count = 0;
    for (path, generation, bytes) in programs(&pack) {
        // The code of each compiler in the syntax of its own tools.
        let kernel = path.extension().is_some_and(|extension| extension == "krn");
        if kernel != (syntax == Syntax::Iga) {
            continue;
        }
        let insts = decode_program(&bytes, generation).expect("decodes");
        let text = print_program(&insts, generation, syntax);
        let back = parse_program(&text, generation, syntax)
            .unwrap_or_else(|errors| panic!("{}: {}", path.display(), errors[0]));
        assert_eq!(back.len(), insts.len(), "{}", path.display());
        for ((offset, inst), back) in insts.iter().zip(back) {
            count += 1;
            let (inst, back) = (sayable(inst, syntax), sayable(&back, syntax));
            assert_eq!(back, inst, "{} +{offset:#x}", path.display());
        }
    }
    assert!(count > 10_000);
}

/// The instruction as the text can say it: without the fields that are not in use.
fn sayable(inst: &Inst, syntax: Syntax) -> Inst {
    let mut inst = Inst { residue: 0, ..inst.clone() };
    let quiet = matches!(inst.opcode, Opcode::Sel | Opcode::Csel | Opcode::If | Opcode::While);
    let shown = syntax == Syntax::Iga || !quiet;
    let flag_used =
        inst.predicate.ctrl != PredCtrl::None || inst.cond_mod != CondMod::None && shown;
    if !flag_used && !inst.is_macro() {
        inst.flag = Flag::default();
    }
    for src in &mut inst.srcs {
        // A replicated element has no use for selectors, nor a whole dump for its own ones.
        if let Src::Reg(SrcReg { region: Region::ThreeAlign16 { rep: true, swizzle }, .. }) = src {
            *swizzle = Swizzle::XYZW;
        }
    }
    if inst.math().is_some_and(|function| function.sources() == 1) {
        inst.srcs[1] = Src::None;
    }
    if let (Extra::Branch(branch), Syntax::Iga) = (&mut inst.extra, syntax) {
        // The syntax shows the branch control of three operations only.
        branch.branch_ctrl &= matches!(inst.opcode, Opcode::If | Opcode::Else | Opcode::Goto);
    }
    inst
}

#[test]
fn foreign_iga_text_parses_to_the_same_instructions() {
    foreign_round_trip(Syntax::Iga);
}

#[test]
fn foreign_mesa_text_parses_to_the_same_instructions() {
    foreign_round_trip(Syntax::Mesa);
}

/// Bits of operands that have no use for them survive all the same.
#[test]
fn payload_regions_strides_and_groups_are_kept() {
    for (generation, line) in [
        (Gen::Gen75, "send(8) g2<2>UD g10<8,8,1>UD 0x02420000 sampler MsgDesc: { align1 };"),
        (Gen::Gen8, "send(8) g2<4>F g10<4,4,1>D 0x02420000 sampler MsgDesc: { align1 };"),
        (Gen::Gen9, "mov(16) g2<2>F g10<8,8,1>F { align1 3Q };"),
        (Gen::Gen9, "mov(32) g2<1>UW g10<16,16,1>UW { align1 3N };"),
        (Gen::Gen9, "mov(8) g114<1>UD 0x00000000UD { align16 1Q };"),
    ] {
        let insts = parse_program(line, generation, Syntax::Mesa).expect("it parses");
        for syntax in [Syntax::Mesa, Syntax::Iga] {
            let text = print_program(&[(0, insts[0].clone())], generation, syntax);
            assert_eq!(parse_program(&text, generation, syntax), Ok(insts.clone()), "{text}");
        }
    }
}

/// Foreign programs, with the bits that text alone does not say: all bytes come back, whichever
/// syntax the text has; `wholly` counts those of a compiler in the syntax of its own tools that
/// need no further bits.
#[test]
fn text_with_raw_bits_gives_back_the_same_code() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let (mut all, mut own, mut wholly) = (0, 0, 0);
    for (path, generation, bytes) in programs(&pack) {
        let kernel = path.extension().is_some_and(|extension| extension == "krn");
        for syntax in [Syntax::Mesa, Syntax::Iga] {
            if syntax == Syntax::Iga && generation < Gen::Gen75 {
                continue;
            }
            let code = Disassembly::new(&bytes, generation, syntax).with_raw_bits(true);
            let text = code.print(0..code.instructions()).text;
            let place = format!("{} {}", path.display(), syntax.name());
            let back = parse_program(&text, generation, syntax)
                .unwrap_or_else(|errors| panic!("{place}: {}", errors[0]));
            let again = encode_program(&back, generation).expect("what was read encodes");
            assert!(bytes.starts_with(&again), "{place}");
            let padding = &bytes[again.len()..];
            assert!(padding.len() < 16 && padding.iter().all(|byte| *byte == 0), "{place}");
            all += 1;
            if kernel == (syntax == Syntax::Iga) {
                own += 1;
                wholly += usize::from(!text.contains(".bits"));
                assert!(!text.contains(".bytes"), "{place}: a syntax has words for its own code");
            }
        }
    }
    eprintln!("{all} texts; {wholly} of {own} programs in their own syntax need no more bits");
    assert!(own > 400 && wholly > 400);
}

/// Bits that no field of the instruction uses, in both syntaxes, and what is refused.
#[test]
fn bits_in_front_of_an_instruction_are_set() {
    let generation = Gen::Gen9;
    for (syntax, line) in [
        (Syntax::Mesa, "mov(8) g1<1>F g2<8,8,1>F { align1 1Q };"),
        (Syntax::Iga, "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f"),
    ] {
        let plain = parse_program(line, generation, syntax).expect("parses");
        let plain = encode(&plain[0], generation).expect("encodes");
        let read = |bits: &str| parse_program(&format!("{bits} ;\n{line}"), generation, syntax);
        let set = read(".bits [119:118]=0x2 [101:101]=1").expect("parses");
        let set = encode(&set[0], generation).expect("encodes");
        assert_eq!(set ^ plain, 2 << 118 | 1 << 101, "{}", syntax.name());
        for (bits, why) in [
            (".bits [119:118]=4", "a value of 2 bits"),
            (".bits [118:119]=1", "not above it"),
            (".bits [6:0]=0x40", "they make it add"),
            (".bits word[6:0]=1", "it is not compacted"),
            (".bits [128:128]=1", "the number of a bit"),
        ] {
            let errors = read(bits).expect_err(bits);
            assert!(errors[0].expected.contains(why), "{bits}: {}", errors[0]);
        }
    }
    assert!(parse_program(".bits [0:0]=1 ;", generation, Syntax::Mesa).is_err());
}
