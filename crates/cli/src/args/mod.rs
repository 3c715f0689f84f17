//! The command line: commands and flags. Single arguments are parsed by [`crate::grammar`].

mod code;
mod passes;
mod target;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use crestline::IoSlot;
use crestline_device::Platform;

use crate::amber::Amber;
use crate::analyze::Analyze;
use crate::batch::{Batch, Report};
use crate::draw::Draw;
use crate::explore::Explore;
use crate::grammar::{
    Address, Bind, Descriptors, Dispatch, Image, ImageFormat, Memory, Out, Png, Print, Sampler,
    Spec,
};
use crate::manual::{Completions, Man};
use crate::raster::Raster;
use passes::{print_pass, skipped_pass};

pub(crate) use code::{Asm, AsmEmit, CodeRange, Disasm, Fields, Input, Region, Validate};
pub(crate) use passes::nearest;
pub(crate) use target::Target;

/// An open shader compiler and toolkit for Intel GPUs.
///
/// Exit status: 0 on success, 1 on an error in the input, 2 on wrong usage, 3 if a condition of `analyze --fail-if` holds, 77 if
/// `amber` skips all scripts. `-` stands for standard input or output.
#[derive(Debug, Parser)]
#[command(name = "crestline", version = VERSION, max_term_width = 100, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set.
    #[arg(
        long,
        value_enum,
        global = true,
        value_name = "WHEN",
        default_value_t,
        display_order = 1000
    )]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The version of the package, and the commit that it was built from.
const VERSION: &str = env!("CRESTLINE_VERSION");

/// When errors are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> anstream::ColorChoice {
        match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile a shader to machine code.
    Compile(Compile),
    /// Compile the stages of a pipeline together, and report what that saves.
    Link(Link),
    /// Compile a shader and run it on the emulator.
    Run(Run),
    /// Run machine code on the emulator.
    Exec(Exec),
    /// Draw primitives with a fragment shader on the emulator.
    Draw(Raster),
    /// Run scripts with pipelines on the emulator.
    Amber(Amber),
    /// Compile many shaders and write their statistics to a file.
    Batch(Batch),
    /// Compare the statistics of two batches.
    Report(Report),
    /// Report on shaders or machine code: times, registers, messages, source lines, advice.
    Analyze(Box<Analyze>),
    /// Open a page of this machine that compiles a shader while it is edited.
    Explore(Explore),
    /// Assemble text to machine code.
    Asm(Asm),
    /// Disassemble machine code.
    Disasm(Disasm),
    /// Check machine code against the rules of the hardware.
    Validate(Validate),
    /// Draw the bytes that each channel of an operand accesses.
    Region(Region),
    /// Print all bit fields of instructions.
    Fields(Fields),
    /// List the targets with their capabilities.
    Targets,
    /// Print a script that lets a shell complete commands and flags.
    Completions(Completions),
    /// Write the manual pages.
    Man(Man),
}

impl Command {
    /// Whether errors are to be JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Command::Compile(arguments) => arguments.json,
            Command::Link(arguments) => arguments.json,
            Command::Run(arguments) => arguments.json,
            Command::Exec(arguments) => arguments.json,
            Command::Draw(arguments) => arguments.json,
            Command::Amber(arguments) => arguments.json,
            Command::Batch(arguments) => arguments.json,
            Command::Report(arguments) => arguments.json,
            Command::Analyze(arguments) => arguments.json,
            Command::Asm(arguments) => arguments.json,
            Command::Disasm(arguments) => arguments.input.json,
            Command::Validate(arguments) => arguments.input.json,
            Command::Region(arguments) => arguments.json,
            Command::Fields(arguments) => arguments.input.json,
            Command::Explore(_) | Command::Targets | Command::Completions(_) | Command::Man(_) => {
                false
            }
        }
    }
}

