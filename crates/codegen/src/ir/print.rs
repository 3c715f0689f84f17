//! The text form of the IR: one instruction per line, in numbered blocks, indented by nesting.
//!
//! `(+f0.0) add.sat.l.f1.0(16) v7<1>:F, -v3+32<1>:F, 0x3f800000:F {group 16, nomask}`: an operand is a virtual
//! register number, a byte offset if it is not zero, a region and a type. `vf2` is a virtual flag register.

use std::fmt;

use crestline_isa::{ArfKind, CondMod, MathFn, PredCtrl, Swizzle, SwsbPipe, TokenMode};

use super::{Class, File, Flag, Function, Inst, Op, Operand, Region};

impl fmt::Display for Region {
    /// Writes `<stride>`, `<vstride;width,hstride>`, `<width,hstride>`, `.xyzw`, `<step>.xyzw` or a write mask such
    /// as `.xy`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Region::Stride(stride) => write!(f, "<{stride}>"),
            Region::Rect { vstride, width, hstride } => write!(f, "<{vstride};{width},{hstride}>"),
            Region::Indirect { width, hstride } => write!(f, "<{width},{hstride}>"),
            Region::Swizzle(Swizzle(components)) => {
                f.write_str(".")?;
                components.iter().try_for_each(|c| {
                    f.write_str(["x", "y", "z", "w"].get(usize::from(*c)).unwrap_or(&"?"))
                })
            }
            Region::Vectors { step, swizzle } => write!(f, "<{step}>{}", Region::Swizzle(*swizzle)),
            Region::Mask(mask) => {
                f.write_str(".")?;
                (0..4)
                    .filter(|c| mask.0 >> c & 1 == 1)
                    .try_for_each(|c| f.write_str(["x", "y", "z", "w"][c]))
            }
        }
    }
}

impl fmt::Display for Operand {
    /// Writes modifiers, register, byte offset, region and type, such as `-v3+32<1>:F`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negate {
            f.write_str("-")?;
        }
        if self.abs {
            f.write_str("|")?;
        }
        let mut rest = self.offset;
        match self.file {
            File::Null => f.write_str("null")?,
            File::Vgrf(vreg) => write!(f, "v{}", vreg.0)?,
            File::Grf => {
                write!(f, "g{}", self.offset / super::GRF_BYTES)?;
                rest = self.offset % super::GRF_BYTES;
            }
            File::Indirect { addr } => write!(f, "g[a0.{addr}]")?,
            File::Arf(ArfKind::Flag) => {
                write!(f, "f{}", self.offset / 4)?;
                rest = self.offset % 4;
            }
            File::Arf(kind) => {
                write!(f, "{}{}", kind.name(), self.offset / super::GRF_BYTES)?;
                rest = self.offset % super::GRF_BYTES;
            }
            File::Uniform => f.write_str("u")?,
            File::Imm(bits) => write!(f, "{bits:#x}")?,
        }
        if rest != 0 {
            write!(f, "+{rest}")?;
        }
        let masked_null = self.is_null() && matches!(self.region, Region::Mask(_));
        if !matches!(self.file, File::Imm(_) | File::Null) || masked_null {
            write!(f, "{}", self.region)?;
        }
        if self.abs {
            f.write_str("|")?;
        }
        write!(f, ":{}", self.ty.name())
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flag::Fixed(sub) => write!(f, "f{}.{}", sub / 2, sub % 2),
            Flag::Virtual(vreg) => write!(f, "vf{}", vreg.0),
        }
    }
}

impl fmt::Display for Inst {
    /// Writes predicate, operation, modifiers, execution size, operands, and further properties in braces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_predicated() {
            let sign = if self.predicate.inverse { "-" } else { "+" };
            write!(f, "({sign}{}", self.flag)?;
            if self.predicate.ctrl != PredCtrl::Normal {
                write!(f, ".{}", self.predicate.ctrl.name())?;
            }
            f.write_str(") ")?;
        }
        f.write_str(self.op.name())?;
        match self.op {
            Op::Math(function) => write!(f, ".{}", math_name(function))?,
            Op::Sync(function) => write!(f, ".{}", function.name())?,
            Op::Collect { headers } if headers != 0 => write!(f, ".{headers}")?,
            _ => {}
        }
        if self.saturate {
            f.write_str(".sat")?;
        }
        if self.cond_mod != CondMod::None {
            write!(f, ".{}", self.cond_mod.name())?;
            if self.writes_flag() {
                write!(f, ".{}", self.flag)?;
            }
        }
        write!(f, "({})", self.exec_size)?;
        let operands = std::iter::once(&self.dst).chain(&self.srcs);
        if !(self.dst.is_null() && self.srcs.is_empty()) {
            for (index, operand) in operands.enumerate() {
                write!(f, "{} {operand}", if index == 0 { "" } else { "," })?;
            }
        }
        let mut notes: Vec<String> = Vec::new();
        if let Some(m) = &self.message {
            notes.push(m.kind.to_string());
            if self.op == Op::Send {
                notes.push(format!("mlen {}+{}", m.lengths[0], m.lengths[1]));
            }
            if m.first != 1 {
                notes.push(format!("first {}", m.first));
            }
            if m.headers != 0 {
                notes.push(format!("headers {}", m.headers));
            }
            notes.push(format!("response {}", m.response));
            notes.push(format!("{:?} {:?}", m.effect, m.space).to_lowercase());
            for (set, name) in [(m.eot, "eot"), (m.check, "check")] {
                if set {
                    notes.push(name.into());
                }
            }
        }
        if self.group != 0 {
            notes.push(format!("group {}", self.group));
        }
        for (set, name) in [
            (self.access_mode == crestline_isa::AccessMode::Align16, "align16"),
            (self.no_mask, "nomask"),
            (self.acc_wr_en, "accwren"),
            (self.no_dd_clear, "noddclr"),
            (self.no_dd_check, "noddchk"),
        ] {
            if set {
                notes.push(name.into());
            }
        }
        if self.swsb.distance != 0 {
            let pipe = match self.swsb.pipe {
                SwsbPipe::Implied => "",
                SwsbPipe::All => "A",
                SwsbPipe::Float => "F",
                SwsbPipe::Int => "I",
                SwsbPipe::Long => "L",
            };
            notes.push(format!("{pipe}@{}", self.swsb.distance));
        }
        if let Some(token) = self.swsb.token {
            let mode = match token.mode {
                TokenMode::Set => "",
                TokenMode::Src => ".src",
                TokenMode::Dst => ".dst",
            };
            notes.push(format!("${}{mode}", token.id));
        }
        if !notes.is_empty() {
            write!(f, " {{{}}}", notes.join(", "))?;
        }
        Ok(())
    }
}

