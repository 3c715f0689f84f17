//! The kernels that the draws and dispatches of a batch use.

use std::collections::BTreeMap;

use crestline_device::Gen;
use crestline_isa::decode_at;

use crate::batch::{Memory, Step};
use crate::tables::INTERFACE_DESCRIPTOR;

/// The most bytes of a kernel. Those of drivers have some KiB.
const MAX_KERNEL_BYTES: usize = 1 << 20;

/// The most packets for which a kernel's users are listed.
const MAX_USERS: usize = 16;

/// The most kernels of an error state.
pub(crate) const MAX_KERNELS: usize = 256;

/// A kernel, before its code is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Use {
    /// The addresses of the first packets that start it.
    pub(crate) packets: Vec<u64>,
    /// Whether the last packet that the command streamer started uses it.
    pub(crate) is_marked: bool,
}

/// Stage and address of each kernel. The address is `Err` with the offset if the batch does not set the base address.
pub(crate) type Uses = BTreeMap<(&'static str, Result<u64, u64>), Use>;

/// The state that the packets have set so far.
#[derive(Clone, Debug, Default)]
struct State {
    /// Instruction Base Address.
    instructions: Option<u64>,
    /// Dynamic State Base Address.
    dynamic: Option<u64>,
    /// For each stage, the offsets of its kernels.
    stages: BTreeMap<&'static str, Vec<(&'static str, u64)>>,
    /// Offset of the interface descriptors.
    descriptors: Option<u64>,
}

/// The packets of the stages with one kernel, and their names.
const STAGES: &[(&str, &str)] = &[
    ("3DSTATE_VS", "vertex"),
    ("3DSTATE_HS", "tessellation control"),
    ("3DSTATE_DS", "tessellation evaluation"),
    ("3DSTATE_GS", "geometry"),
];

/// Finds the kernels of a batch. `last` is the number of the packet where the command streamer stood.
pub(crate) fn find(
    memory: &Memory<'_>,
    engine: &str,
    steps: &[Step],
    last: Option<usize>,
    column: usize,
) -> Uses {
    let mut state = State::default();
    let mut uses = Uses::new();
    let mut started: Vec<(&'static str, Result<u64, u64>)> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        if last.is_some_and(|last| number > last) && !started.is_empty() {
            mark(&mut uses, &started);
            started.clear();
        }
        state.set(step, column);
        let kernels: Vec<(&'static str, u64)> = match step.name() {
            "3DPRIMITIVE" => state.stages.values().flatten().copied().collect(),
            "GPGPU_WALKER" => {
                let kernel = state.of_walker(memory, engine, step, column);
                kernel.map(|offset| ("compute", offset)).into_iter().collect()
            }
            _ => continue,
        };
        let kernels = kernels.into_iter().map(|(stage, offset)| {
            (stage, state.instructions.map(|base| base.wrapping_add(offset)).ok_or(offset))
        });
        let kernels: Vec<_> = kernels.collect();
        for key in &kernels {
            if uses.len() < MAX_KERNELS || uses.contains_key(key) {
                let packets = &mut uses.entry(*key).or_default().packets;
                if packets.len() < MAX_USERS {
                    packets.push(step.address);
                }
            }
        }
        if last.is_some_and(|last| number <= last) {
            started = kernels;
        }
    }
    mark(&mut uses, &started);
    uses
}

