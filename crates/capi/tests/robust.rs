//! Calls each function with NULL, empty, truncated and random arguments, from several threads at once. Nothing may crash;
//! each failure has an error with a code, and each result is released.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

use crestline_capi::*;
use fastrand::Rng;

const TEXT: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2u; }";

fn options(platform: &CStr) -> CrestlineOptions {
    // SAFETY: all fields are numbers and pointers, for which zero bytes are valid.
    let zero: CrestlineOptions = unsafe { std::mem::zeroed() };
    CrestlineOptions { size: size_of::<CrestlineOptions>(), platform: platform.as_ptr(), ..zero }
}

fn source(language: u32, bytes: &[u8]) -> CrestlineSource {
    CrestlineSource { language, name: null(), bytes: bytes.as_ptr(), size: bytes.len() }
}

/// The code of an error, which is released.
fn code(error: *mut CrestlineError) -> String {
    // SAFETY: the error is NULL or valid, and not used afterwards.
    unsafe {
        let code = CStr::from_ptr(crestline_error_code(error)).to_str().unwrap().to_owned();
        let message = CStr::from_ptr(crestline_error_message(error)).to_str().unwrap();
        assert_eq!(code.is_empty(), message.is_empty());
        assert!(!crestline_error_is_defect(error), "{message}");
        crestline_error_free(error);
        code
    }
}

/// Compiles, and reads all that the result has. Returns the code of the error.
fn compile(source: *const CrestlineSource, options: *const CrestlineOptions) -> String {
    let (mut program, mut error) = (null_mut(), null_mut());
    // SAFETY: the pointers are NULL or valid.
    unsafe {
        let status = crestline_compile(source, options, &raw mut program, &raw mut error);
        assert_eq!(status == CrestlineStatus::Ok, error.is_null());
        assert_eq!(status == CrestlineStatus::Ok, !program.is_null());
        walk(program);
        crestline_program_free(program);
    }
    code(error)
}

/// Calls all functions that take a program.
///
/// # Safety
/// The program is NULL or valid.
unsafe fn walk(program: *const CrestlineProgram) {
    // SAFETY: as promised by the caller; the other pointers are valid.
    unsafe {
        let mut size = 1;
        let bytes = crestline_program_code(program, &raw mut size);
        assert_eq!(bytes.is_null(), program.is_null());
        assert_eq!(size == 0, program.is_null());
        let metadata = crestline_program_metadata(program);
        if let Some(metadata) = metadata.as_ref() {
            assert_eq!(metadata.size, size_of::<CrestlineMetadata>());
            for at in 0..metadata.entry_count {
                assert!(matches!((*metadata.entries.add(at)).simd_width, 8 | 16 | 32));
            }
            let stages = [
                metadata.compute.is_null(),
                metadata.vertex.is_null(),
                metadata.fragment.is_null(),
            ];
            assert_eq!(stages.iter().filter(|null| !**null).count(), 1);
        }
        let mut text = null_mut();
        let mut error = null_mut();
        let status = crestline_program_json(program, &raw mut text, &raw mut error);
        assert_eq!(status == CrestlineStatus::Ok, !program.is_null());
        code(error);
        let (mut again, mut error) = (null_mut(), null_mut());
        let (data, length) = (crestline_text_data(text), crestline_text_size(text));
        crestline_program_from_json(data.cast(), length, &raw mut again, &raw mut error);
        assert_eq!(again.is_null(), program.is_null());
        code(error);
        crestline_program_free(again);
        crestline_text_free(text);
        let mut error = null_mut();
        crestline_analyze_program(program, &raw mut text, &raw mut error);
        assert_eq!(text.is_null(), program.is_null());
        code(error);
        crestline_text_free(text);
    }
}

