//! The checker's own model of instructions: which bytes each reads and writes, channel by channel, and what scratch
//! messages do.
//!
//! The code here is separate from the code that allocation, liveness and spilling use, so that an error there about
//! the bytes of an operand is not repeated in the checker. Every operation must have a case here: the matches are
//! exhaustive.

use std::ops::Range;

use crate::target::Target;
use crestline_isa::message::{self as isa, Descriptor};
use crestline_isa::{MathFn, Opcode, Swizzle};
use smallvec::{SmallVec, smallvec};

use crate::ir::{File, GRF_BYTES, Inst, Op, Operand, Region};

/// Ranges of bytes of an operand, counted from its start, in the order of the channels that access them.
pub(crate) type Runs = SmallVec<[Range<u32>; 4]>;

fn whole(bytes: u32) -> Runs {
    if bytes == 0 { Runs::new() } else { smallvec![0..bytes] }
}

/// Appends a range of bytes; extends the last range if the new one follows it.
fn append(runs: &mut Runs, start: u32, end: u32) {
    match runs.last_mut() {
        Some(last) if last.end == start => last.end = end,
        Some(last) if *last == (start..end) => {}
        _ => runs.push(start..end),
    }
}

/// The index of the element that a channel accesses; `None` if the write mask excludes the channel or the region is
/// indirect.
fn element(region: Region, channel: u32) -> Option<u32> {
    let vector = |step: u32, Swizzle(components): Swizzle| {
        channel / 4 * step + u32::from(components[channel as usize % 4])
    };
    match region {
        Region::Stride(stride) => Some(channel * u32::from(stride)),
        Region::Rect { vstride, width, hstride } => {
            let (row, column) =
                (channel / u32::from(width.max(1)), channel % u32::from(width.max(1)));
            Some(row * u32::from(vstride) + column * u32::from(hstride))
        }
        Region::Swizzle(swizzle) => Some(vector(4, swizzle)),
        Region::Vectors { step, swizzle } => Some(vector(step.into(), swizzle)),
        Region::Mask(mask) => (mask.0 >> (channel % 4) & 1 == 1).then_some(channel),
        Region::Indirect { .. } => None,
    }
}

/// The bytes that an operand's channels access. For a source of vectors, only those channels of each vector that are
/// in `components` count.
fn channels(inst: &Inst, operand: &Operand, components: u8) -> Runs {
    let (size, count) = (operand.ty.size(), u32::from(inst.exec_size));
    let vectors = matches!(operand.region, Region::Swizzle(_) | Region::Vectors { .. });
    match operand.region {
        Region::Stride(0) => return whole(size),
        Region::Stride(1) => return whole(count * size),
        _ => {}
    }
    let mut runs = Runs::new();
    for channel in (0..count).filter(|c| !vectors || components >> (c % 4) & 1 == 1) {
        if let Some(element) = element(operand.region, channel) {
            append(&mut runs, element * size, (element + 1) * size);
        }
    }
    runs
}

const ALL: u8 = 0b1111;

/// How a hardware operation reads its sources.
enum Reading {
    /// Each channel that is written reads its element of every source.
    Elements,
    /// A dot product: masks of the components of source 0 and of source 1 that it reads.
    Dot(u8, u8),
    /// A plane of four coefficients (source 0), then one (`line`) or two (`pln`) registers of coordinates per eight
    /// channels.
    Plane(u32),
    /// The compiler does not emit the operation, or not with operands of this form.
    Unknown,
}

/// How a hardware opcode reads its sources.
fn reading(opcode: Opcode) -> Reading {
    use Opcode::*;
    match opcode {
        Mov | Sel | Movi | Not | And | Or | Xor | Shr | Shl | Dim | Smov | Asr | Ror | Rol
        | Cmp | Cmpn | Csel | F32To16 | F16To32 | Bfrev | Bfe | Bfi1 | Bfi2 | Math | Add | Mul
        | Avg | Frc | Rndu | Rndd | Rnde | Rndz | Mac | Mach | Lzd | Fbh | Fbl | Cbit | Addc
        | Subb | Mad | Lrp | Madm | Add3 | Bfn => Reading::Elements,
        // Flow control: sources, if any, are read by elements too.
        Jmpi | Brd | If | Iff | Brc | Else | EndIf | Do | Case | While | Break | Cont | Halt
        | Calla | Msave | Call | Mrest | Ret | Push | Fork | Goto | Pop | Join | Wait | Illegal
        | Nenop | Nop | Sync => Reading::Elements,
        Dp2 => Reading::Dot(0b0011, 0b0011),
        Dp3 => Reading::Dot(0b0111, 0b0111),
        Dph => Reading::Dot(0b0111, ALL),
        Dp4 => Reading::Dot(ALL, ALL),
        Line => Reading::Plane(1),
        Pln => Reading::Plane(2),
        Send | Sendc | Sends | Sendsc | Sad2 | Sada2 | Dp4a | Dpas | Dpasw => Reading::Unknown,
    }
}

