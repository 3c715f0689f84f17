//! Removes the fields of an instruction that have no effect, so that instructions can be compared.
//! `text/unrepresentable.rs` of the library does the same for the printer. This copy is independent
//! of it, so that tests find mistakes there.

use crestline_isa::{
    CondMod, DescSrc, Dst, Extra, Flag, Inst, Opcode, Place, PredCtrl, Region, Sfid, Src, SrcReg,
    Swizzle, Type,
};

/// Sets the fields that have no effect in the instruction to default values. A syntax need not
/// print these.
pub(crate) fn meaning(inst: &Inst) -> Inst {
    let mut inst = Inst { residue: 0, compact_residue: 0, ..inst.clone() };
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
    let reads_flag = inst.predicate.ctrl != PredCtrl::None || inst.is_macro();
    let writes_flag =
        inst.cond_mod != CondMod::None && !matches!(inst.opcode, Opcode::Sel | Opcode::Csel);
    if !reads_flag && !writes_flag {
        inst.flag = Flag::default();
    }
    if let Extra::Branch(branch) = &mut inst.extra {
        branch.branch_ctrl &= matches!(inst.opcode, Opcode::If | Opcode::Else | Opcode::Goto);
    }
    if let Extra::Send(send) = &mut inst.extra
        && let DescSrc::Reg { .. } = send.ex_desc
    {
        // The register also contains the shared function.
        send.sfid = Sfid::Null;
    }
    inst
}
