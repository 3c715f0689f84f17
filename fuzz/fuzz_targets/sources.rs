//! Source texts: the readers of other projects run behind the limits of the library, where a panic of theirs is an error,
//! and what they make is translated to a shader that the verifier accepts, or refused. The first byte chooses the
//! language: `g` is GLSL, any other WGSL.

#![no_main]

use std::sync::Once;

use crestline_frontend::{Language, Source, TranslateOptions, to_spirv, translate};
use crestline_ssa::verify::verify;
use libfuzzer_sys::fuzz_target;

static QUIET: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    // The fuzzer's own hook ends the process at once. A reader's panic shall reach the library, which makes it an error; any
    // other unwinds to the fuzzer, which ends the process all the same.
    QUIET.call_once(|| std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))));
    let Some((first, bytes)) = data.split_first() else { return };
    let (name, language) = match first {
        b'g' => ("a.comp", Language::Glsl),
        _ => ("a.wgsl", Language::Wgsl),
    };
    let Ok(words) = to_spirv(&Source { name, language, bytes }) else { return };
    if let Ok(shader) = translate(&words, &TranslateOptions::default())
        && let Err(error) = verify(&shader)
    {
        panic!("the front end made an invalid shader: {error:?}");
    }
});
