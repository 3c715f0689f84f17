//! Which messages each barrier becomes, on every generation: `tests/codegen/fences.golden` has a
//! paragraph for each scope and kind of memory, and in it a line for each sequence with the
//! platforms that get it. `UPDATE_EXPECT=1` writes it.

use std::fmt::Write as _;
use std::path::Path;

use crestline_codegen::interface::Interface;
use crestline_codegen::target::Target;
use crestline_codegen::{ir, scalar};
use crestline_device::Platform;
use crestline_isa::Opcode;
use crestline_isa::message::{Bti, Cache, Message};
use crestline_ssa::text;
use crestline_testing::golden;

/// One platform for each generation.
const PLATFORMS: [Platform; 6] =
    [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl, Platform::Icl, Platform::Tgl];

const KINDS: [&str; 5] = ["buffer", "image", "shared", "buffer, image, shared", "output"];

/// Invocations of a workgroup of eight threads, and of one.
const SIZES: [u32; 2] = [64, 8];

/// What a platform does, in words.
fn sequence(platform: Platform, barrier: &str, size: u32) -> String {
    let source = format!("compute \"main\" {{ local_size {size}, 1, 1 {barrier} return }}");
    let shader = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let target = Target::of(platform);
    let function = scalar::select(&shader, &target, &Interface::default(), 8)
        .unwrap_or_else(|e| panic!("{barrier} on {platform}: {e}"));
    let words: Vec<String> = function.insts().filter_map(|inst| word(inst, &target)).collect();
    if words.is_empty() { "nothing".into() } else { words.join(", ") }
}

/// A fence, a barrier, or a wait.
fn word(inst: &ir::Inst, target: &Target) -> Option<String> {
    let message = match (inst.op, &inst.message) {
        (ir::Op::Message, Some(message)) => message,
        (ir::Op::Await, _) => return Some("await".into()),
        (ir::Op::Hw(Opcode::Wait), _) => return Some("wait".into()),
        _ => return None,
    };
    message.supported(target.generation()).unwrap_or_else(|e| panic!("{inst:?}: {e}"));
    match message.kind {
        Message::MemoryFence { cache, bti, commit, .. } => {
            let what = match (cache, bti) {
                (Cache::Data, Bti::SLM) => "shared memory",
                (Cache::Data, _) => "data cache",
                (Cache::Render, _) => "render cache",
                _ => "another",
            };
            let commit = if commit { "" } else { " without commit" };
            Some(format!("fence of the {what}{commit}"))
        }
        Message::Gateway { .. } => Some("barrier".into()),
        _ => None,
    }
}

#[test]
fn barriers_become_the_messages_that_each_generation_needs() {
    let mut listing = String::new();
    for size in SIZES {
        for execution in ["", "execution workgroup, "] {
            for scope in ["invocation", "subgroup", "workgroup", "device"] {
                for kind in KINDS {
                    let barrier =
                        format!("barrier {execution}memory {scope}, acquire, release, {kind}");
                    let threads = if size > 8 { "several threads" } else { "one thread" };
                    writeln!(listing, "{barrier}; {threads}").expect("a string");
                    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
                    for platform in PLATFORMS {
                        let sequence = sequence(platform, &barrier, size);
                        match rows.iter_mut().find(|row| row.0 == sequence) {
                            Some(row) => row.1.push(platform.name()),
                            None => rows.push((sequence, vec![platform.name()])),
                        }
                    }
                    for (sequence, platforms) in rows {
                        writeln!(listing, "    {}: {sequence}", platforms.join(" "))
                            .expect("a string");
                    }
                }
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/codegen/fences.golden");
    golden::check([(path, listing)]);
}
