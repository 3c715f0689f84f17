//! The controls that all formats share, and the codes of strides and registers.

use super::fields::{Field, Layout};
use super::walk::{CodecError, Result, Walk};
use crate::inst::{Compression, Inst, Place, Reg, Swsb, SwsbPipe, SwsbToken, TokenMode, VStride};
use crate::tables::{AccessMode, ArfKind, CondMod, Form, MathFn, Opcode, PredCtrl, ThreadCtrl};
use crestline_device::Gen;

/// Opcode, the reserved bit beside it, and the marker of the compacted form.
pub(super) fn opcode<L: Layout, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    w.code(
        L::OPCODE,
        "operation",
        &mut i.opcode,
        |op| op.bits(generation).map(u64::from),
        |code| Opcode::from_bits(generation, code as u8),
    )?;
    w.fixed(L::RESERVED7, 0);
    w.fixed(L::COMPACT_CTRL, 0);
    w.flag(L::DEBUG_CTRL, &mut i.breakpoint)?;
    swsb::<L, _>(w, i)
}

/// The controls that all formats have: access mode, dependency controls, channel group, thread
/// control, predicate, execution size and NoMask. Conditional modifier, flag register, accumulator
/// write and saturation are visited separately, because some formats use their bits for other
/// fields. `nibble` is the field of the channel group's lowest bit.
pub(super) fn controls<L: Layout, const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    nibble: Field,
) -> Result<()> {
    let generation = w.generation();
    if L::ACCESS_MODE.exists() {
        w.code(
            L::ACCESS_MODE,
            "access mode",
            &mut i.access_mode,
            |mode| match mode {
                AccessMode::Align1 => Some(0),
                AccessMode::Align16 => (generation <= Gen::Gen9).then_some(1),
            },
            |code| match code {
                0 => Some(AccessMode::Align1),
                _ => (generation <= Gen::Gen9).then_some(AccessMode::Align16),
            },
        )?;
    } else {
        w.require(i.access_mode == AccessMode::Align1, i.opcode.name(), "has no Align16 form")?;
    }
    w.flag(L::NO_DD_CLEAR, &mut i.no_dd_clear)?;
    w.flag(L::NO_DD_CHECK, &mut i.no_dd_check)?;
    group::<L, _>(w, i, nibble)?;
    if L::ATOMIC_CTRL.exists() {
        let mut atomic = i.thread_ctrl == ThreadCtrl::Atomic;
        w.require(
            atomic || i.thread_ctrl == ThreadCtrl::Normal,
            i.opcode.name(),
            "has only the atomic thread control",
        )?;
        w.flag(L::ATOMIC_CTRL, &mut atomic)?;
        i.thread_ctrl = if atomic { ThreadCtrl::Atomic } else { ThreadCtrl::Normal };
    } else {
        w.code(
            L::THREAD_CTRL,
            "thread control",
            &mut i.thread_ctrl,
            |ctrl| ctrl.bits(generation).map(u64::from),
            |code| ThreadCtrl::from_bits(generation, code as u8),
        )?;
    }
    let mode = i.access_mode;
    w.code(
        L::PRED_CTRL,
        "predicate control",
        &mut i.predicate.ctrl,
        |ctrl| ctrl.bits(mode).map(u64::from),
        |code| PredCtrl::from_bits(mode, code as u8),
    )?;
    w.flag(L::PRED_INV, &mut i.predicate.inverse)?;
    w.code(
        L::EXEC_SIZE,
        "execution size",
        &mut i.exec_size,
        |size| match size {
            1 | 2 | 4 | 8 | 16 | 32 => Some(u64::from(size.trailing_zeros())),
            _ => None,
        },
        |code| (code < 6).then(|| 1 << code),
    )?;
    if generation == Gen::Gen4 {
        w.require(!i.mask_ctrl_ex, i.opcode.name(), "has no MaskCtrlEx on gen4")?;
    } else {
        w.flag(L::MASK_CTRL_EX, &mut i.mask_ctrl_ex)?;
    }
    w.flag(L::MASK_CTRL, &mut i.no_mask)
}

