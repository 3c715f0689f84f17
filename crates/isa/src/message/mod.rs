//! Messages of `send` to shared functions, as named fields instead of descriptor bits.
//!
//! [`Descriptor::decode`] and [`Descriptor::encode`] are the only code that translates between a
//! message and its bits. They return an error for everything they cannot represent: a value that
//! does not fit its field, a message or control that the generation does not have, or set bits that
//! belong to no field.
//!
//! Bit positions are those of the 32-bit descriptor, as in the "shared functions" volumes of the
//! public PRMs. End-of-thread bit and shared function id are part of the instruction
//! ([`Send`](crate::Send)), not of the descriptor.

mod codec;
mod enums;
mod fields;
mod identity;
mod kinds;
mod text;
mod walk;

pub use codec::DescriptorError;
pub use enums::{
    A64Block, A64Element, AtomicOp, Bti, ByteSize, Cache, ChannelMask, FloatAtomicOp, GatewayFn,
    InterpolateAt, LscAddrSize, LscDataSize, LscFlush, LscOp, LscScope, LscSpace, LscSurface,
    OwordBlock, PortOp, RtSubtype, SamplerOp, SamplerSimd, SimdMode, SlotGroup, UrbAtomicOp,
    UrbLayout, UrbSwizzle,
};
pub use text::MessageTextError;
pub use walk::{DescriptorField, SAMPLE_BIT, SAMPLER_BIT, SURFACE_BIT, Word};

/// A message with its lengths: the content of a descriptor and an extended descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Registers in the (first) payload.
    pub mlen: u8,
    /// Registers in the second payload (gen9 on; 0 before).
    pub ex_mlen: u8,
    /// Registers returned.
    pub rlen: u8,
    /// Whether the payload begins with a header. Always true on gen4, always false for load/store
    /// cache messages; these have no bit for it.
    pub header_present: bool,
    /// Bindless surface state offset in units of 64 bytes (extended descriptor bits 31:12,
    /// gen9 on); 0 unless the binding table index is [`Bti::BINDLESS`].
    pub surface_offset: u32,
    /// The message type and its controls.
    pub message: Message,
}

