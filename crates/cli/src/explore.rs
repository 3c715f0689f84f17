//! `crestline explore`: a local page with an editor and the machine code.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use crestline::{Language, Platform};
use crestline_explore::{Document, MAX_INPUT_BYTES, MAX_REQUEST_BYTES, Server, Token};

use crate::args::Target;
use crate::error::{Code, Failure, Origin};
use crate::files::{self, Limit};
use crate::reader;

/// The first argument of a process that compiles one source for the page.
pub(crate) const COMMAND: &str = "explore-one-source";

/// The most memory of such a process in bytes.
const MEMORY_BYTES: u64 = 1 << 30;

/// Shown without a file.
const EXAMPLE: &str = include_str!("explore.comp");

/// Open a page of this machine that compiles a shader while it is edited.
///
/// The program prints the URL of the page, which only this machine can open, and runs until it is stopped.
#[derive(Debug, Args)]
pub(crate) struct Explore {
    /// The shader to start with, in WGSL, GLSL, HLSL or SPIR-V. The file is not changed.
    file: Option<PathBuf>,
    /// The chip, such as `skl`.
    #[arg(long, default_value = "skl", value_parser = Target, hide_possible_values = true)]
    target: Platform,
    /// The port of the loopback interface. Default: any free port.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
}

/// Runs the command.
pub(crate) fn command(arguments: &Explore) -> Result<(), Failure> {
    let document = document(arguments)?;
    let token = Token::new().map_err(|error| Failure::new(Code::Read, error))?;
    let start = || {
        let mut command = reader::child()?;
        command.arg(COMMAND);
        Ok(command)
    };
    let server =
        Server::bind(arguments.port, token, document, Box::new(start)).map_err(|error| {
            Failure::new(Code::Read, format!("port {} cannot be opened: {error}", arguments.port))
        })?;
    files::write("-".as_ref(), format!("{}\n", server.url()).as_bytes())?;
    server.run();
    Ok(())
}

/// The document that the page shows first.
fn document(arguments: &Explore) -> Result<Document, Failure> {
    let (language, stage, source) = match &arguments.file {
        None => ("glsl", "compute", EXAMPLE.to_owned()),
        Some(file) => {
            let at = || Origin::file(files::shown(file));
            let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let language = match Language::from_extension(extension) {
                Ok(language) => language.name(),
                Err(_) => {
                    let message =
                        "expected .wgsl .comp .vert .frag .tesc .tese .geom .glsl .hlsl or .spv";
                    return Err(Failure::new(Code::Read, message).at(at()));
                }
            };
            let stage = match extension {
                "comp" => "compute",
                "vert" => "vertex",
                "frag" => "fragment",
                "tesc" => "tess_control",
                "tese" => "tess_eval",
                "geom" => "geometry",
                _ => "auto",
            };
            let bytes = files::read(file, Limit::SHADER)?;
            let text = match language {
                "spirv" => crestline_explore::base64(&bytes),
                _ => String::from_utf8(bytes)
                    .map_err(|_| Failure::new(Code::Read, "the source is not UTF-8").at(at()))?,
            };
            // A request has the source as a JSON string, which can be longer.
            if text.len() > MAX_REQUEST_BYTES / 2 {
                let message = format!(
                    "the source is too long: the page takes {} bytes",
                    MAX_REQUEST_BYTES / 2
                );
                return Err(Failure::new(Code::Read, message).at(at()));
            }
            (language, stage, text)
        }
    };
    Ok(Document {
        source,
        language: language.to_owned(),
        stage: stage.to_owned(),
        target: arguments.target.name().to_owned(),
        width: "auto".to_owned(),
    })
}

/// The main function of a process that compiles one source.
pub(crate) fn serve() -> ExitCode {
    if reader::limit_memory(MEMORY_BYTES).is_err() {
        eprintln!("the memory of the process cannot be limited");
        return ExitCode::FAILURE;
    }
    crestline_explore::prepare();
    let mut request = Vec::new();
    let most = MAX_INPUT_BYTES as u64;
    if io::stdin().lock().take(most).read_to_end(&mut request).is_err() {
        return ExitCode::FAILURE;
    }
    let answer = crestline_explore::answer(&request);
    let mut out = io::stdout().lock();
    match out.write_all(&answer).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