/// Name of a math function. In the IR, the function that computes quotient and remainder is `intdivmod`; the hardware
/// uses the name `intdiv` for it and for the quotient alone.
fn math_name(function: MathFn) -> &'static str {
    match function {
        MathFn::IntDiv => "intdivmod",
        other => other.name(),
    }
}

impl fmt::Display for Function {
    /// Writes a header line, the sizes of the virtual registers, and the blocks with their instructions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "function simd{} payload {} push {} bytes at g{} scratch {}",
            self.dispatch_width,
            self.payload_registers,
            self.push_bytes,
            self.push_register,
            self.scratch_bytes
        )?;
        write_registers(self, f)?;
        let mut depth = 0usize;
        for (index, block) in self.blocks.iter().enumerate() {
            writeln!(f, "b{index}:")?;
            for inst in &block.insts {
                use crestline_isa::Opcode;
                if matches!(inst.op, Op::Hw(Opcode::Else | Opcode::EndIf | Opcode::While)) {
                    depth = depth.saturating_sub(1);
                }
                writeln!(f, "{:1$}{inst}", "", 2 + 2 * depth)?;
                if matches!(inst.op, Op::Do | Op::Hw(Opcode::If | Opcode::Else)) {
                    depth += 1;
                }
            }
        }
        Ok(())
    }
}

/// Writes the sizes of the virtual registers that instructions use, several per line.
fn write_registers(function: &Function, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const PER_LINE: usize = 12;
    let mut used = vec![false; function.vregs.len()];
    for inst in function.insts() {
        let flag = match inst.flag {
            Flag::Virtual(vreg) if inst.reads_flag() || inst.writes_flag() => Some(vreg),
            _ => None,
        };
        let operands = inst.srcs.iter().chain([&inst.dst]).filter_map(Operand::vreg);
        for vreg in operands.chain(flag) {
            if let Some(slot) = used.get_mut(vreg.index()) {
                *slot = true;
            }
        }
    }
    let mut written = 0;
    for (vreg, info) in function.vregs.iter().filter(|(vreg, _)| used[vreg.index()]) {
        f.write_str(match written % PER_LINE {
            0 if written > 0 => "\nregisters ",
            0 => "registers ",
            _ => ", ",
        })?;
        let letters = if info.class == Class::Flag { "vf" } else { "v" };
        write!(f, "{letters}{}:{}", vreg.0, info.bytes)?;
        if info.min_register > 0 {
            write!(f, " from g{}", info.min_register)?;
        }
        if info.no_spill {
            f.write_str(" no_spill")?;
        }
        written += 1;
    }
    if written > 0 { f.write_str("\n") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use crate::ir::{Builder, Flag, Function, Operand};
    use crestline_isa::{CondMod, Type};

    #[test]
    fn an_instruction_reads_as_documented() {
        let mut f = Function::new(16);
        let v = f.lanes(Type::F, 2);
        let mut b = Builder::new(&mut f);
        let mut p = b.predicated(Flag::Fixed(0), false);
        let inst = p.add(v, v.byte_offset(64).negated().with_stride(0), Operand::imm_f(1.0));
        inst.saturate = true;
        inst.no_mask = true;
        assert_eq!(
            inst.to_string(),
            "(+f0.0) add.sat(16) v0<1>:F, -v0+64<0>:F, 0x3f800000:F {nomask}"
        );
        let null = Operand::null(Type::F);
        let cmp = b.cmp(null, v, CondMod::L, Operand::grf(2, Type::F), Flag::Fixed(3));
        assert_eq!(cmp.to_string(), "cmp.l.f1.1(16) null:F, v0<1>:F, g2<1>:F");
    }
}
