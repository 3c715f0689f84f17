//! From machine code to executable form: each instruction is decoded and specialised once.

mod compressed;
mod dependency;
pub(crate) mod flow;
mod region;
mod select;

use crate::EmuError;
use crate::exec::access::from_bits;
use crate::exec::op::{Action, Op, Predicate, Prelude};
use crate::exec::operand::{Destination, DestinationKind, MAX_LANES, Source};
use crate::exec::registers::ByteSet;
use crate::message;
use crestline_device::Device;
use crestline_isa::semantics::FloatEnv;
use crestline_isa::validate::Padding;
use crestline_isa::{
    AccessMode, CondMod, Extra, Inst, MathFn, Opcode, PredCtrl, ProgramError, Src, SyncFn, Type,
    decode_each,
};
use crestline_program::{Dispatch, Metadata};
use region::Context;
use std::collections::BTreeMap;

/// Why one instruction was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reject {
    /// No hardware executes it as written.
    Illegal(String),
    /// The emulator does not know it.
    Unsupported(String),
}

impl std::fmt::Display for Reject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reject::Illegal(message) | Reject::Unsupported(message) => f.write_str(message),
        }
    }
}

/// A program ready to run.
///
/// Loading decodes the code and resolves every operand, target and message, so a kernel can be
/// dispatched any number of times.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) metadata: Metadata,
    pub(crate) device: Device,
    pub(crate) instructions: Vec<Inst>,
    pub(crate) ops: Vec<Op>,
    /// Index of the instruction that threads start at.
    pub(crate) start: usize,
    /// Byte offset to instruction index.
    pub(crate) starts: BTreeMap<u32, usize>,
    /// Whether a message changes global memory in a way that depends on the order of groups.
    pub(crate) order_matters: bool,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("metadata", &self.metadata)
            .field("instructions", &self.instructions)
            .finish_non_exhaustive()
    }
}

/// Where constant data lies, as relocated code sees it: in the high half of the address space,
/// apart from the buffers.
pub(crate) const CONSTANT_DATA_ADDRESS: u64 = 0x7f00_0000_0000;

impl Kernel {
    /// Loads a program: checks metadata and code against the device, applies relocations,
    /// decodes and specialises every instruction.
    ///
    /// # Errors
    /// [`EmuError::Metadata`], [`EmuError::Platform`], [`EmuError::Decode`] for bytes that are
    /// no instruction, [`EmuError::Illegal`] and [`EmuError::Unsupported`] for instructions
    /// that cannot be executed, [`EmuError::EntryPoint`] for an entry point where none starts.
    pub fn load(code: &[u8], metadata: Metadata, device: &Device) -> Result<Kernel, EmuError> {
        metadata.check()?;
        metadata.check_code(code)?;
        if metadata.platform != device.platform() {
            let (program, device) = (metadata.platform, device.platform());
            return Err(EmuError::Platform { program, device });
        }
        let mut code = code.to_vec();
        for relocation in &metadata.relocations {
            relocation.apply(&mut code, CONSTANT_DATA_ADDRESS);
        }
        let located = decode(&code, &metadata, device)?;
        Kernel::build(located, metadata, device)
    }

