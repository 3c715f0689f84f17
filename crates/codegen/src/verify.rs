//! The verifier: the rules that every function satisfies between passes.
//!
//! - Flow instructions are nested correctly and are at the start or end of their blocks.
//! - Execution sizes are powers of two from 1 to 32; channel group and execution size stay within 32 channels.
//! - Regions match the access mode; Align16 vectors start at multiples of 16 bytes.
//! - Operands stay inside their virtual register, the push constants or g0 to g127.
//! - Destinations are not constants or push constants, have no rectangular region and no modifiers.
//! - Each operation has its number of sources; source modifiers, saturation and conditional modifiers occur only on
//!   operations that support them.
//! - Virtual flags are of class [`Class::Flag`] and are large enough; as operands they are used as a whole.

use crestline_isa::{AccessMode, CondMod, Form, Opcode, WriteMask};

use crate::ir::{Cfg, Class, File, Flag, FlowError, Function, Inst, Op, Operand, Region};
use crate::legal;

/// A broken rule and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The flow instructions are not nested correctly.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// An instruction breaks a rule.
    #[error("block {block}, instruction {index}: {what}: {inst}")]
    Inst {
        /// Index of the block.
        block: usize,
        /// Index in the block.
        index: usize,
        /// The broken rule.
        what: String,
        /// The instruction as printed.
        inst: String,
    },
}

/// Checks that a function satisfies the rules of this module.
///
/// # Errors
/// The first broken rule, with its position.
pub fn verify(function: &Function) -> Result<(), VerifyError> {
    Cfg::new(function)?;
    for (block, b) in function.blocks.iter().enumerate() {
        for (index, inst) in b.insts.iter().enumerate() {
            check(function, inst).map_err(|what| VerifyError::Inst {
                block,
                index,
                what,
                inst: inst.to_string(),
            })?;
        }
    }
    Ok(())
}

/// Checks one instruction.
fn check(function: &Function, inst: &Inst) -> Result<(), String> {
    let exec = inst.exec_size;
    if !exec.is_power_of_two() || exec > 32 || u32::from(inst.group) + u32::from(exec) > 32 {
        return Err(format!("{exec} channels from channel {}", inst.group));
    }
    check_sources(inst)?;
    check_dst(inst)?;
    for (index, src) in inst.srcs.iter().enumerate() {
        let name = format!("source {index}");
        check_place(function, src, inst.size_read(index), &name)?;
        check_region(inst, src, &name)?;
        if matches!(src.region, Region::Mask(_)) {
            return Err(format!("{name} has a write mask"));
        }
    }
    check_place(function, &inst.dst, inst.size_written(), "the destination")?;
    if inst.reads_flag() || inst.writes_flag() {
        check_flag(function, inst)?;
    }
    if inst.saturate && !inst.op.allows_saturate() {
        return Err("the operation cannot saturate".into());
    }
    if inst.writes_flag() && !inst.op.allows_cond_mod() {
        return Err("the operation has no conditional modifier".into());
    }
    match inst.op {
        Op::Hw(Opcode::Sel) if inst.is_predicated() == (inst.cond_mod != CondMod::None) => {
            Err("sel needs either a predicate or a conditional modifier".into())
        }
        Op::Hw(Opcode::Cmp | Opcode::Cmpn) if inst.cond_mod == CondMod::None => {
            Err("a comparison needs a conditional modifier".into())
        }
        _ => Ok(()),
    }
}

/// Number of sources of an operation; `None` if it varies.
fn source_count(op: Op) -> Option<usize> {
    Some(match op {
        Op::Hw(opcode) if op.is_flow() => {
            debug_assert!(opcode.is_flow_control());
            0
        }
        Op::Hw(opcode) => match opcode.form() {
            Form::Nullary => 0,
            Form::One | Form::Wait | Form::Sync => 1,
            Form::Two => 2,
            Form::Three => 3,
            _ => return None,
        },
        Op::Math(function) => function.sources(),
        Op::Do | Op::HaltTarget | Op::Undef | Op::FindLiveChannel | Op::LiveChannels => 0,
        Op::Await | Op::Sync(_) => 1,
        Op::Collect { .. } | Op::Message => return None,
        Op::Send | Op::MovIndirect | Op::MovIndirectDst => 3,
        Op::Shuffle | Op::Broadcast | Op::MulHigh => 2,
    })
}

