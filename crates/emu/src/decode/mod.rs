//! Translates each instruction of a program to a plan, once.

mod compressed;
mod dependency;
mod flow;
mod message;
mod operation;
mod region;

use crate::error::{EmuError, Reject};
use crate::message::{is_global_atomic, writes_memory};
use crate::plan::{
    Action, Alu, BranchKind, Destination, DestinationKind, MAX_LANES, Operation, Plan, Predicate,
    Prelude, Program, Source, SourceKind,
};
use crate::registers::ByteSet;
use crestline_device::Device;
use crestline_isa::message::Descriptor;
use crestline_isa::validate::Padding;
use crestline_isa::{
    AccessMode, CondMod, Extra, Inst, MathFn, Opcode, PredCtrl, Region, Src, SyncFn, Type,
};
use region::Context;
use std::collections::BTreeMap;

/// The plans of a program's instructions, which are given with their byte offsets. `starts` maps the byte offsets of
/// instructions that a branch may lead to, and of the code's end, to instruction indices.
///
/// # Errors
/// [`EmuError::Illegal`] and [`EmuError::Unsupported`] for instructions that cannot be executed.
pub(crate) fn program(
    located: &[(u32, Inst)],
    starts: BTreeMap<u32, usize>,
    padding: &Padding,
    device: &Device,
) -> Result<Program, EmuError> {
    let mut plans = Vec::with_capacity(located.len());
    for (index, (offset, inst)) in located.iter().enumerate() {
        let plan = if padding.contains(index) {
            skeleton(&Inst { exec_size: 1, ..Inst::new(Opcode::Illegal) }, *offset)
                .map(|plan| Plan { action: Action::End, ..plan })
        } else {
            plan_of(inst, *offset, device, &starts)
        };
        plans.push(plan.map_err(|reject| reject.at(index, *offset))?);
    }
    mark_joins(&mut plans);
    dependency::check(located.iter().map(|(_, inst)| inst), &mut plans);
    let any = |test: fn(Option<&Descriptor>) -> bool| {
        plans.iter().any(|plan| match &plan.action {
            Action::Send(send) => test(send.descriptor.as_ref()),
            _ => false,
        })
    };
    let (order_matters, writes_memory) = (any(is_global_atomic), any(writes_memory));
    Ok(Program { plans, starts, order_matters, writes_memory })
}

/// Sets [`Prelude::JOIN`] in the instructions at which channels may wait.
fn mark_joins(ops: &mut [Plan]) {
    let points: Vec<usize> = ops
        .iter()
        .enumerate()
        .filter_map(|(here, plan)| match &plan.action {
            Action::Branch(branch) => Some(branch.wait_points(here)),
            _ => None,
        })
        .flatten()
        .collect();
    // The target of a `jmpi` by a register value needs no mark of its own: channels that wait there do so because of
    // another branch.
    for point in points {
        if let Some(plan) = ops.get_mut(point) {
            plan.prelude.add(Prelude::JOIN);
        }
    }
}

