//! Codes of the small instruction fields: conditional modifiers, predicate controls, math and
//! sync functions, shared functions, architecture registers.
//!
//! Source: the field descriptions of the public PRMs; codes of gen7.5 and later confirmed by
//! iga64, of gen4-9 by intel-gen4asm.

use crestline_device::Gen;

/// Declares a field-less enumeration. Each row is `Variant "text" code from..=to meaning`: the
/// variant exists on the generations `from` to `to`, with the same code on all of them.
macro_rules! coded {
    ($(#[$meta:meta])* $name:ident
     $($variant:ident $text:literal $code:literal $from:ident..=$to:ident $doc:literal;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = $doc] $variant,)*
        }

        impl $name {
            /// Every value, in table order.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The code on a generation, or `None` where the value does not exist.
            pub fn bits(self, generation: Gen) -> Option<u8> {
                match self {
                    $($name::$variant => (Gen::$from..=Gen::$to)
                        .contains(&generation)
                        .then_some($code),)*
                }
            }

            /// The value with a code, or `None` if the code is not assigned.
            pub fn from_bits(generation: Gen, code: u8) -> Option<$name> {
                match code {
                    $($code if (Gen::$from..=Gen::$to).contains(&generation) =>
                        Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The name as in the `mesa` syntax and in messages.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// The value with a [`name`](Self::name).
            pub fn from_name(name: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    };
}

coded! {
    /// Conditional modifier: how a result updates the flag register.
    CondMod
    None  ""   0  Gen4..=Gen125 "No flag update.";
    Z     "z"  1  Gen4..=Gen125 "Equal, or zero.";
    Nz    "nz" 2  Gen4..=Gen125 "Not equal, or not zero.";
    G     "g"  3  Gen4..=Gen125 "Greater.";
    Ge    "ge" 4  Gen4..=Gen125 "Greater or equal (maximum with sel).";
    L     "l"  5  Gen4..=Gen125 "Less (minimum with sel).";
    Le    "le" 6  Gen4..=Gen125 "Less or equal.";
    R     "r"  7  Gen4..=Gen5   "Round increment, of the rounding instruction pairs.";
    O     "o"  8  Gen4..=Gen125 "Overflow.";
    U     "u"  9  Gen4..=Gen125 "Unordered: a source is NaN.";
}

coded! {
    /// Function of the `math` instruction; on gen4 and gen5 of the math shared function.
    MathFn
    Inv      "inv"       1 Gen4..=Gen125 "1 / src0.";
    Log      "log"       2 Gen4..=Gen125 "log2(src0).";
    Exp      "exp"       3 Gen4..=Gen125 "2 ^ src0.";
    Sqrt     "sqrt"      4 Gen4..=Gen125 "Square root.";
    Rsq      "rsq"       5 Gen4..=Gen125 "1 / square root.";
    Sin      "sin"       6 Gen4..=Gen125 "Sine, argument in radians.";
    Cos      "cos"       7 Gen4..=Gen125 "Cosine, argument in radians.";
    SinCos   "sincos"    8 Gen4..=Gen5   "Sine and cosine in two result registers.";
    Fdiv     "fdiv"      9 Gen6..=Gen11  "src0 / src1.";
    Pow      "pow"      10 Gen4..=Gen11  "src0 ^ src1.";
    IntDiv   "intdivmod" 11 Gen4..=Gen12  "Integer quotient and remainder in two result registers.";
    IntQuot  "intdiv"   12 Gen4..=Gen12  "Integer quotient.";
    IntRem   "intmod"   13 Gen4..=Gen12  "Integer remainder.";
    Invm     "invm"     14 Gen8..=Gen125 "First step of the IEEE divide macro.";
    Rsqrtm   "rsqrtm"   15 Gen8..=Gen125 "First step of the IEEE square root macro.";
}

impl MathFn {
    /// Number of register sources.
    pub fn sources(self) -> usize {
        match self {
            MathFn::Fdiv
            | MathFn::Pow
            | MathFn::IntDiv
            | MathFn::IntQuot
            | MathFn::IntRem
            | MathFn::Invm => 2,
            _ => 1,
        }
    }

    /// Whether the function divides integers.
    pub fn is_int(self) -> bool {
        matches!(self, MathFn::IntDiv | MathFn::IntQuot | MathFn::IntRem)
    }

    /// Whether the function is a step of the IEEE macros, whose operands name extended
    /// precision (mme) registers.
    pub fn is_macro(self) -> bool {
        matches!(self, MathFn::Invm | MathFn::Rsqrtm)
    }
}

coded! {
    /// Function of the gen12 `sync` instruction.
    SyncFn
    Nop   "nop"    0 Gen12..=Gen125 "Carries a software scoreboard wait only.";
    AllRd "allrd"  2 Gen12..=Gen125 "Waits until the sources of the tokens in the mask were read.";
    AllWr "allwr"  3 Gen12..=Gen125 "Waits until the destinations of the tokens in the mask were written.";
    Bar   "bar"   14 Gen12..=Gen125 "Waits for the barrier notification.";
    Host  "host"  15 Gen12..=Gen125 "Waits for the host notification.";
}

coded! {
    /// Thread control: what the scheduler does at this instruction.
    ThreadCtrl
    Normal    ""          0 Gen4..=Gen11  "Normal.";
    Atomic    "atomic"    1 Gen4..=Gen125 "No thread switch before the next instruction.";
    Switch    "switch"    2 Gen4..=Gen11  "Force a thread switch.";
    NoPreempt "nopreempt" 3 Gen11..=Gen11 "No preemption.";
}

coded! {
    /// Shared function that a message is sent to. One variant per function of the hardware; a code
    /// may belong to different functions on different generations.
    Sfid
    Null                "null"             0 Gen4..=Gen125  "None.";
    Math                "math"             1 Gen4..=Gen5    "Extended math.";
    Sampler             "sampler"          2 Gen4..=Gen125  "Sampler.";
    Gateway             "gateway"          3 Gen4..=Gen125  "Message gateway.";
    DpRead              "read"             4 Gen4..=Gen5    "Data port, reads.";
    DpSamplerCache      "dp_sampler"       4 Gen6..=Gen8    "Data port through the sampler cache.";
    DataCache2          "dc2"              4 Gen9..=Gen125  "Data cache port 2.";
    DpWrite             "write"            5 Gen4..=Gen5    "Data port, writes.";
    RenderCache         "render"           5 Gen6..=Gen125  "Data port through the render cache.";
    Urb                 "urb"              6 Gen4..=Gen125  "Unified return buffer.";
    ThreadSpawner       "thread_spawner"   7 Gen4..=Gen12   "Thread spawner.";
    BindlessDispatch    "btd"              7 Gen125..=Gen125 "Bindless thread dispatch.";
    Vme                 "vme"              8 Gen5..=Gen12   "Video motion estimation.";
    RayTrace            "rta"              8 Gen125..=Gen125 "Ray trace accelerator.";
    ConstantCache       "const"            9 Gen6..=Gen125  "Data port through the constant (read-only data) cache.";
    DataCache0          "dc0"             10 Gen7..=Gen125  "Data cache port 0.";
    PixelInterpolator   "pi"              11 Gen7..=Gen125  "Pixel interpolator.";
    DataCache1          "dc1"             12 Gen75..=Gen125 "Data cache port 1.";
    Cre                 "cre"             13 Gen75..=Gen12  "Check and refinement engine.";
    Tgm                 "tgm"             13 Gen125..=Gen125 "Load/store cache, typed global memory.";
    Slm                 "slm"             14 Gen125..=Gen125 "Load/store cache, shared local memory.";
    Ugm                 "ugm"             15 Gen125..=Gen125 "Load/store cache, untyped global memory.";
}

coded! {
    /// Kind of architecture register: the high four bits of its register number. Where a code
    /// changed its meaning between generations, the variant has the newer name.
    ArfKind
    Null           "null"  0 Gen4..=Gen125 "Reads zero, drops writes.";
    Address        "a"     1 Gen4..=Gen125 "Address register a0.";
    Accumulator    "acc"   2 Gen4..=Gen125 "Accumulators; the higher numbers are the mme registers.";
    Flag           "f"     3 Gen4..=Gen125 "Flag registers, two 16-bit subregisters each.";
    ChannelEnable  "mask"  4 Gen4..=Gen125 "Channel enables (gen4-7: mask registers).";
    MessageControl "ms"    5 Gen4..=Gen125 "Message control (gen4-5: mask stack).";
    StackPointer   "msd"   6 Gen4..=Gen125 "Stack pointer (gen4-5: mask stack depth).";
    State          "sr"    7 Gen4..=Gen125 "Thread state.";
    Control        "cr"    8 Gen4..=Gen125 "Control: rounding and denormal modes, exceptions.";
    Notification   "n"     9 Gen4..=Gen125 "Notification counters.";
    Ip             "ip"   10 Gen4..=Gen125 "Instruction pointer.";
    ThreadDep      "tdr"  11 Gen4..=Gen125 "Thread dependency.";
    Timestamp      "tm"   12 Gen4..=Gen125 "Time stamp.";
    FlowControl    "fc"   13 Gen4..=Gen125 "Flow control stack.";
    Debug          "dbg"  15 Gen4..=Gen125 "Debug.";
}

/// How an instruction addresses the elements of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessMode {
    /// Regions: strides and widths in elements.
    Align1,
    /// Vectors of four with swizzles and a write mask (gen4 to gen9).
    Align16,
}

/// How the flag register enables channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PredCtrl {
    /// Not predicated.
    None,
    /// The channel's own flag bit.
    Normal,
    /// Any of the channel's bits in f0 and f1 (Align1).
    AnyV,
    /// All of the channel's bits in f0 and f1 (Align1).
    AllV,
    /// Any bit within the channel's group of 2 (Align1).
    Any2H,
    /// All bits within the channel's group of 2 (Align1).
    All2H,
    /// Any bit within the channel's group of 4 (in Align16: the vector's components).
    Any4H,
    /// All bits within the channel's group of 4 (in Align16: the vector's components).
    All4H,
    /// Any bit within the channel's group of 8 (Align1).
    Any8H,
    /// All bits within the channel's group of 8 (Align1).
    All8H,
    /// Any bit within the channel's group of 16 (Align1).
    Any16H,
    /// All bits within the channel's group of 16 (Align1).
    All16H,
    /// Any bit within the channel's group of 32 (Align1, gen7 on).
    Any32H,
    /// All bits within the channel's group of 32 (Align1, gen7 on).
    All32H,
    /// The bit of component x (Align16).
    X,
    /// The bit of component y (Align16).
    Y,
    /// The bit of component z (Align16).
    Z,
    /// The bit of component w (Align16).
    W,
}

const ALIGN1_PREDICATES: [PredCtrl; 14] = [
    PredCtrl::None,
    PredCtrl::Normal,
    PredCtrl::AnyV,
    PredCtrl::AllV,
    PredCtrl::Any2H,
    PredCtrl::All2H,
    PredCtrl::Any4H,
    PredCtrl::All4H,
    PredCtrl::Any8H,
    PredCtrl::All8H,
    PredCtrl::Any16H,
    PredCtrl::All16H,
    PredCtrl::Any32H,
    PredCtrl::All32H,
];

const ALIGN16_PREDICATES: [PredCtrl; 8] = [
    PredCtrl::None,
    PredCtrl::Normal,
    PredCtrl::X,
    PredCtrl::Y,
    PredCtrl::Z,
    PredCtrl::W,
    PredCtrl::Any4H,
    PredCtrl::All4H,
];

impl PredCtrl {
    /// The controls of an access mode; the index is the code.
    fn table(mode: AccessMode) -> &'static [PredCtrl] {
        match mode {
            AccessMode::Align1 => &ALIGN1_PREDICATES,
            AccessMode::Align16 => &ALIGN16_PREDICATES,
        }
    }

    /// The code in an access mode, or `None` where the mode does not have it.
    pub fn bits(self, mode: AccessMode) -> Option<u8> {
        let code = PredCtrl::table(mode).iter().position(|p| *p == self)?;
        u8::try_from(code).ok()
    }

    /// The control with a code, or `None` if the code is not assigned.
    pub fn from_bits(mode: AccessMode, code: u8) -> Option<PredCtrl> {
        PredCtrl::table(mode).get(usize::from(code)).copied()
    }

    /// The suffix after the flag register in assembly, without its dot, such as `any4h`; empty for
    /// [`PredCtrl::None`] and [`PredCtrl::Normal`].
    pub fn name(self) -> &'static str {
        match self {
            PredCtrl::None | PredCtrl::Normal => "",
            PredCtrl::AnyV => "anyv",
            PredCtrl::AllV => "allv",
            PredCtrl::Any2H => "any2h",
            PredCtrl::All2H => "all2h",
            PredCtrl::Any4H => "any4h",
            PredCtrl::All4H => "all4h",
            PredCtrl::Any8H => "any8h",
            PredCtrl::All8H => "all8h",
            PredCtrl::Any16H => "any16h",
            PredCtrl::All16H => "all16h",
            PredCtrl::Any32H => "any32h",
            PredCtrl::All32H => "all32h",
            PredCtrl::X => "x",
            PredCtrl::Y => "y",
            PredCtrl::Z => "z",
            PredCtrl::W => "w",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicate_codes_round_trip_in_each_mode() {
        for mode in [AccessMode::Align1, AccessMode::Align16] {
            for code in 0..16 {
                if let Some(ctrl) = PredCtrl::from_bits(mode, code) {
                    assert_eq!(ctrl.bits(mode), Some(code));
                }
            }
        }
        assert_eq!(PredCtrl::X.bits(AccessMode::Align1), None);
    }

    #[test]
    fn shared_functions_of_a_generation_have_distinct_codes() {
        for generation in Gen::ALL {
            for &sfid in Sfid::ALL {
                if let Some(code) = sfid.bits(generation) {
                    assert_eq!(Sfid::from_bits(generation, code), Some(sfid));
                }
            }
        }
        assert_eq!(Sfid::from_bits(Gen::Gen75, 12), Some(Sfid::DataCache1));
        assert_eq!(Sfid::from_bits(Gen::Gen7, 12), None);
    }
}
