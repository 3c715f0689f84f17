//! Execution of messages.
//!
//! A message consists of its descriptor, the channels that take part, and the registers of its payload and response. It
//! does not depend on the instruction that sends it. Each module below implements one kind of message: the positions of
//! addresses and data in the payload, and the memory that they access.

mod atomic;
mod block;
mod dual_block;
mod filter;
mod interpolator;
mod multisample;
mod plane;
mod render_target;
mod sampler;
mod scattered;
mod stateless;
mod supported;
mod surface;
pub(crate) mod typed;
mod untyped;
mod urb;
mod vec4;

use crate::buffer::Buffer;
use crate::mask::lanes_of;
use crate::memory::{Memory, recorded};
use crate::pixels::Pixels;
use crate::recorder::Part;
use crate::sampler::SamplerState;
use crate::thread::{Fault, Thread};
use crate::urb::Urb;
use crate::weak::{Backing, Fence, Path, SHARED, Weak, Window};
use crestline_isa::message::{
    Bti, Cache, ChannelMask, Descriptor, Message as Kind, SimdMode, SlotGroup,
};
pub(crate) use supported::{check, decode};
use typed::View;

/// The state outside the thread that messages access.
pub(crate) struct World<'a> {
    /// Surfaces by binding table index.
    pub(crate) surfaces: &'a [Bound<'a>],
    /// Typed reads out of bounds return 1 in the fourth channel.
    pub(crate) alpha_one: bool,
    /// Typed writes do not clamp integers.
    pub(crate) wrap_integers: bool,
    /// Untyped messages to surfaces that are not raw hang.
    pub(crate) untyped_needs_raw: bool,
    /// Typed atomics on null surfaces reach memory.
    pub(crate) null_atomics_stray: bool,
    /// Samplers by index.
    pub(crate) samplers: &'a [Option<SamplerState>],
    /// Memory by 64-bit address, ordered by address.
    pub(crate) allocations: &'a [(u64, &'a Buffer)],
    /// All buffers and images.
    pub(crate) buffers: &'a [&'a Buffer],
    /// The state of the weak memory model, if it is used.
    pub(crate) weak: Option<&'a mut Weak>,
    /// First address of the private memory area.
    pub(crate) private_base: u64,
    /// Shared memory of the running workgroup.
    pub(crate) shared: &'a mut [u8],
    /// Number of barrier messages that the running workgroup has sent since the last complete barrier.
    pub(crate) barrier_arrivals: &'a mut u32,
    /// The URB entries of the running threads.
    pub(crate) urb: &'a mut Urb,
    /// Whether each four channels of a thread are a block of 2x2 invocations, for whose differences the sampler computes levels.
    pub(crate) blocks: bool,
    /// The pixels of the running thread, if it is one of a fragment shader.
    pub(crate) pixels: Option<&'a mut Pixels>,
    /// Render target writes without a header write all covered pixels.
    pub(crate) headerless_writes_all_pixels: bool,
}

impl World<'_> {
    /// The memory of a buffer or image, for an access of a thread.
    fn memory<'m>(&'m mut self, t: &Thread, path: Path, buffer: &'m Buffer) -> Memory<'m> {
        let (thread, part) = (t.thread_id, Part::Buffer(std::ptr::from_ref(buffer).addr()));
        recorded(self.plain_memory(thread, path, buffer), part, t.recorder.as_ref())
    }

    /// The memory of a buffer or image, for an access that is not recorded.
    fn plain_memory<'m>(&'m mut self, thread: u32, path: Path, buffer: &'m Buffer) -> Memory<'m> {
        let number = || self.buffers.iter().position(|&known| std::ptr::eq(known, buffer));
        match self.weak.as_deref_mut().zip(number()) {
            None => Memory::Shared(buffer),
            Some((weak, target)) => {
                let backing = Backing { buffers: self.buffers, shared: self.shared };
                Memory::Weak(Window { weak, backing, thread: thread as usize, target, path })
            }
        }
    }

    /// Shared memory, for an access of a thread.
    fn shared_memory(&mut self, t: &Thread) -> Memory<'_> {
        let thread = t.thread_id;
        let memory = match self.weak.as_deref_mut() {
            None => Memory::Local(self.shared),
            Some(weak) => {
                let (thread, target, path) = (thread as usize, SHARED, Path::Shared);
                let backing = Backing { buffers: self.buffers, shared: self.shared };
                Memory::Weak(Window { weak, backing, thread, target, path })
            }
        };
        recorded(memory, Part::Shared, t.recorder.as_ref())
    }

    /// Executes a fence of a thread. With `commit`, it is complete when this function returns.
    fn fence(&mut self, thread: u32, fence: Fence, commit: bool) {
        if let Some(weak) = &mut self.weak {
            let backing = &mut Backing { buffers: self.buffers, shared: self.shared };
            weak.fence(thread as usize, fence, commit, backing);
        }
    }
}

