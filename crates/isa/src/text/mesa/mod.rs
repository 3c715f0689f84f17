//! Printer of the `mesa` syntax, the syntax of Mesa's shader dumps.
//!
//! A `send` is printed as two lines; the second one describes the message. Where Mesa's dumps lose
//! information, this printer adds it; `docs/isa-notes.md` lists these differences.

pub(super) mod message;

use super::number::{self, c_g};
use super::{Context, elements, labels};
use crate::inst::{
    Compression, DescSrc, Dst, Extra, Flag, Imm, Inst, Place, Reg, Region, Send, Src, SrcReg,
    Swizzle, SwsbPipe, TokenMode, VStride, WriteMask,
};
use crate::tables::{AccessMode, ArfKind, CondMod, Form, Opcode, PredCtrl, ThreadCtrl, Type};
use crestline_device::Gen;
use std::fmt::Write;

/// Prints one instruction without a final line end.
pub(super) fn inst(out: &mut String, i: &Inst, generation: Gen, context: Option<Context<'_>>) {
    let printer = Printer { i, generation, context };
    printer.predicate(out);
    printer.operation(out);
    printer.operands(out);
    printer.options(out);
    out.push(';');
}

/// Prints parts of one instruction.
struct Printer<'a> {
    i: &'a Inst,
    generation: Gen,
    context: Option<Context<'a>>,
}

fn arf_name(out: &mut String, kind: ArfKind, nr: u8) {
    let _ = match kind {
        ArfKind::Null | ArfKind::Ip => write!(out, "{}", kind.name()),
        _ => write!(out, "{}{nr}", kind.name()),
    };
}

fn register(out: &mut String, reg: Reg) {
    let _ = match reg {
        Reg::Grf(nr) => write!(out, "g{nr}"),
        Reg::Mrf(nr) => write!(out, "m{nr}"),
        Reg::Arf(kind, nr) => {
            arf_name(out, kind, nr);
            Ok(())
        }
    };
}

/// Prints a register and its subregister number, in elements of the type. Subregister 0 is printed
/// only if `always`.
fn place(out: &mut String, place: Place, ty: Type, always: bool) {
    match place {
        Place::Direct { reg, sub } => {
            register(out, reg);
            let element = sub / elements::subregister_unit(ty);
            if element != 0 || always {
                let _ = write!(out, ".{element}");
            }
        }
        Place::Indirect { addr, offset } => {
            out.push_str("g[a0");
            if addr != 0 {
                let _ = write!(out, ".{addr}");
            }
            if offset != 0 {
                let _ = write!(out, " {offset}");
            }
            out.push(']');
        }
    }
}

fn flag_text(out: &mut String, flag: Flag) {
    let _ = write!(out, "f{}.{}", flag.nr, flag.subnr);
}

