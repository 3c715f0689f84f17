//! Runs the stages of a draw call in the emulator, for `run` and `exec`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use crestline_emu::{
    Attribute, AttributeFormat, EmuError, Kernel, Options, Patch, Primitive, Report, Resources,
    SlotValues, Trace,
};
use crestline_program::{StageMetadata, TessEvalMetadata, Varying};

use crate::error::{Code, Failure, Origin};
use crate::files::{self, Limit, Room};
use crate::grammar::Element;
use crate::run::emulator_failure;
use crate::varyings::{self, Document};

/// The most vertices that one command draws.
const MOST_VERTICES: u64 = 1 << 22;

/// Input and output of vertex, tessellation and geometry shaders.
#[derive(Debug, Args)]
#[command(next_help_heading = "Stages other than compute")]
pub(crate) struct Draw {
    #[command(flatten)]
    pub(crate) input: VertexInput,
    /// Vertices of an input patch. Default: the number in the program.
    #[arg(long, value_name = "COUNT")]
    pub(crate) patch_vertices: Option<u32>,
    /// A point of each patch to evaluate; may be repeated.
    #[arg(long, value_name = "U,V[,W]")]
    pub(crate) point: Vec<Point>,
    /// Write the outputs as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) out_varyings: Option<PathBuf>,
    /// Print an output of each vertex: position, location.0, clip_distances.4, header, ...
    #[arg(long, value_name = "NAME=TYPE[:COUNT]")]
    pub(crate) print_varying: Vec<PrintVarying>,
}

/// The vertices of a draw call, or outputs of an earlier stage.
#[derive(Debug, Args)]
pub(crate) struct VertexInput {
    /// Vertices to draw with a vertex shader.
    #[arg(long, value_name = "COUNT")]
    pub(crate) vertices: Option<u32>,
    /// Instances to draw.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) instances: u32,
    /// The first vertex.
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    pub(crate) first_vertex: u32,
    /// The first instance.
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    pub(crate) first_instance: u32,
    /// A vertex attribute; FORMAT as GLSL spells those of images (rgb and 64 bits too).
    #[arg(long, value_name = "LOC=FORMAT[:stride=N][:instance]:FILE")]
    pub(crate) attr: Vec<Attr>,
    /// Inputs from the previous stage, in the format of `--out-varyings`.
    #[arg(long, value_name = "FILE")]
    pub(crate) in_varyings: Option<PathBuf>,
}

/// `--attr LOC=FORMAT[:stride=N][:instance]:FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attr {
    location: u32,
    format: AttributeFormat,
    stride: Option<u32>,
    per_instance: bool,
    file: PathBuf,
}

impl FromStr for Attr {
    type Err = String;

    fn from_str(text: &str) -> Result<Attr, String> {
        let form = || format!("{text:?} is not LOC=FORMAT[:stride=N][:instance]:FILE");
        let (location, rest) = text.split_once('=').ok_or_else(form)?;
        let location = location.parse().map_err(|_| form())?;
        let (format, mut rest) = rest.split_once(':').ok_or_else(form)?;
        let format = format.parse::<AttributeFormat>().map_err(|error| error.to_string())?;
        let (mut stride, mut per_instance) = (None, false);
        while let Some((option, file)) = rest.split_once(':') {
            match option.strip_prefix("stride=") {
                Some(bytes) => stride = Some(bytes.parse().map_err(|_| form())?),
                None if option == "instance" => per_instance = true,
                // The colon belongs to the file's name.
                None => break,
            }
            rest = file;
        }
        if rest.is_empty() {
            return Err(form());
        }
        Ok(Attr { location, format, stride, per_instance, file: rest.into() })
    }
}

/// `--point U,V[,W]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point([f32; 3]);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Point, String> {
        let parts: Result<Vec<f32>, _> = text.split(',').map(str::parse).collect();
        match parts.as_deref() {
            Ok([u, v]) => Ok(Point([*u, *v, 0.0])),
            Ok([u, v, w]) => Ok(Point([*u, *v, *w])),
            _ => Err(format!("{text:?} is not U,V or U,V,W")),
        }
    }
}

