//! Printer of the `iga` syntax.
//!
//! The output was compared with that of `iga64` on the same bytes. Align16 swizzles and write
//! masks, which its syntax does not have, are printed as in the `mesa` syntax.

pub(super) mod message;
mod names;

pub(super) use names::{arf_name, arf_style, cond_name, math_name, sfid_name, type_name};

use super::number::{c_e, c_g, hex, push};
use super::{Context, elements};
use crate::inst::{
    DescSrc, Dst, Extra, Flag, Imm, Inst, Place, Reg, Region, Send, Src, SrcReg, Swizzle, SwsbPipe,
    TokenMode, VStride, WriteMask,
};
use crate::tables::{
    AccessMode, ArfKind, CondMod, Form, MathFn, Opcode, PredCtrl, SyncFn, ThreadCtrl, Type,
};
use crestline_device::Gen;
use std::fmt::Write;
use std::ops::Range;

/// Prints one instruction without a line end.
pub(super) fn inst(out: &mut String, i: &Inst, generation: Gen, context: Option<Context<'_>>) {
    let printer = Printer { i, generation, context };
    printer.predicate(out);
    printer.operation(out);
    printer.operands(out);
    printer.options(out);
}

/// Prints parts of one instruction.
struct Printer<'a> {
    i: &'a Inst,
    generation: Gen,
    context: Option<Context<'a>>,
}

/// Prints `:TYPE`.
fn push_type(out: &mut String, ty: Type) {
    out.push(':');
    out.push_str(type_name(ty));
}

/// Prints `.NAME`, or nothing if the name is empty.
fn suffix(out: &mut String, name: &str) {
    if !name.is_empty() {
        out.push('.');
        out.push_str(name);
    }
}

fn flag(out: &mut String, flag: Flag) {
    out.push('f');
    push(out, flag.nr);
    out.push('.');
    push(out, flag.subnr);
}

