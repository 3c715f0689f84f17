//! Adds the decorations of transform feedback to a module that has none, so that outputs are captured.
//!
//! The numbers of opcodes and decorations are those of the SPIR-V specification.

use std::collections::BTreeMap;

use super::JobError;

const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_VOID: u32 = 19;
const OP_TYPE_POINTER: u32 = 32;
const OP_TYPE_FORWARD_POINTER: u32 = 39;
const OP_VARIABLE: u32 = 59;
const OP_DECORATE: u32 = 71;
const OP_MEMBER_DECORATE: u32 = 72;
const CLASS_OUTPUT: u32 = 3;
const CAPABILITY_TRANSFORM_FEEDBACK: u32 = 53;
const MODE_XFB: u32 = 11;
const BUILT_IN: u32 = 11;
const STREAM: u32 = 29;
const LOCATION: u32 = 30;
const COMPONENT: u32 = 31;
const OFFSET: u32 = 35;
const XFB_BUFFER: u32 = 36;
const XFB_STRIDE: u32 = 37;
const HEADER_WORDS: usize = 5;

/// An output of the last stage before the rasterizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Captured {
    /// The shader's own output at a location, from a component on.
    Location {
        /// The location.
        location: u32,
        /// The component, counted in 32 bits.
        component: u32,
    },
    /// `gl_Position`.
    Position,
    /// `gl_PointSize`.
    PointSize,
    /// `gl_ClipDistance`, the whole array.
    ClipDistance,
    /// `gl_CullDistance`, the whole array.
    CullDistance,
    /// `gl_PrimitiveID`.
    PrimitiveId,
    /// `gl_Layer`.
    Layer,
    /// `gl_ViewportIndex`.
    ViewportIndex,
}

impl Captured {
    /// The number of the built-in in SPIR-V.
    fn built_in(self) -> Option<u32> {
        Some(match self {
            Captured::Location { .. } => return None,
            Captured::Position => 0,
            Captured::PointSize => 1,
            Captured::ClipDistance => 3,
            Captured::CullDistance => 4,
            Captured::PrimitiveId => 7,
            Captured::Layer => 9,
            Captured::ViewportIndex => 10,
        })
    }
}

/// An output that is captured for each vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capture {
    /// The output.
    pub what: Captured,
    /// Its size in bytes; a multiple of 8 for 64-bit types.
    pub bytes: u32,
}

/// A variable or a member of its structure type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Variable(u32),
    Member(u32, u32),
}

/// The module, without its own captures, with decorations that capture the outputs of each stream, one after the other, in the buffer with the
/// stream's number.
pub(super) fn with_captures(spirv: &[u32], streams: &[Vec<Capture>]) -> Result<Vec<u32>, JobError> {
    let targets = Outputs::read(spirv);
    let mut decorations = Vec::new();
    for (buffer, captures) in (0..).zip(streams) {
        let stride: u32 = captures.iter().map(|capture| capture.bytes).sum();
        let mut offset = 0;
        for capture in captures {
            let target = targets.find(capture.what, buffer).ok_or_else(|| {
                JobError::Interface(format!("no output {:?} in stream {buffer}", capture.what))
            })?;
            for (kind, value) in [(XFB_BUFFER, buffer), (XFB_STRIDE, stride), (OFFSET, offset)] {
                match target {
                    Target::Variable(id) => {
                        decorations.extend([4 << 16 | OP_DECORATE, id, kind, value]);
                    }
                    Target::Member(id, member) => {
                        decorations.extend([5 << 16 | OP_MEMBER_DECORATE, id, member, kind, value]);
                    }
                }
            }
            offset += capture.bytes;
        }
    }
    let mut out = spirv[..HEADER_WORDS.min(spirv.len())].to_vec();
    out.extend([2 << 16 | OP_CAPABILITY, CAPABILITY_TRANSFORM_FEEDBACK]);
    let mut entries = Vec::new();
    let mut decorated = false;
    for words in instructions(spirv) {
        let opcode = words[0] & 0xffff;
        match words {
            [_, _, function, ..] if opcode == OP_ENTRY_POINT => entries.push(*function),
            _ => {
                for function in entries.drain(..) {
                    out.extend([3 << 16 | OP_EXECUTION_MODE, function, MODE_XFB]);
                }
            }
        }
        if !decorated && (OP_TYPE_VOID..=OP_TYPE_FORWARD_POINTER).contains(&opcode) {
            out.append(&mut decorations);
            decorated = true;
        }
        if !captures_output(words) {
            out.extend(words);
        }
    }
    Ok(out)
}

