//! Tests of compaction. Programs of other compilers are expanded and compacted: the result does the
//! same, and at least as many instructions are compacted as by those compilers.

mod common;

use common::random::{Random, Wish, inst};
use common::{pack, programs};
use crestline_isa::compact::{
    COMPACT_BIT, ResizeError, compact, compact_in_pairs, compact_program, expand, expand_program,
};
use crestline_isa::text::{Syntax, parse_program};
use crestline_isa::{
    AccessMode, Branch, CondMod, Extra, Form, Gen, Inst, Opcode, Region, Src, SrcReg, Type,
    VStride, decode, decode_program, encode, encode_into,
};
use std::collections::BTreeMap;

/// Numbers of compacted instructions in the code of the oracle pack: those of its compilers, and
/// ours.
const COMPACTED: [(Gen, usize, usize); 6] = [
    (Gen::Gen7, 6456, 6482),
    (Gen::Gen75, 6764, 6790),
    (Gen::Gen8, 6662, 6975),
    (Gen::Gen9, 7594, 8080),
    (Gen::Gen11, 5005, 5335),
    (Gen::Gen12, 7896, 8358),
];

#[test]
fn foreign_programs_compact_at_least_as_well() {
    let Some(pack) = pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let mut counts = BTreeMap::<Gen, (usize, usize)>::new();
    for (path, generation, bytes) in programs(&pack) {
        let insts: Vec<Inst> = decode_program(&bytes, generation)
            .expect("decodes")
            .into_iter()
            .map(|(_, inst)| inst)
            .collect();
        let expanded = expand_program(&insts, generation).expect("branches to instructions");
        let compacted = compact_program(&expanded, generation).expect("branches to instructions");
        let work = |insts: &[Inst]| {
            insts.iter().filter(|i| i.compacted && i.opcode != Opcode::Nop).count()
        };
        let (theirs, ours) = (work(&insts), work(&compacted));
        assert!(ours >= theirs, "{}: {ours} compacted, not {theirs}", path.display());
        let count = counts.entry(generation).or_default();
        *count = (count.0 + theirs, count.1 + ours);
        for inst in &compacted {
            let bits = encode(inst, generation).expect("encodes");
            if inst.compacted {
                let short = compact(bits, generation).expect("compacts");
                assert_eq!(expand(short, generation), Ok(bits));
            }
        }
        let wanted = meanings(&insts, generation);
        same(&meanings(&compacted, generation), &wanted, &path.display().to_string());
        let again = expand_program(&compacted, generation).expect("branches to instructions");
        same(&meanings(&again, generation), &wanted, &format!("{}, expanded", path.display()));
    }
    let counts: Vec<(Gen, usize, usize)> =
        counts.into_iter().map(|(generation, (theirs, ours))| (generation, theirs, ours)).collect();
    assert_eq!(counts, COMPACTED, "another pack, or better or worse compaction");
}

#[test]
fn random_instructions_compact_to_themselves() {
    for generation in Gen::ALL {
        let mut random = Random::new(u64::from(generation.verx10()) + 3);
        let modes = [AccessMode::Align1, AccessMode::Align16];
        let modes = if generation >= Gen::Gen11 { &modes[..1] } else { &modes };
        let mut found = 0;
        for _ in 0..20_000 {
            let inst = inst(&mut random, Wish { generation, mode: random_of(modes, found) });
            let Ok(bits) = encode(&inst, generation) else { continue };
            if let Some(short) = compact(bits, generation) {
                assert_eq!(expand(short, generation), Ok(bits), "{generation} {inst:?}");
                found += 1;
            }
        }
        assert_eq!(found == 0, generation == Gen::Gen4, "{generation}: {found} compact");
    }
}

/// Alternates between the access modes.
fn random_of(modes: &[AccessMode], turn: usize) -> AccessMode {
    modes[turn % modes.len()]
}

/// The full form of a random compacted instruction, with the compaction bit clear.
fn random_compactable(random: &mut Random, generation: Gen) -> Option<u128> {
    let opcode = random.pick(Opcode::ALL);
    if opcode.form() == Form::Nullary {
        // All other bits of these must be zero; random bits are not.
        return None;
    }
    let code = u64::from(opcode.bits(generation)?);
    // The highest byte of the generator's numbers is zero.
    let word = random.next() << 16 ^ random.next();
    expand(word & !0xff | code | 1 << COMPACT_BIT, generation).ok()
}

