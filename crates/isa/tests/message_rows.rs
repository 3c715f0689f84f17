//! Compares the messages with the hardware tables of the oracle pack: each message type decodes to
//! a message with a name, and each descriptor field is a field of ours at the same bits.

mod common;

use crestline_isa::message::{Descriptor, Message, Word};
use crestline_isa::text::{Syntax, print_program};
use crestline_isa::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names of the generations at the head of the tables' columns.
const COLUMNS: [(&str, Gen); 11] = [
    ("gen4", Gen::Gen4),
    ("gen4.5", Gen::Gen45),
    ("gen5", Gen::Gen5),
    ("gen6", Gen::Gen6),
    ("gen7", Gen::Gen7),
    ("gen7.5", Gen::Gen75),
    ("gen8", Gen::Gen8),
    ("gen9", Gen::Gen9),
    ("gen11", Gen::Gen11),
    ("gen12.0", Gen::Gen12),
    ("gen12.5", Gen::Gen125),
];

/// Fields of the tables that have no counterpart here: shared function (empty: all), field, reason.
const NOT_OURS: &[(&str, &str, &str)] = &[
    ("", "msg_control", "made of the message's own fields"),
    ("", "function_control", "made of the message's own fields"),
    ("any", "eot", "what software repeats is part of the instruction"),
    ("any", "sfid", "what software repeats is part of the instruction"),
    ("dp_sampler_cache/dp_constant_cache/dc_read_only", "send_commit", "reads have no answer"),
    ("tgm/slm/ugm", "surface_state_index", "needs the instruction's ExBSO bit"),
];

/// Fields with other bits here than in the tables: shared function, field, first and last
/// generation, bits here (`None`: no field), reason.
type Otherwise = (&'static str, &'static str, Gen, Gen, Option<(u32, u32)>, &'static str);

const OTHERWISE: &[Otherwise] = &[
    ("sampler", "msg_type", Gen::Gen45, Gen::Gen45, Some((15, 14)), "gen4.5 has the codes of gen4"),
    ("gateway", "notify", Gen::Gen4, Gen::Gen45, None, "its bits belong to the response length"),
    ("dc0", "category", Gen::Gen8, Gen::Gen125, Some((18, 14)), "from gen8 part of the type"),
    ("dc1", "atomic_op", Gen::Gen9, Gen::Gen11, Some((10, 8)), "iga64 reads three bits"),
];

/// A table: its lines as pairs of column name and cell.
fn table(path: &Path) -> Vec<Vec<(String, String)>> {
    let text = std::fs::read_to_string(path).expect("readable table");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().expect("a head").split('\t').collect();
    let cells = |line: &str| {
        let pairs = head.iter().zip(line.split('\t'));
        pairs.map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(cells).collect()
}

fn cell<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    row.iter().find(|(column, _)| column == name).map_or("-", |(_, cell)| cell)
}

fn hw() -> Option<PathBuf> {
    let hw = common::pack()?.with_file_name("hw");
    hw.is_dir().then_some(hw)
}

/// The shared functions behind a name of the tables.
fn functions(name: &str, generation: Gen) -> Vec<Sfid> {
    let all: &[Sfid] = match name {
        "any" => Sfid::ALL,
        "math" => &[Sfid::Math],
        "sampler" => &[Sfid::Sampler],
        "dp_read" => &[Sfid::DpRead],
        "dp_write" => &[Sfid::DpWrite],
        "dp_sampler_cache" => &[Sfid::DpSamplerCache],
        "dp_constant_cache/dc_read_only" => &[Sfid::ConstantCache],
        "dp_sampler_cache/dp_constant_cache/dc_read_only" => {
            &[Sfid::DpSamplerCache, Sfid::ConstantCache]
        }
        "dp_render_cache" => &[Sfid::RenderCache],
        "dc0" => &[Sfid::DataCache0],
        "dc1" => &[Sfid::DataCache1],
        "dc2" => &[Sfid::DataCache2],
        "urb" => &[Sfid::Urb],
        "gateway" => &[Sfid::Gateway],
        "thread_spawner" => &[Sfid::ThreadSpawner],
        "pixel_interpolator" => &[Sfid::PixelInterpolator],
        "tgm/slm/ugm" => &[Sfid::Tgm, Sfid::Slm, Sfid::Ugm],
        "bindless_thread_dispatch" => &[Sfid::BindlessDispatch],
        "ray_trace_accelerator" => &[Sfid::RayTrace],
        other => panic!("a shared function without a name of ours: {other}"),
    };
    all.iter().copied().filter(|sfid| sfid.bits(generation).is_some()).collect()
}

/// Words that fit a mask of fixed bits, many of them sparse.
fn words(fixed: u32, value: u32) -> impl Iterator<Item = u32> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut next = move || random.u32(..);
    let sparse = std::iter::repeat_with(move || next() & next() & next()).take(1500);
    let single = (0..32).map(|bit| 1 << bit);
    let controls = (0..64).map(|control| control << 8);
    std::iter::once(0)
        .chain(single)
        .chain(controls)
        .chain(sparse)
        .map(move |word| word & !fixed | value & fixed)
}

