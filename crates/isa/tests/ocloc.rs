//! Compiles the OpenCL sources of the oracle pack with Intel's compiler, for every device that both
//! the installed `ocloc` and this project support. The code of every kernel decodes and encodes to
//! the same bytes, breaks no validation rule, and its text in both syntaxes parses back.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crestline_device::Device;
use crestline_isa::text::{Syntax, parse_program, print_program};
use crestline_isa::validate::{Severity, Validator};
use crestline_isa::{Gen, Platform, decode_program, encode_into};
use crestline_judges::ocloc::Ocloc;
use crestline_program::{Container, Kernel, read_kernels};

/// Xe-HP, which the range of `DEVICES` does not include.
const XE_HP: &str = "12.50.4";

/// Every device from Broadwell on, and Xe-HP.
const DEVICES: [&str; 2] = ["bdw:", XE_HP];

/// The platform for a device version in an archive; `None` for generations that this project does
/// not support.
fn platform(version: &str) -> Option<Platform> {
    Some(match version {
        "9.3.0" => Platform::Bxt,
        "9.4.0" => Platform::Glk,
        "11.2.0" => Platform::Ehl,
        "12.1.0" => Platform::Rkl,
        "12.2.0" | "12.3.0" | "12.4.0" => Platform::Adl,
        "12.10.0" => Platform::Dg1,
        _ => {
            let mut parts = version.split('.').map(|part| part.parse().expect("a number"));
            let (major, minor) = (parts.next()?, parts.next()?);
            Platform::of_generation(Gen::from_ip_version(major, minor)?)
        }
    })
}

/// The validator for a device. Xe-HP is not a platform of this project; it has 64-bit types that
/// the other device of its generation lacks.
fn validator(version: &str, platform: Platform) -> Validator {
    let validator = Validator::new(Device::new(platform));
    if version == XE_HP { validator.without("B14") } else { validator }
}

/// The OpenCL sources with their compiler options.
fn sources(pack: &Path) -> Vec<(PathBuf, String, String)> {
    let mut sources = Vec::new();
    for case in std::fs::read_dir(pack.join("igc")).expect("readable folder") {
        let folder = case.expect("a folder entry").path();
        let source = std::fs::read_to_string(folder.join("k.cl")).expect("a source");
        let case = std::fs::read_to_string(folder.join("case.json")).expect("a case");
        let options = case.split("\"options\": \"").nth(1).and_then(|rest| rest.split('"').next());
        sources.push((folder, source, options.expect("a case has options").to_owned()));
    }
    sources.sort();
    sources
}

/// Compiles a source for every device that accepts it, and calls the function with each binary.
fn compile(
    ocloc: &Ocloc,
    source: &str,
    options: &str,
    devices: &BTreeSet<String>,
    mut found: impl FnMut(&str, &[u8]),
) {
    for range in DEVICES {
        match ocloc.compile(range, source, options) {
            Ok(binary) => found(range, &binary),
            // Some devices lack double precision: then all are asked one by one.
            Err(_) if range.ends_with(':') => {
                for device in devices {
                    if let Ok(binary) = ocloc.compile(device, source, options) {
                        found(device, &binary);
                    }
                }
            }
            Err(_) => {}
        }
    }
}

/// Results: kernels by device, and distinct code by generation.
#[derive(Default)]
struct Seen {
    kernels: BTreeMap<String, usize>,
    code: BTreeSet<(Gen, Vec<u8>)>,
    failures: Vec<String>,
}

