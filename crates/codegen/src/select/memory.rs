//! Memory accesses in both modes: surface indices and operands of atomics.

use crestline_isa::message::AtomicOp as IntegerOp;
use crestline_isa::{CondMod, Type};
use crestline_ssa::analysis::Divergence;
use crestline_ssa::ir::{AtomicOp, BindingId, Memory, Resource, Src, Value};

use super::{SelectError, Structured, atomic_operation};
use crate::ir::{Op, Operand};
use crate::surface::{Atomic, SamplerIndex, Surface};

/// The byte offset of an access in its surface. An address of 32 bits is an offset in stateless memory;
/// `lower_address_offsets` has made the offset of such an access 0.
pub(crate) fn offset_of(memory: &Memory, offset: Src) -> Src {
    match memory {
        Memory::Global(address) => *address,
        _ => offset,
    }
}

/// Selection of memory accesses. Each selection mode implements the first methods; the others are the same for both.
pub(crate) trait MemoryMessages<'a>: Structured<'a> {
    /// Whether an instruction reads the value.
    fn is_used(&self, value: Value) -> bool;
    /// The first component of a source, if it is constant.
    fn constant_dword(&mut self, src: Src) -> Option<u32>;
    /// The first component of a source as an operand of a message.
    fn dword(&mut self, src: Src) -> Operand;
    /// The first component of a source, if it has one element for the whole thread.
    fn thread_dword(&mut self, src: Src) -> Option<Operand>;
    /// The first component of a source, in a register with one element per channel.
    fn channel_dwords(&mut self, src: Src) -> Operand;
    /// Makes the register with a message's response the location of a value.
    fn locate_response(&mut self, value: Value, register: Operand);

    /// The surface of a binding, or of one element if it is an array. `first` is the binding table index of its first
    /// element.
    ///
    /// # Errors
    /// The array index differs between channels.
    fn index_from(&mut self, first: u8, resource: &Resource) -> Result<Surface, SelectError> {
        let Some(element) = resource.element else { return Ok(Surface::Index(first)) };
        let last = self.shader().binding(resource.binding).count.unwrap_or(1).max(1) - 1;
        if let Some(bits) = self.constant_dword(element) {
            // An index out of range is undefined behaviour, but must not select the surface of another binding.
            return Ok(Surface::Index(first + bits.min(last) as u8));
        }
        let operand = match self.thread_dword(element) {
            Some(operand) => operand,
            None => self.first_channel(element, resource.binding)?,
        };
        let mut b = self.b();
        let mut b = b.uniform();
        let (clamped, index) = (b.scalar(Type::Ud), b.scalar(Type::Ud));
        b.min_max(clamped, operand, Operand::imm_ud(last), CondMod::L);
        b.add(index, clamped, Operand::imm_ud(u32::from(first)));
        Ok(Surface::Dynamic(index))
    }

    /// The index of a texture read's sampler, or of one element if it is an array. `first` is the index of its first
    /// element in the sampler table.
    ///
    /// # Errors
    /// The array index differs between channels.
    fn sampler_from(
        &mut self,
        first: u8,
        resource: &Resource,
    ) -> Result<SamplerIndex, SelectError> {
        let index = self.index_from(first, resource)?;
        let count = self.shader().binding(resource.binding).count.unwrap_or(1).max(1);
        let last = (u32::from(first) + count - 1).min(u8::MAX.into()) as u8;
        Ok(SamplerIndex::new(&mut self.b(), index, last))
    }

    /// The index into a descriptor array that is the same in all enabled channels, read from the first enabled
    /// channel.
    ///
    /// # Errors
    /// The array index differs between channels.
    fn first_channel(&mut self, element: Src, binding: BindingId) -> Result<Operand, SelectError> {
        if Divergence::new(self.shader()).is_divergent(element.value) {
            let binding = self.shader().binding(binding);
            let (set, binding) = (binding.set, binding.binding);
            return Err(SelectError::DivergentDescriptor { set, binding });
        }
        Ok(self.any_channel(element))
    }

    /// The first component of a source that is the same in all enabled channels, read from the first enabled channel.
    fn any_channel(&mut self, src: Src) -> Operand {
        let channels = self.channel_dwords(src);
        let mut b = self.b();
        let mut b = b.uniform();
        let (channel, value) = (b.scalar(Type::Ud), b.scalar(Type::Ud));
        b.emit(Op::FindLiveChannel, channel, &[]);
        b.emit(Op::Broadcast, value, &[channels, channel]);
        value
    }

    /// The operation and the operands of an atomic message. The value to compare with comes first.
    ///
    /// # Errors
    /// No message has the operation.
    fn atomic_operands(
        &mut self,
        op: AtomicOp,
        data: Src,
        compare: Option<Src>,
    ) -> Result<(Atomic, Vec<Operand>), SelectError> {
        let known = self.constant_dword(data);
        let (op, takes_data) = atomic_operation(op, known)?;
        let srcs = compare.into_iter().chain(takes_data.then_some(data));
        Ok((op, srcs.map(|src| self.dword(src)).collect()))
    }

    /// The operation and the operands of an atomic message on an image. Images have no float atomics.
    ///
    /// # Errors
    /// No message has the operation.
    fn texel_atomic_operands(
        &mut self,
        op: AtomicOp,
        data: Src,
        compare: Option<Src>,
    ) -> Result<(IntegerOp, Vec<Operand>), SelectError> {
        match self.atomic_operands(op, data, compare)? {
            (Atomic::Integer(op), operands) => Ok((op, operands)),
            _ => Err(SelectError::Memory { what: "a float atomic on an image" }),
        }
    }

    /// Emits an atomic message with the closure `message`. The message returns the old value only if an instruction
    /// reads it.
    ///
    /// # Errors
    /// The errors of `message`.
    fn with_old_value(
        &mut self,
        result: Option<Value>,
        message: impl FnOnce(&mut Self, bool) -> Result<Option<Operand>, SelectError>,
    ) -> Result<(), SelectError> {
        let result = result.filter(|&result| self.is_used(result));
        let old = message(self, result.is_some())?;
        if let (Some(result), Some(old)) = (result, old) {
            self.locate_response(result, old);
        }
        Ok(())
    }
}
