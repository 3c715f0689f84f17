//! The named values of descriptor fields.

/// Binding table index. The highest values have fixed meanings in the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bti(pub u8);

impl Bti {
    /// Stateless, coherent with the CPU: no surface, addresses relative to general state base.
    pub const STATELESS: Bti = Bti(255);
    /// Shared local memory.
    pub const SLM: Bti = Bti(254);
    /// Stateless, not coherent.
    pub const STATELESS_NON_COHERENT: Bti = Bti(253);
    /// Bindless surface (gen9 on): the surface state offset is in the extended descriptor.
    pub const BINDLESS: Bti = Bti(252);

    /// Whether it selects memory by address, without a surface.
    pub fn is_stateless(self) -> bool {
        matches!(self, Bti::STATELESS | Bti::STATELESS_NON_COHERENT)
    }
}

/// Declares a plain enumeration. The rows are `Variant "name" "documentation"`.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($variant:ident $text:literal $doc:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = $doc] $variant,)*
        }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// Name in lower case.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }
    };
}

named! {
    /// Lanes of a surface message.
    SimdMode {
        Simd4x2 "simd4x2" "Two vectors of four components.",
        Simd8 "simd8" "Eight lanes.",
        Simd16 "simd16" "Sixteen lanes.",
    }
}

impl SimdMode {
    /// Number of lanes that have an address of their own (2 for SIMD4x2).
    pub fn lanes(self) -> u32 {
        match self {
            SimdMode::Simd4x2 => 2,
            SimdMode::Simd8 => 8,
            SimdMode::Simd16 => 16,
        }
    }
}

named! {
    /// Lanes of a sampler message and the size of its parameters.
    SamplerSimd {
        Simd4x2 "simd4x2" "Two vectors (gen9 on: header bit 22 of dword 2 selects it, else SIMD8D).",
        Simd8 "simd8" "Eight lanes.",
        Simd16 "simd16" "Sixteen lanes.",
        Simd32 "simd32" "32 or 64 lanes.",
        Simd16IntReturn "simd16_int" "Sixteen lanes, integer return (gen12.5).",
        Simd8Half "simd8h" "Eight lanes with 16-bit parameters (gen11 on).",
        Simd16Half "simd16h" "Sixteen lanes with 16-bit parameters (gen11 on).",
    }
}

named! {
    /// The lanes that a typed message covers: eight of sixteen.
    SlotGroup {
        Simd4x2 "simd4x2" "SIMD4x2 (gen7.5 on).",
        Low "low" "Slots 0 to 7.",
        High "high" "Slots 8 to 15.",
    }
}

named! {
    /// Cache a block or scattered read goes through.
    Cache {
        Data "data" "Data cache.",
        Sampler "sampler" "Sampler cache (gen4 to gen7.5).",
        Constant "const" "Constant cache (gen6 on).",
        Render "render" "Render cache (gen4 to gen6).",
    }
}

named! {
    /// Size of an OWord block.
    OwordBlock {
        OneLow "1_low" "One OWord, in the low half of the register.",
        OneHigh "1_high" "One OWord, in the high half of the register.",
        Two "2" "Two OWords: one register.",
        Four "4" "Four OWords: two registers.",
        Eight "8" "Eight OWords: four registers.",
        Sixteen "16" "Sixteen OWords: eight registers (gen12.5).",
    }
}

impl OwordBlock {
    /// Number of 16-byte OWords.
    pub fn owords(self) -> u32 {
        match self {
            OwordBlock::OneLow | OwordBlock::OneHigh => 1,
            OwordBlock::Two => 2,
            OwordBlock::Four => 4,
            OwordBlock::Eight => 8,
            OwordBlock::Sixteen => 16,
        }
    }
}

named! {
    /// Bytes per lane of a byte scattered message.
    ByteSize {
        Byte "8bit" "One byte.",
        Word "16bit" "Two bytes.",
        Dword "32bit" "Four bytes.",
    }
}

impl ByteSize {
    /// Number of bytes.
    pub fn bytes(self) -> u32 {
        match self {
            ByteSize::Byte => 1,
            ByteSize::Word => 2,
            ByteSize::Dword => 4,
        }
    }
}