/// What is compiled, and how.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The shader: .spv .wgsl .comp .vert .frag .tesc .tese .geom .glsl .hlsl, or `-`.
    #[arg(default_value_if("list_passes", "true", "-"), required = true)]
    pub(crate) shader: PathBuf,
    /// The chip to compile for, such as `skl`; `crestline targets` lists them.
    #[arg(long, default_value_if("list_passes", "true", "skl"), required = true, value_parser = Target, hide_possible_values = true)]
    pub(crate) target: Platform,
    /// The language, if the file's extension does not determine it. SPIR-V is recognised by its first bytes.
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: Option<String>,
    /// The entry point. It may be omitted if the stage has only one. Default for HLSL: `main`.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// The stage. It may be omitted if only one stage has an entry point of that name. Default for GLSL and HLSL: that of
    /// `#pragma shader_stage`, else of the file's extension, else compute.
    #[arg(long, value_enum)]
    pub(crate) stage: Option<Stage>,
    /// The shader of the previous stage; an input that it does not write is an error.
    #[arg(long, value_name = "SHADER")]
    pub(crate) after: Option<PathBuf>,
    /// The domain of the tessellator, for tessellation control shaders. Default: quads.
    #[arg(long, value_enum)]
    pub(crate) domain: Option<Domain>,
    /// The spacing of the tessellator, for tessellation control shaders. Before gen9, code for quads with equal spacing changes
    /// levels that the tessellator cannot handle. Without the flag, it does not.
    #[arg(long, value_enum)]
    pub(crate) spacing: Option<Spacing>,
    /// Channels of a thread. `auto` selects the width with the lowest estimated cost. `4x2` means threads of two vertices,
    /// for vertex, tessellation and geometry shaders: their only width on gen7 and gen7.5, possible on Broadwell. Elsewhere their
    /// width is 8.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) simd: Width,
    /// Invocations of a subgroup: 8, 16 or 32. The SIMD width is then the same.
    #[arg(long, value_name = "COUNT")]
    pub(crate) subgroup_size: Option<u32>,
    /// Use only SIMD widths at which all invocations of each subgroup of a compute shader exist.
    #[arg(long)]
    pub(crate) full_subgroups: bool,
    /// Samples of a pixel, for fragment shaders: 1, 2, 4, 8 or 16. Without it, the code is for any number. On gen7 and gen7.5, a
    /// shader whose results depend on the number of its sample is then for one sample only.
    #[arg(long, value_name = "COUNT", value_parser = samples)]
    pub(crate) samples: Option<u8>,
    /// Code for alpha to coverage: a fragment shader of several attachments sends the alpha of attachment 0 with each colour.
    #[arg(long)]
    pub(crate) alpha_to_coverage: bool,
    /// Clamp indices of arrays, matrices and vectors into their bounds.
    #[arg(long)]
    pub(crate) robust_access: bool,
    /// A specialization constant, or an `override` of WGSL by `@id` or name; may be repeated.
    #[arg(long, value_name = "ID=VALUE")]
    pub(crate) spec: Vec<Spec>,
    /// Number of elements of a descriptor array without a size in the shader. Default for `run`: the number of bound elements.
    #[arg(long, value_name = "SET.BINDING=COUNT")]
    pub(crate) descriptors: Vec<Descriptors>,
    /// Format of a storage image that the shader declares without a format, such as rgba8. Default for `run`: the format of the bound image.
    #[arg(long, value_name = "SET.BINDING=FORMAT")]
    pub(crate) image_format: Vec<ImageFormat>,
    /// Print each pass with its time.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print the intermediate representation after a pass, or after all of them.
    #[arg(long, value_name = "PASS|all", value_parser = print_pass)]
    pub(crate) print_after: Vec<String>,
    /// Leave out an optimisation pass (`opt_*` only; to find bugs); may be repeated.
    #[arg(long, value_name = "PASS", value_parser = skipped_pass)]
    pub(crate) skip_pass: Vec<String>,
    /// List the passes in the order in which they first run, and stop.
    #[arg(long, exclusive = true)]
    pub(crate) list_passes: bool,
    /// Limit the number of changes by `opt_*` passes, and print the last change and the number of changes (to find bugs by
    /// bisection).
    #[arg(long, value_name = "CHANGES")]
    pub(crate) fuel: Option<u64>,
}

impl Source {
    /// A shader of a stage, with the default options.
    pub(crate) fn of(shader: PathBuf, target: Platform, stage: Stage, simd: Width) -> Source {
        Source {
            shader,
            target,
            lang: None,
            entry: None,
            stage: Some(stage),
            after: None,
            domain: None,
            spacing: None,
            simd,
            subgroup_size: None,
            full_subgroups: false,
            samples: None,
            alpha_to_coverage: false,
            robust_access: false,
            spec: Vec::new(),
            descriptors: Vec::new(),
            image_format: Vec::new(),
            verbose: false,
            print_after: Vec::new(),
            skip_pass: Vec::new(),
            list_passes: false,
            fuel: None,
        }
    }
}

