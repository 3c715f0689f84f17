//! The kind of an instruction.

use crestline_isa::{Form, Inst, Opcode, Src, Type};

use crate::report::Kind;

/// The kind of an instruction.
pub(crate) fn kind(inst: &Inst) -> Kind {
    use Opcode as Op;
    if inst.send().is_some() {
        return Kind::Message;
    }
    if inst.math().is_some() {
        return Kind::Math;
    }
    if inst.opcode.is_flow_control() {
        return Kind::Flow;
    }
    match inst.opcode {
        Op::Mov | Op::Movi | Op::F32To16 | Op::F16To32 => Kind::Move,
        Op::Cmp | Op::Cmpn | Op::Sel | Op::Csel => Kind::Compare,
        Op::And
        | Op::Or
        | Op::Xor
        | Op::Not
        | Op::Shl
        | Op::Shr
        | Op::Asr
        | Op::Bfe
        | Op::Bfi1
        | Op::Bfi2
        | Op::Bfrev
        | Op::Cbit
        | Op::Fbh
        | Op::Fbl
        | Op::Lzd => Kind::Logic,
        opcode if matches!(opcode.form(), Form::Nullary | Form::Wait | Form::Sync) => Kind::Other,
        _ if inst.srcs.iter().filter_map(Src::ty).any(Type::is_float) => Kind::Float,
        _ => Kind::Integer,
    }
}
