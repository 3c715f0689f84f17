//! Maps each operation to a function of [`crestline_isa::semantics`] per lane type.

use super::{Binary, Ternary, Unary};
use crestline_isa::semantics::int::{self, Wide};
use crestline_isa::semantics::{Float, FloatEnv, Half, Rounding, math};

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident { $($lane:ident: |$a:ident, $env:ident| $body:expr;)* })*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        $(impl Unary<$lane> for $name {
            #[inline(always)]
            fn eval($a: $lane, $env: &FloatEnv) -> $lane {
                $body
            }
        })*
    )*};
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident {
        $($lane:ident: |$a:ident, $b:ident, $env:ident| $body:expr;)*
    })*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        $(impl Binary<$lane> for $name {
            #[inline(always)]
            fn eval($a: $lane, $b: $lane, $env: &FloatEnv) -> $lane {
                $body
            }
        })*
    )*};
}

macro_rules! ternary {
    ($($(#[$doc:meta])* $name:ident {
        $($lane:ident: |$a:ident, $b:ident, $c:ident, $env:ident| $body:expr;)*
    })*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        $(impl Ternary<$lane> for $name {
            #[inline(always)]
            fn eval($a: $lane, $b: $lane, $c: $lane, $env: &FloatEnv) -> $lane {
                $body
            }
        })*
    )*};
}

unary! {
    /// A move that converts.
    Mov {
        i32: |a, _env| a;
        u32: |a, _env| a;
        i64: |a, _env| a;
        i128: |a, _env| a;
        f32: |a, env| Float::flush(a, env);
        f64: |a, env| Float::flush(a, env);
        Half: |a, env| Float::flush(a, env);
    }
    Not {
        u32: |a, _env| !a;
        i128: |a, _env| !a;
    }
    Frc {
        f32: |a, env| a.frc(env);
        f64: |a, env| a.frc(env);
        Half: |a, env| a.frc(env);
    }
    RoundDown {
        f32: |a, env| a.rnd(Rounding::Down, env);
        f64: |a, env| a.rnd(Rounding::Down, env);
        Half: |a, env| a.rnd(Rounding::Down, env);
    }
    RoundUp {
        f32: |a, env| a.rnd(Rounding::Up, env);
        f64: |a, env| a.rnd(Rounding::Up, env);
        Half: |a, env| a.rnd(Rounding::Up, env);
    }
    RoundEven {
        f32: |a, env| a.rnd(Rounding::NearestEven, env);
        f64: |a, env| a.rnd(Rounding::NearestEven, env);
        Half: |a, env| a.rnd(Rounding::NearestEven, env);
    }
    RoundZero {
        f32: |a, env| a.rnd(Rounding::Zero, env);
        f64: |a, env| a.rnd(Rounding::Zero, env);
        Half: |a, env| a.rnd(Rounding::Zero, env);
    }
    Bfrev {
        u32: |a, _env| int::bfrev(a);
    }
    Cbit {
        u32: |a, _env| int::cbit(a);
    }
    Lzd {
        u32: |a, _env| int::lzd(a);
    }
    Fbl {
        u32: |a, _env| int::fbl(a);
    }
    Fbh {
        u32: |a, _env| int::fbh_unsigned(a);
        i32: |a, _env| int::fbh_signed(a).cast_signed();
    }
    /// Converts the 16-bit float in the low word to the bits of a 32-bit float.
    F16To32 {
        u32: |a, _env| Half(a as u16).to_f32().to_bits();
    }
    Inv {
        f32: |a, env| math::inv(a, env);
    }
    Log {
        f32: |a, env| math::log(a, env);
    }
    Exp {
        f32: |a, env| math::exp(a, env);
    }
    Sqrt {
        f32: |a, env| math::sqrt(a, env);
    }
    Rsq {
        f32: |a, env| math::rsqrt(a, env);
    }
    Sin {
        f32: |a, env| math::sin(a, env);
    }
    Cos {
        f32: |a, env| math::cos(a, env);
    }
}