impl Printer<'_> {
    /// Prints `(W&~f0.0.any4h) `: NoMask and predicate.
    fn predicate(&self, out: &mut String) {
        let i = self.i;
        let predicated = i.predicate.ctrl != PredCtrl::None;
        if !predicated && !i.no_mask || self.is_bare() {
            return;
        }
        out.push('(');
        if i.no_mask {
            out.push('W');
        }
        if predicated {
            if i.no_mask {
                out.push('&');
            }
            if i.predicate.inverse {
                out.push('~');
            }
            flag(out, i.flag);
            suffix(out, i.predicate.ctrl.name());
        }
        out.push_str(") ");
    }

    /// Whether only the name of the operation is printed, without execution size and operands.
    fn is_bare(&self) -> bool {
        self.i.opcode.form() == Form::Nullary
    }

    /// Prints operation, execution size, channel group and conditional modifier.
    fn operation(&self, out: &mut String) {
        let i = self.i;
        out.push_str(i.opcode.name());
        match &i.extra {
            Extra::Math(function) => suffix(out, math_name(*function)),
            Extra::Sync(function) => suffix(out, function.name()),
            // Other branches have the bit too, but there is no syntax for it.
            Extra::Branch(branch)
                if branch.branch_ctrl
                    && matches!(i.opcode, Opcode::If | Opcode::Else | Opcode::Goto) =>
            {
                out.push_str(".b");
            }
            Extra::Send(send) if self.generation >= Gen::Gen12 => {
                suffix(out, sfid_name(send.sfid));
            }
            Extra::Bfn(table) => {
                let _ = write!(out, ".{table:#04X}");
            }
            Extra::Dpas(dpas) => {
                let _ = write!(out, ".{}x{}", dpas.depth, dpas.repeat);
            }
            _ => {}
        }
        let sizeless = matches!(i.opcode, Opcode::Jmpi | Opcode::Wait | Opcode::Sync);
        if !sizeless && !self.is_bare() {
            out.push_str(" (");
            push(out, if self.one_component().is_some() { 1 } else { i.exec_size });
            out.push_str("|M");
            push(out, i.group);
            out.push(')');
        }
        let is_macro = i.math().is_some_and(MathFn::is_macro);
        if i.cond_mod != CondMod::None || is_macro {
            out.push_str(" (");
            out.push_str(if is_macro { "eo" } else { cond_name(i.cond_mod) });
            out.push(')');
            flag(out, i.flag);
        }
    }

    /// Prints all operands of the instruction.
    fn operands(&self, out: &mut String) {
        let i = self.i;
        match i.opcode.form() {
            Form::Nullary | Form::MaskStack => {}
            Form::Jmpi | Form::BranchJip | Form::BranchJipUip => self.targets(out),
            Form::Call => {
                out.push(' ');
                self.bare_place(out, i.dst.place, i.dst.ty);
                self.targets(out);
            }
            Form::Ret => self.register_target(out),
            Form::Send | Form::Sends => self.message(out),
            Form::Sync => self.sync(out),
            Form::Wait => self.source(out, 0),
            Form::Dpas => self.systolic(out),
            _ => {
                self.destination(out);
                for n in 0..3 {
                    self.source(out, n);
                }
                if self.lacks_second_source() {
                    // The text for zero bits, which have the type with code 0.
                    let ty = Type::from_reg_bits(self.generation, 0).unwrap_or(Type::Ud);
                    out.push_str(" null<0;1,0>");
                    push_type(out, ty);
                }
            }
        }
    }

    /// Whether this is a `movi` of gen11 or later without a second source. The text then has a null
    /// source.
    fn lacks_second_source(&self) -> bool {
        let i = self.i;
        let absent = i.srcs[1] == Src::None && i.srcs[0].as_reg().is_some();
        i.opcode == Opcode::Movi && self.generation >= Gen::Gen11 && absent
    }

    /// Prints the operands of a systolic instruction: registers without regions. Source 2 has a
    /// subregister number, in its elements.
    fn systolic(&self, out: &mut String) {
        let dst = &self.i.dst;
        out.push(' ');
        if self.i.saturate {
            out.push_str("(sat)");
        }
        self.payload(out, dst.place);
        push_type(out, dst.ty);
        for (n, src) in self.i.srcs.iter().enumerate() {
            let Src::Reg(src) = src else { continue };
            let (name, bits) = elements::of(self.i, src, n)
                .unwrap_or((type_name(src.ty), 8 * src.ty.size() as u8));
            out.push(' ');
            match src.place {
                Place::Direct { reg, sub } if n == 2 => {
                    self.register(out, reg);
                    out.push('.');
                    push(out, u16::from(sub) * 8 / u16::from(bits));
                }
                place => self.payload(out, place),
            }
            out.push(':');
            out.push_str(name);
        }
    }

    /// Prints the targets of a branch: labels, numbers or a register.
    fn targets(&self, out: &mut String) {
        let Some(branch) = self.i.branch() else { return };
        for target in [branch.jip, branch.uip].into_iter().flatten() {
            out.push(' ');
            match self.context {
                Some(context) => {
                    let (labels, offset) = (context.labels, context.offset);
                    labels.print_target(out, self.i, self.generation, offset, target);
                }
                None => {
                    push(out, target);
                    // As `iga64` prints it: with a type, like an operand.
                    if self.i.opcode == Opcode::Brd && self.generation <= Gen::Gen75 {
                        out.push_str(":w");
                    }
                }
            }
        }
        if branch.jip.is_none() {
            self.register_target(out);
        }
    }

    /// Prints source 0 as the target of a branch.
    fn register_target(&self, out: &mut String) {
        if let Src::Reg(src) = &self.i.srcs[0] {
            out.push(' ');
            self.bare_place(out, src.place, src.ty);
        }
    }

    /// Whether this is a `sync` whose immediate is a mask of tokens.
    fn waits_for_tokens(&self) -> bool {
        matches!(self.i.extra, Extra::Sync(SyncFn::AllRd | SyncFn::AllWr))
    }

    /// Prints the operand of `sync`: null, a list of tokens such as `($0,$3)`, or a number.
    fn sync(&self, out: &mut String) {
        match &self.i.srcs[0] {
            Src::Imm(imm) => {
                let tokens: Vec<String> = (0..32)
                    .filter(|token| imm.bits >> token & 1 != 0)
                    .map(|token| format!("${token}"))
                    .collect();
                if self.waits_for_tokens() && !tokens.is_empty() {
                    let _ = write!(out, " ({})", tokens.join(","));
                } else {
                    out.push(' ');
                    hex(out, imm.bits, 1);
                    out.push_str(":ud");
                }
            }
            Src::Reg(reg) if !reg.place.is_null() => self.source(out, 0),
            _ => out.push_str(" null"),
        }
    }

    /// Prints the destination with saturation, stride, write mask and type.
    fn destination(&self, out: &mut String) {
        let dst = &self.i.dst;
        out.push(' ');
        if self.i.saturate {
            out.push_str("(sat)");
        }
        self.dst_place(out, dst);
        if dst.mme.is_none() {
            out.push('<');
            push(out, dst.hstride);
            out.push('>');
        }
        let masked = self.one_component().is_none() && dst.writemask != WriteMask::XYZW;
        if self.i.access_mode == AccessMode::Align16 && masked {
            out.push('.');
            for (bit, name) in "xyzw".chars().enumerate() {
                if dst.writemask.0 >> bit & 1 != 0 {
                    out.push(name);
                }
            }
        }
        push_type(out, dst.ty);
    }

    fn dst_place(&self, out: &mut String, dst: &Dst) {
        match dst.mme {
            Some(number) => self.mme_place(out, dst.place, number),
            None => self.place(out, self.one_component().unwrap_or(dst.place), dst.ty),
        }
    }

    /// If an Align16 three-source operation writes only one component, the place of that component.
    /// It is printed as an operation of one channel with a scalar destination.
    ///
    /// Reason: the `iga` syntax has no write mask here. For an operation of one channel, `iga64`
    /// encodes a vector of four components (two for DF) with one of them enabled.
    fn one_component(&self) -> Option<Place> {
        let (i, dst) = (self.i, &self.i.dst);
        let align16 = i.access_mode == AccessMode::Align16;
        let Place::Direct { reg, sub } = dst.place else { return None };
        if i.opcode.form() != Form::Three || !align16 || dst.mme.is_some() {
            return None;
        }
        let size = dst.ty.size() as u8;
        let component = match (dst.ty, i.exec_size, dst.writemask.0) {
            (Type::Df, 2, 0b0011) => 0,
            (Type::Df, 2, 0b1100) => 1,
            (Type::Df, ..) => return None,
            (_, 4, mask) if mask.is_power_of_two() => mask.trailing_zeros() as u8,
            _ => return None,
        };
        let whole = sub.is_multiple_of(vector_size(dst.ty));
        whole.then_some(Place::Direct { reg, sub: sub + component * size })
    }

    /// Prints a register with its mme number, such as `r4.mme1` or `r4.nomme`.
    fn mme_place(&self, out: &mut String, place: Place, number: u8) {
        if let Place::Direct { reg, .. } = place {
            self.register(out, reg);
        }
        if number >= 8 {
            out.push_str(".nomme");
        } else {
            let _ = write!(out, ".mme{number}");
        }
    }

    /// Prints the name and number of a register.
    fn register(&self, out: &mut String, reg: Reg) {
        match reg {
            Reg::Grf(nr) => {
                out.push('r');
                push(out, nr);
            }
            Reg::Mrf(nr) => {
                out.push('m');
                push(out, nr);
            }
            Reg::Arf(ArfKind::Accumulator, nr) if self.mme_numbers().contains(&nr) => {
                out.push_str("mme");
                push(out, nr - self.mme_numbers().start);
            }
            Reg::Arf(kind, nr) => {
                out.push_str(arf_name(kind));
                if arf_style(kind).0 {
                    push(out, nr);
                }
            }
        }
    }

    /// Numbers of the accumulators that are the extended precision registers `mme0` to `mme7`.
    fn mme_numbers(&self) -> Range<u8> {
        match self.generation {
            Gen::Gen12 | Gen::Gen125 => 8..16,
            Gen::Gen8 | Gen::Gen9 | Gen::Gen11 => 2..10,
            _ => 0..0,
        }
    }

    /// Prints a register with its subregister number, or an indirect register such as `r[a0.2,16]`.
    fn place(&self, out: &mut String, place: Place, ty: Type) {
        match place {
            Place::Direct { reg, sub } => {
                self.register(out, reg);
                if !matches!(reg, Reg::Arf(kind, _) if !arf_style(kind).1) {
                    out.push('.');
                    push(out, sub / elements::subregister_unit(ty));
                }
            }
            Place::Indirect { addr, offset } => {
                out.push_str("r[a0.");
                push(out, addr);
                if offset != 0 {
                    out.push(',');
                    push(out, offset);
                }
                out.push(']');
            }
        }
    }

    /// Prints the register of a branch. Its subregister number is in dwords, whatever its type.
    fn bare_place(&self, out: &mut String, place: Place, ty: Type) {
        let ty = if ty.size() == 4 { ty } else { Type::Ud };
        self.place(out, place, ty);
    }

    /// Prints source `n`, if the operation has it.
    fn source(&self, out: &mut String, n: usize) {
        match &self.i.srcs[n] {
            Src::None => {}
            Src::Imm(imm) => {
                out.push(' ');
                immediate(out, imm);
            }
            Src::Reg(src) => {
                if n == 1 && src.place.is_null() && self.i.math().is_some_and(|f| f.sources() == 1)
                {
                    return;
                }
                out.push(' ');
                self.src_reg(out, src, n);
            }
        }
    }

    /// Prints a register source with modifiers, region and type.
    fn src_reg(&self, out: &mut String, src: &SrcReg, n: usize) {
        if src.negate {
            out.push(if self.i.opcode.is_logic() { '~' } else { '-' });
        }
        if src.abs {
            out.push_str("(abs)");
        }
        if let Some(number) = src.mme {
            self.mme_place(out, src.place, number);
            push_type(out, src.ty);
            return;
        }
        let (region, skip) = three_src_region(src, n);
        let place = match src.place {
            Place::Direct { reg, sub } => Place::Direct { reg, sub: sub + skip },
            place => place,
        };
        self.place(out, place, src.ty);
        match region {
            Some(text) => out.push_str(text),
            None => region_text(out, src.region, n),
        }
        push_type(out, src.ty);
    }

    /// Prints the operands of `send`: destination, payloads and descriptors.
    fn message(&self, out: &mut String) {
        let Some(send) = self.i.send() else { return };
        let split = self.i.opcode.form() == Form::Sends;
        let typed = self.generation < Gen::Gen12;
        // Types are printed for destinations of split sends and of gen7.5, and for other operands
        // if they are not UD.
        out.push(' ');
        self.payload(out, self.i.dst.place);
        // `iga64` has only one stride and one region here. Others are printed too, so that the bits
        // are kept.
        if typed && self.i.dst.hstride != 1 {
            out.push('<');
            push(out, self.i.dst.hstride);
            out.push('>');
        }
        let named = self.generation <= Gen::Gen75;
        if typed && (split || named || self.i.dst.ty != Type::Ud) {
            push_type(out, self.i.dst.ty);
        }
        for (n, src) in self.i.srcs[..2].iter().enumerate() {
            match src {
                Src::Reg(src) => {
                    out.push(' ');
                    self.payload(out, src.place);
                    if typed && src.region != Region::SCALAR {
                        region_text(out, src.region, n);
                    }
                    if typed && !split && src.ty != Type::Ud {
                        push_type(out, src.ty);
                    }
                }
                _ if n == 1 && (split || !typed) => out.push_str(" null"),
                _ => {}
            }
        }
        if let Some(length) = self.payload_length(send) {
            out.push(':');
            push(out, length);
        }
        self.descriptors(out, send);
    }

    /// Length of the second payload. On gen12.5 it is printed behind the register, not as part of
    /// the extended descriptor.
    fn payload_length(&self, send: &Send) -> Option<u32> {
        if self.generation < Gen::Gen125 {
            return None;
        }
        match send.ex_desc {
            DescSrc::Imm(ex_desc) => Some(ex_desc >> 6 & 31),
            DescSrc::Reg { .. } => (send.src1_len != 0).then_some(u32::from(send.src1_len)),
        }
    }

    /// Prints the descriptors: immediates or registers.
    fn descriptors(&self, out: &mut String, send: &Send) {
        let address = |out: &mut String, dword: u8| {
            out.push_str("a0.");
            push(out, dword);
        };
        out.push(' ');
        match send.ex_desc {
            DescSrc::Imm(ex_desc) if self.generation >= Gen::Gen12 => {
                let length = self.payload_length(send).unwrap_or(0) << 6;
                hex(out, ex_desc & !length, 1);
            }
            DescSrc::Imm(ex_desc) => {
                let sfid = u32::from(send.sfid.bits(self.generation).unwrap_or(0));
                hex(out, ex_desc | u32::from(send.eot) << 5 | sfid, 1);
            }
            DescSrc::Reg { dword } => address(out, dword),
        }
        out.push(' ');
        match send.desc {
            DescSrc::Imm(desc) => hex(out, desc, 8),
            DescSrc::Reg { dword } => address(out, dword),
        }
    }

    /// Prints a payload register, without a subregister if that is 0.
    fn payload(&self, out: &mut String, place: Place) {
        match place {
            Place::Direct { reg, sub: 0 } => self.register(out, reg),
            place => self.place(out, place, Type::Ud),
        }
    }

    /// Prints the options: ` {NAME,NAME}`.
    fn options(&self, out: &mut String) {
        let i = self.i;
        let send = i.send();
        let mut separator = " {";
        // `iga64` sorts them by name.
        option(out, &mut separator, i.acc_wr_en, "AccWrEn");
        // Three-source operations and macros have this mode without the option.
        let implied = matches!(i.opcode.form(), Form::Three | Form::Bfn) || i.is_macro();
        let align16 = i.access_mode == AccessMode::Align16 && !implied;
        option(out, &mut separator, align16, "Align16");
        option(out, &mut separator, i.thread_ctrl == ThreadCtrl::Atomic, "Atomic");
        option(out, &mut separator, i.breakpoint, "Breakpoint");
        option(out, &mut separator, i.compacted, "Compacted");
        option(out, &mut separator, send.is_some_and(|send| send.eot), "EOT");
        option(out, &mut separator, i.no_dd_check, "NoDDChk");
        option(out, &mut separator, i.no_dd_clear, "NoDDClr");
        option(out, &mut separator, i.thread_ctrl == ThreadCtrl::NoPreempt, "NoPreempt");
        option(out, &mut separator, send.is_some_and(|send| send.fusion_ctrl), "Serialize");
        option(out, &mut separator, i.thread_ctrl == ThreadCtrl::Switch, "Switch");
        let mut begin = |out: &mut String| out.push_str(std::mem::replace(&mut separator, ","));
        if i.swsb.distance != 0 {
            begin(out);
            // On gen12.5, the distance of a message that also has a token counts in all pipes.
            let all = self.generation >= Gen::Gen125 && send.is_some() && i.swsb.token.is_some();
            out.push_str(match i.swsb.pipe {
                SwsbPipe::Implied if all => "A@",
                SwsbPipe::Implied => "@",
                SwsbPipe::All => "A@",
                SwsbPipe::Float => "F@",
                SwsbPipe::Int => "I@",
                SwsbPipe::Long => "L@",
            });
            push(out, i.swsb.distance);
        }
        if let Some(token) = i.swsb.token {
            begin(out);
            out.push('$');
            push(out, token.id);
            out.push_str(match token.mode {
                TokenMode::Set => "",
                TokenMode::Src => ".src",
                TokenMode::Dst => ".dst",
            });
        }
        if separator == "," {
            out.push('}');
        }
    }
}