fn check(kernel: &Kernel<'_>, version: &str, platform: Platform) -> Result<(), String> {
    let generation = platform.generation();
    let code = kernel.instructions();
    let insts = decode_program(code, generation).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    for (offset, inst) in &insts {
        encode_into(inst, generation, &mut bytes).map_err(|e| format!("+{offset:#x}: {e}"))?;
        if bytes != code[..bytes.len()] {
            return Err(format!("+{offset:#x} encodes to other bytes: {inst:?}"));
        }
    }
    let findings = validator(version, platform).check_program(&insts);
    if let Some(f) = findings.iter().find(|f| f.rule.severity == Severity::Error) {
        return Err(format!("{f}\n{:?}", insts[f.index].1));
    }
    for syntax in [Syntax::Iga, Syntax::Mesa] {
        let text = print_program(&insts, generation, syntax);
        let back = parse_program(&text, generation, syntax).map_err(|errors| {
            let line = text.lines().nth(errors[0].line - 1).unwrap_or_default();
            format!("{} text: {}\n{line}", syntax.name(), errors[0])
        })?;
        let mut offset = 0;
        let back: Vec<_> = back
            .into_iter()
            .map(|inst| {
                let at = offset;
                offset += inst.size() as usize;
                (at, inst)
            })
            .collect();
        let again = print_program(&back, generation, syntax);
        if let Some((old, new)) = text.lines().zip(again.lines()).find(|(old, new)| old != new) {
            return Err(format!("{} text: {old}\nparses as {new}", syntax.name()));
        }
        if text.len() != again.len() {
            return Err(format!("{} text parses to a program of another length", syntax.name()));
        }
    }
    Ok(())
}

#[test]
fn every_kernel_of_every_device_is_understood() {
    let Some(ocloc) = crestline_judges::ask(Ocloc::find()) else { return };
    let Some(pack) = common::pack() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let trivial = ocloc.compile(DEVICES[0], "kernel void k(global int *p) { *p = 1; }", "");
    let trivial = trivial.expect("compiles for every device");
    let archive = read_kernels(&trivial, Container::Archive).expect("an archive");
    let devices: BTreeSet<String> = archive.into_iter().map(|kernel| kernel.device).collect();
    let (seen, work) = (Mutex::new(Seen::default()), Mutex::new(sources(&pack)));
    let cases = work.lock().expect("not poisoned").len();
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = work.lock().expect("not poisoned").pop();
                    let Some((folder, source, options)) = next else { break };
                    compile(&ocloc, &source, &options, &devices, |device, binary| {
                        let container = Container::detect(binary);
                        let kernels = read_kernels(binary, container)
                            .unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
                        for kernel in kernels {
                            // An archive names versions; a binary of one device was asked for by its own.
                            let device = match container {
                                Container::Archive => &kernel.device,
                                _ => device,
                            };
                            let Some(platform) = platform(device) else { continue };
                            let code = kernel.instructions().to_vec();
                            let mut all = seen.lock().expect("not poisoned");
                            *all.kernels.entry(device.to_owned()).or_default() += 1;
                            if !all.code.insert((platform.generation(), code)) {
                                continue;
                            }
                            drop(all);
                            if let Err(error) = check(&kernel, device, platform) {
                                let place = format!("{} {device}", folder.display());
                                let mut all = seen.lock().expect("not poisoned");
                                all.failures.push(format!("{place} {}: {error}", kernel.name));
                            }
                        }
                    });
                }
            });
        }
    });
    let Seen { kernels, code, mut failures } = seen.into_inner().expect("not poisoned");
    failures.sort();
    let shown = failures[..failures.len().min(20)].join("\n");
    assert!(failures.is_empty(), "{} failures:\n{shown}", failures.len());
    for (device, count) in &kernels {
        eprintln!("{device}: {count} kernels");
        // Every device compiles all sources but those in double precision.
        assert!(*count + 1 >= cases, "{device}: only {count} kernels of {cases} sources");
    }
    let known = devices.iter().filter(|device| platform(device).is_some()).count();
    assert_eq!(kernels.len(), known + 1, "{devices:?}");
    let generations: BTreeSet<Gen> = code.iter().map(|(generation, _)| *generation).collect();
    assert_eq!(generations.len(), 5, "{generations:?}");
    eprintln!("{} distinct programs of {} devices", code.len(), kernels.len());
}
