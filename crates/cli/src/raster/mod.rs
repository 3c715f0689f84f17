//! `crestline draw`: draws primitives with a fragment shader in the emulator.

mod args;
mod grammar;

pub(crate) use args::Raster;

use std::path::Path;

use crestline::{Device, Program};
use crestline_emu::{
    Diagnostic, DrawState, EmuError, Framebuffer, Kernel, Profile, Report, SlotValues, Trace,
    strips,
};
use crestline_program::{AttributeSource, Distances, Document, Metadata, StageMetadata, Varying};

use crate::args::{Source, Stage, Width};
use crate::compile::{self, Watcher};
use crate::draw::Stopped;
use crate::error::{Code, Failure, Origin, warn};
use crate::files::{Limit, Room};
use crate::profile::{self, Counted};
use crate::run::{self, emulator_failure};
use crate::{files, picture, varyings};
use args::FragmentWidth;
use grammar::First;

/// Runs the command.
pub(crate) fn command(arguments: &Raster) -> Result<(), Failure> {
    let device = Device::new(arguments.target);
    let width = match arguments.simd {
        FragmentWidth::Auto => Width::Auto,
        FragmentWidth::W8 => Width::W8,
        FragmentWidth::W16 => Width::W16,
        FragmentWidth::W32 => Width::W32,
    };
    let fragment = Loaded::new(&arguments.fragment, arguments, Stage::Fragment, width)?;
    let vertex = (arguments.vertex.as_ref())
        .map(|path| Loaded::new(path, arguments, Stage::Vertex, Width::Auto))
        .transpose()?;
    let mut framebuffer = framebuffer(arguments)?;
    let mut room = Room::new();
    let programs = [Some(&fragment), vertex.as_ref()].into_iter().flatten();
    let metadata: Vec<_> = programs.map(|program| program.kernel.metadata()).collect();
    let bindings = &arguments.bindings;
    let mut resources = run::bind(&metadata, bindings, &fragment.file, &mut room)?;
    let (mut vertex_counts, mut fragment_counts) = (Profile::default(), Profile::default());
    let counts = arguments.profile.is_some();
    let (before, report) = run::with_options(bindings, &device, |options, mut trace| {
        let (strips, before) = match &vertex {
            Some(vertex) => {
                let trace: Option<&mut dyn Trace> = match &mut trace {
                    _ if counts => Some(&mut vertex_counts),
                    Some(trace) => Some(&mut **trace),
                    None => None,
                };
                let input = &arguments.input;
                let result = input
                    .run_vertices(&vertex.kernel, &mut resources, &mut room, options, trace)
                    .map_err(|stopped| stopped.into_failure(&vertex.file))?;
                (instances(result.0, input.vertices.unwrap_or_default()), result.1)
            }
            None => (given(arguments, fragment.kernel.metadata())?, Report::default()),
        };
        check_positions(&strips)?;
        let trace: Option<&mut dyn Trace> = match &mut trace {
            _ if counts => Some(&mut fragment_counts),
            Some(trace) => Some(&mut **trace),
            None => None,
        };
        let report = fragment
            .kernel
            .draw(
                &state(arguments, vertex.as_ref()),
                &strips,
                &mut framebuffer,
                &resources,
                options,
                trace,
            )
            .map_err(|error| stopped(error).into_failure(&fragment.file))?;
        Ok((before, report))
    })?;
    let mut told = Vec::new();
    for (program, report) in [(vertex.as_ref(), &before), (Some(&fragment), &report)] {
        let Some(program) = program else { continue };
        let harmless =
            |found: &&Diagnostic| program.compiled && found.is_harmless(true, bindings.strict);
        told.extend(report.diagnostics.iter().filter(|found| !harmless(found)));
    }
    if !bindings.strict {
        told.iter().for_each(warn);
    }
    run::write_results(&resources, bindings)?;
    write_attachments(&framebuffer, arguments)?;
    if let Some(path) = &arguments.profile {
        let vertex = vertex.as_ref().map(|vertex| Counted {
            kernel: &vertex.kernel,
            profile: &vertex_counts,
            report: &before,
        });
        let fragment =
            Counted { kernel: &fragment.kernel, profile: &fragment_counts, report: &report };
        let stages: Vec<Counted<'_>> = vertex.into_iter().chain([fragment]).collect();
        let document = profile::draw_document(&stages, &device);
        files::write(path, format!("{document:#}\n").as_bytes())?;
    }
    run::strict_failure(bindings, &told, &fragment.file)
}

