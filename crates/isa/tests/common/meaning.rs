//! What an instruction means, apart from fields that say nothing in it. `text/unrepresentable.rs` of the library decides the same
//! for the printer; this copy is independent of it on purpose, so that the tests notice a mistake there.

use crestline_isa::{
    CondMod, DescSrc, Dst, Extra, Flag, Inst, Opcode, Place, PredCtrl, Region, Sfid, Src, SrcReg,
    Swizzle, Type,
};

/// The instruction without fields that mean nothing in it, which a syntax need not show.
pub(crate) fn meaning(inst: &Inst) -> Inst {
    let mut inst = Inst { residue: 0, compact_residue: 0, ..inst.clone() };
    if matches!(inst.opcode, Opcode::Sync | Opcode::Wait) {
        (inst.exec_size, inst.group) = (1, 0);
        inst.dst = Dst::new(Place::NULL, Type::Ud, 1);
        if let Src::Reg(src) = &mut inst.srcs[0] {
            (src.region, src.ty) = (Region::SCALAR, Type::Ud);
        }
    }
    // One element is named by its subregister alone.
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
        // It is in the register too.
        send.sfid = Sfid::Null;
    }
    inst
}
