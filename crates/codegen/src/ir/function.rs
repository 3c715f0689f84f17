//! Functions: virtual registers, and blocks in layout order.

use std::convert::Infallible;
use std::sync::Arc;

use super::{File, Inst, Operand, Origin};
use crate::target::MAX_REGISTERS;
use crestline_isa::Type;
use crestline_ssa::ir::{DebugLocs, Fuel};

crestline_ssa::typed_index! {
    /// Number of a virtual register.
    pub struct Vreg(pub u32), "v";
    /// Number of a block in layout order: its index in [`Function::blocks`].
    pub struct BlockId(pub u32), "block ";
}

/// Which kind of hardware register a virtual register gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// General registers.
    Grf,
    /// A flag register: one bit per channel of the thread. An operand of this class is one UW or UD, the whole flag.
    Flag,
}

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VregInfo {
    /// Class.
    pub class: Class,
    /// Size in bytes. A register of up to 32 bytes may share a general register with others; it is aligned to its
    /// size rounded up to a power of two. A larger size is a multiple of 32, and the register starts at a register
    /// boundary. Flags have 2 bytes, or 4 at SIMD32.
    pub bytes: u32,
    /// Lowest general register that allocation may choose (for the payload of an end-of-thread message).
    pub min_register: u8,
    /// Whether the register must not be spilled: spilling created it, or its live range is too short for a spill to
    /// help.
    pub no_spill: bool,
}

/// The table of virtual registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vregs {
    infos: Vec<VregInfo>,
    fault: Option<&'static str>,
}

impl Vregs {
    /// Adds a register with the given properties.
    pub fn push(&mut self, info: VregInfo) -> Vreg {
        let vreg = Vreg::from_index(self.infos.len());
        self.infos.push(info);
        vreg
    }

    /// Adds a register of `bytes` bytes in general registers; more than 32 are rounded up to whole registers.
    pub fn bytes(&mut self, bytes: u32) -> Vreg {
        let bytes = if bytes > 32 { bytes.next_multiple_of(32) } else { bytes.max(1) };
        self.push(VregInfo { class: Class::Grf, bytes, min_register: 0, no_spill: false })
    }

    /// Adds a flag register for a dispatch of `width` channels.
    pub fn flag(&mut self, width: u8) -> Vreg {
        let bytes = if width > 16 { 4 } else { 2 };
        self.push(VregInfo { class: Class::Flag, bytes, min_register: 0, no_spill: false })
    }

    /// Records an internal error of the compiler at a place that cannot return one. Later stages check for it and
    /// reject the program. Only the first recorded error is kept.
    pub fn note_fault(&mut self, what: &'static str) {
        self.fault.get_or_insert(what);
    }

    /// The recorded internal error, if any.
    pub fn fault(&self) -> Option<&'static str> {
        self.fault
    }

    /// Number of registers.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Every register in order.
    pub fn iter(&self) -> impl Iterator<Item = (Vreg, &VregInfo)> {
        (0..).map(Vreg).zip(&self.infos)
    }

    /// The properties of a register, if it exists.
    pub fn get(&self, vreg: Vreg) -> Option<&VregInfo> {
        self.infos.get(vreg.index())
    }

    /// The properties of a register for modification, if it exists.
    pub fn get_mut(&mut self, vreg: Vreg) -> Option<&mut VregInfo> {
        self.infos.get_mut(vreg.index())
    }
}

impl std::ops::Index<Vreg> for Vregs {
    type Output = VregInfo;

    fn index(&self, vreg: Vreg) -> &VregInfo {
        &self.infos[vreg.index()]
    }
}

/// A straight-line list of instructions. Flow control instructions are only at its start and end: see
/// [`Op::starts_block`](super::Op::starts_block) and [`Op::ends_block`](super::Op::ends_block).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The instructions in order.
    pub insts: Vec<Inst>,
}

/// A program in the back end's IR: the result of instruction selection, and the input and output of each pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Number of channels of a thread: 8, 16 or 32; in vec4 mode 8 (two vectors of four).
    pub dispatch_width: u8,
    /// Virtual registers.
    pub vregs: Vregs,
    /// Blocks in layout order. The flow control instructions in them determine the edges between blocks
    /// ([`Cfg`](super::Cfg)).
    pub blocks: Vec<Block>,
    /// Number of general registers, from g0 on, that hold the thread payload when the thread starts. Each is live
    /// from the entry to its last use.
    pub payload_registers: u32,
    /// First general register of the push constants, which are part of the thread payload.
    pub push_register: u32,
    /// Size of the push constants ([`File::Uniform`]) in bytes.
    pub push_bytes: u32,
    /// Scratch space of a thread in bytes. Selection reserves the part that the program itself needs; spilling adds
    /// to it.
    pub scratch_bytes: u32,
    /// Limit on the number of changes that the running optimisation may make; unlimited unless the running pass has a
    /// limit.
    pub fuel: Fuel,
    /// The places in the source to which the origins of instructions refer.
    pub debug: Arc<DebugLocs>,
    /// The origin that a builder gives to new instructions at the end of the program. Selection sets it for each
    /// instruction of the shader.
    pub origin: Origin,
}