/// A program that is ready to run.
struct Loaded {
    /// The name of its file, for messages.
    file: String,
    kernel: Kernel,
    /// Whether this compiler compiled it just now.
    compiled: bool,
}

impl Loaded {
    /// Compiles a shader of a stage, or reads a program.
    fn new(path: &Path, arguments: &Raster, stage: Stage, simd: Width) -> Result<Loaded, Failure> {
        let file = files::shown(path);
        let compiled = path.extension().is_none_or(|extension| extension != "json");
        let program = if compiled {
            let mut source = Source::of(path.to_owned(), arguments.target, stage, simd);
            source.samples = arguments.samples;
            source.alpha_to_coverage = arguments.alpha_to_coverage;
            compile::program(&source, Some(&arguments.bindings), None, &mut Watcher::new(&source))?
        } else {
            document(path, &file)?
        };
        let device = Device::new(arguments.target);
        let kernel = Kernel::load(&program.code, program.metadata, &device)
            .map_err(|error| emulator_failure(&error, &file))?;
        let (found, expected) = (
            kernel.metadata().stage.name(),
            match stage {
                Stage::Vertex => "vertex",
                _ => "fragment",
            },
        );
        if found != expected {
            let error = EmuError::Stage { expected, found };
            return Err(Failure::new(Code::StageArgument, error).at(Origin::file(file)));
        }
        Ok(Loaded { file, kernel, compiled })
    }
}

/// Reads a program that `compile --emit json` wrote.
fn document(path: &Path, file: &str) -> Result<Program, Failure> {
    let bytes = files::read(path, Limit::JSON)?;
    match run::document(&bytes, file)? {
        Some(Document::Program(program)) => Ok(program),
        _ => {
            let message = "the file is no program: expected code and metadata";
            Err(Failure::new(Code::Container, message).at(Origin::file(file)))
        }
    }
}

fn stopped(error: EmuError) -> Stopped {
    Stopped::Emulator(error)
}

/// The vertices of each instance.
fn instances(vertices: Vec<SlotValues>, size: u32) -> Vec<Vec<SlotValues>> {
    vertices.chunks((size as usize).max(1)).map(<[SlotValues]>::to_vec).collect()
}

/// The vertices of `--in-varyings`: those of a vertex shader are one list, those of a geometry shader its output strips.
fn given(arguments: &Raster, metadata: &Metadata) -> Result<Vec<Vec<SlotValues>>, Failure> {
    if arguments.input.in_varyings.is_none() {
        let failure = Failure::new(Code::StageArgument, "the draw call has no vertices");
        return Err(failure.help("--vertex SHADER or --in-varyings FILE"));
    }
    let all: Vec<Vec<SlotValues>> = match arguments.input.document()? {
        varyings::Document::Vertices(vertices) => vec![vertices],
        varyings::Document::Primitives(primitives) => {
            let invocations = primitives.into_iter().flat_map(|primitive| primitive.invocations);
            invocations.flat_map(strips).collect()
        }
        varyings::Document::Patches(_) => {
            let message = "the file has patches: expected vertices or primitives";
            return Err(Failure::new(Code::StageArgument, message).help("--in-varyings FILE"));
        }
    };
    if let StageMetadata::Fragment(fragment) = &metadata.stage {
        let read = fragment.attributes.iter().filter_map(|attribute| match attribute.source {
            AttributeSource::Varying { varying } => Some(varying),
            _ => None,
        });
        let read: Vec<Varying> = read.collect();
        for strip in &all {
            arguments.input.has_all(&read, strip)?;
        }
    }
    Ok(all)
}

/// Checks that positions are numbers.
fn check_positions(strips: &[Vec<SlotValues>]) -> Result<(), Failure> {
    for (number, vertex) in strips.iter().flatten().enumerate() {
        let position = vertex.get(Varying::Position).map(|dword| dword.map(f32::from_bits));
        if let Some(bad) = position.iter().flatten().find(|value| !value.is_finite()) {
            let message = format!("the position of vertex {number} has the component {bad}");
            return Err(Failure::new(Code::StageArgument, message));
        }
    }
    Ok(())
}

fn attachment_failure(error: impl std::fmt::Display) -> Failure {
    Failure::new(Code::Attachment, error)
}