/// A random compacted instruction expands to an instruction that compacts again.
#[test]
fn random_compacted_instructions_expand_and_compact_again() {
    for generation in Gen::ALL.into_iter().filter(|generation| *generation > Gen::Gen4) {
        let mut random = Random::new(u64::from(generation.verx10()) + 7);
        let mut forms = BTreeMap::new();
        for _ in 0..60_000 {
            let Some(full) = random_compactable(&mut random, generation) else { continue };
            let Ok(inst) = decode(full, generation) else { continue };
            if !inst.opcode.is_flow_control() {
                assert_eq!(encode(&inst, generation), Ok(full), "{generation} {inst:?}");
            }
            // Messages and branches are not compacted. Disputed table entries of gen7 are not used.
            let stays = inst.opcode.is_send() || inst.opcode.is_flow_control();
            let Some(short) = compact(full, generation) else {
                let disputed = matches!(generation, Gen::Gen7 | Gen::Gen75);
                assert!(stays || disputed, "{generation} {full:#034x} {inst:?}");
                continue;
            };
            assert!(!stays, "{generation} {inst:?}");
            assert_eq!(expand(short, generation), Ok(full), "{generation} {inst:?}");
            let three = inst.opcode.form() == Form::Three;
            let immediate = inst.srcs.iter().any(|src| src.as_imm().is_some());
            *forms.entry((three, immediate)).or_insert(0) += 1;
        }
        let has = |form| forms.get(&form).is_some_and(|count| *count > 20);
        assert!(has((false, false)), "{generation}: {forms:?}");
        assert_eq!(has((false, true)), generation >= Gen::Gen6, "{generation}: {forms:?}");
        let three = matches!(generation, Gen::Gen8 | Gen::Gen9 | Gen::Gen12 | Gen::Gen125);
        assert_eq!(has((true, false)), three, "{generation}: {forms:?}");
    }
}

/// An instruction without its size, and with one form for each group of equivalent encodings, for
/// comparison.
fn meaning(inst: &Inst, generation: Gen) -> Inst {
    let mut inst = Inst { compacted: false, ..inst.clone() };
    if let Extra::Branch(branch) = &mut inst.extra {
        (branch.jip, branch.uip) = (None, None);
    }
    if let Src::Imm(imm) = &mut inst.srcs[0] {
        // If source 0 is an immediate, the fields of source 1 have no effect.
        inst.residue &= !(0x3f << 89 | 0x1f << 42);
        if inst.opcode == Opcode::Mov && imm.ty == Type::Vf && imm.bits == 0 {
            imm.ty = Type::F;
        }
        let exact = !inst.saturate && inst.cond_mod == CondMod::None;
        if inst.opcode == Opcode::Mov && imm.ty == Type::D && inst.dst.ty == Type::D && exact {
            (imm.ty, inst.dst.ty) = (Type::Ud, Type::Ud);
        }
    }
    for src in &mut inst.srcs {
        if let Src::Reg(SrcReg { region, .. }) = src
            && generation == Gen::Gen125
            && let Region::Align1 { vstride: VStride::Elements(v), width, hstride: 1 } = *region
            && v == width
        {
            *region = Region::align1(1, 1, 0);
        }
    }
    inst
}

/// The meanings of the instructions of a program without no-ops, and for each branch the numbers of
/// the instructions that it leads to.
fn meanings(insts: &[Inst], generation: Gen) -> Vec<(Inst, [Option<usize>; 2])> {
    let padding = |inst: &Inst| matches!(inst.opcode, Opcode::Nop | Opcode::Nenop);
    // For each byte offset, the number of instructions in front of it that are not no-ops.
    let mut places = BTreeMap::new();
    let (mut offset, mut count) = (0_i64, 0);
    for inst in insts {
        places.insert(offset, count);
        offset += i64::from(inst.size());
        count += usize::from(!padding(inst));
    }
    places.insert(offset, count);
    let mut offset = 0_i64;
    let mut out = Vec::new();
    for inst in insts {
        let base = if inst.opcode == Opcode::Calla { 0 } else { offset };
        let lead = |target: Option<i32>| target.map(|t| places[&(base + i64::from(t))]);
        let targets = inst.branch().map_or([None; 2], |b| [lead(b.jip), lead(b.uip)]);
        if !padding(inst) {
            out.push((meaning(inst, generation), targets));
        }
        offset += i64::from(inst.size());
    }
    out
}