/// Reads a number of samples.
pub(crate) fn samples(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(count @ (1 | 2 | 4 | 8 | 16)) => Ok(count),
        _ => Err("expected 1, 2, 4, 8 or 16".to_owned()),
    }
}

/// Reads an output that transform feedback captures.
fn captured(text: &str) -> Result<IoSlot, String> {
    match (text, text.parse()) {
        ("primitive_id", _) => Ok(IoSlot::PrimitiveId),
        (_, Ok(location)) => Ok(IoSlot::Location(location)),
        _ => Err("expected a location or `primitive_id`".to_owned()),
    }
}

/// A stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Stage {
    Vertex,
    TessControl,
    TessEval,
    Geometry,
    Fragment,
    Compute,
}

impl From<crestline::Stage> for Stage {
    fn from(stage: crestline::Stage) -> Stage {
        use crestline::Stage as Of;
        match stage {
            Of::Vertex => Stage::Vertex,
            Of::TessControl => Stage::TessControl,
            Of::TessEval => Stage::TessEval,
            Of::Geometry => Stage::Geometry,
            Of::Fragment => Stage::Fragment,
            Of::Compute => Stage::Compute,
        }
    }
}

/// What a tessellator divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Domain {
    Triangles,
    Quads,
    Isolines,
}

/// How a tessellator rounds levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spacing {
    Equal,
    FractionalOdd,
    FractionalEven,
}

/// The SIMD width asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Width {
    #[default]
    Auto,
    #[value(name = "8")]
    W8,
    #[value(name = "16")]
    W16,
    #[value(name = "32")]
    W32,
    #[value(name = "4x2")]
    W4x2,
}

#[derive(Debug, Args)]
pub(crate) struct Compile {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Vertices of an input patch, for tessellation shaders.
    #[arg(long, value_name = "COUNT")]
    pub(crate) patch_vertices: Option<u32>,
    /// The output format. Default: that of the output's extension (.bin, .hex, .json, .zebin, .ssa), else assembly.
    #[arg(long, value_enum)]
    pub(crate) emit: Option<Emit>,
    /// The assembly syntax.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) syntax: Syntax,
    /// The output file. Default: standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Link {
    /// The shaders, in any order, each of another stage.
    #[arg(required = true)]
    pub(crate) shaders: Vec<PathBuf>,
    /// The chip to compile for, such as `skl`; `crestline targets` lists them.
    #[arg(long, value_parser = Target, hide_possible_values = true)]
    pub(crate) target: Platform,
    /// The folder for the programs, a file for each stage: `vertex.json` and so on. It is made if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
    /// The stage of the first shader, the second one and so on, for modules with entry points of several stages.
    #[arg(long, value_enum)]
    pub(crate) stage: Vec<Stage>,
    /// The entry point of the first shader, the second one and so on.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Vec<String>,
    /// A location that transform feedback captures from the last stage before the rasterizer, or `primitive_id`; may be
    /// repeated.
    #[arg(long, value_name = "LOCATION", value_parser = captured)]
    pub(crate) capture: Vec<IoSlot>,
    /// No fragment shader follows, so nothing reads the locations of the last stage.
    #[arg(long)]
    pub(crate) no_fragment_shader: bool,
    /// Vertices of an input patch, for tessellation shaders.
    #[arg(long, value_name = "COUNT")]
    pub(crate) patch_vertices: Option<u32>,
    /// Samples of a pixel, for fragment shaders: 1, 2, 4, 8 or 16.
    #[arg(long, value_name = "COUNT", value_parser = samples)]
    pub(crate) samples: Option<u8>,
    /// Code for alpha to coverage.
    #[arg(long)]
    pub(crate) alpha_to_coverage: bool,
    /// Number of elements of a descriptor array without a size in the shaders.
    #[arg(long, value_name = "SET.BINDING=COUNT")]
    pub(crate) descriptors: Vec<Descriptors>,
    /// Format of a storage image that the shader declares without a format, such as rgba8. Default for `run`: the format of the bound image.
    #[arg(long, value_name = "SET.BINDING=FORMAT")]
    pub(crate) image_format: Vec<ImageFormat>,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) emit: LinkEmit,
    /// The assembly syntax.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) syntax: Syntax,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `link` writes for each stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum LinkEmit {
    /// Assembly text.
    Asm,
    /// Machine code in memory order.
    Bin,
    /// Hexadecimal text, one instruction per line.
    Hex,
    /// Code, metadata and statistics as JSON.
    #[default]
    Json,
}

