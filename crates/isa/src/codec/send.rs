//! The formats of `send`: up to gen11 a two-source instruction whose second source is the
//! descriptor; the split send of gen9 to gen11; the send of gen12. Also `sync` and `wait`.

use super::common::{
    File, cond_mod, controls, direct, file, flag_reg, has_mrf, indirect, opcode, reg_nr, shape,
    split,
};
use super::fields::{Field, Layout, Sources};
use super::two_src::{self, IMM_FILE};
use super::walk::{CodecError, Result, Walk};
use crate::inst::{DescSrc, Dst, Extra, Inst, Place, Reg, Region, Send, Src, SrcReg};
use crate::tables::{Sfid, Type};
use crestline_device::Gen;

/// Register number byte of a0.
const ADDRESS_REGISTER: u64 = 0x10;

/// The message of an instruction; an empty one when decoding.
fn send_of<const E: bool>(i: &Inst) -> Result<Send> {
    match &i.extra {
        Extra::Send(send) => Ok(send.clone()),
        _ if E => shape(i, "needs a message"),
        _ => Ok(Send::imm(Sfid::Null, 0, 0)),
    }
}

/// The shared function.
fn sfid<L: Layout, const E: bool>(w: &mut Walk<E>, value: &mut Sfid) -> Result<()> {
    let generation = w.generation();
    w.code(
        L::SEND_SFID,
        "shared function",
        value,
        |s| s.bits(generation).map(u64::from),
        |code| Sfid::from_bits(generation, code as u8),
    )
}

/// Visits the controls of a send. Properties that have no bits on this generation must have their
/// default values.
fn head<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst, send: &mut Send) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)?;
    let name = i.opcode.name();
    if w.generation() >= Gen::Gen12 {
        w.flag(L::SEND_FUSION_CTRL, &mut send.fusion_ctrl)?;
        w.require(!i.acc_wr_en && !i.saturate, name, "neither saturates nor accumulates")?;
    } else {
        w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
        w.flag(L::SATURATE, &mut i.saturate)?;
        w.require(!send.fusion_ctrl, name, "has no fusion control")?;
    }
    w.require(!send.ex_bso || w.generation() >= Gen::Gen125, name, "has no ExBSO")?;
    w.require(!send.cps_lod_comp || w.generation() >= Gen::Gen125, name, "has no CPS LOD")?;
    w.flag(L::SEND_EOT, &mut send.eot)
}

/// Visits a descriptor that is an immediate in `field`. `pack` and `unpack` translate between the
/// 32-bit descriptor and the field's value. Fails if the descriptor has bits that the field cannot
/// hold.
fn desc_imm<const E: bool>(
    w: &mut Walk<E>,
    i: &Inst,
    field: Field,
    value: &mut DescSrc,
    pack: impl Fn(u32) -> u64,
    unpack: impl Fn(u64) -> u32,
) -> Result<()> {
    let desc = value.imm().unwrap_or(0);
    let mut bits = pack(desc);
    w.require(
        unpack(bits) == desc,
        i.opcode.name(),
        "has descriptor bits that only a register descriptor can hold",
    )?;
    w.uint(field, &mut bits)?;
    *value = DescSrc::Imm(unpack(bits));
    Ok(())
}

/// Send in the format of its generation.
pub(super) fn send<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    if w.generation() >= Gen::Gen12 { send12::<L, _>(w, i) } else { send4::<L, _>(w, i) }
}