/// The attachments with their first contents.
fn framebuffer(arguments: &Raster) -> Result<Framebuffer, Failure> {
    let samples = arguments.samples.unwrap_or(1).into();
    let mut framebuffer =
        Framebuffer::with_samples(arguments.size.0, samples).map_err(attachment_failure)?;
    for attachment in &arguments.attachment {
        let (target, format) = (attachment.target, attachment.format);
        if framebuffer.colour(target).is_some() {
            return Err(attachment_failure(format_args!("attachment {target} is given twice")));
        }
        match &attachment.first {
            First::Clear(colour) => framebuffer.clear_colour(target, format, *colour),
            First::File(path) => {
                let pixels: u64 = arguments.size.0.iter().map(|side| u64::from(*side)).product();
                let wanted = pixels * u64::from(samples) * u64::from(format.bytes());
                let texels = files::read_at_most(path, wanted)?.ok_or_else(|| {
                    attachment_failure(format_args!(
                        "attachment {target} needs {wanted} bytes, but the file has more"
                    ))
                })?;
                framebuffer.set_colour(target, format, texels)
            }
        }
        .map_err(attachment_failure)?;
    }
    if let Some(depth) = arguments.depth {
        framebuffer.clear_depth(depth.format, depth.depth);
    }
    if let Some(value) = arguments.stencil {
        framebuffer.clear_stencil(value);
    }
    // The outputs are checked before the draw call, which may take long.
    for out in &arguments.out_attachment {
        if framebuffer.colour(out.target).is_none() {
            let failure = attachment_failure(format_args!(
                "--out-attachment {target}: there is no attachment {target}",
                target = out.target
            ));
            return Err(failure.help(format!("--attachment {}=FORMAT", out.target)));
        }
    }
    Ok(framebuffer)
}

/// The state that the flags select, with the clip and cull distances of the vertex shader.
fn state(arguments: &Raster, vertex: Option<&Loaded>) -> DrawState {
    let mut state = DrawState::new(arguments.size.0);
    state.topology = arguments.topology;
    if let Some(view) = arguments.viewport {
        state.viewport = view.0;
    }
    state.scissor = arguments.scissor.map(|rectangle| rectangle.0);
    state.cull = arguments.cull;
    state.front_face = arguments.front_face;
    state.depth_clamp = arguments.depth_clamp;
    state.clip_distances =
        u8::MAX.checked_shr(8 - u32::from(arguments.clip_distances)).unwrap_or(0);
    if let Some(vertex) = vertex {
        let Distances { clip, cull } = vertex.kernel.metadata().stage.distances();
        if clip | cull != 0 {
            (state.clip_distances, state.cull_distances) = (clip as u8, cull as u8);
        }
    }
    state.depth_bias = arguments.depth_bias.map(|bias| bias.0);
    state.line_width = arguments.line_width;
    state.depth = arguments.depth_test.map(|rule| rule.0);
    state.stencil = arguments
        .stencil_test
        .map(|front| [front.0, arguments.stencil_test_back.unwrap_or(front).0]);
    for blend in &arguments.blend {
        state.colours[usize::from(blend.target)].blend = Some(blend.blend);
    }
    for mask in &arguments.write_mask {
        state.colours[usize::from(mask.target)].write_mask = mask.mask;
    }
    state.blend_constants = arguments.blend_constants.map_or([0.0; 4], |colour| colour.0);
    state.logic_op = arguments.logic_op;
    state.sample_mask = arguments.sample_mask;
    state.alpha_to_coverage = arguments.alpha_to_coverage;
    state.simd_width = match arguments.simd {
        FragmentWidth::Auto => None,
        FragmentWidth::W8 => Some(8),
        FragmentWidth::W16 => Some(16),
        FragmentWidth::W32 => Some(32),
    };
    state
}

/// Writes the attachments that the flags select.
fn write_attachments(framebuffer: &Framebuffer, arguments: &Raster) -> Result<(), Failure> {
    let [width, height] = framebuffer.size();
    for out in &arguments.out_attachment {
        let is_picture = out.file.extension().is_some_and(|extension| extension == "png");
        let bytes = if is_picture {
            let pixels = framebuffer.picture(out.target).ok_or_else(|| {
                attachment_failure(format_args!(
                    "attachment {}: integers are no picture; write another file than .png",
                    out.target
                ))
            })?;
            picture::encode(width, height, &pixels).map_err(attachment_failure)?
        } else {
            framebuffer.colour(out.target).map(|(_, texels)| texels.to_vec()).unwrap_or_default()
        };
        files::write(&out.file, &bytes)?;
    }
    if let (Some(path), Some(depths)) = (&arguments.out_depth, framebuffer.depths()) {
        let bytes: Vec<u8> = depths.iter().flat_map(|depth| depth.to_le_bytes()).collect();
        files::write(path, &bytes)?;
    }
    if let (Some(path), Some(values)) = (&arguments.out_stencil, framebuffer.stencils()) {
        files::write(path, values)?;
    }
    Ok(())
}