/// `--print-varying NAME=TYPE[:COUNT]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PrintVarying {
    varying: Varying,
    element: Element,
    /// The number of dwords of the varying to print.
    count: usize,
}

impl FromStr for PrintVarying {
    type Err = String;

    fn from_str(text: &str) -> Result<PrintVarying, String> {
        let form = || format!("{text:?} is not NAME=TYPE[:COUNT], COUNT being 1 to 4");
        let (name, rest) = text.split_once('=').ok_or_else(form)?;
        let (element, count) = rest.split_once(':').unwrap_or((rest, "4"));
        let element = element.parse::<Element>().map_err(|error| error.to_string())?;
        if element.size() != 4 {
            return Err(format!("{text:?}: expected one of u32 i32 f32 x32"));
        }
        let count = count.parse().ok().filter(|count| (1..=4).contains(count)).ok_or_else(form)?;
        Ok(PrintVarying { varying: varyings::parse(name)?, element, count })
    }
}

/// Why a stage did not run to its end.
pub(crate) enum Stopped {
    /// The arguments are wrong.
    Asked(Failure),
    /// The emulator refuses or stops the program.
    Emulator(EmuError),
}

impl Stopped {
    /// The failure about a file.
    pub(crate) fn into_failure(self, file: &str) -> Failure {
        match self {
            Stopped::Asked(failure) => failure.at(Origin::file(file)),
            Stopped::Emulator(error) => emulator_failure(&error, file),
        }
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Asked(failure)
    }
}

impl From<EmuError> for Stopped {
    fn from(error: EmuError) -> Stopped {
        Stopped::Emulator(error)
    }
}

/// Runs the stage of a program.
pub(crate) fn run(
    kernel: &Kernel,
    draw: &Draw,
    resources: &mut Resources,
    room: &mut Room,
    options: &Options,
    trace: Option<&mut dyn Trace>,
) -> Result<(Document, Report), Stopped> {
    Ok(match &kernel.metadata().stage {
        StageMetadata::Vertex(_) => {
            let (vertices, report) =
                draw.input.run_vertices(kernel, resources, room, options, trace)?;
            (Document::Vertices(vertices), report)
        }
        StageMetadata::TessControl(control) => {
            let size = draw.patch_vertices.or(control.input_vertices).map(|size| size as usize);
            let size = size.ok_or_else(|| {
                missing(
                    "the program accepts patches of any size, so the size must be given",
                    "--patch-vertices COUNT",
                )
            })?;
            let patches = primitives(draw.input_vertices(&control.inputs)?, size)?;
            let (patches, report) = kernel.run_patches(&patches, resources, options, trace)?;
            (Document::Patches(patches), report)
        }
        StageMetadata::TessEval(eval) => {
            let patches = draw.input_patches(eval)?;
            evaluate(kernel, draw, &patches, resources, options, trace)?
        }
        StageMetadata::Geometry(geometry) => {
            let size = geometry.input_vertices as usize;
            let primitives = primitives(draw.input_vertices(&geometry.inputs)?, size)?;
            let (outputs, report) =
                kernel.run_primitives(&primitives, resources, options, trace)?;
            (Document::Primitives(outputs), report)
        }
        other => {
            let message = format!("a {} shader cannot be part of a draw call", other.name());
            return Err(Failure::new(Code::StageArgument, message).into());
        }
    })
}

/// Runs a tessellation evaluation shader at all points of all patches.
fn evaluate(
    kernel: &Kernel,
    draw: &Draw,
    patches: &[Patch],
    resources: &Resources,
    options: &Options,
    mut trace: Option<&mut dyn Trace>,
) -> Result<(Document, Report), Stopped> {
    if draw.point.is_empty() {
        return Err(
            missing("the stage needs at least one point of the patch", "--point U,V[,W]").into()
        );
    }
    let points: Vec<[f32; 3]> = draw.point.iter().map(|point| point.0).collect();
    let mut vertices = Vec::new();
    let mut total = Report::default();
    for patch in patches {
        let trace = trace.as_mut().map(|trace| &mut **trace as &mut dyn Trace);
        let (values, report) = kernel.run_points(patch, &points, resources, options, trace)?;
        vertices.extend(values);
        total.instructions += report.instructions;
        total.simd8_instructions += report.simd8_instructions;
        total.sends += report.sends;
        total.threads += report.threads;
        total.diagnostics.extend(report.diagnostics);
    }
    Ok((Document::Vertices(vertices), total))
}

