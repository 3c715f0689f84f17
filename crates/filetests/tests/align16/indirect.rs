//! Indirect moves of vectors: every swizzle and write mask, with and without UV immediates.

use crate::harness::{GRF, PLATFORMS, Random, end, execute, function, listing, lower, save};
use crestline_codegen::ir::{Builder, Flag, Op, Operand, Region};
use crestline_device::Device;
use crestline_isa::{ArfKind, Inst, Opcode, PredCtrl, Predicate, Swizzle, Type, WriteMask};

/// An array of registers, indices of the vertices and vectors to write; see [`inputs`].
const ARRAY: u32 = 1;
const ARRAY_REGISTERS: u32 = 8;
const INDICES: u32 = ARRAY + ARRAY_REGISTERS;
const VALUES: u32 = INDICES + 4;
const INPUT_REGISTERS: u32 = VALUES + 2 - 1;
/// Results begin here.
const FIRST_RESULT: u32 = 18;
const SENTINEL: u32 = 0xabcd_0123;

/// How the array is laid out and indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// A register for each element of dwords, two for doubles.
    Vectors,
    /// Dwords (or doubles) one after another, the same for both vertices.
    Uniform,
}

/// Where indices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Index {
    /// One scalar for the thread.
    Scalar,
    /// One for both vertices, as a vector.
    Uniform,
    /// One component for each vertex.
    Vertex(u8),
    /// One for each channel.
    Channel,
    /// One for each channel, in another order.
    Swizzled,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    write: bool,
    wide: bool,
    range: Range,
    index: Index,
    swizzle: Swizzle,
    mask: WriteMask,
    predicate: Option<(u8, Predicate)>,
}

impl Case {
    fn size(&self) -> u32 {
        if self.wide { 8 } else { 4 }
    }

    fn ty(&self) -> Type {
        if self.wide { Type::Df } else { Type::Ud }
    }

    /// Number in the table of indices of a channel's.
    fn index_of(&self, channel: usize) -> usize {
        let (vertex, component) = (channel / 4 * 4, channel % 4);
        match self.index {
            Index::Scalar => 1,
            Index::Uniform => 2,
            Index::Vertex(c) => vertex + usize::from(c),
            Index::Channel => channel,
            Index::Swizzled => vertex + [2, 0, 3, 1][component],
        }
    }

    fn index_operand(&self, table: Operand) -> Operand {
        let swizzled = |components| table.with_region(Region::Swizzle(Swizzle(components)));
        match self.index {
            Index::Scalar => table.byte_offset(4).with_stride(0),
            Index::Uniform => {
                table.with_region(Region::Vectors { step: 0, swizzle: Swizzle([2; 4]) })
            }
            Index::Vertex(c) => swizzled([c; 4]),
            Index::Channel => swizzled([0, 1, 2, 3]),
            Index::Swizzled => swizzled([2, 0, 3, 1]),
        }
    }

    /// The table of byte indices that suits the range, of those in the inputs.
    fn table(&self) -> u32 {
        INDICES + 2 * u32::from(self.range == Range::Uniform && !self.write) + u32::from(self.wide)
    }

    /// Bytes of the range that may be touched.
    fn bytes(&self) -> u32 {
        ARRAY_REGISTERS * GRF as u32
    }

    fn range_region(&self) -> Region {
        match self.range {
            Range::Vectors => Region::Swizzle(self.swizzle),
            Range::Uniform => Region::Vectors { step: 0, swizzle: self.swizzle },
        }
    }

