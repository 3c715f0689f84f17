//! A device: a platform's limits and named capabilities.
//!
//! Only this crate and `isa` compare generations. Other crates call the methods of [`Device`], so
//! for a new generation only the results of these methods must be defined. Limits are those of the
//! usual GT2 variant of each platform, from the public manuals ("Configurations" volumes).

use crate::{Gen, Platform};

/// A platform with its limits and capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    platform: Platform,
    limits: Limits,
    /// Whether UV immediates may be used, if the platform has them.
    uv_immediates: bool,
}

/// Limits of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of general registers of a thread, 32 bytes each.
    pub grf_count: u32,
    /// Number of hardware threads of one EU.
    pub threads_per_eu: u32,
    /// Number of EUs of one subslice (dual subslice on gen12).
    pub eus_per_subslice: u32,
    /// Number of compute threads that one subslice can run at the same time.
    pub max_cs_threads: u32,
    /// Maximum number of threads of one workgroup.
    pub max_workgroup_threads: u32,
    /// Number of ids of compute threads; the driver allocates scratch space for each.
    pub scratch_ids: u32,
    /// Maximum number of URB entries of the vertex stage; 0 if the device has no such partition.
    pub max_vs_urb_entries: u32,
    /// Maximum size of the push constants of a stage, in bytes.
    pub max_push_bytes: u32,
    /// Maximum size of the shared local memory of one workgroup, in bytes.
    pub max_shared_bytes: u32,
}

/// The part of the device that starts threads. The state packets of the two have different codes for the size of the
/// scratch space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// The stages of a draw call.
    Graphics,
    /// Compute dispatches.
    Compute,
}

/// Number of invocations per workgroup that every Vulkan driver for these devices allows.
const MAX_WORKGROUP_INVOCATIONS: u32 = 1024;

impl Limits {
    /// Maximum number of invocations of one workgroup at a SIMD width (channels): the number of
    /// channels of all its threads, but at most 1024.
    pub const fn max_workgroup_invocations(&self, simd_width: u32) -> u32 {
        let held = self.max_workgroup_threads * simd_width;
        if held < MAX_WORKGROUP_INVOCATIONS { held } else { MAX_WORKGROUP_INVOCATIONS }
    }
}

/// Columns: platform, threads per EU, EUs per subslice, compute threads per subslice, threads per
/// workgroup, scratch thread ids, URB entries of the vertex stage.
const TOPOLOGY: &[(Platform, u32, u32, u32, u32, u32, u32)] = &[
    (Platform::I965, 4, 8, 0, 0, 0, 0),
    (Platform::G4x, 5, 10, 0, 0, 0, 0),
    (Platform::Ilk, 6, 12, 0, 0, 0, 0),
    (Platform::Snb, 6, 12, 0, 0, 0, 256),
    (Platform::Ivb, 8, 12, 64, 64, 64, 704),
    (Platform::Byt, 8, 4, 32, 32, 32, 512),
    (Platform::Hsw, 7, 10, 70, 64, 256, 1664),
    (Platform::Bdw, 7, 8, 56, 56, 168, 2560),
    (Platform::Chv, 7, 8, 42, 42, 112, 640),
    (Platform::Skl, 7, 8, 56, 56, 224, 1856),
    (Platform::Bxt, 6, 6, 36, 36, 144, 704),
    (Platform::Kbl, 7, 8, 56, 56, 224, 1856),
    (Platform::Glk, 6, 6, 36, 36, 144, 704),
    (Platform::Cfl, 7, 8, 56, 56, 224, 1856),
    (Platform::Icl, 7, 8, 56, 56, 512, 2384),
    (Platform::Ehl, 7, 8, 56, 56, 512, 2384),
    (Platform::Tgl, 7, 16, 112, 64, 768, 3576),
    (Platform::Rkl, 7, 16, 112, 64, 256, 3576),
    (Platform::Dg1, 7, 16, 112, 64, 768, 3576),
    (Platform::Adl, 7, 16, 112, 64, 768, 3576),
    (Platform::Dg2, 8, 16, 112, 112, 4096, 3576),
];