    /// Loads a program of decoded instructions, each [`Inst::size`] bytes long. Relocations
    /// do not apply.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn from_instructions(
        instructions: Vec<Inst>,
        metadata: Metadata,
        device: &Device,
    ) -> Result<Kernel, EmuError> {
        metadata.check()?;
        if metadata.platform != device.platform() {
            let (program, device) = (metadata.platform, device.platform());
            return Err(EmuError::Platform { program, device });
        }
        let mut end = 0;
        let located = instructions.into_iter().map(|inst| {
            let offset = end;
            end += inst.size();
            (offset, inst)
        });
        Kernel::build(located.collect(), metadata, device)
    }

    /// Builds a kernel of instructions with their byte offsets, which grow.
    fn build(
        mut located: Vec<(u32, Inst)>,
        metadata: Metadata,
        device: &Device,
    ) -> Result<Kernel, EmuError> {
        let padding = Padding::of(located.iter().map(|(_, inst)| inst));
        if let Some(last) = padding.runs().last().filter(|run| run.end == located.len()) {
            located.truncate(last.start);
        }
        let mut starts: BTreeMap<u32, usize> =
            located.iter().enumerate().map(|(index, (offset, _))| (*offset, index)).collect();
        let entry = |offset| starts.get(&offset).copied().filter(|index| !padding.contains(*index));
        for dispatch in metadata.dispatches.iter() {
            if entry(dispatch.offset).is_none() {
                return Err(EmuError::EntryPoint { offset: dispatch.offset });
            }
        }
        let start = entry(metadata.dispatches.first().offset).unwrap_or_default();
        // A target may be the end of the code, or of the code in front of padding; arriving there
        // is an error of its own.
        starts.retain(|_, index| padding.may_be_target(*index));
        let end = located.last().map_or(0, |(offset, inst)| offset + inst.size());
        starts.insert(end, located.len());
        let mut ops = Vec::with_capacity(located.len());
        for (index, (offset, inst)) in located.iter().enumerate() {
            let op = if padding.contains(index) {
                skeleton(&Inst { exec_size: 1, ..Inst::new(Opcode::Illegal) }, *offset)
                    .map(|op| Op { action: Action::End, ..op })
            } else {
                specialise(inst, *offset, device, &starts)
            };
            ops.push(op.map_err(|reject| locate(reject, index, *offset))?);
        }
        let instructions: Vec<Inst> = located.into_iter().map(|(_, inst)| inst).collect();
        mark_joins(&mut ops);
        dependency::check(&instructions, &mut ops);
        let order_matters = ops.iter().any(|op| match &op.action {
            Action::Send(send) => message::is_global_atomic(send),
            _ => false,
        });
        Ok(Kernel { metadata, device: *device, instructions, ops, start, starts, order_matters })
    }

    /// The instructions, in order of the code.
    pub fn instructions(&self) -> &[Inst] {
        &self.instructions
    }

    /// The entry point that runs: the first of the metadata.
    pub(crate) fn entry(&self) -> &Dispatch {
        self.metadata.dispatches.first()
    }

    /// The metadata the kernel was loaded with.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

/// Decodes code to instructions with their byte offsets: from each entry point on anew, since
/// padding in front of one may have any length.
fn decode(code: &[u8], metadata: &Metadata, device: &Device) -> Result<Vec<(u32, Inst)>, EmuError> {
    let mut entries: Vec<usize> = metadata
        .dispatches
        .iter()
        .map(|dispatch| dispatch.offset as usize)
        .filter(|offset| *offset < code.len())
        .collect();
    entries.extend([0, code.len()]);
    entries.sort_unstable();
    entries.dedup();
    let mut located = Vec::with_capacity(code.len() / 12);
    for part in entries.windows(2) {
        for (at, inst) in decode_each(&code[..part[1]], part[0], device.generation()) {
            let inst = inst.map_err(|error| match error {
                // The next entry point lies within an instruction.
                ProgramError::Truncated { .. } if part[1] < code.len() => {
                    EmuError::EntryPoint { offset: part[1] as u32 }
                }
                error => EmuError::Decode { message: error.to_string() },
            })?;
            located.push((at.start as u32, inst));
        }
    }
    Ok(located)
}

fn locate(reject: Reject, instruction: usize, offset: u32) -> EmuError {
    match reject {
        Reject::Illegal(message) => EmuError::Illegal { instruction, offset, message },
        Reject::Unsupported(what) => EmuError::Unsupported { instruction, offset, what },
    }
}

/// Marks the instructions at which channels may wait.
fn mark_joins(ops: &mut [Op]) {
    let points: Vec<usize> = ops
        .iter()
        .enumerate()
        .filter_map(|(here, op)| match &op.action {
            Action::Branch(branch) => Some(branch.wait_points(here)),
            _ => None,
        })
        .flatten()
        .collect();
    // Wherever a jump may lead by a register value, channels may have waited before.
    for point in points {
        if let Some(op) = ops.get_mut(point) {
            op.prelude.add(Prelude::JOIN);
        }
    }
}

