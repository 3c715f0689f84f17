//! Tests operations on vectors of doubles, with every swizzle and write mask. The expected results come from a scalar
//! model.

use crate::harness::{PLATFORMS, Random, end, execute, function, listing, lower, save};
use crestline_codegen::ir::{Builder, Flag, Op, Operand, Region};
use crestline_device::{Device, Platform};
use crestline_isa::{ArfKind, Opcode, PredCtrl, Predicate, Swizzle, Type, WriteMask};

/// Number of vectors in the inputs. Each occupies two registers, one per vertex, from g1 on.
const VECTORS: u32 = 4;
/// The register of a vector that both vertices read.
const UNIFORM: u32 = 1 + 2 * VECTORS;
/// The register in whose second half a vector begins that both vertices read.
const CROSSING: u32 = UNIFORM + 1;
/// The register with two components of each vertex, side by side.
const PAIRS: u32 = CROSSING + 2;
const INPUT_DOUBLES: usize = 4 * PAIRS as usize;
/// The first result register. Each result occupies two registers.
const FIRST_RESULT: u32 = 16;
/// Number of cases in one program.
const BATCH: usize = 24;
/// The value of each dword of a result before the instruction under test.
const SENTINEL: u32 = 0xabcd_0123;

/// The doubles of g1 on: all different, none a small integer.
fn inputs() -> Vec<f64> {
    (0..INPUT_DOUBLES)
        .map(|i| (i as f64 + 1.0) * 1.000_000_1 - if i % 3 == 0 { 40.0 } else { 0.0 })
        .collect()
}

/// The location and layout of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceKind {
    Vector(u32),
    Uniform,
    Crossing,
    Pairs,
    /// The result's own register, which held a vector.
    Result(u32),
}

#[derive(Clone, Copy, Debug)]
struct Source {
    place: SourceKind,
    swizzle: Swizzle,
    negate: bool,
    abs: bool,
}

impl Source {
    fn new(place: SourceKind, swizzle: Swizzle) -> Source {
        // There are no more than two components side by side.
        let Swizzle(components) = swizzle;
        let swizzle = match place {
            SourceKind::Pairs => Swizzle(components.map(|component| component % 2)),
            _ => swizzle,
        };
        Source { place, swizzle, negate: false, abs: false }
    }

    fn operand(&self, result: Operand) -> Operand {
        let at = |register: u32| Operand::grf(register, Type::Df);
        let swizzle = self.swizzle;
        let operand = match self.place {
            SourceKind::Vector(n) => at(1 + 2 * n).with_region(Region::Swizzle(swizzle)),
            SourceKind::Uniform => at(UNIFORM).with_region(Region::Vectors { step: 0, swizzle }),
            SourceKind::Crossing => {
                at(CROSSING).byte_offset(16).with_region(Region::Vectors { step: 0, swizzle })
            }
            SourceKind::Pairs => at(PAIRS).with_region(Region::Vectors { step: 2, swizzle }),
            SourceKind::Result(_) => result.with_region(Region::Swizzle(swizzle)),
        };
        Operand { negate: self.negate, abs: self.abs, ..operand }
    }

    /// The value that the source has for a component of a vertex.
    fn value(&self, inputs: &[f64], vertex: usize, component: usize) -> f64 {
        let component = usize::from(self.swizzle.0[component]);
        let index = match self.place {
            SourceKind::Vector(n) | SourceKind::Result(n) => {
                8 * n as usize + 4 * vertex + component
            }
            SourceKind::Uniform => 4 * (UNIFORM as usize - 1) + component,
            SourceKind::Crossing => 4 * (CROSSING as usize - 1) + 2 + component,
            SourceKind::Pairs => 4 * (PAIRS as usize - 1) + 2 * vertex + component,
        };
        let value = inputs[index];
        let value = if self.abs { value.abs() } else { value };
        if self.negate { -value } else { value }
    }
}

#[derive(Clone, Debug)]
struct Case {
    opcode: Opcode,
    mask: WriteMask,
    sources: Vec<Source>,
    /// Flag bits and how they are used.
    predicate: Option<(u8, Predicate)>,
}

impl Case {
    fn new(opcode: Opcode, mask: WriteMask, sources: &[Source]) -> Case {
        Case { opcode, mask, sources: sources.to_vec(), predicate: None }
    }

    /// The vector that the result holds before, if a source reads it.
    fn initial(&self) -> Option<u32> {
        self.sources.iter().find_map(|source| match source.place {
            SourceKind::Result(n) => Some(n),
            _ => None,
        })
    }

