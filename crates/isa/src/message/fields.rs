//! The fields of each message. One function visits them; its [`Walk`] encodes or decodes.

use super::Message;
use super::codec::{DescriptorError, Result};
use super::enums::*;
use super::identity::{commit_bit, lsc_ops, type_field};
use super::walk::{SAMPLER_BIT, Walk, Word};
use crate::tables::{MathFn, Sfid};
use crestline_device::Gen;

impl Message {
    /// Whether this is a message of the load/store cache. These have other fields at the bits of
    /// the header flag and of the surface offset.
    pub(super) fn is_lsc(&self) -> bool {
        matches!(self, Message::Lsc { .. } | Message::LscFence { .. })
    }

    /// Visits every field of the message, including its type.
    pub(super) fn walk(&mut self, w: &mut Walk) -> Result<()> {
        let generation = w.generation;
        match self {
            Message::Scaled(inner) => {
                inner.walk_type(w, Sfid::DataCache2)?;
                inner.walk_fields(w)
            }
            Message::Committed(inner) => {
                if !inner.can_commit(generation) {
                    let message = "write with an answer";
                    return Err(DescriptorError::NoMessage { message, generation });
                }
                inner.walk(w)?;
                w.flag("commit", commit_bit(generation), &mut true)
            }
            _ if self.kind().is_some() => {
                self.walk_type(w, self.port(generation)?)?;
                self.walk_fields(w)
            }
            _ => self.walk_fields(w),
        }
    }

    /// Visits the message type, with the code that it has at `port`.
    fn walk_type(&self, w: &mut Walk, port: Sfid) -> Result<()> {
        let generation = w.generation;
        let missing = DescriptorError::NoMessage { message: self.name(), generation };
        let code = self.kind().and_then(|kind| kind.code(generation, port));
        let (hi, lo) = type_field(generation, port).unwrap_or((18, 14));
        w.bits("message type", Word::Desc, hi, lo, &mut code.ok_or(missing)?)?;
        if w.trace.is_some() {
            w.means(&format_args!("{}", self.name()));
        }
        Ok(())
    }