/// What `compile` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// Assembly text.
    Asm,
    /// Assembly text with the directives `.file` and `.loc`, from which Compiler Explorer takes source lines.
    Loc,
    /// Machine code in memory order.
    Bin,
    /// Hexadecimal text, one instruction per line.
    Hex,
    /// An ELF file for Intel's compute runtime, with one kernel.
    Zebin,
    /// Code, metadata and statistics as JSON.
    Json,
    /// The mid-level representation after its last pass.
    Ssa,
    /// The back end's representation after its last pass.
    Codegen,
}

/// A dialect of assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Syntax {
    /// The syntax of Mesa's dumps.
    #[default]
    Mesa,
    /// The syntax of Intel's assembler iga64.
    Iga,
}

/// What a dispatch works on.
#[derive(Debug, Args)]
pub(crate) struct Resources {
    /// Number of workgroups of a compute shader; omitted dimensions are 1.
    #[arg(long, value_name = "X,Y,Z")]
    pub(crate) dispatch: Option<Dispatch>,
    /// Write how often each instruction was executed, with its channels, and the bytes and cache lines of messages, as JSON.
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub(crate) profile: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) bindings: Bindings,
    #[command(flatten)]
    pub(crate) draw: Draw,
}

/// Buffers, images, samplers and push constants, and how the emulator runs.
#[derive(Debug, Args)]
pub(crate) struct Bindings {
    /// Push constants.
    #[arg(long, value_name = "FILE")]
    pub(crate) push: Option<PathBuf>,
    /// Initial contents of a buffer: a file or `zero:BYTES`.
    #[arg(long, value_name = "SET.BINDING[ELEMENT]=FILE")]
    pub(crate) bind: Vec<Bind>,
    /// Place the address of a buffer, of eight bytes, at a byte of another buffer or of the push constants.
    #[arg(long, value_name = "SET.BINDING|push:BYTE=SET.BINDING[+BYTES]")]
    pub(crate) address: Vec<Address>,
    /// Write a buffer or an image's texels after the run.
    #[arg(long, value_name = "SET.BINDING[ELEMENT]=FILE")]
    pub(crate) out: Vec<Out>,
    /// Write a buffer or image of rgba8 pixels as a picture after the run.
    #[arg(long, value_name = "SET.BINDING=WxH:FILE")]
    pub(crate) png: Vec<Png>,
    /// Print a buffer after the run; TYPE is u8 ... u64, i8 ... i64, f32, f64 or x32.
    #[arg(long, value_name = "SET.BINDING=TYPE[:COUNT]")]
    pub(crate) print: Vec<Print>,
    /// An image or texel buffer with its initial texels: a file or `zero:BYTES`.
    #[arg(long, value_name = "S.B=DIM:SIZE:FORMAT:FILE[:levels=N][:samples=N][:tiling=x|y]")]
    pub(crate) image: Vec<Image>,
    /// A sampler, or the sampler of a combined image sampler; FILTER is nearest or linear, ADDRESS repeat, clamp, mirror, mirror_once or border.
    #[arg(long, value_name = "S.B=FILTER:ADDRESS[:mip=FILTER][:compare=OP][:border=COLOUR]")]
    pub(crate) sampler: Vec<Sampler>,
    /// The memory model: `strong` makes writes visible immediately, `weak` late and out of order unless fences order them.
    #[arg(long, value_name = "strong|weak[:SEED]", default_value = "strong")]
    pub(crate) memory: Memory,
    /// The number of the view that a shader of the graphics pipeline draws (multiview).
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    pub(crate) view: u32,
    /// Print each executed instruction with its channels and registers.
    #[arg(long)]
    pub(crate) trace: bool,
    /// End with an error if the emulator reports anything, such as an access out of bounds.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Maximal number of instructions that a thread may execute.
    #[arg(long, value_name = "COUNT", default_value_t = 1 << 30)]
    pub(crate) budget: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Print the assembly or the statistics before the run.
    #[arg(long, value_enum)]
    pub(crate) show: Vec<Show>,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `run` shows besides results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    /// The machine code as assembly.
    Asm,
    /// Statistics of the compiler and of the run.
    Stats,
}

