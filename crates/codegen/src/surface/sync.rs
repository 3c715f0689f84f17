//! Fences, barriers and the end of the thread.

use crate::target::Target;
use crestline_isa::message::{self as isa, Bti, Cache, DescriptorError, GatewayFn};
use crestline_isa::{ArfKind, Opcode, Type};

use super::{Shape, message};
use crate::ir::{Builder, Effect, GRF_BYTES, Op, Operand, Space};

/// Byte offset of sr0.1 in the state registers. Its low word has the shared memory index in bits 11:8.
const SHARED_MEMORY_INDEX: u32 = 4;

fn r0() -> Operand {
    Operand::grf(0, Type::Ud)
}

/// The memories that a fence applies to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fenced {
    /// Buffers.
    pub buffers: bool,
    /// Images.
    pub images: bool,
    /// Shared memory.
    pub shared: bool,
}

/// Emits fences: waits until the thread's earlier accesses to the given memories are visible to all threads.
///
/// A fence without commit would only order later messages to the same data port. But the next step of the thread may
/// be a message to another shared function, such as the gateway, which lets other threads pass a barrier, or another
/// cache. Therefore each fence has a commit, and the thread waits for all responses (PRM vol 7, "memory fence": the
/// commit is written back once all earlier accesses are globally observed). The fences are: that of the data cache,
/// for all memories; that of the render cache, if images are accessed through it; and a separate one for shared
/// memory, if that is not part of the data cache.
///
/// # Errors
/// The device does not have the message.
pub fn fence(b: &mut Builder<'_>, target: &Target, memory: Fenced) -> Result<(), DescriptorError> {
    let shared_apart = target.has_shared_memory_fence();
    let images_apart = target.has_separate_typed_fence();
    let data = memory.buffers || memory.images || memory.shared && !shared_apart;
    let fences = [
        (data, Cache::Data, Bti(0)),
        (memory.images && images_apart, Cache::Render, Bti(0)),
        (memory.shared && shared_apart, Cache::Data, Bti::SLM),
    ];
    let mut answers = Vec::new();
    for (_, cache, bti) in fences.into_iter().filter(|fence| fence.0) {
        answers.push(send_fence(b, target, cache, bti, false)?);
    }
    for answer in answers {
        b.uniform().emit(Op::Await, Operand::null(Type::Ud), &[answer.with_stride(0)]);
    }
    Ok(())
}

/// Begins or ends a critical section of fragment shaders. The begin is a fence sent by `sendc`, which waits for earlier
/// threads of the same pixels; the end is a fence that completes before the thread can end, so that the next thread sees
/// all writes of the section. (Mesa's compiler emits the same messages.)
///
/// # Errors
/// The device does not have the message.
pub fn interlock(
    b: &mut Builder<'_>,
    target: &Target,
    begins: bool,
) -> Result<(), DescriptorError> {
    let answer = send_fence(b, target, Cache::Data, Bti(0), begins)?;
    b.uniform().emit(Op::Await, Operand::null(Type::Ud), &[answer.with_stride(0)]);
    Ok(())
}

/// Sends one fence, with `sendc` if `check` is set. Returns the register that its commit writes.
fn send_fence(
    b: &mut Builder<'_>,
    target: &Target,
    cache: Cache,
    bti: Bti,
    check: bool,
) -> Result<Operand, DescriptorError> {
    let kind = isa::Message::MemoryFence { cache, bti, commit: true, l1_flush: false, l3_flush: 0 };
    let shape = Shape {
        headers: 1,
        first: 1,
        response: GRF_BYTES,
        effect: Effect::Barrier,
        space: Space::None,
    };
    let mut message = message(target, kind, shape)?;
    message.check = check;
    let mut b = b.no_mask();
    let mut b = b.exec(8);
    let answer = b.lanes(Type::Ud, 1);
    b.message(message, answer, Operand::null(Type::Ud), &[r0()]);
    Ok(answer)
}

/// Copies the index of the workgroup's shared memory from r0 to the state register, on devices where the hardware
/// does not do so (PRM of Haswell, "sr0.1: shared local memory index"). Must run before the first access to shared
/// memory.
pub fn set_shared_memory_index(b: &mut Builder<'_>, target: &Target) {
    if target.needs_shared_memory_index() {
        let state = Operand::arf(ArfKind::State, SHARED_MEMORY_INDEX, Type::Uw).with_stride(0);
        let index = r0().retype(Type::Uw).with_stride(0).byte_offset(2);
        b.uniform().mov(state, index);
    }
}

