//! Tests random expressions of every arithmetic operation, at every bit size, with vectors and swizzles: no pass
//! changes the results, and constant folding gives what the interpreter computes.

use crestline_ssa::interp::{self, Resources};
use crestline_ssa::ir::{
    Access, Align, AluOp, Binding, BindingId, BindingKind, BitRule, Builder, Class, CompRule,
    ComputeInfo, Memory, Operand, Resource, Shader, Src, StageInfo, SysVal, Ty, Value,
};
use crestline_ssa::passes::{Doubles, LowerOptions, Options, optimize};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;
use fastrand::Rng;

const INVOCATIONS: u32 = 8;
/// Bytes of output per invocation.
const OWN_BYTES: u32 = 1024;

/// Operations whose lowering may round differently.
const INEXACT: &[AluOp] = &[AluOp::FSin, AluOp::FCos, AluOp::FRsq];

/// Operations whose replacement gives exactly the same results, also for NaN.
const UNSUPPORTED_OPS: &[AluOp] = &[
    AluOp::FSub,
    AluOp::FFract,
    AluOp::FSat,
    AluOp::FSign,
    AluOp::ISign,
    AluOp::IAbs,
    AluOp::IMod,
    AluOp::UMod,
    AluOp::UAddCarry,
    AluOp::USubBorrow,
    AluOp::UBitfieldExtract,
    AluOp::IBitfieldExtract,
    AluOp::BitfieldInsert,
];

struct Random<'f> {
    rng: Rng,
    b: Builder<'f>,
    pool: Vec<Value>,
}

