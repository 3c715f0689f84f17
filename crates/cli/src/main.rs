//! The `crestline` command line.
#![allow(dead_code, reason = "the commands are wired up as the rooms they call land")]

mod args;
mod error;
mod files;
mod grammar;
mod targets;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    match cli.command {
        args::Command::Targets => {
            print!("{}", targets::table());
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("this command is not connected yet");
            ExitCode::FAILURE
        }
    }
}
