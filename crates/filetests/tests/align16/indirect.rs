//! Tests indirect moves of vectors: every swizzle with every write mask, with every kind of index, with and without UV
//! immediates, and with some vertices disabled.

use crate::harness::{GRF, PLATFORMS, end, execute, function, listing, lower, save};
use crestline_codegen::ir::{Builder, Flag, Op, Operand, Region};
use crestline_device::{Device, Platform};
use crestline_isa::{ArfKind, Inst, Opcode, PredCtrl, Predicate, Swizzle, Type, WriteMask};
use std::collections::BTreeSet;

// The input registers: an array, tables of indices, and vectors to write; see `inputs`.
const ARRAY: u32 = 1;
const ARRAY_REGISTERS: u32 = 8;
const TABLES: u32 = ARRAY + ARRAY_REGISTERS;
/// Number of tables of indices, one for each kind of array.
const KINDS: u32 = 4;
const VALUES: u32 = TABLES + 3 * KINDS;
const INPUT_REGISTERS: u32 = VALUES + 2 - 1;
/// The first result register.
const FIRST_RESULT: u32 = 24;
const SENTINEL: u32 = 0xabcd_0123;
/// An index far out of range, for vertices that are disabled: no access may use it.
const NOWHERE: u32 = 0x7fff_fff0;

/// A kind of indirect move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    /// Reads from an array whose elements are vectors: one register each for dwords, two for doubles.
    ReadVectors,
    /// Reads from an array of consecutive dwords or doubles, which both vertices share.
    ReadUniform,
    /// Writes to an array whose elements are vectors.
    Write,
}

/// The form of the index operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Index {
    /// A constant with a type of that many bytes.
    Constant(u32),
    /// One scalar for the thread.
    Scalar(Kind),
    /// One for both vertices: a component of a vector.
    Uniform,
    /// One component for each vertex.
    Vertex(u8, Kind),
    /// One for each channel.
    Channel(Kind),
    /// One for each channel, read through a swizzle.
    Swizzled,
}

/// The type of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Ud,
    D,
    Uw,
    W,
}

impl Kind {
    fn ty(self) -> Type {
        match self {
            Kind::Ud => Type::Ud,
            Kind::D => Type::D,
            Kind::Uw => Type::Uw,
            Kind::W => Type::W,
        }
    }
}

const INDICES: [Index; 13] = [
    Index::Constant(4),
    Index::Constant(2),
    Index::Scalar(Kind::Ud),
    Index::Scalar(Kind::Uw),
    Index::Scalar(Kind::W),
    Index::Uniform,
    Index::Vertex(0, Kind::Ud),
    Index::Vertex(1, Kind::D),
    Index::Vertex(2, Kind::Ud),
    Index::Vertex(3, Kind::D),
    Index::Channel(Kind::Ud),
    Index::Channel(Kind::D),
    Index::Swizzled,
];

/// The control flow around the move, which decides the enabled vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Flow {
    Straight,
    /// The thread has only the first vertex.
    OneVertex,
    /// The second vertex does not enter the conditional.
    Conditional,
    /// Each vertex is in one arm of a conditional.
    Arms,
    /// The first vertex has left the loop.
    Loop,
}

const FLOWS: [Flow; 5] =
    [Flow::Straight, Flow::OneVertex, Flow::Conditional, Flow::Arms, Flow::Loop];

const PREDICATES: [PredCtrl; 8] = [
    PredCtrl::None,
    PredCtrl::Normal,
    PredCtrl::X,
    PredCtrl::None,
    PredCtrl::Y,
    PredCtrl::Any4H,
    PredCtrl::All4H,
    PredCtrl::W,
];

#[derive(Clone, Copy, Debug)]
struct Case {
    access: Access,
    wide: bool,
    index: Index,
    flow: Flow,
    swizzle: Swizzle,
    mask: WriteMask,
    predicate: (u8, Predicate),
}

impl Case {
    fn size(&self) -> u32 {
        if self.wide { 8 } else { 4 }
    }

    fn ty(&self) -> Type {
        if self.wide { Type::Df } else { Type::Ud }
    }

    fn writes(&self) -> bool {
        self.access == Access::Write
    }

    /// The number of the table with byte indices for this array.
    fn table(&self) -> u32 {
        2 * u32::from(self.access == Access::ReadUniform) + u32::from(self.wide)
    }

    /// The byte index of a channel.
    fn index_of(&self, channel: usize) -> usize {
        let (vertex, component) = (channel / 4 * 4, channel % 4);
        let entry = match self.index {
            Index::Constant(_) => 0,
            Index::Scalar(_) => 1,
            Index::Uniform => 2,
            Index::Vertex(c, _) => vertex + usize::from(c),
            Index::Channel(_) => channel,
            Index::Swizzled => vertex + [2, 0, 3, 1][component],
        };
        INDEX_TABLES[self.table() as usize][entry] as usize
    }