impl Device {
    /// The device of a platform.
    pub fn new(platform: Platform) -> Device {
        let &(_, threads_per_eu, eus, cs_threads, group_threads, scratch_ids, urb) =
            &TOPOLOGY[platform as usize];
        let has_compute = cs_threads > 0;
        let limits = Limits {
            grf_count: 128,
            threads_per_eu,
            eus_per_subslice: eus,
            max_cs_threads: cs_threads,
            max_workgroup_threads: group_threads,
            scratch_ids,
            max_vs_urb_entries: urb,
            max_push_bytes: 64 * 32,
            max_shared_bytes: if has_compute { 64 << 10 } else { 0 },
        };
        Device { platform, limits, uv_immediates: true }
    }

    /// The platform.
    pub const fn platform(&self) -> Platform {
        self.platform
    }

    /// The generation of the instruction set, for lookups in tables. Other code should call a
    /// capability method instead of comparing generations.
    pub const fn generation(&self) -> Gen {
        self.platform.generation()
    }

    /// The limits.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether the generation is `first` or later.
    fn since(&self, first: Gen) -> bool {
        self.generation() >= first
    }

    /// Whether the generation is `last` or earlier.
    fn until(&self, last: Gen) -> bool {
        self.generation() <= last
    }

    /// Whether this is a low-power device (CHV, BXT, GLK), with restrictions for 64-bit data and
    /// multiplication of dwords.
    fn is_low_power(&self) -> bool {
        matches!(self.platform, Platform::Chv | Platform::Bxt | Platform::Glk)
    }
}

/// Instruction set capabilities.
impl Device {
    /// The same device without UV immediates, for tests. Every real device with SIMD4x2 threads has
    /// them.
    #[cfg(feature = "testing")]
    #[must_use]
    pub const fn without_uv_immediates(mut self) -> Device {
        self.uv_immediates = false;
        self
    }

    /// Whether UV immediates exist: eight unsigned four-bit elements.
    pub fn has_uv_immediates(&self) -> bool {
        self.uv_immediates && self.since(Gen::Gen6)
    }

    /// Whether Align16 exists: swizzles, write masks and SIMD4x2 execution.
    pub fn has_align16(&self) -> bool {
        self.until(Gen::Gen9)
    }

