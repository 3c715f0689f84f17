//! Replaces arithmetic on 8 and 16 bits by arithmetic on 32 bits.
//!
//! Sources are extended according to how the operation interprets them (half floats are converted), and the result is
//! truncated or rounded. Moves, selections and conversions between 8, 16 and 32 bits stay; the back end keeps such
//! values in the low bits of a register. If it has half floats ([`LowerOptions::half_floats`]), their sums, products,
//! minimums, maximums and comparisons stay too, and dwords of two 16-bit values are joined and split without shifts.
//!
//! A conversion to half floats rounds as the mode of the program says, on gen7 to nearest. For one that rounds toward zero, the
//! float is made one whose value a half float has.
//!
//! For a sum, product, quotient or root of half floats, rounding to 24 bits and then to 11 bits gives the correctly
//! rounded result, since 24 >= 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?").

use super::LowerOptions;
use super::util::{Action, const_scalar, rewrite};
use crate::ir::{
    AluOp, Builder, Class, CompRule, Function, InstKind, Shader, Src, Srcs, Ty, Value,
};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_small_types(shader: &mut Shader, options: &LowerOptions) -> bool {
    if !options.dwords && !options.small_in_dwords {
        return false;
    }
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let InstKind::Alu { op, srcs, exact } = &data.kind else { return Action::Keep };
        let (op, srcs, exact) = (*op, srcs.clone(), *exact);
        let ty = b.func.ty(data.results[0]);
        let types = srcs.iter().map(|src| b.func.ty(src.value)).chain([ty]);
        let (small, native) = (
            types.clone().any(is_small),
            types.clone().all(|ty| ty.bits() <= 32) && stays(op, options),
        );
        if !small {
            return Action::Keep;
        }
        if let (AluOp::F2F, Ty::X32) = (op, ty)
            && let Some(float) = unpacked_half(b, srcs[0])
        {
            return Action::Replace(float);
        }
        if op == AluOp::F2FRtz && ty.bits() == 16 && b.func.ty(srcs[0].value).bits() == 32 {
            let outer = b.set_exact(true);
            let by = half_toward_zero(b, srcs[0], ty);
            b.set_exact(outer);
            return Action::Replace(by.into());
        }
        let rounded = if op == AluOp::Pack32From16 { packed_halves(b, srcs[0]) } else { None };
        if let Some(halves) = rounded {
            return Action::Replace(halves.into());
        }
        if native {
            return Action::Keep;
        }
        let moves =
            matches!(op, AluOp::Mov | AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4 | AluOp::Select);
        if moves {
            return Action::Keep;
        }
        let outer = b.set_exact(exact);
        let by = packed(b, op, srcs[0], ty).unwrap_or_else(|| widened(b, op, &srcs, ty));
        b.set_exact(outer);
        Action::Replace(by.into())
    })
}

fn is_small(ty: Ty) -> bool {
    matches!(ty.bits(), 8 | 16)
}

/// Whether the back end has this operation on 8 and 16 bits, or this conversion between 8, 16 and 32 bits.
fn stays(op: AluOp, options: &LowerOptions) -> bool {
    use AluOp as A;
    match op {
        A::I2I | A::U2U | A::F2F | A::F2FRtz => true,
        A::FAdd | A::FSub | A::FMul | A::FFma | A::FMin | A::FMax => options.half_floats,
        A::FNeg | A::FAbs | A::FSat | A::B2F => options.half_floats,
        A::FEq | A::FNe | A::FLt | A::FGe => options.half_floats,
        A::Pack32From16 | A::Unpack32To16 => options.half_floats,
        _ => false,
    }
}

/// An operation on a scalar and a constant.
fn op2(b: &mut Builder<'_>, op: AluOp, x: Src, y: u32) -> Src {
    let ty = b.func.ty(x.value).scalar();
    let y = b.imm(y);
    b.alu_ty(op, ty, &[x, y.into()]).into()
}