/// Checks the number of sources, the message and the source modifiers of an instruction.
fn check_sources(inst: &Inst) -> Result<(), String> {
    let given = inst.srcs.len();
    if let Some(expected) = source_count(inst.op)
        && expected != given
    {
        return Err(format!("{given} sources where {expected} are expected"));
    }
    if inst.message.is_some() != inst.op.is_message() {
        return Err("a message description belongs to messages only".into());
    }
    match (&inst.message, inst.op) {
        (Some(_), Op::Message) if given == 0 => return Err("the descriptor is missing".into()),
        (Some(m), Op::Message) if usize::from(m.headers.max(m.first)) > given - 1 => {
            return Err("more headers or first parts than payload parts".into());
        }
        (Some(m), _) if m.response % crate::ir::GRF_BYTES != 0 => {
            return Err("the response is not in whole registers".into());
        }
        _ => {}
    }
    if let Op::Collect { headers } = inst.op
        && usize::from(headers) > given
    {
        return Err("more headers than sources".into());
    }
    if matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst) && !inst.srcs[2].is_imm() {
        return Err("the readable range is not a constant".into());
    }
    if !inst.op.allows_source_modifiers()
        && let Some(src) = inst.srcs.iter().find(|src| src.has_modifiers())
    {
        return Err(format!("the operation takes no source modifiers ({src})"));
    }
    Ok(())
}

/// Checks the destination of an instruction.
fn check_dst(inst: &Inst) -> Result<(), String> {
    let dst = &inst.dst;
    if dst.has_modifiers() {
        return Err("the destination has a source modifier".into());
    }
    if matches!(dst.file, File::Imm(_) | File::Uniform) {
        return Err("the destination cannot be written".into());
    }
    if dst.ty.is_packed_vector() {
        return Err("the destination has a vector constant's type".into());
    }
    match dst.region {
        // With one channel, or one value for the whole thread, a scalar is written with stride 0.
        Region::Stride(0) if inst.exec_size == 1 || dst.is_null() => {}
        Region::Stride(0) if matches!(inst.op, Op::FindLiveChannel | Op::LiveChannels) => {}
        Region::Stride(1 | 2 | 4 | 8) | Region::Mask(_) => {}
        region => return Err(format!("the destination's region is {region}")),
    }
    check_region(inst, dst, "the destination")
}

/// Checks that an operand's region matches the access mode.
fn check_region(inst: &Inst, operand: &Operand, name: &str) -> Result<(), String> {
    let align16 =
        matches!(operand.region, Region::Swizzle(_) | Region::Vectors { .. } | Region::Mask(_));
    let placed = operand.in_grf() || operand.file == File::Uniform;
    let scalar = operand.region == Region::SCALAR && operand.ty.size() >= 4;
    match inst.access_mode {
        AccessMode::Align1 if align16 && placed => {
            return Err(format!("{name} has an Align16 region in an Align1 instruction"));
        }
        AccessMode::Align16 if !align16 && placed && legal::has_regions(inst.op) && !scalar => {
            return Err(format!("{name} has an Align1 region in an Align16 instruction"));
        }
        _ if align16 && placed && !operand.offset.is_multiple_of(16) => {
            return Err(format!("{name} does not start at a vector"));
        }
        _ => {}
    }
    if operand.region == Region::Mask(WriteMask(0)) {
        return Err(format!("{name} enables no component"));
    }
    if matches!(operand.region, Region::Indirect { .. })
        && !matches!(operand.file, File::Indirect { .. })
    {
        return Err(format!("{name} has an indirect region of a direct file"));
    }
    if matches!(operand.region, Region::Rect { width: 0, .. }) {
        return Err(format!("{name} has a region of width 0"));
    }
    Ok(())
}