/// The plan of one instruction.
fn plan_of(
    inst: &Inst,
    offset: u32,
    device: &Device,
    starts: &BTreeMap<u32, usize>,
) -> Result<Plan, Reject> {
    if !matches!(inst.exec_size, 1 | 2 | 4 | 8 | 16 | 32) {
        return Err(Reject::Illegal(format!("{} channels", inst.exec_size)));
    }
    let plain = plain_form(inst, device)?;
    let inst = plain.as_ref().unwrap_or(inst);
    let mut plan = skeleton(inst, offset)?;
    match inst.opcode {
        Opcode::Illegal => return Err(Reject::Illegal("the illegal opcode".into())),
        Opcode::Sync if inst.extra == Extra::Sync(SyncFn::Bar) => plan.action = Action::Wait,
        Opcode::Nop | Opcode::Nenop | Opcode::Sync => {}
        Opcode::Wait => plan.action = Action::Wait,
        opcode if opcode.is_send() => {
            plan.destination.lanes =
                Context::new(inst, device, MAX_LANES).written_channels(&inst.dst);
            plan.action = Action::Send(Box::new(message::translate(inst, device)?));
        }
        opcode if opcode.is_flow_control() => {
            let index_of = |to: i64| starts.get(&u32::try_from(to).ok()?).copied();
            let taken_if_true = device.goto_takes_true_channels();
            let branch = flow::translate(inst, offset, taken_if_true, &index_of)?;
            let dwords = two_dwords(inst);
            let context = Context::new(&dwords, device, dwords.exec_size.into());
            if branch.kind == BranchKind::Call {
                plan.destination = context.destination(&dwords.dst)?;
                if !matches!(plan.destination.kind, DestinationKind::Packed(_)) {
                    return Err(Reject::Unsupported("call that saves no address".into()));
                }
            }
            if matches!(branch.kind, BranchKind::Return | BranchKind::JumpRegister) {
                plan.sources[0] = context.source(&dwords.srcs[0])?;
            }
            if branch.kind == BranchKind::Return
                && !matches!(plan.sources[0].kind, SourceKind::Scalar(_))
            {
                return Err(Reject::Unsupported("ret whose address is in no register".into()));
            }
            plan.action = Action::Branch(branch);
        }
        Opcode::Smov => scattered_move(&mut plan, inst, device)?,
        _ => match compressed::halves(inst, device) {
            Some(halves) => {
                // The manuals do not specify the channels of a second half beyond channel 31.
                let beyond = |_| Reject::Unsupported("a second half beyond channel 31".into());
                let mut first = skeleton(&halves[0], offset)?;
                let mut second = skeleton(&halves[1], offset).map_err(beyond)?;
                arithmetic(&mut first, &halves[0], device)?;
                arithmetic(&mut second, &halves[1], device)?;
                plan.action = Action::Halves(Box::new([first, second]));
            }
            None => arithmetic(&mut plan, inst, device)?,
        },
    }
    if plan.sources.iter().any(|source| source.live_state) {
        plan.prelude.add(Prelude::LIVE_STATE);
    }
    Ok(plan)
}

/// Converts instructions that only this device has to the common form; `None` if the instruction is in that form. The
/// execution size is converted to channels if the device counts dwords, and `dim` becomes a move of a double.
fn plain_form(inst: &Inst, device: &Device) -> Result<Option<Inst>, Reject> {
    // The type fields of `wait` do not affect its channels.
    let counts_dwords = inst.opcode != Opcode::Wait && region::counts_dwords(inst, device);
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
        // The type field is F, but the bits are those of a double.
        value.ty = Type::Df;
    }
    Ok(Some(plain))
}

/// A `call`, `ret` or `jmpi` with register operands as the hardware accesses them: the dword of the operand and, for
/// `call`, the next one. The execution size and the region of the instruction do not matter.
fn two_dwords(inst: &Inst) -> Inst {
    let mut plain = Inst { exec_size: 2, access_mode: AccessMode::Align1, ..inst.clone() };
    plain.dst.hstride = 1;
    if let Src::Reg(address) = &mut plain.srcs[0] {
        address.region = Region::SCALAR;
    }
    plain
}