impl Printer<'_> {
    /// Prints `(+f0.0.any4h) `: the predicate.
    fn predicate(&self, out: &mut String) {
        let predicate = self.i.predicate;
        if predicate.ctrl == PredCtrl::None {
            return;
        }
        out.push_str(if predicate.inverse { "(-" } else { "(+" });
        flag_text(out, self.i.flag);
        let name = predicate.ctrl.name();
        if !name.is_empty() {
            let _ = write!(out, ".{name}");
        }
        out.push_str(") ");
    }

    /// Prints operation, modifiers and execution size.
    fn operation(&self, out: &mut String) {
        let i = self.i;
        out.push_str(i.opcode.name());
        if i.saturate {
            out.push_str(".sat");
        }
        if i.breakpoint {
            out.push_str(".breakpoint");
        }
        match &i.extra {
            Extra::Math(function) => {
                let _ = write!(out, " {}", function.name());
            }
            Extra::Sync(function) => {
                let _ = write!(out, " {}", function.name());
            }
            Extra::Bfn(table) => {
                let _ = write!(out, " {table:#04x}");
            }
            Extra::Dpas(dpas) => {
                let _ = write!(out, " {}x{}", dpas.depth, dpas.repeat);
            }
            _ => {}
        }
        if i.cond_mod != CondMod::None {
            let _ = write!(out, ".{}", i.cond_mod.name());
            // These operations do not write the flag register.
            let quiet = matches!(i.opcode, Opcode::Sel | Opcode::Csel | Opcode::If | Opcode::While);
            if !quiet {
                out.push('.');
                flag_text(out, i.flag);
            }
        }
        if i.opcode.form() != Form::Nullary {
            let _ = write!(out, "({})", i.exec_size);
        }
        out.push(' ');
    }

    /// Prints all operands of the instruction.
    fn operands(&self, out: &mut String) {
        let i = self.i;
        match i.opcode.form() {
            Form::Nullary => {}
            Form::MaskStack | Form::Jmpi | Form::BranchJip | Form::BranchJipUip => {
                self.targets(out)
            }
            Form::Call => {
                self.destination(out);
                self.targets(out);
            }
            Form::Send | Form::Sends => self.message(out),
            Form::Wait => self.destination(out),
            Form::Sync => match &i.srcs[0] {
                Src::None => self.absent(out),
                _ => self.source(out, 0),
            },
            Form::Ret => self.source(out, 0),
            Form::Dpas => self.systolic(out),
            _ => {
                self.destination(out);
                let count = if i.math().is_some() { 2 } else { 3 };
                for n in 0..count {
                    self.source(out, n);
                }
                if i.math().is_some() && i.srcs[1] == Src::None && i.srcs[0].as_reg().is_some() {
                    self.absent(out);
                }
            }
        }
    }

    /// Prints the operands of a systolic instruction: registers without regions. Source 2 can have
    /// a subregister number, in its elements.
    fn systolic(&self, out: &mut String) {
        self.destination(out);
        for (n, src) in self.i.srcs.iter().enumerate() {
            let Src::Reg(src) = src else { continue };
            match (elements::of(self.i, src, n), src.place) {
                (Some((name, bits)), Place::Direct { reg, sub }) => {
                    register(out, reg);
                    if sub != 0 {
                        let _ = write!(out, ".{}", u32::from(sub) * 8 / u32::from(bits));
                    }
                    out.push_str(&name.to_uppercase());
                }
                _ => {
                    place(out, src.place, src.ty, false);
                    out.push_str(src.ty.name());
                }
            }
            out.push(' ');
        }
    }

    /// Prints the null register for an operand whose bits are all zero; its type is the one with
    /// code 0.
    fn absent(&self, out: &mut String) {
        let ty = Type::from_reg_bits(self.generation, 0).unwrap_or(Type::Ud);
        let region = match self.i.access_mode {
            AccessMode::Align1 => "<0,1,0>",
            AccessMode::Align16 => "<0>.x",
        };
        let _ = write!(out, "null{region}{} ", ty.name());
    }

    /// Prints the targets of a branch: labels, distances or a register.
    fn targets(&self, out: &mut String) {
        let Some(branch) = self.i.branch() else { return };
        let names = if self.generation >= Gen::Gen6 { ["JIP:", "UIP:"] } else { ["Jump:", "UIP:"] };
        let pops_only = self.generation <= Gen::Gen5 && labels::pops_only(self.i);
        for (name, target) in names.into_iter().zip([branch.jip, branch.uip]) {
            let Some(target) = target.filter(|_| !pops_only) else { continue };
            let _ = write!(out, "{name} ");
            match self.context {
                Some(context) => {
                    let (labels, offset) = (context.labels, context.offset);
                    labels.print_target(out, self.i, self.generation, offset, target);
                }
                None => number::push(out, labels::distance(self.i, self.generation, target)),
            }
            out.push(' ');
        }
        if self.generation <= Gen::Gen5 && branch.pop_count != 0 {
            let _ = write!(out, "Pop: {} ", branch.pop_count);
        }
        if branch.jip.is_none() && self.i.opcode.form() != Form::MaskStack {
            self.source(out, 0);
        }
    }

    /// Prints the destination with stride, write mask and type.
    fn destination(&self, out: &mut String) {
        let dst = &self.i.dst;
        place(out, dst.place, dst.ty, false);
        match dst.mme {
            Some(number) => mme(out, number),
            None => {
                let _ = write!(out, "<{}>", dst.hstride);
                self.writemask(out, dst);
            }
        }
        let _ = write!(out, "{} ", dst.ty.name());
    }

    /// Prints the write mask of an Align16 destination, unless all components are enabled.
    fn writemask(&self, out: &mut String, dst: &Dst) {
        if self.i.access_mode != AccessMode::Align16 || dst.writemask == WriteMask::XYZW {
            return;
        }
        out.push('.');
        for (bit, name) in "xyzw".chars().enumerate() {
            if dst.writemask.0 >> bit & 1 != 0 {
                out.push(name);
            }
        }
    }

    /// Prints source `n`, if there is one.
    fn source(&self, out: &mut String, n: usize) {
        match &self.i.srcs[n] {
            Src::None => {}
            Src::Imm(imm) => {
                match (self.i.opcode, imm.ty) {
                    // The 64-bit immediate is encoded as F, and printed as F.
                    (Opcode::Dim, _) => {
                        let value = c_float(f64::from_bits(imm.bits));
                        let _ = write!(out, "0x{:x}F /* {value}F */", imm.bits);
                    }
                    (op, Type::Hf) if op.form() == Form::Three => {
                        let _ = write!(out, "0x{:04x}HF", imm.bits);
                    }
                    _ => immediate(out, imm),
                }
                out.push(' ');
            }
            Src::Reg(src) => {
                self.src_reg(out, src, n);
                out.push(' ');
            }
        }
    }

    /// Prints a register source with modifiers, region and type.
    fn src_reg(&self, out: &mut String, src: &SrcReg, n: usize) {
        if src.negate {
            let not = self.i.opcode.is_logic() && self.generation >= Gen::Gen8;
            out.push(if not { '~' } else { '-' });
        }
        if src.abs {
            out.push_str("(abs)");
        }
        if let Some(number) = src.mme {
            place(out, src.place, src.ty, false);
            mme(out, number);
            out.push_str(src.ty.name());
            return;
        }
        let three = self.i.opcode.form() == Form::Three;
        let (region, scalar) = region_text(src, n);
        // In three-source instructions, Mesa prints the subregister of scalars even if it is 0.
        place(out, src.place, src.ty, three && scalar);
        out.push_str(&region);
        out.push_str(src.ty.name());
    }

    /// Prints the operands of `send`, and on a second line the description of the message.
    fn message(&self, out: &mut String) {
        let Some(send) = self.i.send() else { return };
        let split = self.i.opcode.form() == Form::Sends || self.generation >= Gen::Gen12;
        // Whether to print the extended descriptor as a number, because its bits are not those of a
        // region.
        let mut explicit = false;
        if split {
            self.payload(out, self.i.dst.place, self.i.dst.ty);
            for src in &self.i.srcs[..2] {
                match src {
                    Src::Reg(src) => self.payload(out, src.place, src.ty),
                    _ => out.push_str("nullUD "),
                }
            }
        } else {
            if self.generation <= Gen::Gen5 {
                let _ = write!(out, "{} ", send.base_mrf);
            }
            self.destination(out);
            match (&self.i.srcs[0], send.ex_desc) {
                (Src::Reg(src), DescSrc::Imm(ex_desc)) if self.generation >= Gen::Gen9 => {
                    let region = overlaid_region(ex_desc, self.i.residue);
                    explicit = ex_desc != 0 && region.is_none();
                    let region = region.unwrap_or(Region::SCALAR);
                    self.src_reg(out, &SrcReg { region, ..*src }, 0);
                    out.push(' ');
                }
                _ => self.source(out, 0),
            }
        }
        self.descriptors(out, send, split, explicit);
        out.push_str("\n    ");
        message::message(out, self.generation, send, split);
    }

    /// Prints a payload register with its type.
    fn payload(&self, out: &mut String, at: Place, ty: Type) {
        place(out, at, ty, false);
        let _ = write!(out, "{} ", ty.name());
    }

    /// Prints the descriptors. `split`: the instruction has two payloads. `explicit`: print an
    /// immediate extended descriptor that is not otherwise visible.
    fn descriptors(&self, out: &mut String, send: &Send, split: bool, explicit: bool) {
        let eot = u32::from(send.eot) << 31;
        let _ = match send.desc {
            DescSrc::Imm(desc) => {
                // Mesa prints the dword of the instruction that contains the descriptor. It may
                // also contain the end-of-thread bit and the shared function.
                let eot = if split { 0 } else { eot };
                let function = match send.sfid.bits(self.generation) {
                    Some(code) if self.generation <= Gen::Gen45 => u32::from(code) << 24,
                    _ => 0,
                };
                write!(out, "0x{:08x} ", desc | function | eot)
            }
            DescSrc::Reg { dword } => {
                let sub = if dword == 0 { String::new() } else { format!(".{dword}") };
                match self.i.access_mode {
                    _ if split => write!(out, "a0{sub}<0>UD "),
                    AccessMode::Align1 => write!(out, "a0{sub}<0,1,0>UD "),
                    AccessMode::Align16 => write!(out, "a0{sub}<0>.xUD "),
                }
            }
        };
        if split {
            let _ = match send.ex_desc {
                DescSrc::Imm(ex_desc) => write!(out, "0x{ex_desc:08x} "),
                DescSrc::Reg { dword } => write!(out, "a0.{dword}<0>UD "),
            };
        } else if matches!(send.desc, DescSrc::Reg { .. }) {
            // Mesa prints the dword of the instruction that would contain an immediate descriptor;
            // it contains the register operand instead.
            let _ = write!(out, "0x{:08x} ", 0x200 | eot);
        }
        if let (true, DescSrc::Imm(ex_desc)) = (explicit, send.ex_desc) {
            let _ = write!(out, "0x{ex_desc:08x} ");
        }
    }

    /// Prints the options: `{ NAME NAME }`.
    fn options(&self, out: &mut String) {
        let i = self.i;
        if i.opcode.form() == Form::Nullary {
            // Mesa's dumps omit this; without it the size of the instruction is unknown.
            if i.compacted {
                out.push_str("{ compacted }");
            }
            return;
        }
        let mut options: Vec<String> = Vec::new();
        let mut add = |set: bool, text: &str| {
            if set {
                options.push(text.to_owned());
            }
        };
        add(i.access_mode == AccessMode::Align1, "align1");
        add(i.access_mode == AccessMode::Align16, "align16");
        add(i.no_mask, if self.generation <= Gen::Gen5 { "nomask" } else { "WE_all" });
        match (i.no_dd_clear, i.no_dd_check) {
            (true, true) => add(true, "NoDDClr,NoDDChk"),
            (clear, check) => {
                add(clear, "NoDDClr");
                add(check, "NoDDChk");
            }
        }
        add(self.group().is_some(), &self.group().unwrap_or_default());
        let swsb = self.swsb();
        add(!swsb.is_empty(), &swsb);
        add(i.mask_ctrl_ex, "MaskCtrlEx");
        add(i.compacted, "compacted");
        add(i.thread_ctrl == ThreadCtrl::Atomic, "atomic");
        add(i.thread_ctrl == ThreadCtrl::Switch, "switch");
        add(i.thread_ctrl == ThreadCtrl::NoPreempt, "nopreempt");
        add(i.acc_wr_en, "AccWrEnable");
        add(i.branch().is_some_and(|branch| branch.branch_ctrl), "BranchCtrl");
        add(i.send().is_some_and(|send| send.eot), "EOT");
        let _ = write!(out, "{{ {} }}", options.join(" "));
    }

    /// The channel group: quarter, half or nibble of the dispatch mask. `None` if nothing is
    /// printed.
    fn group(&self) -> Option<String> {
        let i = self.i;
        if self.generation <= Gen::Gen5 {
            return match (i.compression, i.group) {
                (Compression::None, 0) => None,
                (Compression::None, _) => Some("sechalf".to_owned()),
                (Compression::Compressed, _) => Some("compr".to_owned()),
                (Compression::Compr4, _) => Some("compr4".to_owned()),
            };
        }
        match i.exec_size {
            // The first channel is not a multiple of the execution size. This may be illegal, but
            // the encoding can contain it.
            8.. if !i.group.is_multiple_of(i.exec_size) => Some(format!("{}N", i.group / 4 + 1)),
            32 => None,
            16 => Some(format!("{}H", i.group / 16 + 1)),
            8 => Some(format!("{}Q", i.group / 8 + 1)),
            _ => Some(format!("{}N", i.group / 4 + 1)),
        }
    }

    /// The text of the software scoreboard, such as `@1 $3.dst`; empty if there is none.
    fn swsb(&self) -> String {
        let swsb = self.i.swsb;
        let mut out = String::new();
        if swsb.distance != 0 {
            let pipe = match swsb.pipe {
                SwsbPipe::Implied => "",
                SwsbPipe::All => "A",
                SwsbPipe::Float => "F",
                SwsbPipe::Int => "I",
                SwsbPipe::Long => "L",
            };
            let _ = write!(out, "{pipe}@{}", swsb.distance);
        }
        if let Some(token) = swsb.token {
            let space = if out.is_empty() { "" } else { " " };
            let mode = match token.mode {
                TokenMode::Set => "",
                TokenMode::Src => ".src",
                TokenMode::Dst => ".dst",
            };
            let _ = write!(out, "{space}${}{mode}", token.id);
        }
        out
    }
}

