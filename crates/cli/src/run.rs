//! `crestline run` and `crestline exec`: they run programs in the emulator.

use std::fmt::Write;
use std::path::Path;

use crestline::{Device, Program, Statistics};
use crestline_emu::{
    Diagnostic, EmuError, ImageDimension, ImageShape, Kernel, Layout, Options, Profile, Report,
    Resources, Step, Tiling, Trace,
};
use crestline_isa::text::{Syntax, print_inst};
use crestline_program::{
    BindingEntry, Content, Document, Metadata, MetadataError, PayloadItem, ResourceRef,
    StageMetadata, Surface,
};

use crate::args::{self, Show};
use crate::compile::{self, Watcher};
use crate::draw::{self, Stopped};
use crate::error::{Code, Failure, Origin, warn};
use crate::files::{Limit, Room};
use crate::grammar::{Contents, DescriptorRef, Dim, Image, Png, Print};
use crate::profile::{self, Counted};
use crate::progress::Progress;
use crate::source::Shader;
use crate::{addresses, code, files, picture};

/// Runs `run`.
pub(crate) fn run(arguments: &args::Run) -> Result<(), Failure> {
    if arguments.source.list_passes {
        return compile::list_passes();
    }
    let shader = Shader::load(&arguments.source)?;
    let program = compile::program_of(
        &shader,
        &arguments.source,
        Some(&arguments.resources.bindings),
        arguments.resources.draw.patch_vertices,
        &mut Watcher::new(&arguments.source),
    )?;
    let device = Device::new(arguments.source.target);
    if arguments.show.contains(&Show::Asm) {
        let text = code::listing(&program, args::Syntax::Mesa, shader.text())
            .map_err(|error| code::decode_failure(&error, "the compiled program"))?;
        print(&text)?;
    }
    let show_statistics = arguments.show.contains(&Show::Stats);
    if show_statistics {
        print(&statistics(&program))?;
    }
    let file = files::shown(&arguments.source.shader);
    let kernel = Kernel::load(&program.code, program.metadata, &device)
        .map_err(|error| emulator_failure(&error, &file))?;
    let draws = !matches!(kernel.metadata().stage, StageMetadata::Compute(_));
    let strict = arguments.resources.bindings.strict;
    let report = dispatch(&kernel, &arguments.resources, &device, &file, |found| {
        arguments.source.verbose || !found.is_harmless(draws, strict)
    })?;
    if show_statistics {
        print(&format!(
            "executed          {} instructions of {} threads, {} sends\n",
            report.instructions, report.threads, report.sends
        ))?;
    }
    Ok(())
}

/// Runs `exec`.
pub(crate) fn exec(arguments: &args::Exec) -> Result<(), Failure> {
    let file = files::shown(&arguments.code);
    let bytes = files::read(&arguments.code, Limit::CODE)?;
    let metadata = arguments.meta.as_deref().map(read_metadata).transpose()?;
    let mut maybe_dwords = false;
    let (code, metadata) = match (document(&bytes, &file)?, metadata) {
        (Some(Document::Program(program)), None) => (program.code, program.metadata),
        (Some(Document::Program(program)), Some(metadata)) => (program.code, metadata),
        (Some(Document::Metadata(_)), _) => {
            let failure = Failure::new(
                Code::Container,
                "the file contains metadata without code: expected code",
            );
            return Err(failure.at(Origin::file(file)).help("exec CODE --meta METADATA"));
        }
        (None, Some(metadata)) => {
            let kernel = arguments.kernel.as_deref();
            let (target, dwords) = (arguments.target, arguments.dwords);
            let kernel = code::of(&bytes, &arguments.code, target, kernel, dwords)?;
            maybe_dwords = kernel.maybe_dwords;
            (kernel.code.to_vec(), metadata)
        }
        (None, None) => {
            let failure = Failure::new(Code::Metadata, "the file contains code without metadata");
            return Err(failure.at(Origin::file(file)).help("--meta FILE"));
        }
    };
    let device = Device::new(arguments.target);
    let kernel = Kernel::load(&code, metadata, &device).map_err(|error| {
        let failure = emulator_failure(&error, &file);
        match error {
            EmuError::Decode { .. } if maybe_dwords => code::perhaps_dwords(failure),
            _ => failure,
        }
    })?;
    dispatch(&kernel, &arguments.resources, &device, &file, |_| true).map(drop)
}