    /// Emits the move. `result` is where a read goes, or the array that a write changes.
    fn emit(&self, result: Operand, odd: bool, b: &mut Builder<'_>) {
        let size = self.size();
        let table = Operand::grf(self.table(), Type::Ud);
        let bytes = Operand::imm_ud(self.bytes());
        let mut b = b.align16();
        if let Some((bits, _)) = self.predicate {
            let flag = Operand::arf(ArfKind::Flag, 0, Type::Uw).with_stride(0);
            b.uniform().mov(flag, Operand::imm_uw(bits.into()));
        }
        if odd {
            // Only channels that a flag names: those of the first vertex.
            let flag = Operand::arf(ArfKind::Flag, 4, Type::Uw).with_stride(0);
            b.uniform().mov(flag, Operand::imm_uw(0x0f));
            b.if_(Flag::Fixed(2), false);
        }
        let mut inner = match self.predicate {
            Some((_, predicate)) => b.predicate(Flag::Fixed(0), predicate),
            None => b.align16(),
        };
        let dst = result.retype(self.ty()).with_region(Region::Mask(self.mask));
        if self.write {
            let value = Operand::grf(VALUES, self.ty()).with_region(Region::Swizzle(self.swizzle));
            inner.emit(Op::MovIndirectDst, dst, &[value, self.index_operand(table), bytes]);
        } else {
            let range = Operand::grf(ARRAY, self.ty()).with_region(self.range_region());
            inner.emit(Op::MovIndirect, dst, &[range, self.index_operand(table), bytes]);
        }
        if odd {
            b.endif();
        }
        debug_assert!(size == 4 || size == 8);
    }

    fn enabled(&self, channel: usize, channels: usize) -> bool {
        let on = self.predicate.is_none_or(|(bits, predicate)| {
            let bit = match predicate.ctrl {
                PredCtrl::Y => channel / 4 * 4 + 1,
                _ => channel,
            };
            (bits >> bit & 1 == 1) != predicate.inverse
        });
        on && channel < channels && self.mask.0 >> (channel % 4) & 1 == 1
    }

    /// Bytes of `inputs` after a write, or of a result of `before` after a read.
    fn expected(&self, inputs: &[u8], before: &[u8], channels: usize) -> Vec<u8> {
        let size = self.size() as usize;
        let mut after = before.to_vec();
        for channel in (0..8).filter(|channel| self.enabled(*channel, channels)) {
            let at = (self.table() as usize - 1) * GRF + 4 * self.index_of(channel);
            let index =
                u32::from_le_bytes(inputs[at..at + 4].try_into().expect("a dword")) as usize;
            let (vertex, component) = (channel / 4, channel % 4);
            let swizzled = usize::from(self.swizzle.0[component]) * size;
            let (from, to) = if self.write {
                let value = (VALUES as usize - 1) * GRF + 4 * size * vertex + swizzled;
                (value, index + 4 * size * vertex + component * size)
            } else {
                let own = if self.range == Range::Vectors { 4 * size * vertex } else { 0 };
                (index + own + swizzled, channel * size)
            };
            after[to..to + size].copy_from_slice(&inputs[from..from + size]);
        }
        after
    }
}