/// The region whose encoding has the same bits as an immediate extended descriptor. In a `send` of
/// gen9 or gen11 the descriptor occupies the bits of source 0's region, and Mesa prints them as a
/// region. `None` if they are not a valid region. The highest bit of the width is not part of the
/// descriptor; it comes from the residue.
fn overlaid_region(ex_desc: u32, residue: u128) -> Option<Region> {
    let stride = |code: u32| if code == 0 { 0 } else { 1_u8 << (code - 1) };
    let vstride = ex_desc >> 24 & 15;
    let width = ex_desc >> 22 & 3 | ((residue >> 84 & 1) as u32) << 2;
    let hstride = ex_desc >> 20 & 3;
    let others = ex_desc & 0xf00f_ffff;
    let plain = others == 0 && vstride <= 6 && width <= 4;
    plain.then(|| Region::align1(stride(vstride), 1 << width, stride(hstride)))
}

/// Prints an mme number: `.mme1` or `.nomme`.
fn mme(out: &mut String, number: u8) {
    let _ = if number >= 8 { write!(out, ".nomme") } else { write!(out, ".mme{number}") };
}

/// The text of a swizzle: empty for the identity, one letter if all components are the same.
fn swizzle_text(swizzle: Swizzle) -> String {
    let name = |component: u8| ['x', 'y', 'z', 'w'][usize::from(component & 3)];
    let [x, y, z, w] = swizzle.0;
    if swizzle == Swizzle::XYZW {
        String::new()
    } else if x == y && x == z && x == w {
        format!(".{}", name(x))
    } else {
        format!(".{}{}{}{}", name(x), name(y), name(z), name(w))
    }
}