    /// The index operand. If the vertex `elsewhere` is disabled, its indices are [`NOWHERE`].
    fn index_operand(&self, elsewhere: Option<usize>) -> Operand {
        let garbage = match (self.index, elsewhere) {
            (Index::Constant(_) | Index::Scalar(_) | Index::Uniform, _) | (_, None) => 0,
            (_, Some(vertex)) => 1 + vertex as u32,
        };
        let table = |kind: Kind| Operand::grf(TABLES + garbage * KINDS + self.table(), kind.ty());
        let swizzled = |kind, order| table(kind).with_region(Region::Swizzle(Swizzle(order)));
        match self.index {
            Index::Constant(2) => Operand::imm_uw(self.index_of(0) as u16),
            Index::Constant(_) => Operand::imm_ud(self.index_of(0) as u32),
            Index::Scalar(kind) => table(kind).byte_offset(4).with_stride(0),
            Index::Uniform => {
                let region = Region::Vectors { step: 0, swizzle: Swizzle([2; 4]) };
                table(Kind::Ud).with_region(region)
            }
            Index::Vertex(c, kind) => swizzled(kind, [c; 4]),
            Index::Channel(kind) => swizzled(kind, [0, 1, 2, 3]),
            Index::Swizzled => swizzled(Kind::Ud, [2, 0, 3, 1]),
        }
    }

    /// Emits the move. `result` is the destination of a read, or the array that a write changes. `elsewhere` is the
    /// disabled vertex.
    fn emit_move(&self, result: Operand, elsewhere: Option<usize>, b: &mut Builder<'_>) {
        let bytes = Operand::imm_ud(ARRAY_REGISTERS * GRF as u32);
        let mut b = b.predicate(Flag::Fixed(0), self.predicate.1);
        let dst = result.retype(self.ty()).with_region(Region::Mask(self.mask));
        let index = self.index_operand(elsewhere);
        if self.writes() {
            let value = Operand::grf(VALUES, self.ty()).with_region(Region::Swizzle(self.swizzle));
            b.emit(Op::MovIndirectDst, dst, &[value, index, bytes]);
            return;
        }
        let region = match self.access {
            Access::ReadUniform => Region::Vectors { step: 0, swizzle: self.swizzle },
            _ => Region::Swizzle(self.swizzle),
        };
        let range = Operand::grf(ARRAY, self.ty()).with_region(region);
        b.emit(Op::MovIndirect, dst, &[range, index, bytes]);
    }

    /// Emits the move with the control flow around it.
    fn emit(&self, result: Operand, b: &mut Builder<'_>) {
        let mut b = b.align16();
        let flag = |at| Operand::arf(ArfKind::Flag, at, Type::Uw).with_stride(0);
        b.uniform().mov(flag(0), Operand::imm_uw(self.predicate.0.into()));
        // f1.0: the channels of the first vertex.
        b.uniform().mov(flag(4), Operand::imm_uw(0x0f));
        let first = Flag::Fixed(2);
        match self.flow {
            Flow::Straight => self.emit_move(result, None, &mut b),
            Flow::OneVertex => self.emit_move(result, Some(1), &mut b),
            Flow::Conditional => {
                b.if_(first, false);
                self.emit_move(result, Some(1), &mut b);
                b.endif();
            }
            Flow::Arms => {
                b.if_(first, false);
                self.emit_move(result, Some(1), &mut b);
                b.else_();
                self.emit_move(result, Some(0), &mut b);
                b.endif();
            }
            Flow::Loop => {
                b.do_();
                b.predicated(first, false).flow(Opcode::Break);
                self.emit_move(result, Some(0), &mut b);
                b.flow(Opcode::Break);
                b.while_();
            }
        }
    }

    fn enabled(&self, channel: usize) -> bool {
        let there = match self.flow {
            Flow::Straight | Flow::Arms => true,
            Flow::OneVertex | Flow::Conditional => channel < 4,
            Flow::Loop => channel >= 4,
        };
        let (bits, predicate) = self.predicate;
        let vector = bits >> (channel / 4 * 4) & 15;
        let component = |c: usize| vector >> c & 1 == 1;
        let chosen = match predicate.ctrl {
            PredCtrl::None => true,
            PredCtrl::X => component(0) != predicate.inverse,
            PredCtrl::Y => component(1) != predicate.inverse,
            PredCtrl::W => component(3) != predicate.inverse,
            PredCtrl::Any4H => (vector != 0) != predicate.inverse,
            PredCtrl::All4H => (vector == 15) != predicate.inverse,
            _ => component(channel % 4) != predicate.inverse,
        };
        there && chosen && self.mask.0 >> (channel % 4) & 1 == 1
    }

