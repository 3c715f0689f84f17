//! Tests damaged shaders: for any bytes, the compiler returns a program or an error in bounded time and memory, and
//! never panics.
//!
//! `CRESTLINE_MUTATIONS=COUNT` sets how often each run test is damaged.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crestline::{Fault, Options, Platform, Simd, compile_spirv};
use crestline_filetests::corpus;
use crestline_filetests::data::Random;

/// Damages a module at one place. Any word may change.
fn mutate(words: &mut Vec<u32>, random: &mut Random) {
    let at = random.below(words.len());
    match random.below(8) {
        0 => words.truncate(at),
        1 => words[at] ^= 1 << random.below(32),
        2 => words[at] = random.next() as u32,
        // An id: just inside or outside of the bound, or another one's.
        3 => words[at] = words[3].wrapping_sub(1).wrapping_add(random.below(3) as u32),
        4 => words[at] = random.below(words[3].max(1) as usize) as u32,
        5 => words[at] = *random.pick(&[0, 1, u32::MAX, 1 << 31, i32::MAX as u32]),
        6 => drop(words.remove(at)),
        _ => {
            let word = words[random.below(words.len())];
            words.insert(at, word);
        }
    }
}

/// Whether the compiler makes a program of a module.
///
/// # Errors
/// A panic, or a mistake that the compiler found in itself, which is as bad.
fn judge(words: &[u32], options: &Options) -> Result<bool, String> {
    match catch_unwind(AssertUnwindSafe(|| compile_spirv(words, options))) {
        Err(_) => Err("panicked".to_owned()),
        Ok(Err(error)) if error.code() == "E0999" => Err(error.to_string()),
        Ok(result) => Ok(result.is_ok()),
    }
}

#[test]
fn mistakes_of_the_compiler_are_failures() {
    let tests = corpus::run_tests().unwrap_or_else(|error| panic!("{error}"));
    let tests = &tests[..tests.len().min(8)];
    for (fault, says) in [
        (Fault::Locations, "a value is read before it has a location"),
        (Fault::Allocation, "allocation is wrong"),
        (Fault::Instruction, "after finish"),
    ] {
        let mut found = 0;
        for test in tests {
            let mut options = Options::new(Platform::Skl).with_simd(Simd::Simd16);
            assert!(judge(&test.spirv, &options).is_ok(), "{}", test.name);
            options.fault = Some(fault);
            options.verify = true;
            let result = judge(&test.spirv, &options);
            found += usize::from(result.is_err_and(|what| what.contains(says)));
        }
        assert_eq!(found, tests.len(), "{fault:?}");
    }
}

#[test]
fn damaged_shaders_give_an_error_or_a_program() {
    let count = std::env::var("CRESTLINE_MUTATIONS");
    let count = count.ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let tests = corpus::run_tests().unwrap_or_else(|error| panic!("{error}"));
    let (mut total, mut compiled) = (0, 0);
    let mut failures = Vec::new();
    for (index, test) in tests.iter().enumerate() {
        let mut random = Random::new(index as u64);
        for round in 0..count {
            let mut words = test.spirv.clone();
            for _ in 0..1 + random.below(3) {
                // Truncation may leave too little to damage further.
                if words.len() > 5 {
                    mutate(&mut words, &mut random);
                }
            }
            let options = Options::new(Platform::Skl).with_simd(Simd::Simd16);
            let result = judge(&words, &options);
            compiled += usize::from(result == Ok(true));
            let what = result.err().unwrap_or_default();
            total += 1;
            if !what.is_empty() {
                failures.push(format!("{} round {round}: {what}", test.name));
            }
        }
    }
    println!("{total} damaged shaders, {compiled} of them compiled");
    let full = std::env::var_os("CRESTLINE_ONLY").is_none();
    assert!(!full || total >= 2000 || count < 40, "only {total} damaged shaders");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