    /// Visits the fields other than the message type.
    #[deny(clippy::wildcard_enum_match_arm, reason = "each message describes its fields")]
    fn walk_fields(&mut self, w: &mut Walk) -> Result<()> {
        let generation = w.generation;
        match self {
            Message::OwordBlockRead { cache, bti, size, invalidate, unaligned: _ } => {
                w.bti(bti)?;
                w.block(size)?;
                target_cache(w, cache)?;
                w.invalidate(invalidate)
            }
            Message::OwordBlockWrite { bti, size } => {
                w.bti(bti)?;
                w.block(size)
            }
            Message::OwordDualBlockRead { cache, bti, four, invalidate } => {
                w.bti(bti)?;
                w.dual(four)?;
                target_cache(w, cache)?;
                w.invalidate(invalidate)
            }
            Message::OwordDualBlockWrite { bti, four } => {
                w.bti(bti)?;
                w.dual(four)
            }
            Message::DwordScatteredRead { cache, bti, simd, invalidate } => {
                w.bti(bti)?;
                w.dwords(simd)?;
                target_cache(w, cache)?;
                w.invalidate(invalidate)
            }
            Message::DwordScatteredWrite { bti, simd } => {
                w.bti(bti)?;
                w.dwords(simd)
            }
            Message::ByteScatteredRead { bti, simd, size }
            | Message::ByteScatteredWrite { bti, simd, size } => {
                w.bti(bti)?;
                w.simd16(8, simd)?;
                w.bytes(size)
            }
            Message::UntypedRead { bti, simd, mask }
            | Message::UntypedWrite { bti, simd, mask }
            | Message::A64UntypedRead { bti, simd, mask }
            | Message::A64UntypedWrite { bti, simd, mask } => {
                w.bti(bti)?;
                w.mask(mask)?;
                w.simd_2bit(simd)
            }
            Message::UntypedAtomic { bti, op, simd, return_data, word: _ }
            | Message::AtomicCounter { bti, op, simd, return_data } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                w.atomic_simd(simd)?;
                w.flag("return data", 13, return_data)
            }
            Message::UntypedAtomicFloat { bti, op, simd, return_data, half: _ } => {
                w.bti(bti)?;
                w.float_op(op)?;
                w.atomic_simd(simd)?;
                w.flag("return data", 13, return_data)
            }
            Message::TypedRead { bti, slots, mask } | Message::TypedWrite { bti, slots, mask } => {
                w.bti(bti)?;
                w.mask(mask)?;
                w.slots(slots)
            }
            Message::TypedAtomic { bti, op, slots, return_data } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                if *slots != SlotGroup::Simd4x2 {
                    let codes = [(SlotGroup::Low, 0), (SlotGroup::High, 1)];
                    w.coded("slot group", (12, 12), slots, &codes)?;
                }
                w.flag("return data", 13, return_data)
            }
            Message::MediaBlockRead { cache, bti, line_stride } => {
                w.bti(bti)?;
                target_cache(w, cache)?;
                w.num("line stride control", Word::Desc, 10, 8, line_stride)
            }
            Message::MediaBlockWrite { cache: _, bti, line_stride } => {
                w.bti(bti)?;
                w.num("line stride control", Word::Desc, 10, 8, line_stride)
            }
            Message::A64ScatteredRead { bti, element, count, simd }
            | Message::A64ScatteredWrite { bti, element, count, simd } => {
                w.bti(bti)?;
                let elements = [
                    (A64Element::Byte, 0),
                    (A64Element::Dword, 1),
                    (A64Element::Qword, 2),
                    (A64Element::Hword, 3),
                ];
                w.coded("element", (9, 8), element, &elements)?;
                w.coded("element count", (11, 10), count, &[(1, 0), (2, 1), (4, 2), (8, 3)])?;
                w.simd16(12, simd)
            }
            Message::QwordScatteredRead { bti, simd, count, legacy }
            | Message::QwordScatteredWrite { bti, simd, count, legacy } => {
                w.bti(bti)?;
                w.simd16(8, simd)?;
                w.flag("legacy SIMD mode", 9, legacy)?;
                w.coded("element count", (11, 10), count, &[(1, 0), (2, 1), (4, 2)])
            }
            Message::HwordBlockWrite { bti, size } => {
                w.bti(bti)?;
                w.block(size)
            }
            Message::TypedReadStatus { bti, slots, mask } => {
                w.bti(bti)?;
                w.mask(mask)?;
                w.slots(slots)
            }
            Message::TypedAtomicWord { bti, op, slots, return_data } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                let codes = [(SlotGroup::Low, 0), (SlotGroup::High, 1)];
                w.coded("slot group", (12, 12), slots, &codes)?;
                w.flag("return data", 13, return_data)
            }
            Message::AtomicCounterWord { bti, op, simd, return_data } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                w.atomic_simd(simd)?;
                w.flag("return data", 13, return_data)
            }
            Message::A64Atomic4x2 { bti, op, qword, return_data } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                w.flag("64-bit data", 12, qword)?;
                w.flag("return data", 13, return_data)
            }
            Message::A64AtomicFloat4x2 { bti, op, return_data } => {
                w.bti(bti)?;
                w.float_op(op)?;
                w.flag("return data", 13, return_data)
            }
            Message::Port { op, cache, bti, control, commit } => {
                w.bti(bti)?;
                let old_read = generation <= Gen::Gen5 && !op.writes();
                let hi = match generation {
                    Gen::Gen4 => 11,
                    Gen::Gen45 | Gen::Gen5 if old_read => 10,
                    Gen::Gen45 | Gen::Gen5 => 11,
                    Gen::Gen6 => 12,
                    Gen::Gen7
                    | Gen::Gen75
                    | Gen::Gen8
                    | Gen::Gen9
                    | Gen::Gen11
                    | Gen::Gen12
                    | Gen::Gen125 => 13,
                };
                w.num("message control", Word::Desc, hi, 8, control)?;
                if old_read {
                    target_cache(w, cache)?;
                } else {
                    w.absent("target cache", *cache != Cache::Data)?;
                }
                let answers = generation <= Gen::Gen6 && op.writes();
                w.flag_if(answers, "commit", commit_bit(generation), commit)
            }
            Message::A64Atomic { bti, op, qword, return_data, word } => {
                w.bti(bti)?;
                w.atomic_op(op)?;
                w.flag_if(!*word, "64-bit data", 12, qword)?;
                w.flag("return data", 13, return_data)
            }
            Message::A64AtomicFloat { bti, op, return_data, half: _ } => {
                w.bti(bti)?;
                w.float_op(op)?;
                w.flag("return data", 13, return_data)
            }
            Message::A64BlockRead { bti, block, size, invalidate } => {
                w.bti(bti)?;
                a64_block(w, block, size)?;
                w.invalidate(invalidate)
            }
            Message::A64BlockWrite { bti, block, size } => {
                w.bti(bti)?;
                a64_block(w, block, size)
            }
            Message::ScratchBlockRead { registers, dword_mode, invalidate, hword_offset } => {
                scratch(w, false, registers, dword_mode, invalidate, hword_offset)
            }
            Message::ScratchBlockWrite { registers, dword_mode, invalidate, hword_offset } => {
                scratch(w, true, registers, dword_mode, invalidate, hword_offset)
            }
            Message::MemoryFence { cache: _, bti, commit, l1_flush, l3_flush } => {
                w.flag("commit", 13, commit)?;
                if generation >= Gen::Gen11 {
                    w.bti(bti)?;
                    w.flag("L1 flush", 8, l1_flush)?;
                    return w.num("L3 flush", Word::Desc, 12, 9, l3_flush);
                }
                w.absent("bti", *bti != Bti(0))?;
                w.absent("L1 flush", *l1_flush)?;
                w.absent("L3 flush", *l3_flush != 0)
            }
            Message::RenderTargetWrite {
                bti,
                subtype,
                upper_slots,
                last,
                per_sample,
                coarse,
                half,
                commit,
                rt_index,
                src0_alpha,
                null_rt,
            } => {
                let subtypes = [
                    (RtSubtype::Simd16, 0),
                    (RtSubtype::Simd16Replicated, 1),
                    (RtSubtype::Simd8DualLow, 2),
                    (RtSubtype::Simd8DualHigh, 3),
                    (RtSubtype::Simd8, 4),
                    (RtSubtype::Simd8ImageWrite, 5),
                    (RtSubtype::Simd16ReplicatedAlt, 7),
                ];
                let gen6 = generation >= Gen::Gen6;
                w.bti(bti)?;
                w.coded("subtype", (10, 8), subtype, &subtypes[..if gen6 { 7 } else { 5 }])?;
                w.flag_if(gen6, "upper slots", 11, upper_slots)?;
                w.flag("last render target", if gen6 { 12 } else { 11 }, last)?;
                w.flag_if(generation >= Gen::Gen9, "per sample", 13, per_sample)?;
                w.flag_if(generation >= Gen::Gen11, "coarse pixel", 18, coarse)?;
                w.flag_if(generation >= Gen::Gen8, "16-bit data", 30, half)?;
                w.flag_if(generation <= Gen::Gen6, "commit", commit_bit(generation), commit)?;
                if generation < Gen::Gen11 {
                    let set = *rt_index != 0 || *src0_alpha || *null_rt;
                    return w.absent("render target in the extended descriptor", set);
                }
                w.num("render target index", Word::Ex, 14, 12, rt_index)?;
                let mut alpha = u32::from(*src0_alpha);
                w.bits("source 0 alpha", Word::Ex, 15, 15, &mut alpha)?;
                *src0_alpha = alpha != 0;
                let mut null = u32::from(*null_rt);
                w.bits("null render target", Word::Ex, 20, 20, &mut null)?;
                *null_rt = null != 0;
                Ok(())
            }
            Message::RenderTargetRead { bti, simd8, upper_slots, per_sample } => {
                w.bti(bti)?;
                w.flag("SIMD8", 8, simd8)?;
                w.flag("upper slots", 11, upper_slots)?;
                w.flag_if(generation >= Gen::Gen9, "per sample", 13, per_sample)
            }
            Message::Math { function, signed, partial, saturate, scalar } => {
                let codes: Vec<(MathFn, u32)> = MathFn::ALL
                    .iter()
                    .filter_map(|f| Some((*f, u32::from(f.bits(generation)?))))
                    .collect();
                w.coded("function", (3, 0), function, &codes)?;
                w.flag("signed", 4, signed)?;
                w.flag("partial precision", 5, partial)?;
                w.flag("saturate", 6, saturate)?;
                w.flag("scalar", 7, scalar)
            }
            Message::Sample { op, bti, sampler, simd, half_return } => {
                w.bti(bti)?;
                w.num("sampler", Word::Desc, SAMPLER_BIT + 3, SAMPLER_BIT, sampler)?;
                let wide = generation >= Gen::Gen7;
                let types = sampler_types(generation);
                w.coded("sampler operation", if wide { (16, 12) } else { (15, 12) }, op, &types)?;
                sampler_simd(w, simd)?;
                w.flag_if(generation >= Gen::Gen8, "16-bit return", 30, half_return)
            }
            Message::SampleGen4 { msg_type, bti, sampler, return_format } => {
                if generation >= Gen::Gen5 {
                    let message = "gen4 sampler message";
                    return Err(DescriptorError::NoMessage { message, generation });
                }
                w.bti(bti)?;
                w.num("sampler", Word::Desc, SAMPLER_BIT + 3, SAMPLER_BIT, sampler)?;
                w.num("return format", Word::Desc, 13, 12, return_format)?;
                w.num("message type", Word::Desc, 15, 14, msg_type)
            }
            Message::UrbWrite { .. }
            | Message::UrbRead { .. }
            | Message::UrbAtomic { .. }
            | Message::UrbFfSync { .. }
            | Message::UrbFence => self.walk_urb(w),
            Message::Gateway { function, notify } => {
                let codes: Vec<(GatewayFn, u32)> = GatewayFn::ALL
                    .iter()
                    .copied()
                    .zip(0..)
                    .filter(|(_, code)| gateway_exists(generation, *code))
                    .collect();
                let hi = if generation < Gen::Gen6 { 1 } else { 2 };
                w.coded("function", (hi, 0), function, &codes)?;
                // Gen4 and gen4.5 have no such field: there bit 16 belongs to the response length.
                if (Gen::Gen5..=Gen::Gen11).contains(&generation) {
                    return w.num("notify", Word::Desc, 16, 15, notify);
                }
                // Compilers set this bit in the message that ends a thread. It is bit 4 of the
                // thread spawner's messages on older generations.
                if generation == Gen::Gen125 {
                    return w.num("notify", Word::Desc, 4, 4, notify);
                }
                w.absent("notify", *notify != 0)
            }
            Message::ThreadSpawner { spawn, child, keep_urb } => {
                w.flag("spawn", 0, spawn)?;
                // The manuals drop these bits on gen11, but compilers still set bit 4 there.
                w.flag("child thread", 1, child)?;
                w.flag("keep URB handle", 4, keep_urb)
            }
            Message::Interpolate { at, data, upper_slots, linear, coarse, simd16 } => {
                let codes = [
                    (InterpolateAt::Offset, 0),
                    (InterpolateAt::Sample, 1),
                    (InterpolateAt::Centroid, 2),
                    (InterpolateAt::PerSlotOffset, 3),
                ];
                w.num("message data", Word::Desc, 7, 0, data)?;
                w.flag("upper slots", 11, upper_slots)?;
                w.coded("message type", (13, 12), at, &codes)?;
                w.flag("linear", 14, linear)?;
                w.flag_if(generation >= Gen::Gen11, "coarse pixel rate", 15, coarse)?;
                w.flag("SIMD16", 16, simd16)
            }
            Message::Lsc { .. } | Message::LscFence { .. } => self.walk_lsc(w),
            Message::MotionEstimation {
                bti,
                search_path,
                lut_subindex,
                kind,
                stream_out,
                stream_in,
            } => {
                w.bti(bti)?;
                if generation <= Gen::Gen75 {
                    w.num("search path", Word::Desc, 10, 8, search_path)?;
                    w.num("LUT subindex", Word::Desc, 12, 11, lut_subindex)?;
                } else {
                    w.absent("search path", *search_path != 0)?;
                    w.absent("LUT subindex", *lut_subindex != 0)?;
                }
                w.num("message type", Word::Desc, 14, 13, kind)?;
                w.flag_if(generation >= Gen::Gen7, "stream out", 15, stream_out)?;
                w.flag_if(generation >= Gen::Gen7, "stream in", 16, stream_in)
            }
            Message::Refinement { bti, kind } => {
                w.bti(bti)?;
                w.num("message type", Word::Desc, 14, 13, kind)
            }
            Message::BindlessSpawn { simd16 } => {
                w.bits("message type", Word::Desc, 17, 14, &mut 1)?;
                w.flag("SIMD16", 8, simd16)
            }
            Message::TraceRay { simd16 } => {
                w.bits("message type", Word::Desc, 17, 14, &mut 0)?;
                w.flag("SIMD16", 8, simd16)
            }
            // `walk` handles both.
            Message::Committed(_) | Message::Scaled(_) => Ok(()),
            Message::Null { function, high } => {
                let hi = if generation < Gen::Gen5 { 15 } else { 18 };
                w.bits("function control", Word::Desc, hi, 0, function)?;
                if generation < Gen::Gen5 {
                    return w.absent("high bits", *high != 0);
                }
                w.num("high bits", Word::Desc, 31, 29, high)
            }
        }
    }

    /// Visits the fields of URB messages.
    fn walk_urb(&mut self, w: &mut Walk) -> Result<()> {
        let generation = w.generation;
        let gen7 = matches!(generation, Gen::Gen7 | Gen::Gen75);
        let old = generation < Gen::Gen7;
        let code_field = if gen7 { (2, 0) } else { (3, 0) };
        let missing = DescriptorError::NoMessage { message: self.name(), generation };
        let vec4 = generation <= Gen::Gen11;
        let mut code = match self {
            Message::UrbWrite { layout: UrbLayout::Hword, .. } if vec4 => 0,
            Message::UrbWrite { layout: UrbLayout::Oword, .. } if vec4 && !old => 1,
            Message::UrbFfSync { .. } if matches!(generation, Gen::Gen5 | Gen::Gen6) => 1,
            Message::UrbRead { layout: UrbLayout::Hword, .. } if vec4 && !old => 2,
            Message::UrbRead { layout: UrbLayout::Oword, .. } if vec4 && !old => 3,
            Message::UrbAtomic { op, .. } if !old && generation <= Gen::Gen12 => match op {
                UrbAtomicOp::Mov => 4,
                UrbAtomicOp::Inc => 5,
                UrbAtomicOp::Add if generation >= Gen::Gen75 => 6,
                UrbAtomicOp::Add => return Err(missing),
            },
            Message::UrbWrite { layout: UrbLayout::Simd8, .. } if !old && !gen7 => 7,
            Message::UrbRead { layout: UrbLayout::Simd8, .. } if !old && !gen7 => 8,
            Message::UrbFence if generation >= Gen::Gen125 => 9,
            _ => return Err(missing),
        };
        w.bits("opcode", Word::Desc, code_field.0, code_field.1, &mut code)?;
        let per_slot_bit = if gen7 { 16 } else { 17 };
        match self {
            Message::UrbWrite {
                layout,
                offset,
                swizzle,
                per_slot_offset,
                channel_mask,
                allocate,
                used,
                complete,
            } => {
                w.urb_offset(offset)?;
                if *layout == UrbLayout::Simd8 {
                    w.flag("channel mask", 15, channel_mask)?;
                    w.absent("swizzle", *swizzle != UrbSwizzle::None)?;
                } else {
                    let field = if old {
                        (11, 10)
                    } else if gen7 {
                        (14, 14)
                    } else {
                        (15, 15)
                    };
                    w.swizzle(field, swizzle)?;
                    w.absent("channel mask", *channel_mask)?;
                }
                w.flag_if(old, "allocate", 13, allocate)?;
                w.flag_if(old, "used", 14, used)?;
                w.flag_if(old || gen7, "complete", 15, complete)?;
                w.flag_if(!old, "per slot offset", per_slot_bit, per_slot_offset)
            }
            Message::UrbRead { layout, offset, swizzle, per_slot_offset, complete } => {
                w.urb_offset(offset)?;
                if *layout == UrbLayout::Simd8 {
                    w.absent("swizzle", *swizzle != UrbSwizzle::None)?;
                } else {
                    w.swizzle(if gen7 { (14, 14) } else { (15, 15) }, swizzle)?;
                }
                w.flag_if(gen7, "complete", 15, complete)?;
                w.flag("per slot offset", per_slot_bit, per_slot_offset)
            }
            Message::UrbAtomic { offset, per_slot_offset, op: _ } => {
                w.urb_offset(offset)?;
                w.flag("per slot offset", per_slot_bit, per_slot_offset)
            }
            Message::UrbFfSync { allocate, used, complete } => {
                w.flag("allocate", 13, allocate)?;
                w.flag("used", 14, used)?;
                w.flag("complete", 15, complete)
            }
            _ => Ok(()),
        }
    }

    /// Visits the fields of load/store cache messages.
    fn walk_lsc(&mut self, w: &mut Walk) -> Result<()> {
        let addrs = [(LscAddrSize::A16, 1), (LscAddrSize::A32, 2), (LscAddrSize::A64, 3)];
        match self {
            Message::Lsc {
                space: _,
                op,
                addr,
                data,
                vector,
                transpose,
                cache,
                surface,
                bti,
                offset,
            } => {
                let ops: Vec<(LscOp, u32)> = lsc_ops().collect();
                w.coded("operation", (5, 0), op, &ops)?;
                w.coded("address size", (8, 7), addr, &addrs)?;
                let sizes: Vec<(LscDataSize, u32)> =
                    LscDataSize::ALL.iter().copied().zip(0..).collect();
                w.coded("data size", (11, 9), data, &sizes)?;
                if op.has_component_mask() {
                    w.num("component mask", Word::Desc, 15, 12, vector)?;
                    w.absent("transpose", *transpose)?;
                } else {
                    const LENGTHS: [(u8, u32); 8] =
                        [(1, 0), (2, 1), (3, 2), (4, 3), (8, 4), (16, 5), (32, 6), (64, 7)];
                    w.coded("vector size", (14, 12), vector, &LENGTHS)?;
                    w.flag("transpose", 15, transpose)?;
                }
                w.num("cache control", Word::Desc, 19, 17, cache)?;
                let surfaces: Vec<(LscSurface, u32)> =
                    LscSurface::ALL.iter().copied().zip(0..).collect();
                w.coded("surface type", (30, 29), surface, &surfaces)?;
                if *surface == LscSurface::Bti {
                    w.num("bti", Word::Ex, 31, 24, &mut bti.0)?;
                    return w.bits("base offset", Word::Ex, 23, 12, offset);
                }
                w.absent("bti", *bti != Bti(0))?;
                w.bits("offset", Word::Ex, 31, 12, offset)
            }
            Message::LscFence { space: _, addr, scope, flush, route_to_lsc } => {
                let mut op = 31;
                w.bits("operation", Word::Desc, 5, 0, &mut op)?;
                w.coded("address size", (8, 7), addr, &addrs)?;
                let scopes: Vec<(LscScope, u32)> = LscScope::ALL.iter().copied().zip(0..).collect();
                w.coded("scope", (11, 9), scope, &scopes)?;
                let flushes: Vec<(LscFlush, u32)> =
                    LscFlush::ALL.iter().copied().zip(0..).collect();
                w.coded("flush", (14, 12), flush, &flushes)?;
                w.flag("route to LSC", 18, route_to_lsc)?;
                w.coded("surface type", (30, 29), &mut LscSurface::Flat, &[(LscSurface::Flat, 0)])
            }
            _ => Ok(()),
        }
    }
}

