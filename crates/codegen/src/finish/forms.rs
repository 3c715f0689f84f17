//! Equal instructions of another form, for compaction: the compacted forms have few combinations of types, of first bytes in
//! registers, of flags and of predicates, and not the same ones for both sources.

use crestline_isa::compact::has_compact_form;
use crestline_isa::{CondMod, Gen, Inst, Opcode, Place, PredCtrl, Reg, Src, Type};

/// An instruction that has the same effect, with a compacted form if there is one among those that this module knows.
///
/// The effect includes the flags. Only the bits of a NaN may differ, if both sources of an instruction are NaNs.
pub(super) fn compactable(inst: &Inst, generation: Gen) -> Inst {
    if has_compact_form(inst, generation) {
        return inst.clone();
    }
    let swapped = exchange(inst);
    let forms = [inst].into_iter().chain(&swapped);
    let forms = forms
        .flat_map(|form| [Some(form.clone()), retyped(form, Type::Ud), retyped(form, Type::D)]);
    let mut forms = forms.flatten();
    forms.find(|form| has_compact_form(form, generation)).unwrap_or_else(|| inst.clone())
}

/// Whether an operand is a general register with a fixed number.
fn is_register(place: Place) -> bool {
    matches!(place, Place::Direct { reg: Reg::Grf(_), .. })
}

/// The instruction with its sources exchanged; `None` if that changes the effect or if a source is not a general register of
/// the same type as the other. (An immediate must be the last source, and accumulators have rules of their own.)
fn exchange(inst: &Inst) -> Option<Inst> {
    let [Src::Reg(a), Src::Reg(b), Src::None] = &inst.srcs else { return None };
    if a.ty != b.ty || !is_register(a.place) || !is_register(b.place) || inst.acc_wr_en {
        return None;
    }
    if !is_register(inst.dst.place) && !inst.dst.place.is_null() {
        return None;
    }
    let mut out = inst.clone();
    match inst.opcode {
        Opcode::Add | Opcode::And | Opcode::Or | Opcode::Xor => {}
        // The product of dwords of gen7 reads only a word of one source.
        Opcode::Mul if a.ty == Type::F => {}
        Opcode::Cmp => {
            out.cond_mod = match inst.cond_mod {
                CondMod::Z => CondMod::Z,
                CondMod::Nz => CondMod::Nz,
                CondMod::L => CondMod::G,
                CondMod::G => CondMod::L,
                CondMod::Le => CondMod::Ge,
                CondMod::Ge => CondMod::Le,
                _ => return None,
            }
        }
        Opcode::Sel
            if inst.cond_mod == CondMod::None && inst.predicate.ctrl == PredCtrl::Normal =>
        {
            out.predicate.inverse = !inst.predicate.inverse;
        }
        _ => return None,
    }
    out.srcs.swap(0, 1);
    Some(out)
}

