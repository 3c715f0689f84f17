//! Compares the functions for hosts with special instructions with those for all hosts, on random plans.

use super::alu::{binary, ops, ternary, unary};
use super::instance::{Run, instance};
use crate::Options;
use crate::host::Host;
use crate::log::Log;
use crate::plan::{
    Action, Alu, BinaryOp, Destination, DestinationKind, LaneType, MAX_LANES, Modifier, Operation,
    Plan, Predicate, Prelude, Source, SourceKind, TernaryOp, UnaryOp,
};
use crate::registers::ByteSet;
use crate::thread::Thread;
use crestline_isa::semantics::{FloatEnv, Rounding};
use crestline_isa::{CondMod, PredCtrl, Type};
use fastrand::Rng;

/// The registers that operands use, in bytes.
const BYTES: usize = 40 * 32;

/// Bits that are special as floats or as integers.
const SPECIAL: [u32; 16] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0xffc0_1234,
    0x7fff_ffff,
    0xffff_ffff,
];

fn pick<T: Copy>(random: &mut Rng, from: &[T]) -> T {
    from[random.usize(0..from.len())]
}

/// All common operations.
fn operations() -> Vec<Operation> {
    use LaneType::{F32, F64, I32, I64, I128, U32};
    let mut all = vec![Operation::Line, Operation::Plane];
    for lane in [F32, I32, U32] {
        all.extend(UnaryOp::ALL.iter().map(|op| Operation::Unary(*op, lane)));
        all.extend(BinaryOp::ALL.iter().map(|op| Operation::Binary(*op, lane)));
        all.extend(TernaryOp::ALL.iter().map(|op| Operation::Ternary(*op, lane)));
        all.push(Operation::Select(lane));
        all.push(Operation::SelectCondition(lane));
    }
    for lane in [F32, F64, I32, U32, I64, I128] {
        all.extend([false, true].map(|nan| Operation::Compare { lane, nan }));
    }
    all
}

/// The types of the elements that a lane type can be loaded from.
fn types(lane: LaneType) -> &'static [Type] {
    match lane {
        LaneType::F32 => &[Type::F, Type::F, Type::F, Type::F, Type::Hf, Type::W, Type::D],
        LaneType::F64 => &[Type::Df],
        LaneType::I128 => &[Type::Q, Type::Uq],
        _ => &[Type::D, Type::Ud, Type::D, Type::Ud, Type::W, Type::Uw, Type::B, Type::Ub],
    }
}

fn lane_type(operation: Operation) -> LaneType {
    match operation {
        Operation::Unary(_, lane)
        | Operation::Binary(_, lane)
        | Operation::Ternary(_, lane)
        | Operation::Select(lane)
        | Operation::SelectCondition(lane)
        | Operation::Compare { lane, .. } => lane,
        _ => LaneType::F32,
    }
}

fn strided(random: &mut Rng, size: usize) -> Box<[u16; MAX_LANES]> {
    Box::new(std::array::from_fn(|_| (random.usize(0..(BYTES - 256) / size) * size) as u16))
}

fn source(random: &mut Rng, operation: Operation, lanes: usize) -> Source {
    let lane = lane_type(operation);
    let only_floats = matches!(operation, Operation::Line | Operation::Plane);
    let ty = if only_floats { Type::F } else { pick(random, types(lane)) };
    let size = ty.size() as usize;
    let packed = (random.usize(0..(BYTES - 256) / 32) * 32 + random.usize(0..8) * 4) as u16;
    let (kind, offsets): (SourceKind, Vec<usize>) = match random.u8(0..10) {
        0..5 => {
            let offsets = (0..lanes).map(|lane| usize::from(packed) + lane * size);
            (SourceKind::Packed(packed), offsets.collect())
        }
        5..7 => (SourceKind::Scalar(packed), vec![packed.into()]),
        7 if !only_floats && size <= 4 => {
            let bits = u64::from(pick(random, &SPECIAL)) & u64::MAX >> (64 - 8 * size);
            (SourceKind::Immediate(bits), Vec::new())
        }
        8 if ty == Type::F && lanes == 16 => {
            let second = (random.usize(0..(BYTES - 256) / 32) * 32) as u16;
            let halves = [packed, second];
            let offsets = (0..16).map(|lane| usize::from(halves[lane / 8]) + lane % 8 * 4);
            (SourceKind::Halves(halves), offsets.collect())
        }
        _ if only_floats => (SourceKind::Scalar(packed), vec![packed.into()]),
        _ => {
            let offsets = strided(random, size);
            let all = offsets.iter().take(lanes).map(|offset| usize::from(*offset)).collect();
            (SourceKind::Strided(offsets), all)
        }
    };
    let modifiers: &[Modifier] = match lane {
        LaneType::F32 | LaneType::F64 => &[
            Modifier::None,
            Modifier::None,
            Modifier::Negate,
            Modifier::Absolute,
            Modifier::NegateAbsolute,
        ],
        _ => &[
            Modifier::None,
            Modifier::None,
            Modifier::Negate,
            Modifier::Absolute,
            Modifier::Invert,
        ],
    };
    let modifier = pick(random, modifiers);
    let bytes = ByteSet::of(offsets.into_iter(), size);
    Source { kind, ty, modifier, bytes, live_state: false }
}

