//! Opcodes: one row per mnemonic, a column per generation.
//!
//! Source: the "EU instruction set" chapters of the public PRMs; codes of gen7.5 and later
//! confirmed by iga64, of gen4-9 by intel-gen4asm. Doubtful rows are listed in
//! `docs/isa-notes.md`.

use super::gen_index;
use crestline_device::Gen;

/// The format of an opcode's encoding. Each form has one function in [`codec`](crate::codec) that
/// encodes and decodes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// No operands.
    Nullary,
    /// Destination and one source.
    One,
    /// Destination and two sources.
    Two,
    /// Destination and three sources.
    Three,
    /// Math function with one or two sources.
    Math,
    /// Scalar jump by an immediate or a register.
    Jmpi,
    /// Branch with one target (JIP).
    BranchJip,
    /// Branch with two targets (JIP and UIP).
    BranchJipUip,
    /// Call with a return register and one target.
    Call,
    /// Return through a register.
    Ret,
    /// Mask-stack operations of gen4 and gen5.
    MaskStack,
    /// Wait on a notification register.
    Wait,
    /// Message with one payload (two from gen12).
    Send,
    /// Message with two payloads (gen9 to gen11).
    Sends,
    /// Synchronisation (gen12).
    Sync,
    /// Systolic dot product (gen12.5).
    Dpas,
    /// Three-source boolean function (gen12.5).
    Bfn,
}

/// Modifiers that an opcode permits, from the tables of the public manuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpFlags {
    /// May be predicated.
    pub predicable: bool,
    /// May carry a conditional modifier.
    pub cond_mod: bool,
    /// May saturate.
    pub saturate: bool,
    /// Sources may carry negate and absolute-value modifiers.
    pub src_mods: bool,
}

/// Parses the flag letters of a table row: P, C, S and M, as explained above the table.
const fn flags(letters: &str) -> OpFlags {
    let mut out = OpFlags { predicable: false, cond_mod: false, saturate: false, src_mods: false };
    let letters = letters.as_bytes();
    let mut i = 0;
    while i < letters.len() {
        match letters[i] {
            b'P' => out.predicable = true,
            b'C' => out.cond_mod = true,
            b'S' => out.saturate = true,
            b'M' => out.src_mods = true,
            _ => panic!("unknown opcode flag"),
        }
        i += 1;
    }
    out
}

macro_rules! code {
    (-) => {
        0xff
    };
    ($code:literal) => {
        $code
    };
}

macro_rules! opcodes {
    ($($variant:ident $name:literal $form:ident $flags:literal [$($code:tt)*] $doc:literal;)*) => {
        /// An operation of the EU, over all generations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Opcode {
            $(#[doc = $doc] $variant,)*
        }

        impl Opcode {
            /// Every opcode, in table order.
            pub const ALL: &[Opcode] = &[$(Opcode::$variant,)*];
        }

        const NAMES: &[&str] = &[$($name,)*];
        const FORMS: &[Form] = &[$(Form::$form,)*];
        const FLAGS: &[OpFlags] = &[$(flags($flags),)*];
        /// Code per generation, 0xff where the operation does not exist.
        const CODES: &[[u8; Gen::ALL.len()]] = &[$([$(code!($code),)*],)*];
    };
}