/// Groups vertices to primitives of `size` vertices.
fn primitives(vertices: Vec<SlotValues>, size: usize) -> Result<Vec<Primitive>, Failure> {
    if size == 0 || !vertices.len().is_multiple_of(size) {
        let message = format!("{} vertices: expected a multiple of {size}", vertices.len());
        return Err(Failure::new(Code::StageArgument, message));
    }
    let groups = vertices.chunks(size).zip(0..);
    Ok(groups.map(|(vertices, id)| Primitive { vertices: vertices.to_vec(), id }).collect())
}

fn missing(what: &str, flag: &str) -> Failure {
    Failure::new(Code::StageArgument, what).help(flag)
}

impl Attr {
    fn read(&self, room: &mut Room) -> Result<Attribute, Failure> {
        let name = format_args!("--attr {}", self.location);
        Ok(Attribute {
            format: self.format,
            stride: self.stride.unwrap_or(self.format.bytes()),
            per_instance: self.per_instance,
            bytes: room.read(&name, &self.file)?,
        })
    }
}

impl VertexInput {
    /// The draw call that the arguments describe.
    fn call(&self) -> Result<crestline_emu::Draw, Failure> {
        let vertices = self
            .vertices
            .ok_or_else(|| missing("the number of vertices is missing", "--vertices COUNT"))?;
        let total = u64::from(vertices) * u64::from(self.instances);
        if total > MOST_VERTICES {
            let message = format!("{total} vertices: expected at most {MOST_VERTICES}");
            return Err(Failure::new(Code::StageArgument, message));
        }
        Ok(crestline_emu::Draw {
            instances: self.instances,
            first_vertex: self.first_vertex,
            first_instance: self.first_instance,
            ..crestline_emu::Draw::vertices(vertices)
        })
    }

    /// Reads the document of `--in-varyings`.
    pub(crate) fn document(&self) -> Result<Document, Failure> {
        let path = self.in_varyings.as_ref().ok_or_else(|| {
            missing("the stage needs the outputs of the previous stage", "--in-varyings FILE")
        })?;
        let text = files::read(path, Limit::JSON)?;
        Document::parse(&String::from_utf8_lossy(&text)).map_err(|message| {
            let message = format!("{}: {message}", files::shown(path));
            Failure::new(Code::StageArgument, message)
        })
    }

    /// Checks that every location that the shader reads is given. A missing built-in is undefined, but not an error.
    pub(crate) fn has_all(&self, inputs: &[Varying], given: &[SlotValues]) -> Result<(), Failure> {
        let own =
            |input: &&Varying| matches!(input, Varying::Location { .. } | Varying::Patch { .. });
        let missing = inputs.iter().filter(own).find(|input| {
            given.iter().any(|values| values.iter().all(|(varying, _)| varying != **input))
        });
        match (missing, &self.in_varyings) {
            (Some(input), Some(path)) => {
                let (name, file) = (varyings::name(*input), files::shown(path));
                let message = format!("the shader reads {name}, which {file} does not have");
                Err(Failure::new(Code::Link, message))
            }
            _ => Ok(()),
        }
    }

