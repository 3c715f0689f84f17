//! Linking: what the shaders of a pipeline can be told about each other.
//!
//! [`check`] states whether two stages fit together. [`link`] changes the shaders of a pipeline:
//!
//! 1. `constants`: an input that has the same constant in every store of the stage before becomes that constant, and an
//!    input that is never written becomes undefined, as Vulkan says;
//! 2. `unread`: stores to outputs that nothing reads are removed;
//! 3. `pack`: declarations shrink to what is accessed, and components of locations move to fewer slots.
//!
//! The first two steps repeat, from the last stage to the first, until nothing changes: each can give the other work in
//! another stage. After a change, a function of the caller cleans the shader up, which removes what fed an output.
//! The last step runs once. Slots keep their meaning in the shaders before and after a pipeline: attributes, colour
//! outputs, and outputs that transform feedback captures do not move.

mod access;
mod check;
mod constants;
mod pack;
mod report;
mod unread;

use std::collections::BTreeSet;

use crate::ir::{InputPrimitive, IoSlot, Shader, Stage};

pub use check::check;
pub use report::{Components, Moved, Report, Slots};

/// Number of locations of an interface, and of patch locations: 128 components (Vulkan: `maxVertexOutputComponents` and
/// similar limits of these devices).
const LOCATIONS: u32 = 32;

/// Greatest number of rounds. Pipelines need a few; a hostile one could need a round for each component of an interface, and
/// each round cleans up shaders. It is correct to stop after any round.
const MAX_ROUNDS: u32 = 16;

/// What a pipeline does with outputs apart from what its shaders read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Slots of the last stage before the rasterizer that transform feedback captures, in addition to those that its shader
    /// declares as captured.
    pub captured: BTreeSet<IoSlot>,
    /// Whether no fragment shader follows if the list has none, so that nothing reads the locations of its last stage.
    /// Otherwise a fragment shader that is not in the list may read them.
    pub no_fragment_shader: bool,
    /// Whether the stages before the rasterizer are compiled for registers that hold vectors. Then an input vector stays
    /// whole if an instruction reads constant components of it together with others, because putting the vector together
    /// would take more instructions.
    pub vectors: bool,
    /// A condition to leave out, which makes the shaders wrong. A test uses it to show that every condition is needed.
    #[cfg(feature = "testing")]
    pub without: Option<LinkStep>,
}

/// A condition of linking without which shaders become wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStep {
    /// Outputs that transform feedback captures are read.
    Captured,
    /// Outputs that the fixed functions read are read.
    FixedFunctions,
    /// A tessellation control shader can read its own outputs.
    OwnLoads,
    /// A shader that is not in the list can read the outputs of the last one.
    OpenEnd,
    /// An index at run time can select all later slots of a variable.
    Indices,
    /// All stores to a component must have the same constant.
    AllStores,
    /// A constant that is interpolated stays the same only if it is a normal number.
    Interpolated,
    /// Tessellation levels may change between the stages.
    Levels,
    /// Components of a slot have the same interpolation.
    Interpolation,
    /// Components of a slot have the same size.
    Sizes,
    /// Both dwords of a component of 64 bits stay together, and start at an even component.
    Doubles,
    /// Variables that are indexed at run time stay whole, and share their slots with no others.
    Arrays,
    /// Both tessellation stages declare the same slots, because both lay out the patch's entry.
    PatchEntry,
}

impl LinkStep {
    /// All conditions.
    pub const ALL: [LinkStep; 13] = [
        LinkStep::Captured,
        LinkStep::FixedFunctions,
        LinkStep::OwnLoads,
        LinkStep::OpenEnd,
        LinkStep::Indices,
        LinkStep::AllStores,
        LinkStep::Interpolated,
        LinkStep::Levels,
        LinkStep::Interpolation,
        LinkStep::Sizes,
        LinkStep::Doubles,
        LinkStep::Arrays,
        LinkStep::PatchEntry,
    ];
}

impl Options {
    /// Whether a condition holds; false only if a test leaves it out.
    fn keeps(&self, step: LinkStep) -> bool {
        #[cfg(feature = "testing")]
        return self.without != Some(step);
        #[cfg(not(feature = "testing"))]
        {
            let _ = step;
            true
        }
    }
}

