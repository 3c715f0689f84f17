//! Messages: what a SEND does.
//!
//! A message is decoded when the program is loaded (when it is sent, if its descriptor comes
//! from a register). The modules below each know one kind: where its addresses and data are in
//! the payload, and what memory they reach.

mod atomic;
mod block;
mod dual_block;
mod filter;
mod sampler;
mod scattered;
mod stateless;
mod surface;
pub(crate) mod typed;
mod untyped;
mod urb;
mod vec4;

use crate::Problem;
use crate::exec::access::lanes_of;
use crate::exec::op::Op;
use crate::exec::registers::GRF_END;
use crate::exec::thread::{Fault, Status, Thread};
use crate::load::Reject;
use crate::memory::{Buffer, Memory};
use crate::urb::Urb;
use crate::weak::{Backing, Fence, Path, SHARED, Weak, Window};
use crestline_device::Sampler;
use crestline_device::{Device, Gen};
use crestline_isa::message::{
    A64Block, Bti, Cache, ChannelMask, Descriptor, FloatAtomicOp, GatewayFn, Message as Kind,
    SimdMode, SlotGroup, UrbLayout,
};
use crestline_isa::{DescSrc, Dst, Inst, Place, Reg, Sfid, Src};
use typed::View;

/// A SEND in executable form.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    sfid: Sfid,
    /// The message, if its descriptor is known when loading.
    descriptor: Option<Descriptor>,
    /// Dword of a0 with the descriptor, and the extended descriptor.
    descriptor_register: Option<u8>,
    ex_desc: u32,
    generation: Gen,
    /// Byte offsets of the first and second payload.
    payload: [usize; 2],
    /// Byte offset of the response.
    response: Option<usize>,
    eot: bool,
    first_eot_register: u32,
    /// The sampler's `ld` has its level before the second coordinate.
    level_precedes_v: bool,
}

/// What a message needs besides the thread.
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
    pub(crate) samplers: &'a [Option<Sampler>],
    /// Memory by 64-bit address, ordered by address.
    pub(crate) allocations: &'a [(u64, &'a Buffer)],
    /// Every buffer and image there is.
    pub(crate) buffers: &'a [&'a Buffer],
    /// What is on its way to memory, if that is not always up to date.
    pub(crate) weak: Option<&'a mut Weak>,
    /// First address of the private memory area.
    pub(crate) private_base: u64,
    /// Shared memory of the running workgroup.
    pub(crate) shared: &'a mut [u8],
    /// Barrier messages of the running workgroup that wait for the others.
    pub(crate) barrier_arrivals: &'a mut u32,
    /// The URB entries of the running threads.
    pub(crate) urb: &'a mut Urb,
}

impl World<'_> {
    /// A buffer or image as a thread sees it.
    fn memory<'m>(&'m mut self, thread: u32, path: Path, buffer: &'m Buffer) -> Memory<'m> {
        let number = || self.buffers.iter().position(|&known| std::ptr::eq(known, buffer));
        match self.weak.as_deref_mut().zip(number()) {
            None => Memory::Shared(buffer),
            Some((weak, target)) => {
                let backing = Backing { buffers: self.buffers, shared: self.shared };
                Memory::Weak(Window { weak, backing, thread: thread as usize, target, path })
            }
        }
    }

    /// Shared memory as a thread sees it.
    fn shared_memory(&mut self, thread: u32) -> Memory<'_> {
        match self.weak.as_deref_mut() {
            None => Memory::Local(self.shared),
            Some(weak) => {
                let (thread, target, path) = (thread as usize, SHARED, Path::Shared);
                let backing = Backing { buffers: self.buffers, shared: self.shared };
                Memory::Weak(Window { weak, backing, thread, target, path })
            }
        }
    }

    /// A thread's fence; it has happened when this returns if it is to be committed.
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
    /// A surface this version cannot read through the data port.
    Other(&'static str),
}