named! {
    /// Element of an A64 scattered message.
    A64Element {
        Byte "byte" "Bytes, as many as the element count, per lane.",
        Dword "dword" "Dwords.",
        Qword "qword" "Qwords.",
        Hword "hword" "Hwords (bytes with status).",
    }
}

named! {
    /// Kind of an A64 block message.
    A64Block {
        OwordAligned "oword" "OWords at a 16-byte aligned address.",
        OwordUnaligned "unaligned_oword" "OWords at a dword aligned address (reads only).",
        DualBlock "dual" "Dual block.",
        Hword "hword" "Hwords: whole registers.",
    }
}

named! {
    /// Integer atomic operation. Each entry gives the new value in memory; `old` is the previous
    /// one.
    AtomicOp {
        CmpWr2W "cmpwr_2w" "Two-word compare and write: 64-bit data, compared with src0.",
        And "and" "old & src0.",
        Or "or" "old | src0.",
        Xor "xor" "old ^ src0.",
        Mov "mov" "src0.",
        Inc "inc" "old + 1.",
        Dec "dec" "old - 1 (returns the old value).",
        Add "add" "old + src0.",
        Sub "sub" "old - src0.",
        RevSub "revsub" "src0 - old.",
        Imax "imax" "Signed maximum.",
        Imin "imin" "Signed minimum.",
        Umax "umax" "Unsigned maximum.",
        Umin "umin" "Unsigned minimum.",
        CmpWr "cmpwr" "src1 if old equals src0.",
        PreDec "predec" "old - 1 (returns the new value).",
    }
}

impl AtomicOp {
    /// Number of operands in the payload, per lane.
    pub fn operands(self) -> u32 {
        match self {
            AtomicOp::Inc | AtomicOp::Dec | AtomicOp::PreDec => 0,
            AtomicOp::CmpWr | AtomicOp::CmpWr2W => 2,
            _ => 1,
        }
    }
}

named! {
    /// Floating-point atomic operation.
    FloatAtomicOp {
        Fmax "fmax" "Maximum.",
        Fmin "fmin" "Minimum.",
        FcmpWr "fcmpwr" "src1 if old equals src0.",
        Fadd "fadd" "old + src0 (gen12.5).",
        Fsub "fsub" "old - src0 (gen12.5).",
        Fadd64 "fadd64" "64-bit old + src0 (gen12.5).",
        Fsub64 "fsub64" "64-bit old - src0 (gen12.5).",
    }
}

impl FloatAtomicOp {
    /// Number of operands in the payload, per lane.
    pub fn operands(self) -> u32 {
        if self == FloatAtomicOp::FcmpWr { 2 } else { 1 }
    }
}

named! {
    /// Sampler operation.
    SamplerOp {
        Sample "sample" "Sample with computed level of detail.",
        SampleB "sample_b" "With a bias.",
        SampleL "sample_l" "With an explicit level of detail.",
        SampleC "sample_c" "With a depth comparison.",
        SampleD "sample_d" "With derivatives.",
        SampleBC "sample_b_c" "Bias and comparison.",
        SampleLC "sample_l_c" "Explicit level and comparison.",
        Ld "ld" "Texel fetch.",
        Gather4 "gather4" "Four texels of one component.",
        Lod "lod" "Level of detail query.",
        ResInfo "resinfo" "Size query.",
        SampleInfo "sampleinfo" "Sample count query.",
        KillPix "killpix" "Kill pixels by a chroma key.",
        Gather4C "gather4_c" "Gather with comparison.",
        Gather4Po "gather4_po" "Gather with per-lane offsets.",
        Gather4PoC "gather4_po_c" "Gather with per-lane offsets and comparison.",
        SampleDC "sample_d_c" "Derivatives and comparison.",
        SampleMin "sample_min" "Minimum of the footprint.",
        SampleMax "sample_max" "Maximum of the footprint.",
        SampleLz "sample_lz" "Level of detail zero.",
        SampleCLz "sample_c_lz" "Comparison at level zero.",
        LdLz "ld_lz" "Texel fetch at level zero.",
        Ld2dmsW "ld2dms_w" "Multisampled fetch, wide control surface.",
        LdMcs "ld_mcs" "Fetch from the multisample control surface.",
        Ld2dms "ld2dms" "Multisampled fetch.",
        Ld2dss "ld2dss" "Fetch of one sample.",
    }
}