/// A message type, with the fields of its function control.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// Reads consecutive OWords at one address given in the header.
    OwordBlockRead {
        /// Cache read through.
        cache: Cache,
        /// Surface.
        bti: Bti,
        /// Amount.
        size: OwordBlock,
        /// The address is in bytes, dword aligned, rather than in OWords.
        unaligned: bool,
        /// Drop the lines read from the cache.
        invalidate: bool,
    },
    /// Writes consecutive OWords at one address given in the header (in OWords).
    OwordBlockWrite {
        /// Surface.
        bti: Bti,
        /// Amount.
        size: OwordBlock,
    },
    /// Reads OWords at two addresses given in the header (not on gen12).
    OwordDualBlockRead {
        /// Cache read through.
        cache: Cache,
        /// Surface.
        bti: Bti,
        /// Four OWords per address rather than one.
        four: bool,
        /// Drop the lines read from the cache.
        invalidate: bool,
    },
    /// Writes OWords at two addresses given in the header (not on gen12).
    OwordDualBlockWrite {
        /// Surface.
        bti: Bti,
        /// Four OWords per address rather than one.
        four: bool,
    },
    /// Reads a dword per lane; offsets in dwords.
    DwordScatteredRead {
        /// Cache read through.
        cache: Cache,
        /// Surface.
        bti: Bti,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
        /// Drop the lines read from the cache.
        invalidate: bool,
    },
    /// Writes a dword per lane; offsets in dwords.
    DwordScatteredWrite {
        /// Surface.
        bti: Bti,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
    },
    /// Reads one, two or four bytes per lane; offsets in bytes (gen7 on).
    ByteScatteredRead {
        /// Surface.
        bti: Bti,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
        /// Bytes per lane; each takes a dword of the response.
        size: ByteSize,
    },
    /// Writes one, two or four bytes per lane; offsets in bytes (gen7 on).
    ByteScatteredWrite {
        /// Surface.
        bti: Bti,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
        /// Bytes per lane.
        size: ByteSize,
    },
    /// Reads up to four dwords per lane; offsets in bytes (gen7 on).
    UntypedRead {
        /// Surface, [`Bti::SLM`] or stateless.
        bti: Bti,
        /// Lanes.
        simd: SimdMode,
        /// Dwords transferred.
        mask: ChannelMask,
    },
    /// Writes up to four dwords per lane; offsets in bytes (gen7 on).
    UntypedWrite {
        /// Surface, [`Bti::SLM`] or stateless.
        bti: Bti,
        /// Lanes: SIMD8 or SIMD16 (SIMD4x2 from gen7.5).
        simd: SimdMode,
        /// Dwords transferred.
        mask: ChannelMask,
    },
    /// Integer atomic on a dword per lane (gen7 on).
    UntypedAtomic {
        /// Surface, [`Bti::SLM`] or stateless.
        bti: Bti,
        /// Operation.
        op: AtomicOp,
        /// Lanes (SIMD4x2 on gen7.5 to gen11).
        simd: SimdMode,
        /// Whether the value before the operation is returned.
        return_data: bool,
        /// 16-bit data (gen12 on).
        word: bool,
    },
    /// Floating-point atomic per lane (gen9 on).
    UntypedAtomicFloat {
        /// Surface, [`Bti::SLM`] or stateless.
        bti: Bti,
        /// Operation.
        op: FloatAtomicOp,
        /// Lanes (SIMD4x2 up to gen11).
        simd: SimdMode,
        /// Whether the value before the operation is returned.
        return_data: bool,
        /// 16-bit data (gen12 on).
        half: bool,
    },
    /// Atomic on the append counter of a surface (gen7.5 on).
    AtomicCounter {
        /// Surface.
        bti: Bti,
        /// Operation.
        op: AtomicOp,
        /// Lanes (SIMD4x2 on gen7.5 to gen11).
        simd: SimdMode,
        /// Whether the value before the operation is returned.
        return_data: bool,
    },
    /// Reads a texel per lane, converted from the surface's format (gen7 on).
    TypedRead {
        /// Surface.
        bti: Bti,
        /// Lanes covered.
        slots: SlotGroup,
        /// Components transferred.
        mask: ChannelMask,
    },
    /// Writes a texel per lane, converted to the surface's format (gen7 on).
    TypedWrite {
        /// Surface.
        bti: Bti,
        /// Lanes covered.
        slots: SlotGroup,
        /// Components transferred.
        mask: ChannelMask,
    },
    /// Atomic on a texel per lane (gen7 on).
    TypedAtomic {
        /// Surface.
        bti: Bti,
        /// Operation.
        op: AtomicOp,
        /// Lanes covered (SIMD4x2 on gen7.5 to gen11).
        slots: SlotGroup,
        /// Whether the value before the operation is returned.
        return_data: bool,
    },
    /// Reads a rectangle of bytes given in the header.
    MediaBlockRead {
        /// Cache read through (gen4 to gen7.5; data afterwards).
        cache: Cache,
        /// Surface.
        bti: Bti,
        /// Vertical line stride control, three bits: override, skip, offset.
        line_stride: u8,
    },
    /// Writes a rectangle of bytes given in the header.
    MediaBlockWrite {
        /// The render cache (gen6 to gen7.5) or the data cache (gen7.5 on).
        cache: Cache,
        /// Surface.
        bti: Bti,
        /// Vertical line stride control, three bits: override, skip, offset.
        line_stride: u8,
    },
    /// Reads elements at a 64-bit address per lane (gen8 on).
    A64ScatteredRead {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Element.
        element: A64Element,
        /// Elements per lane: 1, 2, 4 or 8.
        count: u8,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
    },
    /// Writes elements at a 64-bit address per lane (gen8 on).
    A64ScatteredWrite {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Element.
        element: A64Element,
        /// Elements per lane: 1, 2, 4 or 8.
        count: u8,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
    },
    /// Reads up to four dwords at a 64-bit address per lane (gen8 on).
    A64UntypedRead {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Lanes.
        simd: SimdMode,
        /// Dwords transferred.
        mask: ChannelMask,
    },
    /// Writes up to four dwords at a 64-bit address per lane (gen8 on).
    A64UntypedWrite {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Lanes.
        simd: SimdMode,
        /// Dwords transferred.
        mask: ChannelMask,
    },
    /// Integer atomic at a 64-bit address per lane, always SIMD8 (gen8 on).
    A64Atomic {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Operation.
        op: AtomicOp,
        /// 64-bit data.
        qword: bool,
        /// Whether the value before the operation is returned.
        return_data: bool,
        /// 16-bit data (gen12 on); not together with `qword`.
        word: bool,
    },
    /// Floating-point atomic at a 64-bit address per lane, always SIMD8 (gen9 on).
    A64AtomicFloat {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Operation.
        op: FloatAtomicOp,
        /// Whether the value before the operation is returned.
        return_data: bool,
        /// 16-bit data (gen12 on).
        half: bool,
    },
    /// Reads consecutive memory at one 64-bit address (gen8 on).
    A64BlockRead {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Kind of block.
        block: A64Block,
        /// Amount, as the code of an OWord block; for hword blocks the code is the logarithm
        /// of the number of registers.
        size: OwordBlock,
        /// Drop the lines read from the cache.
        invalidate: bool,
    },
    /// Writes consecutive memory at one 64-bit address (gen8 on).
    A64BlockWrite {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Kind of block.
        block: A64Block,
        /// Amount, as in [`Message::A64BlockRead`].
        size: OwordBlock,
    },
    /// Reads whole registers from scratch space (gen7 to gen12).
    ScratchBlockRead {
        /// Registers: 1, 2, 4 or (gen8 on) 8.
        registers: u8,
        /// Channel mode is dword rather than OWord (documented up to gen9).
        dword_mode: bool,
        /// Drop the lines read from the cache.
        invalidate: bool,
        /// Offset from the scratch base in units of 32 bytes, 0 to 4095.
        hword_offset: u16,
    },
    /// Writes whole registers to scratch space (gen7 to gen12).
    ScratchBlockWrite {
        /// Registers: 1, 2, 4 or (gen8 on) 8.
        registers: u8,
        /// Channel mode is dword rather than OWord (documented up to gen9).
        dword_mode: bool,
        /// Drop the lines from the cache.
        invalidate: bool,
        /// Offset from the scratch base in units of 32 bytes, 0 to 4095.
        hword_offset: u16,
    },
    /// Orders memory accesses (gen7 to gen12).
    MemoryFence {
        /// The cache: data, or render on gen7 and gen7.5.
        cache: Cache,
        /// 0 for global memory, [`Bti::SLM`] for shared memory (gen11 on).
        bti: Bti,
        /// Return a response after completion.
        commit: bool,
        /// Flush the first-level cache (gen11 on).
        l1_flush: bool,
        /// Flush targets in the third-level cache (gen11 on): bit 3 read/write data, bit 2
        /// constants, bit 1 textures, bit 0 instructions.
        l3_flush: u8,
    },
    /// Writes pixels to a render target.
    RenderTargetWrite {
        /// Render target's surface.
        bti: Bti,
        /// Form of the payload.
        subtype: RtSubtype,
        /// Upper sixteen slots (gen6 on).
        upper_slots: bool,
        /// Last render target of this thread.
        last: bool,
        /// Per-sample outputs (gen9 on).
        per_sample: bool,
        /// Per-coarse-pixel outputs (gen11 on).
        coarse: bool,
        /// 16-bit data (gen8 on).
        half: bool,
        /// Return a response when the write is committed (gen4 to gen6).
        commit: bool,
        /// Render target index (gen11 on, extended descriptor).
        rt_index: u8,
        /// Source 0 alpha is in the payload (gen11 on, extended descriptor).
        src0_alpha: bool,
        /// Null render target (gen11 on, extended descriptor).
        null_rt: bool,
    },
    /// Reads pixels from a render target (gen7.5 on).
    RenderTargetRead {
        /// Render target's surface.
        bti: Bti,
        /// SIMD8 rather than SIMD16.
        simd8: bool,
        /// Upper sixteen slots.
        upper_slots: bool,
        /// Per-sample (gen9 on).
        per_sample: bool,
    },
    /// Math function (gen4 and gen5).
    Math {
        /// Function code, as of [`MathFn`](crate::MathFn).
        function: crate::MathFn,
        /// Signed integers.
        signed: bool,
        /// Partial precision.
        partial: bool,
        /// Clamp the result.
        saturate: bool,
        /// Scalar data.
        scalar: bool,
    },
    /// Samples or fetches texels (gen5 on).
    Sample {
        /// Operation.
        op: SamplerOp,
        /// Surface.
        bti: Bti,
        /// Sampler state index, 0 to 15.
        sampler: u8,
        /// Lanes.
        simd: SamplerSimd,
        /// 16-bit return data (gen8 on).
        half_return: bool,
    },
    /// Samples or fetches texels on gen4, where lanes and operation follow from the lengths.
    SampleGen4 {
        /// Two-bit message type.
        msg_type: u8,
        /// Surface.
        bti: Bti,
        /// Sampler state index, 0 to 15.
        sampler: u8,
        /// Return format: 0 float, 2 unsigned, 3 signed.
        return_format: u8,
    },
    /// Writes URB entries.
    UrbWrite {
        /// Layout of the data.
        layout: UrbLayout,
        /// Offset in the entry: in 256-bit rows for hwords, 128-bit rows otherwise.
        offset: u16,
        /// Arrangement (hword and oword).
        swizzle: UrbSwizzle,
        /// The header holds an offset per slot (gen7 on).
        per_slot_offset: bool,
        /// A channel mask register follows the header (SIMD8).
        channel_mask: bool,
        /// Allocate a new handle (gen4 to gen6).
        allocate: bool,
        /// The handle is used (gen4 to gen6).
        used: bool,
        /// The entry is complete (up to gen7.5).
        complete: bool,
    },
    /// Reads URB entries (gen7 on).
    UrbRead {
        /// Layout of the data.
        layout: UrbLayout,
        /// Offset in the entry: in 256-bit rows for hwords, 128-bit rows otherwise.
        offset: u16,
        /// Arrangement (hword and oword).
        swizzle: UrbSwizzle,
        /// The header holds an offset per slot.
        per_slot_offset: bool,
        /// The entry is not needed any more (hword and oword, up to gen7.5).
        complete: bool,
    },
    /// Atomic on a dword of the URB (gen7 on).
    UrbAtomic {
        /// Operation.
        op: UrbAtomicOp,
        /// Offset in the entry, in 128-bit rows.
        offset: u16,
        /// The header holds an offset per slot.
        per_slot_offset: bool,
    },
    /// Fixed function synchronisation (gen5 and gen6).
    UrbFfSync {
        /// Allocate a new handle.
        allocate: bool,
        /// The handle is used.
        used: bool,
        /// The entry is complete.
        complete: bool,
    },
    /// URB fence (gen12.5).
    UrbFence,
    /// Message gateway.
    Gateway {
        /// Function.
        function: GatewayFn,
        /// Notification field, 0 to 3 (gen5 to gen11); 0 or 1 on gen12.5, where compilers set it
        /// to end a thread.
        notify: u8,
    },
    /// Thread spawner; the usual end of a thread is `spawn` false with `keep_urb` true.
    ThreadSpawner {
        /// Spawn a thread rather than dereference a resource.
        spawn: bool,
        /// Child thread (up to gen9).
        child: bool,
        /// Do not dereference the URB handle (up to gen9).
        keep_urb: bool,
    },
    /// Pixel interpolator (gen7 on).
    Interpolate {
        /// Kind of position to interpolate at.
        at: InterpolateAt,
        /// For an offset: x in bits 3:0, y in bits 7:4, signed sixteenths of a pixel; for a
        /// sample: its index in bits 7:4.
        data: u8,
        /// Upper sixteen slots.
        upper_slots: bool,
        /// No perspective correction.
        linear: bool,
        /// Coarse pixel rate (gen11 on).
        coarse: bool,
        /// Sixteen lanes rather than eight.
        simd16: bool,
    },
    /// Load, store or atomic through the load/store cache (gen12.5).
    Lsc {
        /// Memory.
        space: LscSpace,
        /// Operation.
        op: LscOp,
        /// Address size.
        addr: LscAddrSize,
        /// Data size.
        data: LscDataSize,
        /// Elements per lane: 1, 2, 3, 4, 8, 16, 32 or 64; for component mask operations the
        /// mask, bit 0 = x.
        vector: u8,
        /// Transposed vector, one address (loads and stores).
        transpose: bool,
        /// Cache control code.
        cache: u8,
        /// The surface, or flat memory, that addresses are relative to.
        surface: LscSurface,
        /// With a binding table surface: the index.
        bti: Bti,
        /// Surface state index or base offset in the extended descriptor (bits 31:12 for flat
        /// and bindless surfaces, 23:12 for a binding table surface).
        offset: u32,
    },
    /// Fence of the load/store cache (gen12.5).
    LscFence {
        /// Memory.
        space: LscSpace,
        /// Address size field.
        addr: LscAddrSize,
        /// Scope.
        scope: LscScope,
        /// Flush.
        flush: LscFlush,
        /// Backup routing through the load/store cache.
        route_to_lsc: bool,
    },
    /// Reads one, two or four qwords per lane; offsets in bytes (gen9 on).
    QwordScatteredRead {
        /// Surface.
        bti: Bti,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
        /// Qwords per lane: 1, 2 or 4.
        count: u8,
        /// Legacy SIMD mode bit.
        legacy: bool,
    },
    /// Writes one, two or four qwords per lane; offsets in bytes (gen9 on).
    QwordScatteredWrite {
        /// Surface.
        bti: Bti,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
        /// Qwords per lane: 1, 2 or 4.
        count: u8,
        /// Legacy SIMD mode bit.
        legacy: bool,
    },
    /// Writes consecutive OWords at one address given in the header, in hwords (gen12.5).
    HwordBlockWrite {
        /// Surface.
        bti: Bti,
        /// Amount.
        size: OwordBlock,
    },
    /// A typed read that also returns which lanes accessed mapped memory (gen12 on).
    TypedReadStatus {
        /// Surface.
        bti: Bti,
        /// Lanes covered.
        slots: SlotGroup,
        /// Components transferred.
        mask: ChannelMask,
    },
    /// Atomic on 16 bits of a texel per lane (gen12 on).
    TypedAtomicWord {
        /// Surface.
        bti: Bti,
        /// Operation.
        op: AtomicOp,
        /// Lanes covered.
        slots: SlotGroup,
        /// Whether the value before the operation is returned.
        return_data: bool,
    },
    /// Atomic on 16 bits of the append counter of a surface (gen12 on).
    AtomicCounterWord {
        /// Surface.
        bti: Bti,
        /// Operation.
        op: AtomicOp,
        /// Lanes: SIMD8 or SIMD16.
        simd: SimdMode,
        /// Whether the value before the operation is returned.
        return_data: bool,
    },
    /// Integer atomic at two 64-bit addresses (gen8 to gen11).
    A64Atomic4x2 {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Operation.
        op: AtomicOp,
        /// 64-bit data.
        qword: bool,
        /// Whether the value before the operation is returned.
        return_data: bool,
    },
    /// Floating-point atomic at two 64-bit addresses (gen9 and gen11).
    A64AtomicFloat4x2 {
        /// Coherence: stateless or stateless non-coherent.
        bti: Bti,
        /// Operation.
        op: FloatAtomicOp,
        /// Whether the value before the operation is returned.
        return_data: bool,
    },
    /// A data port message whose control bits are not documented individually.
    Port {
        /// Operation.
        op: PortOp,
        /// Cache of a read on gen4 and gen5; [`Cache::Data`] otherwise.
        cache: Cache,
        /// Surface.
        bti: Bti,
        /// Message control: descriptor bits from 8 up, three to six of them.
        control: u8,
        /// Return a response when the write is committed (writes of gen4 to gen6).
        commit: bool,
    },
    /// A block or scattered write of gen4 to gen6 that returns a response when it is committed.
    Committed(Box<Message>),
    /// A message of data cache port 2 (gen9 on): an untyped, byte scattered or (up to gen11) A64
    /// message with scaled offsets.
    Scaled(Box<Message>),
    /// Video motion estimation (gen5 to gen12).
    MotionEstimation {
        /// Surface.
        bti: Bti,
        /// Search path index, 0 to 7 (up to gen7.5).
        search_path: u8,
        /// Look-up table subindex, 0 to 3 (up to gen7.5).
        lut_subindex: u8,
        /// Message type, 0 to 3.
        kind: u8,
        /// The response also contains the results of the search (gen7 on).
        stream_out: bool,
        /// The payload contains the results of an earlier search (gen7 on).
        stream_in: bool,
    },
    /// Check and refinement engine (gen7.5 to gen12).
    Refinement {
        /// Surface.
        bti: Bti,
        /// Message type, 0 to 3.
        kind: u8,
    },
    /// Spawns threads by a shader record (gen12.5).
    BindlessSpawn {
        /// Sixteen lanes rather than eight.
        simd16: bool,
    },
    /// Traces rays (gen12.5).
    TraceRay {
        /// Sixteen lanes rather than eight.
        simd16: bool,
    },
    /// Descriptor bits for an unknown shared function, [`Sfid::Null`](crate::Sfid::Null). On gen9
    /// and gen11, if the extended descriptor is in a register, the register selects the function,
    /// and these bits belong to a message of that function.
    Null {
        /// Function control: descriptor bits 18:0 (gen4: 15:0).
        function: u32,
        /// Descriptor bits 31:29.
        high: u8,
    },
}
