//! Determines which instructions a syntax has no text for.

use super::iga::arf_style;
use super::parse::parse_program;
use super::{Syntax, print_inst};
use crate::codec::{decode, encode};
use crate::inst::{
    DescSrc, Dst, Extra, Flag, Inst, Place, Reg, Region, Src, SrcReg, Swizzle, WriteMask,
};
use crate::program::encode_into;
use crate::tables::{AccessMode, ArfKind, CondMod, Form, Opcode, PredCtrl, Sfid, ThreadCtrl, Type};
use crestline_device::Gen;

/// Why a syntax has no text for an instruction: the printed text would not parse, or would parse to
/// a different instruction. `None` if it has a text. Bits that have no effect in this instruction
/// do not count as different; [`with_raw_bits`](super::Disassembly::with_raw_bits) preserves them.
///
/// [`print_program`](super::print_program) prints such an instruction as `.bytes`; [`print_inst`]
/// prints the closest text. The test `text_mutations` compares this function with the results of
/// the parsers.
pub fn unrepresentable(inst: &Inst, generation: Gen, syntax: Syntax) -> Option<&'static str> {
    if is_common(inst) || gives_back(inst, generation, syntax) {
        return None;
    }
    Some(reason(inst, syntax))
}

/// Whether an instruction is one of the common forms that both syntaxes certainly have a text for.
/// This check is much faster than [`gives_back`]. `false` means unknown.
fn is_common(inst: &Inst) -> bool {
    let form = inst.opcode.form();
    let simple = matches!(inst.exec_size, 1 | 2 | 4 | 8 | 16)
        && inst.group.is_multiple_of(inst.exec_size.max(4))
        && inst.group + inst.exec_size <= 32
        && inst.thread_ctrl == ThreadCtrl::Normal
        && inst.residue == 0
        && matches!(inst.predicate.ctrl, PredCtrl::None | PredCtrl::Normal)
        && inst.dst.mme.is_none()
        && matches!(inst.dst.hstride, 1 | 2 | 4)
        && inst.dst.writemask == WriteMask::XYZW;
    let place = |place: Place, ty: Type| match place {
        Place::Direct { reg: Reg::Grf(nr), sub } => {
            nr < 128 && sub < 32 && u32::from(sub).is_multiple_of(ty.size())
        }
        Place::Direct { reg: Reg::Arf(ArfKind::Null, 0), sub } => sub == 0,
        Place::Direct { reg: Reg::Arf(ArfKind::Flag, nr), sub } => {
            nr < 2 && sub < 4 && u32::from(sub).is_multiple_of(ty.size())
        }
        _ => false,
    };
    if !simple || !place(inst.dst.place, inst.dst.ty) {
        return false;
    }
    let align1 = inst.access_mode == AccessMode::Align1;
    let source = |src: &Src| match src {
        Src::None => true,
        Src::Imm(imm) => imm.ty.size() <= 4,
        Src::Reg(src) => {
            let region = match src.region {
                Region::Align1 { .. } => true,
                Region::ThreeAlign16 { rep, swizzle } => {
                    (rep || swizzle == Swizzle::XYZW) && src.ty == Type::F
                }
                _ => false,
            };
            region && place(src.place, src.ty)
        }
    };
    let shape = match (form, &inst.extra) {
        (Form::One, Extra::None) => align1,
        (Form::Two, Extra::None) => align1 && inst.srcs[1] != Src::None,
        (Form::Math, Extra::Math(function)) => {
            let second = usize::from(function.sources() == 2);
            align1
                && !function.is_macro()
                && second == usize::from(inst.srcs[1] != Src::None)
                && inst.srcs[..=second].iter().all(|src| src.as_reg().is_some())
        }
        (Form::Three, Extra::None) => {
            let vectors = inst.dst.ty == Type::F && inst.exec_size >= 8;
            !align1 && vectors && inst.srcs.iter().all(|src| src.as_reg().is_some())
        }
        (Form::Send | Form::Sends, Extra::Send(send)) => {
            let words = [send.desc, send.ex_desc];
            let whole = |place| matches!(place, Place::Direct { sub: 0, .. });
            let mut sources = inst.srcs.iter().filter_map(Src::as_reg);
            align1
                && !inst.saturate
                && inst.cond_mod == CondMod::None
                && !send.fusion_ctrl
                && sources.clone().all(|src| !src.negate && !src.abs)
                && words.iter().all(|word| matches!(word, DescSrc::Imm(_)))
                && whole(inst.dst.place)
                && sources.all(|src| whole(src.place))
        }
        _ => false,
    };
    shape && inst.srcs.iter().all(source)
}