/// Channel group: quarter and nibble control. On gen4 and gen5, one field holds the group (0 or 8)
/// or the compression.
fn group<L: Layout, const E: bool>(w: &mut Walk<E>, i: &mut Inst, nibble: Field) -> Result<()> {
    let generation = w.generation();
    if generation <= Gen::Gen5 {
        let mut pair = (i.group, i.compression);
        w.code(
            L::QTR_CTRL,
            "channel group and compression",
            &mut pair,
            |pair| match pair {
                (0, Compression::None) => Some(0),
                (8, Compression::None) => Some(1),
                // Bit 7 of the destination's register number distinguishes these two.
                (0, Compression::Compressed | Compression::Compr4) => Some(2),
                _ => None,
            },
            |code| match code {
                0 => Some((0, Compression::None)),
                1 => Some((8, Compression::None)),
                2 => Some((0, Compression::Compressed)),
                _ => None,
            },
        )?;
        (i.group, i.compression) = pair;
        return Ok(());
    }
    let name = i.opcode.name();
    w.require(i.compression == Compression::None, name, "is compressed on gen4 and gen5 only")?;
    w.require(i.group.is_multiple_of(4), name, "needs a channel group that is a multiple of 4")?;
    let mut quarter = i.group / 8;
    let mut half = !i.group.is_multiple_of(8);
    w.byte(L::QTR_CTRL, &mut quarter)?;
    w.flag(nibble, &mut half)?;
    i.group = quarter * 8 + u8::from(half) * 4;
    Ok(())
}

/// Conditional modifier.
pub(super) fn cond_mod<L: Layout, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    let generation = w.generation();
    w.code(
        L::COND_MOD,
        "conditional modifier",
        &mut i.cond_mod,
        |cond| cond.bits(generation).map(u64::from),
        |code| CondMod::from_bits(generation, code as u8),
    )
}

/// Flag register and subregister, in the fields `nr` and `subnr`.
#[inline(always)]
pub(super) fn flag_reg<const E: bool>(
    w: &mut Walk<E>,
    i: &mut Inst,
    nr: Field,
    subnr: Field,
) -> Result<()> {
    if nr.exists() {
        w.byte(nr, &mut i.flag.nr)?;
    } else {
        w.require(i.flag.nr == 0, i.opcode.name(), "can use flag register f0 only")?;
    }
    w.byte(subnr, &mut i.flag.subnr)
}

/// Math function.
pub(super) fn math_fn<L: Layout, const E: bool>(
    w: &mut Walk<E>,
    function: &mut MathFn,
) -> Result<()> {
    let generation = w.generation();
    w.code(
        L::MATH_FC,
        "math function",
        function,
        |f| f.bits(generation).map(u64::from),
        |code| MathFn::from_bits(generation, code as u8),
    )
}

/// The action on the token of a scoreboard that has both a token and a distance; it is not encoded.
/// Out-of-order operations allocate the token, others wait for its destination.
fn combined(opcode: Opcode) -> TokenMode {
    match opcode.form() {
        Form::Send | Form::Sends | Form::Math | Form::Dpas => TokenMode::Set,
        _ => TokenMode::Dst,
    }
}

/// Whether a scoreboard distance can name its pipe.
fn has_pipes(generation: Gen) -> bool {
    generation >= Gen::Gen125
}

/// Whether the software scoreboard `swsb` can be encoded for an operation on a generation.
pub(crate) fn swsb_exists(opcode: Opcode, swsb: Swsb, generation: Gen) -> bool {
    generation >= Gen::Gen12 && swsb_bits(swsb, has_pipes(generation), combined(opcode)).is_some()
}

/// The software scoreboard byte:
///
/// * `00000ddd`: distance `ddd` in the implied pipe; with a code of [`PIPES`] added, in that pipe,
/// * `0010ssss`, `0011ssss`, `0100ssss`: token `ssss` alone, with the action Dst, Src or Set,
/// * `1dddssss`: distance and token; the action follows from the operation (see [`combined`]).
fn swsb<L: Layout, const E: bool>(w: &mut Walk<E>, i: &mut Inst) -> Result<()> {
    if !L::SWSB.exists() {
        return w.require(i.swsb == Swsb::default(), i.opcode.name(), "has no software scoreboard");
    }
    let (pipes, combined) = (has_pipes(w.generation()), combined(i.opcode));
    w.code(
        L::SWSB,
        "software scoreboard",
        &mut i.swsb,
        |swsb| swsb_bits(swsb, pipes, combined).map(u64::from),
        |code| swsb_from_bits(code as u8, pipes, combined),
    )
}