fn mark(uses: &mut Uses, keys: &[(&'static str, Result<u64, u64>)]) {
    for key in keys {
        if let Some(found) = uses.get_mut(key) {
            found.is_marked = true;
        }
    }
}

impl State {
    /// Applies a packet.
    fn set(&mut self, step: &Step, column: usize) {
        let field = |name| step.field(name, column);
        let is_set = |name| field(name) == Some(1);
        let name = step.name();
        if let Some((_, stage)) = STAGES.iter().find(|(packet, _)| *packet == name) {
            let kernel = field("Kernel Start Pointer").filter(|_| is_set("Enable"));
            self.stages.insert(stage, kernel.map(|offset| (*stage, offset)).into_iter().collect());
            return;
        }
        match name {
            "STATE_BASE_ADDRESS" => {
                if is_set("Instruction Base Address Modify Enable") {
                    self.instructions = field("Instruction Base Address");
                }
                if is_set("Dynamic State Base Address Modify Enable") {
                    self.dynamic = field("Dynamic State Base Address");
                }
            }
            "MEDIA_INTERFACE_DESCRIPTOR_LOAD" => {
                self.descriptors = field("Interface Descriptor Data Start Address");
            }
            "3DSTATE_PS" => {
                // The pointer of a width depends on the other widths. Source: 3DSTATE_PS, "Kernel Start Pointer 0" to 2.
                let widths = [8, 16, 32].map(|width| is_set_width(step, width, column));
                let (first, second, third) =
                    ("Kernel Start Pointer 0", "Kernel Start Pointer 1", "Kernel Start Pointer 2");
                let pointers = match widths {
                    [true, false, false] => vec![("fragment SIMD8", first)],
                    [false, true, false] => vec![("fragment SIMD16", first)],
                    [false, false, true] => vec![("fragment SIMD32", first)],
                    [with_8, with_16, with_32] => [
                        (with_8, ("fragment SIMD8", first)),
                        (with_16, ("fragment SIMD16", third)),
                        (with_32, ("fragment SIMD32", second)),
                    ]
                    .into_iter()
                    .filter_map(|(exists, pointer)| exists.then_some(pointer))
                    .collect(),
                };
                let kernels = pointers.into_iter();
                let kernels = kernels.filter_map(|(stage, name)| Some((stage, field(name)?)));
                self.stages.insert("fragment", kernels.collect());
            }
            _ => {}
        }
    }

    /// The offset of the kernel that a GPGPU_WALKER starts, from its interface descriptor.
    fn of_walker(
        &self,
        memory: &Memory<'_>,
        engine: &str,
        step: &Step,
        column: usize,
    ) -> Option<u64> {
        /// Size of a descriptor in bytes.
        const BYTES: u64 = 32;
        let index = step.field("Interface Descriptor Offset", column)?;
        let address = self.dynamic?.wrapping_add(self.descriptors?).wrapping_add(index * BYTES);
        let (_, bytes) = memory.at(engine, address)?;
        let (words, _) = bytes.get(..BYTES as usize)?.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let pointer = INTERFACE_DESCRIPTOR.iter().find(|f| f.name == "Kernel Start Pointer")?;
        pointer.value(&words, column)
    }
}

/// Whether 3DSTATE_PS enables a width.
fn is_set_width(step: &Step, width: u32, column: usize) -> bool {
    step.field(&format!("{width} Pixel Dispatch Enable"), column) == Some(1)
}

/// Number of bytes of the kernel at the start of `code`: up to the first message with end of thread that no jump passes,
/// or up to the first instruction that does not decode, which is included.
pub(crate) fn length(code: &[u8], generation: Gen) -> usize {
    let code = &code[..code.len().min(MAX_KERNEL_BYTES)];
    let (mut offset, mut farthest) = (0_i64, 0_i64);
    while let Some(rest) = usize::try_from(offset).ok().and_then(|at| code.get(at..)) {
        if rest.is_empty() {
            break;
        }
        let Ok(inst) = decode_at(rest, offset as usize, generation) else {
            return code.len().min(offset as usize + 16);
        };
        if let Some(branch) = inst.branch() {
            let targets = [branch.jip, branch.uip].into_iter().flatten();
            farthest = targets.fold(farthest, |most, to| most.max(offset + i64::from(to)));
        }
        let ends = inst.send().is_some_and(|send| send.eot);
        offset += if inst.compacted { 8 } else { 16 };
        if ends && offset > farthest {
            break;
        }
    }
    code.len().min(offset as usize)
}
