//! Functions that insert instructions into a region, one per kind of instruction.

use super::{
    Access, Align, AluOp, AtomicOp, CompRule, Function, ImageParam, InstId, InstKind, IoSlot,
    Memory, PathStep, RegionId, Resource, Src, Srcs, SubgroupOp, SysVal, Ty, Value, VarId,
    WriteMask,
};
use crate::ir::BitRule;

/// A position in a function where instructions are inserted.
///
/// New instructions go to the end of the current region, or before the position given to [`Builder::at`].
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function.
    pub func: &'f mut Function,
    region: RegionId,
    /// Index in the region's list at which the next instruction is inserted; `None` for the end of the list.
    before: Option<usize>,
    exact: bool,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `region`.
    pub fn new(func: &'f mut Function, region: RegionId) -> Builder<'f> {
        Builder { func, region, before: None, exact: false }
    }

    /// A builder before instruction number `index` of `region`.
    pub fn at(func: &'f mut Function, region: RegionId, index: usize) -> Builder<'f> {
        Builder { func, region, before: Some(index), exact: false }
    }

    /// The current region.
    pub fn region(&self) -> RegionId {
        self.region
    }

    /// Moves the builder to the end of another region.
    pub fn switch_to(&mut self, region: RegionId) {
        self.region = region;
        self.before = None;
    }

    /// Whether new arithmetic instructions are `exact`, which forbids rewrites that change float results.
    pub fn exact(&self) -> bool {
        self.exact
    }

    /// Sets whether new arithmetic instructions are `exact`. Returns the previous setting.
    pub fn set_exact(&mut self, exact: bool) -> bool {
        std::mem::replace(&mut self.exact, exact)
    }

    /// Makes an instruction with results of the given types and inserts it.
    pub fn inst(&mut self, kind: InstKind, results: &[Ty]) -> InstId {
        let inst = self.func.add_inst(kind, results);
        self.insert(inst);
        inst
    }

    /// Inserts an existing instruction.
    pub fn insert(&mut self, inst: InstId) {
        let insts = &mut self.func.region_mut(self.region).insts;
        match &mut self.before {
            Some(index) => {
                insts.insert(*index, inst);
                *index += 1;
            }
            None => insts.push(inst),
        }
    }

    /// Makes and inserts an instruction with one result. Returns the result.
    fn value(&mut self, kind: InstKind, ty: Ty) -> Value {
        let inst = self.inst(kind, &[ty]);
        self.func.inst(inst).results[0]
    }

    /// A constant with the given components, each truncated to the type's bits.
    pub fn constant(&mut self, ty: Ty, comps: [u64; 4]) -> Value {
        let mut bits = [0; 4];
        for (bits, comp) in bits.iter_mut().zip(comps).take(ty.comps()) {
            *bits = comp & ty.mask();
        }
        self.value(InstKind::Const(bits), ty)
    }

    /// A 32-bit constant.
    pub fn imm(&mut self, value: u32) -> Value {
        self.constant(Ty::X32, [u64::from(value), 0, 0, 0])
    }

    /// A 32-bit float constant.
    pub fn imm_f(&mut self, value: f32) -> Value {
        self.imm(value.to_bits())
    }

    /// A boolean constant.
    pub fn imm_b(&mut self, value: bool) -> Value {
        self.constant(Ty::BOOL, [u64::from(value), 0, 0, 0])
    }

    /// An undefined value.
    pub fn undef(&mut self, ty: Ty) -> Value {
        self.value(InstKind::Undef, ty)
    }

    /// An arithmetic instruction with a result of type `ty`.
    pub fn alu_ty(&mut self, op: AluOp, ty: Ty, srcs: &[Src]) -> Value {
        let kind = InstKind::Alu { op, srcs: Srcs::from_slice(srcs), exact: self.exact };
        self.value(kind, ty)
    }

    /// An arithmetic instruction on whole values. The result type follows from the operation's row and the sources.
    ///
    /// # Panics
    /// If the number of sources is wrong, or if the result's bit size is free (conversions): use [`Builder::alu_ty`]
    /// then.
    pub fn alu(&mut self, op: AluOp, srcs: &[Value]) -> Value {
        let row = op.row();
        assert_eq!(row.srcs.len(), srcs.len(), "{} takes {} sources", row.name, row.srcs.len());
        let find = |pick: &dyn Fn(usize) -> bool| {
            (0..srcs.len()).find(|&i| pick(i)).map(|i| self.func.ty(srcs[i]))
        };
        let bits = match row.result.bits {
            BitRule::Is(bits) => u32::from(bits),
            BitRule::Same => find(&|i| row.srcs[i].bits == BitRule::Same).map_or(32, Ty::bits),
            BitRule::Free => panic!("the result size of {} is free", row.name),
        };
        let comps = match row.result.comps {
            CompRule::Is(comps) => usize::from(comps),
            CompRule::Each => find(&|i| row.srcs[i].comps == CompRule::Each).map_or(1, Ty::comps),
        };
        let ty = Ty::new(bits, comps as u32).expect("rows and values have valid sizes");
        let srcs: Srcs = srcs.iter().map(|&v| Src::new(v)).collect();
        self.alu_ty(op, ty, &srcs)
    }

    /// A conversion of every component to `bits` bits.
    pub fn convert(&mut self, op: AluOp, bits: u32, src: Value) -> Value {
        let comps = self.func.ty(src).comps() as u32;
        let ty = Ty::new(bits, comps).expect("callers convert to valid sizes");
        self.alu_ty(op, ty, &[Src::new(src)])
    }

    /// One component of a value; the value itself if it is a scalar.
    pub fn comp(&mut self, value: Value, comp: usize) -> Value {
        let ty = self.func.ty(value);
        if ty.comps() == 1 {
            value
        } else {
            self.alu_ty(AluOp::Mov, ty.scalar(), &[Src::comp(value, comp)])
        }
    }

    /// A vector of one to four scalars of equal size. If there is one source and it reads a scalar value, that value.
    ///
    /// # Panics
    /// If there are none or more than four.
    pub fn vec(&mut self, comps: &[Src]) -> Value {
        let ty = self.func.ty(comps[0].value).with_comps(comps.len());
        let op = match comps.len() {
            1 => AluOp::Mov,
            2 => AluOp::Vec2,
            3 => AluOp::Vec3,
            4 => AluOp::Vec4,
            n => panic!("a vector of {n} components"),
        };
        if op == AluOp::Mov && self.func.ty(comps[0].value).comps() == 1 {
            return comps[0].value;
        }
        self.alu_ty(op, ty, comps)
    }

    /// A value that the hardware or driver supplies.
    pub fn sysval(&mut self, sysval: SysVal) -> Value {
        self.value(InstKind::SysVal(sysval), sysval.ty())
    }

    /// The 32-bit value of the first active invocation of the subgroup.
    pub fn read_first(&mut self, src: impl Into<Src>) -> Value {
        self.value(InstKind::Subgroup { op: SubgroupOp::ReadFirst, src: src.into() }, Ty::X32)
    }

    /// Reads a private variable.
    pub fn load_var(&mut self, var: VarId, path: Vec<PathStep>, ty: Ty) -> Value {
        self.value(InstKind::LoadVar { var, path }, ty)
    }

    /// Writes all components of `data` to a scalar or vector of a private variable.
    pub fn store_var(&mut self, var: VarId, path: Vec<PathStep>, data: Value) {
        let mask = WriteMask::all(self.func.ty(data).comps());
        self.inst(InstKind::StoreVar { var, path, data: data.into(), mask }, &[]);
    }

    /// Reads an input that is not per vertex, at a constant slot.
    pub fn load_input(&mut self, slot: IoSlot, comp: u8, ty: Ty) -> Value {
        self.value(InstKind::LoadInput { slot, vertex: None, index: None, comp }, ty)
    }

    /// Writes all components of `data` to an output that is not per vertex, at a constant slot.
    pub fn store_output(&mut self, slot: IoSlot, comp: u8, data: Value) {
        let mask = WriteMask::all(self.func.ty(data).comps());
        let (vertex, index, data) = (None, None, data.into());
        self.inst(InstKind::StoreOutput { slot, data, vertex, index, comp, mask }, &[]);
    }

    /// Reads a value of type `ty` from memory.
    pub fn load(
        &mut self,
        memory: Memory,
        offset: impl Into<Src>,
        align: Align,
        access: Access,
        ty: Ty,
    ) -> Value {
        self.value(InstKind::Load { memory, offset: offset.into(), align, access }, ty)
    }

    /// Writes all components of `data` to memory.
    pub fn store(
        &mut self,
        memory: Memory,
        offset: impl Into<Src>,
        data: Value,
        align: Align,
        access: Access,
    ) {
        let comps = self.func.ty(data).comps();
        let (mask, data, offset) = (WriteMask::all(comps), data.into(), offset.into());
        self.inst(
            InstKind::Store { memory, offset, data, comps: comps as u8, mask, align, access },
            &[],
        );
    }

    /// An atomic operation on a scalar of type `ty`.
    #[allow(clippy::too_many_arguments, reason = "one per operand of the instruction")]
    pub fn atomic(
        &mut self,
        memory: Memory,
        op: AtomicOp,
        offset: Src,
        data: Src,
        compare: Option<Src>,
        access: Access,
        ty: Ty,
    ) -> Value {
        self.value(InstKind::Atomic { memory, op, offset, data, compare, access }, ty)
    }

    /// The size of a buffer in bytes.
    pub fn buffer_size(&mut self, resource: Resource) -> Value {
        self.value(InstKind::BufferSize(resource), Ty::X32)
    }

    /// One component of an image parameter that the driver supplies.
    pub fn image_param(&mut self, image: Resource, param: ImageParam, comp: usize) -> Value {
        self.value(InstKind::ImageParam { image, param, comp: comp as u8 }, Ty::X32)
    }

    /// An `If` with empty regions and no results. Build the regions with [`Builder::switch_to`], then add results
    /// with [`Function::add_result`].
    pub fn if_(&mut self, cond: impl Into<Src>) -> (InstId, RegionId, RegionId) {
        let (then, else_) = (self.func.add_region(), self.func.add_region());
        let inst = self.inst(InstKind::If { cond: cond.into(), then, else_ }, &[]);
        (inst, then, else_)
    }

    /// A `Loop` with an empty body that has one parameter for each initial value.
    pub fn loop_(&mut self, init: &[Value]) -> (InstId, RegionId) {
        let body = self.func.add_region();
        for &value in init {
            let ty = self.func.ty(value);
            self.func.add_param(body, ty);
        }
        let init = init.iter().map(|&v| Src::new(v)).collect();
        let inst = self.inst(InstKind::Loop { init, body, continuing: None }, &[]);
        (inst, body)
    }

    /// Ends the current region with `Yield`.
    pub fn yield_(&mut self, values: &[Value]) {
        self.inst(InstKind::Yield(values.iter().map(|&v| Src::new(v)).collect()), &[]);
    }

    /// Ends the current region with `Break`.
    pub fn break_(&mut self, values: &[Value]) {
        self.inst(InstKind::Break(values.iter().map(|&v| Src::new(v)).collect()), &[]);
    }

    /// Ends the current region with `Continue`.
    pub fn continue_(&mut self, values: &[Value]) {
        self.inst(InstKind::Continue(values.iter().map(|&v| Src::new(v)).collect()), &[]);
    }

    /// Ends the current region with `Return`.
    pub fn return_(&mut self) {
        self.inst(InstKind::Return, &[]);
    }
}

impl SysVal {
    /// The type of the value.
    pub fn ty(self) -> Ty {
        match self {
            SysVal::WorkgroupId
            | SysVal::NumWorkgroups
            | SysVal::WorkgroupSize
            | SysVal::LocalInvocationId
            | SysVal::GlobalInvocationId
            | SysVal::TessCoord => Ty::X32.with_comps(3),
            SysVal::LocalInvocationIndex
            | SysVal::SubgroupId
            | SysVal::NumSubgroups
            | SysVal::SubgroupSize
            | SysVal::SubgroupInvocation
            | SysVal::VertexIndex
            | SysVal::InstanceIndex
            | SysVal::BaseVertex
            | SysVal::BaseInstance
            | SysVal::DrawIndex
            | SysVal::ViewIndex
            | SysVal::PrimitiveId
            | SysVal::InvocationId
            | SysVal::PatchVertices
            | SysVal::SampleId
            | SysVal::SampleMaskIn => Ty::X32,
            SysVal::PointCoord | SysVal::SamplePosition => Ty::X32.with_comps(2),
            SysVal::FragCoord => Ty::X32.with_comps(4),
            SysVal::FrontFacing | SysVal::FullyCovered | SysVal::HelperInvocation => Ty::BOOL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Shader;

    #[test]
    fn builds_a_loop_that_counts() {
        let mut shader = Shader::new_compute("main");
        let body = shader.func.body();
        let mut b = Builder::new(&mut shader.func, body);
        let zero = b.imm(0);
        let (looped, round) = b.loop_(&[zero]);
        b.switch_to(round);
        let i = b.func.region(round).params[0];
        let ten = b.imm(10);
        let done = b.alu(AluOp::UGe, &[i, ten]);
        let (_, then, else_) = b.if_(done);
        b.switch_to(then);
        b.break_(&[i]);
        b.switch_to(else_);
        b.yield_(&[]);
        b.switch_to(round);
        let one = b.imm(1);
        let next = b.alu(AluOp::IAdd, &[i, one]);
        b.continue_(&[next]);
        b.func.add_result(looped, Ty::X32);
        b.switch_to(body);
        b.return_();
        assert_eq!(shader.func.ty(done), Ty::BOOL);
        assert_eq!(shader.func.ty(next), Ty::X32);
        assert_eq!(shader.func.region(body).insts.len(), 3);
    }
}
