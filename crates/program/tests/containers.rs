//! Reads containers that `ocloc` makes in the test. Damaged ones are read, or give an error with a
//! position, but never a panic.

use crestline_device::Platform;
use crestline_judges::ocloc::Ocloc;
use crestline_program::{Container, ContainerError, Kernel, Metadata, Program, read_kernels};

const SOURCE: &str = "
    constant uint table[4] = {1, 2, 3, 4};
    kernel void first(global uint *p) { p[get_global_id(0)] = table[get_local_id(0) & 3]; }
    kernel void second(global float *p, float a) { p[get_global_id(0)] *= a; }";

fn read(bytes: &[u8]) -> Result<Vec<Kernel<'_>>, ContainerError> {
    read_kernels(bytes, Container::detect(bytes))
}

fn names<'a>(kernels: &'a [Kernel<'_>]) -> Vec<&'a str> {
    kernels.iter().map(|kernel| kernel.name.as_str()).collect()
}

#[test]
fn every_container_of_ocloc_names_the_same_kernels() {
    let Some(ocloc) = crestline_judges::ask(Ocloc::find()) else { return };
    let tokens = ocloc.compile("skl", SOURCE, "").expect("compiles");
    let zebin = ocloc.compile_zebin("skl", SOURCE).expect("compiles");
    let fat = ocloc.compile("skl,icllp,tgllp", SOURCE, "").expect("compiles");
    // The judge's own reading of both.
    let heaps = ocloc.disassemble("skl", &tokens).expect("comes apart");
    let sections = ocloc.disassemble("skl", &zebin).expect("comes apart");
    let tokens = read(&tokens).expect("reads patch tokens");
    assert_eq!(names(&tokens), ["first", "second"]);
    let zebin = read(&zebin).expect("reads zebin");
    let bytes = |files: &[(String, Vec<u8>)], name: String| -> Vec<u8> {
        let file = files.iter().find(|(file, _)| *file == name);
        file.unwrap_or_else(|| panic!("no {name}")).1.clone()
    };
    for kernel in &tokens {
        assert_eq!(*kernel.code, bytes(&heaps, format!("{}_KernelHeap.dat", kernel.name)));
    }
    for kernel in &zebin {
        assert_eq!(*kernel.code, bytes(&sections, format!(".text.{}", kernel.name)));
    }
    // The compiler adds a kernel that carries symbols.
    assert_eq!(names(&zebin), ["first", "second", "Intel_Symbol_Table_Void_Program"]);
    for (old, new) in tokens.iter().zip(&zebin) {
        assert_eq!(old.simd_width, new.simd_width, "{}", old.name);
        assert!(new.attributes.is_some());
    }
    let fat = read(&fat).expect("reads an archive");
    let devices: Vec<&str> = fat.iter().map(|kernel| kernel.device.as_str()).collect();
    assert_eq!(devices, ["9.0.9", "9.0.9", "11.0.0", "11.0.0", "12.0.0", "12.0.0"]);
    assert_eq!(fat[0].instructions(), tokens[0].instructions());
}

/// `readelf` and `ocloc disasm` see in a rewritten zebin what they saw in the original.
#[test]
fn a_written_zebin_is_accepted_by_its_owner() {
    use crestline_program::{ZebinKernel, write_zebin};
    let Some(ocloc) = crestline_judges::ask(Ocloc::find()) else { return };
    let zebin = ocloc.compile_zebin("skl", SOURCE).expect("compiles");
    let kernels = read(&zebin).expect("reads zebin");
    let kernels: Vec<ZebinKernel<'_>> = kernels
        .iter()
        .map(|kernel| ZebinKernel {
            name: &kernel.name,
            code: &kernel.code,
            simd_width: kernel.simd_width.expect("zebin tells the width"),
            metadata: None,
        })
        .collect();
    let written = write_zebin(&kernels, Platform::Skl).expect("can be written");
    let said = ocloc.validate(&written).expect("ocloc accepts it");
    for kernel in &kernels {
        assert!(said.contains(kernel.name), "{said}");
    }
    let files = ocloc.disassemble("skl", &written).expect("ocloc takes it apart");
    for kernel in &kernels {
        let name = format!(".text.{}", kernel.name);
        let code = files.iter().find(|(file, _)| *file == name).map(|(_, bytes)| &**bytes);
        assert_eq!(code, Some(kernel.code), "{name}");
    }
}

/// One byte changed, at every place outside of SPIR-V and code, which are opaque; and many
/// lengths.
#[test]
fn damaged_containers_are_read_or_refused_with_a_place() {
    let Some(ocloc) = crestline_judges::ask(Ocloc::find()) else { return };
    let whole = [
        ocloc.compile("skl", SOURCE, "").expect("compiles"),
        ocloc.compile_zebin("skl", SOURCE).expect("compiles"),
    ];
    for whole in whole {
        let opaque: Vec<std::ops::Range<usize>> = read(&whole)
            .expect("reads")
            .iter()
            .map(|kernel| kernel.offset..kernel.offset + kernel.code.len())
            .chain(spirv(&whole))
            .collect();
        let mut damaged = whole.clone();
        for at in (0..whole.len()).filter(|at| !opaque.iter().any(|range| range.contains(at))) {
            for value in [0x00, 0xff, whole[at] ^ 0x10] {
                damaged[at] = value;
                check(&damaged, whole.len());
            }
            damaged[at] = whole[at];
        }
        for length in (0..whole.len()).step_by(7) {
            check(&whole[..length], length);
        }
    }
}

/// Where the SPIR-V module of a binary most likely is: from its magic number on, up to a
/// generous end.
fn spirv(bytes: &[u8]) -> Option<std::ops::Range<usize>> {
    let start = bytes.windows(4).position(|word| word == [3, 2, 0x23, 7])?;
    Some(start..start + 1024)
}

fn check(bytes: &[u8], length: usize) {
    match read(bytes) {
        Ok(kernels) => {
            let code: usize = kernels.iter().map(|kernel| kernel.code.len()).sum();
            assert!(code <= length, "kernels share bytes");
        }
        Err(ContainerError::Malformed { offset, .. }) => assert!(offset <= length, "{offset:#x}"),
        Err(ContainerError::ZeInfo { line, column, .. }) => assert!(line >= 1 && column >= 1),
        Err(_) => {}
    }
}

#[test]
fn a_zebin_has_no_place_for_further_entry_points() {
    let text = include_str!("../example/compute.json");
    let mut metadata = Metadata::from_json(text).expect("the documented example");
    (metadata.constant_data, metadata.relocations) = (None, Vec::new());
    let program = Program { code: vec![0; 128], metadata };
    assert!(program.to_zebin().is_ok());
    let mut moved = program.clone();
    moved.metadata.dispatches.first_mut().offset = 64;
    let mut several = program.clone();
    several.metadata.dispatches.push(program.metadata.dispatches.first().clone());
    for program in [moved, several] {
        let error = program.to_zebin().expect_err("refused").to_string();
        assert_eq!(
            error,
            "zebin: a kernel of a zebin must have one entry point, at the start of its code"
        );
    }
}
