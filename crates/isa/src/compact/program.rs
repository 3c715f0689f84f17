//! Compaction and expansion of whole programs: changes the size of instructions and adapts all jump
//! distances.

use super::compact;
use crate::codec;
use crate::inst::{Branch, Extra, Inst, Place, Reg, Region, Src, VStride};
use crate::tables::{AccessMode, ArfKind, CondMod, Form, Opcode, Type};
use crestline_device::Gen;

/// Why the sizes of a program's instructions cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResizeError {
    /// The target of a branch is not the start of an instruction.
    #[error(
        "instruction {index} ({opcode}) branches to byte {target}, where no instruction starts"
    )]
    Target {
        /// Position of the branch in the program.
        index: usize,
        /// Mnemonic.
        opcode: &'static str,
        /// Byte offset of the target.
        target: i64,
    },
}

/// Compacts every instruction that has a 64-bit form with the same effect, and adapts the jump
/// distances. A program that uses the instruction pointer as an operand is returned unchanged,
/// because its jump distances cannot be determined.
///
/// Adds no-ops where the hardware requires them: at the end of a program with an odd number of
/// 8-byte units; on gen4.5 also before full instructions and branch targets that would not be on a
/// 16-byte boundary.
///
/// # Errors
/// If the target of a branch is not the start of an instruction.
pub fn compact_program(insts: &[Inst], generation: Gen) -> Result<Vec<Inst>, ResizeError> {
    resize(insts, generation, |_, inst| compacted(inst, generation))
}

/// Compacts instructions as [`compact_program`] does, but adds no no-op at the end: if the number of
/// compacted instructions would be odd, the last of them stays full. The code has the same size, and
/// each instruction keeps its position in the program. (On gen4.5 full instructions still need no-ops
/// before them.) A no-op stays full too: `iga64` reads no compacted one.
///
/// # Errors
/// If the target of a branch is not the start of an instruction.
pub fn compact_in_pairs(insts: &[Inst], generation: Gen) -> Result<Vec<Inst>, ResizeError> {
    let change = |inst: &Inst| match inst.opcode {
        Opcode::Nop => inst.clone(),
        _ => compacted(inst, generation),
    };
    let compact: Vec<Inst> = insts.iter().map(change).collect();
    let odd = compact.iter().filter(|inst| inst.compacted).count() % 2 == 1;
    let full = compact.iter().rposition(|inst| inst.compacted).filter(|_| odd);
    resize(insts, generation, |index, inst| {
        if full == Some(index) { inst.clone() } else { compact[index].clone() }
    })
}

/// Expands every instruction to its full form and adapts the jump distances. Compacted no-ops are
/// padding and stay compacted.
///
/// # Errors
/// If the target of a branch is not the start of an instruction.
pub fn expand_program(insts: &[Inst], generation: Gen) -> Result<Vec<Inst>, ResizeError> {
    resize(insts, generation, |_, inst| Inst {
        compacted: false,
        compact_residue: 0,
        ..inst.clone()
    })
}

/// Whether [`compact_program`] compacts an instruction.
pub fn has_compact_form(inst: &Inst, generation: Gen) -> bool {
    compacted(inst, generation).compacted
}

/// Marks an instruction as compacted if it, or an equivalent instruction, has a 64-bit form.
fn compacted(inst: &Inst, generation: Gen) -> Inst {
    let fits = |inst: &Inst| {
        codec::encode(inst, generation).is_ok_and(|bits| compact(bits, generation).is_some())
    };
    let plain = Inst { compacted: true, compact_residue: 0, ..inst.clone() };
    if fits(&plain) {
        return plain;
    }
    let rewritten = rewrite(&plain, generation);
    if rewritten != plain && fits(&rewritten) {
        return rewritten;
    }
    Inst { compacted: false, compact_residue: 0, ..inst.clone() }
}

/// Register file and type bits of source 1, for an instruction whose source 0 is an immediate and
/// which does not use source 1.
fn unused_source1(generation: Gen) -> u128 {
    match generation {
        Gen::Gen8 | Gen::Gen9 | Gen::Gen11 => 0x3f << 89,
        Gen::Gen6 | Gen::Gen7 | Gen::Gen75 => 0x1f << 42,
        _ => 0,
    }
}

/// Returns an instruction with the same effect whose bits are more likely to match table entries.
fn rewrite(inst: &Inst, generation: Gen) -> Inst {
    let mut inst = inst.clone();
    let tables_of_old = (Gen::Gen6..=Gen::Gen11).contains(&generation);
    if inst.opcode.form() == Form::One && tables_of_old {
        if inst.srcs[0].as_imm().is_some() {
            inst.residue &= !unused_source1(generation);
        }
        rewrite_immediate(&mut inst);
    }
    if generation == Gen::Gen125 && inst.access_mode == AccessMode::Align1 {
        // The tables contain packed regions as <1;1,0>, not <8;8,1>.
        for src in &mut inst.srcs {
            if let Src::Reg(src) = src
                && let Region::Align1 { vstride: VStride::Elements(v), width, hstride: 1 } =
                    src.region
                && v == width
                && width >= 2
                && matches!(src.place, Place::Direct { reg: Reg::Grf(_), .. })
            {
                src.region = Region::align1(1, 1, 0);
            }
        }
    }
    inst
}

