//! The coverage that random instructions must reach, in *cells*: one cell for each combination of
//! operation, operand, type and kind of region; one for each form of operations without typed
//! operands; one for each message.

use crestline_isa::message::{Descriptor, Message};
use crestline_isa::*;
use std::collections::BTreeMap;
use std::fmt;

/// An operation, with its math or sync function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Op {
    Plain(Opcode),
    Math(MathFn),
    Sync(SyncFn),
}

impl Op {
    pub(crate) fn opcode(self) -> Opcode {
        match self {
            Op::Plain(opcode) => opcode,
            Op::Math(_) => Opcode::Math,
            Op::Sync(_) => Opcode::Sync,
        }
    }

    fn of(inst: &Inst) -> Op {
        match inst.extra {
            Extra::Math(function) => Op::Math(function),
            Extra::Sync(function) => Op::Sync(function),
            _ => Op::Plain(inst.opcode),
        }
    }

    /// Number of sources.
    pub(crate) fn sources(self, generation: Gen) -> usize {
        match self {
            Op::Math(function) => function.sources(),
            op => op.opcode().sources(generation),
        }
    }

    /// Whether its operands name extended precision registers.
    pub(crate) fn is_macro(self) -> bool {
        match self {
            Op::Math(function) => function.is_macro(),
            op => op.opcode() == Opcode::Madm,
        }
    }

    /// Every operation of a generation.
    fn all(generation: Gen) -> Vec<Op> {
        let mut out = Vec::new();
        for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.exists(generation)) {
            match opcode.form() {
                Form::Math => out.extend(
                    MathFn::ALL
                        .iter()
                        .filter(|f| f.bits(generation).is_some())
                        .map(|f| Op::Math(*f)),
                ),
                Form::Sync => out.extend(SyncFn::ALL.iter().map(|f| Op::Sync(*f))),
                _ => out.push(Op::Plain(opcode)),
            }
        }
        out
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Plain(opcode) => write!(f, "{}", opcode.name()),
            Op::Math(function) => write!(f, "math.{}", function.name()),
            Op::Sync(function) => write!(f, "sync.{}", function.name()),
        }
    }
}

/// Kind of region or addressing of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// One element for all channels.
    Scalar,
    /// Elements next to each other.
    Packed,
    /// Elements two apart.
    Stride2,
    /// Elements four or more apart.
    Stride4,
    /// Each element read by several channels in a row.
    Repeated,
    /// Rows that overlap, or with gaps between them.
    Rows,
    /// At an address in a0.
    Indirect,
    /// At an address per row, or per channel.
    VxH,
    /// An immediate.
    Imm,
    /// The null register.
    Null,
    /// Align16: components in another order than x, y, z, w.
    Swizzled,
    /// Align16: some components are written only.
    Masked,
}

/// Kinds of destinations, by access mode.
fn dst_kinds(mode: AccessMode) -> &'static [Kind] {
    match mode {
        AccessMode::Align1 => {
            &[Kind::Packed, Kind::Stride2, Kind::Stride4, Kind::Indirect, Kind::Null]
        }
        AccessMode::Align16 => &[Kind::Packed, Kind::Masked, Kind::Indirect, Kind::Null],
    }
}

/// Kinds of sources, by access mode.
fn src_kinds(mode: AccessMode) -> &'static [Kind] {
    use Kind::*;
    match mode {
        AccessMode::Align1 => {
            &[Scalar, Packed, Stride2, Stride4, Repeated, Rows, Indirect, VxH, Imm, Null]
        }
        AccessMode::Align16 => &[Scalar, Packed, Swizzled, Indirect, Imm, Null],
    }
}

/// The kind of a destination.
fn dst_kind(dst: &Dst) -> Kind {
    match dst.place {
        Place::Indirect { .. } => Kind::Indirect,
        place if place.is_null() => Kind::Null,
        _ if dst.writemask != WriteMask::XYZW => Kind::Masked,
        _ => match dst.hstride {
            1 => Kind::Packed,
            2 => Kind::Stride2,
            _ => Kind::Stride4,
        },
    }
}

/// The kind of a source.
fn src_kind(src: &Src) -> Kind {
    let reg = match src {
        Src::Reg(reg) => reg,
        _ => return Kind::Imm,
    };
    let indirect = matches!(reg.place, Place::Indirect { .. });
    match reg.region {
        Region::Align1 { vstride: VStride::VxH, .. } => return Kind::VxH,
        _ if indirect => return Kind::Indirect,
        _ if reg.place.is_null() => return Kind::Null,
        Region::Align16 { vstride: 0, .. } => return Kind::Scalar,
        Region::Align16 { swizzle, .. } if swizzle != Swizzle::XYZW => return Kind::Swizzled,
        Region::ThreeAlign16 { rep: true, .. } => return Kind::Scalar,
        Region::ThreeAlign16 { swizzle, .. } if swizzle != Swizzle::XYZW => return Kind::Swizzled,
        Region::Align16 { .. } | Region::ThreeAlign16 { .. } => return Kind::Packed,
        _ => {}
    }
    let Some((v, w, h)) = reg.region.strides() else { return Kind::VxH };
    let step = match (v, w, h) {
        (0, _, 0) => return Kind::Scalar,
        (0, _, _) => return Kind::Rows,
        (v, 1, _) => v,
        (_, _, 0) => return Kind::Repeated,
        (v, w, h) if v == w * h => h,
        _ => return Kind::Rows,
    };
    match step {
        1 => Kind::Packed,
        2 => Kind::Stride2,
        _ => Kind::Stride4,
    }
}

