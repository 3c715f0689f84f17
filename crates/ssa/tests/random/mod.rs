//! Generates random shaders that end, stay within their buffers, and do not use undefined results.

use crestline_ssa::interp::{BufferKey, Resources};
use crestline_ssa::ir::{
    Access, Align, AluOp, Binding, BindingId, BindingKind, Builder, ComputeInfo, InstKind, Memory,
    PathStep, RegionId, Resource, Shader, Src, StageInfo, SysVal, Ty, Value, VarId, VarStorage,
    VarTy, Variable, WriteMask,
};
use fastrand::Rng;

/// Total number of invocations: two workgroups of eight.
const INVOCATIONS: u32 = 16;
/// Bytes of output per invocation, a power of two.
const OWN_BYTES: u32 = 64;

/// A random shader and its resources. The same seed gives the same shader; the shader's name contains the seed.
pub(crate) fn shader(seed: u64) -> (Shader, Resources) {
    let mut shader = Shader::new_compute(format!("random {seed}"));
    shader.stage =
        StageInfo::Compute(ComputeInfo { shared_bytes: 256, ..ComputeInfo::new([4, 2, 1]) });
    for (binding, name) in [(0, "in"), (1, "out")] {
        shader.bindings.push(Binding {
            set: 0,
            binding,
            kind: BindingKind::StorageBuffer,
            count: None,
            name: name.into(),
            readonly: binding == 0,
            non_uniform: false,
        });
    }
    let vector = |comps| VarTy::Vector(Ty::X32.with_comps(comps));
    let array = |ty: VarTy, count| VarTy::Array(Box::new(ty), count);
    let types = [
        vector(1),
        vector(1),
        vector(4),
        array(vector(1), 5),
        array(array(vector(2), 3), 4),
        array(VarTy::Struct(vec![vector(1), array(vector(3), 2)]), 2),
    ];
    for (i, ty) in types.into_iter().enumerate() {
        let init = Some((0..ty.num_scalars()).map(|n| n * 3 + i as u64).collect());
        let name = format!("v{i}");
        shader.vars.push(Variable { name, ty, storage: VarStorage::Private, init });
    }
    let vars = shader.vars.clone();
    let body = shader.func.body();
    let mut random = Random {
        rng: Rng::with_seed(seed),
        b: Builder::new(&mut shader.func, body),
        vars,
        scalars: vec![],
        bools: vec![],
        vectors: vec![],
        own: None,
        size: 0,
        loops: 0,
    };
    random.program();
    let mut buffers = Resources::default();
    let input: Vec<u8> =
        (0..256_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    buffers.buffers.insert(BufferKey { set: 0, binding: 0, element: 0 }, input);
    let output = vec![0; (INVOCATIONS * OWN_BYTES) as usize];
    buffers.buffers.insert(BufferKey { set: 0, binding: 1, element: 0 }, output);
    (shader, buffers)
}

struct Random<'f> {
    rng: Rng,
    b: Builder<'f>,
    vars: Vec<Variable>,
    /// Visible values by type: 32-bit scalars, booleans, vectors of four.
    scalars: Vec<Value>,
    bools: Vec<Value>,
    vectors: Vec<Value>,
    /// The byte offset of the invocation's output.
    own: Option<Value>,
    size: u32,
    loops: u32,
}

/// Operations on 32-bit scalars that are defined for all inputs.
const BINARY: &[AluOp] = &[
    AluOp::IAdd,
    AluOp::ISub,
    AluOp::IMul,
    AluOp::IAnd,
    AluOp::IOr,
    AluOp::IXor,
    AluOp::IShl,
    AluOp::IShr,
    AluOp::UShr,
    AluOp::IMin,
    AluOp::IMax,
    AluOp::UMin,
    AluOp::UMax,
    AluOp::UMulHigh,
    AluOp::IMulHigh,
    AluOp::UAddCarry,
    AluOp::USubBorrow,
    AluOp::FAdd,
    AluOp::FMul,
    AluOp::FMin,
    AluOp::FMax,
    AluOp::FSub,
];
const UNARY: &[AluOp] = &[
    AluOp::INeg,
    AluOp::INot,
    AluOp::IAbs,
    AluOp::ISign,
    AluOp::BitCount,
    AluOp::BitReverse,
    AluOp::FindLsb,
    AluOp::FindUMsb,
    AluOp::FindIMsb,
    AluOp::FNeg,
    AluOp::FAbs,
    AluOp::FSat,
    AluOp::FFloor,
    AluOp::FSign,
];
const COMPARE: &[AluOp] = &[
    AluOp::IEq,
    AluOp::INe,
    AluOp::ILt,
    AluOp::IGe,
    AluOp::ULt,
    AluOp::UGe,
    AluOp::FEq,
    AluOp::FNe,
    AluOp::FLt,
    AluOp::FGe,
];
const DIVIDE: &[AluOp] = &[AluOp::UDiv, AluOp::UMod, AluOp::IDiv, AluOp::IRem, AluOp::IMod];