/// A destination of `channels` channels of an operation that computes `lanes` at once. It is only packed if both are the same.
fn destination(
    random: &mut Rng,
    operation: Operation,
    channels: usize,
    lanes: usize,
) -> Destination {
    let ty = match (operation, lane_type(operation)) {
        (Operation::Compare { .. }, LaneType::F64 | LaneType::I128) => Type::Q,
        (Operation::Compare { .. }, _) => Type::D,
        (_, LaneType::F32) => pick(random, &[Type::F, Type::F, Type::F, Type::Hf, Type::D]),
        _ => pick(random, &[Type::D, Type::Ud, Type::W, Type::Ub, Type::F]),
    };
    let size = ty.size() as usize;
    let choice = if lanes == channels { random.u8(0..8) } else { 1 };
    let (kind, bytes) = match choice {
        0 => (DestinationKind::Null, ByteSet::default()),
        1 => {
            // An element for each channel, apart from each other.
            let first = random.usize(0..8) * 4;
            let offsets = Box::new(std::array::from_fn(|lane| (first + lane * 16) as u16));
            let all = offsets.map(usize::from).into_iter().take(channels);
            let bytes = ByteSet::of(all, size);
            (DestinationKind::Strided(offsets), bytes)
        }
        _ => {
            let first = random.usize(0..(BYTES - 256) / 32) * 32;
            let bytes = ByteSet::of((0..lanes).map(|lane| first + lane * size), size);
            (DestinationKind::Packed(first as u16), bytes)
        }
    };
    Destination { kind, ty, bytes, lanes: u32::MAX, accumulator: None, flag: false, control: false }
}

/// A plan of an operation; `None` if the operation does not exist for its lane type.
fn plan(random: &mut Rng, operation: Operation) -> Option<Plan> {
    use CondMod::{G, Ge, L, Le, Nz, Z};
    let channels = pick(random, &[4u8, 8, 8, 16, 16, 32]);
    let fixed = matches!(operation, Operation::Line | Operation::Plane);
    let channels = if fixed { channels.min(16) } else { channels };
    let alu = Alu::new(operation, channels);
    instance(alu, Host::plain())?;
    let selects = matches!(operation, Operation::Select(_));
    let compares = matches!(operation, Operation::Compare { .. } | Operation::SelectCondition(_));
    let saturate = !compares && random.u8(0..4) == 0;
    let condition = match compares || !selects && random.u8(0..4) == 0 {
        true => pick(random, &[Z, Nz, G, Ge, L, Le]),
        false => CondMod::None,
    };
    let ctrl = if selects { PredCtrl::Normal } else { PredCtrl::None };
    Some(Plan {
        action: Action::Alu(alu),
        full: u32::MAX >> (32 - channels),
        group: 0,
        no_mask: false,
        prelude: Prelude::default(),
        hazard: None,
        predicate: Predicate { ctrl, inverse: random.bool() },
        selects,
        condition,
        saturate,
        flag_shift: 0,
        destination: destination(random, operation, channels.into(), alu.lanes),
        sources: std::array::from_fn(|_| source(random, operation, alu.lanes)),
        accumulator: None,
        extensions: [8; 4],
        plain: !saturate && (condition == CondMod::None || compares),
        simd8_units: channels.div_ceil(8),
        offset: 0,
        size: 16,
    })
}

