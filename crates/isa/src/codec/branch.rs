//! Flow control instructions.
//!
//! Branches leave most operand fields unused. These fields have canonical values, the *background*:
//! the values that Intel's assembler writes (gen7: Mesa; gen4 to gen6: intel-gen4asm). Other values
//! go to the residue.

use super::common::{
    File, cond_mod, controls, direct, file, flag_reg, opcode, reg_nr, shape, split,
};
use super::fields::{Field, Sources};
use super::two_src;
use super::walk::{Result, Walk};
use crate::inst::{Branch, Dst, Extra, Inst, Place, Region, Src, SrcReg};
use crate::tables::{Form, Opcode, Type};
use crestline_device::Gen;

/// A background with this second and third dword; the other dwords are 0.
const fn words(dword1: u128, dword2: u128) -> u128 {
    dword1 << 32 | dword2 << 64
}

/// Canonical bits of the operand fields that a branch does not use. `reg_target`: the target is in
/// a register.
fn background(generation: Gen, i: &Inst, reg_target: bool) -> u128 {
    use Opcode::*;
    match generation {
        Gen::Gen12 | Gen::Gen125 => 0,
        Gen::Gen8 | Gen::Gen9 | Gen::Gen11 => match i.opcode {
            EndIf | While | Join => words(0x2000_0000, 0x0e00_0000),
            Brd | Brc if reg_target => words(0x3400_0020, 0),
            Brd | Brc => words(0x3400_0e20, 0),
            Jmpi if reg_target => words(0x3400_0000, 0x0000_1400),
            Jmpi => words(0x3400_0000, 0x0e00_1400),
            Call | Calla => words(0, 0x0e00_0000),
            Ret => words(0x2000_0000, 0),
            _ => words(0x2000_0e00, 0),
        },
        Gen::Gen75 => match i.opcode {
            EndIf | While => words(0x2000_1c00, 0),
            Brd | Brc if reg_target => words(0x3400_0004, 0),
            Brd | Brc => words(0x3400_01e4, 0),
            Jmpi if reg_target => words(0x3400_0000, 0x0000_1400),
            Jmpi => words(0x3400_1c00, 0x0000_1400),
            Call | Calla => words(0x0000_1c00, 0),
            Ret => words(0x2000_0000, 0),
            _ => words(0x2000_01e0, 0),
        },
        Gen::Gen7 => match i.opcode {
            Break | Cont | Halt => words(0x2000_1c84, 0),
            Brd | Brc if reg_target => words(0x3400_0004, 0),
            Brd | Brc => words(0x3400_01e4, 0),
            Jmpi if reg_target => words(0x3400_0000, 0x0000_1400),
            Jmpi => words(0x3400_1c00, 0x0000_1400),
            Call => words(0x0000_1c00, 0),
            Ret => words(0x2000_0000, 0),
            _ => words(0x2000_3c84, 0),
        },
        Gen::Gen6 => match i.opcode {
            Jmpi if reg_target => words(0x3400_0000, 0x0000_1400),
            Jmpi => words(0x3400_1c00, 0x0000_1400),
            Call => words(0x0000_1c00, 0),
            Halt | Ret => words(0x2000_0000, 0),
            _ => 0,
        },
        Gen::Gen4 | Gen::Gen45 | Gen::Gen5 => match i.opcode {
            If | Iff | Else => words(0x3400_1c00, 0x0000_1400),
            While => words(0x0000_1c00, 0x0000_1400),
            EndIf | Halt => words(0x2000_0000, 0),
            Jmpi if reg_target => words(0x3400_0000, 0x0000_1400),
            Jmpi => words(0x3400_1c00, 0x0000_1400),
            _ => 0,
        },
    }
}

/// How a jump distance is encoded: `(unit, bias)`. The encoded number is `distance / unit - bias`,
/// for the distance in bytes from the start of the instruction.
pub(crate) fn scale(generation: Gen, op: Opcode) -> (i32, i32) {
    match (op.form(), generation) {
        (Form::Call, _) => (1, 0),
        // Up to gen11 the hardware counts from the next instruction.
        (Form::Jmpi, Gen::Gen4 | Gen::Gen45) => (16, 1),
        (Form::Jmpi, Gen::Gen5 | Gen::Gen6 | Gen::Gen7) => (8, 2),
        (Form::Jmpi, Gen::Gen75 | Gen::Gen8 | Gen::Gen9 | Gen::Gen11) => (1, 16),
        (_, Gen::Gen4 | Gen::Gen45) => (16, 0),
        (_, Gen::Gen5 | Gen::Gen6 | Gen::Gen7 | Gen::Gen75) => (8, 0),
        _ => (1, 0),
    }
}

