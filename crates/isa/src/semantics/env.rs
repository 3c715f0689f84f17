//! Rounding and denormal handling.

/// How a result that lies between two representable numbers is rounded: `cr0.0` bits 5:4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even (0).
    #[default]
    NearestEven,
    /// Toward positive infinity (1).
    Up,
    /// Toward negative infinity (2).
    Down,
    /// Toward zero (3).
    Zero,
}

impl Rounding {
    /// The mode with this code in `cr0.0` bits 5:4; only the low two bits count.
    pub const fn from_code(code: u32) -> Rounding {
        match code & 3 {
            0 => Rounding::NearestEven,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }
}

/// The rounding and denormal modes of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatEnv {
    /// Rounding of arithmetic and of conversions to a narrower float or from integers.
    pub rounding: Rounding,
    /// 16-bit denormals are kept (`cr0.0` bit 10). Otherwise denormal sources and results become
    /// zeros of the same sign.
    pub keep_denorm_f16: bool,
    /// 32-bit denormals are kept (`cr0.0` bit 7).
    pub keep_denorm_f32: bool,
    /// 64-bit denormals are kept (`cr0.0` bit 6).
    pub keep_denorm_f64: bool,
    /// Float to integer conversions use [`FloatEnv::rounding`] and not truncation (`cr0.0` bit 12, gen9).
    pub round_to_int: bool,
}

impl FloatEnv {
    /// The state that `cr0.0` describes. Single precision ALT mode (bit 0) is not modelled.
    pub const fn from_cr0(cr0: u32) -> FloatEnv {
        FloatEnv {
            rounding: Rounding::from_code(cr0 >> 4),
            keep_denorm_f16: cr0 >> 10 & 1 == 1,
            keep_denorm_f32: cr0 >> 7 & 1 == 1,
            keep_denorm_f64: cr0 >> 6 & 1 == 1,
            round_to_int: cr0 >> 12 & 1 == 1,
        }
    }
}
