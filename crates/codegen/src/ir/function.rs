//! A program in the back end's form: virtual registers and blocks in layout order.

use std::convert::Infallible;

use super::{File, Inst, Operand};
use crate::target::MAX_REGISTERS;
use crestline_isa::Type;
use crestline_ssa::ir::Fuel;

crestline_ssa::typed_index! {
    /// Number of a virtual register.
    pub struct Vreg(pub u32), "v";
    /// Number of a block, in layout order: an index in [`Function::blocks`].
    pub struct BlockId(pub u32), "block ";
}

/// What a virtual register is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// General registers.
    Grf,
    /// Flag bits, one per channel of the dispatch. As an operand: one UW or UD, the whole flag.
    Flag,
}

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VregInfo {
    /// Class.
    pub class: Class,
    /// Size in bytes. Up to one general register it may share that register with others and is
    /// aligned to its size rounded up to a power of two; above, it is a multiple of 32 and
    /// starts at a register boundary. Flags: 2, or 4 for SIMD32.
    pub bytes: u32,
    /// Must be at or above this general register (payload of an end-of-thread message).
    pub min_register: u8,
    /// Must not be spilled: it was made by spilling, or lives too briefly to gain anything.
    pub no_spill: bool,
}

/// The table of virtual registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vregs {
    infos: Vec<VregInfo>,
    fault: Option<&'static str>,
}

impl Vregs {
    /// A new register with everything given.
    pub fn push(&mut self, info: VregInfo) -> Vreg {
        let vreg = Vreg::from_index(self.infos.len());
        self.infos.push(info);
        vreg
    }

    /// A new register of `bytes` bytes (above 32 rounded up to whole general registers).
    pub fn bytes(&mut self, bytes: u32) -> Vreg {
        let bytes = if bytes > 32 { bytes.next_multiple_of(32) } else { bytes.max(1) };
        self.push(VregInfo { class: Class::Grf, bytes, min_register: 0, no_spill: false })
    }

    /// A new flag register for a dispatch of `width` channels.
    pub fn flag(&mut self, width: u8) -> Vreg {
        let bytes = if width > 16 { 4 } else { 2 };
        self.push(VregInfo { class: Class::Flag, bytes, min_register: 0, no_spill: false })
    }

    /// Notes that this compiler found itself wrong where it could only go on: the program is refused before anything is
    /// made of it. The first note stays.
    pub fn note_fault(&mut self, what: &'static str) {
        self.fault.get_or_insert(what);
    }

    /// What was noted.
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

    /// The register's facts, if it exists.
    pub fn get(&self, vreg: Vreg) -> Option<&VregInfo> {
        self.infos.get(vreg.index())
    }

    /// The register's facts, for changing.
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

/// A straight run of instructions. Flow control stands at its ends only: see
/// [`Op::starts_block`](super::Op::starts_block) and [`Op::ends_block`](super::Op::ends_block).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The instructions in order.
    pub insts: Vec<Inst>,
}

/// A program: what instruction selection makes and all passes change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Channels of a thread: 8, 16 or 32; 8 in vec4 mode (two vectors).
    pub dispatch_width: u8,
    /// Virtual registers.
    pub vregs: Vregs,
    /// Blocks in layout order; control flow is structured and follows from the flow
    /// instructions ([`Cfg`](super::Cfg)).
    pub blocks: Vec<Block>,
    /// General registers that hold the thread payload at the start, from g0: they are live from
    /// entry until their last use.
    pub payload_registers: u32,
    /// First general register of the push constants (inside the payload).
    pub push_register: u32,
    /// Bytes of push constants: the size of [`File::Uniform`].
    pub push_bytes: u32,
    /// Scratch space of a thread that the program itself uses, in bytes; spilling appends.
    pub scratch_bytes: u32,
    /// The changes that an optimisation may make; without a limit but while one runs that has one.
    pub fuel: Fuel,
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
        }
    }

    /// A new virtual register for `components` values of a type, one per channel of the
    /// dispatch, each component in whole general registers where there are several.
    pub fn lanes(&mut self, ty: Type, components: u32) -> Operand {
        let one = u32::from(self.dispatch_width) * ty.size();
        Operand::vgrf(self.vregs.bytes(one * components), ty)
    }

    /// A new virtual register for one value of the whole thread; all channels read it.
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

    /// Rewrites the instructions that are `wanted`: `rewrite` gets each of them and a builder that
    /// appends in its place and starts with the instruction's own execution controls. What it does
    /// not emit is gone. Says whether it ever returned true.
    pub fn rewrite(
        &mut self,
        wanted: impl Fn(&Inst) -> bool,
        mut rewrite: impl FnMut(Inst, &mut super::Builder<'_>) -> bool,
    ) -> bool {
        let Ok(changed) = self.try_rewrite::<Infallible>(wanted, |inst, b| Ok(rewrite(inst, b)));
        changed
    }

    /// As [`rewrite`](Self::rewrite), stopping at the first error, which leaves the function
    /// incomplete.
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
            // Room for what most rewrites add; the list that was is copied once, run by run.
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

    /// Bytes from an operand's start to the end of what its file holds there; `None` for files
    /// without a size.
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