/// The components of each vector that an instruction computes.
fn computed(inst: &Inst) -> u8 {
    match inst.dst.region {
        Region::Mask(mask) => mask.0,
        _ => ALL,
    }
}

/// The range of an indirect access, whose size in bytes is the constant source 2.
fn range(inst: &Inst) -> Result<Runs, &'static str> {
    let bytes = inst.srcs.get(2).and_then(Operand::imm_bits);
    let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok());
    bytes.map(whole).ok_or("an indirect range is not constant")
}

/// The bytes of source `index` that an instruction reads.
///
/// # Errors
/// The model does not cover the operation or operand.
pub(crate) fn reads(inst: &Inst, index: usize) -> Result<Runs, &'static str> {
    let src = &inst.srcs[index];
    if matches!(src.file, File::Null | File::Imm(_)) {
        return Ok(Runs::new());
    }
    let part = || channels(inst, src, ALL);
    Ok(match inst.op {
        Op::Hw(opcode) => match reading(opcode) {
            Reading::Elements => channels(inst, src, computed(inst)),
            Reading::Dot(first, second) => {
                channels(inst, src, if index == 0 { first } else { second })
            }
            Reading::Plane(_) if index == 0 => whole(4 * src.ty.size()),
            Reading::Plane(registers) => {
                whole(registers * u32::from(inst.exec_size) * src.ty.size())
            }
            Reading::Unknown => return Err("the checker has no model of the operation"),
        },
        Op::Math(_) => channels(inst, src, computed(inst)),
        Op::Collect { headers } if index < usize::from(headers) => whole(GRF_BYTES),
        Op::Collect { .. } => part(),
        Op::Message => {
            let message = inst.message.as_ref().ok_or("a message has no description")?;
            match index {
                0 => whole(src.ty.size()),
                _ if index <= usize::from(message.headers) => whole(GRF_BYTES),
                _ => part(),
            }
        }
        Op::Send => {
            let message = inst.message.as_ref().ok_or("a message has no description")?;
            match index {
                0 => whole(src.ty.size()),
                1 | 2 => whole(u32::from(message.lengths[index - 1]) * GRF_BYTES),
                _ => return Err("a message has more than two payloads"),
            }
        }
        Op::MovIndirect if index == 0 => range(inst)?,
        Op::MovIndirect | Op::MovIndirectDst | Op::Shuffle | Op::Broadcast | Op::MulHigh => part(),
        Op::Await => whole(src.ty.size()),
        Op::Sync(_)
        | Op::Do
        | Op::HaltTarget
        | Op::Undef
        | Op::FindLiveChannel
        | Op::LiveChannels => {
            return Err("an operation without sources has one");
        }
    })
}

