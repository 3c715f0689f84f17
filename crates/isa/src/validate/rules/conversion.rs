//! Group C: type conversion and destination stride.

use super::rules;
use crate::inst::Src;
use crate::tables::{AccessMode, Type};
use crate::validate::context::{Context, Facts, is_int};
use crestline_device::Gen;

rules! {
    "C1" Error Gen4..=Gen125 [BASIC] "PRM Register Region Restrictions; confirmed by iga64"
        "the channels of the widest operand must fit in two registers: element size times execution size at most 64 bytes"
        => |c| {
            let widest = c.regions().filter(|r| !r.is_scalar()).map(|r| r.size).max().unwrap_or(0);
            let dst = if c.has(Facts::DST) { c.dst_size() } else { 0 };
            let counts_dwords = c.device.df_exec_size_counts_dwords();
            let widest = widest.max(dst).min(if counts_dwords { 4 } else { 8 });
            c.has(Facts::ALIGN1) && widest * c.es > 64
        };
    "C2" Error Gen4..=Gen125 [CONVERTS BYTE] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a packed byte destination may only be written by a raw move"
        => |c| is_packed_byte(c) && !c.is_raw_move();
    "C3" Error Gen7..=Gen125 [CONVERTS BYTE QWORD] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "an instruction must not convert between 1-byte and 8-byte types"
        => |c| !is_packed_byte(c) && converts(c, |d, s| d.size() == 1 && s.size() == 8 || d.size() == 8 && s.size() == 1);
    "C4" Error Gen8..=Gen125 [CONVERTS HALF QWORD] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "an instruction must not convert between HF and 8-byte types"
        => |c| converts(c, |d, s| d == Type::Hf && s.size() == 8 || d.size() == 8 && s == Type::Hf);
    "C5" Error Gen8..=Gen125 [CONVERTS ALIGN1 HALF INT] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a conversion between integer and HF needs a destination with elements 4 bytes apart, aligned to 4 bytes"
        => |c| converts(c, |d, s| d == Type::Hf && is_int(s) || is_int(d) && s == Type::Hf)
            && (c.hd() * c.dst_size() != 4 || !c.dst_off().is_multiple_of(4));
    "C6" Error Gen8..=Gen125 [CONVERTS ALIGN1 HALF] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a conversion to HF needs stride 2, or for mixed float a packed destination aligned to 16 bytes"
        => |c| c.relaxed_mixed_float() && c.dst().ty == Type::Hf && converts(c, |_, s| s != Type::Hf && !is_int(s))
            && c.hd() != 2
            && !(c.has(Facts::MIXED) && c.hd() == 1 && c.dst_off().is_multiple_of(16));
    "C7" Error Gen4..=Gen125 [CONVERTS NARROWS ALIGN1] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "destination elements must be at least as far apart as the execution type is wide"
        => |c| is_narrowing(c) && c.inst.access_mode == AccessMode::Align1 && c.hd() * narrow_dst_size(c) < c.exec_size_bytes();
    "C11" Warning Gen4..=Gen125 [CONVERTS NARROWS ALIGN1] "Mesa's validator; Intel's compiler strides bytes wider"
        "destination elements should be exactly as far apart as the execution type is wide"
        => |c| is_narrowing(c) && c.inst.access_mode == AccessMode::Align1 && c.hd() * narrow_dst_size(c) > c.exec_size_bytes();
    "C8" Error Gen4..=Gen125 [CONVERTS ALIGN1 NARROWS] "PRM Register Region Restrictions; confirmed by Mesa's validator"
        "a destination narrower than the execution type must be aligned to the execution type"
        => |c| {
            let rest = c.dst_off() % c.exec_size_bytes().max(1);
            is_narrowing(c) && c.is_direct_dst() && rest != 0
                && !(rest == 1 && c.dst_size() == 1 && c.generation > Gen::Gen4)
        };
    "C9" Warning Gen8..=Gen125 [CONVERTS] "vISA"
        "a byte type should not be converted directly to F or HF, nor HF directly to a word or dword integer: convert to a type of 4 bytes first"
        => |c| converts(c, |d, s| matches!(d, Type::F | Type::Hf) && s.size() == 1
            || matches!(d, Type::D | Type::Ud | Type::W | Type::Uw) && s == Type::Hf);
}

/// Whether the destination is packed bytes.
fn is_packed_byte(c: &Context<'_>) -> bool {
    c.dst_size() == 1 && c.hd() == 1
}

/// Whether some source has a type other than the destination's, and `is(destination type, source
/// type)` is true for it.
fn converts(c: &Context<'_>, is: impl Fn(Type, Type) -> bool) -> bool {
    let dst = c.dst().ty;
    c.srcs().iter().filter_map(Src::ty).any(|src| src != dst && is(dst, src))
}

/// Size of a destination element in bytes. On Ivy Bridge a 4-byte result of an 8-byte execution
/// type occupies 8 bytes.
fn narrow_dst_size(c: &Context<'_>) -> u32 {
    if c.device.df_exec_size_counts_dwords() && c.exec_size_bytes() == 8 && c.dst_size() == 4 {
        8
    } else {
        c.dst_size()
    }
}

/// Whether the destination is narrower than the execution type, and no exception applies.
fn is_narrowing(c: &Context<'_>) -> bool {
    c.exec_size_bytes() > narrow_dst_size(c)
        && !is_packed_byte(c)
        && !(c.has(Facts::MIXED) && c.relaxed_mixed_float())
}