/// Reads metadata from a file that contains only metadata, or a program.
pub(crate) fn read_metadata(path: &Path) -> Result<Metadata, Failure> {
    let file = files::shown(path);
    let bytes = files::read(path, Limit::JSON)?;
    let text = String::from_utf8_lossy(&bytes);
    match Document::from_json(&text) {
        Ok(Document::Metadata(metadata)) => Ok(metadata),
        Ok(Document::Program(program)) => Ok(program.metadata),
        Err(error) => Err(metadata_failure(&error, &file, &text)),
    }
}

/// An error in a text of metadata or of a program.
fn metadata_failure(error: &MetadataError, file: &str, text: &str) -> Failure {
    let origin = match *error {
        // The JSON reader counts bytes, and has the column 0 at an end of the text after an end of a line.
        MetadataError::Json { line, column, .. } => Origin::byte_column(file, text, line, column),
        _ => Origin::file(file),
    };
    Failure::new(Code::Metadata, error).at(origin)
}

/// The document in a file, if the file is JSON: no container of code starts with a brace and a name.
pub(crate) fn document(bytes: &[u8], file: &str) -> Result<Option<Document>, Failure> {
    let mut visible = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    if visible.next() != Some(&b'{') || !matches!(visible.next(), Some(b'"' | b'}') | None) {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(bytes);
    Document::from_json(&text).map(Some).map_err(|error| metadata_failure(&error, file, &text))
}

fn print(text: &str) -> Result<(), Failure> {
    files::write(Path::new("-"), text.as_bytes())
}

/// Converts an error of the emulator to a failure with advice.
pub(crate) fn emulator_failure(error: &EmuError, file: &str) -> Failure {
    let code = match error {
        EmuError::Unsupported { .. } => Code::EmulatorLimit,
        EmuError::Decode { .. } => Code::Decode,
        EmuError::Framebuffer(_) => Code::Attachment,
        _ => Code::Emulate,
    };
    let failure = Failure::new(code, error).at(Origin::file(file));
    match error {
        EmuError::MissingResource { resource, .. } => Failure::new(Code::MissingResource, error)
            .at(Origin::file(file))
            .help(format!("--bind {resource}=FILE or --bind {resource}=zero:BYTES")),
        EmuError::Metadata(_) | EmuError::EntryPoint { .. } => {
            Failure::new(Code::Metadata, error).at(Origin::file(file))
        }
        EmuError::MissingAttribute { location } => {
            failure.help(format!("--attr {location}=FORMAT:FILE"))
        }
        EmuError::Budget(..) => failure.help("--budget COUNT raises the limit"),
        _ => failure,
    }
}

/// The compiler's statistics: a line for each number, with a column for each code entry.
fn statistics(program: &Program) -> String {
    let entries: Vec<Statistics> = program
        .metadata
        .dispatches
        .iter()
        .map(|dispatch| dispatch.statistics.unwrap_or_default())
        .collect();
    let row = |name: &str, number: &dyn Fn(&Statistics) -> u64| {
        let numbers: Vec<String> =
            entries.iter().map(|entry| format!("{:<9}", number(entry))).collect();
        format!("{:<18}{}", name, numbers.concat()).trim_end().to_owned() + "\n"
    };
    let whole = |name: &str, number: u64| format!("{name:<18}{number}\n");
    [
        row("SIMD width", &|s| s.simd_width.into()),
        whole("code bytes", program.code.len() as u64),
        row("instructions", &|s| s.instructions.into()),
        row("sends", &|s| s.sends.into()),
        row("loops", &|s| s.loops.into()),
        row("spills", &|s| s.spills.into()),
        row("fills", &|s| s.fills.into()),
        row("registers", &|s| s.registers.into()),
        whole("scratch bytes", program.metadata.scratch_bytes.into()),
        row("estimated cycles", &|s| s.estimated_cycles),
    ]
    .concat()
}

impl From<DescriptorRef> for ResourceRef {
    fn from(descriptor: DescriptorRef) -> ResourceRef {
        ResourceRef {
            set: descriptor.set,
            binding: descriptor.binding,
            element: descriptor.element,
        }
    }
}

/// Binds the resources, runs the program, reports the diagnostics for which `tell` is true, and writes the selected
/// results.
fn dispatch(
    kernel: &Kernel,
    arguments: &args::Resources,
    device: &Device,
    file: &str,
    tell: impl Fn(&Diagnostic) -> bool,
) -> Result<Report, Failure> {
    let mut profile = Profile::default();
    let wanted = arguments.profile.is_some().then_some(&mut profile);
    dispatch_counted(kernel, arguments, device, file, wanted, tell)
}

/// Does the same as `exec` with a program that is loaded, and counts executions. `--trace` is ignored.
pub(crate) fn measure(
    kernel: &Kernel,
    arguments: &args::Resources,
    device: &Device,
    file: &str,
    profile: &mut Profile,
    tell: impl Fn(&Diagnostic) -> bool,
) -> Result<Report, Failure> {
    dispatch_counted(kernel, arguments, device, file, Some(profile), tell)
}

/// Does the work of [`dispatch`], and counts executions in `profile`.
fn dispatch_counted(
    kernel: &Kernel,
    arguments: &args::Resources,
    device: &Device,
    file: &str,
    profile: Option<&mut Profile>,
    tell: impl Fn(&Diagnostic) -> bool,
) -> Result<Report, Failure> {
    let mut room = Room::new();
    let bindings = &arguments.bindings;
    let mut resources = bind(&[kernel.metadata()], bindings, file, &mut room)?;
    let mut counts = Profile::default();
    let result = with_options(bindings, device, |options, trace| {
        let trace: Option<&mut dyn Trace> = match trace {
            _ if profile.is_some() => Some(&mut counts),
            Some(trace) => Some(trace),
            None => None,
        };
        match &kernel.metadata().stage {
            StageMetadata::Compute(_) => compute(kernel, arguments, &mut resources, options, trace)
                .map(|report| (None, report)),
            _ => draw::run(kernel, &arguments.draw, &mut resources, &mut room, options, trace)
                .map(|(document, report)| (Some(document), report)),
        }
    });
    let (document, report) = result.map_err(|stopped| stopped.into_failure(file))?;
    let told: Vec<&Diagnostic> = report.diagnostics.iter().filter(|found| tell(found)).collect();
    if !bindings.strict {
        told.iter().for_each(warn);
    }
    write_results(&resources, bindings)?;
    if let Some(path) = &arguments.profile {
        let counted = Counted { kernel, profile: &counts, report: &report };
        let document = profile::document(&counted, device);
        files::write(path, format!("{document:#}\n").as_bytes())?;
    }
    if let Some(document) = &document {
        arguments.draw.write(document)?;
    }
    if let Some(profile) = profile {
        *profile = counts;
    }
    strict_failure(bindings, &told, file)?;
    Ok(report)
}

/// Runs `work` with the options of the emulator and the trace that the flags select, while the progress is shown.
pub(crate) fn with_options<R>(
    bindings: &args::Bindings,
    device: &Device,
    work: impl FnOnce(&Options, Option<&mut dyn Trace>) -> R,
) -> R {
    let (budget, memory) = (bindings.budget, bindings.memory.0);
    let options = Options { budget, memory, view_index: bindings.view, ..Options::default() };
    let generation = device.generation();
    let mut show = |step: &Step<'_>| {
        // A closed pipe ends the trace, not the run.
        let _ = print(&trace_line(step, generation));
    };
    let trace = bindings.trace.then_some(&mut show as &mut dyn Trace);
    let progress = (!bindings.trace).then(|| Progress::start("running"));
    let result = work(&options, trace);
    drop(progress);
    result
}

