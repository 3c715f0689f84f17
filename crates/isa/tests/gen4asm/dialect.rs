//! Prints instructions in the dialect of `intel-gen4asm`, and determines which instructions the
//! dialect cannot express.

use super::flow;
use crestline_isa::*;
use std::fmt::Write;

/// Why the dialect cannot express an instruction, with the names of `docs/isa-notes.md`; `None` if
/// it can.
pub(crate) fn unsaid(i: &Inst, generation: Gen) -> Option<&'static str> {
    let types: Vec<Type> = i.srcs.iter().filter_map(Src::ty).chain([i.dst.ty]).collect();
    let regs: Vec<&SrcReg> = i.srcs.iter().filter_map(Src::as_reg).collect();
    let places = || regs.iter().map(|reg| reg.place).chain([i.dst.place]);
    let align16 = i.access_mode == AccessMode::Align16;
    let three = i.opcode.form() == Form::Three;
    let known = [Type::Ud, Type::D, Type::Uw, Type::W, Type::Ub, Type::B, Type::F];
    let letters = [PredCtrl::X, PredCtrl::Y, PredCtrl::Z, PredCtrl::W];
    let wide = [PredCtrl::Any32H, PredCtrl::All32H];
    let modified = regs.iter().any(|reg| reg.negate || reg.abs);
    let imm = i.srcs.iter().find_map(Src::as_imm);
    let indirect = |place| matches!(place, Place::Indirect { .. });
    if flow::is_flow(i) {
        let wide = wide.contains(&i.predicate.ctrl).then_some("predicates of 32 channels");
        let letters = letters.contains(&i.predicate.ctrl).then_some("predicates of a component");
        let size = (i.exec_size == 32).then_some("32 channels");
        return flow::unsaid(i, generation).or(wide).or(letters).or(size);
    }
    let math = i.math();
    let rows: &[(bool, &str)] = &[
        (i.opcode.form() == Form::Sends, "split sends"),
        (math.is_some() && i.saturate, "math with saturation"),
        (math.is_some() && i.srcs[0].as_imm().is_some(), "immediates as first source of math"),
        (
            math.is_some_and(|f| matches!(f, MathFn::Fdiv | MathFn::Invm | MathFn::Rsqrtm)),
            "math functions without a name",
        ),
        (
            matches!(
                i.opcode,
                Opcode::Movi
                    | Opcode::Dim
                    | Opcode::Smov
                    | Opcode::F32To16
                    | Opcode::F16To32
                    | Opcode::Bfi1
                    | Opcode::Csel
                    | Opcode::Madm
            ),
            "operations without a name",
        ),
        (matches!(i.cond_mod, CondMod::R | CondMod::O | CondMod::U), "conditions r, o and u"),
        (i.exec_size == 32, "32 channels"),
        (letters.contains(&i.predicate.ctrl), "predicates of a component"),
        (wide.contains(&i.predicate.ctrl), "predicates of 32 channels"),
        (types.iter().any(|ty| !known.contains(ty)), "64-bit, half-float and packed types"),
        (places().any(|place| is_arf(place, ArfKind::Accumulator)), "accumulators"),
        (regs.iter().any(|reg| reg.place.is_null()), "null sources"),
        (align16 && i.dst.place.is_null(), "null destinations in Align16"),
        (align16 && places().any(indirect), "indirect operands in Align16"),
        (align16 && types.contains(&Type::W), "type W behind components in Align16"),
        (
            align16 && is_arf(i.dst.place, ArfKind::Address),
            "address register destinations in Align16",
        ),
        (
            regs.iter()
                .any(|reg| matches!(reg.region, Region::Align1 { vstride: VStride::VxH, .. })),
            "an address per row",
        ),
        (imm.is_some_and(|imm| imm.ty == Type::W), "word immediates"),
        (imm.is_some_and(|imm| imm.ty == Type::F && !is_short(imm.bits)), "floats of many digits"),
        (places().any(|place| is_arf(place, ArfKind::Flag)), "flag registers as operands"),
        (
            regs.iter().any(|reg| is_arf(reg.place, ArfKind::Address)),
            "address registers as sources",
        ),
        (
            three && generation >= Gen::Gen8 && (modified || types != [Type::F; 4]),
            "three-source types and modifiers on gen8 and gen9",
        ),
        (
            generation >= Gen::Gen8
                && i.exec_size == 1
                && regs.iter().any(|reg| match reg.region {
                    Region::Align16 { vstride, .. } => vstride != 0,
                    region => matches!(region.strides(), Some((1.., ..))),
                }),
            "vertical strides of one channel on gen8 and gen9",
        ),
        (i.send().is_some_and(|send| send.desc.imm().is_none()), "descriptors in registers"),
        (three && i.flag != Flag::default(), "flag registers of three-source operations"),
        (
            three && matches!(i.dst.place, Place::Direct { sub: 1.., .. }),
            "subregisters of three-source destinations",
        ),
    ];
    rows.iter().find(|(unsaid, _)| *unsaid).map(|(_, why)| *why)
}