/// The text of the region with its swizzle, and whether all channels read one element.
fn region_text(src: &SrcReg, n: usize) -> (String, bool) {
    match src.region {
        Region::Align1 { vstride, width, hstride } => {
            let vstride = match vstride {
                VStride::Elements(elements) => elements.to_string(),
                VStride::VxH => "VxH".to_owned(),
            };
            (format!("<{vstride},{width},{hstride}>"), src.region.is_scalar())
        }
        Region::Align16 { vstride, swizzle } => {
            (format!("<{vstride}>{}", swizzle_text(swizzle)), false)
        }
        Region::ThreeAlign16 { rep: true, .. } => ("<0,1,0>".to_owned(), true),
        Region::ThreeAlign16 { swizzle, .. } => {
            (format!("<4,4,1>{}", swizzle_text(swizzle)), false)
        }
        Region::ThreeAlign1 { vstride, hstride } => {
            let vstride = vstride.unwrap_or(hstride);
            let width = match (vstride, hstride) {
                (_, 0) => 1,
                _ if n == 2 => 1,
                (vstride, hstride) => (vstride / hstride).max(1),
            };
            (format!("<{vstride},{width},{hstride}>"), src.region.is_scalar())
        }
    }
}

/// Prints an immediate with its type; for floats, a comment contains the value.
fn immediate(out: &mut String, imm: &Imm) {
    let bits = imm.bits;
    let _ = match imm.ty {
        Type::D => write!(out, "{}D", bits as u32 as i32),
        Type::W => write!(out, "{}W", bits as u16 as i16),
        Type::Ud => write!(out, "0x{bits:08x}UD"),
        Type::Uw => write!(out, "0x{bits:04x}UW"),
        Type::Uq => write!(out, "0x{bits:016x}UQ"),
        Type::Q => write!(out, "0x{bits:016x}Q"),
        Type::V => write!(out, "0x{bits:08x}V"),
        Type::Uv => write!(out, "0x{bits:08x}UV"),
        Type::F => {
            let value = f64::from(f32::from_bits(bits as u32));
            write!(out, "0x{bits:x}F /* {}F */", c_float(value))
        }
        Type::Df => write!(out, "0x{bits:016x}DF /* {}DF */", c_float(f64::from_bits(bits))),
        Type::Hf => {
            let value = half::f16::from_bits(bits as u16).to_f64();
            write!(out, "0x{bits:04x}HF /* {}HF */", c_float(value))
        }
        Type::Vf => {
            let values: Vec<String> =
                (0..4).map(|n| format!("{}F", c_float(vf(bits >> (8 * n))))).collect();
            write!(out, "0x{bits:x}VF /* [{}]VF */", values.join(", "))
        }
        Type::Ub | Type::B | Type::Nf | Type::Bf => {
            write!(out, "0x{bits:x}{}", imm.ty.name())
        }
    };
}

/// The text of a number as `%g` of C prints it.
fn c_float(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan".to_owned() } else { "nan".to_owned() };
    }
    if value.is_infinite() {
        return if value.is_sign_negative() { "-inf".to_owned() } else { "inf".to_owned() };
    }
    c_g(value, 6)
}

/// The value of one of the four floats of a VF immediate: a sign bit, three bits of exponent, four
/// of fraction.
fn vf(bits: u64) -> f64 {
    let bits = bits as u8;
    let magnitude = match bits & 0x7f {
        0 => 0.0,
        code => {
            let fraction = 1.0 + f64::from(code & 15) / 16.0;
            fraction * 2_f64.powi(i32::from(code >> 4) - 3)
        }
    };
    if bits >> 7 != 0 { -magnitude } else { magnitude }
}
