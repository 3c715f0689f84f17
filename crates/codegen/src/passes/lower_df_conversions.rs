//! `lower_df_conversions`: splits Align16 instructions with both 64-bit and narrower operands into 64-bit
//! instructions and conversions. A row (16 bytes) of 64-bit components has other channels than a row of 32-bit
//! components, so Align16 cannot convert. A conversion becomes an Align1 move between whole packed vectors, with
//! Align16 moves before and after it for the swizzle and the write mask.

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode, Predicate, Swizzle, Type, WriteMask};

use super::PassError;
use super::lower_df_swizzles::is_vector_of_doubles;
use crate::ir::{Builder, Function, Inst, Op, Operand, Region};

/// Splits Align16 instructions with both 64-bit and narrower operands. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn lower_df_conversions(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let narrow = |operand: &Operand| operand.ty.size() < 8 && !operand.is_null();
    let mixed =
        |inst: &Inst| is_vector_of_doubles(inst) && inst.srcs.iter().chain([&inst.dst]).any(narrow);
    Ok(function.rewrite(mixed, |inst, b| {
        if inst.is_mov() {
            convert(inst, b);
        } else {
            compute(inst, b);
        }
        true
    }))
}

/// Lowers a conversion: copies the source to a packed vector, converts all components, and moves the components of
/// the write mask to the destination.
fn convert(mut inst: Inst, b: &mut Builder<'_>) {
    let mask = inst.dst.write_mask();
    let source = whole(&inst.srcs[0], mask, b);
    let (all, read) = b.temp(inst.dst.ty);
    let mut plain = b.align1();
    let all = all.with_region(Region::PACKED);
    plain.mov(all, source).saturate = inst.saturate;
    inst.saturate = false;
    inst.srcs[0] = read;
    b.push(inst);
}

/// Returns the source as a packed Align1 operand. Components outside the write mask get the value of the first
/// enabled component, so that every channel has a defined value.
fn whole(src: &Operand, mask: WriteMask, b: &mut Builder<'_>) -> Operand {
    let plain = src.without_modifiers();
    let in_place = src.in_grf() && plain.is_packed() && mask == WriteMask::XYZW;
    let copied = if in_place || src.is_imm() || src.region == Region::SCALAR {
        plain
    } else {
        let straight = plain.vectors().map_or(plain, |(Swizzle(swizzle), _)| {
            let first = mask.0.trailing_zeros() as usize & 3;
            let wanted = |c: usize| swizzle[if mask.0 >> c & 1 == 1 { c } else { first }];
            plain.with_swizzle(Swizzle([0, 1, 2, 3].map(wanted)))
        });
        let (copy, read) = b.temp(src.ty);
        b.mov(copy, straight);
        read
    };
    let copied = copied.as_source(AccessMode::Align1).unwrap_or_else(|| {
        b.fault("a copy of doubles that cannot be read in Align1");
        copied
    });
    Operand { negate: src.negate, abs: src.abs, ..copied }
}

/// Lowers an operation other than a conversion: converts narrower sources to DF before it, and a narrower result
/// after it.
fn compute(mut inst: Inst, b: &mut Builder<'_>) {
    let mask = Region::Mask(inst.dst.write_mask());
    let wide = Type::Df;
    for index in 0..inst.srcs.len() {
        let src = inst.srcs[index];
        if src.ty.size() == 8 {
            continue;
        }
        let (copy, read) = b.temp(wide);
        let mut conversion = Inst::new(
            Op::Hw(Opcode::Mov),
            inst.exec_size,
            copy.with_region(Region::Mask(inst.channels_read(index))),
            &[src],
        );
        conversion.access_mode = AccessMode::Align16;
        conversion.group = inst.group;
        conversion.no_mask = inst.no_mask;
        convert(conversion, b);
        inst.srcs[index] = read;
    }
    if inst.dst.is_null() || inst.dst.ty.size() == 8 {
        b.push(inst);
        return;
    }
    let (result, read) = b.temp(wide);
    let mut last =
        Inst { op: Op::Hw(Opcode::Mov), srcs: smallvec::smallvec![read], ..inst.clone() };
    last.cond_mod = CondMod::None;
    last.saturate = false;
    if inst.op.predicate_selects() {
        last.predicate = Predicate::NONE;
    }
    let compares = matches!(inst.op, Op::Hw(Opcode::Cmp | Opcode::Cmpn));
    inst.dst = result.with_region(mask);
    b.push(inst);
    if compares {
        // The result is all ones or all zeros, so the low dword alone is the result.
        let dwords = whole(&read, last.dst.write_mask(), b).retype(Type::Ud).with_stride(2);
        let (all, answer) = b.temp(Type::Ud);
        b.align1().mov(all.with_region(Region::PACKED), dwords);
        last.srcs[0] = answer.retype(last.dst.ty);
        b.push(last);
    } else {
        convert(last, b);
    }
}
