//! Tests indirect moves in scalar mode: an index per channel or one for all, of every type; elements of each size;
//! regions with and without a step; with and without UV immediates; with some channels disabled.

use crate::harness::{GRF, PLATFORMS, end, execute, function, listing, lower, save};
use crestline_codegen::ir::{Builder, Flag, Op, Operand};
use crestline_device::{Device, Platform};
use crestline_isa::{ArfKind, Inst, Opcode, Type};

/// Bytes of the array in g1 to g8. Behind it are three registers of indices (complete, with [`NOWHERE`] for the channels
/// in [`SOME`], with it for the other channels), then two registers of values to write.
const ARRAY_BYTES: u32 = 8 * GRF as u32;
const INDICES: u32 = 9;
const VALUES: u32 = INDICES + 3;
const REGISTERS: u32 = VALUES + 1;
/// The result register of a read, or the array that a write changes.
const RESULT: u32 = 40;
/// Byte indices of the channels.
const TABLE: [u32; 8] = [40, 0, 128, 64, 8, 192, 16, 96];
/// The channel whose index is used if all channels have the same index.
const ONE: usize = 2;
/// The channels that are enabled by the predicate or condition, or that leave the loop.
const SOME: u16 = 0b0110_1101;
/// An index far out of range, for channels that are disabled: no access may use it.
const NOWHERE: u32 = 0x7fff_fff0;

/// The control flow around the move, which decides the enabled channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Straight,
    /// The thread has five channels.
    Five,
    Predicated,
    Conditional,
    /// Each channel is in one arm of a conditional.
    Arms,
    /// [`SOME`] channels have left the loop.
    Loop,
}

const FLOWS: [Flow; 6] =
    [Flow::Straight, Flow::Five, Flow::Predicated, Flow::Conditional, Flow::Arms, Flow::Loop];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Index {
    Constant,
    One(Type),
    Channel(Type),
}

#[derive(Clone, Copy, Debug)]
struct Case {
    write: bool,
    ty: Type,
    /// Elements from one channel to the next in the array's region: 0 or 1.
    step: u8,
    index: Index,
    flow: Flow,
}

fn inputs() -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..REGISTERS * GRF as u32).map(|i| (i * 7 + i / 32) as u8).collect();
    for (number, nowhere) in [0, SOME, !SOME].into_iter().enumerate() {
        for (channel, index) in TABLE.into_iter().enumerate() {
            let at = (INDICES as usize - 1 + number) * GRF + 4 * channel;
            let index = if nowhere >> channel & 1 == 1 { NOWHERE } else { index };
            bytes[at..at + 4].copy_from_slice(&index.to_le_bytes());
        }
    }
    bytes
}

impl Case {
    fn index(&self, channel: usize) -> usize {
        match self.index {
            Index::Channel(_) => TABLE[channel] as usize,
            _ => TABLE[ONE] as usize,
        }
    }

    /// The index operand. `table` (0 to 2) selects the register of indices; only disabled channels may have [`NOWHERE`]
    /// there.
    fn index_operand(&self, table: u32) -> Operand {
        let stride = |ty: Type| (4 / ty.size()) as u8;
        match self.index {
            Index::Constant => Operand::imm_ud(TABLE[ONE]),
            Index::One(ty) => Operand::grf(INDICES, ty).byte_offset(4 * ONE as u32).with_stride(0),
            Index::Channel(ty) => Operand::grf(INDICES + table, ty).with_stride(stride(ty)),
        }
    }

    fn emit_move(&self, table: u32, b: &mut Builder<'_>) {
        let bytes = Operand::imm_ud(ARRAY_BYTES);
        let result = Operand::grf(RESULT, self.ty);
        let index = self.index_operand(table);
        if self.write {
            let dst = result.with_stride(self.step);
            b.emit(Op::MovIndirectDst, dst, &[Operand::grf(VALUES, self.ty), index, bytes]);
        } else {
            let range = Operand::grf(1, self.ty).with_stride(self.step);
            b.emit(Op::MovIndirect, result, &[range, index, bytes]);
        }
    }