/// The instruction with the type `ty`, UD or D, for all operands; `None` if that changes the effect or if an operand is not of
/// one of these types without modifiers.
fn retyped(inst: &Inst, ty: Type) -> Option<Inst> {
    let is_dword = |ty: Type| matches!(ty, Type::Ud | Type::D);
    let bits_only = match inst.opcode {
        Opcode::Mov | Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not => {
            matches!(inst.cond_mod, CondMod::None | CondMod::Z | CondMod::Nz)
        }
        Opcode::Add | Opcode::Shl | Opcode::Sel => inst.cond_mod == CondMod::None,
        Opcode::Cmp => matches!(inst.cond_mod, CondMod::Z | CondMod::Nz),
        _ => false,
    };
    if !bits_only || inst.saturate || inst.acc_wr_en || !is_dword(inst.dst.ty) {
        return None;
    }
    let mut out = inst.clone();
    out.dst.ty = ty;
    for src in &mut out.srcs {
        match src {
            Src::None => {}
            Src::Reg(src) if is_dword(src.ty) && !src.negate && !src.abs => src.ty = ty,
            Src::Imm(imm) if is_dword(imm.ty) => imm.ty = ty,
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_isa::text::{Syntax, parse_program, print_inst};

    const GEN: Gen = Gen::Gen9;

    /// Parses an instruction.
    fn read(text: &str) -> Inst {
        parse_program(&format!("{text}\n"), GEN, Syntax::Iga).expect("parses").remove(0)
    }

    /// The instruction that is used instead of another one; `None` if it stays.
    fn changed(inst: &Inst) -> Option<Inst> {
        let out = compactable(inst, GEN);
        let is_new = out != *inst;
        assert!(!is_new || has_compact_form(&out, GEN) && !has_compact_form(inst, GEN));
        is_new.then_some(out)
    }

    #[test]
    fn forms_that_compact() {
        for (text, wanted) in [
            (
                "add (8|M0) r3.0<1>:d r2.7<0;1,0>:d r5.0<8;8,1>:d",
                "add (8|M0) r3.0<1>:d r5.0<8;8,1>:d r2.7<0;1,0>:d",
            ),
            (
                "mul (16|M0) r8.0<1>:f r2.6<0;1,0>:f r4.0<8;8,1>:f",
                "mul (16|M0) r8.0<1>:f r4.0<8;8,1>:f r2.6<0;1,0>:f",
            ),
            (
                "cmp (8|M0) (lt)f0.0 null<1>:d r2.7<0;1,0>:d r5.0<8;8,1>:d",
                "cmp (8|M0) (gt)f0.0 null<1>:d r5.0<8;8,1>:d r2.7<0;1,0>:d",
            ),
            (
                "cmp (8|M0) (ge)f0.0 null<1>:f r2.7<0;1,0>:f r5.0<8;8,1>:f",
                "cmp (8|M0) (le)f0.0 null<1>:f r5.0<8;8,1>:f r2.7<0;1,0>:f",
            ),
            (
                "(~f0.0) sel (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud r5.0<8;8,1>:ud",
                "(f0.0) sel (8|M0) r3.0<1>:ud r5.0<8;8,1>:ud r2.0<8;8,1>:ud",
            ),
            (
                "shl (8|M0) r3.0<1>:d r2.0<8;8,1>:d 0x4:ud",
                "shl (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud 0x4:ud",
            ),
            (
                "and (8|M0) r3.0<1>:d r2.0<8;8,1>:ud r5.0<8;8,1>:ud",
                "and (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud r5.0<8;8,1>:ud",
            ),
        ] {
            let found = changed(&read(text)).unwrap_or_else(|| panic!("{text} stays"));
            let shown = print_inst(&Inst { compacted: false, ..found.clone() }, GEN, Syntax::Iga);
            assert_eq!(found, read(wanted), "{text} becomes {shown}");
        }
    }

    #[test]
    fn what_would_change_the_effect_stays() {
        for text in [
            // The order of the sources matters.
            "shr (8|M0) r3.0<1>:ud r2.7<0;1,0>:ud r5.0<8;8,1>:ud",
            "sel (8|M0) (lt)f0.0 r3.0<1>:f r2.7<0;1,0>:f r5.0<8;8,1>:f",
            "mul (8|M0) r3.0<1>:d r2.7<0;1,0>:d r5.0<8;8,1>:d",
            // The types matter.
            "add (8|M0) (sat)r3.0<1>:ud r2.0<8;8,1>:ud r5.0<8;8,1>:d",
            "add (8|M0) (lt)f0.0 r3.0<1>:ud r2.0<8;8,1>:ud r5.0<8;8,1>:d",
            "cmp (8|M0) (lt)f0.0 null<1>:ud r2.0<8;8,1>:ud r5.0<8;8,1>:d",
            "shl (8|M0) r3.0<1>:d -r2.0<8;8,1>:d 0x4:ud",
            "mov (8|M0) r3.0<1>:d r2.0<8;8,1>:uw",
            // An immediate is the last source.
            "(~f0.0) sel (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud 0x1:ud",
        ] {
            let inst = read(text);
            assert!(!has_compact_form(&inst, GEN), "{text} compacts as it is");
            assert_eq!(changed(&inst), None, "{text}");
        }
    }
}