#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// Machine code in any container that `disasm` reads, a program that `compile --emit json` wrote, or `-`.
    pub(crate) code: PathBuf,
    /// The kernel to use, if the container has several.
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The code is text in which each group of 8 hex digits is a little-endian dword.
    #[arg(long)]
    pub(crate) dwords: bool,
    /// The metadata as JSON, alone or in a program. It may be omitted if CODE is a program.
    #[arg(long, value_name = "FILE")]
    pub(crate) meta: Option<PathBuf>,
    /// The chip that the code is for.
    #[arg(long, value_parser = Target, hide_possible_values = true)]
    pub(crate) target: Platform,
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_documented_commands_parse() {
        for line in [
            "crestline compile a.comp --target skl --entry main --simd 16 --spec 1=2 --emit json -o -",
            "crestline compile a.wgsl --target gen9 --syntax iga -v --print-after all",
            "crestline run a.wgsl --target bdw --dispatch 4,4,1 --push p --bind 0.0=zero:4 --out 0.0=o \
             --show asm --show stats --print 0.0=f32:4 --trace --memory weak:3 \
             --image 0.1=2d:4x4:rgba8:i:levels=2 --sampler 0.2=linear:clamp:mip=linear",
            "crestline exec c.hex --meta m.json --target skl --dispatch 1 --bind 0.0[1]=-",
            "crestline targets",
            "crestline targets --color never",
            "crestline completions zsh",
            "crestline man -o manuals",
            "crestline compile --list-passes",
            "crestline run --list-passes",
            "crestline compile a.wgsl --target skl --skip-pass opt_cse --print-after lower_scalarize",
            "crestline disasm - --target skl --syntax iga",
            "crestline validate c.bin --target skl --disable D7 --disable K22",
            "crestline disasm a.zebin --target skl --kernel main --json",
            "crestline disasm error --target skl --error-state",
            "crestline disasm a.bin --target skl --offsets --bytes --start 0x40 --length 512 --strict",
            "crestline validate a.bin --target skl --start 64 --length 0x200 --strict",
            "crestline validate c.bin --target skl --json",
            "crestline asm a.asm --target gen7.5 --syntax iga --compact -o a.zebin --kernel main",
            "crestline asm - --target skl --emit hex --json",
            "crestline analyze a.comp b.bin --target skl --target ivb --simd 8 --simd 16 --format json -o a.json",
            "crestline analyze a.comp --target skl --measure --dispatch 1 --bind 0.0=zero:4 --compare bdw \
             --fail-if spills>0 --without-hint H7",
            "crestline region g4<8;4,2>:f --exec 16 --svg a.svg --json",
            "crestline fields a.hex --target skl --at 0x10 --json",
        ] {
            if let Err(error) = Cli::try_parse_from(line.split_whitespace()) {
                panic!("{line}: {error}");
            }
        }
    }

    #[test]
    fn wrong_usage_is_refused() {
        for line in [
            "crestline",
            "crestline frobnicate",
            "crestline targets --color blue",
            "crestline completions cmd",
            "crestline man",
            "crestline compile a.comp",
            "crestline validate c.bin --target skl --disable Z1",
            "crestline analyze a.comp --target skl --fail-if spill>0",
            "crestline analyze a.comp --target skl --fail-if spills",
            "crestline analyze a.comp --target skl --without-hint H0",
            "crestline compile a.comp --target pentium",
            "crestline compile a.comp --target skl --simd 4",
            "crestline run a.comp --target skl --attr 0=rgbx8:a.bin",
            "crestline run a.comp --target skl --dispatch x",
            "crestline compile a.comp",
            "crestline compile --target skl",
            "crestline compile a.comp --target skl --list-passes",
            "crestline compile a.comp --target skl --skip-pass opt_ces",
            "crestline compile a.comp --target skl --skip-pass lower_scalarize",
            "crestline compile a.comp --target skl --print-after lower",
            "crestline run a.comp --target skl --dispatch 1 --bind 0=zero:4",
        ] {
            assert!(Cli::try_parse_from(line.split_whitespace()).is_err(), "{line}");
        }
    }
}