/// Changes the types of a `mov` of an immediate, because more table entries exist for the new ones:
/// `0F` becomes the packed vector `0VF`, and D becomes UD.
fn rewrite_immediate(inst: &mut Inst) {
    if inst.opcode != Opcode::Mov {
        return;
    }
    let Src::Imm(imm) = &mut inst.srcs[0] else { return };
    // An instruction with a packed vector needs a packed destination on a 16-byte boundary.
    let packed = inst.dst.hstride == 1
        && matches!(inst.dst.place, Place::Direct { sub, .. } if sub.is_multiple_of(16));
    if imm.ty == Type::F && imm.bits == 0 && inst.dst.ty == Type::F && packed {
        imm.ty = Type::Vf;
    } else if imm.ty == Type::D
        && inst.dst.ty == Type::D
        && inst.cond_mod == CondMod::None
        && !inst.saturate
    {
        imm.ty = Type::Ud;
        inst.dst.ty = Type::Ud;
    }
}

/// Whether the instruction pointer is an operand of the instruction.
fn touches_ip(inst: &Inst) -> bool {
    let is_ip = |place: Place| matches!(place, Place::Direct { reg: Reg::Arf(ArfKind::Ip, _), .. });
    let sources = inst.srcs.iter().filter_map(Src::as_reg);
    is_ip(inst.dst.place) || sources.map(|src| src.place).any(is_ip)
}

/// The byte offset that an instruction's targets are relative to.
fn base(inst: &Inst, offset: usize) -> i64 {
    if inst.opcode == Opcode::Calla { 0 } else { offset as i64 }
}

/// Applies `change` to each instruction, adds padding, and adapts the jump distances to the new
/// offsets.
fn resize(
    insts: &[Inst],
    generation: Gen,
    change: impl Fn(usize, &Inst) -> Inst,
) -> Result<Vec<Inst>, ResizeError> {
    if insts.iter().any(touches_ip) {
        return Ok(insts.to_vec());
    }
    let old = offsets(insts);
    let targets = targets(insts, &old)?;
    let mut is_target = vec![false; insts.len() + 1];
    for at in targets.iter().flatten().flatten() {
        is_target[*at] = true;
    }
    // On gen4.5 jump distances are in 16-byte units, and full instructions must be on a 16-byte
    // boundary.
    let aligned = generation == Gen::Gen45;
    let mut out: Vec<Inst> = Vec::with_capacity(insts.len());
    let mut place = Vec::with_capacity(insts.len() + 1);
    let mut offset = 0;
    for (index, inst) in insts.iter().enumerate() {
        let padding = inst.compacted && matches!(inst.opcode, Opcode::Nop | Opcode::Nenop);
        let inst = if padding { inst.clone() } else { change(index, inst) };
        if aligned && offset % 16 != 0 && (!inst.compacted || is_target[index]) {
            out.push(Inst { compacted: true, ..Inst::new(Opcode::Nenop) });
            offset += 8;
        }
        place.push((offset, out.len()));
        offset += inst.size() as usize;
        out.push(inst);
    }
    if offset % 16 != 0 {
        out.push(Inst { compacted: true, ..Inst::new(Opcode::Nop) });
        if aligned {
            // A jump to the end goes behind the padding: its distance is in 16-byte units.
            offset += 8;
        }
    }
    place.push((offset, out.len()));
    for (index, [jip, uip]) in targets.into_iter().enumerate() {
        let (from, position) = place[index];
        let inst = &mut out[position];
        let base = base(inst, from);
        // The distance fits in 32 bits: compaction makes distances shorter, and expansion gives the
        // distances that the full instructions had.
        let distance = |target: Option<usize>| target.map(|at| (place[at].0 as i64 - base) as i32);
        if let Extra::Branch(branch) = &mut inst.extra {
            *branch = Branch { jip: distance(jip), uip: distance(uip), ..*branch };
        }
    }
    Ok(out)
}

/// Byte offset of each instruction, and of the end of the program.
fn offsets(insts: &[Inst]) -> Vec<usize> {
    let mut offset = 0;
    let mut out = vec![0];
    for inst in insts {
        offset += inst.size() as usize;
        out.push(offset);
    }
    out
}

/// For each instruction, the positions in the program of its JIP and UIP targets.
fn targets(insts: &[Inst], offsets: &[usize]) -> Result<Vec<[Option<usize>; 2]>, ResizeError> {
    insts
        .iter()
        .enumerate()
        .map(|(index, inst)| {
            let Some(branch) = inst.branch() else { return Ok([None, None]) };
            let find = |distance: Option<i32>| {
                let Some(distance) = distance else { return Ok(None) };
                let target = base(inst, offsets[index]) + i64::from(distance);
                let found =
                    usize::try_from(target).ok().and_then(|t| offsets.binary_search(&t).ok());
                let opcode = inst.opcode.name();
                found.map(Some).ok_or(ResizeError::Target { index, opcode, target })
            };
            Ok([find(branch.jip)?, find(branch.uip)?])
        })
        .collect()
}