impl Random<'_> {
    fn next(&mut self) -> u64 {
        self.rng.u64(..)
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.usize(..n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A random constant: edge cases, small numbers and floats, and arbitrary bits.
    fn constant(&mut self, ty: Ty) -> Value {
        let mut comps = [0; 4];
        for comp in &mut comps {
            let half = (ty.mask() >> 1) + 1;
            *comp = match self.below(4) {
                0 => self.pick(&[0, 1, 2, half, half - 1, ty.mask(), ty.mask() - 1]),
                1 => self.next() % 40,
                2 => match ty.bits() {
                    16 => self.pick(&[0x3c00, 0xbc00, 0x4000, 0x3800, 0x7c00]),
                    32 => self.pick(&[1.0f32, -1.0, 2.0, 0.5, 100.25]).to_bits().into(),
                    _ => self.pick(&[1.0f64, -1.0, 2.0, 0.5, 100.25]).to_bits(),
                },
                _ => self.next(),
            };
        }
        self.b.constant(ty, comps)
    }

    /// A source that reads `comps` components of `bits` bits.
    fn src(&mut self, bits: u32, comps: usize) -> Src {
        let fitting: Vec<_> =
            self.pool.iter().copied().filter(|&v| self.b.func.ty(v).bits() == bits).collect();
        let value = if fitting.is_empty() || self.below(5) == 0 {
            let own = self.below(4) as u32 + 1;
            self.constant(Ty::new(bits, own).unwrap())
        } else {
            self.pick(&fitting)
        };
        let own = self.b.func.ty(value).comps();
        if own == comps && self.below(2) == 0 {
            return Src::new(value);
        }
        Src { value, swizzle: [0; 4].map(|_: i32| self.below(own) as u8) }
    }

    /// A random bit size that the classes of all these operands allow.
    fn size(&mut self, operands: &[&Operand]) -> u32 {
        let takes = |class: Class, bits: u32| match class {
            Class::Any => true,
            Class::Float => bits >= 16,
            Class::Int | Class::Uint => bits >= 8,
            Class::Bool => bits == 1,
        };
        let sizes: Vec<u32> = [1, 8, 16, 32, 64]
            .into_iter()
            .filter(|&bits| operands.iter().all(|o| takes(o.class, bits)))
            .collect();
        self.pick(&sizes)
    }

    fn operation(&mut self) {
        let ops: Vec<AluOp> = AluOp::all().filter(|op| !INEXACT.contains(op)).collect();
        let op = self.pick(&ops);
        let row = op.row();
        let same = || row.srcs.iter().chain([&row.result]).filter(|o| o.bits == BitRule::Same);
        let bits = if same().next().is_some() { self.size(&same().collect::<Vec<_>>()) } else { 0 };
        let size = |random: &mut Self, operand: &Operand| match operand.bits {
            BitRule::Same => bits,
            BitRule::Free => random.size(&[operand]),
            BitRule::Is(bits) => bits.into(),
        };
        let result_bits = size(self, &row.result);
        let comps = match row.result.comps {
            CompRule::Is(comps) => comps.into(),
            CompRule::Each => self.below(4) as u32 + 1,
        };
        let ty = Ty::new(result_bits, comps).unwrap();
        let mut srcs = Vec::new();
        for (i, operand) in row.srcs.iter().enumerate() {
            let bits = size(self, operand);
            srcs.push(self.src(bits, op.src_comps(i, ty.comps())));
        }
        match op {
            // Division by zero is undefined.
            AluOp::IDiv | AluOp::UDiv | AluOp::IRem | AluOp::IMod | AluOp::UMod => {
                let one = self.b.constant(ty, [1; 4]);
                srcs[1] = self.b.alu_ty(AluOp::IOr, ty, &[srcs[1], one.into()]).into();
            }
            // Bit fields that extend beyond the operand are undefined.
            AluOp::UBitfieldExtract | AluOp::IBitfieldExtract | AluOp::BitfieldInsert => {
                let offset = self.below(ty.bits() as usize + 1) as u64;
                let width = self.below((u64::from(ty.bits()) - offset) as usize + 1) as u64;
                let last = srcs.len() - 1;
                for (src, number) in srcs[last - 1..].iter_mut().zip([offset, width]) {
                    *src = self.b.constant(Ty::X32.with_comps(ty.comps()), [number; 4]).into();
                }
            }
            // Floats out of the integer's range are undefined, so the source is clamped to 0..1.
            AluOp::F2I | AluOp::F2U => {
                let from = Ty::new(self.b.func.ty(srcs[0].value).bits(), comps).unwrap();
                srcs[0] = self.b.alu_ty(AluOp::FSat, from, &srcs).into();
            }
            // Which NaN these operations return is not defined, and the lowered code returns another. Without this
            // exponent bit, the source is never NaN.
            AluOp::FFloor | AluOp::FCeil | AluOp::FTrunc | AluOp::FRoundEven if bits == 64 => {
                let mask = self.b.constant(ty, [!(1 << 52); 4]);
                srcs[0] = self.b.alu_ty(AluOp::IAnd, ty, &[srcs[0], mask.into()]).into();
            }
            _ => {}
        }
        let value = self.b.alu_ty(op, ty, &srcs);
        self.pool.push(value);
    }

    fn inputs(&mut self, input: Memory) {
        let id = self.b.sysval(SysVal::LocalInvocationIndex);
        let stride = self.b.imm(128);
        let base = self.b.alu(AluOp::IMul, &[id, stride]);
        for (i, bits) in [8, 16, 32, 64, 32, 16].into_iter().enumerate() {
            let step = self.b.imm(16 * i as u32);
            let at = self.b.alu(AluOp::IAdd, &[base, step]);
            let ty = Ty::new(bits, [4, 4, 4, 2, 3, 1][i]).unwrap();
            let access = Access { readonly: true, ..Access::default() };
            let value = self.b.load(input, at, Align::to(16), access, ty);
            self.pool.push(value);
            if bits >= 16 {
                // A float of moderate magnitude.
                let float = self.b.alu_ty(AluOp::I2F, ty, &[Src::new(value)]);
                self.pool.push(float);
            }
        }
    }

    fn outputs(&mut self, output: Memory) {
        let id = self.b.sysval(SysVal::LocalInvocationIndex);
        let stride = self.b.imm(OWN_BYTES);
        let base = self.b.alu(AluOp::IMul, &[id, stride]);
        let mut offset = 0;
        for value in std::mem::take(&mut self.pool) {
            let ty = self.b.func.ty(value);
            let value = if ty.is_bool() { self.b.convert(AluOp::B2I, 8, value) } else { value };
            let step = self.b.imm(offset);
            let at = self.b.alu(AluOp::IAdd, &[base, step]);
            self.b.store(output, at, value, Align::to(1), Access::default());
            let ty = self.b.func.ty(value);
            offset += ty.comp_bytes() * ty.comps() as u32;
        }
        assert!(offset <= OWN_BYTES);
    }
}

fn shader(seed: u64) -> (Shader, Resources) {
    let mut shader = Shader::new_compute(format!("expressions {seed}"));
    let local_size = [INVOCATIONS, 1, 1];
    shader.stage = StageInfo::Compute(ComputeInfo::new(local_size));
    for binding in 0..2 {
        shader.bindings.push(Binding {
            set: 0,
            binding,
            kind: BindingKind::StorageBuffer,
            count: None,
            name: String::new(),
            readonly: binding == 0,
            non_uniform: false,
        });
    }
    let memory = |binding| Memory::Ssbo(Resource { binding: BindingId(binding), element: None });
    let body = shader.func.body();
    let mut random = Random {
        rng: Rng::with_seed(seed),
        b: Builder::new(&mut shader.func, body),
        pool: Vec::new(),
    };
    // Then no pass may change a float result.
    random.b.set_exact(true);
    // Without inputs all values are constants, so every fourth shader tests only constant folding.
    if !seed.is_multiple_of(4) {
        random.inputs(memory(0));
    }
    for _ in 0..20 {
        random.operation();
    }
    random.outputs(memory(1));
    random.b.return_();
    let mut resources = Resources::default();
    let input = (0..INVOCATIONS * 128).map(|_| random.next() as u8).collect();
    resources.bind(0, 0, input);
    resources.bind(0, 1, vec![0; (INVOCATIONS * OWN_BYTES) as usize]);
    (shader, resources)
}

fn run(shader: &Shader, resources: &Resources) -> Vec<u8> {
    let mut resources = resources.clone();
    let report = interp::run(shader, &mut resources, [1, 1, 1], &interp::Options::default())
        .unwrap_or_else(|e| panic!("{e}\n{shader}"));
    assert_eq!(report.out_of_bounds_count, 0);
    resources.buffers.pop_last().unwrap().1
}

/// Lines that only one of two texts has.
fn difference(before: &str, after: &str) -> String {
    let only = |from: &str, other: &str, sign: &str| -> String {
        let other: std::collections::BTreeSet<_> = other.lines().collect();
        let lines = from.lines().filter(|line| !other.contains(line));
        lines.map(|line| format!("{sign}{line}\n")).collect()
    };
    only(before, after, "-") + &only(after, before, "+")
}

#[test]
fn every_operation_survives_every_pass() {
    let lower = LowerOptions {
        unsupported_ops: UNSUPPORTED_OPS.iter().copied().collect(),
        ..Default::default()
    };
    for seed in 0..600 {
        // Every second shader keeps its vectors. For every third, the device has no fused multiply-add of doubles.
        let (scalarize, doubles) = (seed % 2 == 0, Doubles { fused: seed % 3 != 0 });
        let lower = LowerOptions { scalarize, doubles: Some(doubles), ..lower.clone() };
        let options = Options { lower, ..Options::default() };
        let (shader, resources) = shader(seed);
        verify(&shader).unwrap_or_else(|e| panic!("{e}\n{shader}"));
        let expected = run(&shader, &resources);
        let mut optimized = shader.clone();
        let mut before = shader.clone();
        optimize(&mut optimized, &options, &mut |name, after| {
            verify(after)
                .unwrap_or_else(|e| panic!("after {name}: {e}\n{before}\nbecame\n{after}"));
            let found = run(after, &resources);
            if let Some(at) = (0..found.len()).find(|&i| found[i] != expected[i]) {
                let change = difference(&before.to_string(), &after.to_string());
                let at_most =
                    |bytes: &[u8]| format!("{:02x?}", &bytes[at..bytes.len().min(at + 8)]);
                panic!(
                    "seed {seed}: {name} changed the byte at {at} from {} to {}:\n{change}",
                    at_most(&expected),
                    at_most(&found)
                );
            }
            before = after.clone();
        })
        .unwrap();
    }
}

#[test]
fn every_operation_survives_the_text() {
    for seed in 0..300 {
        let (mut shader, _) = shader(seed);
        let from_text = parse(&shader.to_string()).unwrap_or_else(|e| panic!("{e}\n{shader}"));
        shader.compact();
        assert_eq!(from_text, shader);
    }
}