/// Visits the target cache field of gen4 and gen5. Later generations have no such field: the shared
/// function determines the cache.
fn target_cache(w: &mut Walk, cache: &mut Cache) -> Result<()> {
    if w.generation >= Gen::Gen6 {
        return Ok(());
    }
    let codes = [(Cache::Data, 0), (Cache::Render, 1), (Cache::Sampler, 2)];
    w.coded("target cache", (15, 14), cache, &codes)
}

/// Visits the kind and size of an A64 block message.
fn a64_block(w: &mut Walk, block: &mut A64Block, size: &mut OwordBlock) -> Result<()> {
    let codes: Vec<(A64Block, u32)> = A64Block::ALL.iter().copied().zip(0..).collect();
    w.coded("block kind", (12, 11), block, &codes)?;
    w.block(size)
}

/// Visits the fields of a scratch block message.
fn scratch(
    w: &mut Walk,
    write: bool,
    registers: &mut u8,
    dword_mode: &mut bool,
    invalidate: &mut bool,
    hword_offset: &mut u16,
) -> Result<()> {
    let mut category = 1;
    let mut direction = u32::from(write);
    w.bits("category", Word::Desc, 18, 18, &mut category)?;
    w.bits("write", Word::Desc, 17, 17, &mut direction)?;
    // Gen11 and gen12 manuals reserve this bit, but Intel's own compiler still sets it there.
    w.flag("dword mode", 16, dword_mode)?;
    w.flag("invalidate after read", 15, invalidate)?;
    let old = w.generation < Gen::Gen8;
    let codes: &[(u8, u32)] =
        if old { &[(1, 0), (2, 1), (4, 3)] } else { &[(1, 0), (2, 1), (4, 2), (8, 3)] };
    w.coded("registers", (13, 12), registers, codes)?;
    let mut offset = u32::from(*hword_offset);
    w.bits("offset", Word::Desc, 11, 0, &mut offset)?;
    *hword_offset = offset as u16;
    Ok(())
}