// P predicable, C conditional modifier, S saturate, M source modifiers.
// variant  mnemonic  form  flags  [4 4.5 5 6 7 7.5 8 9 11 12 12.5]  meaning
#[rustfmt::skip]
opcodes! {
    Illegal  "illegal"  Nullary      ""     [  0   0   0   0   0   0   0   0   0   0   0] "Raises the illegal-instruction exception.";
    Mov      "mov"      One          "PCSM" [  1   1   1   1   1   1   1   1   1  97  97] "Copy with type conversion.";
    Sel      "sel"      Two          "PCSM" [  2   2   2   2   2   2   2   2   2  98  98] "Per-channel pick of src0 or src1 by predicate, or min/max by conditional modifier.";
    Movi     "movi"     One          "PSM"  [  -   3   3   3   3   3   3   3   3  99  99] "Indirect move driven by an address-register source (fast byte/word shuffle).";
    Not      "not"      One          "PCM"  [  4   4   4   4   4   4   4   4   4 100 100] "Bitwise complement.";
    And      "and"      Two          "PCM"  [  5   5   5   5   5   5   5   5   5 101 101] "Bitwise and.";
    Or       "or"       Two          "PCM"  [  6   6   6   6   6   6   6   6   6 102 102] "Bitwise or.";
    Xor      "xor"      Two          "PCM"  [  7   7   7   7   7   7   7   7   7 103 103] "Bitwise exclusive or.";
    Shr      "shr"      Two          "PCSM" [  8   8   8   8   8   8   8   8   8 104 104] "Logical shift right.";
    Shl      "shl"      Two          "PCSM" [  9   9   9   9   9   9   9   9   9 105 105] "Shift left.";
    Dim      "dim"      One          "PCS"  [  -   -   -   -   -  10   -   -   -   -   -] "Loads a 64-bit double immediate.";
    Smov     "smov"     Two          "P"    [  -   -   -   -   -   -  10  10  10 106 106] "Scattered move (source channels picked by an immediate).";
    Asr      "asr"      Two          "PCSM" [ 12  12  12  12  12  12  12  12  12 108 108] "Arithmetic shift right.";
    Ror      "ror"      Two          "PC"   [  -   -   -   -   -   -   -   -  14 110 110] "Rotate right.";
    Rol      "rol"      Two          "PC"   [  -   -   -   -   -   -   -   -  15 111 111] "Rotate left.";
    Cmp      "cmp"      Two          "PCM"  [ 16  16  16  16  16  16  16  16  16 112 112] "Compares and writes flag plus all-ones/zero mask.";
    Cmpn     "cmpn"     Two          "PCM"  [ 17  17  17  17  17  17  17  17  17 113 113] "Like cmp, with min/max style NaN handling.";
    Csel     "csel"     Three        "CSM"  [  -   -   -   -   -   -  18  18  18 114 114] "Picks src0 or src1 by comparing src2 with zero (own conditional modifier, no flag use).";
    F32To16  "f32to16"  One          "PCSM" [  -   -   -   -  19  19   -   -   -   -   -] "Float to half-float bits.";
    F16To32  "f16to32"  One          "PCSM" [  -   -   -   -  20  20   -   -   -   -   -] "Half-float bits to float.";
    Bfrev    "bfrev"    One          "P"    [  -   -   -   -  23  23  23  23  23 119 119] "Reverses bit order.";
    Bfe      "bfe"      Three        "P"    [  -   -   -   -  24  24  24  24  24 120 120] "Bit field extract (width, offset, data).";
    Bfi1     "bfi1"     Two          "P"    [  -   -   -   -  25  25  25  25  25 121 121] "Builds a bit mask from width and offset.";
    Bfi2     "bfi2"     Three        "P"    [  -   -   -   -  26  26  26  26  26 122 122] "Merges two values by a bit mask.";
    Jmpi     "jmpi"     Jmpi         "P"    [ 32  32  32  32  32  32  32  32  32  32  32] "Scalar jump by immediate or register offset.";
    Brd      "brd"      BranchJip    "P"    [  -   -   -   -  33  33  33  33  33  33  33] "Branch, diverging (redirects channels to a target).";
    If       "if"       BranchJipUip "P"    [ 34  34  34  34  34  34  34  34  34  34  34] "Starts a conditional block.";
    Iff      "iff"      BranchJip    "P"    [ 35  35  35   -   -   -   -   -   -   -   -] "If without else.";
    Brc      "brc"      BranchJipUip "P"    [  -   -   -   -  35  35  35  35  35  35  35] "Branch, converging with two targets.";
    Else     "else"     BranchJipUip ""     [ 36  36  36  36  36  36  36  36  36  36  36] "Switches to the other half of a conditional block.";
    EndIf    "endif"    BranchJip    ""     [ 37  37  37  37  37  37  37  37  37  37  37] "Ends a conditional block.";
    Do       "do"       MaskStack    "P"    [ 38  38  38   -   -   -   -   -   -   -   -] "Pushes loop mask.";
    Case     "case"     BranchJip    "P"    [  -   -   -  38   -   -   -   -   -   -   -] "Gen6 switch-style branch.";
    While    "while"    BranchJip    "P"    [ 39  39  39  39  39  39  39  39  39  39  39] "Loop back edge.";
    Break    "break"    BranchJipUip "P"    [ 40  40  40  40  40  40  40  40  40  40  40] "Leaves the innermost loop for the active channels.";
    Cont     "cont"     BranchJipUip "P"    [ 41  41  41  41  41  41  41  41  41  41  41] "Next iteration of the innermost loop.";
    Halt     "halt"     BranchJipUip "P"    [ 42  42  42  42  42  42  42  42  42  42  42] "Stops the active channels until the halt target.";
    Calla    "calla"    Call         "P"    [  -   -   -   -   -  43  43  43  43  43  43] "Call to an absolute address.";
    Msave    "msave"    MaskStack    "P"    [ 44  44  44   -   -   -   -   -   -   -   -] "Pushes the mask stack.";
    Call     "call"     Call         "P"    [  -   -   -  44  44  44  44  44  44  44  44] "Call to a relative address, return ip and mask to dst.";
    Mrest    "mrest"    MaskStack    "P"    [ 45  45  45   -   -   -   -   -   -   -   -] "Pops the mask stack.";
    Ret      "ret"      Ret          "P"    [  -   -   -  45  45  45  45  45  45  45  45] "Returns using the saved ip and mask.";
    Push     "push"     MaskStack    "P"    [ 46  46  46   -   -   -   -   -   -   -   -] "Pushes a mask-stack entry.";
    Fork     "fork"     BranchJip    "P"    [  -   -   -  46   -   -   -   -   -   -   -] "Gen6 fork to a target.";
    Goto     "goto"     BranchJipUip "P"    [  -   -   -   -   -   -  46  46  46  46  46] "Jump in unstructured control flow; channels wait at a later join.";
    Pop      "pop"      MaskStack    "P"    [ 47  47  47   -   -   -   -   -   -   -   -] "Pops mask-stack entries.";
    Join     "join"     BranchJip    "P"    [  -   -   -   -   -   -  47  47  47  47  47] "Reconvergence point for goto.";
    Wait     "wait"     Wait         ""     [ 48  48  48  48  48  48  48  48  48   -   -] "Blocks until a notification register is signalled.";
    Send     "send"     Send         "P"    [ 49  49  49  49  49  49  49  49  49  49  49] "Sends a message from registers to a shared function.";
    Sendc    "sendc"    Send         "P"    [ 50  50  50  50  50  50  50  50  50  50  50] "Send that first waits for earlier threads of the same pixels.";
    Sends    "sends"    Sends        "P"    [  -   -   -   -   -   -   -  51  51   -   -] "Send with two payload register ranges.";
    Sendsc   "sendsc"   Sends        "P"    [  -   -   -   -   -   -   -  52  52   -   -] "Sendc with two payload register ranges.";
    Math     "math"     Math         "PSM"  [  -   -   -  56  56  56  56  56  56  56  56] "Extended math, function chosen by a control field.";
    Add      "add"      Two          "PCSM" [ 64  64  64  64  64  64  64  64  64  64  64] "Addition.";
    Mul      "mul"      Two          "PCSM" [ 65  65  65  65  65  65  65  65  65  65  65] "Multiplication.";
    Avg      "avg"      Two          "PCSM" [ 66  66  66  66  66  66  66  66  66  66  66] "Rounded-up average of two integers.";
    Frc      "frc"      One          "PCM"  [ 67  67  67  67  67  67  67  67  67  67  67] "Fraction above floor.";
    Rndu     "rndu"     One          "PCSM" [ 68  68  68  68  68  68  68  68  68  68  68] "Rounds up (gen4/5: sets the increment condition for a following add).";
    Rndd     "rndd"     One          "PCSM" [ 69  69  69  69  69  69  69  69  69  69  69] "Round toward minus infinity.";
    Rnde     "rnde"     One          "PCSM" [ 70  70  70  70  70  70  70  70  70  70  70] "Rounds to nearest even (gen4/5: as rndu).";
    Rndz     "rndz"     One          "PCSM" [ 71  71  71  71  71  71  71  71  71  71  71] "Rounds toward zero (gen4/5: as rndu).";
    Mac      "mac"      Two          "PCSM" [ 72  72  72  72  72  72  72  72  72  72  72] "Multiply and add the accumulator.";
    Mach     "mach"     Two          "PSM"  [ 73  73  73  73  73  73  73  73  73  73  73] "High part of a 32x32 multiply using the accumulator.";
    Lzd      "lzd"      One          "PCSM" [ 74  74  74  74  74  74  74  74  74  74  74] "Count leading zeros.";
    Fbh      "fbh"      One          "P"    [  -   -   -   -  75  75  75  75  75  75  75] "Find first bit from the high side.";
    Fbl      "fbl"      One          "P"    [  -   -   -   -  76  76  76  76  76  76  76] "Find first bit from the low side.";
    Cbit     "cbit"     One          "P"    [  -   -   -   -  77  77  77  77  77  77  77] "Count set bits.";
    Addc     "addc"     Two          "PC"   [  -   -   -   -  78  78  78  78  78  78  78] "Add, carry to accumulator.";
    Subb     "subb"     Two          "PCS"  [  -   -   -   -  79  79  79  79  79  79  79] "Subtract, borrow to accumulator.";
    Sad2     "sad2"     Two          "PCSM" [ 80  80  80  80  80  80  80  80  80  80  80] "Sum of absolute differences of 2 byte pairs.";
    Sada2    "sada2"    Two          "PCSM" [ 81  81  81  81  81  81  81  81  81  81  81] "Sad2 added to the accumulator.";
    Dp4      "dp4"      Two          "PCSM" [ 84  84  84  84  84  84  84  84   -   -   -] "4-component dot product.";
    Dph      "dph"      Two          "PCSM" [ 85  85  85  85  85  85  85  85   -   -   -] "Homogeneous dot product.";
    Dp3      "dp3"      Two          "PCSM" [ 86  86  86  86  86  86  86  86   -   -   -] "3-component dot product.";
    Dp2      "dp2"      Two          "PCSM" [ 87  87  87  87  87  87  87  87   -   -   -] "2-component dot product.";
    Line     "line"     Two          "PCSM" [ 89  89  89  89  89  89  89  89   -   -   -] "Plane equation for one attribute.";
    Pln      "pln"      Two          "PCS"  [  -  90  90  90  90  90  90  90   -   -   -] "Plane equation with two deltas.";
    Mad      "mad"      Three        "PCSM" [  -   -   -  91  91  91  91  91  91  91  91] "Src1 * src2 + src0.";
    Lrp      "lrp"      Three        "PCSM" [  -   -   -  92  92  92  92  92   -   -   -] "Src0 * src1 + (1 - src0) * src2.";
    Madm     "madm"     Three        "PCSM" [  -   -   -   -   -   -  93  93  93  93  93] "Mad macro step with extended precision registers (for IEEE divide/sqrt).";
    Nenop    "nenop"    Nullary      "P"    [  - 125   -   -   -   -   -   -   -   -   -] "Padding no-op used to align uncompacted instructions.";
    Nop      "nop"      Nullary      ""     [126 126 126 126 126 126 126 126 126  96  96] "No operation.";
    Sync     "sync"     Sync         ""     [  -   -   -   -   -   -   -   -   -   1   1] "Waits on scoreboard, barrier or host event without doing work.";
    Add3     "add3"     Three        "PCSM" [  -   -   -   -   -   -   -   -   -   -  82] "Sum of three integers.";
    Dp4a     "dp4a"     Three        "PCS"  [  -   -   -   -   -   -   -   -   -  88  88] "Dot product of 4 packed bytes plus accumulate.";
    Dpas     "dpas"     Dpas         ""     [  -   -   -   -   -   -   -   -   -   -  89] "Systolic dot product accumulate.";
    Dpasw    "dpasw"    Dpas         ""     [  -   -   -   -   -   -   -   -   -   -  90] "Dpas sharing one source across a fused EU pair.";
    Bfn      "bfn"      Bfn          "PC"   [  -   -   -   -   -   -   -   -   -   - 107] "Any three-input boolean function chosen by an 8-bit truth table.";
}