binary! {
    Add {
        u32: |a, b, _env| a.wrapping_add(b);
        i64: |a, b, _env| a.plus(b);
        i128: |a, b, _env| a.plus(b);
        f32: |a, b, env| Float::add(a, b, env);
        f64: |a, b, env| Float::add(a, b, env);
        Half: |a, b, env| Float::add(a, b, env);
    }
    Mul {
        u32: |a, b, _env| a.wrapping_mul(b);
        i64: |a, b, _env| a.times(b);
        i128: |a, b, _env| a.times(b);
        f32: |a, b, env| Float::mul(a, b, env);
        f64: |a, b, env| Float::mul(a, b, env);
        Half: |a, b, env| Float::mul(a, b, env);
    }
    /// A product with only the low 16 bits of source 1, taken as unsigned.
    MulLowUnsigned {
        i64: |a, b, _env| int::mul_low_half(a, b, false);
    }
    And {
        u32: |a, b, _env| a & b;
        i128: |a, b, _env| a & b;
    }
    Or {
        u32: |a, b, _env| a | b;
        i128: |a, b, _env| a | b;
    }
    Xor {
        u32: |a, b, _env| a ^ b;
        i128: |a, b, _env| a ^ b;
    }
    Shl {
        u32: |a, b, _env| a << int::shift_count(b.into(), 32);
        i64: |a, b, _env| int::shl(a.into(), b as u64, 32) as i64;
        i128: |a, b, _env| int::shl(a, b as u64, 64);
    }
    Shr {
        u32: |a, b, _env| int::shr(a.into(), b.into(), 32) as u32;
        i128: |a, b, _env| int::shr(a as u64, b as u64, 64).into();
    }
    Asr {
        u32: |a, b, _env| int::shr(a.into(), b.into(), 32) as u32;
        i32: |a, b, _env| int::asr(a.into(), b as u64, 32) as i32;
        i128: |a, b, _env| a >> int::shift_count(b as u64, 64);
    }
    Rol32 {
        u32: |a, b, _env| int::rol(a.into(), b.into(), 32) as u32;
    }
    Ror32 {
        u32: |a, b, _env| int::ror(a.into(), b.into(), 32) as u32;
    }
    Rol16 {
        u32: |a, b, _env| int::rol(a.into(), b.into(), 16) as u32;
    }
    Ror16 {
        u32: |a, b, _env| int::ror(a.into(), b.into(), 16) as u32;
    }
    Avg {
        i64: |a, b, _env| a.average(b);
        i128: |a, b, _env| a.average(b);
    }
    Bfi1 {
        u32: |a, b, _env| int::bfi1(a, b);
    }
    Fdiv {
        f32: |a, b, env| math::fdiv(a, b, env);
    }
    Pow {
        f32: |a, b, env| math::pow(a, b, env);
    }
    Quotient {
        i32: |a, b, _env| math::idivrem(a, b).0;
        u32: |a, b, _env| math::udivrem(a, b).0;
    }
    Remainder {
        i32: |a, b, _env| math::idivrem(a, b).1;
        u32: |a, b, _env| math::udivrem(a, b).1;
    }
}

ternary! {
    Mad {
        u32: |a, b, c, _env| a.wrapping_add(b.wrapping_mul(c));
        i64: |a, b, c, _env| a.plus(b.times(c));
        i128: |a, b, c, _env| a.plus(b.times(c));
        f32: |a, b, c, env| Float::mad(a, b, c, env);
        f64: |a, b, c, env| Float::mad(a, b, c, env);
        Half: |a, b, c, env| Float::mad(a, b, c, env);
    }
    Lrp {
        f32: |a, b, c, env| Float::lrp(a, b, c, env);
    }
    Bfe {
        u32: |a, b, c, _env| int::bfe_unsigned(a, b, c);
        i32: |a, b, c, _env| int::bfe_signed(a.cast_unsigned(), b.cast_unsigned(), c);
    }
    Bfi2 {
        u32: |a, b, c, _env| int::bfi2(a, b, c);
    }
    Add3 {
        i64: |a, b, c, _env| a.plus(b).plus(c);
    }
    Dp4aSigned {
        u32: |a, b, c, _env| int::dp4a(a, b, true, c, true);
    }
    Dp4aUnsigned {
        u32: |a, b, c, _env| int::dp4a(a, b, false, c, false);
    }
}