/// Builds packing and unpacking operations with shifts; `None` for other operations.
fn packed(b: &mut Builder<'_>, op: AluOp, src: Src, ty: Ty) -> Option<Value> {
    let extended = |b: &mut Builder<'_>, src: Src| b.alu_ty(AluOp::U2U, Ty::X32, &[src]);
    // Joins `count` components, from number `first` on, to one dword.
    let join = |b: &mut Builder<'_>, first: usize, count: usize| {
        let bits = b.func.ty(src.value).bits();
        let mut all: Option<Value> = None;
        for comp in 0..count {
            let part = extended(b, src.select(first + comp)).into();
            let part = op2(b, AluOp::IShl, part, comp as u32 * bits);
            all = Some(match all {
                None => part.value,
                Some(all) => b.alu_ty(AluOp::IOr, Ty::X32, &[all.into(), part]),
            });
        }
        all
    };
    let part = |b: &mut Builder<'_>, dword: Src, index: u32| -> Src {
        let moved = op2(b, AluOp::UShr, dword, index * ty.bits());
        b.alu_ty(AluOp::U2U, ty.scalar(), &[moved]).into()
    };
    match op {
        AluOp::Pack32From16 => join(b, 0, 2),
        AluOp::Pack32From8 => join(b, 0, 4),
        AluOp::Pack16From8 => {
            let dword = join(b, 0, 2)?;
            Some(b.alu_ty(AluOp::U2U, ty, &[dword.into()]))
        }
        AluOp::Pack64From16 => {
            let halves = [join(b, 0, 2)?.into(), join(b, 2, 2)?.into()];
            let halves = b.vec(&halves);
            Some(b.alu(AluOp::Pack64From32, &[halves]))
        }
        AluOp::Unpack32To16 | AluOp::Unpack32To8 | AluOp::Unpack16To8 => {
            let dword: Src = match op {
                AluOp::Unpack16To8 => extended(b, src.select(0)).into(),
                _ => src.select(0),
            };
            let parts: Vec<Src> = (0..ty.comps()).map(|c| part(b, dword, c as u32)).collect();
            Some(b.vec(&parts))
        }
        AluOp::Unpack64To16 => {
            let halves = b.alu_ty(AluOp::Unpack64To32, Ty::X32.with_comps(2), &[src.select(0)]);
            let half = |comp: usize| Src::comp(halves, comp / 2);
            let parts: Vec<Src> = (0..ty.comps()).map(|c| part(b, half(c), c as u32 % 2)).collect();
            Some(b.vec(&parts))
        }
        _ => None,
    }
}

/// The first component of a source as a float of 32 bits, if it is one of two half floats in a dword: the low part of a
/// dword that is shifted by 0 or 16 bits, as [`packed`] builds it.
fn unpacked_half(b: &mut Builder<'_>, src: Src) -> Option<Src> {
    let alu = |src: Src, op: AluOp| match &b.func.def(src.value)?.kind {
        InstKind::Alu { op: found, srcs, .. } if *found == op => {
            let comp = usize::from(src.swizzle[0]);
            Some(srcs.iter().map(|src| src.select(comp)).collect::<Srcs>())
        }
        _ => None,
    };
    let low = alu(component(b.func, src), AluOp::U2U)?[0];
    let shifted = alu(low, AluOp::UShr)?;
    let half = match const_scalar(b.func, shifted[1])? {
        0 => 0,
        16 => 1,
        _ => return None,
    };
    if b.func.ty(low.value).bits() != 32 {
        return None;
    }
    let floats = b.alu_ty(AluOp::UnpackHalf2x16, Ty::X32.with_comps(2), &[shifted[0]]);
    Some(Src::comp(floats, half))
}

/// A float of 32 bits converted to a half float, rounded toward zero.
fn half_toward_zero(b: &mut Builder<'_>, x: Src, half: Ty) -> Value {
    let (single, bools) = (Ty::X32.with_comps(half.comps()), Ty::BOOL.with_comps(half.comps()));
    let all =
        |b: &mut Builder<'_>, bits: u32| -> Src { b.constant(single, [bits.into(); 4]).into() };
    let float = |b: &mut Builder<'_>, value: f32| all(b, value.to_bits());
    let op = |b: &mut Builder<'_>, op: AluOp, ty: Ty, srcs: &[Src]| -> Src {
        b.alu_ty(op, ty, srcs).into()
    };
    // The distance of half floats below the least normal one, 2^-14, is 2^-24.
    let (down, up) = (float(b, 1.0 / 16_777_216.0), float(b, 16_777_216.0));
    let steps = op(b, AluOp::FMul, single, &[x, up]);
    let steps = op(b, AluOp::FTrunc, single, &[steps]);
    let small = op(b, AluOp::FMul, single, &[steps, down]);
    // A normal one has 13 bits less of the fraction.
    let mask = all(b, !0x1fff);
    let normal = op(b, AluOp::IAnd, single, &[x, mask]);
    let size = op(b, AluOp::FAbs, single, &[x]);
    let (least, most, lowest) = (float(b, 1.0 / 16384.0), float(b, 65504.0), float(b, -65504.0));
    let is_small = op(b, AluOp::FLt, bools, &[size, least]);
    let cut = op(b, AluOp::Select, single, &[is_small, small, normal]);
    let cut = op(b, AluOp::FMin, single, &[cut, most]);
    let cut = op(b, AluOp::FMax, single, &[cut, lowest]);
    // Infinity and NaN stay.
    let infinity = float(b, f32::INFINITY);
    let is_finite = op(b, AluOp::FLt, bools, &[size, infinity]);
    let value = op(b, AluOp::Select, single, &[is_finite, cut, x]);
    b.alu_ty(AluOp::F2F, half, &[value])
}

