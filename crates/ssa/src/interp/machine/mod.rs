//! The execution of flat code: the invocations of a subgroup run in lockstep, and subgroups run in turns between
//! barriers.

mod fragments;
mod images;
mod subgroups;

use std::cell::Cell;

use super::alu::{Comps, component, eval_alu, eval_component};
use super::code::{Code, Flush, MemoryOp, Op, Slot, SlotOp, Space, VarOp, VectorOp};
use super::memory::{Memories, OutOfBounds, read, write};
use super::stage::{StageIo, Who};
use super::{InterpError, Options, Report};
use crate::ir::{AluOp, AtomicOp, Class, InstId, Shader, SysVal};

/// Greatest number of out-of-bounds accesses that a report describes.
const MAX_DESCRIBED: usize = 16;

/// Runs all workgroups of a grid. `io` are the inputs and outputs of stages other than compute.
pub(super) fn run(
    shader: &Shader,
    code: &Code,
    memory: &mut Memories,
    grid: [u32; 3],
    options: &Options,
    io: Option<&mut StageIo<'_>>,
) -> Result<Report, InterpError> {
    let width = u64::from(options.subgroup_size);
    let invocations = match &io {
        Some(io) => io.group() as u64,
        None => match shader.compute() {
            Some(compute) => compute.invocations(),
            None => return Err(InterpError::Unsupported("other stages as compute shaders")),
        },
    };
    let subgroups = invocations.div_ceil(width);
    // Without barriers subgroups run one after another, so they can use the same state.
    let states = if code.has_barrier { subgroups } else { 1 };
    let per_invocation =
        8 * (u64::from(code.slots) + code.vars.len() as u64) + u64::from(shader.scratch_bytes);
    let per_state = per_invocation.saturating_mul(width) + 8 * u64::from(code.masks);
    let shared = u64::from(shader.shared_bytes());
    let needed = states.saturating_mul(per_state).saturating_add(shared);
    if needed > options.max_bytes || invocations > u64::from(u32::MAX) {
        return Err(InterpError::Memory { needed, limit: options.max_bytes });
    }
    let mut machine = Machine {
        shader,
        code,
        memory,
        width: width as usize,
        grid,
        group: [0; 3],
        invocations: invocations as u32,
        subgroups: subgroups as u32,
        shared: vec![0; shared as usize],
        report: Report::default(),
        budget: options.budget,
        alpha_one: options.alpha_one,
        undef: options.undef,
        io,
    };
    let mut states: Vec<_> = (0..states).map(|_| State::new(&machine)).collect();
    for z in 0..grid[2] {
        for y in 0..grid[1] {
            for x in 0..grid[0] {
                machine.group = [x, y, z];
                machine.workgroup(&mut states)?;
            }
        }
    }
    Ok(machine.report)
}

/// The state of a run.
struct Machine<'a, 'io> {
    shader: &'a Shader,
    code: &'a Code,
    memory: &'a mut Memories,
    /// Number of invocations of a subgroup.
    width: usize,
    grid: [u32; 3],
    /// The workgroup that is running.
    group: [u32; 3],
    /// Number of invocations of a workgroup.
    invocations: u32,
    /// Number of subgroups of a workgroup.
    subgroups: u32,
    shared: Vec<u8>,
    report: Report,
    budget: u64,
    alpha_one: bool,
    undef: u64,
    /// Inputs and outputs, for stages other than compute.
    io: Option<&'a mut StageIo<'io>>,
}

/// The state of a subgroup.
struct State {
    pc: usize,
    index: u32,
    /// Bit `i` is set if invocation `i` is active.
    active: u64,
    /// Bit `i` is set if invocation `i` has not returned.
    alive: u64,
    /// Invocations that are helpers, which write no memory.
    helpers: u64,
    /// The slots, each with one component for every invocation.
    slots: Vec<Cell<u64>>,
    masks: Vec<u64>,
    /// The scalars of the variables, each with one value for every invocation.
    vars: Vec<u64>,
    /// The scratch memory, one part for each invocation.
    scratch: Vec<u8>,
}

/// Why a subgroup stopped running.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    End,
    Barrier(InstId),
}