fn is_arf(place: Place, kind: ArfKind) -> bool {
    matches!(place, Place::Direct { reg: Reg::Arf(k, _), .. } if k == kind)
}

/// Whether a float has few digits, all before the exponent.
fn is_short(bits: u64) -> bool {
    let value = f32::from_bits(bits as u32);
    value.is_finite() && !value.is_sign_negative() && value < 1e6 && (value * 8.0).fract() == 0.0
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

fn swizzle(swizzle: Swizzle) -> String {
    swizzle.0.iter().map(|c| ['x', 'y', 'z', 'w'][usize::from(*c)]).collect()
}

pub(crate) fn source(out: &mut String, src: &Src) {
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
            place(out, reg.place);
            let _ = match reg.region {
                Region::Align16 { vstride, swizzle: s } => {
                    write!(out, "<{vstride}>.{}", swizzle(s))
                }
                Region::ThreeAlign16 { rep: true, .. } => write!(out, "<0,1,0>.x"),
                Region::ThreeAlign16 { swizzle: s, .. } => write!(out, "<4,4,1>.{}", swizzle(s)),
                region => {
                    let (v, w, h) = region.strides().expect("regions with strides");
                    write!(out, "<{v},{w},{h}>")
                }
            };
            out.push_str(reg.ty.name());
        }
    }
}

/// Payload and descriptors of a message.
fn message(out: &mut String, i: &Inst, generation: Gen) {
    let Some(send) = i.send() else { return };
    let sfid = u32::from(send.sfid.bits(generation).unwrap_or(0));
    // Gen4 and gen4.5 have the shared function beside the descriptor.
    let beside = if generation <= Gen::Gen45 { sfid << 24 } else { 0 };
    let desc = send.desc.imm().unwrap_or(0) | beside;
    if generation <= Gen::Gen5 {
        let _ = write!(out, " m{} ", send.base_mrf);
        source(out, &i.srcs[0]);
    } else if let Src::Reg(reg) = &i.srcs[0] {
        out.push(' ');
        place(out, reg.place);
    }
    let _ = write!(out, " {sfid:#x} {desc:#x}UD");
}

/// The instruction in the assembler's dialect, which counts subregisters in bytes.
pub(crate) fn text(i: &Inst, generation: Gen) -> String {
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
    if flow::is_flow(i) {
        flow::text(&mut out, i, generation);
        return out;
    }
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
    if i.opcode.is_send() {
        message(&mut out, i, generation);
    } else {
        for src in &i.srcs {
            out.push(' ');
            source(&mut out, src);
        }
        if let Some(function) = i.math() {
            let second = if i.srcs[1] == Src::None { "null " } else { "" };
            let _ = write!(out, " {second}{}", function.name());
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
