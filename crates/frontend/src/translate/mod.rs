//! Translates one entry point to IR, with all functions that it calls inlined.
//!
//! The code is naive on purpose: every variable is loaded and stored, and composites are copied part by part, or in
//! loops if they contain large arrays ([`bulk`]). The passes of `crestline-ssa` optimise it.

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
mod fragment;
mod glsl450;
mod image;
mod inst;
mod io;
mod kept_resource;
mod kills;
mod matrix;
mod memory;
mod non_uniform;
mod pointer;
mod pointer_value;
mod stage;
mod subgroup;
mod texture;
mod value;
mod vendor;
mod width;

use std::rc::Rc;

use hashbrown::HashMap;

use crestline_ssa::ir::{
    Builder, DebugLoc, InstId, RegionId, Shader, SurfaceFormat, Ty, Value, VarId,
};

use crate::control::{Exit, LoopId};
use crate::ids::IdMap;
use crate::spirv::{Func, Globals, Inst, Module};
use pointer::Pointer;
use value::{Bound, Deferred};

pub(crate) use entry::translate_entry_point;

/// The state of the translation of one entry point.
struct Translator<'m, 'w> {
    module: &'m Module<'w>,
    globals: &'m Globals,
    shader: Shader,
    /// The region to whose end instructions are appended.
    region: RegionId,
    /// Per region index, whether the region is open: it is the current region or encloses it.
    active: Vec<bool>,
    /// Number of open regions, the body of the function not counted.
    depth: usize,
    /// The location of each line of the module, by [`Inst::line`](crate::spirv::Inst).
    locs: Vec<DebugLoc>,
    /// Whether new arithmetic instructions are exact (`NoContraction`).
    exact: bool,
    /// Calls in progress, outermost first. Never empty while instructions are translated.
    frames: Vec<Frame<'m>>,
    /// The structured control flow of each function translated so far.
    trees: IdMap<flow::SharedTree>,
    /// Constants made so far, by type and bits: the value, and the region that defines it.
    constants: HashMap<(Ty, [u64; 4]), (Value, RegionId)>,
    /// Stores that are inserted when the function is complete.
    deferred: Vec<Deferred>,
    /// Pointers to the module variables used so far.
    variables: IdMap<Pointer>,
    /// What the variables keep that keep a resource; `None` before the first store.
    kept: Vec<Option<kept_resource::Kept>>,
    /// By the type that a pointer points to: the storage buffers that it may point into.
    choices: IdMap<Rc<[pointer_value::BufferOption]>>,
    /// Number of scalars in the private variables so far.
    var_scalars: u64,
    /// Number of uses of each id that a load of a large array defines. Computed on first use.
    bulky_uses: Option<IdMap<usize>>,
    /// Formats of storage images that the module declares without a format, by set and binding.
    image_formats: Vec<((u32, u32), SurfaceFormat)>,
    max_insts: usize,
    /// Whether indices are clamped into their bounds.
    robust_access: bool,
    /// Amount of work so far that may not result in instructions: SPIR-V instructions read, calls, parts of values.
    steps: usize,
    /// Whether a shared variable has a zero initializer.
    zero_shared: bool,
    /// Whether quads of a compute shader are two by two local ids.
    square_quads: bool,
    /// The `Return`s that end killed invocations, with their regions.
    kills: Vec<(InstId, RegionId)>,
    /// Outputs that are kept in private variables, and stored when a vertex is complete.
    outputs: Vec<io::Output>,
    /// Whether outputs are captured by transform feedback.
    captures: bool,
}

/// One call of a function, while its code is inlined.
struct Frame<'m> {
    function: u32,
    func: &'m Func,
    tree: flow::SharedTree,
    is_entry: bool,
    /// Whether a `return` in it becomes an IR `return`, because no code follows the function.
    ends: bool,
    /// The values of the ids that the function has defined so far.
    values: IdMap<Bound>,
    /// The private variable of each phi, by id.
    phis: IdMap<VarId>,
    /// Switches by the index of the block that they end.
    switches: std::collections::HashMap<usize, SwitchValue>,
    /// Open IR loops of the function, outermost first.
    loops: Vec<IrLoop>,
    returns: ReturnSlot,
}

/// An open IR loop of the function.
struct IrLoop {
    key: LoopKey,
    /// Exits from inside this loop to an outer one. Each has a boolean variable: the exit sets it and breaks this loop,
    /// and the code after the loop tests it and continues the exit.
    flags: Vec<(Exit, VarId)>,
}

/// Why the translation made an IR loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopKey {
    /// A loop of the shader.
    Loop(LoopId),
    /// Code that runs once. A break out of the loop implements the exit.
    Once(Exit),
}

/// A switch whose selector has been evaluated.
#[derive(Clone, Copy)]
struct SwitchValue {
    selector: Value,
    /// What a [`Cond::Below`](crate::control::Cond::Below) compares.
    compared: Value,
}

/// How the caller gets the result of a call.
#[derive(Clone, Copy)]
enum ReturnSlot {
    /// There is no result: the function is void or never returns.
    Nothing,
    /// There is one return: its value is bound to this id (the id of the function, which no other value has).
    Bound(u32),
    /// There are several returns: each stores its value to this variable.
    Var(VarId),
}

impl<'m> Translator<'m, '_> {
    /// A builder that appends to the current region.
    fn b(&mut self) -> Builder<'_> {
        let mut builder = Builder::new(&mut self.shader.func, self.region);
        builder.set_exact(self.exact);
        builder
    }

    /// Sets the location of new instructions to the line in force at `inst`, if there is one.
    fn set_loc(&mut self, inst: &Inst<'_>) {
        if inst.line != 0 {
            self.shader.func.loc = self.locs.get(inst.line as usize).copied().unwrap_or_default();
        }
    }

    /// The innermost call.
    fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("instructions are translated inside a call")
    }

    /// Whether a region is open; see [`Translator::active`].
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
