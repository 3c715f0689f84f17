//! The `crestline` command line.
//!
//! * [`args`] and [`grammar`] define the flags and parse their values,
//! * [`source`] and [`spec`] convert a source file to a module, [`reader`] runs parsers of other projects in a child process,
//! * [`amber`], [`analyze`], [`batch`], [`compile`], [`link`], [`run`] (with [`draw`] and [`varyings`]), [`asm`], [`code`], [`region`], [`fields`]
//!   and [`targets`] are the commands, [`listing`] prints assembly in columns,
//! * [`manual`] writes completions for shells and manual pages,
//! * [`error`] prints errors, [`files`] reads and writes files.

mod addresses;
mod amber;
mod analyze;
mod annotate;
mod args;
mod asm;
mod batch;
mod code;
mod compile;
mod draw;
mod error;
mod error_state;
mod explore;
mod fields;
mod files;
mod grammar;
mod link;
mod listing;
mod manual;
mod picture;
mod profile;
mod progress;
mod raster;
mod reader;
mod region;
mod run;
mod source;
mod spec;
mod targets;
mod varyings;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Internal commands of child processes. They are tested before the user's flags and file names are parsed.
    if std::env::args_os().nth(1).is_some_and(|first| first == reader::COMMAND) {
        return reader::serve();
    }
    if std::env::args_os().nth(1).is_some_and(|first| first == batch::COMMAND) {
        return batch::serve();
    }
    if std::env::args_os().nth(1).is_some_and(|first| first == explore::COMMAND) {
        return explore::serve();
    }
    // Wrong usage ends the program here, with status 2.
    let Cli { color, command } = Cli::parse();
    anstream::ColorChoice::from(color).write_global();
    if command.json() {
        error::use_json();
    }
    let result = match command {
        Command::Compile(arguments) => compile::command(&arguments),
        Command::Link(arguments) => link::command(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Exec(arguments) => run::exec(&arguments),
        Command::Draw(arguments) => raster::command(&arguments),
        Command::Amber(arguments) => return amber::command(&arguments),
        Command::Batch(arguments) => batch::command(arguments),
        Command::Report(arguments) => batch::report(&arguments),
        Command::Analyze(arguments) => return analyze::command(&arguments),
        Command::Explore(arguments) => explore::command(&arguments),
        Command::Asm(arguments) => asm::command(&arguments),
        Command::Disasm(arguments) => code::disassemble(&arguments),
        Command::Validate(arguments) => code::validate(&arguments),
        Command::Region(arguments) => region::command(&arguments),
        Command::Fields(arguments) => fields::command(&arguments),
        Command::Targets => files::write("-".as_ref(), targets::table().as_bytes()),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::man(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            ExitCode::FAILURE
        }
    }
}