/// Bits that select the pipe of a distance (gen12.5).
const PIPES: [(SwsbPipe, u8); 4] =
    [(SwsbPipe::All, 0x08), (SwsbPipe::Float, 0x10), (SwsbPipe::Int, 0x18), (SwsbPipe::Long, 0x50)];

/// Encodes the software scoreboard byte; `None` if no code exists. `pipes`: distances can name
/// their pipe. `combined`: the action on a token with a distance.
fn swsb_bits(swsb: Swsb, pipes: bool, combined: TokenMode) -> Option<u8> {
    if swsb.distance > 7 || swsb.token.is_some_and(|token| token.id > 15) {
        return None;
    }
    match (swsb.distance, swsb.pipe, swsb.token) {
        (0, SwsbPipe::Implied, None) => Some(0),
        (0, SwsbPipe::Implied, Some(token)) => Some(
            token.id
                | match token.mode {
                    TokenMode::Dst => 0x20,
                    TokenMode::Src => 0x30,
                    TokenMode::Set => 0x40,
                },
        ),
        (0, ..) => None,
        (distance, SwsbPipe::Implied, None) => Some(distance),
        (distance, pipe, None) if pipes => {
            PIPES.iter().find(|(p, _)| *p == pipe).map(|(_, code)| code | distance)
        }
        (distance, SwsbPipe::Implied, Some(token)) if token.mode == combined => {
            Some(0x80 | distance << 4 | token.id)
        }
        _ => None,
    }
}

/// The inverse of [`swsb_bits`]; `None` for reserved codes.
fn swsb_from_bits(code: u8, pipes: bool, combined: TokenMode) -> Option<Swsb> {
    let (high, low) = (code & 0xf0, code & 0x0f);
    let token = |mode| Some(SwsbToken { mode, id: low });
    let alone = |mode| Swsb { distance: 0, pipe: SwsbPipe::Implied, token: token(mode) };
    if code & 0x80 != 0 {
        let distance = code >> 4 & 7;
        return (distance != 0).then_some(Swsb {
            distance,
            pipe: SwsbPipe::Implied,
            token: token(combined),
        });
    }
    match high {
        0x20 => return Some(alone(TokenMode::Dst)),
        0x30 => return Some(alone(TokenMode::Src)),
        0x40 => return Some(alone(TokenMode::Set)),
        _ => {}
    }
    if code == 0 {
        return Some(Swsb::default());
    }
    let distance = code & 7;
    let pipe = match code & !7 {
        0 => SwsbPipe::Implied,
        base if pipes => PIPES.iter().find(|(_, code)| *code == base)?.0,
        _ => return None,
    };
    (distance != 0).then_some(Swsb { distance, pipe, token: None })
}

/// Register file codes of the layouts up to gen11.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    Arf,
    Grf,
    Mrf,
    Imm,
}

/// Register file: two bits up to gen11, one bit from gen12. `mrf`: the operand can be a message
/// register.
#[inline(always)]
pub(super) fn file<const E: bool>(
    w: &mut Walk<E>,
    field: Field,
    value: &mut File,
    mrf: bool,
) -> Result<()> {
    let wide = field.width == 2;
    w.code(
        field,
        "register file",
        value,
        |file| match file {
            File::Arf => Some(0),
            File::Grf => Some(1),
            File::Mrf => (wide && mrf).then_some(2),
            File::Imm => wide.then_some(3),
        },
        |code| match code {
            0 => Some(File::Arf),
            1 => Some(File::Grf),
            2 => mrf.then_some(File::Mrf),
            _ => Some(File::Imm),
        },
    )
}