/// Sampler operations of a generation with their codes.
fn sampler_types(generation: Gen) -> Vec<(SamplerOp, u32)> {
    use SamplerOp::*;
    // operation, code, first and last generation
    const ROWS: &[(SamplerOp, u32, Gen, Gen)] = &[
        (Sample, 0, Gen::Gen5, Gen::Gen125),
        (SampleB, 1, Gen::Gen5, Gen::Gen125),
        (SampleL, 2, Gen::Gen5, Gen::Gen125),
        (SampleC, 3, Gen::Gen5, Gen::Gen125),
        (SampleD, 4, Gen::Gen5, Gen::Gen125),
        (SampleBC, 5, Gen::Gen5, Gen::Gen125),
        (SampleLC, 6, Gen::Gen5, Gen::Gen125),
        (Ld, 7, Gen::Gen5, Gen::Gen125),
        (Gather4, 8, Gen::Gen7, Gen::Gen125),
        (Lod, 9, Gen::Gen5, Gen::Gen125),
        (ResInfo, 10, Gen::Gen5, Gen::Gen125),
        (SampleInfo, 11, Gen::Gen6, Gen::Gen125),
        (KillPix, 12, Gen::Gen7, Gen::Gen125),
        (Gather4C, 16, Gen::Gen7, Gen::Gen125),
        (Gather4Po, 17, Gen::Gen7, Gen::Gen125),
        (Gather4PoC, 18, Gen::Gen7, Gen::Gen125),
        (SampleDC, 20, Gen::Gen75, Gen::Gen125),
        (SampleMin, 22, Gen::Gen9, Gen::Gen12),
        (SampleMax, 23, Gen::Gen9, Gen::Gen12),
        (SampleLz, 24, Gen::Gen9, Gen::Gen125),
        (SampleCLz, 25, Gen::Gen9, Gen::Gen125),
        (LdLz, 26, Gen::Gen9, Gen::Gen125),
        (Ld2dmsW, 28, Gen::Gen9, Gen::Gen125),
        (LdMcs, 29, Gen::Gen7, Gen::Gen125),
        (Ld2dms, 30, Gen::Gen7, Gen::Gen12),
        (Ld2dss, 31, Gen::Gen7, Gen::Gen12),
    ];
    ROWS.iter()
        .filter(|(_, _, from, to)| (*from..=*to).contains(&generation))
        .map(|(op, code, ..)| (*op, *code))
        .collect()
}

