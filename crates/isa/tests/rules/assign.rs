//! Assignments `NAME=VALUE` to fields of an instruction, for values that text cannot express or the
//! parser refuses.

use crestline_isa::{
    AccessMode, ArfKind, Compression, DescSrc, Extra, Imm, Inst, Place, PredCtrl, Reg, Region,
    Sfid, Src, SrcReg, Swizzle, ThreadCtrl, Type, VStride, WriteMask,
};

/// Carries out one assignment, or says what is wrong with it. Names are
///
/// - `no_dd` (`clear`, `check`), `acc_wr_en`, `compression`, `switch` (set, whatever the value);
/// - `exec_size`, `group`, `flag` (`1.0`), `residue` (a bit), `distance`, `token`, `pred` (`any4h`, whatever the access mode),
///   `mode` (`align1`, `align16`), `sfid`, `desc` and `ex_desc` (a number, or `a0.2`), `jip`, `mme` (none);
/// - `dst`, `src0` to `src2`: a place (`g3`, `m3`, `acc1`, `null`, `g[a0.1 -4]`); sources also `-` (absent) or an immediate
///   (`0x10:D`);
/// - of these, `.type`, `.sub` (bytes), `.stride` (`dst`), `.mask` (`dst`), `.region` (`8;8,1`, `VxH;1,0`, Align16
///   `4`, three sources `16` or `16rep` for Align16, `8;1` for Align1).
pub(crate) fn assign(inst: &mut Inst, assignment: &str) -> Result<(), String> {
    let (name, value) = assignment.split_once('=').ok_or("no `=`")?;
    let (operand, part) = name.split_once('.').unwrap_or((name, ""));
    match operand {
        "exec_size" => inst.exec_size = number(value)? as u8,
        "group" => inst.group = number(value)? as u8,
        "flag" => {
            let (nr, subnr) = value.split_once('.').ok_or("no subregister")?;
            (inst.flag.nr, inst.flag.subnr) = (number(nr)? as u8, number(subnr)? as u8);
        }
        "residue" => inst.residue = 1 << number(value)?,
        "distance" => inst.swsb.distance = number(value)? as u8,
        "token" => inst.swsb.token.as_mut().ok_or("no token")?.id = number(value)? as u8,
        "pred" => {
            let modes = [AccessMode::Align1, AccessMode::Align16];
            inst.predicate.ctrl = modes
                .iter()
                .flat_map(|mode| (0..16).filter_map(|code| PredCtrl::from_bits(*mode, code)))
                .find(|ctrl| ctrl.name() == value)
                .ok_or("no predicate control")?;
        }
        "mode" => {
            inst.access_mode = match value {
                "align1" => AccessMode::Align1,
                "align16" => AccessMode::Align16,
                _ => return Err("no access mode".to_owned()),
            }
        }
        "sfid" => {
            let Extra::Send(send) = &mut inst.extra else { return Err("no message".to_owned()) };
            let sfid = Sfid::ALL.iter().find(|sfid| sfid.name() == value);
            send.sfid = *sfid.ok_or("no shared function")?;
        }
        "desc" | "ex_desc" => {
            let Extra::Send(send) = &mut inst.extra else { return Err("no message".to_owned()) };
            let value = match value.strip_prefix("a0.") {
                Some(dword) => DescSrc::Reg { dword: number(dword)? as u8 },
                None => DescSrc::Imm(number(value)? as u32),
            };
            *(if operand == "desc" { &mut send.desc } else { &mut send.ex_desc }) = value;
        }
        "no_dd" => match value {
            "clear" => inst.no_dd_clear = true,
            _ => inst.no_dd_check = true,
        },
        "acc_wr_en" => inst.acc_wr_en = true,
        "compression" => inst.compression = Compression::Compressed,
        "switch" => inst.thread_ctrl = ThreadCtrl::Switch,
        "jip" => {
            let Extra::Branch(branch) = &mut inst.extra else { return Err("no branch".to_owned()) };
            branch.jip = if value == "-" { None } else { Some(number(value)? as i32) };
        }
        "dst" => match part {
            "" => inst.dst.place = place(value)?,
            "type" => inst.dst.ty = ty(value)?,
            "sub" => set_sub(&mut inst.dst.place, value)?,
            "stride" => inst.dst.hstride = number(value)? as u8,
            "mask" => inst.dst.writemask = WriteMask(number(value)? as u8),
            "mme" => inst.dst.mme = None,
            _ => return Err(format!("a destination has no {part}")),
        },
        "src0" | "src1" | "src2" => {
            source(&mut inst.srcs[usize::from(operand.as_bytes()[3] - b'0')], part, value)?;
        }
        _ => return Err("unknown name".to_owned()),
    }
    Ok(())
}