/// Prints an option if it is set. `separator` is the text before the next option.
#[inline(always)]
fn option(out: &mut String, separator: &mut &str, set: bool, name: &str) {
    if set {
        out.push_str(std::mem::replace(separator, ","));
        out.push_str(name);
    }
}

/// Size in bytes of the vector that an Align16 three-source operation writes.
pub(super) fn vector_size(ty: Type) -> u8 {
    if ty == Type::Hf { 8 } else { 16 }
}

/// The text of the region of an Align16 three-source operand, if the syntax has one. Also the bytes
/// to add to the offset: 8 if the swizzle replicates the second double.
fn three_src_region(src: &SrcReg, n: usize) -> (Option<&'static str>, u8) {
    let (vector, scalar) = if n == 2 { ("<1>", "<0>") } else { ("<2;1>", "<0;0>") };
    match src.region {
        Region::ThreeAlign16 { rep: true, .. } => (Some(scalar), 0),
        Region::ThreeAlign16 { swizzle: Swizzle([0, 1, 0, 1]), .. } if src.ty == Type::Df => {
            (Some(scalar), 0)
        }
        Region::ThreeAlign16 { swizzle: Swizzle([2, 3, 2, 3]), .. } if src.ty == Type::Df => {
            (Some(scalar), 8)
        }
        Region::ThreeAlign16 { swizzle: Swizzle::XYZW, .. } => (Some(vector), 0),
        _ => (None, 0),
    }
}

