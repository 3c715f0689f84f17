//! Kernels: decoded programs that can be dispatched.

use crate::EmuError;
use crate::decode;
use crate::exec::run::Executable;
use crestline_device::Device;
use crestline_isa::validate::Padding;
use crestline_isa::{Inst, ProgramError, decode_each};
use crestline_program::{Dispatch, Metadata, StageMetadata};
use std::collections::BTreeMap;

/// A decoded program that can be dispatched.
///
/// Loading decodes the code and resolves every operand, target and message, so a kernel can be
/// dispatched any number of times.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) metadata: Metadata,
    pub(crate) device: Device,
    pub(crate) instructions: Vec<Inst>,
    pub(crate) program: Executable,
    /// For each entry point, the index of the instruction at which its threads start.
    pub(crate) starts: Vec<usize>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("metadata", &self.metadata)
            .field("instructions", &self.instructions)
            .finish_non_exhaustive()
    }
}

/// The address of constant data in relocated code: in the upper part of the address space, above all buffers.
pub(crate) const CONSTANT_DATA_ADDRESS: u64 = 0x7f00_0000_0000;

impl Kernel {
    /// Whether each four channels of a thread are a block of 2x2 invocations.
    pub(crate) fn has_blocks(&self) -> bool {
        matches!(self.metadata.stage, StageMetadata::Fragment(_) | StageMetadata::Compute(_))
    }

    /// Loads a program: checks metadata and code against the device, applies relocations,
    /// decodes every instruction and plans its execution.
    ///
    /// # Errors
    /// [`EmuError::Metadata`], [`EmuError::Platform`], [`EmuError::Decode`] for bytes that are
    /// no instruction, [`EmuError::Illegal`] and [`EmuError::Unsupported`] for instructions
    /// that cannot be executed, [`EmuError::EntryPoint`] for an entry point where none starts.
    pub fn load(code: &[u8], metadata: Metadata, device: &Device) -> Result<Kernel, EmuError> {
        metadata.check()?;
        metadata.check_code(code)?;
        if metadata.platform != device.platform() {
            let (program, device) = (metadata.platform, device.platform());
            return Err(EmuError::Platform { program, device });
        }
        let mut code = code.to_vec();
        for relocation in &metadata.relocations {
            relocation.apply(&mut code, CONSTANT_DATA_ADDRESS);
        }
        let located = instructions_of(&code, &metadata, device)?;
        Kernel::build(located, metadata, device)
    }

    /// Loads a program from decoded instructions, each [`Inst::size`] bytes long. Relocations
    /// do not apply.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn from_instructions(
        instructions: Vec<Inst>,
        metadata: Metadata,
        device: &Device,
    ) -> Result<Kernel, EmuError> {
        metadata.check()?;
        if metadata.platform != device.platform() {
            let (program, device) = (metadata.platform, device.platform());
            return Err(EmuError::Platform { program, device });
        }
        let mut end = 0;
        let located = instructions.into_iter().map(|inst| {
            let offset = end;
            end += inst.size();
            (offset, inst)
        });
        Kernel::build(located.collect(), metadata, device)
    }

    /// Builds a kernel from instructions and their byte offsets, in ascending order.
    fn build(
        mut located: Vec<(u32, Inst)>,
        metadata: Metadata,
        device: &Device,
    ) -> Result<Kernel, EmuError> {
        let padding = Padding::of(located.iter().map(|(_, inst)| inst));
        if let Some(last) = padding.runs().last().filter(|run| run.end == located.len()) {
            located.truncate(last.start);
        }
        let mut starts: BTreeMap<u32, usize> =
            located.iter().enumerate().map(|(index, (offset, _))| (*offset, index)).collect();
        let entry = |offset| starts.get(&offset).copied().filter(|index| !padding.contains(*index));
        let of_dispatch = |dispatch: &Dispatch| {
            entry(dispatch.offset).ok_or(EmuError::EntryPoint { offset: dispatch.offset })
        };
        let entries = metadata.dispatches.iter().map(of_dispatch).collect::<Result<_, _>>()?;
        // A branch may lead to the end of the code, or to the padding after code. Execution there is a separate error
        // (`EmuError::PastTheEnd`).
        starts.retain(|_, index| padding.may_be_target(*index));
        let end = located.last().map_or(0, |(offset, inst)| offset + inst.size());
        starts.insert(end, located.len());
        let plans = decode::program(&located, starts, &padding, device)?;
        let program = Executable::new(plans)?;
        let instructions = located.into_iter().map(|(_, inst)| inst).collect();
        Ok(Kernel { metadata, device: *device, instructions, program, starts: entries })
    }

    /// The instructions, in order of the code.
    pub fn instructions(&self) -> &[Inst] {
        &self.instructions
    }

    /// The SIMD width of the widest entry point.
    pub(crate) fn widest(&self) -> u32 {
        self.metadata.dispatches.iter().map(|dispatch| dispatch.simd_width).max().unwrap_or(8)
    }

    /// The entry point that runs in stages other than fragment shaders: the first of the metadata.
    pub(crate) fn entry(&self) -> &Dispatch {
        self.metadata.dispatches.first()
    }

    /// The metadata the kernel was loaded with.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

/// Decodes code to instructions with their byte offsets. Decoding starts anew at each entry point, because the padding
/// before it may have any length.
fn instructions_of(
    code: &[u8],
    metadata: &Metadata,
    device: &Device,
) -> Result<Vec<(u32, Inst)>, EmuError> {
    let mut entries: Vec<usize> = metadata
        .dispatches
        .iter()
        .map(|dispatch| dispatch.offset as usize)
        .filter(|offset| *offset < code.len())
        .collect();
    entries.extend([0, code.len()]);
    entries.sort_unstable();
    entries.dedup();
    let mut located = Vec::with_capacity(code.len() / 12);
    for part in entries.windows(2) {
        for (at, inst) in decode_each(&code[..part[1]], part[0], device.generation()) {
            let inst = inst.map_err(|error| match error {
                // The next entry point is inside an instruction.
                ProgramError::Truncated { .. } if part[1] < code.len() => {
                    EmuError::EntryPoint { offset: part[1] as u32 }
                }
                error => EmuError::Decode { message: error.to_string() },
            })?;
            located.push((at.start as u32, inst));
        }
    }
    Ok(located)
}
