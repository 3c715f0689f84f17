//! Playwright drives Chromium through a page that a server of ours serves.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::Absent;
use crate::process::{Tool, ToolError};

/// The Debian packages with Node.js and its package manager.
pub const PACKAGES: &str = "nodejs npm";

/// Node with the package `playwright-core` in `tests/explorer`, and Chromium.
#[derive(Debug, Clone)]
pub struct Playwright {
    node: Tool,
    chromium: Tool,
}

impl Playwright {
    /// The folder of the script and of `package.json`.
    pub fn folder() -> PathBuf {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/explorer"))
    }

    /// Looks for the programs and the package.
    ///
    /// # Errors
    ///
    /// [`Absent`] when one of them is missing.
    pub fn find() -> Result<Playwright, Absent> {
        let node = Tool::find("node", PACKAGES)?;
        let chromium = Tool::find("chromium", "chromium")?;
        if !Playwright::folder().join("node_modules/playwright-core").is_dir() {
            return Err(Absent {
                judge: "playwright",
                reason: "`npm ci` was not run in tests/explorer".into(),
                packages: Some(PACKAGES),
            });
        }
        Ok(Playwright { node, chromium })
    }

    /// The path of Node.
    pub fn description(&self) -> String {
        self.node.path().display().to_string()
    }

    /// Runs `drive.mjs` on the page at a URL. Pictures of the page go to the folder, if there is one.
    ///
    /// # Errors
    ///
    /// If a step of the script fails; the error contains its output.
    pub fn drive(&self, url: &str, pictures: Option<OsString>) -> Result<(), ToolError> {
        let fixed = [OsString::from("drive.mjs"), url.into(), self.chromium.path().into()];
        self.node.run(&Playwright::folder(), fixed.into_iter().chain(pictures))?;
        Ok(())
    }
}