/// The error for diagnostics if `--strict` is given.
pub(crate) fn strict_failure(
    bindings: &args::Bindings,
    told: &[&Diagnostic],
    file: &str,
) -> Result<(), Failure> {
    if !bindings.strict || told.is_empty() {
        return Ok(());
    }
    let failure = |found| Failure::new(Code::Reported, found).at(Origin::file(file));
    Err(Failure::all(told.iter().map(failure)))
}

/// Runs the grid of a compute shader.
fn compute(
    kernel: &Kernel,
    arguments: &args::Resources,
    resources: &mut Resources,
    options: &Options,
    trace: Option<&mut dyn Trace>,
) -> Result<Report, Stopped> {
    let Some(grid) = arguments.dispatch else {
        let failure =
            Failure::new(Code::StageArgument, "a compute shader needs a number of workgroups");
        return Err(failure.help("--dispatch X,Y,Z").into());
    };
    Ok(match trace {
        Some(trace) => kernel.trace(grid.0, resources, options, trace)?,
        None => kernel.dispatch(grid.0, resources, options)?,
    })
}

/// A line for one executed instruction: location, channels, text, changed registers.
fn trace_line(step: &Step<'_>, generation: crestline_isa::Gen) -> String {
    let [x, y, z] = step.location.group;
    let mut line = format!(
        "{x},{y},{z}:{} {:#06x} {:08x} {}",
        step.location.thread,
        step.location.offset,
        step.channels,
        print_inst(step.instruction, generation, Syntax::Mesa)
    );
    for change in &step.changes {
        // Writing to a string cannot fail.
        let _ =
            write!(line, "\n    {} {:08x} -> {:08x}", change.register, change.before, change.after);
    }
    line.push('\n');
    line
}