impl Function {
    /// An empty program with one block.
    pub fn new(dispatch_width: u8) -> Function {
        Function {
            dispatch_width,
            vregs: Vregs::default(),
            blocks: vec![Block::default()],
            payload_registers: 1,
            push_register: 1,
            push_bytes: 0,
            scratch_bytes: 0,
            fuel: Fuel::default(),
            debug: Arc::default(),
            origin: Origin::UNKNOWN,
        }
    }

    /// Adds a virtual register for a value with `components` components of type `ty` and one element per channel of
    /// the thread. Components follow one another without gaps.
    pub fn lanes(&mut self, ty: Type, components: u32) -> Operand {
        let one = u32::from(self.dispatch_width) * ty.size();
        Operand::vgrf(self.vregs.bytes(one * components), ty)
    }

    /// Adds a virtual register for one value of the whole thread; the operand reads the same element in all channels.
    pub fn scalar(&mut self, ty: Type) -> Operand {
        Operand::scalar(self.vregs.bytes(ty.size()), ty)
    }

    /// Every instruction in layout order.
    pub fn insts(&self) -> impl Iterator<Item = &Inst> {
        self.blocks.iter().flat_map(|block| &block.insts)
    }

    /// Every instruction in layout order, for changing in place.
    pub fn insts_mut(&mut self) -> impl Iterator<Item = &mut Inst> {
        self.blocks.iter_mut().flat_map(|block| &mut block.insts)
    }

    /// Number of instructions.
    pub fn inst_count(&self) -> usize {
        self.blocks.iter().map(|block| block.insts.len()).sum()
    }

    /// Replaces each instruction for which `wanted` returns true. `rewrite` receives the instruction and a builder
    /// that emits in its place and starts with the instruction's own execution size, group, NoMask and access mode.
    /// If `rewrite` emits nothing, the instruction is deleted. Returns whether any call of `rewrite` returned true.
    pub fn rewrite(
        &mut self,
        wanted: impl Fn(&Inst) -> bool,
        mut rewrite: impl FnMut(Inst, &mut super::Builder<'_>) -> bool,
    ) -> bool {
        let Ok(changed) = self.try_rewrite::<Infallible>(wanted, |inst, b| Ok(rewrite(inst, b)));
        changed
    }

    /// The same as [`rewrite`](Self::rewrite) for a `rewrite` that can fail. It stops at the first error and then
    /// leaves the function incomplete.
    ///
    /// # Errors
    /// The first error of `rewrite`.
    pub fn try_rewrite<E>(
        &mut self,
        wanted: impl Fn(&Inst) -> bool,
        mut rewrite: impl FnMut(Inst, &mut super::Builder<'_>) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let mut changed = false;
        for block in &mut self.blocks {
            let Some(first) = block.insts.iter().position(&wanted) else { continue };
            // The new list gets room for the instructions that most rewrites add. Runs of unchanged instructions are
            // copied together.
            let room = block.insts.len() + block.insts.len() / 2 + 8;
            let mut old = std::mem::replace(&mut block.insts, Vec::with_capacity(room)).into_iter();
            let mut next = Some(first);
            while let Some(distance) = next {
                block.insts.extend(old.by_ref().take(distance));
                if let Some(inst) = old.next() {
                    let (vregs, list) = (&mut self.vregs, &mut block.insts);
                    let mut builder = super::Builder::list(vregs, list, self.dispatch_width);
                    builder.take_controls(&inst);
                    changed |= rewrite(inst, &mut builder)?;
                }
                next = old.as_slice().iter().position(&wanted);
            }
            block.insts.extend(old);
        }
        Ok(changed)
    }

    /// Bytes from an operand's start to the end of its register or file; `None` for files without a size and for
    /// offsets beyond the end.
    pub fn bytes_from(&self, operand: &Operand) -> Option<u32> {
        let size = match operand.file {
            File::Vgrf(vreg) => self.vregs.get(vreg)?.bytes,
            File::Grf => MAX_REGISTERS * super::GRF_BYTES,
            File::Uniform => self.push_bytes,
            _ => return None,
        };
        size.checked_sub(operand.offset)
    }
}