/// Send of gen4 to gen11.
fn send4<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    let mut send = send_of::<E>(i)?;
    head::<L, _>(w, i, &mut send)?;
    two_src::dst::<L, _>(w, i)?;
    if generation <= Gen::Gen5 {
        w.byte(L::SEND_BASE_MRF, &mut send.base_mrf)?;
    } else {
        w.require(send.base_mrf == 0, i.opcode.name(), "has no base message register")?;
    }
    sfid::<L, _>(w, &mut send.sfid)?;
    // From gen9 the extended descriptor overlays the region of source 0.
    if L::SEND_EX_DESC_IMM.exists() {
        payload::<L, _>(w, i)?;
        w.require(send.ex_desc.imm().is_some(), i.opcode.name(), "needs an immediate ex_desc")?;
        desc_imm(
            w,
            i,
            L::SEND_EX_DESC_IMM,
            &mut send.ex_desc,
            |desc| u64::from(desc >> 16),
            |bits| (bits as u32) << 16,
        )?;
    } else {
        two_src::src::<L, 0, _>(w, i, false)?;
        if i.srcs[0].as_imm().is_some() {
            return shape(i, "needs a payload register");
        }
        let none = send.ex_desc == DescSrc::Imm(0);
        w.require(none, i.opcode.name(), "has no extended descriptor")?;
    }
    // Source 1 is the descriptor.
    let mut desc_file = match send.desc {
        DescSrc::Imm(_) => File::Imm,
        DescSrc::Reg { .. } => File::Arf,
    };
    if !E {
        desc_file = if w.peek(L::SRC1_REG_FILE) == IMM_FILE { File::Imm } else { File::Arf };
    }
    match desc_file {
        File::Imm => file(w, L::SRC1_REG_FILE, &mut desc_file, has_mrf(generation))?,
        // The hardware reads the descriptor from a0, whatever the register file field contains.
        _ => w.fixed(L::SRC1_REG_FILE, 0),
    }
    if !L::SEND_EX_DESC_IMM.exists() {
        w.fixed(L::SRC1_TYPE, u64::from(Type::Ud.reg_bits(generation).unwrap_or(0)));
    }
    if desc_file == File::Imm {
        desc_imm(w, i, L::SEND_DESC_IMM, &mut send.desc, u64::from, |bits| bits as u32)?;
    } else {
        let mut sub = match send.desc {
            DescSrc::Reg { dword } => dword.saturating_mul(4),
            DescSrc::Imm(_) => 0,
        };
        w.fixed(L::SRC1_REG_NR, ADDRESS_REGISTER);
        w.byte(L::SRC1_SUBREG_NR, &mut sub)?;
        if !sub.is_multiple_of(4) {
            let (field, bit) = (L::SRC1_SUBREG_NR.name, L::SRC1_SUBREG_NR.lowest_bit());
            return Err(CodecError::Reserved { field, code: u64::from(sub), bit });
        }
        send.desc = DescSrc::Reg { dword: sub / 4 };
    }
    i.extra = Extra::Send(send);
    Ok(())
}

/// Source 0 of a send whose extended descriptor occupies the bits of the region: register, type and
/// address mode.
fn payload<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    let f = &L::SRC[0];
    let mut src = match i.srcs[0] {
        Src::Reg(reg) => reg,
        _ if E => return shape(i, "needs a payload register"),
        _ => SrcReg::new(Place::NULL, Type::Ud, Region::SCALAR),
    };
    let (mut reg, sub) = direct(src.place);
    let mut is_indirect = matches!(src.place, Place::Indirect { .. });
    let mut reg_file = if is_indirect { File::Grf } else { split(reg).0 };
    two_src::src_file(w, f, is_indirect, &mut reg_file)?;
    if reg_file == File::Imm {
        return shape(i, "needs a payload register");
    }
    w.code(
        f.ty,
        "source type",
        &mut src.ty,
        |ty| ty.reg_bits(generation).map(u64::from),
        |code| Type::from_reg_bits(generation, code as u8),
    )?;
    w.flag(f.addr_mode, &mut is_indirect)?;
    if is_indirect {
        let (mut addr, mut offset) = indirect(src.place);
        w.byte(f.ind_addr_subreg_nr, &mut addr)?;
        w.signed(f.ind_addr_imm_16b, &mut offset, 16, 0)?;
        src.place = Place::Indirect { addr, offset: offset as i16 };
    } else {
        reg_nr(w, f.reg_nr, reg_file, &mut reg)?;
        w.require(sub == 0, i.opcode.name(), "needs a whole payload register")?;
        src.place = Place::Direct { reg, sub: 0 };
    }
    if !E {
        src.region = Region::SCALAR;
        i.srcs[0] = Src::Reg(src);
    }
    Ok(())
}