/// Whether an operation has a second target on a generation.
pub fn has_uip(generation: Gen, op: Opcode) -> bool {
    use Opcode::*;
    match op {
        If => generation >= Gen::Gen7,
        Else => generation >= Gen::Gen8,
        Break | Cont | Halt => generation >= Gen::Gen6,
        Goto | Brc => true,
        _ => false,
    }
}

/// Visits the controls of a branch. From gen8, the branch control bit has the place of the
/// accumulator write.
fn head<L: Sources, const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    branch: &mut Branch,
) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)?;
    if L::BRANCH_CTRL.exists() {
        w.flag(L::BRANCH_CTRL, &mut branch.branch_ctrl)?;
        w.require(!i.acc_wr_en, i.opcode.name(), "does not write the accumulator")?;
    } else {
        w.require(!branch.branch_ctrl, i.opcode.name(), "has no branch control")?;
        w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    }
    if w.generation() < Gen::Gen12 {
        // From gen12 UIP overlays the conditional modifier.
        cond_mod::<L, _>(w, i)?;
    }
    w.flag(L::SATURATE, &mut i.saturate)
}

/// The branch part of an instruction; empty when decoding.
fn branch_of<const E: bool>(i: &Inst) -> Result<Branch> {
    match i.extra {
        Extra::Branch(branch) => Ok(branch),
        _ if E => shape(i, "needs branch targets"),
        _ => Ok(Branch::default()),
    }
}

/// Visits the field of a branch target, encoded as [`scale`] describes.
fn target<const E: bool>(
    w: &mut Walk<E>,
    i: &Inst,
    field: Field,
    value: &mut Option<i32>,
    (unit, bias): (i32, i32),
) -> Result<()> {
    w.require(value.is_some(), i.opcode.name(), "lacks a branch target")?;
    let mut bytes = value.unwrap_or(0);
    w.signed(field, &mut bytes, unit, bias)?;
    *value = Some(bytes);
    Ok(())
}

/// Branches with immediate targets. The target of `brd` and `brc` may also be a register.
pub(super) fn branch<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    let mut branch = branch_of::<E>(i)?;
    head::<L, _>(w, i, &mut branch)?;
    let mut is_imm = branch.jip.is_some() || !matches!(i.opcode, Opcode::Brd | Opcode::Brc);
    let mut src = SrcReg::new(Place::NULL, Type::Ud, Region::SCALAR);
    if matches!(i.opcode, Opcode::Brd | Opcode::Brc) {
        register_or_imm::<L, 0, _>(w, i, &mut is_imm, &mut src)?;
    } else if L::JIP_IS_IMM.exists() {
        w.fixed(L::JIP_IS_IMM, 1);
    }
    let canonical = background(generation, i, !is_imm);
    w.background(canonical);
    if is_imm {
        let scale = scale(generation, i.opcode);
        if uses_jump_count(generation, i.opcode) {
            target(w, i, L::JUMP_COUNT, &mut branch.jip, scale)?;
        } else {
            target(w, i, L::JIP, &mut branch.jip, scale)?;
        }
        if has_uip(generation, i.opcode) {
            if L::UIP_IS_IMM.exists() {
                w.fixed(L::UIP_IS_IMM, 1);
            }
            target(w, i, L::UIP, &mut branch.uip, scale)?;
        } else {
            w.require(branch.uip.is_none(), i.opcode.name(), "has no UIP")?;
        }
        if i.opcode == Opcode::Brd && generation <= Gen::Gen75 {
            // Iga64 writes the 16-bit target as a sign-extended 32-bit immediate.
            let sign = if branch.jip.unwrap_or(0) < 0 { L::UIP.mask } else { 0 };
            w.background(canonical | sign);
        }
    } else if !E {
        i.srcs[0] = Src::Reg(src);
    }
    if L::POP_COUNT.exists() {
        w.byte(L::POP_COUNT, &mut branch.pop_count)?;
    } else {
        w.require(branch.pop_count == 0, i.opcode.name(), "has no pop count")?;
    }
    i.extra = Extra::Branch(branch);
    Ok(())
}

/// Whether the target is in the field `JUMP_COUNT` of gen4 to gen6 instead of `JIP`.
fn uses_jump_count(generation: Gen, op: Opcode) -> bool {
    generation <= Gen::Gen5
        || generation == Gen::Gen6 && !matches!(op, Opcode::Break | Opcode::Cont | Opcode::Halt)
}

