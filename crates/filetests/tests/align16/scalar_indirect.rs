//! Indirect moves of scalar mode: an index for each channel or for all, elements of each size,
//! regions with and without a step, with and without UV immediates, some channels off.

use crate::harness::{GRF, PLATFORMS, end, execute, function, listing, lower, save};
use crestline_codegen::ir::{Builder, Op, Operand};
use crestline_device::Device;
use crestline_isa::{Inst, Type};

/// An array in g1 to g8, indices in g9, values to write in g10 and g11.
const ARRAY_BYTES: u32 = 8 * GRF as u32;
const INDICES: u32 = 9;
const VALUES: u32 = 10;
const REGISTERS: u32 = 11;
/// Results, or the array that a write changes.
const RESULT: u32 = 40;

#[derive(Clone, Copy, Debug)]
struct Case {
    write: bool,
    ty: Type,
    /// Elements from channel to channel of the range.
    step: u8,
    /// Whether all channels have the index of one.
    one_index: bool,
}

fn inputs() -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..REGISTERS * GRF as u32).map(|i| (i * 7 + i / 32) as u8).collect();
    for (channel, index) in [40u32, 0, 128, 64, 8, 192, 16, 96].into_iter().enumerate() {
        let at = (INDICES as usize - 1) * GRF + 4 * channel;
        bytes[at..at + 4].copy_from_slice(&index.to_le_bytes());
    }
    bytes
}

impl Case {
    fn index(&self, bytes: &[u8], channel: usize) -> usize {
        let channel = if self.one_index { 2 } else { channel };
        let at = (INDICES as usize - 1) * GRF + 4 * channel;
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("a dword")) as usize
    }

    fn code(&self, device: &Device) -> Vec<Inst> {
        let mut function = function(&inputs());
        let mut b = Builder::new(&mut function);
        let array = |nr: u32| Operand::grf(nr, Type::Ud);
        for register in 0..8 {
            b.no_mask().mov(array(RESULT + register), array(1 + register));
        }
        let indices = Operand::grf(INDICES, Type::Ud);
        let index = match self.one_index {
            true => indices.byte_offset(8).with_stride(0),
            false => indices,
        };
        let bytes = Operand::imm_ud(ARRAY_BYTES);
        let result = Operand::grf(RESULT, self.ty);
        if self.write {
            let value = Operand::grf(VALUES, self.ty);
            b.emit(Op::MovIndirectDst, result, &[value, index, bytes]);
        } else {
            let range = Operand::grf(1, self.ty).with_stride(self.step);
            b.emit(Op::MovIndirect, result, &[range, index, bytes]);
        }
        let results: Vec<Operand> = (0..4).map(|pair| array(RESULT + 2 * pair)).collect();
        save(&mut b, device, 0, &results);
        end(&mut b, device);
        lower(function, device, true)
    }

    fn expected(&self, channels: usize) -> Vec<u8> {
        let bytes = inputs();
        let size = self.ty.size() as usize;
        let mut after = bytes[..ARRAY_BYTES as usize].to_vec();
        for channel in 0..channels {
            let index = self.index(&bytes, channel);
            let (from, to) = if self.write {
                ((VALUES as usize - 1) * GRF + channel * size, index + channel * size)
            } else {
                (index + channel * size * usize::from(self.step), channel * size)
            };
            after[to..to + size].copy_from_slice(&bytes[from..from + size]);
        }
        after
    }
}

#[test]
fn every_size_step_and_kind_of_index() {
    let mut cases = Vec::new();
    for ty in [Type::Uw, Type::Ud, Type::Df] {
        for one_index in [false, true] {
            for step in [0, 1] {
                cases.push(Case { write: false, ty, step, one_index });
            }
        }
        cases.push(Case { write: true, ty, step: 1, one_index: true });
    }
    for device in PLATFORMS.map(Device::new) {
        for device in [device, device.without_uv_immediates()] {
            for case in &cases {
                for channels in [8, 5] {
                    let insts = case.code(&device);
                    let found = execute(insts.clone(), &device, &inputs(), channels, 4);
                    assert!(
                        found == case.expected(channels as usize),
                        "{}: {case:?}, {channels} channels\n{}",
                        device.platform(),
                        listing(&insts, &device)
                    );
                }
            }
        }
    }
}
