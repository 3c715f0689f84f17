//! Compilation of a shader from regions to flat code.

use hashbrown::HashMap;

use super::code::{
    Code, Flush, ImageAction, ImageOp, MemoryOp, Op, Pc, Place, Slot, SlotOp, Space, TextureSlots,
    VarOp, VectorOp,
};
use super::slots::Lifetimes;
use super::{InterpError, Options};
use crate::ir::{
    AluOp, BaryPlace, Class, Function, ImageForm, InstData, InstId, InstKind, InterpMode, IoSlot,
    IoVar, Memory, PathStep, RegionId, Resource, Scope, Shader, Src, SubgroupOp, Targets,
    TextureRead, Ty, Value, VarTy,
};

/// Compiles a valid shader. Fails if its variables exceed the memory limit, or if it has an unsupported barrier.
pub(super) fn compile(shader: &Shader, options: &Options) -> Result<Code, InterpError> {
    let func = &shader.func;
    let mut compiler = Compiler {
        shader,
        func,
        options,
        lifetimes: Lifetimes::new(func),
        code: Code::default(),
        slot_of: vec![[Slot::MAX; 4]; func.num_values()],
        fixed: vec![false; func.num_values()],
        free: Vec::new(),
        consts: HashMap::new(),
        var_bases: Vec::new(),
    };
    compiler.variables()?;
    let open = compiler.region(func.body(), Targets::default(), None)?;
    compiler.close(&open);
    compiler.emit(Op::End);
    Ok(compiler.code)
}

struct Compiler<'a> {
    shader: &'a Shader,
    func: &'a Function,
    options: &'a Options,
    lifetimes: Lifetimes,
    code: Code,
    /// For each value, the slots of its components.
    slot_of: Vec<[Slot; 4]>,
    /// For each value, whether it is a constant. Slots of constants are never freed.
    fixed: Vec<bool>,
    /// Slots that are not in use.
    free: Vec<Slot>,
    /// The slot of each constant.
    consts: HashMap<u64, Slot>,
    /// For each variable, the number of its first scalar.
    var_bases: Vec<u32>,
}

/// The number of the first mask of the innermost loop, which `Break` and `Continue` use; `None` outside of loops.
type LoopMasks = Option<u32>;

