//! The files of the page, which are part of the program.

use crate::http::Response;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Name below the token, content type and text of each file.
const FILES: &[(&str, &str, &str)] = &[
    ("", HTML, include_str!("../page/index.html")),
    ("style.css", STYLE, include_str!("../page/style.css")),
    ("main.js", SCRIPT, include_str!("../page/main.js")),
    ("api.js", SCRIPT, include_str!("../page/api.js")),
    ("dom.js", SCRIPT, include_str!("../page/dom.js")),
    ("editor.js", SCRIPT, include_str!("../page/editor.js")),
    ("code.js", SCRIPT, include_str!("../page/code.js")),
    ("run.js", SCRIPT, include_str!("../page/run.js")),
    ("registers.js", SCRIPT, include_str!("../page/registers.js")),
    ("memory.js", SCRIPT, include_str!("../page/memory.js")),
    ("values.js", SCRIPT, include_str!("../page/values.js")),
    ("file.js", SCRIPT, include_str!("../page/file.js")),
    ("fields.js", SCRIPT, include_str!("../page/fields.js")),
    ("statistics.js", SCRIPT, include_str!("../page/statistics.js")),
];

/// The file with a name.
pub(crate) fn file(name: &str) -> Option<Response> {
    let (_, content_type, text) = FILES.iter().find(|file| file.0 == name)?;
    Some(Response { status: 200, content_type, body: text.as_bytes().to_vec() })
}
