//! Gen4 to gen9 against `intel-gen4asm`: random one- and two-source instructions in Align1 and
//! Align16, written in its dialect, assemble to our bits.

mod common;

use common::random::{Random, Wish, inst};
use crestline_isa::*;
use crestline_judges::gen4asm::Gen4Asm;
use std::fmt::Write;

const GENERATIONS: [(Gen, u32); 6] = [
    (Gen::Gen4, 4),
    (Gen::Gen5, 5),
    (Gen::Gen6, 6),
    (Gen::Gen7, 7),
    (Gen::Gen8, 8),
    (Gen::Gen9, 9),
];

/// Brings a random instruction into what the assembler accepts: its checks of regions abort it.
fn tame(r: &mut Random, mut i: Inst, generation: Gen) -> Option<Inst> {
    let form = matches!(i.opcode.form(), Form::One | Form::Two);
    // The assembler has no names for these, or treats their operands specially.
    let unknown = matches!(
        i.opcode,
        Opcode::Movi | Opcode::Dim | Opcode::Smov | Opcode::F32To16 | Opcode::F16To32
    );
    let cond = matches!(i.cond_mod, CondMod::R | CondMod::O | CondMod::U);
    if !form || unknown || cond || i.exec_size == 32 {
        return None;
    }
    // Its grammar has no accumulators in all positions, and takes the letters of single
    // component predicates for something else.
    let letters = [PredCtrl::X, PredCtrl::Y, PredCtrl::Z, PredCtrl::W];
    let wide = [PredCtrl::Any32H, PredCtrl::All32H];
    let places = i.srcs.iter().filter_map(Src::as_reg).map(|src| src.place);
    let mut places = places.chain(Some(i.dst.place));
    let accumulator = |place: Place| {
        matches!(place, Place::Direct { reg: Reg::Arf(ArfKind::Accumulator, _), .. })
    };
    // Nor write masks for null, nor empty ones.
    let empty =
        i.access_mode == AccessMode::Align16 && (i.dst.writemask.0 == 0 || i.dst.place.is_null());
    let unsaid = letters.contains(&i.predicate.ctrl) || wide.contains(&i.predicate.ctrl);
    if unsaid || empty || places.any(accumulator) {
        return None;
    }
    i.group = 0;
    i.breakpoint = false;
    // It compresses by the size of the destination type.
    if generation <= Gen::Gen5 && i.exec_size == 16 && i.dst.ty.size() == 4 {
        i.compression = Compression::Compressed;
    }
    // It reads the type W behind a write mask as a component.
    if i.access_mode == AccessMode::Align16 && i.dst.ty == Type::W {
        return None;
    }
    let known = [Type::Ud, Type::D, Type::Uw, Type::W, Type::Ub, Type::B, Type::F];
    if !known.contains(&i.dst.ty) {
        return None;
    }
    let packed = match i.exec_size {
        1 => Region::SCALAR,
        2 => Region::align1(2, 2, 1),
        4 => Region::align1(4, 4, 1),
        _ => Region::align1(8, 8, 1),
    };
    for src in &mut i.srcs {
        match src {
            Src::Reg(reg) => {
                if !known.contains(&reg.ty) || reg.place.is_null() {
                    return None;
                }
                if i.access_mode == AccessMode::Align1 {
                    let wide = Region::align1(16, 8, 2);
                    reg.region = match r.below(3) {
                        0 => Region::SCALAR,
                        1 if i.exec_size >= 8 => wide,
                        _ => packed,
                    };
                }
            }
            Src::Imm(imm) => {
                // Floats in decimal must name the same value; packed vectors are checked.
                imm.bits = match imm.ty {
                    Type::F => u64::from((r.below(400) as f32 / 8.0).to_bits()),
                    Type::D | Type::Ud => r.below(1 << 31),
                    Type::Uw => r.below(1 << 16),
                    _ => return None,
                };
            }
            Src::None => {}
        }
    }
    // The address register is named in bytes, indirect Align16 is refused.
    let indirect = |place: Place| matches!(place, Place::Indirect { .. });
    let any_indirect = indirect(i.dst.place)
        || i.srcs.iter().filter_map(Src::as_reg).any(|src| indirect(src.place));
    (i.access_mode == AccessMode::Align1 || !any_indirect).then_some(i)
}

fn place(out: &mut String, place: Place) {
    match place {
        Place::Direct { reg, sub } => {
            let _ = match reg {
                Reg::Grf(nr) => write!(out, "g{nr}"),
                Reg::Mrf(nr) => write!(out, "m{nr}"),
                Reg::Arf(ArfKind::Null, _) => write!(out, "null"),
                Reg::Arf(kind, nr) => write!(out, "{}{nr}", kind.name()),
            };
            if sub != 0 {
                let _ = write!(out, ".{sub}");
            }
        }
        Place::Indirect { addr, offset } => {
            let _ = write!(out, "g[a0.{},{offset}]", 2 * addr);
        }
    }
}

