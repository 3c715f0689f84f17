//! SPIR-V functions to IR: one entry point with everything that it calls inlined.
//!
//! The code made here is naive on purpose: every variable is loaded and stored, composites are copied part by part, those
//! with large arrays in loops (`bulk`).
//! The passes of `crestline-ssa` clean up.

mod alu;
mod atomic;
mod builtin;
mod bulk;
mod call;
mod composite;
mod convert;
mod entry;
mod finish;
mod flow;
mod glsl450;
mod image;
mod inst;
mod io;
mod matrix;
mod memory;
mod pointer;
mod stage;
mod texture;
mod value;
mod width;

use hashbrown::HashMap;

use crestline_ssa::ir::{Builder, RegionId, Shader, Ty, Value, VarId};

use crate::control::{Exit, LoopId};
use crate::ids::IdMap;
use crate::spirv::{Func, Globals, Module};
use pointer::Pointer;
use value::{Bound, Deferred};

pub(crate) use entry::translate_entry_point;

/// What one translation keeps.
struct Translator<'m, 'w> {
    module: &'m Module<'w>,
    globals: &'m Globals,
    shader: Shader,
    /// Where instructions go: the end of this region.
    region: RegionId,
    /// By region index, whether the region encloses the current place.
    active: Vec<bool>,
    /// Regions around the current place.
    depth: usize,
    /// Whether arithmetic made now is exact.
    exact: bool,
    /// Calls in progress, outermost first. Never empty while instructions are translated.
    frames: Vec<Frame<'m>>,
    trees: IdMap<flow::SharedTree>,
    /// Constants made so far and their regions.
    constants: HashMap<(Ty, [u64; 4]), (Value, RegionId)>,
    deferred: Vec<Deferred>,
    /// Module variables in use.
    variables: IdMap<Pointer>,
    /// Scalars in private variables so far.
    var_scalars: u64,
    /// How often each load of a large array is named, once it was asked for.
    bulky_uses: Option<IdMap<usize>>,
    max_insts: usize,
    /// Work done so far that may leave no instruction behind: instructions read, calls, parts of values.
    steps: usize,
    /// Whether a shared variable starts as zero.
    zero_shared: bool,
    /// Outputs that are stored where a vertex is complete.
    outputs: Vec<io::Output>,
}

/// One call of a function.
struct Frame<'m> {
    function: u32,
    func: &'m Func,
    tree: flow::SharedTree,
    is_entry: bool,
    /// Whether its return ends the invocation on the spot.
    ends: bool,
    values: IdMap<Bound>,
    phis: IdMap<VarId>,
    switches: std::collections::HashMap<usize, SwitchValue>,
    /// IR loops around the current place, outermost first.
    loops: Vec<IrLoop>,
    returns: ReturnSlot,
}

/// An IR loop of the function.
struct IrLoop {
    key: LoopKey,
    /// Exits that pass through it on their way out, and the flag that says so.
    flags: Vec<(Exit, VarId)>,
}

/// What an IR loop stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopKey {
    /// A loop of the shader.
    Loop(LoopId),
    /// Code that runs once and that the exit leaves.
    Once(Exit),
}

/// A switch whose selector has been evaluated.
#[derive(Clone, Copy)]
struct SwitchValue {
    selector: Value,
    /// The number of the target selected, where conditions compare numbers.
    number: Option<Value>,
}

/// Where a call's result goes.
#[derive(Clone, Copy)]
enum ReturnSlot {
    /// Nowhere.
    Nothing,
    /// The value is bound to this id (the function's own, which is no value otherwise).
    Bound(u32),
    /// To a variable.
    Var(VarId),
}

impl<'m> Translator<'m, '_> {
    /// A builder at the current place.
    fn b(&mut self) -> Builder<'_> {
        let mut builder = Builder::new(&mut self.shader.func, self.region);
        builder.set_exact(self.exact);
        builder
    }

    /// The innermost call.
    fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("instructions are translated inside a call")
    }

    fn is_active(&self, region: RegionId) -> bool {
        self.active.get(region.index()).copied().unwrap_or(false)
    }

    fn set_active(&mut self, region: RegionId, active: bool) {
        if self.active.len() <= region.index() {
            self.active.resize(region.index() + 1, false);
        }
        self.active[region.index()] = active;
    }
}