/// Reads the buffers of `--bind` and the push constants, for programs with these metadata.
pub(crate) fn bind(
    metadata: &[&Metadata],
    arguments: &args::Bindings,
    file: &str,
    room: &mut Room,
) -> Result<Resources, Failure> {
    let used: Vec<ResourceRef> = table(metadata)
        .filter_map(|entry| match &entry.surface {
            Surface::StorageBuffer { resource }
            | Surface::UniformBuffer { resource }
            | Surface::AtomicCounters { resource } => Some(*resource),
            _ => None,
        })
        .collect();
    // First check the sizes that the command line gives, before memory is allocated.
    for image in &arguments.image {
        room.take(&format_args!("--image {}", image.descriptor), shape(image).bytes())?;
    }
    for bind in &arguments.bind {
        if let Contents::Zero(bytes) = bind.contents {
            room.take(&format_args!("--bind {}", bind.descriptor), bytes as u64)?;
        }
    }
    let mut resources = Resources::new();
    bind_images(metadata, arguments, file, &mut resources)?;
    bind_samplers(metadata, arguments, file, &mut resources)?;
    for bind in &arguments.bind {
        let resource = ResourceRef::from(bind.descriptor);
        if resources.buffer(resource).is_some() {
            let message = format!("--bind {resource} is given twice");
            return Err(Failure::new(Code::UnusedResource, message));
        }
        let addressed = arguments.address.iter().any(|flag| resource == flag.target.into());
        if !used.contains(&resource) && !addressed {
            warn(format_args!("the program does not use the buffer {resource}"));
        }
        let name = format_args!("--bind {resource}");
        let contents = match &bind.contents {
            Contents::Zero(bytes) => vec![0; *bytes],
            Contents::File(path) => room.read(&name, path)?,
        };
        if contents.is_empty() {
            let message = format!("the buffer {resource} has no bytes");
            return Err(Failure::new(Code::ResourceSize, message));
        }
        resources.set_buffer(resource, &contents);
    }
    for resource in used {
        if resources.buffer(resource).is_none() {
            let message = format!("the program uses the buffer {resource}, but no --bind gives it");
            return Err(Failure::new(Code::MissingResource, message)
                .at(Origin::file(file))
                .help(format!("--bind {resource}=FILE or --bind {resource}=zero:BYTES")));
        }
    }
    bind_push_constants(metadata, arguments, file, room, &mut resources)?;
    let asked = arguments.out.iter().map(|out| ("--out", out.descriptor));
    let asked = asked.chain(arguments.png.iter().map(|png| ("--png", png.descriptor)));
    for (flag, descriptor) in
        asked.chain(arguments.print.iter().map(|print| ("--print", print.descriptor)))
    {
        let resource = ResourceRef::from(descriptor);
        if resources.buffer(resource).is_none() && resources.image(resource).is_none() {
            let message = format!("{flag} {descriptor}: no buffer is bound at {descriptor}");
            return Err(Failure::new(Code::MissingResource, message)
                .help(format!("--bind {descriptor}=FILE or --bind {descriptor}=zero:BYTES")));
        }
    }
    Ok(resources)
}