/// A thread whose registers have random contents, most of them written.
fn thread(seed: u64, host: Host) -> Thread {
    let random = &mut Rng::with_seed(seed);
    let mut t = Thread::new(Log::new(&Options::default()));
    t.host = host;
    t.reset(0, u32::MAX, 0);
    let small = random.u8(0..3) == 0;
    for dword in 0..BYTES / 4 {
        let bits = match random.u8(0..4) {
            0 => pick(random, &SPECIAL),
            // Numbers of a similar size, so that sums cancel and ties occur.
            1 if small => (random.i32(-64..64) as f32 / 8.0).to_bits(),
            2 => (random.f32() - 0.5).to_bits(),
            _ => random.u32(..),
        };
        if random.u8(0..64) != 0 {
            t.registers.set(4 * dword, 4, bits.into());
        }
    }
    t.registers.set_flags(random.u64(..), u64::from(u32::MAX));
    let roundings = [Rounding::NearestEven, Rounding::NearestEven, Rounding::Up, Rounding::Zero];
    t.env = FloatEnv {
        rounding: pick(random, &roundings),
        keep_denorm_f32: random.bool(),
        keep_denorm_f16: random.bool(),
        keep_denorm_f64: random.bool(),
        round_to_int: false,
    };
    t
}

/// The function that computes an operation on 32-bit floats channel by channel, with the semantics; `None` for other operations.
fn general(operation: Operation, lanes: usize) -> Option<Run> {
    macro_rules! each {
        ($function:ident, $op:ident) => {
            match lanes {
                1 => $function::<ops::$op, f32, 1> as Run,
                8 => $function::<ops::$op, f32, 8> as Run,
                16 => $function::<ops::$op, f32, 16> as Run,
                _ => $function::<ops::$op, f32, 32> as Run,
            }
        };
    }
    Some(match operation {
        Operation::Unary(op, LaneType::F32) => match op {
            UnaryOp::Mov => each!(unary, Mov),
            UnaryOp::Frc => each!(unary, Frc),
            UnaryOp::RoundDown => each!(unary, RoundDown),
            UnaryOp::RoundUp => each!(unary, RoundUp),
            UnaryOp::RoundEven => each!(unary, RoundEven),
            UnaryOp::RoundZero => each!(unary, RoundZero),
            UnaryOp::Inv => each!(unary, Inv),
            UnaryOp::Log => each!(unary, Log),
            UnaryOp::Exp => each!(unary, Exp),
            UnaryOp::Sqrt => each!(unary, Sqrt),
            UnaryOp::Rsq => each!(unary, Rsq),
            UnaryOp::Sin => each!(unary, Sin),
            UnaryOp::Cos => each!(unary, Cos),
            _ => return None,
        },
        Operation::Binary(op, LaneType::F32) => match op {
            BinaryOp::Add => each!(binary, Add),
            BinaryOp::Mul => each!(binary, Mul),
            BinaryOp::Fdiv => each!(binary, Fdiv),
            BinaryOp::Pow => each!(binary, Pow),
            _ => return None,
        },
        Operation::Ternary(TernaryOp::Mad, LaneType::F32) => each!(ternary, Mad),
        Operation::Ternary(TernaryOp::Lrp, LaneType::F32) => each!(ternary, Lrp),
        _ => return None,
    })
}

/// Registers, the record of what was written, and diagnostics are the same, for the functions of all hosts, those for this host,
/// and those that compute channel by channel. On a host without special instructions this compares
/// the functions with themselves.
#[test]
fn special_instructions_change_no_result() {
    let random = &mut Rng::with_seed(17);
    let operations = operations();
    let mut compared = 0;
    for seed in 0..30_000 {
        let Some(plan) = plan(random, operations[seed % operations.len()]) else { continue };
        let Action::Alu(alu) = plan.action else { continue };
        let masks = [plan.full, plan.full, random.u32(..) & plan.full, 0];
        let mask = pick(random, &masks);
        let [plain, special] = [Host::plain(), Host::new()].map(|host| {
            let mut t = thread(seed as u64, host);
            instance(alu, host).expect("the plan has an instance")(&plan, &mut t, mask);
            (t.registers, t.log.take())
        });
        compared += 1;
        if let Some(run) = general(alu.operation, alu.lanes) {
            let mut t = thread(seed as u64, Host::plain());
            run(&plan, &mut t, mask);
            assert!(t.registers == plain.0, "seed {seed}, mask {mask:#x}, {alu:?}");
            assert_eq!(t.log.take(), plain.1);
        }
        let what = || format!("seed {seed}, mask {mask:#x}, {alu:?}, {:?}", plan.sources);
        assert!(plain.0 == special.0, "registers differ: {}", what());
        assert_eq!(plain.1, special.1, "{}", what());
    }
    assert!(compared > 5000, "{compared} plans");
}