impl State {
    /// A state for any subgroup of the run. Only the slots of constants have values.
    fn new(machine: &Machine<'_, '_>) -> State {
        let (code, width) = (machine.code, machine.width);
        let state = State {
            pc: 0,
            index: 0,
            active: 0,
            alive: 0,
            helpers: 0,
            slots: vec![Cell::new(0); code.slots as usize * width],
            masks: vec![0; code.masks as usize],
            vars: vec![0; code.vars.len() * width],
            scratch: vec![0; machine.shader.scratch_bytes as usize * width],
        };
        for &(slot, bits) in &code.consts {
            state.slot(slot, width).iter().for_each(|cell| cell.set(bits));
        }
        state
    }

    /// Prepares the state to run subgroup number `index` of the current workgroup.
    fn start(&mut self, machine: &Machine<'_, '_>, index: u32) {
        let width = machine.width;
        let left = machine.invocations as usize - index as usize * width;
        self.pc = 0;
        self.index = index;
        self.active = u64::MAX >> (64 - left.min(width));
        self.alive = self.active;
        let first = index * width as u32;
        self.helpers = machine.io.as_ref().map_or(0, |io| io.helpers(first, width));
        for (scalars, &bits) in self.vars.chunks_mut(width).zip(&machine.code.vars) {
            scalars.fill(bits);
        }
        self.scratch.fill(0);
    }

    /// The components of a slot, one for each invocation.
    fn slot(&self, slot: Slot, width: usize) -> &[Cell<u64>] {
        &self.slots[slot as usize * width..][..width]
    }
}

/// An iterator over the invocations in a mask.
struct Lanes(u64);

impl Iterator for Lanes {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (lane < 64).then_some(lane)
    }
}

impl Machine<'_, '_> {
    /// Runs a workgroup: each subgroup runs until a barrier or its end, in turns. Fails if they do not all stop at
    /// the same barrier.
    fn workgroup(&mut self, states: &mut [State]) -> Result<(), InterpError> {
        self.report.workgroups += 1;
        self.shared.fill(0);
        if !self.code.has_barrier {
            for index in 0..self.subgroups {
                states[0].start(self, index);
                self.subgroup(&mut states[0])?;
            }
            return Ok(());
        }
        for (index, state) in states.iter_mut().enumerate() {
            state.start(self, index as u32);
        }
        loop {
            let mut common = None;
            for state in &mut *states {
                let stop = self.subgroup(state)?;
                match (*common.get_or_insert(stop), stop) {
                    (first, stop) if first == stop => {}
                    (Stop::Barrier(inst), _) | (_, Stop::Barrier(inst)) => {
                        return Err(InterpError::MissedBarrier { group: self.group, inst });
                    }
                    _ => {}
                }
            }
            if common.is_none_or(|stop| stop == Stop::End) {
                return Ok(());
            }
        }
    }