/// The entries of all binding tables.
fn table<'a>(metadata: &'a [&Metadata]) -> impl Iterator<Item = &'a BindingEntry> + Clone {
    metadata.iter().flat_map(|metadata| &metadata.binding_table)
}

/// Reads the push constants. Zero bytes are appended up to a multiple of 4 bytes, because the program reads whole dwords;
/// then there must be at least as many bytes as the program reads.
fn bind_push_constants(
    metadata: &[&Metadata],
    arguments: &args::Bindings,
    file: &str,
    room: &mut Room,
    resources: &mut Resources,
) -> Result<(), Failure> {
    let end = |item: &PayloadItem| match item.content {
        Content::PushConstant { offset } => u64::from(offset) + u64::from(item.size),
        _ => 0,
    };
    let dispatches = metadata.iter().flat_map(|metadata| metadata.dispatches.iter());
    let items = dispatches.flat_map(|dispatch| &dispatch.payload.items);
    let needed = items.map(end).max().unwrap_or(0);
    let mut bytes = match &arguments.push {
        Some(path) => room.read(&"--push", path)?,
        None => Vec::new(),
    };
    let given = bytes.len();
    bytes.resize(given.next_multiple_of(4), 0);
    if (bytes.len() as u64) < needed {
        let message =
            format!("the push constants have {given} bytes, but the program reads {needed} bytes");
        return Err(Failure::new(Code::ResourceSize, message)
            .at(Origin::file(file))
            .help("--push FILE"));
    }
    addresses::place(&arguments.address, resources, &mut bytes)?;
    resources.set_push_constants(&bytes);
    Ok(())
}

/// Binds the samplers of `--sampler`.
fn bind_samplers(
    metadata: &[&Metadata],
    arguments: &args::Bindings,
    file: &str,
    resources: &mut Resources,
) -> Result<(), Failure> {
    let samplers = || metadata.iter().flat_map(|metadata| &metadata.samplers);
    let given =
        |resource| arguments.sampler.iter().filter(move |s| resource == s.descriptor.into());
    for sampler in &arguments.sampler {
        let resource = ResourceRef::from(sampler.descriptor);
        if given(resource).count() > 1 {
            let message = format!("--sampler {resource} is given twice");
            return Err(Failure::new(Code::UnusedResource, message));
        }
        if samplers().all(|entry| entry.resource != resource) {
            warn(format_args!("the program does not use the sampler {resource}"));
        }
        resources.set_sampler(resource, sampler.state);
    }
    match samplers().find(|entry| given(entry.resource).next().is_none()) {
        None => Ok(()),
        Some(entry) => {
            let resource = entry.resource;
            let message =
                format!("the program uses the sampler {resource}, but no --sampler gives it");
            Err(Failure::new(Code::MissingResource, message)
                .at(Origin::file(file))
                .help(format!("--sampler {resource}=FILTER:ADDRESS")))
        }
    }
}

