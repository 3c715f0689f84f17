//! Checks that a job provides what a module uses, from the SPIR-V words alone.
//!
//! It reads only the instructions that matter for the safety of a dispatch: entry points, and set and binding of each
//! variable. It does not check whether the module is otherwise valid; `spirv-val` does that.

use std::collections::BTreeMap;

use super::{Buffer, BufferKind, Job, JobError, Texture};

const OP_ENTRY_POINT: u32 = 15;
const OP_VARIABLE: u32 = 59;
const OP_DECORATE: u32 = 71;
const OP_LOOP_MERGE: u32 = 246;
const DONT_UNROLL: u32 = 2;
const DECORATION_BINDING: u32 = 33;
const DECORATION_DESCRIPTOR_SET: u32 = 34;
const MODEL_GL_COMPUTE: u32 = 5;
const HEADER_WORDS: usize = 5;

/// Checks that the job's entry point exists in the module, and that the job has every binding.
pub(super) fn check(job: &Job<'_>) -> Result<(), JobError> {
    check_module(job.spirv, MODEL_GL_COMPUTE, job.entry, &job.buffers)?;
    check_buffers(&job.buffers)
}

/// Checks that a module has an entry point of that execution model and name, and that `buffers` has every binding.
pub(super) fn check_module(
    spirv: &[u32],
    model: u32,
    entry: &str,
    buffers: &[Buffer],
) -> Result<(), JobError> {
    check_descriptors(spirv, model, entry, |place| {
        buffers.iter().any(|buffer| (buffer.set, buffer.binding) == place)
    })
}

/// Checks that a module has an entry point of that execution model and name, and that `has` is true for the set and binding of
/// each of its descriptors.
pub(super) fn check_descriptors(
    spirv: &[u32],
    model: u32,
    entry: &str,
    has: impl Fn((u32, u32)) -> bool,
) -> Result<(), JobError> {
    let refuse = |message: String| Err(JobError::Interface(message));
    let mut at = HEADER_WORDS;
    let mut has_entry = false;
    let mut places: BTreeMap<u32, (Option<u32>, Option<u32>)> = BTreeMap::new();
    let mut variables = Vec::new();
    while at < spirv.len() {
        let (count, opcode) = (spirv[at] >> 16, spirv[at] & 0xffff);
        let Some(words) = spirv.get(at..at + count as usize).filter(|words| !words.is_empty())
        else {
            return refuse(format!("the instruction at word {at} runs past the module's end"));
        };
        match (opcode, words) {
            (OP_ENTRY_POINT, [_, found, _, name @ ..]) if *found == model => {
                has_entry |= literal_string(name) == entry.as_bytes();
            }
            (OP_DECORATE, [_, target, DECORATION_DESCRIPTOR_SET, set]) => {
                places.entry(*target).or_default().0 = Some(*set);
            }
            (OP_DECORATE, [_, target, DECORATION_BINDING, binding]) => {
                places.entry(*target).or_default().1 = Some(*binding);
            }
            (OP_VARIABLE, [_, _, id, ..]) => variables.push(*id),
            _ => {}
        }
        at += words.len();
    }
    if !has_entry {
        return refuse(format!("the module has no entry point {entry:?} of model {model}"));
    }
    for variable in variables {
        let Some(&(Some(set), Some(binding))) = places.get(&variable) else { continue };
        if !has((set, binding)) {
            return refuse(format!(
                "the module uses set {set} binding {binding}, which the job does not give"
            ));
        }
    }
    Ok(())
}

/// Checks that no two buffers have the same descriptor, and that images have as many bytes as their shape requires.
pub(super) fn check_buffers(buffers: &[Buffer]) -> Result<(), JobError> {
    let refuse = |message: String| Err(JobError::Interface(message));
    for (index, buffer) in buffers.iter().enumerate() {
        let place = (buffer.set, buffer.binding, buffer.element);
        if buffer.contents.is_empty() && !matches!(buffer.kind, BufferKind::Sampler(_)) {
            return refuse(format!("the buffer at {place:?} is empty"));
        }
        let image = match buffer.kind {
            BufferKind::Image(image) => Some(Texture::new(image)),
            BufferKind::Texture(texture) => Some(texture),
            _ => None,
        };
        if let Some(Texture { image, levels, samples, .. }) = image {
            let size = buffer.contents.len();
            let bytes = image.bytes(levels).and_then(|bytes| bytes.checked_mul(samples as usize));
            if levels == 0 || bytes != Some(size) {
                let (format, wanted) = (image.format, image.size);
                return refuse(format!("{size} bytes at {place:?} are not {wanted:?} of {format}"));
            }
        }
        if buffers[..index].iter().any(|b| (b.set, b.binding, b.element) == place) {
            return refuse(format!("two buffers at {place:?}"));
        }
    }
    Ok(())
}

/// The module with the hint `DontUnroll` on every loop.
///
/// llvmpipe converts a shader with barriers to a coroutine. LLVM's time to split a coroutine grows very fast with the
/// number of barriers: it takes minutes for unrolled loops with barriers. The hint has no other effect.
pub(super) fn without_unrolling(spirv: &[u32]) -> Vec<u32> {
    let mut out = spirv[..HEADER_WORDS.min(spirv.len())].to_vec();
    let mut rest = &spirv[out.len()..];
    while let [first, ..] = rest {
        // `check` has checked the lengths; a length of 0 would loop forever.
        let count = ((first >> 16) as usize).clamp(1, rest.len());
        let (instruction, tail) = rest.split_at(count);
        match instruction {
            [word, merge, to_continue, ..] if word & 0xffff == OP_LOOP_MERGE => {
                out.extend([4 << 16 | OP_LOOP_MERGE, *merge, *to_continue, DONT_UNROLL]);
            }
            _ => out.extend(instruction),
        }
        rest = tail;
    }
    out
}

/// The bytes of a SPIR-V literal string, up to its terminating zero.
fn literal_string(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect()
}
