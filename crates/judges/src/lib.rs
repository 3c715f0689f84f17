//! Judges: outside programs and data sets that confirm Crestline's results.
//!
//! | module | judge | what it confirms |
//! | --- | --- | --- |
//! | [`lavapipe`] | Mesa's CPU Vulkan driver | what a compute shader computes |
//! | [`iga`] | Intel's `iga64` | what machine code says, gen8 and later |
//! | [`gen4asm`] | `intel-gen4asm` | what machine code says, gen4 to gen9 |
//! | [`oracle`] | machine code of Mesa and IGC with data  | Intel's OpenCL compiler | whether it reads our containers |
//! | [`chromium`] | a browser | whether HTML reports work |
//! | [`c`] | gcc, clang, valgrind | whether the C interface works for C programs, without errors of memory |
//! | [`playwright`] | a driver of that browser | whether the page of the explorer works |
//! | [`python`] | `moto`, `pyarrow` | whether a cache on an S3 server works, and whether others read our Parquet files |
//! | [`spirv`] | `spirv-val`, `spirv-as` | whether a module is valid SPIR-V |
//! | [`glslang`] | `glslangValidator` | GLSL to SPIR-V without our front end |
//!
//! If a judge is not installed, [`ask`] prints which comparisons are
//! left out and why. With `CRESTLINE_JUDGES=required` in the environment it fails the test instead.

pub mod c;
pub mod chromium;
pub mod gen4asm;
pub mod glslang;
pub mod iga;
pub mod lavapipe;
pub mod ocloc;
pub mod oracle;
pub mod pictures;
pub mod playwright;
mod process;
pub mod python;
pub mod spirv;

pub use process::ToolError;

/// The environment variable that makes an absent judge a failure (value `required`).
pub const JUDGES_VARIABLE: &str = "CRESTLINE_JUDGES";

/// Why a judge cannot be used on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{judge} is absent: {reason} ({})", self.cure())]
pub struct Absent {
    /// The judge's name.
    pub judge: &'static str,
    /// What was tried and how it failed.
    pub reason: String,
    /// The Debian packages that contain the judge, separated by spaces; `None` if no package does.
    pub packages: Option<&'static str>,
}

impl Absent {
    fn cure(&self) -> String {
        match self.packages {
            Some(packages) => format!("on Debian: apt-get install {packages}"),
            None => "it comes with the project's shared files".into(),
        }
    }
}

/// Every Debian package that some judge needs, except those of [`playwright`]: a Node.js from elsewhere has its own
/// `npm`, and conflicts with Debian's package.
pub const PACKAGES: &[&str] = &[
    "chromium",
    "clang",
    "gcc",
    "glslang-tools",
    "intel-gpu-tools",
    "intel-opencl-icd",
    "libigc-tools",
    "libvulkan1",
    "mesa-vulkan-drivers",
    "python3",
    "python3-venv",
    "spirv-tools",
    "valgrind",
];

/// True when the environment says that an absent judge is a failure.
pub fn required() -> bool {
    std::env::var_os(JUDGES_VARIABLE).is_some_and(|value| value == "required")
}

/// Returns the judge if it is available. Otherwise prints on standard error which comparison is left out, and returns
/// `None`.
///
/// # Panics
///
/// Panics when the judge is absent and [`required`] says that it must not be.
pub fn ask<T>(judge: Result<T, Absent>) -> Option<T> {
    match judge {
        Ok(judge) => Some(judge),
        Err(absent) if required() => panic!("{JUDGES_VARIABLE}=required, but {absent}"),
        Err(absent) => {
            eprintln!("skipped: {absent}");
            None
        }
    }
}

/// Looks for every judge. Returns each name with a description of what was found or the reason of its absence, in a
/// fixed order.
pub fn survey() -> Vec<(&'static str, Result<String, Absent>)> {
    vec![
        ("lavapipe", lavapipe::Lavapipe::open().map(|vulkan| vulkan.description().to_owned())),
        ("iga64", iga::Iga::find().map(|tool| tool.description().to_owned())),
        ("gen4asm", gen4asm::Gen4Asm::find().map(|tool| tool.description().to_owned())),
        ("ocloc", ocloc::Ocloc::find().map(|tool| tool.description().to_owned())),
        ("spirv-tools", spirv::SpirvTools::find().map(|tool| tool.description().to_owned())),
        ("glslang", glslang::Glslang::find().map(|tool| tool.description().to_owned())),
        ("chromium", chromium::Chromium::find().map(|tool| tool.description().to_owned())),
        ("C tools", c::CTools::find().map(|tools| tools.description().to_owned())),
        ("playwright", playwright::Playwright::find().map(|found| found.description())),
        ("Python tools", python::Python::find().map(|found| found.description())),
        ("oracle pack", oracle::Oracle::find().map(|pack| pack.root().display().to_string())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_judge_names_itself_its_reason_and_its_cure() {
        let absent =
            Absent { judge: "iga64", reason: "not on PATH".into(), packages: Some("libigc-tools") };
        assert_eq!(
            absent.to_string(),
            "iga64 is absent: not on PATH (on Debian: apt-get install libigc-tools)"
        );
    }

    #[test]
    fn the_survey_names_every_judge_once() {
        let names: Vec<_> = survey().into_iter().map(|(name, _)| name).collect();
        let all = [
            "lavapipe",
            "iga64",
            "gen4asm",
            "ocloc",
            "spirv-tools",
            "glslang",
            "chromium",
            "C tools",
            "playwright",
            "Python tools",
            "oracle pack",
        ];
        assert_eq!(names, all);
    }
}