named! {
    /// Form of a render target write.
    RtSubtype {
        Simd16 "simd16" "Sixteen pixels.",
        Simd16Replicated "simd16_rep" "Sixteen pixels of one colour.",
        Simd8DualLow "simd8_dual_low" "Eight pixels, two colours, low slots.",
        Simd8DualHigh "simd8_dual_high" "Eight pixels, two colours, high slots.",
        Simd8 "simd8" "Eight pixels.",
        Simd8ImageWrite "simd8_image" "Image write (gen6 to gen11).",
        Simd16ReplicatedAlt "simd16_rep_alt" "Second replicated form (gen6 to gen11).",
    }
}

named! {
    /// Function of the message gateway.
    GatewayFn {
        Open "open" "Open the gateway (up to gen8); end of thread (gen12.5).",
        Close "close" "Close the gateway (up to gen8); signal an event (gen12).",
        Forward "forward" "Forward a message (up to gen8); monitor an event (gen12).",
        Timestamp "timestamp" "Get a time stamp; monitor no event (gen12.5).",
        Barrier "barrier" "Barrier.",
        UpdateState "update_state" "Update the gateway state (gen7, gen8).",
        Mmio "mmio" "MMIO access (gen7, gen8); wait for an event (gen12).",
    }
}

named! {
    /// Operation of a data port message whose control bits are not documented individually.
    PortOp {
        UnormRead "unorm_read" "Render target read as normalised integers (gen4.5 to gen6).",
        LoopFilterRead "loop_filter_read" "Read for the AVC loop filter (gen4.5 and gen5).",
        VertexWrite "vertex_write" "Write to the streamed vertex buffer (gen4 to gen6).",
        UnormWrite "unorm_write" "Render target write of normalised integers (gen4.5 to gen6).",
        FlushRenderCache "flush_render_cache" "Flush of the render cache (gen4 and gen5).",
        DwordAtomicWrite "dword_atomic_write" "Atomic on dwords (gen6).",
        SurfaceInfo "surface_info" "Information about a surface (gen7.5 and gen9 on).",
        TransposeRead "transpose_read" "Read of a transposed block (gen8 to gen11).",
    }
}

impl PortOp {
    /// Whether it is a write. Writes of gen4 to gen6 can return a response when they are committed.
    pub fn writes(self) -> bool {
        use PortOp::*;
        matches!(self, VertexWrite | UnormWrite | FlushRenderCache | DwordAtomicWrite)
    }
}

named! {
    /// Layout of a URB message's data.
    UrbLayout {
        Hword "hword" "256-bit rows, two vectors per register when interleaved.",
        Oword "oword" "128-bit rows.",
        Simd8 "simd8" "One register per component, a lane per handle (gen8 on).",
    }
}

named! {
    /// Arrangement of a vec4 URB message.
    UrbSwizzle {
        None "none" "Rows as they are.",
        Interleave "interleave" "Low halves to the first handle, high halves to the second.",
        Transpose "transpose" "Transposed (gen4 to gen6).",
    }
}

named! {
    /// Atomic operation on the URB.
    UrbAtomicOp {
        Mov "mov" "Exchange.",
        Inc "inc" "Increment.",
        Add "add" "Add (gen7.5 on).",
    }
}

named! {
    /// Position at which a pixel interpolator message evaluates attributes.
    InterpolateAt {
        Offset "offset" "An offset given in the message.",
        Sample "sample" "A sample position.",
        Centroid "centroid" "The centroid.",
        PerSlotOffset "per_slot_offset" "An offset per lane.",
    }
}

named! {
    /// Memory a load/store cache message works on (gen12.5).
    LscSpace {
        Untyped "ugm" "Untyped global memory.",
        Typed "tgm" "Typed global memory.",
        Shared "slm" "Shared local memory.",
    }
}