/// A binding table entry at run time.
#[derive(Clone, Copy)]
pub(crate) enum Bound<'a> {
    Unbound,
    Null,
    Buffer(&'a Buffer),
    Image(View<'a>),
    /// A colour attachment.
    RenderTarget(u8),
    /// A surface that the emulator does not support; its description for messages.
    Other(&'static str),
}

/// The largest number of channels of a message whose channels are computed together.
const ROW: usize = 16;

/// A dword for each channel.
type Row = [u32; ROW];

/// One message during its execution: its descriptor, masks and registers.
pub(crate) struct Call<'a> {
    pub(crate) descriptor: &'a Descriptor,
    /// Byte offsets of the first and second payload.
    pub(crate) payload: [usize; 2],
    /// Byte offset of the response.
    pub(crate) response: Option<usize>,
    /// The enabled channels.
    pub(crate) mask: u32,
    /// Whether the instruction has more than eight channels.
    pub(crate) wide: bool,
    /// Whether it is the last message of its thread.
    pub(crate) ends_thread: bool,
    /// Whether the parameters of the sampler's `ld` have the level before the second coordinate.
    pub(crate) level_precedes_v: bool,
}

/// Whether a message changes global memory in a way that depends on the order of workgroups. True for `None`, an
/// unknown descriptor.
pub(crate) fn is_global_atomic(descriptor: Option<&Descriptor>) -> bool {
    match descriptor.map(|descriptor| &descriptor.message) {
        Some(
            Kind::UntypedAtomic { bti, .. }
            | Kind::UntypedAtomicFloat { bti, .. }
            | Kind::AtomicCounter { bti, .. },
        ) => *bti != Bti::SLM,
        Some(Kind::A64Atomic { .. } | Kind::A64AtomicFloat { .. } | Kind::TypedAtomic { .. })
        | None => true,
        Some(_) => false,
    }
}

/// Whether a message writes memory that other threads read. True for `None`, an unknown descriptor.
pub(crate) fn writes_memory(descriptor: Option<&Descriptor>) -> bool {
    match descriptor.map(|descriptor| &descriptor.message) {
        Some(
            Kind::UntypedWrite { bti, .. }
            | Kind::ByteScatteredWrite { bti, .. }
            | Kind::DwordScatteredWrite { bti, .. }
            | Kind::OwordBlockWrite { bti, .. }
            | Kind::OwordDualBlockWrite { bti, .. },
        ) => {
            // With a header, stateless memory is scratch memory.
            let header = descriptor.is_some_and(|descriptor| descriptor.header_present);
            *bti != Bti::SLM && !(bti.is_stateless() && header)
        }
        Some(
            Kind::TypedWrite { .. }
            | Kind::A64UntypedWrite { .. }
            | Kind::A64ScatteredWrite { .. }
            | Kind::A64BlockWrite { .. },
        ) => true,
        _ => is_global_atomic(descriptor),
    }
}

/// Executes a message.
pub(crate) fn execute(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>) {
    match call.descriptor.message {
        Kind::UntypedRead { bti, simd: SimdMode::Simd4x2, mask } => {
            vec4::untyped_read(call, t, world, bti, mask);
        }
        Kind::UntypedWrite { bti, simd: SimdMode::Simd4x2, mask } => {
            vec4::untyped_write(call, t, world, bti, mask);
        }
        Kind::UntypedAtomic { bti, op, simd: SimdMode::Simd4x2, return_data, .. } => {
            let operation = atomic::Operation::Int(op);
            vec4::untyped_atomic(call, t, world, bti, operation, return_data);
        }
        Kind::UntypedAtomicFloat { bti, op, simd: SimdMode::Simd4x2, return_data, .. } => {
            let operation = atomic::Operation::Float(op);
            vec4::untyped_atomic(call, t, world, bti, operation, return_data);
        }
        Kind::TypedRead { bti, slots: SlotGroup::Simd4x2, mask } => {
            vec4::typed_read(call, t, world, bti, mask);
        }
        Kind::TypedWrite { bti, slots: SlotGroup::Simd4x2, mask } => {
            vec4::typed_write(call, t, world, bti, mask);
        }
        Kind::TypedAtomic { bti, op, slots: SlotGroup::Simd4x2, return_data } => {
            vec4::typed_atomic(call, t, world, bti, atomic::Operation::Int(op), return_data);
        }
        Kind::OwordDualBlockRead { bti, .. } => dual_block::read(call, t, world, bti),
        Kind::OwordDualBlockWrite { bti, .. } => dual_block::write(call, t, world, bti),
        Kind::UrbRead { layout, offset, swizzle, per_slot_offset, .. } => {
            let address = urb::UrbAddress { layout, offset, swizzle, per_slot_offset };
            urb::read(call, t, world, address);
        }
        Kind::UrbWrite { layout, offset, swizzle, per_slot_offset, channel_mask, .. } => {
            let address = urb::UrbAddress { layout, offset, swizzle, per_slot_offset };
            urb::write(call, t, world, address, channel_mask);
        }
        Kind::UntypedRead { bti, simd, mask } => untyped::read(call, t, world, bti, simd, mask),
        Kind::UntypedWrite { bti, simd, mask } => untyped::write(call, t, world, bti, simd, mask),
        Kind::UntypedAtomic { bti, op, simd, return_data, .. } => {
            let operation = atomic::Operation::Int(op);
            atomic::untyped(call, t, world, bti, operation, simd, return_data);
        }
        Kind::UntypedAtomicFloat { bti, op, simd, return_data, .. } => {
            let operation = atomic::Operation::Float(op);
            atomic::untyped(call, t, world, bti, operation, simd, return_data);
        }
        Kind::ByteScatteredRead { bti, simd, size } => {
            scattered::read(call, t, world, bti, simd, size.bytes(), 1);
        }
        Kind::ByteScatteredWrite { bti, simd, size } => {
            scattered::write(call, t, world, bti, simd, size.bytes(), 1);
        }
        Kind::DwordScatteredRead { bti, simd, .. } => {
            scattered::read(call, t, world, bti, simd, 4, 4);
        }
        Kind::DwordScatteredWrite { bti, simd } => {
            scattered::write(call, t, world, bti, simd, 4, 4);
        }
        Kind::OwordBlockRead { bti, size, unaligned, .. } => {
            block::read(call, t, world, bti, size, unaligned);
        }
        Kind::OwordBlockWrite { bti, size } => block::write(call, t, world, bti, size),
        Kind::ScratchBlockRead { registers, hword_offset, .. } => {
            block::scratch_read(call, t, registers, hword_offset);
        }
        Kind::ScratchBlockWrite { registers, hword_offset, .. } => {
            block::scratch_write(call, t, registers, hword_offset);
        }
        Kind::A64UntypedRead { simd, mask, .. } => {
            stateless::untyped_read(call, t, world, simd, mask)
        }
        Kind::A64UntypedWrite { simd, mask, .. } => {
            stateless::untyped_write(call, t, world, simd, mask);
        }
        Kind::A64ScatteredRead { element, count, simd, .. } => {
            stateless::scattered_read(call, t, world, element, count, simd);
        }
        Kind::A64ScatteredWrite { element, count, simd, .. } => {
            stateless::scattered_write(call, t, world, element, count, simd);
        }
        Kind::A64Atomic { op, qword, return_data, .. } => {
            atomic::stateless(call, t, world, atomic::Operation::Int(op), qword, return_data);
        }
        Kind::A64AtomicFloat { op, return_data, .. } => {
            atomic::stateless(call, t, world, atomic::Operation::Float(op), false, return_data);
        }
        Kind::A64BlockRead { size, .. } => stateless::block_read(call, t, world, size),
        Kind::A64BlockWrite { size, .. } => stateless::block_write(call, t, world, size),
        Kind::Sample { op, bti, sampler, simd, .. } => {
            if let Some(lanes) = sampler::lanes(simd) {
                sampler::execute(call, t, world, op, bti, sampler, lanes);
            }
        }
        Kind::RenderTargetWrite { bti, subtype, upper_slots, last, .. } => {
            render_target::write(call, t, world, bti, subtype, upper_slots, last);
        }
        Kind::Interpolate { at, data, upper_slots: upper, linear, simd16, .. } => {
            let request = interpolator::Request { at, data, upper, linear, simd16 };
            interpolator::execute(call, t, world, request);
        }
        Kind::TypedRead { bti, slots, mask } => typed::read(call, t, world, bti, slots, mask),
        Kind::TypedWrite { bti, slots, mask } => typed::write(call, t, world, bti, slots, mask),
        Kind::TypedAtomic { bti, op, slots, return_data } => {
            let operation = atomic::Operation::Int(op);
            typed::atomic(call, t, world, bti, operation, slots, return_data);
        }
        Kind::MemoryFence { cache, bti, commit, .. } => {
            let fence = match cache {
                Cache::Render => Fence::Render,
                _ if bti == Bti::SLM => Fence::Shared,
                _ => Fence::Data,
            };
            world.fence(t.thread_id, fence, commit);
            // The response to a commit is a register with undefined contents.
            if let Some(response) = call.response {
                t.registers.mark_written(response, usize::from(call.descriptor.rlen) * 32);
            }
        }
        Kind::Gateway { .. } => {
            *world.barrier_arrivals += 1;
            t.barriers_sent += 1;
        }
        // The message that ends the thread; `check` refuses all other kinds.
        _ => {}
    }
    let mut response = std::mem::take(&mut t.response);
    for (offset, value) in response.drain(..) {
        match value {
            Some(value) => t.registers.set(offset, 4, value.into()),
            None => t.registers.forget(offset),
        }
    }
    t.response = response;
}

impl Call<'_> {
    /// Byte offset of a register of the payload. The registers of the second payload follow those of the first.
    fn payload(&self, register: usize) -> usize {
        let first = usize::from(self.descriptor.mlen);
        if register < first {
            self.payload[0] + register * 32
        } else {
            self.payload[1] + (register - first) * 32
        }
    }

    /// Number of registers before the first parameter.
    fn header_registers(&self) -> usize {
        usize::from(self.descriptor.header_present)
    }

    /// Byte offset of the dword of channel `lane` in parameter number `index`. Each parameter has `lanes` dwords.
    fn parameter(&self, index: usize, lanes: usize, lane: usize) -> usize {
        let registers = lanes.div_ceil(8);
        self.payload(self.header_registers() + index * registers + lane / 8) + lane % 8 * 4
    }

    /// The dword of channel `lane` in a parameter. Reports it if it was never written.
    fn dword(&self, t: &mut Thread, index: usize, lanes: usize, lane: usize) -> u32 {
        let offset = self.parameter(index, lanes, lane);
        t.written_u32(offset, lane)
    }

    /// A dword of the header. Reports it if it was never written.
    fn header(&self, t: &mut Thread, dword: usize) -> u32 {
        let offset = self.payload(0) + 4 * dword;
        t.report_unwritten_if_any(offset, 4);
        t.registers.u32(offset)
    }

    /// Whether the payload has at least `registers` registers and the response at least `response`. Stops the thread if
    /// not.
    fn fits(&self, t: &mut Thread, registers: usize, response: usize) -> bool {
        let given = usize::from(self.descriptor.mlen) + usize::from(self.descriptor.ex_mlen);
        let returned = usize::from(self.descriptor.rlen);
        let fits = registers <= given && response <= returned;
        if !fits {
            t.fail(Fault::Message(format!(
                "{} with {given} payload and {returned} response registers, which needs \
                 {registers} and {response},",
                self.descriptor.message.name()
            )));
        }
        fits
    }

    /// Sets `row` to the dwords of parameter number `index` in the channels of `mask`, of a message with 8 or 16 channels.
    /// Reports those that were never written. The other channels have unspecified dwords.
    fn dwords(&self, t: &mut Thread, index: usize, lanes: usize, mask: u32, row: &mut Row) {
        for (group, dwords) in row.as_chunks_mut::<8>().0.iter_mut().enumerate().take(lanes / 8) {
            let enabled = mask >> (8 * group) & 0xff;
            let offset = self.parameter(index, lanes, 8 * group);
            if !t.registers.lanes_written(offset, enabled) {
                for lane in lanes_of(enabled) {
                    t.written_u32(offset + 4 * lane, 8 * group + lane);
                }
            }
            t.registers.copy_packed(offset, dwords);
        }
    }

    /// Sets the dwords of the channels of `mask` from dword number `index` of the response on, at once: the message does not
    /// read its payload any more.
    fn respond_row(&self, t: &mut Thread, index: usize, lanes: usize, mask: u32, row: &Row) {
        let Some(response) = self.response else { return };
        for (group, dwords) in row.as_chunks::<8>().0.iter().enumerate().take(lanes / 8) {
            let offset = response + 4 * (index + 8 * group);
            t.registers.set_lanes(offset, mask >> (8 * group) & 0xff, dwords);
        }
    }

    /// Sets dword number `index` of the response.
    fn respond(&self, t: &mut Thread, index: usize, value: u32) {
        self.respond_if_known(t, index, Some(value));
    }

    /// Sets dword number `index` of the response; `None` for a value that was never written.
    fn respond_if_known(&self, t: &mut Thread, index: usize, value: Option<u32>) {
        if let Some(response) = self.response {
            t.response.push((response + 4 * index, value));
        }
    }

    /// The enabled channels of a message with `lanes` channels.
    fn channels(&self, lanes: usize) -> impl Iterator<Item = usize> + use<> {
        lanes_of(self.mask & (u32::MAX >> (32 - lanes)))
    }
}

/// The dwords in a channel mask, each as (position among the dwords of the mask, number of the dword).
fn dwords(mask: ChannelMask) -> impl Iterator<Item = (usize, usize)> {
    (0..4).filter(move |dword| mask.0 >> dword & 1 == 1).enumerate()
}
