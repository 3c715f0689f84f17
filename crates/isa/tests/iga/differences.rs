//! The known differences between `iga64` and this project. `docs/isa-notes.md` has the reason for
//! each.

use crestline_isa::*;

/// How a difference affects the comparison.
#[derive(Clone, Copy)]
pub(crate) enum Effect {
    /// `iga64` refuses the instruction.
    Refused,
    /// These bits of `iga64`'s encoding are arbitrary.
    Chance(u128),
    /// `iga64` assembles our text to another instruction. The function changes our instruction to
    /// that one.
    ReadAs(fn(&mut Inst)),
    /// `iga64` assembles our text to our bits, but disassembles them to another instruction. The
    /// function changes our instruction to that one.
    PrintedAs(fn(&mut Inst)),
    /// `iga64` prints the same instruction with another text, which our parser accepts.
    OtherWords,
}

/// One class of instructions with a difference.
pub(crate) struct Difference {
    /// Name in `docs/isa-notes.md`.
    pub(crate) name: &'static str,
    pub(crate) effect: Effect,
    pub(crate) applies: fn(&Inst, Gen) -> bool,
}

impl Difference {
    /// Whether `iga64` refuses instructions of this class.
    pub(crate) fn refuses(&self) -> bool {
        matches!(self.effect, Effect::Refused)
    }
}

pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "operations that iga64 does not know",
        effect: Effect::Refused,
        applies: |i, g| match i.opcode {
            Opcode::Sad2 | Opcode::Sada2 => g >= Gen::Gen11,
            Opcode::Dim => true,
            Opcode::Brc => g == Gen::Gen75,
            Opcode::Smov => g >= Gen::Gen12,
            Opcode::Madm => g == Gen::Gen12,
            _ => false,
        },
    },
    Difference {
        name: "null as one of three sources",
        effect: Effect::Refused,
        applies: |i, _| {
            let null = |src: &Src| src.as_reg().is_some_and(|reg| reg.place.is_null());
            matches!(i.opcode.form(), Form::Three | Form::Bfn) && i.srcs.iter().any(null)
        },
    },
    Difference {
        name: "source 1 in an architecture register",
        effect: Effect::Refused,
        applies: |i, g| g <= Gen::Gen11 && is_two(i) && src(i, 1).is_some_and(|r| is_arf(r.place)),
    },
    Difference {
        name: "math operands that are no direct general registers",
        effect: Effect::Refused,
        applies: |i, _| {
            let srcs = i.srcs.iter().filter_map(Src::as_reg).map(|reg| reg.place);
            let general = |place| matches!(place, Place::Direct { reg: Reg::Grf(_), .. });
            i.opcode.form() == Form::Math && !srcs.chain([i.dst.place]).all(general)
        },
    },
    Difference {
        name: "dependency control of messages",
        effect: Effect::ReadAs(|i| (i.no_dd_check, i.no_dd_clear) = (false, false)),
        applies: |i, _| i.opcode.is_send() && (i.no_dd_check || i.no_dd_clear),
    },
    Difference {
        name: "thread control of messages, gen7.5",
        effect: Effect::PrintedAs(|i| i.thread_ctrl = ThreadCtrl::Normal),
        applies: |i, g| g == Gen::Gen75 && i.opcode.is_send() && has_thread_ctrl(i),
    },
    Difference {
        name: "thread control of messages, gen8 and gen11",
        effect: Effect::Refused,
        applies: |i, g| {
            matches!(g, Gen::Gen8 | Gen::Gen11) && i.opcode.is_send() && has_thread_ctrl(i)
        },
    },
    Difference {
        name: "HF beside F in three sources, gen8",
        effect: Effect::ReadAs(|i| {
            for src in &mut i.srcs {
                if let Src::Reg(reg) = src {
                    reg.ty = Type::F;
                }
            }
        }),
        applies: |i, g| {
            let half = i.srcs.iter().any(|src| src.ty() == Some(Type::Hf));
            g == Gen::Gen8
                && i.opcode.form() == Form::Three
                && half
                && i.srcs[0].ty() == Some(Type::F)
        },
    },
    Difference {
        name: "math with modifiers or immediates, gen7.5",
        effect: Effect::Refused,
        applies: |i, g| {
            let modifies = |src: &Src| src.as_reg().is_none_or(|reg| reg.negate || reg.abs);
            let used = i.srcs.iter().filter(|src| **src != Src::None);
            g == Gen::Gen75 && i.opcode == Opcode::Math && used.clone().any(modifies)
        },
    },
    Difference {
        name: "movi of an immediate, gen11 and later",
        effect: Effect::Refused,
        applies: |i, g| g >= Gen::Gen11 && i.opcode == Opcode::Movi && i.srcs[0].as_imm().is_some(),
    },
    Difference {
        name: "mach with saturation, gen12 and later",
        effect: Effect::ReadAs(|i| i.saturate = false),
        applies: |i, g| g >= Gen::Gen12 && i.opcode == Opcode::Mach && i.saturate,
    },
    Difference {
        name: "sync.nop, bar and host of an immediate",
        effect: Effect::Refused,
        applies: |i, _| {
            let tokens = matches!(i.extra, Extra::Sync(SyncFn::AllRd | SyncFn::AllWr));
            i.opcode == Opcode::Sync && !tokens && i.srcs[0].as_imm().is_some()
        },
    },
    Difference {
        name: "BF in operations that iga64 gives no BF",
        effect: Effect::Refused,
        applies: |i, _| {
            use Opcode::{Add, Cmp, Dpas, Dpasw, Mac, Mad, Mov, Mul, Sel};
            let known = matches!(i.opcode, Add | Cmp | Dpas | Dpasw | Mac | Mad | Mov | Mul | Sel);
            !known && types(i).any(|ty| ty == Type::Bf)
        },
    },
    Difference {
        name: "dpas of other types than its own",
        effect: Effect::Refused,
        applies: |i, _| {
            let accumulates = |ty| matches!(ty, Type::D | Type::Ud | Type::F | Type::Hf | Type::Bf);
            let multiplies = |ty| matches!(ty, Type::B | Type::Ub | Type::Hf | Type::Bf);
            let srcs = i.srcs.map(|src| src.ty().unwrap_or(Type::Ud));
            i.opcode.form() == Form::Dpas
                && !(accumulates(i.dst.ty)
                    && accumulates(srcs[0])
                    && multiplies(srcs[1])
                    && multiplies(srcs[2]))
        },
    },
    Difference {
        name: "bfn as an expression",
        effect: Effect::OtherWords,
        applies: |i, _| i.opcode == Opcode::Bfn,
    },
    Difference {
        name: "conditional modifier and saturation of madm, gen12.5",
        effect: Effect::ReadAs(|i| (i.cond_mod, i.saturate) = (CondMod::None, false)),
        applies: |i, g| {
            let dropped = i.cond_mod != CondMod::None || i.saturate;
            g == Gen::Gen125 && i.opcode == Opcode::Madm && dropped
        },
    },
    Difference {
        name: "flag of the dropped conditional modifier of madm, gen12.5",
        effect: Effect::PrintedAs(|i| i.flag = Flag::default()),
        applies: |i, g| {
            let named = i.cond_mod != CondMod::None && i.predicate == Predicate::NONE;
            g == Gen::Gen125 && i.opcode == Opcode::Madm && named
        },
    },
    Difference {
        name: "saturation of dpas",
        effect: Effect::ReadAs(|i| i.saturate = false),
        applies: |i, _| i.opcode.form() == Form::Dpas && i.saturate,
    },
    Difference {
        name: "dpas with elements of one bit",
        effect: Effect::Refused,
        applies: |i, _| match i.extra {
            Extra::Dpas(dpas) => dpas.src1_bits == 1 || dpas.src2_bits == 1,
            _ => false,
        },
    },
    Difference {
        name: "null source 0 of a call",
        effect: Effect::Chance(0x1ff << 80),
        applies: |i, _| matches!(i.opcode, Opcode::Call | Opcode::Calla),
    },
];

fn types(i: &Inst) -> impl Iterator<Item = Type> {
    i.srcs.iter().filter_map(Src::ty).chain([i.dst.ty])
}

fn src(i: &Inst, n: usize) -> Option<&SrcReg> {
    i.srcs[n].as_reg()
}

fn is_two(i: &Inst) -> bool {
    i.opcode.form() == Form::Two
}

fn is_arf(place: Place) -> bool {
    matches!(place, Place::Direct { reg: Reg::Arf(..), .. })
}

fn has_thread_ctrl(i: &Inst) -> bool {
    i.thread_ctrl != ThreadCtrl::Normal
}
