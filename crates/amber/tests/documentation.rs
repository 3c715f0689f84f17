//! `docs/amber.md` is generated: `UPDATE_EXPECT=1` rewrites it.

use crestline_amber::limits;
use crestline_amber::requirements::{skips, unsupported, without_command};
use crestline_amber::table::{COMMANDS, Support, script_with};
use crestline_testing::golden;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Scripts with pipelines: AmberScript and VkScript

`crestline amber FILE... --target skl` runs scripts that contain shaders, buffers, pipelines, commands and expectations about
the results. The formats are those of the project google/amber: AmberScript (the first line is `#!amber`), and the older VkScript
(sections such as `[compute shader]` and `[test]`). The shaders are compiled for the target, and run in the emulator.

| exit status | meaning |
| --- | --- |
| 0 | all expectations hold |
| 1 | an expectation does not hold, the script is wrong, or Crestline does not support a part of it |
| 77 | the hardware of the target lacks what the script requires; with several scripts: some were skipped, and none ran |

`--png ATTACHMENT:FILE` writes an image of the script, `--show stats` prints the counts of each run, `--json` prints results and
errors as JSON. A script can read files whose paths are relative to its folder.

This page is generated from the tables in `crates/amber/src/table.rs` and `requirements.rs`.
";

const RULES: &str = "\
## Rules where the formats leave a choice

* Values of floats are equal if they differ by at most 0.000001, or if the expected value rounds to the found one.
* Components of pixels are compared as numbers from 0 to 255 (AmberScript) or 0 to 1 (VkScript), and as they are if the format
  has integers. Without a tolerance, the difference of normalized numbers may be half a step of 8 bits (0.002). Components of sRGB
  formats are compared as linear numbers.
* A single tolerance is for all components; of several, each is for one component of a vector or pixel.
* The error of `RMSE_BUFFER` is that of the stored numbers (a byte is 0 to 255). The distance of `EQ_HISTOGRAM_EMD_BUFFER` is the
  largest one of all channels, as a part of 256 bins.
* A buffer that is bound more than once in a pipeline is a separate copy in each binding. After the run, the bytes that changed in
  each copy are stored.
* A storage image of the format `B8G8R8A8_UNORM`, which no shader can declare, is bound as `R8G8B8A8_UNORM`.
* The short segments of a fractional tessellation level, and the triangles of a patch, are where lavapipe has them.
* An index beyond the index buffer is 0, a vertex beyond the vertex data is 0, 0, 0, 1.
";

#[test]
fn the_page_is_up_to_date() {
    let mut page = HEAD.to_owned();
    page += "\n## Commands of AmberScript\n\n| command | support |\n| --- | --- |\n";
    for row in COMMANDS {
        let support = match row.support {
            Support::Full => "yes".to_owned(),
            Support::Except(what) => format!("yes, except: {what}"),
            Support::Error(what) => format!("E1203: Crestline does not support {what}"),
            Support::Skip => "the script is skipped".to_owned(),
        };
        let form = row.form.replace('|', "\\|");
        let _ = writeln!(page, "| `{form}` | {support} |");
    }
    page += "\nVkScript has the same support. Its sections and commands become those of AmberScript.\n\n";
    page += RULES;
    page += "\n## Skips\n\nA script is skipped only if it requires one of these features, extensions or formats:\n\n";
    page += "| what | generations | reason |\n| --- | --- | --- |\n";
    for (name, generations, reason) in skips() {
        let _ = writeln!(page, "| `{name}` | {generations} | {reason} |");
    }
    page += "\n## Features that Crestline does not support\n\nA script that requires one of them fails (E1203):\n\n";
    for name in unsupported() {
        let _ = writeln!(page, "* `{name}`");
    }
    page += "\nA script can require these features, but has no command that uses them:\n\n";
    for name in without_command() {
        let _ = writeln!(page, "* `{name}`");
    }
    let _ = write!(
        page,
        "\n## Limits\n\n| what | most |\n| --- | --- |\n\
         | bytes of a script | {} |\n| bytes of all buffers and images | {} |\n| bytes of all buffers and images, of a command's copies of them, and of its vertices | {} |\n| objects of a kind | {} |\n\
         | commands with their repetitions | {} |\n| workgroups of a dispatch | {} |\n| vertices of a draw call | {} |\n| cells of a grid | {} |\n\
         | values of a type | {} |\n| width and height of an image | {} |\n",
        limits::SCRIPT_BYTES,
        limits::BUFFER_BYTES,
        limits::MEMORY_BYTES,
        limits::OBJECTS,
        limits::COMMANDS,
        limits::WORKGROUPS,
        limits::VERTICES,
        limits::CELLS,
        limits::TYPE_VALUES,
        limits::IMAGE_SIDE,
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/amber.md");
    golden::check([(path, page)]);
}

#[test]
fn the_parser_knows_every_command_of_the_table() {
    for row in COMMANDS {
        let text = script_with(row);
        let script = crestline_amber::parse(&text)
            .unwrap_or_else(|error| panic!("{}: {} {error}\n{text}", row.form, error.place));
        let unsupported: Vec<&str> =
            script.unsupported.iter().map(|(_, what)| what.as_str()).collect();
        match row.support {
            Support::Error(what) => assert_eq!(unsupported, [what], "{}", row.form),
            _ => assert!(unsupported.is_empty(), "{}: {unsupported:?}", row.form),
        }
        let rays = script.features.iter().any(|(_, name)| name.contains("rayTracing"));
        assert_eq!(rays, row.support == Support::Skip, "{}", row.form);
    }
}