/// Reads the images of `--image`.
fn bind_images(
    metadata: &[&Metadata],
    arguments: &args::Bindings,
    file: &str,
    resources: &mut Resources,
) -> Result<(), Failure> {
    let used = table(metadata).filter_map(|entry| match &entry.surface {
        Surface::StorageImage { resource, format, .. }
        | Surface::SampledImage { resource, format } => Some((*resource, *format)),
        _ => None,
    });
    for image in &arguments.image {
        let resource = ResourceRef::from(image.descriptor);
        if resources.image(resource).is_some() {
            let message = format!("--image {resource} is given twice");
            return Err(Failure::new(Code::UnusedResource, message));
        }
        if !used.clone().any(|(used, _)| used == resource) {
            warn(format_args!("the program does not use the image {resource}"));
        }
        let shape = shape(image);
        let wanted = shape.bytes();
        let contents = match &image.contents {
            // `zero:BYTES` makes the whole image zero, for any BYTES.
            Contents::Zero(_) => Vec::new(),
            Contents::File(path) => {
                let contents = files::read_at_most(path, wanted)?;
                let given = contents.as_ref().map(Vec::len);
                contents.filter(|_| given == Some(wanted as usize)).ok_or_else(|| {
                    let given = given.map_or("more".to_owned(), |bytes| bytes.to_string());
                    let message = format!(
                        "the texels of the image {resource} need {wanted} bytes, but the file has {given}"
                    );
                    Failure::new(Code::ResourceSize, message)
                })?
            }
        };
        let bound = match image.tiling {
            Tiling::Linear => resources.set_image(resource, shape, &contents),
            tiling => {
                let layout = Layout { tiling, ..Layout::default() };
                resources.set_image_in(resource, shape, layout, &contents)
            }
        };
        bound.map_err(|error| emulator_failure(&error, file))?;
    }
    for (resource, format) in used {
        if resources.image(resource).is_none() {
            let seen = format.map_or_else(String::new, |format| format!(" as {format}"));
            let message =
                format!("the program uses the image {resource}{seen}, but no --image gives it");
            return Err(Failure::new(Code::MissingResource, message)
                .at(Origin::file(file))
                .help(format!("--image {resource}=DIM:SIZE:FORMAT:FILE")));
        }
    }
    Ok(())
}

/// The shape of an `--image` argument in the emulator's form.
fn shape(image: &Image) -> ImageShape {
    let [width, height, depth] = image.size;
    let (dimension, depth) = match image.dim {
        Dim::D1 | Dim::Buffer => (ImageDimension::D1, 1),
        Dim::D2 => (ImageDimension::D2, 1),
        Dim::D3 => (ImageDimension::D3, depth),
        Dim::Cube => (ImageDimension::Cube, 6),
        Dim::D1Array => (ImageDimension::D1Array, depth),
        Dim::D2Array => (ImageDimension::D2Array, depth),
        Dim::CubeArray => (ImageDimension::CubeArray, depth),
    };
    let Image { format, levels, samples, .. } = *image;
    ImageShape { dimension, format, width, height, depth, levels, samples }
}

/// Writes and prints the buffers that the flags select.
pub(crate) fn write_results(
    resources: &Resources,
    arguments: &args::Bindings,
) -> Result<(), Failure> {
    let buffer = |descriptor: DescriptorRef| {
        let resource = ResourceRef::from(descriptor);
        resources.buffer(resource).or_else(|| resources.image(resource)).unwrap_or_default()
    };
    for out in &arguments.out {
        files::write(&out.file, &buffer(out.descriptor))?;
    }
    for png in &arguments.png {
        files::write(&png.file, &encode_picture(png, &buffer(png.descriptor))?)?;
    }
    for wanted in &arguments.print {
        print(&show_buffer(wanted, &buffer(wanted.descriptor)))?;
    }
    Ok(())
}

fn encode_picture(png: &Png, pixels: &[u8]) -> Result<Vec<u8>, Failure> {
    picture::encode(png.width, png.height, pixels).map_err(|message| {
        Failure::new(Code::ResourceSize, format!("--png {}: {message}", png.descriptor))
    })
}

/// The elements of a buffer as text: eight per line, after the index of the first.
fn show_buffer(print: &Print, bytes: &[u8]) -> String {
    let elements: Vec<String> = bytes
        .chunks_exact(print.element.size())
        .take(print.count.unwrap_or(usize::MAX))
        .map(|element| print.element.show(element))
        .collect();
    let mut text = format!("{}:\n", print.descriptor);
    for (row, values) in elements.chunks(8).enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:>6}: {}", 8 * row, values.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_shown_in_rows_of_eight() {
        let print: Print = "0.1=u8:10".parse().unwrap();
        let bytes: Vec<u8> = (0..12).collect();
        assert_eq!(show_buffer(&print, &bytes), "0.1:\n     0: 0 1 2 3 4 5 6 7\n     8: 8 9\n");
    }
}