named! {
    /// Operation of a load/store cache message (gen12.5).
    LscOp {
        Load "load" "Load.",
        LoadBlock "load_block" "Block load.",
        LoadCmask "load_cmask" "Load of the enabled components.",
        Store "store" "Store.",
        StoreBlock "store_block" "Block store.",
        StoreCmask "store_cmask" "Store of the enabled components.",
        AtomicInc "atomic_inc" "old + 1.",
        AtomicDec "atomic_dec" "old - 1.",
        AtomicLoad "atomic_load" "Atomic load.",
        AtomicStore "atomic_store" "Atomic store.",
        AtomicAdd "atomic_add" "old + src0.",
        AtomicSub "atomic_sub" "old - src0.",
        AtomicSmin "atomic_smin" "Signed minimum.",
        AtomicSmax "atomic_smax" "Signed maximum.",
        AtomicUmin "atomic_umin" "Unsigned minimum.",
        AtomicUmax "atomic_umax" "Unsigned maximum.",
        AtomicCmpXchg "atomic_cmpxchg" "Compare and exchange.",
        AtomicFadd "atomic_fadd" "Float old + src0.",
        AtomicFsub "atomic_fsub" "Float old - src0.",
        AtomicFmin "atomic_fmin" "Float minimum.",
        AtomicFmax "atomic_fmax" "Float maximum.",
        AtomicFcmpXchg "atomic_fcmpxchg" "Float compare and exchange.",
        AtomicAnd "atomic_and" "old & src0.",
        AtomicOr "atomic_or" "old | src0.",
        AtomicXor "atomic_xor" "old ^ src0.",
        LoadStatus "load_status" "Load with status.",
        StoreUncompressed "store_uncompressed" "Store without compression.",
        CompressionControl "ccs_update" "Update of the compression state.",
        ReadSurfaceInfo "read_state" "Surface information.",
        Fence "fence" "Memory fence.",
    }
}

impl LscOp {
    /// Whether the operation selects components by a mask rather than a vector length.
    pub fn has_component_mask(self) -> bool {
        matches!(self, LscOp::LoadCmask | LscOp::StoreCmask)
    }
}

named! {
    /// Address size of a load/store cache message.
    LscAddrSize {
        A16 "a16" "16-bit offsets.",
        A32 "a32" "32-bit addresses.",
        A64 "a64" "64-bit addresses.",
    }
}

named! {
    /// Data size of a load/store cache message: in memory, and per element in registers.
    LscDataSize {
        D8 "d8" "8 bits.",
        D16 "d16" "16 bits.",
        D32 "d32" "32 bits.",
        D64 "d64" "64 bits.",
        D8U32 "d8u32" "8 bits, zero extended to 32.",
        D16U32 "d16u32" "16 bits, zero extended to 32.",
        D16Bf32 "d16bf32" "16 bits in the high half of 32.",
    }
}

named! {
    /// Surface that load/store cache addresses are relative to.
    LscSurface {
        Flat "flat" "Nothing.",
        Bss "bss" "A bindless surface.",
        Ss "ss" "A surface state.",
        Bti "bti" "A binding table entry.",
    }
}

named! {
    /// Scope of a load/store cache fence.
    LscScope {
        ThreadGroup "group" "Thread group.",
        Local "local" "Local.",
        Tile "tile" "Tile.",
        Gpu "gpu" "GPU.",
        AllGpu "gpus" "All GPUs.",
        SystemRelease "sysrel" "System, release.",
        SystemAcquire "sysacq" "System, acquire.",
    }
}

named! {
    /// Flush of a load/store cache fence.
    LscFlush {
        None "none" "Nothing.",
        Evict "evict" "Evict.",
        Invalidate "invalidate" "Invalidate.",
        Discard "discard" "Discard.",
        Clean "clean" "Clean.",
        L3Only "flushl3" "L3 only.",
        None6 "none6" "Nothing (the second code for it).",
    }
}

/// Components of a vector that are transferred: bit 0 is x (red), bit 3 is w (alpha). A set bit
/// means enabled here; in the hardware's field it means disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelMask(pub u8);

impl ChannelMask {
    /// The first `n` components, at most four.
    pub fn first(n: u32) -> ChannelMask {
        ChannelMask(((1u32 << n.min(4)) - 1) as u8)
    }

    /// Number of components.
    pub fn count(self) -> u32 {
        u32::from(self.0 & 15).count_ones()
    }
}