fn range(text: &str) -> (u32, u32) {
    let (hi, lo) = text.split_once(':').expect("hi:lo");
    (hi.parse().expect("a bit"), lo.parse().expect("a bit"))
}

fn mask((hi, lo): (u32, u32)) -> u32 {
    u32::MAX >> (31 - (hi - lo)) << lo
}

/// Where the message type of a shared function is.
fn type_range(rows: &[Vec<(String, String)>], sfid: &str, column: &str) -> (u32, u32) {
    let wanted = |row: &&Vec<(String, String)>| {
        let field = cell(row, "field");
        let holder = cell(row, "sfid");
        let same = holder == sfid
            || holder.contains('/') && holder.split('/').any(|part| sfid.contains(part));
        same && ["msg_type", "opcode", "subfunction", "message_type"].contains(&field)
            && cell(row, column) != "-"
    };
    match rows.iter().find(wanted) {
        // Gen4.5 has the sampler codes of gen4.
        _ if sfid == "sampler" && column == "gen4.5" => (15, 14),
        Some(row) => range(cell(row, column)),
        None => (18, 14),
    }
}

#[test]
fn every_type_decodes_to_a_named_message() {
    let Some(hw) = hw() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let fields = table(&hw.join("message_descriptors.tsv"));
    let mut counted = 0;
    for row in table(&hw.join("message_types.tsv")) {
        let (function, message) = (cell(&row, "sfid"), cell(&row, "message"));
        for (column, generation) in COLUMNS {
            let Ok(code) = cell(&row, column).parse::<u32>() else { continue };
            let place = type_range(&fields, function, column);
            for sfid in functions(function, generation) {
                let what = format!("{function} {message} ({code}) on {generation}");
                let named = words(mask(place), code << place.1).find_map(|word| {
                    Descriptor::decode(generation, sfid, word, 0).ok().map(|d| (d, word))
                });
                let (descriptor, word) = named.unwrap_or_else(|| panic!("{what}: nothing decodes"));
                assert!(!matches!(descriptor.message, Message::Null { .. }), "{what}");
                assert_eq!(descriptor.encode(generation), Ok((sfid, word, 0)), "{what}");
                says_its_name(&descriptor, generation, sfid, word, &what);
                counted += 1;
            }
        }
    }
    assert!(counted > 700, "only {counted} types");
}

/// The text of a message names it and its fields; an invalid one would say so.
fn says_its_name(descriptor: &Descriptor, generation: Gen, sfid: Sfid, word: u32, what: &str) {
    let mut inst = Inst::new(Opcode::Send);
    inst.extra = Extra::Send(Send::imm(sfid, word, 0));
    for syntax in [Syntax::Mesa, Syntax::Iga] {
        let text = print_program(&[(0, inst.clone())], generation, syntax);
        assert!(!text.contains("(invalid:"), "{what}: {text}");
    }
    let listed = Descriptor::explain(generation, sfid, word, 0).expect("it decodes");
    assert!(listed.iter().all(|field| !field.name.is_empty()), "{what}");
    assert!(!descriptor.message.name().is_empty(), "{what}");
}