/// The opcode of each code, per generation. Computed from the table, so that the two always agree.
static BY_CODE: [[Option<Opcode>; 128]; Gen::ALL.len()] = {
    let mut table = [[None; 128]; Gen::ALL.len()];
    let mut row = 0;
    while row < CODES.len() {
        let mut column = 0;
        while column < Gen::ALL.len() {
            let code = CODES[row][column] as usize;
            if code != 0xff {
                assert!(table[column][code].is_none(), "two opcodes share a code");
                table[column][code] = Some(Opcode::ALL[row]);
            }
            column += 1;
        }
        row += 1;
    }
    table
};

impl Opcode {
    /// The 7-bit code on a generation, or `None` where the operation does not exist.
    pub fn bits(self, generation: Gen) -> Option<u8> {
        match CODES[self as usize][gen_index(generation)] {
            0xff => None,
            code => Some(code),
        }
    }

    /// The operation with a 7-bit code, or `None` if the code is not assigned.
    pub fn from_bits(generation: Gen, code: u8) -> Option<Opcode> {
        *BY_CODE[gen_index(generation)].get(usize::from(code))?
    }

    /// The mnemonic, the same in both assembly syntaxes.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The operation with a mnemonic.
    pub fn from_name(name: &str) -> Option<Opcode> {
        NAMES.iter().position(|n| *n == name).map(|row| Opcode::ALL[row])
    }