/// Whether message registers exist.
pub(super) fn has_mrf(generation: Gen) -> bool {
    generation <= Gen::Gen6
}

/// Splits a register into its file and the byte that encodes its number; `None` if it has no code.
/// For architecture registers the byte also contains the kind.
pub(super) fn split(reg: Reg) -> (File, Option<u8>) {
    match reg {
        Reg::Grf(nr) => (File::Grf, Some(nr)),
        Reg::Mrf(nr) => (File::Mrf, Some(nr)),
        // The codes of architecture registers are the same on all generations.
        Reg::Arf(kind, nr) => {
            (File::Arf, kind.bits(Gen::Gen9).filter(|_| nr < 16).map(|kind| kind << 4 | nr))
        }
    }
}

/// The inverse of [`split`]; `None` for immediates and unknown kinds of architecture registers.
pub(super) fn join(file: File, byte: u8) -> Option<Reg> {
    match file {
        File::Grf => Some(Reg::Grf(byte)),
        File::Mrf => Some(Reg::Mrf(byte)),
        File::Arf => Some(Reg::Arf(ArfKind::from_bits(Gen::Gen9, byte >> 4)?, byte & 15)),
        File::Imm => None,
    }
}

/// Register number, encoded as [`split`] describes.
#[inline(always)]
pub(super) fn reg_nr<const E: bool>(
    w: &mut Walk<E>,
    field: Field,
    file: File,
    reg: &mut Reg,
) -> Result<()> {
    w.code(field, "register", reg, |reg| split(reg).1.map(u64::from), |code| join(file, code as u8))
}

/// The register and byte offset of a direct place; the null register for an indirect one.
pub(super) fn direct(place: Place) -> (Reg, u8) {
    match place {
        Place::Direct { reg, sub } => (reg, sub),
        Place::Indirect { .. } => (Reg::NULL, 0),
    }
}

/// The address subregister and byte offset of an indirect place; zeros for a direct one.
pub(super) fn indirect(place: Place) -> (u8, i32) {
    match place {
        Place::Indirect { addr, offset } => (addr, i32::from(offset)),
        Place::Direct { .. } => (0, 0),
    }
}

/// Vertical stride code of the two-source formats.
#[inline(always)]
pub(super) fn vstride<const E: bool>(
    w: &mut Walk<E>,
    field: Field,
    value: &mut VStride,
) -> Result<()> {
    w.code(
        field,
        "vertical stride",
        value,
        |v| match v {
            VStride::VxH => Some(15),
            VStride::Elements(0) => Some(0),
            VStride::Elements(n) if n.is_power_of_two() && n <= 32 => {
                Some(u64::from(n.trailing_zeros()) + 1)
            }
            VStride::Elements(_) => None,
        },
        |code| match code {
            15 => Some(VStride::VxH),
            0 => Some(VStride::Elements(0)),
            1..=6 => Some(VStride::Elements(1 << (code - 1))),
            _ => None,
        },
    )
}

/// The width of a region, 1 to 16 elements, as the code 0 to 4.
#[inline(always)]
pub(super) fn width<const E: bool>(w: &mut Walk<E>, field: Field, value: &mut u8) -> Result<()> {
    w.code(
        field,
        "width",
        value,
        |n| (n.is_power_of_two() && n <= 16).then(|| u64::from(n.trailing_zeros())),
        |code| (code <= 4).then(|| 1 << code),
    )
}

/// Horizontal stride code.
#[inline(always)]
pub(super) fn hstride<const E: bool>(w: &mut Walk<E>, field: Field, value: &mut u8) -> Result<()> {
    w.code(
        field,
        "horizontal stride",
        value,
        |n| match n {
            0 => Some(0),
            1 | 2 | 4 => Some(u64::from(n.trailing_zeros()) + 1),
            _ => None,
        },
        |code| Some(if code == 0 { 0 } else { 1 << (code - 1) }),
    )
}

/// The error for an operand that the format cannot hold.
pub(super) fn shape<T>(i: &Inst, rule: &'static str) -> Result<T> {
    Err(CodecError::Shape { opcode: i.opcode.name(), rule })
}