/// Which operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    Dst,
    Src(usize),
}

/// One cell of the coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cell {
    /// An operand.
    Operand { op: Op, slot: Slot, ty: Type, kind: Kind },
    /// An operation without typed operands, by what its operand is.
    Bare { op: Op, operand: &'static str },
    /// A message of an operation.
    Message { opcode: Opcode, sfid: Sfid, name: &'static str, detail: &'static str },
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Operand { op, slot: Slot::Dst, ty, kind } => {
                write!(f, "{op} dst {} {kind:?}", ty.name())
            }
            Cell::Operand { op, slot: Slot::Src(n), ty, kind } => {
                write!(f, "{op} src{n} {} {kind:?}", ty.name())
            }
            Cell::Bare { op, operand } => write!(f, "{op} {operand}"),
            Cell::Message { opcode, sfid, name, detail } => {
                write!(f, "{} {} {name} {detail}", opcode.name(), sfid.name())
            }
        }
    }
}

/// A message's row: its name, and the operation where one name stands for many.
pub(crate) fn row(message: &Message) -> (&'static str, &'static str) {
    let detail = match message {
        Message::Sample { op, .. } => op.name(),
        Message::Lsc { op, .. } => op.name(),
        Message::UrbWrite { layout, .. } | Message::UrbRead { layout, .. } => layout.name(),
        Message::UrbAtomic { op, .. } => op.name(),
        Message::Gateway { function, .. } => function.name(),
        Message::Interpolate { at, .. } => at.name(),
        Message::Math { function, .. } => function.name(),
        Message::RenderTargetWrite { subtype, .. } => subtype.name(),
        _ => "",
    };
    (message.name(), detail)
}

/// The messages of a generation: row to some of the function controls that mean it.
pub(crate) type Messages = BTreeMap<(Sfid, &'static str, &'static str), Vec<u32>>;

/// Finds every message by going through the function controls, the binding table index aside.
pub(crate) fn messages(generation: Gen) -> Messages {
    const EXAMPLES: usize = 200;
    let mut out = Messages::new();
    let bits = if generation < Gen::Gen5 { 8 } else { 11 };
    for &sfid in Sfid::ALL.iter().filter(|sfid| sfid.bits(generation).is_some()) {
        for high in 0..1 << bits {
            for low in 0..64 {
                let control = high << 8 | low;
                let Ok(message) = Descriptor::decode(generation, sfid, control, 0) else {
                    continue;
                };
                let (name, detail) = row(&message.message);
                let examples = out.entry((sfid, name, detail)).or_default();
                // Spread over the space: later ones displace earlier ones.
                match examples.len() {
                    EXAMPLES => examples[(high * 31 + low * 7) as usize % EXAMPLES] = control,
                    _ => examples.push(control),
                }
            }
        }
    }
    out
}

/// Every cell that the tables of a generation have, legal or not.
pub(crate) fn all(generation: Gen, mode: AccessMode, messages: &Messages) -> Vec<Cell> {
    let mut out = Vec::new();
    for op in Op::all(generation) {
        let opcode = op.opcode();
        let bare = |operand| Cell::Bare { op, operand };
        match opcode.form() {
            Form::One | Form::Two | Form::Math => {
                basic(&mut out, op, generation, mode);
            }
            Form::Three | Form::Bfn => three(&mut out, op, generation, mode),
            Form::Dpas => dpas(&mut out, op, generation),
            Form::Send | Form::Sends => {
                out.extend(messages.keys().map(|&(sfid, name, detail)| Cell::Message {
                    opcode,
                    sfid,
                    name,
                    detail,
                }));
                out.push(bare("register descriptor"));
            }
            Form::Jmpi | Form::Call => out.extend([bare("immediate"), bare("register")]),
            Form::BranchJip | Form::BranchJipUip => {
                out.push(bare("immediate"));
                if matches!(opcode, Opcode::Brd | Opcode::Brc) {
                    out.push(bare("register"));
                }
            }
            Form::Sync => out.extend([bare("null"), bare("immediate")]),
            Form::Ret => out.push(bare("register")),
            Form::Nullary | Form::MaskStack | Form::Wait => out.push(bare("")),
        }
    }
    out
}

