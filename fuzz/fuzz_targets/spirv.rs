//! SPIR-V: a module is translated to a shader that the verifier accepts, or refused.

#![no_main]

use crestline_frontend::{TranslateOptions, spirv_words, translate};
use crestline_ssa::verify::verify;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(words) = spirv_words(data) else { return };
    if let Ok(shader) = translate(&words, &TranslateOptions::default())
        && let Err(error) = verify(&shader)
    {
        panic!("the front end made an invalid shader: {error:?}");
    }
});
