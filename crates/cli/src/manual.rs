//! The commands `completions` and `man`: documents made from the definition of the command line.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man as Page;

use crate::args::Cli;
use crate::error::Failure;
use crate::files;

/// The origin of the pages: program and version.
const SOURCE: &str = concat!("crestline ", env!("CARGO_PKG_VERSION"));

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder for the pages: `crestline.1`, and `crestline-COMMAND.1` for each command. It is made if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
}

/// The definition of the command line. The version has no commit, so that documents change only with the flags.
fn definition() -> clap::Command {
    let mut definition = Cli::command().version(env!("CARGO_PKG_VERSION"));
    definition.build();
    definition
}

/// Prints the script.
pub(crate) fn completions(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition(), "crestline", &mut script);
    files::write("-".as_ref(), &script)
}

/// Writes the pages.
pub(crate) fn man(arguments: &Man) -> Result<(), Failure> {
    let (folder, definition) = (&arguments.output, definition());
    let commands = std::iter::once(&definition).chain(definition.get_subcommands());
    let pages = commands.map(|command| {
        let page = Page::new(command.clone()).source(SOURCE).manual("Crestline");
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = page.render(&mut text);
        (folder.join(page.get_filename()), text)
    });
    files::write_all(folder, &pages.collect::<Vec<_>>())
}
