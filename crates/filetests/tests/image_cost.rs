//! Counts the instructions of image accesses for each format, access and chip.
//!
//! An access takes one message for every eight channels, in every format. The cost of conversion is the difference to
//! an access without conversion: to an image of a format that the chip reads directly, with the same number of
//! components if there is one. So the header and the bounds check, which both have, do not count. If the shader
//! computes addresses, these count as part of the load. Copies that only bring values together for a message do not
//! count, because their number depends on register allocation. With `--nocapture` the test prints the tables of
//! docs/performance.md.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crestline::{Options, Simd, compile_spirv};
use crestline_device::{Device, Platform, SurfaceFormat, TypedRead};
use crestline_filetests::corpus::compile_source;
use crestline_frontend::Language;
use crestline_isa::message::{Bti, Descriptor, Message};
use crestline_isa::{DescSrc, Inst, Opcode, Predicate, decode_program};
use crestline_program::{ResourceRef, Surface};

const PLATFORMS: [Platform; 4] = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];

/// Instructions of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    /// Messages to the image.
    messages: i64,
    /// All other instructions except copies.
    arithmetic: i64,
}

fn surface(format: &str) -> SurfaceFormat {
    SurfaceFormat::from_glsl(format).expect("the formats are GLSL's")
}

fn formats() -> impl Iterator<Item = &'static str> {
    SurfaceFormat::ALL.iter().filter_map(|format| format.glsl_name())
}

/// A shader that copies texels of an image to a buffer, and from another buffer to the image or, to
/// have something to compare with, to a third buffer.
fn shader(format: &str, channels: u32, store: bool) -> String {
    let prefix = match surface(format).name() {
        name if name.ends_with("_UINT") => "u",
        name if name.ends_with("_SINT") => "i",
        _ => "",
    };
    let keep = match store {
        true => "imageStore(image, where[lane], data);",
        false => "other[lane] = data;",
    };
    format!(
        "#version 450\nlayout(local_size_x = {channels}) in;\n\
         layout(set = 0, binding = 0, {format}) uniform {prefix}image2D image;\n\
         layout(set = 0, binding = 1) writeonly buffer Found {{ {prefix}vec4 found[]; }};\n\
         layout(set = 0, binding = 2) readonly buffer What {{ {prefix}vec4 what[]; }};\n\
         layout(set = 0, binding = 3) writeonly buffer Other {{ {prefix}vec4 other[]; }};\n\
         layout(set = 0, binding = 4) readonly buffer Where {{ ivec2 where[]; }};\n\
         void main() {{\n    uint lane = gl_LocalInvocationIndex;\n\
         {prefix}vec4 data = what[lane];\n    found[lane] = imageLoad(image, where[lane]);\n\
         {keep}\n}}\n"
    )
}

/// Counts the instructions of a module's program.
fn count(spirv: &[u32], platform: Platform, simd: Simd) -> Count {
    let program = compile_spirv(spirv, &Options::new(platform).with_simd(simd))
        .unwrap_or_else(|error| panic!("{platform}: {error}"));
    let image = ResourceRef { set: 0, binding: 0, element: 0 };
    let indices: Vec<Bti> = program
        .metadata
        .binding_table
        .iter()
        .filter(|entry| {
            matches!(&entry.surface, Surface::StorageImage { resource, .. }
                | Surface::TexelBuffer { resource, .. } if *resource == image)
        })
        .map(|entry| Bti(entry.index))
        .collect();
    let device = Device::new(platform);
    let insts = decode_program(&program.code, device.generation()).expect("our code decodes");
    let mut count = Count::default();
    for (_, inst) in &insts {
        match message(inst, &device) {
            None if is_copy(inst) => {}
            None => count.arithmetic += 1,
            Some(message) => count.messages += i64::from(accesses(&message, &indices)),
        }
    }
    count
}

/// Whether an instruction only moves values to other registers.
fn is_copy(inst: &Inst) -> bool {
    let Some(src) = inst.srcs[0].as_reg() else { return false };
    inst.opcode == Opcode::Mov
        && src.ty == inst.dst.ty
        && (src.abs, src.negate, inst.saturate) == (false, false, false)
        && inst.predicate == Predicate::NONE
}