/// The parts of a plan that do not depend on the opcode: masks, flag bits, size.
fn skeleton(inst: &Inst, offset: u32) -> Result<Plan, Reject> {
    let channels = u32::from(inst.exec_size);
    let full = u32::MAX >> (32 - channels);
    let group = u32::from(inst.group);
    if group + channels > 32 {
        let message =
            format!("channels {group} to {}: expected channels below 32", group + channels - 1);
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
        // There is no public information on the register after the flag register.
        let what = format!("channel {group} and up in flag f{}.{}", flag.nr, flag.subnr);
        return Err(Reject::Unsupported(what));
    }
    let flag_shift = u32::from(flag.nr) * 32 + if uses_flag { within } else { 0 };
    Ok(Plan {
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

/// Completes the plan of an arithmetic instruction: operation, operands, implicit accumulator.
fn arithmetic(plan: &mut Plan, inst: &Inst, device: &Device) -> Result<(), Reject> {
    if inst.opcode == Opcode::Pln {
        return pln(plan, inst, device);
    }
    let choice = operation::choose(inst, device)?;
    let context = Context::new(inst, device, choice.alu.lanes);
    for (source, src) in plan.sources.iter_mut().zip(&inst.srcs) {
        *source = context.source(src)?;
    }
    plan.destination = context.destination(&inst.dst)?;
    if choice.bits {
        plan.destination.ty = bits_of(plan.destination.ty);
        for source in &mut plan.sources {
            source.ty = bits_of(source.ty);
        }
    }
    if matches!(inst.opcode, Opcode::Cmp | Opcode::Cmpn) {
        // The destination receives a mask, whatever its type.
        plan.destination.ty = bits_of(plan.destination.ty);
    }
    if inst.acc_wr_en && !writes_accumulator_by_itself(inst.opcode) {
        plan.accumulator = Some(Box::new(context.accumulator(inst.dst.ty)?));
    }
    if inst.is_macro() {
        let mme = |mme: Option<u8>| mme.unwrap_or(8);
        let source = |i: usize| inst.srcs[i].as_reg().map_or(8, |reg| mme(reg.mme));
        plan.extensions = [mme(inst.dst.mme), source(0), source(1), source(2)];
    }
    plan.selects = inst.opcode == Opcode::Sel && inst.cond_mod == CondMod::None;
    // In selections, the conditional modifier chooses the source; in the macros, it is the early-out flag. Neither
    // writes flags the way a condition does.
    let chooses = matches!(inst.opcode, Opcode::Sel | Opcode::Csel);
    if is_seed(inst) {
        plan.condition = CondMod::None;
    }
    plan.plain = !plan.saturate
        && (plan.condition == CondMod::None || chooses)
        && plan.accumulator.is_none()
        && plan.destination.accumulator.is_none()
        && !plan.destination.control
        && !plan.destination.flag;
    fold_immediates(plan);
    plan.action = Action::Alu(choice.alu);
    Ok(())
}

/// Whether the instruction is the first step of an IEEE macro (`math.invm`, `math.rsqrtm`).
fn is_seed(inst: &Inst) -> bool {
    matches!(inst.math(), Some(MathFn::Invm | MathFn::Rsqrtm))
}

fn writes_accumulator_by_itself(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Addc | Opcode::Subb | Opcode::Mach | Opcode::Mac | Opcode::Sada2)
}

/// The unsigned integer type with the size of `ty`.
fn bits_of(ty: Type) -> Type {
    match ty.size() {
        1 => Type::Ub,
        2 => Type::Uw,
        4 => Type::Ud,
        _ => Type::Uq,
    }
}

/// Converts 16-bit integer immediates to dwords, which load faster.
fn fold_immediates(plan: &mut Plan) {
    for source in &mut plan.sources {
        if let SourceKind::Immediate(bits) = &mut source.kind
            && matches!(source.ty, Type::W | Type::Uw)
        {
            (*bits, source.ty) = match source.ty {
                Type::W => (u64::from(i32::from(*bits as i16).cast_unsigned()), Type::D),
                _ => (u64::from(*bits as u16), Type::Ud),
            };
        }
    }
}

/// Plans `smov`, a move whose second source is an immediate mask of the channels to write.
fn scattered_move(plan: &mut Plan, inst: &Inst, device: &Device) -> Result<(), Reject> {
    let Some(channels) = inst.srcs[1].as_imm() else {
        return Err(Reject::Unsupported("smov with channels in a register".into()));
    };
    let mut plain = inst.clone();
    plain.opcode = Opcode::Mov;
    plain.srcs[1] = Src::None;
    arithmetic(plan, &plain, device)?;
    plan.destination.lanes &= channels.bits as u32;
    Ok(())
}

/// Plans `pln`. Its second source gives two values per channel: u in one register, v in the next.
fn pln(plan: &mut Plan, inst: &Inst, device: &Device) -> Result<(), Reject> {
    let alu = Alu::new(Operation::Plane, inst.exec_size);
    if inst.access_mode != AccessMode::Align1
        || inst.exec_size < 8
        || usize::from(inst.exec_size) > alu.lanes
    {
        return Err(Reject::Unsupported(format!("pln with {} channels", inst.exec_size)));
    }
    let context = Context::new(inst, device, alu.lanes);
    plan.sources[0] = context.source(&inst.srcs[0])?;
    let Some(deltas) = inst.srcs[1].as_reg() else {
        return Err(Reject::Illegal("pln with an immediate".into()));
    };
    plan.sources[1] = context.plane_deltas(deltas, 0)?;
    plan.sources[2] = context.plane_deltas(deltas, 1)?;
    plan.destination = context.destination(&inst.dst)?;
    plan.plain = !plan.saturate && plan.condition == CondMod::None;
    plan.action = Action::Alu(alu);
    Ok(())
}