/// Split send of gen9 to gen11.
pub(super) fn sends<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    let mut send = send_of::<E>(i)?;
    head::<L, _>(w, i, &mut send)?;
    sfid::<L, _>(w, &mut send.sfid)?;
    // Destination.
    let mut dst = i.dst;
    w.code(
        L::DST_TYPE,
        "destination type",
        &mut dst.ty,
        |ty| ty.reg_bits(generation).map(u64::from),
        |code| Type::from_reg_bits(generation, code as u8),
    )?;
    dst.place = split_dst::<L, _>(w, i)?;
    i.dst = dst;
    // First payload: always a general register.
    let mut src0 = source_place::<E>(i, 0)?;
    let mut is_indirect = matches!(src0, Place::Indirect { .. });
    w.flag(L::SENDS_SRC0_ADDR_MODE, &mut is_indirect)?;
    if is_indirect {
        let (mut addr, mut offset) = indirect(src0);
        w.byte(L::SENDS_SRC0_IND_ADDR_SUBREG_NR, &mut addr)?;
        w.signed(L::SENDS_SRC0_IND_ADDR_IMM_16B, &mut offset, 16, 0)?;
        src0 = Place::Indirect { addr, offset: offset as i16 };
    } else {
        let (mut reg, mut sub) = direct(src0);
        reg_nr(w, L::SENDS_SRC0_REG_NR, File::Grf, &mut reg)?;
        w.require(matches!(reg, Reg::Grf(_)), i.opcode.name(), "needs a general register")?;
        w.scaled(L::SENDS_SRC0_SUBREG_NR_16B, &mut sub, 16)?;
        src0 = Place::Direct { reg, sub };
    }
    // Second payload: a general register or null.
    let (mut reg, sub) = direct(source_place::<E>(i, 1)?);
    w.require(sub == 0, i.opcode.name(), "needs a whole second payload register")?;
    one_bit_reg(w, L::SENDS_SRC1_REG_FILE, L::SENDS_SRC1_REG_NR, &mut reg)?;
    set_sources::<E>(i, src0, Place::Direct { reg, sub: 0 });
    // Descriptors.
    let mut by_reg = matches!(send.desc, DescSrc::Reg { .. });
    w.flag(L::SENDS_DESC_REG_SELECT, &mut by_reg)?;
    if by_reg {
        let first = matches!(send.desc, DescSrc::Imm(_) | DescSrc::Reg { dword: 0 });
        w.require(first, i.opcode.name(), "takes its descriptor from a0.0 only")?;
        send.desc = DescSrc::Reg { dword: 0 };
    } else {
        desc_imm(w, i, L::SENDS_DESC_IMM, &mut send.desc, u64::from, |bits| bits as u32)?;
    }
    let mut ex_by_reg = matches!(send.ex_desc, DescSrc::Reg { .. });
    w.flag(L::SENDS_EX_DESC_REG_SELECT, &mut ex_by_reg)?;
    if ex_by_reg {
        ex_desc_reg(w, L::SENDS_EX_DESC_ADDR_SUBREG, &mut send.ex_desc)?;
    } else {
        desc_imm(
            w,
            i,
            L::SENDS_EX_DESC_IMM,
            &mut send.ex_desc,
            |desc| u64::from(desc >> 16 << 4 | desc >> 6 & 15),
            |bits| ((bits >> 4) as u32 * 0x1_0000) | ((bits as u32 & 15) << 6),
        )?;
    }
    w.require(i.cond_mod == crate::CondMod::None, i.opcode.name(), "has no conditional modifier")?;
    i.extra = Extra::Send(send);
    Ok(())
}

/// A register extended descriptor: a dword of a0.
fn ex_desc_reg<const E: bool>(w: &mut Walk<E>, field: Field, value: &mut DescSrc) -> Result<()> {
    let mut dword = match value {
        DescSrc::Reg { dword } => *dword,
        DescSrc::Imm(_) => 0,
    };
    w.byte(field, &mut dword)?;
    *value = DescSrc::Reg { dword };
    Ok(())
}

/// Destination of a split send. Offsets are in units of 16 bytes; the register file has one bit.
fn split_dst<L: Sources, const E: bool>(w: &mut Walk<E>, i: &Inst) -> Result<Place> {
    let place = i.dst.place;
    let mut is_indirect = matches!(place, Place::Indirect { .. });
    w.flag(L::SENDS_DST_ADDR_MODE, &mut is_indirect)?;
    if is_indirect {
        let (mut addr, mut offset) = indirect(place);
        w.fixed(L::SENDS_DST_REG_FILE, 1);
        w.byte(L::SENDS_DST_IND_ADDR_SUBREG_NR, &mut addr)?;
        w.signed(L::SENDS_DST_IND_ADDR_IMM_16B, &mut offset, 16, 0)?;
        return Ok(Place::Indirect { addr, offset: offset as i16 });
    }
    let (mut reg, mut sub) = direct(place);
    one_bit_reg(w, L::SENDS_DST_REG_FILE, L::SENDS_DST_REG_NR, &mut reg)?;
    w.scaled(L::SENDS_DST_SUBREG_NR_16B, &mut sub, 16)?;
    let stride1 = i.dst.hstride == 1;
    w.require(stride1, i.opcode.name(), "has destination stride 1")?;
    Ok(Place::Direct { reg, sub })
}

/// A register with a one-bit register file: 1 for general, 0 for architecture registers.
fn one_bit_reg<const E: bool>(w: &mut Walk<E>, f: Field, nr: Field, reg: &mut Reg) -> Result<()> {
    let mut reg_file = split(*reg).0;
    file(w, f, &mut reg_file, false)?;
    reg_nr(w, nr, reg_file, reg)
}

/// Place of payload `n`; the null register if there is no second payload.
fn source_place<const E: bool>(i: &Inst, n: usize) -> Result<Place> {
    match i.srcs[n] {
        Src::Reg(reg) => Ok(reg.place),
        Src::None if n == 1 || !E => Ok(Place::NULL),
        _ => shape(i, "needs payload registers"),
    }
}