/// Translates one instruction.
fn specialise(
    inst: &Inst,
    offset: u32,
    device: &Device,
    starts: &BTreeMap<u32, usize>,
) -> Result<Op, Reject> {
    if !matches!(inst.exec_size, 1 | 2 | 4 | 8 | 16 | 32) {
        return Err(Reject::Illegal(format!("{} channels", inst.exec_size)));
    }
    let plain = plain_form(inst, device)?;
    let inst = plain.as_ref().unwrap_or(inst);
    let mut op = skeleton(inst, offset)?;
    match inst.opcode {
        Opcode::Illegal => return Err(Reject::Illegal("the illegal opcode".into())),
        Opcode::Sync if inst.extra == Extra::Sync(SyncFn::Bar) => op.action = Action::Wait,
        Opcode::Nop | Opcode::Nenop | Opcode::Sync => {}
        Opcode::Wait => op.action = Action::Wait,
        opcode if opcode.is_send() => {
            op.destination.lanes =
                Context::new(inst, device, MAX_LANES).written_channels(&inst.dst);
            op.action = Action::Send(Box::new(message::translate(inst, device)?));
        }
        opcode if opcode.is_flow_control() => {
            let index_of = |to: i64| starts.get(&u32::try_from(to).ok()?).copied();
            let taken_if_true = device.goto_takes_true_channels();
            let branch = flow::translate(inst, offset, taken_if_true, &index_of)?;
            let context = Context::new(inst, device, inst.exec_size.into());
            if branch.kind == flow::BranchKind::Call {
                op.destination = context.destination(&inst.dst)?;
            }
            if matches!(branch.kind, flow::BranchKind::Return | flow::BranchKind::JumpRegister) {
                op.sources[0] = context.source(&inst.srcs[0])?;
            }
            op.action = Action::Branch(branch);
        }
        Opcode::Smov => scattered_move(&mut op, inst, device)?,
        _ => match compressed::halves(inst, device) {
            Some(halves) => {
                // The manuals do not say which channels a second half has beyond the last.
                let beyond = |_| Reject::Unsupported("a second half beyond channel 31".into());
                let mut first = skeleton(&halves[0], offset)?;
                let mut second = skeleton(&halves[1], offset).map_err(beyond)?;
                arithmetic(&mut first, &halves[0], device)?;
                arithmetic(&mut second, &halves[1], device)?;
                op.action = Action::Halves(Box::new([first, second]));
            }
            None => arithmetic(&mut op, inst, device)?,
        },
    }
    if op.sources.iter().any(|source| source.live_state) {
        op.prelude.add(Prelude::LIVE_STATE);
    }
    Ok(op)
}

/// The instruction as all devices would have it, where this one has a form of its own: the
/// execution size in channels where it counts dwords, and `dim` as a move of a double.
fn plain_form(inst: &Inst, device: &Device) -> Result<Option<Inst>, Reject> {
    let counts_dwords = region::counts_dwords(inst, device);
    if !counts_dwords && inst.opcode != Opcode::Dim {
        return Ok(None);
    }
    let mut plain = inst.clone();
    if counts_dwords {
        plain.exec_size = inst.exec_size / 2;
        if plain.exec_size == 0 {
            return Err(Reject::Illegal("half a 64-bit channel".into()));
        }
    }
    if let (Opcode::Dim, Src::Imm(value)) = (inst.opcode, &mut plain.srcs[0]) {
        // The type field says float, the bits are those of a double.
        value.ty = Type::Df;
    }
    Ok(Some(plain))
}

/// What all instructions have.
fn skeleton(inst: &Inst, offset: u32) -> Result<Op, Reject> {
    let channels = u32::from(inst.exec_size);
    let full = u32::MAX >> (32 - channels);
    let group = u32::from(inst.group);
    if group + channels > 32 {
        let message = format!("channels {group} to {} of 32", group + channels - 1);
        return Err(Reject::Illegal(message));
    }
    let flag = inst.flag;
    if flag.nr > 1 || flag.subnr > 1 {
        return Err(Reject::Illegal(format!("flag register f{}.{}", flag.nr, flag.subnr)));
    }
    let uses_flag = inst.predicate.ctrl != PredCtrl::None
        || inst.cond_mod != CondMod::None
        || matches!(inst.opcode, Opcode::Cmp | Opcode::Cmpn)
        || is_seed(inst);
    let within = u32::from(flag.subnr) * 16 + group;
    if uses_flag && within + channels > 32 {
        // What lies behind the flag register is not public.
        let what = format!("channel {group} and up in flag f{}.{}", flag.nr, flag.subnr);
        return Err(Reject::Unsupported(what));
    }
    let flag_shift = u32::from(flag.nr) * 32 + if uses_flag { within } else { 0 };
    Ok(Op {
        action: Action::Nop,
        full,
        group: inst.group,
        no_mask: inst.no_mask,
        prelude: Prelude::default(),
        hazard: None,
        predicate: Predicate { ctrl: inst.predicate.ctrl, inverse: inst.predicate.inverse },
        selects: false,
        condition: inst.cond_mod,
        saturate: inst.saturate,
        flag_shift: flag_shift as u8,
        destination: Destination {
            kind: DestinationKind::Null,
            ty: Type::Ud,
            bytes: ByteSet::default(),
            lanes: full,
            accumulator: None,
            flag: false,
            control: false,
        },
        sources: std::array::from_fn(|_| Source::none()),
        accumulator: None,
        extensions: [8; 4],
        plain: true,
        simd8_units: channels.div_ceil(8) as u8,
        offset,
        size: inst.size(),
    })
}