    /// The bytes of the result before the move.
    fn before(&self, inputs: &[u8]) -> Vec<u8> {
        match self.writes() {
            true => inputs[..ARRAY_REGISTERS as usize * GRF].to_vec(),
            false => SENTINEL.to_le_bytes().repeat(16),
        }
    }

    /// The bytes of the result after the move.
    fn expected(&self, inputs: &[u8]) -> Vec<u8> {
        let size = self.size() as usize;
        let mut after = self.before(inputs);
        for channel in (0..8).filter(|channel| self.enabled(*channel)) {
            let index = self.index_of(channel);
            let (vertex, component) = (channel / 4, channel % 4);
            let swizzled = usize::from(self.swizzle.0[component]) * size;
            let (from, to) = match self.access {
                Access::Write => {
                    let value = (VALUES as usize - 1) * GRF + 4 * size * vertex + swizzled;
                    (value, index + 4 * size * vertex + component * size)
                }
                Access::ReadVectors => (index + 4 * size * vertex + swizzled, channel * size),
                Access::ReadUniform => (index + swizzled, channel * size),
            };
            after[to..to + size].copy_from_slice(&inputs[from..from + size]);
        }
        after
    }
}

/// Byte indices of the channels, for each kind of array: vectors of dwords, vectors of doubles, single dwords, single
/// doubles. Four consecutive single values from such an index may cross a register boundary.
const INDEX_TABLES: [[u32; 8]; KINDS as usize] = [
    [96, 0, 32, 64, 64, 96, 0, 32],
    [128, 0, 64, 128, 128, 128, 0, 64],
    [20, 28, 64, 4, 100, 12, 48, 84],
    [24, 16, 64, 8, 96, 56, 40, 80],
];