    /// Whether vertex, tessellation and geometry threads can work on eight vertices.
    pub fn has_simd8_vertex_threads(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether vertex, tessellation and geometry threads can be compiled for two vertices, with
    /// Align16 code. This is the only way up to gen7.5, and an alternative on Broadwell. The
    /// compiler does not support it on low-power gen8, which restricts multiplications too much,
    /// and on gen9, which lacks some of the messages.
    pub fn has_simd4x2_vertex_threads(&self) -> bool {
        let restricted = self.since(Gen::Gen8) && self.is_low_power();
        self.since(Gen::Gen7) && self.until(Gen::Gen8) && !restricted
    }

    /// Whether geometry shaders write the number of their vertices to the output entry, as a
    /// separate register in front of the control data. On other devices they send it in their last
    /// message.
    pub fn has_vertex_count_in_entry(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether three-source instructions have Align1 regions instead of Align16 operands.
    pub fn has_align1_three_source(&self) -> bool {
        self.since(Gen::Gen11)
    }

    /// Whether three-source instructions can have 16 channels.
    pub fn has_simd16_three_source(&self) -> bool {
        self.since(Gen::Gen75)
    }

    /// Whether a message can have two payloads (SENDS).
    pub fn has_split_send(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether untyped atomic messages have minimum and maximum of 32-bit floats: the message type "untyped atomic float"
    /// exists from gen9 on (the tables of messages in `isa`, judged by `iga64`).
    pub fn has_float_atomics(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether the type DF exists.
    pub fn has_64bit_float(&self) -> bool {
        self.since(Gen::Gen7) && self.until(Gen::Gen9)
    }

    /// Whether MAD of doubles rounds once. The manuals of earlier generations do not specify it.
    pub fn has_fused_64bit_mad(&self) -> bool {
        self.since(Gen::Gen8) && self.has_64bit_float()
    }

    /// Whether the types Q and UQ exist.
    pub fn has_64bit_int(&self) -> bool {
        self.since(Gen::Gen8) && self.until(Gen::Gen9)
    }

    /// Whether operations on 64-bit integers take sources of fewer bits with any distance between their elements. Low-power
    /// devices require the same distance for all operands (PRM, "64-bit Restrictions"; rule F1 of the validator).
    pub fn has_plain_64bit_int(&self) -> bool {
        self.has_64bit_int() && !self.is_low_power()
    }

    /// Whether the type HF exists. Gen7 has conversion instructions only.
    pub fn has_half_float(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether MATH can have HF operands (PRM, math: gen9 on, and Cherry View).
    pub fn has_half_float_math(&self) -> bool {
        self.since(Gen::Gen9) || self.platform == Platform::Chv
    }

    /// Whether MUL of two dwords uses all bits of both sources. On other devices it uses only the
    /// low 16 bits of one source.
    pub fn mul_32x32(&self) -> bool {
        self.has_64bit_int() && !self.is_low_power()
    }

    /// Whether MUL of two dwords uses only the low 16 bits of source 1. True from gen7 on for
    /// devices without [`mul_32x32`](Self::mul_32x32); gen6 and earlier use the low 16 bits of
    /// source 0.
    pub fn mul_uses_low_half_of_src1(&self) -> bool {
        self.since(Gen::Gen7) && !self.mul_32x32()
    }

    /// Whether MACH without accumulator write gives the low 32 bits of the product (MACL).
    pub fn mach_without_acc_is_low(&self) -> bool {
        self.since(Gen::Gen11)
    }

    /// Whether 64-bit operations and multiplications of dwords need source and destination regions
    /// that match.
    pub fn has_aligned_64bit_regions_only(&self) -> bool {
        self.is_low_power()
    }

    /// Whether the second half of a compressed Align16 instruction reads a 64-bit source with
    /// vertical stride 0 from the next register, instead of from the same.
    pub fn df_region_bug(&self) -> bool {
        self.since(Gen::Gen7) && self.until(Gen::Gen75)
    }

    /// Whether the execution size of an instruction with DF operands counts dwords.
    pub fn df_exec_size_counts_dwords(&self) -> bool {
        self.generation() == Gen::Gen7
    }

    /// Whether instructions that write two registers execute as two halves (compression).
    pub fn has_compressed_instructions(&self) -> bool {
        self.until(Gen::Gen75)
    }

    /// First channel of the second half of a compressed instruction, relative to that of the first
    /// half. `wide`: it has 64-bit operands.
    pub fn second_half_channels(&self, wide: bool) -> u8 {
        match (wide, self.df_exec_size_counts_dwords()) {
            (false, _) => 8,
            (true, false) => 4,
            // Both halves get the same channels.
            (true, true) => 0,
        }
    }

    /// Whether 64-bit sources may be indirect. Ivy Bridge reads two addresses for each element
    /// (rule E7 of the validator); the low-power devices forbid it (E8).
    pub fn has_indirect_64bit_sources(&self) -> bool {
        self.since(Gen::Gen75) && self.has_64bit_float() && !self.is_low_power()
    }

    /// Whether LRP (linear interpolation) exists.
    pub fn has_lrp(&self) -> bool {
        self.since(Gen::Gen6) && self.until(Gen::Gen9)
    }

    /// Whether BFE, BFI1, BFI2, BFREV, FBH, FBL and CBIT exist.
    pub fn has_bit_field_instructions(&self) -> bool {
        self.since(Gen::Gen7)
    }

    /// Whether a comparison with a null destination needs thread control Switch. Otherwise its flag
    /// may be written too late (PRM, "cmp").
    pub fn compare_needs_thread_switch(&self) -> bool {
        self.has_half_conversion_instructions()
    }

    /// Maximum number of channels of a comparison with a register destination. 8 on gen7, where the
    /// first half of a compressed comparison releases the flag before the second half is complete.
    pub fn max_compare_channels(&self) -> u8 {
        if self.generation() == Gen::Gen7 { 8 } else { 16 }
    }

    /// Maximum number of channels of BFI1 and BFI2 (PRM of Haswell, "bfi").
    pub fn max_bit_insert_channels(&self) -> u8 {
        if self.generation() == Gen::Gen75 { 8 } else { 16 }
    }

    /// Whether MACH always uses the accumulator of the first eight channels, independent of its channel group.
    pub fn mach_needs_first_channels(&self) -> bool {
        self.generation() == Gen::Gen7
    }

    /// Whether the MATH functions of integers and POW may have an immediate as second source. Mesa 22.3.6 emits POW with one for
    /// Broadwell and Skylake, and `iga64` accepts it.
    pub fn has_math_immediate(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether a NoMask instruction that reads ce0 gets the mask of enabled channels. On other
    /// devices it gets all ones.
    pub fn has_readable_channel_enables(&self) -> bool {
        self.generation() != Gen::Gen75
    }

    /// Whether DIM (move of a 64-bit immediate) exists.
    pub fn has_dim(&self) -> bool {
        self.generation() == Gen::Gen75
    }

    /// Whether MOV can have 64-bit immediates.
    pub fn has_64bit_immediate(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether GOTO and JOIN (unstructured branches) exist.
    pub fn has_goto(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether GOTO without branch control sends the channels whose predicate is true to its second
    /// target. On other devices it sends those whose predicate is false there.
    pub fn goto_takes_true_channels(&self) -> bool {
        self.since(Gen::Gen11)
    }

    /// Whether F32TO16 and F16TO32 exist, instead of converting moves.
    pub fn has_half_conversion_instructions(&self) -> bool {
        self.generation() == Gen::Gen7 || self.generation() == Gen::Gen75
    }

    /// Whether negation of a source of a logic instruction is a bitwise NOT. On other devices logic
    /// instructions have no source modifiers.
    pub fn has_logic_not_modifier(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether instructions have a software scoreboard (SWSB).
    pub fn has_software_scoreboard(&self) -> bool {
        self.since(Gen::Gen12)
    }

    /// Whether there are separate in-order pipes for floats, integers and 64-bit data. Distances of
    /// the software scoreboard then count in one pipe.
    pub fn has_several_in_order_pipes(&self) -> bool {
        self.since(Gen::Gen125)
    }

    /// Whether the instruction after POW or FDIV must not write two registers.
    pub fn has_pow_successor_hazard(&self) -> bool {
        matches!(self.generation(), Gen::Gen8 | Gen::Gen9)
    }

    /// Number of words of the address register, which is the maximum number of addresses of a VxH
    /// region.
    pub fn address_register_words(&self) -> u32 {
        if self.since(Gen::Gen8) { 16 } else { 8 }
    }

    /// Whether indirect addressing drops the carry from the low five bits of the address when it
    /// adds the offset.
    pub fn has_indirect_carry_bug(&self) -> bool {
        self.until(Gen::Gen75)
    }
}

/// Memory and dispatch capabilities.
impl Device {
    /// Whether binding table index 253 exists: stateless access that is not coherent between
    /// caches. Scratch accesses use it if it exists, otherwise index 255.
    pub fn has_non_coherent_stateless(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether messages with 64-bit addresses exist.
    pub fn has_a64_messages(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether messages with 64-bit addresses, except atomics, can have 16 channels instead of eight.
    pub fn has_wide_a64_messages(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether the threads of a workgroup share push constants. On other devices each thread has
    /// its own copy.
    pub fn has_cross_thread_constants(&self) -> bool {
        self.since(Gen::Gen75)
    }

    /// Whether a kernel must copy the shared memory index to sr0.1 before its first access to
    /// shared memory.
    pub fn needs_shared_memory_index(&self) -> bool {
        self.generation() == Gen::Gen75
    }

    /// Whether typed accesses have a separate cache, which needs a separate fence.
    pub fn has_separate_typed_fence(&self) -> bool {
        self.generation() == Gen::Gen7
    }

    /// Whether shared memory needs a separate fence.
    pub fn has_shared_memory_fence(&self) -> bool {
        self.since(Gen::Gen11)
    }

    /// Whether a data port executes messages in the order of arrival. A fence without commit then
    /// completes after earlier writes of its thread and before later messages of any thread. The
    /// code in the oracle pack relies on this up to gen8, and uses fences with commit from gen9 on.
    pub fn uncommitted_fences_order_all_threads(&self) -> bool {
        self.until(Gen::Gen8)
    }

    /// Whether a sampler message without a header returns only the leading components for which its response has room. Mesa's
    /// compiler shortens such responses from gen9 on (seen in its code for Skylake, not in that for Broadwell).
    pub fn short_sampler_responses_leave_out_components(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether a render target write without a header writes all pixels of the thread, also those of disabled channels.
    /// Mesa's compiler adds a header on these devices if pixels can be discarded.
    pub fn headerless_pixel_writes_ignore_channels(&self) -> bool {
        self.until(Gen::Gen7)
    }

    /// Whether r1.1 of a fragment shader's thread, not r0.0, says whether the primitive is back facing.
    pub fn has_facing_in_r1(&self) -> bool {
        self.since(Gen::Gen12)
    }

    /// Whether typed messages need a header.
    pub fn typed_messages_need_header(&self) -> bool {
        self.until(Gen::Gen8)
    }

    /// Whether the level is the second parameter of the sampler's `ld` message. On other devices it
    /// is the third.
    pub fn ld_level_precedes_v(&self) -> bool {
        self.until(Gen::Gen8)
    }

    /// Whether the sampler has messages that read level 0 without a level parameter.
    pub fn has_level_zero_messages(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether messages of the sampler have a parameter for a least level of detail.
    pub fn has_least_levels(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether surfaces can have this number of samples per pixel (`Number of Multisamples` of the
    /// surface state): 1, 4 and 8 on all devices from gen7 on, 2 from gen8 on, 16 from gen9 on.
    pub fn has_samples(&self, samples: u32) -> bool {
        match samples {
            1 => true,
            4 | 8 => self.since(Gen::Gen7),
            2 => self.since(Gen::Gen8),
            16 => self.since(Gen::Gen9),
            _ => false,
        }
    }

    /// Number of dwords of a texel's multisample control data: one for up to eight samples, two for
    /// sixteen.
    pub fn multisample_control_dwords(&self) -> usize {
        if self.since(Gen::Gen9) { 2 } else { 1 }
    }

    /// Whether the sampler has a message with derivatives and a reference value for a comparison.
    pub fn has_gradient_comparisons(&self) -> bool {
        self.since(Gen::Gen75)
    }

    /// The greatest distance of a branch of structured flow in bytes; `None` if programs are never
    /// so long. Up to gen7.5, JIP and UIP are signed numbers of 16 bits that count 8 bytes.
    pub fn max_branch_bytes(&self) -> Option<u32> {
        self.until(Gen::Gen75).then_some(0x7fff * 8)
    }

    /// Whether a render-target write of a shader that discards pixels needs a header with the mask
    /// of the other pixels. On other devices the predicate of the message has the same effect
    /// (confirmed by Mesa's code for these devices).
    pub fn needs_pixel_mask_in_header(&self) -> bool {
        self.until(Gen::Gen7)
    }

    /// Whether the header of a render-target write names the attachment. From gen11 on, the
    /// extended descriptor does.
    pub fn has_render_target_headers(&self) -> bool {
        self.until(Gen::Gen9)
    }

    /// Whether there is a depth bounds test (3DSTATE_DEPTH_BOUNDS).
    pub fn has_depth_bounds_test(&self) -> bool {
        self.since(Gen::Gen12)
    }

    /// Whether vertex fetch reads three integers of 8 or 16 bits, and all formats with components of 10 bits
    /// (`surface_formats.tsv`, column `vertex_fetch`).
    pub fn has_all_vertex_formats(&self) -> bool {
        self.since(Gen::Gen75)
    }

    /// Whether a fragment shader can compute the reference value of the stencil test.
    pub fn has_computed_stencil(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether the payload of a fragment shader can have the samples that are left after the depth and stencil tests
    /// (3DSTATE_PS_EXTRA, "Input Coverage Mask State": a state of gen9, a single bit before).
    pub fn has_coverage_after_tests(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether fragment shaders can have critical sections.
    pub fn has_fragment_interlock(&self) -> bool {
        self.since(Gen::Gen9)
    }

    /// Whether r1.0 of a fragment shader has a sample number for each four channels. On older
    /// devices r0.0 has the number of the first pair of samples.
    pub fn has_sample_ids_in_payload(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether the payload of a fragment shader must have more than r0, r1 and r2 (workaround of
    /// gen9).
    pub fn needs_fragment_payload(&self) -> bool {
        self.generation() == Gen::Gen9
    }

    /// Maximum number of samplers of a program: 16 up to gen7. From gen7.5 on, a message can name any 16 consecutive
    /// samplers by a pointer in its header; metadata have room for 256.
    pub fn max_samplers(&self) -> u32 {
        if self.since(Gen::Gen75) { 256 } else { 16 }
    }

    /// Maximum size of a scratch block message, in registers.
    pub fn max_scratch_block_registers(&self) -> u32 {
        if self.since(Gen::Gen8) { 8 } else { 4 }
    }

    /// Whether untyped writes have a SIMD4x2 form.
    pub fn has_vec4_writes(&self) -> bool {
        self.since(Gen::Gen75)
    }

    /// Whether URB messages have a flag for a complete entry.
    pub fn has_urb_complete(&self) -> bool {
        !self.since(Gen::Gen8)
    }

    /// Lowest bit of the thread number in r0.2 of a tessellation control thread
    /// (single patch dispatch).
    pub fn tess_instance_shift(&self) -> u32 {
        if matches!(self.generation(), Gen::Gen75 | Gen::Gen8 | Gen::Gen9) { 17 } else { 16 }
    }

    /// Lowest of the four bits of the barrier id in r0.2 of a tessellation control thread.
    pub fn patch_barrier_shift(&self) -> u32 {
        if matches!(self.generation(), Gen::Gen75 | Gen::Gen8 | Gen::Gen9) { 13 } else { 12 }
    }

    /// Whether an instruction can write two registers while the words that it reads are in one, in rows
    /// (PRM, "Register Region Restrictions": before gen8 both or none have two registers).
    pub fn writes_two_registers_from_words(&self) -> bool {
        self.since(Gen::Gen8)
    }

    /// Whether tessellation control threads must release the URB entries of their inputs.
    pub fn releases_patch_inputs(&self) -> bool {
        !self.since(Gen::Gen8)
    }

    /// Whether the tessellator adds wrong points along the edges of quads with equal spacing, if all levels along one
    /// axis are 1 and those along the other are greater (PRM of Broadwell, vol 7, patch header).
    pub fn needs_larger_quad_levels(&self) -> bool {
        !self.since(Gen::Gen9)
    }

    /// Bits of r0.2 that a barrier message must contain.
    pub fn barrier_id_mask(&self) -> u32 {
        if self.since(Gen::Gen11) {
            0x7f00_0000
        } else if self.since(Gen::Gen9) {
            0x8f00_0000
        } else {
            0x0f00_0000
        }
    }

    /// First general register that the payload of an end-of-thread message may use.
    pub const fn first_eot_register(&self) -> u32 {
        112
    }
}

/// Size codes of state fields.
impl Device {
    /// The size of shared memory in bytes that is allocated for a workgroup that needs `bytes`: a
    /// power of two, at least 4 KB before gen9 and 1 KB from gen9 on. `None` above the limit.
    pub fn shared_memory_size(&self, bytes: u32) -> Option<u32> {
        if bytes > self.limits.max_shared_bytes {
            return None;
        }
        let least = if self.since(Gen::Gen9) { 1 << 10 } else { 4 << 10 };
        Some(if bytes == 0 { 0 } else { bytes.next_power_of_two().max(least) })
    }

    /// Maximum size of the scratch space of one thread, in bytes: 12 KB for compute on gen7, otherwise 2 MB (PRM,
    /// MEDIA_VFE_STATE and 3DSTATE_PS, "Per-Thread Scratch Space").
    pub fn max_scratch_bytes(&self, pipeline: Pipeline) -> u32 {
        match (pipeline, self.generation()) {
            (Pipeline::Compute, Gen::Gen7) => 12 << 10,
            _ => 2 << 20,
        }
    }

    /// The size of scratch space in bytes that is allocated for a thread that needs `bytes`. `None` above the limit.
    pub fn scratch_size(&self, pipeline: Pipeline, bytes: u32) -> Option<u32> {
        if bytes == 0 {
            return Some(0);
        }
        if bytes > self.max_scratch_bytes(pipeline) {
            return None;
        }
        Some(match (pipeline, self.generation()) {
            (Pipeline::Compute, Gen::Gen7) => bytes.next_multiple_of(1 << 10),
            (Pipeline::Compute, Gen::Gen75) => bytes.next_power_of_two().max(2 << 10),
            _ => bytes.next_power_of_two().max(1 << 10),
        })
    }

    /// The code of a thread's scratch size, for the state packet of its stage and r0.3. `None` above the limit. 0 also
    /// means that there is no scratch space.
    pub fn scratch_code(&self, pipeline: Pipeline, bytes: u32) -> Option<u32> {
        let size = self.scratch_size(pipeline, bytes)?;
        Some(match (size, pipeline, self.generation()) {
            (0, ..) => 0,
            (_, Pipeline::Compute, Gen::Gen7) => (size >> 10) - 1,
            (_, Pipeline::Compute, Gen::Gen75) => size.ilog2() - 11,
            _ => size.ilog2() - 10,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(platform: Platform) -> Device {
        Device::new(platform)
    }

    #[test]
    fn topology_rows_are_in_enumeration_order() {
        for platform in Platform::ALL {
            assert_eq!(TOPOLOGY[platform as usize].0, platform);
        }
    }

    #[test]
    fn scratch_codes_follow_the_manual() {
        use Pipeline::{Compute, Graphics};
        assert_eq!(device(Platform::Ivb).scratch_code(Compute, 2500), Some(2));
        assert_eq!(device(Platform::Ivb).scratch_size(Compute, 13 << 10), None);
        assert_eq!(device(Platform::Hsw).scratch_code(Compute, 1), Some(0));
        assert_eq!(device(Platform::Hsw).scratch_code(Compute, 2 << 20), Some(10));
        for platform in [Platform::Ivb, Platform::Hsw, Platform::Skl] {
            assert_eq!(device(platform).scratch_code(Graphics, 2500), Some(2));
            assert_eq!(device(platform).scratch_size(Graphics, 2500), Some(4 << 10));
            assert_eq!(device(platform).scratch_code(Graphics, 2 << 20), Some(11));
            assert_eq!(device(platform).scratch_code(Graphics, (2 << 20) + 1), None);
        }
        assert_eq!(device(Platform::Skl).scratch_code(Compute, 2 << 20), Some(11));
        assert_eq!(device(Platform::Skl).scratch_code(Compute, (2 << 20) + 1), None);
    }

    #[test]
    fn low_power_parts_have_no_full_multiplier() {
        assert!(device(Platform::Skl).mul_32x32() && !device(Platform::Bxt).mul_32x32());
        assert!(!device(Platform::Icl).has_64bit_int());
        assert_eq!(device(Platform::Skl).limits().max_workgroup_invocations(8), 448);
        assert_eq!(device(Platform::Skl).limits().max_workgroup_invocations(32), 1024);
    }
}