fn components(mask: WriteMask) -> String {
    "xyzw".chars().enumerate().filter(|(n, _)| mask.0 >> n & 1 != 0).map(|(_, c)| c).collect()
}

/// The instruction in the assembler's dialect, which counts subregisters in bytes.
fn text(i: &Inst) -> String {
    let mut out = String::new();
    if i.predicate.ctrl != PredCtrl::None {
        let sign = if i.predicate.inverse { '-' } else { '+' };
        let _ = write!(out, "({sign}f{}.{}", i.flag.nr, i.flag.subnr);
        if i.predicate.ctrl != PredCtrl::Normal {
            let _ = write!(out, ".{}", i.predicate.ctrl.name());
        }
        out.push_str(") ");
    }
    out.push_str(i.opcode.name());
    if i.cond_mod != CondMod::None {
        let _ = write!(out, ".{}.f{}.{}", i.cond_mod.name(), i.flag.nr, i.flag.subnr);
    }
    if i.saturate {
        out.push_str(".sat");
    }
    let _ = write!(out, " ({}) ", i.exec_size);
    place(&mut out, i.dst.place);
    let _ = write!(out, "<{}>", i.dst.hstride);
    if i.access_mode == AccessMode::Align16 {
        let _ = write!(out, ".{}", components(i.dst.writemask));
    }
    out.push_str(i.dst.ty.name());
    for src in &i.srcs {
        out.push(' ');
        match src {
            Src::None => {}
            Src::Imm(imm) => {
                let _ = match imm.ty {
                    Type::F => write!(out, "{:?}F", f32::from_bits(imm.bits as u32)),
                    ty => write!(out, "{}{}", imm.bits, ty.name()),
                };
            }
            Src::Reg(reg) => {
                out.push_str(if reg.negate { "-" } else { "" });
                out.push_str(if reg.abs { "(abs)" } else { "" });
                place(&mut out, reg.place);
                match reg.region {
                    Region::Align16 { vstride, swizzle } => {
                        let name = |c: &u8| ['x', 'y', 'z', 'w'][usize::from(*c)];
                        let swizzle: String = swizzle.0.iter().map(name).collect();
                        let _ = write!(out, "<{vstride}>.{swizzle}");
                    }
                    region => {
                        let (v, w, h) = region.strides().expect("tamed regions");
                        let _ = write!(out, "<{v},{w},{h}>");
                    }
                }
                out.push_str(reg.ty.name());
            }
        }
    }
    let mode = match i.access_mode {
        AccessMode::Align1 => "align1",
        AccessMode::Align16 => "align16",
    };
    let _ = write!(out, " {{ {mode}");
    for (set, name) in [
        (i.no_mask, "mask_disable"),
        (i.no_dd_clear, "NoDDClr"),
        (i.no_dd_check, "NoDDChk"),
        (i.thread_ctrl == ThreadCtrl::Switch, "switch"),
    ] {
        if set {
            let _ = write!(out, " {name}");
        }
    }
    out.push_str(" };\n");
    out
}

#[test]
fn gen4asm_assembles_our_bits() {
    let Some(judge) = crestline_judges::ask(Gen4Asm::find()) else { return };
    let count: usize =
        std::env::var("CRESTLINE_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let mut failures = Vec::new();
    for (generation, number) in GENERATIONS {
        for mode in [AccessMode::Align1, AccessMode::Align16] {
            let mut random = Random::new(u64::from(number) * 2 + mode as u64);
            let (mut agreed, mut refused) = (0, 0);
            while agreed + refused < count {
                let raw = inst(&mut random, Wish { generation, mode });
                let Some(inst) = tame(&mut random, raw, generation) else { continue };
                let Ok(bits) = encode(&inst, generation) else { continue };
                let line = text(&inst);
                match judge.assemble(number, &line) {
                    Ok(rows) => {
                        agreed += 1;
                        let theirs = rows[0]
                            .iter()
                            .rev()
                            .fold(0_u128, |all, word| all << 32 | u128::from(*word));
                        // It fills some unused fields otherwise from gen8 on: the type of
                        // an absent source 1, the destination stride in Align16.
                        let same = theirs == bits
                            || generation >= Gen::Gen8
                                && decode(theirs, generation)
                                    .is_ok_and(|back| Inst { residue: 0, ..back } == inst);
                        if rows.len() != 1 || !same {
                            let xor = theirs ^ bits;
                            failures.push(format!(
                                "{generation} {line}  ours {bits:032x}\n  asm  {theirs:032x}\n  xor  {xor:032x}"
                            ));
                        }
                    }
                    Err(error) => {
                        refused += 1;
                        if std::env::var_os("CRESTLINE_SHOW_REFUSED").is_some() {
                            eprintln!("{line}{error}");
                        }
                    }
                }
            }
            eprintln!("{generation} {mode:?}: {agreed} assembled, {refused} refused");
            assert!(agreed * 4 > count, "{generation} {mode:?}: {refused} of {count} refused");
        }
    }
    let shown = failures[..20.min(failures.len())].join("\n");
    assert!(failures.is_empty(), "{} failures:\n{shown}", failures.len());
}