/// One message being executed.
struct Call<'a> {
    descriptor: &'a Descriptor,
    message: &'a Message,
    /// Channels that take part.
    mask: u32,
    /// The instruction has more than eight channels.
    wide: bool,
}

/// Whether a message of this kind changes global memory in a way that depends on the order of
/// workgroups.
pub(crate) fn is_global_atomic(message: &Message) -> bool {
    match message.descriptor.as_ref().map(|descriptor| &descriptor.message) {
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

/// Translates the message part of an instruction.
pub(crate) fn translate(inst: &Inst, device: &Device) -> Result<Message, Reject> {
    let Some(send) = inst.send() else {
        return Err(Reject::Illegal("send without a message".into()));
    };
    let generation = device.generation();
    let DescSrc::Imm(ex_desc) = send.ex_desc else {
        return Err(Reject::Unsupported("extended descriptor from a register".into()));
    };
    let (descriptor, descriptor_register) = match send.desc {
        DescSrc::Imm(desc) => (Some(decode(generation, send.sfid, desc, ex_desc)?), None),
        DescSrc::Reg { dword } => (None, Some(dword)),
    };
    let second = match inst.srcs[1] {
        Src::Reg(reg) if !reg.place.is_null() => register(reg.place)?,
        _ => 0,
    };
    let first = match inst.srcs[0] {
        Src::Reg(reg) if !reg.place.is_null() => register(reg.place)?,
        _ => 0,
    };
    let message = Message {
        sfid: send.sfid,
        descriptor,
        descriptor_register,
        ex_desc,
        generation,
        payload: [first, second],
        response: response_place(&inst.dst)?,
        eot: send.eot,
        first_eot_register: device.first_eot_register(),
        level_precedes_v: device.ld_level_precedes_v(),
    };
    if let Some(descriptor) = &message.descriptor {
        message.check_ranges(descriptor)?;
        check_supported(descriptor)?;
    }
    Ok(message)
}

fn decode(generation: Gen, sfid: Sfid, desc: u32, ex_desc: u32) -> Result<Descriptor, Reject> {
    Descriptor::decode(generation, sfid, desc, ex_desc)
        .map_err(|error| Reject::Illegal(format!("message descriptor {desc:#010x}: {error}")))
}

/// Byte offset of a payload operand.
fn register(place: Place) -> Result<usize, Reject> {
    match place {
        Place::Direct { reg: Reg::Grf(number), .. } => Ok(usize::from(number) * 32),
        Place::Direct { .. } => Err(Reject::Illegal("payload is no general register".into())),
        Place::Indirect { .. } => Err(Reject::Unsupported("indirect message payload".into())),
    }
}

fn response_place(dst: &Dst) -> Result<Option<usize>, Reject> {
    if dst.place.is_null() { Ok(None) } else { register(dst.place).map(Some) }
}

/// Messages that no module executes are refused when loading.
fn check_supported(descriptor: &Descriptor) -> Result<(), Reject> {
    use Kind::*;
    let simd4x2 = matches!(
        descriptor.message,
        A64UntypedRead { simd: SimdMode::Simd4x2, .. }
            | A64UntypedWrite { simd: SimdMode::Simd4x2, .. }
            | AtomicCounter { simd: SimdMode::Simd4x2, .. }
    );
    if let Sample { op, simd, half_return: false, .. } = descriptor.message
        && sampler::supports(op)
        && sampler::lanes(simd).is_some()
    {
        return Ok(());
    }
    let known = matches!(
        descriptor.message,
        UntypedRead { .. }
            | UntypedWrite { .. }
            | UntypedAtomic { word: false, .. }
            | UntypedAtomicFloat {
                half: false,
                op: FloatAtomicOp::Fmax | FloatAtomicOp::Fmin | FloatAtomicOp::FcmpWr,
                ..
            }
            | ByteScatteredRead { .. }
            | ByteScatteredWrite { .. }
            | DwordScatteredRead { .. }
            | DwordScatteredWrite { .. }
            | OwordBlockRead { .. }
            | OwordBlockWrite { .. }
            | OwordDualBlockRead { four: false, .. }
            | OwordDualBlockWrite { four: false, .. }
            | A64UntypedRead { .. }
            | A64UntypedWrite { .. }
            | A64ScatteredRead { .. }
            | A64ScatteredWrite { .. }
            | A64Atomic { word: false, .. }
            | A64AtomicFloat {
                half: false,
                op: FloatAtomicOp::Fmax | FloatAtomicOp::Fmin | FloatAtomicOp::FcmpWr,
                ..
            }
            | A64BlockRead { block: A64Block::OwordAligned | A64Block::OwordUnaligned, .. }
            | A64BlockWrite { block: A64Block::OwordAligned, .. }
            | ScratchBlockRead { .. }
            | ScratchBlockWrite { .. }
            | TypedRead { .. }
            | TypedWrite { .. }
            | TypedAtomic { .. }
            | UrbWrite { layout: UrbLayout::Hword | UrbLayout::Oword, .. }
            | UrbRead { layout: UrbLayout::Hword | UrbLayout::Oword, .. }
            | MemoryFence { .. }
            | ThreadSpawner { spawn: false, .. }
            | Gateway { function: GatewayFn::Barrier, .. }
    );
    if known && !simd4x2 {
        Ok(())
    } else {
        let detail = match descriptor.message {
            Sample { op, simd, .. } => format!(" {} ({})", op.name(), simd.name()),
            _ if simd4x2 => " (SIMD4x2)".to_owned(),
            _ => String::new(),
        };
        Err(Reject::Unsupported(format!("{}{detail}", descriptor.message.name())))
    }
}

impl Message {
    /// First byte and size of the payloads, if the lengths are known when loading.
    pub(crate) fn payloads(&self) -> [(usize, usize); 2] {
        let lengths = self.descriptor.as_ref().map_or([0; 2], |d| [d.mlen, d.ex_mlen]);
        [0, 1].map(|i| (self.payload[i], usize::from(lengths[i]) * 32))
    }

    /// First byte and size of the response.
    pub(crate) fn response_bytes(&self) -> Option<(usize, usize)> {
        let length = self.descriptor.as_ref().map_or(0, |descriptor| descriptor.rlen);
        self.response.map(|start| (start, usize::from(length) * 32))
    }

    /// The registers a message names must exist.
    fn check_ranges(&self, descriptor: &Descriptor) -> Result<(), Reject> {
        let ranges = [
            (Some(self.payload[0]), descriptor.mlen, "payload"),
            (Some(self.payload[1]), descriptor.ex_mlen, "second payload"),
            (self.response, descriptor.rlen, "response"),
        ];
        for (start, length, name) in ranges {
            let Some(start) = start else { continue };
            if start + usize::from(length) * 32 > GRF_END {
                return Err(Reject::Illegal(format!(
                    "{name} of {length} registers from r{} leaves the register file",
                    start / 32
                )));
            }
        }
        Ok(())
    }
}

/// Executes a SEND.
pub(crate) fn execute(op: &Op, message: &Message, t: &mut Thread, world: &mut World<'_>) {
    t.sends += 1;
    let within = op.execution_mask(t);
    let mask = op.predicate_mask(t, within) & op.destination.lanes;
    let predicated_off =
        mask == 0 && within != 0 && op.predicate.ctrl != crestline_isa::PredCtrl::None;
    let wide = op.full > 0xff;
    if !predicated_off {
        match &message.descriptor {
            Some(descriptor) => perform(&Call { descriptor, message, mask, wide }, t, world),
            None => {
                if let Err(reject) = dynamic(message, mask, wide, t, world) {
                    t.fail(Fault::Message(reject.to_string()));
                }
            }
        }
    }
    if message.eot {
        let register = (message.payload[0] / 32) as u8;
        if u32::from(register) < message.first_eot_register {
            let first = message.first_eot_register as u8;
            t.report(Problem::EotPayload { register, first }, None);
        }
        let lost = t.dispatched & !t.active;
        if lost != 0 {
            t.report(Problem::LostChannels { channels: lost }, None);
        }
        t.status = Status::Ended;
    }
}

/// A message whose descriptor is in a0.
fn dynamic(
    message: &Message,
    mask: u32,
    wide: bool,
    t: &mut Thread,
    world: &mut World<'_>,
) -> Result<(), Reject> {
    let dword = usize::from(message.descriptor_register.unwrap_or(0));
    let offset = crate::exec::registers::Registers::address_offset(2 * dword);
    t.report_unwritten_if_any(offset, 4);
    let desc = t.registers.u32(offset);
    let descriptor = decode(message.generation, message.sfid, desc, message.ex_desc)?;
    message.check_ranges(&descriptor)?;
    check_supported(&descriptor)?;
    perform(&Call { descriptor: &descriptor, message, mask, wide }, t, world);
    Ok(())
}

fn perform(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>) {
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
            let place = urb::Place { layout, offset, swizzle, per_slot_offset };
            urb::read(call, t, world, place);
        }
        Kind::UrbWrite { layout, offset, swizzle, per_slot_offset, .. } => {
            let place = urb::Place { layout, offset, swizzle, per_slot_offset };
            urb::write(call, t, world, place);
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
            // A commit answers with a register of no meaning.
            if let Some(response) = call.message.response {
                t.registers.mark_written(response, usize::from(call.descriptor.rlen) * 32);
            }
        }
        Kind::Gateway { .. } => {
            *world.barrier_arrivals += 1;
            t.barriers_sent += 1;
        }
        // The end of the thread; `check_supported` let nothing else pass.
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
    /// Byte offset of a register of the payload, the second one following the first.
    fn payload(&self, register: usize) -> usize {
        let first = usize::from(self.descriptor.mlen);
        if register < first {
            self.message.payload[0] + register * 32
        } else {
            self.message.payload[1] + (register - first) * 32
        }
    }

    /// Registers before the first parameter.
    fn header_registers(&self) -> usize {
        usize::from(self.descriptor.header_present)
    }

    /// Byte offset of the dword of channel `lane` of parameter `index`, each parameter being
    /// `lanes` dwords.
    fn parameter(&self, index: usize, lanes: usize, lane: usize) -> usize {
        let registers = lanes.div_ceil(8);
        self.payload(self.header_registers() + index * registers + lane / 8) + lane % 8 * 4
    }

    /// The dword of channel `lane` of a parameter, checked to have been written.
    fn dword(&self, t: &mut Thread, index: usize, lanes: usize, lane: usize) -> u32 {
        let offset = self.parameter(index, lanes, lane);
        t.written_u32(offset, lane)
    }

    /// A dword of the header.
    fn header(&self, t: &mut Thread, dword: usize) -> u32 {
        let offset = self.payload(0) + 4 * dword;
        t.report_unwritten_if_any(offset, 4);
        t.registers.u32(offset)
    }

    /// Whether the payload holds `registers` registers and the response `response`.
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

    /// Gives a dword of the response.
    fn respond(&self, t: &mut Thread, index: usize, value: u32) {
        self.respond_if_known(t, index, Some(value));
    }

    /// Gives a dword of the response that may be one that was never written.
    fn respond_if_known(&self, t: &mut Thread, index: usize, value: Option<u32>) {
        if let Some(response) = self.message.response {
            t.response.push((response + 4 * index, value));
        }
    }

    /// Channels of a message with this many.
    fn channels(&self, lanes: usize) -> impl Iterator<Item = usize> + use<> {
        lanes_of(self.mask & (u32::MAX >> (32 - lanes)))
    }
}

/// The dwords of a channel mask, as `(position among the transferred ones, dword)`.
fn dwords(mask: ChannelMask) -> impl Iterator<Item = (usize, usize)> {
    (0..4).filter(move |dword| mask.0 >> dword & 1 == 1).enumerate()
}