    /// Runs a subgroup until a barrier or its end.
    fn subgroup(&mut self, state: &mut State) -> Result<Stop, InterpError> {
        let code = self.code;
        let width = self.width;
        loop {
            self.report.operations += 1;
            if self.report.operations > self.budget {
                return Err(InterpError::Budget(self.budget));
            }
            let op = code.ops[state.pc];
            state.pc += 1;
            match op {
                Op::Alu { op, result_bits, bits, flush, dst, srcs } => {
                    let sizes = (u32::from(result_bits), u32::from(bits));
                    if flush != Flush::default() {
                        each_lane(state, width, dst, srcs, |x| eval_flushed(op, sizes, flush, x));
                    } else {
                        alu(state, width, op, sizes, dst, srcs);
                    }
                }
                Op::Vector(index) => vector(state, width, &code.vectors[index as usize]),
                Op::SysVal { sysval, comp, dst } => self
                    .sysval(state, sysval, comp.into(), dst)
                    .ok_or(InterpError::Unsupported("a system value of another stage"))?,
                Op::LoadVar { var, dst } => {
                    for lane in Lanes(state.active) {
                        let scalar = scalar(state, width, &code.var_ops[var as usize], lane);
                        let bits = scalar.map_or(0, |scalar| state.vars[scalar * width + lane]);
                        state.slot(dst, width)[lane].set(bits);
                    }
                }
                Op::StoreVar { var, src } => {
                    for lane in Lanes(state.active) {
                        let bits = state.slot(src, width)[lane].get();
                        if let Some(scalar) =
                            scalar(state, width, &code.var_ops[var as usize], lane)
                        {
                            state.vars[scalar * width + lane] = bits;
                        }
                    }
                }
                Op::Load(index) => {
                    let op = &code.memory_ops[index as usize];
                    self.each_component(state, op, (u8::MAX, false), |bytes, at, data| {
                        let number = read(bytes, at, op.bytes);
                        data.set(number.unwrap_or(0));
                        number.is_some()
                    });
                }
                Op::Store(index) => {
                    let op = &code.memory_ops[index as usize];
                    self.each_component(state, op, (op.mask, true), |bytes, at, data| {
                        write(bytes, at, op.bytes, data.get()).is_some()
                    });
                }
                Op::Atomic(index) => self.atomic(state, &code.memory_ops[index as usize]),
                Op::BufferSize(index) => {
                    let op = &code.memory_ops[index as usize];
                    for lane in Lanes(state.active) {
                        let size = self.bytes(state, op, lane).0.len() as u64;
                        if let Some(result) = op.result {
                            state.slot(result, width)[lane].set(size);
                        }
                    }
                }
                Op::LoadSlot(index) => self.load_slot(state, &code.slot_ops[index as usize]),
                Op::StoreSlot(index) => self.store_slot(state, &code.slot_ops[index as usize]),
                Op::Derivative { axis, rule, flush, dst, src } => {
                    self.derivative(state, (axis, rule, flush), dst, src);
                }
                Op::Barycentric { perspective, at, dst } => {
                    self.barycentric(state, perspective, at, dst);
                }
                Op::Interpolate { op, weights } => {
                    self.interpolate(state, &code.slot_ops[op as usize], weights);
                }
                Op::AllKilled { dst, src } => self.all_killed(state, dst, src),
                Op::Subgroup { op, bits, flush, dst, src } => {
                    self.subgroup_op(state, op, (bits.into(), flush), dst, src);
                }
                Op::Shuffle { dst, src, lane } => self.shuffle(state, dst, src, lane),
                Op::Demote => {
                    state.helpers |= state.active;
                    self.each_invocation(state, |io, who| io.demote(who));
                }
                Op::IsHelper { dst } => {
                    for lane in Lanes(state.active) {
                        state.slot(dst, width)[lane].set(state.helpers >> lane & 1);
                    }
                }
                Op::Clock { dst } => {
                    let time = self.report.operations;
                    for lane in Lanes(state.active) {
                        state.slot(dst[0], width)[lane].set(time & 0xffff_ffff);
                        state.slot(dst[1], width)[lane].set(time >> 32);
                    }
                }
                Op::EmitVertex(stream) => {
                    self.each_invocation(state, |io, who| io.emit(who, stream))
                }
                Op::EndPrimitive(stream) => {
                    self.each_invocation(state, |io, who| io.end_primitive(who, stream));
                }
                Op::Image(index) => self.image(state, &code.image_ops[index as usize]),
                Op::Texture(index) => self.texture(state, &code.texture_reads[index as usize]),
                Op::Uniform { value, slot } => {
                    let cells = state.slot(slot, width);
                    let mut lanes = Lanes(state.active).map(|lane| cells[lane].get());
                    if let Some(first) = lanes.next()
                        && lanes.any(|other| other != first)
                    {
                        let (group, subgroup) = (self.group, state.index);
                        return Err(InterpError::NotUniform { group, subgroup, value });
                    }
                }
                Op::Barrier(inst) => {
                    // The barrier waits for the invocations of this subgroup that have not returned. If all have
                    // returned, the subgroup runs to its end, which is an error if another subgroup waits at the
                    // barrier.
                    if state.active != state.alive {
                        let (group, subgroup) = (self.group, state.index);
                        return Err(InterpError::DivergentBarrier { group, subgroup, inst });
                    }
                    if state.active != 0 {
                        return Ok(Stop::Barrier(inst));
                    }
                }
                Op::End => return Ok(Stop::End),
                _ => flow(state, width, op),
            }
        }
    }

