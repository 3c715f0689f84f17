//! Opens the HTML report in Chromium, with events of a mouse, and looks for script errors.

mod command;

use std::path::{Path, PathBuf};

use command::crestline;
use crestline_judges::chromium::Chromium;

const SHADER: &str = "#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { float data[]; };
shared float part[64];
void main() {
    uint i = gl_GlobalInvocationID.x;
    float sum = 0.0;
    for (uint n = 0u; n < uint(data[0]); n++) { // <b>&\"'
        sum += sin(data[i + n * 64u]) / float(n + 1u);
    }
    part[gl_LocalInvocationID.x] = sum;
    barrier();
    if (i % 3u == 0u) {
        sum *= part[63u - gl_LocalInvocationID.x];
    }
    data[i] = sum;
}
";

/// The report of the shader at two widths and of its code alone.
fn page(folder: &Path) -> String {
    std::fs::write(folder.join("sum.comp"), SHADER).expect("an input file");
    crestline(folder, "compile sum.comp --target skl --simd 8 -o code.hex");
    crestline(
        folder,
        "analyze sum.comp code.hex --target skl --simd 8 --simd 16 --format html -o page.html",
    );
    std::fs::read_to_string(folder.join("page.html")).expect("a page")
}

/// Collects errors of scripts. It precedes the scripts of the page.
const ERRORS: &str = "<script>window.problems = []; addEventListener('error', e => problems.push(e.message));
addEventListener('unhandledrejection', e => problems.push(String(e.reason)));
addEventListener('securitypolicyviolation', e => problems.push(e.blockedURI));</script>
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">";

/// Moves the mouse and clicks, and writes what happened to the end of the page.
const ACTIONS: &str = r#"<script>
const found = {};
try {
  const sections = [...document.querySelectorAll("section")];
  found.sections = sections.length;
  const first = sections[0];
  const count = (selector) => first.querySelectorAll(selector).length;
  const event = (type, at) => new MouseEvent(type, {bubbles: true, cancelable: true, clientX: at ? at[0] : 0, clientY: at ? at[1] : 0});
  const line = [...first.querySelectorAll(".pane.source .row[data-k]")].find(row => row.textContent.includes("sum +="));
  line.lastElementChild.dispatchEvent(event("mouseover"));
  found.marked_code = count(".pane.code .row.on");
  found.marked_source = count(".pane.source .row.on");
  line.parentElement.dispatchEvent(new MouseEvent("mouseleave"));
  found.after_leaving = count(".row.on");
  const row = first.querySelector(".pane.code .row[data-k]");
  row.click();
  found.pinned_source = count(".pane.source .row.pin");
  row.click();
  found.unpinned = count(".row.pin");
  first.querySelectorAll(".graph g[data-block]")[2].dispatchEvent(event("click"));
  found.block = first.querySelector(".row.on").dataset.block;
  const curve = first.querySelector(".curve");
  const box = curve.getBoundingClientRect();
  curve.dispatchEvent(event("mousemove", [box.left + box.width / 2, box.top + 5]));
  found.label = curve.querySelector(".label").textContent;
  document.getElementById("theme").click();
  found.dark = getComputedStyle(document.body).backgroundColor;
  found.code_alone = sections[2].querySelectorAll(".pane").length;
  found.bold = document.querySelectorAll(".pane.source b").length;
} catch (error) { problems.push(String(error)); }
found.problems = problems;
document.body.insertAdjacentHTML("beforeend", "<pre id=found></pre>");
document.getElementById("found").textContent = JSON.stringify(found);
</script>"#;

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = crestline_judges::ask(Chromium::find()) else { return };
    let folder = std::env::temp_dir().join(format!("crestline-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let page = page(&folder);
    let with = page.replacen("<head>", &format!("<head>{ERRORS}"), 1);
    let with = with.replacen("</body>", &format!("{ACTIONS}</body>"), 1);
    let dom = browser.dom(&with).expect("Chromium opens the page");
    let (_, found) = dom.split_once("<pre id=\"found\">").expect("the actions ran");
    let (found, _) = found.split_once("</pre>").expect("the end of the results");
    let found: serde_json::Value = serde_json::from_str(found).expect("JSON");
    let number = |name: &str| found[name].as_u64().unwrap_or_else(|| panic!("{name}: {found}"));
    assert_eq!(found["problems"], serde_json::json!([]), "{found}");
    assert_eq!((number("sections"), number("code_alone"), number("bold")), (3, 1, 0), "{found}");
    assert!(number("marked_code") > 3 && number("marked_source") == 1, "{found}");
    assert_eq!((number("after_leaving"), number("unpinned")), (0, 0), "{found}");
    assert_eq!((number("pinned_source"), &found["block"]), (1, &"2".into()), "{found}");
    assert!(found["label"].as_str().is_some_and(|label| label.contains("registers at 0x")));
    assert_eq!(found["dark"], "rgb(20, 23, 28)", "{found}");
    // For a person to look at.
    if let Some(pictures) = std::env::var_os("CRESTLINE_PICTURES").map(PathBuf::from) {
        for (name, theme) in [("light", "light"), ("dark", "dark")] {
            let themed = page.replacen("<html ", &format!("<html data-theme=\"{theme}\" "), 1);
            let file = pictures.join(format!("analysis-{name}.png"));
            browser.picture(&themed, 2400, &file).expect("a picture");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