fn basic(out: &mut Vec<Cell>, op: Op, generation: Gen, mode: AccessMode) {
    let (dst, src): (&[Kind], &[Kind]) = match op.is_macro() {
        // Whole registers.
        true => (&[Kind::Packed], &[Kind::Packed]),
        false => (dst_kinds(mode), src_kinds(mode)),
    };
    for &ty in Type::ALL {
        let dim = op.opcode() == Opcode::Dim && ty == Type::Df;
        if ty.reg_bits(generation).is_some() {
            let slot = Slot::Dst;
            out.extend(dst.iter().map(|&kind| Cell::Operand { op, slot, ty, kind }));
        }
        for n in 0..op.sources(generation) {
            let slot = Slot::Src(n);
            let exists = |kind| match kind {
                Kind::Imm => ty.imm_bits(generation).is_some() || dim,
                _ => ty.reg_bits(generation).is_some(),
            };
            let kinds = src.iter().filter(|kind| exists(**kind));
            out.extend(kinds.map(|&kind| Cell::Operand { op, slot, ty, kind }));
        }
    }
}

fn three(out: &mut Vec<Cell>, op: Op, generation: Gen, mode: AccessMode) {
    let align16 = generation <= Gen::Gen9;
    let (dst, src): (&[Kind], &[Kind]) = if op.is_macro() {
        // Whole registers.
        (&[Kind::Packed], &[Kind::Packed])
    } else if align16 && mode == AccessMode::Align1 {
        // What generators of Align1 code use of it.
        (&[Kind::Packed, Kind::Masked], &[Kind::Scalar, Kind::Packed])
    } else if align16 {
        (&[Kind::Packed, Kind::Masked], &[Kind::Scalar, Kind::Packed, Kind::Swizzled])
    } else {
        use Kind::*;
        (&[Packed, Stride2, Null], &[Scalar, Packed, Stride2, Stride4, Rows, Imm, Null])
    };
    for &ty in Type::ALL {
        let exists = match generation {
            Gen::Gen6 => ty == Type::F,
            _ if align16 => ty.three_align16_bits(generation).is_some(),
            _ => ty.three_align1_bits(generation).is_some(),
        };
        if !exists {
            continue;
        }
        out.extend(dst.iter().map(|&kind| Cell::Operand { op, slot: Slot::Dst, ty, kind }));
        for n in 0..3 {
            let slot = Slot::Src(n);
            // Source 2 has one stride only, and source 1 no immediates.
            let lacks = |kind| n == 2 && kind == Kind::Rows || n == 1 && kind == Kind::Imm;
            let kinds = src.iter().filter(|kind| !lacks(**kind));
            out.extend(kinds.map(|&kind| Cell::Operand { op, slot, ty, kind }));
        }
    }
}

fn dpas(out: &mut Vec<Cell>, op: Op, generation: Gen) {
    for &ty in Type::ALL.iter().filter(|ty| ty.three_align1_bits(generation).is_some()) {
        out.push(Cell::Operand { op, slot: Slot::Dst, ty, kind: Kind::Packed });
        for n in 0..3 {
            out.push(Cell::Operand { op, slot: Slot::Src(n), ty, kind: Kind::Packed });
        }
    }
}

/// Calls `hit` with each cell that an instruction is in.
pub(crate) fn of(inst: &Inst, generation: Gen, mut hit: impl FnMut(Cell)) {
    let op = Op::of(inst);
    let mut bare = |operand| hit(Cell::Bare { op, operand });
    match inst.opcode.form() {
        Form::Send | Form::Sends => {
            let Some(send) = inst.send() else { return };
            let DescSrc::Imm(desc) = send.desc else { return bare("register descriptor") };
            let ex_desc = send.ex_desc.imm().unwrap_or(0);
            if let Ok(found) = Descriptor::decode(generation, send.sfid, desc, ex_desc) {
                let (name, detail) = row(&found.message);
                hit(Cell::Message { opcode: inst.opcode, sfid: send.sfid, name, detail });
            }
        }
        Form::Jmpi | Form::Call | Form::BranchJip | Form::BranchJipUip => {
            let register = inst.srcs[0] != Src::None;
            bare(if register { "register" } else { "immediate" });
        }
        Form::Sync => {
            bare(if matches!(inst.srcs[0], Src::Imm(_)) { "immediate" } else { "null" });
        }
        Form::Ret => bare("register"),
        Form::Nullary | Form::MaskStack | Form::Wait => bare(""),
        form => {
            let whole = form == Form::Dpas || inst.is_macro();
            let kind = dst_kind(&inst.dst);
            hit(Cell::Operand { op, slot: Slot::Dst, ty: inst.dst.ty, kind });
            for (n, src) in inst.srcs.iter().enumerate() {
                let Some(ty) = src.ty() else { continue };
                let kind = if whole { Kind::Packed } else { src_kind(src) };
                hit(Cell::Operand { op, slot: Slot::Src(n), ty, kind });
            }
        }
    }
}