    /// Writes a component of a system value to a slot. `None` if the stage does not have the value.
    fn sysval(&self, state: &State, sysval: SysVal, comp: usize, dst: Slot) -> Option<()> {
        let first = state.index * self.width as u32;
        // The verifier ensures that other stages do not read values for which the size is needed.
        let size = self.shader.compute().map(|compute| compute.local_size);
        let local = |size: [u32; 3], lane: usize| {
            let flat = first + lane as u32;
            [flat % size[0], flat / size[0] % size[1], flat / size[0] / size[1]][comp]
        };
        for lane in Lanes(state.active) {
            let value = match sysval {
                SysVal::WorkgroupId => self.group[comp],
                SysVal::NumWorkgroups => self.grid[comp],
                SysVal::WorkgroupSize => size?[comp],
                SysVal::LocalInvocationId => local(size?, lane),
                SysVal::LocalInvocationIndex => first + lane as u32,
                SysVal::GlobalInvocationId => {
                    let size = size?;
                    self.group[comp].wrapping_mul(size[comp]).wrapping_add(local(size, lane))
                }
                SysVal::SubgroupId => state.index,
                SysVal::NumSubgroups => self.subgroups,
                SysVal::SubgroupSize => self.width as u32,
                SysVal::SubgroupInvocation => lane as u32,
                SysVal::VertexIndex
                | SysVal::InstanceIndex
                | SysVal::BaseVertex
                | SysVal::BaseInstance
                | SysVal::DrawIndex
                | SysVal::ViewIndex
                | SysVal::PrimitiveId
                | SysVal::InvocationId
                | SysVal::TessCoord
                | SysVal::PatchVertices
                | SysVal::FragCoord
                | SysVal::FrontFacing
                | SysVal::PointCoord
                | SysVal::SampleId
                | SysVal::SamplePosition
                | SysVal::SampleMaskIn
                | SysVal::FullyCovered
                | SysVal::HelperInvocation => {
                    let who = self.who(state, lane);
                    self.io.as_ref()?.sysval(who, sysval, comp)
                }
            };
            state.slot(dst, self.width)[lane].set(u64::from(value));
        }
        Some(())
    }

    /// The invocation with number `lane` in a subgroup.
    fn who(&self, state: &State, lane: usize) -> Who {
        Who { group: self.group[0], local: state.index * self.width as u32 + lane as u32 }
    }