fn swizzle_text(out: &mut String, swizzle: Swizzle) {
    out.push('.');
    for component in swizzle.0 {
        out.push(['x', 'y', 'z', 'w'][usize::from(component & 3)]);
    }
}

/// Prints a region `<V;W,H>`, in the form of its format, and its swizzle. `n` is the number of the
/// source.
fn region_text(out: &mut String, region: Region, n: usize) {
    out.push('<');
    match region {
        Region::Align1 { vstride: VStride::VxH, width, hstride } => {
            push(out, width);
            out.push(',');
            push(out, hstride);
        }
        Region::Align1 { vstride: VStride::Elements(vstride), width, hstride } => {
            push(out, vstride);
            out.push(';');
            push(out, width);
            out.push(',');
            push(out, hstride);
        }
        Region::ThreeAlign1 { vstride: Some(vstride), hstride } => {
            push(out, vstride);
            out.push(';');
            push(out, hstride);
        }
        Region::ThreeAlign1 { vstride: None, hstride } => push(out, hstride),
        Region::Align16 { vstride, .. } => push(out, vstride),
        Region::ThreeAlign16 { .. } => out.push_str(if n == 2 { "1" } else { "2;1" }),
    }
    out.push('>');
    if let Region::Align16 { swizzle, .. } | Region::ThreeAlign16 { swizzle, .. } = region {
        swizzle_text(out, swizzle);
    }
}