impl Compiler<'_> {
    /// Assigns numbers to the scalars of all variables.
    fn variables(&mut self) -> Result<(), InterpError> {
        let scalars =
            self.shader.vars.iter().fold(0u64, |n, v| n.saturating_add(v.ty.num_scalars()));
        let needed = scalars.saturating_mul(8 * u64::from(self.options.subgroup_size));
        if needed > self.options.max_bytes || scalars > u64::from(u32::MAX) {
            return Err(InterpError::Memory { needed, limit: self.options.max_bytes });
        }
        for var in &self.shader.vars {
            self.var_bases.push(self.code.vars.len() as u32);
            match &var.init {
                Some(init) => self.code.vars.extend(init),
                None => push_undef(&var.ty, self.options.undef, &mut self.code.vars),
            }
        }
        Ok(())
    }

    /// Appends an operation. Returns its index.
    fn emit(&mut self, op: Op) -> Pc {
        self.code.ops.push(op);
        self.code.ops.len() as Pc - 1
    }

    /// The index of the next operation.
    fn here(&self) -> Pc {
        self.code.ops.len() as Pc
    }

    /// Sets the jump targets of the given operations to the next operation.
    fn close(&mut self, open: &[Pc]) {
        let here = self.here();
        for &pc in open {
            match &mut self.code.ops[pc as usize] {
                Op::If { else_: to, .. }
                | Op::Else { end: to, .. }
                | Op::EndIf { none: to, .. }
                | Op::EndRound { exit: to, .. }
                | Op::EndLoop { none: to, .. } => *to = here,
                _ => {}
            }
        }
    }

    /// Takes a slot that is not in use.
    fn slot(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| {
            self.code.slots += 1;
            self.code.slots - 1
        })
    }

    /// Allocates the two masks of an `If` or `Loop`. Returns the number of the first.
    fn masks(&mut self) -> u32 {
        self.code.masks += 2;
        self.code.masks - 2
    }

    /// Allocates slots for the components of a value.
    fn define(&mut self, value: Value) -> [Slot; 4] {
        let mut slots = [0; 4];
        for slot in slots.iter_mut().take(self.func.ty(value).comps()) {
            *slot = self.slot();
        }
        self.slot_of[value.index()] = slots;
        slots
    }

    /// Frees the slots of a value.
    fn release(&mut self, value: Value) {
        if !self.fixed[value.index()] {
            let comps = self.func.ty(value).comps();
            self.free.extend(&self.slot_of[value.index()][..comps]);
        }
    }

    /// The slot of a constant.
    fn constant(&mut self, bits: u64) -> Slot {
        if let Some(&slot) = self.consts.get(&bits) {
            return slot;
        }
        // A freed slot must not be used for a constant, since an earlier iteration of a loop may write it again.
        let slot = self.code.slots;
        self.code.slots += 1;
        self.code.consts.push((slot, bits));
        self.consts.insert(bits, slot);
        slot
    }

    /// The slot that a source selects for component `comp`.
    fn read(&self, src: Src, comp: usize) -> Slot {
        self.slot_of[src.value.index()][usize::from(src.swizzle[comp])]
    }

    /// The slots that a source selects for the first `comps` components.
    fn read_all(&self, src: Src, comps: usize) -> [Slot; 4] {
        let mut slots = [0; 4];
        for (comp, slot) in slots.iter_mut().enumerate().take(comps) {
            *slot = self.read(src, comp);
        }
        slots
    }

    /// Compiles a region. Returns the operations that must jump to its end.
    fn region(
        &mut self,
        region: RegionId,
        targets: Targets,
        masks: LoopMasks,
    ) -> Result<Vec<Pc>, InterpError> {
        let func = self.func;
        let mut open = Vec::new();
        self.check_claims(&func.region(region).params);
        for &id in &func.region(region).insts {
            let inst = func.inst(id);
            open.extend(self.inst(id, inst, targets, masks)?);
            self.check_claims(&inst.results);
            for i in 0..self.lifetimes.dying(id).len() {
                let value = self.lifetimes.dying(id)[i];
                self.release(value);
            }
            self.release_unused(&inst.results);
        }
        Ok(open)
    }

    /// Emits checks that values are uniform, for those that the analysis in the options calls uniform.
    fn check_claims(&mut self, values: &[Value]) {
        let Some(divergence) = &self.options.divergence else {
            return;
        };
        for &value in values.iter().filter(|&&value| divergence.is_uniform(value)) {
            for comp in 0..self.func.ty(value).comps() {
                let slot = self.slot_of[value.index()][comp];
                self.emit(Op::Uniform { value, slot });
            }
        }
    }

    /// Frees the slots of those values that are never used.
    fn release_unused(&mut self, values: &[Value]) {
        for &value in values {
            if !self.lifetimes.is_used(value) {
                self.release(value);
            }
        }
    }

    /// Describes an access to a slot of the variable `row`, without its data.
    fn slot_op(
        &self,
        slot: IoSlot,
        row: Option<&IoVar>,
        (vertex, index): (Option<Src>, Option<Src>),
        first: u8,
    ) -> SlotOp {
        let scalar = |src: Src| self.read(src, 0);
        let beyond = row.and_then(|row| Some(row.slots() - 1 - row.index_of(slot)?)).unwrap_or(0);
        SlotOp {
            output: false,
            slot,
            vertex: vertex.map(scalar),
            index: index.map(scalar),
            beyond,
            first,
            dwords: 1,
            comps: 0,
            mask: 0,
            data: [0; 4],
        }
    }

    /// Adds the result of a load to the description of an access.
    fn loaded(&mut self, op: &mut SlotOp, result: Value) {
        let ty = self.func.ty(result);
        op.data = self.define(result);
        (op.comps, op.dwords) = (ty.comps() as u8, (ty.bits() / 32) as u8);
    }

    fn push_slot_op(&mut self, op: SlotOp) -> u32 {
        self.code.slot_ops.push(op);
        self.code.slot_ops.len() as u32 - 1
    }

    /// Compiles an instruction. Returns the operation that must jump to the end of its region, if there is one.
    fn inst(
        &mut self,
        id: InstId,
        inst: &InstData,
        targets: Targets,
        masks: LoopMasks,
    ) -> Result<Option<Pc>, InterpError> {
        let func = self.func;
        match &inst.kind {
            InstKind::Const(bits) => self.fix(inst.results[0], *bits),
            InstKind::Undef => self.fix(inst.results[0], [self.options.undef; 4]),
            InstKind::Alu { op, srcs, .. } => self.alu(*op, srcs, inst.results[0]),
            InstKind::SysVal(sysval) => {
                let slots = self.define(inst.results[0]);
                for (comp, &dst) in slots.iter().enumerate().take(sysval.ty().comps()) {
                    self.emit(Op::SysVal { sysval: *sysval, comp: comp as u8, dst });
                }
            }
            InstKind::LoadVar { var, path } => {
                let slots = self.define(inst.results[0]);
                let comps = func.ty(inst.results[0]).comps();
                for (comp, &dst) in slots.iter().enumerate().take(comps) {
                    let var = self.var_op(var.0, path, comp);
                    self.emit(Op::LoadVar { var, dst });
                }
            }
            InstKind::StoreVar { var, path, data, mask } => {
                for comp in (0..4).filter(|&comp| mask.has(comp)) {
                    let op = self.var_op(var.0, path, comp);
                    self.emit(Op::StoreVar { var: op, src: self.read(*data, comp) });
                }
            }
            InstKind::Load { memory, offset, .. } => {
                let ty = func.ty(inst.results[0]);
                let mut op = self.memory_op(id, memory, Some(*offset), ty);
                op.data = self.define(inst.results[0]);
                op.comps = ty.comps() as u8;
                let index = self.push_memory_op(op);
                self.emit(Op::Load(index));
            }
            InstKind::Store { memory, offset, data, comps, mask, .. } => {
                let mut op = self.memory_op(id, memory, Some(*offset), func.ty(data.value));
                op.data = self.read_all(*data, usize::from(*comps));
                (op.comps, op.mask) = (*comps, mask.0);
                let index = self.push_memory_op(op);
                self.emit(Op::Store(index));
            }
            InstKind::Atomic { memory, op: atomic, offset, data, compare, .. } => {
                let mut op = self.memory_op(id, memory, Some(*offset), func.ty(data.value));
                op.data = self.read_all(*data, 1);
                op.atomic = Some(*atomic);
                op.compare = compare.map_or(op.data[0], |src| self.read(src, 0));
                op.result = inst.results.first().map(|&v| self.define(v)[0]);
                let index = self.push_memory_op(op);
                self.emit(Op::Atomic(index));
            }
            InstKind::LoadInput { slot, vertex, index, comp } => {
                let row = self.shader.input(*slot);
                let mut op = self.slot_op(*slot, row, (*vertex, *index), *comp);
                self.loaded(&mut op, inst.results[0]);
                let index = self.push_slot_op(op);
                self.emit(Op::LoadSlot(index));
            }
            InstKind::LoadOutput { slot, vertex, index, comp } => {
                let row = self.shader.output(*slot);
                let mut op = self.slot_op(*slot, row, (*vertex, *index), *comp);
                op.output = true;
                self.loaded(&mut op, inst.results[0]);
                let index = self.push_slot_op(op);
                self.emit(Op::LoadSlot(index));
            }
            InstKind::StoreOutput { slot, data, vertex, index, comp, mask } => {
                let row = self.shader.output(*slot);
                let mut op = self.slot_op(*slot, row, (*vertex, *index), *comp);
                op.data = self.read_all(*data, mask.width());
                (op.comps, op.mask) = (mask.width() as u8, mask.0);
                op.dwords = (func.ty(data.value).bits() / 32) as u8;
                let index = self.push_slot_op(op);
                self.emit(Op::StoreSlot(index));
            }
            InstKind::EmitVertex { stream } => drop(self.emit(Op::EmitVertex(*stream))),
            InstKind::EndPrimitive { stream } => drop(self.emit(Op::EndPrimitive(*stream))),
            InstKind::BufferSize(resource) => {
                let mut op = self.memory_op(id, &Memory::Ssbo(*resource), None, Ty::X32);
                op.result = Some(self.define(inst.results[0])[0]);
                let index = self.push_memory_op(op);
                self.emit(Op::BufferSize(index));
            }
            InstKind::ImageLoad { .. }
            | InstKind::ImageStore { .. }
            | InstKind::ImageAtomic { .. }
            | InstKind::ImageSize(_)
            | InstKind::ImageParam { .. } => self.image(inst),
            InstKind::Texture(read) => self.texture(read, inst.results[0]),
            InstKind::Derivative { axis, rule, src } => {
                let flushes = self.flushes(AluOp::FSub, 32);
                let flush = Flush { srcs: flushes, result: flushes };
                let slots = self.define(inst.results[0]);
                let comps = func.ty(inst.results[0]).comps();
                for (comp, &dst) in slots.iter().enumerate().take(comps) {
                    let (axis, rule, src) = (*axis, *rule, self.read(*src, comp));
                    self.emit(Op::Derivative { axis, rule, flush, dst, src });
                }
            }
            InstKind::Demote => drop(self.emit(Op::Demote)),
            InstKind::IsHelper => {
                let dst = self.define(inst.results[0])[0];
                self.emit(Op::IsHelper { dst });
            }
            InstKind::Clock => {
                let dst = self.define(inst.results[0]);
                let dst = [dst[0], dst[1]];
                self.emit(Op::Clock { dst });
            }
            InstKind::Barycentric { mode, at } => {
                let perspective = *mode == InterpMode::Smooth;
                let at = match *at {
                    BaryPlace::Place(place) => Place::Known(place),
                    BaryPlace::AtSample(src) => Place::Sample(self.read(src, 0)),
                    BaryPlace::AtOffset(src) => {
                        Place::Offset([self.read(src, 0), self.read(src, 1)])
                    }
                };
                let [x, y, ..] = self.define(inst.results[0]);
                self.emit(Op::Barycentric { perspective, at, dst: [x, y] });
            }
            InstKind::Interpolate { slot, weights, index, comp } => {
                let weights = [self.read(*weights, 0), self.read(*weights, 1)];
                let row = self.shader.input(*slot);
                let mut op = self.slot_op(*slot, row, (None, *index), *comp);
                self.loaded(&mut op, inst.results[0]);
                let op = self.push_slot_op(op);
                self.emit(Op::Interpolate { op, weights });
            }
            InstKind::AllKilled(src) => {
                let src = self.read(*src, 0);
                let dst = self.define(inst.results[0])[0];
                self.emit(Op::AllKilled { dst, src });
            }
            InstKind::Subgroup { op, src } => {
                if *op == SubgroupOp::Ballot && self.options.subgroup_size > 32 {
                    return Err(InterpError::Unsupported("ballots of more than 32 invocations"));
                }
                let bits = func.ty(src.value).bits();
                let flush = match op {
                    SubgroupOp::Reduce { op, .. } | SubgroupOp::Scan { op, .. } => {
                        self.flushes(*op, bits)
                    }
                    SubgroupOp::Ballot | SubgroupOp::ReadFirst => false,
                };
                let flush = Flush { srcs: flush, result: flush };
                let (op, bits, src) = (*op, bits as u8, self.read(*src, 0));
                let dst = self.define(inst.results[0])[0];
                self.emit(Op::Subgroup { op, bits, flush, dst, src });
            }
            InstKind::Shuffle { src, lane, .. } => {
                let (src, lane) = (self.read(*src, 0), self.read(*lane, 0));
                let dst = self.define(inst.results[0])[0];
                self.emit(Op::Shuffle { dst, src, lane });
            }
            // Subgroups run one after another, and the invocations of one are of different pixels.
            InstKind::Interlock { .. } => {}
            InstKind::Barrier { execution, .. } => match execution {
                // The invocations of a subgroup run in lockstep, so nothing needs to be done.
                None | Some(Scope::Invocation | Scope::Subgroup) => {}
                Some(Scope::Workgroup) => {
                    self.code.has_barrier = true;
                    self.emit(Op::Barrier(id));
                }
                Some(Scope::Device) => {
                    return Err(InterpError::Unsupported("execution barriers of the device"));
                }
            },
            InstKind::If { cond, then, else_ } => {
                for &result in &inst.results {
                    self.define(result);
                }
                let own = self.masks();
                let at = self.emit(Op::If { cond: self.read(*cond, 0), masks: own, else_: 0 });
                let open = self.region(*then, targets.inside(id, &inst.kind, 0), masks)?;
                self.close(&open);
                self.close(&[at]);
                let at = self.emit(Op::Else { masks: own, end: 0 });
                let open = self.region(*else_, targets.inside(id, &inst.kind, 1), masks)?;
                self.close(&open);
                self.close(&[at]);
                return Ok(Some(self.emit(Op::EndIf { masks: own, none: 0 })));
            }
            InstKind::Loop { init, body, continuing } => {
                return self.loop_(id, inst, init, *body, *continuing, targets).map(Some);
            }
            InstKind::Yield(srcs) => self.pass(srcs, targets.values(func, &inst.kind)),
            InstKind::Break(srcs) => {
                self.pass(srcs, targets.values(func, &inst.kind));
                self.emit(Op::Break { masks: masks.unwrap_or_default() });
            }
            InstKind::Continue(srcs) => {
                self.pass(srcs, targets.values(func, &inst.kind));
                self.emit(Op::Continue { masks: masks.unwrap_or_default() });
            }
            InstKind::Return => drop(self.emit(Op::Return)),
        }
        Ok(None)
    }

    /// Compiles a loop. Returns the operation that must jump to the end of the region that contains the loop.
    fn loop_(
        &mut self,
        id: InstId,
        inst: &InstData,
        init: &[Src],
        body: RegionId,
        continuing: Option<RegionId>,
        targets: Targets,
    ) -> Result<Pc, InterpError> {
        let func = self.func;
        for &value in &inst.results {
            self.define(value);
        }
        // The parameters of both regions are live from the start, since `Continue` in the body writes those of
        // `continuing`.
        for region in std::iter::once(body).chain(continuing) {
            for &param in &func.region(region).params {
                self.define(param);
            }
        }
        let own = self.masks();
        self.pass(init, Some(&func.region(body).params));
        self.emit(Op::Loop { masks: own });
        let start = self.here();
        let mut exits = Vec::new();
        for (i, region) in inst.kind.regions().enumerate() {
            self.release_unused(&func.region(region).params);
            let open = self.region(region, targets.inside(id, &inst.kind, i), Some(own))?;
            self.close(&open);
            let last = i == 1 || continuing.is_none();
            let next = if last { start } else { self.here() + 1 };
            exits.push(self.emit(Op::EndRound { masks: own, next, exit: 0 }));
        }
        self.close(&exits);
        Ok(self.emit(Op::EndLoop { masks: own, none: 0 }))
    }

    /// Assigns the slots of constants to a value.
    fn fix(&mut self, value: Value, bits: [u64; 4]) {
        let ty = self.func.ty(value);
        for (comp, bits) in bits.into_iter().enumerate().take(ty.comps()) {
            self.slot_of[value.index()][comp] = self.constant(bits & ty.mask());
        }
        self.fixed[value.index()] = true;
    }

    /// Compiles an arithmetic instruction.
    fn alu(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        let func = self.func;
        let ty = func.ty(result);
        let bits = func.ty(srcs[op.size_src()].value).bits();
        let flush = Flush { srcs: self.flushes(op, bits), result: self.flushes(op, ty.bits()) };
        if op.is_per_component() {
            let dst = self.define(result);
            for (comp, &dst) in dst.iter().enumerate().take(ty.comps()) {
                let mut slots = [dst; 4];
                for (slot, &src) in slots.iter_mut().zip(srcs) {
                    *slot = self.read(src, comp);
                }
                let (result_bits, bits) = (ty.bits() as u8, bits as u8);
                self.emit(Op::Alu { op, result_bits, bits, flush, dst, srcs: slots });
            }
            return;
        }
        let dst = self.define(result);
        if matches!(op, AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4) {
            for (&dst, &src) in dst.iter().zip(srcs) {
                self.emit_move(dst, self.read(src, 0));
            }
            return;
        }
        let mut slots = [[0; 4]; 2];
        for (i, &src) in srcs.iter().enumerate().take(2) {
            slots[i] = self.read_all(src, op.src_comps(i, ty.comps()));
        }
        let vector = VectorOp { op, result: ty, bits, flush, dst, srcs: slots };
        self.code.vectors.push(vector);
        self.emit(Op::Vector(self.code.vectors.len() as u32 - 1));
    }

    /// Whether the shader requests that denormals of this size are flushed to zero in a float operation.
    fn flushes(&self, op: AluOp, bits: u32) -> bool {
        let row = op.row();
        let float = std::iter::once(&row.result).chain(row.srcs).any(|o| o.class == Class::Float);
        let bit = match bits {
            16 => 1,
            32 => 2,
            64 => 4,
            _ => 0,
        };
        float && self.shader.float_controls.denorm_flush & bit != 0
    }

    fn emit_move(&mut self, dst: Slot, src: Slot) {
        let (op, srcs) = (AluOp::Mov, [src; 4]);
        let flush = Flush::default();
        self.emit(Op::Alu { op, result_bits: 64, bits: 64, flush, dst, srcs });
    }

    /// Emits moves of sources to values, as if all were done at the same time.
    fn pass(&mut self, srcs: &[Src], values: Option<&[Value]>) {
        let mut moves = Vec::new();
        for (&src, &value) in srcs.iter().zip(values.unwrap_or_default()) {
            for comp in 0..self.func.ty(value).comps() {
                moves.push((self.slot_of[value.index()][comp], self.read(src, comp)));
            }
        }
        moves.retain(|(dst, src)| dst != src);
        let mut written = hashbrown::HashSet::new();
        let overlap = moves.iter().any(|&(dst, src)| {
            let overlap = written.contains(&src);
            written.insert(dst);
            overlap
        });
        let targets: hashbrown::HashSet<Slot> = moves.iter().map(|&(dst, _)| dst).collect();
        let mut temporaries = Vec::new();
        if overlap {
            for (_, src) in &mut moves {
                // A free slot may belong to a parameter that is never used but is written by these moves, so it
                // cannot be a temporary.
                let mut temporary = self.slot();
                while targets.contains(&temporary) {
                    temporaries.push(temporary);
                    temporary = self.slot();
                }
                self.emit_move(temporary, *src);
                *src = temporary;
                temporaries.push(temporary);
            }
        }
        for (dst, src) in moves {
            self.emit_move(dst, src);
        }
        self.free.extend(temporaries);
    }

    /// Describes an access to memory, without its data.
    fn memory_op(&self, inst: InstId, memory: &Memory, offset: Option<Src>, ty: Ty) -> MemoryOp {
        let space = match memory {
            Memory::Ubo(r) | Memory::Ssbo(r) => Space::Buffer {
                binding: r.binding,
                element: r.element.map(|src| self.read(src, 0)),
            },
            Memory::Image(r) => {
                Space::Image { binding: r.binding, element: r.element.map(|src| self.read(src, 0)) }
            }
            Memory::Global(address) => Space::Global {
                address: self.read(*address, 0),
                bits: self.func.ty(address.value).bits(),
            },
            Memory::PushConstant => Space::PushConstant,
            Memory::Shared => Space::Shared,
            Memory::Scratch => Space::Scratch,
            Memory::ConstData => Space::ConstData,
        };
        MemoryOp {
            inst,
            space,
            offset: offset.map_or(0, |src| self.read(src, 0)),
            bytes: ty.comp_bytes(),
            comps: 1,
            mask: 1,
            data: [0; 4],
            atomic: None,
            compare: 0,
            result: None,
        }
    }

    /// Compiles an access to an image, or a query.
    fn image(&mut self, inst: &InstData) {
        let kind = &inst.kind;
        let Some(image) = kind.image().copied() else { return };
        let Some(ty) = self.shader.image(image.binding) else { return };
        let mut op = ImageOp {
            binding: image.binding,
            element: image.element.map(|src| self.read(src, 0)),
            ty,
            action: ImageAction::Load,
            form: ImageForm::Shader,
            coord: [0; 4],
            data: [0; 4],
            compare: 0,
            result: [0; 4],
            comps: 0,
        };
        match *kind {
            InstKind::ImageLoad { coord, dims, form, .. } => {
                (op.form, op.coord) = (form, self.read_all(coord, dims.into()));
            }
            InstKind::ImageStore { coord, dims, data, form, .. } => {
                op.action = ImageAction::Store;
                (op.form, op.coord) = (form, self.read_all(coord, dims.into()));
                op.data = self.read_all(data, form.comps());
            }
            InstKind::ImageAtomic { op: atomic, coord, dims, data, compare, form, .. } => {
                op.action = ImageAction::Atomic(atomic);
                (op.form, op.coord) = (form, self.read_all(coord, dims.into()));
                op.data = self.read_all(data, 1);
                op.compare = compare.map_or(op.data[0], |src| self.read(src, 0));
            }
            InstKind::ImageParam { param, comp, .. } => {
                op.action = ImageAction::Param(param, comp);
            }
            _ => op.action = ImageAction::Size,
        }
        if let Some(&result) = inst.results.first() {
            op.comps = self.func.ty(result).comps() as u8;
            op.result = self.define(result);
        }
        self.code.image_ops.push(op);
        self.emit(Op::Image(self.code.image_ops.len() as u32 - 1));
    }

    /// Compiles a read through the sampler unit.
    fn texture(&mut self, read: &TextureRead, result: Value) {
        let Some(ty) = self.shader.texture(read.texture.binding) else { return };
        let place = |r: &Resource| (r.binding, r.element.map(|src| self.read(src, 0)));
        let dims = usize::from(read.dims);
        let slots = TextureSlots {
            op: read.op,
            ty,
            form: read.form,
            texture: place(&read.texture),
            sampler: read.sampler.as_ref().map(place),
            coord: read.coord.map(|src| self.read_all(src, read.coords())),
            sample: read.sample.map(|src| self.read(src, 0)),
            level: read.level.map(|src| self.read(src, 0)),
            implicit: read.implicit,
            min_level: read.min_level.map(|src| self.read(src, 0)),
            compare: read.compare.map(|src| self.read(src, 0)),
            gradients: read.gradients.map(|both| both.map(|src| self.read_all(src, dims))),
            offset: read.offset,
            offset_at_run_time: read.offset_at_run_time.map(|src| self.read_all(src, dims)),
            comps: self.func.ty(result).comps() as u8,
            result: self.define(result),
        };
        self.code.texture_reads.push(slots);
        self.emit(Op::Texture(self.code.texture_reads.len() as u32 - 1));
    }

    fn push_memory_op(&mut self, op: MemoryOp) -> u32 {
        self.code.memory_ops.push(op);
        self.code.memory_ops.len() as u32 - 1
    }

    /// Describes the access to component `comp` of the scalar or vector that a path selects. Returns the index of the
    /// description.
    fn var_op(&mut self, var: u32, path: &[PathStep], comp: usize) -> u32 {
        let mut base = self.var_bases[var as usize];
        let mut indices = Vec::new();
        let mut ty = &self.shader.vars[var as usize].ty;
        let mut scalar = false;
        for step in path {
            // A step into a vector is always the last one.
            let (count, stride) = match ty {
                VarTy::Vector(ty) => (ty.comps() as u32, 1),
                VarTy::Array(element, count) => (*count, element.num_scalars() as u32),
                VarTy::Struct(_) => (0, 0),
            };
            match (step, ty) {
                (PathStep::Const(index), VarTy::Struct(members)) => {
                    let before = &members[..*index as usize];
                    base += before.iter().map(|m| m.num_scalars() as u32).sum::<u32>();
                    ty = &members[*index as usize];
                    continue;
                }
                (PathStep::Const(index), _) => base += index * stride,
                (PathStep::Dyn(src), _) => indices.push((self.read(*src, 0), count, stride)),
            }
            match ty {
                VarTy::Array(element, _) => ty = element,
                _ => scalar = true,
            }
        }
        if !scalar {
            base += comp as u32;
        }
        self.code.var_ops.push(VarOp { base, indices });
        self.code.var_ops.len() as u32 - 1
    }
}

/// Appends the initial values of a variable without initialiser.
fn push_undef(ty: &VarTy, undef: u64, out: &mut Vec<u64>) {
    match ty {
        VarTy::Vector(ty) => out.extend(std::iter::repeat_n(undef & ty.mask(), ty.comps())),
        VarTy::Array(element, count) => {
            for _ in 0..*count {
                push_undef(element, undef, out);
            }
        }
        VarTy::Struct(members) => members.iter().for_each(|m| push_undef(m, undef, out)),
    }
}
