//! `crestline disasm --error-state`: the report on an i915 error state, with the code of the kernels.

use std::path::Path;

use crestline_hang::{Dump, DumpError, KernelReport, Report};
use serde_json::Value;

use crate::args;
use crate::code;
use crate::error::{Code, Failure, Origin};
use crate::files::{self, Limit};

/// Runs the command.
pub(crate) fn show(arguments: &args::Disasm) -> Result<(), Failure> {
    let input = &arguments.input;
    let text = files::read(&input.file, Limit::ERROR_STATE)?;
    let fail = |error: DumpError| failure(&error, &input.file);
    let dump = Dump::read(&text).map_err(fail)?;
    drop(text);
    let report = Report::new(&dump, input.target).map_err(fail)?;
    if input.json {
        let mut document = serde_json::to_value(&report).map_err(|error| {
            Failure::new(Code::ErrorState, error).at(Origin::file(files::shown(&input.file)))
        })?;
        let rows = document.get_mut("kernels").and_then(Value::as_array_mut);
        for (row, kernel) in rows.into_iter().flatten().zip(&report.kernels) {
            if let (Some(row), Some(code)) = (row.as_object_mut(), kernel.code) {
                row.insert("instructions".into(), code::instructions(code, arguments).into());
            }
        }
        return files::write_json("error-state", document);
    }
    let mut text = report.to_string();
    for kernel in &report.kernels {
        text.push_str(&format!("\n{kernel}\n"));
        text.push_str(&code_of(kernel, arguments));
    }
    files::write(Path::new("-"), text.as_bytes())
}

/// The aligned disassembly of a kernel.
fn code_of(kernel: &KernelReport<'_>, arguments: &args::Disasm) -> String {
    kernel.code.map(|code| code::text(code, arguments)).unwrap_or_default()
}

fn failure(error: &DumpError, file: &Path) -> Failure {
    let name = files::shown(file);
    // A line may be a whole buffer, so there is no excerpt of it.
    let origin = match (error, error.line()) {
        (&DumpError::Ascii85 { line, column, .. }, _) => Origin::in_line(name, None, line, column),
        (_, Some(line)) => Origin::line(name, "", line),
        (_, None) => Origin::file(name),
    };
    Failure::new(Code::ErrorState, error).at(origin)
}