/// Registers g1 on: an array of distinct numbers; for dwords and doubles, indices of elements that
/// are whole vectors and such that are any component; two registers of values.
fn inputs() -> Vec<u8> {
    let mut dwords: Vec<u32> = (0..INPUT_REGISTERS * 8).map(|i| 0x4010_0000 + i * 0x0101).collect();
    for vertex in 0..8usize {
        let element = [3, 0, 1, 2, 2, 3, 0, 1][vertex];
        let mut set = |table: u32, value: u32| {
            dwords[(INDICES + table - 1) as usize * 8 + vertex] = value;
        };
        set(0, element * 32);
        set(1, element.min(2) * 64);
        // Any element of a uniform array, some of which lie across registers.
        set(2, [20, 28, 64, 4, 100, 12, 48, 84][vertex]);
        set(3, [24, 16, 64, 8, 96, 56, 40, 80][vertex]);
    }
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

/// The code of cases and where their results are, in pairs of registers.
fn code(cases: &[Case], odd: bool, device: &Device, bytes: &[u8]) -> (Vec<Inst>, usize) {
    let mut function = function(bytes);
    let mut b = Builder::new(&mut function);
    let mut pairs = 0;
    for case in cases {
        let length = if case.write { ARRAY_REGISTERS / 2 } else { 1 };
        let result = Operand::grf(FIRST_RESULT, Type::Ud);
        let mut all = b.no_mask();
        for register in 0..2 * length {
            let place = result.byte_offset(register * GRF as u32);
            let source = Operand::grf(ARRAY + register, Type::Ud);
            all.mov(place, if case.write { source } else { Operand::imm_ud(SENTINEL) });
        }
        case.emit(result, odd, &mut b);
        let results: Vec<Operand> =
            (0..length).map(|pair| result.byte_offset(pair * 2 * GRF as u32)).collect();
        save(&mut b, device, pairs, &results);
        pairs += results.len();
    }
    end(&mut b, device);
    (lower(function, device, true), pairs)
}

fn run(device: &Device, cases: &[Case], odd: bool, channels: u32) {
    let bytes = inputs();
    for batch in cases.chunks(32) {
        let (insts, pairs) = code(batch, odd, device, &bytes);
        let found = execute(insts, device, &bytes, channels, pairs);
        let mut found = &found[..];
        for case in batch {
            let before = match case.write {
                true => bytes[..ARRAY_REGISTERS as usize * GRF].to_vec(),
                false => SENTINEL.to_le_bytes().repeat(16),
            };
            let active = if odd { 4 } else { channels as usize };
            let expected = case.expected(&bytes, &before, active);
            let (own, rest) = found.split_at(before.len());
            found = rest;
            assert!(
                own == expected,
                "{}: {case:?}, {channels} channels, odd {odd}\nexpected {expected:x?}\nfound    {own:x?}\n{}",
                device.platform(),
                listing(&code(&[*case], odd, device, &bytes).0, device),
            );
        }
    }
}

fn cases(write: bool) -> Vec<Case> {
    let mut random = Random(3 + u64::from(write));
    let indices = [
        Index::Scalar,
        Index::Uniform,
        Index::Vertex(0),
        Index::Vertex(3),
        Index::Channel,
        Index::Swizzled,
    ];
    let ranges: &[Range] =
        if write { &[Range::Vectors] } else { &[Range::Vectors, Range::Uniform] };
    let mut cases = Vec::new();
    // Every swizzle and every mask with every kind of index, range and size.
    let mut one = 0;
    for &range in ranges {
        for wide in [false, true] {
            for index in indices {
                for number in 0..256u32 {
                    let mask = WriteMask(1 + ((number + one) % 15) as u8);
                    let predicate = (random.below(4) == 0).then(|| {
                        let ctrl = [PredCtrl::Normal, PredCtrl::Y][random.below(2) as usize];
                        let inverse = random.below(2) == 0;
                        (random.below(256) as u8, Predicate { ctrl, inverse })
                    });
                    let swizzle = Swizzle::from_bits(number as u8);
                    cases.push(Case { write, wide, range, index, swizzle, mask, predicate });
                }
                one += 7;
            }
        }
    }
    cases
}

/// Some of the cases.
fn sample(cases: &[Case]) -> Vec<Case> {
    cases.iter().copied().step_by(11).collect()
}

#[test]
fn reads() {
    let cases = cases(false);
    for device in PLATFORMS.map(Device::new) {
        run(&device, &cases, false, 8);
        run(&device.without_uv_immediates(), &sample(&cases), false, 8);
    }
}

#[test]
fn writes() {
    let cases = cases(true);
    for device in PLATFORMS.map(Device::new) {
        run(&device, &cases, false, 8);
    }
}

#[test]
fn one_vertex_only() {
    let both = [sample(&cases(false)), sample(&cases(true))].concat();
    for device in PLATFORMS.map(Device::new) {
        run(&device, &both, false, 4);
        run(&device, &both, true, 8);
    }
}

#[test]
fn without_uv_immediates_there_are_none() {
    let device = Device::new(PLATFORMS[1]);
    let has_uv = |device: &Device| {
        let (insts, _) = code(&cases(false)[..8], false, device, &inputs());
        insts.iter().any(|inst| {
            inst.opcode == Opcode::Add && listing(std::slice::from_ref(inst), device).contains("UV")
        })
    };
    assert!(has_uv(&device));
    assert!(!has_uv(&device.without_uv_immediates()));
}