/// Whether an instruction is a decoration by which the module itself captures an output. An `Offset` alone captures nothing.
fn captures_output(words: &[u32]) -> bool {
    let kind = match words {
        [first, _, kind, ..] if first & 0xffff == OP_DECORATE => kind,
        [first, _, _, kind, ..] if first & 0xffff == OP_MEMBER_DECORATE => kind,
        _ => return false,
    };
    // Variables have no other offsets than those of transform feedback, but members of blocks do.
    matches!(*kind, XFB_BUFFER | XFB_STRIDE) || *kind == OFFSET && words[0] & 0xffff == OP_DECORATE
}

/// The instructions of a module, up to the first whose length is wrong.
fn instructions(spirv: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = spirv.get(HEADER_WORDS..).unwrap_or_default();
    std::iter::from_fn(move || {
        let count = (*rest.first()? >> 16) as usize;
        let (words, tail) = rest.split_at_checked(count).filter(|(words, _)| !words.is_empty())?;
        rest = tail;
        Some(words)
    })
}

/// The decorations of outputs.
#[derive(Default)]
struct Outputs {
    /// Per target: decorations and their first operand.
    decorations: BTreeMap<Target, BTreeMap<u32, u32>>,
    /// Output variables and the types that they point to.
    variables: Vec<(u32, u32)>,
}

impl Outputs {
    /// Reads the output variables and the decorations of a module.
    fn read(spirv: &[u32]) -> Outputs {
        let mut outputs = Outputs::default();
        let mut pointees = BTreeMap::new();
        for words in instructions(spirv) {
            match (words[0] & 0xffff, words) {
                (OP_DECORATE, [_, id, kind, rest @ ..]) => {
                    let of = outputs.decorations.entry(Target::Variable(*id)).or_default();
                    of.insert(*kind, rest.first().copied().unwrap_or(0));
                }
                (OP_MEMBER_DECORATE, [_, id, member, kind, rest @ ..]) => {
                    let of = outputs.decorations.entry(Target::Member(*id, *member)).or_default();
                    of.insert(*kind, rest.first().copied().unwrap_or(0));
                }
                (OP_TYPE_POINTER, [_, id, _, pointee]) => {
                    pointees.insert(*id, *pointee);
                }
                (OP_VARIABLE, [_, ty, id, CLASS_OUTPUT, ..]) => {
                    outputs.variables.push((*id, pointees.get(ty).copied().unwrap_or(0)));
                }
                _ => {}
            }
        }
        outputs
    }

    /// The variable or member that is the output `what` in a stream.
    fn find(&self, what: Captured, stream: u32) -> Option<Target> {
        let word = |target, kind| self.decorations.get(&target)?.get(&kind).copied();
        self.variables.iter().find_map(|&(id, ty)| {
            let variable = Target::Variable(id);
            let members =
                self.decorations.range(Target::Member(ty, 0)..=Target::Member(ty, u32::MAX));
            let targets = std::iter::once(variable).chain(members.map(|(target, _)| *target));
            targets.filter(|_| word(variable, STREAM).unwrap_or(0) == stream).find(|&target| {
                match what {
                    Captured::Location { location, component } => {
                        word(target, LOCATION) == Some(location)
                            && word(target, COMPONENT).unwrap_or(0) == component
                    }
                    _ => {
                        word(target, BUILT_IN).is_some()
                            && word(target, BUILT_IN) == what.built_in()
                    }
                }
            })
        })
    }
}
