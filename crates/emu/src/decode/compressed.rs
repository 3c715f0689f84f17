//! Compressed instructions of gen7 and earlier: an instruction that writes two registers executes as two halves, one
//! register each.
//!
//! In most cases this has no visible effect, and the emulator executes the instruction as a whole. It is visible if the
//! second half does not continue where the first ended: the sources of the second half are those of the first half plus
//! one register, independent of the regions; its channels start a fixed number after those of the first half; and it
//! reads after the first half has written (PRM volume 4, "Execution Data Type" and "Register Region Restrictions";
//! `docs/isa-notes.md`).

use super::region::counts_dwords;
use crestline_device::Device;
use crestline_isa::{
    ArfKind, CondMod, Dst, Inst, Opcode, Place, PredCtrl, Reg, Region, Src, SrcReg, Type, VStride,
};

const REGISTER: i32 = 32;

/// The two halves of an instruction that must execute as two; `None` if it can execute as a whole. The execution size
/// of `inst` counts channels.
pub(super) fn halves(inst: &Inst, device: &Device) -> Option<[Inst; 2]> {
    if !device.has_compressed_instructions() || !is_simple(inst) {
        return None;
    }
    let Place::Direct { reg: reg @ Reg::Grf(written), sub } = inst.dst.place else { return None };
    let target = i32::from(written) * REGISTER;
    let channels = i32::from(inst.exec_size);
    let counts_dwords = counts_dwords(inst, device);
    let unit = |ty: Type| if counts_dwords { 4 } else { ty.size() as i32 };
    let slots = |channel: i32| if counts_dwords { 2 * channel } else { channel };
    let step = slots(1) * i32::from(inst.dst.hstride.max(1)) * unit(inst.dst.ty);
    let size = inst.dst.ty.size() as i32;
    // Number of channels of one half.
    let half = (REGISTER - i32::from(sub) + step - 1).div_euclid(step).min(channels);
    if i32::from(sub) + (channels - 1) * step + size <= REGISTER || half * 2 != channels {
        return None;
    }

    let is_wide = |ty: Type| ty.size() == 8;
    let wide = is_wide(inst.dst.ty) || inst.srcs.iter().filter_map(Src::ty).any(is_wide);
    let distance = device.second_half_channels(wide);
    let masked =
        !inst.no_mask || inst.predicate.ctrl != PredCtrl::None || inst.cond_mod != CondMod::None;
    // Whether the division into halves has a visible effect. As a whole, the second half would use the masks of the
    // channels from `half` on; the hardware uses those from `distance` on.
    let mut shows = masked && distance != half as u8;

    let mut first = inst.clone();
    first.exec_size = half as u8;
    let mut second = first.clone();
    second.group = inst.group.checked_add(distance)?;
    second.dst.place = moved(reg, sub, REGISTER)?;
    for source in &mut second.srcs {
        let source = match source {
            Src::Reg(source) => source,
            // A packed vector has eight elements. The second half would read others.
            Src::Imm(vector) if matches!(vector.ty, Type::V | Type::Uv) && half % 8 != 0 => {
                return None;
            }
            Src::Imm(_) | Src::None => continue,
        };
        let Place::Direct { reg, sub } = source.place else { return None };
        // The distance of the second half of the source from the first, in bytes: by the hardware's rule, and as the
        // region would continue.
        let by_rule = second_half(source, &inst.dst, counts_dwords);
        let by_region = match source.region {
            Region::Align1 { vstride: VStride::Elements(_), .. } => {
                region_distance(source.region, slots(half)) * unit(source.ty)
            }
            // `Context::distances` applies the rule to these regions.
            _ => by_rule,
        };
        let Reg::Grf(number) = reg else {
            if reg == Reg::NULL {
                continue;
            }
            return None;
        };
        shows |= by_rule != by_region;
        // The second half reads one register, or two if the type is wide. Does the first half write any of these bytes?
        let start = i32::from(number) * REGISTER + i32::from(sub) + by_rule;
        let end = start + half * source.ty.size() as i32;
        shows |= by_rule != 0 && start < target + REGISTER && target < end;
        source.place = moved(reg, sub, by_rule)?;
    }
    shows.then_some([first, second])
}

/// Whether each channel of the instruction uses only its own elements, and no accumulator.
fn is_simple(inst: &Inst) -> bool {
    let accumulates = inst.acc_wr_en
        || matches!(
            inst.opcode,
            Opcode::Addc
                | Opcode::Subb
                | Opcode::Mach
                | Opcode::Mac
                | Opcode::Sad2
                | Opcode::Sada2
                | Opcode::Math
                | Opcode::Pln
                | Opcode::Line
        );
    let is_accumulator = |place: Place| {
        matches!(place, Place::Direct { reg: Reg::Arf(ArfKind::Accumulator, _), .. })
    };
    let touches = inst.srcs.iter().filter_map(Src::as_reg).any(|reg| is_accumulator(reg.place));
    inst.exec_size > 1 && !accumulates && !touches
}

/// The distance of the second half of a source from its first half, in bytes.
fn second_half(source: &SrcReg, dst: &Dst, counts_dwords: bool) -> i32 {
    match source.region {
        // Both halves read the same scalar. The same holds for a source with replicate control.
        Region::Align1 { .. } if source.region.strides() == Some((0, 1, 0)) && !counts_dwords => 0,
        Region::ThreeAlign16 { rep: true, .. } => 0,
        // A half of packed words occupies half a register if the destination half is a register of dwords.
        Region::Align1 { hstride: 1, .. }
            if source.ty.size() == 2 && dst.ty.size() == 4 && dst.hstride == 1 =>
        {
            REGISTER / 2
        }
        _ => REGISTER,
    }
}

/// The distance of an element from the first one, in elements.
fn region_distance(region: Region, element: i32) -> i32 {
    let (v, w, h) = region.strides().unwrap_or((0, 1, 0));
    let w = w.max(1) as i32;
    element / w * v as i32 + element % w * h as i32
}

/// The place `bytes` after another; `None` if it is beyond the last register.
fn moved(reg: Reg, sub: u8, bytes: i32) -> Option<Place> {
    let Reg::Grf(number) = reg else { return Some(Place::Direct { reg, sub }) };
    let offset = i32::from(number) * REGISTER + i32::from(sub) + bytes;
    let number = u8::try_from(offset / REGISTER).ok().filter(|number| *number < 128)?;
    Some(Place::Direct { reg: Reg::Grf(number), sub: (offset % REGISTER) as u8 })
}