/// Checks that an operand of `bytes` bytes is inside its register or file.
fn check_place(
    function: &Function,
    operand: &Operand,
    bytes: u32,
    name: &str,
) -> Result<(), String> {
    match operand.file {
        File::Vgrf(vreg) => {
            let Some(info) = function.vregs.get(vreg) else {
                return Err(format!("{name} is not an existing register: {operand}"));
            };
            let whole =
                operand.offset == 0 && operand.ty.size() == info.bytes && bytes == info.bytes;
            if info.class == Class::Flag && !whole {
                return Err(format!("{name} is not the whole flag: {operand}"));
            }
        }
        File::Imm(_) if operand.region != Region::SCALAR => {
            return Err(format!("{name} is a constant with a region"));
        }
        _ => {}
    }
    let (File::Vgrf(_) | File::Grf | File::Uniform) = operand.file else { return Ok(()) };
    match function.bytes_from(operand) {
        Some(left) if left >= bytes => Ok(()),
        left => Err(format!(
            "{name} accesses {bytes} bytes of a register with {} bytes: {operand}",
            left.unwrap_or(0)
        )),
    }
}

/// Checks that an instruction's flag register exists and has a bit for each of its channels.
fn check_flag(function: &Function, inst: &Inst) -> Result<(), String> {
    match inst.flag {
        Flag::Fixed(sub) if sub > 3 => Err(format!("there is no flag {sub}")),
        Flag::Fixed(_) => Ok(()),
        Flag::Virtual(vreg) => match function.vregs.get(vreg) {
            Some(info) if info.class == Class::Flag => {
                let bits = u32::from(inst.group) + u32::from(inst.exec_size);
                if bits.div_ceil(8) > info.bytes {
                    return Err(format!("flag {} has {} bytes", inst.flag, info.bytes));
                }
                Ok(())
            }
            _ => Err(format!("{} is not a flag", inst.flag)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Vreg};
    use crestline_isa::Type;

    /// Verifies what `build` returns in a program with one SIMD16 register `v0`.
    fn fails(build: impl FnOnce(&mut Builder<'_>, Operand) -> Inst) -> String {
        let mut f = Function::new(16);
        let v = f.lanes(Type::F, 1);
        let inst = build(&mut Builder::new(&mut f), v);
        assert_eq!(f.insts().next(), Some(&inst));
        verify(&f).expect_err("must not verify").to_string()
    }

    #[test]
    fn accepts_a_plain_program() {
        let mut f = Function::new(16);
        let v = f.lanes(Type::F, 1);
        let s = f.scalar(Type::F);
        let mut b = Builder::new(&mut f);
        b.uniform().mov(s, Operand::imm_f(2.0));
        b.mul(v, s, Operand::grf(2, Type::F));
        b.min_max(v, v, Operand::imm_f(1.0), CondMod::L);
        assert_eq!(verify(&f), Ok(()));
    }

    #[test]
    fn refuses_what_breaks_a_rule() {
        for (message, found) in [
            ("64 bytes", fails(|b, v| b.mov(v.byte_offset(4), v).clone())),
            ("written", fails(|b, v| b.mov(Operand::imm_f(0.0), v).clone())),
            ("sel needs", fails(|b, v| b.sel(v, v, v).clone())),
            ("3 channels", fails(|b, v| b.exec(3).mov(v, v).clone())),
            ("modifiers", fails(|b, v| b.fbl(v, v.negated()).clone())),
            ("sources", fails(|b, v| b.emit(Op::Hw(Opcode::Add), v, &[v]).clone())),
            (
                "not an existing register",
                fails(|b, v| b.mov(v, Operand::vgrf(Vreg(9), Type::F)).clone()),
            ),
            ("no flag", fails(|b, v| b.predicated(Flag::Fixed(4), false).mov(v, v).clone())),
        ] {
            assert!(found.contains(message), "{found}: expected {message}");
        }
    }
}