fn message(inst: &Inst, device: &Device) -> Option<Message> {
    let send = inst.send()?;
    let (DescSrc::Imm(desc), DescSrc::Imm(ex_desc)) = (send.desc, send.ex_desc) else {
        panic!("a descriptor known at compile time");
    };
    let found = Descriptor::decode(device.generation(), send.sfid, desc, ex_desc);
    Some(found.expect("our descriptors decode").message)
}

fn accesses(message: &Message, image: &[Bti]) -> bool {
    match message {
        Message::TypedRead { bti, .. }
        | Message::TypedWrite { bti, .. }
        | Message::UntypedRead { bti, .. }
        | Message::UntypedWrite { bti, .. } => image.contains(bti),
        _ => false,
    }
}

/// Components that a format stores.
fn channels(format: &str) -> usize {
    surface(format).info().channels.iter().flatten().count()
}

/// Whether loads of the format need nothing but a message.
fn is_plain(format: &str, device: &Device) -> bool {
    let format = surface(format);
    device.image_surface_format(format) == format
        && device.typed_read(format) == TypedRead::Converted
}

/// A plain format with as many components as `format` if there is one, else with one.
fn plain(format: &str, device: &Device) -> &'static str {
    formats()
        .filter(|name| is_plain(name, device))
        .find(|name| channels(name) == channels(format))
        .or_else(|| formats().find(|name| is_plain(name, device)))
        .expect("every device reads some format")
}

/// Load and store of a format: instructions of their own.
#[derive(Clone, Copy)]
struct Cost {
    load: Count,
    store: Count,
}

/// What accesses cost by format, chip and width.
fn costs() -> BTreeMap<(&'static str, Platform, u8), Cost> {
    let mut costs = BTreeMap::new();
    for format in formats() {
        for simd in [Simd::Simd8, Simd::Simd16] {
            let width = simd.channels().unwrap_or(8);
            let spirv = [false, true].map(|store| {
                let source = shader(format, width.into(), store);
                compile_source("cost", Language::Glsl, &source)
                    .unwrap_or_else(|error| panic!("{error}\n{source}"))
            });
            for platform in PLATFORMS {
                let [load, both] = [0, 1].map(|i| count(&spirv[i], platform, simd));
                let store = Count {
                    messages: both.messages - load.messages,
                    arithmetic: both.arithmetic - load.arithmetic,
                };
                costs.insert((format, platform, width), Cost { load, store });
            }
        }
    }
    costs
}

#[test]
fn image_accesses_keep_to_their_limits() {
    let costs = costs();
    let mut table = String::from("| format |");
    for platform in PLATFORMS {
        let _ = write!(table, " {platform} |");
    }
    table.push_str("\n| --- | --- | --- | --- | --- |\n");
    let mut failures = Vec::new();
    for format in formats() {
        let _ = write!(table, "| {format} |");
        for platform in PLATFORMS {
            let device = Device::new(platform);
            for (width, most) in [(8, 1), (16, 2)] {
                let Cost { load, store } = costs[&(format, platform, width)];
                // Untyped messages serve sixteen channels.
                if !(1..=most).contains(&load.messages) || !(1..=most).contains(&store.messages) {
                    failures.push(format!("{format} on {platform}: {load:?}, {store:?}"));
                }
            }
            let own = costs[&(format, platform, 8)];
            let other = costs[&(plain(format, &device), platform, 8)];
            let load = own.load.arithmetic - other.load.arithmetic;
            let store = own.store.arithmetic - other.store.arithmetic;
            if is_plain(format, &device) && (load, store) != (0, 0) {
                failures
                    .push(format!("{format} on {platform}: {load}, {store} without conversion"));
            }
            if (format, platform) == ("rgba8", Platform::Hsw) && load > 8 {
                failures.push(format!("{format} on {platform}: a load converts in {load}"));
            }
            let raw = device.image_surface_format(surface(format)) == SurfaceFormat::RAW;
            let raw = if raw { " raw" } else { "" };
            let _ = write!(table, " {load}, {store}{raw} |");
        }
        table.push('\n');
    }
    println!("{table}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