/// Visits the register file, or the immediate flag, of a target operand, and the register if it is
/// one. `is_imm` is whether the target is an immediate; the caller visits the immediate.
fn register_or_imm<L: Sources, const N: usize, const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    is_imm: &mut bool,
    src: &mut SrcReg,
) -> Result<()> {
    let f = &L::SRC[N];
    if E && !*is_imm {
        *src = match i.srcs[0] {
            Src::Reg(reg) => reg,
            _ => return shape(i, "needs a target or a register"),
        };
    }
    let mut reg_file = match (*is_imm, src.place) {
        (true, _) => File::Imm,
        (_, Place::Indirect { .. }) => File::Grf,
        _ => split(direct(src.place).0).0,
    };
    if f.is_imm.exists() {
        w.flag(f.is_imm, is_imm)?;
    } else if w.generation() <= Gen::Gen6 && *is_imm && E {
        // The background contains the register file code of an immediate.
    } else {
        let is_indirect = matches!(src.place, Place::Indirect { .. });
        two_src::src_file(w, f, is_indirect, &mut reg_file)?;
        *is_imm = reg_file == File::Imm;
    }
    if *is_imm {
        return Ok(());
    }
    two_src::register::<L, N, _>(w, i, src, reg_file)
}

/// Scalar jump: the offset is source 1 up to gen11, source 0 from gen12.
pub(super) fn jmpi<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    let mut branch = branch_of::<E>(i)?;
    head::<L, _>(w, i, &mut branch)?;
    let mut is_imm = branch.jip.is_some();
    let mut src = SrcReg::new(Place::NULL, Type::Ud, Region::SCALAR);
    if generation >= Gen::Gen12 {
        register_or_imm::<L, 0, _>(w, i, &mut is_imm, &mut src)?;
    } else {
        register_or_imm::<L, 1, _>(w, i, &mut is_imm, &mut src)?;
    }
    w.background(background(generation, i, !is_imm));
    if is_imm {
        target(w, i, L::JMPI_OFFSET, &mut branch.jip, scale(generation, i.opcode))?;
    } else if !E {
        i.srcs[0] = Src::Reg(src);
    }
    i.extra = Extra::Branch(branch);
    Ok(())
}

/// Call: the return register is the destination, the target an immediate or a register.
pub(super) fn call<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    let mut branch = branch_of::<E>(i)?;
    head::<L, _>(w, i, &mut branch)?;
    if generation >= Gen::Gen12 {
        return_register::<L, _>(w, i)?;
    } else {
        two_src::dst::<L, _>(w, i)?;
    }
    let mut is_imm = branch.jip.is_some();
    let mut src = SrcReg::new(Place::NULL, Type::Ud, Region::SCALAR);
    if generation >= Gen::Gen12 {
        register_or_imm::<L, 0, _>(w, i, &mut is_imm, &mut src)?;
    } else {
        register_or_imm::<L, 1, _>(w, i, &mut is_imm, &mut src)?;
    }
    w.background(background(generation, i, !is_imm));
    if is_imm {
        target(w, i, L::CALL_OFFSET, &mut branch.jip, scale(generation, i.opcode))?;
    } else if !E {
        i.srcs[0] = Src::Reg(src);
    }
    i.extra = Extra::Branch(branch);
    Ok(())
}

/// The return register of a gen12 call. Its type and stride are not encoded; it decodes as D with
/// stride 1.
fn return_register<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let (mut reg, mut sub) = direct(i.dst.place);
    let mut reg_file = split(reg).0;
    file(w, L::DST_REG_FILE, &mut reg_file, false)?;
    reg_nr(w, L::DST_REG_NR, reg_file, &mut reg)?;
    w.byte(L::DST_SUBREG_NR, &mut sub)?;
    i.dst = Dst::new(Place::Direct { reg, sub }, Type::D, 1);
    Ok(())
}

/// Return: the register is source 0.
pub(super) fn ret<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let mut branch = branch_of::<E>(i)?;
    head::<L, _>(w, i, &mut branch)?;
    w.background(background(w.generation(), i, true));
    two_src::src::<L, 0, _>(w, i, false)?;
    i.extra = Extra::Branch(branch);
    Ok(())
}

/// Mask stack operations of gen4 and gen5. They have the controls and the number of entries to pop,
/// which `do` lacks; the other bits are residue.
pub(super) fn mask_stack<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let mut branch = branch_of::<E>(i)?;
    head::<L, _>(w, i, &mut branch)?;
    if i.opcode == Opcode::Do {
        w.require(branch.pop_count == 0, "do", "has no pop count")?;
    } else {
        w.byte(L::POP_COUNT, &mut branch.pop_count)?;
    }
    i.extra = Extra::Branch(branch);
    Ok(())
}