    /// Calls `f` for each active invocation, if the stage has inputs and outputs.
    fn each_invocation(&mut self, state: &State, mut f: impl FnMut(&mut StageIo<'_>, Who)) {
        for lane in Lanes(state.active) {
            let who = self.who(state, lane);
            if let Some(io) = &mut self.io {
                f(io, who);
            }
        }
    }

    /// Executes a load of an input or output.
    fn load_slot(&mut self, state: &State, op: &SlotOp) {
        let (width, undef) = (self.width, self.undef);
        for lane in Lanes(state.active) {
            let slot = |slot: Slot| state.slot(slot, width)[lane].get() as u32;
            let (vertex, index) = (op.vertex.map(slot), op.index.map_or(0, slot));
            let who = self.who(state, lane);
            for (comp, &to) in op.data.iter().enumerate().take(op.comps.into()) {
                let size = usize::from(op.dwords);
                let bits = (0..size).fold(0, |bits, i| {
                    let io = self.io.as_ref();
                    let dword = io.and_then(|io| io.read(who, op, vertex, index, comp * size + i));
                    bits | u64::from(dword.unwrap_or(undef as u32)) << (32 * i)
                });
                state.slot(to, width)[lane].set(bits);
            }
        }
    }

    /// Executes a store to an output.
    fn store_slot(&mut self, state: &State, op: &SlotOp) {
        let width = self.width;
        for lane in Lanes(state.active) {
            let slot = |slot: Slot| state.slot(slot, width)[lane].get();
            let vertex = op.vertex.map(|v| slot(v) as u32);
            let index = op.index.map_or(0, |i| slot(i) as u32);
            let who = self.who(state, lane);
            let size = usize::from(op.dwords);
            for comp in (0..usize::from(op.comps)).filter(|comp| op.mask >> comp & 1 == 1) {
                let bits = slot(op.data[comp]);
                for i in 0..size {
                    let dword = (comp * size + i, (bits >> (32 * i)) as u32);
                    if let Some(io) = &mut self.io {
                        io.write(who, op, vertex, index, dword);
                    }
                }
            }
        }
    }

    /// The memory that an invocation accesses, the byte offset in it, and all slots. For an address outside all buffers
    /// the memory is empty and the offset is the address.
    fn bytes<'s>(
        &'s mut self,
        state: &'s mut State,
        op: &MemoryOp,
        lane: usize,
    ) -> (&'s mut [u8], u64, &'s [Cell<u64>]) {
        let width = self.width;
        let State { slots, scratch, .. } = state;
        let offset = slots[op.offset as usize * width + lane].get();
        let bytes = match op.space {
            Space::Buffer { binding, element } => {
                let element = element.map_or(0, |slot| slots[slot as usize * width + lane].get());
                self.memory.buffer(binding, element as u32)
            }
            Space::Image { binding, element } => {
                let element = element.map_or(0, |slot| slots[slot as usize * width + lane].get());
                let image = self.memory.image(binding, element as u32);
                image.map_or(&mut [][..], |image| &mut image.bytes)
            }
            Space::Global { address, bits } => {
                let base = slots[address as usize * width + lane].get();
                let sum = base.wrapping_add_signed(i64::from(offset as i32));
                let address = sum & (u64::MAX >> (64 - bits));
                return match self.memory.global(address) {
                    Some((bytes, offset)) => (bytes, offset, slots),
                    None => (&mut [], address, slots),
                };
            }
            Space::PushConstant => self.memory.push_constants(),
            Space::ConstData => self.memory.const_data(),
            Space::Shared => &mut self.shared,
            Space::Scratch => {
                let size = scratch.len() / width;
                &mut scratch[lane * size..][..size]
            }
        };
        (bytes, offset, slots)
    }

    /// Calls `access` with the memory, byte offset and data of each component in `mask`, for each active invocation.
    /// `access` must return whether the access was within bounds.
    fn each_component(
        &mut self,
        state: &mut State,
        op: &MemoryOp,
        (mask, writes): (u8, bool),
        access: impl Fn(&mut [u8], u64, &Cell<u64>) -> bool,
    ) {
        let width = self.width;
        let kept = if writes && op.space.is_shared() { state.helpers } else { 0 };
        for lane in Lanes(state.active & !kept) {
            let mut fault = None;
            let (bytes, offset, slots) = self.bytes(state, op, lane);
            for comp in (0..usize::from(op.comps)).filter(|comp| mask >> comp & 1 == 1) {
                let at = offset.wrapping_add(comp as u64 * u64::from(op.bytes));
                let data = &slots[op.data[comp] as usize * width + lane];
                if !access(bytes, at, data) {
                    let (count, first) = fault.unwrap_or((0, at));
                    fault = Some((count + 1, first));
                }
            }
            let size = bytes.len() as u64;
            // Accesses to images out of bounds are defined, and lowering uses such addresses on purpose, so they are
            // not reported.
            if let Some((count, offset)) = fault
                && !matches!(op.space, Space::Image { .. })
                // Accesses of helpers are not reported.
                && state.helpers >> lane & 1 == 0
            {
                self.out_of_bounds(state.index, op.inst, lane, count, offset, size);
            }
        }
    }

    /// Records an access out of bounds.
    fn out_of_bounds(
        &mut self,
        subgroup: u32,
        inst: InstId,
        lane: usize,
        count: u64,
        offset: u64,
        size: u64,
    ) {
        self.report.out_of_bounds_count += count;
        let described = &mut self.report.out_of_bounds;
        if described.len() < MAX_DESCRIBED && described.iter().all(|o| o.inst != inst) {
            let invocation = subgroup * self.width as u32 + lane as u32;
            described.push(OutOfBounds { inst, group: self.group, invocation, offset, size });
        }
    }

