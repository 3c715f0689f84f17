//! Chromium, a browser: it shows whether pages that we write work.

use std::path::Path;

use crate::Absent;
use crate::process::{Scratch, Tool, ToolError};

const PACKAGES: &str = "chromium";

/// The installed browser.
#[derive(Debug, Clone)]
pub struct Chromium {
    tool: Tool,
    description: String,
}

impl Chromium {
    /// Looks for the program.
    ///
    /// # Errors
    ///
    /// [`Absent`] when it is not on PATH.
    pub fn find() -> Result<Chromium, Absent> {
        let tool = Tool::find("chromium", PACKAGES)?;
        let description = tool.path().display().to_string();
        Ok(Chromium { tool, description })
    }

    /// Where the program was found.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Opens a page, runs its scripts, and returns the document as HTML afterwards.
    ///
    /// # Errors
    ///
    /// If the browser does not run or ends with an error.
    pub fn dom(&self, page: &str) -> Result<String, ToolError> {
        let scratch = Scratch::new("chromium")?;
        scratch.write("page.html", page.as_bytes())?;
        self.run(&scratch, &["--virtual-time-budget=2000", "--dump-dom"])
    }

    /// Writes a picture of a page, in PNG, of 1400 by `height` pixels.
    ///
    /// # Errors
    ///
    /// As for [`dom`](Chromium::dom), or if the picture cannot be written.
    pub fn picture(&self, page: &str, height: u32, file: &Path) -> Result<(), ToolError> {
        let scratch = Scratch::new("chromium")?;
        scratch.write("page.html", page.as_bytes())?;
        let size = format!("--window-size=1400,{height}");
        self.run(&scratch, &[&size, "--hide-scrollbars", "--screenshot=picture.png"])?;
        let io = |source| ToolError::Io { tool: "chromium", source };
        std::fs::write(file, scratch.read("picture.png")?).map_err(io)
    }

    fn run(&self, scratch: &Scratch, arguments: &[&str]) -> Result<String, ToolError> {
        // Without a sandbox, because root has none; the page is our own. The profile is in the scratch folder.
        let profile = format!("--user-data-dir={}", scratch.path().join("profile").display());
        let page = format!("file://{}", scratch.path().join("page.html").display());
        let fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let all = fixed.iter().chain(arguments).copied();
        let all = all.chain([profile.as_str(), page.as_str()]);
        Ok(self.tool.run(scratch.path(), all)?.stdout)
    }
}
