//! The entry point: execution modes, workgroup size, and the code from its function on.

use std::collections::HashMap;

use crestline_ssa::ir::{ComputeInfo, FloatControls, Shader, StageInfo};
use rspirv::spirv::{ExecutionMode, Op};

use super::Translator;
use crate::TranslateOptions;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::ids::IdMap;
use crate::spirv::{EntryPoint, Globals, Module};

/// Invocations in a workgroup that a driver could ever dispatch.
const MAX_INVOCATIONS: u64 = 4096;

/// Translates one entry point.
pub(crate) fn build(
    module: &Module<'_>,
    globals: &Globals,
    entry: &EntryPoint,
    options: &TranslateOptions<'_>,
) -> Result<Shader> {
    let local_size = local_size(module, globals, entry)?;
    let stage = StageInfo::Compute(ComputeInfo { local_size, shared_bytes: 0 });
    let mut shader = Shader::new(entry.name.as_str(), stage);
    shader.float_controls = float_controls(module, entry)?;
    let region = shader.func.body();
    let mut translator = Translator {
        module,
        globals,
        shader,
        region,
        active: Vec::new(),
        depth: 0,
        exact: false,
        frames: Vec::new(),
        trees: IdMap::default(),
        constants: HashMap::new(),
        deferred: Vec::new(),
        variables: IdMap::default(),
        var_scalars: 0,
        max_insts: options.max_insts,
        steps: 0,
        zero_shared: false,
    };
    translator.set_active(region, true);
    let inst = module.insts[entry.inst];
    translator.call(&inst, entry.function, Vec::new()).map_err(|e| e.at(inst.place()))?;
    let func = &translator.shader.func;
    let last = func.region(region).insts.last();
    if !last.is_some_and(|&i| func.inst(i).kind.is_terminator()) {
        translator.b().return_();
    }
    translator.finish();
    Ok(translator.shader)
}

/// The workgroup's size: the WorkgroupSize constant, else `LocalSizeId`, else `LocalSize`.
fn local_size(module: &Module<'_>, globals: &Globals, entry: &EntryPoint) -> Result<[u32; 3]> {
    let mut size = None;
    for inst in modes(module, entry) {
        match ExecutionMode::from_u32(inst.word(1)?) {
            Some(ExecutionMode::LocalSize) => {
                size = Some([inst.word(2)?, inst.word(3)?, inst.word(4)?]);
            }
            Some(ExecutionMode::LocalSizeId) => {
                let mut dims = [0; 3];
                for (dim, at) in dims.iter_mut().zip(2..) {
                    let value = globals.int(inst.word(at)?).map_err(|e| e.at(inst.place()))?;
                    *dim = u32::try_from(value).unwrap_or(u32::MAX);
                }
                size = Some(dims);
            }
            _ => {}
        }
    }
    if let Some((_, value)) = globals.workgroup_size.and_then(|id| globals.get(id)) {
        size = Some([0, 1, 2].map(|i| u32::try_from(value.part(i).bits()).unwrap_or(u32::MAX)));
    }
    let place = module.insts[entry.inst].place();
    let size = size.ok_or_else(|| {
        let detail = "expected LocalSize, LocalSizeId or a WorkgroupSize constant";
        FrontendError::new(ErrorCode::BadLocalSize, detail).at(place)
    })?;
    let total = size.iter().fold(1u64, |n, &d| n.saturating_mul(u64::from(d)));
    if total == 0 || total > MAX_INVOCATIONS {
        let detail = format!("expected 1 to {MAX_INVOCATIONS} invocations, found {size:?}");
        return Err(FrontendError::new(ErrorCode::BadLocalSize, detail).at(place));
    }
    Ok(size)
}

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
                let detail = format!("expected a float size of 16, 32 or 64, found {bits}");
                return Err(inst.error(ErrorCode::BadEnumerant, detail));
            }
        };
    }
    Ok(controls)
}

fn modes<'a, 'w>(
    module: &'a Module<'w>,
    entry: &'a EntryPoint,
) -> impl Iterator<Item = &'a crate::spirv::Inst<'w>> {
    module
        .modes
        .iter()
        .filter(|(function, _)| *function == entry.function)
        .map(|&(_, inst)| &module.insts[inst])
        .filter(|inst| matches!(inst.op, Op::ExecutionMode | Op::ExecutionModeId))
}