/// Panics at the first instruction with another meaning or other targets.
fn same(left: &[(Inst, [Option<usize>; 2])], right: &[(Inst, [Option<usize>; 2])], what: &str) {
    assert_eq!(left.len(), right.len(), "{what}: instructions");
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        assert_eq!(left, right, "{what}, instruction {index}");
    }
}

/// A program of instructions that compact, some that do not, and branches to any of them.
fn random_program(random: &mut Random, generation: Gen) -> Vec<Inst> {
    let length = 1 + random.below(40) as usize;
    let mut insts = Vec::new();
    while insts.len() < length {
        let found = if random.once_in(3) {
            Some(inst(random, Wish { generation, mode: AccessMode::Align1 }))
        } else {
            random_compactable(random, generation).and_then(|bits| decode(bits, generation).ok())
        };
        let Some(mut found) = found else { continue };
        if let Extra::Branch(branch) = &mut found.extra {
            let to = random.below(length as u64 + 1) as i32 - insts.len() as i32;
            let to = if found.opcode == Opcode::Calla { to + insts.len() as i32 } else { to };
            let both = |old: Option<i32>| old.map(|_| 16 * to);
            (branch.jip, branch.uip) = (both(branch.jip), both(branch.uip));
        }
        let padding = matches!(found.opcode, Opcode::Nop | Opcode::Nenop);
        if !padding && encode(&found, generation).is_ok() {
            insts.push(found);
        }
    }
    insts
}

#[test]
fn compaction_never_changes_what_a_program_means() {
    for generation in Gen::ALL {
        let mut random = Random::new(u64::from(generation.verx10()) + 11);
        let (mut shorter, mut branches) = (0, 0);
        for _ in 0..150 {
            let insts = random_program(&mut random, generation);
            let compacted = compact_program(&insts, generation).expect("branches to instructions");
            let wanted = meanings(&insts, generation);
            same(&meanings(&compacted, generation), &wanted, generation.name());
            let mut bytes = Vec::new();
            for inst in &compacted {
                encode_into(inst, generation, &mut bytes).expect("encodes");
            }
            let read = decode_program(&bytes, generation).expect("decodes");
            let read: Vec<Inst> = read.into_iter().map(|(_, inst)| inst).collect();
            same(&meanings(&read, generation), &wanted, &format!("{generation}, from its bytes"));
            let again = expand_program(&compacted, generation).expect("branches to instructions");
            same(&meanings(&again, generation), &wanted, &format!("{generation}, expanded"));
            shorter += compacted.iter().filter(|inst| inst.compacted).count();
            branches += wanted.iter().filter(|(_, targets)| targets[0].is_some()).count();
        }
        assert!(branches > 100, "{generation}: only {branches} branches");
        assert_eq!(shorter > 300, generation > Gen::Gen4, "{generation}: {shorter} compact");
    }
}

#[test]
fn compaction_in_pairs_needs_no_padding() {
    let line = "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n";
    let sizes = |text: &str| -> Vec<u32> {
        let insts = parse_program(text, Gen::Gen9, Syntax::Iga).expect("parses");
        let short = compact_in_pairs(&insts, Gen::Gen9).expect("compacts");
        short.iter().map(Inst::size).collect()
    };
    assert_eq!(sizes(&line.repeat(4)), [8; 4]);
    assert_eq!(sizes(&line.repeat(3)), [8, 8, 16]);
    assert_eq!(sizes(&format!("{line}nop\n{line}")), [8, 16, 8]);
    assert_eq!(sizes(&format!("{line}nop\n")), [16, 16]);
}

#[test]
fn jumps_follow_and_strange_targets_are_refused() {
    let text = "L0:\nmov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n\
                (f0.0) while (8|M0) L0\nmov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n";
    let insts = parse_program(text, Gen::Gen9, Syntax::Iga).expect("parses");
    let short = compact_program(&insts, Gen::Gen9).expect("compacts");
    assert_eq!(short.iter().map(Inst::size).collect::<Vec<_>>(), [8, 16, 8]);
    assert_eq!(short[1].branch().and_then(|branch| branch.jip), Some(-8));
    let mut odd = insts;
    odd[1].extra = Extra::Branch(Branch::jip(-4));
    let error = compact_program(&odd, Gen::Gen9).expect_err("no instruction there");
    assert_eq!(error, ResizeError::Target { index: 1, opcode: "while", target: 12 });
}