/// The type codes of the messages that a row of the field table is about.
fn codes(types: &[Vec<(String, String)>], function: &str, message: &str, column: &str) -> Vec<u32> {
    let part = |name: &str| match message {
        "generic" | "urb" | "sample" | "load/store/atomic" | "gateway" | "interpolate" => true,
        "read" | "write" | "math" | "common" | "ex_desc" => true,
        "rt_write" | "rt_write ex_desc" => name == "render_target_write",
        "rt_read" => name == "render_target_read",
        "atomic_float" => name.starts_with("untyped_atomic_") && name.contains("float"),
        "a64_atomic_float" => name.starts_with("a64_untyped_atomic_") && name.contains("float"),
        "untyped_atomic_half" => name == "untyped_atomic_half_int",
        "a64_untyped_atomic_half" => name == "a64_untyped_atomic_half_int",
        _ => {
            let stem = message.trim_end_matches("_rw").trim_end_matches("_read/write");
            let ends = ["", "_read", "_write"];
            ends.iter().any(|end| name == format!("{stem}{end}"))
        }
    };
    let same = |row: &&Vec<(String, String)>| {
        let holder = cell(row, "sfid");
        holder == function || function.split('/').any(|f| holder.split('/').any(|h| h == f))
    };
    types
        .iter()
        .filter(same)
        .filter(|row| part(cell(row, "message")))
        .filter_map(|row| cell(row, column).parse().ok())
        .collect()
}

#[test]
fn every_field_is_ours_at_the_same_bits() {
    let Some(hw) = hw() else {
        eprintln!("skipped: no oracle pack");
        return;
    };
    let fields = table(&hw.join("message_descriptors.tsv"));
    let types = table(&hw.join("message_types.tsv"));
    let mut missing = Vec::new();
    let mut counted = 0;
    for row in &fields {
        let (function, message) = (cell(row, "sfid"), cell(row, "message"));
        let field = cell(row, "field");
        let ours =
            |(f, name, _): &&(&str, &str, &str)| (f.is_empty() || *f == function) && *name == field;
        if NOT_OURS.iter().any(|entry| ours(&entry)) {
            continue;
        }
        let word = if cell(row, "note").starts_with("EXTENDED") { Word::Ex } else { Word::Desc };
        for (column, generation) in COLUMNS {
            let bits = cell(row, column);
            if bits == "-" {
                continue;
            }
            let found = ranges(&types, &fields, function, message, column, generation, word);
            for part in bits.split('+').map(range) {
                counted += 1;
                let otherwise = OTHERWISE.iter().find(|(f, name, from, to, ..)| {
                    let here = (*from..=*to).contains(&generation);
                    here && *f == function && *name == field
                });
                let wanted = match otherwise {
                    Some((.., None, _)) => continue,
                    Some((.., Some(bits), _)) if !found.contains(&part) => *bits,
                    _ => part,
                };
                if !found.contains(&wanted) {
                    missing.push(format!(
                        "{function} {message} {field} {wanted:?} on {generation}: {found:?}"
                    ));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{} of {counted}:\n{}", missing.len(), missing.join("\n"));
    assert!(counted > 700, "only {counted} fields");
}

/// The bit ranges of all fields that messages of a row of the table have.
fn ranges(
    types: &[Vec<(String, String)>],
    fields: &[Vec<(String, String)>],
    function: &str,
    message: &str,
    column: &str,
    generation: Gen,
    word: Word,
) -> BTreeSet<(u32, u32)> {
    let mut out = BTreeSet::new();
    let place = type_range(fields, function, column);
    let mut patterns: Vec<(u32, u32)> = codes(types, function, message, column)
        .into_iter()
        .map(|code| (mask(place), code << place.1))
        .collect();
    if message == "scratch_block" {
        patterns = vec![(1 << 18, 1 << 18)];
    }
    if patterns.is_empty() {
        patterns.push((0, 0));
    }
    for sfid in functions(function, generation) {
        for &(fixed, value) in &patterns {
            for desc in words(fixed, value) {
                let Ok(list) = Descriptor::explain(generation, sfid, desc, 0) else { continue };
                out.extend(list.iter().filter(|f| f.word == word).map(|f| (f.hi, f.lo)));
            }
        }
    }
    out
}