    fn emit(&self, result: Operand, b: &mut Builder<'_>, keeps: bool) {
        let mut all = b.no_mask();
        match self.initial() {
            Some(n) => {
                let vector = Operand::grf(1 + 2 * n, Type::Ud);
                for bytes in [0, 32] {
                    all.mov(result.retype(Type::Ud).byte_offset(bytes), vector.byte_offset(bytes));
                }
            }
            None if keeps => {
                for bytes in [0, 32] {
                    let half = result.retype(Type::Ud).byte_offset(bytes);
                    all.mov(half, Operand::imm_ud(SENTINEL));
                }
            }
            None => {}
        }
        let sources: Vec<Operand> = self.sources.iter().map(|s| s.operand(result)).collect();
        let mut b = b.align16();
        if let Some((bits, predicate)) = self.predicate {
            let flag = Operand::arf(ArfKind::Flag, 0, Type::Uw).with_stride(0);
            b.uniform().mov(flag, Operand::imm_uw(bits.into()));
            let mut b = b.predicate(Flag::Fixed(0), predicate);
            b.emit(Op::Hw(self.opcode), result.with_region(Region::Mask(self.mask)), &sources);
        } else {
            b.emit(Op::Hw(self.opcode), result.with_region(Region::Mask(self.mask)), &sources);
        }
    }

    fn predicated(&self, channel: usize) -> bool {
        let Some((bits, predicate)) = self.predicate else { return true };
        let vector = bits >> (channel / 4 * 4) & 15;
        let component = |c: u8| vector >> c & 1 == 1;
        let value = match predicate.ctrl {
            PredCtrl::X => component(0),
            PredCtrl::W => component(3),
            PredCtrl::Any4H => vector != 0,
            PredCtrl::All4H => vector == 15,
            _ => bits >> channel & 1 == 1,
        };
        value != predicate.inverse
    }

    /// What the result must be, by dwords.
    fn expected(&self, inputs: &[f64], channels: u32) -> Vec<u32> {
        let mut result = vec![SENTINEL; 16];
        for channel in 0..8 {
            let (vertex, component) = (channel / 4, channel % 4);
            let mut set = |value: f64| {
                let bits = value.to_bits();
                result[2 * channel] = bits as u32;
                result[2 * channel + 1] = (bits >> 32) as u32;
            };
            if let Some(n) = self.initial() {
                set(inputs[8 * n as usize + channel]);
            }
            let enabled = channel < channels as usize && self.mask.0 >> component & 1 == 1;
            let selects = self.opcode == Opcode::Sel;
            let on = self.predicated(channel);
            if !enabled || !on && !selects {
                continue;
            }
            let value = |index: usize| self.sources[index].value(inputs, vertex, component);
            set(match self.opcode {
                Opcode::Mov => value(0),
                Opcode::Add => value(0) + value(1),
                Opcode::Mul => value(0) * value(1),
                Opcode::Mad => value(1).mul_add(value(2), value(0)),
                Opcode::Sel => value(usize::from(!on)),
                other => unreachable!("{other:?} is not tested"),
            });
        }
        result
    }
}

/// Runs cases and compares each result.
fn run(platform: Platform, cases: &[Case], channels: u32, check: bool) {
    let device = Device::new(platform);
    let inputs = inputs();
    let bytes: Vec<u8> = inputs.iter().flat_map(|value| value.to_le_bytes()).collect();
    for batch in cases.chunks(BATCH) {
        let mut function = function(&bytes);
        let mut b = Builder::new(&mut function);
        let results: Vec<Operand> = (0..batch.len() as u32)
            .map(|index| Operand::grf(FIRST_RESULT + 2 * index, Type::Df))
            .collect();
        for (case, result) in batch.iter().zip(&results) {
            let keeps = channels < 8 || case.predicate.is_some() || case.mask != WriteMask::XYZW;
            case.emit(*result, &mut b, keeps);
        }
        save(&mut b, &device, 0, &results.iter().map(|r| r.retype(Type::Ud)).collect::<Vec<_>>());
        end(&mut b, &device);
        let insts = lower(function, &device, check);
        let found = execute(insts, &device, &bytes, channels, batch.len());
        for (case, found) in batch.iter().zip(found.chunks(64)) {
            let found: Vec<u32> = found
                .chunks(4)
                .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("a dword")))
                .collect();
            let expected = case.expected(&inputs, channels);
            assert!(
                found == expected,
                "{platform}, {channels} channels: {case:?}\nexpected {expected:x?}\nfound    {found:x?}\n{}",
                code_of(case, &device)
            );
        }
    }
}