/// Two half floats that are rounded floats, in a dword.
fn packed_halves(b: &mut Builder<'_>, src: Src) -> Option<Value> {
    let mut floats = [src; 2];
    for (comp, float) in floats.iter_mut().enumerate() {
        let half = component(b.func, src.select(comp));
        let InstKind::Alu { op: AluOp::F2F, srcs, .. } = &b.func.def(half.value)?.kind else {
            return None;
        };
        *float = srcs[0].select(usize::from(half.swizzle[0]));
        if b.func.ty(float.value).bits() != 32 {
            return None;
        }
    }
    let pair = b.vec(&floats);
    Some(b.alu_ty(AluOp::PackHalf2x16, Ty::X32, &[pair.into()]))
}

/// The component of a value that the first component of a source is a copy of.
fn component(func: &Function, src: Src) -> Src {
    let mut src = src.select(0);
    while let Some(InstKind::Alu { op, srcs, .. }) = func.def(src.value).map(|def| &def.kind) {
        let comp = usize::from(src.swizzle[0]);
        src = match op {
            AluOp::Mov => srcs[0].select(comp),
            AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4 => srcs[comp].select(0),
            _ => break,
        };
    }
    src
}

/// Builds any other operation with sources of 32 bits.
fn widened(b: &mut Builder<'_>, op: AluOp, srcs: &Srcs, ty: Ty) -> Value {
    let row = op.row();
    let bits = b.func.ty(srcs[op.size_src()].value).bits();
    let comps = ty.comps();
    let mut wide: Vec<Src> = Vec::with_capacity(srcs.len());
    for (&src, operand) in srcs.iter().zip(row.srcs) {
        let by = match operand.class {
            _ if !is_small(b.func.ty(src.value)) => None,
            Class::Float => Some(AluOp::F2F),
            Class::Int => Some(AluOp::I2I),
            _ => Some(AluOp::U2U),
        };
        let dwords = Ty::X32.with_comps(match operand.comps {
            CompRule::Is(comps) => comps.into(),
            CompRule::Each => comps,
        });
        let half =
            if by == Some(AluOp::F2F) && dwords == Ty::X32 { unpacked_half(b, src) } else { None };
        wide.push(half.unwrap_or_else(|| by.map_or(src, |by| b.alu_ty(by, dwords, &[src]).into())));
    }
    let splat = |b: &mut Builder<'_>, value: u32| -> Src {
        b.constant(Ty::X32.with_comps(comps), [u64::from(value); 4]).into()
    };
    if matches!(op, AluOp::IShl | AluOp::IShr | AluOp::UShr) {
        // Shift counts are modulo the original size.
        let mask = splat(b, bits - 1);
        wide[1] = b.alu_ty(AluOp::IAnd, Ty::X32.with_comps(comps), &[wide[1], mask]).into();
    }
    // Operations that read bits beyond the size: in 32 bits, these bits are part of the result and are shifted down.
    let (op, shift) = match op {
        AluOp::BitReverse => (op, Some((AluOp::UShr, 32 - bits))),
        AluOp::UAddCarry => (AluOp::IAdd, Some((AluOp::UShr, bits))),
        AluOp::UMulHigh => (AluOp::IMul, Some((AluOp::UShr, bits))),
        AluOp::IMulHigh => (AluOp::IMul, Some((AluOp::IShr, bits))),
        _ => (op, None),
    };
    let bits = if is_small(ty) { 32 } else { ty.bits() };
    let result = Ty::new(bits, comps as u32).unwrap_or(ty);
    let mut value = b.alu_ty(op, result, &wide);
    if let Some((shift, count)) = shift {
        let count = splat(b, count);
        value = b.alu_ty(shift, result, &[value.into(), count]);
    }
    if !is_small(ty) {
        return value;
    }
    let cut = if row.result.class == Class::Float { AluOp::F2F } else { AluOp::U2U };
    b.alu_ty(cut, ty, &[value.into()])
}