/// Why two stages do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// There is no shader.
    #[error("a pipeline needs at least one shader")]
    Empty,
    /// A stage that is not linked with others.
    #[error("a {0:?} shader is not linked with others")]
    Alone(Stage),
    /// There are two shaders of a stage.
    #[error("there are two {0:?} shaders")]
    Twice(Stage),
    /// One stage never directly follows the other.
    #[error("a {before:?} shader cannot be the stage before a {after:?} shader")]
    Order {
        /// The earlier stage.
        before: Stage,
        /// The later stage.
        after: Stage,
    },
    /// A geometry shader expects other primitives than the tessellator makes.
    #[error("the shader expects {expected:?} as input, but the tessellator produces {found:?}")]
    Primitives {
        /// The input primitives of the geometry shader.
        expected: InputPrimitive,
        /// The primitives that the tessellator makes, as the evaluation shader declares.
        found: InputPrimitive,
    },
    /// The earlier stage does not write an input.
    #[error("the input {name:?} reads {slot}, which the previous stage does not write")]
    Missing {
        /// The input's name.
        name: String,
        /// The slot.
        slot: IoSlot,
    },
    /// The earlier stage does not write some components of an input, or writes them with another bit size.
    #[error(
        "the input {name:?} reads {slot} as {expected} from component {comp} on, which the previous stage does not write in this form"
    )]
    Components {
        /// The input's name.
        name: String,
        /// The slot.
        slot: IoSlot,
        /// Its type, as the text form of the IR writes it.
        expected: String,
        /// Its first component, in components of 32 bits.
        comp: u8,
    },
    /// A variable has a location beyond the last one.
    #[error("the variable {name:?} has {slot}: expected a number below {LOCATIONS}")]
    Location {
        /// The variable's name.
        name: String,
        /// The slot.
        slot: IoSlot,
    },
}

/// Why a pipeline was not linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkFailure<E> {
    /// The stages do not fit together.
    #[error("{error}")]
    Interface {
        /// The stage whose inputs, outputs or position are wrong; `None` if there is no shader.
        stage: Option<Stage>,
        /// What is wrong.
        error: LinkError,
    },
    /// The error of the function that cleans shaders up.
    #[error("{error}")]
    Clean {
        /// The stage of the shader.
        stage: Stage,
        /// Its error.
        error: E,
    },
}

/// Links shaders, which are in the order of the pipeline. See the [module](self).
///
/// The list may leave out the first or last stages of a pipeline: the inputs of the first shader, and the outputs of the
/// last one, stay as they are. `clean` gets the number of a shader in the list, and the shader, which it may optimise but
/// not lower.
///
/// # Errors
/// The stages do not fit together, or an error of `clean`.
pub fn link<E>(
    shaders: &mut [Shader],
    options: &Options,
    mut clean: impl FnMut(usize, &mut Shader) -> Result<(), E>,
) -> Result<Report, LinkFailure<E>> {
    check_all(shaders)?;
    let mut clean = |at: usize, shader: &mut Shader| {
        let stage = shader.stage.stage();
        clean(at, shader).map_err(|error| LinkFailure::Clean { stage, error })
    };
    for (at, shader) in shaders.iter_mut().enumerate() {
        clean(at, shader)?;
    }
    let mut report = Report::of(shaders);
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for at in (0..shaders.len()).rev() {
            let (before, after) = shaders.split_at_mut(at + 1);
            let writer = &mut before[at];
            access::normalize(writer, at > 0);
            let mut next = after.first_mut();
            if let Some(reader) = &mut next {
                access::normalize(reader, true);
                if constants::replace(writer, reader, options, at, &mut report) {
                    clean(at + 1, reader)?;
                    changed = true;
                }
            }
            if unread::remove(writer, next.as_deref(), options, at, &mut report) {
                clean(at, writer)?;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for at in 1..shaders.len() {
        let (before, after) = shaders.split_at_mut(at);
        pack::pack(&mut before[at - 1], &mut after[0], options, &mut report);
    }
    report.finish(shaders);
    Ok(report)
}

/// Checks that the stages are in order, and that each pair fits together.
fn check_all<E>(shaders: &[Shader]) -> Result<(), LinkFailure<E>> {
    let fail = |stage, error| Err(LinkFailure::Interface { stage: Some(stage), error });
    if shaders.is_empty() {
        return Err(LinkFailure::Interface { stage: None, error: LinkError::Empty });
    }
    for (at, shader) in shaders.iter().enumerate() {
        let stage = shader.stage.stage();
        if stage == Stage::Compute {
            return fail(stage, LinkError::Alone(stage));
        }
        if shaders[..at].iter().any(|other| other.stage.stage() == stage) {
            return fail(stage, LinkError::Twice(stage));
        }
        let inputs = if at > 0 { &shader.inputs[..] } else { &[] };
        let outputs = if stage == Stage::Fragment { &[] } else { &shader.outputs[..] };
        for var in inputs.iter().chain(outputs) {
            if let IoSlot::Location(first) | IoSlot::Patch(first) = var.slot
                && first.saturating_add(var.slots()) > LOCATIONS
            {
                let (name, slot) = (var.name.clone(), var.slot);
                return fail(stage, LinkError::Location { name, slot });
            }
        }
    }
    for pair in shaders.windows(2) {
        if let Err(error) = check(&pair[0], &pair[1]) {
            return fail(pair[1].stage.stage(), error);
        }
    }
    Ok(())
}