/// Whether the printed text of an instruction parses to an instruction with the same effect.
fn gives_back(inst: &Inst, generation: Gen, syntax: Syntax) -> bool {
    let text = print_inst(inst, generation, syntax);
    let Ok(read) = parse_program(&text, generation, syntax) else { return false };
    let [read] = read.as_slice() else { return false };
    // For some instructions the compacted form exists only with certain values of unused bits,
    // which the text does not contain.
    let encodes = |inst: &Inst| encode_into(inst, generation, &mut Vec::new()).is_ok();
    if read.compacted && !encodes(read) && encodes(inst) {
        return false;
    }
    let meant = |inst: &Inst| {
        let bits = encode(inst, generation).ok()?;
        decode(bits, generation).ok().map(|known| (meaning(known), inst.compacted))
    };
    meant(read).is_some_and(|read| meant(inst) == Some(read))
}

/// Sets all fields that have no effect in this instruction to default values.
fn meaning(mut inst: Inst) -> Inst {
    inst.residue = 0;
    if matches!(inst.opcode, Opcode::Sync | Opcode::Wait) {
        (inst.exec_size, inst.group) = (1, 0);
        inst.dst = Dst::new(Place::NULL, Type::Ud, 1);
        if let Src::Reg(src) = &mut inst.srcs[0] {
            (src.region, src.ty) = (Region::SCALAR, Type::Ud);
        }
    }
    // A replicated element is selected by its subregister; the swizzle has no effect.
    for src in &mut inst.srcs {
        if let Src::Reg(SrcReg { region: Region::ThreeAlign16 { rep: true, swizzle }, .. }) = src {
            *swizzle = Swizzle::XYZW;
        }
    }
    if inst.math().is_some_and(|function| function.sources() == 1) {
        inst.srcs[1] = Src::None;
    }
    if inst.predicate.ctrl == PredCtrl::None {
        inst.predicate.inverse = false;
    }
    // Without a predicate, an instruction reads no flag. Without a conditional modifier, or for a
    // selection, it writes none.
    if inst.predicate.ctrl == PredCtrl::None
        && (matches!(inst.opcode, Opcode::Sel | Opcode::Csel) || inst.cond_mod == CondMod::None)
        && !inst.is_macro()
    {
        inst.flag = Flag::default();
    }
    match &mut inst.extra {
        // The register also contains the shared function.
        Extra::Send(send) if matches!(send.ex_desc, DescSrc::Reg { .. }) => send.sfid = Sfid::Null,
        Extra::Branch(branch) => {
            branch.branch_ctrl &= matches!(inst.opcode, Opcode::If | Opcode::Else | Opcode::Goto);
        }
        _ => {}
    }
    inst
}

/// The reason for [`unrepresentable`]: what the syntax lacks.
fn reason(inst: &Inst, syntax: Syntax) -> &'static str {
    let align16 = |src: &Src| matches!(src, Src::Reg(reg) if matches!(reg.region, Region::Align16 { .. } | Region::ThreeAlign16 { .. }));
    let control = inst.predicate.ctrl;
    let sources = inst.srcs.iter().filter_map(Src::as_reg).map(|reg| reg.place);
    if syntax == Syntax::Iga {
        if inst.srcs.iter().any(align16) {
            return "no such operands of Align16";
        }
        if control != PredCtrl::None && control.bits(AccessMode::Align1).is_none() {
            return "no predicates of Align16";
        }
        if sources.chain([inst.dst.place]).any(nameless) {
            return "no number or offset of this register";
        }
    }
    "no text for all of its fields"
}

/// Whether the `iga` syntax prints this register without its number or offset, although that is not
/// 0.
fn nameless(place: Place) -> bool {
    match place {
        Place::Direct { reg: Reg::Arf(kind, nr), sub } => {
            let (number, offset) = arf_style(kind);
            !number && nr != 0 || !offset && sub != 0
        }
        _ => false,
    }
}