    /// How the operation is encoded.
    pub fn form(self) -> Form {
        FORMS[self as usize]
    }

    /// The modifiers that the operation permits.
    pub fn flags(self) -> OpFlags {
        FLAGS[self as usize]
    }

    /// Whether the operation exists on a generation.
    pub fn exists(self, generation: Gen) -> bool {
        self.bits(generation).is_some()
    }

    /// Whether the operation may change the instruction pointer or the channel mask.
    pub fn is_flow_control(self) -> bool {
        matches!(
            self.form(),
            Form::Jmpi
                | Form::BranchJip
                | Form::BranchJipUip
                | Form::Call
                | Form::Ret
                | Form::MaskStack
        )
    }

    /// Whether the operation sends a message.
    pub fn is_send(self) -> bool {
        matches!(self.form(), Form::Send | Form::Sends)
    }

    /// Whether the operation is bitwise, so that a source negation means bitwise not (gen8+).
    pub fn is_logic(self) -> bool {
        matches!(self, Opcode::Not | Opcode::And | Opcode::Or | Opcode::Xor)
    }

    /// Number of source operands; branch targets do not count. 2 for `math`, whose number depends
    /// on the function: see [`MathFn::sources`](super::MathFn::sources).
    pub fn sources(self, generation: Gen) -> usize {
        match self.form() {
            Form::Nullary | Form::MaskStack | Form::BranchJip | Form::BranchJipUip => 0,
            Form::One | Form::Jmpi | Form::Call | Form::Ret | Form::Wait | Form::Sync => 1,
            Form::Two | Form::Math | Form::Sends => 2,
            Form::Send => 1 + usize::from(generation >= Gen::Gen12),
            Form::Three | Form::Dpas | Form::Bfn => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_name_one_opcode_and_back() {
        for generation in Gen::ALL {
            for &opcode in Opcode::ALL {
                if let Some(code) = opcode.bits(generation) {
                    assert_eq!(Opcode::from_bits(generation, code), Some(opcode));
                }
            }
        }
        for &opcode in Opcode::ALL {
            assert_eq!(Opcode::from_name(opcode.name()), Some(opcode));
        }
    }
}