/// Visits the SIMD mode of a sampler message: bits 18:17 (17:16 on gen5 and gen6), and from gen8
/// bit 29 as its highest bit.
fn sampler_simd(w: &mut Walk, simd: &mut SamplerSimd) -> Result<()> {
    use SamplerSimd::*;
    let generation = w.generation;
    let codes: &[(SamplerSimd, u32)] = match generation {
        Gen::Gen11 | Gen::Gen12 => {
            &[(Simd4x2, 0), (Simd8, 1), (Simd16, 2), (Simd32, 3), (Simd8Half, 5), (Simd16Half, 6)]
        }
        Gen::Gen125 => &[
            (Simd4x2, 0),
            (Simd8, 1),
            (Simd16, 2),
            (Simd16IntReturn, 4),
            (Simd8Half, 5),
            (Simd16Half, 6),
        ],
        _ => &[(Simd4x2, 0), (Simd8, 1), (Simd16, 2), (Simd32, 3)],
    };
    let lo = if generation < Gen::Gen7 { 16 } else { 17 };
    let mut code = 0;
    if w.encode {
        code = codes
            .iter()
            .find(|(value, _)| value == simd)
            .ok_or_else(|| w.no_code("simd mode", simd))?
            .1;
    }
    let (mut low, mut high) = (code & 3, code >> 2);
    w.bits("simd mode", Word::Desc, lo + 1, lo, &mut low)?;
    if generation >= Gen::Gen8 {
        w.bits("simd mode", Word::Desc, 29, 29, &mut high)?;
    }
    let code = high << 2 | low;
    *simd = codes
        .iter()
        .find(|(_, c)| *c == code)
        .ok_or(DescriptorError::BadCode { field: "simd mode", code, word: "desc", bit: lo })?
        .0;
    w.means(simd);
    Ok(())
}

/// Whether a generation has the gateway function with this code.
fn gateway_exists(generation: Gen, code: u32) -> bool {
    match code {
        0 => generation <= Gen::Gen8 || generation == Gen::Gen125,
        1 | 2 => generation <= Gen::Gen8 || generation >= Gen::Gen12,
        3 => generation >= Gen::Gen6,
        4 => generation >= Gen::Gen7,
        5 => matches!(generation, Gen::Gen7 | Gen::Gen75 | Gen::Gen8),
        6 => matches!(generation, Gen::Gen7 | Gen::Gen75 | Gen::Gen8) || generation >= Gen::Gen12,
        _ => false,
    }
}