/// Calls all functions that read machine code. Returns the codes of their errors.
fn read(code_bytes: &[u8], platform: *const c_char, number: u32) -> [String; 3] {
    let bytes = if code_bytes.is_empty() { null() } else { code_bytes.as_ptr() };
    let size = code_bytes.len();
    let (mut first, mut second, mut third) = (null_mut(), null_mut(), null_mut());
    let (mut text, mut findings) = (null_mut(), null_mut());
    // SAFETY: the pointers are NULL or valid.
    unsafe {
        crestline_disassemble(bytes, size, platform, number, &raw mut text, &raw mut first);
        crestline_text_free(text);
        crestline_validate(bytes, size, platform, &raw mut findings, &raw mut second);
        let count = crestline_findings_count(findings);
        // SAFETY: zero is valid for numbers and pointers.
        let mut finding: CrestlineFinding = std::mem::zeroed();
        for at in 0..count {
            assert!(crestline_findings_get(findings, at, &raw mut finding));
            assert!(!CStr::from_ptr(finding.sentence).is_empty());
        }
        assert!(!crestline_findings_get(findings, count, &raw mut finding));
        assert!(!crestline_findings_get(findings, 0, null_mut()));
        crestline_findings_free(findings);
        crestline_analyze(bytes, size, platform, number, &raw mut text, &raw mut third);
        crestline_text_free(text);
    }
    [first, second, third].map(code)
}

/// Calls everything once with arguments of a generator of random numbers.
fn random(rng: &mut Rng) {
    const PLATFORMS: &[&CStr] = &[c"skl", c"ivb", c"tgl", c"i965", c"", c"SKL", c"\xff", c"skl\n"];
    let platform = PLATFORMS[rng.usize(..PLATFORMS.len())];
    let mut options = options(platform);
    let number = |rng: &mut Rng| if rng.bool() { rng.u32(..6) } else { rng.u32(..) };
    options.size = match rng.u8(..4) {
        0 => rng.usize(..options.size),
        _ => options.size,
    };
    if rng.u8(..3) == 0 {
        options.stage = number(rng);
        options.simd = number(rng);
        options.flags = number(rng);
        options.samples = number(rng);
        options.subgroup_size = number(rng);
        options.input_vertices = number(rng);
        options.domain = number(rng);
        options.spacing = number(rng);
    }
    let formats = [CrestlineImageFormat { set: 0, binding: 0, format: number(rng) }];
    options.image_formats = if rng.bool() { null() } else { formats.as_ptr() };
    options.image_format_count = rng.usize(..2);
    let mut text = TEXT.as_bytes().to_vec();
    match rng.u8(..4) {
        0 => text.truncate(rng.usize(..=text.len())),
        1 => {
            let at = rng.usize(..text.len());
            text[at] = rng.u8(..);
        }
        _ => {}
    }
    let language = if rng.u8(..4) == 0 { number(rng) } else { 1 };
    compile(&source(language, &text), &options);
    let length = rng.usize(..100);
    let bytes: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(length).collect();
    read(&bytes, platform.as_ptr(), number(rng));
    let (mut program, mut error) = (null_mut(), null_mut());
    // SAFETY: the pointers are valid.
    unsafe {
        crestline_program_from_json(bytes.as_ptr(), bytes.len(), &raw mut program, &raw mut error);
        crestline_program_free(program);
    }
    code(error);
}

#[test]
fn null_is_an_error_everywhere() {
    let skl = options(c"skl");
    let good = source(1, TEXT.as_bytes());
    assert_eq!(compile(&good, &skl), "");
    assert_eq!(compile(null(), &skl), "E1401");
    assert_eq!(compile(&good, null()), "E1401");
    assert_eq!(compile(&good, &CrestlineOptions { platform: null(), ..skl }), "E1401");
    assert_eq!(compile(&CrestlineSource { bytes: null(), ..good }, &skl), "E1401");
    assert_eq!(compile(&CrestlineSource { size: 0, ..good }, &skl), "E0601");
    assert_eq!(compile(&CrestlineSource { language: 4, ..good }, &skl), "E1401");
    for size in [0, 1, 7, 4097, usize::MAX] {
        assert_eq!(compile(&good, &CrestlineOptions { size, ..skl }), "E1401");
    }
    let huge = CrestlineOptions {
        specializations: (&raw const good).cast(),
        specialization_count: usize::MAX,
        ..skl
    };
    assert_eq!(compile(&good, &huge), "E1401");
    // SAFETY: all pointers are NULL, which the functions allow.
    unsafe {
        let status = crestline_compile(null(), null(), null_mut(), null_mut());
        assert_eq!(status, CrestlineStatus::Error);
        assert_eq!(
            crestline_link(null(), 2, null(), null_mut(), null_mut()),
            CrestlineStatus::Error
        );
        assert_eq!(
            crestline_link(null(), usize::MAX, null(), null_mut(), null_mut()),
            CrestlineStatus::Error
        );
        walk(null());
        crestline_program_free(null_mut());
        crestline_text_free(null_mut());
        crestline_findings_free(null_mut());
        crestline_error_free(null_mut());
        crestline_error_place(null(), null_mut());
        assert_eq!(crestline_text_size(null()), 0);
        assert_eq!(*crestline_text_data(null()), 0);
        assert_eq!(crestline_findings_count(null()), 0);
        assert!(crestline_program_code(null(), null_mut()).is_null());
        assert!(crestline_target_name(usize::MAX).is_null());
    }
    assert_eq!(read(&[], null(), 0), ["E1401"; 3].map(str::to_owned));
    assert_eq!(read(&[0; 3], c"skl".as_ptr(), 9)[0], "E1401");
}