    fn code(&self, device: &Device) -> Vec<Inst> {
        let mut function = function(&inputs());
        let mut b = Builder::new(&mut function);
        let array = |nr: u32| Operand::grf(nr, Type::Ud);
        for register in 0..8 {
            b.no_mask().mov(array(RESULT + register), array(1 + register));
        }
        let some = Flag::Fixed(0);
        let flag = Operand::arf(ArfKind::Flag, 0, Type::Uw).with_stride(0);
        b.uniform().mov(flag, Operand::imm_uw(SOME));
        match self.flow {
            Flow::Straight | Flow::Five => self.emit_move(0, &mut b),
            Flow::Predicated => self.emit_move(2, &mut b.predicated(some, false)),
            Flow::Conditional => {
                b.if_(some, false);
                self.emit_move(2, &mut b);
                b.endif();
            }
            Flow::Arms => {
                b.if_(some, false);
                self.emit_move(2, &mut b);
                b.else_();
                self.emit_move(1, &mut b);
                b.endif();
            }
            Flow::Loop => {
                b.do_();
                b.predicated(some, false).flow(Opcode::Break);
                self.emit_move(1, &mut b);
                b.flow(Opcode::Break);
                b.while_();
            }
        }
        let results: Vec<Operand> = (0..4).map(|pair| array(RESULT + 2 * pair)).collect();
        save(&mut b, device, 0, &results);
        end(&mut b, device);
        lower(function, device, true)
    }

    fn enabled(&self, channel: usize) -> bool {
        let some = SOME >> channel & 1 == 1;
        match self.flow {
            Flow::Straight | Flow::Arms => true,
            Flow::Five => channel < 5,
            Flow::Predicated | Flow::Conditional => some,
            Flow::Loop => !some,
        }
    }

    fn expected(&self) -> Vec<u8> {
        let bytes = inputs();
        let size = self.ty.size() as usize;
        let mut after = bytes[..ARRAY_BYTES as usize].to_vec();
        for channel in (0..8).filter(|channel| self.enabled(*channel)) {
            let there = self.index(channel) + channel * size * usize::from(self.step);
            let here = channel * size;
            let (from, to) = match self.write {
                true => ((VALUES as usize - 1) * GRF + here, there),
                false => (there, here),
            };
            after[to..to + size].copy_from_slice(&bytes[from..from + size]);
        }
        after
    }
}

fn cases(device: &Device) -> Vec<Case> {
    let mut indices = vec![Index::Constant];
    for ty in [Type::Ud, Type::D, Type::Uw, Type::W] {
        indices.extend([Index::One(ty), Index::Channel(ty)]);
    }
    let mut cases = Vec::new();
    let doubles = device.has_64bit_float().then_some(Type::Df);
    for ty in [Type::Uw, Type::Ud].into_iter().chain(doubles) {
        for &index in &indices {
            for flow in FLOWS {
                for step in [0, 1] {
                    cases.push(Case { write: false, ty, step, index, flow });
                }
                cases.push(Case { write: true, ty, step: 1, index, flow });
            }
        }
    }
    cases
}

#[test]
fn every_size_step_flow_and_kind_of_index() {
    let later = [Platform::Skl, Platform::Icl];
    for device in PLATFORMS.into_iter().chain(later).map(Device::new) {
        for device in [device, device.without_uv_immediates()] {
            for case in cases(&device) {
                let insts = case.code(&device);
                let channels = if case.flow == Flow::Five { 5 } else { 8 };
                let found = execute(insts.clone(), &device, &inputs(), channels, 4);
                assert!(
                    found == case.expected(),
                    "{}: {case:?}\n{}",
                    device.platform(),
                    listing(&insts, &device)
                );
            }
        }
    }
}
