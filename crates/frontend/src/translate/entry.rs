//! Translates an entry point: float controls, then the code from its function on.

use hashbrown::HashMap;

use crestline_ssa::ir::{DebugLoc, FloatControls, Place, Shader};
use rspirv::spirv::{ExecutionMode, Op};

use super::Translator;
use super::io::captures_outputs;
use super::stage::{Quads, check_depth, modes, quads, stage};
use crate::TranslateOptions;
use crate::error::{ErrorCode, Result};
use crate::ids::IdMap;
use crate::spirv::{EntryPoint, Globals, Module};

/// The most instructions for which memory is reserved at the start.
const MAX_RESERVED: usize = 1 << 16;

/// Translates one entry point.
pub(crate) fn translate_entry_point(
    module: &Module<'_>,
    globals: &Globals,
    entry: &EntryPoint,
    options: &TranslateOptions<'_>,
) -> Result<Shader> {
    let mut shader = Shader::new(entry.name.as_str(), stage(module, globals, entry)?);
    shader.float_controls = float_controls(module, entry)?;
    let square_quads = match shader.compute() {
        Some(compute) => quads(module, entry, compute.local_size)? == Some(Quads::Square),
        None => false,
    };
    // An estimate of the number of instructions at the end of the mid-end. The limit avoids a large reservation for a
    // module that contains much code of other entry points.
    shader.func.reserve((2 * module.insts.len()).min(MAX_RESERVED));
    let region = shader.func.body();
    let mut translator = Translator {
        module,
        globals,
        shader,
        region,
        active: Vec::new(),
        depth: 0,
        locs: Vec::new(),
        exact: false,
        frames: Vec::new(),
        trees: IdMap::default(),
        constants: HashMap::new(),
        deferred: Vec::new(),
        variables: IdMap::default(),
        kept: Vec::new(),
        choices: IdMap::default(),
        var_scalars: 0,
        bulky_uses: None,
        image_formats: options.image_formats.to_vec(),
        max_insts: options.max_insts,
        robust_access: options.robust_access,
        steps: 0,
        zero_shared: false,
        square_quads,
        kills: Vec::new(),
        outputs: Vec::new(),
        captures: captures_outputs(module, entry)?,
    };
    translator.set_active(region, true);
    translator.read_lines();
    let inst = module.insts[entry.inst];
    translator.call(&inst, entry.function, Vec::new()).map_err(|e| e.at(inst.position()))?;
    let func = &translator.shader.func;
    let last = func.region(region).insts.last();
    if !last.is_some_and(|&i| func.inst(i).kind.is_terminator()) {
        translator.b().return_();
    }
    if options.unwritten_outputs {
        let interface = inst.after_string(2).map_err(|e| e.at(inst.position()))?;
        translator.declare_outputs(interface)?;
    }
    translator.finish()?;
    translator.shader.func.loc = DebugLoc::NONE;
    check_depth(module, entry, &translator.shader)?;
    Ok(translator.shader)
}

impl Translator<'_, '_> {
    /// Enters the lines of the module into the shader's table of places.
    fn read_lines(&mut self) {
        let module = self.module;
        let debug = &mut self.shader.func.debug;
        let mut files = IdMap::default();
        self.locs.push(DebugLoc::NONE);
        for line in &module.lines {
            let file = *files.entry(line.file).or_insert_with(|| {
                let name = module.def(line.file).filter(|inst| inst.op == Op::String);
                let name = name.and_then(|inst| inst.lossy_string(0).ok());
                debug.file(name.as_deref().unwrap_or_default())
            });
            self.locs.push(debug.place(Place { file, line: line.line, column: line.column }));
        }
    }
}

/// The float controls that the execution modes give: per mode a mask of float sizes (bit 0: 16, bit 1: 32, bit 2: 64).
fn float_controls(module: &Module<'_>, entry: &EntryPoint) -> Result<FloatControls> {
    let mut controls = FloatControls::default();
    for inst in modes(module, entry) {
        let mask = match ExecutionMode::from_u32(inst.word(1)?) {
            Some(ExecutionMode::DenormPreserve) => &mut controls.denorm_preserve,
            Some(ExecutionMode::DenormFlushToZero) => &mut controls.denorm_flush,
            Some(ExecutionMode::SignedZeroInfNanPreserve) => {
                &mut controls.signed_zero_inf_nan_preserve
            }
            Some(ExecutionMode::RoundingModeRTE) => &mut controls.rounding_rte,
            Some(ExecutionMode::RoundingModeRTZ) => &mut controls.rounding_rtz,
            _ => continue,
        };
        *mask |= match inst.word(2)? {
            16 => 1,
            32 => 2,
            64 => 4,
            bits => {
                let detail =
                    format!("expected 16, 32 or 64 as width of a float mode, found {bits}");
                return Err(inst.error(ErrorCode::BadEnumerant, detail));
            }
        };
        if controls.rounding_rte != 0 && controls.rounding_rtz != 0 {
            let detail = "expected the same rounding mode for all sizes of floats, as the hardware has one mode";
            return Err(inst.error(ErrorCode::Unsupported, detail));
        }
    }
    Ok(controls)
}