/// Emits a barrier: sends a message to the gateway, then waits for its notification, which arrives when all threads
/// of the workgroup have sent theirs.
///
/// # Errors
/// The device does not have the message.
pub fn barrier(b: &mut Builder<'_>, target: &Target) -> Result<(), DescriptorError> {
    let kind = isa::Message::Gateway { function: GatewayFn::Barrier, notify: 0 };
    let shape =
        Shape { headers: 0, first: 1, response: 0, effect: Effect::Barrier, space: Space::None };
    let message = message(target, kind, shape)?;
    let mut b = b.no_mask();
    let mut b = b.exec(8);
    let payload = b.lanes(Type::Ud, 1);
    b.mov(payload, Operand::imm_ud(0));
    let id = r0().with_stride(0).byte_offset(8);
    b.uniform().and(payload.byte_offset(8), id, Operand::imm_ud(target.barrier_id_mask()));
    let null = Operand::null(Type::Ud);
    b.message(message, null, null, &[payload]);
    let notification = Operand::arf(ArfKind::Notification, 0, Type::Ud).with_stride(0);
    b.uniform().emit(Op::Hw(Opcode::Wait), notification, &[notification]);
    Ok(())
}

/// Emits a barrier for the `threads` threads of a patch. The barrier's number has another position in the thread
/// payload than in the message (PRM vol 2, "hull shader thread payload"). The message also contains the number of
/// threads.
///
/// # Errors
/// The device does not have the message.
pub fn patch_barrier(
    b: &mut Builder<'_>,
    target: &Target,
    threads: u32,
) -> Result<(), DescriptorError> {
    /// Bit positions of the barrier's number and of the number of threads in the message, and the bit that enables
    /// the latter.
    const NUMBER: u32 = 24;
    const THREADS: u32 = 9;
    const ENABLE: u32 = 1 << 15;
    let kind = isa::Message::Gateway { function: GatewayFn::Barrier, notify: 0 };
    let shape =
        Shape { headers: 0, first: 1, response: 0, effect: Effect::Barrier, space: Space::None };
    let message = message(target, kind, shape)?;
    let mut b = b.uniform();
    let shift = target.patch_barrier_shift();
    let payload = b.exec(8).lanes(Type::Ud, 1);
    b.exec(8).mov(payload, Operand::imm_ud(0));
    let dword = payload.with_stride(0).byte_offset(8);
    let mut one = b.uniform();
    one.and(dword, r0().with_stride(0).byte_offset(8), Operand::imm_ud(0xf << shift));
    one.shl(dword, dword, Operand::imm_ud(NUMBER - shift));
    one.or(dword, dword, Operand::imm_ud(threads << THREADS | ENABLE));
    let null = Operand::null(Type::Ud);
    b.exec(8).message(message, null, null, &[payload]);
    let notification = Operand::arf(ArfKind::Notification, 0, Type::Ud).with_stride(0);
    b.uniform().emit(Op::Hw(Opcode::Wait), notification, &[notification]);
    Ok(())
}

/// Ends the thread.
///
/// # Errors
/// The device does not have the message.
pub fn end_thread(b: &mut Builder<'_>, target: &Target) -> Result<(), DescriptorError> {
    let kind = isa::Message::ThreadSpawner { spawn: false, child: false, keep_urb: true };
    let shape =
        Shape { headers: 0, first: 1, response: 0, effect: Effect::Barrier, space: Space::None };
    let mut message = message(target, kind, shape)?;
    message.eot = true;
    let mut b = b.no_mask();
    let mut b = b.exec(8);
    let payload = b.lanes(Type::Ud, 1);
    if let Some(info) = payload.vreg().and_then(|vreg| b.vregs().get_mut(vreg)) {
        info.min_register = target.registers.first_end_of_thread as u8;
        info.no_spill = true;
    }
    b.mov(payload, r0());
    let null = Operand::null(Type::Ud);
    b.message(message, null, null, &[payload]);
    Ok(())
}