    /// Runs a vertex shader on the vertices that the arguments describe.
    pub(crate) fn run_vertices(
        &self,
        kernel: &Kernel,
        resources: &mut Resources,
        room: &mut Room,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<(Vec<SlotValues>, Report), Stopped> {
        let call = self.call()?;
        for attr in &self.attr {
            resources.set_attribute(attr.location, attr.read(room)?);
        }
        Ok(kernel.run_vertices(&call, resources, options, trace)?)
    }
}

impl Draw {
    /// The vertices of `--in-varyings`, which must have all of `inputs`.
    fn input_vertices(&self, inputs: &[Varying]) -> Result<Vec<SlotValues>, Failure> {
        match self.input.document()? {
            Document::Vertices(vertices) => {
                self.input.has_all(inputs, &vertices)?;
                Ok(vertices)
            }
            _ => Err(missing(
                "the file has no vertices, which the stage needs",
                "--in-varyings FILE",
            )),
        }
    }

    /// The patches of `--in-varyings`, which must have all inputs of the stage.
    fn input_patches(&self, stage: &TessEvalMetadata) -> Result<Vec<Patch>, Failure> {
        match self.input.document()? {
            Document::Patches(patches) => {
                for patch in &patches {
                    self.input.has_all(&stage.vertex_inputs, &patch.vertices)?;
                    self.input.has_all(&stage.patch_inputs, std::slice::from_ref(&patch.values))?;
                }
                Ok(patches)
            }
            _ => {
                Err(missing("the file has no patches, which the stage needs", "--in-varyings FILE"))
            }
        }
    }

    /// Writes and prints the outputs that the flags select.
    pub(crate) fn write(&self, document: &Document) -> Result<(), Failure> {
        if let Some(path) = &self.out_varyings {
            files::write(path, document.to_json().as_bytes())?;
        }
        let vertices = document.vertices();
        for wanted in &self.print_varying {
            let has = |vertex: &&SlotValues| vertex.iter().any(|(slot, _)| slot == wanted.varying);
            if !vertices.is_empty() && !vertices.iter().any(has) {
                let message =
                    format!("the shader has no output {}", varyings::name(wanted.varying));
                return Err(Failure::new(Code::StageArgument, message));
            }
            files::write("-".as_ref(), wanted.show(&vertices).as_bytes())?;
        }
        Ok(())
    }
}

impl PrintVarying {
    /// A line for each vertex; `-` for a dword that was not written.
    fn show(&self, vertices: &[&SlotValues]) -> String {
        let mut text = format!("{}:\n", varyings::name(self.varying));
        for (number, vertex) in vertices.iter().enumerate() {
            let dwords = vertex.get(self.varying);
            let shown = dwords[..self.count].iter().map(|dword| match dword {
                Some(dword) => self.element.show(&dword.to_le_bytes()),
                None => "-".to_owned(),
            });
            let shown: Vec<String> = shown.collect();
            text.push_str(&format!("{number:>6}: {}\n", shown.join(" ")));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read() {
        let attr: Attr = "3=rgb32f:stride=20:instance:a:b.bin".parse().unwrap();
        assert_eq!((attr.location, attr.stride, attr.per_instance), (3, Some(20), true));
        assert_eq!(attr.file, PathBuf::from("a:b.bin"));
        for text in ["3", "x=rgba8:a", "0=rgba8", "0=rgba8:", "0=rgbx8:a", "0=r8:stride=x:a"] {
            assert!(text.parse::<Attr>().is_err(), "{text}");
        }
    }

    #[test]
    fn points_and_prints_are_read() {
        assert_eq!("0.5,1".parse(), Ok(Point([0.5, 1.0, 0.0])));
        assert!("0.5".parse::<Point>().is_err() && "1,2,3,4".parse::<Point>().is_err());
        let print: PrintVarying = "location.2=f32:3".parse().unwrap();
        assert_eq!((print.varying, print.count), (Varying::Location { location: 2 }, 3));
        for text in ["position", "position=f64", "position=f32:5", "positron=f32"] {
            assert!(text.parse::<PrintVarying>().is_err(), "{text}");
        }
        let vertex = SlotValues::new().with_floats(Varying::Position, &[1.5, -2.0]);
        let print: PrintVarying = "position=f32:3".parse().unwrap();
        assert_eq!(print.show(&[&vertex]), "position:\n     0: 1.5 -2 -\n");
    }
}