/// The bytes of the registers from g1 on: an array of distinct numbers; the tables of indices three times (complete, with
/// [`NOWHERE`] for the first vertex, with it for the second vertex); two registers of values to write.
fn inputs() -> Vec<u8> {
    let mut dwords: Vec<u32> = (0..INPUT_REGISTERS * 8).map(|i| 0x4010_0000 + i * 0x0101).collect();
    let tables = &mut dwords[(TABLES as usize - 1) * 8..(VALUES as usize - 1) * 8];
    for (number, table) in tables.chunks_mut(8).enumerate() {
        table.copy_from_slice(&INDEX_TABLES[number % KINDS as usize]);
        match number / KINDS as usize {
            0 => {}
            elsewhere => table[(elsewhere - 1) * 4..][..4].fill(NOWHERE),
        }
    }
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

/// The code of a program with the cases, and the number of register pairs of their results.
fn code(cases: &[Case], device: &Device, bytes: &[u8]) -> (Vec<Inst>, usize) {
    let mut function = function(bytes);
    let mut b = Builder::new(&mut function);
    let mut pairs = 0;
    for case in cases {
        let length = if case.writes() { ARRAY_REGISTERS / 2 } else { 1 };
        let result = Operand::grf(FIRST_RESULT, Type::Ud);
        let mut all = b.no_mask();
        for register in 0..2 * length {
            let place = result.byte_offset(register * GRF as u32);
            let source = Operand::grf(ARRAY + register, Type::Ud);
            all.mov(place, if case.writes() { source } else { Operand::imm_ud(SENTINEL) });
        }
        case.emit(result, &mut b);
        let results: Vec<Operand> =
            (0..length).map(|pair| result.byte_offset(pair * 2 * GRF as u32)).collect();
        save(&mut b, device, pairs, &results);
        pairs += results.len();
    }
    end(&mut b, device);
    (lower(function, device, true), pairs)
}

fn run(device: &Device, cases: &[Case], channels: u32) {
    let bytes = inputs();
    for batch in cases.chunks(96) {
        let (insts, pairs) = code(batch, device, &bytes);
        let found = execute(insts, device, &bytes, channels, pairs);
        let mut found = &found[..];
        for case in batch {
            let expected = case.expected(&bytes);
            let (own, rest) = found.split_at(expected.len());
            found = rest;
            assert!(
                own == expected,
                "{}: {case:?}\nexpected {expected:x?}\nfound    {own:x?}\n{}",
                device.platform(),
                listing(&code(&[*case], device, &bytes).0, device),
            );
        }
    }
}

/// Every swizzle with every mask. The index, control flow and predicate change from case to case.
fn cases(access: Access, wide: bool) -> Vec<Case> {
    let case = |number: usize| {
        let ctrl = PREDICATES[number % PREDICATES.len()];
        let inverse = number / 8 % 2 == 1;
        Case {
            access,
            wide,
            index: INDICES[number % INDICES.len()],
            flow: FLOWS[number % FLOWS.len()],
            swizzle: Swizzle::from_bits((number % 256) as u8),
            mask: WriteMask(1 + (number / 256) as u8),
            predicate: ((number * 37 / 8) as u8, Predicate { ctrl, inverse }),
        }
    };
    (0..256 * 15).map(case).collect()
}

fn run_all(device: &Device, cases: impl Iterator<Item = Case>) {
    let (one, two): (Vec<Case>, Vec<Case>) = cases.partition(|c| c.flow == Flow::OneVertex);
    run(device, &one, 4);
    run(device, &two, 8);
}

fn everything(device: &Device, access: Access) {
    for wide in [false, true] {
        run_all(device, cases(access, wide).into_iter());
    }
}

/// Runs the cases as if the device had no UV immediates: all of them on Haswell, every seventh on the others, whose code
/// differs only in how doubles are split.
fn without_uv_immediates(device: &Device, access: Access) {
    let step = if device.platform() == Platform::Hsw { 1 } else { 7 };
    for wide in [false, true] {
        let some = cases(access, wide).into_iter().step_by(step);
        run_all(&device.without_uv_immediates(), some);
    }
}

#[test]
fn the_cases_are_all_there() {
    let cases = cases(Access::Write, false);
    let count = |factor: &dyn Fn(&Case) -> (u8, usize, usize)| {
        cases.iter().map(factor).collect::<BTreeSet<_>>().len()
    };
    let index = |case: &Case| INDICES.iter().position(|i| *i == case.index).expect("an index");
    let flow = |case: &Case| case.flow as usize;
    let predicate =
        |case: &Case| 2 * (case.predicate.1.ctrl as usize) + usize::from(case.predicate.1.inverse);
    let swizzle = |case: &Case| case.swizzle.bits().expect("four components");
    assert_eq!(count(&|c| (c.mask.0, swizzle(c).into(), 0)), 15 * 256);
    assert_eq!(count(&|c| (swizzle(c), index(c), 0)), 256 * 13);
    assert_eq!(count(&|c| (swizzle(c), flow(c), 0)), 256 * 5);
    assert_eq!(count(&|c| (c.mask.0, index(c), flow(c))), 15 * 13 * 5);
    assert_eq!(count(&|c| (0, index(c), predicate(c))), 13 * 14);
    assert_eq!(count(&|c| (c.mask.0, flow(c), predicate(c))), 15 * 5 * 14);
}

#[test]
fn reads_of_vectors() {
    for device in PLATFORMS.map(Device::new) {
        everything(&device, Access::ReadVectors);
        without_uv_immediates(&device, Access::ReadVectors);
    }
}

#[test]
fn reads_of_uniforms() {
    for device in PLATFORMS.map(Device::new) {
        everything(&device, Access::ReadUniform);
        without_uv_immediates(&device, Access::ReadUniform);
    }
}

#[test]
fn writes() {
    let bytes = inputs();
    for device in PLATFORMS.map(Device::new) {
        everything(&device, Access::Write);
        // Writes do not use UV immediates: the code without them is the same.
        for wide in [false, true] {
            let some: Vec<Case> = cases(Access::Write, wide).into_iter().step_by(67).collect();
            let without = code(&some, &device.without_uv_immediates(), &bytes);
            assert_eq!(code(&some, &device, &bytes), without);
        }
    }
}

/// The code of a program with one case, as text.
fn move_of(case: &Case, device: &Device) -> String {
    listing(&code(&[*case], device, &inputs()).0, device)
}

#[test]
fn without_uv_immediates_two_rows_have_an_address_each() {
    let device = Device::new(PLATFORMS[1]);
    let case = Case {
        access: Access::ReadVectors,
        wide: false,
        index: Index::Vertex(1, Kind::Ud),
        flow: Flow::Straight,
        swizzle: Swizzle([3, 0, 1, 1]),
        mask: WriteMask::XYZW,
        predicate: (0, Predicate::NONE),
    };
    let with = move_of(&case, &device);
    assert!(with.contains("UV") && !with.contains("VxH<4"), "{with}");
    let device = device.without_uv_immediates();
    let without = move_of(&case, &device);
    assert!(!without.contains("UV"), "{without}");
    assert!(without.contains("<VxH,4,1>"), "{without}");
    let one = Case { swizzle: Swizzle([2; 4]), ..case };
    assert!(move_of(&one, &device).contains("<VxH,4,0>"));
    // A row that may cross a register boundary cannot be read with one address.
    let anywhere = move_of(&Case { access: Access::ReadUniform, ..case }, &device);
    assert!(anywhere.contains("<VxH,1,0>"), "{anywhere}");
}