/// The bytes of the destination that an instruction writes; for [`Op::MovIndirectDst`], those that it may write.
///
/// # Errors
/// The model does not cover the operation or operand.
pub(crate) fn writes(inst: &Inst) -> Result<Runs, &'static str> {
    let dst = &inst.dst;
    if dst.file == File::Null {
        return Ok(Runs::new());
    }
    let mut elements = channels(inst, dst, ALL);
    Ok(match inst.op {
        Op::Hw(opcode) => match reading(opcode) {
            Reading::Elements | Reading::Dot(..) | Reading::Plane(_) => elements,
            Reading::Unknown => return Err("the checker has no model of the operation"),
        },
        Op::Math(function) => match function {
            // The second result starts one register after the first.
            MathFn::IntDiv | MathFn::SinCos => {
                for run in elements.clone() {
                    append(&mut elements, run.start + GRF_BYTES, run.end + GRF_BYTES);
                }
                elements
            }
            MathFn::Inv
            | MathFn::Log
            | MathFn::Exp
            | MathFn::Sqrt
            | MathFn::Rsq
            | MathFn::Sin
            | MathFn::Cos
            | MathFn::Fdiv
            | MathFn::Pow
            | MathFn::IntQuot
            | MathFn::IntRem
            | MathFn::Invm
            | MathFn::Rsqrtm => elements,
        },
        Op::Collect { headers } => {
            let (mut runs, mut at) = (Runs::new(), 0);
            for (index, src) in inst.srcs.iter().enumerate() {
                let bytes = match index < usize::from(headers) {
                    true => GRF_BYTES,
                    false => u32::from(inst.exec_size) * src.ty.size(),
                };
                if src.file != File::Null {
                    append(&mut runs, at, at + bytes);
                }
                at += bytes.next_multiple_of(GRF_BYTES);
            }
            runs
        }
        Op::Message | Op::Send => {
            whole(inst.message.as_ref().ok_or("a message has no description")?.response)
        }
        Op::MovIndirectDst => range(inst)?,
        Op::Undef
        | Op::MovIndirect
        | Op::Shuffle
        | Op::Broadcast
        | Op::FindLiveChannel
        | Op::LiveChannels
        | Op::MulHigh
        | Op::Await => elements,
        Op::Do | Op::HaltTarget | Op::Sync(_) => {
            return Err("an operation without a result has one");
        }
    })
}

/// Whether a write may leave bytes of an enabled channel unchanged: it is predicated, or its position depends on an
/// index that is known only at run time.
pub(super) fn leaves_some(inst: &Inst) -> bool {
    let selects = inst.op == Op::Hw(Opcode::Sel);
    let predicated = inst.predicate.ctrl != crestline_isa::PredCtrl::None;
    predicated && !selects || inst.op == Op::MovIndirectDst
}

/// Whether a move copies bits without a change.
pub(super) fn moves_bits(inst: &Inst) -> bool {
    let (from, to) = (&inst.srcs[0], &inst.dst);
    let integers = !from.ty.is_float() && !to.ty.is_float() && from.ty.size() == to.ty.size();
    (from.ty == to.ty || integers) && !from.negate && !from.abs && !inst.saturate
}

/// A scratch block message, decoded from the bits of its descriptor.
pub(super) struct ScratchBlock {
    /// Whether the message stores (otherwise it fills).
    pub(super) write: bool,
    /// First unit of 32 bytes, relative to the base in the header.
    pub(super) unit: u32,
    /// Number of registers that it transfers.
    pub(super) registers: u32,
}

/// Decodes an instruction's scratch block message from the encoded descriptor, as the data port does.
///
/// # Errors
/// The message is of another kind, or its lengths do not match.
pub(super) fn scratch_block(inst: &Inst, target: &Target) -> Result<ScratchBlock, String> {
    let message = inst.message.as_ref().ok_or("an inserted message has no description")?;
    let generation = target.generation();
    let bits = message.descriptor().encode(generation);
    let (sfid, desc, ex_desc) = bits.map_err(|error| format!("an inserted message: {error}"))?;
    let read = Descriptor::decode(generation, sfid, desc, ex_desc);
    let read = read.map_err(|error| format!("an inserted message: {error}"))?;
    let (write, registers, unit) = match read.message {
        isa::Message::ScratchBlockRead { registers, hword_offset, .. } => {
            (false, registers, hword_offset)
        }
        isa::Message::ScratchBlockWrite { registers, hword_offset, .. } => {
            (true, registers, hword_offset)
        }
        _ => return Err("an inserted message is not a scratch block message".into()),
    };
    let (payload, response) = if write { (1 + registers, 0) } else { (1, registers) };
    if read.mlen + read.ex_mlen != payload || read.rlen != response || !read.header_present {
        return Err("the lengths of a scratch block message do not match its registers".into());
    }
    if message.response != u32::from(response) * GRF_BYTES {
        return Err("a scratch block writes another number of registers than it returns".into());
    }
    Ok(ScratchBlock { write, unit: unit.into(), registers: registers.into() })
}
