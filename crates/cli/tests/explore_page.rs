//! Drives the page of `crestline explore` in Chromium.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crestline_judges::playwright::Playwright;

#[test]
fn the_explorer_works_in_a_browser() {
    let Some(playwright) = crestline_judges::ask(Playwright::find()) else { return };
    let mut server = Command::new(env!("CARGO_BIN_EXE_crestline"))
        .arg("explore")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut url = String::new();
    let read = BufReader::new(server.stdout.take().expect("its output")).read_line(&mut url);
    // With `CRESTLINE_PICTURES`, a folder, pictures are kept for a person to look at.
    let driven = playwright.drive(url.trim(), std::env::var_os("CRESTLINE_PICTURES"));
    let _ = server.kill();
    let _ = server.wait();
    read.expect("a URL");
    driven.unwrap_or_else(|error| panic!("{error}"));
}