    /// Executes an atomic operation on memory.
    fn atomic(&mut self, state: &mut State, op: &MemoryOp) {
        let width = self.width;
        for lane in Lanes(state.active) {
            let helper = state.helpers >> lane & 1 == 1;
            let (bytes, offset, slots) = self.bytes(state, op, lane);
            let value = |slot: Slot| &slots[slot as usize * width + lane];
            let data = value(op.data[0]).get();
            let old = read(bytes, offset, op.bytes);
            let bits = op.bytes * 8;
            let new = combine(op.atomic, bits, old.unwrap_or(0), data, value(op.compare).get());
            if helper && op.space.is_shared() {
                if let Some(result) = op.result {
                    value(result).set(0);
                }
                continue;
            }
            let done = write(bytes, offset, op.bytes, new);
            if let Some(result) = op.result {
                value(result).set(old.unwrap_or(0));
            }
            let size = bytes.len() as u64;
            if done.is_none() {
                self.out_of_bounds(state.index, op.inst, lane, 1, offset, size);
            }
        }
    }
}

/// Executes a control flow operation: changes the active invocations, and jumps.
fn flow(state: &mut State, width: usize, op: Op) {
    let mut jump = None;
    match op {
        Op::If { cond, masks, else_ } => {
            let cond = state.slot(cond, width);
            let taken = Lanes(state.active).filter(|&lane| cond[lane].get() & 1 == 1);
            let taken = taken.fold(0, |taken, lane| taken | 1 << lane);
            state.masks[masks as usize] = state.active & !taken;
            state.active = taken;
            jump = Some(else_);
        }
        Op::Else { masks, end } => {
            state.masks[masks as usize + 1] = state.active;
            state.active = state.masks[masks as usize];
            jump = Some(end);
        }
        Op::EndIf { masks, none } => {
            state.active |= state.masks[masks as usize + 1];
            jump = Some(none);
        }
        Op::Loop { masks } => state.masks[masks as usize..][..2].fill(0),
        Op::Break { masks } => {
            state.masks[masks as usize] |= state.active;
            state.active = 0;
        }
        Op::Continue { masks } => {
            state.masks[masks as usize + 1] |= state.active;
            state.active = 0;
        }
        Op::EndRound { masks, next, exit } => {
            state.active = std::mem::take(&mut state.masks[masks as usize + 1]);
            state.pc = next as usize;
            jump = Some(exit);
        }
        Op::EndLoop { masks, none } => {
            state.active = state.masks[masks as usize];
            jump = Some(none);
        }
        Op::Return => {
            state.alive &= !state.active;
            state.active = 0;
        }
        _ => {}
    }
    if let Some(pc) = jump
        && state.active == 0
    {
        state.pc = pc as usize;
    }
}

/// Computes the result for each active invocation from its operands.
#[inline(always)]
fn each_lane(state: &State, width: usize, dst: Slot, srcs: [Slot; 4], eval: impl Fn(Comps) -> u64) {
    let dst = state.slot(dst, width);
    let [a, b, c, d] = srcs.map(|slot| state.slot(slot, width));
    if state.active == u64::MAX >> (64 - width) {
        for ((((dst, a), b), c), d) in dst.iter().zip(a).zip(b).zip(c).zip(d) {
            dst.set(eval([a.get(), b.get(), c.get(), d.get()]));
        }
    } else {
        for lane in Lanes(state.active) {
            dst[lane].set(eval([a[lane].get(), b[lane].get(), c[lane].get(), d[lane].get()]));
        }
    }
}

