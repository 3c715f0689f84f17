//! Tests of message descriptors: known examples, errors, and the round trip of every descriptor
//! that decodes.

use crestline_isa::message::*;
use crestline_isa::{Gen, Sfid};

fn decode(generation: Gen, sfid: Sfid, desc: u32, ex_desc: u32) -> Descriptor {
    let out = Descriptor::decode(generation, sfid, desc, ex_desc).expect("decodes");
    let (back_sfid, back, back_ex) = out.encode(generation).expect("encodes");
    assert_eq!((back_sfid, back, back_ex), (sfid, desc, ex_desc));
    out
}

#[test]
fn untyped_surface_read() {
    let out = decode(Gen::Gen9, Sfid::DataCache1, 0x0420_5e02, 0);
    assert_eq!((out.mlen, out.rlen, out.header_present), (2, 2, false));
    let simd = SimdMode::Simd16;
    let expected = Message::UntypedRead { bti: Bti(2), simd, mask: ChannelMask(1) };
    assert_eq!(out.message, expected);
}

#[test]
fn split_send_of_an_atomic() {
    let out = decode(Gen::Gen9, Sfid::DataCache1, 0x0400_8703, 0x80);
    assert_eq!((out.mlen, out.ex_mlen, out.rlen), (2, 2, 0));
    let (op, simd) = (AtomicOp::Add, SimdMode::Simd16);
    let expected =
        Message::UntypedAtomic { bti: Bti(3), op, simd, return_data: false, word: false };
    assert_eq!(out.message, expected);
}

#[test]
fn barrier_fence_and_end_of_thread() {
    let barrier = decode(Gen::Gen9, Sfid::Gateway, 0x0200_0004, 0);
    assert_eq!(barrier.message, Message::Gateway { function: GatewayFn::Barrier, notify: 0 });
    let fence = decode(Gen::Gen9, Sfid::DataCache0, 0x0219_e000, 0);
    assert!(matches!(fence.message, Message::MemoryFence { commit: true, .. }));
    let eot = decode(Gen::Gen9, Sfid::ThreadSpawner, 0x0200_0010, 0);
    assert!(matches!(eot.message, Message::ThreadSpawner { spawn: false, keep_urb: true, .. }));
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut out = decode(Gen::Gen9, Sfid::DataCache1, 0x0420_5e02, 0);
    out.mlen = 16;
    let error = out.encode(Gen::Gen9).expect_err("mlen has four bits");
    assert!(matches!(error, DescriptorError::TooWide { value: 16, bits: 4, .. }), "{error}");
    out.mlen = 2;
    let simd = SimdMode::Simd8;
    out.message = Message::UntypedRead { bti: Bti(0), simd, mask: ChannelMask(16) };
    assert!(matches!(out.encode(Gen::Gen9), Err(DescriptorError::TooWide { .. })));
    let bti = Bti(0);
    out.message =
        Message::A64BlockWrite { bti, block: A64Block::OwordAligned, size: OwordBlock::Two };
    assert!(matches!(out.encode(Gen::Gen75), Err(DescriptorError::NoMessage { .. })));
    let stray = Descriptor::decode(Gen::Gen9, Sfid::DataCache1, 0x8420_5e02, 0);
    assert!(matches!(stray, Err(DescriptorError::StrayBits { bits: 0x8000_0000, .. })));
    let reserved = Descriptor::decode(Gen::Gen9, Sfid::DataCache1, 0x0420_7e02, 0);
    assert!(matches!(reserved, Err(DescriptorError::BadCode { code: 3, .. })));
}

#[test]
fn a_64_bit_atomic_is_the_wide_one_not_two_words() {
    let message = |qword, word| Descriptor {
        mlen: 2,
        ex_mlen: 0,
        rlen: 0,
        header_present: false,
        surface_offset: 0,
        message: Message::A64Atomic {
            bti: Bti::STATELESS,
            op: AtomicOp::Add,
            qword,
            return_data: false,
            word,
        },
    };
    assert!(message(true, false).encode(Gen::Gen12).is_ok());
    assert!(message(true, true).encode(Gen::Gen12).is_err());
    assert!(message(false, true).encode(Gen::Gen9).is_err());
}

/// Everything that decodes must encode to the same bits, on every generation. Nothing decodes for a shared function that
/// the generation lacks: assembly text can name any.
#[test]
fn random_descriptors_round_trip() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut next = || random.u32(..);
    for generation in Gen::ALL {
        for &sfid in Sfid::ALL {
            let exists = sfid.bits(generation).is_some();
            let mut decoded = 0;
            for round in 0..20_000 {
                let sparse = if round % 2 == 0 { u32::MAX } else { next() & next() };
                let desc = (next() & next() | next() & next() & next()) & sparse;
                let ex_desc = next() & next() & next() & next() & !0x2f;
                let Ok(out) = Descriptor::decode(generation, sfid, desc, ex_desc) else { continue };
                decoded += 1;
                assert_eq!(out.encode(generation), Ok((sfid, desc, ex_desc)), "{out:?}");
            }
            assert_eq!(decoded > 0, exists, "{decoded} of {sfid:?} decode on {generation}");
        }
    }
}