fn arithmetic(op: &mut Op, inst: &Inst, device: &Device) -> Result<(), Reject> {
    if inst.opcode == Opcode::Pln {
        return pln(op, inst, device);
    }
    let choice = select::select(inst, device)?;
    let context = Context::new(inst, device, choice.lanes);
    for (source, src) in op.sources.iter_mut().zip(&inst.srcs) {
        *source = context.source(src)?;
    }
    op.destination = context.destination(&inst.dst)?;
    if choice.bits {
        op.destination.ty = bits_of(op.destination.ty);
        for source in &mut op.sources {
            source.ty = bits_of(source.ty);
        }
    }
    if matches!(inst.opcode, Opcode::Cmp | Opcode::Cmpn) {
        // The destination receives a mask, whatever its type.
        op.destination.ty = bits_of(op.destination.ty);
    }
    if inst.acc_wr_en && !writes_accumulator_by_itself(inst.opcode) {
        op.accumulator = Some(Box::new(context.accumulator(inst.dst.ty)?));
    }
    if inst.is_macro() {
        let mme = |mme: Option<u8>| mme.unwrap_or(8);
        let source = |i: usize| inst.srcs[i].as_reg().map_or(8, |reg| mme(reg.mme));
        op.extensions = [mme(inst.dst.mme), source(0), source(1), source(2)];
    }
    op.selects = inst.opcode == Opcode::Sel && inst.cond_mod == CondMod::None;
    // What looks like a conditional modifier chooses in selections, and names the early-out
    // flag in the macros: neither writes flags as a condition does.
    let chooses = matches!(inst.opcode, Opcode::Sel | Opcode::Csel);
    if is_seed(inst) {
        op.condition = CondMod::None;
    }
    op.plain = !op.saturate
        && (op.condition == CondMod::None || chooses)
        && op.accumulator.is_none()
        && op.destination.accumulator.is_none()
        && !op.destination.control
        && !op.destination.flag;
    fold_immediates(op);
    op.action = Action::Alu(choice.run);
    Ok(())
}

fn is_seed(inst: &Inst) -> bool {
    matches!(inst.math(), Some(MathFn::Invm | MathFn::Rsqrtm))
}

fn writes_accumulator_by_itself(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Addc | Opcode::Subb | Opcode::Mach | Opcode::Mac | Opcode::Sada2)
}

/// The unsigned integer type of a type's size.
fn bits_of(ty: Type) -> Type {
    match ty.size() {
        1 => Type::Ub,
        2 => Type::Uw,
        4 => Type::Ud,
        _ => Type::Uq,
    }
}

/// Immediates of narrower integer types become dwords, so that they load at once.
fn fold_immediates(op: &mut Op) {
    use crate::exec::operand::SourceKind;
    for source in &mut op.sources {
        if let SourceKind::Immediate(bits) = &mut source.kind
            && matches!(source.ty, Type::W | Type::Uw)
        {
            let value: i64 = from_bits(source.ty, *bits, &FloatEnv::default());
            *bits = u64::from(value as u32);
            source.ty = if source.ty == Type::W { Type::D } else { Type::Ud };
        }
    }
}

/// `smov`: a move whose second source, an immediate, names the channels to write.
fn scattered_move(op: &mut Op, inst: &Inst, device: &Device) -> Result<(), Reject> {
    let Some(channels) = inst.srcs[1].as_imm() else {
        return Err(Reject::Unsupported("smov with channels in a register".into()));
    };
    let mut plain = inst.clone();
    plain.opcode = Opcode::Mov;
    plain.srcs[1] = Src::None;
    arithmetic(op, &plain, device)?;
    op.destination.lanes &= channels.bits as u32;
    Ok(())
}

/// `pln` reads its second source twice: u from one register, v from the next.
fn pln(op: &mut Op, inst: &Inst, device: &Device) -> Result<(), Reject> {
    const LANES: usize = 16;
    if inst.access_mode != AccessMode::Align1 || inst.exec_size < 8 || inst.exec_size > 16 {
        return Err(Reject::Unsupported(format!("pln with {} channels", inst.exec_size)));
    }
    let context = Context::new(inst, device, LANES);
    op.sources[0] = context.source(&inst.srcs[0])?;
    let Some(deltas) = inst.srcs[1].as_reg() else {
        return Err(Reject::Illegal("pln with an immediate".into()));
    };
    op.sources[1] = context.plane_deltas(deltas, 0)?;
    op.sources[2] = context.plane_deltas(deltas, 1)?;
    op.destination = context.destination(&inst.dst)?;
    op.plain = !op.saturate && op.condition == CondMod::None;
    op.action = Action::Alu(crate::exec::alu::special::pln);
    Ok(())
}
