//! Machine code of any generation: what decodes encodes to the same bytes, prints, is explained,
//! validates, compacts and expands. The first byte chooses the generation.

#![no_main]

use crestline_device::{Device, Platform};
use crestline_isa::codec::{explain, meaning};
use crestline_isa::compact::{compact_program, expand_program};
use crestline_isa::text::{Disassembly, Prefix, Syntax, print_program};
use crestline_isa::validate::Validator;
use crestline_isa::{
    Gen, Inst, decode, decode_at, decode_each, decode_program, encode, encode_into, encode_program,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, code)) = data.split_first() else { return };
    let generation = Gen::ALL[usize::from(*first) % Gen::ALL.len()];
    // An instruction that does not decode must not keep the others from being looked at: each has
    // its line, and those that decode do not depend on how the code is divided.
    let whole = decode_program(code, generation);
    let start = code.len().min(usize::from(*first));
    for syntax in [Syntax::Mesa, Syntax::Iga] {
        let prefix = Prefix { offset: first & 1 != 0, bytes: first & 2 != 0 };
        let text = Disassembly::new(code, generation, syntax).with_prefix(prefix);
        let count = text.instructions();
        let printed = text.print(0..count);
        let holes = printed.text.lines().filter(|line| line.contains(".bytes ")).count();
        assert_eq!(holes, printed.undecoded + printed.unrepresentable, "{generation}");
        assert_eq!(printed.error, whole.as_ref().err().cloned(), "{generation}");
        if count > 1 {
            let parts = text.print(0..count / 2).text + &text.print(count / 2..count).text;
            assert_eq!(parts, printed.text, "{generation}");
        }
        let rest = Disassembly::starting_at(start, code, generation, syntax);
        rest.print(0..rest.instructions());
    }
    for (place, inst) in decode_each(code, start, generation) {
        assert!(start <= place.start && place.start < place.end && place.end <= code.len());
        assert!(inst.is_err() || inst.is_ok_and(|inst| inst.size() as usize == place.len()));
    }
    let mut located = Vec::new();
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(rest) = code.get(at..).filter(|rest| rest.len() >= 8) {
        match decode_at(rest, at, generation) {
            Ok(inst) => {
                let size = inst.size() as usize;
                located.push((kept.len(), inst));
                kept.extend_from_slice(&rest[..size]);
                at += size;
            }
            Err(_) => at += 8,
        }
    }
    let insts: Vec<Inst> = located.iter().map(|(_, inst)| inst.clone()).collect();
    for (offset, inst) in &located {
        let mut bytes = Vec::new();
        encode_into(inst, generation, &mut bytes).unwrap_or_else(|error| {
            panic!("{generation}: what decodes encodes: {error} {inst:?}");
        });
        assert_eq!(bytes, kept[*offset..offset + bytes.len()], "{generation}");
        let full = Inst { compacted: false, compact_residue: 0, ..inst.clone() };
        let bits = encode(&full, generation).expect("encoded before");
        assert_eq!(decode(bits, generation), Ok(full), "{generation}");
    }
    for syntax in [Syntax::Mesa, Syntax::Iga] {
        print_program(&located, generation, syntax);
    }
    Validator::new(Device::new(Platform::of_generation(generation))).check_program(&located);
    for inst in &insts {
        let bits = encode(inst, generation).expect("encoded before");
        for field in explain(bits, generation).expect("decoded before") {
            meaning(field.name, field.value, inst, generation);
        }
    }
    if let Ok(compacted) = compact_program(&insts, generation) {
        let _ = encode_program(&compacted, generation);
        let _ = expand_program(&compacted, generation);
    }
});