/// When decoding, sets the payload operands. Their types and regions are not encoded.
fn set_sources<const E: bool>(i: &mut Inst, src0: Place, src1: Place) {
    if !E {
        let src = |place| Src::Reg(SrcReg::new(place, Type::Ud, Region::SCALAR));
        i.srcs = [src(src0), src(src1), Src::None];
    }
}

/// Send of gen12 and gen12.5: two payloads, no types.
fn send12<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let mut send = send_of::<E>(i)?;
    head::<L, _>(w, i, &mut send)?;
    sfid::<L, _>(w, &mut send.sfid)?;
    let whole = |place: Place| direct(place).1 == 0 && matches!(place, Place::Direct { .. });
    w.require(whole(i.dst.place), i.opcode.name(), "needs a whole destination register")?;
    let mut reg = direct(i.dst.place).0;
    one_bit_reg(w, L::SEND_DST_REG_FILE, L::SEND_DST_REG_NR, &mut reg)?;
    if !E {
        i.dst = Dst::new(Place::Direct { reg, sub: 0 }, Type::Ud, 1);
    }
    let (place0, place1) = (source_place::<E>(i, 0)?, source_place::<E>(i, 1)?);
    let both = whole(place0) && whole(place1);
    w.require(both, i.opcode.name(), "needs whole payload registers")?;
    let (mut reg0, mut reg1) = (direct(place0).0, direct(place1).0);
    one_bit_reg(w, L::SEND_SRC0_REG_FILE, L::SEND_SRC0_REG_NR, &mut reg0)?;
    one_bit_reg(w, L::SEND_SRC1_REG_FILE, L::SEND_SRC1_REG_NR, &mut reg1)?;
    set_sources::<E>(i, Place::Direct { reg: reg0, sub: 0 }, Place::Direct { reg: reg1, sub: 0 });
    let mut by_reg = matches!(send.desc, DescSrc::Reg { .. });
    w.flag(L::SEND_DESC_REG_SELECT, &mut by_reg)?;
    if by_reg {
        send.desc = DescSrc::Reg { dword: 0 };
    } else {
        desc_imm(w, i, L::SEND_DESC_IMM, &mut send.desc, u64::from, |bits| bits as u32)?;
    }
    let mut ex_by_reg = matches!(send.ex_desc, DescSrc::Reg { .. });
    w.flag(L::SEND_EX_DESC_REG_SELECT, &mut ex_by_reg)?;
    if ex_by_reg {
        ex_desc_reg(w, L::SEND_EX_DESC_ADDR_SUBREG, &mut send.ex_desc)?;
        w.byte(L::SEND_SRC1_LENGTH, &mut send.src1_len)?;
        w.flag(L::SEND_EX_BSO, &mut send.ex_bso)?;
        w.flag(L::SEND_CPS_LOD_COMP, &mut send.cps_lod_comp)?;
    } else {
        let plain = send.src1_len == 0 && !send.ex_bso && !send.cps_lod_comp;
        w.require(plain, i.opcode.name(), "has those bits with a register ex_desc only")?;
        desc_imm(
            w,
            i,
            L::SEND_EX_DESC_IMM,
            &mut send.ex_desc,
            |desc| u64::from(desc >> 6),
            |bits| (bits as u32) << 6,
        )?;
    }
    i.extra = Extra::Send(send);
    Ok(())
}

/// Sync. The function field has the bits of the conditional modifier; the operand is null or a
/// token mask.
pub(super) fn sync<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    let mut function = match i.extra {
        Extra::Sync(function) => function,
        _ if E => return shape(i, "needs a function"),
        _ => crate::SyncFn::Nop,
    };
    let generation = w.generation();
    w.code(
        L::SYNC_FC,
        "sync function",
        &mut function,
        |f| f.bits(generation).map(u64::from),
        |code| crate::SyncFn::from_bits(generation, code as u8),
    )?;
    i.extra = Extra::Sync(function);
    // DST_HSTRIDE: the unused destination has stride 1.
    w.background(1 << 48);
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    two_src::src::<L, 0, _>(w, i, true)
}

/// Wait. The notification register is both destination and source.
pub(super) fn wait<L: Sources, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    opcode::<L, _>(w, i)?;
    controls::<L, _>(w, i, L::NIB_CTRL)?;
    two_src::dst::<L, _>(w, i)?;
    two_src::src::<L, 0, _>(w, i, false)?;
    cond_mod::<L, _>(w, i)?;
    w.flag(L::ACC_WR_EN, &mut i.acc_wr_en)?;
    w.flag(L::SATURATE, &mut i.saturate)?;
    flag_reg(w, i, L::FLAG_REG_NR, L::FLAG_SUBREG_NR)
}