impl Random<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.rng.usize(..n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn program(&mut self) {
        self.b.set_exact(true);
        let body = self.b.region();
        let gid = self.b.sysval(SysVal::GlobalInvocationId);
        let group = self.b.sysval(SysVal::WorkgroupId);
        let index = self.b.sysval(SysVal::LocalInvocationIndex);
        let eight = self.b.imm(8);
        let first = self.b.alu_ty(AluOp::IMul, Ty::X32, &[Src::comp(group, 0), eight.into()]);
        let number = self.b.alu(AluOp::IAdd, &[first, index]);
        let bytes = self.b.imm(OWN_BYTES);
        self.own = Some(self.b.alu(AluOp::IMul, &[number, bytes]));
        let x = self.b.comp(gid, 0);
        self.scalars.extend([number, index, x]);
        let offset = self.b.imm(16);
        let input = self.load_input(offset, 4);
        self.vectors.push(input);
        let yes = self.b.alu(AluOp::ULt, &[number, eight]);
        self.bools.push(yes);
        let size = 6 + self.below(30) as u32;
        self.size = size * 6;
        self.block(size, 0, None);
        for i in 0..8 {
            let value = self.scalar();
            self.store_own(i, value);
        }
        self.b.switch_to(body);
        self.b.return_();
    }

    fn load_input(&mut self, offset: Value, comps: usize) -> Value {
        let memory = Memory::Ssbo(Resource { binding: BindingId(0), element: None });
        let access = Access { readonly: self.below(2) == 0, ..Access::default() };
        self.b.load(memory, offset, Align::to(4), access, Ty::X32.with_comps(comps))
    }

    fn store_own(&mut self, slot: u32, value: Value) {
        let Some(own) = self.own else { return };
        let slot = self.b.imm(slot % (OWN_BYTES / 4) * 4);
        let offset = self.b.alu(AluOp::IAdd, &[own, slot]);
        let memory = Memory::Ssbo(Resource { binding: BindingId(1), element: None });
        self.b.store(memory, offset, value, Align::to(4), Access::default());
    }

    /// Makes a load or store in the invocation's own part of shared memory or of the output.
    fn own_memory(&mut self) {
        let Some(own) = self.own else { return };
        let shared = self.below(3) > 0;
        let bytes = if shared { 32 } else { OWN_BYTES };
        let comps = 1 + self.below(3) as u32;
        let slots = bytes / 4 - comps + 1;
        let slot = if self.below(3) == 0 {
            let (any, limit, size) = (self.scalar(), self.b.imm(slots), self.b.imm(4));
            let slot = self.b.alu(AluOp::UMod, &[any, limit]);
            self.b.alu(AluOp::IMul, &[slot, size])
        } else {
            let slot = self.below(slots as usize) as u32;
            self.b.imm(slot * 4)
        };
        let (memory, first) = if shared {
            let (mask, one) = (self.b.imm(7 * OWN_BYTES), self.b.imm(1));
            let lane = self.b.alu(AluOp::IAnd, &[own, mask]);
            (Memory::Shared, self.b.alu(AluOp::UShr, &[lane, one]))
        } else {
            (Memory::Ssbo(Resource { binding: BindingId(1), element: None }), own)
        };
        let offset = self.b.alu(AluOp::IAdd, &[first, slot]);
        if self.below(2) == 0 {
            let ty = Ty::X32.with_comps(comps as usize);
            let value = self.b.load(memory, offset, Align::to(4), Access::default(), ty);
            let value = self.b.comp(value, comps as usize - 1);
            self.scalars.push(value);
        } else {
            let comps: Vec<Src> = (0..comps).map(|_| self.scalar().into()).collect();
            let data = self.b.vec(&comps);
            self.b.store(memory, offset, data, Align::to(4), Access::default());
        }
    }

    fn scalar(&mut self) -> Value {
        match self.below(8) {
            0 => {
                let value = self.pick(&[
                    0,
                    1,
                    2,
                    3,
                    7,
                    8,
                    31,
                    0xff,
                    0x8000_0000,
                    u32::MAX,
                    0x3f80_0000,
                    0xbf00_0000,
                ]);
                self.b.imm(value)
            }
            1 if !self.vectors.is_empty() => {
                let (i, c) = (self.below(self.vectors.len()), self.below(4));
                let vector = self.vectors[i];
                self.b.comp(vector, c)
            }
            n => {
                let last = self.scalars.len() - 1;
                let at = if n < 5 { last - self.below(4).min(last) } else { self.below(last + 1) };
                self.scalars[at]
            }
        }
    }

    fn bool(&mut self) -> Value {
        let i = self.below(self.bools.len());
        match self.below(6) {
            0 => {
                let (x, y) = (self.bools[i], self.bools[self.bools.len() - 1]);
                let op = self.pick(&[AluOp::IAnd, AluOp::IOr, AluOp::IXor, AluOp::IEq, AluOp::INe]);
                self.b.alu(op, &[x, y])
            }
            1 => {
                let x = self.bools[i];
                self.b.alu(AluOp::INot, &[x])
            }
            2 => {
                let value = self.below(2) == 0;
                self.b.imm_b(value)
            }
            3 => {
                let (x, y) = (self.scalar(), self.scalar());
                let op = self.pick(COMPARE);
                self.b.alu(op, &[x, y])
            }
            _ => self.bools[i],
        }
    }

    fn vector(&mut self) -> Src {
        let i = self.below(self.vectors.len());
        let mut swizzle = [0; 4];
        swizzle.fill_with(|| self.below(4) as u8);
        let swizzle = if self.below(2) == 0 { Src::IDENTITY } else { swizzle };
        Src { value: self.vectors[i], swizzle }
    }

    /// A random path into a variable, and the type that it selects. Dynamic indices are in range.
    fn path(&mut self) -> (VarId, Vec<PathStep>, Ty) {
        let var = self.below(self.vars.len());
        let mut at = self.vars[var].ty.clone();
        let mut path = Vec::new();
        loop {
            let (count, may_stop) = match &at {
                VarTy::Vector(ty) => (ty.comps() as u32, true),
                VarTy::Array(_, count) => (*count, false),
                VarTy::Struct(members) => (members.len() as u32, false),
            };
            if let VarTy::Vector(ty) = at
                && may_stop
                && (count == 1 || self.below(3) > 0)
            {
                return (VarId::from_index(var), path, ty);
            }
            let dynamic = !matches!(at, VarTy::Struct(_)) && self.below(3) == 0;
            let index = self.below(count as usize) as u32;
            if dynamic {
                let (any, limit) = (self.scalar(), self.b.imm(count));
                let index = self.b.alu(AluOp::UMod, &[any, limit]);
                path.push(PathStep::Dyn(index.into()));
            } else {
                path.push(PathStep::Const(index));
            }
            match at.step(if dynamic { None } else { Some(index) }) {
                Some(below) => at = below,
                None => unreachable!("the index is in range"),
            }
        }
    }

    fn block(&mut self, statements: u32, depth: u32, around: Option<&[Ty]>) {
        for _ in 0..statements {
            if self.size == 0 {
                return;
            }
            self.size -= 1;
            self.statement(depth, around);
        }
    }

    fn statement(&mut self, depth: u32, around: Option<&[Ty]>) {
        match self.below(25) {
            0..=5 => {
                let (x, y) = (self.scalar(), self.scalar());
                let op = self.pick(BINARY);
                let value = self.b.alu(op, &[x, y]);
                self.scalars.push(value);
            }
            6 => {
                let x = self.scalar();
                let op = self.pick(UNARY);
                let value = self.b.alu(op, &[x]);
                self.scalars.push(value);
            }
            7 => {
                // The divisor is positive, so it is neither zero nor -1.
                let (x, y, op) = (self.scalar(), self.scalar(), self.pick(DIVIDE));
                let y = if self.below(2) == 0 {
                    let divisor = self.pick(&[1, 2, 3, 7, 8, 10, 1000, 0xffff_fffe]);
                    self.b.imm(divisor)
                } else {
                    let (mask, one) = (self.b.imm(0xff), self.b.imm(1));
                    let low = self.b.alu(AluOp::IAnd, &[y, mask]);
                    self.b.alu(AluOp::IOr, &[low, one])
                };
                let value = self.b.alu(op, &[x, y]);
                self.scalars.push(value);
            }
            8 => {
                let (x, y, mask) = (self.scalar(), self.scalar(), self.b.imm(15));
                let (first, count) =
                    (self.b.alu(AluOp::IAnd, &[x, mask]), self.b.alu(AluOp::IAnd, &[y, mask]));
                let base = self.scalar();
                let value = match self.below(3) {
                    0 => self.b.alu(AluOp::UBitfieldExtract, &[base, first, count]),
                    1 => self.b.alu(AluOp::IBitfieldExtract, &[base, first, count]),
                    _ => {
                        let insert = self.scalar();
                        self.b.alu(AluOp::BitfieldInsert, &[base, insert, first, count])
                    }
                };
                self.scalars.push(value);
            }
            9 => {
                let (c, x, y) = (self.bool(), self.scalar(), self.scalar());
                let value = self.b.alu(AluOp::Select, &[c, x, y]);
                self.scalars.push(value);
            }
            10 => {
                let value = self.bool();
                self.bools.push(value);
                let value = self.b.convert(AluOp::B2I, 32, value);
                self.scalars.push(value);
            }
            11..=12 => {
                let (x, y) = (self.vector(), self.vector());
                let op = self.pick(&BINARY[..13]);
                let value = self.b.alu_ty(op, Ty::X32.with_comps(4), &[x, y]);
                self.vectors.push(value);
            }
            13 => {
                let comps: Vec<Src> = (0..4).map(|_| self.scalar().into()).collect();
                let value = self.b.vec(&comps);
                self.vectors.push(value);
            }
            14..=15 => {
                let (var, path, ty) = self.path();
                let value = self.b.load_var(var, path, ty);
                let value = self.b.comp(value, 0);
                self.scalars.push(value);
            }
            16..=17 => {
                let (var, path, ty) = self.path();
                let data = if ty.comps() == 1 { self.scalar().into() } else { self.vector() };
                let mask = WriteMask(WriteMask::all(ty.comps()).0 & (self.below(15) + 1) as u8);
                let mask = if mask.0 == 0 { WriteMask(1) } else { mask };
                self.b.inst(InstKind::StoreVar { var, path, data, mask }, &[]);
            }
            18 => {
                let (x, mask) = (self.scalar(), self.b.imm(0xf0));
                let offset = self.b.alu(AluOp::IAnd, &[x, mask]);
                let comps = 1 + self.below(4);
                let value = self.load_input(offset, comps);
                if comps == 4 {
                    self.vectors.push(value)
                } else {
                    let value = self.b.comp(value, comps - 1);
                    self.scalars.push(value);
                }
            }
            19 => self.own_memory(),
            20 => {
                let (value, slot) = (self.scalar(), self.below(16) as u32);
                self.store_own(slot, value);
            }
            21..=22 if depth < 4 => self.branch(depth, around),
            23 if depth < 4 && self.loops < 3 => self.repeat(depth),
            _ => {}
        }
    }

    /// Builds code in a region with `build`. Afterwards removes the values that are visible only there.
    fn inside(&mut self, region: RegionId, build: impl FnOnce(&mut Self)) {
        let home = self.b.region();
        let visible = (self.scalars.len(), self.bools.len(), self.vectors.len());
        self.b.switch_to(region);
        build(self);
        self.scalars.truncate(visible.0);
        self.bools.truncate(visible.1);
        self.vectors.truncate(visible.2);
        self.b.switch_to(home);
    }

    fn values(&mut self, types: &[Ty]) -> Vec<Value> {
        types
            .iter()
            .map(|ty| match (ty.bits(), ty.comps()) {
                (1, _) => self.bool(),
                (_, 4) => self.vectors[self.vectors.len() - 1],
                _ => self.scalar(),
            })
            .collect()
    }

    fn types(&mut self) -> Vec<Ty> {
        let count = self.below(3);
        (0..count)
            .map(|_| self.pick(&[Ty::X32, Ty::X32, Ty::BOOL, Ty::X32.with_comps(4)]))
            .collect()
    }

    fn keep(&mut self, values: &[Value]) {
        for &value in values {
            match (self.b.func.ty(value).bits(), self.b.func.ty(value).comps()) {
                (1, _) => self.bools.push(value),
                (_, 4) => self.vectors.push(value),
                _ => self.scalars.push(value),
            }
        }
    }

    fn branch(&mut self, depth: u32, around: Option<&[Ty]>) {
        let cond = self.bool();
        let (inst, then, else_) = self.b.if_(cond);
        let types = self.types();
        // Whether a branch jumps instead of yielding, and how.
        let jumps = self.below(6);
        for (i, region) in [then, else_].into_iter().enumerate() {
            let statements = self.below(5) as u32;
            self.inside(region, |r| {
                r.block(statements, depth + 1, around);
                match (jumps, around) {
                    (0, Some(results)) if i == 0 => {
                        let values = r.values(results);
                        r.b.break_(&values);
                    }
                    (1, None) if i == 1 => r.b.return_(),
                    (2, Some(_)) if i == 1 && r.below(3) == 0 => r.b.return_(),
                    _ => {
                        let values = r.values(&types);
                        r.b.yield_(&values);
                    }
                }
            });
        }
        let results: Vec<Value> =
            types.iter().map(|&ty| self.b.func.add_result(inst, ty)).collect();
        self.keep(&results);
    }

    /// Makes a loop whose first parameter is a counter, which is tested at the start of the body.
    fn repeat(&mut self, depth: u32) {
        self.loops += 1;
        let types = self.types();
        let results = self.types();
        let mut init = vec![self.b.imm(0)];
        init.extend(self.values(&types));
        let (inst, body) = self.b.loop_(&init);
        let rounds = self.pick(&[0, 1, 2, 3, 5, 40]);
        let by_data = self.below(3) == 0;
        let continuing = (self.below(2) == 0).then(|| self.b.func.add_region());
        if let InstKind::Loop { continuing: slot, .. } = self.b.func.kind_mut(inst) {
            *slot = continuing;
        }
        // If there is a `continuing` region, it has the same parameters as the body, and increments the counter.
        let params: Vec<Value> = self.b.func.region(body).params.clone();
        let all: Vec<Ty> = params.iter().map(|&p| self.b.func.ty(p)).collect();
        self.inside(body, |r| {
            r.keep(&params);
            let mut limit = r.b.imm(rounds);
            if by_data {
                let any = r.scalars[0];
                limit = r.b.alu(AluOp::UMin, &[limit, any]);
            }
            let done = r.b.alu(AluOp::UGe, &[params[0], limit]);
            let (_, then, else_) = r.b.if_(done);
            r.inside(then, |r| {
                let values = r.values(&results);
                r.b.break_(&values);
            });
            r.inside(else_, |r| r.b.yield_(&[]));
            let statements = 2 + r.below(5) as u32;
            r.block(statements, depth + 1, Some(&results));
            if r.below(3) == 0 {
                let cond = r.bool();
                let (_, then, else_) = r.b.if_(cond);
                r.inside(then, |r| r.end_round(params[0], &all, continuing.is_some()));
                r.inside(else_, |r| r.b.yield_(&[]));
                r.block(2, depth + 1, Some(&results));
            }
            r.end_round(params[0], &all, continuing.is_some());
        });
        if let Some(region) = continuing {
            let params: Vec<Value> =
                all.iter().map(|&ty| self.b.func.add_param(region, ty)).collect();
            self.inside(region, |r| {
                r.keep(&params);
                let statements = r.below(12) as u32;
                r.block(statements, 4, None);
                r.end_round(params[0], &all, false);
            });
        }
        let results: Vec<Value> =
            results.iter().map(|&ty| self.b.func.add_result(inst, ty)).collect();
        self.keep(&results);
    }

    /// Ends a region of a loop with `Continue`. Increments the counter unless `plain`, since then the `continuing`
    /// region does.
    fn end_round(&mut self, counter: Value, types: &[Ty], plain: bool) {
        let next = if plain {
            counter
        } else {
            let one = self.b.imm(1);
            self.b.alu(AluOp::IAdd, &[counter, one])
        };
        let mut values = vec![next];
        values.extend(self.values(&types[1..]));
        self.b.continue_(&values);
    }
}