/// The code of one case, as text.
fn code_of(case: &Case, device: &Device) -> String {
    let mut function = function(&[0; 4 * GRF_BYTES]);
    let mut b = Builder::new(&mut function);
    case.emit(Operand::grf(FIRST_RESULT, Type::Df), &mut b, true);
    listing(&lower(function, device, true), device)
}

const GRF_BYTES: usize = 32;

fn swizzles() -> impl Iterator<Item = Swizzle> {
    (0..=255).map(Swizzle::from_bits)
}

#[test]
fn every_move() {
    let vector = |swizzle| Source::new(SourceKind::Vector(1), swizzle);
    let cases: Vec<Case> = swizzles()
        .flat_map(|swizzle| (1..16).map(move |mask| (vector(swizzle), WriteMask(mask))))
        .map(|(source, mask)| Case::new(Opcode::Mov, mask, &[source]))
        .collect();
    assert_eq!(cases.len(), 256 * 15);
    for platform in PLATFORMS {
        run(platform, &cases, 8, true);
    }
}

#[test]
fn every_pair_of_swizzles_in_a_sum() {
    let cases: Vec<Case> = swizzles()
        .flat_map(|a| swizzles().map(move |b| (a, b)))
        .map(|(a, b)| {
            let sources =
                [Source::new(SourceKind::Vector(0), a), Source::new(SourceKind::Vector(2), b)];
            Case::new(Opcode::Add, WriteMask::XYZW, &sources)
        })
        .collect();
    assert_eq!(cases.len(), 65_536);
    for platform in PLATFORMS {
        // The function has no virtual registers, so there is no allocation to verify.
        run(platform, &cases, 8, false);
    }
}

/// A random case, and the number of channels to run it with.
fn any_case(random: &mut Random, opcode: Opcode, sources: usize) -> (Case, u32) {
    let initial = random.below(VECTORS);
    let sources: Vec<Source> = (0..sources)
        .map(|_| {
            let place = match random.below(9) {
                0 => SourceKind::Uniform,
                1 => SourceKind::Crossing,
                2 => SourceKind::Pairs,
                3 => SourceKind::Result(initial),
                _ => SourceKind::Vector(random.below(VECTORS)),
            };
            let source = Source::new(place, Swizzle::from_bits(random.below(256) as u8));
            Source { negate: random.below(4) == 0, abs: random.below(4) == 0, ..source }
        })
        .collect();
    let mask = WriteMask(if random.below(2) == 0 { 15 } else { 1 + random.below(15) as u8 });
    let mut case = Case::new(opcode, mask, &sources);
    if opcode == Opcode::Sel || random.below(4) == 0 {
        let ctrls = [
            PredCtrl::Normal,
            PredCtrl::Normal,
            PredCtrl::X,
            PredCtrl::W,
            PredCtrl::Any4H,
            PredCtrl::All4H,
        ];
        let ctrl = ctrls[random.below(6) as usize];
        let inverse = random.below(2) == 0;
        case.predicate = Some((random.below(256) as u8, Predicate { ctrl, inverse }));
    }
    (case, if random.below(8) == 0 { 4 } else { 8 })
}

/// Runs `count` random cases. Each opcode has its number of sources.
fn run_any(seed: u64, count: usize, opcodes: &[(Opcode, usize)]) {
    let mut random = Random(seed);
    let mut cases: [Vec<Case>; 2] = Default::default();
    for index in 0..count {
        let (opcode, sources) = opcodes[index % opcodes.len()];
        let (case, channels) = any_case(&mut random, opcode, sources);
        cases[usize::from(channels == 8)].push(case);
    }
    for platform in PLATFORMS {
        run(platform, &cases[0], 4, true);
        run(platform, &cases[1], 8, true);
    }
}

#[test]
fn triples_of_swizzles_in_a_product_and_sum() {
    run_any(1, 20_000, &[(Opcode::Mad, 3)]);
}

#[test]
fn uniforms_pairs_overlaps_and_predicates() {
    let opcodes = [(Opcode::Mov, 1), (Opcode::Add, 2), (Opcode::Mul, 2), (Opcode::Sel, 2)];
    run_any(2, 12_000, &opcodes);
}