/// Prints an immediate with its type: signed integers in decimal, unsigned in hexadecimal, floats
/// with as few digits as represent the value exactly.
fn immediate(out: &mut String, imm: &Imm) {
    let bits = imm.bits;
    match imm.ty {
        Type::D => push(out, bits as u32 as i32),
        Type::W => push(out, bits as u16 as i16),
        Type::Q => push(out, bits as i64),
        Type::F => {
            let value = f32::from_bits(bits as u32);
            let same = |text: &str| text.parse::<f32>() == Ok(value);
            float(out, bits, f64::from(value), (8, 23), same);
        }
        Type::Hf => {
            let value = half::f16::from_bits(bits as u16).to_f64();
            let same = |text: &str| text.parse::<f32>().map(f64::from) == Ok(value);
            float(out, bits, value, (5, 10), same);
        }
        Type::Df => {
            let value = f64::from_bits(bits);
            float(out, bits, value, (11, 52), |text| text.parse::<f64>() == Ok(value));
        }
        _ => hex(out, bits, 1),
    }
    push_type(out, imm.ty);
}

/// Prints a float with the given widths of exponent and fraction. `same` is whether a text parses
/// to exactly this value.
fn float(
    out: &mut String,
    bits: u64,
    value: f64,
    (exponent, fraction): (u32, u32),
    same: impl Fn(&str) -> bool,
) {
    let sign = if bits >> (exponent + fraction) & 1 != 0 { "-" } else { "" };
    if value.is_nan() {
        let quiet = bits >> (fraction - 1) & 1;
        let kind = if quiet != 0 { "qnan" } else { "snan" };
        let payload = bits & ((1 << (fraction - 1)) - 1);
        let _ = write!(out, "{sign}{kind}({payload:#X})");
    } else if value.is_infinite() {
        let _ = write!(out, "{sign}inf");
    } else {
        let short = c_g(value, 6);
        let long = c_e(value);
        if same(&short) {
            out.push_str(&short);
            if !short.contains(['.', 'e']) {
                out.push_str(".0");
            }
        } else if same(&long) {
            out.push_str(&long);
        } else {
            let _ = write!(out, "{bits:#X}");
        }
    }
}