/// Executes arithmetic on one component. For a few frequent operations, the operation is selected once for all
/// invocations instead of once for each. Each of them instantiates the code of `component` again, so there are only a
/// few.
fn alu(
    state: &State,
    width: usize,
    op: AluOp,
    (result_bits, bits): (u32, u32),
    dst: Slot,
    srcs: [Slot; 4],
) {
    macro_rules! frequent {
        ($($name:ident)*) => {
            match (op, bits) {
                (AluOp::Mov, _) => each_lane(state, width, dst, srcs, |x| x[0]),
                $((AluOp::$name, 32) => {
                    each_lane(state, width, dst, srcs, |x| {
                        component(AluOp::$name, result_bits, 32, x)
                    });
                })*
                _ => each_lane(state, width, dst, srcs, |x| eval_component(op, result_bits, bits, x)),
            }
        };
    }
    frequent!(FAdd FMul FFma IAdd ULt Select)
}

/// Executes arithmetic that combines components.
fn vector(state: &State, width: usize, op: &VectorOp) {
    let sources = op.op.row().srcs;
    for lane in Lanes(state.active) {
        let mut operands = [[0; 4]; 2];
        for (i, operand) in operands.iter_mut().enumerate().take(sources.len()) {
            let comps = op.op.src_comps(i, op.result.comps());
            for (bits, &slot) in operand.iter_mut().zip(&op.srcs[i]).take(comps) {
                *bits = state.slot(slot, width)[lane].get();
                if op.flush.srcs {
                    *bits = without_denormal(op.bits, *bits);
                }
            }
        }
        let result = eval_alu(op.op, op.result, op.bits, &operands[..sources.len()]);
        for (&slot, &bits) in op.dst.iter().zip(&result).take(op.result.comps()) {
            let flushed = without_denormal(op.result.bits(), bits);
            state.slot(slot, width)[lane].set(if op.flush.result { flushed } else { bits });
        }
    }
}

/// Computes a component of arithmetic with flushing of denormals.
fn eval_flushed(
    op: AluOp,
    (result_bits, bits): (u32, u32),
    flush: Flush,
    mut operands: Comps,
) -> u64 {
    let row = op.row();
    for (operand, src) in operands.iter_mut().zip(row.srcs) {
        if flush.srcs && src.class == Class::Float {
            *operand = without_denormal(bits, *operand);
        }
    }
    let result = eval_component(op, result_bits, bits, operands);
    let flushes = flush.result && row.result.class == Class::Float;
    if flushes { without_denormal(result_bits, result) } else { result }
}

/// The float `x`, or a zero with its sign if it is a denormal.
fn without_denormal(bits: u32, x: u64) -> u64 {
    let exponent = match bits {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    if x & exponent == 0 { x & 1 << (bits - 1) } else { x }
}

/// The number of the scalar of a variable that an invocation accesses; `None` if an index is out of range.
fn scalar(state: &State, width: usize, op: &VarOp, lane: usize) -> Option<usize> {
    let mut scalar = op.base;
    for &(slot, count, stride) in &op.indices {
        let index = state.slot(slot, width)[lane].get();
        if index >= u64::from(count) {
            return None;
        }
        scalar += index as u32 * stride;
    }
    Some(scalar as usize)
}

/// The new value that an atomic writes to memory, for numbers of `bits` bits.
fn combine(atomic: Option<AtomicOp>, bits: u32, old: u64, data: u64, compare: u64) -> u64 {
    let alu = |alu: AluOp| eval_component(alu, bits, bits, [old, data, 0, 0]);
    match atomic {
        None => old,
        Some(AtomicOp::IAdd) => alu(AluOp::IAdd),
        Some(AtomicOp::IMin) => alu(AluOp::IMin),
        Some(AtomicOp::IMax) => alu(AluOp::IMax),
        Some(AtomicOp::UMin) => alu(AluOp::UMin),
        Some(AtomicOp::UMax) => alu(AluOp::UMax),
        Some(AtomicOp::And) => alu(AluOp::IAnd),
        Some(AtomicOp::Or) => alu(AluOp::IOr),
        Some(AtomicOp::Xor) => alu(AluOp::IXor),
        Some(AtomicOp::Exchange) => data,
        Some(AtomicOp::CompareExchange) => {
            if old == compare {
                data
            } else {
                old
            }
        }
        Some(AtomicOp::FAdd) => alu(AluOp::FAdd),
        Some(AtomicOp::FMin) => alu(AluOp::FMin),
        Some(AtomicOp::FMax) => alu(AluOp::FMax),
    }
}