fn source(src: &mut Src, part: &str, value: &str) -> Result<(), String> {
    if part.is_empty() {
        if value == "-" {
            *src = Src::None;
            return Ok(());
        }
        if let Some((bits, name)) = value.split_once(':') {
            *src = Src::Imm(Imm { ty: ty(name)?, bits: number(bits)? as u64 });
            return Ok(());
        }
    }
    if let (Src::Imm(imm), "type") = (&mut *src, part) {
        imm.ty = ty(value)?;
        return Ok(());
    }
    if !matches!(src, Src::Reg(_)) {
        *src = Src::Reg(SrcReg::new(Place::NULL, Type::Ud, Region::SCALAR));
    }
    let Src::Reg(reg) = src else { return Err("no register".to_owned()) };
    match part {
        "" => reg.place = place(value)?,
        "type" => reg.ty = ty(value)?,
        "sub" => set_sub(&mut reg.place, value)?,
        "region" => reg.region = region(value, reg.region)?,
        "negate" => reg.negate = true,
        "mme" => reg.mme = None,
        _ => return Err(format!("a source has no {part}")),
    }
    Ok(())
}

fn number(text: &str) -> Result<i64, String> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.map_err(|error| format!("`{text}`: {error}"))
}

fn ty(name: &str) -> Result<Type, String> {
    Type::from_name(name).ok_or_else(|| format!("`{name}` is no type"))
}

fn set_sub(place: &mut Place, value: &str) -> Result<(), String> {
    let Place::Direct { sub, .. } = place else { return Err("indirect".to_owned()) };
    *sub = number(value)? as u8;
    Ok(())
}

fn place(text: &str) -> Result<Place, String> {
    if let Some(inner) = text.strip_prefix("g[a0.").and_then(|t| t.strip_suffix(']')) {
        let (addr, offset) = inner.split_once(' ').unwrap_or((inner, "0"));
        let (addr, offset) = (number(addr)? as u8, number(offset)? as i16);
        return Ok(Place::Indirect { addr, offset });
    }
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (letters, index) = text.split_at(digits);
    let index = if index.is_empty() { 0 } else { number(index)? as u8 };
    let reg = match letters {
        "g" => Reg::Grf(index),
        "m" => Reg::Mrf(index),
        _ => {
            let kind = ArfKind::ALL.iter().find(|kind| kind.name() == letters);
            Reg::Arf(*kind.ok_or_else(|| format!("`{text}` is no register"))?, index)
        }
    };
    Ok(Place::Direct { reg, sub: 0 })
}

/// A region of the kind that the value looks like, or that the operand has.
fn region(text: &str, old: Region) -> Result<Region, String> {
    let stride = |t: &str| number(t).map(|n| n as u8);
    let Some((first, rest)) = text.split_once(';') else {
        let swizzle = Swizzle::XYZW;
        return match (text.strip_prefix("16"), old) {
            (Some("rep"), _) => Ok(Region::ThreeAlign16 { rep: true, swizzle }),
            (Some(""), Region::ThreeAlign16 { .. } | Region::ThreeAlign1 { .. }) => {
                Ok(Region::ThreeAlign16 { rep: false, swizzle })
            }
            _ => Ok(Region::Align16 { vstride: stride(text)?, swizzle }),
        };
    };
    let Some((width, hstride)) = rest.split_once(',') else {
        return Ok(Region::ThreeAlign1 { vstride: Some(stride(first)?), hstride: stride(rest)? });
    };
    let vstride = if first == "VxH" { VStride::VxH } else { VStride::Elements(stride(first)?) };
    Ok(Region::Align1 { vstride, width: stride(width)?, hstride: stride(hstride)? })
}