#[test]
fn errors_have_places() {
    let skl = options(c"skl");
    let (mut program, mut error) = (null_mut(), null_mut());
    // More brackets than the limit of the parser, in the second line.
    let text = format!("fn main() {{}}\nconst a = {}", "(".repeat(5000));
    let wrong = source(1, text.as_bytes());
    // SAFETY: the pointers are valid, and the error is released once.
    unsafe {
        let status = crestline_compile(&wrong, &skl, &raw mut program, &raw mut error);
        assert_eq!(status, CrestlineStatus::Error);
        let mut place: CrestlinePlace = std::mem::zeroed();
        crestline_error_place(error, &raw mut place);
        assert_eq!((place.kind, place.line), (CrestlinePlaceKind::Source as u32, 2));
        assert_eq!(code(error), "E0705");
        let module =
            [0x0723_0203_u32, 0x0001_0000, 0, 8, 0, 0x0001_ffff].map(u32::to_le_bytes).concat();
        let module = source(0, &module);
        crestline_compile(&module, &skl, &raw mut program, &raw mut error);
        crestline_error_place(error, &raw mut place);
        assert_eq!((place.kind, place.offset), (CrestlinePlaceKind::Word as u32, 5));
        assert_eq!(code(error), "E0103");
        // The second shader of a pipeline.
        let shaders = [CrestlineShader { source: &wrong, options: &skl }; 1];
        let mut programs = [null_mut()];
        let status =
            crestline_link(shaders.as_ptr(), 1, null(), programs.as_mut_ptr(), &raw mut error);
        assert_eq!(status, CrestlineStatus::Error);
        crestline_error_place(error, &raw mut place);
        assert_eq!((place.shader, place.line), (0, 2));
        code(error);
        let mut text = null_mut();
        // The second instruction is illegal.
        let bytes = [1_u8; 40];
        crestline_disassemble(
            bytes.as_ptr(),
            40,
            c"skl".as_ptr(),
            0,
            &raw mut text,
            &raw mut error,
        );
        crestline_text_free(text);
        crestline_error_place(error, &raw mut place);
        if !error.is_null() {
            assert_eq!(place.kind, CrestlinePlaceKind::Byte as u32);
        }
        crestline_error_free(error);
    }
}

#[test]
fn older_and_newer_options_are_read() {
    #[repr(C)]
    struct Newer {
        options: CrestlineOptions,
        more: u64,
    }
    let good = source(1, TEXT.as_bytes());
    let mut newer = Newer { options: options(c"skl"), more: 0 };
    newer.options.size = size_of::<Newer>();
    assert_eq!(compile(&good, (&raw const newer).cast()), "");
    newer.more = 1;
    assert_eq!(compile(&good, (&raw const newer).cast()), "E1401");
    // Only the size and the platform.
    let older = CrestlineOptions { size: 2 * size_of::<usize>(), stage: 77, ..options(c"skl") };
    assert_eq!(compile(&good, &older), "");
}

#[test]
fn random_arguments_crash_nothing_on_several_threads() {
    std::thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                let mut rng = Rng::with_seed(seed);
                (0..60).for_each(|_| random(&mut rng));
            });
        }
    });
}

#[test]
fn a_program_is_read_by_several_threads() {
    let name = CString::new("main").unwrap();
    let skl = CrestlineOptions { entry: name.as_ptr(), ..options(c"skl") };
    let good = source(1, TEXT.as_bytes());
    let (mut program, mut error) = (null_mut(), null_mut());
    // SAFETY: the pointers are valid; the program is released after the threads.
    unsafe {
        crestline_compile(&good, &skl, &raw mut program, &raw mut error);
        assert!(!program.is_null());
        let shared = program as usize;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || walk(shared as *const CrestlineProgram));
            }
        });
        crestline_program_free(program);
    }
}
